/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to judge/: how long a lane had no credits, as the flow-control packets of the neighbour say (section 7.9,
 * KM-48). The time counts up to the last of them that refuses, not up to the first that grants: if the capture missed
 * one that granted more, later ones would not refuse, since limits only grow. */
#ifndef DISSECT_STALLS_H
#define DISSECT_STALLS_H
#include "field/packet.h"
#include "track/fabric.h"
#include "wire/iba_psn.h"

struct stall_heard { /* a frame, such as one of flow control */
    iba_time at;
    uint64_t frame, tag;
};
struct stall_lane {
    bool known;               /* its credits */
    iba_time since;           /* its last packet left */
    uint16_t left, refused;   /* credits now; those before they last grew */
    struct stall_heard heard; /* last with these credits: of `left` */
    struct stall_heard last;  /* of `refused`; frame 0: they have not grown since the last packet */
};
struct stalls {
    struct stall_lane lane[FABRIC_SENDERS][FABRIC_LANES];
};

/* After fabric_packet(), and after the packet was judged. */
void stalls_packet(struct stalls *t, const struct fabric *f, const struct stall_heard *now, const struct packet *p);
/* The last flow-control packet that granted less than `blocks` to the lane, if all did from `*since` on, which becomes
 * later if the lane's last packet left later. NULL: none is known. */
const struct stall_heard *stalls_of(const struct stalls *t, const struct fabric *f, const struct fabric_sender *s,
                                    unsigned vl, unsigned blocks, iba_time *since);
#endif
