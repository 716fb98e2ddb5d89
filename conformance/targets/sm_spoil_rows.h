/* SPDX-License-Identifier: BSD-2-Clause */
/* The kinds of spoiled subnet managers, for sm_spoil.c and for the page of docs/tables. */
#ifndef IBC_SM_SPOIL_ROWS_H
#define IBC_SM_SPOIL_ROWS_H

/* clang-format off */
/*    name             class method    attribute when     change         a manager ... */
#define SM_SPOILS(S)                                                                                                   \
    S(one-lid,         SMP, SET,       PORTINFO, ALWAYS,  one_lid,       "gives each port the LID 1")                  \
    S(no-lmc,          SMP, SET,       PORTINFO, ALWAYS,  no_lmc,        "gives each port one LID only")               \
    S(no-portinfo,     SMP, SET,       PORTINFO, ALWAYS,  NULL,          "sets no PortInfo")                           \
    S(never-armed,     SMP, SET,       PORTINFO, ALWAYS,  never_armed,   "sets no port to Armed")                      \
    S(never-active,    SMP, SET,       PORTINFO, ALWAYS,  never_active,  "sets no port to Active")                     \
    S(never-again,     SMP, SET,       PORTINFO, LATER,   never_active,  "sets no port to Active after the first trap") \
    S(other-master,    SMP, SET,       PORTINFO, ALWAYS,  other_master,  "gives ports the LID of nobody as the manager's") \
    S(small-mtu,       SMP, SET,       PORTINFO, ALWAYS,  small_mtu,     "sets an MTU of 256 bytes at ports of switches") \
    S(one-lane,        SMP, SET,       PORTINFO, ALWAYS,  one_lane,      "lets ports operate one lane only")           \
    S(no-mkey,         SMP, SET,       PORTINFO, ALWAYS,  no_mkey,       "sets no M_Key")                              \
    S(no-lease,        SMP, SET,       PORTINFO, ALWAYS,  no_lease,      "sets no lease period of the M_Key")          \
    S(no-protection,   SMP, SET,       PORTINFO, ALWAYS,  no_protection, "leaves the protection level at 0")           \
    S(half-routes,     SMP, SET,       LFT,      ALWAYS,  half_routes,   "gives a switch the routes to LIDs 1 and 2 only") \
    S(turned-routes,   SMP, SET,       LFT,      ALWAYS,  turned_routes, "routes all LIDs by port 1 of each switch")   \
    S(no-routes,       SMP, SET,       LFT,      ALWAYS,  NULL,          "sets no forwarding table")                   \
    S(frozen-routes,   SMP, SET,       LFT,      LATER,   NULL,          "sets no forwarding table after the first trap") \
    S(no-pkeys,        SMP, SET,       PKEYS,    ALWAYS,  NULL,          "sets no P_Key table")                        \
    S(all-full,        SMP, SET,       PKEYS,    ALWAYS,  all_full,      "makes each member of a partition a full one") \
    S(no-multicast,    SMP, SET,       MFT,      ALWAYS,  NULL,          "sets no multicast table")                    \
    S(keeps-members,   SMP, SET,       MFT,      ALWAYS,  keeps_members, "removes no port from a multicast table")     \
    S(never-represses, SMP, REPRESS,   NOTICE,   ALWAYS,  NULL,          "represses no trap")                          \
    S(no-state,        SMP, GET_RESP,  SMINFO,   ALWAYS,  no_state,      "reports that it is not active")              \
    S(no-priority,     SMP, GET_RESP,  SMINFO,   ALWAYS,  no_priority,   "reports priority 0")                         \
    S(no-handover,     SMP, SET,       SMINFO,   ALWAYS,  NULL,          "hands nothing over to another manager")      \
    S(other-path,      SA,  GET_RESP,  PATH,     ALWAYS,  other_path,    "gives paths the LID of nobody")              \
    S(all-well,        SA,  GET_RESP,  ANY,      ALWAYS,  all_well,      "answers each request with status 0")         \
    S(all-deleted,     SA,  DEL_RESP,  MCMEMBER, ALWAYS,  all_well,      "refuses no Delete")                          \
    S(own-signature,   SA,  GET_RESP,  MCMEMBER, ALWAYS,  own_signature, "creates GIDs of groups with another signature") \
    S(unicast-group,   SA,  GET_RESP,  MCMEMBER, ALWAYS,  unicast_group, "gives groups a unicast LID")                 \
    S(any-key,         SA,  GET,       ANY,      ARRIVES, any_key,       "does not look at the SM_Key of requests")    \
    S(shows-key,       SA,  GET_RESP,  ANY,      ALWAYS,  shows_key,     "puts an SM_Key into answers")
/* clang-format on */
#endif
