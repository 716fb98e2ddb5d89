/* Targets by name. */
#include <stdio.h>
#include <string.h>
#include "reference.h"

struct ibc_target *ibc_target_open(const char *spec, char *err, size_t errlen)
{
    struct reference *r;

    if (strcmp(spec, "reference") != 0) {
        (void)snprintf(err, errlen, "%s: no such target; did you mean reference?", spec);
        return NULL;
    }
    r = ref_open();
    if (!r)
        (void)snprintf(err, errlen, "%s: no memory", spec);
    return r ? &r->t : NULL;
}

void ibc_target_close(struct ibc_target *t)
{
    if (t)
        t->ops->close(t);
}
