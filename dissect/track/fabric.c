/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet from its datagrams: who is connected to whom, as answers on directed routes say, and what each data lane had
 * left of its credits.
 *
 * An answer has the ports by which its request left and entered each node. The node at the end of a route names itself;
 * the node before it is the end of the route without its last hop. Such an answer also tells which port sent it on each
 * link, and so which port an interface of the capture belongs to. */
#include "track/fabric.h"
#include "mad/iba_mad.h"
#include "track/addr.h"
#include "track/smp.h"

enum { VL15 = 15, BLOCK_BYTES = 64, MODULO = 4096 };
enum { NODE_DESCRIPTION = 0x10, NODE_INFO = 0x11 };

/* ---- tables ---- */

static struct fabric_node *node_of(struct fabric *f, uint64_t guid)
{
    const struct stat_items t = {f->node, sizeof *f->node, FABRIC_NODES, &f->n_node, f->node_slot};
    const size_t i = stat_item_or_new(&t, &guid, sizeof guid);

    f->no_room += i == 0;
    return i ? &f->node[i - 1] : NULL;
}

static struct fabric_port *port_of(struct fabric *f, uint16_t node, uint8_t number, uint64_t frame)
{
    const struct stat_items t = {f->port, sizeof *f->port, FABRIC_PORTS, &f->n_port, f->port_slot};
    const struct fabric_port like = {.key = {node, number, 0}};
    const size_t i = stat_item_or_new(&t, &like.key, sizeof like.key);

    f->no_room += i == 0;
    if (i && f->port[i - 1].first_frame == 0)
        f->port[i - 1].first_frame = frame;
    return i ? &f->port[i - 1] : NULL;
}

/* The node at the end of the first `hops` hops of the datagram's route. */
static struct fabric_route *route_of(struct fabric *f, const uint8_t *mad, unsigned hops, bool add)
{
    const struct stat_items t = {f->route, sizeof *f->route, FABRIC_ROUTES, &f->n_route, f->route_slot};
    struct fabric_route like = {.key = {.hops = (uint8_t)hops}};
    size_t i;

    memcpy(like.key.out, mad + SMP_OUT_AT + 1, hops);
    memcpy(like.key.in, mad + SMP_IN_AT + 1, hops);
    i = add ? stat_item_or_new(&t, &like.key, sizeof like.key)
            : stat_item(t.slot, 2 * t.room, t.first, t.bytes, &like.key, sizeof like.key);
    f->no_room += add && i == 0;
    return i ? &f->route[i - 1] : NULL;
}

const struct fabric_port *fabric_find_port(const struct fabric *f, uint16_t node, uint8_t number)
{
    const struct fabric_port like = {.key = {node, number, 0}};
    const size_t i = stat_item(f->port_slot, 2 * FABRIC_PORTS, f->port, sizeof *f->port, &like.key, sizeof like.key);

    return i ? &f->port[i - 1] : NULL;
}

static struct fabric_sender *sender_of(struct fabric *f, const struct packet *p)
{
    const struct stat_items t = {f->sender, sizeof *f->sender, FABRIC_SENDERS, &f->n_sender, f->sender_slot};
    const struct fabric_sender like = {.key = {p->source, p->cap->iface}};
    const size_t i = stat_item_or_new(&t, &like.key, sizeof like.key);

    f->no_room += i == 0;
    return i ? &f->sender[i - 1] : NULL;
}

static uint16_t number_of(const struct fabric *f, const struct fabric_port *p)
{
    return (uint16_t)(p - f->port + 1);
}

/* ---- cables ---- */

static void unplug(struct fabric *f, struct fabric_port *p)
{
    if (!p->peer)
        return;
    f->port[p->peer - 1].peer = 0;
    p->peer = 0;
    f->moved++;
}

