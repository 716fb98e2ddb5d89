/* SPDX-License-Identifier: BSD-2-Clause */
/* Which worker gets a packet: all packets between two addresses go to the same one. */
#ifndef DISSECT_JOBS_DEAL_H
#define DISSECT_JOBS_DEAL_H
#include <pthread.h>
#include "wire/iba_endpoints.h"

enum { DEAL_PAIRS = 4096, DEAL_SLOTS = 2 * DEAL_PAIRS, DEAL_WORKERS = 64 };

struct deal_pair {
    uint64_t low[2], high[2]; /* the two addresses in order */
    uint8_t kind, worker;     /* kind: enum iba_addr_kind */
};
struct deal {
    uint64_t seed;
    unsigned workers, n;
    uint64_t load[DEAL_WORKERS]; /* packets, and an estimate for each new pair */
    struct deal_shared *shared;  /* decides about new pairs; NULL: this one does */
    uint16_t slot[DEAL_SLOTS];   /* index of a pair plus 1 */
    struct deal_pair pair[DEAL_PAIRS];
};
/* Several threads deal packets out: each remembers the pairs that it has seen. */
struct deal_shared {
    pthread_mutex_t lock;
    struct deal deal;
};

/* The worker; DEAL_WORKERS: there are too many pairs of addresses. */
unsigned deal_ends(struct deal *d, const struct iba_endpoints *e);
/* Whether the frame is plainly RoCEv2 in Ethernet and IPv4, and no datagram, without parsing it. False: it is not that,
 * or it must be parsed to tell. */
bool deal_is_plain(const uint8_t *frame, uint32_t caplen);
unsigned deal_plain(struct deal *d, const uint8_t *frame); /* of such a frame */
/* Of a thread: what it has dealt out counts where new pairs go. */
void deal_count(struct deal *d);
#endif
