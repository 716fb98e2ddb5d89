/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_SEED_H
#define DISSECT_SEED_H
#include <stdint.h>

/* Seeds the hashes of statistics, and returns the seed of the observer's. Nobody can make a capture whose packets
 * collide in the tables of this run. Without random numbers hashes are as good as constant ones. */
uint64_t seed_hashes(void);
#endif
