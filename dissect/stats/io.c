/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include "stats/io_column.h"
#include "stats/kinds.h"

enum { MAX_INTERVALS = 100000, FIRST_INTERVALS = 64, GIGA = 1000000000, DECIMALS = 9 };

struct interval {
    uint64_t packets, bytes, infiniband, payload, bad_icrc; /* bytes of the frame, as on the wire */
};
struct io {
    struct stat_clock clock;
    uint64_t asked_ns, length_ns; /* of an interval; 0: the whole run is one interval */
    struct io_columns columns;    /* of the user; n is 0: none */
    struct interval *interval;    /* `room` of them, owned */
    struct io_cell *cell;         /* columns.n for each interval, owned; NULL: no columns */
    size_t room, limit, n;        /* n: number of intervals up to the last with a packet */
    uint64_t last_ns;             /* latest time seen, from the first packet on */
    uint64_t here_ns;             /* time of the packet before this one */
    uint64_t untimed, early;
    unsigned doubled;
};

/* Reads seconds with up to nine decimals, as nanoseconds. `rest` is the text after them and a comma, or NULL. */
static bool seconds(const char *s, uint64_t *ns, const char **rest)
{
    enum { MAX_SECONDS = 1000000000 };
    uint64_t whole = 0, part = 0;
    unsigned digits = 0, decimals = 0;

    for (; *s >= '0' && *s <= '9' && whole <= MAX_SECONDS; s++, digits++)
        whole = whole * 10 + (uint64_t)(*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9' && decimals < DECIMALS; s++, digits++, decimals++)
            part = part * 10 + (uint64_t)(*s - '0');
    for (; decimals < DECIMALS; decimals++)
        part *= 10;
    *ns = whole * GIGA + part;
    *rest = *s == ',' ? s + 1 : NULL;
    return (*s == '\0' || *s == ',') && digits > 0 && whole <= MAX_SECONDS;
}

void *stat_io_open(const char *arg, char *err, size_t errlen)
{
    uint64_t ns;
    const char *columns;

    if (!arg || !seconds(arg, &ns, &columns)) {
        (void)snprintf(err, errlen,
                       "-z io,stat%s%.64s: the form is -z io,stat,SEC[,FILTER]...; SEC is a number of seconds such as "
                       "0.5, or 0 for the whole run",
                       arg ? "," : "", arg ? arg : "");
        return NULL;
    }
    struct io *s = calloc(1, sizeof *s);
    if (!s) {
        (void)snprintf(err, errlen, "-z io,stat: out of memory");
        return NULL;
    }
    if (columns && !io_columns_open(&s->columns, columns, err, errlen)) {
        stat_io_close(s);
        return NULL;
    }
    s->asked_ns = s->length_ns = ns;
    s->interval = calloc(FIRST_INTERVALS, sizeof *s->interval);
    s->cell = columns ? calloc(FIRST_INTERVALS, s->columns.n * sizeof *s->cell) : NULL;
    if (!s->interval || (columns && !s->cell)) {
        (void)snprintf(err, errlen, "-z io,stat: out of memory");
        stat_io_close(s);
        return NULL;
    }
    s->room = FIRST_INTERVALS;
    s->limit = MAX_INTERVALS / (1 + s->columns.n);
    return s;
}

void stat_io_close(void *state)
{
    struct io *s = state;

    if (!s)
        return;
    io_columns_close(&s->columns);
    free(s->interval);
    free(s->cell);
    free(s);
}

bool stat_io_uses(const void *state, bool (*is)(const struct field *f))
{
    const struct io *s = state;

    return io_columns_use(&s->columns, is);
}

/* The cells of interval i. */
static struct io_cell *cells(const struct io *s, size_t i)
{
    return s->cell ? s->cell + i * s->columns.n : NULL;
}

static void add(struct interval *to, const struct interval *from)
{
    to->packets += from->packets;
    to->bytes += from->bytes;
    to->infiniband += from->infiniband;
    to->payload += from->payload;
    to->bad_icrc += from->bad_icrc;
}

static void double_length(struct io *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct interval one = s->interval[i];
        memset(&s->interval[i], 0, sizeof one);
        add(&s->interval[i / 2], &one);
        if (i > 0 && s->cell) { /* the cells of the first interval stay in their place */
            if (i % 2 == 0)
                memset(cells(s, i / 2), 0, s->columns.n * sizeof *s->cell);
            io_columns_add(&s->columns, cells(s, i / 2), cells(s, i));
        }
    }
    if (s->cell)
        memset(cells(s, (s->n + 1) / 2), 0, (s->n - (s->n + 1) / 2) * s->columns.n * sizeof *s->cell);
    s->n = (s->n + 1) / 2;
    s->length_ns *= 2;
    s->doubled++;
}

