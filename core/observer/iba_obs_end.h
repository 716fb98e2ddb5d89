/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a connection ended. Not for users of libiba. */
#ifndef IBA_OBS_END_H
#define IBA_OBS_END_H
#include "observer/iba_obs_look.h"

/* Reports why the direction ended. `over`: no more packets can come, since another connection has its QP. */
void iba_obs_report_end(struct iba_observer *s, struct iba_flow *f, bool over);
#endif
