/* SPDX-License-Identifier: BSD-2-Clause */
/* The view as the inverse of the builder: every opcode in every encapsulation, cut at any place, any bit flipped. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 4700 };

/* clang-format off */
/* Fields that determine how parsing continues; with another value it would be another packet. */
#define S(h, name) {IBA_H_##h, IBA_AT_##h##_##name},
static const struct {
    uint8_t hdr;
    uint16_t at;
} structural[] = {
    S(erf, ext) S(erf, type) S(erf, rlen) S(erf, wlen) S(erfext, more) S(sll, etype) S(sll2, etype) S(ipoibsend, type) S(eth, type)
    S(svlan, etype) S(vlan, etype) S(mpls, bottom) S(ipv4, version) S(ipv4, hdr_len) S(ipv4, len) S(ipv4, mf)
    S(ipv4, frag_offset) S(ipv4, proto) S(ipv4, checksum) S(ipv6, version) S(ipv6, plen) S(ipv6, nxt) S(ip6ext, nxt)
    S(ip6ext, len) S(udp, dstport) S(udp, length) S(vxlan, flag_i) S(gre, checksum) S(gre, routing) S(gre, key)
    S(gre, seq) S(gre, version) S(gre, proto) S(erspan3, ft) S(erspan3, o) S(lrh, lver) S(lrh, lnh) S(lrh, pktlen)
    S(grh, ipver) S(grh, paylen) S(grh, nxthdr) S(bth, opcode) S(bth, padcnt)
};
/* clang-format on */

static bool is_structural(unsigned h, const struct iba_field *f)
{
    for (size_t i = 0; i < COUNT(structural); i++)
        if (structural[i].hdr == h && structural[i].at == f->at)
            return true;
    return false;
}

static void randomise(struct iba_recipe *r, uint64_t *seed)
{
    for (unsigned i = 0; i < r->n_part; i++) {
        const struct iba_hdr_info *info = &iba_headers[r->part[i].hdr];
        for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++)
            if (f->mem_size == 0 || is_structural(r->part[i].hdr, f))
                continue;
            else if (iba_field_is_bytes(f))
                rnd_bytes(seed, r->part[i].bytes + f->at / 8, f->bits / 8u);
            else
                iba_bits_put(r->part[i].bytes, f->at, f->bits, rnd(seed));
    }
}

/* ---- round trip ---- */

static void same_fields(const struct iba_recipe *r, const struct iba_view *v)
{
    EXPECT(v->n_layer == r->n_part, "%u layers, %u built", v->n_layer, r->n_part);
    for (unsigned i = 0; i < r->n_part; i++) {
        const struct iba_hdr_info *info = &iba_headers[r->part[i].hdr];
        EXPECT(v->layer[i].hdr == r->part[i].hdr, "layer %u is %s", i, iba_headers[v->layer[i].hdr].name);
        for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++) {
            const uint8_t *was = r->part[i].bytes, *is = v->wire + v->layer[i].at;
            if (f->mem_size == 0 || is_structural(r->part[i].hdr, f))
                continue;
            const bool same = iba_field_is_bytes(f) ? !memcmp(was + f->at / 8, is + f->at / 8, f->bits / 8u)
                                                    : iba_field_get(f, was) == iba_field_get(f, is);
            EXPECT(same, "%s.%s changed", info->name, f->name);
        }
    }
}

static void round_trip(enum iba_encap e, unsigned code, size_t payload_len, uint64_t *seed)
{
    static uint8_t buf[CAP], payload[4096];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, e, (uint8_t)code);
    randomise(&r, seed);
    rnd_bytes(seed, payload, payload_len < 16 ? payload_len : 16);
    r.payload = payload;
    r.payload_len = payload_len;
    serve(&r, (enum iba_link)iba_encaps[e].link, &v, buf, sizeof buf);
    EXPECT(v.err == IBA_OK && !v.truncated && !v.fragment, "%s 0x%02x %zu: %s", iba_encaps[e].name, code, payload_len,
           iba_strerror(v.err));
    EXPECT(v.icrc == IBA_CHECK_GOOD, "%s 0x%02x: ICRC %s", iba_encaps[e].name, code, iba_check_name(v.icrc));
    EXPECT(v.vcrc == (iba_view_has(&v, IBA_H_lrh) ? IBA_CHECK_GOOD : IBA_CHECK_ABSENT), "VCRC");
    same_fields(&r, &v);
    EXPECT(v.op == (iba_opcodes[code].name ? &iba_opcodes[code] : NULL), "opcode row of 0x%02x", code);
    EXPECT(v.pad == ((4 - payload_len % 4) & 3) && v.payload_len == payload_len, "pad or payload length");
    EXPECT(v.payload_at == v.bth_at + (v.op ? iba_hdrs_bytes(v.op->hdrs) : 12u), "payload place");
    EXPECT(memcmp(buf + v.payload_at, payload, payload_len) == 0, "payload bytes");
    EXPECT(v.end == v.payload_at + payload_len + v.pad + 4, "end");
}

