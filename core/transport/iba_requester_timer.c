/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester's clock: ACK timer, RNR timer (catalogue 4.2, 4.3). */
#include "transport/iba_requester.h"

iba_time iba_ack_timeout_ns(uint8_t code)
{
    const unsigned c = code & 31u;
    return c == 0 ? 0 : UINT64_C(4096) << c;
}

iba_time iba_requester_ack_timeout(const struct iba_ca *ca, const struct iba_qp *qp)
{
    if (iba_is_whole(ca->change))
        return iba_ack_timeout_ns(qp->attr.timeout);
    const iba_time t =
        iba_ack_timeout_ns((uint8_t)iba_row_in_ring(ca->change, &iba_ack_timeout_behaviours, qp->attr.timeout & 31u));

    if (!IBA_KEEPS(ca, requester, timer_runs))
        return 0;
    if (IBA_DEVIATES(ca, requester, timer_not_early))
        return t / 2;
    return IBA_DEVIATES(ca, requester, timer_not_late) ? 8 * t : t;
}

/* RQ-19 allows [T, 4T] for noticing: here it is T sharp. */
void iba_requester_restart_timer(const struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    iba_time t;

    qp->s.ack_due = IBA_NEVER;
    if (iba_psn_diff(qp->s.asked, qp->s.una) <= 0)
        return;
    t = iba_requester_ack_timeout(ca, qp);
    if (t > 0)
        qp->s.ack_due = now + t;
}

void iba_requester_rewind(struct iba_qp *qp)
{
    qp->s.next = 0;
    qp->s.next_psn = qp->s.asked = qp->s.una;
    qp->s.unasked = 0;
    qp->s.ack_due = IBA_NEVER; /* runs again once a packet asks for an answer */
}

iba_time iba_requester_deadline(const struct iba_qp *qp)
{
    iba_time first = qp->s.ack_due;

    if (qp->s.rnr_due < first)
        first = qp->s.rnr_due;
    return qp->s.page_due < first ? qp->s.page_due : first;
}
