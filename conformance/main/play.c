/* SPDX-License-Identifier: BSD-2-Clause */
#include "play.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fault.h"
#include "pool.h"
#include "progress.h"
#include "result.h"
#include "settle.h"
#include "system/signals.h"

struct turn {
    uint64_t waits;
    uint32_t nth; /* case * repeat + k */
    bool hazard;
};
struct playing {
    const struct play_run *run;
    struct ibc_result *r;
    bool *has;         /* which of `r` are results */
    struct turn *turn; /* indexed by job */
    struct progress progress;
    struct ibc_target *target; /* in a child process: its target */
    unsigned lane;             /* in a child process: its lane */
    unsigned refused;          /* number of failed attempts to open the target */
    char why[512];
    struct settle settle;
    unsigned failures; /* in the parent process: number of failures that no waiver excuses */
    char enough[96];   /* in the parent process: why no more cases begin; "" while they do */
};

static const struct play_case *case_of(const struct playing *p, uint32_t nth)
{
    return &p->run->cases->c[nth / p->run->repeat];
}

/* Returns the folder for evidence: one for each link and seed if there are several, so that no case overwrites a
 * file of another. */
static const char *evidence_dir(const struct playing *p, uint32_t nth, char *out, size_t n)
{
    const struct play_case *c = case_of(p, nth);
    const unsigned k = nth % p->run->repeat;

    if (!p->run->evidence)
        return NULL;
    size_t used = (size_t)snprintf(out, n, "%s", p->run->evidence);
    if (p->run->cases->all && used < n) {
        used += (size_t)snprintf(out + used, n - used, "/%s", ibc_link_names[c->link]);
        mkdir(out, 0777);
    }
    if (k > 0 && used < n) {
        snprintf(out + used, n - used, "/seed-%" PRIu64, p->run->seed + k);
        mkdir(out, 0777);
    }
    return out;
}

/* Opens the target if it is not open. A target that cannot be opened is not waited for in every case. */
static bool have_target(struct playing *p)
{
    enum { PATIENCE = 3 };

    if (!p->target && p->refused < PATIENCE) {
        p->target = dut_open(&p->run->dut, p->lane, p->why, sizeof p->why);
        p->refused = p->target ? 0 : p->refused + 1;
        if (p->target)
            p->target->time_scale = p->run->timeout_scale;
    }
    return p->target != NULL;
}

/* Whether the tester's port carries the scenario's largest frames: if not, it would look as if the device had not
 * sent them. */
static bool fits(const struct playing *p, const struct ibc_scenario *s, struct ibc_result *r)
{
    const unsigned mtu = dut_mtu(&p->run->dut, p->lane), bytes = mtu ? ibc_packet_bytes(s) : 0;

    if (bytes <= mtu)
        return true;
    result_error(r, s, "");
    r->verdict = IBC_IS_INCONCLUSIVE;
    snprintf(r->finding.expected, sizeof r->finding.expected, "a port of the tester's that carries packets of %u bytes",
             bytes);
    snprintf(r->finding.got, sizeof r->finding.got, "MTU %u (ip link set IFACE mtu 9000)", mtu);
    return false;
}

static void play(struct playing *p, uint32_t nth, struct ibc_result *r)
{
    const struct play_case *c = case_of(p, nth);
    char dir[PATH_MAX];

    if (p->run->dut.live && c->s->hazard && !p->run->hazardous) {
        result_spare(r, c->s);
        return;
    }
    if (!have_target(p)) {
        result_error(r, c->s, p->why);
        return;
    }
    const struct ibc_options o = {.seed = p->run->seed + nth % p->run->repeat,
                                  .evidence_dir = evidence_dir(p, nth, dir, sizeof dir),
                                  .link = c->link,
                                  .stop_at_first = p->run->stop_at_first};
    p->settle.t = p->target;
    p->settle.o = &o;
    if (!p->run->dut.live && !p->run->dut.manager)
        ibc_run(c->s, p->target, &o, r);
    else if (fits(p, c->s, r))
        settle(&p->settle, c->s, r);
    if (c->named)
        result_name_link(r, ibc_link_names[c->link]);
}

static void enter(void *ctx, unsigned child)
{
    ((struct playing *)ctx)->lane = child;
}

static size_t work(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD])
{
    struct playing *p = ctx;
    struct ibc_result r = {0};

    (void)part;
    play(p, p->turn[job].nth, &r);
    const size_t n = result_pack(&r, record, POOL_RECORD);
    ibc_result_clear(&r);
    return n;
}

static void leave(void *ctx)
{
    struct playing *p = ctx;

    if (p->target)
        ibc_target_close(p->target);
}

/* Returns the time limit of a case. Nothing waits on virtual time, so a case that takes that long never ends. A
 * live device has time limits of its own. */
static unsigned limit(void *ctx, uint32_t job, uint32_t part)
{
    const struct playing *p = ctx;
    enum { NEVER_ENDS = 120 };

    (void)job;
    (void)part;
    return p->run->cases->virtual_time && !p->run->dut.live ? NEVER_ENDS : 0;
}

static void count_failure(struct playing *p, const struct ibc_result *r)
{
    struct ibc_waivers w = p->run->waivers ? *p->run->waivers : (struct ibc_waivers){0};
    struct ibc_result as = *r;

    ibc_waivers_apply(&w, p->run->target, &as);
    p->failures += ibc_exit_code(&as, 1, false) == EXIT_FAILED;
}

