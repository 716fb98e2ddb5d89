/* SPDX-License-Identifier: BSD-2-Clause */
/* The lossy network: deterministic, on time, in order, every frame accounted for, each fault with its probability. */
#include "net.h"

static struct bench bench, other;

/* Sends `frames` numbered frames from alternating sides, one each microsecond, and receives those that are due. */
static void run(struct bench *b, uint64_t frames)
{
    uint8_t frame[BYTES], got[BYTES];
    iba_time now = 0;

    for (uint64_t i = 0; i < frames || iba_net_deadline(&b->net) != IBA_NEVER; i++) {
        if (i < frames)
            iba_net_send(&b->net, i & 1, frame, numbered(frame, i), now);
        for (uint8_t to = 0; to < 2; to++)
            for (size_t n; (n = iba_net_receive(&b->net, to, got, sizeof got, now)) > 0;)
                for (size_t k = 0; k < n; k++)
                    mix(&b->trace, got[k]);
        now += 1000;
    }
}

static const struct iba_net_faults hostile = {
    .lose = 30000,
    .duplicate = 50000,
    .corrupt = 20000,
    .reorder = 40000,
    .delay_ns = 5000,
    .jitter_ns = 3000,
    .reorder_ns = 50000,
};

Test(net, same_seed_same_trace)
{
    start(&bench, 7, &hostile, IBA_LINK_ETHERNET);
    run(&bench, 20000);
    start(&other, 7, &hostile, IBA_LINK_ETHERNET);
    run(&other, 20000);
    cr_assert_eq(bench.trace, other.trace);
    start(&other, 8, &hostile, IBA_LINK_ETHERNET);
    run(&other, 20000);
    cr_assert_neq(bench.trace, other.trace, "another seed, another trace");
}

/* A network without faults delivers in order, unchanged, after delay_ns. */
Test(net, without_faults_a_wire)
{
    const struct iba_net_faults none = {.delay_ns = 700};
    uint8_t frame[BYTES], got[BYTES];

    start(&bench, 1, &none, IBA_LINK_ETHERNET);
    for (uint64_t i = 0; i < SLOTS; i++)
        iba_net_send(&bench.net, 1, frame, numbered(frame, i), 100 + i);
    cr_assert_eq(iba_net_deadline(&bench.net), 800);
    for (uint64_t i = 0; i < SLOTS; i++) {
        const size_t len = numbered(frame, i);
        cr_assert_eq(iba_net_receive(&bench.net, 0, got, sizeof got, 799 + i), 0, "not yet");
        cr_assert_eq(iba_net_receive(&bench.net, 1, got, sizeof got, IBA_NEVER - 1), 0, "not to its sender");
        cr_assert_eq(iba_net_receive(&bench.net, 0, got, sizeof got, 800 + i), len);
        cr_assert_arr_eq(got, frame, len);
    }
    cr_assert_eq(iba_net_deadline(&bench.net), IBA_NEVER);
    cr_assert_eq(iba_net_receive(&bench.net, 0, got, sizeof got, IBA_NEVER), 0);
    cr_assert_eq(bench.net.top, 0, "an empty network has nothing to scan");
    cr_assert_eq(bench.count[IBA_NET_SENT], SLOTS);
    cr_assert_eq(bench.count[IBA_NET_DELIVERED], SLOTS);
}

Test(net, due_together_come_in_the_order_sent)
{
    const struct iba_net_faults none = {0};
    uint8_t frame[BYTES], got[BYTES];

    start(&bench, 1, &none, IBA_LINK_ETHERNET);
    for (unsigned round = 0; round < 50; round++) { /* slots are used again in another order than sent */
        for (uint64_t i = 0; i < 40; i++)
            iba_net_send(&bench.net, i % 3 == 0, frame, numbered(frame, i), 9);
        for (uint8_t to = 0; to < 2; to++)
            for (uint64_t i = 0; i < 40; i++) {
                uint64_t number;
                if ((i % 3 == 0) == to)
                    continue;
                cr_assert_gt(iba_net_receive(&bench.net, to, got, sizeof got, 9), 0);
                memcpy(&number, got, sizeof number);
                cr_assert_eq(number, i);
            }
    }
}

