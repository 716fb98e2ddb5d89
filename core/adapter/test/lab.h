/* SPDX-License-Identifier: BSD-2-Clause */
/* A small subnet for tests: up to four adapters on one virtual clock, joined by a switch without losses and delay.
 * Tests can read the packets on the wire. A tap, if a test sets one, can change or drop packets. */
#ifndef IBA_TEST_LAB_H
#define IBA_TEST_LAB_H
#include "adapter/iba_ca.h"

enum {
    LAB_ENDS = 4,
    LAB_QPS = 8,    /* an adapter can have */
    LAB_DEPTH = 32, /* work requests of a queue */
    LAB_KEYS = 32,
    LAB_SAVED = 4, /* READs and ATOMICs a responder remembers */
    LAB_BYTES = 64 * 1024,
    LAB_GUARD = 64, /* bytes of 0xA5 around the region */
    LAB_EVENTS = 64,
    LAB_SEEN = 512
};
#define LAB_VA UINT64_C(0x100000) /* the address at which each end's region begins */
#define LAB_QKEY 0x1234u
#define LAB_MS UINT64_C(1000000) /* ns */
#define LAB_SECOND UINT64_C(1000000000)

struct lab_qp {
    struct iba_qp qp;
    struct iba_sqe sq[LAB_DEPTH];
    struct iba_recv_wr rq[LAB_DEPTH];
    struct iba_saved saved[LAB_SAVED];
};
struct lab_end {
    struct iba_ca ca;
    struct lab_qp qp[LAB_QPS];
    uint32_t n_qp, n_event;
    struct iba_event event[LAB_EVENTS];
    struct iba_qp *qps[2 * LAB_QPS];
    struct iba_cq *cqs[4], cq;
    struct iba_srq *srqs[2], srq;
    struct iba_recv_wr srq_ring[LAB_DEPTH];
    struct iba_ah ahs[8];
    struct iba_mcast mcasts[8];
    struct iba_mkey keys[LAB_KEYS];
    uint32_t pds[4], pd, cqn, lkey, rkey;
    struct iba_wc ring[8 * LAB_DEPTH];
    uint8_t *room; /* guard, region, guard */
};
struct lab_seen { /* one packet on the wire */
    iba_time at;
    unsigned from;
    uint8_t opcode, syndrome; /* syndrome: 0 without AETH */
    uint16_t pkey;
    uint32_t psn, payload;
    bool fecn, becn;
};
struct lab {
    struct lab_end end[LAB_ENDS];
    unsigned n;
    enum iba_port_kind kind;
    iba_time now;
    uint64_t random;
    struct lab_seen seen[LAB_SEEN]; /* the first LAB_SEEN packets since lab_forget() */
    unsigned n_seen;
    /* Called for each packet before it is delivered; false drops it. It may change the packet and must then repair the
     * CRCs. */
    bool (*tap)(struct lab *l, unsigned from, uint8_t *frame, struct iba_view *v);
    unsigned tapped; /* a counter for taps */
};

struct lab *lab_open(enum iba_port_kind kind, unsigned n);
void lab_close(struct lab *l); /* also checks every invariant and guard */
static inline uint8_t *lab_memory(struct lab *l, unsigned end)
{
    return l->end[end].room + LAB_GUARD;
}
struct iba_av lab_av(const struct lab *l, unsigned from, unsigned to, bool grh);
/* Returns valid values for every attribute. */
struct iba_qp_attr lab_attr(void);
uint32_t lab_qp(struct lab *l, unsigned end, enum iba_qp_type type, uint32_t srq); /* in Reset */
/* Takes one side of a connection to RTS; `a` also gives the P_Key index and the like. */
void lab_connect_one(struct lab *l, unsigned from, uint32_t qpn, unsigned to, uint32_t peer, struct iba_qp_attr a);
void lab_connect(struct lab *l, unsigned i, uint32_t qi, unsigned k, uint32_t qk, struct iba_qp_attr a);
/* Takes a UD, raw, SMI or GSI QP to RTS. */
void lab_ready(struct lab *l, unsigned end, uint32_t qpn, struct iba_qp_attr a);
uint32_t lab_ah(struct lab *l, unsigned from, unsigned to, bool grh);

/* Delivers all packets and runs all timers up to the time `until`, to which it then sets the clock. */
void lab_run(struct lab *l, iba_time until);
/* Runs for a short time, which suffices for everything that does not wait for a timer. */
static inline void lab_settle(struct lab *l)
{
    lab_run(l, l->now);
}
void lab_recv(struct lab *l, unsigned end, uint32_t qpn, uint64_t wr_id, uint64_t at, uint32_t length);
/* Posts a signaled send with one entry, in the region of its own end. */
enum iba_verb_err lab_send(struct lab *l, unsigned end, uint32_t qpn, struct iba_send_wr wr, uint64_t at,
                           uint32_t length);
/* lab_wc() returns the end's next completion, which must exist. lab_no_wc() checks that there is no completion. */
struct iba_wc lab_wc(struct lab *l, unsigned end);
void lab_no_wc(struct lab *l, unsigned end);
/* Returns the end's next completion, which must have this `wr_id` and `status`. */
struct iba_wc lab_done(struct lab *l, unsigned end, uint64_t wr_id, enum iba_wc_status status);
unsigned lab_events(const struct lab *l, unsigned end, enum iba_event_kind kind);
enum iba_qp_state lab_state(const struct lab *l, unsigned end, uint32_t qpn);
/* Returns how many packets with this opcode the test saw on the wire. */
unsigned lab_count(const struct lab *l, uint8_t opcode);
/* Returns packet number `nth`, from 0, among those with this opcode; NULL if there is none. */
const struct lab_seen *lab_find(const struct lab *l, uint8_t opcode, unsigned nth);
static inline void lab_forget(struct lab *l)
{
    l->n_seen = 0;
}
#endif
