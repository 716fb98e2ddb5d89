/* SPDX-License-Identifier: BSD-2-Clause */
/* Each number that names the next header, with all of its values: EtherTypes after each header that has one, IP
 * protocols, UDP ports, record types, flags, and the nibble after labels. The numbers are those of IANA and IEEE. Each
 * length with its values, too. */
#include "wire.h"
#include "wire/iba_opcode_rows.h"

enum { CAP = 4000, BODY = 64, MOST = 6 };
static uint8_t buf[CAP];
static const uint8_t zeros[3000];
static struct iba_recipe r;
static struct iba_view v;
static const struct iba_view_opts declared = {
    .qp = {{0x11, IBA_HOLDS_DATA}, {0x12, IBA_HOLDS_IPOIB}, {0x13, IBA_HOLDS_MAD}}, .port = {7, 4792}};

/* A list of headers; the last one has a field that names the next header. */
struct carrier {
    enum iba_link link;
    bool inner; /* inside a payload: nothing in it is RoCE */
    const char *field;
    uint8_t n, hdr[MOST];
};
#define H(...)                                                                                                         \
    sizeof((const uint8_t[]){__VA_ARGS__}),                                                                            \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* Builds the headers, then so many bytes of zeros, and returns where the last header is. */
static size_t carry(const struct carrier *c, size_t bytes, size_t *len)
{
    size_t at = 0;

    memset(&r, 0, sizeof r);
    for (unsigned i = 0; i < c->n; i++) {
        uint8_t *p = iba_recipe_add(&r, (enum iba_hdr)c->hdr[i]);
        if (c->hdr[i] == IBA_H_bth)
            iba_bth_set_opcode(p, IBA_UD_SEND_ONLY);
        at += i + 1 < c->n ? iba_headers[c->hdr[i]].bytes : 0;
    }
    r.payload = zeros;
    r.payload_len = bytes;
    *len = built(&r, buf, sizeof buf);
    return at;
}

static void parse(const struct carrier *c, size_t len)
{
    (void)iba_view_parse(&v, c->link, buf, len, len, &declared);
    EXPECT(v.n_layer >= c->n, "%u layers of %u", v.n_layer, c->n);
}

/* Returns the header after the first `n`; IBA_H_COUNT if there is none. */
static unsigned layer(unsigned n)
{
    return n < v.n_layer ? v.layer[n].hdr : IBA_H_COUNT;
}

static unsigned next(const struct carrier *c)
{
    return layer(c->n);
}

/* ---- EtherTypes ---- */

static const struct carrier with_ethertype[] = {
    {IBA_LINK_ETHERNET, false, "type", H(IBA_H_eth)},
    {IBA_LINK_ETHERNET, false, "etype", H(IBA_H_eth, IBA_H_vlan)},
    {IBA_LINK_ETHERNET, false, "etype", H(IBA_H_eth, IBA_H_svlan)},
    {IBA_LINK_SLL, false, "etype", H(IBA_H_sll)},
    {IBA_LINK_SLL2, false, "=sll.etype", H(IBA_H_sll2)},
    {IBA_LINK_ETHERNET, false, "proto", H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre)},
    {IBA_LINK_IPOIB, true, "type", H(IBA_H_ipoibph, IBA_H_ipoib)},
    {IBA_LINK_IB, true, "etype", H(IBA_H_lrh, IBA_H_rwh)},
    {IBA_LINK_IB, true, "type", H(IBA_H_lrh, IBA_H_bth, IBA_H_deth, IBA_H_ipoibsend)},
};
static const struct {
    uint16_t number;
    uint8_t hdr;
    bool announced; /* the number that the builder writes */
} ethertypes[] = {
    {0x0800, IBA_H_ipv4, true},  {0x86dd, IBA_H_ipv6, true},  {0x8915, IBA_H_grh, true},  {0x8100, IBA_H_vlan, true},
    {0x9100, IBA_H_vlan, false}, {0x88a8, IBA_H_svlan, true}, {0x8847, IBA_H_mpls, true}, {0x8848, IBA_H_mpls, false},
};

