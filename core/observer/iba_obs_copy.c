/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether the network copied a packet that comes twice, byte for byte, or its sender sent it again. */
#include "observer/iba_obs_copy.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_request.h"
#include "observer/iba_obs_rules.h"

enum { ROUND_TRIPS = 4 };

struct same_bytes { /* a packet, and an earlier packet with the same bytes */
    const struct iba_look *l;
    struct iba_obs_requests *q;
    const struct iba_obs_recent *r;
    iba_time ago; /* time since the earlier packet */
};

/* Where IPv4 identifications count packets, an equal identification proves that the network made the copy. */
static bool same_identification(const struct same_bytes *c)
{
    return c->l->has_ip_id && c->l->op && c->l->flow->ip_id[c->l->op->dir].trust >= IBA_OBS_TRUST;
}

/* A responder that gets a copied request sends the same bytes twice if its answer is a single packet or an RNR NAK. A
 * responder does not repeat other NAKs (RR-04). */
static bool answers_copied_request(const struct same_bytes *c)
{
    const struct iba_look *l = c->l;

    return l->op && (!l->has_ip_id || l->flow->ip_id[l->op->dir].constant) && l->op->dir == IBA_RSP &&
           l->op->pos == IBA_ONLY && iba_syndrome_kind(l->syndrome) <= IBA_AETH_RNR;
}

static bool long_after(const struct same_bytes *c)
{
    return c->ago > c->l->s->cfg.copy_ns;
}

static bool after_others(const struct same_bytes *c)
{
    const struct iba_flow *f = c->l->flow;

    for (unsigned i = 0; i < f->n_recent; i++) {
        const struct iba_obs_recent *other = &f->recent[i];
        if (other->request == c->r->request && other->number > c->r->number)
            return true;
    }
    return false;
}

/* ---- requests ---- */

static bool at_once(const struct same_bytes *c)
{
    return c->r->request && c->ago < IBA_OBS_LEAST_RTT_NS;
}

static bool copy_of_undecided(const struct same_bytes *c)
{
    return at_once(c) && c->q->undecided.mark.frame == c->r->mark.frame;
}

static bool original_was_late(const struct same_bytes *c)
{
    return c->r->request && c->r->late;
}

static bool original_came_too_soon(const struct same_bytes *c)
{
    return c->r->request && iba_obs_reason_not_served_by(c->l, c->q, c->r);
}

static bool after_round_trips(const struct same_bytes *c)
{
    const struct iba_flow *f = c->l->flow, *peer = c->l->peer;
    const bool far = f->has_rtt && c->ago >= ROUND_TRIPS * (f->rtt_min_ns + IBA_OBS_LEAST_RTT_NS);
    const bool near = peer && peer->has_rtt && c->ago >= IBA_OBS_ROUND_NS &&
                      c->ago >= ROUND_TRIPS * (peer->rtt_min_ns + IBA_OBS_LEAST_RTT_NS);

    return c->r->request && (far || near);
}

static bool goes_on_at_once(const struct same_bytes *c)
{
    return at_once(c) && iba_obs_goes_on(c->q, c->l->psn);
}

static bool asked_for_at_once(const struct same_bytes *c)
{
    return at_once(c) && iba_obs_was_asked_for(c->l, c->q);
}

static bool jumped_over(const struct same_bytes *c)
{
    return c->r->request && iba_obs_gap_at(c->l->s, c->q->gaps, c->l->psn);
}

static bool before_others(const struct same_bytes *c)
{
    return c->r->request && iba_psn_diff(iba_psn_add(c->l->psn, 1), c->q->high) < 0;
}

/* ---- responses ---- */

/* The packet is one of several responses to a READ. A responder that answers a READ again begins with the First. */
static bool part_of_answer(const struct same_bytes *c)
{
    const struct iba_opcode *op = c->l->op;

    return !c->r->request && op && op->pos != IBA_ONLY && op->pay != IBA_PAY_NONE;
}

static const struct iba_obs_read *read_of(const struct same_bytes *c)
{
    return c->l->peer ? iba_obs_read_at(&c->l->peer->rq, c->l->psn) : NULL;
}

static bool part_of_new_run(const struct same_bytes *c)
{
    const struct iba_obs_read *r = part_of_answer(c) ? read_of(c) : NULL;

    if (!r || c->ago < IBA_OBS_LEAST_RTT_NS)
        return false;
    if (r->again)
        return c->r->mark.at <= r->mark.at && iba_obs_had_time(c->l, r->mark.at);
    /* A READ that comes after its answer is a retransmission. The capture lacks the first transmission. */
    return c->r->mark.frame < r->mark.frame && c->l->s->now.at - r->mark.at >= IBA_OBS_LEAST_RTT_NS;
}

static bool begins_new_run(const struct same_bytes *c)
{
    const struct iba_look *l = c->l;
    const struct iba_obs_read *r = part_of_answer(c) ? read_of(c) : NULL;

    return r && l->op->pos == IBA_FIRST && iba_psn_eq(l->psn, r->psn) && iba_psn_eq(r->expect, r->psn) &&
           iba_obs_had_time(l, r->mark.at);
}

static bool original_stood_alone(const struct same_bytes *c)
{
    return part_of_answer(c) && c->l->flow->undecided.mark.frame == c->r->mark.frame && c->ago >= IBA_OBS_LEAST_RTT_NS;
}

static bool unknown_request(const struct same_bytes *c)
{
    return !c->r->request && !c->l->peer && c->ago >= IBA_OBS_LEAST_RTT_NS;
}

/* The packet of `m` came after the original of the possible copy, or so shortly before the original that the effect of
 * the packet may come after the original. */