Test(view, every_opcode_in_every_encapsulation_comes_back)
{
    static const size_t lens[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 256, 512, 1024, 2048, 4096};
    uint64_t seed = 3;

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (unsigned code = 0; has_transport((enum iba_encap)e) && code < 256; code++)
            for (size_t i = 0; i < COUNT(lens); i++)
                round_trip((enum iba_encap)e, code, lens[i], &seed);
}

/* ---- cuts ---- */

static const uint8_t sample_ops[] = {
    IBA_RC_WRITE_ONLY_IMM,     IBA_UD_SEND_ONLY, IBA_RC_ACKNOWLEDGE, IBA_XRC_CMP_SWAP,
    IBA_RD_ATOMIC_ACKNOWLEDGE, IBA_CNP_ROCE,     IBA_RC_FLUSH,       0xff /* vendor */};

static size_t sample(enum iba_encap e, uint8_t code, uint8_t *buf, struct iba_view *v)
{
    static const uint8_t payload[] = {0x10, 0x21, 0x32, 0x43, 0x54};
    static struct iba_recipe r;

    iba_recipe_init(&r, e, code);
    r.payload = payload;
    r.payload_len = sizeof payload;
    r.frame_pad = iba_encaps[e].link == IBA_LINK_ETHERNET ? 3 : 0;
    return serve(&r, (enum iba_link)iba_encaps[e].link, v, buf, CAP);
}

/* Returns the shortest captured length at which a cut packet is recognized. */
static size_t decided_at(const struct iba_view *whole)
{
    switch (whole->proto) {
    case IBA_PROTO_ROCE1: return whole->at[IBA_H_grh];
    case IBA_PROTO_ROCE2: return whole->at[IBA_H_udp] + 4u; /* the ports */
    case IBA_PROTO_IB: return whole->at[IBA_H_lrh];
    default: return 0;
    }
}

/* Copies the bytes into a heap block of their own, so that the sanitizer detects a read beyond them. */
static uint8_t *own_copy(const uint8_t *p, size_t n)
{
    uint8_t *own = malloc(n ? n : 1);

    cr_assert_not_null(own);
    memcpy(own, p, n);
    return n ? own : own + 1;
}
static void own_free(uint8_t *own, size_t n)
{
    free(n ? own : own - 1);
}

static void cut_by_capture(const struct iba_view *whole, enum iba_link link, size_t n, size_t len)
{
    uint8_t *own = own_copy(whole->wire, n);
    struct iba_view v;
    unsigned layers = 0;

    look(&v, link, own, n, len);
    EXPECT(v.err == IBA_OK, "cut at %zu of %zu: %s", n, len, iba_strerror(v.err));
    EXPECT(v.truncated == (n < whole->len), "cut at %zu of %zu: not marked", n, len);
    EXPECT(v.icrc == (n < whole->end ? IBA_CHECK_TRUNCATED : IBA_CHECK_GOOD), "cut at %zu: ICRC %s", n,
           iba_check_name(v.icrc));
    EXPECT(v.proto == (n >= decided_at(whole) ? whole->proto : IBA_PROTO_UNDECIDED), "cut at %zu: protocol", n);
    while (layers < whole->n_layer && whole->layer[layers].at + iba_headers[whole->layer[layers].hdr].bytes <= n)
        layers++;
    EXPECT(v.n_layer == layers, "cut at %zu: %u layers of %u", n, v.n_layer, layers);
    if (layers == whole->n_layer)
        EXPECT(v.payload_at == whole->payload_at && v.payload_len == whole->payload_len && v.end == whole->end,
               "cut at %zu: lengths are not those on the wire", n);
    own_free(own, n);
}

