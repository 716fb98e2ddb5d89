/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP enters Reset, SQD, SQE or Error: flushing, silence, draining (QS-17, QS-22..QS-27, RQ-55, RQ-61). */
#include "transport/iba_responder.h"
#include "verbs.h"

static void post(struct desk *d, uint32_t qpn, unsigned recvs, unsigned sends)
{
    for (unsigned i = 0; i < recvs; i++) {
        const struct iba_recv_wr r = desk_recv(100 + i);
        OK(iba_post_recv(&d->ca, qpn, &r));
    }
    for (unsigned i = 0; i < sends; i++) {
        const struct iba_send_wr s = desk_send(d, 200 + i);
        OK(iba_post_send(&d->ca, qpn, &s));
    }
}

/* Expects `n` completions and no more: flushed work requests in the order in which they were posted. */
static void flushed(struct desk *d, uint32_t cq, uint64_t first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        completes(d, cq, first + i, IBA_WC_FLUSHED);
    nothing_completes(d, cq);
}

static const uint8_t senders[] = {IBA_QPT_RC, IBA_QPT_UC, IBA_QPT_UD, IBA_QPT_SMI, IBA_QPT_GSI};

/* QS-25: posted work requests of both queues are flushed in order; later ones are flushed when they are posted. */
Test(fail, flushes_both_queues)
{
    for (unsigned t = 0; t < sizeof senders; t++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)senders[t], IBA_QPS_RTS);

        post(d, qpn, 3, 2);
        OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
        cr_assert_eq(d->qp[0].state, IBA_QPS_ERR);
        flushed(d, d->send_cq, 200, 2);
        flushed(d, d->recv_cq, 100, 3);
        post(d, qpn, 3, 2);
        flushed(d, d->send_cq, 200, 2);
        flushed(d, d->recv_cq, 100, 3);
        iba_ca_check(&d->ca);
    }
}

/* Flushed sends complete even if they are unsignaled (RQ-53). Each post leaves the queue at once, so more can be posted
 * than the queue has entries. */
Test(fail, flushes_unsignaled_and_forever)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_ERR);
    struct iba_send_wr s = desk_send(d, 7);

    s.flags = 0;
    for (unsigned i = 0; i < 3 * N_WR; i++) {
        OK(iba_post_send(&d->ca, qpn, &s));
        completes(d, d->send_cq, 7, IBA_WC_FLUSHED);
    }
}

/* The receive in use by an unfinished message is flushed first. */
Test(fail, flushes_what_is_held)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    post(d, qpn, 3, 0);
    cr_assert(desk_take(d, &d->qp[0], &d->qp[0].r.wqe));
    d->qp[0].r.has_wqe = true;
    iba_qp_fail(&d->ca, &d->qp[0]);
    flushed(d, d->recv_cq, 100, 3);
    iba_qp_fail(&d->ca, &d->qp[0]);
    flushed(d, d->recv_cq, 0, 0);
    cr_assert_eq(d->n_event, 0);
}

/* QS-26, RQ-55: the oldest send may have an error status of its own. */
Test(fail, first_shows_its_cause)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);

    post(d, qpn, 1, 3);
    d->sq[0][0].status = IBA_WC_RETRY_EXCEEDED;
    iba_qp_fail(&d->ca, &d->qp[0]);
    completes(d, d->send_cq, 200, IBA_WC_RETRY_EXCEEDED);
    flushed(d, d->send_cq, 201, 2);
    flushed(d, d->recv_cq, 100, 1);
}

/* QS-27: the SRQ keeps its work requests, except for the one in use by this QP. An event reports that the QP will take
 * no more. */
Test(fail, srq_is_left_alone)
{
    struct desk *d = desk_open();
    uint32_t srq, qpn;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
    qpn = desk_qp_with_srq(d, 0, IBA_QPT_RC, srq);
    desk_drive(d, qpn, IBA_QPS_RTS);
    for (unsigned i = 0; i < 4; i++)
        OK(iba_post_srq_recv(&d->ca, srq, &(struct iba_recv_wr){.wr_id = i}));
    cr_assert(desk_take(d, &d->qp[0], &d->qp[0].r.wqe));
    d->qp[0].r.has_wqe = true;
    OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
    OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
    completes(d, d->recv_cq, 0, IBA_WC_FLUSHED);
    nothing_completes(d, d->recv_cq);
    cr_assert_eq(d->srq[0].rq.count, 3);
    cr_assert_eq(desk_events(d, IBA_EVENT_LAST_WQE_REACHED, qpn), 1);
    cr_assert_eq(d->n_event, 1);
    iba_ca_check(&d->ca);
}

