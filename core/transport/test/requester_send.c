/* What requests look like, and when they may go. */
#include "requester.h"

static uint64_t pmtu_of(const struct iba_qp *qp)
{
    return UINT64_C(128) << qp->attr.path_mtu;
}

/* The packets of one message of `len` bytes by the book (WF-64), read back byte by byte. */
static void expect_message(enum iba_wr_op op, uint32_t len, uint32_t psn, bool reliable)
{
    const uint8_t svc = reliable ? 0 : 0x20;
    const uint32_t p = (uint32_t)pmtu_of(b.qp), n = len == 0 ? 1 : (len + p - 1) / p;
    const bool write = op == IBA_WR_WRITE || op == IBA_WR_WRITE_IMM,
               imm = op == IBA_WR_SEND_IMM || op == IBA_WR_WRITE_IMM;
    const uint8_t first = write ? IBA_RC_WRITE_FIRST : IBA_RC_SEND_FIRST;
    const uint8_t last = op == IBA_WR_SEND_INV ? IBA_RC_SEND_LAST_INV : (uint8_t)(first + 2 + imm);
    const uint8_t only = op == IBA_WR_SEND_INV ? IBA_RC_SEND_ONLY_INV : (uint8_t)(first + 4 + imm);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = i * p, here = i + 1 == n ? len - at : p;
        const bool ends = i + 1 == n;
        EXPECT_SENT(svc | (n == 1 ? only : ends ? last : i == 0 ? first : first + 1), (psn + i) & 0xffffff);
        cr_assert_eq(b.v.payload_len, here);
        cr_assert_eq(b.v.pad, (4 - here % 4) % 4); /* WF-31 */
        cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory + at, here), 0);
        for (uint32_t k = 0; k < b.v.pad; k++)
            cr_assert_eq(b.v.wire[b.v.payload_at + here + k], 0);
        cr_assert_eq(iba_bth_a(b.bth), reliable && (ends || i % 64 == 63)); /* RQ-05, WF-38 */
        cr_assert_eq(iba_bth_m(b.bth), 1);
        cr_assert_eq(iba_bth_se(b.bth), 0);
        cr_assert_eq(iba_bth_tver(b.bth), 0);
        cr_assert_eq(iba_bth_p_key(b.bth), 0xffff);
        cr_assert_eq(iba_bth_destqp(b.bth), PEER);
        if (write && i == 0) {
            cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000);
            cr_assert_eq(iba_reth_r_key(sent(IBA_H_reth)), 0xabcd);
            cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), len);
        }
        if (ends && imm)
            cr_assert_eq(iba_immdt_data(sent(IBA_H_immdt)), 0x01020304);
        if (ends && op == IBA_WR_SEND_INV)
            cr_assert_eq(iba_ieth_r_key(sent(IBA_H_ieth)), 0x01020304);
    }
    EXPECT_SILENCE();
}

/* Sizes around the edges, 0 .. 3 * PMTU + 1, at each path MTU. */
Test(requester, segmentation)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_SEND_INV, IBA_WR_WRITE, IBA_WR_WRITE_IMM};

    for (uint8_t mtu = IBA_MTU_256; mtu <= IBA_MTU_4096; mtu++)
        for (unsigned o = 0; o < sizeof ops; o++) {
            uint32_t psn = 0xfffff0; /* and the PSN wraps (RQ-01) */
            START(IBA_QPT_RC, s.mtu = mtu, s.psn = psn);
            for (uint32_t len = 0; len <= 3 * pmtu_of(b.qp) + 1;
                 len += len % (pmtu_of(b.qp) / 2) < 9 ? 1 : (uint32_t)pmtu_of(b.qp) / 2 - 11) {
                post((enum iba_wr_op)ops[o], len, len);
                expect_message((enum iba_wr_op)ops[o], len, psn, true);
                psn += len == 0 ? 1 : (len + (uint32_t)pmtu_of(b.qp) - 1) / (uint32_t)pmtu_of(b.qp);
                ack((psn - 1) & 0xffffff);
                EXPECT_WC(len, IBA_WC_SUCCESS);
            }
        }
}

