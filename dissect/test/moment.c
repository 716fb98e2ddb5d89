/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates and seconds that a user writes. The C library is the witness of every day from 1970 to 2200. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "field/moment.h"

enum { GIGA = 1000000000, DAY = 86400, LAST_YEAR = 2200 };

static void expect_date(const char *text, int64_t want)
{
    int64_t ns = -1;

    cr_expect(moment_date(text, &ns), "%s", text);
    cr_expect_eq(ns, want, "%s is %lld, not %lld", text, (long long)ns, (long long)want);
}

Test(moment, every_day)
{
    char text[64];
    int64_t ns;

    for (time_t day = 0;; day++) {
        const time_t seconds = day * DAY;
        struct tm tm;
        cr_assert(gmtime_r(&seconds, &tm));
        if (tm.tm_year + 1900 > LAST_YEAR)
            break;
        cr_assert_gt(strftime(text, sizeof text, "%Y-%m-%dZ", &tm), 0);
        cr_assert(moment_date(text, &ns) && ns == seconds * GIGA, "%s", text);
    }
}

/* The days before the first of each month and after its last. */
Test(moment, no_other_day)
{
    static const unsigned char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    for (unsigned year = 1969; year <= LAST_YEAR + 1; year++)
        for (unsigned month = 0; month <= 13; month++) {
            const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            const bool known = month >= 1 && month <= 12 && year >= 1970 && year <= LAST_YEAR;
            const unsigned last = known ? days[month - 1] + (unsigned)(month == 2 && leap) : 0;
            for (unsigned day = 0; day <= 33; day++) {
                char text[64];
                int64_t ns;
                (void)snprintf(text, sizeof text, "%04u-%02u-%02uZ", year, month, day);
                cr_expect_eq(moment_date(text, &ns), day >= 1 && day <= last, "%s", text);
            }
        }
}

/* 1700000000 is 2023-11-14 22:13:20 in UTC. */
Test(moment, times_of_the_day)
{
    const int64_t at = INT64_C(1700000000) * GIGA, midnight = at - (INT64_C(22) * 3600 + 13 * 60 + 20) * GIGA;

    expect_date("2023-11-14 22:13:20Z", at);
    expect_date("2023-11-14T22:13:20Z", at);
    expect_date("2023-11-14 22:13Z", at - INT64_C(20) * GIGA);
    expect_date("2023-11-14Z", midnight);
    expect_date("2023-11-14 00:00:00Z", midnight);
    expect_date("2023-11-14 23:59:59.999999999Z", midnight + INT64_C(86400) * GIGA - 1);
    expect_date("2023-11-14 23:59:60Z", midnight + INT64_C(86400) * GIGA); /* a leap second */
    expect_date("2023-11-14 22:13:20.5Z", at + GIGA / 2);
    expect_date("2023-11-14 22:13:20.000000001Z", at + 1);
    expect_date("2023-11-14 22:13:20.123456789Z", at + 123456789);
    expect_date("2023-11-14 22:13:20.Z", at);
}

/* Without a Z it is the time of the place, which may have a summer time. */
Test(moment, times_of_the_place)
{
    setenv("TZ", "XST-2", 1); /* two hours east */
    tzset();
    expect_date("2023-11-15 00:13:20", INT64_C(1700000000) * GIGA);
    expect_date("2023-11-14 22:13:20Z", INT64_C(1700000000) * GIGA);
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    expect_date("2023-11-14 23:13:20.25", INT64_C(1700000000) * GIGA + GIGA / 4);
    expect_date("2023-07-15 12:00", INT64_C(1689415200) * GIGA); /* 10:00 in UTC */
    expect_date("1970-01-01 01:00:00", 0);
}

Test(moment, no_dates)
{
    static const char *const texts[] = {"",
                                        "2023",
                                        "2023-11",
                                        "2023-11-1",
                                        "2023-11-14 ",
                                        "2023-11-14T",
                                        "2023-11-14 22",
                                        "2023-11-14 22:",
                                        "2023-11-14 22:1",
                                        "2023-11-14 22:13:",
                                        "2023-11-14 22:13:2",
                                        "2023-11-14 24:00",
                                        "2023-11-14 23:60",
                                        "2023-11-14 23:59:61",
                                        "2023-11-14 22:13.5",
                                        "2023-11-14_22:13",
                                        "2023/11/14",
                                        "2023-11-14 22:13:20.0000000001",
                                        "2023-11-14z",
                                        "2023-11-14Zx",
                                        "2023-11-14ZZ",
                                        " 2023-11-14",
                                        "20231114",
                                        "202a-11-14",
                                        "2023-11-1/",
                                        "2023-11-1:"};
    int64_t ns;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_expect_not(moment_date(texts[i], &ns), "%s", texts[i]);
}

Test(moment, seconds)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } rows[] = {
        {"0", 0},
        {"1", GIGA},
        {"1.", GIGA},
        {"1.5", GIGA + GIGA / 2},
        {"0.000000001", 1},
        {"0.100000000", GIGA / 10},
        {"00012.25", INT64_C(12250000000)},
        {"9223372036", INT64_C(9223372036000000000)},
        {"9223372036.854", INT64_C(9223372036854000000)},
        {"9223372037", -1},
        {"92233720369", -1},
        {"99999999999999999999", -1},
        {"1.0000000001", -1},
        {"", -1},
        {".", -1},
        {".5", -1},
        {"1.5.5", -1},
        {"1..5", -1},
        {"-1", -1},
        {"+1", -1},
        {"1e3", -1},
        {"1/", -1},
        {"1:", -1},
        {" 1", -1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ns = -1;
        const bool good = moment_seconds(rows[i].text, strlen(rows[i].text), &ns);
        cr_expect_eq(good, rows[i].ns >= 0, "%s", rows[i].text);
        cr_expect(!good || ns == rows[i].ns, "%s is %lld", rows[i].text, (long long)ns);
    }
    int64_t ns = -1;
    cr_expect(moment_seconds("15x", 2, &ns) && ns == INT64_C(15) * GIGA);
}
