/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/links.h"
#include <stdlib.h>
#include "fabric/iba_node.h"
#include "judge/crossing.h"
#include "judge/managed.h"
#include "judge/stalls.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"
#include "track/fabric.h"

enum {
    VL15 = 15,
    MULTICAST_LID = 0xc000,
    NO_PORT = 255,
    ROUTES_OF_BLOCK = 64,
    KEYS_OF_BLOCK = 32,
    KEY_BYTES = 2,
    PORT_SHIFT = 16
};
/* Longer than any lifetime in a switch: 4.096 us * 2^19 (KM-50). */
#define PATIENCE_NS (UINT64_C(5) * 1000 * 1000 * 1000)
/* A receiver announces its free blocks once in 65,536 symbol times (KM-48), of 4 ns at the slowest rate. */
#define ANNOUNCED_NS (UINT64_C(65536) * 4)

struct links {
    struct links_config cfg;
    bool any, several; /* interfaces */
    uint32_t source, iface;
    iba_time now;
    struct fabric fabric;
    struct crossings crossings;
    struct managed managed;
    struct stalls stalls;
};

/* A packet that crosses a switch. Tables of the switch count only if they were known before the packet entered. */
struct passage {
    const struct links *l;
    const struct crossing *x;
    const struct links_sighting *s;     /* the packet on the link out of the switch; NULL: it does not leave */
    const struct fabric_sender *sender; /* the port that sends the packet on that link; NULL: it does not leave */
    uint8_t out, vl;
    uint16_t next; /* the node after the switch; UINT16_MAX: not known */
    bool next_is_switch;
};

struct links *links_open(const struct links_config *cfg)
{
    struct links *l = calloc(1, sizeof *l);

    if (l)
        l->cfg = *cfg;
    return l;
}

void links_close(struct links *l)
{
    free(l);
}

/* ---- tables of the switch ---- */

static const uint8_t *table_of(const struct passage *g, uint16_t attribute, uint32_t modifier)
{
    const struct fabric_table *t = fabric_table(&g->l->fabric, g->x->node, attribute, modifier);

    return t && t->since < g->x->frame ? t->data : NULL;
}

/* Finds the port that the switch forwards the packet's LID to; NO_PORT: it drops the packet. False: the table is not
 * known. */
static bool route(const struct passage *g, uint8_t *port)
{
    const uint16_t lid = g->x->key.dlid;
    const uint8_t *info = table_of(g, FABRIC_SWITCH_INFO, 0),
                  *block = table_of(g, FABRIC_ROUTES_OF_LID, lid / ROUTES_OF_BLOCK);

    if (!info || (lid <= iba_switchinfo_linearfdbtop(info) && !block))
        return false;
    *port = lid <= iba_switchinfo_linearfdbtop(info) ? block[lid % ROUTES_OF_BLOCK] : NO_PORT;
    return true;
}

/* Finds the lane that the switch maps the packet's SL to; VL15: the packet has none. False: the table is not known. */
static bool lane(const struct passage *g, uint8_t *vl)
{
    const uint8_t *info = table_of(g, FABRIC_PORT_INFO, g->out);
    const uint8_t *lanes = table_of(g, FABRIC_LANES_OF_SL, (uint32_t)g->x->in << 8 | g->out);

    if (!info || !lanes)
        return false;
    *vl = (uint8_t)(lanes[g->x->sl / 2] >> (g->x->sl % 2 ? 0 : 4) & 0xf);
    if (*vl >= iba_vls_of((uint8_t)iba_portinfo_operationalvls(info)))
        *vl = VL15;
    return true;
}

static uint16_t key_at(const uint8_t *block, unsigned i)
{
    return (uint16_t)(block[KEY_BYTES * i] << 8 | block[KEY_BYTES * i + 1]);
}

/* Whether the port's partition table lacks the packet's partition. False also when a part of the table is not known. */
static bool is_foreign(const struct passage *g, uint8_t port)
{
    const uint8_t *info = table_of(g, FABRIC_SWITCH_INFO, 0);
    const unsigned keys = info ? iba_switchinfo_partitionenforcementcap(info) : 0;
    const uint8_t *block = NULL;

    for (unsigned i = 0; i < keys; i++) {
        if (i % KEYS_OF_BLOCK == 0)
            block = table_of(g, FABRIC_P_KEYS, (uint32_t)port << PORT_SHIFT | i / KEYS_OF_BLOCK);
        if (!block || iba_pkey_match(key_at(block, i % KEYS_OF_BLOCK), g->x->p_key))
            return false;
    }
    return keys > 0;
}

static bool enforces(const struct passage *g, uint8_t port, bool inbound)
{
    const uint8_t *info = table_of(g, FABRIC_PORT_INFO, port);

    return info && (inbound ? iba_portinfo_partitionenforcementinbound(info)
                            : iba_portinfo_partitionenforcementoutbound(info)) != 0;
}

