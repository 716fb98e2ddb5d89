/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits limit how many messages the requester may send (section 9.7.7.2). CREDIT_STALL reports a requester that had
 * to wait for credits. No packet shows whether the ends agreed on credits (RQ-45). So a requester that sends beyond its
 * credits is not reported. */
#include "observer/iba_obs_credit.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_report.h"

/* Longer than a round trip: a requester that pauses for so long does not merely wait for an acknowledgement. */
#define ROUND_NS UINT64_C(1000000)

static int32_t count_diff(uint32_t a, uint32_t b)
{
    return iba_psn_diff(iba_psn_of(a), iba_psn_of(b));
}

/* An acknowledgement moves the limit (RQ-40). All acknowledgements between two requests count as one grant. */
void iba_obs_grant(const struct iba_look *l, struct iba_obs_requests *q)
{
    const uint8_t code = iba_syndrome_code(l->syndrome);
    const uint32_t limit = (l->msn + iba_credit_count(code)) & IBA_PSN_MASK;
    const bool first = q->credit.grant.frame <= q->last.frame;

    if (code == IBA_CREDIT_NO_LIMIT) {
        q->credit.limited = false; /* RQ-43 */
        return;
    }
    const bool more = q->credit.limited && count_diff(limit, q->credit.limit) > 0;
    /* With another MSN, the requester may have waited for this acknowledgement. */
    q->credit.update = l->msn == q->credit.msn && (more || q->credit.update);
    if (more) {
        q->credit.before = first ? q->credit.limit : q->credit.before;
        q->credit.grant = l->s->now;
    }
    if (more || !q->credit.limited)
        q->credit.limit = limit;
    q->credit.msn = l->msn;
    q->credit.limited = true;
}

/* The packet begins a message that takes a receive (RQ-42), and comes after a grant. One message may begin beyond the
 * limit (RQ-41). So the pause before the message is a stall only when the grant acknowledged nothing, and brought only
 * credits (RR-22). */
void iba_obs_stall(struct iba_look *l, const struct iba_obs_requests *q)
{
    const bool starts = iba_opcode_begins(l->op);
    const bool takes = l->op->operation == IBA_OPERATION_SEND || iba_view_has(l->v, IBA_H_immdt);

    if (!q->credit.limited || q->credit.grant.frame <= q->last.frame || !starts || !takes)
        return;
    const iba_time wait = q->credit.grant.at - q->last.at;
    if (!q->counts || q->msn_lo != q->msn_hi || l->s->now.at - q->credit.grant.at > wait)
        return; /* the requester paused after the grant, so it had nothing to send */
    const int32_t beyond = count_diff(q->messages + q->msn_lo + 1, q->credit.before);
    const bool waited = beyond > 1 && wait >= ROUND_NS;
    if (waited || (beyond == 1 && q->credit.update))
        iba_obs_report(l, IBA_FINDING_CREDIT_STALL,
                       &(struct iba_obs_detail){.cause = &q->credit.grant, .wait_ns = wait});
}
