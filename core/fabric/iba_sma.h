/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the agent: its attributes. Not for users of libiba. */
#ifndef IBA_SMA_H
#define IBA_SMA_H
#include "fabric/iba_hop.h"

enum iba_sma_nodes {
    IBA_SMA_CA = 1 << IBA_NODE_CA | 1 << IBA_NODE_ROUTER, /* whose ports have agents of their own */
    IBA_SMA_SWITCH = 1 << IBA_NODE_SWITCH,
    IBA_SMA_BOTH = IBA_SMA_CA | IBA_SMA_SWITCH
};

/* A(name, id, nodes, find, get, set, sentence, clause): an attribute, the nodes that have it, and what reads and writes
 * it. */
struct iba_sma_attribute {
    struct iba_fabric_row row;
    uint16_t id;
    uint8_t nodes;                        /* enum iba_sma_nodes */
    bool (*find)(struct iba_hop *h);      /* the modifier names something that exists; h->port is the port it names */
    void (*get)(const struct iba_hop *h); /* fills h->data, which is zero */
    void (*set)(struct iba_hop *h);       /* takes h->data over; NULL: it cannot be set; h->status: what is refused */
};

/* The modifier of the datagram. */
static inline uint32_t iba_sma_modifier(const struct iba_hop *h)
{
    return iba_madhdr_attributemodifier(h->mad);
}

/* iba_sma_port.c */
bool iba_sma_find_port(struct iba_hop *h);
void iba_sma_get_portinfo(const struct iba_hop *h);
void iba_sma_set_portinfo(struct iba_hop *h);

/* iba_sma_tables.c */
bool iba_sma_find_guids(struct iba_hop *h);
void iba_sma_get_guids(const struct iba_hop *h);
void iba_sma_set_guids(struct iba_hop *h);
bool iba_sma_find_pkeys(struct iba_hop *h);
void iba_sma_get_pkeys(const struct iba_hop *h);
void iba_sma_set_pkeys(struct iba_hop *h);
bool iba_sma_find_sl2vl(struct iba_hop *h);
void iba_sma_get_sl2vl(const struct iba_hop *h);
void iba_sma_set_sl2vl(struct iba_hop *h);
bool iba_sma_find_vlarb(struct iba_hop *h);
void iba_sma_get_vlarb(const struct iba_hop *h);
void iba_sma_set_vlarb(struct iba_hop *h);
bool iba_sma_find_lft(struct iba_hop *h);
void iba_sma_get_lft(const struct iba_hop *h);
void iba_sma_set_lft(struct iba_hop *h);
bool iba_sma_find_mft(struct iba_hop *h);
void iba_sma_get_mft(const struct iba_hop *h);
void iba_sma_set_mft(struct iba_hop *h);
void iba_sma_get_switchinfo(const struct iba_hop *h);
void iba_sma_set_switchinfo(struct iba_hop *h);
#endif
