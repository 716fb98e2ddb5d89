/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes how many statements of each area and class this run's scenarios cite, and which. */
#include <string.h>
#include "markup.h"

struct tally {
    unsigned open, cited;
};
struct area {
    const char *name, *title;
    struct tally klass[IBC_CLASS_COUNT], all;
    unsigned shut; /* no scenario can show them */
};

#define AREA(name, title) {#name, title, {{0}}, {0}, 0},
static const struct area areas[] = {IBC_AREAS(AREA)};
enum { AREAS = sizeof areas / sizeof areas[0] };

static void count(struct area *a, const struct rep *p)
{
    for (size_t i = 0; i < ibc_statement_count; i++) {
        const struct ibc_statement *s = &ibc_statements[i];

        if (strcmp(s->area, a->name) != 0)
            continue;
        /* counted even if a played scenario cites it: the number must not depend on what was played */
        if (s->status != IBC_ST_OPEN) {
            a->shut++;
            continue;
        }
        a->klass[s->klass].open++;
        a->klass[s->klass].cited += p->cited[i];
        a->all.open++;
        a->all.cited += p->cited[i];
    }
}

static void add(struct area *to, const struct area *a)
{
    for (size_t k = 0; k < IBC_CLASS_COUNT; k++) {
        to->klass[k].open += a->klass[k].open;
        to->klass[k].cited += a->klass[k].cited;
    }
    to->all.open += a->all.open;
    to->all.cited += a->all.cited;
    to->shut += a->shut;
}

static void cell(struct out *o, const struct tally *t)
{
    OUT_LIT(o, "<td>");
    if (t->open) {
        html_number(o, "b", NULL, t->cited);
        OUT_LIT(o, " of ");
        out_u64(o, t->open);
    }
    OUT_LIT(o, "</td>");
}

static void table_row(struct out *o, const struct area *a, const struct area *total)
{
    OUT_LIT(o, "<tr><th scope=\"row\">");
    rep_str(o, a->name);
    out_ch(o, ' ');
    html_str(o, "span", "aside", a->title);
    OUT_LIT(o, "</th>");
    for (size_t k = 0; k < IBC_CLASS_COUNT; k++)
        if (total->klass[k].open)
            cell(o, &a->klass[k]);
    cell(o, &a->all);
    OUT_LIT(o, "<td>");
    if (a->shut)
        out_u64(o, a->shut);
    OUT_LIT(o, "</td></tr>\n");
}

static void table(struct out *o, const struct area *a, const struct area *total)
{
    OUT_LIT(o, "<div class=\"wide\" tabindex=\"0\">\n<table class=\"coverage\">\n<caption>Statements that scenarios of "
               "this run check, of those that a scenario can show</caption>\n<thead><tr><th scope=\"col\">area</th>");
    for (size_t k = 0; k < IBC_CLASS_COUNT; k++)
        if (total->klass[k].open)
            html_str(o, "th", NULL, rep_class_names[k]);
    OUT_LIT(o, "<th scope=\"col\">all</th><th scope=\"col\">without one for a reason</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < AREAS; i++)
        table_row(o, &a[i], total);
    OUT_LIT(o, "</tbody>\n<tfoot>\n");
    table_row(o, total, total);
    OUT_LIT(o, "</tfoot>\n</table>\n</div>\n");
}

/* ---- each statement ---- */
static void shown_by(struct out *o, const struct rep *p, const struct ibc_statement *s)
{
    bool any = false;

    for (size_t i = 0; i < p->n; i++) {
        const struct rep_case *c = &p->c[i];

        if (!ibc_cites(c->r->scenario, s->id))
            continue;
        OUT_LIT(o, "<a class=\"");
        out_str(o, html_tone(c->r->verdict));
        out_ch(o, '"');
        html_case_link(o, c->id);
        out_ch(o, '>');
        rep_str(o, c->id);
        out_ch(o, ' ');
        rep_str(o, rep_verdict_names[c->r->verdict]);
        OUT_LIT(o, "</a> ");
        any = true;
    }
    if (any)
        return;
    rep_str(o, s->status == IBC_ST_OPEN ? "no scenario of this run" : ibc_statement_status_names[s->status]);
    if (s->status != IBC_ST_OPEN) {
        OUT_LIT(o, ": ");
        rep_str(o, s->reason);
    }
}

static void statement(struct out *o, const struct rep *p, size_t i)
{
    const struct ibc_statement *s = &ibc_statements[i];
    char clause[REP_CLAUSE];

    out_str(o, p->cited[i] ? "<tr>" : "<tr class=\"blank\">");
    html_str(o, "th", NULL, s->id);
    OUT_LIT(o, "<td>");
    rep_str(o, s->words);
    rep_clause(s, clause);
    if (clause[0]) {
        out_ch(o, ' ');
        html_str(o, "span", "aside", clause);
    }
    if (!s->certain)
        html_str(o, "span", "aside", " source not certain");
    OUT_LIT(o, "</td>");
    html_str(o, "td", NULL, rep_class_names[s->klass]);
    OUT_LIT(o, "<td>");
    shown_by(o, p, s);
    OUT_LIT(o, "</td></tr>\n");
}

static void list(struct out *o, const struct rep *p, const struct area *a)
{
    OUT_LIT(o, "<details class=\"list\"><summary>");
    html_str(o, "b", NULL, a->name);
    out_ch(o, ' ');
    rep_str(o, a->title);
    OUT_LIT(o, ": ");
    out_u64(o, a->all.cited);
    OUT_LIT(o, " of ");
    out_u64(o, a->all.open);
    OUT_LIT(o, "</summary>\n<div class=\"wide\" tabindex=\"0\"><table class=\"statements\">\n");
    for (size_t i = 0; i < ibc_statement_count; i++)
        if (strcmp(ibc_statements[i].area, a->name) == 0)
            statement(o, p, i);
    OUT_LIT(o, "</table></div>\n</details>\n");
}

void html_coverage(struct out *o, const struct rep *p)
{
    struct area a[AREAS], total = {.name = "all", .title = ""};

    memcpy(a, areas, sizeof a);
    for (size_t i = 0; i < AREAS; i++) {
        count(&a[i], p);
        add(&total, &a[i]);
    }
    OUT_LIT(o, "<section aria-labelledby=\"statements\">\n<h2 id=\"statements\">Statements</h2>\n");
    table(o, a, &total);
    for (size_t i = 0; i < AREAS; i++)
        list(o, p, &a[i]);
    OUT_LIT(o, "</section>\n");
}
