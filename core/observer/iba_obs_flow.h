/* SPDX-License-Identifier: BSD-2-Clause */
/* Which flow a packet belongs to. Not for users of libiba. */
#ifndef IBA_OBS_FLOW_H
#define IBA_OBS_FLOW_H
#include "observer/iba_obs_look.h"

/* Fetches the entry of a direction into the cache. */
void iba_obs_prefetch(const struct iba_observer *s, uint32_t known);
/* The flow of the packet. A new direction gets a flow. To make one free, the observer may forget the direction that was
 * unused longest. */
__attribute__((hot)) struct iba_flow *iba_obs_flow(struct iba_look *l);
/* The flow of the packet; NULL when its direction is not known. */
struct iba_flow *iba_obs_known(struct iba_look *l);
/* The flow of a known direction. A direction at rest is restored from its short form. The addresses of the flow come
 * from `v`, a packet of the direction, or from `opposite`, the other direction, whose flow stays in use; both may be
 * NULL. */
__attribute__((hot)) struct iba_flow *iba_obs_activate(struct iba_observer *s, uint32_t known, const struct iba_view *v,
                                                       const struct iba_flow *opposite);
/* Returns the flow of the other direction, and wakes that direction when it is at rest; NULL: the other direction is
 * not known. */
struct iba_flow *iba_obs_activate_peer(struct iba_observer *s, struct iba_flow *f);
/* Returns the flow of the direction `known`, if its packets go the opposite way to the current packet. Wakes the
 * direction when it is at rest. */
struct iba_flow *iba_obs_activate_opposite(struct iba_look *l, uint32_t known);
/* Clears the flow, since another connection uses its QP. */
void iba_obs_begin_again(struct iba_observer *s, struct iba_flow *f);
/* Returns the number that the caller gave the direction. A direction without a number gets one from the caller now. */
static inline uint32_t iba_obs_number(struct iba_observer *s, const struct iba_flow *f)
{
    uint32_t *number = &s->known[f->known - 1].number;

    if (*number == 0 && s->cfg.begun)
        *number = s->cfg.begun(s->cfg.ctx, f);
    return *number;
}
#endif
