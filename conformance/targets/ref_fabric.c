/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet of the engine's nodes on virtual time. The tester has the other end of each port without a cable of the
 * subnet. For the training of such a link an adapter port stands at the tester's end, which neither sends nor
 * receives. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_link.h"
#include "reference.h"

/* routes of a port: to its subnet, to the host in it, and to groups */
enum { GROUPS = 3, ROUTES_OF_PORT = 2 + GROUPS };
enum { SLOTS = 192, NODE_ROOM = 256 * 1024, STUB_ROOM = 8 * 1024, FIRST_HOST = 10 };
enum { LIDS = 1024, MLIDS = 64, PKEYS = 64, SWITCH_PKEYS = 32, ARBITRATION = 64, ALL_WIDTHS = 3, ALL_SPEEDS = 7 };

struct ref_fabric {
    struct ibc_fabric is;
    bool open;
    struct iba_node node[IBC_NODES], stub[IBC_ENDS];
    struct iba_pool pool;
    struct iba_slot slot[SLOTS];
    uint8_t bytes[SLOTS][IBA_PACKET_MOST];
    uint8_t memory[IBC_NODES][NODE_ROOM], stub_memory[IBC_ENDS][STUB_ROOM];
};

/* ---- making it ---- */

static struct iba_node_config config_of(const struct ibc_node_spec *s, unsigned i)
{
    const bool is_switch = s->type == IBA_NODE_SWITCH;
    const uint64_t guid = UINT64_C(0x0002c90300000100) * (i + 1);

    return (struct iba_node_config){.type = s->type,
                                    .n_port = s->ports,
                                    .mtu = IBA_MTU_4096,
                                    .vls = s->vls,
                                    .widths = ALL_WIDTHS,
                                    .speeds = ALL_SPEEDS,
                                    .ext_speeds = ALL_WIDTHS,
                                    .vlarb_entries = ARBITRATION,
                                    .node_guid = guid,
                                    .system_guid = guid,
                                    .vendor = 0x1234,
                                    .device = 7,
                                    .pkeys = PKEYS,
                                    .switch_pkeys = is_switch ? SWITCH_PKEYS : 0,
                                    .routes =
                                        s->type == IBA_NODE_ROUTER ? (uint16_t)(ROUTES_OF_PORT * s->ports + 1) : 0,
                                    .lft = is_switch ? LIDS : 0,
                                    .mft = is_switch ? MLIDS : 0,
                                    .buffer = s->buffer,
                                    .refresh = s->refresh,
                                    .unmapped = s->unmapped,
                                    .description = "reference"};
}

static bool make(struct iba_node *n, const struct iba_node_config *c, uint8_t *memory, size_t room,
                 struct iba_pool *pool)
{
    if (iba_node_bytes(c) > room)
        return false;
    iba_node_init(n, c, memory, pool);
    return true;
}

/* Fills forwarding tables as a subnet manager would: routes to the switch itself, to the host at each port, and the
 * routes that the scenario names. */
static void route(struct ref_fabric *f, unsigned i)
{
    struct iba_node *n = &f->node[i];
    const struct ibc_node_spec *s = &f->is.node[i];
    uint16_t top = s->lid;

    n->lft[s->lid] = 0;
    for (unsigned p = 1; p <= s->ports; p++)
        n->lft[FIRST_HOST + p] = (uint8_t)p, top = top > FIRST_HOST + p ? top : (uint16_t)(FIRST_HOST + p);
    for (unsigned k = 0; k < f->is.n_route; k++) {
        const struct ibc_route *r = &f->is.route[k];
        if (r->node != i || r->lid >= LIDS)
            continue;
        n->lft[r->lid] = r->port;
        top = top > r->lid ? top : r->lid;
    }
    n->sw.linearfdbtop = top;
}

/* Sets up an end port as a subnet manager does. */
static void settle_end(struct iba_node *n, const struct ibc_node_spec *s, unsigned port)
{
    struct iba_portinfo *i = &n->port[port].info;

    i->lid = (uint16_t)(s->lid + (port > 0 ? (port - 1) << s->lmc : 0));
    i->lmc = s->lmc;
    i->mastersmlid = s->sm;
    if (s->mkey)
        i->m_key = s->mkey;
    i->m_keyprotectbits = s->protect & 3;
    i->m_keyleaseperiod = s->lease;
}

static void add_route(struct iba_node *n, const char gid[16], unsigned bits, unsigned port, unsigned dlid)
{
    struct iba_route r = {.bits = (uint8_t)bits, .port = (uint8_t)port, .dlid = (uint16_t)dlid};

    memcpy(r.gid, gid, sizeof r.gid);
    assert(n->n_route < n->cfg.routes);
    n->route[n->n_route++] = r;
}

