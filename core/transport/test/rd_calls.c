/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable datagrams: each function of EE contexts and their requester, on packets and work requests that reach no
 * table. rd.c tests them in whole exchanges. */
#include "receive.h"
#include "transport/iba_rd.h"
#include "transport/iba_requester.h"
#include "xrc_rd_requests.h"

static struct bed bed;

/* ---- each function of the receiving side, on packets that reach no table ---- */

/* Responses that wait keep their destination: only a duplicate that comes while some wait changes nothing. */
Test(rd_calls, which_request_names_the_peer)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    for (int ahead = -1; ahead <= 1; ahead++)
        for (uint16_t waiting = 0; waiting < 2; waiting++) {
            ask_rd(&bed, IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
            const struct iba_rx x = look_at(&bed, ahead, &bed.ud);
            bed.rc.ee.peer = 5;
            bed.rc.r.resp_count = waiting;
            iba_rd_note_peer(&x);
            EXPECT(bed.rc.ee.peer == (ahead < 0 && waiting ? 5 : 0x77), "%d ahead, %u waiting", ahead, waiting);
        }
    ask(&bed, IBA_RD_ACKNOWLEDGE, 0, 0);
    const struct iba_rx x = look_at(&bed, 0, &bed.ud);
    bed.rc.ee.peer = 5;
    iba_rd_note_peer(&x);
    cr_expect_eq(bed.rc.ee.peer, 5, "a response names no sender");
}

Test(rd_calls, whose_receive_and_domain_count)
{
    const struct {
        bool has_wqe;
        uint32_t receiver;
        struct iba_qp *user, *owner;
    } cases[] = {
        {false, UD_QPN, NULL, &bed.rc}, {false, UD_QPN, &bed.uc, &bed.uc}, {true, UD_QPN, &bed.uc, &bed.ud},
        {true, UD_QPN, NULL, &bed.ud},  {true, 1, &bed.uc, &bed.rc},       {true, 0x99, &bed.uc, &bed.rc},
    };

    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    ask_rd(&bed, IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct iba_rx x = look_at(&bed, 0, cases[i].user);
        bed.rc.r.has_wqe = cases[i].has_wqe;
        bed.rc.ee.receiver = cases[i].receiver;
        EXPECT(iba_rd_owner(&x) == cases[i].owner, "case %zu", i);
    }
    bed.ud.pd = bed.other_pd;
    cr_expect_eq(iba_rd_pd_of(&bed.ca, UD_QPN), bed.other_pd);
    cr_expect_eq(iba_rd_pd_of(&bed.ca, UC_QPN), bed.pd);
    cr_expect_eq(iba_rd_pd_of(&bed.ca, 1), IBA_NONE, "no RD QP");
    cr_expect_eq(iba_rd_pd_of(&bed.ca, 0x99), IBA_NONE, "no QP");
}

/* UU-34: a RESYNC that is no duplicate is taken; a request that was refused is refused again. */
Test(rd_calls, rows_by_distance)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    for (unsigned resync = 0; resync < 2; resync++)
        for (int ahead = -1; ahead <= 1; ahead++) {
            ask_rd(&bed, resync ? IBA_RD_RESYNC : IBA_RD_SEND_ONLY, 0, 0, &bed.ud);
            struct iba_rx x = look_at(&bed, ahead, &bed.ud);
            EXPECT(iba_rd_resyncs(&x) == (resync && ahead >= 0), "%d ahead", ahead);
            bed.rc.ee.refused = 0;
            EXPECT(!iba_rd_refused(&x), "%d ahead", ahead);
            bed.rc.ee.refused = 0x64;
            EXPECT(iba_rd_refused(&x) == (ahead == 0), "%d ahead", ahead);
            x.qp = &bed.gsi;
            EXPECT(!iba_rd_resyncs(&x) && !iba_rd_refused(&x) && !iba_rd_no_receiver(&x), "no context");
            EXPECT(!iba_rd_other_sender(&x), "no context");
        }
}

