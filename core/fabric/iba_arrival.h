/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that start the rule tables of a node for a packet. Not for users of libiba. */
#ifndef IBA_ARRIVAL_H
#define IBA_ARRIVAL_H
#include "fabric/iba_node.h"

/* Handles a packet that came by the port. Its VCRC and ICRC were checked. */
void iba_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now);
/* Software of the node sends the packet by that port. `flow`: as in struct iba_slot; not 0 with a static rate. */
void iba_leave_software(struct iba_node *n, uint8_t port, const struct iba_view *v, uint8_t flow, iba_time now);
#endif
