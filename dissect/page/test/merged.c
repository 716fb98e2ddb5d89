/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of merged summaries: connections that several captures show count once, pairs of hosts, hosts that send to
 * one host at the same time, and the sentences and tables of the page. */
#include "page/merged.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "page/page.h"

#define SECOND UINT64_C(1000000000)
#define NOON UINT64_C(1700000000) /* 2023-11-14T22:13:20Z */

static struct summary *s;
static struct merged m;
static struct out o;

static void begin(void)
{
    s = summary_open();
    cr_assert_not_null(s);
    out_init(&o, -1);
}

static void end(void)
{
    free(m.pair);
    m.pair = NULL;
    summary_free(s);
}

TestSuite(merged, .init = begin, .fini = end);

/* Adds what a host saw of the connection of 10.0.0.`a` to 10.0.0.`b` from `first` to `last` (seconds): packets from `a`
 * of 100 bytes each, and an answer to each tenth one. */
static void seen_by(const char *host, uint8_t a, uint8_t b, uint64_t first, uint64_t last, uint64_t packets)
{
    struct summary_sides sides;
    const uint8_t from[IBA_ADDR_MOST] = {10, 0, 0, a}, to[IBA_ADDR_MOST] = {10, 0, 0, b};
    struct summary_part p = {
        .host = summary_text(s, host), .first_ns = (NOON + first) * SECOND, .last_ns = (NOON + last) * SECOND};

    p.ends.key[0] = IBA_ADDR_IPV4;
    p.ends.key[1] = IBA_RC;
    summary_set_end(&p.ends, 0, from, true, 0x11);
    summary_set_end(&p.ends, 1, to, true, 0x22);
    const unsigned of_a = summary_ends_order(&p.ends);
    memset(&sides, 0, sizeof sides);
    sides.at[of_a][SUMMARY_SIDE_PACKETS] = packets;
    sides.at[of_a][SUMMARY_SIDE_PAYLOAD] = 100 * packets;
    sides.at[!of_a][SUMMARY_SIDE_PACKETS] = packets / 10;
    summary_add_part(s, &p, &sides);
}

static void collected(void)
{
    char err[200] = "";

    cr_assert(summary_sort(s, err, sizeof err), "%s", err);
    free(m.pair);
    cr_assert(merged_collect(&m, s));
}

static void pair_is(size_t i, uint8_t from, uint8_t to, uint64_t directions, uint64_t packets, uint64_t payload)
{
    cr_assert_lt(i, m.n_pair);
    const struct merged_pair *p = &m.pair[i];
    cr_expect(p->src[3] == from && p->dst[3] == to, "%zu: from %u to %u", i, p->src[3], p->dst[3]);
    cr_expect(p->directions == directions && p->packets == packets && p->payload == payload, "%zu: %lu %lu %lu", i,
              (unsigned long)p->directions, (unsigned long)p->packets, (unsigned long)p->payload);
}

/* ---- connections ---- */

Test(merged, the_host_that_saw_most_counts)
{
    seen_by("sender", 1, 2, 0, 10, 900);
    seen_by("receiver", 1, 2, 0, 10, 1000);
    seen_by("other", 1, 2, 0, 10, 1000); /* as many: the name decides */
    seen_by("sender", 3, 2, 0, 10, 50);
    collected();
    cr_expect(m.connections == 2 && m.several == 1);
    cr_expect_eq(m.n_pair, 4);
    pair_is(0, 1, 2, 1, 1000, 100000);
    pair_is(1, 3, 2, 1, 50, 5000);
    pair_is(2, 2, 1, 1, 100, 0);
    pair_is(3, 2, 3, 1, 5, 0);
    cr_expect_eq(m.pair[0].first_ns, NOON * SECOND);
    cr_expect_eq(m.pair[0].last_ns, (NOON + 10) * SECOND);
}

Test(merged, pieces_add_up_and_copies_do_not)
{
    seen_by("h", 1, 2, 0, 10, 100);
    seen_by("h", 1, 2, 10, 20, 200);
    seen_by("h", 1, 2, 15, 25, 400); /* half of it is in common: still a piece */
    collected();
    pair_is(0, 1, 2, 1, 700, 70000);
    cr_expect_eq(m.pair[0].last_ns, (NOON + 25) * SECOND);
    seen_by("h", 1, 2, 19, 26, 800); /* six of seven seconds: a second capture of the same packets */
    collected();
    pair_is(0, 1, 2, 1, 700, 70000);
    cr_expect_eq(m.several, 0);
}