static bool since_original(const struct same_bytes *c, const struct iba_obs_mark *m)
{
    return m->frame != 0 && m->at + c->l->s->cfg.copy_ns >= c->r->mark.at;
}

static bool request_came_again(const struct same_bytes *c)
{
    return !c->r->request && c->l->peer && c->ago >= iba_obs_rtt(c->l) && since_original(c, &c->l->peer->rq.repeat);
}

static bool request_was_copied(const struct same_bytes *c)
{
    return !c->r->request && c->l->peer && c->ago >= iba_obs_rtt(c->l) && since_original(c, &c->l->peer->rq.copied);
}

static bool response(const struct same_bytes *c)
{
    return !c->r->request;
}

/* ---- requests: the newest of their direction ---- */

static bool reason_pending(const struct same_bytes *c)
{
    return c->q->pending.cause != IBA_CAUSE_NONE;
}

static bool asked_for(const struct same_bytes *c)
{
    return iba_obs_was_asked_for(c->l, c->q);
}

/* A requester sends a READ again when the network loses one of its responses after the capture point. */
static bool partly_answered(const struct same_bytes *c)
{
    const struct iba_obs_read *read = iba_obs_read_at(c->q, c->l->psn);

    return read && !iba_psn_eq(read->expect, read->psn);
}

static bool any(const struct same_bytes *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "The packet ..." goes before each sentence.
 *    name                     when                      copy  sentence                                                                                        clause */
#define COPY_RULES(R)                                                                                                                                                    \
    R(same_identification,     same_identification,      yes, "has the IPv4 identification of the first copy, and its sender counts packets with it",          "RR-23")  \
    R(answers_copied_request,  answers_copied_request,   no,  "is an answer by itself, and a responder that gets a copied request makes the same bytes",       "RR-23")  \
    R(long_after,              long_after,               no,  "comes later than a network copy would",                                                         "RR-23")  \
    R(after_others,            after_others,             no,  "comes after packets that were sent after the first copy",                                       "RR-23")  \
    R(copy_of_undecided,        copy_of_undecided,         yes, "directly follows a packet that was itself sent again",                                          "RR-23")  \
    R(original_was_late,       original_was_late,        no,  "is a request whose first copy was late",                                                        "RQ-26")  \
    R(original_came_too_soon,  original_came_too_soon,   no,  "is a request that a NAK asked for, and the first copy came too soon to be its effect",          "RQ-26")  \
    R(after_round_trips,       after_round_trips,        no,  "is a request that comes after several round trips",                                             "RQ-21")  \
    R(goes_on_at_once,         goes_on_at_once,          no,  "is a request directly after the first copy, and has the PSN at which its requester goes on",    "RQ-01")  \
    R(asked_for_at_once,       asked_for_at_once,        no,  "is a request directly after the first copy, and a response asked for it",                       "RQ-26")  \
    R(at_once,                 at_once,                  yes, "is a request directly after the first copy, and nothing asked for it",                          "RR-23")  \
    R(jumped_over,             jumped_over,              no,  "is a request that was sent once more, and that packets jumped over",                            "RQ-26")  \
    R(before_others,           before_others,            no,  "has a lower PSN than requests sent before it: its requester goes back",                         "RQ-26")  \
    R(part_of_new_run,         part_of_new_run,          no,  "is part of an answer to a READ that came again since",                                          "RR-25")  \
    R(begins_new_run,          begins_new_run,           no,  "begins the answer to a READ that came again, and was not answered since",                       "RR-25")  \
    R(original_stood_alone,    original_stood_alone,     no,  "is part of an answer whose first copy came alone, though the parts of an answer come together", "RR-25")  \
    R(unknown_request,         unknown_request,          no,  "answers requests that the capture does not show",                                               "RR-23")  \
    R(part_of_answer,          part_of_answer,           yes, "is part of an answer that does not begin again",                                                "RR-23")  \
    R(request_came_again,      request_came_again,       no,  "is a response, and a request came again since",                                                 "RR-25")  \
    R(request_was_copied,      request_was_copied,       no,  "is a response, and the network copied a request since",                                         "RR-23")  \
    R(response,                response,                 yes, "is a response that nothing asked for again",                                                    "RR-23")  \
    R(reason_pending,          reason_pending,           no,  "is a request whose requester has a reason to go back",                                          "RQ-26")  \
    R(asked_for,               asked_for,                no,  "is a request that an earlier response asked for",                                               "RQ-26")  \
    R(partly_answered,         partly_answered,          no,  "is a READ whose answer may be lost after the capture point",                                    "RQ-36")  \
    R(no_reason,               any,                      yes, "is a request that its requester had no reason to send again",                                   "RR-23")
/* clang-format on */

#define DECISION_TABLE "copy"
enum { COPY_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {COPY_RULES(IBA_DECISION_YES_NO)};
const struct iba_decisions iba_copy_rules = {DECISION_TABLE, "Did the network copy a packet that comes twice?", rows,
                                             ROWS};

static const struct iba_decision *decide(const struct same_bytes *c)
{
    COPY_RULES(IBA_DECISION_FIRST)
    return NULL;
}

const struct iba_decision *iba_obs_copied(const struct iba_look *l, const struct iba_obs_recent *r)
{
    struct iba_obs_requests *q = &l->flow->rq;
    const struct same_bytes c = {.l = l, .q = q, .r = r, .ago = l->s->now.at - r->mark.at};
    const struct iba_decision *by = decide(&c);

    if (by == &rows[ROW_original_came_too_soon])
        iba_obs_restore_reason(iba_obs_reason_not_served_by(l, q, r));
    iba_obs_decided(l->s, by);
    return by;
}
