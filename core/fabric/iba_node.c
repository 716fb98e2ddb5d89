/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include "fabric/iba_arrival.h"
#include "fabric/iba_credit.h"
#include "fabric/iba_flow.h"
#include "fabric/iba_hop.h"
#include "fabric/iba_pace.h"
#include "fabric/iba_node_rules.h"
#include "fabric/iba_rate.h"
#include "wire/iba_walk.h"

/* ---- memory ---- */

/* Divides the caller's memory into parts, one after the other. Without memory it only counts the bytes. */
struct parts {
    uint8_t *base;
    size_t used;
};

static void *part(struct parts *m, size_t bytes)
{
    enum { ALIGNMENT = 16 };
    uint8_t *p = m->base ? m->base + m->used : NULL;

    m->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (p)
        memset(p, 0, bytes);
    return p;
}

static uint16_t pkeys_of(const struct iba_node_config *c, unsigned port)
{
    return c->type == IBA_NODE_SWITCH && port > 0 ? c->switch_pkeys : c->pkeys;
}

static size_t divide(struct iba_node *n, const struct iba_node_config *c, void *memory)
{
    const size_t ports = c->n_port + 1u;
    struct parts m = {.base = memory};
    struct iba_node_port *port = part(&m, ports * sizeof *port);
    uint8_t *sl2vl = part(&m, ports * ports * IBA_VLS);
    uint8_t *lft = part(&m, c->lft);
    uint16_t *mft = part(&m, (size_t)c->mft * (c->n_port / IBA_MFT_PORTS + 1u) * sizeof *mft);
    struct iba_route *route = part(&m, c->routes * sizeof *route);
    struct iba_congestion *congestion = part(&m, (c->type == IBA_NODE_SWITCH ? 1 : ports) * sizeof *congestion);

    for (unsigned i = 0; i < ports; i++) {
        uint16_t *pkey = part(&m, pkeys_of(c, i) * sizeof *pkey);
        if (memory)
            port[i].pkey = pkey;
    }
    if (memory) {
        n->port = port;
        n->sl2vl = sl2vl;
        n->lft = lft;
        n->mft = mft;
        n->route = route;
        n->congestion = congestion;
    }
    return m.used;
}

size_t iba_node_bytes(const struct iba_node_config *cfg)
{
    return divide(NULL, cfg, NULL);
}

/* ---- power-up ---- */

static void init_capabilities(const struct iba_node_config *c, struct iba_portinfo *i)
{
    i->cap_notice = i->cap_trap = i->cap_migration = i->cap_sysguid = 1;
    i->cap_sl_map = !c->unmapped;
    i->cap_ext_speeds = i->cap_mask_notice = i->cap_dr_notice = i->cap_client_rereg = 1;
}

static void init_info(struct iba_node *n, struct iba_node_port *p)
{
    enum { DEFAULT_TIMEOUT = 18, DEFAULT_RESPONSE = 16, QDR = 4, WIDTH_4X = 2, NO_LIFETIME = 31 };
    const struct iba_node_config *c = &n->cfg;
    const bool end = c->type != IBA_NODE_SWITCH || p->number == 0, zero = c->type == IBA_NODE_SWITCH && end;
    struct iba_portinfo *i = &p->info;

    if (end && !iba_node_keeps(n, IBA_NODE_NO_KEY))
        i->m_key = 1;
    if (end)
        init_capabilities(c, i);
    i->guid = UINT64_C(0xfe80000000000000);
    i->linkwidthenabled = i->linkwidthsupported = c->widths;
    i->linkspeedenabled = i->linkspeedsupported = c->speeds;
    i->linkspeedextenabled = i->linkspeedextsupported = c->ext_speeds;
    i->linkdowndefaultstate = IBA_PHYS_POLLING;
    i->mtucap = i->neighbormtu = c->mtu;
    i->vlcap = i->operationalvls = c->vls;
    i->vlarbitrationlowcap = i->vlarbitrationhighcap = c->vlarb_entries;
    i->hoqlife = NO_LIFETIME;
    i->guidcap = end ? IBA_GUID_BLOCK : 0;
    i->subnettimeout = DEFAULT_TIMEOUT;
    i->resptimevalue = DEFAULT_RESPONSE;
    /* Port 0 of a switch has no link: it is always Active. */
    i->portstate = zero ? IBA_PORT_ACTIVE : IBA_PORT_DOWN;
    i->portphysicalstate = zero ? IBA_PHYS_LINKUP : IBA_PHYS_POLLING;
    i->linkwidthactive = WIDTH_4X;
    i->linkspeedactive = QDR;
}

static void init_fifo(struct iba_fifo *q)
{
    q->first = q->last = IBA_NO_SLOT;
    q->n = 0;
}

/* All VLs take turns until a subnet manager sets the arbitration tables. */
static void init_arbitration(struct iba_node_port *p)
{
    enum { DEFAULT_WEIGHT = 64 };

    for (unsigned vl = 0; vl < IBA_VL15; vl++) {
        iba_vlarbitration_set_vl(&p->vlarb[0][2 * vl], vl);
        iba_vlarbitration_set_weight(&p->vlarb[0][2 * vl], DEFAULT_WEIGHT);
    }
}

