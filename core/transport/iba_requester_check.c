/* SPDX-License-Identifier: BSD-2-Clause */
/* Invariants of every send queue. They are true between two calls for any answers of the peer. */
#include "transport/iba_requester.h"

/* Entries with PSNs come first, and their PSNs have no gap. Local operations between them have no PSNs. */
static bool psns_follow(const struct iba_qp *qp)
{
    const struct iba_sqe *before = NULL;
    bool waiting = false;

    for (uint32_t i = 0; i < qp->s.count; i++) {
        const struct iba_sqe *e = iba_sqe_at(qp, i);
        if (waiting && e->state != IBA_SQE_WAITING)
            return false;
        waiting = e->state == IBA_SQE_WAITING;
        if (e->state == IBA_SQE_FAULTY) /* has PSNs if it failed on a retry, none if it never began */
            before = NULL;
        if (e->state != IBA_SQE_BEGUN)
            continue;
        if (before && !iba_psn_eq(e->first, iba_psn_add(before->last, 1)))
            return false;
        before = e;
    }
    return true;
}

/* RQ-08: rd_open counts the open READs, ATOMICs, FLUSHes and ATOMIC WRITEs of the queue. */
static bool depth_is_counted(const struct iba_qp *qp)
{
    uint32_t open = 0, faulty = 0;

    for (uint32_t i = 0; i < qp->s.count; i++) {
        const struct iba_sqe *e = iba_sqe_at(qp, i);
        open += e->state == IBA_SQE_BEGUN && iba_sqe_is(e, IBA_FORM_RESOURCE);
        faulty += e->state == IBA_SQE_FAULTY;
    }
    return qp->s.rd_open >= open && qp->s.rd_open <= open + faulty;
}

/* RQ-03, RQ-21: the oldest open PSN belongs to the oldest request; the next PSN to send is between the oldest and the
 * highest one. */
static bool window_holds(const struct iba_qp *qp)
{
    const uint32_t high = iba_psn_past(qp, qp->s.high_psn), next = iba_psn_past(qp, qp->s.next_psn);
    const struct iba_sqe *oldest = qp->s.count > 0 ? iba_sqe_at(qp, 0) : NULL;

    if (high >= IBA_PSN_SPAN || next > high || qp->s.next > qp->s.count)
        return false;
    if (!oldest || oldest->state == IBA_SQE_WAITING)
        return high == 0;
    return oldest->state != IBA_SQE_BEGUN ||
           ((qp->s.una.v - oldest->first.v) & IBA_PSN_MASK) <= ((oldest->last.v - oldest->first.v) & IBA_PSN_MASK);
}

bool iba_requester_is_sound(const struct iba_qp *qp)
{
    return psns_follow(qp) && depth_is_counted(qp) && window_holds(qp) &&
           (iba_psn_past(qp, qp->s.high_psn) > 0 || qp->s.ack_due == IBA_NEVER); /* RQ-20 */
}
