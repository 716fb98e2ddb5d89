/* SPDX-License-Identifier: BSD-2-Clause */
/* Two engines with a lossy network between them, on virtual time: all that a test or an experiment needs before its
 * first work request.
 *
 *     static struct iba_pair p;                                        a megabyte: static, or allocated
 *     iba_pair_open(&p, 1, &(struct iba_net_faults){.lose = 100000}, memory, sizeof memory[0]);
 *     iba_pair_connect(&p, &(struct iba_pair_qp){.pmtu = IBA_MTU_1024, .timeout = 8, .retry = 7}, qpn);
 *     iba_post_send(&p.end[1].ca, qpn[1], &wr);                         the ordinary verbs, at either end
 *     if (iba_pair_wait(&p, 1, &wc)) ...                                runs time until end 1 has a completion
 *
 * Each end is an adapter with one RoCEv2 port (10.0.0.1 and 10.0.0.2), a protection domain, a completion queue, and a
 * region over the caller's memory with all rights of RC, at the address IBA_PAIR_VA. The same seed and the same calls
 * give the same packets at the same times. No function here allocates. After a caller's mistake a function
 * returns the enum iba_verb_err or iba_mem_err of the verb that refused. */
#ifndef IBA_PAIR_H
#define IBA_PAIR_H
#include "adapter/iba_ca.h"
#include "sim/iba_net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { IBA_PAIR_QPS = 8, IBA_PAIR_DEPTH = 64, IBA_PAIR_SAVED = 16, IBA_PAIR_FLIGHT = 256 };
#define IBA_PAIR_VA UINT64_C(0x100000)

struct iba_pair_end { /* the members after `rkey` are the adapter's tables */
    struct iba_ca ca;
    uint32_t pd, cq, lkey, rkey; /* lkey, rkey: of the region, whose bytes have the addresses IBA_PAIR_VA + offset */
    struct iba_random random;
    struct iba_qp *qps[2 * IBA_PAIR_QPS], qp[IBA_PAIR_QPS];
    struct iba_cq *cqs[2], own_cq;
    struct iba_mkey keys[8];
    uint32_t pds[2], n_qp;
    struct iba_wc wc[2 * IBA_PAIR_QPS * IBA_PAIR_DEPTH];
    struct iba_sqe sq[IBA_PAIR_QPS][IBA_PAIR_DEPTH];
    struct iba_recv_wr rq[IBA_PAIR_QPS][IBA_PAIR_DEPTH];
    struct iba_saved saved[IBA_PAIR_QPS][IBA_PAIR_SAVED];
};
struct iba_pair {
    struct iba_pair_end end[2];
    struct iba_net net; /* end 0 is side 0 of the network; `log` may be set after iba_pair_open() */
    iba_time now;       /* ns, from 0 */
    /* Optional, for a capture: called for each frame that leaves an end, before the network loses or changes it. */
    void (*sent)(void *ctx, unsigned from, const uint8_t *frame, size_t len, iba_time now);
    void *ctx;
    struct iba_net_slot slot[IBA_PAIR_FLIGHT];
    uint8_t bytes[IBA_PAIR_FLIGHT * IBA_TX_MOST], frame[IBA_TX_MOST];
};
struct iba_pair_qp {   /* of both ends */
    enum iba_mtu pmtu; /* IBA_MTU_256 .. IBA_MTU_4096 */
    uint8_t timeout;   /* ACK timeout 4.096 us * 2^timeout, 0 .. 31; 0: no timer (RQ-18) */
    uint8_t retry;     /* retry count, 0 .. 7 (RQ-22) */
};

/* Prepares both ends and the network. memory[i] has `size` bytes and becomes the region of end i; it must live as long
 * as the pair is used. `faults` NULL: the network has no faults. Returns 0, or the error of the first verb that failed.
 */
int iba_pair_open(struct iba_pair *p, uint64_t seed, const struct iba_net_faults *faults, void *const memory[2],
                  uint64_t size);
/* Makes a reliable connection: a queue pair at each end, both in Ready to Send. qpn[i] becomes the QP number at end i.
 * Returns 0, or the error of the first verb that failed. IBA_VERB_FULL: the pair has IBA_PAIR_QPS connections already.
 */
int iba_pair_connect(struct iba_pair *p, const struct iba_pair_qp *how, uint32_t qpn[2]);
/* Handles everything that is due now, then moves the time to the next deadline. False: nothing is due, now or later,
 * until the caller calls a verb. */
bool iba_pair_step(struct iba_pair *p);
/* Steps until that end has a completion, and takes it. False: the end has no completion, and no step is left. */
bool iba_pair_wait(struct iba_pair *p, unsigned end, struct iba_wc *wc);

/* ---- one end, for a caller that carries its packets himself; errors as above ---- */

struct iba_pair_peer { /* the other end of a connection */
    uint64_t mac;
    uint8_t gid[16];
    uint32_t qpn, psn; /* number of the peer's queue pair, and the first PSN that it sends */
};
/* Prepares the adapter, the port with these addresses, and a region of `size` bytes at `memory`. */
int iba_pair_end_open(struct iba_pair_end *e, uint64_t seed, uint64_t mac, const uint8_t gid[16], void *memory,
                      uint64_t size);
/* Creates a queue pair for a reliable connection, in Reset. IBA_VERB_FULL: the end has IBA_PAIR_QPS queue pairs
 * already. */
int iba_pair_end_create_qp(struct iba_pair_end *e, uint32_t *qpn);
/* Takes the queue pair from Reset to Ready to Send. `psn` is the first PSN that the queue pair sends. */
int iba_pair_end_connect(struct iba_pair_end *e, uint32_t qpn, const struct iba_pair_qp *how,
                         const struct iba_pair_peer *peer, uint32_t psn);

#ifdef __cplusplus
}
#endif

#endif
