/* SPDX-License-Identifier: BSD-2-Clause */
/* Waivers: required members of the file, their effect on results; and exit codes. */
#include "run/run.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TODAY "2026-06-15"
#define GOOD                                                                                                           \
    "\"pattern\":\"rc.*\",\"target\":\"ref*\",\"statement\":\"RR-04\",\"reason\":\"firmware 1.2\",\"symptom\":\"got "  \
    "2\""

static struct ibc_waivers w;
static char err[512];

static bool load(const char *text)
{
    const int fd = memfd_create("waivers", 0);
    char path[32];

    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const bool good = ibc_waivers_load(&w, path, TODAY, err, sizeof err);
    close(fd);
    return good;
}

static void refused(const char *text, const char *says)
{
    err[0] = '\0';
    cr_expect_not(load(text), "%s", text);
    cr_expect(strstr(err, says), "%s\n%s", text, err);
    cr_expect(strncmp(err, "/proc/self/fd/", 14) == 0, "no file: %s", err);
    cr_expect_not(strchr(err, '\n'));
    cr_expect_eq(w.n, 0);
}

Test(waivers, good_files)
{
    cr_assert(load("[]"), "%s", err);
    cr_expect_eq(w.n, 0);
    ibc_waivers_free(&w);
    cr_assert(load("[{" GOOD ",\"expires\":\"" TODAY "\"},{" GOOD ",\"expires\":\"2028-02-29\"},{" GOOD
                   ",\"expires\":\"2400-02-29\"},{" GOOD ",\"expires\":\"2027-12-31\"}]"),
              "%s", err);
    cr_expect_eq(w.n, 4);
    cr_expect_str_eq(w.w[1].pattern, "rc.*");
    cr_expect_str_eq(w.w[1].symptom, "got 2");
    ibc_waivers_free(&w);
}

/* A file has at most 1 MiB, blanks included. An error message is cut to the size of its buffer. */
Test(waivers, long_files)
{
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 2), small[8];

    cr_assert(text);
    memset(text, ' ', MOST + 1);
    text[MOST + 1] = '\0';
    text[0] = '[';
    text[MOST - 1] = ']';
    text[MOST] = '\0';
    cr_assert(load(text), "%s", err);
    ibc_waivers_free(&w);
    text[MOST] = ' ';
    refused(text, "longer than 1 MiB");
    free(text);
    small[sizeof small - 1] = 'x';
    cr_expect_not(ibc_waivers_load(&w, "/proc/none/there", TODAY, small, sizeof small - 1));
    cr_expect_str_eq(small, "/proc/");
    cr_expect_eq(small[sizeof small - 1], 'x');
}

Test(waivers, bad_files)
{
    static const char *const no_days[] = {
        "20270101",   "2027-01-1",  "2027-01-011", "202-01-0101", "20270-1-01", "2027-010-1", "2027/01-01",
        "2027-01/01", "2027-01-0a", "2027-0a-01",  "202a-01-01",  "2027-00-10", "2027-12-32", "2027-04-31",
        "2027-01-00", "2100-02-29", "2027-02-30",  "+027-01-01",  "2027-00-01", "2027-00-00", "2027-1a-01",
        "2027-+1-01", "2027- 1-01", "2027-01-1a",  "2027-01-+1",  "2027-01- 1", " 027-01-01", "202a-12-31"};

    refused("", "not JSON");
    refused("[\n{" GOOD ",\n]", "line 3, near column 2: not JSON");
    refused("[] []", "not JSON");
    refused("{}", "not a list of waivers: [{\"pattern\": ..., ...}, ...]");
    refused("7", "not a list");
    refused("[7]", "waiver 1: not an object");
    refused("[{}]", "waiver 1: no \"pattern\"");
    refused("[{" GOOD "}]", "waiver 1: no \"expires\"");
    refused("[{" GOOD ",\"expires\":7}]", "\"expires\" must be a text");
    refused("[{" GOOD ",\"expires\":\"\"}]", "\"expires\" must be a text");
    refused("[{" GOOD ",\"expires\":\"soon\"}]", "\"soon\" is no day");
    refused("[{" GOOD ",\"expires\":\"2027-02-29\"}]", "is no day");
    refused("[{" GOOD ",\"expires\":\"2027-13-01\"}]", "is no day");
    refused("[{" GOOD ",\"expires\":\"2027-1-010\"}]", "is no day");
    refused("[{" GOOD ",\"expires\":\"2027-01-01 \"}]", "is no day");
    for (size_t i = 0; i < sizeof no_days / sizeof *no_days; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "[{" GOOD ",\"expires\":\"%s\"}]", no_days[i]);
        refused(text, "is no day");
    }
    refused("[{" GOOD ",\"expires\":\"2030-01-01\"},{" GOOD ",\"expires\":\"2026-06-14\"}]",
            "waiver 2 (rc.*): expired on 2026-06-14");
    refused("[{" GOOD ",\"expire\":\"2030-01-01\"}]", "no field \"expire\"; did you mean \"expires\"?");
    refused("[{" GOOD ",\"reason\":\"again\"}]", "\"reason\" stands twice");
    refused("[{\"pattern\":\"*\",\"target\":\"*\",\"statement\":\"RR-4\",\"reason\":\"r\",\"symptom\":\"s\","
            "\"expires\":\"2030-01-01\"}]",
            "no statement \"RR-4\"; nearest is \"RR-");
    cr_expect_not(ibc_waivers_load(&w, "/nowhere/at/all", TODAY, err, sizeof err));
    cr_expect_str_eq(err, "/nowhere/at/all: No such file or directory");
    cr_expect_not(ibc_waivers_load(&w, "/dev", TODAY, err, sizeof err));
}

