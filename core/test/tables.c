/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule tables as data: each row can be cited, counted and distinguished from the others. */
#include <criterion/criterion.h>
#include <string.h>
#include "adapter/iba_change_rules.h"
#include "observer/iba_decision.h"
#include "observer/iba_finding_kinds.h"

static const struct iba_rules *const tables[] = {
#define TABLE(id, rules, title) &rules,
    IBA_RULE_TABLES(TABLE)};
enum { N_TABLES = sizeof tables / sizeof *tables };

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* Returns the text after a number and further parts of digits and small letters, each after a dot or dash: "-80",
 * "-37.2.26", "-14.a4". */
static const char *number(const char *s)
{
    if (*s++ != '-' || digits(s) == 0)
        return NULL;
    s += digits(s);
    while ((*s == '.' || *s == '-') && strspn(s + 1, "0123456789abcdefghijklmnopqrstuvwxyz") > 0)
        s += 1 + strspn(s + 1, "0123456789abcdefghijklmnopqrstuvwxyz");
    return s;
}

/* Returns the text after one id of the catalogue (RR-03), compliance number (C9-80, o10-36.2.2, oA19-13) or section
 * (§9.7.5); NULL: the text begins with none of these. */
static const char *id(const char *s)
{
    static const char *const chapter[] = {"WF", "PV", "RR", "RQ", "UU", "QS", "KM", "RO", "VN", "MD"};

    for (size_t i = 0; i < sizeof chapter / sizeof *chapter; i++)
        if (strncmp(s, chapter[i], 2) == 0)
            return s[2] == '-' && digits(s + 3) == 2 ? s + 5 : NULL;
    if (strncmp(s, "§", sizeof "§" - 1) == 0) {
        s += sizeof "§" - 1;
        return digits(s) > 0 ? s + strspn(s, "0123456789.") : NULL;
    }
    if (*s != 'C' && *s != 'o')
        return NULL;
    s += s[1] == 'A' ? 2 : 1;
    return digits(s) > 0 ? number(s + digits(s)) : NULL;
}

/* Returns whether the text is one id, or several with ", " between them. */
static bool is_clause(const char *s)
{
    while (s && (s = id(s)) && *s)
        s = strncmp(s, ", ", 2) == 0 ? s + 2 : NULL;
    return s != NULL;
}

