/* SPDX-License-Identifier: BSD-2-Clause */
/* Single cases of the view: unusual encapsulations, wrong lengths, packets that are not RoCE. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 600 };
static uint8_t buf[CAP];
static struct iba_recipe r;
static struct iba_view v;
static const uint8_t payload[32] = {0xa5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void start(enum iba_encap e, uint8_t opcode, size_t payload_len)
{
    iba_recipe_init(&r, e, opcode);
    r.payload = payload;
    r.payload_len = payload_len;
}

static size_t parse_as(enum iba_link link)
{
    return serve(&r, link, &v, buf, sizeof buf);
}

static bool good(void)
{
    return v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD && iba_view_is_transport(&v);
}

static void set(enum iba_hdr h, const char *name, uint64_t value)
{
    unsigned i = r.n_part;

    while (i-- > 0 && r.part[i].hdr != h)
        ;
    iba_recipe_set(&r, i, iba_field_find(h, name), value);
}

/* ---- wrong lengths and versions ---- */

Test(cases, each_wrong_field_has_its_error)
{
    static const struct {
        enum iba_encap e;
        enum iba_hdr h;
        const char *field;
        uint64_t value;
        enum iba_err err;
    } rows[] = {
        {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "pktlen", 9, IBA_LRH_LENGTH}, /* 10 are there */
        {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "pktlen", 11, IBA_LRH_LENGTH},
        {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "pktlen", 0, IBA_LRH_LENGTH},
        {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "lver", 1, IBA_LRH_VERSION},
        {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "pktlen", 5, IBA_LRH_LENGTH},
        {IBA_ENCAP_IB_GLOBAL, IBA_H_grh, "paylen", 31, IBA_GRH_LENGTH}, /* 32 are there */
        {IBA_ENCAP_IB_GLOBAL, IBA_H_grh, "paylen", 33, IBA_GRH_LENGTH},
        {IBA_ENCAP_IB_GLOBAL, IBA_H_grh, "ipver", 4, IBA_GRH_VERSION},
        {IBA_ENCAP_IB_GLOBAL, IBA_H_grh, "nxthdr", 17, IBA_GRH_NXTHDR},
        {IBA_ENCAP_ROCE1, IBA_H_grh, "paylen", 33, IBA_GRH_LENGTH},
        {IBA_ENCAP_ROCE1, IBA_H_grh, "paylen", 15, IBA_NO_ICRC},
        {IBA_ENCAP_ROCE1, IBA_H_grh, "paylen", 11, IBA_HEADER_CUT},
        {IBA_ENCAP_ROCE1, IBA_H_grh, "ipver", 5, IBA_GRH_VERSION},
        {IBA_ENCAP_ROCE1, IBA_H_grh, "nxthdr", 0x1c, IBA_GRH_NXTHDR},
        {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "version", 5, IBA_IP_VERSION},
        {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "hdr_len", 16, IBA_IP_HEADER}, /* bytes */
        {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", 61, IBA_IP_LENGTH},     /* 60 are there */
        {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", 19, IBA_IP_LENGTH},
        {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", 59, IBA_UDP_LENGTH},
        {IBA_ENCAP_ROCE2_V6, IBA_H_ipv6, "version", 4, IBA_IP_VERSION},
        {IBA_ENCAP_ROCE2_V6, IBA_H_ipv6, "plen", 41, IBA_IP_LENGTH},
        {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", 41, IBA_UDP_LENGTH}, /* 40 are there (RO-20) */
        {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", 39, IBA_UDP_LENGTH},
        {IBA_ENCAP_ROCE2_V6, IBA_H_udp, "length", 36, IBA_UDP_LENGTH},
        {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", 23, IBA_NOT_ROCE_SHORT},
        {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", 8, IBA_NOT_ROCE_SHORT},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        start(rows[i].e, IBA_RC_SEND_ONLY, 16);
        set(rows[i].h, rows[i].field, rows[i].value);
        parse_as((enum iba_link)iba_encaps[rows[i].e].link);
        cr_assert_eq(v.err, rows[i].err, "row %zu: %s", i, iba_strerror(v.err));
        cr_assert(rows[i].err == IBA_NOT_ROCE_SHORT || v.err_hdr == rows[i].h || v.err_hdr == IBA_H_bth ||
                      v.err_hdr == IBA_H_udp,
                  "row %zu blames %s", i, iba_headers[v.err_hdr].name);
    }
}

Test(cases, pad_larger_than_the_payload)
{
    for (unsigned n = 0; n < 8; n++)
        for (unsigned pad = 0; pad < 4; pad++) {
            start(IBA_ENCAP_ROCE2_V4, IBA_RC_ACKNOWLEDGE, n);
            r.keep = IBA_KEEP_PAD;
            set(IBA_H_bth, "padcnt", pad);
            parse_as(IBA_LINK_ETHERNET);
            const bool bad = pad > n;
            cr_assert(v.err == (bad ? IBA_BAD_PAD : IBA_OK) && v.icrc == IBA_CHECK_GOOD, "%u of %u", pad, n);
            cr_assert(v.payload_len == (bad ? n : n - pad) && v.pad == (bad ? 0 : pad), "%u of %u", pad, n);
        }
}

Test(cases, extension_header_that_does_not_fit)
{
    iba_recipe_init_with(&r, IBA_ENCAP_IB_LOCAL, IBA_RC_CMP_SWAP, 0);
    parse_as(IBA_LINK_IB);
    cr_assert(v.err == IBA_HEADER_CUT && v.err_hdr == IBA_H_atomiceth && v.payload_len == 0);
    cr_assert(v.icrc == IBA_CHECK_GOOD && v.op == &iba_opcodes[IBA_RC_CMP_SWAP]);
}

Test(cases, lengths_of_zero_leave_it_to_the_frame)
{
    start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 5);
    set(IBA_H_ipv4, "len", 0);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(good() && v.payload_len == 5);
    start(IBA_ENCAP_ROCE2_V6, IBA_RC_SEND_ONLY, 5);
    set(IBA_H_ipv6, "plen", 0);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(good() && v.payload_len == 5);
}

/* RO-04, RO-38 */
Test(cases, frame_padding_is_outside_the_packet)
{
    static const enum iba_encap encaps[] = {IBA_ENCAP_ROCE1, IBA_ENCAP_ROCE2_V4, IBA_ENCAP_ROCE2_V6,
                                            IBA_ENCAP_ROCE2_QINQ};

    for (size_t k = 0; k < COUNT(encaps); k++)
        for (size_t pad = 0; pad < 20; pad++) {
            start(encaps[k], IBA_RC_ACKNOWLEDGE, 0);
            r.frame_pad = pad;
            const size_t n = parse_as(IBA_LINK_ETHERNET);
            cr_assert(good() && v.end == n - pad && v.payload_len == 0, "%s, %zu", iba_encaps[encaps[k]].name, pad);
        }
}

/* ---- what is not RoCE ---- */

Test(cases, a_reserved_opcode_needs_a_good_icrc_on_udp)
{
    start(IBA_ENCAP_ROCE2_V4, 0x15, 8);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(good() && v.op == NULL && v.payload_len == 8 && iba_view_has_bth(&v));
    r.icrc_mode = IBA_CRC_BAD;
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.err == IBA_NOT_ROCE_OPCODE && v.proto == IBA_PROTO_NONE && !iba_view_has_bth(&v));
    cr_assert(v.icrc == IBA_CHECK_ABSENT && v.payload_len == 0);
}

Test(cases, elsewhere_a_reserved_opcode_is_believed)
{
    static const enum iba_encap encaps[] = {IBA_ENCAP_ROCE1, IBA_ENCAP_IB_LOCAL, IBA_ENCAP_IB_GLOBAL};

    for (size_t k = 0; k < COUNT(encaps); k++) {
        start(encaps[k], 0x15, 8);
        r.icrc_mode = IBA_CRC_BAD;
        parse_as((enum iba_link)iba_encaps[encaps[k]].link);
        cr_assert(v.err == IBA_OK && v.icrc == IBA_CHECK_BAD && v.op == NULL && v.payload_len == 8);
    }
    start(IBA_ENCAP_ROCE2_V4, 0xc3, 8); /* vendor opcodes have no rules */
    r.icrc_mode = IBA_CRC_BAD;
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.err == IBA_OK && v.icrc == IBA_CHECK_BAD && v.proto == IBA_PROTO_ROCE2);
}

Test(cases, other_ports_only_on_request)
{
    static const struct iba_view_opts opts = {.port = {1021, 5000}};

    start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 4);
    iba_udp_set_dstport(iba_recipe_part(&r, IBA_H_udp), 5000); /* RO-18 */
    const size_t n = parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.proto == IBA_PROTO_NONE && v.err == IBA_OK && v.icrc == IBA_CHECK_ABSENT);
    iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, &opts);
    iba_view_check(&v);
    cr_assert(good());
    iba_udp_set_srcport(iba_recipe_part(&r, IBA_H_udp), 4791);
    iba_udp_set_dstport(iba_recipe_part(&r, IBA_H_udp), 53);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert_eq(v.proto, IBA_PROTO_NONE);
}

/* The lists of the options end with a zero, or are full. */
Test(cases, full_lists_of_ports_and_queue_pairs)
{
    struct iba_view_opts opts = {.dc = false};

    for (unsigned i = 0; i < IBA_MAX_PORTS; i++)
        opts.port[i] = (uint16_t)(5000 + i);
    for (unsigned i = 0; i < IBA_MAX_QPS; i++)
        opts.qp[i].qpn = 0x100 + i, opts.qp[i].holds = (uint8_t)(i % 2 ? IBA_HOLDS_MAD : IBA_HOLDS_DATA);
    for (unsigned i = 0; i <= IBA_MAX_PORTS; i++) {
        start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 4);
        iba_udp_set_dstport(iba_recipe_part(&r, IBA_H_udp), 5000 + i);
        const size_t n = built(&r, buf, sizeof buf);
        iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, &opts);
        cr_expect_eq(v.proto, i < IBA_MAX_PORTS ? IBA_PROTO_ROCE2 : IBA_PROTO_NONE, "port %u", i);
    }
    for (unsigned i = 0; i <= IBA_MAX_QPS; i++) {
        start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 4);
        iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 0x100 + i);
        const size_t n = built(&r, buf, sizeof buf);
        iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, &opts);
        cr_expect_eq(v.holds,
                     i == IBA_MAX_QPS ? IBA_HOLDS_UNKNOWN
                     : i % 2          ? IBA_HOLDS_MAD
                                      : IBA_HOLDS_DATA,
                     "QP %u", i);
    }
}

