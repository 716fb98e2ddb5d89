/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of a page: elements, links to cases and to files, durations, counts, and the tone of each verdict. */
#include "../markup.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256], text[4096];
static struct out *o;
static FILE *file;

/* The folder has a/r.html, a/e.pcapng and b/c/e.pcapng. */
static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    (void)snprintf(folder, sizeof folder, "%s/markup.XXXXXX", tmp ? tmp : P_tmpdir);
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    cr_assert(mkdir("a", 0700) == 0 && mkdir("b", 0700) == 0 && mkdir("b/c", 0700) == 0);
    static const char *const files[] = {"a/r.html", "a/e.pcapng", "b/c/e.pcapng", "a/x y%.pcapng"};
    for (unsigned i = 0; i < 4; i++) {
        FILE *f = fopen(files[i], "w");
        cr_assert(f && fclose(f) == 0);
    }
    file = tmpfile();
    o = malloc(sizeof *o);
    cr_assert(file && o);
    out_init(o, fileno(file));
}

static void end(void)
{
    char command[300];

    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    cr_assert(chdir("/") == 0 && system(command) == 0);
    (void)fclose(file);
    free(o);
}

TestSuite(markup, .init = begin, .fini = end);

/* Expects that this was written since the last call. */
static void wrote(const char *wanted)
{
    static long at;

    cr_assert(out_flush(o) && fseek(file, at, SEEK_SET) == 0);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    at += (long)n;
    cr_expect_str_eq(text, wanted, "%s, not %s", text, wanted);
}

Test(markup, elements)
{
    html_text(o, "b", NULL, "a<b>&\"'", 3);
    wrote("<b>a&lt;b</b>");
    html_text(o, "span", "x", "", 0);
    wrote("<span class=\"x\"></span>");
    html_str(o, "i", NULL, "a & b");
    wrote("<i>a &amp; b</i>");
    html_number(o, "b", "n", UINT64_MAX);
    wrote("<b class=\"n\">18446744073709551615</b>");
}

Test(markup, links_to_cases)
{
    html_case_link(o, "rc.responder.psn-gap_1~");
    wrote(" href=\"#rc.responder.psn-gap_1~\"");
    html_case_link(o, "a b\"<%/:Z");
    wrote(" href=\"#a%20b%22%3c%25/%3aZ\"");
}

/* A link is relative to the report, so that both may be moved together. */
Test(markup, links_to_files)
{
    char absolute[300], wanted[320];

    html_file_link(o, "a/r.html", "a/e.pcapng");
    wrote(" href=\"./e.pcapng\"");
    html_file_link(o, "a/r.html", "a/x y%.pcapng");
    wrote(" href=\"./x%20y%25.pcapng\"");
    html_file_link(o, "a/r.html", "b/c/e.pcapng");
    wrote(" href=\"./../b/c/e.pcapng\"");
    html_file_link(o, "b/c/e.pcapng", "a/r.html");
    wrote(" href=\"./../../a/r.html\"");
    html_file_link(o, "b/../a/r.html", "b/./c/../../a/e.pcapng");
    wrote(" href=\"./e.pcapng\"");
    html_file_link(o, NULL, "a/e.pcapng");
    wrote(" href=\"./a/e.pcapng\"");
    html_file_link(o, "a/r.html", "no:such file");
    wrote(" href=\"./no%3asuch%20file\"");
    html_file_link(o, "a/none.html", "a/e.pcapng");
    wrote(" href=\"./a/e.pcapng\"");
    (void)snprintf(absolute, sizeof absolute, "%s/b/c/e.pcapng", folder);
    (void)snprintf(wanted, sizeof wanted, " href=\"%s\"", absolute);
    html_file_link(o, NULL, absolute);
    wrote(wanted);
    html_file_link(o, "a/r.html", absolute);
    wrote(" href=\"./../b/c/e.pcapng\"");
}

Test(markup, durations)
{
    static const struct {
        uint64_t ns;
        const char *says;
    } rows[] = {{0, "0 us"},          {1, "0.001 us"},        {999, "0.999 us"},    {1000, "1 us"},
                {999999, "1e+03 us"}, {1000000, "1 ms"},      {1234567, "1.23 ms"}, {999000000, "999 ms"},
                {1000000000, "1 s"},  {61234567890, "61.2 s"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        html_duration(o, rows[i].ns);
        wrote(rows[i].says);
    }
}

Test(markup, counts)
{
    unsigned n[IBC_IS_COUNT] = {0};

    html_counts(o, n);
    wrote("");
    n[IBC_IS_FAIL] = 2;
    html_counts(o, n);
    wrote("2 failed");
    n[IBC_IS_UNSUPPORTED] = 1;
    n[IBC_IS_PASS] = 10;
    n[IBC_IS_XPASS] = 3;
    html_counts(o, n);
    wrote("10 passed, 2 failed, 3 passed against a waiver, 1 unsupported");
}

Test(markup, tones)
{
    static const char *const tones[IBC_IS_COUNT] = {
        [IBC_IS_PASS] = "good",     [IBC_IS_TOLERATED] = "warn",     [IBC_IS_INCONCLUSIVE] = "warn",
        [IBC_IS_DEVIATES] = "warn", [IBC_IS_FAIL] = "bad",           [IBC_IS_ERROR] = "bad",
        [IBC_IS_INFO] = "note",     [IBC_IS_NOT_APPLICABLE] = "off", [IBC_IS_UNSUPPORTED] = "off",
        [IBC_IS_XFAIL] = "warn",    [IBC_IS_XPASS] = "bad"};

    for (unsigned v = 0; v < IBC_IS_COUNT; v++)
        cr_expect_str_eq(html_tone((enum ibc_verdict)v), tones[v], "%s", rep_verdict_names[v]);
}
