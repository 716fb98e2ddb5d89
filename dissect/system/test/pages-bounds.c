/* SPDX-License-Identifier: BSD-2-Clause */
/* Where tables in pages of their own begin and end, to the byte, and that nothing of them stays. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "large.h"
#include "system/pages.h"

static size_t page;
static int from, to;

static void begin(void)
{
    int end[2];

    cr_assert_eq(pipe(end), 0);
    from = end[0];
    to = end[1];
    page = (size_t)sysconf(_SC_PAGESIZE);
}
TestSuite(bounds, .init = begin);

/* Whether the kernel can read this byte. */
static bool is_there(const unsigned char *at)
{
    char byte;

    /* not by write(), for which the address sanitizer reads it */
    return syscall(SYS_write, to, at, 1) == 1 && read(from, &byte, 1) == 1;
}

/* Pages of the address space of this process. */
static unsigned long mapped(void)
{
    char text[128] = "";
    unsigned long pages = 0;
    const int fd = open("/proc/self/statm", O_RDONLY);

    if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
        pages = strtoul(text, NULL, 10);
    close(fd);
    return pages;
}

/* Whether the table has these pages, and none before or behind. */
static void has_pages(const unsigned char *table, size_t pages, size_t bytes)
{
    cr_expect(is_there(table) && is_there(table + pages * page - 1), "%zu bytes", bytes);
    cr_expect_not(is_there(table - 1) || is_there(table - page), "%zu bytes", bytes);
    cr_expect_not(is_there(table + pages * page), "%zu bytes", bytes);
    cr_expect_not(is_there(table + (pages + 1) * page - 1), "%zu bytes", bytes);
}

Test(bounds, of_tables)
{
    const struct {
        size_t bytes, pages;
    } rows[] = {{1, 1}, {page - 1, 1}, {page, 1}, {page + 1, 2}, {7 * page - 3, 7}, {8 * page, 8}};
    const size_t n = sizeof rows / sizeof *rows;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            unsigned char *table = pages_open(rows[i].bytes);
            cr_assert_not_null(table);
            cr_expect_eq((uintptr_t)table % page, 0);
            has_pages(table, rows[i].pages, rows[i].bytes);
            memset(table, 1, rows[i].bytes);
            pages_shrink(table, rows[i].bytes, rows[j].bytes);
            has_pages(table, rows[j].pages, rows[j].bytes);
            memset(table, 2, rows[j].bytes);
            pages_close(table, rows[j].bytes);
            const unsigned long before = mapped();
            table = pages_open(rows[i].bytes);
            const unsigned long opened = mapped();
            pages_shrink(table, rows[i].bytes, rows[j].bytes);
            const unsigned long shrunk = mapped();
            pages_close(table, rows[j].bytes);
            const unsigned long closed = mapped();
            cr_expect_eq(opened, before + rows[i].pages + 2, "%zu bytes", rows[i].bytes);
            cr_expect_eq(shrunk, before + rows[j].pages + 2, "%zu of %zu bytes", rows[j].bytes, rows[i].bytes);
            cr_expect_eq(closed, before, "%zu of %zu bytes", rows[j].bytes, rows[i].bytes);
        }
}

/* ---- large pages ---- */

/* The pages that hold a byte of the table are large, those before and after it are not. `at`: where the table begins
 * in its first page. */
Test(bounds, of_large_pages)
{
    enum { LEAST = 4 << 20 };
    const struct {
        size_t at, bytes;
        bool large;
    } rows[] = {{0, LEAST - 1, false}, {0, LEAST, true},        {5, LEAST + 1, true},
                {5, 2 * LEAST, true},  {page - 1, LEAST, true}, {16, 3 * LEAST + page / 2, true}};
    const size_t all = 4 * (size_t)LEAST;

    if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) != 0)
        return; /* the kernel has no large pages */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *const memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq(memory, MAP_FAILED);
        char *const table = memory + 2 * page + rows[i].at, *const last = table + rows[i].bytes - 1;
        pages_large(table, rows[i].bytes);
        cr_expect_eq(is_large(table), rows[i].large, "row %zu", i);
        cr_expect_eq(is_large(last), rows[i].large, "row %zu", i);
        cr_expect_not(is_large(table - rows[i].at - 1), "row %zu", i);
        cr_expect_not(is_large(last + page), "row %zu", i);
        munmap(memory, all);
    }
}