Test(cases, nothing_of_infiniband_in_it)
{
    static const enum iba_hdr lists[][3] = {{IBA_H_eth, IBA_H_ipv4, IBA_H_COUNT},
                                            {IBA_H_eth, IBA_H_ipv6, IBA_H_COUNT},
                                            {IBA_H_eth, IBA_H_vlan, IBA_H_COUNT}};

    for (size_t k = 0; k < COUNT(lists); k++) {
        memset(&r, 0, sizeof r);
        for (unsigned i = 0; lists[k][i] != IBA_H_COUNT; i++)
            iba_recipe_add(&r, lists[k][i]);
        r.payload = payload;
        r.payload_len = sizeof payload;
        parse_as(IBA_LINK_ETHERNET);
        cr_assert(v.proto == IBA_PROTO_NONE && v.icrc == IBA_CHECK_ABSENT && v.vcrc == IBA_CHECK_ABSENT);
    }
}

Test(cases, vxlan_without_its_flag_is_not_entered)
{
    start(IBA_ENCAP_ROCE2_V4_VXLAN, IBA_RC_SEND_ONLY, 4);
    iba_vxlan_set_flag_i(iba_recipe_part(&r, IBA_H_vxlan), 0);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.proto == IBA_PROTO_NONE && v.n_layer == 4);
}

