/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet that a node handles, and the tables that decide about it. Not for users of libiba. */
#ifndef IBA_HOP_H
#define IBA_HOP_H
#include "fabric/iba_node.h"

/* A packet that a node handles. */
struct iba_hop {
    struct iba_node *node;
    const struct iba_view *view;
    iba_time now;
    uint8_t
        in; /* the port that the packet came by; for own packets of a switch 0, of an adapter the port they leave by */
    bool own;     /* software of the node sent the packet */
    uint8_t out;  /* the port that it leaves by, for the departure table */
    uint8_t flow; /* as in struct iba_slot; not 0 if the packet has a static rate */
    int32_t
        hold; /* the packet's record of the receive buffer (iba_credit.h); 0: none; IBA_NO_CREDITS: it had no credits */
    const uint8_t *lrh, *bth, *deth; /* NULL where the packet has none; bth and deth only of UD packets */
    uint8_t *
        mad; /* a copy of the datagram, which may be changed; NULL: the packet has no complete datagram of QP0 or QP1 */
    /* for a management request */
    const struct iba_sma_attribute *attribute;
    const struct iba_cca_attribute *cc_attribute;
    uint16_t status;
    bool answered;                 /* `mad` has become the answer */
    struct iba_node_port *port;    /* the port that the attribute is about */
    uint8_t *data;                 /* 64 bytes of the attribute in `mad` */
    struct iba_portinfo *portinfo; /* the PortInfo that is being set */
    bool reregister;               /* the Set asked for a client reregistration */
    struct iba_switchinfo *switchinfo;
};

typedef bool iba_hop_when(const struct iba_hop *h);
typedef void iba_hop_then(struct iba_hop *h);

/* R(name, when, then, sentence, clause): the first row that applies decides. */
struct iba_hop_rule {
    struct iba_fabric_row row;
    iba_hop_when *when; /* has no side effect */
    iba_hop_then *then;
};
#define IBA_HOP_ROW(name_, when_, then_, sentence_, clause_) {{#name_, sentence_, clause_}, when_, then_},
#define IBA_FABRIC_TABLE(symbol, id_, name_, title_, rows_)                                                            \
    _Static_assert(sizeof(rows_) / sizeof *(rows_) <= IBA_FABRIC_ROWS, "more rows than counters");                     \
    const struct iba_fabric_table symbol = {name_,           title_, id_, sizeof(rows_) / sizeof *(rows_),             \
                                            sizeof *(rows_), rows_};
#define IBA_HOP_TABLE(LIST, symbol, id, name, title)                                                                   \
    static const struct iba_hop_rule hop_rows[] = {LIST(IBA_HOP_ROW)};                                                 \
    IBA_FABRIC_TABLE(symbol, id, name, title, hop_rows)
#define IBA_FABRIC_TABLE_EXTERN(id, symbol) extern const struct iba_fabric_table symbol;
IBA_FABRIC_TABLES(IBA_FABRIC_TABLE_EXTERN)

/* Returns whether the node has the row; a broken node lacks one. */
static inline bool iba_node_has_row(const struct iba_node *n, const struct iba_fabric_table *t, unsigned row)
{
    return n->cfg.broken.table != t || n->cfg.broken.row != row;
}
/* Applies a table of struct iba_hop_rule to the packet. */
void iba_hop_apply(struct iba_hop *h, const struct iba_fabric_table *t);

bool iba_hop_any(const struct iba_hop *h);
void iba_hop_drop(struct iba_hop *h);
static inline bool iba_hop_is_smp(const struct iba_hop *h)
{
    return h->bth && iba_bth_destqp(h->bth) == 0;
}
static inline bool iba_hop_is_directed(const struct iba_hop *h)
{
    return h->mad && iba_madhdr_mgmtclass(h->mad) == IBA_CLASS_DIRECTED;
}

/* ---- status of datagrams (MD-05) ---- */
enum {
    IBA_MAD_OK = 0,
    IBA_MAD_BAD_VERSION = 0x04,
    IBA_MAD_BAD_METHOD = 0x08,
    IBA_MAD_BAD_ATTRIBUTE = 0x0c,
    IBA_MAD_BAD_VALUE = 0x1c,
};
enum { IBA_UD_SEND_ONLY = 0x64 }; /* the opcode of every datagram */
enum { IBA_SMP_DATA_AT = 64, IBA_SMP_DATA_BYTES = 64 };
enum { IBA_ATTR_NOTICE = 0x02, IBA_ATTR_SM_INFO = 0x20 };

/* ---- departure (iba_departure.c) ---- */
/* Puts the packet into the queue of port h->out if no row of the departure table refuses it. */
void iba_hop_depart(struct iba_hop *h);
/* Sends the datagram h->mad by port `out`, or passes it to software of the node. The headers of the request stay as
 * they are, but for the LIDs if `dlid` is not 0. */
