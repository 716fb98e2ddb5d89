/* SPDX-License-Identifier: BSD-2-Clause */
/* Values for the table's members, any that there can be. */
#ifndef AG_TEST_RANDOM_H
#define AG_TEST_RANDOM_H
#include "agent/protocol.h"
#include "sim/iba_random.h"

/* Fills the structure of that shape; what may be left out is there half of the time. The rest of it stays zero. */
void random_members(struct iba_random *r, const struct ag_shape *s, void *p);
#endif
