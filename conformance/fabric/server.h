/* SPDX-License-Identifier: BSD-2-Clause */
/* Serves the subnet to programs that use libumad2sim, such as OpenSM, infiniband-diags and osmtest. */
#ifndef IBF_SERVER_H
#define IBF_SERVER_H
#include <poll.h>
#include "sockets.h"
#include "subnet.h"

enum { SERVER_PENDING = 4096, SERVER_LENGTHS = 1 << 16, SERVER_FDS = IBSIM_CLIENTS + 1 };

struct server_client {
    bool used, issm;
    uint8_t life; /* number of programs that have had this client number, modulo 256 */
    size_t node;
    uint8_t port; /* port of the node; of a switch 0 */
};
struct server_pending { /* a request of a client that has no response yet */
    bool used;
    uint8_t client;
    int8_t by;      /* the client that has to respond; -1: no client so far; IBSIM_CLIENTS: another program */
    iba_time asked; /* when that client got the request */
    struct ibsim_request request;
};
struct server {
    struct sockets sockets;
    struct subnet *subnet;
    struct server_client client[IBSIM_CLIENTS];
    struct server_pending *pending; /* SERVER_PENDING entries */
    size_t n_pending;               /* no entry is used from here on */
    uint16_t *length;               /* length of the datagram that a packet carries, indexed by the PSN; 0: unknown */
    uint16_t psn;
    uint64_t requests, answers, silences;
    /* Called for each datagram from or to a client, which it may change; NULL: nobody does. False: the datagram goes
     * no further; a request of a client then has its answer in `mad`. */
    bool (*alter)(void *ctx, bool from_client, uint8_t mad[IBSIM_MAD]);
    void *alter_ctx;
};

bool server_open(struct server *s, struct subnet *subnet, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR]);
void server_close(struct server *s);
/* Fills in the descriptors that poll() has to watch. */
void server_fds(const struct server *s, struct pollfd fds[SERVER_FDS]);
/* Reads and handles all messages that have come. `now` is the time of the clock; the subnet may be ahead of it by
 * up to a millisecond. */
void server_serve(struct server *s, const struct pollfd fds[SERVER_FDS], iba_time now);
/* Advances the subnet's time, and returns requests that nobody will answer to their clients. */
void server_advance(struct server *s, iba_time now);
/* Returns the time when server_advance() has something to do; IBA_NEVER: nothing waits. */
iba_time server_deadline(const struct server *s);
/* Handles a packet for software of a node (subnet_events.received). */
void server_received(struct server *s, size_t node, uint8_t port, const uint8_t *packet, size_t len);
/* A program that is no client got this datagram: if a client sent it, the client waits for an answer. */
void server_taken(struct server *s, const uint8_t *mad);
#endif
