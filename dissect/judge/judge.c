/* SPDX-License-Identifier: BSD-2-Clause */
#include "judge/judge.h"
#include <assert.h>
#include <stdlib.h>
#include "input/merge.h"
#include "judge/links.h"
#include "observer/iba_finding_kinds.h"
#include "system/pages.h"

_Static_assert(CAP_MERGE_MAX < 1 << VERDICT_SOURCE_BITS, "a source fits the tag");

#define DIRECTIONS_BYTES (JUDGE_DIRECTIONS * sizeof(struct direction))

struct judge {
    struct judge_config cfg;
    struct iba_observer *observer;
    size_t observer_bytes;
    bool native;         /* native: there was a native InfiniBand packet */
    struct links *links; /* NULL: no native packet was seen, or this judge judges a part of a run */
    struct direction *direction;
    uint64_t *began; /* frame of each direction's first packet; NULL: not needed */
    bool crowded;    /* some directions are in the short form */
    /* there are so many directions that the memory of most flows was released */
    bool many;
    struct iba_expected ahead[JUDGE_AHEAD]; /* packets that are judged next, in this order */
    unsigned n_ahead, next_ahead;
    uint32_t n;
    uint64_t beyond;
    struct verdict_names names;
    iba_time now;
    uint64_t frame; /* of the current packet; 0 after the end */
    struct verdict verdict;
};

static uint32_t on_begun(void *ctx, const struct iba_flow *f)
{
    struct judge *j = ctx;

    if (j->n == JUDGE_DIRECTIONS) {
        j->beyond++;
        return 0;
    }
    j->direction[j->n] = (struct direction){.id = j->n, .key = *iba_flow_key(f), .svc = (uint8_t)iba_flow_svc(f)};
    if (j->began)
        j->began[j->n] = j->frame;
    j->crowded = iba_observer_has_resting(j->observer);
    if (++j->n == JUDGE_MANY) {
        pages_large(j->observer, j->observer_bytes);
        pages_large(j->direction, DIRECTIONS_BYTES);
    }
    return j->n;
}

/* The direction of this number; NULL: the number is beyond the limit. */
static struct direction *numbered(struct judge *j, uint32_t number)
{
    return number ? &j->direction[number - 1] : NULL;
}

static void know_source(struct direction *d, uint32_t qpn)
{
    d->source_qp = qpn;
    d->knows_source_qp = true;
}

/* Ends a guess: the peer of this direction was wrong, or another direction is a better guess. The former peer has no
 * peer either, until the observer finds one. */
static void forget_guess(struct judge *j, struct direction *d)
{
    struct direction *other = d->guess ? numbered(j, d->peer) : NULL;

    if (!other)
        return;
    if (other->guess && other->peer == d->id + 1) {
        other->peer = 0;
        other->guess = other->knows_source_qp = false;
    }
    d->peer = 0;
    d->guess = d->knows_source_qp = false;
}

/* Copies what the observer has learned about the direction since its last packet. Only responses can show that a
 * pairing of directions was wrong. */
static void follow(struct judge *j, struct direction *d, const struct iba_flow *f, bool response)
{
    const uint32_t pmtu = iba_flow_pmtu(f);
    const bool guess = iba_flow_is_guess(f);
    uint32_t qpn;

    if (pmtu != d->pmtu && pmtu != 0)
        d->pmtu = (uint16_t)pmtu;
    if (iba_flow_src_qp(f, &qpn))
        know_source(d, qpn);
    if (!iba_flow_is_paired(f)) {
        forget_guess(j, d);
        return;
    }
    if (!response && d->peer != 0 && d->guess == guess)
        return;
    const struct iba_flow *peer = iba_observer_peer(j->observer, f);
    struct direction *other = peer ? numbered(j, iba_observer_direction(j->observer, peer)) : NULL;
    if (!other || (d->peer == other->id + 1 && d->guess == guess))
        return;
    const uint32_t others = iba_flow_pmtu(peer);
    other->pmtu = others ? (uint16_t)others : other->pmtu;
    if (d->peer != other->id + 1) {
        forget_guess(j, d);
        forget_guess(j, other);
        d->peer = other->id + 1;
        other->peer = d->id + 1;
        know_source(d, other->key.qpn);
        know_source(other, d->key.qpn);
    }
    d->guess = other->guess = guess;
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    struct judge *j = ctx;

    if (f->frame == j->frame)
        verdict_add(&j->verdict, f);
    else if (j->cfg.late)
        j->cfg.late(j->cfg.ctx, f, &j->names);
}

