/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides why a request comes again: which event of the capture made the requester go back, or whether the request was
 * late. */
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_open.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_selective.h"
#include "observer/iba_obs_timer.h"
#include "observer/iba_obs_unsent.h"
#include "observer/iba_obs_rules.h"

/* Software waits up to this much longer than an RNR NAK asks for. This limit is shorter than the usual ACK timer (code
 * 14, 67 ms). */
#define SLOW_TIMER_NS UINT64_C(60000000)
enum { MOST_RETRIES = 7 }; /* RQ-22: a timer sends a packet again at most this often */

/* How soon the response of `r` may have an effect here. Before any round trip is known, an RNR NAK directly after its
 * request shows that the capture point is at the responder. */
static iba_time soonest(const struct iba_look *l, const struct iba_obs_reason *r)
{
    if (l->flow->has_rtt)
        return l->flow->rtt_min_ns;
    const struct iba_obs_sent *e = iba_obs_sent_at(&l->flow->rq, r->psn);
    const bool near = e && r->cause == IBA_CAUSE_RNR && r->mark.at - e->mark.at < IBA_OBS_LEAST_RTT_NS;

    return near ? IBA_OBS_LEAST_RTT_NS : 0;
}

/* A response that left just now has had no effect yet. A response that left long ago, and had no effect, was lost after
 * the capture point. */
bool iba_obs_is_recent(const struct iba_look *l, const struct iba_obs_reason *r)
{
    const iba_time effect = r->cause == IBA_CAUSE_RNR ? r->wait_ns + SLOW_TIMER_NS : IBA_OBS_FLIGHT_NS;
    const iba_time ago = l->s->now.at - r->mark.at;

    return r->mark.frame != 0 && ago < effect && ago >= soonest(l, r);
}

/* The response of `r` asks for exactly this request, which may be its effect. */
static bool is_reason(const struct iba_look *l, const struct iba_obs_reason *r)
{
    return !r->served && iba_psn_eq(r->psn, l->psn) && iba_obs_is_recent(l, r);
}

static struct iba_obs_reason *earlier_reason(const struct iba_look *l, struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < IBA_OBS_REASONS; i++)
        if (is_reason(l, &q->before[i]))
            return &q->before[i];
    return NULL;
}

bool iba_obs_was_asked_for(const struct iba_look *l, struct iba_obs_requests *q)
{
    return is_reason(l, &q->pending) || earlier_reason(l, q);
}

/* A NAK asked for this request, and `before` cannot be its effect. A NAK with IBA_CAUSE_NONE counts, too: a later
 * response has made progress since. */
static bool asks_in_vain(const struct iba_look *l, const struct iba_obs_reason *r, const struct iba_obs_recent *before)
{
    const bool nak = r->cause == IBA_CAUSE_NAK || r->cause == IBA_CAUSE_NONE;

    return nak && iba_psn_eq(r->psn, l->psn) && iba_obs_is_recent(l, r) &&
           (before->late || before->mark.at - r->mark.at < iba_obs_rtt(l));
}

struct iba_obs_reason *iba_obs_reason_not_served_by(const struct iba_look *l, struct iba_obs_requests *q,
                                                    const struct iba_obs_recent *before)
{
    if (asks_in_vain(l, &q->pending, before))
        return &q->pending;
    for (unsigned i = 0; i < IBA_OBS_REASONS; i++)
        if (asks_in_vain(l, &q->before[i], before))
            return &q->before[i];
    return NULL;
}

void iba_obs_restore_reason(struct iba_obs_reason *r)
{
    r->cause = IBA_CAUSE_NAK;
    r->served = false;
}

/* Returns the remembered reason with index `i`, below REASONS_AT_ALL. The pending reason has the last index. */
enum { REASONS_AT_ALL = IBA_OBS_REASONS + 1 };
static struct iba_obs_reason *reason_at(struct iba_obs_requests *q, unsigned i)
{
    return i < IBA_OBS_REASONS ? &q->before[i] : &q->pending;
}

