/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the routers of a simulated fabric. No protocol of the architecture fills them: the console does. */
#ifndef IBF_ROUTERS_H
#define IBF_ROUTERS_H
#include <stdio.h>
#include "subnet.h"

/* Adds a route, or changes the one with the same bits. False: the table is full. */
bool routers_add(struct iba_node *router, const struct iba_route *r);
/* A route to each adapter port in the subnets that the router's ports are in, for those that have a LID. Their number;
 * -1: the table is full. */
int routers_learn(struct subnet *s, size_t node);
/* The LID of the router port in the subnet of that port; 0: there is none. */
uint16_t routers_lid(struct subnet *s, size_t node, uint8_t port);
/* Reads GID/BITS. */
bool routers_read_gid(const char *text, struct iba_route *r);
/* A line for each route: GID/BITS, port, LID. */
void routers_print(const struct iba_node *router, FILE *to);
#endif
