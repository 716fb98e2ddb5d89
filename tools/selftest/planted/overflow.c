/* SPDX-License-Identifier: BSD-2-Clause */
// Planted fault: a write one byte past a heap block. Volatile keeps the optimiser from seeing it.
#include <criterion/criterion.h>
#include <stdlib.h>

Test(planted, sound)
{
    cr_assert(true);
}

Test(planted, overflow)
{
    volatile size_t size = 8;
    volatile char *volatile block = malloc(size);
    block[size] = 1;
    free((void *)block);
}
