/* SPDX-License-Identifier: BSD-2-Clause */
/* The oldest end of the send queue: work requests are acknowledged, complete, fail, are flushed (catalogue 4.1;
 * RQ-53..RQ-55). */
#include <assert.h>
#include <string.h>
#include "transport/deviations.h"
#include "transport/deviations_rd.h"
#include "transport/deviations_requester.h"
#include "transport/iba_rd.h"
#include "transport/iba_wr_ops.h"

void iba_requester_reset(struct iba_qp *qp)
{
    struct iba_sqe *const ring = qp->s.ring;
    const uint32_t n = qp->s.n;

    memset(&qp->s, 0, sizeof qp->s);
    qp->s.ring = ring;
    qp->s.n = n;
    qp->s.ack_due = qp->s.rnr_due = qp->s.page_due = IBA_NEVER;
}

void iba_requester_start(struct iba_qp *qp)
{
    qp->s.next_psn = qp->s.high_psn = qp->s.una = qp->s.asked = iba_psn_of(qp->attr.sq_psn);
    qp->s.ssn = 1; /* RQ-45: one message may start before the first credit arrives */
    qp->s.lsn = 0;
    qp->s.unlimited = !iba_qp_is_reliable(qp) || !qp->attr.flow_control;
    qp->s.retry_left = qp->attr.retry;
    qp->s.rnr_left = qp->attr.rnr_retry;
}

/* The EE context has ended the message of an RD QP, or a RESYNC. */
static void end_message(struct iba_ca *ca, struct iba_qp *ee, enum iba_wc_status status)
{
    struct iba_qp *qp = iba_rd_sender(ca, ee);

    ee->ee.resync = false;
    if (!qp)
        return;
    qp->s.rd_open = 0;
    qp->s.rnr_left = qp->attr.rnr_retry;
    if (status != IBA_WC_SUCCESS) {
        iba_requester_fail(ca, qp, status);
        return;
    }
    iba_sqe_at(qp, 0)->state = IBA_SQE_DONE;
    iba_requester_retire(ca, qp);
}

/* A READ that tag matching posted ends the tagged receive; a FIN comes after it, and ends nothing (VN-05). */
static void complete_tagged(struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                            enum iba_wc_status status)
{
    const bool good = status == IBA_WC_SUCCESS;
    const struct iba_wc wc = {.wr_id = e->wr.wr_id,
                              .status = (uint8_t)status,
                              .op = IBA_WR_RECV,
                              .flags = good ? IBA_WC_TAG_DATA : 0,
                              .byte_len = good ? e->length : 0,
                              .qpn = qp->qpn,
                              .src_qpn = qp->attr.dest_qpn,
                              .srqn = qp->srq};

    if (e->wr.op == IBA_WR_READ)
        iba_cq_push(ca, iba_recv_cq(ca, qp), &wc, false);
}

/* Reports the completion if the work request asks for it, or if it failed (RQ-53, QS-36). */
static void complete(struct iba_ca *ca, struct iba_qp *qp, const struct iba_sqe *e, enum iba_wc_status status)
{
    if (iba_is_context(qp)) {
        end_message(ca, qp, status);
        return;
    }
    if (e->wr.flags & IBA_WR_TAGGED) {
        complete_tagged(ca, qp, e, status);
        return;
    }
    struct iba_wc wc = {.wr_id = e->wr.wr_id,
                        .status = (uint8_t)status,
                        .op = e->wr.op,
                        .byte_len = e->length,
                        .imm_or_key = e->wr.op == IBA_WR_BIND_MW ? e->wr.imm_or_key : 0,
                        .qpn = qp->qpn};
    bool reported = status != IBA_WC_SUCCESS || (e->wr.flags & IBA_WR_SIGNALED) || qp->sq_sig_all;

    if (ca->deviate)
        reported = ca->deviate->completion(ca, qp, e, &wc, reported);
    if (reported)
        iba_cq_push(ca, qp->send_cq, &wc, false);
}

/* A completion may fail the QP (QS-32). So the oldest entry leaves the queue before its completion is reported. */
static void pop(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    const struct iba_sqe *e = iba_sqe_at(qp, 0);

    qp->s.head = qp->s.head + 1 == qp->s.n ? 0 : qp->s.head + 1;
    qp->s.count--;
    if (qp->s.next > 0)
        qp->s.next--;
    complete(ca, qp, e, status);
}

