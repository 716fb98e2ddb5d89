/* SPDX-License-Identifier: BSD-2-Clause */
/* ibtalk: conversations of two engines over the simulated network, as captures for the witnesses.
 *
 *     end.c   the two adapters, the network between them, and the capture of what leaves them
 *     main.c  the conversations of the two adapters
 */
#ifndef IBPROOF_TALK_H
#define IBPROOF_TALK_H
#include <stdio.h>
#include "adapter/iba_ca.h"
#include "sim/iba_net.h"

enum { DEPTH = 32, SLOTS = 8, SAVED = 4, FLIGHT = 256, REGION = 8192 };
#define REGION_VA UINT64_C(0x10000)

struct side {
    struct iba_ca ca;
    struct iba_qp *qps[SLOTS];
    struct iba_cq *cqs[SLOTS];
    struct iba_srq *srqs[SLOTS];
    struct iba_ah ahs[SLOTS];
    struct iba_mcast mcasts[SLOTS];
    struct iba_mkey keys[SLOTS];
    uint32_t pds[SLOTS];
    struct iba_cq cq;
    struct iba_wc ring[4 * DEPTH];
    struct iba_qp qp;
    struct iba_sqe sq[DEPTH];
    struct iba_recv_wr rq[DEPTH];
    struct iba_saved saved[SAVED];
    uint32_t pd, cqn, qpn, lkey, rkey, ah;
    uint32_t spare_rkey; /* of a region that the peer can invalidate */
    uint8_t memory[REGION], spare[64];
};

struct network_kind {
    const char *name;
    enum iba_port_kind port;
    bool v6, grh;
    uint32_t linktype;
};
struct conversation {
    const struct network_kind *kind;
    enum iba_qp_type service;
    enum iba_mtu mtu;
    struct iba_net_faults faults;
    uint64_t seed;
};
struct talk {
    struct side side[2];
    struct iba_net net;
    struct iba_net_slot slot[FLIGHT];
    uint8_t frames[FLIGHT * IBA_TX_MOST];
    struct iba_random random;
    const struct network_kind *kind;
    enum iba_link link;
    iba_time now;
    FILE *capture;
};

/* One capture holds several conversations, one after the other; the clock goes on. */
void talk_begin(struct talk *t, const struct conversation *c);
void talk_receive(struct talk *t, unsigned side, uint32_t length);
/* Posts a work request at side 0, for `length` bytes of its region. Members that the work request leaves out get
 * defaults, and a line of JSON
 * on stdout describes it. */
void talk_send(struct talk *t, struct iba_send_wr *wr, uint32_t length);
/* Runs until both engines are idle, or for `span` of virtual time. */
void talk_run(struct talk *t, iba_time span);
/* The number of work requests that completed successfully at that side since the last call. */
unsigned talk_completed(struct talk *t, unsigned side);
_Noreturn void die(const char *what, const char *detail);
#endif
