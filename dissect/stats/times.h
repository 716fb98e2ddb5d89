/* SPDX-License-Identifier: BSD-2-Clause */
/* Times, counted in classes that are 1/64 wide: percentiles are at most 1.6 % too long. 15 KiB, for any number of
 * times. Classes are wider in fuzz builds. */
#ifndef DISSECT_TIMES_H
#define DISSECT_TIMES_H
#include <stdint.h>
#include "field/bound.h"

enum {
    TIMES_SUB_BITS = BOUND(6, 2),
    TIMES_SUBS = 1 << TIMES_SUB_BITS,
    TIMES_CLASSES = (64 - TIMES_SUB_BITS + 1) * TIMES_SUBS
};
struct times {                     /* all 0: none yet */
    uint64_t n, longest, shortest; /* ns */
    uint32_t count[TIMES_CLASSES];
};
void times_add(struct times *t, uint64_t ns);
/* The class of a time. */
unsigned times_class(uint64_t ns);
/* A class's times are 2^octave ns and more, and below twice as many. */
unsigned times_octave(unsigned class);
/* The time that at least `percent` of them did not exceed. */
uint64_t times_percentile(const struct times *t, unsigned percent);

/* Classes of message sizes in which times are counted apart. */
enum { TIMES_SIZES = 6 };
unsigned times_size(uint64_t bytes);
const char *times_size_title(unsigned size); /* "65-512" */
#endif
