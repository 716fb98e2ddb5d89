/* SPDX-License-Identifier: BSD-2-Clause */
#include "subnet.h"
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_link.h"

enum { NO_PACKET = -1 };

struct event { /* an event: a packet arrives at a port, or a node wakes up */
    iba_time at;
    uint64_t serial; /* events of the same time happen in the order in which they were created */
    uint32_t node;
    uint8_t port;
    int32_t packet;
};
struct flying {
    uint16_t len;
    int32_t next_free;
    uint8_t bytes[IBA_PACKET_MOST];
};
struct subnet {
    struct subnet_events events;
    struct subnet_watch watch; /* if its members are NULL, nobody watches */
    struct subnet_node *node;
    size_t n;
    struct iba_pool pool;
    struct iba_slot *slot;
    uint8_t *bytes;
    iba_time now;
    struct event *heap;
    size_t n_event, room_event;
    uint64_t serial;
    struct flying *flying;
    size_t n_flying, room_flying;
    int32_t free_flying;
};

/* ---- events: a heap ---- */

static bool before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->serial < b->serial;
}

static void swap(struct event *a, struct event *b)
{
    const struct event t = *a;

    *a = *b;
    *b = t;
}

static void push(struct subnet *s, struct event e)
{
    size_t i = s->n_event;

    if (i == s->room_event) {
        const size_t room = s->room_event ? s->room_event * 2 : 64;
        struct event *more = realloc(s->heap, room * sizeof *more);
        if (!more)
            abort();
        s->heap = more;
        s->room_event = room;
    }
    e.serial = s->serial++;
    s->heap[i] = e;
    s->n_event++;
    for (; i > 0 && before(&s->heap[i], &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&s->heap[i], &s->heap[(i - 1) / 2]);
}

static struct event pop(struct subnet *s)
{
    const struct event first = s->heap[0];
    size_t i = 0;

    s->heap[0] = s->heap[--s->n_event];
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < s->n_event && before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (child >= s->n_event || !before(&s->heap[child], &s->heap[i]))
            return first;
        swap(&s->heap[i], &s->heap[child]);
        i = child;
    }
}

/* ---- packets on wires ---- */

static int32_t take_flying(struct subnet *s)
{
    int32_t i = s->free_flying;

    if (i == NO_PACKET) {
        const size_t room = s->room_flying ? s->room_flying * 2 : 16;
        struct flying *more = realloc(s->flying, room * sizeof *more);
        if (!more)
            abort();
        s->flying = more;
        for (size_t k = s->room_flying; k < room; k++)
            s->flying[k].next_free = k + 1 < room ? (int32_t)k + 1 : NO_PACKET;
        i = (int32_t)s->room_flying;
        s->room_flying = room;
    }
    s->free_flying = s->flying[i].next_free;
    s->n_flying++;
    return i;
}

static void give_flying(struct subnet *s, int32_t i)
{
    s->flying[i].next_free = s->free_flying;
    s->free_flying = i;
    s->n_flying--;
}

/* ---- a node's work ---- */

/* Returns whether a wire that loses one in `lose` packets loses the next one. Which packets are lost is random: if each
 * fifth one were, a segment that is repeated in each fifth packet would never arrive. */
static bool loses(struct subnet_end *e)
{
    return e->lose > 0 && iba_random_below(&e->chance, e->lose) == 0;
}

static void settle_links(struct subnet *s, size_t node)
{
    struct subnet_node *a = &s->node[node];

    for (unsigned p = 1; p <= a->n.cfg.n_port; p++) {
        const struct subnet_end *e = &a->end[p];
        if (!a->n.port[p].link_work)
            continue;
        a->n.port[p].link_work = false;
        if (e->node < 0 || e->pulled)
            continue;
        iba_link_settle(&a->n, (uint8_t)p, &s->node[e->node].n, e->port, s->now);
        subnet_touch(s, (size_t)e->node);
    }
}