/* A frame that ends early on the wire has a fault or is not recognized, and its ICRC is not correct. */
static void cut_on_the_wire(const struct iba_view *whole, enum iba_link link, size_t n)
{
    uint8_t *own = own_copy(whole->wire, n);
    struct iba_view v;

    look(&v, link, own, n, n);
    EXPECT(n < whole->end ? v.icrc != IBA_CHECK_GOOD : v.icrc == IBA_CHECK_GOOD, "short frame of %zu: ICRC %s", n,
           iba_check_name(v.icrc));
    const bool link_packet = link == IBA_LINK_IB && n == IBA_BYTES_fc; /* is recognized by its length alone */
    const bool card_cut = link == IBA_LINK_ERF && v.truncated;         /* the record contains the frame's length */
    EXPECT(n >= whole->end || v.err != IBA_OK || link_packet || card_cut, "short frame of %zu: no fault", n);
    own_free(own, n);
}

Test(view, every_prefix_is_truncated_or_at_fault)
{
    static uint8_t buf[CAP];

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (size_t k = 0; has_transport((enum iba_encap)e) && k < COUNT(sample_ops); k++) {
            const enum iba_link link = (enum iba_link)iba_encaps[e].link;
            struct iba_view whole;
            const size_t len = sample((enum iba_encap)e, sample_ops[k], buf, &whole);
            for (size_t n = 0; n < len; n++) {
                cut_by_capture(&whole, link, n, len);
                cut_on_the_wire(&whole, link, n);
            }
        }
}

/* ---- flips ---- */

/* clang-format off */
/* Fields of the InfiniBand part that the ICRC leaves out (WF-71, WF-75..WF-77) */
#define M(start, h, name) {IBA_H_##start, IBA_H_##h, IBA_AT_##h##_##name, IBA_END_##h##_##name},
static const struct {
    uint8_t start, hdr;
    uint16_t from, to;
} exempt[] = {
    M(lrh, lrh, vl) M(grh, grh, tclass) M(grh, grh, flowlabel) M(grh, grh, hoplmt) M(ipv4, ipv4, dscp)
    M(ipv4, ipv4, ecn) M(ipv4, ipv4, ttl) M(ipv4, ipv4, checksum) M(ipv6, ipv6, dscp) M(ipv6, ipv6, ecn)
    M(ipv6, ipv6, flow) M(ipv6, ipv6, hlim) M(ipv4, udp, checksum) M(ipv6, udp, checksum)
};
/* clang-format on */

static bool is_masked(const struct iba_view *v, uint32_t bit)
{
    const uint32_t grh = v->at[IBA_H_grh] * 8u;
    const bool global = v->l3 == IBA_H_lrh && iba_view_has(v, IBA_H_grh);

    if (bit / 8 == v->bth_at + 4 || (global && bit / 8 < v->l3_at + 8))
        return true;
    for (size_t i = 0; i < COUNT(exempt); i++) {
        const uint32_t at = v->at[exempt[i].hdr] * 8u;
        if ((exempt[i].start == v->l3) && bit >= at + exempt[i].from && bit <= at + exempt[i].to)
            return true;
    }
    return global && ((bit >= grh + 4 && bit <= grh + 31) || (bit >= grh + 56 && bit <= grh + 63));
}

/* Returns whether the bit belongs to a field that determines how parsing continues. */
static bool steers(const struct iba_view *v, uint32_t bit)
{
    for (unsigned i = 0; i < v->n_layer; i++) {
        const struct iba_hdr_info *info = &iba_headers[v->layer[i].hdr];
        const uint32_t at = v->layer[i].at * 8u;
        for (const struct iba_field *f = info->field; f < info->field + info->n_field; f++)
            if (f->mem_size && bit >= at + f->at && bit < at + f->at + f->bits)
                return is_structural(v->layer[i].hdr, f);
    }
    return false;
}

