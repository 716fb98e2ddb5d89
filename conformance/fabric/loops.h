/* SPDX-License-Identifier: BSD-2-Clause */
/* Credit loops: lanes of which each waits for room that only the next can free. In the routes, where they can arise,
 * and in the packets, where they have. */
#ifndef IBF_LOOPS_H
#define IBF_LOOPS_H
#include "subnet.h"

enum { LOOP_MOST = 256 };

struct lane_at { /* packets that leave the node by the port, on the lane */
    size_t node;
    uint8_t port, vl;
};
struct lane_loop { /* each waits for the next, the last for the first; n 0: there is none */
    unsigned n;    /* of a loop of more than LOOP_MOST only these are named */
    struct lane_at at[LOOP_MOST];
};

/* Follows the packets of each adapter port with a LID to each LID of the others, on each service level of `sls` (bits),
 * as the tables of now send them: which lane may wait for which. Multicast is not followed. False: no memory. */
bool loops_in_routes(struct subnet *s, uint16_t sls, struct lane_loop *loop);

struct stalls {
    size_t waiting; /* lanes whose first packet waits for credits */
    size_t stuck;   /* of these, lanes that no credits will come for unless packets are dropped */
    struct lane_loop loop;
};
/* Looks at the packets that wait now. False: no memory. */
bool stalls_find(struct subnet *s, struct stalls *found);
#endif
