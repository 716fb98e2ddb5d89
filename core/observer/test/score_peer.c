/* SPDX-License-Identifier: BSD-2-Clause */
/* Adapter behaviour that the engine lacks: accepting packets in any order, keeping packets that arrive after a lost
 * one, and adaptive timers. */
#include <criterion/criterion.h>
#include <string.h>
#include "score_play.h"
#include "transport/iba_requester.h"

/* ---- adapters that accept packets in any order ---- */

/* A packet that overtook others waits this long for them: longer than the network delays any packet. */
static const iba_time patience_ns = 10000;

static bool misses_one_before(const struct score_play *y, unsigned to, uint32_t frame)
{
    for (uint32_t i = y->waits[to].next; i < frame; i++)
        if (y->r->frame[i].from != to && !y->arrived[i])
            return true;
    return false;
}

static uint32_t oldest(const struct score_waits *w)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < w->n; i++)
        if (w->queued[i].frame < w->queued[first].frame)
            first = i;
    return first;
}

static void feed(struct score_play *y, unsigned to, uint32_t frame, const struct iba_view *v)
{
    struct score_waits *w = &y->waits[to];

    w->next = frame >= w->next ? frame + 1 : w->next;
    y->delivered = frame;
    pair_feed(y->p, to, v);
}

static void feed_queued(struct score_play *y, unsigned to, uint32_t i)
{
    struct score_waits *w = &y->waits[to];
    static struct score_queued h;
    struct iba_view v;

    h = w->queued[i];
    w->queued[i] = w->queued[--w->n];
    (void)iba_view_parse(&v, y->p->link, h.bytes, h.len, h.len, NULL);
    iba_view_check(&v);
    feed(y, to, h.frame, &v);
}

static void hold(struct score_play *y, unsigned to, const struct iba_view *v)
{
    struct score_waits *w = &y->waits[to];

    cr_assert_lt(w->n, (uint32_t)SCORE_QUEUED);
    cr_assert_leq(v->len, (uint32_t)SCORE_QUEUED_BYTES);
    struct score_queued *h = &w->queued[w->n++];
    h->since = y->p->now;
    h->frame = y->delivered;
    h->len = v->len;
    memcpy(h->bytes, v->wire, v->len);
}

static void set_due(struct score_play *y)
{
    y->p->due = IBA_NEVER;
    for (unsigned to = 0; to < 2; to++)
        for (uint32_t i = 0; i < y->waits[to].n; i++) {
            const iba_time over = y->waits[to].queued[i].since + patience_ns;
            y->p->due = over < y->p->due ? over : y->p->due;
        }
}

static void arrives_in_any_order(void *ctx, unsigned to, const struct iba_view *v)
{
    struct score_play *y = ctx;
    struct score_waits *w = &y->waits[to];

    y->arrived[y->delivered] = true;
    if (misses_one_before(y, to, y->delivered)) {
        hold(y, to, v);
        set_due(y);
        return;
    }
    feed(y, to, y->delivered, v);
    while (w->n > 0 && !misses_one_before(y, to, w->queued[oldest(w)].frame))
        feed_queued(y, to, oldest(w));
    set_due(y);
}

/* The receiver stops waiting: the packets before this one count as lost. */
static void give_up_waiting(void *ctx)
{
    struct score_play *y = ctx;

    for (unsigned to = 0; to < 2; to++) {
        struct score_waits *w = &y->waits[to];
        bool over = false;
        for (uint32_t i = 0; i < w->n; i++)
            over |= y->p->now - w->queued[i].since >= patience_ns;
        for (uint32_t i = 0; over && i < w->n; i++)
            y->r->frame[w->queued[i].frame].in_vain = true;
        while (over && w->n > 0)
            feed_queued(y, to, oldest(w));
    }
    set_due(y);
}

/* ---- adapters that keep packets that arrive after a lost one ---- */

/* Returns whether an earlier READ or ATOMIC has no answer yet. */
static bool is_early_answer(const struct iba_qp *qp, const struct score_frame *f)
{
    for (uint32_t i = 0; i < qp->s.count; i++) {
        const struct iba_sqe *e = iba_sqe_at(qp, i);
        const iba_psn from = i == 0 ? qp->s.una : e->first;
        if (e->state == IBA_SQE_DONE)
            continue;
        if (e->state != IBA_SQE_BEGUN || iba_psn_past(qp, from) > iba_psn_past(qp, f->psn))
            return false;
        if (iba_sqe_is(e, IBA_FORM_ANSWERED))
            return f->plain || f->nak || !iba_psn_eq(from, f->psn);
    }
    return false;
}

static bool is_early(const struct score_play *y, unsigned to, uint32_t frame)
{
    const struct iba_qp *qp = &y->p->end[to].qp;
    const struct score_frame *f = &y->r->frame[frame];

    return f->request ? iba_psn_diff(f->psn, qp->r.epsn) > 0
                      : iba_psn_diff(f->psn, qp->s.una) >= 0 && is_early_answer(qp, f);
}