/* Allocates intervals up to index i < limit. Without memory the present size becomes the limit, so intervals are merged
 * instead. */
static void grow(struct io *s, size_t i)
{
    size_t room = s->room;

    while (room <= i)
        room *= 2;
    room = room < s->limit ? room : s->limit;
    struct interval *more = realloc(s->interval, room * sizeof *more);
    s->interval = more ? more : s->interval;
    struct io_cell *cell = more && s->cell ? realloc(s->cell, room * s->columns.n * sizeof *cell) : NULL;
    s->cell = cell ? cell : s->cell;
    if (!more || (s->cell && !cell)) {
        s->limit = s->room;
        return;
    }
    memset(more + s->room, 0, (room - s->room) * sizeof *more);
    if (cell)
        memset(cell + s->room * s->columns.n, 0, (room - s->room) * s->columns.n * sizeof *cell);
    s->room = room;
}

static struct interval *interval_at(struct io *s, uint64_t ns)
{
    if (s->length_ns == 0) {
        s->n = 1;
        return s->interval;
    }
    for (;;) {
        const uint64_t i = ns / s->length_ns;
        if (i < s->room) {
            s->n = i < s->n ? s->n : (size_t)i + 1;
            return &s->interval[i];
        }
        if (i < s->limit)
            grow(s, (size_t)i);
        else
            double_length(s);
    }
}

/* The time of a packet. A packet without a time has the time of the packet before; one older than the first packet has
 * the time of the first. */
static uint64_t place(struct io *s, const struct packet *p)
{
    int64_t ns;

    if (!stat_clock_read(&s->clock, p, &ns)) {
        s->untimed++;
        return s->here_ns;
    }
    s->early += ns < 0;
    s->here_ns = ns < 0 ? 0 : (uint64_t)ns;
    s->last_ns = s->here_ns > s->last_ns ? s->here_ns : s->last_ns;
    return s->here_ns;
}

void stat_io_packet(void *state, const struct packet *p)
{
    struct io *s = state;
    const struct iba_view *v = &p->view;
    struct interval *i = interval_at(s, place(s, p));

    if (s->cell)
        io_columns_packet(&s->columns, cells(s, (size_t)(i - s->interval)), p);
    i->packets++;
    i->bytes += packet_len(p);
    i->infiniband += stat_is_infiniband(v);
    i->payload += v->payload_len;
    i->bad_icrc += v->icrc == IBA_CHECK_BAD;
}

static int64_t bounded(uint64_t ns)
{
    return ns < INT64_MAX ? (int64_t)ns : INT64_MAX;
}
static int64_t start_ns(const struct io *s, size_t i)
{
    return bounded(i * s->length_ns);
}
static int64_t end_ns(const struct io *s, size_t i)
{
    return bounded(s->length_ns ? (i + 1) * s->length_ns : s->last_ns);
}

static struct interval total(const struct io *s)
{
    struct interval all = {0};

    for (size_t i = 0; i < s->n; i++)
        add(&all, &s->interval[i]);
    return all;
}

static void print_counts(struct table *t, const struct interval *n)
{
    table_u64(t, n->packets);
    table_u64(t, n->bytes);
    table_u64(t, n->infiniband);
    table_u64(t, n->payload);
    table_u64(t, n->bad_icrc);
}

static void print_note(struct out *o, const char *what, uint64_t n, const char *where)
{
    if (n == 0)
        return;
    out_str(o, what);
    out_u64(o, n);
    out_str(o, where);
}

