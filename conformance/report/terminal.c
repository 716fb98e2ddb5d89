/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes cases by group; cases without findings are only counted. A case's line begins with its verdict and id, for
 * scripts. */
#include "terminal.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "common.h"
#include "system/text.h"

enum { INDENT = 8, LABEL = 10, NARROWEST = 40, BOLD = 1 };

struct page {
    FILE *out;
    bool color, verbose;
    unsigned width;  /* 0: lines are not broken */
    unsigned column; /* characters of this line so far; each is taken to be one column wide */
};

static void put(struct page *g, const char *s, size_t n)
{
    text_print(g->out, s, n);
    g->column += text_columns(s, n);
}

static void newline(struct page *g, unsigned indent)
{
    fprintf(g->out, "\n%*s", (int)indent, "");
    g->column = indent;
}

/* Writes text, broken between words if the width requires it. Later lines are indented by `indent`. */
static void text(struct page *g, unsigned indent, const char *s, size_t n)
{
    for (bool first = true; n > 0; first = false) {
        const char *end;
        size_t k;

        while (n > 0 && *s == ' ')
            s++, n--;
        end = memchr(s, ' ', n);
        k = end ? (size_t)(end - s) : n;
        if (k == 0)
            break;
        if (g->width && !first && g->column + 1 + text_columns(s, k) > g->width)
            newline(g, indent);
        else if (!first) {
            fputc(' ', g->out);
            g->column++;
        }
        put(g, s, k);
        s += k;
        n -= k;
    }
}

static void paint(const struct page *g, unsigned color, const char *words)
{
    if (g->color)
        fprintf(g->out, "\033[%um%s\033[0m", color, words);
    else
        fputs(words, g->out);
}

/* ---- the result of a case ---- */
static void label(struct page *g, const char *name)
{
    fprintf(g->out, "%*s%-*s", INDENT, "", LABEL, name);
    g->column = INDENT + LABEL;
}

static void line(struct page *g, const char *name, const char *s, size_t n)
{
    if (n == 0)
        return;
    label(g, name);
    text(g, INDENT + LABEL, s, n);
    fputc('\n', g->out);
}

static void where(struct page *g, const struct rep_case *c, const struct ibc_finding *f)
{
    const char *path = c->r->scenario->path ? c->r->scenario->path : c->id;
    char number[24];

    if (f->line) {
        label(g, "where");
        put(g, path, strlen(path));
        fprintf(g->out, ":%" PRIu32 "\n", f->line);
    }
    if (f->packet) {
        snprintf(number, sizeof number, "%" PRIu32 "%s", f->packet, c->r->evidence ? " of " : "");
        label(g, "packet");
        put(g, number, strlen(number));
    } else if (c->r->evidence)
        label(g, "packets");
    if (c->r->evidence)
        put(g, c->r->evidence, strlen(c->r->evidence));
    if (f->packet || c->r->evidence)
        fputc('\n', g->out);
}

static void when(struct page *g, const struct ibc_result *r, const struct ibc_finding *f)
{
    char words[sizeof f->variation + 64];
    const int n = (int)strnlen(f->variation, sizeof f->variation);

    if (r->variations == 0 || (n == 0 && r->variations == 1))
        return;
    snprintf(words, sizeof words, "%.*s%s%u of %u variations passed", n, f->variation, n ? "; " : "", r->passed,
             r->variations);
    line(g, "when", words, strlen(words));
}

static void finding(struct page *g, const struct rep_case *c, const struct ibc_finding *f)
{
    const char *sentence = rep_sentence(c, f);
    char clause[REP_CLAUSE];

    line(g, c->statement ? c->statement->id : "sentence", sentence,
         sentence == f->sentence ? strnlen(sentence, sizeof f->sentence) : strlen(sentence));
    rep_clause(c->statement, clause);
    line(g, "clause", clause, strlen(clause));
    if (rep_uncertainty(c))
        line(g, "doubt", rep_uncertainty(c), strlen(rep_uncertainty(c)));
    line(g, "expected", REP_ARRAY(f->expected));
    line(g, "got", REP_ARRAY(f->got));
    where(g, c, f);
    when(g, c->r, f);
}