/* A NAK that the network copied after the capture point makes its requester go back twice. */
static struct iba_obs_reason *copied_reason(const struct iba_look *l, struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < REASONS_AT_ALL; i++) {
        struct iba_obs_reason *r = reason_at(q, i);
        if (r->cause == IBA_CAUSE_NAK && r->served && iba_psn_eq(r->psn, l->psn) && iba_obs_is_recent(l, r))
            return r;
    }
    return NULL;
}

struct iba_obs_reason *iba_obs_held_back(const struct iba_look *l, struct iba_obs_requests *q)
{
    const struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);
    const bool oldest = q->answered && iba_psn_eq(l->psn, q->una), skips = iba_psn_diff(l->psn, q->next) > 0;

    for (unsigned i = 0; oldest && skips && e && i < REASONS_AT_ALL; i++) {
        struct iba_obs_reason *r = reason_at(q, i);
        if (r->cause == IBA_CAUSE_NAK && !r->served && iba_psn_eq(r->psn, l->psn) && r->mark.frame > e->mark.frame)
            return r;
    }
    return NULL;
}

bool iba_obs_had_another_reason(const struct iba_look *l, const struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < IBA_OBS_REASONS; i++) {
        const struct iba_obs_reason *r = &q->before[i];
        if (is_reason(l, r) && (r->cause != IBA_CAUSE_RNR || l->s->now.at - r->mark.at >= r->wait_ns))
            return true;
    }
    return false;
}

/* The packet that the NAK asked for came late, and the first packet that was sent again because of the NAK is missing.
 */
static struct iba_obs_reason *outrun_reason(const struct iba_look *l, struct iba_obs_requests *q)
{
    const iba_time soon = 2 * iba_obs_rtt(l) + IBA_OBS_LEAST_RTT_NS;

    for (unsigned i = 0; i < IBA_OBS_REASONS && !l->again; i++) {
        struct iba_obs_reason *r = &q->before[i];
        const int32_t lost = iba_psn_diff(l->psn, r->psn);
        if (!r->served && l->s->now.at - r->mark.at < soon && r->cause == IBA_CAUSE_NAK && lost > 0 &&
            lost <= IBA_OBS_MOST_LOST && iba_obs_is_recent(l, r))
            return r;
    }
    return NULL;
}

/* A responder acknowledges a request that it refused with an RNR NAK only when the request has come again (RR-49). So
 * the requester went back for that RNR NAK, and the capture lacks the first packets of its retransmissions. */
static struct iba_obs_reason *refusal_over(const struct iba_look *l, struct iba_obs_requests *q)
{
    for (unsigned i = 0; i < IBA_OBS_REASONS; i++) {
        struct iba_obs_reason *r = &q->before[i];
        const int32_t lost = iba_psn_diff(l->psn, r->psn);
        if (r->cause == IBA_CAUSE_RNR && !r->served && lost > 0 && lost <= IBA_OBS_MOST_LOST && q->answered &&
            iba_psn_diff(q->una, r->psn) > 0 && iba_psn_diff(q->una, l->psn) <= 0 &&
            l->s->now.at - r->mark.at >= r->wait_ns && iba_obs_is_recent(l, r))
            return r;
    }
    return NULL;
}

/* The requester sent this request after the response of `r` had reached it. So it did not go back then for a missing
 * answer before this request (RQ-36): only the capture lacks that answer. */
static bool went_on(const struct iba_look *l, const struct iba_obs_requests *q, const struct iba_obs_reason *r)
{
    const struct iba_obs_sent *e = iba_obs_request_at(q, l->psn);

    return l->flow->has_rtt && e && e->mark.frame > r->mark.frame && e->mark.at - r->mark.at >= soonest(l, r);
}

/* Finds the reason in the capture. A NAK makes the requester go back to its PSN, no further. */
struct iba_obs_reason *iba_obs_reason_for(const struct iba_look *l, struct iba_obs_requests *q)
{
    struct iba_obs_reason *const r = &q->pending;
    const bool now = r->cause != IBA_CAUSE_NONE && !r->served && iba_obs_is_recent(l, r);

