/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes that take numbered jobs and send back one record for each part of a job, in order.
 *
 * What a child does cannot hurt the rest: one that dies loses the part at hand, and another goes on behind it. Which
 * child does which job is left to chance; the caller sorts by number. */
#ifndef IBC_POOL_H
#define IBC_POOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_RECORD = 16384 }; /* bytes at most */

struct pool {
    unsigned children;
    uint32_t jobs, parts; /* every job has so many parts */
    bool mute;            /* children are broken on purpose: what they print is dropped, and no core is written */
    void *ctx;
    /* In the child. enter: before its first job; child: 0 to children - 1, and of two that are alive never the same;
     * may be NULL. limit: s of wall time for a part, 0 for no end; may be NULL. work: bytes of the record. */
    void (*enter)(void *ctx, unsigned child);
    unsigned (*limit)(void *ctx, uint32_t job, uint32_t part);
    size_t (*work)(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD]);
    void (*leave)(void *ctx); /* no more jobs; may be NULL */
    /* In the parent. died: `status` as waitpid tells it. */
    void (*done)(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len);
    void (*died)(void *ctx, uint32_t job, uint32_t part, int status);
};

/* False with one line in err when no process can be had. Standard output must be flushed before. */
bool pool_run(const struct pool *p, char *err, size_t errlen);

/* Of a child that died: its time was up. */
bool pool_hung(int status);
/* "signal 11 (Segmentation fault)", "exit code 1" */
void pool_death(int status, char *out, size_t n);
/* A limit for what may run in circles, from the time that the same takes when all is well. */
unsigned pool_patience(uint64_t well_ns);
/* How many children when nobody said. */
unsigned pool_cores(void);
#endif