static void connect(struct fabric *f, struct fabric_port *a, struct fabric_port *b)
{
    if (!a || !b || a == b || a->peer == number_of(f, b))
        return;
    unplug(f, a);
    unplug(f, b);
    a->peer = number_of(f, b);
    b->peer = number_of(f, a);
}

/* ---- interfaces ---- */

const struct fabric_sender *fabric_sender(const struct fabric *f, const struct packet *p)
{
    const struct fabric_sender like = {.key = {p->source, p->cap->iface}};
    const size_t i =
        stat_item(f->sender_slot, 2 * FABRIC_SENDERS, f->sender, sizeof *f->sender, &like.key, sizeof like.key);

    return i ? &f->sender[i - 1] : NULL;
}

const struct fabric_port *fabric_near(const struct fabric *f, const struct fabric_sender *s)
{
    return s->port && !s->mixed ? &f->port[s->port - 1] : NULL;
}

const struct fabric_port *fabric_far(const struct fabric *f, const struct fabric_sender *s)
{
    const struct fabric_port *near = fabric_near(f, s);
    const uint16_t far = near ? near->peer : s->mixed ? 0 : s->far;

    return far ? &f->port[far - 1] : NULL;
}

/* ---- answers on directed routes ---- */

static void learn_node(struct fabric *f, const uint8_t *mad, unsigned hops, uint64_t frame)
{
    const uint8_t *info = mad + SMP_DATA_AT;
    struct fabric_node *n = node_of(f, iba_nodeinfo_nodeguid(info));
    struct fabric_route *r = n ? route_of(f, mad, hops, true) : NULL, *before;

    if (!r)
        return;
    if (n->first_frame == 0)
        n->first_frame = frame;
    n->type = (uint8_t)iba_nodeinfo_nodetype(info);
    n->ports = (uint8_t)iba_nodeinfo_numports(info);
    f->moved += r->node != 0 && r->node != n - f->node + 1;
    r->node = (uint16_t)(n - f->node + 1);
    if (hops == 1) {
        struct fabric_port *first = port_of(f, (uint16_t)(r->node - 1), mad[SMP_IN_AT + 1], frame);
        if (first)
            first->asker = mad[SMP_OUT_AT + 1];
        return;
    }
    before = route_of(f, mad, hops - 1, false);
    if (!before || !before->node)
        return;
    struct fabric_port *out = port_of(f, (uint16_t)(before->node - 1), mad[SMP_OUT_AT + hops], frame);
    connect(f, out, port_of(f, (uint16_t)(r->node - 1), mad[SMP_IN_AT + hops], frame));
}

static void learn_description(struct fabric_node *n, const uint8_t *mad)
{
    const void *end = memchr(mad + SMP_DATA_AT, 0, FABRIC_TEXT);

    memcpy(n->description, mad + SMP_DATA_AT, FABRIC_TEXT);
    n->described = (uint8_t)(end ? (const uint8_t *)end - (mad + SMP_DATA_AT) : FABRIC_TEXT);
}

/* Learns a port. In an answer of an adapter, port 0 means the port that was asked. */
static void learn_port(struct fabric *f, struct fabric_node *n, const uint8_t *mad, uint64_t frame)
{
    const uint8_t *info = mad + SMP_DATA_AT;
    const unsigned asked = iba_madhdr_attributemodifier(mad) & 0xff;
    const bool is_switch = n->type == FABRIC_SWITCH;
    struct fabric_port *p = port_of(f, (uint16_t)(n - f->node),
                                    (uint8_t)(asked || is_switch ? asked : iba_portinfo_localportnum(info)), frame);

    if (!p)
        return;
    p->state = (uint8_t)iba_portinfo_portstate(info);
    if (!is_switch || asked == 0)
        n->lid = (uint16_t)iba_portinfo_lid(info);
}

