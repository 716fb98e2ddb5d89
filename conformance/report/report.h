/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports: write the same results in formats for people and for programs. */
#ifndef IBC_REPORT_H
#define IBC_REPORT_H
#include <stdio.h>
#include "run/run.h"

struct ibc_report {
    const struct ibc_run_info *info;
    const struct ibc_result *result;
    size_t n;
};
/* Writes the cases by group, failures with sentence, expected, got and packet, and then a line of counts. `color`:
 * with ANSI colors. False: memory was lacking, and the counts are missing. */
bool ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose);
/* Write a report to a file ("-": the standard output). False: it failed, and err has one line. */
bool ibc_report_junit(const char *path, const struct ibc_report *r, char *err, size_t errlen);
bool ibc_report_json(const char *path, const struct ibc_report *r, char *err, size_t errlen);
/* Writes one self-contained page: statements, filters, and for each case a ladder of the packets in its evidence. */
bool ibc_report_html(const char *path, const struct ibc_report *r, char *err, size_t errlen);
#endif
