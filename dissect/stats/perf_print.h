/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of -z perf, and its two forms of output. */
#ifndef DISSECT_PERF_PRINT_H
#define DISSECT_PERF_PRINT_H
#include "stats/ends.h"
#include "stats/kinds.h"
#include "stats/perf.h"

struct perf {
    struct stat_clock clock;
    uint64_t now, untimed, beyond; /* beyond: request packets of senders that are not followed */
    uint32_t n;
    uint32_t place[JUDGE_DIRECTIONS]; /* by direction: index of its sender, plus 1; 0: none */
    const struct direction *seen[PERF_SENDERS];
    struct perf_sender sender[PERF_SENDERS];
};

/* `seen` is in the order of printing. */
void perf_print_text(const struct perf *s, struct out *o);
void perf_print_json(const struct perf *s, struct out *o);
#endif
