/* SPDX-License-Identifier: BSD-2-Clause */
/* The effect of each signal on a program, and on the child processes that it starts. */
#include "system/signals.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDS = sizeof ends / sizeof *ends };

static void begin(void)
{
    for (size_t i = 0; i < ENDS; i++)
        signal(ends[i], SIG_DFL); /* nohup ignores SIGHUP */
}
TestSuite(effects, .init = begin);

/* The effects of the signals, as letters in the order of `ends`: d the default, i nothing, h a handler. */
static const char *effects(void)
{
    static char text[ENDS + 1];

    for (size_t i = 0; i < ENDS; i++) {
        struct sigaction is;
        cr_assert_eq(sigaction(ends[i], NULL, &is), 0);
        text[i] = is.sa_handler == SIG_DFL ? 'd' : is.sa_handler == SIG_IGN ? 'i' : 'h';
    }
    return text;
}

/* Open descriptors of this process. */
static unsigned descriptors(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static bool is_readable(int fd)
{
    return poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0) == 1;
}

static unsigned calls;
static char blocked[ENDS + 1];

static void call(void)
{
    sigset_t is;

    calls++;
    (void)sigprocmask(SIG_BLOCK, NULL, &is);
    for (size_t i = 0; i < ENDS; i++)
        blocked[i] = sigismember(&is, ends[i]) ? 'b' : '-';
    errno = EDOM;
}

/* The first signal is noted once: errno stays, no other one comes in between, and the next one has its usual effect. */
Test(effects, of_the_first_signal)
{
    for (size_t i = 0; i < ENDS; i++) {
        calls = 0;
        cr_assert(signals_mind(call));
        cr_expect_str_eq(effects(), "hhh");
        cr_expect_not(is_readable(signals_fd()));
        cr_expect_eq(signals_came(), 0);
        errno = ERANGE;
        raise(ends[i]);
        cr_expect_eq(errno, ERANGE);
        cr_expect_eq(signals_came(), ends[i]);
        cr_expect_eq(calls, 1);
        cr_expect_str_eq(blocked, "bbb");
        cr_expect_str_eq(effects(), "ddd");
        cr_expect(is_readable(signals_fd()));
        signals_forget();
        cr_expect_eq(signals_came(), 0);
        cr_expect_eq(signals_fd(), -1);
    }
}

/* Other system calls are not disturbed, and other programs do not get the descriptors. */
Test(effects, on_calls_and_descriptors)
{
    const unsigned before = descriptors();
    struct sigaction is;
    struct stat pipe_is, st;

    cr_assert(signals_mind(NULL));
    cr_expect_eq(descriptors(), before + 2);
    for (size_t i = 0; i < ENDS; i++) {
        cr_assert_eq(sigaction(ends[i], NULL, &is), 0);
        cr_expect(is.sa_flags & SA_RESTART);
    }
    cr_assert_eq(fstat(signals_fd(), &pipe_is), 0);
    for (int fd = 0; fd < 256; fd++)
        if (fstat(fd, &st) == 0 && st.st_ino == pipe_is.st_ino && st.st_dev == pipe_is.st_dev) {
            cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC, "%d", fd);
            cr_expect(fcntl(fd, F_GETFL) & O_NONBLOCK, "%d", fd);
        }
    const int fd = signals_fd();
    cr_assert(signals_mind(NULL)); /* once more */
    cr_expect_eq(signals_fd(), fd);
    cr_expect_eq(descriptors(), before + 2);
    signals_forget();
    cr_expect_eq(descriptors(), before);
    signals_forget();
    cr_expect_eq(descriptors(), before);
}

/* Each way for a child process to go on, after a signal came. `ignored`: the signals that were ignored from the start.
 */
