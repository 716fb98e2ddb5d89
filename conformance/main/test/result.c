/* SPDX-License-Identifier: BSD-2-Clause */
/* Results sent between processes, and several merged into one. */
#include "main/result.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *spec[] = {"RR-03"};
static const struct ibc_scenario scenario = {.id = (char *)(uintptr_t) "rc.one", .spec = spec, .n_spec = 1};

static const bool all[] = {true, true, true, true};

static struct ibc_result make(enum ibc_verdict v, const char *got)
{
    struct ibc_result r = {.scenario = &scenario, .verdict = v, .counters = IBC_IS_NOT_APPLICABLE, .variations = 3};

    r.passed = v == IBC_IS_PASS ? 3 : 1;
    r.wall_ns = 10;
    snprintf(r.finding.got, sizeof r.finding.got, "%s", got);
    return r;
}

Test(result, arrives_whole)
{
    uint8_t buffer[16384];
    struct ibc_result r = make(IBC_IS_FAIL, "bth.psn 0x000103"), back;

    r.evidence = strdup("out/rc.one.pcapng");
    const size_t n = result_pack(&r, buffer, sizeof buffer);
    cr_assert(result_unpack(&back, &scenario, buffer, n));
    cr_expect_str_eq(back.evidence, r.evidence);
    cr_expect_str_eq(back.finding.got, r.finding.got);
    cr_expect_eq(back.verdict, IBC_IS_FAIL);
    cr_expect_eq(back.scenario, &scenario);
    cr_expect_not(result_unpack(&back, &scenario, buffer, sizeof r - 1));
    cr_expect_not(result_unpack(&back, &scenario, buffer, n - 1));
    cr_expect_eq(result_pack(&r, buffer, n - 1), 0);
    free(back.evidence);
    ibc_result_clear(&r);
}

/* For all pairs of verdicts: the worse verdict wins, a verdict that ranks wins over one that does not, and of equal
 * ones the first keeps its reason. */
Test(result, links_worst_wins)
{
    for (enum ibc_verdict a = IBC_IS_PASS; a < IBC_IS_XFAIL; a++)
        for (enum ibc_verdict b = IBC_IS_PASS; b < IBC_IS_XFAIL; b++) {
            struct ibc_result to = make(a, "a"), r = make(b, "b");
            const bool second = b <= IBC_IS_ERROR && (a > IBC_IS_ERROR || b > a);
            result_add(&to, &r);
            cr_expect_eq(to.verdict, second ? b : a, "%d %d", (int)a, (int)b);
            cr_expect_str_eq(to.finding.got, second ? "b" : "a");
            cr_expect_eq(to.variations, 6);
            cr_expect_eq(to.wall_ns, 20);
        }
}

Test(result, repeats_that_agree)
{
    for (enum ibc_verdict v = IBC_IS_PASS; v < IBC_IS_XFAIL; v++) {
        struct ibc_result r[3] = {make(v, "0"), make(v, "1"), make(v, "2")};
        result_repeats(r, all, 3, 7);
        cr_expect_eq(r[0].verdict, v);
        cr_expect_str_eq(r[0].finding.got, "0");
    }
}

Test(result, repeats_that_differ)
{
    struct ibc_result r[4] = {make(IBC_IS_PASS, ""), make(IBC_IS_PASS, ""), make(IBC_IS_TOLERATED, "odd"),
                              make(IBC_IS_PASS, "")};
    result_repeats(r, all, 4, 7);
    cr_expect_eq(r[0].verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r[0].finding.got, "verdicts differ between repeats: PASS before, TOLERATED with seed 9; odd");

    struct ibc_result first_bad[3] = {make(IBC_IS_FAIL, "x"), make(IBC_IS_PASS, ""), make(IBC_IS_FAIL, "x")};
    result_repeats(first_bad, all, 3, 1);
    cr_expect_eq(first_bad[0].verdict, IBC_IS_FAIL);
    cr_expect_str_eq(first_bad[0].finding.got, "verdicts differ between repeats: FAIL before, PASS with seed 2; x");

    const struct ibc_scenario not_certain = {.id = scenario.id};
    struct ibc_result uncertain[2] = {make(IBC_IS_PASS, ""), make(IBC_IS_DEVIATES, "x")};
    uncertain[0].scenario = uncertain[1].scenario = &not_certain;
    result_repeats(uncertain, all, 2, 1);
    cr_expect_eq(uncertain[0].verdict, IBC_IS_DEVIATES);

    struct ibc_result dead[3] = {make(IBC_IS_PASS, ""), make(IBC_IS_ERROR, "the harness died"), make(IBC_IS_PASS, "")};
    result_repeats(dead, all, 3, 1);
    cr_expect_eq(dead[0].verdict, IBC_IS_ERROR);
    cr_expect_str_eq(dead[0].finding.got, "the harness died");

    struct ibc_result counters[2] = {make(IBC_IS_PASS, ""), make(IBC_IS_PASS, "")};
    counters[0].counters = IBC_IS_PASS;
    counters[1].counters = IBC_IS_FAIL;
    result_repeats(counters, all, 2, 1);
    cr_expect_eq(counters[0].verdict, IBC_IS_PASS);
    cr_expect_eq(counters[0].counters, IBC_IS_FAIL);
}

