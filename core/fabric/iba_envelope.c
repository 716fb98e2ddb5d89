/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet envelopes: all headers before the BTH. They are written once for each address vector. Lengths and checksums
 * are filled in for each packet. */
#include <assert.h>
#include <string.h>
#include "iba_port.h"
#include "deviations_port.h"

enum {
    LNH_LOCAL = 2,
    LNH_GLOBAL = 3,
    NEXT_IBA = 0x1b,
    NEXT_UDP = 17,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_ROCE1 = 0x8915,
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    PORT_ROCE2 = 4791,
    ECN_ECT0 = 2,
    VL_MANAGEMENT = 15,
    LID_PERMISSIVE = 0xffff,
    NO_VLAN = 0xffff,
};
_Static_assert(IBA_ENVELOPE_IPV4_MAX < IBA_BYTES_eth + IBA_BYTES_ipv6 + IBA_BYTES_udp,
               "the length tells IPv4 from IPv6");
_Static_assert(IBA_ENVELOPE_MAX == IBA_BYTES_eth + IBA_BYTES_vlan + IBA_BYTES_ipv6 + IBA_BYTES_udp,
               "longest on Ethernet");
_Static_assert(IBA_ENVELOPE_MAX >= IBA_BYTES_lrh + IBA_BYTES_grh, "longest on IB");

static const uint8_t *source_gid(const struct iba_port *p, const struct iba_av *av)
{
    assert(av->sgid_index < p->n_gid && p->n_gid <= IBA_MAX_GIDS);
    return p->gid[av->sgid_index];
}

static size_t write_grh(const struct iba_port *p, const struct iba_av *av, uint8_t *grh)
{
    iba_grh_set_ipver(grh, 6);
    iba_grh_set_tclass(grh, av->tclass);
    iba_grh_set_flowlabel(grh, av->flow_label);
    iba_grh_set_nxthdr(grh, NEXT_IBA);
    iba_grh_set_hoplmt(grh, av->hop_limit);
    iba_grh_set_sgid(grh, source_gid(p, av));
    iba_grh_set_dgid(grh, av->dgid);
    return IBA_BYTES_grh;
}

/* A port without a LID can send SMPs only, and sends them from the permissive LID (UU-27). */
static uint16_t source_lid(const struct iba_port *p, const struct iba_av *av)
{
    const unsigned path_mask = (1u << p->lmc) - 1;

    if (p->lid == 0)
        return LID_PERMISSIVE;
    return (uint16_t)((p->lid & ~path_mask) | (av->path_bits & path_mask));
}

static size_t write_ib(const struct iba_port *p, const struct iba_av *av, uint8_t *lrh)
{
    iba_lrh_set_vl(lrh, av->smp ? VL_MANAGEMENT : p->sl2vl[av->sl & 0xf]);
    iba_lrh_set_sl(lrh, av->sl);
    iba_lrh_set_lnh(lrh, av->grh ? LNH_GLOBAL : LNH_LOCAL);
    iba_lrh_set_dlid(lrh, av->dlid);
    iba_lrh_set_slid(lrh, source_lid(p, av));
    return IBA_BYTES_lrh + (av->grh ? write_grh(p, av, lrh + IBA_BYTES_lrh) : 0);
}

static size_t write_ethernet(const struct iba_port *p, const struct iba_av *av, uint16_t type, uint8_t *eth)
{
    uint8_t *tag = eth + IBA_BYTES_eth;

    iba_eth_set_dst(eth, av->dmac);
    iba_eth_set_src(eth, p->mac);
    if (av->vlan == NO_VLAN) {
        iba_eth_set_type(eth, type);
        return IBA_BYTES_eth;
    }
    iba_eth_set_type(eth, ETHERTYPE_VLAN);
    iba_vlan_set_priority(tag, av->sl); /* RO-03, RO-27 */
    iba_vlan_set_id(tag, av->vlan);
    iba_vlan_set_etype(tag, type);
    return IBA_BYTES_eth + IBA_BYTES_vlan;
}