/* At every step the deadline is the earliest due time, and a frame comes at exactly that time. */
Test(net, deadline_is_when_something_comes)
{
    uint8_t frame[BYTES], got[BYTES];
    iba_time now = 0, last = 0;

    start(&bench, 3, &hostile, IBA_LINK_ETHERNET);
    for (uint64_t i = 0; i < 3000; i++) {
        iba_net_send(&bench.net, i & 1, frame, numbered(frame, i), now);
        if (i % 4)
            continue;
        iba_time min = IBA_NEVER;
        for (unsigned k = 0; k < SLOTS; k++)
            if (bench.slot[k].used && bench.slot[k].due < min)
                min = bench.slot[k].due;
        cr_assert_eq(iba_net_deadline(&bench.net), min);
        if (min == IBA_NEVER)
            continue;
        cr_assert_geq(min, last);
        if (min > now) {
            cr_assert_eq(iba_net_receive(&bench.net, 0, got, sizeof got, min - 1), 0);
            cr_assert_eq(iba_net_receive(&bench.net, 1, got, sizeof got, min - 1), 0);
            now = min;
        }
        const size_t a = iba_net_receive(&bench.net, 0, got, sizeof got, now);
        const size_t b = iba_net_receive(&bench.net, 1, got, sizeof got, now);
        cr_assert(a > 0 || b > 0);
        last = min;
    }
}

/* Each frame has one entry SENT. Then it is either LOST, without another entry, or DELIVERED once more often than
 * DUPLICATED. */
Test(net, log_accounts_for_every_frame)
{
    enum { FRAMES = 100000 };
    static uint8_t fate[FRAMES];
    static uint32_t delivered[FRAMES], duplicated[FRAMES];

    start(&bench, 11, &hostile, IBA_LINK_ETHERNET);
    bench.fate = fate, bench.delivered = delivered, bench.duplicated = duplicated;
    run(&bench, FRAMES);
    cr_assert_eq(bench.count[IBA_NET_SENT], FRAMES);
    cr_assert_eq(bench.net.overflow, 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        const bool lost = fate[i] >> IBA_NET_LOST & 1;
        cr_assert(fate[i] & 1u << IBA_NET_SENT, "frame %u", i);
        if (lost)
            cr_assert_eq(fate[i], 1u << IBA_NET_SENT | 1u << IBA_NET_LOST, "frame %u is lost and more", i);
        else
            cr_assert_eq(delivered[i], 1 + duplicated[i], "frame %u", i);
    }
}

/* Six standard deviations of a binomial distribution: a correct generator stays inside this limit, one with a wrong
 * factor does not. */
static void expect_share(uint64_t n, uint64_t of, uint32_t per_million, const char *what)
{
    const double p = per_million / 1e6, mean = (double)of * p, spread = 36 * mean * (1 - p);
    const double off = (double)n - mean;

    cr_expect(off * off <= spread, "%s: %lu of %lu, wanted %u per million", what, (unsigned long)n, (unsigned long)of,
              per_million);
}

static const struct single {
    const char *name;
    enum iba_net_fate what;
    size_t at;
} single[] = {
    {"lose", IBA_NET_LOST, offsetof(struct iba_net_faults, lose)},
    {"duplicate", IBA_NET_DUPLICATED, offsetof(struct iba_net_faults, duplicate)},
    {"corrupt", IBA_NET_CORRUPTED, offsetof(struct iba_net_faults, corrupt)},
    {"reorder", IBA_NET_REORDERED, offsetof(struct iba_net_faults, reorder)},
};
enum { SINGLE = sizeof single / sizeof *single, FRAMES = 100000 };

