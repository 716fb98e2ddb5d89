/* SPDX-License-Identifier: BSD-2-Clause */
/* A node of a subnet, without I/O, clock or allocation: a switch, a router, or the ports and agents of a channel
 * adapter.
 *
 *     memory = iba_node_bytes(&cfg) bytes;  iba_node_init(&n, &cfg, memory, &pool);
 *     for (;;) {
 *         a packet came by port p:     iba_node_feed(&n, p, bytes, len, now);
 *         software of the node sends:  iba_node_send(&n, p, bytes, len, now);
 *         a cable was plugged, pulled, or iba_node_link_work(&n):  iba_link_settle(...)   (iba_link.h)
 *         time passed:                 iba_node_advance(&n, now);      at or after iba_node_deadline(&n)
 *         after each:  while (iba_node_poll(&n, p, buf, cap, &len, now)) the packet is on the wire of port p
 *                      while (iba_node_receive(&n, &p, buf, cap, &len)) the packet is for software of the node
 *     }
 *
 * The node itself answers subnet management packets (QP0) and performance management (QP1). iba_node_receive() returns
 * packets of other QPs, and datagrams that the node's agents do not answer (for an SM, an SA or a CM). Rule tables
 * decide about each packet (iba_fabric_tables). Each row counts how often it decided, so a counter shows why a packet
 * was dropped. */
#ifndef IBA_NODE_H
#define IBA_NODE_H
#include "fabric/iba_port.h"
#include "mad/iba_mad.h"
#include "wire/iba_psn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum iba_node_type { IBA_NODE_CA = 1, IBA_NODE_SWITCH = 2, IBA_NODE_ROUTER = 3 };
enum iba_port_state { IBA_PORT_NOP, IBA_PORT_DOWN, IBA_PORT_INIT, IBA_PORT_ARMED, IBA_PORT_ACTIVE };
enum iba_phys_state { IBA_PHYS_NOP, IBA_PHYS_SLEEP, IBA_PHYS_POLLING, IBA_PHYS_DISABLED, IBA_PHYS_LINKUP = 5 };

enum {
    IBA_PACKET_MOST = 4352, /* most bytes of a packet that a node takes: headers, 4096 bytes of payload, CRCs */
    IBA_VLS = 16,
    IBA_VL15 = 15,
    IBA_LFT_BLOCK = 64,
    IBA_MFT_BLOCK = 32, /* MLIDs in a block of the multicast table */
    IBA_MFT_PORTS = 16, /* ports in a position of the multicast table */
    IBA_PKEY_BLOCK = 32,
    IBA_GUID_BLOCK = 8,
    IBA_VLARB_BLOCKS = 4, /* two blocks of low and two of high priority, of 32 entries each */
    IBA_VLARB_ENTRIES = 32,
    IBA_NO_PORT = 255,
    IBA_NO_SLOT = -1,
    IBA_PENDING_NOTICES = 8,
    IBA_PACED_FLOWS = 16,
    IBA_BUFFER_LEAST = 68, /* blocks of 64 bytes that the longest packet takes */
};

/* ---- packets that wait in nodes ---- */

/* The room of one packet in a receive buffer. The packet keeps it until its last copy has left the node. */
struct iba_hold {
    int32_t next; /* the next record in the list of free records */
    uint32_t copies;
    uint16_t blocks;
    uint8_t port, vl; /* port and VL of the buffer */
};
struct iba_slot {
    iba_time since;       /* when the packet began to wait */
    int32_t next;         /* the next slot in its queue or in the list of free slots; IBA_NO_SLOT: none */
    int32_t hold;         /* index of the record of the input buffer that holds the packet, plus 1; 0: none */
    struct iba_hold room; /* a record of the pool, which is not about this slot's packet */
    uint16_t len;
    uint8_t flow; /* index into iba_node_port.paced, plus 1; 0: the packet has no static rate */
    uint8_t in;   /* the port that the packet came by; 0: the node itself sent it */
};
/* A pool of slots for packets, which several nodes may share. The caller owns the arrays: n slots, and n *
 * IBA_PACKET_MOST bytes. */
