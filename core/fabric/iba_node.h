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
 * The node answers subnet management packets (QP0) and performance management (QP1) itself; datagrams that its agents
 * do not answer (an SM's, an SA's, a CM's) and packets of other QPs come out of iba_node_receive(). Tables of
 * rules decide about each packet (iba_fabric_tables); each row counts how often it decided, so every drop has a
 * name. */
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
    IBA_PACKET_MOST = 4352, /* bytes of a packet that a node takes: headers, 4096 bytes, CRCs */
    IBA_VLS = 16,
    IBA_VL15 = 15,
    IBA_LFT_BLOCK = 64,
    IBA_MFT_BLOCK = 32, /* MLIDs */
    IBA_MFT_PORTS = 16, /* in a position */
    IBA_PKEY_BLOCK = 32,
    IBA_GUID_BLOCK = 8,
    IBA_VLARB_BLOCKS = 4, /* low, low, high, high; 32 entries each */
    IBA_VLARB_ENTRIES = 32,
    IBA_NO_PORT = 255,
    IBA_NO_SLOT = -1,
    IBA_PENDING_NOTICES = 8,
    IBA_PACED_FLOWS = 16,
    IBA_BUFFER_LEAST = 68, /* blocks of 64 bytes of the longest packet */
};

/* ---- packets that wait in nodes ---- */

/* The part of a receive buffer that one packet has until its last copy has left the node. */
struct iba_hold {
    int32_t next; /* in the list of free ones */
    uint32_t copies;
    uint16_t blocks;
    uint8_t port, vl; /* whose buffer */
};
struct iba_slot {
    iba_time since;       /* when it began to wait */
    int32_t next;         /* the next slot in its queue or in the list of free slots; IBA_NO_SLOT: none */
    int32_t hold;         /* index of the record of the input buffer that holds the packet, plus 1; 0: none */
    struct iba_hold room; /* a record of the pool, and not of this slot's packet */
    uint16_t len;
    uint8_t flow; /* index into iba_node_port.paced, plus 1; 0: the packet has no static rate */
    uint8_t in;   /* the port by which it came; 0: from the node itself */
};
/* Nodes may share a pool. The arrays are the caller's: n slots, n * IBA_PACKET_MOST bytes. */
struct iba_pool {
    struct iba_slot *slot;
    uint8_t *bytes;
    int32_t n, free, used, free_hold;
};
void iba_pool_init(struct iba_pool *p, struct iba_slot *slot, uint8_t *bytes, int32_t n); /* makes all n free */

struct iba_fifo { /* of slots; empty: first is IBA_NO_SLOT */
    int32_t first, last;
    uint32_t n;
};

/* ---- a port ---- */

/* A data lane of a link that counts credits (section 7.9): blocks of 64 bytes, modulo 4096. */
struct iba_lane {
    uint16_t sent;      /* FCTBS: blocks that this end sent */
    uint16_t limit;     /* FCCL that the neighbour gave last */
    uint16_t received;  /* ABR: blocks that the neighbour sent */
    uint16_t announced; /* FCCL that this end gave last */
    uint16_t held;      /* blocks of the receive buffer that have a packet */
    iba_time heard;     /* when the neighbour's last flow-control packet came */
};

/* Packets to one destination at one static rate that wait for their turn (section 9.11). */
struct iba_paced {
    uint16_t dlid;
    uint8_t ipd;
    bool in_queue;     /* one of them is in the queue of its VL */
    iba_time ready_at; /* the next one may go there */
    struct iba_fifo queue;
};

/* A key of management that its agent keeps: the B_Key (KM-17), the CC_Key (MD-116). */
struct iba_key_guard {
    uint64_t key; /* 0: everybody may ask */
    bool protect;
    uint16_t lease_s, violations;
    iba_time lease_ends; /* IBA_NEVER: the lease does not run */
};

