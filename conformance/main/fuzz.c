/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz: plays generated sequences against a target. The model judges the results. */
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "cases.h"
#include "command.h"
#include "dut.h"
#include "fault.h"
#include "fuzz/known.h"
#include "fuzz_mutants.h"
#include "progress.h"
#include "sandbox.h"
#include "system/signals.h"
#include "system/text.h"

enum {
    MOST_KINDS = 256, /* kinds of differences that are distinguished */
    KIND = 200,
    COUNT = 1000, /* default number of sequences */
    TRIES = 3,    /* in real time a difference must be seen in two of three plays */
    DEATHS = 8,   /* crashes of a device while a crashing case is reduced */
    FAULTS = 20,  /* faults of the harness in a row before it gives up */
};

struct fuzzing {
    const struct options *o;
    struct live_dut live;
    struct dut dut;
    struct ibc_target *target, *model;
    enum ibc_link link; /* link of the health probe */
    struct fuzz_may may;
    struct progress progress;
    uint64_t begun, played, differ, inconclusive, unfit, known, deaths;
    /* faults: number in a row; tries_left: plays that are left to reduce a crashing case */
    unsigned faults, tries_left;
    bool gone; /* the device did not come back */
    struct {
        char text[KIND];
        bool known; /* a waiver covers the kind; another difference of this kind may be a new one */
    } kind[MOST_KINDS];
    unsigned n_kind;
    char wanted[KIND]; /* the kind of difference that must remain while a case is reduced */
    char packets[480]; /* folder of captures */
    char err[512];
};

/* ---- one case ---- */

/* Returns the length of the text up to the content of memory near the differing byte, which belongs to the case and
 * not to the kind of the difference. */
static int told(const char *text)
{
    enum { MOST = 98 };
    const char *about = strstr(text, "of the memory") ? strstr(text, " (") : NULL;

    return about && about - text < MOST ? (int)(about - text) : MOST;
}

/* Writes the kind of a difference: "expected > got" without numbers. */
static void kind_of(const struct ibc_finding *f, char out[KIND])
{
    char both[KIND + 160];
    size_t n = 0;

    snprintf(both, sizeof both, "%.*s > %.*s", told(f->expected), f->expected, told(f->got), f->got);
    for (const char *s = both; *s && n + 1 < KIND; s++)
        if (!isdigit((unsigned char)*s))
            out[n++] = *s;
        else if (n == 0 || out[n - 1] != '#')
            out[n++] = '#';
    out[n] = '\0';
}

/* Returns the finding that identifies a play. A complaint of the device's system comes before any other failure. */
static struct ibc_finding finding_of(const struct ibc_result *r)
{
    struct ibc_finding f = r->finding;

    if (r->died && r->logged) {
        snprintf(f.expected, sizeof f.expected, IBC_NO_COMPLAINT);
        snprintf(f.got, sizeof f.got, "%s", r->measured);
    }
    return f;
}

static struct ibc_scenario *scenario_of(struct fuzzing *z, const struct fuzz_case *c, char text[FUZZ_TEXT])
{
    char err[256];

    return fuzz_predict(c, z->model, text, err);
}

static enum ibc_verdict play_once(struct fuzzing *z, const struct ibc_scenario *s, const char *evidence,
                                  struct ibc_result *r)
{
    const struct ibc_options o = {.seed = z->o->seed, .link = z->link, .evidence_dir = evidence};

    ibc_run(s, z->target, &o, r);
    return r->verdict;
}

/* Plays a case up to three times. r becomes the result of the last play. */
static bool differs(struct fuzzing *z, const struct ibc_scenario *s, struct ibc_result *r)
{
    unsigned seen = ibc_failed(play_once(z, s, NULL, r));

    for (unsigned n = 1; seen == 1 && n < TRIES && !z->target->virtual_time && !r->died; n++) {
        ibc_result_clear(r);
        seen += ibc_failed(play_once(z, s, NULL, r));
    }
    return seen > (z->target->virtual_time || r->died ? 0u : 1u);
}