/* The host with the most packets counts, all its pieces together. */
Test(merged, pieces_of_several_hosts)
{
    seen_by("a", 1, 2, 0, 10, 100);
    seen_by("a", 1, 2, 10, 20, 100);
    seen_by("a", 1, 2, 20, 30, 100);
    seen_by("b", 1, 2, 0, 30, 250);
    collected();
    pair_is(0, 1, 2, 1, 300, 30000);
    seen_by("b", 1, 2, 30, 40, 51);
    collected();
    pair_is(0, 1, 2, 1, 301, 30100);
    cr_expect_eq(m.several, 1);
}

/* Adds a connection with one packet in each direction. */
static void connection(enum iba_addr_kind kind, enum iba_svc service, uint32_t qp, uint64_t first, uint64_t last)
{
    const uint8_t a[IBA_ADDR_MOST] = {10, 0, 0, 1}, b[IBA_ADDR_MOST] = {10, 0, 0, 2};
    struct summary_part p = {.host = summary_text(s, "h"), .first_ns = first, .last_ns = last};
    static struct summary_sides sides;

    memset(&sides, 0, sizeof sides);
    p.ends.key[0] = (uint8_t)kind;
    p.ends.key[1] = (uint8_t)service;
    summary_set_end(&p.ends, 0, a, true, qp);
    summary_set_end(&p.ends, 1, b, true, 2);
    for (unsigned side = 0; side < 2; side++) {
        sides.at[side][SUMMARY_SIDE_PACKETS] = 1;
        sides.at[side][SUMMARY_AT_LIMIT + side] = 10 + side;
        sides.at[side][SUMMARY_AT_LIMIT + PERF_LIMIT_COUNT - 1] = 1;
    }
    summary_add_part(s, &p, &sides);
}

/* Only reliable services have limits, as only these have responses. */
Test(merged, limits_of_each_service)
{
    static const enum iba_svc services[] = {IBA_RC, IBA_UC, IBA_RD, IBA_UD, IBA_XRC};

    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        const bool counts = services[i] == IBA_RC || services[i] == IBA_XRC;
        summary_clear(s);
        connection(IBA_ADDR_IPV4, services[i], 1, SECOND, SECOND);
        collected();
        cr_expect_eq(m.limits.ns[0], counts ? 10 : 0, "service %zu", i);
        cr_expect_eq(m.limits.ns[1], counts ? 11 : 0, "service %zu", i);
        cr_expect_eq(m.limits.ns[PERF_LIMIT_COUNT - 1], counts ? 2 : 0, "service %zu", i);
        cr_expect_eq(m.limits.life, counts ? 23 : 0, "service %zu", i);
    }
}

/* Packets without a time leave the time of a pair as it is. */
Test(merged, the_time_of_a_pair)
{
    static const uint64_t times[][2] = {{0, 0}, {20, 30}, {10, 15}, {0, 0}, {25, 40}}; /* by QP */

    for (uint32_t i = 0; i < 5; i++)
        connection(IBA_ADDR_IPV4, IBA_RC, 1 + i, times[i][0], times[i][1]);
    collected();
    cr_assert_eq(m.n_pair, 2);
    for (size_t i = 0; i < 2; i++)
        cr_expect(m.pair[i].first_ns == 10 && m.pair[i].last_ns == 40 && m.pair[i].directions == 5);
}

/* Addresses of different kinds are different hosts, though their bytes are equal. */
Test(merged, kinds_of_addresses)
{
    connection(IBA_ADDR_IPV6, IBA_RC, 1, SECOND, SECOND);
    connection(IBA_ADDR_IPV4, IBA_RC, 1, SECOND, SECOND);
    connection(IBA_ADDR_IPV6, IBA_RC, 2, SECOND, SECOND);
    collected();
    cr_assert_eq(m.n_pair, 4);
    for (size_t i = 0; i < 4; i++) {
        const uint64_t directions = m.pair[i].kind == IBA_ADDR_IPV4 ? 1 : 2;
        cr_expect_eq(m.pair[i].directions, directions, "pair %zu", i);
        cr_expect(i == 0 || m.pair[i - 1].kind <= m.pair[i].kind, "sorted by kind");
    }
}

