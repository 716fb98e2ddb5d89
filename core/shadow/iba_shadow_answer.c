/* Responses: what they say, what they prove, and what the requester will do about it. */
#include <string.h>
#include "shadow/iba_shadow_parts.h"
#include "transport/iba_requester.h"

enum { KIND_ACK, KIND_RNR, KIND_RESERVED, KIND_NAK, NAK_SEQUENCE = 0, NAK_CODES = 5 };

void iba_shadow_progress(struct iba_shadow_requests *q, iba_psn psn)
{
    const iba_psn after = iba_psn_add(psn, 1);

    if (q->answered && iba_psn_diff(after, q->una) <= 0)
        return;
    q->una = after;
    q->answered = true;
    /* What showed that an answer is missing stays true when later ones come (RQ-37). */
    if (q->pending.cause != IBA_CAUSE_IMPLIED && iba_psn_diff(after, q->pending.psn) > 0)
        q->pending.cause = IBA_CAUSE_NONE;
}

void iba_shadow_expect_retry(struct iba_look *l, struct iba_shadow_requests *q, enum iba_shadow_cause cause,
                             iba_psn psn, iba_time wait_ns)
{
    q->pending.cause = (uint8_t)cause;
    q->pending.served = false;
    q->pending.psn = psn;
    q->pending.wait_ns = wait_ns;
    q->pending.mark = l->s->now;
}

static bool stale(const struct iba_shadow_requests *q, iba_psn psn)
{
    return q->answered && iba_psn_diff(psn, q->una) < 0;
}

static bool never_sent(const struct iba_shadow_requests *q, iba_psn psn)
{
    if (q->open.used && iba_psn_diff(psn, q->open.psn) < (int32_t)iba_shadow_packets(q->open.length, 256))
        return false;
    return iba_psn_diff(psn, q->high) >= 0;
}

/* The responder has everything up to `psn`: what the capture lacks of it was not lost. */
static void arrived(struct iba_look *l, struct iba_shadow_requests *q, iba_psn psn)
{
    const int32_t missing = iba_psn_diff(iba_psn_add(psn, 1), q->seq);

    if (missing <= 0 || q->open.used)
        return;
    iba_shadow_tell(l, IBA_FINDING_NOT_CAPTURED,
                    &(struct iba_tell){.cause = q->gap.frame ? &q->gap : NULL, .count = (uint32_t)missing});
    q->seq = iba_psn_add(psn, 1);
    q->message = IBA_MESSAGE_UNKNOWN;
    q->counts = false;
    for (unsigned i = 0; i < IBA_SHADOW_SENT; i++)
        q->sent[i].counted = false;
}

/* MSN against messages: at least those that ended up to the PSN it answers, at most all that were sent (RR-16, RR-17);
 * of a NAK exactly those before it (RR-18). Where the count began shows only as a range, which each response narrows.
 */
static void check_msn(struct iba_look *l, struct iba_shadow_requests *q, const struct iba_shadow_sent *e)
{
    if (!e || !e->counted)
        return;
    const bool positive = l->syndrome >> 5 == KIND_ACK;
    const struct iba_opcode *op = &iba_opcodes[e->opcode];
    const bool ends = op->pos == IBA_LAST || op->pos == IBA_ONLY;
    const int32_t uncounted = iba_psn_diff(q->high, q->seq);
    const uint32_t least = e->messages + (positive && ends && !iba_shadow_is_read(e->opcode));
    const uint32_t most = positive ? q->messages + (uncounted > 0 ? (uint32_t)uncounted : 0) : e->messages;
    const uint32_t lo = (l->msn - most) & IBA_PSN_MASK, hi = (l->msn - least) & IBA_PSN_MASK;

    if (q->counts) {
        const uint32_t from = iba_psn_diff(iba_psn_of(lo), iba_psn_of(q->msn_lo)) > 0 ? lo : q->msn_lo;
        const uint32_t to = iba_psn_diff(iba_psn_of(hi), iba_psn_of(q->msn_hi)) < 0 ? hi : q->msn_hi;
        if (iba_psn_diff(iba_psn_of(to), iba_psn_of(from)) >= 0) {
            q->msn_lo = from;
            q->msn_hi = to;
            return;
        }
        iba_shadow_tell(l, IBA_FINDING_MSN_WRONG, &(struct iba_tell){.cause = &e->mark, .count = l->msn});
    }
    q->counts = true;
    q->msn_lo = lo;
    q->msn_hi = hi;
}

