/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_channel.h"
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "live_starter.h"
#include "system/address.h"
#include "system/signals.h"
#include "wire.h"

#define MS UINT64_C(1000000)
#define SLICE (100 * MS) /* longest wait before the clock is read again */
#define SLEPT (100 * MS) /* if a slice ends later than this, this process was not scheduled */

static bool fail(struct channel *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct channel *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(c->fault, sizeof c->fault, format, args);
    va_end(args);
    return false;
}

/* ---- waiting ---- */

static struct timespec left(uint64_t until)
{
    const uint64_t now = ibc_wire_clock(), ns = until > now ? until - now : 0;

    return (struct timespec){.tv_sec = (time_t)(ns / (1000 * MS)), .tv_nsec = (long)(ns % (1000 * MS))};
}

/* Waits for an event of the descriptor. False: `until` came first. Time in which this process was stopped, or not
 * scheduled, was not available to the other end, and is added to the limit. */
static bool wait_for(int fd, short events, uint64_t until, const struct channel_idle *idle)
{
    struct pollfd p[3] = {{.fd = fd, .events = events}};
    nfds_t n = 1;

    for (unsigned i = 0; idle && i < idle->n; i++)
        p[n++] = (struct pollfd){.fd = idle->fd[i], .events = POLLIN};
    for (;;) {
        const uint64_t from = ibc_wire_clock(), slice = until < from + SLICE ? until : from + SLICE;
        const struct timespec t = left(slice);
        const bool ready = ppoll(p, n, &t, NULL) > 0;
        if (ready && p[0].revents)
            return true;
        if (ready && idle)
            idle->idle(idle->ctx);
        const uint64_t now = ibc_wire_clock();
        if (now > slice + SLEPT)
            until += now - slice;
        else if (now >= until)
            return false;
    }
}

/* ---- exec ---- */

static _Noreturn void be_agent(int fd, const char *command, pid_t parent)
{
    signals_forget();
    setsid(); /* a session of its own, so that the agent can be ended with all its child processes */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(127);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static bool open_exec(struct channel *c, const char *command, uint64_t until)
{
    int fd[2];
    const pid_t parent = getpid();

    (void)until;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0)
        return fail(c, "%s", strerror(errno));
    c->child = fork();
    if (c->child == 0)
        be_agent(fd[1], command, parent);
    close(fd[1]);
    c->fd = fd[0];
    return c->child > 0 || fail(c, "%s", strerror(errno));
}

/* Whether the command has ended by the time `until`. The command is not reaped, so that its session keeps its id. */
static bool ended_by(pid_t child, uint64_t until, siginfo_t *how)
{
    const struct timespec nap = {.tv_nsec = 2000000};

    for (*how = (siginfo_t){0}; waitid(P_PID, (id_t)child, how, WEXITED | WNOHANG | WNOWAIT) == 0;
         nanosleep(&nap, NULL))
        if (how->si_pid == child || ibc_wire_clock() >= until)
            return how->si_pid == child;
    return true;
}

/* Waits for the agent to exit, which a well-behaved agent does since its input has ended. Ends the processes that
 * it leaves, too. */
static void end_child(struct channel *c)
{
    siginfo_t how;

    if (!ended_by(c->child, ibc_wire_clock() + 500 * MS, &how)) {
        kill(-c->child, SIGTERM);
        (void)ended_by(c->child, ibc_wire_clock() + 500 * MS, &how);
    }
    kill(c->child, SIGKILL);
    kill(-c->child, SIGKILL);
    waitpid(c->child, NULL, 0);
    c->child = 0;
}

void channel_hung_up(struct channel *c)
{
    siginfo_t how;

    if (c->starter)
        starter_ask_why(c->starter, c->fault, sizeof c->fault);
    else if (c->child <= 0 || !ended_by(c->child, ibc_wire_clock() + 100 * MS, &how) || how.si_pid != c->child)
        (void)fail(c, "it hung up");
    else if (how.si_code == CLD_EXITED)
        (void)fail(c, "it ended with exit code %d", how.si_status);
    else
        (void)fail(c, "it was ended by signal %d (%s)", how.si_status, strsignal(how.si_status));
}

static bool hung_up(struct channel *c)
{
    channel_hung_up(c);
    return false;
}

/* ---- sockets ---- */

static bool connect_to(struct channel *c, const struct sockaddr *a, socklen_t n, uint64_t until)
{
    int e = 0;
    socklen_t size = sizeof e;

    c->fd = socket(a->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0)
        return fail(c, "%s", strerror(errno));
    if (connect(c->fd, a, n) != 0)
        e = errno;
    if (e == EINPROGRESS) {
        if (!wait_for(c->fd, POLLOUT, until, NULL))
            e = ETIMEDOUT;
        else if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &e, &size) != 0)
            e = errno;
    }
    if (e == 0)
        return true;
    close(c->fd);
    c->fd = -1;
    if (e == EAGAIN)
        return fail(c, "nobody accepts the connection: the agent or its machine stands still");
    if (e == EACCES)
        return fail(c, "%s for this user (--user NAME runs as another)", strerror(e));
    return fail(c, "%s", strerror(e));
}

