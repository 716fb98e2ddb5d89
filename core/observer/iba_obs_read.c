/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses to READs, ATOMICs and the other requests that more than an ACK answers. */
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_reorder.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_rules.h"

static bool fits(enum iba_operation request, const struct iba_opcode *response)
{
    const bool atomic = response->operation == IBA_OPERATION_ATOMIC_ACK;

    switch (request) {
    case IBA_OPERATION_ATOMIC: return atomic;
    case IBA_OPERATION_FLUSH:
    case IBA_OPERATION_ATOMIC_WRITE:
        return response->operation == IBA_OPERATION_READ_RESPONSE && response->pos == IBA_ONLY;
    default: return !atomic;
    }
}

/* When the path MTU is not known, the last response shows how many responses there are. */
static void settle(const struct iba_look *l, struct iba_obs_requests *q, struct iba_obs_read *r)
{
    if (r->n != 0 || !iba_opcode_ends(l->op))
        return;
    const uint32_t n = (uint32_t)iba_psn_diff(l->psn, r->psn) + 1;

    if (q->open.used && iba_psn_eq(q->open.psn, r->psn))
        iba_obs_close_read(q, n);
    r->n = n;
}

/* The last response must end the message, and no other response may end it. A First is accepted where a lost request
 * for the rest of the READ would begin (RR-62). */
static bool in_order(const struct iba_look *l, const struct iba_obs_read *r)
{
    const bool first = iba_psn_eq(l->psn, r->psn);
    const bool last = r->n != 0 && iba_psn_eq(l->psn, iba_psn_add(r->psn, r->n - 1));
    const bool ends = iba_opcode_ends(l->op);
    const bool starts = iba_opcode_begins(l->op);

    return (!first || starts || r->again) && (r->n == 0 || ends == last);
}

static bool right_length(const struct iba_look *l, const struct iba_obs_read *r)
{
    const uint32_t pmtu = l->flow->pmtu;

    if (r->n == 1)
        return l->v->payload_len == r->length;
    if (pmtu == 0 || r->n == 0)
        return true;
    return l->v->payload_len ==
           (iba_psn_eq(l->psn, iba_psn_add(r->psn, r->n - 1)) ? r->length - (r->n - 1) * pmtu : pmtu);
}

/* The gap of missing responses that this response belongs to. */
static struct iba_obs_gap *never_came(struct iba_flow *f, iba_psn psn)
{
    for (unsigned i = 0; i < IBA_OBS_GAPS; i++) {
        struct iba_obs_gap *h = &f->unanswered[i];
        const int32_t d = iba_psn_diff(psn, h->psn);
        if (d >= h->done && d < h->n)
            return h;
    }
    return NULL;
}

bool iba_obs_answer_came(const struct iba_look *l, const struct iba_obs_read *r)
{
    if (iba_psn_diff(r->seen, iba_psn_add(r->psn, r->n)) < 0)
        return false;
    for (unsigned i = 0; r->n > 1 && i < IBA_OBS_GAPS; i++) { /* a single response that came fills no gap */
        const struct iba_obs_gap *h = &l->flow->unanswered[i];
        if (h->done < h->n && iba_psn_diff(iba_psn_add(h->psn, h->n), r->psn) > 0 &&
            iba_psn_diff(iba_psn_add(h->psn, h->done), r->seen) < 0)
            return false;
    }
    return true;
}

static void came_before(struct iba_look *l, const struct iba_obs_mark *cause)
{
    if (l->flow->undecided.mark.frame == l->s->now.frame)
        l->flow->undecided.again = true;
    else
        iba_obs_report(l, IBA_FINDING_ANSWER_AGAIN, &(struct iba_obs_detail){.cause = cause});
}

