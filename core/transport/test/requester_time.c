/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers and retries on virtual time. */
#include "requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

Test(requester_time, ack_timeout_table)
{
    cr_assert_eq(iba_ack_timeout_ns(0), 0);
    for (uint8_t n = 1; n < 32; n++)
        cr_assert_eq(iba_ack_timeout_ns(n), UINT64_C(4096) << n); /* RQ-18 */
}

/* WF-50: the times of RNR timer codes, compared with the names that the dissector prints. */
Test(requester_time, rnr_table)
{
    for (uint8_t c = 0; c < 32; c++) {
        char text[32];
        const unsigned long us = (unsigned long)(iba_rnr_timer_ns(c) / 1000);
        snprintf(text, sizeof text, "%lu.%02lu ms", us / 1000, us % 1000 / 10);
        cr_assert_str_eq(text, iba_value_name(IBA_VALUES_RNR_MS, c));
    }
}

/* RQ-28 for every code. */
Test(requester_time, rnr_wait_is_exact)
{
    for (uint8_t c = 0; c < 32; c++) {
        START(IBA_QPT_RC, (void)0);
        post(IBA_WR_SEND, 1, 10);
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        nak((uint8_t)(0x20 | c), 100);
        cr_assert_eq(iba_ca_deadline(&b.ca), b.now + iba_rnr_timer_ns(c)); /* the ACK timer does not run */
        wait_until(b.now + iba_rnr_timer_ns(c) - 1);
        EXPECT_SILENCE();
        wait_until(b.now + 1);
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        cr_assert_eq(b.qp->s.retry_left, 7); /* RQ-31 */
    }
}

/* RQ-18: the timer runs until the last response of a READ has come, also where a first one came. */
Test(requester_time, a_read_waits_for_its_last_response)
{
    START(IBA_QPT_RC, s.timeout = 8);
    post(IBA_WR_READ, 1, 3000);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_FIRST, 100, b.memory, 1024);
    for (unsigned i = 0; i < 2; i++) {
        const iba_time due = b.now + (UINT64_C(4096) << 8);
        cr_assert_eq(iba_ca_deadline(&b.ca), due);
        wait_until(due);
        EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    }
}

/* RQ-20: the timer runs while a packet that asks for an answer is not acknowledged. It stops in the middle of a message
 * if no such packet is open, and starts with the next one that asks. */
Test(requester_time, the_timer_stops_in_the_middle_of_a_message)
{
    enum { ASKS = 64 }; /* every 64th packet asks for an answer, and the last one of a message */

    START(IBA_QPT_RC, s.mtu = IBA_MTU_256, s.timeout = 8);
    post(IBA_WR_SEND, 1, (ASKS + 2) * 256);
    for (unsigned i = 0; i < ASKS; i++) {
        cr_assert(sends());
        cr_assert_eq(b.qp->s.ack_due != IBA_NEVER, i == ASKS - 1, "packet %u", i);
    }
    ack(100 + ASKS - 2);
    cr_expect_neq(b.qp->s.ack_due, IBA_NEVER, "the packet that asks is open");
    ack(100 + ASKS - 1);
    cr_expect_eq(b.qp->s.ack_due, IBA_NEVER, "no packet that asks is open");
    cr_assert(sends());
    cr_expect_eq(b.qp->s.ack_due, IBA_NEVER, "only the last packet asks again");
    b.now += 77;
    cr_assert(sends());
    cr_expect_eq(b.qp->s.ack_due, b.now + (UINT64_C(4096) << 8));
}

/* RQ-35: an acknowledgement that comes while requests are sent again ends the repetition of what it acknowledges. */
Test(requester_time, what_is_acknowledged_is_not_sent_again)
{
    for (uint32_t through = 0; through < 3; through++) {
        START(IBA_QPT_RC, s.timeout = 8);
        for (uint64_t i = 1; i <= 3; i++)
            post(IBA_WR_SEND, i, 10);
        cr_assert_eq(sends_all(), 3);
        wait_until(iba_ca_deadline(&b.ca));
        ack(100 + through);
        for (uint32_t psn = 101 + through; psn < 103; psn++)
            EXPECT_SENT(IBA_RC_SEND_ONLY, psn);
        EXPECT_SILENCE();
    }
}

