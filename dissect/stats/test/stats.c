/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

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