static void waiver(struct page *g, const struct ibc_waiver *w)
{
    if (!w)
        return;
    line(g, "waiver", w->reason ? w->reason : "", w->reason ? strlen(w->reason) : 0);
    line(g, "until", w->expires ? w->expires : "", w->expires ? strlen(w->expires) : 0);
}

static bool silent(enum ibc_verdict v)
{
    return v == IBC_IS_PASS || v == IBC_IS_NOT_APPLICABLE;
}

/* The counters' own verdict has a line of its own, like a case's. */
static void counters(struct page *g, const struct rep_case *c)
{
    const struct rep_verdict *v = rep_verdict(c->r->counters);

    if (silent(c->r->counters))
        return;
    fputs("  ", g->out);
    paint(g, v->color, rep_verdict_names[v->v]);
    g->column = 2 + (unsigned)strlen(rep_verdict_names[v->v]);
    fputs("  ", g->out);
    put(g, c->id, strlen(c->id));
    fputs("  counters\n", g->out);
    finding(g, c, &c->r->counter_finding);
}

static void one_case(struct page *g, const struct rep_case *c)
{
    const struct ibc_result *r = c->r;
    const struct rep_verdict *v = rep_verdict(r->verdict);
    const char *title = r->scenario->title ? r->scenario->title : "";

    const bool noted = r->verdict != IBC_IS_NOT_APPLICABLE && r->verdict != IBC_IS_UNSUPPORTED && r->measured[0];

    if (!silent(r->verdict) || noted || g->verbose) {
        fputs("  ", g->out);
        paint(g, v->color, rep_verdict_names[v->v]);
        fputs("  ", g->out);
        put(g, c->id, strlen(c->id));
        g->column = 6 + (unsigned)strlen(rep_verdict_names[v->v]) + text_columns(c->id, strlen(c->id));
        fputs(title[0] ? "  " : "", g->out);
        text(g, INDENT, title, strlen(title));
        fputc('\n', g->out);
        if (r->verdict == IBC_IS_UNSUPPORTED)
            line(g, "got", REP_ARRAY(r->finding.got));
        else if (!silent(r->verdict) && r->verdict != IBC_IS_INFO)
            finding(g, c, &r->finding);
        if (noted)
            line(g, "measured", REP_ARRAY(r->measured));
        waiver(g, r->waiver);
    }
    counters(g, c);
}

/* ---- counts ---- */
static void counts(struct page *g, const unsigned *count, bool all)
{
    bool any = false;

    for (size_t i = 0; i < IBC_IS_COUNT; i++) {
        const struct rep_verdict *v = &rep_verdicts[i];

        if (count[v->v] == 0 && !(all && i < 2))
            continue;
        fprintf(g->out, "%s%u ", any ? ", " : "", count[v->v]);
        if (count[v->v])
            paint(g, v->color, v->counted);
        else
            fputs(v->counted, g->out);
        any = true;
    }
}

static void group(struct page *g, const struct rep *p, size_t first, size_t end)
{
    unsigned count[IBC_IS_COUNT] = {0};
    char name[128];

    for (size_t i = first; i < end; i++)
        count[p->c[i].r->verdict]++;
    snprintf(name, sizeof name, "%.*s", (int)p->c[first].n_group, p->c[first].id);
    if (g->color)
        fprintf(g->out, "\033[%dm", BOLD);
    put(g, name, strlen(name));
    fputs(g->color ? "\033[0m: " : ": ", g->out);
    counts(g, count, false);
    fputc('\n', g->out);
    for (size_t i = first; i < end; i++)
        one_case(g, &p->c[i]);
}

