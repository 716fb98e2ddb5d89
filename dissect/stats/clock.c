/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/kinds.h"

bool stat_clock_read(struct stat_clock *c, const struct packet *p, int64_t *ns)
{
    const uint64_t now = p->cap->ts_ns;

    if (!p->cap->has_ts)
        return false;
    if (!c->set)
        *c = (struct stat_clock){.set = true, .base_ns = p->first_ns ? p->first_ns : now};
    const uint64_t apart = now >= c->base_ns ? now - c->base_ns : c->base_ns - now;
    const int64_t bounded = apart < INT64_MAX ? (int64_t)apart : INT64_MAX;
    *ns = now >= c->base_ns ? bounded : -bounded;
    return true;
}
