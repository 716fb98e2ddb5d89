/* SPDX-License-Identifier: BSD-2-Clause */
/* Reduces the selected scenarios to those that failed before, or to one of several parts that are played side by
 * side. */
#ifndef IBC_NARROW_H
#define IBC_NARROW_H
#include "select.h"

/* Applies --rerun-failed, then --shard. At least one scenario is left. Returns EXIT_OK, or the exit code after the
 * message. */
int narrow_selection(struct selection *sel, const struct options *o);
#endif
