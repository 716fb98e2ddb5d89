/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer of the requester has run out: the requester sends again, or gives up (catalogue 4.2, 4.3). */
#include "transport/deviations.h"

/* RQ-22: retry count 7 means seven retries. */
void iba_requester_timeout(struct iba_ca *ca, struct iba_qp *qp)
{
    qp->s.ack_due = IBA_NEVER;
    if (!iba_requester_has_open(qp)) /* only with a changed rule table */
        return;
    if (qp->s.retry_left == 0) {
        iba_requester_fail(ca, qp, IBA_WC_RETRY_EXCEEDED);
        return;
    }
    qp->s.retry_left--;
    qp->s.implied = false;
    iba_requester_rewind(qp);
}

void iba_requester_advance(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    if (qp->s.rnr_due <= now)
        qp->s.rnr_due = IBA_NEVER;
    if (qp->s.page_due <= now)
        qp->s.page_due = IBA_NEVER;
    if (qp->s.ack_due > now)
        return;
    if (ca->deviate)
        ca->deviate->timeout(ca, qp, now);
    else
        iba_requester_timeout(ca, qp);
}
