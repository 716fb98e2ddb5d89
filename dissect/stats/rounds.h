/* SPDX-License-Identifier: BSD-2-Clause */
/* Rounds of a collective: bursts of the same hosts, each with the same requests, and silence between. Where they begin,
 * and who begins last. */
#ifndef DISSECT_STATS_ROUNDS_H
#define DISSECT_STATS_ROUNDS_H
#include <stdbool.h>
#include <stdint.h>
#include "field/bound.h"

/* The first hosts that send requests; bursts: beyond them the shortest silences are forgotten. */
enum { ROUND_HOSTS = BOUND(64, 4), ROUND_BURSTS = BOUND(1024, 8), ROUND_LEAST_HOSTS = 3, ROUNDS_LEAST = 5 };

struct round_part { /* of one host */
    uint64_t begin; /* of its first request, ns; valid with packets > 0 */
    uint64_t packets, bytes;
};
struct burst {
    uint64_t begin, end;
    struct round_part part[ROUND_HOSTS];
};
struct rounds {
    uint64_t quiet; /* silences shorter than that are inside of a burst; 0: as at the beginning */
    unsigned n;     /* bursts */
    bool others;    /* there are requests of further hosts */
    struct burst burst[ROUND_BURSTS];
};

/* Takes the next packet; times do not step back. `host` is the number of the host that sends a request for the first
 * time, ROUND_HOSTS for all other packets. `bytes`: of payload. */
void rounds_packet(struct rounds *r, unsigned host, uint64_t ns, uint64_t bytes);
/* Joins bursts until they repeat: then r->n are the rounds, and true. Bursts at the two ends may be cut; nine of ten of
 * the rest have the same hosts, and of each host so many request packets and bytes. */
bool rounds_find(struct rounds *r);
/* The round that the others are compared with; there is one. */
const struct burst *rounds_pattern(const struct rounds *r);

struct round_host {
    unsigned last;         /* rounds that it began last */
    uint64_t after, waits; /* sums, ns: from the first host's begin to its own; from its own to the last host's */
    uint64_t behind;       /* of rounds that it began last: from the begin of the host before it */
};
/* Sums over the rounds that are like the pattern, for each host; `to` has ROUND_HOSTS rows. Returns how many rounds. */
unsigned rounds_count(const struct rounds *r, struct round_host *to);
#endif