/* Waits for a device that went down to come back. */
static void await_device(struct fuzzing *z)
{
    const struct timespec second = {.tv_sec = 1};
    const uint64_t until = wall_ns() + (uint64_t)((double)IBC_LIVE_RETURN * z->o->timeout_scale);

    while (!z->gone && z->target->ops->reset(z->target, z->link, z->o->seed) != IBC_OK) {
        z->gone = wall_ns() >= until || signals_came();
        if (!z->gone)
            nanosleep(&second, NULL);
    }
}

/* Whether the device was reachable when the play began. */
static bool was_there(const struct ibc_result *r)
{
    return r->finding.what != IBC_FOUND_UNCLEAN;
}

static bool shows(void *ctx, const struct fuzz_case *c)
{
    static char text[FUZZ_TEXT];
    struct fuzzing *z = ctx;
    struct ibc_result r = {0};
    struct ibc_scenario *s = z->tries_left && !z->gone ? scenario_of(z, c, text) : NULL;
    char kind[KIND];
    bool same = false;

    if (s && differs(z, s, &r)) {
        const struct ibc_finding f = finding_of(&r);
        kind_of(&f, kind);
        same = strcmp(kind, z->wanted) == 0;
    }
    if (r.died) {
        z->tries_left--;
        await_device(z);
    }
    ibc_result_clear(&r);
    ibc_free(s);
    return same;
}

/* ---- kept cases ---- */

static bool keep_text(const struct fuzzing *z, const char *id, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/scenarios/%s.ibt", z->o->evidence, id);
    FILE *f = fopen(path, "w");
    const bool good = f && fputs(text, f) >= 0;

    return f && fclose(f) == 0 && good;
}

static void print_finding(const struct ibc_finding *f, const char *id, unsigned inputs, const char *waiver)
{
    text_line(stdout, "%s%s%s%s: expected %s, got %s (line %u; %u inputs)", waiver ? "known: " : "",
              waiver ? waiver : "", waiver ? ": " : "", id, f->expected, f->got, f->line, inputs);
    fflush(stdout);
}

/* Whether the difference was seen before: a similar one was kept, or one has the same symptom and both have a
 * waiver. */
static bool seen_before(const struct fuzzing *z, bool known)
{
    for (unsigned i = 0; i < z->n_kind; i++)
        if (strcmp(z->kind[i].text, z->wanted) == 0 && (!z->kind[i].known || known))
            return true;
    return z->n_kind == MOST_KINDS;
}

/* Reduces, reports and keeps a case with a difference of a new kind. False: the case cannot be written. */
static bool found(struct fuzzing *z, struct fuzz_case *c, const struct ibc_finding *as)
{
    static char text[FUZZ_TEXT];
    struct ibc_result r = {0};
    struct ibc_scenario *s;
    bool good = true;

    kind_of(as, z->wanted);
    if (seen_before(z, fuzz_known_as(z->may.known, c, as->expected, as->got) != NULL))
        return true;
    z->tries_left = DEATHS;
    fuzz_minimise(c, shows, z);
    const char *waiver = fuzz_known_as(z->may.known, c, as->expected, as->got);
    memcpy(z->kind[z->n_kind].text, z->wanted, KIND);
    z->kind[z->n_kind++].known = waiver != NULL;
    s = waiver ? NULL : scenario_of(z, c, text);
    if (s && z->o->evidence) {
        play_once(z, s, z->packets, &r);
        good = keep_text(z, c->id, text);
    }
    z->known += waiver != NULL;
    print_finding(ibc_failed(r.verdict) && !r.died ? &r.finding : as, c->id, c->n, waiver);
    if (r.died)
        await_device(z);
    ibc_result_clear(&r);
    ibc_free(s);
    return good || wrong(EXIT_HARNESS, "%s/scenarios/%s.ibt cannot be written", z->o->evidence, c->id) == EXIT_OK;
}

/* Reports a fault of the harness and continues with the next sequence, up to a limit. */
static bool bear(struct fuzzing *z, const char *id, const char *what)
{
    (void)wrong(EXIT_HARNESS, "%s: %s", id, what);
    return ++z->faults < FAULTS;
}

