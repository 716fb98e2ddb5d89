/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that come twice. Not for users of libiba. */
#ifndef IBA_OBS_COPY_H
#define IBA_OBS_COPY_H
#include "observer/iba_obs_look.h"

/* Decides whether the network copied a packet whose bytes came before, as packet `r`. */
const struct iba_decision *iba_obs_copied(const struct iba_look *l, const struct iba_obs_recent *r);
#endif