/* When no retry is left, a queue pair with an armed alternate path migrates and sends again (QS-78); others give up. */
Test(requester_time, only_an_armed_path_migrates)
{
    static const uint8_t states[] = {IBA_PATH_MIGRATED, IBA_PATH_REARM, IBA_PATH_ARMED};

    for (unsigned i = 0; i < 3; i++) {
        START(IBA_QPT_RC, s.retry = 0, s.timeout = 8);
        b.qp->attr.alt_av = bench_av();
        b.qp->attr.path_mig = states[i];
        post(IBA_WR_SEND, 1, 10);
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        wait_until(iba_ca_deadline(&b.ca));
        cr_assert_eq(sends(), states[i] == IBA_PATH_ARMED, "state %u", states[i]);
        if (states[i] == IBA_PATH_ARMED)
            cr_expect_eq(b.qp->attr.path_mig, IBA_PATH_MIGRATED);
        else
            EXPECT_WC(1, IBA_WC_RETRY_EXCEEDED);
    }
}

/* RQ-22: 1 + r copies at intervals of T, then the error; 7 means seven retries. */
Test(requester_time, retry_count)
{
    for (uint8_t r = 0; r <= 7; r++) {
        iba_time first;
        START(IBA_QPT_RC, s.retry = r, s.timeout = 8);
        post(IBA_WR_SEND, 1, 10);
        post(IBA_WR_SEND, 2, 10);
        first = b.now;
        for (unsigned i = 0; i <= r; i++) {
            EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
            EXPECT_SENT(IBA_RC_SEND_ONLY, 101);
            EXPECT_SILENCE();
            cr_assert_eq(iba_ca_deadline(&b.ca), first + (i + 1) * (UINT64_C(4096) << 8));
            wait_until(iba_ca_deadline(&b.ca) - 1);
            EXPECT_SILENCE();
            wait_until(b.now + 1);
        }
        EXPECT_SILENCE();
        EXPECT_WC(1, IBA_WC_RETRY_EXCEEDED);
        EXPECT_WC(2, IBA_WC_FLUSHED);
        cr_assert_eq(b.qp->state, IBA_QPS_ERR);
        cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
    }
}

Test(requester_time, code_zero_never_times_out)
{
    START(IBA_QPT_RC, s.timeout = 0);
    post(IBA_WR_SEND, 1, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
    wait_until(b.now + UINT64_C(60000000000));
    EXPECT_SILENCE();
}

/* RQ-20: the timer restarts when a new PSN is acknowledged, and at no other time. */
Test(requester_time, progress_restarts)
{
    const iba_time t = UINT64_C(4096) << 14;
    iba_time began;

    START(IBA_QPT_RC, (void)0);
    for (uint64_t i = 0; i < 3; i++)
        post(IBA_WR_WRITE, i, 10);
    began = b.now;
    cr_assert_eq(sends_all(), 3);
    b.now += t / 2;
    ack(99);
    ack(200);
    nak(0x40, 100);
    cr_assert_eq(iba_ca_deadline(&b.ca), began + t); /* PV-37 */
    ack(100);
    cr_assert_eq(iba_ca_deadline(&b.ca), b.now + t);
    wait_until(b.now + t);
    EXPECT_SENT(IBA_RC_WRITE_ONLY, 101); /* RQ-21 */
    EXPECT_SENT(IBA_RC_WRITE_ONLY, 102);
    ack(102);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
}

/* The timer does not run for packets without AckReq. */
Test(requester_time, starts_with_ackreq)
{
    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_SEND, 1, 2000);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
    b.now += 1000000;
    EXPECT_SENT(IBA_RC_SEND_LAST, 101);
    cr_assert_eq(iba_ca_deadline(&b.ca), b.now + (UINT64_C(4096) << 14));
}

/* RQ-24: each new acknowledged PSN loads the counters again. */
Test(requester_time, counters_reload)
{
    START(IBA_QPT_RC, s.retry = 1, s.rnr_retry = 1);
    for (uint64_t i = 0; i < 20; i++)
        post(IBA_WR_SEND, i, 10);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_eq(sends_all(), i == 0 ? 20 : 0);
        nak(0x21, 100 + i);
        wait_until(b.now + 10000);
        cr_assert_eq(sends_all(), 20 - i);
        wait_until(iba_ca_deadline(&b.ca));
        cr_assert_eq(sends_all(), 20 - i);
        ack(100 + i);
        EXPECT_WC(i, IBA_WC_SUCCESS);
    }
    cr_assert_eq(b.qp->state, IBA_QPS_RTS);
}

