/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mad.h"
#include "iba_mad_add.h"
#include "wire/iba_opcode_rows.h"

/* For each class: where its attributes begin, and which class header stands between the common header and the
 * attributes (MD-18, MD-19, MD-87, MD-115, section 16). */
struct class_info {
    uint8_t lo, hi, group; /* first and last class; group of their attributes, NO_GROUP: none is known */
    uint8_t data_at;
    void (*header)(struct iba_mad *m);
};
enum { NO_GROUP = 255, HEADER = IBA_BYTES_madhdr, GS_DATA = 64, CC_DATA = 32, PATH_HOPS = 63 };

static void header_lid_routed(struct iba_mad *m)
{
    iba_mad_add_for(m, IBA_M_smplid, HEADER, 0, IBA_MAD_BYTES);
    iba_mad_add(m, IBA_M_smp_data, GS_DATA, 1, 0);
}

static void header_directed(struct iba_mad *m)
{
    enum { AT = 4, HOP_COUNT = 7, PATHS = 128, RETURN = 192 };
    const unsigned hops = m->captured > HOP_COUNT && m->wire[HOP_COUNT] <= PATH_HOPS ? m->wire[HOP_COUNT] : 0;

    iba_mad_add_for(m, IBA_M_smpdirected, AT, 0, IBA_MAD_BYTES);
    iba_mad_add(m, IBA_M_smp_route, HEADER, 1, 0);
    iba_mad_add(m, IBA_M_smp_data, GS_DATA, 1, 0);
    iba_mad_add(m, IBA_M_smp_paths, PATHS, 1, 0);
    iba_mad_add(m, IBA_M_initial_path, PATHS + 1, hops, 0); /* entry 0 is unused (MD-20) */
    iba_mad_add(m, IBA_M_return_path, RETURN + 1, hops, 0);
}

static void header_cc(struct iba_mad *m)
{
    iba_mad_add(m, IBA_M_cc_key, HEADER, 1, 0);
}

static void header_bm(struct iba_mad *m)
{
    iba_mad_add(m, IBA_M_bm_key, HEADER, 1, 0);
}

static void header_snmp(struct iba_mad *m)
{
    iba_mad_add(m, IBA_M_snmp_header, HEADER, 1, 0);
}

static void header_rmpp(struct iba_mad *m)
{
    iba_mad_add_for(m, IBA_M_rmpp, HEADER, HEADER, HEADER + IBA_BYTES_rmpp);
    if (m->captured <= HEADER + 1)
        return;
    if (iba_rmpp_rmpptype(m->wire + HEADER) == IBA_RMPP_DATA)
        iba_mad_add(m, IBA_M_rmpp_data, IBA_RMPP_AT + IBA_BYTES_rmpp, 1, 0);
    else if (iba_rmpp_rmpptype(m->wire + HEADER) >= IBA_RMPP_STOP)
        iba_mad_add(m, IBA_M_rmpp_error, IBA_RMPP_AT + IBA_BYTES_rmpp, 1, 0);
}

static void header_sa(struct iba_mad *m)
{
    header_rmpp(m);
    iba_mad_add_for(m, IBA_M_sa, IBA_SA_AT, 0, IBA_MAD_BYTES);
    if (m->captured > HEADER + 1 && iba_rmpp_rmpptype(m->wire + HEADER) <= IBA_RMPP_DATA)
        iba_mad_add(m, IBA_M_sa_data, IBA_SA_DATA_AT, 1, 0);
}

static void header_oui(struct iba_mad *m)
{
    header_rmpp(m);
    iba_mad_add(m, IBA_M_vendor_oui, IBA_SA_AT, 1, 0);
}

static const struct class_info classes[] = {
    {0x01, 0x01, IBA_GROUP_SMP, GS_DATA, header_lid_routed},
    {0x03, 0x03, IBA_GROUP_SA, IBA_SA_DATA_AT, header_sa},
    {0x04, 0x04, IBA_GROUP_PM, GS_DATA, NULL},
    {0x05, 0x05, IBA_GROUP_BM, GS_DATA, header_bm},
    {0x06, 0x06, IBA_GROUP_DM, GS_DATA, NULL},
    {0x07, 0x07, IBA_GROUP_CM, HEADER, NULL},
    {0x08, 0x08, NO_GROUP, GS_DATA, header_snmp},
    {0x21, 0x21, IBA_GROUP_CC, CC_DATA, header_cc},
    {0x30, 0x4f, NO_GROUP, IBA_SA_AT + IBA_BYTES_vendor_oui, header_oui},
    {0x81, 0x81, IBA_GROUP_SMP, GS_DATA, header_directed},
};

static const struct class_info *class_of(uint8_t mgmt_class)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (mgmt_class >= classes[i].lo && mgmt_class <= classes[i].hi)
            return &classes[i];
    return NULL;
}

