/* SPDX-License-Identifier: BSD-2-Clause */
/* show: prints everything that is known of one scenario before it is played. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "command.h"
#include "fault.h"
#include "run/run.h"
#include "select.h"
#include "system/text.h"
#include "targets/target.h"

static const char *const targets[] = {"reference"};

static void print_file(const struct ibc_scenario *s)
{
    FILE *f = fopen(s->path, "r");
    char line[4096];

    text_line(stdout, "%s", s->id);
    text_line(stdout, "%s", s->path);
    printf("\n");
    if (!f) {
        printf("    (%s)\n", strerror(errno));
        return;
    }
    while (fgets(line, sizeof line, f))
        printf("    %s", line);
    fclose(f);
}

static void print_statements(const struct ibc_scenario *s)
{
    printf("\nStatements\n");
    for (unsigned i = 0; i < s->n_spec; i++) {
        const struct ibc_statement *st = scenario_statement(s, i);
        if (!st)
            continue;
        printf("    %-8s%s (%s", st->id, st->words, ibc_class_names[st->klass]);
        statement_print_clause(st);
        printf(")\n");
    }
    if (ibc_uncertainty(s))
        printf("    A failure is DEVIATES, not FAIL: %s\n", ibc_uncertainty(s));
}

static void print_needs(const struct ibc_scenario *s)
{
    if (s->needs)
        printf("\nNeeds\n");
    for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
        if (s->needs >> i & 1)
            command_print_capability("    ", i);
    if (s->n_covers)
        printf("\nCovers\n");
    for (unsigned i = 0; i < s->n_covers; i++)
        printf("    %s\n", s->covers[i]);
}

static void print_bits(uint32_t bits, const char *const *names, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (bits >> i & 1)
            printf(" %s", names[i]);
}

static void print_objects(const struct ibc_play *p)
{
    for (unsigned i = 0; i < p->n_object; i++) {
        const struct ibc_object *ob = &p->object[i];
        printf("        %s %s%s\n", ibc_object_names[ob->kind], ob->name, ob->line ? "" : " (always there)");
    }
}

/* Prints whether one target has the capabilities and the link of the scenario, and creates its objects. */
static void print_target(const struct ibc_scenario *s, const char *spec)
{
    char err[512];
    struct ibc_target *t = ibc_target_open(spec, err, sizeof err);

    if (!t) {
        printf("    %s: %s\n", spec, err);
        return;
    }
    const uint32_t links = t->ops->links(t), on = links & (s->links ? s->links : UINT32_MAX);
    const uint64_t lacks = s->needs & ~t->ops->capabilities(t);
    printf("    %s: %s; links", spec, t->ops->help);
    print_bits(on, ibc_link_names, IBC_LINK_COUNT);
    printf(on ? "\n" : " none that the scenario is for\n");
    if (lacks) {
        printf("        not applicable: it does not claim");
        for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
            if (lacks >> i & 1)
                printf(" %s%s%s%s", ibc_capability_names[i], ibc_capability_unclaimed[i] ? " (" : "",
                       ibc_capability_unclaimed[i] ? ibc_capability_unclaimed[i] : "",
                       ibc_capability_unclaimed[i] ? ")" : "");
        printf("\n");
    }
    ibc_target_close(t);
}

/* Prints the objects that are created before the first step, and their numbers. */
static void print_setup(const struct ibc_scenario *s)
{
    printf("\nSet-up\n");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        print_target(s, targets[i]);
    for (unsigned q = 0; q < IBA_QPT_COUNT; q++) {
        if (!(s->services >> q & 1))
            continue;
        struct ibc_play *p = ibc_bind(s, (enum iba_qp_type)q, 0);
        printf("    %s, %u variation%s, each with\n", iba_qp_type_name((enum iba_qp_type)q), s->n_variation,
               s->n_variation == 1 ? "" : "s");
        print_objects(p);
        ibc_play_free(p);
        for (unsigned v = 0; s->n_variation > 1 && v < s->n_variation; v++) {
            p = ibc_bind(s, (enum iba_qp_type)q, v);
            printf("        %u: %s\n", v + 1, p->variation);
            ibc_play_free(p);
        }
    }
}

int command_show(const struct options *o)
{
    struct selection sel;
    int rc = select_scenarios(&sel, o, &o->pattern, &o->exclude);

    if (rc == EXIT_OK && (sel.n > 1 || strcmp(sel.s[0]->id, o->pattern.w[0]) != 0))
        rc = wrong(EXIT_USAGE, "show wants one id; \"%s\" matches %zu: see ibconform list", o->pattern.w[0], sel.n);
    if (rc == EXIT_OK) {
        print_file(sel.s[0]);
        print_statements(sel.s[0]);
        print_needs(sel.s[0]);
        print_setup(sel.s[0]);
    }
    select_free(&sel);
    return rc;
}