static void flip_one(const struct iba_view *whole, enum iba_link link, uint8_t *p, size_t len, uint32_t bit)
{
    struct iba_view v;

    p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    look(&v, link, p, len, len);
    const bool good = v.icrc == IBA_CHECK_GOOD;
    if (bit / 8 >= whole->l3_at && bit / 8 < whole->end && !is_masked(whole, bit))
        EXPECT(!good, "bit %u of byte %u does not count", bit % 8, bit / 8);
    else if (!steers(whole, bit) || bit / 8 >= whole->end)
        EXPECT(good || !iba_view_is_transport(&v), "bit %u of byte %u counts", bit % 8, bit / 8);
    if (bit / 8 >= whole->l3_at && bit / 8 < whole->end + IBA_VCRC_BYTES && whole->vcrc == IBA_CHECK_GOOD)
        EXPECT(v.vcrc != IBA_CHECK_GOOD, "bit %u of byte %u: VCRC still good", bit % 8, bit / 8);
    p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
}

Test(view, every_bit_counts_unless_masked)
{
    static uint8_t buf[CAP];

    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++)
        for (size_t k = 0; has_transport((enum iba_encap)e) && k < COUNT(sample_ops); k++) {
            const enum iba_link link = (enum iba_link)iba_encaps[e].link;
            struct iba_view whole;
            const size_t len = sample((enum iba_encap)e, sample_ops[k], buf, &whole);
            for (uint32_t bit = 0; bit < len * 8; bit++)
                flip_one(&whole, link, buf, len, bit);
        }
}

/* Inverting any bit of a flow-control packet's six bytes makes its CRC wrong. */
Test(view, every_bit_of_flow_control_counts)
{
    static uint8_t buf[CAP];
    static struct iba_recipe r;
    struct iba_view v;

    iba_recipe_init(&r, IBA_ENCAP_IB_FC, 0);
    uint8_t *fc = iba_recipe_part(&r, IBA_H_fc);
    iba_fc_set_fctbs(fc, 0xabc);
    iba_fc_set_fccl(fc, 0x123);
    iba_fc_set_vl(fc, 3);
    const size_t n = serve(&r, IBA_LINK_IB, &v, buf, sizeof buf);
    cr_assert(n == 6 && v.proto == IBA_PROTO_IB_LINK && v.vcrc == IBA_CHECK_GOOD && v.icrc == IBA_CHECK_ABSENT);
    for (unsigned bit = 0; bit < 48; bit++) {
        buf[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        look(&v, IBA_LINK_IB_LINK, buf, n, n);
        cr_assert_eq(v.vcrc, IBA_CHECK_BAD);
        buf[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
    }
    for (size_t cut = 0; cut < n; cut++) {
        look(&v, IBA_LINK_IB_LINK, buf, cut, n);
        cr_assert(v.truncated && v.err == IBA_OK && v.vcrc == IBA_CHECK_TRUNCATED);
        look(&v, IBA_LINK_IB_LINK, buf, cut, cut);
        cr_assert(!v.truncated && v.err == IBA_HEADER_CUT && v.vcrc == IBA_CHECK_ABSENT);
    }
}

/* ---- texts ---- */

Test(view, damaged_by_a_bad_crc_or_an_error_alone)
{
    for (unsigned err = 0; err < IBA_ERR_COUNT; err++)
        for (unsigned icrc = 0; icrc <= IBA_CHECK_PENDING; icrc++)
            for (unsigned vcrc = 0; vcrc <= IBA_CHECK_PENDING; vcrc++) {
                const struct iba_view v = {
                    .err = (enum iba_err)err, .icrc = (enum iba_check)icrc, .vcrc = (enum iba_check)vcrc};
                const bool bad =
                    strcmp(iba_check_name(v.icrc), "bad") == 0 || strcmp(iba_check_name(v.vcrc), "bad") == 0;
                cr_assert_eq(iba_view_is_damaged(&v), bad || err != 0, "ICRC %s, VCRC %s, %s", iba_check_name(v.icrc),
                             iba_check_name(v.vcrc), iba_strerror(v.err));
            }
}

Test(view, every_error_and_status_has_a_text)
{
    for (unsigned e = 0; e < IBA_ERR_COUNT; e++)
        cr_assert(iba_strerror((enum iba_err)e)[0]);
    cr_assert_str_eq(iba_strerror(IBA_ERR_COUNT), "unknown error");
    cr_assert_str_eq(iba_check_name(IBA_CHECK_TRUNCATED), "truncated");
    cr_assert_str_eq(iba_check_name(IBA_CHECK_PENDING), "pending");
}
