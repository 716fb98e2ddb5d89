/* SPDX-License-Identifier: BSD-2-Clause */
#include "pair.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "test/recorder.h"

static uint64_t entropy(void *ctx)
{
    struct pair_end *e = ctx;

    return iba_random_next(&e->pair->random);
}

static void trace(void *ctx, const char *table, const struct iba_rule *r, uint32_t qpn)
{
    const struct pair_end *e = ctx;
    const struct pair *p = e->pair;

    record_rule(NULL, table, r, qpn);
    if (p->decided)
        p->decided(p->tap_ctx, (unsigned)(e - p->end), r);
}

static void set_addresses(struct pair *p, unsigned i, const struct pair_config *c, struct iba_av *av)
{
    struct iba_port *port = iba_ca_port(&p->end[i].ca, 1);
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    uint8_t gid[2][16] = {{0xfe, 0x80, [15] = 1}, {0xfe, 0x80, [15] = 2}};

    for (unsigned k = 0; k < 2; k++)
        if (c->kind == IBA_PORT_ROCE2 && !c->v6) {
            const uint8_t ip[4] = {10, 0, 0, (uint8_t)(k + 1)};
            memcpy(gid[k], mapped, sizeof mapped);
            memcpy(gid[k] + 12, ip, sizeof ip);
        }
    iba_port_init(port, 1, c->kind, IBA_MTU_4096, UINT64_C(0x020000000001) + i);
    memcpy(port->gid[0], gid[i], 16);
    port->n_gid = 1;
    port->lid = c->kind == IBA_PORT_IB ? (uint16_t)(i + 1) : 0;
    *av = (struct iba_av){.port = 1,
                          .grh = c->kind != IBA_PORT_IB,
                          .dlid = (uint16_t)(2 - i),
                          .vlan = 0xffff,
                          .hop_limit = 64,
                          .dmac = UINT64_C(0x020000000001) + 1 - i};
    memcpy(av->dgid, gid[1 - i], 16);
}

static enum iba_qp_type type_of(const struct pair_config *c, unsigned end)
{
    return c->type == IBA_QPT_XRC_INI && end == 1 ? IBA_QPT_XRC_TGT : c->type;
}

/* Creates two SRQs of the target's XRC domain; the requests use the second one. */
static void open_xrc(struct pair_end *e, uint32_t *xrcd)
{
    static struct iba_recv_wr none[1];
    static struct iba_srq first;
    struct iba_xrc_srq_init init = {.ring = none, .n = 1, .pd = e->pd, .cq = e->cqn};

    cr_assert_eq(iba_create_xrcd(&e->ca, xrcd), IBA_VERB_OK);
    init.xrcd = *xrcd;
    cr_assert_eq(iba_create_xrc_srq(&e->ca, &first, &init, &e->srqn), IBA_VERB_OK);
    init.ring = e->rq;
    init.n = PAIR_DEPTH;
    cr_assert_eq(iba_create_xrc_srq(&e->ca, &e->srq, &init, &e->srqn), IBA_VERB_OK);
}

static void open_srq(struct pair_end *e, struct iba_qp_init *init)
{
    cr_assert_eq(iba_create_srq(&e->ca, &e->srq, e->rq, PAIR_DEPTH, e->pd, &e->srqn), IBA_VERB_OK);
    init->srq = e->srqn;
    init->rq = NULL;
    init->n_rq = 0;
}

/* Creates the EE context of the end, and a second RD QP that uses the context. */
static void open_rd(struct pair_end *e, const struct iba_qp_init *rd)
{
    struct iba_qp_init init = *rd;

    init.sq = e->second_sq;
    init.rq = e->second_rq;
    init.saved = NULL;
    init.n_saved = 0;
    cr_assert_eq(iba_create_qp(&e->ca, &e->second, &init, &e->second_qpn), IBA_VERB_OK);
    init.type = IBA_QPT_EE;
    init.srq = IBA_NONE;
    init.sq = e->context_sq;
    init.n_sq = 1;
    init.rq = NULL;
    init.n_rq = 0;
    init.saved = rd->saved;
    init.n_saved = rd->n_saved;
    cr_assert_eq(iba_create_qp(&e->ca, &e->context, &init, &e->eecn), IBA_VERB_OK);
}

