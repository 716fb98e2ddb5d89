/* SPDX-License-Identifier: BSD-2-Clause */
/* Conditions under which the requester may send requests, and requests that it cannot send. */
#include "requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

/* RQ-08: requests after a READ that waits also wait. */
Test(requester_queue, depth)
{
    for (uint8_t depth = 1; depth <= 3; depth++) {
        START(IBA_QPT_RC, s.max_rd = depth);
        for (uint64_t i = 0; i < 3; i++)
            post(i == 1 ? IBA_WR_FETCH_ADD : IBA_WR_READ, i, 8);
        post(IBA_WR_SEND, 3, 8);
        cr_assert_eq(sends_all(), depth == 3 ? 4 : depth, "depth %u", depth);
        data(IBA_RC_READ_RESP_ONLY, 100, b.memory, 8);
        cr_assert_eq(sends_all(), depth == 3 ? 0 : depth == 2 ? 2 : 1, "depth %u", depth);
    }
}

/* RQ-08: each kind of request that takes a resource of the responder waits for one, and no other kind does. */
Test(requester_queue, what_takes_a_resource)
{
    static const struct {
        uint8_t op; /* enum iba_wr_op */
        bool waits;
    } c[] = {{IBA_WR_SEND, false},    {IBA_WR_WRITE, false},    {IBA_WR_WRITE_IMM, false}, {IBA_WR_READ, true},
             {IBA_WR_CMP_SWAP, true}, {IBA_WR_FETCH_ADD, true}, {IBA_WR_FLUSH, true},      {IBA_WR_ATOMIC_WRITE, true}};

    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        START(IBA_QPT_RC, s.max_rd = 1);
        post(IBA_WR_READ, 1, 8);
        post((enum iba_wr_op)c[i].op, 2, 8);
        cr_expect_eq(sends_all(), c[i].waits ? 1 : 2, "%u", c[i].op);
        data(IBA_RC_READ_RESP_ONLY, 100, b.memory, 8);
        cr_expect_eq(sends_all(), c[i].waits ? 1 : 0, "%u", c[i].op);
    }
}

Test(requester_queue, depth_zero_is_told)
{
    START(IBA_QPT_RC, s.max_rd = 0);
    post(IBA_WR_SEND, 1, 8);
    post(IBA_WR_READ, 2, 8);
    cr_assert_eq(sends_all(), 1);
    cr_assert(no_wc());
    ack(100);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_WC(2, IBA_WC_LOCAL_QP_OPERATION);
}

/* RQ-09 */
Test(requester_queue, fence)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_SEND, 0, 8);
    post(IBA_WR_READ, 1, 8);
    w = wr_of(IBA_WR_SEND, 2, 8);
    w.flags = IBA_WR_FENCE;
    post_wr(&w);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    EXPECT_SILENCE();
    data(IBA_RC_READ_RESP_ONLY, 101, b.memory, 8);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 102);
    w.wr_id = 3;
    post_wr(&w); /* it does not wait for other open requests (catalogue 11.1/24) */
    EXPECT_SENT(IBA_RC_SEND_ONLY, 103);
}

/* ---- span of open PSNs ---- */

Test(requester_queue, span_of_reads)
{
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256, s.psn = 0x900000);
    for (uint64_t i = 1; i <= 3; i++) { /* 0x3fffff PSNs each: two fit, not three */
        struct iba_send_wr w = wr_of(IBA_WR_READ, i, 0x3fffff00);
        w.sge[0].length = 0x3fffff00;
        post_wr(&w);
    }
    cr_assert_eq(sends_all(), 2); /* RQ-03 */
    cr_assert_eq((b.qp->s.high_psn.v - 0x900000) & 0xffffff, 0x7ffffe);
    post(IBA_WR_SEND, 4, 1);
    EXPECT_SILENCE();
}

Test(requester_queue, read_that_never_fits_is_told)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    w = wr_of(IBA_WR_READ, 1, 0x7fffffff);
    w.n_sge = 2;
    w.sge[1].length = 1;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
}

/* The PSNs of an RD queue pair are those of its EE context, whose MTU counts: the queue pair refuses no READ for them.
 */
