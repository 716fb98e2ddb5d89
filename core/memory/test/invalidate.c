/* SPDX-License-Identifier: BSD-2-Clause */
/* Local and Remote Invalidate: which keys, by which QP (QS-59, QS-61, QS-70). */
#include "mem.h"

static struct bed bed;

static enum iba_mem_err invalidate(uint32_t key, uint32_t pd, uint32_t qpn, bool remote)
{
    const struct bed before = bed;
    const enum iba_mem_err e = iba_mem_invalidate(&bed.m, key, pd, qpn, remote);

    iba_mem_check(&bed.m);
    if (e != IBA_MEM_OK)
        cr_assert_arr_eq(before.key, bed.key, sizeof bed.key);
    return e;
}

/* Rows are kinds of keys. Columns are QPs: the one that bound or registered the key, another QP of the same domain, a
 * QP of that number in another domain, and one that shares neither. */
Test(invalidate, matrix)
{
    enum { O = IBA_MEM_OK, W = IBA_MEM_OWNER, K = IBA_MEM_KIND };
    static const struct {
        enum iba_mem_kind kind;
        unsigned access;
        uint8_t local[4], remote[4];
    } row[] = {
        {IBA_MEM_MR, INV | RR, {O, O, W, W}, {O, O, W, W}},
        {IBA_MEM_MR, INV | LW | RW | RR | RA, {O, O, W, W}, {O, O, W, W}},
        {IBA_MEM_MR, INV | FG, {O, O, W, W}, {O, O, W, W}},
        {IBA_MEM_MR, INV | LW, {O, O, W, W}, {K, K, K, K}}, /* no remote access */
        {IBA_MEM_MR, INV, {O, O, W, W}, {K, K, K, K}},
        {IBA_MEM_MR, LW | RW | RR | RA, {K, K, K, K}, {K, K, K, K}}, /* no fast registration */
        {IBA_MEM_MW1, RR, {K, K, K, K}, {K, K, K, K}},
        {IBA_MEM_MW2A, RR, {O, W, O, W}, {O, W, O, W}},
        {IBA_MEM_MW2B, RR, {O, W, W, W}, {O, W, W, W}},
    };

    for (size_t i = 0; i < COUNT(row); i++)
        for (unsigned who = 0; who < 8; who++) {
            const bool remote = who / 4;
            make(&bed);
            const uint32_t key =
                row[i].kind == IBA_MEM_MR ? reg(&bed, row[i].access).rkey : bound_mw(&bed, row[i].kind, row[i].access);
            const enum iba_mem_err want = (enum iba_mem_err)(remote ? row[i].remote : row[i].local)[who % 4];
            const enum iba_mem_err e = invalidate(key, who & 2 ? bed.pd2 : bed.pd, who & 1 ? QP + 1 : QP, remote);
            cr_assert_eq(e, want, "row %zu, column %u: %s", i, who, iba_mem_strerror(e));
            cr_assert_eq(probe(&bed, key, IOVA + MW_AT, 8, 0), want == IBA_MEM_OK ? IBA_REACH_NO_KEY : IBA_REACH_OK);
        }
}

Test(invalidate, no_such_key)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t mw = bound_mw(&bed, IBA_MEM_MW2B, RR);
    const uint32_t bad[] = {0, 1, KEYS << 8, UINT32_MAX, mw ^ 1};

    for (size_t i = 0; i < COUNT(bad); i++)
        for (unsigned remote = 0; remote < 2; remote++)
            cr_assert_eq(invalidate(bad[i], bed.pd, QP, remote), IBA_MEM_NO_KEY);
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint32_t key = iba_key_of(iba_key_index(r.rkey), (uint8_t)byte);
        if (key != r.rkey && key != r.lkey)
            cr_assert_eq(invalidate(key, bed.pd, QP, byte % 2), IBA_MEM_NO_KEY);
    }
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
    cr_assert_eq(invalidate(r.rkey, bed.pd, QP, false), IBA_MEM_NO_KEY);
}

/* An L_Key is never on the wire: only Local Invalidate accepts it. */
Test(invalidate, lkey)
{
    const struct mr r = reg(make(&bed), ALL);

    cr_assert_eq(invalidate(r.lkey, bed.pd, QP, true), IBA_MEM_NO_KEY);
    cr_assert_eq(probe(&bed, r.rkey, IOVA, 8, RR), IBA_REACH_OK);
    cr_assert_eq(invalidate(r.lkey, bed.pd, QP, false), IBA_MEM_OK);
    cr_assert_eq(probe(&bed, r.rkey, IOVA, 8, RR), IBA_REACH_NO_KEY);
    struct iba_reach local = reach_of(&bed, r.lkey, IOVA, 8);
    local.remote = false;
    cr_assert_eq(ask(&bed, local, NULL), IBA_REACH_NO_KEY);
}

Test(invalidate, twice)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t mw = bound_mw(&bed, IBA_MEM_MW2A, RR);

    for (unsigned again = 0; again < 2; again++) {
        cr_assert_eq(invalidate(r.rkey, bed.pd, QP, again), again ? IBA_MEM_STATE : IBA_MEM_OK);
        cr_assert_eq(invalidate(mw, bed.pd, QP, again), again ? IBA_MEM_STATE : IBA_MEM_OK);
    }
}

Test(invalidate, a_window_never_bound)
{
    make(&bed);
    cr_assert_eq(invalidate(alloc_mw(&bed, IBA_MEM_MW1), bed.pd, QP, false), IBA_MEM_KIND);
    cr_assert_eq(invalidate(alloc_mw(&bed, IBA_MEM_MW2A), bed.pd, QP, false), IBA_MEM_STATE);
    cr_assert_eq(invalidate(alloc_mw(&bed, IBA_MEM_MW2B), bed.pd, QP, true), IBA_MEM_STATE);
}

Test(invalidate, a_region_below_a_window)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t mw = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, RR));

    cr_assert_eq(invalidate(r.rkey, bed.pd, QP, true), IBA_MEM_BUSY);
    cr_assert_eq(invalidate(r.lkey, bed.pd, QP, false), IBA_MEM_BUSY);
    cr_assert_eq(probe(&bed, mw, IOVA + MW_AT, 8, RR), IBA_REACH_OK);
    cr_assert_eq(invalidate(mw, bed.pd, QP, true), IBA_MEM_OK);
    cr_assert_eq(invalidate(r.rkey, bed.pd, QP, true), IBA_MEM_OK);
}

/* An invalidated region still belongs to its owner: it holds the domain, and is deregistered like any other. */
Test(invalidate, then_deregister)
{
    const struct mr r = reg(make(&bed), ALL);

    cr_assert_eq(invalidate(r.rkey, bed.pd, QP, true), IBA_MEM_OK);
    cr_assert_eq(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_PD_BUSY);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
    cr_assert_eq(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_OK);
    iba_mem_check(&bed.m);
}

/* Windows on one region are independent. */
Test(invalidate, one_of_two_windows)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t a = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, RR));
    const uint32_t b = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, RR));

    cr_assert_eq(invalidate(a, bed.pd, QP, true), IBA_MEM_OK);
    cr_assert_eq(probe(&bed, a, IOVA + MW_AT, 8, RR), IBA_REACH_NO_KEY);
    cr_assert_eq(probe(&bed, b, IOVA + MW_AT, 8, RR), IBA_REACH_OK);
    cr_assert_eq(probe(&bed, r.rkey, IOVA, 8, RR), IBA_REACH_OK);
}
