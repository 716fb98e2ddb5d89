/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows: the observer finds them by addresses and DestQP, and keeps them in the order of use. When all flows are used,
 * some directions go to rest. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_asked.h"
#include "observer/iba_obs_bucket.h"
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_end.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_memory.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_report.h"

/* A used flow moves to the front of its list, unless it did so within the last n_flow / NEAR packets. */
enum { NEAR = 16, MOST_COMPARED = 8 };
/* Most remembered directions to one QP of a connected service: it has one peer; former peers matter little. */
enum { MOST_SENDERS = 16 };
static uint32_t index_of(const struct iba_observer *s, const struct iba_flow *f)
{
    return (uint32_t)(f - s->flow) + 1;
}

/* Fetches all cache lines of the entry, long before they are read. */
void iba_obs_prefetch(const struct iba_observer *s, uint32_t known)
{
    enum { LINE = 64 };
    const char *const at = (const char *)&s->known[known - 1];

    for (size_t i = 0; i < sizeof *s->known; i += LINE)
        __builtin_prefetch(at + i);
    __builtin_prefetch(at + sizeof *s->known - 1);
    __builtin_prefetch(&s->rests[known - 1]);
}

/* ---- lists: the order of use ---- */

static void leave_list(struct iba_observer *s, struct iba_flow *f)
{
    struct iba_flow *newer = iba_obs_flow_at(s, f->newer), *older = iba_obs_flow_at(s, f->older);

    *(newer ? &newer->older : &s->list[f->list].newest) = f->older;
    *(older ? &older->newer : &s->list[f->list].oldest) = f->newer;
    s->list[f->list].n--;
    f->newer = f->older = 0;
}

static void to_front(struct iba_observer *s, struct iba_flow *f, enum iba_obs_list list)
{
    struct iba_flow *first = iba_obs_flow_at(s, s->list[list].newest);

    f->list = (uint8_t)list;
    f->again = false;
    f->older = s->list[list].newest;
    f->newer = 0;
    f->ordered = s->packets;
    s->list[list].newest = index_of(s, f);
    s->list[list].n++;
    *(first ? &first->newer : &s->list[list].oldest) = s->list[list].newest;
}

static struct iba_flow *unused_longest(const struct iba_observer *s, enum iba_obs_list list,
                                       const struct iba_flow *keep)
{
    struct iba_flow *f = iba_obs_flow_at(s, s->list[list].oldest);

    return f && f == keep ? iba_obs_flow_at(s, f->newer) : f;
}

/* ---- flows get a direction ---- */

/* Calls the library's memset, which is faster than the code that the compiler would place here. */
static void *(*const volatile library_memset)(void *, int, size_t) = memset;
static void zero(void *at, size_t n)
{
    (void)library_memset(at, 0, n);
}

/* Clears everything that the packets of this flow have shown, except the large arrays. Counts and `generation` mark
 * which entries of the large arrays belong to the flow. */
static void clear(struct iba_observer *s, struct iba_flow *f)
{
    const size_t from = offsetof(struct iba_flow, has_pkey);

    zero((char *)f + from, offsetof(struct iba_flow, recent_tag) - from);
    zero(&f->rq, offsetof(struct iba_obs_requests, read));
    f->rq.next_read = f->rq.n_read = 0;
    f->rq.ignored_nak.frame = f->refused.mark.frame = 0;
    f->rq.generation = ++s->generation;
    f->pmtu = s->cfg.pmtu;
    f->pmtu_sure = f->pmtu != 0;
}

