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

static uint64_t secret[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};

void stat_hash_key(const uint64_t key[2])
{
    secret[0] = key[0];
    secret[1] = key[1];
}

static inline uint64_t turn(uint64_t v, unsigned bits)
{
    return v << bits | v >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

uint64_t stat_hash(const void *key, size_t bytes)
{
    const uint8_t *p = key;
    uint64_t v[4] = {secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
                     secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
    uint64_t word, last = (uint64_t)bytes << 56;

    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
        memcpy(&word, p, sizeof word);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    for (size_t i = 0; i < bytes; i++)
        last |= (uint64_t)p[i] << 8 * i;
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (unsigned i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

enum { TAG_SHIFT = 16 };

size_t stat_slot(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes, uint32_t *tag)
{
    const uint8_t *base = items;
    const uint64_t hash = stat_hash(key, key_bytes);
    size_t at = (size_t)hash & (slots - 1);

    *tag = (uint32_t)(hash >> 32) >> TAG_SHIFT << TAG_SHIFT;
    while (slot[at] && ((slot[at] ^ *tag) >> TAG_SHIFT != 0 ||
                        memcmp(base + (stat_slot_index(slot[at])) * item_bytes, key, key_bytes) != 0))
        at = (at + 1) & (slots - 1);
    return at;
}

size_t stat_item(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes)
{
    uint32_t tag;
    const uint32_t entry = slot[stat_slot(slot, slots, items, item_bytes, key, key_bytes, &tag)];

    return entry ? stat_slot_index(entry) + 1 : 0;
}

size_t stat_item_or_new(const struct stat_items *t, const void *key, size_t key_bytes)
{
    uint32_t tag;
    const size_t at = stat_slot(t->slot, 2 * t->room, t->first, t->bytes, key, key_bytes, &tag);

    if (t->slot[at])
        return stat_slot_index(t->slot[at]) + 1;
    if (*t->n == t->room)
        return 0;
    t->slot[at] = (uint32_t)++ * t->n | tag;
    memcpy((char *)t->first + (*t->n - 1) * t->bytes, key, key_bytes);
    return *t->n;
}