struct iba_node_port {
    struct iba_portinfo info; /* of an adapter's port or of a switch's, port 0 included: what PortInfo returns */
    uint64_t guid[IBA_GUID_BLOCK];
    uint16_t *pkey;
    uint16_t n_pkey;
    uint16_t announce;      /* lanes, as bits, of which a flow-control packet is to be sent */
    uint8_t announced_last; /* lane of the last one */
    uint8_t number;
    bool credits;    /* both ends of the link count credits */
    bool link_work;  /* the agent changed what iba_link_settle() looks at */
    bool reregister; /* a client reregistration was asked for; the owner clears it (KM-30) */
    uint8_t vlarb[IBA_VLARB_BLOCKS][2 * IBA_VLARB_ENTRIES];
    uint8_t congestion[IBA_BYTES_cc_switch_port]; /* of a switch's port */
    struct iba_key_guard baseboard;               /* of an adapter's port; of a switch port 0's */
    struct iba_portcounters_ext counters;         /* 64 bits; PortCounters shows them as far as they fit (MD-104) */
    struct iba_fifo queue[IBA_VLS];               /* packets that leave by this port */
    uint32_t waiting;                             /* packets in all of these */
    struct {                                      /* of each queue (KM-50) */
        iba_time first_since;                     /* its first packet is the first */
        iba_time stalled_until;                   /* packets that came before are dropped */
        uint8_t drops;                            /* for want of time at the head, since a packet left */
    } wait[IBA_VLS];
    struct iba_paced paced[IBA_PACED_FLOWS];
    uint32_t paced_waiting;   /* packets in all of these */
    iba_time busy_until;      /* a packet is on the wire until then */
    uint32_t busy_ps;         /* and that many picoseconds longer */
    iba_time mkey_lease_ends; /* IBA_NEVER: the lease does not run (KM-05) */
    struct iba_lane lane[IBA_VL15];
    iba_time announce_all;   /* when the limit of each lane is sent again; IBA_NEVER: never */
    iba_time wait_since;     /* packets wait, and none may have the wire; IBA_NEVER: that is not so */
    uint32_t wait_ps;        /* waited since PortXmitWait was last raised */
    struct {                 /* VL arbitration (section 7.6.9) */
        uint8_t entry[2];    /* low, high: the current entry */
        int32_t left[2];     /* of its weight, in units of 64 bytes */
        uint32_t high_bytes; /* of high priority sent since the last packet of low priority */
    } arb;
};

/* ---- notices ---- */

struct iba_notice_waiting {
    uint64_t tid; /* 0: free */
    iba_time due; /* when the trap is sent, again after SubnetTimeout until a TrapRepress comes (KM-60) */
    uint8_t port; /* whose LID and SM it is sent from and to */
    uint8_t bytes[64];
};

/* ---- congestion control (annex A10) ---- */

enum {
    IBA_CCT_BLOCK = 64, /* entries of a CongestionControlTable in a datagram */
    IBA_CCT_BLOCKS = 2,
    IBA_CC_SLS = 16,
    IBA_CC_PORTS_BLOCK = 48, /* of SwitchPortCongestionSetting: as many as a datagram holds */
};
/* Settings that the agent of an adapter's port or of a switch keeps. */
struct iba_congestion {
    struct iba_key_guard guard;
    uint8_t of_switch[IBA_BYTES_cc_switch];
    uint8_t of_adapter[IBA_BYTES_cc_ca + IBA_CC_SLS * IBA_BYTES_cc_ca_entry];
    uint16_t limit; /* CCTI_Limit */
    uint8_t table[IBA_CCT_BLOCKS * IBA_CCT_BLOCK][IBA_BYTES_cc_table_entry];
};

/* ---- a router ---- */

/* Packets to GIDs that begin with these bits leave by that port, to that LID: of the destination itself (128 bits), of
 * the next router, or of a multicast group. The longest one that fits decides; a group's packets leave by each. */
struct iba_route {
    uint8_t gid[16];
    uint8_t bits, port;
    uint16_t dlid;
};

/* ---- a node ---- */

