/* Changed devices by name: of the spec "mutant:NAME=CHANGE" what stands behind "mutant:". */
#ifndef IBC_MUTANT_H
#define IBC_MUTANT_H
#include "reference.h"

/* False with one line in err. */
bool mutant_apply(struct ref_change *c, const char *spec, char *err, size_t errlen);
/* Why no scenario can, or may, fail the change of that row; NULL: one can. */
const char *mutant_equivalent(const char *spec);
/* The i-th that makes no other device, and the i-th that makes one that no rule forbids; NULL: there are no more. */
const char *mutant_equivalent_at(size_t i);
const char *mutant_permitted_at(size_t i);
#endif
