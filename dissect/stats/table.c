/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/table.h"

static const char gap[] = "  ";

/* Flushes before a line if necessary. The cells of a line are padded in the buffer, so the buffer must not be flushed
 * inside a line. */
static void line_room(struct out *o)
{
    if (o->n > OUT_BYTES - 2 * OUT_SLACK)
        (void)out_flush(o);
}

void table_open(struct table *t, struct out *o, const char *title, const struct column *column, size_t n)
{
    *t = (struct table){.o = o, .column = column, .n = n};
    table_rule(t, '=');
    out_str(o, title);
    out_ch(o, '\n');
    table_rule(t, '-');
    for (size_t i = 0; i < n; i++)
        table_str(t, column[i].title);
}

void table_rule(const struct table *t, char c)
{
    size_t width = (t->n - 1) * (sizeof gap - 1);

    for (size_t i = 0; i < t->n; i++)
        width += t->column[i].width;
    while (width-- > 0)
        out_ch(t->o, c);
    out_ch(t->o, '\n');
}

void table_close(const struct table *t)
{
    table_rule(t, '=');
}

void table_begin(struct table *t)
{
    if (t->next == 0)
        line_room(t->o);
    t->from = t->o->n;
}

static void next_cell(struct table *t)
{
    t->next = t->next + 1 == t->n ? 0 : t->next + 1;
    if (t->next)
        OUT_LIT(t->o, gap);
    else
        out_ch(t->o, '\n');
}

void table_end(struct table *t)
{
    const struct column *c = &t->column[t->next];

    if (c->left)
        out_pad(t->o, t->from, c->width);
    else
        out_pad_left(t->o, t->from, c->width);
    next_cell(t);
}

/* Appends a right-aligned text. The length is known, so blanks are written before the text, which need not move. */
void table_str(struct table *t, const char *s)
{
    const struct column *c = &t->column[t->next];
    const size_t n = strlen(s), pad = n < c->width ? c->width - n : 0;

    table_begin(t);
    out_pad(t->o, t->o->n, c->left ? 0 : pad);
    out_mem(t->o, s, n);
    out_pad(t->o, t->o->n, c->left ? pad : 0);
    next_cell(t);
}

void table_u64(struct table *t, uint64_t v)
{
    table_begin(t);
    out_u64(t->o, v);
    table_end(t);
}

void table_known(struct table *t, bool known, uint64_t v)
{
    if (known)
        table_u64(t, v);
    else
        table_str(t, "-");
}

void table_time(struct table *t, int64_t ns)
{
    table_begin(t);
    out_time(t->o, ns);
    table_end(t);
}

void percent_print(struct out *o, uint64_t part, uint64_t whole)
{
    enum { HUNDREDTHS = 10000 };
    const uint64_t h = whole ? (part * HUNDREDTHS + whole / 2) / whole : 0;

    out_u64(o, h / 100);
    out_ch(o, '.');
    out_ch(o, (char)('0' + h / 10 % 10));
    out_ch(o, (char)('0' + h % 10));
}

void table_percent(struct table *t, uint64_t part, uint64_t whole)
{
    table_begin(t);
    percent_print(t->o, part, whole);
    out_ch(t->o, '%');
    table_end(t);
}

void json_key(struct out *o, const char *key)
{
    OUT_LIT(o, ",\"");
    out_str(o, key);
    OUT_LIT(o, "\":");
}

void json_str(struct out *o, const char *key, const char *s)
{
    json_key(o, key);
    out_ch(o, '"');
    out_json(o, s, strlen(s));
    out_ch(o, '"');
}

void json_u64(struct out *o, const char *key, uint64_t v)
{
    json_key(o, key);
    out_u64(o, v);
}

void json_known(struct out *o, const char *key, bool known, uint64_t v)
{
    json_key(o, key);
    if (known)
        out_u64(o, v);
    else
        OUT_LIT(o, "null");
}

void json_time(struct out *o, const char *key, int64_t ns)
{
    json_key(o, key);
    out_time(o, ns);
}

void json_percent(struct out *o, const char *key, uint64_t part, uint64_t whole)
{
    json_key(o, key);
    percent_print(o, part, whole);
}
