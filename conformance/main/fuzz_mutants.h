/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts how many of the broken engines the sequences of `fuzz` find. */
#ifndef IBC_FUZZ_MUTANTS_H
#define IBC_FUZZ_MUTANTS_H
#include "options.h"

/* Plays sequences against the broken engines that --only and --sample select. Prints the engines that are not
 * found, with --verbose also the others, and the sums. Returns the exit code. */
int fuzz_mutants(const struct options *o);
#endif