Test(requester, every_size_at_the_smallest_mtu)
{
    uint32_t psn = 0;

    START(IBA_QPT_RC, s.mtu = IBA_MTU_256, s.psn = 0);
    for (uint32_t len = 0; len <= 3 * 256 + 1; len++) {
        post(IBA_WR_SEND, len, len);
        expect_message(IBA_WR_SEND, len, psn, true);
        psn += len == 0 ? 1 : (len + 255) / 256;
        ack(psn - 1);
        EXPECT_WC(len, IBA_WC_SUCCESS);
    }
}

Test(requester, ackreq_every_64_packets)
{
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    post(IBA_WR_SEND, 1, 200 * 256);
    expect_message(IBA_WR_SEND, 200 * 256, 100, true);
}

Test(requester, gathers_from_several_buffers)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_SEND, 1, 3);
    w.n_sge = 4;
    for (unsigned i = 1; i < 4; i++)
        w.sge[i] = (struct iba_sge){.addr = IOVA + 1000 * i, .length = i == 2 ? 0 : 700, .lkey = b.lkey};
    post_wr(&w);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory, 3), 0);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at + 3, b.memory + 1000, 700), 0);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at + 703, b.memory + 3000, 321), 0);
    EXPECT_SENT(IBA_RC_SEND_LAST, 101);
    cr_assert_eq(b.v.payload_len, 379);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory + 3321, 379), 0);
}

/* WF-28, RQ-16 */
Test(requester, solicited_only_where_it_is_received)
{
    for (unsigned op = IBA_WR_SEND; op <= IBA_WR_ATOMIC_WRITE; op++) {
        struct iba_send_wr w;
        unsigned marked = 0, n = 0;

        START(IBA_QPT_RC, (void)0);
        w = wr_of((enum iba_wr_op)op, 1, 3000);
        w.flags = IBA_WR_SOLICITED;
        post_wr(&w);
        for (; sends(); n++)
            marked += iba_bth_se(b.bth) ? 1u << n : 0;
        cr_assert_eq(marked, op == IBA_WR_WRITE || op >= IBA_WR_READ ? 0 : 1u << (n - 1), "op %u", op);
    }
}

/* RQ-02: what a request takes. */
Test(requester, psns_of_requests)
{
    START(IBA_QPT_RC, s.max_rd = 100, s.psn = 0xfffffd);
    post(IBA_WR_READ, 1, 3 * 1024);
    post(IBA_WR_READ, 2, 0);
    post(IBA_WR_FETCH_ADD, 3, 8);
    post(IBA_WR_FLUSH, 4, 1 << 20);
    post(IBA_WR_ATOMIC_WRITE, 5, 8);
    post(IBA_WR_SEND, 6, 1);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 0xfffffd);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 3072);
    cr_assert_eq(b.v.payload_len, 0);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 0);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 0); /* RQ-12 */
    EXPECT_SENT(IBA_RC_FETCH_ADD, 1);
    EXPECT_SENT(IBA_RC_FLUSH, 2);
    EXPECT_SENT(IBA_RC_ATOMIC_WRITE, 3);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 4);
}

Test(requester, atomic_headers)
{
    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_CMP_SWAP, 1, 8);
    post(IBA_WR_FETCH_ADD, 2, 8);
    EXPECT_SENT(IBA_RC_CMP_SWAP, 100);
    cr_assert_eq(iba_atomiceth_va(sent(IBA_H_atomiceth)), 0x7000);
    cr_assert_eq(iba_atomiceth_r_key(sent(IBA_H_atomiceth)), 0xabcd);
    cr_assert_eq(iba_atomiceth_cmpdt(sent(IBA_H_atomiceth)), 11);
    cr_assert_eq(iba_atomiceth_swapdt(sent(IBA_H_atomiceth)), 22);
    EXPECT_SENT(IBA_RC_FETCH_ADD, 101);
    cr_assert_eq(iba_atomiceth_swapdt(sent(IBA_H_atomiceth)), 11);
    cr_assert_eq(iba_atomiceth_cmpdt(sent(IBA_H_atomiceth)), 0); /* WF-45 */
}

