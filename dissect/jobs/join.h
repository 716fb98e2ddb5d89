/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the statistics of the workers: the result is that of one thread. */
#ifndef DISSECT_JOBS_JOIN_H
#define DISSECT_JOBS_JOIN_H
#include "jobs/worker.h"

struct join {
    struct direction *direction; /* of all parts, in the order of their first packets */
    const struct direction **at; /* by part, then by its directions: the same direction in `direction` */
    struct verdict_names names;
};

/* Joins the statistics of the workers, whose threads have ended, into those of the options. `several`: there was more
 * than one capture point. False: they cannot be joined; then those of the options are as before. */
bool join_all(struct join *to, struct options *opt, struct worker *const *w, unsigned n, size_t captures, bool several);
void join_close(struct join *j);
#endif
