/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a node: flow-control packets (section 7.9). Not for users of libiba. */
#ifndef IBA_FLOW_H
#define IBA_FLOW_H
#include "fabric/iba_node.h"

/* A flow-control packet came by the port. */
void iba_flow_arrive(struct iba_node *n, uint8_t port, const struct iba_view *v, iba_time now);
/* The next one for the wire of the port: its length, IBA_BYTES_fc; 0: none. */
size_t iba_flow_poll(struct iba_node *n, struct iba_node_port *p, uint8_t *buf);
/* Regular intervals, and the watchdog. */
void iba_flow_advance(struct iba_node *n, struct iba_node_port *p, iba_time now);
iba_time iba_flow_deadline(const struct iba_node *n, const struct iba_node_port *p);
#endif
