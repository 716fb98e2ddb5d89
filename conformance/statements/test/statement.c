/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of statements: complete, in order, with correct numbers. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>
#include "scenario/words.h"
#include "statements/severity.h"
#include "statements/statement.h"
#include "statements/unproven.h"

/* All compliance numbers that a public source shows for a statement. */
static const char *const known[] = {
    "C8-7",      "C9-1",         "C9-2",      "C9-49",      "C9-80",       "C9-88",       "C9-92",       "C9-94",
    "C9-105",    "C9-110",       "C9-114",    "C9-140",     "C9-148",      "C10-72",      "C10-73",      "C10-74",
    "C10-75",    "C10-96",       "C10-116",   "o10-36.2.2", "o10-37.2.26", "o10-37.2.30", "o10-37.2.40", "o13-6",
    "o13-7",     "C14-9",        "C14-13",    "C14-24-2.1", "C14-60.2.1",  "o14-1",       "o14-2",       "o14-3.2.1",
    "o14-3.a4",  "o14-12.2.1",   "C15-0.1.3", "C15-0.1.30", "o15-0.1.6",   "o15-0.1.14",  "o15-0.2.3",   "o15-0.2.4",
    "C15-0.1.5", "C15-0.2-1.16", "o15-0.1.5", "oA19-13",    "oA19-14",     "oA19-15",     "oA19-28"};

#define EACH(s) for (const struct ibc_statement *s = ibc_statements; s < ibc_statements + ibc_statement_count; s++)

static bool one_of(const char *word, size_t len, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0)
            return true;
    return false;
}

/* Ids have two letters of a known area, a hyphen and two digits. They rise, and none is left out. */
Test(statement, ids)
{
    unsigned number = 0;

    EACH(s)
    {
        const bool first = s == ibc_statements || strcmp(s->area, s[-1].area) != 0;

        cr_assert(strlen(s->id) - 5 <= 1 && s->id[2] == '-' && strspn(s->id + 3, "0123456789") == strlen(s->id) - 3,
                  "%s", s->id);
        cr_assert(memcmp(s->id, s->area, 2) == 0 && ibc_area_title(s->area), "%s is in area %s", s->id, s->area);
        cr_assert(s == ibc_statements || strcmp(s[-1].id, s->id) < 0, "%s after %s", s->id,
                  s == ibc_statements ? "" : s[-1].id);
        number = !first ? number + 1 : 1;
        /* Of management datagrams the table has what agents and the connection manager do, not how fields are laid out
         */
        if (strcmp(s->area, "MD") != 0)
            cr_assert_eq((unsigned)atoi(s->id + 3), number, "%s: one is left out", s->id);
    }
    cr_assert_null(ibc_area_title("XX"));
}

Test(statement, columns)
{
    static const char *const editions[] = {"", "1.3", "1.4", "A10", "A11", "A14", "A16", "A17", "A19"};

    EACH(s)
    {
        const size_t n = strlen(s->words);

        cr_assert(n > 15 && n < 200 && isupper((unsigned char)s->words[0]) && s->words[n - 1] == '.', "%s", s->id);
        cr_assert(s->klass < IBC_CLASS_COUNT && s->status < IBC_ST_COUNT, "%s", s->id);
        cr_assert(one_of(s->edition, strlen(s->edition), editions, 9), "%s: edition %s", s->id, s->edition);
        cr_assert_eq(strspn(s->reference, "A.0123456789"), strlen(s->reference), "%s: section %s", s->id, s->reference);
        cr_assert_eq(s->status == IBC_ST_OPEN, *s->reason == '\0', "%s: a status and no reason, or the reverse", s->id);
        for (size_t i = 0; i < n; i++)
            cr_assert(s->words[i] >= ' ' && s->words[i] <= '~', "%s", s->id);
    }
}

