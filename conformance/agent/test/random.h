/* SPDX-License-Identifier: BSD-2-Clause */
/* Random valid values for the table's members. */
#ifndef AG_TEST_RANDOM_H
#define AG_TEST_RANDOM_H
#include "agent/protocol.h"
#include "sim/iba_random.h"

/* Fills the structure of that shape; optional members are set half of the time. The rest of it stays zero. */
void random_members(struct iba_random *r, const struct ag_shape *s, void *p);
#endif
