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
#endif
