/* SPDX-License-Identifier: BSD-2-Clause */
/* Directions at rest. When flows are scarce, the observer reduces a direction to a short form. When the direction's
 * next packet comes, the observer restores the direction from its short form.
 *
 * The short form keeps the position in the PSNs, the last request, whether the direction waits for an answer, its peer,
 * and the fields that its packets have in common. The short form loses the requests before the last one, outstanding
 * READs, reasons to go back, and the record by which network copies are found. The observer treats a restored direction
 * as if the capture lacked the lost parts. */
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_request.h"

enum { PMTU_UNIT = 256 };
enum kind { KIND_COUNT, KIND_ENDED, KIND_ASKED, KIND_DATAGRAMS }; /* which member of the union is valid */

static enum kind kind_of(const struct iba_flow *f)
{
    const struct iba_obs_requests *q = &f->rq;

    if (f->has_qkey)
        return KIND_DATAGRAMS;
    if (q->fatal.frame != 0 && !iba_obs_asks(q))
        return KIND_ENDED;
    return iba_obs_asks(q) && (q->ask.again > 0 || q->ask.mark.frame != q->last.frame) ? KIND_ASKED : KIND_COUNT;
}

static void keep_union(struct iba_known *k, const struct iba_flow *f, enum kind kind)
{
    const struct iba_obs_requests *q = &f->rq;
    const struct iba_obs_mark *const other = kind == KIND_ENDED ? &q->fatal : &q->last;

    switch (kind) {
    case KIND_COUNT:
        k->count.messages = q->messages;
        k->count.msn_lo = q->msn_lo;
        k->count.msn_hi = q->msn_hi;
        k->count.dma_left = q->dma_left;
        break;
    case KIND_DATAGRAMS:
        k->ud.qkey = f->qkey;
        k->ud.src_qp = f->src_qp;
        break;
    default:
        k->other.frame = other->frame;
        k->other.tag = other->tag;
        break;
    }
}

/* The bits are written together, since the processor would read the word back for each separate write. After a READ
 * that takes an unknown number of PSNs, the next PSN is unknown. A direction whose next PSN is unknown starts again
 * after its rest.
 */
static void keep_bits(struct iba_known *k, const struct iba_flow *f, enum kind kind)
{
    const struct iba_obs_requests *q = &f->rq;
    const bool any = q->any && !q->open.used, asks = any && iba_obs_asks(q), again = q->ask.again > 0;
    const bool steady = f->svc == IBA_UC || iba_psn_eq(q->seq, q->high), counts = steady && kind == KIND_COUNT;

    k->message = counts ? q->message : (uint8_t)IBA_MESSAGE_UNKNOWN;
    k->kind = kind & 3;
    k->any = any;
    k->answered = q->answered;
    k->counts = counts && q->counts;
    k->steady = steady;
    k->asks = asks;
    k->again = again;
    k->guess = f->guess;
    k->once = f->once;
    k->has_pkey = f->has_pkey;
    k->has_qkey = f->has_qkey;
    k->has_aeth = f->has_aeth;
}

static void keep_requests(struct iba_known *k, const struct iba_flow *f, enum kind kind)
{
    const struct iba_obs_requests *q = &f->rq;
    const iba_psn last = iba_psn_add(q->high, IBA_PSN_MASK);
    const struct iba_obs_sent *e = iba_obs_request_at(q, last);

    k->high = q->high;
    k->next = q->next;
    k->una = q->una;
    k->mark = q->any ? q->last : f->last;
    k->opcode = 0;
    k->content = 0;
    if (kind == KIND_ASKED) {
        k->mark = q->ask.mark;
        k->content = q->ask.psn.v;
        k->opcode = (uint8_t)(q->ask.again < UINT8_MAX ? q->ask.again : UINT8_MAX);
    } else if (e && e->mark.frame == q->last.frame && !e->cut) {
        k->opcode = e->opcode;
        k->content = (uint32_t)e->request << 16 | e->content;
    }
}

void iba_obs_rest_pmtu(struct iba_known *k, uint32_t pmtu, bool sure)
{
    k->pmtu = (uint8_t)(pmtu / PMTU_UNIT);
    k->pmtu_sure = sure;
}

