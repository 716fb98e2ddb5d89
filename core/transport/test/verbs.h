/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the tests of the verbs: an adapter with space for some objects of each kind, and QPs driven to any state.
 */
#ifndef VERBS_TEST_H
#define VERBS_TEST_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "adapter/iba_ca.h"
#include "sim/iba_random.h"
#include "test/recorder.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_wr_ops.h"

enum { N_QP = 6, N_CQ = 4, N_SRQ = 2, N_AH = 3, N_MCAST = 3, N_KEY = 8, N_PD = 3, N_WC = 64, N_WR = 8, N_SAVED = 4 };

struct desk {
    struct iba_ca ca;
    struct iba_qp *qps[N_QP], qp[N_QP];
    struct iba_cq *cqs[N_CQ], cq[N_CQ];
    struct iba_srq *srqs[N_SRQ], srq[N_SRQ];
    struct iba_ah ah[N_AH];
    struct iba_mcast mcast[N_MCAST];
    struct iba_mkey key[N_KEY];
    uint32_t pds[N_PD];
    struct iba_wc wc[N_CQ][N_WC];
    struct iba_sqe sq[N_QP][N_WR];
    struct iba_recv_wr rq[N_QP][N_WR], shared[N_SRQ][N_WR];
    struct iba_saved saved[N_QP][N_SAVED];
    struct iba_event events[16];
    unsigned n_event;
    struct iba_random random;
    uint32_t pd, send_cq, recv_cq, ah0; /* the number of the first object of each kind */
};

static inline uint64_t desk_random(void *ctx)
{
    return iba_random_next(&((struct desk *)ctx)->random);
}
static inline void desk_event(void *ctx, const struct iba_event *e)
{
    struct desk *d = ctx;

    const bool of_queue =
        e->kind == IBA_EVENT_CQ_ERROR || e->kind == IBA_EVENT_SRQ_CATASTROPHIC || e->kind == IBA_EVENT_SRQ_LIMIT;
    const bool of_qp =
        e->kind == IBA_EVENT_LAST_WQE_REACHED || e->kind == IBA_EVENT_SQ_DRAINED || e->kind == IBA_EVENT_PATH_MIGRATED;

    cr_assert_lt(d->n_event, 16);
    if (of_queue || of_qp)
        cr_assert(e->b == 0 && (e->a == 0 || e->kind == IBA_EVENT_SRQ_LIMIT), "%u and %u, of a key's violation", e->a,
                  e->b);
    if (of_queue)
        cr_assert_eq(e->port, 0, "a queue has no port");
    if (of_qp)
        cr_assert_eq(e->port, iba_query_qp(&d->ca, e->object)->attr.port, "the port of the queue pair");
    d->events[d->n_event++] = *e;
}

/* Takes the next receive of the QP, from its own queue or its SRQ. */
static inline bool desk_take(struct desk *d, struct iba_qp *qp, struct iba_recv_wr *wr)
{
    return iba_recv_take(&d->ca, qp, iba_srq_find(&d->ca, qp->srq), wr);
}

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        const enum iba_verb_err ok_ = (call);                                                                          \
        cr_assert_eq(ok_, IBA_VERB_OK, "%s: %s", #call, iba_verb_strerror(ok_));                                       \
    } while (0)
