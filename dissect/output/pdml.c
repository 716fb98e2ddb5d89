/* SPDX-License-Identifier: BSD-2-Clause */
/* -T pdml: tshark's XML. */
#include "field/computed.h"
#include "field/show.h"
#include "output/printer.h"

static const uint32_t NOWHERE = UINT32_MAX;

void pdml_begin(struct out *o, const struct print_opts *opts)
{
    (void)opts;
    OUT_LIT(o, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<pdml version=\"0\" creator=\"ibdissect\">\n");
}

void pdml_end(struct out *o, bool any)
{
    (void)any;
    OUT_LIT(o, "</pdml>\n");
}

static void attribute(struct out *o, const char *name, const char *s)
{
    out_ch(o, ' ');
    out_str(o, name);
    OUT_LIT(o, "=\"");
    out_xml(o, s, strlen(s));
    out_ch(o, '"');
}

static void show_attribute(struct out *o, const char *name, const char *label, const struct value *v)
{
    const char *code = label ? show_name(v) : NULL;

    out_ch(o, ' ');
    out_str(o, name);
    OUT_LIT(o, "=\"");
    if (label) {
        out_xml(o, label, strlen(label));
        OUT_LIT(o, ": ");
    }
    if (code) {
        out_xml(o, code, strlen(code));
        OUT_LIT(o, " (");
    }
    if (v->type == FIELD_TEXT)
        out_xml(o, (const char *)v->bytes, v->len);
    else if (label)
        show_human(o, v);
    else
        show_script(o, v);
    if (code)
        out_ch(o, ')');
    out_ch(o, '"');
}

static void place(struct out *o, uint32_t at, uint32_t bytes)
{
    OUT_LIT(o, " size=\"");
    out_u64(o, bytes);
    OUT_LIT(o, "\" pos=\"");
    out_u64(o, at);
    out_ch(o, '"');
}

static void one_value(struct out *o, const char *name, const char *label, const struct value *v)
{
    OUT_LIT(o, "    <field");
    attribute(o, "name", name);
    show_attribute(o, "showname", label, v);
    place(o, 0, 0);
    show_attribute(o, "show", NULL, v);
    OUT_LIT(o, "/>\n");
}

struct several {
    struct out *o;
    const struct field *field;
};

static bool each_value(void *ctx, const struct value *v)
{
    const struct several *a = ctx;

    one_value(a->o, a->field->name, a->field->label, v);
    return true;
}

/* `at`: the offset of the layout in the frame; NOWHERE: it is not in the frame. */
static void pdml_row(struct out *o, const struct iba_hdr_info *info, const struct iba_field *row, const uint8_t *wire,
                     uint32_t at)
{
    const struct value v = field_row_value(row, wire);
    const uint32_t from = row->at / 8u, to = (row->at + row->bits + 7u) / 8u;

    OUT_LIT(o, "    <field name=\"");
    if (row->name[0] == '=')
        out_str(o, row->name + 1);
    else {
        out_str(o, info->prefix);
        out_ch(o, '.');
        out_str(o, row->name);
    }
    out_ch(o, '"');
    show_attribute(o, "showname", row->label, &v);
    if (row->vis == IBA_VIS_H)
        OUT_LIT(o, " hide=\"yes\"");
    if (at == NOWHERE)
        place(o, 0, 0);
    else
        place(o, at + from, to - from);
    show_attribute(o, "show", NULL, &v);
    OUT_LIT(o, " value=\"");
    out_hex_bytes(o, wire + from, to - from);
    OUT_LIT(o, "\"/>\n");
}

/* Prints one part of a datagram; `at`: the offset of the datagram in the frame, or NOWHERE for a reassembled record. */
static void mad_part(struct out *o, const struct iba_mad *m, const struct iba_mad_part *p, uint32_t at)
{
    const struct iba_hdr_info *info = &iba_mad_layouts[p->layout];

    OUT_LIT(o, "  <proto");
    attribute(o, "name", info->prefix);
    OUT_LIT(o, " showname=\"");
    out_xml(o, info->title, strlen(info->title));
    if (p->record && (m->n_record != 1)) {
        OUT_LIT(o, ", record ");
        out_u64(o, p->record);
    }
    out_ch(o, '"');
    place(o, at == NOWHERE ? 0 : at + p->at, at == NOWHERE ? 0 : (uint32_t)p->n * info->bytes);
    OUT_LIT(o, ">\n");
    for (unsigned i = 0; i < p->n; i++)
        for (const struct iba_field *row = info->field; row < info->field + info->n_field; row++) {
            const uint8_t *wire = iba_mad_row_at(m, p, i, row);
            if (wire)
                pdml_row(o, info, row, wire, at == NOWHERE ? NOWHERE : at + iba_mad_at(p, i));
        }
    OUT_LIT(o, "  </proto>\n");
}