static void print_notes(const struct io *s, struct out *o)
{
    if (s->doubled > 0) {
        out_str(o, "A run has at most ");
        out_u64(o, s->limit);
        out_str(o, " intervals: ");
        out_time(o, bounded(s->asked_ns));
        out_str(o, " s was doubled to ");
        out_time(o, bounded(s->length_ns));
        out_str(o, " s\n");
    }
    print_note(o, "Packets without a time: ", s->untimed, ", counted where the packet before them was\n");
    print_note(o, "Packets older than the first: ", s->early, ", counted in the first interval\n");
}

/* Adds the cells of all intervals up. */
static void total_cells(const struct io *s, struct io_cell *all)
{
    memset(all, 0, s->columns.n * sizeof *all);
    for (size_t i = 0; i < s->n; i++)
        io_columns_add(&s->columns, all, cells(s, i));
}

static void print_columns(const struct io *s, struct out *o)
{
    struct column columns[2 + 2 * IO_COLUMNS] = {{"From (s)", 20, false}, {"To (s)", 20, false}};
    char title[2 * IO_COLUMNS][IO_TITLE];
    struct io_cell all[IO_COLUMNS];
    struct table t;

    total_cells(s, all);
    io_columns_legend(&s->columns, o);
    table_open(&t, o, "Packets, bytes and fields over time", columns,
               2 + io_columns_heads(&s->columns, columns + 2, title));
    for (size_t i = 0; i < s->n; i++) {
        table_time(&t, start_ns(s, i));
        table_time(&t, end_ns(s, i));
        io_columns_row(&s->columns, &t, cells(s, i));
    }
    table_rule(&t, '-');
    table_str(&t, "All");
    table_time(&t, bounded(s->last_ns));
    io_columns_row(&s->columns, &t, all);
    print_notes(s, o);
    table_close(&t);
}

static void print_text(const struct io *s, struct out *o)
{
    static const struct column columns[] = {
        {"From (s)", 20, false},   {"To (s)", 20, false},        {"Packets", 12, false}, {"Bytes", 16, false},
        {"InfiniBand", 12, false}, {"Payload bytes", 16, false}, {"Bad ICRC", 12, false}};
    const struct interval all = total(s);
    struct table t;

    if (s->cell) {
        print_columns(s, o);
        return;
    }
    table_open(&t, o, "Packets and bytes over time", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->n; i++) {
        table_time(&t, start_ns(s, i));
        table_time(&t, end_ns(s, i));
        print_counts(&t, &s->interval[i]);
    }
    table_rule(&t, '-');
    table_str(&t, "All");
    table_time(&t, bounded(s->last_ns));
    print_counts(&t, &all);
    print_notes(s, o);
    table_close(&t);
}

static void print_json_counts(struct out *o, const struct interval *n)
{
    json_u64(o, "packets", n->packets);
    json_u64(o, "bytes", n->bytes);
    json_u64(o, "infiniband", n->infiniband);
    json_u64(o, "payload_bytes", n->payload);
    json_u64(o, "bad_icrc", n->bad_icrc);
}

static void print_json(const struct io *s, struct out *o)
{
    const struct interval all = total(s);

    out_str(o, "{\"stat\":\"io,stat\"");
    json_time(o, "asked", bounded(s->asked_ns));
    json_time(o, "interval", bounded(s->length_ns));
    json_u64(o, "doubled", s->doubled);
    json_time(o, "duration", bounded(s->last_ns));
    print_json_counts(o, &all);
    json_u64(o, "untimed", s->untimed);
    json_u64(o, "early", s->early);
    if (s->cell) {
        struct io_cell sum[IO_COLUMNS];
        total_cells(s, sum);
        io_columns_json(&s->columns, o, sum);
    }
    json_key(o, "intervals");
    out_ch(o, '[');
    for (size_t i = 0; i < s->n; i++) {
        out_str(o, i ? ",{\"start\":" : "{\"start\":");
        out_time(o, start_ns(s, i));
        json_time(o, "end", end_ns(s, i));
        print_json_counts(o, &s->interval[i]);
        if (s->cell)
            io_cells_json(&s->columns, o, cells(s, i));
        out_ch(o, '}');
    }
    out_str(o, "]}\n");
}

void stat_io_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
