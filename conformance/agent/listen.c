/* SPDX-License-Identifier: BSD-2-Clause */
#include "listen.h"
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "client.h"
#include "system/address.h"

enum { WAITING = 4 }; /* clients that may wait in the queue */

static bool failed(char *err, size_t errlen, const char *what, const char *why)
{
    (void)snprintf(err, errlen, "%s: %s", what, why);
    return false;
}

/* ---- unix: ---- */

/* Whether an ended process left the socket, so that it may be removed. A socket that a process still serves must
 * stay. */
static bool is_stale(const struct sockaddr_un *a)
{
    struct stat st;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool left = lstat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) && probe >= 0;

    left = left && connect(probe, (const struct sockaddr *)a, sizeof *a) != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        (void)close(probe);
    return left;
}

static bool bind_path(int fd, const struct sockaddr_un *a)
{
    const mode_t was = umask(0177);
    bool good = bind(fd, (const struct sockaddr *)a, sizeof *a) == 0;

    if (!good && errno == EADDRINUSE) {
        good = is_stale(a) && unlink(a->sun_path) == 0 && bind(fd, (const struct sockaddr *)a, sizeof *a) == 0;
        errno = EADDRINUSE;
    }
    (void)umask(was);
    return good;
}

static bool listen_unix(struct ag_listener *l, const char *path, char *err, size_t errlen)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    const size_t n = strlen(path);

    if (n == 0 || n >= sizeof a.sun_path)
        return failed(err, errlen, "--listen unix", "want a path of 1 to 107 bytes");
    memcpy(a.sun_path, path, n);
    l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0 || !bind_path(l->fd, &a))
        return failed(err, errlen, path, strerror(errno));
    (void)snprintf(l->name, sizeof l->name, "unix:%s", path);
    return listen(l->fd, WAITING) == 0 || failed(err, errlen, path, strerror(errno));
}

/* ---- tcp: ---- */

static void name_it(struct ag_listener *l, const char *host)
{
    struct sockaddr_storage a;
    socklen_t len = sizeof a;
    char port[8] = "?";

    if (getsockname(l->fd, (struct sockaddr *)&a, &len) == 0)
        (void)getnameinfo((const struct sockaddr *)&a, len, NULL, 0, port, sizeof port, NI_NUMERICSERV);
    (void)snprintf(l->name, sizeof l->name, strchr(host, ':') ? "tcp:[%.120s]:%s" : "tcp:%.120s:%s", host, port);
}

static bool listen_tcp(struct ag_listener *l, const char *where, char *err, size_t errlen)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char text[128], local[] = "127.0.0.1", *host = local, *port = text;
    const int on = 1;
    int e;

    if ((size_t)snprintf(text, sizeof text, "%s", where) >= sizeof text ||
        !(address_is_port(text) || address_split(text, &host, &port)))
        return failed(err, errlen, where, "want PORT, HOST:PORT or [HOST]:PORT behind tcp:, PORT up to 65535");
    e = getaddrinfo(host, port, &hints, &found);
    if (e != 0)
        return failed(err, errlen, where, gai_strerror(e));
    l->tcp = true;
    l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    e = l->fd < 0 || setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(l->fd, found->ai_addr, found->ai_addrlen) != 0 || listen(l->fd, WAITING) != 0;
    freeaddrinfo(found);
    if (e != 0)
        return failed(err, errlen, where, strerror(errno));
    name_it(l, host);
    return true;
}

/* ---- both ---- */

bool ag_listen(struct ag_listener *l, const char *spec, char *err, size_t errlen)
{
    *l = (struct ag_listener){.fd = -1};
    if (strncmp(spec, "unix:", 5) == 0)
        return listen_unix(l, spec + 5, err, errlen);
    if (strncmp(spec, "tcp:", 4) == 0)
        return listen_tcp(l, spec + 4, err, errlen);
    return failed(err, errlen, spec, "want unix:PATH or tcp:[HOST:]PORT");
}

void ag_listen_end(struct ag_listener *l)
{
    if (l->fd >= 0)
        (void)close(l->fd);
    if (l->fd >= 0 && !l->tcp && l->name[0])
        (void)unlink(l->name + strlen("unix:"));
    l->fd = -1;
}

static bool is_passing(int e)
{
    return e == EAGAIN || e == EINTR || e == ECONNABORTED || e == EPROTO;
}

void ag_serve_listener(struct ag_server *s, struct ag_listener *l)
{
    const int on = 1;

    s->rivals = l->fd;
    while (ag_await(s, l->fd, POLLIN, UINT64_MAX, UINT64_MAX)) {
        const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && is_passing(errno))
            continue;
        if (fd < 0)
            break;
        if (l->tcp) {
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        }
        ag_serve_client(s, fd, fd);
        (void)close(fd);
    }
}

/* ---- tokens ---- */

bool ag_random_token(char token[AG_TEXT])
{
    uint8_t b[16];

    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        return false;
    for (size_t i = 0; i < sizeof b; i++)
        (void)snprintf(token + 2 * i, 3, "%02x", b[i]);
    return true;
}

bool ag_read_token(char token[AG_TEXT], const char *path, char *err, size_t errlen)
{
    FILE *f = fopen(path, "re");
    size_t n;

    if (!f)
        return failed(err, errlen, path, strerror(errno));
    n = fread(token, 1, AG_TEXT, f);
    (void)fclose(f);
    while (n > 0 && isspace((unsigned char)token[n - 1]))
        n--;
    for (size_t i = 0; i < n; i++)
        if (!isgraph((unsigned char)token[i]))
            n = 0;
    if (n < AG_TOKEN_LEAST || n >= AG_TEXT)
        return failed(err, errlen, path, "want one token of 16 to 127 printable characters");
    token[n] = 0;
    return true;
}
