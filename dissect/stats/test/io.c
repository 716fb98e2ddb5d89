/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include "wire/iba_opcode_rows.h"

#define SECOND INT64_C(1000000000)

Test(io, nothing_seen)
{
    struct feed f;
    feed_open(&f, "io,stat,1");
    expect(&f, "io-empty");
}

Test(io, packets_fall_into_their_intervals)
{
    const struct frame good = frame_captured(), other = frame_other();
    const struct frame bad =
        frame_of(&(struct spec){.proto = IBA_PROTO_IB, .opcode = IBA_RC_SEND_ONLY, .words = 2, .bad_icrc = true});
    struct feed f;
    feed_open(&f, "io,stat,0.5");
    feed(&f, &good, 0);
    feed(&f, &other, SECOND / 2 - 1);
    feed(&f, &good, SECOND / 2);
    feed(&f, &bad, 2 * SECOND);
    expect(&f, "io-half-seconds");
}

Test(io, zero_is_the_whole_run)
{
    const struct frame good = frame_captured();
    struct feed f;
    feed_open(&f, "io,stat,0");
    feed(&f, &good, 0);
    feed(&f, &good, 3600 * SECOND);
    feed(&f, &good, 7 * SECOND);
    expect(&f, "io-whole");
}

Test(io, packets_without_time_and_before_the_first)
{
    const struct frame good = frame_captured();
    struct feed f;
    feed_open(&f, "io,stat,1");
    feed(&f, &good, UNTIMED);
    feed(&f, &good, 2 * SECOND);
    feed(&f, &good, UNTIMED);
    feed(&f, &good, -5 * SECOND);
    feed(&f, &good, UNTIMED);
    expect(&f, "io-untimed");
}

Test(io, a_run_whose_first_packet_has_no_time_counts_from_the_first_that_has)
{
    const struct frame good = frame_captured();
    struct feed f;
    feed_open(&f, "io,stat,1");
    f.p.first_ns = 0;
    feed(&f, &good, UNTIMED);
    feed(&f, &good, 0);
    feed(&f, &good, SECOND);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"duration\":1.000000000,\"packets\":3,"), "%s", j);
    cr_expect(strstr(j, "\"start\":0.000000000,\"end\":1.000000000,\"packets\":2,"), "%s", j);
    free(j);
    feed_close(&f);
}

Test(io, intervals_are_merged_when_there_are_too_many)
{
    const struct frame good = frame_captured();
    struct feed f;
    feed_open(&f, "io,stat,0.001");
    for (int64_t i = 0; i < 100000; i++)
        feed(&f, &good, i * SECOND / 1000);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"doubled\":0,"));
    cr_expect_eq(occurrences(j, "\"packets\":1,"), 100000);
    free(j);
    feed(&f, &good, 100 * SECOND);
    j = printed(&f, true);
    cr_expect(strstr(j, "\"asked\":0.001000000,\"interval\":0.002000000,\"doubled\":1,\"duration\":100.000000000,"
                        "\"packets\":100001,\"bytes\":7800078,"));
    cr_expect_eq(occurrences(j, "\"packets\":2,"), 50000);
    cr_expect_eq(occurrences(j, "\"packets\":1,"), 1);
    free(j);
    char *t = printed(&f, false);
    cr_expect(strstr(t, "A run has at most 100000 intervals: 0.001000000 s was doubled to 0.002000000 s\n"));
    cr_expect_eq(occurrences(t, "\n"), 50001 + 8);
    free(t);
    feed_close(&f);
}

Test(io, times_beyond_all_reason_stay_in_bounds)
{
    const struct frame good = frame_captured();
    struct feed f;
    feed_open(&f, "io,stat,0.000000001");
    f.p.first_ns = 1;
    f.cap.has_ts = true;
    feed_at(&f, &good, 1);
    feed_at(&f, &good, UINT64_MAX);
    feed_at(&f, &good, 0);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"duration\":9223372036.854775807,\"packets\":3,"), "%.300s", j);
    cr_expect(strstr(j, "\"early\":1,\"intervals\":[{\"start\":0.000000000,"));
    free(j);
    feed_close(&f);
}

Test(io, seconds_that_are_none_are_refused)
{
    static const char *const wrong[] = {
        "io,stat",     "io,stat,",    "io,stat,abc",          "io,stat,-1",
        "io,stat,1e3", "io,stat,.",   "io,stat,1.0000000001", "io,stat,1000000001",
        "io,stat,1,2", "io,stat,nan", "io,stat, 1",           "io,stat,99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char err[256] = "";
        const char *arg;
        const struct stat_kind *k = stat_find(wrong[i], &arg, err, sizeof err);
        cr_assert_not_null(k);
        cr_expect_null(k->open(arg, err, sizeof err), "%s", wrong[i]);
        cr_expect(strstr(err, "SEC is a number of seconds") && !strchr(err, '\n'), "%s", err);
    }
}

Test(io, seconds_are_exact)
{
    static const struct {
        const char *text, *json;
    } right[] = {{"io,stat,1", "\"interval\":1.000000000,"},
                 {"io,stat,.5", "\"interval\":0.500000000,"},
                 {"io,stat,2.", "\"interval\":2.000000000,"},
                 {"io,stat,0.1", "\"interval\":0.100000000,"},
                 {"io,stat,0.000000001", "\"interval\":0.000000001,"},
                 {"io,stat,0.0", "\"interval\":0.000000000,"},
                 {"io,stat,1000000000", "\"interval\":1000000000.000000000,"}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct feed f;
        feed_open(&f, right[i].text);
        char *j = printed(&f, true);
        cr_expect(strstr(j, right[i].json), "%s: %s", right[i].text, j);
        free(j);
        feed_close(&f);
    }
}
