/* SPDX-License-Identifier: BSD-2-Clause */
#include "client.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "system/signals.h"

static struct timespec time_left(uint64_t until)
{
    const uint64_t now = ibc_wire_clock(), ns = until > now ? until - now : 0;

    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

/* Indices of the descriptors that ag_await() polls: the one that is waited for, then signals, then the wires, and
 * after them other clients. */
enum { AT_FD, AT_SIGNALS, AT_WIRES };

static bool wire_is_ready(const struct pollfd *p, nfds_t n)
{
    bool ready = false;

    for (nfds_t i = AT_WIRES; i < n; i++)
        ready |= p[i].revents != 0;
    return ready;
}

bool ag_await(struct ag_server *s, int fd, short events, uint64_t until, uint64_t rivalled)
{
    struct pollfd p[AT_WIRES + IBC_DEVICES + 1] = {{.fd = fd, .events = events},
                                                   {.fd = signals_fd(), .events = POLLIN}};
    nfds_t wires = AT_WIRES;
    bool alone = s->rivals >= 0 && rivalled != UINT64_MAX;

    for (unsigned d = 0; d < s->n_wire; d++)
        p[wires++] = (struct pollfd){.fd = ibc_wire_fd(s->wire[d]), .events = POLLIN};
    p[wires] = (struct pollfd){.fd = s->rivals, .events = POLLIN};
    while (!signals_came()) {
        const uint64_t tick = s->real_time ? ibc_wire_clock() + AG_TICK : UINT64_MAX,
                       wake = tick < until ? tick : until;
        const struct timespec left = time_left(wake);
        struct pollfd *other = &p[wires];
        const int ready = ppoll(p, wires + alone, wake == UINT64_MAX ? NULL : &left, NULL);
        if (ready == 0 && wake < until) {
            (void)ag_take_in(s); /* the next reply has the error */
            continue;
        }
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        if (ready < 0)
            continue;
        if (alone && other->revents) {
            alone = false;
            until = rivalled < until ? rivalled : until;
        }
        if (wire_is_ready(p, wires) && !ag_take_in(s)) {
            wires = AT_WIRES; /* the wires are no longer polled: the next reply has the error */
            p[wires] = *other;
        }
        if (p[AT_FD].revents)
            return true;
    }
    return false;
}

/* ---- lines ---- */

struct client {
    struct ag_server *s;
    int out;
    uint64_t since; /* time when the client came */
    size_t have;
    bool skipping; /* the rest of a line that is too long is being skipped */
    char line[AG_LINE], reply[AG_LINE];
};

static bool is_stranger(const struct client *c)
{
    return c->s->token && !c->s->greeted;
}

/* Returns the time until which the client may send nothing. *rivalled is the limit if another client waits. */
static uint64_t patience(const struct client *c, uint64_t *rivalled)
{
    *rivalled = is_stranger(c) ? c->since + AG_RIVALLED : UINT64_MAX;
    return is_stranger(c) ? c->since + AG_PATIENCE : UINT64_MAX;
}

/* A pipe that is ready takes PIPE_BUF bytes without blocking; with more, a write might block. */
static bool answer(struct client *c, size_t n)
{
    size_t done = 0;

    c->reply[n++] = '\n';
    while (done < n) {
        const size_t piece = n - done < PIPE_BUF ? n - done : PIPE_BUF;
        ssize_t wrote;
        if (!ag_await(c->s, c->out, POLLOUT, UINT64_MAX, ibc_wire_clock() + AG_PATIENCE))
            return false;
        wrote = write(c->out, c->reply + done, piece);
        if (wrote < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

/* Answers one line. False: the connection is to be closed. */
static bool answer_line(struct client *c, const char *line, size_t len)
{
    const size_t n = ag_serve(c->s, line, len, c->reply);

    return n == AG_ANSWERED || (n > 0 && answer(c, n));
}

static bool answer_too_long(struct client *c)
{
    const size_t n = ag_serve_too_long(c->s, c->reply);

    c->skipping = true;
    c->have = 0;
    return n > 0 && answer(c, n);
}

/* Answers all complete lines. An incomplete line stays in the buffer. */
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
    c->out = out;
    c->since = ibc_wire_clock();
    ag_forget_client(s);
    s->watched = !s->engine;
    s->out = out;
    for (uint64_t until, rivalled; until = patience(c, &rivalled), ag_await(s, in, POLLIN, until, rivalled);) {
        const ssize_t n = read(in, c->line + c->have, sizeof c->line - c->have);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            break;
        c->have += n > 0 ? (size_t)n : 0;
        if (n > 0 && !answer_all(c))
            break;
    }
    free(c);
}
