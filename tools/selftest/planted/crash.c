/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: a signal ends the second case.
#include <criterion/criterion.h>
#include <stdlib.h>

Test(planted, sound)
{
    cr_assert(true);
}

Test(planted, crash)
{
    abort();
}
