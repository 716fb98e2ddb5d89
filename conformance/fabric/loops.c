/* SPDX-License-Identifier: BSD-2-Clause */
/* The lanes of the routes are the vertices of a graph, with an edge from each lane to those by which its packets
 * leave the next node. If the graph has no cycle, packets can always move on (Dally and Seitz). */
#include "loops.h"
#include <stdlib.h>
#include <string.h>

enum { HOPS_MOST = 64, SERVICE_LEVELS = 16, NOWHERE = -1 };

struct vertex {
    uint32_t *next; /* lanes by which packets of this lane leave the next node */
    uint32_t n, room;
    enum { UNSEEN, OPEN, DONE } state;
    uint32_t tried; /* number of edges that the search has followed */
};
struct graph {
    struct subnet *s;
    size_t *first; /* for each node the vertex of its port 0, lane 0 */
    struct vertex *v;
    size_t n;
    bool no_memory;
};

/* ---- vertices ---- */

static bool make(struct graph *g, struct subnet *s)
{
    *g = (struct graph){.s = s, .first = calloc(subnet_nodes(s), sizeof *g->first)};
    for (size_t i = 0; g->first && i < subnet_nodes(s); i++) {
        g->first[i] = g->n;
        g->n += (subnet_node(s, i)->n.cfg.n_port + 1u) * IBA_VLS;
    }
    g->v = g->first ? calloc(g->n + 1, sizeof *g->v) : NULL;
    return g->v != NULL;
}

static void release(struct graph *g)
{
    for (size_t i = 0; g->v && i < g->n; i++)
        free(g->v[i].next);
    free(g->v);
    free(g->first);
}

static uint32_t vertex_of(const struct graph *g, struct lane_at a)
{
    return (uint32_t)(g->first[a.node] + (size_t)a.port * IBA_VLS + a.vl);
}

static struct lane_at lane_of(const struct graph *g, uint32_t vertex)
{
    struct lane_at a = {0};
    uint32_t rest;

    while (a.node + 1 < subnet_nodes(g->s) && g->first[a.node + 1] <= vertex)
        a.node++;
    rest = vertex - (uint32_t)g->first[a.node];
    a.port = (uint8_t)(rest / IBA_VLS);
    a.vl = (uint8_t)(rest % IBA_VLS);
    return a;
}

static void add_edge(struct graph *g, uint32_t from, uint32_t to)
{
    struct vertex *v = &g->v[from];

    for (uint32_t i = 0; i < v->n; i++)
        if (v->next[i] == to)
            return;
    if (v->n == v->room) {
        const uint32_t room = v->room ? v->room * 2 : 4;
        uint32_t *more = realloc(v->next, room * sizeof *more);
        if (!more) {
            g->no_memory = true;
            return;
        }
        v->next = more;
        v->room = room;
    }
    v->next[v->n++] = to;
}

/* ---- routes ---- */

/* Finds the lane by which a packet that came to the switch by port `in` leaves it. False: the switch drops the
 * packet. */
static bool goes_on(const struct iba_node *n, uint8_t in, uint16_t dlid, uint8_t sl, struct lane_at *at)
{
    if (!iba_node_is_switch(n) || dlid > n->sw.linearfdbtop || dlid >= n->cfg.lft)
        return false;
    at->port = n->lft[dlid];
    if (at->port == 0 || at->port > n->cfg.n_port || at->port == in)
        return false;
    at->vl = iba_node_sl2vl(n, in, at->port)[sl];
    return at->vl < iba_vls_of(n->port[at->port].info.operationalvls);
}

static void follow(struct graph *g, struct lane_at at, uint16_t dlid, uint8_t sl)
{
    for (unsigned hops = 0; hops < HOPS_MOST; hops++) {
        const struct subnet_end *e = &subnet_node(g->s, at.node)->end[at.port];
        const uint32_t from = vertex_of(g, at);
        if (e->node == NOWHERE || e->pulled)
            return;
        at.node = (size_t)e->node;
        if (!goes_on(&subnet_node(g->s, at.node)->n, e->port, dlid, sl, &at))
            return;
        add_edge(g, from, vertex_of(g, at));
    }
}

static void follow_to_all(struct graph *g, size_t node, uint8_t port, uint8_t sl)
{
    const struct iba_node *n = &subnet_node(g->s, node)->n;
    const struct lane_at at = {node, port, iba_node_sl2vl(n, 0, port)[sl]};

    if (at.vl >= iba_vls_of(n->port[port].info.operationalvls))
        return;
    for (size_t i = 0; i < subnet_nodes(g->s); i++) {
        const struct iba_node *to = &subnet_node(g->s, i)->n;
        for (unsigned p = 1; p <= to->cfg.n_port; p++)
            for (unsigned k = 0; subnet_is_end(to, p) && (i != node || p != port) &&
                                 subnet_joined(g->s, node, port, i, (uint8_t)p) && k < 1u << to->port[p].info.lmc;
                 k++)
                follow(g, at, (uint16_t)(to->port[p].info.lid + k), sl);
    }
}

static void add_routes(struct graph *g, uint16_t sls)
{
    for (size_t i = 0; i < subnet_nodes(g->s); i++) {
        const struct iba_node *n = &subnet_node(g->s, i)->n;
        for (unsigned p = 1; p <= n->cfg.n_port; p++)
            for (uint8_t sl = 0; subnet_is_end(n, p) && sl < SERVICE_LEVELS; sl++)
                if (sls >> sl & 1)
                    follow_to_all(g, i, (uint8_t)p, sl);
    }
}

/* ---- a circle ---- */

static void name_loop(const struct graph *g, const uint32_t *path, size_t from, size_t to, struct lane_loop *loop)
{
    for (size_t i = from; i < to && loop->n < LOOP_MOST; i++)
        loop->at[loop->n++] = lane_of(g, path[i]);
}

/* Searches depth-first from one vertex. True: it found a cycle, which `loop` names. */
static bool search(struct graph *g, uint32_t start, uint32_t *path, struct lane_loop *loop)
{
    size_t depth = 0;

    path[depth++] = start;
    g->v[start].state = OPEN;
    while (depth > 0) {
        struct vertex *v = &g->v[path[depth - 1]];
        uint32_t next;
        size_t i = depth;
        if (v->tried == v->n) {
            v->state = DONE;
            depth--;
            continue;
        }
        next = v->next[v->tried++];
        if (g->v[next].state == UNSEEN) {
            g->v[next].state = OPEN;
            path[depth++] = next;
        } else if (g->v[next].state == OPEN) {
            while (i > 1 && path[i - 1] != next) /* `next` is on the path, since it is OPEN */
                i--;
            name_loop(g, path, i - 1, depth, loop);
            return true;
        }
    }
    return false;
}

static bool find_circle(struct graph *g, struct lane_loop *loop)
{
    uint32_t *path = calloc(g->n + 1, sizeof *path);

    if (!path)
        return false;
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].state == UNSEEN && search(g, (uint32_t)i, path, loop))
            break;
    free(path);
    return true;
}

bool loops_in_routes(struct subnet *s, uint16_t sls, struct lane_loop *loop)
{
    struct graph g;
    bool good = make(&g, s);

    loop->n = 0;
    if (good) {
        add_routes(&g, sls);
        good = !g.no_memory && find_circle(&g, loop);
    }
    release(&g);
    return good;
}
