/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in datagrams of subnet, performance and baseboard management, of congestion control and of subnet
 * administration: core's attributes and layouts, entries of tables, and fields of the headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "field.h"

/* A message number consists of IS_SMP, the number of the attribute in core's list, and, from bit TRAP_SHIFT on, the
 * number of the notice's trap. */
enum { IS_SMP = 0x8000, ATTRIBUTES = 0xff, TRAP_SHIFT = 8, TRAPS_MASK = 0x1f };
static const uint16_t traps[] = {0, 128, 129, 130, 131, 144, 145, 256, 257, 258, 259};
enum {
    TRAPS = sizeof traps / sizeof *traps,
    DATA_AT = 64,
    DETAILS_AT = DATA_AT + IBA_BYTES_notice,
    CC_AT = 32,
    SA_AT = 56
};

static bool is_ours(const struct iba_mad_attr *a)
{
    return a->group == IBA_GROUP_SMP || a->group == IBA_GROUP_PM || a->group == IBA_GROUP_CC ||
           a->group == IBA_GROUP_BM || a->group == IBA_GROUP_SA;
}

const struct iba_mad_attr *ibc_smp_attr(uint16_t message)
{
    return (message & IS_SMP) != 0 ? &iba_mad_attrs[message & ATTRIBUTES] : NULL;
}

uint16_t ibc_smp_trap(uint16_t message)
{
    return (message & IS_SMP) != 0 ? traps[message >> TRAP_SHIFT & TRAPS_MASK] : 0;
}

/* Finds an attribute by its name. If two classes have an attribute of that name, the first one is meant: that of
 * subnet management. */
uint16_t ibc_smp_find(const char *name)
{
    static const char notice[] = "Notice:";
    unsigned trap = 0;
    size_t len = strlen(name);

    if (strncmp(name, notice, sizeof notice - 1) == 0) {
        const unsigned long n = strtoul(name + sizeof notice - 1, NULL, 10);
        for (trap = TRAPS - 1; trap > 0 && traps[trap] != n;)
            trap--;
        len = trap > 0 ? sizeof notice - 2 : len;
    }
    for (size_t i = 0; i < iba_mad_attr_count && i <= ATTRIBUTES; i++)
        if (is_ours(&iba_mad_attrs[i]) && strncmp(iba_mad_attrs[i].name, name, len) == 0 &&
            iba_mad_attrs[i].name[len] == '\0')
            return (uint16_t)(IS_SMP | trap << TRAP_SHIFT | i);
    return 0;
}

size_t ibc_smp_count(void)
{
    return iba_mad_attr_count;
}

const char *ibc_smp_name(size_t i)
{
    return is_ours(&iba_mad_attrs[i]) ? iba_mad_attrs[i].name : "";
}

/* ---- the headers ---- */

#define BITS(name_, at_, bits_)                                                                                        \
    {                                                                                                                  \
        .name = name_, .label = name_, .at = (at_), .bits = (bits_), .mem_size = 1, .show = IBA_SHOW_DEC               \
    }
/* clang-format off */
static const struct {
    const char *name;
    struct iba_field field; /* its position counts from the first byte of the datagram */
} header[] = {
    {"base", BITS("base", 0, 8)},            {"class", BITS("class", 8, 8)},      {"version", BITS("version", 16, 8)},
    {"method", BITS("method", 24, 8)},       {"d", BITS("d", 32, 1)},             {"status", BITS("status", 33, 15)},
    {"pointer", BITS("pointer", 48, 8)},     {"hops", BITS("hops", 56, 8)},       {"tid", BITS("tid", 64, 64)},
    {"attribute", BITS("attribute", 128, 16)}, {"modifier", BITS("modifier", 160, 32)}, {"mkey", BITS("mkey", 192, 64)},
    {"key", BITS("key", 192, 64)},             {"smkey", BITS("smkey", 288, 64)}, {"mask", BITS("mask", 384, 64)},
    {"drslid", BITS("drslid", 256, 16)},     {"drdlid", BITS("drdlid", 272, 16)},
};

/* ---- tables: the width of their entries in bits; each path of an SMP is a table ---- */
static const struct {
    const char *name;
    uint16_t attribute;    /* 0: any */
    uint16_t from, stride; /* bits */
    struct iba_field field;
} table[] = {
    {"guid",   0x0014, DATA_AT * 8, 64,     BITS("guid", 0, 64)},
    {"pkey",   0x0016, DATA_AT * 8, 16,     BITS("pkey", 0, 16)},
    {"vl",     0x0017, DATA_AT * 8, 4,      BITS("vl", 0, 4)},
    {"vl",     0x0018, DATA_AT * 8 + 4, 16, BITS("vl", 4, 4)},
    {"weight", 0x0018, DATA_AT * 8 + 8, 16, BITS("weight", 0, 8)},
    {"port",   0x0019, DATA_AT * 8, 8,      BITS("port", 0, 8)},
    {"ports",  0x001b, DATA_AT * 8, 16,     BITS("ports", 0, 16)},
    {"path",   0,      128 * 8, 8,          BITS("path", 0, 8)},
    {"back",   0,      192 * 8, 8,          BITS("back", 0, 8)},
};
/* clang-format on */
static const struct iba_field odd_lane = BITS("vl", 4, 4);

static const struct iba_field *entry(const struct iba_mad_attr *a, const char *name, unsigned index, uint32_t *at)
{
    enum { TABLE_BITS = 512 };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const uint32_t bit = index * (uint32_t)table[i].stride;
        if ((table[i].attribute != 0 && (table[i].attribute != a->id || a->group != IBA_GROUP_SMP)) ||
            strcmp(table[i].name, name) != 0 || bit >= TABLE_BITS)
            continue;
        *at = (table[i].from + bit) / 8;
        return table[i].stride == 4 && index % 2 == 1 ? &odd_lane : &table[i].field;
    }
    return NULL;
}

/* ---- attributes ---- */

static const struct iba_field *in_layout(enum iba_mad_layout l, const char *name)
{
    const struct iba_hdr_info *h = &iba_mad_layouts[l];

    for (unsigned i = 0; i < h->n_field; i++)
        if (strcmp(h->field[i].name, name) == 0)
            return &h->field[i];
    return NULL;
}

static unsigned data_at(const struct iba_mad_attr *a)
{
    return a->group == IBA_GROUP_CC ? CC_AT : a->group == IBA_GROUP_SA ? SA_AT : DATA_AT;
}

static const struct iba_field *in_attribute(const struct iba_mad_attr *a, const char *name, uint32_t *at)
{
    const struct iba_field *f = NULL;

    for (unsigned i = 0; f == NULL && i < IBA_MAD_ATTR_PARTS && a->part[i].n == 1; i++) {
        f = in_layout((enum iba_mad_layout)a->part[i].layout, name);
        *at = data_at(a) + (uint32_t)a->part[i].at;
    }
    return f;
}

const struct iba_field *ibc_smp_field(uint16_t message, const char *name, int index, uint32_t *at)
{
    const struct iba_mad_attr *a = ibc_smp_attr(message);
    const struct iba_field *f = NULL;

    if (index >= 0)
        return entry(a, name, (unsigned)index, at);
    if (ibc_smp_trap(message) != 0 && (f = in_layout(iba_trap_details(ibc_smp_trap(message)), name)) != NULL) {
        *at = DETAILS_AT;
        return f;
    }
    *at = 0;
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        if (strcmp(header[i].name, name) == 0)
            return &header[i].field;
    return in_attribute(a, name, at);
}
