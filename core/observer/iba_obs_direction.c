/* SPDX-License-Identifier: BSD-2-Clause */
/* The direction of a packet: its source, its destination, and hashes of both. */
#include <string.h>
#include "observer/iba_obs_direction.h"
#include "observer/iba_obs_look.h"
#include "wire/iba_endpoints.h"

void iba_obs_key(struct iba_flow_key *k, const struct iba_view *v)
{
    struct iba_endpoints e;

    memset(k, 0, sizeof *k);
    if (!iba_endpoints_of(&e, v))
        return;
    k->kind = (uint8_t)e.kind;
    k->qpn = iba_bth_destqp(iba_view_bth(v));
    iba_addr_copy(k->src, e.kind, e.src);
    iba_addr_copy(k->dst, e.kind, e.dst);
}

bool iba_obs_is_between(const struct iba_flow_key *k, const struct iba_view *v)
{
    struct iba_endpoints e;

    return iba_endpoints_of(&e, v) && k->kind == (uint8_t)e.kind && iba_addr_eq(k->src, e.src, e.kind) &&
           iba_addr_eq(k->dst, e.dst, e.kind);
}

/* The hash uses the machine's byte order, since it is never stored or printed. Lengths are constants, so that the
 * compiler loads words directly. */
static uint64_t hash_address(uint64_t seed, enum iba_addr_kind kind, const uint8_t *address)
{
    uint64_t low = 0, high = 0;

    switch (kind) {
    case IBA_ADDR_IPV4: memcpy(&low, address, IBA_ADDR_IPV4_BYTES); break;
    case IBA_ADDR_LID: memcpy(&low, address, IBA_ADDR_LID_BYTES); break;
    default: memcpy(&low, address, sizeof low); memcpy(&high, address + sizeof low, sizeof high);
    }
    return iba_obs_mix(iba_obs_mix(seed ^ (uint64_t)kind << 32, low), high);
}

bool iba_obs_is_directed(const struct iba_view *v)
{
    struct iba_endpoints e;

    return iba_endpoints_of(&e, v);
}

bool iba_obs_identify(struct iba_direction *id, const struct iba_view *v, uint64_t seed)
{
    struct iba_endpoints e;

    if (!iba_endpoints_of(&e, v))
        return false;
    id->from = hash_address(seed, e.kind, e.src);
    id->to = hash_address(seed, e.kind, e.dst);
    id->qpn = iba_bth_destqp(iba_view_bth(v));
    id->target = iba_obs_target_of(id->to, id->qpn);
    return true;
}

const struct iba_direction *iba_obs_id(struct iba_look *l)
{
    if (!l->has_id)
        l->has_id = iba_obs_identify(&l->id, l->v, l->s->cfg.seed);
    return &l->id;
}
