/* SPDX-License-Identifier: BSD-2-Clause */
/* Two adapters with QPs of every type, driven one random step at a time. */
#ifndef IBA_TEST_CHAOS_H
#define IBA_TEST_CHAOS_H
#include "adapter/iba_ca.h"
#include "sim/iba_mutate.h"

enum {
    CHAOS_QPS =
        19, /* objects of an adapter; the QP of an index has the same type on both adapters, and is the other's peer */
    CHAOS_DEPTH = 12, /* work requests of a queue */
    CHAOS_CQS = 4,
    CHAOS_CQ_ROOM = 24,
    CHAOS_SRQS = 2,
    CHAOS_PDS = 2,
    CHAOS_AHS = 6,
    CHAOS_KEYS = 24,
    CHAOS_SAVED = 3,
    CHAOS_PLOTS = 12, /* slots for regions, PLOT bytes each */
    CHAOS_PLOT = 3 * 4096,
    CHAOS_WINDOWS = 6,
    CHAOS_FLIGHT = 32, /* frames on the wire */
    CHAOS_CANARY = 32, /* guard bytes after each ring */
};

struct chaos_qp { /* memory lent to the adapter, with guard bytes after each array that must not change */
    struct iba_qp qp;
    uint8_t after_qp[CHAOS_CANARY];
    struct iba_sqe sq[CHAOS_DEPTH];
    uint8_t after_sq[CHAOS_CANARY];
    struct iba_recv_wr rq[CHAOS_DEPTH];
    uint8_t after_rq[CHAOS_CANARY];
    struct iba_saved saved[CHAOS_SAVED];
    uint8_t after_saved[CHAOS_CANARY];
    uint32_t qpn;
    bool alive;
};
struct chaos_cq {
    struct iba_cq cq;
    struct iba_wc ring[CHAOS_CQ_ROOM];
    uint8_t after[CHAOS_CANARY];
    uint32_t number;
    bool alive;
};
struct chaos_srq {
    struct iba_srq srq;
    struct iba_recv_wr ring[CHAOS_DEPTH];
    uint8_t after[CHAOS_CANARY];
    uint32_t number;
    bool alive;
};
struct chaos_plot { /* a region, or an empty slot for one */
    uint64_t from, length, va;
    uint32_t lkey, rkey;
    uint16_t access;
    bool alive;
    uint8_t present;
};
struct chaos_end {
    struct iba_ca ca;
    struct chaos_qp qp[CHAOS_QPS];
    struct chaos_cq cq[CHAOS_CQS];
    struct chaos_srq srq[CHAOS_SRQS];
    struct chaos_plot plot[CHAOS_PLOTS];
    uint32_t pd[CHAOS_PDS], ah[CHAOS_AHS], window[CHAOS_WINDOWS];
    bool ah_alive[CHAOS_AHS];
    struct iba_qp *qps[2 * CHAOS_QPS];
    struct iba_cq *cqs[CHAOS_CQS];
    struct iba_srq *srqs[CHAOS_SRQS];
    struct iba_ah ahs[CHAOS_AHS];
    struct iba_mcast mcasts[4];
    struct iba_mkey keys[CHAOS_KEYS];
    uint32_t pds[CHAOS_PDS];
    uint8_t memory[CHAOS_PLOTS * CHAOS_PLOT], observer[CHAOS_PLOTS * CHAOS_PLOT];
};
struct chaos_frame {
    size_t len;
    uint8_t to;
    uint8_t bytes[IBA_TX_MOST];
};
struct chaos {
    struct chaos_end end[2];
    struct iba_random r;
    enum iba_port_kind kind;
    bool v6;
    enum iba_link link;
    iba_time now;
    struct chaos_frame flight[CHAOS_FLIGHT];
    unsigned n_flight;
    uint8_t payload[1200]; /* of crafted packets */
    uint64_t hash;
    uint64_t fed, completions, successes, events; /* counts that prove that the run did something */
};

static inline uint64_t chaos_below(struct chaos *c, uint64_t n)
{
    return iba_random_below(&c->r, n);
}
static inline bool chaos_one_in(struct chaos *c, uint64_t n)
{
    return chaos_below(c, n) == 0;
}
/* Adds to the trace, which is a hash of what the adapters do: packets, completions, events, results of verbs, and
 * memory at the end. */
void chaos_hash(struct chaos *c, const void *data, size_t n);
void chaos_result(struct chaos *c, unsigned result);

/* chaos_world.c */
struct chaos *chaos_open(uint64_t seed);
void chaos_close(struct chaos *c);
/* Asserts all invariants of both adapters, and that all memory outside their regions is unchanged. */
void chaos_check(struct chaos *c);
/* Asserts only that memory around the lent arrays is unchanged: changed devices need not keep the rest. */
void chaos_check_lent(const struct chaos *c);
/* chaos_step.c: one random event. */
void chaos_step(struct chaos *c);
enum iba_qp_type chaos_type(unsigned qp);
struct iba_av chaos_av(struct chaos *c, unsigned from);
/* These functions create and destroy objects. */
void chaos_make_qp(struct chaos *c, unsigned end, unsigned i);
void chaos_unmake_qp(struct chaos *c, unsigned end, unsigned i);
void chaos_make_region(struct chaos *c, unsigned end, unsigned i);
void chaos_unmake_region(struct chaos *c, unsigned end, unsigned i);
void chaos_cq(struct chaos *c, unsigned end, unsigned i);
void chaos_srq(struct chaos *c, unsigned end, unsigned i);
/* Returns whether the region is in force; unless by chance, it must also be writable and have no absent pages. */
bool chaos_usable(struct chaos *c, unsigned end, const struct chaos_plot *p);
/* Brings the two QPs of that index to RTS, with each other as peers. */
void chaos_connect(struct chaos *c, unsigned i);

/* chaos_packet.c: writes a packet that a QP at `end` could get. Most are well formed, and near what the QP expects. */
size_t chaos_craft(struct chaos *c, unsigned end, uint8_t *buf, size_t cap);
/* Calls a verb with random arguments. */
void chaos_verb(struct chaos *c, unsigned end);
/* Draws an address, a length and a key; most often those of a region of that end. */
void chaos_place(struct chaos *c, unsigned end, bool remote, uint64_t most, uint64_t *va, uint32_t *length,
                 uint32_t *key);
#endif
