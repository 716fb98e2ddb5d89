/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate in their checks: a row of a table of iba_refusals.h is left out, or a verb that passes all
 * rows ends in another way. */
#include "transport/deviations_refusals.h"
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/deviations_request.h"
#include "transport/deviations_requester.h"
#include "transport/iba_qp_attr.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_queue.h"
#include "transport/iba_wr_ops.h"

/* ---- before the rows ---- */

static void before(struct iba_call *c, const struct iba_refusals *t, struct iba_transition *room)
{
    if (t->id == IBA_REFUSALS_MODIFY_QP)
        c->modify.transition = iba_changed_transition(c, room);
    if (t->id != IBA_REFUSALS_ATTR_VALUES)
        return;
    iba_cut_attributes(c->ca, c->modify.merged, c->modify.mask);
    if (IBA_CHANGED_ROW(c->ca, modify) == IBA_ROW_modify_JUDGES_AGAIN)
        c->modify.judged = c->modify.mask;
}

/* ---- the rows ---- */

/* A QP that takes receives in Reset (RECV_RESET), and none in Init (RECV_INIT) or Error (ERR_FLUSHES_POSTS). */
static bool takes_no_receives(const struct iba_call *c)
{
    switch ((enum iba_qp_state)c->qp->state) {
    case IBA_QPS_RESET: return IBA_KEEPS(c->ca, queue, RECV_RESET);
    case IBA_QPS_INIT: return !IBA_KEEPS(c->ca, queue, RECV_INIT);
    case IBA_QPS_ERR: return IBA_DEVIATES(c->ca, state, ERR_FLUSHES_POSTS);
    default: return false;
    }
}

/* The READ that is too long for the PSNs that this device gives it. */
static bool spans_too_much(const struct iba_call *c)
{
    return c->send.wr->op == IBA_WR_READ && iba_changed_cut(c->ca, c->qp, c->send.entry).packets >= IBA_PSN_SPAN;
}

static bool applies(const struct iba_call *c, const struct iba_refusals *t, const struct iba_refusal *r)
{
    if (t->id == IBA_REFUSALS_POST_RECV && r->list == &iba_queue_behaviours && r->row == IBA_ROW_queue_RECV_RESET)
        return takes_no_receives(c);
    if (r->list && !iba_keeps(c->ca->change, r->list, r->row))
        return false;
    return t->id == IBA_REFUSALS_WORK_REQUEST && r->row == IBA_ROW_posting_read_span ? spans_too_much(c) : r->when(c);
}

/* AV_PORT: without a port there is nothing that the other rows could check. */
static bool ends_early(const struct iba_call *c, const struct iba_refusals *t, const struct iba_refusal *r)
{
    return t->id == IBA_REFUSALS_ADDRESS && r == t->row && !c->path.port;
}

static int first(const struct iba_call *c, const struct iba_refusals *t)
{
    for (const struct iba_refusal *r = t->row; r < t->row + t->n; r++) {
        if (applies(c, t, r))
            return r->result;
        if (ends_early(c, t, r))
            break;
    }
    return IBA_PASSES;
}

/* ---- after the rows ---- */

/* Returns the result of a verb that a row refuses. */
static int refused(struct iba_call *c, const struct iba_refusals *t, int result)
{
    const bool receive = t->id == IBA_REFUSALS_POST_RECV || t->id == IBA_REFUSALS_POST_SRQ_RECV;
    struct iba_qp_attr merged;

    if (receive && result == IBA_VERB_FULL && IBA_DEVIATES(c->ca, queue, RECV_FULL))
        return IBA_VERB_OK;
    if (t->id == IBA_REFUSALS_MODIFY_QP && !IBA_KEEPS(c->ca, modify, ALL_OR_NOTHING) && iba_qp_attr_merge(c, &merged)) {
        iba_qp_set(c->ca, c->qp, &merged, c->modify.mask);
        iba_fill_attributes(c->ca, c->qp);
    }
    return result;
}

