/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the page of merged summaries: the sums that it shows, and its parts. */
#ifndef DISSECT_PAGE_MERGED_H
#define DISSECT_PAGE_MERGED_H
#include "page/collected.h"
#include "summary/summary.h"

enum { MERGED_WORST = 24, MERGED_PAIRS = 32, MERGED_HOSTS = 16, MERGED_BINS = 256 };

/* All packets from one address to another. */
struct merged_pair {
    uint8_t kind, src[IBA_ADDR_MOST], dst[IBA_ADDR_MOST];
    uint64_t directions, packets, payload, again, bad; /* bad: errors and warnings */
    uint64_t first_ns, last_ns;                        /* the time of the connections; 0: no packet has a time */
};
/* A connection, and the sums of both directions. */
struct merged_connection {
    struct summary_ends ends;
    struct summary_sides sides;
    uint64_t first_ns, last_ns, bad, again;
};
struct merged {
    const struct summary *s;
    struct merged_pair *pair; /* sorted: the most payload first */
    size_t n_pair;
    struct perf_shares limits;                    /* of reliable services */
    struct merged_connection worst[MERGED_WORST]; /* connections with errors, warnings or repeats; the most first */
    unsigned n_worst;
    uint64_t connections, bad_connections, several; /* several: connections that captures of several hosts show */
    uint64_t severity[IBA_ERROR + 1];
};

/* Collects the sums of a sorted summary. False: out of memory. The caller frees m->pair. */
bool merged_collect(struct merged *m, const struct summary *s);
/* The largest number of hosts that send to one host at the same time; *to: a pair with that host as target. */
unsigned merged_incast(const struct merged *m, const struct merged_pair **to);
/* merged_hosts.c: host by host, as a table of pairs and as a matrix of the hosts with the most payload */
void merged_hosts(const struct merged *m, struct out *o);
/* merged_page.c: "10.0.0.1 QP 0x000011" of the end 0 or 1 */
void merged_end(struct out *o, const struct summary_ends *e, unsigned which);
#endif
