/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of the packet view through the headers that carry InfiniBand: capture headers, Ethernet, IP, UDP, mirror
 * tunnels. */
#include "iba_walk.h"

static enum step ethertype(uint16_t type)
{
    static const struct {
        uint16_t type;
        uint8_t step;
    } known[] = {
        {0x0800, STEP_IPV4},  {0x86dd, STEP_IPV6}, {0x8915, STEP_GRH},  {0x8100, STEP_VLAN},
        {0x88a8, STEP_SVLAN}, {0x9100, STEP_VLAN}, {0x8847, STEP_MPLS}, {0x8848, STEP_MPLS},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type)
            return (enum step)known[i].step;
    return STEP_DONE;
}

/* The EtherType of RoCE is ignored inside of the payload of a RoCE or InfiniBand packet. */
enum step iba_walk_by_ethertype(const struct walk *w, uint16_t type)
{
    const enum step s = ethertype(type);

    return w->inner && s == STEP_GRH ? STEP_DONE : s;
}

enum step iba_step_erf(struct walk *w)
{
    enum { MORE = 0x80 };
    static const uint8_t by_type[128] = {
        [2] = STEP_ETH, [11] = STEP_ETH,  [16] = STEP_ETH,  [20] = STEP_ETH,
        [21] = STEP_IB, [22] = STEP_IPV4, [23] = STEP_IPV6, [25] = STEP_FC,
    };
    struct iba_view *v = w->v;
    const uint8_t *p = iba_walk_take(w, IBA_H_erf), *x;
    uint32_t wlen;
    uint8_t type;

    if (!p)
        return STEP_DONE;
    type = iba_erf_type(p);
    if (iba_erf_rlen(p) < w->end) /* a larger rlen is no fault: it counts padding that pcap files drop */
        w->end = iba_erf_rlen(p) < w->at ? w->at : iba_erf_rlen(p);
    for (bool more = iba_erf_ext(p); more; more = (x[0] & MORE) != 0)
        if (!(x = iba_walk_take(w, IBA_H_erfext)))
            return STEP_DONE;
    if (by_type[type] == STEP_ETH && !iba_walk_take(w, IBA_H_erfpad))
        return STEP_DONE;
    v->frame_at = w->at; /* the lengths after this are those of the frame; the record may cut or pad it */
    wlen = iba_erf_wlen(p);
    if (v->caplen > w->end)
        v->caplen = w->end;
    v->len = w->end = w->at + wlen;
    if (v->caplen > v->len)
        v->caplen = v->len;
    return (enum step)by_type[type];
}

enum step iba_step_sll(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_sll);

    return p ? iba_walk_by_ethertype(w, iba_sll_etype(p)) : STEP_DONE;
}

enum step iba_step_sll2(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_sll2);

    return p ? iba_walk_by_ethertype(w, iba_sll2_etype(p)) : STEP_DONE;
}

enum step iba_step_ipoibph(struct walk *w)
{
    w->inner = true;
    return iba_walk_take(w, IBA_H_ipoibph) ? STEP_IPOIB : STEP_DONE;
}

enum step iba_step_ipoib(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_ipoib);

    return p ? iba_walk_by_ethertype(w, iba_ipoib_type(p)) : STEP_DONE;
}

enum step iba_step_ipoibsend(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_ipoibsend);

    return p ? iba_walk_by_ethertype(w, iba_ipoibsend_type(p)) : STEP_DONE;
}

enum step iba_step_eth(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_eth);

    return p ? iba_walk_by_ethertype(w, iba_eth_type(p)) : STEP_DONE;
}

enum step iba_step_svlan(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_svlan);

    return p ? iba_walk_by_ethertype(w, iba_svlan_etype(p)) : STEP_DONE;
}

enum step iba_step_vlan(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_vlan);

    return p ? iba_walk_by_ethertype(w, iba_vlan_etype(p)) : STEP_DONE;
}

/* The last label does not name the next header. The first nibble after the label distinguishes IP from a pseudowire,
 * which may have a control word (RFC 4385). */
enum step iba_step_mpls(struct walk *w)
{
    enum { CONTROL_WORD = 4 };
    const uint8_t *p = iba_walk_take(w, IBA_H_mpls);

    if (!p)
        return STEP_DONE;
    if (!iba_mpls_bottom(p))
        return STEP_MPLS;
    if (w->at >= w->v->caplen || w->at >= w->end)
        return STEP_ETH;
    switch (w->v->wire[w->at] >> 4) {
    case 4: return STEP_IPV4;
    case 6: return STEP_IPV6;
    case 0: return iba_walk_skip(w, CONTROL_WORD, IBA_H_mpls) ? STEP_ETH : STEP_DONE;
    default: return STEP_ETH;
    }
}

