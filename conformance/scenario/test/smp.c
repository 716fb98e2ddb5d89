/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in datagrams of subnet and performance management. Their places (byte, bit and number of bits) are copied from
 * the architecture, volume 1: 13.4.2 (header of a MAD), 14.2.1 (SMPs), 14.2.5 (attributes) and 16.1 (performance
 * management). */
#include "load.h"
#include "scenario/field.h"

static const struct {
    const char *attribute, *name;
    int index;
    uint16_t byte, bit, bits;
} places[] = {
    {"NodeInfo", "base", -1, 0, 0, 8},
    {"NodeInfo", "class", -1, 1, 0, 8},
    {"NodeInfo", "version", -1, 2, 0, 8},
    {"NodeInfo", "method", -1, 3, 0, 8},
    {"NodeInfo", "d", -1, 4, 0, 1},
    {"NodeInfo", "status", -1, 4, 1, 15},
    {"NodeInfo", "pointer", -1, 6, 0, 8},
    {"NodeInfo", "hops", -1, 7, 0, 8},
    {"NodeInfo", "tid", -1, 8, 0, 64},
    {"NodeInfo", "attribute", -1, 16, 0, 16},
    {"NodeInfo", "modifier", -1, 20, 0, 32},
    {"NodeInfo", "mkey", -1, 24, 0, 64},
    {"NodeInfo", "key", -1, 24, 0, 64}, /* of other classes, in the same place */
    {"MCMemberRecord", "smkey", -1, 36, 0, 64},
    {"MCMemberRecord", "mask", -1, 48, 0, 64},
    {"NodeInfo", "drslid", -1, 32, 0, 16},
    {"NodeInfo", "drdlid", -1, 34, 0, 16},
    {"NodeInfo", "path", 0, 128, 0, 8},
    {"NodeInfo", "path", 63, 191, 0, 8},
    {"PortInfo", "back", 1, 193, 0, 8},
    {"PortInfo", "mkey", -1, 24, 0, 64}, /* the header's, not the attribute's */
    {"PortInfo", "lid", -1, 80, 0, 16},
    {"GUIDInfo", "guid", 0, 64, 0, 64},
    {"GUIDInfo", "guid", 7, 120, 0, 64},
    {"P_KeyTable", "pkey", 0, 64, 0, 16},
    {"P_KeyTable", "pkey", 31, 126, 0, 16},
    {"SLtoVLMappingTable", "vl", 0, 64, 0, 4},
    {"SLtoVLMappingTable", "vl", 1, 64, 4, 4},
    {"SLtoVLMappingTable", "vl", 15, 71, 4, 4},
    {"VLArbitrationTable", "vl", 0, 64, 4, 4},
    {"VLArbitrationTable", "weight", 0, 65, 0, 8},
    {"VLArbitrationTable", "vl", 31, 126, 4, 4},
    {"VLArbitrationTable", "weight", 31, 127, 0, 8},
    {"LinearForwardingTable", "port", 0, 64, 0, 8},
    {"LinearForwardingTable", "port", 63, 127, 0, 8},
    {"MulticastForwardingTable", "ports", 0, 64, 0, 16},
    {"MulticastForwardingTable", "ports", 31, 126, 0, 16},
    {"PortCounters", "portselect", -1, 65, 0, 8},
    {"Notice:257", "key", -1, 80, 0, 32}, /* 74: two reserved bytes and two LIDs come before */
};

Test(smp, each_field_stands_where_the_architecture_says)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const uint16_t m = ibc_smp_find(places[i].attribute);
        uint32_t at = 0;
        const struct iba_field *f;

        cr_assert_neq(m, 0, "no attribute %s", places[i].attribute);
        f = ibc_smp_field(m, places[i].name, places[i].index, &at);
        cr_assert_not_null(f, "%s has no %s[%d]", places[i].attribute, places[i].name, places[i].index);
        cr_expect_eq(at * 8 + f->at, places[i].byte * 8U + places[i].bit, "%s %s[%d] begins at byte %u bit %u",
                     places[i].attribute, places[i].name, places[i].index, (unsigned)(at + f->at / 8), f->at % 8U);
        cr_expect_eq(f->bits, places[i].bits, "%s %s has %u bits", places[i].attribute, places[i].name, f->bits);
    }
}

