/* SPDX-License-Identifier: BSD-2-Clause */
/* ibbench-line: prints how many nanoseconds a cache line takes from one core to another. Two threads change one
 * number by turns, for 20 ms. */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { SPINS = 4096, TURNS = 1024 };
static const uint64_t SERIES_NS = 20 * 1000 * 1000;

static _Alignas(64) atomic_uint turn; /* even: the first thread's; the last value ends the other thread */
static const unsigned OVER = 0xffffffff;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 * 1000 * 1000 + (uint64_t)t.tv_nsec;
}

/* Waits until `turn` is no longer `from`; lets other threads run at times, since there may be one core only. */
static unsigned await(unsigned from)
{
    unsigned now;

    for (unsigned spins = 1; (now = atomic_load(&turn)) == from; spins++)
        if (spins % SPINS == 0)
            sched_yield();
    return now;
}

static void *answer(void *ctx)
{
    unsigned mine = 0, now;

    while ((now = await(mine)) != OVER) {
        mine = now + 1;
        atomic_store(&turn, mine);
    }
    return ctx;
}

static void ask(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        const unsigned mine = atomic_load(&turn) + 1;
        atomic_store(&turn, mine);
        (void)await(mine);
    }
}

int main(void)
{
    pthread_t other;
    uint64_t turns = 0;

    if (pthread_create(&other, NULL, answer, NULL) != 0) {
        fputs("ibbench-line: there is no second thread\n", stderr);
        return 2;
    }
    ask(TURNS); /* both threads run */
    const uint64_t begin = now_ns();
    do {
        ask(TURNS);
        turns += TURNS;
    } while (now_ns() - begin < SERIES_NS);
    const uint64_t ns = now_ns() - begin;
    atomic_store(&turn, OVER);
    pthread_join(other, NULL);
    printf("%" PRIu64 "\n", ns / (2 * turns));
    return 0;
}
