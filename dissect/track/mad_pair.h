/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of management datagrams and their responses. The number is bounded: among requests with the same hash, a new
 * one replaces the oldest. */
#ifndef DISSECT_MAD_PAIR_H
#define DISSECT_MAD_PAIR_H
#include "field/bound.h"
#include "field/packet.h"
#include "track/addr.h"

enum { MAD_REQUESTS = BOUND(4096, 32) };

/* A request that may be answered, with its source, destination and transaction. */
struct mad_request {
    struct stat_addrs addrs;
    uint64_t transaction, frame;
    int64_t ns;
    uint32_t source; /* index of the file that the frame came from */
    uint16_t p_key;
    uint16_t attribute; /* the attribute, if one transaction has several exchanges; else 0 */
    uint8_t class;
    bool used, answered, has_time;
};
struct mad_pairs {
    struct mad_request request[MAD_REQUESTS]; /* each request is near the place that its transaction's hash gives */
    uint64_t unanswered, lost;                /* lost: requests that were replaced because the table was full */
};

/* The request that the datagram with header `h` answers; `first`: this is the first response. NULL when the datagram is
 * a request itself, or its request is unknown. `h`: the whole common header. */
const struct mad_request *mad_pair(struct mad_pairs *t, const struct packet *p, const struct iba_mad *m,
                                   const uint8_t *h, bool *first);
#endif
