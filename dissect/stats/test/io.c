/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "field/field.h"
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
        "io,stat,1;2", "io,stat,nan", "io,stat, 1",           "io,stat,99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char err[256] = "";
        const char *arg;
        const struct stat_kind *k = stat_find(wrong[i], &arg, err, sizeof err);
        cr_assert_not_null(k);
        cr_expect_null(k->open(arg, err, sizeof err), "%s", wrong[i]);
        char want[256];
        (void)snprintf(
            want, sizeof want,
            "-z %s: the form is -z io,stat,SEC[,FILTER]...; SEC is a number of seconds such as 0.5, or 0 for "
            "the whole run",
            wrong[i]);
        cr_expect_str_eq(err, want);
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

Test(io, columns_count_and_calculate)
{
    const struct frame one =
        frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .psn = 7, .dest_qp = 5});
    const struct frame two =
        frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .psn = 12, .dest_qp = 6});
    const struct frame other = frame_other();
    struct feed f;
    feed_open(
        &f,
        "io,stat,0.5,,infiniband.bth.destqp in {5, 6},SUM(infiniband.bth.psn),AVG(bth.psn)infiniband,"
        "MIN(bth.psn)bth.psn,MAX(bth.psn)bth.psn > 8,COUNT(ip.addr),MIN(frame.time_relative),AVG(frame.time_relative)"
        "infiniband,FRAMES,BYTES()infiniband.bth.destqp == 6");
    feed(&f, &one, 0);
    feed(&f, &two, SECOND / 4);
    feed(&f, &one, SECOND / 3);
    feed(&f, &other, SECOND);
    expect(&f, "io-columns");
}

Test(io, columns_are_merged_with_their_intervals)
{
    const struct frame small =
        frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .psn = 3, .dest_qp = 5});
    const struct frame large =
        frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .psn = 50, .dest_qp = 5});
    struct feed f;
    feed_open(&f, "io,stat,1,SUM(bth.psn),MIN(bth.psn),MAX(bth.psn)");
    for (int64_t i = 0; i < 25001; i++) /* a quarter of the intervals of a run without columns */
        feed(&f, i % 2 ? &large : &small, i * SECOND);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "\"doubled\":1,"));
    cr_expect_eq(occurrences(j, "\"columns\":[{\"sum\":53},{\"min\":3},{\"max\":50}]"), 12500);
    cr_expect_eq(occurrences(j, "\"columns\":[{\"sum\":3},{\"min\":3},{\"max\":3}]"), 1);
    cr_expect(strstr(j, "\"columns\":[{\"sum\":662503,"));
    free(j);
    feed_close(&f);
}

Test(io, columns_that_are_none_are_refused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"io,stat,1,SUM(ip.addr)", "no number and no time; COUNT(FIELD)"},
        {"io,stat,1,MAX(infiniband.bth)", "no number and no time"},
        {"io,stat,1,LOAD(frame.len)", "LOAD(frame.len): no such function; there are COUNT(FIELD), SUM"},
        {"io,stat,1,SUM(bth.psm)", "nearest is"},
        {"io,stat,1,X == 1", "-z io,stat: filter X == 1: column 1: no field \"X\""},
        {"io,stat,1,(udp", "-z io,stat: filter (udp: column 5: the filter ends too early"},
        {"io,stat,1,SUM", "the form is SUM(FIELD)FILTER"},
        {"io,stat,1,SUM()", "the form is SUM(FIELD)FILTER"},
        {"io,stat,1,SUM(bth.psn", "the form is SUM(FIELD)FILTER"},
        {"io,stat,1,FRAMES(bth.psn)", "the form is FRAMES()FILTER"},
        {"io,stat,1,SUM(bth.psn)bth.psn >", "-z io,stat: filter bth.psn >: column"},
        {"io,stat,1,bth.psn,ip.tt == 1", "-z io,stat: filter ip.tt == 1: column 1: no field"},
        {"io,stat,1,,,,,,,,,,,,,,,,,,", "more than 16 filters"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char err[512] = "";
        const char *arg;
        const struct stat_kind *k = stat_find(wrong[i].text, &arg, err, sizeof err);
        cr_assert_not_null(k);
        cr_expect_null(k->open(arg, err, sizeof err), "%s", wrong[i].text);
        cr_expect(strstr(err, wrong[i].says) && !strchr(err, '\n'), "%s: %s", wrong[i].text, err);
    }
}

