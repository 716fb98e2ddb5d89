/* SPDX-License-Identifier: BSD-2-Clause */
#include "../deal.h"
#include <criterion/criterion.h>
#include <stdlib.h>

enum { WORKERS = 3, FRAME = 54 };

static struct deal *begin(void)
{
    struct deal *d = calloc(1, sizeof *d);

    cr_assert(d);
    d->workers = WORKERS;
    d->seed = 7;
    return d;
}

static unsigned of(struct deal *d, uint32_t src, uint32_t dst)
{
    const uint8_t a[] = {10, (uint8_t)(src >> 16), (uint8_t)(src >> 8), (uint8_t)src};
    const uint8_t b[] = {10, (uint8_t)(dst >> 16), (uint8_t)(dst >> 8), (uint8_t)dst};

    return deal_ends(d, &(struct iba_endpoints){IBA_ADDR_IPV4, a, b});
}

Test(deal, both_directions_go_to_one_worker)
{
    struct deal *d = begin();
    unsigned worker[WORKERS] = {0};

    for (uint32_t i = 1; i <= 30; i++) {
        const unsigned w = of(d, i, i + 100);
        cr_assert_lt(w, WORKERS);
        worker[w]++;
        cr_expect_eq(of(d, i + 100, i), w);
        cr_expect_eq(of(d, i, i + 100), w);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        cr_expect_eq(worker[i], 10, "pairs that begin together are dealt out evenly");
    free(d);
}

Test(deal, a_new_pair_goes_where_least_was)
{
    struct deal *d = begin();
    const unsigned busy = of(d, 1, 2);

    for (unsigned i = 0; i < 5000; i++)
        (void)of(d, 1, 2);
    for (uint32_t i = 10; i < 20; i++)
        cr_expect_neq(of(d, i, 2), busy);
    free(d);
}

Test(deal, kinds_of_addresses_are_apart)
{
    struct deal *d = begin();
    const uint8_t a[IBA_ADDR_MOST] = {1, 2}, b[IBA_ADDR_MOST] = {3, 4};

    for (unsigned kind = 0; kind < IBA_ADDR_KINDS; kind++)
        (void)deal_ends(d, &(struct iba_endpoints){(enum iba_addr_kind)kind, a, b});
    cr_expect_eq(d->n, IBA_ADDR_KINDS);
    free(d);
}

Test(deal, too_many_pairs)
{
    struct deal *d = begin();

    for (uint32_t i = 0; i < DEAL_PAIRS; i++)
        cr_assert_lt(of(d, i, 0xffffff), WORKERS);
    cr_expect_eq(of(d, DEAL_PAIRS, 0xffffff), DEAL_WORKERS);
    cr_expect_lt(of(d, 0, 0xffffff), WORKERS, "those that are known still have theirs");
    free(d);
}

/* Writes a RoCEv2 frame over IPv4 with an RC opcode. */
static void frame(uint8_t f[FRAME])
{
    memset(f, 0, FRAME);
    f[12] = 8;
    f[14] = 0x45;
    f[23] = 17;
    f[26] = 10;
    f[30] = 11;
    f[36] = 4791 >> 8;
    f[37] = 4791 & 0xff;
    f[42] = 4;
}

Test(deal, plain_frames_need_no_parsing)
{
    static const struct {
        unsigned at;
        uint8_t value;
    } others[] = {{12, 0x86}, {13, 6}, {14, 0x46}, {14, 0x65}, {20, 0x20},
                  {21, 1},    {23, 6}, {36, 0},    {37, 0},    {42, 0x64}};
    struct deal *d = begin();
    uint8_t f[FRAME];

    frame(f);
    cr_assert(deal_is_plain(f, FRAME));
    cr_expect_eq(deal_plain(d, f), deal_ends(d, &(struct iba_endpoints){IBA_ADDR_IPV4, f + 30, f + 26}));
    cr_expect_not(deal_is_plain(f, FRAME - 1));
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        frame(f);
        f[others[i].at] = others[i].value;
        cr_expect_not(deal_is_plain(f, FRAME), "byte %u", others[i].at);
    }
    free(d);
}

Test(deal, plain_frames_of_many_pairs_go_where_their_addresses_go)
{
    enum { PAIRS = 3 * DEAL_QUICK };
    struct deal *d = begin();
    uint8_t f[FRAME], back[FRAME];

    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < PAIRS; i++) {
            frame(f);
            f[27] = (uint8_t)(i >> 8);
            f[28] = (uint8_t)i;
            memcpy(back, f, sizeof back);
            memcpy(back + 26, f + 30, 4);
            memcpy(back + 30, f + 26, 4);
            const unsigned worker = deal_plain(d, f);
            cr_expect_eq(deal_plain(d, back), worker, "pair %u", i);
            cr_expect_eq(deal_ends(d, &(struct iba_endpoints){IBA_ADDR_IPV4, f + 26, f + 30}), worker, "pair %u", i);
        }
    cr_expect_eq(d->n, PAIRS);
    free(d);
}

Test(deal, threads_agree)
{
    struct deal_shared *all = calloc(1, sizeof *all);
    struct deal *one = begin(), *other = begin();

    cr_assert(all);
    pthread_mutex_init(&all->lock, NULL);
    all->deal.workers = WORKERS;
    one->shared = other->shared = all;
    for (uint32_t i = 0; i < 100; i++)
        cr_expect_eq(of(one, i, 1000), of(other, 1000, i));
    const unsigned busy = of(one, 1, 1000);
    for (unsigned i = 0; i < 50000; i++)
        (void)of(one, 1, 1000);
    deal_count(one);
    cr_expect_neq(of(other, 2, 3), busy, "packets of another thread count");
    pthread_mutex_destroy(&all->lock);
    free(all);
    free(one);
    free(other);
}
