/* SPDX-License-Identifier: BSD-2-Clause */
/* Listeners and tokens: which there are, which cannot be, and clients one after the other. */
#include "agent/listen.h"
#include <criterion/criterion.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "system/signals.h"

#define TOKEN "0123456789abcdef"
#define HELLO "{\"id\":1,\"do\":\"hello\",\"version\":1}\n"
#define KNOWN "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"" TOKEN "\"}\n"
#define PD "{\"id\":2,\"do\":\"create_pd\"}\n"

static char folder[90], err[300];

static void begin(void)
{
    snprintf(folder, sizeof folder, "%s/listen.XXXXXX", P_tmpdir); /* TMPDIR may be too long for a socket */
    cr_assert(mkdtemp(folder));
}

static const char *file(const char *name)
{
    static char path[4][120];
    static unsigned next;
    char *at = path[next++ % 4];

    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

static void end(void)
{
    (void)remove(file("s"));
    (void)remove(file("token"));
    cr_expect_eq(rmdir(folder), 0);
}
TestSuite(listen, .init = begin, .fini = end);

static bool opens(struct ag_listener *l, const char *kind, const char *where)
{
    char spec[300];

    snprintf(spec, sizeof spec, "%s%s", kind, where);
    err[0] = '\0';
    return ag_listen(l, spec, err, sizeof err);
}

Test(listen, wrong_ones)
{
    static const struct {
        const char *spec, *says;
    } rows[] = {
        {"pigeon:1", "pigeon:1: want unix:PATH or tcp:[HOST:]PORT"},
        {"unix:", "--listen unix: want a path of 1 to 107 bytes"},
        {"unix:/nowhere/s", "/nowhere/s: No such file or directory"},
        {"tcp:", ": want PORT, HOST:PORT or [HOST]:PORT behind tcp:, PORT up to 65535"},
        {"tcp:65536", "65536: want PORT, HOST:PORT or [HOST]:PORT behind tcp:, PORT up to 65535"},
        {"tcp:x:y", "x:y: want PORT, HOST:PORT or [HOST]:PORT behind tcp:, PORT up to 65535"},
        {"tcp:192.0.2.1:0", "192.0.2.1:0: Cannot assign requested address"},
    };
    struct ag_listener l;
    char path[120];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_not(opens(&l, rows[i].spec, ""), "%s", rows[i].spec);
        cr_expect_str_eq(err, rows[i].says, "%s", err);
        ag_listen_end(&l);
        cr_expect_eq(l.fd, -1);
    }
    memset(path, 'p', sizeof path);
    path[107] = '\0';
    cr_expect(opens(&l, "unix:", path));
    cr_expect_eq(unlink(path), 0);
    ag_listen_end(&l);
    path[107] = 'p';
    path[108] = '\0';
    cr_expect_not(opens(&l, "unix:", path));
    cr_expect_str_eq(err, "--listen unix: want a path of 1 to 107 bytes");
}

/* A socket with a name is for this user only. It takes the place of one that nobody serves, and of no other file. */
Test(listen, names)
{
    struct ag_listener l, other;
    struct stat st;
    char want[200];

    (void)umask(027);
    cr_assert(opens(&l, "unix:", file("s")), "%s", err);
    snprintf(want, sizeof want, "unix:%s", file("s"));
    cr_expect_str_eq(l.name, want);
    cr_expect(!l.tcp && stat(file("s"), &st) == 0 && (st.st_mode & 0777) == 0600);
    cr_expect_eq(umask(027), 027, "as before");
    cr_expect_not(opens(&other, "unix:", file("s")));
    snprintf(want, sizeof want, "%s: Address already in use", file("s"));
    cr_expect_str_eq(err, want);
    ag_listen_end(&other);
    cr_expect_eq(access(file("s"), F_OK), 0, "it is the first one's");
    (void)close(l.fd); /* as if its process had ended */
    cr_assert(opens(&other, "unix:", file("s")), "%s", err);
    ag_listen_end(&other);
    cr_expect_neq(access(file("s"), F_OK), 0);
    FILE *f = fopen(file("s"), "w");
    cr_assert(f && fclose(f) == 0);
    cr_expect_not(opens(&l, "unix:", file("s")));
    cr_expect_str_eq(err, want);
    ag_listen_end(&l);
    cr_expect_eq(access(file("s"), F_OK), 0);
}

/* A socket of another kind is no listener that a process left. */
Test(listen, a_datagram_socket_stays)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct ag_listener l;
    char want[200];

    snprintf(a.sun_path, sizeof a.sun_path, "%s", file("s"));
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    cr_assert(fd >= 0 && bind(fd, (const struct sockaddr *)&a, sizeof a) == 0);
    cr_expect_not(opens(&l, "unix:", file("s")));
    snprintf(want, sizeof want, "%s: Address already in use", file("s"));
    cr_expect_str_eq(err, want);
    ag_listen_end(&l);
    cr_expect_eq(access(file("s"), F_OK), 0);
    (void)close(fd);
}