/* RQ-06: a retransmission repeats all but the AckReq bit. */
Test(requester_time, copies_are_equal)
{
    static uint8_t before[8][IBA_TX_MOST];
    static const uint8_t op[] = {IBA_WR_WRITE_IMM, IBA_WR_SEND_INV, IBA_WR_FETCH_ADD, IBA_WR_ATOMIC_WRITE};
    size_t len[8];
    unsigned n = 0;

    START(IBA_QPT_RC, (void)0);
    for (unsigned i = 0; i < 4; i++)
        post((enum iba_wr_op)op[i], i, 1500);
    for (; sends(); n++) {
        len[n] = b.v.len;
        memcpy(before[n], b.frame, b.v.len);
    }
    cr_assert_eq(n, 6);
    wait_until(iba_ca_deadline(&b.ca));
    for (unsigned i = 0; i < n; i++) {
        cr_assert(sends());
        cr_assert_eq(b.v.len, len[i]);
        cr_assert_eq(memcmp(b.frame, before[i], len[i]), 0, "packet %u", i);
    }
    EXPECT_SILENCE();
}

/* If a late ACK acknowledges first transmissions, their retransmissions are not sent. */
Test(requester_time, late_ack_during_a_retry)
{
    START(IBA_QPT_RC, (void)0);
    for (uint64_t i = 0; i < 4; i++)
        post(IBA_WR_WRITE, i, 2000);
    cr_assert_eq(sends_all(), 8);
    wait_until(iba_ca_deadline(&b.ca));
    EXPECT_SENT(IBA_RC_WRITE_FIRST, 100);
    ack(104); /* first packet of the third message */
    EXPECT_WC(0, IBA_WC_SUCCESS);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_SENT(IBA_RC_WRITE_LAST, 105);
    EXPECT_SENT(IBA_RC_WRITE_FIRST, 106);
    EXPECT_SENT(IBA_RC_WRITE_LAST, 107);
    EXPECT_SILENCE();
}

/* RQ-07: after a timeout in a READ, whichever PSN was received last, the requester asks only for the rest. */
Test(requester_time, rest_of_a_read)
{
    for (uint32_t got = 0; got < 5; got++) {
        START(IBA_QPT_RC, s.psn = 0xfffffd);
        post(IBA_WR_READ, 1, 5000);
        EXPECT_SENT(IBA_RC_READ_REQUEST, 0xfffffd);
        for (uint32_t k = 0; k < got; k++)
            data(k == 0 ? IBA_RC_READ_RESP_FIRST : IBA_RC_READ_RESP_MIDDLE, (0xfffffd + k) & 0xffffff, b.memory, 1024);
        wait_until(iba_ca_deadline(&b.ca));
        EXPECT_SENT(IBA_RC_READ_REQUEST, (0xfffffd + got) & 0xffffff);
        cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000 + got * 1024);
        cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 5000 - got * 1024);
    }
}

/* RQ-20: a request that asks while the timer runs does not restart it. */
Test(requester_time, runs_from_the_first_request)
{
    const iba_time t = UINT64_C(4096) << 14;
    iba_time began;

    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_SEND, 1, 10);
    began = b.now;
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    b.now += t / 4;
    post(IBA_WR_SEND, 2, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101);
    cr_assert_eq(iba_ca_deadline(&b.ca), began + t);
    wait_until(began + t);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    cr_assert_eq(iba_ca_deadline(&b.ca), began + 2 * t);
}

/* RQ-21: when sending resumes at an earlier PSN, the timer stops until a packet asks again. */
Test(requester_time, stops_until_a_packet_is_sent_again)
{
    const iba_time t = UINT64_C(4096) << 14;

    START(IBA_QPT_RC, (void)0);
    for (uint64_t i = 0; i < 5; i++)
        post(IBA_WR_SEND, i, 10);
    cr_assert_eq(sends_all(), 5);
    nak(0x60, 101);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
    ack(102); /* it arrives late, for the first copies */
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
    b.now += t / 2;
    EXPECT_SENT(IBA_RC_SEND_ONLY, 103);
    cr_assert_eq(iba_ca_deadline(&b.ca), b.now + t);
}