Test(requester_queue, an_rd_qp_has_no_span)
{
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    b.qp->type = IBA_QPT_RD;
    const struct iba_send_wr w = wr_of(IBA_WR_READ, 1, 0x80000000);
    iba_requester_post(&b.ca, b.qp, &w);
    cr_assert_eq(iba_sqe_at(b.qp, 0)->status, IBA_WC_SUCCESS);
}

/* RQ-03, WF-67: the longest READ whose responses fit, and a message of 2^31 bytes, which any other request may have. */
Test(requester_queue, longest_requests)
{
    struct iba_send_wr w;
    struct iba_wc wc;

    for (unsigned more = 0; more < 2; more++) {
        START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
        w = wr_of(IBA_WR_READ, 1, 0x7fffff00 + more); /* 2^23 - 1 responses, and one more */
        post_wr(&w);
        cr_assert_eq(sends_all(), 1 - more);
        cr_assert_eq(no_wc(), !more);
    }
    START(IBA_QPT_RC, s.mtu = IBA_MTU_4096);
    w = wr_of(IBA_WR_READ, 1, 0x80000000);
    post_wr(&w);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 0x80000000);
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    w = wr_of(IBA_WR_WRITE, 1, MEMORY);
    w.n_sge = 2;
    w.sge[1] = (struct iba_sge){.addr = IOVA, .length = 0x80000000 - MEMORY, .lkey = b.lkey};
    post_wr(&w);
    EXPECT_SENT(IBA_RC_WRITE_FIRST, 100);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 0x80000000);
    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_SEND, 1, 0x80000001);
    iba_requester_post(&b.ca, b.qp, &w);
    EXPECT_SILENCE();
    cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc), 1);
    cr_assert_eq(wc.byte_len, 0); /* nothing was sent */
}

/* ---- local faults ---- */

Test(requester_queue, local_fault_waits_for_its_turn)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, s.sig_all = false);
    post(IBA_WR_SEND, 1, 10);
    w = wr_of(IBA_WR_SEND, 2, 3000);
    w.n_sge = 2;
    w.sge[0].length = 1500;
    w.sge[1] = (struct iba_sge){.addr = IOVA, .length = 1500, .lkey = b.lkey ^ 0x100};
    post_wr(&w);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 101);
    EXPECT_SILENCE(); /* RQ-13: neither its second packet nor a later request */
    cr_assert_eq(b.qp->state, IBA_QPS_RTS);
    ack(100);
    EXPECT_WC(2, IBA_WC_LOCAL_PROTECTION); /* RQ-14; the first request was not signaled */
    EXPECT_WC(3, IBA_WC_FLUSHED);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(requester_queue, local_fault_of_the_oldest_at_once)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_WRITE, 1, 10);
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_PROTECTION);
    cr_assert(no_wc());
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
    post(IBA_WR_SEND, 2, 10);
    EXPECT_WC(2, IBA_WC_FLUSHED);
}

/* RQ-55: another request fails before it is the turn of the request with the local fault. */
Test(requester_queue, only_the_first_failure_is_told)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_SEND, 1, 10);
    w = wr_of(IBA_WR_SEND, 2, 10);
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    cr_assert_eq(sends_all(), 1);
    nak(0x62, 100);
    EXPECT_WC(1, IBA_WC_REMOTE_ACCESS);
    EXPECT_WC(2, IBA_WC_FLUSHED);
}

Test(requester_queue, unsignaled)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, s.sig_all = false);
    for (uint64_t i = 0; i < 6; i++) {
        w = wr_of(IBA_WR_SEND, i, 10);
        w.flags = i % 3 == 2 ? IBA_WR_SIGNALED : 0;
        post_wr(&w);
    }
    cr_assert_eq(sends_all(), 6);
    ack(105);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    EXPECT_WC(5, IBA_WC_SUCCESS);
    cr_assert(no_wc());
}

