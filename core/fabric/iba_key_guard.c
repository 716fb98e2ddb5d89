/* SPDX-License-Identifier: BSD-2-Clause */
/* The leases of management keys other than the M_Key: the B_Key and the CC_Key. */
#include "fabric/iba_hop.h"

void iba_guard_violated(struct iba_key_guard *g, iba_time now)
{
    enum { SECOND = 1000000000 };

    iba_count16(&g->violations);
    if (g->lease_s && g->lease_ends == IBA_NEVER)
        g->lease_ends = now + (iba_time)g->lease_s * SECOND;
}

void iba_guard_lease(struct iba_key_guard *g, bool key_fits, iba_time now)
{
    if (g->lease_ends <= now) {
        g->protect = false;
        g->lease_ends = IBA_NEVER;
    }
    if (key_fits)
        g->lease_ends = IBA_NEVER;
}
