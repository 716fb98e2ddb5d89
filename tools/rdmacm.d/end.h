/* SPDX-License-Identifier: BSD-2-Clause */
/* ibrdmacm: the other end of librdmacm's example programs, by the engine and its connection manager.
 *
 *     end.c      an adapter with a CM on a wire, in real time; verbs that wait
 *     connect.c  queue pairs, and how they are connected as librdmacm connects them (RDMA IP CM service, annex A11)
 *     rping.c, cmatose.c, udaddy.c, riostream.c, client.c   the programs
 *     main.c     options
 *
 * If the peer deviates from the expected exchange, the process prints one line and ends with exit code 1. */
#ifndef IBPROOF_RDMACM_END_H
#define IBPROOF_RDMACM_END_H
#include <stdio.h>
#include "adapter/iba_gsi.h"
#include "sim/iba_random.h"
#include "targets/wire.h"

enum {
    PAIRS = 128, /* queue pairs at a time */
    DEPTH = 32,  /* work requests of a queue */
    SAVED = 4,   /* READs that a queue pair answers at a time */
    CONNS = 512, /* connections, those in TimeWait included */
    RING = 64,
    SLOTS = 256,
    MEMORY = 1 << 20,
    GRH = 40 /* bytes before a datagram in a receive buffer */
};
#define MEMORY_VA UINT64_C(0x00007f4c00000000) /* addresses of requests are offsets from here */

struct pair {
    struct iba_qp qp;
    struct iba_sqe sq[DEPTH];
    struct iba_recv_wr rq[DEPTH];
    struct iba_saved saved[SAVED];
    uint32_t qpn, id; /* id: communication ID of its connection */
    uint32_t mtu;     /* enum iba_mtu */
    bool used;
};
struct end {
    struct iba_ca ca;
    struct iba_cm cm;
    struct iba_gsi gsi;
    struct iba_random random;
    struct iba_qp *qps[SLOTS];
    struct iba_cq *cqs[8];
    struct iba_ah ahs[8];
    struct iba_mkey keys[8];
    uint32_t pds[8];
    struct iba_cq cq;
    struct iba_wc wcs[4 * DEPTH];
    struct iba_cm_conn conn[CONNS];
    uint32_t heap[CONNS], bucket[IBA_CM_KEYS * CONNS];
    struct iba_cm_listener listener[4];
    struct iba_cm_datagram out[RING];
    struct iba_cm_event event[RING];
    struct pair pair[PAIRS];
    uint8_t memory[MEMORY];
    uint32_t pd, cqn, lkey, rkey;
    bool v6;
    uint64_t until;   /* when patience is over */
    struct iba_av to; /* the path to the peer */
    struct ibc_wire *wire;
    FILE *capture;
};

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void must(bool good, const char *what)
{
    if (!good)
        die("the engine refuses: %s", what);
}

/* ---- end.c ---- */
/* Opens the wire `spec` with address 10.0.0.2 or 2001:db8::2; the address of the peer ends in 1. capture: a path, or
 * NULL. patience: seconds
 * until the program must be over. */
struct end *end_open(const char *spec, bool v6, const char *capture, unsigned patience);
void end_close(struct end *e);
/* The next event of the CM; NULL: none within so many seconds. Valid until the next call. */
const struct iba_cm_event *end_event_within(struct end *e, double seconds);
/* The next event, which must be of this kind. */
const struct iba_cm_event *end_event(struct end *e, enum iba_cm_event_kind kind);
/* The next completion, which must be a success. */
struct iba_wc end_completion(struct end *e);
/* Handles frames and timers of the wire for so long. */
void end_serve(struct end *e, double seconds);
iba_time end_now(void);

/* ---- connect.c ---- */
enum ports { TCP_SPACE = 0x0106, UDP_SPACE = 0x0111 };
struct pair *end_pair(struct end *e, enum iba_qp_type type);
struct pair *end_pair_of(struct end *e, uint32_t id); /* of the connection; NULL: none */
void end_drop_pair(struct end *e, struct pair *p);
void end_listen(struct end *e, enum ports space, unsigned port);
/* Sends a REQ; READs and ATOMICs: one each way. */
void end_connect(struct end *e, struct pair *p, unsigned port, unsigned retries);
/* Sends a REQ with private data after the header of the RDMA IP CM service. */
void end_connect_with(struct end *e, struct pair *p, unsigned port, unsigned retries, const void *private_data,
                      size_t n);
/* After the events REP: the pair is ready, an RTU leaves. */
void end_confirm(struct end *e, struct pair *p);
/* After an event REQ. `private_data` may be NULL. */
void end_accept(struct end *e, struct pair *p, uint32_t id, const void *private_data, size_t n);
/* After the event ESTABLISHED */
void end_established(struct end *e, struct pair *p);
/* Sends a DREQ, or after an event DREQ a DREP. */
void end_disconnect(struct end *e, uint32_t id);
/* Answers the peer's DREQ; if none comes, disconnects. */
void end_leave(struct end *e, uint32_t id);
/* A SIDR_REQ to the service. */
void end_resolve(struct end *e, unsigned port);
/* Makes a datagram pair ready. */
void end_ready(struct end *e, struct pair *p, uint32_t qkey);

void end_post_recv(struct end *e, const struct pair *p, size_t at, uint32_t n);
void end_post_send(struct end *e, const struct pair *p, size_t at, uint32_t n);
void end_post(struct end *e, const struct pair *p, struct iba_send_wr *wr, size_t at, uint32_t n);

/* ---- the programs ---- */
struct play {
    bool server;
    unsigned port;                     /* 0: the program's own */
    unsigned count, connections, size; /* riostream: transfers of a round, rounds */
};
void play_rping(struct end *e, const struct play *p);
void play_ucmatose(struct end *e, const struct play *p);
void play_cmtime(struct end *e, const struct play *p);
void play_udaddy(struct end *e, const struct play *p);
void play_riostream(struct end *e, const struct play *p);
void play_client(struct end *e, const struct play *p);  /* rdma_client, rdma_server */
void play_xclient(struct end *e, const struct play *p); /* rdma_xclient, rdma_xserver */
#endif