/* The fields of the completion of each request. */
Test(requester_queue, completions)
{
    for (unsigned op = IBA_WR_SEND; op <= IBA_WR_ATOMIC_WRITE; op++) {
        const enum iba_op answer = op == IBA_WR_READ                                 ? IBA_RC_READ_RESP_ONLY
                                   : op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD ? IBA_RC_ATOMIC_ACKNOWLEDGE
                                                                                     : IBA_RC_ACKNOWLEDGE;
        struct iba_send_wr w;
        struct iba_wc wc;
        START(IBA_QPT_RC, s.sig_all = false);
        w = wr_of((enum iba_wr_op)op, 41 + op, 8);
        w.flags = IBA_WR_SIGNALED | IBA_WR_TAGGED; /* TAGGED is for the engine alone */
        post_wr(&w);
        cr_assert_eq(sends_all(), 1);
        data(answer, 100, b.memory, op == IBA_WR_READ ? 8 : 0);
        memset(&wc, 0xee, sizeof wc);
        cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc), 1, "op %u", op);
        cr_assert_eq(wc.wr_id, 41 + op);
        cr_assert_eq(wc.op, op);
        cr_assert_eq(wc.status, IBA_WC_SUCCESS);
        cr_assert_eq(wc.qpn, QPN);
        cr_assert_eq(wc.byte_len, 8);
        cr_assert_eq(wc.imm_or_key, 0, "only a bind returns a key");
        cr_assert_eq(wc.flags, 0);
    }
}

/* QS-33: the failure of a request wakes a user who waits for solicited completions, its success does not. */
Test(requester_queue, failures_are_solicited)
{
    for (unsigned fails = 0; fails < 2; fails++) {
        START(IBA_QPT_RC, (void)0);
        cr_assert_eq(iba_req_notify_cq(&b.ca, b.cqn, true), IBA_VERB_OK);
        post(IBA_WR_SEND, 1, 10);
        cr_assert_eq(sends_all(), 1);
        nak(fails ? 0x62 : 0x1f, 100);
        cr_assert_eq(b.cq.notified, fails);
    }
}

/* ---- local operations ---- */

Test(requester_queue, bind_in_order)
{
    struct iba_send_wr w;
    struct iba_wc wc;
    uint32_t mw;

    START(IBA_QPT_RC, (void)0);
    cr_assert_eq(iba_mw_alloc(&b.ca.mem, IBA_MEM_MW2B, b.pd, &mw), IBA_MEM_OK);
    post(IBA_WR_SEND, 1, 10);
    w = (struct iba_send_wr){.wr_id = 2, .op = IBA_WR_BIND_MW};
    w.bind.mw_rkey = mw;
    w.bind.mr_lkey = b.lkey;
    w.bind.va = IOVA;
    w.bind.length = 100;
    w.bind.access = IBA_ACCESS_REMOTE_WRITE;
    w.bind.key_byte = 0x77;
    post_wr(&w);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101); /* after the bind, which took no PSN */
    cr_assert(no_wc());
    nak(0x60, 100); /* the bind is not repeated */
    cr_assert_eq(sends_all(), 2);
    ack(101);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc), 1);
    cr_assert_eq(wc.status, IBA_WC_SUCCESS);
    cr_assert_eq(wc.imm_or_key, (mw & ~0xffu) | 0x77);
    EXPECT_WC(3, IBA_WC_SUCCESS);
    /* The window is bound already: only an invalidation frees it (QS-63). */
    w.wr_id = 4;
    w.bind.mw_rkey = wc.imm_or_key;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(4, IBA_WC_MW_BIND);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(requester_queue, invalidate_waits_for_what_came_before)
{
    struct iba_send_wr w;
    uint32_t mw;

    START(IBA_QPT_RC, (void)0);
    cr_assert_eq(iba_mw_alloc(&b.ca.mem, IBA_MEM_MW2B, b.pd, &mw), IBA_MEM_OK);
    w = (struct iba_send_wr){.wr_id = 1, .op = IBA_WR_BIND_MW};
    w.bind.mw_rkey = mw;
    w.bind.mr_lkey = b.lkey;
    w.bind.va = IOVA;
    w.bind.length = 100;
    w.bind.access = IBA_ACCESS_REMOTE_WRITE;
    w.bind.key_byte = 0x55;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_SUCCESS);
    post(IBA_WR_SEND, 2, 10);
    w = (struct iba_send_wr){.wr_id = 3, .op = IBA_WR_LOCAL_INV, .imm_or_key = (mw & ~0xffu) | 0x55};
    post_wr(&w);
    post(IBA_WR_SEND, 4, 10);
    cr_assert_eq(sends_all(), 1);
    ack(100); /* QS-59 */
    EXPECT_WC(2, IBA_WC_SUCCESS);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101);
    EXPECT_WC(3, IBA_WC_SUCCESS);
    w.wr_id = 5;
    w.imm_or_key ^= 0xffffff00;
    post_wr(&w);
    EXPECT_SILENCE();
    ack(101);
    EXPECT_WC(4, IBA_WC_SUCCESS);
    EXPECT_SILENCE();
    EXPECT_WC(5, IBA_WC_MW_BIND);
}

