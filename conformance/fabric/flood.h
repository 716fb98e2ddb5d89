/* SPDX-License-Identifier: BSD-2-Clause */
/* Traffic of every adapter to every other at once: packets wait for each other and for credits. */
#ifndef IBF_FLOOD_H
#define IBF_FLOOD_H
#include "subnet.h"

struct flood_config {
    uint32_t packets;      /* from each adapter port with a LID to the base LID of each other */
    uint16_t sls;          /* service levels, as bits: each packet has one of them */
    uint8_t ipd;           /* static rate of each: (ipd + 1) times a packet's length between those of one destination */
    uint32_t payload_most; /* bytes: packets have 256 to this many, a multiple of 4 */
    uint64_t seed;         /* of sizes and service levels */
    bool intervals;        /* flow-control packets come also at regular intervals, until the end */
};
struct flood_sum {
    uint64_t sent;
    uint64_t delivered; /* to a port that has the LID */
    uint64_t twice;     /* more often than once */
    uint64_t astray;    /* to another port */
    uint64_t waiting;   /* in queues of data lanes, at the end */
    uint64_t unsent;    /* at the end: no room in the queue of their adapter */
    iba_time took;      /* until the last one moved, of virtual time */
};
/* Time passes until all packets have arrived, or none moved for longer than any lifetime. False: no memory. */
bool flood(struct subnet *s, const struct flood_config *c, struct flood_sum *sum);
#endif
