/* SPDX-License-Identifier: BSD-2-Clause */
/* Why communication is slow: the limits of all connections in a sentence, how many hosts send to one at the same time,
 * who begins the rounds of a collective last, payload and repeats over time, and host by host. */
#include <stdlib.h>
#include "page/collected.h"
#include "stats/kinds.h"
#include "track/addr.h"

enum { PAIRS = 64, SHOWN_PAIRS = 16, INCAST = 3, SHOWN_RATES = 12 };

void report_event(struct report *r, const struct packet *p)
{
    struct report_events *e = &r->events;
    const uint64_t ns = p->cap->ts_ns > p->first_ns ? p->cap->ts_ns - p->first_ns : 0;
    const struct verdict *v = p->verdict;

    if (!p->cap->has_ts)
        return;
    e->bucket_ns = e->bucket_ns ? e->bucket_ns : UINT64_C(1000);
    while (ns / e->bucket_ns >= REPORT_EVENT_BUCKETS) {
        for (unsigned k = 0; k < EVENT_KINDS; k++) {
            uint32_t *const n = e->n[k];
            for (unsigned i = 0; i < REPORT_EVENT_BUCKETS / 2; i++)
                n[i] = n[2 * i] + n[2 * i + 1];
            memset(n + REPORT_EVENT_BUCKETS / 2, 0, sizeof e->n[k] / 2);
        }
        e->bucket_ns *= 2;
        e->used = (e->used + 1) / 2;
    }
    const unsigned at = (unsigned)(ns / e->bucket_ns);
    e->used = at >= e->used ? at + 1 : e->used;
    e->n[EVENT_AGAIN][at] += v->again;
    e->all += v->again;
    for (unsigned i = 0; i < verdict_kept(v); i++) {
        const unsigned kind = v->finding[i].kind;
        const unsigned k = kind == IBA_FINDING_RNR   ? EVENT_RNR
                           : kind == IBA_FINDING_ECN ? EVENT_ECN
                           : kind == IBA_FINDING_CNP ? EVENT_CNP
                                                     : EVENT_KINDS;
        if (k < EVENT_KINDS) {
            e->n[k][at]++;
            e->all++;
        }
    }
}

/* ---- hosts ---- */

struct pair { /* a pair of hosts */
    const struct direction *d;
    uint32_t connections;
    bool sends; /* the pair sends payload, and not only READs, whose payload comes back */
    uint64_t bytes, first, last;
};
struct pairs {
    struct pair pair[PAIRS];
    uint32_t n;
    uint64_t bytes, beyond; /* beyond: senders of pairs beyond the limit */
};

/* Sorts by bytes, the most first; equal ones in the order in which they began. */
static int compare(uint64_t bytes, const struct direction *d, uint64_t other_bytes, const struct direction *other)
{
    if (bytes != other_bytes)
        return bytes < other_bytes ? 1 : -1;
    return d->id < other->id ? -1 : d->id > other->id;
}

static int by_bytes(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return compare(x->bytes, x->d, y->bytes, y->d);
}

static void collect(const struct perf *s, struct pairs *to)
{
    for (uint32_t k = 0; k < s->n; k++) {
        const struct perf_sender *x = &s->sender[k];
        uint32_t i = 0;
        to->bytes += x->bytes;
        while (i < to->n && !direction_same_ends(to->pair[i].d, x->d))
            i++;
        if (i == PAIRS) {
            to->beyond++;
            continue;
        }
        struct pair *p = &to->pair[i];
        if (i == to->n) {
            *p = (struct pair){.d = x->d, .first = x->first, .last = x->last};
            to->n++;
        }
        p->connections++;
        p->sends |= x->read_messages < x->messages;
        p->bytes += x->bytes;
        p->first = x->first < p->first ? x->first : p->first;
        p->last = x->last > p->last ? x->last : p->last;
    }
    qsort(to->pair, to->n, sizeof *to->pair, by_bytes);
}

static bool same_target(const struct direction *a, const struct direction *b)
{
    return a->key.kind == b->key.kind && memcmp(a->key.dst, b->key.dst, sizeof a->key.dst) == 0;
}

/* The number of hosts that send to the target of this pair when this pair begins. The largest number is reached when
 * some pair begins. */
static unsigned senders_beside(const struct pairs *all, const struct pair *p)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < all->n; i++) {
        const struct pair *x = &all->pair[i];
        n += x->sends && same_target(x->d, p->d) && x->first <= p->first && p->first <= x->last;
    }
    return n;
}

static void incast(const struct pairs *all, struct out *o)
{
    const struct pair *most = NULL;
    unsigned n = 0;

    for (uint32_t i = 0; i < all->n; i++) {
        const unsigned beside = senders_beside(all, &all->pair[i]);
        most = beside > n ? &all->pair[i] : most;
        n = beside > n ? beside : n;
    }
    if (n < INCAST)
        return;
    out_str(o, all->beyond ? " At least " : " ");
    out_u64(o, n);
    OUT_LIT(o, " hosts send to ");
    stat_addr_print(o, (enum iba_addr_kind)most->d->key.kind, most->d->key.dst);
    OUT_LIT(o, " at the same time.");
}

