/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "talk.h"
#include "transport/iba_wr_ops.h"

static const uint16_t rights = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ |
                               IBA_ACCESS_REMOTE_ATOMIC | IBA_ACCESS_FLUSH_GLOBAL | IBA_ACCESS_FLUSH_PERSISTENT;

void die(const char *what, const char *detail)
{
    fprintf(stderr, "ibtalk: %s: %s\n", what, detail);
    exit(2);
}

static void must(bool good, const char *what)
{
    if (!good)
        die("the engine refuses", what);
}

static uint64_t entropy(void *ctx)
{
    return iba_random_next(ctx);
}

/* ---- the two adapters ---- */

static void set_addresses(struct side *s, unsigned i, const struct network_kind *k, struct iba_av *av)
{
    struct iba_port *port = iba_ca_port(&s->ca, 1);
    uint8_t gid[2][16] = {{0xfe, 0x80, [15] = 1}, {0xfe, 0x80, [15] = 2}};

    for (unsigned n = 0; n < 2; n++)
        if (k->port == IBA_PORT_ROCE2 && !k->v6)
            iba_gid_set_ipv4(gid[n], 0x0a000001u + n);
    iba_port_init(port, 1, k->port, IBA_MTU_4096, UINT64_C(0x020000000001) + i);
    memcpy(port->gid[0], gid[i], 16);
    port->n_gid = 1;
    port->lid = k->port == IBA_PORT_IB ? (uint16_t)(i + 1) : 0;
    *av = (struct iba_av){.port = 1,
                          .sl = 3,
                          .grh = k->grh,
                          .dlid = (uint16_t)(2 - i),
                          .vlan = 0xffff,
                          .hop_limit = 64,
                          .tclass = 0x20,
                          .flow_label = 0x12345,
                          .dmac = UINT64_C(0x020000000001) + 1 - i};
    memcpy(av->dgid, gid[1 - i], 16);
}

static void register_memory(struct side *s)
{
    struct iba_mr_attr a = {.base = s->memory, .length = REGION, .iova = REGION_VA, .access = rights};
    uint32_t lkey;

    must(iba_pd_create(&s->ca.mem, &s->pd) == IBA_MEM_OK, "a protection domain");
    a.pd = s->pd;
    must(iba_mr_register(&s->ca.mem, &a, &s->lkey, &s->rkey) == IBA_MEM_OK, "a region");
    a.base = s->spare, a.length = sizeof s->spare, a.access |= IBA_ACCESS_INVALIDATE;
    must(iba_mr_register(&s->ca.mem, &a, &lkey, &s->spare_rkey) == IBA_MEM_OK, "a region");
}

static void open_side(struct talk *t, unsigned i, enum iba_qp_type service)
{
    struct side *s = &t->side[i];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(s), .n_port = 1, .random = entropy, .ctx = &t->random};

    memset(s, 0, sizeof *s);
    iba_ca_init(&s->ca, &cfg);
    for (size_t k = 0; k < REGION; k++)
        s->memory[k] = (uint8_t)iba_random_next(&t->random);
    register_memory(s);
    must(iba_create_cq(&s->ca, &s->cq, s->ring, 4 * DEPTH, &s->cqn) == IBA_VERB_OK, "a completion queue");
    const struct iba_qp_init init = {.type = (uint8_t)service,
                                     .pd = s->pd,
                                     .send_cq = s->cqn,
                                     .recv_cq = s->cqn,
                                     .srq = IBA_NONE,
                                     .sq = s->sq,
                                     .rq = s->rq,
                                     .saved = s->saved,
                                     .n_sq = DEPTH,
                                     .n_rq = DEPTH,
                                     .n_saved = SAVED};
    must(iba_create_qp(&s->ca, &s->qp, &init, &s->qpn) == IBA_VERB_OK, "a queue pair");
}