struct iba_fabric_table;
struct iba_node_break { /* the row that a broken node has not got; row 0 of NULL: none */
    const struct iba_fabric_table *table;
    uint16_t row;
};

struct iba_node_config {
    uint8_t type;                                 /* enum iba_node_type */
    uint8_t n_port;                               /* without a switch's port 0 */
    uint8_t mtu, vls, widths, speeds, ext_speeds; /* codes of PortInfo: MTUCap, VLCap, supported */
    uint8_t vlarb_entries;                        /* of each table: 32 or 64 */
    uint64_t node_guid, system_guid;              /* a port of an adapter has node_guid + its number */
    uint32_t vendor, revision;
    uint16_t device;
    uint16_t pkeys;        /* entries of an adapter's port, or of a switch's port 0 */
    uint16_t switch_pkeys; /* entries of a switch's other ports */
    uint16_t routes;       /* entries of a router's table */
    uint16_t lft, mft;     /* LIDs, MLIDs of a switch's tables: multiples of the blocks */
    uint16_t buffer; /* blocks of 64 bytes of the receive buffer of each data lane, IBA_BUFFER_LEAST or more; 0: the
                      * node has no link credits, nor has a link of which one end has none */
    bool unmapped;   /* its ports have no SL-to-VL table (KM-45) */
    bool refresh;    /* flow-control packets come at regular intervals, as KM-48 asks for, and a watchdog waits for
                      * them; else only when credits change, which suffices where no packet is lost */
    char description[65];
    struct iba_node_break broken; /* may be changed later */
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
/* Every row of every table begins with this. */
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
    struct iba_node_port *port; /* n_port + 1; an adapter does not use entry 0 */
    uint8_t *sl2vl;             /* a row of 16 for each port out and in: iba_node_sl2vl() */
    uint8_t *lft;
    uint16_t *mft;                     /* for each MLID its positions */
    struct iba_congestion *congestion; /* of the ports of an adapter or router; of a switch entry 0 */
    struct iba_route *route;           /* cfg.routes entries, n_route of them in use: the caller writes both */
    uint16_t n_route;
    struct iba_pool *pool;
    struct iba_fifo local[IBA_VLS]; /* for software of the node: [0] but SMPs, [15] SMPs */
    struct iba_notice_waiting notice[IBA_PENDING_NOTICES];
    uint64_t notice_tid; /* of the last trap */
    uint32_t hits[IBA_FABRIC_TABLE_COUNT][IBA_FABRIC_ROWS];
};

/* Bytes of memory, aligned as for malloc, that iba_node_init() divides. */
size_t iba_node_bytes(const struct iba_node_config *cfg);
/* A node after power-up: ports Down and polling, default P_Key, no M_Key (KM-09, KM-13). `memory` and the pool must
 * live as long as the node. */
void iba_node_init(struct iba_node *n, const struct iba_node_config *cfg, void *memory, struct iba_pool *pool);
/* A packet that arrived by that port, from 1: from LRH to VCRC, or the 6 bytes of a flow-control packet. */
void iba_node_feed(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now);
/* From software of the node by that port, of a switch by port 0: a packet with LRH and CRCs. Directed routes that begin
 * here have a hop pointer of 0, and of answers hop count + 1. */
void iba_node_send(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, iba_time now);
/* The same from an adapter's port at a static rate: packets of one DLID and IPD start (IPD + 1) times the length of the
 * one before apart, or more. False: the port has packets of too many destinations waiting, or the pool has no room. */
bool iba_node_send_at_rate(struct iba_node *n, uint8_t port, const uint8_t *bytes, size_t len, uint8_t ipd,
                           iba_time now);