/* ---- IP ---- */

Test(cases, ipv4_options_move_the_bth_and_count)
{
    for (uint8_t n = 4; n <= IBA_PART_EXTRA; n = (uint8_t)(n + 4)) {
        start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 6);
        r.part[1].extra = n;
        memset(r.part[1].bytes + IBA_BYTES_ipv4, 1, n); /* NOP */
        parse_as(IBA_LINK_ETHERNET);
        cr_assert(good() && v.bth_at == 14u + 20 + n + 8 && v.payload_len == 6);
        buf[14 + 20] ^= 1;
        look(&v, IBA_LINK_ETHERNET, buf, v.len, v.len);
        cr_assert_eq(v.icrc, IBA_CHECK_BAD);
    }
}

Test(cases, ipv4_fragments)
{
    start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 16);
    iba_ipv4_set_mf(iba_recipe_part(&r, IBA_H_ipv4), 1);
    set(IBA_H_udp, "length", 1000); /* counts the whole datagram */
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.fragment && v.err == IBA_OK && v.icrc == IBA_CHECK_TRUNCATED && v.proto == IBA_PROTO_ROCE2);
    cr_assert(iba_view_has_bth(&v) && !v.truncated);
    iba_ipv4_set_frag_offset(iba_recipe_part(&r, IBA_H_ipv4), 100);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.fragment && v.proto == IBA_PROTO_NONE && !iba_view_has(&v, IBA_H_udp) && v.err == IBA_OK);
    for (unsigned n = 8 + 4; n <= 8 + 20; n++) { /* a whole datagram, or less than one, of at most a BTH */
        start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 16);
        iba_ipv4_set_mf(iba_recipe_part(&r, IBA_H_ipv4), 1);
        set(IBA_H_ipv4, "len", 20 + 8 + 8);
        set(IBA_H_udp, "length", n);
        parse_as(IBA_LINK_ETHERNET);
        cr_assert_eq(v.err, n <= 8 + 8 ? IBA_NOT_ROCE_SHORT : IBA_OK, "UDP length %u", n);
        cr_assert_eq(v.proto, n <= 8 + 8 ? IBA_PROTO_NONE : IBA_PROTO_ROCE2, "UDP length %u", n);
    }
    start(IBA_ENCAP_ROCE2_V4, IBA_RC_WRITE_ONLY, 0); /* a first fragment that ends inside the RETH */
    iba_ipv4_set_mf(iba_recipe_part(&r, IBA_H_ipv4), 1);
    set(IBA_H_udp, "length", 1000);
    set(IBA_H_ipv4, "len", 20 + 8 + 12 + 4 + 6);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(v.fragment && iba_view_has_bth(&v) && !iba_view_has(&v, IBA_H_reth) && v.err == IBA_OK);
    cr_assert_eq(v.icrc, IBA_CHECK_TRUNCATED);
}

