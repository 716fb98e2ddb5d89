/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_starter.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "live_channel.h"
#include "system/signals.h"
#include "wire.h"

enum what { BEGIN, END, WHY };
struct order {
    uint64_t number, until;
    uint32_t what; /* enum what */
};
struct reply {
    uint64_t number;
    uint32_t good; /* reply to BEGIN: a descriptor comes with the reply */
    char why[CHANNEL_SENTENCE];
};

/* ---- messages, one descriptor at most with each ---- */

union with_descriptor {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_reply(int to, struct reply *r, int fd)
{
    union with_descriptor c = {0};
    struct iovec v = {r, sizeof *r};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

    if (fd >= 0) {
        m.msg_control = &c;
        m.msg_controllen = sizeof c;
        *CMSG_FIRSTHDR(&m) =
            (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof fd);
    }
    return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof *r;
}

/* Receives a reply. *fd becomes the descriptor that came with it, or -1. */
static bool receive_reply(int from, struct reply *r, int *fd)
{
    union with_descriptor c = {0};
    struct iovec v = {r, sizeof *r};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof c};
    ssize_t n;

    do
        n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    *fd = -1;
    if (n != (ssize_t)sizeof *r)
        return false;
    if (CMSG_FIRSTHDR(&m))
        memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof *fd);
    return true;
}

/* ---- the starter ---- */

/* Closes all descriptors of the program except the starter's socket and standard error, which agents inherit. */
static void keep_nothing(int socket)
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null >= 0) {
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
    }
    (void)close_range(STDERR_FILENO + 1, (unsigned)socket - 1, 0); /* none if the socket is the next one */
    (void)close_range((unsigned)socket + 1, ~0U, 0);
}

static bool obey(int socket, const struct channel_ops *ops, struct channel *c, const char *agent, const struct order *o)
{
    struct reply r = {.number = o->number};
    bool sent;

    switch (o->what) {
    case BEGIN:
        ops->close(c);
        r.good = ops->open(c, agent, o->until);
        break;
    case END: ops->close(c); break;
    default: ops->hung_up(c);
    }
    (void)snprintf(r.why, sizeof r.why, "%s", c->fault);
    sent = send_reply(socket, &r, r.good ? c->fd : -1);
    if (r.good) { /* the starter keeps no copy, so that the agent sees when the tester closes its lines */
        (void)close(c->fd);
        c->fd = -1;
    }
    return sent;
}

static _Noreturn void work(int socket, const char *agent, const struct channel_ops *ops)
{
    static struct channel c;
    struct order o;
    ssize_t n;

    c.fd = -1;
    signals_outlive();
    keep_nothing(socket);
    do
        n = recv(socket, &o, sizeof o, 0);
    while ((n < 0 && errno == EINTR) || (n == (ssize_t)sizeof o && obey(socket, ops, &c, agent, &o)));
    ops->close(&c); /* the tester has closed its socket */
    _exit(0);
}

/* ---- the tester's side ---- */

bool starter_open(struct starter *s, const char *agent, const struct channel_ops *ops)
{
    int fd[2];

    *s = (struct starter){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) != 0)
        return false;
    s->pid = fork();
    if (s->pid == 0) {
        (void)close(fd[0]);
        work(fd[1], agent, ops);
    }
    (void)close(fd[1]);
    s->fd = fd[0];
    if (s->pid > 0)
        return true;
    (void)close(s->fd);
    s->fd = -1;
    return false;
}

void starter_close(struct starter *s)
{
    if (s->fd < 0)
        return;
    (void)close(s->fd);
    s->fd = -1;
    (void)waitpid(s->pid, NULL, 0);
}

/* Sends an order and waits for its reply. Replies to orders of a process that has died meanwhile are skipped. */
static bool order(const struct starter *s, enum what what, uint64_t until, struct reply *r, int *fd)
{
    const struct order o = {.number = ibc_wire_clock(), .until = until, .what = what};

    *fd = -1;
    if (send(s->fd, &o, sizeof o, MSG_NOSIGNAL) != (ssize_t)sizeof o)
        return false;
    while (receive_reply(s->fd, r, fd)) {
        if (r->number == o.number)
            return true;
        if (*fd >= 0)
            (void)close(*fd);
    }
    return false;
}

int starter_begin(struct starter *s, uint64_t until, char *why, size_t n)
{
    struct reply r;
    int fd;

    if (!order(s, BEGIN, until, &r, &fd))
        (void)snprintf(why, n, "the process that starts it has gone");
    else if (!r.good || fd < 0)
        (void)snprintf(why, n, "%s", r.why);
    else
        return fd;
    return -1;
}

void starter_end(struct starter *s)
{
    struct reply r;
    int fd;

    (void)order(s, END, 0, &r, &fd);
}

void starter_ask_why(struct starter *s, char *why, size_t n)
{
    struct reply r;
    int fd;

    (void)snprintf(why, n, "%s", order(s, WHY, 0, &r, &fd) ? r.why : "it hung up");
}
