/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues, receive queues, shared receive queues (sections 10.2.6, 10.2.9, 10.8; QS-31..QS-43). */
#include <assert.h>
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/iba_refusals.h"
#include "transport/iba_queue.h"
#include "transport/iba_rd.h"
#include "transport/iba_recv.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_wr_ops.h"
#include "transport/iba_xrc.h"

/* ---- completion queues ---- */
static bool completes_into(const struct iba_qp *qp, uint32_t cq)
{
    return qp->recv_cq == cq || qp->send_cq == cq;
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

static bool has_completing_qp(const struct iba_ca *ca, uint32_t cq)
{
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && completes_into(ca->qp[i], cq))
            return true;
    for (uint32_t i = 0; i < ca->n_srq; i++)
        if (ca->srq[i] && ca->srq[i]->cq == cq)
            return true;
    return false;
}

/* clang-format off */
#define DESTROY_CQ_CHECKS(R, A)                                                                                      \
    A(no_cq_to_destroy, IBA_VERB_NO_CQ, !iba_cq_find(c->ca, c->queue.number),             "QS-28")                       \
    R(verb, CQ_BUSY,    IBA_VERB_BUSY,  has_completing_qp(c->ca, c->queue.number),    "QS-28")
#define ARM_CQ_CHECKS(R, A)                                                                                          \
    A(no_cq_to_arm,     IBA_VERB_NO_CQ, !c->queue.cq,                                 "QS-33")                       \
    R(queue, ARM_LOST,  IBA_VERB_STATE, c->queue.cq->overflow,                        "QS-32")
/* clang-format on */
IBA_REFUSAL_TABLE(DESTROY_CQ_CHECKS, destroy_cq_checks, DESTROY_CQ)
IBA_REFUSAL_TABLE(ARM_CQ_CHECKS, arm_cq_checks, ARM_CQ)

enum iba_verb_err iba_destroy_cq(struct iba_ca *ca, uint32_t number)
{
    struct iba_call c = {.ca = ca, .queue = {.number = number}};
    const int refused = iba_refuse(&c, &destroy_cq_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    ca->cq[number] = NULL;
    return IBA_VERB_OK;
}

enum { UNARMED, ARMED_SOLICITED, ARMED_NEXT }; /* iba_cq.armed, weakest first */

enum iba_verb_err iba_req_notify_cq(struct iba_ca *ca, uint32_t number, bool solicited_only)
{
    struct iba_cq *cq = iba_cq_find(ca, number);
    const uint8_t asked = solicited_only ? ARMED_SOLICITED : ARMED_NEXT;
    struct iba_call c = {.ca = ca, .queue = {.cq = cq, .number = number}};
    const int refused = iba_refuse(&c, &arm_cq_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    assert(cq); /* by a row */
    if (asked > cq->armed)
        cq->armed = asked;
    return IBA_VERB_OK;
}

/* clang-format off */
#define RESIZE_CQ_CHECKS(R, A)                                                                                       \
    A(no_cq_to_resize,    IBA_VERB_NO_CQ, !c->queue.cq,                               "QS-35")                       \
    R(queue, RESIZE_FITS, IBA_VERB_FULL,  c->queue.n < c->queue.cq->count,            "QS-35")
/* clang-format on */
IBA_REFUSAL_TABLE(RESIZE_CQ_CHECKS, resize_cq_checks, RESIZE_CQ)

/* The completions move to the new ring, oldest first. An arm and an overflow stay as they are. */
enum iba_verb_err iba_resize_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *ring, uint32_t n)
{
    struct iba_cq *cq = iba_cq_find(ca, number);
    struct iba_call c = {.ca = ca, .queue = {.cq = cq, .number = number, .n = n}};
    const int refused = iba_refuse(&c, &resize_cq_checks);
    uint32_t kept = 0;

