/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes one page that loads no other file: the page makes no request, and its policy forbids any. It is also
 * well-formed XML, so that a test can check that everything was escaped. */
#include <string.h>
#include "markup.h"

enum { MAX_PACKETS = 20000 }; /* in all ladders together, so that a page has some MB at most */

static void head(struct out *o, const struct rep *p)
{
    OUT_LIT(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
               "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
               "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>ibconform: ");
    html_counts(o, p->count);
    OUT_LIT(o, "</title>\n<style>\n");
    out_mem(o, (const char *)ibc_page_css, ibc_page_css_bytes);
    OUT_LIT(o, "</style>\n</head>\n<body>\n");
}

/* ---- the summary ---- */
static void lead(struct out *o, const struct rep *p)
{
    const struct ibc_run_info *info = p->of->info;
    unsigned open = 0, cited = 0;

    for (size_t i = 0; i < ibc_statement_count; i++)
        if (ibc_statements[i].status == IBC_ST_OPEN) {
            open++;
            cited += p->cited[i];
        }
    OUT_LIT(o, "<p class=\"lead\">");
    out_u64(o, p->n);
    out_str(o, p->n == 1 ? " scenario was played" : " scenarios were played");
    if (info) {
        OUT_LIT(o, " against ");
        html_str(o, "b", NULL, info->target ? info->target : "?");
    }
    OUT_LIT(o, ": ");
    html_counts(o, p->count);
    if (p->counters_off) {
        OUT_LIT(o, "; the counters of ");
        out_u64(o, p->counters_off);
        OUT_LIT(o, " were off");
    }
    OUT_LIT(o, ". They check ");
    out_u64(o, cited);
    OUT_LIT(o, " of the ");
    out_u64(o, open);
    OUT_LIT(o, " statements that a scenario can show.</p>\n");
}

static void one_cause(struct out *o, const struct rep *p, const struct rep_cause *x)
{
    const struct ibc_result *r = x->first->r;

    OUT_LIT(o, "<li><span class=\"badge ");
    out_str(o, html_tone(r->verdict));
    OUT_LIT(o, "\">");
    rep_str(o, rep_verdict_names[r->verdict]);
    OUT_LIT(o, "</span> ");
    html_str(o, "b", NULL, ibc_severity_names[x->severity]);
    out_ch(o, ' ');
    if (r->waiver && r->waiver->name)
        rep_str(o, r->waiver->name);
    else
        rep_str(o, r->scenario->title ? r->scenario->title : "");
    if (x->n > 1) {
        OUT_LIT(o, " (");
        out_u64(o, x->n);
        OUT_LIT(o, " scenarios)");
    }
    for (const struct rep_case *c = rep_cause_next(p, x, NULL); c; c = rep_cause_next(p, x, c)) {
        OUT_LIT(o, " <a");
        html_case_link(o, c->id);
        out_ch(o, '>');
        rep_str(o, c->id);
        OUT_LIT(o, "</a>");
    }
    OUT_LIT(o, "</li>\n");
}

/* Writes all causes, the worst first; those that a waiver names come last. */
static void named(struct out *o, const struct rep *p)
{
    if (p->n_cause == 0)
        return;
    OUT_LIT(o, "<ul class=\"named\">\n");
    for (size_t i = 0; i < p->n_cause; i++)
        one_cause(o, p, &p->cause[i]);
    OUT_LIT(o, "</ul>\n");
}

static void run(struct out *o, const struct ibc_run_info *info)
{
    if (!info)
        return;
    OUT_LIT(o, "<dl class=\"run\">\n<dt>Link</dt>");
    html_str(o, "dd", NULL, info->link ? info->link : "");
    OUT_LIT(o, "<dt>Seed</dt>");
    html_number(o, "dd", NULL, info->seed);
    OUT_LIT(o, "<dt>Repeats</dt>");
    html_number(o, "dd", NULL, info->repeat);
    OUT_LIT(o, "<dt>Started</dt>");
    html_str(o, "dd", NULL, info->started ? info->started : "");
    OUT_LIT(o, "<dt>Took</dt><dd>");
    html_duration(o, info->wall_ns);
    OUT_LIT(o, "</dd><dt>ibconform</dt>");
    html_str(o, "dd", NULL, info->version ? info->version : "");
    OUT_LIT(o, "\n</dl>\n");
}