static unsigned by_ethertype(const struct carrier *c, unsigned type)
{
    if (c->hdr[c->n - 1] == IBA_H_gre && (type == 0x6558 || type == 0x88be)) /* Ethernet; ERSPAN I, without a header */
        return IBA_H_eth;
    if (c->hdr[c->n - 1] == IBA_H_gre && type == 0x22eb)
        return IBA_H_erspan3;
    for (size_t i = 0; i < COUNT(ethertypes); i++)
        if (ethertypes[i].number == type)
            return c->inner && ethertypes[i].hdr == IBA_H_grh ? IBA_H_COUNT : ethertypes[i].hdr;
    return IBA_H_COUNT;
}

Test(walk, all_ethertypes_after_each_header_that_has_one)
{
    for (size_t i = 0; i < COUNT(with_ethertype); i++) {
        const struct carrier *c = &with_ethertype[i];
        size_t len;
        uint8_t *last = buf + carry(c, BODY, &len);
        for (unsigned type = 0; type <= UINT16_MAX; type++) {
            iba_field_put(iba_field_find((enum iba_hdr)c->hdr[c->n - 1], c->field), last, type);
            parse(c, len);
            EXPECT(next(c) == by_ethertype(c, type), "carrier %zu, 0x%04x: header %u", i, type, next(c));
            EXPECT(next(c) != IBA_H_COUNT || (v.n_layer == c->n && v.err == IBA_OK), "0x%04x is a fault", type);
        }
    }
}

Test(walk, the_builder_writes_each_ethertype)
{
    for (size_t i = 0; i < COUNT(with_ethertype); i++)
        for (size_t k = 0; k < COUNT(ethertypes); k++) {
            const struct carrier *c = &with_ethertype[i];
            const enum iba_hdr last = (enum iba_hdr)c->hdr[c->n - 1];
            size_t len;
            (void)carry(c, BODY, &len);
            if (!ethertypes[k].announced)
                continue;
            (void)iba_recipe_add(&r, (enum iba_hdr)ethertypes[k].hdr);
            cr_expect_eq(iba_field_get(iba_field_find(last, c->field), r.part[c->n - 1].bytes), ethertypes[k].number,
                         "carrier %zu, 0x%04x", i, ethertypes[k].number);
        }
}

/* ---- IP ---- */

static const struct carrier with_protocol[] = {
    {IBA_LINK_ETHERNET, false, "proto", H(IBA_H_eth, IBA_H_ipv4)},
    {IBA_LINK_ETHERNET, false, "nxt", H(IBA_H_eth, IBA_H_ipv6)},
    {IBA_LINK_ETHERNET, false, "nxt", H(IBA_H_eth, IBA_H_ipv6, IBA_H_ip6ext)},
    {IBA_LINK_ETHERNET, false, "proto", H(IBA_H_eth, IBA_H_ipv6, IBA_H_ipv4)},
    {IBA_LINK_ETHERNET, false, "nxt", H(IBA_H_eth, IBA_H_ipv4, IBA_H_ipv6)},
    {IBA_LINK_IP, false, "proto", H(IBA_H_ipv4)},
    {IBA_LINK_IP, false, "nxt", H(IBA_H_ipv6)},
    {IBA_LINK_IB, true, "nxt", H(IBA_H_lrh, IBA_H_ipv6)},
    {IBA_LINK_IPOIB, true, "proto", H(IBA_H_ipoibph, IBA_H_ipoib, IBA_H_ipv4)},
    {IBA_LINK_IPOIB, true, "nxt", H(IBA_H_ipoibph, IBA_H_ipoib, IBA_H_ipv6)},
};

