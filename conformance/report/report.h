/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports: the same results for people and for programs. */
#ifndef IBC_REPORT_H
#define IBC_REPORT_H
#include <stdio.h>
#include "run/run.h"

struct ibc_report {
    const struct ibc_run_info *info;
    const struct ibc_result *result;
    size_t n;
};
/* Grouped by area; failures with sentence, expected, got, packet; then a line of counts. `color`: ANSI. */
void ibc_report_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose);
/* Each: false with one line in err. "-" is stdout. */
bool ibc_report_junit(const char *path, const struct ibc_report *r, char *err, size_t errlen);
bool ibc_report_json(const char *path, const struct ibc_report *r, char *err, size_t errlen);
/* One self-contained page: statements, filters, a ladder of the packets of each case (from its evidence). */
bool ibc_report_html(const char *path, const struct ibc_report *r, char *err, size_t errlen);
#endif