/* Each port of a router is in a subnet of its own, FEC0:0:0:port::/64, where the tester is host ::1, and where
 * packets to further subnets go to LID 40. Each multicast group has members in each subnet. Groups that must not be
 * routed have them too, so that the test shows it if they are routed. */
static void join_subnets(struct iba_node *n)
{
    enum { NEXT = 40, MLID = 0xc001, PREFIX_BITS = 64, GID_BITS = 128, LINK_BITS = 10, PREFIX_LAST = 7, LAST = 15 };
    static const char link_local[16] = "\xfe\x80";
    static const char groups[GROUPS][16] = {"\xff\x02", "\xff\x05", "\xff\x0e"};

    for (unsigned p = 1; p <= n->cfg.n_port; p++) {
        char gid[16] = "\xfe\xc0";
        gid[PREFIX_LAST] = (char)p;
        n->port[p].info.guid = UINT64_C(0xfec0000000000000) | p;
        add_route(n, gid, PREFIX_BITS, p, NEXT);
        gid[LAST] = 1;
        add_route(n, gid, GID_BITS, p, FIRST_HOST + p);
        for (unsigned g = 0; g < GROUPS; g++) {
            memcpy(gid, groups[g], sizeof gid);
            gid[LAST] = 1;
            add_route(n, gid, GID_BITS, p, MLID);
        }
    }
    add_route(n, link_local, LINK_BITS, 2, FIRST_HOST + 2);
}

static void manage(struct ref_fabric *f, unsigned i)
{
    struct iba_node *n = &f->node[i];
    const struct ibc_node_spec *s = &f->is.node[i];

    if (s->type == IBA_NODE_SWITCH) {
        settle_end(n, s, 0);
        route(f, i);
        n->sw.portstatechange = 0;
    }
    for (unsigned p = 1; p <= s->ports; p++) {
        if (s->type != IBA_NODE_SWITCH)
            settle_end(n, s, p);
        if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
            n->port[p].info.portstate = s->state;
    }
    if (s->type == IBA_NODE_ROUTER)
        join_subnets(n);
    memset(n->notice, 0, sizeof n->notice);
    n->notice_tid = 0;
}

/* Returns the node and port at the other side of an end's cable. */
static struct iba_node *other_side(struct ref_fabric *f, unsigned end, uint8_t *port)
{
    const struct ibc_end *e = &f->is.end[end];

    *port = e->to ? f->is.end[e->to - 1].port : 1;
    return e->to ? &f->node[f->is.end[e->to - 1].node] : &f->stub[end];
}

/* Tells both ends of each cable the state of the other end. */
static void settle_links(struct ref_fabric *f, iba_time now)
{
    for (unsigned i = 0; i < f->is.n_end; i++) {
        const struct ibc_end *e = &f->is.end[i];
        uint8_t port;
        struct iba_node *n = &f->node[e->node], *other = other_side(f, i, &port);
        if (e->port > 0 && other->cfg.n_port > 0)
            iba_link_settle(n, e->port, other, port, now);
    }
}

static bool make_all(struct ref_fabric *f, const struct iba_node_break *broken)
{
    bool good = true;

    iba_pool_init(&f->pool, f->slot, f->bytes[0], SLOTS);
    memset(f->stub, 0, sizeof f->stub);
    for (unsigned i = 0; i < f->is.n_node; i++) {
        struct iba_node_config c = config_of(&f->is.node[i], i);
        c.broken = *broken;
        good = good && make(&f->node[i], &c, f->memory[i], NODE_ROOM, &f->pool);
    }
    for (unsigned i = 0; good && i < f->is.n_end; i++) {
        const struct ibc_end *e = &f->is.end[i];
        const struct ibc_node_spec s = {
            .type = IBA_NODE_CA, .ports = 1, .vls = f->is.node[e->node].vls, .buffer = f->is.node[e->node].buffer};
        const struct iba_node_config c = config_of(&s, IBC_NODES + i);
        if (e->port > 0 && e->to == 0)
            good = make(&f->stub[i], &c, f->stub_memory[i], STUB_ROOM, &f->pool);
    }
    return good;
}

enum ibc_rc ref_fabric_open(struct ibc_target *t, const struct ibc_fabric *is)
{
    static const struct iba_node_break none;
    struct reference *r = reference_of(t);
    struct ref_fabric *f = r->fabric = r->fabric ? r->fabric : malloc(sizeof *r->fabric);

    if (!f)
        return ref_fault(t, IBC_BROKEN, "out of memory");
    f->is = *is;
    f->open = make_all(f, r->change.breaks ? &r->change.row : &none);
    if (!f->open)
        return ref_fault(t, IBC_BROKEN, "a node is too large for this target");
    settle_links(f, r->now);
    for (unsigned i = 0; i < is->n_node; i++)
        manage(f, i);
    return IBC_OK;
}

