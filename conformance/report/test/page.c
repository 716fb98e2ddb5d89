/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the page: which packets a ladder shows and from whom they are, links, durations. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input/pcapng_write.h"
#include "report/markup.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

static char path[300];
static struct out o;
static char text[1 << 20];

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");
    int fd;

    snprintf(path, sizeof path, "%.200s/page.XXXXXX", tmp ? tmp : P_tmpdir);
    fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}

static void end(void)
{
    unlink(path);
}
TestSuite(page, .init = begin, .fini = end);

/* Runs what writes to `o`, and returns the text. */
#define SAYS(call)                                                                                                     \
    do {                                                                                                               \
        FILE *said = tmpfile();                                                                                        \
        cr_assert(said);                                                                                               \
        out_init(&o, fileno(said));                                                                                    \
        call;                                                                                                          \
        (void)out_flush(&o);                                                                                           \
        rewind(said);                                                                                                  \
        text[fread(text, 1, sizeof text - 1, said)] = '\0';                                                            \
        fclose(said);                                                                                                  \
    } while (0)

/* ---- ladders ---- */

struct frame {
    bool back;
    const char *comment;
};

static void capture(enum iba_encap encap, uint32_t dlt, const struct frame *f, unsigned n)
{
    char err[256];
    struct pcapng_writer *w = pcapng_open(path, err, sizeof err);

    cr_assert(w, "%s", err);
    for (unsigned i = 0; i < n; i++) {
        uint8_t frame[256];
        struct iba_recipe r;
        size_t len = 0;
        iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
        if (iba_recipe_part(&r, IBA_H_ipv4)) {
            iba_ipv4_set_src(iba_recipe_part(&r, IBA_H_ipv4), f[i].back ? 2 : 1);
            iba_ipv4_set_dst(iba_recipe_part(&r, IBA_H_ipv4), f[i].back ? 1 : 2);
        } else if (iba_recipe_part(&r, IBA_H_ipv6)) {
            memset(iba_recipe_part(&r, IBA_H_ipv6) + 8, f[i].back ? 2 : 1, 16);
            memset(iba_recipe_part(&r, IBA_H_ipv6) + 24, f[i].back ? 1 : 2, 16);
        } else if (iba_recipe_part(&r, IBA_H_grh)) {
            memset(iba_recipe_part(&r, IBA_H_grh) + 8, f[i].back ? 2 : 1, 16);
            memset(iba_recipe_part(&r, IBA_H_grh) + 24, f[i].back ? 1 : 2, 16);
        } else {
            iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), f[i].back ? 2 : 1);
            iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), f[i].back ? 1 : 2);
        }
        cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
        const struct cap_packet c = {.data = frame,
                                     .dlt = dlt,
                                     .has_ts = true,
                                     .ts_ns = 5000000000 + i * UINT64_C(1500000),
                                     .caplen = (uint32_t)len,
                                     .len = (uint32_t)len};
        cr_assert_eq(pcapng_packet(w, &c, f[i].comment), 0);
    }
    cr_assert_eq(pcapng_close(w), 0);
}

/* The directions of all packets that are shown: ">" from left to right, "<" back; '!' before the judged one. */
static const char *ladder(enum ibc_role role, enum ibc_verdict v, uint32_t judged, const char *variation, size_t *room)
{
    static char shape[4096];
    static struct ibc_scenario s;
    struct ibc_result r = {.scenario = &s, .verdict = v, .evidence = path};
    const struct rep_case c = {.r = &r};
    size_t n = 0;

    s.role = (uint8_t)role;
    r.finding.packet = judged;
    snprintf(r.finding.variation, sizeof r.finding.variation, "%s", variation);
    SAYS(html_ladder(&o, &c, room));
    for (const char *at = text; (at = strstr(at, "<li class=\"")) != NULL; at++) {
        const char *is = at + strlen("<li class=\"");
        if (strncmp(strchr(is, ' ') ? strpbrk(is, "\" ") : is, " judged", 7) == 0)
            shape[n++] = '!';
        shape[n++] = *is == 'b' ? '<' : '>';
    }
    shape[n] = '\0';
    return shape;
}

