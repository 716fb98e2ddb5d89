/* SPDX-License-Identifier: BSD-2-Clause */
/* Ladders of packets: which play of an evidence file is drawn, which of its packets, and who sent each. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../markup.h"
#include "input/pcapng_write.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { MOST = 128, START_NS = 1000000000, STEP_NS = 1500 };
struct sent {
    bool back;
    const char *comment;
};
static struct sent sent[MOST];
static size_t n;
static enum iba_encap encap;
static uint32_t dlt; /* of the file; 0: that of the encapsulation */
static struct ibc_scenario scenario;
static struct ibc_result result;
static char path[256], text[1 << 16];
static size_t room;

static void begin(void)
{
    const char *tmp = getenv("TMPDIR");

    (void)snprintf(path, sizeof path, "%s/ladder.XXXXXX", tmp ? tmp : P_tmpdir);
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    scenario = (struct ibc_scenario){.id = (char *)"rc.x", .role = IBC_ROLE_responder};
    result = (struct ibc_result){.scenario = &scenario, .verdict = IBC_IS_FAIL, .evidence = path};
    encap = IBA_ENCAP_ROCE2_V4;
    dlt = 0;
    room = 1000;
    n = 0;
}

static void end(void)
{
    (void)unlink(path);
}

TestSuite(ladder, .init = begin, .fini = end);

static void add(bool back, const char *comment)
{
    cr_assert_lt(n, MOST);
    sent[n++] = (struct sent){back, comment};
}

static size_t packet(uint8_t *out, size_t size, bool back)
{
    struct iba_recipe r;
    uint8_t *h;
    size_t len = 0;

    iba_recipe_init(&r, encap, IBA_RC_SEND_ONLY);
    if ((h = iba_recipe_part(&r, IBA_H_ipv4)))
        iba_ipv4_set_src(h, 0x0a000001 + back), iba_ipv4_set_dst(h, 0x0a000002 - back);
    if ((h = iba_recipe_part(&r, IBA_H_ipv6)))
        h[23] = 1 + back, h[39] = 2 - back;
    if ((h = iba_recipe_part(&r, IBA_H_grh)))
        h[23] = 1 + back, h[39] = 2 - back;
    else if ((h = iba_recipe_part(&r, IBA_H_lrh)))
        iba_lrh_set_slid(h, 0x101 + back), iba_lrh_set_dlid(h, 0x102 - back);
    cr_assert_eq(iba_build(&r, out, size, &len), IBA_OK);
    return len;
}

static void write_evidence(void)
{
    char err[256];
    struct pcapng_writer *w = pcapng_open(path, err, sizeof err);

    cr_assert(w, "%s", err);
    for (size_t i = 0; i < n; i++) {
        uint8_t frame[256];
        struct cap_packet c = {.data = frame, .has_ts = true, .ts_ns = START_NS + i * STEP_NS};
        c.dlt = encap == IBA_ENCAP_IB_LOCAL || encap == IBA_ENCAP_IB_GLOBAL ? 247 : 1;
        if (encap == IBA_ENCAP_ERF_ETH || encap == IBA_ENCAP_ERF_IB)
            c.dlt = 197;
        if (dlt)
            c.dlt = dlt;
        c.caplen = c.len = (uint32_t)packet(frame, sizeof frame, sent[i].back);
        cr_assert_eq(pcapng_packet(w, &c, sent[i].comment), 0);
    }
    cr_assert_eq(pcapng_close(w), 0);
}

static void draw(void)
{
    struct out *o = malloc(sizeof *o);
    const struct rep_case c = {.r = &result, .id = scenario.id};
    char file[sizeof path + 8];

    (void)snprintf(file, sizeof file, "%s.html", path);
    FILE *f = fopen(file, "w+");
    cr_assert(f && o && unlink(file) == 0);
    out_init(o, fileno(f));
    html_ladder(o, &c, &room);
    cr_assert(out_flush(o) && o->error == 0);
    free(o);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
}

/* Writes what the ladder shows: the number of each packet, after it '>' if the arrow points to the right, and '!' if
 * it is the judged one; then how many of all packets are shown, unless all are. */
static const char *shown(void)
{
    static char is[1024];
    size_t used = 0;

    is[0] = '\0';
    for (const char *li = strstr(text, "<li class=\""); li; li = strstr(li + 1, "<li class=\"")) {
        const char *way = li + strlen("<li class=\""), *no = strstr(li, "<span class=\"no\">");
        cr_assert_not_null(no);
        const bool judged = strncmp(way + strcspn(way, " \""), " judged", 7) == 0;
        used += (size_t)snprintf(is + used, sizeof is - used, "%s%lu%s%s", used ? " " : "", strtoul(no + 17, NULL, 10),
                                 strncmp(way, "back", 4) == 0 ? "<" : ">", judged ? "!" : "");
    }
    const char *rest = strstr(text, "<p class=\"rest\">");
    if (rest)
        (void)snprintf(is + used, sizeof is - used, ", %.*s", (int)strcspn(rest + 16, "."), rest + 16);
    return is;
}

