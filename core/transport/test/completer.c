/* SPDX-License-Identifier: BSD-2-Clause */
/* The RC completer's rules: a test for each row. */
#include "requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

static uint8_t bytes[8192];

static void start_rc(void)
{
    START(IBA_QPT_RC, (void)0);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(0x80 + i);
}
static bool arrived(size_t at, size_t len)
{
    return memcmp(b.memory + at, bytes, len) == 0;
}

Test(completer, ack_with_payload_is_dropped)
{
    start_rc();
    post(IBA_WR_SEND, 1, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    data(IBA_RC_ACKNOWLEDGE, 100, bytes, 4);
    EXPECT_ROW("ACK_WITH_PAYLOAD", 1);
    post(IBA_WR_FETCH_ADD, 2, 8);
    EXPECT_SENT(IBA_RC_FETCH_ADD, 101);
    data(IBA_RC_ATOMIC_ACKNOWLEDGE, 101, bytes, 4);
    EXPECT_ROW("ACK_WITH_PAYLOAD", 2);
    cr_assert(no_wc());
}

Test(completer, reserved_syndromes_are_dropped)
{
    static const uint8_t syndrome[] = {0x40, 0x5f, 0x65, 0x7f, 0x80, 0x9f, 0xff};

    start_rc();
    post(IBA_WR_SEND, 1, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    for (unsigned i = 0; i < sizeof syndrome; i++) {
        nak(syndrome[i], 100);
        EXPECT_ROW("RESERVED_SYNDROME", i + 1);
    }
    cr_assert(no_wc());
    ack(100);
    EXPECT_WC(1, IBA_WC_SUCCESS);
}

Test(completer, unsolicited_ack_moves_credits_only)
{
    START(IBA_QPT_RC, s.flow_control = true);
    for (uint64_t i = 1; i <= 4; i++)
        post(IBA_WR_SEND, i, 10);
    cr_assert_eq(sends_all(), 1);
    respond((struct response){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 100, .msn = 1});
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert_eq(sends_all(), 1);
    respond((struct response){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 2, .psn = 100, .msn = 1});
    EXPECT_ROW("UNSOLICITED_ACK", 1);
    cr_assert(no_wc());
    cr_assert_eq(sends_all(), 2);
    /* Code 31 removes the credit limit forever (RQ-43). */
    respond((struct response){.opcode = IBA_RC_ACKNOWLEDGE, .syndrome = 31, .psn = 100, .msn = 1});
    EXPECT_ROW("UNSOLICITED_ACK", 2);
    cr_assert(b.qp->s.unlimited);
}

Test(completer, duplicates_are_dropped)
{
    start_rc();
    post(IBA_WR_READ, 1, 1024);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_ONLY, 100, bytes, 1024);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert(arrived(0, 1024));
    data(IBA_RC_READ_RESP_ONLY, 100, bytes + 1, 1024); /* RQ-49: nothing is overwritten */
    EXPECT_ROW("DUPLICATE", 1);
    cr_assert(arrived(0, 1024));
    nak(0x2e, 100); /* RQ-32 */
    EXPECT_ROW("DUPLICATE", 2);
    nak(0x60, 50);
    EXPECT_ROW("DUPLICATE", 3);
    cr_assert_eq(b.qp->s.retry_left, 7);
}

Test(completer, never_sent_is_dropped)
{
    start_rc();
    nak(0x60, 100);
    EXPECT_ROW("NEVER_SENT", 1);
    post(IBA_WR_SEND, 1, 10);
    ack(100); /* the SEND is posted, but not sent */
    EXPECT_ROW("NEVER_SENT", 2);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    nak(0x60, 200);
    ack(101);
    EXPECT_ROW("NEVER_SENT", 4);
    cr_assert_eq(b.qp->s.retry_left, 7);
    cr_assert(no_wc());
}

/* RQ-36: the test sends a WRITE, a READ of 3 responses and a SEND. Only the SEND is acknowledged. */
static void lose_read(void)
{
    start_rc();
    post(IBA_WR_WRITE, 1, 10);
    post(IBA_WR_READ, 2, 3000);
    post(IBA_WR_SEND, 3, 10);
    cr_assert_eq(sends_all(), 3);
    ack(104);
}

Test(completer, lost_response_is_an_implied_nak)
{
    lose_read();
    EXPECT_ROW("RESPONSE_LOST", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS); /* the WRITE before the READ */
    cr_assert(no_wc());
    cr_assert_eq(b.qp->s.retry_left, 6);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 104);
    data(IBA_RC_READ_RESP_FIRST, 101, bytes, 1024);
    data(IBA_RC_READ_RESP_MIDDLE, 102, bytes + 1024, 1024);
    data(IBA_RC_READ_RESP_LAST, 103, bytes + 2048, 952);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert(arrived(0, 3000));
    ack(104);
    EXPECT_WC(3, IBA_WC_SUCCESS);
}

