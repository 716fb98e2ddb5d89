/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/field.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "field/computed.h"
#include "field/verdict.h"
#include "observer/iba_finding_kinds.h"

/* The source of a field's values: a row of a header, the header as a whole (no row), the same for a part of a
 * management datagram, a computation, or the findings of the packet. */
enum kind { OF_HEADER, OF_MAD, COMPUTED, FOUND };
struct source {
    uint8_t kind;
    uint8_t layout; /* enum iba_hdr or enum iba_mad_layout */
    uint8_t computed;
    uint8_t what, finding; /* of findings: arguments of verdict_value() */
    const struct iba_field *row;
    const struct source *next; /* the next source of the same field */
};
enum { MAX_FIELDS = 2048, MAX_SOURCES = 3072, NAME_BYTES = 96, BUCKETS = 4096, MAX_MAD_ROWS = 2048 };
struct entry {
    struct field field;
    struct source *first, *last;
    struct entry *bucket_next;
};

static struct {
    struct entry entry[MAX_FIELDS];
    struct field all[MAX_FIELDS];
    struct source source[MAX_SOURCES];
    size_t n, n_source;
    const struct field *analysis; /* the first field of findings; all of them stand together */
    size_t n_analysis;
    struct entry *bucket[BUCKETS]; /* the hash table of names while the registry is built */
    uint16_t mad_row[IBA_M_COUNT]; /* first row of a layout in mad_field */
    const struct field *mad_field[MAX_MAD_ROWS];
    char names[MAX_FIELDS * NAME_BYTES / 2];
    size_t names_used;
} registry;

static enum field_type type_of(const struct iba_field *row)
{
    switch (row->show) {
    case IBA_SHOW_FLAG: return FIELD_BOOL;
    case IBA_SHOW_MAC: return FIELD_ETHER;
    case IBA_SHOW_IP4: return FIELD_IPV4;
    case IBA_SHOW_IP6: return FIELD_IPV6;
    case IBA_SHOW_BYTES: return FIELD_BYTES;
    case IBA_SHOW_TEXT: return FIELD_TEXT;
    default: return FIELD_UINT;
    }
}

static const char *full_name(const char *prefix, const char *leaf)
{
    char *at = registry.names + registry.names_used;

    if (leaf[0] == '=')
        return leaf + 1;
    const size_t p = strlen(prefix), l = strlen(leaf);
    if (registry.names_used + p + l + 2 > sizeof registry.names)
        abort(); /* the tables exceed the array: a fault of this program, detected at the first run */
    memcpy(at, prefix, p);
    at[p] = '.';
    memcpy(at + p + 1, leaf, l + 1);
    registry.names_used += p + l + 2;
    return at;
}

static struct entry **bucket_of(const char *name)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 16777619u;
    return &registry.bucket[h % BUCKETS];
}

static struct entry *entry_named(const char *name)
{
    struct entry *e = *bucket_of(name);

    while (e && strcmp(e->field.name, name) != 0)
        e = e->bucket_next;
    return e;
}

static void add(const char *name, const char *label, enum field_type type, struct source s)
{
    struct entry *e = entry_named(name), **bucket = bucket_of(name);

    if (registry.n == MAX_FIELDS || registry.n_source == MAX_SOURCES)
        abort();
    if (!e) {
        e = &registry.entry[registry.n++];
        e->field = (struct field){.name = name, .label = label, .type = type};
        e->bucket_next = *bucket;
        *bucket = e;
    }
    registry.source[registry.n_source] = s;
    if (e->last)
        e->last->next = &registry.source[registry.n_source];
    else
        e->first = &registry.source[registry.n_source];
    e->last = &registry.source[registry.n_source++];
    if (s.kind == OF_HEADER)
        e->field.hdrs |= IBA_HDR_BIT(s.layout);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->field.name, ((const struct entry *)b)->field.name);
}

static const char analysis[] = "infiniband.analysis";

/* Makes one field for each name of a finding, and the fields that all findings have. */
static void build_findings(void)
{
    static const struct {
        const char *name, *label;
        uint8_t what;
    } all[] = {{"finding", "Finding", VERDICT_FINDING},
               {"message", "What was found", VERDICT_MESSAGE},
               {"clause", "Clause that says so", VERDICT_CLAUSE},
               {"section", "Section of the clause", VERDICT_SECTION},
               {"cause", "Frame that explains the finding", VERDICT_CAUSE}};

    for (unsigned k = 0; k < IBA_FINDING_COUNT; k++)
        if (verdict_first_kind(k) == k)
            add(full_name(analysis, iba_findings[k].field), iba_findings[k].field, FIELD_TEXT,
                (struct source){.kind = FOUND, .what = VERDICT_OF_KIND, .finding = (uint8_t)k});
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(full_name(analysis, all[i].name), all[i].label, all[i].what == VERDICT_CAUSE ? FIELD_UINT : FIELD_TEXT,
            (struct source){.kind = FOUND, .what = all[i].what});
}

