/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that judge and count the packets of a run. Each one judges its own packets of every chunk, in order; while
 * the next chunk is not there yet, it reads one for all of them. */
#ifndef DISSECT_JOBS_WORKER_H
#define DISSECT_JOBS_WORKER_H
#include "jobs/chunk.h"
#include "judge/judge.h"
#include "options.h"
#include "track/track.h"

/* Chunks of each worker, and of all. */
enum { CHUNKS = 4, RING = CHUNKS * DEAL_WORKERS };

struct pending {
    struct chunk *chunk; /* NULL: none */
    uint64_t ready;      /* its number plus 1, once packets are dealt out */
    unsigned left;       /* workers that need it; 0: none */
};
struct team {
    struct reading reading;
    uint64_t seed; /* of hashes */
    struct deal_shared deal;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    struct pending pending[RING];
    struct worker *worker[DEAL_WORKERS];
    unsigned workers, places;
    uint64_t begun; /* number of the chunk to be read next */
    uint64_t found; /* of the chunk whose packets are to be found next */
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
    struct chunk *own[CHUNKS]; /* into which it reads: they stay in the cache of its core */
    struct chunk *free;        /* of them; the one that was used last is first */
    struct judge *judge;
    struct track *track;
    enum iba_severity worst;
    void *state[MAX_STATS];
    struct deal deal;
};

/* `t->reading` and `t->seed` are the caller's. */
void team_open(struct team *t, unsigned workers);
void team_close(struct team *t);
/* Begins the thread. False: it cannot; worker_close() all the same. */
bool worker_open(struct worker *w, struct team *t, unsigned number);
/* The run cannot be split: all threads end soon. */
void team_give_up(struct team *t);
/* Waits for the thread. */
void worker_end(struct worker *w);
void worker_close(struct worker *w);
#endif
