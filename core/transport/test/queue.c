/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion queues, receive queues, shared receive queues (QS-31..QS-43); the ends of all tables of an adapter. */
#include <signal.h>
#include "transport/deviations_qp.h"
#include "transport/iba_queue.h"
#include "transport/iba_recv.h"
#include "transport/iba_wr_ops.h"
#include "transport/iba_xrc.h"
#include "verbs.h"

static void push(struct desk *d, uint32_t cq, uint64_t id, enum iba_wc_status status, bool solicited)
{
    const struct iba_wc wc = {.wr_id = id, .status = (uint8_t)status, .op = IBA_WR_RECV, .qpn = d->qp[0].qpn};

    iba_cq_push(&d->ca, cq, &wc, solicited);
}

Test(queue, cq_create_destroy)
{
    struct desk *d = desk_open();
    uint32_t n = 0;

    OK(iba_create_cq(&d->ca, &d->cq[2], d->wc[2], N_WC, &n));
    OK(iba_create_cq(&d->ca, &d->cq[3], d->wc[3], N_WC, &n));
    REFUSED(d, iba_create_cq(&d->ca, &d->cq[3], d->wc[3], N_WC, &n), FULL);
    desk_qp(d, 0, IBA_QPT_RC);
    REFUSED(d, iba_destroy_cq(&d->ca, d->send_cq), BUSY);
    REFUSED(d, iba_destroy_cq(&d->ca, d->recv_cq), BUSY);
    REFUSED(d, iba_destroy_cq(&d->ca, N_CQ), NO_CQ);
    REFUSED(d, iba_destroy_cq(&d->ca, IBA_NONE), NO_CQ);
    OK(iba_destroy_cq(&d->ca, n));
    REFUSED(d, iba_destroy_cq(&d->ca, n), NO_CQ);
    REFUSED(d, iba_req_notify_cq(&d->ca, n, false), NO_CQ);
    nothing_completes(d, n);
    iba_queues_check(&d->ca);
}

Test(queue, cq_without_room_to_begin_with, .signal = SIGABRT)
{
    struct desk *d = desk_open();
    uint32_t n;

    iba_create_cq(&d->ca, &d->cq[2], d->wc[2], 0, &n);
}

/* ---- completions numbered from 0: `in` have come, `out` were polled ---- */
static void some_come(struct desk *d, uint64_t *in, uint32_t room)
{
    for (unsigned k = iba_random_below(&d->random, N_WC + 1) & 0xff; k > 0 && d->cq[0].count < room; k--)
        push(d, d->send_cq, (*in)++, IBA_WC_SUCCESS, false);
}

static void some_go(struct desk *d, uint64_t *out, uint64_t in)
{
    for (unsigned k = iba_random_below(&d->random, N_WC + 1) & 0xff; k > 0 && *out < in; k--)
        completes(d, d->send_cq, (*out)++, IBA_WC_SUCCESS);
}

static void all_go(struct desk *d, uint64_t out, uint64_t in)
{
    while (out < in)
        completes(d, d->send_cq, out++, IBA_WC_SUCCESS);
    nothing_completes(d, d->send_cq);
}

/* QS-34: the CQ keeps its order when the ring wraps many times. */
Test(queue, cq_keeps_order)
{
    struct desk *d = desk_open();
    uint64_t in = 0, out = 0;

    for (unsigned i = 0; i < 1000; i++) {
        some_come(d, &in, N_WC);
        some_go(d, &out, in);
        iba_queues_check(&d->ca);
    }
    all_go(d, out, in);
    cr_assert_eq(d->n_event, 0);
}