enum step iba_step_ip(struct walk *w)
{
    if (w->at < w->v->caplen && w->v->wire[w->at] >> 4 == 6)
        return STEP_IPV6;
    return STEP_IPV4;
}

static enum step by_protocol(const struct walk *w)
{
    switch (w->ip_next) {
    case 17: return STEP_UDP;
    case 47: return w->inner ? STEP_DONE : STEP_GRE;
    case 4: return STEP_IPV4;
    case 41: return STEP_IPV6;
    case 0:
    case 43:
    case 44:
    case 51:
    case 60: return w->l3 == IBA_H_ipv6 ? STEP_IP6EXT : STEP_DONE;
    default: return STEP_DONE;
    }
}

/* If an IP header before the BTH is that of a fragment, the packet is a fragment. An IP header in the payload does not
 * count. */
static void mark_fragment(struct walk *w, bool fragment)
{
    w->v->fragment |= fragment && !w->inner;
}

enum step iba_step_ipv4(struct walk *w)
{
    const uint32_t from = w->at;
    const uint8_t *p = iba_walk_take(w, IBA_H_ipv4);

    if (!p)
        return STEP_DONE;
    w->l3 = IBA_H_ipv4;
    w->l3_at = from;
    w->ip_end = iba_ipv4_len(p) ? from + iba_ipv4_len(p) : 0;
    if (iba_ipv4_version(p) != 4) {
        iba_walk_fault(w, IBA_IP_VERSION, IBA_H_ipv4);
        return STEP_DONE;
    }
    const uint32_t header = iba_ipv4_hdr_len(p) * 4u;
    if (header < IBA_BYTES_ipv4) {
        iba_walk_fault(w, IBA_IP_HEADER, IBA_H_ipv4);
        return STEP_DONE;
    }
    if (iba_ipv4_len(p) != 0) /* 0: the NIC segments for the host, so the frame's length is used */
        iba_walk_bound(w, from, iba_ipv4_len(p), IBA_IP_LENGTH, IBA_H_ipv4);
    if (!iba_walk_skip(w, header - IBA_BYTES_ipv4, IBA_H_ipv4))
        return STEP_DONE;
    mark_fragment(w, iba_ipv4_mf(p) || iba_ipv4_frag_offset(p) != 0);
    w->ip_next = iba_ipv4_proto(p);
    return iba_ipv4_frag_offset(p) != 0 ? STEP_DONE : by_protocol(w);
}

enum step iba_step_ipv6(struct walk *w)
{
    const uint32_t from = w->at;
    const uint8_t *p = iba_walk_take(w, IBA_H_ipv6);

    if (!p)
        return STEP_DONE;
    w->l3 = IBA_H_ipv6;
    w->l3_at = from;
    w->ip_end = iba_ipv6_plen(p) ? from + IBA_BYTES_ipv6 + iba_ipv6_plen(p) : 0;
    if (iba_ipv6_version(p) != 6) {
        iba_walk_fault(w, IBA_IP_VERSION, IBA_H_ipv6);
        return STEP_DONE;
    }
    if (iba_ipv6_plen(p) != 0) /* 0: a jumbogram, or a packet that the NIC segments for the host */
        iba_walk_bound(w, from, (uint32_t)IBA_BYTES_ipv6 + iba_ipv6_plen(p), IBA_IP_LENGTH, IBA_H_ipv6);
    w->ip_next = iba_ipv6_nxt(p);
    return by_protocol(w);
}

enum step iba_step_ip6ext(struct walk *w)
{
    enum { FRAGMENT = 44, AUTHENTICATION = 51 };
    const uint8_t kind = w->ip_next;
    const uint8_t *p = iba_walk_take(w, IBA_H_ip6ext);
    uint32_t bytes;

    if (!p)
        return STEP_DONE;
    bytes = kind == FRAGMENT ? 8 : kind == AUTHENTICATION ? (p[1] + 2u) * 4 : (p[1] + 1u) * 8;
    if (!iba_walk_skip(w, bytes - IBA_BYTES_ip6ext, IBA_H_ip6ext))
        return STEP_DONE;
    w->ip_next = iba_ip6ext_nxt(p);
    if (kind == FRAGMENT) {
        const uint32_t offset_flags = (uint32_t)p[2] << 8 | p[3];
        mark_fragment(w, (offset_flags & 0xfff9) != 0);
        if (offset_flags >> 3 != 0)
            return STEP_DONE;
    }
    return by_protocol(w);
}

