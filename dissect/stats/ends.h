/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns for both ends of a direction in every statistic of connections, and the order of rows. */
#ifndef DISSECT_STATS_ENDS_H
#define DISSECT_STATS_ENDS_H
#include "judge/judge.h"
#include "stats/table.h"
#include "system/pages.h"

enum { ENDS_COLUMNS = 5 };

/* Columns for source, source QP, destination, destination QP and service, wide enough for all of them. */
void ends_columns(struct out *o, struct column column[ENDS_COLUMNS], const struct direction *const *d, size_t n);
/* The cells. A source QP that is a guess has a question mark, one that is not known is "-". */
void ends_cells(struct table *t, const struct direction *d);
/* The members of an object that the caller has begun: ,"address":...,"src":... */
void ends_json(struct out *o, const struct direction *d);

/* Notes a direction that has got a row in the statistic's table of all directions. From JUDGE_MANY on they fill it. */
static inline void ends_add(const struct direction **seen, size_t *n, const struct direction *d, void *table,
                            size_t bytes)
{
    seen[(*n)++] = d;
    if (*n == JUDGE_MANY)
        pages_large(table, bytes);
}

/* Sorts directions for printing: the two of a connection side by side, the one that began first in front; connections
 * by weight (the sum of both, the heaviest first), then in the order they began. `weight` NULL: all have weight 0. */
typedef uint64_t ends_weight(const void *ctx, uint32_t id);
void ends_sort(const struct direction **d, size_t n, ends_weight *weight, const void *ctx);
/* A request with this PSN was sent before the one that was seen first: this one is a retransmission, or late. */
static inline bool stat_is_before(iba_psn psn, iba_psn first)
{
    const int32_t before = iba_psn_diff(first, psn);

    return before > 0 && before <= IBA_OBSERVER_WINDOW;
}
#endif