/* A response at `psn` passes over those of READs and ATOMICs before it (RQ-36). The last of them is told. */
static void passed_over(struct iba_look *l, struct iba_shadow_requests *q, const struct iba_shadow_read *own)
{
    const struct iba_shadow_read *missing = NULL;

    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_shadow_read *r = &q->read[i];
        if (!r->used || r == own || r->n == 0 || iba_psn_diff(l->psn, r->psn) < 0 ||
            iba_psn_diff(r->expect, iba_psn_add(r->psn, r->n)) >= 0 || stale(q, r->expect))
            continue;
        if (!missing || iba_psn_diff(r->psn, missing->psn) < 0)
            missing = r;
    }
    if (!missing)
        return;
    const iba_psn expect = missing->expect;
    iba_shadow_tell(l, IBA_FINDING_ANSWER_MISSING, &(struct iba_tell){.cause = &missing->mark});
    iba_shadow_progress(q, l->psn);
    iba_shadow_expect_retry(l, q, IBA_CAUSE_IMPLIED, expect, 0);
}

static void again(struct iba_look *l, struct iba_shadow_requests *q)
{
    const bool last = iba_psn_eq(iba_psn_add(l->psn, 1), q->una);
    const bool update = last && l->flow->has_aeth && (l->syndrome & 0x1f) != l->flow->credits;

    iba_shadow_tell(l, update ? IBA_FINDING_CREDIT_UPDATE : IBA_FINDING_ACK_AGAIN,
                    &(struct iba_tell){.cause = q->repeat.frame ? &q->repeat : NULL, .count = l->msn});
}

static void acknowledge(struct iba_look *l, struct iba_shadow_requests *q)
{
    if (stale(q, l->psn))
        again(l, q);
    else {
        passed_over(l, q, NULL);
        arrived(l, q, l->psn);
        iba_shadow_progress(q, l->psn);
    }
    check_msn(l, q, iba_shadow_sent_at(q, l->psn));
}

static void rnr(struct iba_look *l, struct iba_shadow_requests *q)
{
    if (stale(q, l->psn))
        return;
    q->ask.any = false; /* an answer, if not the one hoped for */
    iba_shadow_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    iba_shadow_expect_retry(l, q, IBA_CAUSE_RNR, l->psn, iba_rnr_timer_ns(l->syndrome & 0x1f));
}

static void nak_sequence(struct iba_look *l, struct iba_shadow_requests *q)
{
    const bool asked = !q->pending.served && iba_psn_eq(q->pending.psn, l->psn);
    const struct iba_tell t = {.cause = &q->pending.mark};

    if (stale(q, l->psn))
        return;
    if (asked && q->pending.cause == IBA_CAUSE_RNR) {
        iba_shadow_tell(l, IBA_FINDING_NAK_AFTER_RNR, &t);
        return; /* it is still to wait */
    }
    if (asked && q->pending.cause == IBA_CAUSE_NAK)
        iba_shadow_tell(l, IBA_FINDING_NAK_AGAIN, &t);
    q->ask.any = false;
    arrived(l, q, iba_psn_add(l->psn, IBA_PSN_MASK));
    iba_shadow_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    iba_shadow_expect_retry(l, q, IBA_CAUSE_NAK, l->psn, 0);
}

static void fatal(struct iba_look *l, struct iba_shadow_requests *q)
{
    if (stale(q, l->psn))
        return;
    iba_shadow_progress(q, iba_psn_add(l->psn, IBA_PSN_MASK));
    q->pending.cause = IBA_CAUSE_NONE;
    if (q->fatal.frame == 0)
        q->fatal = l->s->now;
}

