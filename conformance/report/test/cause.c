/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of a report in groups, failures with one cause together, the worst cause first, and what is said of a case. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common.h"

enum { MOST = 16 };
static const char *rr03[] = {"RR-03"}, *rr04[] = {"RR-04"}, *safe[] = {"RR-23"}, *lone[] = {"no-such-statement"};
static struct ibc_scenario scenario[MOST];
static struct ibc_result result[MOST];
static size_t n;
static struct rep p;

/* The order of a report may not depend on how qsort() treats equal ones: this one begins with the opposite order. */
void __real_qsort(void *base, size_t k, size_t size, int (*cmp)(const void *, const void *));
void __wrap_qsort(void *base, size_t k, size_t size, int (*cmp)(const void *, const void *));
void __wrap_qsort(void *base, size_t k, size_t size, int (*cmp)(const void *, const void *))
{
    unsigned char *a = base, *b = a + (k ? k - 1 : 0) * size;

    for (; a < b; a += size, b -= size)
        for (size_t i = 0; i < size; i++) {
            const unsigned char x = a[i];
            a[i] = b[i];
            b[i] = x;
        }
    __real_qsort(base, k, size, cmp);
}

/* A large piece of memory has a byte more than the program wants, which it may not change. */
static unsigned char *large, after = 0x5a;
static size_t large_n;
static bool overrun;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    const bool is_large = size > 200000;
    unsigned char *m = __real_malloc(size + is_large);

    if (m && is_large) {
        large = m;
        large_n = size;
        large[size] = after;
    }
    return m;
}

void __real_free(void *m);
void __wrap_free(void *m);
void __wrap_free(void *m)
{
    if (m && m == large) {
        overrun |= large[large_n] != after;
        large = NULL;
    }
    __real_free(m);
}

/* Adds a failure of a scenario that cites the statement; NULL: none. */
static struct ibc_result *add(const char *id, enum ibc_verdict v, const char **spec, const char *got)
{
    struct ibc_result *r = &result[n];

    cr_assert_lt(n, MOST);
    scenario[n] =
        (struct ibc_scenario){.id = (char *)id, .title = (char *)"title", .spec = spec, .n_spec = spec != NULL};
    scenario[n].klass = UINT8_MAX;
    *r = (struct ibc_result){.scenario = &scenario[n++], .verdict = v, .counters = IBC_IS_NOT_APPLICABLE};
    (void)snprintf(r->finding.got, sizeof r->finding.got, "%s", got);
    return r;
}

static void begin_report(void)
{
    static struct ibc_report of;

    of = (struct ibc_report){.result = result, .n = n};
    cr_assert(rep_begin(&p, &of));
}

static void end_report(void)
{
    rep_clear(&p);
    n = 0;
}

