/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges responses while the capture has none of their requests. */
#include "observer/iba_obs_alone.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_read.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"
#include "observer/iba_obs_rules.h"

struct alone {
    const struct iba_look *l;
    const struct iba_decision
        *by;        /* the row that decides whether a response with data is late; NULL for an acknowledgement */
    bool overtaken; /* the response is an acknowledgement, and a newer one came before it */
    bool starts;    /* the response is the first of its run, or an Only */
    int32_t lost;   /* PSNs that the response jumps over; negative: the response goes back */
};

/* The acknowledgement continues a row of acknowledgements that came again. */
static bool continues_repeats(const struct alone *c)
{
    return c->overtaken && c->lost >= 0;
}

static bool ack_again(const struct alone *c)
{
    return !c->by && iba_obs_answered_before(c->l);
}

static bool answer_again(const struct alone *c)
{
    return iba_obs_answered_before(c->l);
}

static bool overtaken_ack(const struct alone *c)
{
    return c->overtaken;
}

static bool goes_back(const struct alone *c)
{
    return c->by && (c->by->kind || (!c->starts && c->lost < -1));
}

static bool jumps(const struct alone *c)
{
    return c->by && !c->starts && c->lost > 0 && c->lost <= IBA_OBS_SENT;
}

static bool in_order(const struct alone *c)
{
    (void)c;
    return true;
}

/* clang-format off */
/* "The response ..." goes before each sentence.
 *    name                when                 kind           sentence                                                                      clause */
#define ALONE_RULES(R)                                                                                                                           \
    R(continues_repeats,  continues_repeats,   ACK_AGAIN,     "goes on where acknowledgements that came again ended",                      "RR-23")  \
    R(ack_again,          ack_again,           ACK_AGAIN,     "acknowledges a PSN that was acknowledged before",                           "RR-23")  \
    R(answer_again,       answer_again,        ANSWER_AGAIN,  "has the PSN of an earlier response with data",                              "RR-25")  \
    R(overtaken_ack,      overtaken_ack,       LATE,          "is an acknowledgement that one for a later PSN overtook",                   "RR-02")  \
    R(goes_back,          goes_back,           LATE,          "has data from before the newest response",                                  "RR-02")  \
    R(jumps,              jumps,               RESPONSE_GAP,  "jumps over PSNs inside the answer to a READ",                               "RQ-36")  \
    R(in_order,           in_order,            nothing,       "follows the responses before it",                                           "RR-02")
/* clang-format on */

#define DECISION_TABLE "alone"
enum { IBA_FINDING_nothing = IBA_FINDING_COUNT };
enum { ALONE_RULES(IBA_DECISION_ID) ROWS };
static const struct iba_decision rows[] = {ALONE_RULES(IBA_DECISION_KIND)};
const struct iba_decisions iba_alone_rules = {DECISION_TABLE, "What is a response whose request was not captured?",
                                              rows, ROWS};

static const struct iba_decision *decide(const struct alone *c)
{
    ALONE_RULES(IBA_DECISION_FIRST)
    return NULL;
}

static void report(struct iba_look *l, const struct alone *c, const struct iba_decision *row)
{
    struct iba_obs_detail t = {.decision = row};

    if (row->kind == IBA_FINDING_nothing)
        return;
    if (row->kind == IBA_FINDING_LATE && c->by && c->by->kind)
        t.decision = c->by;
    if (row->kind == IBA_FINDING_RESPONSE_GAP)
        t.count = (uint32_t)c->lost;
    iba_obs_report(l, (enum iba_finding_kind)row->kind, &t);
}

void iba_obs_response_alone(struct iba_look *l)
{
    const bool plain = l->op->operation == IBA_OPERATION_ACK;

    if (iba_syndrome_kind(l->syndrome) != IBA_AETH_ACK || iba_obs_has_newer_id(l))
        return;
    const struct iba_obs_recent *const before = iba_obs_response_before(l);
    const bool follows = before && !(before->late && l->flow->has_answers); /* a late one shows no next PSN */
    const iba_psn next = follows ? iba_psn_add(before->psn, 1) : l->flow->answers;
    const struct alone c = {.l = l,
                            .by = plain ? NULL : iba_obs_answer_lateness(l, NULL),
                            .overtaken = plain && iba_obs_overtaken(l, 0),
                            .starts = iba_opcode_begins(l->op),
                            .lost = before ? iba_obs_missing_before(l, iba_psn_diff(l->psn, next)) : 0};
    const struct iba_decision *row = decide(&c);

    iba_obs_decided(l->s, row);
    report(l, &c, row);
    if (plain || goes_back(&c))
        return;
    if (c.lost > 0)
        iba_obs_miss_alone(l->s, l->flow, iba_psn_of(l->psn.v - (uint32_t)c.lost), c.lost);
    iba_obs_note_alone(l);
    l->flow->answers = iba_psn_add(l->psn, 1);
    l->flow->has_answers = true;
}
