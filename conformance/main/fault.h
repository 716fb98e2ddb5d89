/* SPDX-License-Identifier: BSD-2-Clause */
/* The exit codes of ibconform, and the line that gives the reason. */
#ifndef IBC_FAULT_H
#define IBC_FAULT_H
#include <stdbool.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INCONCLUSIVE = 3, EXIT_HARNESS = 4 };

/* Prints "ibconform: ..." as one line; returns `code`. */
int wrong(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the sentence of the last call of wrong(); "" before the first call. */
const char *wrong_last(void);
/* Whether the reader of the standard output has closed it, which is no fault. */
bool reader_left(void);
#endif
