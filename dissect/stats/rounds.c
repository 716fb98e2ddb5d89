/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/rounds.h"
#include <string.h>

static const uint64_t LEAST_QUIET_NS = 10000, MOST_QUIET_NS = UINT64_C(60000000000);

static void join(struct burst *to, const struct burst *from)
{
    to->end = from->end;
    for (unsigned h = 0; h < ROUND_HOSTS; h++) {
        if (to->part[h].packets == 0)
            to->part[h].begin = from->part[h].begin;
        to->part[h].packets += from->part[h].packets;
        to->part[h].bytes += from->part[h].bytes;
    }
}

/* Joins bursts that are separated by a silence shorter than `quiet`. */
static void fold(struct rounds *r, uint64_t quiet)
{
    unsigned n = 0;

    r->quiet = quiet;
    for (unsigned i = 0; i < r->n; i++) {
        if (n > 0 && r->burst[i].begin - r->burst[n - 1].end < quiet)
            join(&r->burst[n - 1], &r->burst[i]);
        else if (n++ != i)
            r->burst[n - 1] = r->burst[i];
    }
    r->n = n;
}

static struct burst *burst_at(struct rounds *r, uint64_t ns)
{
    r->quiet = r->quiet ? r->quiet : LEAST_QUIET_NS;
    while (r->n == ROUND_BURSTS && ns - r->burst[r->n - 1].end >= r->quiet)
        fold(r, 2 * r->quiet);
    if (r->n == 0 || ns - r->burst[r->n - 1].end >= r->quiet) {
        memset(&r->burst[r->n], 0, sizeof *r->burst);
        r->burst[r->n++].begin = ns;
    }
    return &r->burst[r->n - 1];
}

void rounds_packet(struct rounds *r, unsigned host, uint64_t ns, uint64_t bytes)
{
    struct burst *b = burst_at(r, ns);

    b->end = ns;
    if (host >= ROUND_HOSTS)
        return;
    struct round_part *p = &b->part[host];
    if (p->packets++ == 0)
        p->begin = ns;
    p->bytes += bytes;
}

static bool same(const struct burst *a, const struct burst *b)
{
    for (unsigned h = 0; h < ROUND_HOSTS; h++)
        if (a->part[h].packets != b->part[h].packets || a->part[h].bytes != b->part[h].bytes)
            return false;
    return true;
}

const struct burst *rounds_pattern(const struct rounds *r)
{
    return &r->burst[r->n / 2];
}

static bool repeats(const struct rounds *r)
{
    unsigned hosts = 0, alike = 0;

    if (r->n < ROUNDS_LEAST || r->others)
        return false;
    for (unsigned h = 0; h < ROUND_HOSTS; h++)
        hosts += rounds_pattern(r)->part[h].packets > 0;
    for (unsigned i = 1; i + 1 < r->n; i++)
        alike += same(&r->burst[i], rounds_pattern(r));
    return hosts >= ROUND_LEAST_HOSTS && 10 * alike >= 9 * (r->n - 2);
}

bool rounds_find(struct rounds *r)
{
    for (uint64_t quiet = r->quiet; r->n >= ROUNDS_LEAST && quiet < MOST_QUIET_NS; quiet *= 2) {
        fold(r, quiet);
        if (repeats(r))
            return true;
    }
    return false;
}

static void count(const struct burst *b, struct round_host *to)
{
    unsigned last = ROUND_HOSTS;
    uint64_t first = UINT64_MAX, latest = 0, before = 0;

    for (unsigned h = 0; h < ROUND_HOSTS; h++) {
        if (b->part[h].packets == 0)
            continue;
        const uint64_t at = b->part[h].begin;
        first = at < first ? at : first;
        if (last == ROUND_HOSTS || at > latest) {
            before = last == ROUND_HOSTS ? at : latest;
            latest = at;
            last = h;
        } else if (at > before)
            before = at;
    }
    for (unsigned h = 0; h < ROUND_HOSTS; h++)
        if (b->part[h].packets > 0) {
            to[h].after += b->part[h].begin - first;
            to[h].waits += latest - b->part[h].begin;
        }
    to[last].last++;
    to[last].behind += latest - before;
}

unsigned rounds_count(const struct rounds *r, struct round_host *to)
{
    unsigned n = 0;

    memset(to, 0, ROUND_HOSTS * sizeof *to);
    for (unsigned i = 0; i < r->n; i++)
        if (same(&r->burst[i], rounds_pattern(r))) {
            count(&r->burst[i], to);
            n++;
        }
    return n;
}
