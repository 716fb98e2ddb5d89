/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole reports of a few results, compared with the files in whole/. There is a result for each verdict, for each kind
 * of cause, and for each text that may be missing. With IBPROOF_RENEW=1 the files are written; then read them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../terminal.h"
#include "made.h"

enum { ROOM = 1 << 20 };

static char folder[256], source_file[300], evidence[300];

static const char scenario_text[] =
    "title    a gap gets one NAK\r\nspec     RR-03\n> a SEND_ONLY psn=+0 <&>\n< a ACKNOWLEDGE";
static const char *gap[] = {"RR-03", "RR-04"}, *doubtful[] = {"RR-52"}, *none[] = {"none"},
                  *datagram[] = {"UU-18", "UU-99"};
static char *words(const char *s)
{
    return (char *)(uintptr_t)s;
}

static struct ibc_waiver named = {0}, named_too = {0}, nameless = {0};
static struct ibc_scenario scenarios[24];
static struct ibc_result results[24];
static size_t n;

static struct ibc_result *add(const char *id, enum ibc_verdict v, const char **spec, unsigned n_spec)
{
    struct ibc_scenario *s = &scenarios[n];
    struct ibc_result *r = &results[n++];

    *s = (struct ibc_scenario){.id = words(id), .title = words("a title of it"), .spec = spec, .n_spec = n_spec};
    s->klass = UINT8_MAX;
    s->role = IBC_ROLE_responder;
    *r = (struct ibc_result){
        .scenario = s, .verdict = v, .counters = IBC_IS_NOT_APPLICABLE, .variations = 1, .passed = 1, .wall_ns = 1500};
    return r;
}

static struct ibc_result *found(struct ibc_result *r, const char *expected, const char *got)
{
    snprintf(r->finding.expected, sizeof r->finding.expected, "%s", expected);
    snprintf(r->finding.got, sizeof r->finding.got, "%s", got);
    r->passed = 0;
    return r;
}

static void failures(void)
{
    struct ibc_result *r =
        found(add("rc.responder.gap", IBC_IS_FAIL, gap, 2), "bth.psn 0x000101", "bth.psn 0x000102 of 7 (detail)");

    r->finding.line = 3;
    r->finding.packet = 5;
    snprintf(r->finding.variation, sizeof r->finding.variation, "pmtu=256 epsn=0x000100");
    r->variations = 9;
    r->passed = 3;
    r->wall_ns = UINT64_C(61234567890);
    r->evidence = evidence;
    scenarios[n - 1].path = source_file;
    found(add("rc.responder.a-gap-again", IBC_IS_FAIL, gap, 2), "bth.psn 0x000201", "bth.psn 0xfedcba of 12");
    found(add("rc.responder.third-gap", IBC_IS_FAIL, gap, 1), "bth.psn 0x000201", "bth.psn 0x1 of 3");
    found(add("rc.responder.fourth-gap", IBC_IS_FAIL, gap, 1), "bth.psn 0x000201", "bth.psn 0x12345 of 345");
    found(add("rc.responder.fifth-gap", IBC_IS_FAIL, gap, 1), "bth.psn 0x000201", "bth.psn 1 of 3 (more)");
    found(add("rc.responder.sixth-gap", IBC_IS_FAIL, gap, 1), "bth.psn 0x000201", "bth.psn 1 of 3 more");
    r = found(add("ud.down", IBC_IS_FAIL, doubtful, 1), "an answer", "nothing");
    r->finding.down = true;
    r = found(add("uc.security", IBC_IS_FAIL, gap, 1), "no write", "a write");
    scenarios[n - 1].klass = IBC_CLASS_security;
    snprintf(r->finding.sentence, sizeof r->finding.sentence, "Another sentence.");
    found(add("rc.requester.doubtful", IBC_IS_DEVIATES, doubtful, 1), "a NAK", "nothing for 1 s");
    scenarios[n - 1].drawn = NULL;
    add("rc.requester.no-words", IBC_IS_FAIL, none, 1)->passed = 0;
    scenarios[n - 1].title = NULL;
    add("rc.requester.its-title", IBC_IS_XPASS, none, 1);
}