/* ---- SQD ---- */

Test(requester_queue, drain)
{
    const struct iba_qp_attr a = {.sqd_notify = true};

    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_SEND, 1, 3000);
    post(IBA_WR_SEND, 2, 10);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100);
    modify(IBA_QPS_SQD, &a, IBA_QPA_SQD_NOTIFY);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 101);
    EXPECT_SENT(IBA_RC_SEND_LAST, 102);
    EXPECT_SILENCE(); /* QS-22 */
    wait_until(iba_ca_deadline(&b.ca));
    cr_assert_eq(sends_all(), 3); /* RQ-58 */
    cr_assert_eq(b.events[IBA_EVENT_SQ_DRAINED], 0);
    ack(102);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert_eq(b.events[IBA_EVENT_SQ_DRAINED], 1); /* QS-23 */
    cr_assert(iba_requester_idle(b.qp));
    EXPECT_SILENCE();
    modify(IBA_QPS_RTS, &a, 0);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 103);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 104);
    ack(104);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    EXPECT_WC(3, IBA_WC_SUCCESS);
    cr_assert_eq(b.events[IBA_EVENT_SQ_DRAINED], 1);
}

/* ---- faults that verbs refuse: without verbs, the requester reports them when the request's turn comes ---- */

Test(requester_queue, illegal_forms)
{
    static const struct {
        uint8_t type, op, status;
        uint32_t length;
    } row[] = {{IBA_QPT_UC, IBA_WR_READ, IBA_WC_LOCAL_QP_OPERATION, 8}, /* RQ-15 */
               {IBA_QPT_UC, IBA_WR_SEND_INV, IBA_WC_LOCAL_QP_OPERATION, 8},
               {IBA_QPT_UD, IBA_WR_WRITE, IBA_WC_LOCAL_QP_OPERATION, 8},
               {IBA_QPT_RC, IBA_WR_CMP_SWAP, IBA_WC_LOCAL_LENGTH, 7}, /* WF-68 */
               {IBA_QPT_RC, IBA_WR_ATOMIC_WRITE, IBA_WC_LOCAL_LENGTH, 9},
               {IBA_QPT_RC, IBA_WR_SEND, IBA_WC_LOCAL_LENGTH, 0x80000001},       /* WF-67 */
               {IBA_QPT_UC, IBA_WR_READ, IBA_WC_LOCAL_QP_OPERATION, 0x80000001}, /* the first fault counts */
               {IBA_QPT_RC, IBA_WR_READ, IBA_WC_LOCAL_LENGTH, 0x80000001}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct iba_send_wr w;
        START((enum iba_qp_type)row[i].type, s.max_rd = 0);
        w = wr_of((enum iba_wr_op)row[i].op, 1, 8);
        w.sge[0].length = row[i].length;
        iba_requester_post(&b.ca, b.qp, &w);
        EXPECT_SILENCE();
        EXPECT_WC(1, row[i].status);
    }
}

/* A message is too long even if its length overflows 32 bits (WF-67, WF-68). */
Test(requester_queue, longer_than_32_bits)
{
    static const uint8_t op[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_READ, IBA_WR_FETCH_ADD};

    for (size_t i = 0; i < sizeof op; i++) {
        struct iba_send_wr w;
        START(IBA_QPT_RC, (void)0);
        w = wr_of((enum iba_wr_op)op[i], 1, 8);
        w.sge[0].length = 0x80000000;
        w.sge[1] = (struct iba_sge){.addr = IOVA, .length = 0x80000008, .lkey = b.lkey}; /* the sum is 8 in 32 bits */
        w.n_sge = 2;
        iba_requester_post(&b.ca, b.qp, &w);
        EXPECT_SILENCE();
        EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
    }
}

/* ---- the requester waits for an absent page of a local buffer ---- */