void iba_obs_keep(struct iba_known *k, const struct iba_flow *f)
{
    const enum kind kind = kind_of(f);

    keep_bits(k, f, kind);
    keep_union(k, f, kind);
    keep_requests(k, f, kind);
    k->peer = f->peer;
    k->tries = f->tries;
    k->touched = (uint32_t)f->touched;
    k->pkey = f->pkey;
    k->credits = f->credits;
    iba_obs_rest_pmtu(k, f->pmtu, f->pmtu_sure);
    for (unsigned i = 0; i < 2; i++) {
        k->ip_id[i] = f->ip_id[i].last;
        k->trust[i] = (uint8_t)(f->ip_id[i].any ? f->ip_id[i].trust + 1 : 0);
    }
}

static void resume_sent(struct iba_obs_requests *q, const struct iba_known *k)
{
    const iba_psn last = iba_psn_add(k->high, IBA_PSN_MASK);
    const struct iba_opcode *op = &iba_opcodes[k->opcode];
    const bool ends = iba_opcode_ends(op);

    q->sent[last.v % IBA_OBS_SENT] = (struct iba_obs_sent){.mark = k->mark,
                                                           .request = (uint16_t)(k->content >> 16),
                                                           .content = (uint16_t)k->content,
                                                           .messages = q->messages - ends,
                                                           .psn = last,
                                                           .generation = q->generation,
                                                           .opcode = k->opcode,
                                                           .counted = k->steady && k->kind == KIND_COUNT};
}

static void resume_requests(struct iba_obs_requests *q, const struct iba_known *k, iba_time at)
{
    q->any = true;
    q->high = q->first = q->seq = k->high;
    q->next = k->next;
    q->una = k->una;
    q->answered = k->answered;
    q->message = k->message;
    q->counts = k->counts;
    q->last = k->mark;
    q->last.at = at;
    if (k->kind == KIND_COUNT) {
        q->messages = k->count.messages;
        q->msn_lo = k->count.msn_lo;
        q->msn_hi = k->count.msn_hi;
        q->dma_left = k->count.dma_left;
    } else {
        q->last.frame = k->other.frame;
        q->last.tag = k->other.tag;
    }
    if (k->kind == KIND_ENDED)
        q->fatal = q->last;
    else if (k->content != 0 && k->kind == KIND_COUNT)
        resume_sent(q, k);
    if (!k->asks)
        return;
    q->ask.any = true;
    q->ask.again = k->kind == KIND_ASKED ? k->opcode : k->again;
    q->ask.mark = k->mark;
    q->ask.last = q->last;
    q->ask.psn = k->kind == KIND_ASKED ? iba_psn_of(k->content) : iba_psn_add(k->high, IBA_PSN_MASK);
}

void iba_obs_resume(struct iba_flow *f, const struct iba_known *k, iba_time at)
{
    f->peer = k->peer;
    f->guess = k->guess;
    f->once = k->once;
    f->tries = k->tries;
    f->touched = k->touched;
    f->last = k->mark;
    f->last.at = at;
    f->pkey = k->pkey;
    f->has_pkey = k->has_pkey;
    f->has_qkey = k->has_qkey;
    f->has_aeth = k->has_aeth;
    f->credits = k->credits;
    f->pmtu = (uint32_t)k->pmtu * PMTU_UNIT;
    f->pmtu_sure = k->pmtu_sure;
    for (unsigned i = 0; i < 2; i++) {
        f->ip_id[i].last = k->ip_id[i];
        f->ip_id[i].any = k->trust[i] > 0;
        f->ip_id[i].trust = (uint8_t)(k->trust[i] - (k->trust[i] > 0));
    }
    if (k->kind == KIND_DATAGRAMS) {
        f->qkey = k->ud.qkey;
        f->src_qp = k->ud.src_qp;
    } else if (k->any)
        resume_requests(&f->rq, k, at);
}

bool iba_obs_waits(const struct iba_observer *s, const struct iba_known *k)
{
    return k->kind == KIND_ENDED ||
           (k->asks && (k->again || (k->peer && !k->guess && s->now.at - k->mark.at >= s->cfg.silence_ns)));
}