static void send_what_waits(struct subnet *s, size_t node, uint8_t port)
{
    struct subnet_node *a = &s->node[node];
    struct subnet_end *e = &a->end[port];

    while (iba_node_port_has_work(&a->n.port[port])) {
        uint8_t packet[IBA_PACKET_MOST];
        const size_t len = iba_node_poll(&a->n, port, packet, sizeof packet, s->now);
        int32_t i;
        if (len == 0)
            return;
        if (s->events.sent)
            s->events.sent(s->events.ctx, node, port, packet, len, s->now);
        if (s->watch.sent && !s->watch.sent(s->watch.ctx, node, port, packet, len))
            continue;
        if (e->node < 0 || e->pulled || loses(e))
            continue;
        i = take_flying(s);
        s->flying[i].len = (uint16_t)len;
        memcpy(s->flying[i].bytes, packet, len);
        push(s,
             (struct event){.at = a->n.port[port].busy_until, .node = (uint32_t)e->node, .port = e->port, .packet = i});
    }
}

static void receive(struct subnet *s, size_t node)
{
    uint8_t packet[IBA_PACKET_MOST], port;
    size_t len;

    while ((len = iba_node_receive(&s->node[node].n, &port, packet, sizeof packet)) > 0)
        if ((!s->watch.received || s->watch.received(s->watch.ctx, node, port, packet, len)) && s->events.received)
            s->events.received(s->events.ctx, node, port, packet, len, s->now);
}

static void schedule(struct subnet *s, size_t node)
{
    struct subnet_node *a = &s->node[node];
    const iba_time at = iba_node_deadline(&a->n);

    if (at >= a->wake)
        return;
    a->wake = at > s->now ? at : s->now;
    push(s, (struct event){.at = a->wake, .node = (uint32_t)node, .packet = NO_PACKET});
}

static void work(struct subnet *s, size_t node)
{
    struct subnet_node *a = &s->node[node];

    settle_links(s, node);
    for (unsigned p = 1; p <= a->n.cfg.n_port; p++)
        send_what_waits(s, node, (uint8_t)p);
    receive(s, node);
    schedule(s, node);
}

void subnet_touch(struct subnet *s, size_t node)
{
    struct subnet_node *a = &s->node[node];

    if (a->wake <= s->now)
        return;
    a->wake = s->now;
    push(s, (struct event){.at = s->now, .node = (uint32_t)node, .packet = NO_PACKET});
}

static void happen(struct subnet *s, const struct event *e)
{
    struct subnet_node *a = &s->node[e->node];

    if (e->packet == NO_PACKET) {
        if (a->wake != e->at)
            return; /* an earlier event woke the node */
        a->wake = IBA_NEVER;
        iba_node_advance(&a->n, s->now);
    } else {
        struct flying *f = &s->flying[e->packet];
        uint8_t packet[IBA_PACKET_MOST];
        const size_t len = f->len;
        memcpy(packet, f->bytes, len);
        give_flying(s, e->packet);
        if (a->end[e->port].node >= 0 && !a->end[e->port].pulled)
            iba_node_feed(&a->n, e->port, packet, len, s->now);
    }
    work(s, e->node);
}

void subnet_run(struct subnet *s, iba_time until)
{
    while (s->n_event > 0 && s->heap[0].at <= until) {
        const struct event e = pop(s);
        if (e.at > s->now)
            s->now = e.at;
        happen(s, &e);
    }
    if (until > s->now)
        s->now = until;
}

iba_time subnet_deadline(const struct subnet *s)
{
    return s->n_event > 0 ? s->heap[0].at : IBA_NEVER;
}

size_t subnet_in_flight(const struct subnet *s)
{
    return s->n_flying;
}

size_t subnet_waiting(const struct subnet *s)
{
    return (size_t)s->pool.used;
}

bool subnet_is_end(const struct iba_node *n, unsigned port)
{
    return n->cfg.type == IBA_NODE_CA && n->port[port].info.lid != 0;
}

bool subnet_joined(const struct subnet *s, size_t node, uint8_t port, size_t other, uint8_t other_port)
{
    return s->node[node].end[port].subnet == s->node[other].end[other_port].subnet;
}

void subnet_set_watch(struct subnet *s, const struct subnet_watch *w)
{
    s->watch = w ? *w : (struct subnet_watch){0};
}

/* ---- from outside ---- */

void subnet_send(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    iba_node_send(&s->node[node].n, port, packet, len, s->now);
    subnet_touch(s, node);
}

bool subnet_send_at_rate(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len, uint8_t ipd)
{
    const bool taken = iba_node_send_at_rate(&s->node[node].n, port, packet, len, ipd, s->now);

    subnet_touch(s, node);
    return taken;
}

