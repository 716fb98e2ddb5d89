/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the results of steps, and keeps the worst. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "run/play.h"

#define NAME(id, name, words) [IBC_IS_##id] = name,
const char *const ibc_verdict_names[] = {IBC_VERDICTS(NAME)};

void ibc_result_clear(struct ibc_result *r)
{
    free(r->evidence);
    *r = (struct ibc_result){0};
}

unsigned run_rank(enum ibc_verdict v)
{
    return v <= IBC_IS_ERROR ? (unsigned)v + 1 : 0;
}

const char *run_verdict_name(const struct run_player *p, enum ibc_verdict v)
{
    return ibc_verdict_names[v == IBC_IS_FAIL && !p->finding.down && ibc_uncertainty(p->play->scenario)
                                 ? IBC_IS_DEVIATES
                                 : v];
}

/* Whether verdict v replaces the verdict `than`. UNSUPPORTED has no rank: it is kept only if nothing worse was seen
 * before. */
static bool worse(enum ibc_verdict v, enum ibc_verdict than)
{
    if (run_rank(v) && run_rank(than))
        return v > than;
    return v != than && (run_rank(v) > run_rank(IBC_IS_TOLERATED) || run_rank(than) == run_rank(IBC_IS_PASS));
}

bool run_note_as(struct run_player *p, enum ibc_found what, enum ibc_verdict v, const struct ibc_step *s,
                 const struct run_packet *k, const char *expected, const char *got)
{
    struct ibc_finding *f = &p->finding;

    if (!worse(v, p->verdict))
        return false;
    if (what != IBC_FOUND_MISSING && (v == IBC_IS_FAIL || v == IBC_IS_TOLERATED))
        run_late_look(p);
    p->verdict = v;
    memset(f, 0, sizeof *f);
    f->what = what;
    f->down = p->died || p->unwell;
    f->line = s ? s->line : 0;
    f->packet = k ? k->number : 0;
    snprintf(f->variation, sizeof f->variation, "%s", p->play->variation);
    snprintf(f->expected, sizeof f->expected, "%s", expected);
    snprintf(f->got, sizeof f->got, "%s", got);
    return false;
}

bool run_note(struct run_player *p, enum ibc_verdict v, const struct ibc_step *s, const struct run_packet *k,
              const char *expected, const char *got)
{
    return run_note_as(p, IBC_FOUND_OTHERWISE, v, s, k, expected, got);
}

bool run_fail(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
              const char *got)
{
    return run_note(p, IBC_IS_FAIL, s, k, expected, got);
}

bool run_fail_after_wait(struct run_player *p, const struct ibc_step *s, const char *expected, const char *got)
{
    return run_note_as(p, IBC_FOUND_MISSING, IBC_IS_FAIL, s, NULL, expected, got);
}

bool run_error(struct run_player *p, const struct ibc_step *s, const char *what)
{
    return run_note(p, IBC_IS_ERROR, s, NULL, s->text, what);
}

/* Records that the agent was lost during verb `what`. */
static bool lose(struct run_player *p, const struct ibc_step *s, const char *what)
{
    if (p->lost)
        return false;
    p->lost = true;
    p->lost_line = s ? s->line : 0;
    snprintf(p->lost_what, sizeof p->lost_what, "%s", what);
    snprintf(p->lost_why, sizeof p->lost_why, "%s", p->t->fault);
    return false;
}

bool run_did(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what)
{
    char got[RUN_TEXT];

    switch (rc) {
    case IBC_OK: return true;
    case IBC_REFUSED:
        snprintf(got, sizeof got, "refused: %s", p->t->refusal);
        return run_note_as(p, IBC_FOUND_REFUSAL, IBC_IS_FAIL, s, NULL, what, got);
    case IBC_UNSUPPORTED:
        snprintf(got, sizeof got, "this target cannot %s", what);
        return run_note(p, IBC_IS_UNSUPPORTED, s, NULL, what, got);
    case IBC_DEAD: p->unwell = p->died = true; return run_fail(p, s, NULL, what, p->t->fault);
    case IBC_LOST: return lose(p, s, what);
    default: return run_note(p, IBC_IS_ERROR, s, NULL, what, p->t->fault);
    }
}

static const char *const core_errs[] = {
#define ERR_NAME(name, text) #name,
    IBA_VERB_ERRS(ERR_NAME) IBA_MEM_ERRS(ERR_NAME)};

static const char *bare(const char *word)
{
    return strncasecmp(word, "VERB_", 5) == 0 || strncasecmp(word, "MEM_", 4) == 0 ? strchr(word, '_') + 1 : word;
}

/* Whether the device's error is a name of core's, with or without prefix. */
static bool is_known(const char *said)
{
    for (unsigned i = 0; i < sizeof core_errs / sizeof *core_errs; i++)
        if (strcasecmp(bare(core_errs[i]), bare(said)) == 0)
            return true;
    return false;
}

static const char *error_name(const struct ibc_value *v)
{
    return v->kind == IBC_V_ANY ? "any" : run_word(v);
}

/* A device may have names of its own for errors: then any refusal counts as the expected one. */
static bool was_refused_as(const char *said, const struct ibc_arg *a)
{
    for (unsigned i = 0; i < a->n; i++) {
        const char *want = error_name(&a->v[i]);
        if (strcmp(want, "any") == 0 || !is_known(said) || strcasecmp(bare(want), bare(said)) == 0)
            return true;
    }
    return false;
}

/* Whether a verb's result is the one that a line asks for. */
static bool answers(const struct run_player *p, const struct ibc_step *s, enum ibc_rc rc)
{
    const struct ibc_arg *a = run_arg(s, IBC_K_error);

    return a ? rc == IBC_REFUSED && was_refused_as(p->t->refusal, a) : rc == IBC_OK;
}

bool run_did_or(struct run_player *p, const struct ibc_step *s, enum ibc_rc rc, const char *what)
{
    const struct ibc_arg *a = run_arg(s, IBC_K_error);
    const struct ibc_step *one = s;
    char expected[RUN_TEXT], got[RUN_TEXT];

    if ((!a && !s->alternative) || (rc != IBC_OK && rc != IBC_REFUSED))
        return run_did(p, s, rc, what);
    snprintf(expected, sizeof expected, a ? "%s refused: %s" : "%s done", what, a ? error_name(&a->v[0]) : "");
    if (rc == IBC_OK)
        snprintf(got, sizeof got, "%s done", what);
    else
        snprintf(got, sizeof got, "refused: %s", p->t->refusal);
    while (one && !answers(p, one, rc))
        one = run_alternative(p, one);
    return one ? one == s || run_conclude(p, one, NULL, expected, got) : run_fail(p, s, NULL, expected, got);
}

/* ---- alternatives ---- */
const struct ibc_step *run_alternative(const struct run_player *p, const struct ibc_step *s)
{
    return s->alternative ? &p->play->step[s->alternative] : NULL;
}

bool run_conclude(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, const char *expected,
                  const char *got)
{
    p->over |= s->says == IBC_SAYS_DONE;
    if (s->says == IBC_SAYS_PASS || s->says == IBC_SAYS_DONE)
        return true;
    run_note(p, s->says == IBC_SAYS_FAIL ? IBC_IS_FAIL : IBC_IS_TOLERATED, s, k, expected, got);
    if (s->why && p->finding.line == s->line)
        snprintf(p->finding.sentence, sizeof p->finding.sentence, "%s", s->why);
    return s->says != IBC_SAYS_FAIL;
}