static bool is_of_other_partition(const struct passage *g)
{
    return (enforces(g, g->x->in, true) && is_foreign(g, g->x->in)) ||
           (enforces(g, g->out, false) && is_foreign(g, g->out));
}

/* ---- a packet that leaves a switch ---- */

static bool other_port(const struct passage *g)
{
    uint8_t port;

    return route(g, &port) && port != g->out;
}

static bool other_lane(const struct passage *g)
{
    uint8_t vl;

    return lane(g, &vl) && vl != g->vl;
}

static bool returns(const struct passage *g)
{
    const struct crossing *x = g->x;
    bool was_there = g->next_is_switch && g->next == x->node;

    for (unsigned i = 0; i < x->n_path && g->next_is_switch; i++)
        was_there = was_there || x->path[i] == g->next;
    return was_there && !x->looped;
}

/* The last flow-control packet that refused this packet. Since `*since`, while the packet was in the switch, all
 * flow-control packets refused it. */
static const struct iba_obs_mark *refused(const struct passage *g, iba_time *since)
{
    *since = g->x->at;
    return stalls_of(&g->l->stalls, &g->l->fabric, g->sender, g->vl, fabric_blocks(g->s->p), since);
}

static bool has_waited_for_credits(const struct passage *g)
{
    iba_time since;
    const struct iba_obs_mark *last = refused(g, &since);

    return last && last->at >= since + ANNOUNCED_NS;
}

/* ---- a packet that does not leave ---- */

static bool has_no_route(const struct passage *g)
{
    uint8_t port;

    return route(g, &port) && port == NO_PORT;
}

static bool has_no_lane(const struct passage *g)
{
    uint8_t vl;

    return lane(g, &vl) && vl == VL15;
}

/* Whether the port that the packet should leave by was captured, and had the time to send the packet. */
static bool should_have_left(const struct passage *g)
{
    const struct fabric_port *out = fabric_find_port(&g->l->fabric, g->x->node, g->out);

    if (!out || !out->sends || !fabric_near(&g->l->fabric, &g->l->fabric.sender[out->sends - 1]))
        return false;
    return crossing_overtaken(&g->l->crossings, g->x) || g->l->now - g->x->at >= PATIENCE_NS;
}

/* ---- a packet that leaves: the frame that a finding names, and the time between the two ---- */

static void since_it_entered(const struct passage *g, struct iba_finding *f)
{
    f->cause = g->x->frame;
    f->cause_tag = g->x->tag;
    f->wait_ns = g->s->now - g->x->at;
}

static void first_link(const struct passage *g, struct iba_finding *f)
{
    f->cause = g->x->first_frame;
    f->cause_tag = g->x->first_tag;
}

static void last_refusal(const struct passage *g, struct iba_finding *f)
{
    iba_time since;
    const struct iba_obs_mark *last = refused(g, &since);

    f->cause = last->frame;
    f->cause_tag = last->tag;
    f->wait_ns = last->at - since;
}

/* Every row of the first table that applies is a finding. Of the second table only the first row that applies is one.
 */
static const struct {
    uint8_t kind;
    bool (*when)(const struct passage *g);
    void (*cause)(const struct passage *g, struct iba_finding *f);
} leaving[] = {{IBA_FINDING_ROUTE_WRONG, other_port, since_it_entered},
               {IBA_FINDING_LANE_WRONG, other_lane, since_it_entered},
               {IBA_FINDING_PARTITION_PASSED, is_of_other_partition, since_it_entered},
               {IBA_FINDING_LANE_STALL, has_waited_for_credits, last_refusal},
               {IBA_FINDING_ROUTE_LOOP, returns, first_link}};
static const struct {
    uint8_t kind;
    bool (*when)(const struct passage *g);
} staying[] = {{IBA_FINDING_SWITCH_NO_ROUTE, has_no_route},
               {IBA_FINDING_SWITCH_PARTITION, is_of_other_partition},
               {IBA_FINDING_SWITCH_NO_LANE, has_no_lane},
               {IBA_FINDING_SWITCH_LOST, should_have_left}};

static void report(const struct links *l, const struct iba_finding *f)
{
    l->cfg.report(l->cfg.ctx, f);
}

/* Decides on a packet that did not leave its switch. Packets for the switch itself do not leave: they go to port 0,
 * which has the switch's own LIDs. */
static void decide_staying(const struct links *l, const struct crossing *x)
{
    struct passage g = {.l = l, .x = x, .next = UINT16_MAX};

    if (x->looped || !route(&g, &g.out) || g.out == 0)
        return;
    for (size_t i = 0; i < sizeof staying / sizeof *staying; i++)
        if (staying[i].when(&g)) {
            report(l, &(struct iba_finding){.kind = staying[i].kind,
                                            .frame = x->frame,
                                            .tag = x->tag,
                                            .at = x->at,
                                            .psn = iba_psn_of(x->key.psn)});
            return;
        }
}

