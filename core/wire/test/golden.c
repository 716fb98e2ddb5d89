/* SPDX-License-Identifier: BSD-2-Clause */
/* The exact packets of the builder, and the exact views of packets: core/wire/test/packets.golden has a line for each
 * encapsulation and each of a few opcodes. It has digests of the packet with every way to build it, of the views of the
 * packet cut after each byte, of the views with each bit flipped, and of the packet repaired after that (test/golden.h
 * says how to renew it). */
#include "test/golden.h"
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 5000, FLIPPED = 200, KEEP = 8 };

static uint64_t digest;

static void number(uint64_t value)
{
    digest = golden_number(digest, value);
}

/* ---- the packet ---- */

/* Each payload has different content: none; IPv4, IPv6 and ARP of IPoIB, with lengths that match exactly; and other
 * bytes. */
static const struct content {
    const char *name;
    uint8_t opcode;
    uint8_t n, bytes[48];
} contents[] = {
    {"plain", IBA_RC_SEND_ONLY, 5, {1, 2, 3, 4, 5}},
    {"empty", IBA_RC_SEND_ONLY, 0, {0}},
    {"read", IBA_RC_READ_REQUEST, 0, {0}},
    {"reserved", 0x15, 4, {9}},
    {"cnp", IBA_CNP_ROCE, 16, {0}},
    {"ip4", IBA_UD_SEND_ONLY, 32, {8, 0, 0, 0, 0x45, 0, 0, 28}},
    {"ip6", IBA_UD_SEND_ONLY, 44, {0x86, 0xdd, 0, 0, 0x60}},
    {"arp", IBA_RC_SEND_ONLY_IMM, 32, {8, 6, 0, 0, 0, 32}},
};

static void build(const struct iba_recipe *r)
{
    uint8_t packet[CAP];
    size_t len;

    number(iba_build(r, packet, sizeof packet, &len));
    digest = golden_digest(golden_number(digest, len), packet, len);
}

static uint64_t every_way(const struct iba_recipe *given)
{
    static struct iba_recipe r;

    digest = GOLDEN_EMPTY;
    for (unsigned keep = 0; keep < KEEP; keep++)
        for (unsigned udp = 0; udp < 2; udp++) {
            r = *given;
            r.keep = (uint8_t)keep;
            r.udp_checksum = udp;
            build(&r);
        }
    for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned n = 0; n < 5; n++) {
            r = *given;
            r.icrc_mode = r.vcrc_mode = (uint8_t)mode;
            r.icrc = 0x12345678;
            r.vcrc = 0x9abc;
            r.frame_pad = n;
            r.payload_len = r.payload_len > n ? r.payload_len - n : 0;
            build(&r);
        }
    return digest;
}

/* ---- its views ---- */

static void see(const struct iba_view *v)
{
    number((uint64_t)v->err << 32 | (uint64_t)v->err_hdr << 24 | (uint64_t)v->proto << 16 |
           (unsigned)v->truncated << 1 | v->fragment);
    number((uint64_t)v->frame_at << 32 | (uint64_t)v->icrc << 8 | (uint64_t)v->vcrc);
    number((uint64_t)v->payload_at << 32 | v->payload_len);
    number((uint64_t)v->end << 32 | (uint64_t)v->pad << 16 | (uint64_t)v->holds << 8 | (v->op != NULL));
    number(iba_view_payload_captured(v));
    for (unsigned i = 0; i < v->n_layer; i++)
        number((uint64_t)v->layer[i].at << 8 | v->layer[i].hdr);
    if (iba_view_has_bth(v))
        number((uint64_t)v->l3_at << 40 | (uint64_t)v->bth_at << 8 | v->l3);
}

static void parse(enum iba_link link, const uint8_t *bytes, size_t caplen, size_t len, bool declared)
{
    static const struct iba_view_opts opts = {
        .qp = {{0x12, IBA_HOLDS_IPOIB}, {1, IBA_HOLDS_DATA}}, .port = {4792, 7}, .dc = true};
    struct iba_view v;

    (void)iba_view_parse(&v, link, bytes, caplen, len, declared ? &opts : NULL);
    see(&v);
    iba_view_check(&v);
    number((uint64_t)v.icrc << 8 | (uint64_t)v.vcrc);
}

