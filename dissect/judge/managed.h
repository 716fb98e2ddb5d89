/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: findings on datagrams of subnet management that need the link which they cross: traps that come
 * again, M_Keys, managers that hand over. Bounded: a new datagram takes the place of an older one. */
#ifndef DISSECT_MANAGED_H
#define DISSECT_MANAGED_H
#include "field/bound.h"
#include "field/packet.h"
#include "observer/iba_finding.h"
#include "track/fabric.h"

enum { MANAGED_SEEN = BOUND(1024, 8) };

struct managed_frame {
    uint64_t frame, tag;
    iba_time at;
};
struct managed_seen { /* a trap, a handover, a Set with another M_Key */
    uint64_t transaction;
    struct managed_frame sent, repress; /* repress: the TrapRepress that reached the agent; frame 0: none did */
    iba_time ended;                     /* no repeat may come from then on */
    const struct fabric_sender *on;     /* the first link that had it; of a Set the last one */
    uint16_t slid, node;                /* node: of a Set */
    uint8_t kind;
    uint8_t content[54]; /* of a trap: its notice */
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
