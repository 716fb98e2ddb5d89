/* SPDX-License-Identifier: BSD-2-Clause */
/* The lists of a summary: texts, captures, buckets of time, first packets of findings, ends and parts of connections.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "summary/summary.h"

static struct summary *s;

static void begin(void)
{
    s = summary_open();
    cr_assert_not_null(s);
}

static void end(void)
{
    summary_free(s);
}

TestSuite(model, .init = begin, .fini = end);

/* ---- texts, captures ---- */

Test(model, equal_texts_have_one_number)
{
    enum { MANY = 1000 };
    char name[16];

    for (unsigned again = 0; again < 2; again++)
        for (unsigned i = 0; i < MANY; i++) {
            (void)snprintf(name, sizeof name, "host-%u", i);
            cr_assert_eq(summary_text(s, name), i);
            cr_assert_eq(s->n_text, again ? MANY : i + 1);
            cr_assert_geq(s->text_slots, 2 * (size_t)s->n_text, "half of the table is free");
        }
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "host-%u", i);
        cr_assert_str_eq(s->text[i], name);
    }
    cr_expect_eq(summary_text(s, ""), MANY);
    cr_expect_not(s->failed);
}

Test(model, captures_are_kept_in_order)
{
    for (unsigned i = 0; i < 300; i++)
        summary_add_capture(s, &(struct summary_capture){.packets = i, .whole = i % 2});
    cr_assert_eq(s->n_capture, 300);
    for (unsigned i = 0; i < 300; i++)
        cr_expect(s->capture[i].packets == i && s->capture[i].whole == i % 2);
}

Test(model, more_than_can_be_counted_fail)
{
    const size_t n = SUMMARY_CAPTURES;

    s->n_capture = n; /* as if there were so many */
    summary_add_capture(s, &(struct summary_capture){.packets = 1});
    cr_expect(s->failed && s->n_capture == n);
    s->n_capture = 0;
    summary_add_capture(s, &(struct summary_capture){.packets = 1});
    cr_expect(s->failed && s->n_capture == 0, "and it stays failed");
    summary_add_first(s, IBA_FINDING_GAP, &(struct summary_packet){.ns = 1});
    cr_expect_eq(s->finding[IBA_FINDING_GAP].n, 0);
    summary_clear(s);
    const struct summary_part p = {.last_ns = 1};
    struct summary_sides sides = {.at = {{1}}};
    s->n_part = SUMMARY_PARTS;
    summary_add_part(s, &p, &sides);
    cr_expect(s->failed && s->n_part == SUMMARY_PARTS && s->n_value == 0);
    s->n_part = 0;
}

Test(model, samples)
{
    const struct sample one = {1, 0}, third = {3, 7}, other_seed = {3, 8}, fourth = {4, 7};

    cr_expect(summary_take_sample(s, &third));
    cr_expect(s->sample.one_in == 3 && s->sample.seed == 7 && s->any_sample);
    cr_expect(summary_take_sample(s, &third));
    cr_expect_not(summary_take_sample(s, &one));
    cr_expect_not(summary_take_sample(s, &other_seed));
    cr_expect_not(summary_take_sample(s, &fourth));
    cr_expect(s->sample.one_in == 3 && s->sample.seed == 7);
    summary_clear(s);
    cr_expect(summary_take_sample(s, &one));
    cr_expect(summary_take_sample(s, &(struct sample){1, 9}), "a sample of all has no seed");
    cr_expect_not(summary_take_sample(s, &third));
}

/* ---- buckets of time ---- */

static uint64_t seed = 1;

static uint64_t drawn(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (seed >> 33) % below;
}

/* Buckets may be added in any order and width: the result is the same as from sums over whole seconds. */
Test(model, buckets_in_any_order)
{
    enum { N = 400 };
    static uint64_t at_s[N], count[N];

    for (unsigned i = 0; i < N; i++) {
        const unsigned doublings = (unsigned)drawn(i < N / 2 ? 1 : 4);
        const uint64_t at = drawn(300) >> doublings, one[SUMMARY_BUCKET_COUNTS] = {i + 1, 0, 0, 0, 0, 0, 0, 0, 0, 1};
        at_s[i] = at << doublings;
        count[i] = i + 1;
        summary_add_bucket(s, doublings, at, one);
    }
    cr_assert_eq(s->doublings, 3);
    cr_assert_leq(s->n_bucket, 38);
    for (size_t b = 0; b < s->n_bucket; b++) {
        uint64_t sum = 0, n = 0;
        cr_expect(b == 0 || s->bucket[b - 1].at < s->bucket[b].at);
        for (unsigned i = 0; i < N; i++)
            if (at_s[i] >> 3 == s->bucket[b].at) {
                sum += count[i];
                n++;
            }
        cr_expect_gt(n, 0);
        cr_expect_eq(s->bucket[b].count[0], sum);
        cr_expect_eq(s->bucket[b].count[SUMMARY_BUCKET_COUNTS - 1], n);
    }
}

Test(model, buckets_become_wider_when_there_are_too_many)
{
    const uint64_t one[SUMMARY_BUCKET_COUNTS] = {1};

    for (uint64_t i = 0; i < SUMMARY_BUCKETS; i++)
        summary_add_bucket(s, 0, 1000 + i, one);
    cr_assert(s->doublings == 0 && s->n_bucket == SUMMARY_BUCKETS);
    summary_add_bucket(s, 0, 999, one);
    cr_assert(s->doublings == 1 && s->n_bucket == SUMMARY_BUCKETS / 2 + 1);
    cr_expect(s->bucket[0].at == 499 && s->bucket[0].count[0] == 1);
    for (size_t i = 1; i < s->n_bucket; i++)
        cr_expect(s->bucket[i].at == 499 + i && s->bucket[i].count[0] == 2);
    summary_add_bucket(s, 0, 999, one);
    cr_expect_eq(s->bucket[0].count[0], 2);
}