Test(tables, the_grammar_of_clauses)
{
    static const char *const good[] = {"RR-03",    "C9-80",  "o10-36.2.2", "oA19-13",      "C14-24-2.1",
                                       "o14-3.a4", "§9.7.5", "§9",         "QS-54, QS-55", "C9-88, RR-40"};
    static const char *const bad[] = {"",     "RR", "RR-3",        "RR-003",  "XX-03",  "C9",   "C-80",
                                      "o10-", "§",  "RR-03,RR-04", "RR-03, ", "RR-03 ", "9.7.5"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_assert(is_clause(good[i]), "'%s'", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(is_clause(bad[i]), "'%s'", bad[i]);
}

Test(tables, each_row_is_cited_and_counted)
{
    for (unsigned t = 0; t < N_TABLES; t++) {
        bool taken[IBA_MAX_RULES] = {false};
        cr_assert_gt(tables[t]->n, 0);
        for (unsigned i = 0; i < tables[t]->n; i++) {
            const struct iba_rule *r = &tables[t]->row[i];
            cr_assert(r->when && r->then && r->sentence && *r->sentence,
                      "rule %s of %s lacks its condition, action or sentence", r->name, tables[t]->name);
            cr_assert(r->clause && is_clause(r->clause), "rule %s of %s cites '%s', which is no clause", r->name,
                      tables[t]->name, r->clause);
            cr_assert(r->hit < IBA_MAX_RULES && !taken[r->hit], "rule %s of %s has the counter of another, %u", r->name,
                      tables[t]->name, r->hit);
            taken[r->hit] = true;
        }
    }
}

Test(tables, names_tell_rows_and_tables_apart)
{
    for (unsigned t = 0; t < N_TABLES; t++) {
        for (unsigned i = 0; i < tables[t]->n; i++)
            for (unsigned k = 0; k < i; k++)
                cr_assert_str_neq(tables[t]->row[i].name, tables[t]->row[k].name, "in %s", tables[t]->name);
        for (unsigned other = 0; other < t; other++)
            cr_assert_str_neq(tables[t]->name, tables[other]->name);
    }
}

Test(tables, memory_translation)
{
    cr_assert_gt(iba_mem_rule_count, 0);
    for (size_t i = 0; i < iba_mem_rule_count; i++) {
        const struct iba_mem_rule_info *r = &iba_mem_rules[i];
        cr_assert(*r->name && *r->sentence && is_clause(r->clause),
                  "rule %s of memory translation lacks its sentence, or cites '%s', which is no clause", r->name,
                  r->clause);
        for (size_t k = 0; k < i; k++)
            cr_assert_str_neq(r->name, iba_mem_rules[k].name);
    }
}

/* Each transition cites a clause. Sources disagree about RESET to ERR, so its row also cites the catalogue's note. */
Test(tables, each_transition_is_cited)
{
    size_t n;
    const struct iba_transition *t = iba_transitions(&n);

    for (size_t i = 0; i < n; i++)
        cr_assert(is_clause(t[i].clause) || strcmp(t[i].clause, "QS-14; catalogue 11.1 no. 14") == 0, "'%s'",
                  t[i].clause);
}

Test(tables, each_behaviour_is_cited_and_can_be_changed)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t l = 0; l < n; l++) {
        cr_assert_gt(lists[l]->n, 0);
        for (uint16_t i = 0; i < lists[l]->n; i++) {
            const struct iba_behaviour *b = &lists[l]->row[i];
            cr_assert(is_clause(b->clause), "behaviour %s of %s cites '%s', which is no clause", b->name,
                      lists[l]->name, b->clause);
            cr_assert(*b->name && *b->sentence, "behaviour %u of %s lacks its name or sentence", i, lists[l]->name);
            cr_assert(b->kinds != 0 && b->kinds >> (IBA_CHANGE_OTHER + 1) == 0, "behaviour %s of %s names no change",
                      b->name, lists[l]->name);
        }
    }
}

Test(tables, names_tell_behaviours_and_lists_apart)
{
    size_t n;
    const struct iba_behaviours *const *lists = iba_behaviour_lists(&n);

    for (size_t l = 0; l < n; l++) {
        for (uint16_t i = 0; i < lists[l]->n; i++)
            for (uint16_t k = 0; k < i; k++)
                cr_assert_str_neq(lists[l]->row[i].name, lists[l]->row[k].name, "in %s", lists[l]->name);
        for (size_t other = 0; other < l; other++)
            cr_assert_str_neq(lists[l]->name, lists[other]->name);
    }
}

Test(tables, each_decision_is_cited)
{
    static const struct iba_decisions *const decisions[] = {&iba_why_rules, &iba_late_rules,  &iba_answer_rules,
                                                            &iba_ack_rules, &iba_alone_rules, &iba_copy_rules};

    for (unsigned t = 0; t < sizeof decisions / sizeof *decisions; t++)
        for (unsigned i = 0; i < decisions[t]->n; i++)
            cr_assert(is_clause(decisions[t]->row[i].clause), "row %s of table %s cites '%s', which is no clause",
                      decisions[t]->row[i].name, decisions[t]->name, decisions[t]->row[i].clause);
}

Test(tables, each_finding_is_cited)
{
    for (unsigned i = 0; i < IBA_FINDING_COUNT; i++)
        cr_assert(is_clause(iba_findings[i].clause),
                  "finding %s of core/observer/iba_finding_kinds.h cites '%s', which is no clause",
                  iba_findings[i].name, iba_findings[i].clause);
}