/* UU-33, UU-35, UU-36: for which QP a request may be. */
Test(rd_calls, rows_by_receiver)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    ask_rd(&bed, IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
    struct iba_rx x = look_at(&bed, 0, &bed.ud), none = look_at(&bed, 0, NULL);
    cr_expect(iba_rd_no_receiver(&none) && !iba_rd_no_receiver(&x));
    cr_expect(!iba_rd_other_domain(&none) && !iba_rd_other_domain(&x));
    cr_expect(!iba_rd_qkey_differs(&none) && !iba_rd_qkey_differs(&x));
    bed.ud.state = IBA_QPS_INIT;
    cr_expect(iba_rd_no_receiver(&x), "it does not receive yet");
    bed.ud.state = IBA_QPS_RTR;
    cr_expect(!iba_rd_no_receiver(&x));
    bed.ud.rdd++;
    cr_expect(iba_rd_other_domain(&x));
    bed.ud.attr.qkey++;
    cr_expect(iba_rd_qkey_differs(&x));
    for (unsigned i = 0; i < 16; i++) {
        const bool begins = i & 1, other = i & 2, unfinished = i & 4, user = i & 8;
        ask_rd(&bed, begins ? IBA_RD_SEND_FIRST : IBA_RD_SEND_LAST, 0, MTU, &bed.ud);
        x = look_at(&bed, 0, user ? &bed.ud : NULL);
        bed.rc.ee.receiver = other ? UC_QPN : UD_QPN;
        bed.rc.r.op = unfinished ? IBA_RD_SEND_FIRST : IBA_NO_MESSAGE;
        EXPECT(iba_rd_other_receiver(&x) == (!begins && other && unfinished && user), "case %u", i);
    }
}

/* A reserved opcode: the Q_Key and the sender are at the places that they have in every packet of the service. */
Test(rd_calls, the_headers_of_a_reserved_opcode)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    memset(bed.payload, 0, 16);
    bed.payload[3] = RC_QPN, bed.payload[4 + 3] = 9, bed.payload[8 + 3] = 0x66;
    ask(&bed, 0x5f, 0, 12);
    iba_bth_set_destqp(PART(&bed, bth), UD_QPN);
    struct iba_rx x = look_at(&bed, 0, NULL);
    x.qp = &bed.ud;
    iba_rd_find(&x);
    cr_expect(x.user == &bed.ud && x.qp == &bed.rc);
    bed.ud.attr.qkey = 9;
    cr_expect_not(iba_rd_qkey_differs(&x));
    bed.ud.attr.qkey = 8;
    cr_expect(iba_rd_qkey_differs(&x));
    iba_rd_note_peer(&x);
    cr_expect_eq(bed.rc.ee.peer, 0x66);
    x.qp = &bed.gsi;
    iba_rd_find(&x);
    cr_expect(!x.user && x.qp == &bed.rc, "DestQP is no RD QP");
    x.qp = NULL;
    iba_rd_find(&x);
    cr_expect(!x.user && x.qp == &bed.rc, "DestQP is not there");
}

/* ---- each function of the sending side ---- */

static struct iba_sqe *of_context(void)
{
    return &bed.rc.s.ring[0];
}

/* The RD QP bed.ud has one work request for the EE context bed.rc. */
static struct iba_sqe *post_for_context(uint8_t op)
{
    struct iba_sqe *e;

    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    e = iba_sqe_at(&bed.ud, 0);
    memset(e, 0, sizeof *e);
    e->wr.op = op;
    e->wr.wr_id = 31;
    e->wr.rd.eecn = RC_QPN;
    e->length = 8;
    bed.ud.s.count = 1;
    bed.ud.s.una.v = 0x123;
    bed.ud.s.rd_open = 3;
    bed.rc.s.head = 0;
    return e;
}

