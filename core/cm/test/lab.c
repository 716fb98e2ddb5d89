/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t entropy(void *ctx)
{
    return iba_random_next(ctx);
}

static void address(struct lab *l, unsigned n, enum iba_port_kind kind)
{
    static const uint8_t v4[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};
    struct iba_port *p = &l->end[n].port[0];

    iba_port_init(p, 1, kind, IBA_MTU_1024, 0x020000000001 + n);
    p->lid = kind == IBA_PORT_IB ? (uint16_t)(10 + n) : 0;
    if (kind != IBA_PORT_ROCE2)
        return;
    memcpy(p->gid[0], v4, sizeof v4);
    p->gid[0][15] = (uint8_t)(1 + n);
    p->n_gid = 1;
}

void lab_open(struct lab *l, enum iba_port_kind kind, uint32_t n_conn, uint64_t seed, const struct iba_net_faults *f)
{
    memset(l, 0, sizeof *l);
    iba_net_init(&l->net, seed, f, IBA_LINK_ETHERNET, l->slot, l->bytes, LAB_FLIGHT, IBA_MAD_BYTES);
    for (unsigned n = 0; n < 2; n++)
        address(l, n, kind);
    for (unsigned n = 0; n < 2; n++) {
        struct lab_end *e = &l->end[n];
        const struct iba_port *peer = &l->end[!n].port[0];
        e->conn = calloc(n_conn, sizeof *e->conn);
        e->heap = calloc(n_conn, sizeof *e->heap);
        e->bucket = calloc((size_t)n_conn * IBA_CM_KEYS, sizeof *e->bucket);
        assert(e->conn && e->heap && e->bucket);
        iba_random_seed(&e->random, seed * 2 + n);
        e->to = (struct iba_av){.port = 1, .dlid = peer->lid, .dmac = peer->mac, .vlan = 0xffff, .hop_limit = 64};
        memcpy(e->to.dgid, peer->gid[0], 16);
        iba_cm_init(&e->cm, &(struct iba_cm_config){.ca_guid = 0xca0000 + n,
                                                    .port = e->port,
                                                    .n_port = 1,
                                                    .target_ack_delay = 15,
                                                    .conn = e->conn,
                                                    .heap = e->heap,
                                                    .bucket = e->bucket,
                                                    .n_conn = n_conn,
                                                    .listener = e->listener,
                                                    .n_listener = LAB_LISTENERS,
                                                    .out = e->out,
                                                    .event = e->event,
                                                    .n_out = LAB_RING,
                                                    .n_event = LAB_RING,
                                                    .random = entropy,
                                                    .ctx = &e->random});
    }
}

void lab_close(struct lab *l)
{
    for (unsigned n = 0; n < 2; n++) {
        free(l->end[n].conn);
        free(l->end[n].heap);
        free(l->end[n].bucket);
    }
}

void lab_feed(struct lab *l, unsigned end, const uint8_t *mad)
{
    const struct iba_cm_source from = {.av = l->end[end].to, .pkey = 0xffff, .port = 1};

    iba_cm_feed(&l->end[end].cm, &from, mad, l->now);
    if (!l->unchecked)
        iba_cm_check(&l->end[end].cm);
}

static void send_all(struct lab *l, unsigned n)
{
    struct iba_cm_datagram d;

    while (iba_cm_poll(&l->end[n].cm, &d))
        if (!l->leaves || l->leaves(l->ctx, n, &d))
            iba_net_send(&l->net, (uint8_t)n, d.mad, sizeof d.mad, l->now);
}

static void move(struct lab *l)
{
    uint8_t mad[IBA_MAD_BYTES];

    for (unsigned n = 0; n < 2; n++) {
        struct iba_cm_event e;
        send_all(l, n);
        while (iba_net_receive(&l->net, (uint8_t)n, mad, sizeof mad, l->now) > 0) {
            lab_feed(l, n, mad);
            send_all(l, n);
        }
        iba_cm_advance(&l->end[n].cm, l->now);
        if (!l->unchecked)
            iba_cm_check(&l->end[n].cm);
        send_all(l, n);
        while (l->event && iba_cm_next_event(&l->end[n].cm, &e)) {
            l->event(l->ctx, n, &e);
            send_all(l, n);
        }
    }
}

static iba_time deadline(const struct lab *l)
{
    iba_time t = iba_net_deadline(&l->net);

    for (unsigned n = 0; n < 2; n++)
        if (iba_cm_deadline(&l->end[n].cm) < t)
            t = iba_cm_deadline(&l->end[n].cm);
    return t;
}

bool lab_step(struct lab *l, iba_time until)
{
    move(l);
    const iba_time next = deadline(l);
    if (next == IBA_NEVER || next > until)
        return false;
    if (next > l->now)
        l->now = next;
    return true;
}

void lab_run(struct lab *l, iba_time until)
{
    while (lab_step(l, until))
        ;
    if (until != IBA_NEVER)
        l->now = until;
}

struct iba_cm_event lab_next(struct lab *l, unsigned end, iba_time within)
{
    const iba_time until = l->now + within;
    struct iba_cm_event e = {0};

    while (!iba_cm_next_event(&l->end[end].cm, &e))
        if (!lab_step(l, until)) {
            if (iba_cm_next_event(&l->end[end].cm, &e))
                break;
            l->now = until;
            return (struct iba_cm_event){0};
        }
    return e;
}

bool lab_take(struct lab *l, unsigned end, uint8_t *mad)
{
    struct iba_cm_datagram d;

    if (!iba_cm_poll(&l->end[end].cm, &d))
        return false;
    memcpy(mad, d.mad, sizeof d.mad);
    return true;
}

struct iba_cm_request lab_request(const struct lab *l, unsigned from, uint32_t qpn)
{
    const struct iba_port *own = &l->end[from].port[0], *peer = &l->end[!from].port[0];
    struct iba_cm_request r = {.req = {.serviceid = LAB_SERVICE,
                                       .localqpn = qpn,
                                       .responderres = 4,
                                       .initdepth = 4,
                                       .remoteresptout = 14, /* 67 ms */
                                       .startpsn = 0x777,
                                       .localresptout = 14,
                                       .retrcount = 7,
                                       .pkey = 0xffff,
                                       .pppmtu = IBA_MTU_1024,
                                       .rnrretrcount = 7,
                                       .maxcmretr = 15,
                                       .prim_locallid = own->lid,
                                       .prim_remotelid = peer->lid,
                                       .prim_pktrate = 3,
                                       .prim_hoplim = 64,
                                       .prim_subnetlocal = own->lid != 0,
                                       .prim_localacktout = 10},
                               .av = l->end[from].to};

    memcpy(r.req.prim_localgid, own->gid[0], 16);
    memcpy(r.req.prim_remotegid, peer->gid[0], 16);
    return r;
}

struct iba_cm_rep lab_rep(uint32_t qpn)
{
    return (struct iba_cm_rep){.localqpn = qpn, .startpsn = 0x999, .respres = 4, .initdepth = 4, .rnrretrcount = 7};
}
