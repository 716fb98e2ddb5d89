/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams for people. */
#ifndef DISSECT_MAD_TEXT_H
#define DISSECT_MAD_TEXT_H
#include "field/out.h"
#include "field/packet.h"

/* Appends class, method and attribute to the text of the transport header; nothing when the packet is no datagram. */
void print_mad_info(struct out *o, const struct packet *p);
/* Prints every part of the datagram that was captured. */
void print_mad_tree(struct out *o, const struct packet *p);
#endif
