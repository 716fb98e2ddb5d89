/* SPDX-License-Identifier: BSD-2-Clause */
/* The device side: requests in, replies out, a target behind. Knows nothing of channels. */
#ifndef IBC_AGENT_SERVER_H
#define IBC_AGENT_SERVER_H
#include "protocol.h"
#include "targets/wire.h"

#define AG_TICK UINT64_C(500000) /* ns: on real time the devices' timers are looked at so often */
enum { AG_TOKEN_LEAST = 16 };    /* characters */

struct ag_server {
    struct ibc_target *target;          /* not owned */
    struct ibc_wire *wire[IBC_DEVICES]; /* of each device, where time is virtual; not owned */
    unsigned n_wire;
    const char *name;  /* what it calls itself */
    const char *token; /* that hello must carry; NULL: none */
    bool greeted;      /* hello was said, with the token */
    bool watched;      /* a verb that does not come back is answered for by another thread, to `out` */
    bool is_late;      /* which has happened */
    int out;
    bool real_time; /* the target's virtual time is made to go with the clock */
    uint64_t ahead; /* real_time: ns that the clock is ahead of the target's time */
    struct ag_request q;
    struct ag_reply r;
    uint8_t frame[IBC_WIRE_MOST];
};

/* 2 where there are two wires, else 1: whom the tester can reach. */
unsigned ag_devices(const struct ag_server *s);
/* Another client. */
void ag_forget_client(struct ag_server *s);
/* What lies on the wires goes to the devices; on real time what they send by now goes to the wires. False: a wire is
 * gone, its sentence in target->fault. */
bool ag_take_in(struct ag_server *s);
#define AG_ANSWERED SIZE_MAX
/* The reply to one line, without its end. Returns its length; 0: the client has no token, say nothing and hang up;
 * AG_ANSWERED: it has one, say nothing. */
size_t ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE]);
/* Likewise to a line of more than AG_LINE bytes, which nobody kept. */
size_t ag_serve_too_long(struct ag_server *s, char reply[AG_LINE]);
#endif
