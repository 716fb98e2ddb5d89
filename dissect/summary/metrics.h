/* SPDX-License-Identifier: BSD-2-Clause */
/* --metrics: the counts of a run as OpenMetrics text, for the textfile collector of a node exporter (docs/metrics.md).
 * Counts grow as long as the program runs. In the next run they begin at 0 again, as OpenMetrics expects. */
#ifndef DISSECT_METRICS_H
#define DISSECT_METRICS_H
#include "summary/summary.h"

/* Pairs of hosts that have their own series. The number of labels must be bounded, so further pairs share one series.
 * Queue pairs have no series, since their numbers are assigned again and again. */
enum { METRICS_PAIRS = BOUND(256, 8) };

struct metrics;
/* NULL: out of memory. Owned: free(). */
struct metrics *metrics_open(void);
void metrics_add(struct metrics *m, const struct summary *s);
void metrics_write(const struct metrics *m, struct out *o);
#endif