/* Each month has a last day, and the day after it does not exist. */
Test(waivers, last_days)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}; /* of 2027 */
    char text[512];

    for (unsigned month = 1; month <= 12; month++)
        for (unsigned more = 0; more < 2; more++) {
            (void)snprintf(text, sizeof text, "[{" GOOD ",\"expires\":\"2027-%02u-%02u\"}]", month,
                           days[month - 1] + more);
            if (more)
                refused(text, "is no day");
            else
                cr_expect(load(text), "%s", err);
            ibc_waivers_free(&w);
        }
}

static const char *cited[] = {"RR-03", "RR-04"};
static struct ibc_scenario scenario = {.id = (char *)(uintptr_t) "rc.responder.gap", .spec = cited, .n_spec = 2};

static enum ibc_verdict apply(enum ibc_verdict v, const char *got, enum ibc_verdict counters, const char *counted,
                              const char *target)
{
    struct ibc_result r = {.scenario = &scenario, .verdict = v, .counters = counters};

    snprintf(r.finding.got, sizeof r.finding.got, "%s", got);
    snprintf(r.counter_finding.got, sizeof r.counter_finding.got, "%s", counted);
    ibc_waivers_apply(&w, target, &r);
    cr_expect_eq(r.waiver != NULL, r.verdict != v);
    return r.verdict;
}

Test(waivers, apply)
{
    const enum ibc_verdict P = IBC_IS_PASS, T = IBC_IS_TOLERATED, F = IBC_IS_FAIL, D = IBC_IS_DEVIATES,
                           NA = IBC_IS_NOT_APPLICABLE;

    cr_assert(load("[{" GOOD ",\"expires\":\"2030-01-01\"}]"), "%s", err);
    cr_expect_eq(apply(F, "it got 2 of them", NA, "", "reference"), IBC_IS_XFAIL);
    cr_expect(w.w[0].used);
    cr_expect_eq(apply(F, "nothing", NA, "", "reference"), F, "another symptom is another fault");
    cr_expect_eq(apply(F, "got 2", NA, "", "live"), F, "of another target");
    cr_expect_eq(apply(D, "got 2", NA, "", "reference"), IBC_IS_XFAIL, "likewise what is not certain");
    cr_expect_eq(apply(D, "nothing", NA, "", "reference"), D);
    cr_expect_eq(apply(P, "", D, "got 2", "reference"), IBC_IS_XFAIL);
    cr_expect_eq(apply(P, "", NA, "", "reference"), IBC_IS_XPASS);
    cr_expect_eq(apply(T, "", P, "", "reference"), IBC_IS_XPASS);
    cr_expect_eq(apply(P, "", F, "got 2", "reference"), IBC_IS_XFAIL, "a counter only");
    cr_expect_eq(apply(P, "", F, "got 3", "reference"), P);
    cr_expect_eq(apply(F, "got 2", F, "got 3", "reference"), F, "one of two is not known");
    cr_expect_eq(apply(F, "got 2", F, "got 2", "reference"), IBC_IS_XFAIL);
    for (enum ibc_verdict v = P; v < IBC_IS_COUNT; v++)
        if (v != P && v != T && v != F && v != D)
            cr_expect_eq(apply(v, "got 2", NA, "", "reference"), v);
    scenario.n_spec = 1;
    cr_expect_eq(apply(F, "got 2", NA, "", "reference"), F, "of a statement that it does not cite");
    scenario.n_spec = 2;
    ibc_waivers_free(&w);
}

