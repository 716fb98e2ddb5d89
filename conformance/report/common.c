/* SPDX-License-Identifier: BSD-2-Clause */
#include "common.h"
#include "system/files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SOURCE = 256 * 1024 };

#define CLASS_NAME(w) #w,
const char *const rep_class_names[IBC_CLASS_COUNT] = {IBC_CLASSES(CLASS_NAME)};
#define NAME(id, name, words) name,
const char *const rep_verdict_names[IBC_IS_COUNT] = {IBC_VERDICTS(NAME)};
#define WORDS(id, name, words) words,
const char *const rep_verdict_words[IBC_IS_COUNT] = {IBC_VERDICTS(WORDS)};

enum { RED = 31, GREEN, YELLOW, BLUE, MAGENTA, CYAN };
const struct rep_verdict rep_verdicts[IBC_IS_COUNT] = {
    {IBC_IS_PASS, GREEN, "passed"},
    {IBC_IS_FAIL, RED, "failed"},
    {IBC_IS_DEVIATES, YELLOW, "deviate"},
    {IBC_IS_ERROR, MAGENTA, "in error"},
    {IBC_IS_INCONCLUSIVE, YELLOW, "inconclusive"},
    {IBC_IS_XPASS, RED, "passed against a waiver"},
    {IBC_IS_XFAIL, YELLOW, "waived"},
    {IBC_IS_TOLERATED, YELLOW, "tolerated"},
    {IBC_IS_INFO, CYAN, "measured"},
    {IBC_IS_NOT_APPLICABLE, BLUE, "not applicable"},
    {IBC_IS_UNSUPPORTED, BLUE, "unsupported"},
};

const struct rep_verdict *rep_verdict(enum ibc_verdict v)
{
    for (size_t i = 0; i < IBC_IS_COUNT; i++)
        if (rep_verdicts[i].v == v)
            return &rep_verdicts[i];
    return &rep_verdicts[0];
}

/* ---- results ---- */
/* Splits an id into group and name. The group is the first two parts of an id with three or more, and the first
 * part of an id with two. */
static void split(struct rep_case *c)
{
    const char *dot = strchr(c->id, '.');
    const char *second = dot ? strchr(dot + 1, '.') : NULL;

    if (second)
        dot = second;
    c->n_group = dot ? (size_t)(dot - c->id) : strlen(c->id);
    c->name = dot ? dot + 1 : c->id;
}

static int by_group(const void *a, const void *b)
{
    const struct rep_case *x = a, *y = b;
    const size_t n = x->n_group < y->n_group ? x->n_group : y->n_group;
    int d = memcmp(x->id, y->id, n);

    if (d == 0)
        d = (x->n_group > y->n_group) - (x->n_group < y->n_group);
    if (d == 0)
        d = strcmp(x->id, y->id);
    return d ? d : (x->r > y->r) - (x->r < y->r);
}

/* A scenario that was not played checks no statement. */
static void cite(struct rep *p, const struct ibc_result *r)
{
    const struct ibc_scenario *s = r->scenario;

    if (r->verdict == IBC_IS_NOT_APPLICABLE || r->verdict == IBC_IS_UNSUPPORTED)
        return;
    for (unsigned i = 0; i < s->n_spec; i++) {
        const struct ibc_statement *st = ibc_statement_find(s->spec[i]);

        if (st && !p->cited[st - ibc_statements]) {
            p->cited[st - ibc_statements] = true;
            p->n_cited++;
        }
    }
}

bool rep_begin(struct rep *p, const struct ibc_report *of)
{
    *p = (struct rep){.of = of, .n = of->n};
    p->c = calloc(of->n + 1, sizeof *p->c);
    p->cited = calloc(ibc_statement_count, sizeof *p->cited);
    if (!p->c || !p->cited)
        return false;
    for (size_t i = 0; i < of->n; i++) {
        const struct ibc_result *r = &of->result[i];
        struct rep_case *c = &p->c[i];

        c->r = r;
        c->id = r->scenario->id;
        c->statement = r->scenario->n_spec ? ibc_statement_find(r->scenario->spec[0]) : NULL;
        split(c);
        cite(p, r);
        p->count[r->verdict]++;
        p->counters_off += ibc_failed(r->counters);
        p->spared += r->spared;
    }
    qsort(p->c, p->n, sizeof *p->c, by_group);
    return rep_causes(p);
}

void rep_clear(struct rep *p)
{
    free(p->c);
    free(p->cited);
    free(p->cause);
}

size_t rep_group_end(const struct rep *p, size_t first)
{
    const struct rep_case *a = &p->c[first];
    size_t i = first + 1;

    while (i < p->n && p->c[i].n_group == a->n_group && memcmp(p->c[i].id, a->id, a->n_group) == 0)
        i++;
    return i;
}

void rep_clause(const struct ibc_statement *s, char out[REP_CLAUSE])
{
    snprintf(out, REP_CLAUSE, "%s%s%s", s ? s->reference : "", s && *s->reference && *s->compliance ? " " : "",
             s ? s->compliance : "");
}

const char *rep_uncertainty(const struct rep_case *c)
{
    const struct ibc_result *r = c->r;
    const bool failed = ibc_failed(r->verdict) || ibc_failed(r->counters) || r->verdict == IBC_IS_XFAIL;

    return failed && !r->finding.down ? ibc_uncertainty(r->scenario) : NULL;
}

enum ibc_class rep_class(const struct rep_case *c)
{
    const uint8_t own = c->r->scenario->klass;

    if (own < IBC_CLASS_COUNT)
        return (enum ibc_class)own;
    return c->statement ? (enum ibc_class)c->statement->klass : IBC_CLASS_mandatory;
}

const char *rep_sentence(const struct rep_case *c, const struct ibc_finding *f)
{
    const char *title = c->r->scenario->title;

    return f->sentence[0] ? f->sentence : c->statement ? c->statement->words : title ? title : "";
}

char *rep_source(const struct ibc_scenario *s, size_t *len)
{
    FILE *f = s->path ? fopen(s->path, "rbe") : NULL;
    char *text = f ? malloc(MAX_SOURCE + 1) : NULL;

    *len = text ? fread(text, 1, MAX_SOURCE + 1, f) : 0;
    if (f && (ferror(f) | fclose(f)))
        *len = 0;
    if (*len == 0 || *len > MAX_SOURCE) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- files ---- */
static bool failed(const char *path, int error, char *err, size_t errlen)
{
    snprintf(err, errlen, "%s: %s", path, strerror(error));
    return false;
}

/* Writes to the standard output, or to a file that appears only when it is complete. */
static int write_to(const char *path, struct out *o, const struct rep *p,
                    void (*document)(struct out *o, const struct rep *p))
{
    struct file_new file = {.fd = STDOUT_FILENO};

    if (p->path && !file_begin(&file, path))
        return errno;
    out_init(o, file.fd);
    document(o, p);
    (void)out_flush(o);
    const int ended = p->path ? file_end(&file, o->error == 0) : 0;
    return o->error ? o->error : ended;
}

bool rep_write(const char *path, const struct ibc_report *r, void (*document)(struct out *o, const struct rep *p),
               char *err, size_t errlen)
{
    struct out *o = malloc(sizeof *o);
    struct rep p = {0};
    int error = ENOMEM;

    if (o && rep_begin(&p, r)) {
        p.path = strcmp(path, "-") == 0 ? NULL : path;
        error = write_to(path, o, &p, document);
    }
    rep_clear(&p);
    free(o);
    return error == 0 || failed(path, error, err, errlen);
}
