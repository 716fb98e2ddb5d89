/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that judges and counts the packets that it is given, in chunks. */
#ifndef DISSECT_JOBS_WORKER_H
#define DISSECT_JOBS_WORKER_H
#include <pthread.h>
#include <stdatomic.h>
#include "field/bound.h"
#include "judge/judge.h"
#include "options.h"

/* Packets of a chunk; chunks that wait for a worker; bytes of packets that are no longer in memory when they are
 * judged: at least one packet of any size. */
enum { CHUNK_PACKETS = BOUND(1024, 16), CHUNKS = 8, CHUNK_BYTES = 2 * CAP_MAX_RECORD };

struct dealt { /* a packet */
    const uint8_t *data;
    uint64_t ts_ns, frame, number; /* number: in its capture */
    uint32_t caplen, len;
    uint16_t context; /* index in the chunk's contexts, plus 1; 0: none */
    uint8_t link, source;
    uint32_t point; /* of its file: cap_packet */
};
struct chunk {
    unsigned n, contexts;
    uint32_t used; /* bytes */
    uint8_t *bytes;
    struct mad_context *context;
    struct dealt packet[CHUNK_PACKETS];
};

struct worker_config {
    const struct options *opt;
    struct capture *const *capture; /* by source */
    uint64_t seed;
    atomic_bool *vain; /* set when the parts cannot be joined: nothing need be judged any more */
};
struct worker {
    struct worker_config cfg;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, over;         /* over: no chunk follows */
    unsigned put, taken;        /* chunks; the next to be filled is put % CHUNKS */
    uint64_t first_ns, last_ns; /* of the run; last_ns valid when it is over */
    struct judge *judge;
    enum iba_severity worst;
    void *state[MAX_STATS];
    struct chunk chunk[CHUNKS];
};

/* Begins the thread. False: out of memory; worker_close() all the same. */
bool worker_open(struct worker *w, const struct worker_config *cfg);
/* The chunk to fill; waits until there is one. */
struct chunk *worker_chunk(struct worker *w);
/* It is full enough: the worker takes it. */
void worker_put(struct worker *w);
/* No chunk follows. The last packet of the run was at `last_ns`. Waits for the thread. */
void worker_end(struct worker *w, uint64_t last_ns);
void worker_close(struct worker *w);
#endif