/* QPN_RANDOM: the lowest number of the first free slot. */
static int number(struct iba_call *c)
{
    const struct iba_ca *ca = c->ca;
    uint32_t slot = 0;

    if (!c->create.any || IBA_CHANGED_ROW(ca, verb) != IBA_ROW_verb_QPN_RANDOM)
        return IBA_PASSES;
    while (slot < ca->n_qp && ca->qp[slot])
        slot++;
    if (slot == ca->n_qp)
        return IBA_VERB_FULL;
    (void)ca->random(ca->ctx); /* an unbroken device draws here too, so later draws stay the same */
    for (c->create.qpn = slot; c->create.qpn < IBA_QPN_FIRST;)
        c->create.qpn += ca->n_qp;
    c->create.any = false;
    return IBA_PASSES;
}

static void exchange(struct iba_sqe *a, struct iba_sqe *b)
{
    const struct iba_sqe taken = *a;

    *a = *b;
    *b = taken;
}

/* post_flushes: a broken QP queues the request. order: the request changes places with the one before it, if that one
 * has not begun. */
static int post_send(struct iba_call *c)
{
    struct iba_qp *qp = c->qp;
    const bool broken = qp->state == IBA_QPS_SQE || qp->state == IBA_QPS_ERR;
    struct iba_sqe *before = iba_sqe_at(qp, qp->s.count > 0 ? qp->s.count - 1 : 0);

    if (broken ? IBA_KEEPS(c->ca, posting, post_flushes) : IBA_KEEPS(c->ca, requester, order))
        return IBA_PASSES;
    iba_requester_post(c->ca, qp, c->send.wr);
    if (!broken && qp->s.count > 1 && before->state == IBA_SQE_WAITING)
        exchange(before, iba_sqe_at(qp, qp->s.count - 1));
    return IBA_VERB_OK;
}

/* RECV_ORDER: the receive becomes the first of its queue. ERR_FLUSHES_POSTS: in Error it stays in the queue. */
static int post_receive(struct iba_call *c)
{
    struct iba_rq *rq = c->receive.rq;
    const bool in_error = c->qp && c->qp->state == IBA_QPS_ERR;

    if (in_error && !IBA_KEEPS(c->ca, state, ERR_FLUSHES_POSTS)) {
        iba_rq_put(rq, c->receive.wr);
        return IBA_VERB_OK;
    }
    if (in_error || !IBA_DEVIATES(c->ca, queue, RECV_ORDER))
        return IBA_PASSES;
    rq->head = (rq->head + rq->n - 1) % rq->n;
    rq->ring[rq->head] = *c->receive.wr;
    rq->count++;
    return IBA_VERB_OK;
}

/* Returns IBA_PASSES if the engine goes on with the verb. */
static int passed(struct iba_call *c, const struct iba_refusals *t)
{
    switch (t->id) {
    case IBA_REFUSALS_CREATE_QP: return number(c);
    case IBA_REFUSALS_DESTROY_QP:
        return !IBA_KEEPS(c->ca, verb, QP_BINDS) && iba_mw_of_qp(&c->ca->mem, c->qp->qpn) ? IBA_VERB_BUSY : IBA_PASSES;
    case IBA_REFUSALS_CREATE_AH: iba_av_fit(iba_port_or_first(c->ca, &c->path.av->port), c->path.av); return IBA_PASSES;
    case IBA_REFUSALS_ATTACH: return IBA_KEEPS(c->ca, verb, ATTACH) ? IBA_PASSES : IBA_VERB_OK;
    case IBA_REFUSALS_DETACH: return IBA_KEEPS(c->ca, verb, DETACH) ? IBA_PASSES : IBA_VERB_OK;
    case IBA_REFUSALS_ARM_CQ:
        if (!IBA_KEEPS(c->ca, queue, ARM_STRENGTHENS))
            c->queue.cq->armed = 0;
        return IBA_PASSES;
    case IBA_REFUSALS_POST_SEND: return post_send(c);
    case IBA_REFUSALS_POST_RECV:
    case IBA_REFUSALS_POST_SRQ_RECV: return post_receive(c);
    default: return IBA_PASSES;
    }
}

int iba_deviate_refuse(struct iba_call *c, const struct iba_refusals *t)
{
    struct iba_transition room;
    int result;

    before(c, t, &room);
    result = first(c, t);
    if (t->id == IBA_REFUSALS_MODIFY_QP)
        c->modify.transition = NULL; /* it may be in `room` */
    return result == IBA_PASSES ? passed(c, t) : refused(c, t, result);
}
