/* Adapters that take packets in any order: what overtakes others waits for these, up to a limit. */
#include <criterion/criterion.h>
#include <string.h>
#include "score_play.h"

/* Longer than the network lets any packet be overtaken. */
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
        if (w->held[i].frame < w->held[first].frame)
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

static void feed_held(struct score_play *y, unsigned to, uint32_t i)
{
    struct score_waits *w = &y->waits[to];
    static struct score_held h;
    struct iba_view v;

    h = w->held[i];
    w->held[i] = w->held[--w->n];
    (void)iba_view_parse(&v, y->p->link, h.bytes, h.len, h.len, NULL);
    iba_view_check(&v);
    feed(y, to, h.frame, &v);
}

static void hold(struct score_play *y, unsigned to, const struct iba_view *v)
{
    struct score_waits *w = &y->waits[to];

    cr_assert_lt(w->n, (uint32_t)SCORE_HELD);
    cr_assert_leq(v->len, (uint32_t)SCORE_HELD_BYTES);
    struct score_held *h = &w->held[w->n++];
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
            const iba_time over = y->waits[to].held[i].since + patience_ns;
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
    while (w->n > 0 && !misses_one_before(y, to, w->held[oldest(w)].frame))
        feed_held(y, to, oldest(w));
    set_due(y);
}

/* What was to come before it is lost. */
static void give_up_waiting(void *ctx)
{
    struct score_play *y = ctx;

    for (unsigned to = 0; to < 2; to++) {
        struct score_waits *w = &y->waits[to];
        bool over = false;
        for (uint32_t i = 0; i < w->n; i++)
            over |= y->p->now - w->held[i].since >= patience_ns;
        for (uint32_t i = 0; over && i < w->n; i++)
            y->r->frame[w->held[i].frame].in_vain = true;
        while (over && w->n > 0)
            feed_held(y, to, oldest(w));
    }
    set_due(y);
}

void score_peer_open(struct score_play *y)
{
    if (y->r->network != SCORE_REORDERING)
        return;
    y->p->arrives = arrives_in_any_order;
    y->p->on_due = give_up_waiting;
}
