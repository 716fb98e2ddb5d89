/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_endpoints.h"

static const uint8_t ipv4_prefix[IBA_ADDR_MOST - IBA_ADDR_IPV4_BYTES] = {[10] = 0xff, [11] = 0xff};

bool iba_gid_is_ipv4(const uint8_t *gid)
{
    return memcmp(gid, ipv4_prefix, sizeof ipv4_prefix) == 0;
}

void iba_gid_set_ipv4(uint8_t *gid, uint32_t address)
{
    memcpy(gid, ipv4_prefix, sizeof ipv4_prefix);
    iba_bits_put(gid, 96, 32, address);
}

static void set_gid(uint8_t *gid, enum iba_addr_kind kind, const uint8_t *addr)
{
    if (kind == IBA_ADDR_IPV4)
        iba_gid_set_ipv4(gid, (uint32_t)iba_bits_get(addr, 0, 32));
    else
        memcpy(gid, addr, IBA_ADDR_MOST);
}

bool iba_endpoints_gids(struct iba_endpoint_gids *g, const struct iba_view *v)
{
    struct iba_endpoints e;

    if (!iba_endpoints_of(&e, v) || e.kind == IBA_ADDR_LID)
        return false;
    set_gid(g->src, e.kind, e.src);
    set_gid(g->dst, e.kind, e.dst);
    return true;
}