static void init_pkeys(struct iba_node *n, struct iba_node_port *p)
{
    enum { ANOTHER = 0x8001 };

    if (p->n_pkey)
        p->pkey[0] = UINT16_MAX;
    if (p->n_pkey > 1 && !iba_node_keeps(n, IBA_NODE_PARTITION))
        p->pkey[1] = ANOTHER;
}

static void init_port(struct iba_node *n, uint8_t number)
{
    struct iba_node_port *p = &n->port[number];

    p->number = number;
    p->n_pkey = pkeys_of(&n->cfg, number);
    init_pkeys(n, p);
    if (n->cfg.type != IBA_NODE_SWITCH || number == 0)
        n->congestion[number].guard.lease_ends = IBA_NEVER;
    p->guid[0] = n->cfg.node_guid + (n->cfg.type == IBA_NODE_SWITCH ? 0 : number);
    p->mkey_lease_ends = p->announce_all = p->wait_since = p->baseboard.lease_ends = IBA_NEVER;
    for (unsigned vl = 0; vl < IBA_VLS; vl++)
        init_fifo(&p->queue[vl]);
    for (unsigned i = 0; i < IBA_PACED_FLOWS; i++)
        init_fifo(&p->paced[i].queue);
    init_arbitration(p);
    init_info(n, p);
}

static void init_switch(struct iba_node *n)
{
    enum { NO_LIFETIME = 18 };
    const struct iba_node_config *c = &n->cfg;

    n->sw = (struct iba_switchinfo){.linearfdbcap = c->lft,
                                    .multicastfdbcap = c->mft,
                                    .defaultport = IBA_NO_PORT,
                                    .defaultmulticastprimaryport = IBA_NO_PORT,
                                    .defaultmulticastnotprimaryport = IBA_NO_PORT,
                                    .lifetimevalue = NO_LIFETIME,
                                    .partitionenforcementcap = c->switch_pkeys,
                                    .inboundenforcementcap = c->switch_pkeys > 0,
                                    .outboundenforcementcap = c->switch_pkeys > 0,
                                    .filterrawinboundcap = 1,
                                    .filterrawoutboundcap = 1};
    memset(n->lft, IBA_NO_PORT, c->lft);
}

void iba_node_init(struct iba_node *n, const struct iba_node_config *cfg, void *memory, struct iba_pool *pool)
{
    assert(cfg->n_port > 0 && cfg->n_port < IBA_NO_PORT);
    assert(cfg->buffer == 0 || cfg->buffer >= IBA_BUFFER_LEAST);
    memset(n, 0, sizeof *n);
    n->cfg = *cfg;
    n->pool = pool;
    divide(n, cfg, memory);
    init_fifo(&n->local[0]);
    init_fifo(&n->local[IBA_VL15]);
    for (unsigned i = cfg->type == IBA_NODE_SWITCH ? 0 : 1; i <= cfg->n_port; i++)
        init_port(n, (uint8_t)i);
    for (size_t i = 0; i < (cfg->n_port + 1u) * (cfg->n_port + 1u) * (size_t)IBA_VLS; i++)
        n->sl2vl[i] = (uint8_t)(cfg->vls ? i % IBA_VLS % iba_vls_of(cfg->vls) : 0);
    if (cfg->type == IBA_NODE_SWITCH)
        init_switch(n);
}

void iba_node_set_issm(struct iba_node *n, uint8_t port, bool issm, iba_time now)
{
    if (n->port[port].info.cap_sm == issm)
        return;
    n->port[port].info.cap_sm = issm;
    iba_notice_local(n, port, now);
}

/* ---- packets and time ---- */

enum { WORD = 4 };

static bool is_multicast(const uint8_t *packet)
{
    return iba_lid_classify(iba_lrh_dlid(packet)) == IBA_LID_MULTICAST;
}

/* Counts a received packet. The data counters count 4-byte words between the delimiters, without VCRC (MD-104, MD-106).
 */
static void count_in(struct iba_node_port *p, const uint8_t *packet, size_t len)
{
    p->counters.portrcvpkts++;
    p->counters.portrcvdata += len / WORD;
    if (is_multicast(packet))
        p->counters.portmulticastrcvpkts++;
    else
        p->counters.portunicastrcvpkts++;
}

static void count_out(struct iba_node_port *p, const uint8_t *packet, size_t len)
{
    p->counters.portxmitpkts++;
    p->counters.portxmitdata += len / WORD;
    if (is_multicast(packet))
        p->counters.portmulticastxmitpkts++;
    else
        p->counters.portunicastxmitpkts++;
}

