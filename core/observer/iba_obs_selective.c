/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapters with selective repeat. Their responder keeps the packets that arrive after a lost one. Their requester sends
 * only the lost packet again, or only the oldest unacknowledged one. RQ-21 and RQ-26 allow a requester to go back and
 * send all packets from there on, but do not require it.
 *
 * Packets that were sent after a lost one, were acknowledged, and did not come again show that a connection uses
 * selective repeat. The capture may lack the retransmissions of one or two such packets, so three of them count as
 * proof. */
#include "observer/iba_obs_selective.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"

/* Counts those packets from `from` to before `end` that the capture has. */
static void keep(struct iba_obs_requests *q, iba_psn from, iba_psn end)
{
    const int32_t n = iba_psn_diff(end, from);

    for (int32_t i = 0; i < n && i < IBA_OBS_SENT && q->kept < IBA_OBS_KEPT; i++)
        q->kept = (uint8_t)(q->kept + (iba_obs_request_at(q, iba_psn_add(from, (uint32_t)i)) != NULL));
}

bool iba_obs_skips(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from)
{
    const bool pauses = iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS; /* go-back-N sends the rest at once */

    /* After an RNR NAK the responder has kept no later packets (RR-51). So packets that are not sent again after an RNR
     * NAK are lost.
     */
    if (pauses && q->run.kind != IBA_FINDING_RETRY_RNR)
        keep(q, from, q->high);
    q->unproven = iba_obs_repeats_single(q);
    q->kept_from = from;
    return q->unproven;
}

/* A responder that asks for one of the skipped packets has not kept that packet. */
static void prove(const struct iba_look *l, struct iba_obs_requests *q)
{
    const bool refuses = iba_view_has(l->v, IBA_H_aeth) && iba_syndrome_kind(l->syndrome) == IBA_AETH_NAK;

    if (refuses && iba_psn_diff(l->psn, q->kept_from) >= 0)
        q->kept = 0;
    q->unproven = !refuses && iba_psn_diff(q->una, q->kept_from) <= 0;
}

void iba_obs_learn_kept(struct iba_look *l, struct iba_obs_requests *q, iba_psn una)
{
    const bool pending = q->undecided.mark.frame != 0;
    const iba_psn kept_from = pending ? q->misplaced : q->next;

    if (q->unproven)
        prove(l, q);
    if (!(q->run.on || pending) || !q->run.shown || q->run.kind != IBA_FINDING_RETRY_NAK || !q->answered ||
        iba_psn_diff(una, kept_from) > 0 || iba_psn_diff(q->una, kept_from) <= 0 || iba_psn_diff(q->una, q->high) > 0)
        return;
    keep(q, kept_from, q->una);
    if (pending)
        iba_obs_settle(l->s, l->peer, true);
}

/* The responder had answered this READ or ATOMIC before it came again. A requester that goes back sends the rest at
 * once, and skips nothing. */
static bool was_answered(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return iba_obs_fetched_before(l, q) && iba_psn_diff(l->psn, q->next) > 0 &&
           iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS;
}

bool iba_obs_goes_on_elsewhere(const struct iba_look *l, const struct iba_obs_requests *q)
{
    if (was_answered(l, q))
        return true;
    return q->run.kind == IBA_FINDING_RETRY_TIMEOUT && iba_psn_diff(l->psn, q->next) > IBA_OBS_MOST_BEGINNING &&
           iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS && l->peer && l->peer->responded.last > q->last.at;
}

/* ---- jumps that may be no loss ---- */

bool iba_obs_begins_apart(const struct iba_look *l, const struct iba_obs_requests *q)
{
    const bool rested = l->flow->began == 0;

    return l->flow->requests <= IBA_OBS_FEW + 1 && !rested && !q->together &&
           iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS;
}

bool iba_obs_asks_first(const struct iba_look *l)
{
    const struct iba_obs_reason *r = l->peer ? &l->peer->refused : NULL;

    return r && r->mark.frame != 0 && r->cause == IBA_CAUSE_NAK && iba_psn_eq(r->psn, l->psn);
}

/* The requester was going back, and goes on with the packet after the newest one; or the capture has one request so
 * far, which a NAK asked for. So the requester skips only packets that it sent before. After an RNR NAK the responder
 * has kept none of the skipped packets (RR-51). */
static enum iba_obs_excuse excuse_of(const struct iba_look *l, const struct iba_obs_requests *q, iba_psn next)
{
    const bool goes_on = q->run.on && q->run.kind != IBA_FINDING_RETRY_RNR && iba_psn_eq(l->psn, q->high);

    if ((goes_on && !iba_psn_eq(next, q->high)) || (q->asked_first && l->flow->requests == 2))
        return IBA_EXCUSE_KEPT;
    /* the newest request is answered, or its answer has begun */
    const bool answered = q->answered && iba_psn_diff(q->una, q->newest) > 0;
    return answered && iba_obs_begins_apart(l, q) ? IBA_EXCUSE_BEFORE : IBA_EXCUSE_NONE;
}

/* If the skipped packets may be late, their gap stays open. */
bool iba_obs_defers_jump(struct iba_look *l, struct iba_obs_requests *q, iba_psn next, uint32_t n)
{
    const enum iba_obs_excuse excuse = excuse_of(l, q, next);

    if (excuse == IBA_EXCUSE_NONE || !iba_obs_puts_off_skipped(l, n, excuse))
        return false;
    if (iba_obs_pause(l, q) < IBA_OBS_AT_ONCE_NS)
        iba_obs_open_gap(q->gaps, &q->next_gap, l->s->now.at, iba_psn_of(l->psn.v - n), n);
    return true;
}
