/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate as requesters. The functions of this file act by the rows of deviations_requester.h at the
 * points of deviations.h. deviations_request.c changes the packets. */
#include "transport/deviations_requester.h"
#include "transport/deviations.h"
#include "transport/deviations_actions.h"
#include "transport/deviations_request.h"
#include "transport/iba_receiver.h"
#include "transport/iba_rd.h"
#include "transport/iba_wr_ops.h"

static int changed(const struct iba_ca *ca)
{
    return IBA_CHANGED_ROW(ca, requester);
}

static bool otherwise(const struct iba_ca *ca)
{
    return ca->change->kind == IBA_CHANGE_OTHER;
}

/* ---- the order of requests ---- */

static void exchange(struct iba_sqe *a, struct iba_sqe *b)
{
    const struct iba_sqe taken = *a;

    *a = *b;
    *b = taken;
}

/* wc_order: the finished requests at the head of the queue complete in reverse order. */
void iba_deviate_retires(const struct iba_ca *ca, struct iba_qp *qp)
{
    uint32_t n = 0;

    if (changed(ca) != IBA_ROW_requester_wc_order)
        return;
    while (n < qp->s.count && iba_sqe_at(qp, n)->state == IBA_SQE_DONE)
        n++;
    for (uint32_t i = 0; i < n / 2; i++)
        exchange(iba_sqe_at(qp, i), iba_sqe_at(qp, n - 1 - i));
}

/* ---- which request may go ---- */

/* Changes `qp` and `e`, which are copies, so that the engine's own check permits what the broken device permits. */
static void permit_as_broken(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    const bool waits = e->state == IBA_SQE_WAITING, beyond = iba_psn_diff(qp->s.una, e->first) <= 0;

    switch (changed(ca)) {
    case IBA_ROW_requester_rnr_holds: qp->s.rnr_due = IBA_NEVER; break;
    case IBA_ROW_requester_sqd_holds: qp->state = IBA_QPS_RTS; break;
    case IBA_ROW_requester_fence:
        if (!otherwise(ca) || qp->s.rd_open == 1)
            e->wr.flags &= (uint8_t)~IBA_WR_FENCE;
        break;
    case IBA_ROW_requester_invalidate_waits: qp->s.next = 0; break;
    case IBA_ROW_requester_read_depth:
        if (!otherwise(ca) || qp->s.rd_open == qp->attr.max_rd)
            qp->attr.max_rd = (uint8_t)(qp->s.rd_open + 1);
        break;
    case IBA_ROW_requester_credit_limit: qp->s.unlimited = true; break;
    case IBA_ROW_requester_credit_one_packet: qp->s.unlimited |= !waits; break;
    case IBA_ROW_requester_credit_one_beyond: qp->s.ssn += otherwise(ca) ? -1u : 1u; break;
    case IBA_ROW_requester_psn_span: qp->s.una = !waits && beyond ? e->first : qp->s.next_psn; break;
    default: break;
    }
}

bool iba_deviate_may_go(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    struct iba_qp seen = *qp;
    struct iba_sqe next = *e;

    if (qp->s.alone && iba_psn_eq(qp->s.una, qp->s.alone_psn) && !iba_psn_eq(qp->s.next_psn, qp->s.una))
        return false;
    if (e->state == IBA_SQE_BEGUN && qp->state == IBA_QPS_SQD && changed(ca) == IBA_ROW_requester_sqd_finishes)
        return false;
    if (changed(ca) == IBA_ROW_requester_credit_receives && e->state == IBA_SQE_WAITING &&
        e->status == IBA_WC_SUCCESS && !iba_sqe_is(e, IBA_FORM_LOCAL) && iba_requester_limited(qp, qp->s.ssn - 1))
        return false;
    permit_as_broken(ca, &seen, &next);
    if (e->wr.op == IBA_WR_READ && !IBA_KEEPS(ca, packet, reads_reserve))
        next.length = 0; /* a message of no bytes takes one PSN */
    return iba_sqe_may_go(&seen, &next);
}

/* Begins the entry. credit_others_add: the credit limit does not change. */
static void begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    iba_sqe_begin(ca, qp, e);
    e->last = iba_psn_add(e->first, (uint32_t)(iba_changed_cut(ca, qp, e).packets - 1));
    if (changed(ca) == IBA_ROW_requester_credit_others_add && !iba_sqe_is(e, IBA_FORM_RECEIVED))
        qp->s.lsn = (qp->s.lsn - 1) & IBA_PSN_MASK;
}

/* zero_length: a message of zero length completes without a packet. local_fails: so does a bind or local invalidation
 * that memory refuses. */
