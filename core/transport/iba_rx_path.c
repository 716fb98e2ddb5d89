/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "iba_rx_path.h"
#include "transport/iba_qp_traits.h"
#include "wire/iba_endpoints.h"

enum { MULTICAST_QPN = 0xffffff, VL_MANAGEMENT = 15, LRH_ALLOWANCE = 124, ECN_CE = 3, GID_BYTES = 16 };

static bool on_ib(const struct iba_rx *x)
{
    return x->port->kind == IBA_PORT_IB;
}

static const uint8_t *frame(const struct iba_rx *x)
{
    return x->v->wire + x->v->frame_at;
}

static const uint8_t *l3(const struct iba_rx *x)
{
    return x->v->wire + x->v->l3_at;
}

/* ---- the envelope by itself ---- */

/* An end node unwraps no tunnels. So only the Ethernet header and at most one VLAN tag are before the network header;
 * no other headers have so many bytes. */
static bool plain_ethernet(const struct iba_rx *x)
{
    const uint32_t n = x->v->l3_at - x->v->frame_at;

    return n == IBA_BYTES_eth || (n == IBA_BYTES_eth + IBA_BYTES_vlan && iba_view_has(x->v, IBA_H_vlan));
}

bool iba_rx_foreign_link(const struct iba_rx *x)
{
    switch ((enum iba_port_kind)x->port->kind) {
    case IBA_PORT_IB: return x->v->proto != IBA_PROTO_IB && x->v->proto != IBA_PROTO_IB_RAW;
    case IBA_PORT_ROCE1: return x->v->proto != IBA_PROTO_ROCE1 || !plain_ethernet(x);
    default: return x->v->proto != IBA_PROTO_ROCE2 || !plain_ethernet(x);
    }
}

static uint32_t l3_bytes(const struct iba_rx *x)
{
    return x->v->bth_at - x->v->l3_at - (uint32_t)IBA_BYTES_udp;
}

/* In a capture, an IP length of 0 is a packet that a NIC will segment, and the packet view accepts it. On a wire there
 * are no such packets. */
bool iba_rx_ip_length_absent(const struct iba_rx *x)
{
    return x->v->proto == IBA_PROTO_ROCE2 &&
           (x->v->l3 == IBA_H_ipv4 ? iba_ipv4_len(l3(x)) == 0 : iba_ipv6_plen(l3(x)) == 0);
}

bool iba_rx_ip_options(const struct iba_rx *x)
{
    return x->v->proto == IBA_PROTO_ROCE2 &&
           l3_bytes(x) != (x->v->l3 == IBA_H_ipv4 ? (uint32_t)IBA_BYTES_ipv4 : (uint32_t)IBA_BYTES_ipv6);
}

bool iba_rx_longer_than_mtu(const struct iba_rx *x)
{
    return on_ib(x) && iba_lrh_pktlen(frame(x)) > (iba_mtu_bytes((enum iba_mtu)x->port->mtu) + LRH_ALLOWANCE) / 4;
}

bool iba_rx_vl_of_other_kind(const struct iba_rx *x)
{
    return on_ib(x) && (iba_lrh_vl(frame(x)) == VL_MANAGEMENT) != (x->bth && iba_bth_destqp(x->bth) == 0);
}

bool iba_rx_dlid_foreign(const struct iba_rx *x)
{
    if (!on_ib(x))
        return false;
    switch (iba_lid_classify(iba_lrh_dlid(frame(x)))) {
    case IBA_LID_RESERVED: return true;
    case IBA_LID_UNICAST: return !iba_port_has_lid(x->port, iba_lrh_dlid(frame(x)));
    default: return false;
    }
}

static bool is_class(const struct iba_rx *x, uint16_t lid, enum iba_lid_class c)
{
    return on_ib(x) && iba_lid_classify(lid) == c;
}

bool iba_rx_slid_impossible(const struct iba_rx *x)
{
    return is_class(x, iba_lrh_slid(frame(x)), IBA_LID_MULTICAST) ||
           is_class(x, iba_lrh_slid(frame(x)), IBA_LID_RESERVED);
}

