/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fault.h"
#include "json.h"
#include "matrix.h"
#include "mutants.h"

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_LIVES] = "lives", [OUTCOME_FAILED] = "failed", [OUTCOME_MISCOUNTED] = "miscounted",
    [OUTCOME_DIED] = "died",   [OUTCOME_HUNG] = "hung",     [OUTCOME_ERROR] = "error"};

static enum outcome at(const struct mutation *m, size_t mutant, size_t c)
{
    return (enum outcome)m->outcome[mutant * m->cases.n + c];
}

static bool kills(enum outcome how)
{
    return how != OUTCOME_LIVES && how != OUTCOME_ERROR;
}

/* Returns how the mutant was caught. If it was caught by a verdict and by a crash, returns the verdict. LIVES: not
 * caught. */
static enum outcome fate(const struct mutation *m, size_t mutant)
{
    enum outcome best = OUTCOME_LIVES;

    for (size_t c = 0; c < m->cases.n; c++) {
        const enum outcome how = at(m, mutant, c);
        if (kills(how) && (best == OUTCOME_LIVES || how < best))
            best = how;
    }
    return best;
}

/* Returns the first decisive result among all cases (links) of a scenario. */
static enum outcome of_scenario(const struct mutation *m, size_t mutant, size_t index)
{
    for (size_t c = m->cases.first[index]; c < m->cases.first[index + 1]; c++)
        if (kills(at(m, mutant, c)))
            return at(m, mutant, c);
    return OUTCOME_LIVES;
}

static bool kills_any(const struct mutation *m, size_t index)
{
    for (size_t i = 0; i < m->n; i++)
        if (of_scenario(m, i, index) != OUTCOME_LIVES)
            return true;
    return false;
}

static void print_sums(const struct mutation *m)
{
    size_t sum[OUTCOME_COUNT] = {0}, killed, equivalent = 0, allowed = 0, not_tested = 0;

    for (size_t i = 0; i < m->n; i++) {
        const enum outcome how = fate(m, i);
        sum[how]++;
        equivalent += how == OUTCOME_LIVES && m->m[i].equivalent;
        allowed += how == OUTCOME_LIVES && m->m[i].allowed;
        not_tested += how == OUTCOME_LIVES && m->m[i].not_tested;
    }
    killed = m->n - sum[OUTCOME_LIVES];
    printf("%zu mutants, %zu scenarios, %.1f s\n", m->n, m->sel.n, (double)(wall_ns() - m->since_ns) / 1e9);
    printf("killed   %6zu  %5.1f %%  (%zu failed, %zu miscounted, %zu died, %zu hung)\n", killed,
           100.0 * (double)killed / (double)m->n, sum[OUTCOME_FAILED], sum[OUTCOME_MISCOUNTED], sum[OUTCOME_DIED],
           sum[OUTCOME_HUNG]);
    printf("survived %6zu  %5.1f %%  (%zu equivalent, %zu allowed by the rules, %zu not tested)\n", sum[OUTCOME_LIVES],
           100.0 * (double)sum[OUTCOME_LIVES] / (double)m->n, equivalent, allowed, not_tested);
}

/* Whether all broken engines and all scenarios took part. */
static bool is_everything(const struct mutation *m)
{
    return !m->o->sample && !m->o->only && m->o->pattern.n == 0;
}

/* Whether a list has a reason why no scenario catches the mutant. */
static bool has_reason(const struct ibc_mutant *m)
{
    return m->equivalent || m->allowed || m->not_tested;
}

/* Prints for a few selected mutants the first scenario that caught each. */
static void print_caught(const struct mutation *m)
{
    bool any = false;

    for (size_t i = 0; i < m->n && !is_everything(m); i++) {
        size_t s = 0;
        while (s < m->sel.n && of_scenario(m, i, s) == OUTCOME_LIVES)
            s++;
        if (s == m->sel.n)
            continue;
        printf("%s%s\n    by %s\n", any ? "" : "\nCaught\n", m->m[i].spec, m->sel.s[s]->id);
        any = true;
    }
}

void mutants_print(const struct ibc_mutant *m)
{
    printf("%s\n    %s  %s\n", m->spec, m->clause, m->says);
    if (m->equivalent)
        printf("    equivalent: %s\n", m->equivalent);
    if (m->allowed)
        printf("    allowed: %s\n", m->allowed);
    if (m->not_tested)
        printf("    not tested: %s\n", m->not_tested);
}

static void print_survivors(const struct mutation *m)
{
    bool any = false;

    for (size_t i = 0; i < m->n; i++) {
        if (fate(m, i) != OUTCOME_LIVES)
            continue;
        if (!any)
            printf("\nSurvivors\n");
        mutants_print(&m->m[i]);
        any = true;
    }
}

/* Prints the scenarios that pass on the unbroken engine and on every broken one. After a partial run this proves
 * nothing, so they are not named. */
static size_t print_idle(const struct mutation *m)
{
    size_t n = 0;

    for (size_t u = 0; u < m->n_usable; u++) {
        const struct play_case *c = &m->cases.c[m->usable[u]];
        if ((u > 0 && m->cases.c[m->usable[u - 1]].index == c->index) || kills_any(m, c->index))
            continue;
        if (n++ == 0 && is_everything(m))
            printf("\nScenarios that catch none of these\n");
        if (is_everything(m))
            printf("%s\n", c->s->id);
    }
    return n;
}

