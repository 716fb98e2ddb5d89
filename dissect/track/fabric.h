/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet as its management datagrams show it: nodes, cables, the ports that the interfaces of a capture belong to,
 * what agents say about their tables, and the credits of lanes. */
#ifndef DISSECT_TRACK_FABRIC_H
#define DISSECT_TRACK_FABRIC_H
#include "field/bound.h"
#include "field/packet.h"

enum {
    FABRIC_NODES = BOUND(4096, 8),
    FABRIC_PORTS = BOUND(32768, 16),
    FABRIC_ROUTES = BOUND(16384, 16),
    FABRIC_SENDERS = BOUND(4096, 8),
    FABRIC_HOPS = 63,
    FABRIC_LANES = 15,
    FABRIC_CREDITS_MOST = 2048, /* a limit is at most so far ahead (section 7.9.4) */
    FABRIC_TEXT = 64,
    FABRIC_TABLES = BOUND(16384, 16),
    FABRIC_TABLE_BYTES = 64,
    FABRIC_FIRST_HOPS = BOUND(256, 4)
};

/* Attributes of agents that are kept. */
enum {
    FABRIC_SWITCH_INFO = 0x12,
    FABRIC_PORT_INFO = 0x15,
    FABRIC_P_KEYS = 0x16,       /* modifier: port << 16 | block of 32 */
    FABRIC_LANES_OF_SL = 0x17,  /* modifier: port in << 8 | port out */
    FABRIC_ROUTES_OF_LID = 0x19 /* modifier: block of 64 */
};
enum { FABRIC_SWITCH = 2 }; /* a type of node */

struct fabric_node {
    uint64_t guid; /* the key */
    uint64_t first_frame;
    uint64_t lanes_changed; /* frame of the last Set of several SL-to-VL tables at once; 0: there was none */
    uint16_t lid;           /* of a switch's port 0, or of the adapter's port that was asked last; 0: not shown */
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
    uint8_t asker;  /* port of the asking node at the other end of the cable, which no route names; 0: another node is
                       there */
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
    uint16_t far;  /* port: not shown; what is captured here arrives at that one: its index + 1; 0: not shown */
    bool mixed;    /* several ports send it */
    struct fabric_lane lane[FABRIC_LANES];
};
/* One attribute of a node as its agent answered, after a request that was seen on the link to it. So it holds from the
 * answer on, and until a Set is seen there. */
struct fabric_table {
    struct {
        uint32_t modifier;
        uint16_t node; /* index */
        uint16_t attribute;
    } key;
    uint64_t asked;      /* transaction of the last request */
    uint64_t asked_with; /* its M_Key */
    uint64_t since;      /* frame of the answer; valid if known */
    bool known;
    uint8_t data[FABRIC_TABLE_BYTES];
};
struct fabric {
    struct fabric_node node[FABRIC_NODES];
    struct fabric_port port[FABRIC_PORTS];
    struct fabric_route route[FABRIC_ROUTES];
    struct fabric_sender sender[FABRIC_SENDERS];
    uint32_t node_slot[2 * FABRIC_NODES], port_slot[2 * FABRIC_PORTS], route_slot[2 * FABRIC_ROUTES];
    uint32_t sender_slot[2 * FABRIC_SENDERS];
    struct fabric_table table[FABRIC_TABLES];
    uint32_t table_slot[2 * FABRIC_TABLES];
    struct {
        uint64_t transaction;
        uint16_t sender;            /* its index + 1 */
    } first_hop[FABRIC_FIRST_HOPS]; /* requests at the port of their asker, which no route names */
    size_t n_node, n_port, n_route, n_sender, n_table;
    uint64_t changed; /* frame of the last Set by LID, which may have changed any table; 0: there was none */
    uint64_t answers; /* NodeInfo, NodeDescription, PortInfo on directed routes */
    uint64_t moved;   /* routes and cables that led elsewhere before */
    uint64_t no_room; /* for a node, port, route or interface */
    uint64_t bad_flow;
};

/* Of a port; NULL: not shown. */
static inline const struct fabric_node *fabric_node_of(const struct fabric *f, const struct fabric_port *p)
{
    return &f->node[p->key.node];
}

/* Learns what the packet shows. */
void fabric_packet(struct fabric *f, const struct packet *p);
/* The interface that has the packet; NULL: not shown. */
const struct fabric_sender *fabric_sender(const struct fabric *f, const struct packet *p);
/* The port that sent what the interface has; the port that it arrives at. NULL: not shown, or there are several. */
const struct fabric_port *fabric_near(const struct fabric *f, const struct fabric_sender *s);
const struct fabric_port *fabric_far(const struct fabric *f, const struct fabric_sender *s);
const struct fabric_port *fabric_find_port(const struct fabric *f, uint16_t node, uint8_t number);
/* The interface that has what the port at the other end of the cable sends; NULL: not shown. */
const struct fabric_sender *fabric_neighbour(const struct fabric *f, const struct fabric_sender *s);
/* ---- fabric_table.c ---- */
/* A datagram on a directed route that arrives at the port of its agent, or leaves it. */
void fabric_table_take(struct fabric *f, const struct fabric_port *agent, const struct packet *p, const uint8_t *mad);
/* The attribute as its agent answered last; NULL: not shown, or it may have changed since. */
const struct fabric_table *fabric_table(const struct fabric *f, uint16_t node, uint16_t attribute, uint32_t modifier);

/* Blocks of 64 bytes that a packet takes of its lane's credits. */
unsigned fabric_blocks(const struct packet *p);
/* Blocks that a port may send now on a lane, by what its neighbour said last. False: not both of them are shown. */
bool fabric_credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left);
#endif