static void shows(const char *wanted)
{
    write_evidence();
    draw();
    cr_expect_str_eq(shown(), wanted, "%s, not %s", shown(), wanted);
}

/* ---- which packets ---- */

/* Expects the packets from `from` to `to` of one play of `all`. */
static void shows_part(size_t all, uint32_t judged, enum ibc_verdict v, unsigned from, unsigned to)
{
    char wanted[1024] = "";
    size_t used = 0;

    n = 0;
    for (size_t i = 0; i < all; i++)
        add(false, NULL);
    result.finding.packet = judged;
    result.verdict = v;
    scenario.role = IBC_ROLE_responder;
    for (unsigned i = from; i <= to; i++)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s%u%s%s", i > from ? " " : "", i,
                                 judged ? "<" : ">", i == judged ? "!" : "");
    if (to - from + 1 < all)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, ", %u of %zu packets are shown; the file has all",
                                 to - from + 1, all);
    shows(wanted);
}

/* 40 packets before the judged one and eight after it; of a case that passed the first 24, of a failed one without a
 * judged packet the last 48. */
Test(ladder, parts_of_a_play)
{
    shows_part(60, 0, IBC_IS_PASS, 1, 24);
    shows_part(24, 0, IBC_IS_PASS, 1, 24);
    shows_part(25, 0, IBC_IS_PASS, 1, 24);
    shows_part(60, 0, IBC_IS_FAIL, 13, 60);
    shows_part(48, 0, IBC_IS_FAIL, 1, 48);
    shows_part(49, 0, IBC_IS_FAIL, 2, 49);
    shows_part(60, 50, IBC_IS_FAIL, 10, 58);
    shows_part(60, 52, IBC_IS_FAIL, 12, 60);
    shows_part(60, 60, IBC_IS_FAIL, 20, 60);
    shows_part(60, 5, IBC_IS_FAIL, 1, 13);
    shows_part(60, 41, IBC_IS_FAIL, 1, 49);
    shows_part(60, 42, IBC_IS_FAIL, 2, 50);
    shows_part(60, 50, IBC_IS_PASS, 10, 58);
}

/* ---- which play ---- */

/* Three plays of three packets. */
static void plays(void)
{
    static const char *const first[] = {"variation: RC pmtu=256\nline 3: > a", "variation: RC pmtu=512 epsn=7",
                                        "variation: RC pmtu=1024\nline 3: > pmtu=2048"};

    n = 0;
    for (unsigned i = 0; i < 9; i++)
        add(i % 3 == 1, i % 3 == 0 ? first[i / 3] : NULL);
}

