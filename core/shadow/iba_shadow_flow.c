/* Flows: found by addresses and DestQP, kept in the order of use; when there are too many, some rest. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "shadow/iba_shadow_parts.h"

/* Near: a flow moves to the front of its list when n_flow / NEAR packets have passed since it last did. Guests are
 * few, so that what comes and goes stays in the cache. */
enum { NEAR = 16, MOST_COMPARED = 8, MOST_GUESTS = 16, GUESTS_SHARE = 8 };

void iba_shadow_share(struct iba_shadow *s)
{
    const uint32_t share = s->cfg.n_flow / GUESTS_SHARE;
    const uint32_t guests = share < MOST_GUESTS ? share : MOST_GUESTS;

    s->list[IBA_SHADOW_GUESTS].most = s->cfg.n_known > s->cfg.n_flow && guests >= 2 ? guests : 0;
    s->list[IBA_SHADOW_REGULARS].most = s->cfg.n_flow - s->list[IBA_SHADOW_GUESTS].most;
}

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

/* What a direction is found by. */
struct ids {
    uint32_t target, source, qpn;
};

static uint32_t hash_address(uint64_t seed, const uint8_t address[16])
{
    uint64_t word[2]; /* in the machine's order: nobody relies on the hash */

    memcpy(word, address, sizeof word);
    return (uint32_t)(iba_shadow_mix(iba_shadow_mix(seed, word[0]), word[1]) >> 32);
}

static struct ids ids_of(const struct iba_flow_key *k)
{
    const uint64_t kind = (uint64_t)k->kind << 32;

    return (struct ids){hash_address(kind | k->qpn, k->dst), hash_address(kind, k->src), k->qpn};
}

/* Buckets hold at most one direction each, its index plus 1, and bits of its hash, so that another is passed without
 * being looked at. It stands where its hash says, or in one of the full ones right behind. The hash is of where the
 * packet goes, not where it comes from: a stranger's packet to a QP meets that QP's flow. */
enum { INDEX_BITS = 20 };

static uint32_t n_bucket(const struct iba_shadow *s)
{
    return s->cfg.n_known * IBA_SHADOW_BUCKETS;
}

static uint32_t home(const struct iba_shadow *s, uint32_t target)
{
    return (uint32_t)(((uint64_t)target * n_bucket(s)) >> 32);
}

static uint32_t behind(const struct iba_shadow *s, uint32_t at)
{
    return at + 1 == n_bucket(s) ? 0 : at + 1;
}

static uint32_t index_in(uint32_t entry)
{
    return entry & ((1 << INDEX_BITS) - 1);
}

/* The next direction from bucket *at on that may have this target, and *at behind it; 0: there is none. */
static uint32_t next_of(const struct iba_shadow *s, uint32_t *at, uint32_t target)
{
    for (uint32_t entry; (entry = s->cfg.bucket[*at]) != 0;) {
        *at = behind(s, *at);
        if (((entry ^ target << INDEX_BITS) >> INDEX_BITS) == 0)
            return index_in(entry);
    }
    return 0;
}

static void into_bucket(struct iba_shadow *s, uint32_t known, uint32_t target)
{
    uint32_t at = home(s, target);

    while (s->cfg.bucket[at] != 0)
        at = behind(s, at);
    s->cfg.bucket[at] = known | target << INDEX_BITS;
}

/* Those behind that would not be found any more move up. */
static void leave_bucket(struct iba_shadow *s, uint32_t known)
{
    const uint32_t n = n_bucket(s);
    assert(n > 0);
    uint32_t hole = home(s, s->cfg.known[known - 1].target);

    while (index_in(s->cfg.bucket[hole]) != known)
        hole = behind(s, hole);
    for (uint32_t at = behind(s, hole); s->cfg.bucket[at] != 0; at = behind(s, at)) {
        const uint32_t from = home(s, s->cfg.known[index_in(s->cfg.bucket[at]) - 1].target);
        if ((at + n - from) % n < (at + n - hole) % n)
            continue;
        s->cfg.bucket[hole] = s->cfg.bucket[at];
        hole = at;
    }
    s->cfg.bucket[hole] = 0;
}