/* Expects that the call fails with this error and changes nothing. */
#define REFUSED(where, call, err)                                                                                      \
    do {                                                                                                               \
        static struct desk before_;                                                                                    \
        memcpy(&before_, where, sizeof before_);                                                                       \
        const enum iba_verb_err got_ = (call);                                                                         \
        cr_assert_eq(got_, IBA_VERB_##err, "%s: %s", #call, iba_verb_strerror(got_));                                  \
        before_.random = (where)->random;                                                                              \
        cr_assert_arr_eq((const uint8_t *)&before_, (const uint8_t *)(where), sizeof before_);                         \
    } while (0)

static inline struct iba_av desk_av(void)
{
    struct iba_av av = {.port = 1, .grh = true, .hop_limit = 64, .dmac = 0x020000000002, .vlan = 0xffff};

    memcpy(av.dgid, "\xfe\x80\0\0\0\0\0\0\0\0\0\xff\xfe\0\0\2", 16);
    return av;
}

/* Ports 1 and 2 are RoCEv2; two completion queues, a protection domain, an address handle. */
static inline struct desk *desk_open(void)
{
    static struct desk d;
    const struct iba_ca_config cfg = {.n_port = 2,
                                      .qp = d.qps,
                                      .cq = d.cqs,
                                      .srq = d.srqs,
                                      .ah = d.ah,
                                      .mcast = d.mcast,
                                      .key = d.key,
                                      .pd = d.pds,
                                      .n_qp = N_QP,
                                      .n_cq = N_CQ,
                                      .n_srq = N_SRQ,
                                      .n_ah = N_AH,
                                      .n_mcast = N_MCAST,
                                      .n_key = N_KEY,
                                      .n_pd = N_PD,
                                      .random = desk_random,
                                      .event = desk_event,
                                      .trace = record_rule,
                                      .ctx = &d};
    const struct iba_av av = desk_av();

    memset(&d, 0, sizeof d);
    iba_random_seed(&d.random, 4);
    iba_ca_init(&d.ca, &cfg);
    iba_port_init(iba_ca_port(&d.ca, 1), 1, IBA_PORT_ROCE2, IBA_MTU_2048, 0x020000000001);
    iba_port_init(iba_ca_port(&d.ca, 2), 2, IBA_PORT_ROCE2, IBA_MTU_1024, 0x020000000011);
    cr_assert_eq(iba_pd_create(&d.ca.mem, &d.pd), IBA_MEM_OK);
    OK(iba_create_cq(&d.ca, &d.cq[0], d.wc[0], N_WC, &d.send_cq));
    OK(iba_create_cq(&d.ca, &d.cq[1], d.wc[1], N_WC, &d.recv_cq));
    OK(iba_create_ah(&d.ca, d.pd, &av, &d.ah0));
    OK(iba_create_xrcd(&d.ca, &(uint32_t){0})); /* 0, as every QP of XRC has it */
    return &d;
}

/* Returns the values with which QP `i` of the desk is created. */
static inline struct iba_qp_init desk_init(struct desk *d, unsigned i, enum iba_qp_type type)
{
    return (struct iba_qp_init){.type = (uint8_t)type,
                                .pd = d->pd,
                                .send_cq = d->send_cq,
                                .recv_cq = d->recv_cq,
                                .srq = IBA_NONE,
                                .sq = d->sq[i],
                                .rq = d->rq[i],
                                .saved = d->saved[i],
                                .n_sq = N_WR,
                                .n_rq = N_WR,
                                .n_saved = N_SAVED};
}
static inline uint32_t desk_qp(struct desk *d, unsigned i, enum iba_qp_type type)
{
    const struct iba_qp_init init = desk_init(d, i, type);
    uint32_t qpn;

    OK(iba_create_qp(&d->ca, &d->qp[i], &init, &qpn));
    return qpn;
}
static inline uint32_t desk_qp_with_srq(struct desk *d, unsigned i, enum iba_qp_type type, uint32_t srq)
{
    struct iba_qp_init init = desk_init(d, i, type);
    uint32_t qpn;

    init.srq = srq;
    init.n_rq = 0;
    OK(iba_create_qp(&d->ca, &d->qp[i], &init, &qpn));
    return qpn;
}

/* Returns legal values of all attributes. */
static inline struct iba_qp_attr desk_attr(const struct iba_qp *qp)
{
    return (struct iba_qp_attr){.port = 1,
                                .access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ,
                                .pkey_index = 0,
                                .path_mtu = IBA_MTU_1024,
                                .timeout = 14,
                                .retry = 7,
                                .rnr_retry = 6,
                                .min_rnr = 12,
                                .max_rd = 2,
                                .max_dest_rd = N_SAVED,
                                .path_mig = IBA_PATH_REARM,
                                .sqd_notify = true,
                                .qkey = qp->type == IBA_QPT_GSI ? IBA_GSI_QKEY : 0x1234,
                                .dest_qpn = 0x345,
                                .rq_psn = 0xfffffe,
                                .sq_psn = 0x123456,
                                .av = desk_av(),
                                .alt_av = desk_av(),
                                .cur_state = qp->state};
}

/* Returns the state after this one on a queue pair's path to RTS. */
static inline uint8_t desk_onwards(uint8_t state)
{
    static const uint8_t onwards[] = {IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS,  IBA_QPS_RTS,
                                      IBA_QPS_RTS,  IBA_QPS_RTS, IBA_QPS_RESET};

    return onwards[state];
}

/* Takes the attributes that the engine's own table requires; transition.c tests whether the table is right. */
static inline enum iba_verb_err desk_step(struct desk *d, uint32_t qpn, enum iba_qp_state to, uint32_t more)
{
    const struct iba_qp *qp = iba_query_qp(&d->ca, qpn);
    struct iba_qp_attr a = desk_attr(qp);

    a.state = (uint8_t)to;
    return iba_modify_qp(&d->ca, qpn, &a, iba_qp_required(qp->type, qp->state, (uint8_t)to) | more | IBA_QPA_STATE);
}

/* Drives a QP from Reset to `to`. No transition puts a reliable QP into SQE, so the function sets that state itself. */
static inline void desk_drive(struct desk *d, uint32_t qpn, enum iba_qp_state to)
{
    static const uint8_t path[] = {IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS};
    struct iba_qp *qp = iba_qp_find(&d->ca, qpn);

    for (unsigned i = 0; i < sizeof path && qp->state != to && to != IBA_QPS_ERR; i++)
        OK(desk_step(d, qpn, path[i], 0));
    if (to == IBA_QPS_SQD || to == IBA_QPS_ERR)
        OK(desk_step(d, qpn, to, 0));
    if (to == IBA_QPS_SQE && !iba_qp_has(qp, IBA_QP_RELIABLE))
        iba_qp_sq_error(&d->ca, qp);
    if (to == IBA_QPS_SQE)
        qp->state = IBA_QPS_SQE;
    cr_assert_eq(qp->state, to);
}

static inline uint32_t desk_qp_in(struct desk *d, unsigned i, enum iba_qp_type type, enum iba_qp_state state)
{
    const uint32_t qpn = desk_qp(d, i, type);

    desk_drive(d, qpn, state);
    return qpn;
}

static inline struct iba_recv_wr desk_recv(uint64_t id)
{
    return (struct iba_recv_wr){.wr_id = id};
}
/* Returns a send of zero bytes. */
static inline struct iba_send_wr desk_send(const struct desk *d, uint64_t id)
{
    return (struct iba_send_wr){
        .wr_id = id, .op = IBA_WR_SEND, .flags = IBA_WR_SIGNALED, .ah = d->ah0, .remote_qpn = 0x345};
}

/* Checks that this completion comes next. */
static inline void completes(struct desk *d, uint32_t cq, uint64_t id, enum iba_wc_status status)
{
    struct iba_wc wc;

    cr_assert_eq(iba_poll_cq(&d->ca, cq, &wc), 1, "%llu is missing", (unsigned long long)id);
    cr_assert_eq(wc.wr_id, id, "%llu, not %llu", (unsigned long long)wc.wr_id, (unsigned long long)id);
    cr_assert_eq(wc.status, status, "%llu: %s", (unsigned long long)id,
                 iba_wc_status_name((enum iba_wc_status)wc.status));
}
static inline void nothing_completes(struct desk *d, uint32_t cq)
{
    struct iba_wc wc;

    cr_assert_eq(iba_poll_cq(&d->ca, cq, &wc), 0);
}

static inline unsigned desk_events(const struct desk *d, enum iba_event_kind kind, uint32_t object)
{
    unsigned n = 0;

    for (unsigned i = 0; i < d->n_event; i++)
        n += d->events[i].kind == kind && d->events[i].object == object;
    return n;
}
#endif
