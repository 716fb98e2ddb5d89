/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: which binds succeed, which QP may use a bound window, and with which key. */
#include "mem.h"
#include <signal.h>

static struct bed bed;

/* Checks that the bind is refused, leaves the window and the region unchanged, and gives no key. */
static void refused(struct iba_bind b, uint32_t pd, enum iba_mem_err want)
{
    const struct bed before = bed;
    uint32_t rkey = 5;
    const enum iba_mem_err e = iba_mw_bind(&bed.m, &b, pd, QP, &rkey);

    cr_assert_eq(e, want, "%s, not %s", iba_mem_strerror(e), iba_mem_strerror(want));
    cr_assert_eq(rkey, 5);
    cr_assert_arr_eq(before.key, bed.key, sizeof bed.key);
    cr_assert_arr_eq(before.pds, bed.pds, sizeof bed.pds);
    iba_mem_check(&bed.m);
}

static const enum iba_mem_kind kinds[] = {IBA_MEM_MW1, IBA_MEM_MW2A, IBA_MEM_MW2B};

Test(windows, bind_refused_by_the_window)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct mr r = reg(make(&bed), ALL);
        const bool type1 = kinds[i] == IBA_MEM_MW1;
        const struct iba_bind good = bind_of(alloc_mw(&bed, kinds[i]), r, RR);
        struct iba_bind b = good;

        b.mw_rkey = 0;
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mw_rkey = KEYS << 8;
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mw_rkey = good.mw_rkey ^ 0x10;
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mw_rkey = r.rkey;
        refused(b, bed.pd, IBA_MEM_KIND);
        refused(good, bed.pd2, IBA_MEM_OWNER);
        refused(good, UINT32_MAX, IBA_MEM_OWNER);
        b = good;
        b.access = LW;
        refused(b, bed.pd, IBA_MEM_ACCESS);
        b.access = ZB;
        b.length = type1; /* for type 2 the length is checked first */
        refused(b, bed.pd, type1 ? IBA_MEM_ACCESS : IBA_MEM_ZERO);
        b = good;
        b.key_byte = iba_key_byte(good.mw_rkey);
        if (!type1)
            refused(b, bed.pd, IBA_MEM_SAME_BYTE);
        else
            bound(&bed, b); /* the byte is ignored */
    }
}

Test(windows, bind_refused_by_the_region)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct mr r = reg(make(&bed), ALL);
        struct iba_bind b = bind_of(alloc_mw(&bed, kinds[i]), r, RR);
        struct iba_mr_attr a = attr(&bed, ALL);

        b.mr_lkey = 0;
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mr_lkey = UINT32_MAX;
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mr_lkey = r.rkey; /* a bind needs an L_Key */
        refused(b, bed.pd, IBA_MEM_NO_KEY);
        b.mr_lkey = alloc_mw(&bed, IBA_MEM_MW1); /* no window on a window */
        refused(b, bed.pd, IBA_MEM_KIND);
        a.pd = bed.pd2;
        b.mr_lkey = reg_with(&bed, a).lkey;
        refused(b, bed.pd, IBA_MEM_OWNER);
        b.mr_lkey = reg(&bed, LW | RR).lkey;
        refused(b, bed.pd, IBA_MEM_BIND_RIGHT);
        b.mr_lkey = reg(&bed, MWB).lkey;
        b.access = RW;
        refused(b, bed.pd, IBA_MEM_RIGHTS);
        b.access = RA;
        refused(b, bed.pd, IBA_MEM_RIGHTS);
        b.access = FP;
        refused(b, bed.pd, IBA_MEM_RIGHTS);
        b = bind_of(b.mw_rkey, r, RR);
        b.length = ARENA;
        refused(b, bed.pd, IBA_MEM_RANGE);
        b.length = 1;
        cr_assert_eq(iba_mem_invalidate(&bed.m, r.lkey, bed.pd, QP, false), IBA_MEM_OK);
        refused(b, bed.pd, IBA_MEM_STATE);
    }
}

