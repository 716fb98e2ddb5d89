/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns for both ends of a direction, which all statistics of connections share, and the order of their rows. */
#ifndef DISSECT_STATS_ENDS_H
#define DISSECT_STATS_ENDS_H
#include "judge/judge.h"
#include "stats/table.h"
#include "system/pages.h"

enum { ENDS_COLUMNS = 5 };

/* Makes columns for source, source QP, destination, destination QP and service, wide enough for all directions. */
void ends_columns(struct out *o, struct column column[ENDS_COLUMNS], const struct direction *const *d, size_t n);
/* Prints the cells of a direction. A source QP that is a guess has a question mark; an unknown one is "-". */
void ends_cells(struct table *t, const struct direction *d);
/* Prints members of an object that the caller has begun: ,"address":...,"src":... */
void ends_json(struct out *o, const struct direction *d);

/* Notes a direction that has got a row in the statistic's table of all directions. From JUDGE_MANY directions on, the
 * table is mapped in large pages, since it is likely to fill. */
static inline void ends_add(const struct direction **seen, size_t *n, const struct direction *d, void *table,
                            size_t bytes)
{
    seen[(*n)++] = d;
    if (*n == JUDGE_MANY)
        pages_large(table, bytes);
}

/* Sorts directions for printing. The two directions of a connection stand together, the one that began first before the
 * other. Connections are sorted by weight (the sum of both directions, the heaviest first), then in the order in which
 * they began. `weight` NULL: all have weight 0. */
typedef uint64_t ends_weight(const void *ctx, uint32_t id);
void ends_sort(const struct direction **d, size_t n, ends_weight *weight, const void *ctx);
/* Whether a PSN is before the first one that was seen: then the request was sent earlier, and this packet is a
 * retransmission, or late. */
static inline bool stat_is_before(iba_psn psn, iba_psn first)
{
    const int32_t before = iba_psn_diff(first, psn);

    return before > 0 && before <= IBA_OBSERVER_WINDOW;
}
#endif