static void excused(void)
{
    struct ibc_result *r;

    named = (struct ibc_waiver){.name = words("known-one"),
                                .pattern = words("rc.*"),
                                .target = words("live:*"),
                                .statement = words("RR-03"),
                                .reason = words("it is known"),
                                .symptom = words("psn"),
                                .expires = words("2099-12-31")};
    named_too = named;
    nameless = (struct ibc_waiver){.pattern = words("uc.*")};
    found(add("uc.waived.one", IBC_IS_XFAIL, gap, 1), "x", "y")->waiver = &named;
    found(add("uc.waived.two", IBC_IS_XFAIL, datagram, 2), "v", "w")->waiver = &named_too;
    found(add("uc.waived.three", IBC_IS_XFAIL, datagram, 2), "v", "w")->waiver = &nameless;
    found(add("rc.responder.open", IBC_IS_INCONCLUSIVE, gap, 1), "", "not played: why");
    found(add("ud.fault", IBC_IS_ERROR, gap, 1), "", "the harness died: signal 9");
    r = add("ud.measured", IBC_IS_INFO, none, 1);
    snprintf(r->measured, sizeof r->measured, "12 us");
    r = add("ud.spared", IBC_IS_NOT_APPLICABLE, datagram, 2);
    r->spared = true;
    scenarios[n - 1].hazard = words("it kills");
    snprintf(r->measured, sizeof r->measured, "not played: known to take devices down");
    found(add("ud.unsupported", IBC_IS_UNSUPPORTED, datagram, 1), "", "a verb is missing");
    found(add("lonely", IBC_IS_TOLERATED, gap, 1), "this", "that");
    r = add("rc.responder.good", IBC_IS_PASS, gap, 2);
    r->counters = IBC_IS_PASS;
    r->variations = 4;
    r->passed = 4;
    r = add("rc.responder.miscounts", IBC_IS_PASS, gap, 2);
    r->counters = IBC_IS_FAIL;
    r->counter_finding.line = 4;
    snprintf(r->counter_finding.expected, sizeof r->counter_finding.expected, "1 more");
    snprintf(r->counter_finding.got, sizeof r->counter_finding.got, "2 more");
}

static const struct ibc_report *report(bool strict)
{
    static struct ibc_run_info info;
    static struct ibc_report rep;

    info = (struct ibc_run_info){.target = "live:a <device>",
                                 .link = "all",
                                 .version = "1.2.3",
                                 .seed = 7,
                                 .repeat = 2,
                                 .jobs = 3,
                                 .wall_ns = UINT64_C(2500000000),
                                 .started = "2026-11-21T16:00:00Z",
                                 .strict = strict};
    n = 0;
    failures();
    excused();
    cr_assert_leq(n, sizeof results / sizeof *results);
    rep = (struct ibc_report){.info = &info, .result = results, .n = n};
    return &rep;
}

/* ---- files ---- */

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%.200s/whole.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
    snprintf(evidence, sizeof evidence, "%s/e.pcapng", folder);
    snprintf(source_file, sizeof source_file, "%s/gap.ibt", folder);
    made_evidence(evidence);
    FILE *f = fopen(source_file, "w");
    cr_assert(f && fputs(scenario_text, f) >= 0 && fclose(f) == 0);
}

static void end(void)
{
    unlink(evidence);
    unlink(source_file);
    rmdir(folder);
}
TestSuite(whole, .init = begin, .fini = end);

static char *read_file(const char *path)
{
    static char text[2][ROOM];
    static unsigned k;
    FILE *f = fopen(path, "r");
    char *to = text[k++ % 2];

    cr_assert(f, "%s", path);
    const size_t len = fread(to, 1, ROOM - 1, f);
    fclose(f);
    to[len] = '\0';
    return to;
}

/* Puts `name` in the place of each `text`. */
static void mask(char *in, const char *text, const char *name)
{
    for (char *at = in; (at = strstr(at, text)) != NULL; at += strlen(name)) {
        memmove(at + strlen(name), at + strlen(text), strlen(at + strlen(text)) + 1);
        memcpy(at, name, strlen(name));
    }
}

