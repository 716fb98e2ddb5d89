/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues, receive queues, shared receive queues (sections 10.2.6, 10.2.9, 10.8; QS-31..QS-43). */
#include <assert.h>
#include "transport/deviations_qp.h"
#include "transport/iba_qp_parts.h"

/* ---- completion queues ---- */
static struct iba_cq *cq_find(const struct iba_ca *ca, uint32_t number)
{
    return number < ca->n_cq ? ca->cq[number] : NULL;
}

static bool completes_into(const struct iba_qp *qp, uint32_t cq)
{
    return qp->send_cq == cq || qp->recv_cq == cq;
}

enum iba_verb_err iba_create_cq(struct iba_ca *ca, struct iba_cq *cq, struct iba_wc *ring, uint32_t n, uint32_t *number)
{
    assert(ring && n > 0);
    for (uint32_t i = 0; i < ca->n_cq; i++) {
        if (ca->cq[i])
            continue;
        *cq = (struct iba_cq){.ring = ring, .n = n, .number = i};
        ca->cq[i] = cq;
        *number = i;
        return IBA_VERB_OK;
    }
    return IBA_VERB_FULL;
}

enum iba_verb_err iba_destroy_cq(struct iba_ca *ca, uint32_t number)
{
    if (!cq_find(ca, number))
        return IBA_VERB_NO_CQ;
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && completes_into(ca->qp[i], number) && IBA_KEEPS(ca, verb, CQ_BUSY))
            return IBA_VERB_BUSY;
    ca->cq[number] = NULL;
    return IBA_VERB_OK;
}

enum { UNARMED, ARMED_SOLICITED, ARMED_NEXT }; /* iba_cq.armed, weakest first */

enum iba_verb_err iba_req_notify_cq(struct iba_ca *ca, uint32_t number, bool solicited_only)
{
    struct iba_cq *cq = cq_find(ca, number);
    const uint8_t asked = solicited_only ? ARMED_SOLICITED : ARMED_NEXT;

    if (!cq)
        return IBA_VERB_NO_CQ;
    if (cq->overflow && IBA_KEEPS(ca, queue, ARM_LOST))
        return IBA_VERB_STATE;
    if (asked > cq->armed || !IBA_KEEPS(ca, queue, ARM_STRENGTHENS))
        cq->armed = asked;
    return IBA_VERB_OK;
}

int iba_poll_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *wc)
{
    struct iba_cq *cq = cq_find(ca, number);

    if (!cq || cq->count == 0)
        return 0;
    if (IBA_DEVIATES(ca, queue, CQ_ORDER)) {
        *wc = cq->ring[(cq->head + --cq->count) % cq->n];
        return 1;
    }
    *wc = cq->ring[cq->head];
    cq->head = cq->head + 1 == cq->n ? 0 : cq->head + 1;
    cq->count--;
    return 1;
}

/* The completion that finds no room is lost, and so is the queue: every QP that completes into it fails (QS-32). */
static void overflow(struct iba_ca *ca, struct iba_cq *cq)
{
    cq->overflow = true;
    cq->armed = UNARMED;
    iba_raise(ca, IBA_EVENT_CQ_ERROR, 0, cq->number, 0, 0);
    for (uint32_t i = 0; i < ca->n_qp && IBA_KEEPS(ca, queue, CQ_OVERFLOW_FAILS); i++)
        if (ca->qp[i] && ca->qp[i]->state != IBA_QPS_RESET && completes_into(ca->qp[i], cq->number))
            iba_qp_fail(ca, ca->qp[i]);
}

/* QPs that were in Reset, or came later, fail with their first completion. */
static void push_to_lost_queue(struct iba_ca *ca, const struct iba_wc *wc)
{
    struct iba_qp *qp = iba_qp_find(ca, wc->qpn);

    if (qp && IBA_KEEPS(ca, queue, CQ_LOST_FAILS))
        iba_qp_fail(ca, qp);
}

/* Whether an arm for solicited completions hears of this one. */
static bool is_solicited(const struct iba_ca *ca, const struct iba_wc *wc, bool solicited)
{
    if (IBA_DEVIATES(ca, queue, ARM_SOLICITED))
        return true;
    if (wc->status != IBA_WC_SUCCESS)
        return IBA_KEEPS(ca, queue, ARM_ERRORS);
    return solicited && IBA_KEEPS(ca, queue, ARM_SOLICITED);
}

