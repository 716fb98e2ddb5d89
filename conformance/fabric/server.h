/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves the subnet to programs that use libumad2sim: OpenSM, infiniband-diags, osmtest. */
#ifndef IBF_SERVER_H
#define IBF_SERVER_H
#include <poll.h>
#include "sockets.h"
#include "subnet.h"

enum { SERVER_PENDING = 4096, SERVER_LENGTHS = 1 << 16, SERVER_FDS = IBSIM_CLIENTS + 1 };

struct server_client {
    bool used, issm;
    uint8_t life; /* counts the programs that had this number, modulo 256 */
    size_t node;
    uint8_t port; /* of a switch: 0 */
};
struct server_pending { /* a request that a client made and that was not answered */
    bool used;
    uint8_t client;
    int8_t by;      /* the client that has to answer; -1: nobody so far */
    iba_time asked; /* when that client got the request */
    struct ibsim_request request;
};
struct server {
    struct sockets sockets;
    struct subnet *subnet;
    struct server_client client[IBSIM_CLIENTS];
    struct server_pending *pending; /* SERVER_PENDING */
    size_t n_pending;               /* entries up to the last one that is used */
    uint16_t *length;               /* of the datagram that a packet carries, by its PSN; 0: unknown */
    uint16_t psn;
    uint64_t requests, answers, silences;
};

bool server_open(struct server *s, struct subnet *subnet, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR]);
void server_close(struct server *s);
/* The descriptors that poll() has to watch. */
void server_fds(const struct server *s, struct pollfd fds[SERVER_FDS]);
/* Takes what has come. `now`: of the clock; the subnet may be ahead by up to a millisecond. */
void server_serve(struct server *s, const struct pollfd fds[SERVER_FDS], iba_time now);
/* The subnet's time goes on, and requests that nobody will answer return to their clients. */
void server_advance(struct server *s, iba_time now);
/* When server_advance() has something to do; IBA_NEVER: nothing waits. */
iba_time server_deadline(const struct server *s);
/* A packet for software of a node: subnet_events.received. */
void server_received(struct server *s, size_t node, uint8_t port, const uint8_t *packet, size_t len);
#endif
