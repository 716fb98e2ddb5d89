/* SPDX-License-Identifier: BSD-2-Clause */
/* End-to-end credits: how far the requester may send (catalogue 4.5). */
#include "transport/iba_requester.h"

static int32_t sequence_diff(uint32_t a, uint32_t b)
{
    return iba_psn_diff(iba_psn_of(a), iba_psn_of(b)); /* SSN, LSN, MSN: 24 bits too */
}

bool iba_requester_limited(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t ssn)
{
    return !qp->s.unlimited && sequence_diff(ssn, qp->s.lsn) > 0 && IBA_KEEPS(ca, requester, credit_limit);
}

/* RQ-43; RQ-45: what was not negotiated does not count. */
static bool is_unlimited(const struct iba_ca *ca, struct iba_qp *qp, unsigned code)
{
    if (code == IBA_CREDIT_NO_LIMIT)
        qp->s.unlimited |= iba_keeps(ca->change, &iba_credit_behaviours, IBA_CREDIT_NO_LIMIT);
    else if (!qp->attr.flow_control && !IBA_KEEPS(ca, requester, credit_negotiated))
        qp->s.unlimited = false;
    return qp->s.unlimited || code >= IBA_CREDIT_NO_LIMIT;
}

void iba_requester_credit(const struct iba_ca *ca, struct iba_qp *qp, uint8_t code, uint32_t msn)
{
    const unsigned row = iba_row_for(ca->change, &iba_credit_behaviours, code & 31u);
    uint32_t limit;

    if (is_unlimited(ca, qp, row) || !IBA_KEEPS(ca, requester, credit_taken))
        return;
    limit = (IBA_DEVIATES(ca, requester, credit_from_msn) ? qp->s.ssn - 1 : msn) + iba_credit_count((uint8_t)row);
    if (sequence_diff(limit, qp->s.lsn) > 0 || !IBA_KEEPS(ca, requester, credit_forward)) /* RQ-44 */
        qp->s.lsn = limit & IBA_PSN_MASK;
}