/* Each fault alone, with several probabilities including 0 and 1: the share of faulty frames is the configured one, and
 * no other fault occurs. */
Test(net, each_fault_alone_as_often_as_asked)
{
    static const uint32_t p[] = {0, 1000, 33333, 500000, 999000, MILLION};

    for (unsigned i = 0; i < SINGLE; i++)
        for (unsigned k = 0; k < sizeof p / sizeof *p; k++) {
            struct iba_net_faults f = {.delay_ns = 10};
            memcpy((uint8_t *)&f + single[i].at, &p[k], sizeof p[k]);
            start(&bench, 100 + k, &f, IBA_LINK_ETHERNET);
            run(&bench, FRAMES);
            expect_share(bench.count[single[i].what], FRAMES, p[k], single[i].name);
            for (unsigned w = IBA_NET_LOST; w < IBA_NET_DELIVERED; w++)
                cr_expect(w == single[i].what || bench.count[w] == 0, "%s: event %u", single[i].name, w);
        }
}

/* A higher probability of one fault must not change which frames get another fault: each frame that is corrupt in a run
 * without loss is corrupt or lost in the run with loss. */
Test(net, faults_do_not_move_each_other)
{
    static uint8_t fate[2][FRAMES];
    static uint32_t unused[FRAMES];

    for (unsigned k = 0; k < 2; k++) {
        struct iba_net_faults f = hostile;
        f.lose = k * 200000;
        f.jitter_ns = k * 777;
        start(&bench, 5, &f, IBA_LINK_ETHERNET);
        bench.fate = fate[k], bench.delivered = unused, bench.duplicated = unused;
        run(&bench, FRAMES);
    }
    for (unsigned i = 0; i < FRAMES; i++)
        cr_assert(fate[0][i] == fate[1][i] || (fate[1][i] >> IBA_NET_LOST & 1), "frame %u", i);
}

/* One to three different bits, everywhere in the frame. */
Test(net, corrupt_frames_differ_in_one_to_three_bits)
{
    enum { LEN = 40 };
    const struct iba_net_faults f = {.corrupt = MILLION};
    uint8_t frame[LEN] = {0}, got[BYTES];
    unsigned by_bit[LEN * 8] = {0}, by_count[4] = {0};

    start(&bench, 5, &f, IBA_LINK_ETHERNET);
    for (unsigned i = 0; i < FRAMES; i++) {
        unsigned bits = 0;
        iba_net_send(&bench.net, 0, frame, LEN, i);
        cr_assert_eq(iba_net_receive(&bench.net, 1, got, sizeof got, i), LEN);
        for (unsigned k = 0; k < LEN * 8; k++) {
            const unsigned flipped = got[k / 8] >> (7 - k % 8) & 1;
            by_bit[k] += flipped;
            bits += flipped;
        }
        cr_assert(bits >= 1 && bits <= 3);
        by_count[bits]++;
    }
    for (unsigned n = 1; n <= 3; n++)
        expect_share(by_count[n], FRAMES, MILLION / 3, "flips");
    for (unsigned k = 0; k < LEN * 8; k++)
        expect_share(by_bit[k], 2 * FRAMES, MILLION / (LEN * 8), "bit");
    for (unsigned i = 0; i < 1000; i++) { /* in one byte, too */
        iba_net_send(&bench.net, 0, frame, 1, FRAMES);
        cr_assert_eq(iba_net_receive(&bench.net, 1, got, sizeof got, FRAMES), 1);
        cr_assert(got[0] != 0 && __builtin_popcount(got[0]) <= 3);
    }
}

