/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves the MAD layer to programs that preload libibfabric-umad.so (umad/protocol.h). */
#ifndef IBF_MAD_SERVER_H
#define IBF_MAD_SERVER_H
#include <poll.h>
#include "mad_layer.h"

enum { MAD_SERVER_FDS = 1 + 2 * MAD_OPENS, MAD_SERVER_ERROR = 160 };

struct mad_message { /* a datagram that waits until its program reads others */
    struct mad_message *next;
    size_t len;
    uint8_t bytes[];
};
struct mad_connection {
    int control;   /* -1: none */
    int datagrams; /* -1: no port is open */
    struct mad_message *first, **last;
    size_t waiting; /* bytes of all messages that wait */
};
struct mad_server {
    struct mad_layer layer;
    int listener;
    struct mad_connection connection[MAD_OPENS]; /* of the open port with the same number */
    uint64_t dropped;                            /* datagrams for programs that do not read */
};

/* Opens the socket; name NULL: serves nobody. False: it failed, and err has one line. */
bool mad_server_open(struct mad_server *s, struct subnet *subnet, const char *name, char err[MAD_SERVER_ERROR]);
void mad_server_close(struct mad_server *s);
/* Fills in the descriptors that poll() has to watch. */
void mad_server_fds(const struct mad_server *s, struct pollfd fds[MAD_SERVER_FDS]);
/* Accepts programs, handles one request of each, and sends datagrams that had to wait. */
void mad_server_serve(struct mad_server *s, const struct pollfd fds[MAD_SERVER_FDS]);
#endif