/* The capture lacks the READ or ATOMIC of this response. Remembers the response, since the request may come again. */
void iba_obs_note_alone(const struct iba_look *l)
{
    struct iba_flow *f = l->flow;
    const iba_psn end = iba_psn_add(l->psn, 1);

    for (unsigned i = 0; i < IBA_OBS_ALONE; i++)
        if (iba_psn_eq(f->alone[i].end, l->psn) && !iba_psn_eq(f->alone[i].psn, l->psn)) {
            f->alone[i].end = end;
            return;
        }
    f->alone[f->next_alone].psn = l->psn;
    f->alone[f->next_alone].end = end;
    f->next_alone = (uint8_t)((f->next_alone + 1) % IBA_OBS_ALONE);
}

/* The response came before the first captured transmission of its READ. */
static bool was_alone(const struct iba_look *l)
{
    bool any = false;

    for (unsigned i = 0; i < IBA_OBS_ALONE; i++)
        any |= iba_psn_diff(l->psn, l->flow->alone[i].psn) >= 0 && iba_psn_diff(l->psn, l->flow->alone[i].end) < 0;
    return any;
}

void iba_obs_forget_alone(const struct iba_look *l, bool sent_before)
{
    for (unsigned i = 0; !sent_before && l->peer && l->flow->requests > 1 && i < IBA_OBS_ALONE; i++)
        if (iba_psn_diff(l->peer->alone[i].end, l->psn) > 0)
            l->peer->alone[i].psn = l->peer->alone[i].end;
}

/* Records the response, and reports it if it came before. */
static void note_answer(struct iba_look *l, struct iba_obs_read *r)
{
    const iba_psn end = iba_psn_add(l->psn, 1);
    struct iba_obs_gap *h = never_came(l->flow, l->psn);
    /* All responses to this READ came before. Responses jump over them only because the responder answered an earlier
     * READ again. */
    const bool came = h && iba_psn_diff(r->psn, h->psn) > 0 && iba_psn_diff(l->psn, r->seen) < 0;

    if (h && !came)
        h->done = (uint16_t)iba_psn_diff(end, h->psn);
    else if (iba_psn_diff(l->psn, r->seen) < 0 || (r->again && iba_obs_answered_before(l)) || was_alone(l))
        came_before(l, &r->mark);
    if (iba_psn_diff(end, r->seen) > 0)
        r->seen = end;
}

/* The response continues the newest one, and no response beyond it has come since. */
static bool goes_on(const struct iba_look *l, const struct iba_obs_read *r)
{
    const iba_psn before = iba_psn_add(l->flow->answers, IBA_PSN_MASK);
    const int32_t lost = iba_psn_diff(l->psn, l->flow->answers);
    uint64_t since = 0;

    if (!l->flow->has_answers || lost < 0 || lost > (iba_opcode_begins(l->op) ? 0 : IBA_OBS_MOST_LOST))
        return false;
    if (lost > 0 && iba_obs_fills(l->flow, true, l->psn) && iba_obs_missing_before(l, lost) == 0)
        return false; /* the PSNs between came before the newest response: the newest response was late itself */
    const struct iba_obs_read *other = l->peer && lost > 0 ? iba_obs_read_at(&l->peer->rq, before) : NULL;
    if (r && other && iba_psn_diff(l->psn, other->psn) >= (int32_t)other->n)
        return false; /* the newest response belongs to another READ */
    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *o = &l->flow->recent[i];
        if (!o->request && iba_psn_eq(o->psn, before) && o->number > since)
            since = o->number;
    }
    for (unsigned i = 0; since > 0 && i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *o = &l->flow->recent[i];
        if (!o->request && o->number > since && iba_psn_diff(o->psn, l->psn) > 0)
            return false;
    }
    return true;
}

/* Returns the previous response if it came at the same time; NULL: it came earlier. */
__attribute__((cold)) static const struct iba_obs_recent *comes_with(const struct iba_look *l)
{
    const struct iba_obs_recent *const last = iba_obs_response_before(l);

    return last && l->s->now.at - last->mark.at < IBA_OBS_LEAST_RTT_NS ? last : NULL;
}

/* The response belongs to the same run as the previous one: it has the next PSN, came at once, and the previous one was
 * not late. */
