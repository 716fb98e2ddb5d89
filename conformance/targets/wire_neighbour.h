/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers address resolution for the tester's addresses on an Ethernet wire: ARP (RFC 826), IPv6 neighbour solicitation
 * (RFC 4861 4.3). No host has these addresses, so nothing else would answer. */
#ifndef IBC_WIRE_NEIGHBOUR_H
#define IBC_WIRE_NEIGHBOUR_H
#include "targets/target.h"

enum { IBC_NEIGHBOUR_ANSWER = 128 }; /* bytes at most */

/* True: the frame belongs to ARP or neighbour discovery, and is no device's packet. Then *n are the bytes of `answer`
 * to send; 0: none, since it asked for none of the `n_who` addresses. */
bool ibc_neighbour(const uint8_t *frame, size_t len, const struct ibc_address *who, size_t n_who,
                   uint8_t answer[IBC_NEIGHBOUR_ANSWER], size_t *n);
/* Whether an Ethernet frame may be the device's: RoCE, or something similar. Hosts send many other frames. */
bool ibc_is_roce(const uint8_t *frame, size_t len);
#endif
