/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"
#include "field/verdict.h"
#include "observer/iba_finding_kinds.h"
#include "output/printer.h"
#include "wire/iba_opcode_rows.h"

TestSuite(output, .init = printed_clear);

static const char *info(const struct packet *p)
{
    printed_clear();
    print_info(&printed, p);
    return printed_text();
}

static void bad_icrc(struct iba_recipe *r)
{
    r->icrc_mode = IBA_CRC_BAD;
    iba_bth_set_a(iba_recipe_part(r, IBA_H_bth), 1);
}

static void rnr(struct iba_recipe *r)
{
    iba_aeth_set_syn_kind(iba_recipe_part(r, IBA_H_aeth), 1);
    iba_aeth_set_syn_value(iba_recipe_part(r, IBA_H_aeth), 12);
}

Test(output, the_info_column_says_what_matters)
{
    cr_assert_str_eq(info(packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL)),
                     "RC SEND Only QP=0x000012 PSN=0x000000 Len=8");
    cr_assert_str_eq(info(packet_of(IBA_ENCAP_IB_LOCAL, IBA_RC_SEND_ONLY, 8, bad_icrc)),
                     "RC SEND Only QP=0x000012 PSN=0x000000 Len=8 AckReq [ICRC bad]");
    cr_assert_str_eq(info(packet_of(IBA_ENCAP_ROCE1, IBA_RC_ACKNOWLEDGE, 0, rnr)),
                     "RC Acknowledge QP=0x000012 PSN=0x000000 RNR NAK 0.64 ms MSN=0");
    cr_assert_str_eq(info(packet_of(IBA_ENCAP_ROCE2_V4, 0xc3, 0, NULL)),
                     "Manufacturer specific opcode 0xc3 QP=0x000012 PSN=0x000000");
    cr_assert_str_eq(info(packet_of(IBA_ENCAP_IB_FC, 0, 0, NULL)), "Flow control Normal VL=0 FCTBS=0 FCCL=0");
}

Test(output, every_opcode_in_every_encapsulation_has_an_info_line)
{
    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (unsigned code = 0; code < 256; code++) {
            const struct packet *p = packet_of((enum iba_encap)e, (uint8_t)code, 8, NULL);
            const char *text = info(p);
            cr_assert(text[0] != ' ' && !strchr(text, '\n'), "\"%s\"", text);
            if (iba_opcodes[code].name && iba_view_has_bth(&p->view))
                cr_assert_eq(strncmp(text, iba_opcodes[code].title, strlen(iba_opcodes[code].title)), 0, "%s", text);
            cr_assert_gt(strlen(print_protocol(p)), 0);
        }
}

static void protocol(enum iba_encap e, const char *name)
{
    cr_assert_str_eq(print_protocol(packet_of(e, IBA_RC_SEND_ONLY, 8, NULL)), name);
}

Test(output, the_protocol_column)
{
    protocol(IBA_ENCAP_ROCE1, "RoCEv1");
    protocol(IBA_ENCAP_ROCE2_V6_VXLAN, "RoCEv2");
    protocol(IBA_ENCAP_IB_GLOBAL, "InfiniBand");
    protocol(IBA_ENCAP_IB_RAW, "IB-raw");
    protocol(IBA_ENCAP_IB_FC, "IB-link");
    protocol(IBA_ENCAP_IPOIB, "UDP");
}