/* Names the scenarios that were not played, since they may be the most important ones. */
static void spared(struct page *g, const struct rep *p)
{
    fprintf(g->out, "%u not played, known to take devices down (--hazardous plays them):", p->spared);
    for (size_t i = 0; i < p->n; i++)
        if (p->c[i].r->spared)
            fprintf(g->out, " %s", p->c[i].id);
    fputc('\n', g->out);
}

/* Writes the name of a cause: the waiver's name, or else the statement and the symptom. */
static void cause_words(const struct rep_cause *x, char *out, size_t n)
{
    const struct ibc_result *r = x->first->r;

    if (r->waiver && r->waiver->name)
        snprintf(out, n, "%s", r->waiver->name);
    else
        snprintf(out, n, "%s: got %.*s", x->first->statement ? x->first->statement->id : x->first->id,
                 (int)sizeof r->finding.got, r->finding.got[0] ? r->finding.got : "nothing more");
}

static void cause(struct page *g, const struct rep *p, const struct rep_cause *x)
{
    enum { NAMED = 4 };
    const struct rep_verdict *v = rep_verdict(x->first->r->verdict);
    char words[320], more[32];
    unsigned n = 0;

    fputs("  ", g->out);
    paint(g, v->color, rep_verdict_names[v->v]);
    fprintf(g->out, "  %s: ", ibc_severity_names[x->severity]);
    g->column = 6 + (unsigned)strlen(rep_verdict_names[v->v]) + (unsigned)strlen(ibc_severity_names[x->severity]);
    cause_words(x, words, sizeof words);
    text(g, INDENT, words, strnlen(words, sizeof words));
    newline(g, INDENT);
    for (const struct rep_case *c = rep_cause_next(p, x, NULL); c && n < NAMED; c = rep_cause_next(p, x, c), n++) {
        put(g, c->id, strlen(c->id));
        put(g, " ", 1);
    }
    if (x->n > n) {
        snprintf(more, sizeof more, "and %zu more", x->n - n);
        put(g, more, strlen(more));
    }
    fputc('\n', g->out);
}

/* Writes the causes, the most important last, above the counts. Those that a waiver names are listed with -v. */
static void causes(struct page *g, const struct rep *p)
{
    bool any = false;

    for (size_t i = 0; i < p->n_cause; i++) {
        if (p->cause[i].first->r->verdict == IBC_IS_XFAIL && !g->verbose)
            continue;
        fputs(any ? "" : "what went wrong, the worst first, one entry a cause:\n", g->out);
        cause(g, p, &p->cause[i]);
        any = true;
    }
}

static void heading(struct page *g, const struct ibc_run_info *info)
{
    char words[512];

    if (!info)
        return;
    snprintf(words, sizeof words, "ibconform %s: %s, link %s, seed %" PRIu64, info->version, info->target, info->link,
             info->seed);
    put(g, words, strlen(words));
    fputc('\n', g->out);
}

bool rep_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose, unsigned width)
{
    struct page g = {.out = out, .color = color, .verbose = verbose};
    struct rep p;
    bool good;

    g.width = width && width < NARROWEST ? NARROWEST : width;
    heading(&g, r->info);
    good = rep_begin(&p, r);
    if (good) {
        for (size_t i = 0, end; i < p.n; i = end) {
            end = rep_group_end(&p, i);
            group(&g, &p, i, end);
        }
        causes(&g, &p);
        counts(&g, p.count, true);
        if (p.counters_off)
            fprintf(out, ", %u with counters off", p.counters_off);
        fprintf(out, "; %zu statements\n", p.n_cited);
        if (p.spared)
            spared(&g, &p);
    }
    rep_clear(&p);
    return good;
}

static unsigned width_of(FILE *out)
{
    struct winsize w;

    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

bool ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose)
{
    return rep_terminal(out, r, color, verbose, width_of(out));
}
