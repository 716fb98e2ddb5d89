/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of a value: tshark's for scripts, and a readable one. */
#ifndef DISSECT_SHOW_H
#define DISSECT_SHOW_H
#include "field/field.h"
#include "field/out.h"

/* Prints the value as `tshark -T fields -e` does. */
void show_script(struct out *o, const struct value *v);
/* As show_script(), between quotes: quotes in text get a backslash. '\0': no quotes. */
void show_quoted(struct out *o, const struct value *v, char quote);
/* Prints the value for people, in the base that its row chooses, without the name of the code. */
void show_human(struct out *o, const struct value *v);
/* The name of the code that the value is, or NULL. */
const char *show_name(const struct value *v);
#endif