Test(output, times)
{
    const struct packet *p = packet_of(IBA_ENCAP_ROCE1, IBA_RC_SEND_ONLY, 8, NULL);
    static const struct {
        enum time_format format;
        const char *text;
    } rows[] = {{STAMP_RELATIVE, "0.000000000"},
                {STAMP_DELTA, "0.000000000"},
                {STAMP_EPOCH, "1700000000.123456789"},
                {STAMP_UTC, "22:13:20.123456789"},
                {STAMP_UTC_DATE, "2023-11-14 22:13:20.123456789"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printed_clear();
        print_time(&printed, p, rows[i].format);
        cr_assert_str_eq(printed_text(), rows[i].text);
    }
}

/* Returns whether all brackets outside of strings are closed in order, and no control character occurs. cli.py checks
 * the same output with a real JSON parser. */
static bool balanced(const char *s)
{
    char open[64];
    unsigned depth = 0;
    bool quoted = false;

    for (; *s; s++) {
        if (*s == '\\' && quoted) {
            s++;
        } else if (*s == '"') {
            quoted = !quoted;
        } else if (quoted) {
            if ((unsigned char)*s < 0x20)
                return false;
        } else if (*s == '{' || *s == '[') {
            if (depth == sizeof open)
                return false;
            open[depth++] = *s == '{' ? '}' : ']';
        } else if ((*s == '}' || *s == ']') && (depth == 0 || open[--depth] != *s)) {
            return false;
        }
    }
    return depth == 0 && !quoted;
}

Test(output, json_forms_are_whole)
{
    static const struct print_opts opts = {.separator = '\t', .aggregator = ',', .occurrence = 'a', .hex = true};

    for (const struct printer *f = printers; f->name; f++) {
        if (strcmp(f->name, "json") != 0 && strcmp(f->name, "jsonl") != 0 && strcmp(f->name, "ek") != 0)
            continue;
        for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
            printed_clear();
            if (f->begin)
                f->begin(&printed, &opts);
            f->packet(&printed, packet_of((enum iba_encap)e, IBA_UD_SEND_ONLY_IMM, 40, NULL), &opts, true);
            f->packet(&printed, packet_of((enum iba_encap)e, 0xff, 3, NULL), &opts, false);
            if (f->end)
                f->end(&printed, true);
            cr_assert(balanced(printed_text()), "-T %s of %s", f->name, iba_encaps[e].name);
        }
    }
}

/* ---- fields that the user names ---- */

static const char *form_of(const char *name, const struct packet *p, const struct print_opts *opts)
{
    const struct printer *f = printers;

    while (strcmp(f->name, name) != 0)
        f++;
    printed_clear();
    f->packet(&printed, p, opts, true);
    return printed_text();
}

/* Fields that the user names: a packet in a tunnel has two destination ports, and no AETH. */
Test(output, fields_that_are_named)
{
    static const struct {
        char occurrence, quote, aggregator;
        const char *text;
    } rows[] = {
        {'a', '\0', ',', "4789,4791;;0\n"},
        {'a', '\0', '+', "4789+4791;;0\n"},
        {'f', '\0', ',', "4789;;0\n"},
        {'l', '\0', ',', "4791;;0\n"},
        {'a', '"', ',', "\"4789,4791\";;\"0\"\n"},
        {'f', '"', ',', "\"4789\";;\"0\"\n"},
        {'l', '"', ',', "\"4791\";;\"0\"\n"},
        {'l', '\'', ',', "'4791';;'0'\n"},
    };
    const struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4_VXLAN, IBA_RC_SEND_ONLY, 8, NULL);
    struct print_opts opts = {
        .field = {field_find("udp.dstport"), field_find("infiniband.aeth.msn"), field_find("infiniband.bth.padcnt")},
        .n_field = 3,
        .separator = ';'};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opts.occurrence = rows[i].occurrence;
        opts.quote = rows[i].quote;
        opts.aggregator = rows[i].aggregator;
        cr_expect_str_eq(form_of("fields", p, &opts), rows[i].text, "row %zu: %s", i, printed_text());
    }
    cr_expect_str_eq(form_of("jsonl", p, &opts), "{\"udp.dstport\":[4789,4791],\"infiniband.bth.padcnt\":0}\n");
    opts.n_field = 1;
    cr_expect_str_eq(form_of("jsonl", p, &opts), "{\"udp.dstport\":[4789,4791]}\n");
    opts.field[0] = opts.field[1];
    cr_expect_str_eq(form_of("jsonl", p, &opts), "{}\n");
}

Test(output, no_time)
{
    struct packet *const p = packet_of(IBA_ENCAP_ROCE1, IBA_RC_SEND_ONLY, 8, NULL);
    struct cap_packet cap = *p->cap;

    cap.has_ts = false;
    p->cap = &cap;
    for (unsigned f = STAMP_RELATIVE; f <= STAMP_UTC_DATE; f++) {
        printed_clear();
        print_time(&printed, p, (enum time_format)f);
        cr_expect_str_eq(printed_text(), "-", "format %u", f);
    }
}

