/* SPDX-License-Identifier: BSD-2-Clause */
/* Each form of a report, line by line (forms.golden, see test/golden.h). test/report.c asks readers of XML and JSON
 * whether they are well formed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "../common.h"
#include "../terminal.h"
#include "made.h"
#include "test/golden.h"

enum { SHOWN = 360 };
static const char source[] = IBPROOF_SOURCE_DIR;
static char folder[512];

/* Files have relative names, so that no line depends on the machine. */
static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/forms.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    made_evidence("e %.pcapng");
}

static void end(void)
{
    (void)unlink("e %.pcapng");
    (void)unlink("r");
    (void)unlink("s.ibt");
    cr_assert(chdir("/") == 0 && rmdir(folder) == 0);
}

TestSuite(forms, .init = begin, .fini = end);

/* Adds a line with its length; of a long one the beginning and a digest. */
static void pin_line(struct golden *g, const char *text, size_t n)
{
    char line[GOLDEN_LINE];
    const char *const at = n >= sizeof source ? memmem(text, n, source, sizeof source - 1) : NULL;
    const size_t head = at ? (size_t)(at - text) : n, skipped = at ? sizeof source - 1 : 0;
    const char *const tail = text + head + skipped;
    const size_t rest = n - head - skipped, most = head < SHOWN ? SHOWN - head : 0;
    uint64_t digest = golden_digest(GOLDEN_EMPTY, text, head);

    digest = golden_digest(digest, tail, rest);
    snprintf(line, sizeof line, "%.*s%s%.*s", (int)(head < SHOWN ? head : SHOWN), text, at ? "SOURCE" : "",
             (int)(rest < most ? rest : most), tail);
    if (n - skipped > SHOWN)
        snprintf(line + strlen(line), sizeof line - strlen(line), " ... %zu bytes %08" PRIx32, n - skipped,
                 golden_short(digest));
    for (char *p = line; *p; p++) /* so that the file is plain text */
        *p = (unsigned char)*p < ' ' ? '^' : (unsigned char)*p > '~' ? '*' : *p;
    snprintf(line + strlen(line), sizeof line - strlen(line), "\n");
    golden_line(g, line);
}

/* Adds the text from `from` to before `to`, the lines of two marks; NULL: to its ends. */
static void pin(struct golden *g, const char *name, const char *text, const char *from, const char *to)
{
    const char *at = from ? strstr(text, from) : text, *last = to ? strstr(text, to) : text + strlen(text);
    char title[64];

    cr_assert(at && last && at <= last, "%s", name);
    snprintf(title, sizeof title, "==== %s\n", name);
    golden_line(g, title);
    while (at < last) {
        const char *stop = memchr(at, '\n', (size_t)(last - at));
        const size_t n = stop ? (size_t)(stop - at) : (size_t)(last - at);
        pin_line(g, at, n);
        at += n + 1;
    }
}

static char *written(const struct ibc_report *r, bool (*write)(const char *, const struct ibc_report *, char *, size_t))
{
    enum { MOST = 4 << 20 };
    char err[512], *text = calloc(1, MOST);

    cr_assert(text && write("r", r, err, sizeof err), "%s", err);
    FILE *f = fopen("r", "r");
    cr_assert(f && fread(text, 1, MOST, f) < MOST && fclose(f) == 0);
    return text;
}

static char *printed(const struct ibc_report *r, bool color, bool verbose, unsigned width)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    cr_assert(f);
    cr_expect(rep_terminal(f, r, color, verbose, width));
    cr_assert_eq(fclose(f), 0);
    return text;
}

static void pin_terminal(struct golden *g, const char *name, const struct ibc_report *r, bool verbose, unsigned width)
{
    char *text = printed(r, verbose, verbose, width);

    pin(g, name, text, NULL, NULL);
    free(text);
}

/* Of the page's statements test/coverage.c looks at the numbers, and its style and its script are files. */
static void pin_page(struct golden *g, const char *name, const struct ibc_report *r)
{
    char *text = written(r, ibc_report_html), title[64];

    snprintf(title, sizeof title, "%s, head", name);
    pin(g, title, text, NULL, "<style>");
    snprintf(title, sizeof title, "%s, header", name);
    pin(g, title, text, "</style>", "<section aria-labelledby=\"statements\">");
    snprintf(title, sizeof title, "%s, scenarios", name);
    pin(g, title, text, "<section aria-labelledby=\"scenarios\">", "<script>");
    free(text);
}

static void pin_file(struct golden *g, const char *name, const struct ibc_report *r,
                     bool (*write)(const char *, const struct ibc_report *, char *, size_t))
{
    char *text = written(r, write);

    pin(g, name, text, NULL, NULL);
    free(text);
}

/* Fails six times for one cause and once for another one, both of which a waiver names in one case, and is known to
 * fail in another one. The target's name is long, and the scenario's file has carriage returns and no last newline. */