/* QS-17: a transition to Reset from any state discards work requests without completions, and the QP is as new. */
Test(fail, reset_forgets)
{
    for (uint8_t s = 0; s < IBA_QPS_COUNT; s++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp(d, 0, IBA_QPT_UC);
        static struct iba_qp new;

        memcpy(&new, &d->qp[0], sizeof new);
        desk_drive(d, qpn, (enum iba_qp_state)s);
        if (s != IBA_QPS_RESET && s != IBA_QPS_ERR)
            post(d, qpn, 3, 0);
        if (s == IBA_QPS_RTS || s == IBA_QPS_SQD)
            post(d, qpn, 0, 2);
        d->qp[0].r.has_wqe = s >= IBA_QPS_RTR && s < IBA_QPS_ERR;
        OK(desk_step(d, qpn, IBA_QPS_RESET, 0));
        nothing_completes(d, d->send_cq);
        nothing_completes(d, d->recv_cq);
        cr_assert_arr_eq((uint8_t *)&d->qp[0].attr, (uint8_t *)&new.attr, sizeof new.attr);
        cr_assert_eq(d->qp[0].envelope_bytes, 0);
        cr_assert_eq(d->qp[0].rq.count + d->qp[0].s.count, 0);
        cr_assert_eq(d->qp[0].s.n, N_WR);
        cr_assert_eq(d->qp[0].r.n_saved, N_SAVED);
        desk_drive(d, qpn, IBA_QPS_RTS); /* the QP can go to RTS again */
        post(d, qpn, N_WR, N_WR);
        iba_ca_check(&d->ca);
    }
}

/* QS-24: UC and UD still receive in SQE, and sends are flushed. RC enters Error instead. */
Test(fail, send_queue_error)
{
    for (unsigned t = 0; t < sizeof senders; t++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, (enum iba_qp_type)senders[t], IBA_QPS_RTS);
        const bool reliable = senders[t] == IBA_QPT_RC;

        post(d, qpn, 2, 2);
        d->sq[0][0].status = IBA_WC_LOCAL_PROTECTION;
        iba_qp_sq_error(&d->ca, &d->qp[0]);
        cr_assert_eq(d->qp[0].state, reliable ? IBA_QPS_ERR : IBA_QPS_SQE);
        completes(d, d->send_cq, 200, IBA_WC_LOCAL_PROTECTION);
        flushed(d, d->send_cq, 201, 1);
        cr_assert_eq(d->qp[0].rq.count, reliable ? 0 : 2);
        cr_assert_eq(iba_qp_may_receive_requests(&d->qp[0]), !reliable);
        cr_assert_not(iba_qp_may_send(&d->qp[0]));
        post(d, qpn, 0, 2);
        flushed(d, d->send_cq, 200, 2);
        iba_ca_check(&d->ca);
        if (reliable)
            continue;
        post(d, qpn, 1, 0); /* the receive waits */
        cr_assert_eq(d->qp[0].rq.count, 3);
        OK(desk_step(d, qpn, IBA_QPS_RTS, IBA_QPA_CUR_STATE));
        post(d, qpn, 0, 2); /* the sends wait too */
        cr_assert_eq(d->qp[0].s.count, 2);
        nothing_completes(d, d->send_cq);
        OK(desk_step(d, qpn, IBA_QPS_ERR, 0));
        iba_qp_sq_error(&d->ca, &d->qp[0]); /* a QP in Error stays in Error */
        cr_assert_eq(d->qp[0].state, IBA_QPS_ERR);
    }
}

/* QS-22, QS-23: a queue without begun requests is drained at once. One event reports that, if it was requested. */
Test(fail, drained_at_once)
{
    for (unsigned notify = 0; notify < 4; notify++) { /* bit 0: the attribute is given; bit 1: its value */
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UC, IBA_QPS_RTS);
        const struct iba_qp_attr a = {.state = IBA_QPS_SQD, .sqd_notify = notify >> 1};

        post(d, qpn, 0, 2);
        OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | (notify & 1 ? IBA_QPA_SQD_NOTIFY : 0)));
        cr_assert_eq(desk_events(d, IBA_EVENT_SQ_DRAINED, qpn), notify == 3);
        cr_assert_eq(d->qp[0].s.count, 2);
        cr_assert_not(iba_qp_may_send(&d->qp[0]));
        post(d, qpn, 0, 2);
        iba_qp_drained(&d->ca, &d->qp[0]);
        cr_assert_eq(d->n_event, notify == 3);
        OK(desk_step(d, qpn, IBA_QPS_SQD, IBA_QPA_ACCESS));
        OK(desk_step(d, qpn, IBA_QPS_RTS, 0));
        cr_assert(iba_qp_may_send(&d->qp[0]));
        cr_assert_eq(d->qp[0].s.count, 4);
        nothing_completes(d, d->send_cq);
        iba_qp_drained(&d->ca, &d->qp[0]); /* has no effect in RTS */
        cr_assert_eq(d->n_event, notify == 3);
        iba_ca_check(&d->ca);
    }
}

/* Attributes cannot change while a begun request is unfinished (QS-23). */
Test(fail, drains_first)
{
    struct desk *d = desk_open();
    const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
    const struct iba_qp_attr a = {.state = IBA_QPS_SQD, .retry = 3, .sqd_notify = true};
    static uint8_t packet[IBA_TX_MOST];
    size_t len;

    post(d, qpn, 0, 2);
    cr_assert_eq(iba_ca_poll(&d->ca, 1, packet, sizeof packet, &len, 1000), IBA_OK);
    cr_assert_gt(len, 0);
    OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | IBA_QPA_SQD_NOTIFY));
    cr_assert_eq(d->n_event, 0);
    cr_assert(iba_qp_may_send(&d->qp[0])); /* for a possible retry */
    REFUSED(d, iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | IBA_QPA_RETRY), STATE);
    OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE));
    iba_qp_drained(&d->ca, &d->qp[0]);
    cr_assert_eq(desk_events(d, IBA_EVENT_SQ_DRAINED, qpn), 1);
    OK(iba_modify_qp(&d->ca, qpn, &a, IBA_QPA_STATE | IBA_QPA_RETRY));
    cr_assert_eq(d->qp[0].attr.retry, 3);
}

