/* SPDX-License-Identifier: BSD-2-Clause */
/* Exactly which parts a datagram has, and where: every class header, what depends on a value, what the capture cut.
 * Each expectation is the architecture's (sections in the tests), written as "layout@offset", with *n for n of them. */
#include <stdio.h>
#include "mad/iba_mad.h"
#include "wire/test/wire.h"

enum { SMP = 0x01, SA = 0x03, PM = 0x04, BM = 0x05, DM = 0x06, CM = 0x07, SNMP = 0x08, CC = 0x21, DIRECTED = 0x81 };
enum { GET_RESP = 0x81, TRAP = 0x05, GET_TABLE_RESP = 0x92, NONE = 0xfffe, TEXT = 1024 };

static uint8_t w[IBA_MAD_BYTES];
static struct iba_mad m;

static void header(uint8_t mgmt_class, uint8_t method, uint16_t attribute)
{
    memset(w, 0, sizeof w);
    iba_madhdr_set_baseversion(w, 1);
    iba_madhdr_set_mgmtclass(w, mgmt_class);
    iba_madhdr_set_method(w, method);
    iba_madhdr_set_attributeid(w, attribute);
}

/* Writes the parts as "madhdr@0 smp_route@24 initial_path@129*3 ...". */
static const char *text(void)
{
    static char s[TEXT];
    int n = 0;

    s[0] = '\0';
    for (unsigned i = 0; i < m.n_part; i++) {
        const struct iba_mad_part *p = &m.part[i];
        n += snprintf(s + n, sizeof s - (size_t)n, "%s%s@%u", i ? " " : "", iba_mad_layouts[p->layout].name, p->at);
        if (p->n != 1)
            n += snprintf(s + n, sizeof s - (size_t)n, "*%u", p->n);
        cr_assert_lt(n, TEXT);
    }
    return s;
}

static void expect_cut(size_t captured, const char *parts)
{
    cr_assert(iba_mad_parse(&m, w, captured, sizeof w));
    cr_expect_str_eq(text(), parts, "\n  %s\n  not %s", text(), parts);
}

static void expect(const char *parts)
{
    expect_cut(sizeof w, parts);
}

/* Checks the parts of a datagram, none of which may belong to a record. */
static void expect_header(const char *parts)
{
    expect(parts);
    for (unsigned i = 0; i < m.n_part; i++)
        cr_expect_eq(m.part[i].record, 0, "%s, part %u", parts, i);
}

