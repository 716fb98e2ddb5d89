/* SPDX-License-Identifier: BSD-2-Clause */
/* A management datagram as text: its part of the packet's line, and its part of the full tree. */
#include "output/mad_text.h"
#include "field/show.h"
#include "output/printer.h"

static void named(struct out *o, enum iba_vocabulary w, uint64_t code)
{
    const char *name = iba_value_name(w, code);

    if (name)
        out_str(o, name);
    else
        out_hex(o, code, 2);
}

static void status(struct out *o, const uint8_t *h)
{
    const bool directed = iba_madhdr_mgmtclass(h) == IBA_CLASS_DIRECTED;
    const uint64_t code = iba_bits_get(h, IBA_AT_madhdr_status_class, 16) & (directed ? 0x7fff : 0xffff);

    if (code == 0)
        return;
    OUT_LIT(o, " status=");
    out_hex(o, code, 4);
    if (iba_madhdr_status_code(h)) {
        OUT_LIT(o, " ");
        named(o, IBA_VALUES_MAD_STATUS, iba_madhdr_status_code(h));
    }
    if (iba_madhdr_mgmtclass(h) == IBA_CLASS_SA && iba_madhdr_status_class(h)) {
        OUT_LIT(o, " ");
        named(o, IBA_VALUES_SA_STATUS, iba_madhdr_status_class(h));
    }
}

/* The QP that REP names. REP alone does not show its service: for XRC it names a target in the place of the EE context,
 * and no QP. */
static uint32_t rep_qp(const uint8_t *rep)
{
    const uint32_t qpn = iba_cm_rep_localqpn(rep);

    return qpn > 0 ? qpn : iba_cm_rep_localeecn(rep);
}

/* Appends the connection that a message of the connection manager is for. */
static void connection(struct out *o, const struct iba_mad *m)
{
    const uint8_t *req = iba_mad_layout_at(m, IBA_M_cm_req), *rep = iba_mad_layout_at(m, IBA_M_cm_rep);
    const uint8_t *rej = iba_mad_layout_at(m, IBA_M_cm_rej);

    if (req) {
        OUT_LIT(o, " Service=");
        out_hex(o, iba_cm_req_serviceid(req), 16);
    }
    if (req || rep) {
        OUT_LIT(o, " QP=");
        out_hex(o, req ? iba_cm_req_localqpn(req) : rep_qp(rep), 6);
    }
    if (rej) {
        OUT_LIT(o, " ");
        named(o, IBA_VALUES_CM_REJECT, iba_cm_rej_reason(rej));
    }
}

void print_mad_info(struct out *o, const struct packet *p)
{
    struct iba_mad m;
    const uint8_t *h;

    if (!packet_mad(&m, p) || !(h = iba_mad_layout_at(&m, IBA_M_madhdr)))
        return;
    OUT_LIT(o, " | ");
    named(o, IBA_VALUES_MGMT_CLASS, iba_madhdr_mgmtclass(h));
    out_ch(o, ' ');
    named(o, IBA_VALUES_MAD_METHOD, iba_madhdr_method(h));
    out_ch(o, ' ');
    if (m.attr)
        out_str(o, m.attr->name);
    else
        out_hex(o, iba_madhdr_attributeid(h), 4);
    if (iba_madhdr_attributemodifier(h)) {
        OUT_LIT(o, " mod=");
        out_hex(o, iba_madhdr_attributemodifier(h), 0);
    }
    status(o, h);
    connection(o, &m);
    if (p->table && p->table->request) {
        OUT_LIT(o, ", request of ");
        out_u64(o, p->table->last);
        OUT_LIT(o, " segments complete");
    } else if (p->table) {
        OUT_LIT(o, ", table of ");
        out_u64(o, iba_rmpp_records(p->table));
        OUT_LIT(o, " records complete");
    }
}

