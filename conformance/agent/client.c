/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- signals ---- */

static volatile sig_atomic_t stopped;
static sigset_t usual; /* the signals blocked before: not ours to change */

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

void ag_mind_signals(void)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    const struct sigaction act = {.sa_handler = stop}, ignore = {.sa_handler = SIG_IGN};
    sigset_t set;

    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        (void)sigaddset(&set, ends[i]);
        (void)sigaction(ends[i], &act, NULL);
    }
    (void)sigaction(SIGPIPE, &ignore, NULL);
    (void)sigprocmask(SIG_BLOCK, &set, &usual);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        (void)sigdelset(&usual, ends[i]);
}

bool ag_stopped(void)
{
    return stopped != 0;
}

/* ---- waiting ---- */

static struct timespec time_left(uint64_t until)
{
    const uint64_t now = ibc_wire_clock(), ns = until > now ? until - now : 0;

    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

bool ag_await(struct ag_server *s, int fd, short events, uint64_t until)
{
    struct pollfd p[1 + IBC_DEVICES] = {{.fd = fd, .events = events}};
    nfds_t n = 1;

    for (unsigned d = 0; d < s->n_wire; d++)
        p[n++] = (struct pollfd){.fd = ibc_wire_fd(s->wire[d]), .events = POLLIN};
    while (!stopped) {
        const uint64_t tick = s->real_time ? ibc_wire_clock() + AG_TICK : UINT64_MAX,
                       wake = tick < until ? tick : until;
        const struct timespec left = time_left(wake);
        const int ready = ppoll(p, n, wake == UINT64_MAX ? NULL : &left, &usual);
        if (ready == 0 && wake < until) {
            (void)ag_take_in(s); /* the next reply has the error */
            continue;
        }
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        if (ready < 0)
            continue;
        if (n > 1 && (p[1].revents || p[n - 1].revents) && !ag_take_in(s))
            n = 1; /* closed: the next reply has the error */
        if (p[0].revents)
            return true;
    }
    return false;
}

/* ---- lines ---- */

struct client {
    struct ag_server *s;
    int in, out;
    uint64_t until; /* until then it must have sent hello */
    size_t have;
    bool skipping; /* the rest of a line that is too long */
    char line[AG_LINE], reply[AG_LINE];
};

static uint64_t patience(const struct client *c)
{
    return c->s->token && !c->s->greeted ? c->until : UINT64_MAX;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking; with more, a write might block. */
static bool say(struct client *c, size_t n)
{
    size_t done = 0;

    c->reply[n++] = '\n';
    while (done < n) {
        const size_t piece = n - done < PIPE_BUF ? n - done : PIPE_BUF;
        ssize_t wrote;
        if (!ag_await(c->s, c->out, POLLOUT, UINT64_MAX))
            return false;
        wrote = write(c->out, c->reply + done, piece);
        if (wrote < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* False: hang up. */
static bool answer_line(struct client *c, const char *line, size_t len)
{
    const size_t n = ag_serve(c->s, line, len, c->reply);

    return n == AG_ANSWERED || (n > 0 && say(c, n));
}

static bool answer_too_long(struct client *c)
{
    const size_t n = ag_serve_too_long(c->s, c->reply);

    c->skipping = true;
    c->have = 0;
    return n > 0 && say(c, n);
}

/* Answers all complete lines; the rest stays. */
static bool answer_all(struct client *c)
{
    size_t at = 0;
    const char *end;

    while ((end = memchr(c->line + at, '\n', c->have - at)) != NULL) {
        const size_t len = (size_t)(end - (c->line + at));
        if (!c->skipping && !answer_line(c, c->line + at, len))
            return false;
        c->skipping = false;
        at += len + 1;
    }
    c->have -= at;
    memmove(c->line, c->line + at, c->have);
    if (c->skipping)
        c->have = 0;
    return c->have < sizeof c->line || answer_too_long(c);
}

void ag_serve_client(struct ag_server *s, int in, int out)
{
    struct client *c = calloc(1, sizeof *c);

    if (!c)
        return;
    c->s = s;
    c->in = in;
    c->out = out;
    c->until = ibc_wire_clock() + AG_PATIENCE;
    ag_forget_client(s);
    s->watched = true;
    s->out = out;
    while (ag_await(s, in, POLLIN, patience(c))) {
        const ssize_t n = read(in, c->line + c->have, sizeof c->line - c->have);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            break;
        c->have += n > 0 ? (size_t)n : 0;
        if (n > 0 && !answer_all(c))
            break;
    }
    free(c);
}