static uint64_t cut(enum iba_link link, const uint8_t *bytes, size_t len)
{
    digest = GOLDEN_EMPTY;
    for (size_t n = 0; n <= len; n++) {
        parse(link, bytes, n, len, false);
        parse(link, bytes, n, n, false);
        parse(link, bytes, n, len, true);
    }
    return digest;
}

static uint64_t flipped(enum iba_link link, uint8_t *bytes, size_t len)
{
    digest = GOLDEN_EMPTY;
    for (size_t i = 0; i < len && i < FLIPPED; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] ^= (uint8_t)(1u << bit);
            parse(link, bytes, len, len, false);
            parse(link, bytes, len, len, true);
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    return digest;
}

/* Adds the repaired packet after a fault in any byte, both the whole packet and a cut one. */
static uint64_t repaired(enum iba_link link, const uint8_t *bytes, size_t len)
{
    uint8_t copy[CAP];

    digest = GOLDEN_EMPTY;
    for (size_t i = 0; i < len && i < FLIPPED; i++) {
        struct iba_view v;
        const size_t caplen = i % 3 ? len : len - i / 3;
        memcpy(copy, bytes, len);
        copy[i] ^= 0x24;
        (void)iba_view_parse(&v, link, copy, caplen, len, NULL);
        iba_view_repair_crc(&v, copy);
        digest = golden_digest(digest, copy, len);
    }
    return digest;
}

static unsigned folded(uint64_t sum)
{
    return (unsigned)(sum ^ sum >> 32);
}

static void line_of(struct golden *g, enum iba_encap e, const struct content *c)
{
    static struct iba_recipe r;
    const enum iba_link link = (enum iba_link)iba_encaps[e].link;
    uint8_t bytes[CAP];
    char line[GOLDEN_LINE];
    size_t len;

    iba_recipe_init(&r, e, c->opcode);
    r.payload = c->bytes;
    r.payload_len = c->n;
    cr_assert_eq(iba_build(&r, bytes, sizeof bytes, &len), IBA_OK);
    (void)snprintf(line, sizeof line, "%s %s %u built %08x cut %08x flipped %08x repaired %08x\n", iba_encaps[e].name,
                   c->name, (unsigned)len, folded(every_way(&r)), folded(cut(link, bytes, len)),
                   folded(flipped(link, bytes, len)), folded(repaired(link, bytes, len)));
    golden_line(g, line);
}

Test(golden, packets_and_views_are_the_same)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/core/wire/test/packets.golden");

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (unsigned i = 0; i < COUNT(contents); i++)
            line_of(&g, (enum iba_encap)e, &contents[i]);
    golden_close(&g);
}

Test(golden, each_error_has_its_own_text)
{
    for (unsigned e = 0; e < IBA_ERR_COUNT; e++) {
        cr_assert_str_neq(iba_strerror((enum iba_err)e), "unknown error");
        for (unsigned k = 0; k < e; k++)
            cr_assert_str_neq(iba_strerror((enum iba_err)e), iba_strerror((enum iba_err)k));
    }
    cr_assert_str_eq(iba_strerror(IBA_ERR_COUNT), "unknown error");
    cr_assert_str_eq(iba_strerror(IBA_OK), "ok");
    cr_assert_str_eq(iba_strerror(IBA_NO_ROOM), "the caller's buffer is too small");
}

Test(golden, each_check_has_its_name)
{
    static const char *const names[] = {"absent", "good", "bad", "truncated", "pending"};

    for (unsigned c = 0; c < COUNT(names); c++)
        cr_expect_str_eq(iba_check_name((enum iba_check)c), names[c]);
}