Test(completer, known_loss_counts_once)
{
    lose_read();
    ack(104);
    EXPECT_ROW("LOSS_KNOWN", 1);
    data(IBA_RC_READ_RESP_LAST, 103, bytes, 952);
    EXPECT_ROW("LOSS_KNOWN", 2);
    cr_assert_eq(b.qp->s.retry_left, 6);
    /* After a timeout, which means that the retry failed too, the same loss counts again. */
    cr_assert_eq(sends_all(), 2);
    wait_until(iba_ca_deadline(&b.ca));
    cr_assert_eq(b.qp->s.retry_left, 5);
    cr_assert_eq(sends_all(), 2);
    ack(104);
    EXPECT_ROW("RESPONSE_LOST", 2);
}

/* RQ-37, RQ-07: responses have a gap; the READ is sent again from the gap. */
Test(completer, hole_in_a_read_is_filled)
{
    start_rc();
    post(IBA_WR_READ, 1, 4 * 1024);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_FIRST, 100, bytes, 1024);
    data(IBA_RC_READ_RESP_MIDDLE, 102, bytes + 2048, 1024);
    EXPECT_ROW("RESPONSE_LOST", 1);
    data(IBA_RC_READ_RESP_LAST, 103, bytes + 3072, 1024);
    EXPECT_ROW("LOSS_KNOWN", 1);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000 + 1024);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 3072);
    EXPECT_SILENCE();
    data(IBA_RC_READ_RESP_FIRST, 101, bytes + 1024, 1024); /* RR-62 */
    data(IBA_RC_READ_RESP_MIDDLE, 102, bytes + 2048, 1024);
    cr_assert(no_wc());
    data(IBA_RC_READ_RESP_LAST, 103, bytes + 3072, 1024);
    EXPECT_ROW("READ_DATA", 4);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert(arrived(0, 4096));
}

Test(completer, retries_run_out)
{
    START(IBA_QPT_RC, s.retry = 1);
    post(IBA_WR_SEND, 1, 10);
    post(IBA_WR_SEND, 2, 10);
    cr_assert_eq(sends_all(), 2);
    nak(0x60, 100);
    cr_assert_eq(sends_all(), 2);
    nak(0x60, 101); /* progress loads the retry count (RQ-24) */
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert_eq(sends_all(), 1);
    nak(0x60, 101);
    EXPECT_ROW("RETRIES_EXHAUSTED", 1);
    EXPECT_WC(2, IBA_WC_RETRY_EXCEEDED);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
    EXPECT_SILENCE();
}

Test(completer, implied_nak_without_retries)
{
    START(IBA_QPT_RC, s.retry = 0);
    post(IBA_WR_READ, 1, 10);
    post(IBA_WR_SEND, 2, 10);
    cr_assert_eq(sends_all(), 2);
    ack(101);
    EXPECT_ROW("RETRIES_EXHAUSTED", 1);
    EXPECT_WC(1, IBA_WC_RETRY_EXCEEDED);
    EXPECT_WC(2, IBA_WC_FLUSHED);
}

