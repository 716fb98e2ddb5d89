/* SPDX-License-Identifier: BSD-2-Clause */
/* The sockets of ibsim's protocol: one for control, one for each client; unix datagrams with abstract names, or UDP on
 * the loopback interface. */
#ifndef IBF_SOCKETS_H
#define IBF_SOCKETS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include "ibsim.h"

enum { SOCKETS_ERROR = 160, SOCKETS_NAME = 64 };

struct sockets {
    char name[SOCKETS_NAME]; /* of unix sockets; "" for UDP */
    uint16_t udp_port;       /* of control; of client i that + 1 + i; 0: unix sockets */
    int control, client[IBSIM_CLIENTS];
};
struct sockets_address {
    struct sockaddr_storage to;
    socklen_t len;
};

/* False with one line in err. */
bool sockets_open(struct sockets *s, const char *name, uint16_t udp_port, char err[SOCKETS_ERROR]);
void sockets_close(struct sockets *s);
/* Joins client `i` to the socket of the program: its process, or its UDP port. False: nobody listens there. */
bool sockets_join(struct sockets *s, unsigned i, uint32_t id);
/* A new socket for client `i`, which belongs to nobody. */
bool sockets_part(struct sockets *s, unsigned i);
#endif
