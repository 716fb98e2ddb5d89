/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings that need several links of a subnet: what a switch does with a packet between the port that it enters by and
 * the port that it leaves by. Management datagrams show which port an interface of the capture belongs to
 * (track/fabric.h), and answers of agents show the tables of switches. Without these nothing is judged. The clocks of
 * the interfaces must agree, since the order of frames is taken for the order of events. */
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
    const struct packet *p; /* its CRCs are checked */
    uint64_t tag;           /* findings return it with the frame */
    iba_time now;
};

/* NULL when out of memory. Owned: links_close(). */
struct links *links_open(const struct links_config *cfg);
/* Frees the state; NULL is allowed. */
void links_close(struct links *l);
void links_packet(struct links *l, const struct links_sighting *s);
/* Reports packets that did not leave their switch, at the end of the run. */
void links_end(struct links *l, iba_time now);
#endif
