/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether a request whose PSN was jumped over is late, or was sent again. */
#include "observer/iba_obs_late.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_selective.h"
#include "observer/iba_obs_rules.h"

enum { MOST_ID_STEP = 1024 };

/* ---- whether a request is late ---- */

struct maybe_late { /* a request that the capture has already, or whose PSN was jumped over */
    const struct iba_look *l;
    const struct iba_obs_requests *q;
    const struct iba_obs_gap *gap;  /* the gap that an earlier jump left, and that the request belongs to; NULL: none */
    const struct iba_obs_reason *r; /* the reason for which the requester may have sent it again */
    int32_t ahead;                  /* PSNs that the request itself jumps over */
};

static bool no_gap(const struct maybe_late *c)
{
    return !c->gap;
}

static bool newer_identification(const struct maybe_late *c)
{
    return iba_obs_has_newer_id(c->l);
}

static bool rest_of_read(const struct maybe_late *c)
{
    return iba_obs_is_rest(c->l);
}

/* As a retransmission, the request would follow more lost retransmissions than are likely. */
static bool far_ahead(const struct maybe_late *c)
{
    return c->q->run.on && c->ahead > IBA_OBS_MOST_LOST && iba_obs_fills(c->l->flow, false, c->l->psn);
}

static bool in_sequence(const struct maybe_late *c)
{
    return c->ahead == 0;
}

static bool after_timer(const struct maybe_late *c)
{
    return iba_obs_pause(c->l, c->q) >= IBA_OBS_SOONEST_TIMEOUT_NS;
}

/* The requester had time to send the request again. */
static bool had_time(const struct maybe_late *c)
{
    return c->l->s->now.at - c->gap->at >= iba_obs_rtt(c->l);
}

static bool asked_for(const struct maybe_late *c)
{
    return c->r && (c->r->cause == IBA_CAUSE_IMPLIED || iba_psn_eq(c->r->psn, c->l->psn));
}

/* The request continues a run of retransmissions, of which the previous ones are lost. Such a loss is likelier than a
 * late packet. */
static bool run_lost_some(const struct maybe_late *c)
{
    return c->q->run.on && c->ahead > 0 && c->ahead <= IBA_OBS_MOST_LOST;
}

static bool after_many(const struct maybe_late *c)
{
    return iba_psn_eq(c->l->psn, c->q->misplaced) && c->q->misplaced_run >= IBA_OBS_RUN;
}

static bool shorter_round_trip(const struct maybe_late *c)
{
    return iba_obs_sooner_than_known(c->l, &c->q->pending);
}

static bool too_soon(const struct maybe_late *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "The request ..." goes before each sentence.
 *    name                   when                  late  sentence                                                                        clause */
#define LATE_RULES(R)                                                                                                                              \
    R(no_gap,                no_gap,               no,  "was not jumped over a moment ago",                                              "RR-02")  \
    R(newer_identification,  newer_identification, no,  "has an IPv4 identification that is newer than those before it",                 "RR-02")  \
    R(rest_of_read,          rest_of_read,         no,  "is a READ that asks for the rest of an earlier READ",                           "RQ-07")  \
    R(far_ahead,             far_ahead,            yes, "was jumped over, far beyond the retransmissions that go on",                    "RR-02")  \
    R(in_sequence,           in_sequence,          no,  "has the PSN that comes next",                                                   "RQ-01")  \
    R(after_timer,           after_timer,          no,  "comes after a pause in which a timer may have run out",                         "RQ-21")  \
    R(had_time,              had_time,             no,  "may be late or sent again: the next packet shows which",                        "RR-02")  \
    R(asked_for,             asked_for,            no,  "was asked for by a response",                                                   "RQ-26")  \
    R(run_lost_some,         run_lost_some,        no,  "jumps over a few PSNs of the retransmissions: these are missing",               "RQ-26")  \
    R(after_many,            after_many,           no,  "follows three packets that came again in order: so many in a row are not late", "RR-02")  \
    R(shorter_round_trip,    shorter_round_trip,   no,  "was asked for by a NAK, sooner than the shortest round trip known",             "RQ-26")  \
    R(too_soon,              too_soon,             yes, "comes too soon after it was jumped over to have been sent again",               "RR-02")
/* clang-format on */

#define DECISION_TABLE "late"
enum { LATE_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {LATE_RULES(IBA_DECISION_YES_NO)};
const struct iba_decisions iba_late_rules = {DECISION_TABLE, "Is a request late?", rows, ROWS};

bool iba_obs_comes_first(const struct iba_look *l, struct iba_obs_requests *q)
{
    return iba_obs_fills(l->flow, false, l->psn) && !iba_obs_sent_at(q, l->psn);
}

static const struct iba_decision *decide(const struct maybe_late *c)
{
    LATE_RULES(IBA_DECISION_FIRST)
    return NULL;
}

const struct iba_decision *iba_obs_lateness(const struct iba_look *l, struct iba_obs_requests *q)
{
    const struct maybe_late c = {.l = l,
                                 .q = q,
                                 .gap = iba_obs_gap_at(l->s, q->gaps, l->psn),
                                 .r = iba_obs_reason_for(l, q),
                                 .ahead = iba_psn_diff(l->psn, q->next)};
    const struct iba_decision *by = decide(&c);

    iba_obs_decided(l->s, by);
    return by;
}

/* ---- a late packet that was sent again ---- */

bool iba_obs_sent_again_though_late(const struct iba_look *l)
{
    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *r = &l->flow->recent[i];
        const uint16_t earlier = (uint16_t)(l->ip_id - r->ip_id);
        if (r->request && earlier != 0 && earlier <= MOST_ID_STEP && iba_psn_diff(r->psn, l->psn) >= 0)
            return true;
    }
    return false;
}

bool iba_obs_left_since(const struct iba_look *l, const struct iba_obs_mark *reason)
{
    const struct iba_obs_recent *before = NULL;

    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *r = &l->flow->recent[i];
        if (r->request && r->mark.frame < reason->frame && (!before || r->number > before->number))
            before = r;
    }
    const uint16_t step = before ? (uint16_t)(l->ip_id - before->ip_id) : 0;
    return step > 0 && step <= MOST_ID_STEP;
}
