/* SPDX-License-Identifier: BSD-2-Clause */
/* If a verb does not return from the kernel, the device is at fault, and only its agent can know. A second thread
 * notices that the first one does not return, and answers in its place. */
#ifndef IBC_AGENT_WATCH_H
#define IBC_AGENT_WATCH_H
#include "protocol.h"

/* Called before the request `id` is executed. `out`: descriptor for replies to the client. */
void ag_watch_begin(int out, uint64_t id, enum ag_verb verb);
/* Called after the request was executed. True: the watch has answered it (dead), and it must not be answered again. */
bool ag_watch_end(void);
#endif
