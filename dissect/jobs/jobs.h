/* SPDX-License-Identifier: BSD-2-Clause */
/* --jobs: the packets of a run are judged and counted by several threads. The result is that of one, to the byte.
 *
 *     struct jobs *j = jobs_open(&config);
 *     if (jobs_run(j))        the statistics of the options have counted all packets; they refer to j
 *     jobs_close(j);          after they were printed
 *
 * All packets between two addresses go to one worker, in their order, which parses, checks, judges and counts them. The
 * workers also read the packets, by turns (jobs/chunk.h). Each of them follows all management datagrams, so that it
 * knows the connections. At the end the workers' statistics are joined.
 *
 * Few decisions of the observer depend on packets between other addresses: when a network reorders packets, when a
 * capture lacks some, when several connections between two hosts use the same PSNs, and when tables overflow. The
 * observer notices them (iba_observer_part()). Then jobs_run() returns false, the statistics are as before, and the
 * caller starts again with one thread. */
#ifndef DISSECT_JOBS_H
#define DISSECT_JOBS_H
#include "options.h"

enum { JOBS_MOST = 64 };

struct jobs_config {
    struct options *opt;
    uint64_t seed; /* seed of the hashes in tables */
    /* Called from time to time, by any thread, by one at a time. `bytes`: read from the files. */
    void (*progress)(void *ctx, uint64_t packets, uint64_t bytes);
    void *ctx;
};
struct jobs;

/* Whether this run can be split: its statistics can be joined, and its files can be read twice. */
bool jobs_can(const struct options *opt);
/* Opens the captures. NULL: the run cannot be split, so one thread must do it. Owned: jobs_close(). */
struct jobs *jobs_open(const struct jobs_config *cfg);
/* Starts the threads and waits for them. False: the run cannot be split. */
bool jobs_run(struct jobs *j);
/* After jobs_run(): the number of packets that were read, up to the end or to a signal, and the worst finding. */
uint64_t jobs_read(const struct jobs *j);
enum iba_severity jobs_worst(const struct jobs *j);
void jobs_close(struct jobs *j);
#endif
