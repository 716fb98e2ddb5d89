/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions of pieces (UMR): which byte is where, what is refused, and random trees of them beside a model that notes of
 * each byte where it lies and under which keys, found by counting bytes one by one. IBPROOF_SEEDS sets the number of
 * trees; the usual run has 5000. */
#include <stdlib.h>
#include "mem.h"
#include "tree.h"

enum { TREES = 5000, ACCESSES = 12 };

static struct bed bed;
static struct tree tree;
static uint8_t model[TREE_ARENA];

static enum iba_mem_err try_pieces(const struct iba_pieces *p, unsigned access, struct mr *r)
{
    struct iba_mr_attr a = {.iova = IOVA, .pd = bed.pd, .access = (uint16_t)access, .pieces = p};

    return iba_mr_register(&bed.m, &a, &r->lkey, &r->rkey);
}

/* ---- which byte is where ---- */

/* Writes 0, 1, 2 ... through the region, and checks that these bytes are at the given offsets of the arena. */
static void lies(const struct iba_pieces *p, const int *at, unsigned n)
{
    uint8_t bytes[64], want[ARENA] = {0};
    struct iba_place place;
    struct mr r;

    cr_assert_eq(try_pieces(p, LW | RW | RR, &r), IBA_MEM_OK);
    for (unsigned i = 0; i < n; i++)
        want[at[i]] = bytes[i] = (uint8_t)(i + 1);
    struct iba_reach reach = reach_of(&bed, r.rkey, IOVA, n);
    reach.need = RW;
    cr_assert_eq(iba_mem_reach(&bed.m, &reach, &place), IBA_REACH_OK);
    iba_mem_put(&place, bytes, n);
    cr_assert_arr_eq(bed.arena, want, ARENA);
    reach.length = n + 1;
    cr_assert_eq(iba_mem_reach(&bed.m, &reach, &place), IBA_REACH_RANGE);
}

Test(pieces, a_list_of_ranges)
{
    const uint32_t lkey = reg(make(&bed), ALL).lkey;
    const struct iba_piece piece[] = {{IOVA + 10, 0, lkey, 3}, {IOVA, 0, lkey, 1}, {IOVA + 5000, 0, lkey, 2}};

    lies(&(struct iba_pieces){piece, 3, 1}, (const int[]){10, 11, 12, 0, 5000, 5001}, 6);
}

Test(pieces, blocks_at_a_stride)
{
    const uint32_t lkey = reg(make(&bed), ALL).lkey;
    const struct iba_piece piece = {IOVA + 100, 50, lkey, 2};

    lies(&(struct iba_pieces){&piece, 1, 3}, (const int[]){100, 101, 150, 151, 200, 201}, 6);
}

Test(pieces, several_sources_interleaved)
{
    const uint32_t lkey = reg(make(&bed), ALL).lkey;
    const struct iba_piece piece[] = {{IOVA, 10, lkey, 2}, {IOVA + 1000, 1, lkey, 1}};

    lies(&(struct iba_pieces){piece, 2, 3}, (const int[]){0, 1, 1000, 10, 11, 1001, 20, 21, 1002}, 9);
}

/* ---- what is refused ---- */

static void refused(struct iba_pieces p, enum iba_mem_err want)
{
    struct mr r;
    const enum iba_mem_err e = try_pieces(&p, LW | RW, &r);

    cr_expect_eq(e, want, "%s, not %s", iba_mem_strerror(e), iba_mem_strerror(want));
    iba_mem_check(&bed.m);
}