bool field_is_analysis(const struct field *f)
{
    return strncmp(f->name, analysis, sizeof analysis - 1) == 0;
}

static void build_headers(void)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        const struct iba_hdr_info *info = &iba_headers[h];
        add(info->prefix, info->title, FIELD_PRESENCE, (struct source){.layout = (uint8_t)h});
        for (unsigned i = 0; i < info->n_field; i++)
            add(full_name(info->prefix, info->field[i].name), info->field[i].label, type_of(&info->field[i]),
                (struct source){.layout = (uint8_t)h, .row = &info->field[i]});
    }
}

/* Adds a field for each row of the layouts of management datagrams, then a field that tells whether a packet has the
 * layout. If tshark has given a row the name of its layout, only the row becomes a field. */
static void build_mads(void)
{
    for (unsigned l = 0; l < IBA_M_COUNT; l++) {
        const struct iba_hdr_info *info = &iba_mad_layouts[l];
        for (unsigned i = 0; i < info->n_field; i++)
            add(full_name(info->prefix, info->field[i].name), info->field[i].label, type_of(&info->field[i]),
                (struct source){.kind = OF_MAD, .layout = (uint8_t)l, .row = &info->field[i]});
    }
    for (unsigned l = 0; l < IBA_M_COUNT; l++) {
        const struct iba_hdr_info *info = &iba_mad_layouts[l];
        const struct entry *e = entry_named(info->prefix);
        if (!e || e->field.type == FIELD_PRESENCE)
            add(info->prefix, info->title, FIELD_PRESENCE, (struct source){.kind = OF_MAD, .layout = (uint8_t)l});
    }
}

/* Notes the field of each row of a datagram's layout. */
static void link_mads(void)
{
    unsigned n = 0;

    for (unsigned l = 0; l < IBA_M_COUNT; l++) {
        registry.mad_row[l] = (uint16_t)n;
        n += iba_mad_layouts[l].n_field;
    }
    if (n > MAX_MAD_ROWS)
        abort();
    for (size_t i = 0; i < registry.n; i++)
        for (const struct source *s = registry.entry[i].first; s; s = s->next)
            if (s->kind == OF_MAD && s->row)
                registry.mad_field[registry.mad_row[s->layout] + (s->row - iba_mad_layouts[s->layout].field)] =
                    &registry.all[i];
}

static void build(void)
{
    build_headers();
    build_mads();
    for (unsigned c = 0; c < COMPUTED_COUNT; c++)
        add(computed_fields[c].name, computed_fields[c].label, (enum field_type)computed_fields[c].type,
            (struct source){.kind = COMPUTED, .computed = (uint8_t)c});
    build_findings();
    qsort(registry.entry, registry.n, sizeof *registry.entry, by_name);
    for (size_t i = 0; i < registry.n; i++) {
        registry.entry[i].field.index = (uint32_t)i;
        registry.all[i] = registry.entry[i].field;
        if (!field_is_analysis(&registry.all[i]))
            continue;
        registry.analysis = registry.n_analysis++ ? registry.analysis : &registry.all[i];
    }
    link_mads();
}

const struct field *field_all(size_t *n)
{
    if (registry.n == 0)
        build();
    *n = registry.n;
    return registry.all;
}

