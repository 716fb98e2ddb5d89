/* SPDX-License-Identifier: BSD-2-Clause */
#include "flood.h"
#include <stdlib.h>
#include <string.h>
#include "probe.h"
#include "sim/iba_random.h"

enum {
    FLOOD_QP = 0xfffffd, /* no program of the subnet uses this QP */
    SERIAL_AT = IBA_BYTES_lrh + IBA_BYTES_bth + IBA_BYTES_deth,
    PAYLOAD_LEAST = 256,
    QUEUED_MOST = 2, /* packets that may wait at their adapter */
    SERVICE_LEVELS = 16,
};
/* Virtual time in ns that is longer than the longest lifetime of a packet, 4.096 us * 2^19 (KM-50). */
static const iba_time patience = UINT64_C(3000000000);
/* The same, longer than two intervals between flow-control packets, 65,536 symbol times of 4 ns (KM-48). */
static const iba_time two_intervals = 1000000;

struct source {
    size_t node;
    uint8_t port;
    uint64_t others; /* number of other ports in the same subnet */
    uint64_t left;   /* packets that this port has still to send */
    bool wants;      /* the queue of this port may have space for a packet */
};
struct flood {
    struct subnet *s;
    const struct flood_config *c;
    struct flood_sum *sum;
    struct source *source;
    size_t n;
    uint8_t *arrived; /* indexed by the serial number of the packet */
    uint64_t serials;
    uint16_t *dlid; /* indexed by the serial number of the packet */
    uint8_t *hops;  /* how many ports the packet has left; indexed by its serial number */
    struct iba_random dice;
    iba_time moved;
    bool intervals; /* flow-control packets are sent at regular intervals */
    bool
        lossy; /* a packet was discarded on a wire: both ends count different credits until they hear from each other */
};

/* ---- packets ---- */

static bool is_ours(const struct flood *f, const uint8_t *packet, size_t len, uint64_t *serial)
{
    if (len < SERIAL_AT + PAYLOAD_LEAST || iba_bth_destqp(packet + IBA_BYTES_lrh) != FLOOD_QP)
        return false;
    *serial = iba_le32(packet + SERIAL_AT);
    return *serial < f->serials;
}

static uint8_t some_sl(struct flood *f)
{
    uint8_t sl;

    do
        sl = (uint8_t)iba_random_below(&f->dice, SERVICE_LEVELS);
    while (!(f->c->sls >> sl & 1));
    return sl;
}

static size_t build(struct flood *f, const struct source *from, uint16_t dlid, uint8_t sl, uint8_t *packet)
{
    const struct iba_node *n = &subnet_node(f->s, from->node)->n;
    const struct iba_node_port *p = &n->port[from->port];
    const uint32_t words = (f->c->payload_most - PAYLOAD_LEAST) / 4 + 1;
    const size_t payload = PAYLOAD_LEAST + 4 * (size_t)iba_random_below(&f->dice, words);
    const size_t icrc_at = SERIAL_AT + payload, vcrc_at = icrc_at + IBA_ICRC_BYTES;
    static const uint8_t datagram[IBA_MAD_BYTES];

    (void)iba_mgmt_build(packet,
                         &(struct iba_mgmt_to){.dlid = dlid,
                                               .slid = p->info.lid,
                                               .dqp = FLOOD_QP,
                                               .sqp = FLOOD_QP,
                                               .pkey = p->n_pkey ? p->pkey[0] : UINT16_MAX,
                                               .sl = sl},
                         iba_node_sl2vl(n, 0, from->port)[sl], datagram);
    memset(packet + SERIAL_AT, 0, payload);
    iba_put_le32(packet + SERIAL_AT, (uint32_t)f->sum->sent);
    iba_lrh_set_pktlen(packet, vcrc_at / 4);
    iba_put_le32(packet + icrc_at, iba_icrc(IBA_ICRC_LOCAL, packet, IBA_BYTES_lrh, icrc_at));
    iba_put_le16(packet + vcrc_at, iba_vcrc(packet, vcrc_at));
    return vcrc_at + IBA_VCRC_BYTES;
}

/* ---- sources ---- */

static bool has_room(const struct flood *f, const struct source *from)
{
    const struct iba_node_port *p = &subnet_node(f->s, from->node)->n.port[from->port];

    return p->waiting + p->paced_waiting < QUEUED_MOST;
}

static bool joined(const struct flood *f, const struct source *a, const struct source *b)
{
    return subnet_joined(f->s, a->node, a->port, b->node, b->port);
}

/* Returns the next destination: all adapter ports of the sender's subnet take turns, beginning with the one after
 * the sender. Ports of other subnets are left out, since LIDs mean other ports there. */
static const struct source *destination_of(const struct flood *f, const struct source *from)
{
    const size_t own = (size_t)(from - f->source);
    uint64_t skip = from->left % from->others;

    for (size_t i = own + 1;; i++)
        if (joined(f, from, &f->source[i % f->n]) && skip-- == 0)
            return &f->source[i % f->n];
}

