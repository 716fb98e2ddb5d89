/* SPDX-License-Identifier: BSD-2-Clause */
/* One client of the agent: lines in, lines out, the wires listened to meanwhile. */
#ifndef IBC_AGENT_CLIENT_H
#define IBC_AGENT_CLIENT_H
#include <poll.h>
#include <signal.h>
#include "server.h"

#define AG_PATIENCE UINT64_C(10000000000) /* ns that a client without a token may stay */

/* Blocks the signals that end the program but while it waits: then ag_stopped() is true soon. */
void ag_mind_signals(void);
bool ag_stopped(void);
/* Waits until `fd` is ready for `events`, or until `until` (ibc_wire_clock; UINT64_MAX: for ever); what comes by the
 * wires meanwhile goes to the devices. False: it is not, or the program is to end. */
bool ag_await(struct ag_server *s, int fd, short events, uint64_t until);
/* Serves until the client leaves or is sent away, or the program is to end. The descriptors are the caller's; data for
 * a client that reads nothing waits, and everybody with it. */
void ag_serve_client(struct ag_server *s, int in, int out);
#endif
