/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate in completion queues, receive queues and shared receive queues. */
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/iba_queue.h"
#include "transport/iba_wr_ops.h"

static int changed(const struct iba_ca *ca)
{
    return IBA_CHANGED_ROW(ca, queue);
}

static int state_row(const struct iba_ca *ca)
{
    return IBA_CHANGED_ROW(ca, state);
}

static bool otherwise(const struct iba_ca *ca)
{
    return ca->change->kind == IBA_CHANGE_OTHER;
}

/* ---- completions ---- */

/* The completion queue is full. True: this function has handled the overflow. */
static bool overflows(struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc)
{
    if (changed(ca) == IBA_ROW_queue_CQ_OVERFLOW_FAILS) {
        cq->overflow = true;
        cq->armed = 0;
        iba_raise(ca, IBA_EVENT_CQ_ERROR, 0, cq->number, 0, 0);
        return true;
    }
    if (changed(ca) != IBA_ROW_queue_CQ_OVERFLOW)
        return false;
    if (otherwise(ca)) { /* the oldest completion is lost */
        cq->ring[cq->head] = *wc;
        cq->head = cq->head + 1 == cq->n ? 0 : cq->head + 1;
    }
    return true;
}

/* Returns whether the completion fires an arm for solicited completions. */
static bool is_heard(const struct iba_ca *ca, const struct iba_wc *wc, bool solicited)
{
    const bool error = wc->status != IBA_WC_SUCCESS;

    switch (changed(ca)) {
    case IBA_ROW_queue_ARM_SOLICITED: return otherwise(ca) || error;
    case IBA_ROW_queue_ARM_ERRORS: return !error && solicited;
    default: return solicited || error;
    }
}

enum { ARMED_SOLICITED = 1 }; /* iba_cq.armed */

static void newest_first(struct iba_cq *cq)
{
    const struct iba_wc newest = cq->ring[(cq->head + cq->count - 1) % cq->n];

    cq->head = (cq->head + cq->n - 1) % cq->n;
    cq->ring[cq->head] = newest;
}

/* iba_cq_add() fires the arm. An arm that this completion does not fire is cleared before the call, and restored after
 * it. */
static void add(struct iba_ca *ca, struct iba_cq *cq, const struct iba_wc *wc, bool heard)
{
    const uint8_t armed = cq->armed;
    const bool unheard = !heard && (armed == ARMED_SOLICITED || changed(ca) == IBA_ROW_queue_ARM_NEXT);

    if (unheard)
        cq->armed = 0;
    iba_cq_add(ca, cq, wc, heard);
    if (unheard || changed(ca) == IBA_ROW_queue_ARM_ONCE)
        cq->armed = armed;
    if (changed(ca) == IBA_ROW_queue_CQ_ONCE && cq->count < cq->n)
        cq->ring[(cq->head + cq->count++) % cq->n] = *wc;
    if (changed(ca) == IBA_ROW_queue_CQ_ORDER)
        newest_first(cq);
}

void iba_deviate_push(struct iba_ca *ca, uint32_t number, const struct iba_wc *wc, bool solicited)
{
    struct iba_cq *cq = number < ca->n_cq ? ca->cq[number] : NULL;
    struct iba_wc own = *wc;

    if (!cq) /* the queue was destroyed while the QP used it */
        return;
    if (wc->op == IBA_WR_RECV && wc->status == IBA_WC_FLUSHED && state_row(ca) == IBA_ROW_state_FLUSHED_STATUS)
        own.status = IBA_WC_SUCCESS;
    if (cq->overflow) {
        if (changed(ca) != IBA_ROW_queue_CQ_LOST_FAILS)
            iba_cq_add(ca, cq, &own, solicited);
        return;
    }
    if (cq->count == cq->n) {
        if (!overflows(ca, cq, &own))
            iba_cq_add(ca, cq, &own, solicited);
        return;
    }
    add(ca, cq, &own, is_heard(ca, &own, solicited));
}

/* A ring of fewer entries than completions keeps the oldest ones: RESIZE_FITS. */
void iba_deviate_resized(const struct iba_ca *ca, struct iba_cq *cq)
{
    if (changed(ca) == IBA_ROW_queue_RESIZE_ROOM)
        cq->n = cq->count > 0 ? cq->count : 1;
    if (changed(ca) != IBA_ROW_queue_RESIZE_KEEPS)
        return;
    if (!otherwise(ca))
        cq->count = 0;
    else if (cq->count > 1)
        newest_first(cq);
}

/* ---- receives ---- */

static void reverse(struct iba_rq *rq)
{
    for (uint32_t i = 0; i < rq->count / 2; i++) {
        struct iba_recv_wr *const a = &rq->ring[(rq->head + i) % rq->n];
        struct iba_recv_wr *const b = &rq->ring[(rq->head + rq->count - 1 - i) % rq->n];
        const struct iba_recv_wr taken = *a;
        *a = *b;
        *b = taken;
    }
}

/* FLUSH_ORDER flushes the newest receive first. RECV_ORDER has the newest receive first in its queue, and flushes the
 * oldest first. */
void iba_deviate_flushes_receives(struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_srq *srq = qp->srq < ca->n_srq ? ca->srq[qp->srq] : NULL;

    if (changed(ca) == IBA_ROW_queue_FLUSH_ORDER || changed(ca) == IBA_ROW_queue_RECV_ORDER)
        reverse(&qp->rq);
    if (state_row(ca) == IBA_ROW_state_ERR_FLUSHES_RECVS)
        qp->rq.head = qp->rq.count = 0;
    if (state_row(ca) == IBA_ROW_state_ERR_FLUSHES_HELD)
        qp->r.has_wqe = false;
    if (!srq || state_row(ca) != IBA_ROW_state_ERR_KEEPS_SRQ)
        return;
    if (qp->r.has_wqe) {
        qp->r.has_wqe = false;
        iba_recv_flush_one(ca, qp, qp->r.wqe.wr_id);
    }
    iba_recv_flush_queue(ca, qp, &srq->rq);
}

bool iba_deviate_srq_taken(struct iba_ca *ca, struct iba_srq *srq)
{
    if (changed(ca) == IBA_ROW_queue_SRQ_LIMIT_BELOW && srq->limit > 0 && srq->rq.count == srq->limit)
        srq->limit++;
    if (changed(ca) != IBA_ROW_queue_SRQ_LIMIT_ONCE)
        return false;
    if (srq->rq.count < srq->limit)
        iba_raise(ca, IBA_EVENT_SRQ_LIMIT, 0, srq->number, srq->rq.count, 0);
    return true;
}
