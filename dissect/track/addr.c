/* SPDX-License-Identifier: BSD-2-Clause */
#include "track/addr.h"

bool stat_addrs_get(struct stat_addrs *a, const struct iba_view *v)
{
    struct iba_endpoints e;

    memset(a, 0, sizeof *a);
    if (!iba_endpoints_of(&e, v))
        return false;
    a->kind = (uint8_t)e.kind;
    iba_addr_copy(a->src, e.kind, e.src);
    iba_addr_copy(a->dst, e.kind, e.dst);
    return true;
}

void stat_addr_print(struct out *o, enum iba_addr_kind kind, const uint8_t *addr)
{
    switch (kind) {
    case IBA_ADDR_IPV4: out_ip4(o, (uint32_t)iba_bits_get(addr, 0, 32)); break;
    case IBA_ADDR_IPV6: out_ip6(o, addr); break;
    case IBA_ADDR_GID:
        OUT_LIT(o, "GID: ");
        out_ip6(o, addr);
        break;
    default: OUT_LIT(o, "LID: "); out_u64(o, iba_bits_get(addr, 0, 16));
    }
}

uint8_t stat_addr_wider(struct out *o, uint8_t width, enum iba_addr_kind kind, const uint8_t *addr)
{
    (void)out_flush(o);
    stat_addr_print(o, kind, addr);
    width = o->n > width ? (uint8_t)o->n : width;
    o->n = 0;
    return width;
}

const char *stat_addr_kind_name(enum iba_addr_kind kind)
{
    static const char *const name[IBA_ADDR_KINDS] = {"ipv4", "ipv6", "gid", "lid"};
    return name[kind];
}

/* FNV-1a by words, and a final mix, as the table uses the low bits. */
static uint64_t hash(const uint8_t *key, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i += 4) {
        uint32_t word = 0;
        memcpy(&word, key + i, n - i < 4 ? n - i : 4);
        h = (h ^ word) * UINT64_C(0x100000001b3);
    }
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

size_t stat_slot(const uint16_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes)
{
    const uint8_t *base = items;
    size_t at = (size_t)hash(key, key_bytes) & (slots - 1);

    while (slot[at] && memcmp(base + (slot[at] - 1u) * item_bytes, key, key_bytes) != 0)
        at = (at + 1) & (slots - 1);
    return at;
}
