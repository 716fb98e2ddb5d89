/* SPDX-License-Identifier: BSD-2-Clause */
/* -T json and -T ek: tshark's structure, every value a string. */
#include <time.h>
#include "field/computed.h"
#include "field/show.h"
#include "output/printer.h"

struct json {
    struct out *o;
    bool ek; /* a packet is one line, dots become underscores, and a layer's name precedes each key */
    bool comma;
    unsigned depth;
    const char *group; /* the current layer: a prefix up to the first dot */
    size_t group_len;
};

static void line(struct json *j)
{
    if (j->comma)
        out_ch(j->o, ',');
    j->comma = true;
    if (j->ek)
        return;
    out_ch(j->o, '\n');
    for (unsigned i = 0; i < j->depth; i++)
        OUT_LIT(j->o, "  ");
}

static void dotted(struct json *j, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out_ch(j->o, j->ek && s[i] == '.' ? '_' : s[i]);
}

/* Begins a key. Names of layers have no prefix; in ek, names of fields have the name of their layer as prefix. */
static void key(struct json *j, const char *prefix, const char *name, const char *tail, bool is_layer)
{
    line(j);
    out_ch(j->o, '"');
    if (j->ek && !is_layer) {
        dotted(j, j->group, j->group_len);
        out_ch(j->o, '_');
    }
    if (name[0] == '=')
        dotted(j, name + 1, strlen(name + 1));
    else {
        dotted(j, prefix, strlen(prefix));
        if (prefix[0] && name[0])
            out_ch(j->o, j->ek ? '_' : '.');
        dotted(j, name, strlen(name));
    }
    out_str(j->o, tail);
    out_str(j->o, j->ek ? "\":" : "\": ");
}

static void open_object(struct json *j)
{
    out_ch(j->o, '{');
    j->depth++;
    j->comma = false;
}

static void close_object(struct json *j)
{
    j->depth--;
    if (!j->ek && j->comma) {
        j->comma = false;
        line(j);
    }
    out_ch(j->o, '}');
    j->comma = true;
}

static void colon_bytes(struct out *o, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            out_ch(o, ':');
        out_hex_bytes(o, p + i, 1);
    }
}

static void json_value(struct json *j, const struct value *v)
{
    out_ch(j->o, '"');
    if (v->type == FIELD_TEXT)
        out_json(j->o, (const char *)v->bytes, v->len);
    else if (v->type == FIELD_BYTES || v->type == FIELD_PRESENCE)
        colon_bytes(j->o, v->bytes, v->len);
    else
        show_script(j->o, v);
    out_ch(j->o, '"');
}

static void computed_field(struct json *j, const struct packet *p, enum computed c)
{
    struct value v;

    if (!computed_value(c, p, &v))
        return;
    key(j, "", computed_fields[c].name, "", false);
    json_value(j, &v);
}

static void rows(struct json *j, const struct iba_hdr_info *info, const uint8_t *wire)
{
    for (const struct iba_field *row = info->field; row < info->field + info->n_field; row++) {
        if (row->vis == IBA_VIS_H || !iba_field_present(row, wire))
            continue;
        const struct value v = field_row_value(row, wire);
        key(j, info->prefix, row->name, "", false);
        json_value(j, &v);
    }
}

static size_t group_of(const char *prefix)
{
    return strcspn(prefix, ".");
}

static bool same_group(const struct json *j, const char *prefix)
{
    return j->group && group_of(prefix) == j->group_len && memcmp(prefix, j->group, j->group_len) == 0;
}

static void open_group(struct json *j, const char *prefix)
{
    char name[32];
    const size_t n = group_of(prefix) < sizeof name - 1 ? group_of(prefix) : sizeof name - 1;

    memcpy(name, prefix, n);
    name[n] = '\0';
    j->group = prefix;
    j->group_len = n;
    key(j, "", name, "", true);
    open_object(j);
}

static void header(struct json *j, const struct iba_hdr_info *info, const uint8_t *wire)
{
    if (info->prefix[j->group_len] == '\0') {
        rows(j, info, wire);
        return;
    }
    const struct value whole = {.type = FIELD_PRESENCE, .bytes = wire, .len = info->bytes};
    key(j, info->prefix, "", "", false);
    json_value(j, &whole);
    key(j, info->prefix, "", "_tree", false);
    open_object(j);
    rows(j, info, wire);
    close_object(j);
}

struct selected {
    struct json *j;
    bool any;
};

static bool selected_value(void *ctx, const struct value *v)
{
    struct selected *s = ctx;

    if (s->any)
        out_str(s->j->o, s->j->ek ? "," : ", ");
    s->any = true;
    json_value(s->j, v);
    return true;
}

static void several_values(void *ctx, const struct packet *p, const struct field *f, unsigned values)
{
    struct json *j = ctx;
    struct selected s = {j, false};

    key(j, "", f->name, "", false);
    if (values > 1)
        out_ch(j->o, '[');
    field_values(f, p, selected_value, &s);
    if (values > 1)
        out_ch(j->o, ']');
}

