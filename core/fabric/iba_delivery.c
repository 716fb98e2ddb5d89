/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides about a packet to a LID or group of the node: an agent answers it, or software of the node gets it. */
#include "fabric/iba_hop.h"
#include "fabric/iba_router.h"
#include "wire/iba_walk.h"

static bool bad_icrc(const struct iba_hop *h)
{
    return h->view->proto == IBA_PROTO_IB && !iba_view_icrc_is_good(h->view);
}

static bool smp_without_datagram(const struct iba_hop *h)
{
    return iba_hop_is_smp(h) && !h->mad;
}

static bool directed(const struct iba_hop *h)
{
    return iba_hop_is_smp(h) && iba_hop_is_directed(h);
}

static bool lid_routed(const struct iba_hop *h)
{
    return iba_hop_is_smp(h) && iba_madhdr_mgmtclass(h->mad) == IBA_CLASS_SMP;
}

static bool smp(const struct iba_hop *h)
{
    return iba_hop_is_smp(h);
}

static bool gmp(const struct iba_hop *h)
{
    return h->bth && iba_bth_destqp(h->bth) == 1;
}

static bool gmp_of_other_partition(const struct iba_hop *h)
{
    const struct iba_node_port *p = iba_node_end_port(h->node, h->in);

    if (!gmp(h))
        return false;
    for (unsigned i = 0; i < p->n_pkey; i++)
        if (iba_pkey_match(p->pkey[i], iba_bth_p_key(h->bth)))
            return false;
    return true;
}

static bool gmp_with_other_qkey(const struct iba_hop *h)
{
    return gmp(h) && iba_deth_q_key(h->deth) != IBA_GSI_QKEY;
}

static bool request_of(const struct iba_hop *h, unsigned class)
{
    return gmp(h) && h->mad && iba_madhdr_mgmtclass(h->mad) == class &&
           !(iba_madhdr_method(h->mad) & IBA_METHOD_RESPONSE);
}

static bool performance_request(const struct iba_hop *h)
{
    return request_of(h, IBA_CLASS_PERF);
}

static bool congestion_request(const struct iba_hop *h)
{
    return request_of(h, IBA_CLASS_CONGESTION);
}

static bool baseboard_request(const struct iba_hop *h)
{
    return request_of(h, IBA_CLASS_BASEBOARD);
}

static bool data_for_switch(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) && !gmp(h) && !iba_hop_is_smp(h);
}

/* Returns whether a router has to forward the packet. A packet whose DGID is one of its own port's is for the router
 * itself. */
static bool for_other_subnet(const struct iba_hop *h)
{
    return h->node->cfg.type == IBA_NODE_ROUTER && iba_view_has(h->view, IBA_H_grh) && iba_view_has_bth(h->view) &&
           !iba_router_owns(&h->node->port[h->in], iba_grh_dgid(iba_view_hdr(h->view, IBA_H_grh)));
}

/* ---- actions ---- */

static void to_router(struct iba_hop *h)
{
    iba_hop_apply(h, &iba_router_rules);
}

static uint8_t end_port(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) ? 0 : h->in;
}

static void count_pkey(struct iba_hop *h)
{
    enum { TRAP_BAD_PKEY = 257 };
    struct iba_node *n = h->node;

    iba_count16(&n->port[end_port(h)].info.p_keyviolations);
    h->in = end_port(h);
    iba_notice_key(n, h, TRAP_BAD_PKEY, iba_bth_p_key(h->bth));
}

static void count_qkey(struct iba_hop *h)
{
    enum { TRAP_BAD_QKEY = 258 };
    struct iba_node *n = h->node;

    iba_count16(&n->port[end_port(h)].info.q_keyviolations);
    h->in = end_port(h);
    iba_notice_key(n, h, TRAP_BAD_QKEY, iba_deth_q_key(h->deth));
}

static void to_directed(struct iba_hop *h)
{
    iba_hop_apply(h, &iba_directed_rules);
}

static void to_sma(struct iba_hop *h)
{
    iba_sma_request(h);
    if (h->answered)
        iba_hop_answer_by_lid(h);
}

static void to_pma(struct iba_hop *h)
{
    iba_pma_request(h);
    if (h->answered)
        iba_hop_answer_by_lid(h);
}

static void to_cca(struct iba_hop *h)
{
    iba_cca_request(h);
    if (h->answered)
        iba_hop_answer_by_lid(h);
}

static void to_bma(struct iba_hop *h)
{
    iba_bma_request(h);
    if (h->answered)
        iba_hop_answer_by_lid(h);
}

/* clang-format off */
/*    name                  when                    then                 the packet ...                                                         clause */
#define DELIVERY_RULES(R)                                                                                                                                 \
    R(for_other_subnet,     for_other_subnet,       to_router,           "is at a router, and its GRH leads to another node",                    "WF-20") \
    R(bad_icrc,             bad_icrc,               iba_hop_drop,        "has no good ICRC",                                                     "WF-78") \
    R(smp_without_datagram, smp_without_datagram,   iba_hop_drop,        "is for QP0 and no whole datagram of 256 bytes",                        "MD-01") \
    R(directed,             directed,               to_directed,         "is an SMP whose directed route begins or goes on here",                "MD-30") \
    R(lid_routed,           lid_routed,             to_sma,              "is an SMP by LID: the agent answers",                                  "MD-18") \
    R(smp_of_other_class,   smp,                    iba_hop_drop,        "is for QP0 and of no class of subnet management",                      "MD-03") \
    R(gmp_pkey,             gmp_of_other_partition, count_pkey,          "is for QP1 and matches no P_Key of the port",                          "PV-13, PV-16, PV-17") \
    R(gmp_qkey,             gmp_with_other_qkey,    count_qkey,          "is for QP1 and has another Q_Key than 0x80010000",                     "PV-18, PV-19, KM-20") \
    R(performance,          performance_request,    to_pma,              "asks for performance counters: the agent answers",                     "MD-102") \
    R(congestion,           congestion_request,     to_cca,              "asks about congestion control: the agent answers",                     "MD-115") \
    R(baseboard,            baseboard_request,      to_bma,              "asks about baseboard management: the agent answers",                   "KM-17") \
    R(data_for_switch,      data_for_switch,        iba_hop_drop,        "is for a QP of a switch, which has only QP0 and QP1",                  "PV-04") \
    R(software,             iba_hop_any,            iba_hop_to_software, "is for software of the node",                                          "MD-03")
/* clang-format on */
IBA_HOP_TABLE(DELIVERY_RULES, iba_delivery_rules, IBA_FABRIC_DELIVERY, "delivery", "Packets for a node")
