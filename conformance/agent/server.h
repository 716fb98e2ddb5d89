/* SPDX-License-Identifier: BSD-2-Clause */
/* The device's side of the protocol: reads requests, lets a target execute them, and writes replies. It does not
 * depend on the channel. */
#ifndef IBC_AGENT_SERVER_H
#define IBC_AGENT_SERVER_H
#include "protocol.h"
#include "targets/wire.h"

#define AG_TICK UINT64_C(500000) /* ns: in real time the devices' timers are checked this often */
enum { AG_TOKEN_LEAST = 16 };    /* least number of characters of a token */

struct ag_server {
    struct ibc_target *target; /* not owned */
    /* one wire for each device of the engine; NULL: the device has a wire of its own; not owned */
    struct ibc_wire *wire[IBC_DEVICES];
    unsigned n_wire;
    const char *name;  /* name of the target in the reply to hello */
    const char *token; /* token that hello must carry; NULL: none */
    int rivals;        /* the socket to which other clients connect while one is served; -1: none */
    bool greeted;      /* hello came, with the token */
    bool engine;       /* the target is part of this program: none of its verbs sleeps in the kernel */
    bool watched;      /* another thread answers to `out` in place of a verb that does not return */
    bool is_late;      /* another thread has answered the current verb */
    int out;
    bool real_time; /* the target's virtual time follows the clock */
    uint64_t ahead; /* real_time: ns that the clock is ahead of the target's time */
    struct ag_request q;
    struct ag_reply r;
    uint8_t frame[IBC_WIRE_MOST];   /* a frame that leaves */
    uint8_t arrived[IBC_WIRE_MOST]; /* a frame that waits until the device's time has reached its arrival */
};

/* Returns the number of devices that the tester can reach: 2 if there are two wires, otherwise 1. */
unsigned ag_devices(const struct ag_server *s);
/* Forgets the client, since another one comes. */
void ag_forget_client(struct ag_server *s);
/* Returns the id of this start of the system, which is another after each restart: it distinguishes a restarted
 * device from a restarted agent. It is read at the first call, which must be before the program is confined. NULL:
 * the system has none. */
const struct ag_text *ag_boot(void);
/* Hands frames on the wires to the devices and, in real time, sends the frames that the devices send by now. False:
 * a wire is broken, and target->fault has the reason. */
bool ag_take_in(struct ag_server *s);
#define AG_ANSWERED SIZE_MAX
/* Writes the reply to one line, without line end. Returns its length; 0: the client has no token, so the caller
 * sends no reply and closes the connection; AG_ANSWERED: another thread has replied already. */
size_t ag_serve(struct ag_server *s, const char *line, size_t len, char reply[AG_LINE]);
/* Writes the reply to a line of more than AG_LINE bytes, which was not kept. */
size_t ag_serve_too_long(struct ag_server *s, char reply[AG_LINE]);
#endif
