/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: a case that passes, and does not free a block.
#include <criterion/criterion.h>
#include <stdlib.h>

Test(planted, sound)
{
    cr_assert(true);
}

Test(planted, leak)
{
    char *volatile block = malloc(10);
    block[0] = 1;
    block = NULL;
}
