/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary/summary.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *written(struct summary *s)
{
    enum { MOST = 1 << 20 };
    static struct out o;
    const int fd = memfd_create("summary", 0);
    char *text = calloc(1, MOST), err[256] = "";

    out_init(&o, fd);
    cr_assert(summary_write(s, &o, err, sizeof err), "%s", err);
    cr_assert(out_flush(&o));
    cr_assert_gt(pread(fd, text, MOST - 1, 0), 0);
    close(fd);
    return text;
}

static struct summary *sum_of(const char *const *text, const unsigned *order, unsigned n)
{
    struct summary *s = summary_open();
    char err[256] = "";

    for (unsigned i = 0; i < n; i++)
        cr_assert(summary_read(s, text[order[i]], strlen(text[order[i]]), order[i], err, sizeof err), "%s", err);
    return s;
}

static void bucket(struct summary *s, unsigned doublings, uint64_t at, uint64_t packets)
{
    const uint64_t count[SUMMARY_BUCKET_COUNTS] = {packets};

    summary_add_bucket(s, doublings, at, count);
}

static struct summary_ends ends_of(uint8_t a, uint32_t a_qp, uint8_t b, bool known)
{
    struct summary_ends e = {.key = {IBA_ADDR_IPV4, IBA_RC}};
    const uint8_t from[IBA_ADDR_MOST] = {10, 0, 0, a}, to[IBA_ADDR_MOST] = {10, 0, 0, b};

    summary_set_end(&e, 0, from, true, a_qp);
    summary_set_end(&e, 1, to, known, 7);
    return e;
}

/* Returns a summary whose lists contain numbers that depend on `n`. */
static struct summary *example(unsigned n)
{
    struct summary *s = summary_open();
    char host[16];

    (void)snprintf(host, sizeof host, "h%u", n);
    const uint32_t h = summary_text(s, host), f = summary_text(s, "a.pcap");
    summary_add_capture(s, &(struct summary_capture){h, f, 0, true, 100 + n, 1000, 2000});
    s->count[SUMMARY_PACKETS] = 100 + n;
    s->count[SUMMARY_NOT_FOLLOWED] = n;
    s->opcode[4] = n;
    for (uint64_t i = 0; i < 3; i++)
        bucket(s, n % 2, 1000 * n + i, 1 + i);
    for (uint64_t i = 0; i < 7; i++)
        summary_add_first(s, IBA_FINDING_GAP, &(struct summary_packet){10 * i + n, i, h, f});
    s->finding[IBA_FINDING_GAP].count = 7;
    struct summary_times *t = &s->times[IBA_OPERATION_READ][2];
    *t = (struct summary_times){.answered = 2, .refused = n, .open = 1, .shortest = 10 + n, .longest = 1000 - n};
    summary_classes(s, t)[3 + n] = 2;
    struct summary_sides sides = {.at = {{n + 1, 2, 3}, {4, 5, 6}}};
    sides.at[0][SUMMARY_AT_LIMIT + PERF_LOSS] = 17;
    sides.at[1][SUMMARY_AT_LATENCY + 5] = n + 1;
    sides.at[1][SUMMARY_AT_FOUND + IBA_FINDING_GAP] = 7;
    const struct summary_part p = {
        .ends = ends_of((uint8_t)(n + 1), 5, 99, n % 2), .host = h, .first_ns = 1, .last_ns = 9};
    summary_add_part(s, &p, &sides);
    const struct summary_part shared = {
        .ends = ends_of(50, 5, 99, true), .host = h, .first_ns = 100 - n, .last_ns = 200};
    summary_add_part(s, &shared, &sides);
    return s;
}

Test(summary, nothing_is_read_as_it_was_written)
{
    struct summary *s = summary_open();
    char *one = written(s);
    const unsigned first = 0;
    struct summary *again = sum_of((const char *const *)&one, &first, 1);
    char *two = written(again);

    cr_assert_str_eq(one, two);
    cr_assert_eq(summary_split(again), 0);
    free(one);
    free(two);
    summary_free(s);
    summary_free(again);
    summary_free(NULL);
}

