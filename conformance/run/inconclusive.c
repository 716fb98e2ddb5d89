/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that prove nothing: the tester was late, or its wire has lost frames. The device is not blamed for them. */
#include <inttypes.h>
#include <stdio.h>
#include "run/play.h"

/* If a verb took longer than the time limit for an expected packet, the tester cannot have read packets in time. */
static void see_slow_verb(struct run_player *p)
{
    if (p->t->virtual_time || p->late[0] || p->t->slowest <= run_scaled(p, RUN_PATIENCE))
        return;
    snprintf(p->late, sizeof p->late, "the agent was slow: %s was answered after %" PRIu64 " ms",
             p->t->slow_verb ? p->t->slow_verb : "a verb", p->t->slowest / RUN_MS);
}

void run_late_conclude(struct run_player *p)
{
    char got[RUN_TEXT];

    see_slow_verb(p);
    if (!p->late[0] || p->died || !(p->verdict == IBC_IS_FAIL || (p->informs && p->verdict == IBC_IS_TOLERATED)))
        return;
    snprintf(got, sizeof got, "%.100s; %.56s", p->late, p->finding.got);
    p->verdict = IBC_IS_PASS; /* the device is not blamed */
    p->measured[0] = '\0';
    p->unwell = false;
    (void)run_note_as(p, IBC_FOUND_UNSURE, IBC_IS_INCONCLUSIVE, NULL, NULL, "a tester that is in time", got);
    p->counters = IBC_IS_NOT_APPLICABLE;
}

uint64_t run_lost_frames(const struct run_player *p)
{
    return p->t->ops->lost ? p->t->ops->lost(p->t) : 0;
}

void run_losses_conclude(struct run_player *p, uint64_t before)
{
    const uint64_t n = run_lost_frames(p) - before;
    char got[RUN_TEXT];

    if (n == 0 || !run_rank(p->verdict) || p->verdict == IBC_IS_ERROR)
        return;
    p->verdict = IBC_IS_PASS; /* the device is not blamed */
    p->measured[0] = '\0';
    p->logged = false;
    snprintf(got, sizeof got, "%llu frames lost by the tester's wire%s%.90s", (unsigned long long)n,
             p->finding.got[0] ? "; " : "", p->finding.got);
    (void)run_note_as(p, IBC_FOUND_UNSURE, IBC_IS_INCONCLUSIVE, NULL, NULL, "all frames", got);
    p->counters = IBC_IS_NOT_APPLICABLE;
}
