/* SPDX-License-Identifier: BSD-2-Clause */
/* Artificial results: every verdict occurs, and every text field has malicious content. */
#ifndef MADE_H
#define MADE_H
#include "report/report.h"

/* Quotes, markup, control characters, terminal commands, invalid UTF-8, characters that XML does not allow */
#define HOSTILE                                                                                                        \
    "\"'<b onclick=\"x\">&amp;]]>--\x01\r\n\x1b[31m\x7f\xff\xc0\x80\xed\xa0\x80 "                                      \
    "\xef\xbf\xbf</script><script>alert(1)//"

enum { MADE_RESULTS = 15 };
/* Returns a report that is never freed. `path` is the evidence of some of its results; NULL: no result has evidence. */
const struct ibc_report *made_report(const char *path);
/* Writes a capture of three plays. The second play has six packets; the fourth of them, packet 5 of the file, is the
 * judged one. */
void made_evidence(const char *path);
#endif
