/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds packets that wait for credits which will never come. A lane can move if the receive buffer at the other end
 * of its cable has space for its first packet, or will have it once packets in that buffer leave by lanes that can
 * move. The search begins with no such lane, and adds lanes until none can be added. All other lanes are stuck, in
 * whatever order packets move. */
#include <stdlib.h>
#include <string.h>
#include "loops.h"

struct part { /* the part of a receive buffer that one packet of a queue occupies */
    uint32_t queue;
    int32_t hold; /* index in the pool; -1: none */
};
struct queue {
    struct lane_at at;
    uint16_t len; /* length of its first packet */
    bool moves;
};
struct survey {
    struct subnet *s;
    struct queue *queue;
    size_t n_queue;
    struct part *part;
    size_t n_part;
    bool *held_up; /* indexed by hold: a copy of the packet is in a lane that cannot move */
};

static const struct iba_node *node_of(const struct survey *v, size_t node)
{
    return &subnet_node(v->s, node)->n;
}

/* ---- what waits ---- */

static void add_queue(struct survey *v, struct lane_at at, const struct iba_fifo *q)
{
    const struct iba_pool *pool = subnet_pool(v->s);

    v->queue[v->n_queue] = (struct queue){at, pool->slot[q->first].len, false};
    for (int32_t i = q->first; i != IBA_NO_SLOT; i = pool->slot[i].next)
        v->part[v->n_part++] = (struct part){(uint32_t)v->n_queue, pool->slot[i].hold - 1};
    v->n_queue++;
}

static void add_all(struct survey *v)
{
    for (size_t i = 0; i < subnet_nodes(v->s); i++)
        for (unsigned p = 1; p <= node_of(v, i)->cfg.n_port; p++)
            for (unsigned vl = 0; node_of(v, i)->port[p].waiting > 0 && vl < IBA_VL15; vl++)
                if (node_of(v, i)->port[p].queue[vl].n > 0)
                    add_queue(v, (struct lane_at){i, (uint8_t)p, (uint8_t)vl}, &node_of(v, i)->port[p].queue[vl]);
}

static bool make(struct survey *v, struct subnet *s)
{
    const struct iba_pool *pool = subnet_pool(s);
    const size_t room = (size_t)pool->used + 1;

    *v = (struct survey){.s = s,
                         .queue = calloc(room, sizeof *v->queue),
                         .part = calloc(room, sizeof *v->part),
                         .held_up = calloc((size_t)pool->n, sizeof *v->held_up)};
    if (!v->queue || !v->part || !v->held_up)
        return false;
    add_all(v);
    return true;
}

static void release(struct survey *v)
{
    free(v->queue);
    free(v->part);
    free(v->held_up);
}

/* ---- what can move ---- */

static void mark_held_up(struct survey *v)
{
    memset(v->held_up, 0, (size_t)subnet_pool(v->s)->n * sizeof *v->held_up);
    for (size_t i = 0; i < v->n_part; i++)
        if (v->part[i].hold >= 0 && !v->queue[v->part[i].queue].moves)
            v->held_up[v->part[i].hold] = true;
}

/* Whether the part belongs to a packet that came to end e of the cable on that lane. */
static bool came_by(const struct survey *v, const struct part *part, const struct subnet_end *e, uint8_t vl)
{
    const struct iba_hold *h;

    if (part->hold < 0 || v->queue[part->queue].at.node != (size_t)e->node)
        return false;
    h = &subnet_pool(v->s)->slot[part->hold].room;
    return h->port == e->port && h->vl == vl;
}

/* Returns the number of blocks of the other end's buffer that, as far as is known, no packet will free. */
static uint32_t never_free(struct survey *v, const struct subnet_end *e, uint8_t vl)
{
    uint32_t blocks = 0;

    for (size_t i = 0; i < v->n_part; i++) {
        const int32_t h = v->part[i].hold;
        if (!came_by(v, &v->part[i], e, vl) || !v->held_up[h])
            continue;
        blocks += subnet_pool(v->s)->slot[h].room.blocks;
        v->held_up[h] = false; /* copies of one packet count once */
    }
    return blocks;
}

static bool can_move(struct survey *v, const struct queue *q)
{
    const struct subnet_node *a = subnet_node(v->s, q->at.node);
    const struct subnet_end *e = &a->end[q->at.port];

    if (!a->n.port[q->at.port].credits || e->node < 0)
        return true;
    mark_held_up(v);
    return never_free(v, e, q->at.vl) + iba_node_blocks(q->len) <= node_of(v, (size_t)e->node)->cfg.buffer;
}

static void find_moving(struct survey *v)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < v->n_queue; i++)
            if (!v->queue[i].moves && can_move(v, &v->queue[i]))
                v->queue[i].moves = more = true;
    }
}

/* ---- what cannot ---- */

/* Returns a lane that the stuck lane waits for. */
static size_t waits_for(const struct survey *v, size_t queue)
{
    const struct lane_at *at = &v->queue[queue].at;
    const struct subnet_end *e = &subnet_node(v->s, at->node)->end[at->port];

    for (size_t i = 0; i < v->n_part; i++)
        if (!v->queue[v->part[i].queue].moves && came_by(v, &v->part[i], e, at->vl))
            return v->part[i].queue;
    return queue;
}

/* Names the lanes of the loop. After as many steps from one stuck lane to the next as there are lanes, the lane is
 * one of the loop. */
static void name_loop(const struct survey *v, size_t stuck, struct lane_loop *loop)
{
    size_t first;

    for (size_t i = 0; i < v->n_queue; i++)
        stuck = waits_for(v, stuck);
    first = stuck;
    do {
        loop->at[loop->n++] = v->queue[stuck].at;
        stuck = waits_for(v, stuck);
    } while (stuck != first && loop->n < LOOP_MOST);
}

static bool waits_for_credits(const struct survey *v, const struct queue *q)
{
    const struct iba_node *n = node_of(v, q->at.node);

    return !iba_node_has_credits(n, &n->port[q->at.port], q->at.vl, q->len);
}

bool stalls_find(struct subnet *s, struct stalls *found)
{
    struct survey v;
    const bool good = make(&v, s);

    *found = (struct stalls){0};
    if (good) {
        find_moving(&v);
        for (size_t i = 0; i < v.n_queue; i++) {
            found->waiting += waits_for_credits(&v, &v.queue[i]);
            if (v.queue[i].moves)
                continue;
            if (found->stuck++ == 0)
                name_loop(&v, i, &found->loop);
        }
    }
    release(&v);
    return good;
}