struct iba_flow *iba_shadow_flow_at(const struct iba_shadow *s, uint32_t i)
{
    return i == 0 ? NULL : &s->cfg.flow[i - 1];
}

struct iba_known *iba_shadow_known_at(const struct iba_shadow *s, uint32_t i)
{
    return i == 0 ? NULL : &s->cfg.known[i - 1];
}

struct iba_flow *iba_shadow_awake(const struct iba_shadow *s, uint32_t known)
{
    return known == 0 ? NULL : iba_shadow_flow_at(s, s->cfg.known[known - 1].flow);
}

static uint32_t index_of(const struct iba_shadow *s, const struct iba_flow *f)
{
    return (uint32_t)(f - s->cfg.flow) + 1;
}

/* All lines of it, long before they are read. */
static void fetch(const struct iba_known *k)
{
    enum { LINE = 64 };
    const char *const at = (const char *)k;

    for (size_t i = 0; i < sizeof *k; i += LINE)
        __builtin_prefetch(at + i);
    __builtin_prefetch(at + sizeof *k - 1);
}

/* ---- lists: the order of use ---- */

static void leave_list(struct iba_shadow *s, struct iba_flow *f)
{
    struct iba_flow *newer = iba_shadow_flow_at(s, f->newer), *older = iba_shadow_flow_at(s, f->older);

    *(newer ? &newer->older : &s->list[f->list].newest) = f->older;
    *(older ? &older->newer : &s->list[f->list].oldest) = f->newer;
    s->list[f->list].n--;
    f->newer = f->older = 0;
}

static void to_front(struct iba_shadow *s, struct iba_flow *f, enum iba_shadow_list list)
{
    struct iba_flow *first = iba_shadow_flow_at(s, s->list[list].newest);

    f->list = (uint8_t)list;
    f->again = false;
    f->older = s->list[list].newest;
    f->newer = 0;
    f->ordered = s->packets;
    s->list[list].newest = index_of(s, f);
    s->list[list].n++;
    *(first ? &first->newer : &s->list[list].oldest) = s->list[list].newest;
}

static struct iba_flow *unused_longest(const struct iba_shadow *s, enum iba_shadow_list list,
                                       const struct iba_flow *keep)
{
    struct iba_flow *f = iba_shadow_flow_at(s, s->list[list].oldest);

    return f && f == keep ? iba_shadow_flow_at(s, f->newer) : f;
}

/* ---- what a flow is for ---- */

/* The other direction's, wherever it stands. */
void iba_shadow_set_peer(const struct iba_shadow *s, uint32_t known, uint32_t peer, bool guess)
{
    struct iba_flow *f = iba_shadow_awake(s, known);

    if (f)
        f->peer = peer, f->guess = guess, f->once = false;
    else if (known)
        s->cfg.known[known - 1].peer = peer, s->cfg.known[known - 1].guess = guess;
}

void iba_shadow_unpair(struct iba_shadow *s, struct iba_flow *f)
{
    iba_shadow_set_peer(s, f->peer, 0, false);
    iba_shadow_set_peer(s, f->known, 0, false);
}

/* By the library, which knows better than the compiler how to do that. */
static void *(*const volatile library_memset)(void *, int, size_t) = memset;
static void zero(void *at, size_t n)
{
    (void)library_memset(at, 0, n);
}

/* What its packets have shown becomes zero, all but the large arrays: counts and `born` say what of them is this
 * flow's.
 */
static void clear(struct iba_shadow *s, struct iba_flow *f)
{
    const size_t from = offsetof(struct iba_flow, has_pkey);

    zero((char *)f + from, offsetof(struct iba_flow, recent_tag) - from);
    zero(&f->rq, offsetof(struct iba_shadow_requests, read));
    f->rq.next_read = f->rq.n_read = 0;
    f->rq.unheeded.frame = f->refused.mark.frame = 0;
    f->rq.born = ++s->born;
    f->pmtu = s->cfg.pmtu;
    f->pmtu_sure = f->pmtu != 0;
}

