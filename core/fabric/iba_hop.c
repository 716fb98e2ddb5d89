/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

unsigned iba_vls_of(uint8_t code)
{
    static const uint8_t vls[] = {0, 1, 2, 4, 8, 15};

    return code < sizeof vls ? vls[code] : 0;
}

void iba_hop_apply(struct iba_hop *h, const struct iba_fabric_table *t)
{
    const struct iba_hop_rule *rule = t->row;

    for (unsigned i = 0; i < t->n; i++)
        if (iba_node_has_row(h->node, t, i) && rule[i].when(h)) {
            h->node->hits[t->id][i]++;
            rule[i].then(h);
            return;
        }
}

bool iba_hop_any(const struct iba_hop *h)
{
    (void)h;
    return true;
}

void iba_hop_drop(struct iba_hop *h)
{
    (void)h;
}

/* Turns the request into its answer (MD-04, MD-05, MD-29), which the caller of the agent sends. */
void iba_hop_answer(struct iba_hop *h)
{
    enum { STATUS_AT = 4, DIRECTION = 0x80 };

    iba_madhdr_set_method(h->mad, IBA_METHOD_GET_RESP);
    if (!iba_node_keeps(h->node, IBA_NODE_TRANSACTION))
        iba_madhdr_set_transactionid(h->mad, iba_madhdr_transactionid(h->mad) + 1);
    h->mad[STATUS_AT] = (uint8_t)((iba_hop_is_directed(h) ? DIRECTION : 0) | h->status >> 8);
    h->mad[STATUS_AT + 1] = (uint8_t)h->status;
    h->answered = true;
}