static void learn(struct fabric *f, const uint8_t *mad, unsigned hops, uint64_t frame)
{
    const unsigned attribute = iba_madhdr_attributeid(mad);
    const struct fabric_route *r;

    if (attribute != NODE_INFO && attribute != NODE_DESCRIPTION && attribute != FABRIC_PORT_INFO)
        return;
    f->answers++;
    if (attribute == NODE_INFO && iba_nodeinfo_localportnum(mad + SMP_DATA_AT) == mad[SMP_IN_AT + hops])
        learn_node(f, mad, hops, frame);
    r = route_of(f, mad, hops, false);
    if (!r || !r->node)
        return;
    if (attribute == NODE_DESCRIPTION)
        learn_description(&f->node[r->node - 1], mad);
    if (attribute == FABRIC_PORT_INFO)
        learn_port(f, &f->node[r->node - 1], mad, frame);
}

/* Learns the port of the node that asks, which no route names: the port is at the other end of the cable by which the
 * answer comes. */
static void begin_first_hop(struct fabric *f, const struct packet *p, uint64_t transaction)
{
    struct fabric_sender *s = sender_of(f, p);

    if (!s)
        return;
    f->first_hop[transaction % FABRIC_FIRST_HOPS].transaction = transaction;
    f->first_hop[transaction % FABRIC_FIRST_HOPS].sender = (uint16_t)(s - f->sender + 1);
}

static void end_first_hop(struct fabric *f, uint64_t transaction, uint16_t port)
{
    const uint16_t sender = f->first_hop[transaction % FABRIC_FIRST_HOPS].sender;

    if (!sender || f->first_hop[transaction % FABRIC_FIRST_HOPS].transaction != transaction)
        return;
    struct fabric_sender *s = &f->sender[sender - 1];
    s->mixed = s->mixed || (s->far != 0 && s->far != port);
    s->far = port;
}

/* Learns which port sent the datagram on this link. An answer was sent by the node that its hop pointer names, by the
 * port that the request came by. A request was sent by the node before, by the next port of its route. */
static void locate(struct fabric *f, const struct packet *p, const uint8_t *mad)
{
    const unsigned pointer = mad[SMP_POINTER_AT];
    const bool back = smp_goes_back(mad);
    const struct fabric_route *r = back || pointer > 1 ? route_of(f, mad, pointer - !back, false) : NULL;
    struct fabric_sender *s = r && r->node ? sender_of(f, p) : NULL;
    struct fabric_port *port =
        s ? port_of(f, (uint16_t)(r->node - 1), mad[(back ? SMP_IN_AT : SMP_OUT_AT) + pointer], p->number) : NULL;

    if (!port)
        return;
    if (back && pointer == 1)
        end_first_hop(f, iba_madhdr_transactionid(mad), number_of(f, port));
    if (s->port == number_of(f, port))
        return;
    s->mixed = s->mixed || s->port != 0;
    s->port = number_of(f, port);
    port->sends = (uint16_t)(s - f->sender + 1);
}

/* Whether the route is directed from end to end: a route that begins or ends with a part by LID does not begin at the
 * sender. */
static bool is_directed(const uint8_t *mad)
{
    return iba_madhdr_mgmtclass(mad) == IBA_CLASS_DIRECTED && iba_smp_route_drslid(mad + SMP_LIDS_AT) == UINT16_MAX &&
           iba_smp_route_drdlid(mad + SMP_LIDS_AT) == UINT16_MAX;
}

static void at_agent(struct fabric *f, const struct packet *p, const uint8_t *mad)
{
    const struct fabric_sender *s = fabric_sender(f, p);
    const bool back = smp_goes_back(mad);
    const struct fabric_port *agent = s ? back ? fabric_near(f, s) : fabric_far(f, s) : NULL;

    if (agent)
        fabric_table_take(f, agent, p, mad);
}

