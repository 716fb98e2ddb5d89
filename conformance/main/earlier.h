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
    const char *waiver;                     /* its name; "" without one, or where it has no name */
};
struct earlier {
    cJSON *root;            /* the texts live here */
    struct earlier_case *p; /* by id */
    size_t n;
};

/* EXIT_OK, or the exit code after the message. Owned, also after a failure: earlier_free(). */
int earlier_open(struct earlier *r, const char *path);
/* NULL: the report does not have it. */
const struct earlier_case *earlier_find(const struct earlier *r, const char *id);
void earlier_free(struct earlier *r);
#endif
