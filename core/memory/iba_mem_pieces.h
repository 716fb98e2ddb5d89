/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of core/memory: entries of the key table and their bytes, and regions of pieces (UMR), that is which bytes of
 * which piece follow each other. Not for users. */
#ifndef IBA_MEM_PIECES_H
#define IBA_MEM_PIECES_H
#include "iba_mem.h"

/* The entry that the key's index selects, whatever its key byte; entry 0, which is never in use, if there is none. */
static inline struct iba_mkey *iba_mem_entry(const struct iba_mem *m, uint32_t key)
{
    return &m->key[iba_key_index(key) < m->n_key ? iba_key_index(key) : 0];
}

/* Whether some of the bytes lie outside of the region or window. Uses only differences that cannot wrap: it never
 * computes va + length nor the entry's end. */
static inline bool iba_mkey_lacks(const struct iba_mkey *k, uint64_t va, uint64_t length)
{
    return va < k->va || va - k->va > k->length || length > k->length - (va - k->va);
}

/* Bytes of one block: `length` from `addr` on, under the key of `piece`. */
struct iba_run {
    const struct iba_piece *piece;
    uint64_t round, addr, length;
};
/* The bytes at offset `at` of the region that one block has, at most n. */
struct iba_run iba_run_at(const struct iba_pieces *p, uint64_t at, uint64_t n);
/* Those after it. */
void iba_run_next(const struct iba_pieces *p, struct iba_run *run, uint64_t n);

/* Bytes of all rounds; 0: there are none, or too many for 64 bits. */
uint64_t iba_pieces_length(const struct iba_pieces *p);
/* Whether a region of these pieces is refused, and why: ZERO, RANGE, NO_KEY, KIND, OWNER, TOO_DEEP. */
enum iba_mem_err iba_pieces_refused(const struct iba_mem *m, const struct iba_pieces *p, uint32_t pd);
#endif