Test(smp, other_names_are_no_fields)
{
    static const struct {
        const char *attribute, *name;
        int index;
    } none[] = {
        {"NodeInfo", "pkey", 0},          {"P_KeyTable", "pkey", 32},  {"P_KeyTable", "pkey", -1},
        {"P_KeyTable", "guid", 0},        {"GUIDInfo", "guid", 8},     {"SLtoVLMappingTable", "weight", 0},
        {"NodeInfo", "path", 64},         {"NodeInfo", "mkey", 0},     {"NodeInfo", "", -1},
        {"NodeInfo", "lid", -1},          {"PortCounters", "guid", 0}, {"LinearForwardingTable", "port", 64},
        {"Notice:257", "portselect", -1},
    };

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        uint32_t at;

        cr_expect_null(ibc_smp_field(ibc_smp_find(none[i].attribute), none[i].name, none[i].index, &at),
                       "%s has %s[%d]", none[i].attribute, none[i].name, none[i].index);
    }
}

Test(smp, each_attribute_is_found_by_its_whole_name)
{
    size_t found = 0;

    for (size_t i = 0; i < ibc_smp_count(); i++) {
        const char *name = ibc_smp_name(i);
        char longer[100];
        uint16_t m;

        if (*name == '\0')
            continue;
        m = ibc_smp_find(name);
        cr_assert_neq(m, 0, "%s is not found", name);
        cr_expect_str_eq(ibc_smp_attr(m)->name, name);
        cr_expect_eq(ibc_smp_trap(m), 0);
        snprintf(longer, sizeof longer, "%sx", name);
        cr_expect_eq(ibc_smp_find(longer), 0, "%s is found", longer);
        found++;
    }
    cr_expect_gt(found, 20);
    cr_expect_eq(ibc_smp_find("REQ"), 0);
    cr_expect_eq(ibc_smp_find(""), 0);
    cr_expect_null(ibc_smp_attr(0));
    cr_expect_null(ibc_smp_attr(0x0010));
    cr_expect_eq(ibc_smp_trap(0x0100), 0);
}

Test(smp, a_notice_may_have_the_number_of_a_trap)
{
    static const unsigned traps[] = {128, 129, 130, 131, 144, 145, 256, 257, 258, 259};

    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        char name[20];

        snprintf(name, sizeof name, "Notice:%u", traps[i]);
        cr_expect_eq(ibc_smp_trap(ibc_smp_find(name)), traps[i], "%s", name);
        cr_expect_str_eq(ibc_smp_attr(ibc_smp_find(name))->name, "Notice");
    }
    cr_expect_eq(ibc_smp_find("Notice:0"), 0);
    cr_expect_eq(ibc_smp_find("Notice:127"), 0);
    cr_expect_eq(ibc_smp_find("Notice:"), 0);
    cr_expect_eq(ibc_smp_find("PortInfo:128"), 0);
}

