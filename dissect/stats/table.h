/* SPDX-License-Identifier: BSD-2-Clause */
/* The two forms of every statistic: aligned columns for people, one JSON object for programs. */
#ifndef DISSECT_STATS_TABLE_H
#define DISSECT_STATS_TABLE_H
#include "field/out.h"

struct column {
    const char *title;
    uint8_t width;
    /* left-aligned, for text; numbers are right-aligned, and so is the last column, so that no line ends with blanks */
    bool left;
};
struct table {
    struct out *o;
    const struct column *column;
    size_t n, next, from;
};

/* Prints the title and the column heads between rules. `column` is borrowed while the table is in use. A row is n cells
 * in order, and shorter than OUT_SLACK. The caller may print lines between rows. */
void table_open(struct table *t, struct out *o, const char *title, const struct column *column, size_t n);
void table_rule(const struct table *t, char c);
void table_close(const struct table *t);

/* The caller writes the cell's text to t->o between these two calls. */
void table_begin(struct table *t);
void table_end(struct table *t);
void table_str(struct table *t, const char *s);
void table_u64(struct table *t, uint64_t v);
void table_known(struct table *t, bool known, uint64_t v); /* "-" when it is not known */
void table_time(struct table *t, int64_t ns);
/* Print the percentage of `whole`, with two decimals; the cell has the sign, too. */
void percent_print(struct out *o, uint64_t part, uint64_t whole);
void table_percent(struct table *t, uint64_t part, uint64_t whole);

/* Print members of an object, each preceded by a comma: the first member is the caller's. */
void json_key(struct out *o, const char *key);
void json_str(struct out *o, const char *key, const char *s);
void json_u64(struct out *o, const char *key, uint64_t v);
void json_known(struct out *o, const char *key, bool known, uint64_t v); /* null when it is not known */
void json_time(struct out *o, const char *key, int64_t ns);
void json_percent(struct out *o, const char *key, uint64_t part, uint64_t whole);
#endif
