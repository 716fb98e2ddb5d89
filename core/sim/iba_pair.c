/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/iba_pair.h"
#include <string.h>
#include "wire/iba_endpoints.h"

enum { FRAME_DELAY_NS = 1000, HOPS = 64, NO_VLAN = 0xffff, GID_BYTES = 16 };

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct iba_pair_end *)ctx)->random);
}

static void gid_of(unsigned n, uint8_t gid[GID_BYTES])
{
    iba_gid_set_ipv4(gid, 0x0a000001 + n);
}

static uint64_t mac_of(unsigned n)
{
    return 0x020000000001 + n;
}

int iba_pair_end_open(struct iba_pair_end *e, uint64_t seed, uint64_t mac, const uint8_t gid[16], void *memory,
                      uint64_t size)
{
    const struct iba_ca_config cfg = {.n_port = 1,
                                      .qp = e->qps,
                                      .cq = e->cqs,
                                      .key = e->keys,
                                      .pd = e->pds,
                                      .n_qp = IBA_CA_ENTRIES(e->qps),
                                      .n_cq = IBA_CA_ENTRIES(e->cqs),
                                      .n_key = IBA_CA_ENTRIES(e->keys),
                                      .n_pd = IBA_CA_ENTRIES(e->pds),
                                      .random = entropy,
                                      .ctx = e};
    struct iba_mr_attr attr = {.base = memory,
                               .length = size,
                               .iova = IBA_PAIR_VA,
                               .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ |
                                         IBA_ACCESS_REMOTE_ATOMIC};
    int error;

    e->n_qp = 0;
    iba_random_seed(&e->random, seed);
    iba_ca_init(&e->ca, &cfg);
    iba_port_init(iba_ca_port(&e->ca, 1), 1, IBA_PORT_ROCE2, IBA_MTU_4096, mac);
    memcpy(iba_ca_port(&e->ca, 1)->gid[0], gid, GID_BYTES);
    error = (int)iba_pd_create(&e->ca.mem, &e->pd);
    attr.pd = e->pd;
    if (error == 0)
        error = (int)iba_mr_register(&e->ca.mem, &attr, &e->lkey, &e->rkey);
    return error ? error : (int)iba_create_cq(&e->ca, &e->own_cq, e->wc, IBA_CA_ENTRIES(e->wc), &e->cq);
}

int iba_pair_open(struct iba_pair *p, uint64_t seed, const struct iba_net_faults *faults, void *const memory[2],
                  uint64_t size)
{
    const struct iba_net_faults none = {.delay_ns = FRAME_DELAY_NS};
    uint8_t gid[GID_BYTES];
    int error = 0;

    p->now = 0;
    p->sent = NULL;
    iba_net_init(&p->net, seed, faults ? faults : &none, IBA_LINK_ETHERNET, p->slot, p->bytes, IBA_PAIR_FLIGHT,
                 IBA_TX_MOST);
    for (unsigned n = 0; n < 2 && error == 0; n++) {
        gid_of(n, gid);
        error = iba_pair_end_open(&p->end[n], seed * 2 + n, mac_of(n), gid, memory[n], size);
    }
    return error;
}

int iba_pair_end_create_qp(struct iba_pair_end *e, uint32_t *qpn)
{
    const uint32_t n = e->n_qp;
    struct iba_qp_init init = {.type = IBA_QPT_RC,
                               .pd = e->pd,
                               .send_cq = e->cq,
                               .recv_cq = e->cq,
                               .srq = IBA_NONE,
                               .n_sq = IBA_PAIR_DEPTH,
                               .n_rq = IBA_PAIR_DEPTH,
                               .n_saved = IBA_PAIR_SAVED};
    int error;

    if (n == IBA_PAIR_QPS)
        return IBA_VERB_FULL;
    init.sq = e->sq[n];
    init.rq = e->rq[n];
    init.saved = e->saved[n];
    error = (int)iba_create_qp(&e->ca, &e->qp[n], &init, qpn);
    e->n_qp += error == 0;
    return error;
}

