/* The requester's clock: ACK timer, RNR timer, retries (catalogue 4.2, 4.3). */
#include "transport/iba_requester.h"

#define UNITS(code, units, words) units,
static const uint32_t rnr_10us[32] = {IBA_RNR_TIMERS(UNITS)};

iba_time iba_rnr_timer_ns(uint8_t code)
{
    return rnr_10us[code & 31] * UINT64_C(10000);
}

iba_time iba_ack_timeout_ns(uint8_t code)
{
    const unsigned c = code & 31u;
    return c == 0 ? 0 : UINT64_C(4096) << c;
}

static iba_time ack_timeout(const struct iba_ca *ca, const struct iba_qp *qp)
{
    if (iba_is_whole(ca->change))
        return iba_ack_timeout_ns(qp->attr.timeout);
    const iba_time t =
        iba_ack_timeout_ns((uint8_t)iba_row_in_ring(ca->change, &iba_ack_timeout_behaviours, qp->attr.timeout & 31u));

    if (!iba_requester_does(ca, IBA_RQ_timer_runs))
        return 0;
    if (iba_requester_otherwise(ca, IBA_RQ_timer_not_early))
        return t / 2;
    return iba_requester_otherwise(ca, IBA_RQ_timer_not_late) ? 8 * t : t;
}

/* RQ-19 allows [T, 4T] for noticing: here it is T sharp. */
void iba_requester_restart_timer(const struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    iba_time t;

    qp->s.ack_due = IBA_NEVER;
    if (iba_psn_diff(qp->s.asked, qp->s.una) <= 0)
        return;
    t = ack_timeout(ca, qp);
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

/* What is sent next is the oldest unacknowledged packet: here the one behind it, where there is one. */
static void go_back_too_little(struct iba_qp *qp)
{
    const iba_psn behind = iba_psn_add(qp->s.una, 1);

    if (iba_psn_diff(behind, qp->s.high_psn) >= 0)
        return;
    if (iba_psn_eq(qp->s.una, iba_sqe_at(qp, 0)->last)) {
        if (qp->s.count < 2 || iba_sqe_at(qp, 1)->state != IBA_SQE_BEGUN)
            return;
        qp->s.next = 1;
    }
    qp->s.next_psn = behind;
}

/* One more try, if one is left (RQ-22: 7 means seven). */
static void timeout(struct iba_ca *ca, struct iba_qp *qp, iba_time now)
{
    const bool for_ever = iba_retries_for_ever(ca, qp);

    qp->s.ack_due = IBA_NEVER;
    if (qp->s.count == 0 || iba_psn_eq(qp->s.una, qp->s.high_psn)) /* only a changed device comes here */
        return;
    if (qp->s.retry_left == 0 && !for_ever) {
        iba_requester_fail(ca, qp, IBA_WC_RETRY_EXCEEDED);
        return;
    }
    if (!for_ever)
        qp->s.retry_left--;
    qp->s.implied = false;
    if (!iba_requester_does(ca, IBA_RQ_resends)) {
        iba_requester_restart_timer(ca, qp, now);
        return;
    }
    iba_requester_rewind(qp);
    if (iba_requester_otherwise(ca, IBA_RQ_resend_oldest))
        go_back_too_little(qp);
    qp->s.alone = iba_requester_otherwise(ca, IBA_RQ_resend_rest);
    qp->s.alone_psn = qp->s.una;
    if (qp->s.alone) /* whether that packet asks for an answer or not */
        qp->s.ack_due = now + ack_timeout(ca, qp);
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
        timeout(ca, qp, now);
}
