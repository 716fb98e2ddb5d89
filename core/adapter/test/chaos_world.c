/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "chaos.h"
#include "ends.h"

enum { GUARD = 0xa5 };
#define MAC UINT64_C(0x020000000001)

static uint64_t entropy(void *ctx)
{
    return iba_random_next(&((struct chaos *)ctx)->r);
}

void chaos_hash(struct chaos *c, const void *data, size_t n)
{
    const uint8_t *b = data;

    for (size_t i = 0; i < n; i++)
        c->hash = (c->hash ^ b[i]) * UINT64_C(1099511628211);
}

void chaos_result(struct chaos *c, unsigned result)
{
    chaos_hash(c, &result, sizeof result);
}

static void on_event(void *ctx, const struct iba_event *e)
{
    struct chaos *c = ctx;

    c->events++;
    chaos_hash(c, &e->kind, sizeof e->kind);
    chaos_hash(c, &e->object, sizeof e->object);
}

/* ---- addresses ---- */

struct iba_av chaos_av(struct chaos *c, unsigned from)
{
    struct iba_av av = {.port = 1,
                        .sl = (uint8_t)chaos_below(c, 8),
                        .grh = c->kind != IBA_PORT_IB || chaos_one_in(c, 2),
                        .dlid = (uint16_t)(2 - from),
                        .vlan = chaos_one_in(c, 4) ? (uint16_t)chaos_below(c, 4096) : 0xffff,
                        .hop_limit = 64,
                        .flow_label = (uint32_t)chaos_below(c, 1 << 20),
                        .dmac = MAC + 1 - from};

    end_gid(c->kind, c->v6, 1 - from, av.dgid);
    if (chaos_one_in(c, 64))
        av.dgid[chaos_below(c, 16)] = (uint8_t)iba_random_next(&c->r);
    if (chaos_one_in(c, 64))
        av.dlid = (uint16_t)iba_random_next(&c->r);
    return av;
}

/* ---- QPs ---- */

enum iba_qp_type chaos_type(unsigned qp)
{
    static const uint8_t type[CHAOS_QPS] = {
        IBA_QPT_RC,      IBA_QPT_RC,      IBA_QPT_RC, IBA_QPT_RC,  IBA_QPT_RC,  IBA_QPT_RC,       IBA_QPT_UC,
        IBA_QPT_UC,      IBA_QPT_UD,      IBA_QPT_UD, IBA_QPT_SMI, IBA_QPT_GSI, IBA_QPT_RAW_IPV6, IBA_QPT_RAW_ETHERTYPE,
        IBA_QPT_XRC_INI, IBA_QPT_XRC_TGT, IBA_QPT_EE, IBA_QPT_RD,  IBA_QPT_RD};

    return (enum iba_qp_type)type[qp];
}

/* Returns mostly a part of the space, sometimes all or none. */
static uint32_t room(struct chaos *c)
{
    return chaos_one_in(c, 2) ? CHAOS_DEPTH : (uint32_t)chaos_below(c, CHAOS_DEPTH + 1);
}

void chaos_make_qp(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_end *e = &c->end[end];
    struct chaos_qp *q = &e->qp[i];
    const uint8_t type = (uint8_t)chaos_type(i);
    const bool srq = type <= IBA_QPT_UD && chaos_one_in(c, 4);
    const struct iba_qp_init init = {.type = type,
                                     .sq_sig_all = chaos_one_in(c, 2),
                                     .pd = e->pd[chaos_one_in(c, 64)],
                                     .send_cq = e->cq[chaos_below(c, CHAOS_CQS)].number,
                                     .recv_cq = e->cq[chaos_below(c, CHAOS_CQS)].number,
                                     .srq = srq ? e->srq[chaos_below(c, CHAOS_SRQS)].number : IBA_NONE,
                                     .rdd = chaos_one_in(c, 16),
                                     .qpn = chaos_one_in(c, 32) ? (uint32_t)chaos_below(c, 1 << 24) : 0,
                                     .sq = q->sq,
                                     .rq = q->rq,
                                     .saved = q->saved,
                                     .n_sq = room(c),
                                     .n_rq = srq ? 0 : room(c),
                                     .n_saved = (uint32_t)chaos_below(c, CHAOS_SAVED + 1)};

    if (!q->alive)
        q->alive = iba_create_qp(&e->ca, &q->qp, &init, &q->qpn) == IBA_VERB_OK;
}

void chaos_unmake_qp(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_qp *q = &c->end[end].qp[i];

    if (!q->alive || iba_destroy_qp(&c->end[end].ca, q->qpn) != IBA_VERB_OK)
        return;
    memset(q, GUARD,
           offsetof(struct chaos_qp, qpn)); /* the fields after this are not compared any more: see chaos_check() */
    q->alive = false;
}

