/* SPDX-License-Identifier: BSD-2-Clause */
/* Random legal and illegal verbs on an adapter that always lacks some resource. The invariants are always true, and a
 * refused verb changes nothing. */
#include "transport/iba_wr_ops.h"
#include "verbs.h"

enum { STEPS = 60000, TINY = 3 };

static struct desk *d;
static unsigned done[32], refused[32]; /* by kind of step */

static uint32_t below(uint32_t n)
{
    return (uint32_t)iba_random_below(&d->random, n);
}
/* Draws the number of an existing QP, or a number near it. */
static uint32_t some_qpn(void)
{
    const struct iba_qp *qp = d->qps[below(N_QP)];

    return qp && below(20) != 0 ? qp->qpn : below(4);
}

static enum iba_verb_err create_qp(void)
{
    struct iba_qp_init init;
    uint32_t i = 0, qpn;

    while (i < N_QP && iba_qp_find(&d->ca, d->qp[i].qpn) == &d->qp[i])
        i++;
    if (i == N_QP)
        return IBA_VERB_FULL;
    init = desk_init(d, i, (enum iba_qp_type)below(IBA_QPT_COUNT));
    init.send_cq = below(N_CQ);
    init.recv_cq = below(N_CQ);
    init.srq = below(3) == 0 ? below(N_SRQ) : IBA_NONE;
    init.n_rq = init.srq == IBA_NONE ? below(N_WR + 1) : 0;
    init.n_sq = below(N_WR + 1);
    init.sq_sig_all = below(2);
    return iba_create_qp(&d->ca, &d->qp[i], &init, &qpn);
}

static enum iba_verb_err modify_qp(void)
{
    const uint32_t qpn = some_qpn();
    const struct iba_qp *qp = iba_query_qp(&d->ca, qpn);
    struct iba_qp_attr a;
    uint32_t mask = IBA_QPA_STATE;

    if (!qp)
        return IBA_VERB_NO_QP;
    a = desk_attr(qp);
    a.state = below(6) != 0 ? desk_onwards(qp->state) : (uint8_t)below(IBA_QPS_COUNT);
    mask |= iba_qp_required((enum iba_qp_type)qp->type, qp->state, a.state);
    if (below(4) == 0)
        mask ^= 1u << below(21);
    if (below(4) == 0)
        ((uint8_t *)&a)[below(sizeof a)] = (uint8_t)below(256);
    a.av.grh = a.alt_av.grh = a.sqd_notify = a.flow_control = true; /* a bool may have no other value */
    a.av.smp = a.alt_av.smp = false;
    return iba_modify_qp(&d->ca, qpn, &a, mask);
}

static enum iba_verb_err post_send(void)
{
    struct iba_send_wr wr = desk_send(d, below(1000));

    wr.op = below(2) ? IBA_WR_SEND : (uint8_t)below(IBA_WR_OP_COUNT);
    wr.n_sge = (uint8_t)(below(2) * below(3));
    wr.sge[0].length = below(2) ? 8 : below(5000);
    if (wr.op == IBA_WR_FLUSH)
        wr.flush_placement = 1;
    return iba_post_send(&d->ca, some_qpn(), &wr);
}

static enum iba_verb_err post_recv(void)
{
    const struct iba_recv_wr wr = desk_recv(below(1000));

    return iba_post_recv(&d->ca, some_qpn(), &wr);
}

static enum iba_verb_err post_srq(void)
{
    const struct iba_recv_wr wr = desk_recv(below(1000));

    return iba_post_srq_recv(&d->ca, below(N_SRQ), &wr);
}

/* Acts as a responder: it takes a receive, or completes the one in use. */
static enum iba_verb_err receive(void)
{
    struct iba_qp *qp = iba_qp_find(&d->ca, some_qpn());
    struct iba_wc wc;

    if (!qp || !iba_qp_may_receive_requests(qp))
        return IBA_VERB_STATE;
    if (!qp->r.has_wqe) {
        qp->r.has_wqe = desk_take(d, qp, &qp->r.wqe);
        return IBA_VERB_OK;
    }
    qp->r.has_wqe = false;
    wc = (struct iba_wc){.wr_id = qp->r.wqe.wr_id, .op = IBA_WR_RECV, .qpn = qp->qpn};
    iba_cq_push(&d->ca, qp->recv_cq, &wc, below(2));
    return IBA_VERB_OK;
}

