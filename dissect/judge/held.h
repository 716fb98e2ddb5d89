/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are buffered until later packets complete their verdict. Bounded: HELD_PACKETS packets and HELD_BYTES
 * bytes, and HELD_TABLES tables of management datagrams. */
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

/* Whether this packet fits; it always fits when the buffer is empty. */
bool held_fits(const struct held *h, const struct packet *p);
/* Copies it, with its bytes, comment and verdict. Numbers ascend; it must fit. */
void held_push(struct held *h, const struct packet *p);
/* The oldest packet, or NULL. Valid until it is dropped. */
const struct packet *held_first(const struct held *h);
void held_drop_first(struct held *h);
/* The verdict of a buffered packet, to be completed; NULL when it is not buffered. */
struct verdict *held_verdict(struct held *h, uint64_t number);
/* Records this datagram as the response to the one in frame `request`, if that is buffered; the first response
 * counts. */
void held_response(struct held *h, uint64_t request, uint64_t answer);
#endif
