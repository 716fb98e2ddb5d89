/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the broken engines the sequences of `fuzz` find. */
#ifndef IBC_FUZZ_MUTANTS_H
#define IBC_FUZZ_MUTANTS_H
#include "options.h"

/* All that --only and --sample leave. Prints those that are not found, with --verbose the others too, and the sums. The
 * exit code. */
int fuzz_mutants(const struct options *o);
#endif
