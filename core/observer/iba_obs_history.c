/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a direction: its requests and READs by PSN, its gaps, the PSN up to which all is answered, and the
 * response that will make its requester go back. The other files of the observer look up these records here. */
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_look.h"

void iba_obs_close_read(struct iba_obs_requests *q, uint32_t n)
{
    const iba_psn after = iba_psn_add(q->open.psn, 1), end = iba_psn_add(q->open.psn, n);
    struct iba_obs_read *r = iba_obs_read_at(q, q->open.psn);

    q->open.used = false;
    if (iba_psn_eq(q->high, after))
        q->high = end;
    if (iba_psn_eq(q->next, after))
        q->next = end;
    if (iba_psn_eq(q->seq, after))
        q->seq = end;
    if (r && r->n == 0)
        r->n = n;
}

uint32_t iba_obs_psns(const struct iba_look *l)
{
    if (!iba_obs_is_read(l->opcode))
        return 1;
    const uint32_t length = iba_reth_dmalen(iba_view_hdr(l->v, IBA_H_reth));
    if (length <= IBA_MTU_LEAST_BYTES)
        return 1;
    return l->flow->pmtu ? iba_mtu_packets(length, l->flow->pmtu) : 0;
}

void iba_obs_open_gap(struct iba_obs_gap *gap, uint8_t *next, iba_time now, iba_psn psn, uint32_t n)
{
    gap[*next] = (struct iba_obs_gap){.at = now, .psn = psn, .n = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX)};
    *next = (uint8_t)((*next + 1) % IBA_OBS_GAPS);
}

static bool is_in(const struct iba_observer *s, const struct iba_obs_gap *h, iba_psn psn)
{
    const uint32_t d = (uint32_t)iba_psn_diff(psn, h->psn); /* before the gap: more than it can have */

    return d < h->n && s->now.at - h->at <= s->cfg.late_ns;
}

struct iba_obs_gap *iba_obs_gap_at(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn)
{
    for (unsigned i = 0; i < IBA_OBS_GAPS; i++)
        if (is_in(s, &gap[i], psn))
            return &gap[i];
    return NULL;
}

static void shorten(struct iba_obs_gap *h, iba_psn psn)
{
    if (iba_psn_eq(h->psn, psn)) {
        h->psn = iba_psn_add(h->psn, 1);
        h->n--;
        h->done = (uint16_t)(h->done - (h->done > 0));
    } else if (iba_psn_eq(iba_psn_add(h->psn, h->n - 1), psn))
        h->n--;
}

void iba_obs_close_gap(const struct iba_observer *s, struct iba_obs_gap *gap, iba_psn psn)
{
    for (unsigned i = 0; i < IBA_OBS_GAPS; i++)
        if (is_in(s, &gap[i], psn))
            shorten(&gap[i], psn);
}

/* No response is missing, or more than the observer records, or the record has them as missing already. */
static bool misses_nothing_new(const struct iba_observer *s, struct iba_flow *f, iba_psn from, int32_t n)
{
    return n <= 0 || n > IBA_OBS_SENT || iba_obs_gap_at(s, f->unanswered, from);
}

void iba_obs_miss_alone(const struct iba_observer *s, struct iba_flow *f, iba_psn from, int32_t n)
{
    if (!misses_nothing_new(s, f, from, n))
        iba_obs_open_gap(f->unanswered, &f->next_unanswered, s->now.at, from, (uint32_t)n);
}

void iba_obs_miss(const struct iba_observer *s, struct iba_flow *f, struct iba_obs_requests *q, iba_psn from,
                  iba_psn end)
{
    const int32_t n = iba_psn_diff(end, from);
    const uint8_t at = f->next_unanswered;

    if (misses_nothing_new(s, f, from, n))
        return;
    const struct iba_obs_read *r = iba_obs_read_at(q, from);
    const int32_t before = r ? iba_psn_diff(r->seen, from) : 0;
    iba_obs_open_gap(f->unanswered, &f->next_unanswered, s->now.at, from, (uint32_t)n);
    f->unanswered[at].done = (uint16_t)(before < 0 ? 0 : before < n ? before : n);
}