static void open_end(struct pair *p, unsigned i, const struct pair_config *c)
{
    struct pair_end *e = &p->end[i];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(e), .n_port = 1, .random = entropy, .trace = trace, .ctx = e};

    e->pair = p;
    iba_ca_init(&e->ca, &cfg);
    e->bytes = c->bytes;
    e->va = PAIR_VA;
    e->memory = malloc(c->bytes + 2 * PAIR_GUARD);
    cr_assert_not_null(e->memory);
    memset(e->memory, 0xa5, PAIR_GUARD);
    memset(e->memory + PAIR_GUARD + c->bytes, 0xa5, PAIR_GUARD);
    for (size_t k = 0; k < c->bytes; k++)
        e->memory[PAIR_GUARD + k] = (uint8_t)iba_random_next(&p->random);
    cr_assert_eq(iba_pd_create(&e->ca.mem, &e->pd), IBA_MEM_OK);
    const struct iba_mr_attr mr = {.base = e->memory + PAIR_GUARD,
                                   .length = c->bytes,
                                   .iova = PAIR_VA,
                                   .pd = e->pd,
                                   .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ |
                                             IBA_ACCESS_REMOTE_ATOMIC};
    cr_assert_eq(iba_mr_register(&e->ca.mem, &mr, &e->lkey, &e->rkey), IBA_MEM_OK);
    cr_assert_eq(iba_create_cq(&e->ca, &e->cq, e->ring, 4 * PAIR_DEPTH, &e->cqn), IBA_VERB_OK);
    struct iba_qp_init init = {.type = (uint8_t)type_of(c, i),
                               .pd = e->pd,
                               .send_cq = e->cqn,
                               .recv_cq = e->cqn,
                               .srq = IBA_NONE,
                               .sq = e->sq,
                               .rq = e->rq,
                               .saved = e->saved,
                               .n_sq = PAIR_DEPTH,
                               .n_rq = PAIR_DEPTH,
                               .n_saved = PAIR_SAVED};
    if (init.type == IBA_QPT_XRC_TGT)
        open_xrc(e, &init.xrcd);
    else if (c->srq && i == 1)
        open_srq(e, &init);
    cr_assert_leq(c->earlier, (unsigned)PAIR_EARLIER);
    for (unsigned k = 0; e == p->end + 1 && k < c->earlier; k++)
        cr_assert_eq(iba_create_qp(&e->ca, &e->earlier[k], &init, &e->qpn), IBA_VERB_OK);
    cr_assert_eq(iba_create_qp(&e->ca, &e->qp, &init, &e->qpn), IBA_VERB_OK);
    if (init.type == IBA_QPT_RD)
        open_rd(e, &init);
}

static void to_rts(struct pair_end *e, uint32_t qpn, struct iba_qp_attr *a, uint32_t init, uint32_t rtr, uint32_t rts)
{
    a->state = IBA_QPS_INIT;
    cr_assert_eq(iba_modify_qp(&e->ca, qpn, a, IBA_QPA_STATE | init), IBA_VERB_OK);
    a->state = IBA_QPS_RTR;
    cr_assert_eq(iba_modify_qp(&e->ca, qpn, a, IBA_QPA_STATE | rtr), IBA_VERB_OK);
    a->state = IBA_QPS_RTS;
    cr_assert_eq(iba_modify_qp(&e->ca, qpn, a, IBA_QPA_STATE | rts), IBA_VERB_OK);
}

/* UU-32: the EE context has the path, the P_Key and the PSNs; the QPs have the Q_Key, the access rights and the RNR
 * timer. */
static void connect_rd(struct pair_end *e, struct iba_qp_attr *a)
{
    const uint32_t init = IBA_QPA_PORT | IBA_QPA_QKEY | IBA_QPA_ACCESS;

    to_rts(e, e->qpn, a, init, IBA_QPA_MIN_RNR, IBA_QPA_RNR_RETRY);
    to_rts(e, e->second_qpn, a, init, IBA_QPA_MIN_RNR, IBA_QPA_RNR_RETRY);
    to_rts(e, e->eecn, a, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT,
           IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN | IBA_QPA_MAX_DEST_RD,
           IBA_QPA_SQ_PSN | IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_MAX_RD);
}