Test(effects, on_children)
{
    static const struct {
        const char *name;
        void (*go_on)(void);
        const char *ignored, *effects;
    } rows[] = {{"forget", signals_forget, "---", "ddd"},
                {"forget, under nohup", signals_forget, "--i", "ddi"},
                {"leave to the parent", signals_leave_to_parent, "---", "idi"},
                {"leave to the parent, SIGTERM ignored", signals_leave_to_parent, "-i-", "iii"},
                {"outlive", signals_outlive, "---", "iii"},
                {"outlive, all ignored", signals_outlive, "iii", "iii"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const unsigned before = descriptors();
        char minded[ENDS + 1] = "hhh";
        for (size_t s = 0; s < ENDS; s++) {
            signal(ends[s], rows[i].ignored[s] == 'i' ? SIG_IGN : SIG_DFL);
            minded[s] = rows[i].ignored[s] == 'i' ? 'i' : 'h';
        }
        cr_assert(signals_mind(call));
        cr_expect_str_eq(effects(), minded, "%s", rows[i].name);
        rows[i].go_on();
        cr_expect_str_eq(effects(), rows[i].effects, "%s", rows[i].name);
        cr_expect_eq(signals_came(), 0);
        cr_expect_eq(signals_fd(), -1);
        cr_expect_eq(descriptors(), before);
        begin();
        cr_assert(signals_mind(call)); /* a signal that came is forgotten, too */
        raise(SIGTERM);
        cr_expect_eq(signals_came(), SIGTERM);
        rows[i].go_on();
        cr_expect_eq(signals_came(), 0);
    }
}

/* ---- waiting ---- */

static int end[2];

static void nothing(int signal)
{
    (void)signal;
}

/* Sends the thread that waits a signal that is not of ours, and then what it waits for. */
static void *disturb(void *waits)
{
    for (unsigned i = 0; i < 3; i++) {
        usleep(5000);
        pthread_kill(*(pthread_t *)waits, SIGUSR1);
    }
    usleep(5000);
    cr_assert_eq(write(end[1], "x", 1), 1);
    return NULL;
}

Test(effects, of_other_signals_on_waiting)
{
    const struct sigaction act = {.sa_handler = nothing};
    pthread_t self = pthread_self(), other;

    cr_assert(pipe(end) == 0 && sigaction(SIGUSR1, &act, NULL) == 0 && signals_mind(NULL));
    cr_assert_eq(pthread_create(&other, NULL, disturb, &self), 0);
    cr_expect(signals_await(end[0]));
    cr_expect(is_readable(end[0]), "it waits on after another signal");
    pthread_join(other, NULL);
}

static void *interrupt(void *unused)
{
    sigset_t none;

    (void)sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    usleep(5000);
    raise(SIGINT);
    return unused;
}

/* The thread that waits is not the one that gets the signal. */
Test(effects, of_a_signal_in_another_thread)
{
    sigset_t all;
    pthread_t other;

    cr_assert(pipe(end) == 0 && signals_mind(NULL));
    (void)sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    cr_assert_eq(pthread_create(&other, NULL, interrupt, NULL), 0);
    cr_expect_not(signals_await(end[0]));
    cr_expect_eq(signals_came(), SIGINT);
    pthread_join(other, NULL);
}

/* The end of a file and a descriptor that is not open end waiting, too: the read that follows tells which. */
Test(effects, of_ends_on_waiting)
{
    struct rlimit none, was;

    cr_assert(pipe(end) == 0 && signals_mind(NULL));
    close(end[1]);
    cr_expect(signals_await(end[0]));
    close(end[0]);
    cr_expect(signals_await(end[0]));
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    none = was;
    none.rlim_cur = 0; /* so that poll() fails */
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    const bool ended = signals_await(end[0]);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
    cr_expect(ended);
}

Test(effects, without_descriptors)
{
    struct rlimit few, was;

    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    few = was;
    few.rlim_cur = 0;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    const bool minds = signals_mind(NULL);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
    cr_expect_not(minds);
    cr_expect_eq(signals_fd(), -1);
    cr_expect_str_eq(effects(), "ddd");
    cr_expect(signals_mind(NULL));
}
