/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams that the MAD layer sends, and requests that wait for their answers. */
#ifndef IBF_MAD_SEND_H
#define IBF_MAD_SEND_H
#include "mad/iba_mad.h"
#include "mad_layer.h"

struct iba_node_port *mad_send_port(const struct mad_layer *l, unsigned open);
/* Sends a datagram of 256 bytes. Returns 0 or an errno. */
int mad_send_now(struct mad_layer *l, unsigned open, const struct mad_envelope *to, const uint8_t *mad);
/* Returns the request that the datagram answers; NULL: none waits. */
struct mad_send *mad_send_find(struct mad_layer *l, unsigned open, unsigned agent, uint64_t tid, uint8_t class);
void mad_send_forget(struct mad_layer *l, struct mad_send *s);
/* Ends a request: its program gets the beginning of it back, with an errno as status. */
void mad_send_fail(struct mad_layer *l, struct mad_send *s, int error);
#endif
