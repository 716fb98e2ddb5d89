/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet builder: derived fields are correct, and fields that the recipe keeps stay unchanged. */
#include "wire.h"
#include "wire/iba_walk.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 5000 };

/* Returns the ones' complement sum over 16-bit words, as RFC 1071, section 2, describes the check. A correct header has
 * the sum 0xffff. */
static unsigned words_sum(const uint8_t *p, size_t n)
{
    unsigned sum = 0;

    for (size_t i = 0; i + 1 < n; i += 2) {
        sum += (unsigned)p[i] * 256 + p[i + 1];
        if (sum > 0xffff)
            sum -= 0xffff;
    }
    return sum;
}

static unsigned part_index(const struct iba_recipe *r, enum iba_hdr h)
{
    unsigned i = r->n_part;

    while (i-- > 0 && r->part[i].hdr != h)
        ;
    return i;
}

Test(build, every_encapsulation_parses_to_the_headers_of_its_row)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        struct iba_view v;
        iba_recipe_init(&r, (enum iba_encap)e, IBA_RC_SEND_ONLY);
        const size_t n = serve(&r, (enum iba_link)iba_encaps[e].link, &v, buf, sizeof buf);
        cr_assert_eq(v.err, IBA_OK, "%s: %s", iba_encaps[e].name, iba_strerror(v.err));
        cr_assert_eq(v.n_layer, iba_encaps[e].n_hdr, "%s: %u layers", iba_encaps[e].name, v.n_layer);
        for (unsigned i = 0; i < v.n_layer; i++)
            cr_assert_eq(v.layer[i].hdr, iba_encaps[e].hdr[i], "%s, layer %u", iba_encaps[e].name, i);
        cr_assert_eq(v.icrc, has_transport((enum iba_encap)e) ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT);
        const bool vcrc = iba_view_has(&v, IBA_H_lrh) || iba_view_has(&v, IBA_H_fc);
        cr_assert_eq(v.vcrc, vcrc ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT, "%s", iba_encaps[e].name);
        cr_assert(n >= v.end);
    }
}

Test(build, names_are_unique_and_found)
{
    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        cr_assert_eq(iba_encap_find(iba_encaps[e].name), e, "%s", iba_encaps[e].name);
    cr_assert_eq(iba_encap_find(""), IBA_ENCAP_COUNT);
    cr_assert_eq(iba_encap_find("roce"), IBA_ENCAP_COUNT);
    cr_assert_eq(iba_encap_find("roce1-vlanx"), IBA_ENCAP_COUNT);
}

Test(build, no_room_for_every_short_buffer)
{
    static uint8_t big[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[5] = {1, 2, 3, 4, 5};

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        size_t len, again;
        iba_recipe_init(&r, (enum iba_encap)e, IBA_UD_SEND_ONLY_IMM);
        r.payload = payload;
        r.payload_len = sizeof payload;
        len = built(&r, big, sizeof big);
        for (size_t cap = 0; cap <= len; cap++) {
            uint8_t *buf = malloc(cap + 1);
            buf[cap] = 0x77;
            EXPECT(iba_build(&r, buf, cap, &again) == (cap < len ? IBA_NO_ROOM : IBA_OK), "%zu of %zu", cap, len);
            EXPECT(again == len && buf[cap] == 0x77, "length, or wrote beyond the buffer");
            EXPECT(cap < len || memcmp(buf, big, len) == 0, "not the same packet twice");
            free(buf);
        }
    }
}

