/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies a row of a table: take, answer, state, timer, event, in this order. No code in this file depends on a certain
 * message. */
#include "cm/deviations_cm.h"

static const struct iba_cm_rule *first_that_applies(const struct iba_cm_rx *x, enum iba_cm_table t)
{
    const struct iba_cm_rules *table = x->cm->table[t];
    const uint32_t state = UINT32_C(1) << (x->c ? x->c->state : IBA_CMS_NONE);

    for (const struct iba_cm_rule *r = table->row; r < table->row + table->n; r++)
        if (r->on == x->on && (r->in & state) && r->when(x))
            return r;
    return NULL;
}

/* A request of a listener waits for the caller's answer. */
static bool waits(uint8_t state)
{
    return state == IBA_CMS_REQ_RCVD || state == IBA_CMS_MRA_REQ_SENT || state == IBA_CMS_SIDR_REQ_RCVD;
}

static void enter(struct iba_cm_rx *x, uint8_t state)
{
    struct iba_cm_conn *c = x->c;

    if (waits(c->state) && !waits(state) && c->listener != IBA_CM_NO_LISTENER) {
        x->cm->cfg.listener[c->listener].waiting--;
        c->listener = IBA_CM_NO_LISTENER;
    }
    c->state = state;
    iba_cm_set_timer(x->cm, c, IBA_NEVER);
}

static void start_timer(struct iba_cm_rx *x, enum iba_cm_timer t)
{
    struct iba_cm_conn *c = x->c;
    iba_time runs;

    if (t == IBA_CMT_RESPONSE)
        c->tries = c->service == IBA_CM_DATAGRAM ? c->retries : iba_cm_req_maxcmretr(c->req);
    else if (t == IBA_CMT_RETRY && c->tries > 0)
        c->tries--;
    runs = iba_cm_timeout(c, t);
    if (x->cm->deviate)
        runs = x->cm->deviate->timeout(x, t, runs);
    iba_cm_set_timer(x->cm, c, x->now + runs);
}

const struct iba_cm_rule *iba_cm_apply(struct iba_cm_rx *x, enum iba_cm_table t)
{
    const struct iba_cm_rule *r = first_that_applies(x, t);

    if (!r)
        return NULL;
    x->cm->hits[t][r->hit]++;
    if (r->take)
        r->take(x);
    if (x->cm->cfg.trace)
        x->cm->cfg.trace(x->cm->cfg.ctx, x->cm->table[t]->name, r, x->c ? x->c->local_id : 0);
    iba_cm_answer(x, (enum iba_cm_answer)r->answer, r->code ? r->code : x->reason);
    if (!x->c)
        return r;
    if (r->next != IBA_CM_SAME)
        enter(x, r->next);
    if (r->timer != IBA_CMT_NONE)
        start_timer(x, (enum iba_cm_timer)r->timer);
    if (r->event != IBA_CME_NONE)
        iba_cm_report(x, (enum iba_cm_event_kind)r->event);
    if (x->c->state == IBA_CMS_NONE) {
        iba_cm_conn_free(x->cm, x->c);
        x->c = NULL;
    }
    return r;
}

void iba_cm_forget(struct iba_cm *cm, struct iba_cm_conn *c, iba_time now)
{
    struct iba_cm_rx x = {.cm = cm, .c = c, .on = IBA_CM_ON_forget, .now = now};

    iba_cm_apply(&x, IBA_CM_TABLE_VERBS);
}
