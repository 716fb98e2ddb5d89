/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that soft-RoCE of Linux 6.1 sent, as packets ready for a filter. */
#ifndef DISSECT_FILTER_TEST_PACKETS_H
#define DISSECT_FILTER_TEST_PACKETS_H
#include "field/packet.h"

enum test_packet {
    PACKET_SEND, /* RC SEND Only, no payload, 10.0.0.1 to 10.0.0.2 */
    PACKET_READ, /* RC RDMA READ Request of 3000 bytes */
    PACKET_NAK,  /* RC Acknowledge: NAK, Remote Access Error */
    PACKET_V6,   /* RC Acknowledge over IPv6 */
    PACKET_ARP,  /* nothing of InfiniBand */
    PACKET_COUNT
};

/* Returns packet `which` as number which + 1 of a capture with one packet a second; the first one has the time
 * 2024-02-29 12:00:00.5 UTC. The packet is never freed. */
const struct packet *test_packet(enum test_packet which);

struct row {
    const char *expression;
    unsigned expected; /* one digit a packet in the order above, read as a word of 0 and 1 */
};
/* Checks which of the packets each expression selects. */
void rows_match(const struct row *row, size_t n);
#define CHECK(rows) rows_match(rows, sizeof(rows) / sizeof *(rows))
#endif
