/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations write only into their buffer, whatever the input is. The buffer has exactly the given size, so a sanitizer
 * detects a write beyond it. */
#include "mutator.h"
#include <criterion/criterion.h>
#include <string.h>
#include "mutator_file.h"
#include "records.h"

enum { ROUNDS = 20000, MOST = 300, FORMS = FUZZ_COMMAND + 1 };

/* Makes an input that often has records; some records are empty, and the last one is cut. */
static size_t any_input(struct iba_random *r, uint8_t *p)
{
    const size_t n = 1 + iba_random_below(r, MOST);
    size_t at = FUZZ_HEAD;

    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)iba_random_next(r);
    while (at + FUZZ_RECORD_HEAD < n) {
        const uint8_t len = (uint8_t)iba_random_below(r, 40);
        p[at] = (uint8_t)iba_random_below(r, 4);
        p[at + 1] = len;
        p[at + 2] = 0;
        at += FUZZ_RECORD_HEAD + len;
    }
    return n;
}

Test(mutator, stays_within_its_room)
{
    struct iba_random r;

    iba_random_seed(&r, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint8_t whole[MOST];
        const size_t n = any_input(&r, whole), most = n + iba_random_below(&r, 60);
        uint8_t *exact = malloc(most);
        cr_assert_not_null(exact);
        memcpy(exact, whole, n);
        const size_t now = fuzz_mutate((enum fuzz_form)(i % FORMS), &r, exact, n, most);
        cr_assert(now >= 1 && now <= most, "round %u: %zu of %zu", i, now, most);
        free(exact);
    }
}

Test(mutator, splices_between_records)
{
    struct iba_random r;
    uint8_t a[MOST], b[MOST], out[MOST];

    iba_random_seed(&r, 2);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t na = any_input(&r, a), nb = any_input(&r, b), most = 1 + iba_random_below(&r, MOST);
        cr_assert_leq(fuzz_splice((enum fuzz_form)(i % FORMS), &r, a, na, b, nb, out, most), most);
    }
}

Test(mutator, borders_ascend_to_the_end)
{
    struct iba_random r;
    uint8_t p[MOST];
    size_t at[FUZZ_MOST_RECORDS + 1];

    iba_random_seed(&r, 3);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t n = any_input(&r, p), count = fuzz_borders(p, n, at, sizeof at / sizeof *at);
        for (size_t k = 1; k < count; k++)
            cr_assert_gt(at[k], at[k - 1]);
        cr_assert_eq(at[count - 1], n < FUZZ_HEAD ? n : count == 1 ? (size_t)FUZZ_HEAD : n);
    }
}

/* ---- captures ---- */

enum { PACKETS = 3, PACKET = 60 };

static size_t put_words(uint8_t *to, const uint32_t *word, size_t n)
{
    memcpy(to, word, n * sizeof *word);
    return n * sizeof *word;
}

static size_t a_pcap(uint8_t *p)
{
    size_t n = put_words(p, (const uint32_t[]){0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 1}, 6);

    for (uint32_t i = 0; i < PACKETS; i++) {
        n += put_words(p + n, (const uint32_t[]){i, 0, PACKET, PACKET}, 4);
        memset(p + n, 0x11, PACKET);
        n += PACKET;
    }
    return n;
}

static size_t a_pcapng(uint8_t *p)
{
    enum { BLOCK = 32 + PACKET };
    size_t n = put_words(p, (const uint32_t[]){0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28}, 7);

    n += put_words(p + n, (const uint32_t[]){1, 20, 1, 0, 20}, 5);
    for (uint32_t i = 0; i < PACKETS; i++) {
        n += put_words(p + n, (const uint32_t[]){6, BLOCK, 0, 0, i, PACKET, PACKET}, 7);
        memset(p + n, 0x22, PACKET);
        n += PACKET;
        n += put_words(p + n, (const uint32_t[]){BLOCK}, 1);
    }
    return n;
}

static size_t an_erf(uint8_t *p)
{
    enum { HEADER = 16, ALL = HEADER + PACKET };

    memset(p, 0, PACKETS * ALL);
    for (size_t i = 0; i < PACKETS; i++) {
        uint8_t *r = p + i * ALL;
        r[8] = 21;
        r[9] = 4;
        r[11] = ALL;
        r[15] = PACKET;
    }
    return PACKETS * ALL;
}

static const struct {
    enum file_kind kind;
    size_t (*make)(uint8_t *p);
    size_t records;
} makers[] = {{FILE_PCAP, a_pcap, PACKETS}, {FILE_PCAPNG, a_pcapng, PACKETS + 2}, {FILE_ERF, an_erf, PACKETS}};

Test(mutator, finds_the_records_of_each_kind_of_capture)
{
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        uint8_t p[2 * MOST];
        struct file_records f;
        file_records(&f, p, makers[k].make(p));
        cr_assert_eq(f.kind, makers[k].kind);
        cr_assert_eq(f.n, makers[k].records, "kind %zu: %zu records", k, f.n);
        cr_assert_geq(f.record[f.n - 1].data_bytes, PACKET);
    }
}

/* A change to one record must not damage other records: most files still have all their records but one. */
Test(mutator, leaves_captures_readable)
{
    struct iba_random r;

    iba_random_seed(&r, 4);
    for (size_t k = 0; k < sizeof makers / sizeof *makers; k++) {
        unsigned good = 0;
        for (unsigned i = 0; i < ROUNDS; i++) {
            uint8_t whole[2 * MOST];
            struct file_records f;
            const size_t n = makers[k].make(whole), most = n + iba_random_below(&r, MOST);
            uint8_t *exact = malloc(most);
            cr_assert_not_null(exact);
            memcpy(exact, whole, n);
            const size_t now = fuzz_mutate_file(&r, exact, n, most);
            cr_assert(now >= 1 && now <= most, "kind %zu, round %u: %zu of %zu", k, i, now, most);
            file_records(&f, exact, now);
            good += f.n + 1 >= makers[k].records;
            free(exact);
        }
        cr_assert_gt(good, ROUNDS / 10 * 7, "kind %zu: %u", k, good);
    }
}