/* A QP waits while a message of any QP is in flight in the context, or while the context is in SQD. */
Test(rd_calls, when_a_queue_pair_waits)
{
    static const uint8_t states[] = {IBA_QPS_INIT, IBA_QPS_RTR, IBA_QPS_RTS, IBA_QPS_SQD, IBA_QPS_ERR};

    for (unsigned i = 0; i < COUNT(states); i++)
        for (uint32_t own = 0; own < 2; own++)
            for (uint32_t count = 0; count < 2; count++) {
                (void)post_for_context(IBA_WR_SEND);
                bed.ud.s.next = own;
                bed.rc.state = states[i];
                bed.rc.s.count = count;
                EXPECT(iba_rd_waits(&bed.ca, &bed.ud) ==
                           (own || states[i] == IBA_QPS_SQD || (states[i] == IBA_QPS_RTS && count)),
                       "state %u, %u %u", states[i], own, count);
            }
    post_for_context(IBA_WR_SEND)->wr.rd.eecn = UC_QPN;
    bed.uc.state = IBA_QPS_SQD;
    cr_expect_not(iba_rd_waits(&bed.ca, &bed.ud), "no context: the work request fails at once");
    (void)post_for_context(IBA_WR_SEND);
    bed.rc.state = IBA_QPS_SQD;
    bed.ud.s.count = 0;
    cr_expect_not(iba_rd_waits(&bed.ca, &bed.ud), "no work request");
}

/* UU-36: each fault of a work request, and what is refused only beside it. */
Test(rd_calls, faults_of_work_requests)
{
    static const struct {
        uint8_t op;
        uint32_t eecn;
        uint8_t state, rdd, port, max_rd;
        uint32_t length;
        enum iba_wc_status status;
    } cases[] = {
        {IBA_WR_SEND, RC_QPN, IBA_QPS_RTS, 3, 1, 0, 8, IBA_WC_SUCCESS},
        {IBA_WR_READ, RC_QPN, IBA_QPS_RTS, 3, 1, 1, 8, IBA_WC_SUCCESS},
        {IBA_WR_SEND, UC_QPN, IBA_QPS_RTS, 3, 1, 4, 8, IBA_WC_INVALID_EECN},
        {IBA_WR_SEND, 0x99, IBA_QPS_RTS, 3, 1, 4, 8, IBA_WC_INVALID_EECN},
        {IBA_WR_SEND, RC_QPN, IBA_QPS_RTR, 3, 1, 4, 8, IBA_WC_INVALID_EE_STATE},
        {IBA_WR_SEND, RC_QPN, IBA_QPS_ERR, 3, 1, 4, 8, IBA_WC_INVALID_EE_STATE},
        {IBA_WR_SEND, RC_QPN, IBA_QPS_RTS, 4, 1, 4, 8, IBA_WC_LOCAL_RDD},
        {IBA_WR_SEND, RC_QPN, IBA_QPS_RTS, 3, 2, 4, 8, IBA_WC_LOCAL_QP_OPERATION},
        {IBA_WR_READ, RC_QPN, IBA_QPS_RTS, 3, 1, 0, 8, IBA_WC_LOCAL_QP_OPERATION},
        {IBA_WR_FETCH_ADD, RC_QPN, IBA_QPS_RTS, 3, 1, 0, 8, IBA_WC_LOCAL_QP_OPERATION},
        {IBA_WR_FETCH_ADD, RC_QPN, IBA_QPS_RTS, 3, 1, 1, 8, IBA_WC_SUCCESS},
        {IBA_WR_READ, RC_QPN, IBA_QPS_RTS, 3, 1, 1, 0x80000000, IBA_WC_LOCAL_LENGTH},
        {IBA_WR_READ, RC_QPN, IBA_QPS_RTS, 3, 1, 1, 0x7fffff00, IBA_WC_SUCCESS},
        {IBA_WR_WRITE, RC_QPN, IBA_QPS_RTS, 3, 1, 1, 0x80000000, IBA_WC_SUCCESS},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct iba_sqe *e = post_for_context(cases[i].op);
        e->wr.rd.eecn = cases[i].eecn;
        e->length = cases[i].length;
        bed.rc.state = cases[i].state;
        bed.rc.rdd = cases[i].rdd;
        bed.rc.attr.port = cases[i].port;
        bed.rc.attr.max_rd = cases[i].max_rd;
        const enum iba_wc_status status = iba_rd_hand_over(&bed.ca, &bed.ud);
        EXPECT(status == cases[i].status, "case %zu: status %d", i, status);
        EXPECT(bed.rc.s.count == (status == IBA_WC_SUCCESS) && bed.ud.s.next == bed.rc.s.count, "case %zu", i);
    }
}

