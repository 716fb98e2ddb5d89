/* SPDX-License-Identifier: BSD-2-Clause */
/* The sums of a merged summary that its page shows: each connection once, pairs of hosts, limits. */
#include <stdlib.h>
#include "page/merged.h"

/* ---- a connection with several parts ---- */

/* For each host name: the packets of its parts, and the last part that counts. */
struct points {
    struct point {
        uint64_t packets;
        size_t last; /* index of the part plus 1; 0: none */
    } * of;
};

static uint64_t packets_of(const struct summary *s, const struct summary_part *p)
{
    uint64_t n = 0;

    for (size_t i = p->values; i < p->values + p->n_value; i++)
        n += s->value[i].place % SUMMARY_SIDE == SUMMARY_SIDE_PACKETS ? s->value[i].value : 0;
    return n;
}

/* Whether the part is the next piece of the same capture. Pieces may overlap a little where packets are not in order;
 * two captures of the same packets have most of their time in common. */
static bool is_next(const struct summary_part *before, const struct summary_part *p)
{
    const uint64_t end = before->last_ns < p->last_ns ? before->last_ns : p->last_ns;
    const uint64_t both = end > p->first_ns ? end - p->first_ns : 0;
    const uint64_t a = before->last_ns - before->first_ns, b = p->last_ns - p->first_ns;

    return both <= (a < b ? a : b) / 2;
}

/* Whether this part of the host counts. A part that overlaps an earlier part would count packets twice. */
static bool counts(const struct summary *s, const struct points *seen, size_t i)
{
    const struct summary_part *p = &s->part[i];
    const size_t last = seen->of[p->host].last;

    return last == 0 || is_next(&s->part[last - 1], p);
}

/* The host whose captures have the most packets of the connection with the parts [from, to). */
static uint32_t best_host(const struct summary *s, struct points *seen, size_t from, size_t to)
{
    uint32_t best = s->part[from].host;

    for (size_t i = from; i < to; i++)
        if (counts(s, seen, i)) {
            seen->of[s->part[i].host].packets += packets_of(s, &s->part[i]);
            seen->of[s->part[i].host].last = i + 1;
        }
    for (size_t i = from; i < to; i++) {
        const uint32_t host = s->part[i].host;
        const uint64_t n = seen->of[host].packets, most = seen->of[best].packets;
        if (n > most || (n == most && strcmp(s->text[host], s->text[best]) < 0))
            best = host;
    }
    for (size_t i = from; i < to; i++)
        seen->of[s->part[i].host] = (struct point){0, 0};
    return best;
}

static void add_part(struct merged_connection *c, const struct summary *s, const struct summary_part *p)
{
    for (size_t i = p->values; i < p->values + p->n_value; i++) {
        uint64_t *at = &c->sides.at[s->value[i].place / SUMMARY_SIDE][s->value[i].place % SUMMARY_SIDE];
        *at = summary_sum(*at, s->value[i].value);
    }
    if (p->last_ns == 0)
        return;
    c->first_ns = c->first_ns == 0 || p->first_ns < c->first_ns ? p->first_ns : c->first_ns;
    c->last_ns = p->last_ns > c->last_ns ? p->last_ns : c->last_ns;
}

static uint64_t bad_of(const uint64_t at[SUMMARY_SIDE])
{
    uint64_t n = 0;

    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        n = iba_findings[k].severity >= IBA_WARN ? summary_sum(n, at[SUMMARY_AT_FOUND + k]) : n;
    return n;
}

/* Adds the parts of one connection up. True: parts of several hosts. */
static bool join(struct merged_connection *c, const struct summary *s, struct points *seen, size_t from, size_t to)
{
    bool several = false;
    const uint32_t host = best_host(s, seen, from, to);

    *c = (struct merged_connection){.ends = s->part[from].ends};
    for (size_t i = from; i < to; i++) {
        several |= s->part[i].host != host;
        if (s->part[i].host != host || !counts(s, seen, i))
            continue;
        add_part(c, s, &s->part[i]);
        seen->of[host].last = i + 1;
    }
    seen->of[host].last = 0;
    for (unsigned from_end = 0; from_end < 2; from_end++) {
        c->bad = summary_sum(c->bad, bad_of(c->sides.at[from_end]));
        c->again = summary_sum(c->again, c->sides.at[from_end][SUMMARY_SIDE_AGAIN]);
    }
    return several;
}

/* ---- all connections ---- */

/* Negative: connection `a` is worse. */
static int by_harm(const struct merged_connection *a, const struct merged_connection *b)
{
    if (a->bad != b->bad)
        return a->bad > b->bad ? -1 : 1;
    if (a->again != b->again)
        return a->again > b->again ? -1 : 1;
    return memcmp(a->ends.key, b->ends.key, sizeof a->ends.key);
}