Test(requester, flush_and_atomic_write_headers)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_FLUSH, 1, 77);
    w.flush_placement = 3;
    w.flush_selectivity = 1;
    post_wr(&w);
    post(IBA_WR_ATOMIC_WRITE, 2, 8);
    EXPECT_SENT(IBA_RC_FLUSH, 100);
    cr_assert_eq(iba_feth_placement(sent(IBA_H_feth)), 3);
    cr_assert_eq(iba_feth_selectivity(sent(IBA_H_feth)), 1);
    cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 77);
    cr_assert_eq(b.v.payload_len, 0);
    EXPECT_SENT(IBA_RC_ATOMIC_WRITE, 101);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 8);
    cr_assert_eq(b.v.payload_len, 8);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory, 8), 0);
}

/* RQ-08: others behind a stalled READ wait too. */
Test(requester, depth)
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

Test(requester, depth_zero_is_told)
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
Test(requester, fence)
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
    post_wr(&w); /* other open requests do not hold it (catalogue 11.1/24) */
    EXPECT_SENT(IBA_RC_SEND_ONLY, 103);
}

/* ---- credits ---- */

Test(requester, limited_sender_starts_one_message)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_SEND, 1, 4000);
    post(IBA_WR_SEND, 2, 4000);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100); /* RQ-41 */
    cr_assert_eq(iba_bth_a(b.bth), 1);
    EXPECT_SILENCE();
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 100, .msn = 0});
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 101);
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 102);
    EXPECT_SENT(IBA_RC_SEND_LAST, 103);
    EXPECT_SILENCE(); /* SSN 2 is two beyond LSN 0 */
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 1, .psn = 103, .msn = 1});
    cr_assert_eq(sends_all(), 4); /* LSN 2 */
}

Test(requester, what_takes_no_receive_is_not_limited)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_WRITE, 1, 10);
    post(IBA_WR_READ, 2, 10);
    post(IBA_WR_FETCH_ADD, 3, 8);
    cr_assert_eq(sends_all(), 3); /* RQ-42 */
    cr_assert_eq(b.qp->s.lsn, 3);
    post(IBA_WR_WRITE_IMM, 4, 10);
    post(IBA_WR_WRITE_IMM, 5, 10);
    post(IBA_WR_WRITE, 6, 10);
    EXPECT_SENT(IBA_RC_WRITE_ONLY_IMM, 103);
    EXPECT_SILENCE(); /* nor does the WRITE pass */
}

Test(requester, without_flow_control_there_is_no_limit)
{
    START(IBA_QPT_RC, (void)0);
    for (uint64_t i = 0; i < 20; i++)
        post(IBA_WR_SEND, i, 10);
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 99});
    cr_assert_eq(sends_all(), 20); /* RQ-45 */
}

/* ---- span of open PSNs ---- */

Test(requester, span_of_reads)
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

Test(requester, read_that_never_fits_is_told)
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

/* ---- local faults ---- */

Test(requester, local_fault_waits_for_its_turn)
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
    EXPECT_SILENCE(); /* RQ-13: not its second packet, nor anything behind it */
    cr_assert_eq(b.qp->state, IBA_QPS_RTS);
    ack(100);
    EXPECT_WC(2, IBA_WC_LOCAL_PROTECTION); /* RQ-14; the first was not signaled */
    EXPECT_WC(3, IBA_WC_FLUSHED);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(requester, local_fault_of_the_oldest_at_once)
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

/* RQ-55: another failure before the local fault's turn. */
Test(requester, only_the_first_failure_is_told)
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

Test(requester, unsignaled)
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

/* ---- local operations ---- */

