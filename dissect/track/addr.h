/* SPDX-License-Identifier: BSD-2-Clause */
/* The network addresses of a packet, and a bounded table of items with a key. */
#ifndef DISSECT_TRACK_ADDR_H
#define DISSECT_TRACK_ADDR_H
#include "field/out.h"
#include "wire/iba_endpoints.h"

/* One address, which tables use as a key. */
struct stat_addr {
    uint8_t kind;                /* enum iba_addr_kind */
    uint8_t addr[IBA_ADDR_MOST]; /* the bytes after the address are zero */
};
_Static_assert(sizeof(struct stat_addr) == 1 + IBA_ADDR_MOST, "keys are compared as bytes: no padding");

struct stat_addrs {
    uint8_t kind; /* enum iba_addr_kind of both addresses */
    /* in wire order from the left; the bytes after an address are zero */
    uint8_t src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST];
};

/* Reads the addresses. False when the packet has no transport header after an address. For a native packet with a GRH
 * the addresses are its GIDs. */
bool stat_addrs_get(struct stat_addrs *a, const struct iba_view *v);
/* Prints an address as tshark's columns do: "192.0.2.1", "2001:db8::1", "GID: fe80::1", "LID: 4". */
void stat_addr_print(struct out *o, enum iba_addr_kind kind, const uint8_t *addr);
/* The larger of `width` and the number of characters of the address. Writes the address to the output's buffer and
 * removes it again. */
uint8_t stat_addr_wider(struct out *o, uint8_t width, enum iba_addr_kind kind, const uint8_t *addr);
/* "ipv4", "ipv6", "gid", "lid". */
const char *stat_addr_kind_name(enum iba_addr_kind kind);

/* A hash with a key (SipHash-1-3): without the key nobody can choose inputs that collide. The results of tables do not
 * depend on the key. */
uint64_t stat_hash(const void *key, size_t bytes);
/* Sets the key of all later hashes; before this call it is constant. Must be called before any table is filled. */
void stat_hash_key(const uint64_t key[2]);

/* Searches an open hash table `slot` of `slots` entries (a power of two, 65536 at most). Returns the index in `slot` of
 * the item whose first `key_bytes` bytes are the key, or of the free entry for it (value 0). An entry is the item's
 * index plus one, and `tag`, bits of the hash, so that a search skips other items without reading them. The caller
 * keeps half of the entries free. */
size_t stat_slot(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes, uint32_t *tag);
static inline size_t stat_slot_index(uint32_t entry)
{
    return (entry & 0xffff) - 1;
}
/* The same search. Returns the item's index plus 1; 0: there is no item. */
size_t stat_item(const uint32_t *slot, size_t slots, const void *items, size_t item_bytes, const void *key,
                 size_t key_bytes);
/* A table of items that a hash table finds: `slot` has twice as many entries as there is room for items. */
struct stat_items {
    void *first;
    size_t bytes, room, *n;
    uint32_t *slot;
};
/* The index plus 1 of the item with the key. If there was none, the item is new, and zero except for the key. 0: there
 * is no room. */
size_t stat_item_or_new(const struct stat_items *t, const void *key, size_t key_bytes);
#endif