/* RQ-61, RR-58: a QP in Error sends only the NAK that ended the connection, and the responses before it. */
Test(fail, last_words)
{
    for (unsigned i = 0; i < 4; i++) {
        struct desk *d = desk_open();
        struct iba_qp *qp = &d->qp[0];
        const uint8_t waiting = i & 1;

        desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_RTS);
        qp->r.resp_count = waiting;
        qp->r.last_words = i >> 1;
        qp->cnp_due = qp->becn_due = true;
        iba_qp_fail(&d->ca, qp);
        cr_assert_eq(qp->r.resp_count, i >> 1 ? waiting : 0, "case %u", i);
        cr_assert_not(qp->cnp_due || qp->becn_due);
        cr_assert_null(iba_qp_broken(&d->ca, qp));
    }
}

/* PV-05, PV-06 */
Test(fail, who_may_what)
{
    static const struct {
        uint8_t state;
        bool requests, responses, send;
    } c[] = {{IBA_QPS_RESET, false, false, false}, {IBA_QPS_INIT, false, false, false},
             {IBA_QPS_RTR, true, false, false},    {IBA_QPS_RTS, true, true, true},
             {IBA_QPS_SQD, true, true, false},     {IBA_QPS_SQE, true, true, false},
             {IBA_QPS_ERR, false, false, false}};

    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        struct desk *d = desk_open();
        desk_qp_in(d, 0, IBA_QPT_UD, (enum iba_qp_state)c[i].state);
        cr_assert_eq(iba_qp_may_receive_requests(&d->qp[0]), c[i].requests);
        cr_assert_eq(iba_qp_may_receive_responses(&d->qp[0]), c[i].responses);
        cr_assert_eq(iba_qp_may_send(&d->qp[0]), c[i].send);
    }
}

/* ---- each invariant detects a violation ---- */
#define BREAKS(state, words, change)                                                                                   \
    do {                                                                                                               \
        struct desk *d = desk_open();                                                                                  \
        struct iba_qp *qp = &d->qp[0];                                                                                 \
        const char *said;                                                                                              \
        desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_##state);                                                                 \
        cr_assert_null(iba_qp_broken(&d->ca, qp));                                                                     \
        change;                                                                                                        \
        said = iba_qp_broken(&d->ca, qp);                                                                              \
        cr_assert_not_null(said, "%s", #change);                                                                       \
        cr_assert_not_null(strstr(said, words), "%s: %s", #change, said);                                              \
    } while (0)

Test(fail, invariants)
{
    const struct iba_resp answer = {.kind = IBA_RESP_ATOMIC};

    BREAKS(RTS, "valid values", qp->state = IBA_QPS_COUNT);
    BREAKS(RTS, "valid values", qp->type = IBA_QPT_COUNT);
    BREAKS(RTS, "leads to it", qp->qpn++);
    BREAKS(RTS, "exist", qp->pd = N_PD);
    BREAKS(RTS, "exist", qp->send_cq = N_CQ);
    BREAKS(RTS, "exist", qp->recv_cq = IBA_NONE);
    BREAKS(RTS, "exist", qp->srq = 0);
    BREAKS(RTS, "more than it can", qp->rq.count = N_WR + 1);
    BREAKS(RTS, "more than it can", qp->s.head = N_WR);
    BREAKS(RTS, "more than it can", qp->r.resp_count = IBA_RESP_OWN + IBA_RESP_EACH * N_SAVED + 1);
    BREAKS(RESET, "in Reset", qp->rq.count = 1);
    BREAKS(INIT, "in Init", qp->cnp_due = true);
    BREAKS(RTR, "in RTR", qp->s.count = 1);
    BREAKS(SQD, "raised its event", qp->s.sqd_asked = true);
    BREAKS(RTS, "in SQE", qp->state = IBA_QPS_SQE);
    BREAKS(ERR, "in Error both", qp->r.has_wqe = true);
    BREAKS(ERR, "in Error no", qp->r.resp_count = 1);
    BREAKS(RTR, "port", qp->attr.port = 3);
    BREAKS(RTR, "path", qp->envelope_bytes = 0);
    BREAKS(RTR, "24 bits", qp->r.msn = 1 << 24);
    BREAKS(RTR, "has memory", qp->attr.max_dest_rd = N_SAVED + 1);
    BREAKS(RTR, "than its responder resources", qp->attr.max_dest_rd = 0; qp->r.n_saved = 0; iba_resp_put(qp, &answer));
    BREAKS(INIT, "receive queue of its own", (iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &qp->srq)));
}