/* The symptom of a waiver is searched in every text of the finding. */
Test(waivers, where_symptoms_are_looked_for)
{
    cr_assert(load("[{" GOOD ",\"expires\":\"2030-01-01\"}]"), "%s", err);
    for (unsigned k = 0; k < 5; k++) {
        struct ibc_result r = {.scenario = &scenario, .verdict = IBC_IS_FAIL, .counters = IBC_IS_NOT_APPLICABLE};
        struct ibc_finding *f = &r.finding;
        snprintf(f->got, sizeof f->got, "%s", k == 0 ? "got 2" : "");
        snprintf(f->expected, sizeof f->expected, "%s", k == 1 ? "got 2" : "");
        snprintf(f->sentence, sizeof f->sentence, "%s", k == 2 ? "got 2" : "");
        snprintf(f->variation, sizeof f->variation, "%s", k == 3 ? "got 2" : "");
        ibc_waivers_apply(&w, "reference", &r);
        cr_expect_eq(r.verdict, k < 4 ? IBC_IS_XFAIL : IBC_IS_FAIL, "text %u", k);
    }
    ibc_waivers_free(&w);
}

Test(waivers, several_patterns_symptoms_and_targets)
{
    char pattern[64];

    cr_assert(
        load(
            "[{\"pattern\":\" uc.* rc.responder.gap \",\"target\":\"*\",\"statement\":\"QS-01 RR-04\",\"reason\":\"r\","
            "\"symptom\":\"got 2 | got 30\",\"expires\":\"2030-01-01\",\"name\":\"n\",\"certain\":\"yes\","
            "\"evidence\":\"e\"}]"),
        "%s", err);
    cr_expect(ibc_waiver_word(w.w[0].pattern, 0, pattern, sizeof pattern));
    cr_expect_str_eq(pattern, "uc.*");
    cr_expect(ibc_waiver_word(w.w[0].pattern, 1, pattern, sizeof pattern));
    cr_expect_str_eq(pattern, "rc.responder.gap");
    cr_expect_not(ibc_waiver_word(w.w[0].pattern, 2, pattern, sizeof pattern));
    cr_expect_eq(apply(IBC_IS_FAIL, "got 2", IBC_IS_NOT_APPLICABLE, "", "live"), IBC_IS_XFAIL);
    cr_expect_eq(apply(IBC_IS_FAIL, "got 30", IBC_IS_NOT_APPLICABLE, "", "live"), IBC_IS_XFAIL);
    cr_expect_eq(apply(IBC_IS_FAIL, "got 3", IBC_IS_NOT_APPLICABLE, "", "live"), IBC_IS_FAIL);
    cr_expect_eq(apply(IBC_IS_FAIL, "|", IBC_IS_NOT_APPLICABLE, "", "live"), IBC_IS_FAIL);
    ibc_waivers_free(&w);
    cr_assert(load("[{\"pattern\":\"rc.*\",\"target\":\"live:*6.12.* | live:*7.*\",\"statement\":\"RR-04\","
                   "\"reason\":\"r\",\"symptom\":\"got 2\",\"expires\":\"2030-01-01\",\"name\":\"n\",\"was\":\"m o\","
                   "\"cause\":\"c\",\"mended\":\"9\",\"impact\":\"none\",\"remedy\":\"r\"}]"),
              "%s", err);
    cr_expect_str_eq(w.w[0].was, "m o");
    cr_expect_eq(apply(IBC_IS_FAIL, "got 2", IBC_IS_NOT_APPLICABLE, "", "live:rxe, Linux 6.12.9"), IBC_IS_XFAIL);
    cr_expect_eq(apply(IBC_IS_FAIL, "got 2", IBC_IS_NOT_APPLICABLE, "", "live:rxe, Linux 7.3.4"), IBC_IS_XFAIL);
    cr_expect_eq(apply(IBC_IS_FAIL, "got 2", IBC_IS_NOT_APPLICABLE, "", "live:rxe, Linux 6.1.2"), IBC_IS_FAIL);
    ibc_waivers_free(&w);
    refused("[{\"pattern\":\"  \",\"target\":\"*\",\"statement\":\"RR-04\",\"reason\":\"r\",\"symptom\":\"s\","
            "\"expires\":\"2030-01-01\"}]",
            "\"pattern\" names nothing");
}

