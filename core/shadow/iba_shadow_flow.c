/* Flows: found by addresses and DestQP, kept in the order of use, paired with the opposite direction. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "shadow/iba_shadow_parts.h"

/* Near: a flow moves to the front of the order of use when n_flow / NEAR packets have passed since it last did. */
enum { MOST_TRIES = 64, MOST_LOOKED_AT = 32, NEAR = 16 };

static void addresses(struct iba_flow_key *k, enum iba_flow_addr kind, const uint8_t *src, const uint8_t *dst, size_t n)
{
    k->kind = (uint8_t)kind;
    memcpy(k->src, src, n);
    memcpy(k->dst, dst, n);
}

bool iba_shadow_key(struct iba_flow_key *k, const struct iba_view *v)
{
    const uint8_t *l3 = v->wire + v->l3_at;

    memset(k, 0, sizeof *k);
    if (!iba_view_has_bth(v))
        return false;
    k->qpn = iba_bth_destqp(iba_view_bth(v));
    if (v->l3 == IBA_H_ipv4)
        addresses(k, IBA_FLOW_IPV4, l3 + IBA_AT_ipv4_src / 8, l3 + IBA_AT_ipv4_dst / 8, 4);
    else if (v->l3 == IBA_H_ipv6)
        addresses(k, IBA_FLOW_IPV6, iba_ipv6_src(l3), iba_ipv6_dst(l3), 16);
    else if (iba_view_has(v, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(v, IBA_H_grh);
        addresses(k, IBA_FLOW_GID, iba_grh_sgid(grh), iba_grh_dgid(grh), 16);
    } else if (v->l3 == IBA_H_lrh)
        addresses(k, IBA_FLOW_LID, l3 + IBA_AT_lrh_slid / 8, l3 + IBA_AT_lrh_dlid / 8, 2);
    else
        return false;
    return true;
}

/* Of where the packet goes, not where it comes from: a stranger's packet to a QP meets that QP's flow. */
static uint32_t bucket(const struct iba_shadow *s, const struct iba_flow_key *k)
{
    const uint64_t a = iba_bits_get(k->dst, 0, 64), b = iba_bits_get(k->dst, 64, 64);
    const uint64_t h = iba_shadow_mix(iba_shadow_mix(k->qpn, a), b);

    return (uint32_t)(((h >> 32) * s->cfg.n_flow) >> 32);
}

static bool same_target(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->qpn == b->qpn && a->kind == b->kind && memcmp(a->dst, b->dst, sizeof a->dst) == 0;
}

static bool opposite(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->kind == b->kind && memcmp(a->src, b->dst, sizeof a->src) == 0 &&
           memcmp(a->dst, b->src, sizeof a->dst) == 0;
}

struct iba_flow *iba_shadow_flow_at(const struct iba_shadow *s, uint32_t i)
{
    return i == 0 ? NULL : &s->cfg.flow[i - 1];
}

static uint32_t index_of(const struct iba_shadow *s, const struct iba_flow *f)
{
    return (uint32_t)(f - s->cfg.flow) + 1;
}

static void leave_order(struct iba_shadow *s, struct iba_flow *f)
{
    struct iba_flow *newer = iba_shadow_flow_at(s, f->newer), *older = iba_shadow_flow_at(s, f->older);

    *(newer ? &newer->older : &s->newest) = f->older;
    *(older ? &older->newer : &s->oldest) = f->newer;
    f->newer = f->older = 0;
}

static void to_front(struct iba_shadow *s, struct iba_flow *f)
{
    struct iba_flow *first = iba_shadow_flow_at(s, s->newest);

    f->older = s->newest;
    f->newer = 0;
    s->newest = index_of(s, f);
    *(first ? &first->newer : &s->oldest) = s->newest;
}

static void leave_chain(struct iba_shadow *s, struct iba_flow *f)
{
    uint32_t *at = &s->cfg.flow[bucket(s, &f->key)].head;

    while (*at != index_of(s, f))
        at = &iba_shadow_flow_at(s, *at)->chain;
    *at = f->chain;
    f->chain = 0;
}

void iba_shadow_unpair(struct iba_shadow *s, struct iba_flow *f)
{
    struct iba_flow *peer = iba_shadow_flow_at(s, f->peer);

    if (peer)
        peer->peer = 0, peer->guess = false;
    f->peer = 0;
    f->guess = false;
}

/* What is not the flow's place in the lists becomes zero. The large arrays are left as they are: counts and `born` say
 * what of them is this flow's. */
static void clear(const struct iba_shadow *s, struct iba_flow *f)
{
    const uint32_t newer = f->newer, older = f->older, chain = f->chain, head = f->head;
    const struct iba_flow_key key = f->key;

    memset(f, 0, offsetof(struct iba_flow, recent_tag));
    memset(&f->rq, 0, offsetof(struct iba_shadow_requests, read));
    f->rq.next_read = f->rq.n_read = 0;
    f->rq.born = (uint32_t)s->packets;
    f->newer = newer, f->older = older, f->chain = chain, f->head = head;
    f->key = key;
    f->pmtu = s->cfg.pmtu;
    f->pmtu_sure = f->pmtu != 0;
}

void iba_shadow_restart(struct iba_shadow *s, struct iba_flow *f)
{
    iba_shadow_settle_alone(s, f);
    if (s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_shadow_unpair(s, f);
    const uint8_t svc = f->svc;
    clear(s, f);
    f->svc = svc;
    f->used = true;
    f->first = s->now;
    f->began = s->packets;
}

/* An unused flow, or the one that was used longest ago. */
static struct iba_flow *take(struct iba_look *l)
{
    struct iba_shadow *s = l->s;

    if (s->n < s->cfg.n_flow) {
        clear(s, &s->cfg.flow[s->n]);
        return &s->cfg.flow[s->n++];
    }
    assert(s->oldest != 0);
    struct iba_flow *f = &s->cfg.flow[s->oldest - 1];
    const struct iba_shadow_mark last = f->last;

    s->evicted++;
    iba_shadow_settle_alone(s, f);
    iba_shadow_tell(l, IBA_FINDING_EVICTED, &(struct iba_tell){.cause = &last});
    if (s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_shadow_unpair(s, f);
    leave_order(s, f);
    leave_chain(s, f);
    clear(s, f);
    return f;
}

struct neighbours {                            /* flows to the same QP */
    struct iba_flow *own, *stranger, *service; /* of another sender; of another service */
};

static struct neighbours find(const struct iba_shadow *s, const struct iba_flow_key *k, uint8_t svc)
{
    const iba_time now = s->now.at;
    struct neighbours n = {0};

    for (uint32_t i = s->cfg.flow[bucket(s, k)].head; i; i = s->cfg.flow[i - 1].chain) {
        struct iba_flow *f = &s->cfg.flow[i - 1];
        if (!same_target(&f->key, k))
            continue;
        if (memcmp(f->key.src, k->src, sizeof k->src) == 0)
            *(f->svc == svc ? &n.own : &n.service) = f;
        else if (f->peer && !f->guess && f->svc == svc && now - f->last.at < s->cfg.rest_ns)
            n.stranger = f;
    }
    return n;
}

/* A QP has one service. What came in the middle of the connection's packets was foreign; a QP number that has gone over
 * to another connection is not. */
static void foreign_service(struct iba_look *l, const struct neighbours *n)
{
    if (n->own && n->service && n->service->began > n->own->touched && n->service->last.frame != 0 &&
        l->s->now.at - n->own->last.at < l->s->cfg.rest_ns)
        iba_shadow_tell_of(l->s, n->service, IBA_FINDING_SERVICE, &n->service->last,
                           &(struct iba_tell){.cause = &n->own->last, .wait_ns = l->s->now.at - n->service->last.at},
                           l->psn);
}

struct iba_flow *iba_shadow_known(const struct iba_shadow *s, const struct iba_flow_key *k, uint8_t svc)
{
    return find(s, k, svc).own;
}

struct iba_flow *iba_shadow_flow(struct iba_look *l, const struct iba_flow_key *k)
{
    struct iba_shadow *s = l->s;
    const uint8_t svc = l->opcode >> 5;
    const struct neighbours n = find(s, k, svc);
    struct iba_flow *f = n.own;

    if (f) {
        foreign_service(l, &n);
        if (s->packets - f->ordered < s->cfg.n_flow / NEAR)
            return f;
        leave_order(s, f);
    } else {
        if (n.stranger)
            iba_shadow_tell(l, IBA_FINDING_SPOOF, &(struct iba_tell){.cause = &n.stranger->last});
        f = take(l);
        f->key = *k;
        f->used = true;
        f->svc = svc;
        f->first = s->now;
        f->began = s->packets;
        uint32_t *head = &s->cfg.flow[bucket(s, k)].head;
        f->chain = *head;
        *head = index_of(s, f);
    }
    to_front(s, f);
    f->ordered = s->packets;
    return f;
}

/* Whether `psn` answers what `f` has asked; or may have asked just before the capture began. */
static bool answers(struct iba_flow *f, iba_psn psn)
{
    struct iba_shadow_requests *q = &f->rq;
    const iba_psn from = q->answered ? iba_psn_add(q->una, IBA_PSN_MASK) : iba_psn_of(q->first.v - IBA_SHADOW_SENT);

    if (!q->any)
        return false;
    if (iba_shadow_sent_at(q, psn) || iba_shadow_read_at(q, psn))
        return true;
    return iba_psn_diff(psn, from) >= 0 && iba_psn_diff(psn, q->high) < 0 && iba_psn_diff(psn, from) < 1 << 20;
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

static uint32_t *asked(struct iba_shadow *s, const uint8_t src[16], const uint8_t dst[16], iba_psn psn)
{
    uint64_t h = iba_shadow_mix(psn.v, iba_bits_get(src, 0, 64));

    h = iba_shadow_mix(iba_shadow_mix(h, iba_bits_get(src, 64, 64)), iba_bits_get(dst, 0, 64));
    return &s->asked[iba_shadow_mix(h, iba_bits_get(dst, 64, 64)) >> 32 & (IBA_SHADOW_ASKED - 1)];
}

void iba_shadow_wait_for_peer(struct iba_look *l)
{
    if (!l->flow->peer)
        *asked(l->s, l->flow->key.src, l->flow->key.dst, l->psn) = index_of(l->s, l->flow);
}

static bool may_be_peer(const struct iba_look *l, struct iba_flow *g)
{
    return g != l->flow && g->used && !g->peer && g->svc == l->flow->svc && opposite(&l->flow->key, &g->key) &&
           answers(g, l->psn);
}

/* By the PSN of a request; else, and to see whether others fit too, among those that were used last. */
void iba_shadow_pair(struct iba_look *l)
{
    struct iba_flow *f = l->flow, *best = NULL;
    unsigned fits = 0, left = MOST_LOOKED_AT;

    if (f->peer || f->tries >= MOST_TRIES)
        return;
    f->tries++;
    struct iba_flow *const known = iba_shadow_flow_at(l->s, *asked(l->s, f->key.dst, f->key.src, l->psn));
    if (known && may_be_peer(l, known)) {
        best = known;
        fits = 1;
    }
    for (struct iba_flow *g = iba_shadow_flow_at(l->s, l->s->newest); g && left > 0; left--) {
        if (g != known && may_be_peer(l, g)) {
            best = best ? best : g;
            fits++;
        }
        g = iba_shadow_flow_at(l->s, g->older);
    }
    if (!best)
        return;
    f->peer = index_of(l->s, best);
    best->peer = index_of(l->s, f);
    f->guess = best->guess = fits > 1;
    const struct iba_flow *knows = f->pmtu_sure || !best->pmtu ? f : best;
    if (knows->pmtu)
        iba_shadow_learn_pmtu(l->s, f, knows->pmtu, knows->pmtu_sure);
    take_over(&best->rq, l->psn);
    l->peer = best;
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
    struct iba_flow *both[2] = {f, iba_shadow_flow_at(s, f->peer)};

    for (unsigned i = 0; i < 2; i++)
        if (both[i] && (!both[i]->pmtu || (sure && !both[i]->pmtu_sure))) {
            both[i]->pmtu = pmtu;
            both[i]->pmtu_sure = sure;
            recount(&both[i]->rq, pmtu);
        }
}

const struct iba_flow *iba_shadow_peer(const struct iba_shadow *s, const struct iba_flow *f)
{
    return iba_shadow_flow_at(s, f->peer);
}
