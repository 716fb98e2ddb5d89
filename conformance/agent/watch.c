/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK = 100000000, PATIENCE = 30 }; /* ns; ticks */

static struct {
    pthread_mutex_t lock;
    bool on;   /* the thread is running */
    pid_t tid; /* thread that executes the verbs */
    int out;
    bool busy, answered;
    uint64_t id;
    enum ag_verb verb;
} w = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Whether the thread sleeps in the kernel and cannot be woken: it is neither stopped nor waiting for a processor. */
static bool is_stuck(void)
{
    char path[64], stat[512];
    const char *state;
    size_t n;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)w.tid);
    f = fopen(path, "re");
    if (!f)
        return false;
    n = fread(stat, 1, sizeof stat - 1, f);
    (void)fclose(f);
    stat[n] = '\0';
    state = strrchr(stat, ')');
    return state && state[1] == ' ' && state[2] == 'D';
}

static void answer(void)
{
    static char line[AG_LINE];
    static struct ag_reply r;
    size_t n;

    r = (struct ag_reply){.verb = w.verb, .id = w.id, .has_id = true};
    ag_refuse(&r, AG_E_dead, NULL, "%s has not returned from the kernel for %d s", ag_verb_name(w.verb),
              (int)(PATIENCE * (int64_t)TICK / 1000000000));
    n = ag_write_reply(&r, line, sizeof line - 1);
    line[n++] = '\n';
    w.answered = write(w.out, line, n) == (ssize_t)n;
}

/* Counts its own ticks instead of reading the clock: while the whole process is stopped, no verb counts as slow. */
static void *watch(void *unused)
{
    const struct timespec tick = {.tv_nsec = TICK};
    unsigned stuck = 0;
    uint64_t of = 0;

    (void)unused;
    for (;;) {
        (void)nanosleep(&tick, NULL);
        (void)pthread_mutex_lock(&w.lock);
        stuck = w.busy && !w.answered && w.id == of && is_stuck() ? stuck + 1 : 0;
        of = w.id;
        if (stuck == PATIENCE)
            answer();
        (void)pthread_mutex_unlock(&w.lock);
    }
    return NULL;
}

void ag_watch_begin(int out, uint64_t id, enum ag_verb verb)
{
    pthread_t thread;

    (void)pthread_mutex_lock(&w.lock);
    w.busy = true;
    w.answered = false;
    w.out = out;
    w.id = id;
    w.verb = verb;
    w.tid = gettid();
    (void)pthread_mutex_unlock(&w.lock);
    if (!w.on)
        w.on = pthread_create(&thread, NULL, watch, NULL) == 0 && pthread_detach(thread) == 0;
}

bool ag_watch_end(void)
{
    bool answered;

    (void)pthread_mutex_lock(&w.lock);
    answered = w.busy && w.answered;
    w.busy = false;
    (void)pthread_mutex_unlock(&w.lock);
    return answered;
}
