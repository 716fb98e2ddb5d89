/* SPDX-License-Identifier: BSD-2-Clause */
/* -T jsonl: one flat object for each packet, with numbers as numbers, and no key twice. A field that occurs several
 * times (tunnels) is an array. Keys are prepared once, since scripts read gigabytes of this form. */
#include <stdlib.h>
#include "field/computed.h"
#include "field/put.h"
#include "field/show.h"
#include "output/printer.h"

struct key {
    const char *text; /* ,"infiniband.bth.psn": */
    uint8_t len;
};
/* Bytes of a copied key. A copy of constant size takes few instructions, and the next text overwrites the bytes after
 * the key. */
enum { MAX_ROWS = 24, KEY_ROOM = 64 * 1024, KEY_COPY = 64, ROW_MOST = 320 };

/* How a row of a header is written: the offset of its bytes, and the fast method for its kind of value. */
enum value_form { FORM_NUMBER, FORM_FLAG, FORM_MAC, FORM_IP4, FORM_OTHER };
struct plan {
    const struct iba_field *row;
    struct key key, name; /* name: the key of the code's name; it has no text where codes have no names */
    uint64_t mask;
    uint8_t first, bytes, shift, unit, value_form;
    bool reserved;
};

static struct {
    bool built;
    struct plan plan[IBA_H_COUNT][MAX_ROWS];
    unsigned n[IBA_H_COUNT];
    struct key computed[COMPUTED_COUNT];
    char room[KEY_ROOM];
    size_t used;
} keys;

static struct key key_of(const char *prefix, const char *leaf, const char *tail)
{
    struct key k = {keys.room + keys.used, 0};
    char *at = keys.room + keys.used;
    const bool whole = leaf[0] == '=' || !prefix[0];
    const char *part[] = {",\"", whole ? "" : prefix, whole ? "" : ".", leaf[0] == '=' ? leaf + 1 : leaf, tail, "\":"};

    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const size_t n = strlen(part[i]);
        if (keys.used + n + KEY_COPY > KEY_ROOM || k.len + n > KEY_COPY)
            abort(); /* the tables exceed the array: a fault of this program, detected at the first run */
        memcpy(at, part[i], n);
        at += n;
        keys.used += n;
        k.len = (uint8_t)(k.len + n);
    }
    return k;
}

static struct plan plan_of(const struct iba_hdr_info *info, const struct iba_field *row)
{
    static const uint8_t value_form[IBA_SHOW_COUNT] = {
        [IBA_SHOW_FLAG] = FORM_FLAG, [IBA_SHOW_MAC] = FORM_MAC,     [IBA_SHOW_IP4] = FORM_IP4,
        [IBA_SHOW_IP6] = FORM_OTHER, [IBA_SHOW_BYTES] = FORM_OTHER,
    };
    const unsigned last = (row->at + row->bits - 1u) / 8;
    struct plan p = {.row = row, .key = key_of(info->prefix, row->name, "")};

    if (row->values != IBA_VALUES_NONE)
        p.name = key_of(info->prefix, row->name, ".name");
    p.first = (uint8_t)(row->at / 8);
    p.bytes = (uint8_t)(last + 1 - p.first);
    p.shift = (uint8_t)(7 - (row->at + row->bits - 1u) % 8);
    p.mask = row->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << row->bits) - 1;
    p.unit = iba_shows[row->show].unit;
    p.value_form = value_form[row->show];
    p.reserved = row->vis == IBA_VIS_R;
    return p;
}

static void build_keys(void)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++)
        for (unsigned i = 0; i < iba_headers[h].n_field; i++) {
            if (iba_headers[h].field[i].vis == IBA_VIS_H)
                continue;
            if (keys.n[h] == MAX_ROWS)
                abort();
            keys.plan[h][keys.n[h]++] = plan_of(&iba_headers[h], &iba_headers[h].field[i]);
        }
    for (unsigned c = 0; c < COMPUTED_COUNT; c++)
        keys.computed[c] = key_of("", computed_fields[c].name, "");
    keys.built = true;
}

static inline char *put_key(char *p, const struct key *k)
{
    memcpy(p, k->text, KEY_COPY);
    return p + k->len;
}

static void write_key(struct out *o, const struct key *k)
{
    out_advance(o, put_key(out_cursor(o, KEY_COPY), k));
}

