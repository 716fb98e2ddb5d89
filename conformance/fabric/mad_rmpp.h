/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions of several segments (RMPP, section 13.6): windows, ACKs, segments sent again. */
#ifndef IBF_MAD_RMPP_H
#define IBF_MAD_RMPP_H
#include "mad_layer.h"

bool mad_rmpp_has_class(unsigned class); /* whether datagrams of the class have an RMPP header (MD-37) */
/* Whether the flag Active is set, in a datagram of at least `len` bytes (MD-53). */
bool mad_rmpp_is_active(const uint8_t *mad, size_t len);
/* Returns the number of segments for a transaction of that many bytes, with its header. 0: it ends in its header. */
uint32_t mad_rmpp_segments(unsigned class, uint32_t bytes);
/* Returns the bytes of a transaction whose segments are all full. */
uint32_t mad_rmpp_room(unsigned class, uint32_t segments);
/* Sends the first segment. False: the port has no such P_Key or GID. */
bool mad_rmpp_start(struct mad_layer *l, struct mad_send *s);
void mad_rmpp_received(struct mad_layer *l, unsigned open, unsigned agent, const struct mad_envelope *e,
                       const uint8_t *mad);
/* No ACK came in time. False: all segments have their ACKs, and the answer is late. */
bool mad_rmpp_expire(struct mad_layer *l, struct mad_send *s);
void mad_rmpp_advance(struct mad_layer *l);
iba_time mad_rmpp_deadline(const struct mad_layer *l);
void mad_rmpp_forget(struct mad_layer *l, unsigned open, unsigned agent); /* all transfers of the agent end */
#endif
