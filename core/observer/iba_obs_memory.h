/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of the caller's memory. Not for users of libiba. */
#ifndef IBA_OBS_MEMORY_H
#define IBA_OBS_MEMORY_H
#include "observer/iba_obs_look.h"

/* Bytes of the memory that are in use. */
size_t iba_obs_bytes(const struct iba_observer *s);
/* Sets how many flows each list may have. */
void iba_obs_share(struct iba_observer *s);
#endif