/* UU-33: the context gets a copy of the work request, and what the QP's packets need. */
Test(rd_calls, a_work_request_is_handed_over)
{
    for (unsigned read = 0; read < 2; read++) {
        struct iba_sqe *e = post_for_context(read ? IBA_WR_READ : IBA_WR_SEND);
        bed.ud.pd = bed.other_pd;
        bed.ud.attr.qkey = 0x4711;
        bed.rc.s.head = bed.rc.s.next = 7;
        e->first.v = e->last.v = 1;
        cr_expect_eq(iba_rd_serving(&bed.ca, &bed.ud), &bed.ud);
        cr_assert_eq(iba_rd_hand_over(&bed.ca, &bed.ud), IBA_WC_SUCCESS);
        cr_expect(bed.rc.s.head == 0 && bed.rc.s.next == 0 && bed.rc.s.count == 1);
        cr_expect(of_context()->wr.wr_id == 31 && of_context()->length == 8 && of_context()->state == IBA_SQE_WAITING);
        cr_expect(bed.rc.ee.sender == UD_QPN && bed.rc.pd == bed.other_pd && bed.rc.attr.qkey == 0x4711);
        cr_expect(e->state == IBA_SQE_BEGUN && e->first.v == 0x123 && e->last.v == 0x123);
        cr_expect(bed.ud.s.next == 1 && bed.ud.s.rd_open == read);
        cr_expect_eq(iba_rd_serving(&bed.ca, &bed.ud), &bed.rc);
        cr_expect_eq(iba_rd_sender(&bed.ca, &bed.rc), &bed.ud);
    }
}

/* WF-41, WF-42: the packet is for the QP at the other end. It names the peer's context in its RDETH, and the QP that
 * sends in its DETH. If bit 31 of the Q_Key is set, that of the QP is sent (PV-21). */
Test(rd_calls, the_packet_of_a_work_request)
{
    static const uint32_t keys[][2] = {
        {0, 0}, {0x12345678, 0x12345678}, {0x7fffffff, 0x7fffffff}, {0x80000000, 0x4711}, {0xffffffff, 0x4711}};

    for (unsigned read = 0; read < 2; read++)
        for (size_t i = 0; i < COUNT(keys); i++) {
            struct iba_send_wr *wr = &post_for_context(read ? IBA_WR_READ : IBA_WR_SEND)->wr;
            const uint8_t *bth, *at;
            iba_sqe_at(&bed.ud, 0)->length = 0;
            wr->va = UINT64_C(0x8765432187654321); /* in the place of a datagram's QP and Q_Key */
            wr->rkey = 0x81234567;
            wr->rd.remote_qpn = 0x654321;
            wr->rd.remote_qkey = keys[i][0];
            bed.ud.attr.qkey = 0x4711;
            bed.rc.attr.dest_qpn = 0x345678;
            bed.rc.attr.qkey = 0x5555;
            bed.rc.attr.pkey_index = 1;
            cr_assert_eq(iba_rd_hand_over(&bed.ca, &bed.ud), IBA_WC_SUCCESS);
            cr_assert(answer(&bed));
            bth = iba_view_bth(&bed.answer);
            at = bth + IBA_BYTES_bth;
            EXPECT(answer_opcode(&bed) == (read ? IBA_RD_READ_REQUEST : IBA_RD_SEND_ONLY), "case %zu", i);
            EXPECT(iba_bth_destqp(bth) == 0x654321 && answer_psn(&bed) == 7, "case %zu: DestQP and PSN", i);
            EXPECT(iba_bth_p_key(bth) == 0x8005 && iba_bth_a(bth), "case %zu: P_Key of the context", i);
            EXPECT(memcmp(at, "\0\x34\x56\x78", 4) == 0, "case %zu: RDETH", i);
            EXPECT(iba_deth_q_key(at + 4) == keys[i][1], "case %zu: Q_Key 0x%x", i, iba_deth_q_key(at + 4));
            EXPECT(iba_deth_srcqp(at + 4) == UD_QPN, "case %zu: SrcQP", i);
        }
}

