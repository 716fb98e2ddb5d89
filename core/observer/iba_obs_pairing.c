/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs. The observer matches the direction of a response with the direction whose requests it answers, by addresses
 * and PSNs. The two directions of a pair share the path MTU. */
#include <limits.h>
#include <string.h>
#include "observer/iba_obs_pairing.h"
#include "observer/iba_obs_asked.h"
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_message.h"
#include "observer/iba_obs_peer.h"
#include "observer/iba_obs_reason.h"
#include "observer/iba_obs_record.h"
#include "observer/iba_obs_report.h"

enum { MOST_TRIES = 64, MOST_LOOKED_AT = 32 };

/* ---- parts of a capture ----
 *
 * An observer of the whole capture searches only the flows that were used last, and its table has room for a limited
 * number of requests. So its result may depend on connections between other addresses. An observer of a part of the
 * capture searches all its flows. Where it finds no flow, the observer of the whole capture finds none either. */

static void depend(const struct iba_look *l)
{
    l->s->depends = true;
}

static unsigned most_looked_at(const struct iba_look *l)
{
    return l->s->cfg.part ? UINT_MAX : MOST_LOOKED_AT;
}

/* True when `psn` answers a request of `f`, or one that `f` may have sent just before the capture began. */
static bool answers(struct iba_flow *f, iba_psn psn)
{
    struct iba_obs_requests *q = &f->rq;
    const iba_psn from = q->answered ? iba_psn_add(q->una, IBA_PSN_MASK) : iba_psn_of(q->first.v - IBA_OBS_SENT);

    if (!q->any)
        return false;
    if (iba_obs_sent_at(q, psn) || iba_obs_read_at(q, psn))
        return true;
    if (f->began == 0 && !q->answered) /* the direction has rested, so its first PSN is no longer known */
        return false;
    return iba_psn_diff(psn, from) >= 0 && iba_psn_diff(psn, q->high) < 0 && iba_psn_diff(psn, from) < 1 << 20;
}

/* True when `psn` may answer a request from before the capture. The capture has just begun, and shows only
 * retransmissions. */
static bool may_answer(const struct iba_observer *s, const struct iba_flow *f, iba_psn psn)
{
    const struct iba_obs_requests *q = &f->rq;
    const int32_t beyond = iba_psn_diff(psn, q->high);

    return q->any && !q->answered && f->began != 0 && beyond >= 0 && beyond < IBA_OBS_SENT &&
           s->now.at - f->first.at < IBA_OBS_FLIGHT_NS;
}

/* Responses may have come before the pair was found, or the pair is a guess. The observer judges only the responses
 * from here on. */
static void take_over(struct iba_obs_requests *q, iba_psn psn)
{
    for (unsigned i = 0; i < q->n_read; i++) {
        struct iba_obs_read *r = &q->read[i];
        if (r->used && iba_psn_diff(psn, r->psn) > 0)
            r->expect = r->seen =
                r->n == 0 || iba_psn_diff(psn, iba_psn_add(r->psn, r->n)) < 0 ? psn : iba_psn_add(r->psn, r->n);
    }
}

/* ---- requests that wait for a peer ----
 *
 * The observer remembers the newest n_asked requests of directions without a peer. Each has a serial number, so the
 * packets alone decide which request is forgotten. Requests with the same place are in one chain, from new to old; a
 * chain has at most one request with the same PSN and addresses. The seed decides only which requests share a chain. */

static uint32_t who(const struct iba_obs_asked *e)
{
    return e->known & ~IBA_OBS_SEVERAL;
}

/* Returns the link of a chain that leads to the request; NULL: the request is not remembered. */
static uint32_t *link_to(const struct iba_observer *s, uint64_t hash)
{
    uint32_t *link = iba_obs_chain_of(s, hash);

    for (struct iba_obs_asked *e; (e = iba_obs_asked_at(s, *link)) != NULL; link = &e->before)
        if (e->hash == hash)
            return link;
    return NULL;
}

static bool has_peer(const struct iba_observer *s, uint32_t known)
{
    const struct iba_flow *f = iba_obs_active(s, known);

    return f ? f->peer != 0 : s->known[known - 1].peer != 0;
}

