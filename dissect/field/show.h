/* SPDX-License-Identifier: BSD-2-Clause */
/* How a value looks: the form scripts know from tshark, and the form people read. */
#ifndef DISSECT_SHOW_H
#define DISSECT_SHOW_H
#include "field/field.h"
#include "field/out.h"

/* As `tshark -T fields -e` prints it. */
void show_script(struct out *o, const struct value *v);
/* As people want it: base of the row's choice; no name of the code. */
void show_human(struct out *o, const struct value *v);
/* The name of the code the value is, or NULL. */
const char *show_name(const struct value *v);
#endif