/* Which QP's message is in flight. Each change alone makes it that of no QP. */
Test(rd_calls, whose_message_is_in_flight)
{
    for (unsigned i = 0; i < 7; i++) {
        struct iba_sqe *e = post_for_context(IBA_WR_SEND);
        cr_assert_eq(iba_rd_hand_over(&bed.ca, &bed.ud), IBA_WC_SUCCESS);
        bool served = true, sends = true;
        switch (i) {
        case 1: bed.ud.s.next = 0, served = sends = false; break;
        case 2: bed.rc.ee.sender = UC_QPN, served = sends = false; break;
        case 3: bed.rc.s.count = 0, served = false; break;
        case 4: bed.rc.ee.resync = true, served = sends = false; break;
        case 5: bed.ud.s.count = 0, served = sends = false; break;
        case 6: e->wr.rd.eecn = UC_QPN, served = sends = false; break;
        default: break;
        }
        EXPECT(iba_rd_serving(&bed.ca, &bed.ud) == (served ? &bed.rc : &bed.ud), "case %u", i);
        EXPECT(iba_rd_sender(&bed.ca, &bed.rc) == (sends ? &bed.ud : NULL), "case %u", i);
        of_context()->state = IBA_SQE_BEGUN;
        bed.rc.s.count = i != 3;
        bed.rc.s.high_psn.v = of_context()->first.v + 1;
        bed.rc.s.unasked = 9;
        iba_rd_let_go(&bed.ca, &bed.ud);
        EXPECT(bed.rc.s.unasked == (served ? 0 : 9), "case %u: it ends if it is in flight", i);
        EXPECT(bed.rc.ee.resync == (served || i == 4), "case %u: a RESYNC follows", i);
    }
    (void)post_for_context(IBA_WR_SEND);
    cr_assert_eq(iba_rd_hand_over(&bed.ca, &bed.ud), IBA_WC_SUCCESS);
    bed.ud.type = IBA_QPT_UD;
    cr_expect_null(iba_rd_sender(&bed.ca, &bed.rc), "no RD QP");
    bed.rc.ee.sender = 0x99;
    cr_expect_null(iba_rd_sender(&bed.ca, &bed.rc), "the QP is gone");
}

static void send_some(uint8_t state, uint32_t packets)
{
    struct iba_qp *ee = &bed.rc;

    (void)post_for_context(IBA_WR_READ);
    cr_assert_eq(iba_rd_hand_over(&bed.ca, &bed.ud), IBA_WC_SUCCESS);
    of_context()->state = state;
    of_context()->first.v = 50;
    of_context()->wr.flags = IBA_WR_FENCE;
    of_context()->wr.n_sge = 1;
    of_context()->status = IBA_WC_LOCAL_LENGTH;
    ee->s.high_psn.v = 50 + packets;
    ee->s.una.v = ee->s.next_psn.v = ee->s.asked.v = 50;
    ee->s.unasked = 5, ee->s.rd_open = 1, ee->s.implied = true, ee->s.next = 1;
    ee->s.ack_due = ee->s.rnr_due = ee->s.page_due = 77;
}

static void expect_ended(bool resync, const char *what)
{
    const struct iba_qp *ee = &bed.rc;
    const uint32_t psn = ee->s.high_psn.v;
    const struct iba_sqe *e = of_context();

    EXPECT(ee->ee.resync == resync && ee->s.count == resync && ee->s.next == 0 && ee->s.head == 0, "%s", what);
    EXPECT(ee->s.una.v == psn && ee->s.next_psn.v == psn && ee->s.asked.v == psn, "%s", what);
    EXPECT(ee->s.unasked == 0 && ee->s.rd_open == 0 && !ee->s.implied, "%s", what);
    EXPECT(ee->s.ack_due == IBA_NEVER && ee->s.rnr_due == IBA_NEVER && ee->s.page_due == IBA_NEVER, "%s", what);
    if (resync) {
        EXPECT(e->wr.op == IBA_WR_SEND && e->wr.flags == 0 && e->wr.n_sge == 0 && e->length == 0, "%s", what);
        EXPECT(e->status == IBA_WC_SUCCESS && e->state == IBA_SQE_WAITING, "%s", what);
    }
}

