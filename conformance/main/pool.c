/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "options.h"
#include "system/signals.h"

struct child {
    pid_t pid; /* 0: not running */
    int to, from;
    uint32_t job, part; /* the current job and part, while the child runs */
};
struct crew {
    const struct pool *p;
    struct child child[MAX_CHILDREN];
    uint32_t next; /* number of the next job */
};
struct order {
    uint32_t job, part; /* the child begins with this part of the job */
};

static bool read_whole(int fd, void *to, size_t n)
{
    for (size_t have = 0; have < n;) {
        const ssize_t got = read(fd, (char *)to + have, n - have);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        have += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_whole(int fd, const void *from, size_t n)
{
    for (size_t sent = 0; sent < n;) {
        const ssize_t put = write(fd, (const char *)from + sent, n - sent);
        if (put < 0 && errno != EINTR)
            return false;
        sent += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* ---- the child ---- */
static void be_quiet(void)
{
    const int null = open("/dev/null", O_WRONLY);
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    if (null >= 0) {
        dup2(null, STDERR_FILENO);
        dup2(null, STDOUT_FILENO);
        close(null);
    }
}

static _Noreturn void work(const struct pool *p, int in, int out)
{
    static uint8_t message[sizeof(uint32_t) + POOL_RECORD];
    struct order o;
    bool heard = true;

    while (heard && read_whole(in, &o, sizeof o))
        for (uint32_t part = o.part; heard && part < p->parts; part++) {
            alarm(p->limit ? p->limit(p->ctx, o.job, part) : 0);
            const uint32_t len = (uint32_t)p->work(p->ctx, o.job, part, message + sizeof len);
            alarm(0);
            memcpy(message, &len, sizeof len);
            heard = write_whole(out, message, sizeof len + len);
        }
    if (p->leave)
        p->leave(p->ctx);
    if (p->mute)
        _exit(0);
    exit(0); /* exit() and not _exit(), so that leaks are reported */
}

/* ---- the parent ---- */
static void forget(struct child *c)
{
    close(c->to);
    close(c->from);
    c->pid = 0;
}

static bool start(struct crew *w, struct child *c)
{
    int to[2], from[2];

    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signals_leave_to_parent();
        if (getppid() != parent)
            _exit(0);
        for (size_t i = 0; i < w->p->children; i++)
            if (w->child[i].pid)
                forget(&w->child[i]); /* otherwise the child would not see the end of its input */
        close(to[1]);
        close(from[0]);
        if (w->p->mute)
            be_quiet();
        if (w->p->enter)
            w->p->enter(w->p->ctx, (unsigned)(c - w->child));
        work(w->p, to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    c->pid = pid > 0 ? pid : 0;
    c->to = to[1];
    c->from = from[0];
    if (pid < 0)
        forget(c);
    return pid > 0;
}

/* Gives the child the next job, or tells it that there is none. */
static void give(struct crew *w, struct child *c)
{
    if (c->part == w->p->parts) {
        if (w->p->enough && w->p->enough(w->p->ctx))
            w->next = w->p->jobs;
        c->job = w->next;
        c->part = 0;
        if (w->next < w->p->jobs)
            w->next++;
    }
    if (c->job == w->p->jobs) {
        const pid_t pid = c->pid;
        forget(c);
        waitpid(pid, NULL, 0);
        return;
    }
    const struct order o = {c->job, c->part};
    (void)write_whole(c->to, &o, sizeof o); /* if the child has died, the end of its records shows it */
}

/* Reaps a child, and starts another. False: no other can be started. */
static bool bury(struct crew *w, struct child *c)
{
    int status = 0;

    kill(c->pid, SIGKILL); /* the child sends no more records but may be alive: it closed the pipe */
    waitpid(c->pid, &status, 0);
    forget(c);
    w->p->died(w->p->ctx, c->job, c->part++, status);
    if (c->part == w->p->parts && w->next == w->p->jobs)
        return true;
    if (!start(w, c))
        return false;
    give(w, c);
    return true;
}

static bool receive(struct crew *w, struct child *c)
{
    static uint8_t record[POOL_RECORD];
    uint32_t len;

    if (!read_whole(c->from, &len, sizeof len) || len > sizeof record || !read_whole(c->from, record, len))
        return bury(w, c);
    w->p->done(w->p->ctx, c->job, c->part++, record, len);
    if (c->part == w->p->parts)
        give(w, c);
    return true;
}

static bool listen_once(struct crew *w, bool *any)
{
    struct pollfd fd[MAX_CHILDREN + 1];
    struct child *who[MAX_CHILDREN];
    nfds_t n = 0;

    for (size_t i = 0; i < w->p->children; i++)
        if (w->child[i].pid) {
            fd[n] = (struct pollfd){.fd = w->child[i].from, .events = POLLIN};
            who[n++] = &w->child[i];
        }
    *any = n > 0;
    if (n == 0)
        return true;
    fd[n] = (struct pollfd){.fd = signals_fd(), .events = POLLIN};
    if (poll(fd, n + 1, -1) < 0)
        return errno == EINTR;
    for (nfds_t i = 0; !signals_came() && i < n; i++)
        if (fd[i].revents && !receive(w, who[i]))
            return false;
    return true;
}

bool pool_run(const struct pool *p, char *err, size_t errlen)
{
    struct pool q = *p;
    struct crew w = {.p = &q};
    bool good = true, any = true;

    if (q.jobs == 0 || q.parts == 0)
        return true;
    fflush(stdout); /* otherwise each child would print the rest again */
    q.children = q.children > MAX_CHILDREN ? MAX_CHILDREN : q.children > q.jobs ? q.jobs : q.children;
    for (size_t i = 0; good && i < q.children; i++) {
        w.child[i].part = q.parts; /* counts as finished with a job, so that it gets its first one */
        good = start(&w, &w.child[i]);
        if (good)
            give(&w, &w.child[i]);
    }
    while (good && any && !signals_came())
        good = listen_once(&w, &any);
    if (good && !any)
        return true;
    if (signals_came())
        snprintf(err, errlen, "a signal ended the run");
    else
        snprintf(err, errlen, "no process to be had: %s", strerror(errno));
    for (size_t i = 0; i < q.children; i++)
        if (w.child[i].pid) {
            kill(w.child[i].pid, SIGKILL);
            waitpid(w.child[i].pid, NULL, 0);
            forget(&w.child[i]);
        }
    return false;
}

bool pool_hung(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

void pool_death(int status, char *out, size_t n)
{
    if (WIFSIGNALED(status))
        snprintf(out, n, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(out, n, "exit code %d", WEXITSTATUS(status));
}

unsigned pool_patience(uint64_t well_ns)
{
    enum { LEAST = 5, SLOWER = 30 };
    const uint64_t s = well_ns / UINT64_C(1000000000) * SLOWER + well_ns % UINT64_C(1000000000) * SLOWER / 1000000000u;

    return s < LEAST ? LEAST : s > UINT_MAX ? UINT_MAX : (unsigned)s;
}

unsigned pool_cores(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < 1 ? 1 : n > MAX_CHILDREN ? MAX_CHILDREN : (unsigned)n;
}