/* A repair writes the checksum of an IPv4 header that is possible and was captured, and of no other. */
Test(cases, repair_of_ipv4_headers_of_every_length)
{
    for (unsigned words = 0; words < 16; words++)
        for (unsigned there = 14 + 20; there <= 14 + 60; there++) {
            start(IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY, 0);
            r.part[1].extra = 40;
            set(IBA_H_ipv4, "hdr_len", 4 * words);
            set(IBA_H_ipv4, "checksum", 0x1234);
            const size_t len = built(&r, buf, sizeof buf);
            look(&v, IBA_LINK_ETHERNET, buf, there, len);
            iba_view_repair_crc(&v, buf);
            uint32_t sum = 0;
            for (unsigned i = 0; i < words; i++)
                sum +=
                    (uint32_t)iba_bits_get(buf + 14 + 4 * i, 0, 16) + (uint32_t)iba_bits_get(buf + 14 + 4 * i, 16, 16);
            if (words >= 5 && 14 + 4 * words <= there)
                EXPECT((sum & 0xffff) + (sum >> 16) == 0xffff, "%u words, %u bytes", words, there);
            else
                EXPECT(iba_ipv4_checksum(buf + 14) == 0x1234, "%u words, %u bytes", words, there);
        }
}

/* The extension header's number and its bytes after the first two (RFC 8200, RFC 4302) */
Test(cases, ipv6_extension_headers)
{
    static const struct {
        uint8_t number, extra, len;
        uint8_t offset_flags[2];
        bool fragment, transport;
    } rows[] = {
        {0, 6, 0, {0, 0}, false, true},
        {43, 22, 2, {0, 0}, false, true},
        {60, 14, 1, {0, 0}, false, true},
        {51, 22, 4, {0, 0}, false, true},
        {44, 6, 3 /* reserved there */, {0, 0}, false, true},
        {44, 6, 0, {0, 6} /* reserved bits */, false, true},
        {44, 6, 0, {0, 1}, true, true},
        {44, 6, 0, {0, 8}, true, false},
        {135, 6, 0, {0, 0}, false, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        start(IBA_ENCAP_ROCE2_V6_EXT, IBA_RC_SEND_ONLY, 7);
        uint8_t *ext = iba_recipe_part(&r, IBA_H_ip6ext);
        r.part[2].extra = rows[i].extra;
        iba_ipv6_set_nxt(iba_recipe_part(&r, IBA_H_ipv6), rows[i].number);
        set(IBA_H_ip6ext, "len", rows[i].len);
        memcpy(ext + 2, rows[i].offset_flags, 2);
        parse_as(IBA_LINK_ETHERNET);
        cr_assert_eq(v.err, IBA_OK, "row %zu: %s", i, iba_strerror(v.err));
        cr_assert_eq(v.fragment, rows[i].fragment, "row %zu", i);
        cr_assert_eq(iba_view_has_bth(&v), rows[i].transport, "row %zu", i);
        if (rows[i].transport)
            cr_assert_eq(v.icrc, rows[i].fragment ? IBA_CHECK_TRUNCATED : IBA_CHECK_GOOD, "row %zu", i);
    }
}

/* In no known encapsulation is the BTH farther from its network header than an ICRC may begin before it. */
Test(cases, the_farthest_bth)
{
    enum { MOST = 18, AH = 51 };

    for (unsigned far = 0; far < 2; far++) {
        memset(&r, 0, sizeof r);
        iba_recipe_add(&r, IBA_H_ipv6);
        for (unsigned i = 0; i < MOST; i++)
            iba_recipe_add(&r, IBA_H_ip6ext);
        iba_recipe_add(&r, IBA_H_udp);
        iba_bth_set_opcode(iba_recipe_add(&r, IBA_H_bth), IBA_RC_SEND_ONLY);
        r.payload = payload;
        r.payload_len = 4;
        if (far) { /* its last extension header has 12 bytes, not 8 */
            iba_ip6ext_set_nxt(r.part[MOST - 1].bytes, AH);
            r.part[MOST].extra = 10;
            iba_recipe_set(&r, MOST, iba_field_find(IBA_H_ip6ext, "len"), 1);
            r.icrc_mode = IBA_CRC_NONE;
        }
        parse_as(IBA_LINK_IP);
        cr_assert(iba_view_has_bth(&v) && v.bth_at == IBA_ICRC_MAX_BTH_AT + (far ? 4 : 0));
        cr_assert_eq(v.err, far ? IBA_NO_ICRC : IBA_OK, "%s", iba_strerror(v.err));
        cr_assert_eq(v.icrc, far ? IBA_CHECK_ABSENT : IBA_CHECK_GOOD);
    }
}

/* ---- tunnels, tags, labels ---- */

Test(cases, other_numbers_of_known_headers)
{
    static const struct {
        enum iba_encap e;
        unsigned part;
        enum iba_hdr h;
        const char *field;
        uint64_t value;
    } rows[] = {
        {IBA_ENCAP_ROCE2_V4_VLAN, 0, IBA_H_eth, "type", 0x9100},
        {IBA_ENCAP_ROCE2_MPLS, 0, IBA_H_eth, "type", 0x8848},
        {IBA_ENCAP_ROCE2_GRE, 2, IBA_H_gre, "proto", 0x88be}, /* ERSPAN I: no header of its own */
        {IBA_ENCAP_ROCE2_V4_VLAN, 1, IBA_H_vlan, "id", 0},    /* a priority tag (RO-39) */
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        start(rows[i].e, IBA_RC_SEND_ONLY, 4);
        iba_recipe_set(&r, rows[i].part, iba_field_find(rows[i].h, rows[i].field), rows[i].value);
        parse_as(IBA_LINK_ETHERNET);
        cr_assert(good() && v.n_layer == r.n_part, "row %zu", i);
    }
}

Test(cases, gre_with_every_option)
{
    static const enum iba_hdr list[] = {IBA_H_eth,    IBA_H_ipv6,    IBA_H_gre,  IBA_H_grecsum, IBA_H_grekey,
                                        IBA_H_greseq, IBA_H_erspan3, IBA_H_ipv4, IBA_H_udp,     IBA_H_bth};

    for (unsigned six = 0; six < 2; six++) {
        memset(&r, 0, sizeof r);
        for (size_t i = 0; i < COUNT(list); i++)
            iba_recipe_add(&r, six && list[i] == IBA_H_ipv4 ? IBA_H_ipv6 : list[i]);
        iba_bth_set_opcode(iba_recipe_part(&r, IBA_H_bth), IBA_RC_SEND_ONLY);
        cr_assert_eq(iba_erspan3_ft(iba_recipe_part(&r, IBA_H_erspan3)), 2);
        parse_as(IBA_LINK_ETHERNET);
        cr_assert(good() && v.n_layer == COUNT(list));
        iba_gre_set_version(iba_recipe_part(&r, IBA_H_gre), 1); /* PPTP */
        parse_as(IBA_LINK_ETHERNET);
        cr_assert_eq(v.proto, IBA_PROTO_NONE);
    }
}

Test(cases, mpls_without_a_control_word)
{
    start(IBA_ENCAP_ROCE2_MPLS_PW, IBA_RC_SEND_ONLY, 4);
    r.part[1].extra = 0;
    iba_eth_set_dst(iba_recipe_part(&r, IBA_H_eth), 0x123456789abc);
    parse_as(IBA_LINK_ETHERNET);
    cr_assert(good() && v.n_layer == r.n_part);
}

/* ---- capture formats ---- */

Test(cases, erf_types)
{
    static const struct {
        enum iba_encap e;
        uint8_t type;
        bool known;
    } rows[] = {{IBA_ENCAP_ERF_ETH, 2, true},        {IBA_ENCAP_ERF_ETH, 11, true},  {IBA_ENCAP_ERF_ETH, 16, true},
                {IBA_ENCAP_ERF_ETH, 20, true},       {IBA_ENCAP_ERF_IB, 21, true},   {IBA_ENCAP_ERF_ETH_EXT, 2, true},
                {IBA_ENCAP_ERF_IB_GLOBAL, 21, true}, {IBA_ENCAP_ERF_ETH, 27, false}, {IBA_ENCAP_ERF_IB, 48, false}};

    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t n = 0; n < 9; n++) {
            start(rows[i].e, IBA_RC_SEND_ONLY, n);
            iba_erf_set_type(iba_recipe_part(&r, IBA_H_erf), rows[i].type);
            const size_t len = parse_as(IBA_LINK_ERF);
            cr_assert_eq(len % 8, 0);
            cr_assert_eq(good(), rows[i].known, "row %zu: %s", i, iba_strerror(v.err));
            cr_assert(!rows[i].known || (v.payload_len == n && v.len <= len));
        }
}

