/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets held back until it is known what became of them. Bounded: HELD_PACKETS packets and HELD_BYTES bytes,
 * and HELD_TABLES tables of management datagrams. */
#ifndef DISSECT_HELD_H
#define DISSECT_HELD_H
#include "field/packet.h"
#include "field/verdict.h"

enum { HELD_PACKETS = 8192, HELD_BYTES = 8 << 20, HELD_TABLES = 16 };

struct held;

/* NULL when out of memory. Owned: held_close(). */
struct held *held_open(void);
/* NULL is allowed. */
void held_close(struct held *h);

/* Whether there is room for this packet; it always fits when nothing is held. */
bool held_fits(const struct held *h, const struct packet *p);
/* Copies it, with its bytes, comment and verdict. Numbers ascend; it must fit. */
void held_push(struct held *h, const struct packet *p);
/* The one that came first, or NULL. Valid until it is dropped. */
const struct packet *held_first(const struct held *h);
void held_drop_first(struct held *h);
/* The verdict on a packet that is held, to be completed; NULL when it is not held. */
struct verdict *held_verdict(struct held *h, uint64_t number);
/* The datagram in frame `request`, if it is held, is answered by this one; the first answer counts. */
void held_response(struct held *h, uint64_t request, uint64_t answer);
#endif
