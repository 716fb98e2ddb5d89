/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that answers in place of a verb: the test says what state the kernel shows, and when a tick is over. */
#include "agent/watch.h"
#include <criterion/criterion.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sem_t idle, go;
static const char *shown; /* the file of the thread that executes verbs; NULL: it is not there */
static bool held;         /* whether the watching thread waits for the test */

int __real_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left);
int __wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
    if (!held)
        return __real_nanosleep(t, left);
    cr_expect(t->tv_sec == 0 && t->tv_nsec == 100000000);
    (void)sem_post(&idle);
    (void)sem_wait(&go);
    return 0;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    char own[64];

    snprintf(own, sizeof own, "/proc/self/task/%d/stat", (int)gettid());
    if (strncmp(path, "/proc/self/task/", 16) != 0)
        return __real_fopen(path, mode);
    cr_expect_neq(strcmp(path, own), 0, "it looks at the other thread");
    return shown ? fmemopen((void *)(uintptr_t)shown, strlen(shown), "r") : NULL;
}

static void ticks(unsigned n)
{
    for (; n > 0; n--) {
        (void)sem_post(&go);
        (void)sem_wait(&idle);
    }
}

/* After 30 ticks of a tenth of a second in which the same verb sleeps in the kernel, it is answered, once. */
Test(watch, a_verb_that_does_not_return)
{
    static const char want[] =
        "{\"id\":7,\"error\":\"dead\",\"text\":\"create_pd has not returned from the kernel for 3 s\"}\n";
    char line[300] = "";
    int end[2];

    cr_assert(sem_init(&idle, 0, 0) == 0 && sem_init(&go, 0, 0) == 0 && pipe(end) == 0);
    held = true;
    shown = "5 (D) x) D 1 5 5";
    ag_watch_begin(end[1], 7, AG_V_create_pd);
    (void)sem_wait(&idle);
    ticks(30);
    cr_expect_not(ag_watch_end(), "the first tick began it");
    ag_watch_begin(end[1], 6, AG_V_create_cq);
    ticks(30);
    shown = "5 (D) x) S 1 5 5";
    ticks(1);
    shown = "5 (D) x) D 1 5 5";
    ticks(29);
    shown = NULL;
    ticks(1);
    shown = "no bracket D";
    ticks(31);
    cr_expect_not(ag_watch_end());
    shown = "5 (D) x) D 1 5 5";
    ticks(40);
    cr_expect_not(ag_watch_end(), "no verb was executed");
    ag_watch_begin(end[1], 7, AG_V_create_pd);
    ticks(31);
    cr_expect_eq(read(end[0], line, sizeof line - 1), (ssize_t)strlen(want));
    cr_expect_str_eq(line, want, "%s", line);
    ticks(40);
    cr_expect(ag_watch_end());
    cr_expect_not(ag_watch_end());
    (void)close(end[1]);
    cr_expect_eq(read(end[0], line, sizeof line), 0, "it was answered once");
    ag_watch_begin(-1, 8, AG_V_create_pd);
    ticks(31);
    cr_expect_not(ag_watch_end(), "the answer could not be written");
    held = false;
}
