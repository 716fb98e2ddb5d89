/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls that change the table: what each refuses, that a refusal changes nothing, and which keys result. */
#include "mem.h"
#include <signal.h>
#include "memory/deviations_memory.h"

static struct bed bed;

/* Checks that the call is refused, and that the whole table stays unchanged. */
#define REFUSED(call, err)                                                                                             \
    do {                                                                                                               \
        const struct bed before = bed;                                                                                 \
        const enum iba_mem_err e = (call);                                                                             \
        cr_assert_eq(e, err, "%s: %s", #call, iba_mem_strerror(e));                                                    \
        cr_assert_arr_eq(before.key, bed.key, sizeof bed.key);                                                         \
        cr_assert_arr_eq(before.pds, bed.pds, sizeof bed.pds);                                                         \
    } while (0)

Test(calls, pd_create_until_full)
{
    uint32_t pd[PDS], none = 99;

    make(&bed);
    pd[0] = bed.pd, pd[1] = bed.pd2;
    for (unsigned i = 2; i < PDS; i++)
        cr_assert_eq(iba_pd_create(&bed.m, &pd[i]), IBA_MEM_OK);
    for (unsigned i = 0; i < PDS; i++)
        for (unsigned k = 0; k < i; k++)
            cr_assert_neq(pd[i], pd[k]);
    REFUSED(iba_pd_create(&bed.m, &none), IBA_MEM_FULL);
    cr_assert_eq(none, 99);
    cr_assert_eq(iba_pd_destroy(&bed.m, pd[1]), IBA_MEM_OK);
    cr_assert_eq(iba_pd_create(&bed.m, &none), IBA_MEM_OK);
    cr_assert_eq(none, pd[1]);
    iba_mem_check(&bed.m);
}

Test(calls, pd_destroy)
{
    make(&bed);
    REFUSED(iba_pd_destroy(&bed.m, PDS), IBA_MEM_NO_PD);
    REFUSED(iba_pd_destroy(&bed.m, UINT32_MAX), IBA_MEM_NO_PD);
    REFUSED(iba_pd_destroy(&bed.m, PDS - 1), IBA_MEM_NO_PD);
    iba_pd_hold(&bed.m, bed.pd);
    REFUSED(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_PD_BUSY);
    iba_pd_release(&bed.m, bed.pd);
    const struct mr r = reg(&bed, LW);
    REFUSED(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_PD_BUSY);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
    const uint32_t mw = alloc_mw(&bed, IBA_MEM_MW2A);
    REFUSED(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_PD_BUSY);
    cr_assert_eq(iba_mw_free(&bed.m, mw), IBA_MEM_OK);
    cr_assert_eq(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_OK);
    REFUSED(iba_pd_destroy(&bed.m, bed.pd), IBA_MEM_NO_PD);
    iba_mem_check(&bed.m);
}

Test(calls, release_without_hold, .signal = SIGABRT)
{
    iba_pd_release(&make(&bed)->m, bed.pd);
}

Test(calls, hold_of_no_domain, .signal = SIGABRT)
{
    iba_pd_hold(&make(&bed)->m, PDS - 1);
}

Test(calls, region_beyond_the_host, .signal = SIGABRT)
{
    struct iba_mr_attr a = attr(make(&bed), LW);
    struct mr r;

    a.iova = 0;
    a.length = UINT64_MAX;
    iba_mr_register(&bed.m, &a, &r.lkey, &r.rkey);
}

Test(calls, register)
{
    make(&bed);
    const struct {
        struct iba_mr_attr a;
        enum iba_mem_err err;
    } bad[] = {
        {{bed.arena, 1, 0, bed.pd, INV << 1, NULL, NULL}, IBA_MEM_ACCESS},
        {{bed.arena, 1, 0, bed.pd, 0x8000 | LW, NULL, NULL}, IBA_MEM_ACCESS},
        {{bed.arena, 1, 0, bed.pd, RW, NULL, NULL}, IBA_MEM_RIGHTS},
        {{bed.arena, 1, 0, bed.pd, RA, NULL, NULL}, IBA_MEM_RIGHTS},
        {{bed.arena, 0, 0, bed.pd, LW, NULL, NULL}, IBA_MEM_ZERO},
        {{bed.arena, 0, UINT64_MAX, bed.pd, LW, NULL, NULL}, IBA_MEM_ZERO},
        {{bed.arena, 2, UINT64_MAX, bed.pd, LW, NULL, NULL}, IBA_MEM_RANGE},
        {{bed.arena, UINT64_MAX, 2, bed.pd, LW, NULL, NULL}, IBA_MEM_RANGE},
        {{bed.arena, 1, 0, PDS - 1, LW, NULL, NULL}, IBA_MEM_NO_PD},
        {{bed.arena, 1, 0, PDS, LW, NULL, NULL}, IBA_MEM_NO_PD},
        {{bed.arena, 1, 0, UINT32_MAX, LW, NULL, NULL}, IBA_MEM_NO_PD},
    };
    struct mr none = {1, 2};

    for (size_t i = 0; i < COUNT(bad); i++) {
        REFUSED(iba_mr_register(&bed.m, &bad[i].a, &none.lkey, &none.rkey), bad[i].err);
        cr_assert(none.lkey == 1 && none.rkey == 2);
    }
    iba_mem_check(&bed.m);
}

Test(calls, deregister)
{
    const struct mr r = reg(make(&bed), ALL);
    const uint32_t mw = alloc_mw(&bed, IBA_MEM_MW1);

    REFUSED(iba_mr_deregister(&bed.m, 0), IBA_MEM_NO_KEY);
    REFUSED(iba_mr_deregister(&bed.m, UINT32_MAX), IBA_MEM_NO_KEY);
    REFUSED(iba_mr_deregister(&bed.m, r.rkey), IBA_MEM_NO_KEY); /* r.rkey is not the L_Key of the region */
    REFUSED(iba_mr_deregister(&bed.m, r.lkey ^ 0x55), IBA_MEM_NO_KEY);
    REFUSED(iba_mr_deregister(&bed.m, mw), IBA_MEM_KIND);
    const uint32_t now = bound(&bed, bind_of(mw, r, RR));
    REFUSED(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_BUSY);
    cr_assert_eq(iba_mw_free(&bed.m, now), IBA_MEM_OK);
    cr_assert_eq(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_OK);
    REFUSED(iba_mr_deregister(&bed.m, r.lkey), IBA_MEM_NO_KEY);
    cr_assert_eq(probe(&bed, r.rkey, IOVA, 1, 0), IBA_REACH_NO_KEY);
    iba_mem_check(&bed.m);
}

/* ---- reregistration ---- */

static struct mr again(struct mr r, unsigned changes, struct iba_mr_attr a)
{
    struct mr now = {0, 0};

    cr_assert_eq(iba_mr_reregister(&bed.m, r.lkey, changes, &a, &now.lkey, &now.rkey), IBA_MEM_OK);
    cr_assert_eq(iba_key_index(now.lkey), iba_key_index(r.lkey));
    cr_assert(now.lkey != now.rkey && now.lkey != r.lkey && now.rkey != r.rkey);
    iba_mem_check(&bed.m);
    return now;
}

static enum iba_mem_verdict reached(struct mr r, uint64_t va, uint32_t pd, uint16_t need)
{
    struct iba_reach reach = reach_of(&bed, r.rkey, va, 8);

    reach.pd = pd;
    reach.need = need;
    return ask(&bed, reach, NULL);
}

Test(calls, reregister_changes_what_is_named)
{
    const struct mr old = reg(make(&bed), LW | RW);
    struct mr r = old;
    const uint64_t moved = IOVA / 2;
    struct iba_mr_attr a = {
        .base = bed.arena + 64, .length = 64, .iova = moved, .pd = bed.pd2, .access = RR, .present = bed.arena};

    r = again(r, 0, a);
    cr_expect_eq(reached(old, IOVA, bed.pd, RW), IBA_REACH_KEY_BYTE);
    cr_expect_eq(reached(r, IOVA, bed.pd, RW), IBA_REACH_OK);
    r = again(r, IBA_MR_RANGE, a);
    cr_expect_eq(reached(r, IOVA, bed.pd, RW), IBA_REACH_RANGE);
    cr_expect_eq(reached(r, moved + 56, bed.pd, RW), IBA_REACH_OK);
    cr_expect_eq(reached(r, moved + 57, bed.pd, RW), IBA_REACH_RANGE);
    r = again(r, IBA_MR_PD, a);
    cr_expect_eq(reached(r, moved, bed.pd, RW), IBA_REACH_PD);
    cr_expect_eq(reached(r, moved, bed.pd2, RW), IBA_REACH_OK);
    cr_expect(bed.pds[bed.pd] == 0 && bed.pds[bed.pd2] == 1);
    r = again(r, IBA_MR_ACCESS, a);
    cr_expect_eq(reached(r, moved, bed.pd2, RW), IBA_REACH_RIGHT);
    cr_expect_eq(reached(r, moved, bed.pd2, RR), IBA_REACH_OK);
    a.access = RR | ZB;
    r = again(r, IBA_MR_ACCESS, a);
    cr_expect_eq(reached(r, 0, bed.pd2, RR), IBA_REACH_OK);
}

Test(calls, reregister_makes_an_invalidated_region_valid)
{
    struct mr r = reg(make(&bed), ALL);

    cr_assert_eq(iba_mem_invalidate(&bed.m, r.lkey, bed.pd, QP, false), IBA_MEM_OK);
    r = again(r, IBA_MR_ACCESS, (struct iba_mr_attr){.access = LW | RR});
    cr_expect_eq(reached(r, IOVA, bed.pd, RR), IBA_REACH_OK);
}

Test(calls, reregister_of_pages)
{
    static const uint8_t absent[2];
    struct mr r = reg(make(&bed), LW | RR);
    struct iba_mr_attr a = attr(&bed, LW | RR | OD);

    a.present = absent;
    r = again(r, IBA_MR_ACCESS, a); /* `present` belongs to the range, so it does not change here */
    cr_expect_eq(reached(r, IOVA, bed.pd, RR), IBA_REACH_OK);
    r = again(r, IBA_MR_RANGE, a);
    cr_expect_eq(reached(r, IOVA, bed.pd, RR), IBA_REACH_ABSENT);
    r = again(r, IBA_MR_PD, (struct iba_mr_attr){.pd = bed.pd2});
    cr_expect_eq(reached(r, IOVA, bed.pd2, RR), IBA_REACH_ABSENT);
    r = again(r, IBA_MR_ACCESS, (struct iba_mr_attr){.access = LW | RR});
    cr_expect_eq(reached(r, IOVA, bed.pd2, RR), IBA_REACH_OK);
}

static void not_again(uint32_t lkey, unsigned changes, struct iba_mr_attr a, enum iba_mem_err err)
{
    uint32_t key[2] = {77, 77};

    REFUSED(iba_mr_reregister(&bed.m, lkey, changes, &a, &key[0], &key[1]), err);
    cr_assert(key[0] == 77 && key[1] == 77);
}

Test(calls, reregister_refused)
{
    const struct mr r = reg(make(&bed), ALL), windowed = reg(&bed, ALL);
    const struct iba_piece piece = {IOVA, 8, r.lkey, 8};
    const struct iba_pieces pieces = {&piece, 1, 1};
    const struct mr of_pieces =
        reg_with(&bed, (struct iba_mr_attr){.iova = IOVA, .pd = bed.pd, .access = LW, .pieces = &pieces});
    const struct iba_mr_attr ok = attr(&bed, LW);
    struct iba_mr_attr a = ok;

    not_again(r.rkey, IBA_MR_ACCESS, ok, IBA_MEM_NO_KEY);
    not_again(alloc_mw(&bed, IBA_MEM_MW1), IBA_MR_ACCESS, ok, IBA_MEM_KIND);
    not_again(of_pieces.lkey, IBA_MR_ACCESS, ok, IBA_MEM_KIND);
    a.pieces = &pieces;
    not_again(r.lkey, IBA_MR_RANGE, a, IBA_MEM_KIND);
    a = ok, a.access = RW;
    not_again(r.lkey, IBA_MR_ACCESS, a, IBA_MEM_RIGHTS);
    a.access = INV << 1;
    not_again(r.lkey, IBA_MR_ACCESS, a, IBA_MEM_ACCESS);
    a = ok, a.length = 0;
    not_again(r.lkey, IBA_MR_RANGE, a, IBA_MEM_ZERO);
    a.length = 2, a.iova = UINT64_MAX;
    not_again(r.lkey, IBA_MR_RANGE, a, IBA_MEM_RANGE);
    a = ok, a.pd = PDS - 1;
    not_again(r.lkey, IBA_MR_PD, a, IBA_MEM_NO_PD);
    (void)bound(&bed, bind_of(alloc_mw(&bed, IBA_MEM_MW1), windowed, RR));
    not_again(windowed.lkey, IBA_MR_ACCESS, ok, IBA_MEM_BUSY);
}

/* ---- prefetch ---- */

static struct iba_prefetch advice_of(struct mr r, uint64_t at, uint64_t length)
{
    return (struct iba_prefetch){.va = IOVA + at, .length = length, .lkey = r.lkey, .pd = bed.pd};
}

static void prefetches(struct iba_prefetch p, uint64_t first, uint64_t n)
{
    struct iba_page_span pages = {77, 77};

    cr_assert_eq(iba_mr_prefetch(&bed.m, &p, &pages), IBA_MEM_OK);
    cr_assert(pages.first == first && pages.n == n, "at %llu, %llu bytes: pages %llu, %llu",
              (unsigned long long)(p.va - IOVA), (unsigned long long)p.length, (unsigned long long)pages.first,
              (unsigned long long)pages.n);
}

Test(calls, prefetch)
{
    const struct mr r = reg(make(&bed), ALL | OD);
    struct iba_prefetch p = advice_of(r, 0, ARENA);

    prefetches(p, 0, ARENA / IBA_MEM_PAGE);
    p.write = true;
    prefetches(p, 0, ARENA / IBA_MEM_PAGE);
    p.no_fault = true;
    prefetches(p, 0, 0);
    prefetches(advice_of(r, IBA_MEM_PAGE - 1, 1), 0, 1);
    prefetches(advice_of(r, IBA_MEM_PAGE - 1, 2), 0, 2);
    prefetches(advice_of(r, IBA_MEM_PAGE, IBA_MEM_PAGE), 1, 1);
    prefetches(advice_of(r, IBA_MEM_PAGE, IBA_MEM_PAGE + 1), 1, 2);
    prefetches(advice_of(r, ARENA - 1, 1), ARENA / IBA_MEM_PAGE - 1, 1);
    prefetches(advice_of(r, ARENA, 0), 0, 0);
    prefetches(advice_of(reg(&bed, RR | OD), 5, 10), 0, 1);
}

static void not_prefetched(struct iba_prefetch p, enum iba_mem_err err)
{
    struct iba_page_span pages = {77, 77};

    REFUSED(iba_mr_prefetch(&bed.m, &p, &pages), err);
    cr_assert(pages.first == 0 && pages.n == 0);
}

Test(calls, prefetch_refused)
{
    const struct mr r = reg(make(&bed), ALL | OD), plain = reg(&bed, ALL), readable = reg(&bed, RR | OD);
    const struct iba_piece piece = {IOVA, 8, r.lkey, 8};
    const struct iba_pieces pieces = {&piece, 1, 1};
    const struct mr of_pieces =
        reg_with(&bed, (struct iba_mr_attr){.iova = IOVA, .pd = bed.pd, .access = LW | OD, .pieces = &pieces});
    struct iba_prefetch p = advice_of(r, 0, 8);

    p.pd = bed.pd2;
    not_prefetched(p, IBA_MEM_OWNER);
    p = advice_of(r, 0, 8), p.lkey = r.rkey;
    not_prefetched(p, IBA_MEM_NO_KEY);
    p.lkey = alloc_mw(&bed, IBA_MEM_MW1);
    not_prefetched(p, IBA_MEM_KIND);
    not_prefetched(advice_of(plain, 0, 8), IBA_MEM_KIND);
    not_prefetched(advice_of(of_pieces, 0, 8), IBA_MEM_KIND);
    not_prefetched(advice_of(r, (uint64_t)-1, 2), IBA_MEM_RANGE);
    not_prefetched(advice_of(r, ARENA, 1), IBA_MEM_RANGE);
    not_prefetched(advice_of(r, 8, UINT64_MAX), IBA_MEM_RANGE);
    p = advice_of(readable, 0, 8), p.write = true;
    not_prefetched(p, IBA_MEM_RIGHTS);
    cr_assert_eq(iba_mem_invalidate(&bed.m, r.lkey, bed.pd, QP, false), IBA_MEM_OK);
    not_prefetched(advice_of(r, 0, 8), IBA_MEM_STATE);
}

/* A broken device that prefetches bytes outside of the region has the pages that are inside, and no others. */
Test(calls, prefetch_beyond_the_region)
{
    const struct iba_change any_range = {
        .list = &iba_mem_behaviours, .row = IBA_ROW_mem_PREFETCH_RANGE, .kind = IBA_CHANGE_DROP};
    const struct mr r = reg(make(&bed), ALL | OD);
    const uint64_t last = ARENA / IBA_MEM_PAGE - 1;

    iba_mem_change(&bed.m, &any_range);
    prefetches(advice_of(r, ARENA - 1, IBA_MEM_PAGE), last, 1);
    prefetches(advice_of(r, ARENA - IBA_MEM_PAGE - 1, UINT64_MAX), last - 1, 2);
    prefetches(advice_of(r, ARENA, 1), 0, 0);
    prefetches(advice_of(r, (uint64_t)-1, 2), 0, 0);
    prefetches(advice_of(r, 0, ARENA), 0, last + 1);
}

Test(calls, window_alloc_and_free)
{
    const struct mr r = reg(make(&bed), ALL);
    const int kind[] = {IBA_MEM_FREE, IBA_MEM_MR, IBA_MEM_MW2B + 1, -1};
    uint32_t mw = 5;

    for (size_t i = 0; i < COUNT(kind); i++)
        REFUSED(iba_mw_alloc(&bed.m, (enum iba_mem_kind)kind[i], bed.pd, &mw), IBA_MEM_KIND);
    REFUSED(iba_mw_alloc(&bed.m, IBA_MEM_MW1, PDS - 1, &mw), IBA_MEM_NO_PD);
    cr_assert_eq(mw, 5);
    mw = alloc_mw(&bed, IBA_MEM_MW2B);
    REFUSED(iba_mw_free(&bed.m, 0), IBA_MEM_NO_KEY);
    REFUSED(iba_mw_free(&bed.m, mw ^ 1), IBA_MEM_NO_KEY);
    REFUSED(iba_mw_free(&bed.m, r.rkey), IBA_MEM_KIND);
    REFUSED(iba_mw_free(&bed.m, r.lkey), IBA_MEM_NO_KEY);
    cr_assert_eq(iba_mw_free(&bed.m, mw), IBA_MEM_OK);
    REFUSED(iba_mw_free(&bed.m, mw), IBA_MEM_NO_KEY);
    iba_mem_check(&bed.m);
}

Test(calls, full)
{
    struct mr r[KEYS];
    uint32_t seen = 0, mw = 5;

    make(&bed);
    for (unsigned i = 1; i < KEYS; i++) {
        r[i] = reg(&bed, LW);
        cr_assert_eq(iba_key_index(r[i].lkey), iba_key_index(r[i].rkey));
        cr_assert_neq(r[i].lkey, r[i].rkey);
        seen |= 1u << iba_key_index(r[i].lkey);
        iba_mem_check(&bed.m);
    }
    cr_assert_eq(seen, (1u << KEYS) - 2, "every index but 0");
    const struct iba_mr_attr a = attr(&bed, LW);
    REFUSED(iba_mr_register(&bed.m, &a, &r[0].lkey, &r[0].rkey), IBA_MEM_FULL);
    REFUSED(iba_mw_alloc(&bed.m, IBA_MEM_MW1, bed.pd, &mw), IBA_MEM_FULL);
    cr_assert_eq(iba_mr_deregister(&bed.m, r[9].lkey), IBA_MEM_OK);
    mw = alloc_mw(&bed, IBA_MEM_MW1);
    cr_assert_eq(iba_key_index(mw), iba_key_index(r[9].lkey));
    cr_assert(mw != r[9].lkey && mw != r[9].rkey);
}

/* No call accesses memory after the arrays. That memory looks like a free entry, or like a window in use. */
Test(calls, ends_where_its_arrays_end)
{
    static const struct iba_mkey tempts[] = {{.kind = IBA_MEM_FREE},
                                             {.kind = IBA_MEM_MW2A, .state = IBA_MEM_VALID, .qpn = QP, .parent = 1}};
    static const uint32_t pd_tempts[] = {UINT32_MAX, 0};

    for (size_t t = 0; t < COUNT(tempts); t++) {
        struct iba_mkey key[KEYS + 1];
        uint32_t pds[PDS + 1], pd = 0, n_pd = 0, n_key = 0;
        struct mr r;
        struct iba_mem *m = &make(&bed)->m;
        key[KEYS] = tempts[t];
        pds[PDS] = pd_tempts[t];
        iba_mem_init(m, key, KEYS, pds, PDS, rnd, &bed.seed);
        while (iba_pd_create(m, &pd) == IBA_MEM_OK)
            n_pd++;
        const struct iba_mr_attr a = attr(&bed, ALL);
        while (iba_mr_register(m, &a, &r.lkey, &r.rkey) == IBA_MEM_OK)
            n_key++;
        cr_assert(n_pd == PDS && n_key == KEYS - 1, "%u domains, %u keys", n_pd, n_key);
        cr_assert_eq(iba_pd_destroy(m, PDS), IBA_MEM_NO_PD);
        cr_assert_eq(iba_mr_deregister(m, KEYS << 8), IBA_MEM_NO_KEY);
        cr_assert_eq(iba_mw_free(m, KEYS << 8), IBA_MEM_NO_KEY);
        cr_assert_eq(iba_mem_invalidate(m, KEYS << 8, 0, QP, true), IBA_MEM_NO_KEY);
        iba_mw_forget_qp(m, QP);
        cr_assert_null(iba_mem_broken(m));
        cr_assert_eq(key[KEYS].state, tempts[t].state);
        cr_assert_eq(key[KEYS].qpn, tempts[t].qpn);
        cr_assert_eq(pds[PDS], pd_tempts[t]);
    }
}

Test(calls, a_table_of_one_holds_nothing)
{
    struct iba_mr_attr a = attr(make(&bed), LW);
    struct mr r;

    iba_mem_init(&bed.m, bed.key, 1, bed.pds, 1, rnd, &bed.seed);
    cr_assert_eq(iba_pd_create(&bed.m, &a.pd), IBA_MEM_OK);
    REFUSED(iba_mr_register(&bed.m, &a, &r.lkey, &r.rkey), IBA_MEM_FULL);
    iba_mem_check(&bed.m);
}

/* Sources of random bits: one that always returns the same, and one that counts. */
static uint64_t constant(void *ctx)
{
    return *(uint64_t *)ctx;
}

static uint64_t counting(void *ctx)
{
    return ++*(uint64_t *)ctx;
}

/* With any entropy, the keys of an index's last owner are refused after the next owner got it. */
static void stale_keys_fail(uint64_t (*random)(void *), uint64_t ctx)
{
    uint32_t old[3] = {0};

    make(&bed);
    bed.m.random = random;
    bed.m.random_ctx = &ctx;
    bed.m.n_key = 2; /* one index, used over and over */
    for (unsigned i = 0; i < 600; i++) {
        const struct mr r = reg(&bed, ALL);
        EXPECT(r.lkey != r.rkey, "one key for both");
        for (size_t k = 0; k < COUNT(old); k++)
            EXPECT(r.lkey != old[k] && r.rkey != old[k], "round %u: the key of the last owner", i);
        EXPECT(iba_mr_deregister(&bed.m, r.lkey) == IBA_MEM_OK, "deregister");
        const uint32_t mw = alloc_mw(&bed, i % 2 ? IBA_MEM_MW1 : IBA_MEM_MW2B);
        EXPECT(mw != r.lkey && mw != r.rkey, "round %u: the window has the region's key", i);
        EXPECT(iba_mw_free(&bed.m, mw) == IBA_MEM_OK, "free");
        old[0] = mw, old[1] = mw;
    }
    iba_mem_check(&bed.m);
}

Test(calls, stale_keys_fail_whatever_the_entropy)
{
    stale_keys_fail(rnd, 3);
    stale_keys_fail(constant, 0);
    stale_keys_fail(constant, UINT64_MAX);
    stale_keys_fail(constant, 0x7f);
    stale_keys_fail(counting, 0);
    stale_keys_fail(counting, UINT64_MAX - 300);
}

Test(calls, keys_are_spread)
{
    unsigned index[KEYS] = {0}, lkey[256] = {0}, rkey[256] = {0};

    make(&bed);
    for (unsigned i = 0; i < 256 * 40; i++) {
        const struct mr r = reg(&bed, LW);
        index[iba_key_index(r.lkey)]++;
        lkey[iba_key_byte(r.lkey)]++;
        rkey[iba_key_byte(r.rkey)]++;
        EXPECT(iba_mr_deregister(&bed.m, r.lkey) == IBA_MEM_OK, "deregister");
    }
    for (unsigned i = 1; i < KEYS; i++)
        cr_assert(index[i] > 256 * 40 / (KEYS - 1) / 2, "index %u only %u times", i, index[i]);
    for (unsigned i = 0; i < 256; i++)
        cr_assert(lkey[i] > 10 && rkey[i] > 10, "key byte %u: %u, %u", i, lkey[i], rkey[i]);
}

Test(calls, one_range_registered_often)
{
    struct mr r[5];
    const unsigned access[] = {LW, RR, LW | RW, LW | RA, ALL};
    const unsigned need[] = {RR, RW, RA};
    uint8_t *host;

    make(&bed);
    for (size_t i = 0; i < COUNT(r); i++)
        r[i] = reg(&bed, access[i]);
    for (size_t i = 0; i < COUNT(r); i++) {
        for (size_t n = 0; n < COUNT(need); n++)
            cr_assert_eq(probe(&bed, r[i].rkey, IOVA, 8, need[n]),
                         access[i] & need[n] ? IBA_REACH_OK : IBA_REACH_RIGHT);
        cr_assert_eq(ask(&bed, reach_of(&bed, r[i].rkey, IOVA + 9, 8), &host), IBA_REACH_OK);
        cr_assert_eq(host, bed.arena + 9);
    }
    cr_assert_eq(iba_mr_deregister(&bed.m, r[4].lkey), IBA_MEM_OK);
    cr_assert_eq(probe(&bed, r[4].rkey, IOVA, 8, 0), IBA_REACH_NO_KEY);
    cr_assert_eq(probe(&bed, r[1].rkey, IOVA, 8, RR), IBA_REACH_OK);
}

Test(calls, every_error_has_words)
{
    for (unsigned e = 0; e < IBA_MEM_ERR_COUNT; e++)
        for (unsigned k = 0; k < e; k++)
            cr_assert_str_neq(iba_mem_strerror((enum iba_mem_err)e), iba_mem_strerror((enum iba_mem_err)k));
    cr_assert_str_eq(iba_mem_strerror(IBA_MEM_OK), "ok");
    cr_assert_str_eq(iba_mem_strerror(IBA_MEM_ERR_COUNT), "unknown error");
}
