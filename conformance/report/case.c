/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes one case: a line, followed by everything that is known of the case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "markup.h"

/* ---- the visible line ---- */
static void variations(struct out *o, const struct ibc_result *r)
{
    OUT_LIT(o, "<span class=\"of\">");
    if (r->variations > 1) {
        out_u64(o, r->passed);
        OUT_LIT(o, " of ");
        out_u64(o, r->variations);
        OUT_LIT(o, " passed");
    }
    OUT_LIT(o, "</span>");
}

static void badge(struct out *o, enum ibc_verdict v)
{
    OUT_LIT(o, "<span class=\"badge ");
    out_str(o, html_tone(v));
    OUT_LIT(o, "\" title=\"");
    rep_str(o, rep_verdict_words[v]);
    OUT_LIT(o, "\">");
    rep_str(o, rep_verdict_names[v]);
    OUT_LIT(o, "</span>");
}

static void headline(struct out *o, const struct rep_case *c)
{
    OUT_LIT(o, "<summary>");
    badge(o, c->r->verdict);
    html_str(o, "span", "id", c->id);
    html_str(o, "span", "title", c->r->scenario->title ? c->r->scenario->title : "");
    variations(o, c->r);
    OUT_LIT(o, "</summary>\n");
}

/* ---- statements, findings ---- */
static void cited(struct out *o, const struct rep_case *c)
{
    const struct ibc_scenario *s = c->r->scenario;
    char clause[REP_CLAUSE];

    OUT_LIT(o, "<ul class=\"cited\">\n");
    for (unsigned i = 0; i < s->n_spec; i++) {
        const struct ibc_statement *st = ibc_statement_find(s->spec[i]);

        OUT_LIT(o, "<li>");
        html_str(o, "b", NULL, s->spec[i]);
        out_ch(o, ' ');
        rep_str(o, st ? st->words : "(no such statement)");
        rep_clause(st, clause);
        if (clause[0]) {
            out_ch(o, ' ');
            html_str(o, "span", "aside", clause);
        }
        if (st && !st->certain)
            html_str(o, "span", "aside", " source not certain");
        OUT_LIT(o, "</li>\n");
    }
    OUT_LIT(o, "</ul>\n");
}

static void fact(struct out *o, const char *name, const char *s, size_t n)
{
    if (n == 0)
        return;
    html_str(o, "dt", NULL, name);
    html_text(o, "dd", NULL, s, n);
    out_ch(o, '\n');
}

static void fact_number(struct out *o, const char *name, uint64_t n)
{
    if (n == 0)
        return;
    html_str(o, "dt", NULL, name);
    html_number(o, "dd", NULL, n);
    out_ch(o, '\n');
}

static void fact_str(struct out *o, const char *name, const char *s)
{
    if (s)
        fact(o, name, s, strlen(s));
}

/* Other sources that confirm the statement, and those that contradict it. */
static void witnesses(struct out *o, const struct rep_case *c)
{
    static const char *const kind[] = {"Confirmed by", "Confirmed by", "Contradicted by"};
    size_t n = 0;
    const struct ibc_witness *w = c->statement ? ibc_witnesses_of(c->statement->id, &n) : NULL;

    for (size_t i = 0; i < n; i++) {
        char words[256];
        const int len = snprintf(words, sizeof words, "%s: %s", w[i].who, w[i].where);

        fact(o, kind[w[i].kind], words, len < (int)sizeof words ? (size_t)len : sizeof words - 1);
    }
}

/* Writes a finding, without the statement's own words, which were printed before. */
static void finding(struct out *o, const struct rep_case *c, const struct ibc_finding *f)
{
    const size_t n = strnlen(f->sentence, sizeof f->sentence);

    if (!c->statement || strlen(c->statement->words) != n || memcmp(c->statement->words, f->sentence, n) != 0)
        fact(o, "Sentence", f->sentence, n);
    fact(o, "Expected", REP_ARRAY(f->expected));
    fact(o, "Got", REP_ARRAY(f->got));
    fact(o, "Variation", REP_ARRAY(f->variation));
    fact_number(o, "Line", f->line);
    fact_number(o, "Packet", f->packet);
}

static void found(struct out *o, const struct rep_case *c)
{
    const struct ibc_result *r = c->r;

    OUT_LIT(o, "<dl class=\"found\">\n");
    fact_str(o, "Not certain", rep_uncertainty(c));
    if (c->cause) {
        fact_str(o, "Severity", ibc_severity_names[rep_severity(c)]);
        witnesses(o, c);
    }
    finding(o, c, &r->finding);
    fact(o, "Measured", REP_ARRAY(r->measured));
    if (r->counters != IBC_IS_NOT_APPLICABLE) {
        fact_str(o, "Counters", rep_verdict_names[r->counters]);
        finding(o, c, &r->counter_finding);
    }
    if (r->waiver) {
        fact_str(o, "Waived", r->waiver->reason);
        fact_str(o, "Until", r->waiver->expires);
    }
    fact_str(o, "Class", rep_class_names[rep_class(c)]);
    OUT_LIT(o, "<dt>Time</dt><dd>");
    html_duration(o, r->wall_ns);
    OUT_LIT(o, "</dd>\n</dl>\n");
}

/* ---- the scenario's text ---- */
static void line(struct out *o, const struct ibc_result *r, uint32_t number, const char *s, size_t n)
{
    const bool wrong = number == r->finding.line || number == r->counter_finding.line;

    if (n > 0 && s[n - 1] == '\r')
        n--;
    if (wrong)
        OUT_LIT(o, "<mark><span class=\"vh\">the line that decided: </span>");
    html_text(o, "code", NULL, s, n);
    if (wrong)
        OUT_LIT(o, "</mark>");
    out_ch(o, '\n');
}

static void source(struct out *o, const struct rep_case *c)
{
    size_t len;
    char *text = rep_source(c->r->scenario, &len);
    uint32_t number = 1;

    if (!text)
        return;
    html_str(o, "h4", NULL, "Scenario");
    OUT_LIT(o, "<pre class=\"source\" tabindex=\"0\">");
    for (size_t at = 0, n; at < len; at += n + 1) {
        const char *end = memchr(text + at, '\n', len - at);

        n = end ? (size_t)(end - text) - at : len - at;
        line(o, c->r, number++, text + at, n);
    }
    OUT_LIT(o, "</pre>\n");
    free(text);
}

/* ---- evidence ---- */
static void evidence(struct out *o, const struct rep *p, const struct rep_case *c, size_t *room)
{
    if (!c->r->evidence)
        return;
    html_str(o, "h4", NULL, "Packets");
    html_ladder(o, c, room);
    OUT_LIT(o, "<p><a");
    html_file_link(o, p->path, c->r->evidence);
    out_ch(o, '>');
    rep_str(o, c->r->evidence);
    OUT_LIT(o, "</a></p>\n");
}

void html_case(struct out *o, const struct rep *p, const struct rep_case *c, size_t *room)
{
    const struct ibc_result *r = c->r;

    OUT_LIT(o, "<details class=\"case\" id=\"");
    rep_str(o, c->id);
    OUT_LIT(o, "\" data-verdict=\"");
    rep_str(o, rep_verdict_names[r->verdict]);
    OUT_LIT(o, "\" data-area=\"");
    rep_str(o, c->statement ? c->statement->area : "");
    OUT_LIT(o, "\">\n");
    headline(o, c);
    OUT_LIT(o, "<div class=\"body\">\n");
    cited(o, c);
    found(o, c);
    source(o, c);
    evidence(o, p, c, room);
    OUT_LIT(o, "</div>\n</details>\n");
}
