/* SPDX-License-Identifier: BSD-2-Clause */
/* statements: prints which statements of the specification the scenarios check, and for the others the reason why
 * not. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "fault.h"
#include "json.h"
#include "matrix.h"
#include "select.h"

enum { LEVEL_CITED = IBC_ST_COUNT, LEVEL_COVERED, N_COLUMNS };

struct coverage {
    struct selection sel;
    cJSON *matrix;         /* NULL: only citations can be shown */
    unsigned char *chosen; /* whether each statement was selected */
    unsigned *cited;
    /* the mutant and the scenario that prove the coverage of each statement, or NULL */
    const char **mutant, **scenario;
};

static bool chosen(const struct ibc_statement *st, const char *pattern)
{
    return fnmatch(pattern, st->id, 0) == 0 || strcmp(pattern, st->area) == 0 ||
           strcmp(pattern, ibc_class_names[st->klass]) == 0;
}

static int choose(struct coverage *c, const struct words *w)
{
    if (w->n == 0)
        memset(c->chosen, 1, ibc_statement_count);
    for (size_t i = 0; i < w->n; i++) {
        bool any = false;
        for (size_t k = 0; k < ibc_statement_count; k++)
            if (chosen(&ibc_statements[k], w->w[i])) {
                c->chosen[k] = 1;
                any = true;
            }
        if (!any) {
            const char *near = statement_nearest(w->w[i]);
            return wrong(EXIT_USAGE, "no statement matches \"%s\"%s%s%s", w->w[i], near ? "; nearest is \"" : "",
                         near ? near : "", near ? "\"" : "");
        }
    }
    return EXIT_OK;
}

static int measure(struct coverage *c, const struct options *o)
{
    static const struct words all = {.n = 0};
    int rc = select_scenarios(&c->sel, o, &all, &all);

    if (rc != EXIT_OK)
        return rc;
    if (o->matrix && !(c->matrix = matrix_read(o->matrix)))
        return EXIT_USAGE;
    c->chosen = calloc(ibc_statement_count, sizeof *c->chosen);
    c->cited = calloc(ibc_statement_count, sizeof *c->cited);
    c->mutant = calloc(ibc_statement_count, sizeof *c->mutant);
    c->scenario = calloc(ibc_statement_count, sizeof *c->scenario);
    if (!c->chosen || !c->cited || !c->mutant || !c->scenario)
        return wrong(EXIT_HARNESS, "out of memory");
    for (size_t k = 0; k < ibc_statement_count; k++) {
        for (size_t i = 0; i < c->sel.n; i++)
            c->cited[k] += ibc_cites(c->sel.s[i], ibc_statements[k].id);
        if (c->matrix && c->cited[k])
            (void)matrix_shows(c->matrix, &c->sel.suite, ibc_statements[k].id, &c->mutant[k], &c->scenario[k]);
    }
    return choose(c, &o->pattern);
}

/* ---- the table: rows are areas, then classes ---- */
static void count(const struct coverage *c, size_t k, unsigned column[N_COLUMNS + 1])
{
    column[N_COLUMNS]++;
    column[ibc_statements[k].status]++;
    column[LEVEL_CITED] += c->cited[k] > 0;
    column[LEVEL_COVERED] += c->mutant[k] != NULL;
}

static void print_row(const struct coverage *c, const char *name, const unsigned column[N_COLUMNS + 1])
{
    printf("%-14s%6u", name, column[N_COLUMNS]);
    for (unsigned i = 0; i < IBC_ST_COUNT; i++)
        printf("%14u", column[i]);
    printf("%8u", column[LEVEL_CITED]);
    if (c->matrix)
        printf("%9u", column[LEVEL_COVERED]);
    printf("\n");
}

static void print_head(const struct coverage *c, const char *what)
{
    printf("%-14s%6s", what, "all");
    for (unsigned i = 0; i < IBC_ST_COUNT; i++)
        printf("%14s", ibc_statement_status_names[i]);
    printf("%8s%s\n", "cited", c->matrix ? "  covered" : "");
}

