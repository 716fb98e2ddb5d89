/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet in one process: the nodes of a topology, their cables, and the packets on them, on virtual time. */
#ifndef IBF_SUBNET_H
#define IBF_SUBNET_H
#include "fabric/iba_node.h"
#include "sim/iba_random.h"
#include "topology.h"

struct subnet;

struct subnet_end { /* one end of a cable */
    int32_t node;   /* node at the other end; -1: no cable */
    uint8_t port;
    bool pulled;
    uint32_t lose; /* see subnet_lose() */
    struct iba_random chance;
    /* number of the subnet. Ports that cables and switches join have the same number; routers join no subnets */
    uint32_t subnet;
};
struct subnet_node {
    struct iba_node n;
    const struct topology_node *from;
    struct subnet_end *end; /* indexed by port */
    void *memory;
    iba_time wake; /* time when an event will wake the node; IBA_NEVER: none will */
};

struct subnet_events {
    /* Called for each packet that begins to leave by that port. */
    void (*sent)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now);
    /* Called for each packet that is for software of the node. */
    void (*received)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now);
    void *ctx;
};

struct subnet_config {            /* settings of every node (iba_node_config) */
    uint16_t buffer;              /* size of the receive buffer of each data lane, blocks of 64 bytes; 0: no credits */
    struct iba_node_break broken; /* the rule that each node ignores from power-up on */
};
/* Creates a subnet with all nodes powered up and all cables plugged. NULL: no memory. `t` must live as long as the
 * subnet. The caller owns the result: subnet_free(). */
struct subnet *subnet_new(const struct topology *t, const struct subnet_config *c, const struct subnet_events *events);
void subnet_free(struct subnet *s);

/* A watch is called for each packet that is sent or received, before the events are. False: a sent packet is lost,
 * and a received one does not reach software. */
struct subnet_watch {
    bool (*sent)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len);
    bool (*received)(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len);
    void *ctx;
};
/* Sets the watch; NULL: nobody watches. */
void subnet_set_watch(struct subnet *s, const struct subnet_watch *w);

size_t subnet_nodes(const struct subnet *s);
/* Returns the pool in which packets of all nodes wait. */
const struct iba_pool *subnet_pool(const struct subnet *s);
struct subnet_node *subnet_node(struct subnet *s, size_t node);
/* Returns the node with that name or description; -1: no node has it. */
int32_t subnet_find(const struct subnet *s, const char *name);
iba_time subnet_now(const struct subnet *s);

/* Whether the port is an adapter's and has a LID from the subnet manager: data packets begin and end at such ports. */
bool subnet_is_end(const struct iba_node *n, unsigned port);
/* Whether cables and switches of the topology join the two ports. */
bool subnet_joined(const struct subnet *s, size_t node, uint8_t port, size_t other, uint8_t other_port);

/* Sends a packet of the node's software by that port (of a switch: port 0). */
void subnet_send(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len);
/* Sends a packet from an adapter at a static rate (iba_node_send_at_rate). False: the rate or a full queue forbids
 * it now. */
bool subnet_send_at_rate(struct subnet *s, size_t node, uint8_t port, const uint8_t *packet, size_t len, uint8_t ipd);
/* Turns flow-control packets at regular intervals of virtual time on or off. On, each lane has an event every few us.
 */
void subnet_refresh(struct subnet *s, bool on);
/* Lets a node act whose state was changed from outside. */
void subnet_touch(struct subnet *s, size_t node);
/* A fault: the wire loses one in so many packets that leave by the port, at random; 0: none. */
void subnet_lose(struct subnet *s, size_t node, uint8_t port, uint32_t one_in);
/* Pulls or plugs the cable of a port. False: the port has none. */
bool subnet_cable(struct subnet *s, size_t node, uint8_t port, bool plugged);

/* Executes all events up to the time `until`, which becomes the present time. */
void subnet_run(struct subnet *s, iba_time until);
/* Returns the time of the next event; IBA_NEVER: there is none. */
iba_time subnet_deadline(const struct subnet *s);
/* Returns the number of packets on wires and in the queues of nodes. */
size_t subnet_in_flight(const struct subnet *s);
size_t subnet_waiting(const struct subnet *s);
#endif