static enum iba_verb_err transmit(void)
{
    static uint8_t packet[IBA_TX_MOST];
    size_t len;

    cr_assert_eq(iba_ca_poll(&d->ca, (uint8_t)(1 + below(2)), packet, sizeof packet, &len, d->ca.now + 1000), IBA_OK);
    return len ? IBA_VERB_OK : IBA_VERB_STATE;
}

static enum iba_verb_err wait(void)
{
    iba_ca_advance(&d->ca, d->ca.now + 10000000);
    return IBA_VERB_OK;
}

static enum iba_verb_err fail(void)
{
    struct iba_qp *qp = iba_qp_find(&d->ca, some_qpn());

    if (!qp || below(8) != 0 || qp->state == IBA_QPS_RESET)
        return IBA_VERB_NO_QP;
    if (qp->state == IBA_QPS_RTS && below(2))
        iba_qp_sq_error(&d->ca, qp);
    else
        iba_qp_fail(&d->ca, qp);
    return IBA_VERB_OK;
}

static enum iba_verb_err create_cq(void)
{
    uint32_t i = 0, n;

    while (i < N_CQ && d->cqs[i])
        i++;
    return i == N_CQ ? IBA_VERB_FULL : iba_create_cq(&d->ca, &d->cq[i], d->wc[i], below(4) ? N_WC : TINY, &n);
}

static enum iba_verb_err create_srq(void)
{
    uint32_t i = 0, n;

    while (i < N_SRQ && d->srqs[i])
        i++;
    return i == N_SRQ ? IBA_VERB_FULL : iba_create_srq(&d->ca, &d->srq[i], d->shared[i], N_WR, below(N_PD), &n);
}

static enum iba_verb_err poll_cq(void)
{
    struct iba_wc wc;

    return iba_poll_cq(&d->ca, below(N_CQ), &wc) ? IBA_VERB_OK : IBA_VERB_NO_CQ;
}

static enum iba_verb_err destroy_qp(void)
{
    return below(8) ? IBA_VERB_BUSY : iba_destroy_qp(&d->ca, some_qpn());
}
static enum iba_verb_err destroy_cq(void)
{
    return iba_destroy_cq(&d->ca, below(N_CQ + 1));
}
static enum iba_verb_err destroy_srq(void)
{
    return iba_destroy_srq(&d->ca, below(N_SRQ + 1));
}
static enum iba_verb_err arm_srq(void)
{
    return iba_arm_srq(&d->ca, below(N_SRQ + 1), below(N_WR + 2));
}
static enum iba_verb_err notify_cq(void)
{
    return iba_req_notify_cq(&d->ca, below(N_CQ + 1), below(2));
}

static enum iba_verb_err (*const steps[])(void) = {
    create_qp,  modify_qp, modify_qp, modify_qp,  post_send,  post_send,   post_recv, post_recv,
    post_srq,   receive,   receive,   transmit,   transmit,   wait,        fail,      create_cq,
    create_srq, poll_cq,   poll_cq,   destroy_qp, destroy_cq, destroy_srq, arm_srq,   notify_cq,
};
enum { N_STEPS = sizeof steps / sizeof *steps };

Test(verbs_random, everything_holds)
{
    unsigned states[IBA_QPS_COUNT] = {0}, overflows = 0;

    d = desk_open();
    for (unsigned i = 0; i < STEPS; i++) {
        const unsigned s = below(N_STEPS);
        d->n_event = 0;
        if (steps[s]() == IBA_VERB_OK)
            done[s]++;
        else
            refused[s]++;
        iba_ca_check(&d->ca);
        iba_queues_check(&d->ca);
        for (unsigned q = 0; q < N_QP; q++)
            if (d->qps[q])
                states[d->qps[q]->state]++;
        for (unsigned q = 0; q < N_CQ; q++)
            overflows += d->cqs[q] && d->cqs[q]->overflow;
    }
    for (unsigned s = 0; s < N_STEPS; s++) /* each kind of step was done */
        cr_assert(done[s] > 20, "step %u: %u done, %u refused", s, done[s], refused[s]);
    for (unsigned s = 0; s < IBA_QPS_COUNT; s++)
        cr_assert_gt(states[s], 100, "%s", iba_qp_state_name((enum iba_qp_state)s));
    cr_assert_gt(overflows, 100);
}