static void connect(struct talk *t, unsigned i, const struct conversation *c)
{
    struct side *s = &t->side[i];
    const bool raw = c->service == IBA_QPT_RAW_IPV6 || c->service == IBA_QPT_RAW_ETHERTYPE;
    const bool ud = c->service == IBA_QPT_UD, rc = c->service == IBA_QPT_RC, connected = !ud && !raw;
    struct iba_qp_attr a = {.state = IBA_QPS_INIT,
                            .port = 1,
                            .qkey = 0x1234,
                            .access = rights & IBA_ACCESS_REMOTE,
                            .path_mtu = (uint8_t)c->mtu,
                            .dest_qpn = t->side[1 - i].qpn,
                            .rq_psn = 0xfffff8, /* wraps */
                            .sq_psn = 0xfffff8,
                            .timeout = 8,
                            .retry = 7,
                            .rnr_retry = 7,
                            .min_rnr = 12,
                            .max_rd = SAVED,
                            .max_dest_rd = SAVED};
    uint32_t init = IBA_QPA_STATE | IBA_QPA_PORT, rtr = IBA_QPA_STATE, rts = IBA_QPA_STATE;

    set_addresses(s, i, c->kind, &a.av);
    init |= raw ? 0 : IBA_QPA_PKEY_INDEX | (ud ? IBA_QPA_QKEY : IBA_QPA_ACCESS);
    rtr |= !connected ? 0 : IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN;
    rtr |= rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0;
    rts |= raw ? 0 : IBA_QPA_SQ_PSN;
    rts |= rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0;
    must(iba_modify_qp(&s->ca, s->qpn, &a, init) == IBA_VERB_OK, "Init");
    a.state = IBA_QPS_RTR;
    must(iba_modify_qp(&s->ca, s->qpn, &a, rtr) == IBA_VERB_OK, "Ready to Receive");
    a.state = IBA_QPS_RTS;
    must(iba_modify_qp(&s->ca, s->qpn, &a, rts) == IBA_VERB_OK, "Ready to Send");
    if (!connected)
        must(iba_create_ah(&s->ca, s->pd, &a.av, &s->ah) == IBA_VERB_OK, "an address handle");
}

void talk_begin(struct talk *t, const struct conversation *c)
{
    iba_random_seed(&t->random, c->seed);
    t->kind = c->kind;
    t->link = c->kind->port == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    iba_net_init(&t->net, c->seed, &c->faults, t->link, t->slot, t->frames, FLIGHT, IBA_TX_MOST);
    for (unsigned i = 0; i < 2; i++)
        open_side(t, i, c->service);
    for (unsigned i = 0; i < 2; i++)
        connect(t, i, c);
}

/* ---- work ---- */

void talk_receive(struct talk *t, unsigned side, uint32_t length)
{
    struct side *s = &t->side[side];
    const struct iba_recv_wr wr = {.n_sge = 1, .sge = {{REGION_VA, length, s->lkey}}};

    must(iba_post_recv(&s->ca, s->qpn, &wr) == IBA_VERB_OK, "a receive");
}

static bool is_connected(const struct side *s)
{
    return s->qp.type == IBA_QPT_RC || s->qp.type == IBA_QPT_UC;
}

/* Prints the requested operation, for people who read the packets; members that the operation does not use are 0. */
static void report(const struct talk *t, const struct iba_send_wr *wr, uint32_t length)
{
    const struct side *s = &t->side[0];
    const bool connected = is_connected(s), atomic = wr->op == IBA_WR_CMP_SWAP || wr->op == IBA_WR_FETCH_ADD;

    printf("{\"kind\":\"%s\",\"service\":\"%s\",\"mtu\":%u,\"psn\":%" PRIu32 ",\"from\":%" PRIu32 ",\"to\":%" PRIu32,
           t->kind->name, iba_qp_type_name((enum iba_qp_type)s->qp.type), (unsigned)iba_mtu_bytes(s->qp.attr.path_mtu),
           s->qp.attr.sq_psn, s->qpn, t->side[1].qpn);
    printf(",\"op\":\"%s\",\"length\":%" PRIu32 ",\"va\":%" PRIu64 ",\"rkey\":%" PRIu32 ",\"imm\":%" PRIu32
           ",\"solicited\":%d",
           iba_wr_op_name((enum iba_wr_op)wr->op), length, connected ? wr->va : 0, connected ? wr->rkey : 0,
           wr->imm_or_key, (wr->flags & IBA_WR_SOLICITED) != 0);
    printf(",\"compare_add\":%" PRIu64 ",\"swap\":%" PRIu64 ",\"qkey\":%" PRIu32 "}\n", atomic ? wr->compare_add : 0,
           atomic ? wr->swap : 0, connected ? 0 : wr->remote_qkey);
}

