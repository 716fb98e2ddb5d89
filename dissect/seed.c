/* SPDX-License-Identifier: BSD-2-Clause */
#include "seed.h"
#include <sys/random.h>
#include "track/addr.h"

uint64_t seed_hashes(void)
{
    uint64_t random[3];

    if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
        return 0;
    stat_hash_key(random);
    return random[2];
}