static uint8_t ecn(const struct iba_port *p)
{
    return p->congestion ? ECN_ECT0 : 0;
}

static uint8_t dscp(const struct iba_av *av)
{
    return av->tclass >> 2; /* RO-13 */
}

static size_t write_ipv4(const struct iba_port *p, const struct iba_av *av, const uint8_t *from, const uint8_t *to,
                         uint8_t *ip)
{
    iba_ipv4_set_version(ip, 4);
    iba_ipv4_set_hdr_len(ip, IBA_BYTES_ipv4 / 4);
    iba_ipv4_set_dscp(ip, dscp(av));
    iba_ipv4_set_ecn(ip, ecn(p));
    iba_ipv4_set_df(ip, 1); /* RO-14 */
    iba_ipv4_set_ttl(ip, av->hop_limit);
    iba_ipv4_set_proto(ip, NEXT_UDP);
    iba_ipv4_set_src(ip, iba_bits_get(from, 96, 32));
    iba_ipv4_set_dst(ip, iba_bits_get(to, 96, 32));
    return IBA_BYTES_ipv4;
}

static size_t write_ipv6(const struct iba_port *p, const struct iba_av *av, const uint8_t *from, const uint8_t *to,
                         uint8_t *ip)
{
    iba_ipv6_set_version(ip, 6);
    iba_ipv6_set_dscp(ip, dscp(av));
    iba_ipv6_set_ecn(ip, ecn(p));
    iba_ipv6_set_flow(ip, av->flow_label); /* RO-17 */
    iba_ipv6_set_nxt(ip, NEXT_UDP);
    iba_ipv6_set_hlim(ip, av->hop_limit);
    iba_ipv6_set_src(ip, from);
    iba_ipv6_set_dst(ip, to);
    return IBA_BYTES_ipv6;
}

/* Returns a port from 0xC000 to 0xFFFF (RO-19): its low 14 bits are the top bits of a multiplicative hash, which
 * depends on every bit of the flow. */
static uint16_t source_port(const struct iba_av *av, uint32_t flow)
{
    return av->udp_source != 0 ? av->udp_source : (uint16_t)(0xc000 | (flow * UINT32_C(0x9e3779b1)) >> 18);
}

static size_t write_roce2(const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *out)
{
    const uint8_t *sgid = source_gid(p, av);
    const bool ipv4 = iba_gid_is_ipv4(sgid);
    size_t n = write_ethernet(p, av, ipv4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6, out);

    n += ipv4 ? write_ipv4(p, av, sgid, av->dgid, out + n) : write_ipv6(p, av, sgid, av->dgid, out + n);
    iba_udp_set_srcport(out + n, source_port(av, flow));
    iba_udp_set_dstport(out + n, PORT_ROCE2);
    return n + IBA_BYTES_udp;
}

size_t iba_envelope_write(const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *out)
{
    size_t n;

    if (p->deviate)
        return p->deviate->envelope(p, av, flow, out);
    memset(out, 0, IBA_ENVELOPE_MAX);
    switch ((enum iba_port_kind)p->kind) {
    case IBA_PORT_IB: return write_ib(p, av, out);
    case IBA_PORT_ROCE1: n = write_ethernet(p, av, ETHERTYPE_ROCE1, out); return n + write_grh(p, av, out + n);
    default: return write_roce2(p, av, flow, out);
    }
}

/* Writes total length and checksum of an IPv4 header without options. A ones' complement sum does not depend on byte
 * order (RFC 1071), so words are added as they are in memory. The length is not read back from the header but added
 * directly: a load of bytes that were just stored in smaller pieces stalls (8 of 80 ns). */