/* QS-35: the completions move to the new ring, also from a ring that has wrapped, and come in their order. */
Test(queue, cq_resized)
{
    static struct iba_wc ring[2][2 * N_WC];
    struct desk *d = desk_open();
    uint64_t in = 0, out = 0;
    uint32_t n = N_WC;

    for (unsigned i = 0; i < 1000; i++) {
        some_come(d, &in, n);
        if (in - out > 1)
            REFUSED(d, iba_resize_cq(&d->ca, d->send_cq, ring[i % 2], (uint32_t)(in - out - 1)), FULL);
        n = (uint32_t)(in - out) + (uint32_t)(iba_random_below(&d->random, N_WC + 1) & 0xff);
        n = n < 1 ? 1 : n > 2 * N_WC ? 2 * N_WC : n;
        OK(iba_resize_cq(&d->ca, d->send_cq, ring[i % 2], n));
        cr_assert_eq(d->cq[0].n, n);
        some_go(d, &out, in);
        iba_queues_check(&d->ca);
    }
    all_go(d, out, in);
    REFUSED(d, iba_resize_cq(&d->ca, N_CQ, ring[0], 4), NO_CQ);
    cr_assert_eq(d->n_event, 0);
}

/* QS-35: a queue that is resized stays armed, and stays unusable after an overflow. */
Test(queue, cq_resized_armed_and_lost)
{
    static struct iba_wc ring[2][N_WC];
    struct desk *d = desk_open();

    OK(iba_req_notify_cq(&d->ca, d->send_cq, false));
    OK(iba_resize_cq(&d->ca, d->send_cq, ring[0], 1));
    cr_assert_eq(d->cq[0].notified, 0);
    push(d, d->send_cq, 1, IBA_WC_SUCCESS, false);
    cr_assert_eq(d->cq[0].notified, 1);
    push(d, d->send_cq, 2, IBA_WC_SUCCESS, false);
    cr_assert(d->cq[0].overflow);
    OK(iba_resize_cq(&d->ca, d->send_cq, ring[1], N_WC));
    cr_assert(d->cq[0].overflow);
    completes(d, d->send_cq, 1, IBA_WC_SUCCESS);
}

/* QS-32: one event; the CQ becomes unusable, and the QPs that use it for either of their queues fail. */
Test(queue, cq_overflow)
{
    struct desk *d = desk_open();
    struct iba_qp_init other = desk_init(d, 2, IBA_QPT_UD);
    uint32_t qpn[4], single;

    OK(iba_create_cq(&d->ca, &d->cq[2], d->wc[2], N_WC, &single));
    other.send_cq = single;
    qpn[0] = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    qpn[1] = desk_qp_in(d, 1, IBA_QPT_UC, IBA_QPS_INIT);
    OK(iba_create_qp(&d->ca, &d->qp[2], &other, &qpn[2])); /* stays in Reset */
    other.recv_cq = single;
    other.sq = d->sq[3], other.rq = d->rq[3], other.saved = d->saved[3];
    OK(iba_create_qp(&d->ca, &d->qp[3], &other, &qpn[3])); /* uses other CQs */
    desk_drive(d, qpn[3], IBA_QPS_RTS);
    OK(iba_req_notify_cq(&d->ca, d->recv_cq, true));
    for (unsigned i = 0; i < N_WC; i++)
        push(d, d->recv_cq, i, IBA_WC_SUCCESS, false);
    cr_assert_eq(d->n_event, 0);
    cr_assert_eq(d->qp[0].state, IBA_QPS_RTS);
    push(d, d->recv_cq, 99, IBA_WC_SUCCESS, true);
    cr_assert_eq(desk_events(d, IBA_EVENT_CQ_ERROR, d->recv_cq), 1);
    cr_assert_eq(d->qp[0].state, IBA_QPS_ERR);
    cr_assert_eq(d->qp[1].state, IBA_QPS_ERR);
    cr_assert_eq(d->qp[2].state, IBA_QPS_RESET);
    cr_assert_eq(d->qp[3].state, IBA_QPS_RTS);
    cr_assert_eq(d->cq[1].notified, 0);
    cr_assert_eq(d->cq[1].armed, 0, "the arm has ended with the queue");
    REFUSED(d, iba_req_notify_cq(&d->ca, d->recv_cq, false), STATE);
    for (unsigned i = 0; i < N_WC; i++) /* earlier completions can be read, the lost ones not */
        completes(d, d->recv_cq, i, IBA_WC_SUCCESS);
    push(d, d->recv_cq, 100, IBA_WC_SUCCESS, false);
    nothing_completes(d, d->recv_cq);
    cr_assert_eq(d->n_event, 1);
    iba_ca_check(&d->ca);
}