static void jsonl_value(struct out *o, const struct value *v)
{
    switch (v->type) {
    case FIELD_UINT: out_u64(o, v->u); return;
    case FIELD_BOOL: out_short(o, v->u ? "true" : "false", v->u ? 4 : 5); return;
    case FIELD_TIME: out_time(o, v->ns); return;
    case FIELD_PRESENCE:
        if (v->len == 0) {
            OUT_LIT(o, "true");
            return;
        }
        break;
    default: break;
    }
    out_ch(o, '"');
    if (v->type == FIELD_TEXT)
        out_json(o, (const char *)v->bytes, v->len);
    else
        show_script(o, v);
    out_ch(o, '"');
}

static bool zero(const uint8_t *p, size_t n)
{
    while (n > 0 && *p == 0)
        p++, n--;
    return n == 0;
}

static inline uint64_t load(const struct plan *r, const uint8_t *wire)
{
    uint64_t v = wire[r->first];

    for (unsigned i = 1; i < r->bytes; i++)
        v = v << 8 | wire[r->first + i];
    return (v >> r->shift & r->mask) * r->unit;
}

static char *put_text(char *p, const char *s)
{
    const size_t n = strlen(s);

    memcpy(p, s, n);
    return p + n;
}

static inline char *put_value(char *p, const struct plan *r, uint64_t v)
{
    switch (r->value_form) {
    case FORM_FLAG: memcpy(p, v ? "true " : "false", 5); return p + (v ? 4 : 5);
    case FORM_MAC:
        *p++ = '"';
        p = put_mac(p, v);
        break;
    case FORM_IP4:
        *p++ = '"';
        p = put_ip4(p, (uint32_t)v);
        break;
    default: return put_u64(p, v);
    }
    *p++ = '"';
    return p;
}

static bool written(const struct plan *r, const uint8_t *wire)
{
    if (!iba_field_present(r->row, wire))
        return false;
    return !r->reserved || (r->value_form == FORM_OTHER ? !zero(wire + r->first, r->bytes) : load(r, wire) != 0);
}

/* Writes fields that are wider than a number. */
static void row_wide(struct out *o, const struct plan *r, const uint8_t *wire)
{
    const struct value v = field_row_value(r->row, wire);

    jsonl_value(o, &v);
}

/* The result of the last condition. Neighbouring rows often share a condition, which is then evaluated once. */
struct known {
    struct iba_condition when;
    bool holds;
};

static inline bool holds(const struct iba_condition *c, struct known *k, const uint8_t *wire)
{
    if (c->cmp == IBA_CMP_ALWAYS)
        return true;
    if (c->cmp != k->when.cmp || c->at != k->when.at || c->value != k->when.value) {
        const struct iba_field row = {.when = *c};
        k->when = *c;
        k->holds = iba_field_present(&row, wire);
    }
    return k->holds;
}

static void header_once(struct out *o, unsigned h, const uint8_t *wire)
{
    char *p = out_cursor(o, (size_t)keys.n[h] * ROW_MOST);
    struct known known = {.holds = true};
    const char *name;

    for (const struct plan *r = keys.plan[h]; r < keys.plan[h] + keys.n[h]; r++) {
        if (!(r->reserved ? written(r, wire) : holds(&r->row->when, &known, wire)))
            continue;
        p = put_key(p, &r->key);
        if (r->value_form == FORM_OTHER) {
            out_advance(o, p);
            row_wide(o, r, wire);
            p = out_cursor(o, (size_t)keys.n[h] * ROW_MOST);
            continue;
        }
        const uint64_t v = load(r, wire);
        p = put_value(p, r, v);
        if (r->name.text && (name = iba_value_name((enum iba_vocabulary)r->row->values, v))) {
            p = put_key(p, &r->name);
            *p++ = '"';
            p = put_text(p, name);
            *p++ = '"';
        }
    }
    out_advance(o, p);
}

static void row_array(struct out *o, unsigned h, const struct plan *r, const struct iba_view *view)
{
    bool any = false;

    for (unsigned k = 0; k < view->n_layer; k++) {
        const uint8_t *wire = view->wire + view->layer[k].at;
        if (view->layer[k].hdr != h || !written(r, wire))
            continue;
        if (!any)
            write_key(o, &r->key);
        out_ch(o, any ? ',' : '[');
        any = true;
        row_wide(o, r, wire);
    }
    if (any)
        out_ch(o, ']');
}