Test(build, lengths_and_checksums_as_the_clauses_count_them)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[7];
    struct iba_view v;

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        if (!has_transport((enum iba_encap)e))
            continue;
        iba_recipe_init(&r, (enum iba_encap)e, IBA_RC_WRITE_ONLY);
        r.payload = payload;
        r.payload_len = sizeof payload;
        serve(&r, (enum iba_link)iba_encaps[e].link, &v, buf, sizeof buf);
        cr_assert_eq(iba_bth_padcnt(iba_view_bth(&v)), 1);
        for (unsigned i = 0; i < v.n_layer; i++) {
            const uint8_t *p = buf + v.layer[i].at;
            const unsigned left = v.end - v.layer[i].at;
            switch (v.layer[i].hdr) {
            case IBA_H_lrh: cr_assert_eq(iba_lrh_pktlen(p) * 4u, left); break; /* WF-08 */
            case IBA_H_grh: cr_assert_eq(iba_grh_paylen(p), left - 40); break; /* WF-23 */
            case IBA_H_ipv4:                                                   /* RO-12 */
                cr_assert_eq(iba_ipv4_len(p), left);
                cr_assert_eq(words_sum(p, 20), 0xffff, "%s", iba_encaps[e].name);
                break;
            case IBA_H_ipv6: cr_assert_eq(iba_ipv6_plen(p), left - 40); break;                       /* RO-17 */
            case IBA_H_udp: cr_assert(iba_udp_length(p) == left && iba_udp_checksum(p) == 0); break; /* RO-20, RO-21 */
            default: break;
            }
        }
    }
}

Test(build, erf_records_count_themselves_and_their_frame)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_ERF_IB_GLOBAL, IBA_RC_SEND_ONLY);
    const size_t n = serve(&r, IBA_LINK_ERF, &v, buf, sizeof buf);
    cr_assert_eq(n % 8, 0);
    cr_assert_eq(iba_erf_rlen(buf), n);
    cr_assert_eq(iba_erf_wlen(buf), 8 + 40 + 12 + 4 + 2);
    cr_assert_eq(v.frame_at, 24);
    cr_assert_eq(v.len, 24 + 66);
}

/* An ERF record has the smallest length that is a multiple of 8 bytes. */
Test(build, erf_records_end_at_the_next_multiple_of_eight)
{
    static uint8_t buf[CAP];
    static const uint8_t payload[32];

    for (uint32_t words = 0; words < 4; words++) {
        static struct iba_recipe r;
        struct iba_view v;
        iba_recipe_init(&r, IBA_ENCAP_ERF_IB_GLOBAL, IBA_RC_SEND_ONLY);
        r.payload = payload;
        r.payload_len = 4 * words;
        const size_t n = serve(&r, IBA_LINK_ERF, &v, buf, sizeof buf);
        cr_expect_eq(n, (v.len + 7) / 8 * 8, "%u bytes of payload", 4 * words);
        iba_recipe_init(&r, IBA_ENCAP_ERF_ETH, IBA_RC_SEND_ONLY);
        r.payload = payload;
        r.payload_len = 4 * words;
        const size_t k = serve(&r, IBA_LINK_ERF, &v, buf, sizeof buf);
        cr_expect_eq(k, (v.len + 7) / 8 * 8, "%u bytes of payload", 4 * words);
    }
}

/* The fields that iba_build() derives, each with the flag of a recipe that keeps it, and two others. */
static const struct {
    enum iba_encap e;
    enum iba_hdr h;
    const char *field;
    uint8_t kept_by;
} derived_rows[] = {
    {IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "pktlen", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_IB_GLOBAL, IBA_H_grh, "paylen", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "checksum", IBA_KEEP_CHECKSUMS},
    {IBA_ENCAP_ROCE2_V6, IBA_H_ipv6, "plen", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE2_V6_EXT, IBA_H_ip6ext, "len", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ERF_ETH, IBA_H_erf, "rlen", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ERF_ETH, IBA_H_erf, "wlen", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE1, IBA_H_bth, "padcnt", IBA_KEEP_PAD},
    {IBA_ENCAP_IB_FC, IBA_H_fc, "lpcrc", IBA_KEEP_CHECKSUMS},
    {IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "hdr_len", IBA_KEEP_LENGTHS},
    {IBA_ENCAP_ROCE2_V4, IBA_H_eth, "type", 0},
    {IBA_ENCAP_ROCE2_V4, IBA_H_udp, "dstport", 0},
};

