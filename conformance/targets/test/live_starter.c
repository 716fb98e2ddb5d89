/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that starts agents for another: what it calls, in which order, and what it answers. Here it opens no
 * channel, but writes down the calls in memory that both processes share. */
#include "../live_starter.h"
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../live_channel.h"
#include "held.h"

static struct shared {
    char calls[400]; /* of the starter */
    bool fails;      /* the next open() does */
    _Atomic bool waits, is_waiting;
    char why[CHANNEL_SENTENCE];
} * shared;

__attribute__((format(printf, 1, 2))) static void call(const char *format, ...)
{
    const size_t n = strlen(shared->calls);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(shared->calls + n, sizeof shared->calls - n, format, args);
    va_end(args);
}

/* Opens a file with the sentence in it, as the channel's descriptor. */
static bool opens(struct channel *c, const char *spec, uint64_t until)
{
    call("open %s %llu fd=%d\n", spec, (unsigned long long)until, c->fd);
    for (shared->is_waiting = true; shared->waits;)
        ;
    (void)snprintf(c->fault, sizeof c->fault, "%s", shared->why);
    if (shared->fails)
        return false;
    c->fd = memfd_create("channel", MFD_CLOEXEC);
    return write(c->fd, shared->why, strlen(shared->why)) > 0;
}

static void closes(struct channel *c)
{
    call("close fd=%d\n", c->fd);
}

static void hangs_up(struct channel *c)
{
    call("hung up fd=%d\n", c->fd);
    (void)snprintf(c->fault, sizeof c->fault, "%s", shared->why);
}

static const struct channel_ops ops = {opens, closes, hangs_up};

static struct starter begin(void)
{
    struct starter s;

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(shared, MAP_FAILED);
    cr_assert(starter_open(&s, "exec:agent", &ops));
    return s;
}

static void end(struct starter *s, const char *calls)
{
    starter_close(s);
    cr_expect_str_eq(shared->calls, calls, "%s", shared->calls);
    (void)munmap(shared, sizeof *shared);
}

static bool is_in(int fd, const char *text)
{
    char is[CHANNEL_SENTENCE + 1] = "";

    return pread(fd, is, sizeof is - 1, 0) == (ssize_t)strlen(text) && strcmp(is, text) == 0;
}

/* Before it starts an agent it ends the one before. It keeps no descriptor of the channel that it has handed over. */
Test(live_starter, orders)
{
    struct starter s = begin();
    char why[CHANNEL_SENTENCE] = "";
    const unsigned before = held_descriptors();

    for (unsigned i = 0; i < 2; i++) {
        (void)snprintf(shared->why, sizeof shared->why, "channel %u", i);
        const int fd = starter_begin(&s, UINT64_C(12345678901234567890) + i, why, sizeof why);
        cr_assert_geq(fd, 0, "%s", why);
        cr_expect(is_in(fd, shared->why) && fcntl(fd, F_GETFD) == FD_CLOEXEC, "%u", i);
        cr_expect_eq(held_descriptors(), before + 1);
        (void)close(fd);
    }
    starter_end(&s);
    cr_expect_eq(held_descriptors(), before);
    (void)snprintf(shared->why, sizeof shared->why, "nobody knows");
    starter_ask_why(&s, why, sizeof why);
    cr_expect_str_eq(why, "nobody knows");
    cr_expect_eq(held_descriptors(), before);
    end(&s, "close fd=-1\nopen exec:agent 12345678901234567890 fd=-1\nclose fd=-1\n"
            "open exec:agent 12345678901234567891 fd=-1\nclose fd=-1\nhung up fd=-1\nclose fd=-1\n");
}

/* The sentence about an agent that cannot be started reaches the tester whole, and fits into a shorter text. */
Test(live_starter, agents_that_do_not_start)
{
    struct starter s = begin();
    char why[CHANNEL_SENTENCE], few[10];

    memset(shared->why, 'x', sizeof shared->why - 1);
    shared->fails = true;
    cr_expect_eq(starter_begin(&s, 7, why, sizeof why), -1);
    cr_expect_str_eq(why, shared->why);
    cr_expect_eq(starter_begin(&s, 8, few, sizeof few), -1);
    cr_expect_str_eq(few, "xxxxxxxxx");
    starter_ask_why(&s, few, sizeof few);
    cr_expect_str_eq(few, "xxxxxxxxx");
    shared->fails = false;
    const int fd = starter_begin(&s, 9, why, sizeof why);
    cr_expect(fd >= 0 && is_in(fd, shared->why), "a failure ends nothing");
    (void)close(fd);
    end(&s, "close fd=-1\nopen exec:agent 7 fd=-1\nclose fd=-1\nopen exec:agent 8 fd=-1\nhung up fd=-1\n"
            "close fd=-1\nopen exec:agent 9 fd=-1\nclose fd=-1\n");
}

/* A process that dies while it waits leaves a reply behind, with a descriptor. The next one takes its own. `zero`: its
 * descriptor may be 0, since this process has no input. */
static void replies_to_another(bool zero)
{
    struct starter s = begin();
    char why[CHANNEL_SENTENCE] = "";
    int status;

    if (zero)
        (void)close(STDIN_FILENO);
    const unsigned before = held_descriptors();
    (void)snprintf(shared->why, sizeof shared->why, "first");
    shared->waits = true;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(starter_begin(&s, 1, why, sizeof why) >= 0);
    while (!shared->is_waiting)
        ;
    (void)kill(pid, SIGKILL);
    cr_assert(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    shared->waits = false;
    const int fd = starter_begin(&s, 2, why, sizeof why);
    cr_assert_geq(fd, 0, "%s", why);
    cr_expect_eq(fd == STDIN_FILENO, zero);
    cr_expect_eq(held_descriptors(), before + 1, "the descriptor of the first reply is closed");
    (void)close(fd);
    end(&s, "close fd=-1\nopen exec:agent 1 fd=-1\nclose fd=-1\nopen exec:agent 2 fd=-1\nclose fd=-1\n");
}

Test(live_starter, replies_to_another)
{
    replies_to_another(false);
    replies_to_another(true);
}

/* A message that is too short for an order ends the starter, which closes its channel first. */
Test(live_starter, no_order)
{
    static const char bytes[20]; /* too few */

    for (size_t n = 1; n <= sizeof bytes; n += sizeof bytes - 1) {
        struct starter s = begin();
        char why[CHANNEL_SENTENCE] = "";
        cr_assert_eq(send(s.fd, bytes, n, 0), (ssize_t)n);
        cr_expect_eq(starter_begin(&s, 1, why, sizeof why), -1);
        cr_expect_str_eq(why, "the process that starts it has gone");
        end(&s, "close fd=-1\n");
    }
}
