/* SPDX-License-Identifier: BSD-2-Clause */
/* Random valid values for the members of the protocol's table. */
#ifndef AG_TEST_RANDOM_H
#define AG_TEST_RANDOM_H
#include "agent/protocol.h"
#include "sim/iba_random.h"

/* Fills the structure of that shape. An optional member is set with a probability of one half; all others stay zero. */
void random_members(struct iba_random *r, const struct ag_shape *s, void *p);
#endif