    struct iba_obs_reason *const earlier = earlier_reason(l, q);
    const bool waits = r->cause == IBA_CAUSE_RNR && l->s->now.at - r->mark.at < r->wait_ns;
    if (now && iba_psn_eq(l->psn, r->psn) && !(waits && earlier))
        return r;
    if (earlier)
        return earlier;
    const int32_t beyond_reason = iba_psn_diff(l->psn, r->psn);
    /* an RNR NAK has no effect on later requests before its wait is over (RQ-28) */
    const bool fits = beyond_reason >= 0 && !waits &&
                      (r->cause != IBA_CAUSE_IMPLIED || (beyond_reason <= IBA_OBS_MOST_LOST && !went_on(l, q, r)));
    if (now && fits)
        return r;
    struct iba_obs_reason *const refused = refusal_over(l, q);
    return refused ? refused : outrun_reason(l, q);
}

void iba_obs_use_up_reason(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from, iba_psn end)
{
    for (unsigned i = 0; i < REASONS_AT_ALL; i++) {
        struct iba_obs_reason *r = reason_at(q, i);
        if (r->cause == IBA_CAUSE_NAK && iba_psn_diff(r->psn, from) >= 0 && iba_psn_diff(r->psn, end) < 0 &&
            l->s->now.at - r->mark.at >= soonest(l, r))
            r->served = true;
    }
}

/* A run that does not begin at the PSN of a NAK was taken for the NAK's effect. Now the packet comes that the NAK does
 * ask for. */
void iba_obs_undo_effect(const struct iba_look *l, struct iba_obs_requests *q)
{
    /* the run stopped before it reached the highest PSN */
    const bool broke_off = l->s->now.at - q->last.at >= IBA_OBS_LEAST_RTT_NS && iba_psn_diff(q->next, q->high) < 0;

    if (!q->run.on || q->run.kind != IBA_FINDING_RETRY_NAK || !(broke_off || (!q->run.shown && !q->run.longer)) ||
        iba_obs_stopped(l, q))
        return;
    for (unsigned i = 0; i < REASONS_AT_ALL; i++) {
        struct iba_obs_reason *r = reason_at(q, i);
        if (r->cause == IBA_CAUSE_NAK && r->mark.frame == q->run.mark.frame && iba_psn_eq(r->psn, l->psn))
            r->served = false;
    }
}

/* The requester goes back to exactly the PSN that a NAK asked for. So responses may have an effect sooner than the
 * shortest round trip seen before. */
bool iba_obs_sooner_than_known(const struct iba_look *l, const struct iba_obs_reason *r)
{
    const iba_time ago = l->s->now.at - r->mark.at;

    return r->cause == IBA_CAUSE_NAK && !r->served && iba_psn_eq(l->psn, r->psn) && ago < soonest(l, r) &&
           (ago >= IBA_OBS_LEAST_RTT_NS || !iba_obs_gap_at(l->s, l->flow->rq.gaps, l->psn));
}

/* The packet that a NAK asked for comes much sooner than any round trip seen before. So it may be late instead. */
static bool is_hurried(const struct iba_look *l, struct iba_obs_requests *q, const struct iba_obs_reason *r)
{
    return r && l->s->now.at - r->mark.at < soonest(l, r) / 2 && iba_obs_gap_at(l->s, q->gaps, l->psn);
}

/* The requester goes back almost to the PSN that a NAK asked for, sooner than any known round trip. If the NAK is the
 * reason, fewer packets before this one are missing than if the lost answer to the READ or ATOMIC `lacks` is the
 * reason. */
static bool nearly_asked_for(const struct iba_look *l, const struct iba_obs_requests *q,
                             const struct iba_obs_read *lacks)
{
    const struct iba_obs_reason *const r = &q->pending;
    const int32_t lost = iba_psn_diff(l->psn, r->psn);
    const iba_time ago = l->s->now.at - r->mark.at;

    return r->cause == IBA_CAUSE_NAK && !r->served && lost > 0 && lost <= IBA_OBS_MOST_BEGINNING &&
           ago < soonest(l, r) && ago >= soonest(l, r) / 2 && lacks && iba_psn_diff(lacks->psn, r->psn) < 0;
}