/* The ICRC begins at most 192 bytes before the BTH: 18 extension headers fit, 19 do not. */
Test(golden, the_farthest_bth_has_an_icrc)
{
    enum { FIT = 18 };

    for (unsigned n = FIT; n <= FIT + 1; n++) {
        static struct iba_recipe r;
        uint8_t bytes[CAP];
        struct iba_view v;
        size_t len;
        memset(&r, 0, sizeof r);
        (void)iba_recipe_add(&r, IBA_H_eth);
        (void)iba_recipe_add(&r, IBA_H_ipv6);
        for (unsigned i = 0; i < n; i++)
            (void)iba_recipe_add(&r, IBA_H_ip6ext);
        (void)iba_recipe_add(&r, IBA_H_udp);
        iba_bth_set_opcode(iba_recipe_add(&r, IBA_H_bth), IBA_RC_SEND_ONLY);
        cr_expect_eq(iba_build(&r, bytes, sizeof bytes, &len), n == FIT ? IBA_OK : IBA_TOO_DEEP);
        if (n > FIT)
            continue;
        r.part[1].extra = 1;
        cr_expect_eq(iba_build(&r, bytes, sizeof bytes, &len), IBA_TOO_DEEP, "one byte farther");
        r.part[1].extra = 0;
        cr_assert_eq(iba_build(&r, bytes, sizeof bytes, &len), IBA_OK);
        cr_assert_eq(iba_view_parse(&v, IBA_LINK_ETHERNET, bytes, len, len, NULL), IBA_OK);
        iba_view_check(&v);
        cr_expect_eq(v.bth_at - v.l3_at, IBA_ICRC_MAX_BTH_AT);
        cr_expect_eq(v.icrc, IBA_CHECK_GOOD);
    }
}

/* On native links the ICRC begins at the LRH, so that GRHs add to the distance. */
Test(golden, the_farthest_bth_of_native_packets)
{
    enum { FIT = 4 };

    for (unsigned n = FIT; n <= FIT + 1; n++) {
        static struct iba_recipe r;
        uint8_t bytes[CAP];
        size_t len;
        memset(&r, 0, sizeof r);
        (void)iba_recipe_add(&r, IBA_H_lrh);
        for (unsigned i = 0; i < n; i++)
            (void)iba_recipe_add(&r, IBA_H_grh);
        iba_bth_set_opcode(iba_recipe_add(&r, IBA_H_bth), IBA_RC_SEND_ONLY);
        cr_expect_eq(iba_build(&r, bytes, sizeof bytes, &len), n == FIT ? IBA_OK : IBA_TOO_DEEP);
    }
}

/* A UDP length that ends inside a first fragment is used as in a packet that is not fragmented. */
Test(golden, a_datagram_that_ends_inside_its_first_fragment)
{
    static const uint8_t payload[64];
    static struct iba_recipe r;
    struct iba_view v[2];
    uint8_t bytes[2][CAP];

    for (unsigned more = 0; more < 2; more++) {
        size_t len;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
        r.payload = payload;
        r.payload_len = sizeof payload;
        iba_ipv4_set_mf(iba_recipe_part(&r, IBA_H_ipv4), more);
        cr_assert_eq(iba_build(&r, bytes[more], CAP, &len), IBA_OK);
        iba_udp_set_length(bytes[more] + IBA_BYTES_eth + IBA_BYTES_ipv4, len - IBA_BYTES_eth - IBA_BYTES_ipv4 - 8);
        (void)iba_view_parse(&v[more], IBA_LINK_ETHERNET, bytes[more], len, len, NULL);
        cr_expect_eq(v[more].fragment, more);
    }
    cr_expect_eq(v[0].end, v[1].end);
    cr_expect_eq(v[0].payload_len, v[1].payload_len);
    cr_expect_eq(v[1].end, v[1].bth_at + IBA_BYTES_bth + sizeof payload - 8 + 4);
}

/* A header's length in words includes a last word that is only partly used (RFC 791, 3.1). */
Test(golden, options_of_any_length_count_as_words)
{
    for (uint8_t extra = 0; extra <= 8; extra++) {
        static struct iba_recipe r;
        uint8_t bytes[CAP];
        size_t len;
        iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_RC_SEND_ONLY);
        r.part[1].extra = extra;
        cr_assert_eq(iba_build(&r, bytes, sizeof bytes, &len), IBA_OK);
        cr_expect_eq(iba_ipv4_hdr_len(bytes + IBA_BYTES_eth), 5 + (extra + 3) / 4, "%u", extra);
    }
}
