/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow-control packets of a node (section 7.9). Not for users of libiba. */
#ifndef IBA_FLOW_H
#define IBA_FLOW_H
#include "fabric/iba_node.h"

/* Handles a flow-control packet that came by the port. */
void iba_flow_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now);
/* Writes the next flow-control packet that the port sends. Returns its length, IBA_BYTES_fc; 0: there is none. */
size_t iba_flow_poll(struct iba_node *n, struct iba_node_port *p, uint8_t *buf);
/* Runs the timers of the port: the interval of flow-control packets, and the watchdog. */
void iba_flow_advance(struct iba_node *n, struct iba_node_port *p, iba_time now);
iba_time iba_flow_deadline(const struct iba_node *n, const struct iba_node_port *p);
#endif
