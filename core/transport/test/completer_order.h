/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of completer.c: responses that more than one row could take. The order of the rows says which row decides. */
#ifndef COMPLETER_ORDER_H
#define COMPLETER_ORDER_H
#include "requester.h"

enum { AMID = 200 }; /* bytes of the buffers that responses of the table have */

/* Which requests are open, from PSN 100, when the response arrives. */
enum open_requests { TWO_SENDS, READ_SEND, TWO_READS, SEND_READ_SEND, LONG_READ, FLUSH_SEND, OPEN_COUNT };

static const uint8_t open_ops[OPEN_COUNT][3] = {
    [TWO_SENDS] = {IBA_WR_SEND, IBA_WR_SEND, IBA_WR_RECV}, [READ_SEND] = {IBA_WR_READ, IBA_WR_SEND, IBA_WR_RECV},
    [TWO_READS] = {IBA_WR_READ, IBA_WR_READ, IBA_WR_RECV}, [SEND_READ_SEND] = {IBA_WR_SEND, IBA_WR_READ, IBA_WR_SEND},
    [LONG_READ] = {IBA_WR_READ, IBA_WR_RECV, IBA_WR_RECV}, [FLUSH_SEND] = {IBA_WR_FLUSH, IBA_WR_SEND, IBA_WR_RECV},
};

enum { NONE = 255 }; /* no work request completes */

static const struct order_case {
    const char *row;
    uint8_t open, retry, rnr_retry, opcode, syndrome, psn, len;
    uint8_t id, status; /* the last completion, and NONE if there is none */
} orders[] = {
    /* the form of a response counts before its PSN */
    {"ACK_WITH_PAYLOAD", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x40, 100, 4, NONE, 0},
    {"RESERVED_SYNDROME", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x9f, 99, 0, NONE, 0},
    {"RESERVED_SYNDROME", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x65, 50, 0, NONE, 0},
    {"RESERVED_SYNDROME", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x65, 102, 0, NONE, 0},
    {"UNSOLICITED_ACK", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 99, 0, NONE, 0},
    {"DUPLICATE", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 98, 0, NONE, 0},
    {"DUPLICATE", TWO_SENDS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x60, 99, 0, NONE, 0},
    {"DUPLICATE", TWO_SENDS, 7, 7, IBA_RC_READ_RESP_ONLY, 0x1f, 99, 0, NONE, 0},
    {"NEVER_SENT", READ_SEND, 0, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 102, 0, NONE, 0},
    {"NEVER_SENT", TWO_SENDS, 0, 0, IBA_RC_ACKNOWLEDGE, 0x62, 102, 0, NONE, 0},
    /* a lost answer counts before anything that a later response says (RQ-36) */
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x60, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 0, IBA_RC_ACKNOWLEDGE, 0x21, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x61, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x62, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x63, 101, 0, NONE, 0},
    {"RESPONSE_LOST", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x64, 101, 0, NONE, 0},
    {"RESPONSE_LOST", TWO_READS, 7, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 101, 0, NONE, 0},
    {"RESPONSE_LOST", TWO_READS, 7, 7, IBA_RC_READ_RESP_ONLY, 0x1f, 101, AMID, NONE, 0},
    {"RESPONSE_LOST", TWO_READS, 7, 7, IBA_RC_READ_RESP_ONLY, 0x62, 101, AMID, NONE, 0},
    {"ACK_FOR_ANSWER", READ_SEND, 7, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 100, 0, NONE, 0},
    /* the requests before the one that fails complete (RQ-35) */
    {"RETRIES_EXHAUSTED", SEND_READ_SEND, 0, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 102, 0, 2, IBA_WC_RETRY_EXCEEDED},
    {"RETRIES_EXHAUSTED", SEND_READ_SEND, 0, 7, IBA_RC_ACKNOWLEDGE, 0x1f, 101, 0, 2, IBA_WC_RETRY_EXCEEDED},
    {"RETRIES_EXHAUSTED", TWO_SENDS, 0, 7, IBA_RC_ACKNOWLEDGE, 0x60, 101, 0, 2, IBA_WC_RETRY_EXCEEDED},
    {"RNR_EXHAUSTED", TWO_SENDS, 7, 0, IBA_RC_ACKNOWLEDGE, 0x21, 101, 0, 2, IBA_WC_RNR_RETRY_EXCEEDED},
    {"RNR_EXHAUSTED", TWO_SENDS, 7, 0, IBA_RC_ACKNOWLEDGE, 0x21, 100, 0, 1, IBA_WC_RNR_RETRY_EXCEEDED},
    {"RNR", TWO_SENDS, 0, 1, IBA_RC_ACKNOWLEDGE, 0x21, 101, 0, 1, IBA_WC_SUCCESS},
    {"NAK_REMOTE_ACCESS", TWO_SENDS, 0, 0, IBA_RC_ACKNOWLEDGE, 0x62, 101, 0, 2, IBA_WC_REMOTE_ACCESS},
    /* the syndrome of an answer counts before its kind, its kind before its place, and its place before its length */
    {"ANSWER_NOT_POSITIVE", FLUSH_SEND, 7, 7, IBA_RC_READ_RESP_ONLY, 0x62, 100, 0, 1, IBA_WC_BAD_RESPONSE},
    {"ANSWER_NOT_POSITIVE", TWO_SENDS, 7, 7, IBA_RC_READ_RESP_ONLY, 0x21, 101, AMID, 2, IBA_WC_BAD_RESPONSE},
    {"OTHER_KIND", FLUSH_SEND, 7, 7, IBA_RC_READ_RESP_FIRST, 0x1f, 100, 0, 1, IBA_WC_BAD_RESPONSE},
    {"READ_OUT_OF_ORDER", LONG_READ, 7, 7, IBA_RC_READ_RESP_LAST, 0x1f, 100, AMID, 1, IBA_WC_BAD_RESPONSE},
    {"READ_WRONG_LENGTH", LONG_READ, 7, 7, IBA_RC_READ_RESP_FIRST, 0x1f, 100, AMID, 1, IBA_WC_LOCAL_LENGTH},
    {"READ_DATA", TWO_READS, 7, 7, IBA_RC_READ_RESP_ONLY, 0x1f, 100, AMID, 1, IBA_WC_SUCCESS},
};

