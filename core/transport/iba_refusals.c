/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies a table of refusals: the first row that applies decides. */
#include "transport/iba_refusals.h"
#include "transport/deviations.h"

int iba_refuse(struct iba_call *c, const struct iba_refusals *t)
{
    return c->ca->deviate ? c->ca->deviate->refuse(c, t) : t->first(c);
}
