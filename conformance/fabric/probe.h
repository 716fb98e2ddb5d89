/* SPDX-License-Identifier: BSD-2-Clause */
/* Data packets that cross the subnet, one at a time, followed from port to port: the test that a subnet manager has
 * routed every pair of LIDs. */
#ifndef IBF_PROBE_H
#define IBF_PROBE_H
#include "subnet.h"

enum { PROBE_HOPS = 64 }; /* a packet that leaves more ports than these is in a loop */

struct probe_port {
    size_t node;
    uint8_t port;
};
enum probe_result {
    PROBE_DELIVERED, /* at a port that has the LID */
    PROBE_ASTRAY,    /* at a port that has not */
    PROBE_LOOP,
    PROBE_LOST,
};
struct probe {
    enum probe_result result;
    struct probe_port end; /* of a delivered packet, or of one that went astray */
    unsigned hops;         /* ports that the packet left, the sender's among them */
    struct probe_port path[PROBE_HOPS];
};

/* GID 0 of a port. */
void probe_gid(const struct iba_node_port *p, uint8_t gid[16]);

/* A UD packet of 256 bytes from an adapter's port, with its base LID as source. Time passes until it has arrived or is
 * lost. */
void probe_send(struct subnet *s, struct probe_port from, uint16_t dlid, uint8_t sl, struct probe *p);

/* The same with a GRH to another port, maybe of another subnet, by way of the LID of a router, with that hop limit. */
void probe_send_global(struct subnet *s, struct probe_port from, struct probe_port to, uint16_t router,
                       uint8_t hop_limit, struct probe *p);

struct probe_sum {
    uint64_t packets, by_result[PROBE_LOST + 1];
    uint64_t hops; /* of those delivered */
    unsigned most_hops;
};
/* A packet from each adapter port with a LID to each LID of each other in its subnet. */
void probe_pairs(struct subnet *s, uint8_t sl, struct probe_sum *sum);
const char *probe_result_name(enum probe_result r);
#endif