static void host_cells(struct out *o, const struct pair *p, uint64_t all)
{
    OUT_LIT(o, "<tr><td>");
    stat_addr_print(o, (enum iba_addr_kind)p->d->key.kind, p->d->key.src);
    OUT_LIT(o, "</td><td>");
    stat_addr_print(o, (enum iba_addr_kind)p->d->key.kind, p->d->key.dst);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_u64(o, p->connections);
    OUT_LIT(o, "</td><td class=\"n\">");
    out_u64(o, p->bytes);
    OUT_LIT(o, "</td><td class=\"n\">");
    perf_say_percent(o, p->bytes, all);
    OUT_LIT(o, "</td></tr>\n");
}

static void hosts(const struct pairs *all, struct out *o)
{
    OUT_LIT(o, "<h2>Host by host</h2>\n<table class=\"hosts\">\n<tr><th>Requester</th><th>Responder</th><th>Directions"
               "</th><th>Payload bytes, of READs too</th><th>Share</th></tr>\n");
    for (uint32_t i = 0; i < all->n && i < SHOWN_PAIRS; i++)
        host_cells(o, &all->pair[i], all->bytes);
    OUT_LIT(o, "</table>\n");
    if (all->beyond)
        OUT_LIT(o, "<p>Only the first 64 pairs of hosts are compared.</p>\n");
    else if (all->n > SHOWN_PAIRS)
        OUT_LIT(o, "<p>Only the pairs of hosts with the most bytes are listed.</p>\n");
}

/* ---- charts ---- */

static int senders_by_bytes(const void *a, const void *b)
{
    const struct perf_sender *x = *(const struct perf_sender *const *)a, *y = *(const struct perf_sender *const *)b;

    return compare(x->bytes, x->d, y->bytes, y->d);
}

static void rate(const struct perf_sender *x, struct out *o)
{
    OUT_LIT(o, "<figure class=\"rates\">\n<figcaption>");
    report_direction(o, x->d);
    OUT_LIT(o, ": ");
    perf_say_sender(o, x);
    OUT_LIT(o, "</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">{\"from\":");
    out_u64(o, x->first);
    OUT_LIT(o, ",\"bucket\":");
    out_u64(o, x->bucket_ns);
    OUT_LIT(o, ",\"bytes\":[");
    for (unsigned i = 0; i < x->n_bucket; i++) {
        out_str(o, i ? "," : "");
        out_u64(o, x->bucket[i].bytes);
    }
    OUT_LIT(o, "]}</script>\n</figure>\n");
}

static void rates(const struct perf *s, struct out *o)
{
    const struct perf_sender **order = calloc(s->n ? s->n : 1, sizeof *order);

    if (!order)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        order[i] = &s->sender[i];
    qsort(order, s->n, sizeof *order, senders_by_bytes);
    OUT_LIT(o, "<h2>Throughput</h2>\n");
    for (uint32_t i = 0; i < s->n && i < SHOWN_RATES; i++)
        rate(order[i], o);
    if (s->n > SHOWN_RATES)
        OUT_LIT(o, "<p>Only the directions with the most bytes are drawn.</p>\n");
    free(order);
}

static void events(const struct report_events *e, struct out *o)
{
    static const char *const name[EVENT_KINDS] = {"again", "rnr", "ecn", "cnp"};

    if (e->all == 0)
        return;
    OUT_LIT(o, "<h2>Repeats, RNR NAKs, congestion over time</h2>\n<figure class=\"events\">\n<figcaption>All "
               "connections</figcaption>\n<div class=\"plot\"></div>\n<script type=\"application/json\">{\"bucket\":");
    out_u64(o, e->bucket_ns);
    for (unsigned k = 0; k < EVENT_KINDS; k++) {
        OUT_LIT(o, ",\"");
        out_str(o, name[k]);
        OUT_LIT(o, "\":[");
        for (unsigned i = 0; i < e->used; i++) {
            out_str(o, i ? "," : "");
            out_u64(o, e->n[k][i]);
        }
        out_ch(o, ']');
    }
    OUT_LIT(o, "}</script>\n</figure>\n");
}

void report_why(const struct report *r, struct out *o)
{
    struct pairs all = {.n = 0};

    collect(r->perf, &all);
    if (all.n == 0)
        return;
    OUT_LIT(o, "<p class=\"lead why\">");
    perf_say_all(o, r->perf);
    incast(&all, o);
    if (r->hosts)
        stat_hosts_say_straggler(r->hosts, o);
    OUT_LIT(o, "</p>\n");
}

void report_over_time(const struct report *r, struct out *o)
{
    struct pairs all = {.n = 0};

    collect(r->perf, &all);
    if (all.n == 0)
        return;
    rates(r->perf, o);
    events(&r->events, o);
    hosts(&all, o);
}
