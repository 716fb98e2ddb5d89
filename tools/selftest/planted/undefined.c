/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: signed overflow. Volatile keeps the optimiser from seeing it.
#include <criterion/criterion.h>
#include <limits.h>

Test(planted, sound)
{
    cr_assert(true);
}

Test(planted, undefined)
{
    volatile int most = INT_MAX;
    most = most + 1;
}
