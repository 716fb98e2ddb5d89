/* SPDX-License-Identifier: BSD-2-Clause */
#include "iba_mem_pieces.h"

static uint64_t bytes_of_round(const struct iba_pieces *p)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < p->n; i++)
        sum += p->piece[i].length; /* below 2^64: less than 2^32 pieces of less than 2^32 bytes */
    return sum;
}

uint64_t iba_pieces_length(const struct iba_pieces *p)
{
    const uint64_t round = bytes_of_round(p);

    return round > 0 && p->repeat <= UINT64_MAX / round ? p->repeat * round : 0;
}

/* ---- the bytes in their order ---- */

static void limit(struct iba_run *run, uint64_t from, uint64_t n)
{
    const uint64_t left = run->piece->length - from;

    run->addr = run->piece->addr + run->round * run->piece->stride + from;
    run->length = left < n ? left : n;
}

struct iba_run iba_run_at(const struct iba_pieces *p, uint64_t at, uint64_t n)
{
    const uint64_t bytes = bytes_of_round(p);
    struct iba_run run = {.piece = p->piece, .round = at / bytes};

    for (at %= bytes; at >= run.piece->length; run.piece++)
        at -= run.piece->length;
    limit(&run, at, n);
    return run;
}

void iba_run_next(const struct iba_pieces *p, struct iba_run *run, uint64_t n)
{
    if (++run->piece == p->piece + p->n) {
        run->piece = p->piece;
        run->round++;
    }
    limit(run, 0, n);
}

/* ---- what a region may consist of ---- */

/* Returns the number of levels of regions of pieces at and below an entry, at most one more than IBA_MEM_DEPTH. A key
 * below may belong to a later region by now, even to one above this one. The levels would then have no end. */
static unsigned depth_of(const struct iba_mem *m, const struct iba_mkey *k, unsigned above)
{
    unsigned most = 0;

    if (!k->pieces || above > IBA_MEM_DEPTH)
        return 0;
    for (uint32_t i = 0; i < k->pieces->n; i++) {
        const unsigned levels = depth_of(m, iba_mem_entry(m, k->pieces->piece[i].lkey), above + 1);
        most = levels > most ? levels : most;
    }
    return most + 1;
}

/* Returns whether some block lies outside of the region below. Computes no sum that could wrap. */
static bool lies_outside(const struct iba_mkey *k, const struct iba_piece *p, uint64_t repeat)
{
    if (iba_mkey_lacks(k, p->addr, p->length))
        return true;
    return repeat > 1 && p->stride > (k->length - (p->addr - k->va) - p->length) / (repeat - 1);
}

static enum iba_mem_err piece_refused(const struct iba_mem *m, const struct iba_piece *p, uint64_t repeat, uint32_t pd)
{
    const struct iba_mkey *k = iba_mem_entry(m, p->lkey);

    if (k->kind == IBA_MEM_FREE || k->lkey_byte != iba_key_byte(p->lkey))
        return IBA_MEM_NO_KEY;
    if (k->kind != IBA_MEM_MR)
        return IBA_MEM_KIND;
    if (k->pd != pd)
        return IBA_MEM_OWNER;
    if (p->length == 0)
        return IBA_MEM_ZERO;
    if (lies_outside(k, p, repeat))
        return IBA_MEM_RANGE;
    return depth_of(m, k, 1) < IBA_MEM_DEPTH ? IBA_MEM_OK : IBA_MEM_TOO_DEEP;
}

enum iba_mem_err iba_pieces_refused(const struct iba_mem *m, const struct iba_pieces *p, uint32_t pd)
{
    enum iba_mem_err e = p->n > 0 && p->repeat > 0 ? IBA_MEM_OK : IBA_MEM_ZERO;

    for (uint32_t i = 0; i < p->n && e == IBA_MEM_OK; i++)
        e = piece_refused(m, &p->piece[i], p->repeat, pd);
    return e == IBA_MEM_OK && iba_pieces_length(p) == 0 ? IBA_MEM_RANGE : e;
}