Test(completer, plain_ack_does_not_answer)
{
    start_rc();
    post(IBA_WR_SEND, 1, 10);
    post(IBA_WR_READ, 2, 10);
    cr_assert_eq(sends_all(), 2);
    ack(101);
    EXPECT_ROW("ACK_FOR_ANSWER", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert(no_wc());
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    data(IBA_RC_READ_RESP_ONLY, 101, bytes, 10);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    post(IBA_WR_CMP_SWAP, 3, 8);
    EXPECT_SENT(IBA_RC_CMP_SWAP, 102);
    ack(102);
    EXPECT_ROW("ACK_FOR_ANSWER", 2);
    cr_assert(no_wc());
}

Test(completer, sequence_nak_resends)
{
    start_rc();
    for (uint64_t i = 0; i < 5; i++)
        post(IBA_WR_WRITE, i, 10);
    cr_assert_eq(sends_all(), 5);
    nak(0x60, 102);
    EXPECT_ROW("NAK_SEQUENCE", 1);
    EXPECT_WC(0, IBA_WC_SUCCESS);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert(no_wc());
    for (uint32_t i = 102; i < 105; i++)
        EXPECT_SENT(IBA_RC_WRITE_ONLY, i);
    EXPECT_SILENCE();
}

Test(completer, sequence_nak_repeated_before_anything_was_resent)
{
    start_rc();
    post(IBA_WR_SEND, 1, 10);
    cr_assert_eq(sends_all(), 1);
    nak(0x60, 100);
    nak(0x60, 100);
    EXPECT_ROW("NAK_KNOWN", 1);
    cr_assert_eq(b.qp->s.retry_left, 6);
    cr_assert_eq(sends_all(), 1);
    nak(0x60, 100);
    EXPECT_ROW("NAK_SEQUENCE", 2);
}

Test(completer, rnr_waits_whatever_else_is_refused)
{
    START(IBA_QPT_RC, s.rnr_retry = 3);
    for (uint64_t i = 1; i <= 3; i++)
        post(IBA_WR_SEND, i, 10);
    cr_assert_eq(sends_all(), 3);
    nak(0x20 | 10, 102);
    EXPECT_ROW("RNR", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS); /* RQ-30 */
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert_eq(b.qp->s.rnr_left, 2);
    nak(0x20 | 10, 102);
    nak(0x60, 102); /* catalogue 11.2/29 */
    EXPECT_ROW("NAK_KNOWN", 2);
    cr_assert_eq(b.qp->s.rnr_left, 2);
    cr_assert_eq(b.qp->s.retry_left, 7);
    EXPECT_SILENCE();
    cr_assert_eq(iba_ca_deadline(&b.ca), b.now + 320000);
    wait_until(b.now + 320000);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 102);
}

Test(completer, rnr_retries_run_out)
{
    START(IBA_QPT_RC, s.rnr_retry = 2);
    post(IBA_WR_SEND, 1, 10);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        nak(0x21, 100);
        EXPECT_ROW("RNR", i + 1);
        wait_until(b.now + 10000);
    }
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100); /* third and last try */
    nak(0x21, 100);
    EXPECT_ROW("RNR_EXHAUSTED", 1);
    EXPECT_WC(1, IBA_WC_RNR_RETRY_EXCEEDED);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(completer, rnr_seven_is_for_ever)
{
    start_rc();
    post(IBA_WR_SEND, 1, 10);
    for (unsigned i = 0; i < 120; i++) {
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        nak(0x21, 100);
        wait_until(b.now + 10000);
    }
    EXPECT_ROW("RNR", 120);
}