static bool post(struct flood *f, struct source *from)
{
    const struct source *to = destination_of(f, from);
    const uint16_t dlid = subnet_node(f->s, to->node)->n.port[to->port].info.lid;
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = build(f, from, dlid, some_sl(f), packet);

    if (!f->c->ipd)
        subnet_send(f->s, from->node, from->port, packet, len);
    else if (!subnet_send_at_rate(f->s, from->node, from->port, packet, len, f->c->ipd))
        return false;
    f->dlid[f->sum->sent++] = dlid;
    from->left--;
    return true;
}

static void refill(struct flood *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->source[i].wants) {
            while (f->source[i].left > 0 && has_room(f, &f->source[i]) && post(f, &f->source[i]))
                ;
            f->source[i].wants = has_room(f, &f->source[i]);
        }
}

/* ---- what happens to packets ---- */

static bool sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct flood *f = ctx;
    uint64_t serial;

    if (!is_ours(f, packet, len, &serial))
        return true;
    if (f->hops[serial]++ == PROBE_HOPS) {
        f->lossy = true;
        return false;
    }
    f->moved = subnet_now(f->s);
    for (size_t i = 0; !iba_node_is_switch(&subnet_node(f->s, node)->n) && i < f->n; i++)
        if (f->source[i].node == node && f->source[i].port == port)
            f->source[i].wants = true;
    return true;
}

static bool received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    struct flood *f = ctx;
    uint64_t serial;

    if (!is_ours(f, packet, len, &serial))
        return true;
    f->moved = subnet_now(f->s);
    if (!iba_node_port_has_lid(&subnet_node(f->s, node)->n.port[port], f->dlid[serial]))
        f->sum->astray++;
    else if (f->arrived[serial])
        f->sum->twice++;
    else
        f->sum->delivered++;
    f->arrived[serial] = 1;
    return false;
}

static uint64_t waiting(const struct flood *f)
{
    uint64_t n = 0;

    for (size_t i = 0; i < subnet_nodes(f->s); i++)
        for (unsigned p = 1; p <= subnet_node(f->s, i)->n.cfg.n_port; p++)
            n += subnet_node(f->s, i)->n.port[p].waiting + subnet_node(f->s, i)->n.port[p].paced_waiting;
    return n;
}

static bool is_over(const struct flood *f)
{
    const iba_time next = subnet_deadline(f->s);

    if (next == IBA_NEVER || next > f->moved + patience)
        return true;
    return f->sum->sent == f->serials && subnet_in_flight(f->s) == 0 && waiting(f) == 0;
}

/* ---- all of it ---- */

static bool find_sources(struct flood *f)
{
    for (size_t i = 0; i < subnet_nodes(f->s); i++) {
        const struct iba_node *n = &subnet_node(f->s, i)->n;
        for (unsigned p = 1; p <= n->cfg.n_port; p++) {
            struct source *more;
            if (!subnet_is_end(n, p))
                continue;
            more = realloc(f->source, (f->n + 1) * sizeof *more);
            if (!more)
                return false;
            f->source = more;
            f->source[f->n++] = (struct source){.node = i, .port = (uint8_t)p, .wants = true};
        }
    }
    for (size_t i = 0; i < f->n; i++) {
        for (size_t k = 0; k < f->n; k++)
            f->source[i].others += k != i && joined(f, &f->source[i], &f->source[k]);
        f->source[i].left = f->c->packets * f->source[i].others;
        f->serials += f->source[i].left;
    }
    return true;
}

/* Sends flow-control packets at regular intervals from now on. They tell both ends of each link how many credits there
 * are. */
static void refresh(struct flood *f)
{
    if (!f->intervals)
        subnet_refresh(f->s, true);
    f->intervals = true;
}

bool flood(struct subnet *s, const struct flood_config *c, struct flood_sum *sum)
{
    struct flood f = {.s = s, .c = c, .sum = sum, .moved = subnet_now(s)};
    const struct subnet_watch watch = {.sent = sent, .received = received, .ctx = &f};
    const iba_time begun = subnet_now(s);
    bool good = find_sources(&f) && f.serials <= UINT32_MAX;

    *sum = (struct flood_sum){0};
    iba_random_seed(&f.dice, c->seed);
    if (good) {
        f.arrived = calloc(f.serials + 1, sizeof *f.arrived);
        f.dlid = calloc(f.serials + 1, sizeof *f.dlid);
        f.hops = calloc(f.serials + 1, sizeof *f.hops);
        good = f.arrived && f.dlid && f.hops;
    }
    subnet_set_watch(s, &watch);
    while (good && f.serials > 0) {
        if (c->intervals || f.lossy)
            refresh(&f);
        refill(&f);
        if (is_over(&f))
            break;
        subnet_run(s, subnet_deadline(s));
    }
    subnet_set_watch(s, NULL);
    if (f.lossy)
        subnet_run(s, subnet_now(s) + two_intervals);
    if (f.intervals)
        subnet_refresh(s, false);
    sum->waiting = waiting(&f);
    sum->unsent = f.serials - sum->sent;
    sum->took = f.moved - begun;
    free(f.source);
    free(f.arrived);
    free(f.dlid);
    free(f.hops);
    return good;
}
