/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses. Not for users of libiba. */
#ifndef IBA_OBS_RESPONSE_H
#define IBA_OBS_RESPONSE_H
#include "observer/iba_obs_look.h"

__attribute__((hot)) void iba_obs_response(struct iba_look *l);
#endif
