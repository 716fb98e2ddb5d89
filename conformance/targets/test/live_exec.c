/* SPDX-License-Identifier: BSD-2-Clause */
/* A process that is about to become an agent. */
#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../live_channel.h"
#include "../wire.h"
#include "system/signals.h"

static int early; /* this signal comes before the command begins; 0: none */

pid_t setsid(void)
{
    if (early)
        (void)raise(early);
    return (pid_t)syscall(SYS_setsid);
}

/* A signal that reaches the new process before its command begins ends it, as it would end the command. The tester,
 * which handles signals, does not take it for one of its own. */
Test(live_exec, a_signal_before_the_command)
{
    static struct channel c = {.fd = -1};
    const uint64_t soon = UINT64_C(20000000000);
    size_t len;

    (void)signal(SIGTERM, SIG_DFL);
    cr_assert(signals_mind(NULL));
    for (early = SIGTERM; early >= 0; early -= SIGTERM) {
        cr_assert(channel_open(&c, "exec:echo hello", ibc_wire_clock() + soon), "%s", c.fault);
        cr_expect_eq(channel_receive(&c, &len, ibc_wire_clock() + soon, NULL) != NULL, early == 0);
        if (early)
            cr_expect_str_eq(c.fault, "it was ended by signal 15 (Terminated)", "%s", c.fault);
        channel_close(&c);
        cr_expect_eq(poll(&(struct pollfd){.fd = signals_fd(), .events = POLLIN}, 1, 0), 0, "signal %d", early);
        cr_expect_eq(signals_came(), 0);
    }
    signals_forget();
}
