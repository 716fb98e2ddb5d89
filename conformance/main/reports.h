/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a run reports to: --junit, --json, --html. */
#ifndef IBC_MAIN_REPORTS_H
#define IBC_MAIN_REPORTS_H
#include "options.h"
#include "report/report.h"

#define REPORTS_NO_RESULT "run" /* the one case of a report without results */

/* Checks that no report is written to the file of another report, or to a file that the run reads. Returns EXIT_OK,
 * or the exit code after the message. */
int reports_check(const struct options *o);
bool reports_take_stdout(const struct options *o);
/* Writes the requested reports. on_stdout: also the one for the standard output. Returns EXIT_OK, or EXIT_HARNESS
 * after the message. */
int reports_write(const struct options *o, const struct ibc_report *r, bool on_stdout);
/* Writes reports of a run without results, but not to the standard output: one case "run" with the verdict ERROR
 * and the reason. create: also creates files; otherwise only replaces those of an earlier run. */
int reports_of_no_result(const struct options *o, const struct ibc_run_info *info, const char *why, bool create);
#endif
