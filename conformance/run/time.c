/* SPDX-License-Identifier: BSD-2-Clause */
/* The play's clock. */
#include "run/play.h"

uint64_t run_now(const struct run_player *p)
{
    return p->t->ops->now(p->t);
}

uint64_t run_scaled(const struct run_player *p, uint64_t ns)
{
    return p->t->virtual_time || p->t->time_scale <= 0 ? ns : (uint64_t)((double)ns * p->t->time_scale);
}