/* The READ or ATOMIC was answered a while ago, and so were later requests that did not come again. A requester that
 * repeats single packets sends it again for a lost answer. */
static bool lost_answer(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return iba_obs_fetched_before(l, q) && q->run.on && iba_psn_diff(q->una, q->next) > 0 && !iba_obs_reorders(l->s) &&
           iba_obs_pause(l, q) >= IBA_OBS_LEAST_RTT_NS;
}

/* The request may be late, or sent again. Only the next packet shows which. */
bool iba_obs_is_undecided(const struct iba_look *l, struct iba_obs_requests *q)
{
    const struct iba_obs_gap *const gap = iba_obs_gap_at(l->s, q->gaps, l->psn);
    /* a packet jumped over this request before the requester waited: if the request came late, the responder dropped it
     */
    const bool waited =
        gap && q->run.on && q->run.kind == IBA_FINDING_RETRY_RNR && l->s->now.at - gap->at >= q->rnr_wait_ns;

    return gap && !waited && !iba_obs_has_newer_id(l) && !lost_answer(l, q) && !iba_obs_is_rest(l) &&
           l->s->now.at - q->last.at < IBA_OBS_SOONEST_TIMEOUT_NS;
}

/* Returns a recent READ or ATOMIC whose missing answer may have made the requester go back. */
static const struct iba_obs_read *may_lack(const struct iba_look *l, const struct iba_obs_requests *q)
{
    /* the nearest one before this request comes first, since a requester goes back to it */
    const struct iba_obs_read *near = NULL;

    for (unsigned i = 0; i < q->n_read; i++) {
        const struct iba_obs_read *r = &q->read[i];
        const bool nearer = near && (iba_psn_diff(near->psn, l->psn) > 0
                                         ? iba_psn_diff(r->psn, near->psn) < 0
                                         : iba_psn_diff(r->psn, near->psn) > 0 && iba_psn_diff(r->psn, l->psn) <= 0);
        if (r->used && l->s->now.at - r->mark.at < IBA_OBS_FLIGHT_NS && (!near || nearer))
            near = r;
    }
    return near;
}

/* The capture lacks the beginning of the retransmissions, which may still come. */
static void lacks_beginning(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from)
{
    const int32_t lost = iba_psn_diff(l->psn, from);

    if (lost > 0 && lost <= IBA_OBS_MOST_LOST && !iba_obs_is_undecided(l, q))
        iba_obs_open_gap(q->gaps, &q->next_gap, l->s->now.at, from, (uint32_t)lost);
}

/* The reason may be a response that the capture lacks. The capture may lack the response when it is known to lack
 * packets, has just begun, or was recorded near the requester. READs and ATOMICs are mostly the first that a requester
 * sends again, for a missing answer. */
static bool may_be_unseen(const struct iba_look *l, const struct iba_obs_read *lacks)
{
    const struct iba_flow *f = l->flow;
    const bool near = f->has_rtt && f->rtt_min_ns < IBA_OBS_LEAST_RTT_NS;
    /* Nothing after this PSN was answered, so no answer is missing, and a NAK is likelier. */
    const bool next = f->rq.answered && iba_psn_eq(l->psn, f->rq.una) && (near || !iba_obs_fetches(l));
    const int32_t lost = l->again ? 0 : iba_psn_diff(l->psn, iba_psn_add(lacks->psn, lacks->n ? lacks->n : 1)) + 1;

    return next || lost < 0 || lost > IBA_OBS_MOST_BEGINNING ||
           (!l->again && (near || l->s->found[IBA_FINDING_NOT_CAPTURED] > 0)) ||
           l->s->now.at - f->first.at < iba_obs_rtt(l);
}

/* A requester notices that an answer is missing when a later response to the same READ comes, or a response to a later
 * request (RQ-36). False when nothing was sent after this READ or ATOMIC, and no response to it came. */
static bool may_be_noticed(const struct iba_obs_requests *q, const struct iba_obs_read *lacks)
{
    const bool later = lacks->n == 0 || iba_psn_diff(q->high, iba_psn_add(lacks->psn, lacks->n)) > 0;

    return later || !iba_psn_eq(lacks->expect, lacks->psn);
}

