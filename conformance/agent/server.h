/* SPDX-License-Identifier: BSD-2-Clause */
/* The device side: requests in, replies out, a target that executes them. Independent of the channel. */
#ifndef IBC_AGENT_SERVER_H
#define IBC_AGENT_SERVER_H
#include "protocol.h"
#include "targets/wire.h"

#define AG_TICK UINT64_C(500000) /* ns: in real time the devices' timers are checked this often */
enum { AG_TOKEN_LEAST = 16 };    /* characters */

struct ag_server {
    struct ibc_target *target;          /* not owned */
    struct ibc_wire *wire[IBC_DEVICES]; /* of each device, where time is virtual; not owned */
    unsigned n_wire;
    const char *name;  /* its name in hello */
    const char *token; /* that hello must carry; NULL: none */
    int rivals;        /* the socket that others connect to while a client is served; -1: none */
    bool greeted;      /* hello came, with the token */
    bool engine;       /* the target is part of this program: none of its verbs sleeps in the kernel */
    bool watched;      /* another thread answers to `out` in place of a verb that does not return */
    bool is_late;      /* which has happened */
    int out;
    bool real_time; /* the target's virtual time follows the clock */
    uint64_t ahead; /* real_time: ns that the clock is ahead of the target's time */
    struct ag_request q;
    struct ag_reply r;
    uint8_t frame[IBC_WIRE_MOST];   /* leaves */
    uint8_t arrived[IBC_WIRE_MOST]; /* waits until the device has caught up with its arrival */
};

/* 2 if there are two wires, else 1: the devices that the tester can reach. */
unsigned ag_devices(const struct ag_server *s);
/* Another client. */
void ag_forget_client(struct ag_server *s);
/* The id of this start of the system, which changes with the next one: it distinguishes a device that restarted from an
 * agent that did. Read the first time, before the program is confined. NULL: the system has none. */
const struct ag_text *ag_boot(void);
/* Frames on the wires go to the devices; in real time the frames that they send by now go to the wires. False: a wire
 * is broken, its text in target->fault. */
bool ag_take_in(struct ag_server *s);
#define AG_ANSWERED SIZE_MAX
/* The reply to one line, without its end. Returns its length; 0: the client has no token, do not reply and close the
 * connection; AG_ANSWERED: it was already answered, do not reply. */
size_t ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE]);
/* The same for a line of more than AG_LINE bytes, which was not kept. */
size_t ag_serve_too_long(struct ag_server *s, char reply[AG_LINE]);
#endif
