/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses of a sender, written directly, as if the sender's packets had been followed. */
#ifndef STATS_TEST_PERF_PAUSES_H
#define STATS_TEST_PERF_PAUSES_H
#include "stats/perf.h"

/* Returns the number of bits that the number has. */
static inline unsigned perf_class_of(uint64_t ns)
{
    unsigned c = 0;

    for (; ns > 0; ns >>= 1)
        c++;
    return c;
}

/* Adds `n` pauses of a kind, with `wait` and `gap` each, in ns. */
static inline void perf_pauses(struct perf_sender *s, enum perf_pause pause, unsigned n, uint64_t wait, uint64_t gap)
{
    const struct perf_class add = {n, n * wait, n * gap};
    struct perf_class *const to[] = {&s->sum[pause],
                                     pause < PERF_PAUSE_ANSWERED ? &s->class[pause][perf_class_of(gap)] : NULL};

    for (unsigned i = 0; i < 2 && to[i]; i++) {
        to[i]->n += add.n;
        to[i]->wait += add.wait;
        to[i]->gap += add.gap;
    }
}
#endif
