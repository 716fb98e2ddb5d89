/* SPDX-License-Identifier: BSD-2-Clause */
/* The decision tables of the observer. Each row has a case, whose last packet the row decides. */
#include "observer/iba_decision.h"
#include "decisions.h"

static const struct iba_decisions *const tables[] = {&iba_why_rules, &iba_late_rules,  &iba_answer_rules,
                                                     &iba_ack_rules, &iba_alone_rules, &iba_copy_rules};
enum { TABLES = sizeof tables / sizeof *tables };

static bool is_named(const struct iba_decision *row, const char *name)
{
    const size_t n = strlen(row->table);

    return strncmp(name, row->table, n) == 0 && name[n] == '.' && strcmp(name + n + 1, row->name) == 0;
}

static const struct iba_decision *row_named(const char *name)
{
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < tables[t]->n; i++)
            if (is_named(&tables[t]->row[i], name))
                return &tables[t]->row[i];
    cr_assert_fail("core/observer/test/decisions.c has a case of %s, which no table has", name);
    return NULL;
}

static const struct iba_decision *last[TABLES]; /* the row of each table that decided last */

static void on_decision(void *ctx, const struct iba_decision *row)
{
    (void)ctx;
    for (unsigned t = 0; t < TABLES; t++)
        if (row >= tables[t]->row && row < tables[t]->row + tables[t]->n)
            last[t] = row;
}

Test(decisions, each_case_is_decided_by_its_row)
{
    static struct witness w;

    for (unsigned i = 0; i < CASES; i++) {
        const struct iba_decision *row = row_named(cases[i].row), *spoke = NULL;
        iba_time now = MS;
        memset(last, 0, sizeof last);
        witness_init(&w, &(struct iba_observer_config){.decided = on_decision});
        for (unsigned k = 0; k < MOST && cases[i].shot[k].opcode; k++)
            shoot(&w, &cases[i].shot[k], 0, &now);
        for (unsigned t = 0; t < TABLES; t++)
            spoke = strcmp(tables[t]->name, row->table) == 0 ? last[t] : spoke;
        cr_expect_eq(spoke, row, "the case of %s is decided by %s", cases[i].row, spoke ? spoke->name : "no row");
    }
}

Test(decisions, each_row_has_a_case)
{
    for (unsigned t = 0; t < TABLES; t++)
        for (unsigned i = 0; i < tables[t]->n; i++) {
            bool has = false;
            for (unsigned k = 0; k < CASES; k++)
                has |= is_named(&tables[t]->row[i], cases[k].row);
            cr_expect(has, "row %s of table %s has no case in core/observer/test/decisions.c", tables[t]->row[i].name,
                      tables[t]->name);
        }
}

/* A finding names the row that decided it. */
Test(decisions, a_finding_names_its_row)
{
    static const struct shot shots[] = {SENT(2, 0), SENT(2, 70000000), SENT(3, 0), SENT(3, 0)};
    static struct witness w;
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < sizeof shots / sizeof *shots; i++)
        shoot(&w, &shots[i], 0, &now);
    cr_assert_eq(w.n_kept, 2);
    cr_assert_eq(w.kept[0].kind, IBA_FINDING_RETRY_TIMEOUT);
    cr_assert_eq(w.kept[0].decision, row_named("why.timer"));
    cr_assert_eq(w.kept[1].kind, IBA_FINDING_NETWORK_COPY);
    cr_assert_eq(w.kept[1].decision, row_named("copy.no_reason"));
}
