/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

uint64_t wall_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void progress_begin(struct progress *p, uint64_t total)
{
    *p = (struct progress){.on = isatty(STDERR_FILENO) == 1, .total = total, .since_ns = wall_ns()};
}

void progress_step(struct progress *p, const char *what)
{
    static const uint64_t every_ns = 100000000;
    const uint64_t now = p->on ? wall_ns() : 0;

    p->done++;
    if (!p->on || now - p->printed_ns < every_ns)
        return;
    p->printed_ns = now;
    const double left = (double)(now - p->since_ns) / 1e9 / (double)p->done * (double)(p->total - p->done);
    fprintf(stderr, "\r%llu of %llu, %.0f s to go%s%.80s\033[K", (unsigned long long)p->done,
            (unsigned long long)p->total, left, what ? "  " : "", what ? what : "");
}

void progress_end(struct progress *p)
{
    if (p->on)
        fputs("\r\033[K", stderr);
    p->on = false;
}
