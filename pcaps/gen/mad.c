/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams: correct headers, and arbitrary but constant bytes in the rest. */
#include <stdlib.h>
#include "gen.h"
#include "mad/iba_mad.h"

enum { MAD = IBA_MAD_BYTES, RMPP_AT = 24, SA_AT = 36, SA_DATA = 56, SA_ROOM = 200 };

static void fill(uint8_t *mad, uint64_t seed)
{
    for (unsigned i = 0; i < MAD; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        mad[i] = (uint8_t)(seed >> 56);
    }
}

static uint32_t record_bytes(const struct iba_mad_attr *a)
{
    uint32_t end = 1;

    for (unsigned i = 0; i < IBA_MAD_ATTR_PARTS && a->part[i].n > 0; i++) {
        const uint32_t to = a->part[i].at + (uint32_t)a->part[i].n * iba_mad_layouts[a->part[i].layout].bytes;
        end = to > end ? to : end;
    }
    return (end + 7) / 8 * 8;
}

/* One segment: the records that fit, or the one of a request. */
static void administration(uint8_t *mad, bool table)
{
    const struct iba_mad_attr *a = iba_mad_attr(iba_madhdr_mgmtclass(mad), iba_madhdr_attributeid(mad));
    const uint32_t size = a ? record_bytes(a) : 8;

    memset(mad + RMPP_AT, 0, IBA_BYTES_rmpp);
    iba_sa_set_attributeoffset(mad + SA_AT, size / 8);
    if (!table)
        return;
    iba_rmpp_set_rmppversion(mad + RMPP_AT, 1);
    iba_rmpp_set_rmpptype(mad + RMPP_AT, 1);
    iba_rmpp_set_rmppflag_last(mad + RMPP_AT, 1);
    iba_rmpp_set_rmppflag_first(mad + RMPP_AT, 1);
    iba_rmpp_set_rmppflag_active(mad + RMPP_AT, 1);
    iba_rmpp_set_data1(mad + RMPP_AT, 1);
    iba_rmpp_set_data2(mad + RMPP_AT, IBA_BYTES_sa + SA_ROOM / size * size);
}

/* Text without control characters and separators. */
static void spell(uint8_t *mad)
{
    struct iba_mad m;

    (void)iba_mad_parse(&m, mad, MAD, MAD);
    for (unsigned k = 0; k < m.n_part; k++) {
        const struct iba_hdr_info *info = &iba_mad_layouts[m.part[k].layout];
        for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++)
            for (unsigned i = 0; f->show == IBA_SHOW_TEXT && i < f->bits / 8u; i++)
                mad[m.part[k].at + f->at / 8 + i] = (uint8_t)('a' + (i + k) % 26);
    }
}

void mad_fill(const struct job *job, uint8_t *mad, const char *what)
{
    enum { CM = 7, CC = 0x21, DIRECTED = 0x81, TABLE = 0x92, HOPS = 3 };
    char *end;
    const unsigned long class = strtoul(what, &end, 16), method = *end == ':' ? strtoul(end + 1, &end, 16) : 0;
    const unsigned long attribute = *end == ':' ? strtoul(end + 1, &end, 16) : 0;

    if (*end || method == 0)
        die(job, "want CLASS:METHOD:ATTRIBUTE, in hex", what);
    fill(mad, (uint64_t) class << 32 | attribute << 8 | method);
    iba_madhdr_set_baseversion(mad, 1);
    iba_madhdr_set_mgmtclass(mad, class);
    iba_madhdr_set_classversion(mad, class == IBA_CLASS_SA || class == CM || class == CC ? 2 : 1);
    iba_madhdr_set_method(mad, method);
    memset(mad + 4, 0, 4);
    iba_madhdr_set_attributeid(mad, attribute);
    iba_madhdr_set_reserved1(mad, 0);
    if (class == DIRECTED) {
        iba_smpdirected_set_d(mad + 4, method >> 7);
        iba_smpdirected_set_hopcount(mad + 4, HOPS);
    }
    if (class == IBA_CLASS_SA)
        administration(mad, method == TABLE);
    spell(mad);
}

void mad_patch(const struct job *job, uint8_t *mad, const char *what)
{
    struct bytes b = {0};
    char *hex;
    const unsigned long at = strtoul(what, &hex, 0);

    if (*hex != ':')
        die(job, "want OFFSET:HEX", what);
    put_hex(&b, hex + 1);
    if (at + b.n > MAD)
        die(job, "after the datagram's end", what);
    memcpy(mad + at, b.at, b.n);
    free(b.at);
}
