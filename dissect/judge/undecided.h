/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that are buffered until later packets complete their verdict. Limits: UNDECIDED_PACKETS packets,
 * UNDECIDED_BYTES bytes, and UNDECIDED_TABLES tables of management datagrams. */
#ifndef DISSECT_UNDECIDED_H
#define DISSECT_UNDECIDED_H
#include "field/bound.h"
#include "field/packet.h"
#include "field/verdict.h"

enum {
    UNDECIDED_PACKETS = BOUND(8192, 16),
    UNDECIDED_BYTES = BOUND(8 << 20, 1 << 19),
    UNDECIDED_TABLES = BOUND(16, 2)
};

struct undecided;

/* NULL when out of memory. Owned: undecided_close(). */
struct undecided *undecided_open(void);
/* Frees the buffer; NULL is allowed. */
void undecided_close(struct undecided *h);

/* Whether this packet fits; it always fits when the buffer is empty. */
bool undecided_fits(const struct undecided *h, const struct packet *p);
/* Copies the packet with its bytes, comment and verdict. The packet must fit, and numbers of packets must ascend. */
void undecided_push(struct undecided *h, const struct packet *p);
/* The oldest packet, or NULL. Valid until it is dropped. */
const struct packet *undecided_first(const struct undecided *h);
void undecided_drop_first(struct undecided *h);
/* The verdict of a buffered packet, to be completed; NULL when the packet is not buffered. */
struct verdict *undecided_verdict(struct undecided *h, uint64_t number);
/* If frame `request` is buffered, notes the datagram in frame `answer` as its response. Only the first response counts.
 */
void undecided_response(struct undecided *h, uint64_t request, uint64_t answer);
#endif
