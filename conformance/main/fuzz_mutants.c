/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz --target mutant:all: counts how many of the broken engines the sequences find, and how soon. The sequences
 * are predicted once, before the processes fork; each engine plays them in their order until one differs. The
 * report has the processor time that one engine alone would need: to generate and predict the sequences up to the
 * one that differs, and to play them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "command.h"
#include "fault.h"
#include "fuzz/fuzz.h"
#include "fuzz_mutants.h"
#include "mutants.h"
#include "pool.h"

enum {
    COUNT = 3000,    /* default number of sequences */
    AFTER_RULES = 5, /* letters of "emit." */
};

struct sequence {
    struct ibc_scenario *s;
    uint64_t seed, ns; /* ns: time from the first generated sequence to this one */
    const char *kind;
};
struct hunt {
    struct mutation all;
    struct sequence *seq;
    unsigned n_seq;
    uint64_t whole_ns; /* wall time of the model, which plays each sequence at least twice */
    struct ibc_target *model;
    unsigned found, rules, rules_found, died;
    uint64_t slowest; /* ns: the longest time of an engine that was found */
};
struct catch
{ /* the record of a child */
    uint64_t ns;
    uint32_t seq, is;
    char expected[160], got[160];
};

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* Refuses options that are for a single device, its wires or its findings. */
static int without_others(const struct options *o)
{
    const struct {
        const char *name;
        bool given;
    } other[] = {
        {"wire", o->wire.n > 0},
        {"agent", o->agent},
        {"agent-token-file", o->agent_token_file},
        {"user", o->user},
        {"i-own-this-network", o->own_network},
        {"timeout-scale", o->timeout_scale < 1 || o->timeout_scale > 1},
        {"evidence", o->evidence},
        {"waivers", o->waivers},
        {"time", o->seconds},
        {"rate", o->rate},
    };

    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (other[i].given)
            return wrong(EXIT_USAGE, "--%s is not for --target mutant:all", other[i].name);
    return EXIT_OK;
}

static int predict(struct hunt *h)
{
    static char text[FUZZ_TEXT];
    static struct fuzz_case c;
    const struct fuzz_may may = {h->model->ops->capabilities(h->model), h->model->ops->links(h->model), 0};
    const struct options *o = h->all.o;
    const unsigned n = o->count ? o->count : COUNT;
    const uint64_t since = cpu_ns(), begun = wall_ns();
    char err[256];

    h->seq = calloc(n, sizeof *h->seq);
    if (!h->seq)
        return wrong(EXIT_HARNESS, "out of memory");
    for (unsigned i = 0; i < n; i++) {
        struct sequence *q = &h->seq[h->n_seq];
        fuzz_make(&c, &may, o->seed + i);
        q->s = fuzz_predict(&c, h->model, text, err);
        q->seed = o->seed + i;
        q->kind = c.kind;
        q->ns = cpu_ns() - since;
        h->n_seq += q->s != NULL;
    }
    h->whole_ns = wall_ns() - begun;
    return h->n_seq > 0 ? EXIT_OK
                        : wrong(EXIT_HARNESS,
                                "none of %u sequences from seed %" PRIu64 " on can be predicted: try more", n, o->seed);
}

/* ---- in the child ---- */

static bool play(struct ibc_target *t, const struct sequence *q, struct catch *c)
{
    const struct ibc_options o = {.seed = q->seed, .stop_at_first = true};
    struct ibc_result r = {0};
    bool differs;

    ibc_run(q->s, t, &o, &r);
    differs = ibc_failed(r.verdict) || r.verdict == IBC_IS_ERROR;
    if (differs) {
        snprintf(c->expected, sizeof c->expected, "%s", r.finding.expected);
        snprintf(c->got, sizeof c->got, "%s", r.finding.got);
    }
    ibc_result_clear(&r);
    return differs;
}

static size_t work(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD])
{
    struct hunt *h = ctx;
    struct catch c = {0};
    char err[512];
    struct ibc_target *t = ibc_target_open(h->all.m[job].spec, err, sizeof err);
    const uint64_t since = cpu_ns();

    (void)part;
    while (t && c.seq < h->n_seq && !play(t, &h->seq[c.seq], &c))
        c.seq++;
    c.is = t && c.seq < h->n_seq;
    c.ns = cpu_ns() - since + h->seq[c.is ? c.seq : h->n_seq - 1].ns;
    if (t)
        ibc_target_close(t);
    memcpy(record, &c, sizeof c);
    return sizeof c;
}

