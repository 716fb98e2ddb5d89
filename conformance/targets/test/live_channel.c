/* SPDX-License-Identifier: BSD-2-Clause */
/* Channels to agents: lines, time limits, commands and how they end, and the process that starts agents for another. */
#include "../live_channel.h"
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../live_starter.h"
#include "../wire.h"
#include "held.h"

static const uint64_t ms = 1000000;
static struct channel c;

/* ---- a system that cannot do all ---- */

static bool no_process, orphaned;

pid_t fork(void)
{
    pid_t (*real)(void);

    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    errno = EAGAIN;
    return no_process ? -1 : real();
}

/* Orphaned: the process that started this one has ended meanwhile. */
pid_t getppid(void)
{
    pid_t (*real)(void);

    *(void **)&real = dlsym(RTLD_NEXT, "getppid");
    return orphaned ? 1 : real();
}

static uint64_t within(uint64_t n)
{
    return ibc_wire_clock() + n * ms;
}

/* Connects the channel to the returned descriptor. */
static int pair(void)
{
    int fd[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    c = (struct channel){.fd = fd[0]};
    return fd[1];
}

static void says(int fd, const char *text)
{
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void hears(const char *line)
{
    size_t len = 0;
    const char *is = channel_receive(&c, &len, within(10000), NULL);

    cr_assert(is, "%s", c.fault);
    cr_expect(len == strlen(line) && memcmp(is, line, len) == 0, "%.*s", (int)len, is);
}

/* ---- lines ---- */

Test(live_channel, lines)
{
    const int fd = pair();
    size_t len;

    says(fd, "one\ntwo\n\nthr");
    hears("one");
    hears("two");
    hears("");
    cr_expect_null(channel_receive(&c, &len, within(20), NULL));
    cr_expect_str_eq(c.fault, "no answer in time");
    says(fd, "ee\nfour\n");
    hears("three");
    hears("four");
    close(fd);
    cr_expect_null(channel_receive(&c, &len, within(10000), NULL));
    cr_expect_str_eq(c.fault, "it hung up");
    channel_close(&c);
    cr_expect(c.fd == -1 && c.have == 0 && c.given == 0);
    channel_close(&c);
}

/* A line may have as many bytes as the buffer, with its end. */
Test(live_channel, long_lines)
{
    static char line[CHANNEL_LINE + 1];
    const int fd = pair();
    size_t len;

    memset(line, 'x', sizeof line);
    line[CHANNEL_LINE - 1] = '\n';
    cr_assert_eq(write(fd, line, CHANNEL_LINE), CHANNEL_LINE);
    says(fd, "next\n");
    cr_assert_not_null(channel_receive(&c, &len, within(10000), NULL), "%s", c.fault);
    cr_expect_eq(len, CHANNEL_LINE - 1);
    hears("next");
    line[CHANNEL_LINE - 1] = 'x';
    line[CHANNEL_LINE] = '\n';
    cr_assert_eq(write(fd, line, CHANNEL_LINE + 1), CHANNEL_LINE + 1);
    cr_expect_null(channel_receive(&c, &len, within(10000), NULL));
    cr_expect_str_eq(c.fault, "a line of more than 65536 bytes");
    close(fd);
    channel_close(&c);
}

/* Byte number i of a long text, in which no two parts are the same. */
static char text_at(unsigned i)
{
    return (char)((i * 2654435761u) >> 24);
}

struct reader {
    int fd;
    unsigned n, wrong, idle;
};

static void *read_later(void *ctx)
{
    struct reader *r = ctx;
    char bytes[4096];

    (void)usleep(100000);
    for (ssize_t n; (n = read(r->fd, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            r->wrong += bytes[i] != text_at(r->n++);
    return NULL;
}

static void idle(void *ctx)
{
    struct reader *r = ctx;
    char byte;

    cr_assert_eq(read(r->fd, &byte, 1), 1);
    r->idle++;
}

/* Sends more than the other end takes at once. */
Test(live_channel, an_agent_that_reads_late)
{
    enum { MANY = 4 << 20 };
    char *bytes = malloc(MANY);
    struct reader r = {.fd = pair()};
    pthread_t other;

    cr_assert_not_null(bytes);
    for (unsigned i = 0; i < MANY; i++)
        bytes[i] = text_at(i);
    cr_assert_eq(pthread_create(&other, NULL, read_later, &r), 0);
    cr_expect(channel_send(&c, bytes, MANY, within(60000), NULL), "%s", c.fault);
    channel_close(&c);
    cr_assert_eq(pthread_join(other, NULL), 0);
    cr_expect(r.n == MANY && r.wrong == 0, "%u bytes, %u of them wrong", r.n, r.wrong);
    close(r.fd);
    r = (struct reader){.fd = pair()};
    const uint64_t begun = ibc_wire_clock();
    cr_expect_not(channel_send(&c, bytes, MANY, within(50), NULL));
    cr_expect_str_eq(c.fault, "it does not read");
    cr_expect_geq(ibc_wire_clock() - begun, 50 * ms);
    close(r.fd);
    cr_expect_not(channel_send(&c, bytes, 1, within(50), NULL));
    cr_expect_str_eq(c.fault, "it hung up");
    channel_close(&c);
    free(bytes);
}

/* While the channel waits, it tells its user about other descriptors, each time that they are readable. */
Test(live_channel, others_while_it_waits)
{
    const int fd = pair();
    int wire[2];
    size_t len;

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wire), 0);
    struct reader r = {.fd = wire[1]};
    const struct channel_idle i = {.fd = {wire[1]}, .n = 1, .idle = idle, .ctx = &r};
    says(wire[0], "abc");
    cr_expect_null(channel_receive(&c, &len, within(50), &i));
    cr_expect_str_eq(c.fault, "no answer in time");
    cr_expect_eq(r.idle, 3);
    says(fd, "line\n");
    says(wire[0], "d");
    cr_expect_not_null(channel_receive(&c, &len, within(10000), &i));
    cr_expect_eq(r.idle, 3, "there was no need to wait");
    close(fd), close(wire[0]), close(wire[1]);
    channel_close(&c);
}

Test(live_channel, limits_are_kept)
{
    const int fd = pair();
    static const unsigned limits[] = {0, 30, 130, 250};
    size_t len;

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const uint64_t begun = ibc_wire_clock();
        cr_expect_null(channel_receive(&c, &len, begun + limits[i] * ms, NULL));
        const uint64_t took = ibc_wire_clock() - begun;
        cr_expect(took >= limits[i] * ms && took < (limits[i] + 20000) * ms, "%u: %lu", limits[i], (unsigned long)took);
    }
    close(fd);
    channel_close(&c);
}

/* ---- commands ---- */

static void opens(const char *spec)
{
    c = (struct channel){.fd = -1};
    cr_assert(channel_open(&c, spec, within(10000)), "%s", c.fault);
}

Test(live_channel, a_command)
{
    opens("exec:read line; echo \"got $line\"; read line; echo \"end $line\"");
    cr_assert(channel_send(&c, "hello\n", 6, within(10000), NULL));
    hears("got hello");
    cr_assert(channel_send(&c, "again\n", 6, within(10000), NULL));
    hears("end again");
    cr_expect_gt(c.child, 0);
    channel_close(&c);
    cr_expect(c.child == 0 && c.fd == -1);
}

Test(live_channel, how_a_command_ended)
{
    static const struct {
        const char *command, *says;
    } rows[] = {{"exec:exit 0", "it ended with exit code 0"},
                {"exec:exit 77", "it ended with exit code 77"},
                {"exec:no-such-command 2>/dev/null", "it ended with exit code 127"},
                {"exec:kill -KILL $$", "it was ended by signal 9 (Killed)"},
                {"exec:exec 0<&- 1>&-; exec sleep 100", "it hung up"}};
    size_t len;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opens(rows[i].command);
        cr_expect_null(channel_receive(&c, &len, within(20000), NULL));
        cr_expect_str_eq(c.fault, rows[i].says, "%s: %s", rows[i].command, c.fault);
        channel_close(&c);
    }
}

/* If the kernel waits for child processes itself, nothing is known about the end of the agent. */
Test(live_channel, a_command_of_which_nothing_is_known)
{
    size_t len;

    (void)signal(SIGCHLD, SIG_IGN);
    opens("exec:exit 3");
    cr_expect_null(channel_receive(&c, &len, within(20000), NULL));
    (void)usleep(20000);
    channel_hung_up(&c);
    cr_expect_str_eq(c.fault, "it hung up");
    channel_close(&c);
    (void)signal(SIGCHLD, SIG_DFL);
}

static bool is_there(pid_t pid)
{
    char path[64], line[256] = "";

    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    const bool there = f && fgets(line, sizeof line, f) && !strstr(line, ") Z ");
    if (f)
        (void)fclose(f);
    return there;
}

static pid_t pid_from_line(void)
{
    size_t len;
    const char *line = channel_receive(&c, &len, within(10000), NULL);

    cr_assert(line, "%s", c.fault);
    return (pid_t)strtol(line, NULL, 10);
}

/* An agent whose input has ended has half a second to end by itself, and half a second after it was asked to. */
Test(live_channel, commands_are_ended)
{
    static const struct {
        const char *command;
        unsigned least, most; /* ms */
    } rows[] = {
        {"exec:echo $$; cat >/dev/null", 0, 490},
        {"exec:echo $$; exec sleep 100", 500, 900},
        {"exec:trap '' TERM; echo $$; while :; do sleep 0.05; done", 1000, 5000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opens(rows[i].command);
        const pid_t pid = pid_from_line();
        const uint64_t begun = ibc_wire_clock();
        cr_assert(is_there(pid));
        channel_close(&c);
        const uint64_t took = (ibc_wire_clock() - begun) / ms;
        cr_expect_geq(took, rows[i].least, "%s", rows[i].command);
        cr_expect_lt(took, rows[i].most + 5000, "%s", rows[i].command);
        cr_expect(kill(pid, 0) != 0 && errno == ESRCH, "it has been waited for");
    }
    opens("exec:sleep 100 & echo $!; cat >/dev/null"); /* what it left is ended, too */
    const pid_t left = pid_from_line();
    channel_close(&c);
    for (unsigned i = 0; i < 500 && is_there(left); i++)
        (void)usleep(10000);
    cr_expect_not(is_there(left));
}

/* If the tester ends in whatever way, so does the command, even one that reads nothing. */
Test(live_channel, a_command_without_its_tester)
{
    int told[2];
    pid_t agent = 0;

    cr_assert_eq(pipe(told), 0);
    const pid_t tester = fork();
    if (tester == 0) {
        opens("exec:echo; exec sleep 100");
        (void)pid_from_line();
        cr_assert_eq(write(told[1], &c.child, sizeof c.child), (ssize_t)sizeof c.child);
        pause();
    }
    cr_assert(tester > 0 && read(told[0], &agent, sizeof agent) == (ssize_t)sizeof agent);
    cr_assert(is_there(agent));
    cr_assert(kill(tester, SIGKILL) == 0 && waitpid(tester, NULL, 0) == tester);
    for (unsigned i = 0; i < 500 && is_there(agent); i++)
        (void)usleep(10000);
    cr_expect_not(is_there(agent));
    (void)kill(agent, SIGKILL);
    close(told[0]), close(told[1]);
}

Test(live_channel, a_command_that_nobody_started)
{
    size_t len;

    orphaned = true;
    opens("exec:echo hello");
    cr_expect_null(channel_receive(&c, &len, within(20000), NULL));
    cr_expect_str_eq(c.fault, "it ended with exit code 127", "%s", c.fault);
    channel_close(&c);
    orphaned = false;
}

Test(live_channel, without_processes)
{
    const unsigned before = held_descriptors();
    struct starter s;

    no_process = true;
    c = (struct channel){.fd = -1};
    cr_expect_not(channel_open(&c, "exec:true", within(10000)));
    cr_expect_str_eq(c.fault, "Resource temporarily unavailable");
    channel_close(&c);
    cr_expect_eq(c.fd, -1);
    errno = 0;
    cr_expect_not(starter_open(&s, "exec:true", &channel_direct));
    cr_expect(s.fd == -1 && errno == EAGAIN);
    starter_close(&s);
    no_process = false;
    cr_expect_eq(held_descriptors(), before);
}

/* A descriptor that is none is an error of its own. */
Test(live_channel, without_a_channel)
{
    size_t len;

    c = (struct channel){.fd = 12345};
    cr_expect_null(channel_receive(&c, &len, within(10000), NULL));
    cr_expect_str_eq(c.fault, "Bad file descriptor");
    cr_expect_not(channel_send(&c, "x", 1, within(10000), NULL));
    cr_expect_str_eq(c.fault, "Bad file descriptor");
}

/* ---- other channels ---- */

Test(live_channel, channels_that_cannot_be_opened)
{
    char too_long[300] = "unix:", host[400] = "tcp:";

    memset(too_long + 5, 'x', 200);
    memset(host + 4, 'h', 300);
    const struct {
        const char *spec, *says;
    } rows[] = {
        {"ftp:x", "no such channel; there are exec:COMMAND, unix:PATH, tcp:HOST:PORT"},
        {"exec", "no such channel; there are exec:COMMAND, unix:PATH, tcp:HOST:PORT"},
        {"unix:", "want a path of 1 to 107 bytes"},
        {too_long, "want a path of 1 to 107 bytes"},
        {"unix:no/such/socket", "No such file or directory"},
        {"tcp:127.0.0.1", "want tcp:HOST:PORT, PORT a number up to 65535"},
        {"tcp:127.0.0.1:x", "want tcp:HOST:PORT, PORT a number up to 65535"},
        {host, "want tcp:HOST:PORT, PORT a number up to 65535"},
        {"tcp:127.0.0.1:1", "Connection refused"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c = (struct channel){.fd = 5, .have = 3, .child = 1};
        cr_expect_not(channel_open(&c, rows[i].spec, within(10000)));
        cr_expect_str_eq(c.fault, rows[i].says, "%s: %s", rows[i].spec, c.fault);
        cr_expect(c.fd == -1 && c.child == 0 && c.have == 0);
    }
}

/* Lines are short, and each waits for the other side's: TCP is not to hold them back. */
Test(live_channel, tcp)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t n = sizeof a;
    int is = 0;
    char spec[40];

    cr_assert(listener >= 0 && bind(listener, (const struct sockaddr *)&a, n) == 0 && listen(listener, 1) == 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&a, &n), 0);
    (void)snprintf(spec, sizeof spec, "tcp:127.0.0.1:%u", ntohs(a.sin_port));
    opens(spec);
    const int fd = accept(listener, NULL, NULL);
    cr_assert_geq(fd, 0);
    n = sizeof is;
    cr_expect(getsockopt(c.fd, IPPROTO_TCP, TCP_NODELAY, &is, &n) == 0 && is != 0);
    says(fd, "hello\n");
    hears("hello");
    channel_close(&c);
    cr_expect_eq(c.fd, -1);
    (void)close(fd);
    (void)close(listener);
}

/* A descriptor may have the number 0. */
Test(live_channel, descriptor_zero)
{
    struct starter s;

    (void)close(STDIN_FILENO);
    for (unsigned i = 0; i < 2; i++) {
        c = (struct channel){.fd = -1, .starter = i ? &s : NULL};
        if (i)
            cr_assert(starter_open(&s, "exec:read line; echo \"got $line\"", &channel_direct) && s.fd == 0);
        cr_assert(channel_open(&c, "exec:read line; echo \"got $line\"", within(10000)), "%s", c.fault);
        cr_expect(i || c.fd == 0);
        cr_assert(channel_send(&c, "hello\n", 6, within(10000), NULL));
        hears("got hello");
        channel_close(&c);
        if (i)
            starter_close(&s);
        cr_expect_lt(fcntl(0, F_GETFD), 0, "it is closed");
    }
}

/* No more descriptors can be opened. */
Test(live_channel, without_descriptors)
{
    static const char *const specs[] = {"exec:true", "unix:no/such/socket", "tcp:127.0.0.1:1"};
    struct rlimit limit;
    struct starter s;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int next = dup(STDIN_FILENO);
    cr_assert_geq(next, 0);
    close(next);
    limit.rlim_cur = (rlim_t)next;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        c = (struct channel){.fd = -1};
        cr_expect_not(channel_open(&c, specs[i], within(10000)), "%s", specs[i]);
        cr_expect_str_eq(c.fault, "Too many open files", "%s: %s", specs[i], c.fault);
        cr_expect(c.fd == -1 && c.child == 0, "%s", specs[i]);
    }
    cr_expect_not(starter_open(&s, "exec:true", &channel_direct));
    cr_expect_eq(s.fd, -1);
    starter_close(&s);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* ---- the starter ---- */

/* An agent has its channel and standard error, and no descriptor of the program that started it. */
Test(live_channel, descriptors_of_an_agent)
{
    static const int numbers[] = {3, 50, 300};
    struct starter s;
    int copy[3];

    for (unsigned i = 0; i < 3; i++) {
        copy[i] = fcntl(STDERR_FILENO, F_DUPFD, numbers[i]);
        cr_assert_geq(copy[i], numbers[i]);
    }
    /* 3 is the folder that ls reads */
    cr_assert(starter_open(&s, "exec:ls /proc/self/fd | tr '\\n' ' '; echo", &channel_direct));
    c = (struct channel){.fd = -1, .starter = &s};
    cr_assert(channel_open(&c, "", within(10000)), "%s", c.fault);
    hears("0 1 2 3 ");
    channel_close(&c);
    starter_close(&s);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_eq(close(copy[i]), 0, "the program keeps its own");
}

Test(live_channel, a_starter)
{
    struct starter s;
    char why[CHANNEL_SENTENCE] = "";
    size_t len;
    pid_t last = 0;

    cr_assert(starter_open(&s, "exec:echo $$; read line; echo \"got $line\"; cat >/dev/null", &channel_direct));
    for (unsigned i = 0; i < 2; i++) {
        c = (struct channel){.fd = -1, .starter = &s};
        cr_assert(channel_open(&c, "ftp:nothing", within(10000)), "the starter knows its agent: %s", c.fault);
        cr_expect_eq(c.child, 0);
        const pid_t pid = pid_from_line();
        cr_expect(is_there(pid) && pid != last);
        cr_assert(channel_send(&c, "hello\n", 6, within(10000), NULL));
        hears("got hello");
        channel_close(&c);
        cr_expect_not(is_there(pid), "the starter has ended it");
        last = pid;
    }
    const int fd = starter_begin(&s, within(10000), why, sizeof why);
    cr_assert_geq(fd, 0, "%s", why);
    c = (struct channel){.fd = fd};
    const pid_t first = pid_from_line();
    const int other = starter_begin(&s, within(10000), why, sizeof why); /* which ends the first */
    cr_assert_geq(other, 0, "%s", why);
    cr_expect_not(is_there(first));
    cr_expect_null(channel_receive(&c, &len, within(10000), NULL));
    close(fd);
    c = (struct channel){.fd = other};
    const pid_t second = pid_from_line();
    const pid_t starter = s.pid;
    close(other);
    starter_close(&s);
    cr_expect(s.fd == -1 && !is_there(second) && kill(starter, 0) != 0 && errno == ESRCH);
    starter_close(&s);
}

Test(live_channel, why_a_started_agent_ended)
{
    struct starter s;
    char why[CHANNEL_SENTENCE] = "";
    size_t len;

    cr_assert(starter_open(&s, "exec:exit 9", &channel_direct));
    c = (struct channel){.fd = -1, .starter = &s};
    cr_assert(channel_open(&c, "", within(10000)), "%s", c.fault);
    cr_expect_null(channel_receive(&c, &len, within(10000), NULL));
    cr_expect_str_eq(c.fault, "it ended with exit code 9");
    channel_close(&c);
    kill(s.pid, SIGKILL);
    (void)usleep(100000);
    cr_expect_eq(starter_begin(&s, within(1000), why, sizeof why), -1);
    cr_expect_str_eq(why, "the process that starts it has gone");
    starter_ask_why(&s, why, sizeof why);
    cr_expect_str_eq(why, "it hung up");
    starter_close(&s);
    cr_assert(starter_open(&s, "unix:no/such/socket", &channel_direct));
    cr_expect_eq(starter_begin(&s, within(1000), why, sizeof why), -1);
    cr_expect_str_eq(why, "No such file or directory");
    starter_close(&s);
}

/* The process that starts agents ends while a request to it waits for the answer. */
Test(live_channel, a_starter_that_hangs_up)
{
    char why[CHANNEL_SENTENCE] = "";
    int fd[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd), 0);
    struct starter s = {.fd = fd[0]};
    cr_assert_eq(shutdown(fd[1], SHUT_WR), 0);
    errno = EINTR; /* of an earlier call */
    cr_expect_eq(starter_begin(&s, within(1000), why, sizeof why), -1);
    cr_expect_str_eq(why, "the process that starts it has gone");
    errno = EINTR;
    starter_ask_why(&s, why, sizeof why);
    cr_expect_str_eq(why, "it hung up");
    (void)close(fd[0]);
    (void)close(fd[1]);
}
