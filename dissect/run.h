/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_RUN_H
#define DISSECT_RUN_H
#include "options.h"

/* Reads, prints and counts as the options require. Returns the program's exit code. */
int run(struct options *opt);
#endif
