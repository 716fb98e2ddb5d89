/* SPDX-License-Identifier: BSD-2-Clause */
/* Two adapters on one virtual clock, joined by a lossy network: the main property test of the engine. */
#ifndef IBA_TEST_PAIR_H
#define IBA_TEST_PAIR_H
#include <stdlib.h>
#include "adapter/iba_ca.h"
#include "sim/iba_net.h"

enum {
    PAIR_DEPTH = 32,    /* work requests a queue holds */
    PAIR_SLOTS = 16,    /* QPs, CQs, keys of an adapter */
    PAIR_SAVED = 4,     /* READs and ATOMICs a responder remembers */
    PAIR_FLIGHT = 1024, /* frames the network holds at most */
    PAIR_GUARD = 64,    /* bytes of 0xA5 around each region */
    PAIR_QKEY = 0x1234, /* of datagram QPs */
    PAIR_EARLIER = 2,   /* QPs that an end may have created before */
};

struct pair_end {
    struct pair *pair;
    struct iba_ca ca;
    struct iba_qp *qps[PAIR_SLOTS];
    struct iba_cq *cqs[PAIR_SLOTS];
    struct iba_srq *srqs[PAIR_SLOTS];
    struct iba_ah ahs[PAIR_SLOTS];
    struct iba_mcast mcasts[PAIR_SLOTS];
    struct iba_mkey keys[PAIR_SLOTS];
    uint32_t pds[PAIR_SLOTS];
    struct iba_cq cq;
    struct iba_wc ring[4 * PAIR_DEPTH];
    struct iba_qp qp, earlier[PAIR_EARLIER];
    struct iba_sqe sq[PAIR_DEPTH];
    struct iba_recv_wr rq[PAIR_DEPTH];
    struct iba_srq srq; /* of an XRC target, or as pair_config says; its ring is rq */
    struct iba_saved saved[PAIR_SAVED];
    struct iba_qp second, context; /* for RD: another QP, and the EE context of both QPs */
    struct iba_sqe second_sq[PAIR_DEPTH], context_sq[1];
    struct iba_recv_wr second_rq[PAIR_DEPTH];
    uint32_t pd, cqn, qpn, lkey, rkey, ah, srqn, second_qpn, eecn;
    uint64_t va;     /* the address of the region's first byte in local work requests: PAIR_VA, or as a test sets it */
    uint8_t *memory; /* PAIR_GUARD, region, PAIR_GUARD */
    size_t bytes;    /* of the region */
};

struct pair {
    struct pair_end end[2];
    struct iba_net net;
    struct iba_net_slot slot[PAIR_FLIGHT];
    uint8_t *frames;
    struct iba_random random;
    iba_time now;
    uint64_t hash;  /* a hash of every frame with its time, and of every completion, in order */
    uint64_t steps; /* frames delivered */
    enum iba_link link;
    bool waits;
    /* Optional, an observer: called for each frame when it leaves end `from`, and again when it arrives at the
     * other. */
    void (*tap)(void *ctx, unsigned from, bool arrived, const struct iba_view *v);
    /* Optional, with the same context: called for each decision of end `end` in its trace. */
    void (*decided)(void *ctx, unsigned end, const struct iba_rule *r);
    /* Optional, with the same context: returns false to keep a packet of the adapter of end `from` off the wire. */
    bool (*sends)(void *ctx, unsigned from, const struct iba_view *v);
    /* Optional, with the same context: takes each packet that arrives at end `to`, which gets it only by
     * pair_feed(). */
    void (*arrives)(void *ctx, unsigned to, const struct iba_view *v);
    /* With it: called at `due`, which it moves; IBA_NEVER: nothing to do. */
    void (*on_due)(void *ctx);
    iba_time due;
    void *tap_ctx;
};

struct pair_config {
    uint64_t seed;
    enum iba_port_kind kind;
    bool v6;               /* RoCEv2 over IPv6 */
    enum iba_qp_type type; /* XRC_INI: of end 0; end 1 is its target */
    enum iba_mtu mtu;
    uint32_t psn;
    uint8_t timeout, retry, rnr_retry, rd_depth;
    size_t bytes;     /* of each region */
    unsigned flight;  /* most frames in flight; 0: PAIR_FLIGHT */
    bool srq;         /* the QP of end 1 takes its receives from an SRQ */
    unsigned earlier; /* QPs that end 1 has created before, so that this one has another number */
    bool waits;       /* a full network delays its senders instead of dropping their packets */
    struct iba_net_faults faults;
};

/* The address at which both ends' regions begin, as remote and local work requests name it. */
#define PAIR_VA UINT64_C(0x10000)

/* A reliable connection whose link and first PSN come from the seed, with as many retries as possible */
struct pair_config pair_config_of(uint64_t seed, size_t bytes, const struct iba_net_faults *faults);
struct pair *pair_open(const struct pair_config *c);
void pair_close(struct pair *p);
static inline uint8_t *pair_memory(struct pair *p, unsigned end)
{
    return p->end[end].memory + PAIR_GUARD;
}
/* Runs until nothing is left to do or the time is `until`. Returns false if the run takes longer than any exchange
 * should. */
bool pair_run(struct pair *p, iba_time until);
/* Feeds the packet to the adapter of end `to` now. */
void pair_feed(struct pair *p, unsigned to, const struct iba_view *v);
/* Returns a completion of this end, and adds it to the hash; 0 if there is none. */
int pair_poll(struct pair *p, unsigned end, struct iba_wc *wc);
/* Returns whether the bytes before and after both regions are unchanged. */
bool pair_guards_hold(const struct pair *p);
void pair_post_recv(struct pair *p, unsigned end, uint64_t wr_id, uint64_t at, uint32_t length);
void pair_post_send(struct pair *p, unsigned end, struct iba_send_wr *wr, uint64_t at, uint32_t length);
/* Posts a receive in the same way to any QP of the end. */
void pair_post_recv_to(struct pair *p, unsigned end, uint32_t qpn, uint64_t wr_id, uint64_t at, uint32_t length);
void pair_post_send_by(struct pair *p, unsigned end, uint32_t qpn, struct iba_send_wr *wr, uint64_t at,
                       uint32_t length);
/* Returns a number from the environment variable. */
static inline unsigned pair_setting(const char *name, unsigned usual)
{
    const char *s = getenv(name);

    return s ? (unsigned)strtoul(s, NULL, 10) : usual;
}
#endif
