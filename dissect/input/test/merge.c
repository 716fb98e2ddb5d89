/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytes.h"
#include "merge.h"

#include <criterion/criterion.h>
#include <string.h>

static struct capture *must_open(const struct bytes *f)
{
    char err[256];
    struct capture *c = open_bytes(f->b, f->n, err, sizeof err);
    cr_assert_not_null(c, "%s", err);
    return c;
}

/* Returns a pcap file with one packet at each of these seconds. */
static struct capture *at_seconds(const uint32_t *seconds, size_t n, bool cut)
{
    struct bytes f = {0};
    pcap_header(&f, 0xa1b2c3d4, false, 65535, 1);
    for (size_t i = 0; i < n; i++)
        pcap_record(&f, false, seconds[i], 0, 10, (uint8_t)seconds[i]);
    if (cut)
        put_fill(&f, 0, 3);
    struct capture *c = must_open(&f);
    bytes_free(&f);
    return c;
}

Test(merge, packets_go_by_time_then_by_file)
{
    static const uint32_t a[] = {1, 3, 3, 9}, b[] = {2, 3, 4}, d[] = {3, 1, 10}; /* the last is out of order itself */
    static const struct {
        size_t source;
        uint64_t number, second;
    } order[] = {{0, 1, 1}, {1, 1, 2}, {0, 2, 3}, {0, 3, 3}, {1, 2, 3},
                 {2, 1, 3}, {2, 2, 1}, {1, 3, 4}, {0, 4, 9}, {2, 3, 10}};
    struct capture *captures[] = {at_seconds(a, 4, false), at_seconds(b, 3, false), at_seconds(d, 3, false)};
    struct cap_merge *m = cap_merge_open(captures, 3);
    struct cap_packet p;
    size_t source;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cr_assert_eq(cap_merge_next(m, &p, &source), CAP_PACKET);
        cr_assert(source == order[i].source && p.number == order[i].number, "place %zu", i);
        cr_assert(p.data[0] == order[i].second && p.ts_ns == order[i].second * 1000000000u);
    }
    cr_assert_eq(cap_merge_next(m, &p, &source), CAP_END);
    cr_assert_eq(cap_merge_next(m, &p, &source), CAP_END);
    cap_merge_close(m);
    for (int i = 0; i < 3; i++)
        cap_close(captures[i]);
}

Test(merge, a_fault_is_told_once_and_the_others_go_on)
{
    static const uint32_t a[] = {1, 4}, b[] = {2, 3};
    static const enum cap_result results[] = {CAP_ERROR, CAP_PACKET, CAP_PACKET, CAP_PACKET,
                                              CAP_ERROR, CAP_PACKET, CAP_END,    CAP_END};
    static const size_t sources[] = {2, 0, 1, 1, 1, 0};
    struct capture *captures[] = {at_seconds(a, 2, false), at_seconds(b, 2, true), at_seconds(NULL, 0, true)};
    struct cap_merge *m = cap_merge_open(captures, 3);
    struct cap_packet p;
    size_t source;
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        cr_assert_eq(cap_merge_next(m, &p, &source), results[i], "place %zu", i);
        cr_assert(results[i] == CAP_END || source == sources[i], "place %zu", i);
    }
    cr_assert_str_eq(cap_error(captures[1]), "f: cut in packet 3 at offset 0x4c: 3 of 16 bytes");
    cap_merge_close(m);
    for (int i = 0; i < 3; i++)
        cap_close(captures[i]);
}

Test(merge, packets_without_time_stay_behind_their_predecessor)
{
    static const uint32_t b[] = {3, 6};
    struct bytes f = {0}, simple = {0};
    struct cap_packet p;
    size_t source, order[5], expected[5] = {1, 0, 0, 1, 0};
    put32(&simple, 4, false);
    put_fill(&simple, 1, 4);
    ng_section(&f, false);
    ng_interface(&f, false, 1, 0, NULL);
    ng_packet(&f, false, 0, 5000000, 4, 1, NULL);
    ng_block(&f, false, 3, &simple);
    ng_packet(&f, false, 0, 7000000, 4, 1, NULL);
    struct capture *captures[] = {must_open(&f), at_seconds(b, 2, false)};
    struct cap_merge *m = cap_merge_open(captures, 2);
    for (int i = 0; i < 5; i++) {
        cr_assert_eq(cap_merge_next(m, &p, &source), CAP_PACKET);
        order[i] = source;
    }
    cr_assert_eq(memcmp(order, expected, sizeof order), 0);
    cap_merge_close(m);
    cap_close(captures[0]);
    cap_close(captures[1]);
    bytes_free(&f);
    bytes_free(&simple);
}

Test(merge, as_many_captures_as_can_be)
{
    struct capture *captures[CAP_MERGE_MAX];
    struct cap_packet p;
    uint64_t seed = 5, total = 0, last = 0;
    size_t source, last_source = 0;
    for (size_t i = 0; i < CAP_MERGE_MAX; i++) {
        uint32_t seconds[50], now = 0;
        for (int j = 0; j < 50; j++)
            seconds[j] = now += (uint32_t)(next_random(&seed) % 3);
        captures[i] = at_seconds(seconds, i % 7 ? 50 : 0, false);
    }
    struct cap_merge *m = cap_merge_open(captures, CAP_MERGE_MAX);
    while (cap_merge_next(m, &p, &source) == CAP_PACKET) {
        cr_assert(p.ts_ns > last || (p.ts_ns == last && source >= last_source));
        last = p.ts_ns;
        last_source = source;
        total++;
    }
    cr_assert_eq(total, 54u * 50u);
    cap_merge_close(m);
    for (size_t i = 0; i < CAP_MERGE_MAX; i++)
        cap_close(captures[i]);
}

Test(merge, counts_out_of_range)
{
    cr_assert_null(cap_merge_open(NULL, 0));
    cr_assert_null(cap_merge_open(NULL, CAP_MERGE_MAX + 1));
    cap_merge_close(NULL);
}
