/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver for AFL++. It is persistent: one process takes many inputs, from shared memory. */
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "time_limit.h"

uint64_t fuzz_trace, fuzz_steps;

__AFL_FUZZ_INIT();

enum { ROUNDS = 100000 };

/* Makes the target allocate, before the first input, everything that it allocates once. So the same input always takes
 * the same path. */
static void warm(void)
{
    static const uint8_t nothing[16] = {0};
    const char *first = fuzz_target.first;

    (void)fuzz_recording();
    (void)fuzz_one(nothing, sizeof nothing);
    if (first)
        (void)fuzz_one((const uint8_t *)first, strlen(first));
}

int main(void)
{
    static uint8_t *input;

    warm();
    __AFL_INIT();
    input = __AFL_FUZZ_TESTCASE_BUF;
    fuzz_limits_begin();
    while (__AFL_LOOP(ROUNDS)) {
        const size_t n = (size_t)__AFL_FUZZ_TESTCASE_LEN;
        uint8_t *exact = malloc(n ? n : 1); /* a sanitizer detects a read beyond it */

        if (!exact)
            return 1;
        memcpy(exact, input, n);
        fuzz_trace = FUZZ_TRACE_START;
        fuzz_limits_input();
        (void)fuzz_one(exact, n);
        free(exact);
    }
    return 0;
}