int iba_pair_end_connect(struct iba_pair_end *e, uint32_t qpn, const struct iba_pair_qp *how,
                         const struct iba_pair_peer *peer, uint32_t psn)
{
    struct iba_qp_attr a = {
        .access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC,
        .port = 1,
        .timeout = how->timeout,
        .retry = how->retry,
        .rnr_retry = 7,
        .min_rnr = 12,
        .max_rd = 8,
        .max_dest_rd = 8,
        .path_mtu = (uint8_t)how->pmtu,
        .dest_qpn = peer->qpn,
        .rq_psn = peer->psn,
        .sq_psn = psn,
        .av = {.dmac = peer->mac, .vlan = NO_VLAN, .hop_limit = HOPS, .port = 1, .grh = true},
    };
    int error = 0;

    memcpy(a.av.dgid, peer->gid, sizeof peer->gid);
    for (unsigned from = IBA_QPS_RESET; error == 0 && from < IBA_QPS_RTS; from++) {
        a.state = (uint8_t)(from + 1);
        error =
            (int)iba_modify_qp(&e->ca, qpn, &a, IBA_QPA_STATE | iba_qp_required(IBA_QPT_RC, (uint8_t)from, a.state));
    }
    return error;
}

int iba_pair_connect(struct iba_pair *p, const struct iba_pair_qp *how, uint32_t qpn[2])
{
    uint32_t psn[2];
    int error = 0;

    for (unsigned n = 0; n < 2 && error == 0; n++) {
        psn[n] = iba_random_psn(&p->end[n].ca);
        error = iba_pair_end_create_qp(&p->end[n], &qpn[n]);
    }
    for (unsigned n = 0; n < 2 && error == 0; n++) {
        struct iba_pair_peer peer = {.mac = mac_of(1 - n), .qpn = qpn[1 - n], .psn = psn[1 - n]};
        gid_of(1 - n, peer.gid);
        error = iba_pair_end_connect(&p->end[n], qpn[n], how, &peer, psn[n]);
    }
    return error;
}

/* Serves end n: it takes in the packets that have arrived, runs its timers, and sends packets. */
static void serve(struct iba_pair *p, unsigned n)
{
    struct iba_ca *ca = &p->end[n].ca;
    struct iba_view v;
    size_t len;

    while ((len = iba_net_receive(&p->net, (uint8_t)n, p->frame, sizeof p->frame, p->now)) > 0)
        if (iba_view_parse(&v, IBA_LINK_ETHERNET, p->frame, len, len, NULL) == IBA_OK) {
            iba_view_check(&v);
            iba_ca_feed(ca, 1, &v, p->now);
        }
    iba_ca_advance(ca, p->now);
    while (iba_ca_poll(ca, 1, p->frame, sizeof p->frame, &len, p->now) == IBA_OK && len > 0) {
        if (p->sent)
            p->sent(p->ctx, n, p->frame, len, p->now);
        iba_net_send(&p->net, (uint8_t)n, p->frame, len, p->now);
    }
}

bool iba_pair_step(struct iba_pair *p)
{
    iba_time next;

    serve(p, 0);
    serve(p, 1);
    next = iba_net_deadline(&p->net);
    for (unsigned n = 0; n < 2; n++)
        if (iba_ca_deadline(&p->end[n].ca) < next)
            next = iba_ca_deadline(&p->end[n].ca);
    if (next == IBA_NEVER)
        return false;
    if (next > p->now)
        p->now = next;
    return true;
}

bool iba_pair_wait(struct iba_pair *p, unsigned end, struct iba_wc *wc)
{
    bool more = true;

    while (iba_poll_cq(&p->end[end].ca, p->end[end].cq, wc) == 0) {
        if (!more)
            return false;
        more = iba_pair_step(p);
    }
    return true;
}
