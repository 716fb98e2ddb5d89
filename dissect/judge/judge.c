/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/judge.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "input/merge.h"
#include "judge/message.h"

/* An observer's tag: which file, and the packet's number in it. */
enum { SOURCE_BITS = 8 };
_Static_assert(CAP_MERGE_MAX < 1 << SOURCE_BITS, "a source fits the tag");

enum { PATH_BUCKETS = 1 << 14 };

struct slot {           /* what a flow of the observer is to us */
    uint32_t direction; /* id plus 1; 0: none */
    iba_psn una;        /* of its requests, behind the last that is known to be answered */
    bool has_una;
};
struct judge {
    struct judge_config cfg;
    struct iba_observer observer;
    struct iba_flow *flow;
    struct iba_known *known;
    uint32_t *bucket, *asked;
    struct slot *slot;
    struct direction *direction;
    struct path *path;
    uint32_t path_bucket[PATH_BUCKETS]; /* index plus 1 */
    uint32_t n_path;
    bool many;                              /* some directions are at rest */
    struct iba_expected ahead[JUDGE_AHEAD]; /* packets that are judged next, in this order */
    unsigned n_ahead, next_ahead;
    struct messages *messages; /* NULL: not followed */
    uint32_t n;
    uint64_t beyond;
    const char *file[CAP_MERGE_MAX + 1];
    iba_time now;
    uint64_t frame; /* of the packet at hand; 0 behind the end */
    struct verdict verdict;
};

static const struct path *path_of(struct judge *j, const struct iba_flow_key *k)
{
    uint64_t h = k->kind;

    for (unsigned at = 0; at < 128; at += 64)
        h = ((h ^ iba_bits_get(k->src, at, 64)) * UINT64_C(0x9e3779b97f4a7c15)) ^ iba_bits_get(k->dst, at, 64);
    uint32_t *bucket = &j->path_bucket[(h * UINT64_C(0x9e3779b97f4a7c15) >> 32) % PATH_BUCKETS];
    for (uint32_t i = *bucket; i; i = j->path[i - 1].chain) {
        const struct path *p = &j->path[i - 1];
        if (p->kind == k->kind && memcmp(p->src, k->src, sizeof p->src) == 0 &&
            memcmp(p->dst, k->dst, sizeof p->dst) == 0)
            return p;
    }
    struct path *p = &j->path[j->n_path++]; /* no more than directions */
    p->chain = *bucket;
    p->kind = k->kind;
    memcpy(p->src, k->src, sizeof p->src);
    memcpy(p->dst, k->dst, sizeof p->dst);
    *bucket = j->n_path;
    return p;
}

static struct direction *direction_of(struct judge *j, const struct iba_flow *f)
{
    uint32_t *tag = &j->known[f->known - 1].tag;

    if (*tag)
        return &j->direction[*tag - 1];
    if (j->n == JUDGE_DIRECTIONS) {
        j->beyond++;
        return NULL;
    }
    struct direction *d = &j->direction[j->n];
    *d = (struct direction){.id = j->n, .path = path_of(j, &f->key), .qpn = f->key.qpn, .svc = f->svc};
    *tag = ++j->n;
    return d;
}

static void know_source(struct direction *d, uint32_t qpn)
{
    d->source_qp = qpn;
    d->knows_source_qp = true;
}

/* What the observer has learned since. A pairing, which responses are looked at for, may turn out to have been wrong.
 */