/* Values that belong to the packet as a whole, each printed under its name. */
Test(output, computed_values)
{
    static const struct {
        enum iba_encap encap;
        uint8_t opcode;
        const char *has[4];
    } rows[] = {
        {IBA_ENCAP_ROCE2_V4,
         IBA_RC_SEND_ONLY,
         {"\"infiniband.encapsulation\":\"RoCEv2\"", "\"infiniband.bth.service\":\"RC\"",
          "\"infiniband.payload.length\":8", "\"infiniband.icrc.status\":\"good\""}},
        {IBA_ENCAP_ROCE1, IBA_UC_SEND_ONLY, {"\"RoCEv1\"", "\"infiniband.bth.service\":\"UC\""}},
        {IBA_ENCAP_IB_LOCAL,
         IBA_UD_SEND_ONLY,
         {"\"infiniband.encapsulation\":\"InfiniBand\"", "\"infiniband.bth.service\":\"UD\"",
          "\"infiniband.vcrc.status\":\"good\""}},
        {IBA_ENCAP_IB_RAW, 0, {"\"infiniband.encapsulation\":\"IB raw\""}},
        {IBA_ENCAP_IB_FC, 0, {"\"infiniband.encapsulation\":\"IB link\"", "\"infiniband_link.lpcrc.status\":\"good\""}},
    };
    static const struct print_opts opts = {.separator = '\t', .aggregator = ',', .occurrence = 'a'};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct packet *p = packet_of(rows[i].encap, rows[i].opcode, 8, NULL);
        const char *text = form_of("jsonl", p, &opts);
        for (unsigned k = 0; k < 4 && rows[i].has[k]; k++)
            cr_expect(strstr(text, rows[i].has[k]), "row %zu: no %s in %s", i, rows[i].has[k], text);
    }
}

/* ---- extension headers ---- */

/* Gives each extension header small numbers, so that leading zeros show. */
static void small_numbers(struct iba_recipe *r)
{
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_rdeth)))
        iba_rdeth_set_eecnxt(h, 3);
    if ((h = iba_recipe_part(r, IBA_H_deth)))
        iba_deth_set_srcqp(h, 4);
    if ((h = iba_recipe_part(r, IBA_H_xrceth)))
        iba_xrceth_set_srqn(h, 5);
    if ((h = iba_recipe_part(r, IBA_H_reth))) {
        iba_reth_set_va(h, 6);
        iba_reth_set_r_key(h, 7);
        iba_reth_set_dmalen(h, 8);
    }
    if ((h = iba_recipe_part(r, IBA_H_atomiceth))) {
        iba_atomiceth_set_va(h, 9);
        iba_atomiceth_set_r_key(h, 10);
    }
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        h[0] = 0x05;
        iba_aeth_set_msn(h, 11);
    }
    if ((h = iba_recipe_part(r, IBA_H_immdt)))
        iba_immdt_set_data(h, 12);
    if ((h = iba_recipe_part(r, IBA_H_ieth)))
        iba_ieth_set_r_key(h, 13);
}

Test(output, extension_headers)
{
    static const struct {
        uint8_t opcode;
        const char *text;
    } rows[] = {
        {IBA_RC_SEND_ONLY_IMM, "RC SEND Only with Immediate QP=0x000012 PSN=0x000000 Imm=0x0000000c Len=8"},
        {IBA_RC_SEND_ONLY_INV, "RC SEND Only with Invalidate QP=0x000012 PSN=0x000000 Inv=0x0000000d Len=8"},
        {IBA_RC_WRITE_ONLY_IMM, "RC RDMA WRITE Only with Immediate QP=0x000012 PSN=0x000000 VA=0x6 R_Key=0x00000007 "
                                "DMALen=8 Imm=0x0000000c Len=8"},
        {IBA_RC_CMP_SWAP, "RC CmpSwap QP=0x000012 PSN=0x000000 VA=0x9 R_Key=0x0000000a"},
        {IBA_RC_ACKNOWLEDGE, "RC Acknowledge QP=0x000012 PSN=0x000000 ACK credits=6 MSN=11"},
        {IBA_UD_SEND_ONLY, "UD SEND Only QP=0x000012 PSN=0x000000 SrcQP=0x000004 Len=8"},
        {IBA_RD_SEND_ONLY, "RD SEND Only QP=0x000012 PSN=0x000000 EECN=3 SrcQP=0x000004 Len=8"},
        {IBA_XRC_SEND_ONLY, "XRC SEND Only QP=0x000012 PSN=0x000000 SRQ=0x000005 Len=8"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t payload = strstr(rows[i].text, " Len=8") ? 8 : 0;
        cr_expect_str_eq(info(packet_of(IBA_ENCAP_ROCE2_V4, rows[i].opcode, payload, small_numbers)), rows[i].text,
                         "%s", printed_text());
    }
}

static uint8_t reserved_at, reserved_is;

static void reserved_of_cnp(struct iba_recipe *r)
{
    iba_recipe_part(r, IBA_H_cnp)[reserved_at] = reserved_is;
}

/* Reserved bytes are printed if one of them is not 0: the first, the last, or one between. */
Test(output, reserved_bytes)
{
    static const struct print_opts opts = {.separator = '\t', .aggregator = ',', .occurrence = 'a'};
    static const struct {
        uint8_t at, is;
        const char *text;
    } rows[] = {{0, 0, NULL},
                {0, 1, "01000000000000000000000000000000"},
                {7, 0x80, "00000000000000800000000000000000"},
                {15, 1, "00000000000000000000000000000001"}};
    char want[128];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reserved_at = rows[i].at;
        reserved_is = rows[i].is;
        const char *text = form_of("jsonl", packet_of(IBA_ENCAP_ROCE2_V4, IBA_CNP_ROCE, 0, reserved_of_cnp), &opts);
        if (rows[i].text) {
            (void)snprintf(want, sizeof want, "\"infiniband.cnp.reserved\":\"%s\"", rows[i].text);
            cr_expect(strstr(text, want), "%s", text);
        } else
            cr_expect_null(strstr(text, "infiniband.cnp.reserved"), "%s", text);
    }
}