static unsigned by_protocol(const struct carrier *c, unsigned number)
{
    const bool v6 = c->hdr[c->n - 1] != IBA_H_ipv4;

    switch (number) {
    case 4: return IBA_H_ipv4;
    case 17: return IBA_H_udp;
    case 41: return IBA_H_ipv6;
    case 47: return c->inner ? IBA_H_COUNT : IBA_H_gre;
    case 0:  /* hop-by-hop options */
    case 43: /* routing */
    case 44: /* fragment */
    case 51: /* authentication */
    case 60: /* destination options */ return v6 ? IBA_H_ip6ext : IBA_H_COUNT;
    default: return IBA_H_COUNT;
    }
}

Test(walk, all_protocols_after_each_ip_header)
{
    for (size_t i = 0; i < COUNT(with_protocol); i++) {
        const struct carrier *c = &with_protocol[i];
        const enum iba_hdr hdr = (enum iba_hdr)c->hdr[c->n - 1];
        size_t len;
        uint8_t *last = buf + carry(c, BODY, &len);
        for (unsigned number = 0; number <= UINT8_MAX; number++) {
            iba_field_put(iba_field_find(hdr, c->field), last, number);
            parse(c, len);
            EXPECT(next(c) == by_protocol(c, number), "carrier %zu, %u: header %u", i, number, next(c));
            EXPECT(next(c) != IBA_H_COUNT || (v.n_layer == c->n && v.err == IBA_OK), "%u is a fault", number);
        }
    }
}

/* In the word of an IPv6 fragment header the low bit means that more fragments follow, the high 13 bits are the offset,
 * and two bits are reserved (RFC 8200 4.5). */
Test(walk, all_fragment_words_of_ipv6)
{
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "nxt", H(IBA_H_eth, IBA_H_ipv6, IBA_H_ip6ext)};
    size_t len;
    uint8_t *last = buf + carry(&c, BODY, &len);

    iba_ipv6_set_nxt(buf + IBA_BYTES_eth, 44);
    last[0] = 17;
    for (unsigned word = 0; word <= UINT16_MAX; word++) {
        last[2] = (uint8_t)(word >> 8), last[3] = (uint8_t)word;
        parse(&c, len);
        EXPECT(v.fragment == ((word & 1) != 0 || word >> 3 != 0), "0x%04x", word);
        EXPECT(next(&c) == (word >> 3 ? IBA_H_COUNT : IBA_H_udp), "0x%04x: header %u", word, next(&c));
    }
}

Test(walk, all_fragment_words_of_ipv4)
{
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "proto", H(IBA_H_eth, IBA_H_ipv4)};
    size_t len;
    uint8_t *last = buf + carry(&c, BODY, &len);

    iba_ipv4_set_proto(last, 17);
    for (unsigned word = 0; word <= UINT16_MAX; word++) {
        last[6] = (uint8_t)(word >> 8), last[7] = (uint8_t)word;
        parse(&c, len);
        EXPECT(v.fragment == ((word & 0x3fff) != 0), "0x%04x", word);
        EXPECT(next(&c) == ((word & 0x1fff) ? IBA_H_COUNT : IBA_H_udp), "0x%04x: header %u", word, next(&c));
    }
}

/* Lengths of extension headers count units of eight bytes after the first unit; AH counts units of four bytes after the
 * first two (RFC 4302), and fragment headers have no length. */
Test(walk, all_lengths_of_extension_headers)
{
    static const uint8_t kinds[] = {0, 43, 44, 51, 60};
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "nxt", H(IBA_H_eth, IBA_H_ipv6, IBA_H_ip6ext)};

    for (size_t i = 0; i < COUNT(kinds); i++)
        for (unsigned n = 0; n <= UINT8_MAX; n++) {
            const unsigned bytes = kinds[i] == 44 ? 8 : kinds[i] == 51 ? 4 * n + 8 : 8 * n + 8;
            size_t len, at = carry(&c, sizeof zeros, &len);
            iba_ipv6_set_nxt(buf + IBA_BYTES_eth, kinds[i]);
            buf[at] = 17, buf[at + 1] = (uint8_t)n, buf[at + 2] = buf[at + 3] = 0;
            parse(&c, len);
            EXPECT(next(&c) == IBA_H_udp && v.layer[3].at == at + bytes, "%u of %u", kinds[i], n);
            parse(&c, at + bytes - 1);
            EXPECT(next(&c) == IBA_H_COUNT && v.err == IBA_IP_LENGTH, "cut");
        }
}

