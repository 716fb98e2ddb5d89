/* SPDX-License-Identifier: BSD-2-Clause */
/* Who asks on an Ethernet wire where the tester's addresses are gets an answer: ARP (RFC 826), IPv6 neighbour
 * solicitation (RFC 4861 4.3). Nothing else would answer: the tester's addresses are no host's. */
#ifndef IBC_WIRE_NEIGHBOUR_H
#define IBC_WIRE_NEIGHBOUR_H
#include "targets/target.h"

enum { IBC_NEIGHBOUR_ANSWER = 128 }; /* bytes at most */

/* True: the frame is of ARP or neighbour discovery, and no device's packet. Then *n are the bytes of `answer` to be
 * sent; 0: none, it asked for nobody of the `n_who`. */
bool ibc_neighbour(const uint8_t *frame, size_t len, const struct ibc_address *who, size_t n_who,
                   uint8_t answer[IBC_NEIGHBOUR_ANSWER], size_t *n);
/* Whether an Ethernet frame may be the device's: RoCE, or something that looks like it. Hosts say much else. */
bool ibc_is_roce(const uint8_t *frame, size_t len);
#endif