/* Returns an odd value for the field of a row. */
static uint64_t odd(const struct iba_field *f)
{
    return (UINT64_C(0x3b5b) & iba_field_max(f)) * iba_shows[f->show].unit;
}

/* Returns the part of row `i` in a new recipe. */
static unsigned start(struct iba_recipe *r, size_t i)
{
    iba_recipe_init(r, derived_rows[i].e, IBA_RC_SEND_ONLY);
    return part_index(r, derived_rows[i].h);
}

/* Builds the packet, and returns where the part is. */
static size_t place(const struct iba_recipe *r, unsigned part, uint8_t buf[CAP])
{
    size_t at = 0;

    built(r, buf, CAP);
    for (unsigned k = 0; k < part; k++)
        at += (size_t)iba_headers[r->part[k].hdr].bytes + r->part[k].extra;
    return at;
}

/* A field that the test sets stays as set, but the builder still derives the header's other fields, such as the
 * checksum. */
Test(build, a_field_set_by_row_is_not_derived)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;

    for (size_t i = 0; i < COUNT(derived_rows); i++) {
        const struct iba_field *f = iba_field_find(derived_rows[i].h, derived_rows[i].field);
        const unsigned part = start(&r, i);
        iba_recipe_set(&r, part, f, odd(f));
        const size_t at = place(&r, part, buf);
        cr_assert_eq(iba_field_get(f, buf + at), odd(f), "%s.%s", iba_headers[derived_rows[i].h].name, f->name);
        if (derived_rows[i].h == IBA_H_ipv4 && strcmp(f->name, "checksum") != 0)
            cr_assert_eq(words_sum(buf + at, 20), 0xffff);
    }
}

/* A value that the image has stays if the recipe keeps fields of its kind, and only then. */
Test(build, each_flag_keeps_fields_of_its_kind)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;

    for (size_t i = 0; i < COUNT(derived_rows); i++)
        for (unsigned keep = 0; keep < 8; keep++) {
            const struct iba_field *f = iba_field_find(derived_rows[i].h, derived_rows[i].field);
            const unsigned part = start(&r, i);
            const bool stays = !derived_rows[i].kept_by || (keep & derived_rows[i].kept_by) != 0;
            r.keep = (uint8_t)keep;
            iba_field_put(f, r.part[part].bytes, odd(f));
            cr_expect_eq(iba_field_get(f, buf + place(&r, part, buf)) == odd(f), stays, "%s.%s, kept %u",
                         iba_headers[derived_rows[i].h].name, f->name, keep);
        }
}

/* Fields beside a derived field may be set, and it is derived all the same. A row that shows some of its bits keeps it.
 */
Test(build, a_field_is_kept_by_no_neighbour)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;

    for (size_t i = 0; i < COUNT(derived_rows); i++) {
        const struct iba_field *f = iba_field_find(derived_rows[i].h, derived_rows[i].field);
        const struct iba_hdr_info *info = &iba_headers[derived_rows[i].h];
        for (const struct iba_field *g = info->field; g < info->field + info->n_field; g++) {
            if (g->bits > 64 || !derived_rows[i].kept_by)
                continue;
            const unsigned part = start(&r, i);
            bool shared = false;
            for (unsigned bit = f->at; bit < f->at + f->bits; bit++)
                shared |= bit >= g->at && bit < g->at + g->bits;
            iba_field_put(f, r.part[part].bytes, odd(f));
            iba_recipe_set(&r, part, g, iba_field_get(g, r.part[part].bytes));
            cr_expect_eq(iba_field_get(f, buf + place(&r, part, buf)) == odd(f), shared, "%s.%s and %s", info->name,
                         f->name, g->name);
        }
    }
}

