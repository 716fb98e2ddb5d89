/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of -z io,stat,SEC,COLUMN...: each counts the packets of a filter, or calculates with the values that a
 * field has in them. */
#ifndef DISSECT_STATS_IO_COLUMN_H
#define DISSECT_STATS_IO_COLUMN_H
#include "stats/table.h"

enum { IO_COLUMNS = 16 };
enum io_what { IO_PACKETS_BYTES, IO_PACKETS, IO_BYTES, IO_COUNT, IO_SUM, IO_AVG, IO_MIN, IO_MAX };

struct field;
struct filter;
struct packet;

struct io_column {
    enum io_what what;
    char *text;                /* as it was given; owned */
    const struct field *field; /* NULL: it has none */
    struct filter *filter;     /* NULL: every packet; owned */
};
struct io_columns {
    unsigned n;
    struct io_column column[IO_COLUMNS];
};
/* One column in one interval. Of a time, numbers are signed nanoseconds in two's complement. Sums end at the largest
 * number. */
struct io_cell {
    uint64_t packets, bytes; /* that the filter lets through; of the frame, as on the wire */
    uint64_t values;         /* of the field */
    uint64_t sum, min, max;
};

/* "FILTER", "FRAMES()FILTER", "SUM(FIELD)FILTER", with commas between; an empty FILTER is every packet. False with one
 * line in err; io_columns_close() in both cases. */
bool io_columns_open(struct io_columns *c, const char *text, char *err, size_t errlen);
void io_columns_close(struct io_columns *c);
/* Whether a filter or a calculation uses such a field. */
bool io_columns_use(const struct io_columns *c, bool (*is)(const struct field *f));
/* Counts a packet in `cell`, one for each column. */
void io_columns_packet(const struct io_columns *c, struct io_cell *cell, const struct packet *p);
void io_columns_add(const struct io_columns *c, struct io_cell *to, const struct io_cell *from);

/* A line for each column: its number and its text. */
void io_columns_legend(const struct io_columns *c, struct out *o);
/* The cells of a table: at most 2 * IO_COLUMNS. `title` is the memory of their titles. Returns how many. */
enum { IO_TITLE = 24 };
size_t io_columns_heads(const struct io_columns *c, struct column *head, char (*title)[IO_TITLE]);
void io_columns_row(const struct io_columns *c, struct table *t, const struct io_cell *cell);
/* The JSON member "columns": `all` are the sums of all intervals, with the text of each column; `cell` is one interval.
 */
void io_columns_json(const struct io_columns *c, struct out *o, const struct io_cell *all);
void io_cells_json(const struct io_columns *c, struct out *o, const struct io_cell *cell);
#endif