static bool directed_route(const struct iba_rx *x)
{
    enum { MGMT_CLASS_AT = 1, DIRECTED_ROUTE = 0x81 };

    return x->bth && iba_bth_destqp(x->bth) == 0 && x->v->payload_len > MGMT_CLASS_AT &&
           iba_rx_data(x)[MGMT_CLASS_AT] == DIRECTED_ROUTE;
}

bool iba_rx_permissive_misuse(const struct iba_rx *x)
{
    return (is_class(x, iba_lrh_slid(frame(x)), IBA_LID_PERMISSIVE) ||
            is_class(x, iba_lrh_dlid(frame(x)), IBA_LID_PERMISSIVE)) &&
           !directed_route(x);
}

bool iba_rx_mac_foreign(const struct iba_rx *x)
{
    const uint64_t group = UINT64_C(1) << 40; /* the lowest bit of the first byte */

    return !on_ib(x) && iba_eth_dst(frame(x)) != x->port->mac && !(iba_eth_dst(frame(x)) & group);
}

bool iba_rx_marked(const struct iba_rx *x)
{
    if (on_ib(x))
        return iba_bth_fecn(x->bth);
    if (x->port->kind != IBA_PORT_ROCE2)
        return false;
    return (x->v->l3 == IBA_H_ipv4 ? iba_ipv4_ecn(l3(x)) : iba_ipv6_ecn(l3(x))) == ECN_CE;
}

/* ---- GIDs ---- */

/* The packet has GIDs or IP addresses: all packets but IB packets without GRH. */
static bool has_ends(const struct iba_rx *x)
{
    return x->v->proto == IBA_PROTO_ROCE2 || iba_view_has(x->v, IBA_H_grh);
}

bool iba_rx_return_path(const struct iba_rx *x, struct iba_av *av)
{
    enum { HOPS = 64, NO_VLAN = 0xffff };
    struct iba_endpoint_gids e;

    *av = (struct iba_av){
        .port = x->port->number, .hop_limit = HOPS, .vlan = NO_VLAN, .grh = iba_endpoints_gids(&e, x->v)};
    if (on_ib(x)) {
        av->sl = iba_lrh_sl(frame(x));
        av->dlid = iba_lrh_slid(frame(x));
    } else {
        av->dmac = iba_eth_src(frame(x));
        if (iba_view_has(x->v, IBA_H_vlan)) {
            av->vlan = iba_vlan_id(iba_view_hdr(x->v, IBA_H_vlan));
            av->sl = iba_vlan_priority(iba_view_hdr(x->v, IBA_H_vlan)); /* RO-03 */
        }
    }
    if (!av->grh)
        return on_ib(x);
    memcpy(av->dgid, e.src, GID_BYTES);
    for (uint8_t i = 0; i < x->port->n_gid; i++)
        if (memcmp(x->port->gid[i], e.dst, GID_BYTES) == 0)
            av->sgid_index = i;
    return !iba_gid_is_multicast(e.src);
}

/* On IB the default prefix stands for the port's own (PV-22). */
static bool same_gid(const struct iba_rx *x, const uint8_t *packet, const uint8_t *configured)
{
    static const uint8_t default_prefix[8] = {0xfe, 0x80};

    if (on_ib(x) && memcmp(packet, default_prefix, sizeof default_prefix) == 0)
        return memcmp(packet + 8, configured + 8, 8) == 0;
    return memcmp(packet, configured, GID_BYTES) == 0;
}

/* ---- the envelope compared with DestQP and the port ---- */

bool iba_rx_multicast(const struct iba_rx *x)
{
    return !x->qp && iba_bth_destqp(x->bth) == MULTICAST_QPN;
}

bool iba_rx_multicast_no_grh(const struct iba_rx *x)
{
    return iba_rx_multicast(x) && !has_ends(x);
}

bool iba_rx_multicast_disagrees(const struct iba_rx *x)
{
    const bool qp = iba_bth_destqp(x->bth) == MULTICAST_QPN;
    struct iba_endpoint_gids e;

    if (on_ib(x) && (iba_lid_classify(iba_lrh_dlid(frame(x))) == IBA_LID_MULTICAST) != qp)
        return true;
    return iba_endpoints_gids(&e, x->v) && iba_gid_is_multicast(e.dst) != qp; /* RO-48 */
}

