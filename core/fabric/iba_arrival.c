/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides about a packet that arrived at a port: whether it is undamaged and allowed, and where it goes. */
#include "fabric/iba_arrival.h"
#include "fabric/iba_credit.h"
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"

static struct iba_node_port *port_in(const struct iba_hop *h)
{
    return &h->node->port[h->in];
}

/* ---- link ---- */

static bool damaged(const struct iba_hop *h)
{
    return h->view->err != IBA_OK || h->view->truncated || h->view->vcrc != IBA_CHECK_GOOD;
}

static bool link_is_down(const struct iba_hop *h)
{
    return port_in(h)->info.portphysicalstate != IBA_PHYS_LINKUP;
}

static bool vl_of_other_kind(const struct iba_hop *h)
{
    return (iba_lrh_vl(h->lrh) == IBA_VL15) != iba_hop_is_smp(h);
}

static bool on_vl15(const struct iba_hop *h)
{
    return iba_lrh_vl(h->lrh) == IBA_VL15;
}

static bool vl_not_operational(const struct iba_hop *h)
{
    return !on_vl15(h) && iba_lrh_vl(h->lrh) >= iba_vls_of(port_in(h)->info.operationalvls);
}

static bool no_room(const struct iba_hop *h)
{
    return h->hold == IBA_NO_CREDITS;
}

static bool longer_than_mtu(const struct iba_hop *h)
{
    return h->view->payload_len > iba_mtu_bytes((enum iba_mtu)port_in(h)->info.mtucap);
}

static bool data_out_of_season(const struct iba_hop *h)
{
    return port_in(h)->info.portstate < IBA_PORT_ARMED &&
           (!on_vl15(h) || !iba_node_keeps(h->node, IBA_NODE_SMP_IN_INIT));
}

static bool data_activates(const struct iba_hop *h)
{
    return !on_vl15(h) && port_in(h)->info.portstate == IBA_PORT_ARMED;
}

/* ---- addresses ---- */

static bool dlid_reserved(const struct iba_hop *h)
{
    return iba_lid_classify(iba_lrh_dlid(h->lrh)) == IBA_LID_RESERVED;
}

static bool slid_multicast(const struct iba_hop *h)
{
    return iba_lid_classify(iba_lrh_slid(h->lrh)) == IBA_LID_MULTICAST;
}

static bool permissive(const struct iba_hop *h)
{
    return iba_lrh_dlid(h->lrh) == UINT16_MAX || iba_lrh_slid(h->lrh) == UINT16_MAX;
}

static bool permissive_misuse(const struct iba_hop *h)
{
    return permissive(h) && !(on_vl15(h) && iba_hop_is_directed(h));
}

static bool directed_here(const struct iba_hop *h)
{
    return on_vl15(h) && iba_lrh_dlid(h->lrh) == UINT16_MAX;
}

static bool multicast(const struct iba_hop *h)
{
    return iba_lid_classify(iba_lrh_dlid(h->lrh)) == IBA_LID_MULTICAST;
}

static bool smp_multicast(const struct iba_hop *h)
{
    return multicast(h) && on_vl15(h);
}

static bool for_this_node(const struct iba_hop *h)
{
    return iba_node_port_has_lid(iba_node_end_port(h->node, h->in), iba_lrh_dlid(h->lrh));
}

static bool at_an_adapter(const struct iba_hop *h)
{
    return !iba_node_is_switch(h->node);
}

static bool multicast_at_adapter(const struct iba_hop *h)
{
    return at_an_adapter(h) && multicast(h);
}

/* ---- a switch's inbound filters ---- */

static bool raw_filtered(const struct iba_hop *h)
{
    return iba_node_is_switch(h->node) && port_in(h)->info.filterrawinbound && h->view->proto == IBA_PROTO_IB_RAW;
}

static bool other_partition(const struct iba_hop *h)
{
    const struct iba_node_port *p = port_in(h);

    if (!iba_node_is_switch(h->node) || on_vl15(h) || !p->info.partitionenforcementinbound ||
        !iba_view_has_bth(h->view))
        return false;
    for (unsigned i = 0; i < p->n_pkey; i++)
        if (iba_pkey_match(p->pkey[i], iba_bth_p_key(iba_view_bth(h->view))))
            return false;
    return true;
}

static uint8_t port_to(const struct iba_hop *h)
{
    return iba_node_port_to(h->node, h->in, iba_lrh_dlid(h->lrh));
}

