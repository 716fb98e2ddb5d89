/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses at the edges: of regions and windows, of 64 bits, of pages. */
#include "mem.h"

static struct bed bed;

enum { SMALL = 64 };

static struct mr reg_at(uint64_t iova, uint64_t length, unsigned access)
{
    struct iba_mr_attr a = attr(&bed, access);

    a.iova = iova;
    a.length = length;
    return reg_with(&bed, a);
}

/* Tries every access of up to SMALL + 2 bytes, from two bytes before to two bytes after the SMALL bytes at `first`,
 * whose host address is `base`. An access must be granted if each of its bytes lies inside and it does not start after
 * the end. */
static void edges(uint32_t rkey, uint64_t first, const uint8_t *base)
{
    for (int at = -2; at <= SMALL + 2; at++)
        for (int n = 0; n <= SMALL + 2; n++) {
            const uint64_t va = first + (uint64_t)(int64_t)at;
            const bool wraps = (at < 0) != (va < first); /* beyond either end of 64 bits */
            uint8_t *host;
            bool good = at >= 0 && at <= SMALL && !wraps;
            for (int i = 0; i < n; i++)
                good = good && at + i < SMALL;
            const enum iba_mem_verdict v = ask(&bed, reach_of(&bed, rkey, va, (uint64_t)n), &host);
            EXPECT(v == (good ? IBA_REACH_OK : IBA_REACH_RANGE), "at %d, %d bytes: %d", at, n, v);
            EXPECT(!good || host == base + at, "at %d: host is off by %td", at, host - (base + at));
        }
}

Test(bounds, region_anywhere)
{
    const uint64_t first[] = {0, 1, 4095, IOVA, UINT64_C(1) << 63, UINT64_MAX - SMALL, UINT64_MAX - SMALL + 1};

    for (size_t i = 0; i < COUNT(first); i++) {
        make(&bed);
        edges(reg_at(first[i], SMALL, ALL).rkey, first[i], bed.arena);
    }
}

Test(bounds, zero_based_region)
{
    make(&bed);
    const struct mr r = reg_at(IOVA, SMALL, ALL | ZB); /* IOVA is ignored */

    edges(r.rkey, 0, bed.arena);
    cr_assert_eq(probe(&bed, r.rkey, IOVA, 1, 0), IBA_REACH_RANGE);
    const struct mr odd = reg_at(UINT64_MAX, SMALL, ALL | ZB);
    edges(odd.rkey, 0, bed.arena);
}

Test(bounds, window_anywhere)
{
    const uint64_t first[] = {0, IOVA, UINT64_MAX - ARENA + 1};
    const uint64_t at[] = {0, 1, 100, ARENA - SMALL};

    for (unsigned kind = IBA_MEM_MW1; kind <= IBA_MEM_MW2B; kind++)
        for (size_t i = 0; i < COUNT(first); i++)
            for (size_t k = 0; k < COUNT(at); k++) {
                make(&bed);
                const struct mr r = reg_at(first[i], ARENA, ALL);
                struct iba_bind b = bind_of(alloc_mw(&bed, (enum iba_mem_kind)kind), r, RR);
                b.va = first[i] + at[k];
                b.length = SMALL;
                edges(bound(&bed, b), b.va, bed.arena + at[k]);
                iba_mem_check(&bed.m);
            }
}

/* Addresses of a region, of a window or of both may begin at zero. The bind uses the region's addresses. */
Test(bounds, zero_based_windows_and_regions)
{
    for (unsigned kind = IBA_MEM_MW2A; kind <= IBA_MEM_MW2B; kind++)
        for (unsigned both = 0; both < 4; both++) {
            make(&bed);
            const uint64_t first = both & 1 ? 0 : IOVA;
            const struct mr r = reg_at(IOVA, ARENA, ALL | (both & 1 ? ZB : 0));
            struct iba_bind b = bind_of(alloc_mw(&bed, (enum iba_mem_kind)kind), r, RR | (both & 2 ? ZB : 0));
            b.va = first + 200;
            b.length = SMALL;
            edges(bound(&bed, b), both & 2 ? 0 : b.va, bed.arena + 200);
            iba_mem_check(&bed.m);
        }
}

