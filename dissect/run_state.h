/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to a run: its state; run_open.c opens its parts, run.c reads and ends. */
#ifndef DISSECT_RUN_STATE_H
#define DISSECT_RUN_STATE_H
#include <time.h>
#include "input/capture.h"
#include "judge/judge.h"
#include "options.h"
#include "system/privileges.h"

struct run {
    struct options *opt;
    struct capture *capture[MAX_FILES];
    size_t n_capture;
    struct cap_merge *merge;
    struct jobs *jobs; /* NULL: one thread does all */
    struct pcapng_writer *writer;
    struct report *report;
    struct summaries *summaries; /* NULL: none */
    struct judge *judge;         /* NULL: no output needs it */
    struct track *track;
    struct undecided *undecided; /* NULL: packets are printed at once */
    const char *fault;           /* the fault of the only capture, printed after the buffered packets */
    bool full;                   /* no more packets need to be read */
    struct out *out;
    struct {
        struct cap_packet cap;
        struct packet packet;
    } batch[JUDGE_AHEAD]; /* packets that are in memory together */
    unsigned n_batch;
    bool over;                   /* no more packets can be read */
    bool quiet;                  /* the capture is live, and no packet comes */
    bool cut;                    /* the batch ended early because a packet cannot be parsed */
    const struct packet *packet; /* the current one */
    uint64_t first_ns, prev_ns;
    uint64_t begin_ns; /* the time of the first packet in the captures, in the window or not */
    bool timed;        /* begin_ns is known */
    uint64_t read, shown;
    enum iba_severity worst; /* of packets that match, and of late findings */
    int rc;
    bool progress, write_failed;
    uint64_t unwritten;       /* ERF records that were not written because they are too short */
    char as[PRIVILEGES_USER]; /* the user that the program became instead of root; empty: root was not given up */
    time_t said;
};

/* In run_open.c. False: the error was reported. */
bool run_open_judge(struct run *r);
bool run_open_files(struct run *r);
/* For a signal handler: ends a live capture. */
void run_stop_capture(void);
#endif
