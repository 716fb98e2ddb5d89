/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DISSECT_SUMMARIES_H
#define DISSECT_SUMMARIES_H
#include "options.h"
#include "summary/summary.h"

/* The summary of a run, for --summary and --rows. Opening makes their files, which are complete at the end of the run.
 * NULL with one line in err. Owned: summaries_finish(). */
struct summaries;
struct summaries *summaries_open(const struct options *opt, char *err, size_t errlen);
void summaries_packet(struct summaries *f, const struct packet *p);
void summaries_late(struct summaries *f, const struct iba_finding *x, const struct verdict_names *names);
void summaries_message(struct summaries *f, const struct iba_message *m, const struct verdict_names *names);
void summaries_capture(struct summaries *f, uint32_t source, const char *name, bool whole);
/* With --every: whether this time, of a packet or by the clock where no packet comes, is after the interval, or more
 * than an interval before it. If so, the caller calls summaries_capture() for each capture, and then summaries_next(),
 * which writes the summary of the interval. False with one line in err: the summary is lost, and the next interval has
 * begun. renew: the judge has ended, too, and the next interval has another. */
bool summaries_is_over(struct summaries *f, uint64_t now_ns);
bool summaries_next(struct summaries *f, uint64_t now_ns, bool renew, char *err, size_t errlen);
/* Writes the files and frees. False with one line in err. */
bool summaries_finish(struct summaries *f, char *err, size_t errlen);

/* Writes a summary, or a page that is made of it. False with one line in err. */
bool summaries_put(struct summary *s, bool (*write_it)(struct summary *, struct out *, char *, size_t), struct out *o,
                   int fd, const char *path, char *err, size_t errlen);

/* The command `ibdissect merge [-o FILE] [--report FILE] FILE...`; returns the exit code. In summaries_merge.c. */
int summaries_merge(int argc, char **argv);
#endif