/* A QP that is created on an overflowed CQ fails with its first completion. */
Test(queue, cq_overflow_later)
{
    struct desk *d = desk_open();
    const struct iba_wc of_nobody = {.qpn = 0x777777};
    uint32_t qpn;

    for (unsigned i = 0; i <= N_WC; i++)
        iba_cq_push(&d->ca, d->send_cq, &of_nobody, false);
    qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
    push(d, d->send_cq, 1, IBA_WC_SUCCESS, false);
    cr_assert_eq(iba_query_qp(&d->ca, qpn)->state, IBA_QPS_ERR);
    iba_cq_push(&d->ca, d->send_cq, &of_nobody, false);
    cr_assert_eq(desk_events(d, IBA_EVENT_CQ_ERROR, d->send_cq), 1);
}

/* The flush of a failed QP may overflow a CQ: that of this QP's other queue, and that of other QPs. */
Test(queue, cq_overflow_while_flushing)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_UC);
    const struct iba_recv_wr r = desk_recv(1);
    uint32_t qpn[2], tiny;

    OK(iba_create_cq(&d->ca, &d->cq[2], d->wc[2], 2, &tiny));
    init.recv_cq = tiny;
    for (unsigned i = 0; i < 2; i++) {
        init.sq = d->sq[i], init.rq = d->rq[i], init.saved = d->saved[i];
        OK(iba_create_qp(&d->ca, &d->qp[i], &init, &qpn[i]));
        desk_drive(d, qpn[i], IBA_QPS_RTS);
        for (unsigned k = 0; k < 4; k++)
            OK(iba_post_recv(&d->ca, qpn[i], &r));
    }
    OK(desk_step(d, qpn[0], IBA_QPS_ERR, 0));
    cr_assert_eq(desk_events(d, IBA_EVENT_CQ_ERROR, tiny), 1);
    cr_assert_eq(d->n_event, 1);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(d->qp[i].state, IBA_QPS_ERR);
        cr_assert_eq(d->qp[i].rq.count, 0);
    }
    completes(d, tiny, 1, IBA_WC_FLUSHED);
    completes(d, tiny, 1, IBA_WC_FLUSHED);
    nothing_completes(d, tiny);
    iba_ca_check(&d->ca);
}

/* QS-33: one notification per arm. The arm for solicited completions is the weaker one, and does not replace the
 * other. */
Test(queue, cq_arm)
{
    static const struct {
        int first, second; /* -1: not called; 0: next; 1: solicited only */
        bool solicited;
        uint8_t status;
        unsigned notified;
    } c[] = {
        {-1, -1, true, IBA_WC_SUCCESS, 0}, {0, -1, false, IBA_WC_SUCCESS, 1}, {0, -1, true, IBA_WC_SUCCESS, 1},
        {1, -1, false, IBA_WC_SUCCESS, 0}, {1, -1, true, IBA_WC_SUCCESS, 1},  {1, -1, false, IBA_WC_FLUSHED, 1},
        {1, 0, false, IBA_WC_SUCCESS, 1},  {0, 1, false, IBA_WC_SUCCESS, 1},  {1, 1, false, IBA_WC_SUCCESS, 0},
        {0, 0, false, IBA_WC_SUCCESS, 1},
    };

    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        struct desk *d = desk_open();
        if (c[i].first >= 0)
            OK(iba_req_notify_cq(&d->ca, d->recv_cq, c[i].first));
        if (c[i].second >= 0)
            OK(iba_req_notify_cq(&d->ca, d->recv_cq, c[i].second));
        push(d, d->recv_cq, 1, (enum iba_wc_status)c[i].status, c[i].solicited);
        cr_assert_eq(d->cq[1].notified, c[i].notified, "case %u", i);
        if (c[i].notified) { /* the arm has fired, and does not fire again */
            push(d, d->recv_cq, 2, IBA_WC_FLUSHED, true);
            cr_assert_eq(d->cq[1].notified, 1, "case %u", i);
        }
    }
}