void iba_hop_forward_mad(struct iba_hop *h, uint8_t out, uint16_t dlid, uint16_t slid);
/* Sends h->mad to the LID that the packet came from. */
void iba_hop_answer_by_lid(struct iba_hop *h);
/* Passes the packet to software of the node. */
void iba_hop_to_software(struct iba_hop *h);
/* The node itself sends a datagram from its end port `port`, routed by LID. */
void iba_node_send_mad(struct iba_node *n, uint8_t port, const struct iba_mgmt_to *to, const uint8_t *mad,
                       iba_time now);
/* Returns the port to which a switch forwards a unicast LID; IBA_NO_PORT: none. For an adapter it is port `in`. */
uint8_t iba_node_port_to(const struct iba_node *n, uint8_t in, uint16_t dlid);

/* ---- queues (iba_arbiter.c) ---- */
/* Adds a copy of the packet at the end of the queue; `s` has its length, hold, port and time. False: the pool has no
 * room. */
bool iba_fifo_put(struct iba_node *n, struct iba_fifo *q, const uint8_t *bytes, const struct iba_slot *s);
size_t iba_fifo_take(struct iba_node *n, struct iba_fifo *q, uint8_t *buf, size_t cap, uint8_t *in);
/* iba_fifo_put() for the queue of a port's VL. */
bool iba_port_put(struct iba_node *n, struct iba_node_port *p, unsigned vl, const uint8_t *bytes,
                  const struct iba_slot *s);
/* Takes the first packet of the VL, which leaves by the wire. */
size_t iba_port_take(struct iba_node *n, struct iba_node_port *p, unsigned vl, uint8_t *buf, size_t cap, iba_time now);
/* Drops the first packet of a VL, and counts it. */
void iba_port_drop(struct iba_node *n, struct iba_node_port *p, unsigned vl, iba_time now);
/* Drops all packets that wait for the port, because its link is down. */
void iba_port_flush(struct iba_node *n, struct iba_node_port *p);
/* Returns whether the port may send a packet now. */
bool iba_port_ready(const struct iba_node *n, const struct iba_node_port *p);
/* Returns the VL whose packet the port sends next (section 7.6.9); -1: none. */
int iba_arbitrate(const struct iba_node *n, struct iba_node_port *p);

/* ---- lifetimes (iba_waiting.c) ---- */
/* Drops the packets whose lifetime is over (KM-50); the second function returns when the next one's is over. */
void iba_port_expire(struct iba_node *n, struct iba_node_port *p, iba_time now);
iba_time iba_port_expires(const struct iba_node *n, const struct iba_node_port *p);

/* ---- agents ---- */
void iba_sma_request(struct iba_hop *h);
void iba_pma_request(struct iba_hop *h);
void iba_cca_request(struct iba_hop *h);
void iba_bma_request(struct iba_hop *h);
/* A datagram came without the key: counts the violation, and starts the lease. */
void iba_guard_violated(struct iba_key_guard *g, iba_time now);
/* Call this before a datagram's key is checked. A lease that has run out ends the protection. A datagram with the right
 * key stops a running lease. */
void iba_guard_lease(struct iba_key_guard *g, bool key_fits, iba_time now);
/* Turns the request into its answer, with h->status, and sets h->answered. The caller of the agent then sends it. */
void iba_hop_answer(struct iba_hop *h);
/* Adds 1 to a counter that stays at its maximum (PV-16, KM-04). */
static inline void iba_count16(uint16_t *counter)
{
    if (*counter < UINT16_MAX)
        ++*counter;
}

/* ---- notices (iba_notice.c) ---- */
void iba_notice_link(struct iba_node *n, iba_time now);                                        /* trap 128 */
void iba_notice_local(struct iba_node *n, uint8_t port, iba_time now);                         /* trap 144 */
void iba_notice_mkey(struct iba_node *n, const struct iba_hop *h, uint8_t port);               /* trap 256 */
void iba_notice_key(struct iba_node *n, const struct iba_hop *h, uint16_t trap, uint32_t key); /* traps 257, 258 */
void iba_notice_switch_pkey(struct iba_node *n, const struct iba_hop *h, uint8_t port);        /* trap 259 */
void iba_notice_repress(struct iba_node *n, uint64_t tid);
void iba_notice_advance(struct iba_node *n, iba_time now);
iba_time iba_notice_deadline(const struct iba_node *n);
/* Returns the oldest waiting notice, for Get(Notice) (KM-62); NULL: there is none. */
const struct iba_notice_waiting *iba_notice_oldest(const struct iba_node *n);
#endif
