/* SPDX-License-Identifier: BSD-2-Clause */
/* A server of ibsim's protocol for a small subnet, and its clients: sockets of this process, so that each step ends
 * before the next one begins. */
#ifndef IBF_TEST_SERVER_BED_H
#define IBF_TEST_SERVER_BED_H
#include "server.h"
#include "two_hosts.h"

/* One more adapter, which has no cable. Port 1 of B has none, either. */
enum { C = B + 1 };
enum { CLASS_APPLICATION = 0x0a, PERMISSIVE = 0xffff, SM_INFO = 0x20, NODE_INFO = 0x11, UNKNOWN = 99 };
#define SECOND UINT64_C(1000000000)

struct bed {
    struct topology *t;
    struct subnet *s;
    struct server server;
    char name[32];
    iba_time now;
};
struct client {
    int control, mads;
    uint32_t id, number;
};
extern struct bed w;

void begin(void);
void end(void);
void serve(void);
struct iba_node_port *port_at(size_t node, unsigned port);

int bound(const char *what, uint32_t id); /* a socket with that name, of a client */
void tell(const struct client *c, const void *bytes, size_t n);
struct ibsim_ctl ask(const struct client *c, uint32_t type, const void *data, size_t n);
/* Joins as the program with this id at that node. Returns whether the server lets it in. */
bool join(struct client *c, uint32_t id, const char *node, bool issm, const char *placed);
void gone(const struct client *c);

struct ibsim_request datagram(uint16_t dlid, uint8_t class, uint8_t method, uint16_t attribute, uint64_t tid);
void send_it(const struct client *c, const struct ibsim_request *r);
bool got(const struct client *c, struct ibsim_request *r); /* whether a datagram has come */
#endif
