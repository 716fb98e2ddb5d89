/* SPDX-License-Identifier: BSD-2-Clause */
/* Forms a packet can be printed in: -T NAME. */
#ifndef DISSECT_PRINTER_H
#define DISSECT_PRINTER_H
#include "field/field.h"
#include "field/out.h"

enum time_format { STAMP_RELATIVE, STAMP_ABSOLUTE, STAMP_DATE, STAMP_DELTA, STAMP_EPOCH, STAMP_UTC, STAMP_UTC_DATE };

enum { PRINT_MAX_FIELDS = 1024 };

struct print_opts {
    const struct field *field[PRINT_MAX_FIELDS]; /* -e, in order */
    size_t n_field;
    char separator, aggregator; /* -E; '\0' for no aggregator means ',' */
    char quote;                 /* -E quote=: '\0', '"' or '\'' */
    char occurrence;            /* -E occurrence=: 'a' all, 'f' first, 'l' last */
    bool header;                /* -E header=y */
    bool hex;                   /* -x */
    bool color;
    bool sources; /* there are several files: print the name of the packet's file */
    enum time_format time;
};

struct printer {
    const char *name, *help;
    void (*begin)(struct out *o, const struct print_opts *opts);
    /* `first` is true for the first packet printed. */
    void (*packet)(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
    void (*end)(struct out *o, bool any);
};

/* The table of forms; it ends with a row whose name is NULL. */
extern const struct printer printers[];

/* Parts that several printers share. */
void print_time(struct out *o, const struct packet *p, enum time_format f);
void print_info(struct out *o, const struct packet *p);
/* The text of the protocol column; not NULL. */
const char *print_protocol(const struct packet *p);
void print_hex_dump(struct out *o, const struct packet *p);
/* One line of the tree: label, name of the code, value (tree_line.c). */
void print_tree_line(struct out *o, const char *label, const struct value *v);
/* Whether the tree shows this value of the row. */
bool print_row_shown(const struct iba_field *row, const struct value *v);

/* begin, packet and end of each form. The table has NULL where a form needs no begin or end. */
void print_text(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void print_tree(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void fields_begin(struct out *o, const struct print_opts *opts);
void print_fields(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void json_begin(struct out *o, const struct print_opts *opts);
void print_json(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void json_end(struct out *o, bool any);
void print_ek(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void print_jsonl(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void pdml_begin(struct out *o, const struct print_opts *opts);
void print_pdml(struct out *o, const struct packet *p, const struct print_opts *opts, bool first);
void pdml_end(struct out *o, bool any);
#endif
