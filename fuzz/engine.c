/* SPDX-License-Identifier: BSD-2-Clause */
/* One adapter gets packets, verbs and time in any order. Every invariant holds after each step. */
#include "world.h"

const struct fuzz_target fuzz_target = {"engine", FUZZ_RECORDS, NULL};

enum { MOST_STEPS = 200 };

int fuzz_one(const uint8_t *data, size_t n)
{
    struct fuzz_in in = {data, n}, body;
    struct world *w = world_open(&in, 1);
    uint8_t kind;

    for (unsigned i = 0; i < MOST_STEPS && fuzz_record(&in, &kind, &body); i++, fuzz_steps++) {
        world_step(w, 0, kind, &body);
        world_check(w);
    }
    world_close(w);
    return 0;
}