struct iba_pool {
    struct iba_slot *slot;
    uint8_t *bytes;
    int32_t n, free, used, free_hold;
};
void iba_pool_init(struct iba_pool *p, struct iba_slot *slot, uint8_t *bytes, int32_t n); /* all n slots become free */

struct iba_fifo { /* a queue of slots; in an empty queue `first` is IBA_NO_SLOT */
    int32_t first, last;
    uint32_t n;
};

/* ---- a port ---- */

/* A data VL of a link that counts credits (section 7.9), in blocks of 64 bytes, modulo 4096. */
struct iba_lane {
    uint16_t sent;      /* FCTBS: blocks that this end sent */
    uint16_t limit;     /* FCCL that the neighbour gave last */
    uint16_t received;  /* ABR: blocks that the neighbour sent */
    uint16_t announced; /* FCCL that this end gave last */
    uint16_t held;      /* blocks of the receive buffer that are in use */
    iba_time heard;     /* when the neighbour's last flow-control packet came */
};

/* Packets with the same destination and static rate that wait for their turn (section 9.11). */
struct iba_paced {
    uint16_t dlid;
    uint8_t ipd;
    bool in_queue;     /* one of the packets is in the queue of its VL */
    iba_time ready_at; /* when the next packet may go to the queue of its VL */
    struct iba_fifo queue;
};

/* The key of a management agent: the B_Key (KM-17) or the CC_Key (MD-116). */
struct iba_key_guard {
    uint64_t key; /* 0: no request needs a key */
    bool protect;
    uint16_t lease_s, violations;
    iba_time lease_ends; /* IBA_NEVER: the lease does not run */
};

struct iba_node_port {
    struct iba_portinfo info; /* what PortInfo returns */
    uint64_t guid[IBA_GUID_BLOCK];
    uint16_t *pkey;
    uint16_t n_pkey;
    uint16_t announce;      /* VLs, as bits, for which a flow-control packet is to be sent */
    uint8_t announced_last; /* VL of the last flow-control packet sent */
    uint8_t number;
    bool credits;    /* both ends of the link count credits */
    bool link_work;  /* the agent changed a setting, so iba_link_settle() has to be called */
    bool reregister; /* the SM asked for a client reregistration (KM-30); the owner clears this */
    uint8_t vlarb[IBA_VLARB_BLOCKS][2 * IBA_VLARB_ENTRIES];
    uint8_t congestion[IBA_BYTES_cc_switch_port]; /* congestion settings of a switch's port */
    struct iba_key_guard baseboard;               /* B_Key of an adapter's port; a switch has it in port 0 */
    struct iba_portcounters_ext counters; /* of 64 bits; PortCounters shows its maximum for larger values (MD-104) */
    struct iba_fifo queue[IBA_VLS];       /* packets that leave by this port */
    uint32_t waiting;                     /* packets in all of the queues */
    struct {                              /* the lifetimes of each queue (KM-50) */
        iba_time first_since;             /* since when the first packet is at the head of the queue */
        iba_time stalled_until;           /* packets that came before this time are dropped */
        uint8_t drops; /* packets dropped because they were at the head too long, since a packet left */
    } wait[IBA_VLS];
    struct iba_paced paced[IBA_PACED_FLOWS];
    uint32_t paced_waiting;   /* packets in all of `paced` */
    iba_time busy_until;      /* until then a packet is on the wire */
    uint32_t busy_ps;         /* picoseconds to add to busy_until */
    iba_time mkey_lease_ends; /* IBA_NEVER: the lease does not run (KM-05) */
    struct iba_lane lane[IBA_VL15];
    iba_time announce_all; /* when the credit limits of all VLs are sent again; IBA_NEVER: never */
    iba_time wait_since;  /* since when packets wait and none may leave; IBA_NEVER: a packet may leave, or none waits */
    uint32_t wait_ps;     /* picoseconds waited since PortXmitWait was last raised */
    struct {              /* VL arbitration (section 7.6.9) */
        uint8_t entry[2]; /* current entry of the tables of low and high priority */
        int32_t left[2];  /* weight that the current entry has left, in units of 64 bytes */
        uint32_t high_bytes; /* bytes of high priority sent since the last packet of low priority */
    } arb;
};