static void on_answered(void *ctx, uint64_t frame)
{
    struct judge *j = ctx;

    j->cfg.answered(j->cfg.ctx, frame);
}

static void on_message(void *ctx, const struct iba_message *m)
{
    struct judge *j = ctx;

    j->cfg.message(j->cfg.ctx, m, &j->names);
}

struct judge *judge_open(const struct judge_config *cfg)
{
    struct judge *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->cfg = *cfg;
    const struct iba_observer_config observer = {.n_flow = JUDGE_FLOWS,
                                                 .n_known = JUDGE_DIRECTIONS,
                                                 .n_asked = JUDGE_ASKED,
                                                 .seed = cfg->seed,
                                                 .zeroed = true,
                                                 .part = cfg->part,
                                                 .pmtu = cfg->pmtu,
                                                 .report = on_finding,
                                                 .begun = on_begun,
                                                 .answered = cfg->answered ? on_answered : NULL,
                                                 .message = cfg->message ? on_message : NULL,
                                                 .n_message = JUDGE_MESSAGES,
                                                 .ctx = j};
    j->observer_bytes = iba_observer_bytes(&observer);
    void *memory = pages_open(j->observer_bytes);
    j->names.direction = j->direction = pages_open(DIRECTIONS_BYTES);
    j->began = cfg->part ? calloc(JUDGE_DIRECTIONS, sizeof *j->began) : NULL;
    if (memory)
        j->observer = iba_observer_init(memory, &observer);
    if (!memory || !j->direction || (cfg->part && !j->began)) {
        judge_close(j);
        return NULL;
    }
    return j;
}

/* Prefetches a direction, which may lie in two cache lines. */
static void fetch(const struct direction *d)
{
    __builtin_prefetch(d);
    __builtin_prefetch((const char *)(d + 1) - 1);
}

__attribute__((hot)) void judge_expect(struct judge *j, const struct iba_view *view)
{
    if (!j->many)
        return;
    if (j->next_ahead == j->n_ahead)
        j->n_ahead = j->next_ahead = 0;
    if (j->n_ahead < JUDGE_AHEAD)
        iba_observer_expect(j->observer, &j->ahead[j->n_ahead++], view);
}

void judge_fetch(struct judge *j)
{
    for (unsigned i = j->next_ahead; i < j->n_ahead; i++)
        iba_observer_fetch(j->observer, &j->ahead[i]);
}

__attribute__((hot)) unsigned judge_fetch_more(const struct judge *j, uint32_t direction[JUDGE_AHEAD])
{
    unsigned n = 0;

    for (unsigned i = j->next_ahead; i < j->n_ahead; i++) {
        const uint32_t number = iba_observer_fetch_peer(j->observer, &j->ahead[i]);
        if (number == 0)
            continue;
        direction[n++] = number - 1;
        fetch(&j->direction[number - 1]);
    }
    return n;
}

/* The expectation for this packet from judge_expect(); NULL: there is none. */
static const struct iba_expected *expected_of(struct judge *j, const struct iba_view *view)
{
    if (j->next_ahead == j->n_ahead || j->ahead[j->next_ahead].view != view)
        return NULL;
    return &j->ahead[j->next_ahead++];
}

/* Releases the memory of most flows: from here on most directions are in the short form. */
static void use_fewer_flows(struct judge *j)
{
    const size_t fewer = iba_observer_shrink(j->observer, JUDGE_FLOWS_OF_MANY);

    pages_shrink(j->observer, j->observer_bytes, fewer);
    j->observer_bytes = fewer;
    j->many = true;
}

static struct iba_cm_said said_by(uint8_t kind, uint32_t count, uint64_t frame, uint32_t source)
{
    return (struct iba_cm_said){.kind = kind, .count = count, .cause = {.frame = frame, .tag = source}};
}