Test(bounds, window_leaves_its_region)
{
    const uint64_t first[] = {0, 1, IOVA, UINT64_MAX - ARENA, UINT64_MAX - ARENA + 1};
    const int64_t from[] = {-1, 0, 1, ARENA - 1, ARENA, ARENA + 1};
    const uint64_t length[] = {1, ARENA - 1, ARENA, ARENA + 1, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
    uint32_t rkey;

    for (size_t i = 0; i < COUNT(first); i++)
        for (size_t f = 0; f < COUNT(from); f++)
            for (size_t n = 0; n < COUNT(length); n++) {
                make(&bed);
                struct iba_bind b = bind_of(alloc_mw(&bed, IBA_MEM_MW1), reg_at(first[i], ARENA, ALL), RR);
                b.va = first[i] + (uint64_t)from[f];
                b.length = length[n];
                const bool good = from[f] >= 0 && from[f] < ARENA && length[n] <= (uint64_t)(ARENA - from[f]);
                cr_assert_eq(iba_mw_bind(&bed.m, &b, bed.pd, QP, &rkey), good ? IBA_MEM_OK : IBA_MEM_RANGE,
                             "region at %#lx, window at %ld, %#lx bytes", first[i], (long)from[f], length[n]);
                iba_mem_check(&bed.m);
            }
}

Test(bounds, registration_up_to_2_to_the_64)
{
    const struct {
        uint64_t iova, length;
        enum iba_mem_err err;
    } row[] = {
        {UINT64_MAX, 1, IBA_MEM_OK},        {UINT64_MAX, 2, IBA_MEM_RANGE},          {UINT64_MAX - 7, 8, IBA_MEM_OK},
        {UINT64_MAX - 7, 9, IBA_MEM_RANGE}, {UINT64_MAX - 7, 16, IBA_MEM_RANGE},     {0, 1, IBA_MEM_OK},
        {2, UINT64_MAX, IBA_MEM_RANGE},     {UINT64_MAX, UINT64_MAX, IBA_MEM_RANGE}, {UINT64_MAX, 0, IBA_MEM_ZERO},
    };

    for (size_t i = 0; i < COUNT(row); i++) {
        struct mr r;
        struct iba_mr_attr a = attr(make(&bed), LW);
        a.iova = row[i].iova;
        a.length = row[i].length;
        cr_assert_eq(iba_mr_register(&bed.m, &a, &r.lkey, &r.rkey), row[i].err, "row %zu", i);
        iba_mem_check(&bed.m);
    }
}

/* A FLUSH of the whole region ignores address and length; every other check applies (RR-66). */
Test(bounds, whole)
{
    static uint8_t pages[1];
    struct iba_mr_attr a = attr(make(&bed), ALL | OD);
    uint8_t *host;

    a.present = pages;
    const struct mr r = reg_with(&bed, a);
    const uint32_t mw = bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, FG));
    struct iba_reach q = reach_of(&bed, r.rkey, UINT64_MAX, UINT64_MAX);
    q.whole = true;
    q.need = FG;
    pages[0] = 3;
    cr_assert_eq(ask(&bed, q, NULL), IBA_REACH_ABSENT);
    pages[0] = 7;
    cr_assert_eq(ask(&bed, q, &host), IBA_REACH_OK);
    cr_assert_eq(host, bed.arena);
    q.need = FG | ZB;
    cr_assert_eq(ask(&bed, q, NULL), IBA_REACH_RIGHT);
    q.need = FG;
    q.pd = bed.pd2;
    cr_assert_eq(ask(&bed, q, NULL), IBA_REACH_PD);
    q.key = mw;
    pages[0] = 1; /* the window's own page */
    cr_assert_eq(ask(&bed, q, &host), IBA_REACH_OK);
    cr_assert_eq(host, bed.arena + MW_AT);
}

/* Pages count from the region's first byte, also for windows. Each access reads the bitmap again. */
Test(bounds, pages)
{
    static uint8_t pages[1];
    struct iba_mr_attr a = attr(make(&bed), ALL | OD);

    a.base += 100; /* no page of the host's */
    a.length -= 100;
    a.present = pages;
    const struct mr r = reg_with(&bed, a);
    struct iba_bind b = bind_of(alloc_mw(&bed, IBA_MEM_MW2A), r, RR | ZB);
    b.va = IOVA + 50;
    b.length = a.length - 50;
    const uint32_t mw = bound(&bed, b);
    for (unsigned set = 0; set < 8; set++)
        for (unsigned at = 0; at < 2 * IBA_MEM_PAGE; at += at % IBA_MEM_PAGE == 1 ? IBA_MEM_PAGE - 4 : 1)
            for (unsigned n = 0; n <= IBA_MEM_PAGE + 2 && at + n <= a.length;
                 n = n < 3 ? n + 1 : n + IBA_MEM_PAGE - 4) {
                bool there = true;
                for (unsigned i = at; i < at + n; i++)
                    there = there && set >> i / IBA_MEM_PAGE & 1;
                pages[0] = (uint8_t)set;
                const enum iba_mem_verdict want = there ? IBA_REACH_OK : IBA_REACH_ABSENT;
                EXPECT(probe(&bed, r.rkey, IOVA + at, n, RR) == want, "set %u, at %u, %u bytes", set, at, n);
                EXPECT(at < 50 || probe(&bed, mw, at - 50, n, RR) == want, "window, set %u, at %u", set, at);
            }
}

Test(bounds, pages_are_there_unless_on_demand)
{
    static const uint8_t none[1];
    struct iba_mr_attr a = attr(make(&bed), ALL);

    a.present = none; /* ignored */
    cr_assert_eq(probe(&bed, reg_with(&bed, a).rkey, IOVA, ARENA, RR), IBA_REACH_OK);
    a.access |= OD;
    cr_assert_eq(probe(&bed, reg_with(&bed, a).rkey, IOVA, ARENA, RR), IBA_REACH_ABSENT);
    cr_assert_eq(probe(&bed, reg_with(&bed, a).rkey, IOVA + ARENA, 0, RR), IBA_REACH_OK); /* no byte, no page */
    a.present = NULL;
    cr_assert_eq(probe(&bed, reg_with(&bed, a).rkey, IOVA, ARENA, RR), IBA_REACH_OK);
    iba_mem_check(&bed.m);
}
