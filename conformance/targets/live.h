/* SPDX-License-Identifier: BSD-2-Clause */
/* The live target: a device with an agent that executes the verbs, and a wire to it. */
#ifndef IBC_LIVE_H
#define IBC_LIVE_H
#include "live_parties.h"
#include "targets/target.h"
#include "wire.h"

/* ns, times the scale, in which a device that went down comes back: the reset that waits for it takes that long, and
 * later ones fail at once. */
#define IBC_LIVE_RETURN UINT64_C(100000000000)

struct ibc_live {
    struct ibc_wire *wire[IBC_DEVICES]; /* of each device; the second NULL: the tester reaches one only. Not owned */
    const char *agent;                  /* "exec:COMMAND", "unix:PATH", "tcp:HOST:PORT" */
    const char *token;                  /* NULL: none */
    struct starter *starter;            /* of the agent; NULL: this process reaches it itself. Not owned */
    double time_scale;
    const struct live_pins *pins;   /* addresses that the device must have; NULL: any */
    struct live_accepted *accepted; /* shared by the targets of a run; NULL: this one's own */
    void (*show)(const char *line); /* for people: who takes part; NULL: nobody */
};
/* Greets the agent and reads its capabilities. NULL: it failed, and err has a line that says why. */
struct ibc_target *ibc_live_open(const struct ibc_live *o, char *err, size_t errlen);
/* ": how much each side sent to the other, and the likely causes if nothing came"; for people. */
void ibc_live_describe(const struct ibc_target *t, char *out, size_t n);
/* The agent's own name; valid while the target exists. */
const char *ibc_live_name(const struct ibc_target *t);
#endif