/* The packet is a READ or ATOMIC that was sent before, but before the capture began. */
static bool asks_again_unseen(const struct iba_look *l, struct iba_obs_requests *q)
{
    return iba_obs_fetches(l) && !l->again && iba_psn_diff(l->psn, q->first) < 0 && l->flow->has_rtt &&
           l->s->now.at - l->flow->first.at >= l->flow->rtt_min_ns;
}

/* A timer makes the requester send the packet that a NAK asked for before. The capture does not show whether the
 * requester did not get the NAK, or ignored it. */
static void report_ignored(const struct iba_look *l, const struct iba_obs_requests *q)
{
    const struct iba_obs_reason *r = &q->pending;

    if (l->peer && !l->flow->guess && r->cause == IBA_CAUSE_NAK && !r->served && iba_psn_eq(r->psn, l->psn))
        iba_obs_report_of(
            l->s, l->peer, IBA_FINDING_NAK_IGNORED, &r->mark,
            &(struct iba_obs_detail){.cause = &l->s->now, .wait_ns = l->s->now.at - r->mark.at, .response = true},
            r->psn);
}

void iba_obs_count_retry(struct iba_look *l, struct iba_obs_requests *q)
{
    if (q->hasty.known)
        return; /* adapters with adaptive timers count retries differently */
    q->stuck.n = iba_obs_count(q->stuck.n, q->stuck.n > 0 && iba_psn_eq(q->stuck.psn, l->psn));
    q->stuck.psn = l->psn;
    if (q->stuck.n == MOST_RETRIES + 1)
        iba_obs_report(l, IBA_FINDING_RETRY_LIMIT, &(struct iba_obs_detail){.cause = &q->ask.mark});
}

/* ---- why a request comes again ---- */

struct coming_again {
    const struct iba_look *l;
    struct iba_obs_requests *q;
    struct iba_obs_reason *r;            /* the reason in the capture; NULL: none */
    const struct iba_obs_reason *copied; /* a reason that had its effect already */
    struct iba_obs_reason *held_back;    /* a NAK that had no effect yet, since an answer was missing; NULL: none */
    const struct iba_obs_read *lacks;    /* the READ or ATOMIC whose answer may be missing; NULL: none */
    bool hasty;                          /* an adaptive timer may have run out */
    bool waits;                          /* the reason is an RNR NAK, whose wait is not over */
    bool reorders;                       /* this network reorders packets */
    bool inside;                         /* the request may be a single late packet */
};

static bool nak(const struct coming_again *c)
{
    return c->r && c->r->cause == IBA_CAUSE_NAK;
}

static bool timer_in_wait(const struct coming_again *c)
{
    return c->waits && c->hasty;
}

static bool rnr_nak(const struct coming_again *c)
{
    return c->r && c->r->cause == IBA_CAUSE_RNR;
}

static bool answer_missing(const struct coming_again *c)
{
    return c->r != NULL;
}

static bool timer(const struct coming_again *c)
{
    return iba_obs_pause(c->l, c->q) >= IBA_OBS_SOONEST_TIMEOUT_NS;
}

static bool nak_held_back(const struct coming_again *c)
{
    return c->held_back != NULL;
}

static bool adaptive_timer(const struct coming_again *c)
{
    return c->hasty;
}

static bool nak_copied(const struct coming_again *c)
{
    return c->copied && !c->l->again;
}

static bool read_before_capture(const struct coming_again *c)
{
    return asks_again_unseen(c->l, c->q);
}

static bool answer_lost(const struct coming_again *c)
{
    return c->lacks && !may_be_unseen(c->l, c->lacks) && may_be_noticed(c->q, c->lacks);
}

