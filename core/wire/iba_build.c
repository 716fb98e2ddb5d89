/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_build.h"
#include <assert.h>
#include "iba_walk.h"

#define X(h) IBA_H_##h,
#define IBA_ENCAP_COUNT_HDRS(...) sizeof((const uint8_t[]){__VA_ARGS__})
#define IBA_ENCAP_ROW(id, script, link_, hdrs)                                                                         \
    [IBA_ENCAP_##id] = {script, IBA_LINK_##link_, IBA_ENCAP_COUNT_HDRS(hdrs), {hdrs}},
const struct iba_encap_info iba_encaps[IBA_ENCAP_COUNT] = {IBA_ENCAPS(IBA_ENCAP_ROW, X)};

#define CHECK_PART(LIST, h, bytes, ...)                                                                                \
    _Static_assert((bytes) <= IBA_PART_BYTES, #h " does not fit a part of a recipe");
IBA_HEADERS(CHECK_PART)

enum iba_encap iba_encap_find(const char *name)
{
    unsigned e = 0, i = 0;

    while (e < IBA_ENCAP_COUNT && !(iba_encaps[e].name[i] == name[i] && name[i] == '\0'))
        if (iba_encaps[e].name[i] == name[i])
            i++;
        else
            e++, i = 0;
    return (enum iba_encap)e;
}

/* Bits in a header, and the value that they get */
struct bits {
    uint8_t hdr;
    uint16_t at, n;
    uint64_t value;
};
#define FIELD(h, name) IBA_H_##h, IBA_AT_##h##_##name, IBA_W_##h##_##name
#define HIGH64(h, name) IBA_H_##h, IBA_AT_##h##_##name, 64
#define LOW64(h, name) IBA_H_##h, IBA_AT_##h##_##name + 64, 64

/* Default values of header fields; the default of all other fields is 0. Addresses are from the ranges for
 * documentation. */
static const struct bits defaults[] = {
    {FIELD(erf, vlen), 1},
    {FIELD(sll, hatype), 1},
    {FIELD(sll, halen), 6},
    {FIELD(sll, addr), 0x0200000000010000},
    {FIELD(sll2, ifindex), 1},
    {FIELD(sll2, hatype), 1},
    {FIELD(sll2, halen), 6},
    {FIELD(sll2, addr), 0x0200000000010000},
    {FIELD(ipoibph, qpn), 0x12},
    {HIGH64(ipoibph, dgid), 0xfe80000000000000},
    {LOW64(ipoibph, dgid), 2},
    {FIELD(eth, dst), 0x020000000002},
    {FIELD(eth, src), 0x020000000001},
    {FIELD(svlan, id), 200},
    {FIELD(vlan, id), 100},
    {FIELD(mpls, label), 16},
    {FIELD(mpls, bottom), 1},
    {FIELD(mpls, ttl), 64},
    {FIELD(ipv4, version), 4},
    {FIELD(ipv4, hdr_len), 5},
    {FIELD(ipv4, df), 1}, /* RO-14 */
    {FIELD(ipv4, ttl), 64},
    {FIELD(ipv4, src), 0xc0000201},
    {FIELD(ipv4, dst), 0xc0000202},
    {FIELD(ipv6, version), 6},
    {FIELD(ipv6, hlim), 64},
    {HIGH64(ipv6, src), 0x20010db800000000},
    {LOW64(ipv6, src), 1},
    {HIGH64(ipv6, dst), 0x20010db800000000},
    {LOW64(ipv6, dst), 2},
    {FIELD(udp, srcport), 0xc000}, /* RO-19 */
    {FIELD(vxlan, flag_i), 1},
    {FIELD(vxlan, vni), 100},
    {FIELD(grekey, key), 1},
    {FIELD(erspan2, version), 1},
    {FIELD(erspan3, version), 2},
    {FIELD(lrh, dlid), 2},
    {FIELD(lrh, slid), 1},
    {FIELD(grh, ipver), 6},
    {FIELD(grh, hoplmt), 64},
    {HIGH64(grh, sgid), 0xfe80000000000000},
    {LOW64(grh, sgid), 1},
    {HIGH64(grh, dgid), 0xfe80000000000000},
    {LOW64(grh, dgid), 2},
    {FIELD(bth, m), 1}, /* WF-30 */
    {FIELD(bth, p_key), 0xffff},
    {FIELD(bth, destqp), 0x12},
    {FIELD(deth, q_key), 0x11111111},
    {FIELD(deth, srcqp), 0x11},
};

/* The registries whose numbers name the next header. */
enum registry { ETHERTYPE, IPPROTO, LNH, PORT, ERF_TYPE };
static const struct {
    uint8_t registry, hdr;
    uint16_t at, n;
} namers[] = {
    {ETHERTYPE, FIELD(eth, type)},       {ETHERTYPE, FIELD(vlan, etype)}, {ETHERTYPE, FIELD(svlan, etype)},
    {ETHERTYPE, FIELD(sll, etype)},      {ETHERTYPE, FIELD(sll2, etype)}, {ETHERTYPE, FIELD(ipoib, type)},
    {ETHERTYPE, FIELD(ipoibsend, type)}, {ETHERTYPE, FIELD(rwh, etype)},  {ETHERTYPE, FIELD(gre, proto)},
    {IPPROTO, FIELD(ipv4, proto)},       {IPPROTO, FIELD(ipv6, nxt)},     {IPPROTO, FIELD(ip6ext, nxt)},
    {IPPROTO, FIELD(grh, nxthdr)},       {LNH, FIELD(lrh, lnh)},          {PORT, FIELD(udp, dstport)},
    {ERF_TYPE, FIELD(erf, type)},
};
static const struct {
    uint8_t hdr, registry;
    uint16_t number;
} numbers[] = {
    {IBA_H_ipv4, ETHERTYPE, 0x0800},
    {IBA_H_ipv6, ETHERTYPE, 0x86dd},
    {IBA_H_grh, ETHERTYPE, 0x8915},
    {IBA_H_vlan, ETHERTYPE, 0x8100},
    {IBA_H_svlan, ETHERTYPE, 0x88a8},
    {IBA_H_mpls, ETHERTYPE, 0x8847},
    {IBA_H_eth, ETHERTYPE, 0x6558},
    {IBA_H_erspan2, ETHERTYPE, 0x88be},
    {IBA_H_erspan3, ETHERTYPE, 0x22eb},
    {IBA_H_ipv4, IPPROTO, 4},
    {IBA_H_udp, IPPROTO, 17},
    {IBA_H_bth, IPPROTO, 0x1b},
    {IBA_H_ipv6, IPPROTO, 41},
    {IBA_H_gre, IPPROTO, 47},
    {IBA_H_ip6ext, IPPROTO, 60},
    {IBA_H_rwh, LNH, 0},
    {IBA_H_ipv6, LNH, 1},
    {IBA_H_bth, LNH, 2},
    {IBA_H_grh, LNH, 3},
    {IBA_H_vxlan, PORT, 4789},
    {IBA_H_bth, PORT, 4791},
    {IBA_H_eth, ERF_TYPE, 2},
    {IBA_H_lrh, ERF_TYPE, 21},
    {IBA_H_ipv4, ERF_TYPE, 22},
    {IBA_H_ipv6, ERF_TYPE, 23},
    {IBA_H_fc, ERF_TYPE, 25},
};
/* Bits that a header has when another header follows it: the following header, then the bits. */
static const struct {
    uint8_t child;
    struct bits parent;
} announced[] = {
    {IBA_H_erfext, {FIELD(erf, ext), 1}},    {IBA_H_erfext, {FIELD(erfext, more), 1}},
    {IBA_H_mpls, {FIELD(mpls, bottom), 0}},  {IBA_H_grecsum, {FIELD(gre, checksum), 1}},
    {IBA_H_grekey, {FIELD(gre, key), 1}},    {IBA_H_greseq, {FIELD(gre, seq), 1}},
    {IBA_H_erspanp, {FIELD(erspan3, o), 1}}, {IBA_H_ipv4, {FIELD(erspan3, ft), 2}},
    {IBA_H_ipv6, {FIELD(erspan3, ft), 2}},
};
/* These headers are optional parts of the header before them, which announces the header after them. */
#define TRANSPARENT                                                                                                    \
    (IBA_HDR_BIT(IBA_H_erfext) | IBA_HDR_BIT(IBA_H_erfpad) | IBA_HDR_BIT(IBA_H_grecsum) | IBA_HDR_BIT(IBA_H_grekey) |  \
     IBA_HDR_BIT(IBA_H_greseq) | IBA_HDR_BIT(IBA_H_erspanp))

static void name_child(struct iba_part *parent, enum iba_hdr child)
{
    enum { CONTROL_WORD = 4 };

    for (size_t i = 0; i < sizeof namers / sizeof *namers; i++)
        for (size_t k = 0; namers[i].hdr == parent->hdr && k < sizeof numbers / sizeof *numbers; k++)
            if (numbers[k].hdr == child && numbers[k].registry == namers[i].registry)
                iba_bits_put(parent->bytes, namers[i].at, namers[i].n, numbers[k].number);
    for (size_t i = 0; i < sizeof announced / sizeof *announced; i++)
        if (announced[i].child == child && announced[i].parent.hdr == parent->hdr)
            iba_bits_put(parent->bytes, announced[i].parent.at, announced[i].parent.n, announced[i].parent.value);
    /* without a control word, a MAC address that begins with 0, 4 or 6 would be decoded as one, or as IP (RFC 4385 3)
     */
    if (child == IBA_H_eth && parent->hdr == IBA_H_mpls)
        parent->extra = CONTROL_WORD;
}

/* Returns the number of variable bytes that follow a header's fixed part by default. */
static uint8_t usual_extra(enum iba_hdr h)
{
    enum { REST_OF_8 = 6 };
    return h == IBA_H_ip6ext ? REST_OF_8 : 0;
}

uint8_t *iba_recipe_add(struct iba_recipe *r, enum iba_hdr h)
{
    enum { PADN = 1 };
    struct iba_part *p = &r->part[r->n_part];

    if (r->n_part == IBA_MAX_LAYERS)
        return NULL;
    memset(p, 0, sizeof *p);
    p->hdr = (uint8_t)h;
    p->extra = usual_extra(h);
    if (h == IBA_H_ip6ext) /* a PadN option of four bytes fills the header (RFC 8200 4.2) */
        p->bytes[2] = PADN, p->bytes[3] = 4;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (defaults[i].hdr == h)
            iba_bits_put(p->bytes, defaults[i].at, defaults[i].n, defaults[i].value);
    for (unsigned i = r->n_part; i-- > 0;) {
        name_child(&r->part[i], h);
        if (!(TRANSPARENT >> r->part[i].hdr & 1))
            break;
    }
    r->n_part++;
    return p->bytes;
}

void iba_recipe_init_with(struct iba_recipe *r, enum iba_encap e, uint8_t opcode, uint64_t hdrs)
{
    const struct iba_encap_info *in = &iba_encaps[e];
    uint8_t *bth = NULL;

    memset(r, 0, offsetof(struct iba_recipe, part));
    for (unsigned i = 0; i < in->n_hdr; i++)
        bth = iba_recipe_add(r, (enum iba_hdr)in->hdr[i]);
    if (in->hdr[in->n_hdr - 1] != IBA_H_bth)
        return;
    iba_bth_set_opcode(bth, opcode);
    for (uint64_t left = hdrs & ~IBA_HDR_BIT(IBA_H_bth); left; left &= left - 1)
        iba_recipe_add(r, (enum iba_hdr)__builtin_ctzll(left));
}

void iba_recipe_init(struct iba_recipe *r, enum iba_encap e, uint8_t opcode)
{
    iba_recipe_init_with(r, e, opcode, iba_opcodes[opcode].hdrs);
}

uint8_t *iba_recipe_part(struct iba_recipe *r, enum iba_hdr h)
{
    for (unsigned i = r->n_part; i-- > 0;)
        if (r->part[i].hdr == h)
            return r->part[i].bytes;
    return NULL;
}

/* Fields whose value depends on the whole packet, in the order in which they are written. */
enum how {
    OWN_BYTES,    /* length of the header with its variable bytes, minus `less`, in units of `unit` bytes */
    PACKET_BYTES, /* length from the header to the end of the ICRC; of a header after the BTH, to the end of the payload
                   */
    FRAME_BYTES,  /* length of the frame in an ERF record */
    RECORD_BYTES, /* length of the ERF record */
    PAD_BYTES,
    IP_CHECKSUM,
    LINK_CRC,
};
static const struct derived {
    uint8_t hdr;
    uint16_t at, n;
    uint8_t how, keep, unit, less;
} derived[] = {
    {FIELD(erf, rlen), RECORD_BYTES, IBA_KEEP_LENGTHS, 1, 0},
    {FIELD(erf, wlen), FRAME_BYTES, IBA_KEEP_LENGTHS, 1, 0},
    {FIELD(lrh, pktlen), PACKET_BYTES, IBA_KEEP_LENGTHS, 4, 0},
    {FIELD(grh, paylen), PACKET_BYTES, IBA_KEEP_LENGTHS, 1, IBA_BYTES_grh},
    {FIELD(ipv4, hdr_len), OWN_BYTES, IBA_KEEP_LENGTHS, 4, 0},
    {FIELD(ipv4, len), PACKET_BYTES, IBA_KEEP_LENGTHS, 1, 0},
    {FIELD(ipv4, checksum), IP_CHECKSUM, IBA_KEEP_CHECKSUMS, 1, 0},
    {FIELD(ipv6, plen), PACKET_BYTES, IBA_KEEP_LENGTHS, 1, IBA_BYTES_ipv6},
    {FIELD(ip6ext, len), OWN_BYTES, IBA_KEEP_LENGTHS, 8, 8},
    {FIELD(udp, length), PACKET_BYTES, IBA_KEEP_LENGTHS, 1, 0},
    {FIELD(bth, padcnt), PAD_BYTES, IBA_KEEP_PAD, 1, 0},
    {FIELD(fc, lpcrc), LINK_CRC, IBA_KEEP_CHECKSUMS, 1, 0},
};
_Static_assert(sizeof derived / sizeof *derived <= 16, "iba_part.keep has a bit for each");

void iba_recipe_set(struct iba_recipe *r, unsigned i, const struct iba_field *f, uint64_t v)
{
    struct iba_part *p = &r->part[i];

    assert(i < r->n_part);
    iba_field_put(f, p->bytes, v);
    for (size_t k = 0; k < sizeof derived / sizeof *derived; k++)
        if (derived[k].hdr == p->hdr && derived[k].at < f->at + f->bits && f->at < derived[k].at + derived[k].n)
            p->keep = (uint16_t)(p->keep | 1u << k);
}

/* A part number that means: the packet has no such part. */
enum { NOWHERE = IBA_MAX_LAYERS };
struct plan {
    size_t at[IBA_MAX_LAYERS];
    unsigned bth, l3; /* part numbers of the first BTH, and of the header that the ICRC starts with */
    bool native, icrc, vcrc;
    size_t frame_at, payload_at, pad, icrc_at, end, frame_end, total;
};

static size_t part_bytes(const struct iba_part *p)
{
    assert(p->extra <= IBA_PART_EXTRA);
    return (size_t)iba_headers[p->hdr].bytes + p->extra;
}

static size_t place_parts(const struct iba_recipe *r, struct plan *pl)
{
    size_t at = 0;

    pl->bth = pl->l3 = NOWHERE;
    for (unsigned i = 0; i < r->n_part; at += part_bytes(&r->part[i]), i++) {
        const uint8_t h = r->part[i].hdr;
        pl->at[i] = at;
        if (h == IBA_H_erf || h == IBA_H_erfext || h == IBA_H_erfpad)
            pl->frame_at = at + part_bytes(&r->part[i]);
        if (pl->bth != NOWHERE)
            continue;
        pl->native |= h == IBA_H_lrh;
        if (h == IBA_H_bth)
            pl->bth = i;
        else if (h == IBA_H_lrh || (!pl->native && (h == IBA_H_grh || h == IBA_H_ipv4 || h == IBA_H_ipv6)))
            pl->l3 = i;
    }
    return at;
}

static void make_plan(const struct iba_recipe *r, struct plan *pl)
{
    enum { ERF_ALIGN = 8 };

    memset(pl, 0, sizeof *pl);
    pl->payload_at = place_parts(r, pl);
    pl->icrc = pl->bth != NOWHERE && pl->l3 != NOWHERE && r->icrc_mode != IBA_CRC_NONE;
    pl->vcrc = pl->native && r->vcrc_mode != IBA_CRC_NONE;
    if (pl->bth != NOWHERE && !(r->keep & IBA_KEEP_PAD))
        pl->pad = (pl->at[pl->bth] - pl->payload_at - r->payload_len) & 3;
    pl->icrc_at = pl->payload_at + r->payload_len + pl->pad;
    pl->end = pl->icrc_at + (pl->icrc ? IBA_ICRC_BYTES : 0);
    pl->frame_end = pl->end + (pl->vcrc ? IBA_VCRC_BYTES : 0) + r->frame_pad;
    pl->total = pl->frame_end;
    if (r->n_part > 0 && r->part[0].hdr == IBA_H_erf)
        pl->total = (pl->total + ERF_ALIGN - 1) / ERF_ALIGN * ERF_ALIGN;
}

/* Returns the sum of the big-endian 16-bit words, without folding. An odd last byte is the high half of a word. */
static uint64_t sum16(const uint8_t *p, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += i % 2 ? p[i] : (uint64_t)p[i] << 8;
    return sum;
}

static uint16_t checksum(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Returns the checksum of an IPv4 header of `n` bytes, whatever its checksum field contains. */
static uint16_t ipv4_checksum(const uint8_t *ip, size_t n)
{
    return checksum(sum16(ip, n) + (uint16_t)~iba_ipv4_checksum(ip));
}

static uint32_t by_mode(uint8_t mode, uint32_t good, uint32_t given)
{
    return mode == IBA_CRC_GIVEN ? given : mode == IBA_CRC_BAD ? good ^ 1 : good;
}

/* Returns where the packet of part i ends. A network header after the BTH is part of the payload, so its packet ends
 * before pad and ICRC. */
static size_t end_of(const struct iba_recipe *r, const struct plan *pl, unsigned i)
{
    return i > pl->bth ? pl->payload_at + r->payload_len : pl->end;
}

static uint64_t derive(const struct derived *d, const struct iba_recipe *r, const struct plan *pl, unsigned i,
                       const uint8_t *p)
{
    const size_t own = part_bytes(&r->part[i]);
    uint8_t le[2];

    switch (d->how) {
    case OWN_BYTES: return (own - d->less + d->unit - 1) / d->unit;
    case PACKET_BYTES: return (end_of(r, pl, i) - pl->at[i] - d->less + d->unit - 1) / d->unit;
    case FRAME_BYTES: return pl->frame_end - pl->frame_at;
    case RECORD_BYTES: return pl->total;
    case PAD_BYTES: return i == pl->bth ? pl->pad : iba_bth_padcnt(p);
    case IP_CHECKSUM: return ipv4_checksum(p, own);
    default: iba_put_le16(le, (uint16_t)by_mode(r->vcrc_mode, iba_lpcrc(p), r->vcrc)); return iba_bits_get(le, 0, 16);
    }
}

static void write_derived(const struct iba_recipe *r, const struct plan *pl, uint8_t *buf)
{
    for (unsigned i = 0; i < r->n_part; i++)
        for (size_t k = 0; k < sizeof derived / sizeof *derived; k++) {
            const struct derived *d = &derived[k];
            if (d->hdr != r->part[i].hdr || (r->keep & d->keep) || (r->part[i].keep >> k & 1))
                continue;
            iba_bits_put(buf + pl->at[i], d->at, d->n, derive(d, r, pl, i, buf + pl->at[i]));
        }
}

static void write_crcs(const struct iba_recipe *r, const struct plan *pl, uint8_t *buf)
{
    if (pl->icrc) {
        const enum iba_hdr l3 = (enum iba_hdr)r->part[pl->l3].hdr;
        const bool grh = r->part[pl->l3 + 1].hdr == IBA_H_grh;
        const size_t from = pl->at[pl->l3];
        const uint32_t good =
            iba_icrc(iba_walk_icrc_kind(l3, grh), buf + from, pl->at[pl->bth] - from, pl->icrc_at - from);
        iba_put_le32(buf + pl->icrc_at, by_mode(r->icrc_mode, good, r->icrc));
    }
    if (pl->vcrc) {
        unsigned lrh = 0;
        while (r->part[lrh].hdr != IBA_H_lrh)
            lrh++;
        const uint16_t good = iba_vcrc(buf + pl->at[lrh], pl->end - pl->at[lrh]);
        iba_put_le16(buf + pl->end, (uint16_t)by_mode(r->vcrc_mode, good, r->vcrc));
    }
}

/* The checksum covers the datagram, and the addresses, protocol and length of the IP header before it (RFC 768, RFC
 * 8200 8.1). */
static void write_udp_checksum(const struct iba_recipe *r, const struct plan *pl, unsigned udp, uint8_t *buf)
{
    enum { UDP = 17 };
    const size_t n = end_of(r, pl, udp) - pl->at[udp];
    uint8_t *p = buf + pl->at[udp];
    uint64_t sum = UDP + n;
    uint16_t value;

    for (unsigned i = udp; i-- > 0;) {
        const uint8_t *ip = buf + pl->at[i];
        if (r->part[i].hdr == IBA_H_ipv4)
            sum += sum16(ip + IBA_AT_ipv4_src / 8, 8);
        else if (r->part[i].hdr == IBA_H_ipv6)
            sum += sum16(iba_ipv6_src(ip), 32);
        else
            continue;
        break;
    }
    iba_udp_set_checksum(p, 0);
    value = checksum(sum + sum16(p, n));
    iba_udp_set_checksum(p, value ? value : 0xffff);
}

/* Writes the UDP checksums of the parts `from` to `to` - 1. Inner ones come first, since outer checksums cover them. */
static void write_udp_checksums(const struct iba_recipe *r, const struct plan *pl, unsigned from, unsigned to,
                                uint8_t *buf)
{
    for (unsigned i = to; r->udp_checksum && i-- > from;)
        if (r->part[i].hdr == IBA_H_udp)
            write_udp_checksum(r, pl, i, buf);
}

enum iba_err iba_build(const struct iba_recipe *r, uint8_t *buf, size_t cap, size_t *len)
{
    struct plan pl;

    make_plan(r, &pl);
    *len = pl.total;
    if (pl.icrc && pl.at[pl.bth] - pl.at[pl.l3] > IBA_ICRC_MAX_BTH_AT)
        return IBA_TOO_DEEP;
    if (pl.total > cap)
        return IBA_NO_ROOM;
    for (unsigned i = 0; i < r->n_part; i++)
        memcpy(buf + pl.at[i], r->part[i].bytes, part_bytes(&r->part[i]));
    if (r->payload_len > 0)
        memcpy(buf + pl.payload_at, r->payload, r->payload_len);
    const unsigned first_payload_part = pl.bth < r->n_part ? pl.bth : r->n_part;
    memset(buf + pl.payload_at + r->payload_len, 0, pl.total - pl.payload_at - r->payload_len);
    write_derived(r, &pl, buf);
    write_udp_checksums(r, &pl, first_payload_part, r->n_part,
                        buf); /* the ICRC covers checksums inside of the payload */
    write_crcs(r, &pl, buf);
    write_udp_checksums(r, &pl, 0, first_payload_part, buf); /* checksums before the BTH cover the ICRC */
    return IBA_OK;
}

static bool checkable(enum iba_check c)
{
    return c == IBA_CHECK_GOOD || c == IBA_CHECK_BAD || c == IBA_CHECK_PENDING;
}

void iba_view_repair_crc(const struct iba_view *v, uint8_t *wire)
{
    assert(wire == v->wire);
    for (unsigned i = 0; i < v->n_layer; i++) {
        uint8_t *ip = wire + v->layer[i].at;
        const size_t n = v->layer[i].hdr == IBA_H_ipv4 ? iba_ipv4_hdr_len(ip) * 4u : 0;
        if (n >= IBA_BYTES_ipv4 && v->layer[i].at + n <= v->caplen)
            iba_ipv4_set_checksum(ip, ipv4_checksum(ip, n));
    }
    if (checkable(v->icrc))
        iba_put_le32(wire + v->end - IBA_ICRC_BYTES, iba_view_icrc(v));
    if (!checkable(v->vcrc))
        return;
    if (v->proto == IBA_PROTO_IB_LINK) {
        uint8_t *fc = wire + v->at[IBA_H_fc];
        iba_put_le16(fc + 4, iba_lpcrc(fc));
    } else {
        uint8_t *lrh = wire + v->at[IBA_H_lrh];
        iba_put_le16(lrh + (v->end - v->at[IBA_H_lrh]), iba_vcrc(lrh, v->end - v->at[IBA_H_lrh]));
    }
}
