/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of artificial results: well formed whatever they contain, and correct. */
#include "../terminal.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "made.h"

enum { PATH = 512, WIDTH = 60 };

static char folder[PATH], evidence[PATH + 32];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/report.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder));
    snprintf(evidence, sizeof evidence, "%s/e %%.pcapng", folder);
    made_evidence(evidence);
}

static void end(void)
{
    char command[PATH + 16];

    snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert_eq(system(command), 0);
}
TestSuite(report, .init = begin, .fini = end);

static const char *written(const char *name, bool (*write)(const char *, const struct ibc_report *, char *, size_t))
{
    static char path[PATH + 32];
    char err[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert(write(path, made_report(evidence), err, sizeof err), "%s", err);
    return path;
}

/* Runs a command. `format` has one %s, which the path replaces. */
static void shell(const char *format, const char *path)
{
    char command[3 * PATH];

    snprintf(command, sizeof command, format, path);
    cr_assert_eq(system(command), 0, "%s", command);
}

#define CHECK "python3 -B '" IBPROOF_SOURCE_DIR "/conformance/report/test/check.py' "

Test(report, junit)
{
    const char *path = written("r.xml", ibc_report_junit);

    shell("xmllint --noout --nonet --schema '" IBPROOF_SOURCE_DIR "/conformance/report/junit.xsd' '%s'", path);
    shell(CHECK "junit '%s'", path);
}

Test(report, json)
{
    shell(CHECK "json '%s'", written("r.json", ibc_report_json));
}

/* Well-formed XML, so that everything is escaped, with our own elements and attributes only. */
Test(report, html)
{
    const char *path = written("r.html", ibc_report_html);

    shell("xmllint --noout --nonet '%s'", path);
    shell(CHECK "html '%s'", path);
}

Test(report, nothing_played)
{
    const struct ibc_report none = {0};
    char path[PATH + 32], err[512];

    snprintf(path, sizeof path, "%s/none", folder);
    cr_assert(ibc_report_junit(path, &none, err, sizeof err));
    shell("xmllint --noout --nonet --schema '" IBPROOF_SOURCE_DIR "/conformance/report/junit.xsd' '%s'", path);
    cr_assert(ibc_report_json(path, &none, err, sizeof err));
    shell("python3 -c 'import json, sys; json.load(open(sys.argv[1]))' '%s'", path);
    cr_assert(ibc_report_html(path, &none, err, sizeof err));
    shell("xmllint --noout --nonet '%s'", path);
}

/* ---- the terminal's ---- */
static char *printed(bool color, bool verbose, unsigned width)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    cr_assert(f);
    cr_expect(rep_terminal(f, made_report(evidence), color, verbose, width));
    cr_assert_eq(fclose(f), 0);
    cr_assert_eq(strlen(text), n, "a 0 in the text");
    return text;
}

static void has(const char *text, const char *part)
{
    cr_assert(strstr(text, part), "\"%s\" is not in\n%s", part, text);
}

Test(report, terminal)
{
    char *text = printed(false, false, 0);

    has(text, "rc.responder: 1 passed, 2 failed, 1 deviate, 1 inconclusive, 1 tolerated\n");
    has(text, "  FAIL  rc.responder.d-fail  a gap in the PSN sequence gets exactly one NAK\n");
    has(text, "        RR-03     A responder answers a request after a PSN gap with NAK 0x60");
    has(text, "        expected  bth.psn 0x000101\n        got       bth.psn 0x000102 <of> \"device\" & co\n");
    has(text, "psn-gap-one-nak.ibt:15\n        packet    5 of ");
    has(text, "        clause    9.7.4.1.2\n");
    has(text, "what went wrong, the worst first, one entry a cause:\n");
    has(text,
        "  FAIL  interoperation: RR-03: got bth.psn 0x000102 <of> \"device\" & co\n        rc.responder.d-fail \n");
    has(text, "  DEVIATES  rc.responder.d-deviates  a gap");
    has(text, "        doubt     drawn <from> it\n");
    has(text, "        when      pmtu=256 epsn=0x000100; 3 of 9 variations passed\n");
    has(text, "        until     2099-12-31\n");
    has(text, "1 passed, 5 failed, 1 deviate, 1 in error, 1 inconclusive, 1 passed against a waiver, 1 waived, 1 "
              "tolerated, 1 "
              "measured, 1 not applicable, 1 unsupported, 1 with counters off; 3 statements\n"
              "1 not played, known to take devices down (--hazardous plays them): uc.g-not-applicable\n");
    cr_assert_not(strstr(text, "a-pass"));
    free(text);
}

Test(report, verbose)
{
    char *text = printed(false, true, 0);

    has(text, "  PASS  rc.responder.a-pass  a gap");
    has(text, "  NOT_APPLICABLE  uc.g-not-applicable  a gap");
    free(text);
}

static bool is_command(char c)
{
    return (unsigned char)c < ' ' ? c != '\n' : c == 0x7f;
}

Test(report, nothing_commands_the_terminal)
{
    char *text = printed(false, true, WIDTH), *colored = printed(true, true, 0);

    for (const char *p = text; *p; p++)
        cr_assert_not(is_command(*p), "0x%02x", (unsigned)(unsigned char)*p);
    for (const char *p = strchr(colored, '\033'); p; p = strchr(p + 1, '\033'))
        cr_assert(p[1] == '[' && strspn(p + 2, "0123456789") == strcspn(p + 2, "m"), "%.8s", p);
    has(colored, "\033[31mFAIL\033[0m  rc.responder.d-fail");
    free(text);
    free(colored);
}

/* Only a line that consists of one word may be longer than the terminal. */
Test(report, lines_fit)
{
    char *text = printed(false, false, WIDTH);

    has(text, "        RR-03     A responder answers a request after a PSN\n                  gap with NAK 0x60");
    free(text);
}
