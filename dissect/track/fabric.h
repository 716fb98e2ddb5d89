/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet as its management datagrams show it: nodes, cables, the ports that the interfaces of a capture belong to,
 * the tables of agents, and the credits of lanes. */
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
    FABRIC_CREDITS_MOST = 2048, /* a credit limit is at most this number of blocks ahead (section 7.9.4) */
    FABRIC_TEXT = 64,
    FABRIC_TABLES = BOUND(16384, 16),
    FABRIC_TABLE_BYTES = 64,
    FABRIC_FIRST_HOPS = BOUND(256, 4)
};

/* Attributes of agents that are kept, each with the meaning of its modifier. */
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
    uint16_t lid;           /* of a switch's port 0, or of the adapter's port that was asked last; 0: not known */
    uint8_t type, ports;
    char description[FABRIC_TEXT]; /* NodeDescription, unchanged */
    uint8_t described;             /* bytes of the description */
};
struct fabric_port {
    struct {
        uint16_t node; /* index */
        uint8_t number;
        uint8_t pad; /* always 0, since keys are compared as bytes */
    } key;
    uint8_t state;  /* enum iba_port_state; 0: not shown */
    uint16_t peer;  /* the port at the other end of the cable: index + 1; 0: not known */
    uint16_t sends; /* the interface that captured what this port sends: index + 1 */
    /* port of the asking node at the other end of the cable, which no route names; 0: another node is there */
    uint8_t asker;
    uint64_t first_frame;
};
/* A node at the end of a directed route. The ports by which the route leaves and enters nodes distinguish routes of
 * several senders, unless these have equal ports all along. */
struct fabric_route {
    struct {
        uint8_t hops, out[FABRIC_HOPS], in[FABRIC_HOPS], pad;
    } key;
    uint16_t node; /* index of the node, plus 1 */
};
/* A data lane in one direction of a link. Credits are blocks of 64 bytes, modulo 4096 (section 7.9). */
struct fabric_lane {
    uint64_t updates, packets, blocks; /* updates: flow-control packets; packets, blocks: of data */
    uint64_t unseen;                   /* blocks that FCTBS counts, but that no packet in the capture accounts for */
    uint64_t beyond;                   /* packets for which the neighbour had given no credits */
    uint16_t sent, limit;              /* sent: FCTBS and what was sent since; limit: FCCL */
    uint16_t least;                    /* the fewest credits left after a packet; only if credits were used */
    bool spent;
};
struct fabric_sender {
    struct {
        uint32_t source, iface;
    } key;
    uint16_t port; /* the port that sends what this interface captures: index + 1; 0: not known */
    /* if `port` is not known, the port that receives what this interface captures: index + 1; 0: not known */
    uint16_t far;
    bool mixed; /* several ports send what this interface captures */
    struct fabric_lane lane[FABRIC_LANES];
};
/* One attribute of a node as its agent answered last, to a request that was captured on the link to the agent. It is
 * valid from the answer on, until a Set is seen on that link. */
struct fabric_table {
    struct {
        uint32_t modifier;
        uint16_t node; /* index */
        uint16_t attribute;
    } key;
    uint64_t asked;      /* transaction of the last request */
    uint64_t asked_with; /* the M_Key of that request */
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
        uint16_t sender;            /* index of the sender, plus 1 */
    } first_hop[FABRIC_FIRST_HOPS]; /* requests at the port of their asker, which no route names */
    size_t n_node, n_port, n_route, n_sender, n_table;
    uint64_t changed; /* frame of the last Set by LID, which may have changed any table; 0: there was none */
    uint64_t answers; /* NodeInfo, NodeDescription, PortInfo on directed routes */
    uint64_t moved;   /* routes and cables that led to another node before */
    uint64_t no_room; /* nodes, ports, routes or interfaces for which there was no room */
    uint64_t bad_flow;
};

/* The node of a port. */
static inline const struct fabric_node *fabric_node_of(const struct fabric *f, const struct fabric_port *p)
{
    return &f->node[p->key.node];
}

/* Learns what the packet shows. */
void fabric_packet(struct fabric *f, const struct packet *p);
/* The interface that captured the packet; NULL: not known. */
const struct fabric_sender *fabric_sender(const struct fabric *f, const struct packet *p);
/* The port that sent what the interface captures, and the port that receives it. NULL: not known, or there are several.
 */
const struct fabric_port *fabric_near(const struct fabric *f, const struct fabric_sender *s);
const struct fabric_port *fabric_far(const struct fabric *f, const struct fabric_sender *s);
const struct fabric_port *fabric_find_port(const struct fabric *f, uint16_t node, uint8_t number);
/* The interface that captures what the port at the other end of the cable sends; NULL: not known. */
const struct fabric_sender *fabric_neighbour(const struct fabric *f, const struct fabric_sender *s);
/* ---- fabric_table.c ---- */
/* Takes a datagram on a directed route that arrives at the port of its agent, or leaves it. */
void fabric_table_take(struct fabric *f, const struct fabric_port *agent, const struct packet *p, const uint8_t *mad);
/* The attribute as its agent answered last; NULL: not known, or it may have changed since. */
const struct fabric_table *fabric_table(const struct fabric *f, uint16_t node, uint16_t attribute, uint32_t modifier);

/* Blocks of 64 bytes that a packet takes of its lane's credits. */
unsigned fabric_blocks(const struct packet *p);
/* Whether a flow-control packet is undamaged, has an operand that is not reserved, and is of a data lane. */
static inline bool fabric_is_flow(const struct packet *p)
{
    enum { OP_INIT = 1 };
    const uint8_t *fc = iba_view_hdr(&p->view, IBA_H_fc);

    return iba_fc_vl(fc) < FABRIC_LANES && iba_fc_op(fc) <= OP_INIT && p->view.vcrc != IBA_CHECK_BAD;
}
/* Blocks that a port may send now on a lane, by the last limit of its neighbour. False: the limit, or what was sent, is
 * not known. */
bool fabric_credits(const struct fabric *f, const struct fabric_sender *s, unsigned vl, unsigned *left);
#endif