static bool no_route(const struct iba_hop *h)
{
    return port_to(h) == IBA_NO_PORT || port_to(h) == 0;
}

static bool turns_back(const struct iba_hop *h)
{
    return port_to(h) == h->in;
}

/* ---- actions ---- */

static void count_error(struct iba_hop *h)
{
    port_in(h)->counters.portrcverrors++;
}

static void count_constraint(struct iba_hop *h)
{
    port_in(h)->counters.portrcvconstrainterrors++;
}

static void count_partition(struct iba_hop *h)
{
    count_constraint(h);
    iba_notice_switch_pkey(h->node, h, h->in);
}

static void count_relay(struct iba_hop *h)
{
    port_in(h)->counters.portrcvswitchrelayerrors++;
}

static void activate(struct iba_hop *h)
{
    port_in(h)->info.portstate = IBA_PORT_ACTIVE;
    iba_hop_apply(h, &iba_arrival_rules);
}

static void to_directed(struct iba_hop *h)
{
    iba_hop_apply(h, &iba_directed_rules);
}

static void to_delivery(struct iba_hop *h)
{
    iba_hop_apply(h, &iba_delivery_rules);
}

static void relay(struct iba_hop *h)
{
    h->out = port_to(h);
    iba_hop_depart(h);
}

/* Returns whether the multicast table has the port for this MLID. */
static bool is_member(const struct iba_node *n, unsigned mlid, unsigned port)
{
    const unsigned positions = iba_node_mft_positions(n);

    return n->mft[mlid * positions + port / IBA_MFT_PORTS] >> port % IBA_MFT_PORTS & 1;
}

static bool has_members(const struct iba_node *n, unsigned mlid)
{
    for (unsigned port = 0; port <= n->cfg.n_port; port++)
        if (is_member(n, mlid, port))
            return true;
    return false;
}

/* Sends a copy by each port of the group except the port that the packet came by (KM-64); of a group without ports, by
 * the default port. */
static void replicate(struct iba_hop *h)
{
    struct iba_node *n = h->node;
    const unsigned mlid = iba_lrh_dlid(h->lrh) - 0xc000u;

    if (mlid >= n->cfg.mft || !has_members(n, mlid)) {
        h->out = n->sw.defaultmulticastprimaryport;
        if (h->out > 0 && h->out <= n->cfg.n_port && h->out != h->in)
            iba_hop_depart(h);
        return;
    }
    for (unsigned port = 1; port <= n->cfg.n_port; port++)
        if (port != h->in && is_member(n, mlid, port)) {
            h->out = (uint8_t)port;
            iba_hop_depart(h);
        }
    if (h->in != 0 && is_member(n, mlid, 0))
        to_delivery(h);
}

/* clang-format off */
/*    name                when                  then               the packet ...                                                        clause */
#define ARRIVAL_RULES(R)                                                                                                                          \
    R(damaged,            damaged,              count_error,       "has lengths that do not fit, or no good VCRC",                       "WF-80") \
    R(link_is_down,       link_is_down,         iba_hop_drop,      "came by a port whose link is down",                                  "KM-27") \
    R(vl_of_other_kind,   vl_of_other_kind,     iba_hop_drop,      "is on VL 15 and no SMP, or an SMP on another VL",                    "WF-12") \
    R(vl_not_operational, vl_not_operational,   iba_hop_drop,      "is on a VL that is not operational",                                 "KM-49") \
    R(no_room,            no_room,              count_error,       "has no room in the buffer of its lane: it came without credits",     "KM-48") \
    R(longer_than_mtu,    longer_than_mtu,      count_error,       "is longer than the port's MTU",                                      "WF-10") \
    R(data_out_of_season, data_out_of_season,   iba_hop_drop,      "is no SMP, and the port is Down or Init",                            "KM-27") \
    R(data_activates,     data_activates,       activate,          "is no SMP, and the port is Armed: it becomes Active",                "KM-27") \
    R(dlid_reserved,      dlid_reserved,        iba_hop_drop,      "goes to LID 0",                                                      "WF-16") \
    R(slid_multicast,     slid_multicast,       iba_hop_drop,      "comes from a multicast LID",                                         "WF-18") \
    R(permissive_misuse,  permissive_misuse,    iba_hop_drop,      "uses the permissive LID, and is no directed-route SMP",              "WF-17") \
    R(directed_here,      directed_here,        to_directed,       "is an SMP on a directed route",                                      "MD-24") \
    R(smp_multicast,      smp_multicast,        iba_hop_drop,      "is an SMP to a multicast LID",                                       "WF-13") \
    R(raw_filtered,       raw_filtered,         count_constraint,  "is raw, and the switch's port lets no raw packet in",                "KM-16, UU-41") \
    R(other_partition,    other_partition,      count_partition,   "is of a partition that the switch's port does not let in",           "KM-16") \
    R(for_this_node,      for_this_node,        to_delivery,       "goes to a LID of the node",                                          "KM-21") \
    R(multicast_adapter,  multicast_at_adapter, to_delivery,       "is multicast, and the node is an adapter",                           "KM-64") \
    R(lid_foreign,        at_an_adapter,        iba_hop_drop,      "goes to a LID that is not the adapter's",                            "WF-16") \
    R(multicast,          multicast,            replicate,         "is multicast: a copy to each port of the group but its own",         "KM-64") \
    R(no_route,           no_route,             count_relay,       "goes to a LID without a port in the forwarding table",               "KM-63") \
    R(turns_back,         turns_back,           count_relay,       "would leave by the port that it came by",                            "KM-63") \
    R(relayed,            iba_hop_any,          relay,             "is forwarded by the port of its LID",                                "KM-63")