/* Duplicates have the same bytes, also if these are corrupt. Each copy arrives at a time of its own. */
Test(net, duplicates_are_identical)
{
    const struct iba_net_faults f = {.duplicate = MILLION, .corrupt = 500000, .delay_ns = 100, .jitter_ns = 50};
    uint8_t frame[BYTES], a[BYTES], b[BYTES];
    iba_time when[2];
    unsigned apart = 0;

    start(&bench, 5, &f, IBA_LINK_ETHERNET);
    for (uint64_t i = 0; i < 1000; i++) {
        const size_t len = numbered(frame, i);
        iba_net_send(&bench.net, 0, frame, len, i * 1000);
        when[0] = iba_net_deadline(&bench.net);
        cr_assert_eq(iba_net_receive(&bench.net, 1, a, sizeof a, when[0]), len);
        when[1] = iba_net_deadline(&bench.net);
        cr_assert_eq(iba_net_receive(&bench.net, 1, b, sizeof b, when[1]), len);
        cr_assert_arr_eq(a, b, len);
        cr_assert_eq(iba_net_deadline(&bench.net), IBA_NEVER, "two copies, no third");
        cr_assert(when[0] >= i * 1000 + 100 && when[1] <= i * 1000 + 150);
        apart += when[0] != when[1];
    }
    cr_assert_gt(apart, 900);
}

/* A wire of limited rate separates frames that are sent at once; each side has its own wire. */
Test(net, frames_are_spaced)
{
    const struct iba_net_faults f = {.delay_ns = 1000, .spacing_ns = 100};
    uint8_t frame[BYTES], got[BYTES];

    start(&bench, 1, &f, IBA_LINK_ETHERNET);
    for (uint64_t i = 0; i < 6; i++)
        iba_net_send(&bench.net, i & 1, frame, numbered(frame, i), 0);
    for (uint64_t i = 0; i < 6; i++) {
        const iba_time due = 1000 + 100 * (i / 2);
        cr_assert_eq(iba_net_receive(&bench.net, (i & 1) ^ 1, got, sizeof got, due - 1), 0, "not yet");
        cr_assert_gt(iba_net_receive(&bench.net, (i & 1) ^ 1, got, sizeof got, due), 0);
    }
}

/* A frame selected for reordering is overtaken by later ones. */
Test(net, reordered_frames_are_overtaken)
{
    const struct iba_net_faults f = {.reorder = 100000, .delay_ns = 1000, .reorder_ns = 5000};
    uint8_t frame[BYTES], got[BYTES];
    uint64_t highest = 0, number, overtaken = 0;

    start(&bench, 9, &f, IBA_LINK_ETHERNET);
    for (uint64_t i = 0; i < 2000; i++)
        iba_net_send(&bench.net, 0, frame, numbered(frame, i), i * 100);
    while (iba_net_receive(&bench.net, 1, got, sizeof got, IBA_NEVER - 1) > 0) {
        memcpy(&number, got, sizeof number);
        overtaken += number < highest;
        highest = number > highest ? number : highest;
    }
    cr_assert_gt(overtaken, 0);
    cr_assert_eq(overtaken, bench.count[IBA_NET_REORDERED]);
}

/* A frame that finds no free slot is lost and counted. A slot that becomes free is used again. A duplicate that finds
 * no slot is not made. */