static void follow(struct judge *j, struct direction *d, const struct iba_flow *f, bool response)
{
    if (f->pmtu != d->pmtu && f->pmtu != 0)
        d->pmtu = (uint16_t)f->pmtu;
    if (f->has_qkey)
        know_source(d, f->src_qp);
    if (f->peer == 0) {
        d->peer = d->guess ? 0 : d->peer;
        d->knows_source_qp &= !d->guess;
        d->guess = false;
        return;
    }
    if (!response && d->peer != 0 && d->guess == f->guess)
        return;
    const struct iba_flow *peer = iba_observer_peer(&j->observer, f);
    if (peer && d->peer == j->known[peer->known - 1].tag && d->guess == f->guess)
        return;
    struct direction *other = peer ? direction_of(j, peer) : NULL;
    if (!other)
        return;
    other->pmtu = peer->pmtu ? (uint16_t)peer->pmtu : other->pmtu;
    d->guess = other->guess = f->guess;
    if (d->peer == other->id + 1)
        return;
    d->peer = other->id + 1;
    other->peer = d->id + 1;
    know_source(d, other->qpn);
    know_source(other, d->qpn);
}

static const char *file_of(const struct judge *j, uint64_t tag)
{
    return j->file[tag & ((1 << SOURCE_BITS) - 1)];
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct judge *j = ctx;
    struct verdict *v = &j->verdict;
    struct judged one = {.finding = *f,
                         .direction = f->flow ? direction_of(j, f->flow) : NULL,
                         .file = file_of(j, f->tag),
                         .cause_file = f->cause ? file_of(j, f->cause_tag) : NULL,
                         .file_number = f->tag >> SOURCE_BITS};

    one.finding.flow = NULL;
    if (f->frame != j->frame) {
        if (j->cfg.late)
            j->cfg.late(j->cfg.ctx, &one);
        return;
    }
    verdict_add(v, &one);
}

struct judge *judge_open(const struct judge_config *cfg)
{
    struct judge *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->cfg = *cfg;
    j->flow = calloc(JUDGE_FLOWS, sizeof *j->flow);
    j->slot = calloc(JUDGE_FLOWS, sizeof *j->slot);
    j->known = calloc(JUDGE_DIRECTIONS, sizeof *j->known);
    j->bucket = calloc((size_t)IBA_OBS_BUCKETS * JUDGE_DIRECTIONS, sizeof *j->bucket);
    j->asked = calloc(JUDGE_DIRECTIONS, sizeof *j->asked);
    j->direction = calloc(JUDGE_DIRECTIONS, sizeof *j->direction);
    j->path = calloc(JUDGE_DIRECTIONS, sizeof *j->path);
    if (cfg->message)
        j->messages = messages_open(JUDGE_FLOWS, cfg->message, cfg->ctx);
    if (!j->flow || !j->slot || !j->known || !j->bucket || !j->asked || !j->direction || !j->path ||
        (cfg->message && !j->messages)) {
        judge_close(j);
        return NULL;
    }
    iba_observer_init(&j->observer, &(struct iba_observer_config){.flow = j->flow,
                                                                  .n_flow = JUDGE_FLOWS,
                                                                  .known = j->known,
                                                                  .bucket = j->bucket,
                                                                  .n_known = JUDGE_DIRECTIONS,
                                                                  .asked = j->asked,
                                                                  .n_asked = JUDGE_DIRECTIONS,
                                                                  .zeroed = true,
                                                                  .pmtu = cfg->pmtu,
                                                                  .report = on_finding,
                                                                  .ctx = j});
    return j;
}

/* The request that a response of this flow answers at its PSN, as the other direction last sent it. */
static const struct iba_obs_mark *request_of(const struct iba_obs_requests *q, iba_psn psn)
{
    const struct iba_obs_sent *sent = iba_obs_request_at(q, psn);
    const struct iba_obs_mark *m = sent ? &sent->mark : NULL;

    for (unsigned i = 0; i < q->n_read; i++) {
        const struct iba_obs_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(psn, r->psn);
        if (r->used && d >= 0 && (uint32_t)d < (r->n ? r->n : 1) && (!m || r->mark.frame > m->frame))
            m = &r->mark;
    }
    return m;
}

