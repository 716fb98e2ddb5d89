/* SPDX-License-Identifier: BSD-2-Clause */
/* A report that `ibconform run --json` wrote earlier. */
#ifndef IBC_EARLIER_H
#define IBC_EARLIER_H
#include <cjson/cJSON.h>
#include "run/run.h"

struct earlier_case {
    const char *id;
    enum ibc_verdict verdict;
    const char *statement, *expected, *got; /* "" where the report has none */
    const char *waiver;                     /* name of the waiver; "": there is no waiver, or it has no name */
};
struct earlier {
    cJSON *root;            /* owns the texts of the cases */
    struct earlier_case *p; /* sorted by id */
    size_t n;
};

/* Reads a report. Returns EXIT_OK, or the exit code after the message. The caller calls earlier_free(), also after
 * a failure. */
int earlier_open(struct earlier *r, const char *path);
/* Returns the case with that id; NULL: the report does not have it. */
const struct earlier_case *earlier_find(const struct earlier *r, const char *id);
void earlier_free(struct earlier *r);
#endif
