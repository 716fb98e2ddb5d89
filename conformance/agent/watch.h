/* SPDX-License-Identifier: BSD-2-Clause */
/* A verb that does not come back from the kernel is the device's fault, and nobody but its agent can know: a second
 * thread sees the first one stuck, and answers in its place. */
#ifndef IBC_AGENT_WATCH_H
#define IBC_AGENT_WATCH_H
#include "protocol.h"

/* The request `id` is about to be done; `out`: where its client hears. */
void ag_watch_begin(int out, uint64_t id, enum ag_verb verb);
/* It is done. True: it was answered (dead), more than 3 s ago, and must not be answered again. */
bool ag_watch_end(void);
#endif