/* Each entry of each table, and none after the last: a table has 64 bytes (14.2.5), and so has each path (14.2.1.2). */
Test(smp, each_entry_of_each_table)
{
    static const struct {
        const char *attribute, *name;
        int n;
        unsigned first, stride, bits; /* in bits from the first byte of the datagram */
    } tables[] = {
        {"GUIDInfo", "guid", 8, 64 * 8, 64, 64},
        {"P_KeyTable", "pkey", 32, 64 * 8, 16, 16},
        {"SLtoVLMappingTable", "vl", 128, 64 * 8, 4, 4}, /* of which the attribute uses the first 16 */
        {"VLArbitrationTable", "vl", 32, 64 * 8 + 4, 16, 4},
        {"VLArbitrationTable", "weight", 32, 65 * 8, 16, 8},
        {"LinearForwardingTable", "port", 64, 64 * 8, 8, 8},
        {"MulticastForwardingTable", "ports", 32, 64 * 8, 16, 16},
        {"NodeInfo", "path", 64, 128 * 8, 8, 8},
        {"PortInfo", "back", 64, 192 * 8, 8, 8},
        {"PortCounters", "back", 64, 192 * 8, 8, 8},
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (int k = 0; k <= tables[i].n; k++) {
            uint32_t at = 0;
            const struct iba_field *f = ibc_smp_field(ibc_smp_find(tables[i].attribute), tables[i].name, k, &at);
            cr_assert_eq(f != NULL, k < tables[i].n, "%s %s[%d]", tables[i].attribute, tables[i].name, k);
            if (!f)
                continue;
            cr_expect_eq(at * 8 + f->at, tables[i].first + (unsigned)k * tables[i].stride, "%s %s[%d]",
                         tables[i].attribute, tables[i].name, k);
            cr_expect(f->bits == tables[i].bits && strcmp(f->name, tables[i].name) == 0);
        }
}

/* Only attributes of subnet management have tables, also where another class has an attribute of the same number. */
Test(smp, no_tables_of_other_classes)
{
    static const char *const names[] = {"guid", "pkey", "vl", "weight", "port", "ports"};
    unsigned others = 0;

    for (size_t i = 0; i < ibc_smp_count(); i++) {
        const uint16_t m = ibc_smp_find(ibc_smp_name(i));
        uint32_t at;
        if (!m || ibc_smp_attr(m)->group == IBA_GROUP_SMP)
            continue;
        others++;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            cr_expect_null(ibc_smp_field(m, names[k], 0, &at), "%s %s", ibc_smp_name(i), names[k]);
    }
    cr_expect_gt(others, 20, "%u", others);
}

/* The data of an attribute begin after the headers of its class: 64 bytes in subnet and performance management
 * (14.2.1, 16.1.1) and baseboard management, 32 in congestion control (A10), 56 in subnet administration (15.2.1). */
Test(smp, fields_of_each_class)
{
    static const char *const of_headers[] = {"base",      "class",    "version", "method", "d",     "status",
                                             "pointer",   "hops",     "tid",     "mkey",   "key",   "smkey",
                                             "attribute", "modifier", "mask",    "drslid", "drdlid"};
    unsigned seen = 0;

    for (size_t i = 0; i < ibc_smp_count(); i++) {
        const uint16_t m = ibc_smp_find(ibc_smp_name(i));
        const struct iba_mad_attr *a = m ? ibc_smp_attr(m) : NULL;
        if (!a || a->part[0].n != 1)
            continue;
        const struct iba_hdr_info *h = &iba_mad_layouts[a->part[0].layout];
        const uint32_t data = a->group == IBA_GROUP_CC ? 32 : a->group == IBA_GROUP_SA ? 56 : 64;
        for (unsigned k = 0; k < h->n_field; k++) {
            bool of_header = false;
            uint32_t at = 0;
            for (size_t n = 0; n < sizeof of_headers / sizeof *of_headers; n++)
                of_header |= strcmp(of_headers[n], h->field[k].name) == 0;
            const struct iba_field *f = ibc_smp_field(m, h->field[k].name, -1, &at);
            cr_assert_not_null(f, "%s %s", a->name, h->field[k].name);
            cr_expect_eq(at, of_header ? 0 : data + (uint32_t)a->part[0].at, "%s %s: %u", a->name, h->field[k].name,
                         at);
            cr_expect(of_header || strcmp(f->name, h->field[k].name) == 0);
            seen++;
        }
    }
    cr_expect_gt(seen, 100, "%u", seen);
}
