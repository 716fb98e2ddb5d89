/* SPDX-License-Identifier: BSD-2-Clause */
/* Transitions that a QP makes by itself: Error, Send Queue Error, the end of Send Queue Drain (section 10.3.1; QS-23,
 * QS-24, QS-25). */
#include "transport/deviations_qp.h"
#include "transport/iba_qp_parts.h"

/* RQ-61: a QP in Error is silent. Only when the responder itself ends the connection its NAK still leaves, and before
 * it what it had promised for earlier requests (RR-06). */
static void fall_silent(const struct iba_ca *ca, struct iba_qp *qp)
{
    qp->cnp_due = qp->becn_due = false;
    if (!IBA_KEEPS(ca, state, ERR_SILENT))
        qp->r.last_words = true;
    if (!iba_resp_ends_connection(qp) || !IBA_KEEPS(ca, state, LAST_WORDS))
        qp->r.resp_count = 0;
}

/* What was queued completes, flushed; in a changed device it may just vanish. */
static void flush_sends(struct iba_ca *ca, struct iba_qp *qp, bool completes)
{
    if (completes)
        iba_requester_flush(ca, qp);
    else
        iba_requester_reset(qp);
}

void iba_qp_fail(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->state == IBA_QPS_ERR)
        return;
    qp->state = IBA_QPS_ERR;
    fall_silent(ca, qp);
    flush_sends(ca, qp, IBA_KEEPS(ca, state, ERR_FLUSHES_SENDS));
    iba_recv_flush(ca, qp);
    if (qp->srq != IBA_NONE) /* what is in the SRQ stays there (QS-27) */
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
    qp->state = IBA_QPS_SQE;
    flush_sends(ca, qp, IBA_KEEPS(ca, state, SQE_FLUSHES));
}

void iba_qp_drained(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->state != IBA_QPS_SQD || qp->s.drained)
        return;
    qp->s.drained = true;
    if (qp->s.sqd_asked || IBA_DEVIATES(ca, state, SQD_TELLS_ASKED))
        iba_raise(ca, IBA_EVENT_SQ_DRAINED, qp->attr.port, qp->qpn, 0, 0);
    qp->s.sqd_asked = false;
}