static bool serve(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, iba_time now, struct iba_tx *tx)
{
    const bool waits = e->state == IBA_SQE_WAITING, local = iba_sqe_is(e, IBA_FORM_LOCAL);

    if ((waits && e->status != IBA_WC_SUCCESS) || qp->type == IBA_QPT_RD)
        return iba_requester_serve(ca, qp, e, now, tx);
    if (local && changed(ca) != IBA_ROW_requester_local_fails)
        return iba_requester_serve(ca, qp, e, now, tx);
    if (local)
        (void)iba_sqe_execute(ca, qp, e);
    if (local || (waits && e->length == 0 && changed(ca) == IBA_ROW_requester_zero_length)) {
        iba_sqe_finish(ca, qp, e);
        return false;
    }
    if (waits)
        begin(ca, qp, e);
    if (!iba_changed_request(ca, qp, e, now, tx))
        return false;
    if (iba_sqe_advance(qp, e) && changed(ca) != IBA_ROW_requester_uc_completes)
        iba_sqe_finish(ca, qp, e);
    return true;
}

bool iba_deviate_serve(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, iba_time now, struct iba_tx *tx)
{
    const bool sent = serve(ca, qp, e, now, tx);

    if (changed(ca) == IBA_ROW_requester_fault_waits && qp->s.next > 0 && e->state == IBA_SQE_FAULTY)
        iba_requester_fail(ca, qp, (enum iba_wc_status)e->status);
    return sent;
}

/* ---- credits ---- */

bool iba_deviate_credit(const struct iba_ca *ca, struct iba_qp *qp, unsigned *code, uint32_t *msn)
{
    const bool no_limit = *code == IBA_CREDIT_NO_LIMIT;

    if (no_limit && !iba_keeps(ca->change, &iba_credit_behaviours, IBA_CREDIT_NO_LIMIT))
        return false;
    *code = iba_row_for(ca->change, &iba_credit_behaviours, *code);
    switch (changed(ca)) {
    case IBA_ROW_requester_credit_negotiated:
        if (!no_limit && !qp->attr.flow_control)
            qp->s.unlimited = false;
        return true;
    case IBA_ROW_requester_credit_taken: return no_limit;
    case IBA_ROW_requester_credit_from_msn: *msn = qp->s.ssn - 1; return true;
    case IBA_ROW_requester_credit_forward:
        if (!no_limit && !qp->s.unlimited)
            qp->s.lsn = (*msn + iba_credit_count((uint8_t)*code)) & IBA_PSN_MASK;
        return true;
    default: return true;
    }
}

/* ---- timers and retries ---- */

iba_time iba_deviate_ack_timeout(const struct iba_ca *ca, const struct iba_qp *qp)
{
    const unsigned code = iba_row_in_ring(ca->change, &iba_ack_timeout_behaviours, qp->attr.timeout & 31u);
    const iba_time t = iba_ack_timeout_ns((uint8_t)code);

    switch (changed(ca)) {
    case IBA_ROW_requester_timer_runs: return 0;
    case IBA_ROW_requester_timer_not_early: return t / 2;
    case IBA_ROW_requester_timer_not_late: return 8 * t;
    default: return t;
    }
}

enum { FOR_EVER = UINT8_MAX }; /* retry count: it is loaded again before each retry is counted */

static bool retries_for_ever(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return changed(ca) == IBA_ROW_requester_retry_bound ||
           iba_deviates(ca->change, &iba_retry_behaviours, qp->attr.retry);
}

struct iba_retries iba_deviate_retries(const struct iba_ca *ca, const struct iba_qp *qp)
{
    const unsigned retry = iba_row_for(ca->change, &iba_retry_behaviours, qp->attr.retry & IBA_RETRIES_MOST);
    const unsigned rnr = iba_row_for(ca->change, &iba_rnr_retry_behaviours, qp->attr.rnr_retry & IBA_RETRIES_MOST);

    return (struct iba_retries){.retry = (uint8_t)(retries_for_ever(ca, qp) ? (unsigned)FOR_EVER : retry),
                                .rnr = (uint8_t)rnr};
}

/* A new PSN was acknowledged. */
void iba_deviate_progress(const struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    const bool runs = qp->s.ack_due != IBA_NEVER, waits = iba_psn_diff(qp->s.asked, qp->s.una) > 0;
    const struct iba_retries r = iba_requester_retries(ca, qp);
    const int row = changed(ca);

    if (row != IBA_ROW_requester_retry_reload)
        qp->s.retry_left = r.retry;
    if (row != IBA_ROW_requester_rnr_reload)
        qp->s.rnr_left = r.rnr;
    if (!runs || row != (waits ? IBA_ROW_requester_timer_restarts : IBA_ROW_requester_timer_stops))
        iba_requester_restart_timer(ca, qp, now);
}

