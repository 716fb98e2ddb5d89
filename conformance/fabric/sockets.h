/* SPDX-License-Identifier: BSD-2-Clause */
/* The sockets of ibsim's protocol: one for control, and one for each client. They are unix datagram sockets with
 * abstract names, or UDP sockets on the loopback interface. */
#ifndef IBF_SOCKETS_H
#define IBF_SOCKETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include "ibsim.h"

enum { SOCKETS_ERROR = 160, SOCKETS_NAME = 64 };

struct sockets {
    char name[SOCKETS_NAME]; /* name of the unix sockets; "" for UDP */
    uint16_t udp_port;       /* UDP port of the control socket; client i has udp_port + 1 + i; 0: unix sockets */
    int control, client[IBSIM_CLIENTS];
};
struct sockets_address {
    struct sockaddr_storage to;
    socklen_t len;
};

/* Opens the sockets. False: it failed, and err has one line. */
bool sockets_open(struct sockets *s, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR]);
void sockets_close(struct sockets *s); /* may be called again, and after sockets_open() has failed */
/* Connects the socket of client `i` to that of the program with that id: its process ID or its UDP port. False:
 * nobody listens there. */
bool sockets_join(struct sockets *s, unsigned i, uint32_t id);
/* Replaces the socket of client `i` with a new one that no program is connected to. */
bool sockets_part(struct sockets *s, unsigned i);
#endif
