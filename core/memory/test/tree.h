/* SPDX-License-Identifier: BSD-2-Clause */
/* Random trees of regions of pieces (UMR), and a model of them: for each byte of each region, where it lies in the host
 * and under which keys, found by counting bytes one by one as the description of struct iba_pieces says it. */
#ifndef MEM_TEST_TREE_H
#define MEM_TEST_TREE_H
#include <criterion/criterion.h>
#include "memory/iba_mem.h"

enum {
    TREE_ALL = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_ATOMIC
};
enum { TREE_PIECES = 4, TREE_BYTES = 2048, TREE_REGIONS = 11, TREE_ARENA = 3 * IBA_MEM_PAGE };

/* A byte of a region: its offset in the arena, the regions that lead to it (bits, by index), and whether each of them
 * allows local writes. */
struct tree_byte {
    unsigned at, under;
    bool writable;
};
struct tree_region {
    uint32_t lkey, rkey;
    uint64_t iova;
    unsigned length, depth; /* length: as far as the model knows it */
    uint16_t access;
    struct tree_byte byte[TREE_BYTES];
    struct iba_pieces pieces; /* n 0: an ordinary region */
    struct iba_piece piece[TREE_PIECES];
};
struct tree {
    struct iba_mem *m;
    uint32_t pd;
    uint8_t *arena; /* TREE_ARENA bytes */
    uint64_t seed;
    struct tree_region region[TREE_REGIONS];
    unsigned n, gone; /* gone: a bit for each deregistered region */
};

static inline unsigned tree_pick(struct tree *t, unsigned n) /* splitmix64 */
{
    uint64_t z = t->seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % n);
}

static inline void tree_add_ordinary(struct tree *t)
{
    struct tree_region *r = &t->region[t->n];
    const unsigned at = tree_pick(t, TREE_ARENA - TREE_BYTES);

    *r = (struct tree_region){.iova = (uint64_t)(1 + tree_pick(t, 1 << 20)) << 20,
                              .length = 1 + tree_pick(t, TREE_BYTES),
                              .access = tree_pick(t, 4) ? TREE_ALL : IBA_ACCESS_REMOTE_READ};
    const struct iba_mr_attr a = {
        .base = t->arena + at, .iova = r->iova, .length = r->length, .pd = t->pd, .access = r->access};
    cr_assert_eq(iba_mr_register(t->m, &a, &r->lkey, &r->rkey), IBA_MEM_OK);
    for (unsigned i = 0; i < r->length; i++)
        r->byte[i] = (struct tree_byte){at + i, 1u << t->n, (r->access & IBA_ACCESS_LOCAL_WRITE) != 0};
    t->n++;
}

static inline struct iba_piece tree_piece(struct tree *t, const struct tree_region *below, uint64_t repeat)
{
    struct iba_piece p = {.lkey = below->lkey};
    const unsigned from = tree_pick(t, below->length), left = below->length - from;

    p.length = 1 + tree_pick(t, left < 64 ? left : 64);
    p.addr = below->iova + from;
    if (repeat > 1)
        p.stride = tree_pick(t, (unsigned)((left - p.length) / (repeat - 1)) + 1);
    return p;
}

static inline void tree_note(struct tree *t, struct tree_region *r, const struct tree_region *const below[TREE_PIECES])
{
    for (uint64_t round = 0; round < r->pieces.repeat; round++)
        for (unsigned i = 0; i < r->pieces.n; i++)
            for (uint64_t b = 0; b < r->piece[i].length && r->length < TREE_BYTES; b++) {
                const uint64_t va = r->piece[i].addr + round * r->piece[i].stride + b;
                r->byte[r->length] = below[i]->byte[va - below[i]->iova];
                r->byte[r->length++].under |= 1u << (r - t->region);
            }
}

static inline void tree_add_pieces(struct tree *t)
{
    struct tree_region *r = &t->region[t->n];
    const struct tree_region *below[TREE_PIECES];
    struct iba_mr_attr a = {.pd = t->pd};

    *r = (struct tree_region){.iova = (uint64_t)(1 + tree_pick(t, 1 << 20)) << 20};
    r->access = a.access = TREE_ALL;
    r->pieces = (struct iba_pieces){r->piece, 1 + tree_pick(t, TREE_PIECES), 1 + tree_pick(t, 8)};
    for (unsigned i = 0; i < r->pieces.n; i++) {
        below[i] = &t->region[tree_pick(t, t->n)];
        r->piece[i] = tree_piece(t, below[i], r->pieces.repeat);
        r->depth = below[i]->depth >= r->depth ? below[i]->depth + 1 : r->depth;
    }
    a.iova = r->iova;
    a.pieces = &r->pieces;
    const enum iba_mem_err e = iba_mr_register(t->m, &a, &r->lkey, &r->rkey);
    if (e != (r->depth > IBA_MEM_DEPTH ? IBA_MEM_TOO_DEEP : IBA_MEM_OK))
        cr_assert(0, "%s at depth %u", iba_mem_strerror(e), r->depth);
    tree_note(t, r, below);
    t->n += e == IBA_MEM_OK;
}

/* Registers one to three ordinary regions, and up to eight regions of pieces. */
static inline void tree_grow(struct tree *t)
{
    t->n = t->gone = 0;
    for (unsigned i = 1 + tree_pick(t, 3); i > 0; i--)
        tree_add_ordinary(t);
    for (unsigned i = 1 + tree_pick(t, 8); i > 0; i--)
        tree_add_pieces(t);
}

/* Deregisters one region. Regions made of it no longer give access to its bytes. */
static inline void tree_remove(struct tree *t, unsigned i)
{
    if (!(t->gone >> i & 1))
        cr_assert_eq(iba_mr_deregister(t->m, t->region[i].lkey), IBA_MEM_OK);
    t->gone |= 1u << i;
}

/* Returns whether the keys of the regions below this one allow the access to these bytes. */
static inline bool tree_permits(const struct tree *t, const struct tree_region *r, unsigned from, unsigned n,
                                bool write)
{
    for (unsigned i = from; i < from + n; i++)
        if (r->byte[i].under & t->gone || (write && !r->byte[i].writable))
            return false;
    return true;
}
#endif