static unsigned first_shown(void)
{
    const char *at = strstr(text, "<span class=\"no\">");

    return at ? (unsigned)strtoul(at + strlen("<span class=\"no\">"), NULL, 10) : 0;
}

static unsigned shown(void)
{
    unsigned n = 0;

    for (const char *at = text; (at = strstr(at, "<li class=\"")) != NULL; at++)
        n++;
    return n;
}

/* Of a long play the packets around the judged one are shown, or the first ones if it passed, or else the last ones. */
Test(page, packets_that_are_shown)
{
    enum { LONG = 120 };
    static const struct {
        unsigned packets, judged;
        enum ibc_verdict v;
        unsigned first, n;
    } rows[] = {
        {LONG, 100, IBC_IS_FAIL, 60, 49}, {LONG, 41, IBC_IS_FAIL, 1, 49},   {LONG, 42, IBC_IS_FAIL, 2, 49},
        {LONG, 118, IBC_IS_FAIL, 78, 43}, {LONG, 1, IBC_IS_FAIL, 1, 9},     {LONG, 40, IBC_IS_FAIL, 1, 48},
        {LONG, 112, IBC_IS_FAIL, 72, 49}, {LONG, 111, IBC_IS_FAIL, 71, 49}, {LONG, 0, IBC_IS_PASS, 1, 24},
        {24, 0, IBC_IS_PASS, 1, 24},      {25, 0, IBC_IS_PASS, 1, 24},      {LONG, 0, IBC_IS_FAIL, 73, 48},
        {48, 0, IBC_IS_FAIL, 1, 48},      {49, 0, IBC_IS_FAIL, 2, 48},      {47, 0, IBC_IS_ERROR, 1, 47},
        {3, 0, IBC_IS_PASS, 1, 3},
    };
    static struct frame f[LONG];
    char rest[64];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t room = 1000;
        capture(IBA_ENCAP_ROCE2_V4, 1, f, rows[i].packets);
        (void)ladder(IBC_ROLE_responder, rows[i].v, rows[i].judged, "", &room);
        cr_expect_eq(first_shown(), rows[i].first, "%zu: from %u", i, first_shown());
        cr_expect_eq(shown(), rows[i].n, "%zu: %u", i, shown());
        cr_expect_eq(room, 1000 - rows[i].n);
        snprintf(rest, sizeof rest, "<p class=\"rest\">%u of %u packets are shown;", rows[i].n, rows[i].packets);
        cr_expect_eq(strstr(text, rest) != NULL, rows[i].n != rows[i].packets, "%zu", i);
        cr_expect_eq(strstr(text, "class=\"rest\"") != NULL, rows[i].n != rows[i].packets, "%zu", i);
    }
}

Test(page, a_page_has_room_for_so_many)
{
    static const struct frame f[5];
    size_t room = 3;

    capture(IBA_ENCAP_ROCE2_V4, 1, f, 5);
    cr_expect_str_eq(ladder(IBC_ROLE_responder, IBC_IS_PASS, 0, "", &room), ">>>");
    cr_expect_eq(room, 0);
    cr_expect_str_eq(ladder(IBC_ROLE_responder, IBC_IS_PASS, 0, "", &room), "");
    cr_expect_str_eq(text, "");
}

