/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that only core/memory calls: for entries of the key table, and for the order of the bytes in a region of
 * pieces (UMR). */
#ifndef IBA_MEM_PIECES_H
#define IBA_MEM_PIECES_H
#include "iba_mem.h"

/* Returns the entry that the key's index selects, whatever its key byte; if there is none entry 0, which is never in
 * use. */
static inline struct iba_mkey *iba_mem_entry(const struct iba_mem *m, uint32_t key)
{
    return &m->key[iba_key_index(key) < m->n_key ? iba_key_index(key) : 0];
}

/* Returns whether some of the bytes lie outside of the region or window. The sums va + length and the entry's end could
 * wrap, so only differences are computed. */
static inline bool iba_mkey_lacks(const struct iba_mkey *k, uint64_t va, uint64_t length)
{
    return va < k->va || va - k->va > k->length || length > k->length - (va - k->va);
}

/* A run of bytes in one block: `length` bytes from address `addr` on, under the key of `piece`. */
struct iba_run {
    const struct iba_piece *piece;
    uint64_t round, addr, length;
};
/* Returns the run that begins at offset `at` of the region: up to the end of its block, at most n bytes. */
struct iba_run iba_run_at(const struct iba_pieces *p, uint64_t at, uint64_t n);
/* Moves `run` to the run after it, of at most n bytes. */
void iba_run_next(const struct iba_pieces *p, struct iba_run *run, uint64_t n);

/* Returns the number of bytes of all rounds; 0: there are none, or too many for 64 bits. */
uint64_t iba_pieces_length(const struct iba_pieces *p);
/* Returns why a region of these pieces is refused: ZERO, RANGE, NO_KEY, KIND, OWNER or TOO_DEEP; 0: it is not. */
enum iba_mem_err iba_pieces_refused(const struct iba_mem *m, const struct iba_pieces *p, uint32_t pd);
#endif
