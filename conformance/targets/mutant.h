/* Changed devices by name: of the spec "mutant:NAME=CHANGE" what stands behind "mutant:". */
#ifndef IBC_MUTANT_H
#define IBC_MUTANT_H
#include "reference.h"

/* False with one line in err. */
bool mutant_apply(struct ref_change *c, const char *spec, char *err, size_t errlen);
#endif
