/* SPDX-License-Identifier: BSD-2-Clause */
/* A simulated connection that knows at each moment why its sender does not send more: the truth for -z perf. Two
 * engines on virtual time; end 0 sends, and the capture is what its network card sees, or that of end 1. */
#ifndef PERF_SIM_H
#define PERF_SIM_H
#include "adapter/test/pair.h"
#include "stats/perf_print.h"

/* clang-format off */
/* L(name, words): kinds of work load */
#define PERF_LOADS(L)                                                                                                  \
    L(ONE,     "closed loop, one message")                                                                             \
    L(MANY,    "closed loop, several")                                                                                 \
    L(DEPTH,   "READ depth below the loop's")                                                                          \
    L(CREDIT,  "few receives: credits")                                                                                \
    L(UNREADY, "receives come late: RNR")                                                                              \
    L(THINK,   "sleeps between messages")                                                                              \
    L(RANDOM,  "messages at random times")                                                                             \
    L(LOSSY,   "lost packets")                                                                                         \
    L(INCAST,  "incast: others' bursts in one queue")                                                                  \
    L(CLOCK,   "messages by a clock")                                                                                  \
    L(PORT,    "deep queue, slow port")                                                                                \
    L(LIMITER, "deep queue, rate limiter")                                                                             \
    L(MARKED,  "marks, CNPs, a rate by DCQCN")
/* clang-format on */
enum perf_load {
#define PERF_LOAD_ID(name, words) PERF_LOAD_##name,
    PERF_LOADS(PERF_LOAD_ID) PERF_LOAD_COUNT
};
extern const char *const perf_loads[PERF_LOAD_COUNT];

struct perf_outcome {
    uint64_t truth[PERF_LIMIT_COUNT], truth_life; /* ns */
    struct perf_shares said;
    const struct perf_sender *sender; /* valid until the next run; NULL: none was seen */
};
/* Plays network `seed` of this kind; `far`: captured at the receiver. */
void perf_play(struct perf_outcome *r, enum perf_load load, uint64_t seed, bool far);
#endif
