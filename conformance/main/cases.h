/* SPDX-License-Identifier: BSD-2-Clause */
/* A case: one scenario on one link. `run` and `mutants` play cases. */
#ifndef IBC_CASES_H
#define IBC_CASES_H
#include "run/run.h"
#include "select.h"

struct play_case {
    const struct ibc_scenario *s;
    size_t index; /* index of `s` in the selection */
    enum ibc_link link;
    bool named; /* the scenario is played on several links, so findings name the link */
};
struct cases {
    struct play_case *c; /* cases of one scenario follow each other */
    size_t n, *first;    /* index of the first case of each scenario, and at the end the number of cases */
    enum ibc_link link;  /* the link of --link, otherwise the target's first */
    bool all, virtual_time;
};

/* Makes the cases for an open target, whose links it reads. Returns EXIT_OK, or the exit code after the message. */
int cases_make(struct cases *out, const struct selection *sel, struct ibc_target *t, const char *link);
void cases_free(struct cases *c);
/* Returns the name of the link, such as "roce2-ipv4", or "all". */
const char *cases_link_name(const struct cases *c);
#endif