bool ref_fabric_is_open(const struct reference *r)
{
    return r->fabric && r->fabric->open;
}

void ref_fabric_close(struct reference *r)
{
    if (r->fabric)
        r->fabric->open = false;
}

enum ibc_rc ref_fabric_plug(struct ibc_target *t, unsigned end, bool in)
{
    struct reference *r = reference_of(t);
    struct ref_fabric *f = r->fabric;
    struct iba_node *stub = end < f->is.n_end ? &f->stub[end] : NULL;

    if (!stub || stub->cfg.n_port == 0)
        return IBC_UNSUPPORTED;
    stub->port[1].info.portphysicalstate = in ? IBA_PHYS_POLLING : IBA_PHYS_DISABLED;
    stub->port[1].info.portstate = IBA_PORT_DOWN;
    settle_links(f, r->now);
    return IBC_OK;
}

/* ---- packets and time ---- */

enum ibc_rc ref_fabric_inject(struct reference *r, unsigned end, const uint8_t *frame, size_t len)
{
    struct ref_fabric *f = r->fabric;
    const struct ibc_end *e = &f->is.end[end];
    struct iba_node *n = &f->node[e->node];

    if (end >= f->is.n_end || e->to)
        return ref_fault(&r->t, IBC_BROKEN, "the tester has no end %u", end);
    if (len > IBA_PACKET_MOST)
        return ref_fault(&r->t, IBC_BROKEN, "a packet of %zu bytes, more than %d", len, (int)IBA_PACKET_MOST);
    if (e->port > 0)
        iba_node_feed(n, e->port, frame, len, r->now);
    else if (f->is.node[e->node].ipd > 0)
        (void)iba_node_send_at_rate(n, 1, frame, len, f->is.node[e->node].ipd, r->now);
    else
        iba_node_send(n, n->cfg.type == IBA_NODE_SWITCH ? 0 : 1, frame, len, r->now);
    settle_links(f, r->now);
    return IBC_OK;
}

/* Takes a packet that leaves by an end. Where the subnet has a cable, the packet is delivered to the other side.
 * True: a packet moved. */
static bool poll_end(struct reference *r, unsigned end, uint8_t *frame, size_t *len)
{
    struct ref_fabric *f = r->fabric;
    const struct ibc_end *e = &f->is.end[end];
    struct iba_node *n = &f->node[e->node];
    uint8_t port;
    size_t got;

    *len = 0;
    if (e->port == 0) {
        *len = iba_node_receive(n, &port, frame, IBC_FRAME);
        return *len > 0;
    }
    got = iba_node_poll(n, e->port, frame, IBC_FRAME, r->now);
    if (got == 0)
        return false;
    if (!e->to) {
        *len = got;
        return true;
    }
    struct iba_node *other = other_side(f, end, &port);
    iba_node_feed(other, port, frame, got, r->now);
    settle_links(f, r->now);
    return true;
}

static iba_time next_of(const struct ref_fabric *f)
{
    iba_time next = IBA_NEVER;

    for (unsigned i = 0; i < f->is.n_node; i++) {
        const iba_time t = iba_node_deadline(&f->node[i]);
        next = t < next ? t : next;
    }
    return next;
}

static enum ibc_rc let_time_pass(struct reference *r, iba_time until, bool *more)
{
    struct ref_fabric *f = r->fabric;
    const iba_time next = next_of(f);

    *more = next <= until && next != IBA_NEVER;
    r->now = *more ? (next > r->now ? next : r->now) : until > r->now ? until : r->now;
    if (*more && ++r->rounds > REF_MOST_ROUNDS)
        return ref_fault(&r->t, IBC_DEAD, "the timers of the subnet do not stop");
    for (unsigned i = 0; i < f->is.n_node; i++)
        iba_node_advance(&f->node[i], r->now);
    return IBC_OK;
}

enum ibc_rc ref_fabric_collect(struct reference *r, iba_time until, uint8_t *frame, size_t *len, unsigned *from)
{
    struct ref_fabric *f = r->fabric;
    enum ibc_rc rc = IBC_OK;
    bool more = true;

    *len = 0;
    while (rc == IBC_OK && more) {
        bool moved = false;
        for (*from = 0; *from < f->is.n_end; ++*from) {
            moved |= poll_end(r, *from, frame, len);
            if (*len == 0)
                continue;
            return ++r->frames > REF_MOST_FRAMES ? ref_fault(&r->t, IBC_DEAD, "the subnet does not stop sending")
                                                 : IBC_OK;
        }
        if (!moved)
            rc = let_time_pass(r, until, &more);
        else if (++r->rounds > REF_MOST_ROUNDS)
            rc = ref_fault(&r->t, IBC_DEAD, "a packet does not stop going round");
    }
    return rc;
}
