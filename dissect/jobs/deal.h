/* SPDX-License-Identifier: BSD-2-Clause */
/* Which worker gets a packet: all packets between two addresses go to the same one. */
#ifndef DISSECT_JOBS_DEAL_H
#define DISSECT_JOBS_DEAL_H
#include <pthread.h>
#include "wire/iba_endpoints.h"

enum {
    DEAL_PAIRS = 4096,
    DEAL_SLOTS = 2 * DEAL_PAIRS,
    DEAL_WORKERS = 64,
    DEAL_QUICK_BITS = 10,
    DEAL_QUICK = 1 << DEAL_QUICK_BITS
};

struct deal_pair {
    uint64_t low[2], high[2]; /* the two addresses in order */
    uint8_t kind, worker;     /* kind: enum iba_addr_kind */
};
/* The worker of a pair of IPv4 addresses, remembered for plain packets. */
struct deal_quick {
    uint64_t pair; /* 0: none */
    uint8_t worker;
};
struct deal {
    uint64_t seed;
    unsigned workers, n;
    uint64_t load[DEAL_WORKERS]; /* packets of each worker, and an estimate for each new pair */
    struct deal_shared *shared;  /* decides about new pairs; NULL: this structure decides itself */
    uint16_t slot[DEAL_SLOTS];   /* index of a pair plus 1 */
    struct deal_pair pair[DEAL_PAIRS];
    struct deal_quick quick[DEAL_QUICK];
};
/* The state that threads share when they deal packets out. Each thread remembers the pairs of addresses that it has
 * seen. */
struct deal_shared {
    pthread_mutex_t lock;
    struct deal deal;
};

/* The worker that gets packets between these ends; DEAL_WORKERS: there are too many pairs of addresses. */
unsigned deal_ends(struct deal *d, const struct iba_endpoints *e);
/* Whether the frame is plainly RoCEv2 in Ethernet and IPv4, and no datagram, as far as that is seen without parsing.
 * False: it is something else, or only parsing shows what it is. */
bool deal_is_plain(const uint8_t *frame, uint32_t caplen);
/* the worker of a frame for which deal_is_plain() is true */
unsigned deal_plain(struct deal *d, const uint8_t *frame);
/* Adds the packets that a thread has dealt out to the shared load, which decides where new pairs go. */
void deal_count(struct deal *d);
#endif
