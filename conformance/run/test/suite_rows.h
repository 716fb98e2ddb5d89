/* SPDX-License-Identifier: BSD-2-Clause */
/* Goldens with a row for each scenario of the suite: its id, the digest of its file, and results of its plays. */
#ifndef IBC_RUN_TEST_SUITE_ROWS_H
#define IBC_RUN_TEST_SUITE_ROWS_H
#include "run/run.h"

enum { SUITE_ROW = 2048 };

/* Writes the row of `s` after playing it on `t`. Returns false if the golden has no row of `s`. */
typedef bool suite_row(struct ibc_target *t, const struct ibc_scenario *s, char line[SUITE_ROW]);
/* Compares the rows of all scenarios with the golden at `path`. A row whose scenario has changed since is not compared;
 * at least this share of the rows must be. */
void suite_rows(struct ibc_target *t, suite_row *row, const char *path, unsigned least_percent);
#endif
