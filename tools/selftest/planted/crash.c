/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: the second case dies by a signal.
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