struct mad_values {
    struct json *j;
    const struct iba_mad *m;
    const struct iba_mad_part *p;
    bool array, any;
};

static void mad_value(struct mad_values *s, const struct iba_field *row, unsigned i)
{
    const uint8_t *wire = iba_mad_row_at(s->m, s->p, i, row);

    if (!wire)
        return;
    const struct value v = field_row_value(row, wire);
    if (!s->array && row->vis == IBA_VIS_R && field_is_zero(&v))
        return;
    if (!s->any) {
        key(s->j, iba_mad_layouts[s->p->layout].prefix, row->name, "", false);
        out_str(s->j->o, s->array ? "[" : "");
    } else
        out_str(s->j->o, s->j->ek ? "," : ", ");
    s->any = true;
    json_value(s->j, &v);
}

/* Whether JSON shows the row. As in tshark, this includes bytes that other rows show one by one, but not names of
 * another layout. */
static bool in_json(const struct iba_field *row)
{
    return row->vis != IBA_VIS_H || row->name[0] != '=';
}

static bool is_twin(const struct iba_field *a, const struct iba_field *b)
{
    return a == b || (in_json(b) && strcmp(a->name, b->name) == 0);
}

/* Prints a row of a part together with later rows of the same name: one value, or an array if a layout occurs several
 * times or if there are several such rows. */
static void mad_row(struct json *j, const struct iba_mad *m, const struct iba_mad_part *p, const struct iba_field *row)
{
    const struct iba_hdr_info *l = &iba_mad_layouts[p->layout];
    const struct iba_field *end = l->field + l->n_field;
    struct mad_values s = {.j = j, .m = m, .p = p};
    unsigned there = 0;

    for (const struct iba_field *r = l->field; r < end; r++) {
        if (!is_twin(row, r))
            continue;
        if (r < row)
            return; /* the first row of this name has printed the value */
        there += iba_mad_row_at(m, p, 0, r) != NULL;
    }
    s.array = p->n > 1 || there > 1;
    for (unsigned i = 0; i < p->n; i++)
        for (const struct iba_field *r = row; r < end; r++)
            if (is_twin(row, r))
                mad_value(&s, r, i);
    if (s.any && s.array)
        out_ch(j->o, ']');
}

static bool same_name(const struct iba_mad *m, unsigned a, unsigned b)
{
    return strcmp(iba_mad_layouts[m->part[a].layout].prefix, iba_mad_layouts[m->part[b].layout].prefix) == 0;
}

static bool named_before(const struct iba_mad *m, unsigned from, unsigned k)
{
    while (from < k && !same_name(m, from, k))
        from++;
    return from < k;
}

/* Prints the parts of one name as one object, at the place of the first part: the bytes of the object if known, and its
 * rows. */
static void mad_parts(struct json *j, const struct iba_mad *m, unsigned from, unsigned to)
{
    for (unsigned k = from; k < to; k++) {
        const struct iba_hdr_info *info = &iba_mad_layouts[m->part[k].layout];
        struct value whole = {.type = FIELD_PRESENCE};
        if (named_before(m, from, k))
            continue;
        whole.bytes = iba_mad_part_bytes(m, &m->part[k], &whole.len);
        if (whole.bytes && whole.len > 0) {
            key(j, info->prefix, "", "", false);
            json_value(j, &whole);
        }
        key(j, info->prefix, "", "_tree", false);
        open_object(j);
        for (unsigned i = k; i < to; i++) {
            const struct iba_hdr_info *l = &iba_mad_layouts[m->part[i].layout];
            for (unsigned f = 0; same_name(m, k, i) && f < l->n_field; f++)
                if (in_json(&l->field[f]))
                    mad_row(j, m, &m->part[i], &l->field[f]);
        }
        close_object(j);
    }
}

static void open_array(struct json *j, const char *name)
{
    key(j, name, "", "_tree", false);
    out_ch(j->o, '[');
    j->depth++;
    j->comma = false;
}

static void close_array(struct json *j)
{
    j->depth--;
    out_ch(j->o, ']');
    j->comma = true;
}

static unsigned record_end(const struct iba_mad *m, unsigned from)
{
    unsigned to = from;

    while (to < m->n_part && m->part[to].record == m->part[from].record)
        to++;
    return to;
}

/* Prints the records as an array, even a single one, so that the fields of each record stay together. */
static void mad_records(struct json *j, const struct iba_mad *m, unsigned from)
{
    open_array(j, "infiniband.sa.record");
    for (unsigned to; from < m->n_part; from = to) {
        to = record_end(m, from);
        line(j);
        open_object(j);
        mad_parts(j, m, from, to);
        close_object(j);
    }
    close_array(j);
}

static void mad_table(struct json *j, const struct iba_rmpp_transfer *t)
{
    struct iba_mad m;

    open_array(j, "infiniband.rmpp.table");
    for (uint32_t i = 0; i < iba_rmpp_records(t); i++) {
        iba_rmpp_record(t, i, &m);
        line(j);
        open_object(j);
        mad_parts(j, &m, 0, m.n_part);
        close_object(j);
    }
    close_array(j);
}

