/* SPDX-License-Identifier: BSD-2-Clause */
/* The network addresses of a packet, and a bounded table of items with a key. */
#ifndef DISSECT_TRACK_ADDR_H
#define DISSECT_TRACK_ADDR_H
#include "field/out.h"
#include "wire/iba_endpoints.h"

struct stat_addrs {
    uint8_t kind;                                   /* enum iba_addr_kind, of both */
    uint8_t src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST]; /* in wire order from the left, zero behind */
};

/* False when the packet has no transport header after an address. For a native packet with a GRH these are its GIDs. */
bool stat_addrs_get(struct stat_addrs *a, const struct iba_view *v);
/* As tshark's columns show it: "192.0.2.1", "2001:db8::1", "GID: fe80::1", "LID: 4". */
void stat_addr_print(struct out *o, enum iba_addr_kind kind, const uint8_t *addr);
/* The larger of `width` and the number of characters of the address. Writes to the output's buffer, and removes the
 * text again. */
uint8_t stat_addr_wider(struct out *o, uint8_t width, enum iba_addr_kind kind, const uint8_t *addr);
/* "ipv4", "ipv6", "gid", "lid". */
const char *stat_addr_kind_name(enum iba_addr_kind kind);

/* A hash with a key (SipHash-1-3): who does not know the key cannot choose inputs that collide. Results of tables never
 * depend on it. */
uint64_t stat_hash(const void *key, size_t bytes);
/* The key of all later hashes; until then it is constant. Before any table is filled. */
void stat_hash_key(const uint64_t key[2]);

/* The index in `slot`, an open hash table of `slots` (a power of two, 65536 at most) entries, of the item whose first
 * `key_bytes` bytes are the key, or of the free entry for it (value 0). An entry is the item's index plus one, and
 * `tag`, bits of the hash, so that a search skips other items without reading them. The caller keeps half of the
 * entries free. */
size_t stat_slot(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes, uint32_t *tag);
static inline size_t stat_slot_index(uint32_t entry)
{
    return (entry & 0xffff) - 1;
}
/* The same search: the item's index plus 1; 0: there is none. */
size_t stat_item(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes);
/* A table that such a hash table finds items in: `slot` has twice as many entries as there is room. */
struct stat_items {
    void *first;
    size_t bytes, room, *n;
    uint32_t *slot;
};
/* The index plus 1 of the item with the key, which is new, and zero but for the key, if there was none; 0: no room. */
size_t stat_item_or_new(const struct stat_items *t, const void *key, size_t key_bytes);
#endif