Test(summary, every_order_has_the_same_sum)
{
    enum { N = 4 };
    char *text[N], *wanted = NULL;
    unsigned order[N];

    for (unsigned i = 0; i < N; i++) {
        struct summary *s = example(i);
        text[i] = written(s);
        summary_free(s);
    }
    for (unsigned code = 0; code < 256; code++) {
        unsigned seen = 0;
        for (unsigned i = 0; i < N; i++)
            seen |= 1U << (order[i] = code >> 2 * i & 3);
        if (seen != (1 << N) - 1)
            continue;
        struct summary *s = sum_of((const char *const *)text, order, N);
        char *sum = written(s);
        wanted = wanted ? wanted : strdup(sum);
        cr_assert_str_eq(sum, wanted);
        cr_assert_eq(s->count[SUMMARY_PACKETS], 406);
        cr_assert_eq(s->finding[IBA_FINDING_GAP].count, 28);
        cr_assert_eq(s->finding[IBA_FINDING_GAP].n, SUMMARY_FIRST);
        cr_assert_eq(s->finding[IBA_FINDING_GAP].first[4].ns, 10);
        cr_assert_eq(s->times[IBA_OPERATION_READ][2].shortest, 10);
        cr_assert_eq(s->times[IBA_OPERATION_READ][2].longest, 1000);
        cr_assert_eq(summary_split(s), 1);
        cr_assert_eq(s->doublings, 1);
        free(sum);
        summary_free(s);
    }
    free(wanted);
    for (unsigned i = 0; i < N; i++)
        free(text[i]);
}

Test(summary, a_capture_in_two_summaries_is_refused)
{
    struct summary *s = example(1);
    char *text = written(s), *two[] = {text, text}, err[256] = "";
    static struct out o;
    struct summary *sum = sum_of((const char *const *)two, (const unsigned[]){0, 1}, 2);

    out_init(&o, STDOUT_FILENO);
    cr_assert(!summary_write(sum, &o, err, sizeof err));
    cr_assert_str_eq(err, "capture \"a.pcap\" of host \"h1\" is in two of the summaries: it would count twice");
    cr_assert_eq(o.n, 0);
    free(text);
    summary_free(s);
    summary_free(sum);
}

Test(summary, buckets_become_wider_when_there_are_too_many)
{
    struct summary *s = summary_open();

    for (uint64_t i = SUMMARY_BUCKETS; i-- > 0;)
        bucket(s, 0, 2 * i + 1, 1);
    cr_assert_eq(s->n_bucket, SUMMARY_BUCKETS);
    cr_assert_eq(s->doublings, 0);
    bucket(s, 0, 2, 1); /* between two of them: the new width joins it with the one at 3 */
    cr_assert_eq(s->doublings, 1);
    cr_assert_eq(s->n_bucket, SUMMARY_BUCKETS);
    for (size_t i = 0; i < s->n_bucket; i++) {
        cr_assert_eq(s->bucket[i].at, i);
        cr_assert_eq(s->bucket[i].count[SUMMARY_PACKETS], i == 1 ? 2 : 1);
    }
    bucket(s, 3, 1, 5); /* 8 to 16 seconds */
    cr_assert_eq(s->doublings, 3);
    cr_assert_eq(s->bucket[1].count[SUMMARY_PACKETS], 9);
    bucket(s, 0, UINT64_MAX, 1); /* far away: one bucket more */
    cr_assert_eq(s->doublings, 3);
    cr_assert_eq(s->bucket[s->n_bucket - 1].at, UINT64_MAX >> 3);
    summary_free(s);
}

Test(summary, the_first_packets_are_the_earliest)
{
    struct summary *s = summary_open();
    const uint32_t a = summary_text(s, "a"), b = summary_text(s, "b");
    const struct summary_packet p[] = {{5, 9, a, a}, {5, 8, a, a}, {4, 9, b, b}, {5, 1, b, a},
                                       {5, 1, a, b}, {1, 9, b, b}, {9, 1, a, a}};
    static const struct {
        uint64_t ns, number;
    } wanted[] = {{1, 9}, {4, 9}, {5, 8}, {5, 9}, {5, 1}};

    cr_assert_eq(summary_text(s, "a"), a);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        summary_add_first(s, IBA_FINDING_GAP, &p[i]);
    for (size_t i = 0; i < SUMMARY_FIRST; i++) {
        cr_assert_eq(s->finding[IBA_FINDING_GAP].first[i].ns, wanted[i].ns);
        cr_assert_eq(s->finding[IBA_FINDING_GAP].first[i].number, wanted[i].number);
    }
    cr_assert_eq(s->finding[IBA_FINDING_GAP].first[4].host, a);
    summary_free(s);
}

