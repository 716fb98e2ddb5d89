/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/io_column.h"
#include <stdio.h>
#include <stdlib.h>
#include "field/field.h"
#include "filter/filter.h"

static const struct {
    const char *name;
    size_t cells; /* of a table */
} calc[] = {
    [IO_PACKETS_BYTES] = {"", 2}, [IO_PACKETS] = {"FRAMES", 1}, [IO_BYTES] = {"BYTES", 1}, [IO_COUNT] = {"COUNT", 1},
    [IO_SUM] = {"SUM", 1},        [IO_AVG] = {"AVG", 1},        [IO_MIN] = {"MIN", 1},     [IO_MAX] = {"MAX", 1}};
enum { CALCS = sizeof calc / sizeof *calc };

/* The length of a column, which ends at a comma or at the end. Commas inside a set, a slice or a quoted text do not end
 * it. */
static size_t column_length(const char *s)
{
    unsigned depth = 0;
    char quote = '\0';
    size_t n = 0;

    for (; s[n] && (s[n] != ',' || depth > 0 || quote); n++) {
        if (quote && s[n] == '\\' && s[n + 1])
            n++;
        else if (quote)
            quote = s[n] == quote ? '\0' : quote;
        else if (s[n] == '"' || s[n] == '\'')
            quote = s[n];
        else if (strchr("([{", s[n]))
            depth++;
        else if (strchr(")]}", s[n]))
            depth -= depth > 0;
    }
    return n;
}

static bool is_timed(const struct io_column *c)
{
    return c->field && c->field->type == FIELD_TIME;
}

/* Reads "(FIELD)" at s; the text after it is a filter. */
static bool column_field(struct io_column *c, const char *s, const char **rest, char *err, size_t errlen)
{
    const bool wants = c->what >= IO_COUNT;
    const size_t n = *s == '(' ? strcspn(s + 1, ")") : 0;
    char name[128];

    if (*s != '(' || s[n + 1] != ')' || n >= sizeof name || (wants && n == 0) || (!wants && n > 0)) {
        (void)snprintf(err, errlen, "-z io,stat: %.100s: the form is %s(%s)FILTER", c->text, calc[c->what].name,
                       wants ? "FIELD" : "");
        return false;
    }
    *rest = s + n + 2;
    if (!wants)
        return true;
    (void)snprintf(name, sizeof name, "%.*s", (int)n, s + 1);
    c->field = field_find(name);
    if (!c->field) {
        field_unknown(err, errlen, name);
        return false;
    }
    if (c->what > IO_COUNT && c->field->type != FIELD_UINT && c->field->type != FIELD_TIME) {
        (void)snprintf(err, errlen, "-z io,stat: %.100s: the field is no number and no time; COUNT(FIELD) counts it",
                       c->text);
        return false;
    }
    return true;
}

/* Finds the function that the column begins with, in capitals before a parenthesis; `rest` is where the filter begins.
 */
