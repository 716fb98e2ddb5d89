/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the attributes of a datagram: one attribute, or the records of a table. */
#include "iba_mad_add.h"

void iba_mad_add_attr(struct iba_mad *m, const struct iba_mad_attr *a, uint32_t at, unsigned record)
{
    for (unsigned i = 0; i < IBA_MAD_ATTR_PARTS && a->part[i].n > 0; i++) {
        const uint32_t part_at = at + a->part[i].at;
        iba_mad_add(m, (enum iba_mad_layout)a->part[i].layout, part_at, a->part[i].n, record);
        iba_mad_add_variant(m, (enum iba_mad_layout)a->part[i].layout, part_at, record);
    }
}

static bool is_table(uint8_t method)
{
    enum { GET_TABLE_RESP = 0x92, GET_MULTI_RESP = 0x94, GET_TRACE_RESP = 0x93 };

    return method == GET_TABLE_RESP || method == GET_MULTI_RESP || method == GET_TRACE_RESP;
}

/* Returns how many bytes of records this datagram has: the number in the RMPP header, limited by the datagram's length
 * (MD-39, MD-40). */
static uint32_t record_bytes(const uint8_t *rmpp)
{
    const uint32_t payload = iba_rmpp_data2(rmpp);

    if (!iba_rmpp_rmppflag_last(rmpp) || payload > IBA_BYTES_sa + IBA_SA_DATA_BYTES)
        return IBA_SA_DATA_BYTES;
    return payload < IBA_BYTES_sa ? 0 : payload - IBA_BYTES_sa;
}

/* The records of a table begin AttributeOffset apart, from the start of the first segment on. A later segment may begin
 * in the middle of a record. If the RMPP header gives no length (software hands such a datagram to the kernel), only
 * the first record is certain. */
void iba_mad_add_records(struct iba_mad *m)
{
    const uint8_t *rmpp = m->wire + IBA_RMPP_AT, *sa = m->wire + IBA_SA_AT;

    if (m->captured < IBA_SA_DATA_AT || iba_rmpp_rmpptype(rmpp) > IBA_RMPP_DATA)
        return;
    if (iba_rmpp_rmppflag_active(rmpp) && iba_rmpp_rmpptype(rmpp) == IBA_RMPP_DATA && iba_rmpp_data1(rmpp) > 1)
        return; /* this segment goes on where the previous one ended, in the middle of a record; true of requests, too
                 */
    if (!is_table(iba_madhdr_method(m->wire)) || iba_rmpp_rmpptype(rmpp) != IBA_RMPP_DATA) {
        iba_mad_add_attr(m, m->attr, IBA_SA_DATA_AT, ++m->n_record);
        return;
    }
    const uint32_t size = iba_sa_attributeoffset(sa) * 8u, room = record_bytes(rmpp);
    if (size == 0 || iba_rmpp_data1(rmpp) > 1)
        return;
    for (uint32_t at = 0; at + size <= room && IBA_SA_DATA_AT + at < m->captured; at += size)
        iba_mad_add_attr(m, m->attr, IBA_SA_DATA_AT + at, ++m->n_record);
}