/* Every compliance number in the table is one of the list above. */
Test(statement, compliance)
{
    EACH(s)
    {
        for (const char *at = s->compliance; *at; at += at[strcspn(at, " ")] ? strcspn(at, " ") + 1 : strlen(at)) {
            cr_assert(one_of(at, strcspn(at, " "), known, sizeof known / sizeof known[0]), "%s: %s", s->id, at);
            cr_assert(s->certain, "%s: a number without a source", s->id);
        }
    }
}

/* Scenarios can show most of the statements. */
Test(statement, coverable)
{
    size_t open = 0;

    EACH(s)
    {
        open += s->status == IBC_ST_OPEN;
    }
    cr_assert_geq(open, 300);
    cr_assert_eq(ibc_statement_count, 570);
}

Test(statement, find)
{
    EACH(s)
    {
        cr_assert_eq(ibc_statement_find(s->id), s);
    }
    cr_assert_null(ibc_statement_find("RR-99"));
    cr_assert_null(ibc_statement_find(""));
}

/* Each witness names an existing statement, in the order of the table. A statement that a witness SETTLES is certain,
 * and only one witness settles it. */
Test(statement, witnesses)
{
    size_t settled = 0, n;
    const size_t certain = ibc_certain_count(&settled);

    for (const struct ibc_witness *w = ibc_witnesses; w < ibc_witnesses + ibc_witness_count; w++) {
        const struct ibc_statement *s = ibc_statement_find(w->id);
        const struct ibc_witness *of = ibc_witnesses_of(w->id, &n);

        cr_assert(s && *w->who && *w->where, "%s", w->id);
        cr_assert(w == ibc_witnesses || strcmp(w[-1].id, w->id) <= 0, "%s is out of order", w->id);
        cr_assert(w >= of && w < of + n, "%s", w->id);
        cr_assert(w->kind != IBC_SETTLES || s->certain, "%s: settled, and not certain", w->id);
        for (const struct ibc_witness *v = of; v < of + n; v++)
            cr_assert(v == w || v->kind != IBC_SETTLES || w->kind != IBC_SETTLES, "%s is settled twice", w->id);
    }
    cr_assert_null(ibc_witnesses_of("RR-99", &n));
    cr_assert_eq(n, 0);
    cr_expect_eq(certain, 434);
    cr_expect_eq(settled, 7, "a source more or less: the count in conformance/README.md goes along");
}

/* Each row of the table of severities names an area or a statement, in order and once. */
Test(statement, severities)
{
#define ROW(of, severity) of,
    static const char *const of[] = {IBC_SEVERITY_ROWS(ROW)};
    size_t n_area = 0, unsafe = 0;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        cr_assert(ibc_area_title(of[i]) || ibc_statement_find(of[i]), "%s", of[i]);
        cr_assert(i < 11 || strcmp(of[i - 1], of[i]) < 0, "%s is out of order", of[i]);
        n_area += ibc_area_title(of[i]) != NULL;
    }
    cr_assert_eq(n_area, 10);
    EACH(s)
    {
        unsafe += ibc_severity_of(s) == IBC_SEVERITY_SAFETY;
    }
    cr_expect_gt(unsafe, 30);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("RR-41")), IBC_SEVERITY_SAFETY);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("RR-03")), IBC_SEVERITY_INTEROP);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("QS-76")), IBC_SEVERITY_ANSWER);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("WF-30")), IBC_SEVERITY_COSMETIC);
}

/* Each row of the unproven names a statement that scenarios may cite, in order and once. */
Test(statement, unproven)
{
#define UNPROVEN_ID(id, why) id,
    static const char *const of[] = {IBC_UNPROVEN(UNPROVEN_ID)};

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const struct ibc_statement *s = ibc_statement_find(of[i]);
        cr_assert(s && s->status == IBC_ST_OPEN, "%s", of[i]);
        cr_assert(i == 0 || strcmp(of[i - 1], of[i]) < 0, "%s is out of order", of[i]);
        cr_assert(*ibc_unproven_why(of[i]), "%s", of[i]);
    }
    cr_expect_null(ibc_unproven_why("RR-03"));
}

