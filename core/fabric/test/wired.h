/* SPDX-License-Identifier: BSD-2-Clause */
/* A switch with four adapters at its ports 1 to 4, without a manager: ports Active, LIDs 1 (the switch) and 11 to 14.
 */
#ifndef WIRED_H
#define WIRED_H
#include <criterion/criterion.h>
#include "fabric/iba_hop.h"
#include "fabric/iba_link.h"
#include "wire/iba_build.h"

enum { ADAPTERS = 4, SLOTS = 64, SWITCH_LID = 1, FIRST_LID = 11, SWITCH_PORTS = 5, GROUP = 0xc001, HEARD = 8 };

struct wired {
    struct iba_node sw, ca[ADAPTERS];
    void *memory[ADAPTERS + 1];
    struct iba_pool pool;
    struct iba_slot slot[SLOTS];
    uint8_t bytes[SLOTS][IBA_PACKET_MOST];
    iba_time now;
    /* Packets that software of the adapters received, since it was cleared. */
    unsigned heard[ADAPTERS], heard_by_switch; /* but traps */
    uint8_t last[IBA_PACKET_MOST];
    unsigned traps;
    uint8_t trap[IBA_MAD_BYTES]; /* the last one */
    /* Optional: called for each packet that node `from` (0: the switch) sends by a port, or by port 255 gives to its
     * software. */
    void (*seen)(struct wired *w, unsigned from, uint8_t port, const uint8_t *packet, size_t len);
};

struct wired *wired_new(void);
/* Returns the same nodes; every data lane of every port has a receive buffer of that many blocks. With `refresh` the
 * nodes always have a flow-control packet to send, so wired_run() must not be called. */
struct wired *wired_with_credits(uint16_t buffer, bool refresh);
void wired_free(struct wired *w);
/* Sets what a manager sets, as wired_new() does. */
void wired_bring_up(struct wired *w);
/* Delivers packets until no node has one to send. */
void wired_run(struct wired *w);
/* Delivers packets as wired_run() does, while `ns` pass. */
void wired_wait(struct wired *w, iba_time ns);

/* A datagram of `payload` zero bytes to QP 2, with SL `sl` on VL 0. */
struct data_packet {
    uint16_t slid, dlid, pkey;
    uint8_t sl, vl;
    uint32_t payload, qpn;
};
size_t wired_data(uint8_t *out, const struct data_packet *d);

/* A subnet management datagram, routed by LID, or along `hops` ports if dlid is 0xffff. */
struct smp {
    uint16_t dlid, slid, attribute;
    uint8_t method, hops, path[4];
    uint32_t modifier;
    uint64_t mkey;
    uint8_t data[64];
};
void wired_mad(uint8_t mad[IBA_MAD_BYTES], const struct smp *s);
/* Adapter `from` sends the request. Returns the answer's status, with the datagram in `answer`; -1 if nobody
 * answers. */
int wired_ask(struct wired *w, unsigned from, const struct smp *s, uint8_t answer[IBA_MAD_BYTES]);

/* A request of another management class to QP 1 of a node. */
struct agent_request {
    uint16_t dlid, attribute;
    uint8_t mgmt_class, version, method;
    uint32_t modifier;
    uint64_t key;
    uint8_t data[192];
};
/* Adapter 0 sends the request. The result is that of wired_ask(). */
int wired_ask_agent(struct wired *w, const struct agent_request *r, uint8_t answer[IBA_MAD_BYTES]);

/* Returns the number of the row with that name. */
unsigned wired_row(const struct iba_fabric_table *t, const char *name);
uint32_t wired_hits(const struct iba_node *n, const struct iba_fabric_table *t, const char *name);
#endif