static bool unclear(const struct coming_again *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "It is sent again, since ..." goes before each sentence.
 *    name                  when                  kind           sentence                                                                                            clause */
#define WHY_RULES(R)                                                                                                                                                           \
    R(nak,                  nak,                  RETRY_NAK,     "a NAK asks for its PSN, or for one before it",                                                     "RQ-26")  \
    R(timer_in_wait,        timer_in_wait,        RETRY_TIMEOUT, "the wait of an RNR NAK is not over, and nothing was answered for several round trips",              "RQ-21")  \
    R(rnr_nak,              rnr_nak,              RETRY_RNR,     "an RNR NAK asked the requester to wait and send it again",                                         "RQ-28")  \
    R(answer_missing,       answer_missing,       RETRY_IMPLIED, "a response to a later request showed that its response is missing",                                "RQ-36")  \
    R(timer,                timer,                RETRY_TIMEOUT, "its requester sent nothing for 1 ms: no ACK timer is shorter",                                     "RQ-21")  \
    R(nak_held_back,        nak_held_back,        RETRY_NAK,     "a NAK asked for it long ago, and its requester waited for a missing answer before it",             "RQ-36")  \
    R(adaptive_timer,       adaptive_timer,       RETRY_TIMEOUT, "nothing was answered for several round trips: the timer adapts to them",                           "RQ-21")  \
    R(nak_copied,           nak_copied,           RETRY_NAK,     "a NAK asks for it that had its effect before: the network copied the NAK after the capture point", "RQ-26")  \
    R(read_before_capture,  read_before_capture,  RETRY_IMPLIED, "it is a READ or ATOMIC from before the capture, and comes too soon for a timer",                   "RQ-36")  \
    R(answer_lost,          answer_lost,          RETRY_IMPLIED, "an answer to a READ or ATOMIC was lost after the capture point: too soon for a timer",             "RQ-36")  \
    R(unclear,              unclear,              RETRY_UNCLEAR, "the capture shows no reason",                                                                      "RQ-21")
/* clang-format on */

#define DECISION_TABLE "why"
enum { WHY_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {WHY_RULES(IBA_DECISION_KIND)};
const struct iba_decisions iba_why_rules = {DECISION_TABLE, "Why does a request come again?", rows, ROWS};

static const struct iba_decision *decide(const struct coming_again *c)
{
    WHY_RULES(IBA_DECISION_FIRST)
    return NULL;
}

/* The reason is a response in the capture. The next packet may have to show whether this request is its effect, or only
 * late. */
static void go_back_for(const struct coming_again *c)
{
    const struct iba_look *l = c->l;
    struct iba_obs_requests *q = c->q;

    q->run.mark = c->r->mark;
    q->run.guess = !(q->run.shown && iba_obs_repeats_single(q)) &&
                   (iba_obs_is_undecided(l, q) || (c->reorders && !q->run.shown && c->r->cause == IBA_CAUSE_NAK));
    c->r->served = !q->run.guess;
    lacks_beginning(l, q, c->r->psn);
}

/* The reason is the one of row `by`, not a response in the capture. */
static void go_back_by(const struct coming_again *c, const struct iba_decision *by)
{
    struct iba_obs_requests *q = c->q;

    switch (by - rows) {
    case ROW_timer:
    case ROW_timer_in_wait:
    case ROW_adaptive_timer: report_ignored(c->l, q); break;
    case ROW_nak_held_back:
        q->run.mark = c->held_back->mark;
        c->held_back->served = true;
        return;
    case ROW_nak_copied:
        q->run.mark = c->copied->mark;
        q->run.guess = true;
        q->run.alone = c->inside;
        break;
    case ROW_read_before_capture:
        q->run.mark = (struct iba_obs_mark){0};
        q->run.guess = c->reorders;
        break;
    case ROW_answer_lost:
        q->run.mark = c->lacks->mark;
        q->run.guess = c->reorders;
        lacks_beginning(c->l, q, c->lacks->psn);
        break;
    default:
        q->run.guess = true;
        q->run.alone = c->inside;
        break;
    }
    if (q->run.guess)
        return;
    iba_obs_replace_reason(q);
    q->pending.served = true;
}

void iba_obs_start_run(const struct iba_look *l, struct iba_obs_requests *q)
{
    struct iba_obs_reason *known = iba_obs_reason_for(l, q);
    struct coming_again c = {.l = l, .q = q, .copied = copied_reason(l, q), .reorders = iba_obs_reorders(l->s)};

    c.held_back = iba_obs_held_back(l, q);
    c.lacks = l->again ? l->again : may_lack(l, q);
    const bool sooner = iba_obs_sooner_than_known(l, &q->pending) || nearly_asked_for(l, q, c.lacks);
    c.r = known || !sooner ? known : &q->pending;
    c.waits = rnr_nak(&c) && iba_obs_waits_in_vain(l, c.r);
    c.hasty = (!c.r || c.waits) && !timer(&c) && iba_obs_is_hasty_timer(l, q);
    c.inside = !c.r && !iba_obs_fetched_before(l, q) && !iba_obs_gap_at(l->s, q->gaps, l->psn) &&
               iba_psn_diff(iba_psn_add(l->psn, iba_obs_psns(l)), q->high) < 0;
    const struct iba_decision *by = decide(&c);
    if (by == &rows[ROW_timer_in_wait])
        c.r = NULL;

    q->interrupted = q->run;
    q->ignored_nak.frame = 0;
    q->run.on = true;
    q->run.guess = q->run.longer = false;
    q->run.asked = c.r == &q->pending || (!c.r && l->again);
    q->run.hurried = is_hurried(l, q, c.r);
    q->run.shown = c.r && iba_psn_eq(c.r->psn, l->psn) && !q->run.hurried;
    q->run.alone = c.inside && c.reorders;
    q->run.kind = by->kind;
    q->run.decision = by;
    iba_obs_decided(l->s, by);
    if (c.r)
        go_back_for(&c);
    else
        go_back_by(&c, by);
}

/* The response in the packet `mark` has had its effect. */
static void serve(struct iba_obs_requests *q, const struct iba_obs_mark *mark)
{
    bool found = false;

    for (unsigned i = 0; i < REASONS_AT_ALL; i++) {
        struct iba_obs_reason *r = reason_at(q, i);
        if (r->mark.frame != mark->frame)
            continue;
        r->served = found = true;
    }
    if (found)
        return;
    iba_obs_replace_reason(q);
    q->pending.served = true;
}

void iba_obs_settle_alone(struct iba_observer *s, struct iba_flow *f)
{
    iba_obs_settle(s, f, iba_obs_went_back_alone(s, &f->rq));
    iba_obs_resolve_unsent_alone(s, f);
    iba_obs_release(s, f, NULL);
    iba_obs_order_end(s, f);
}

void iba_obs_settle(struct iba_observer *s, struct iba_flow *f, bool went_back)
{
    struct iba_obs_requests *q = &f->rq;
    const bool by_itself = q->run.kind == IBA_FINDING_RETRY_TIMEOUT || q->run.kind == IBA_FINDING_RETRY_UNCLEAR;
    const bool reported = q->undecided.reported;
    const iba_psn psn = q->undecided.psn;

    if (q->undecided.mark.frame == 0)
        return;
    if (!reported && went_back && q->undecided.ahead > 0)
        iba_obs_report_of(s, f, IBA_FINDING_GAP, &q->undecided.mark,
                          &(struct iba_obs_detail){.count = q->undecided.ahead}, psn);
    if (!reported && (went_back || !q->undecided.lawful))
        iba_obs_report_of(s, f, went_back ? (enum iba_finding_kind)q->run.kind : IBA_FINDING_LATE, &q->undecided.mark,
                          &(struct iba_obs_detail){.cause = went_back && !by_itself ? &q->run.mark : NULL,
                                                   .decision = went_back ? q->run.decision : NULL},
                          psn);
    if (!went_back && q->run.guess && !reported)
        q->run = q->interrupted; /* the packet was late: the retransmissions before it go on */
    q->undecided.mark.frame = 0;
    q->run.guess = false;
    if (!went_back) {
        if (!reported)
            iba_obs_open_overtaken(s, f, psn);
        iba_obs_close_gap(s, q->gaps, psn);
        return;
    }
    struct iba_flow *const peer = iba_obs_active(s, f->peer);
    iba_obs_order_asked(s, f, false, psn);
    if (peer)
        iba_obs_order_asked(s, peer, true, psn);
    iba_obs_order_comes_again(f, psn);
    serve(q, &q->run.mark);
    q->run.on = true;
    q->next = q->misplaced;
}