static enum iba_verb_err modify(struct chaos *c, unsigned end, unsigned i, struct iba_qp_attr *a, uint8_t to,
                                uint32_t mask)
{
    a->state = to;
    return iba_modify_qp(&c->end[end].ca, c->end[end].qp[i].qpn, a, mask | IBA_QPA_STATE);
}

static struct iba_qp_attr attributes(struct chaos *c, unsigned end, unsigned i, uint32_t psn)
{
    struct iba_qp_attr a = {.port = 1,
                            .pkey_index = (uint8_t)(chaos_one_in(c, 8) ? chaos_below(c, 4) : 0),
                            .qkey = chaos_type(i) == IBA_QPT_GSI ? IBA_GSI_QKEY : 0x1234,
                            .access = chaos_one_in(c, 8) ? (uint16_t)(iba_random_next(&c->r) & IBA_ACCESS_REMOTE)
                                                         : (uint16_t)IBA_ACCESS_REMOTE,
                            .path_mtu = (uint8_t)(1 + psn % 2),
                            .rq_psn = psn,
                            .sq_psn = psn,
                            .timeout = (uint8_t)chaos_below(c, 32),
                            .retry = (uint8_t)chaos_below(c, 8),
                            .rnr_retry = (uint8_t)chaos_below(c, 8),
                            .min_rnr = (uint8_t)chaos_below(c, 32),
                            .max_rd = (uint8_t)chaos_below(c, 5),
                            .flow_control = psn % 4 == 1,
                            .dest_qpn = c->end[1 - end].qp[i].qpn,
                            .path_mig = (uint8_t)chaos_below(c, 2),
                            .av = chaos_av(c, end)};

    if (c->end[end].qp[i].alive)
        a.max_dest_rd = (uint8_t)c->end[end].qp[i].qp.r.n_saved;
    a.av.grh = c->kind != IBA_PORT_IB || psn % 8 > 3; /* as the peer */
    a.alt_av = a.av;
    return a;
}

void chaos_connect(struct chaos *c, unsigned i)
{
    const uint8_t type = (uint8_t)chaos_type(i);
    const bool raw = type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE, ini = type == IBA_QPT_XRC_INI;
    const bool ee = type == IBA_QPT_EE, rd = type == IBA_QPT_RD;
    const bool manages = type == IBA_QPT_SMI || type == IBA_QPT_GSI, rc = type == IBA_QPT_RC || ini;
    const bool target = type == IBA_QPT_XRC_TGT, connected = rc || target || ee || type == IBA_QPT_UC;
    const uint32_t psn =
        chaos_one_in(c, 3) ? 0xffffffu - (uint32_t)chaos_below(c, 8) : (uint32_t)chaos_below(c, 1 << 24);
    uint32_t init = raw || rd ? 0 : IBA_QPA_PKEY_INDEX, rtr = 0, rts = raw || rd ? 0 : IBA_QPA_SQ_PSN;

    init |= (manages ? 0 : IBA_QPA_PORT) | (ee || raw ? 0 : connected ? IBA_QPA_ACCESS : IBA_QPA_QKEY);
    init |= rd ? IBA_QPA_ACCESS : 0;
    rtr |= connected ? IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN : 0;
    rtr |= (rc && !ini) || target ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0;
    rts |= rc ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : target ? IBA_QPA_TIMEOUT : 0;
    rtr |= rd ? IBA_QPA_MIN_RNR : ee ? IBA_QPA_MAX_DEST_RD : 0;
    rts |= rd ? IBA_QPA_RNR_RETRY : ee ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_MAX_RD : 0;
    if (connected && !ee && chaos_one_in(c, 4))
        rts |= IBA_QPA_ALT_PATH | IBA_QPA_PATH_MIG;
    for (unsigned end = 0; end < 2; end++) {
        struct iba_qp_attr a = attributes(c, end, i, psn);
        (void)modify(c, end, i, &a, IBA_QPS_RESET, 0);
        (void)modify(c, end, i, &a, IBA_QPS_INIT, init);
        (void)modify(c, end, i, &a, IBA_QPS_RTR, rtr);
        if (!chaos_one_in(c, 16))
            (void)modify(c, end, i, &a, IBA_QPS_RTS, rts);
    }
}

/* ---- regions ---- */

static uint16_t pick_access(struct chaos *c)
{
    const uint16_t all = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_MW_BIND | IBA_ACCESS_INVALIDATE;

    switch (chaos_below(c, 8)) {
    case 0: return all | IBA_ACCESS_ON_DEMAND;
    case 1: return IBA_ACCESS_REMOTE_READ;
    case 2: return (uint16_t)(iba_random_next(&c->r) & IBA_ACCESS_OF_REGION);
    default: return all;
    }
}

