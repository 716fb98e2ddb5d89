/* SPDX-License-Identifier: BSD-2-Clause */
/* --metrics: the counts of a run as OpenMetrics text, for the textfile collector of a node exporter (docs/metrics.md).
 * Counts only grow while the program runs; those of its next run begin at 0 again, as OpenMetrics expects. */
#ifndef DISSECT_METRICS_H
#define DISSECT_METRICS_H
#include "summary/summary.h"

/* Pairs of hosts with series of their own. Labels must not grow without end, so further pairs share one series, and
 * queue pairs, whose numbers are assigned again and again, have none. */
enum { METRICS_PAIRS = BOUND(256, 8) };

struct metrics;
/* NULL: out of memory. Owned: free(). */
struct metrics *metrics_open(void);
void metrics_add(struct metrics *m, const struct summary *s);
void metrics_write(const struct metrics *m, struct out *o);
#endif
