/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe.h"
#include <string.h>

enum {
    PROBE_QP = 0xfffffe,          /* no program of the subnet has it */
    PATIENCE_NS = 1000 * 1000000, /* of virtual time, beyond any lifetime in a queue */
};

struct journey {
    struct subnet *s;
    struct probe *p;
    uint32_t psn;
    uint16_t dlid;
    bool over;
};

static bool is_ours(const struct journey *j, const uint8_t *packet, size_t len)
{
    const uint8_t *bth = packet + IBA_BYTES_lrh;

    return len == IBA_MGMT_BYTES && iba_bth_destqp(bth) == PROBE_QP && iba_bth_psn(bth) == j->psn;
}

static bool leaves(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct journey *j = ctx;
    struct probe *p = j->p;

    if (!is_ours(j, packet, len))
        return true;
    if (p->hops == PROBE_HOPS) {
        p->result = PROBE_LOOP;
        j->over = true;
        return false;
    }
    p->path[p->hops++] = (struct probe_port){node, port};
    return true;
}

static bool arrives(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct journey *j = ctx;

    if (!is_ours(j, packet, len))
        return true;
    j->p->end = (struct probe_port){node, port};
    j->p->result =
        iba_node_port_has_lid(&subnet_node(j->s, node)->n.port[port], j->dlid) ? PROBE_DELIVERED : PROBE_ASTRAY;
    j->over = true;
    return false;
}

static void build(const struct subnet_node *a, uint8_t port, struct journey *j, uint8_t sl, uint8_t *packet)
{
    static const uint8_t payload[IBA_MAD_BYTES];
    const struct iba_node_port *from = &a->n.port[port];
    const struct iba_mgmt_to to = {.dlid = j->dlid,
                                   .slid = from->info.lid,
                                   .dqp = PROBE_QP,
                                   .sqp = PROBE_QP,
                                   .psn = j->psn,
                                   .pkey = from->n_pkey ? from->pkey[0] : 0xffff,
                                   .sl = sl};

    (void)iba_mgmt_build(packet, &to, iba_node_sl2vl(&a->n, 0, port)[sl & 0xf], payload);
}

/* The packet is lost when no wire and no queue of the subnet has a packet any more, or after a second. */
static void follow(struct journey *j)
{
    const iba_time end = subnet_now(j->s) + PATIENCE_NS;

    while (!j->over && subnet_deadline(j->s) <= end && (subnet_in_flight(j->s) > 0 || subnet_waiting(j->s) > 0))
        subnet_run(j->s, subnet_deadline(j->s));
}

void probe_send(struct subnet *s, struct probe_port from, uint16_t dlid, uint8_t sl, struct probe *p)
{
    static uint32_t psn;
    struct journey j = {.s = s, .p = p, .psn = psn = (psn + 1) & 0xffffff, .dlid = dlid};
    const struct subnet_watch watch = {.sent = leaves, .received = arrives, .ctx = &j};
    uint8_t packet[IBA_MGMT_BYTES];

    p->result = PROBE_LOST;
    p->hops = 0;
    build(subnet_node(s, from.node), from.port, &j, sl, packet);
    subnet_set_watch(s, &watch);
    subnet_send(s, from.node, from.port, packet, sizeof packet);
    subnet_run(s, subnet_now(s));
    follow(&j);
    subnet_set_watch(s, NULL);
}

/* ---- all pairs ---- */

/* The next port of an adapter, in order; false: there is none. */
static bool next_end(struct subnet *s, struct probe_port *e)
{
    do {
        if (e->port < subnet_node(s, e->node)->n.cfg.n_port) {
            e->port++;
        } else {
            e->node++;
            e->port = 1;
        }
    } while (e->node < subnet_nodes(s) && !subnet_is_end(&subnet_node(s, e->node)->n, e->port));
    return e->node < subnet_nodes(s);
}

static void count(struct probe_sum *sum, const struct probe *p)
{
    sum->packets++;
    sum->by_result[p->result]++;
    if (p->result != PROBE_DELIVERED)
        return;
    sum->hops += p->hops;
    if (p->hops > sum->most_hops)
        sum->most_hops = p->hops;
}

static void to_each_lid(struct subnet *s, struct probe_port from, struct probe_port to, uint8_t sl,
                        struct probe_sum *sum)
{
    const struct iba_portinfo *i = &subnet_node(s, to.node)->n.port[to.port].info;

    for (unsigned k = 0; k < 1u << i->lmc; k++) {
        struct probe p;
        probe_send(s, from, (uint16_t)(i->lid + k), sl, &p);
        count(sum, &p);
    }
}

void probe_pairs(struct subnet *s, uint8_t sl, struct probe_sum *sum)
{
    struct probe_port from = {0, 0}, to;

    memset(sum, 0, sizeof *sum);
    while (next_end(s, &from))
        for (to = (struct probe_port){0, 0}; next_end(s, &to);)
            if (to.node != from.node || to.port != from.port)
                to_each_lid(s, from, to, sl, sum);
}

const char *probe_result_name(enum probe_result r)
{
    static const char *const names[] = {"delivered", "astray", "loop", "lost"};
    return names[r];
}
