/* SPDX-License-Identifier: BSD-2-Clause */
/* The MAD layer of the nodes, as a kernel has it: agents of programs register for classes and methods, requests are
 * sent again until their answers come, and transactions of several segments (RMPP, section 13.6) go as segments. Each
 * datagram is a packet of its own on the subnet. */
#ifndef IBF_MAD_LAYER_H
#define IBF_MAD_LAYER_H
#include "mad_packet.h"
#include "subnet.h"

enum {
    MAD_OPENS = 32,                  /* ports that programs have open */
    MAD_SENDS = 2048,                /* datagrams that wait for an answer or an ACK */
    MAD_TRANSFERS = 64,              /* transactions that are received in segments */
    MAD_SEGMENTS = MAD_LONGEST / 192 /* most segments of a transaction; each has 192 bytes or more */
};

struct mad_agent {
    bool used;
    uint32_t mark; /* upper half of the transaction IDs of the agent's requests; answers have it, too */
    uint8_t class, version;
    bool rmpp;     /* the layer sends and receives the segments of the agent's transactions */
    bool segments; /* the agent does this itself */
    bool has_oui;
    uint8_t oui[3];
    uint64_t methods[MAD_METHODS / 64];
};
struct mad_open { /* a port that a program has open */
    bool used, issm;
    size_t node;
    uint8_t port; /* of a switch 0 */
    struct mad_agent agent[MAD_AGENTS];
};
struct mad_send { /* a request without an answer, or a transaction without its last ACK */
    bool used;
    uint8_t open, agent;
    struct mad_envelope to;
    uint8_t *mad; /* `bytes` bytes of the sender, then zeros to the end of a segment */
    uint32_t bytes;
    uint32_t retries; /* left */
    iba_time due;     /* when it is sent again, or has timed out */
    uint32_t segments, sent, acked,
        window; /* of RMPP: all of them, and the numbers of the last ones; segments 0: none */
};
struct mad_transfer { /* a transaction that comes in segments */
    bool used, whole;
    uint8_t open, agent;
    uint64_t tid;
    struct mad_envelope from;
    uint8_t class, method;
    uint8_t *mad;                         /* the first segment, then the data of the others */
    uint32_t room;                        /* bytes of `mad` */
    uint32_t got, window, last;           /* segments up to `got` are there; `last` 0: not known */
    uint32_t last_bytes;                  /* data in the last segment */
    uint64_t seen[MAD_SEGMENTS / 64 + 1]; /* a bit for each segment */
    iba_time due;                         /* the transfer is given up, or its memory of duplicates is */
};

struct mad_layer {
    struct subnet *subnet;
    /* A program gets a datagram, or a request back whose envelope has a status. */
    void (*deliver)(void *ctx, unsigned open, struct mad_envelope *e, const uint8_t *mad, size_t len);
    void *ctx;
    /* Called for each datagram or transaction from a program, and for each datagram to one, which it may change; NULL:
     * nobody does. False: the datagram goes no further; a request of a program then has its answer in `mad`. `mad` has
     * at least 256 bytes. */
    bool (*alter)(void *ctx, bool from_program, uint8_t *mad);
    void *alter_ctx;
    struct mad_open open[MAD_OPENS];
    struct mad_send *send;         /* MAD_SENDS entries */
    size_t n_send;                 /* entries up to the last one that is used */
    struct mad_transfer *transfer; /* MAD_TRANSFERS entries */
    uint32_t marks, psn;
};

bool mad_layer_begin(struct mad_layer *l, struct subnet *subnet);
void mad_layer_end(struct mad_layer *l);
/* Opens a port under a number that is free. */
void mad_layer_open(struct mad_layer *l, unsigned open, size_t node, uint8_t port);
void mad_layer_close(struct mad_layer *l, unsigned open);
void mad_layer_set_issm(struct mad_layer *l, unsigned open, bool issm);
/* These return 0 or an errno. */
int mad_layer_register(struct mad_layer *l, unsigned open, const struct mad_registration *r, uint32_t *agent);
int mad_layer_unregister(struct mad_layer *l, unsigned open, uint32_t agent);
int mad_layer_send(struct mad_layer *l, unsigned open, const struct mad_envelope *e, const uint8_t *mad, size_t len);
/* Takes a packet for software of a node. Returns its datagram; NULL: the packet is for no agent of the layer. */
const uint8_t *mad_layer_received(struct mad_layer *l, size_t node, uint8_t port, const uint8_t *packet, size_t len);
/* Sends requests again, and returns those that have timed out, up to the subnet's time. */
void mad_layer_advance(struct mad_layer *l);
iba_time mad_layer_deadline(const struct mad_layer *l); /* IBA_NEVER: nothing waits */
#endif