Test(cases, erf_ip_and_flow_control)
{
    static const enum iba_hdr l3[] = {IBA_H_ipv4, IBA_H_ipv6};

    for (size_t i = 0; i < COUNT(l3); i++) {
        memset(&r, 0, sizeof r);
        iba_recipe_add(&r, IBA_H_erf);
        iba_recipe_add(&r, l3[i]);
        iba_recipe_add(&r, IBA_H_udp);
        iba_bth_set_opcode(iba_recipe_add(&r, IBA_H_bth), IBA_UC_SEND_ONLY);
        cr_assert_eq(iba_erf_type(iba_recipe_part(&r, IBA_H_erf)), 22 + i);
        parse_as(IBA_LINK_ERF);
        cr_assert(good());
    }
    start(IBA_ENCAP_ERF_FC, 0, 0);
    cr_assert_eq(iba_erf_type(iba_recipe_part(&r, IBA_H_erf)), 25);
    parse_as(IBA_LINK_ERF);
    cr_assert(v.proto == IBA_PROTO_IB_LINK && v.vcrc == IBA_CHECK_GOOD && v.err == IBA_OK);
}

/* A record may contain less of the frame than was on the wire (WLEN counts all of it). */
Test(cases, erf_record_cut_by_the_card)
{
    start(IBA_ENCAP_ERF_IB, IBA_RC_SEND_ONLY, 32);
    const size_t len = parse_as(IBA_LINK_ERF);
    cr_assert(good() && v.vcrc == IBA_CHECK_GOOD);
    iba_erf_set_rlen(buf, len - 16);
    look(&v, IBA_LINK_ERF, buf, len - 16, len - 16);
    cr_assert(v.truncated && v.err == IBA_OK && v.icrc == IBA_CHECK_TRUNCATED && v.payload_len == 32);
    cr_assert_eq(v.vcrc, IBA_CHECK_TRUNCATED);
    look(&v, IBA_LINK_ERF, buf, len, len); /* a longer capture does not bring the bytes back */
    cr_assert(v.truncated && v.icrc == IBA_CHECK_TRUNCATED);
}