/* Where a datagram goes; everything else of its headers follows from QP0 or QP1. */
struct iba_mgmt_to {
    uint16_t dlid, slid;
    uint32_t dqp, sqp, psn;
    uint16_t pkey;
    uint8_t sl;
};
/* For software that has the datagram only: writes the packet around its 256 bytes, IBA_MGMT_BYTES long. */
enum { IBA_MGMT_BYTES = 8 + 12 + 8 + 256 + 4 + 2 }; /* which iba_mgmt_build() returns */
size_t iba_mgmt_build(uint8_t *out, const struct iba_mgmt_to *to, uint8_t vl, const uint8_t *mad);
/* The next packet for the wire of that port, flow-control packets among them: its length; 0: none now.
 * cap >= IBA_PACKET_MOST. */
size_t iba_node_poll(struct iba_node *n, uint8_t port, uint8_t *buf, size_t cap, iba_time now);
/* The next packet for software, and the port that it came by (a switch's: 0). */
size_t iba_node_receive(struct iba_node *n, uint8_t *port, uint8_t *buf, size_t cap);
void iba_node_advance(struct iba_node *n, iba_time now); /* runs the timers up to now */
/* When iba_node_advance() or iba_node_poll() has something to do; IBA_NEVER: nothing waits. */
iba_time iba_node_deadline(const struct iba_node *n);
/* Whether iba_node_poll() of the port may have a packet, now or later. */
static inline bool iba_node_port_has_work(const struct iba_node_port *p)
{
    return p->waiting > 0 || p->announce != 0 || p->paced_waiting > 0;
}
/* Credits of a lane (section 7.9). iba_node_blocks(): of a packet of `len` bytes. iba_node_credits(): blocks of room
 * by what the neighbour said last, modulo 4096. iba_node_has_credits(): room for a packet; VL 15 needs none. */
unsigned iba_node_blocks(size_t len);
unsigned iba_node_credits(const struct iba_node_port *p, unsigned vl);
bool iba_node_has_credits(const struct iba_node *n, const struct iba_node_port *p, unsigned vl, size_t len);
/* Brings PortXmitWait of the port up to now: ticks of a byte's time on one lane in which packets waited and none could
 * be sent, for want of credits or of a turn. Get(PortCounters) does it by itself. */
void iba_node_count_wait(struct iba_node *n, uint8_t port, iba_time now);

/* The port whose LID, M_Key and P_Keys apply to what comes by `port`: of a switch port 0. */
static inline struct iba_node_port *iba_node_end_port(struct iba_node *n, uint8_t port)
{
    return &n->port[n->cfg.type == IBA_NODE_SWITCH ? 0 : port];
}
static inline bool iba_node_is_switch(const struct iba_node *n) /* a router is none */
{
    return n->cfg.type == IBA_NODE_SWITCH;
}
/* The VL of each SL for packets that come by `in` and leave by `out`. */
static inline uint8_t *iba_node_sl2vl(const struct iba_node *n, uint8_t in, uint8_t out)
{
    return n->sl2vl + ((size_t)out * (n->cfg.n_port + 1u) + in) * IBA_VLS;
}
/* Positions of an MLID in the multicast table: each has 16 ports. */
static inline unsigned iba_node_mft_positions(const struct iba_node *n)
{
    return n->cfg.n_port / IBA_MFT_PORTS + 1u;
}
static inline bool iba_node_port_has_lid(const struct iba_node_port *p, uint16_t lid) /* by LID and LMC */
{
    return p->info.lid && lid >= p->info.lid && lid < p->info.lid + (1u << p->info.lmc);
}
/* Number of VLs of a VLCap or OperationalVLs code (KM-29). */
unsigned iba_vls_of(uint8_t code);
/* Raises IsSM of the port's capability mask, or takes it down: an SM runs there, or no more. Sends trap 144. */
void iba_node_set_issm(struct iba_node *n, uint8_t port, bool issm, iba_time now);
/* Hardware or software of the node has seen a thing that the rules do not: its agent sends this notice, with
 * IBA_BYTES_notice_data bytes of details, until it is repressed. port: of a switch 0. False: the port is not Active,
 * knows no manager, or has no room. */
bool iba_node_notice(struct iba_node *n, uint8_t port, uint16_t trap, const uint8_t *details, iba_time now);

#ifdef __cplusplus
}
#endif

#endif