static void link_to_request(struct judge *j, const struct iba_view *view, const struct iba_flow *f)
{
    const struct iba_flow *peer =
        view->op && view->op->dir == IBA_RSP && !f->guess ? iba_observer_peer(&j->observer, f) : NULL;

    if (!peer)
        return;
    const struct iba_obs_mark *m = request_of(&peer->rq, iba_psn_of(iba_bth_psn(iba_view_bth(view))));
    if (m && m->frame < j->frame) {
        j->verdict.request_in = m->frame;
        j->verdict.time_ns = (int64_t)(j->now - m->at);
    }
}

/* The requests that the packet at hand is the first to answer: up to what the observer knows to be answered now. */
static void tell_answered(struct judge *j, const struct iba_flow *f)
{
    const struct iba_flow *peer = j->cfg.answered ? iba_observer_peer(&j->observer, f) : NULL;

    if (!peer || f->guess || !peer->rq.answered)
        return;
    struct slot *s = &j->slot[peer - j->flow];
    const uint32_t direction = j->known[peer->known - 1].tag;
    if (s->direction != direction)
        *s = (struct slot){.direction = direction};
    if (!s->has_una || iba_psn_diff(peer->rq.una, s->una) > IBA_OBS_SENT)
        s->una = iba_psn_of(peer->rq.una.v - IBA_OBS_SENT);
    s->has_una = true;
    for (; iba_psn_diff(peer->rq.una, s->una) > 0; s->una = iba_psn_add(s->una, 1)) {
        const struct iba_obs_sent *sent = iba_obs_request_at(&peer->rq, s->una);
        if (sent)
            j->cfg.answered(j->cfg.ctx, sent->mark.frame);
    }
    if (j->verdict.request_in)
        j->cfg.answered(j->cfg.ctx, j->verdict.request_in);
}

/* Copies, at another capture point or made by the network, are no news. */
static bool is_copy(const struct verdict *v)
{
    for (unsigned i = 0; i < verdict_kept(v); i++)
        if (v->judged[i].finding.kind == IBA_FINDING_NETWORK_COPY)
            return true;
    return v->same_as != 0;
}

static void follow_message(struct judge *j, const struct iba_view *view, const struct iba_flow *f)
{
    if (!j->messages || is_copy(&j->verdict))
        return;
    const struct iba_flow *peer = iba_observer_peer(&j->observer, f);
    messages_packet(j->messages, &(struct message_packet){.view = view,
                                                          .verdict = &j->verdict,
                                                          .peer = peer ? direction_of(j, peer) : NULL,
                                                          .slot = (uint32_t)(f - j->flow),
                                                          .peer_slot = peer ? (uint32_t)(peer - j->flow) : 0,
                                                          .frame = j->frame,
                                                          .now = j->now});
}

/* It may lie across two lines. */
static void fetch(const struct direction *d)
{
    __builtin_prefetch(d);
    __builtin_prefetch((const char *)(d + 1) - 1);
}

__attribute__((hot)) void judge_expect(struct judge *j, const struct iba_view *view)
{
    if (j->observer.resting == 0)
        return;
    if (j->next_ahead == j->n_ahead)
        j->n_ahead = j->next_ahead = 0;
    if (j->n_ahead < JUDGE_AHEAD)
        iba_observer_expect(&j->observer, &j->ahead[j->n_ahead++], view);
}

void judge_fetch(struct judge *j)
{
    for (unsigned i = j->next_ahead; i < j->n_ahead; i++)
        iba_observer_fetch(&j->observer, &j->ahead[i]);
}

__attribute__((hot)) unsigned judge_fetch_more(const struct judge *j, uint32_t direction[JUDGE_AHEAD])
{
    unsigned n = 0;

    for (unsigned i = j->next_ahead; i < j->n_ahead; i++) {
        const uint32_t tag = iba_observer_fetch_peer(&j->observer, &j->ahead[i]);
        if (tag == 0)
            continue;
        direction[n++] = tag - 1;
        fetch(&j->direction[tag - 1]);
    }
    return n;
}

