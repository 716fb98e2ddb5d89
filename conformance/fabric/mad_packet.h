/* SPDX-License-Identifier: BSD-2-Clause */
/* Management datagrams as packets with their whole address: P_Key, Q_Key, SL, path bits, GRH. */
#ifndef IBF_MAD_PACKET_H
#define IBF_MAD_PACKET_H
#include "fabric/iba_node.h"
#include "umad/protocol.h"

enum { MAD_PACKET = IBA_MGMT_BYTES + IBA_BYTES_grh }; /* most bytes of a packet */

/* Writes the packet in which a datagram of 256 bytes leaves port `p`, and returns its length. 0: the port has no P_Key
 * or GID with the index of the envelope. `smp`: it goes to QP 0 by VL 15. */
size_t mad_packet_build(uint8_t packet[MAD_PACKET], const struct iba_node_port *p, const struct mad_envelope *e,
                        bool smp, uint32_t psn, const uint8_t *mad);
/* Fills in the envelope of a packet that came to port `p`. Returns the datagram in the packet; NULL: it has no whole
 * datagram for QP 0 or 1. */
const uint8_t *mad_packet_read(const struct iba_node_port *p, const uint8_t *packet, size_t len, struct mad_envelope *e,
                               bool *smp);
#endif
