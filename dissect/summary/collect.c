/* SPDX-License-Identifier: BSD-2-Clause */
/* A summary from the packets of a run. */
#include <stdlib.h>
#include <string.h>
#include "input/merge.h"
#include "stats/kinds.h"
#include "stats/perf_print.h"
#include "summary/summary.h"

enum { GIGA = 1000000000 };

struct seen { /* what is known of one direction */
    bool any;
    uint64_t first_ns, last_ns;
    uint64_t count[SUMMARY_SIDE_COUNT];
    uint32_t found; /* index of the direction's findings, plus 1; 0: it has none */
    uint32_t latency[SUMMARY_LATENCIES];
};
struct found {
    uint32_t kind[IBA_FINDING_COUNT];
};
struct summary_run {
    struct summary *sum;
    void *perf; /* the state of -z perf */
    const char *host_name;
    const struct sample *sample;
    uint32_t host;
    uint32_t n_direction; /* one past the highest id */
    uint32_t n_found;
    const struct verdict_names *names; /* NULL: there was no packet yet */
    struct summary_capture capture[CAP_MERGE_MAX];
    struct seen seen[JUDGE_DIRECTIONS];
    struct found found[JUDGE_DIRECTIONS];
};

/* Begins an empty summary. False: out of memory. */
static bool begin(struct summary_run *r)
{
    r->host = summary_text(r->sum, r->host_name);
    (void)summary_take_sample(r->sum, r->sample);
    return !r->sum->failed;
}

struct summary_run *summary_run_open(const char *host, const struct sample *sample)
{
    struct summary_run *r = calloc(1, sizeof *r);
    char err[1];

    if (!r)
        return NULL;
    r->host_name = host;
    r->sample = sample;
    r->perf = stat_perf_open(NULL, err, sizeof err);
    r->sum = summary_open();
    if (r->perf && r->sum && begin(r))
        return r;
    summary_run_close(r);
    return NULL;
}

void summary_run_close(struct summary_run *r)
{
    if (!r)
        return;
    summary_free(r->sum);
    free(r->perf);
    free(r);
}

static struct seen *seen_of(struct summary_run *r, const struct direction *d)
{
    if (!d)
        return NULL;
    if (d->id >= r->n_direction)
        r->n_direction = d->id + 1;
    struct seen *x = &r->seen[d->id];
    x->any = true;
    return x;
}

static void count_at(struct summary *s, enum summary_count which, uint64_t ns)
{
    uint64_t count[SUMMARY_BUCKET_COUNTS] = {0};

    s->count[which]++;
    if (ns == 0)
        return;
    count[which] = 1;
    summary_add_bucket(s, 0, ns / GIGA, count);
}

static void finding(struct summary_run *r, const struct iba_finding *f, const struct verdict_names *names)
{
    static const uint8_t counted[] = {
        [IBA_NOTE] = SUMMARY_NOTES, [IBA_WARN] = SUMMARY_WARNINGS, [IBA_ERROR] = SUMMARY_ERRORS};
    struct seen *x = seen_of(r, direction_of_finding(f, names));
    const char *file = verdict_file(names, f->tag);
    const struct summary_packet p = {f->at, verdict_file_number(f->tag), r->host,
                                     summary_text(r->sum, file ? file : "")};

    r->names = names;
    r->sum->finding[f->kind].count++;
    summary_add_first(r->sum, f->kind, &p);
    count_at(r->sum, counted[iba_findings[f->kind].severity], f->at);
    if (!x)
        return;
    if (!x->found)
        x->found = ++r->n_found;
    r->found[x->found - 1].kind[f->kind]++;
}

void summary_run_late(struct summary_run *r, const struct iba_finding *f, const struct verdict_names *names)
{
    finding(r, f, names);
}

static void span(uint64_t *first, uint64_t *last, const struct packet *p)
{
    if (!p->cap->has_ts)
        return;
    *first = *first == 0 || p->cap->ts_ns < *first ? p->cap->ts_ns : *first;
    *last = p->cap->ts_ns > *last ? p->cap->ts_ns : *last;
}