/* The reason is that of the first step that failed. */
Test(listen, no_descriptor_is_left)
{
    static const char *const says[] = {"s: Too many open files", "0: Too many open files"};
    struct ag_listener l;
    struct rlimit was, none;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    const int next = dup(0);
    cr_assert(next >= 0 && close(next) == 0);
    none = (struct rlimit){(rlim_t)next, was.rlim_max};
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
        const bool good = i ? opens(&l, "tcp:", "0") : opens(&l, "unix:", file("s"));
        cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
        cr_expect_not(good);
        const size_t n = strlen(says[i]);
        cr_expect(strlen(err) >= n && strcmp(err + strlen(err) - n, says[i]) == 0, "%s", err);
        ag_listen_end(&l);
    }
}

Test(listen, ports)
{
    struct ag_listener l, other;
    char where[40];

    cr_assert(opens(&l, "tcp:", "0"), "%s", err);
    cr_expect(l.tcp && strncmp(l.name, "tcp:127.0.0.1:", 14) == 0 && strtoul(l.name + 14, NULL, 10) > 0, "%s", l.name);
    snprintf(where, sizeof where, "127.0.0.1:%.20s", l.name + 14);
    cr_expect_not(opens(&other, "tcp:", where));
    cr_expect(strstr(err, "Address already in use"), "%s", err);
    ag_listen_end(&other);
    ag_listen_end(&l);
    cr_expect(opens(&other, "tcp:", where), "%s", err);
    cr_expect_str_eq(other.name + 4, where);
    ag_listen_end(&other);
    if (opens(&l, "tcp:", "[::1]:0")) {
        cr_expect(strncmp(l.name, "tcp:[::1]:", 10) == 0 && strtoul(l.name + 10, NULL, 10) > 0, "%s", l.name);
        ag_listen_end(&l);
    }
}

/* ---- tokens ---- */

Test(listen, tokens)
{
    static const struct {
        const char *text;
        size_t repeat; /* so many times an x before the text */
        bool good;
    } rows[] = {{TOKEN, 0, true},
                {TOKEN "\n", 0, true},
                {TOKEN " \t\r\n\n", 0, true},
                {"\n", 16, true},
                {"\n", 15, false},
                {"", 0, false},
                {"", 127, true},
                {"", 128, false},
                {"\n", 126, true},
                {"\n", 129, false},
                {" " TOKEN, 0, false},
                {TOKEN " x", 0, false},
                {TOKEN "\n" TOKEN, 0, false},
                {TOKEN "\001", 0, false},
                {TOKEN "~!", 0, true}};
    char token[AG_TEXT], text[300], want[300];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(text, 'x', rows[i].repeat);
        snprintf(text + rows[i].repeat, sizeof text - rows[i].repeat, "%s", rows[i].text);
        FILE *f = fopen(file("token"), "w");
        cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
        cr_expect_eq(ag_read_token(token, file("token"), err, sizeof err), rows[i].good, "%zu", i);
        if (rows[i].good) {
            text[strcspn(text, " \t\r\n")] = '\0';
            cr_expect_str_eq(token, text);
            continue;
        }
        snprintf(want, sizeof want, "%s: want one token of 16 to 127 printable characters", file("token"));
        cr_expect_str_eq(err, want);
    }
    cr_expect_not(ag_read_token(token, "/nowhere/token", err, sizeof err));
    cr_expect_str_eq(err, "/nowhere/token: No such file or directory");
}

Test(listen, random_tokens)
{
    char a[AG_TEXT], b[AG_TEXT];

    cr_assert(ag_random_token(a) && ag_random_token(b));
    cr_expect(strlen(a) == 32 && strspn(a, "0123456789abcdef") == 32, "%s", a);
    cr_expect(strlen(b) == 32 && strcmp(a, b) != 0);
    cr_expect_neq(strncmp(a, b, 16), 0);
    cr_expect_neq(strcmp(a + 16, b + 16), 0);
}

/* ---- clients ---- */

/* Starts a process that serves the listener until a signal comes. */
static pid_t serves(struct ag_listener *l, const char *token)
{
    static struct ag_server s;
    const pid_t pid = fork();

    cr_assert_geq(pid, 0);
    if (pid > 0)
        return pid;
    s.target = ibc_target_open("reference", err, sizeof err);
    s.name = "reference";
    s.engine = true;
    s.token = token;
    if (s.target && signals_mind(NULL))
        ag_serve_listener(&s, l);
    _exit(s.rivals == l->fd ? 0 : 9);
}