/* One of several plays is drawn: that of the judged packet, else that of the variation that failed, else the first. */
Test(page, plays)
{
    static const struct frame f[] = {{false, "variation: RC pmtu=256\nline 3: > a"},
                                     {true, NULL},
                                     {false, "variation: RC pmtu=512 epsn=1"},
                                     {true, NULL},
                                     {false, NULL},
                                     {false, "variation: RC pmtu=1024\nof pmtu=4096"},
                                     {true, "variation is no variation"}};
    static const struct {
        unsigned judged;
        enum ibc_verdict v;
        const char *variation, *shape;
        unsigned first;
    } rows[] = {
        {0, IBC_IS_PASS, "", "><", 1},
        {0, IBC_IS_PASS, "pmtu=512", "><", 1},
        {0, IBC_IS_FAIL, "", "><", 1},
        {0, IBC_IS_FAIL, "pmtu=512 epsn=1", "><>", 3},
        {0, IBC_IS_FAIL, "link=roce1 pmtu=512", "><>", 3},
        {0, IBC_IS_FAIL, "link=roce1", "><", 1},
        {0, IBC_IS_FAIL, "pmtu=1024", "><", 6},
        {0, IBC_IS_FAIL, "pmtu=4096", "><", 6}, /* named by none: the last */
        {2, IBC_IS_FAIL, "pmtu=1024", ">!<", 1},
        {4, IBC_IS_FAIL, "", ">!<>", 3},
        {5, IBC_IS_FAIL, "", "<>!<", 3},
        {6, IBC_IS_FAIL, "pmtu=256", "!<>", 6},
        {7, IBC_IS_DEVIATES, "", ">!<", 6},
    };

    capture(IBA_ENCAP_ROCE2_V4, 1, f, sizeof f / sizeof *f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t room = 100;
        const char *shape = ladder(IBC_ROLE_responder, rows[i].v, rows[i].judged, rows[i].variation, &room);
        cr_expect_str_eq(shape, rows[i].shape, "%zu: %s", i, shape);
        cr_expect_eq(first_shown(), rows[i].first, "%zu: from %u", i, first_shown());
    }
}

/* The device is on the right: it is where packets come from that are known to be its own, else the judged one, else by
 * the role. */