void subnet_lose(struct subnet *s, size_t node, uint8_t port, uint32_t one_in)
{
    struct subnet_end *e = &s->node[node].end[port];

    e->lose = one_in;
    iba_random_seed(&e->chance, one_in);
}

bool subnet_cable(struct subnet *s, size_t node, uint8_t port, bool plugged)
{
    struct subnet_node *a = &s->node[node], *b;
    struct subnet_end *e = &a->end[port];

    if (e->node < 0)
        return false;
    b = &s->node[e->node];
    e->pulled = b->end[e->port].pulled = !plugged;
    if (plugged) {
        iba_link_settle(&a->n, port, &b->n, e->port, s->now);
    } else {
        iba_link_lost(&a->n, port, s->now);
        iba_link_lost(&b->n, e->port, s->now);
    }
    subnet_touch(s, node);
    subnet_touch(s, (size_t)e->node);
    return true;
}

void subnet_refresh(struct subnet *s, bool on)
{
    for (size_t i = 0; i < s->n; i++) {
        struct iba_node *n = &s->node[i].n;
        n->cfg.refresh = on;
        for (unsigned p = 1; p <= n->cfg.n_port; p++) {
            n->port[p].announce_all = on && n->port[p].credits ? s->now : IBA_NEVER;
            for (unsigned vl = 0; vl < IBA_VL15; vl++)
                n->port[p].lane[vl].heard = s->now; /* no flow-control packet is late yet */
        }
        subnet_touch(s, i);
    }
}

const struct iba_pool *subnet_pool(const struct subnet *s)
{
    return &s->pool;
}

size_t subnet_nodes(const struct subnet *s)
{
    return s->n;
}

struct subnet_node *subnet_node(struct subnet *s, size_t node)
{
    return &s->node[node];
}

int32_t subnet_find(const struct subnet *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->node[i].from->id, name) == 0)
            return (int32_t)i;
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->node[i].from->description, name) == 0)
            return (int32_t)i;
    return -1;
}

iba_time subnet_now(const struct subnet *s)
{
    return s->now;
}

/* ---- making ---- */

enum { VLS_CODE = 4, VLS = 8 };

static uint8_t type_of(const struct topology_node *t)
{
    return t->is_switch ? IBA_NODE_SWITCH : t->is_router ? IBA_NODE_ROUTER : IBA_NODE_CA;
}

static struct iba_node_config config_of(const struct topology_node *t, const struct subnet_config *of_all)
{
    enum { VENDOR = 0x020000, DEVICE_SWITCH = 0xb001, DEVICE_CA = 0xa001 };
    enum { WIDTHS = 1 | 2, SDR_TO_QDR = 1 | 2 | 4, FDR_AND_EDR = 1 | 2, VLARB = 64 };
    enum { PKEYS = 64, SWITCH_PKEYS = 32, LFT = 0xc000, MFT = 1024, ROUTES = 4096 };
    struct iba_node_config c = {.type = type_of(t),
                                .n_port = t->ports,
                                .mtu = IBA_MTU_4096,
                                .vls = VLS_CODE,
                                .widths = WIDTHS,
                                .speeds = SDR_TO_QDR,
                                .ext_speeds = FDR_AND_EDR,
                                .vlarb_entries = VLARB,
                                .node_guid = t->guid,
                                .system_guid = t->system_guid,
                                .vendor = t->vendor ? t->vendor : VENDOR,
                                .revision = 1,
                                .device = t->device      ? t->device
                                          : t->is_switch ? DEVICE_SWITCH
                                                         : DEVICE_CA,
                                .pkeys = PKEYS,
                                .switch_pkeys = t->is_switch ? SWITCH_PKEYS : 0,
                                .lft = t->is_switch ? LFT : 0,
                                .mft = t->is_switch ? MFT : 0,
                                .routes = t->is_router ? ROUTES : 0,
                                .buffer = of_all->buffer,
                                .broken = of_all->broken};

    memcpy(c.description, t->description, sizeof c.description);
    return c;
}

