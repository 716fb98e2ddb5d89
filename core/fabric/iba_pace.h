/* SPDX-License-Identifier: BSD-2-Clause */
/* Static rate control of a node's ports (section 9.11, UU-31). Not for users of libiba. */
#ifndef IBA_PACE_H
#define IBA_PACE_H
#include "fabric/iba_node.h"

/* Adds the packet to the waiting packets of its destination and rate. False: the port has too many destinations, or the
 * pool has no room. */
bool iba_pace_put(struct iba_node *n, struct iba_node_port *p, const uint8_t *bytes, size_t len, uint8_t ipd,
                  iba_time now);
/* Takes a packet whose turn has come; *len is its length. Returns the index of its flow, plus 1; 0: there is no packet.
 */
uint8_t iba_pace_take(struct iba_node *n, struct iba_node_port *p, uint8_t *buf, size_t cap, size_t *len, iba_time now);
/* A packet starts on the wire `ps` picoseconds after `now`, and takes `wire_ps` picoseconds. `flow`: the index of its
 * flow, plus 1. */
void iba_pace_started(struct iba_node *n, struct iba_node_port *p, uint8_t flow, iba_time now, uint32_t ps,
                      uint64_t wire_ps);
iba_time iba_pace_deadline(const struct iba_node_port *p);
/* Drops the waiting packets, because the link is down. */
void iba_pace_flush(struct iba_node *n, struct iba_node_port *p);
#endif