/* UU-34: a RESYNC follows a message of which packets were sent; its PSN is the one after all of them. */
Test(rd_calls, a_message_is_abandoned)
{
    send_some(IBA_SQE_BEGUN, 3);
    iba_rd_abandon(&bed.ca, &bed.rc);
    expect_ended(true, "packets were sent");
    send_some(IBA_SQE_BEGUN, 0);
    iba_rd_abandon(&bed.ca, &bed.rc);
    expect_ended(false, "no packet was sent");
    send_some(IBA_SQE_WAITING, 3);
    iba_rd_abandon(&bed.ca, &bed.rc);
    expect_ended(false, "the message has no PSN yet");
}

/* UU-37: after an RNR NAK the sender waits with one try less, and the context is free. 7 tries are without end. */
Test(rd_calls, a_message_is_suspended)
{
    static const struct {
        uint8_t rnr, left, after;
    } cases[] = {{7, 7, 7}, {6, 6, 5}, {6, 1, 0}, {6, 0, 0}, {7, 3, 3}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        send_some(IBA_SQE_BEGUN, 2);
        bed.rc.attr.rnr_retry = bed.ud.attr.rnr_retry = cases[i].rnr;
        bed.ud.s.rnr_left = cases[i].left;
        bed.ud.s.rnr_due = IBA_NEVER;
        iba_rd_suspend(&bed.ca, &bed.rc, 900);
        expect_ended(true, "suspended");
        EXPECT(bed.ud.s.rnr_left == cases[i].after && bed.ud.s.rnr_due == 900, "case %zu: %u", i, bed.ud.s.rnr_left);
        EXPECT(bed.ud.s.next == 0 && bed.ud.s.rd_open == 0 && bed.ud.s.count == 1, "case %zu", i);
        EXPECT(iba_sqe_at(&bed.ud, 0)->state == IBA_SQE_WAITING, "case %zu", i);
    }
    send_some(IBA_SQE_BEGUN, 2);
    bed.rc.ee.resync = true;
    iba_rd_suspend(&bed.ca, &bed.rc, 900);
    cr_expect(bed.rc.s.ack_due == 77 && bed.rc.s.rnr_due == 77, "a RESYNC needs no receive: its timer repeats it");
}

/* UU-33..UU-35: the message that ends is the RD QP's. A failure puts the QP into Send Queue Error. It ends
 * the context only if the peer answers no more. */
Test(rd_calls, how_a_message_ends)
{
    static const struct {
        enum iba_wc_status status;
        uint8_t qp, context; /* their states afterwards */
    } cases[] = {{IBA_WC_SUCCESS, IBA_QPS_RTS, IBA_QPS_RTS},
                 {IBA_WC_REMOTE_ACCESS, IBA_QPS_SQE, IBA_QPS_RTS},
                 {IBA_WC_REMOTE_INVALID_REQ, IBA_QPS_SQE, IBA_QPS_RTS},
                 {IBA_WC_RNR_RETRY_EXCEEDED, IBA_QPS_SQE, IBA_QPS_RTS},
                 {IBA_WC_RETRY_EXCEEDED, IBA_QPS_SQE, IBA_QPS_ERR}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        send_some(IBA_SQE_BEGUN, 2);
        iba_sqe_at(&bed.ud, 0)->wr.flags = IBA_WR_SIGNALED;
        iba_sqe_at(&bed.ud, 0)->state = IBA_SQE_BEGUN;
        bed.ud.s.rnr_left = 1;
        of_context()->status = IBA_WC_SUCCESS;
        if (cases[i].status == IBA_WC_SUCCESS) {
            of_context()->state = IBA_SQE_DONE;
            iba_requester_retire(&bed.ca, &bed.rc);
        } else {
            iba_requester_fail(&bed.ca, &bed.rc, cases[i].status);
        }
        const struct iba_wc wc = completion(&bed);
        EXPECT(wc.wr_id == 31 && wc.status == cases[i].status && wc.qpn == UD_QPN, "case %zu: %u", i, wc.status);
        EXPECT(no_completion(&bed) && bed.ud.s.count == 0 && bed.ud.s.rd_open == 0, "case %zu", i);
        EXPECT(bed.ud.state == cases[i].qp && bed.rc.state == cases[i].context, "case %zu: %u %u", i, bed.ud.state,
               bed.rc.state);
        EXPECT(bed.ud.s.rnr_left == bed.ud.attr.rnr_retry, "case %zu", i);
        const bool resync = cases[i].qp == IBA_QPS_SQE && cases[i].context == IBA_QPS_RTS; /* UU-34 */
        EXPECT(bed.rc.ee.resync == resync && bed.rc.s.count == resync, "case %zu: a RESYNC", i);
    }
}

