/* SPDX-License-Identifier: BSD-2-Clause */
/* -z mad: management datagrams by class, method, attribute and status, and response times. */
#include "mad/iba_mad.h"
#include <stdlib.h>
#include "field/bound.h"
#include "stats/kinds.h"
#include "track/mad_pair.h"

enum { ROWS = BOUND(1024, 16) };

struct key {
    uint8_t class, method;
    uint16_t attribute, status;
    uint16_t pad; /* always 0, since keys are compared as bytes */
};
struct row {
    struct key key;
    uint64_t count, first_frame, answers;
    int64_t least_ns, most_ns, sum_ns;
};
struct mads {
    struct row row[ROWS];
    uint32_t slot[2 * ROWS];
    uint16_t order[ROWS];
    size_t n;
    uint64_t packets, beyond, cut;
    struct mad_pairs pairs;
};

void *stat_mad_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("mad", sizeof(struct mads), arg, err, errlen);
}

static struct row *row_of(struct mads *s, const struct key *k)
{
    const struct stat_items rows = {s->row, sizeof *s->row, ROWS, &s->n, s->slot};
    const size_t at = stat_item_or_new(&rows, k, sizeof *k);

    return at ? &s->row[at - 1] : NULL;
}

static void answered(struct row *row, int64_t took)
{
    row->least_ns = row->answers == 0 || took < row->least_ns ? took : row->least_ns;
    row->most_ns = row->answers == 0 || took > row->most_ns ? took : row->most_ns;
    row->sum_ns += took;
    row->answers++;
}

void stat_mad_packet(void *state, const struct packet *p)
{
    struct mads *s = state;
    const struct mad_request *request;
    struct iba_mad m;
    const uint8_t *h;
    bool first = false;

    if (!iba_mad_in(&p->view))
        return;
    s->packets++;
    h = iba_mad_of(&m, &p->view) ? iba_mad_layout_at(&m, IBA_M_madhdr) : NULL;
    if (!h) {
        s->cut++;
        return;
    }
    struct key k = {iba_madhdr_mgmtclass(h), iba_madhdr_method(h), iba_madhdr_attributeid(h),
                    (uint16_t)iba_bits_get(h, IBA_AT_madhdr_status_class, 16), 0};
    if (k.class == IBA_CLASS_DIRECTED)
        k.status &= 0x7fff; /* the bit above is the direction of a directed route */
    struct row *row = row_of(s, &k);
    if (!row) {
        s->beyond++;
        return;
    }
    row->first_frame = row->count++ == 0 ? p->number : row->first_frame;
    request = mad_pair(&s->pairs, p, &m, h, &first);
    if (request && first && request->has_time && p->cap->has_ts)
        answered(row, (int64_t)(p->cap->ts_ns - p->first_ns) - request->ns);
}

static const struct mads *sorted; /* qsort() passes no context */

static int by_key(const void *a, const void *b)
{
    const struct key *x = &sorted->row[*(const uint16_t *)a].key, *y = &sorted->row[*(const uint16_t *)b].key;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->attribute != y->attribute)
        return x->attribute < y->attribute ? -1 : 1;
    if (x->method != y->method)
        return x->method < y->method ? -1 : 1;
    return x->status < y->status ? -1 : x->status > y->status;
}

static void name_or_code(struct out *o, const char *name, uint64_t code, unsigned digits)
{
    if (name)
        out_str(o, name);
    else
        out_hex(o, code, digits);
}

static const char *attribute_name(const struct key *k)
{
    const struct iba_mad_attr *a = iba_mad_attr(k->class, k->attribute);

    return a ? a->name : NULL;
}

static void time_cell(struct table *t, const struct row *r, int64_t ns)
{
    table_begin(t);
    if (r->answers)
        out_time(t->o, ns);
    else
        out_ch(t->o, '-');
    table_end(t);
}

