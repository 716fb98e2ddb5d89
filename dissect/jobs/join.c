/* SPDX-License-Identifier: BSD-2-Clause */
#include "jobs/join.h"
#include <stdlib.h>
#include <string.h>
#include "jobs/deal.h"

struct place { /* a direction of one part */
    const struct direction *d;
    uint64_t began;
    uint32_t part;
};

/* Sorts directions by their first packets. No two are equal, since a packet is in one part only. */
static int by_begin(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    return x->d->id < y->d->id ? -1 : x->d->id > y->d->id;
}

static bool is_connected(const struct direction *d)
{
    return d->svc == IBA_RC || d->svc == IBA_UC || d->svc == IBA_XRC;
}

/* Sorts the directions of connected services by their destination. */
static int by_target(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int dst = memcmp(x->d->key.dst, y->d->key.dst, sizeof x->d->key.dst);

    if (x->d->key.kind != y->d->key.kind)
        return x->d->key.kind < y->d->key.kind ? -1 : 1;
    if (dst)
        return dst;
    return x->d->key.qpn < y->d->key.qpn ? -1 : x->d->key.qpn > y->d->key.qpn;
}

/* Whether two parts have packets from two senders to one QP. The observer compares such packets, so they must be in one
 * part. */
static bool share_a_target(struct place *p, size_t n)
{
    size_t connected = 0;

    for (size_t i = 0; i < n; i++)
        if (is_connected(p[i].d))
            p[connected++] = p[i];
    qsort(p, connected, sizeof *p, by_target);
    for (size_t i = 1; i < connected; i++)
        if (by_target(&p[i - 1], &p[i]) == 0 && p[i - 1].part != p[i].part)
            return true;
    return false;
}

/* Whether the result of the parts is that of one judge, whose tables must have room for all directions. With `several`
 * capture points any damaged packet prevents it: the observer looks for the damaged packet among packets of other
 * capture points, whatever its addresses are. */
static bool stands(const struct judge_part *part, unsigned n, bool several)
{
    uint64_t directions = 0, damaged = 0, congested = 0, numbers = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct iba_observer_part *o = &part[i].observer;
        directions += o->directions;
        numbers += part[i].n;
        damaged += o->damaged;
        if (part[i].native || o->depends || directions > o->most_directions || numbers >= JUDGE_DIRECTIONS ||
            congested & o->congested || damaged > (several ? 0 : o->most_damaged))
            return false;
        congested |= o->congested;
    }
    return true;
}

static size_t list(struct place *to, const struct judge_part *part, unsigned n)
{
    size_t at = 0;

    for (unsigned i = 0; i < n; i++)
        for (uint32_t k = 0; k < part[i].n; k++)
            to[at++] = (struct place){&part[i].direction[k], part[i].began[k], i};
    return at;
}

/* Numbers the directions of all parts as one judge would number them. */
static bool number(struct join *to, const struct judge_part *part, unsigned n)
{
    size_t all = 0, before[DEAL_WORKERS];

    for (unsigned i = 0; i < n; i++) {
        before[i] = all;
        all += part[i].n;
    }
    struct place *place = calloc(all + 1, sizeof *place);
    to->direction = calloc(all + 1, sizeof *to->direction);
    to->at = calloc(all + 1, sizeof *to->at);
    bool good = place && to->direction && to->at && list(place, part, n) == all && !share_a_target(place, all);
    if (good) {
        (void)list(place, part, n);
        qsort(place, all, sizeof *place, by_begin);
    }
    for (size_t i = 0; good && i < all; i++) {
        to->direction[i] = *place[i].d;
        to->direction[i].id = (uint32_t)i;
        to->at[before[place[i].part] + place[i].d->id] = &to->direction[i];
    }
    for (size_t i = 0; good && i < all; i++)
        if (place[i].d->peer)
            to->direction[i].peer = to->at[before[place[i].part] + place[i].d->peer - 1]->id + 1;
    free(place);
    return good;
}

static void name(struct join *to, struct worker *const *w, size_t captures)
{
    to->names.direction = to->direction;
    for (size_t i = 0; i < captures; i++)
        to->names.file[i] = cap_name(w[0]->team->reading.capture[i]);
}

/* Joins one statistic. */
static void *joined(const struct join *to, const struct options *opt, size_t stat, struct worker *const *w, unsigned n,
                    const struct judge_part *part)
{
    const struct stat_kind *kind = opt->stat[stat].kind;
    char err[256];
    void *state = kind->open(NULL, err, sizeof err);
    bool good = state != NULL;
    size_t before = 0;

    for (unsigned i = 0; good && i < n; i++) {
        good = kind->join(state, w[i]->state[stat], &(struct stat_part){to->at + before, &to->names});
        before += part[i].n;
    }
    if (good || !state)
        return state;
    kind->close(state);
    return NULL;
}

bool join_all(struct join *to, struct options *opt, struct worker *const *w, unsigned n, size_t captures, bool several)
{
    struct judge_part part[DEAL_WORKERS] = {0};
    void *state[MAX_STATS] = {NULL};
    bool good = true;

    for (unsigned i = 0; opt->judge && i < n; i++)
        part[i] = judge_part(w[i]->judge);
    good = stands(part, n, several) && number(to, part, n);
    if (good)
        name(to, w, captures);
    for (size_t i = 0; good && i < opt->n_stat; i++)
        good = (state[i] = joined(to, opt, i, w, n, part)) != NULL;
    for (size_t i = 0; i < opt->n_stat; i++) {
        void *const unused = good ? opt->stat[i].state : state[i];
        if (unused)
            opt->stat[i].kind->close(unused);
        opt->stat[i].state = good ? state[i] : opt->stat[i].state;
    }
    return good;
}

void join_close(struct join *j)
{
    free(j->direction);
    free(j->at);
}
