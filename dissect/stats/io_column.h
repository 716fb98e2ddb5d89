/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of -z io,stat,SEC,COLUMN...: each column counts the packets of a filter, or calculates with the values of
 * a field in these packets. */
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
    char *text;                /* the text of the column, as the user gave it; owned */
    const struct field *field; /* NULL: the column has no field */
    struct filter *filter;     /* NULL: every packet; owned */
};
struct io_columns {
    unsigned n;
    struct io_column column[IO_COLUMNS];
};
/* One column in one interval. If the field is a time, the numbers are signed nanoseconds in two's complement. A sum
 * that exceeds 64 bits stays at the largest number. */
struct io_cell {
    uint64_t packets, bytes; /* of the packets that the filter lets through; bytes of frames, as on the wire */
    uint64_t values;         /* values of the field */
    uint64_t sum, min, max;
};

/* Reads the columns "FILTER", "FRAMES()FILTER", "SUM(FIELD)FILTER", separated by commas; an empty FILTER lets every
 * packet through. False with one line in err; call io_columns_close() in both cases. */
bool io_columns_open(struct io_columns *c, const char *text, char *err, size_t errlen);
void io_columns_close(struct io_columns *c);
/* Whether a filter or a calculation uses a field for which `is` is true. */
bool io_columns_use(const struct io_columns *c, bool (*is)(const struct field *f));
/* Counts a packet; `cell` has one element for each column. */
void io_columns_packet(const struct io_columns *c, struct io_cell *cell, const struct packet *p);
void io_columns_add(const struct io_columns *c, struct io_cell *to, const struct io_cell *from);

/* Prints a line for each column: its number and its text. */
void io_columns_legend(const struct io_columns *c, struct out *o);
/* Makes the cells of a table, at most 2 * IO_COLUMNS, and returns their number. `title` is memory for their titles. */
enum { IO_TITLE = 24 };
size_t io_columns_heads(const struct io_columns *c, struct column *head, char (*title)[IO_TITLE]);
void io_columns_row(const struct io_columns *c, struct table *t, const struct io_cell *cell);
/* Prints the JSON member "columns". `all` are the sums of all intervals, printed with the text of each column; `cell`
 * is one interval. */
void io_columns_json(const struct io_columns *c, struct out *o, const struct io_cell *all);
void io_cells_json(const struct io_columns *c, struct out *o, const struct io_cell *cell);
#endif
