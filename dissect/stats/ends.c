/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/ends.h"
#include <stdlib.h>
#include <string.h>
#include "track/addr.h"

static void print_addr(struct out *o, const struct direction *d, bool source)
{
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, source ? d->key.src : d->key.dst);
}

/* Makes the columns as wide as the longest addresses. */
static void widen(struct out *o, struct column *source, struct column *destination, const struct iba_flow_key *k)
{
    source->width = stat_addr_wider(o, source->width, (enum iba_addr_kind)k->kind, k->src);
    destination->width = stat_addr_wider(o, destination->width, (enum iba_addr_kind)k->kind, k->dst);
}

static size_t hash_of(const struct iba_flow_key *k)
{
    uint64_t h = 0;

    for (unsigned at = 0; at < 128; at += 64)
        h = (h * 31 + iba_bits_get(k->src, at, 64)) * 31 + iba_bits_get(k->dst, at, 64);
    return (size_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

void ends_columns(struct out *o, struct column column[ENDS_COLUMNS], const struct direction *const *d, size_t n)
{
    enum { SEEN = 64 };
    const struct direction *seen[SEEN] = {
        NULL}; /* many directions have the same addresses, so most of these need no computation */

    column[0] = (struct column){"Source", sizeof "Destination" - 1, true};
    column[1] = (struct column){"Source QP", 9, true};
    column[2] = (struct column){"Destination", sizeof "Destination" - 1, true};
    column[3] = (struct column){"Dest QP", 8, true};
    column[4] = (struct column){"Service", 7, true};
    for (size_t i = 0; i < n; i++) {
        const struct direction **const at = &seen[hash_of(&d[i]->key) % SEEN];
        if (!*at || !direction_same_ends(*at, d[i]))
            widen(o, &column[0], &column[2], &d[i]->key);
        *at = d[i];
    }
}

static void cell_hex(struct table *t, uint32_t v, const char *behind)
{
    table_begin(t);
    out_hex(t->o, v, 6);
    out_str(t->o, behind);
    table_end(t);
}

void ends_cells(struct table *t, const struct direction *d)
{
    table_begin(t);
    print_addr(t->o, d, true);
    table_end(t);
    if (d->knows_source_qp)
        cell_hex(t, d->source_qp, d->guess ? "?" : "");
    else
        table_str(t, "-");
    table_begin(t);
    print_addr(t->o, d, false);
    table_end(t);
    cell_hex(t, d->key.qpn, "");
    table_str(t, iba_svc_name((enum iba_svc)d->svc));
}

static void json_addr(struct out *o, const char *key, const struct direction *d, bool source)
{
    json_key(o, key);
    out_ch(o, '"');
    print_addr(o, d, source);
    out_ch(o, '"');
}

void ends_json(struct out *o, const struct direction *d)
{
    json_str(o, "address", stat_addr_kind_name((enum iba_addr_kind)d->key.kind));
    json_addr(o, "src", d, true);
    json_known(o, "source_qp", d->knows_source_qp, d->source_qp);
    json_addr(o, "dst", d, false);
    json_u64(o, "dest_qp", d->key.qpn);
    json_str(o, "service", iba_svc_name((enum iba_svc)d->svc));
    json_key(o, "guess");
    out_str(o, d->guess ? "true" : "false");
}

/* The id of the connection's direction whose first packet came first. */
static uint32_t first_of(const struct direction *d)
{
    return d->peer && d->peer - 1 < d->id ? d->peer - 1 : d->id;
}

struct place {
    const struct direction *d;
    uint64_t weight; /* weight of the whole connection */
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const uint32_t first = first_of(x->d), other = first_of(y->d);

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    if (first != other)
        return first < other ? -1 : 1;
    return x->d->id < y->d->id ? -1 : x->d->id > y->d->id;
}

static uint64_t weight_of(const struct direction *d, ends_weight *weight, const void *ctx)
{
    return weight ? weight(ctx, d->id) + (d->peer ? weight(ctx, d->peer - 1) : 0) : 0;
}

/* Sorts by the order of first packets. A search for each direction would take too long, so each direction is put
 * directly into its place. */
static bool sort_by_first(const struct direction **d, size_t n)
{
    uint32_t ids = 0;

    for (size_t i = 0; i < n; i++)
        ids = first_of(d[i]) < ids ? ids : first_of(d[i]) + 1;
    const struct direction **to = calloc(n + 1, sizeof *to);
    uint32_t *at = calloc((size_t)ids + 1, sizeof *at);

    if (!to || !at) {
        free(to);
        free(at);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        at[first_of(d[i]) + 1]++;
    for (size_t i = 0; i < ids; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = at[first_of(d[i])]++;
        for (; slot > 0 && to[slot - 1] && first_of(to[slot - 1]) == first_of(d[i]) && to[slot - 1]->id > d[i]->id;
             slot--)
            to[slot] = to[slot - 1];
        to[slot] = d[i];
    }
    memcpy(d, to, n * sizeof *d);
    free(to);
    free(at);
    return true;
}

void ends_sort(const struct direction **d, size_t n, ends_weight *weight, const void *ctx)
{
    size_t heavy = 0, left = n;

    if (!sort_by_first(d, n)) /* without memory the order is that in which they began */
        return;
    for (size_t i = 0; i < n; i++)
        heavy += weight_of(d[i], weight, ctx) > 0;
    struct place *place = heavy ? calloc(heavy, sizeof *place) : NULL;
    if (!place)
        return;
    for (size_t i = n, h = heavy; i-- > 0;) {
        const uint64_t w = weight_of(d[i], weight, ctx);
        if (w > 0)
            place[--h] = (struct place){d[i], w};
        else
            d[--left] = d[i];
    }
    qsort(place, heavy, sizeof *place, by_place);
    for (size_t i = 0; i < heavy; i++)
        d[i] = place[i].d;
    free(place);
}
