/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDS = sizeof ends / sizeof *ends };

static volatile sig_atomic_t came;
static volatile int pipe_end[2] = {-1, -1};
static void (*first_too)(void);
static bool minded[ENDS];

/* Gives all signals that are handled, except `but`, another effect. sigaction() may be called in a handler
 * (POSIX.1-2017, 2.4.3). */
static void give(void (*effect)(int), int but)
{
    const struct sigaction act = {.sa_handler = effect};

    for (size_t i = 0; i < ENDS; i++)
        if (minded[i] && ends[i] != but)
            (void)sigaction(ends[i], &act, NULL);
}

static void note(int signal)
{
    const int error = errno;

    came = signal;
    give(SIG_DFL, 0);
    const ssize_t written = write(pipe_end[1], "", 1);
    (void)written; /* a full pipe is readable, too, which is all that is needed */
    if (first_too)
        first_too();
    errno = error;
}

bool signals_mind(void (*first)(void))
{
    /* a write that a signal interrupts goes on */
    struct sigaction act = {.sa_handler = note, .sa_flags = SA_RESTART}, was;
    int fd[2];

    first_too = first;
    if (pipe_end[0] == -1) {
        if (pipe(fd) != 0)
            return false;
        for (size_t i = 0; i < 2; i++) {
            (void)fcntl(fd[i], F_SETFD, FD_CLOEXEC);
            (void)fcntl(fd[i], F_SETFL, O_NONBLOCK);
            pipe_end[i] = fd[i];
        }
    }
    (void)sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < ENDS; i++)
        (void)sigaddset(&act.sa_mask, ends[i]);
    for (size_t i = 0; i < ENDS; i++) {
        minded[i] = sigaction(ends[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN;
        if (minded[i])
            (void)sigaction(ends[i], &act, NULL);
    }
    return true;
}

int signals_came(void)
{
    return came;
}

int signals_fd(void)
{
    return pipe_end[0];
}

bool signals_await(int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = pipe_end[0], .events = POLLIN}};

    if (pipe_end[0] == -1)
        return true;
    while (poll(p, 2, -1) == -1)
        if (errno != EINTR)
            break; /* the read that follows reports the error */
    return !came;
}

static void close_pipe(void)
{
    came = 0;
    for (unsigned i = 0; i < 2; i++)
        if (pipe_end[i] != -1) {
            (void)close(pipe_end[i]);
            pipe_end[i] = -1;
        }
}

void signals_leave_to_parent(void)
{
    give(SIG_DFL, 0);
    give(SIG_IGN, SIGTERM);
    close_pipe();
}

void signals_outlive(void)
{
    give(SIG_IGN, 0);
    close_pipe();
}

void signals_forget(void)
{
    give(SIG_DFL, 0);
    close_pipe();
}