static void print_row(struct table *t, const struct row *r)
{
    const struct key *k = &r->key;

    table_begin(t);
    name_or_code(t->o, iba_value_name(IBA_VALUES_MGMT_CLASS, k->class), k->class, 2);
    table_end(t);
    table_begin(t);
    name_or_code(t->o, attribute_name(k), k->attribute, 4);
    table_end(t);
    table_begin(t);
    name_or_code(t->o, iba_value_name(IBA_VALUES_MAD_METHOD, k->method), k->method, 2);
    table_end(t);
    table_begin(t);
    out_hex(t->o, k->status, 4);
    table_end(t);
    table_u64(t, r->count);
    table_u64(t, r->first_frame);
    time_cell(t, r, r->least_ns);
    time_cell(t, r, r->answers ? r->sum_ns / (int64_t)r->answers : 0);
    time_cell(t, r, r->most_ns);
}

static void print_text(const struct mads *s, struct out *o)
{
    static const struct column column[] = {{"Class", 25, true},
                                           {"Attribute", 29, true},
                                           {"Method", 12, true},
                                           {"Status", 6, true},
                                           {"Packets", 8, false},
                                           {"First", 7, false},
                                           {"Answer least (s)", 16, false},
                                           {"mean", 13, false},
                                           {"most", 13, false}};
    struct table t;

    table_open(&t, o, "Management datagrams", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < s->n; i++)
        print_row(&t, &s->row[s->order[i]]);
    table_rule(&t, '-');
    OUT_LIT(o, "Datagrams ");
    out_u64(o, s->packets);
    OUT_LIT(o, ", cut in the header ");
    out_u64(o, s->cut);
    OUT_LIT(o, ", of kinds that found no room ");
    out_u64(o, s->beyond);
    OUT_LIT(o, ", requests without an answer ");
    out_u64(o, s->pairs.unanswered);
    OUT_LIT(o, " (");
    out_u64(o, s->pairs.lost);
    OUT_LIT(o, " not waited for, for want of room)\n");
    table_close(&t);
}

static void row_json(struct out *o, const struct row *r)
{
    const struct key *k = &r->key;
    const char *class = iba_value_name(IBA_VALUES_MGMT_CLASS, k->class);
    const char *method = iba_value_name(IBA_VALUES_MAD_METHOD, k->method), *attribute = attribute_name(k);

    OUT_LIT(o, "{\"class\":");
    out_u64(o, k->class);
    json_str(o, "class_name", class ? class : "");
    json_u64(o, "attribute", k->attribute);
    json_str(o, "attribute_name", attribute ? attribute : "");
    json_u64(o, "method", k->method);
    json_str(o, "method_name", method ? method : "");
    json_u64(o, "status", k->status);
    json_u64(o, "packets", r->count);
    json_u64(o, "first_frame", r->first_frame);
    json_u64(o, "answers", r->answers);
    if (r->answers) {
        json_time(o, "least", r->least_ns);
        json_time(o, "mean", r->sum_ns / (int64_t)r->answers);
        json_time(o, "most", r->most_ns);
    }
    out_ch(o, '}');
}

static void print_json(const struct mads *s, struct out *o)
{
    OUT_LIT(o, "{\"stat\":\"mad\"");
    json_u64(o, "packets", s->packets);
    json_u64(o, "cut", s->cut);
    json_u64(o, "beyond", s->beyond);
    json_u64(o, "unanswered", s->pairs.unanswered);
    json_u64(o, "limit", ROWS);
    json_key(o, "rows");
    out_ch(o, '[');
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0)
            out_ch(o, ',');
        row_json(o, &s->row[s->order[i]]);
    }
    OUT_LIT(o, "]}\n");
}

void stat_mad_print(void *state, struct out *o, bool json)
{
    struct mads *s = state;

    for (size_t i = 0; i < s->n; i++)
        s->order[i] = (uint16_t)i;
    sorted = s;
    qsort(s->order, s->n, sizeof *s->order, by_key);
    (json ? print_json : print_text)(s, o);
}
