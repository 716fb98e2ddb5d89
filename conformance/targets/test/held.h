/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts descriptors and memory of this process, for tests that compare them before and after. */
#ifndef IBC_TEST_HELD_H
#define IBC_TEST_HELD_H
#include <criterion/criterion.h>
#include <fcntl.h>
#include <malloc.h>

enum { HELD_ROUNDS = 12 }; /* the C library keeps seven pieces of each size for itself */

/* Returns the number of open descriptors, of the first 512. */
static inline unsigned held_descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 512; fd++)
        n += fcntl(fd, F_GETFD) != -1;
    return n;
}

/* Returns the number of bytes of the heap in use; with a sanitizer, which looks for leaks itself, 0. */
static inline size_t held_bytes(void)
{
    const struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/* Expects that the last rounds took no memory. */
static inline void held_the_same(const size_t held[HELD_ROUNDS])
{
    const size_t *last = &held[HELD_ROUNDS - 3];

    cr_expect(last[0] == last[1] && last[1] == last[2], "%zu, %zu, %zu bytes", last[0], last[1], last[2]);
}
#endif