Test(merged, connections_of_two_hosts_are_a_pair)
{
    const uint8_t a[IBA_ADDR_MOST] = {10, 0, 0, 1}, b[IBA_ADDR_MOST] = {10, 0, 0, 2};

    for (unsigned i = 0; i < 3; i++) {
        struct summary_part p = {
            .host = summary_text(s, "h"), .first_ns = (30 - i) * SECOND, .last_ns = (40 + i) * SECOND};
        struct summary_sides sides = {0};
        p.ends.key[0] = IBA_ADDR_IPV4;
        p.ends.key[1] = i == 2 ? IBA_UC : IBA_RC;
        summary_set_end(&p.ends, 0, a, true, 100 + i);
        summary_set_end(&p.ends, 1, b, true, 200);
        sides.at[0][SUMMARY_SIDE_PACKETS] = 1;
        sides.at[0][SUMMARY_SIDE_AGAIN] = 10 * i;
        sides.at[0][SUMMARY_AT_LIMIT] = 5;
        summary_add_part(s, &p, &sides);
    }
    collected();
    cr_assert_eq(m.n_pair, 1);
    pair_is(0, 1, 2, 3, 3, 0);
    cr_expect(m.pair[0].again == 30 && m.pair[0].first_ns == 28 * SECOND && m.pair[0].last_ns == 42 * SECOND);
    cr_expect(m.limits.ns[0] == 10 && m.limits.life == 10, "of the two reliable ones");
}

Test(merged, the_worst_connections)
{
    unsigned error = 0, note = 0;

    while (iba_findings[error].severity != IBA_ERROR)
        error++;
    while (iba_findings[note].severity >= IBA_WARN)
        note++;
    for (unsigned i = 0; i < MERGED_WORST + 6; i++) {
        const uint8_t a[IBA_ADDR_MOST] = {10, 0, 0, 1}, b[IBA_ADDR_MOST] = {10, 0, 0, 2};
        struct summary_part p = {.host = summary_text(s, "h"), .last_ns = SECOND};
        struct summary_sides sides = {0};
        p.ends.key[0] = IBA_ADDR_IPV4;
        p.ends.key[1] = IBA_RC;
        summary_set_end(&p.ends, 0, a, true, i);
        summary_set_end(&p.ends, 1, b, true, 200);
        sides.at[i % 2][SUMMARY_AT_FOUND + (i == 0 ? note : error)] = i / 2; /* two of each number */
        sides.at[1][SUMMARY_SIDE_AGAIN] = i >= 2 ? i % 2 : 0u;
        summary_add_part(s, &p, &sides);
    }
    collected();
    cr_expect_eq(m.bad_connections, MERGED_WORST + 4, "without a fault and a repeat: two");
    cr_expect_eq(m.n_worst, MERGED_WORST);
    for (unsigned i = 0; i < MERGED_WORST; i++) {
        const unsigned number = MERGED_WORST + 5 - i;
        cr_expect(m.worst[i].bad == number / 2 && m.worst[i].again == number % 2, "%u", i);
    }
}

Test(merged, hosts_that_send_at_the_same_time)
{
    const struct merged_pair *to = NULL;

    for (unsigned i = 0; i < 4; i++)
        seen_by("h", (uint8_t)(10 + i), 99, 4 * i, 4 * i + 10, 100); /* the first ends before the fourth begins */
    seen_by("h", 20, 98, 0, 100, 100);
    seen_by("h", 21, 98, 0, 100, 100);
    collected();
    cr_expect_eq(merged_incast(&m, &to), 3);
    cr_assert_not_null(to);
    cr_expect_eq(to->dst[3], 99);
    seen_by("h", 22, 98, 100, 101, 100); /* begins in the moment in which the others end */
    seen_by("h", 23, 98, 50, 60, 100);
    collected();
    cr_expect_eq(merged_incast(&m, &to), 3);
    seen_by("h", 24, 98, 60, 70, 100);
    collected();
    cr_expect_eq(merged_incast(&m, &to), 4);
    cr_expect_eq(to->dst[3], 98);
}

/* ---- the page ---- */

static void page_says(const char *text)
{
    cr_expect(strstr(o.buf, text), "it does not say: %s", text);
}

static void page(void)
{
    char err[200] = "";

    o.n = 0;
    cr_assert(report_merged(s, &o, err, sizeof err), "%s", err);
    o.buf[o.n] = '\0';
}

static void capture(const char *host, const char *file, bool whole, uint64_t first, uint64_t last)
{
    summary_add_capture(s, &(struct summary_capture){.host = summary_text(s, host),
                                                     .file = summary_text(s, file),
                                                     .whole = whole,
                                                     .packets = 7,
                                                     .first_ns = first ? (NOON + first) * SECOND : 0,
                                                     .last_ns = last ? (NOON + last) * SECOND : 0});
}

