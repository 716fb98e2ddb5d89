/* SPDX-License-Identifier: BSD-2-Clause */
#include "connection.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *setting(const char *name, const char *left_out)
{
    const char *value = getenv(name);

    return value ? value : left_out;
}

int connection_open(void)
{
    enum { ROOM = 1 << 20 };
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const char *server = setting("IBFABRIC_SIM", "sim");
    const int room = ROOM, n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s:" MAD_SOCKET, server);
    const socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    int fd, error;

    if (n >= (int)sizeof a.sun_path - 1)
        return -ENAMETOOLONG;
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    if (connect(fd, (const struct sockaddr *)&a, len) == 0)
        return fd;
    error = errno;
    (void)close(fd);
    return -error;
}

void connection_place(struct mad_place *p, uint32_t port)
{
    const char *node = setting("IBFABRIC_NODE", "");

    memcpy(p->node, node, strnlen(node, sizeof p->node));
    p->port = port;
}

/* Receives the answer, and the descriptor that may come with it. Returns its length. */
static ssize_t receive(int control, void *answer, size_t room, int *fd)
{
    struct iovec part = {answer, room};
    union {
        struct cmsghdr align;
        uint8_t bytes[CMSG_SPACE(sizeof(int))];
    } more = {0};
    struct msghdr m = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = more.bytes, .msg_controllen = sizeof more.bytes};
    ssize_t n;

    do
        n = recvmsg(control, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h))
        if (fd && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof *fd))
            memcpy(fd, CMSG_DATA(h), sizeof *fd);
    return m.msg_flags & MSG_TRUNC ? -EPROTO : n;
}

int connection_ask(int control, void *request, size_t len, void *more, size_t n_more, void *answer, size_t room,
                   int *fd)
{
    struct iovec part[2] = {{request, len}, {more, n_more}};
    struct msghdr m = {.msg_iov = part, .msg_iovlen = more ? 2 : 1};
    struct mad_head head;
    uint16_t kind;
    ssize_t n;

    memcpy(&head, request, sizeof head);
    kind = head.kind;
    do
        n = sendmsg(control, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return -errno;
    n = receive(control, answer, room, fd);
    if (n < (ssize_t)sizeof head)
        return n < 0 ? (int)n : -EIO; /* 0: the server has ended */
    memcpy(&head, answer, sizeof head);
    if (head.magic != MAD_MAGIC || head.kind != kind)
        return -EPROTO;
    if (head.error)
        return -(int)head.error;
    return (size_t)n == room ? 0 : -EPROTO;
}

int connection_ask_once(uint16_t kind, uint32_t port, void *answer, size_t room)
{
    struct mad_place p = {.head = {MAD_MAGIC, kind, 0}};
    const int control = connection_open();
    int error;

    if (control < 0)
        return control;
    connection_place(&p, port);
    error = connection_ask(control, &p, sizeof p, NULL, 0, answer, room, NULL);
    (void)close(control);
    return error;
}