/* Passes the context of the packet from management datagrams on, in the observer's form. */
static void cm_facts_of(struct iba_cm_facts *facts, const struct packet *p)
{
    const struct mad_context *t = &p->mad_context;

    facts->begun = t->begun_in;
    facts->n = 0;
    if (t->refused)
        facts->said[facts->n++] = said_by(IBA_FINDING_END_REFUSED, t->reason, t->setup_in, t->setup_source);
    else if (t->reused_in)
        facts->said[facts->n++] = said_by(IBA_FINDING_QP_REUSED, 0, t->reused_in, t->reused_source);
    else if (t->other_partition)
        facts->said[facts->n++] = said_by(IBA_FINDING_MAD_PKEY, 0, t->response_to, t->response_to_source);
    for (unsigned i = 0; i < t->n_said; i++)
        facts->said[facts->n++] = t->said[i];
}

/* The capture point: each interface of each file that has a name of its own. The number of an interface would not do: a
 * later section of a file continues the numbers, and so does a copy of the file that has one section only. */
static uint32_t point_of(const struct packet *p)
{
    return p->source | p->cap->point << VERDICT_SOURCE_BITS;
}

static bool is_on_a_link(const struct iba_view *v)
{
    return v->proto == IBA_PROTO_IB || v->proto == IBA_PROTO_IB_RAW || v->proto == IBA_PROTO_IB_LINK;
}

static uint64_t tag_of(const struct packet *p)
{
    return p->source | p->cap->number << VERDICT_SOURCE_BITS;
}

/* Judges switches from native packets. Without memory for that, findings on switches are missing. */
__attribute__((noinline)) static void judge_links(struct judge *j, const struct packet *p)
{
    j->native = true;
    if (j->cfg.part)
        return;
    if (!j->links)
        j->links = links_open(&(struct links_config){.report = on_finding, .ctx = j});
    if (j->links)
        links_packet(j->links, &(struct links_sighting){.p = p, .tag = tag_of(p), .now = j->now});
}

__attribute__((hot)) const struct verdict *judge_packet(struct judge *j, const struct packet *p)
{
    struct verdict *v = &j->verdict;

    v->worst = IBA_SEVERITY_NONE;
    v->n = 0;
    v->again = v->late = false;
    v->names = &j->names;
    v->request_in = v->response_in = v->same_as = 0;
    v->direction = NULL;
    j->frame = j->names.now = p->number;
    j->names.file[p->source] = p->source_name;
    if (p->cap->has_ts && p->cap->ts_ns > j->now)
        j->now = p->cap->ts_ns;
    if (j->crowded && !j->many)
        use_fewer_flows(j);
    struct iba_cm_facts facts;
    if (p->mad_context.used)
        cm_facts_of(&facts, p);
    const struct iba_observed *seen =
        iba_observer_feed(j->observer, &(struct iba_sighting){.view = &p->view,
                                                              .now = j->now,
                                                              .frame = p->number,
                                                              .tag = tag_of(p),
                                                              .source = point_of(p),
                                                              .cm = p->mad_context.used ? &facts : NULL,
                                                              .expected = expected_of(j, &p->view),
                                                              .content = p->content});
    if (is_on_a_link(&p->view))
        judge_links(j, p);
    v->same_as = seen->same_as;
    if (seen->request.frame) {
        v->request_in = seen->request.frame;
        v->time_ns = (int64_t)(j->now - seen->request.at);
    }
    if (!seen->flow)
        return v;
    struct direction *d = numbered(j, seen->direction);
    if (!d)
        return v;
    follow(j, d, seen->flow, p->view.op && p->view.op->dir == IBA_RSP);
    v->direction = d;
    return v;
}

void judge_pass(struct judge *j, iba_time now)
{
    j->now = now > j->now ? now : j->now;
}

void judge_end(struct judge *j)
{
    j->frame = j->names.now = 0;
    iba_observer_end(j->observer, j->now);
    if (j->links)
        links_end(j->links, j->now);
}

void judge_close(struct judge *j)
{
    if (!j)
        return;
    pages_close(j->observer, j->observer_bytes);
    links_close(j->links);
    pages_close(j->direction, DIRECTIONS_BYTES);
    free(j->began);
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

struct judge_part judge_part(const struct judge *j)
{
    return (struct judge_part){.observer = iba_observer_part(j->observer),
                               .direction = j->direction,
                               .began = j->began,
                               .n = j->n,
                               .native = j->native};
}
