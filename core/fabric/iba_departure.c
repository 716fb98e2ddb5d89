/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that leave by a port: why a port refuses a packet, which VL a packet gets, and the datagrams that the node
 * itself sends. */
#include "fabric/iba_hop.h"

/* ---- what keeps a packet from leaving by h->out ---- */

static struct iba_node_port *port_out(const struct iba_hop *h)
{
    return &h->node->port[h->out];
}

static bool inactive(const struct iba_hop *h)
{
    const struct iba_portinfo *i = &port_out(h)->info;

    if (i->portphysicalstate != IBA_PHYS_LINKUP)
        return true;
    return !iba_hop_is_smp(h) && i->portstate != IBA_PORT_ACTIVE;
}

static bool smp(const struct iba_hop *h)
{
    return iba_hop_is_smp(h);
}

static bool longer_than_neighbor_mtu(const struct iba_hop *h)
{
    return h->view->payload_len > iba_mtu_bytes((enum iba_mtu)port_out(h)->info.neighbormtu);
}

static bool has_pkey(const struct iba_node_port *p, uint16_t key)
{
    for (unsigned i = 0; i < p->n_pkey; i++)
        if (iba_pkey_match(p->pkey[i], key))
            return true;
    return false;
}

static bool other_partition(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) && port_out(h)->info.partitionenforcementoutbound && iba_view_has_bth(h->view) &&
           !has_pkey(port_out(h), iba_bth_p_key(iba_view_bth(h->view)));
}

static bool raw_filtered(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) && port_out(h)->info.filterrawoutbound && h->view->proto == IBA_PROTO_IB_RAW;
}

static uint8_t vl_of(const struct iba_hop *h)
{
    const uint8_t in = iba_node_is_switch(h->node) ? h->in : 0;

    return iba_node_sl2vl(h->node, in, h->out)[iba_lrh_sl(h->lrh)];
}

static bool no_vl(const struct iba_hop *h)
{
    return vl_of(h) >= iba_vls_of(port_out(h)->info.operationalvls);
}

/* ---- what is done ---- */

static void discard(struct iba_hop *h)
{
    port_out(h)->counters.portxmitdiscards++;
}

static void discard_constraint(struct iba_hop *h)
{
    port_out(h)->counters.portxmitconstrainterrors++;
}

static void discard_partition(struct iba_hop *h)
{
    discard_constraint(h);
    iba_notice_switch_pkey(h->node, h, h->out);
}

/* Writes the VL of the port into the copy of a packet that leaves by this port, and computes its VCRC again (WF-14). */
static void put_on_vl(struct iba_hop *h, uint8_t vl)
{
    uint8_t copy[IBA_PACKET_MOST];
    const size_t len = h->view->end + IBA_VCRC_BYTES;

    if (len > sizeof copy)
        return;
    memcpy(copy, h->view->wire, len - IBA_VCRC_BYTES);
    iba_lrh_set_vl(copy, vl);
    iba_put_le16(copy + len - IBA_VCRC_BYTES, iba_vcrc(copy, len - IBA_VCRC_BYTES));
    if (!iba_port_put(
            h->node, port_out(h), vl, copy,
            &(struct iba_slot){.len = (uint16_t)len, .in = h->in, .hold = h->hold, .flow = h->flow, .since = h->now}))
        discard(h);
}

static void leave_on_vl15(struct iba_hop *h)
{
    put_on_vl(h, IBA_VL15);
}

static void leave(struct iba_hop *h)
{
    put_on_vl(h, vl_of(h));
}

/* clang-format off */
/*    name               when                       then                 the packet ...                                                      clause */
#define DEPARTURE_RULES(R)                                                                                                                            \
    R(inactive,          inactive,                  discard,             "leaves by a port that is down, or not Active and it is no SMP",    "KM-27") \
    R(smp,               smp,                       leave_on_vl15,       "is an SMP: VL 15, whatever its SL and P_Key",                      "WF-12") \
    R(longer_than_mtu,   longer_than_neighbor_mtu,  discard,             "is longer than the neighbour's MTU",                               "KM-29") \
    R(raw_filtered,      raw_filtered,              discard_constraint,  "is raw, and the port lets no raw packet out",                      "KM-16, UU-41") \
    R(other_partition,   other_partition,           discard_partition,   "is of a partition that the port does not let out",                 "KM-16") \
    R(no_vl,             no_vl,                     discard,             "has an SL without an operational VL",                              "KM-44") \
    R(leaves,            iba_hop_any,               leave,               "leaves on the VL of its SL",                                       "WF-14")
/* clang-format on */
IBA_HOP_TABLE(DEPARTURE_RULES, iba_departure_rules, IBA_FABRIC_DEPARTURE, "departure", "Packets that leave by a port")

void iba_hop_depart(struct iba_hop *h)
{
    iba_hop_apply(h, &iba_departure_rules);
}

/* ---- datagrams of the node ---- */

