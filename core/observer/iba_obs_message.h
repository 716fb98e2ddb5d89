/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of opcodes, lengths and the path MTU. Not for users of libiba. */
#ifndef IBA_OBS_MESSAGE_H
#define IBA_OBS_MESSAGE_H
#include "observer/iba_obs_look.h"

/* The packet has the PSN that the responder expects. Checks the sequence of opcodes and the lengths, and counts
 * messages. */
__attribute__((hot)) void iba_obs_message(struct iba_look *l, struct iba_obs_requests *q);
/* The path MTU has become known, or known more exactly. */
void iba_obs_learn_pmtu(struct iba_observer *s, struct iba_flow *f, uint32_t pmtu, bool sure);
/* Checks the lengths that depend only on the packet and the path MTU. */
__attribute__((hot)) void iba_obs_payload(struct iba_look *l);
#endif