/* The columns of some statements, as the catalogue has them. */
Test(statement, rows)
{
    static const struct {
        const char *id;
        enum ibc_class klass;
        enum ibc_statement_status status;
        bool certain;
    } rows[] = {
        {"KM-01", IBC_CLASS_mandatory, IBC_ST_OPEN, true},      {"KM-08", IBC_CLASS_optional, IBC_ST_OPEN, true},
        {"RO-09", IBC_CLASS_recommended, IBC_ST_OPEN, true},    {"KM-16", IBC_CLASS_conditional, IBC_ST_OPEN, true},
        {"QS-30", IBC_CLASS_informational, IBC_ST_OPEN, false}, {"RR-52", IBC_CLASS_mandatory, IBC_ST_OPEN, false}};
    size_t n[IBC_CLASS_COUNT] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_statement *s = ibc_statement_find(rows[i].id);
        cr_assert(s, "%s", rows[i].id);
        cr_expect_eq(s->klass, rows[i].klass, "%s", rows[i].id);
        cr_expect_eq(s->certain, rows[i].certain, "%s", rows[i].id);
    }
    EACH(s)
    {
        n[s->klass]++;
    }
    cr_expect(n[IBC_CLASS_mandatory] > 300 && n[IBC_CLASS_conditional] > 80);
    cr_expect(n[IBC_CLASS_optional] > 5 && n[IBC_CLASS_optional] < 40);
    cr_expect(n[IBC_CLASS_informational] > 5 && n[IBC_CLASS_informational] < 40);
    cr_expect(n[IBC_CLASS_recommended] > 0 && n[IBC_CLASS_recommended] < 10);
}

Test(statement, names)
{
    static const char *const status[] = {"open", "implicit", "untestable", "out of scope", "not yet"};
    static const char *const severity[] = {"goes down", "unsafe", "interoperation", "wrong answer", "cosmetic"};

    cr_assert_eq(sizeof status / sizeof *status, IBC_ST_COUNT);
    for (size_t i = 0; i < IBC_ST_COUNT; i++)
        cr_expect_str_eq(ibc_statement_status_names[i], status[i]);
    cr_assert_eq(sizeof severity / sizeof *severity, IBC_SEVERITY_COUNT);
    for (size_t i = 0; i < IBC_SEVERITY_COUNT; i++)
        cr_expect_str_eq(ibc_severity_names[i], severity[i]);
    cr_expect_str_eq(ibc_area_title("WF"), "wire formats");
    cr_expect_str_eq(ibc_area_title("RQ"), "requester of a reliable connection");
    cr_expect_str_eq(ibc_area_title("VN"), "what some vendors do");
    cr_expect_eq(ibc_severity_of(ibc_statement_find("WF-01")), IBC_SEVERITY_INTEROP);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("VN-01")), IBC_SEVERITY_INTEROP);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("WF-78")), IBC_SEVERITY_SAFETY);
    cr_expect_eq(ibc_severity_of(ibc_statement_find("RQ-57")), IBC_SEVERITY_ANSWER);
}

/* Each statement has all of its witnesses, and no other's. */
Test(statement, witnesses_of_each)
{
    size_t n, all = 0;

    EACH(s)
    {
        size_t count = 0;
        for (size_t i = 0; i < ibc_witness_count; i++)
            count += strcmp(ibc_witnesses[i].id, s->id) == 0;
        const struct ibc_witness *w = ibc_witnesses_of(s->id, &n);
        cr_assert_eq(n, count, "%s", s->id);
        cr_assert_eq(w != NULL, count > 0, "%s", s->id);
        for (size_t i = 0; i < n; i++)
            cr_assert_str_eq(w[i].id, s->id);
        all += n;
    }
    cr_expect_eq(all, ibc_witness_count);
    cr_expect_eq(ibc_witnesses_of("RR-03", &n)->kind, IBC_CONFIRMS);
    cr_expect_eq(ibc_witnesses_of("RR-52", &n)->kind, IBC_CONTRADICTS);
}
