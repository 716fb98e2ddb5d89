/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses while the capture has none of their requests. Not for users of libiba. */
#ifndef IBA_OBS_ALONE_H
#define IBA_OBS_ALONE_H
#include "observer/iba_obs_look.h"

/* Judges a response while the capture has no request of the other direction. */
void iba_obs_response_alone(struct iba_look *l);
#endif
