/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour of broken ports: the list of deviations_port.h as data, changed keys and addresses, and changed headers
 * before the BTH. */
#include "deviations_port.h"
#include <string.h>
#include "wire/iba_behaviours.h"

IBA_BEHAVIOURS(iba_port_behaviours, "port", IBA_PORT_BEHAVIOURS)

enum {
    PKEY_FULL = 0x8000,
    GID_BYTES = 16,
    NEXT_UDP = 17,
    ETHERTYPE_IPV6 = 0x86dd,
    PORT_OTHER = 4790,
    HOPS_MOST = 255,
    ECN_ECT0 = 2,
    NO_VLAN = 0xffff,
};

static int changed(const struct iba_port *p)
{
    return IBA_CHANGED_ROW(p, port);
}

static bool otherwise(const struct iba_port *p)
{
    return p->change->kind == IBA_CHANGE_OTHER;
}

/* ---- keys and addresses ---- */

static bool pkey_match(const struct iba_port *p, uint16_t a, uint16_t b)
{
    const int row = changed(p);
    const bool partition = ((a ^ b) & ~PKEY_FULL) == 0, valid = (a & ~PKEY_FULL) != 0 && (b & ~PKEY_FULL) != 0;
    const bool both = row == IBA_ROW_port_PKEY_FULL && otherwise(p);
    const bool full = ((both ? a & b : a | b) & PKEY_FULL) != 0;

    return (partition || row == IBA_ROW_port_PKEY_PARTITION) && (valid || row == IBA_ROW_port_PKEY_INVALID) &&
           (full || (row == IBA_ROW_port_PKEY_FULL && !both));
}

static int pkey_found(const struct iba_port *p, int i)
{
    return changed(p) == IBA_ROW_port_PKEY_ANY && i > 0 ? -1 : i;
}

static void count(const struct iba_port *p, uint16_t *counter)
{
    const bool pkey = counter == &p->counters.pkey_violations;
    const int row = changed(p);

    if (row == (pkey ? IBA_ROW_port_PKEY_VIOLATIONS : IBA_ROW_port_QKEY_VIOLATIONS))
        return;
    if (*counter < UINT16_MAX || row == (pkey ? IBA_ROW_port_PKEY_SATURATES : IBA_ROW_port_QKEY_SATURATES))
        ++*counter;
}

static bool answers_to_lid(const struct iba_port *p, uint16_t lid)
{
    return changed(p) != IBA_ROW_port_LIDS || lid == p->lid;
}

static bool has_gid(const struct iba_port *p, const uint8_t *gid, size_t from)
{
    static const uint8_t none[GID_BYTES];
    const int row = changed(p);
    const unsigned n = row == IBA_ROW_port_GID_TABLE && p->n_gid > 0 ? 1 : p->n_gid;

    if (row == IBA_ROW_port_GID_DEFAULT_PREFIX)
        from = 0;
    for (unsigned i = 0; i < n; i++)
        if (memcmp(p->gid[i] + from, gid + from, GID_BYTES - from) == 0 &&
            (memcmp(p->gid[i], none, GID_BYTES) != 0 || row == IBA_ROW_port_GID_UNSPECIFIED))
            return true;
    return false;
}

/* ---- the envelope ---- */

/* Where the headers of an envelope are; NULL: it has no header of that kind. */
struct headers {
    uint8_t *lrh, *grh, *ipv4, *ipv6, *udp;
};

static struct headers headers_of(const struct iba_port *p, uint8_t *out, size_t n)
{
    uint8_t *end = out + n;
    const bool ipv4 = n <= IBA_ENVELOPE_IPV4_MAX;

    switch ((enum iba_port_kind)p->kind) {
    case IBA_PORT_IB: return (struct headers){.lrh = out, .grh = n > IBA_BYTES_lrh ? out + IBA_BYTES_lrh : NULL};
    case IBA_PORT_ROCE1: return (struct headers){.grh = end - IBA_BYTES_grh};
    default:
        return (struct headers){.udp = end - IBA_BYTES_udp,
                                .ipv4 = ipv4 ? end - IBA_BYTES_udp - IBA_BYTES_ipv4 : NULL,
                                .ipv6 = ipv4 ? NULL : end - IBA_BYTES_udp - IBA_BYTES_ipv6};
    }
}

/* Changes the address vector as the broken device with the changed row would. */
static void change_path(const struct iba_port *p, struct iba_av *av)
{
    const bool grh = p->kind != IBA_PORT_ROCE2;
    const int row = changed(p);

    if (row == (grh ? IBA_ROW_port_GRH_TCLASS : IBA_ROW_port_DSCP))
        av->tclass = 0;
    if (row == (grh ? IBA_ROW_port_GRH_FLOW : IBA_ROW_port_IP_FLOW))
        av->flow_label = 0;
    if (row == (grh ? IBA_ROW_port_GRH_HOP_LIMIT : IBA_ROW_port_TTL))
        av->hop_limit = otherwise(p) ? HOPS_MOST : 0;
    switch (row) {
    case IBA_ROW_port_GRH: av->grh = false; break;
    case IBA_ROW_port_VLAN: av->vlan = NO_VLAN; break;
    case IBA_ROW_port_PRIORITY: av->sl = p->kind == IBA_PORT_IB ? av->sl : 0; break;
    case IBA_ROW_port_PATH_BITS: av->path_bits = 0; break;
    case IBA_ROW_port_VL_OF_SMP: av->smp = false; break;
    case IBA_ROW_port_UDP_SOURCE_ASKED: av->udp_source = 0; break;
    case IBA_ROW_port_SGID: av->sgid_index = 0; break;
    default: break;
    }
}

