/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers below 1 ms: whether one of them may have made the requester send a packet again. */
#include "observer/iba_obs_timer.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_selective.h"

enum { ROUND_TRIPS = 4 }; /* of 1 us at least: no adaptive timer is shorter than 4 us */

/* Returns the time of the last response that may have had an effect by now. Repeated responses that came just now,
 * after a pause, have had no effect. */
static iba_time last_answer(const struct iba_look *l)
{
    const struct iba_flow *p = l->peer;

    return l->s->now.at - p->responded.again < iba_obs_rtt(l) ? p->responded.before : p->responded.last;
}

/* Returns for how long nothing was answered, and this request was not sent. */
static iba_time waited_for(const struct iba_look *l, const struct iba_obs_requests *q)
{
    const struct iba_obs_sent *e = iba_obs_request_at(q, l->psn);
    const iba_time sent = e ? e->mark.at : q->last.at, answer = last_answer(l);

    return l->s->now.at - (answer > sent ? answer : sent);
}

/* The request takes a receive: a SEND with its first packet, a WRITE with its immediate. A responder that has no
 * receive for the request answers with an RNR NAK (RR-49). */
static bool takes_receive(const struct iba_look *l)
{
    return l->op->operation == IBA_OPERATION_SEND ? iba_opcode_begins(l->op)
                                                  : (l->op->hdrs & IBA_HDR_BIT(IBA_H_immdt)) != 0;
}

/* So much time has passed since the newest response that no response can be the reason for this request. A requester
 * reacts to a response within one round trip. The capture point divides the round trip in two parts, and the minimum of
 * each part is known separately. If no response came at all, no response can be the reason. An exception is a
 * request that needs a receive, since the capture may lack its RNR NAK (RR-49). */
static bool is_quiet(const struct iba_look *l, iba_time waited)
{
    const iba_time there = l->peer->rtt_min_ns, back = l->flow->rtt_min_ns; /* 0: not known */

    return (l->peer->has_rtt || waited >= ROUND_TRIPS * IBA_OBS_ROUND_NS ||
            (l->peer->responses == 0 && !takes_receive(l))) &&
           waited >= ROUND_TRIPS * (there + back + IBA_OBS_LEAST_RTT_NS);
}

static bool stopped(const struct iba_look *l, const struct iba_obs_requests *q)
{
    const iba_time pause = iba_obs_pause(l, q);

    return l->peer && pause >= IBA_OBS_ROUND_NS && is_quiet(l, pause) && is_quiet(l, waited_for(l, q));
}

bool iba_obs_stopped(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return q->hasty.known && stopped(l, q);
}

/* An RNR NAK for this request may be the reason, though the capture lacks it. A responder that has acknowledged the
 * request does not refuse it any more (RR-24). */
static bool may_be_refused(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return takes_receive(l) && !iba_obs_is_answered(q, l->psn);
}

/* The requester waited as long as the responder's RNR NAKs ask for. A responder asks for the same time in each RNR NAK,
 * since the time is an attribute of its QP (RR-49). So the reason may be another RNR NAK, which the capture lacks
 * (RQ-28). */
static bool may_be_refused_again(const struct iba_look *l, const struct iba_obs_requests *q, iba_time waited)
{
    const iba_time slack = q->rnr_wait_ns / 4 + l->peer->rtt_min_ns + l->flow->rtt_min_ns + IBA_OBS_LEAST_RTT_NS;

    return q->rnr_wait_ns > 0 && takes_receive(l) && waited >= q->rnr_wait_ns && waited <= q->rnr_wait_ns + slack;
}

/* True when this request is the oldest unanswered one. The timer of a requester that waited so long sends that request.
 */
static bool is_oldest(const struct iba_look *l, const struct iba_obs_requests *q, iba_time waited)
{
    const bool is_long = waited >= IBA_OBS_ROUND_NS;
    const iba_psn oldest = q->answered ? q->una : q->first;
    const int32_t beyond = iba_psn_diff(l->psn, oldest);

    /* before the first captured PSN, an RNR NAK from before the capture may be the reason */
    if (iba_psn_diff(l->psn, q->first) < 0 && !(is_long && !takes_receive(l)))
        return false;
    /* the oldest requests were lost twice. After an RNR NAK the reason may be its wait instead */
    if (beyond > 0)
        return is_long && beyond <= IBA_OBS_MOST_BEGINNING && q->refused == 0 && !iba_obs_has_request(q, oldest);
    return is_long || beyond == 0; /* the answer was lost after the capture point */
}

/* Packets that jumped over this packet have just come. So this packet is late. */
static bool is_late(const struct iba_look *l, struct iba_obs_requests *q)
{
    return iba_obs_gap_at(l->s, q->gaps, l->psn) && iba_obs_pause(l, q) < IBA_OBS_LEAST_RTT_NS;
}

/* Some adapters measure the round trip, and first set their timer only a little longer: to 4 us or more, doubled at
 * each retry (RQ-21). An adaptive timer is the reason when the requester had sent everything, or had stopped, and
 * nothing was answered for several round trips. A response would have reported a missing answer sooner (RQ-36). A
 * second retry has to confirm the timer in two cases: the wait is no longer than a round trip may be, or the capture
 * may lack the response that was the reason. A NAK that the capture lacks had its effect one round trip after the
 * newest request. Only an RNR NAK has its effect later. */
bool iba_obs_is_hasty_timer(const struct iba_look *l, struct iba_obs_requests *q)
{
    const iba_time before = q->hasty.waited, waited = l->peer ? waited_for(l, q) : 0;

    if (!l->peer || may_be_refused_again(l, q, waited) || !is_quiet(l, waited) || !is_oldest(l, q, waited) ||
        !(iba_psn_eq(q->next, q->high) || stopped(l, q)) || is_late(l, q))
        return false;
    const bool doubles = iba_psn_eq(q->hasty.psn, l->psn) && 2 * waited >= 3 * before && waited <= 3 * before;
    const bool seen =
        l->s->found[IBA_FINDING_NOT_CAPTURED] == 0 || (!may_be_refused(l, q) && is_quiet(l, iba_obs_pause(l, q)));
    q->hasty.psn = l->psn;
    q->hasty.waited = waited;
    q->hasty.known |= doubles || (waited >= IBA_OBS_ROUND_NS && seen);
    return q->hasty.known;
}

/* The wait of the RNR NAK is not over, and the RNR NAK came so long ago that only its loss after the capture point
 * explains this request. */
bool iba_obs_waits_in_vain(const struct iba_look *l, const struct iba_obs_reason *r)
{
    const iba_time ago = l->s->now.at - r->mark.at;

    return l->peer && ago < r->wait_ns && iba_psn_eq(l->psn, r->psn) && is_quiet(l, ago);
}