/* clang-format on */
IBA_HOP_TABLE(ARRIVAL_RULES, iba_arrival_rules, IBA_FABRIC_ARRIVAL, "arrival", "Packets that come by a port")

/* ---- entry ---- */

/* Finds the headers of the packet that the rows check; `mad` has room for a datagram. */
static void look(struct iba_hop *h, uint8_t *mad)
{
    const struct iba_view *v = h->view;

    if (iba_view_has(v, IBA_H_lrh))
        h->lrh = iba_view_hdr(v, IBA_H_lrh);
    if (v->proto != IBA_PROTO_IB || !iba_view_has(v, IBA_H_deth) || iba_bth_opcode(iba_view_bth(v)) != IBA_UD_SEND_ONLY)
        return;
    h->bth = iba_view_bth(v);
    h->deth = iba_view_hdr(v, IBA_H_deth);
    if (iba_bth_destqp(h->bth) > 1 || v->payload_len != IBA_MAD_BYTES || iba_view_payload_captured(v) != IBA_MAD_BYTES)
        return;
    memcpy(mad, v->wire + v->payload_at, IBA_MAD_BYTES);
    h->mad = mad;
}

/* An undamaged packet on a data VL takes room in the receive buffer, whatever the rows decide about it. */
static void take_room(struct iba_hop *h)
{
    if (port_in(h)->credits && !damaged(h) && !on_vl15(h) && !vl_not_operational(h))
        h->hold = iba_credit_take(h->node, h->in, iba_lrh_vl(h->lrh), h->view->end + IBA_VCRC_BYTES);
}

void iba_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now)
{
    struct iba_hop h = {.node = n, .view = v, .in = port, .now = now};
    uint8_t mad[IBA_MAD_BYTES];

    look(&h, mad);
    take_room(&h);
    iba_hop_apply(&h, &iba_arrival_rules);
    iba_credit_give_back(n, h.hold);
}

/* Returns whether a packet of the node's own software begins a directed route here. A route that begins with a part by
 * LID does not (C14-9, C14-13). */
static bool begins_directed(const struct iba_hop *h)
{
    const uint8_t *route;

    if (!iba_hop_is_directed(h))
        return false;
    route = h->mad + IBA_BYTES_madhdr;
    return (iba_smpdirected_d(h->mad + 4) ? iba_smp_route_drdlid(route) : iba_smp_route_drslid(route)) == UINT16_MAX;
}

void iba_leave_software(struct iba_node *n, uint8_t port, const struct iba_view *v, uint8_t flow, iba_time now)
{
    struct iba_hop h = {.node = n, .view = v, .in = port, .now = now, .own = true, .flow = flow};
    uint8_t mad[IBA_MAD_BYTES];

    look(&h, mad);
    if (v->err != IBA_OK || v->truncated || !h.lrh)
        return;
    if (begins_directed(&h))
        to_directed(&h);
    else if (iba_node_port_has_lid(&n->port[port], iba_lrh_dlid(h.lrh)))
        to_delivery(&h);
    else if (iba_node_is_switch(n) && multicast(&h))
        replicate(&h);
    else if (!iba_node_is_switch(n) || !no_route(&h))
        relay(&h);
}