static void expect_order(const struct order_case *c)
{
    struct iba_wc wc = {.wr_id = NONE};
    struct iba_wc last = wc;

    START(IBA_QPT_RC, s.retry = c->retry, s.rnr_retry = c->rnr_retry);
    for (uint64_t i = 0; i < 3 && open_ops[c->open][i] != IBA_WR_RECV; i++)
        post((enum iba_wr_op)open_ops[c->open][i], i + 1, c->open == LONG_READ ? 3000 : AMID);
    sends_all();
    respond((struct response){
        .opcode = c->opcode, .syndrome = c->syndrome, .psn = c->psn, .payload = b.memory, .len = c->len});
    cr_expect_str_eq(b.row, c->row, "case %td: %s", c - orders, b.row);
    while (iba_poll_cq(&b.ca, b.cqn, &wc))
        if (wc.status != IBA_WC_FLUSHED)
            last = wc;
    cr_expect_eq(last.wr_id, c->id, "case %td, %s: request %d", c - orders, c->row, (int)last.wr_id);
    cr_expect_eq(last.status, c->status, "case %td, %s: status %u", c - orders, c->row, last.status);
    if (strcmp(c->row, "RESPONSE_LOST") == 0)
        EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
}

Test(completer, the_first_row_that_applies_decides)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        expect_order(&orders[i]);
}

/* RQ-27, RQ-37: a PSN that was never sent tells nothing, even while a loss is known. */
Test(completer, never_sent_counts_before_a_known_loss)
{
    lose_read();
    ack(105);
    EXPECT_ROW("NEVER_SENT", 1);
    ack(104);
    EXPECT_ROW("LOSS_KNOWN", 1);
}

/* RQ-37: when a part of the lost answer has arrived, the rest may be lost again. */
Test(completer, progress_makes_a_loss_new)
{
    lose_read();
    cr_assert_eq(sends_all(), 2);
    data(IBA_RC_READ_RESP_FIRST, 101, bytes, 1024);
    EXPECT_ROW("READ_DATA", 1);
    cr_assert_eq(b.qp->s.retry_left, 7);
    ack(104);
    EXPECT_ROW("RESPONSE_LOST", 2);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 102);
}

/* RQ-23, RQ-28: a repeated NAK costs no retry, but an RNR NAK before anything was sent again still makes the requester
 * wait. */
Test(completer, a_second_nak)
{
    START(IBA_QPT_RC, s.retry = 1, s.rnr_retry = 1);
    post(IBA_WR_SEND, 1, 10);
    cr_assert_eq(sends_all(), 1);
    nak(0x60, 100);
    nak(0x60, 100);
    EXPECT_ROW("NAK_KNOWN", 1);
    cr_assert(no_wc());
    nak(0x21, 100);
    EXPECT_ROW("RNR", 1);
    EXPECT_SILENCE();
    nak(0x60, 100); /* no retry is left, but this NAK is known */
    EXPECT_ROW("NAK_KNOWN", 2);
    nak(0x21, 100);
    EXPECT_ROW("NAK_KNOWN", 3);
    wait_until(iba_ca_deadline(&b.ca));
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    cr_assert_eq(b.qp->s.rnr_left, 0);
    nak(0x21, 100);
    EXPECT_WC(1, IBA_WC_RNR_RETRY_EXCEEDED);
}

