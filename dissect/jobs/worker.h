/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that judge and count the packets of a run. Each worker judges its own packets of every chunk, in order. While
 * the next chunk is not there yet, the worker reads a chunk for all workers. */
#ifndef DISSECT_JOBS_WORKER_H
#define DISSECT_JOBS_WORKER_H
#include "jobs/chunk.h"
#include "judge/judge.h"
#include "options.h"
#include "track/track.h"

/* The most chunks of one worker, and of all workers. */
enum { CHUNKS = 4, RING = CHUNKS * DEAL_WORKERS };

struct pending {
    struct chunk *chunk; /* NULL: none */
    uint64_t ready;      /* number of the chunk plus 1, once its packets are dealt out */
    unsigned left;       /* workers that still need the chunk; 0: none */
};
struct team {
    struct reading reading;
    uint64_t seed; /* seed of the hashes in tables */
    struct deal_shared deal;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t changed;
    struct pending pending[RING];
    struct worker *worker[DEAL_WORKERS];
    unsigned workers, places;
    uint64_t begun; /* number of the chunk to be read next */
    uint64_t found; /* number of the next chunk whose packets are to be found */
    uint64_t end;   /* how many chunks there are; UINT64_MAX: not known yet */
    bool vain;      /* the run cannot be split */
};
struct worker {
    struct team *team;
    unsigned number;
    pthread_t thread;
    bool started;
    /* Copies: the thread that finds packets changes its captures and `reading` all the time, and each change takes
     * their memory from the caches of other cores. */
    uint64_t first_ns;
    const char *source_name[MAX_FILES];
    uint64_t at;               /* number of the chunk to be judged next */
    struct chunk *own[CHUNKS]; /* the chunks that the worker reads into: they stay in the cache of its core */
    struct chunk *free;        /* the free chunks of `own`; the one that was used last is first */
    struct judge *judge;
    struct track *track;
    enum iba_severity worst;
    void *state[MAX_STATS];
    struct deal deal;
};

/* Prepares the team; the caller has set `t->reading` and `t->seed`. */
void team_open(struct team *t, unsigned workers);
void team_close(struct team *t);
/* Starts the thread. False: it cannot be started; worker_close() must be called all the same. */
bool worker_open(struct worker *w, struct team *t, unsigned number);
/* Makes all threads end soon, since the run cannot be split. */
void team_give_up(struct team *t);
/* Waits until the thread has ended. */
void worker_end(struct worker *w);
void worker_close(struct worker *w);
#endif