Test(merged, the_first_sentences)
{
    seen_by("one", 1, 2, 1, 5, 10);
    s->count[SUMMARY_PACKETS] = 11;
    capture("two", "b.pcap", true, 0, 0); /* without times */
    capture("one", "a.pcap", false, 40, 3600);
    capture("one", "c.pcap", true, 20, 100);
    capture("two", "d.pcap", true, 30, 60);
    page();
    page_says(
        "11 packets of 1 connection in 4 captures of 2 hosts, from 2023-11-14T22:13:40Z to 2023-11-14T23:13:20Z: ");
    page_says("<tr><td>one</td><td>c.pcap</td><td class=\"n\">7</td><td>2023-11-14T22:13:40Z</td><td>yes</td></tr>\n"
              "<tr><td>one</td><td>a.pcap</td><td class=\"n\">7</td><td>2023-11-14T22:14:00Z</td><td>no</td></tr>\n"
              "<tr><td>two</td><td>b.pcap</td><td class=\"n\">7</td><td></td><td>yes</td></tr>\n");
    cr_expect_null(strstr(o.buf, "captures of several hosts"));
    seen_by("two", 1, 2, 1, 5, 10);
    page();
    page_says("<p>1 connection with captures of several hosts: ");
}

Test(merged, over_time)
{
    uint64_t count[SUMMARY_BUCKET_COUNTS] = {0};

    for (unsigned i = 0; i < 257; i++) { /* one more than there are bins: each two become one */
        count[SUMMARY_PAYLOAD] = i < 2 || i == 256 ? 10 + i : 0u;
        count[SUMMARY_ERRORS] = i == 2;
        count[SUMMARY_WARNINGS] = i == 3 ? 5 : 0;
        summary_add_bucket(s, 0, NOON + i, count);
    }
    page();
    page_says("<figcaption>All connections, from 2023-11-14T22:13:20Z on, each 2 s</figcaption>");
    page_says("{\"begin\":1700000000,\"from\":0,\"bucket\":2000000000,\"bytes\":[21,0,0,0");
    page_says(",0,0,266]}");
    page_says(",\"bad\":[0,6,0,");
}

Test(merged, hosts_with_the_most_payload)
{
    for (unsigned i = 0; i < 20; i++)
        seen_by("h", (uint8_t)(10 + i), 99, 0, 1, 1000 - 10 * i);
    page();
    page_says("<tr><td>10.0.0.10</td><td>10.0.0.99</td><td class=\"n\">1</td><td class=\"n\">1000</td>"
              "<td class=\"n\">100000</td><td class=\"n\">5.5 %</td><td class=\"n\">0</td><td class=\"n\">0</td></tr>");
    page_says("<p>8 more pairs with less payload are not listed.</p>");
    page_says("<p>5 more hosts with less payload are not in the matrix.</p>");
    page_says(" 20 hosts send to 10.0.0.99 at the same time.");
    page_says("<th>10.0.0.23</th><th>10.0.0.24</th><th>10.0.0.99</th></tr>\n<tr><th>10.0.0.10</th>");
    page_says("var(--note) 65%, transparent)\">5.5 %</td></tr>\n<tr><th>10.0.0.11</th>");
}

/* The order is that of payload, not that of addresses, and only the busiest hosts are in the matrix. */
Test(merged, hosts_in_the_order_of_their_payload)
{
    for (unsigned i = 0; i < 20; i++)
        seen_by("h", (uint8_t)(10 + i), 99, 0, 1, 100 * (i + 1));
    page();
    page_says("</th></tr>\n<tr><td>10.0.0.29</td><td>10.0.0.99</td>");
    page_says("<caption>Share of all payload, from the host of the row to that of the column</caption>\n<tr><th></th>"
              "<th>10.0.0.15</th><th>10.0.0.16</th>");
    page_says("<tr><th>10.0.0.15</th><td></td>");
    page_says("var(--note) 65%, transparent)\">9.5 %</td></tr>\n<tr><th>10.0.0.99</th><td></td><td></td>");
}

/* The targets of pairs with much and with little payload take turns. */
Test(merged, targets_that_take_turns)
{
    const struct merged_pair *to = NULL;

    for (unsigned i = 0; i < 9; i++)
        seen_by("h", (uint8_t)(10 + i), (uint8_t)(97 + i % 3), i % 3 == 1 ? 0 : i, i % 3 == 1 ? 10 : i, 100 - i);
    collected();
    cr_expect_eq(merged_incast(&m, &to), 3);
    cr_assert_not_null(to);
    cr_expect_eq(to->dst[3], 98);
}
