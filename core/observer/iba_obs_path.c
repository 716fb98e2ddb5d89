/* SPDX-License-Identifier: BSD-2-Clause */
/* The path of a direction: the fields of its packets that routers hash on, or that show the route of the packet, as
 * seen at one capture point. Addresses are not part of the path: packets with other addresses belong to another
 * direction. Requests and responses have separate paths. */
#include <stddef.h>
#include "observer/iba_obs_path.h"
#include "observer/iba_obs_look.h"
#include "observer/iba_obs_report.h"

#define NAME(part, name, ...) name,
static const char *const names[] = {IBA_PATH_PARTS(NAME)};

const char *iba_path_part_name(unsigned part)
{
    return part < sizeof names / sizeof *names ? names[part] : NULL;
}

enum at { /* bit position of a part in its word */
#define AT(part, name, word, at, bits) AT_##part = (at),
          IBA_PATH_PARTS(AT)
};

static uint64_t put(uint64_t value, enum at at)
{
    return value << at;
}

/* The VLAN tag and the fields of the LRH. */
static uint64_t link_of(const struct iba_view *v)
{
    enum { LID_BITS = 16 };
    uint64_t route = 0;

    if (iba_view_has(v, IBA_H_vlan))
        route |= put(iba_bits_get(iba_view_hdr(v, IBA_H_vlan), 0, 16), AT_VLAN);
    if (iba_view_has(v, IBA_H_lrh)) {
        const uint8_t *lrh = iba_view_hdr(v, IBA_H_lrh);
        route |= put(iba_lrh_sl(lrh), AT_SL);
        route |= put((uint64_t)iba_lrh_slid(lrh) << LID_BITS | iba_lrh_dlid(lrh), AT_LIDS);
    }
    return route;
}

/* The fields of the IP header or GRH, and the UDP source port. */
static uint64_t net_of(const struct iba_view *v)
{
    enum { DSCP_SHIFT = 2 };
    const uint8_t *l3 = v->wire + v->l3_at;
    uint64_t route = 0;

    if (iba_view_has(v, IBA_H_udp))
        route = put(iba_udp_srcport(iba_view_hdr(v, IBA_H_udp)), AT_PORT);
    if (v->l3 == IBA_H_ipv4)
        return route | put(iba_ipv4_dscp(l3), AT_DSCP) | put(iba_ipv4_ttl(l3), AT_HOPS);
    if (v->l3 == IBA_H_ipv6)
        return route | put(iba_ipv6_dscp(l3), AT_DSCP) | put(iba_ipv6_hlim(l3), AT_HOPS) |
               put(iba_ipv6_flow(l3), AT_LABEL);
    if (!iba_view_has(v, IBA_H_grh))
        return route;
    const uint8_t *grh = iba_view_hdr(v, IBA_H_grh);
    return route | put(iba_grh_tclass(grh) >> DSCP_SHIFT, AT_DSCP) | put(iba_grh_hoplmt(grh), AT_HOPS) |
           put(iba_grh_flowlabel(grh), AT_LABEL);
}

static void report_change(struct iba_look *l, struct iba_obs_path *p, uint64_t link, uint64_t net)
{
    const uint64_t differ[] = {link ^ p->route[0], net ^ p->route[1]};
    uint32_t changed = 0;

#define CHANGED(part, name, word, at, bits)                                                                            \
    changed |= (uint32_t)((differ[word] >> (at) & ((UINT64_C(1) << (bits)) - 1)) != 0) << IBA_PATH_##part;
    IBA_PATH_PARTS(CHANGED)
    p->reported++;
    iba_obs_report(l, IBA_FINDING_PATH_CHANGED, &(struct iba_obs_detail){.cause = &p->mark, .count = changed});
}

void iba_obs_path(struct iba_look *l)
{
    struct iba_obs_path *const p = &l->flow->path[l->op->dir];

    if (l->flow->svc != IBA_RC && l->flow->svc != IBA_UC && l->flow->svc != IBA_XRC)
        return;
    const uint64_t link = link_of(l->v), net = net_of(l->v);
    const bool same_point = p->any && p->source == l->s->source;
    if (same_point && (link != p->route[0] || net != p->route[1]) && p->reported < IBA_OBS_ROUTES)
        report_change(l, p, link, net);
    p->route[0] = link;
    p->route[1] = net;
    p->any = true;
    p->source = l->s->source;
    p->mark = l->s->now;
}
