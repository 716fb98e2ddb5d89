/* SPDX-License-Identifier: BSD-2-Clause */
/* Response times against a sorted list of them: classes by operation and size, counts, percentiles. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "stats/kinds.h"
#include "stats/times.h"

enum { MOST = 400 };

static void message(struct feed *f, enum iba_operation operation, uint64_t bytes, uint64_t ns, enum iba_message_end end)
{
    const uint64_t began = UINT64_C(1000000007);
    const struct iba_message m = {.operation = (uint8_t)operation,
                                  .end = (uint8_t)end,
                                  .whole = true,
                                  .bytes = bytes,
                                  .began = began,
                                  .ended = began + ns};

    stat_srt_message(f->state, &m, NULL);
}

/* Returns the value of `key` in the row of an operation and a size, in the unit of the JSON: seconds, or a count. */
static double value(const char *json, const char *operation, const char *size, const char *key)
{
    char row[128], name[32];
    const char *at;

    (void)snprintf(row, sizeof row, "{\"operation\":\"%s\",\"bytes\":\"%s\",", operation, size);
    (void)snprintf(name, sizeof name, "\"%s\":", key);
    at = strstr(json, row);
    cr_assert_not_null(at, "no row %s in %s", row, json);
    at = strstr(at, name);
    cr_assert_not_null(at, "no %s in %s", name, json);
    return strtod(at + strlen(name), NULL);
}