void iba_obs_begin_again(struct iba_observer *s, struct iba_flow *f)
{
    iba_obs_settle_alone(s, f);
    iba_obs_report_end(s, f, true);
    if (s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_obs_unpair(s, f);
    clear(s, f);
    f->first = s->now;
    f->began = s->packets;
    s->known[f->known - 1].number = 0;
}

static void put_to_rest(struct iba_observer *s, struct iba_flow *f)
{
    struct iba_known *k = &s->known[f->known - 1];

    iba_obs_settle_alone(s, f);
    leave_list(s, f);
    iba_obs_keep(k, f);
    s->rests[f->known - 1] = f->last.at;
    k->flow = 0;
    f->known = 0;
    s->resting++;
}

/* Returns an unused flow if its list may grow. Otherwise the direction that was unused longest goes to rest. */
static struct iba_flow *take_flow(struct iba_observer *s, enum iba_obs_list list, const struct iba_flow *keep)
{
    const bool room = s->list[list].n < s->list[list].most;
    struct iba_flow *f = iba_obs_flow_at(s, s->spare);

    if (f) {
        s->spare = 0;
        return f;
    }
    if (room && s->n < s->cfg.n_flow)
        return &s->flow[s->n++];
    f = unused_longest(s, room ? IBA_OBS_PROTECTED : list, keep);
    assert(f);
    if (f->list == IBA_OBS_PROBATION && f->again) { /* the flow's second use protects it */
        leave_list(s, f);
        to_front(s, f, IBA_OBS_PROTECTED);
        f = unused_longest(s, IBA_OBS_PROTECTED, keep);
    }
    assert(f); /* a full list holds at least two flows, of which `keep` is one at most */
    put_to_rest(s, f);
    return f;
}

/* Assigns a flow to a direction. The flow's key is still that of its previous direction. */
__attribute__((hot)) static struct iba_flow *take_place(struct iba_observer *s, uint32_t known, bool is_protected,
                                                        const struct iba_flow *keep)
{
    struct iba_known *k = &s->known[known - 1];
    const bool fits = s->list[IBA_OBS_PROTECTED].n < s->list[IBA_OBS_PROTECTED].most;
    const enum iba_obs_list list =
        is_protected || fits || s->list[IBA_OBS_PROBATION].most == 0 ? IBA_OBS_PROTECTED : IBA_OBS_PROBATION;
    struct iba_flow *f = take_flow(s, list, keep);

    clear(s, f);
    f->svc = k->svc;
    f->known = known;
    k->flow = index_of(s, f);
    s->rests[known - 1] = IBA_NEVER;
    to_front(s, f, list);
    return f;
}

static void reverse(struct iba_flow_key *k, const struct iba_flow_key *opposite, uint32_t qpn)
{
    k->kind = opposite->kind;
    k->qpn = qpn;
    memcpy(k->dst, opposite->src, sizeof k->dst);
    memcpy(k->src, opposite->dst, sizeof k->src);
}

struct iba_flow *iba_obs_activate(struct iba_observer *s, uint32_t known, const struct iba_view *v,
                                  const struct iba_flow *opposite)
{
    const struct iba_known *k = &s->known[known - 1];
    const iba_time at = s->rests[known - 1];

    if (k->flow)
        return &s->flow[k->flow - 1];
    struct iba_flow *f = take_place(s, known, (uint32_t)s->packets - k->touched < s->cfg.n_flow, opposite);
    if (v)
        iba_obs_key(&f->key, v);
    else if (opposite)
        reverse(&f->key, &opposite->key, k->qpn);
    else
        f->key = (struct iba_flow_key){.qpn = k->qpn};
    iba_obs_resume(f, k, at);
    s->resting--;
    return f;
}

struct iba_flow *iba_obs_activate_peer(struct iba_observer *s, struct iba_flow *f)
{
    return f->peer == 0 ? NULL : iba_obs_activate(s, f->peer, NULL, f);
}

struct iba_flow *iba_obs_activate_opposite(struct iba_look *l, uint32_t known)
{
    const struct iba_known *k = &l->s->known[known - 1];

    if (k->flow == 0 && k->peer)
        return NULL;
    const struct iba_direction *id = iba_obs_id(l);
    const bool opposite = k->target == iba_obs_target_of(id->from, k->qpn) && k->source == iba_obs_source_of(id->to);
    return opposite ? iba_obs_activate(l->s, known, NULL, l->flow) : NULL;
}

size_t iba_observer_shrink(struct iba_observer *s, uint32_t n_flow)
{
    assert(n_flow >= 2 && n_flow <= s->cfg.n_flow && s->spare == 0);
    for (uint32_t i = n_flow; i < s->n; i++)
        put_to_rest(s, &s->flow[i]);
    s->n = s->n < n_flow ? s->n : n_flow;
    memset(s->last_found, 0, sizeof s->last_found);
    s->cfg.n_flow = n_flow;
    iba_obs_share(s);
    return iba_obs_bytes(s);
}

/* ---- directions that are remembered ---- */

/* Looks at some directions at rest, from index *hand on. Returns the one that was seen longest ago; 0: none rests. */
static uint32_t oldest_of_some(const struct iba_observer *s, uint32_t *hand)
{
    uint32_t best = 0;

    for (uint32_t i = 0, left = MOST_COMPARED; i < s->n_known && left > 0; i++) {
        *hand = *hand == s->n_known ? 1 : *hand + 1;
        const iba_time at = s->rests[*hand - 1];
        if (at == IBA_NEVER)
            continue;
        left--;
        best = best == 0 || at < s->rests[best - 1] ? *hand : best;
    }
    return best;
}

/* Prefetches memory for the next two directions to forget: the bucket of one, and the entry of the other. */
static void fetch_next_to_forget(const struct iba_observer *s)
{
    uint32_t hand = s->clock_hand;
    const uint32_t next = oldest_of_some(s, &hand), after = oldest_of_some(s, &hand);

    if (next)
        __builtin_prefetch(&s->bucket[iba_obs_bucket_home(s, iba_obs_place_of(&s->known[next - 1]))]);
    if (after)
        iba_obs_prefetch(s, after);
}

/* Chooses a direction to forget. When none rests, chooses the direction whose flow was unused longest. */
static uint32_t to_forget(struct iba_observer *s)
{
    if (s->resting == 0) {
        const struct iba_flow *f = unused_longest(s, IBA_OBS_PROTECTED, NULL);
        assert(f); /* no direction rests, so each has a flow */
        return f->known;
    }
    const uint32_t best = oldest_of_some(s, &s->clock_hand);
    fetch_next_to_forget(s);
    return best;
}

static void forget(struct iba_look *l, uint32_t known)
{
    struct iba_observer *s = l->s;
    struct iba_known *k = &s->known[known - 1];
    struct iba_flow *f = iba_obs_flow_at(s, k->flow);
    const struct iba_obs_mark last = f ? f->last : k->mark;

    s->evicted++;
    if (f)
        iba_obs_settle_alone(s, f);
    iba_obs_report(l, IBA_FINDING_EVICTED, &(struct iba_obs_detail){.cause = &last});
    if (f && s->cfg.forget)
        s->cfg.forget(s->cfg.ctx, f);
    iba_obs_set_peer(s, f ? f->peer : k->peer, 0, false);
    iba_obs_bucket_remove(s, known);
    if (f) {
        leave_list(s, f);
        f->known = 0;
        s->spare = index_of(s, f);
    } else
        s->resting--;
}

struct neighbours { /* directions to the same QP */
    /* own: the packet's direction; stranger: a direction from another sender; service: one of another service */
    uint32_t own, stranger, service;
    uint32_t earlier;         /* a direction from another sender that has been quiet for long */
    uint32_t senders, oldest; /* other senders: number, longest unseen */
    iba_time oldest_at;
};

static bool is_paired(const struct iba_observer *s, const struct iba_known *k)
{
    const struct iba_flow *f = iba_obs_flow_at(s, k->flow);

    return f ? f->peer && !f->guess : k->peer && !k->guess;
}

/* Notes direction `i`, which another sender uses for the packet's QP. */
static void compare(struct neighbours *n, const struct iba_observer *s, uint32_t i, uint8_t svc)
{
    const struct iba_known *k = &s->known[i - 1];
    const iba_time at = iba_obs_seen_at(s, i);

    if (n->senders++ == 0 || at < n->oldest_at) {
        n->oldest = i;
        n->oldest_at = at;
    }
    if (k->svc == svc && is_paired(s, k))
        *(s->now.at - at >= s->cfg.rest_ns ? &n->earlier : &n->stranger) = i;
}

/* Returns the next direction to this QP with this hash; 0: there is no more. */
static uint32_t next_to(const struct iba_observer *s, uint32_t *at, uint64_t target, uint32_t qpn)
{
    for (uint32_t i; (i = iba_obs_bucket_next(s, at, iba_obs_place(target))) != 0;) {
        const struct iba_known *k = &s->known[i - 1];
        if (k->target == target && k->qpn == qpn)
            return i;
    }
    return 0;
}

/* Finds the packet's direction, and one of another service. */
__attribute__((hot)) static void look_at(struct neighbours *n, const struct iba_observer *s,
                                         const struct iba_direction *id, uint8_t svc, bool connected)
{
    const uint32_t source = iba_obs_source_of(id->from);
    const uint64_t target = iba_obs_target(id, connected);

    for (uint32_t at = iba_obs_bucket_home(s, iba_obs_place(target)), i; (i = next_to(s, &at, target, id->qpn)) != 0;) {
        if (s->known[i - 1].source != source)
            continue;
        *(s->known[i - 1].svc == svc ? &n->own : &n->service) = i;
        if (n->own == i && !s->known[i - 1].shared)
            return;
    }
}

/* Compares a direction that is new with those of other senders to its QP. */
static void compare_all(struct neighbours *n, const struct iba_observer *s, const struct iba_direction *id, uint8_t svc)
{
    const uint64_t target = iba_obs_target(id, true);

    for (uint32_t at = iba_obs_bucket_home(s, iba_obs_place(target)), i; (i = next_to(s, &at, target, id->qpn)) != 0;)
        if (s->known[i - 1].source != iba_obs_source_of(id->from))
            compare(n, s, i, svc);
}

__attribute__((hot)) static void find(struct neighbours *n, const struct iba_observer *s,
                                      const struct iba_direction *id, uint8_t svc)
{
    *n = (struct neighbours){0};
    look_at(n, s, id, svc, iba_obs_is_connected(svc));
    if (!n->own || s->known[n->own - 1].shared)
        look_at(n, s, id, svc, !iba_obs_is_connected(svc));
    if (!n->own)
        compare_all(n, s, id, svc);
}

static iba_psn last_psn(const struct iba_flow *f)
{
    return f->recent[(f->next_recent + IBA_OBS_RECENT - 1) % IBA_OBS_RECENT].psn;
}

/* A QP has one service, so a packet of another service in the middle of the connection's packets is an error. A QP
 * number that has passed to another connection is no error. Manufacturer specific services are not judged. */
static void foreign_service(struct iba_look *l, const struct iba_flow *own, uint32_t service)
{
    struct iba_flow *f = iba_obs_active(l->s, service);

    if (!f || iba_opcode_is_vendor((uint8_t)(f->svc << 5)) || iba_opcode_is_vendor(l->opcode))
        return;
    if (f->began > own->touched && f->last.frame != 0 && l->s->now.at - own->last.at < l->s->cfg.rest_ns)
        iba_obs_report_of(l->s, f, IBA_FINDING_SERVICE, &f->last,
                          &(struct iba_obs_detail){.cause = &own->last, .wait_ns = l->s->now.at - f->last.at},
                          last_psn(f));
}

struct iba_flow *iba_obs_known(struct iba_look *l)
{
    struct neighbours n;

    find(&n, l->s, iba_obs_id(l), l->opcode >> 5);
    return n.own ? iba_obs_activate(l->s, n.own, l->v, NULL) : NULL;
}

/* Moves a flow that is used again forward in the order of use. */
static void use(struct iba_observer *s, struct iba_flow *f)
{
    if (f->list == IBA_OBS_PROBATION)
        f->again = true;
    else if (s->packets - f->ordered >= s->cfg.n_flow / NEAR) {
        leave_list(s, f);
        to_front(s, f, IBA_OBS_PROTECTED);
    }
}

static struct iba_flow *come_back(struct iba_look *l, uint32_t known)
{
    struct iba_observer *s = l->s;
    const struct iba_known *k = &s->known[known - 1];
    struct iba_flow *f = iba_obs_flow_at(s, k->flow);

    if (!f) {
        if (k->peer && l->op && l->op->dir == IBA_RSP)
            iba_obs_prefetch(s, k->peer);
        return iba_obs_activate(s, known, l->v, NULL);
    }
    use(s, f);
    return f;
}

/* Remembers a direction. It replaces another one if there is no room, or if too many directions go to this QP. */
static uint32_t begin(struct iba_look *l, uint8_t svc, const struct neighbours *n)
{
    struct iba_observer *s = l->s;
    const bool crowd = iba_obs_is_connected(svc) && n->senders >= MOST_SENDERS;
    const bool room = !crowd && s->n_known < s->cfg.n_known;
    const uint32_t i = crowd ? n->oldest : room ? ++s->n_known : to_forget(s);

    if (!room)
        forget(l, i);
    s->known[i - 1] = (struct iba_known){.target = iba_obs_target(&l->id, iba_obs_is_connected(svc)),
                                         .source = iba_obs_source_of(l->id.from),
                                         .qpn = l->id.qpn,
                                         .svc = svc};
    iba_obs_bucket_add(s, i);
    return i;
}

static uint32_t *last_found(struct iba_observer *s, uint32_t qpn)
{
    return &s->last_found[qpn % IBA_OBS_LAST_FOUND];
}

/* Returns the flow last found for this QP number, if the packet belongs to that flow; NULL: a search is needed. */
static struct iba_flow *found_recently(const struct iba_look *l, uint8_t svc)
{
    const uint32_t qpn = iba_bth_destqp(l->bth);
    struct iba_flow *f = iba_obs_flow_at(l->s, *last_found(l->s, qpn));

    return f && f->svc == svc && f->key.qpn == qpn && iba_obs_is_between(&f->key, l->v) ? f : NULL;
}

struct iba_flow *iba_obs_flow(struct iba_look *l)
{
    struct iba_observer *s = l->s;
    const uint8_t svc = l->opcode >> 5;
    struct iba_flow *f = found_recently(l, svc);
    struct neighbours n;

    if (f) {
        use(s, f);
        return f;
    }
    find(&n, s, iba_obs_id(l), svc);
    if (n.own) {
        f = come_back(l, n.own);
        if (!s->known[n.own - 1].shared)
            *last_found(s, l->id.qpn) = index_of(s, f);
        if (n.service)
            foreign_service(l, f, n.service);
        return f;
    }
    __builtin_prefetch(iba_obs_chain_of_packet(s, &l->id, l->psn, l->op && l->op->dir == IBA_RSP));
    *last_found(s, l->id.qpn) = 0; /* the QP may have two services from now on */
    if (n.stranger || n.earlier) {
        const uint32_t other = n.stranger ? n.stranger : n.earlier;
        const struct iba_flow *before = iba_obs_active(s, other);
        const struct iba_obs_mark last = before ? before->last : s->known[other - 1].mark;
        iba_obs_report(l, n.stranger ? IBA_FINDING_SPOOF : IBA_FINDING_QP_REUSED,
                       &(struct iba_obs_detail){.cause = &last});
    }
    const uint32_t new = begin(l, svc, &n);
    if (n.service)
        s->known[new - 1].shared = s->known[n.service - 1].shared = true;
    f = take_place(s, new, false, NULL);
    iba_obs_key(&f->key, l->v);
    f->first = s->now;
    f->began = s->packets;
    return f;
}

__attribute__((hot)) void iba_observer_expect(const struct iba_observer *s, struct iba_expected *e,
                                              const struct iba_view *v)
{
    e->view = v;
    e->known = 0;
    e->any = iba_view_is_transport(v) && iba_obs_identify(&e->id, v, s->cfg.seed);
    if (!e->any)
        return;
    e->place = iba_obs_place(iba_obs_target(&e->id, iba_obs_is_connected(iba_bth_opcode(iba_view_bth(v)) >> 5)));
    __builtin_prefetch(&s->bucket[iba_obs_bucket_home(s, e->place)]);
}

__attribute__((hot)) void iba_observer_fetch(const struct iba_observer *s, struct iba_expected *e)
{
    if (!e->any)
        return;
    uint32_t at = iba_obs_bucket_home(s, e->place);
    e->known = iba_obs_bucket_next(s, &at, e->place);
    if (e->known)
        iba_obs_prefetch(s, e->known);
    else { /* for a new direction, the next steps search the other services and the direction's peer */
        const bool connected = iba_obs_is_connected(iba_bth_opcode(iba_view_bth(e->view)) >> 5);
        __builtin_prefetch(&s->bucket[iba_obs_bucket_home(s, iba_obs_place(iba_obs_target(&e->id, !connected)))]);
        __builtin_prefetch(iba_obs_chain_expected(s, e));
    }
}
