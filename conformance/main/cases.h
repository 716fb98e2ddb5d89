/* SPDX-License-Identifier: BSD-2-Clause */
/* A case: one scenario on one link. `run` and `mutants` play cases. */
#ifndef IBC_CASES_H
#define IBC_CASES_H
#include "run/run.h"
#include "select.h"

struct play_case {
    const struct ibc_scenario *s;
    size_t index; /* of s in the selection */
    enum ibc_link link;
    bool named; /* the scenario is played on several links: findings say which */
};
struct cases {
    struct play_case *c; /* those of one scenario stand together */
    size_t n, *first;    /* of each scenario its first case, and one more at the end */
    enum ibc_link link;  /* the target's own, or --link */
    bool all, virtual_time;
};

/* Of an open target: which links it has. EXIT_OK or the exit code after the message. */
int cases_make(struct cases *out, const struct selection *sel, struct ibc_target *t, const char *link);
void cases_free(struct cases *c);
/* "roce2-ipv4", or "all" */
const char *cases_link_name(const struct cases *c);
#endif
