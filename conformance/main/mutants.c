/* SPDX-License-Identifier: BSD-2-Clause */
/* mutants: plays every scenario against every broken engine. A scenario that catches none checks nothing. */
#include "mutants.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command.h"
#include "fault.h"
#include "play.h"
#include "pool.h"
#include "progress.h"

/* Whether a scenario passes on the unbroken engine: only then can it catch a broken one. */
static bool passes(const struct ibc_result *r)
{
    return r->verdict == IBC_IS_PASS || r->verdict == IBC_IS_TOLERATED;
}

static int add_mutant(struct mutation *m, const struct ibc_mutant *one)
{
    if (m->n % 64 == 0) {
        struct ibc_mutant *more = realloc(m->m, (m->n + 64) * sizeof *more);
        if (!more)
            return wrong(EXIT_HARNESS, "out of memory");
        m->m = more;
    }
    m->m[m->n++] = *one;
    return EXIT_OK;
}

/* Returns a random number (splitmix64), so that each machine draws the same sample. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Draws `want` of the mutants, or all if there are no more, and keeps their order. */
static void sample(struct mutation *m, size_t want, uint64_t seed)
{
    size_t kept = 0, left = m->n;

    for (size_t i = 0; want > 0 && i < m->n; i++, left--)
        if (next_random(&seed) % left < want) {
            m->m[kept++] = m->m[i];
            want--;
        }
    m->n = kept;
}

static const char *mutant_spec(size_t i, const void *ctx)
{
    const struct mutation *m = ctx;

    return m->m[i].spec;
}

int mutants_choose(struct mutation *m, const struct options *o)
{
    struct ibc_mutant one;
    struct mutation all = {0};
    int rc = EXIT_OK;

    for (size_t i = 0; rc == EXIT_OK && i < ibc_mutant_count(); i++) {
        if (!ibc_mutant_at(i, &one))
            continue;
        rc = add_mutant(&all, &one);
        if (rc == EXIT_OK && (!o->only || fnmatch(o->only, one.spec, 0) == 0))
            rc = add_mutant(m, &one);
    }
    if (rc == EXIT_OK && m->n == 0) { /* without --only there are some */
        const char *near = ibc_nearest(o->only, mutant_spec, all.n, &all);
        rc = wrong(EXIT_USAGE, "--only: no mutant matches \"%s\"%s%s%s", o->only, near ? "; nearest is \"" : "",
                   near ? near : "", near ? "\"" : "");
    }
    free(all.m);
    if (rc == EXIT_OK && o->sample)
        sample(m, o->sample, o->seed);
    return rc;
}

/* ---- on the unbroken engine ---- */
static int play_reference(struct mutation *m)
{
    const struct play_run run = {.dut = {.spec = "reference"},
                                 .cases = &m->cases,
                                 .seed = m->o->seed,
                                 .repeat = 1,
                                 .children = m->children,
                                 .timeout_scale = 1};
    bool *has = calloc(m->cases.n, sizeof *has);

    m->reference = calloc(m->cases.n, sizeof *m->reference);
    m->usable = calloc(m->cases.n, sizeof *m->usable);
    m->outcome = calloc(m->cases.n * m->n, sizeof *m->outcome);
    if (!m->reference || !has || !m->usable || !m->outcome) {
        free(has);
        return wrong(EXIT_HARNESS, "out of memory");
    }
    const bool played = play_cases(&run, m->reference, has);
    free(has); /* each case is played once, so each has a result */
    if (!played)
        return EXIT_HARNESS;
    for (size_t i = 0; i < m->cases.n; i++)
        if (passes(&m->reference[i]) && m->cases.c[i].s->role != IBC_ROLE_sm) /* no engine is a subnet manager */
            m->usable[m->n_usable++] = (uint32_t)i;
    return EXIT_OK;
}

/* ---- on the broken ones: a job is a mutant, its parts are the cases ---- */
static enum outcome judge(const struct mutation *m, uint32_t at, const struct ibc_result *r)
{
    const struct ibc_result *whole = &m->reference[at];

