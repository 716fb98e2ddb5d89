/* SPDX-License-Identifier: BSD-2-Clause */
/* Artificial results: every verdict, and every text field has malicious content. */
#ifndef MADE_H
#define MADE_H
#include "report/report.h"

/* Quotes, markup, control characters, terminal commands, invalid UTF-8, characters that XML does not allow */
#define HOSTILE                                                                                                        \
    "\"'<b onclick=\"x\">&amp;]]>--\x01\r\n\x1b[31m\x7f\xff\xc0\x80\xed\xa0\x80 "                                      \
    "\xef\xbf\xbf</script><script>alert(1)//"

enum { MADE_RESULTS = 15 };
/* Borrowed, valid without limit. `evidence` of some results is `path`, NULL for none. */
const struct ibc_report *made_report(const char *path);
/* A capture of three plays; the second has six packets, the fourth of them, 5 in the file, the judged one. */
void made_evidence(const char *path);
#endif
