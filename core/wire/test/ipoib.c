/* SPDX-License-Identifier: BSD-2-Clause */
/* Which payloads are read as IPoIB (RFC 4391, RFC 4755), for every opcode, and which faults a cut packet shows. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 400, BODY = 48 };
static uint8_t buf[CAP];
static struct iba_recipe r;
static struct iba_view v;

static bool is_ipoib(void)
{
    return iba_view_has(&v, IBA_H_ipoibsend);
}

static void see(uint8_t opcode, const uint8_t *body, size_t n, uint32_t qpn, enum iba_holds holds)
{
    struct iba_view_opts opts = {.qp = {{0x900, IBA_HOLDS_DATA}, {qpn, (uint8_t)holds}}};
    size_t len;

    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, opcode);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), qpn);
    r.payload = body;
    r.payload_len = n;
    len = built(&r, buf, sizeof buf);
    (void)iba_view_parse(&v, IBA_LINK_IB, buf, len, len, &opts);
    EXPECT(v.err == IBA_OK, "opcode 0x%02x: %s", opcode, iba_strerror(v.err));
}

/* Writes four bytes of IPoIB header, then an ARP packet of InfiniBand, or an IPv4 or IPv6 header with a matching
 * length. */
static void fill(uint8_t body[BODY], unsigned kind)
{
    memset(body, 0, BODY);
    switch (kind) {
    case 0: body[0] = 8, body[1] = 6, body[5] = 32; break;
    case 1: body[0] = 8, body[4] = 0x45, body[7] = BODY - 4; break;
    default: body[0] = 0x86, body[1] = 0xdd, body[4] = 0x60, body[9] = BODY - 4 - 40; break;
    }
}

/* Returns whether the opcode is a whole SEND, of any service except XRC. */
static bool may_hold(uint8_t opcode)
{
    static const uint8_t sends[] = {0x04, 0x05, 0x17, 0x24, 0x25, 0x44, 0x45, 0x64, 0x65};

    return memchr(sends, opcode, sizeof sends) != NULL;
}

Test(ipoib, only_whole_sends_of_every_opcode)
{
    uint8_t body[BODY];

    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned code = 0; code < 256; code++) {
            fill(body, kind);
            see((uint8_t)code, body, BODY, 0x12, IBA_HOLDS_UNKNOWN);
            EXPECT(is_ipoib() == may_hold((uint8_t)code), "opcode 0x%02x by its bytes", code);
            see((uint8_t)code, body, BODY, 0x12, IBA_HOLDS_IPOIB);
            EXPECT(is_ipoib() == may_hold((uint8_t)code), "opcode 0x%02x declared", code);
            see((uint8_t)code, body, BODY, 0x12, IBA_HOLDS_DATA);
            EXPECT(!is_ipoib(), "opcode 0x%02x declared as data", code);
        }
}

/* Packets to QP0 and QP1 are read as management datagrams, unless the options say otherwise. */
Test(ipoib, destinations)
{
    uint8_t body[BODY];

    fill(body, 1);
    for (unsigned qpn = 0; qpn < 5; qpn++) {
        see(IBA_UD_SEND_ONLY, body, BODY, qpn, IBA_HOLDS_UNKNOWN);
        cr_expect_eq(is_ipoib(), qpn >= 2, "QP %u", qpn);
        see(IBA_UD_SEND_ONLY, body, BODY, qpn, IBA_HOLDS_IPOIB);
        cr_expect(is_ipoib(), "QP %u", qpn);
        see(IBA_UD_SEND_ONLY, body, BODY, qpn, IBA_HOLDS_MAD);
        cr_expect(!is_ipoib(), "QP %u", qpn);
    }
}

/* Payload is recognized by its bytes alone. The test inverts each bit that must have its value: in the four bytes, and
 * in the header's version and length. */
