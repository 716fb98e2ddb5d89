/* SPDX-License-Identifier: BSD-2-Clause */
/* The report on broken engines whose outcomes the test makes up: a letter for each case. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "main/fault.h"
#include "main/mutants.h"
#include "parts.h"

enum { MOST = 12, CASES = 4, SCENARIOS = 3 };

/* f failed, m miscounted, d died, h hung, e error, '.' lives; the first scenario has two cases */
struct engine {
    const char *cases, *equivalent, *allowed, *not_tested;
};

static struct ibc_scenario scenario[] = {
    {.id = (char *)(uintptr_t) "a.one"}, {.id = (char *)(uintptr_t) "a.two"}, {.id = (char *)(uintptr_t) "b.three"}};
static const struct ibc_scenario *selected[] = {&scenario[0], &scenario[1], &scenario[2]};
static struct play_case play_case[] = {{.s = &scenario[0], .index = 0},
                                       {.s = &scenario[0], .index = 0},
                                       {.s = &scenario[1], .index = 1},
                                       {.s = &scenario[2], .index = 2}};
static size_t first[] = {0, 2, 3, 4};
static uint32_t usable[] = {0, 1, 2, 3};
static struct ibc_result reference[CASES];

/* Returns the exit code of the report; parts_said is what it says. */
static int reports(const struct engine *e, size_t n, const struct options *o)
{
    static const char letters[] = ".fmdhe";
    static uint8_t outcome[MOST * CASES];
    static struct ibc_mutant mutant[MOST];
    struct mutation m = {.o = o, .m = mutant, .n = n, .reference = reference, .usable = usable, .n_usable = CASES};

    m.sel.s = selected;
    m.sel.n = SCENARIOS;
    m.cases = (struct cases){.c = play_case, .n = CASES, .first = first, .link = IBC_LINK_roce1};
    m.outcome = outcome;
    for (size_t i = 0; i < n; i++) {
        mutant[i] = (struct ibc_mutant){.clause = "RR-03, RR-04",
                                        .says = "a device",
                                        .equivalent = e[i].equivalent,
                                        .allowed = e[i].allowed,
                                        .not_tested = e[i].not_tested};
        snprintf(mutant[i].spec, sizeof mutant[i].spec, "mutant:%zu", i);
        for (size_t c = 0; c < CASES; c++)
            outcome[i * CASES + c] = (uint8_t)(strchr(letters, e[i].cases[c]) - letters);
    }
    for (size_t c = 0; c < CASES; c++)
        m.n_usable -= reference[c].verdict != IBC_IS_PASS; /* those at the end */
    m.since_ns = parts_clock(UINT64_C(5000000000));
    (void)parts_clock(UINT64_C(17300000000));
    parts_listen();
    const int code = mutants_report(&m);
    parts_hear();
    (void)parts_clock(0);
    return code;
}

Test(mutants_report, all_outcomes)
{
    static const struct engine e[] = {
        {".f..", NULL, NULL, NULL},         {"....", NULL, NULL, NULL},    {"....", "no exchange", NULL, NULL},
        {"....", NULL, "they allow", NULL}, {"....", NULL, NULL, "lacks"}, {"d.f.", NULL, NULL, NULL},
        {"h...", NULL, NULL, NULL},         {".m..", NULL, NULL, NULL},    {"..e.", NULL, NULL, NULL},
        {"..f.", NULL, "they, too", NULL},  {"d.e.", NULL, NULL, NULL},
    };
    const struct options o = {.only = "mutant:*"};

    memset(reference, 0, sizeof reference);
    reference[3].verdict = IBC_IS_FAIL;
    snprintf(reference[3].finding.got, sizeof reference[3].finding.got, "aeth.msn 1");
    cr_expect_eq(reports(e, sizeof e / sizeof *e, &o), EXIT_HARNESS);
    cr_expect_str_eq(parts_said,
                     "11 mutants, 3 scenarios, 12.3 s\n"
                     "killed        6   54.5 %  (3 failed, 1 miscounted, 1 died, 1 hung)\n"
                     "survived      5   45.5 %  (1 equivalent, 1 allowed by the rules, 1 not tested)\n"
                     "\nCaught\n"
                     "mutant:0\n    by a.one\nmutant:5\n    by a.one\nmutant:6\n    by a.one\nmutant:7\n    by a.one\n"
                     "mutant:9\n    by a.two\nmutant:10\n    by a.one\n"
                     "\nSurvivors\n"
                     "mutant:1\n    RR-03, RR-04  a device\n"
                     "mutant:2\n    RR-03, RR-04  a device\n    equivalent: no exchange\n"
                     "mutant:3\n    RR-03, RR-04  a device\n    allowed: they allow\n"
                     "mutant:4\n    RR-03, RR-04  a device\n    not tested: lacks\n"
                     "mutant:8\n    RR-03, RR-04  a device\n"
                     "\nCaught, though they have a reason not to be\n"
                     "mutant:9\n    RR-03, RR-04  a device\n    allowed: they, too\n    caught by a.two\n"
                     "\nLeft out, for they do not pass on the reference\nb.three: FAIL: aeth.msn 1\n"
                     "\n2 runs ended in a fault of the harness, the first: a.two --target 'mutant:8'\n",
                     "%s", parts_said);
}

