/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of the full tree, for any part. */
#include "field/show.h"
#include "output/printer.h"

void print_tree_line(struct out *o, const char *label, const struct value *v)
{
    const char *name = show_name(v);

    OUT_LIT(o, "    ");
    out_str(o, label);
    OUT_LIT(o, ": ");
    if (name) {
        out_str(o, name);
        OUT_LIT(o, " (");
        show_human(o, v);
        out_ch(o, ')');
    } else
        show_human(o, v);
    out_ch(o, '\n');
}

bool print_row_shown(const struct iba_field *row, const struct value *v)
{
    return row->vis == IBA_VIS_N || (row->vis == IBA_VIS_R && !field_is_zero(v));
}
