/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_SUMMARIES_H
#define DISSECT_SUMMARIES_H
#include "options.h"
#include "summary/summary.h"

/* The summary of a run, for --summary and --rows: their files are made here and complete at the end. NULL with one line
 * in err. Owned: summaries_finish(). */
struct summaries;
struct summaries *summaries_open(const struct options *opt, char *err, size_t errlen);
void summaries_packet(struct summaries *f, const struct packet *p);
void summaries_late(struct summaries *f, const struct iba_finding *x, const struct verdict_names *names);
void summaries_message(struct summaries *f, const struct iba_message *m, const struct verdict_names *names);
void summaries_capture(struct summaries *f, uint32_t source, const char *name, bool whole);
/* Writes and frees. False with one line in err. */
bool summaries_finish(struct summaries *f, char *err, size_t errlen);

/* ibdissect merge [-o FILE] FILE...: the exit code. */
int summaries_merge(int argc, char **argv);
#endif
