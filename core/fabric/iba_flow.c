/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/iba_flow.h"
#include "fabric/iba_credit.h"
#include "fabric/iba_hop.h"
#include "fabric/iba_rate.h"

/* ---- flow-control packets that come ---- */

enum { OP_NORMAL, OP_INIT };

static const uint8_t *fc_of(const struct iba_hop *h)
{
    return iba_view_hdr(h->view, IBA_H_fc);
}

static struct iba_node_port *port_in(const struct iba_hop *h)
{
    return &h->node->port[h->in];
}

static bool damaged(const struct iba_hop *h)
{
    return h->view->vcrc != IBA_CHECK_GOOD;
}

static bool link_is_down(const struct iba_hop *h)
{
    return port_in(h)->info.portphysicalstate != IBA_PHYS_LINKUP;
}

static bool no_operand(const struct iba_hop *h)
{
    return iba_fc_op(fc_of(h)) > OP_INIT;
}

static bool no_credits(const struct iba_hop *h)
{
    return !port_in(h)->credits;
}

static bool no_lane(const struct iba_hop *h)
{
    return iba_fc_vl(fc_of(h)) >= iba_vls_of(port_in(h)->info.vlcap);
}

static void count_error(struct iba_hop *h)
{
    port_in(h)->counters.portrcverrors++;
}

static void take(struct iba_hop *h)
{
    const uint8_t *fc = fc_of(h);

    iba_credit_heard(h->node, port_in(h), (unsigned)iba_fc_vl(fc), (uint16_t)iba_fc_fctbs(fc),
                     (uint16_t)iba_fc_fccl(fc), h->now);
}

/* clang-format off */
/*    name           when           then           the flow-control packet ...                                              clause */
#define FLOW_RULES(R)                                                                                                              \
    R(damaged,       damaged,       count_error,   "has no good LPCRC",                                                     "KM-48") \
    R(link_is_down,  link_is_down,  iba_hop_drop,  "came by a port whose link is down",                                     "KM-27") \
    R(no_operand,    no_operand,    count_error,   "has an operand that is neither normal (0) nor initialize (1)",          "KM-48") \
    R(no_credits,    no_credits,    iba_hop_drop,  "came by a link of which an end has no credits",                         "KM-48") \
    R(no_lane,       no_lane,       iba_hop_drop,  "is about a lane that the port does not have",                           "KM-49") \
    R(taken,         iba_hop_any,   take,          "gives the credit limit of its lane, and the blocks that were sent",     "KM-48")
/* clang-format on */
IBA_HOP_TABLE(FLOW_RULES, iba_flow_rules, IBA_FABRIC_FLOW, "flow", "Flow-control packets that come by a port")

void iba_flow_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now)
{
    struct iba_hop h = {.node = n, .view = v, .in = port, .now = now};

    iba_hop_apply(&h, &iba_flow_rules);
}

/* ---- those that leave ---- */

/* Returns the operational VLs, as bits: their credit limits are to be sent. */
static unsigned lanes_due(const struct iba_node_port *p)
{
    return p->announce & ((1u << iba_vls_of(p->info.operationalvls)) - 1);
}

size_t iba_flow_poll(struct iba_node *n, struct iba_node_port *p, uint8_t *buf)
{
    const unsigned due = lanes_due(p);
    unsigned vl = p->announced_last;

    if (!due)
        return 0;
    do
        vl = (vl + 1) % IBA_VL15;
    while (!(due >> vl & 1));
    p->announced_last = (uint8_t)vl;
    p->announce = (uint16_t)(p->announce & ~(1u << vl));
    p->lane[vl].announced = iba_credit_limit(n, p, vl);
    memset(buf, 0, IBA_BYTES_fc);
    iba_fc_set_op(buf, p->info.portstate == IBA_PORT_INIT ? OP_INIT : OP_NORMAL);
    iba_fc_set_fctbs(buf, p->lane[vl].sent);
    iba_fc_set_vl(buf, vl);
    iba_fc_set_fccl(buf, p->lane[vl].announced);
    iba_put_le16(buf + IBA_BYTES_fc - sizeof(uint16_t), iba_lpcrc(buf));
    return IBA_BYTES_fc;
}

/* ---- intervals ---- */

enum { INTERVAL_MOST = 65536, WATCHDOG = 400000 }; /* in symbol times */

static iba_time symbols_ns(const struct iba_node_port *p, uint32_t symbols)
{
    return (iba_time)symbols * iba_rate_ps_per_symbol(p) / 1000;
}

/* Returns the time between two flow-control packets of a VL. It leaves time for the longest packet, and a flow-control
 * packet of each other VL, to be sent before. */
static iba_time interval_ns(const struct iba_node_port *p)
{
    enum { BEFORE = IBA_PACKET_MOST + IBA_VLS * IBA_BYTES_fc };
    return symbols_ns(p, INTERVAL_MOST - BEFORE);
}

static iba_time watchdog(const struct iba_node_port *p)
{
    iba_time first = IBA_NEVER;

    for (unsigned vl = 0; vl < iba_vls_of(p->info.operationalvls); vl++)
        first = p->lane[vl].heard < first ? p->lane[vl].heard : first;
    return first == IBA_NEVER ? IBA_NEVER : first + symbols_ns(p, WATCHDOG);
}

/* The watchdog has run out for a VL. Its time begins again, so a silent VL causes one trap per period. */
static void bark(struct iba_node *n, struct iba_node_port *p, iba_time now)
{
    enum { TRAP_WATCHDOG = 131 };
    const uint8_t end_port = iba_node_is_switch(n) ? 0 : p->number;
    uint8_t details[IBA_BYTES_notice_data] = {0};

    for (unsigned vl = 0; vl < iba_vls_of(p->info.operationalvls); vl++)
        if (p->lane[vl].heard + symbols_ns(p, WATCHDOG) <= now)
            p->lane[vl].heard = now;
    if (!iba_credit_decides(n, IBA_CREDIT_WATCHES))
        return;
    iba_trap_port_set_lidaddr(details, n->port[end_port].info.lid);
    iba_trap_port_set_portno(details, p->number);
    (void)iba_node_notice(n, end_port, TRAP_WATCHDOG, details, now);
}

void iba_flow_advance(struct iba_node *n, struct iba_node_port *p, iba_time now)
{
    enum { ALL_LANES = 0x7fff };

    if (!p->credits || !n->cfg.refresh)
        return;
    if (p->announce_all <= now) {
        p->announce_all = now + interval_ns(p);
        if (iba_credit_decides(n, IBA_CREDIT_REFRESHES))
            p->announce = ALL_LANES;
    }
    if (watchdog(p) <= now)
        bark(n, p, now);
}

iba_time iba_flow_deadline(const struct iba_node *n, const struct iba_node_port *p)
{
    iba_time first = lanes_due(p) ? p->busy_until : IBA_NEVER, barks;

    if (!p->credits || !n->cfg.refresh)
        return first;
    first = p->announce_all < first ? p->announce_all : first;
    barks = watchdog(p);
    return barks < first ? barks : first;
}