static bool judge(struct fuzzing *z, struct fuzz_case *c, struct ibc_scenario *s)
{
    struct ibc_result r = {0};
    bool good = true;

    const bool bad = differs(z, s, &r);
    z->played++;
    z->inconclusive += r.verdict == IBC_IS_INCONCLUSIVE;
    if (r.verdict == IBC_IS_ERROR)
        good = bear(z, c->id, r.finding.got);
    else
        z->faults = 0;
    if (r.died) {
        z->deaths++;
        await_device(z);
    }
    if (bad && was_there(&r)) {
        const struct ibc_finding f = finding_of(&r);
        z->differ++;
        good = found(z, c, &f);
    } else if (r.died)
        text_line(stdout, "%s: the device went away: expected %s, got %s", c->id, r.finding.expected, r.finding.got);
    ibc_result_clear(&r);
    return good;
}

static bool one(struct fuzzing *z, uint64_t seed)
{
    static char text[FUZZ_TEXT];
    static struct fuzz_case c;
    struct ibc_scenario *s;
    bool good = true;

    fuzz_make(&c, &z->may, seed);
    s = scenario_of(z, &c, text);
    if (s && z->o->verbose)
        /* safe to print: the text consists of words of the grammar and numbers */
        printf("# %s\n%s\n", c.id, text);
    if (s)
        good = judge(z, &c, s);
    else
        z->unfit++;
    ibc_free(s);
    if (z->gone)
        good = bear(z, "the device", "it did not come back") && false;
    return good;
}

/* ---- the run ---- */

/* Whether fuzzing is allowed, since a wire that leaves this machine may reach other hosts. */
static int allowed(const struct fuzzing *z)
{
    const char *wire = "";

    if (z->o->own_network || !dut_leaves(&z->dut, z->o, &wire))
        return EXIT_OK;
    return wrong(EXIT_USAGE, "--wire %s: broken packets go out on it; say --i-own-this-network if you do", wire);
}

static int open_target(struct fuzzing *z)
{
    int rc = dut_choose(&z->dut, &z->live, z->o);

    if (rc == EXIT_OK && z->dut.manager)
        rc = wrong(EXIT_USAGE, "--target %s: the sequences are for queue pairs, and a subnet manager has none",
                   z->dut.spec);
    if (rc == EXIT_OK)
        rc = allowed(z); /* checked again: a host name may have another address than before */
    if (rc != EXIT_OK)
        return rc;
    sandbox_enter(&z->dut, z->o, NULL);
    z->target = dut_open(&z->dut, 0, z->err, sizeof z->err);
    if (!z->target)
        return wrong(z->dut.live ? EXIT_HARNESS : EXIT_USAGE, "%s%s", z->dut.live ? "" : "--target: ", z->err);
    z->target->time_scale = z->o->timeout_scale;
    if (z->dut.live)
        live_name(&z->live, z->target);
    z->model = ibc_target_open("reference", z->err, sizeof z->err);
    return z->model ? EXIT_OK : wrong(EXIT_HARNESS, "%s", z->err);
}

/* Loads the deviations that have a waiver for this device. */
static int load_known(struct fuzzing *z)
{
    struct ibc_waivers w;

    for (size_t k = 0; k < fuzz_known_count; k++)
        z->may.known |= fuzz_known[k].waiver[0] == '=' ? UINT64_C(1) << k : 0;
    if (!z->o->waivers)
        return EXIT_OK;
    if (!ibc_waivers_load(&w, z->o->waivers, NULL, z->err, sizeof z->err))
        return wrong(EXIT_USAGE, "%s", z->err);
    for (size_t i = 0; i < w.n; i++)
        for (size_t k = 0; k < fuzz_known_count; k++)
            if (w.w[i].name && strcmp(w.w[i].name, fuzz_known[k].waiver) == 0 &&
                fnmatch(w.w[i].target, dut_name(&z->dut), 0) == 0)
                z->may.known |= UINT64_C(1) << k;
    ibc_waivers_free(&w);
    return EXIT_OK;
}

static int look(struct fuzzing *z, const char *when)
{
    return z->dut.live ? live_health(z->target, z->o, z->link, when) : EXIT_OK;
}

