/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/rounds.h"
#include <criterion/criterion.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)

static struct rounds *opened(void)
{
    struct rounds *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    return r;
}

/* `hosts` hosts send one request each, a microsecond apart. */
static void burst(struct rounds *r, unsigned hosts, uint64_t at, uint64_t bytes)
{
    for (unsigned h = 0; h < hosts; h++)
        rounds_packet(r, h, at + h * 1000, bytes);
}

Test(rounds, bursts_of_the_same_are_rounds)
{
    struct rounds *r = opened();
    struct round_host row[ROUND_HOSTS];
    for (unsigned i = 0; i < 8; i++)
        burst(r, 3, i * MS, 100);
    cr_assert(rounds_find(r));
    cr_assert(rounds_find(r), "again");
    cr_expect_eq(rounds_count(r, row), 8);
    cr_expect_eq(row[2].last, 8);
    cr_expect_eq(row[2].behind, 8 * 1000);
    cr_expect_eq(row[0].waits, 8 * 2000);
    cr_expect_eq(row[1].after, 8 * 1000);
    free(r);
}

Test(rounds, what_does_not_repeat_is_none)
{
    static const struct {
        unsigned bursts, hosts, odd; /* odd: so many have other bytes */
        bool found;
    } cases[] = {{4, 3, 0, false}, {5, 3, 0, true},  {8, 2, 0, false}, {8, 3, 1, false},
                 {8, 3, 3, false}, {22, 3, 2, true}, {22, 3, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rounds *r = opened();
        for (unsigned k = 0; k < cases[i].bursts; k++)
            burst(r, cases[i].hosts, k * MS, k >= 1 && k <= cases[i].odd ? 1000 + k : 100);
        cr_expect_eq(rounds_find(r), cases[i].found, "case %zu", i);
        free(r);
    }
}

Test(rounds, ends_may_be_cut)
{
    struct rounds *r = opened();
    struct round_host row[ROUND_HOSTS];
    burst(r, 1, 0, 100);
    for (unsigned i = 1; i < 6; i++)
        burst(r, 3, i * MS, 100);
    burst(r, 2, 6 * MS, 100);
    cr_assert(rounds_find(r));
    cr_expect_eq(rounds_count(r, row), 5);
    free(r);
}

Test(rounds, a_silence_inside_a_round_is_joined)
{
    struct rounds *r = opened();
    struct round_host row[ROUND_HOSTS];
    for (unsigned i = 0; i < 10; i++) {
        burst(r, 2, i * 10 * MS, 100);
        rounds_packet(r, 2, i * 10 * MS + 2 * MS, 50); /* it is late, the others wait */
        burst(r, 3, i * 10 * MS + 3 * MS, 70);
    }
    cr_assert(rounds_find(r));
    cr_expect_eq(rounds_count(r, row), 10);
    cr_expect_eq(r->burst[5].part[0].bytes, 170);
    cr_expect_eq(row[2].last, 10);
    cr_expect_eq(row[2].behind, 10 * (2 * MS - 1000));
    free(r);
}

Test(rounds, more_bursts_than_room_forget_the_shortest_silences)
{
    struct rounds *r = opened();
    struct round_host row[ROUND_HOSTS];
    for (unsigned i = 0; i < 300; i++)
        for (unsigned k = 0; k < 6; k++) /* 1800 bursts with silences of 20 us, and 300 of 5 ms */
            burst(r, 3, i * 5 * MS + k * 20000, 100);
    cr_expect_leq(r->n, (unsigned)ROUND_BURSTS);
    cr_assert(rounds_find(r));
    cr_expect_eq(rounds_count(r, row), 300);
    free(r);
}

Test(rounds, requests_of_hosts_beyond_the_table_end_the_search)
{
    struct rounds *r = opened();
    for (unsigned i = 0; i < 8; i++) {
        burst(r, 3, i * MS, 100);
        rounds_packet(r, ROUND_HOSTS, i * MS + 5000, 0);
    }
    cr_expect(rounds_find(r), "packets that are no requests change nothing");
    r->others = true;
    cr_expect_not(rounds_find(r));
    free(r);
}

/* A silence of exactly the length that separates bursts separates them. When there is no more room, bursts with the
 * shortest silences between them are joined. */
Test(rounds, silences_of_exactly_the_limit)
{
    enum { QUIET = 10000 };
    struct rounds *r = opened();
    uint64_t at = 0;
    for (unsigned i = 0; i < ROUND_BURSTS; i++) {
        rounds_packet(r, 0, at, 1);
        at += i % 2 ? 2 * QUIET : QUIET;
    }
    cr_assert_eq(r->n, ROUND_BURSTS);
    rounds_packet(r, 0, at - 2 * QUIET + QUIET - 1, 1);
    cr_assert(r->n == ROUND_BURSTS && r->quiet == QUIET, "it belongs to the last burst");
    rounds_packet(r, 0, at + QUIET, 1);
    cr_assert_eq(r->quiet, 2 * QUIET);
    cr_assert_eq(r->n, ROUND_BURSTS / 2 + 1);
    for (unsigned i = 0; i + 1 < r->n; i++) {
        cr_expect_eq(r->burst[i].part[0].packets, i + 2 < r->n ? 2 : 3, "burst %u", i);
        cr_expect_eq(r->burst[i].begin, 3 * QUIET * (uint64_t)i, "burst %u", i);
    }
    free(r);
}

/* At exactly the limit where every burst is joined with the next, one burst is left. */
Test(rounds, all_bursts_become_one)
{
    enum { QUIET = 10000 };
    struct rounds *r = opened();
    for (unsigned i = 0; i <= ROUND_BURSTS; i++)
        rounds_packet(r, 0, (uint64_t)i * QUIET, 1);
    cr_expect(r->n == 1 && r->quiet == 2 * QUIET);
    cr_expect_eq(r->burst[0].part[0].packets, ROUND_BURSTS + 1);
    cr_expect_eq(r->burst[0].end, (uint64_t)ROUND_BURSTS * QUIET);
    free(r);
}