Test(page, directions)
{
    static const struct {
        struct frame f[4];
        enum ibc_role role;
        unsigned judged;
        const char *shape;
    } rows[] = {
        {{{false, NULL}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_responder, 0, "><><"},
        {{{false, NULL}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_requester, 0, "<><>"},
        {{{false, NULL}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_requester, 2, ">!<><"},
        {{{false, NULL}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_responder, 3, "<>!<>"},
        {{{false, "line 1: < a"}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_responder, 2, "<!><>"},
        {{{false, NULL}, {true, NULL}, {false, "line 12: | a"}, {true, NULL}}, IBC_ROLE_responder, 0, "<><>"},
        {{{false, "line 1: > a"}, {true, NULL}, {false, NULL}, {true, NULL}}, IBC_ROLE_responder, 0, "><><"},
        {{{false, "variation: x\nline 1: < a"}, {true, NULL}, {false, "line 9: ? a"}, {true, NULL}},
         IBC_ROLE_responder,
         0,
         "<><>"},
        {{{false, "variation: x"}, {true, "line 1: > a"}, {true, "a line 1: > a"}, {true, NULL}},
         IBC_ROLE_responder,
         0,
         ">><<"},
        {{{false, "line 1: > a"}, {true, "line 1: > a"}, {false, "line 2: < a"}, {true, NULL}},
         IBC_ROLE_middle,
         0,
         "><><"},
        {{{true, NULL}, {true, NULL}, {false, "line 2: < a"}, {true, NULL}}, IBC_ROLE_middle, 3, ">>!<>"},
    };
    static const struct {
        enum iba_encap encap;
        uint32_t dlt;
    } links[] = {{IBA_ENCAP_ROCE2_V4, 1},
                 {IBA_ENCAP_ROCE2_V6, 1},
                 {IBA_ENCAP_ROCE1, 1},
                 {IBA_ENCAP_IB_LOCAL, 247},
                 {IBA_ENCAP_IB_GLOBAL, 247}};

    for (size_t k = 0; k < sizeof links / sizeof *links; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            size_t room = 100;
            capture(links[k].encap, links[k].dlt, rows[i].f, 4);
            const char *shape =
                ladder(rows[i].role, rows[i].judged ? IBC_IS_FAIL : IBC_IS_PASS, rows[i].judged, "", &room);
            cr_expect_str_eq(shape, rows[i].shape, "link %zu, row %zu: %s", k, i, shape);
            cr_expect_eq(strstr(text, "<span>other device, tester</span>") != NULL, rows[i].role == IBC_ROLE_middle);
            cr_expect(strstr(text, rows[i].role == IBC_ROLE_middle ? "<span>device</span><span>other"
                                                                   : "<span>tester</span><span>device</span>"));
        }
}

/* A row: number, time since the first packet of the play, who sends, the packet, and what was said of it. */
Test(page, rows)
{
    static const struct frame f[] = {
        {false, "variation: a"}, {true, NULL}, {false, "variation: b <&>\nline 2: > a"}, {true, NULL}};
    size_t room = 100;

    capture(IBA_ENCAP_ROCE2_V4, 1, f, 4);
    (void)ladder(IBC_ROLE_responder, IBC_IS_FAIL, 4, "", &room);
    cr_expect(strstr(text, "<li class=\"out\" tabindex=\"0\" title=\"variation: b &lt;&amp;&gt;"), "%s", text);
    cr_expect(strstr(text, "<span class=\"no\">3</span><span class=\"at\">0.000000</span><span class=\"lane\"><span "
                           "class=\"vh\">tester to device: "
                           "</span><span class=\"what\">"),
              "%s", text);
    cr_expect(strstr(text, "<li class=\"back judged\"><span class=\"no\">4</span><span "
                           "class=\"at\">0.001500</span><span class=\"lane\"><span "
                           "class=\"vh\">device to tester: </span><span class=\"what\">"),
              "%s", text);
    cr_expect(strstr(text, "<span class=\"said\">variation: b &lt;&amp;&gt;\nline 2: &gt; a</span></span></li>\n"),
              "%s", text);
    cr_expect(strstr(text, "RC SEND Only"), "%s", text);
}

Test(page, evidence_that_is_not_there)
{
    static struct ibc_scenario s;
    struct ibc_result r = {.scenario = &s};
    const struct rep_case c = {.r = &r};
    size_t room = 10;

    SAYS(html_ladder(&o, &c, &room));
    cr_expect_str_eq(text, "");
    r.evidence = (char *)(uintptr_t) "/nowhere/e.pcapng";
    SAYS(html_ladder(&o, &c, &room));
    cr_expect_eq(strncmp(text, "<p class=\"fault\">/nowhere/e.pcapng: ", 36), 0, "%s", text);
    cr_expect_not(strstr(text, "<ol"));
    static const struct frame f[3];
    capture(IBA_ENCAP_ROCE2_V4, 1, f, 3);
    cr_assert_eq(truncate(path, 400), 0);
    r.evidence = path;
    SAYS(html_ladder(&o, &c, &room));
    cr_expect(strstr(text, "</ol>\n<p class=\"fault\">"), "%s", text);
}

/* ---- links and words ---- */

Test(page, durations)
{
    static const struct {
        uint64_t ns;
        const char *is;
    } rows[] = {{0, "0 us"},           {999, "0.999 us"},   {1000, "1 us"},
                {999000, "999 us"},    {1000000, "1 ms"},   {1500000, "1.5 ms"},
                {999000000, "999 ms"}, {1000000000, "1 s"}, {61234567890, "61.2 s"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        SAYS(html_duration(&o, rows[i].ns));
        cr_expect_str_eq(text, rows[i].is);
    }
}

Test(page, tones)
{
    static const char *const tone[IBC_IS_COUNT] = {
        [IBC_IS_PASS] = "good",     [IBC_IS_TOLERATED] = "warn",     [IBC_IS_INCONCLUSIVE] = "warn",
        [IBC_IS_DEVIATES] = "warn", [IBC_IS_FAIL] = "bad",           [IBC_IS_ERROR] = "bad",
        [IBC_IS_INFO] = "note",     [IBC_IS_NOT_APPLICABLE] = "off", [IBC_IS_UNSUPPORTED] = "off",
        [IBC_IS_XFAIL] = "warn",    [IBC_IS_XPASS] = "bad"};

    for (int v = 0; v < IBC_IS_COUNT; v++)
        cr_expect_str_eq(html_tone((enum ibc_verdict)v), tone[v], "%d", v);
}

Test(page, links)
{
    char folder[300], file[400], report[400], must[400];

    SAYS(html_case_link(&o, "a.b-_~/c d%\"<\xff"));
    cr_expect_str_eq(text, " href=\"#a.b-_~/c%20d%25%22%3c%ff\"");
    SAYS(html_file_link(&o, NULL, "c:/x y"));
    cr_expect_str_eq(text, " href=\"./c%3a/x%20y\"");
    SAYS(html_file_link(&o, "/nowhere/r.html", "/nowhere/x"));
    cr_expect_str_eq(text, " href=\"/nowhere/x\"");
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    SAYS(html_file_link(&o, path, path));
    snprintf(must, sizeof must, " href=\"./%s\"", path + strlen(folder) + 1);
    cr_expect_str_eq(text, must);
    snprintf(file, sizeof file, "%s.d", path);
    cr_assert_eq(mkdir(file, 0700), 0);
    snprintf(report, sizeof report, "%s.d/r.html", path);
    fclose(fopen(report, "w"));
    SAYS(html_file_link(&o, report, path));
    snprintf(must, sizeof must, " href=\"./../%s\"", path + strlen(folder) + 1);
    cr_expect_str_eq(text, must);
    SAYS(html_file_link(&o, path, report));
    snprintf(must, sizeof must, " href=\"./%s.d/r.html\"", path + strlen(folder) + 1);
    cr_expect_str_eq(text, must);
    unlink(report);
    rmdir(file);
}

/* ---- cases ---- */

/* The sentence of a finding is said unless it is the statement's, which is said before. */
Test(page, sentences_of_findings)
{
    static const char *spec[] = {"RR-03"};
    struct ibc_scenario s = {.id = (char *)(uintptr_t) "rc.x", .spec = spec, .n_spec = 1, .klass = UINT8_MAX};
    struct ibc_result r = {.scenario = &s, .verdict = IBC_IS_FAIL, .counters = IBC_IS_NOT_APPLICABLE};
    const struct ibc_statement *st = ibc_statement_find("RR-03");
    const struct rep_case c = {.r = &r, .statement = st, .id = s.id};
    const struct rep p = {.path = NULL};
    const size_t n = strlen(st->words);
    size_t room = 10;

    cr_assert(n > 2 && n < sizeof r.finding.sentence);
    for (unsigned i = 0; i < 5; i++) {
        memset(r.finding.sentence, 0, sizeof r.finding.sentence);
        memcpy(r.finding.sentence, st->words, n);
        if (i == 1 || i == 2)
            r.finding.sentence[i == 1 ? 0 : n - 1] = '~';
        else if (i > 2)
            r.finding.sentence[i == 3 ? n - 1 : n] = i == 3 ? '\0' : '~';
        SAYS(html_case(&o, &p, &c, &room));
        cr_expect_eq(strstr(text, "<dt>Sentence</dt>") != NULL, i > 0, "%u", i);
        cr_expect(strstr(text, "<li><b>RR-03</b> "));
    }
}

/* The line that decided is marked, in the text of the scenario. */
Test(page, lines_that_decided)
{
    static const char whole[] = "one\r\n\ntwo\n";
    static const char *const lines[] = {"<code>one</code>", "<code></code>", "<code>two</code>"};
    struct ibc_scenario s = {.id = (char *)(uintptr_t) "rc.x", .path = path, .klass = UINT8_MAX};
    struct ibc_result r = {.scenario = &s, .verdict = IBC_IS_FAIL, .counters = IBC_IS_NOT_APPLICABLE};
    const struct rep_case c = {.r = &r, .id = s.id};
    const struct rep p = {.path = NULL};
    static const char mark[] = "<mark><span class=\"vh\">the line that decided: </span>";
    size_t room = 10;

    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(whole, f) >= 0 && fclose(f) == 0);
    for (uint32_t i = 0; i <= 3; i++)
        for (uint32_t k = 0; k <= 3; k++) {
            r.finding.line = i;
            r.counter_finding.line = k;
            SAYS(html_case(&o, &p, &c, &room));
            for (uint32_t line = 1; line <= 3; line++) {
                char want[200];
                const bool wrong = line == i || line == k;
                snprintf(want, sizeof want, "%s%s%s\n", wrong ? mark : "", lines[line - 1], wrong ? "</mark>" : "");
                cr_expect(strstr(text, want), "%u %u: %s is not in %s", i, k, want, text);
            }
            size_t marks = 0;
            for (const char *at = text; (at = strstr(at, "<mark>")) != NULL; at++)
                marks++;
            cr_expect_eq(marks, (i > 0) + (k > 0 && k != i));
        }
}