Test(requester, bind_in_order)
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
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101); /* behind the bind, which took no PSN */
    cr_assert(no_wc());
    nak(0x60, 100); /* and the bind is not done twice */
    cr_assert_eq(sends_all(), 2);
    ack(101);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc), 1);
    cr_assert_eq(wc.status, IBA_WC_SUCCESS);
    cr_assert_eq(wc.imm_or_key, (mw & ~0xffu) | 0x77);
    EXPECT_WC(3, IBA_WC_SUCCESS);
    /* Bound already: only an invalidation frees it (QS-63). */
    w.wr_id = 4;
    w.bind.mw_rkey = wc.imm_or_key;
    post_wr(&w);
    EXPECT_SILENCE();
    EXPECT_WC(4, IBA_WC_MW_BIND);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(requester, invalidate_waits_for_what_came_before)
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

Test(requester, drain)
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

/* ---- UC ---- */

Test(requester, uc_completes_when_sent)
{
    START(IBA_QPT_UC, s.psn = 0xfffffe);
    post(IBA_WR_SEND_IMM, 1, 3000);
    cr_assert(no_wc());
    expect_message(IBA_WR_SEND_IMM, 3000, 0xfffffe, false);
    EXPECT_WC(1, IBA_WC_SUCCESS); /* UU-13 */
    post(IBA_WR_WRITE, 2, 1024);
    expect_message(IBA_WR_WRITE, 1024, 1, false);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
}

Test(requester, uc_local_fault_is_sqe)
{
    const struct iba_qp_attr a = {0};
    struct iba_send_wr w;

    START(IBA_QPT_UC, (void)0);
    post(IBA_WR_SEND, 1, 10);
    w = wr_of(IBA_WR_SEND, 2, 10);
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    post(IBA_WR_SEND, 3, 10);
    cr_assert_eq(sends_all(), 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_WC(2, IBA_WC_LOCAL_PROTECTION);
    EXPECT_WC(3, IBA_WC_FLUSHED);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE); /* UU-14 */
    post(IBA_WR_SEND, 4, 10);
    EXPECT_WC(4, IBA_WC_FLUSHED);
    modify(IBA_QPS_RTS, &a, 0);
    post(IBA_WR_SEND, 5, 10);
    EXPECT_SENT(IBA_UC_SEND_ONLY, 101);
    EXPECT_WC(5, IBA_WC_SUCCESS);
}

/* ---- UD ---- */

static struct iba_send_wr datagram(uint64_t id, uint32_t len, uint32_t qkey)
{
    struct iba_send_wr w = wr_of(IBA_WR_SEND, id, len);
    const struct iba_av av = bench_av();

    if (!b.ca.ah[0].used)
        cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
    w.remote_qpn = 0x777;
    w.remote_qkey = qkey;
    return w;
}

Test(requester, ud_datagrams)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, s.psn = 0xffffff);
    w = datagram(1, 0, 0x7fffffff);
    post_wr(&w);
    EXPECT_SENT(IBA_UD_SEND_ONLY, 0xffffff);
    cr_assert_eq(iba_bth_destqp(b.bth), 0x777);
    cr_assert_eq(iba_bth_a(b.bth), 0);
    cr_assert_eq(iba_deth_q_key(sent(IBA_H_deth)), 0x7fffffff);
    cr_assert_eq(iba_deth_srcqp(sent(IBA_H_deth)), QPN);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    w = datagram(2, 4096, 0x80000001); /* PV-21 */
    w.op = IBA_WR_SEND_IMM;
    w.flags = IBA_WR_SOLICITED;
    w.remote_qpn = 0xffffff;
    post_wr(&w);
    EXPECT_SENT(IBA_UD_SEND_ONLY_IMM, 0);
    cr_assert_eq(iba_bth_destqp(b.bth), 0xffffff); /* UU-24 */
    cr_assert_eq(iba_bth_se(b.bth), 1);
    cr_assert_eq(iba_deth_q_key(sent(IBA_H_deth)), QKEY);
    cr_assert_eq(iba_immdt_data(sent(IBA_H_immdt)), 0x01020304);
    cr_assert_eq(b.v.payload_len, 4096);
    EXPECT_WC(2, IBA_WC_SUCCESS);
}