static void connect(struct pair *p, unsigned i, const struct pair_config *c)
{
    struct pair_end *e = &p->end[i];
    struct iba_qp_attr a = {.port = 1,
                            .qkey = PAIR_QKEY,
                            .access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC,
                            .path_mtu = (uint8_t)c->mtu,
                            .dest_qpn = c->type == IBA_QPT_RD ? p->end[1 - i].eecn : p->end[1 - i].qpn,
                            .rq_psn = c->psn,
                            .sq_psn = c->psn,
                            .timeout = c->timeout,
                            .retry = c->retry,
                            .rnr_retry = c->rnr_retry,
                            .min_rnr = 6,
                            .max_rd = c->rd_depth,
                            .max_dest_rd = PAIR_SAVED};
    const enum iba_qp_type type = type_of(c, i);
    const bool ud = c->type == IBA_QPT_UD, rc = type == IBA_QPT_RC, target = type == IBA_QPT_XRC_TGT;
    const bool raw = c->type == IBA_QPT_RAW_IPV6 || c->type == IBA_QPT_RAW_ETHERTYPE;
    uint32_t init = IBA_QPA_PKEY_INDEX | IBA_QPA_PORT, rtr = 0, rts = IBA_QPA_SQ_PSN;

    set_addresses(p, i, c, &a.av);
    init |= ud ? IBA_QPA_QKEY : IBA_QPA_ACCESS;
    rtr |= ud ? 0 : IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN;
    rtr |= rc || target ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0;
    rts |= rc || type == IBA_QPT_XRC_INI ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0;
    rts |= target ? IBA_QPA_TIMEOUT : 0;
    if (raw) { /* QS-13 */
        init = IBA_QPA_PORT;
        rtr = rts = 0;
    }
    if (c->type == IBA_QPT_RD)
        connect_rd(e, &a);
    else
        to_rts(e, e->qpn, &a, init, rtr, rts);
    if (ud || raw)
        cr_assert_eq(iba_create_ah(&e->ca, e->pd, &a.av, &e->ah), IBA_VERB_OK);
}

struct pair_config pair_config_of(uint64_t seed, size_t bytes, const struct iba_net_faults *faults)
{
    static const uint32_t psn[] = {0, 0x7ffffe, 0xfffff0, 0xffffff};

    return (struct pair_config){.seed = seed + 1,
                                .kind = (enum iba_port_kind)(seed % 3),
                                .v6 = seed % 2,
                                .type = IBA_QPT_RC,
                                .mtu = IBA_MTU_256,
                                .psn = psn[seed % 4],
                                .timeout = 14,
                                .retry = 7,
                                .rnr_retry = 7,
                                .rd_depth = 4,
                                .bytes = bytes,
                                .faults = *faults};
}

struct pair *pair_open(const struct pair_config *c)
{
    const unsigned flight = c->flight ? c->flight : PAIR_FLIGHT;
    struct pair *p = calloc(1, sizeof *p);

    cr_assert_not_null(p);
    iba_random_seed(&p->random, c->seed);
    p->link = c->kind == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    p->hash = UINT64_C(14695981039346656037);
    p->waits = c->waits;
    p->due = IBA_NEVER;
    p->frames = malloc((size_t)flight * IBA_TX_MOST);
    cr_assert_not_null(p->frames);
    iba_net_init(&p->net, c->seed, &c->faults, p->link, p->slot, p->frames, flight, IBA_TX_MOST);
    for (unsigned i = 0; i < 2; i++)
        open_end(p, i, c);
    for (unsigned i = 0; i < 2; i++)
        connect(p, i, c);
    return p;
}

void pair_close(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++)
        free(p->end[i].memory);
    free(p->frames);
    free(p);
}

static void hash(struct pair *p, const void *data, size_t n)
{
    const uint8_t *b = data;

    for (size_t i = 0; i < n; i++)
        p->hash = (p->hash ^ b[i]) * UINT64_C(1099511628211);
}

static void observe(struct pair *p, unsigned from, bool arrived, const uint8_t *frame, size_t len)
{
    struct iba_view v;

    if (!p->tap)
        return;
    (void)iba_view_parse(&v, p->link, frame, len, len, NULL);
    iba_view_check(&v);
    p->tap(p->tap_ctx, from, arrived, &v);
}

static bool is_sent(struct pair *p, unsigned from, const uint8_t *frame, size_t len)
{
    struct iba_view v;

    if (!p->sends)
        return true;
    (void)iba_view_parse(&v, p->link, frame, len, len, NULL);
    return p->sends(p->tap_ctx, from, &v);
}

/* If a full network makes its senders wait, each direction may fill half of it, so that ACKs do not wait for the
 * requests that they acknowledge. */
static bool may_send(const struct pair *p, unsigned i)
{
    uint32_t flying = 0;

    for (uint32_t k = 0; p->waits && k < p->net.top; k++)
        flying += p->net.slot[k].used && p->net.slot[k].to != i;
    return 2 * flying < p->net.n_slot;
}

/* Sends all packets that an end has to send at this instant and that the network takes. */
static bool drain(struct pair *p, unsigned i)
{
    uint8_t buf[IBA_TX_MOST];
    size_t len;
    bool any = false;

    while (may_send(p, i) && iba_ca_poll(&p->end[i].ca, 1, buf, sizeof buf, &len, p->now) == IBA_OK && len > 0) {
        any = true;
        if (!is_sent(p, i, buf, len))
            continue;
        hash(p, &p->now, sizeof p->now);
        hash(p, buf, len);
        observe(p, i, false, buf, len);
        iba_net_send(&p->net, (uint8_t)i, buf, len, p->now);
    }
    return any;
}