const struct iba_mad_attr *iba_mad_attr(uint8_t mgmt_class, uint16_t id)
{
    const struct class_info *c = class_of(mgmt_class);

    for (size_t i = 0; c && i < iba_mad_attr_count; i++)
        if (iba_mad_attrs[i].group == c->group && iba_mad_attrs[i].id == id)
            return &iba_mad_attrs[i];
    return NULL;
}

void iba_mad_record(struct iba_mad *m, const struct iba_mad_attr *a, const uint8_t *record, size_t n, unsigned number)
{
    const uint16_t bytes = (uint16_t)(n < UINT16_MAX ? n : UINT16_MAX);

    *m = (struct iba_mad){.wire = record, .captured = bytes, .len = bytes, .attr = a};
    iba_mad_add_attr(m, a, 0, number);
}

bool iba_mad_parse(struct iba_mad *m, const uint8_t *wire, size_t captured, size_t len)
{
    enum { METHOD_END = 4, ATTRIBUTE_END = 18 };
    const struct class_info *c;

    *m = (struct iba_mad){.wire = wire,
                          .captured = (uint16_t)(captured < IBA_MAD_BYTES ? captured : IBA_MAD_BYTES),
                          .len = (uint16_t)(len < IBA_MAD_BYTES ? len : IBA_MAD_BYTES)};
    if (captured < METHOD_END)
        return false;
    iba_mad_add_for(m, IBA_M_madhdr, 0, 0, IBA_MAD_BYTES);
    iba_mad_add(m, IBA_M_mad_data, HEADER, 1, 0);
    c = class_of(iba_madhdr_mgmtclass(wire));
    if (c && c->header)
        c->header(m);
    if (captured < ATTRIBUTE_END)
        return true;
    m->attr = iba_mad_attr(iba_madhdr_mgmtclass(wire), iba_madhdr_attributeid(wire));
    if (c && m->attr && m->attr->group != IBA_GROUP_SA)
        iba_mad_add_attr(m, m->attr, c->data_at, 0);
    else if (m->attr)
        iba_mad_add_records(m);
    else if (iba_madhdr_mgmtclass(wire) == IBA_CLASS_SA)
        iba_mad_add(m, IBA_M_sa_unknown, IBA_SA_DATA_AT, 1, 0);
    else
        iba_mad_add(m, IBA_M_mad_unknown, HEADER, 1, 0);
    return true;
}

bool iba_mad_in(const struct iba_view *v)
{
    if (!iba_view_is_transport(v) || !iba_view_has(v, IBA_H_deth) || !iba_view_has_bth(v) ||
        iba_bth_opcode(iba_view_bth(v)) != IBA_UD_SEND_ONLY)
        return false;
    if (v->holds != IBA_HOLDS_UNKNOWN)
        return v->holds == IBA_HOLDS_MAD;
    return iba_bth_destqp(iba_view_bth(v)) <= 1 || iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth)) <= 1;
}

bool iba_mad_of(struct iba_mad *m, const struct iba_view *v)
{
    return iba_mad_in(v) && iba_mad_parse(m, v->wire + v->payload_at, iba_view_payload_captured(v), v->payload_len);
}

const uint8_t *iba_mad_row_at(const struct iba_mad *m, const struct iba_mad_part *p, unsigned i,
                              const struct iba_field *row)
{
    const uint32_t at = iba_mad_at(p, i), bits = at < m->captured ? (m->captured - at) * 8u : 0;

    if (row->at + row->bits > bits || row->when.at + row->when.bits > bits)
        return NULL;
    return iba_field_present(row, m->wire + at) ? m->wire + at : NULL;
}

const uint8_t *iba_mad_part_bytes(const struct iba_mad *m, const struct iba_mad_part *p, size_t *n)
{
    const uint16_t to = p->to < m->captured ? p->to : m->captured;

    *n = p->from < to ? (size_t)to - p->from : 0;
    return p->named ? m->wire + p->from : NULL;
}

const uint8_t *iba_mad_layout_at(const struct iba_mad *m, enum iba_mad_layout l)
{
    for (unsigned i = 0; i < m->n_part; i++)
        if (m->part[i].layout == l)
            return m->part[i].at + iba_mad_layouts[l].bytes <= m->captured ? m->wire + m->part[i].at : NULL;
    return NULL;
}

const char *iba_mad_component(const struct iba_mad_attr *a, unsigned bit, size_t *n)
{
    const char *s = a->components;

    for (*n = 0; s && *s; bit--) {
        for (*n = 0; s[*n] && s[*n] != ' ';)
            ++*n;
        if (bit == 0)
            return *n == 1 && *s == '-' ? NULL : s;
        s += s[*n] ? *n + 1 : *n;
    }
    return NULL;
}
