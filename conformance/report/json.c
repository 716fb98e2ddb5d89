/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the run as one JSON object. README.md describes the keys, which keep their meaning in later versions. */
#include <string.h>
#include "common.h"

enum { FORMAT = 1 };

struct writer {
    struct out *o;
    unsigned depth;
    bool any; /* this object or array already has an element */
};

static void next(struct writer *w, const char *key)
{
    if (w->any)
        out_ch(w->o, ',');
    if (w->depth)
        out_ch(w->o, '\n');
    for (unsigned i = 0; i < w->depth; i++)
        OUT_LIT(w->o, "  ");
    w->any = true;
    if (key) {
        out_ch(w->o, '"');
        out_str(w->o, key);
        OUT_LIT(w->o, "\": ");
    }
}

static void begin(struct writer *w, const char *key, char bracket)
{
    next(w, key);
    out_ch(w->o, bracket);
    w->depth++;
    w->any = false;
}

static void end(struct writer *w, char bracket)
{
    const bool any = w->any;

    w->depth--;
    if (any) {
        w->any = false;
        next(w, NULL);
    }
    out_ch(w->o, bracket);
    w->any = true;
}

static void text(struct writer *w, const char *key, const char *s, size_t n)
{
    next(w, key);
    out_ch(w->o, '"');
    out_json(w->o, s, n);
    out_ch(w->o, '"');
}

static void null(struct writer *w, const char *key)
{
    next(w, key);
    OUT_LIT(w->o, "null");
}

static void str(struct writer *w, const char *key, const char *s)
{
    if (s)
        text(w, key, s, strlen(s));
    else
        null(w, key);
}

static void number(struct writer *w, const char *key, uint64_t n)
{
    next(w, key);
    out_u64(w->o, n);
}

static void boolean(struct writer *w, const char *key, bool is)
{
    next(w, key);
    out_str(w->o, is ? "true" : "false");
}

/* Writes a number that may exceed 2^53, which readers may not represent exactly, as a string. */
static void big(struct writer *w, const char *key, uint64_t n)
{
    next(w, key);
    out_ch(w->o, '"');
    out_u64(w->o, n);
    out_ch(w->o, '"');
}

static void run(struct writer *w, const struct ibc_run_info *info)
{
    if (!info) {
        null(w, "run");
        return;
    }
    begin(w, "run", '{');
    str(w, "version", info->version);
    str(w, "target", info->target);
    str(w, "link", info->link);
    big(w, "seed", info->seed);
    number(w, "repeat", info->repeat);
    number(w, "jobs", info->jobs);
    str(w, "started", info->started);
    number(w, "wall_ns", info->wall_ns);
    end(w, '}');
}

static void counts(struct writer *w, const struct rep *p)
{
    begin(w, "counts", '{');
    for (size_t i = 0; i < IBC_IS_COUNT; i++)
        number(w, rep_verdict_names[rep_verdicts[i].v], p->count[rep_verdicts[i].v]);
    end(w, '}');
    number(w, "counters_off", p->counters_off);
    number(w, "hazards_not_played", p->spared);
}

static void statement(struct writer *w, const struct rep *p, const struct ibc_statement *st)
{
    begin(w, NULL, '{');
    str(w, "id", st->id);
    str(w, "class", rep_class_names[st->klass]);
    str(w, "section", st->reference);
    str(w, "compliance", st->compliance);
    str(w, "words", st->words);
    begin(w, "scenarios", '[');
    for (size_t i = 0; i < p->n; i++)
        if (ibc_cites(p->c[i].r->scenario, st->id))
            str(w, NULL, p->c[i].id);
    end(w, ']');
    end(w, '}');
}

static void statements(struct writer *w, const struct rep *p)
{
    begin(w, "statements", '[');
    for (size_t i = 0; i < ibc_statement_count; i++)
        if (p->cited[i])
            statement(w, p, &ibc_statements[i]);
    end(w, ']');
}