static const struct {
    const char *row;
    uint8_t syndrome, status;
} naks[] = {
    {"NAK_INVALID_REQUEST", 0x61, IBA_WC_REMOTE_INVALID_REQ},
    {"NAK_REMOTE_ACCESS", 0x62, IBA_WC_REMOTE_ACCESS},
    {"NAK_REMOTE_OPERATION", 0x63, IBA_WC_REMOTE_OPERATION},
    {"NAK_INVALID_RD", 0x64, IBA_WC_REMOTE_INVALID_RD},
};
Test(completer, fatal_naks)
{
    for (size_t i = 0; i < sizeof naks / sizeof *naks; i++) {
        START(IBA_QPT_RC, s.sig_all = false); /* RQ-53: errors are reported all the same */
        for (uint64_t id = 1; id <= 3; id++)
            post(IBA_WR_WRITE, id, 2000);
        cr_assert_eq(sends_all(), 6);
        nak(naks[i].syndrome, 103); /* PSN of the second message's second packet */
        EXPECT_ROW(naks[i].row, 1);
        EXPECT_WC(2, naks[i].status);
        EXPECT_WC(3, IBA_WC_FLUSHED);
        cr_assert(no_wc());
        cr_assert_eq(b.qp->state, IBA_QPS_ERR);
    }
}

Test(completer, ack_completes_everything_before)
{
    start_rc();
    for (uint64_t id = 0; id < 10; id++)
        post(IBA_WR_SEND, id, 2000);
    cr_assert_eq(sends_all(), 20);
    ack(118); /* first packet of the last message */
    EXPECT_ROW("ACK", 1);
    for (unsigned id = 0; id < 9; id++)
        EXPECT_WC(id, IBA_WC_SUCCESS);
    cr_assert(no_wc());
    ack(119);
    EXPECT_WC(9, IBA_WC_SUCCESS);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
}

Test(completer, answer_must_be_positive)
{
    start_rc();
    post(IBA_WR_READ, 1, 10);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    respond((struct response){IBA_RC_READ_RESP_ONLY, .syndrome = 0x62, .psn = 100, .payload = bytes, .len = 10});
    EXPECT_ROW("ANSWER_NOT_POSITIVE", 1);
    EXPECT_WC(1, IBA_WC_BAD_RESPONSE);
}

Test(completer, flush_and_atomic_write_end)
{
    start_rc();
    post(IBA_WR_FLUSH, 1, 64);
    post(IBA_WR_ATOMIC_WRITE, 2, 8);
    post(IBA_WR_FLUSH, 3, 0);
    cr_assert_eq(sends_all(), 3);
    cr_assert_eq(b.qp->s.rd_open, 3);
    data(IBA_RC_READ_RESP_ONLY, 100, NULL, 0);
    EXPECT_ROW("EXTENDED_DONE", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    ack(101); /* a plain ACK is accepted as well */
    EXPECT_ROW("ACK", 1);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert_eq(b.qp->s.rd_open, 1);
    data(IBA_RC_READ_RESP_ONLY, 102, bytes, 4);
    EXPECT_ROW("OTHER_KIND", 1);
    EXPECT_WC(3, IBA_WC_BAD_RESPONSE);
}

static const struct {
    uint8_t wr, opcode;
} unfit[] = {
    {IBA_WR_SEND, IBA_RC_READ_RESP_ONLY},         {IBA_WR_SEND, IBA_RC_ATOMIC_ACKNOWLEDGE},
    {IBA_WR_READ, IBA_RC_ATOMIC_ACKNOWLEDGE},     {IBA_WR_CMP_SWAP, IBA_RC_READ_RESP_ONLY},
    {IBA_WR_FETCH_ADD, IBA_RC_READ_RESP_FIRST},   {IBA_WR_FLUSH, IBA_RC_ATOMIC_ACKNOWLEDGE},
    {IBA_WR_ATOMIC_WRITE, IBA_RC_READ_RESP_LAST},
};
Test(completer, answer_of_another_kind)
{
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        start_rc();
        post(IBA_WR_SEND, 1, 10);
        post((enum iba_wr_op)unfit[i].wr, 2, 8);
        cr_assert_eq(sends_all(), 2);
        data((enum iba_op)unfit[i].opcode, 101, NULL, 0);
        EXPECT_ROW("OTHER_KIND", 1);
        EXPECT_WC(1, IBA_WC_SUCCESS); /* earlier requests are acknowledged (RR-14) */
        EXPECT_WC(2, IBA_WC_BAD_RESPONSE);
    }
}