static bool is_psn(const struct field *f)
{
    return strcmp(f->name, "infiniband.bth.psn") == 0;
}

Test(io, fields_of_columns_are_known)
{
    static const struct {
        const char *text;
        bool uses;
    } cases[] = {{"io,stat,1", false},
                 {"io,stat,1,udp", false},
                 {"io,stat,1,udp,SUM(bth.psn)udp", true},
                 {"io,stat,1,COUNT(udp.port)udp && bth.psn == 1", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct feed f;
        feed_open(&f, cases[i].text);
        cr_expect_eq(f.kind->uses(f.state, is_psn), cases[i].uses, "%s", cases[i].text);
        feed_close(&f);
    }
}

/* Feeds a frame of RC SEND Only at each time; `has` must be in the JSON, and `shows` in the text. */
struct calculated {
    const char *statistic;
    int64_t at[3];
    unsigned n;
    const char *has, *shows;
};

static void calculate(const struct calculated *c, const struct frame *frame)
{
    struct feed f;

    feed_open(&f, c->statistic);
    for (unsigned i = 0; i < c->n; i++)
        feed(&f, frame, c->at[i]);
    char *j = printed(&f, true), *t = printed(&f, false);
    cr_expect(strstr(j, c->has), "%s: %s", c->statistic, j);
    cr_expect(strstr(t, c->shows), "%s: %s", c->statistic, t);
    free(j);
    free(t);
    feed_close(&f);
}

/* Times may be negative, and are compared as such. */
Test(io, columns_of_times)
{
    static const struct calculated rows[] = {
        {"io,stat,0,MIN(frame.time_relative)",
         {5, -SECOND, 7},
         3,
         "\"columns\":[{\"min\":-1.000000000,",
         " -1.000000000\n"},
        {"io,stat,0,MAX(frame.time_relative)", {5, -SECOND, 7}, 3, "{\"max\":0.000000007,", " 0.000000007\n"},
        {"io,stat,0,MAX(frame.time_relative)", {-5, -SECOND, -7}, 3, "{\"max\":-0.000000005,", " -0.000000005\n"},
        {"io,stat,0,SUM(frame.time_relative)", {5, -SECOND, 7}, 3, "{\"sum\":-0.999999988,", " -0.999999988\n"},
        {"io,stat,0,AVG(frame.time_relative)", {5, -SECOND, 7}, 3, "{\"avg\":-0.333333329,", " -0.333333329\n"},
        {"io,stat,0,COUNT(frame.time_relative)", {5, UNTIMED, 7}, 3, "{\"count\":2,", " 2\n"},
        {"io,stat,0,SUM(frame.time_epoch)", {5}, 1, "{\"sum\":1700000000.000000005,", " 1700000000.000000005\n"},
    };
    const struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY});

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        calculate(&rows[i], &frame);
}

/* A column without values shows "-", in JSON null; the sum of nothing is 0. Fractions have three digits. */
Test(io, columns_of_numbers)
{
    static const struct calculated rows[] = {
        {"io,stat,0,AVG(bth.psn)frame.number > 9", {0}, 1, "{\"avg\":null,", " -\n"},
        {"io,stat,0,MIN(deth.srcqp)", {0}, 1, "{\"min\":null,", " -\n"},
        {"io,stat,0,MAX(deth.srcqp)", {0}, 1, "{\"max\":null,", " -\n"},
        {"io,stat,0,SUM(deth.srcqp)", {0}, 1, "{\"sum\":0,", " 0\n"},
        {"io,stat,0,COUNT(deth.srcqp)", {0}, 1, "{\"count\":0,", " 0\n"},
        {"io,stat,0,AVG(frame.number)", {0, 1}, 2, "{\"avg\":1.500,", " 1.500\n"},
        {"io,stat,0,AVG(udp.port)", {0, 1}, 2, "{\"avg\":2395.500,", " 2395.500\n"}, /* 0 and 4791 */
        {"io,stat,0,AVG(frame.number)frame.number != 2", {0, 1, 2}, 3, "{\"avg\":2.000,", " 2.000\n"},
        {"io,stat,0,FRAMES()bth.psn == 7", {0, 1}, 2, "{\"packets\":2,", " 2\n"},
        {"io,stat,0,BYTES()bth.psn == 8", {0, 1}, 2, "{\"bytes\":0,", " 0\n"},
        {"io,stat,0,BYTES", {0, 1}, 2, "{\"bytes\":116,\"text\":\"BYTES\",\"function\":\"BYTES\",", " 116\n"},
    };
    const struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_SEND_ONLY, .psn = 7});

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        calculate(&rows[i], &frame);
}

