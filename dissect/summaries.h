/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_SUMMARIES_H
#define DISSECT_SUMMARIES_H
#include "options.h"
#include "summary/summary.h"

/* The summary of a run, to be written to the path of --summary. NULL with one line in err. The file is empty until
 * then. Owned: summaries_finish(). */
struct summary_file;
struct summary_file *summaries_open(const struct options *opt, char *err, size_t errlen);
struct summary_run *summaries_run(struct summary_file *f);
/* Writes and frees. False with one line in err. */
bool summaries_finish(struct summary_file *f, char *err, size_t errlen);

/* ibdissect merge [-o FILE] FILE...: the exit code. */
int summaries_merge(int argc, char **argv);
#endif
