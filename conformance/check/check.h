/* SPDX-License-Identifier: BSD-2-Clause */
/* Passive tests: reads captures and reports what the rules of the architecture say of them. Sends nothing. */
#ifndef IBC_CHECK_H
#define IBC_CHECK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {                           /* what ibc_check() returns: exit codes */
       IBC_CHECK_CLEAN = 0,      /* notes at most */
       IBC_CHECK_FOUND = 1,      /* warnings or errors */
       IBC_CHECK_UNREADABLE = 2, /* a file could not be read to its end; everything before was judged */
};
struct ibc_check_options {
    const char *const *file; /* 1 to CAP_MERGE_MAX; "-" is stdin. Several are merged by time */
    size_t n_file;
    bool json;            /* one object a line instead of text */
    bool verbose;         /* also summarizes connections without findings, and captures without any */
    void (*opened)(void); /* optional: the files are open, and none of their packets is read yet */
};
/* Findings in the order of the packets, then a line for each connection that has some, then the totals; a capture
 * without findings prints nothing. Each file that cannot be read gives one line on `err`. */
int ibc_check(const struct ibc_check_options *o, FILE *out, FILE *err);
#endif