Test(net, overflow_is_a_counted_loss)
{
    const struct iba_net_faults f = {.duplicate = MILLION};
    struct iba_net_slot slot[3];
    uint8_t bytes[3 * 8], frame[8] = {0}, got[8];

    start(&bench, 1, &f, IBA_LINK_ETHERNET);
    iba_net_init(&bench.net, 1, &f, IBA_LINK_ETHERNET, slot, bytes, 3, 8);
    bench.net.log = note, bench.net.log_ctx = &bench;
    for (uint8_t i = 0; i < 5; i++)
        frame[0] = i, iba_net_send(&bench.net, 0, frame, 8, 0);
    cr_assert_eq(bench.count[IBA_NET_SENT], 5);
    cr_assert_eq(bench.count[IBA_NET_DUPLICATED], 1, "the third slot went to the second frame");
    cr_assert_eq(bench.count[IBA_NET_LOST], 3);
    cr_assert_eq(bench.net.overflow, 3);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(iba_net_receive(&bench.net, 1, got, 8, 0), 8);
        cr_assert_eq(got[0], i / 2);
    }
    iba_net_send(&bench.net, 0, frame, 8, 0);
    cr_assert_eq(bench.net.overflow, 3);
    cr_assert_eq(bench.count[IBA_NET_DUPLICATED], 2);
    iba_net_init(&bench.net, 1, &f, IBA_LINK_ETHERNET, NULL, NULL, 0, 8);
    iba_net_send(&bench.net, 0, frame, 8, 0);
    cr_assert_eq(bench.net.overflow, 1, "a network without slots");
    cr_assert_eq(iba_net_deadline(&bench.net), IBA_NEVER);
}

/* The network against a simple model for any mix of sends and receives: the model is a list, in which it searches the
 * earliest (due, serial). */
Test(net, agrees_with_a_plain_model)
{
    enum { N = 4000 };
    static struct pending {
        iba_time due;
        uint64_t number;
        uint8_t to, there;
    } pending[N];
    const struct iba_net_faults f = {.jitter_ns = 400};
    struct iba_random r;
    uint8_t frame[BYTES], got[BYTES];
    uint64_t sent = 0, number;

    iba_random_seed(&r, 17);
    start(&bench, 17, &f, IBA_LINK_ETHERNET);
    for (iba_time now = 0; sent < N; now += iba_random_below(&r, 40)) {
        for (uint64_t k = iba_random_below(&r, 4); k > 0 && sent < N; k--, sent++) {
            const uint8_t to = (uint8_t)iba_random_below(&r, 2);
            iba_net_send(&bench.net, to ^ 1, frame, numbered(frame, sent), now);
            for (unsigned i = 0; i < SLOTS; i++) /* jitter is random: read what the network chose */
                if (bench.slot[i].used && bench.slot[i].frame == sent)
                    pending[sent] = (struct pending){bench.slot[i].due, sent, to, 1};
        }
        const uint8_t to = (uint8_t)iba_random_below(&r, 2);
        struct pending *best = NULL;
        for (uint64_t i = 0; i < sent; i++)
            if (pending[i].there && pending[i].to == to && pending[i].due <= now &&
                (!best || pending[i].due < best->due))
                best = &pending[i];
        const size_t len = iba_net_receive(&bench.net, to, got, sizeof got, now);
        cr_assert_eq(len > 0, best != NULL);
        if (!best)
            continue;
        memcpy(&number, got, sizeof number);
        cr_assert_eq(number, best->number);
        best->there = 0;
    }
}

Test(random, below_is_uniform_and_in_range)
{
    enum { SIDES = 7, THROWS = 700000 };
    unsigned count[SIDES] = {0};
    struct iba_random r;

    for (uint64_t seed = 0; seed < 1000; seed++) { /* also similar seeds: their first numbers differ */
        iba_random_seed(&r, seed);
        const uint64_t a = iba_random_next(&r);
        iba_random_seed(&r, seed + 1);
        cr_assert_neq(a, iba_random_next(&r));
    }
    iba_random_seed(&r, 0);
    for (unsigned i = 0; i < THROWS; i++) {
        const uint64_t v = iba_random_below(&r, SIDES);
        cr_assert_lt(v, SIDES);
        count[v]++;
    }
    for (unsigned i = 0; i < SIDES; i++)
        expect_share(count[i], THROWS, MILLION / SIDES, "side");
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(iba_random_below(&r, 1), 0);
        cr_assert_lt(iba_random_below(&r, UINT64_MAX), UINT64_MAX);
        cr_assert_lt(iba_random_below(&r, (UINT64_C(1) << 63) + 1), (UINT64_C(1) << 63) + 1);
    }
}
