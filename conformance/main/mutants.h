/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of every scenario on every broken engine. */
#ifndef IBC_MUTANTS_H
#define IBC_MUTANTS_H
#include "cases.h"
#include "progress.h"

enum outcome {
    OUTCOME_LIVES,
    OUTCOME_FAILED,     /* the verdict is FAIL or DEVIATES */
    OUTCOME_MISCOUNTED, /* a counter does */
    OUTCOME_DIED,       /* the engine crashed its process */
    OUTCOME_HUNG,
    OUTCOME_ERROR, /* a fault of the harness: catches nothing */
    OUTCOME_COUNT
};

struct mutation {
    const struct options *o;
    struct selection sel;
    struct cases cases;
    struct ibc_mutant *m;
    size_t n;
    struct ibc_result *reference; /* of each case, on the unbroken engine */
    uint32_t *usable, n_usable;   /* the cases that pass there */
    uint8_t *outcome;             /* enum outcome: mutant * cases.n + case */
    unsigned children;
    uint64_t since_ns;
    struct progress progress;
    struct ibc_target *target; /* of the child, of mutant target_is */
    uint32_t target_is;
};

/* The mutants that --only and --sample select, in m->m (owned) and m->n. EXIT_OK, or the code after the message. */
int mutants_choose(struct mutation *m, const struct options *o);
/* Prints the name of the mutant, the statements that it breaks, what it does, and why it need not be caught. */
void mutants_print(const struct ibc_mutant *m);
/* Prints the sums, the survivors, the scenarios that catch nothing; writes --out. The exit code. */
int mutants_report(const struct mutation *m);
#endif