static void seal_ipv4(uint8_t *ip, size_t len)
{
    enum { LEN = IBA_AT_ipv4_len / 16, CHECKSUM = IBA_AT_ipv4_checksum / 16, WORDS = IBA_BYTES_ipv4 / 2 };
    const uint8_t len_bytes[2] = {(uint8_t)(len >> 8), (uint8_t)len};
    uint16_t word[WORDS], value;
    uint32_t sum = 0;

    memcpy(word, ip, sizeof word);
    memcpy(&word[LEN], len_bytes, sizeof len_bytes);
    word[CHECKSUM] = 0;
    for (unsigned i = 0; i < WORDS; i++)
        sum += word[i];
    sum = (sum & 0xffff) + (sum >> 16);
    value = (uint16_t) ~(sum + (sum >> 16));
    memcpy(ip + IBA_AT_ipv4_len / 8, len_bytes, sizeof len_bytes);
    memcpy(ip + IBA_AT_ipv4_checksum / 8, &value, sizeof value);
}

static size_t append_icrc(enum iba_icrc_kind kind, uint8_t *packet, size_t from, size_t bth_at, size_t end)
{
    iba_put_le32(packet + end, iba_icrc(kind, packet + from, bth_at - from, end - from));
    return end + IBA_ICRC_BYTES;
}

static size_t append_vcrc(uint8_t *packet, size_t end)
{
    iba_put_le16(packet + end, iba_vcrc(packet, end));
    return end + IBA_VCRC_BYTES;
}

static size_t seal_ib(uint8_t *packet, size_t n, size_t end)
{
    const bool global = n > IBA_BYTES_lrh;

    if (iba_lrh_lnh(packet) < LNH_LOCAL) { /* raw: no ICRC (WF-04) */
        iba_lrh_set_pktlen(packet, end / 4);
        return append_vcrc(packet, end);
    }
    iba_lrh_set_pktlen(packet, (end + IBA_ICRC_BYTES) / 4);
    if (global)
        iba_grh_set_paylen(packet + IBA_BYTES_lrh, end - n + IBA_ICRC_BYTES);
    end = append_icrc(global ? IBA_ICRC_GLOBAL : IBA_ICRC_LOCAL, packet, 0, n, end);
    return append_vcrc(packet, end);
}

static size_t seal_roce1(uint8_t *packet, size_t n, size_t end)
{
    const size_t grh = n - IBA_BYTES_grh;

    iba_grh_set_paylen(packet + grh, end - n + IBA_ICRC_BYTES);
    return append_icrc(IBA_ICRC_ROCE1, packet, grh, n, end);
}

static size_t seal_roce2(uint8_t *packet, size_t n, size_t end)
{
    const bool ipv4 = n <= IBA_ENVELOPE_IPV4_MAX;
    const size_t udp = n - IBA_BYTES_udp, ip = udp - (ipv4 ? IBA_BYTES_ipv4 : IBA_BYTES_ipv6);
    const size_t datagram = end - udp + IBA_ICRC_BYTES;

    iba_udp_set_length(packet + udp, end - udp + IBA_ICRC_BYTES);
    if (ipv4) {
        seal_ipv4(packet + ip, IBA_BYTES_ipv4 + datagram);
        return append_icrc(IBA_ICRC_ROCE2_V4, packet, ip, n, end);
    }
    iba_ipv6_set_plen(packet + ip, datagram);
    return append_icrc(IBA_ICRC_ROCE2_V6, packet, ip, n, end);
}

size_t iba_envelope_seal(const struct iba_port *p, uint8_t *packet, size_t n, size_t body)
{
    assert(n >= IBA_BYTES_lrh && n <= IBA_ENVELOPE_MAX && body >= IBA_BYTES_bth && body % 4 == 0);
    if (p->deviate)
        return p->deviate->seal(p, packet, n, body);
    switch ((enum iba_port_kind)p->kind) {
    case IBA_PORT_IB: return seal_ib(packet, n, n + body);
    case IBA_PORT_ROCE1: return seal_roce1(packet, n, n + body);
    default: return seal_roce2(packet, n, n + body);
    }
}
