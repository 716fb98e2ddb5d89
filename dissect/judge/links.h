/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings that need several links of a subnet: what a switch does with a packet, between the port that it enters by
 * and the one that it leaves by. Interfaces of the capture become ports by the management datagrams on them
 * (track/fabric.h), and tables of switches are known by their agents' answers; without these nothing is judged. The
 * clocks of the interfaces must agree, since order of frames is order of events. */
#ifndef DISSECT_LINKS_H
#define DISSECT_LINKS_H
#include "field/packet.h"
#include "observer/iba_finding.h"

struct links;

struct links_config {
    void (*report)(void *ctx, const struct iba_finding *f);
    void *ctx;
};
struct links_sighting {
    const struct packet *p; /* checked */
    uint64_t tag;           /* findings give it back with the frame */
    iba_time now;
};

/* NULL when out of memory. Owned: links_close(). */
struct links *links_open(const struct links_config *cfg);
/* NULL is allowed. */
void links_close(struct links *l);
void links_packet(struct links *l, const struct links_sighting *s);
/* Reports the packets that did not leave their switch. */
void links_end(struct links *l, iba_time now);
#endif
