/* Pairs: the direction that a response comes from, and the one whose requests it answers, find each other by addresses
 * and PSNs; they share their path MTU. */
#include <string.h>
#include "shadow/iba_shadow_parts.h"

enum { MOST_TRIES = 64, MOST_LOOKED_AT = 32 };

/* Whether `psn` answers what `f` has asked; or may have asked just before the capture began. */
static bool answers(struct iba_flow *f, iba_psn psn)
{
    struct iba_shadow_requests *q = &f->rq;
    const iba_psn from = q->answered ? iba_psn_add(q->una, IBA_PSN_MASK) : iba_psn_of(q->first.v - IBA_SHADOW_SENT);

    if (!q->any)
        return false;
    if (iba_shadow_sent_at(q, psn) || iba_shadow_read_at(q, psn))
        return true;
    if (f->began == 0 && !q->answered) /* it rested: where it began is not known any more */
        return false;
    return iba_psn_diff(psn, from) >= 0 && iba_psn_diff(psn, q->high) < 0 && iba_psn_diff(psn, from) < 1 << 20;
}

/* Or may have asked before the capture, which has just begun and shows what came again. */
static bool may_answer(const struct iba_shadow *s, const struct iba_flow *f, iba_psn psn)
{
    const struct iba_shadow_requests *q = &f->rq;
    const int32_t beyond = iba_psn_diff(psn, q->high);

    return q->any && !q->answered && f->began != 0 && beyond >= 0 && beyond < IBA_SHADOW_SENT &&
           s->now.at - f->first.at < IBA_SHADOW_FLIGHT_NS;
}

/* Responses may have passed before the two found each other: from here on they are judged. */
static void take_over(struct iba_shadow_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_shadow_read *r = &q->read[i];
        if (r->used && iba_psn_diff(psn, r->psn) > 0)
            r->expect = r->seen =
                r->n == 0 || iba_psn_diff(psn, iba_psn_add(r->psn, r->n)) < 0 ? psn : iba_psn_add(r->psn, r->n);
    }
}

/* An entry of the table: who asked, whether somebody else asked the same, and bits of what was asked and where. */
enum { INDEX_BITS = 20 };
#define SEVERAL (UINT32_C(1) << INDEX_BITS)
#define WHAT_BITS (~(SEVERAL | (SEVERAL - 1)))

/* `from`, `to`: hashes of the addresses of who asked, and whom. */
static uint32_t *asked(const struct iba_shadow *s, uint64_t from, uint64_t to, iba_psn psn, uint32_t *what)
{
    const uint64_t h = iba_shadow_mix(iba_shadow_mix(psn.v, from), to);

    *what = (uint32_t)h & WHAT_BITS;
    return &s->cfg.asked[h >> 32 & (s->cfg.n_asked - 1)];
}

void iba_shadow_expect_asked(const struct iba_shadow *s, const struct iba_expected *e)
{
    const bool answer = e->view->op && e->view->op->dir == IBA_RSP;
    const iba_psn psn = iba_psn_of(iba_bth_psn(iba_view_bth(e->view)));
    uint32_t what;

    __builtin_prefetch(asked(s, answer ? e->id.to : e->id.from, answer ? e->id.from : e->id.to, psn, &what));
}

static bool has_peer(const struct iba_shadow *s, uint32_t known)
{
    const struct iba_flow *f = iba_shadow_awake(s, known);

    return f ? f->peer != 0 : s->cfg.known[known - 1].peer != 0;
}

/* Of many connections some ask with the same PSN. */
void iba_shadow_wait_for_peer(struct iba_look *l)
{
    struct iba_shadow *s = l->s;
    uint32_t what;

    if (l->flow->peer)
        return;
    const struct iba_direction *id = iba_shadow_id(l);
    uint32_t *at = asked(s, id->from, id->to, l->psn, &what);
    const uint32_t before = *at & (SEVERAL - 1);
    const bool several = before != 0 && before <= s->n_known && before != l->flow->known && (*at & WHAT_BITS) == what &&
                         !has_peer(s, before);
    *at = l->flow->known | what | (several ? SEVERAL : 0);
}

static bool opposite(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->kind == b->kind && memcmp(a->src, b->dst, sizeof a->src) == 0 &&
           memcmp(a->dst, b->src, sizeof a->dst) == 0;
}

static bool may_be_peer(const struct iba_look *l, struct iba_flow *g)
{
    return g != l->flow && g->used && !g->peer && g->svc == l->flow->svc && opposite(&l->flow->key, &g->key);
}

/* Over those that were used last, `left` of them at most. */
struct walk {
    unsigned list, left;
    const struct iba_flow *at; /* the one before; NULL: the list is to be begun */
};
/* The next that may be the partner; NULL: none is left. */
static struct iba_flow *next_candidate(const struct iba_look *l, struct walk *w)
{
    while (w->left > 0 && w->list < IBA_SHADOW_LISTS) {
        struct iba_flow *const g = iba_shadow_flow_at(l->s, w->at ? w->at->older : l->s->list[w->list].newest);
        w->at = g;
        if (!g) {
            w->list++;
            continue;
        }
        w->left--;
        if (may_be_peer(l, g))
            return g;
    }
    return NULL;
}