static unsigned limit(void *ctx, uint32_t job, uint32_t part)
{
    const struct hunt *h = ctx;

    (void)job;
    (void)part;
    return pool_patience(h->whole_ns);
}

/* ---- in the parent ---- */

static bool is_rule(const char *spec)
{
    return strncmp(strchr(spec, ':') + 1, "emit.", AFTER_RULES) != 0;
}

static void count(struct hunt *h, uint32_t job, bool found, uint64_t ns)
{
    const bool rule = is_rule(h->all.m[job].spec);

    h->found += found;
    h->rules += rule;
    h->rules_found += rule && found;
    if (found && ns > h->slowest)
        h->slowest = ns;
    progress_step(&h->all.progress, h->all.m[job].spec);
}

static void done(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    struct hunt *h = ctx;
    const struct ibc_mutant *m = &h->all.m[job];
    struct catch c = {0};

    (void)part;
    if (len == sizeof c)
        memcpy(&c, record, sizeof c);
    count(h, job, c.is, c.ns);
    if (c.is && h->all.o->verbose)
        printf("found      %s: %.2f s, sequence-%" PRIu64 " (%s): expected %s, got %s\n", m->spec, (double)c.ns / 1e9,
               h->seq[c.seq].seed, h->seq[c.seq].kind, c.expected, c.got);
    else if (!c.is)
        printf("not found  %s: %s%s\n", m->spec, m->says,
               m->equivalent   ? " (no exchange shows it)"
               : m->allowed    ? " (the rules allow it)"
               : m->not_tested ? " (the reference lacks what shows it)"
                               : "");
    fflush(stdout);
}

/* An engine that loops without end, or crashes its process, counts as found. */
static void died(void *ctx, uint32_t job, uint32_t part, int status)
{
    struct hunt *h = ctx;
    char how[80];

    (void)part;
    h->died++;
    count(h, job, true, 0);
    pool_death(status, how, sizeof how);
    if (h->all.o->verbose)
        printf("found      %s: %s\n", h->all.m[job].spec, pool_hung(status) ? "it runs in circles" : how);
}

static int hunt(struct hunt *h)
{
    char err[160];
    const struct pool pool = {.children = h->all.children,
                              .jobs = (uint32_t)h->all.n,
                              .parts = 1,
                              .mute = true,
                              .ctx = h,
                              .limit = limit,
                              .work = work,
                              .done = done,
                              .died = died};

    progress_begin(&h->all.progress, h->all.n);
    const bool good = pool_run(&pool, err, sizeof err);
    progress_end(&h->all.progress);
    if (!good)
        return wrong(EXIT_HARNESS, "%s", err);
    printf("%zu mutants: %u found (%.1f %%), of %u of rules %u (%.1f %%); %u of them died; the slowest took %.1f s\n",
           h->all.n, h->found, 100.0 * h->found / (double)h->all.n, h->rules, h->rules_found,
           h->rules ? 100.0 * h->rules_found / h->rules : 0.0, h->died, (double)h->slowest / 1e9);
    printf("%u sequences, seed %" PRIu64 ": made and predicted in %.1f s\n", h->n_seq, h->all.o->seed,
           (double)h->seq[h->n_seq - 1].ns / 1e9);
    return EXIT_OK;
}

int fuzz_mutants(const struct options *o)
{
    struct hunt h = {.all = {.o = o, .children = o->jobs ? o->jobs : pool_cores()}};
    char err[512];
    int rc = without_others(o);

    if (rc == EXIT_OK)
        rc = mutants_choose(&h.all, o);
    if (rc == EXIT_OK) {
        h.model = ibc_target_open("reference", err, sizeof err);
        rc = h.model ? predict(&h) : wrong(EXIT_HARNESS, "%s", err);
    }
    if (rc == EXIT_OK)
        rc = hunt(&h);
    for (unsigned i = 0; i < h.n_seq; i++)
        ibc_free(h.seq[i].s);
    free(h.seq);
    if (h.model)
        ibc_target_close(h.model);
    free(h.all.m);
    return rc;
}
