/* SPDX-License-Identifier: BSD-2-Clause */
/* Talks of a few packets, for tests of limits. */
#ifndef OBSERVER_TEST_EXACT_H
#define OBSERVER_TEST_EXACT_H
#include "observer/iba_obs_look.h"
#include "shots.h"

static struct witness w;
static iba_time now;

static inline void begin(const struct iba_observer_config *cfg)
{
    now = MS;
    witness_init(&w, cfg);
}

static inline void play(const struct shot *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        shoot(&w, &x[i], 0, &now);
}

#define PLAY(...)                                                                                                      \
    play((const struct shot[]){__VA_ARGS__}, sizeof((const struct shot[]){__VA_ARGS__}) / sizeof(struct shot))
#define FOUND(kind) ((unsigned)w.found[IBA_FINDING_##kind])
#define FROM_A(op, n, ...)                                                                                             \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .psn = n, __VA_ARGS__                                                                   \
    }
#define FROM_B(op, n, ...)                                                                                             \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .from = B, .psn = n, __VA_ARGS__                                                        \
    }
#define COUNTED(n, count) FROM_A(SEND_ONLY, n, .bytes = 8, .id = count)
#endif