/* A verdict on the unbroken engine that is neither good nor about what it lacks fails the run. */
Test(mutants_report, scenarios_left_out)
{
    static const struct engine e[] = {{"ff..", NULL, NULL, NULL}};
    static const struct {
        enum ibc_verdict v;
        int code;
    } rows[] = {{IBC_IS_FAIL, EXIT_FAILED},         {IBC_IS_DEVIATES, EXIT_FAILED}, {IBC_IS_ERROR, EXIT_FAILED},
                {IBC_IS_INCONCLUSIVE, EXIT_FAILED}, {IBC_IS_INFO, EXIT_OK},         {IBC_IS_NOT_APPLICABLE, EXIT_OK},
                {IBC_IS_UNSUPPORTED, EXIT_OK}};
    const struct options o = {.sample = 1};
    char line[80];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(reference, 0, sizeof reference);
        reference[2].verdict = reference[3].verdict = rows[i].v;
        cr_expect_eq(reports(e, 1, &o), rows[i].code);
        snprintf(line, sizeof line, "reference\na.two: %s: \nb.three: %s: \n", ibc_verdict_names[rows[i].v],
                 ibc_verdict_names[rows[i].v]);
        cr_expect_eq(strstr(parts_said, line) != NULL, rows[i].code != EXIT_OK, "%s", parts_said);
    }
}