void iba_node_feed(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now)
{
    struct iba_view v;

    assert(port > 0 && port <= n->cfg.n_port);
    iba_view_parse(&v, IBA_LINK_IB, bytes, len, len, NULL);
    iba_view_check_vcrc(&v); /* only the node where the packet ends checks the ICRC (WF-78) */
    if (iba_view_has(&v, IBA_H_lrh))
        count_in(&n->port[port], bytes, len);
    if (iba_view_has(&v, IBA_H_fc))
        iba_flow_arrive(n, port, &v, now);
    else
        iba_arrive(n, port, &v, now);
}

static void send(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, uint8_t flow, iba_time now)
{
    struct iba_view v;

    iba_view_parse(&v, IBA_LINK_IB, bytes, len, len, NULL);
    iba_leave_software(n, port, &v, flow, now);
}

void iba_node_send(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now)
{
    assert(port <= n->cfg.n_port && (port > 0) == (n->cfg.type != IBA_NODE_SWITCH));
    send(n, port, bytes, len, 0, now);
}

bool iba_node_send_at_rate(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, uint8_t ipd,
                           iba_time now)
{
    assert(port > 0 && port <= n->cfg.n_port && n->cfg.type != IBA_NODE_SWITCH);
    if (n->port[port].info.portphysicalstate == IBA_PHYS_LINKUP)
        return iba_pace_put(n, &n->port[port], bytes, len, ipd, now);
    send(n, port, bytes, len, 0, now); /* the packet will be dropped, so it does not wait for its turn */
    return true;
}

/* Moves packets with a static rate whose turn has come to the queues of their VLs. */
static void release_paced(struct iba_node *n, struct iba_node_port *p, iba_time now)
{
    uint8_t packet[IBA_PACKET_MOST], flow;
    size_t len;

    while (p->paced_waiting > 0 && (flow = iba_pace_take(n, p, packet, sizeof packet, &len, now)) > 0)
        send(n, p->number, packet, len, flow, now);
}

/* Returns the length of the next packet that the port sends. Flow-control packets go before all others (KM-47). */
static size_t next_packet(struct iba_node *n, struct iba_node_port *p, uint8_t *buf, size_t cap, uint8_t *flow,
                          iba_time now)
{
    size_t len = iba_flow_poll(n, p, buf);
    int vl;

    if (len || (vl = iba_arbitrate(n, p)) < 0)
        return len;
    *flow = n->pool->slot[p->queue[vl].first].flow;
    len = iba_port_take(n, p, (unsigned)vl, buf, cap, now);
    count_out(p, buf, len);
    return len;
}

static void take_the_wire(struct iba_node *n, struct iba_node_port *p, size_t len, uint8_t flow, iba_time now)
{
    enum { PS_OF_NS = 1000 };
    const uint32_t start_ps = p->busy_until == now ? p->busy_ps : 0;
    const uint64_t wire_ps = (uint64_t)len * iba_rate_ps_per_byte(p), ps = start_ps + wire_ps;

    if (flow)
        iba_pace_started(n, p, flow, now, start_ps, wire_ps);
    p->busy_until = now + ps / PS_OF_NS;
    p->busy_ps = (uint32_t)(ps % PS_OF_NS);
}

size_t iba_node_poll(struct iba_node *n, uint8_t port, uint8_t *buf, size_t cap, iba_time now)
{
    struct iba_node_port *p = &n->port[port];
    uint8_t flow = 0;
    size_t len;

    if (p->busy_until > now || p->info.portphysicalstate != IBA_PHYS_LINKUP)
        return 0;
    iba_port_expire(n, p, now);
    release_paced(n, p, now);
    len = next_packet(n, p, buf, cap, &flow, now);
    if (len)
        take_the_wire(n, p, len, flow, now);
    iba_credit_wait(p, p->waiting > 0 && !iba_port_ready(n, p), now);
    return len;
}

size_t iba_node_receive(struct iba_node *n, uint8_t *port, uint8_t *buf, size_t cap)
{
    const size_t len = iba_fifo_take(n, &n->local[IBA_VL15], buf, cap, port);

    return len ? len : iba_fifo_take(n, &n->local[0], buf, cap, port);
}

void iba_node_advance(struct iba_node *n, iba_time now)
{
    for (unsigned i = 1; i <= n->cfg.n_port; i++) {
        iba_port_expire(n, &n->port[i], now);
        iba_flow_advance(n, &n->port[i], now);
    }
    iba_notice_advance(n, now);
}

static iba_time earlier(iba_time a, iba_time b)
{
    return a < b ? a : b;
}

iba_time iba_node_deadline(const struct iba_node *n)
{
    iba_time first = iba_notice_deadline(n);

    for (unsigned i = 1; i <= n->cfg.n_port; i++) {
        const struct iba_node_port *p = &n->port[i];
        first = earlier(first, iba_flow_deadline(n, p));
        if (iba_pace_deadline(p) != IBA_NEVER)
            first = earlier(first, iba_pace_deadline(p) > p->busy_until ? iba_pace_deadline(p) : p->busy_until);
        if (p->waiting == 0)
            continue;
        if (iba_port_ready(n, p))
            first = earlier(first, p->busy_until);
        first = earlier(first, iba_port_expires(n, p));
    }
    return first;
}