static void take_datagram(struct fabric *f, const struct packet *p)
{
    struct iba_mad m;
    const uint8_t *mad;

    if (!iba_mad_of(&m, &p->view) || m.captured < IBA_MAD_BYTES)
        return;
    mad = m.wire;
    if (iba_madhdr_mgmtclass(mad) == IBA_CLASS_SMP && iba_madhdr_method(mad) == IBA_METHOD_SET)
        f->changed = p->number;
    if (!is_directed(mad) || mad[SMP_HOPS_AT] == 0 || mad[SMP_HOPS_AT] > FABRIC_HOPS || mad[SMP_POINTER_AT] == 0 ||
        mad[SMP_POINTER_AT] > mad[SMP_HOPS_AT])
        return;
    if (iba_madhdr_method(mad) == IBA_METHOD_GET_RESP && smp_goes_back(mad) && smp_is_good(mad))
        learn(f, mad, mad[SMP_HOPS_AT], p->number);
    if (mad[SMP_POINTER_AT] == 1 && !smp_goes_back(mad))
        begin_first_hop(f, p, iba_madhdr_transactionid(mad));
    locate(f, p, mad);
    if (mad[SMP_POINTER_AT] == mad[SMP_HOPS_AT])
        at_agent(f, p, mad);
}

/* ---- credits ---- */

const struct fabric_sender *fabric_neighbour(const struct fabric *f, const struct fabric_sender *s)
{
    const uint16_t peer = s->port && !s->mixed ? f->port[s->port - 1].peer : 0;
    const uint16_t sends = peer ? f->port[peer - 1].sends : 0;

    return sends && !f->sender[sends - 1].mixed ? &f->sender[sends - 1] : NULL;
}

bool fabric_credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left)
{
    const struct fabric_sender *other = fabric_neighbour(f, s);

    if (!other || s->lane[vl].updates == 0 || other->lane[vl].updates == 0)
        return false;
    *left = (unsigned)(other->lane[vl].limit - s->lane[vl].sent) % MODULO;
    return true;
}

static void count_credits(const struct fabric *f, struct fabric_sender *s, unsigned vl)
{
    struct fabric_lane *l = &s->lane[vl];
    unsigned left;

    if (!fabric_credits(f, s, vl, &left))
        return;
    if (left > FABRIC_CREDITS_MOST) {
        l->beyond++;
        return;
    }
    l->least = !l->spent || left < l->least ? (uint16_t)left : l->least;
    l->spent = true;
}

static void take_flow(struct fabric *f, const struct packet *p)
{
    const uint8_t *fc = iba_view_hdr(&p->view, IBA_H_fc);
    struct fabric_sender *s = sender_of(f, p);
    struct fabric_lane *l;
    uint16_t sent;

    if (!s || !fabric_is_flow(p)) {
        f->bad_flow++;
        return;
    }
    l = &s->lane[iba_fc_vl(fc)];
    sent = (uint16_t)iba_fc_fctbs(fc);
    if (l->updates > 0 && iba_fc_op(fc) == 0)
        l->unseen += (unsigned)(sent - l->sent) % MODULO;
    l->updates++;
    l->sent = sent;
    l->limit = (uint16_t)iba_fc_fccl(fc);
}

unsigned fabric_blocks(const struct packet *p)
{
    return (p->view.end + IBA_VCRC_BYTES + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

static void take_data(struct fabric *f, const struct packet *p)
{
    const unsigned vl = iba_lrh_vl(iba_view_hdr(&p->view, IBA_H_lrh)), blocks = fabric_blocks(p);
    struct fabric_sender *s = vl < VL15 ? sender_of(f, p) : NULL;
    struct fabric_lane *l;

    if (!s)
        return;
    l = &s->lane[vl];
    l->packets++;
    l->blocks += blocks;
    l->sent = (uint16_t)((l->sent + blocks) % MODULO);
    count_credits(f, s, vl);
}

void fabric_packet(struct fabric *f, const struct packet *p)
{
    if (iba_view_has(&p->view, IBA_H_fc))
        take_flow(f, p);
    else if (iba_view_has(&p->view, IBA_H_lrh) && p->view.err == IBA_OK)
        take_data(f, p);
    take_datagram(f, p);
}
