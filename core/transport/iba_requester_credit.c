/* SPDX-License-Identifier: BSD-2-Clause */
/* End-to-end credits: how far the requester may send (catalogue 4.5). */
#include "transport/deviations.h"

static int32_t sequence_diff(uint32_t a, uint32_t b)
{
    return iba_psn_diff(iba_psn_of(a), iba_psn_of(b)); /* SSN, LSN, MSN: 24 bits too */
}

bool iba_requester_limited(const struct iba_qp *qp, uint32_t ssn)
{
    return !qp->s.unlimited && sequence_diff(ssn, qp->s.lsn) > 0;
}

void iba_requester_credit(const struct iba_ca *ca, struct iba_qp *qp, uint8_t code, uint32_t msn)
{
    unsigned credit = code & 31u;

    if (ca->deviate && !ca->deviate->credit(ca, qp, &credit, &msn))
        return;
    if (credit == IBA_CREDIT_NO_LIMIT) /* RQ-43 */
        qp->s.unlimited = true;
    if (qp->s.unlimited) /* also true without negotiated flow control (RQ-45) */
        return;
    const uint32_t limit = msn + iba_credit_count((uint8_t)credit);
    if (sequence_diff(limit, qp->s.lsn) > 0) /* RQ-44 */
        qp->s.lsn = limit & IBA_PSN_MASK;
}