/* WF-33: a receiver must not care what is in the pad. */
Test(build, kept_pad_is_the_payloads_own)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[] = {'a', 'b', 'c', 'd', 'e', 0xde, 0xad, 0xbe};
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V6, IBA_RC_SEND_ONLY);
    r.keep = IBA_KEEP_PAD;
    r.payload = payload;
    r.payload_len = sizeof payload;
    iba_bth_set_padcnt(iba_recipe_part(&r, IBA_H_bth), 3);
    serve(&r, IBA_LINK_ETHERNET, &v, buf, sizeof buf);
    cr_assert(v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD && v.pad == 3 && v.payload_len == 5);
    cr_assert_eq(memcmp(buf + v.payload_at, payload, sizeof payload), 0);
    r.payload_len = 5;
    serve(&r, IBA_LINK_ETHERNET, &v, buf, sizeof buf); /* not a multiple of four, and PadCnt says so */
    cr_assert(v.icrc == IBA_CHECK_GOOD && v.pad == 3 && v.payload_len == 2);
}

Test(build, icrc_good_bad_given_none)
{
    static uint8_t good[CAP], buf[CAP];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_ROCE1, IBA_RC_ACKNOWLEDGE);
    const size_t n = serve(&r, IBA_LINK_ETHERNET, &v, good, sizeof good);
    cr_assert(iba_view_icrc_is_good(&v), "as checked");
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, good, n, n, NULL);
    cr_assert(v.icrc == IBA_CHECK_PENDING && iba_view_icrc_is_good(&v), "not checked yet");
    r.icrc_mode = IBA_CRC_BAD;
    serve(&r, IBA_LINK_ETHERNET, &v, buf, sizeof buf);
    cr_assert(v.icrc == IBA_CHECK_BAD && !iba_view_icrc_is_good(&v));
    (void)iba_view_parse(&v, IBA_LINK_ETHERNET, buf, n, n, NULL);
    cr_assert(v.icrc == IBA_CHECK_PENDING && !iba_view_icrc_is_good(&v));
    cr_assert(memcmp(buf, good, n - 4) == 0 && buf[n - 4] == (good[n - 4] ^ 1) &&
              !memcmp(buf + n - 3, good + n - 3, 3));
    r.icrc_mode = IBA_CRC_GIVEN;
    r.icrc = 0x01020304;
    built(&r, buf, sizeof buf);
    cr_assert_eq(iba_le32(buf + n - 4), 0x01020304);
    r.icrc_mode = IBA_CRC_NONE;
    cr_assert_eq(built(&r, buf, sizeof buf), n - 4);
    cr_assert_eq(iba_grh_paylen(buf + 14), 12 + 4);
}

Test(build, vcrc_good_bad_given_none)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_IB_GLOBAL, IBA_RC_ACKNOWLEDGE);
    r.vcrc_mode = IBA_CRC_BAD;
    const size_t n = serve(&r, IBA_LINK_IB, &v, buf, sizeof buf);
    cr_assert(v.icrc == IBA_CHECK_GOOD && v.vcrc == IBA_CHECK_BAD);
    r.vcrc_mode = IBA_CRC_GIVEN;
    r.vcrc = 0xbeef;
    built(&r, buf, sizeof buf);
    cr_assert_eq(iba_le16(buf + n - 2), 0xbeef);
    r.vcrc_mode = IBA_CRC_NONE;
    cr_assert_eq(serve(&r, IBA_LINK_IB, &v, buf, sizeof buf), n - 2);
    cr_assert(v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD && v.vcrc == IBA_CHECK_ABSENT);
}

/* A flow-control packet has no packet without its CRC, so no mode leaves it out. */
Test(build, crc_of_flow_control_good_bad_given)
{
    static uint8_t good[CAP], buf[CAP];
    static struct iba_recipe r;
    static const enum iba_crc_mode modes[] = {IBA_CRC_GOOD, IBA_CRC_BAD, IBA_CRC_GIVEN, IBA_CRC_NONE};

    for (size_t i = 0; i < COUNT(modes); i++) {
        struct iba_view v;
        iba_recipe_init(&r, IBA_ENCAP_IB_FC, 0);
        r.vcrc_mode = (uint8_t)modes[i];
        r.vcrc = 0xbeef;
        cr_assert_eq(serve(&r, IBA_LINK_IB_LINK, &v, i ? buf : good, CAP), 6);
        const uint16_t crc = iba_le16(good + 4), is = iba_le16((i ? buf : good) + 4);
        cr_assert_eq(is, modes[i] == IBA_CRC_BAD ? crc ^ 1 : modes[i] == IBA_CRC_GIVEN ? 0xbeef : crc, "mode %zu", i);
        cr_assert_eq(v.vcrc, is == crc ? IBA_CHECK_GOOD : IBA_CHECK_BAD, "mode %zu", i);
    }
}

