/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet in one process: the nodes of a topology, their cables, and the packets on them, on virtual time. */
#ifndef IBF_SUBNET_H
#define IBF_SUBNET_H
#include "fabric/iba_node.h"
#include "topology.h"

struct subnet;

struct subnet_end { /* of a cable */
    int32_t node;   /* at the other end; -1: no cable */
    uint8_t port;
    bool pulled;
    uint32_t subnet; /* ports that cables and switches join have the same number; routers join no subnets */
};
struct subnet_node {
    struct iba_node n;
    const struct topology_node *from;
    struct subnet_end *end; /* by port */
    void *memory;
    iba_time wake; /* an event will wake it then; IBA_NEVER: none will */
};

struct subnet_events {
    /* A packet is on the wire that begins at that port. */
    void (*sent)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now);
    /* A packet for software of the node. */
    void (*received)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now);
    void *ctx;
};

struct subnet_config { /* of every node (iba_node_config) */
    uint16_t buffer;   /* credits of each data lane of each port, blocks of 64 bytes; 0: no credits */
    bool refresh;      /* also at regular intervals of virtual time: an event every few microseconds for each lane */
    struct iba_node_break broken; /* the rule that each node ignores, from power-up on */
};
/* All nodes powered up and all cables plugged. NULL: no memory. `t` must live as long. Owned: subnet_free(). */
struct subnet *subnet_new(const struct topology *t, const struct subnet_config *c, const struct subnet_events *events);
void subnet_free(struct subnet *s);

/* Sees each packet that is sent or received, before the events. False: a sent packet is lost, and a received one does
 * not reach software. */
struct subnet_watch {
    bool (*sent)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len);
    bool (*received)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len);
    void *ctx;
};
/* NULL: nobody watches. */
void subnet_set_watch(struct subnet *s, const struct subnet_watch *w);

size_t subnet_nodes(const struct subnet *s);
/* Where packets of all nodes wait. */
const struct iba_pool *subnet_pool(const struct subnet *s);
struct subnet_node *subnet_node(struct subnet *s, size_t node);
/* The node with that name or description; -1: none has it. */
int32_t subnet_find(const struct subnet *s, const char *name);
iba_time subnet_now(const struct subnet *s);

/* An adapter's port that the manager has given a LID: data packets begin and end at such ports. */
bool subnet_is_end(const struct iba_node *n, unsigned port);
/* Whether cables and switches join the two ports, as the topology says. */
bool subnet_joined(const struct subnet *s, size_t node, uint8_t port, size_t other, uint8_t other_port);

/* Software of the node sends the packet by that port (of a switch: 0). */
void subnet_send(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len);
/* The same from an adapter at a static rate (iba_node_send_at_rate). False: not now. */
bool subnet_send_at_rate(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len, uint8_t ipd);
/* From now on flow-control packets come also at regular intervals, or no more (subnet_config.refresh). */
void subnet_refresh(struct subnet *s, bool on);
/* Looks at the node again: its state was changed from outside. */
void subnet_touch(struct subnet *s, size_t node);
/* Pulls or plugs the cable of a port. False: the port has none. */
bool subnet_cable(struct subnet *s, size_t node, uint8_t port, bool plugged);

/* Everything happens that is due until `until`, which becomes the time. */
void subnet_run(struct subnet *s, iba_time until);
/* When something is due next; IBA_NEVER: nothing is. */
iba_time subnet_deadline(const struct subnet *s);
/* Packets on wires, and packets that wait in nodes. */
size_t subnet_in_flight(const struct subnet *s);
size_t subnet_waiting(const struct subnet *s);
#endif
