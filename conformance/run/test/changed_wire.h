/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference engine, and a wire that changes the engine's frames: one chosen frame, or many at random. */
#ifndef IBC_RUN_TEST_CHANGED_WIRE_H
#define IBC_RUN_TEST_CHANGED_WIRE_H
#include "sim/iba_mutate.h"
#include "run/play.h"

enum { WIRE_MANY = 256, WIRE_NO_FRAME = -1 };
struct changed_frame {
    unsigned place; /* counts the frames that the runner got since the device was reset, from 0 */
    unsigned all;   /* the same among all frames of the scenario */
    struct iba_mutation how;
    size_t bytes;
    uint8_t was[IBC_FRAME]; /* before the change */
};
struct changed_wire {
    struct ibc_target *t;
    struct iba_random random;
    long one;                    /* the frame of the scenario that is changed; WIRE_NO_FRAME: none */
    bool some;                   /* one frame in four is changed, one in eight dropped, one in eight sent twice */
    unsigned place, all, played; /* played: `all` at the last reset */
    unsigned n_changed, changes; /* since the last reset, at most WIRE_MANY; of the scenario */
    struct changed_frame changed[WIRE_MANY];
};
struct changed_wire *changed_wire_open(void);
void changed_wire_close(struct changed_wire *w);
/* Call it before a scenario is played. */
void changed_wire_begin(struct changed_wire *w, uint64_t seed, long one, bool some);
/* Returns the record of a changed frame; `at` counts frames since the reset. NULL: that frame was not changed. */
const struct changed_frame *changed_wire_at(const struct changed_wire *w, unsigned place);
#endif
