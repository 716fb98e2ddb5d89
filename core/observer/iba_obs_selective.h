/* SPDX-License-Identifier: BSD-2-Clause */
/* Single packets that come again, and selective repeat. Not for users of libiba. */
#ifndef IBA_OBS_SELECTIVE_H
#define IBA_OBS_SELECTIVE_H
#include "observer/iba_obs_look.h"

/* Time since the last request of this direction. */
static inline iba_time iba_obs_pause(const struct iba_look *l, const struct iba_obs_requests *q)
{
    return l->s->now.at - q->last.at;
}
/* This connection uses selective repeat. */
static inline bool iba_obs_repeats_single(const struct iba_obs_requests *q)
{
    return q->kept >= IBA_OBS_KEPT;
}
/* After a retransmission the requester sends a new packet, and does not send the packets with PSN `from` and later
 * again. True when that is selective repeat; false when these retransmissions may be missing from the capture. */
bool iba_obs_skips(const struct iba_look *l, struct iba_obs_requests *q, iba_psn from);
/* A timer brought packets back, a response came since, and this packet skips more of the retransmissions than may be
 * missing. So the packet was sent again for another reason. */
bool iba_obs_goes_on_elsewhere(const struct iba_look *l, const struct iba_obs_requests *q);
/* The capture may have begun with retransmissions of single packets, each after a pause. The sender had sent later PSNs
 * before the capture began. */
bool iba_obs_begins_apart(const struct iba_look *l, const struct iba_obs_requests *q);
/* Defers the finding about a jump over `n` PSNs from `next` on that may be no loss. False: the caller reports it. */
bool iba_obs_defers_jump(struct iba_look *l, struct iba_obs_requests *q, iba_psn next, uint32_t n);
/* The response may acknowledge packets that a NAK had refused and that were not sent again. `una`: one past the highest
 * PSN that was acknowledged before the response. */
void iba_obs_learn_kept(struct iba_look *l, struct iba_obs_requests *q, iba_psn una);
/* The packet is the first captured request, and a NAK in the capture asked for it. So the request was sent before the
 * capture, too.
 */
bool iba_obs_asks_first(const struct iba_look *l);
#endif