static bool column_function(struct io_column *c, const char **rest, char *err, size_t errlen)
{
    const size_t n = strspn(c->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    *rest = c->text;
    if (n == 0 || (c->text[n] != '(' && c->text[n] != '\0'))
        return true;
    for (unsigned i = IO_PACKETS; i < CALCS; i++)
        if (strncmp(c->text, calc[i].name, n) == 0 && calc[i].name[n] == '\0') {
            c->what = (enum io_what)i;
            if (c->text[n] == '\0' && i < IO_COUNT) {
                *rest = c->text + n;
                return true;
            }
            return column_field(c, c->text + n, rest, err, errlen);
        }
    (void)snprintf(err, errlen,
                   "-z io,stat: %.100s: no such function; there are COUNT(FIELD), SUM, AVG, MIN, MAX, FRAMES() and "
                   "BYTES()",
                   c->text);
    return false;
}

/* Compiles the filter of a column. The message of filter_compile() begins with -Y, which is cut off. */
static bool column_filter(struct io_column *c, const char *text, char *err, size_t errlen)
{
    char why[512];

    c->filter = filter_compile(text, why, sizeof why);
    if (c->filter)
        return true;
    (void)snprintf(err, errlen, "-z io,stat: filter %.100s: %s", text, strncmp(why, "-Y: ", 4) == 0 ? why + 4 : why);
    return false;
}

static bool column_open(struct io_column *c, const char *text, size_t n, char *err, size_t errlen)
{
    const char *rest;

    c->text = calloc(1, n + 1);
    if (!c->text) {
        (void)snprintf(err, errlen, "-z io,stat: out of memory");
        return false;
    }
    memcpy(c->text, text, n);
    if (!column_function(c, &rest, err, errlen))
        return false;
    if (rest[strspn(rest, " ")] == '\0')
        return true;
    return column_filter(c, rest, err, errlen);
}

bool io_columns_open(struct io_columns *c, const char *text, char *err, size_t errlen)
{
    *c = (struct io_columns){0};
    for (;;) {
        const size_t n = column_length(text);
        if (c->n == IO_COLUMNS) {
            (void)snprintf(err, errlen, "-z io,stat: more than %d filters", IO_COLUMNS);
            return false;
        }
        if (!column_open(&c->column[c->n++], text, n, err, errlen))
            return false;
        if (text[n] == '\0')
            return true;
        text += n + 1;
    }
}

void io_columns_close(struct io_columns *c)
{
    for (unsigned i = 0; i < c->n; i++) {
        free(c->column[i].text);
        filter_free(c->column[i].filter);
    }
    c->n = 0;
}

bool io_columns_use(const struct io_columns *c, bool (*is)(const struct field *f))
{
    for (unsigned i = 0; i < c->n; i++)
        if ((c->column[i].field && is(c->column[i].field)) ||
            (c->column[i].filter && filter_uses(c->column[i].filter, is)))
            return true;
    return false;
}

static bool below(bool timed, uint64_t a, uint64_t b)
{
    return timed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t sum(bool timed, uint64_t a, uint64_t b)
{
    int64_t s;
    uint64_t u;

    if (!timed)
        return __builtin_add_overflow(a, b, &u) ? UINT64_MAX : u;
    if (__builtin_add_overflow((int64_t)a, (int64_t)b, &s))
        s = (int64_t)a < 0 ? INT64_MIN : INT64_MAX;
    return (uint64_t)s;
}

static void cell_add(struct io_cell *to, const struct io_cell *from, bool timed)
{
    to->packets += from->packets;
    to->bytes += from->bytes;
    if (from->values == 0)
        return;
    to->min = to->values == 0 || below(timed, from->min, to->min) ? from->min : to->min;
    to->max = to->values == 0 || below(timed, to->max, from->max) ? from->max : to->max;
    to->sum = sum(timed, to->sum, from->sum);
    to->values += from->values;
}

void io_columns_add(const struct io_columns *c, struct io_cell *to, const struct io_cell *from)
{
    for (unsigned i = 0; i < c->n; i++)
        cell_add(&to[i], &from[i], is_timed(&c->column[i]));
}

struct into {
    struct io_cell *cell;
    bool timed;
};

static bool one_value(void *ctx, const struct value *v)
{
    const struct into *to = ctx;
    const uint64_t u = to->timed ? (uint64_t)v->ns : v->u;

    cell_add(to->cell, &(struct io_cell){.values = 1, .sum = u, .min = u, .max = u}, to->timed);
    return true;
}

void io_columns_packet(const struct io_columns *c, struct io_cell *cell, const struct packet *p)
{
    for (unsigned i = 0; i < c->n; i++) {
        const struct io_column *one = &c->column[i];
        struct into to = {&cell[i], is_timed(one)};
        if (one->filter && !filter_match(one->filter, p))
            continue;
        cell[i].packets++;
        cell[i].bytes += packet_len(p);
        if (one->field)
            field_values(one->field, p, one_value, &to);
    }
}

void io_columns_legend(const struct io_columns *c, struct out *o)
{
    for (unsigned i = 0; i < c->n; i++) {
        out_u64(o, i + 1);
        OUT_LIT(o, ": ");
        out_text(o, c->column[i].text, strlen(c->column[i].text));
        out_str(o, c->column[i].text[0] ? "\n" : "every packet\n");
    }
}

size_t io_columns_heads(const struct io_columns *c, struct column *head, char (*title)[IO_TITLE])
{
    enum { WIDTH = 16 };
    size_t n = 0;

    for (unsigned i = 0; i < c->n; i++) {
        const enum io_what what = c->column[i].what;
        for (size_t k = 0; k < calc[what].cells; k++, n++) {
            const char *packets = k == 0 ? "Packets" : "Bytes";
            (void)snprintf(title[n], IO_TITLE, "%u %s", i + 1, what == IO_PACKETS_BYTES ? packets : calc[what].name);
            head[n] = (struct column){title[n], WIDTH, false};
        }
    }
    return n;
}

static void print_fraction(struct out *o, uint64_t whole, uint64_t part)
{
    enum { DECIMALS = 3, THOUSAND = 1000 };
    uint64_t rest = whole % part;

    out_u64(o, whole / part);
    out_ch(o, '.');
    for (unsigned i = 0; i < DECIMALS; i++) { /* part is a number of values, so ten times it does not overflow */
        rest *= 10;
        out_ch(o, (char)('0' + rest / part));
        rest %= part;
    }
}

/* Prints the result of a column that calculates or counts one number; "-" or null where a field has no values. */
static void print_number(struct out *o, const struct io_column *c, const struct io_cell *n, const char *none)
{
    const uint64_t u = c->what == IO_MIN ? n->min : c->what == IO_MAX ? n->max : n->sum;

    if (c->what <= IO_COUNT)
        out_u64(o, c->what == IO_PACKETS ? n->packets : c->what == IO_BYTES ? n->bytes : n->values);
    else if (n->values == 0 && c->what != IO_SUM)
        out_str(o, none);
    else if (is_timed(c))
        out_time(o, c->what == IO_AVG ? (int64_t)n->sum / (int64_t)n->values : (int64_t)u);
    else if (c->what == IO_AVG)
        print_fraction(o, n->sum, n->values);
    else
        out_u64(o, u);
}

void io_columns_row(const struct io_columns *c, struct table *t, const struct io_cell *cell)
{
    for (unsigned i = 0; i < c->n; i++) {
        if (c->column[i].what == IO_PACKETS_BYTES) {
            table_u64(t, cell[i].packets);
            table_u64(t, cell[i].bytes);
            continue;
        }
        table_begin(t);
        print_number(t->o, &c->column[i], &cell[i], "-");
        table_end(t);
    }
}

/* Prints the members of a column's numbers in an interval; the first has no comma before it. */
static void cell_json(struct out *o, const struct io_column *c, const struct io_cell *cell)
{
    static const char *const key[] = {
        [IO_PACKETS] = "packets", [IO_BYTES] = "bytes", [IO_COUNT] = "count", [IO_SUM] = "sum",
        [IO_AVG] = "avg",         [IO_MIN] = "min",     [IO_MAX] = "max",
    };

    if (c->what == IO_PACKETS_BYTES) {
        OUT_LIT(o, "\"packets\":");
        out_u64(o, cell->packets);
        json_u64(o, "bytes", cell->bytes);
        return;
    }
    out_ch(o, '"');
    out_str(o, key[c->what]);
    OUT_LIT(o, "\":");
    print_number(o, c, cell, "null");
}

void io_columns_json(const struct io_columns *c, struct out *o, const struct io_cell *all)
{
    json_key(o, "columns");
    for (unsigned i = 0; i < c->n; i++) {
        const struct io_column *one = &c->column[i];
        out_str(o, i > 0 ? ",{" : "[{");
        cell_json(o, one, &all[i]);
        json_str(o, "text", one->text);
        json_str(o, "function", one->what == IO_PACKETS_BYTES ? "" : calc[one->what].name);
        json_str(o, "field", one->field ? one->field->name : "");
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

void io_cells_json(const struct io_columns *c, struct out *o, const struct io_cell *cell)
{
    json_key(o, "columns");
    for (unsigned i = 0; i < c->n; i++) {
        out_str(o, i > 0 ? ",{" : "[{");
        cell_json(o, &c->column[i], &cell[i]);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}
