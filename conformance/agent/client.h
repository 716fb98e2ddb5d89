/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves one client of the agent: reads and writes lines while the wires are polled. */
#ifndef IBC_AGENT_CLIENT_H
#define IBC_AGENT_CLIENT_H
#include <poll.h>
#include "server.h"

/* ns that a client without a token may stay connected, or read nothing of a reply */
#define AG_PATIENCE UINT64_C(10000000000)
#define AG_RIVALLED UINT64_C(250000000) /* ns that a client without a token may stay when another one waits */

/* Waits until `fd` is ready for `events`, or until the time `until` (ibc_wire_clock; UINT64_MAX: no limit), or, if
 * another client waits, until `rivalled` (UINT64_MAX: others do not matter). Frames that arrive meanwhile go to the
 * devices. False: `fd` is not ready, or a signal came (system/signals.h). */
bool ag_await(struct ag_server *s, int fd, short events, uint64_t until, uint64_t rivalled);
/* Serves until the client disconnects or is refused, or a signal comes. The caller owns the descriptors. A client
 * that does not read its replies may block the agent until another client comes. */
void ag_serve_client(struct ag_server *s, int in, int out);
#endif