static const struct {
    struct engine e[2];
    const char *only;
    unsigned sample;
    size_t patterns;
    int code;
    const char *end;
} releases[] = {
    {{{"f.ff", NULL, NULL, NULL}, {"....", "x", NULL, NULL}}, NULL, 0, 0, EXIT_OK, "    equivalent: x\n"},
    {{{"f.ff", NULL, NULL, NULL}, {"....", NULL, NULL, "x"}}, NULL, 0, 0, EXIT_OK, "    not tested: x\n"},
    {{{"f.ff", NULL, NULL, NULL}, {"....", NULL, NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_FAILED,
     "  a device\nibconform: 1 survivor without a reason\n"},
    {{{"....", NULL, NULL, NULL}, {"....", NULL, NULL, NULL}},
     "m*",
     0,
     0,
     EXIT_FAILED,
     "  a device\nibconform: 2 survivors without a reason\n"},
    {{{"f.ff", NULL, "x", NULL}, {"f...", NULL, NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_FAILED,
     "caught by a.one\nibconform: 1 is caught, though a reason says why not\n"},
    {{{"f...", NULL, "x", NULL}, {"..ff", "x", NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_FAILED,
     "caught by a.two\nibconform: 2 are caught, though a reason says why not\n"},
    {{{".f..", NULL, NULL, NULL}, {"...m", NULL, NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_FAILED,
     "\nScenarios that catch none of these\na.two\nibconform: 1 scenario catches none\n"},
    {{{"..h.", NULL, NULL, NULL}, {"..d.", NULL, NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_FAILED,
     "\nScenarios that catch none of these\na.one\nb.three\nibconform: 2 scenarios catch none\n"},
    {{{".f..", NULL, NULL, NULL}, {".f..", NULL, NULL, NULL}}, "m*", 0, 0, EXIT_OK, "    by a.one\n"},
    {{{".f..", NULL, NULL, NULL}, {".f..", NULL, NULL, NULL}}, NULL, 2, 0, EXIT_OK, "    by a.one\n"},
    {{{".f..", NULL, NULL, NULL}, {".f..", NULL, NULL, NULL}}, NULL, 0, 1, EXIT_OK, "    by a.one\n"},
    {{{"f.fe", NULL, NULL, NULL}, {"...f", NULL, NULL, NULL}},
     NULL,
     0,
     0,
     EXIT_HARNESS,
     "\n1 runs ended in a fault of the harness, the first: b.three --target 'mutant:0'\n"},
};

/* A release wants each engine caught or a reason, not both; and of a whole run, that each scenario catches one. */
Test(mutants_report, strict)
{
    memset(reference, 0, sizeof reference);
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        const struct options o = {
            .only = releases[i].only, .sample = releases[i].sample, .pattern.n = releases[i].patterns, .strict = true};
        const int code = reports(releases[i].e, 2, &o);
        const size_t n = strlen(parts_said), of = strlen(releases[i].end);
        cr_expect_eq(code, releases[i].code, "row %zu: exit code %d", i, code);
        cr_expect(n >= of && strcmp(parts_said + n - of, releases[i].end) == 0, "row %zu: %s", i, parts_said);
        const struct options lenient = {
            .only = releases[i].only, .sample = releases[i].sample, .pattern.n = releases[i].patterns};
        cr_expect_eq(reports(releases[i].e, 2, &lenient), code == EXIT_HARNESS ? code : EXIT_OK, "row %zu", i);
    }
}

/* The matrix names for each engine the scenarios that catch it, by the first case that does. */
Test(mutants_report, matrix)
{
    static const struct engine e[] = {{".mf.", NULL, NULL, NULL}, {"hd..", NULL, "x", NULL}, {"..e.", "y", NULL, "z"}};
    struct options o = {.seed = 7, .out = "-"};
    static const char want[] =
        "\t\"seed\":\t7,\n\t\"link\":\t\"roce1\",\n\t\"scenarios\":\t[\"a.one\", \"a.two\", \"b.three\"],\n"
        "\t\"mutants\":\t[{\n\t\t\t\"spec\":\t\"mutant:0\",\n\t\t\t\"clause\":\t[\"RR-03\", \"RR-04\"],\n"
        "\t\t\t\"says\":\t\"a device\",\n\t\t\t\"equivalent\":\tnull,\n\t\t\t\"allowed\":\tnull,\n"
        "\t\t\t\"not_tested\":\tnull,\n\t\t\t\"killed_by\":\t[{\n\t\t\t\t\t\"scenario\":\t\"a.one\",\n"
        "\t\t\t\t\t\"how\":\t\"miscounted\"\n\t\t\t\t}, {\n\t\t\t\t\t\"scenario\":\t\"a.two\",\n"
        "\t\t\t\t\t\"how\":\t\"failed\"\n\t\t\t\t}]\n\t\t}, {\n"
        "\t\t\t\"spec\":\t\"mutant:1\",\n\t\t\t\"clause\":\t[\"RR-03\", \"RR-04\"],\n"
        "\t\t\t\"says\":\t\"a device\",\n\t\t\t\"equivalent\":\tnull,\n\t\t\t\"allowed\":\t\"x\",\n"
        "\t\t\t\"not_tested\":\tnull,\n\t\t\t\"killed_by\":\t[{\n\t\t\t\t\t\"scenario\":\t\"a.one\",\n"
        "\t\t\t\t\t\"how\":\t\"hung\"\n\t\t\t\t}]\n\t\t}, {\n"
        "\t\t\t\"spec\":\t\"mutant:2\",\n\t\t\t\"clause\":\t[\"RR-03\", \"RR-04\"],\n"
        "\t\t\t\"says\":\t\"a device\",\n\t\t\t\"equivalent\":\t\"y\",\n\t\t\t\"allowed\":\tnull,\n"
        "\t\t\t\"not_tested\":\t\"z\",\n\t\t\t\"killed_by\":\t[]\n\t\t}]\n}\n";

    memset(reference, 0, sizeof reference);
    cr_expect_eq(reports(e, 3, &o), EXIT_OK);
    const char *at = strstr(parts_said, "\t\"seed\"");
    cr_assert(at && strncmp(parts_said, "{\n\t\"version\":\t\"", 14) == 0, "%s", parts_said);
    cr_expect_str_eq(at, want, "%s", at);
    o.out = "/nowhere/m.json";
    cr_expect_eq(reports(e, 3, &o), EXIT_HARNESS);
    cr_expect(strncmp(parts_said, "ibconform: /nowhere/m.json: No such file or directory\n3 mutants, ", 65) == 0, "%s",
              parts_said);
    o.out = "/dev/full";
    cr_expect_eq(reports(e, 2, &o), EXIT_HARNESS);
    cr_expect(strstr(parts_said, "ibconform: /dev/full: not all could be written\n"), "%s", parts_said);
    o.out = "/dev/null";
    cr_expect_eq(reports(e, 2, &o), EXIT_OK);
    cr_expect(strncmp(parts_said, "2 mutants, 3 scenarios, ", 24) == 0, "%s", parts_said);
}