/* Leaves out what lies between the two texts. */
static void cut(char *in, const char *from, const char *to)
{
    char *a = strstr(in, from), *b = a ? strstr(a, to) : NULL;

    cr_assert(a && b, "%s", from);
    memmove(a + strlen(from), b, strlen(b) + 1);
}

static void compare(const char *name, char *is)
{
    char path[512];

    mask(is, folder, "{}");
    snprintf(path, sizeof path, IBPROOF_SOURCE_DIR "/conformance/report/test/whole/%s.golden", name);
    if (getenv("IBPROOF_RENEW")) {
        FILE *f = fopen(path, "w");
        cr_assert(f && fputs(is, f) >= 0 && fclose(f) == 0);
    }
    const char *must = read_file(path);
    size_t same = 0, line = 0;
    for (; is[same] && is[same] == must[same]; same++)
        line = is[same] == '\n' ? same + 1 : line;
    cr_expect(is[same] == must[same], "%s: %.300s\ninstead of %.300s", name, is + line, must + line);
}

static char *written(const char *name, bool strict,
                     bool (*write)(const char *, const struct ibc_report *, char *, size_t))
{
    char path[300], err[512];

    snprintf(path, sizeof path, "%.200s/%s", folder, name);
    cr_assert(write(path, report(strict), err, sizeof err), "%s", err);
    char *text = read_file(path);
    unlink(path);
    return text;
}

Test(whole, json)
{
    compare("report.json", written("report.json", false, ibc_report_json));
}

Test(whole, junit)
{
    compare("report.xml", written("report.xml", false, ibc_report_junit));
    compare("strict.xml", written("strict.xml", true, ibc_report_junit));
}

/* The table of statements changes with the statements: it has a test of its own (coverage.c). */
Test(whole, html)
{
    char *text = written("report.html", false, ibc_report_html);

    cut(text, "<style>", "</style>");
    cut(text, "<script>", "</script>");
    cut(text, "<section aria-labelledby=\"statements\">", "<section aria-labelledby=\"scenarios\">");
    cut(text, " statements that", "</p>");
    cut(text, "They check ", " statements that");
    compare("report.html", text);
}

static void terminal(const char *name, bool color, bool verbose, unsigned width, const struct ibc_report *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);

    cr_expect(rep_terminal(f, r, color, verbose, width));
    cr_assert_eq(fclose(f), 0);
    text = realloc(text, len + 4096); /* room for masks */
    compare(name, text);
    free(text);
}

/* Notes on a case that passed are printed; those on a case that was not played only on request. */
Test(whole, notes)
{
    static const enum ibc_verdict verdicts[] = {IBC_IS_PASS, IBC_IS_INFO, IBC_IS_NOT_APPLICABLE, IBC_IS_UNSUPPORTED};

    for (unsigned i = 0; i < 4; i++)
        for (unsigned noted = 0; noted < 2; noted++) {
            char *text = NULL;
            size_t len = 0;
            FILE *f = open_memstream(&text, &len);
            n = 0;
            struct ibc_result *r = add("rc.x.y", verdicts[i], gap, 1);
            snprintf(r->measured, sizeof r->measured, "%s", noted ? "7" : "");
            cr_expect(rep_terminal(f, &(struct ibc_report){.result = results, .n = 1}, false, false, 0));
            cr_assert_eq(fclose(f), 0);
            cr_expect_eq(strstr(text, "rc.x.y") != NULL, (noted && i == 0) || i == 1 || i == 3, "%s", text);
            cr_expect_eq(strstr(text, "measured  7\n") != NULL, noted && i < 2, "%s", text);
            free(text);
        }
}

Test(whole, terminals)
{
    terminal("terminal.txt", false, false, 0, report(false));
    terminal("verbose.txt", false, true, 0, report(false));
    terminal("color.txt", true, false, 0, report(false));
    terminal("narrow.txt", false, true, 50, report(false));
    terminal("too-narrow.txt", false, false, 10, report(false));
    terminal("nothing.txt", false, false, 0, &(struct ibc_report){0});
}