void iba_shadow_restart(struct iba_shadow *s, struct iba_flow *f)
{
    iba_shadow_settle_alone(s, f);
    iba_shadow_tell_end(s, f, true);
    if (s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_shadow_unpair(s, f);
    clear(s, f);
    f->first = s->now;
    f->began = s->packets;
    s->cfg.known[f->known - 1].tag = 0;
}

static void put_to_rest(struct iba_shadow *s, struct iba_flow *f)
{
    struct iba_known *k = &s->cfg.known[f->known - 1];

    iba_shadow_settle_alone(s, f);
    leave_list(s, f);
    iba_shadow_keep(k, f);
    k->flow = 0;
    f->used = false;
    f->known = 0;
    s->resting++;
}

/* A flow that nobody uses: there is one where a list is not full; else somebody rests. */
static struct iba_flow *take_flow(struct iba_shadow *s, enum iba_shadow_list list, const struct iba_flow *keep)
{
    const bool room = s->list[list].n < s->list[list].most;
    struct iba_flow *f = iba_shadow_flow_at(s, s->spare);

    if (f) {
        s->spare = 0;
        return f;
    }
    if (room && s->n < s->cfg.n_flow)
        return &s->cfg.flow[s->n++];
    f = unused_longest(s, room ? IBA_SHADOW_REGULARS : list, keep);
    assert(f);
    if (f->list == IBA_SHADOW_GUESTS && f->again) { /* it stays */
        leave_list(s, f);
        to_front(s, f, IBA_SHADOW_REGULARS);
        f = unused_longest(s, IBA_SHADOW_REGULARS, keep);
    }
    assert(f); /* a list that is full holds two, of which one is not kept */
    put_to_rest(s, f);
    return f;
}

static struct iba_flow *seat(struct iba_shadow *s, uint32_t known, const struct iba_flow_key *key, bool regular,
                             const struct iba_flow *keep)
{
    struct iba_known *k = &s->cfg.known[known - 1];
    const bool fits = s->list[IBA_SHADOW_REGULARS].n < s->list[IBA_SHADOW_REGULARS].most;
    const enum iba_shadow_list list =
        regular || fits || s->list[IBA_SHADOW_GUESTS].most == 0 ? IBA_SHADOW_REGULARS : IBA_SHADOW_GUESTS;
    struct iba_flow *f = take_flow(s, list, keep);

    clear(s, f);
    f->key = *key;
    f->svc = k->svc;
    f->used = true;
    f->known = known;
    k->flow = index_of(s, f);
    to_front(s, f, list);
    return f;
}

struct iba_flow *iba_shadow_wake(struct iba_shadow *s, uint32_t known, const struct iba_flow_key *key,
                                 const struct iba_flow *keep)
{
    const struct iba_known *k = &s->cfg.known[known - 1];

    if (k->flow)
        return &s->cfg.flow[k->flow - 1];
    struct iba_flow *f = seat(s, known, key, (uint32_t)s->packets - k->touched < s->cfg.n_flow, keep);
    iba_shadow_resume(f, k);
    s->resting--;
    return f;
}

static struct iba_flow_key turned(const struct iba_flow_key *k, uint32_t qpn)
{
    struct iba_flow_key t = {.kind = k->kind, .qpn = qpn};

    memcpy(t.dst, k->src, sizeof t.dst);
    memcpy(t.src, k->dst, sizeof t.src);
    return t;
}

struct iba_flow *iba_shadow_wake_peer(struct iba_shadow *s, struct iba_flow *f)
{
    if (f->peer == 0)
        return NULL;
    const struct iba_flow_key k = turned(&f->key, s->cfg.known[f->peer - 1].qpn);
    return iba_shadow_wake(s, f->peer, &k, f);
}

struct iba_flow *iba_shadow_wake_opposite(struct iba_shadow *s, uint32_t known, const struct iba_flow *f)
{
    const struct iba_known *k = known <= s->n_known ? iba_shadow_known_at(s, known) : NULL;

    if (!k || (k->flow == 0 && k->peer))
        return NULL;
    const struct iba_flow_key key = turned(&f->key, k->qpn);
    const struct ids id = ids_of(&key);
    return k->target == id.target && k->source == id.source ? iba_shadow_wake(s, known, &key, f) : NULL;
}

void iba_shadow_shrink(struct iba_shadow *s, uint32_t n_flow)
{
    assert(n_flow >= 2 && n_flow <= s->cfg.n_flow);
    for (uint32_t i = n_flow; i < s->n; i++)
        if (s->cfg.flow[i].used)
            put_to_rest(s, &s->cfg.flow[i]);
    s->n = s->n < n_flow ? s->n : n_flow;
    s->spare = s->spare > n_flow ? 0 : s->spare;
    s->cfg.n_flow = n_flow;
    iba_shadow_share(s);
}

/* ---- those that are known ---- */

/* Of some that rest the one that was seen longest ago; when none rests, the flow that was used longest ago. */
static uint32_t to_forget(struct iba_shadow *s)
{
    uint32_t best = 0;

    if (s->resting == 0) {
        const struct iba_flow *f = unused_longest(s, IBA_SHADOW_REGULARS, NULL);
        assert(f); /* all that are known have one */
        return f->known;
    }
    for (uint32_t i = 0, left = MOST_COMPARED; i < s->n_known && left > 0; i++) {
        s->hand = s->hand % s->n_known + 1;
        const struct iba_known *k = &s->cfg.known[s->hand - 1];
        if (k->flow)
            continue;
        left--;
        best = best == 0 || k->at < s->cfg.known[best - 1].at ? s->hand : best;
    }
    return best;
}

static void forget(struct iba_look *l, uint32_t known)
{
    struct iba_shadow *s = l->s;
    struct iba_known *k = &s->cfg.known[known - 1];
    struct iba_flow *f = iba_shadow_flow_at(s, k->flow);
    const struct iba_shadow_mark last = f ? f->last : k->mark;

    s->evicted++;
    if (f)
        iba_shadow_settle_alone(s, f);
    iba_shadow_tell(l, IBA_FINDING_EVICTED, &(struct iba_tell){.cause = &last});
    if (f && s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_shadow_set_peer(s, f ? f->peer : k->peer, 0, false);
    leave_bucket(s, known);
    if (f) {
        leave_list(s, f);
        f->used = false;
        f->known = 0;
        s->spare = index_of(s, f);
    } else
        s->resting--;
}

static uint32_t begin(struct iba_look *l, const struct ids *id, uint8_t svc)
{
    struct iba_shadow *s = l->s;
    const bool room = s->n_known < s->cfg.n_known;
    const uint32_t i = room ? ++s->n_known : to_forget(s);

    if (!room)
        forget(l, i);
    s->cfg.known[i - 1] = (struct iba_known){.target = id->target, .source = id->source, .qpn = id->qpn, .svc = svc};
    into_bucket(s, i, id->target);
    return i;
}

struct neighbours {                  /* directions to the same QP */
    uint32_t own, stranger, service; /* of another sender; of another service */
    uint32_t earlier;                /* of another sender, who has been quiet for long */
};

static bool is_paired(const struct iba_shadow *s, const struct iba_known *k)
{
    const struct iba_flow *f = iba_shadow_flow_at(s, k->flow);

    return f ? f->peer && !f->guess : k->peer && !k->guess;
}

static bool is_quiet(const struct iba_shadow *s, const struct iba_known *k)
{
    const struct iba_flow *f = iba_shadow_flow_at(s, k->flow);

    return s->now.at - (f ? f->last.at : k->at) >= s->cfg.rest_ns;
}

static struct neighbours find(const struct iba_shadow *s, const struct ids *id, uint8_t svc)
{
    struct neighbours n = {0};

    for (uint32_t at = home(s, id->target), i; (i = next_of(s, &at, id->target)) != 0;) {
        const struct iba_known *k = &s->cfg.known[i - 1];
        if (k->target != id->target || k->qpn != id->qpn)
            continue;
        if (k->source == id->source)
            *(k->svc == svc ? &n.own : &n.service) = i;
        else if (k->svc == svc && is_paired(s, k))
            *(is_quiet(s, k) ? &n.earlier : &n.stranger) = i;
    }
    return n;
}

/* A QP has one service. What came in the middle of the connection's packets was foreign; a QP number that has gone over
 * to another connection is not. */
static void foreign_service(struct iba_look *l, const struct iba_flow *own, uint32_t service)
{
    struct iba_flow *f = iba_shadow_awake(l->s, service);

    if (f && f->began > own->touched && f->last.frame != 0 && l->s->now.at - own->last.at < l->s->cfg.rest_ns)
        iba_shadow_tell_of(l->s, f, IBA_FINDING_SERVICE, &f->last,
                           &(struct iba_tell){.cause = &own->last, .wait_ns = l->s->now.at - f->last.at}, l->psn);
}

struct iba_flow *iba_shadow_known(struct iba_shadow *s, const struct iba_flow_key *k, uint8_t svc)
{
    const struct ids id = ids_of(k);
    const uint32_t own = find(s, &id, svc).own;

    return own ? iba_shadow_wake(s, own, k, NULL) : NULL;
}

static struct iba_flow *come_back(struct iba_look *l, const struct iba_flow_key *k, const struct neighbours *n)
{
    struct iba_shadow *s = l->s;
    struct iba_flow *f = iba_shadow_awake(s, n->own);
    const uint32_t peer = f ? 0 : s->cfg.known[n->own - 1].peer;

    if (peer && l->op && l->op->dir == IBA_RSP)
        fetch(&s->cfg.known[peer - 1]);
    if (!f)
        f = iba_shadow_wake(s, n->own, k, NULL);
    else if (f->list == IBA_SHADOW_GUESTS)
        f->again = true;
    else if (s->packets - f->ordered >= s->cfg.n_flow / NEAR) {
        leave_list(s, f);
        to_front(s, f, IBA_SHADOW_REGULARS);
    }
    if (n->service)
        foreign_service(l, f, n->service);
    return f;
}

struct iba_flow *iba_shadow_flow(struct iba_look *l, const struct iba_flow_key *k)
{
    struct iba_shadow *s = l->s;
    const uint8_t svc = l->opcode >> 5;
    const struct ids id = ids_of(k);
    const struct neighbours n = find(s, &id, svc);

    if (n.own)
        return come_back(l, k, &n);
    if (n.stranger || n.earlier) {
        const uint32_t other = n.stranger ? n.stranger : n.earlier;
        const struct iba_flow *f = iba_shadow_awake(s, other);
        const struct iba_shadow_mark last = f ? f->last : s->cfg.known[other - 1].mark;
        iba_shadow_tell(l, n.stranger ? IBA_FINDING_SPOOF : IBA_FINDING_QP_REUSED, &(struct iba_tell){.cause = &last});
    }
    struct iba_flow *f = seat(s, begin(l, &id, svc), k, false, NULL);
    f->first = s->now;
    f->began = s->packets;
    return f;
}

void iba_shadow_expect(const struct iba_shadow *s, struct iba_expected *e, const struct iba_view *v)
{
    struct iba_flow_key key;

    *e = (struct iba_expected){0};
    if (s->resting == 0 || !iba_view_is_transport(v) || !iba_shadow_key(&key, v))
        return;
    const struct ids id = ids_of(&key);
    e->target = id.target;
    e->any = true;
    __builtin_prefetch(&s->cfg.bucket[home(s, id.target)]);
    iba_shadow_expect_asked(s, &key, v);
}

void iba_shadow_fetch(const struct iba_shadow *s, struct iba_expected *e)
{
    uint32_t at = home(s, e->target);

    e->known = e->any ? next_of(s, &at, e->target) : 0;
    if (e->known)
        fetch(&s->cfg.known[e->known - 1]);
}

uint32_t iba_shadow_fetch_peer(const struct iba_shadow *s, const struct iba_expected *e)
{
    const struct iba_known *k = iba_shadow_known_at(s, e->known);

    if (k && k->flow == 0 && k->peer)
        fetch(&s->cfg.known[k->peer - 1]);
    return k ? k->tag : 0;
}
