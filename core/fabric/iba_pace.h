/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a node: static rate control (section 9.11, UU-31). Not for users of libiba. */
#ifndef IBA_PACE_H
#define IBA_PACE_H
#include "fabric/iba_node.h"

/* The packet waits for its turn among those of its destination and rate. False: the port has too many destinations, or
 * the pool no room. */
bool iba_pace_put(struct iba_node *n, struct iba_node_port *p, const uint8_t *bytes, size_t len, uint8_t ipd,
                  iba_time now);
/* Takes the packet whose turn has come, and its length. Returns the index of its flow, plus 1; 0: no packet. */
uint8_t iba_pace_take(struct iba_node *n, struct iba_node_port *p, uint8_t *buf, size_t cap, size_t *len, iba_time now);
/* A packet begins on the wire at `now` plus `ps` picoseconds, and takes `wire_ps`. `flow`: its index, plus 1. */
void iba_pace_started(struct iba_node *n, struct iba_node_port *p, uint8_t flow, iba_time now, uint32_t ps,
                      uint64_t wire_ps);
iba_time iba_pace_deadline(const struct iba_node_port *p);
/* The link is down. */
void iba_pace_flush(struct iba_node *n, struct iba_node_port *p);
#endif