Test(summary, the_smaller_end_is_first)
{
    struct summary_ends one = ends_of(1, 5, 2, true), other = ends_of(2, 5, 1, true), same = one;

    cr_assert(!summary_ends_order(&one));
    cr_assert_arr_eq(one.key, same.key, sizeof one.key);
    cr_assert(summary_ends_order(&other));
    cr_assert_eq(other.key[2 + 3], 1);
    cr_assert_eq(other.key[2 + SUMMARY_END + 3], 2);
    struct summary_ends unknown = ends_of(1, 5, 1, false);
    cr_assert(summary_ends_order(&unknown), "an end whose QP is not known is the smaller one");
}

/* A monitor whose memory is used up needs no memory of this size to go on. */
Test(summary, the_next_piece_has_the_memory_of_the_last)
{
    const struct sample every = {1, 0}, some = {2, 3};
    struct summary *s = example(1), *empty = summary_open();
    struct summary_run *r = summary_run_open("h1", &some);

    cr_assert(summary_take_sample(s, &some));
    s->failed = true;
    summary_clear(s);
    cr_assert(memcmp(s, empty, sizeof *s) == 0, "a cleared summary is as new");
    cr_assert(summary_take_sample(s, &every));
    summary_run_capture(r, 0, "a.pcap", true);
    struct summary *piece = summary_run_end(r, false);
    cr_assert_eq(piece->n_capture, 1);
    cr_assert(summary_run_next(r, false));
    cr_assert_eq(summary_run_end(r, false), piece);
    cr_assert_eq(piece->n_capture, 0);
    cr_assert_eq(piece->n_text, 1);
    cr_assert_str_eq(piece->text[0], "h1");
    cr_assert_eq(piece->sample.one_in, 2);
    summary_run_close(r);
    summary_free(empty);
    summary_free(s);
}

Test(summary, counts_stay_at_the_most)
{
    cr_assert_eq(summary_sum(1, 2), 3);
    cr_assert_eq(summary_sum(UINT64_MAX, 0), UINT64_MAX);
    cr_assert_eq(summary_sum(UINT64_MAX, 1), UINT64_MAX);
    cr_assert_eq(summary_sum(UINT64_MAX - 5, UINT64_MAX), UINT64_MAX);
}