/* What was expected of this packet; NULL: it was not. */
static const struct iba_expected *expected_of(struct judge *j, const struct iba_view *view)
{
    if (j->next_ahead == j->n_ahead || j->ahead[j->next_ahead].view != view)
        return NULL;
    return &j->ahead[j->next_ahead++];
}

/* From here on most directions rest: what they were looked at in is given back. */
static void make_room(struct judge *j)
{
    iba_observer_shrink(&j->observer, JUDGE_FLOWS_OF_MANY);
    struct iba_flow *fewer = realloc(j->flow, JUDGE_FLOWS_OF_MANY * sizeof *fewer);
    j->flow = fewer ? fewer : j->flow;
    j->observer.cfg.flow = j->flow;
    j->many = true;
}

/* What management datagrams say of the packet, as the observer wants it. */
static struct iba_told told_of(const struct packet *p)
{
    const struct told *t = &p->told;
    struct iba_told said = {.any = true, .begun = t->begun_in};

    if (t->refused) {
        said.kind = IBA_FINDING_END_REFUSED;
        said.count = t->reason;
        said.cause = (struct iba_obs_mark){.frame = t->setup_in, .tag = t->setup_source};
    } else if (t->reused_in) {
        said.kind = IBA_FINDING_QP_REUSED;
        said.cause = (struct iba_obs_mark){.frame = t->reused_in, .tag = t->reused_source};
    } else if (t->other_partition) {
        said.kind = IBA_FINDING_MAD_PKEY;
        said.cause = (struct iba_obs_mark){.frame = t->response_to, .tag = t->response_to_source};
    } else
        said.any = false;
    return said;
}

__attribute__((hot)) const struct verdict *judge_packet(struct judge *j, const struct packet *p)
{
    struct verdict *v = &j->verdict;

    v->worst = IBA_SEVERITY_NONE;
    v->n = 0;
    v->request_in = v->response_in = v->same_as = 0;
    v->direction = NULL;
    j->frame = p->number;
    j->file[p->source] = p->source_name;
    if (p->cap->has_ts && p->cap->ts_ns > j->now)
        j->now = p->cap->ts_ns;
    if (!j->many && j->observer.resting > 0)
        make_room(j);
    struct iba_told told;
    if (p->told.used)
        told = told_of(p);
    const struct iba_flow *f =
        iba_observer_feed(&j->observer, &(struct iba_sighting){.view = &p->view,
                                                               .now = j->now,
                                                               .frame = p->number,
                                                               .tag = p->source | p->cap->number << SOURCE_BITS,
                                                               .source = p->source,
                                                               .told = p->told.used ? &told : NULL,
                                                               .expected = expected_of(j, &p->view)});
    v->same_as = j->observer.same.frame;
    if (!f)
        return v;
    const bool whole = !iba_view_is_damaged(&p->view);
    if (whole) {
        link_to_request(j, &p->view, f);
        tell_answered(j, f);
    }
    struct direction *d = direction_of(j, f);
    if (!d)
        return v;
    follow(j, d, f, p->view.op && p->view.op->dir == IBA_RSP);
    v->direction = d;
    if (whole)
        follow_message(j, &p->view, f);
    return v;
}

void judge_end(struct judge *j)
{
    j->frame = 0;
    iba_observer_end(&j->observer, j->now);
    if (j->messages)
        messages_end(j->messages);
}

void judge_close(struct judge *j)
{
    if (!j)
        return;
    free(j->flow);
    free(j->slot);
    free(j->known);
    free(j->bucket);
    free(j->asked);
    free(j->path);
    free(j->direction);
    messages_close(j->messages);
    free(j);
}

uint64_t judge_beyond(const struct judge *j)
{
    return j->beyond;
}

const struct direction *judge_direction(const struct judge *j, uint32_t id)
{
    return id < j->n ? &j->direction[id] : NULL;
}
