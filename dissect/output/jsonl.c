/* -T jsonl: one flat object a packet, numbers as numbers, no key twice. A field that occurs several times (tunnels) is
 * an array. Keys are laid out once; this is the form that scripts read by the gigabyte. */
#include <stdlib.h>
#include "field/computed.h"
#include "field/show.h"
#include "output/printer.h"

struct key {
    const char *text; /* ,"infiniband.bth.psn": */
    uint16_t len;
};
/* Keys are copied KEY_COPY bytes at a time: a copy of constant size is a few instructions, and the rest is overwritten. */
enum { MAX_ROWS = 24, KEY_ROOM = 64 * 1024, KEY_COPY = 64 };

static struct {
    bool built;
    struct key row[IBA_H_COUNT][MAX_ROWS], name[IBA_H_COUNT][MAX_ROWS];
    struct key computed[COMPUTED_COUNT];
    char room[KEY_ROOM];
    size_t used;
} keys;

static struct key key_of(const char *prefix, const char *leaf, const char *tail)
{
    struct key k = {keys.room + keys.used, 0};
    char *at = keys.room + keys.used;
    const char *part[] = {",\"",
                          leaf[0] == '=' ? "" : prefix,
                          leaf[0] == '=' || !prefix[0] ? "" : ".",
                          leaf[0] == '=' ? leaf + 1 : leaf,
                          tail,
                          "\":"};

    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        const size_t n = strlen(part[i]);
        if (keys.used + n + KEY_COPY > KEY_ROOM || k.len + n > KEY_COPY)
            abort(); /* the tables outgrew the room: a fault of this program, seen at the first run */
        memcpy(at, part[i], n);
        at += n;
        keys.used += n;
        k.len = (uint16_t)(k.len + n);
    }
    return k;
}

static void write_key(struct out *o, const struct key *k)
{
    out_room(o);
    memcpy(o->buf + o->n, k->text, KEY_COPY);
    o->n += k->len;
}

static void build_keys(void)
{
    for (unsigned h = 0; h < IBA_H_COUNT; h++) {
        const struct iba_hdr_info *info = &iba_headers[h];
        if (info->n_field > MAX_ROWS)
            abort();
        for (unsigned i = 0; i < info->n_field; i++) {
            keys.row[h][i] = key_of(info->prefix, info->field[i].name, "");
            if (info->field[i].values != IBA_VALUES_NONE)
                keys.name[h][i] = key_of(info->prefix, info->field[i].name, ".name");
        }
    }
    for (unsigned c = 0; c < COMPUTED_COUNT; c++)
        keys.computed[c] = key_of("", computed_fields[c].name, "");
    keys.built = true;
}

static void quoted(struct out *o, const char *s)
{
    out_ch(o, '"');
    out_str(o, s);
    out_ch(o, '"');
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

static bool written(const struct iba_field *row, const uint8_t *wire)
{
    if (row->vis == IBA_VIS_H || (row->when.cmp != IBA_CMP_ALWAYS && !iba_field_present(row, wire)))
        return false;
    if (row->vis == IBA_VIS_N)
        return true;
    return iba_field_is_bytes(row) ? !zero(wire + row->at / 8, row->bits / 8u) : iba_bits_get(wire, row->at, row->bits);
}

/* Numbers, which most fields are, take the short way. */
static void row_once(struct out *o, unsigned h, unsigned i, const uint8_t *wire)
{
    const struct iba_field *row = &iba_headers[h].field[i];
    const char *name;

    if (!written(row, wire))
        return;
    write_key(o, &keys.row[h][i]);
    if (row->show >= IBA_SHOW_MAC || row->show == IBA_SHOW_FLAG) {
        const struct value v = field_row_value(row, wire);
        jsonl_value(o, &v);
        return;
    }
    const uint64_t u = iba_bits_get(wire, row->at, row->bits) * iba_shows[row->show].unit;
    out_u64(o, u);
    if (row->values == IBA_VALUES_NONE || !(name = iba_value_name((enum iba_vocabulary)row->values, u)))
        return;
    write_key(o, &keys.name[h][i]);
    quoted(o, name);
}

static void row_array(struct out *o, unsigned h, unsigned i, const struct iba_view *view)
{
    const struct iba_field *row = &iba_headers[h].field[i];
    bool any = false;

    for (unsigned k = 0; k < view->n_layer; k++) {
        const uint8_t *wire = view->wire + view->layer[k].at;
        if (view->layer[k].hdr != h || !written(row, wire))
            continue;
        const struct value v = field_row_value(row, wire);
        if (!any)
            write_key(o, &keys.row[h][i]);
        out_ch(o, any ? ',' : '[');
        any = true;
        jsonl_value(o, &v);
    }
    if (any)
        out_ch(o, ']');
}

/* Whether an earlier layer has written these keys (same header), or would own them (another header of the same prefix).
 */
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

static void jsonl_selected(struct out *o, const struct packet *p, const struct print_opts *opts)
{
    bool comma = false;

    for (size_t i = 0; i < opts->n_field; i++) {
        unsigned n = 0;
        field_values(opts->field[i], p, count_value, &n);
        if (n == 0)
            continue;
        struct list l = {o, n > 1, false};
        out_str(o, comma ? ",\"" : "\"");
        comma = true;
        out_str(o, opts->field[i]->name);
        OUT_LIT(o, "\":");
        if (l.array)
            out_ch(o, '[');
        field_values(opts->field[i], p, list_value, &l);
        if (l.array)
            out_ch(o, ']');
    }
}

static void jsonl_layers(struct out *o, const struct iba_view *v)
{
    for (unsigned k = 0; k < v->n_layer; k++) {
        const unsigned h = v->layer[k].hdr;
        bool several;
        if (taken(v, k, &several))
            continue;
        for (unsigned i = 0; i < iba_headers[h].n_field; i++)
            if (several)
                row_array(o, h, i, v);
            else
                row_once(o, h, i, v->wire + v->layer[k].at);
    }
}

void print_jsonl(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    static const uint8_t head[] = {COMPUTED_frame_time_epoch, COMPUTED_frame_time_relative, COMPUTED_frame_len,
                                   COMPUTED_frame_cap_len,    COMPUTED_frame_comment,       COMPUTED_encapsulation,
                                   COMPUTED_service};
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
        if (opts->hex)
            jsonl_computed(o, p, COMPUTED_payload);
    }
    OUT_LIT(o, "}\n");
}