void iba_obs_replace_reason(struct iba_obs_requests *q)
{
    if (q->pending.cause == IBA_CAUSE_NONE || q->pending.served)
        return;
    for (unsigned i = 0; i < IBA_OBS_REASONS; i++)
        if (q->before[i].mark.frame == q->pending.mark.frame && q->before[i].cause == q->pending.cause)
            return;
    q->before[q->next_before] = q->pending;
    q->next_before = (uint8_t)((q->next_before + 1) % IBA_OBS_REASONS);
}

void iba_obs_expect_for(struct iba_obs_requests *q, const struct iba_obs_reason *r)
{
    iba_obs_replace_reason(q);
    q->pending = *r;
}

void iba_obs_expect_retry(struct iba_look *l, struct iba_obs_requests *q, enum iba_obs_cause cause, iba_psn psn,
                          iba_time wait_ns)
{
    iba_obs_expect_for(
        q, &(struct iba_obs_reason){.cause = (uint8_t)cause, .psn = psn, .wait_ns = wait_ns, .mark = l->s->now});
}

void iba_obs_progress(struct iba_obs_requests *q, iba_psn psn)
{
    const iba_psn after = iba_psn_add(psn, 1);

    if (q->answered && iba_psn_diff(after, q->una) <= 0)
        return;
    q->una = after;
    q->answered = true;
    q->refused = 0;
    q->stuck.n = 0;
    q->ask.again = 0; /* the retry counter starts again at each progress (RQ-23) */
    /* A response has shown that an earlier answer is missing. Later answers do not bring the missing one (RQ-37). */
    if (q->pending.cause == IBA_CAUSE_IMPLIED || iba_psn_diff(after, q->pending.psn) <= 0)
        return;
    iba_obs_replace_reason(q);
    q->pending.cause = IBA_CAUSE_NONE;
}

/* The responder has all requests up to `end`, and the capture lacks some of them. So the message count starts again. */
void iba_obs_go_on_at(struct iba_obs_requests *q, iba_psn end)
{
    q->seq = end;
    for (unsigned i = 0; i < IBA_OBS_SENT && iba_psn_diff(q->seq, q->high) < 0; i++) {
        const struct iba_obs_read *r = iba_obs_read_at(q, q->seq);
        if (r && r->n)
            q->seq = iba_psn_add(r->psn, r->n);
        else if (!r && iba_obs_sent_at(q, q->seq))
            q->seq = iba_psn_add(q->seq, 1);
        else
            break;
    }
    q->message = IBA_MESSAGE_UNKNOWN;
    q->counts = false;
    for (unsigned i = 0; i < IBA_OBS_SENT; i++)
        q->sent[i].counted = false;
}

bool iba_obs_answered_before(const struct iba_look *l)
{
    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *r = &l->flow->recent[i];
        if (r->mark.frame != l->s->now.frame && !r->request && !r->refuses && iba_psn_eq(r->psn, l->psn))
            return true;
    }
    return false;
}

const struct iba_obs_recent *iba_obs_response_before(const struct iba_look *l)
{
    const struct iba_obs_recent *before = NULL;

    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *r = &l->flow->recent[i];
        if (r->mark.frame != l->s->now.frame && !r->request && (!before || r->number > before->number))
            before = r;
    }
    return before;
}

int32_t iba_obs_missing_before(const struct iba_look *l, int32_t lost)
{
    for (unsigned i = 0; lost > 0 && i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *const r = &l->flow->recent[i];
        const int32_t between = iba_psn_diff(l->psn, r->psn) - 1;
        if (!r->request && between >= 0 && between < lost && l->s->now.at - r->mark.at < IBA_OBS_AT_ONCE_NS)
            lost = between;
    }
    return lost;
}

bool iba_obs_overtaken(const struct iba_look *l, iba_time since)
{
    for (unsigned i = 0; i < l->flow->n_recent; i++) {
        const struct iba_obs_recent *r = &l->flow->recent[i];
        if (!r->request && !r->late && r->mark.at >= since && iba_psn_diff(r->psn, l->psn) > 0)
            return true;
    }
    return false;
}
