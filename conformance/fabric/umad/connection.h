/* SPDX-License-Identifier: BSD-2-Clause */
/* The connections of libibfabric-umad.so to ibfabric. IBFABRIC_SIM is the server's name, IBFABRIC_NODE the node that
 * the program runs on. */
#ifndef IBF_UMAD_CONNECTION_H
#define IBF_UMAD_CONNECTION_H
#include "protocol.h"

/* Connects. Returns a descriptor, or a negative errno. */
int connection_open(void);
/* Writes the node's name into a request. */
void connection_place(struct mad_place *p, uint32_t port);
/* Sends a request, and `more` bytes after it, and waits for the answer, which has `room` bytes, or is a struct
 * mad_answer with an error. Returns 0 or a negative errno. fd: where the descriptor is put that comes with the answer;
 * NULL: none. */
int connection_ask(int control, void *request, size_t len, void *more, size_t n_more, void *answer, size_t room,
                   int *fd);
/* connection_ask() by a connection of its own. */
int connection_ask_once(uint16_t kind, uint32_t port, void *answer, size_t room);
#endif
