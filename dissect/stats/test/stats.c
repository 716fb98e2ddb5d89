/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include "judge/judge.h"
#include "observer/iba_finding_kinds.h"
#include "test/descriptors.h"
#include "wire/iba_endpoints.h"
#include "wire/iba_opcode_rows.h"

Test(stats, names_are_found_exactly_with_their_argument)
{
    static const struct {
        const char *text, *name, *arg;
    } known[] = {{"icrc", "icrc", NULL},        {"icrc,", "icrc", ""},        {"opcode,tree", "opcode,tree", NULL},
                 {"io,stat,5", "io,stat", "5"}, {"io,stat", "io,stat", NULL}, {"io,stat,1,2", "io,stat", "1,2"},
                 {"conv,qp", "conv,qp", NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char err[256] = "";
        const char *arg = "untouched";
        const struct stat_kind *k = stat_find(known[i].text, &arg, err, sizeof err);
        cr_assert_not_null(k, "%s", err);
        cr_expect_str_eq(k->name, known[i].name);
        cr_expect((arg == NULL) == (known[i].arg == NULL), "%s", known[i].text);
        if (arg && known[i].arg)
            cr_expect_str_eq(arg, known[i].arg);
    }
}

Test(stats, an_unknown_name_gets_the_nearest_in_one_line)
{
    static const struct {
        const char *text, *usage;
    } wrong[] = {{"icrcs", "icrc"},
                 {"crc", "icrc"},
                 {"io,sta,5", "io,stat,SEC"},
                 {"io", "io,stat,SEC"},
                 {"io,statistics", "io,stat,SEC"},
                 {"opcode", "opcode,tree"},
                 {"opcodes,tree", "opcode,tree"},
                 {"conv", "conv,qp"},
                 {"rc", "rc,analysis"},
                 {"experts", "expert[,SEVERITY]"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char err[256] = "", want[256];
        const char *arg;
        cr_expect_null(stat_find(wrong[i].text, &arg, err, sizeof err));
        (void)snprintf(want, sizeof want, "-z %s: no such statistic; the nearest is %s", wrong[i].text, wrong[i].usage);
        cr_expect_str_eq(err, want);
        cr_expect_null(arg);
    }
}

Test(stats, a_name_of_any_length_is_answered)
{
    static char huge[100000];
    char err[256];
    const char *arg;
    memset(huge, 'x', sizeof huge - 1);
    cr_expect_null(stat_find(huge, &arg, err, sizeof err));
    cr_expect(strstr(err, "-z help lists all"));
    cr_expect_null(stat_find("", &arg, err, sizeof err));
    cr_expect_str_eq(err, "-z : no such statistic; -z help lists all");
}

Test(stats, an_argument_nobody_asked_for_is_refused)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        char err[256] = "";
        if (strcmp(k->name, k->usage) != 0)
            continue;
        cr_expect_null(k->open("7", err, sizeof err));
        cr_expect(strstr(err, " takes no argument, not \"7\"") && !strchr(err, '\n'), "%s", err);
    }
}

/* The statistic with the argument that it needs. */
static const char *with_argument(const char *name)
{
    if (strcmp(name, "io,stat") == 0)
        return "io,stat,1";
    return strcmp(name, "rails") == 0 ? "rails," IBPROOF_SOURCE_DIR "/examples/rails.txt" : name;
}

Test(stats, every_kind_has_a_usage_and_prints_one_line_of_json_and_even_rules)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        struct feed f;
        cr_expect(strncmp(k->usage, k->name, strlen(k->name)) == 0 && k->help[0]);
        feed_open(&f, with_argument(k->name));
        char *t = printed(&f, false), *j = printed(&f, true), head[64];
        (void)snprintf(head, sizeof head, "{\"stat\":\"%s\",", k->name);
        cr_expect(strncmp(j, head, strlen(head)) == 0 && strchr(j, '\n') == j + strlen(j) - 1, "%s", j);
        cr_expect(t[0] == '=' && strstr(t, "=\n") && !strstr(t, " \n"), "%s", t);
        free(t);
        free(j);
        feed_close(&f);
    }
}

Test(stats, a_table_longer_than_the_buffer_stays_aligned)
{
    struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = 4, .words = 1};
    struct feed f;
    feed_open(&f, "conv,qp");
    for (s.dest_qp = 0; s.dest_qp < 9000; s.dest_qp++) {
        const struct frame frame = frame_of(&s);
        feed(&f, &frame, 0);
    }
    char *t = printed(&f, false);
    const size_t width = strcspn(t, "\n");
    size_t rows = 0;
    for (const char *line = t; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, "10.0.0.1", 8) == 0) {
            cr_expect_eq(strcspn(line, "\n"), width);
            rows++;
        }
    cr_expect_eq(rows, 9000);
    cr_expect(strlen(t) > 4 * OUT_BYTES);
    free(t);
    feed_close(&f);
}