static void witnesses(struct writer *w, const struct ibc_statement *st)
{
    static const char *const kind[] = {"confirms", "settles", "contradicts"};
    size_t n = 0;
    const struct ibc_witness *of = st ? ibc_witnesses_of(st->id, &n) : NULL;

    begin(w, "witnesses", '[');
    for (size_t i = 0; i < n; i++) {
        begin(w, NULL, '{');
        str(w, "kind", kind[of[i].kind]);
        str(w, "who", of[i].who);
        str(w, "where", of[i].where);
        end(w, '}');
    }
    end(w, ']');
}

static void finding(struct writer *w, const char *key, const struct rep_case *c, const struct ibc_finding *f,
                    enum ibc_verdict v)
{
    const char *sentence = rep_sentence(c, f);

    if (v == IBC_IS_PASS || v == IBC_IS_NOT_APPLICABLE || v == IBC_IS_INFO) {
        null(w, key);
        return;
    }
    begin(w, key, '{');
    str(w, "statement", c->statement ? c->statement->id : NULL);
    text(w, "sentence", sentence, sentence == f->sentence ? strnlen(sentence, sizeof f->sentence) : strlen(sentence));
    text(w, "expected", REP_ARRAY(f->expected));
    text(w, "got", REP_ARRAY(f->got));
    text(w, "variation", REP_ARRAY(f->variation));
    number(w, "line", f->line);
    number(w, "packet", f->packet);
    str(w, "doubt", rep_uncertainty(c));
    str(w, "section", c->statement ? c->statement->reference : NULL);
    str(w, "compliance", c->statement ? c->statement->compliance : NULL);
    boolean(w, "certain", f->down || (c->statement && c->statement->certain)); /* going down needs no source */
    str(w, "severity", ibc_severity_names[rep_severity(c)]);
    witnesses(w, c->statement);
    end(w, '}');
}

static void waiver(struct writer *w, const struct ibc_waiver *v)
{
    if (!v) {
        null(w, "waiver");
        return;
    }
    begin(w, "waiver", '{');
    str(w, "pattern", v->pattern);
    str(w, "target", v->target);
    str(w, "statement", v->statement);
    str(w, "reason", v->reason);
    str(w, "symptom", v->symptom);
    str(w, "expires", v->expires);
    end(w, '}');
}

static void result(struct writer *w, const struct rep_case *c)
{
    const struct ibc_result *r = c->r;

    begin(w, NULL, '{');
    str(w, "id", c->id);
    str(w, "title", r->scenario->title);
    str(w, "file", r->scenario->path);
    str(w, "class", rep_class_names[rep_class(c)]);
    begin(w, "spec", '[');
    for (unsigned i = 0; i < r->scenario->n_spec; i++)
        str(w, NULL, r->scenario->spec[i]);
    end(w, ']');
    str(w, "verdict", rep_verdict_names[r->verdict]);
    str(w, "counters", rep_verdict_names[r->counters]);
    number(w, "variations", r->variations);
    number(w, "passed", r->passed);
    number(w, "wall_ns", r->wall_ns);
    text(w, "measured", REP_ARRAY(r->measured));
    str(w, "hazard", r->scenario->hazard);
    str(w, "evidence", r->evidence);
    finding(w, "finding", c, &r->finding, r->verdict);
    finding(w, "counter_finding", c, &r->counter_finding, r->counters);
    waiver(w, r->waiver);
    str(w, "cause", c->cause ? r->waiver && r->waiver->name ? r->waiver->name : c->cause->id : NULL);
    end(w, '}');
}

static void document(struct out *o, const struct rep *p)
{
    struct writer w = {.o = o};

    begin(&w, NULL, '{');
    str(&w, "tool", "ibconform");
    number(&w, "format", FORMAT);
    run(&w, p->of->info);
    counts(&w, p);
    statements(&w, p);
    begin(&w, "results", '[');
    for (size_t i = 0; i < p->n; i++)
        result(&w, &p->c[i]);
    end(&w, ']');
    end(&w, '}');
    out_ch(o, '\n');
}

bool ibc_report_json(const char *path, const struct ibc_report *r, char *err, size_t errlen)
{
    return rep_write(path, r, document, err, errlen);
}