void chaos_make_region(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_end *e = &c->end[end];
    struct chaos_plot *p = &e->plot[i];
    const uint64_t from = chaos_below(c, 64), length = 1 + chaos_below(c, CHAOS_PLOT - 64);
    struct iba_mr_attr a = {.base = e->memory + i * CHAOS_PLOT + from,
                            .length = length,
                            .iova = chaos_one_in(c, 16) ? UINT64_MAX - chaos_below(c, 2 * CHAOS_PLOT)
                                                        : 8 * chaos_below(c, 1 << 20),
                            .pd = e->pd[chaos_one_in(c, 64)],
                            .access = pick_access(c)};

    if (p->alive)
        return;
    a.present = a.access & IBA_ACCESS_ON_DEMAND ? &p->present : NULL;
    if (iba_mr_register(&e->ca.mem, &a, &p->lkey, &p->rkey) != IBA_MEM_OK)
        return;
    p->from = (uint64_t)(a.base - e->memory);
    p->length = length;
    p->va = a.access & IBA_ACCESS_ZERO_BASED ? 0 : a.iova;
    p->access = a.access;
    p->alive = true;
    p->present = chaos_one_in(c, 4) ? (uint8_t)iba_random_next(&c->r) : 0xff;
}

static bool may_change(const struct chaos_plot *p)
{
    return p->alive && (p->access & IBA_ACCESS_LOCAL_WRITE);
}

bool chaos_usable(struct chaos *c, unsigned end, const struct chaos_plot *p)
{
    if (chaos_one_in(c, 16))
        return true;
    return c->end[end].keys[iba_key_index(p->lkey)].state == IBA_MEM_VALID && may_change(p) &&
           c->end[end].keys[iba_key_index(p->lkey)].pd == c->end[end].pd[0];
}

void chaos_unmake_region(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_end *e = &c->end[end];
    struct chaos_plot *p = &e->plot[i];

    if (!p->alive || iba_mr_deregister(&e->ca.mem, p->lkey) != IBA_MEM_OK)
        return;
    if (may_change(p))
        memcpy(e->observer + p->from, e->memory + p->from, p->length);
    p->alive = false;
}

/* ---- queues ---- */

void chaos_cq(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_end *e = &c->end[end];
    struct chaos_cq *q = &e->cq[i];

    if (!q->alive)
        q->alive =
            iba_create_cq(&e->ca, &q->cq, q->ring, chaos_one_in(c, 16) ? 2 : CHAOS_CQ_ROOM, &q->number) == IBA_VERB_OK;
    else if (iba_destroy_cq(&e->ca, q->number) == IBA_VERB_OK)
        q->alive = false;
}

void chaos_srq(struct chaos *c, unsigned end, unsigned i)
{
    struct chaos_end *e = &c->end[end];
    struct chaos_srq *q = &e->srq[i];
    const struct iba_xrc_srq_init init = {.ring = q->ring,
                                          .n = CHAOS_DEPTH,
                                          .pd = e->pd[chaos_below(c, 2)],
                                          .xrcd = (uint32_t)(chaos_below(c, 8) ? 0 : 1),
                                          .cq = (uint32_t)chaos_below(c, CHAOS_CQS)};

    if (!q->alive && chaos_one_in(c, 2))
        q->alive = iba_create_xrc_srq(&e->ca, &q->srq, &init, &q->number) == IBA_VERB_OK;
    else if (!q->alive)
        q->alive = iba_create_srq(&e->ca, &q->srq, q->ring, CHAOS_DEPTH, e->pd[0], &q->number) == IBA_VERB_OK;
    else if (iba_destroy_srq(&e->ca, q->number) == IBA_VERB_OK)
        q->alive = false;
}

/* ---- all of it ---- */

