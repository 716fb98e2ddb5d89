/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet that a router port got by its LID, or by a group's, and whose GRH leads to another node: may it leave its
 * subnet, and where does it go? Routers change the LRH and the hop limit, which the ICRC leaves out (WF-71). */
#include "fabric/iba_router.h"
#include "fabric/iba_hop.h"

enum { GID_BYTES = 16, GID_BITS = 128, SCOPE_LINK_LOCAL = 2 };

static const uint8_t *grh_of(const struct iba_hop *h)
{
    return iba_view_hdr(h->view, IBA_H_grh);
}

static const uint8_t *sgid_of(const struct iba_hop *h)
{
    return iba_grh_sgid(grh_of(h));
}

static const uint8_t *dgid_of(const struct iba_hop *h)
{
    return iba_grh_dgid(grh_of(h));
}

static uint64_t prefix_of(const uint8_t *gid)
{
    return iba_bits_get(gid, 0, GID_BITS / 2);
}

static uint64_t guid_of(const uint8_t *gid)
{
    return iba_bits_get(gid, GID_BITS / 2, GID_BITS / 2);
}

bool iba_router_owns(const struct iba_node_port *p, const uint8_t *gid)
{
    static const uint64_t default_prefix = UINT64_C(0xfe80000000000000);
    const uint64_t prefix = prefix_of(gid), guid = guid_of(gid);

    if (prefix != p->info.guid && prefix != default_prefix)
        return false;
    for (unsigned i = 0; i < IBA_GUID_BLOCK; i++)
        if (guid && p->guid[i] == guid)
            return true;
    return false;
}

/* ---- what keeps a packet in its subnet ---- */

static bool smp(const struct iba_hop *h)
{
    return iba_hop_is_smp(h);
}

/* ::0, ::1 */
static bool is_reserved(const uint8_t *gid)
{
    return prefix_of(gid) == 0 && guid_of(gid) <= 1;
}

static bool reserved(const struct iba_hop *h)
{
    return is_reserved(sgid_of(h)) || is_reserved(dgid_of(h));
}

static bool from_group(const struct iba_hop *h)
{
    return sgid_of(h)[0] == UINT8_MAX;
}

/* FE80::/10 */
static bool is_link_local(const uint8_t *gid)
{
    enum { FIRST = 0xfe, SECOND = 0x80, SECOND_BITS = 0xc0 };

    return gid[0] == FIRST && (gid[1] & SECOND_BITS) == SECOND;
}

static bool link_local(const struct iba_hop *h)
{
    return is_link_local(sgid_of(h)) || is_link_local(dgid_of(h));
}

static bool multicast(const struct iba_hop *h)
{
    return dgid_of(h)[0] == UINT8_MAX;
}

static bool group_of_subnet(const struct iba_hop *h)
{
    enum { SCOPE_BITS = 0x0f };

    return multicast(h) && (dgid_of(h)[1] & SCOPE_BITS) <= SCOPE_LINK_LOCAL;
}

static bool hops_used_up(const struct iba_hop *h)
{
    return iba_grh_hoplmt(grh_of(h)) <= 1;
}

/* ---- where it goes ---- */

static bool leads(const struct iba_route *r, const uint8_t *gid)
{
    const unsigned whole = r->bits / 8u, rest = r->bits % 8u;

    if (r->bits > GID_BITS || memcmp(r->gid, gid, whole) != 0)
        return false;
    return rest == 0 || (r->gid[whole] ^ gid[whole]) >> (8u - rest) == 0;
}

static bool usable(const struct iba_hop *h, const struct iba_route *r)
{
    return r->port > 0 && r->port <= h->node->cfg.n_port && leads(r, dgid_of(h));
}

static const struct iba_route *route_of(const struct iba_hop *h)
{
    const struct iba_route *best = NULL;

    for (unsigned i = 0; i < h->node->n_route; i++) {
        const struct iba_route *r = &h->node->route[i];
        if (usable(h, r) && (!best || r->bits > best->bits))
            best = r;
    }
    return best;
}

static bool no_route(const struct iba_hop *h)
{
    return !multicast(h) && !route_of(h);
}

/* ---- what is done ---- */

static void leave_by(const struct iba_hop *h, const struct iba_route *r)
{
    uint8_t copy[IBA_PACKET_MOST];
    const size_t len = h->view->end + IBA_VCRC_BYTES;
    struct iba_hop out = *h;
    struct iba_view v;
    uint8_t *grh;

    if (len > sizeof copy)
        return;
    memcpy(copy, h->view->wire, len);
    grh = copy + (grh_of(h) - h->view->wire);
    iba_grh_set_hoplmt(grh, iba_grh_hoplmt(grh) - 1u);
    iba_lrh_set_dlid(copy, r->dlid);
    iba_lrh_set_slid(copy, h->node->port[r->port].info.lid);
    if (iba_view_parse(&v, IBA_LINK_IB, copy, len, len, NULL) != IBA_OK)
        return;
    out.view = &v;
    out.lrh = copy;
    out.out = r->port;
    iba_hop_depart(&out);
}

/* A copy into each subnet of the group but the one it came from. */
static void replicate(struct iba_hop *h)
{
    for (unsigned i = 0; i < h->node->n_route; i++) {
        const struct iba_route *r = &h->node->route[i];
        if (r->bits == GID_BITS && r->port != h->in && usable(h, r))
            leave_by(h, r);
    }
}

/* A router without the row for missing routes sends the packet back. */
static void forward(struct iba_hop *h)
{
    const struct iba_route back = {.port = h->in, .dlid = iba_lrh_slid(h->lrh)}, *r = route_of(h);

    leave_by(h, r ? r : &back);
}

/* clang-format off */
/*    name             when             then          the packet ...                                                      clause */
#define ROUTER_RULES(R)                                                                                                            \
    R(smp,             smp,             iba_hop_drop, "is an SMP, which stays in its subnet",                             "KM-57") \
    R(reserved,        reserved,        iba_hop_drop, "comes from or goes to ::0 or ::1",                                 "KM-40") \
    R(from_group,      from_group,      iba_hop_drop, "comes from a multicast GID",                                       "KM-38") \
    R(link_local,      link_local,      iba_hop_drop, "comes from or goes to a link-local GID, which stays in its subnet", "KM-37") \
    R(group_of_subnet, group_of_subnet, iba_hop_drop, "goes to a group whose scope is the subnet",                        "KM-38") \
    R(hops_used_up,    hops_used_up,    iba_hop_drop, "has a hop limit of 0 or 1",                                        "WF-24") \
    R(no_route,        no_route,        iba_hop_drop, "goes to a GID without a route",                                    "WF-20") \
    R(multicast,       multicast,       replicate,    "is multicast: a copy into each subnet of the group but its own",   "KM-38") \
    R(forwarded,       iba_hop_any,     forward,      "leaves with another LRH and a hop limit that is one less",         "WF-24")
/* clang-format on */
IBA_HOP_TABLE(ROUTER_RULES, iba_router_rules, IBA_FABRIC_ROUTER, "router", "Packets for another subnet")