static void print_table(const struct coverage *c)
{
    unsigned total[N_COLUMNS + 1] = {0};
    unsigned klass[IBC_CLASS_COUNT][N_COLUMNS + 1] = {{0}};

    print_head(c, "area");
    for (size_t k = 0, end; k < ibc_statement_count; k = end) {
        unsigned area[N_COLUMNS + 1] = {0};
        for (end = k; end < ibc_statement_count && strcmp(ibc_statements[end].area, ibc_statements[k].area) == 0; end++)
            if (c->chosen[end]) {
                count(c, end, area);
                count(c, end, klass[ibc_statements[end].klass]);
                count(c, end, total);
            }
        if (area[N_COLUMNS])
            print_row(c, ibc_statements[k].area, area);
    }
    printf("\n");
    print_head(c, "class");
    for (unsigned i = 0; i < IBC_CLASS_COUNT; i++)
        if (klass[i][N_COLUMNS])
            print_row(c, ibc_class_names[i], klass[i]);
    printf("\n");
    print_row(c, "all", total);
    printf("\ncited: a scenario names it.%s\n",
           c->matrix ? " covered: a scenario that names it catches an engine broken in just that."
                     : " With --matrix FILE of ibconform mutants --out: which of them a scenario really checks.");
}

/* Prints the number of certain statements. It is printed wherever statements are counted, since a statement that
 * becomes certain may turn a DEVIATES into a FAIL, and the reverse. */
static void print_certain(void)
{
    size_t settled;
    const size_t certain = ibc_certain_count(&settled);

    printf("\ncertain: %zu of %zu; %zu before second sources settled %zu (SETTLES in statements/witnesses.h).\n",
           certain, ibc_statement_count, certain - settled, settled);
}

/* ---- one statement ---- */
static const char *const witness_words[] = {"confirms", "settles", "contradicts"};

static void print_one(const struct coverage *c, const struct ibc_statement *st)
{
    size_t n;
    const struct ibc_witness *w = ibc_witnesses_of(st->id, &n);

    printf("%-8s%s\n%8s(%s", st->id, st->words, "", ibc_class_names[st->klass]);
    statement_print_clause(st);
    printf("; %s%s%s)\n", ibc_statement_status_names[st->status], *st->reason ? ": " : "", st->reason);
    for (size_t i = 0; i < n; i++)
        printf("%8s%-12s%s: %s\n", "", witness_words[w[i].kind], w[i].who, w[i].where);
    for (size_t i = 0; i < c->sel.n; i++)
        if (ibc_cites(c->sel.s[i], st->id))
            printf("%8s%-12s%s\n", "", "cited by", c->sel.s[i]->id);
}

static bool are_ids(const struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (!ibc_statement_find(w->w[i]))
            return false;
    return w->n > 0;
}

static void print_each(const struct coverage *c)
{
    for (size_t k = 0; k < ibc_statement_count; k++)
        if (c->chosen[k])
            print_one(c, &ibc_statements[k]);
}

/* ---- what is missing ---- */
/* Whether the statement is cited, and has a reason why no broken engine proves that it is checked. */
static bool is_unproven(const struct coverage *c, size_t k)
{
    return c->cited[k] > 0 && ibc_unproven_why(ibc_statements[k].id);
}

static bool is_missing(const struct coverage *c, size_t k)
{
    return c->matrix ? c->mutant[k] == NULL : c->cited[k] == 0 || is_unproven(c, k);
}

static void print_cited(const struct coverage *c, size_t k)
{
    const char *why = ibc_unproven_why(ibc_statements[k].id);

    printf("%36scited by %u scenario%s, but no broken engine shows that it is checked%s%s\n", "", c->cited[k],
           c->cited[k] == 1 ? "" : "s", why ? ": " : "", why ? why : "");
}

