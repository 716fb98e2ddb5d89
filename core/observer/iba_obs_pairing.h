/* SPDX-License-Identifier: BSD-2-Clause */
/* Which two directions are a connection. Not for users of libiba. */
#ifndef IBA_OBS_PAIRING_H
#define IBA_OBS_PAIRING_H
#include "observer/iba_obs_direction.h"

/* Records the request, since its response may come from a direction that is not known yet. */
__attribute__((hot)) void iba_obs_wait_for_peer(struct iba_look *l);
/* The pair is no longer a guess. */
void iba_obs_confirm_pair(struct iba_observer *s, struct iba_flow *f);
/* Looks for the flow whose requests this response answers. */
void iba_obs_pair(struct iba_look *l);
/* The response does not answer its pair. If the response answers a request of another direction, these two directions
 * become a pair, and the flow starts as a new connection. */
__attribute__((cold)) void iba_obs_pair_again(struct iba_look *l);
/* The response answers a request of its pair that has no answer yet. */
static inline bool iba_obs_is_wanted(const struct iba_obs_requests *q, iba_psn psn)
{
    return q->any && iba_psn_diff(psn, q->high) < 0 && (!q->answered || iba_psn_diff(psn, q->una) >= 0);
}
/* Since the last packet of this flow, a direction without a peer began between the same addresses, the opposite way. */
bool iba_obs_another_began(const struct iba_look *l);
/* A request comes again: looks for the direction that has refused it. */
void iba_obs_pair_by_refusal(struct iba_look *l);
#endif
