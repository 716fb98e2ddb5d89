/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases on a live device, of which each play ends as a script says: a letter for each play. */
#include "main/settle.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "main/dut.h"

static const char *script, *health; /* health: 'w' well, 'i' ill, for each probe; the last letter stays */
static unsigned plays, probes, naps;
static char folder[256], evidence[300];
static const char *spec[] = {"RR-03"};
static const struct ibc_scenario scenario = {
    .id = (char *)(uintptr_t) "rc.one", .spec = spec, .n_spec = 1, .klass = UINT8_MAX};
static struct ibc_target target;
static const struct ibc_options options = {.seed = 1};

/* g good, b bad, l late, o open, d: the device goes down, u: it is not well afterwards, p: proved, f: a fault, c: it
 * could not begin, C: nor did the device survive, w: bad as a waiver says, m: good, with a measurement of its own */
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r);
void __wrap_ibc_run(const struct ibc_scenario *s, struct ibc_target *t, const struct ibc_options *o,
                    struct ibc_result *r)
{
    const char is = script[plays++];

    cr_assert(is, "%u plays", plays);
    cr_assert(s == &scenario && t == &target && o == &options);
    *r = (struct ibc_result){.scenario = s, .verdict = IBC_IS_FAIL, .counters = IBC_IS_PASS};
    snprintf(r->finding.expected, sizeof r->finding.expected, "an ACK");
    snprintf(r->finding.got, sizeof r->finding.got, is == 'w' ? "known" : "a NAK in play %u", plays);
    r->verdict = is == 'g' || is == 'm' ? IBC_IS_PASS
                 : is == 'o'            ? IBC_IS_INCONCLUSIVE
                 : strchr("fcC", is)    ? IBC_IS_ERROR
                                        : IBC_IS_FAIL;
    r->finding.what = is == 'l'                ? IBC_FOUND_LATE
                      : is == 'o'              ? IBC_FOUND_UNSURE
                      : is == 'c' || is == 'C' ? IBC_FOUND_UNCLEAN
                                               : IBC_FOUND_OTHERWISE;
    if (is == 'm')
        snprintf(r->measured, sizeof r->measured, "12 ms in play %u", plays);
    if (is == 'g' || is == 'm')
        r->finding = (struct ibc_finding){0};
    r->died = is == 'd' || is == 'C';
    r->unwell = is == 'u';
    r->proved = is == 'p';
    if (!folder[0])
        return;
    FILE *f = fopen(evidence, "w");
    cr_assert(f && fprintf(f, "%u", plays) > 0 && fclose(f) == 0);
    r->evidence = strdup(evidence);
}

bool __wrap_dut_is_well(struct ibc_target *t, const struct ibc_options *o, char *why, size_t n);
bool __wrap_dut_is_well(struct ibc_target *t, const struct ibc_options *o, char *why, size_t n)
{
    cr_assert(t == &target && o == &options);
    snprintf(why, n, "expected an answer, got nothing (%u)", ++probes);
    return (health[probes - 1] ? health[probes - 1] : 'i') == 'w';
}

int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    cr_expect(t->tv_sec == 1 && t->tv_nsec == 0);
    naps++;
    return 0;
}

static struct ibc_result played(struct settle *x, const char *as, const char *well)
{
    struct ibc_result r = {0};

    script = as;
    health = well;
    plays = probes = naps = 0;
    x->t = &target;
    x->o = &options;
    x->target = "live:x";
    settle(x, &scenario, &r);
    cr_expect_eq(as[plays], '\0', "%s: %u plays", as, plays);
    return r;
}

