/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of a node: what a router does with packets whose GRH leads to another node. Not for users of libiba. */
#ifndef IBA_ROUTER_H
#define IBA_ROUTER_H
#include "fabric/iba_node.h"

/* Whether the DGID of that GRH is one of the port's. */
bool iba_router_owns(const struct iba_node_port *p, const uint8_t *gid);
#endif