static void header(struct out *o, const struct rep *p)
{
    OUT_LIT(o, "<header>\n<h1>ibconform</h1>\n");
    lead(o, p);
    named(o, p);
    run(o, p->of->info);
    OUT_LIT(o, "<p class=\"aside\">Passing is no certification: it says that this device did what these scenarios "
               "expect, no more.</p>\n</header>\n");
}

/* ---- scenarios ---- */
static void option(struct out *o, const char *value, const char *words, unsigned n)
{
    OUT_LIT(o, "<option value=\"");
    rep_str(o, value);
    OUT_LIT(o, "\">");
    rep_str(o, words);
    if (n) {
        OUT_LIT(o, " (");
        out_u64(o, n);
        out_ch(o, ')');
    }
    OUT_LIT(o, "</option>");
}

static unsigned in_area(const struct rep *p, const char *area)
{
    unsigned n = 0;

    for (size_t i = 0; i < p->n; i++)
        n += p->c[i].statement && strcmp(p->c[i].statement->area, area) == 0;
    return n;
}

static void filter(struct out *o, const struct rep *p)
{
    OUT_LIT(o, "<form class=\"filter\" role=\"search\" hidden=\"hidden\">\n<label>verdict <select name=\"verdict\">");
    option(o, "", "any", 0);
    option(o, "!", "what did not pass", 0);
    for (size_t i = 0; i < IBC_IS_COUNT; i++)
        if (p->count[rep_verdicts[i].v])
            option(o, rep_verdict_names[rep_verdicts[i].v], rep_verdict_names[rep_verdicts[i].v],
                   p->count[rep_verdicts[i].v]);
    OUT_LIT(o, "</select></label>\n<label>area <select name=\"area\">");
    option(o, "", "any", 0);
#define OPTION(area, title)                                                                                            \
    if (in_area(p, #area))                                                                                             \
        option(o, #area, #area " " title, in_area(p, #area));
    IBC_AREAS(OPTION)
    OUT_LIT(o, "</select></label>\n<label>text <input name=\"text\" type=\"search\" autocomplete=\"off\"/></label>\n"
               "<span class=\"matches\" role=\"status\"></span>\n</form>\n");
}

static void groups(struct out *o, const struct rep *p)
{
    size_t room[2] = {MAX_PACKETS, MAX_PACKETS}; /* failed cases have their own limit */

    for (size_t i = 0, end; i < p->n; i = end) {
        unsigned count[IBC_IS_COUNT] = {0};

        end = rep_group_end(p, i);
        for (size_t k = i; k < end; k++)
            count[p->c[k].r->verdict]++;
        OUT_LIT(o, "<section class=\"group\">\n<h3>");
        out_xml(o, p->c[i].id, p->c[i].n_group);
        OUT_LIT(o, " <span class=\"aside\">");
        html_counts(o, count);
        OUT_LIT(o, "</span></h3>\n");
        for (size_t k = i; k < end; k++)
            html_case(o, p, &p->c[k], &room[rep_bad(p->c[k].r->verdict)]);
        OUT_LIT(o, "</section>\n");
    }
}

static void document(struct out *o, const struct rep *p)
{
    head(o, p);
    header(o, p);
    OUT_LIT(o, "<main>\n");
    html_coverage(o, p);
    OUT_LIT(o, "<section aria-labelledby=\"scenarios\">\n<h2 id=\"scenarios\">Scenarios</h2>\n");
    filter(o, p);
    groups(o, p);
    OUT_LIT(o, "</section>\n</main>\n<script>\n");
    out_mem(o, (const char *)ibc_page_js, ibc_page_js_bytes);
    OUT_LIT(o, "</script>\n</body>\n</html>\n");
}

bool ibc_report_html(const char *path, const struct ibc_report *r, char *err, size_t errlen)
{
    return rep_write(path, r, document, err, errlen);
}