void iba_requester_retire(struct iba_ca *ca, struct iba_qp *qp)
{
    bool any = false;

    if (ca->deviate)
        ca->deviate->retires(ca, qp);
    for (; qp->s.count > 0 && iba_sqe_at(qp, 0)->state == IBA_SQE_DONE; any = true)
        pop(ca, qp, (enum iba_wc_status)iba_sqe_at(qp, 0)->status); /* SUCCESS in an unbroken device */
    if (!iba_qp_is_alive(qp))
        return;
    if (qp->s.count > 0 && iba_sqe_at(qp, 0)->state == IBA_SQE_FAULTY)
        iba_requester_fail(ca, qp, (enum iba_wc_status)iba_sqe_at(qp, 0)->status);
    else if (any && qp->state == IBA_QPS_SQD && iba_requester_idle(qp))
        iba_qp_drained(ca, qp);
}

void iba_requester_flush(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->type == IBA_QPT_RD)
        iba_rd_let_go(ca, qp);
    if (ca->deviate)
        ca->deviate->flushes(ca, qp);
    /* RQ-55: only the oldest request may have a status of its own. */
    enum iba_wc_status own = qp->s.count > 0 ? (enum iba_wc_status)iba_sqe_at(qp, 0)->status : IBA_WC_SUCCESS;
    for (; qp->s.count > 0; own = IBA_WC_FLUSHED)
        pop(ca, qp, own != IBA_WC_SUCCESS ? own : IBA_WC_FLUSHED);
    qp->s.next = 0;
    qp->s.rd_open = 0;
    qp->s.una = qp->s.high_psn = qp->s.asked = qp->s.next_psn;
    qp->s.implied = false;
    qp->s.ack_due = qp->s.rnr_due = qp->s.page_due = IBA_NEVER;
}

/* The message fails, and the EE context stays usable (UU-34, UU-35). The RESYNC takes the place of its entry first, so
 * that completions find the context as it will be. */
static void give_up(struct iba_ca *ca, struct iba_qp *ee, enum iba_wc_status status)
{
    struct iba_qp *qp = iba_rd_sender(ca, ee);

    iba_rd_abandon(ca, ee);
    if (!qp)
        return;
    qp->s.rnr_left = qp->attr.rnr_retry;
    iba_requester_fail(ca, qp, status);
}

void iba_requester_fail(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    assert(qp->s.count > 0);
    iba_sqe_at(qp, 0)->status = (uint8_t)status;
    if (ca->deviate && ca->deviate->fails(ca, qp))
        return;
    if (iba_is_context(qp) && status != IBA_WC_RETRY_EXCEEDED && !qp->ee.resync && IBA_KEEPS(ca, rd, SENDER_USABLE))
        give_up(ca, qp, status);
    else if (iba_qp_is_reliable(qp))
        iba_qp_fail(ca, qp);
    else
        iba_qp_sq_error(ca, qp); /* UU-14, UU-28 */
}

void iba_requester_fault(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);

    e->state = IBA_SQE_FAULTY;
    e->status = (uint8_t)status;
    if (qp->s.next == 0)
        iba_requester_fail(ca, qp, status);
}

/* A new PSN is acknowledged, so the counters are loaded (RQ-24, RQ-31) and the timer restarts (RQ-20). */
static void count_progress(const struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    const struct iba_retries r = iba_requester_retries(ca, qp);

    qp->s.retry_left = r.retry;
    qp->s.rnr_left = r.rnr;
    iba_requester_restart_timer(ca, qp, now);
}

void iba_requester_acknowledge(struct iba_ca *ca, struct iba_qp *qp, iba_psn psn, iba_time now)
{
    if (ca->deviate)
        psn = ca->deviate->acknowledges(ca, qp, psn); /* RQ-35 */
    const uint32_t through = iba_psn_past(qp, psn);

    for (uint32_t i = 0; i < qp->s.count; i++) {
        struct iba_sqe *e = iba_sqe_at(qp, i);
        if (e->state == IBA_SQE_DONE)
            continue;
        if (e->state != IBA_SQE_BEGUN || iba_psn_past(qp, e->last) > through)
            break;
        e->state = IBA_SQE_DONE;
        if (iba_sqe_is(e, IBA_FORM_RESOURCE))
            qp->s.rd_open--;
    }
    qp->s.una = iba_psn_add(psn, 1);
    if (iba_psn_diff(qp->s.una, qp->s.next_psn) > 0) /* a retry need not repeat these PSNs */
        qp->s.next_psn = qp->s.una;
    if (iba_psn_diff(qp->s.una, qp->s.high_psn) > 0) /* only with a changed rule table */
        qp->s.high_psn = qp->s.una;
    qp->s.implied = false;
    if (ca->deviate)
        ca->deviate->progress(ca, qp, now);
    else
        count_progress(ca, qp, now);
    iba_requester_retire(ca, qp);
    iba_requester_step(qp);
}

bool iba_requester_idle(const struct iba_qp *qp)
{
    return qp->s.count == 0 || iba_sqe_at(qp, 0)->state == IBA_SQE_WAITING;
}
