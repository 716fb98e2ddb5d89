/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether repeated work keeps memory. Sanitizers find the same; the other builds have none. */
#ifndef IBF_TEST_LEAKS_H
#define IBF_TEST_LEAKS_H
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

/* Does the work a few times, until freed memory is reused, and then often. True: the memory in use has not grown by as
 * much as the smallest block each time. */
static inline bool leaks_nothing(void (*work)(void))
{
    enum { FIRST = 10, OFTEN = 16, LEAST = 16 };
    size_t before;

    for (unsigned i = 0; i < FIRST; i++)
        work();
    before = mallinfo2().uordblks;
    for (unsigned i = 0; i < OFTEN; i++)
        work();
    return mallinfo2().uordblks < before + (size_t)OFTEN * LEAST;
}

#endif
