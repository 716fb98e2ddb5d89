/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends data packets through the subnet, one at a time, and follows each from port to port: this shows whether a
 * subnet manager has routed every pair of LIDs. */
#ifndef IBF_PROBE_H
#define IBF_PROBE_H
#include "subnet.h"

enum { PROBE_HOPS = 64 }; /* a packet that leaves more ports than this is in a loop */

struct probe_port {
    size_t node;
    uint8_t port;
};
enum probe_result {
    PROBE_DELIVERED, /* the packet arrived at a port that has its LID */
    PROBE_ASTRAY,    /* the packet arrived at a port that does not have its LID */
    PROBE_LOOP,
    PROBE_LOST,
};
struct probe {
    enum probe_result result;
    struct probe_port end; /* port where a delivered packet, or one that went astray, arrived */
    unsigned hops;         /* number of ports that the packet left, the sender's included */
    struct probe_port path[PROBE_HOPS];
};

/* Returns GID 0 of a port. */
void probe_gid(const struct iba_node_port *p, uint8_t gid[16]);

/* Sends a UD packet of 256 bytes from an adapter's port, with the port's base LID as source. Lets time pass until
 * the packet has arrived or is lost. */
void probe_send(struct subnet *s, struct probe_port from, uint16_t dlid, uint8_t sl, struct probe *p);

/* Sends a UD packet with a GRH and that hop limit by way of a router's LID to another port, which may be in another
 * subnet. */
void probe_send_global(struct subnet *s, struct probe_port from, struct probe_port to, uint16_t router,
                       uint8_t hop_limit, struct probe *p);

struct probe_sum {
    uint64_t packets, by_result[PROBE_LOST + 1];
    uint64_t hops; /* sum of the hops of delivered packets */
    unsigned most_hops;
};
/* Sends a packet from each adapter port with a LID to each LID of each other one in its subnet. */
void probe_pairs(struct subnet *s, uint8_t sl, struct probe_sum *sum);
const char *probe_result_name(enum probe_result r);
#endif