/* A sum ends at the largest number, and does not begin again at 0. */
Test(io, sums_that_are_too_large)
{
    struct frame frame = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2, .opcode = IBA_RC_READ_REQUEST});
    const struct calculated number = {
        "io,stat,0,SUM(reth.va)", {0, 1, 2}, 2, "{\"sum\":18446744073709551615,", " 18446744073709551615\n"};
    const struct calculated latest = {"io,stat,0,SUM(frame.time_epoch)",
                                      {INT64_C(7000000000000000000), 0, 0},
                                      2,
                                      "{\"sum\":9223372036.854775807,",
                                      " 9223372036.854775807\n"};
    struct feed f;

    iba_reth_set_va(frame.b + frame.n - IBA_ICRC_BYTES - IBA_BYTES_reth, UINT64_C(0xffffffffffffff00));
    calculate(&number, &frame);
    calculate(&latest, &frame);
    feed_open(&f, "io,stat,0,SUM(frame.time_relative)");
    f.p.first_ns = UINT64_C(9000000000000000000);
    f.cap.has_ts = true;
    for (unsigned i = 0; i < 2; i++)
        feed_at(&f, &frame, 1);
    char *j = printed(&f, true);
    cr_expect(strstr(j, "{\"sum\":-9223372036.854775808,"), "%s", j);
    free(j);
    feed_close(&f);
}

/* A comma inside brackets, or inside quotes, ends no column; a bracket too many ends nothing. A
 * backslash is shown as two. */
Test(io, where_columns_end)
{
    static const struct {
        const char *columns;
        const char *text[4];
        unsigned n;
    } rows[] = {
        {"udp,ip", {"udp", "ip"}, 2},
        {"bth.psn in {1, 2},ip", {"bth.psn in {1, 2}", "ip"}, 2},
        {"(udp && bth.psn in {1, (2)}) || ip,udp", {"(udp && bth.psn in {1, (2)}) || ip", "udp"}, 2},
        {"frame[0:2,4:1] == 00:00:00,ip", {"frame[0:2,4:1] == 00:00:00", "ip"}, 2},
        {"infiniband.encapsulation contains \"a,b\",ip", {"infiniband.encapsulation contains \"a,b\"", "ip"}, 2},
        {"infiniband.encapsulation contains \"a\\\",b\",ip",
         {"infiniband.encapsulation contains \"a\\\\\",b\"", "ip"},
         2},
        {"infiniband.encapsulation contains \"')\",ip,udp",
         {"infiniband.encapsulation contains \"')\"", "ip", "udp"},
         3},
        {"SUM(bth.psn)udp,COUNT(ip.addr)", {"SUM(bth.psn)udp", "COUNT(ip.addr)"}, 2},
        {",,", {"", "", ""}, 3},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char statistic[128], want[128];
        struct feed f;
        (void)snprintf(statistic, sizeof statistic, "io,stat,1,%s", rows[i].columns);
        feed_open(&f, statistic);
        char *t = printed(&f, false), *at = t;
        for (unsigned k = 0; k < rows[i].n; k++) {
            (void)snprintf(want, sizeof want, "%u: %s\n", k + 1, rows[i].text[k][0] ? rows[i].text[k] : "every packet");
            cr_expect(strncmp(at, want, strlen(want)) == 0, "row %zu: %s is not at %s", i, want, at);
            at += strcspn(at, "\n") + 1;
        }
        cr_expect_eq(*at, '=', "row %zu: %s", i, t);
        free(t);
        feed_close(&f);
    }
}

Test(io, sixteen_filters_are_the_most)
{
    struct feed f;

    feed_open(&f, "io,stat,1,,,,,,,,,,,,,,,,");
    char *j = printed(&f, true);
    cr_expect_eq(occurrences(j, "\"text\":\"\""), 16, "%s", j);
    free(j);
    char *t = printed(&f, false);
    cr_expect_eq(occurrences(t, "Bytes"), 16, "%s", t);
    free(t);
    feed_close(&f);
}