Test(windows, a_bad_queue_pair_number, .signal = SIGABRT)
{
    const struct mr r = reg(make(&bed), ALL);
    const struct iba_bind b = bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, RR);
    uint32_t rkey;

    iba_mw_bind(&bed.m, &b, bed.pd, 0x1000000, &rkey);
}

/* Which QPs may access memory through a window that QP bound in domain pd. QS-64: type 1, every QP of the domain.
 * QS-69: type 2A, the same QP; type 2B, the same QP in the same domain. */
Test(windows, owner_matrix)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        make(&bed);
        const uint32_t rkey = bound_mw(&bed, kinds[i], RR);
        for (unsigned same_qp = 0; same_qp < 2; same_qp++)
            for (unsigned same_pd = 0; same_pd < 2; same_pd++) {
                struct iba_reach r = reach_of(&bed, rkey, IOVA + MW_AT, MW_BYTES);
                r.qpn = same_qp ? QP : QP + 1;
                r.pd = same_pd ? bed.pd : bed.pd2;
                const bool good = kinds[i] == IBA_MEM_MW1    ? same_pd
                                  : kinds[i] == IBA_MEM_MW2A ? same_qp
                                                             : same_pd && same_qp;
                cr_assert_eq(ask(&bed, r, NULL), good ? IBA_REACH_OK : IBA_REACH_PD, "kind %d qp %u pd %u", kinds[i],
                             same_qp, same_pd);
            }
    }
}

/* A type 1 window gets a new key with each bind, even to the same range; the old keys fail (QS-62). */
Test(windows, type_1_binds_again_and_again)
{
    const struct mr r = reg(make(&bed), ALL), other = reg(&bed, ALL);
    uint32_t key = alloc_mw(&bed, IBA_MEM_MW1);

    cr_assert_eq(probe(&bed, key, IOVA + MW_AT, 1, 0), IBA_REACH_NO_KEY);
    for (unsigned i = 0; i < 1000; i++) {
        const uint32_t old = key;
        key = bound(&bed, bind_of(key, i % 3 ? r : other, RR));
        EXPECT(key != old && iba_key_index(key) == iba_key_index(old), "bind %u: %#x after %#x", i, key, old);
        EXPECT(probe(&bed, key, IOVA + MW_AT, MW_BYTES, RR) == IBA_REACH_OK, "bind %u: new key", i);
        EXPECT(probe(&bed, old, IOVA + MW_AT, 1, 0) == IBA_REACH_KEY_BYTE, "bind %u: old key", i);
        EXPECT(iba_mr_deregister(&bed.m, i % 3 ? r.lkey : other.lkey) == IBA_MEM_BUSY, "bind %u: region", i);
        iba_mem_check(&bed.m);
    }
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK); /* the last bind, 999, moved to the other */
}

Test(windows, type_1_unbinds_at_length_zero)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t key = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW1), r, RR));
    struct iba_bind b = bind_of(key, (struct mr){.lkey = 0xdead00}, 0); /* no region is needed */

    b.length = 0;
    b.va = UINT64_MAX;
    refused(b, bed.pd2, IBA_MEM_OWNER);
    const uint32_t unbound = bound(&bed, b);
    cr_assert_neq(unbound, key);
    cr_assert_eq(probe(&bed, key, IOVA + MW_AT, 1, 0), IBA_REACH_NO_KEY);
    cr_assert_eq(probe(&bed, unbound, IOVA + MW_AT, 0, 0), IBA_REACH_NO_KEY);
    iba_mem_check(&bed.m);
    b.mw_rkey = unbound;
    cr_assert_neq(bound(&bed, b), unbound); /* unbound already: a new key all the same */
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
}

/* A type 2 window can be bound once. After an invalidation it can be bound again, with a different key byte (QS-63,
 * QS-65, QS-72). */
