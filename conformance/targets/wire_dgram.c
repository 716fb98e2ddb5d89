/* SPDX-License-Identifier: BSD-2-Clause */
/* Wires made of datagram sockets: one datagram is one frame. */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "system/address.h"
#include "wire_adapters.h"

static int take(struct ibc_wire *w, uint8_t *frame, size_t room, size_t *len, uint64_t *at)
{
    union {
        struct cmsghdr align;
        char bytes[256];
    } control;
    struct iovec v = {.iov_base = frame, .iov_len = room};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

    return wire_take(w->fd, &m, room, len, at);
}

static int sent(ssize_t n)
{
    if (n >= 0)
        return 0;
    return errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR ? EAGAIN : errno;
}

static int send_connected(struct ibc_wire *w, const uint8_t *frame, size_t len)
{
    int e = sent(send(w->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL));

    if (e == ECONNREFUSED) /* the previous datagram caused this error: try again */
        e = sent(send(w->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL));
    return e;
}

/* ---- unix:PEER,OWN ---- */

static bool path_of(const char *path, size_t n, struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (n == 0 || n >= sizeof a->sun_path)
        return false;
    memcpy(a->sun_path, path, n);
    return true;
}

/* Binds the own socket. Removes a socket that an ended process left, but not one that a process still reads. */
static bool bind_own(struct ibc_wire *w, const struct sockaddr_un *own)
{
    struct stat st;

    if (bind(w->fd, (const struct sockaddr *)own, sizeof *own) == 0)
        return true;
    if (errno != EADDRINUSE || lstat(own->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool dead =
        probe >= 0 && connect(probe, (const struct sockaddr *)own, sizeof *own) != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    errno = EADDRINUSE;
    return dead && unlink(own->sun_path) == 0 && bind(w->fd, (const struct sockaddr *)own, sizeof *own) == 0;
}

static bool open_unix(struct ibc_wire *w, const char *args, char *err, size_t errlen)
{
    const size_t n = strcspn(args, ",");
    struct sockaddr_un peer, own;

    if (args[n] != ',' || !path_of(args, n, &peer) || !path_of(args + n + 1, strlen(args + n + 1), &own)) {
        snprintf(err, errlen, "wire %s: want unix:PEER,OWN: two paths of 1 to %zu bytes", w->spec,
                 sizeof own.sun_path - 1);
        return false;
    }
    w->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (w->fd < 0 || !bind_own(w, &own)) {
        snprintf(err, errlen, "wire %s: %s: %s", w->spec, own.sun_path, strerror(errno));
        return false;
    }
    wire_prepare(w->fd);
    memcpy(w->peer, peer.sun_path, sizeof w->peer);
    memcpy(w->own, own.sun_path, sizeof w->own);
    return true;
}

/* Sends to the peer by its name each time, since the peer may have created its socket again. */
static int send_unix(struct ibc_wire *w, const uint8_t *frame, size_t len)
{
    struct sockaddr_un to;

    (void)path_of(w->peer, strlen(w->peer), &to);
    return sent(sendto(w->fd, frame, len, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)&to, sizeof to));
}

static void close_unix(struct ibc_wire *w)
{
    if (w->own[0])
        (void)unlink(w->own);
}

const struct ibc_wire_ops ibc_wire_unix = {
    .name = "unix",
    .form = "unix:PEER,OWN",
    .help = "datagram sockets; one datagram is one frame",
    .infiniband = true,
    .open = open_unix,
    .send = send_unix,
    .take = take,
    .close = close_unix,
};

/* ---- dgram:HOST:PORT,HOST:PORT ---- */

/* Resolves "HOST:PORT" or "[::1]:PORT". Returns the result of getaddrinfo, or NULL. */
static struct addrinfo *resolve(char *text)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char *host, *port;

    return address_split(text, &host, &port) && getaddrinfo(host, port, &hints, &found) == 0 ? found : NULL;
}

static bool join(struct ibc_wire *w, const struct addrinfo *peer, const struct addrinfo *own)
{
    int saved;

    w->fd = socket(peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (w->fd < 0)
        return false;
    wire_prepare(w->fd);
    if (bind(w->fd, own->ai_addr, own->ai_addrlen) == 0 && connect(w->fd, peer->ai_addr, peer->ai_addrlen) == 0)
        return true;
    saved = errno;
    close(w->fd);
    w->fd = -1;
    errno = saved;
    return false;
}

/* Connects to the peer. A name may have addresses of both families, in any order, and the name of the other side
 * addresses of only one. Uses the first two addresses of one family that work. *fits: both names have addresses of
 * one family; if none worked, errno has the reason. */
static bool join_any(struct ibc_wire *w, const struct addrinfo *peer, const struct addrinfo *all_own, bool *fits)
{
    *fits = false;
    for (; peer; peer = peer->ai_next)
        for (const struct addrinfo *own = all_own; own; own = own->ai_next) {
            if (own->ai_family != peer->ai_family)
                continue;
            *fits = true;
            if (join(w, peer, own))
                return true;
        }
    return false;
}

static bool open_dgram(struct ibc_wire *w, const char *args, char *err, size_t errlen)
{
    char text[sizeof w->spec];
    char *comma;
    struct addrinfo *peer, *own;
    bool good, fits;

    snprintf(text, sizeof text, "%s", args);
    comma = strchr(text, ',');
    if (comma)
        *comma = '\0';
    peer = comma ? resolve(text) : NULL;
    own = peer ? resolve(comma + 1) : NULL;
    good = join_any(w, peer, own, &fits);
    if (!fits)
        snprintf(err, errlen, "wire %s: want dgram:HOST:PORT,HOST:PORT, the peer's and the own; no such %s", w->spec,
                 peer ? "own address" : "peer");
    else if (!good)
        snprintf(err, errlen, "wire %s: %s", w->spec, strerror(errno));
    if (own)
        freeaddrinfo(own);
    if (peer)
        freeaddrinfo(peer);
    return good;
}

/* Whether frames may leave this machine. All addresses of the peer's name count: only opening the wire decides
 * which one is used. */
static bool dgram_leaves(const struct ibc_wire *w, const char *args)
{
    struct sockaddr_storage to;
    socklen_t size = sizeof to;
    char text[sizeof w->spec];
    bool leaves = false;

    if (w)
        return getpeername(w->fd, (struct sockaddr *)&to, &size) != 0 || !wire_is_local((struct sockaddr *)&to);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(args, ","), args);
    struct addrinfo *all = resolve(text);
    for (const struct addrinfo *a = all; a; a = a->ai_next)
        leaves |= !wire_is_local(a->ai_addr);
    if (all)
        freeaddrinfo(all);
    return leaves;
}

const struct ibc_wire_ops ibc_wire_dgram = {
    .name = "dgram",
    .form = "dgram:HOST:PORT,HOST:PORT",
    .help = "UDP, the peer's address and the own; one datagram is one frame",
    .infiniband = true,
    .open = open_dgram,
    .send = send_connected,
    .take = take,
    .leaves = dgram_leaves,
};

/* ---- loop ---- */

bool wire_pair(int fd[2])
{
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fd) != 0)
        return false;
    wire_prepare(fd[0]);
    wire_prepare(fd[1]);
    return true;
}

const struct ibc_wire_ops ibc_wire_inside = {
    .name = "loop",
    .form = "loop",
    .help = "two ends in one process",
    .infiniband = true,
    .send = send_connected,
    .take = take,
};