/* ---- notices ---- */

struct iba_notice_waiting {
    uint64_t tid; /* 0: free */
    iba_time due; /* when the trap is sent next; it is repeated after SubnetTimeout until a TrapRepress comes (KM-60) */
    uint8_t port; /* the trap goes from the LID of this port to the SM of this port */
    uint8_t bytes[64];
};

/* ---- congestion control (annex A10) ---- */

enum {
    IBA_CCT_BLOCK = 64, /* entries of a CongestionControlTable in a datagram */
    IBA_CCT_BLOCKS = 2,
    IBA_CC_SLS = 16,
    IBA_CC_PORTS_BLOCK = 48, /* ports of a SwitchPortCongestionSetting in a datagram */
};
/* The settings of the congestion control agent of an adapter's port or of a switch. */
struct iba_congestion {
    struct iba_key_guard guard;
    uint8_t of_switch[IBA_BYTES_cc_switch];
    uint8_t of_adapter[IBA_BYTES_cc_ca + IBA_CC_SLS * IBA_BYTES_cc_ca_entry];
    uint16_t limit; /* CCTI_Limit */
    uint8_t table[IBA_CCT_BLOCKS * IBA_CCT_BLOCK][IBA_BYTES_cc_table_entry];
};

/* ---- a router ---- */

/* A route of a router: packets to GIDs that begin with these bits leave by that port to that LID. The LID is that of
 * the destination itself (128 bits), of the next router, or of a multicast group. The route with the longest matching
 * prefix decides. A packet to a group leaves by each of its routes. */
struct iba_route {
    uint8_t gid[16];
    uint8_t bits, port;
    uint16_t dlid;
};

/* ---- a node ---- */

struct iba_fabric_table;
struct iba_node_break { /* the row that a broken node lacks; table NULL: it lacks none */
    const struct iba_fabric_table *table;
    uint16_t row;
};

struct iba_node_config {
    uint8_t type;                                 /* enum iba_node_type */
    uint8_t n_port;                               /* number of ports, without port 0 of a switch */
    uint8_t mtu, vls, widths, speeds, ext_speeds; /* codes of PortInfo: MTUCap, VLCap, supported widths and speeds */
    uint8_t vlarb_entries;                        /* entries of each arbitration table: 32 or 64 */
    uint64_t node_guid, system_guid; /* the GUID of an adapter's port is node_guid plus the port's number */
    uint32_t vendor, revision;
    uint16_t device;
    uint16_t pkeys;        /* entries of the P_Key table of an adapter's port, or of port 0 of a switch */
    uint16_t switch_pkeys; /* entries of the P_Key tables of a switch's other ports */
    uint16_t routes;       /* entries of a router's table */
    uint16_t lft, mft;     /* LIDs and MLIDs in a switch's tables: multiples of the size of a block */
    uint16_t buffer; /* blocks of 64 bytes in the receive buffer of each data VL: IBA_BUFFER_LEAST or more; 0: the node
                        has no link credits. A link counts credits only if both of its ends have them */
    bool unmapped;   /* the ports have no SL-to-VL table (KM-45) */
    bool refresh;    /* the node sends flow-control packets at regular intervals (KM-48), and a watchdog waits for the
                        neighbour's. False: it sends them only when credits change, which suffices if none is lost */
    char description[65];
    struct iba_node_break broken; /* the caller may change this later */
};

