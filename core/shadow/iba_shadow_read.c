/* Responses to READs, ATOMICs and the other requests that more than an ACK answers. */
#include "shadow/iba_shadow_parts.h"

static bool fits(uint8_t request, uint8_t response)
{
    const bool atomic = (response & 0x1f) == IBA_RC_ATOMIC_ACKNOWLEDGE;

    switch (request & 0x1f) {
    case IBA_RC_CMP_SWAP:
    case IBA_RC_FETCH_ADD: return atomic;
    case IBA_RC_FLUSH:
    case IBA_RC_ATOMIC_WRITE: return (response & 0x1f) == IBA_RC_READ_RESP_ONLY;
    default: return !atomic;
    }
}

/* How many responses there are shows in the last one when the path MTU is not known. */
static void settle(const struct iba_look *l, struct iba_shadow_requests *q, struct iba_shadow_read *r)
{
    if (r->n != 0 || (l->op->pos != IBA_LAST && l->op->pos != IBA_ONLY))
        return;
    const uint32_t n = (uint32_t)iba_psn_diff(l->psn, r->psn) + 1;

    if (q->open.used && iba_psn_eq(q->open.psn, r->psn))
        iba_shadow_close_read(q, n);
    r->n = n;
}

/* Only the last may end, and it has to; a First where a lost request for the rest would begin is let pass (RR-62). */
static bool in_order(const struct iba_look *l, const struct iba_shadow_read *r)
{
    const bool first = iba_psn_eq(l->psn, r->psn);
    const bool last = r->n != 0 && iba_psn_eq(l->psn, iba_psn_add(r->psn, r->n - 1));
    const bool ends = l->op->pos == IBA_LAST || l->op->pos == IBA_ONLY;
    const bool starts = l->op->pos == IBA_FIRST || l->op->pos == IBA_ONLY;

    return (!first || starts || r->again) && (r->n == 0 || ends == last);
}

static bool right_length(const struct iba_look *l, const struct iba_shadow_read *r)
{
    const uint32_t pmtu = l->flow->pmtu;

    if (r->n == 1)
        return l->v->payload_len == r->length;
    if (pmtu == 0 || r->n == 0)
        return true;
    return l->v->payload_len ==
           (iba_psn_eq(l->psn, iba_psn_add(r->psn, r->n - 1)) ? r->length - (r->n - 1) * pmtu : pmtu);
}

static bool in_hole(const struct iba_shadow_read *r, iba_psn psn)
{
    const int32_t d = iba_psn_diff(psn, r->hole);

    return d >= 0 && (uint32_t)d < r->n_hole;
}

static bool fills_hole(const struct iba_look *l, const struct iba_shadow_read *r)
{
    return in_hole(r, l->psn) && !iba_psn_eq(l->psn, r->expect) && iba_psn_diff(l->psn, r->seen) < 0;
}

static void jump(struct iba_look *l, struct iba_shadow_requests *q, struct iba_shadow_read *r, iba_psn from)
{
    r->hole = from;
    r->n_hole = (uint32_t)iba_psn_diff(l->psn, from);
    iba_shadow_tell(l, IBA_FINDING_RESPONSE_GAP, &(struct iba_tell){.cause = &r->mark, .count = r->n_hole});
    iba_shadow_expect_retry(l, q, IBA_CAUSE_IMPLIED, from, 0);
}

/* The run before, which goes on although the READ was sent again. */
static void older(struct iba_look *l, struct iba_shadow_requests *q, struct iba_shadow_read *r)
{
    const int32_t d = iba_psn_diff(l->psn, r->older);

    if (!r->again || d < 0 || fills_hole(l, r)) {
        iba_shadow_tell(
            l, in_hole(r, l->psn) && !iba_shadow_answered_before(l) ? IBA_FINDING_LATE : IBA_FINDING_ANSWER_AGAIN,
            &(struct iba_tell){.cause = &r->mark});
        return;
    }
    if (iba_psn_diff(l->psn, r->seen) < 0)
        iba_shadow_tell(l, IBA_FINDING_ANSWER_AGAIN, &(struct iba_tell){.cause = &r->mark});
    if (d > 0)
        jump(l, q, r, r->older);
    r->older = iba_psn_add(l->psn, 1);
    r->seen = iba_psn_diff(r->older, r->seen) > 0 ? r->older : r->seen;
}

static bool is_older(const struct iba_look *l, const struct iba_shadow_read *r)
{
    const int32_t d = iba_psn_diff(l->psn, r->expect);
    const bool ended = r->n != 0 && iba_psn_diff(r->older, iba_psn_add(r->psn, r->n)) >= 0;

    return d < 0 || fills_hole(l, r) || (d > 0 && r->again && !ended && iba_psn_diff(r->older, r->expect) > 0);
}

void iba_shadow_read_response(struct iba_look *l, struct iba_shadow_requests *q)
{
    struct iba_shadow_read *r = iba_shadow_read_at(q, l->psn);

    if (!r) {
        const struct iba_shadow_sent *e = iba_shadow_sent_at(q, l->psn);
        if (e && iba_opcodes[e->opcode].pay != IBA_PAY_NONE)
            iba_shadow_tell(l, IBA_FINDING_ANSWER_KIND, &(struct iba_tell){.cause = &e->mark});
        else if (q->answered && iba_psn_diff(l->psn, q->una) < 0)
            iba_shadow_tell(l, iba_shadow_answered_before(l) ? IBA_FINDING_ANSWER_AGAIN : IBA_FINDING_LATE, NULL);
        iba_shadow_progress(q, l->psn);
        return;
    }
    const struct iba_tell t = {.cause = &r->mark};
    const int32_t d = iba_psn_diff(l->psn, r->expect);
    if (!fits(r->opcode, l->opcode)) {
        iba_shadow_tell(l, IBA_FINDING_ANSWER_KIND, &t);
        return;
    }
    settle(l, q, r);
    iba_shadow_progress(q, l->psn);
    if (is_older(l, r)) {
        older(l, q, r);
        return;
    }
    if (iba_psn_diff(l->psn, r->seen) < 0 && !in_hole(r, l->psn))
        iba_shadow_tell(l, IBA_FINDING_ANSWER_AGAIN, &t);
    if (d > 0)
        jump(l, q, r, r->expect);
    else if (!in_order(l, r))
        iba_shadow_tell(l, IBA_FINDING_ANSWER_SEQUENCE, &t);
    else if (iba_shadow_is_read(r->opcode) && !right_length(l, r))
        iba_shadow_tell(l, IBA_FINDING_ANSWER_LENGTH, &t);
    r->expect = iba_psn_add(l->psn, 1);
    if (iba_psn_diff(r->expect, r->seen) > 0)
        r->seen = r->expect;
}