/* ---- the line of a packet ---- */

static void between_ends(struct iba_recipe *r)
{
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, 0x0a000001);
        iba_ipv4_set_dst(h, 0x0a000002);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        memset(h + 8, 0, 32);
        h[8] = h[24] = 0xfd;
        h[23] = 3;
        h[39] = 4;
    }
    if ((h = iba_recipe_part(r, IBA_H_grh))) {
        memset(h + 8, 0, 32);
        h[8] = h[24] = 0xfe;
        h[23] = 5;
        h[39] = 6;
    }
    if ((h = iba_recipe_part(r, IBA_H_lrh))) {
        iba_lrh_set_slid(h, 7);
        iba_lrh_set_dlid(h, 8);
    }
}

/* A packet goes between the addresses of its network header, or else of its link. */
Test(output, addresses)
{
    static const struct {
        enum iba_encap encap;
        const char *between;
    } rows[] = {{IBA_ENCAP_ROCE2_V4, "       10.0.0.1 \xe2\x86\x92 10.0.0.2        RoCEv2 "},
                {IBA_ENCAP_ROCE2_V6, "         fd00::3 \xe2\x86\x92 fd00::4         RoCEv2 "},
                {IBA_ENCAP_ROCE1, "         fe00::5 \xe2\x86\x92 fe00::6         RoCEv1 "},
                {IBA_ENCAP_IB_LOCAL, "           LID 7 \xe2\x86\x92 LID 8           InfiniBand "},
                {IBA_ENCAP_IB_GLOBAL, "         fe00::5 \xe2\x86\x92 fe00::6         InfiniBand "},
                {IBA_ENCAP_IB_FC, "                 \xe2\x86\x92                 IB-link "}};
    static const struct print_opts opts = {.time = STAMP_RELATIVE};
    static const uint8_t arp[42] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 10, 8, 6};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *line = form_of("text", packet_of(rows[i].encap, IBA_RC_SEND_ONLY, 8, between_ends), &opts);
        cr_expect(strstr(line, rows[i].between), "row %zu: %s", i, line);
    }
    struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    (void)iba_view_parse(&p->view, IBA_LINK_ETHERNET, arp, sizeof arp, sizeof arp, NULL);
    cr_expect(strstr(form_of("text", p, &opts), " 02:00:00:00:00:0a \xe2\x86\x92 02:00:00:00:00:09 "), "%s",
              printed_text());
}

static void wrong_icrc(struct iba_recipe *r)
{
    r->icrc_mode = IBA_CRC_BAD;
}

static void nak(struct iba_recipe *r)
{
    iba_aeth_set_syn_kind(iba_recipe_part(r, IBA_H_aeth), 3);
}

