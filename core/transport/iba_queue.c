/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues, receive queues, shared receive queues (sections 10.2.6, 10.2.9, 10.8; QS-31..QS-43). */
#include <assert.h>
#include "transport/deviations.h"
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
        IBA_REFUSE(ca, verb, CQ_BUSY, ca->qp[i] && completes_into(ca->qp[i], number), IBA_VERB_BUSY)
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
    IBA_REFUSE(ca, queue, ARM_LOST, cq->overflow, IBA_VERB_STATE)
    if (asked > cq->armed || !IBA_KEEPS(ca, queue, ARM_STRENGTHENS))
        cq->armed = asked;
    return IBA_VERB_OK;
}

int iba_poll_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *wc)
{
    struct iba_cq *cq = cq_find(ca, number);

    if (!cq || cq->count == 0)
        return 0;
    if (ca->deviate)
        ca->deviate->polled(ca, cq);
    *wc = cq->ring[cq->head];
    cq->head = cq->head + 1 == cq->n ? 0 : cq->head + 1;
    cq->count--;
    return 1;
}

/* A completion for a full queue is lost. The queue becomes unusable, and every QP that completes into it fails
 * (QS-32). */
static void overflow(struct iba_ca *ca, struct iba_cq *cq)
{
    cq->overflow = true;
    cq->armed = UNARMED;
    iba_raise(ca, IBA_EVENT_CQ_ERROR, 0, cq->number, 0, 0);
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && ca->qp[i]->state != IBA_QPS_RESET && completes_into(ca->qp[i], cq->number))
            iba_qp_fail(ca, ca->qp[i]);
}

/* A QP that was in Reset at the overflow, or was created later, fails with its first completion. */
static void push_to_lost_queue(struct iba_ca *ca, const struct iba_wc *wc)
{
    struct iba_qp *qp = iba_qp_find(ca, wc->qpn);

    if (qp)
        iba_qp_fail(ca, qp);
}

/* Errors also fire an arm for solicited completions (QS-33). */
static void notify(struct iba_cq *cq, bool solicited)
{
    if (cq->armed < (solicited ? ARMED_SOLICITED : ARMED_NEXT))
        return;
    cq->armed = UNARMED;
    cq->notified++;
}

void iba_cq_add(struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc, bool solicited)
{
    if (cq->overflow) {
        push_to_lost_queue(ca, wc);
        return;
    }
    if (cq->count == cq->n) {
        overflow(ca, cq);
        return;
    }
    cq->ring[(cq->head + cq->count++) % cq->n] = *wc;
    notify(cq, solicited || wc->status != IBA_WC_SUCCESS);
}

void iba_cq_push(struct iba_ca *ca, uint32_t number, const struct iba_wc *wc, bool solicited)
{
    struct iba_cq *cq = cq_find(ca, number);

    if (ca->deviate) {
        ca->deviate->push(ca, number, wc, solicited);
        return;
    }
    assert(cq);
    iba_cq_add(ca, cq, wc, solicited);
}

/* ---- receive queues of QPs, and shared ones ---- */
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
    if (ca->deviate)
        ca->deviate->queued(ca, rq, false);
    return IBA_VERB_OK;
}

const struct iba_recv_wr *iba_rq_next(const struct iba_rq *rq)
{
    return rq->count > 0 ? &rq->ring[rq->head] : NULL;
}

static bool rq_take(struct iba_rq *rq, struct iba_recv_wr *wr)
{
    if (rq->count == 0)
        return false;
    *wr = rq->ring[rq->head];
    rq->head = rq->head + 1 == rq->n ? 0 : rq->head + 1;
    rq->count--;
    return true;
}

static bool srq_take(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *wr)
{
    if (srq->error || !rq_take(&srq->rq, wr))
        return false;
    if (ca->deviate && ca->deviate->srq_taken(ca, srq))
        return true;
    if (srq->rq.count < srq->limit) {
        srq->limit = 0; /* the event disarms the limit (QS-38) */
        iba_raise(ca, IBA_EVENT_SRQ_LIMIT, 0, srq->number, srq->rq.count, 0);
    }
    return true;
}

bool iba_recv_take(struct iba_ca *ca, struct iba_qp *qp, struct iba_recv_wr *wr)
{
    struct iba_srq *srq = srq_find(ca, qp->srq);

    return srq ? srq_take(ca, srq, wr) : rq_take(&qp->rq, wr);
}

uint32_t iba_recv_free(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return srq_find(ca, qp->srq) ? IBA_NONE : qp->rq.count;
}

/* A QP takes no receives before Init (QS-17, QS-18). */
static bool takes_receives(const struct iba_ca *ca, uint8_t state)
{
    return ca->deviate ? ca->deviate->takes_receives(ca, state) : state != IBA_QPS_RESET;
}

/* Software may post receives in Error too; each is flushed at once (QS-25). */
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

void iba_recv_flush_one(struct iba_ca *ca, const struct iba_qp *qp, uint64_t wr_id)
{
    const struct iba_wc wc = {.wr_id = wr_id,
                              .status = IBA_WC_FLUSHED,
                              .op = IBA_WR_RECV,
                              .qpn = qp->qpn,
                              .srqn = qp->srq == IBA_NONE ? 0 : qp->srq};

    iba_cq_push(ca, qp->recv_cq, &wc, true);
}

/* A completion may overflow its queue and call this function again. So each receive leaves the queue before it
 * completes. */
void iba_recv_flush_queue(struct iba_ca *ca, const struct iba_qp *qp, struct iba_rq *rq)
{
    struct iba_recv_wr wr;

    while (rq->count > 0) {
        if (ca->deviate)
            ca->deviate->queued(ca, rq, true);
        if (rq_take(rq, &wr))
            iba_recv_flush_one(ca, qp, wr.wr_id);
    }
}

/* The receives in an SRQ stay there (QS-27). */
void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp)
{
    if (ca->deviate)
        ca->deviate->flushes_receives(ca, qp);
    if (qp->r.wqe_held) {
        qp->r.wqe_held = false;
        iba_recv_flush_one(ca, qp, qp->r.wqe.wr_id);
    }
    iba_recv_flush_queue(ca, qp, &qp->rq);
}

enum iba_verb_err iba_create_srq(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *ring, uint32_t n,
                                 uint32_t pd, uint32_t *number)
{
    assert(ring && n > 0);
    IBA_REFUSE(ca, verb, SRQ_PD, !iba_pd_exists(&ca->mem, pd), IBA_VERB_NO_PD)
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
        IBA_REFUSE(ca, verb, SRQ_BUSY, ca->qp[i] && ca->qp[i]->srq == number, IBA_VERB_BUSY)
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
