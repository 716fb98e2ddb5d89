/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for people at a terminal of a given width. */
#ifndef IBC_REPORT_TERMINAL_H
#define IBC_REPORT_TERMINAL_H
#include "report/report.h"

/* width: columns of the terminal; 0: lines are not broken, for scripts. False: memory was lacking. */
bool rep_terminal(FILE *out, const struct ibc_report *r, bool color, bool verbose, unsigned width);
#endif
