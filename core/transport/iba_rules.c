/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies a rule table to a packet: the first row that applies decides. */
#include "transport/deviations.h"

const struct iba_rule *iba_rules_first(const struct iba_rules *table, const struct iba_rx *x)
{
    if (table->first)
        return table->first(x);
    for (const struct iba_rule *r = table->row; r < table->row + table->n; r++)
        if (r->when(x))
            return r;
    return NULL;
}

void iba_rules_apply(struct iba_rx *x, enum iba_rule_table t)
{
    const struct iba_rules *table = x->ca->table[t];
    struct iba_rule room;
    const struct iba_rule *r = x->ca->deviate ? x->ca->deviate->rule(x, t, &room) : iba_rules_first(table, x);

    if (!r)
        return;
    x->ca->hits[t][r->hit]++;
    if (x->ca->trace)
        x->ca->trace(x->ca->ctx, table->name, r, x->qp ? x->qp->qpn : IBA_NONE);
    r->then(x);
}