/* ---- UDP ---- */

static const struct carrier over_udp[] = {
    {IBA_LINK_ETHERNET, false, "dstport", H(IBA_H_eth, IBA_H_ipv4, IBA_H_udp)},
    {IBA_LINK_ETHERNET, false, "dstport", H(IBA_H_eth, IBA_H_ipv6, IBA_H_udp)},
    {IBA_LINK_IPOIB, true, "dstport", H(IBA_H_ipoibph, IBA_H_ipoib, IBA_H_ipv4, IBA_H_udp)},
};

static unsigned by_port(const struct carrier *c, unsigned port)
{
    if (c->inner)
        return IBA_H_COUNT;
    return port == 4789 ? IBA_H_vxlan : port == 4791 || port == 4792 || port == 7 ? IBA_H_bth : IBA_H_COUNT;
}

Test(walk, all_ports)
{
    for (size_t i = 0; i < COUNT(over_udp); i++) {
        const struct carrier *c = &over_udp[i];
        size_t len;
        uint8_t *last = buf + carry(c, BODY, &len);
        for (unsigned port = 0; port <= UINT16_MAX; port++) {
            const unsigned wanted = by_port(c, port);
            iba_udp_set_dstport(last, port);
            parse(c, len);
            EXPECT(next(c) == wanted, "carrier %zu, port %u: header %u", i, port, next(c));
            EXPECT(v.err == IBA_OK && v.proto == (wanted == IBA_H_bth ? IBA_PROTO_ROCE2 : IBA_PROTO_NONE), "%u", port);
            EXPECT(wanted == IBA_H_COUNT || v.n_layer > c->n, "%u", port);
        }
    }
}

/* RoCE has at least a BTH and an ICRC, VXLAN at least its header and that of an Ethernet frame. A shorter datagram to
 * that port is another protocol. */
Test(walk, the_shortest_datagrams_of_a_port)
{
    for (size_t n = 0; n <= BODY; n++)
        for (unsigned ports = 0; ports < 2; ports++) {
            const struct carrier *c = &over_udp[n % 2];
            size_t len;
            uint8_t *last = buf + carry(c, n, &len);
            iba_udp_set_dstport(last, ports ? 4789 : 4791);
            parse(c, len);
            if (ports)
                EXPECT(next(c) == (n < 8 + 14 ? IBA_H_COUNT : IBA_H_vxlan) && v.err == IBA_OK, "VXLAN of %zu", n);
            else
                EXPECT(next(c) == (n < 12 + 4 ? IBA_H_COUNT : IBA_H_bth) &&
                           v.err == (n < 12 + 4 ? IBA_NOT_ROCE_SHORT : IBA_OK),
                       "RoCE of %zu", n);
        }
}

/* A capture that ends inside the UDP header shows the port from its fourth byte on. */
Test(walk, all_ports_of_cut_headers)
{
    static const struct carrier *c = &over_udp[0];
    size_t len, at = carry(c, BODY, &len);

    for (size_t there = 0; there < IBA_BYTES_udp; there++)
        for (unsigned port = 0; port <= UINT16_MAX; port++) {
            const bool roce = by_port(c, port) == IBA_H_bth;
            iba_udp_set_dstport(buf + at, port);
            (void)iba_view_parse(&v, c->link, buf, at + there, len, &declared);
            const enum iba_proto wanted = there < 4 || port == 4789 ? IBA_PROTO_UNDECIDED
                                          : roce                    ? IBA_PROTO_ROCE2
                                                                    : IBA_PROTO_NONE;
            EXPECT(v.proto == wanted && v.n_layer == c->n - 1 && v.err == IBA_OK, "%zu bytes of port %u", there, port);
            EXPECT(v.icrc == (wanted == IBA_PROTO_NONE ? IBA_CHECK_ABSENT : IBA_CHECK_TRUNCATED), "port %u", port);
        }
}

