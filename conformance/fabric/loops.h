/* SPDX-License-Identifier: BSD-2-Clause */
/* Credit loops: each lane of a loop waits for buffer space that only the next lane can free. They are looked for in
 * the routes, where they can arise, and among waiting packets, where they have arisen. */
#ifndef IBF_LOOPS_H
#define IBF_LOOPS_H
#include "subnet.h"

enum { LOOP_MOST = 256 };

struct lane_at { /* lane of the port by which packets leave the node */
    size_t node;
    uint8_t port, vl;
};
/* each lane waits for the next one, and the last for the first; n is 0: there is no loop */
struct lane_loop {
    unsigned n; /* lanes in `at`; of a longer loop the first LOOP_MOST */
    struct lane_at at[LOOP_MOST];
};

/* Looks for a loop in the routes. Follows the packets of each adapter port with a LID to each LID of the other
 * ports, on each service level of the set `sls`, by the present tables, and so finds which lane may wait for which.
 * Multicast packets are left out. False: no memory. */
bool loops_in_routes(struct subnet *s, uint16_t sls, struct lane_loop *loop);

struct stalls {
    size_t waiting; /* lanes whose first packet waits for credits */
    size_t stuck;   /* of these, lanes that get no credits unless packets are dropped */
    struct lane_loop loop;
};
/* Finds the lanes whose packets wait now. False: no memory. */
bool stalls_find(struct subnet *s, struct stalls *found);
#endif