/* RQ-05: packets that are sent again are counted again before one asks for an ACK. */
Test(requester_time, ackreq_of_a_retransmission)
{
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    post(IBA_WR_SEND, 1, 200 * 256);
    for (unsigned i = 0; i < 100; i++)
        cr_assert(sends());
    wait_until(iba_ca_deadline(&b.ca));
    for (unsigned i = 0; i < 200; i++) {
        EXPECT_SENT(i == 0 ? IBA_RC_SEND_FIRST : i == 199 ? IBA_RC_SEND_LAST : IBA_RC_SEND_MIDDLE, 100 + i);
        cr_assert_eq(iba_bth_a(b.bth), i % 64 == 63 || i == 199, "packet %u", i);
    }
}

/* RQ-24: a request that begins while another is open leaves the retries that are left. A count that changes while the
 * queue is drained holds for the next request. */
Test(requester_time, retries_of_a_new_request)
{
    struct iba_qp_attr a = {.retry = 3, .rnr_retry = 2};

    START(IBA_QPT_RC, (void)0);
    cr_assert_eq(b.qp->s.retry_left, 7);
    cr_assert_eq(b.qp->s.rnr_left, 7);
    post(IBA_WR_SEND, 1, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    wait_until(iba_ca_deadline(&b.ca));
    post(IBA_WR_SEND, 2, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101);
    cr_assert_eq(b.qp->s.retry_left, 6);
    ack(101);
    modify(IBA_QPS_SQD, &a, 0);
    modify(IBA_QPS_SQD, &a, IBA_QPA_RETRY | IBA_QPA_RNR_RETRY);
    modify(IBA_QPS_RTS, &a, 0);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 102);
    cr_assert_eq(b.qp->s.retry_left, 3);
    cr_assert_eq(b.qp->s.rnr_left, 2);
}

/* The deadline of a queue is the first of its three timers. */
Test(requester_time, first_of_three_timers)
{
    static const iba_time times[] = {10, 20, 30, IBA_NEVER};

    for (unsigned i = 0; i < 64; i++) {
        struct iba_qp qp = {.type = IBA_QPT_RC};
        iba_time first = IBA_NEVER;
        for (unsigned k = 0; k < 3; k++)
            first = times[i >> 2 * k & 3] < first ? times[i >> 2 * k & 3] : first;
        qp.s.ack_due = times[i & 3];
        qp.s.rnr_due = times[i >> 2 & 3];
        qp.s.page_due = times[i >> 4];
        cr_expect_eq(iba_requester_deadline(&qp), first, "case %u", i);
    }
}

/* RQ-18, RQ-22, RQ-29: a timeout has 5 bits, a retry count 3. */
Test(requester_time, widths_of_counts)
{
    struct iba_qp qp = {.attr = {.retry = 0xfa, .rnr_retry = 0xfd}};

    START(IBA_QPT_RC, (void)0);
    cr_assert_eq(iba_ack_timeout_ns(0xe0), 0);
    cr_assert_eq(iba_ack_timeout_ns(0xe0 | 5), UINT64_C(4096) << 5);
    cr_assert_eq(iba_requester_retries(&b.ca, &qp).retry, 2);
    cr_assert_eq(iba_requester_retries(&b.ca, &qp).rnr, 5);
}

/* No timer of a queue that has failed, or that the user has failed, stays. */
Test(requester_time, no_timer_in_error)
{
    for (unsigned i = 0; i < 3; i++) {
        START(IBA_QPT_RC, (void)0);
        post(IBA_WR_SEND, 1, 10);
        post(IBA_WR_READ, 2, 10);
        cr_assert_eq(sends_all(), 2);
        if (i == 1)
            nak(0x2e, 100);
        cr_assert_neq(iba_ca_deadline(&b.ca), IBA_NEVER);
        if (i == 2)
            nak(0x62, 100);
        else
            modify(IBA_QPS_ERR, &(struct iba_qp_attr){0}, 0);
        cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER, "case %u", i);
        cr_assert_eq(b.qp->s.rd_open, 0);
        EXPECT_WC(1, i == 2 ? IBA_WC_REMOTE_ACCESS : IBA_WC_FLUSHED);
        EXPECT_WC(2, IBA_WC_FLUSHED);
        iba_ca_check(&b.ca);
    }
}