/* A solicited arm ignores unsolicited completions, and fires at the first solicited one. */
Test(queue, cq_arm_waits)
{
    struct desk *d = desk_open();

    OK(iba_req_notify_cq(&d->ca, d->recv_cq, true));
    for (unsigned i = 0; i < 5; i++)
        push(d, d->recv_cq, i, IBA_WC_SUCCESS, false);
    cr_assert_eq(d->cq[1].notified, 0);
    push(d, d->recv_cq, 5, IBA_WC_SUCCESS, true);
    cr_assert_eq(d->cq[1].notified, 1);
}

/* ---- receive queues ---- */
Test(queue, rq_in_order)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_INIT);
    struct iba_recv_wr wr;
    uint64_t in = 0, out = 0;

    for (unsigned i = 0; i < 50; i++) {
        while (d->qp[0].rq.count < N_WR) {
            wr = desk_recv(in++);
            OK(iba_post_recv(&d->ca, qpn, &wr));
        }
        REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), FULL);
        for (unsigned k = i % N_WR; k > 0; k--) {
            cr_assert_eq(iba_recv_free(&d->ca, &d->qp[0]), in - out);
            cr_assert(desk_take(d, &d->qp[0], &wr));
            cr_assert_eq(wr.wr_id, out++);
        }
    }
    while (desk_take(d, &d->qp[0], &wr))
        cr_assert_eq(wr.wr_id, out++);
    cr_assert_eq(in, out);
    cr_assert_eq(iba_recv_free(&d->ca, &d->qp[0]), 0);
}

Test(queue, srq_create_destroy)
{
    struct desk *d = desk_open();
    uint32_t srq = 0, qpn;

    REFUSED(d, iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, N_PD, &srq), NO_PD);
    REFUSED(d, iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd + 1, &srq), NO_PD);
    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    OK(iba_create_srq(&d->ca, &d->srq[1], d->shared[1], N_WR, d->pd, &srq));
    REFUSED(d, iba_create_srq(&d->ca, &d->srq[1], d->shared[1], N_WR, d->pd, &srq), FULL);
    qpn = desk_qp_with_srq(d, 0, IBA_QPT_RC, srq);
    REFUSED(d, iba_destroy_srq(&d->ca, srq), BUSY);
    OK(iba_destroy_qp(&d->ca, qpn));
    OK(iba_destroy_srq(&d->ca, srq));
    REFUSED(d, iba_destroy_srq(&d->ca, srq), NO_SRQ);
    REFUSED(d, iba_arm_srq(&d->ca, srq, 1), NO_SRQ);
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){0}), NO_SRQ);
    REFUSED(d, iba_destroy_srq(&d->ca, N_SRQ), NO_SRQ);
    iba_ca_check(&d->ca);
}

/* A protection domain cannot be destroyed while an SRQ uses it, and can be afterwards. */
Test(queue, srq_holds_pd)
{
    struct desk *d = desk_open();
    uint32_t srq, pd;

    cr_assert_eq(iba_pd_create(&d->ca.mem, &pd), IBA_MEM_OK);
    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, pd, &srq));
    cr_assert_eq(iba_pd_destroy(&d->ca.mem, pd), IBA_MEM_PD_BUSY);
    OK(iba_destroy_srq(&d->ca, srq));
    cr_assert_eq(iba_pd_destroy(&d->ca.mem, pd), IBA_MEM_OK);
}

/* QS-37, QS-39: QPs take receives from an SRQ in the order of posting, no matter which QP takes one. */
Test(queue, srq_shared)
{
    struct desk *d = desk_open();
    struct iba_recv_wr wr;
    uint32_t srq;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    desk_qp_with_srq(d, 0, IBA_QPT_RC, srq);
    desk_qp_with_srq(d, 1, IBA_QPT_UD, srq);
    for (unsigned i = 0; i < N_WR; i++) {
        wr = desk_recv(i);
        OK(iba_post_srq_recv(&d->ca, srq, &wr));
    }
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &wr), FULL);
    wr.n_sge = IBA_MAX_SGE + 1;
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &wr), SGE);
    for (unsigned i = 0; i < N_WR; i++) {
        cr_assert_eq(iba_recv_free(&d->ca, &d->qp[i % 2]), IBA_NONE);
        cr_assert(desk_take(d, &d->qp[i % 2], &wr));
        cr_assert_eq(wr.wr_id, i);
    }
    cr_assert_not(desk_take(d, &d->qp[0], &wr));
}