/* Adds a packet to the counts of the run and to those of a bucket. */
static void overall(struct summary_run *r, const struct packet *p, uint64_t payload)
{
    struct summary *s = r->sum;
    const uint64_t count[SUMMARY_BUCKET_COUNTS] = {[SUMMARY_PACKETS] = 1,
                                                   [SUMMARY_BYTES] = packet_len(p),
                                                   [SUMMARY_PAYLOAD] = payload,
                                                   [SUMMARY_AGAIN] = p->verdict->again,
                                                   [SUMMARY_CNP] =
                                                       p->view.op && p->view.op->operation == IBA_OPERATION_CNP};

    for (unsigned i = 0; i < SUMMARY_BUCKET_COUNTS; i++)
        s->count[i] += count[i];
    if (p->cap->has_ts)
        summary_add_bucket(s, 0, p->cap->ts_ns / GIGA, count);
    else
        s->count[SUMMARY_UNTIMED]++;
    s->count[p->view.icrc == IBA_CHECK_GOOD  ? SUMMARY_ICRC_GOOD
             : p->view.icrc == IBA_CHECK_BAD ? SUMMARY_ICRC_BAD
                                             : SUMMARY_ICRC_UNKNOWN]++;
    if (iba_view_has_bth(&p->view))
        s->opcode[iba_bth_opcode(iba_view_bth(&p->view))]++;
}

void summary_run_packet(struct summary_run *r, const struct packet *p)
{
    const struct verdict *v = p->verdict;
    const uint64_t payload = p->view.icrc == IBA_CHECK_BAD ? 0 : p->view.payload_len;
    struct summary_capture *c = &r->capture[p->source];

    r->names = v->names;
    c->packets++;
    span(&c->first_ns, &c->last_ns, p);
    if (verdict_is_twin(v, p->number)) {
        r->sum->count[SUMMARY_SEEN_TWICE]++;
        return;
    }
    stat_perf_packet(r->perf, p);
    overall(r, p, payload);
    for (unsigned i = 0; i < verdict_kept(v); i++) {
        finding(r, &v->finding[i], v->names);
        if (v->finding[i].kind == IBA_FINDING_ECN)
            count_at(r->sum, SUMMARY_ECN, v->finding[i].at);
    }
    struct seen *x = seen_of(r, v->direction);
    if (!x) {
        r->sum->count[SUMMARY_NO_CONNECTION]++;
        return;
    }
    span(&x->first_ns, &x->last_ns, p);
    x->count[SUMMARY_SIDE_PACKETS]++;
    x->count[SUMMARY_SIDE_PAYLOAD] += payload;
    x->count[SUMMARY_SIDE_AGAIN] += v->again;
}

static void answered(struct summary_run *r, struct seen *x, struct summary_times *t, uint64_t ns)
{
    uint64_t *count = summary_classes(r->sum, t);

    if (!count)
        return;
    count[times_class(ns)]++;
    t->shortest = t->answered == 0 || ns < t->shortest ? ns : t->shortest;
    t->longest = ns > t->longest ? ns : t->longest;
    t->answered++;
    x->latency[ns ? 63 - (unsigned)__builtin_clzll(ns) : 0]++;
}

void summary_run_message(struct summary_run *r, const struct iba_message *m, const struct verdict_names *names)
{
    struct seen *x = seen_of(r, direction_of_message(m, names));
    struct summary_times *t = &r->sum->times[m->operation][times_size(m->bytes)];

    r->names = names;
    count_at(r->sum, SUMMARY_MESSAGES, m->began);
    x->count[SUMMARY_SIDE_MESSAGES]++;
    x->count[SUMMARY_SIDE_BYTES] += m->bytes;
    if (m->end == IBA_MESSAGE_END_UNASKED || !m->whole)
        return;
    x->count[SUMMARY_SIDE_OPEN] += m->end == IBA_MESSAGE_END_OPEN;
    x->count[SUMMARY_SIDE_REFUSED] += m->end == IBA_MESSAGE_END_REFUSED;
    x->count[SUMMARY_SIDE_ANSWERED] += m->end == IBA_MESSAGE_END_ANSWERED;
    t->open += m->end == IBA_MESSAGE_END_OPEN;
    t->refused += m->end == IBA_MESSAGE_END_REFUSED;
    if (m->end == IBA_MESSAGE_END_ANSWERED)
        answered(r, x, t, m->ended - m->began);
}