/* UU-16: a port's MTU may shrink between posting and sending; verbs refuse what is too long when it is posted. */
Test(requester, ud_too_long)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, (void)0);
    w = datagram(1, 4097, 5);
    iba_requester_post(&b.ca, b.qp, &w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE); /* UU-28 */
}

Test(requester, ud_without_its_address)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, (void)0);
    w = datagram(1, 10, 5);
    post_wr(&w);
    cr_assert_eq(iba_destroy_ah(&b.ca, w.ah), IBA_VERB_OK);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_QP_OPERATION);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE);
}

/* ---- what verbs refuse, told late when it comes all the same ---- */

Test(requester, illegal_forms)
{
    static const struct {
        uint8_t type, op, status;
        uint32_t length;
    } row[] = {{IBA_QPT_UC, IBA_WR_READ, IBA_WC_LOCAL_QP_OPERATION, 8}, /* RQ-15 */
               {IBA_QPT_UC, IBA_WR_SEND_INV, IBA_WC_LOCAL_QP_OPERATION, 8},
               {IBA_QPT_UD, IBA_WR_WRITE, IBA_WC_LOCAL_QP_OPERATION, 8},
               {IBA_QPT_RC, IBA_WR_CMP_SWAP, IBA_WC_LOCAL_LENGTH, 7}, /* WF-68 */
               {IBA_QPT_RC, IBA_WR_ATOMIC_WRITE, IBA_WC_LOCAL_LENGTH, 9},
               {IBA_QPT_RC, IBA_WR_SEND, IBA_WC_LOCAL_LENGTH, 0x80000001}}; /* WF-67 */
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct iba_send_wr w;
        START((enum iba_qp_type)row[i].type, (void)0);
        w = wr_of((enum iba_wr_op)row[i].op, 1, 8);
        w.sge[0].length = row[i].length;
        iba_requester_post(&b.ca, b.qp, &w);
        EXPECT_SILENCE();
        EXPECT_WC(1, row[i].status);
    }
}

/* ---- raw ---- */

static bool emits(struct iba_tx *tx)
{
    *tx = (struct iba_tx){.buf = b.frame, .cap = sizeof b.frame, .port = iba_ca_port(&b.ca, 1)};
    return iba_requester_emit(&b.ca, b.qp, b.now, tx);
}

Test(requester, raw_datagrams)
{
    struct iba_send_wr w;
    struct iba_tx tx;
    struct iba_av av = {.port = 1, .dlid = 0x22, .sl = 3};

    START(IBA_QPT_UD, (void)0);
    iba_port_init(iba_ca_port(&b.ca, 1), 1, IBA_PORT_IB, IBA_MTU_4096, 0x020000000001);
    iba_ca_port(&b.ca, 1)->lid = 0x11;
    w = wr_of(IBA_WR_SEND, 1, 64);
    cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
    w.imm_or_key = 0x0800;
    for (uint8_t type = IBA_QPT_RAW_IPV6; type <= IBA_QPT_RAW_ETHERTYPE; type++) {
        const size_t rwh = type == IBA_QPT_RAW_IPV6 ? 0 : 4;
        b.qp->type = type;
        iba_requester_post(&b.ca, b.qp, &w);
        cr_assert(emits(&tx));
        cr_assert_eq(tx.envelope, 8);
        cr_assert_eq(tx.body, 64 + rwh);
        cr_assert_eq(iba_lrh_lnh(b.frame), type == IBA_QPT_RAW_IPV6); /* WF-02 */
        cr_assert_eq(iba_lrh_dlid(b.frame), 0x22);
        cr_assert(rwh == 0 || iba_rwh_etype(b.frame + 8) == 0x0800);
        cr_assert_eq(memcmp(b.frame + 8 + rwh, b.memory, 64), 0);
        EXPECT_WC(1, IBA_WC_SUCCESS);
    }
    w.sge[0].length = 63; /* WF-58 */
    iba_requester_post(&b.ca, b.qp, &w);
    cr_assert_not(emits(&tx));
    EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
}

/* ---- an absent page of a local buffer is waited for ---- */

Test(requester, absent_page_is_waited_for)
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