static void notify(const struct iba_ca *ca, struct iba_cq *cq, bool solicited)
{
    if (cq->armed < (solicited || !IBA_KEEPS(ca, queue, ARM_NEXT) ? ARMED_SOLICITED : ARMED_NEXT))
        return;
    if (!solicited && !IBA_KEEPS(ca, queue, ARM_NEXT))
        return;
    if (IBA_KEEPS(ca, queue, ARM_ONCE))
        cq->armed = UNARMED;
    cq->notified++;
}

/* What a changed device does with a completion that finds no room, instead of losing the queue. */
static void crowd(const struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc)
{
    if (!IBA_KEEPS(ca, queue, CQ_OVERFLOW))
        return;
    cq->ring[cq->head] = *wc;
    cq->head = cq->head + 1 == cq->n ? 0 : cq->head + 1;
}

void iba_cq_push(struct iba_ca *ca, uint32_t number, const struct iba_wc *wc, bool solicited)
{
    struct iba_cq *cq = cq_find(ca, number);

    if (ca->change && !cq) /* it was destroyed under the QP */
        return;
    assert(cq);
    if (cq->overflow) {
        push_to_lost_queue(ca, wc);
        return;
    }
    if (cq->count == cq->n) {
        if (IBA_KEEPS(ca, queue, CQ_OVERFLOW) && !IBA_DEVIATES(ca, queue, CQ_OVERFLOW))
            overflow(ca, cq);
        else
            crowd(ca, cq, wc);
        return;
    }
    cq->ring[(cq->head + cq->count++) % cq->n] = *wc;
    if (IBA_DEVIATES(ca, queue, CQ_ONCE) && cq->count < cq->n)
        cq->ring[(cq->head + cq->count++) % cq->n] = *wc;
    notify(ca, cq, is_solicited(ca, wc, solicited));
}

/* ---- receive queues: a QP's own, or shared ---- */
static struct iba_srq *srq_find(const struct iba_ca *ca, uint32_t number)
{
    return number < ca->n_srq ? ca->srq[number] : NULL;
}

static enum iba_verb_err rq_put(const struct iba_ca *ca, struct iba_rq *rq, const struct iba_recv_wr *wr)
{
    if (wr->n_sge > IBA_MAX_SGE)
        return IBA_VERB_SGE;
    if (rq->count == rq->n)
        return IBA_DEVIATES(ca, queue, RECV_FULL) ? IBA_VERB_OK : IBA_VERB_FULL;
    rq->ring[(rq->head + rq->count++) % rq->n] = *wr;
    return IBA_VERB_OK;
}

const struct iba_recv_wr *iba_rq_next(const struct iba_ca *ca, const struct iba_rq *rq)
{
    if (rq->count == 0)
        return NULL;
    return IBA_DEVIATES(ca, queue, RECV_ORDER) ? &rq->ring[(rq->head + rq->count - 1) % rq->n] : &rq->ring[rq->head];
}

static bool rq_take(struct iba_rq *rq, struct iba_recv_wr *wr, bool newest)
{
    if (rq->count == 0)
        return false;
    if (newest) {
        *wr = rq->ring[(rq->head + --rq->count) % rq->n];
        return true;
    }
    *wr = rq->ring[rq->head];
    rq->head = rq->head + 1 == rq->n ? 0 : rq->head + 1;
    rq->count--;
    return true;
}

static bool srq_take(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *wr)
{
    if (srq->error || !rq_take(&srq->rq, wr, IBA_DEVIATES(ca, queue, RECV_ORDER)))
        return false;
    if (srq->rq.count < srq->limit + (srq->limit > 0 && IBA_DEVIATES(ca, queue, SRQ_LIMIT_BELOW))) {
        if (IBA_KEEPS(ca, queue, SRQ_LIMIT_ONCE)) /* the event disarms the limit (QS-38) */
            srq->limit = 0;
        iba_raise(ca, IBA_EVENT_SRQ_LIMIT, 0, srq->number, srq->rq.count, 0);
    }
    return true;
}

bool iba_recv_take(struct iba_ca *ca, struct iba_qp *qp, struct iba_recv_wr *wr)
{
    struct iba_srq *srq = srq_find(ca, qp->srq);

    return srq ? srq_take(ca, srq, wr) : rq_take(&qp->rq, wr, IBA_DEVIATES(ca, queue, RECV_ORDER));
}

uint32_t iba_recv_free(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return srq_find(ca, qp->srq) ? IBA_NONE : qp->rq.count;
}

static bool takes_receives(const struct iba_ca *ca, uint8_t state)
{
    switch ((enum iba_qp_state)state) {
    case IBA_QPS_RESET: return !IBA_KEEPS(ca, queue, RECV_RESET);
    case IBA_QPS_INIT: return IBA_KEEPS(ca, queue, RECV_INIT);
    case IBA_QPS_ERR: return !IBA_DEVIATES(ca, state, ERR_FLUSHES_POSTS);
    default: return true;
    }
}