Test(requester_queue, absent_page_is_waited_for)
{
    static uint8_t present[MEMORY / IBA_MEM_PAGE / 8];
    struct iba_mr_attr mr;
    struct iba_send_wr w;
    uint32_t rkey;

    START(IBA_QPT_RC, (void)0);
    memset(present, 0, sizeof present);
    mr = (struct iba_mr_attr){.base = b.memory,
                              .length = MEMORY,
                              .iova = IOVA,
                              .pd = b.pd,
                              .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND,
                              .present = present};
    w = wr_of(IBA_WR_SEND, 1, 10);
    cr_assert_eq(iba_mr_register(&b.ca.mem, &mr, &w.sge[0].lkey, &rkey), IBA_MEM_OK);
    post_wr(&w);
    EXPECT_SILENCE();
    cr_assert_eq(iba_ca_deadline(&b.ca), b.now + IBA_PAGE_WAIT_NS);
    wait_until(iba_ca_deadline(&b.ca));
    EXPECT_SILENCE();
    memset(present, 0xff, sizeof present);
    wait_until(iba_ca_deadline(&b.ca));
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    ack(100);
    EXPECT_WC(1, IBA_WC_SUCCESS);
}

/* RQ-03: fewer than half of all PSNs may be outstanding; the test goes up to the last one. */
Test(requester_queue, open_psns_end_before_half_of_all)
{
    struct iba_qp qp = {.type = IBA_QPT_RC, .state = IBA_QPS_RTS};
    struct iba_sqe e = {.wr = {.op = IBA_WR_WRITE}, .status = IBA_WC_SUCCESS};

    qp.s.rnr_due = IBA_NEVER;
    qp.s.una = iba_psn_of(0xfffffe);
    for (unsigned state = 0; state < 2; state++)
        for (uint32_t open = IBA_PSN_SPAN - 4; open < IBA_PSN_SPAN; open++) {
            e.state = state ? IBA_SQE_BEGUN : IBA_SQE_WAITING;
            e.first = qp.s.una;
            qp.s.next_psn = iba_psn_add(qp.s.una, open);
            e.wr.op = IBA_WR_WRITE;
            cr_expect_eq(iba_sqe_may_go(&qp, &e), open + 1 < IBA_PSN_SPAN, "state %u, %u open", e.state, open);
            e.wr.op = IBA_WR_READ; /* one that has begun has its PSNs, and is only sent again */
            qp.attr.max_rd = 1;
            cr_expect_eq(iba_sqe_may_go(&qp, &e), state || open + 1 < IBA_PSN_SPAN, "state %u, %u open", e.state, open);
        }
}

/* QS-84: inline data are those of the time of posting, in every packet of the message. */
Test(requester_queue, inline_data)
{
    uint8_t before[IBA_MAX_INLINE];
    struct iba_send_wr w;

    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    w = wr_of(IBA_WR_SEND, 1, IBA_MAX_INLINE);
    w.flags = IBA_WR_INLINE;
    memcpy(before, b.memory, sizeof before);
    post_wr(&w);
    memset(b.memory, 0x2e, sizeof before);
    for (uint32_t at = 0, psn = 100; at < sizeof before; at += 256, psn++) {
        cr_assert(sends());
        cr_assert_eq(iba_bth_psn(b.bth), psn);
        cr_assert_eq(b.v.payload_len, sizeof before - at < 256 ? sizeof before - at : 256);
        cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, before + at, b.v.payload_len), 0, "from byte %u", at);
    }
    EXPECT_SILENCE();
    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_SEND, 1, 10);
    w.flags = IBA_WR_INLINE;
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_PROTECTION);
}

/* An inline buffer of which a page is absent is read when its page is there. */
Test(requester_queue, inline_data_of_an_absent_page)
{
    static uint8_t present[MEMORY / IBA_MEM_PAGE / 8];
    struct iba_mr_attr mr;
    struct iba_send_wr w;
    uint32_t rkey;

    START(IBA_QPT_RC, (void)0);
    memset(present, 0, sizeof present);
    mr = (struct iba_mr_attr){.base = b.memory,
                              .length = MEMORY,
                              .iova = IOVA,
                              .pd = b.pd,
                              .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND,
                              .present = present};
    w = wr_of(IBA_WR_SEND, 1, 10);
    w.flags = IBA_WR_INLINE;
    cr_assert_eq(iba_mr_register(&b.ca.mem, &mr, &w.sge[0].lkey, &rkey), IBA_MEM_OK);
    post_wr(&w);
    memset(present, 0xff, sizeof present);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory, 10), 0);
}
