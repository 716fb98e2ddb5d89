/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of child processes that work, die, hang or send false results: every part of every job is still reported
 * once. */
#include "main/pool.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "system/signals.h"

enum { JOBS = 37, PARTS = 5 };
enum act { WORKS, CRASHES, LEAVES, CLOSES, HANGS };

struct lab {
    enum act act[JOBS][PARTS];
    unsigned done[JOBS][PARTS], died[JOBS][PARTS];
    int status[JOBS][PARTS];
    uint32_t last[JOBS]; /* part + 1: parts come in order */
    bool bad;
};

static size_t work(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD])
{
    struct lab *l = ctx;

    switch (l->act[job][part]) {
    case CRASHES:
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
        break;
    case LEAVES: _exit(3);
    case CLOSES:
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        break;
    case HANGS:
        for (;;)
            pause();
    case WORKS: break;
    }
    memset(record, (int)(job + part), job * 11 + part);
    return job * 11 + part;
}

static unsigned limit(void *ctx, uint32_t job, uint32_t part)
{
    struct lab *l = ctx;

    return l->act[job][part] == HANGS ? 1 : 0;
}

static void in_order(struct lab *l, uint32_t job, uint32_t part)
{
    l->bad |= l->last[job] != part;
    l->last[job] = part + 1;
}

static void done(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    struct lab *l = ctx;

    l->done[job][part]++;
    l->bad |= len != job * 11 + part;
    for (size_t i = 0; i < len; i++)
        l->bad |= record[i] != (uint8_t)(job + part);
    in_order(l, job, part);
}

static void died(void *ctx, uint32_t job, uint32_t part, int status)
{
    struct lab *l = ctx;

    l->died[job][part]++;
    l->status[job][part] = status;
    in_order(l, job, part);
}

static void play(struct lab *l, unsigned children)
{
    char err[160] = "";
    const struct pool p = {.children = children,
                           .jobs = JOBS,
                           .parts = PARTS,
                           .mute = true,
                           .ctx = l,
                           .limit = limit,
                           .work = work,
                           .done = done,
                           .died = died};

    cr_assert(pool_run(&p, err, sizeof err), "%s", err);
    cr_assert_not(l->bad);
    for (unsigned j = 0; j < JOBS; j++)
        for (unsigned k = 0; k < PARTS; k++) {
            cr_expect_eq(l->done[j][k], l->act[j][k] == WORKS, "job %u part %u", j, k);
            cr_expect_eq(l->died[j][k], l->act[j][k] != WORKS, "job %u part %u", j, k);
        }
}

Test(pool, every_part_of_every_job_once)
{
    for (unsigned children = 1; children <= 40; children += 3) {
        struct lab l = {0};
        play(&l, children);
    }
}

Test(pool, a_death_costs_one_part)
{
    for (unsigned children = 1; children <= 4; children++) {
        struct lab l = {0};
        char how[80];
        l.act[0][0] = l.act[7][2] = l.act[7][3] = l.act[JOBS - 1][PARTS - 1] = CRASHES;
        l.act[3][4] = l.act[JOBS - 1][0] = LEAVES;
        l.act[9][1] = CLOSES;
        play(&l, children);
        pool_death(l.status[7][2], how, sizeof how);
        cr_expect(strncmp(how, "signal 6 (", 10) == 0, "%s", how);
        pool_death(l.status[3][4], how, sizeof how);
        cr_expect_str_eq(how, "exit code 3");
        cr_expect_not(pool_hung(l.status[7][2]));
    }
}

Test(pool, nobody_lives)
{
    struct lab l = {0};

    for (unsigned j = 0; j < JOBS; j++)
        for (unsigned k = 0; k < PARTS; k++)
            l.act[j][k] = LEAVES;
    play(&l, 3);
}

Test(pool, time_is_up)
{
    struct lab l = {0};

    l.act[2][1] = l.act[20][4] = HANGS;
    play(&l, 2);
    cr_expect(pool_hung(l.status[2][1]));
    cr_expect(pool_hung(l.status[20][4]));
}

Test(pool, patience_goes_with_the_work)
{
    const uint64_t second = UINT64_C(1000000000);

    cr_expect_eq(pool_patience(0), 5);
    cr_expect_eq(pool_patience(second / 10), 5);
    cr_expect_eq(pool_patience(second / 2), 15);
    cr_expect_eq(pool_patience(100 * second), 3000);
    cr_expect_eq(pool_patience(UINT64_MAX), UINT_MAX);
}

Test(pool, nothing_to_do)
{
    const struct pool p = {.children = 4, .jobs = 0, .parts = 1, .work = work, .done = done, .died = died};
    char err[160];

    cr_expect(pool_run(&p, err, sizeof err));
    cr_expect_geq(pool_cores(), 1);
}

/* The children print nothing of what the parent has not printed yet. */
Test(pool, output_is_printed_once)
{
    struct lab l = {0};
    char err[160], path[] = "pool.XXXXXX", text[40] = "";
    const struct pool p = {
        .children = 3, .jobs = 4, .parts = 1, .ctx = &l, .work = work, .done = done, .died = died, .mute = false};
    const int fd = mkstemp(path), out = dup(1);

    cr_assert(fd >= 0 && out >= 0 && unlink(path) == 0 && fflush(stdout) == 0 && dup2(fd, 1) == 1);
    printf("before");
    const bool good = pool_run(&p, err, sizeof err);
    (void)fflush(stdout);
    cr_assert(dup2(out, 1) == 1 && close(out) == 0);
    cr_expect(good && pread(fd, text, sizeof text - 1, 0) == 6, "%s", text);
    cr_expect_str_eq(text, "before");
    (void)close(fd);
}

