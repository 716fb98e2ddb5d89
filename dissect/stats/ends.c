#include "stats/ends.h"
#include <stdlib.h>
#include "track/addr.h"

static void print_addr(struct out *o, const struct direction *d, bool source)
{
    stat_addr_print(o, (enum stat_addr_kind)d->key.kind, source ? d->key.src : d->key.dst);
}

/* Of the longest address */
static uint8_t width(struct out *o, const struct direction *const *d, size_t n, bool source)
{
    uint8_t widest = sizeof "Destination" - 1;

    for (size_t i = 0; i < n; i++)
        widest =
            stat_addr_wider(o, widest, (enum stat_addr_kind)d[i]->key.kind, source ? d[i]->key.src : d[i]->key.dst);
    return widest;
}

void ends_columns(struct out *o, struct column column[ENDS_COLUMNS], const struct direction *const *d, size_t n)
{
    column[0] = (struct column){"Source", width(o, d, n, true), true};
    column[1] = (struct column){"Source QP", 9, true};
    column[2] = (struct column){"Destination", width(o, d, n, false), true};
    column[3] = (struct column){"Dest QP", 8, true};
    column[4] = (struct column){"Service", 7, true};
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
    json_str(o, "address", stat_addr_kind_name((enum stat_addr_kind)d->key.kind));
    json_addr(o, "src", d, true);
    json_known(o, "source_qp", d->knows_source_qp, d->source_qp);
    json_addr(o, "dst", d, false);
    json_u64(o, "dest_qp", d->key.qpn);
    json_str(o, "service", iba_svc_name((enum iba_svc)d->svc));
    json_key(o, "guess");
    out_str(o, d->guess ? "true" : "false");
}

struct place {
    const struct direction *d;
    uint64_t weight; /* of the connection */
    uint32_t first;  /* id of the direction that began it */
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->d->id < y->d->id ? -1 : x->d->id > y->d->id;
}

void ends_sort(const struct direction **order, const struct direction *const *d, const uint64_t *weight, size_t n)
{
    struct place *place = calloc(n + 1, sizeof *place);
    uint64_t *of = calloc(JUDGE_DIRECTIONS, sizeof *of);

    for (size_t i = 0; of && i < n; i++)
        of[d[i]->id] = weight[i];
    for (size_t i = 0; place && of && i < n; i++) {
        const uint32_t peer = d[i]->peer;
        place[i].d = d[i];
        place[i].first = peer && peer - 1 < d[i]->id ? peer - 1 : d[i]->id;
        place[i].weight = weight[i] + (peer ? of[peer - 1] : 0);
    }
    if (place && of)
        qsort(place, n, sizeof *place, by_place);
    for (size_t i = 0; i < n; i++)
        order[i] = place && of ? place[i].d : d[i]; /* without memory: as they began */
    free(place);
    free(of);
}
