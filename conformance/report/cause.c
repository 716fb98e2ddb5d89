/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups failures with the same cause, and orders the groups by severity, the worst first. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"

bool rep_bad(enum ibc_verdict v)
{
    return v == IBC_IS_DEVIATES || v == IBC_IS_FAIL || v == IBC_IS_ERROR || v == IBC_IS_INCONCLUSIVE ||
           v == IBC_IS_XPASS;
}

enum ibc_severity rep_severity(const struct rep_case *c)
{
    if (c->r->finding.down)
        return IBC_SEVERITY_DOWN;
    if (c->r->scenario->klass == IBC_CLASS_security)
        return IBC_SEVERITY_SAFETY;
    return c->statement ? ibc_severity_of(c->statement) : IBC_SEVERITY_ANSWER;
}

/* Returns the next character of a symptom, with one '#' for each number, since numbers differ from play to play. 0:
 * there are no more. */
static char symptom_char(const char *s, size_t n, size_t *i)
{
    if (*i >= n || s[*i] == '\0' || s[*i] == '(') /* text in brackets is detail */
        return '\0';
    if (!isdigit((unsigned char)s[*i]))
        return s[(*i)++];
    while (*i < n && isxdigit((unsigned char)s[*i]))
        (*i)++;
    if (*i < n && s[*i] == 'x') /* 0x12 */
        for ((*i)++; *i < n && isxdigit((unsigned char)s[*i]);)
            (*i)++;
    return '#';
}

static bool same_symptom(const struct ibc_finding *a, const struct ibc_finding *b)
{
    size_t i = 0, k = 0;

    for (;;) { /* ends: texts are bounded */
        const char x = symptom_char(a->got, sizeof a->got, &i), y = symptom_char(b->got, sizeof b->got, &k);
        if (x != y)
            return false;
        if (x == '\0')
            return true;
    }
}

/* Whether two failures have the same cause: the same waiver, or, without a waiver, the same statement and symptom. */
static bool same_cause(const struct rep_case *a, const struct rep_case *b)
{
    const struct ibc_waiver *v = a->r->waiver, *w = b->r->waiver;

    if (v || w)
        return v && w && (v == w || (v->name && w->name && strcmp(v->name, w->name) == 0));
    return a->r->verdict == b->r->verdict && a->statement == b->statement &&
           same_symptom(&a->r->finding, &b->r->finding);
}

/* Faults of the harness do not concern the device, and come last. */
static unsigned rank(const struct rep_cause *x)
{
    static const uint8_t of[IBC_IS_COUNT] = {[IBC_IS_FAIL] = 0,         [IBC_IS_XPASS] = 1, [IBC_IS_DEVIATES] = 2,
                                             [IBC_IS_INCONCLUSIVE] = 3, [IBC_IS_ERROR] = 4, [IBC_IS_XFAIL] = 5};

    return of[x->first->r->verdict];
}

static int by_weight(const void *a, const void *b)
{
    const struct rep_cause *x = a, *y = b;

    if (rank(x) != rank(y))
        return rank(x) < rank(y) ? -1 : 1;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static void add(struct rep *p, struct rep_case *c)
{
    /* the array has one entry more than there are cases, so that the entry after the last cause is empty */
    struct rep_cause *x = p->cause;
    const enum ibc_severity severity = rep_severity(c);

    while (x->first && !same_cause(x->first, c))
        x++;
    if (!x->first) {
        *x = (struct rep_cause){.first = c, .severity = severity};
        p->n_cause++;
    }
    x->n++;
    x->severity = severity < x->severity ? severity : x->severity;
    c->cause = x->first;
}

bool rep_causes(struct rep *p)
{
    p->cause = calloc(p->n + 1, sizeof *p->cause);
    if (!p->cause)
        return false;
    for (size_t i = 0; i < p->n; i++)
        if (rep_bad(p->c[i].r->verdict) || p->c[i].r->verdict == IBC_IS_XFAIL)
            add(p, &p->c[i]);
    qsort(p->cause, p->n_cause, sizeof *p->cause, by_weight);
    return true;
}

const struct rep_case *rep_cause_next(const struct rep *p, const struct rep_cause *x, const struct rep_case *c)
{
    for (c = c ? c + 1 : p->c; c < p->c + p->n; c++)
        if (c->cause == x->first)
            return c;
    return NULL;
}
