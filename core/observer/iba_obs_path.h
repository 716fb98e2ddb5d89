/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of a path. Not for users of libiba. */
#ifndef IBA_OBS_PATH_H
#define IBA_OBS_PATH_H
#include "observer/iba_obs_look.h"

__attribute__((hot)) void iba_obs_path(struct iba_look *l);
#endif