/* The VCRC covers the ICRC, good or not (WF-79). */
Test(build, vcrc_is_good_over_a_bad_icrc)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_RC_SEND_ONLY);
    r.icrc_mode = IBA_CRC_BAD;
    serve(&r, IBA_LINK_IB, &v, buf, sizeof buf);
    cr_assert(v.icrc == IBA_CHECK_BAD && v.vcrc == IBA_CHECK_GOOD);
}

/* Returns the words sum of the datagram in layer `i` and of the pseudo header of the nearest IP header before it (RFC
 * 768, RFC 8200 8.1). Without one, only the protocol and the length count. */
static unsigned datagram_sum(const struct iba_view *v, unsigned i)
{
    static uint8_t all[CAP];
    const unsigned len = v->end - v->layer[i].at;
    unsigned ip = i, n = 0;

    while (ip > 0 && v->layer[ip].hdr != IBA_H_ipv4 && v->layer[ip].hdr != IBA_H_ipv6)
        ip--;
    memset(all, 0, sizeof all);
    if (v->layer[ip].hdr == IBA_H_ipv4)
        memcpy(all, v->wire + v->layer[ip].at + 12, n = 8);
    else if (v->layer[ip].hdr == IBA_H_ipv6)
        memcpy(all, v->wire + v->layer[ip].at + 8, n = 32);
    all[n + 1] = 17;
    all[n + 2] = (uint8_t)(len >> 8);
    all[n + 3] = (uint8_t)len;
    memcpy(all + n + 4, v->wire + v->layer[i].at, len);
    return words_sum(all, n + 4 + (len + 1) / 2 * 2);
}

Test(build, udp_checksums_inside_and_outside)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[] = {1, 2, 3};
    unsigned n = 0;

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        struct iba_view v;
        iba_recipe_init(&r, (enum iba_encap)e, IBA_RC_SEND_ONLY);
        r.udp_checksum = true;
        r.payload = payload;
        r.payload_len = sizeof payload;
        serve(&r, (enum iba_link)iba_encaps[e].link, &v, buf, sizeof buf);
        for (unsigned i = 1; i < v.n_layer && has_transport((enum iba_encap)e); i++)
            if (v.layer[i].hdr == IBA_H_udp) {
                cr_assert_eq(datagram_sum(&v, i), 0xffff, "%s, layer %u", iba_encaps[e].name, i);
                n++;
            }
        cr_assert(v.icrc == (has_transport((enum iba_encap)e) ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT));
    }
    cr_assert_gt(n, 20);
}

/* A recipe may have any headers, or none. */
Test(build, a_datagram_without_ip_and_a_packet_without_headers)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[5] = {1, 2, 3, 4, 5};
    struct iba_view v = {.wire = buf, .end = 8 + 5, .layer = {{0, IBA_H_udp}}};

    iba_recipe_add(&r, IBA_H_udp);
    r.udp_checksum = true;
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert(built(&r, buf, sizeof buf) == 8 + 5 && iba_udp_length(buf) == 8 + 5);
    cr_assert_eq(datagram_sum(&v, 0), 0xffff);
    memset(&r, 0, sizeof r);
    r.payload = payload;
    r.payload_len = sizeof payload;
    cr_assert(built(&r, buf, sizeof buf) == 5 && memcmp(buf, payload, 5) == 0);
}