/* ---- tunnels, labels, records ---- */

/* RFC 2784 and 2890: flags announce a checksum (or routing) field, a key, and a sequence number, which follow in this
 * order. Only version 0 has them. */
Test(walk, all_flags_of_gre)
{
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "proto", H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre)};
    static const uint16_t types[] = {0x6558, 0x88be, 0x22eb, 0x0800, 0x1234};
    size_t len, at = carry(&c, BODY, &len);

    for (unsigned word = 0; word <= UINT16_MAX; word++) {
        const unsigned version = word & 7, type = types[word % COUNT(types)];
        const bool sequence = (word & 0x1000) != 0;
        unsigned n = c.n;
        buf[at] = (uint8_t)(word >> 8), buf[at + 1] = (uint8_t)word;
        iba_gre_set_proto(buf + at, type);
        parse(&c, len);
        if (version != 0) {
            EXPECT(next(&c) == IBA_H_COUNT, "version %u", version);
            continue;
        }
        if (word & 0xc000)
            EXPECT(layer(n++) == IBA_H_grecsum, "0x%04x", word);
        if (word & 0x2000)
            EXPECT(layer(n++) == IBA_H_grekey, "0x%04x", word);
        if (sequence)
            EXPECT(layer(n++) == IBA_H_greseq, "0x%04x", word);
        const unsigned wanted = type == 0x88be && sequence ? IBA_H_erspan2 : by_ethertype(&c, type);
        EXPECT(layer(n) == wanted, "0x%04x, 0x%04x: header %u", word, type, layer(n));
    }
}

/* ERSPAN III: an optional sub-header follows, then an Ethernet frame (type 0) or an IP packet (type 2). */
Test(walk, all_words_of_erspan3)
{
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "",
                                     H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_greseq, IBA_H_erspan3)};
    size_t len, at = carry(&c, BODY, &len);

    for (unsigned k = 0; k < 32 * 2 * 16; k++) {
        const unsigned type = k % 32, version = k / 64;
        const bool more = k / 32 % 2;
        iba_erspan3_set_ft(buf + at, type);
        iba_erspan3_set_o(buf + at, more);
        buf[at + IBA_BYTES_erspan3 + (more ? IBA_BYTES_erspanp : 0)] = (uint8_t)(version << 4);
        parse(&c, len);
        EXPECT(!more || next(&c) == IBA_H_erspanp, "type %u", type);
        const unsigned wanted = type == 0      ? IBA_H_eth
                                : type != 2    ? IBA_H_COUNT
                                : version == 6 ? IBA_H_ipv6
                                               : IBA_H_ipv4;
        EXPECT(layer(c.n + more) == wanted, "type %u, version %u: header %u", type, version, layer(c.n + more));
    }
}

/* After the last MPLS label comes IPv4, IPv6, a control word and Ethernet, or Ethernet alone (RFC 4385). */
Test(walk, all_first_nibbles_after_labels)
{
    static const struct carrier c = {IBA_LINK_ETHERNET, false, "", H(IBA_H_eth, IBA_H_mpls)};
    size_t len, at = carry(&c, BODY, &len);

    for (unsigned k = 0; k < 32; k++) {
        const unsigned nibble = k / 2, word = nibble == 0 ? 4 : 0;
        iba_mpls_set_bottom(buf + at, k % 2);
        buf[at + IBA_BYTES_mpls] = (uint8_t)(nibble << 4);
        parse(&c, len);
        const unsigned wanted = k % 2 == 0    ? IBA_H_mpls
                                : nibble == 4 ? IBA_H_ipv4
                                : nibble == 6 ? IBA_H_ipv6
                                              : IBA_H_eth;
        EXPECT(next(&c) == wanted, "nibble %u: header %u", nibble, next(&c));
        EXPECT(wanted != IBA_H_eth || v.layer[2].at == at + IBA_BYTES_mpls + word, "nibble %u", nibble);
    }
}

