/* SPDX-License-Identifier: BSD-2-Clause */
#include "routers.h"
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "probe.h"

enum { GID_BITS = 128 };

/* Clears the bits of the GID after the route's prefix. */
static void cut(struct iba_route *r)
{
    for (unsigned i = r->bits; i < GID_BITS; i++)
        r->gid[i / 8] = (uint8_t)(r->gid[i / 8] & ~(0x80u >> i % 8));
}

/* Whether two routes have the same prefix. Routes of a multicast group must also have the same port: a router sends
 * the group's packets by each of the group's routes. */
static bool same(const struct iba_route *a, const struct iba_route *b)
{
    return a->bits == b->bits && memcmp(a->gid, b->gid, sizeof a->gid) == 0 &&
           (a->gid[0] != UINT8_MAX || a->port == b->port);
}

bool routers_add(struct iba_node *router, const struct iba_route *r)
{
    struct iba_route one = *r;
    unsigned i = 0;

    cut(&one);
    while (i < router->n_route && !same(&router->route[i], &one))
        i++;
    if (i == router->cfg.routes)
        return false;
    router->route[i] = one;
    if (i == router->n_route)
        router->n_route++;
    return true;
}

static bool learn_port(struct iba_node *router, uint8_t by, const struct iba_node_port *p, int *learned)
{
    struct iba_route r = {.bits = GID_BITS, .port = by, .dlid = p->info.lid};

    probe_gid(p, r.gid);
    ++*learned;
    return routers_add(router, &r);
}

int routers_learn(struct subnet *s, size_t node)
{
    struct iba_node *router = &subnet_node(s, node)->n;
    int learned = 0;

    for (size_t i = 0; i < subnet_nodes(s); i++) {
        const struct iba_node *n = &subnet_node(s, i)->n;
        for (unsigned p = 1; p <= n->cfg.n_port; p++)
            for (unsigned by = 1; subnet_is_end(n, p) && by <= router->cfg.n_port; by++)
                if (subnet_joined(s, node, (uint8_t)by, i, (uint8_t)p) &&
                    !learn_port(router, (uint8_t)by, &n->port[p], &learned))
                    return -1;
    }
    return learned;
}

uint16_t routers_lid(struct subnet *s, size_t node, uint8_t port)
{
    for (size_t i = 0; i < subnet_nodes(s); i++) {
        const struct iba_node *n = &subnet_node(s, i)->n;
        for (unsigned p = 1; n->cfg.type == IBA_NODE_ROUTER && p <= n->cfg.n_port; p++)
            if (n->port[p].info.lid && subnet_joined(s, node, port, i, (uint8_t)p))
                return n->port[p].info.lid;
    }
    return 0;
}

bool routers_read_gid(const char *text, struct iba_route *r)
{
    char gid[INET6_ADDRSTRLEN], *end;
    const char *slash = strchr(text, '/');
    unsigned long bits;

    if (!slash || (size_t)(slash - text) >= sizeof gid)
        return false;
    memcpy(gid, text, (size_t)(slash - text));
    gid[slash - text] = '\0';
    bits = strtoul(slash + 1, &end, 10);
    r->bits = (uint8_t)bits;
    return end != slash + 1 && *end == '\0' && bits <= GID_BITS && inet_pton(AF_INET6, gid, r->gid) == 1;
}

void routers_print(const struct iba_node *router, FILE *to)
{
    char gid[INET6_ADDRSTRLEN];

    for (unsigned i = 0; i < router->n_route; i++) {
        const struct iba_route *r = &router->route[i];
        if (inet_ntop(AF_INET6, r->gid, gid, sizeof gid))
            fprintf(to, "%s/%u\t%u\t%u\n", gid, r->bits, r->port, r->dlid);
    }
}
