/* SPDX-License-Identifier: BSD-2-Clause */
/* Passive judgement: captures in, what the architecture's rules say of them out. Nothing is sent to anybody. */
#ifndef IBC_CHECK_H
#define IBC_CHECK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {                           /* what ibc_check() returns: exit codes */
       IBC_CHECK_CLEAN = 0,      /* notes at most */
       IBC_CHECK_FOUND = 1,      /* warnings or errors */
       IBC_CHECK_UNREADABLE = 2, /* a file could not be read to its end; what was read has been judged */
};
struct ibc_check_options {
    const char *const *file; /* 1 to CAP_MERGE_MAX; "-" is stdin. Several are one stretch of time */
    size_t n_file;
    bool json;    /* one object a line instead of text */
    bool verbose; /* the summary also of connections without findings, and of clean captures */
};
/* Findings in the order of the packets, then a line for each connection that has some, then the totals; a clean capture
 * prints nothing. What cannot be read is one line each on `err`. */
int ibc_check(const struct ibc_check_options *o, FILE *out, FILE *err);
#endif