/* Remembers the request, so that its response finds the direction. Requests of several connections may have the same
 * PSN. */
void iba_obs_wait_for_peer(struct iba_look *l)
{
    struct iba_observer *s = l->s;

    if (l->flow->peer)
        return;
    const struct iba_direction *id = iba_obs_id(l);
    const uint64_t hash = iba_obs_hash_asked(id->from, id->to, l->psn);
    uint32_t *const chain = iba_obs_chain_of(s, hash), *const same = link_to(s, hash);
    struct iba_obs_asked new = {.hash = hash, .known = l->flow->known};

    if (same) {
        const struct iba_obs_asked *e = iba_obs_asked_at(s, *same);
        const bool several = who(e) == new.known ? (e->known & IBA_OBS_SEVERAL) != 0 : !has_peer(s, who(e));
        new.known |= several ? IBA_OBS_SEVERAL : 0;
        *same = e->before;
    }
    new.before = iba_obs_asked_at(s, *chain) ? *chain : 0;
    s->last_asked += s->last_asked == UINT32_MAX ? 2 : 1; /* no request has the number 0 */
    s->asked[s->last_asked & (s->cfg.n_asked - 1)] = new;
    *chain = s->last_asked;
}

static bool opposite(const struct iba_flow_key *a, const struct iba_flow_key *b)
{
    return a->kind == b->kind && memcmp(a->src, b->dst, sizeof a->src) == 0 &&
           memcmp(a->dst, b->src, sizeof a->dst) == 0;
}

/* The packets of `g` go the opposite way between the same two hosts, by the same service. */
static bool may_answer_to(const struct iba_look *l, const struct iba_flow *g)
{
    return g != l->flow && g->svc == l->flow->svc && opposite(&l->flow->key, &g->key);
}

static bool may_be_peer(const struct iba_look *l, struct iba_flow *g)
{
    return may_answer_to(l, g) && !g->peer;
}

/* Walks over the flows that were used last, over `left` of them at most. */
struct walk {
    unsigned list, left;
    const struct iba_flow *at; /* the previous flow; NULL: the walk begins with the list's first flow */
};
/* The next flow that goes the other way between the same two hosts; NULL: none is left. */
static struct iba_flow *next_opposite(const struct iba_look *l, struct walk *w)
{
    while (w->left > 0 && w->list < IBA_OBS_LISTS) {
        struct iba_flow *const g = iba_obs_flow_at(l->s, w->at ? w->at->older : l->s->list[w->list].newest);
        w->at = g;
        if (!g) {
            w->list++;
            continue;
        }
        w->left--;
        if (may_answer_to(l, g))
            return g;
    }
    return NULL;
}
/* Returns the next flow that goes the opposite way and has no peer; NULL: none is left. */
static struct iba_flow *next_candidate(const struct iba_look *l, struct walk *w)
{
    struct iba_flow *g;

    do
        g = next_opposite(l, w);
    while (g && g->peer);
    return g;
}

/* So many packets came since the request that an observer of the whole capture may have forgotten the request. */
static bool may_be_forgotten(const struct iba_look *l, struct iba_flow *f)
{
    const uint64_t now = l->s->now.frame, most = l->s->cfg.n_asked;
    const struct iba_obs_sent *sent = iba_obs_sent_at(&f->rq, l->psn);
    const struct iba_obs_read *read = iba_obs_read_at(&f->rq, l->psn);
    const struct iba_obs_mark *mark = read ? &read->mark : sent ? &sent->mark : NULL;

    return now > most && (!mark || now - mark->frame >= most);
}

/* Returns the direction that last sent a request with this PSN. Wakes the direction when it is at rest. */
static struct iba_flow *who_asked(struct iba_look *l, bool *several)
{
    const struct iba_direction *id = iba_obs_id(l);
    const uint32_t *const link = link_to(l->s, iba_obs_hash_asked(id->to, id->from, l->psn));
    const struct iba_obs_asked *e = link ? iba_obs_asked_at(l->s, *link) : NULL;

    *several = e && (e->known & IBA_OBS_SEVERAL) != 0;
    struct iba_flow *const f = e ? iba_obs_activate_opposite(l, who(e)) : NULL;
    if (f && (*several || may_be_forgotten(l, f)))
        depend(l);
    return f;
}

