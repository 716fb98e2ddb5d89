/* SPDX-License-Identifier: BSD-2-Clause */
/* Child processes that take numbered jobs and return one record for each part of a job, in order. A child cannot
 * harm the rest: if one dies, its current part is lost, and another child continues after that part. The order of
 * jobs among children is random; the caller sorts by number. */
#ifndef IBC_POOL_H
#define IBC_POOL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_RECORD = 16384 }; /* largest record in bytes */

struct pool {
    unsigned children;
    uint32_t jobs, parts; /* every job has this many parts */
    bool mute;            /* children are broken on purpose: their output is dropped, and no core is written */
    void *ctx;
    /* Called in a child. enter: before its first job; may be NULL. `child` is 0 to children - 1, and different for
     * children that live at the same time. limit: returns the limit of wall time for a part in s, 0: none; may be
     * NULL. work: returns the bytes of the record. */
    void (*enter)(void *ctx, unsigned child);
    unsigned (*limit)(void *ctx, uint32_t job, uint32_t part);
    size_t (*work)(void *ctx, uint32_t job, uint32_t part, uint8_t record[POOL_RECORD]);
    void (*leave)(void *ctx); /* called when there are no more jobs; may be NULL */
    /* Called in the parent before each job. True: no more jobs may begin. May be NULL. */
    bool (*enough)(void *ctx);
    /* Called in the parent. died: `status` is that of waitpid. */
    void (*done)(void *ctx, uint32_t job, uint32_t part, const uint8_t *record, size_t len);
    void (*died)(void *ctx, uint32_t job, uint32_t part, int status);
};

/* Runs all jobs. False: err has one line, since no process could be created, or a signal came (system/signals.h);
 * then the parts that the children were working on are lost. */
bool pool_run(const struct pool *p, char *err, size_t errlen);

/* Whether a child died because its time limit was over. */
bool pool_hung(int status);
/* Writes how a child died: "signal 11 (Segmentation fault)" or "exit code 1". */
void pool_death(int status, char *out, size_t n);
/* Returns a time limit for a part that may loop without end, computed from the time of a correct run. */
unsigned pool_patience(uint64_t well_ns);
/* Returns the default number of children. */
unsigned pool_cores(void);
#endif
