#include "judge/judge.h"
#include <stdlib.h>
#include "input/merge.h"
#include "judge/message.h"

/* A shadow's tag: which file, and the packet's number in it. */
enum { SOURCE_BITS = 8 };
_Static_assert(CAP_MERGE_MAX < 1 << SOURCE_BITS, "a source fits the tag");

struct slot { /* what a flow of the shadow is to us */
    uint64_t began;
    uint32_t direction; /* id plus 1; 0: none */
    iba_psn una;        /* of its requests, behind the last that is known to be answered */
    bool has_una;
};
struct judge {
    struct judge_config cfg;
    struct iba_shadow shadow;
    struct iba_flow *flow;
    struct slot *slot;
    struct direction *direction;
    struct messages *messages; /* NULL: not followed */
    uint32_t n;
    uint64_t beyond;
    const char *file[CAP_MERGE_MAX + 1];
    iba_time now;
    uint64_t frame; /* of the packet at hand; 0 behind the end */
    struct verdict verdict;
};

static struct direction *direction_of(struct judge *j, const struct iba_flow *f)
{
    struct slot *s = &j->slot[f - j->flow];

    if (s->direction && s->began == f->began)
        return &j->direction[s->direction - 1];
    if (j->n == JUDGE_DIRECTIONS) {
        j->beyond++;
        return NULL;
    }
    struct direction *d = &j->direction[j->n];
    *d = (struct direction){.id = j->n, .key = f->key, .svc = f->svc};
    *s = (struct slot){.began = f->began, .direction = ++j->n};
    return d;
}

/* What the shadow has learned since. A pairing may turn out to have been wrong. */
static void follow(struct judge *j, struct direction *d, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_shadow_peer(&j->shadow, f);
    struct direction *other = peer ? direction_of(j, peer) : NULL;

    d->pmtu = f->pmtu ? f->pmtu : d->pmtu;
    if (f->has_qkey) {
        d->source_qp = f->src_qp;
        d->knows_source_qp = true;
    }
    if (!other) {
        d->peer = d->guess ? 0 : d->peer;
        d->knows_source_qp &= !d->guess;
        d->guess = false;
        return;
    }
    other->pmtu = peer->pmtu ? peer->pmtu : other->pmtu;
    d->guess = other->guess = f->guess;
    if (d->peer == other->id + 1)
        return;
    d->peer = other->id + 1;
    other->peer = d->id + 1;
    d->source_qp = other->key.qpn;
    other->source_qp = d->key.qpn;
    d->knows_source_qp = other->knows_source_qp = true;
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
    j->direction = calloc(JUDGE_DIRECTIONS, sizeof *j->direction);
    if (cfg->message)
        j->messages = messages_open(JUDGE_FLOWS, cfg->message, cfg->ctx);
    if (!j->flow || !j->slot || !j->direction || (cfg->message && !j->messages)) {
        judge_close(j);
        return NULL;
    }
    iba_shadow_init(
        &j->shadow,
        &(struct iba_shadow_config){
            .flow = j->flow, .n_flow = JUDGE_FLOWS, .zeroed = true, .pmtu = cfg->pmtu, .report = on_finding, .ctx = j});
    return j;
}

/* The request that a response of this flow answers at its PSN, as the other direction last sent it. */
static const struct iba_shadow_mark *request_of(const struct iba_shadow_requests *q, iba_psn psn)
{
    const struct iba_shadow_sent *sent = iba_shadow_request_at(q, psn);
    const struct iba_shadow_mark *m = sent ? &sent->mark : NULL;

    for (unsigned i = 0; i < q->n_read; i++) {
        const struct iba_shadow_read *r = &q->read[i];
        const int32_t d = iba_psn_diff(psn, r->psn);
        if (r->used && d >= 0 && (uint32_t)d < (r->n ? r->n : 1) && (!m || r->mark.frame > m->frame))
            m = &r->mark;
    }
    return m;
}

static void link_to_request(struct judge *j, const struct iba_view *view, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_shadow_peer(&j->shadow, f);

    if (!view->op || view->op->dir != IBA_RSP || !peer || f->guess)
        return;
    const struct iba_shadow_mark *m = request_of(&peer->rq, iba_psn_of(iba_bth_psn(iba_view_bth(view))));
    if (m && m->frame < j->frame) {
        j->verdict.request_in = m->frame;
        j->verdict.time_ns = (int64_t)(j->now - m->at);
    }
}

/* The requests that the packet at hand is the first to answer: up to what the shadow knows to be answered now. */
static void tell_answered(struct judge *j, const struct iba_flow *f)
{
    const struct iba_flow *peer = iba_shadow_peer(&j->shadow, f);
    struct slot *s = peer ? &j->slot[peer - j->flow] : NULL;

    if (!j->cfg.answered || !s || f->guess || !peer->rq.answered)
        return;
    if (!s->has_una || iba_psn_diff(peer->rq.una, s->una) > IBA_SHADOW_SENT)
        s->una = iba_psn_of(peer->rq.una.v - IBA_SHADOW_SENT);
    s->has_una = true;
    for (; iba_psn_diff(peer->rq.una, s->una) > 0; s->una = iba_psn_add(s->una, 1)) {
        const struct iba_shadow_sent *sent = iba_shadow_request_at(&peer->rq, s->una);
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
    const struct iba_flow *peer = iba_shadow_peer(&j->shadow, f);

    if (!j->messages || is_copy(&j->verdict))
        return;
    messages_packet(j->messages, &(struct message_packet){.view = view,
                                                          .verdict = &j->verdict,
                                                          .peer = peer ? direction_of(j, peer) : NULL,
                                                          .slot = (uint32_t)(f - j->flow),
                                                          .peer_slot = peer ? (uint32_t)(peer - j->flow) : 0,
                                                          .frame = j->frame,
                                                          .now = j->now});
}

static bool damaged(const struct iba_view *v)
{
    return v->icrc == IBA_CHECK_BAD || v->vcrc == IBA_CHECK_BAD || v->err != IBA_OK;
}

const struct verdict *judge_packet(struct judge *j, const struct packet *p)
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
    const struct iba_flow *f =
        iba_shadow_feed(&j->shadow, &(struct iba_sighting){.view = &p->view,
                                                           .now = j->now,
                                                           .frame = p->number,
                                                           .tag = p->source | p->cap->number << SOURCE_BITS,
                                                           .source = p->source});
    v->same_as = j->shadow.same.frame;
    if (!f)
        return v;
    const bool whole = !damaged(&p->view);
    if (whole) {
        link_to_request(j, &p->view, f);
        tell_answered(j, f);
    }
    struct direction *d = direction_of(j, f);
    if (!d)
        return v;
    follow(j, d, f);
    v->direction = d;
    if (whole)
        follow_message(j, &p->view, f);
    return v;
}

void judge_end(struct judge *j)
{
    j->frame = 0;
    iba_shadow_end(&j->shadow, j->now);
    if (j->messages)
        messages_end(j->messages);
}

void judge_close(struct judge *j)
{
    if (!j)
        return;
    free(j->flow);
    free(j->slot);
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