Test(pieces, refusals)
{
    const struct mr all = reg(make(&bed), ALL), mw = {.lkey = alloc_mw(&bed, IBA_MEM_MW1)};
    struct iba_mr_attr far = attr(&bed, ALL);
    const struct iba_piece good = {IOVA, 8, all.lkey, 8};
    struct iba_piece p = good;
    struct mr r = all;

    refused((struct iba_pieces){&good, 0, 1}, IBA_MEM_ZERO);
    refused((struct iba_pieces){&good, 1, 0}, IBA_MEM_ZERO);
    refused((struct iba_pieces){&good, 1, ARENA / 8}, IBA_MEM_OK);
    refused((struct iba_pieces){&good, 1, ARENA / 8 + 1}, IBA_MEM_RANGE);
    refused((struct iba_pieces){&good, 1, UINT64_MAX}, IBA_MEM_RANGE);
    p.length = 0;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_ZERO);
    p = good, p.addr = IOVA - 1;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_RANGE);
    p.addr = IOVA + ARENA - 7;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_RANGE);
    p.addr = IOVA + ARENA + 1;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_RANGE);
    p = good, p.stride = UINT64_MAX;
    refused((struct iba_pieces){&p, 1, 2}, IBA_MEM_RANGE);
    p = good, p.stride = 0, p.length = 1 << 13;
    refused((struct iba_pieces){&p, 1, UINT64_C(1) << 51}, IBA_MEM_RANGE); /* 2^64 bytes in all */
    p = good, p.lkey = all.rkey;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_NO_KEY);
    p.lkey = KEYS << 8;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_NO_KEY);
    p.lkey = mw.lkey;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_KIND);
    far.pd = bed.pd2;
    p.lkey = reg_with(&bed, far).lkey;
    refused((struct iba_pieces){&p, 1, 1}, IBA_MEM_OWNER);

    static struct iba_piece level[IBA_MEM_DEPTH + 1];
    static struct iba_pieces on[IBA_MEM_DEPTH + 1];
    for (unsigned i = 0; i <= IBA_MEM_DEPTH; i++) {
        level[i] = (struct iba_piece){IOVA, 0, r.lkey, 8};
        on[i] = (struct iba_pieces){&level[i], 1, 1};
        cr_expect_eq(try_pieces(&on[i], ALL, &r), i < IBA_MEM_DEPTH ? IBA_MEM_OK : IBA_MEM_TOO_DEEP, "level %u", i);
    }
    struct iba_bind b = bind_of(alloc_mw(&bed, IBA_MEM_MW2B), r, RR);
    uint32_t rkey;
    cr_expect_eq(iba_mw_bind(&bed.m, &b, bed.pd, QP, &rkey), IBA_MEM_KIND, "a window on a region of pieces");
}

/* ---- random trees ---- */

static void through(const struct tree_region *k, bool write)
{
    uint8_t bytes[TREE_BYTES];
    const unsigned from = tree_pick(&tree, k->length), n = 1 + tree_pick(&tree, k->length - from);
    struct iba_reach r = reach_of(&bed, k->rkey, k->iova + from, n);
    struct iba_place place;

    r.need = write ? RW : RR;
    const enum iba_mem_verdict v = iba_mem_reach(&bed.m, &r, &place);
    EXPECT((v == IBA_REACH_OK) == (k->access & r.need && tree_permits(&tree, k, from, n, write)), "verdict %d", v);
    if (v != IBA_REACH_OK)
        return;
    for (unsigned i = 0; write && i < n; i++)
        model[k->byte[from + i].at] = bytes[i] = (uint8_t)tree_pick(&tree, 256);
    if (write)
        iba_mem_put(&place, bytes, n);
    else
        iba_mem_get(&place, bytes, n);
    for (unsigned i = 0; !write && i < n; i++)
        EXPECT(bytes[i] == model[k->byte[from + i].at], "byte %u of %u", i, n);
    EXPECT(memcmp(bed.arena, model, sizeof model) == 0, "the memory differs");
}

static void one_tree(uint64_t seed)
{
    make(&bed);
    tree.m = &bed.m;
    tree.pd = bed.pd;
    tree.arena = bed.arena;
    tree.seed = seed;
    tree_grow(&tree);
    for (unsigned i = 0; i < sizeof model; i++)
        model[i] = bed.arena[i] = (uint8_t)tree_pick(&tree, 256);
    for (unsigned i = 0; i < ACCESSES; i++) {
        const unsigned k = tree_pick(&tree, tree.n);
        if (!(tree.gone >> k & 1))
            through(&tree.region[k], tree_pick(&tree, 2));
        if (i == ACCESSES / 2)
            tree_remove(&tree, tree_pick(&tree, tree.n));
    }
    iba_mem_check(&bed.m);
}

Test(pieces, random_trees_agree_with_a_model)
{
    const char *s = getenv("IBPROOF_SEEDS");
    const unsigned trees = s ? (unsigned)strtoul(s, NULL, 10) : TREES;

    for (unsigned i = 0; i < trees; i++)
        one_tree(i + 1);
}
