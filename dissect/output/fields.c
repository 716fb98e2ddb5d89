/* SPDX-License-Identifier: BSD-2-Clause */
/* -T fields: tshark's form for scripts, byte for byte. */
#include "field/show.h"
#include "output/printer.h"

void fields_begin(struct out *o, const struct print_opts *opts)
{
    if (!opts->header)
        return;
    for (size_t i = 0; i < opts->n_field; i++) {
        if (i > 0)
            out_ch(o, opts->separator);
        out_str(o, opts->field[i]->name);
    }
    out_ch(o, '\n');
}

struct column {
    struct out *o;
    const struct print_opts *opts;
    size_t start; /* of this column in the buffer */
    bool any;
};

static bool add_value(void *ctx, const struct value *v)
{
    struct column *c = ctx;

    if (!c->any && c->opts->quote)
        out_ch(c->o, c->opts->quote);
    if (c->any && c->opts->occurrence == 'l')
        c->o->n = c->start + (c->opts->quote != '\0'); /* columns are shorter than the room that stays after a flush */
    else if (c->any)
        out_ch(c->o, c->opts->aggregator);
    c->any = true;
    if (v->type == FIELD_PRESENCE && v->len == 0)
        out_ch(c->o, '1');
    else
        show_quoted(c->o, v, c->opts->quote);
    return c->opts->occurrence != 'f';
}

void print_fields(struct out *o, const struct packet *p, const struct print_opts *opts, bool first)
{
    (void)first;
    for (size_t i = 0; i < opts->n_field; i++) {
        if (i > 0)
            out_ch(o, opts->separator);
        if (opts->occurrence == 'l' && o->n > OUT_BYTES / 2)
            (void)out_flush(o);
        struct column c = {o, opts, o->n, false};
        field_values(opts->field[i], p, add_value, &c);
        if (c.any && opts->quote)
            out_ch(o, opts->quote);
    }
    out_ch(o, '\n');
}