void pair_feed(struct pair *p, unsigned to, const struct iba_view *v)
{
    iba_ca_feed(&p->end[to].ca, 1, v, p->now);
    p->steps++;
}

static bool deliver(struct pair *p, unsigned i)
{
    uint8_t buf[IBA_TX_MOST];
    struct iba_view v;
    const size_t len = iba_net_receive(&p->net, (uint8_t)i, buf, sizeof buf, p->now);

    if (len == 0)
        return false;
    memset(&v, 0xee, sizeof v); /* the sanitizer detects a read of a header that is not there */
    (void)iba_view_parse(&v, p->link, buf, len, len, NULL);
    iba_view_check(&v);
    if (p->tap)
        p->tap(p->tap_ctx, 1 - i, true, &v);
    if (p->arrives)
        p->arrives(p->tap_ctx, i, &v);
    else
        pair_feed(p, i, &v);
    return true;
}

static iba_time next_event(const struct pair *p)
{
    iba_time t = iba_net_deadline(&p->net);

    t = p->due < t ? p->due : t;
    for (unsigned i = 0; i < 2; i++) {
        const iba_time d = iba_ca_deadline(&p->end[i].ca);
        t = d < t ? d : t;
    }
    return t;
}

bool pair_run(struct pair *p, iba_time until)
{
    enum { MOST_STEPS = 2000000 };

    for (uint64_t limit = 0; limit < MOST_STEPS; limit++) {
        bool moved = false;
        for (unsigned i = 0; i < 2; i++)
            moved |= drain(p, i);
        for (unsigned i = 0; i < 2; i++)
            moved |= deliver(p, i);
        if (moved)
            continue;
        const iba_time t = next_event(p);
        if (t == IBA_NEVER || t > until) {
            p->now = t == IBA_NEVER ? p->now : until;
            return true;
        }
        p->now = t > p->now ? t : p->now;
        for (unsigned i = 0; i < 2; i++)
            iba_ca_advance(&p->end[i].ca, p->now);
        if (p->due <= p->now)
            p->on_due(p->tap_ctx);
    }
    return false;
}

int pair_poll(struct pair *p, unsigned end, struct iba_wc *wc)
{
    memset(wc, 0, sizeof *wc);
    if (!iba_poll_cq(&p->end[end].ca, p->end[end].cqn, wc))
        return 0;
    hash(p, &wc->wr_id, sizeof wc->wr_id);
    hash(p, &wc->status, sizeof wc->status);
    hash(p, &wc->op, sizeof wc->op);
    hash(p, &wc->qpn, sizeof wc->qpn);
    hash(p, &wc->imm_or_key, sizeof wc->imm_or_key);
    hash(p, &wc->byte_len, sizeof wc->byte_len);
    return 1;
}

bool pair_guards_hold(const struct pair *p)
{
    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < PAIR_GUARD; k++)
            if (p->end[i].memory[k] != 0xa5 || p->end[i].memory[PAIR_GUARD + p->end[i].bytes + k] != 0xa5)
                return false;
    return true;
}

void pair_post_recv_to(struct pair *p, unsigned end, uint32_t qpn, uint64_t wr_id, uint64_t at, uint32_t length)
{
    const struct iba_recv_wr wr = {
        .wr_id = wr_id, .n_sge = 1, .sge = {{p->end[end].va + at, length, p->end[end].lkey}}};

    if (p->end[end].qp.type == IBA_QPT_XRC_TGT)
        cr_assert_eq(iba_post_srq_recv(&p->end[end].ca, p->end[end].srqn, &wr), IBA_VERB_OK);
    else
        cr_assert_eq(iba_post_recv(&p->end[end].ca, qpn, &wr), IBA_VERB_OK);
}

void pair_post_recv(struct pair *p, unsigned end, uint64_t wr_id, uint64_t at, uint32_t length)
{
    pair_post_recv_to(p, end, p->end[end].qpn, wr_id, at, length);
}

void pair_post_send_by(struct pair *p, unsigned end, uint32_t qpn, struct iba_send_wr *wr, uint64_t at, uint32_t length)
{
    wr->flags |= IBA_WR_SIGNALED;
    wr->n_sge = 1;
    wr->sge[0] = (struct iba_sge){p->end[end].va + at, length, p->end[end].lkey};
    cr_assert_eq(iba_post_send(&p->end[end].ca, qpn, wr), IBA_VERB_OK);
}

void pair_post_send(struct pair *p, unsigned end, struct iba_send_wr *wr, uint64_t at, uint32_t length)
{
    pair_post_send_by(p, end, p->end[end].qpn, wr, at, length);
}
