/* SPDX-License-Identifier: BSD-2-Clause */
/* The live target: a device with an agent that executes the verbs, and a wire to it. */
#ifndef IBC_LIVE_H
#define IBC_LIVE_H
#include "live_parties.h"
#include "targets/target.h"
#include "wire.h"

/* Time in ns, multiplied by the scale, in which a device that went down must come back. The first reset waits that
 * long, and later resets fail at once. */
#define IBC_LIVE_RETURN UINT64_C(100000000000)

struct ibc_live {
    /* one wire for each device; the second may be NULL: the tester reaches only one device. Not owned */
    struct ibc_wire *wire[IBC_DEVICES];
    const char *agent; /* "exec:COMMAND", "unix:PATH", "tcp:HOST:PORT" */
    const char *token; /* NULL: no token */
    /* starter of the agent; NULL: this process starts or connects to the agent itself. Not owned */
    struct starter *starter;
    double time_scale;
    const struct live_pins *pins;   /* addresses that the device must have; NULL: any */
    struct live_accepted *accepted; /* shared by the targets of a run; NULL: the target has one of its own */
    void (*show)(const char *line); /* shows people the addresses of all parties; NULL: shows nothing */
};
/* Greets the agent and reads its capabilities. NULL: it failed, and err has a line with the reason. */
struct ibc_target *ibc_live_open(const struct ibc_live *o, char *err, size_t errlen);
/* Writes ": how much each side sent to the other, and the likely causes if nothing came", for people. */
void ibc_live_describe(const struct ibc_target *t, char *out, size_t n);
/* Returns the agent's own name, which is valid while the target exists. */
const char *ibc_live_name(const struct ibc_target *t);
#endif
