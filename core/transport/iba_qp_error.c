/* SPDX-License-Identifier: BSD-2-Clause */
/* Transitions that a QP makes by itself: Error, Send Queue Error, the end of Send Queue Drain (section 10.3.1; QS-23,
 * QS-24, QS-25). */
#include "transport/deviations.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_queue.h"
#include "transport/iba_rd.h"

/* RQ-61: a QP in Error is silent. The exception is a responder that itself ends the connection: its NAK still leaves,
 * and before the NAK the responses to earlier requests (RR-06). */
static void fall_silent(struct iba_qp *qp)
{
    qp->cnp_due = qp->becn_due = false;
    if (!qp->r.last_words)
        qp->r.resp_count = 0;
}

void iba_qp_enter(struct iba_ca *ca, struct iba_qp *qp, enum iba_qp_state state)
{
    qp->state = (uint8_t)state;
    if (ca->deviate)
        ca->deviate->entered(ca, qp);
}

void iba_qp_part(struct iba_ca *ca, struct iba_qp *qp)
{
    uint64_t id;

    if (iba_is_context(qp))
        iba_requester_flush(ca, qp);
    if (qp->type != IBA_QPT_RD)
        return;
    iba_rd_let_go(ca, qp);
    while (iba_rd_take_back(ca, qp, &id)) {
    }
}

void iba_qp_fail(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->state == IBA_QPS_ERR)
        return;
    iba_qp_enter(ca, qp, IBA_QPS_ERR);
    fall_silent(qp);
    iba_requester_flush(ca, qp);
    iba_recv_flush(ca, qp);
    if (qp->srq != IBA_NONE) /* receives in the SRQ stay there (QS-27) */
        iba_raise(ca, IBA_EVENT_LAST_WQE_REACHED, qp->attr.port, qp->qpn, 0, 0);
}

void iba_qp_sq_error(struct iba_ca *ca, struct iba_qp *qp)
{
    if (iba_qp_has(qp, IBA_QP_RELIABLE)) { /* RC never enters SQE (QS-24) */
        iba_qp_fail(ca, qp);
        return;
    }
    if (qp->state == IBA_QPS_ERR)
        return;
    iba_qp_enter(ca, qp, IBA_QPS_SQE);
    iba_requester_flush(ca, qp);
}

void iba_qp_drained(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->state != IBA_QPS_SQD)
        return;
    qp->s.drained = true;
    if (qp->s.sqd_asked)
        iba_raise(ca, IBA_EVENT_SQ_DRAINED, qp->attr.port, qp->qpn, 0, 0);
    qp->s.sqd_asked = false;
}
