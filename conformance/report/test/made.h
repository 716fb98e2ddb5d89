/* SPDX-License-Identifier: BSD-2-Clause */
/* Results nobody played: every verdict, and every field that can hold text holds text meant to do harm. */
#ifndef MADE_H
#define MADE_H
#include "report/report.h"

/* Quotes, markup, controls, a terminal's commands, bytes that are no UTF-8, characters that XML does not have */
#define HOSTILE                                                                                                        \
    "\"'<b onclick=\"x\">&amp;]]>--\x01\r\n\x1b[31m\x7f\xff\xc0\x80\xed\xa0\x80 "                                      \
    "\xef\xbf\xbf</script><script>alert(1)//"

enum { MADE_RESULTS = 15 };
/* Borrowed, valid without limit. `evidence` of some results is `path`, NULL for none. */
const struct ibc_report *made_report(const char *path);
/* A capture of three plays; the second has six packets, the fourth of them, 5 in the file, the judged one. */
void made_evidence(const char *path);
#endif
