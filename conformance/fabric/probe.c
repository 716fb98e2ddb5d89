/* SPDX-License-Identifier: BSD-2-Clause */
#include "probe.h"
#include <string.h>
#include "wire/iba_build.h"

enum {
    PROBE_QP = 0xfffffe,          /* no program of the subnet uses this QP */
    PATIENCE_NS = 1000 * 1000000, /* virtual time, longer than any lifetime of a packet in a queue */
};

struct journey {
    struct subnet *s;
    struct probe *p;
    uint32_t psn;
    uint16_t dlid;
    /* destination of a packet with a GRH; NULL: the packet has none, and its LID names the destination */
    const struct probe_port *to;
    bool over;
};

static bool is_ours(const struct journey *j, const uint8_t *packet, size_t len)
{
    const size_t grh = j->to ? IBA_BYTES_grh : 0;
    const uint8_t *bth = packet + IBA_BYTES_lrh + grh;

    return len == IBA_MGMT_BYTES + grh && iba_bth_destqp(bth) == PROBE_QP && iba_bth_psn(bth) == j->psn;
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

static bool is_there(const struct journey *j, size_t node, uint8_t port)
{
    if (j->to)
        return node == j->to->node && port == j->to->port;
    return iba_node_port_has_lid(&subnet_node(j->s, node)->n.port[port], j->dlid);
}

static bool arrives(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct journey *j = ctx;

    if (!is_ours(j, packet, len))
        return true;
    j->p->end = (struct probe_port){node, port};
    j->p->result = is_there(j, node, port) ? PROBE_DELIVERED : PROBE_ASTRAY;
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

/* Follows the packet. It is lost when no wire and no queue of the subnet has a packet any more, or after a second. */
static void follow(struct journey *j)
{
    const iba_time end = subnet_now(j->s) + PATIENCE_NS;

    while (!j->over && subnet_deadline(j->s) <= end && (subnet_in_flight(j->s) > 0 || subnet_waiting(j->s) > 0))
        subnet_run(j->s, subnet_deadline(j->s));
}

static uint32_t next_psn(void)
{
    enum { PSN_BITS = 0xffffff };
    static uint32_t psn;

    return psn = (psn + 1) & PSN_BITS;
}

static void travel(struct journey *j, struct probe_port from, const uint8_t *packet, size_t len)
{
    const struct subnet_watch watch = {.sent = leaves, .received = arrives, .ctx = j};

    j->p->result = PROBE_LOST;
    j->p->hops = 0;
    subnet_set_watch(j->s, &watch);
    subnet_send(j->s, from.node, from.port, packet, len);
    subnet_run(j->s, subnet_now(j->s));
    follow(j);
    subnet_set_watch(j->s, NULL);
}

void probe_send(struct subnet *s, struct probe_port from, uint16_t dlid, uint8_t sl, struct probe *p)
{
    struct journey j = {.s = s, .p = p, .psn = next_psn(), .dlid = dlid};
    uint8_t packet[IBA_MGMT_BYTES];

    build(subnet_node(s, from.node), from.port, &j, sl, packet);
    travel(&j, from, packet, sizeof packet);
}

/* ---- to another subnet ---- */

void probe_gid(const struct iba_node_port *p, uint8_t gid[16])
{
    enum { HALF_BITS = 64 };

    iba_bits_put(gid, 0, HALF_BITS, p->info.guid);
    iba_bits_put(gid, HALF_BITS, HALF_BITS, p->guid[0]);
}

static size_t build_global(const struct iba_node_port *from, const struct iba_node_port *to, const struct journey *j,
                           uint8_t hop_limit, uint8_t *packet)
{
    enum { UD_SEND_ONLY = 0x64, GID_BYTES = 16 };
    static const uint8_t payload[IBA_MAD_BYTES];
    uint8_t *grh, *bth, gid[GID_BYTES] = {0};
    struct iba_recipe r;
    size_t len = 0;

    iba_recipe_init(&r, IBA_ENCAP_IB_GLOBAL, UD_SEND_ONLY);
    grh = iba_recipe_part(&r, IBA_H_grh);
    bth = iba_recipe_part(&r, IBA_H_bth);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), j->dlid);
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), from->info.lid);
    probe_gid(from, gid);
    iba_grh_set_sgid(grh, gid);
    probe_gid(to, gid);
    iba_grh_set_dgid(grh, gid);
    iba_grh_set_hoplmt(grh, hop_limit);
    iba_bth_set_p_key(bth, from->n_pkey ? from->pkey[0] : UINT16_MAX);
    iba_bth_set_destqp(bth, PROBE_QP);
    iba_bth_set_psn(bth, j->psn);
    iba_deth_set_srcqp(iba_recipe_part(&r, IBA_H_deth), PROBE_QP);
    r.payload = payload;
    r.payload_len = sizeof payload;
    return iba_build(&r, packet, IBA_PACKET_MOST, &len) == IBA_OK ? len : 0;
}

void probe_send_global(struct subnet *s, struct probe_port from, struct probe_port to, uint16_t router,
                       uint8_t hop_limit, struct probe *p)
{
    struct journey j = {.s = s, .p = p, .psn = next_psn(), .dlid = router, .to = &to};
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = build_global(&subnet_node(s, from.node)->n.port[from.port],
                                    &subnet_node(s, to.node)->n.port[to.port], &j, hop_limit, packet);

    travel(&j, from, packet, len);
}

/* ---- all pairs ---- */

/* Moves to the next port of an adapter. False: there is none. */
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
            if ((to.node != from.node || to.port != from.port) &&
                subnet_joined(s, from.node, from.port, to.node, to.port))
                to_each_lid(s, from, to, sl, sum);
}

const char *probe_result_name(enum probe_result r)
{
    static const char *const names[] = {"delivered", "astray", "loop", "lost"};
    return names[r];
}
