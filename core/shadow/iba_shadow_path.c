/* The way of a direction: what its packets carry that the network picks their way by, or that shows which way they
 * came, as seen at one capture point. Addresses are not of it: with others it is another direction. Requests and
 * responses have ways of their own. */
#include "shadow/iba_shadow_parts.h"

#define NAME(part, name) name,
static const char *const names[] = {IBA_PATH_PARTS(NAME)};

const char *iba_path_part_name(unsigned part)
{
    return part < sizeof names / sizeof *names ? names[part] : "?";
}

static void internet(uint32_t part[IBA_PATH_PARTS_N], const struct iba_view *v)
{
    const uint8_t *l3 = v->wire + v->l3_at;

    if (v->l3 == IBA_H_ipv4) {
        part[IBA_PATH_DSCP] = iba_ipv4_dscp(l3);
        part[IBA_PATH_HOPS] = iba_ipv4_ttl(l3);
    } else if (v->l3 == IBA_H_ipv6) {
        part[IBA_PATH_DSCP] = iba_ipv6_dscp(l3);
        part[IBA_PATH_HOPS] = iba_ipv6_hlim(l3);
        part[IBA_PATH_LABEL] = iba_ipv6_flow(l3);
    }
    if (iba_view_has(v, IBA_H_udp))
        part[IBA_PATH_PORT] = iba_udp_srcport(iba_view_hdr(v, IBA_H_udp));
}

static void native(uint32_t part[IBA_PATH_PARTS_N], const struct iba_view *v)
{
    enum { DSCP_SHIFT = 2, LID_BITS = 16 };

    if (iba_view_has(v, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(v, IBA_H_grh);
        part[IBA_PATH_DSCP] = iba_grh_tclass(grh) >> DSCP_SHIFT;
        part[IBA_PATH_HOPS] = iba_grh_hoplmt(grh);
        part[IBA_PATH_LABEL] = iba_grh_flowlabel(grh);
    }
    if (iba_view_has(v, IBA_H_lrh)) {
        const uint8_t *lrh = iba_view_hdr(v, IBA_H_lrh);
        part[IBA_PATH_SL] = iba_lrh_sl(lrh);
        part[IBA_PATH_LIDS] = (uint32_t)iba_lrh_slid(lrh) << LID_BITS | iba_lrh_dlid(lrh);
    }
}

__attribute__((hot)) static void parts_of(uint32_t part[IBA_PATH_PARTS_N], const struct iba_view *v)
{
    if (iba_view_has(v, IBA_H_vlan))
        part[IBA_PATH_VLAN] = (uint32_t)iba_bits_get(iba_view_hdr(v, IBA_H_vlan), 0, 16);
    internet(part, v);
    native(part, v);
}

/* No loop and no array that outlives it, so that parts need not go through memory. */
static bool differs(const struct iba_shadow_path *p, const struct iba_view *v)
{
    uint32_t part[IBA_PATH_PARTS_N] = {0}, differ = 0;

    parts_of(part, v);
#define DIFFER(id, name) differ |= part[IBA_PATH_##id] ^ p->part[IBA_PATH_##id];
    IBA_PATH_PARTS(DIFFER)
    return differ != 0;
}

__attribute__((noinline)) static void change(struct iba_look *l, struct iba_shadow_path *p, bool same_point)
{
    uint32_t part[IBA_PATH_PARTS_N] = {0}, changed = 0;

    parts_of(part, l->v);
    for (unsigned i = 0; i < IBA_PATH_PARTS_N; i++) {
        changed |= (uint32_t)(part[i] != p->part[i]) << i;
        p->part[i] = part[i];
    }
    if (!same_point || p->told >= IBA_SHADOW_WAYS)
        return;
    p->told++;
    iba_shadow_tell(l, IBA_FINDING_PATH_CHANGED, &(struct iba_tell){.cause = &p->mark, .count = changed});
}

void iba_shadow_path(struct iba_look *l)
{
    struct iba_shadow_path *const p = &l->flow->path[l->op->dir];

    if (l->flow->svc != IBA_RC && l->flow->svc != IBA_UC && l->flow->svc != IBA_XRC)
        return;
    if (differs(p, l->v))
        change(l, p, p->any && p->source == l->s->source);
    p->any = true;
    p->source = l->s->source;
    p->mark = l->s->now;
}