/* Returns the index of the kept packet that the receiver waits for; w->n if there is none. */
static uint32_t next_kept(const struct score_play *y, unsigned to)
{
    const struct score_waits *w = &y->waits[to];
    uint32_t i = 0;

    while (i < w->n && is_early(y, to, w->queued[i].frame))
        i++;
    return i;
}

static bool is_kept(const struct score_play *y, unsigned to, const struct score_frame *f)
{
    const struct score_waits *w = &y->waits[to];

    for (uint32_t i = 0; i < w->n; i++) {
        const struct score_frame *h = &y->r->frame[w->queued[i].frame];
        if (h->request == f->request && iba_psn_eq(h->psn, f->psn))
            return true;
    }
    return false;
}

static void arrives_behind_a_loss(void *ctx, unsigned to, const struct iba_view *v)
{
    struct score_play *y = ctx;
    struct score_waits *w = &y->waits[to];
    const struct iba_qp *qp = &y->p->end[to].qp;
    const struct score_frame *f = &y->r->frame[y->delivered];
    const bool early = is_early(y, to, y->delivered);
    const bool unready = f->request && qp->r.rnr_sent; /* the requester has to send all packets again */

    if (early && !unready && !is_kept(y, to, f))
        hold(y, to, v);
    if (!early || (y->r->network == SCORE_SELECTIVE && !(f->request && qp->r.nak_sent)))
        feed(y, to, y->delivered, v); /* a packet that comes too early makes the receiver ask for the missing one */
    for (uint32_t i = next_kept(y, to); i < w->n; i = next_kept(y, to)) {
        const iba_psn before = qp->r.epsn;
        const bool request = y->r->frame[w->queued[i].frame].request;
        feed_queued(y, to, i);
        if (request && iba_psn_eq(before, qp->r.epsn))
            break; /* the receiver is not ready for the packet */
    }
}

/* Returns whether a NAK asks for the packet, and the requester has not obeyed it yet. */
static bool is_asked_for(const struct score_play *y, unsigned from, iba_psn psn)
{
    const struct score_why *why = &y->cause[from];

    return why->kind == SCORE_KIND(RETRY_NAK) && iba_psn_eq(y->r->frame[why->frame - 1].psn, psn);
}

/* Of its retransmissions the requester sends only the oldest packet, and the packet that a NAK asks for. After an RNR
 * NAK it sends all of them. */
static bool sends_the_oldest(void *ctx, unsigned from, const struct iba_view *v)
{
    struct score_play *y = ctx;
    struct score_again *a = &y->again[from];
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(v)));
    const bool at_once = a->any && a->at == y->p->now;

    if (v->op->dir != IBA_REQ || !y->began[from] || iba_psn_diff(psn, y->high[from]) >= 0 || (at_once && a->all))
        return true;
    if ((at_once && iba_psn_eq(a->psn, psn)) ||
        !(iba_psn_eq(psn, y->p->end[from].qp.s.una) || is_asked_for(y, from, psn)))
        return false;
    *a = (struct score_again){
        .any = true, .all = y->cause[from].kind == SCORE_KIND(RETRY_RNR), .psn = psn, .at = y->p->now};
    return true;
}

/* ---- adaptive timers ---- */

enum { SHORTEST_TIMEOUT = 4, LONGEST_TIMEOUT = 12 }; /* 66 us, 17 ms */

/* The timer of a requester runs twice as long as last time, unless something was answered since. */
static bool sets_its_timer(void *ctx, unsigned from, const struct iba_view *v)
{
    struct score_play *y = ctx;
    struct iba_qp *qp = &y->p->end[from].qp;
    const iba_time due = qp->s.ack_due;

    if (v->op->dir != IBA_REQ || due == IBA_NEVER || due == y->timer[from].due)
        return true;
    const bool again = iba_psn_eq(qp->s.una, y->timer[from].una) && y->timer[from].due != 0;
    const iba_time began = due - iba_ack_timeout_ns(qp->attr.timeout);
    const unsigned longer = qp->attr.timeout + (qp->attr.timeout < LONGEST_TIMEOUT ? 1u : 0u);

    qp->attr.timeout = (uint8_t)(again ? longer : SHORTEST_TIMEOUT);
    qp->s.ack_due = began + iba_ack_timeout_ns(qp->attr.timeout);
    y->timer[from].una = qp->s.una;
    y->timer[from].due = qp->s.ack_due;
    return true;
}

void score_peer_open(struct score_play *y)
{
    if (y->r->network == SCORE_REORDERING) {
        y->p->arrives = arrives_in_any_order;
        y->p->on_due = give_up_waiting;
    } else if (y->r->network == SCORE_OLDEST || y->r->network == SCORE_SELECTIVE) {
        y->p->arrives = arrives_behind_a_loss;
        y->p->sends = sends_the_oldest;
    } else if (y->r->network == SCORE_ADAPTIVE) {
        y->p->sends = sets_its_timer;
        y->p->end[0].qp.attr.timeout = y->p->end[1].qp.attr.timeout = SHORTEST_TIMEOUT;
    }
}
