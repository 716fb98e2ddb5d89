/* The requester's clock: ACK timer, RNR timer, retries (catalogue 4.2, 4.3). */
#include "transport/iba_requester.h"

/* WF-50, in units of 10 us. Code 25 is 61.44 ms (catalogue 11.1/2). */
static const uint32_t rnr_10us[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                      48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                      2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

iba_time iba_rnr_timer_ns(uint8_t code)
{
    return rnr_10us[code & 31] * UINT64_C(10000);
}

iba_time iba_ack_timeout_ns(uint8_t code)
{
    const unsigned c = code & 31u;
    return c == 0 ? 0 : UINT64_C(4096) << c;
}

/* RQ-19 allows [T, 4T] for noticing: here it is T sharp. */
void iba_requester_restart_timer(struct iba_qp *qp, iba_time now)
{
    const iba_time t = iba_ack_timeout_ns(qp->attr.timeout);
    const bool waits = iba_psn_diff(qp->s.asked, qp->s.una) > 0;

    qp->s.ack_due = waits && t > 0 ? now + t : IBA_NEVER;
}

void iba_requester_rewind(struct iba_qp *qp)
{
    qp->s.next = 0;
    qp->s.next_psn = qp->s.asked = qp->s.una;
    qp->s.unasked = 0;
    qp->s.ack_due = IBA_NEVER; /* runs again once a packet asks for an answer */
}

/* One more try, if one is left (RQ-22: 7 means seven). */
static void timeout(struct iba_ca *ca, struct iba_qp *qp)
{
    if (qp->s.retry_left == 0) {
        iba_requester_fail(ca, qp, IBA_WC_RETRY_EXCEEDED);
        return;
    }
    qp->s.retry_left--;
    qp->s.implied = false;
    iba_requester_rewind(qp);
}

iba_time iba_requester_deadline(const struct iba_qp *qp)
{
    iba_time first = qp->s.ack_due;

    if (qp->s.rnr_due < first)
        first = qp->s.rnr_due;
    return qp->s.page_due < first ? qp->s.page_due : first;
}

void iba_requester_advance(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    if (qp->s.rnr_due <= now)
        qp->s.rnr_due = IBA_NEVER;
    if (qp->s.page_due <= now)
        qp->s.page_due = IBA_NEVER;
    if (qp->s.ack_due <= now)
        timeout(ca, qp);
}
