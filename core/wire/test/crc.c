/* SPDX-License-Identifier: BSD-2-Clause */
/* ICRC, VCRC and link packet CRC: against vectors made by others, and against bitwise references written from the
 * clauses (WF-69, WF-71, WF-74..WF-77, WF-79) without looking at iba_crc.c. */
#include "vectors.h"
#include "wire.h"

/* ---- references ---- */

/* A shift register as the specification draws it: the polynomial's highest power leaves on the left, the bits of each
 * octet enter least significant first. The result is complemented, and x^(n-1) is sent first, as bit 0 of the first
 * octet. */
static uint32_t shift_crc(unsigned width, uint32_t poly, const uint8_t *p, size_t n)
{
    const uint32_t top = UINT32_C(1) << (width - 1), all = top | (top - 1);
    uint32_t reg = all, out = 0;

    for (size_t i = 0; i < n * 8; i++) {
        const uint32_t in = (uint32_t)p[i / 8] >> i % 8 & 1u;
        const bool feedback = ((reg & top) != 0) != (in != 0);
        reg = reg << 1 & all;
        if (feedback)
            reg ^= poly;
    }
    reg = ~reg & all;
    for (unsigned i = 0; i < width; i++)
        out |= (reg >> (width - 1 - i) & 1u) << i;
    return out;
}

struct range {
    unsigned from, to; /* bits, inclusive */
};
enum { MAX_MASKS = 6 };
/* The fields that count as ones, in bits from where the ICRC starts. UDP checksum and BTH octet 4 are added by
 * offset. */
static const struct kind {
    size_t header; /* bytes from the start to the BTH, UDP included */
    bool udp, roce;
    struct range mask[MAX_MASKS];
} kinds[] = {
    [IBA_ICRC_LOCAL] = {8, false, false, {{0, 3}}},
    [IBA_ICRC_GLOBAL] = {48, false, false, {{0, 63}, {64 + 4, 64 + 11}, {64 + 12, 64 + 31}, {64 + 56, 64 + 63}}},
    [IBA_ICRC_ROCE1] = {40, false, true, {{4, 11}, {12, 31}, {56, 63}}},
    [IBA_ICRC_ROCE2_V4] = {28, true, true, {{8, 15}, {64, 71}, {80, 95}}},
    [IBA_ICRC_ROCE2_V6] = {48, true, true, {{4, 11}, {12, 31}, {56, 63}}},
};

static bool masked(const struct kind *k, size_t bth_at, unsigned bit)
{
    for (unsigned i = 0; i < MAX_MASKS; i++)
        if (k->mask[i].to > 0 && bit >= k->mask[i].from && bit <= k->mask[i].to)
            return true;
    if (k->udp && bit / 8 >= bth_at - 2 && bit / 8 < bth_at)
        return true;
    return bit / 8 == bth_at + 4;
}

static uint32_t reference_icrc(enum iba_icrc_kind kind, const uint8_t *p, size_t bth_at, size_t n)
{
    const struct kind *k = &kinds[kind];
    const size_t lead = k->roce ? 8 : 0;
    uint8_t *copy = malloc(lead + n);
    uint32_t crc;

    memset(copy, 0xff, lead);
    memcpy(copy + lead, p, n);
    for (unsigned bit = 0; bit < n * 8; bit++)
        if (masked(k, bth_at, bit))
            copy[lead + bit / 8] |= (uint8_t)(0x80 >> bit % 8);
    crc = shift_crc(32, UINT32_C(0x04c11db7), copy, lead + n);
    free(copy);
    return crc;
}

/* ---- vectors ---- */

static unsigned hex(const char *text, uint8_t *out)
{
    unsigned n = 0;

    for (; text[0]; text += 2, n++) {
        const char two[] = {text[0], text[1], '\0'};
        out[n] = (uint8_t)strtoul(two, NULL, 16);
    }
    return n;
}

Test(crc, vectors_of_others)
{
    unsigned good = 0, bad = 0;

    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct vector *x = &vectors[i];
        uint8_t wire[2048], icrc[4];
        const unsigned n = hex(x->hex, wire);
        struct iba_view v;
        hex(x->icrc, icrc);
        look(&v, x->link, wire, n, n);
        cr_assert_eq(v.icrc, x->check, "%s: %s", x->name, iba_check_name(v.icrc));
        if (v.icrc == IBA_CHECK_ABSENT)
            continue;
        if (v.err == IBA_UDP_LENGTH) { /* its maker used the IP length */
            cr_assert_str_eq(x->name, "libtins-expected-packet-3");
            v.end = v.l3_at + iba_ipv4_len(wire + v.l3_at);
        } else {
            cr_assert_eq(v.err, IBA_OK, "%s: %s", x->name, iba_strerror(v.err));
        }
        cr_assert_eq(iba_view_icrc(&v), iba_le32(icrc), "%s: 0x%08x", x->name, iba_view_icrc(&v));
        good += v.icrc == IBA_CHECK_GOOD;
        bad += v.icrc == IBA_CHECK_BAD;
    }
    cr_assert_eq(good, 34);
    cr_assert_eq(bad, 6);
}

/* Table 29 of the specification (WF-72): the only packet whose ICRC it prints. */
Test(crc, published_sample_packet)
{
    uint8_t wire[64];
    const unsigned n = hex(vectors[0].hex, wire);

    cr_assert_str_eq(vectors[0].name, "IBA-local-sample");
    cr_assert_eq(n, 58);
    cr_assert_eq(iba_icrc(IBA_ICRC_LOCAL, wire, 8, 52), 0x5ab72596);
    cr_assert_eq(iba_le32(wire + 52), 0x5ab72596);
    cr_assert_eq(iba_vcrc(wire, 56), 0xfa45); /* 45 FA in wire order, computed by a script of others, not published */
    cr_assert_eq(iba_le16(wire + 56), 0xfa45);
}