/* RFC 4385: only an Ethernet frame after an MPLS label has a control word, at any depth of labels. */
Test(walk, the_builder_writes_control_words)
{
    for (unsigned labels = 0; labels < 4; labels++)
        for (unsigned h = 0; h < IBA_H_COUNT; h++) {
            memset(&r, 0, sizeof r);
            for (unsigned i = 0; i < labels; i++)
                (void)iba_recipe_add(&r, IBA_H_mpls);
            (void)iba_recipe_add(&r, (enum iba_hdr)h);
            for (unsigned i = 0; i < labels; i++)
                cr_expect_eq(r.part[i].extra, i + 1 == labels && h == IBA_H_eth ? 4 : 0, "label %u of %u, then %s", i,
                             labels, iba_headers[h].name);
        }
}

static unsigned by_record_type(unsigned type)
{
    switch (type) {
    case 2:
    case 11:
    case 16:
    case 20: return IBA_H_erfpad; /* Ethernet */
    case 21: return IBA_H_lrh;
    case 22: return IBA_H_ipv4;
    case 23: return IBA_H_ipv6;
    case 25: return IBA_H_fc;
    default: return IBA_H_COUNT;
    }
}

Test(walk, all_record_types_of_erf)
{
    static const struct carrier c = {IBA_LINK_ERF, false, "", H(IBA_H_erf)};
    size_t len, at = carry(&c, BODY, &len);

    for (unsigned type = 0; type < 128; type++) {
        iba_erf_set_type(buf + at, type);
        parse(&c, len);
        EXPECT(next(&c) == by_record_type(type), "type %u: header %u", type, next(&c));
        EXPECT(next(&c) != IBA_H_erfpad || layer(2) == IBA_H_eth, "type %u", type);
    }
}

Test(walk, each_link_begins_with_its_header)
{
    static const struct {
        enum iba_link link;
        uint8_t first, hdr;
    } rows[] = {{IBA_LINK_NONE, 0, IBA_H_COUNT},    {IBA_LINK_ETHERNET, 0, IBA_H_eth}, {IBA_LINK_IB, 0, IBA_H_lrh},
                {IBA_LINK_IB_LINK, 0, IBA_H_fc},    {IBA_LINK_IP, 0x40, IBA_H_ipv4},   {IBA_LINK_IP, 0x60, IBA_H_ipv6},
                {IBA_LINK_IP, 0x50, IBA_H_ipv4},    {IBA_LINK_SLL, 0, IBA_H_sll},      {IBA_LINK_SLL2, 0, IBA_H_sll2},
                {IBA_LINK_IPOIB, 0, IBA_H_ipoibph}, {IBA_LINK_ERF, 0, IBA_H_erf}};
    static const uint8_t lnh[] = {IBA_H_rwh, IBA_H_ipv6, IBA_H_bth, IBA_H_grh};

    for (size_t i = 0; i < COUNT(rows); i++) {
        memset(buf, 0, BODY);
        buf[0] = rows[i].first;
        (void)iba_view_parse(&v, rows[i].link, buf, BODY, BODY, NULL);
        cr_expect_eq(layer(0), rows[i].hdr, "row %zu: header %u", i, layer(0));
    }
    for (unsigned k = 0; k < COUNT(lnh); k++) {
        memset(buf, 0, BODY);
        iba_lrh_set_lnh(buf, k);
        (void)iba_view_parse(&v, IBA_LINK_IB, buf, BODY, BODY, NULL);
        cr_expect_eq(layer(1), lnh[k], "LNH %u: header %u", k, layer(1));
        cr_expect_eq(v.proto, k < 2 ? IBA_PROTO_IB_RAW : IBA_PROTO_IB);
    }
    (void)iba_view_parse(&v, IBA_LINK_IB, buf, IBA_BYTES_fc, IBA_BYTES_fc, NULL);
    cr_expect_eq(layer(0), IBA_H_fc, "six bytes are a packet of flow control");
}

/* ---- lengths ---- */