/* QS-38: one event when fewer receives than the limit are left. The limit is then off until it is armed again. */
Test(queue, srq_limit)
{
    struct desk *d = desk_open();
    struct iba_recv_wr wr;
    uint32_t srq;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    desk_qp_with_srq(d, 0, IBA_QPT_RC, srq);
    for (unsigned round = 1; round <= 2; round++) {
        while (d->srq[0].rq.count < N_WR)
            OK(iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){0}));
        OK(iba_arm_srq(&d->ca, srq, 4));
        for (unsigned left = N_WR; left > 4; left--)
            cr_assert(desk_take(d, &d->qp[0], &wr));
        cr_assert_eq(d->n_event, round - 1);
        cr_assert(desk_take(d, &d->qp[0], &wr));
        cr_assert_eq(desk_events(d, IBA_EVENT_SRQ_LIMIT, srq), round);
        cr_assert_eq(d->events[round - 1].a, 3, "receives that are left");
        cr_assert_eq(d->srq[0].limit, 0);
        while (desk_take(d, &d->qp[0], &wr)) {
        }
        cr_assert_eq(d->n_event, round);
    }
    REFUSED(d, iba_arm_srq(&d->ca, srq, N_WR + 1), ATTR_VALUE);
    OK(iba_arm_srq(&d->ca, srq, N_WR));
    OK(iba_arm_srq(&d->ca, srq, 0));
    OK(iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){0}));
    cr_assert(desk_take(d, &d->qp[0], &wr));
    cr_assert_eq(d->n_event, 2);
}

Test(queue, srq_in_error)
{
    struct desk *d = desk_open();
    struct iba_recv_wr wr;
    uint32_t srq;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    desk_qp_with_srq(d, 0, IBA_QPT_RC, srq);
    OK(iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){0}));
    d->srq[0].error = true;
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){0}), STATE);
    cr_assert_not(desk_take(d, &d->qp[0], &wr));
}

/* A flushed receive names its work request, its QP, and the SRQ that it came from (QS-25, QS-27). */
Test(queue, flushed_receives)
{
    for (unsigned shared = 0; shared < 2; shared++) {
        struct desk *d = desk_open();
        const struct iba_recv_wr r = desk_recv(5);
        uint32_t srq, qpn;
        struct iba_wc wc;

        OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
        OK(iba_create_srq(&d->ca, &d->srq[1], d->shared[1], N_WR, d->pd, &srq));
        qpn = shared ? desk_qp_with_srq(d, 0, IBA_QPT_UC, srq) : desk_qp(d, 0, IBA_QPT_UC);
        desk_drive(d, qpn, IBA_QPS_RTS);
        OK(shared ? iba_post_srq_recv(&d->ca, srq, &r) : iba_post_recv(&d->ca, qpn, &r));
        cr_assert(desk_take(d, &d->qp[0], &d->qp[0].r.wqe));
        d->qp[0].r.has_wqe = true;
        OK(iba_req_notify_cq(&d->ca, d->recv_cq, true));
        OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
        cr_assert_eq(iba_poll_cq(&d->ca, d->recv_cq, &wc), 1);
        cr_expect(wc.wr_id == 5 && wc.status == IBA_WC_FLUSHED && wc.op == IBA_WR_RECV && wc.qpn == qpn);
        cr_expect_eq(wc.srqn, shared ? srq : 0);
        cr_expect_eq(d->cq[1].notified, 1, "QS-33: an error fires the arm");
        cr_expect_not(d->qp[0].r.has_wqe);
    }
}

