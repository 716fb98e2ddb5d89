/* Whose a packet is: where it says it goes and comes from, and hashes of that. */
#include <string.h>
#include "shadow/iba_shadow_parts.h"

enum { IPV4_BYTES = 4, LID_BYTES = 2, GID_BYTES = 16 };
/* Where a packet says who sends it and to whom. */
struct ends {
    enum iba_flow_addr kind;
    const uint8_t *src, *dst; /* of as many bytes as an address of that kind has */
};

static bool ends_of(struct ends *e, const struct iba_view *v)
{
    const uint8_t *l3 = v->wire + v->l3_at;

    if (!iba_view_has_bth(v))
        return false;
    if (v->l3 == IBA_H_ipv4)
        *e = (struct ends){IBA_FLOW_IPV4, l3 + IBA_AT_ipv4_src / 8, l3 + IBA_AT_ipv4_dst / 8};
    else if (v->l3 == IBA_H_ipv6)
        *e = (struct ends){IBA_FLOW_IPV6, iba_ipv6_src(l3), iba_ipv6_dst(l3)};
    else if (iba_view_has(v, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(v, IBA_H_grh);
        *e = (struct ends){IBA_FLOW_GID, iba_grh_sgid(grh), iba_grh_dgid(grh)};
    } else if (v->l3 == IBA_H_lrh)
        *e = (struct ends){IBA_FLOW_LID, l3 + IBA_AT_lrh_slid / 8, l3 + IBA_AT_lrh_dlid / 8};
    else
        return false;
    return true;
}

void iba_shadow_key(struct iba_flow_key *k, const struct iba_view *v)
{
    static const uint8_t bytes[] = {[IBA_FLOW_IPV4] = IPV4_BYTES,
                                    [IBA_FLOW_IPV6] = GID_BYTES,
                                    [IBA_FLOW_GID] = GID_BYTES,
                                    [IBA_FLOW_LID] = LID_BYTES};
    struct ends e;

    memset(k, 0, sizeof *k);
    if (!ends_of(&e, v))
        return;
    k->kind = (uint8_t)e.kind;
    k->qpn = iba_bth_destqp(iba_view_bth(v));
    memcpy(k->src, e.src, bytes[e.kind]);
    memcpy(k->dst, e.dst, bytes[e.kind]);
}

static bool same(const uint8_t *a, const uint8_t *b, enum iba_flow_addr kind)
{
    switch (kind) { /* lengths are constants, so that words are compared */
    case IBA_FLOW_IPV4: return memcmp(a, b, IPV4_BYTES) == 0;
    case IBA_FLOW_LID: return memcmp(a, b, LID_BYTES) == 0;
    default: return memcmp(a, b, GID_BYTES) == 0;
    }
}

bool iba_shadow_is_between(const struct iba_flow_key *k, const struct iba_view *v)
{
    struct ends e;

    return ends_of(&e, v) && k->kind == (uint8_t)e.kind && same(k->src, e.src, e.kind) && same(k->dst, e.dst, e.kind);
}

/* In the machine's order: nobody relies on the hash. Lengths are constants, so that words do not go through memory. */
static uint64_t hash_address(enum iba_flow_addr kind, const uint8_t *address)
{
    uint64_t low = 0, high = 0;

    switch (kind) {
    case IBA_FLOW_IPV4: memcpy(&low, address, IPV4_BYTES); break;
    case IBA_FLOW_LID: memcpy(&low, address, LID_BYTES); break;
    default: memcpy(&low, address, sizeof low); memcpy(&high, address + sizeof low, sizeof high);
    }
    return iba_shadow_mix(iba_shadow_mix((uint64_t)kind << 32, low), high);
}

bool iba_shadow_is_directed(const struct iba_view *v)
{
    struct ends e;

    return ends_of(&e, v);
}

bool iba_shadow_identify(struct iba_direction *id, const struct iba_view *v)
{
    struct ends e;

    if (!ends_of(&e, v))
        return false;
    id->from = hash_address(e.kind, e.src);
    id->to = hash_address(e.kind, e.dst);
    id->qpn = iba_bth_destqp(iba_view_bth(v));
    id->target = iba_shadow_target_of(id->to, id->qpn);
    return true;
}

const struct iba_direction *iba_shadow_id(struct iba_look *l)
{
    if (!l->has_id)
        l->has_id = iba_shadow_identify(&l->id, l->v);
    return &l->id;
}