/* Builds a packet with 16 bytes of payload and one field that is set. */
static size_t with(enum iba_encap e, enum iba_hdr h, const char *field, unsigned value)
{
    unsigned i = 0;

    iba_recipe_init(&r, e, IBA_RC_SEND_ONLY);
    r.payload = zeros;
    r.payload_len = 16;
    while (r.part[i].hdr != h)
        i++;
    iba_recipe_set(&r, i, iba_field_find(h, field), value);
    return built(&r, buf, sizeof buf);
}

Test(walk, all_lengths_of_an_lrh)
{
    const size_t full = with(IBA_ENCAP_IB_LOCAL, IBA_H_lrh, "vl", 0);

    for (size_t frame = full - 4; frame <= full; frame++)
        for (unsigned words = 0; words < 2048; words++) {
            const unsigned n = 4 * words; /* the LRH to the ICRC (WF-08); the VCRC of two bytes comes after it */
            const bool fits = n >= IBA_BYTES_lrh && n <= frame, exact = n == frame || n + 2 == frame;
            iba_lrh_set_pktlen(buf, words);
            (void)iba_view_parse(&v, IBA_LINK_IB, buf, frame, frame, NULL);
            EXPECT((v.err == IBA_LRH_LENGTH) == !exact, "%zu bytes, %u words: %s", frame, words, iba_strerror(v.err));
            EXPECT(v.end == (fits ? n : frame), "%zu bytes, %u words: ends at %u", frame, words, v.end);
            EXPECT(v.vcrc == (fits && n + 2 <= frame ? IBA_CHECK_PENDING : IBA_CHECK_ABSENT), "%zu bytes, %u words",
                   frame, words);
            (void)iba_view_parse(&v, IBA_LINK_IB, buf, frame - 1, frame, NULL);
            EXPECT(v.vcrc == (!fits || n + 2 > frame ? IBA_CHECK_ABSENT
                              : n + 2 <= frame - 1   ? IBA_CHECK_PENDING
                                                     : IBA_CHECK_TRUNCATED),
                   "one byte less than %zu, %u words", frame, words);
        }
}

static enum iba_err fault_of(enum iba_encap e, enum iba_hdr h, const char *field, unsigned value)
{
    const size_t len = with(e, h, field, value);

    return look(&v, IBA_LINK_ETHERNET, buf, len, len);
}