static void row_line(struct out *o, const struct iba_field *row, unsigned index, bool array, const struct value *v)
{
    char label[96];
    size_t n = strlen(row->label);

    if (!array) {
        print_tree_line(o, row->label, v);
        return;
    }
    n = n < sizeof label - 8 ? n : sizeof label - 8; /* leaves room for a number up to 999 in brackets */
    memcpy(label, row->label, n);
    label[n++] = '[';
    if (index >= 100)
        label[n++] = (char)('0' + index / 100 % 10);
    if (index >= 10)
        label[n++] = (char)('0' + index / 10 % 10);
    label[n++] = (char)('0' + index % 10);
    label[n++] = ']';
    label[n] = '\0';
    print_tree_line(o, label, v);
}

static void attribute_line(struct out *o, const struct iba_mad *m)
{
    const struct value v = {.type = FIELD_TEXT,
                            .bytes = (const uint8_t *)(m->attr ? m->attr->name : "unknown"),
                            .len = strlen(m->attr ? m->attr->name : "unknown")};

    print_tree_line(o, "Attribute", &v);
}

/* Appends the names of the components that a component mask selects (MD-91). */
static void components(struct out *o, const struct iba_mad *m, const uint8_t *sa)
{
    const uint64_t mask = iba_sa_componentmask(sa);
    bool any = false;

    for (unsigned bit = 0; bit < 64; bit++) {
        size_t n = 0;
        if (!(mask >> bit & 1))
            continue;
        const char *name = m->attr ? iba_mad_component(m->attr, bit, &n) : NULL;
        out_str(o, any ? ", " : "    Components: ");
        any = true;
        if (name)
            out_mem(o, name, n);
        else {
            OUT_LIT(o, "bit ");
            out_u64(o, bit);
        }
    }
    if (any)
        out_ch(o, '\n');
}

static bool anything(const struct iba_mad *m, const struct iba_mad_part *p)
{
    const struct iba_hdr_info *info = &iba_mad_layouts[p->layout];

    for (unsigned i = 0; i < info->n_field; i++)
        if (info->field[i].vis == IBA_VIS_N && iba_mad_row_at(m, p, 0, &info->field[i]))
            return true;
    return false;
}

static void part(struct out *o, const struct iba_mad *m, const struct iba_mad_part *p)
{
    const struct iba_hdr_info *info = &iba_mad_layouts[p->layout];

    if (!anything(m, p))
        return;
    out_str(o, info->title);
    if (p->record && (m->n_record != 1)) {
        OUT_LIT(o, ", record ");
        out_u64(o, p->record);
    }
    out_ch(o, '\n');
    for (unsigned i = 0; i < p->n; i++)
        for (const struct iba_field *row = info->field; row < info->field + info->n_field; row++) {
            const uint8_t *wire = iba_mad_row_at(m, p, i, row);
            if (!wire)
                continue;
            const struct value v = field_row_value(row, wire);
            if (print_row_shown(row, &v))
                row_line(o, row, i, p->n > 1, &v);
        }
}

/* Prints all records of a table of many segments, at the packet that completes the table. */
static void table(struct out *o, const struct iba_rmpp_transfer *t)
{
    struct iba_mad m;

    if (t->request)
        OUT_LIT(o, "Request in ");
    else {
        OUT_LIT(o, "Table of ");
        out_u64(o, iba_rmpp_records(t));
        OUT_LIT(o, " records in ");
    }
    out_u64(o, t->last);
    OUT_LIT(o, " segments\n");
    for (uint32_t i = 0; i < iba_rmpp_records(t); i++) {
        iba_rmpp_record(t, i, &m);
        for (unsigned k = 0; k < m.n_part; k++)
            part(o, &m, &m.part[k]);
    }
}

void print_mad_tree(struct out *o, const struct packet *p)
{
    struct iba_mad m;

    if (!packet_mad(&m, p))
        return;
    for (unsigned k = 0; k < m.n_part; k++) {
        part(o, &m, &m.part[k]);
        if (m.part[k].layout == IBA_M_madhdr && m.captured >= IBA_BYTES_madhdr)
            attribute_line(o, &m);
        else if (m.part[k].layout == IBA_M_sa && iba_mad_layout_at(&m, IBA_M_sa))
            components(o, &m, iba_mad_layout_at(&m, IBA_M_sa));
    }
    if (p->table)
        table(o, p->table);
}