static void exchange(uint8_t *a, uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void cross(const struct headers *h)
{
    if (h->grh)
        exchange(h->grh + IBA_AT_grh_sgid / 8, h->grh + IBA_AT_grh_dgid / 8, GID_BYTES);
    if (h->ipv6)
        exchange(h->ipv6 + IBA_AT_ipv6_src / 8, h->ipv6 + IBA_AT_ipv6_dst / 8, GID_BYTES);
    if (h->ipv4)
        exchange(h->ipv4 + IBA_AT_ipv4_src / 8, h->ipv4 + IBA_AT_ipv4_dst / 8, 4);
}

static void set_ecn(const struct headers *h, uint8_t ecn)
{
    if (h->ipv4)
        iba_ipv4_set_ecn(h->ipv4, ecn);
    if (h->ipv6)
        iba_ipv6_set_ecn(h->ipv6, ecn);
}

static void change_headers(const struct iba_port *p, const struct headers *h)
{
    switch (changed(p)) {
    case IBA_ROW_port_SL:
        if (p->kind == IBA_PORT_IB)
            iba_lrh_set_sl(h->lrh, 0);
        break;
    case IBA_ROW_port_SLID_UNASSIGNED:
        if (p->kind == IBA_PORT_IB && p->lid == 0)
            iba_lrh_set_slid(h->lrh, 0);
        break;
    case IBA_ROW_port_GRH_VERSION:
        if (h->grh)
            iba_grh_set_ipver(h->grh, 4);
        break;
    case IBA_ROW_port_GRH_NEXT:
        if (h->grh)
            iba_grh_set_nxthdr(h->grh, NEXT_UDP);
        break;
    case IBA_ROW_port_DONT_FRAGMENT:
        if (h->ipv4)
            iba_ipv4_set_df(h->ipv4, 0);
        break;
    case IBA_ROW_port_UDP_PORT:
        if (p->kind == IBA_PORT_ROCE2)
            iba_udp_set_dstport(h->udp, PORT_OTHER);
        break;
    case IBA_ROW_port_GIDS_ORDER: cross(h); break;
    case IBA_ROW_port_ECN: set_ecn(h, otherwise(p) ? ECN_ECT0 : 0); break;
    default: break;
    }
}

/* IP_VERSION: replaces the IPv4 header by an IPv6 header with both addresses mapped. */
static size_t widen(const struct iba_port *p, const struct iba_av *av, const struct headers *h, size_t n)
{
    uint8_t *ip = h->ipv4, old[IBA_BYTES_ipv4 + IBA_BYTES_udp];

    memcpy(old, ip, sizeof old);
    memset(ip, 0, IBA_BYTES_ipv6 + IBA_BYTES_udp);
    iba_bits_put(ip - 2, 0, 16, ETHERTYPE_IPV6); /* the EtherType of the Ethernet header or of the VLAN tag */
    iba_ipv6_set_version(ip, 6);
    iba_ipv6_set_dscp(ip, iba_ipv4_dscp(old));
    iba_ipv6_set_ecn(ip, iba_ipv4_ecn(old));
    iba_ipv6_set_flow(ip, av->flow_label);
    iba_ipv6_set_nxt(ip, NEXT_UDP);
    iba_ipv6_set_hlim(ip, av->hop_limit);
    iba_ipv6_set_src(ip, p->gid[av->sgid_index]);
    iba_ipv6_set_dst(ip, av->dgid);
    memcpy(ip + IBA_BYTES_ipv6, old + IBA_BYTES_ipv4, IBA_BYTES_udp);
    return n + IBA_BYTES_ipv6 - IBA_BYTES_ipv4;
}

static struct iba_port unchanged(const struct iba_port *p)
{
    struct iba_port whole = *p;

    whole.change = NULL;
    whole.deviate = NULL;
    for (uint8_t sl = 0; sl < 16 && changed(p) == IBA_ROW_port_SL_TO_VL; sl++)
        whole.sl2vl[sl] = otherwise(p) ? sl : 0;
    return whole;
}

static size_t envelope(const struct iba_port *p, const struct iba_av *av, uint32_t flow, uint8_t *out)
{
    const struct iba_port whole = unchanged(p);
    struct iba_av path = *av;
    struct headers h;
    size_t n;

    change_path(p, &path);
    n = iba_envelope_write(&whole, &path, flow, out);
    h = headers_of(p, out, n);
    change_headers(p, &h);
    return h.ipv4 && changed(p) == IBA_ROW_port_IP_VERSION ? widen(p, av, &h, n) : n;
}

/* ---- lengths, checksums and CRCs ---- */

static void set_checksum(uint8_t *ip)
{
    uint32_t sum = 0;

    iba_ipv4_set_checksum(ip, 0);
    for (unsigned i = 0; i < IBA_BYTES_ipv4; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    iba_ipv4_set_checksum(ip, ~(sum + (sum >> 16)) & 0xffff);
}

/* Lowers the lengths, so that they do not count the ICRC. */
static void shorten(const struct iba_port *p, const struct headers *h)
{
    switch (changed(p)) {
    case IBA_ROW_port_LRH_LENGTH:
        if (p->kind == IBA_PORT_IB)
            iba_lrh_set_pktlen(h->lrh, iba_lrh_pktlen(h->lrh) - 1);
        break;
    case IBA_ROW_port_GRH_PAYLEN:
        if (h->grh)
            iba_grh_set_paylen(h->grh, iba_grh_paylen(h->grh) - IBA_ICRC_BYTES);
        break;
    case IBA_ROW_port_UDP_LENGTH:
        if (p->kind == IBA_PORT_ROCE2)
            iba_udp_set_length(h->udp, iba_udp_length(h->udp) - IBA_ICRC_BYTES);
        break;
    case IBA_ROW_port_IP_LENGTH:
        if (h->ipv6)
            iba_ipv6_set_plen(h->ipv6, iba_ipv6_plen(h->ipv6) - IBA_ICRC_BYTES);
        if (h->ipv4) {
            iba_ipv4_set_len(h->ipv4, iba_ipv4_len(h->ipv4) - IBA_ICRC_BYTES);
            set_checksum(h->ipv4);
        }
        break;
    default: break;
    }
}

static void change_udp(const struct iba_port *p, const struct headers *h, const uint8_t *bth)
{
    if (changed(p) == IBA_ROW_port_UDP_SOURCE)
        iba_udp_set_srcport(h->udp, 0xc000 | (iba_bth_psn(bth) & 0x3fff));
    if (changed(p) == IBA_ROW_port_UDP_CHECKSUM)
        iba_udp_set_checksum(h->udp, 0xbad);
    if (changed(p) == IBA_ROW_port_IP_CHECKSUM && h->ipv4)
        iba_ipv4_set_checksum(h->ipv4, 0);
}

static void change_crc(const struct iba_port *p, int row, uint8_t *crc, size_t n)
{
    if (changed(p) != row)
        return;
    if (!otherwise(p))
        memset(crc, 0, n);
    for (size_t i = 0; i < n / 2; i++)
        exchange(&crc[i], &crc[n - 1 - i], 1);
}

/* Writes the ICRC. The bytes that it covers begin with the LRH on InfiniBand, otherwise with the network header. */
static void put_icrc(const struct iba_port *p, uint8_t *packet, size_t n, size_t end)
{
    const bool ib = p->kind == IBA_PORT_IB, v1 = p->kind == IBA_PORT_ROCE1, ipv4 = n <= IBA_ENVELOPE_IPV4_MAX;
    const size_t roce2 = IBA_BYTES_udp + (ipv4 ? IBA_BYTES_ipv4 : IBA_BYTES_ipv6);
    const size_t covered = ib ? n : v1 ? IBA_BYTES_grh : roce2;
    const enum iba_icrc_kind kind = ib     ? (n > IBA_BYTES_lrh ? IBA_ICRC_GLOBAL : IBA_ICRC_LOCAL)
                                    : v1   ? IBA_ICRC_ROCE1
                                    : ipv4 ? IBA_ICRC_ROCE2_V4
                                           : IBA_ICRC_ROCE2_V6;

    iba_put_le32(packet + end, iba_icrc(kind, packet + n - covered, covered, covered + (end - n)));
    change_crc(p, IBA_ROW_port_ICRC, packet + end, IBA_ICRC_BYTES);
}

static size_t seal(const struct iba_port *p, uint8_t *packet, size_t n, size_t body)
{
    const struct iba_port whole = unchanged(p);
    const struct headers h = headers_of(p, packet, n);
    const bool ib = p->kind == IBA_PORT_IB, raw = ib && iba_lrh_lnh(packet) < 2;
    const size_t length = iba_envelope_seal(&whole, packet, n, body);
    const size_t vcrc = length - IBA_VCRC_BYTES;

    shorten(p, &h);
    if (p->kind == IBA_PORT_ROCE2)
        change_udp(p, &h, packet + n);
    if (!raw)
        put_icrc(p, packet, n, n + body);
    if (!ib)
        return length;
    iba_put_le16(packet + vcrc, iba_vcrc(packet, vcrc));
    change_crc(p, IBA_ROW_port_VCRC, packet + vcrc, IBA_VCRC_BYTES);
    return length;
}

/* ---- the points ---- */

void iba_port_change(struct iba_port *p, const struct iba_change *c)
{
    static const struct iba_port_deviations deviations = {
#define ENTRY(returns, name, arguments) .name = name,
        IBA_PORT_POINTS(ENTRY)};

    p->change = c;
    p->deviate = c ? &deviations : NULL;
}
