/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the wires: the adapters, and the common part of those that are sockets. */
#ifndef IBC_WIRE_ADAPTERS_H
#define IBC_WIRE_ADAPTERS_H
#include <sys/socket.h>
#include "wire.h"

extern const struct ibc_wire_ops ibc_wire_unix, ibc_wire_dgram, ibc_wire_afpacket, ibc_wire_inside;

/* Creates two sockets that are each other's peer (wire_dgram.c). */
bool wire_pair(int fd[2]);
/* Reads the properties of the interface w->own (wire_port.c). */
void wire_port_look(const struct ibc_wire *w, struct ibc_wire_port *p);

/* Whether packets to this address stay in this machine (wire_route.c). */
bool wire_is_local(const struct sockaddr *to);

/* ---- wire_socket.c ---- */
/* Requests big buffers and arrival times for a socket. */
void wire_prepare(int fd);
/* Receives one datagram. `control` of the message may be larger than its time stamp needs. Returns 0, or errno as
 * take() does. */
int wire_take(int fd, struct msghdr *m, size_t room, size_t *len, uint64_t *at);
uint64_t wire_kernel_lost(int fd);
/* Writes the name of the wire, and the text after it, to w->fault. */
void wire_explain(struct ibc_wire *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