Test(cases, cooked_captures)
{
    static const enum iba_encap encaps[] = {IBA_ENCAP_SLL, IBA_ENCAP_SLL_ROCE1, IBA_ENCAP_SLL2};

    for (size_t i = 0; i < COUNT(encaps); i++) {
        start(encaps[i], IBA_RC_SEND_ONLY, 3);
        parse_as((enum iba_link)iba_encaps[encaps[i]].link);
        cr_assert(good() && v.frame_at == 0);
    }
    start(IBA_ENCAP_SLL, IBA_RC_SEND_ONLY, 3);
    iba_sll_set_etype(iba_recipe_part(&r, IBA_H_sll), 0x0806);
    parse_as(IBA_LINK_SLL);
    cr_assert_eq(v.proto, IBA_PROTO_NONE);
}

Test(cases, a_link_that_holds_nothing)
{
    const size_t n = (start(IBA_ENCAP_IB_LOCAL, IBA_RC_SEND_ONLY, 3), parse_as(IBA_LINK_IB));

    look(&v, IBA_LINK_NONE, buf, n, n);
    cr_assert(v.n_layer == 0 && v.proto == IBA_PROTO_NONE && v.err == IBA_OK);
}

/* ---- native ---- */

/* WF-04: raw packets have a VCRC and nothing else. */
Test(cases, raw_packets)
{
    start(IBA_ENCAP_IB_RAW, 0, 16);
    cr_assert_eq(iba_lrh_lnh(iba_recipe_part(&r, IBA_H_lrh)), 0);
    iba_rwh_set_etype(iba_recipe_part(&r, IBA_H_rwh), 0x88b5);
    cr_assert_eq(parse_as(IBA_LINK_IB), 8 + 4 + 16 + 2);
    cr_assert(v.proto == IBA_PROTO_IB_RAW && v.icrc == IBA_CHECK_ABSENT && v.vcrc == IBA_CHECK_GOOD && !v.err);
    start(IBA_ENCAP_IB_RAW_V6, 0, 16);
    cr_assert_eq(iba_lrh_lnh(iba_recipe_part(&r, IBA_H_lrh)), 1);
    parse_as(IBA_LINK_IB);
    cr_assert(v.proto == IBA_PROTO_IB_RAW && v.icrc == IBA_CHECK_ABSENT && v.vcrc == IBA_CHECK_GOOD && !v.err);
}