/* Also from Error, where each is flushed at once; before Init there is no queue to post to (QS-17, QS-18, QS-25). */
enum iba_verb_err iba_post_recv(struct iba_ca *ca, uint32_t qpn, const struct iba_recv_wr *wr)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);
    enum iba_verb_err e;

    if (!qp)
        return IBA_VERB_NO_QP;
    if (!iba_qp_has(qp, IBA_QP_RECEIVES) || qp->srq != IBA_NONE)
        return IBA_VERB_TYPE;
    if (!takes_receives(ca, qp->state))
        return IBA_VERB_STATE;
    e = rq_put(ca, &qp->rq, wr);
    if (e == IBA_VERB_OK && qp->state == IBA_QPS_ERR && IBA_KEEPS(ca, state, ERR_FLUSHES_POSTS))
        iba_recv_flush(ca, qp);
    return e;
}

static void flushed(struct iba_ca *ca, const struct iba_qp *qp, uint64_t wr_id)
{
    const struct iba_wc wc = {.wr_id = wr_id,
                              .status = IBA_DEVIATES(ca, state, FLUSHED_STATUS) ? IBA_WC_SUCCESS : IBA_WC_FLUSHED,
                              .op = IBA_WR_RECV,
                              .qpn = qp->qpn,
                              .srqn = qp->srq == IBA_NONE ? 0 : qp->srq};

    iba_cq_push(ca, qp->recv_cq, &wc, true);
}

/* Each is taken off before it completes: the completion may overflow its queue and come back here. */
static void flush_queue(struct iba_ca *ca, const struct iba_qp *qp, struct iba_rq *rq)
{
    const bool newest = IBA_DEVIATES(ca, queue, FLUSH_ORDER);
    struct iba_recv_wr wr;

    if (!IBA_KEEPS(ca, state, ERR_FLUSHES_RECVS))
        rq->head = rq->count = 0;
    while (rq_take(rq, &wr, newest))
        flushed(ca, qp, wr.wr_id);
}

void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_srq *srq = srq_find(ca, qp->srq);

    if (qp->r.wqe_held) {
        qp->r.wqe_held = false;
        if (IBA_KEEPS(ca, state, ERR_FLUSHES_HELD))
            flushed(ca, qp, qp->r.wqe.wr_id);
    }
    flush_queue(ca, qp, &qp->rq);
    if (srq && IBA_DEVIATES(ca, state, ERR_KEEPS_SRQ))
        flush_queue(ca, qp, &srq->rq);
}

enum iba_verb_err iba_create_srq(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *ring, uint32_t n,
                                 uint32_t pd, uint32_t *number)
{
    assert(ring && n > 0);
    if (!iba_pd_exists(&ca->mem, pd) && IBA_KEEPS(ca, verb, SRQ_PD))
        return IBA_VERB_NO_PD;
    for (uint32_t i = 0; i < ca->n_srq; i++) {
        if (ca->srq[i])
            continue;
        *srq = (struct iba_srq){.rq = {.ring = ring, .n = n}, .number = i, .pd = pd, .cq = IBA_NONE};
        ca->srq[i] = srq;
        iba_pd_hold(&ca->mem, pd);
        *number = i;
        return IBA_VERB_OK;
    }
    return IBA_VERB_FULL;
}

enum iba_verb_err iba_arm_srq(struct iba_ca *ca, uint32_t number, uint32_t limit)
{
    struct iba_srq *srq = srq_find(ca, number);

    if (!srq)
        return IBA_VERB_NO_SRQ;
    if (limit > srq->rq.n)
        return IBA_VERB_ATTR_VALUE;
    srq->limit = limit;
    return IBA_VERB_OK;
}

enum iba_verb_err iba_destroy_srq(struct iba_ca *ca, uint32_t number)
{
    struct iba_srq *srq = srq_find(ca, number);

    if (!srq)
        return IBA_VERB_NO_SRQ;
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && ca->qp[i]->srq == number && IBA_KEEPS(ca, verb, SRQ_BUSY))
            return IBA_VERB_BUSY;
    iba_pd_release(&ca->mem, srq->pd);
    ca->srq[number] = NULL;
    return IBA_VERB_OK;
}

enum iba_verb_err iba_post_srq_recv(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr)
{
    struct iba_srq *srq = srq_find(ca, number);

    if (!srq)
        return IBA_VERB_NO_SRQ;
    if (srq->error)
        return IBA_VERB_STATE;
    return rq_put(ca, &srq->rq, wr);
}