/* WF-73: this packet has illegal values in GRH.PayLen and NxtHdr, so the view finds no BTH in it. Its CRCs are still
 * those that the specification prints. */
Test(crc, global_sample_packet)
{
    uint8_t wire[128];
    const unsigned n = hex(vectors[1].hex, wire);
    struct iba_view v;

    cr_assert_str_eq(vectors[1].name, "IBA-global-sample");
    cr_assert_eq(n, 98);
    cr_assert_eq(iba_icrc(IBA_ICRC_GLOBAL, wire, 48, 92), iba_le32(wire + 92));
    cr_assert_eq(iba_vcrc(wire, 96), iba_le16(wire + 96));
    look(&v, IBA_LINK_IB, wire, n, n);
    cr_assert_eq(v.err, IBA_GRH_LENGTH);
    cr_assert_eq(v.vcrc, IBA_CHECK_GOOD);
}

/* ---- references against the library ---- */

Test(crc, reference_is_the_well_known_crc32)
{
    cr_assert_eq(shift_crc(32, UINT32_C(0x04c11db7), (const uint8_t *)"123456789", 9), 0xcbf43926);
}

Test(crc, vcrc_agrees_with_a_bitwise_register)
{
    uint64_t seed = 79;
    uint8_t p[300];

    for (size_t n = 0; n <= sizeof p; n++)
        for (unsigned k = 0; k < 4; k++) {
            rnd_bytes(&seed, p, n);
            EXPECT(iba_vcrc(p, n) == shift_crc(16, 0x100b, p, n), "%zu bytes", n);
        }
}

Test(crc, vcrc_does_not_care_where_bytes_lie)
{
    uint64_t seed = 80;
    uint8_t p[64 + 8], q[64];

    rnd_bytes(&seed, q, sizeof q);
    for (size_t shift = 0; shift < 8; shift++) {
        memcpy(p + shift, q, sizeof q);
        cr_assert_eq(iba_vcrc(p + shift, sizeof q), iba_vcrc(q, sizeof q));
    }
}

Test(crc, lpcrc_agrees_with_a_bitwise_register)
{
    uint64_t seed = 81;
    uint8_t p[4];

    for (unsigned k = 0; k < 20000; k++) {
        rnd_bytes(&seed, p, sizeof p);
        EXPECT(iba_lpcrc(p) == shift_crc(16, 0x100b, p, sizeof p), "%02x%02x%02x%02x", p[0], p[1], p[2], p[3]);
    }
}

Test(crc, icrc_agrees_with_a_bitwise_register)
{
    uint64_t seed = 71;
    uint8_t p[512];

    for (unsigned kind = 0; kind < COUNT(kinds); kind++)
        for (size_t end = kinds[kind].header + 12; end <= 300; end++) {
            rnd_bytes(&seed, p, end);
            EXPECT(iba_icrc((enum iba_icrc_kind)kind, p, kinds[kind].header, end) ==
                       reference_icrc((enum iba_icrc_kind)kind, p, kinds[kind].header, end),
                   "kind %u, %zu bytes", kind, end);
        }
}

Test(crc, icrc_follows_a_bth_moved_by_options)
{
    uint64_t seed = 72;
    uint8_t p[512];

    for (unsigned kind = 0; kind < COUNT(kinds); kind++)
        for (size_t bth = kinds[kind].header; bth <= IBA_ICRC_MAX_BTH_AT; bth += 4) {
            rnd_bytes(&seed, p, sizeof p);
            EXPECT(iba_icrc((enum iba_icrc_kind)kind, p, bth, bth + 40) ==
                       reference_icrc((enum iba_icrc_kind)kind, p, bth, bth + 40),
                   "kind %u, BTH at %zu", kind, bth);
        }
}

Test(crc, masked_bits_do_not_count_and_all_others_do)
{
    uint64_t seed = 73;
    uint8_t p[128];

    for (unsigned kind = 0; kind < COUNT(kinds); kind++) {
        const size_t bth = kinds[kind].header, end = bth + 12 + 8;
        rnd_bytes(&seed, p, sizeof p);
        const uint32_t before = iba_icrc((enum iba_icrc_kind)kind, p, bth, end);
        for (unsigned bit = 0; bit < end * 8; bit++) {
            p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            const bool same = iba_icrc((enum iba_icrc_kind)kind, p, bth, end) == before;
            EXPECT(same == masked(&kinds[kind], bth, bit), "kind %u, bit %u", kind, bit);
            p[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        }
    }
}

/* WF-74: after eight octets of ones the register reads 0xDEBB20E3. */
Test(crc, roce_starts_behind_eight_octets_of_ones)
{
    static const uint8_t ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};

    cr_assert_eq(~shift_crc(32, UINT32_C(0x04c11db7), ones, sizeof ones), 0xdebb20e3);
}

Test(crc, bytes_travel_little_endian)
{
    uint8_t b[4];

    iba_put_le32(b, 0x01020304);
    cr_assert(b[0] == 4 && b[1] == 3 && b[2] == 2 && b[3] == 1 && iba_le32(b) == 0x01020304);
    iba_put_le16(b, 0x0102);
    cr_assert(b[0] == 2 && b[1] == 1 && iba_le16(b) == 0x0102);
}