/* Writes the cases of each cause: "a b, c". */
static const char *causes(void)
{
    static char text[256];
    size_t used = 0;

    begin_report();
    text[0] = '\0';
    for (size_t i = 0; i < p.n_cause; i++) {
        const struct rep_case *c = NULL;
        size_t cases = 0;
        for (; (c = rep_cause_next(&p, &p.cause[i], c)) != NULL; cases++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", cases ? " " : i ? ", " : "", c->id);
        cr_expect_eq(cases, p.cause[i].n);
    }
    end_report();
    return text;
}

/* ---- one cause ---- */

/* Numbers differ from play to play, and text in brackets is detail. */
Test(cause, symptoms)
{
    static const struct {
        const char *one, *other;
        bool same;
    } rows[] = {
        {"PSN 5", "PSN 5", true},
        {"PSN 5", "PSN 1234567", true},
        {"PSN 0x000101", "PSN 0x00ffff", true},
        {"PSN 0x1", "PSN 7", true},
        {"PSN 0xg", "PSN 7", false},
        {"LID 12ab", "LID 3", true}, /* begins as a number */
        {"LID ab", "LID ac", false},
        {"1 of 2", "33 of 44", true},
        {"1 of 2", "33 off 44", false},
        {"no answer", "no answers", false},
        {"no answers", "no answer", false},
        {"no answer", "an answer", false},
        {"lost (packet 5)", "lost (packet 5, and another)", true},
        {"lost (a)", "lost ", true},
        {"lost (a)", "kept (a)", false},
        {"", "", true},
        {"", "x", false},
        {"5", "", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        (void)add("a", IBC_IS_FAIL, rr03, rows[i].one);
        (void)add("b", IBC_IS_FAIL, rr03, rows[i].other);
        const char *is = causes();
        cr_expect_str_eq(is, rows[i].same ? "a b" : "a, b", "%s, %s: %s", rows[i].one, rows[i].other, is);
    }
    /* texts without a final 0 */
    for (unsigned differ = 0; differ < 2; differ++) {
        for (unsigned i = 0; i < 2; i++)
            memset(add(i ? "b" : "a", IBC_IS_FAIL, rr03, "")->finding.got, 'x', sizeof result->finding.got);
        result[1].finding.got[sizeof result->finding.got - 1] = differ ? 'y' : 'x';
        for (unsigned i = 0; i < 2; i++) /* what follows is no part of it */
            (void)snprintf(result[i].finding.sentence, sizeof result->finding.sentence, "%s", i ? "must" : "shall");
        cr_expect_str_eq(causes(), differ ? "a, b" : "a b");
        for (unsigned i = 0; i < 2; i++)
            memset(add(i ? "b" : "a", IBC_IS_FAIL, rr03, "")->finding.got, i ? '7' : '5', sizeof result->finding.got);
        cr_expect_str_eq(causes(), "a b");
    }
}

Test(cause, verdicts_and_statements)
{
    (void)add("a", IBC_IS_FAIL, rr03, "x");
    (void)add("b", IBC_IS_FAIL, rr04, "x");
    (void)add("c", IBC_IS_DEVIATES, rr03, "x");
    (void)add("d", IBC_IS_FAIL, rr03, "x");
    (void)add("e", IBC_IS_PASS, rr03, "x");
    (void)add("f", IBC_IS_TOLERATED, rr03, "x");
    (void)add("g", IBC_IS_INFO, rr03, "x");
    (void)add("h", IBC_IS_UNSUPPORTED, rr03, "x");
    (void)add("i", IBC_IS_NOT_APPLICABLE, rr03, "x");
    cr_expect_str_eq(causes(), "a d, b, c");
}

/* The same waiver, or two of one name, are one cause, whatever the statement and the symptom. */
Test(cause, waivers)
{
    static struct ibc_waiver one = {.reason = (char *)"r"}, two = {.reason = (char *)"r"},
                             named = {.name = (char *)"short"}, again = {.name = (char *)"short"},
                             other = {.name = (char *)"long"};
    const struct {
        const struct ibc_waiver *a, *b;
        bool same;
    } rows[] = {{&one, &one, true},     {&one, &two, false},     {&named, &named, true},
                {&named, &again, true}, {&named, &other, false}, {&one, &named, false},
                {&named, &one, false},  {&one, NULL, false},     {NULL, &one, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add("a", IBC_IS_XFAIL, rr03, rows[i].same ? "x" : "z")->waiver = rows[i].a;
        add("b", IBC_IS_XFAIL, rows[i].same ? rr04 : rr03, "z")->waiver = rows[i].b;
        cr_expect_str_eq(causes(), rows[i].same ? "a b" : "a, b", "row %zu", i);
    }
}

/* ---- the worst first ---- */

Test(cause, order_of_verdicts)
{
    (void)add("a", IBC_IS_XFAIL, rr03, "x");
    (void)add("b", IBC_IS_ERROR, rr03, "x");
    (void)add("c", IBC_IS_INCONCLUSIVE, rr03, "x");
    (void)add("d", IBC_IS_DEVIATES, rr03, "x");
    (void)add("e", IBC_IS_XPASS, rr03, "x");
    (void)add("f", IBC_IS_FAIL, rr03, "x");
    cr_expect_str_eq(causes(), "f, e, d, c, b, a");
}

/* Of one verdict the worst severity comes first, then the cause with the most cases, then the first case. */
Test(cause, order_of_severities)
{
    (void)add("a", IBC_IS_FAIL, NULL, "answer");
    (void)add("b", IBC_IS_FAIL, rr03, "x");
    (void)add("c", IBC_IS_FAIL, rr03, "y");
    (void)add("d", IBC_IS_FAIL, rr03, "y");
    (void)add("e", IBC_IS_FAIL, rr04, "z");
    (void)add("f", IBC_IS_FAIL, safe, "x");
    scenario[n].klass = 0;
    (void)add("g", IBC_IS_FAIL, rr03, "s");
    scenario[n - 1].klass = IBC_CLASS_security;
    add("h", IBC_IS_FAIL, rr03, "down")->finding.down = true;
    cr_expect_str_eq(causes(), "h, f, g, c d, b, e, a");
    (void)add("a", IBC_IS_FAIL, rr03, "x");
    (void)add("b", IBC_IS_FAIL, rr04, "x");
    add("c", IBC_IS_FAIL, rr04, "x")->finding.down = true; /* the worst of a cause counts */
    (void)add("d", IBC_IS_FAIL, rr04, "x");
    begin_report();
    cr_expect_eq(p.n_cause, 2);
    cr_expect(p.cause[0].severity == IBC_SEVERITY_DOWN && p.cause[0].n == 3 && strcmp(p.cause[0].first->id, "b") == 0);
    cr_expect_eq(p.cause[1].severity, IBC_SEVERITY_INTEROP);
    cr_expect_eq(p.c[3].cause, p.cause[0].first);
    end_report();
}

/* ---- cases ---- */

/* A group is the first two parts of an id with three or more, else the first. Groups stand in order, and an id in its
 * group. */
Test(cause, groups)
{
    static const struct {
        const char *id, *group, *name;
    } rows[] = {{"alone", "alone", "alone"},
                {"rc.b", "rc", "b"},
                {"rc.c", "rc", "c"},
                {"rc.one.b", "rc.one", "b"},
                {"rc.one.b.c", "rc.one", "b.c"},
                {"rc.one.c", "rc.one", "c"},
                {"rc.two.a", "rc.two", "a"},
                {"ud", "ud", "ud"},
                {"ud.a", "ud", "a"}};
    enum { ROWS = sizeof rows / sizeof *rows };

    for (size_t i = ROWS; i-- > 0;)
        (void)add(rows[i].id, IBC_IS_PASS, rr03, "");
    begin_report();
    for (size_t i = 0; i < ROWS; i++) {
        cr_expect_str_eq(p.c[i].id, rows[i].id);
        cr_expect_str_eq(p.c[i].name, rows[i].name);
        cr_expect(p.c[i].n_group == strlen(rows[i].group) && strncmp(p.c[i].id, rows[i].group, p.c[i].n_group) == 0);
    }
    static const size_t ends[] = {1, 3, 3, 6, 6, 6, 7, 9, 9};
    for (size_t i = 0; i < ROWS; i++)
        cr_expect_eq(rep_group_end(&p, i), ends[i], "%zu: %zu", i, rep_group_end(&p, i));
    end_report();
}

Test(cause, statements_that_are_cited)
{
    static const char *both[] = {"RR-04", "RR-03", "no-such-statement"};

    (void)add("a", IBC_IS_NOT_APPLICABLE, rr03, "");
    (void)add("b", IBC_IS_UNSUPPORTED, safe, "");
    (void)add("c", IBC_IS_PASS, lone, "");
    begin_report();
    cr_expect_eq(p.n_cited, 0, "what was not played checks nothing");
    cr_expect_null(p.c[2].statement);
    rep_clear(&p);
    (void)add("d", IBC_IS_PASS, both, "");
    scenario[3].n_spec = 3;
    (void)add("e", IBC_IS_ERROR, rr04, "");
    result[4].counters = IBC_IS_DEVIATES;
    result[0].counters = IBC_IS_FAIL;
    result[1].spared = true;
    begin_report();
    cr_expect_eq(p.n_cited, 2);
    cr_expect(p.cited[ibc_statement_find("RR-03") - ibc_statements]);
    cr_expect(p.cited[ibc_statement_find("RR-04") - ibc_statements]);
    cr_expect_str_eq(p.c[3].statement->id, "RR-04", "the first one");
    cr_expect(p.counters_off == 2 && p.spared == 1 && p.count[IBC_IS_PASS] == 2 && p.count[IBC_IS_ERROR] == 1);
    end_report();
}

Test(cause, what_is_said_of_a_case)
{
    char clause[REP_CLAUSE];

    (void)add("a", IBC_IS_FAIL, rr03, "");
    (void)add("b", IBC_IS_FAIL, NULL, "");
    scenario[0].drawn = "drawn from it";
    begin_report();
    const struct rep_case *a = &p.c[0], *b = &p.c[1];
    struct ibc_finding f = {0};
    cr_expect_str_eq(rep_sentence(a, &f), a->statement->words);
    cr_expect_str_eq(rep_sentence(b, &f), "title");
    scenario[1].title = NULL;
    cr_expect_str_eq(rep_sentence(b, &f), "");
    memcpy(f.sentence, "own", 4);
    cr_expect_str_eq(rep_sentence(a, &f), "own");
    cr_expect_eq(rep_class(a), a->statement->klass);
    cr_expect_eq(rep_class(b), IBC_CLASS_mandatory);
    scenario[0].klass = IBC_CLASS_security;
    cr_expect_eq(rep_class(a), IBC_CLASS_security);
    scenario[0].klass = IBC_CLASS_COUNT;
    cr_expect_eq(rep_class(a), a->statement->klass);
    scenario[0].klass = UINT8_MAX;
    bool others = false;
    for (size_t i = 0; i < ibc_statement_count; i++) {
        const struct rep_case c = {.r = &result[0], .statement = &ibc_statements[i]};
        cr_expect_eq(rep_class(&c), ibc_statements[i].klass, "%s", ibc_statements[i].id);
        others |= ibc_statements[i].klass == IBC_CLASS_optional;
    }
    cr_expect(others, "not all statements are of one class");
    rep_clause(NULL, clause);
    cr_expect_str_eq(clause, "");
    rep_clause(&(struct ibc_statement){.reference = "9.7", .compliance = ""}, clause);
    cr_expect_str_eq(clause, "9.7");
    rep_clause(&(struct ibc_statement){.reference = "", .compliance = "C9-1"}, clause);
    cr_expect_str_eq(clause, "C9-1");
    rep_clause(&(struct ibc_statement){.reference = "9.7", .compliance = "C9-1"}, clause);
    cr_expect_str_eq(clause, "9.7 C9-1");
    end_report();
}

/* Why a device is not blamed is said of cases that failed, or would without a waiver. */
Test(cause, doubts)
{
    static const struct {
        enum ibc_verdict v, counters;
        bool down, said;
    } rows[] = {{IBC_IS_FAIL, IBC_IS_NOT_APPLICABLE, false, true},
                {IBC_IS_DEVIATES, IBC_IS_PASS, false, true},
                {IBC_IS_XFAIL, IBC_IS_NOT_APPLICABLE, false, true},
                {IBC_IS_PASS, IBC_IS_FAIL, false, true},
                {IBC_IS_PASS, IBC_IS_DEVIATES, false, true},
                {IBC_IS_PASS, IBC_IS_PASS, false, false},
                {IBC_IS_ERROR, IBC_IS_NOT_APPLICABLE, false, false},
                {IBC_IS_FAIL, IBC_IS_NOT_APPLICABLE, true, false},
                {IBC_IS_INCONCLUSIVE, IBC_IS_NOT_APPLICABLE, false, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_result *r = add("a", rows[i].v, rr03, "");
        r->counters = rows[i].counters;
        r->finding.down = rows[i].down;
        scenario[0].drawn = "drawn from it";
        begin_report();
        const char *is = rep_uncertainty(&p.c[0]);
        cr_expect_eq(is != NULL, rows[i].said, "row %zu", i);
        if (is)
            cr_expect_str_eq(is, "drawn from it");
        end_report();
    }
}

/* Results of one scenario, as with several seeds, keep their order. */
Test(cause, results_of_one_scenario)
{
    for (unsigned i = 0; i < 5; i++)
        (void)add(i == 2 ? "a.b" : "a.c", IBC_IS_PASS, rr03, "");
    begin_report();
    cr_expect_str_eq(p.c[0].id, "a.b");
    for (unsigned i = 1; i < 5; i++)
        cr_expect_eq(p.c[i].r, &result[i - (i < 3)], "%u", i);
    end_report();
}

/* A scenario's file is shown unless it is longer than 256 KiB. */
Test(cause, files_of_scenarios)
{
    enum { MAX = 256 * 1024 };
    static char bytes[MAX + 1];
    char path[256];
    const char *tmp = getenv("TMPDIR");
    struct ibc_scenario s = {0};
    size_t len = 5;

    cr_expect(rep_source(&s, &len) == NULL && len == 0);
    s.path = (char *)"/no/such/file";
    cr_expect_null(rep_source(&s, &len));
    (void)snprintf(path, sizeof path, "%s/source.XXXXXX", tmp ? tmp : P_tmpdir);
    const int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    s.path = path;
    cr_expect_null(rep_source(&s, &len), "it is empty");
    memset(bytes, 'x', sizeof bytes);
    cr_assert_eq(write(fd, bytes, MAX), MAX);
    char *text = rep_source(&s, &len);
    cr_assert(text && len == MAX && memcmp(text, bytes, MAX) == 0);
    free(text);
    cr_assert_eq(write(fd, bytes, 1), 1);
    cr_expect_null(rep_source(&s, &len));
    cr_expect_not(overrun);
    cr_assert(close(fd) == 0 && unlink(path) == 0);
}
