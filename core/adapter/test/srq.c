/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues: order, the limit, the effects of an error. */
#include <criterion/criterion.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum { SMALL = 64, AT = LAB_BYTES / 2 };

static uint32_t open_srq(struct lab *l, unsigned n)
{
    struct lab_end *e = &l->end[1];
    uint32_t srq;

    cr_assert_eq(iba_create_srq(&e->ca, &e->srq, e->srq_ring, LAB_DEPTH, e->pd, &srq), IBA_VERB_OK);
    for (unsigned i = 0; i < n; i++) {
        const struct iba_recv_wr wr = {.wr_id = i, .n_sge = 1, .sge = {{LAB_VA + AT + i * 4096, 4096, e->lkey}}};
        cr_assert_eq(iba_post_srq_recv(&e->ca, srq, &wr), IBA_VERB_OK);
    }
    return srq;
}

static void send_from(struct lab *l, uint32_t qpn, uint64_t wr_id)
{
    const struct iba_send_wr wr = {.wr_id = wr_id, .op = IBA_WR_SEND};

    cr_assert_eq(lab_send(l, 0, qpn, wr, 0, SMALL), IBA_VERB_OK);
    lab_settle(l);
}

Test(srq, two_qps_share_and_the_limit_is_told_once)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const uint32_t srq = open_srq(l, 4);
    uint32_t from[2], to[2];

    for (unsigned i = 0; i < 2; i++) {
        from[i] = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE);
        to[i] = lab_qp(l, 1, IBA_QPT_RC, srq);
        lab_connect(l, 0, from[i], 1, to[i], lab_attr());
    }
    cr_assert_eq(iba_arm_srq(&l->end[1].ca, srq, 3), IBA_VERB_OK);
    for (unsigned i = 0; i < 4; i++) {
        send_from(l, from[i % 2], i);
        cr_assert_eq(lab_done(l, 1, i, IBA_WC_SUCCESS).qpn, to[i % 2]);
        cr_assert_eq(lab_events(l, 1, IBA_EVENT_SRQ_LIMIT), i >= 1, "after %u", i); /* fewer than 3 are left (QS-38) */
    }
    lab_close(l);
}

Test(srq, an_error_leaves_the_shared_requests_to_the_others)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    const uint32_t srq = open_srq(l, 4), from = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE), to = lab_qp(l, 1, IBA_QPT_RC, srq);
    const struct iba_qp_attr err = {.state = IBA_QPS_ERR};

    lab_connect(l, 0, from, 1, to, lab_attr());
    cr_assert_eq(iba_modify_qp(&l->end[1].ca, to, &err, IBA_QPA_STATE), IBA_VERB_OK);
    cr_assert_eq(lab_events(l, 1, IBA_EVENT_LAST_WQE_REACHED), 1);
    lab_no_wc(l, 1);
    cr_assert_eq(l->end[1].srq.rq.count, 4);
    lab_close(l);
}

static bool lose_last(struct lab *l, unsigned from, uint8_t *frame, struct iba_view *v)
{
    (void)l, (void)from;
    return iba_bth_opcode(frame + v->bth_at) != IBA_UC_SEND_LAST;
}

/* UC: a message whose end is missing completes in error when the next message begins. If the CQ has no room for that
 * completion, the QP goes to Error and does not begin the next message. The test chaos found this. */
Test(srq, a_broken_message_that_overflows_the_cq_is_the_last)
{
    struct lab *l = lab_open(IBA_PORT_IB, 2);
    struct iba_wc ring[1];
    struct iba_cq cq;
    const uint32_t srq = open_srq(l, 4), from = lab_qp(l, 0, IBA_QPT_UC, IBA_NONE);
    const uint32_t usual = l->end[1].cqn;
    const struct iba_send_wr two = {.wr_id = 9, .op = IBA_WR_SEND};

    cr_assert_eq(iba_create_cq(&l->end[1].ca, &cq, ring, 1, &l->end[1].cqn), IBA_VERB_OK);
    const uint32_t to = lab_qp(l, 1, IBA_QPT_UC, srq);
    l->end[1].cqn = usual;
    lab_connect(l, 0, from, 1, to, lab_attr());
    send_from(l, from, 1); /* fills the queue */
    l->tap = lose_last;
    cr_assert_eq(lab_send(l, 0, from, two, 0, 2000), IBA_VERB_OK);
    lab_settle(l);
    send_from(l, from, 2);
    cr_assert_eq(lab_state(l, 1, to), IBA_QPS_ERR);
    cr_assert_eq(lab_events(l, 1, IBA_EVENT_CQ_ERROR), 1);
    cr_assert_eq(l->end[1].srq.rq.count, 2, "the third message has taken nothing");
    lab_close(l);
}
