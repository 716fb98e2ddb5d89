/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of pieces (UMR): which bytes of which piece follow each other. Not for users. */
#ifndef IBA_MEM_PIECES_H
#define IBA_MEM_PIECES_H
#include "iba_mem.h"

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
