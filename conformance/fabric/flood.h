/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic from every adapter to every other at once, so that packets wait for each other and for credits. */
#ifndef IBF_FLOOD_H
#define IBF_FLOOD_H
#include "subnet.h"

struct flood_config {
    uint32_t packets; /* packets from each adapter port that has a LID to the base LID of each other one */
    uint16_t sls;     /* set of service levels, as bits: each packet has one of them at random */
    /* static rate: packets to one destination begin (ipd + 1) times the length of a packet apart */
    uint8_t ipd;
    uint32_t payload_most; /* longest payload in bytes, a multiple of 4; the shortest has 256 */
    uint64_t seed;         /* seed of the random sizes and service levels */
    bool intervals;        /* until the end, flow-control packets are also sent at regular intervals */
};
struct flood_sum {
    uint64_t sent;
    uint64_t delivered; /* packets that arrived at a port which has their LID */
    uint64_t twice;     /* packets that arrived more than once */
    uint64_t astray;    /* packets that arrived at another port */
    uint64_t waiting;   /* packets that are in the queues of data lanes at the end */
    uint64_t unsent;    /* packets that are not sent at the end, since the queue of their adapter is full */
    iba_time took;      /* virtual time until the last packet moved */
};
/* Sends the traffic, and lets time pass until all packets have arrived, or no packet has moved for longer than any
 * lifetime. Routes may lead in a circle, where a packet would move without end: it is discarded after PROBE_HOPS hops.
 * False: no memory. */
bool flood(struct subnet *s, const struct flood_config *c, struct flood_sum *sum);
#endif