Test(ladder, the_play_that_went_wrong)
{
    static const struct {
        const char *variation;
        uint32_t judged;
        enum ibc_verdict v;
        const char *shows;
    } rows[] = {
        {"", 0, IBC_IS_FAIL, "1> 2< 3>, 3 of 9"},
        {"pmtu=256", 0, IBC_IS_FAIL, "1> 2< 3>, 3 of 9"},
        {"pmtu=512", 0, IBC_IS_FAIL, "4> 5< 6>, 3 of 9"},
        {"pmtu=512 epsn=7", 0, IBC_IS_FAIL, "4> 5< 6>, 3 of 9"},
        {"link=roce1 pmtu=512", 0, IBC_IS_FAIL, "4> 5< 6>, 3 of 9"},
        {"pmtu=1024", 0, IBC_IS_FAIL, "7> 8< 9>, 3 of 9"},
        {"pmtu=512", 0, IBC_IS_PASS, "1> 2< 3>, 3 of 9"},
        {"pmtu=256", 5, IBC_IS_FAIL, "4> 5<! 6>, 3 of 9"}, /* the judged packet decides */
        {"", 3, IBC_IS_FAIL, "1> 2> 3<!, 3 of 9"},         /* the comment says that the tester sent the first */
        {"", 8, IBC_IS_FAIL, "7> 8<! 9>, 3 of 9"},
        {"pmtu=2048", 0, IBC_IS_FAIL, "7> 8< 9>, 3 of 9"}, /* not the line's own words: the last */
        {"pmtu=4096", 0, IBC_IS_FAIL, "7> 8< 9>, 3 of 9"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char wanted[200];
        plays();
        result.verdict = rows[i].v;
        result.finding.packet = rows[i].judged;
        (void)snprintf(result.finding.variation, sizeof result.finding.variation, "%s", rows[i].variation);
        (void)snprintf(wanted, sizeof wanted, "%s packets are shown; the file has all", rows[i].shows);
        shows(wanted);
    }
}

/* Times are counted from the first packet of the play, in microseconds. */
Test(ladder, times)
{
    plays();
    result.finding.packet = 5;
    write_evidence();
    draw();
    static const char *const times[] = {"<span class=\"no\">4</span><span class=\"at\">0.000000</span>",
                                        "<span class=\"no\">5</span><span class=\"at\">0.000001</span>",
                                        "<span class=\"no\">6</span><span class=\"at\">0.000003</span>"};
    for (unsigned i = 0; i < 3; i++)
        cr_expect(strstr(text, times[i]), "%s", text);
}

/* ---- who sent it ---- */

/* The first packet of the file is the tester's where a device responds, and the device's where it requests. */
Test(ladder, roles)
{
    static const struct {
        enum iba_encap encap;
    } rows[] = {{IBA_ENCAP_ROCE2_V4}, {IBA_ENCAP_ROCE2_V6}, {IBA_ENCAP_ROCE1}, {IBA_ENCAP_IB_GLOBAL},
                {IBA_ENCAP_IB_LOCAL}, {IBA_ENCAP_ERF_ETH},  {IBA_ENCAP_ERF_IB}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        encap = rows[i].encap;
        n = 0;
        add(false, NULL), add(true, NULL), add(true, NULL), add(false, NULL);
        scenario.role = IBC_ROLE_responder;
        shows("1> 2< 3< 4>");
        cr_expect(strstr(text, ">tester to device: <") && strstr(text, ">device to tester: <"));
        cr_expect(strstr(text, "<span>tester</span><span>device</span>"));
        scenario.role = IBC_ROLE_requester;
        shows("1< 2> 3> 4<");
        scenario.role = IBC_ROLE_middle;
        shows("1> 2< 3< 4>");
        cr_expect(strstr(text, ">device to other device, tester: <"));
        cr_expect(strstr(text, "<span>device</span><span>other device, tester</span>"));
    }
}

/* Packets without an address that is known are the tester's unless a comment says otherwise. */
Test(ladder, links_that_are_not_known)
{
    dlt = 147; /* LINKTYPE_USER0 */
    add(false, NULL), add(true, NULL), add(true, "line 3: < a"), add(false, NULL);
    shows("1> 2> 3< 4>");
    scenario.role = IBC_ROLE_requester;
    shows("1> 2> 3< 4>");
    n = 3;
    result.finding.packet = 2;
    shows("1> 2>! 3<");
}

/* A comment says who sent its packet, and where the device's packets come from. */
Test(ladder, comments)
{
    add(true, "line 3: > a"), add(false, NULL), add(false, "line 4: < b"), add(true, "line 5: | c"), add(true, NULL);
    shows("1> 2< 3< 4< 5>"); /* 2 comes from where 3 came from, and 5 from elsewhere */
    n = 0;
    add(true, NULL), add(true, "line 12: < b"), add(false, NULL), add(true, NULL), add(false, "line 13 > c");
    shows("1< 2< 3> 4< 5>");
    n = 0;
    add(false, "variation: RC\nline 3: < a"), add(false, NULL), add(true, NULL), add(false, "note: < b");
    shows("1< 2< 3> 4<");
    n = 0;
    add(false, "variation: RC"), add(true, "lines 3: > b"), add(true, "line 3: < b"), add(false, "line 4: < b");
    shows("1> 2< 3< 4<"); /* the first one that is known decides */
    n = 0;
    add(false, NULL), add(true, NULL), add(false, NULL);
    result.finding.packet = 3; /* the judged one is the device's, if nothing else is known */
    shows("1< 2> 3<!");
    n = 0;
    add(false, NULL), add(true, "line 2: < a"), add(false, NULL);
    shows("1> 2< 3>!");
    scenario.role = IBC_ROLE_middle; /* the arrow is that of its sender */
    shows("1> 2< 3>!");
}

/* ---- limits ---- */

Test(ladder, room_on_the_page)
{
    for (unsigned i = 0; i < 8; i++)
        add(false, NULL);
    room = 5;
    shows("1> 2> 3> 4> 5>, 5 of 8 packets are shown; the file has all");
    cr_expect_eq(room, 0);
    draw();
    cr_expect_str_eq(text, "", "none is left");
    room = 9;
    shows("1> 2> 3> 4> 5> 6> 7> 8>");
    cr_expect_eq(room, 1);
    result.evidence = NULL;
    draw();
    cr_expect_str_eq(text, "");
    result.evidence = (char *)"/no/such/file";
    draw();
    cr_expect(strncmp(text, "<p class=\"fault\">", 17) == 0 && strstr(text, "/no/such/file") && !strstr(text, "<ol"),
              "%s", text);
    cr_expect_eq(room, 1);
}