static bool open_unix(struct channel *c, const char *path, uint64_t until)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};

    if (!*path || strlen(path) >= sizeof a.sun_path)
        return fail(c, "want a path of 1 to %zu bytes", sizeof a.sun_path - 1);
    memcpy(a.sun_path, path, strlen(path));
    return connect_to(c, (const struct sockaddr *)&a, sizeof a, until);
}

static bool open_tcp(struct channel *c, const char *where, uint64_t until)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    const int on = 1;
    char text[256], *host, *port;
    struct addrinfo *found = NULL;
    bool good = false;
    int e;

    snprintf(text, sizeof text, "%s", where);
    if (strlen(where) >= sizeof text || !address_split(text, &host, &port))
        return fail(c, "want tcp:HOST:PORT, PORT a number up to 65535");
    e = getaddrinfo(host, port, &hints, &found);
    if (e != 0)
        return fail(c, "%s", gai_strerror(e));
    for (const struct addrinfo *a = found; a && !good; a = a->ai_next)
        good = connect_to(c, a->ai_addr, a->ai_addrlen, until);
    freeaddrinfo(found);
    if (good)
        (void)setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return good;
}

/* ---- from open to close ---- */

static const struct {
    const char *prefix;
    bool (*open)(struct channel *c, const char *rest, uint64_t until);
} kinds[] = {{"exec:", open_exec}, {"unix:", open_unix}, {"tcp:", open_tcp}};

bool channel_open(struct channel *c, const char *spec, uint64_t until)
{
    c->fd = -1;
    c->child = 0;
    c->have = c->given = 0;
    if (c->starter) {
        c->fd = starter_begin(c->starter, until, c->fault, sizeof c->fault);
        return c->fd >= 0;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(spec, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].open(c, spec + strlen(kinds[i].prefix), until);
    return fail(c, "no such channel; there are exec:COMMAND, unix:PATH, tcp:HOST:PORT");
}

void channel_close(struct channel *c)
{
    const bool was_open = c->fd >= 0;

    if (was_open)
        close(c->fd);
    c->fd = -1;
    c->have = c->given = 0;
    if (c->child > 0)
        end_child(c);
    if (c->starter && was_open)
        starter_end(c->starter);
}

const struct channel_ops channel_direct = {.open = channel_open, .close = channel_close, .hung_up = channel_hung_up};

/* ---- lines ---- */

bool channel_send(struct channel *c, const char *line, size_t len, uint64_t until, const struct channel_idle *idle)
{
    while (len > 0) {
        const ssize_t n = send(c->fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && (errno == EPIPE || errno == ECONNRESET))
            return hung_up(c);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fail(c, "%s", strerror(errno));
        if (n > 0) {
            line += n;
            len -= (size_t)n;
        } else if (!wait_for(c->fd, POLLOUT, until, idle)) {
            return fail(c, "it does not read");
        }
    }
    return true;
}

/* Removes the line that was returned last from the buffer. */
static void forget_line(struct channel *c, size_t used)
{
    memmove(c->in, c->in + used, c->have - used);
    c->have -= used;
}

static bool fill(struct channel *c, uint64_t until, const struct channel_idle *idle)
{
    ssize_t n;

    if (c->have == sizeof c->in)
        return fail(c, "a line of more than %d bytes", (int)CHANNEL_LINE);
    while ((n = recv(c->fd, c->in + c->have, sizeof c->in - c->have, MSG_DONTWAIT)) < 0) {
        if (errno == ECONNRESET)
            return hung_up(c);
        if (errno != EAGAIN && errno != EINTR)
            return fail(c, "%s", strerror(errno));
        if (!wait_for(c->fd, POLLIN, until, idle))
            return fail(c, "no answer in time");
    }
    if (n == 0)
        return hung_up(c);
    c->have += (size_t)n;
    return true;
}

const char *channel_receive(struct channel *c, size_t *len, uint64_t until, const struct channel_idle *idle)
{
    char *end;

    forget_line(c, c->given);
    c->given = 0;
    for (size_t seen = 0; !(end = memchr(c->in + seen, '\n', c->have - seen));) {
        seen = c->have;
        if (!fill(c, until, idle))
            return NULL;
    }
    *len = (size_t)(end - c->in);
    c->given = *len + 1;
    return c->in;
}