enum { IBA_FABRIC_ROWS = 48 };
/* The tables of rules: T(id, symbol). */
#define IBA_FABRIC_TABLES(T)                                                                                           \
    T(ARRIVAL, iba_arrival_rules)                                                                                      \
    T(DELIVERY, iba_delivery_rules)                                                                                    \
    T(ROUTER, iba_router_rules)                                                                                        \
    T(DEPARTURE, iba_departure_rules)                                                                                  \
    T(WAITING, iba_waiting_rules)                                                                                      \
    T(FLOW, iba_flow_rules)                                                                                            \
    T(CREDIT, iba_credit_rules)                                                                                        \
    T(PACE, iba_pace_rules)                                                                                            \
    T(DIRECTED, iba_directed_rules)                                                                                    \
    T(AGENT, iba_agent_rules)                                                                                          \
    T(ATTRIBUTE, iba_sma_attributes)                                                                                   \
    T(PORTINFO, iba_portinfo_rules)                                                                                    \
    T(SWITCHINFO, iba_switchinfo_rules)                                                                                \
    T(PERFORMANCE, iba_pma_attributes)                                                                                 \
    T(BASEBOARD, iba_bma_rules)                                                                                        \
    T(CONGESTION, iba_cca_rules)                                                                                       \
    T(CONGESTION_ATTRIBUTE, iba_cca_attributes)                                                                        \
    T(NODE, iba_node_rules)
enum iba_fabric_table_id {
#define IBA_FABRIC_TABLE_ID(id, symbol) IBA_FABRIC_##id,
    IBA_FABRIC_TABLES(IBA_FABRIC_TABLE_ID) IBA_FABRIC_TABLE_COUNT
};
/* The first members of the rows of all tables. */
struct iba_fabric_row {
    const char *name, *sentence, *clause;
};
struct iba_fabric_table {
    const char *name, *title;
    uint8_t id; /* enum iba_fabric_table_id */
    uint16_t n, stride;
    const void *row;
};
extern const struct iba_fabric_table *const iba_fabric_tables[IBA_FABRIC_TABLE_COUNT];
const struct iba_fabric_row *iba_fabric_row(const struct iba_fabric_table *t, unsigned i); /* i < t->n */

struct iba_node {
    struct iba_node_config cfg;
    struct iba_switchinfo sw;
    struct iba_node_port *port; /* n_port + 1 entries; an adapter does not use entry 0 */
    uint8_t *sl2vl;             /* a row of 16 for each port out and in: iba_node_sl2vl() */
    uint8_t *lft;
    uint16_t *mft;                     /* the positions of each MLID */
    struct iba_congestion *congestion; /* one entry for each port of an adapter or router; a switch uses entry 0 */
    struct iba_route
        *route; /* cfg.routes entries, of which n_route are in use; the caller writes `route` and `n_route` */
    uint16_t n_route;
    struct iba_pool *pool;
    struct iba_fifo local[IBA_VLS]; /* packets for software of the node: [15] has SMPs, [0] all others */
    struct iba_notice_waiting notice[IBA_PENDING_NOTICES];
    uint64_t notice_tid; /* transaction ID of the last trap */
    uint32_t hits[IBA_FABRIC_TABLE_COUNT][IBA_FABRIC_ROWS];
};

/* Returns how many bytes of memory iba_node_init() needs, aligned as malloc() aligns them. */
size_t iba_node_bytes(const struct iba_node_config *cfg);
/* Makes a node as it is after power-up: ports are Down and polling, with the default P_Key and no M_Key (KM-09, KM-13).
 * `memory` and the pool must live as long as the node. */
void iba_node_init(struct iba_node *n, const struct iba_node_config *cfg, void *memory, struct iba_pool *pool);
/* A packet has arrived at that port (from 1). `bytes` has it from LRH to VCRC, or the 6 bytes of a flow-control packet.
 */
void iba_node_feed(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now);
/* Software of the node sends a packet with LRH and CRCs by that port; of a switch by port 0. A directed route that
 * begins here has a hop pointer of 0, in an answer of hop count + 1. */
void iba_node_send(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now);
/* iba_node_send() from an adapter's port at a static rate. After a packet takes a time t on the wire, the next packet
 * with its DLID and IPD starts at least (IPD + 1) * t after it. False: packets for too many destinations wait at the
 * port, or the pool has no room. */
bool iba_node_send_at_rate(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, uint8_t ipd,
                           iba_time now);