/* ---- runs that end early ---- */

static unsigned all_done(const struct lab *l)
{
    unsigned n = 0;

    for (unsigned j = 0; j < JOBS; j++)
        n += l->done[j][0];
    return n;
}

/* On a busy machine one of the two children may do all jobs but one: any job may be among the first three. */
static void ends_the_run(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    done(ctx, job, part, record, len);
    if (all_done(ctx) == 3)
        raise(SIGTERM);
}

static void no_child_is_left(void)
{
    cr_expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

Test(pool, a_signal)
{
    struct lab l = {0};
    char err[160] = "";
    const struct pool p = {.children = 2,
                           .jobs = JOBS,
                           .parts = 1,
                           .mute = true,
                           .ctx = &l,
                           .work = work,
                           .done = ends_the_run,
                           .died = died};

    cr_assert(signals_mind(NULL));
    cr_expect_not(pool_run(&p, err, sizeof err));
    cr_expect_str_eq(err, "a signal ended the run");
    cr_expect_eq(all_done(&l), 3);
    no_child_is_left();
}

/* Without descriptors for the first child, or for the second one, there is no run. Some descriptors above the first
 * free one may be in use. */
Test(pool, no_descriptors)
{
    const int first = dup(1);
    struct rlimit was;

    cr_assert(first >= 0 && close(first) == 0 && getrlimit(RLIMIT_NOFILE, &was) == 0);
    for (rlim_t room = 1; room <= 30; room += room < 9 ? 1 : 21) {
        const struct rlimit is = {.rlim_cur = (rlim_t)first + room, .rlim_max = was.rlim_max};
        struct lab l = {0};
        char err[160] = "";
        const struct pool p = {
            .children = 2, .jobs = 4, .parts = 1, .mute = true, .ctx = &l, .work = work, .done = done, .died = died};
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &is), 0);
        const bool good = pool_run(&p, err, sizeof err);
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
        cr_expect(good ? room > 5 : room < 30, "%u descriptors: %s", (unsigned)room, err);
        cr_expect_str_eq(err, good ? "" : "no process to be had: Too many open files");
        cr_expect_eq(dup(1), first, "none is left open");
        (void)close(first);
        no_child_is_left();
    }
}

static void no_other_can_be_started(void *ctx, uint32_t job, uint32_t part, int status)
{
    struct rlimit was;

    died(ctx, job, part, status);
    cr_assert(getrlimit(RLIMIT_NOFILE, &was) == 0);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, was.rlim_max}), 0);
}

/* A child dies, and there is none to take its place. */
Test(pool, no_successor)
{
    struct lab l = {.act = {{LEAVES}}};
    struct rlimit was;
    char err[160] = "";
    const struct pool p = {.children = 1,
                           .jobs = 3,
                           .parts = 1,
                           .mute = true,
                           .ctx = &l,
                           .work = work,
                           .done = done,
                           .died = no_other_can_be_started};

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    const bool good = pool_run(&p, err, sizeof err);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
    cr_expect(!good && l.died[0][0] == 1 && l.done[1][0] == 0);
    cr_expect_str_eq(err, "no process to be had: Too many open files");
    no_child_is_left();
}

/* ---- signals that end nothing ---- */

static void heard(int number)
{
    (void)number;
}

static size_t slow_work(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD])
{
    (void)ctx;
    memset(record, (int)(job + part), POOL_RECORD);
    return POOL_RECORD;
}

static void whole(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len)
{
    struct lab *l = ctx;

    l->done[job][part]++;
    l->bad |= len != POOL_RECORD || record[0] != (uint8_t)(job + part) || record[len - 1] != (uint8_t)(job + part);
    for (unsigned i = 0; i < 5; i++) /* the children go on writing what nobody reads yet */
        (void)kill(0, SIGWINCH);
}

/* A signal interrupts what waits for a pipe, in the parent and in the children, and they go on: no record is cut. */
Test(pool, signals_that_interrupt)
{
    const struct sigaction interrupts = {.sa_handler = heard}; /* no SA_RESTART */
    struct lab l = {0};
    char err[160] = "";
    const struct pool p = {.children = 4,
                           .jobs = JOBS,
                           .parts = PARTS,
                           .mute = true,
                           .ctx = &l,
                           .work = slow_work,
                           .done = whole,
                           .died = died};

    cr_assert(getpgrp() == getpid() || setpgid(0, 0) == 0); /* the signals reach nobody else */
    cr_assert_eq(sigaction(SIGWINCH, &interrupts, NULL), 0);
    cr_assert(pool_run(&p, err, sizeof err), "%s", err);
    cr_expect_not(l.bad);
    for (unsigned j = 0; j < JOBS; j++)
        for (unsigned k = 0; k < PARTS; k++)
            cr_expect(l.done[j][k] == 1 && l.died[j][k] == 0, "job %u part %u", j, k);
}