static uint64_t ns_of(const char *json, const char *key)
{
    return (uint64_t)(value(json, "SEND", "0-64", key) * 1e9 + 0.5);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the smallest time that at least `percent` of the times do not exceed. */
static uint64_t exact(const uint64_t *sorted, size_t n, unsigned percent)
{
    size_t rank = 1;

    while (rank * 100 < n * percent)
        rank++;
    return sorted[rank - 1];
}

static void expect_percentile(const char *json, const char *key, const uint64_t *sorted, size_t n, unsigned percent)
{
    const uint64_t want = exact(sorted, n, percent), got = ns_of(json, key);

    cr_expect(got >= want && got <= want + want / 64, "%s of %zu is %lu, not %lu", key, n, (unsigned long)got,
              (unsigned long)want);
    cr_expect(want >= 128 || got == want, "%s: times below 128 ns are exact, not %lu", key, (unsigned long)got);
    cr_expect_leq(got, sorted[n - 1]);
}

static void expect_times(const uint64_t *times, size_t n)
{
    uint64_t sorted[MOST];
    struct feed f;
    char *json;

    memcpy(sorted, times, n * sizeof *times);
    qsort(sorted, n, sizeof *sorted, by_value);
    feed_open(&f, "srt");
    for (size_t i = 0; i < n; i++)
        message(&f, IBA_OPERATION_SEND, 8, times[i], IBA_MESSAGE_END_ANSWERED);
    json = printed(&f, true);
    expect_percentile(json, "p50", sorted, n, 50);
    expect_percentile(json, "p90", sorted, n, 90);
    expect_percentile(json, "p99", sorted, n, 99);
    cr_expect_eq(ns_of(json, "shortest"), sorted[0]);
    cr_expect_eq(ns_of(json, "longest"), sorted[n - 1]);
    cr_expect_eq((size_t)value(json, "SEND", "0-64", "answered"), n);
    free(json);
    feed_close(&f);
}

Test(srt, percentiles_of_each_count)
{
    uint64_t times[MOST];
    uint64_t state = 1;

    for (size_t n = 1; n <= MOST; n += 1 + n / 8) {
        for (size_t i = 0; i < n; i++)
            times[i] = 1 + i; /* one a class */
        expect_times(times, n);
        for (size_t i = 0; i < n; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            times[i] = (state >> 20) >> (state >> 8 & 31); /* of any size up to 2^44 ns, hours */
        }
        expect_times(times, n);
    }
}

/* A class begins at each power of two. The values on both sides of it are tested. */
Test(srt, percentiles_at_the_edges_of_classes)
{
    for (unsigned power = 0; power < 45; power++)
        for (int off = -1; off <= 1; off++) {
            const uint64_t at = (UINT64_C(1) << power) + (uint64_t)(int64_t)off,
                           times[] = {at, at, 2 * at + 1, 3 * at + 2};
            expect_times(times, 1);
            expect_times(times, 4);
        }
}

Test(srt, sizes_and_operations_are_apart)
{
    static const struct {
        uint64_t bytes;
        const char *size;
    } sizes[] = {{0, "0-64"},       {64, "0-64"},        {65, "65-512"},   {512, "65-512"},
                 {513, "513-4K"},   {4096, "513-4K"},    {4097, "4K-64K"}, {65536, "4K-64K"},
                 {65537, "64K-1M"}, {1048576, "64K-1M"}, {1048577, "1M-"}, {UINT64_MAX, "1M-"}};

    for (unsigned o = IBA_OPERATION_SEND; o <= IBA_OPERATION_ATOMIC_WRITE; o++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const char *name = iba_operation_name((enum iba_operation)o);
            struct feed f;
            feed_open(&f, "srt");
            message(&f, (enum iba_operation)o, sizes[i].bytes, 5000, IBA_MESSAGE_END_ANSWERED);
            char *json = printed(&f, true), *text = printed(&f, false);
            cr_expect_eq(value(json, name, sizes[i].size, "answered"), 1);
            cr_expect_eq(occurrences(json, "{\"operation\""), 1);
            cr_expect(occurrences(text, name) == 1 && occurrences(text, sizes[i].size) == 1, "%s", text);
            free(json);
            free(text);
            feed_close(&f);
        }
}

/* Only answered messages have a time. Unasked ones (UC, UD), and those whose beginning is missing, are not counted. */
Test(srt, ends_are_counted_apart)
{
    struct feed f;
    char *json, *text;
    const struct iba_message half = {
        .operation = IBA_OPERATION_SEND, .end = IBA_MESSAGE_END_ANSWERED, .began = 1, .ended = 900};

    feed_open(&f, "srt");
    json = printed(&f, true);
    cr_expect_str_eq(json, "{\"stat\":\"srt\",\"times\":[]}\n");
    free(json);
    message(&f, IBA_OPERATION_SEND, 8, 100, IBA_MESSAGE_END_UNASKED);
    stat_srt_message(f.state, &half, NULL);
    json = printed(&f, true);
    cr_expect_str_eq(json, "{\"stat\":\"srt\",\"times\":[]}\n");
    free(json);
    for (unsigned i = 0; i < 2; i++)
        message(&f, IBA_OPERATION_SEND, 8, 999999, IBA_MESSAGE_END_OPEN);
    for (unsigned i = 0; i < 3; i++)
        message(&f, IBA_OPERATION_SEND, 8, 1, IBA_MESSAGE_END_REFUSED);
    message(&f, IBA_OPERATION_SEND, 8, 20, IBA_MESSAGE_END_ANSWERED);
    message(&f, IBA_OPERATION_SEND, 8, 60, IBA_MESSAGE_END_ANSWERED);
    message(&f, IBA_OPERATION_READ, 100, 50, IBA_MESSAGE_END_OPEN);
    json = printed(&f, true);
    cr_expect_str_eq(json, "{\"stat\":\"srt\",\"times\":["
                           "{\"operation\":\"SEND\",\"bytes\":\"0-64\",\"answered\":2,\"shortest\":0.000000020,"
                           "\"p50\":0.000000020,\"p90\":0.000000060,\"p99\":0.000000060,\"longest\":0.000000060,"
                           "\"refused\":3,\"no_answer\":2},"
                           "{\"operation\":\"READ\",\"bytes\":\"65-512\",\"answered\":0,\"shortest\":0.000000000,"
                           "\"p50\":0.000000000,\"p90\":0.000000000,\"p99\":0.000000000,\"longest\":0.000000000,"
                           "\"refused\":0,\"no_answer\":1}]}\n");
    text = printed(&f, false);
    cr_expect(strstr(text,
                     "\nSEND          0-64               2    0.000000020    0.000000020    0.000000060    0.000000060"
                     "    0.000000060         3          2\n"),
              "%s", text);
    free(json);
    free(text);
    expect(&f, "srt-ends");
}

/* All times from a power of two up to the next one have that power as their octave. */
Test(srt, octaves)
{
    for (unsigned power = 0; power < 64; power++) {
        const uint64_t first = UINT64_C(1) << power, last = first + (first - 1);
        cr_expect_eq(times_octave(times_class(first)), power, "2^%u", power);
        cr_expect_eq(times_octave(times_class(last)), power, "2^%u", power);
    }
    cr_expect_eq(times_octave(times_class(0)), 0);
}