/* Where a datagram goes. All other fields of its headers follow from its QP, 0 or 1. */
struct iba_mgmt_to {
    uint16_t dlid, slid;
    uint32_t dqp, sqp, psn;
    uint16_t pkey;
    uint8_t sl;
};
/* iba_mgmt_build() writes the packet of a datagram of 256 bytes. The packet has IBA_MGMT_BYTES bytes. */
enum { IBA_MGMT_BYTES = 8 + 12 + 8 + 256 + 4 + 2 }; /* iba_mgmt_build() returns this */
size_t iba_mgmt_build(uint8_t *out, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad);
/* Takes the next packet that the port sends, which may be a flow-control packet. Returns its length; 0: none may leave
 * now. cap >= IBA_PACKET_MOST. */
size_t iba_node_poll(struct iba_node *n, uint8_t port, uint8_t *buf, size_t cap, iba_time now);
/* Takes the next packet for software of the node, and the port that it came by (0 for a switch). Returns its length. */
size_t iba_node_receive(struct iba_node *n, uint8_t *port, uint8_t *buf, size_t cap);
void iba_node_advance(struct iba_node *n, iba_time now); /* runs the timers up to now */
/* Returns when iba_node_advance() or iba_node_poll() next has something to do; IBA_NEVER: nothing waits. */
iba_time iba_node_deadline(const struct iba_node *n);
/* Returns whether the port has a packet to send, now or later. */
static inline bool iba_node_port_has_work(const struct iba_node_port *p)
{
    return p->waiting > 0 || p->announce != 0 || p->paced_waiting > 0;
}
/* Link credits of a VL (section 7.9). iba_node_blocks() returns the blocks that a packet of `len` bytes needs,
 * iba_node_credits() the blocks of room that the neighbour has by its last limit, modulo 4096, and
 * iba_node_has_credits() whether it has room for a packet; VL 15 needs no credits. */
unsigned iba_node_blocks(size_t len);
unsigned iba_node_credits(const struct iba_node_port *p, unsigned vl);
bool iba_node_has_credits(const struct iba_node *n, const struct iba_node_port *p, unsigned vl, size_t len);
/* Updates PortXmitWait of the port to the time `now`. It counts the ticks in which packets waited and none could be
 * sent; a tick is the time of a byte on one lane. Get(PortCounters) updates it, too. */
void iba_node_count_wait(struct iba_node *n, uint8_t port, iba_time now);

/* Returns the port whose LID, M_Key and P_Keys apply to packets that come by `port`; for a switch port 0. */
static inline struct iba_node_port *iba_node_end_port(struct iba_node *n, uint8_t port)
{
    return &n->port[n->cfg.type == IBA_NODE_SWITCH ? 0 : port];
}
static inline bool iba_node_is_switch(const struct iba_node *n) /* a router is no switch */
{
    return n->cfg.type == IBA_NODE_SWITCH;
}
/* Returns the SL-to-VL table for packets that come by port `in` and leave by port `out`. */
static inline uint8_t *iba_node_sl2vl(const struct iba_node *n, uint8_t in, uint8_t out)
{
    return n->sl2vl + ((size_t)out * (n->cfg.n_port + 1u) + in) * IBA_VLS;
}
/* Returns the number of positions that an MLID has in the multicast table: each position has 16 ports. */
static inline unsigned iba_node_mft_positions(const struct iba_node *n)
{
    return n->cfg.n_port / IBA_MFT_PORTS + 1u;
}
static inline bool iba_node_port_has_lid(const struct iba_node_port *p, uint16_t lid) /* by LID and LMC */
{
    return p->info.lid && lid >= p->info.lid && lid < p->info.lid + (1u << p->info.lmc);
}
/* Returns the number of VLs of a VLCap or OperationalVLs code (KM-29). */
unsigned iba_vls_of(uint8_t code);
/* Sets or clears IsSM in the port's capability mask: an SM runs at the port, or has ended. Sends trap 144. */
void iba_node_set_issm(struct iba_node *n, uint8_t port, bool issm, iba_time now);
/* Hardware or software of the node has seen an event that the rules do not detect. The node's agent sends this notice,
 * with IBA_BYTES_notice_data bytes of details, until it is repressed. `port` is 0 for a switch. False: the port is not
 * Active, knows no manager, or has no room. */
bool iba_node_notice(struct iba_node *n, uint8_t port, uint16_t trap, const uint8_t *details, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