void iba_obs_confirm_pair(struct iba_observer *s, struct iba_flow *f)
{
    iba_obs_set_peer(s, f->peer, f->known, false);
    iba_obs_set_peer(s, f->known, f->peer, false);
}

static void join(struct iba_look *l, struct iba_flow *other, bool guess)
{
    struct iba_flow *f = l->flow;
    const struct iba_flow *knows = f->pmtu_sure || !other->pmtu ? f : other;

    iba_obs_set_peer(l->s, f->known, other->known, guess);
    iba_obs_set_peer(l->s, other->known, f->known, guess);
    if (knows->pmtu)
        iba_obs_learn_pmtu(l->s, f, knows->pmtu, knows->pmtu_sure);
    l->peer = other;
}

static void take_peer(struct iba_look *l);

/* True when the response also fits a direction whose peer is a guess. Connections of the same two hosts often begin
 * with the same PSN, so the only direction left without a peer need not belong to this response. */
static bool fits_guessed(const struct iba_look *l)
{
    struct walk w = {.left = most_looked_at(l)};

    for (struct iba_flow *g; (g = next_opposite(l, &w));)
        if (g->peer && g->guess && !g->once && l->s->now.at - g->last.at < IBA_OBS_FLIGHT_NS && answers(g, l->psn)) {
            depend(l);
            return true;
        }
    return false;
}

/* Looks for the peer by the PSN of a request. Then searches the flows that were used last, also to learn whether
 * several of them fit. */
void iba_obs_pair(struct iba_look *l)
{
    struct iba_observer *s = l->s;
    struct iba_flow *f = l->flow, *best = NULL;
    struct iba_flow *maybe = NULL;
    unsigned fits = 0, may_fit = 0;
    struct walk w = {.left = most_looked_at(l)};

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
    if (fits > (known && best == known) || (!best && may_fit > 0))
        depend(l);
    if (!best && may_fit == 1 && s->n_known <= MOST_LOOKED_AT)
        best = maybe;
    if (!best) {
        take_peer(l);
        return;
    }
    /* A direction at rest might have fitted, too. */
    const bool once = fits == 1 && best == known && s->resting > 0;
    const bool guess = fits > 1 || once || (best != known && s->n_known > MOST_LOOKED_AT) || fits_guessed(l);
    join(l, best, guess);
    f->once = once;
    if (guess || f->responses > 1 || f->began == 0)
        take_over(&best->rq, l->psn);
}

/* ---- another connection of a QP, which connection management does not report ---- */

/* The request of `f` at exactly this PSN that has no answer yet; NULL: there is none. */
static const struct iba_obs_mark *waits_for(struct iba_flow *f, iba_psn psn)
{
    struct iba_obs_requests *q = &f->rq;
    const struct iba_obs_read *r = iba_obs_read_at(q, psn);
    const struct iba_obs_sent *e = iba_obs_sent_at(q, psn);

    if (!q->any || iba_obs_is_answered(q, psn))
        return NULL;
    return r ? &r->mark : e ? &e->mark : NULL;
}

/* The direction has sent nothing for `pause`, and nothing since the request `asked`. */
static bool left_before(const struct iba_observer *s, uint32_t known, const struct iba_obs_mark *asked, iba_time pause)
{
    const iba_time last = iba_obs_seen_at(s, known);

    return last < asked->at && s->now.at - last >= pause;
}

/* The response answers no request of its pair. The response answers a request of another direction between the same two
 * addresses, and the pair has been quiet. So this QP has a new peer, which uses these PSNs. A responder that repeats
 * its last acknowledgement may report new credits (RR-22), even after a long time. */
void iba_obs_pair_again(struct iba_look *l)
{
    const struct iba_obs_requests *q = &l->peer->rq;
    const bool last = q->answered && iba_psn_eq(iba_psn_add(l->psn, 1), q->una);
    const struct iba_obs_mark before = l->flow->last;
    bool several;
    struct iba_flow *const g = who_asked(l, &several);
    const struct iba_obs_mark *asked = g && !several && may_be_peer(l, g) ? waits_for(g, l->psn) : NULL;

    if (!asked || !left_before(l->s, l->peer->known, asked, last ? l->s->cfg.rest_ns : IBA_OBS_FLIGHT_NS))
        return;
    iba_obs_begin_again(l->s, l->flow);
    iba_obs_report(l, IBA_FINDING_QP_REUSED,
                   &(struct iba_obs_detail){.cause = &before, .wait_ns = l->s->now.at - before.at});
    join(l, g, false);
    take_over(&g->rq, l->psn);
}

