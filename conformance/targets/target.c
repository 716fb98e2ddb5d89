/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens targets by name. */
#include <stdio.h>
#include <string.h>
#include "mutant.h"

static struct ibc_target *open_changed(const char *spec, char *err, size_t errlen)
{
    static const char prefix[] = "mutant:";
    struct reference *r = ref_open();
    bool good = r != NULL;

    if (!r)
        (void)snprintf(err, errlen, "%s: no memory", spec);
    else if (strcmp(spec, "reference") != 0)
        good = mutant_apply(&r->change, spec + sizeof prefix - 1, err, errlen);
    if (r && good && r->t.ops->reset(&r->t, IBC_LINK_roce2_ipv4, 0) == IBC_OK)
        return &r->t;
    if (r)
        ibc_target_close(&r->t);
    return NULL;
}

struct ibc_target *ibc_target_open(const char *spec, char *err, size_t errlen)
{
    if (strcmp(spec, "reference") == 0 || strncmp(spec, "mutant:", 7) == 0)
        return open_changed(spec, err, errlen);
    (void)snprintf(err, errlen, "%s: no such target; there are reference, live, sm:COMMAND and mutant:NAME=CHANGE",
                   spec);
    return NULL;
}

void ibc_target_close(struct ibc_target *t)
{
    if (t)
        t->ops->close(t);
}
