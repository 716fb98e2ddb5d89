/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the statistics of the workers. The result is that of a run with one thread. */
#ifndef DISSECT_JOBS_JOIN_H
#define DISSECT_JOBS_JOIN_H
#include "jobs/worker.h"

struct join {
    struct direction *direction; /* the directions of all parts, in the order of their first packets */
    const struct direction **at; /* by part, then by its directions: the same direction in `direction` */
    struct verdict_names names;
};

/* Joins the statistics of the workers, whose threads have ended, into the statistics of the options. `several`: there
 * was more than one capture point. False: they cannot be joined; then the statistics of the options are unchanged. */
bool join_all(struct join *to, struct options *opt, struct worker *const *w, unsigned n, size_t captures, bool several);
void join_close(struct join *j);
#endif