/* RQ-46: every opcode at every position of a READ of 3 packets, and of 1 packet. */
Test(completer, read_order)
{
    static const enum iba_op op[] = {IBA_RC_READ_RESP_FIRST, IBA_RC_READ_RESP_MIDDLE, IBA_RC_READ_RESP_LAST,
                                     IBA_RC_READ_RESP_ONLY};
    for (uint32_t packets = 1; packets <= 3; packets += 2)
        for (uint32_t at = 0; at < packets; at++)
            for (unsigned i = 0; i < 4; i++) {
                const unsigned right = packets == 1 ? 3 : at;
                start_rc();
                post(IBA_WR_READ, 1, packets * 1024);
                EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
                for (uint32_t k = 0; k < at; k++)
                    data(op[k], 100 + k, bytes + k * 1024, 1024);
                data(op[i], 100 + at, bytes + at * 1024, 1024);
                cr_assert_str_eq(b.row, i == right ? "READ_DATA" : "READ_OUT_OF_ORDER", "%u of %u", at, packets);
                if (i != right)
                    EXPECT_WC(1, IBA_WC_BAD_RESPONSE);
            }
}

Test(completer, read_starts_again_only_where_it_was_asked_again)
{
    start_rc();
    post(IBA_WR_READ, 1, 4096);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_FIRST, 100, bytes, 1024);
    wait_until(iba_ca_deadline(&b.ca));
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    data(IBA_RC_READ_RESP_MIDDLE, 101, bytes + 1024, 1024); /* late response to the first request */
    EXPECT_ROW("READ_DATA", 2);
    data(IBA_RC_READ_RESP_FIRST, 102, bytes + 2048, 1024);
    EXPECT_ROW("READ_OUT_OF_ORDER", 1);
    EXPECT_WC(1, IBA_WC_BAD_RESPONSE);
}

Test(completer, read_length)
{
    static const struct {
        uint32_t length, wrong;
        uint8_t opcode;
    } row[] = {{10, 9, IBA_RC_READ_RESP_ONLY},       {10, 11, IBA_RC_READ_RESP_ONLY},
               {0, 1, IBA_RC_READ_RESP_ONLY},        {10, 0, IBA_RC_READ_RESP_ONLY},
               {1025, 1023, IBA_RC_READ_RESP_FIRST}, {1025, 1025, IBA_RC_READ_RESP_FIRST},
               {1024, 1028, IBA_RC_READ_RESP_ONLY}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        start_rc();
        memcpy(bytes, b.memory, sizeof bytes);
        post(IBA_WR_READ, 1, row[i].length);
        EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
        data((enum iba_op)row[i].opcode, 100, bytes + 8, row[i].wrong);
        EXPECT_ROW("READ_WRONG_LENGTH", 1);
        EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
        cr_assert(arrived(0, sizeof bytes)); /* memory is unchanged */
    }
}

Test(completer, read_into_several_buffers)
{
    struct iba_send_wr w;

    start_rc();
    w = wr_of(IBA_WR_READ, 1, 1000);
    w.n_sge = 2;
    w.sge[1] = (struct iba_sge){.addr = IOVA + 5000, .length = 600, .lkey = b.lkey};
    post_wr(&w);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_FIRST, 100, bytes, 1024);
    data(IBA_RC_READ_RESP_LAST, 101, bytes + 1024, 576);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    cr_assert(arrived(0, 1000));
    cr_assert_eq(memcmp(b.memory + 5000, bytes + 1000, 600), 0);
}