static const struct field *find_exact(const char *name)
{
    size_t n, lo = 0;
    const struct field *f = field_all(&n);

    while (lo < n) {
        const size_t mid = lo + (n - lo) / 2;
        const int c = strcmp(name, f[mid].name);
        if (c == 0)
            return &f[mid];
        if (c < 0)
            n = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const struct field *field_find(const char *name)
{
    char whole[NAME_BYTES];
    const size_t n = strlen(name);
    const struct field *f = find_exact(name);

    if (f || n + sizeof FIELD_PREFIX > sizeof whole)
        return f;
    memcpy(whole, FIELD_PREFIX, sizeof FIELD_PREFIX - 1);
    memcpy(whole + sizeof FIELD_PREFIX - 1, name, n + 1);
    return find_exact(whole);
}

struct value field_row_value(const struct iba_field *row, const uint8_t *wire)
{
    struct value v = {.type = type_of(row), .row = row};

    if (iba_field_is_bytes(row)) {
        v.bytes = wire + row->at / 8;
        v.len = row->bits / 8;
        if (v.type == FIELD_TEXT)
            v.len = strnlen((const char *)v.bytes, v.len);
    } else
        v.u = iba_field_get(row, wire);
    if (row->show == IBA_SHOW_LE || row->show == IBA_SHOW_LEX4)
        v.u = (v.u & 0xff) << 8 | v.u >> 8;
    return v;
}

/* Passes on the values of one header; false when the callback stopped. */
static bool header_values(const struct entry *e, enum iba_hdr h, const uint8_t *wire, field_each *each, void *ctx)
{
    for (const struct source *s = e->first; s; s = s->next) {
        if (s->kind != OF_HEADER || s->layout != h || (s->row && !iba_field_present(s->row, wire)))
            continue;
        const struct value v = s->row
                                   ? field_row_value(s->row, wire)
                                   : (struct value){.type = FIELD_PRESENCE, .bytes = wire, .len = iba_headers[h].bytes};
        if (!each(ctx, &v))
            return false;
    }
    return true;
}

/* Passes on the values of one part of a management datagram; false when the callback stopped. */
static bool part_values(const struct source *s, const struct iba_mad *m, const struct iba_mad_part *p, field_each *each,
                        void *ctx)
{
    if (!s->row) {
        struct value v = {.type = FIELD_PRESENCE};
        v.bytes = iba_mad_part_bytes(m, p, &v.len);
        return !v.bytes || each(ctx, &v);
    }
    for (unsigned i = 0; i < p->n; i++) {
        const uint8_t *wire = iba_mad_row_at(m, p, i, s->row);
        if (!wire)
            continue;
        const struct value v = field_row_value(s->row, wire);
        if (!each(ctx, &v))
            return false;
    }
    return true;
}

static bool mad_values(const struct entry *e, const struct iba_mad *m, field_each *each, void *ctx)
{
    for (unsigned k = 0; k < m->n_part; k++)
        for (const struct source *s = e->first; s; s = s->next)
            if (s->kind == OF_MAD && s->layout == m->part[k].layout && !part_values(s, m, &m->part[k], each, ctx))
                return false;
    return true;
}

bool packet_mad(struct iba_mad *m, const struct packet *p)
{
    if (!iba_mad_of(m, &p->view))
        return false;
    if (p->mad_context.upper != IBA_UPPER_NONE)
        iba_mad_add_private(m, (enum iba_upper)p->mad_context.upper);
    return true;
}

/* Passes on the values of the datagram, then those of the records of the table that the datagram completes. */
static void all_mad_values(const struct entry *e, const struct packet *p, field_each *each, void *ctx)
{
    struct iba_mad m;

    if (!packet_mad(&m, p) || !mad_values(e, &m, each, ctx))
        return;
    for (uint32_t i = 0; p->table && i < iba_rmpp_records(p->table); i++) {
        iba_rmpp_record(p->table, i, &m);
        if (!mad_values(e, &m, each, ctx))
            return;
    }
}

/* Passes on the text of a finding. A finding may cite several clauses, "RQ-01, UU-03": each is a value of its own. */
static bool found_value(const char *text, bool list, field_each *each, void *ctx)
{
    while (*text) {
        struct value v = {.type = FIELD_TEXT, .bytes = (const uint8_t *)text};
        v.len = list ? strcspn(text, ",") : strlen(text);
        if (!each(ctx, &v))
            return false;
        text += v.len;
        text += strspn(text, ", ");
    }
    return true;
}

/* Passes on the frames that explain the packet's findings, each frame once. */
static void causes(const struct verdict *verdict, field_each *each, void *ctx)
{
    for (unsigned i = 0, k; i < verdict_kept(verdict); i++) {
        const struct value v = {.type = FIELD_UINT, .u = verdict->finding[i].cause};
        for (k = 0; k < i && verdict->finding[k].cause != v.u; k++)
            ;
        if (v.u != 0 && k == i && !each(ctx, &v))
            return;
    }
}

static void found_values(const struct source *s, const struct verdict *verdict, field_each *each, void *ctx)
{
    if (s->what == VERDICT_CAUSE) {
        causes(verdict, each, ctx);
        return;
    }
    for (unsigned i = 0; i < verdict_kept(verdict); i++) {
        const char *text = verdict_value(verdict, i, (enum verdict_field)s->what, s->finding);
        if (text && !found_value(text, s->what == VERDICT_CLAUSE || s->what == VERDICT_SECTION, each, ctx))
            return;
    }
}

void field_values(const struct field *f, const struct packet *p, field_each *each, void *ctx)
{
    const struct entry *e = &registry.entry[f->index];
    const enum kind kind = (enum kind)e->first->kind;
    struct value v;

    if (kind == FOUND)
        found_values(e->first, p->verdict, each, ctx);
    else if (kind == OF_MAD)
        all_mad_values(e, p, each, ctx);
    else if (kind == COMPUTED && computed_value((enum computed)e->first->computed, p, &v))
        (void)each(ctx, &v);
    if ((f->hdrs & p->view.has) == 0)
        return;
    for (unsigned i = 0; i < p->view.n_layer; i++) {
        const struct iba_layer *l = &p->view.layer[i];
        if ((f->hdrs >> l->hdr & 1) && !header_values(e, (enum iba_hdr)l->hdr, p->view.wire + l->at, each, ctx))
            return;
    }
}

static bool keep_first(void *ctx, const struct value *v)
{
    *(struct value *)ctx = *v;
    return false;
}

bool field_first(const struct field *f, const struct packet *p, struct value *v)
{
    v->row = NULL;
    v->type = FIELD_PRESENCE;
    v->len = SIZE_MAX; /* no value has this length */
    field_values(f, p, keep_first, v);
    return v->len != SIZE_MAX;
}

const struct iba_field *field_row(const struct field *f)
{
    return registry.entry[f->index].first->row;
}

static bool count_value(void *ctx, const struct value *v)
{
    (void)v;
    ++*(unsigned *)ctx;
    return true;
}

void field_analysis(const struct packet *p, field_of_packet *each, void *ctx)
{
    size_t n;

    (void)field_all(&n);
    if (!verdict_any(p->verdict))
        return;
    for (const struct field *f = registry.analysis; f < registry.analysis + registry.n_analysis; f++) {
        unsigned values = 0;
        field_values(f, p, count_value, &values);
        if (values > 0)
            each(ctx, p, f, values);
    }
}

const struct field *field_of_mad_row(enum iba_mad_layout l, unsigned row)
{
    size_t n;

    (void)field_all(&n);
    return registry.mad_field[registry.mad_row[l] + row];
}

bool field_is_zero(const struct value *v)
{
    if (!v->bytes)
        return v->u == 0;
    for (size_t i = 0; i < v->len; i++)
        if (v->bytes[i] != 0)
            return false;
    return true;
}

static bool look_for_nonzero(void *ctx, const struct value *v)
{
    return *(bool *)ctx = field_is_zero(v);
}

static bool all_zero(const struct field *f, const struct packet *p)
{
    bool zero = true;

    field_values(f, p, look_for_nonzero, &zero);
    return zero;
}

struct shown {
    uint64_t seen[MAX_FIELDS / 64];
    const struct packet *p;
    field_of_packet *each;
    void *ctx;
};

static void show_fields(struct shown *s, const struct iba_mad *m)
{
    for (unsigned k = 0; k < m->n_part; k++) {
        const struct iba_hdr_info *info = &iba_mad_layouts[m->part[k].layout];
        for (unsigned i = 0; i < info->n_field; i++) {
            const struct field *f = field_of_mad_row((enum iba_mad_layout)m->part[k].layout, i);
            unsigned values = 0;
            if (info->field[i].vis == IBA_VIS_H || (s->seen[f->index / 64] >> f->index % 64 & 1))
                continue;
            s->seen[f->index / 64] |= UINT64_C(1) << f->index % 64;
            field_values(f, s->p, count_value, &values);
            if (values > 0 && (info->field[i].vis != IBA_VIS_R || !all_zero(f, s->p)))
                s->each(s->ctx, s->p, f, values);
        }
    }
}

void field_mad(const struct packet *p, field_of_packet *each, void *ctx)
{
    struct shown s = {.p = p, .each = each, .ctx = ctx};
    struct iba_mad m;

    if (!packet_mad(&m, p))
        return;
    show_fields(&s, &m);
    for (uint32_t i = 0; p->table && i < iba_rmpp_records(p->table); i++) { /* records may differ in their parts */
        iba_rmpp_record(p->table, i, &m);
        show_fields(&s, &m);
    }
}