/* The datagram has 8 + 12 + 16 + 4 bytes. */
Test(walk, all_lengths_of_ip_and_udp)
{
    enum { DATAGRAM = 40, LEAST = 8 + 12 + 4 };

    for (unsigned n = 1; n < 100; n++) {
        const enum iba_err inside = n < 8          ? IBA_HEADER_CUT
                                    : n < LEAST    ? IBA_NOT_ROCE_SHORT
                                    : n < DATAGRAM ? IBA_UDP_LENGTH
                                    : n > DATAGRAM ? IBA_IP_LENGTH
                                                   : IBA_OK;
        const enum iba_err udp = n < 8 || n >= LEAST ? IBA_UDP_LENGTH : IBA_NOT_ROCE_SHORT;
        cr_expect_eq(fault_of(IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", 20 + n), inside, "IPv4: %u", n);
        cr_expect_eq(fault_of(IBA_ENCAP_ROCE2_V6, IBA_H_ipv6, "plen", n), inside, "IPv6: %u", n);
        cr_expect_eq(fault_of(IBA_ENCAP_ROCE2_V4, IBA_H_udp, "length", n), n == DATAGRAM ? IBA_OK : udp, "UDP: %u", n);
        if (n <= 20)
            cr_expect_eq(fault_of(IBA_ENCAP_ROCE2_V4, IBA_H_ipv4, "len", n), n < 20 ? IBA_IP_LENGTH : IBA_HEADER_CUT);
    }
}

/* RLEN counts the record, which the capture may have padded; WLEN counts the frame, which the card may have cut. */
Test(walk, all_lengths_of_erf)
{
    enum { HEADER = 16 };

    const size_t full = with(IBA_ENCAP_ERF_IB, IBA_H_erf, "lctr", 0);

    for (unsigned rlen = 0; rlen <= full + 8; rlen++)
        for (unsigned wlen = 0; wlen <= full + 8; wlen++) {
            const unsigned record = rlen < HEADER ? HEADER : rlen < full ? rlen : (unsigned)full;
            const unsigned len = HEADER + wlen;
            iba_erf_set_rlen(buf, rlen);
            iba_erf_set_wlen(buf, wlen);
            (void)iba_view_parse(&v, IBA_LINK_ERF, buf, full, full, NULL);
            EXPECT(v.frame_at == HEADER && v.len == len, "RLEN %u, WLEN %u: frame of %u", rlen, wlen, v.len);
            EXPECT(v.caplen == (record < len ? record : len), "RLEN %u, WLEN %u: %u bytes", rlen, wlen, v.caplen);
            EXPECT(v.truncated == (record < len), "RLEN %u, WLEN %u", rlen, wlen);
        }
}

/* ---- captures that end inside a header ---- */

/* The capture keeps too few bytes, and the packet itself ends soon. That is no fault of the packet, whichever header is
 * cut. */
Test(walk, no_fault_where_the_capture_ends)
{
    static const struct carrier cut[] = {
        {IBA_LINK_IB, true, NULL, H(IBA_H_lrh, IBA_H_rwh)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_vlan)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_mpls)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_grecsum)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_grekey)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_ipv4, IBA_H_gre, IBA_H_greseq)},
        {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_ipv6, IBA_H_ip6ext)},
        {IBA_LINK_SLL, false, NULL, H(IBA_H_sll)},
        {IBA_LINK_SLL2, false, NULL, H(IBA_H_sll2)},
        {IBA_LINK_IPOIB, true, NULL, H(IBA_H_ipoibph, IBA_H_ipoib)},
    };
    unsigned compared = 0;

    for (size_t i = 0; i < COUNT(cut); i++)
        for (size_t bytes = 0; bytes <= 20; bytes++) {
            size_t len;
            (void)carry(&cut[i], bytes, &len);
            (void)iba_view_parse(&v, cut[i].link, buf, len, len, NULL);
            for (size_t n = 0; v.err == IBA_OK && n < len; n++, compared++) {
                struct iba_view w;
                (void)iba_view_parse(&w, cut[i].link, buf, n, len, NULL);
                EXPECT(w.err == IBA_OK, "carrier %zu, %zu of %zu bytes: %s", i, n, len, iba_strerror(w.err));
            }
        }
    EXPECT(compared > 1000, "%u", compared);
}

/* After labels the nibble that says what follows may be missing: the rest counts as Ethernet. So does the version of an
 * IP packet: the rest counts as IPv4. The byte after the capture says nothing. */
Test(walk, no_byte_after_the_capture_counts)
{
    static const struct carrier label = {IBA_LINK_ETHERNET, false, NULL, H(IBA_H_eth, IBA_H_mpls)};
    size_t len, at = carry(&label, BODY, &len) + IBA_BYTES_mpls;

    for (unsigned nibble = 0; nibble < 16; nibble++)
        for (unsigned rest = 0; rest < BODY; rest++) {
            const bool cut = rest < IBA_BYTES_eth;
            buf[at] = (uint8_t)(nibble << 4);
            (void)iba_view_parse(&v, IBA_LINK_ETHERNET, buf, at, at + rest, NULL);
            EXPECT(v.err == (cut ? IBA_HEADER_CUT : IBA_OK), "nibble %u, %u bytes", nibble, rest);
            EXPECT(!cut || v.err_hdr == IBA_H_eth, "nibble %u, %u bytes", nibble, rest);
            (void)iba_view_parse(&v, IBA_LINK_IP, buf + at, 0, rest, NULL);
            EXPECT(v.err == (rest < IBA_BYTES_ipv4 ? IBA_HEADER_CUT : IBA_OK), "version %u, %u bytes", nibble, rest);
        }
}
