/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion marks and notifications. Not for users of libiba. */
#ifndef IBA_OBS_CONGESTION_H
#define IBA_OBS_CONGESTION_H
#include "observer/iba_obs_look.h"

__attribute__((hot)) void iba_obs_congestion(struct iba_look *l);
/* Reports a congestion notification. */
void iba_obs_notified(struct iba_look *l);
#endif
