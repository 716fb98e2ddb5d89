/* SPDX-License-Identifier: BSD-2-Clause */
/* A timer sends a signal after each second of processor time. Its handler checks whether the number of inputs has
 * changed since the last signal. So an input costs no system call. */
#include "time_limit.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "fuzz.h"

static volatile unsigned long inputs, seen;
static volatile unsigned seconds; /* complete seconds of processor time that this input has taken */

static void second(int signal)
{
    static const char what[] = "time_limit.c:1: does not hold: an input takes no longer than FUZZ_SECONDS\n";

    (void)signal;
    seconds = inputs == seen ? seconds + 1 : 0;
    seen = inputs;
    if (seconds < FUZZ_SECONDS)
        return;
    if (write(STDERR_FILENO, what, sizeof what - 1) < 0)
        _exit(1);
    abort();
}

void fuzz_limits_begin(void)
{
    const struct itimerval each = {{.tv_sec = 1}, {.tv_sec = 1}};
    struct sigaction act = {.sa_handler = second, .sa_flags = SA_RESTART};

    (void)sigemptyset(&act.sa_mask);
    FUZZ_CHECK(sigaction(SIGPROF, &act, NULL) == 0 && setitimer(ITIMER_PROF, &each, NULL) == 0);
}

void fuzz_limits_input(void)
{
    inputs++;
}