static bool make_node(struct subnet *s, size_t i, const struct topology_node *t, const struct subnet_config *of_all)
{
    const struct iba_node_config c = config_of(t, of_all);
    struct subnet_node *a = &s->node[i];

    a->from = t;
    a->wake = IBA_NEVER;
    a->memory = malloc(iba_node_bytes(&c));
    a->end = calloc(t->ports + 1u, sizeof *a->end);
    if (!a->memory || !a->end)
        return false;
    iba_node_init(&a->n, &c, a->memory, &s->pool);
    for (unsigned p = 0; p <= t->ports; p++)
        a->end[p] = (struct subnet_end){.node = t->end[p].node, .port = t->end[p].port};
    return true;
}

/* Returns how many packets the receive buffers can hold: with credits all may be full of packets of 256 bytes. */
static size_t packets_in_buffers(const struct topology *t, uint16_t buffer)
{
    enum { BLOCKS_OF_PACKET = 5 };
    size_t ports = 0;

    for (size_t i = 0; i < t->n; i++)
        for (unsigned p = 1; p <= t->node[i].ports; p++)
            ports += t->node[i].end[p].node >= 0;
    return ports * VLS * buffer / BLOCKS_OF_PACKET;
}

static bool make_pool(struct subnet *s, const struct topology *t, uint16_t buffer)
{
    enum { SLOTS_OF_NODE = 64, SLOTS_LEAST = 1024 };
    const size_t slots = SLOTS_LEAST + s->n * SLOTS_OF_NODE + packets_in_buffers(t, buffer);

    s->slot = malloc(slots * sizeof *s->slot);
    s->bytes = malloc(slots * IBA_PACKET_MOST);
    if (!s->slot || !s->bytes)
        return false;
    iba_pool_init(&s->pool, s->slot, s->bytes, (int32_t)slots);
    return true;
}

/* Gives the port the number of its subnet. All ports of a switch are in the same subnet: switches whose other ports
 * have not been followed are put into `switches`. */
static void enter(struct subnet *s, size_t *switches, size_t *n, size_t node, uint8_t port, uint32_t number)
{
    struct subnet_node *a = &s->node[node];
    const struct subnet_end *e = &a->end[port];

    if (e->subnet)
        return;
    if (!iba_node_is_switch(&a->n)) {
        a->end[port].subnet = number;
        if (e->node >= 0)
            enter(s, switches, n, (size_t)e->node, e->port, number);
        return;
    }
    for (unsigned p = 0; p <= a->n.cfg.n_port; p++)
        a->end[p].subnet = number;
    switches[(*n)++] = node;
}

static bool number_subnets(struct subnet *s)
{
    size_t *switches = calloc(s->n, sizeof *switches), n = 0;
    uint32_t number = 0;

    for (size_t i = 0; switches && i < s->n; i++)
        for (unsigned p = 1; p <= s->node[i].n.cfg.n_port; p++) {
            if (s->node[i].end[p].subnet == 0)
                enter(s, switches, &n, i, (uint8_t)p, ++number);
            while (n > 0) {
                const struct subnet_node *a = &s->node[switches[--n]];
                for (unsigned k = 1; k <= a->n.cfg.n_port; k++)
                    if (a->end[k].node >= 0)
                        enter(s, switches, &n, (size_t)a->end[k].node, a->end[k].port, number);
            }
        }
    free(switches);
    return switches;
}

struct subnet *subnet_new(const struct topology *t, const struct subnet_config *c, const struct subnet_events *events)
{
    struct subnet *s = calloc(1, sizeof *s);
    bool good;

    if (!s)
        return NULL;
    s->events = *events;
    s->free_flying = NO_PACKET;
    s->n = t->n;
    s->node = calloc(t->n, sizeof *s->node);
    good = s->node && make_pool(s, t, c->buffer);
    for (size_t i = 0; good && i < t->n; i++)
        good = make_node(s, i, &t->node[i], c);
    if (!good || !number_subnets(s)) {
        subnet_free(s);
        return NULL;
    }
    for (size_t i = 0; i < t->n; i++)
        for (unsigned p = 1; p <= t->node[i].ports; p++)
            s->node[i].n.port[p].link_work = true;
    for (size_t i = 0; i < t->n; i++)
        subnet_touch(s, i);
    return s;
}

void subnet_free(struct subnet *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->node && i < s->n; i++) {
        free(s->node[i].memory);
        free(s->node[i].end);
    }
    free(s->node);
    free(s->slot);
    free(s->bytes);
    free(s->heap);
    free(s->flying);
    free(s);
}
