/* SPDX-License-Identifier: BSD-2-Clause */
/* Host by host: who sends to one host at the same time, the pairs with the most payload, and a matrix. */
#include <stdlib.h>
#include "page/merged.h"
#include "track/addr.h"

/* ---- incast ---- */

/* Sorts by target, then by the time at which the pairs begin. */
static int by_begin(const void *a, const void *b)
{
    const struct merged_pair *x = *(const struct merged_pair *const *)a, *y = *(const struct merged_pair *const *)b;
    int order = x->kind - y->kind;

    order = order ? order : memcmp(x->dst, y->dst, sizeof x->dst);
    if (order)
        return order;
    if (x->first_ns != y->first_ns)
        return x->first_ns < y->first_ns ? -1 : 1;
    return memcmp(x->src, y->src, sizeof x->src);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool same_target(const struct merged_pair *a, const struct merged_pair *b)
{
    return a->kind == b->kind && memcmp(a->dst, b->dst, sizeof a->dst) == 0;
}

/* The largest number of these n pairs that overlap. It is reached when one of them begins. */
static unsigned overlap(const struct merged_pair **pair, size_t n, uint64_t *ends)
{
    unsigned most = 0;
    size_t over = 0;

    for (size_t i = 0; i < n; i++)
        ends[i] = pair[i]->last_ns;
    qsort(ends, n, sizeof *ends, by_time);
    for (size_t i = 0; i < n; i++) {
        while (ends[over] < pair[i]->first_ns)
            over++;
        most = i + 1 - over > most ? (unsigned)(i + 1 - over) : most;
    }
    return most;
}

unsigned merged_incast(const struct merged *m, const struct merged_pair **to)
{
    const struct merged_pair **pair = calloc(m->n_pair ? m->n_pair : 1, sizeof *pair);
    uint64_t *ends = calloc(m->n_pair ? m->n_pair : 1, sizeof *ends);
    unsigned most = 0;
    size_t n = 0;

    for (size_t i = 0; pair && i < m->n_pair; i++)
        if (m->pair[i].payload > 0 && m->pair[i].last_ns > 0)
            pair[n++] = &m->pair[i];
    if (n > 0)
        qsort(pair, n, sizeof *pair, by_begin);
    for (size_t from = 0, end; ends && from < n; from = end) {
        for (end = from + 1; end < n && same_target(pair[from], pair[end]);)
            end++;
        const unsigned beside = overlap(pair + from, end - from, ends);
        *to = beside > most ? pair[from] : *to;
        most = beside > most ? beside : most;
    }
    free(pair);
    free(ends);
    return most;
}

/* ---- the table ---- */

static void number(struct out *o, uint64_t n)
{
    OUT_LIT(o, "</td><td class=\"n\">");
    out_u64(o, n);
}

static uint64_t all_payload(const struct merged *m)
{
    uint64_t all = 0;

    for (size_t i = 0; i < m->n_pair; i++)
        all = summary_sum(all, m->pair[i].payload);
    return all;
}

static void pairs(const struct merged *m, struct out *o, uint64_t all)
{
    OUT_LIT(o,
            "<h2>Host by host</h2>\n<table class=\"hosts\">\n<tr><th>From</th><th>To</th><th>Connections</th>"
            "<th>Packets</th><th>Payload bytes</th><th>Share</th><th>Sent again</th><th>Errors, warnings</th></tr>\n");
    for (size_t i = 0; i < m->n_pair && i < MERGED_PAIRS; i++) {
        const struct merged_pair *p = &m->pair[i];
        OUT_LIT(o, "<tr><td>");
        stat_addr_print(o, (enum iba_addr_kind)p->kind, p->src);
        OUT_LIT(o, "</td><td>");
        stat_addr_print(o, (enum iba_addr_kind)p->kind, p->dst);
        number(o, p->directions);
        number(o, p->packets);
        number(o, p->payload);
        OUT_LIT(o, "</td><td class=\"n\">");
        perf_say_percent(o, p->payload, all);
        number(o, p->again);
        number(o, p->bad);
        OUT_LIT(o, "</td></tr>\n");
    }
    OUT_LIT(o, "</table>\n");
    if (m->n_pair > MERGED_PAIRS) {
        OUT_LIT(o, "<p>");
        report_counted(o, m->n_pair - MERGED_PAIRS, "more pair");
        OUT_LIT(o, " with less payload are not listed.</p>\n");
    }
}

/* ---- the matrix ---- */

struct host {
    const uint8_t *addr;
    uint8_t kind;
    uint64_t payload; /* payload from and to the host */
};

static int by_addr(const void *a, const void *b)
{
    const struct host *x = a, *y = b;

    return x->kind != y->kind ? x->kind - y->kind : memcmp(x->addr, y->addr, IBA_ADDR_MOST);
}

static int by_load(const void *a, const void *b)
{
    const struct host *x = a, *y = b;

    if (x->payload != y->payload)
        return x->payload > y->payload ? -1 : 1;
    return by_addr(a, b);
}

/* The hosts with the most payload, in the order of their addresses; *all: the number of all hosts. The caller frees the
 * array. NULL: out of memory. */
static struct host *busiest(const struct merged *m, size_t *n, size_t *all)
{
    struct host *host = calloc(2 * m->n_pair, sizeof *host);

    if (!host)
        return NULL;
    for (size_t i = 0; i < 2 * m->n_pair; i++) {
        const struct merged_pair *p = &m->pair[i / 2];
        host[i] = (struct host){i % 2 ? p->dst : p->src, p->kind, p->payload};
    }
    qsort(host, 2 * m->n_pair, sizeof *host, by_addr);
    *all = 0;
    for (size_t i = 0; i < 2 * m->n_pair; i++)
        if (*all > 0 && by_addr(&host[*all - 1], &host[i]) == 0)
            host[*all - 1].payload = summary_sum(host[*all - 1].payload, host[i].payload);
        else
            host[(*all)++] = host[i];
    qsort(host, *all, sizeof *host, by_load);
    *n = *all < MERGED_HOSTS ? *all : MERGED_HOSTS;
    qsort(host, *n, sizeof *host, by_addr);
    return host;
}

/* The pair from each of these hosts, the row, to each, the column; NULL: they exchange nothing. */
struct cells {
    const struct merged_pair *pair[MERGED_HOSTS][MERGED_HOSTS];
};

static struct cells cells_of(const struct merged *m, const struct host *host, size_t n)
{
    struct cells c = {0};

    for (size_t i = 0; i < m->n_pair; i++) {
        const struct merged_pair *p = &m->pair[i];
        const struct host src = {.addr = p->src, .kind = p->kind}, dst = {.addr = p->dst, .kind = p->kind};
        const struct host *from = bsearch(&src, host, n, sizeof *host, by_addr);
        const struct host *to = from ? bsearch(&dst, host, n, sizeof *host, by_addr) : NULL;
        if (to)
            c.pair[from - host][to - host] = p;
    }
    return c;
}

/* Writes the share as words and as a shade; the busiest pair is the darkest. */
static void matrix_cell(struct out *o, const struct merged_pair *p, uint64_t most, uint64_t all)
{
    if (!p || p->payload == 0) {
        OUT_LIT(o, "<td></td>");
        return;
    }
    OUT_LIT(o, "<td class=\"n\" style=\"background: color-mix(in srgb, var(--note) ");
    out_u64(o, (uint64_t)((double)p->payload * 60 / (double)most) + 5);
    OUT_LIT(o, "%, transparent)\">");
    perf_say_percent(o, p->payload, all);
    OUT_LIT(o, "</td>");
}

static void matrix(const struct merged *m, struct out *o, uint64_t all_bytes)
{
    size_t n, all;
    struct host *host = busiest(m, &n, &all);

    if (!host)
        return;
    const struct cells cells = cells_of(m, host, n);
    OUT_LIT(o, "<table class=\"matrix\">\n<caption>Share of all payload, from the host of the row to that of the "
               "column</caption>\n<tr><th></th>");
    for (size_t i = 0; i < n; i++) {
        OUT_LIT(o, "<th>");
        stat_addr_print(o, (enum iba_addr_kind)host[i].kind, host[i].addr);
        OUT_LIT(o, "</th>");
    }
    OUT_LIT(o, "</tr>\n");
    for (size_t i = 0; i < n; i++) {
        OUT_LIT(o, "<tr><th>");
        stat_addr_print(o, (enum iba_addr_kind)host[i].kind, host[i].addr);
        OUT_LIT(o, "</th>");
        for (size_t k = 0; k < n; k++)
            matrix_cell(o, cells.pair[i][k], m->pair[0].payload, all_bytes);
        OUT_LIT(o, "</tr>\n");
    }
    OUT_LIT(o, "</table>\n");
    if (all > n) {
        OUT_LIT(o, "<p>");
        report_counted(o, all - n, "more host");
        OUT_LIT(o, " with less payload are not in the matrix.</p>\n");
    }
    free(host);
}

void merged_hosts(const struct merged *m, struct out *o)
{
    const uint64_t all = all_payload(m);

    if (m->n_pair == 0)
        return;
    pairs(m, o, all);
    if (all > 0)
        matrix(m, o, all);
}
