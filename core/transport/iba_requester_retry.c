/* SPDX-License-Identifier: BSD-2-Clause */
/* What the requester does when a timer of its has run out: it sends again, or gives up (catalogue 4.2, 4.3). */
#include "transport/iba_requester.h"

/* What is sent next is the oldest unacknowledged packet: here the one behind it, where there is one. */
static void go_back_too_little(struct iba_qp *qp)
{
    const iba_psn behind = iba_psn_add(qp->s.una, 1);

    if (iba_psn_diff(behind, qp->s.high_psn) >= 0)
        return;
    if (iba_psn_eq(qp->s.una, iba_sqe_at(qp, 0)->last)) {
        if (qp->s.count < 2 || iba_sqe_at(qp, 1)->state != IBA_SQE_BEGUN)
            return;
        qp->s.next = 1;
    }
    qp->s.next_psn = behind;
}

/* One more try, if one is left (RQ-22: 7 means seven). */
static void timeout(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    const bool for_ever = iba_retries_for_ever(ca, qp);

    qp->s.ack_due = IBA_NEVER;
    if (qp->s.count == 0 || iba_psn_eq(qp->s.una, qp->s.high_psn)) /* only a changed device comes here */
        return;
    if (qp->s.retry_left == 0 && !for_ever) {
        iba_requester_fail(ca, qp, IBA_WC_RETRY_EXCEEDED);
        return;
    }
    if (!for_ever)
        qp->s.retry_left--;
    qp->s.implied = false;
    if (!IBA_KEEPS(ca, requester, resends)) {
        iba_requester_restart_timer(ca, qp, now);
        return;
    }
    iba_requester_rewind(qp);
    if (IBA_DEVIATES(ca, requester, resend_oldest))
        go_back_too_little(qp);
    qp->s.alone = IBA_DEVIATES(ca, requester, resend_rest);
    qp->s.alone_psn = qp->s.una;
    if (qp->s.alone) /* whether that packet asks for an answer or not */
        qp->s.ack_due = now + iba_requester_ack_timeout(ca, qp);
}

void iba_requester_advance(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    if (qp->s.rnr_due <= now)
        qp->s.rnr_due = IBA_NEVER;
    if (qp->s.page_due <= now)
        qp->s.page_due = IBA_NEVER;
    if (qp->s.ack_due <= now)
        timeout(ca, qp, now);
}
