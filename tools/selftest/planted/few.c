/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: two cases, where the build records three.
#include <criterion/criterion.h>

Test(planted, sound)
{
    cr_assert(true);
}

Test(planted, sound_too)
{
    cr_assert(true);
}
