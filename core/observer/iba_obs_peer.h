/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows and pairs by index. Not for users of libiba. */
#ifndef IBA_OBS_PEER_H
#define IBA_OBS_PEER_H
#include "observer/iba_obs_look.h"

static inline struct iba_flow *iba_obs_flow_at(const struct iba_observer *s, uint32_t index_plus_1)
{
    return index_plus_1 == 0 ? NULL : &s->flow[index_plus_1 - 1];
}
static inline struct iba_known *iba_obs_known_at(const struct iba_observer *s, uint32_t index_plus_1)
{
    return index_plus_1 == 0 ? NULL : &s->known[index_plus_1 - 1];
}
/* The flow of a direction; NULL: the direction is not known, or at rest. */
static inline struct iba_flow *iba_obs_active(const struct iba_observer *s, uint32_t known)
{
    return known == 0 ? NULL : iba_obs_flow_at(s, s->known[known - 1].flow);
}
/* Returns the time at which the direction was seen last. */
static inline iba_time iba_obs_seen_at(const struct iba_observer *s, uint32_t known)
{
    const struct iba_flow *f = iba_obs_active(s, known);

    return f ? f->last.at : s->rests[known - 1];
}
/* Sets the other direction of the pair; `known` may be at rest. */
void iba_obs_set_peer(const struct iba_observer *s, uint32_t known, uint32_t peer, bool guess);
void iba_obs_unpair(struct iba_observer *s, struct iba_flow *f);
#endif
