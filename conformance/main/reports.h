/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a run reports to: --junit, --json, --html. */
#ifndef IBC_MAIN_REPORTS_H
#define IBC_MAIN_REPORTS_H
#include "options.h"
#include "report/report.h"

#define REPORTS_NO_RESULT "run" /* the one case of a report without results */

/* No report may be another one, or a file that the run reads. EXIT_OK, or the exit code after the message. */
int reports_check(const struct options *o);
bool reports_take_stdout(const struct options *o);
/* Writes those that were asked for; on_stdout: also the one for the standard output. EXIT_OK, or EXIT_HARNESS after the
 * message. */
int reports_write(const struct options *o, const struct ibc_report *r, bool on_stdout);
/* Writes reports of a run without results: one case, "run", with the verdict ERROR and the reason. Not to the standard
 * output. create: also files that do not exist; else only those of an earlier run are replaced. */
int reports_of_no_result(const struct options *o, const struct ibc_run_info *info, const char *why, bool create);
#endif
