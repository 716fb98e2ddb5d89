/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations stay within their room, whatever the input: in memory of exactly that size a sanitizer sees who does not.
 */
#include "mutator.h"
#include <criterion/criterion.h>
#include <string.h>
#include "records.h"

enum { ROUNDS = 20000, MOST = 300 };

/* Often with records in it, some of them empty, the last one cut. */
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
        const size_t now = fuzz_mutate((enum fuzz_form)(i % 3), &r, exact, n, most);
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
        cr_assert_leq(fuzz_splice((enum fuzz_form)(i % 3), &r, a, na, b, nb, out, most), most);
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
