/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer of the requester has run out: the requester sends again, or gives up (catalogue 4.2, 4.3). */
#include "transport/deviations.h"
#include "transport/deviations_requester.h"

bool iba_requester_may_migrate(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return qp->attr.path_mig == IBA_PATH_ARMED && IBA_KEEPS(ca, requester, migrates);
}

void iba_requester_use_retry(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->s.retry_left > 0) {
        qp->s.retry_left--;
        return;
    }
    if (!iba_requester_may_migrate(ca, qp)) /* only with a changed rule table */
        return;
    iba_qp_migrate(ca, qp);
    if (IBA_KEEPS(ca, requester, migration_reloads))
        qp->s.retry_left = iba_requester_retries(ca, qp).retry;
}

/* RQ-22: retry count 7 means seven retries. */
void iba_requester_timeout(struct iba_ca *ca, struct iba_qp *qp)
{
    qp->s.ack_due = IBA_NEVER;
    if (!iba_requester_has_open(qp)) /* only with a changed rule table */
        return;
    if (qp->s.retry_left == 0 && !iba_requester_may_migrate(ca, qp)) {
        iba_requester_fail(ca, qp, IBA_WC_RETRY_EXCEEDED);
        return;
    }
    iba_requester_use_retry(ca, qp);
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
