/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_random.h"
#include <assert.h>

/* Hashes the seed by splitmix64's finalizer. It maps one seed to 0, a state that xorshift never leaves, so 1 replaces
 * 0. */
void iba_random_seed(struct iba_random *r, uint64_t seed)
{
    uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    r->s = z ? z : 1;
}

uint64_t iba_random_next(struct iba_random *r)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return r->s * UINT64_C(0x2545f4914f6cdd1d);
}

uint64_t iba_random_below(struct iba_random *r, uint64_t n)
{
    uint64_t x, value;

    assert(n > 0);
    do { /* 2^64 is no multiple of n: a number in the last, incomplete run of n is drawn again */
        x = iba_random_next(r);
        value = x % n;
    } while (x - value > UINT64_MAX - (n - 1));
    return value;
}
