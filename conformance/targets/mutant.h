/* SPDX-License-Identifier: BSD-2-Clause */
/* Changed devices by name: for the spec "mutant:NAME=CHANGE", the part after "mutant:". */
#ifndef IBC_MUTANT_H
#define IBC_MUTANT_H
#include "reference.h"

/* False with one line in err. */
bool mutant_apply(struct ref_change *c, const char *spec, char *err, size_t errlen);
/* Why the change of that row does not alter the device's behaviour; NULL: it does. */
const char *mutant_equivalent(const char *spec);
const char *mutant_equivalent_at(size_t i); /* the i-th such spec; NULL: there are no more */
/* Why the rules allow the device with this change; NULL: they do not. */
const char *mutant_allowed(const char *spec);
const char *mutant_allowed_at(size_t i);
/* Why this bench cannot tell it from an unchanged device, though another might; NULL: it can. */
const char *mutant_not_tested(const char *spec);
const char *mutant_not_tested_at(size_t i);
/* stands.c: statements that it breaks beside those of its row, comma between; NULL: none. */
const char *mutant_breaks(const char *spec);
const char *mutant_breaks_at(size_t i, const char **clause);
#endif