Test(ipoib, one_bit_differs)
{
    static const struct {
        uint8_t first, bits;
    } checked[3][3] = {
        {{0, 32}, {32, 16}},          /* the hardware type */
        {{0, 32}, {32, 4}, {48, 16}}, /* version and length */
        {{0, 32}, {32, 4}, {64, 16}},
    };
    uint8_t body[BODY];

    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned bit = 0; bit < 12 * 8; bit++) {
            bool must = false;
            for (unsigned i = 0; i < 3; i++)
                must |= bit >= checked[kind][i].first && bit < checked[kind][i].first + checked[kind][i].bits;
            if (kind == 1 && bit >= 36 && bit < 40)
                continue; /* the header's length: at least five words */
            fill(body, kind);
            body[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
            see(IBA_UC_SEND_ONLY, body, BODY, 0x12, IBA_HOLDS_UNKNOWN);
            cr_expect_eq(is_ipoib(), !must, "kind %u, bit %u", kind, bit);
            see(IBA_UC_SEND_ONLY, body, BODY, 0x12, IBA_HOLDS_IPOIB);
            cr_expect(is_ipoib(), "kind %u, bit %u, declared", kind, bit);
        }
    for (unsigned words = 0; words < 16; words++) {
        fill(body, 1);
        body[4] = (uint8_t)(0x40 | words);
        see(IBA_UC_SEND_ONLY, body, BODY, 0x12, IBA_HOLDS_UNKNOWN);
        cr_expect_eq(is_ipoib(), words >= 5, "%u words", words);
    }
}

/* The shortest IPoIB payloads are an ARP packet, and an IPv4 header with eight bytes after it: 28 bytes after the first
 * four. */
Test(ipoib, the_shortest)
{
    uint8_t body[BODY];

    for (size_t n = 0; n <= BODY; n++)
        for (unsigned kind = 0; kind < 2; kind++) {
            fill(body, kind);
            if (kind == 1)
                body[7] = (uint8_t)(n - 4);
            see(IBA_UC_SEND_ONLY, body, n, 0x12, IBA_HOLDS_UNKNOWN);
            cr_expect_eq(is_ipoib(), n >= 4 + 28, "kind %u, %zu bytes", kind, n);
            see(IBA_UC_SEND_ONLY, body, n, 0x12, IBA_HOLDS_IPOIB);
            cr_expect_eq(is_ipoib(), n >= 4, "kind %u, %zu bytes, declared", kind, n);
        }
}

/* Returns whether both views show the same fault. A view of a cut packet takes a header that the capture lacks for
 * Ethernet after an MPLS label, and for IPv4 where an IP packet begins. */
static bool same_fault(const struct iba_view *cut, const struct iba_view *whole)
{
    const bool guessed = (iba_view_has(cut, IBA_H_mpls) && cut->err_hdr == IBA_H_eth) || cut->caplen == 0;

    return cut->err == whole->err && (cut->err_hdr == whole->err_hdr || guessed);
}

static void expect_the_same_but_less(const char *name, enum iba_link link, size_t len)
{
    struct iba_view all;

    (void)iba_view_parse(&all, link, buf, len, len, NULL);
    for (size_t there = 0; there < len; there++) {
        (void)iba_view_parse(&v, link, buf, there, len, NULL);
        EXPECT(v.err == IBA_OK || same_fault(&v, &all) || (v.err == IBA_IP_LENGTH && all.err == IBA_NOT_ROCE_SHORT),
               "%s, %zu of %zu bytes: %s, header %s", name, there, len, iba_strerror(v.err),
               iba_headers[v.err_hdr].name);
        EXPECT(v.n_layer <= all.n_layer, "%s, %zu of %zu bytes: more headers", name, there, len);
        for (unsigned i = 0; i < v.n_layer; i++)
            EXPECT(v.layer[i].hdr == all.layer[i].hdr && v.layer[i].at == all.layer[i].at, "%s: layer %u of %zu", name,
                   i, there);
    }
}

/* A cut capture of a frame of any length shows no other fault and no other header than the whole frame shows. If the
 * whole frame turns out not to be RoCE, its length did not match. */
Test(ipoib, a_cut_capture_shows_nothing_of_its_own)
{
    uint8_t body[BODY];

    fill(body, 1);
    for (unsigned e = 0; e < IBA_ENCAP_COUNT; e++) {
        const enum iba_link link = (enum iba_link)iba_encaps[e].link;
        iba_recipe_init(&r, (enum iba_encap)e, e % 2 ? IBA_UD_SEND_ONLY_IMM : IBA_RD_CMP_SWAP);
        r.payload = body;
        r.payload_len = BODY;
        for (size_t whole = built(&r, buf, sizeof buf), len = 0; len <= whole; len++)
            expect_the_same_but_less(iba_encaps[e].name, link, len);
        for (r.n_part--; r.n_part > 0; r.n_part--) /* lengths that fit, and few bytes after the last header */
            for (r.payload_len = 0; r.payload_len < 20; r.payload_len++)
                expect_the_same_but_less(iba_encaps[e].name, link, built(&r, buf, sizeof buf));
    }
}