/* A receive is new when it is posted, whatever the caller left in the fields that the engine writes. */
Test(queue, posted_as_new)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_INIT);
    struct iba_recv_wr wr = desk_recv(1), got;

    wr.at = 7, wr.matched = 1;
    OK(iba_post_recv(&d->ca, qpn, &wr));
    cr_assert(desk_take(d, &d->qp[0], &got));
    cr_expect(got.wr_id == 1 && got.at == 0 && got.matched == 0);
}

/* Each refusal of a receive, on a queue of its own and on a shared one: a streaming receive only the latter takes. */
Test(queue, receives_are_refused)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_INIT);
    struct iba_recv_wr wr = desk_recv(1);
    uint32_t srq;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    wr.n_sge = IBA_MAX_SGE + 1;
    REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), SGE);
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &wr), SGE);
    wr.n_sge = IBA_MAX_SGE;
    OK(iba_post_recv(&d->ca, qpn, &wr));
    OK(iba_post_srq_recv(&d->ca, srq, &wr));
    wr.form = IBA_RECV_BLOCKS; /* of blocks there is one entry */
    REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), ATTR_VALUE);
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &wr), ATTR_VALUE);
    wr = desk_recv(2);
    wr.n_sge = 1, wr.sge[0].length = 64, wr.most = 1;
    REFUSED(d, iba_post_recv(&d->ca, qpn, &wr), ATTR_VALUE);
    OK(iba_post_srq_recv(&d->ca, srq, &wr));
}

/* QS-43, QS-47: the CQ of an SRQ of XRC is busy, and fails the SRQ when it overflows. Other SRQs are left alone. */
Test(queue, srq_with_a_cq)
{
    struct desk *d = desk_open();
    const struct iba_recv_wr r = desk_recv(3);
    struct iba_xrc_srq_init init = {.ring = d->shared[1], .n = N_WR, .pd = d->pd};
    uint32_t plain, srq, cq;

    OK(iba_create_cq(&d->ca, &d->cq[2], d->wc[2], 1, &cq));
    init.cq = cq;
    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &plain));
    OK(iba_create_xrc_srq(&d->ca, &d->srq[1], &init, &srq));
    REFUSED(d, iba_destroy_cq(&d->ca, cq), BUSY);
    OK(iba_post_srq_recv(&d->ca, srq, &r));
    for (unsigned i = 0; i < 2; i++)
        iba_cq_push(&d->ca, cq, &(struct iba_wc){.qpn = 0x777777}, false);
    cr_expect_eq(desk_events(d, IBA_EVENT_CQ_ERROR, cq), 1);
    cr_expect_eq(desk_events(d, IBA_EVENT_SRQ_CATASTROPHIC, srq), 1);
    cr_expect_eq(d->n_event, 2);
    REFUSED(d, iba_post_srq_recv(&d->ca, srq, &r), STATE);
    OK(iba_post_srq_recv(&d->ca, plain, &r));
    REFUSED(d, iba_destroy_xrcd(&d->ca, 0), BUSY);
    OK(iba_destroy_srq(&d->ca, srq));
    OK(iba_destroy_cq(&d->ca, cq));
    OK(iba_destroy_xrcd(&d->ca, 0));
}

/* The next receive of a queue is there, or is not. An XRC target has no receives of its own to count. */
Test(queue, the_next_receive)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_INIT);
    const struct iba_recv_wr r = desk_recv(9);

    cr_expect_null(iba_rq_next(&d->qp[0].rq));
    OK(iba_post_recv(&d->ca, qpn, &r));
    cr_expect_eq(iba_rq_next(&d->qp[0].rq), &d->rq[0][0]);
    cr_expect_eq(iba_recv_free(&d->ca, &d->qp[0]), 1);
    desk_qp(d, 1, IBA_QPT_XRC_TGT);
    cr_expect_eq(iba_recv_free(&d->ca, &d->qp[1]), IBA_NONE);
}

