/* SPDX-License-Identifier: BSD-2-Clause */
/* A client's lines over a socket: each gets its answer, in order, until the client or the server ends. */
#include "agent/client.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELLO "{\"id\":1,\"do\":\"hello\",\"version\":1}\n"
#define KNOWN "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"0123456789abcdef\"}\n"
#define PD "{\"id\":2,\"do\":\"create_pd\"}\n"

static char got[200000];
/* Results of the next calls of read() and write() by the server: an errno; -1: fewer bytes; 0: as usual from now on. */
static const int *reads, *writes;
static unsigned n_read, n_write;

ssize_t __real_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_read(int fd, void *to, size_t n)
{
    const int how = reads ? reads[n_read++] : 0;

    if (how == 0)
        reads = NULL;
    errno = how;
    return how > 0 ? -1 : __real_read(fd, to, n);
}

ssize_t __real_write(int fd, const void *from, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n);
ssize_t __wrap_write(int fd, const void *from, size_t n)
{
    const int how = writes ? writes[n_write++] : 0;

    if (how == 0)
        writes = NULL;
    errno = how;
    return how > 0 ? -1 : __real_write(fd, from, how < 0 && n > 3 ? 3 : n);
}

/* The client sends all this and closes its side; `got` is what the server answers. */
static void talk(const char *token, const char *text, size_t n)
{
    struct ag_server *s = calloc(1, sizeof *s);
    char err[200];
    const int room = 1 << 20;
    size_t have = 0;
    ssize_t more;
    int end[2];

    s->target = ibc_target_open("reference", err, sizeof err);
    cr_assert(s->target, "%s", err);
    s->name = "reference";
    s->engine = true;
    s->token = token;
    s->rivals = -1;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
    for (unsigned i = 0; i < 2; i++)
        cr_assert_eq(setsockopt(end[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof room), 0);
    cr_assert_eq(send(end[1], text, n, MSG_DONTWAIT), (ssize_t)n);
    cr_assert_eq(shutdown(end[1], SHUT_WR), 0);
    ag_serve_client(s, end[0], end[0]);
    (void)close(end[0]);
    while ((more = read(end[1], got + have, sizeof got - 1 - have)) > 0)
        have += (size_t)more;
    got[have] = 0;
    (void)close(end[1]);
    ibc_target_close(s->target);
    free(s);
}

static unsigned lines(void)
{
    unsigned n = 0;

    for (const char *p = got; (p = strchr(p, '\n')) != NULL; p++)
        n++;
    return n;
}

Test(client, each_line_has_its_answer)
{
    talk(NULL, HELLO PD PD "{\"id\":3", strlen(HELLO PD PD) + 7);
    cr_assert_eq(lines(), 3, "%s", got);
    cr_assert(strncmp(got, "{\"id\":1,\"ok\":{\"version\":1,", 26) == 0, "%s", got);
    cr_assert(strstr(got, "}}\n{\"id\":2,\"ok\":{\"pd\":0}}\n{\"id\":2,\"ok\":{\"pd\":1}}\n"), "%s", got);
}

Test(client, greets_anew)
{
    talk(NULL, PD, strlen(PD));
    cr_assert(lines() == 1 && strstr(got, "\"no_hello\""), "%s", got);
}

/* A line that is too long has one answer, and its rest none. */
Test(client, a_line_too_long)
{
    static const size_t sizes[] = {AG_LINE, AG_LINE + 1, 2 * AG_LINE, 2 * AG_LINE + 5};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = calloc(1, 3 * AG_LINE);
        const size_t head = strlen(HELLO);
        memcpy(text, HELLO, head);
        memset(text + head, ' ', sizes[i]);
        text[head + sizes[i]] = '\n';
        memcpy(text + head + sizes[i] + 1, PD, strlen(PD));
        talk(NULL, text, head + sizes[i] + 1 + strlen(PD));
        free(text);
        cr_assert_eq(lines(), 3, "%zu: %s", sizes[i], got);
        cr_assert(strstr(got, "\"line_too_long\"") && strstr(got, "{\"id\":2,\"ok\":{\"pd\":0}}\n"), "%s", got);
    }
}

/* The longest line that is taken. */
Test(client, a_line_of_the_longest_kind)
{
    char *text = calloc(1, 2 * AG_LINE);
    const size_t head = strlen(HELLO), n = AG_LINE - 1;

    memcpy(text, HELLO, head);
    memset(text + head, ' ', n);
    memcpy(text + head, PD, strlen(PD) - 1);
    text[head + n] = '\n';
    talk(NULL, text, head + n + 1);
    free(text);
    cr_assert(lines() == 2 && strstr(got, "{\"id\":2,\"ok\":{\"pd\":0}}\n"), "%s", got);
}

/* An agent hangs up on a client that lacks the token, and says nothing. */
Test(client, without_the_token)
{
    talk("0123456789abcdef", HELLO PD, strlen(HELLO PD));
    cr_assert_str_eq(got, "");
    talk("0123456789abcdef", KNOWN PD, strlen(KNOWN PD));
    cr_assert_eq(lines(), 2, "%s", got);
}

/* A call that was interrupted, or that would have waited, is made again; other faults end the connection. */
Test(client, calls_that_fail)
{
    static const struct {
        int read[5], write[5];
        unsigned lines;
    } rows[] = {{{EINTR, EAGAIN, EINTR}, {0}, 2},     {{ECONNRESET}, {0}, 0}, {{EBADF}, {0}, 0},
                {{0}, {EINTR, EAGAIN, -1, EINTR}, 2}, {{0}, {-1, -1, -1}, 2}, {{0}, {EPIPE}, 0},
                {{0}, {EAGAIN, ECONNRESET}, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reads = rows[i].read;
        writes = rows[i].write;
        n_read = n_write = 0;
        talk(NULL, HELLO PD, strlen(HELLO PD));
        cr_expect_eq(lines(), rows[i].lines, "row %zu: %s", i, got);
        if (rows[i].lines)
            cr_expect(strstr(got, "}}\n{\"id\":2,\"ok\":{\"pd\":0}}\n"), "row %zu: %s", i, got);
        reads = writes = NULL;
    }
}