static void open_end(struct chaos *c, unsigned i)
{
    struct chaos_end *e = &c->end[i];
    const struct iba_ca_config cfg = {IBA_CA_TABLES(e), .n_port = 1, .random = entropy, .event = on_event, .ctx = c};
    struct iba_port *port;

    memset(e, GUARD, sizeof *e);
    for (unsigned k = 0; k < CHAOS_QPS; k++)
        e->qp[k].alive = false, e->qp[k].qpn = 0;
    for (unsigned k = 0; k < CHAOS_CQS; k++)
        e->cq[k].alive = false;
    for (unsigned k = 0; k < CHAOS_SRQS; k++)
        e->srq[k].alive = false;
    for (size_t k = 0; k < sizeof e->memory; k++)
        e->memory[k] = (uint8_t)(k * 13 + k / 241);
    memcpy(e->observer, e->memory, sizeof e->observer);
    memset(e->plot, 0, sizeof e->plot);
    memset(e->window, 0, sizeof e->window);
    memset(e->ah_alive, 0, sizeof e->ah_alive);
    iba_ca_init(&e->ca, &cfg);
    e->ca.ack_delay = (uint32_t)chaos_below(c, 4);
    port = iba_ca_port(&e->ca, 1);
    iba_port_init(port, 1, c->kind, IBA_MTU_1024, MAC + i);
    end_gid(c->kind, c->v6, i, port->gid[0]);
    port->n_gid = 1;
    port->n_pkey = 4;
    port->lid = c->kind == IBA_PORT_IB ? (uint16_t)(i + 1) : 0;
    port->congestion = chaos_one_in(c, 2);
    for (unsigned k = 0; k < CHAOS_PDS; k++)
        cr_assert_eq(iba_pd_create(&e->ca.mem, &e->pd[k]), IBA_MEM_OK);
    for (uint32_t k = 0; k < 2; k++) /* 0, in which the target QPs are, and 1 */
        cr_assert_eq(iba_create_xrcd(&e->ca, &(uint32_t){0}), IBA_VERB_OK);
    for (unsigned k = 0; k < CHAOS_CQS; k++)
        chaos_cq(c, i, k);
    for (unsigned k = 0; k < CHAOS_SRQS; k++)
        chaos_srq(c, i, k);
    for (unsigned k = 0; k < CHAOS_PLOTS / 2; k++)
        chaos_make_region(c, i, k);
    for (unsigned k = 0; k < CHAOS_QPS; k++)
        chaos_make_qp(c, i, k);
}

struct chaos *chaos_open(uint64_t seed)
{
    struct chaos *c = calloc(1, sizeof *c);

    cr_assert_not_null(c);
    iba_random_seed(&c->r, seed);
    c->kind = (enum iba_port_kind)(seed % 3);
    c->v6 = seed % 2;
    c->link = c->kind == IBA_PORT_IB ? IBA_LINK_IB : IBA_LINK_ETHERNET;
    c->hash = UINT64_C(14695981039346656037);
    for (unsigned i = 0; i < 2; i++)
        open_end(c, i);
    for (unsigned i = 0; i < CHAOS_QPS; i++)
        chaos_connect(c, i);
    return c;
}

void chaos_close(struct chaos *c)
{
    free(c);
}

/* ---- guards ---- */

static bool is_guard(const void *p, size_t n)
{
    const uint8_t *b = p;

    return b[0] == GUARD && memcmp(b, b + 1, n - 1) == 0;
}

static void check_objects(const struct chaos_end *e)
{
    for (unsigned i = 0; i < CHAOS_QPS; i++) {
        const struct chaos_qp *q = &e->qp[i];
        cr_assert(is_guard(q->after_qp, CHAOS_CANARY) && is_guard(q->after_sq, CHAOS_CANARY) &&
                  is_guard(q->after_rq, CHAOS_CANARY) && is_guard(q->after_saved, CHAOS_CANARY));
        cr_assert(q->alive || is_guard(q, offsetof(struct chaos_qp, qpn)), "a destroyed QP is written to");
    }
    for (unsigned i = 0; i < CHAOS_CQS; i++)
        cr_assert(is_guard(e->cq[i].after, CHAOS_CANARY));
    for (unsigned i = 0; i < CHAOS_SRQS; i++)
        cr_assert(is_guard(e->srq[i].after, CHAOS_CANARY));
}

/* Checks bytes that no region covers, and bytes of regions without local write (without which no other write is
 * granted). */
static void check_memory(const struct chaos_end *e)
{
    for (unsigned i = 0; i < CHAOS_PLOTS; i++) {
        const struct chaos_plot *p = &e->plot[i];
        const uint64_t first = i * CHAOS_PLOT, end = first + CHAOS_PLOT;
        const uint64_t gap = may_change(p) ? p->from : end, behind = may_change(p) ? p->from + p->length : end;
        cr_assert(memcmp(e->memory + first, e->observer + first, gap - first) == 0 &&
                      memcmp(e->memory + behind, e->observer + behind, end - behind) == 0,
                  "memory outside of writable regions has changed");
    }
}

void chaos_check_lent(const struct chaos *c)
{
    for (unsigned i = 0; i < 2; i++)
        check_objects(&c->end[i]);
}

void chaos_check(struct chaos *c)
{
    for (unsigned i = 0; i < 2; i++) {
        iba_ca_check(&c->end[i].ca);
        iba_queues_check(&c->end[i].ca);
        check_objects(&c->end[i]);
        check_memory(&c->end[i]);
    }
}