static void mad(struct json *j, const struct packet *p)
{
    struct iba_mad m;
    unsigned whole = 0;

    if (!packet_mad(&m, p))
        return;
    while (whole < m.n_part && m.part[whole].record == 0)
        whole++;
    mad_parts(j, &m, 0, whole);
    if (whole < m.n_part)
        mad_records(j, &m, whole);
    if (p->table)
        mad_table(j, p->table);
}

/* Closes a layer. The InfiniBand layer ends with the fields of the packet as a whole. */
static void close_group(struct json *j, const struct packet *p)
{
    static const uint8_t last[] = {COMPUTED_encapsulation, COMPUTED_service,     COMPUTED_payload, COMPUTED_payload_len,
                                   COMPUTED_icrc,          COMPUTED_icrc_status, COMPUTED_vcrc,    COMPUTED_vcrc_status,
                                   COMPUTED_lpcrc_status,  COMPUTED_truncated,   COMPUTED_fault};

    if (!j->group)
        return;
    if (strncmp(j->group, "infiniband", j->group_len) == 0 || strncmp(j->group, "infiniband_link", j->group_len) == 0) {
        mad(j, p);
        for (size_t i = 0; i < sizeof last; i++)
            computed_field(j, p, (enum computed)last[i]);
        for (unsigned c = COMPUTED_MAD; c < COMPUTED_MAD_END && mad_context_any(&p->mad_context); c++)
            computed_field(j, p, (enum computed)c);
        field_analysis(p, several_values, j);
    }
    close_object(j);
    j->group = NULL;
}

static void frame(struct json *j, const struct packet *p)
{
    static const uint8_t first[] = {COMPUTED_frame_number,     COMPUTED_frame_len,        COMPUTED_frame_cap_len,
                                    COMPUTED_frame_time_epoch, COMPUTED_frame_time_delta, COMPUTED_frame_time_relative,
                                    COMPUTED_frame_comment};

    open_group(j, "frame");
    for (size_t i = 0; i < sizeof first; i++)
        computed_field(j, p, (enum computed)first[i]);
    close_object(j);
    j->group = NULL;
}

static void selected_fields(struct json *j, const struct packet *p, const struct print_opts *opts)
{
    for (size_t i = 0; i < opts->n_field; i++) {
        struct value v;
        struct selected s = {j, false};
        if (!field_first(opts->field[i], p, &v))
            continue;
        key(j, "", opts->field[i]->name, "", true);
        out_ch(j->o, '[');
        field_values(opts->field[i], p, selected_value, &s);
        out_ch(j->o, ']');
    }
}

static void layers(struct json *j, const struct packet *p, const struct print_opts *opts)
{
    if (opts->n_field > 0) {
        selected_fields(j, p, opts);
        return;
    }
    frame(j, p);
    for (unsigned i = 0; i < p->view.n_layer; i++) {
        const struct iba_layer *l = &p->view.layer[i];
        const struct iba_hdr_info *info = &iba_headers[l->hdr];
        if (!same_group(j, info->prefix)) {
            close_group(j, p);
            open_group(j, info->prefix);
        }
        header(j, info, p->view.wire + l->at);
    }
    close_group(j, p);
}

static void index_name(struct out *o, const struct packet *p)
{
    const time_t t = (time_t)(p->cap->ts_ns / 1000000000);
    struct tm tm;
    char text[16];

    OUT_LIT(o, "packets-");
    if (gmtime_r(&t, &tm))
        out_mem(o, text, strftime(text, sizeof text, "%Y-%m-%d", &tm));
}

void json_begin(struct out *o, const struct print_opts *opts)
{
    (void)opts;
    OUT_LIT(o, "[");
}

void json_end(struct out *o, bool any)
{
    out_str(o, any ? "\n]\n" : "\n\n]\n");
}

void print_json(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    struct json j = {.o = o, .depth = 3};

    if (!first)
        out_ch(o, ',');
    OUT_LIT(o, "\n  {\n    \"_index\": \"");
    index_name(o, p);
    OUT_LIT(o, "\",\n    \"_type\": \"doc\",\n    \"_score\": null,\n    \"_source\": {\n      \"layers\": ");
    open_object(&j);
    layers(&j, p, opts);
    close_object(&j);
    OUT_LIT(o, "\n    }\n  }");
}

void print_ek(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    struct json j = {.o = o, .ek = true};

    (void)first;
    OUT_LIT(o, "{\"index\":{\"_index\":\"");
    index_name(o, p);
    OUT_LIT(o, "\",\"_type\":\"doc\"}}\n{\"timestamp\":\"");
    out_u64(o, p->cap->ts_ns / 1000000);
    OUT_LIT(o, "\",\"layers\":");
    open_object(&j);
    layers(&j, p, opts);
    close_object(&j);
    OUT_LIT(o, "}\n");
}
