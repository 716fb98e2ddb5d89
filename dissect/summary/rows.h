/* SPDX-License-Identifier: BSD-2-Clause */
/* --rows: messages, findings, connections and buckets of time as rows for databases, one JSON object a line
 * (docs/summary.md). */
#ifndef DISSECT_ROWS_H
#define DISSECT_ROWS_H
#include "summary/summary.h"

enum { ROWS_VERSION = 1 };
struct rows;
/* Makes the folder, which must not exist yet, and its files. NULL on failure with one line in err. Owned: rows_end().
 */
struct rows *rows_open(const char *folder, const char *host, char *err, size_t errlen);
void rows_finding(struct rows *r, const struct iba_finding *f, const struct verdict_names *names);
void rows_message(struct rows *r, const struct iba_message *m, const struct verdict_names *names);
/* Writes the rows of the run's summary and frees. 0, or the errno value of the first failure. */
int rows_end(struct rows *r, const struct summary *s);
#endif