size_t iba_mgmt_build(uint8_t *out, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad)
{
    enum { LNH_LOCAL = 2, BTH_AT = 8, DETH_AT = 20, MAD_AT = 28 };
    const size_t icrc_at = MAD_AT + IBA_MAD_BYTES, vcrc_at = icrc_at + IBA_ICRC_BYTES;

    memset(out, 0, MAD_AT);
    iba_lrh_set_vl(out, vl);
    iba_lrh_set_sl(out, to->sl);
    iba_lrh_set_lnh(out, LNH_LOCAL);
    iba_lrh_set_dlid(out, to->dlid);
    iba_lrh_set_slid(out, to->slid);
    iba_lrh_set_pktlen(out, vcrc_at / 4);
    iba_bth_set_opcode(out + BTH_AT, IBA_UD_SEND_ONLY);
    iba_bth_set_p_key(out + BTH_AT, to->pkey);
    iba_bth_set_destqp(out + BTH_AT, to->dqp);
    iba_bth_set_psn(out + BTH_AT, to->psn);
    iba_deth_set_q_key(out + DETH_AT, to->dqp ? IBA_GSI_QKEY : 0);
    iba_deth_set_srcqp(out + DETH_AT, to->sqp);
    memcpy(out + MAD_AT, mad, IBA_MAD_BYTES);
    iba_put_le32(out + icrc_at, iba_icrc(IBA_ICRC_LOCAL, out, BTH_AT, icrc_at));
    iba_put_le16(out + vcrc_at, iba_vcrc(out, vcrc_at));
    return vcrc_at + IBA_VCRC_BYTES;
}

uint8_t iba_node_port_to(const struct iba_node *n, uint8_t in, uint16_t dlid)
{
    if (!iba_node_is_switch(n))
        return in;
    if (dlid > n->sw.linearfdbtop || dlid >= n->cfg.lft || n->lft[dlid] > n->cfg.n_port)
        return IBA_NO_PORT;
    return n->lft[dlid];
}

/* Sends a packet that the node built by port `out`; IBA_NO_PORT: passes it to software of the node. */
static void emit(struct iba_node *n, const uint8_t *packet, size_t len, uint8_t in, uint8_t out, iba_time now)
{
    struct iba_view v;
    struct iba_hop h = {.node = n, .view = &v, .now = now, .in = in, .out = out, .own = true};

    if (iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL) != IBA_OK)
        return;
    h.lrh = iba_view_hdr(&v, IBA_H_lrh);
    h.bth = iba_view_bth(&v);
    h.deth = iba_view_hdr(&v, IBA_H_deth);
    if (out == IBA_NO_PORT)
        iba_hop_to_software(&h);
    else
        iba_hop_depart(&h);
}

void iba_node_send_mad(struct iba_node *n, uint8_t port, const struct iba_mgmt_to *to, const uint8_t *mad, iba_time now)
{
    const bool own = iba_node_port_has_lid(iba_node_end_port(n, port), to->dlid);
    const uint8_t out = own ? IBA_NO_PORT : iba_node_port_to(n, port, to->dlid);
    uint8_t packet[IBA_MGMT_BYTES];

    if (!own && (out == IBA_NO_PORT || (iba_node_is_switch(n) && out == 0)))
        return;
    emit(n, packet, iba_mgmt_build(packet, to, to->dqp ? 0 : IBA_VL15, mad), port, out, now);
}

void iba_hop_answer_by_lid(struct iba_hop *h)
{
    const struct iba_mgmt_to to = {.dlid = iba_lrh_slid(h->lrh),
                                   .slid = iba_lrh_dlid(h->lrh),
                                   .dqp = iba_deth_srcqp(h->deth),
                                   .sqp = iba_bth_destqp(h->bth),
                                   .sl = iba_lrh_sl(h->lrh),
                                   .pkey = iba_bth_p_key(h->bth)};

    iba_node_send_mad(h->node, iba_node_is_switch(h->node) ? 0 : h->in, &to, h->mad, h->now);
}

void iba_hop_forward_mad(struct iba_hop *h, uint8_t out, uint16_t dlid, uint16_t slid)
{
    const struct iba_mgmt_to to = {.dlid = dlid ? dlid : iba_lrh_dlid(h->lrh),
                                   .slid = dlid ? slid : iba_lrh_slid(h->lrh),
                                   .dqp = iba_bth_destqp(h->bth),
                                   .sqp = iba_deth_srcqp(h->deth),
                                   .psn = iba_bth_psn(h->bth),
                                   .sl = iba_lrh_sl(h->lrh),
                                   .pkey = iba_bth_p_key(h->bth)};
    uint8_t packet[IBA_MGMT_BYTES];

    emit(h->node, packet, iba_mgmt_build(packet, &to, IBA_VL15, h->mad), h->in, out, h->now);
}

/* SMPs have a queue of their own, so that neither SMPs nor other packets fill the queue of the others. */
void iba_hop_to_software(struct iba_hop *h)
{
    struct iba_node *n = h->node;
    const uint8_t port = iba_node_is_switch(n) ? 0 : h->in;
    struct iba_fifo *q = &n->local[iba_hop_is_smp(h) ? IBA_VL15 : 0];
    const struct iba_slot s = {
        .len = (uint16_t)(h->view->end + IBA_VCRC_BYTES), .in = port, .hold = h->hold, .since = h->now};

    if (!iba_fifo_put(n, q, h->view->wire, &s))
        iba_node_end_port(n, port)->counters.vl15dropped += iba_hop_is_smp(h);
}