static bool follows(const struct iba_look *l)
{
    const struct iba_obs_recent *const last = iba_opcode_begins(l->op) ? comes_with(l) : NULL;

    return last && !last->late && iba_psn_eq(iba_psn_add(last->psn, 1), l->psn);
}

/* The response belongs to the same READ as the previous response, which was late. The response has come before; or a
 * packet jumped over both, and the response has the next PSN. */
static bool joins_late(const struct iba_look *l, const struct iba_obs_read *r)
{
    const bool may = r && !iba_opcode_begins(l->op) && (r->again || !iba_obs_answered_before(l));
    const struct iba_obs_recent *const last = may ? comes_with(l) : NULL;

    if (!last || !last->late || iba_psn_diff(last->psn, r->psn) < 0 || iba_psn_diff(l->psn, last->psn) <= 0)
        return false;
    return iba_psn_diff(r->expect, l->psn) > 0 ||
           (iba_psn_eq(iba_psn_add(last->psn, 1), l->psn) && iba_obs_gap_at(l->s, l->flow->unanswered, l->psn));
}

/* The response is the first to the newest transmission of a READ. An earlier transmission of the READ began at another
 * PSN. */
static bool answers_afresh(const struct iba_look *l, const struct iba_obs_read *r)
{
    return r && r->fresh && iba_opcode_begins(l->op) && iba_psn_eq(l->psn, r->psn) && iba_psn_eq(r->expect, r->psn);
}

/* The response does not answer the newest transmission of the READ, since responses to later requests came before it.
 */
__attribute__((cold)) static bool passed_by(const struct iba_look *l, const struct iba_obs_read *r)
{
    const iba_time soonest = r->mark.at + iba_obs_rtt(l);

    return l->op->pos == IBA_ONLY && iba_obs_rtt(l) >= IBA_OBS_LEAST_RTT_NS &&
           l->s->now.at >= soonest + IBA_OBS_LEAST_RTT_NS && iba_obs_overtaken(l, soonest);
}

/* The READ was sent again, or came after responses had jumped over this PSN. `r` may be NULL. */
static bool asked_since(const struct iba_observer *s, struct iba_flow *f, const struct iba_obs_read *r, iba_psn psn)
{
    const struct iba_obs_gap *const gap = iba_obs_gap_at(s, f->unanswered, psn);

    return r && (r->again || (gap && r->mark.at >= gap->at));
}

bool iba_obs_fills_once(const struct iba_look *l, const struct iba_obs_read *r)
{
    const bool reorders = l->flow->order.taken > 0 || iba_obs_reorders(l->s);

    return reorders && !asked_since(l->s, l->flow, r, l->psn) && iba_obs_fills(l->flow, true, l->psn) &&
           !iba_obs_answered_before(l);
}

/* ---- whether a response with data is late ---- */

struct answer { /* a response with data */
    const struct iba_look *l;
    const struct iba_obs_read *r;  /* the READ or ATOMIC that the response answers; NULL: not known */
    const struct iba_obs_gap *gap; /* the gap that an earlier jump left, and that the response belongs to; NULL: none */
    bool starts;                   /* the response is the first of its run, or an Only */
    bool fills;                    /* the response fills a deferred gap, for the first time */
    bool older;                    /* the response belongs to an earlier run */
};

static bool fills_only_run(const struct answer *c)
{
    return c->r && iba_obs_fills_once(c->l, c->r);
}

static bool not_jumped_over(const struct answer *c)
{
    return !c->gap && !c->older;
}

static bool newer_identification(const struct answer *c)
{
    return iba_obs_has_newer_id(c->l) && !c->fills;
}

static bool goes_on_with_newest(const struct answer *c)
{
    return goes_on(c->l, c->r);
}

static bool answers_new_request(const struct answer *c)
{
    return answers_afresh(c->l, c->r);
}

static bool follows_at_once(const struct answer *c)
{
    return follows(c->l);
}

static bool earlier_run(const struct answer *c)
{
    return c->older;
}

static bool one_of_two(const struct answer *c)
{
    return c->l->op->pos == IBA_ONLY && iba_obs_answered_before(c->l);
}