/* A BTH inside the payload has the pad count that the recipe gives it. */
Test(build, the_pad_of_a_bth_in_the_payload)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[5];

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
    iba_bth_set_padcnt(iba_recipe_add(&r, IBA_H_bth), 2);
    r.payload = payload;
    r.payload_len = sizeof payload;
    built(&r, buf, sizeof buf);
    cr_assert(iba_bth_padcnt(buf + 14 + 20 + 8) == 3 && iba_bth_padcnt(buf + 14 + 20 + 8 + 12) == 2);
}

/* Rebuilds a packet of another program from its description: the UC SEND Only of scapy's tests (see vectors.h). */
Test(build, rebuilds_a_packet_of_scapy)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[] = {0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e,
                                      0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50};
    static const uint8_t tail[] = {0x00, 0x00, 0x78, 0xf3, 0x53, 0xf3};

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_UC_SEND_ONLY);
    uint8_t *ip = iba_recipe_part(&r, IBA_H_ipv4), *bth = iba_recipe_part(&r, IBA_H_bth);
    iba_ipv4_set_ecn(ip, 1);
    iba_ipv4_set_id(ip, 0x0478);
    iba_ipv4_set_src(ip, 0xc0a80007);
    iba_ipv4_set_dst(ip, 0xc0a80007);
    iba_bth_set_destqp(bth, 211);
    iba_bth_set_psn(bth, 0xcf1710);
    r.payload = payload;
    r.payload_len = sizeof payload;
    r.udp_checksum = true;
    const size_t n = built(&r, buf, sizeof buf);
    cr_assert_eq(n, 78);
    cr_assert_eq(iba_ipv4_checksum(buf + 14), 0xb4d5);
    cr_assert_eq(iba_udp_checksum(buf + 34), 0xaca2);
    cr_assert_eq(memcmp(buf + n - sizeof tail, tail, sizeof tail), 0);
}

Test(build, any_opcode_and_any_header_set)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    const uint64_t odd = IBA_HDR_BIT(IBA_H_reth) | IBA_HDR_BIT(IBA_H_deth) | IBA_HDR_BIT(IBA_H_ieth);

    for (unsigned code = 0; code < 256; code++) {
        iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, (uint8_t)code);
        const size_t n = built(&r, buf, sizeof buf);
        cr_assert_eq(n, 8 + (iba_opcodes[code].name ? iba_hdrs_bytes(iba_opcodes[code].hdrs) : 12) + 6);
        cr_assert_eq(iba_bth_opcode(buf + 8), code);
    }
    iba_recipe_init_with(&r, IBA_ENCAP_IB_LOCAL, 0xff, odd);
    cr_assert_eq(built(&r, buf, sizeof buf), 8 + 12 + 16 + 8 + 4 + 6);
    cr_assert_eq(r.part[2].hdr, IBA_H_deth); /* in the order of the table */
}

Test(build, a_full_recipe_takes_no_more)
{
    static struct iba_recipe r;

    for (unsigned i = 0; i < IBA_MAX_LAYERS; i++)
        cr_assert_not_null(iba_recipe_add(&r, IBA_H_mpls));
    cr_assert_null(iba_recipe_add(&r, IBA_H_mpls));
    cr_assert_null(iba_recipe_part(&r, IBA_H_bth));
}

Test(build, bth_too_far_from_its_network_header)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    size_t n;

    for (unsigned bytes = IBA_ICRC_MAX_BTH_AT - 4; bytes <= IBA_ICRC_MAX_BTH_AT + 8; bytes++) {
        const bool fits = bytes <= IBA_ICRC_MAX_BTH_AT;
        memset(&r, 0, sizeof r);
        iba_recipe_add(&r, IBA_H_ipv6);
        for (unsigned at = IBA_BYTES_ipv6 + IBA_BYTES_udp; at < bytes; at += 2u + r.part[r.n_part - 1].extra) {
            iba_recipe_add(&r, IBA_H_ip6ext);
            if (bytes - at < 24) /* the last one fills what is left */
                r.part[r.n_part - 1].extra = (uint8_t)(bytes - at - 2);
        }
        iba_recipe_add(&r, IBA_H_udp);
        iba_recipe_add(&r, IBA_H_bth);
        cr_assert_eq(iba_build(&r, buf, sizeof buf, &n), fits ? IBA_OK : IBA_TOO_DEEP, "BTH at %u", bytes);
        r.icrc_mode = IBA_CRC_NONE;
        cr_assert_eq(iba_build(&r, buf, sizeof buf, &n), IBA_OK);
        cr_assert_eq(n, bytes + IBA_BYTES_bth);
    }
}