/* Who asked for a response with this PSN, by the table; woken when it rests. */
static struct iba_flow *who_asked(struct iba_look *l, bool *several)
{
    uint32_t what;
    const struct iba_direction *id = iba_shadow_id(l);
    const uint32_t entry = *asked(l->s, id->to, id->from, l->psn, &what);

    *several = (entry & SEVERAL) != 0;
    return (entry & WHAT_BITS) == what ? iba_shadow_wake_opposite(l, entry & (SEVERAL - 1)) : NULL;
}

void iba_shadow_be_sure(struct iba_shadow *s, struct iba_flow *f)
{
    iba_shadow_set_peer(s, f->peer, f->known, false);
    iba_shadow_set_peer(s, f->known, f->peer, false);
}

static void join(struct iba_look *l, struct iba_flow *other, bool guess)
{
    struct iba_flow *f = l->flow;
    const struct iba_flow *knows = f->pmtu_sure || !other->pmtu ? f : other;

    iba_shadow_set_peer(l->s, f->known, other->known, guess);
    iba_shadow_set_peer(l->s, other->known, f->known, guess);
    if (knows->pmtu)
        iba_shadow_learn_pmtu(l->s, f, knows->pmtu, knows->pmtu_sure);
    l->peer = other;
}

/* By the PSN of a request; else, and to see whether others fit too, among those that were used last. */
void iba_shadow_pair(struct iba_look *l)
{
    struct iba_shadow *s = l->s;
    struct iba_flow *f = l->flow, *best = NULL;
    struct iba_flow *maybe = NULL;
    unsigned fits = 0, may_fit = 0;
    struct walk w = {.left = MOST_LOOKED_AT};

    if (f->peer || f->tries >= MOST_TRIES)
        return;
    f->tries++;
    bool several;
    struct iba_flow *const known = who_asked(l, &several);
    if (known && may_be_peer(l, known) && answers(known, l->psn)) {
        best = known;
        fits = 1 + several;
    }
    for (struct iba_flow *g; (g = next_candidate(l, &w));) {
        if (g != known && answers(g, l->psn)) {
            best = best ? best : g;
            fits++;
        } else if (g != known && may_answer(s, g, l->psn)) {
            maybe = g;
            may_fit++;
        }
    }
    if (!best && may_fit == 1 && s->n_known <= MOST_LOOKED_AT)
        best = maybe;
    if (!best)
        return;
    /* Of those that rest another might have fitted. */
    const bool once = fits == 1 && best == known && s->resting > 0;
    const bool guess = fits > 1 || once || (best != known && s->n_known > MOST_LOOKED_AT);
    join(l, best, guess);
    f->once = once;
    take_over(&best->rq, l->psn);
}

void iba_shadow_pair_by_refusal(struct iba_look *l)
{
    struct iba_flow *f = l->flow, *best = NULL;
    struct walk w = {.left = MOST_LOOKED_AT};
    unsigned fits = 0;

    if (f->peer || f->tries >= MOST_TRIES)
        return;
    f->tries++;
    for (struct iba_flow *g; (g = next_candidate(l, &w));)
        if (iba_psn_eq(g->refused.psn, l->psn) && iba_shadow_is_recent(l, &g->refused)) {
            best = best ? best : g;
            fits++;
        }
    if (!best)
        return;
    join(l, best, fits > 1);
    f->rq.pending = best->refused;
}

/* How many responses READs take becomes known, or known better. */
static void recount(struct iba_shadow_requests *q, uint32_t pmtu)
{
    if (q->open.used)
        iba_shadow_close_read(q, iba_shadow_packets(q->open.length, pmtu));
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_shadow_read *r = &q->read[i];
        if (!r->used || !iba_shadow_is_read(r->opcode))
            continue;
        if (r->n == 0) { /* another was the open one */
            q->open = *r;
            iba_shadow_close_read(q, iba_shadow_packets(r->length, pmtu));
        }
        r->n = iba_shadow_packets(r->length, pmtu);
    }
}

void iba_shadow_learn_pmtu(struct iba_shadow *s, struct iba_flow *f, uint32_t pmtu, bool sure)
{
    struct iba_flow *both[2] = {f, iba_shadow_awake(s, f->peer)};
    struct iba_known *k = both[1] ? NULL : iba_shadow_known_at(s, f->peer);

    for (unsigned i = 0; i < 2; i++)
        if (both[i] && (!both[i]->pmtu || (sure && !both[i]->pmtu_sure))) {
            both[i]->pmtu = pmtu;
            both[i]->pmtu_sure = sure;
            recount(&both[i]->rq, pmtu);
        }
    if (k && (!k->pmtu || (sure && !k->pmtu_sure)))
        iba_shadow_rest_pmtu(k, pmtu, sure);
}

const struct iba_flow *iba_shadow_peer(const struct iba_shadow *s, const struct iba_flow *f)
{
    return iba_shadow_awake(s, f->peer);
}
