/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers address resolution for the tester's addresses on an Ethernet wire: ARP (RFC 826), IPv6 neighbour solicitation
 * (RFC 4861 4.3). No host has these addresses, so nothing else would answer. */
#ifndef IBC_WIRE_NEIGHBOUR_H
#define IBC_WIRE_NEIGHBOUR_H
#include "targets/target.h"

enum { IBC_NEIGHBOUR_ANSWER = 128 }; /* bytes at most */

/* True: the frame belongs to ARP or neighbour discovery, and is no RoCE packet of the device. Then *n is the length
 * of the `answer` to send; 0: there is none, since the frame asks for none of the `n_who` addresses. */
bool ibc_neighbour(const uint8_t *frame, size_t len, const struct ibc_address *who, size_t n_who,
                   uint8_t answer[IBC_NEIGHBOUR_ANSWER], size_t *n);
/* Writes a question whether a host has an address: ARP for the IPv4 address, neighbour solicitations for the IPv6
 * address and the GID. The question has no sender address, so that no host learns one (RFC 5227 2.1.1, RFC 4862
 * 5.4.2). `own`: the MAC of the port. Returns the length of the frame; 0: `a` has no such address. */
enum { IBC_NEIGHBOUR_QUESTIONS = 3 };
size_t ibc_neighbour_ask(uint8_t frame[IBC_NEIGHBOUR_ANSWER], uint64_t own, const struct ibc_address *a,
                         unsigned question);
/* Whether the frame shows that a host has an address of `a`, or is about to take it. *mac becomes the host's MAC. */
bool ibc_neighbour_claims(const uint8_t *frame, size_t len, const struct ibc_address *a, uint64_t *mac);
/* Whether an Ethernet frame may be the device's: RoCE, or something similar. Hosts send many other frames. */
bool ibc_is_roce(const uint8_t *frame, size_t len);
#endif
