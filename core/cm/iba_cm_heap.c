/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers: how long each runs, and a binary heap of slots by due time, so that thousands of timers cost little. */
#include <assert.h>
#include "cm/iba_cm_input.h"

static bool earlier(const struct iba_cm *cm, uint32_t a, uint32_t b)
{
    return cm->cfg.conn[cm->cfg.heap[a]].due < cm->cfg.conn[cm->cfg.heap[b]].due;
}

static void exchange(struct iba_cm *cm, uint32_t a, uint32_t b)
{
    const uint32_t slot = cm->cfg.heap[a];

    cm->cfg.heap[a] = cm->cfg.heap[b];
    cm->cfg.heap[b] = slot;
    cm->cfg.conn[cm->cfg.heap[a]].heap_at = a;
    cm->cfg.conn[cm->cfg.heap[b]].heap_at = b;
}

static uint32_t rise(struct iba_cm *cm, uint32_t at)
{
    while (at > 0 && earlier(cm, at, (at - 1) / 2)) {
        exchange(cm, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
    return at;
}

static void sink(struct iba_cm *cm, uint32_t at)
{
    for (;;) {
        uint32_t first = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < cm->n_timer; child++)
            if (earlier(cm, child, first))
                first = child;
        if (first == at)
            return;
        exchange(cm, at, first);
        at = first;
    }
}

void iba_cm_set_timer(struct iba_cm *cm, struct iba_cm_conn *c, iba_time due)
{
    if (c->due != IBA_NEVER) {
        const uint32_t at = c->heap_at;
        exchange(cm, at, cm->n_timer - 1);
        cm->n_timer--;
        if (at < cm->n_timer)
            sink(cm, rise(cm, at));
    }
    c->due = due;
    if (due == IBA_NEVER)
        return;
    assert(cm->n_timer < cm->cfg.n_conn);
    c->heap_at = cm->n_timer++;
    cm->cfg.heap[c->heap_at] = (uint32_t)(c - cm->cfg.conn);
    rise(cm, c->heap_at);
}

struct iba_cm_conn *iba_cm_first_due(const struct iba_cm *cm)
{
    return cm->n_timer ? &cm->cfg.conn[cm->cfg.heap[0]] : NULL;
}

/* The LocalAckTimeout of a REQ covers two packet lifetimes and the delay of its sender (MD-64). */
static iba_time two_lifetimes(const struct iba_cm_conn *c)
{
    return iba_cm_time(iba_cm_req_prim_localacktout(c->req));
}

iba_time iba_cm_timeout(const struct iba_cm_conn *c, enum iba_cm_timer t)
{
    switch (t) {
    case IBA_CMT_RESPONSE:
    case IBA_CMT_RETRY: return iba_cm_time(c->response) + two_lifetimes(c);       /* MD-68, MD-69 */
    case IBA_CMT_SERVICE: return iba_cm_time(c->service_time) + two_lifetimes(c); /* MD-69 */
    default: break;
    }
    /* MD-78: until no packet of the connection is left in the fabric */
    return two_lifetimes(c) + (c->active && c->has_rep ? iba_cm_time(iba_cm_rep_tgtackdelay(c->rep)) : 0);
}
