/* SPDX-License-Identifier: BSD-2-Clause */
/* The rounds of a collective: bursts of the same hosts, each with the same requests, separated by silence. Finds where
 * rounds begin, and which host begins last. */
#ifndef DISSECT_STATS_ROUNDS_H
#define DISSECT_STATS_ROUNDS_H
#include <stdbool.h>
#include <stdint.h>
#include "field/bound.h"

/* ROUND_HOSTS: hosts that send requests, the first ones. ROUND_BURSTS: when there are more bursts, those with the
 * shortest silence between them are joined. */
enum { ROUND_HOSTS = BOUND(64, 4), ROUND_BURSTS = BOUND(1024, 8), ROUND_LEAST_HOSTS = 3, ROUNDS_LEAST = 5 };

struct round_part { /* the part of one host in a burst */
    uint64_t begin; /* time of the host's first request, ns; valid with packets > 0 */
    uint64_t packets, bytes;
};
struct burst {
    uint64_t begin, end;
    struct round_part part[ROUND_HOSTS];
};
struct rounds {
    uint64_t quiet; /* silences shorter than this belong to a burst; 0: the value at the beginning */
    unsigned n;     /* bursts */
    bool others;    /* further hosts send requests, too */
    struct burst burst[ROUND_BURSTS];
};

/* Takes the next packet; times do not step back. `host` is the number of the host if the packet is a request that is
 * sent for the first time, ROUND_HOSTS for all other packets. `bytes`: of payload. */
void rounds_packet(struct rounds *r, unsigned host, uint64_t ns, uint64_t bytes);
/* Joins bursts until they repeat: then r->n is the number of rounds, and the function returns true. The bursts at the
 * two ends may be cut. Of the others nine of ten have the same hosts, with the same number of request packets and bytes
 * for each host. */
bool rounds_find(struct rounds *r);
/* The round that the others are compared with; rounds_find() has returned true. */
const struct burst *rounds_pattern(const struct rounds *r);

struct round_host {
    unsigned last; /* rounds in which this host began last */
    /* sums, ns. after: from the first host's begin to this host's; waits: from this host's begin to the last host's */
    uint64_t after, waits;
    /* sum over rounds in which this host began last: time since the begin of the host before it */
    uint64_t behind;
};
/* Adds up, for each host, the rounds that are like the pattern; `to` has ROUND_HOSTS rows. Returns the number of these
 * rounds. */
unsigned rounds_count(const struct rounds *r, struct round_host *to);
#endif
