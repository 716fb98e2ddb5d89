/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes that take numbered jobs and return one record for each part of a job, in order.
 *
 * A child cannot harm the rest: if one dies, its current part is lost, and another child continues after it. The order
 * of jobs among children is random; the caller sorts by number. */
#ifndef IBC_POOL_H
#define IBC_POOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_RECORD = 16384 }; /* bytes at most */

struct pool {
    unsigned children;
    uint32_t jobs, parts; /* every job has this many parts */
    bool mute;            /* children are broken on purpose: their output is dropped, and no core is written */
    void *ctx;
    /* In the child. enter: before its first job; child: 0 to children - 1, and of two that are alive never the same;
     * may be NULL. limit: s of wall time for a part, 0 for no end; may be NULL. work: bytes of the record. */
    void (*enter)(void *ctx, unsigned child);
    unsigned (*limit)(void *ctx, uint32_t job, uint32_t part);
    size_t (*work)(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD]);
    void (*leave)(void *ctx); /* no more jobs; may be NULL */
    /* In the parent, before each job: no more are to begin; may be NULL */
    bool (*enough)(void *ctx);
    /* In the parent. died: `status` as waitpid tells it. */
    void (*done)(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len);
    void (*died)(void *ctx, uint32_t job, uint32_t part, int status);
};

/* False with one line in err when no process can be had, or a signal came (system/signals.h): then what the children
 * were at is lost. Standard output must be flushed before. */
bool pool_run(const struct pool *p, char *err, size_t errlen);

/* Of a child that died: its time was up. */
bool pool_hung(int status);
/* "signal 11 (Segmentation fault)", "exit code 1" */
void pool_death(int status, char *out, size_t n);
/* A time limit for a part that may loop without end, from the time that a correct run takes. */
unsigned pool_patience(uint64_t well_ns);
/* The default number of children. */
unsigned pool_cores(void);
#endif
