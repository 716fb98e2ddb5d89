/* -z mad: management datagrams by class, method, attribute and status, and how long answers took. */
#include "mad/iba_mad.h"
#include <stdlib.h>
#include "stats/addr.h"
#include "stats/kinds.h"

enum { ROWS = 1024, WAITING = 4096, SLOTS = 2 * ROWS, WAYS = 16 };

struct key {
    uint8_t class, method;
    uint16_t attribute, status;
    uint16_t pad; /* 0: the key is compared as bytes */
};
struct row {
    struct key key;
    uint64_t count, first_frame, answers;
    int64_t least_ns, most_ns, sum_ns;
};
/* A request that may be answered: who asked whom, in which transaction. */
struct request {
    struct stat_addrs addrs;
    uint64_t transaction;
    uint8_t class;
    bool waits;
    int64_t ns;
};
struct mads {
    struct row row[ROWS];
    uint16_t slot[SLOTS], order[ROWS];
    size_t n;
    uint64_t packets, beyond, cut, unanswered, lost;
    struct request waiting[WAITING]; /* near their transaction's place */
};

void *stat_mad_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("mad", sizeof(struct mads), arg, err, errlen);
}

static struct row *row_of(struct mads *s, const struct key *k)
{
    const size_t at = stat_slot(s->slot, SLOTS, s->row, sizeof *s->row, k, sizeof *k);

    if (s->slot[at])
        return &s->row[s->slot[at] - 1];
    if (s->n == ROWS)
        return NULL;
    s->slot[at] = (uint16_t)++s->n;
    s->row[s->n - 1].key = *k;
    return &s->row[s->n - 1];
}

static bool is_of(const struct request *r, const uint8_t *src, const uint8_t *dst, const uint8_t *h)
{
    return r->waits && r->transaction == iba_madhdr_transactionid(h) && r->class == iba_madhdr_mgmtclass(h) &&
           memcmp(r->addrs.src, src, sizeof r->addrs.src) == 0 && memcmp(r->addrs.dst, dst, sizeof r->addrs.dst) == 0;
}

/* The request from there to there; when there is none, and a new one is to be put down: where, a free place or the one
 * of the oldest nearby. */
static struct request *place_of(struct mads *s, const uint8_t *src, const uint8_t *dst, const uint8_t *h, bool put)
{
    uint64_t at = (iba_madhdr_transactionid(h) ^ iba_madhdr_mgmtclass(h)) * UINT64_C(0x9e3779b97f4a7c15);
    struct request *best = NULL;

    at ^= at >> 32;
    for (unsigned i = 0; i < WAYS; i++) {
        struct request *r = &s->waiting[(at + i) % WAITING];
        if (is_of(r, src, dst, h))
            return r;
        if (!best || (best->waits && (!r->waits || r->ns < best->ns)))
            best = r;
    }
    return put ? best : NULL;
}

/* MD-11: a response has the method's highest bit; Send, Trap, Report and TrapRepress ask for nothing by themselves. */
static bool is_response(uint8_t method)
{
    return (method & 0x80) != 0;
}
static bool wants_answer(uint8_t method)
{
    enum { GET = 1, SET = 2, REPORT = 6, GET_TABLE = 0x12, DELETE = 0x15 };

    return method == GET || method == SET || method == REPORT || (method >= GET_TABLE && method <= DELETE);
}

static void asked(struct mads *s, const struct stat_addrs *a, const uint8_t *h, int64_t ns)
{
    struct request *r = place_of(s, a->src, a->dst, h, true);

    if (is_of(r, a->src, a->dst, h)) /* sent again: the first one counts */
        return;
    s->lost += r->waits;
    *r = (struct request){.addrs = *a, .transaction = iba_madhdr_transactionid(h), .waits = true, .ns = ns};
    r->class = iba_madhdr_mgmtclass(h);
    s->unanswered++;
}

static void answered(struct mads *s, const struct stat_addrs *a, const uint8_t *h, int64_t ns, struct row *row)
{
    struct request *r = place_of(s, a->dst, a->src, h, false);

    if (!r)
        return;
    const int64_t took = ns - r->ns;
    r->waits = false;
    s->unanswered--;
    row->least_ns = row->answers == 0 || took < row->least_ns ? took : row->least_ns;
    row->most_ns = row->answers == 0 || took > row->most_ns ? took : row->most_ns;
    row->sum_ns += took;
    row->answers++;
}

void stat_mad_packet(void *state, const struct packet *p)
{
    struct mads *s = state;
    struct stat_addrs addrs;
    struct iba_mad m;
    const uint8_t *h;

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
        k.status &= 0x7fff; /* above it is the direction */
    struct row *row = row_of(s, &k);
    if (!row) {
        s->beyond++;
        return;
    }
    row->first_frame = row->count++ == 0 ? p->number : row->first_frame;
    if (!stat_addrs_get(&addrs, &p->view) || !p->cap->has_ts)
        return;
    if (is_response(k.method))
        answered(s, &addrs, h, (int64_t)(p->cap->ts_ns - p->first_ns), row);
    else if (wants_answer(k.method))
        asked(s, &addrs, h, (int64_t)(p->cap->ts_ns - p->first_ns));
}

static const struct mads *sorted; /* qsort has no context */

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
    out_u64(o, s->unanswered);
    OUT_LIT(o, " (");
    out_u64(o, s->lost);
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
    json_u64(o, "unanswered", s->unanswered);
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