Test(model, buckets_at_the_end_of_time)
{
    const uint64_t most[SUMMARY_BUCKET_COUNTS] = {UINT64_MAX, 1};

    summary_add_bucket(s, 63, 1, most);
    summary_add_bucket(s, 0, UINT64_MAX, most);
    cr_assert_eq(s->n_bucket, 1);
    cr_expect(s->bucket[0].at == 1 && s->bucket[0].count[0] == UINT64_MAX && s->bucket[0].count[1] == 2);
    summary_add_bucket(s, 64, 0, most);
    summary_add_bucket(s, 0, UINT64_MAX, most);
    cr_expect(s->n_bucket == 1 && s->bucket[0].at == 0 && s->bucket[0].count[1] == 4 && s->doublings == 64);
}

/* ---- findings, times ---- */

/* The first packets go by time, then by host, file and number; as many as can be are kept. */
Test(model, first_packets)
{
    const uint32_t b = summary_text(s, "b"), a = summary_text(s, "a");
    const struct summary_packet order[] = {{1, 9, b, b}, {2, 1, a, a}, {2, 2, a, a}, {2, 1, a, b},
                                           {2, 1, b, a}, {2, 2, b, a}, {3, 1, a, a}};
    enum { N = sizeof order / sizeof *order };
    const struct summary_finding *f = &s->finding[IBA_FINDING_GAP];

    for (unsigned from = 0; from < N; from++) {
        s->finding[IBA_FINDING_GAP].n = 0;
        for (unsigned i = 0; i < N; i++) {
            summary_add_first(s, IBA_FINDING_GAP, &order[(from + 3 * i) % N]);
            cr_assert_eq(f->n, i < SUMMARY_FIRST ? i + 1 : (unsigned)SUMMARY_FIRST);
        }
        for (unsigned i = 0; i < SUMMARY_FIRST; i++)
            cr_expect(memcmp(&f->first[i], &order[i], sizeof *order) == 0, "%u %u", from, i);
    }
}

Test(model, classes_are_made_once)
{
    struct summary_times *t = &s->times[IBA_OPERATION_READ][1];
    uint64_t *count = summary_classes(s, t);

    cr_assert_not_null(count);
    cr_expect_eq(count[TIMES_CLASSES - 1], 0);
    count[0] = 5;
    cr_expect_eq(summary_classes(s, t), count);
    cr_expect(count[0] == 5 && !s->failed);
}

/* ---- connections ---- */

Test(model, ends_as_bytes)
{
    struct summary_ends e = {.key = {IBA_ADDR_GID, IBA_UC}};
    uint8_t low[IBA_ADDR_MOST], high[IBA_ADDR_MOST];

    memset(low, 1, sizeof low);
    memset(high, 2, sizeof high);
    summary_set_end(&e, 0, high, true, 0x030405);
    summary_set_end(&e, 1, low, false, 0x060708);
    const uint8_t *first = e.key + 2, *second = first + SUMMARY_END;
    cr_expect_arr_eq(first, high, sizeof high);
    cr_expect_arr_eq(first + IBA_ADDR_MOST, "\1\3\4\5", 4);
    cr_expect_arr_eq(second, low, sizeof low);
    cr_expect_arr_eq(second + IBA_ADDR_MOST, "\0\0\0\0", 4, "the QP is not known");
    cr_assert(summary_ends_order(&e));
    cr_expect_arr_eq(first, low, sizeof low);
    cr_expect_arr_eq(first + IBA_ADDR_MOST, "\0\0\0\0", 4);
    cr_expect_arr_eq(second, high, sizeof high);
    cr_expect_arr_eq(second + IBA_ADDR_MOST, "\1\3\4\5", 4);
    cr_expect(e.key[0] == IBA_ADDR_GID && e.key[1] == IBA_UC);
    cr_expect_not(summary_ends_order(&e));
    summary_set_end(&e, 0, high, true, 0x030405);
    cr_expect_not(summary_ends_order(&e), "equal ends stay");
    summary_set_end(&e, 0, high, true, 0x030406);
    cr_expect(summary_ends_order(&e), "the QP decides");
}

/* Each number of both directions is read back as it was stored. */
Test(model, numbers_of_parts)
{
    enum { PARTS = 100 };
    struct summary_sides sides, back;

    for (unsigned i = 0; i < PARTS; i++) {
        memset(&sides, 0, sizeof sides);
        for (unsigned k = i; k < 2 * SUMMARY_SIDE; k += 7)
            sides.at[k / SUMMARY_SIDE][k % SUMMARY_SIDE] = 1000 * i + k;
        summary_add_part(s, &(struct summary_part){.first_ns = i, .last_ns = 2 * i, .values = 77, .n_value = 99},
                         &sides);
    }
    cr_assert_eq(s->n_part, PARTS);
    for (unsigned i = 0; i < PARTS; i++) {
        cr_expect(s->part[i].first_ns == i && s->part[i].last_ns == 2 * i);
        summary_sides_of(s, &s->part[i], &back);
        for (unsigned k = 0; k < 2 * SUMMARY_SIDE; k++)
            cr_expect_eq(back.at[k / SUMMARY_SIDE][k % SUMMARY_SIDE], k >= i && (k - i) % 7 == 0 ? 1000 * i + k : 0);
    }
    cr_expect_not(s->failed);
}