/* The opposite case of iba_obs_pair_again(): a requester goes on while its previous peer is quiet, and a new direction
 * answers. Returns that requester's direction; NULL: there is none, or there are several. */
static struct iba_flow *who_lost_its_peer(const struct iba_look *l)
{
    struct iba_flow *found = NULL;
    struct walk w = {.left = most_looked_at(l)};

    for (struct iba_flow *g; (g = next_opposite(l, &w));) {
        const struct iba_obs_mark *asked = g->peer ? waits_for(g, l->psn) : NULL;
        if (!asked || !left_before(l->s, g->peer, asked, IBA_OBS_FLIGHT_NS))
            continue;
        depend(l);
        if (found)
            return NULL;
        found = g;
    }
    return found;
}

static void take_peer(struct iba_look *l)
{
    struct iba_flow *const g = who_lost_its_peer(l);

    if (!g)
        return;
    const struct iba_flow *f = iba_obs_active(l->s, g->peer);
    const struct iba_obs_mark last = f ? f->last : l->s->known[g->peer - 1].mark;
    iba_obs_unpair(l->s, g);
    iba_obs_report(l, IBA_FINDING_QP_REUSED,
                   &(struct iba_obs_detail){.cause = &last, .wait_ns = l->s->now.at - last.at});
    g->rq.counts = g->rq.miscounts = false;
    g->rq.fatal.frame = g->rq.ignored_nak.frame = 0;
    join(l, g, false);
    take_over(&g->rq, l->psn);
}

bool iba_obs_another_began(const struct iba_look *l)
{
    struct walk w = {.left = most_looked_at(l)};
    bool any = false;

    for (const struct iba_flow *g; !any && (g = next_candidate(l, &w));)
        any = g->began != 0 && g->first.at > l->flow->last.at;
    if (any)
        depend(l);
    return any;
}

/* The requester goes back to the refused PSN. The capture may lack the first retransmissions, or they are late. */
static bool goes_back_to(const struct iba_look *l, const struct iba_obs_reason *refused)
{
    const int32_t lost = iba_psn_diff(l->psn, refused->psn);

    return lost >= 0 && lost <= IBA_OBS_MOST_BEGINNING && iba_obs_is_recent(l, refused);
}

void iba_obs_pair_by_refusal(struct iba_look *l)
{
    struct iba_flow *f = l->flow, *best = NULL;
    struct walk w = {.left = most_looked_at(l)};
    unsigned fits = 0;

    if (f->peer || f->tries >= MOST_TRIES)
        return;
    f->tries++;
    for (struct iba_flow *g; (g = next_candidate(l, &w));)
        if (goes_back_to(l, &g->refused)) {
            best = best ? best : g;
            fits++;
        }
    if (!best)
        return;
    depend(l);
    join(l, best, fits > 1);
    f->rq.pending = best->refused;
}

const struct iba_flow *iba_observer_peer(const struct iba_observer *s, const struct iba_flow *f)
{
    return iba_obs_active(s, f->peer);
}

__attribute__((hot)) uint32_t iba_observer_fetch_peer(const struct iba_observer *s, const struct iba_expected *e)
{
    const struct iba_known *k = iba_obs_known_at(s, e->known);

    if (e->any && !k) { /* iba_observer_fetch() has fetched the chain */
        const struct iba_obs_asked *newest = iba_obs_asked_at(s, *iba_obs_chain_expected(s, e));
        if (newest)
            __builtin_prefetch(newest);
    } else if (k && (k->source != iba_obs_source_of(e->id.from) || (k->flow == 0 && k->peer == 0)))
        __builtin_prefetch(iba_obs_chain_expected(s, e));
    else if (k && k->flow == 0)
        iba_obs_prefetch(s, k->peer);
    return k ? k->number : 0;
}
