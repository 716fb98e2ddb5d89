/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a scenario: pieces that are aligned, that do not overlap, and that may be longer than a chunk. */
#include "scenario/arena.h"
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

enum { CHUNK = 48 * 1024, ALIGN = 16 };

Test(arena, pieces)
{
    static const size_t sizes[] = {1,         15, 16, 17,        CHUNK - 200, 120, 1,          CHUNK, 3,
                                   CHUNK + 1, 48, 0,  3 * CHUNK, CHUNK - 16,  16,  CHUNK - 15, 1};
    enum { N = sizeof sizes / sizeof *sizes };
    struct ibc_arena *a = ibc_arena_new();
    unsigned char *at[N];

    for (unsigned i = 0; i < N; i++) {
        at[i] = i % 2 ? ibc_arena_zero(a, sizes[i]) : ibc_arena_take(a, sizes[i]);
        cr_expect_eq((uintptr_t)at[i] % ALIGN, 0, "piece %u", i);
        for (size_t k = 0; i % 2 && k < sizes[i]; k++)
            cr_assert_eq(at[i][k], 0, "piece %u", i);
        memset(at[i], (int)i + 1, sizes[i]);
    }
    for (unsigned i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            cr_assert_eq(at[i][k], i + 1, "piece %u, byte %zu", i, k);
    ibc_arena_free(a);
    ibc_arena_free(NULL);
}

Test(arena, strings)
{
    struct ibc_arena *a = ibc_arena_new();
    char *const one = ibc_arena_string(a, "abcdef", 3), *const two = ibc_arena_string(a, "0123456789abcdef", 16),
                *const none = ibc_arena_string(a, "x", 0);

    cr_expect_str_eq(one, "abc");
    cr_expect_str_eq(two, "0123456789abcdef");
    cr_expect_str_eq(none, "");
    cr_expect(two - one == ALIGN && none - two == 2 * ALIGN, "the byte at the end is its own");
    ibc_arena_free(a);
}

/* A small scenario needs one allocation, and each is given back. */
Test(arena, nothing_is_left)
{
    size_t in_use[20];

    for (unsigned i = 0; i < 20; i++) {
        struct ibc_arena *a = ibc_arena_new();
        const size_t before = mallinfo2().uordblks;
        for (unsigned k = 0; k < 100; k++)
            (void)ibc_arena_take(a, 400);
        cr_expect_eq(mallinfo2().uordblks, before);
        for (unsigned k = 0; k < 100; k++)
            (void)ibc_arena_take(a, 1000);
        ibc_arena_free(a);
        in_use[i] = mallinfo2().uordblks;
    }
    cr_expect(in_use[17] == in_use[18] && in_use[18] == in_use[19]);
}
