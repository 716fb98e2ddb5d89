/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutants: named, described, and able to run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "targets/emit.h"
#include "targets/mutant.h"
#include "tour.h"

static struct ibc_target *open_target(const char *spec)
{
    char err[200] = "";
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    cr_assert_not_null(t, "%s", err);
    return t;
}

static void same_tours(const char *one, const char *other, enum ibc_link link)
{
    struct ibc_target *a = open_target(one), *b = open_target(other);
    struct tour *ta = tour_run(a, link, 3), *tb = tour_run(b, link, 3);

    cr_assert_eq(ta->n, tb->n, "%s", other);
    for (unsigned i = 0; i < ta->n; i++)
        cr_assert(ta->len[i] == tb->len[i] && memcmp(ta->frame[i], tb->frame[i], ta->len[i]) == 0, "%s: frame %u",
                  other, i);
    tour_free(ta), tour_free(tb);
    ibc_target_close(a), ibc_target_close(b);
}

Test(mutants, each_has_a_name_of_its_own_and_says_what_it_is)
{
    const size_t n = ibc_mutant_count();
    struct ibc_mutant a, b;

    cr_assert_gt(n, 400);
    for (size_t i = 0; i < n; i++) {
        cr_assert(ibc_mutant_at(i, &a));
        cr_assert_eq(strncmp(a.spec, "mutant:", 7), 0);
        cr_assert_null(strchr(a.spec, ' '), "%s", a.spec);
        cr_assert(a.clause && a.clause[0], "%s has no clause", a.spec);
        cr_assert_eq(strncmp(a.says, "a device ", 9), 0, "%s", a.says);
        for (size_t k = 0; k < i; k++)
            cr_assert(ibc_mutant_at(k, &b) && strcmp(a.spec, b.spec) != 0, "%s twice", a.spec);
    }
    cr_assert_not(ibc_mutant_at(n, &a));
}

Test(mutants, each_opens_and_survives_a_tour, .timeout = 280)
{
    for (size_t i = 0; i < ibc_mutant_count(); i++) {
        struct ibc_mutant m;
        cr_assert(ibc_mutant_at(i, &m));
        struct ibc_target *t = open_target(m.spec);
        if (strncmp(m.spec, "mutant:fabric.", 14) == 0) { /* the tour has no subnet */
            ibc_target_close(t);
            continue;
        }
        tour_free(tour_run(t, (enum ibc_link)(i % IBC_LINK_COUNT), i));
        tour_free(tour_run(t, (enum ibc_link)((i + 1) % IBC_LINK_COUNT), i));
        ibc_target_close(t);
    }
}

/* Each reason in the table belongs to an existing row of rules. */
Test(mutants, reasons_are_of_rows)
{
    const char *spec;
    char name[128], err[200];

    for (size_t i = 0; (spec = mutant_allowed_at(i)); i++) {
        (void)snprintf(name, sizeof name, "mutant:%s", spec);
        struct ibc_target *t = ibc_target_open(name, err, sizeof err);
        cr_assert_not_null(t, "%s: %s", name, err);
        cr_assert_null(mutant_equivalent(spec), "%s", spec);
        ibc_target_close(t);
    }
}

/* Every row named as not shown here, or as breaking further clauses, exists. */
Test(mutants, other_tables_are_of_rows)
{
    const char *spec, *clause;
    char name[128], err[200];

    for (size_t i = 0; (spec = mutant_breaks_at(i, &clause)); i++) {
        struct ibc_mutant m;
        size_t k = 0;
        (void)snprintf(name, sizeof name, "mutant:%s", spec);
        while (ibc_mutant_at(k, &m) && strcmp(m.spec, name) != 0)
            k++;
        cr_assert(ibc_mutant_at(k, &m), "%s", name);
        cr_assert(strlen(m.clause) > strlen(clause) && strstr(m.clause, clause), "%s", m.clause);
    }
    for (size_t i = 0; (spec = mutant_not_tested_at(i)); i++) {
        (void)snprintf(name, sizeof name, "mutant:%s", spec);
        struct ibc_target *t = ibc_target_open(name, err, sizeof err);
        cr_assert_not_null(t, "%s: %s", name, err);
        cr_assert(!mutant_equivalent(spec) && !mutant_allowed(spec), "%s", spec);
        ibc_target_close(t);
    }
}

Test(mutants, equivalents_are_rows_and_behave_alike)
{
    const char *spec;

    for (size_t i = 0; (spec = mutant_equivalent_at(i)); i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "mutant:%s", spec);
        for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
            same_tours("reference", name, (enum ibc_link)l);
    }
}
