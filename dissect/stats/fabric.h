/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to stats/: a subnet as its management datagrams show it, and the credits of its lanes. */
#ifndef DISSECT_STATS_FABRIC_H
#define DISSECT_STATS_FABRIC_H
#include "field/bound.h"
#include "stats/kinds.h"

enum {
    FABRIC_NODES = BOUND(4096, 8),
    FABRIC_PORTS = BOUND(32768, 16),
    FABRIC_ROUTES = BOUND(16384, 16),
    FABRIC_SENDERS = BOUND(4096, 8),
    FABRIC_HOPS = 63,
    FABRIC_LANES = 15,
    FABRIC_TEXT = 64
};

struct fabric_node {
    uint64_t guid; /* the key */
    uint64_t first_frame;
    uint16_t lid; /* of a switch's port 0, or of the adapter's port that was asked last; 0: not shown */
    uint8_t type, ports;
    char description[FABRIC_TEXT]; /* of the node, as it came */
    uint8_t described;             /* bytes */
};
struct fabric_port {
    struct {
        uint16_t node; /* index */
        uint8_t number;
        uint8_t pad; /* 0: the key is compared as bytes */
    } key;
    uint8_t state;  /* enum iba_port_state; 0: not shown */
    uint16_t peer;  /* the port at the other end of the cable: its index + 1; 0: not shown */
    uint16_t sends; /* the interface that has what it sends: its index + 1 */
    uint8_t asker;  /* routes begin at the other end, by this port of a node that none of them names; 0: they do not */
    uint64_t first_frame;
};
/* A node at the end of a directed route. Ports out and in together tell apart the routes of several senders, unless
 * they have equal ports all along. */
struct fabric_route {
    struct {
        uint8_t hops, out[FABRIC_HOPS], in[FABRIC_HOPS], pad;
    } key;
    uint16_t node; /* its index + 1 */
};
/* A data lane in one direction of a link. Blocks of 64 bytes, modulo 4096 (section 7.9). */
struct fabric_lane {
    uint64_t updates, packets, blocks; /* flow-control packets; data packets, and their blocks */
    uint64_t unseen;                   /* blocks that FCTBS counts, and no packet of the capture has */
    uint64_t beyond;                   /* packets for which the neighbour had given no credits */
    uint16_t sent, limit;              /* FCTBS and what was sent since; FCCL */
    uint16_t least;                    /* credits left after a packet; only if spent */
    bool spent;
};
struct fabric_sender {
    struct {
        uint32_t source, iface;
    } key;
    uint16_t port; /* that sends what is captured here: its index + 1; 0: not shown */
    bool mixed;    /* several ports send it */
    struct fabric_lane lane[FABRIC_LANES];
};
struct fabric {
    struct fabric_node node[FABRIC_NODES];
    struct fabric_port port[FABRIC_PORTS];
    struct fabric_route route[FABRIC_ROUTES];
    struct fabric_sender sender[FABRIC_SENDERS];
    uint32_t node_slot[2 * FABRIC_NODES], port_slot[2 * FABRIC_PORTS], route_slot[2 * FABRIC_ROUTES];
    uint32_t sender_slot[2 * FABRIC_SENDERS];
    size_t n_node, n_port, n_route, n_sender;
    uint64_t answers; /* NodeInfo, NodeDescription, PortInfo on directed routes */
    uint64_t moved;   /* routes and cables that led elsewhere before */
    uint64_t no_room; /* for a node, port, route or interface */
    uint64_t bad_flow;
};

/* Blocks that a port may send now on a lane, by what its neighbour said last. False: not both of them are shown. */
bool fabric_credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left);
#endif
