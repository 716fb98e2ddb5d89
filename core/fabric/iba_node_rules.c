/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_node_rules.h"
#include "fabric/iba_hop.h"

#define NODE_ROW(id_, name_, sentence_, clause_) {#name_, sentence_, clause_},
static const struct iba_fabric_row rows[] = {IBA_NODE_RULES(NODE_ROW)};
IBA_FABRIC_TABLE(iba_node_rules, IBA_FABRIC_NODE, "node", "Power-up, and datagrams of the agents", rows)

bool iba_node_would_keep(const struct iba_node *n, enum iba_node_rule rule)
{
    return iba_node_has_row(n, &iba_node_rules, rule);
}

bool iba_node_keeps(struct iba_node *n, enum iba_node_rule rule)
{
    if (!iba_node_would_keep(n, rule))
        return false;
    n->hits[IBA_FABRIC_NODE][rule]++;
    return true;
}
