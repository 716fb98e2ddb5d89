/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of -z perf, and its two forms of output. */
#ifndef DISSECT_PERF_PRINT_H
#define DISSECT_PERF_PRINT_H
#include "stats/ends.h"
#include "stats/kinds.h"
#include "stats/perf.h"

/* The table that finds the sender which a notification is for: the responses to this sender come from the source of the
 * notification to its QP. PERF_NOTIFIED: places of the table; PERF_PROBES: places that are tried. */
enum { PERF_NOTIFIED = BOUND(1 << 14, 16), PERF_PROBES = 8 };

struct perf {
    struct stat_clock clock;
    uint64_t now, untimed, beyond; /* beyond: request packets of senders that are not followed */
    uint32_t n;
    uint32_t place[JUDGE_DIRECTIONS]; /* by direction: index of the direction's sender, plus 1; 0: none */
    uint16_t notified[PERF_NOTIFIED]; /* index of a sender plus 1, by a hash of the direction of its responses */
    const struct direction *seen[PERF_SENDERS];
    struct perf_sender sender[PERF_SENDERS];
};

/* Ends each sender, when no more packets come, and puts `seen` in the order of printing. */
void perf_end_all(struct perf *s);
/* Prints a sentence on the limits of all reliable connections. */
void perf_say_all(struct out *o, const struct perf *s);
/* Print that sentence for a sum of shares, then the limits of some shares, and of one sender: "limited by X: 80.0 % of
 * the time; Y: 20.0 %". */
void perf_say_sum(struct out *o, const struct perf_shares *sum);
void perf_say_shares(struct out *o, const struct perf_shares *shares);
void perf_say_sender(struct out *o, const struct perf_sender *x);
/* "63.1 %" */
void perf_say_percent(struct out *o, uint64_t part, uint64_t whole);
/* `seen` is in the order of printing. */
void perf_print_text(const struct perf *s, struct out *o);
void perf_print_json(const struct perf *s, struct out *o);
#endif