static int client(const struct ag_listener *l)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    const struct timeval limit = {.tv_sec = 20};

    cr_assert_eq(getsockname(l->fd, (struct sockaddr *)&a, &n), 0);
    const int fd = socket(a.ss_family, SOCK_STREAM, 0);
    cr_assert(fd >= 0 && connect(fd, (const struct sockaddr *)&a, n) == 0);
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    return fd;
}

static void says(int fd, const char *text)
{
    cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Returns the next line; "": the server has hung up. */
static const char *hears(int fd)
{
    static char line[AG_LINE];
    size_t n = 0;

    while (n < sizeof line - 1 && read(fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    line[n] = '\0';
    return line;
}

static void ends(pid_t pid, struct ag_listener *l)
{
    int status = -1;

    cr_assert_eq(kill(pid, SIGTERM), 0);
    cr_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
    ag_listen_end(l);
}

/* An agent that is started again gets its port, though the system still remembers connections that it closed. */
Test(listen, a_port_again)
{
    struct ag_listener l, again;
    char where[40];

    cr_assert(opens(&l, "tcp:", "0"), "%s", err);
    const int fd = client(&l), served = accept(l.fd, NULL, NULL);
    cr_assert_geq(served, 0);
    (void)close(served); /* first, so that this side has to remember */
    (void)close(fd);
    snprintf(where, sizeof where, "%.30s", l.name + 4);
    ag_listen_end(&l);
    cr_expect(opens(&again, "tcp:", where), "%s", err);
    ag_listen_end(&again);
}

static const int *fails; /* reasons for which accept4() fails, one a call, up to a 0 */
static unsigned accepts;

int __real_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags);
int __wrap_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags);
int __wrap_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags)
{
    if (!fails)
        return __real_accept4(fd, a, n, flags);
    errno = fails[accepts++];
    cr_assert_neq(errno, 0);
    cr_expect_eq(flags, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return -1;
}

/* A client that is gone before it is served is no reason to end; a listener that is broken is. */
Test(listen, clients_that_do_not_come)
{
    static const struct {
        int reason[3];
        unsigned calls;
    } rows[] = {{{EAGAIN, EBADF}, 2}, {{EINTR, EBADF}, 2}, {{ECONNABORTED, EINVAL}, 2},
                {{EPROTO, EBADF}, 2}, {{EBADF}, 1},        {{EMFILE}, 1}};
    static struct ag_server s;
    struct ag_listener l;

    cr_assert(opens(&l, "unix:", file("s")), "%s", err);
    const int waits = client(&l);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        s = (struct ag_server){.rivals = -1};
        fails = rows[i].reason;
        accepts = 0;
        ag_serve_listener(&s, &l);
        cr_expect_eq(accepts, rows[i].calls, "row %zu: %u", i, accepts);
        cr_expect_eq(s.rivals, l.fd);
    }
    fails = NULL;
    (void)close(waits);
    ag_listen_end(&l);
}

Test(listen, one_client_after_the_other)
{
    struct ag_listener l;

    cr_assert(opens(&l, "unix:", file("s")), "%s", err);
    const pid_t pid = serves(&l, NULL);
    const int first = client(&l), second = client(&l);
    says(first, PD);
    cr_expect(strstr(hears(first), "\"no_hello\""));
    says(second, PD);
    says(first, HELLO PD);
    cr_expect(strstr(hears(first), "\"version\":1"));
    cr_expect_str_eq(hears(first), "{\"id\":2,\"ok\":{\"pd\":0}}");
    (void)close(first);
    cr_expect(strstr(hears(second), "\"no_hello\""), "the greeting was the first one's");
    says(second, HELLO PD);
    cr_expect(strstr(hears(second), "\"version\":1"));
    cr_expect_str_eq(hears(second), "{\"id\":2,\"ok\":{\"pd\":1}}");
    (void)close(second);
    ends(pid, &l);
}

/* At a port each client needs the token. A client without it is disconnected soon if another one waits. */
Test(listen, clients_with_a_token)
{
    struct ag_listener l;

    cr_assert(opens(&l, "tcp:", "0"), "%s", err);
    const pid_t pid = serves(&l, TOKEN);
    const int stranger = client(&l), silent = client(&l), known = client(&l);
    says(stranger, HELLO);
    cr_expect_str_eq(hears(stranger), "");
    says(known, KNOWN PD);
    cr_expect(strstr(hears(known), "\"version\":1"));
    cr_expect_str_eq(hears(known), "{\"id\":2,\"ok\":{\"pd\":0}}");
    cr_expect_str_eq(hears(silent), "", "it had its time");
    (void)close(stranger);
    (void)close(silent);
    (void)close(known);
    ends(pid, &l);
}