static void print_missing(const struct coverage *c)
{
    size_t n = 0, open = 0, cited = 0;

    for (unsigned status = 0; status < IBC_ST_COUNT; status++)
        for (size_t k = 0; k < ibc_statement_count; k++) {
            const struct ibc_statement *st = &ibc_statements[k];
            if (!c->chosen[k] || st->status != status || !is_missing(c, k))
                continue;
            n++;
            open += status == IBC_ST_OPEN;
            cited += c->cited[k] > 0;
            printf("%-8s%-14s%-14s%s\n", st->id, ibc_statement_status_names[status], ibc_class_names[st->klass],
                   st->words);
            if (c->cited[k])
                print_cited(c, k);
            if (st->reason && *st->reason)
                printf("%36s%s\n", "", st->reason);
        }
    printf("%s%zu statement%s not covered, %zu of them open, %zu of those cited\n", n ? "\n" : "", n, n == 1 ? "" : "s",
           open, cited);
}

/* ---- for scripts ---- */
static void add_text(cJSON *to, const char *key, const char *text)
{
    cJSON_AddItemToObject(to, key, text && *text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static void add_witnesses(cJSON *to, const char *id)
{
    size_t n;
    const struct ibc_witness *w = ibc_witnesses_of(id, &n);
    cJSON *list = cJSON_AddArrayToObject(to, "witnesses");

    for (size_t i = 0; i < n; i++) {
        cJSON *one = json_add_object(list, NULL);
        cJSON_AddStringToObject(one, "kind", witness_words[w[i].kind]);
        cJSON_AddStringToObject(one, "who", w[i].who);
        cJSON_AddStringToObject(one, "where", w[i].where);
    }
}

static void add_statement(const struct coverage *c, cJSON *list, size_t k)
{
    const struct ibc_statement *st = &ibc_statements[k];
    cJSON *one = json_add_object(list, NULL);

    cJSON_AddStringToObject(one, "id", st->id);
    cJSON_AddStringToObject(one, "area", st->area);
    cJSON_AddStringToObject(one, "class", ibc_class_names[st->klass]);
    cJSON_AddStringToObject(one, "status", ibc_statement_status_names[st->status]);
    add_text(one, "reason", st->reason);
    cJSON_AddStringToObject(one, "words", st->words);
    add_text(one, "reference", st->reference);
    add_text(one, "compliance", st->compliance);
    add_text(one, "edition", st->edition);
    cJSON_AddBoolToObject(one, "certain", st->certain);
    add_witnesses(one, st->id);
    cJSON *by = cJSON_AddArrayToObject(one, "cited_by");
    for (size_t i = 0; i < c->sel.n; i++)
        if (ibc_cites(c->sel.s[i], st->id))
            cJSON_AddItemToArray(by, cJSON_CreateString(c->sel.s[i]->id));
    if (!c->matrix)
        return;
    cJSON_AddBoolToObject(one, "covered", c->mutant[k] != NULL);
    add_text(one, "unproven", c->cited[k] && !c->mutant[k] ? ibc_unproven_why(st->id) : NULL);
    add_text(one, "covered_by", c->scenario[k]);
    add_text(one, "mutant", c->mutant[k]);
}

static int print_json(const struct coverage *c, bool missing)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t k = 0; k < ibc_statement_count; k++)
        if (c->chosen[k] && (!missing || is_missing(c, k)))
            add_statement(c, list, k);
    return json_print(list);
}

/* Applies the option --least. */
static int judge(const struct coverage *c, unsigned least)
{
    unsigned n = 0;

    for (size_t k = 0; k < ibc_statement_count; k++)
        n += c->chosen[k] && !is_missing(c, k);
    if (n >= least)
        return EXIT_OK;
    return wrong(EXIT_FAILED, "%u statements are %s, fewer than %u", n, c->matrix ? "covered" : "cited", least);
}

int command_statements(const struct options *o)
{
    struct coverage c = {0};
    int rc = measure(&c, o);

    if (rc == EXIT_OK && o->json)
        rc = print_json(&c, o->missing);
    else if (rc == EXIT_OK && o->missing)
        print_missing(&c);
    else if (rc == EXIT_OK && are_ids(&o->pattern) && !o->matrix)
        print_each(&c);
    else if (rc == EXIT_OK) {
        print_table(&c);
        print_certain();
    }
    if (rc == EXIT_OK && o->least)
        rc = judge(&c, o->least);
    cJSON_Delete(c.matrix);
    free(c.chosen);
    free(c.cited);
    free(c.mutant);
    free(c.scenario);
    select_free(&c.sel);
    return rc;
}
