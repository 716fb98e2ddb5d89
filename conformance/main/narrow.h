/* SPDX-License-Identifier: BSD-2-Clause */
/* Fewer scenarios than were selected: those that failed before, or one part of several that are played side by side. */
#ifndef IBC_NARROW_H
#define IBC_NARROW_H
#include "select.h"

/* --rerun-failed, then --shard. EXIT_OK, or the exit code after the message; at least one scenario is left. */
int narrow_selection(struct selection *sel, const struct options *o);
#endif
