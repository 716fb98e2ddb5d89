/* SPDX-License-Identifier: BSD-2-Clause */
/* The subnet that the programs of the targets ibsim and umad share: switches "S" and "T", adapters "A", "B" and "C".
 * Programs select a node by its name. */
#ifndef FUZZ_SMALL_SUBNET_H
#define FUZZ_SMALL_SUBNET_H
#include "subnet.h"

enum { SMALL_SUBNET_NODES = 5 };

/* Makes the subnet, whose links have receive buffers of `buffer` blocks (0: no credits). Packets on wires go into
 * the trace; `received` is called for each packet that reaches a node's software. */
struct subnet *small_subnet_new(uint16_t buffer, void (*received)(void *ctx, size_t node, uint8_t port,
                                                                  const uint8_t *packet, size_t len, iba_time now));
/* Sets states, LIDs and routes as a subnet manager would. */
void small_subnet_manage(struct subnet *s);
uint16_t small_subnet_lid(const struct subnet *s, const char *name);
#endif