/* UU-34: the RESYNC is for the QP of the message that it ends, and has the PSN after that message. It has both headers
 * with addresses, and no bytes. */
Test(rd_calls, the_packet_of_a_resync)
{
    const uint8_t *bth, *at;

    send_some(IBA_SQE_BEGUN, 3);
    of_context()->wr.rd.remote_qpn = 0x654321;
    of_context()->wr.rd.remote_qkey = 0x76543210;
    bed.rc.attr.dest_qpn = 0x345678;
    iba_rd_suspend(&bed.ca, &bed.rc, 900);
    cr_assert(answer(&bed));
    bth = iba_view_bth(&bed.answer);
    at = bth + IBA_BYTES_bth;
    cr_expect(answer_opcode(&bed) == IBA_RD_RESYNC && answer_psn(&bed) == 53 && iba_bth_a(bth) && !iba_bth_se(bth));
    cr_expect(iba_bth_destqp(bth) == 0x654321 && bed.answer.payload_len == 0);
    cr_expect(iba_rdeth_eecnxt(at) == 0x345678 && iba_deth_q_key(at + 4) == 0x76543210);
    cr_expect_eq(iba_deth_srcqp(at + 4), UD_QPN);
    cr_expect_not(answer(&bed), "the message waits for its RNR timer");
}

/* UU-34, UU-37: the end of a RESYNC completes no work request. The QP whose message it ended waits as before. If the
 * peer does not answer, the context fails. */
Test(rd_calls, how_a_resync_ends)
{
    for (unsigned fails = 0; fails < 2; fails++) {
        send_some(IBA_SQE_BEGUN, 2);
        bed.ud.attr.rnr_retry = bed.rc.attr.rnr_retry = 5;
        bed.ud.s.rnr_left = 3;
        iba_rd_suspend(&bed.ca, &bed.rc, 900);
        cr_assert(bed.rc.ee.resync && bed.rc.s.count == 1);
        bed.ud.s.rd_open = 1;
        of_context()->state = fails ? IBA_SQE_BEGUN : IBA_SQE_DONE;
        if (fails)
            iba_requester_fail(&bed.ca, &bed.rc, IBA_WC_RETRY_EXCEEDED);
        else
            iba_requester_retire(&bed.ca, &bed.rc);
        EXPECT(!bed.rc.ee.resync && bed.rc.s.count == 0, "%u", fails);
        EXPECT(bed.rc.state == (fails ? IBA_QPS_ERR : IBA_QPS_RTS), "%u: state %u", fails, bed.rc.state);
        EXPECT(no_completion(&bed) && bed.ud.state == IBA_QPS_RTS && bed.ud.s.count == 1, "%u", fails);
        EXPECT(bed.ud.s.rnr_left == 2 && bed.ud.s.rd_open == 1 && bed.ud.s.rnr_due == 900, "%u", fails);
        EXPECT(iba_sqe_at(&bed.ud, 0)->state == IBA_SQE_WAITING, "%u", fails);
        EXPECT(!iba_rd_waits(&bed.ca, &bed.ud), "%u: the context is free", fails);
    }
}