/* What the AETH says, whether or not its request was seen. */
static void tell_syndrome(struct iba_look *l, struct iba_shadow_requests *q)
{
    static const uint8_t nak[NAK_CODES] = {IBA_FINDING_NAK_SEQUENCE, IBA_FINDING_NAK_INVALID, IBA_FINDING_NAK_ACCESS,
                                           IBA_FINDING_NAK_OPERATION, IBA_FINDING_NAK_RD};
    const uint8_t kind = l->syndrome >> 5, code = l->syndrome & 0x1f;
    const struct iba_shadow_sent *e = q ? iba_shadow_sent_at(q, l->psn) : NULL;
    struct iba_tell t = {.cause = e ? &e->mark : NULL, .count = code};

    if (kind == KIND_ACK)
        return;
    if (kind == KIND_RNR) {
        t.wait_ns = iba_rnr_timer_ns(code);
        iba_shadow_tell(l, IBA_FINDING_RNR, &t);
    } else if (kind != KIND_NAK) {
        t.count = l->syndrome;
        iba_shadow_tell(l, IBA_FINDING_SYNDROME_RESERVED, &t);
    } else {
        iba_shadow_tell(l, code < NAK_CODES ? (enum iba_finding_kind)nak[code] : IBA_FINDING_NAK_RESERVED, &t);
        if (code > NAK_SEQUENCE && code < NAK_CODES && l->flow->fatal.frame == 0)
            l->flow->fatal = l->s->now;
    }
}

static void negative(struct iba_look *l, struct iba_shadow_requests *q)
{
    const uint8_t kind = l->syndrome >> 5, code = l->syndrome & 0x1f;

    if (kind == KIND_RNR)
        rnr(l, q);
    else if (kind == KIND_NAK && code == NAK_SEQUENCE)
        nak_sequence(l, q);
    else if (kind == KIND_NAK && code < NAK_CODES)
        fatal(l, q);
    else
        return; /* the requester takes no notice of what is reserved (RQ-52) */
    check_msn(l, q, iba_shadow_sent_at(q, l->psn));
}

/* The requests this answers, or NULL when nothing can be held against it. */
static struct iba_shadow_requests *answered(struct iba_look *l)
{
    struct iba_shadow_requests *q = l->peer ? &l->peer->rq : NULL;

    if (!q || !q->any)
        return NULL;
    if (!never_sent(q, l->psn))
        return q;
    if (l->flow->guess)
        iba_shadow_unpair(l->s, l->flow);
    else
        iba_shadow_tell(l, IBA_FINDING_GHOST_ACK, &(struct iba_tell){.cause = &q->last});
    return NULL;
}

void iba_shadow_response(struct iba_look *l)
{
    const bool aeth = iba_view_has(l->v, IBA_H_aeth);

    l->flow->responses++;
    iba_shadow_payload(l);
    if (!l->peer)
        iba_shadow_pair(l);
    if (aeth)
        tell_syndrome(l, l->peer ? &l->peer->rq : NULL);
    if (l->late) {
        iba_shadow_tell(l, IBA_FINDING_LATE, NULL);
        return;
    }
    struct iba_shadow_requests *q = answered(l);
    if (!q)
        return;
    if (aeth && l->syndrome >> 5 != KIND_ACK)
        negative(l, q);
    else if (l->op->pay == IBA_PAY_NONE && !iba_view_has(l->v, IBA_H_atomicacketh))
        acknowledge(l, q);
    else {
        struct iba_shadow_read *r = iba_shadow_read_at(q, l->psn);
        passed_over(l, q, r);
        iba_shadow_read_response(l, q);
        if (r && iba_psn_diff(iba_psn_add(r->psn, 1), q->seq) > 0)
            arrived(l, q, iba_psn_add(r->psn, (r->n ? r->n : 1) - 1));
        if (aeth && r)
            check_msn(l, q, iba_shadow_sent_at(q, r->psn));
    }
    if (aeth && l->syndrome >> 5 == KIND_ACK) {
        l->flow->credits = l->syndrome & 0x1f;
        l->flow->has_aeth = true;
    }
}