void talk_send(struct talk *t, struct iba_send_wr *wr, uint32_t length)
{
    struct side *s = &t->side[0];

    wr->flags |= IBA_WR_SIGNALED;
    if (is_connected(s)) {
        wr->va = wr->va ? wr->va : REGION_VA;
        wr->rkey = wr->rkey ? wr->rkey : t->side[1].rkey;
    } else {
        wr->ah = s->ah;
        wr->remote_qpn = t->side[1].qpn;
        wr->remote_qkey = 0x1234;
    }
    wr->n_sge = 1;
    wr->sge[0] = (struct iba_sge){REGION_VA + 1, length, s->lkey};
    must(iba_post_send(&s->ca, s->qpn, wr) == IBA_VERB_OK, iba_wr_op_name((enum iba_wr_op)wr->op));
    report(t, wr, length);
}

unsigned talk_completed(struct talk *t, unsigned side)
{
    struct iba_wc wc;
    unsigned n = 0;

    while (iba_poll_cq(&t->side[side].ca, t->side[side].cqn, &wc))
        n += wc.status == IBA_WC_SUCCESS;
    return n;
}

/* ---- the network ---- */

static void put32(FILE *f, uint32_t v)
{
    const uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};

    if (fwrite(b, sizeof b, 1, f) != 1)
        die("cannot write", "capture");
}

static void record(struct talk *t, const uint8_t *frame, size_t len)
{
    enum { GIGA = 1000000000 };

    put32(t->capture, (uint32_t)(t->now / GIGA));
    put32(t->capture, (uint32_t)(t->now % GIGA));
    put32(t->capture, (uint32_t)len);
    put32(t->capture, (uint32_t)len);
    if (fwrite(frame, len, 1, t->capture) != 1)
        die("cannot write", "capture");
}

static bool drain(struct talk *t, unsigned i)
{
    uint8_t buf[IBA_TX_MOST];
    size_t len;
    bool any = false;

    while (iba_ca_poll(&t->side[i].ca, 1, buf, sizeof buf, &len, t->now) == IBA_OK && len > 0) {
        record(t, buf, len);
        iba_net_send(&t->net, (uint8_t)i, buf, len, t->now);
        any = true;
    }
    return any;
}

static bool deliver(struct talk *t, unsigned i)
{
    uint8_t buf[IBA_TX_MOST];
    struct iba_view v;
    const size_t len = iba_net_receive(&t->net, (uint8_t)i, buf, sizeof buf, t->now);

    if (len == 0)
        return false;
    (void)iba_view_parse(&v, t->link, buf, len, len, NULL);
    iba_view_check(&v);
    iba_ca_feed(&t->side[i].ca, 1, &v, t->now);
    return true;
}

void talk_run(struct talk *t, iba_time span)
{
    const iba_time until = t->now + span;

    for (;;) {
        bool moved = false;
        for (unsigned i = 0; i < 2; i++)
            moved |= drain(t, i);
        for (unsigned i = 0; i < 2; i++)
            moved |= deliver(t, i);
        if (moved)
            continue;
        iba_time next = iba_net_deadline(&t->net);
        for (unsigned i = 0; i < 2; i++) {
            const iba_time d = iba_ca_deadline(&t->side[i].ca);
            next = d < next ? d : next;
        }
        t->now = next > until ? until : next > t->now ? next : t->now;
        if (next > until)
            return;
        for (unsigned i = 0; i < 2; i++)
            iba_ca_advance(&t->side[i].ca, t->now);
    }
}
