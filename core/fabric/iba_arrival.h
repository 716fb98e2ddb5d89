/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a node: packets enter its tables. Not for users of libiba. */
#ifndef IBA_ARRIVAL_H
#define IBA_ARRIVAL_H
#include "fabric/iba_node.h"

/* A packet with its VCRC and ICRC checked came by the port. */
void iba_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now);
/* Software of the node sends the packet by that port. `flow`: with a static rate, as in struct iba_slot. */
void iba_leave_software(struct iba_node *n, uint8_t port, const struct iba_view *v, uint8_t flow, iba_time now);
#endif