uint64_t summary_run_packets(const struct summary_run *r, uint32_t source)
{
    return r->capture[source].packets;
}

void summary_run_capture(struct summary_run *r, uint32_t source, const char *name, bool whole)
{
    struct summary_capture c = r->capture[source];

    c.host = r->host;
    c.file = summary_text(r->sum, name);
    c.whole = whole;
    summary_add_capture(r->sum, &c);
}

/* ---- connections ---- */

/* Adds the numbers of one direction in their places. */
static void side(const struct summary_run *r, uint32_t id, uint64_t to[SUMMARY_SIDE])
{
    const struct seen *x = &r->seen[id];
    const struct perf *perf = r->perf;
    const uint32_t sender = perf->place[id];

    for (unsigned i = 0; i < SUMMARY_SIDE_COUNT; i++)
        to[i] = summary_sum(to[i], x->count[i]);
    if (sender) {
        const struct perf_shares shares = perf_shares_of(&perf->sender[sender - 1]);
        for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++)
            to[SUMMARY_AT_LIMIT + i] = summary_sum(to[SUMMARY_AT_LIMIT + i], shares.ns[i]);
    }
    for (unsigned i = 0; i < SUMMARY_LATENCIES; i++)
        to[SUMMARY_AT_LATENCY + i] += x->latency[i];
    for (unsigned i = 0; x->found && i < IBA_FINDING_COUNT; i++)
        to[SUMMARY_AT_FOUND + i] += r->found[x->found - 1].kind[i];
}

static void widen(struct summary_part *p, const struct seen *x)
{
    if (x->last_ns == 0)
        return;
    p->first_ns = p->first_ns == 0 || x->first_ns < p->first_ns ? x->first_ns : p->first_ns;
    p->last_ns = x->last_ns > p->last_ns ? x->last_ns : p->last_ns;
}

/* The ends of a direction; `from`: which of the two is its source. */
static struct summary_ends ends_of(const struct direction *d, unsigned *from)
{
    struct summary_ends e = {.key = {d->key.kind, d->svc}};

    summary_set_end(&e, 0, d->key.src, d->knows_source_qp, d->source_qp);
    summary_set_end(&e, 1, d->key.dst, true, d->key.qpn);
    *from = summary_ends_order(&e);
    return e;
}

static bool is_shown(const struct summary_run *r, uint32_t id)
{
    return id < r->n_direction && r->seen[id].any;
}

static void connection(struct summary_run *r, uint32_t id)
{
    const struct direction *d = &r->names->direction[id], *peer = d->peer ? &r->names->direction[d->peer - 1] : NULL;
    const bool paired = peer && peer->peer == id + 1;
    struct summary_sides sides = {0};
    unsigned from;

    if (paired && peer->id < id && is_shown(r, peer->id))
        return; /* the capture is listed already */
    struct summary_part part = {.ends = ends_of(d, &from), .host = r->host};
    side(r, id, sides.at[from]);
    widen(&part, &r->seen[id]);
    if (paired) {
        side(r, peer->id, sides.at[!from]);
        widen(&part, &r->seen[peer->id]);
    }
    summary_add_part(r->sum, &part, &sides);
}

struct summary *summary_run_end(struct summary_run *r, bool over)
{
    struct perf *perf = r->perf;

    for (uint32_t i = 0; over && i < perf->n; i++)
        perf_end(&perf->sender[i]);
    r->sum->count[SUMMARY_NOT_FOLLOWED] = perf->beyond;
    for (uint32_t id = 0; id < r->n_direction; id++)
        if (r->seen[id].any)
            connection(r, id);
    return r->sum;
}

bool summary_run_next(struct summary_run *r, bool renew)
{
    struct perf *perf = r->perf;

    for (uint32_t i = 0; !renew && i < perf->n; i++)
        perf_cut(&perf->sender[i]);
    if (renew)
        memset(perf, 0, sizeof *perf);
    perf->beyond = 0;
    memset(r->seen, 0, r->n_direction * sizeof *r->seen);
    memset(r->found, 0, r->n_found * sizeof *r->found);
    memset(r->capture, 0, sizeof r->capture);
    r->n_direction = r->n_found = 0;
    summary_clear(r->sum);
    return begin(r);
}