/* A device that resizes a CQ to fewer entries than it has completions (a broken one) writes no more than there are. */
Test(queue, cq_resized_too_small)
{
    const struct iba_change shrinks = {.list = &iba_queue_behaviours, .row = IBA_ROW_queue_RESIZE_FITS};
    static struct iba_wc ring[3];
    struct desk *d = desk_open();

    iba_ca_change(&d->ca, &shrinks);
    for (unsigned i = 0; i < 4; i++)
        push(d, d->send_cq, 100 + i, IBA_WC_SUCCESS, false);
    OK(iba_resize_cq(&d->ca, d->send_cq, ring, 2));
    cr_expect_eq(d->cq[0].count, 2);
    cr_expect(ring[0].wr_id == 100 && ring[1].wr_id == 101 && ring[2].wr_id == 0);
}

/* An adapter looks at no more entries than it was given: here one entry less than there are. */
Test(queue, no_entry_beyond)
{
    static const uint8_t group[16] = {0xff, 0x12, [15] = 7};
    struct desk *d = desk_open();
    const struct iba_send_wr wr = {.op = IBA_WR_SEND, .ah = N_AH - 1};
    const struct iba_av av = desk_av();
    uint32_t n = 0, srq, ud;

    d->ca.n_qp--, d->ca.n_cq--, d->ca.n_srq--, d->ca.n_ah--, d->ca.n_mcast--;
    ud = desk_qp_in(d, 0, IBA_QPT_UD, IBA_QPS_RTS);
    OK(iba_create_cq(&d->ca, &d->cq[2], d->wc[2], N_WC, &n));
    REFUSED(d, iba_create_cq(&d->ca, &d->cq[3], d->wc[3], N_WC, &n), FULL);
    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    REFUSED(d, iba_create_srq(&d->ca, &d->srq[1], d->shared[1], N_WR, d->pd, &n), FULL);
    OK(iba_create_ah(&d->ca, d->pd, &av, &n));
    REFUSED(d, iba_create_ah(&d->ca, d->pd, &av, &n), FULL);
    d->ah[N_AH - 1] = d->ah[0];
    REFUSED(d, iba_destroy_ah(&d->ca, N_AH - 1), NO_AH);
    REFUSED(d, iba_post_send(&d->ca, ud, &wr), NO_AH);

    d->mcast[N_MCAST - 1] = (struct iba_mcast){.qpn = ud, .used = true};
    memcpy(d->mcast[N_MCAST - 1].gid, group, 16);
    REFUSED(d, iba_detach_mcast(&d->ca, ud, group, 0), ATTR_VALUE);
    d->mcast[N_MCAST - 1].used = false;
    for (uint16_t lid = 0xc001; lid < 0xc000 + N_MCAST; lid++)
        OK(iba_attach_mcast(&d->ca, ud, group, lid));
    REFUSED(d, iba_attach_mcast(&d->ca, ud, group, 0), FULL);
    for (uint16_t lid = 0xc001; lid < 0xc000 + N_MCAST; lid++)
        OK(iba_detach_mcast(&d->ca, ud, group, lid));
    d->mcast[N_MCAST - 1] = (struct iba_mcast){.qpn = ud, .used = true};

    d->qp[5] = (struct iba_qp){.qpn = 1, .type = IBA_QPT_GSI, .send_cq = 2, .recv_cq = 2, .srq = srq};
    d->qp[5].state = IBA_QPS_RTS;
    d->qps[N_QP - 1] = &d->qp[5];
    d->srq[1].cq = 2;
    d->srqs[N_SRQ - 1] = &d->srq[1];
    cr_expect_null(iba_qp_find(&d->ca, 1));
    for (unsigned i = 0; i <= N_WC; i++)
        iba_cq_push(&d->ca, 2, &(struct iba_wc){.qpn = 0x777777}, false);
    cr_expect_eq(d->qp[5].state, IBA_QPS_RTS);
    cr_expect_not(d->srq[1].error);
    OK(iba_destroy_srq(&d->ca, srq));
    OK(iba_destroy_cq(&d->ca, 2));
    d->qps[N_QP - 1] = &d->qp[0];
    OK(iba_destroy_qp(&d->ca, ud));
    cr_expect_eq(d->qps[N_QP - 1], &d->qp[0]);
}
