/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester's timers: ACK timer, RNR timer (catalogue 4.2, 4.3). */
#include "transport/deviations.h"

iba_time iba_ack_timeout_ns(uint8_t code)
{
    const unsigned c = code & 31u;
    return c == 0 ? 0 : UINT64_C(4096) << c;
}

iba_time iba_requester_ack_timeout(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return ca->deviate ? ca->deviate->ack_timeout(ca, qp) : iba_ack_timeout_ns(qp->attr.timeout);
}

struct iba_retries iba_requester_retries(const struct iba_ca *ca, const struct iba_qp *qp)
{
    if (ca->deviate)
        return ca->deviate->retries(ca, qp);
    return (struct iba_retries){.retry = qp->attr.retry & IBA_RETRIES_MOST,
                                .rnr = qp->attr.rnr_retry & IBA_RNR_FOR_EVER};
}

/* RQ-19 permits a timeout between T and 4T; this requester uses exactly T. */
void iba_requester_restart_timer(const struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    qp->s.ack_due = IBA_NEVER;
    if (iba_psn_diff(qp->s.asked, qp->s.una) <= 0)
        return;
    const iba_time t = iba_requester_ack_timeout(ca, qp);
    if (t > 0)
        qp->s.ack_due = now + t;
}

void iba_requester_rewind(struct iba_qp *qp)
{
    qp->s.next = 0;
    qp->s.next_psn = qp->s.asked = qp->s.una;
    qp->s.unasked = 0;
    qp->s.ack_due = IBA_NEVER; /* the timer runs again when a packet asks for an answer */
}

iba_time iba_requester_deadline(const struct iba_qp *qp)
{
    iba_time first = qp->s.ack_due;

    if (qp->s.rnr_due < first)
        first = qp->s.rnr_due;
    return qp->s.page_due < first ? qp->s.page_due : first;
}
