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
/* By its IPv4 identification the packet left before packets that have come already. True when one of the packets that
 * left before it has this PSN or a higher one. */
bool iba_obs_sent_again_though_late(const struct iba_look *l);
/* By its IPv4 identification the packet left after all requests that were captured before `reason`. So it belongs to
 * the retransmissions for that reason, though that run is over. */
bool iba_obs_left_since(const struct iba_look *l, const struct iba_obs_mark *reason);
#endif