bool iba_rx_of_group(const struct iba_rx *x, const struct iba_mcast *m)
{
    struct iba_endpoint_gids e;

    return m->used && iba_endpoints_gids(&e, x->v) && memcmp(m->gid, e.dst, GID_BYTES) == 0 &&
           (!on_ib(x) || m->lid == iba_lrh_dlid(frame(x)));
}

bool iba_rx_ip_mapped_wrongly(const struct iba_rx *x)
{
    struct iba_endpoint_gids e;

    return x->v->proto == IBA_PROTO_ROCE2 && x->v->l3 == IBA_H_ipv6 && iba_endpoints_gids(&e, x->v) &&
           (iba_gid_is_ipv4(e.src) || iba_gid_is_ipv4(e.dst));
}

/* ---- the envelope compared with the QP ---- */

bool iba_rx_connected(const struct iba_rx *x)
{
    return iba_qp_has(x->qp, IBA_QP_CONNECTED);
}

bool iba_rx_other_port(const struct iba_rx *x)
{
    return x->qp->type > IBA_QPT_UD ? false : x->qp->attr.port != x->port->number;
}

static bool wants_grh(const struct iba_rx *x, const struct iba_av *av)
{
    return !on_ib(x) || av->grh;
}

static bool grh_missing(const struct iba_rx *x, const struct iba_av *av)
{
    return wants_grh(x, av) && !has_ends(x);
}

static bool grh_unwanted(const struct iba_rx *x, const struct iba_av *av)
{
    return !wants_grh(x, av) && has_ends(x);
}

static bool gids_differ(const struct iba_rx *x, const struct iba_av *av)
{
    struct iba_endpoint_gids e;

    if (!wants_grh(x, av) || !iba_endpoints_gids(&e, x->v))
        return false;
    return av->sgid_index >= x->port->n_gid || !same_gid(x, e.dst, x->port->gid[av->sgid_index]) ||
           !same_gid(x, e.src, av->dgid);
}

static bool slid_differs(const struct iba_rx *x, const struct iba_av *av)
{
    return on_ib(x) && iba_lrh_slid(frame(x)) != av->dlid;
}

static bool dlid_differs(const struct iba_rx *x, const struct iba_av *av)
{
    const unsigned path_mask = (1u << x->port->lmc) - 1;

    return on_ib(x) && iba_lrh_dlid(frame(x)) != (uint16_t)((x->port->lid & ~path_mask) | (av->path_bits & path_mask));
}

bool iba_rx_grh_missing(const struct iba_rx *x)
{
    return iba_rx_connected(x) && grh_missing(x, &x->qp->attr.av);
}

bool iba_rx_grh_unwanted(const struct iba_rx *x)
{
    return iba_rx_connected(x) && grh_unwanted(x, &x->qp->attr.av);
}

bool iba_rx_gids_differ(const struct iba_rx *x)
{
    return iba_rx_connected(x) && gids_differ(x, &x->qp->attr.av);
}

bool iba_rx_slid_differs(const struct iba_rx *x)
{
    return iba_rx_connected(x) && slid_differs(x, &x->qp->attr.av);
}

bool iba_rx_dlid_differs(const struct iba_rx *x)
{
    return iba_rx_connected(x) && dlid_differs(x, &x->qp->attr.av);
}

bool iba_rx_comes_along(const struct iba_rx *x, const struct iba_av *av)
{
    return av->port == x->port->number && !grh_missing(x, av) && !grh_unwanted(x, av) && !gids_differ(x, av) &&
           !slid_differs(x, av) && !dlid_differs(x, av);
}

bool iba_rx_gid_foreign(const struct iba_rx *x)
{
    struct iba_endpoint_gids e;

    return !iba_rx_connected(x) && iba_bth_destqp(x->bth) != MULTICAST_QPN && iba_endpoints_gids(&e, x->v) &&
           !iba_port_has_gid(x->port, e.dst);
}
