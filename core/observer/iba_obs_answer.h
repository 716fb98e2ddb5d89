/* SPDX-License-Identifier: BSD-2-Clause */
/* Which request a response answers. Not for users of libiba. */
#ifndef IBA_OBS_ANSWER_H
#define IBA_OBS_ANSWER_H
#include "observer/iba_obs_look.h"

/* Reports to the caller the request that the packet answers, and the requests that it is the first to answer. */
void iba_obs_link_answer(struct iba_look *l);
#endif
