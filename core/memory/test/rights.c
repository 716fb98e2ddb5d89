/* SPDX-License-Identifier: BSD-2-Clause */
/* Rights: every granted set against every required set, for regions and windows. */
#include "mem.h"

static struct bed bed;

/* The five rights of the matrix; the flush rights have tests of their own. */
static const unsigned five[] = {LW, RW, RR, RA, MWB};
enum { SETS = 1 << 5 };

static unsigned set_of(unsigned bits)
{
    unsigned access = 0;

    for (size_t i = 0; i < COUNT(five); i++)
        access |= bits >> i & 1 ? five[i] : 0;
    return access;
}

Test(rights, every_set_of_a_region_against_every_need)
{
    unsigned registered = 0;

    for (unsigned s = 0; s < SETS; s++) {
        const unsigned access = set_of(s);
        const struct iba_mr_attr a = attr(make(&bed), access);
        struct mr r;
        const enum iba_mem_err e = iba_mr_register(&bed.m, &a, &r.lkey, &r.rkey);
        const bool writes = (access & RW) || (access & RA);
        cr_assert_eq(e, writes && !(access & LW) ? IBA_MEM_RIGHTS : IBA_MEM_OK, "access %#x", access);
        iba_mem_check(&bed.m);
        if (e != IBA_MEM_OK)
            continue;
        registered++;
        for (unsigned n = 0; n < SETS; n++)
            for (unsigned remote = 0; remote < 2; remote++) {
                struct iba_reach q = reach_of(&bed, remote ? r.rkey : r.lkey, IOVA, 8);
                q.need = (uint16_t)set_of(n);
                q.remote = remote;
                cr_assert_eq(ask(&bed, q, NULL), (s & n) == n ? IBA_REACH_OK : IBA_REACH_RIGHT, "access %#x need %#x",
                             access, q.need);
            }
    }
    cr_assert_eq(registered, SETS / 2 + SETS / 8);
}

static enum iba_mem_err bind_outcome(unsigned below, unsigned access)
{
    if (!(below & MWB))
        return IBA_MEM_BIND_RIGHT;
    return (access & (RW | RA)) && !(below & LW) ? IBA_MEM_RIGHTS : IBA_MEM_OK;
}

/* A window's region needs local write, but no remote right: the window grants its own. */
static void window_on(enum iba_mem_kind kind, unsigned below, unsigned access)
{
    static const unsigned need[] = {0, RR, RW, RA, RR | RW, RR | RA, RW | RA, RR | RW | RA, LW, FG};
    uint32_t rkey;

    make(&bed);
    const struct mr r = reg(&bed, below);
    const struct iba_bind b = bind_of(alloc_mw(&bed, kind), r, access);
    const enum iba_mem_err e = iba_mw_bind(&bed.m, &b, bed.pd, QP, &rkey);
    EXPECT(e == bind_outcome(below, access), "region %#x, window %#x: %s", below, access, iba_mem_strerror(e));
    iba_mem_check(&bed.m);
    for (size_t n = 0; e == IBA_MEM_OK && n < COUNT(need); n++)
        EXPECT(probe(&bed, rkey, IOVA + MW_AT, 8, need[n]) ==
                   ((access & need[n]) == need[n] ? IBA_REACH_OK : IBA_REACH_RIGHT),
               "window %#x need %#x", access, need[n]);
}

Test(rights, every_set_of_a_window_over_every_set_of_its_region)
{
    for (unsigned kind = IBA_MEM_MW1; kind <= IBA_MEM_MW2B; kind++)
        for (unsigned below = 0; below < SETS; below++)
            for (unsigned s = 0; s < SETS; s++)
                if ((!(set_of(below) & (RW | RA)) || set_of(below) & LW) && !(set_of(s) & (LW | MWB)))
                    window_on((enum iba_mem_kind)kind, set_of(below), set_of(s));
}

Test(rights, flush)
{
    const unsigned flush[] = {0, FG, FP, FG | FP};
    uint32_t rkey;

    for (size_t below = 0; below < COUNT(flush); below++)
        for (size_t w = 0; w < COUNT(flush); w++) {
            make(&bed);
            const struct mr r = reg(&bed, MWB | flush[below]); /* a FLUSH stores nothing: it needs no local write */
            cr_assert_eq(probe(&bed, r.rkey, IOVA, 8, flush[w]), (below & w) == w ? IBA_REACH_OK : IBA_REACH_RIGHT);
            const struct iba_bind b = bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, flush[w]);
            cr_assert_eq(iba_mw_bind(&bed.m, &b, bed.pd, QP, &rkey), (below & w) == w ? IBA_MEM_OK : IBA_MEM_RIGHTS);
            if ((below & w) == w)
                for (size_t n = 0; n < COUNT(flush); n++)
                    cr_assert_eq(probe(&bed, rkey, IOVA + MW_AT, 8, flush[n]),
                                 (w & n) == n ? IBA_REACH_OK : IBA_REACH_RIGHT);
        }
}

/* Bits that are no rights for that kind of key */
Test(rights, foreign_bits)
{
    for (unsigned kind = IBA_MEM_MW1; kind <= IBA_MEM_MW2B; kind++)
        for (unsigned bit = 0; bit < 16; bit++) {
            uint32_t rkey;
            const bool remote = (RW | RR | RA | FG | FP) >> bit & 1, zero = ZB >> bit & 1;
            make(&bed);
            const struct iba_bind b = bind_of(alloc_mw(&bed, (enum iba_mem_kind)kind), reg(&bed, ALL), 1u << bit);
            cr_assert_eq(iba_mw_bind(&bed.m, &b, bed.pd, QP, &rkey),
                         remote || (zero && kind != IBA_MEM_MW1) ? IBA_MEM_OK : IBA_MEM_ACCESS, "kind %u bit %u", kind,
                         bit);
            iba_mem_check(&bed.m);
        }
}
