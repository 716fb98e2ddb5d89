/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a request is late. Not for users of libiba. */
#ifndef IBA_OBS_LATE_H
#define IBA_OBS_LATE_H
#include "observer/iba_obs_look.h"

/* Decides whether a request is late: its PSN was jumped over, and its sender had neither reason nor time to send it
 * again. */
const struct iba_decision *iba_obs_lateness(const struct iba_look *l, struct iba_obs_requests *q);
/* A deferred jump goes over the request, and the capture has not had it before. */
bool iba_obs_comes_first(const struct iba_look *l, struct iba_obs_requests *q);
/* The IPv4 identification shows that the packet left before packets that have come already. True when an even earlier
 * packet has this PSN or a higher one, so that this packet is a retransmission. */
bool iba_obs_sent_again_though_late(const struct iba_look *l);
/* The IPv4 identification shows that the packet left after all requests that were captured before `reason`. So the
 * packet is a retransmission for that reason, though that run is over. */
bool iba_obs_left_since(const struct iba_look *l, const struct iba_obs_mark *reason);
#endif
