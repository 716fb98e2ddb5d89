/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "large.h"
#include "system/pages.h"

enum { BIG = 16 << 20, SMALL = 1 << 20 };

Test(pages, a_table_keeps_its_contents_and_gets_large_pages)
{
    unsigned char *table = calloc(1, BIG);

    cr_assert_not_null(table);
    table[0] = 1;
    table[BIG - 1] = 2;
    pages_large(table, BIG);
    cr_expect_eq(table[0], 1);
    cr_expect_eq(table[BIG / 2], 0);
    cr_expect_eq(table[BIG - 1], 2);
    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0) /* else the kernel has none */
        cr_expect(is_large(table + BIG / 2));
    free(table);
}

Test(pages, a_small_table_stays_as_it_is)
{
    unsigned char *table = calloc(1, SMALL);

    cr_assert_not_null(table);
    pages_large(table, SMALL);
    cr_expect_not(is_large(table + SMALL / 2));
    free(table);
}

/* Returns whether this byte can be read. The kernel reads it, since we would end by a signal. */
static bool is_there(const unsigned char *at)
{
    int end[2];

    cr_assert_eq(pipe(end), 0);
    const ssize_t n = write(end[1], at, 1);
    close(end[0]);
    close(end[1]);
    return n == 1;
}

Test(pages, a_table_of_its_own_is_zeroed_and_lies_between_pages_that_nobody_touches)
{
    unsigned char *table = pages_open(BIG);

    cr_assert_not_null(table);
    cr_expect_eq(table[0], 0);
    cr_expect_eq(table[BIG - 1], 0);
    table[0] = 1;
    table[BIG - 1] = 2;
    cr_expect(is_there(table) && is_there(table + BIG - 1));
    cr_expect_not(is_there(table - 1));
    cr_expect_not(is_there(table + BIG));
    pages_shrink(table, BIG, SMALL);
    cr_expect_eq(table[0], 1);
    cr_expect(is_there(table + SMALL - 1));
    cr_expect_not(is_there(table + SMALL));
    cr_expect_not(is_there(table + BIG - 1));
    pages_close(table, SMALL);
    cr_expect_not(is_there(table));
}

Test(pages, no_memory_is_null)
{
    cr_expect_null(pages_open(SIZE_MAX / 2));
    pages_close(NULL, BIG);
}