/* How often a case is played, the verdict, and the note on other plays. */
Test(settle, verdicts)
{
    static const struct {
        const char *plays;
        enum ibc_verdict is;
        const char *measured, *expected, *got;
    } rows[] = {
        {"g", IBC_IS_PASS, "", "", ""},
        {"bb", IBC_IS_FAIL, "", "an ACK", "a NAK in play 2"},
        {"bgg", IBC_IS_PASS, "in one of three plays: expected an ACK, got a NAK in play 1", "", ""},
        {"bgb", IBC_IS_FAIL, "", "an ACK", "a NAK in play 3"},
        {"lg", IBC_IS_PASS, "in play 1 of 2: expected an ACK, got a NAK in play 1", "", ""},
        {"lllll", IBC_IS_FAIL, "", "an ACK", "a NAK in play 5"},
        {"llllg", IBC_IS_PASS, "in play 1 of 5: expected an ACK, got a NAK in play 1", "", ""},
        {"bogog", IBC_IS_PASS, "in play 1 of 5: expected an ACK, got a NAK in play 1", "", ""},
        {"og", IBC_IS_PASS, "", "", ""},
        {"m", IBC_IS_PASS, "12 ms in play 1", "", ""},
        {"lm", IBC_IS_PASS, "12 ms in play 2", "", ""}, /* what a case measured is not replaced by a note */
        {"bmm", IBC_IS_PASS, "12 ms in play 3", "", ""},
        {"ooo", IBC_IS_INCONCLUSIVE, "", "an ACK", "a NAK in play 3"},
        {"p", IBC_IS_FAIL, "", "an ACK", "a NAK in play 1"},
        {"f", IBC_IS_ERROR, "", "an ACK", "a NAK in play 1"},
        {"cg", IBC_IS_PASS, "", "", ""},
        {"cf", IBC_IS_ERROR, "", "an ACK", "a NAK in play 2"},
        {"cc", IBC_IS_ERROR, "", "an ACK", "a NAK in play 2"},
        {"C", IBC_IS_ERROR, "", "an ACK", "a NAK in play 1"},
        {"dd", IBC_IS_FAIL, "", "an ACK", "a NAK in play 2"},
        {"dgg", IBC_IS_INCONCLUSIVE, "", "the same in two of three plays",
         "in one of three plays: expected an ACK, got a NAK in play 1"},
        {"oblll", IBC_IS_INCONCLUSIVE, "", "the same in two of three plays",
         "in play 1 of 5: expected an ACK, got a NAK in play 1"},
        {"lblll", IBC_IS_INCONCLUSIVE, "", "the same in two of three plays",
         "in play 1 of 5: expected an ACK, got a NAK in play 1"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settle x = {0};
        struct ibc_result r = played(&x, rows[i].plays, "w");
        cr_expect_eq(r.verdict, rows[i].is, "%s: %s", rows[i].plays, ibc_verdict_names[r.verdict]);
        cr_expect_str_eq(r.measured, rows[i].measured, "%s: %s", rows[i].plays, r.measured);
        cr_expect_str_eq(r.finding.expected, rows[i].expected, "%s: %s", rows[i].plays, r.finding.expected);
        cr_expect_str_eq(r.finding.got, rows[i].got, "%s: %s", rows[i].plays, r.finding.got);
        cr_expect_eq(probes, 0);
        cr_expect_eq(r.finding.what == IBC_FOUND_UNSURE, strcmp(rows[i].plays, "ooo") == 0, "%s", rows[i].plays);
        ibc_result_clear(&r);
    }
}

/* On virtual time one play is enough, unless the device went down; a failure that a waiver names is good. */
Test(settle, one_play_is_enough)
{
    struct ibc_waiver w = {.pattern = (char *)(uintptr_t) "rc.*",
                           .target = (char *)(uintptr_t) "live:*",
                           .statement = (char *)(uintptr_t) "RR-03",
                           .symptom = (char *)(uintptr_t) "known",
                           .reason = (char *)(uintptr_t) "r",
                           .expires = (char *)(uintptr_t) "2999-12-31"};
    const struct ibc_waivers all = {&w, 1};
    struct settle x = {.w = &all};
    struct ibc_result r = played(&x, "w", "w");

    cr_expect_eq(r.verdict, IBC_IS_FAIL); /* the waiver is applied later */
    ibc_result_clear(&r);
    r = played(&x, "bb", "w");
    ibc_result_clear(&r);
    target.virtual_time = true;
    r = played(&x, "b", "w");
    ibc_result_clear(&r);
    r = played(&x, "dd", "w");
    ibc_result_clear(&r);
    target.virtual_time = false;
}

/* The device is not well after a case: if it is well with new objects, the case is judged; otherwise neither it nor the
 * cases after it are. */
Test(settle, a_device_that_is_not_well)
{
    struct settle x = {0};
    struct ibc_result r = played(&x, "uu", "ww");

    cr_expect(r.verdict == IBC_IS_FAIL && probes == 2 && naps == 0 && !x.ill);
    ibc_result_clear(&r);
    r = played(&x, "uu", "iiiiww");
    cr_expect(r.verdict == IBC_IS_FAIL && probes == 6 && naps == 4, "%u probes, %u naps", probes, naps);
    ibc_result_clear(&r);
    r = played(&x, "u", "iiiii");
    cr_expect(r.verdict == IBC_IS_ERROR && r.counters == IBC_IS_NOT_APPLICABLE && x.ill && probes == 5 && naps == 4);
    cr_expect_str_eq(r.finding.got,
                     "a NAK in play 1; with new objects it fails, too: expected an answer, got nothing (5)");
    ibc_result_clear(&r);
    r = played(&x, "", "i");
    cr_expect(r.verdict == IBC_IS_ERROR && x.ill && probes == 1 && naps == 0);
    cr_expect_str_eq(r.finding.got,
                     "since an earlier case the device is not well: expected an answer, got nothing (1)");
    ibc_result_clear(&r);
    r = played(&x, "g", "w");
    cr_expect(r.verdict == IBC_IS_PASS && !x.ill && probes == 1);
    ibc_result_clear(&r);
    r = played(&x, "g", "");
    cr_expect_eq(probes, 0);
    ibc_result_clear(&r);
}

/* The evidence of plays with another verdict than the last is kept, and named in the note. */
Test(settle, evidence)
{
    static const struct {
        const char *plays;
        unsigned kept; /* a bit for each play but the last */
        const char *measured;
    } rows[] = {{"g", 0, ""},
                {"bb", 0, ""},
                {"bgg", 1, "in one of three plays (play-1.pcapng): expected an ACK, got a NAK in play 1"},
                {"bgb", 2, ""},
                {"og", 1, ""},
                {"obgb", 5, ""},
                {"llllg", 15, "in play 1 of 5 (play-1.pcapng): expected an ACK, got a NAK in play 1"}};
    const char *tmp = getenv("TMPDIR");
    char path[400];

    snprintf(folder, sizeof folder, "%.200s/settle.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
    snprintf(evidence, sizeof evidence, "%s/rc.one.pcapng", folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct settle x = {0};
        struct ibc_result r = played(&x, rows[i].plays, "w");
        cr_expect_str_eq(r.measured, rows[i].measured);
        cr_expect_str_eq(r.evidence, evidence);
        for (unsigned k = 0; k < 6; k++) {
            snprintf(path, sizeof path, "%s/rc.one.play-%u.pcapng", folder, k + 1);
            cr_expect_eq(unlink(path) == 0, (rows[i].kept >> k & 1) != 0, "%s: play %u", rows[i].plays, k + 1);
        }
        cr_expect_eq(unlink(evidence), 0);
        ibc_result_clear(&r);
    }
    cr_expect_eq(rmdir(folder), 0);
    folder[0] = '\0';
}
