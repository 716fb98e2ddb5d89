/* SPDX-License-Identifier: BSD-2-Clause */
/* Records which rows of the rule tables the tests hit, for `tools/tables unhit`: if $IBPROOF_HITS names a file, the
 * first hit of each row in a process appends "table<TAB>row" to it. Without that variable it does nothing. */
#ifndef RECORDER_H
#define RECORDER_H
#include <stdio.h>
#include <stdlib.h>
#include "transport/iba_engine.h"

#define RECORDER_MEMORY "memory translation" /* the only table of rules that is no struct iba_rules */

static inline void record_hit(const char *table, const char *row)
{
    static struct {
        const char *table, *row;
    } seen[IBA_TABLE_COUNT * IBA_MAX_RULES + 16 + 512]; /* the fuzzers also count opcodes here */
    static unsigned n;
    const char *name = getenv("IBPROOF_HITS");
    FILE *f;

    for (unsigned i = 0; i < n && name; i++)
        if (seen[i].row == row && seen[i].table == table) /* rows of two tables may share one literal */
            return;
    if (!name || n == sizeof seen / sizeof *seen)
        return;
    seen[n].table = table;
    seen[n++].row = row;
    f = fopen(name, "a");
    if (!f || fprintf(f, "%s\t%s\n", table, row) < 0 || fclose(f) != 0) {
        perror(name);
        abort();
    }
}

/* A function for iba_ca_config.trace. */
static inline void record_rule(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    (void)ctx, (void)qpn;
    record_hit(table, r->name);
}
#endif
