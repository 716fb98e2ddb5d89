/* SPDX-License-Identifier: BSD-2-Clause */
#include "../window.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <time.h>

#define GIGA UINT64_C(1000000000)
#define NOON UINT64_C(1764072000) /* 2025-11-25 12:00:00 UTC */

static uint64_t ns_of(const char *text, bool after_first)
{
    struct window_edge e;

    cr_assert(window_edge_parse(&e, text), "%s", text);
    cr_expect(e.set && e.after_first == after_first, "%s", text);
    return e.ns;
}

Test(window, times_are_read)
{
    setenv("TZ", "XST-2", 1); /* two hours east */
    tzset();
    cr_expect_eq(ns_of("2025-11-25T12:00:00Z", false), NOON * GIGA);
    cr_expect_eq(ns_of("2025-11-25 12:00:00.000000001Z", false), NOON * GIGA + 1);
    cr_expect_eq(ns_of("2025-11-25T14:00:00.5", false), NOON * GIGA + GIGA / 2);
    cr_expect_eq(ns_of("2025-11-25T14:00", false), NOON * GIGA);
    cr_expect_eq(ns_of("2025-11-25", false), (NOON - 14 * 3600) * GIGA);
    cr_expect_eq(ns_of("1764072000", false), NOON * GIGA);
    cr_expect_eq(ns_of("1764072000.25", false), NOON * GIGA + GIGA / 4);
    cr_expect_eq(ns_of("0", false), 0);
    cr_expect_eq(ns_of("+10", true), 10 * GIGA);
    cr_expect_eq(ns_of("+0.123456789", true), 123456789);
}

Test(window, other_words_are_refused)
{
    static const char *const wrong[] = {"",
                                        "+",
                                        "-1",
                                        "1.",
                                        "1.1234567890",
                                        "x",
                                        "1764072000s",
                                        "99999999999999999999",
                                        "2025-02-30",
                                        "2025-13-01",
                                        "2025-11-25T",
                                        "2025-11-25T25:00:00",
                                        "2025-11-25T12:00:00.",
                                        "2025-11-25T12:00:00+01",
                                        "1960-01-01Z",
                                        "+2025-11-25",
                                        "2025-11-25T12:00:00ZZ",
                                        " 1"};
    struct window_edge e;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect(!window_edge_parse(&e, wrong[i]), "%s", wrong[i]);
}

Test(window, begins_with_from_and_ends_before_to)
{
    const struct window w = {.from = {.set = true, .ns = 10}, .to = {.set = true, .after_first = true, .ns = 15}};
    const struct window all = {0}, open = {.to = {.set = true, .after_first = true, .ns = UINT64_MAX}};

    cr_expect(!window_has(&w, 5, 9) && window_has(&w, 5, 10) && window_has(&w, 5, 19) && !window_has(&w, 5, 20));
    cr_expect(window_has(&all, 5, 0) && window_has(&all, 5, UINT64_MAX));
    cr_expect(window_has(&open, 5, UINT64_MAX - 1), "an end beyond all times");
}

Test(window, an_empty_one_is_known)
{
    const struct window_edge at = {.set = true, .ns = 10}, later = {.set = true, .ns = 11}, off = {0};
    const struct window_edge after = {.set = true, .after_first = true, .ns = 1};

    cr_expect(window_is_empty(&(struct window){at, at}) && window_is_empty(&(struct window){later, at}));
    cr_expect(!window_is_empty(&(struct window){at, later}) && !window_is_empty(&(struct window){at, off}));
    cr_expect(!window_is_empty(&(struct window){off, at}) && !window_is_empty(&(struct window){at, after}));
}