    if (ibc_failed(r->verdict))
        return OUTCOME_FAILED;
    if (ibc_failed(r->counters) && !ibc_failed(whole->counters))
        return OUTCOME_MISCOUNTED;
    return r->verdict == IBC_IS_ERROR ? OUTCOME_ERROR : OUTCOME_LIVES;
}

static size_t work(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD])
{
    struct mutation *m = ctx;
    const struct play_case *c = &m->cases.c[m->usable[part]];
    const struct ibc_options o = {.seed = m->o->seed, .link = c->link, .stop_at_first = true};
    struct ibc_result r = {0};
    char err[512];

    if (!m->target || m->target_is != job) {
        if (m->target)
            ibc_target_close(m->target);
        m->target = ibc_target_open(m->m[job].spec, err, sizeof err);
        m->target_is = job;
    }
    record[0] = OUTCOME_ERROR;
    if (m->target) {
        ibc_run(c->s, m->target, &o, &r);
        record[0] = (uint8_t)judge(m, m->usable[part], &r);
        ibc_result_clear(&r);
    }
    return 1;
}

static unsigned limit(void *ctx, uint32_t job, uint32_t part)
{
    const struct mutation *m = ctx;

    (void)job;
    return pool_patience(m->reference[m->usable[part]].wall_ns);
}

static void take(struct mutation *m, uint32_t job, uint32_t part, enum outcome how)
{
    m->outcome[job * m->cases.n + m->usable[part]] = (uint8_t)how;
    progress_step(&m->progress, m->m[job].spec);
}

static void done(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    take(ctx, job, part, len == 1 && record[0] < OUTCOME_COUNT ? (enum outcome)record[0] : OUTCOME_ERROR);
}

static void died(void *ctx, uint32_t job, uint32_t part, int status)
{
    take(ctx, job, part, pool_hung(status) ? OUTCOME_HUNG : OUTCOME_DIED);
}

static int play_mutants(struct mutation *m)
{
    char err[160];
    const struct pool pool = {.children = m->children,
                              .jobs = (uint32_t)m->n,
                              .parts = m->n_usable,
                              .mute = true,
                              .ctx = m,
                              .limit = limit,
                              .work = work,
                              .done = done,
                              .died = died};

    progress_begin(&m->progress, (uint64_t)m->n * m->n_usable);
    const bool good = pool_run(&pool, err, sizeof err);
    progress_end(&m->progress);
    return good ? EXIT_OK : wrong(EXIT_HARNESS, "%s", err);
}

static int list_mutants(const struct mutation *m)
{
    for (size_t i = 0; i < m->n; i++)
        mutants_print(&m->m[i]);
    printf("%zu mutants\n", m->n);
    return EXIT_OK;
}

static int make_cases(struct mutation *m)
{
    char err[512];
    struct ibc_target *t = ibc_target_open("reference", err, sizeof err);
    int rc;

    if (!t)
        return wrong(EXIT_HARNESS, "%s", err);
    rc = cases_make(&m->cases, &m->sel, t, m->o->link);
    ibc_target_close(t);
    return rc;
}

static int play(struct mutation *m)
{
    int rc = select_scenarios(&m->sel, m->o, &m->o->pattern, &m->o->exclude);

    if (rc == EXIT_OK)
        rc = make_cases(m);
    if (rc == EXIT_OK)
        rc = play_reference(m);
    if (rc == EXIT_OK)
        rc = play_mutants(m);
    if (rc == EXIT_OK)
        rc = mutants_report(m);
    return rc;
}

int command_mutants(const struct options *o)
{
    struct mutation m = {.o = o, .since_ns = wall_ns(), .children = o->jobs ? o->jobs : pool_cores()};
    int rc = mutants_choose(&m, o);

    if (rc == EXIT_OK)
        rc = o->list ? list_mutants(&m) : play(&m);
    for (size_t i = 0; m.reference && i < m.cases.n; i++)
        ibc_result_clear(&m.reference[i]);
    free(m.reference);
    free(m.usable);
    free(m.outcome);
    free(m.m);
    cases_free(&m.cases);
    select_free(&m.sel);
    return rc;
}