enum { PORT_VXLAN = 4789, PORT_ROCE = 4791 };

static bool is_roce_port(const struct walk *w, uint16_t port)
{
    if (port == PORT_ROCE)
        return true;
    for (unsigned i = 0; i < IBA_MAX_PORTS && w->opts->port[i]; i++)
        if (w->opts->port[i] == port)
            return true;
    return false;
}

/* The capture lacks the end of a UDP header. Its destination port may still show that RoCE follows. */
static enum step cut_udp(struct walk *w, uint32_t from)
{
    enum { PORTS = 4 };
    struct iba_view *v = w->v;

    if (!v->truncated || v->caplen - from < PORTS)
        return STEP_DONE;
    const uint16_t port = (uint16_t)(v->wire[from + 2] << 8 | v->wire[from + 3]);
    if (is_roce_port(w, port)) {
        v->proto = IBA_PROTO_ROCE2;
        v->icrc = IBA_CHECK_TRUNCATED;
    } else if (port != PORT_VXLAN) {
        v->proto = IBA_PROTO_NONE;
    }
    return STEP_DONE;
}

enum step iba_step_udp(struct walk *w)
{
    struct iba_view *v = w->v;
    const uint32_t from = w->at;
    const uint8_t *p = iba_walk_take(w, IBA_H_udp);

    if (w->inner)
        return STEP_DONE;
    if (!p)
        return cut_udp(w, from);
    if (iba_udp_dstport(p) == PORT_VXLAN) /* a packet that is too short for VXLAN is of another protocol */
        return w->end - w->at < IBA_BYTES_vxlan + IBA_BYTES_eth ? STEP_DONE : STEP_VXLAN;
    if (!is_roce_port(w, iba_udp_dstport(p)))
        return STEP_DONE;
    if (!(v->fragment &&
          iba_udp_length(p) > w->end - from)) { /* the length in a first fragment is that of the whole datagram */
        iba_walk_bound(w, from, iba_udp_length(p), IBA_UDP_LENGTH, IBA_H_udp);
        if (w->end - w->at < IBA_BYTES_bth + IBA_ICRC_BYTES) {
            v->err = IBA_OK;
            iba_walk_fault(w, IBA_NOT_ROCE_SHORT, IBA_H_udp);
            return STEP_DONE; /* too short for RoCE: it is of another protocol, whatever its lengths */
        }
        if (w->ip_end && from + iba_udp_length(p) != w->ip_end)
            iba_walk_fault(w, IBA_UDP_LENGTH, IBA_H_udp);
    }
    v->proto = IBA_PROTO_ROCE2;
    return STEP_BTH;
}

enum step iba_step_vxlan(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_vxlan);

    return p && iba_vxlan_flag_i(p) ? STEP_ETH : STEP_DONE;
}

enum step iba_step_gre(struct walk *w)
{
    const uint8_t *p = iba_walk_take(w, IBA_H_gre);

    if (!p || iba_gre_version(p) != 0)
        return STEP_DONE;
    if ((iba_gre_checksum(p) || iba_gre_routing(p)) && !iba_walk_take(w, IBA_H_grecsum))
        return STEP_DONE;
    if (iba_gre_key(p) && !iba_walk_take(w, IBA_H_grekey))
        return STEP_DONE;
    if (iba_gre_seq(p) && !iba_walk_take(w, IBA_H_greseq))
        return STEP_DONE;
    switch (iba_gre_proto(p)) {
    case 0x6558: return STEP_ETH;
    case 0x88be:
        return iba_gre_seq(p) ? STEP_ERSPAN2
                              : STEP_ETH; /* ERSPAN type I has no header of its own, and no GRE sequence number */
    case 0x22eb: return STEP_ERSPAN3;
    default: return iba_walk_by_ethertype(w, iba_gre_proto(p));
    }
}

enum step iba_step_erspan2(struct walk *w)
{
    return iba_walk_take(w, IBA_H_erspan2) ? STEP_ETH : STEP_DONE;
}

enum step iba_step_erspan3(struct walk *w)
{
    enum { FRAME_ETHERNET = 0, FRAME_IP = 2 };
    const uint8_t *p = iba_walk_take(w, IBA_H_erspan3);

    if (!p || (iba_erspan3_o(p) && !iba_walk_take(w, IBA_H_erspanp)))
        return STEP_DONE;
    switch (iba_erspan3_ft(p)) {
    case FRAME_ETHERNET: return STEP_ETH;
    case FRAME_IP: return STEP_IP;
    default: return STEP_DONE;
    }
}