/* Chapters 13, 14, 15, 16 and annex A10: what follows the common header. */
Test(parts, header_of_each_class)
{
    header(SMP, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 smplid@24 smp_data@64 mad_unknown@24");
    header(DIRECTED, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 smpdirected@4 smp_route@24 smp_data@64 smp_paths@128 mad_unknown@24");
    header(SA, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 rmpp@24 sa@36 sa_data@56 sa_unknown@56");
    header(PM, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 mad_unknown@24");
    header(DM, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 mad_unknown@24");
    header(CM, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 mad_unknown@24");
    header(BM, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 bm_key@24 mad_unknown@24");
    header(SNMP, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 snmp_header@24 mad_unknown@24");
    header(CC, GET_RESP, NONE);
    expect_header("madhdr@0 mad_data@24 cc_key@24 mad_unknown@24");
    for (unsigned vendor = 0x2f; vendor <= 0x50; vendor++) {
        header((uint8_t)vendor, GET_RESP, NONE);
        expect(vendor >= 0x30 && vendor < 0x50 ? "madhdr@0 mad_data@24 rmpp@24 vendor_oui@36 mad_unknown@24"
                                               : "madhdr@0 mad_data@24 mad_unknown@24");
    }
}

/* Section 14.2.2: paths in both directions have as many entries as the hop count says; entry 0 is unused. */
Test(parts, directed_routes)
{
    header(DIRECTED, GET_RESP, NONE);
    w[7] = 1;
    expect("madhdr@0 mad_data@24 smpdirected@4 smp_route@24 smp_data@64 smp_paths@128 initial_path@129 "
           "return_path@193 mad_unknown@24");
    w[7] = 63;
    expect("madhdr@0 mad_data@24 smpdirected@4 smp_route@24 smp_data@64 smp_paths@128 initial_path@129*63 "
           "return_path@193*63 mad_unknown@24");
    w[7] = 64; /* more than there are */
    expect("madhdr@0 mad_data@24 smpdirected@4 smp_route@24 smp_data@64 smp_paths@128 mad_unknown@24");
    w[7] = 3;
    expect_cut(193, "madhdr@0 mad_data@24 smpdirected@4 smp_route@24 smp_data@64 smp_paths@128 initial_path@129*3 "
                    "mad_unknown@24");
    expect_cut(8, "madhdr@0 smpdirected@4");
    expect_cut(7, "madhdr@0 smpdirected@4");
    expect_cut(4, "madhdr@0");
}

/* Section 13.6.2: what follows RMPP's header depends on its type: 0 none, 1 data, 2 ACK, 3 STOP, 4 ABORT. */
Test(parts, types_of_rmpp)
{
    static const char *const of_sa[] = {" sa@36 sa_data@56 sa_unknown@56",
                                        " rmpp_data@36 sa@36 sa_data@56 sa_unknown@56", " sa@36 sa_unknown@56",
                                        " rmpp_error@36 sa@36 sa_unknown@56", " rmpp_error@36 sa@36 sa_unknown@56"};
    static const char *const of_vendor[] = {"", " rmpp_data@36", "", " rmpp_error@36", " rmpp_error@36"};
    char s[TEXT];

    for (unsigned type = 0; type < 5; type++) {
        header(SA, GET_RESP, NONE);
        w[25] = (uint8_t)type;
        (void)snprintf(s, sizeof s, "madhdr@0 mad_data@24 rmpp@24%s", of_sa[type]);
        expect(s);
        w[1] = 0x30;
        (void)snprintf(s, sizeof s, "madhdr@0 mad_data@24 rmpp@24%s vendor_oui@36 mad_unknown@24", of_vendor[type]);
        expect(s);
    }
    header(SA, GET_RESP, NONE);
    w[25] = 3;
    expect_cut(26, "madhdr@0 mad_data@24 rmpp@24");
    expect_cut(37, "madhdr@0 mad_data@24 rmpp@24 rmpp_error@36 sa@36");
    w[25] = 1;
    expect_cut(25, "madhdr@0 mad_data@24 rmpp@24");
}

/* Which parts are found depends on the captured bytes: class and method take 4 bytes, the attribute 18, and a part at
 * least its first byte. */
Test(parts, as_much_as_was_captured)
{
    header(SMP, GET_RESP, 0x15);
    for (size_t n = 0; n < 4; n++)
        cr_assert_not(iba_mad_parse(&m, w, n, sizeof w), "%zu bytes", n);
    expect_cut(4, "madhdr@0");
    expect_cut(17, "madhdr@0");
    cr_assert_null(m.attr);
    expect_cut(18, "madhdr@0");
    cr_assert_str_eq(m.attr->name, "PortInfo");
    expect_cut(24, "madhdr@0");
    expect_cut(25, "madhdr@0 mad_data@24 smplid@24");
    expect_cut(64, "madhdr@0 mad_data@24 smplid@24");
    expect_cut(65, "madhdr@0 mad_data@24 smplid@24 smp_data@64 portinfo@64");
    cr_assert_null(iba_mad_layout_at(&m, IBA_M_portinfo));
    cr_assert(iba_mad_parse(&m, w, 127, sizeof w) && !iba_mad_layout_at(&m, IBA_M_portinfo));
    cr_assert(iba_mad_parse(&m, w, 128, sizeof w) && iba_mad_layout_at(&m, IBA_M_portinfo) == w + 64);
    cr_assert_null(iba_mad_layout_at(&m, IBA_M_nodeinfo));
    cr_assert(iba_mad_parse(&m, w, 300, 400) && m.captured == 256 && m.len == 256);
    cr_assert(iba_mad_parse(&m, w, 100, 200) && m.captured == 100 && m.len == 200);
}

/* A field of a layout is present if its bits were captured, the bits of its condition were captured, and the condition
 * holds. */
Test(parts, rows_that_were_captured)
{
    static const struct iba_field plain = {.at = 8, .bits = 16, .mem_size = 2};
    static const struct iba_field asked = {
        .at = 0, .bits = 8, .mem_size = 1, .when = {.cmp = IBA_CMP_EQ, .at = 24, .bits = 8, .value = 5}};
    struct iba_mad_part p = {.layout = IBA_M_vlarbitration, .n = 3, .stride = 4, .at = 20};

    header(PM, GET_RESP, NONE);
    for (unsigned i = 0; i < 3; i++) {
        const size_t end = 20 + 4 * i + 3;
        cr_assert(iba_mad_parse(&m, w, end, sizeof w) && iba_mad_row_at(&m, &p, i, &plain) == w + 20 + 4 * i);
        cr_assert(iba_mad_parse(&m, w, end - 1, sizeof w) && !iba_mad_row_at(&m, &p, i, &plain));
        w[20 + 4 * i + 3] = 5;
        cr_assert(iba_mad_parse(&m, w, end + 1, sizeof w) && iba_mad_row_at(&m, &p, i, &asked) == w + 20 + 4 * i);
        cr_assert(iba_mad_parse(&m, w, end, sizeof w) && !iba_mad_row_at(&m, &p, i, &asked));
        w[20 + 4 * i + 3] = 4;
        cr_assert(iba_mad_parse(&m, w, end + 1, sizeof w) && !iba_mad_row_at(&m, &p, i, &asked));
    }
    cr_assert(iba_mad_parse(&m, w, 20, sizeof w) && !iba_mad_row_at(&m, &p, 2, &plain));
}

/* A name stands for the bytes of the first part with that prefix; the name of the header stands for all 256 bytes. */
Test(parts, names_cover_bytes)
{
    static const struct {
        uint8_t part;
        int n; /* -1: another part has the name */
    } smp[] = {{0, 200}, {1, -1}, {2, 200}, {3, 0}, {4, 0}, {5, -1}};
    size_t n;

    header(SMP, GET_RESP, 0x16); /* the block and its 32 entries have one name */
    cr_assert(iba_mad_parse(&m, w, 200, sizeof w));
    cr_assert_eq(m.n_part, COUNT(smp));
    for (size_t i = 0; i < COUNT(smp); i++) {
        const uint8_t *bytes = iba_mad_part_bytes(&m, &m.part[i], &n);
        cr_expect(smp[i].n < 0 ? !bytes : bytes == w + m.part[i].from && n == (size_t)smp[i].n, "part %zu: %zu bytes",
                  i, n);
    }
    header(SA, GET_RESP, 0x35);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(m.part[2].layout == IBA_M_rmpp && iba_mad_part_bytes(&m, &m.part[2], &n) == w + 24 && n == 12);
    cr_assert(m.part[3].layout == IBA_M_sa && iba_mad_part_bytes(&m, &m.part[3], &n) == w && n == 256);
    header(SMP, GET_RESP, NONE);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(m.part[2].layout == IBA_M_smplid && iba_mad_part_bytes(&m, &m.part[2], &n) == w && n == 256);
    header(DIRECTED, GET_RESP, NONE);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert(m.part[2].layout == IBA_M_smpdirected && iba_mad_part_bytes(&m, &m.part[2], &n) == w && n == 256);
}

/* Sections 13.4.8.2 and 14.3.9 to 14.3.14: the trap number of a generic notice decides what its data contain. */
Test(parts, traps)
{
    static const struct {
        uint16_t first, last;
        const char *layout;
    } known[] = {{64, 67, "trap_gid"},    {68, 69, "trap_repath"},  {128, 128, "trap_switch"},
                 {129, 131, "trap_port"}, {144, 144, "trap_local"}, {145, 145, "trap_sysguid"},
                 {256, 256, "trap_mkey"}, {257, 258, "trap_key"},   {259, 259, "trap_switch_pkey"}};
    char s[TEXT];

    for (uint16_t trap = 0; trap < 300; trap++) {
        const char *layout = NULL;
        for (size_t i = 0; i < COUNT(known); i++)
            if (trap >= known[i].first && trap <= known[i].last)
                layout = known[i].layout;
        header(SMP, TRAP, 2);
        iba_notice_set_isgeneric(w + 64, 1);
        iba_notice_set_trap(w + 64, trap);
        (void)snprintf(s, sizeof s, "madhdr@0 mad_data@24 smplid@24 smp_data@64 notice@64%s%s%s notice_data@74",
                       layout ? " " : "", layout ? layout : "", layout ? "@74" : "");
        expect(s);
        iba_notice_set_isgeneric(w + 64, 0);
        expect("madhdr@0 mad_data@24 smplid@24 smp_data@64 notice@64 notice_data@74");
        cr_assert(iba_mad_parse(&m, w, 73, sizeof w) && m.n_part == 5);
    }
    header(SMP, TRAP, 2);
    iba_notice_set_isgeneric(w + 64, 1);
    iba_notice_set_trap(w + 64, 128);
    expect_cut(73, "madhdr@0 mad_data@24 smplid@24 smp_data@64 notice@64");
}

/* Section 15.2.5.20: SGIDs and DGIDs follow the record. There are as many as both counts add up to, if that many were
 * captured. */
Test(parts, gids_of_a_request_for_many_paths)
{
    static const struct {
        uint8_t sources, destinations;
        size_t captured;
        const char *gids;
    } cases[] = {{1, 0, 256, " multipath_gid@80"},
                 {0, 1, 256, " multipath_gid@80"},
                 {2, 3, 256, " multipath_gid@80*5"},
                 {5, 6, 256, " multipath_gid@80*11"}, /* 176 bytes are left */
                 {6, 6, 256, " multipath_gid@80*11"},
                 {255, 255, 256, " multipath_gid@80*11"},
                 {2, 3, 80 + 32, " multipath_gid@80*2"},
                 {2, 3, 80 + 31, " multipath_gid@80"},
                 {2, 3, 80 + 15, ""},
                 {0, 0, 256, ""},
                 {2, 3, 80, ""}};
    char s[TEXT];

    for (size_t i = 0; i < COUNT(cases); i++) {
        header(SA, 0x14, 0x3a);
        iba_multipathrecord_set_sgidcount(w + 56, cases[i].sources);
        iba_multipathrecord_set_dgidcount(w + 56, cases[i].destinations);
        (void)snprintf(s, sizeof s, "madhdr@0 mad_data@24 rmpp@24 sa@36 sa_data@56 multipathrecord@56%s",
                       cases[i].gids);
        expect_cut(cases[i].captured, s);
    }
    header(SA, 0x14, 0x3a);
    w[56 + 19] = 1;
    expect_cut(79, "madhdr@0 mad_data@24 rmpp@24 sa@36 sa_data@56 multipathrecord@56");
}

/* Annex A11: the RDMA IP CM service has service identifiers 0x0000000001PPpppp, and begins the private data. */
Test(parts, request_of_the_ip_service)
{
    static const char head[] = "madhdr@0 mad_data@24 cm_req@24";
    enum { VERSION = 165 };
    char s[TEXT];

    header(CM, 3, 0x10);
    iba_cm_req_set_serviceid(w + 24, UINT64_C(0x0000000002060000));
    (void)snprintf(s, sizeof s, "%s cm_req_private@164", head);
    expect(s);
    iba_cm_req_set_serviceid(w + 24, UINT64_C(0x0000000001061234));
    (void)snprintf(s, sizeof s, "%s ip_service@32 ip_cm@164 ip_cm_private@200", head);
    expect(s);
    w[VERSION] = 0x40;
    (void)snprintf(s, sizeof s, "%s ip_service@32 ip_cm@164 ip_cm4@168 ip_cm_private@200", head);
    expect(s);
    w[VERSION] = 0x60;
    (void)snprintf(s, sizeof s, "%s ip_service@32 ip_cm@164 ip_cm6@168 ip_cm_private@200", head);
    expect(s);
    expect_cut(168, "madhdr@0 mad_data@24 cm_req@24 ip_service@32 ip_cm@164");
    expect_cut(167, "madhdr@0 mad_data@24 cm_req@24 ip_service@32 ip_cm@164");
    expect_cut(163, "madhdr@0 mad_data@24 cm_req@24"); /* cut in the message: nothing is known of its private data */
    expect_cut(164, "madhdr@0 mad_data@24 cm_req@24 ip_service@32");
}

Test(parts, gids_that_are_ipv4_addresses)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    uint8_t *local, *remote;
    const char *const without = "madhdr@0 mad_data@24 cm_req@24 cm_req_private@164";

    header(CM, 3, 0x10);
    local = w + 24 + IBA_AT_cm_req_prim_localgid / 8;
    remote = w + 24 + IBA_AT_cm_req_prim_remotegid / 8;
    expect(without);
    memcpy(local, mapped, sizeof mapped);
    expect(without);
    memcpy(remote, mapped, sizeof mapped);
    expect("madhdr@0 mad_data@24 cm_req@24 ip_gids@80 cm_req_private@164");
    for (size_t i = 0; i < sizeof mapped; i++) {
        remote[i] ^= 1;
        expect(without);
        remote[i] ^= 1;
    }
    memset(local, 0, sizeof mapped);
    expect(without);
}

Test(parts, resolution_request_of_the_ip_service)
{
    static const char head[] = "madhdr@0 mad_data@24 cm_sidr_req@24 cm_sidr_private@40";
    char s[TEXT];

    header(CM, 3, 0x17);
    iba_cm_sidr_req_set_requestid(w + 24, 0x01020304); /* begins as a log of a switch does */
    iba_cm_sidr_req_set_serviceid(w + 24, UINT64_C(0x0000000101061234));
    expect(head);
    iba_cm_sidr_req_set_serviceid(w + 24, UINT64_C(0x0000000001111234));
    (void)snprintf(s, sizeof s, "%s sidr_ip_service@32 sidr_ip_cm@40", head);
    expect(s);
    w[41] = 0x40;
    (void)snprintf(s, sizeof s, "%s sidr_ip_service@32 sidr_ip_cm@40 sidr_ip_cm4@44", head);
    expect(s);
    w[41] = 0x60;
    (void)snprintf(s, sizeof s, "%s sidr_ip_service@32 sidr_ip_cm@40 sidr_ip_cm6@44", head);
    expect(s);
    (void)snprintf(s, sizeof s, "%s sidr_ip_service@32 sidr_ip_cm@40", head);
    expect_cut(43, s);
}

/* Annex A10.4.3.5: the log of a switch (1) or of a channel adapter (2); offsets and counts are OpenSM's
 * (ib_cong_log_t). */
Test(parts, congestion_log)
{
    static const char head[] = "madhdr@0 mad_data@24 cc_key@24 cc_log@32";
    char s[TEXT];

    header(CC, GET_RESP, 0x13);
    expect(head);
    w[32] = 1;
    (void)snprintf(s, sizeof s, "%s cc_log_switch@36 cc_event_switch@72*15", head);
    expect(s);
    w[32] = 2;
    (void)snprintf(s, sizeof s, "%s cc_log_ca@36 cc_event_ca@44*13", head);
    expect(s);
    w[32] = 3;
    expect(head);
    w[32] = 1;
    expect_cut(35, head);
}

/* Section 13.6: records of a table lie AttributeOffset * 8 bytes apart. Only a response with a table has them, from its
 * first segment on. */
Test(parts, records_of_a_table)
{
    static const struct {
        uint8_t method, type, active, segment;
        uint32_t payload; /* PayloadLength of a last segment; 0: it is not the last */
        uint16_t words;
        unsigned records;
    } cases[] = {{0x92, 1, 1, 1, 0, 8, 3},        {0x93, 1, 1, 1, 0, 8, 3},        {0x94, 1, 1, 1, 0, 8, 3},
                 {0x81, 1, 1, 1, 0, 8, 1},        {0x12, 1, 1, 1, 0, 8, 1},        {0x95, 1, 1, 1, 0, 8, 1},
                 {0x91, 1, 1, 1, 0, 8, 1},        {0x92, 0, 0, 1, 0, 8, 1},        {0x92, 2, 1, 1, 0, 8, 0},
                 {0x92, 3, 1, 1, 0, 8, 0},        {0x92, 1, 1, 2, 0, 8, 0},        {0x81, 1, 1, 2, 0, 8, 0},
                 {0x81, 1, 0, 2, 0, 8, 1},        {0x92, 1, 0, 2, 0, 8, 0},        {0x92, 1, 1, 1, 0, 0, 0},
                 {0x92, 1, 1, 1, 20 + 64, 8, 1},  {0x92, 1, 1, 1, 20 + 127, 8, 1}, {0x92, 1, 1, 1, 20 + 128, 8, 2},
                 {0x92, 1, 1, 1, 19, 8, 0},       {0x92, 1, 1, 1, 20, 8, 0},       {0x92, 1, 1, 1, 20 + 200, 8, 3},
                 {0x92, 1, 1, 1, 20 + 201, 8, 3}, {0x92, 1, 1, 1, 0, 25, 1},       {0x92, 1, 1, 1, 0, 26, 0},
                 {0x92, 1, 1, 1, 0, 5, 5},        {0x92, 1, 1, 1, 20 + 40, 5, 1},  {0x92, 1, 1, 1, 0, 9, 2}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned found = 0;
        header(SA, cases[i].method, 0x35);
        iba_rmpp_set_rmpptype(w + 24, cases[i].type);
        iba_rmpp_set_rmppflag_active(w + 24, cases[i].active);
        iba_rmpp_set_data1(w + 24, cases[i].segment);
        iba_rmpp_set_rmppflag_last(w + 24, cases[i].payload > 0);
        iba_rmpp_set_data2(w + 24, cases[i].payload);
        iba_sa_set_attributeoffset(w + 36, cases[i].words);
        cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
        cr_expect_eq(m.n_record, cases[i].records, "case %zu: %u records", i, m.n_record);
        for (unsigned k = 0; k < m.n_part; k++)
            if (m.part[k].record) {
                cr_expect(m.part[k].record == found + 1 && m.part[k].at == 56 + found * cases[i].words * 8u,
                          "case %zu: record %u at %u", i, m.part[k].record, m.part[k].at);
                found++;
            }
        cr_expect_eq(found, cases[i].records);
    }
}

Test(parts, records_that_were_captured)
{
    header(SA, GET_TABLE_RESP, 0x35);
    iba_rmpp_set_rmpptype(w + 24, 1);
    iba_rmpp_set_data1(w + 24, 1);
    iba_sa_set_attributeoffset(w + 36, 8);
    expect_cut(55, "madhdr@0 mad_data@24 rmpp@24 rmpp_data@36 sa@36");
    expect_cut(56, "madhdr@0 mad_data@24 rmpp@24 rmpp_data@36 sa@36");
    cr_assert_eq(m.n_record, 0);
    expect_cut(57, "madhdr@0 mad_data@24 rmpp@24 rmpp_data@36 sa@36 sa_data@56 pathrecord@56");
    expect_cut(120, "madhdr@0 mad_data@24 rmpp@24 rmpp_data@36 sa@36 sa_data@56 pathrecord@56");
    expect_cut(121, "madhdr@0 mad_data@24 rmpp@24 rmpp_data@36 sa@36 sa_data@56 pathrecord@56 pathrecord@120");
    cr_assert_eq(m.n_record, 2);
}

/* A datagram has at most as many parts as the array has entries: 5 parts of headers leave 67 entries for records of one
 * part each. */
Test(parts, no_more_than_there_are_places)
{
    struct iba_mad_part last;

    header(SA, GET_TABLE_RESP, 0x20); /* LinkRecord, one every 8 bytes */
    iba_rmpp_set_rmpptype(w + 24, 1);
    iba_rmpp_set_data1(w + 24, 1);
    iba_sa_set_attributeoffset(w + 36, 1);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_eq(m.n_record, 25);
    cr_assert_eq(m.n_part, 6 + 25);
    last = m.part[30];
    cr_assert(last.layout == IBA_M_linkrecord && last.record == 25 && last.at == 56 + 24 * 8);
    iba_madhdr_set_attributeid(w, 0x11); /* NodeRecord has three parts: they would overlap, 25 times 3 */
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_eq(m.n_part, IBA_MAD_PARTS);
}

/* In a reassembled table, a record's part has its offset from the start of the record. */
Test(parts, record_without_a_datagram)
{
    static uint8_t record[112];

    iba_mad_record(&m, iba_mad_attr(SA, 0x11), record, sizeof record, 42);
    cr_expect_str_eq(text(), "rid_lid@0 nodeinfo@4 nodedescription@44");
    cr_assert(m.captured == 112 && m.len == 112 && m.wire == record && m.attr->id == 0x11 && m.n_record == 0);
    for (unsigned i = 0; i < m.n_part; i++)
        cr_assert_eq(m.part[i].record, 42);
    iba_mad_record(&m, iba_mad_attr(SA, 0x11), record, 44, 1);
    cr_expect_str_eq(text(), "rid_lid@0 nodeinfo@4");
    iba_mad_record(&m, iba_mad_attr(SA, 0x11), record, 70000, 1);
    cr_assert(m.captured == UINT16_MAX && m.len == UINT16_MAX);
}

/* Section 13.5: a UD SEND Only to or from QP0 or QP1 is a datagram; for other QPs the caller says whether it is. */
static bool is_datagram(uint8_t opcode, uint32_t to, uint32_t from, enum iba_holds said)
{
    enum { BTH = 8, DETH = BTH + 12, MAD = DETH + 8, LOCAL = 2, BYTES = MAD + 256 + 4 };
    const struct iba_view_opts opts = {.qp = {{to, (uint8_t)said}}};
    uint8_t packet[BYTES + 2] = {0};
    struct iba_view v;

    iba_lrh_set_lnh(packet, LOCAL);
    iba_lrh_set_pktlen(packet, BYTES / 4);
    iba_bth_set_opcode(packet + BTH, opcode);
    iba_bth_set_destqp(packet + BTH, to);
    iba_deth_set_srcqp(packet + DETH, from);
    packet[MAD + 1] = SMP;
    cr_assert_eq(iba_view_parse(&v, IBA_LINK_IB, packet, sizeof packet, sizeof packet, &opts), IBA_OK, "%d", v.err);
    cr_assert_eq(iba_mad_of(&m, &v), iba_mad_in(&v));
    cr_assert(!iba_mad_in(&v) || (m.wire == packet + MAD && m.captured == 256));
    return iba_mad_in(&v);
}

Test(parts, which_packets_are_datagrams)
{
    enum { UD_SEND_ONLY = 0x64, UD_SEND_ONLY_IMM = 0x65, RC_SEND_ONLY = 0x04 };
    static const uint32_t others[] = {2, 3, 0x100, 0x10001, 0x800000, 0xffffff};

    cr_assert(is_datagram(UD_SEND_ONLY, 0, 0, IBA_HOLDS_UNKNOWN) && is_datagram(UD_SEND_ONLY, 1, 1, IBA_HOLDS_UNKNOWN));
    for (size_t i = 0; i < COUNT(others); i++) {
        for (uint32_t qp = 0; qp < 2; qp++)
            cr_expect(is_datagram(UD_SEND_ONLY, qp, others[i], IBA_HOLDS_UNKNOWN) &&
                      is_datagram(UD_SEND_ONLY, others[i], qp, IBA_HOLDS_UNKNOWN));
        cr_expect_not(is_datagram(UD_SEND_ONLY, others[i], 2, IBA_HOLDS_UNKNOWN));
        cr_expect(is_datagram(UD_SEND_ONLY, others[i], 2, IBA_HOLDS_MAD));
        cr_expect_not(is_datagram(UD_SEND_ONLY, others[i], 1, IBA_HOLDS_DATA));
    }
    cr_assert_not(is_datagram(UD_SEND_ONLY_IMM, 1, 1, IBA_HOLDS_UNKNOWN));
    cr_assert_not(is_datagram(RC_SEND_ONLY, 1, 1, IBA_HOLDS_UNKNOWN));
    cr_assert_not(is_datagram(RC_SEND_ONLY, 1, 1, IBA_HOLDS_MAD));
}