/* On a terminal a packet has the color of its worst finding: red, yellow, or cyan for a notification. */
Test(output, colors)
{
    static const struct {
        const char *what;
        uint8_t opcode;
        void (*change)(struct iba_recipe *r);
        enum iba_severity worst;
        const char *color;
    } rows[] = {{"data", IBA_RC_SEND_ONLY, NULL, IBA_SEVERITY_NONE, ""},
                {"a note", IBA_RC_SEND_ONLY, NULL, IBA_NOTE, ""},
                {"a warning", IBA_RC_SEND_ONLY, NULL, IBA_WARN, "33"},
                {"an error", IBA_RC_SEND_ONLY, NULL, IBA_ERROR, "31"},
                {"a damaged packet", IBA_RC_SEND_ONLY, wrong_icrc, IBA_SEVERITY_NONE, "31"},
                {"an ACK", IBA_RC_ACKNOWLEDGE, NULL, IBA_SEVERITY_NONE, ""},
                {"a NAK", IBA_RC_ACKNOWLEDGE, nak, IBA_SEVERITY_NONE, "33"},
                {"a NAK that is an error", IBA_RC_ACKNOWLEDGE, nak, IBA_ERROR, "31"},
                {"a notification", IBA_CNP_ROCE, NULL, IBA_SEVERITY_NONE, "36"},
                {"a notification with a note", IBA_CNP_ROCE, NULL, IBA_NOTE, "36"}};
    static const struct print_opts color = {.time = STAMP_RELATIVE, .color = true}, plain = {.time = STAMP_RELATIVE};
    char begin[16];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool empty = rows[i].opcode != IBA_RC_SEND_ONLY;
        struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, rows[i].opcode, empty ? 0 : 8, rows[i].change);
        const struct verdict v = {.worst = rows[i].worst};
        p->verdict = rows[i].worst == IBA_SEVERITY_NONE ? NULL : &v;
        (void)snprintf(begin, sizeof begin, "\033[%sm    1 ", rows[i].color);
        const char *line = form_of("text", p, &color);
        cr_expect_eq(strncmp(line, rows[i].color[0] ? begin : "    1 ", rows[i].color[0] ? strlen(begin) : 6), 0, "%s",
                     rows[i].what);
        cr_expect_eq(strstr(line, "\033[0m\n") != NULL, rows[i].color[0] != '\0', "%s", rows[i].what);
        cr_expect_null(strchr(form_of("text", p, &plain), '\033'));
    }
}

/* The line ends with the kinds of findings that it does not say otherwise, and with the place of the packet. */
Test(output, findings_in_the_line)
{
    static const struct print_opts opts = {.time = STAMP_RELATIVE, .sources = true};
    struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 8, NULL);
    struct verdict v = {.worst = IBA_SEVERITY_NONE};

    cr_expect(strstr(form_of("text", p, &opts), " Len=8 {x.pcap 1}\n"), "%s", printed_text());
    p->verdict = &v;
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_GAP, .cause = 4});
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_BAD_ICRC, .cause = 5});
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_ECN});
    cr_expect(strstr(form_of("text", p, &opts), " Len=8 [GAP \xe2\x86\x90 4] [ECN] {x.pcap 1}\n"), "%s",
              printed_text());
    v = (struct verdict){.worst = IBA_SEVERITY_NONE};
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_MALFORMED});
    verdict_add(&v, &(struct iba_finding){.kind = IBA_FINDING_CNP});
    cr_expect(strstr(form_of("text", p, &opts), " Len=8 {x.pcap 1}\n"), "%s", printed_text());
}

/* ---- tag matching ---- */

static uint8_t tag_kind;

static void tagged(struct iba_recipe *r)
{
    /* kind, three reserved bytes, the user's number, the tag; address, R_Key and length of a rendezvous */
    static uint8_t body[32] = {[7] = 2, [15] = 3, [23] = 4, [27] = 5, [31] = 6};

    body[0] = tag_kind;
    r->payload = body;
}

/* Each kind of message of tag matching, with small numbers. */
Test(output, messages_of_tag_matching)
{
    static const struct iba_view_opts opts = {.qp = {{0x12, IBA_HOLDS_TM}}};
    static const struct {
        uint8_t kind;
        const char *text;
    } rows[] = {{0, " TM No Tag"},
                {1, " TM Rendezvous Tag=0x3 App=0x00000002 VA=0x4 R_Key=0x00000005 Size=6"},
                {2, " TM Rendezvous Finished Tag=0x3 App=0x00000002 VA=0x4 R_Key=0x00000005 Size=6"},
                {3, " TM Eager Tag=0x3 App=0x00000002"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tag_kind = rows[i].kind;
        struct packet *p = packet_of(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 32, tagged);
        (void)iba_view_parse(&p->view, IBA_LINK_ETHERNET, p->cap->data, p->cap->len, p->cap->len, &opts);
        const char *text = strstr(info(p), " TM ");
        cr_expect_str_eq(text ? text : "", rows[i].text, "%s", printed_text());
    }
}