/* Whether an earlier layer has written these keys: a layer of the same header, or of another header with the same
 * prefix. *several: other layers have the same header. */
static bool taken(const struct iba_view *v, unsigned at, bool *several)
{
    *several = false;
    for (unsigned k = 0; k < v->n_layer; k++) {
        if (k == at)
            continue;
        const bool same = v->layer[k].hdr == v->layer[at].hdr;
        if (k < at && (same || iba_headers[v->layer[k].hdr].prefix == iba_headers[v->layer[at].hdr].prefix))
            return true;
        *several |= same;
    }
    return false;
}

static void jsonl_computed(struct out *o, const struct packet *p, enum computed c)
{
    struct value v;

    if (!computed_value(c, p, &v))
        return;
    write_key(o, &keys.computed[c]);
    jsonl_value(o, &v);
}

struct list {
    struct out *o;
    bool array, any;
};

static bool list_value(void *ctx, const struct value *v)
{
    struct list *l = ctx;

    if (l->any)
        out_ch(l->o, ',');
    l->any = true;
    jsonl_value(l->o, v);
    return true;
}

static bool count_value(void *ctx, const struct value *v)
{
    (void)v;
    return ++*(unsigned *)ctx < 2;
}

static void jsonl_field(struct out *o, const struct packet *p, const struct field *f, bool array)
{
    struct list l = {o, array, false};

    out_ch(o, '"');
    out_str(o, f->name);
    OUT_LIT(o, "\":");
    if (l.array)
        out_ch(o, '[');
    field_values(f, p, list_value, &l);
    if (l.array)
        out_ch(o, ']');
}

static void jsonl_several(void *ctx, const struct packet *p, const struct field *f, unsigned values)
{
    out_ch(ctx, ',');
    jsonl_field(ctx, p, f, values > 1);
}

static void jsonl_selected(struct out *o, const struct packet *p, const struct print_opts *opts)
{
    bool comma = false;

    for (size_t i = 0; i < opts->n_field; i++) {
        unsigned n = 0;
        field_values(opts->field[i], p, count_value, &n);
        if (n == 0)
            continue;
        if (comma)
            out_ch(o, ',');
        comma = true;
        jsonl_field(o, p, opts->field[i], n > 1);
    }
}

static void jsonl_layers(struct out *o, const struct iba_view *v)
{
    for (unsigned k = 0; k < v->n_layer; k++) {
        const unsigned h = v->layer[k].hdr;
        bool several;
        if (taken(v, k, &several))
            continue;
        if (!several)
            header_once(o, h, v->wire + v->layer[k].at);
        else
            for (unsigned i = 0; i < keys.n[h]; i++)
                row_array(o, h, &keys.plan[h][i], v);
    }
}

void print_jsonl(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    static const uint8_t head[] = {COMPUTED_frame_time_epoch, COMPUTED_frame_time_ns, COMPUTED_frame_time_relative,
                                   COMPUTED_frame_len,        COMPUTED_frame_cap_len, COMPUTED_frame_comment,
                                   COMPUTED_encapsulation,    COMPUTED_service};
    static const uint8_t tail[] = {COMPUTED_payload_len, COMPUTED_icrc,         COMPUTED_icrc_status, COMPUTED_vcrc,
                                   COMPUTED_vcrc_status, COMPUTED_lpcrc_status, COMPUTED_truncated,   COMPUTED_fault};

    (void)first;
    if (!keys.built)
        build_keys();
    out_ch(o, '{');
    if (opts->n_field > 0)
        jsonl_selected(o, p, opts);
    else {
        OUT_LIT(o, "\"frame.number\":");
        out_u64(o, p->number);
        for (size_t i = 0; i < sizeof head; i++)
            jsonl_computed(o, p, (enum computed)head[i]);
        if (opts->sources)
            jsonl_computed(o, p, COMPUTED_frame_file);
        jsonl_layers(o, &p->view);
        for (size_t i = 0; i < sizeof tail; i++)
            jsonl_computed(o, p, (enum computed)tail[i]);
        for (unsigned c = COMPUTED_MAD; c < COMPUTED_MAD_END && mad_context_any(&p->mad_context); c++)
            jsonl_computed(o, p, (enum computed)c);
        field_mad(p, jsonl_several, o);
        field_analysis(p, jsonl_several, o);
        if (opts->hex)
            jsonl_computed(o, p, COMPUTED_payload);
    }
    OUT_LIT(o, "}\n");
}
