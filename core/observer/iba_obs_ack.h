/* SPDX-License-Identifier: BSD-2-Clause */
/* Acknowledgements that come again. Not for users of libiba. */
#ifndef IBA_OBS_ACK_H
#define IBA_OBS_ACK_H
#include "observer/iba_obs_look.h"

/* Judges an acknowledgement that is older than the newest one. */
void iba_obs_ack_again(struct iba_look *l, struct iba_obs_requests *q);
#endif
