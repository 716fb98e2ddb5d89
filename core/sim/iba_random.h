/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers for the simulator and the mutators: a seed gives the same numbers on every machine. */
#ifndef IBA_RANDOM_H
#define IBA_RANDOM_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* xorshift64* with a hashed seed: every seed works, and similar seeds give unrelated streams. */
struct iba_random {
    uint64_t s; /* never 0 */
};
void iba_random_seed(struct iba_random *r, uint64_t seed); /* `seed` may be 0 */
uint64_t iba_random_next(struct iba_random *r);            /* 64 random bits */
/* Returns a number from 0 to n - 1, each with equal probability; n > 0. */
uint64_t iba_random_below(struct iba_random *r, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif
