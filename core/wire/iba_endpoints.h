/* SPDX-License-Identifier: BSD-2-Clause */
/* The source and destination network addresses of a packet. */
#ifndef IBA_ENDPOINTS_H
#define IBA_ENDPOINTS_H
#include <string.h>
#include "iba_view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a packet's addresses, which are in its IP header, GRH or LRH. A native packet with a GRH has GIDs. */
enum iba_addr_kind { IBA_ADDR_IPV4, IBA_ADDR_IPV6, IBA_ADDR_GID, IBA_ADDR_LID, IBA_ADDR_KINDS };
/* Number of bytes of an address; IPv6 addresses and GIDs have the most. */
enum { IBA_ADDR_IPV4_BYTES = 4, IBA_ADDR_LID_BYTES = 2, IBA_ADDR_MOST = 16 };

struct iba_endpoints {
    enum iba_addr_kind kind;  /* kind of both addresses */
    const uint8_t *src, *dst; /* point into the packet; in wire order */
};
/* The addresses of a packet as GIDs. An IPv4 address a.b.c.d becomes ::ffff:a.b.c.d (RO-16). */
struct iba_endpoint_gids {
    uint8_t src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST];
};

/* Finds the addresses. False: the packet has no addresses, or no transport header after them. */
static inline bool iba_endpoints_of(struct iba_endpoints *e, const struct iba_view *v)
{
    const uint8_t *l3 = v->wire + v->l3_at;

    if (!iba_view_has_bth(v))
        return false;
    if (v->l3 == IBA_H_ipv4)
        *e = (struct iba_endpoints){IBA_ADDR_IPV4, l3 + IBA_AT_ipv4_src / 8, l3 + IBA_AT_ipv4_dst / 8};
    else if (v->l3 == IBA_H_ipv6)
        *e = (struct iba_endpoints){IBA_ADDR_IPV6, iba_ipv6_src(l3), iba_ipv6_dst(l3)};
    else if (iba_view_has(v, IBA_H_grh)) {
        const uint8_t *grh = iba_view_hdr(v, IBA_H_grh);
        *e = (struct iba_endpoints){IBA_ADDR_GID, iba_grh_sgid(grh), iba_grh_dgid(grh)};
    } else if (v->l3 == IBA_H_lrh)
        *e = (struct iba_endpoints){IBA_ADDR_LID, l3 + IBA_AT_lrh_slid / 8, l3 + IBA_AT_lrh_dlid / 8};
    else
        return false;
    return true;
}
/* Copies an address to the start of `to`, and leaves the bytes after it unchanged. The lengths are constants, so that
 * the compiler copies words. */
static inline void iba_addr_copy(uint8_t to[IBA_ADDR_MOST], enum iba_addr_kind kind, const uint8_t *addr)
{
    switch (kind) {
    case IBA_ADDR_IPV4: memcpy(to, addr, IBA_ADDR_IPV4_BYTES); break;
    case IBA_ADDR_LID: memcpy(to, addr, IBA_ADDR_LID_BYTES); break;
    default: memcpy(to, addr, IBA_ADDR_MOST);
    }
}
/* Whether two addresses of that kind are the same. */
static inline bool iba_addr_eq(const uint8_t *a, const uint8_t *b, enum iba_addr_kind kind)
{
    switch (kind) {
    case IBA_ADDR_IPV4: return memcmp(a, b, IBA_ADDR_IPV4_BYTES) == 0;
    case IBA_ADDR_LID: return memcmp(a, b, IBA_ADDR_LID_BYTES) == 0;
    default: return memcmp(a, b, IBA_ADDR_MOST) == 0;
    }
}
/* Returns whether the GID of 16 bytes has an IPv4 address: ::ffff:a.b.c.d (RO-16). */
bool iba_gid_is_ipv4(const uint8_t *gid);
void iba_gid_set_ipv4(uint8_t *gid, uint32_t address); /* address: 0x0a000001 is 10.0.0.1 */
/* False: the packet has no GIDs (it is native and has no GRH), or no addresses. */
bool iba_endpoints_gids(struct iba_endpoint_gids *g, const struct iba_view *v);

#ifdef __cplusplus
}
#endif

#endif