static void refused(const char *text, const char *from, const char *to, const char *fault)
{
    struct summary *s = summary_open();
    const char *at = strstr(text, from);
    char changed[8192], err[256] = "";

    cr_assert(at && strlen(text) + strlen(to) < sizeof changed, "%s", from);
    (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    cr_assert(!summary_read(s, changed, strlen(changed), 0, err, sizeof err), "%s", to);
    cr_assert(strstr(err, fault), "%s: %s", to, err);
    summary_free(s);
}

Test(summary, other_files_are_refused)
{
    struct summary *s = example(1);
    char *text = written(s);

    refused(text, "ibproof-summary", "other", "line 1: a text is not the one that belongs there");
    refused(text, "\"version\":1", "\"version\":2", "another version of the format");
    refused(text, "\"host\"", "\"hosts\"", "a member is missing, unknown, or not in its place");
    refused(text, "\"last_ns\":2000", "\"last_ns\":2000,\"more\":1", "a member is unknown");
    refused(text, "\"last_ns\":2000", "\"last_ns\":0", "last_ns is before first_ns");
    refused(text, "\"last_ns\":9,", "\"last_ns\":0,", "last_ns is before first_ns");
    refused(text, "\"opcodes\":[[4", "\"opcodes\":[[256", "a class does not exist");
    refused(text, "\"opcodes\":[[4,1", "\"opcodes\":[[4,1,1", "a pair has two numbers");
    refused(text, "\"bucket_s\":2", "\"bucket_s\":3", "bucket_s is no power of two");
    refused(text, "\"bucket_s\":2", "\"bucket_s\":0", "bucket_s is no power of two");
    refused(text, "\"at_s\":2000", "\"at_s\":2001", "a bucket does not begin at a multiple");
    refused(text, "\"finding\":\"GAP\"", "\"finding\":\"NOVEL\"", "a name is not known to this version");
    refused(text, "\"severity\":\"warn\"", "\"severity\":\"error\"", "a text is not the one that belongs there");
    refused(text, "\"operation\":\"READ\"", "\"operation\":\"\"", "a name is not known");
    refused(text, "513-4K", "513-5K", "a name is not known");
    refused(text, "\"service\":\"RC\"", "\"service\":\"QC\"", "a name is not known");
    refused(text, "\"address\":\"ipv4\"", "\"address\":\"lid\"", "an address is none of its kind");
    refused(text, "10.0.0.", "10.0.0", "an address is none of its kind");
    refused(text, "\"a_qp\":5", "\"a_qp\":16777216", "a queue pair number has 24 bits");
    refused(text, "\"latency\":[[5", "\"latency\":[[64", "a class does not exist");
    refused(text, "\"split_connections\":0}", "\"split_connections\":0}x", "something follows the end");
    free(text);
    summary_free(s);
}

/* Reads the text with one place changed, and returns the line about its fault; "" when it is accepted. */
static const char *fault_of(const char *text, size_t at, size_t n, const char *instead)
{
    static char err[256];
    struct summary *s = summary_open();
    char changed[8192];

    err[0] = '\0';
    const int length = snprintf(changed, sizeof changed, "%.*s%s%s", (int)at, text, instead, text + at + n);
    cr_assert(length >= 0 && (size_t)length < sizeof changed);
    const bool good = summary_read(s, changed, (size_t)length, 0, err, sizeof err);
    cr_expect_eq(good, err[0] == '\0');
    summary_free(s);
    return err;
}

/* Each member is needed, each number must be one, and each text ends. */
Test(summary, each_part_of_a_file_is_needed)
{
    struct summary *s = example(1);
    char *text = written(s);
    unsigned members = 0, numbers = 0;

    for (const char *at = text; (at = strchr(at, '"')) != NULL;) {
        const char *close = strchr(at + 1, '"');
        const size_t from = (size_t)(at - text);
        if (close[1] == ':') {
            const char *fault = fault_of(text, from + 1, 0, "~");
            cr_expect(strstr(fault, "a member is ") || strstr(fault, "a name is not known"), "%.20s: %s", at, fault);
            members++;
        }
        at = close + 1;
        if (*at == ':' && at[1] >= '0' && at[1] <= '9') {
            const char *fault = fault_of(text, (size_t)(at + 1 - text), 1, "x");
            cr_expect(strstr(fault, "a whole number is missing"), "%.20s: %s", close, fault);
            numbers++;
        }
    }
    cr_expect(members > 100 && numbers > 60, "%u %u", members, numbers);
    for (size_t n = 0; n + 1 < strlen(text); n++) {
        const char *fault = fault_of(text, n, strlen(text) - n, "");
        cr_expect_eq(strncmp(fault, "line ", 5), 0, "%zu bytes: \"%s\"", n, fault);
    }
    free(text);
    summary_free(s);
}

/* A summary may be that of a sample, which all that are added must have. */
Test(summary, samples_that_are_read)
{
    static const struct {
        const char *sample, *fault;
    } rows[] = {
        {"\"sample\":{\"one_in\":2,\"seed\":7},", ""},
        {"\"sample\":{\"one_in\":4294967295,\"seed\":7},", ""},
        {"\"sample\":{\"one_in\":1,\"seed\":7},", "a sample is of 1 in 2 or more"},
        {"\"sample\":{\"one_in\":0,\"seed\":7},", "a sample is of 1 in 2 or more"},
        {"\"sample\":{\"one_in\":4294967296,\"seed\":7},", "a sample is of 1 in 2 or more"},
        {"\"sample\":{\"one_in\":2},", "a member is missing, unknown, or not in its place"},
        {"\"sample\":{\"one_in\":2,\"seed\":7,\"more\":1},", "a member is unknown or not in its place"},
        {"\"sample\":7,", "an object is missing"},
        {"\"sampled\":{\"one_in\":2,\"seed\":7},", "a member is missing, unknown, or not in its place"},
    };
    struct summary *s = example(1);
    char *text = written(s);
    const size_t at = (size_t)(strstr(text, "\"captures\"") - text);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *fault = fault_of(text, at, 0, rows[i].sample);
        cr_expect(rows[i].fault[0] ? strstr(fault, rows[i].fault) != NULL : fault[0] == '\0', "%s: %s", rows[i].sample,
                  fault);
    }
    free(text);
    summary_free(s);
}
