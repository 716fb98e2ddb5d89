/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the routers of a simulated fabric. The architecture has no protocol that fills them, so the console
 * does. */
#ifndef IBF_ROUTERS_H
#define IBF_ROUTERS_H
#include <stdio.h>
#include "subnet.h"

/* Adds a route, or changes the route with the same prefix. False: the table is full. */
bool routers_add(struct iba_node *router, const struct iba_route *r);
/* Adds a route to each adapter port that has a LID and is in a subnet of the router's ports. Returns their number;
 * -1: the table is full. */
int routers_learn(struct subnet *s, size_t node);
/* Returns the LID of the router port that is in the subnet of the named port; 0: there is none. */
uint16_t routers_lid(struct subnet *s, size_t node, uint8_t port);
/* Reads GID/BITS. */
bool routers_read_gid(const char *text, struct iba_route *r);
/* Prints a line for each route: GID/BITS, port, LID. */
void routers_print(const struct iba_node *router, FILE *to);
#endif
