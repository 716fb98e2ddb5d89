/* SPDX-License-Identifier: BSD-2-Clause */
/* One client of the agent: lines in, lines out, while the wires are polled. */
#ifndef IBC_AGENT_CLIENT_H
#define IBC_AGENT_CLIENT_H
#include <poll.h>
#include <signal.h>
#include "server.h"

#define AG_PATIENCE UINT64_C(10000000000) /* ns that a client without a token may stay */

/* Blocks the signals that end the program except while it waits: then ag_stopped() soon becomes true. */
void ag_mind_signals(void);
bool ag_stopped(void);
/* Waits until `fd` is ready for `events`, or until `until` (ibc_wire_clock; UINT64_MAX: without limit); frames that
 * arrive meanwhile go to the devices. False: it is not ready, or the program must end. */
bool ag_await(struct ag_server *s, int fd, short events, uint64_t until);
/* Serves until the client disconnects or is refused, or the program must end. The caller owns the descriptors. If a
 * client does not read its data, the agent waits and serves nobody else. */
void ag_serve_client(struct ag_server *s, int in, int out);
#endif