static const struct ibc_report *of_few_causes(void)
{
    enum { MANY = 6, ALL = MANY + 4 };
    static const char *spec[] = {"RR-03"};
    static struct ibc_waiver named = {.name = (char *)"short-name",
                                      .reason = (char *)"why",
                                      .expires = (char *)"2098-01-02"},
                             plain = {.pattern = (char *)"rc.*", .reason = (char *)"other"};
    static char target[301];
    static struct ibc_run_info info = {.target = target, .link = "ib-local", .version = "0.2.0", .repeat = 3};
    static struct ibc_scenario scenario[ALL];
    static struct ibc_result result[ALL];
    static const struct ibc_report report = {.info = &info, .result = result, .n = ALL};
    static char id[ALL][16];

    memset(target, 't', sizeof target - 1);
    FILE *f = fopen("s.ibt", "w");
    cr_assert(f && fputs("title one\r\n\n> a <b>\r\n  silence", f) >= 0 && fclose(f) == 0);
    for (unsigned i = 0; i < ALL; i++) {
        snprintf(id[i], sizeof id[i], "rc.x.%c", 'a' + (int)i);
        scenario[i] = (struct ibc_scenario){.id = id[i], .path = (char *)"s.ibt", .spec = spec, .n_spec = 1};
        scenario[i].klass = UINT8_MAX;
        result[i] = (struct ibc_result){.scenario = &scenario[i],
                                        .verdict = i < MANY ? IBC_IS_FAIL : IBC_IS_XFAIL,
                                        .counters = i == 1 ? IBC_IS_FAIL : IBC_IS_NOT_APPLICABLE,
                                        .variations = 1,
                                        .passed = i % 2,
                                        .wall_ns = UINT64_C(1) << 5 * i,
                                        .waiver = i < MANY    ? NULL
                                                  : i == MANY ? &plain
                                                              : &named};
        if (i == ALL - 1) {
            result[i].verdict = IBC_IS_UNSUPPORTED;
            result[i].waiver = NULL;
            snprintf(result[i].measured, sizeof result[i].measured, "nothing");
        }
        result[i].finding.line = i < 2 ? 4 : 1;
        result[i].counter_finding.line = i == 1 ? 3 : 0;
        snprintf(result[i].finding.got, sizeof result[i].finding.got, "PSN %u", i);
    }
    return &report;
}

Test(forms, of_all_verdicts)
{
    struct golden g = golden_open(IBPROOF_SOURCE_DIR "/conformance/report/test/forms.golden");
    const struct ibc_report *r = made_report("e %.pcapng"), none = {0};
    struct ibc_run_info strict = *r->info;
    struct ibc_report other = *r;

    strict.strict = true;
    strict.jobs = 1;
    strict.wall_ns = UINT64_C(61234567890);
    strict.started = NULL;
    other.info = &strict;
    pin_terminal(&g, "terminal", r, false, 0);
    pin_terminal(&g, "terminal, all, in colors", r, true, 70);
    pin_terminal(&g, "terminal, too narrow", r, false, 1);
    pin_terminal(&g, "terminal, nothing played", &none, false, 0);
    pin_file(&g, "JUnit", r, ibc_report_junit);
    other.n = IBC_IS_UNSUPPORTED + 1;
    pin_file(&g, "JUnit, strict", &other, ibc_report_junit);
    other.n = 1;
    pin_file(&g, "JUnit, nothing played", &none, ibc_report_junit);
    pin_file(&g, "JSON", r, ibc_report_json);
    pin_file(&g, "JSON, one case", &other, ibc_report_json);
    pin_file(&g, "JSON, nothing played", &none, ibc_report_json);
    pin_page(&g, "page", r);
    pin_page(&g, "page, one case", &other);
    pin_page(&g, "page, nothing played", &none);
    const struct ibc_report *few = of_few_causes();
    pin_terminal(&g, "terminal, few causes", few, false, 0);
    pin_terminal(&g, "terminal, few causes, all, in colors", few, true, 80);
    pin_file(&g, "JUnit, few causes", few, ibc_report_junit);
    pin_file(&g, "JSON, few causes", few, ibc_report_json);
    pin_page(&g, "page, few causes", few);
    golden_close(&g);
}

Test(forms, files_that_cannot_be_written)
{
    const struct ibc_report *r = made_report(NULL);
    char err[512];

    cr_assert_not(ibc_report_junit("/nowhere/r.xml", r, err, sizeof err));
    cr_assert_str_eq(err, "/nowhere/r.xml: No such file or directory");
    cr_assert_not(ibc_report_json("/dev/full", r, err, sizeof err));
    cr_assert_str_eq(err, "/dev/full: No space left on device");
    cr_assert_not(ibc_report_html("/dev/full", r, err, sizeof err));
}

/* On a terminal lines are as wide as it is; a file has whole lines. */
Test(forms, width_of_a_terminal)
{
    struct winsize size = {.ws_row = 24, .ws_col = 60};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    char bytes[4096] = "";
    size_t longest = 0;

    cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    cr_assert(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
    FILE *f = fdopen(slave, "w");
    cr_assert_not_null(f);
    struct ibc_report one = *of_few_causes();
    one.info = NULL;
    one.n = 1;
    cr_expect(ibc_report_terminal(f, &one, false, false));
    cr_assert_eq(fflush(f), 0);
    for (size_t n = 0; !strstr(bytes, "; 1 statements");) { /* what was written comes in pieces */
        const ssize_t more = read(master, bytes + n, sizeof bytes - 1 - n);
        cr_assert_gt(more, 0);
        n += (size_t)more;
    }
    for (const char *at = bytes; *at; at += strcspn(at, "\n"), at += *at == '\n')
        longest = strcspn(at, "\r\n") > longest ? strcspn(at, "\r\n") : longest;
    cr_expect(longest > 52 && longest <= 60, "%zu: %s", longest, bytes);
    (void)fclose(f);
    (void)close(master);
}