/* Limits the number of sequences begun per second to --rate. */
static void keep_pace(const struct fuzzing *z)
{
    const uint64_t due = z->o->rate ? z->begun + z->played * UINT64_C(1000000000) / z->o->rate : 0, now = wall_ns();

    if (due > now) {
        const struct timespec t = {.tv_sec = (time_t)((due - now) / 1000000000u),
                                   .tv_nsec = (long)((due - now) % 1000000000u)};
        nanosleep(&t, NULL);
    }
}

static int play_all(struct fuzzing *z)
{
    const struct options *o = z->o;
    const uint64_t end = o->seconds ? wall_ns() + o->seconds * UINT64_C(1000000000) : UINT64_MAX;
    const uint64_t most = o->count ? o->count : o->seconds ? UINT64_MAX : COUNT;
    bool good = true;

    z->begun = wall_ns();
    progress_begin(&z->progress, o->seconds ? 0 : most);
    for (uint64_t i = 0; good && i < most && wall_ns() < end && !signals_came(); i++) {
        keep_pace(z);
        good = one(z, o->seed + i);
        progress_step(&z->progress, NULL);
    }
    progress_end(&z->progress);
    printf("%" PRIu64 " sequences, seed %" PRIu64 ": %" PRIu64 " differ in %u ways, %" PRIu64 " inconclusive, %" PRIu64
           " not to be predicted\n",
           z->played, o->seed, z->differ, z->n_kind, z->inconclusive, z->unfit);
    if (z->known || z->deaths)
        printf("%" PRIu64 " of the ways are known, %" PRIu64 " times the device went away\n", z->known, z->deaths);
    return good ? z->differ ? EXIT_FAILED : z->inconclusive ? EXIT_INCONCLUSIVE : EXIT_OK : EXIT_HARNESS;
}

/* Makes the folders. The folder of scenarios has no other files, so that `run` can play it. */
static int make_folders(struct fuzzing *z)
{
    const char *const of = z->o->evidence;
    char scenarios[480];

    if (!of)
        return EXIT_OK;
    const int n = snprintf(z->packets, sizeof z->packets, "%s/packets", of);
    snprintf(scenarios, sizeof scenarios, "%s/scenarios", of);
    if (n < (int)sizeof scenarios - 2 && (mkdir(of, 0777) == 0 || access(of, W_OK) == 0) &&
        (mkdir(scenarios, 0777) == 0 || access(scenarios, W_OK) == 0) &&
        (mkdir(z->packets, 0777) == 0 || access(z->packets, W_OK) == 0))
        return EXIT_OK;
    return wrong(EXIT_USAGE, "--evidence %s: no folder, and none can be made", of);
}

static enum ibc_link first_link(struct ibc_target *t)
{
    const uint32_t links = t->ops->links(t);
    unsigned l = 0;

    while (l + 1 < IBC_LINK_COUNT && !(links >> l & 1))
        l++;
    return (enum ibc_link)l;
}

int command_fuzz(const struct options *o)
{
    static struct fuzzing z;
    int rc;

    if (o->target && strcmp(o->target, "mutant:all") == 0)
        return fuzz_mutants(o);
    if (o->only || o->sample || o->jobs)
        return wrong(EXIT_USAGE, "--only, --sample and --jobs are for --target mutant:all");
    z = (struct fuzzing){.o = o};
    rc = allowed(&z);
    if (rc == EXIT_OK)
        rc = make_folders(&z);
    if (rc == EXIT_OK)
        rc = open_target(&z);
    if (rc == EXIT_OK && z.target) {
        z.link = first_link(z.target);
        z.may = (struct fuzz_may){z.target->ops->capabilities(z.target), z.target->ops->links(z.target), 0};
        rc = load_known(&z);
    }
    if (rc == EXIT_OK) {
        rc = look(&z, "before the first sequence");
    }
    if (rc == EXIT_OK) {
        const int played = play_all(&z);
        rc = look(&z, "after the last sequence");
        rc = rc != EXIT_OK ? rc : played;
    }
    if (z.target)
        ibc_target_close(z.target);
    if (z.model)
        ibc_target_close(z.model);
    live_end(&z.live);
    return rc;
}