/* Prints the scenarios that fail on the unbroken engine, so that their other results prove nothing. */
static size_t print_unusable(const struct mutation *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->cases.n; i++) {
        const struct ibc_result *r = &m->reference[i];
        if (!ibc_failed(r->verdict) && r->verdict != IBC_IS_ERROR && r->verdict != IBC_IS_INCONCLUSIVE)
            continue;
        printf("%s%s: %s: %s\n", n++ ? "" : "\nLeft out, for they do not pass on the reference\n", m->cases.c[i].s->id,
               ibc_verdict_names[r->verdict], r->finding.got);
    }
    return n;
}

static size_t print_errors(const struct mutation *m)
{
    size_t n = 0, first = 0;

    for (size_t i = 0; i < m->n * m->cases.n; i++)
        if (m->outcome[i] == OUTCOME_ERROR)
            first = n++ ? first : i;
    if (n)
        printf("\n%zu runs ended in a fault of the harness, the first: %s --target '%s'\n", n,
               m->cases.c[first % m->cases.n].s->id, m->m[first / m->cases.n].spec);
    return n;
}

/* Prints the broken engines that a scenario catches although a list has a reason why none does: the reason or the
 * verdict is wrong. */
static size_t print_caught_in_spite(const struct mutation *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        size_t s = 0;
        if (!has_reason(&m->m[i]) || fate(m, i) == OUTCOME_LIVES)
            continue;
        if (n++ == 0)
            printf("\nCaught, though they have a reason not to be\n");
        mutants_print(&m->m[i]);
        while (of_scenario(m, i, s) == OUTCOME_LIVES) /* one of them caught it */
            s++;
        printf("    caught by %s\n", m->sel.s[s]->id);
    }
    return n;
}

/* Checks the requirements of a release: each broken engine is caught or has a reason, none has both, and each
 * scenario can fail. No share of caught engines is required, since it falls with each rule that turns out to leave
 * a choice. */
static int judge(const struct mutation *m, size_t idle, size_t in_spite)
{
    size_t unexplained = 0;

    for (size_t i = 0; i < m->n; i++)
        unexplained += fate(m, i) == OUTCOME_LIVES && !has_reason(&m->m[i]);
    if (unexplained > 0)
        return wrong(EXIT_FAILED, "%zu survivor%s without a reason", unexplained, unexplained == 1 ? "" : "s");
    if (in_spite > 0)
        return wrong(EXIT_FAILED, "%zu %s caught, though a reason says why not", in_spite,
                     in_spite == 1 ? "is" : "are");
    if (is_everything(m) && idle > 0)
        return wrong(EXIT_FAILED, "%zu scenario%s none", idle, idle == 1 ? " catches" : "s catch");
    return EXIT_OK;
}

static cJSON *matrix_of(const struct mutation *m)
{
    cJSON *root = cJSON_CreateObject(), *list;

    cJSON_AddStringToObject(root, "version", IBPROOF_VERSION);
    cJSON_AddNumberToObject(root, "seed", (double)m->o->seed);
    cJSON_AddStringToObject(root, "link", cases_link_name(&m->cases));
    list = cJSON_AddArrayToObject(root, "scenarios");
    for (size_t i = 0; i < m->sel.n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(m->sel.s[i]->id));
    list = cJSON_AddArrayToObject(root, "mutants");
    for (size_t i = 0; i < m->n; i++) {
        cJSON *one = json_add_object(list, NULL);
        cJSON_AddStringToObject(one, "spec", m->m[i].spec);
        cJSON_AddItemToObject(one, "clause", clause_list(m->m[i].clause));
        cJSON_AddStringToObject(one, "says", m->m[i].says);
        cJSON_AddItemToObject(one, "equivalent",
                              m->m[i].equivalent ? cJSON_CreateString(m->m[i].equivalent) : cJSON_CreateNull());
        cJSON_AddItemToObject(one, "allowed",
                              m->m[i].allowed ? cJSON_CreateString(m->m[i].allowed) : cJSON_CreateNull());
        cJSON_AddItemToObject(one, "not_tested",
                              m->m[i].not_tested ? cJSON_CreateString(m->m[i].not_tested) : cJSON_CreateNull());
        cJSON *by = cJSON_AddArrayToObject(one, "killed_by");
        for (size_t s = 0; s < m->sel.n; s++) {
            const enum outcome how = of_scenario(m, i, s);
            if (how == OUTCOME_LIVES)
                continue;
            cJSON *k = json_add_object(by, NULL);
            cJSON_AddStringToObject(k, "scenario", m->sel.s[s]->id);
            cJSON_AddStringToObject(k, "how", outcome_names[how]);
        }
    }
    return root;
}

int mutants_report(const struct mutation *m)
{
    int rc = EXIT_OK;
    size_t idle, in_spite;

    if (m->o->out) {
        rc = json_write(matrix_of(m), m->o->out);
        if (strcmp(m->o->out, "-") == 0)
            return rc;
    }
    print_sums(m);
    print_caught(m);
    print_survivors(m);
    in_spite = print_caught_in_spite(m);
    idle = print_idle(m);
    if (print_unusable(m) > 0 && rc == EXIT_OK)
        rc = EXIT_FAILED;
    if (m->o->strict && rc == EXIT_OK)
        rc = judge(m, idle, in_spite);
    return print_errors(m) > 0 ? EXIT_HARNESS : rc;
}
