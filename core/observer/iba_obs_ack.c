/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides whether an acknowledgement that is older than the newest one is late, or was sent again. */
#include "observer/iba_obs_ack.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_rules.h"

struct old_ack {
    const struct iba_look *l;
    struct iba_obs_requests *q;
    const struct iba_obs_sent
        *e;    /* the request that has the acknowledgement's PSN; NULL: the observer has forgotten it */
    bool last; /* the acknowledgement repeats the newest one */
};

static bool repeats_last(const struct old_ack *c)
{
    return c->last && !c->e;
}

static bool answers_repeat_at_once(const struct old_ack *c)
{
    const iba_time now = c->l->s->now.at;

    return iba_obs_rtt(c->l) == 0 && c->q->repeat.frame != 0 && now - c->q->repeat.at < IBA_OBS_LEAST_RTT_NS;
}

/* The acknowledgement answers a duplicate request (RR-23). A responder repeats its last acknowledgement, or
 * acknowledges the requests up to the next READ once more. */
static bool answers_repeat(const struct old_ack *c)
{
    const iba_psn end = iba_psn_add(c->l->psn, 1);
    const iba_time rtt = iba_obs_rtt(c->l);
    const struct iba_obs_read *next = iba_obs_read_at(c->q, end); /* an acknowledgement does not cover this READ */

    return (c->last || (next && iba_psn_eq(next->psn, end))) && c->e && c->e->again &&
           c->l->s->now.at - c->e->mark.at >= rtt && !iba_obs_overtaken(c->l, c->e->mark.at + rtt);
}

static bool goes_on_in_row(const struct old_ack *c)
{
    return c->l->flow->row.before >= IBA_OBS_RUN;
}

/* The MSN counts more messages than had ended at the response's PSN. So the response answers a retransmission (RR-16).
 */
static bool counts_later(const struct old_ack *c)
{
    const struct iba_obs_sent *e = c->e;

    if (!e || !e->again || !e->counted || !c->q->counts)
        return false;
    const uint32_t ended = e->messages + iba_opcode_ends(&iba_opcodes[e->opcode]);

    return iba_psn_diff(iba_psn_of(c->l->msn - ended), iba_psn_of(c->q->msn_hi)) > 0;
}

static bool acked_before(const struct old_ack *c)
{
    return c->e && c->e->acked;
}

static bool newer_identification(const struct old_ack *c)
{
    return iba_obs_has_newer_id(c->l);
}

static bool seen_before(const struct old_ack *c)
{
    return iba_obs_answered_before(c->l);
}

static bool overtaken(const struct old_ack *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "The acknowledgement ..." goes before each sentence.
 *    name                     when                    late  sentence                                                                            clause */
#define ACK_RULES(R)                                                                                                                                    \
    R(repeats_last,            repeats_last,           no,  "is the newest one again, and its request is no longer remembered",                  "RR-23")  \
    R(answers_repeat_at_once,  answers_repeat_at_once, no,  "directly follows a request that came again, and no round trip is known",            "RR-23")  \
    R(answers_repeat,          answers_repeat,         no,  "answers a request that came again",                                                 "RR-23")  \
    R(goes_on_in_row,          goes_on_in_row,         no,  "directly follows acknowledgements in a row: so many in a row are not late",         "RR-23")  \
    R(counts_later,            counts_later,           no,  "has an MSN that counts later messages, so it answers a request that came again",    "RR-16")  \
    R(acked_before,            acked_before,           no,  "has the PSN of a request that was acknowledged before",                             "RR-23")  \
    R(newer_identification,    newer_identification,   no,  "has an IPv4 identification that is newer than those before it",                     "RR-02")  \
    R(seen_before,             seen_before,            no,  "has the PSN of an earlier response",                                                "RR-23")  \
    R(overtaken,               overtaken,              yes, "was overtaken by one for a later PSN",                                              "RR-02")
/* clang-format on */

#define DECISION_TABLE "ack"
enum { ACK_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {ACK_RULES(IBA_DECISION_YES_NO)};
const struct iba_decisions iba_ack_rules = {DECISION_TABLE, "Is an old acknowledgement late?", rows, ROWS};

static const struct iba_decision *decide(const struct old_ack *c)
{
    ACK_RULES(IBA_DECISION_FIRST)
    return NULL;
}

void iba_obs_ack_again(struct iba_look *l, struct iba_obs_requests *q)
{
    const bool last = iba_psn_eq(iba_psn_add(l->psn, 1), q->una);
    const struct iba_decision *by =
        decide(&(struct old_ack){.l = l, .q = q, .e = iba_obs_sent_at(q, l->psn), .last = last});

    iba_obs_decided(l->s, by);
    if (by->kind) {
        iba_obs_report(l, IBA_FINDING_LATE, &(struct iba_obs_detail){.decision = by});
        return;
    }
    const bool update = last && l->flow->has_aeth && iba_syndrome_code(l->syndrome) != l->flow->credits;

    iba_obs_report(l, update ? IBA_FINDING_CREDIT_UPDATE : IBA_FINDING_ACK_AGAIN,
                   &(struct iba_obs_detail){.cause = q->repeat.frame ? &q->repeat : NULL, .count = l->msn});
}