/* An INCONCLUSIVE repeat says nothing about the device: it neither contradicts a verdict nor hides one. */
Test(result, a_repeat_that_was_not_judged)
{
    struct ibc_result late[3] = {make(IBC_IS_PASS, ""), make(IBC_IS_INCONCLUSIVE, "late"), make(IBC_IS_PASS, "")};
    result_repeats(late, all, 3, 1);
    cr_expect_eq(late[0].verdict, IBC_IS_INCONCLUSIVE);
    cr_expect_str_eq(late[0].finding.got, "late");

    struct ibc_result first[2] = {make(IBC_IS_INCONCLUSIVE, "late"), make(IBC_IS_PASS, "")};
    result_repeats(first, all, 2, 1);
    cr_expect_eq(first[0].verdict, IBC_IS_INCONCLUSIVE);
    cr_expect_str_eq(first[0].finding.got, "late");

    struct ibc_result bad[3] = {make(IBC_IS_FAIL, "x"), make(IBC_IS_INCONCLUSIVE, "late"), make(IBC_IS_FAIL, "x")};
    result_repeats(bad, all, 3, 1);
    cr_expect_eq(bad[0].verdict, IBC_IS_FAIL);
    cr_expect_str_eq(bad[0].finding.got, "x");

    struct ibc_result then_bad[3] = {make(IBC_IS_INCONCLUSIVE, "late"), make(IBC_IS_FAIL, "x"), make(IBC_IS_PASS, "")};
    result_repeats(then_bad, all, 3, 1);
    cr_expect_eq(then_bad[0].verdict, IBC_IS_FAIL);
    cr_expect_str_eq(then_bad[0].finding.got, "verdicts differ between repeats: FAIL before, PASS with seed 3; x");

    struct ibc_result counters[2] = {make(IBC_IS_PASS, ""), make(IBC_IS_PASS, "")};
    counters[0].counters = IBC_IS_PASS;
    counters[1].counters = IBC_IS_INCONCLUSIVE;
    result_repeats(counters, all, 2, 1);
    cr_expect_eq(counters[0].counters, IBC_IS_INCONCLUSIVE);

    static const uint8_t compared[][3] = {{IBC_IS_PASS, IBC_IS_NOT_APPLICABLE, IBC_IS_PASS},
                                          {IBC_IS_NOT_APPLICABLE, IBC_IS_PASS, IBC_IS_NOT_APPLICABLE},
                                          {IBC_IS_FAIL, IBC_IS_NOT_APPLICABLE, IBC_IS_FAIL},
                                          {IBC_IS_NOT_APPLICABLE, IBC_IS_FAIL, IBC_IS_NOT_APPLICABLE}};
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        struct ibc_result r[3] = {make(IBC_IS_PASS, ""), make(IBC_IS_INCONCLUSIVE, "late"), make(IBC_IS_PASS, "")};
        for (size_t k = 0; k < 3; k++) {
            r[k].counters = (enum ibc_verdict)compared[i][k];
            snprintf(r[k].counter_finding.got, sizeof r[k].counter_finding.got, "%zu", k);
        }
        result_repeats(r, all, 3, 1);
        cr_expect_eq(r[0].counters, i < 2 ? IBC_IS_PASS : IBC_IS_FAIL, "%zu", i);
        cr_expect_str_eq(r[0].counter_finding.got, i % 2 ? "1" : "0", "%zu", i);
    }
}

/* Repeats that were not played change nothing. */
Test(result, repeats_that_were_not_played)
{
    static const bool has[] = {true, false, true, false};
    struct ibc_result r[4] = {make(IBC_IS_FAIL, "x"), make(IBC_IS_PASS, ""), make(IBC_IS_FAIL, "x"),
                              make(IBC_IS_ERROR, "lost")};

    result_repeats(r, has, 4, 7);
    cr_expect_eq(r[0].verdict, IBC_IS_FAIL);
    cr_expect_str_eq(r[0].finding.got, "x");
    cr_expect_eq(r[0].wall_ns, 20);
}

Test(result, not_played)
{
    struct ibc_result r;

    result_not_played(&r, &scenario, "a reason");
    cr_expect_eq(r.verdict, IBC_IS_INCONCLUSIVE);
    cr_expect_eq(r.counters, IBC_IS_NOT_APPLICABLE);
    cr_expect_str_eq(r.finding.got, "not played: a reason");
    cr_expect_eq(r.scenario, &scenario);
}

Test(result, link_is_named)
{
    struct ibc_result r = make(IBC_IS_FAIL, "");

    snprintf(r.finding.variation, sizeof r.finding.variation, "pmtu=256");
    result_name_link(&r, "roce2-ipv4");
    cr_expect_str_eq(r.finding.variation, "link=roce2-ipv4 pmtu=256");
    cr_expect_str_eq(r.counter_finding.variation, "link=roce2-ipv4");
    memset(r.finding.variation, 'x', sizeof r.finding.variation - 1);
    r.finding.variation[sizeof r.finding.variation - 1] = '\0';
    result_name_link(&r, "roce2-ipv4");
    cr_expect_lt(strlen(r.finding.variation), sizeof r.finding.variation);
}
