/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/signals.h"
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t called;

static void call(void)
{
    called++;
}

Test(signals, waiting_ends)
{
    int fd[2];

    cr_assert_eq(pipe(fd), 0);
    cr_assert(signals_mind(call));
    cr_assert_eq(write(fd[1], "x", 1), 1);
    cr_expect(signals_await(fd[0]));
    cr_expect_eq(signals_came(), 0);
    raise(SIGTERM);
    cr_expect_eq(signals_came(), SIGTERM);
    cr_expect_eq(called, 1);
    cr_expect_not(signals_await(fd[0]));
    struct pollfd p = {.fd = signals_fd(), .events = POLLIN};
    cr_expect_eq(poll(&p, 1, 0), 1);
}

/* Returns how a child ends that gets these two signals. */
static int end_by(int first, int second)
{
    int status, ready[2];

    cr_assert_eq(pipe(ready), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        signal(first, SIG_DFL); /* nohup ignores SIGHUP */
        if (!signals_mind(NULL) || write(ready[1], "x", 1) != 1)
            _exit(1);
        while (!signals_came())
            ;
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char byte;
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    kill(pid, first);
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    kill(pid, second);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFSIGNALED(status));
    return WTERMSIG(status);
}

Test(signals, the_second_one_ends_at_once)
{
    cr_expect_eq(end_by(SIGINT, SIGINT), SIGINT);
    cr_expect_eq(end_by(SIGINT, SIGTERM), SIGTERM);
    cr_expect_eq(end_by(SIGHUP, SIGINT), SIGINT);
}

Test(signals, ignored_ones_stay_ignored)
{
    signal(SIGHUP, SIG_IGN);
    cr_assert(signals_mind(NULL));
    raise(SIGHUP);
    cr_expect_eq(signals_came(), 0);
}

Test(signals, programs_that_do_not_mind_them_never_wait)
{
    int fd[2];

    cr_assert_eq(pipe(fd), 0);
    cr_expect(signals_await(fd[0]));
    cr_expect_eq(signals_fd(), -1);
}

Test(signals, children_may_forget, .signal = SIGTERM)
{
    cr_assert(signals_mind(NULL));
    signals_forget();
    raise(SIGTERM);
}
