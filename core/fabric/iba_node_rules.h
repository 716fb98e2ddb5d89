/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of a node that do not decide about a single packet. Not for users of libiba. */
#ifndef IBA_NODE_RULES_H
#define IBA_NODE_RULES_H
#include "fabric/iba_node.h"

/* clang-format off */
/* R(id, name, sentence, clause): the sentence continues "a node ...". */
#define IBA_NODE_RULES(R)                                                                                                                \
    R(NO_KEY,       no_key,       "starts without M_Key and lease",                                                         "KM-09")        \
    R(PARTITION,    partition,    "starts with P_Key 0xFFFF in entry 0 of each table, and with no other",                   "KM-13")        \
    R(TWICE,        twice,        "lets a P_Key table have a partition twice, as full and as limited member",               "KM-15")        \
    R(LEASE_STOPS,  lease_stops,  "ends the lease period of the M_Key when a request has the M_Key",                        "KM-07")        \
    R(ANSWER_KEY,   answer_key,   "gives answers to the manager's software whatever M_Key they have",                       "KM-10")        \
    R(CAPABILITIES, capabilities, "shows in the capability mask of a port which optional attributes and notices it has",    "KM-34")        \
    R(SMP_IN_INIT,  smp_in_init,  "takes SMPs by a port that is in Init",                                                   "MD-36")        \
    R(PERMISSIVE,   permissive,   "sends SMPs in the directed part of a route from the permissive LID to the permissive LID", "MD-30")      \
    R(TRANSACTION,  transaction,  "answers with the transaction ID of the request",                                         "MD-06")        \
    R(REFUSES,      refuses,      "refuses performance requests of another version or method, and about unknown attributes", "MD-107")      \
    R(PRODUCER,     producer,     "names in a notice which kind of node it is",                                             "MD-113")       \
    R(TRAP_KEY,     trap_key,     "sends traps with M_Key 0",                                                               "KM-58")        \
    R(TRAP_ACTIVE,  trap_active,  "sends traps only from a port that is Active",                                            "KM-59")        \
    R(UNMAPPED,     unmapped,     "refuses requests for an SL-to-VL table that its ports do not have",                      "KM-45")
/* clang-format on */
enum iba_node_rule {
#define IBA_NODE_RULE_ID(id, name, sentence, clause) IBA_NODE_##id,
    IBA_NODE_RULES(IBA_NODE_RULE_ID)
};

/* Returns whether the node has the rule, and counts that the rule decides. */
bool iba_node_keeps(struct iba_node *n, enum iba_node_rule rule);
/* iba_node_keeps() without counting, for code that changes nothing. */
bool iba_node_would_keep(const struct iba_node *n, enum iba_node_rule rule);
#endif
