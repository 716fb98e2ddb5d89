/* SPDX-License-Identifier: BSD-2-Clause */
/* The short form of a direction at rest. Not for users of libiba. */
#ifndef IBA_OBS_COMPACT_H
#define IBA_OBS_COMPACT_H
#include "observer/iba_obs_look.h"

__attribute__((hot)) void iba_obs_keep(struct iba_known *k, const struct iba_flow *f);
/* Restores `f`, which the caller has cleared; `at`: the time of the direction's last packet. */
__attribute__((hot)) void iba_obs_resume(struct iba_flow *f, const struct iba_known *k, iba_time at);
void iba_obs_rest_pmtu(struct iba_known *k, uint32_t pmtu, bool sure);
/* The direction needs a report at the end: its request got no answer, or a NAK has ended it. */
bool iba_obs_waits(const struct iba_observer *s, const struct iba_known *k);
#endif