Test(waivers, seen_sometimes)
{
    cr_assert(load("[{" GOOD ",\"expires\":\"2030-01-01\",\"sometimes\":\"a race\"}]"), "%s", err);
    cr_expect_eq(apply(IBC_IS_PASS, "", IBC_IS_NOT_APPLICABLE, "", "reference"), IBC_IS_PASS);
    cr_expect_eq(apply(IBC_IS_FAIL, "got 2", IBC_IS_NOT_APPLICABLE, "", "reference"), IBC_IS_XFAIL);
    ibc_waivers_free(&w);
}

Test(exit_code, worst_wins)
{
    static const struct {
        enum ibc_verdict a, b, counters;
        int code, strict;
    } rows[] = {
        {IBC_IS_PASS, IBC_IS_TOLERATED, IBC_IS_PASS, 0, 0},
        {IBC_IS_INFO, IBC_IS_NOT_APPLICABLE, IBC_IS_NOT_APPLICABLE, 0, 0},
        {IBC_IS_UNSUPPORTED, IBC_IS_XFAIL, IBC_IS_NOT_APPLICABLE, 0, 1},
        {IBC_IS_PASS, IBC_IS_FAIL, IBC_IS_PASS, 1, 1},
        {IBC_IS_PASS, IBC_IS_DEVIATES, IBC_IS_PASS, 0, 1},
        {IBC_IS_PASS, IBC_IS_PASS, IBC_IS_DEVIATES, 0, 1},
        {IBC_IS_PASS, IBC_IS_XFAIL, IBC_IS_DEVIATES, 0, 0},
        {IBC_IS_DEVIATES, IBC_IS_INCONCLUSIVE, IBC_IS_PASS, 3, 1},
        {IBC_IS_DEVIATES, IBC_IS_FAIL, IBC_IS_PASS, 1, 1},
        {IBC_IS_PASS, IBC_IS_XPASS, IBC_IS_PASS, 1, 1},
        {IBC_IS_PASS, IBC_IS_PASS, IBC_IS_FAIL, 1, 1},
        {IBC_IS_PASS, IBC_IS_XFAIL, IBC_IS_FAIL, 0, 0},
        {IBC_IS_PASS, IBC_IS_INCONCLUSIVE, IBC_IS_PASS, 3, 3},
        {IBC_IS_FAIL, IBC_IS_INCONCLUSIVE, IBC_IS_PASS, 1, 1},
        {IBC_IS_INCONCLUSIVE, IBC_IS_ERROR, IBC_IS_PASS, 4, 4},
        {IBC_IS_FAIL, IBC_IS_ERROR, IBC_IS_PASS, 4, 4},
    };
    cr_expect_eq(ibc_exit_code(NULL, 0, true), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int swap = 0; swap < 2; swap++) {
            struct ibc_result r[2] = {{.verdict = rows[i].a, .counters = IBC_IS_NOT_APPLICABLE},
                                      {.verdict = rows[i].b, .counters = rows[i].counters}};
            const struct ibc_result turned[2] = {r[1], r[0]};
            cr_expect_eq(ibc_exit_code(swap ? turned : r, 2, false), rows[i].code, "row %zu", i);
            cr_expect_eq(ibc_exit_code(swap ? turned : r, 2, true), rows[i].strict, "row %zu, strict", i);
        }
}