/* After a timeout an unbroken device goes back to the oldest unacknowledged packet. This device goes back to the packet
 * after that, if one was sent. */
static void go_back_too_little(struct iba_qp *qp)
{
    const iba_psn second = iba_psn_add(qp->s.una, 1);

    if (iba_psn_diff(second, qp->s.high_psn) >= 0)
        return;
    if (iba_psn_eq(qp->s.una, iba_sqe_at(qp, 0)->last)) {
        if (qp->s.count < 2 || iba_sqe_at(qp, 1)->state != IBA_SQE_BEGUN)
            return;
        qp->s.next = 1;
    }
    qp->s.next_psn = second;
}

/* Sending continues where it was before the timeout or the RNR NAK. */
static void go_on(struct iba_qp *qp, const struct iba_qp *was)
{
    qp->s.next = was->s.next;
    qp->s.next_psn = was->s.next_psn;
    qp->s.asked = was->s.asked;
    qp->s.unasked = was->s.unasked;
}

static void go_back(struct iba_ca *ca, struct iba_qp *qp, const struct iba_qp *was, iba_time now)
{
    switch (changed(ca)) {
    case IBA_ROW_requester_resends:
        go_on(qp, was);
        iba_requester_restart_timer(ca, qp, now);
        break;
    case IBA_ROW_requester_resend_oldest: go_back_too_little(qp); break;
    case IBA_ROW_requester_resend_rest: /* the timer runs even if the packet asks for no ACK */
        qp->s.alone = true;
        qp->s.alone_psn = qp->s.una;
        qp->s.ack_due = now + iba_requester_ack_timeout(ca, qp);
        break;
    default: break;
    }
}

void iba_deviate_timeout(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    const struct iba_qp was = *qp;

    if (retries_for_ever(ca, qp))
        qp->s.retry_left = FOR_EVER;
    iba_requester_timeout(ca, qp);
    if (iba_requester_has_open(&was) && was.s.retry_left > 0)
        go_back(ca, qp, &was, now);
}

/* Acknowledges all PSNs before `psn`. False: the QP failed, or no request is left. */
static bool acknowledge_before(struct iba_rx *x, iba_psn psn)
{
    if (iba_psn_past(x->qp, psn) > 0)
        iba_requester_acknowledge(x->ca, x->qp, iba_psn_add(psn, IBA_PSN_MASK), x->now);
    return iba_qp_is_alive(x->qp) && x->qp->s.count > 0;
}

/* The packet of `psn` was lost. True: the function has handled this. */
static bool retry(struct iba_rx *x, iba_psn psn)
{
    struct iba_qp *qp = x->qp;

    if (changed(x->ca) == IBA_ROW_requester_nak_acks_before) {
        if (qp->s.retry_left > 0)
            qp->s.retry_left--;
        iba_requester_rewind(qp);
        return true;
    }
    if (changed(x->ca) != IBA_ROW_requester_retry_shared && !retries_for_ever(x->ca, qp))
        return false;
    if (acknowledge_before(x, psn))
        iba_requester_rewind(qp);
    return true;
}

void iba_changed_resend(struct iba_rx *x)
{
    if (!retry(x, x->psn))
        iba_requester_resend(x);
}

void iba_changed_ask_again(struct iba_rx *x)
{
    if (retry(x, iba_requester_missing(x)))
        x->qp->s.implied = true;
    else
        iba_requester_ask_again(x);
}

/* ---- RNR NAKs ---- */

static iba_time rnr_time(const struct iba_rx *x)
{
    const unsigned named = iba_aeth_syn_value(iba_view_hdr(x->v, IBA_H_aeth));
    const iba_time t = iba_rnr_timer_ns((uint8_t)iba_row_in_ring(x->ca->change, &iba_rnr_timer_behaviours, named));

    return changed(x->ca) == IBA_ROW_requester_rnr_time ? t / 2 : t;
}

/* RQ-31: in this device an RNR NAK uses up a retry. False: no retry was left. */
static bool retry_is_left(struct iba_rx *x)
{
    if (x->qp->s.retry_left > 0) {
        x->qp->s.retry_left--;
        return true;
    }
    iba_requester_fail(x->ca, x->qp, IBA_WC_RETRY_EXCEEDED);
    return false;
}

/* RD: the QP waits instead of its EE context. */
static void wait_as_sender(const struct iba_rx *x)
{
    struct iba_qp *qp = iba_qp_find(x->ca, x->qp->ee.sender);

    if (qp && qp->s.rnr_due != IBA_NEVER)
        qp->s.rnr_due = x->now + rnr_time(x);
}

