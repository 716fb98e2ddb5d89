/* SPDX-License-Identifier: BSD-2-Clause */
#include "seed.h"
#include "system/random.h"
#include "track/addr.h"

uint64_t seed_hashes(void)
{
    uint64_t random[3];

    if (!random_bytes(random, sizeof random))
        return 0;
    stat_hash_key(random);
    return random[2];
}