Test(completer, read_into_forbidden_memory)
{
    struct iba_send_wr w;

    start_rc();
    w = wr_of(IBA_WR_READ, 1, 100);
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_ONLY, 100, bytes, 100);
    EXPECT_ROW("READ_DATA", 1);
    EXPECT_WC(1, IBA_WC_LOCAL_PROTECTION);
    cr_assert_eq(b.qp->state, IBA_QPS_ERR);
}

Test(completer, atomic_result_in_host_order)
{
    uint64_t value;

    start_rc();
    post(IBA_WR_SEND, 1, 10);
    post(IBA_WR_FETCH_ADD, 2, 8);
    cr_assert_eq(sends_all(), 2);
    respond((struct response){IBA_RC_ATOMIC_ACKNOWLEDGE, .psn = 101, .value = 0x0102030405060708});
    EXPECT_ROW("ATOMIC_RESULT", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    struct iba_wc wc;
    cr_assert_eq(iba_poll_cq(&b.ca, b.cqn, &wc), 1);
    cr_assert_eq(wc.byte_len, 8);
    memcpy(&value, b.memory, 8);
    cr_assert_eq(value, 0x0102030405060708);
}

/* RQ-40, RQ-44: every credit code, compared with the wire's table (WF-49). An old MSN does not lower the limit. */
Test(completer, credits_by_code)
{
    for (unsigned code = 0; code < 31; code++) {
        START(IBA_QPT_RC, s.flow_control = true);
        post(IBA_WR_SEND, 1, 10);
        cr_assert_eq(sends_all(), 1);
        respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = (uint8_t)code, .psn = 100, .msn = 1});
        cr_assert_eq(b.qp->s.lsn, 1 + (uint32_t)atoi(iba_value_name(IBA_VALUES_CREDITS, code)), "code %u", code);
        respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 100, .msn = 0});
        cr_assert_eq(b.qp->s.lsn, 1 + (uint32_t)atoi(iba_value_name(IBA_VALUES_CREDITS, code)));
    }
}

Test(completer, every_row_has_its_counter)
{
    const struct iba_rules *t = &iba_rc_completer_rules;

    for (unsigned i = 0; i < t->n; i++) {
        cr_assert_eq(t->row[i].hit, i, "completer rule %s counts as rule %u", t->row[i].name, t->row[i].hit);
        cr_assert(t->row[i].when && t->row[i].then && *t->row[i].sentence && *t->row[i].clause,
                  "completer rule %s of core/transport lacks its condition, action, sentence or clause",
                  t->row[i].name);
    }
}

/* Posts a WRITE, a bind that completes at once, a READ and a SEND, which have the PSNs 100, 101 and 102. */
static void bind_in_the_middle(void)
{
    struct iba_send_wr w = {.wr_id = 2, .op = IBA_WR_BIND_MW};
    uint32_t mw;

    start_rc();
    cr_assert_eq(iba_mw_alloc(&b.ca.mem, IBA_MEM_MW2B, b.pd, &mw), IBA_MEM_OK);
    w.bind.mw_rkey = mw;
    w.bind.mr_lkey = b.lkey;
    w.bind.va = IOVA;
    w.bind.length = 100;
    post(IBA_WR_WRITE, 1, 10);
    post_wr(&w);
    post(IBA_WR_READ, 3, 10);
    post(IBA_WR_SEND, 4, 10);
    cr_assert_eq(sends_all(), 3);
}

/* RQ-36: the request that lost its answer may come after a local operation that is over. */
Test(completer, lost_response_after_a_finished_operation)
{
    bind_in_the_middle();
    ack(102);
    EXPECT_ROW("RESPONSE_LOST", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 101);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 102);
}

Test(completer, response_after_a_finished_operation)
{
    bind_in_the_middle();
    data(IBA_RC_READ_RESP_ONLY, 101, bytes, 10);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    EXPECT_WC(3, IBA_WC_SUCCESS);
    cr_assert(no_wc());
    cr_assert(arrived(0, 10));
    ack(102);
    EXPECT_WC(4, IBA_WC_SUCCESS);
}

#include "completer_order.h" /* uses the functions above */
