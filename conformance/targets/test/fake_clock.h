/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock of the test's own: while it is on, waiting takes no time, but moves the clock. A program includes this file
 * once, and so replaces functions of the C library: clock_gettime(), nanosleep() and ppoll(). */
#ifndef IBC_TEST_FAKE_CLOCK_H
#define IBC_TEST_FAKE_CLOCK_H
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FAKE_WAITS = 512 };
static struct {
    bool on;
    uint64_t now;              /* ns, on the monotonic clock */
    unsigned n;                /* number of waits; the first FAKE_WAITS of them are noted */
    uint64_t wait[FAKE_WAITS]; /* ns that each was to last */
    unsigned late;             /* the wait of that number, from 1 on, ends late, as if this process had been stopped */
    uint64_t lateness;         /* by so many ns */
    bool deaf;                 /* no descriptor becomes ready */
    unsigned naps;             /* number of naps while the clock is off; ns of the last one */
    uint64_t nap;
} fake;

static inline void fake_begin(void)
{
    fake.now = 1000000000000;
    fake.n = fake.late = 0;
    fake.deaf = false;
    fake.on = true;
}

static inline uint64_t fake_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

static inline void fake_passes(const struct timespec *t)
{
    const uint64_t ns = fake_ns(t);

    if (fake.n < FAKE_WAITS)
        fake.wait[fake.n] = ns;
    fake.n++;
    fake.now += ns > 0 ? ns : 1; /* so that each loop ends */
    if (fake.n == fake.late)
        fake.now += fake.lateness;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!fake.on || id != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, id, t);
    *t = (struct timespec){.tv_sec = (time_t)(fake.now / 1000000000u), .tv_nsec = (long)(fake.now % 1000000000u)};
    return 0;
}

int nanosleep(const struct timespec *t, struct timespec *rest)
{
    if (!fake.on) {
        fake.naps++;
        fake.nap = fake_ns(t);
        return (int)syscall(SYS_nanosleep, t, rest);
    }
    fake_passes(t);
    return 0;
}

int ppoll(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *s)
{
    static const struct timespec none;
    int (*real)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

    *(void **)&real = dlsym(RTLD_NEXT, "ppoll");
    if (!fake.on)
        return real(p, n, t, s);
    const int ready = fake.deaf ? 0 : real(p, n, &none, s);
    if (ready == 0)
        fake_passes(t);
    return ready;
}
#endif