    assert(ring && n > 0);
    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    assert(cq && ring != cq->ring); /* the queue: by a row */
    while (kept < n && iba_poll_cq(ca, number, &ring[kept]) > 0)
        kept++;
    cq->ring = ring;
    cq->n = n;
    cq->head = 0;
    cq->count = kept;
    if (ca->deviate)
        ca->deviate->resized(ca, cq);
    return IBA_VERB_OK;
}

int iba_poll_cq(struct iba_ca *ca, uint32_t number, struct iba_wc *wc)
{
    struct iba_cq *cq = iba_cq_find(ca, number);

    if (!cq || cq->count == 0)
        return 0;
    *wc = cq->ring[cq->head];
    cq->head = cq->head + 1 == cq->n ? 0 : cq->head + 1;
    cq->count--;
    return 1;
}

/* An SRQ of XRC that has lost a completion is in error: it gives no more receives (QS-43). */
static void srq_fail(struct iba_ca *ca, struct iba_srq *srq)
{
    srq->error = true;
    iba_raise(ca, IBA_EVENT_SRQ_CATASTROPHIC, 0, srq->number, 0, 0);
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
    for (uint32_t i = 0; i < ca->n_srq; i++)
        if (ca->srq[i] && ca->srq[i]->cq == cq->number)
            srq_fail(ca, ca->srq[i]);
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
    struct iba_cq *cq = iba_cq_find(ca, number);

    if (ca->deviate) {
        ca->deviate->push(ca, number, wc, solicited);
        return;
    }
    assert(cq);
    iba_cq_add(ca, cq, wc, solicited);
}

/* ---- receive queues of QPs, and shared ones ---- */
void iba_rq_put(struct iba_rq *rq, const struct iba_recv_wr *wr)
{
    struct iba_recv_wr *entry = &rq->ring[(rq->head + rq->count++) % rq->n];

    *entry = *wr;
    entry->at = 0;
    entry->matched = 0;
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

bool iba_recv_take(struct iba_ca *ca, struct iba_qp *qp, struct iba_srq *srq, struct iba_recv_wr *wr)
{
    return srq ? srq_take(ca, srq, wr) : rq_take(&qp->rq, wr);
}

uint32_t iba_recv_free(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return iba_qp_has(qp, IBA_QP_TARGETS) || iba_srq_find(ca, qp->srq) ? IBA_NONE : qp->rq.count;
}

/* clang-format off */
/* A QP takes no receives before Init (QS-17, QS-18). Credits count the messages that a QP's own receives are for (RR-19),
 * so these do not stream. */
#define POST_RECV_CHECKS(R, A)                                                                                        \
    A(no_qp_to_receive,     IBA_VERB_NO_QP, !c->qp,                                                      "QS-83")     \
    A(no_own_receive_queue, IBA_VERB_TYPE,  !iba_qp_has(c->qp, IBA_QP_RECEIVES) || c->qp->srq != IBA_NONE, "QS-83")   \
    R(queue, RECV_RESET,    IBA_VERB_STATE, c->qp->state == IBA_QPS_RESET,                               "QS-17")     \
    A(receive_too_long,     IBA_VERB_SGE,   c->receive.wr->n_sge > IBA_MAX_SGE,                          "QS-83")     \
    A(receive_malformed,    IBA_VERB_ATTR_VALUE, !iba_recv_legal(c->receive.wr),                         "QS-81")     \
    A(receive_streams,      IBA_VERB_ATTR_VALUE, c->receive.wr->most > 0,                                "RR-19")     \
    A(receive_queue_full,   IBA_VERB_FULL,  c->receive.rq->count == c->receive.rq->n,                    "QS-83")
/* clang-format on */
IBA_REFUSAL_TABLE(POST_RECV_CHECKS, post_recv_checks, POST_RECV)

/* Software may post receives in Error too; each is flushed at once (QS-25). */
enum iba_verb_err iba_post_recv(struct iba_ca *ca, uint32_t qpn, const struct iba_recv_wr *wr)
{
    struct iba_qp *qp = iba_qp_find(ca, qpn);
    struct iba_call c = {.ca = ca, .qp = qp, .receive = {.wr = wr, .rq = qp ? &qp->rq : NULL}};
    const int refused = iba_refuse(&c, &post_recv_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    iba_rq_put(&qp->rq, wr);
    if (qp->state == IBA_QPS_ERR)
        iba_recv_flush(ca, qp);
    return IBA_VERB_OK;
}

void iba_recv_flush_one(struct iba_ca *ca, const struct iba_qp *qp, uint64_t wr_id)
{
    const struct iba_wc wc = {.wr_id = wr_id,
                              .status = IBA_WC_FLUSHED,
                              .op = IBA_WR_RECV,
                              .qpn = qp->qpn,
                              .srqn = qp->srq == IBA_NONE ? 0 : qp->srq};

    iba_cq_push(ca, iba_recv_cq(ca, qp), &wc, true);
}

/* A completion may overflow its queue and call this function again. So each receive leaves the queue before it
 * completes. */
void iba_recv_flush_queue(struct iba_ca *ca, const struct iba_qp *qp, struct iba_rq *rq)
{
    struct iba_recv_wr wr;

    while (rq_take(rq, &wr))
        iba_recv_flush_one(ca, qp, wr.wr_id);
}

/* An EE context has no receives, but may use one of an RD QP. */
static void flush_user(struct iba_ca *ca, struct iba_qp *ee)
{
    const struct iba_qp *qp = iba_qp_find(ca, ee->ee.receiver);
    const bool used = ee->r.has_wqe;

    ee->r.has_wqe = false;
    ee->r.op = IBA_NO_MESSAGE;
    if (used && qp && qp->type == IBA_QPT_RD)
        iba_recv_flush_one(ca, qp, ee->r.wqe.wr_id);
}

/* The receives in an SRQ stay there (QS-27). */
void iba_recv_flush(struct iba_ca *ca, struct iba_qp *qp)
{
    uint64_t id;

    if (ca->deviate)
        ca->deviate->flushes_receives(ca, qp);
    if (iba_is_context(qp)) {
        flush_user(ca, qp);
        return;
    }
    while (qp->type == IBA_QPT_RD && iba_rd_take_back(ca, qp, &id))
        iba_recv_flush_one(ca, qp, id);
    if (qp->r.has_wqe) {
        qp->r.has_wqe = false;
        iba_recv_flush_one(ca, qp, qp->r.wqe.wr_id);
    }
    iba_recv_flush_queue(ca, qp, &qp->rq);
    iba_xrc_note(qp, IBA_NONE, IBA_NONE);
}

static bool has_taking_qp(const struct iba_ca *ca, uint32_t srq)
{
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && ca->qp[i]->srq == srq)
            return true;
    return false;
}

/* clang-format off */
#define CREATE_SRQ_CHECKS(R, A)                                                                                      \
    R(verb, SRQ_PD,      IBA_VERB_NO_PD,  !iba_pd_exists(&c->ca->mem, c->queue.pd),     "QS-42")
#define DESTROY_SRQ_CHECKS(R, A)                                                                                     \
    A(no_srq_to_destroy, IBA_VERB_NO_SRQ, !iba_srq_find(c->ca, c->queue.number),            "QS-28")                     \
    R(verb, SRQ_BUSY,    IBA_VERB_BUSY,   has_taking_qp(c->ca, c->queue.number),        "QS-28")
/* clang-format on */
IBA_REFUSAL_TABLE(CREATE_SRQ_CHECKS, create_srq_checks, CREATE_SRQ)
IBA_REFUSAL_TABLE(DESTROY_SRQ_CHECKS, destroy_srq_checks, DESTROY_SRQ)

enum iba_verb_err iba_create_srq(struct iba_ca *ca, struct iba_srq *srq, struct iba_recv_wr *ring, uint32_t n,
                                 uint32_t pd, uint32_t *number)
{
    struct iba_call c = {.ca = ca, .queue = {.pd = pd}};
    const int refused = iba_refuse(&c, &create_srq_checks);

    assert(ring && n > 0);
    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    for (uint32_t i = 0; i < ca->n_srq; i++) {
        if (ca->srq[i])
            continue;
        *srq = (struct iba_srq){.rq = {.ring = ring, .n = n}, .number = i, .pd = pd, .cq = IBA_NONE, .xrcd = IBA_NONE};
        ca->srq[i] = srq;
        iba_pd_hold(&ca->mem, pd);
        *number = i;
        return IBA_VERB_OK;
    }
    return IBA_VERB_FULL;
}

enum iba_verb_err iba_arm_srq(struct iba_ca *ca, uint32_t number, uint32_t limit)
{
    struct iba_srq *srq = iba_srq_find(ca, number);

    if (!srq)
        return IBA_VERB_NO_SRQ;
    if (limit > srq->rq.n)
        return IBA_VERB_ATTR_VALUE;
    srq->limit = limit;
    return IBA_VERB_OK;
}

enum iba_verb_err iba_destroy_srq(struct iba_ca *ca, uint32_t number)
{
    struct iba_call c = {.ca = ca, .queue = {.number = number}};
    const int refused = iba_refuse(&c, &destroy_srq_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    iba_pd_release(&ca->mem, ca->srq[number]->pd);
    iba_xrcd_release(ca, ca->srq[number]->xrcd);
    ca->srq[number] = NULL;
    return IBA_VERB_OK;
}

/* clang-format off */
#define POST_SRQ_RECV_CHECKS(R, A)                                                                                   \
    A(no_srq,               IBA_VERB_NO_SRQ, !c->receive.srq,                                "QS-83")                \
    A(srq_lost,             IBA_VERB_STATE,  c->receive.srq->error,                          "QS-43")               \
    A(srq_receive_too_long, IBA_VERB_SGE,    c->receive.wr->n_sge > IBA_MAX_SGE,             "QS-83")                \
    A(srq_receive_malformed, IBA_VERB_ATTR_VALUE, !iba_recv_legal(c->receive.wr),            "QS-81")                \
    A(srq_full,             IBA_VERB_FULL,   c->receive.rq->count == c->receive.rq->n,       "QS-83")
/* clang-format on */
IBA_REFUSAL_TABLE(POST_SRQ_RECV_CHECKS, post_srq_recv_checks, POST_SRQ_RECV)

enum iba_verb_err iba_post_srq_recv(struct iba_ca *ca, uint32_t number, const struct iba_recv_wr *wr)
{
    struct iba_srq *srq = iba_srq_find(ca, number);
    struct iba_call c = {.ca = ca, .receive = {.wr = wr, .rq = srq ? &srq->rq : NULL, .srq = srq}};
    const int refused = iba_refuse(&c, &post_srq_recv_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    iba_rq_put(&srq->rq, wr);
    return IBA_VERB_OK;
}
