/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of a value: tshark's for scripts, and a readable one. */
#ifndef DISSECT_SHOW_H
#define DISSECT_SHOW_H
#include "field/field.h"
#include "field/out.h"

/* As `tshark -T fields -e` prints it. */
void show_script(struct out *o, const struct value *v);
/* The same in quotes: text gets a backslash before each of them. '\0': none. */
void show_quoted(struct out *o, const struct value *v, char quote);
/* For people: in the base that the row chooses, without the code's name. */
void show_human(struct out *o, const struct value *v);
/* The name of the value as a code, or NULL. */
const char *show_name(const struct value *v);
#endif
