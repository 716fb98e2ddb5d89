/* SPDX-License-Identifier: BSD-2-Clause */
/* Passive tests: reads captures, and reports what violates the rules of the architecture. Sends nothing. */
#ifndef IBC_CHECK_H
#define IBC_CHECK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {                           /* exit codes that ibc_check() returns */
       IBC_CHECK_CLEAN = 0,      /* the captures have no findings but notes */
       IBC_CHECK_FOUND = 1,      /* the captures have warnings or errors */
       IBC_CHECK_UNREADABLE = 2, /* a file could not be read to its end; everything before was judged */
};
struct ibc_check_options {
    const char *const *file; /* 1 to CAP_MERGE_MAX; "-" is stdin. Several are merged by time */
    size_t n_file;
    bool json;            /* prints one JSON object in each line instead of text */
    bool verbose;         /* also summarizes connections without findings, and captures without any */
    void (*opened)(void); /* optional: the files are open, and none of their packets is read yet */
};
/* Prints findings in the order of the packets, then a line for each connection that has some, then the totals. For
 * a capture without findings prints nothing. Prints one line on `err` for each file that cannot be read. */
int ibc_check(const struct ibc_check_options *o, FILE *out, FILE *err);
#endif
