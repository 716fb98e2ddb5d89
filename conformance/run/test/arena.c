/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of a play: pieces of it, what is given back, and the next play's. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include "run/play.h"

enum { CHUNK = 256 * 1024, ALIGN = 16 };

/* Each piece is aligned, and its bytes are its own; pieces too large for one chunk get another. */
Test(arena, pieces_of_memory)
{
    static const size_t sizes[] = {1, 15,    16,        17,        100, CHUNK - 200, 48,
                                   1, CHUNK, CHUNK + 1, 3 * CHUNK, 5,   CHUNK - 16,  16};
    enum { N = sizeof sizes / sizeof *sizes };
    struct run_arena a = {0};
    uint8_t *at[2][N];

    for (unsigned play = 0; play < 2; play++) {
        for (unsigned i = 0; i < N; i++) {
            at[play][i] = run_alloc(&a, sizes[i]);
            cr_assert(at[play][i] && (uintptr_t)at[play][i] % ALIGN == 0, "piece %u", i);
            memset(at[play][i], (int)(i + play * 100), sizes[i]);
        }
        for (unsigned i = 0; i < N; i++)
            for (size_t k = 0; k < sizes[i]; k++)
                cr_assert_eq(at[play][i][k], i + play * 100, "piece %u, byte %zu", i, k);
        run_arena_reset(&a);
    }
    cr_expect_eq(memcmp(at[0], at[1], sizeof at[0]), 0, "the next play has the same memory");
    run_arena_free(&a);
    cr_expect(a.first == NULL && a.now == NULL);
}

/* Frames get memory for the largest, and give back what they do not need, if nothing was allocated after them. */
Test(arena, memory_that_is_given_back)
{
    static const struct {
        size_t used, next; /* offset of the piece after it */
    } rows[] = {{0, 0}, {1, 16}, {16, 16}, {17, 32}, {999, 1008}, {1000, 1008}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_arena a = {0};
        uint8_t *one = run_alloc(&a, 1000), *two, *three;
        run_trim(&a, one, 1000, rows[i].used);
        two = run_alloc(&a, 50);
        cr_expect_eq(two - one, (ptrdiff_t)rows[i].next, "%zu used: %td", rows[i].used, two - one);
        run_trim(&a, one, 1000, 0); /* too late */
        three = run_alloc(&a, 1);
        cr_expect_eq(three - two, 64);
        run_arena_free(&a);
    }
    struct run_arena none = {0};
    run_trim(&none, NULL, 0, 0);
    cr_expect(none.first == NULL);
}