static bool decide_leaving(const struct passage *g)
{
    bool looped = g->x->looped;

    for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++) {
        struct iba_finding f = {.kind = leaving[i].kind,
                                .frame = g->s->p->number,
                                .tag = g->s->tag,
                                .at = g->s->now,
                                .psn = iba_psn_of(g->x->key.psn)};
        if (!leaving[i].when(g))
            continue;
        leaving[i].cause(g, &f);
        report(g->l, &f);
        looped = looped || f.kind == IBA_FINDING_ROUTE_LOOP;
    }
    return looped;
}

/* ---- following ---- */

/* Copies the switches that the packet has crossed, and adds the one that it leaves now. */
static void go_on(struct crossing *to, const struct crossing *from)
{
    to->looped = from->looped;
    to->first_frame = from->first_frame;
    to->first_tag = from->first_tag;
    memcpy(to->path, from->path, from->n_path * sizeof *to->path);
    to->n_path = from->n_path;
    if (to->n_path < CROSSING_PATH)
        to->path[to->n_path++] = from->node;
}

/* The packet leaves a switch by the port `near`. `on` takes what is known of the packet, for the next switch. */
static void leave(struct links *l, const struct links_sighting *s, const struct fabric_port *near,
                  const struct fabric_port *far, struct crossing *on)
{
    struct crossing *x = crossing_find(&l->crossings, &on->key, near->key.node, false);

    if (!x) { /* another interface missed the packet, so it was not lost in the switch where it was seen last */
        x = crossing_find(&l->crossings, &on->key, near->key.node, true);
        if (x)
            crossing_remove(&l->crossings, x);
        return;
    }
    const struct passage g = {.l = l,
                              .x = x,
                              .s = s,
                              .sender = &l->fabric.sender[near->sends - 1],
                              .out = near->key.number,
                              .vl = (uint8_t)iba_lrh_vl(iba_view_hdr(&s->p->view, IBA_H_lrh)),
                              .next = far ? far->key.node : UINT16_MAX,
                              .next_is_switch = far && fabric_node_of(&l->fabric, far)->type == FABRIC_SWITCH};
    const bool looped = decide_leaving(&g);
    go_on(on, x);
    on->looped = looped;
    crossing_leave(&l->crossings, x);
}

static void enter(struct links *l, struct crossing *x)
{
    struct crossing *old = crossing_next(&l->crossings);

    if (old->used)
        decide_staying(l, old);
    crossing_enter(&l->crossings, x);
}

/* Whether another interface already shows this port: only the first of two is followed. */
static bool is_second(const struct links *l, const struct fabric_sender *sender, const struct fabric_port *near)
{
    return near && near->sends != sender - l->fabric.sender + 1;
}

static void follow(struct links *l, const struct links_sighting *s, const struct fabric_sender *sender)
{
    const struct packet *p = s->p;
    struct crossing x = {
        .frame = p->number, .first_frame = p->number, .tag = s->tag, .first_tag = s->tag, .at = s->now};

    if (!crossing_key_of(&x.key, p) || x.key.dlid >= MULTICAST_LID ||
        iba_lrh_vl(iba_view_hdr(&p->view, IBA_H_lrh)) == VL15)
        return;
    const struct fabric_port *near = fabric_near(&l->fabric, sender), *far = fabric_far(&l->fabric, sender);
    if (is_second(l, sender, near))
        return;
    if (near && fabric_node_of(&l->fabric, near)->type == FABRIC_SWITCH)
        leave(l, s, near, far, &x);
    if (!far || fabric_node_of(&l->fabric, far)->type != FABRIC_SWITCH)
        return;
    x.node = far->key.node;
    x.in = far->key.number;
    x.sl = (uint8_t)iba_lrh_sl(iba_view_hdr(&p->view, IBA_H_lrh));
    x.p_key = (uint16_t)iba_bth_p_key(iba_view_bth(&p->view));
    enter(l, &x);
}

void links_packet(struct links *l, const struct links_sighting *s)
{
    const struct packet *p = s->p;

    l->now = s->now;
    if (!l->any) {
        l->any = true;
        l->source = p->source;
        l->iface = p->cap->iface;
    }
    l->several = l->several || p->source != l->source || p->cap->iface != l->iface;
    if (!l->several)
        return;
    managed_packet(&l->managed, &(struct managed_sighting){p, &l->fabric, s->tag, s->now, l->cfg.report, l->cfg.ctx});
    fabric_packet(&l->fabric, p); /* a Set ends what was known of tables, so it is judged before it takes effect */
    const struct fabric_sender *sender = fabric_sender(&l->fabric, p);
    if (!sender)
        return;
    follow(l, s, sender);
    stalls_packet(&l->stalls, &l->fabric, sender, &(struct iba_obs_mark){p->number, s->tag, s->now}, p);
}

void links_end(struct links *l, iba_time now)
{
    l->now = now;
    for (uint32_t i = 0; l->several && i < CROSSINGS; i++) {
        const struct crossing *x = &l->crossings.item[(l->crossings.next + i) % CROSSINGS];
        if (x->used)
            decide_staying(l, x);
    }
}
