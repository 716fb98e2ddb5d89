/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests. Not for users of libiba. */
#ifndef IBA_OBS_REQUEST_H
#define IBA_OBS_REQUEST_H
#include "observer/iba_obs_look.h"

__attribute__((hot)) void iba_obs_request(struct iba_look *l);
/* Processes a request of an unreliable connection. */
void iba_obs_unreliable(struct iba_look *l);
/* The requester sent requests after a NAK that ends the connection, so it did not get that NAK. */
static inline bool iba_obs_outlives(const struct iba_obs_requests *q)
{
    return q->last.at > q->fatal.at + IBA_OBS_FLIGHT_NS;
}
/* The last packet that asked for an answer has no answer yet, and may still get one. */
static inline bool iba_obs_asks(const struct iba_obs_requests *q)
{
    return q->ask.any && (q->fatal.frame == 0 || iba_obs_outlives(q)) && !iba_obs_is_answered(q, q->ask.psn);
}
/* `psn` is where the requester goes on, as far as the capture shows. */
bool iba_obs_goes_on(const struct iba_obs_requests *q, iba_psn psn);
#endif