static bool begins_unknown(const struct answer *c)
{
    return !c->r && c->starts && !c->fills;
}

static bool unknown_read(const struct answer *c)
{
    return !c->r;
}

/* The READ came again after the jump, and this response may be the first of the new answer. */
static bool begins_second_run(const struct answer *c)
{
    const struct iba_look *l = c->l;
    const iba_time soonest =
        iba_obs_rtt(l) - iba_obs_rtt(l) / 4; /* the shortest round trip may not have been seen yet */
    const bool asked_since =
        c->gap->at <= c->r->mark.at && l->s->now.at - c->r->mark.at >= soonest && !passed_by(l, c->r);
    const bool to_begin = iba_psn_eq(c->r->expect, c->r->psn) || (c->starts && !c->r->again);

    return asked_since && to_begin && (c->starts || !iba_psn_eq(l->psn, c->r->psn));
}

static bool jumped_over(const struct answer *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "The response ..." goes before each sentence.
 *    name                   when                  late  sentence                                                                     clause */
#define ANSWER_RULES(R)                                                                                                                         \
    R(fills_only_run,        fills_only_run,       yes, "was jumped over, and its READ was sent only once",                           "RR-02")  \
    R(not_jumped_over,       not_jumped_over,      no,  "was not jumped over a moment ago",                                           "RR-02")  \
    R(newer_identification,  newer_identification, no,  "has an IPv4 identification that is newer than those before it",              "RR-02")  \
    R(goes_on_with_newest,   goes_on_with_newest,  no,  "goes on where the newest response ended",                                    "RQ-46")  \
    R(answers_new_request,   answers_new_request,  no,  "begins the answer to a READ that came again for the rest",                   "RQ-07")  \
    R(follows_at_once,       follows_at_once,      no,  "directly follows the response before it",                                    "RQ-46")  \
    R(earlier_run,           earlier_run,          yes, "belongs to the answer before its READ came again",                           "RR-02")  \
    R(one_of_two,            one_of_two,           no,  "has the PSN of an earlier response: nothing shows which of the two is late", "RR-25")  \
    R(begins_unknown,        begins_unknown,       no,  "begins the answer to a READ that the capture lacks",                         "RR-02")  \
    R(unknown_read,          unknown_read,         yes, "was jumped over, and the capture lacks its READ",                            "RR-02")  \
    R(begins_second_run,     begins_second_run,    no,  "may answer the READ that came again since",                                  "RR-25")  \
    R(jumped_over,           jumped_over,          yes, "was jumped over, and nothing asked for it again",                            "RR-02")
/* clang-format on */

#define DECISION_TABLE "answer"
enum { ANSWER_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {ANSWER_RULES(IBA_DECISION_YES_NO)};
const struct iba_decisions iba_answer_rules = {DECISION_TABLE, "Is a response with data late?", rows, ROWS};

static const struct iba_decision *decide(const struct answer *c)
{
    ANSWER_RULES(IBA_DECISION_FIRST)
    return NULL;
}

const struct iba_decision *iba_obs_answer_lateness(const struct iba_look *l, const struct iba_obs_read *r)
{
    struct answer c = {
        .l = l, .r = r, .gap = iba_obs_gap_at(l->s, l->flow->unanswered, l->psn), .starts = iba_opcode_begins(l->op)};
    /* The response completes the answer to an earlier transmission, and later requests are answered already. */
    const bool breaks = r && iba_psn_eq(l->psn, r->expect) && iba_psn_eq(l->psn, l->flow->answers);

    c.older = joins_late(l, r) || (r && r->again && !c.starts && (breaks || iba_psn_eq(l->psn, r->psn)));
    c.fills = iba_obs_fills(l->flow, true, l->psn) && !iba_obs_answered_before(l);
    const struct iba_decision *by = decide(&c);
    iba_obs_decided(l->s, by);
    return by;
}

bool iba_obs_holds(const struct iba_look *l, const struct iba_obs_read *r)
{
    const struct iba_obs_requests *q = &l->peer->rq;

    return !(r && iba_obs_fills_once(l, r)) && l->op->pos == IBA_FIRST && !iba_obs_has_newer_id(l) &&
           !answers_afresh(l, r) &&
           (iba_obs_gap_at(l->s, l->flow->unanswered, l->psn) ||
            (iba_obs_reorders(l->s) && (iba_obs_is_answered(q, l->psn) || iba_obs_answered_before(l)))) &&
           !follows(l);
}

bool iba_obs_begins_inside(const struct iba_look *l, const struct iba_obs_read *r)
{
    const int32_t lost = r ? iba_psn_diff(l->psn, r->psn) : 0;

    return iba_obs_reorders(l->s) && !iba_obs_has_newer_id(l) && !iba_opcode_begins(l->op) && r && r->again &&
           r->n != 0 && lost > 0 && lost <= IBA_OBS_MOST_LOST && iba_psn_eq(r->expect, r->psn) &&
           iba_psn_diff(l->psn, r->seen) < 0 && iba_obs_had_time(l, r->mark.at) && !goes_on(l, r);
}

/* The pending response is not a First: the beginning of its answer is missing. */
static bool is_inside(const struct iba_obs_undecided *h)
{
    return !iba_psn_eq(h->from, h->psn);
}

/* Reports the missing beginning of an answer. */
static void let_gap(struct iba_observer *s, struct iba_flow *f)
{
    const struct iba_obs_undecided *h = &f->undecided;
    struct iba_flow *peer = iba_obs_active(s, f->peer);
    struct iba_obs_read *r = peer ? iba_obs_read_at(&peer->rq, h->psn) : NULL;
    const uint32_t lost = (uint32_t)iba_psn_diff(h->psn, h->from);

    iba_obs_report_of(s, f, IBA_FINDING_RESPONSE_GAP, &h->mark,
                      &(struct iba_obs_detail){.cause = r ? &r->mark : NULL, .count = lost, .response = true}, h->psn);
    if (!r)
        return;
    iba_psn from = h->from;
    while (iba_psn_diff(from, h->psn) < 0 && iba_obs_gap_at(s, f->unanswered, from))
        from = iba_psn_add(from, 1);
    iba_obs_miss(s, f, &peer->rq, from, h->psn); /* the earlier responses were missing in the previous answer, too */
    if (iba_psn_diff(r->expect, h->psn) <= 0)
        r->expect = iba_psn_add(h->psn, 1);
    iba_obs_expect_for(&peer->rq,
                       &(struct iba_obs_reason){.cause = IBA_CAUSE_IMPLIED, .psn = h->from, .mark = h->mark});
}

/* The pending First begins the answer to the newest transmission of its READ. */
static void begin_run(struct iba_observer *s, struct iba_flow *f)
{
    struct iba_flow *const peer = iba_obs_active(s, f->peer);
    struct iba_obs_read *const r = peer ? iba_obs_read_at(&peer->rq, f->undecided.psn) : NULL;
    struct iba_obs_gap *const h = never_came(f, f->undecided.psn);

    if (h)
        h->done = (uint16_t)(iba_psn_diff(f->undecided.psn, h->psn) + 1);
    if (r && iba_psn_eq(r->expect, f->undecided.psn))
        r->expect = iba_psn_add(f->undecided.psn, 1);
}

static void let_go(struct iba_observer *s, struct iba_flow *f, bool late)
{
    struct iba_obs_undecided *h = &f->undecided;

    if (late) {
        if (is_inside(h))
            iba_obs_report_of(s, f, IBA_FINDING_ANSWER_AGAIN, &h->mark, &(struct iba_obs_detail){.response = true},
                              h->psn);
        else if (!h->lawful)
            iba_obs_report_of(s, f, IBA_FINDING_LATE, &h->mark, &(struct iba_obs_detail){.response = true}, h->psn);
        iba_obs_close_gap(s, f->unanswered, h->psn);
        f->answers = h->answers;
    } else {
        if (is_inside(h))
            let_gap(s, f);
        else
            begin_run(s, f);
        if (h->again)
            iba_obs_report_of(s, f, IBA_FINDING_ANSWER_AGAIN, &h->mark, &(struct iba_obs_detail){.response = true},
                              h->psn);
        f->answers = iba_psn_add(h->psn, 1);
    }
    h->mark.frame = 0;
}

static bool is_at_once(const struct iba_observer *s, const struct iba_obs_undecided *h)
{
    return s->now.at - h->mark.at < (h->late && !is_inside(h) ? IBA_OBS_LEAST_RTT_NS : IBA_OBS_AT_ONCE_NS);
}

/* The pending First and the next response both came for the first time, and their READ was sent once, as far as the
 * capture shows. A second answer to the READ would repeat responses. */
static bool is_filling_only_run(const struct iba_look *l, struct iba_flow *f, const struct iba_obs_undecided *h)
{
    if (!l || !l->peer || !iba_obs_fills(f, true, h->psn) || iba_obs_answered_before(l))
        return false;
    const struct iba_obs_read *const r = iba_obs_read_at(&l->peer->rq, h->psn);
    return !asked_since(l->s, f, r, h->psn) && iba_obs_read_at(&l->peer->rq, l->psn) == r;
}

/* A responder sends all responses to a READ at once. So a First that no further response follows was overtaken. A
 * response that begins an answer in its middle was overtaken when the responses before it follow. */
void iba_obs_release(struct iba_observer *s, struct iba_flow *f, const struct iba_look *l)
{
    const struct iba_obs_undecided *h = &f->undecided;
    const int32_t d = l ? iba_psn_diff(l->psn, h->psn) : 0;
    const bool inside = l && !iba_opcode_begins(l->op), goes_inside = is_inside(h);
    const bool begins = goes_inside && l && iba_psn_diff(l->psn, h->from) >= 0;

    if (h->mark.frame == 0 || (l && d < 0 && !begins) || (l && !goes_inside && d == 0 && l->op->pos != IBA_FIRST))
        return;
    const bool missing = l && iba_obs_gap_at(s, f->unanswered, l->psn); /* the current response may be late, too */
    const bool goes_on = inside && d <= IBA_OBS_MOST_LOST && (d == 1 || !(iba_psn_eq(l->psn, h->answers) || missing));
    const bool late =
        goes_inside ? d <= 0 || (d > 1 && (!inside || missing)) : !goes_on || is_filling_only_run(l, f, h);
    let_go(s, f, l && is_at_once(s, h) ? late : h->late);
}

void iba_obs_release_alone(struct iba_observer *s, struct iba_flow *f)
{
    if (f->undecided.mark.frame != 0)
        let_go(s, f, is_at_once(s, &f->undecided) || f->undecided.late);
}

void iba_obs_release_by_request(struct iba_look *l)
{
    const struct iba_obs_undecided *h = l->peer ? &l->peer->undecided : NULL;

    /* a late packet is likelier than the loss of so many responses */
    if (h && h->mark.frame != 0 && iba_psn_diff(l->psn, h->psn) < 0 && iba_psn_diff(l->psn, h->from) >= 0)
        let_go(l->s, l->peer, iba_psn_diff(h->psn, h->from) > 1);
}

static void jump(struct iba_look *l, struct iba_obs_requests *q, const struct iba_obs_read *r, iba_psn from)
{
    const uint32_t n = (uint32_t)iba_psn_diff(l->psn, from);

    iba_obs_miss(l->s, l->flow, q, from, l->psn);
    iba_obs_report(l, IBA_FINDING_RESPONSE_GAP, &(struct iba_obs_detail){.cause = &r->mark, .count = n});
    iba_obs_expect_retry(l, q, IBA_CAUSE_IMPLIED, from, 0);
}

/* The PSN at which the run of this response should go on: after the newest response, or at the run's beginning. A READ
 * that was sent again is answered again, and responses of its older answer may still be in flight. */
static iba_psn belongs(const struct iba_look *l, struct iba_obs_requests *q, const struct iba_obs_read *r,
                       iba_psn newest)
{
    const bool starts = iba_opcode_begins(l->op);

    if (starts && (r->again || iba_psn_diff(l->psn, r->expect) < 0))
        return l->psn;
    if (iba_psn_diff(l->psn, newest) >= 0 && iba_obs_read_at(q, iba_psn_add(newest, IBA_PSN_MASK)) == r)
        return newest;
    return iba_psn_diff(l->psn, r->expect) > 0 ? r->expect : l->psn;
}

/* Moves the expected PSN if the response belongs to the newest transmission of the READ. */
static void advance(const struct iba_look *l, struct iba_obs_read *r)
{
    const bool starts = iba_psn_eq(l->psn, r->psn) && iba_opcode_begins(l->op);

    if (!r->again || starts || iba_obs_had_time(l, r->mark.at) || !iba_psn_eq(r->expect, r->psn))
        r->expect = iba_psn_add(l->psn, 1);
}

/* The capture lacks the READ or ATOMIC that the response answers. */
static void answer_to_unknown(struct iba_look *l, struct iba_obs_requests *q, iba_psn newest)
{
    const struct iba_obs_sent *e = iba_obs_sent_at(q, l->psn);

    if (e && iba_opcodes[e->opcode].pay != IBA_PAY_NONE)
        iba_obs_report(l, IBA_FINDING_ANSWER_KIND, &(struct iba_obs_detail){.cause = &e->mark});
    else if (iba_obs_answered_before(l))
        came_before(l, NULL);
    iba_obs_note_alone(l);
    const int32_t lost = iba_obs_missing_before(l, iba_psn_diff(l->psn, newest));
    const bool jumps = !e && !iba_opcode_begins(l->op) && lost > 0 && lost <= IBA_OBS_SENT;
    if (jumps)
        iba_obs_report(l, IBA_FINDING_RESPONSE_GAP, &(struct iba_obs_detail){.count = (uint32_t)lost});
    iba_obs_progress(q, l->psn);
    if (jumps)
        iba_obs_expect_retry(l, q, IBA_CAUSE_IMPLIED, iba_psn_of(l->psn.v - (uint32_t)lost), 0);
}

void iba_obs_read_response(struct iba_look *l, struct iba_obs_requests *q, struct iba_obs_read *r)
{
    const iba_psn newest = l->flow->has_answers ? l->flow->answers : iba_psn_add(l->psn, 1);

    /* missing responses to this READ itself are recorded separately: they may have come before */
    const iba_psn own = r && iba_psn_diff(r->psn, newest) >= 0 ? r->psn : l->psn;
    iba_obs_miss(l->s, l->flow, q, newest, own);
    iba_obs_miss(l->s, l->flow, q, own, l->psn);
    l->flow->answers = iba_psn_add(l->psn, 1);
    l->flow->has_answers = true;
    if (!r) {
        answer_to_unknown(l, q, newest);
        return;
    }
    const struct iba_obs_detail t = {.cause = &r->mark};
    const int32_t d = iba_psn_diff(l->psn, r->expect);
    if (!fits(iba_opcode_operation(r->opcode), l->op)) {
        iba_obs_report(l, IBA_FINDING_ANSWER_KIND, &t);
        return;
    }
    settle(l, q, r);
    iba_obs_progress(q, l->psn);
    if (l->peer->order.n)
        iba_obs_order_taken(l->s, l->peer, false, r->psn);
    const iba_psn from = belongs(l, q, r, newest);
    if (iba_psn_diff(l->psn, from) > 0)
        jump(l, q, r, from);
    else if (d == 0 && !in_order(l, r))
        iba_obs_report(l, IBA_FINDING_ANSWER_SEQUENCE, &t);
    else if (d == 0 && iba_obs_is_read(r->opcode) && !right_length(l, r))
        iba_obs_report(l, IBA_FINDING_ANSWER_LENGTH, &t);
    note_answer(l, r);
    advance(l, r);
}