Test(cases, a_capture_without_the_vcrc)
{
    start(IBA_ENCAP_IB_GLOBAL, IBA_RC_SEND_ONLY, 16);
    const size_t n = parse_as(IBA_LINK_IB);
    look(&v, IBA_LINK_IB, buf, n - 2, n - 2);
    cr_assert(good() && v.vcrc == IBA_CHECK_ABSENT && !v.truncated);
    look(&v, IBA_LINK_IB, buf, n - 2, n);
    cr_assert(good() && v.vcrc == IBA_CHECK_TRUNCATED && v.truncated);
}

static void ipoib(uint32_t qp, enum iba_hdr l3)
{
    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), qp);
    iba_recipe_add(&r, IBA_H_ipoibsend);
    iba_recipe_add(&r, l3);
    r.payload = payload;
    r.payload_len = 12;
}

Test(cases, ip_over_a_datagram)
{
    ipoib(0x12, IBA_H_ipv4);
    parse_as(IBA_LINK_IB);
    cr_assert(good() && iba_view_has(&v, IBA_H_ipoibsend) && iba_view_has(&v, IBA_H_ipv4));
    cr_assert(v.payload_len == 4 + 20 + 12 && v.layer[3].hdr == IBA_H_ipoibsend && v.layer[3].at == v.payload_at);
    ipoib(0x12, IBA_H_ipv6);
    parse_as(IBA_LINK_IB);
    cr_assert(good() && iba_view_has(&v, IBA_H_ipv6));
    ipoib(1, IBA_H_ipv4); /* QP1 takes management datagrams */
    parse_as(IBA_LINK_IB);
    cr_assert(good() && !iba_view_has(&v, IBA_H_ipoibsend));
}