Test(build, repair_makes_every_check_good_again)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    uint64_t seed = 5;

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        struct iba_view v;
        iba_recipe_init(&r, (enum iba_encap)e, IBA_RC_READ_RESP_ONLY);
        r.icrc_mode = r.vcrc_mode = IBA_CRC_GIVEN;
        r.icrc = (uint32_t)rnd(&seed);
        r.vcrc = (uint16_t)rnd(&seed);
        r.keep = IBA_KEEP_CHECKSUMS;
        const enum iba_link link = (enum iba_link)iba_encaps[e].link;
        const size_t n = serve(&r, link, &v, buf, sizeof buf);
        cr_assert_neq(v.icrc, IBA_CHECK_GOOD);
        iba_view_repair_crc(&v, buf);
        look(&v, link, buf, n, n);
        cr_assert(!has_transport((enum iba_encap)e) || v.icrc == IBA_CHECK_GOOD, "%s", iba_encaps[e].name);
        cr_assert(v.vcrc == IBA_CHECK_GOOD || v.vcrc == IBA_CHECK_ABSENT);
        for (unsigned i = 0; i < v.n_layer; i++)
            if (v.layer[i].hdr == IBA_H_ipv4)
                cr_assert_eq(words_sum(buf + v.layer[i].at, 20), 0xffff);
    }
}

/* Headers after the BTH are payload: their lengths end with the payload, and the ICRC covers their checksums. */
Test(build, headers_inside_the_payload_end_with_it)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    static const uint8_t payload[5];
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY);
    iba_recipe_add(&r, IBA_H_ipoibsend);
    iba_recipe_add(&r, IBA_H_ipv4);
    iba_recipe_add(&r, IBA_H_udp);
    r.payload = payload;
    r.payload_len = sizeof payload;
    r.udp_checksum = true;
    serve(&r, IBA_LINK_ETHERNET, &v, buf, sizeof buf);
    cr_assert(v.err == IBA_OK && v.icrc == IBA_CHECK_GOOD && v.pad == 3);
    cr_assert_eq(v.payload_len, 4 + 20 + 8 + 5);
    const uint8_t *ip = buf + v.payload_at + 4, *udp = ip + 20;
    cr_assert_eq(iba_ipv4_len(ip), 33);
    cr_assert_eq(iba_udp_length(udp), 13);
    cr_assert(words_sum(ip, 20) == 0xffff && iba_udp_checksum(udp) != 0);
    cr_assert_eq(v.layer[v.n_layer - 1].at, udp - buf);
}

/* RFC 768: a UDP checksum of zero is sent as all ones. The test tries all sums, by all values of two payload bytes. */
Test(build, no_udp_checksum_is_zero)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    uint8_t payload[2];
    unsigned ones = 0;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
    r.udp_checksum = true;
    r.icrc_mode = IBA_CRC_GIVEN;
    r.payload = payload;
    r.payload_len = sizeof payload;
    for (unsigned word = 0; word <= UINT16_MAX; word++) {
        payload[0] = (uint8_t)(word >> 8), payload[1] = (uint8_t)word;
        built(&r, buf, sizeof buf);
        const unsigned sum = iba_udp_checksum(buf + IBA_BYTES_eth + IBA_BYTES_ipv4);
        EXPECT(sum != 0, "0x%04x", word);
        ones += sum == 0xffff;
    }
    cr_expect(ones == 1 || ones == 2, "%u sums are zero", ones);
}
