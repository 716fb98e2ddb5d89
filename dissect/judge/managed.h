/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: findings on datagrams of subnet management for which the link that carries them matters: traps
 * that are repeated, M_Keys, handovers between managers. The number is bounded: a new datagram takes the place of an
 * older one. */
#ifndef DISSECT_MANAGED_H
#define DISSECT_MANAGED_H
#include "field/bound.h"
#include "field/packet.h"
#include "observer/iba_finding.h"
#include "observer/iba_observer.h"
#include "track/fabric.h"

enum { MANAGED_SEEN = BOUND(1024, 8) };

struct managed_seen { /* a trap, a handover, a Set with another M_Key */
    uint64_t transaction;
    struct iba_obs_mark sent, repress; /* repress: the TrapRepress that reached the agent; frame 0: none reached it */
    iba_time ended;                    /* from this time on the trap must not be repeated */
    const struct fabric_sender *on;    /* the link where the datagram was seen first; of a Set the last link */
    uint16_t slid, node;               /* node: the node that a Set is for */
    uint8_t kind;
    uint8_t content[54]; /* of a trap: the content of its notice */
};
struct managed {
    struct managed_seen seen[MANAGED_SEEN];
};
struct managed_sighting {
    const struct packet *p;
    const struct fabric *fabric;
    uint64_t tag;
    iba_time now;
    void (*report)(void *ctx, const struct iba_finding *f);
    void *ctx;
};
void managed_packet(struct managed *m, const struct managed_sighting *s);
#endif