Test(windows, type_2_binds_from_free_only)
{
    for (size_t i = 1; i < COUNT(kinds); i++) {
        const struct mr r = reg(make(&bed), ALL);
        struct iba_bind b = bind_of(alloc_mw(&bed, kinds[i]), r, RR);
        const uint32_t first = b.mw_rkey;

        for (unsigned byte = 0; byte < 256; byte++) {
            b.key_byte = (uint8_t)byte;
            if (byte == iba_key_byte(b.mw_rkey)) {
                refused(b, bed.pd, IBA_MEM_SAME_BYTE);
                continue;
            }
            const uint32_t old = b.mw_rkey;
            b.mw_rkey = bound(&bed, b);
            cr_assert_eq(b.mw_rkey, iba_key_of(iba_key_index(first), (uint8_t)byte));
            cr_assert_eq(probe(&bed, b.mw_rkey, b.va, b.length, RR), IBA_REACH_OK);
            cr_assert_eq(probe(&bed, old, b.va, b.length, RR), IBA_REACH_KEY_BYTE);
            b.key_byte++;
            refused(b, bed.pd, IBA_MEM_STATE);
            cr_assert_eq(iba_mem_invalidate(&bed.m, b.mw_rkey, bed.pd, QP, byte % 2), IBA_MEM_OK);
        }
        b.length = 0;
        b.key_byte = (uint8_t)(iba_key_byte(b.mw_rkey) + 1);
        refused(b, bed.pd, IBA_MEM_ZERO);
    }
}

/* Each window holds its region until the last one is unbound, by whatever call (QS-74). */
Test(windows, region_waits_for_the_last_window)
{
    const struct mr r = reg(make(&bed), ALL);
    uint32_t key[6];

    for (size_t i = 0; i < COUNT(key); i++)
        key[i] = bound(&bed, bind_of(alloc_mw(&bed, kinds[i % 3]), r, RR));
    struct iba_bind b = bind_of(key[0], r, 0);
    b.length = 0;
    key[0] = bound(&bed, b);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_BUSY);
    cr_assert_eq(iba_mem_invalidate(&bed.m, key[1], bed.pd, QP, false), IBA_MEM_OK);
    cr_assert_eq(iba_mem_invalidate(&bed.m, key[2], bed.pd, QP, true), IBA_MEM_OK);
    cr_assert_eq(iba_mw_free(&bed.m, key[3]), IBA_MEM_OK);
    cr_assert_eq(iba_mw_free(&bed.m, key[4]), IBA_MEM_OK);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_BUSY);
    cr_assert_eq(iba_mem_invalidate(&bed.m, r.lkey, bed.pd, QP, false), IBA_MEM_BUSY);
    iba_mem_check(&bed.m);
    iba_mw_forget_qp(&bed.m, QP);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
    iba_mem_check(&bed.m);
}

/* After a QP is destroyed, the next QP with its number has none of its windows. Type 1 windows stay, because they did
 * not belong to the QP. */
Test(windows, forget_qp)
{
    uint32_t key[3];

    make(&bed);
    for (size_t i = 0; i < COUNT(kinds); i++)
        key[i] = bound_mw(&bed, kinds[i], RR);
    iba_mw_forget_qp(&bed.m, QP + 1);
    iba_mw_forget_qp(&bed.m, 0);
    cr_assert(iba_mw_of_qp(&bed.m, QP) && !iba_mw_of_qp(&bed.m, QP + 1) && !iba_mw_of_qp(&bed.m, 0));
    for (size_t i = 0; i < COUNT(kinds); i++)
        cr_assert_eq(probe(&bed, key[i], IOVA + MW_AT, 1, RR), IBA_REACH_OK);
    iba_mw_forget_qp(&bed.m, QP);
    iba_mem_check(&bed.m);
    cr_assert(!iba_mw_of_qp(&bed.m, QP));
    for (size_t i = 0; i < COUNT(kinds); i++)
        cr_assert_eq(probe(&bed, key[i], IOVA + MW_AT, 1, RR), i ? IBA_REACH_NO_KEY : IBA_REACH_OK);
    for (size_t i = 0; i < COUNT(kinds); i++)
        cr_assert_eq(iba_mw_free(&bed.m, key[i]), IBA_MEM_OK);
}
