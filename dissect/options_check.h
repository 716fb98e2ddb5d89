/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the options: checks whether they may be used together. */
#ifndef DISSECT_OPTIONS_CHECK_H
#define DISSECT_OPTIONS_CHECK_H
#include "options.h"

/* Prints a line on the standard error; returns EXIT_USAGE. */
int options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Called when all options are read: checks what they need of each other, and sets what follows from them. EXIT_OK, or
 * the exit code. */
int options_check(struct options *opt);
#endif