Test(stats, closing_nothing_is_allowed)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++)
        k->close(NULL);
}

/* ---- what a run gives back ---- */

/* The bytes that the program has allocated; 0 in each case where a sanitizer replaces the allocator. */
static size_t allocated(void)
{
    const struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

/* Counts packets of two connections with findings of each severity, and prints all. */
static void whole_life(const char *text)
{
    static struct direction d[4];
    static struct verdict v;
    static struct verdict_names names = {.direction = d, .file = {"a.pcap"}};
    struct spec s = {.proto = IBA_PROTO_ROCE2, .src = 1, .dst = 2, .opcode = IBA_RC_SEND_ONLY, .words = 4};
    struct feed f;

    feed_open(&f, text);
    f.p.source_name = "a.pcap";
    f.p.verdict = &v;
    for (uint32_t i = 0; i < 40; i++) {
        const unsigned way = i % 4;
        d[way] = (struct direction){.id = way, .peer = (way ^ 1) + 1, .svc = IBA_RC, .pmtu = 1024};
        d[way].key.kind = IBA_ADDR_IPV4;
        s.psn = i;
        v = (struct verdict){.names = &names, .direction = &d[way]};
        if (i % 3 == 0)
            verdict_add(&v,
                        &(struct iba_finding){.kind = i % 2 ? IBA_FINDING_GAP : IBA_FINDING_LENGTH, .frame = i + 1});
        const struct frame frame = frame_of(&s);
        feed(&f, &frame, i * 1000);
    }
    free(printed(&f, true));
    free(printed(&f, false));
    feed_close(&f);
}

/* The allocator keeps some freed blocks, so what is allocated may grow for some lives, but not in each of them. */
enum { LIVES = 16 };
static void expect_nothing_kept(const char *text, void (*life)(const char *text))
{
    unsigned grew = 0;

    life(text);
    const unsigned open = descriptors();
    for (unsigned i = 0; i < LIVES; i++) {
        const size_t before = allocated();
        life(text);
        grew += allocated() > before;
    }
    cr_expect_lt(grew, LIVES, "%s keeps memory", text);
    cr_expect_eq(descriptors(), open, "%s keeps descriptors", text);
}

/* A statistic gives back all memory and all descriptors when it is closed. */
Test(stats, nothing_is_kept)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++)
        expect_nothing_kept(with_argument(k->name), whole_life);
    expect_nothing_kept("io,stat,0.00001,SUM(bth.psn)eth matches \"a\",COUNT(ip.addr)bth.psn in {1, 2}", whole_life);
}

static void refused(const char *text)
{
    char err[512];
    const char *arg;
    const struct stat_kind *k = stat_find(text, &arg, err, sizeof err);

    cr_assert(k);
    cr_assert_null(k->open(arg, err, sizeof err), "%s", text);
}

/* Nothing is kept of an argument that is refused, either. */
Test(stats, nothing_is_kept_of_wrong_arguments)
{
    static const char *const wrong[] = {
        "io,stat,x",       "io,stat,1,SUM(bth.psn", "io,stat,1,udp,ip.tt == 1", "expert,bad", "icrc,7",
        "rails,/dev/null", "rails,no/such"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_nothing_kept(wrong[i], refused);
}

/* ---- texts ---- */

Test(stats, a_list_with_a_line_for_each)
{
    static struct out o;

    out_init(&o, -1);
    stat_list(&o);
    o.buf[o.n] = '\0';
    const char *at = o.buf;
    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        char line[256];
        (void)snprintf(line, sizeof line, "-z %-20s %s\n", k->usage, k->help);
        cr_expect(strncmp(at, line, strlen(line)) == 0, "%s is not at %.200s", line, at);
        at += strcspn(at, "\n") + 1;
    }
    cr_expect_eq(*at, '\0');
}

Test(stats, names_of_tshark_and_severities)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"conv,ip",
         "-z conv,ip: no such statistic; -z conv,qp counts by queue pair, -z qp has both directions side by side"},
        {"io,phs", "-z io,phs: no such statistic; -z opcode,tree counts packets by service and opcode"},
        {"expert,bad", "-z expert,bad: no such severity; there are: note warn error"},
        {"expert,", "-z expert,: no such severity; there are: note warn error"},
        {"icrc,7", "-z icrc takes no argument, not \"7\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char err[256] = "";
        const char *arg;
        const struct stat_kind *k = stat_find(rows[i].text, &arg, err, sizeof err);
        if (k)
            cr_expect_null(k->open(arg, err, sizeof err), "%s", rows[i].text);
        cr_expect_str_eq(err, rows[i].message);
    }
}
