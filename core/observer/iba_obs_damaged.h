/* SPDX-License-Identifier: BSD-2-Clause */
/* Damaged packets. Not for users of libiba. */
#ifndef IBA_OBS_DAMAGED_H
#define IBA_OBS_DAMAGED_H
#include "observer/iba_obs_look.h"

/* Reports the damaged packet, unless the observer has seen it at another capture point. `hash` covers the bytes that
 * routers do not change. `l->flow` NULL: no flow has the packet's QP. */
void iba_obs_damaged(struct iba_look *l, uint64_t hash);
/* Reports a packet that is damaged before its BTH. */
void iba_obs_damaged_unknown(struct iba_observer *s, const struct iba_view *v);
/* True when damaged packets of the capture have all PSNs that `t`, a GAP or RESPONSE_GAP, jumps over. */
bool iba_obs_damage_explains(const struct iba_observer *s, const struct iba_flow *f, const struct iba_finding *t);
#endif