void iba_changed_wait(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp, was;
    const int row = changed(x->ca);
    const bool resumes = row != IBA_ROW_requester_rnr_resumes, stops = row != IBA_ROW_requester_rnr_stops_timer;
    const bool apart = row != IBA_ROW_requester_rnr_counted_apart;

    if (row == IBA_ROW_requester_rnr_acks_before)
        x->psn = qp->s.una;
    if ((!resumes || !stops || !apart) && !acknowledge_before(x, x->psn))
        return;
    if (!apart && !retry_is_left(x))
        return;
    was = *qp;
    iba_requester_wait(x);
    if (iba_is_context(qp)) {
        wait_as_sender(x);
        return;
    }
    if (!iba_qp_is_alive(qp) || qp->s.count == 0) /* the RNR NAK failed the QP, or acknowledged all its requests */
        return;
    if (!resumes)
        go_on(qp, &was);
    if (!resumes || !stops)
        qp->s.ack_due = was.s.ack_due;
    if (qp->s.rnr_left > 0 && qp->attr.rnr_retry == IBA_RNR_FOR_EVER &&
        iba_deviates(x->ca->change, &iba_rnr_retry_behaviours, IBA_RNR_FOR_EVER))
        qp->s.rnr_left--;
    qp->s.rnr_due = x->now + rnr_time(x);
}

/* ---- acknowledgements and completions ---- */

/* coalesced: an ACK completes one request only, the oldest open one. */
iba_psn iba_deviate_acknowledges(const struct iba_ca *ca, const struct iba_qp *qp, iba_psn psn)
{
    for (uint32_t i = 0; i < qp->s.count && changed(ca) == IBA_ROW_requester_coalesced; i++) {
        const struct iba_sqe *e = iba_sqe_at(qp, i);
        if (e->state == IBA_SQE_BEGUN)
            return iba_psn_past(qp, e->last) < iba_psn_past(qp, psn) ? e->last : psn;
    }
    return psn;
}

void iba_changed_store_atomic(struct iba_rx *x)
{
    if (changed(x->ca) == IBA_ROW_requester_atomic_host_order)
        iba_requester_store(x, iba_view_hdr(x->v, IBA_H_atomicacketh), 8);
    else
        iba_requester_store_atomic(x);
}

bool iba_deviate_fails(struct iba_ca *ca, struct iba_qp *qp)
{
    const struct iba_sqe *oldest = iba_sqe_at(qp, 0);

    if (changed(ca) == IBA_ROW_requester_error_stops && oldest->state == IBA_SQE_BEGUN) {
        iba_requester_acknowledge(ca, qp, oldest->last, ca->now);
        return true;
    }
    if (changed(ca) != IBA_ROW_requester_sqe)
        return false;
    iba_qp_fail(ca, qp);
    return true;
}

/* wc_first_status: the first request loses its own status; OTHER: all requests have the status of the first. */
void iba_deviate_flushes(const struct iba_ca *ca, struct iba_qp *qp)
{
    if (changed(ca) != IBA_ROW_requester_wc_first_status || qp->s.count == 0)
        return;
    if (!otherwise(ca))
        iba_sqe_at(qp, 0)->status = IBA_WC_SUCCESS;
    for (uint32_t i = 1; i < qp->s.count && otherwise(ca); i++)
        iba_sqe_at(qp, i)->status = iba_sqe_at(qp, 0)->status;
}

static bool is_reported(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e, uint8_t status,
                        bool reported)
{
    const bool signaled = (e->wr.flags & IBA_WR_SIGNALED) != 0;

    switch (changed(ca)) {
    case IBA_ROW_requester_wc_signal_all: return signaled || status != IBA_WC_SUCCESS;
    case IBA_ROW_requester_wc_flushed: return reported && status != IBA_WC_FLUSHED;
    case IBA_ROW_requester_wc_unsignaled: return true;
    case IBA_ROW_requester_wc_failed: return signaled || qp->sq_sig_all;
    default: return reported;
    }
}

bool iba_deviate_completion(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                            struct iba_wc *wc, bool reported)
{
    const uint8_t status = wc->status;

    switch (changed(ca)) {
    case IBA_ROW_requester_wc_id: wc->wr_id = 0; break;
    case IBA_ROW_requester_wc_op: wc->op = IBA_WR_SEND; break;
    case IBA_ROW_requester_wc_bytes: wc->byte_len = 0; break;
    case IBA_ROW_requester_wc_bound_key: wc->imm_or_key = 0; break;
    case IBA_ROW_requester_wc_qpn: wc->qpn = 0; break;
    case IBA_ROW_requester_wc_first_status:
        if (otherwise(ca) && status == IBA_WC_FLUSHED && e->status != IBA_WC_SUCCESS)
            wc->status = e->status;
        break;
    default: break;
    }
    wc->status = (uint8_t)iba_row_in_ring(ca->change, &iba_status_behaviours, wc->status);
    return is_reported(ca, qp, e, status, reported);
}