/* RQ-31: an RNR NAK for a later PSN acknowledges the earlier ones, so the RNR retries count from the start again. */
Test(completer, rnr_retries_of_a_later_request)
{
    START(IBA_QPT_RC, s.rnr_retry = 1);
    for (uint64_t i = 1; i <= 3; i++)
        post(IBA_WR_SEND, i, 10);
    cr_assert_eq(sends_all(), 3);
    for (uint32_t psn = 100; psn < 103; psn++) {
        nak(0x21, psn);
        EXPECT_ROW("RNR", psn - 99);
        cr_assert_eq(b.qp->s.rnr_left, 0);
        wait_until(iba_ca_deadline(&b.ca));
        cr_assert_eq(sends_all(), 103 - psn);
    }
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert(no_wc());
}

/* The PSN belongs to a request that was sent in part, and has a local fault: no answer fits it (RQ-48). */
Test(completer, answer_to_a_faulty_request)
{
    static const uint8_t opcode[] = {IBA_RC_READ_RESP_ONLY, IBA_RC_ATOMIC_ACKNOWLEDGE};

    for (size_t i = 0; i < sizeof opcode; i++) {
        struct iba_send_wr w;
        start_rc();
        post(IBA_WR_SEND, 1, 10);
        w = wr_of(IBA_WR_SEND, 2, 1500);
        w.n_sge = 2;
        w.sge[1] = (struct iba_sge){.addr = IOVA, .length = 1500, .lkey = b.lkey ^ 0x100};
        post_wr(&w);
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        EXPECT_SENT(IBA_RC_SEND_FIRST, 101);
        EXPECT_SILENCE();
        data((enum iba_op)opcode[i], 101, NULL, 0);
        EXPECT_ROW("OTHER_KIND", 1);
        EXPECT_WC(1, IBA_WC_SUCCESS);
        EXPECT_WC(2, IBA_WC_LOCAL_PROTECTION);
        cr_assert_eq(b.qp->state, IBA_QPS_ERR);
    }
}

/* Answers that end a request of 0 bytes, or that bring the value of each kind of ATOMIC. */
Test(completer, short_answers)
{
    static const uint8_t atomics[] = {IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD};
    const uint64_t value = 0x1122334455667788;

    start_rc();
    post(IBA_WR_READ, 1, 0);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
    data(IBA_RC_READ_RESP_ONLY, 100, NULL, 0);
    EXPECT_ROW("READ_DATA", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    for (uint32_t i = 0; i < 2; i++) {
        memset(b.memory, 0, 8);
        post((enum iba_wr_op)atomics[i], 2 + i, 8);
        cr_assert_eq(sends_all(), 1);
        respond((struct response){IBA_RC_ATOMIC_ACKNOWLEDGE, .syndrome = 0x1f, .psn = 101 + i, .value = value});
        EXPECT_ROW("ATOMIC_RESULT", 1 + i);
        EXPECT_WC(2 + i, IBA_WC_SUCCESS);
        cr_assert_eq(memcmp(b.memory, &value, 8), 0);
    }
}

/* RQ-40: answers of READs bring credits like ACKs. An ACK of a PSN before the last one brings none. */
Test(completer, credits_of_answers)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_READ, 1, 10);
    post(IBA_WR_SEND, 2, 10);
    post(IBA_WR_SEND, 3, 10);
    cr_assert_eq(sends_all(), 2); /* the READ raises the limit by one (RQ-42), and one message may begin beyond it */
    respond((struct response){IBA_RC_READ_RESP_ONLY, .syndrome = 2, .psn = 100, .msn = 1, .payload = bytes, .len = 10});
    cr_assert_eq(b.qp->s.lsn, 1 + 2);
    cr_assert_eq(sends_all(), 1);
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 3, .psn = 98, .msn = 9});
    EXPECT_ROW("DUPLICATE", 1);
    cr_assert_eq(b.qp->s.lsn, 1 + 2);
}

/* A page of the buffer is absent: the answer counts as lost, and the READ is sent again. */
Test(completer, read_into_an_absent_page)
{
    static uint8_t present[MEMORY / IBA_MEM_PAGE / 8];
    struct iba_mr_attr mr;
    struct iba_send_wr w;
    uint32_t rkey;

    start_rc();
    memset(present, 0, sizeof present);
    mr = (struct iba_mr_attr){.base = b.memory,
                              .length = MEMORY,
                              .iova = IOVA,
                              .pd = b.pd,
                              .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND,
                              .present = present};
    w = wr_of(IBA_WR_READ, 1, 10);
    cr_assert_eq(iba_mr_register(&b.ca.mem, &mr, &w.sge[0].lkey, &rkey), IBA_MEM_OK);
    post_wr(&w);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_SENT(IBA_RC_READ_REQUEST, 100);
        data(IBA_RC_READ_RESP_ONLY, 100, bytes, 10);
        EXPECT_ROW("READ_DATA", 1 + i);
        cr_assert_eq(no_wc(), i == 0);
        memset(present, 0xff, sizeof present);
        if (i == 0)
            wait_until(iba_ca_deadline(&b.ca));
    }
    cr_assert(arrived(0, 10));
}
#endif
