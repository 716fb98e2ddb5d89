/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers below 1 ms. Not for users of libiba. */
#ifndef IBA_OBS_TIMER_H
#define IBA_OBS_TIMER_H
#include "observer/iba_obs_look.h"

/* A timer that adapts to the round trips may have run out for this request. Remembers how long the timer ran. */
bool iba_obs_is_hasty_timer(const struct iba_look *l, struct iba_obs_requests *q);
/* The wait of the RNR NAK is not over, and the RNR NAK came so long ago that only its loss after the capture point
 * explains this request. */
bool iba_obs_waits_in_vain(const struct iba_look *l, const struct iba_obs_reason *r);
/* The requester stopped in the middle of its retransmissions, and its timer is known to run out soon. So this packet
 * does not continue these retransmissions. */
bool iba_obs_stopped(const struct iba_look *l, const struct iba_obs_requests *q);
#endif