Test(cases, faults_inside_a_payload_are_not_the_packets)
{
    ipoib(0x12, IBA_H_ipv4);
    set(IBA_H_ipv4, "hdr_len", 60);
    parse_as(IBA_LINK_IB);
    cr_assert(good() && iba_view_has(&v, IBA_H_ipv4));
    ipoib(0x12, IBA_H_ipv4);
    iba_ipv4_set_mf(iba_recipe_part(&r, IBA_H_ipv4), 1);
    parse_as(IBA_LINK_IB);
    cr_assert(good() && !v.fragment);
    ipoib(0x12, IBA_H_ipv4);
    iba_recipe_add(&r, IBA_H_udp);
    iba_recipe_add(&r, IBA_H_bth); /* RoCE in a payload is payload */
    parse_as(IBA_LINK_IB);
    cr_assert(good() && v.bth_at == 8 && v.l3 == IBA_H_lrh);
}

Test(cases, ipoib_pseudo_header_link)
{
    start(IBA_ENCAP_IPOIB, 0, 8);
    parse_as(IBA_LINK_IPOIB);
    cr_assert(v.err == IBA_OK && v.proto == IBA_PROTO_NONE && iba_view_has(&v, IBA_H_udp));
    cr_assert_eq(iba_ipoib_type(iba_view_hdr(&v, IBA_H_ipoib)), 0x0800);
}

/* DC takes the opcodes of RD: after its own header come the headers of RC, or those of the one opcode that connects
 * (VN-02). */
Test(cases, dc_on_request)
{
    static const struct iba_view_opts opts = {.dc = true};
    const uint64_t bth = IBA_HDR_BIT(IBA_H_bth), dc = IBA_HDR_BIT(IBA_H_dcbth);

    for (unsigned code = 0; code < 256; code++) {
        const uint64_t usual = iba_opcodes[code].hdrs & ~bth;
        const uint64_t hdrs = code >> 5 != IBA_RD ? usual
                              : code == 0x55      ? dc | IBA_HDR_BIT(IBA_H_dcceth)
                                                  : dc | (iba_opcodes[code & 31].hdrs & ~bth);
        iba_recipe_init_with(&r, IBA_ENCAP_ROCE2_V4, (uint8_t)code, hdrs);
        r.payload = payload;
        r.payload_len = 5;
        const size_t n = built(&r, buf, sizeof buf);
        iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, &opts);
        iba_view_check(&v);
        cr_assert(good() && v.payload_len == 5, "opcode 0x%02x", code);
        cr_assert_eq(v.has >> IBA_H_bth, (bth | hdrs) >> IBA_H_bth, "opcode 0x%02x", code);
        iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, NULL);
        cr_assert(!iba_view_has(&v, IBA_H_dcbth) && !iba_view_has(&v, IBA_H_dcceth), "opcode 0x%02x", code);
    }
}