static void keep_worst(struct merged *m, const struct merged_connection *c)
{
    unsigned at = m->n_worst;

    if (c->bad == 0 && c->again == 0)
        return;
    m->bad_connections++;
    while (at > 0 && by_harm(c, &m->worst[at - 1]) < 0)
        at--;
    if (at == MERGED_WORST)
        return;
    m->n_worst += m->n_worst < MERGED_WORST;
    memmove(&m->worst[at + 1], &m->worst[at], (m->n_worst - 1 - at) * sizeof *c);
    m->worst[at] = *c;
}

static void add_limits(struct perf_shares *to, const struct merged_connection *c)
{
    if (c->ends.key[1] != IBA_RC && c->ends.key[1] != IBA_XRC)
        return;
    for (unsigned i = 0; i < 2 * PERF_LIMIT_COUNT; i++) {
        const unsigned k = i % PERF_LIMIT_COUNT;
        const uint64_t ns = c->sides.at[i / PERF_LIMIT_COUNT][SUMMARY_AT_LIMIT + k];
        to->ns[k] = summary_sum(to->ns[k], ns);
        to->life = summary_sum(to->life, ns);
    }
}

static void add_pairs(struct merged *m, const struct merged_connection *c)
{
    for (unsigned from = 0; from < 2; from++) {
        const uint64_t *at = c->sides.at[from];
        const uint8_t *end = c->ends.key + 2;
        struct merged_pair *p = &m->pair[m->n_pair];
        if (at[SUMMARY_SIDE_PACKETS] == 0)
            continue;
        *p = (struct merged_pair){.kind = c->ends.key[0],
                                  .directions = 1,
                                  .packets = at[SUMMARY_SIDE_PACKETS],
                                  .payload = at[SUMMARY_SIDE_PAYLOAD],
                                  .again = at[SUMMARY_SIDE_AGAIN],
                                  .bad = bad_of(at),
                                  .first_ns = c->first_ns,
                                  .last_ns = c->last_ns};
        memcpy(p->src, end + from * SUMMARY_END, IBA_ADDR_MOST);
        memcpy(p->dst, end + !from * SUMMARY_END, IBA_ADDR_MOST);
        m->n_pair++;
    }
}

static int by_ends(const void *a, const void *b)
{
    const struct merged_pair *x = a, *y = b;
    int order = x->kind - y->kind;

    order = order ? order : memcmp(x->dst, y->dst, sizeof x->dst);
    return order ? order : memcmp(x->src, y->src, sizeof x->src);
}

static int by_payload(const void *a, const void *b)
{
    const struct merged_pair *x = a, *y = b;

    if (x->payload != y->payload)
        return x->payload > y->payload ? -1 : 1;
    return by_ends(a, b);
}

/* Adds directions between the same two addresses up. */
static void join_pairs(struct merged *m)
{
    size_t n = 0;

    qsort(m->pair, m->n_pair, sizeof *m->pair, by_ends);
    for (size_t i = 0; i < m->n_pair; i++) {
        const struct merged_pair x = m->pair[i];
        if (n == 0 || by_ends(&m->pair[n - 1], &x) != 0) {
            m->pair[n++] = x;
            continue;
        }
        struct merged_pair *p = &m->pair[n - 1];
        p->directions++;
        p->packets = summary_sum(p->packets, x.packets);
        p->payload = summary_sum(p->payload, x.payload);
        p->again = summary_sum(p->again, x.again);
        p->bad = summary_sum(p->bad, x.bad);
        if (x.last_ns == 0)
            continue;
        p->first_ns = p->first_ns == 0 || x.first_ns < p->first_ns ? x.first_ns : p->first_ns;
        p->last_ns = x.last_ns > p->last_ns ? x.last_ns : p->last_ns;
    }
    m->n_pair = n;
    qsort(m->pair, m->n_pair, sizeof *m->pair, by_payload);
}

bool merged_collect(struct merged *m, const struct summary *s)
{
    struct points seen = {.of = calloc(s->n_text ? s->n_text : 1, sizeof *seen.of)};
    struct merged_connection c;

    *m = (struct merged){.s = s, .pair = calloc(s->n_part ? 2 * s->n_part : 1, sizeof *m->pair)};
    for (size_t from = 0, to; seen.of && m->pair && from < s->n_part; from = to) {
        for (to = from + 1; to < s->n_part && summary_same_connection(s, from, to);)
            to++;
        m->several += join(&c, s, &seen, from, to);
        m->connections++;
        add_limits(&m->limits, &c);
        add_pairs(m, &c);
        keep_worst(m, &c);
    }
    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        m->severity[iba_findings[k].severity] = summary_sum(m->severity[iba_findings[k].severity], s->finding[k].count);
    const bool good = seen.of && m->pair;
    free(seen.of);
    if (good)
        join_pairs(m);
    return good;
}
