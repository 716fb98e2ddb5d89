/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings that only the end of a capture or of a connection shows: requests that got no answer, and why the connection
 * ended. */
#include "observer/iba_obs_end.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_request.h"

/* A missing answer alone may mean that the capture does not see the other side. So the other side must have answered
 * before, or the request must have been sent again without success. */
static bool left_alone(const struct iba_observer *s, const struct iba_flow *f)
{
    const struct iba_obs_requests *q = &f->rq;

    return iba_obs_asks(q) &&
           (q->ask.again > 0 || (f->peer && !f->guess && s->now.at - q->ask.mark.at >= s->cfg.silence_ns));
}

static void report_silence(struct iba_observer *s, struct iba_flow *f)
{
    iba_obs_report_of(s, f, IBA_FINDING_SILENCE, &f->rq.ask.mark,
                      &(struct iba_obs_detail){.cause = f->rq.ask.again ? &f->rq.ask.last : NULL,
                                               .wait_ns = s->now.at - f->rq.ask.mark.at},
                      f->rq.ask.psn);
}

/* The requester has given up, since the next retransmission is overdue. A requester waits at most four times as long as
 * before its previous retransmission. When the observer has forgotten that pause, it assumes silence_ns. */
static bool gave_up(const struct iba_observer *s, const struct iba_obs_requests *q, bool over)
{
    const iba_time since = s->now.at - q->last.at;

    if (q->ask.again == 0 || (q->ask.pause && q->ask.pause < IBA_OBS_SOONEST_TIMEOUT_NS))
        return false; /* a response, not a timer, caused the retransmission: it was not the last try */
    return over || since > 4 * (q->ask.pause ? q->ask.pause : s->cfg.silence_ns);
}

/* The responder refused the request with RNR NAKs, and the requester has not sent it again, long after the wait was
 * over. */
static bool never_came_back(const struct iba_observer *s, const struct iba_obs_requests *q, bool over)
{
    const struct iba_obs_reason *r = &q->pending;

    if (r->cause != IBA_CAUSE_RNR || r->served || q->refused < 2 || q->last.at > r->mark.at)
        return false;
    return over || s->now.at - r->mark.at > 4 * r->wait_ns + s->cfg.silence_ns;
}

void iba_obs_report_end(struct iba_observer *s, struct iba_flow *f, bool over)
{
    struct iba_obs_requests *q = &f->rq;
    const bool alone = left_alone(s, f);

    if (alone && gave_up(s, q, over))
        iba_obs_report_of(s, f, IBA_FINDING_END_RETRIES, &q->ask.last,
                          &(struct iba_obs_detail){.cause = &q->ask.mark, .count = q->ask.again + 1}, q->ask.psn);
    if (alone && !over)
        report_silence(s, f);
    if (alone)
        q->ask.any = false;
    struct iba_flow *const peer = iba_obs_active(s, f->peer), *const other = peer ? peer : f;
    if (q->fatal.frame == 0)
        q->fatal = q->ignored_nak;
    if (q->fatal.frame != 0 && !iba_obs_outlives(q) && s->now.at - q->fatal.at > IBA_OBS_FLIGHT_NS)
        iba_obs_report_of(s, other, IBA_FINDING_END_NAK, &q->fatal,
                          &(struct iba_obs_detail){.wait_ns = s->now.at - q->fatal.at, .response = true}, q->una);
    if (never_came_back(s, q, over))
        iba_obs_report_of(s, other, IBA_FINDING_END_RNR, &q->pending.mark,
                          &(struct iba_obs_detail){.count = q->refused, .response = true}, q->pending.psn);
}
