/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of every scenario on every broken engine. */
#ifndef IBC_MUTANTS_H
#define IBC_MUTANTS_H
#include "cases.h"
#include "progress.h"

enum outcome {
    OUTCOME_LIVES,
    OUTCOME_FAILED,     /* the verdict is FAIL or DEVIATES */
    OUTCOME_MISCOUNTED, /* the verdict of a counter is FAIL or DEVIATES */
    OUTCOME_DIED,       /* the engine crashed its process */
    OUTCOME_HUNG,
    OUTCOME_ERROR, /* a fault of the harness, which catches no mutant */
    OUTCOME_COUNT
};

struct mutation {
    const struct options *o;
    struct selection sel;
    struct cases cases;
    struct ibc_mutant *m;
    size_t n;
    struct ibc_result *reference; /* result of each case on the unbroken engine */
    uint32_t *usable, n_usable;   /* the cases that pass on the unbroken engine */
    uint8_t *outcome;             /* enum outcome: mutant * cases.n + case */
    unsigned children;
    uint64_t since_ns;
    struct progress progress;
    struct ibc_target *target; /* in a child process: the mutant number target_is, opened */
    uint32_t target_is;
};

/* Puts the mutants that --only and --sample select into m->m (owned) and m->n. Returns EXIT_OK, or the exit code
 * after the message. */
int mutants_choose(struct mutation *m, const struct options *o);
/* Prints the name of the mutant, the statements that it breaks, what it does, and why it need not be caught. */
void mutants_print(const struct ibc_mutant *m);
/* Prints the sums, the mutants that are not caught, and the scenarios that catch none; writes --out. Returns the
 * exit code. */
int mutants_report(const struct mutation *m);
#endif
