/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_SEED_H
#define DISSECT_SEED_H
#include <stdint.h>

/* Seeds the hashes of statistics, and returns a seed for the hashes of the observer: so nobody can make a capture whose
 * packets collide in the tables of this run. Without random numbers the hashes protect no better than constant ones. */
uint64_t seed_hashes(void);
#endif
