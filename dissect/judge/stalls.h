/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: how long a lane had no credits, as flow-control packets of the neighbour show (section 7.9,
 * KM-48). The time ends at the last flow-control packet that refuses, not at the first that grants. If the capture
 * missed one that granted more, later ones would not refuse, since limits only grow. */
#ifndef DISSECT_STALLS_H
#define DISSECT_STALLS_H
#include "field/packet.h"
#include "observer/iba_observer.h"
#include "track/fabric.h"

struct stall_lane {
    bool known;                /* the credits of the lane are known */
    iba_time since;            /* when the last packet on this lane left */
    uint16_t left, refused;    /* left: credits now; refused: credits before they last grew */
    struct iba_obs_mark heard; /* the last frame that showed the credits `left` */
    /* the last frame that showed the credits `refused`; frame 0: credits have not grown since the last packet */
    struct iba_obs_mark last;
};
struct stalls {
    struct stall_lane lane[FABRIC_SENDERS][FABRIC_LANES];
};

/* Follows a packet of that sender. Called after fabric_packet(), and after the packet was judged. */
void stalls_packet(struct stalls *t, const struct fabric *f, const struct fabric_sender *s,
                   const struct iba_obs_mark *now, const struct packet *p);
/* The last flow-control packet that granted the lane less than `blocks`, if all such packets since `*since` did. If the
 * lane's last packet left after `*since`, `*since` becomes that time. NULL: none is known. */
const struct iba_obs_mark *stalls_of(const struct stalls *t, const struct fabric *f, const struct fabric_sender *s,
                                     unsigned vl, unsigned blocks, iba_time *since);
#endif