static bool enough(void *ctx)
{
    struct playing *p = ctx;

    if (p->run->max_failures && p->failures >= p->run->max_failures)
        snprintf(p->enough, sizeof p->enough, "%u failed before (--max-failures)", p->failures);
    else if (p->run->deadline_ns && wall_ns() >= p->run->deadline_ns)
        snprintf(p->enough, sizeof p->enough, "its turn came after the deadline (--deadline)");
    return p->enough[0] != '\0';
}

/* Replaces the result of the plays in which the tester was late, and their evidence. */
static void replace(struct ibc_result *late, struct ibc_result *r)
{
    r->wall_ns += late->wall_ns;
    if (late->evidence && !r->evidence)
        (void)unlink(late->evidence);
    if (r->verdict != IBC_IS_INCONCLUSIVE && !r->measured[0])
        snprintf(r->measured, sizeof r->measured, "played again alone: %.100s", late->finding.got);
    ibc_result_clear(late);
}

static void put(struct playing *p, uint32_t nth, struct ibc_result *r)
{
    if (p->has[nth])
        replace(&p->r[nth], r);
    p->has[nth] = true;
    p->r[nth] = *r;
}

static void done(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    struct playing *p = ctx;
    const uint32_t nth = p->turn[job].nth;
    const struct ibc_scenario *s = case_of(p, nth)->s;
    struct ibc_result r;

    (void)part;
    if (!result_unpack(&r, s, record, len))
        result_error(&r, s, "the harness lost the result");
    put(p, nth, &r);
    count_failure(p, &p->r[nth]);
    progress_step(&p->progress, s->id);
}

static void died(void *ctx, uint32_t job, uint32_t part, int status)
{
    struct playing *p = ctx;
    const uint32_t nth = p->turn[job].nth;
    const struct ibc_scenario *s = case_of(p, nth)->s;
    struct ibc_result r;
    char how[80], why[120];

    (void)part;
    pool_death(status, how, sizeof how);
    snprintf(why, sizeof why, pool_hung(status) ? "the harness hung: %s" : "the harness died: %s", how);
    result_error(&r, s, why);
    put(p, nth, &r);
    progress_step(&p->progress, s->id);
}

static int by_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->hazard != y->hazard)
        return x->hazard ? 1 : -1;
    return x->waits != y->waits ? (x->waits < y->waits ? 1 : -1) : (x->nth > y->nth) - (x->nth < y->nth);
}

/* Orders the cases as in the selection. If waiting takes real time the longest case begins, so that no child plays
 * it alone at the end. Cases that may crash the device come last. */
static bool take_turns(struct playing *p, uint32_t n)
{
    const bool wait = !p->run->cases->virtual_time && p->run->children > 1;

    p->turn = malloc(n * sizeof *p->turn + 1);
    if (!p->turn)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ibc_scenario *s = case_of(p, i)->s;
        p->turn[i] = (struct turn){.nth = i, .waits = wait ? ibc_waits(s) : 0, .hazard = s->hazard != NULL};
    }
    qsort(p->turn, n, sizeof *p->turn, by_turn);
    return true;
}

static bool play_turns(struct playing *p, const struct pool *pool, char *err, size_t errlen)
{
    progress_begin(&p->progress, pool->jobs);
    const bool good = pool_run(pool, err, errlen);
    progress_end(&p->progress);
    return good;
}

/* Chooses the cases of which no play had complete evidence, and returns their number. */
static uint32_t choose_unsure(struct playing *p, uint32_t n)
{
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < n; i++)
        if (p->has[i] && p->r[i].verdict == IBC_IS_INCONCLUSIVE && p->r[i].finding.what == IBC_FOUND_UNSURE)
            p->turn[chosen++] = (struct turn){.nth = i};
    return chosen;
}

/* In real time the tester is late mostly because other cases keep the machine busy. Plays the cases in which it was
 * late once more, one at a time. */
static bool play_again(struct playing *p, const struct pool *all, char *err, size_t errlen)
{
    struct pool pool = *all;

    if (p->run->cases->virtual_time || p->enough[0])
        return true;
    pool.children = 1;
    pool.jobs = choose_unsure(p, all->jobs);
    return pool.jobs == 0 || play_turns(p, &pool, err, errlen);
}

/* Gives a result to cases that were not played. Of repeats that follow each other only the first gets one: the results
 * of many repeats would fill gigabytes. `error` is NULL if enough was played. */
static void fill(const struct playing *p, uint32_t n, const char *error)
{
    bool was = true; /* the repeat before this one was played */

    for (uint32_t i = 0; i < n; i++) {
        const bool played = p->has[i];
        if (!played && (was || i % p->run->repeat == 0)) {
            p->has[i] = true;
            if (error)
                result_error(&p->r[i], case_of(p, i)->s, error);
            else
                result_not_played(&p->r[i], case_of(p, i)->s, p->enough);
        }
        was = played;
    }
}

bool play_cases(const struct play_run *run, struct ibc_result *r, bool *has)
{
    struct playing p = {.run = run, .r = r, .has = has, .settle = {.w = run->waivers, .target = run->target}};
    char err[160];
    const struct pool pool = {.children = run->children,
                              .jobs = (uint32_t)(run->cases->n * run->repeat),
                              .parts = 1,
                              .ctx = &p,
                              .enter = enter,
                              .limit = limit,
                              .work = work,
                              .leave = leave,
                              .enough = enough,
                              .done = done,
                              .died = died};

    if (!take_turns(&p, pool.jobs)) {
        wrong(EXIT_HARNESS, "out of memory");
        return false;
    }
    const bool good = play_turns(&p, &pool, err, sizeof err) && play_again(&p, &pool, err, sizeof err);
    free(p.turn);
    if (!good)
        wrong(EXIT_HARNESS, "%s", err);
    fill(&p, pool.jobs, good ? NULL : err);
    return good || signals_came();
}
