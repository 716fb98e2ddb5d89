/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the options: whether they go together. */
#ifndef DISSECT_OPTIONS_CHECK_H
#define DISSECT_OPTIONS_CHECK_H
#include "options.h"

/* Says a line on the standard error; EXIT_USAGE. */
int options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* All options are read: what they need of each other, and what follows from them. EXIT_OK, or the exit code. */
int options_check(struct options *opt);
#endif
