/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits of a responder. Not for users of libiba. */
#ifndef IBA_OBS_CREDIT_H
#define IBA_OBS_CREDIT_H
#include "observer/iba_obs_look.h"

/* An acknowledgement moves the limit of credits. */
void iba_obs_grant(const struct iba_look *l, struct iba_obs_requests *q);
/* Reports a request in order that had to wait for credits. */
void iba_obs_stall(struct iba_look *l, const struct iba_obs_requests *q);
#endif
