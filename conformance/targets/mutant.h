/* SPDX-License-Identifier: BSD-2-Clause */
/* Changed devices by name. A spec is the part after "mutant:" of "mutant:NAME=CHANGE". */
#ifndef IBC_MUTANT_H
#define IBC_MUTANT_H
#include "reference.h"

/* Reads a spec. False: it names no change, and err has one line. */
bool mutant_apply(struct ref_change *c, const char *spec, char *err, size_t errlen);
/* Returns why the change of that row does not alter the device's behaviour; NULL: it does. */
const char *mutant_equivalent(const char *spec);
const char *mutant_equivalent_at(size_t i); /* the i-th such spec; NULL: there are no more */
/* Returns why the rules allow a device with this change; NULL: they do not. */
const char *mutant_allowed(const char *spec);
const char *mutant_allowed_at(size_t i);
/* Returns why this bench cannot distinguish the changed device from an unchanged one, although another bench might;
 * NULL: it can. */
const char *mutant_not_tested(const char *spec);
const char *mutant_not_tested_at(size_t i);
/* Returns the statements that the changed device breaks in addition to those of its row, with commas between them;
 * NULL: none (stands.c). */
const char *mutant_breaks(const char *spec);
const char *mutant_breaks_at(size_t i, const char **clause);
#endif