static void pdml_mad(struct out *o, const struct packet *p)
{
    const uint32_t at = p->view.payload_at >= p->view.frame_at ? p->view.payload_at - p->view.frame_at : 0;
    struct iba_mad m;

    if (!packet_mad(&m, p))
        return;
    for (unsigned k = 0; k < m.n_part; k++)
        mad_part(o, &m, &m.part[k], at);
    for (uint32_t i = 0; p->table && i < iba_rmpp_records(p->table); i++) {
        iba_rmpp_record(p->table, i, &m);
        for (unsigned k = 0; k < m.n_part; k++)
            mad_part(o, &m, &m.part[k], NOWHERE);
    }
}

static void several_values(void *ctx, const struct packet *p, const struct field *f, unsigned values)
{
    struct several a = {ctx, f};

    (void)values;
    field_values(f, p, each_value, &a);
}

static void pdml_computed(struct out *o, const struct packet *p, enum computed c)
{
    struct value v;

    if (!computed_value(c, p, &v))
        return;
    one_value(o, computed_fields[c].name, computed_fields[c].label, &v);
}

static void pdml_header(struct out *o, const struct packet *p, const struct iba_layer *l)
{
    const struct iba_hdr_info *info = &iba_headers[l->hdr];
    const uint8_t *wire = p->view.wire + l->at;
    const uint32_t at = l->at >= p->view.frame_at ? l->at - p->view.frame_at : 0;

    OUT_LIT(o, "  <proto");
    attribute(o, "name", info->prefix);
    attribute(o, "showname", info->title);
    place(o, at, info->bytes);
    OUT_LIT(o, ">\n");
    for (const struct iba_field *row = info->field; row < info->field + info->n_field; row++)
        if (iba_field_present(row, wire))
            pdml_row(o, info, row, wire, at);
    OUT_LIT(o, "  </proto>\n");
}

void print_pdml(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    static const uint8_t head[] = {COMPUTED_frame_number, COMPUTED_frame_len, COMPUTED_frame_cap_len,
                                   COMPUTED_frame_time_epoch, COMPUTED_frame_time_relative};
    static const uint8_t tail[] = {COMPUTED_encapsulation, COMPUTED_service,     COMPUTED_payload, COMPUTED_payload_len,
                                   COMPUTED_icrc,          COMPUTED_icrc_status, COMPUTED_vcrc,    COMPUTED_vcrc_status,
                                   COMPUTED_lpcrc_status,  COMPUTED_truncated,   COMPUTED_fault};

    (void)opts;
    (void)first;
    OUT_LIT(o, "<packet>\n  <proto name=\"frame\" showname=\"Frame\" size=\"");
    out_u64(o, packet_len(p));
    OUT_LIT(o, "\" pos=\"0\">\n");
    for (size_t i = 0; i < sizeof head; i++)
        pdml_computed(o, p, (enum computed)head[i]);
    OUT_LIT(o, "  </proto>\n");
    for (unsigned i = 0; i < p->view.n_layer; i++)
        pdml_header(o, p, &p->view.layer[i]);
    pdml_mad(o, p);
    if (p->view.proto != IBA_PROTO_NONE) {
        OUT_LIT(o, "  <proto name=\"infiniband\" showname=\"InfiniBand packet\" size=\"0\" pos=\"0\">\n");
        for (size_t i = 0; i < sizeof tail; i++)
            pdml_computed(o, p, (enum computed)tail[i]);
        for (unsigned c = COMPUTED_MAD; c < COMPUTED_MAD_END && mad_context_any(&p->mad_context); c++)
            pdml_computed(o, p, (enum computed)c);
        field_analysis(p, several_values, o);
        OUT_LIT(o, "  </proto>\n");
    }
    OUT_LIT(o, "</packet>\n\n");
}
