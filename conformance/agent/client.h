/* SPDX-License-Identifier: BSD-2-Clause */
/* One client of the agent: lines in, lines out, while the wires are polled. */
#ifndef IBC_AGENT_CLIENT_H
#define IBC_AGENT_CLIENT_H
#include <poll.h>
#include "server.h"

#define AG_PATIENCE UINT64_C(10000000000) /* ns that a client without a token may stay, or take nothing of a reply */
#define AG_RIVALLED UINT64_C(250000000)   /* ns that a client without a token may stay when another one waits */

/* Waits until `fd` is ready for `events`, or until `until` (ibc_wire_clock; UINT64_MAX: without limit), or until
 * `rivalled` if another client waits (UINT64_MAX: others do not matter); frames that arrive meanwhile go to the
 * devices. False: it is not ready, or a signal came (system/signals.h). */
bool ag_await(struct ag_server *s, int fd, short events, uint64_t until, uint64_t rivalled);
/* Serves until the client disconnects or is refused, or a signal comes. The caller owns the descriptors. A client that
 * does not read its replies is waited for, until another one comes. */
void ag_serve_client(struct ag_server *s, int in, int out);
#endif
