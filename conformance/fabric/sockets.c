/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockets.h"
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* Returns the address of the socket of a client's program, or of this program. Clients count a NUL at the end of an
 * abstract name as part of the name. */
static struct sockets_address unix_address(const struct sockets *s, const char *what, uint32_t number)
{
    struct sockets_address a = {0};
    struct sockaddr_un *u = (struct sockaddr_un *)&a.to;
    int n;

    u->sun_family = AF_UNIX;
    if (number == UINT32_MAX)
        n = snprintf(u->sun_path + 1, sizeof u->sun_path - 1, "%s:%s", s->name, what);
    else
        n = snprintf(u->sun_path + 1, sizeof u->sun_path - 1, "%s:%s%u", s->name, what, number);
    a.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n + 1);
    return a;
}

static struct sockets_address udp_address(uint16_t port)
{
    struct sockets_address a = {0};
    struct sockaddr_in *in = (struct sockaddr_in *)&a.to;

    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    in->sin_port = htons(port);
    a.len = sizeof *in;
    return a;
}

static int open_one(const struct sockets_address *a)
{
    enum { ROOM = 4 << 20 };
    const int room = ROOM;
    const int fd = socket(a->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (bind(fd, (const struct sockaddr *)&a->to, a->len) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

static int open_client(const struct sockets *s, unsigned i)
{
    const struct sockets_address a =
        s->udp_port ? udp_address((uint16_t)(s->udp_port + 1 + i)) : unix_address(s, "out", i);

    return open_one(&a);
}

bool sockets_open(struct sockets *s, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR])
{
    struct sockets_address a;
    bool good;

    (void)snprintf(s->name, sizeof s->name, "%s", name);
    s->udp_port = udp_port;
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        s->client[i] = -1;
    a = udp_port ? udp_address(udp_port) : unix_address(s, "ctl", UINT32_MAX);
    s->control = open_one(&a);
    good = s->control >= 0;
    for (unsigned i = 0; good && i < IBSIM_CLIENTS; i++)
        good = (s->client[i] = open_client(s, i)) >= 0;
    if (good)
        return true;
    if (udp_port)
        (void)snprintf(err, SOCKETS_ERROR, "--udp %u: %s", udp_port, strerror(errno));
    else
        (void)snprintf(err, SOCKETS_ERROR, "--sim %s: %s", name,
                       errno == EADDRINUSE ? "another program serves this name; choose another one" : strerror(errno));
    sockets_close(s);
    return false;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void sockets_close(struct sockets *s)
{
    close_one(&s->control);
    for (unsigned i = 0; i < IBSIM_CLIENTS; i++)
        close_one(&s->client[i]);
}

bool sockets_join(struct sockets *s, unsigned i, uint32_t id)
{
    const struct sockets_address a = s->udp_port ? udp_address((uint16_t)id) : unix_address(s, "in", id);

    return connect(s->client[i], (const struct sockaddr *)&a.to, a.len) == 0;
}

bool sockets_part(struct sockets *s, unsigned i)
{
    close_one(&s->client[i]);
    s->client[i] = open_client(s, i);
    return s->client[i] >= 0;
}
