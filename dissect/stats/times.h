/* SPDX-License-Identifier: BSD-2-Clause */
/* Times that are counted in classes of a width of 1/64, so percentiles are at most 1.6 % too long. 15 KiB for any
 * number of times. Classes are wider in fuzz builds. */
#ifndef DISSECT_TIMES_H
#define DISSECT_TIMES_H
#include <stdint.h>
#include "field/bound.h"

enum {
    TIMES_SUB_BITS = BOUND(6, 2),
    TIMES_SUBS = 1 << TIMES_SUB_BITS,
    TIMES_CLASSES = (64 - TIMES_SUB_BITS + 1) * TIMES_SUBS
};
struct times {                     /* all 0: no time was counted */
    uint64_t n, longest, shortest; /* ns */
    uint32_t count[TIMES_CLASSES];
};
void times_add(struct times *t, uint64_t ns);
/* The class of a time. */
unsigned times_class(uint64_t ns);
/* The times of a class are 2^octave ns and more, and below twice that. */
unsigned times_octave(unsigned class);
/* The time that at least `percent` of the times do not exceed. */
uint64_t times_percentile(const struct times *t, unsigned percent);

/* Classes of message sizes; times are counted for each of them. */
enum { TIMES_SIZES = 6 };
unsigned times_size(uint64_t bytes);
const char *times_size_title(unsigned size); /* "65-512" */
#endif
