/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable datagrams: the requester's row that only EE contexts have, tested alone (the responder's are in
 * responder_rules.c); headers and receives of contexts. */
#include "receive.h"
#include "transport/iba_qp_state.h"
#include "transport/iba_rd.h"
#include "transport/iba_wr_ops.h"
#include "xrc_rd_requests.h"

static struct bed bed;

/* An EE context in which a message of the QP bed.ud is in flight. */
static void send_for_ud(void)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    bed.rc.ee.sender = bed.ud.qpn;
}

static uint32_t dropped_for(const struct iba_qp *to)
{
    ask(&bed, IBA_RD_ACKNOWLEDGE, 0, 0);
    iba_bth_set_destqp(PART(&bed, bth), to->qpn);
    iba_rdeth_set_eecnxt(PART(&bed, rdeth), bed.rc.qpn);
    give(&bed);
    return hits(&bed, IBA_TABLE_RC_COMPLETER, "RD_OTHER_SENDER");
}

Test(rd, a_response_is_for_the_sender_of_the_message)
{
    send_for_ud();
    cr_expect_eq(dropped_for(&bed.uc), 1);
    cr_expect_eq(dropped_for(&bed.ud), 0);
}

/* A reserved opcode of RD: both headers are read from the payload if it has room for both. */
Test(rd, a_reserved_opcode_is_of_a_context_if_both_headers_fit)
{
    enum { RESERVED = 0x5f, HEADERS = 12 };

    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    memset(bed.payload, 0, sizeof bed.payload);
    bed.payload[3] = RC_QPN;
    for (size_t n = 0; n <= 16; n += 4) {
        ask(&bed, RESERVED, 0, n);
        iba_bth_set_destqp(PART(&bed, bth), UD_QPN);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "no_qp"), n < HEADERS, "%zu bytes", n);
    }
    bed.payload[3] = UC_QPN;
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "no_qp"), 1, "no EE context");
}

/* An RD QP gets back the receive that a context has taken for it, wherever the context is in the table. */
Test(rd, a_receive_is_taken_back_from_any_context)
{
    static const unsigned places[] = {0, 1, 15};
    uint64_t id;

    for (unsigned i = 0; i < COUNT(places); i++) {
        struct iba_qp **at;
        bed_make(&bed, IBA_PORT_IB, false);
        as_context(&bed);
        for (at = bed.qp_slot; *at != &bed.rc; at++)
            ;
        *at = bed.qp_slot[places[i]];
        bed.qp_slot[places[i]] = &bed.rc;
        bed.rc.ee.receiver = UD_QPN;
        bed.rc.r.has_wqe = true;
        bed.rc.r.wqe.wr_id = 99;
        bed.rc.r.op = IBA_RD_SEND_FIRST;
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.uc, &id), "of another QP");
        bed.rc.type = IBA_QPT_RC;
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.ud, &id), "no context");
        bed.rc.type = IBA_QPT_EE;
        id = 0;
        cr_expect(iba_rd_take_back(&bed.ca, &bed.ud, &id) && id == 99, "place %u", places[i]);
        cr_expect(!bed.rc.r.has_wqe && bed.rc.r.op == IBA_NO_MESSAGE);
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.ud, &id), "twice");
    }
}

/* ---- what a context answers ---- */

enum { SOURCE_QPN = 0x77, CREDITS = 0x1f, NAK_REQUEST = 0x61, NAK_OP = 0x63, NAK_RD = 0x64 };

static void give_rd(uint8_t opcode, int ahead, size_t payload, const struct iba_qp *to)
{
    ask_rd(&bed, opcode, ahead, payload, to);
    give(&bed);
}

static void answered(uint8_t opcode, int ahead)
{
    cr_assert(answer(&bed), "an answer 0x%02x", opcode);
    cr_expect_eq(answer_opcode(&bed), opcode, "opcode 0x%02x", answer_opcode(&bed));
    cr_expect_eq(answer_psn(&bed), (uint32_t)(EPSN + ahead) & IBA_PSN_MASK, "PSN 0x%x", answer_psn(&bed));
    cr_expect_eq(iba_bth_destqp(iba_view_bth(&bed.answer)), SOURCE_QPN);
    cr_expect_eq(iba_rdeth_eecnxt(iba_view_hdr(&bed.answer, IBA_H_rdeth)), PEER_QPN);
}

static void context_with_receives(unsigned n)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    for (unsigned i = 0; i < n; i++) {
        struct iba_recv_wr w = buffer(&bed, FULL);
        w.wr_id = 90 + i;
        MUST(iba_post_recv(&bed.ca, UD_QPN, &w));
    }
}

/* UU-33: a SEND of two packets completes at the RD QP, and names the sender's QP. */
Test(rd, completion_of_the_rd_qp)
{
    context_with_receives(1);
    give_rd(IBA_RD_SEND_FIRST, 0, MTU, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    give_rd(IBA_RD_SEND_LAST, 1, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 1);
    cr_expect_eq(answer_syndrome(&bed), CREDITS);
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.wr_id == 90 && wc.status == IBA_WC_SUCCESS && wc.byte_len == MTU + 8 && wc.op == IBA_WR_RECV);
    cr_expect(wc.qpn == UD_QPN && wc.src_qpn == SOURCE_QPN);
}

/* UU-34: a RESYNC abandons the message before it. Its receive completes in error, its answers are lost, and the next
 * message begins at the PSN after the RESYNC. */
Test(rd, resync_abandons_a_message)
{
    context_with_receives(2);
    give_rd(IBA_RD_SEND_FIRST, 0, MTU, &bed.ud); /* its ACK still waits when the RESYNC comes */
    give_rd(IBA_RD_RESYNC, 5, 0, &bed.ud);
    struct iba_wc wc = completion(&bed);
    cr_expect(wc.wr_id == 90 && wc.status == IBA_WC_REMOTE_ABORTED && wc.qpn == UD_QPN && no_completion(&bed));
    answered(IBA_RD_ACKNOWLEDGE, 5);
    cr_expect_not(answer(&bed), "the ACK of the message is lost");
    give_rd(IBA_RD_SEND_ONLY, 6, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 6);
    wc = completion(&bed);
    cr_expect(wc.wr_id == 91 && wc.status == IBA_WC_SUCCESS && wc.byte_len == 8);
}

/* UU-34: a RESYNC is taken also while the responder waits, after an RNR NAK, for the request before the gap. */
Test(rd, resync_ends_the_wait_after_an_rnr)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    bed.rc.r.rnr_sent = true;
    give_rd(IBA_RD_RESYNC, 5, 0, &bed.ud);
    cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "rd_resync"), 1);
    cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "gap_after_rnr"), 0);
}

/* UU-34: after a RESYNC a refused request may come again, and a new gap gets a NAK. */
Test(rd, resync_ends_a_refusal)
{
    context_with_receives(1);
    rd_qkey_differs(&bed);
    bed.ud.rq.count = 1;
    give(&bed);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    give_rd(IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    cr_expect_eq(answer_syndrome(&bed), NAK_RD, "refused again");
    give_rd(IBA_RD_RESYNC, 0, 0, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    give_rd(IBA_RD_SEND_ONLY, 3, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 1);
    cr_expect_eq(answer_syndrome(&bed), 0x60, "a gap");
    give_rd(IBA_RD_RESYNC, 4, 0, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 4);
    give_rd(IBA_RD_SEND_ONLY, 7, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 5);
    cr_expect_eq(answer_syndrome(&bed), 0x60, "another gap");
    give_rd(IBA_RD_SEND_ONLY, 5, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 5);
    cr_expect_eq(answer_syndrome(&bed), CREDITS);
}

/* UU-35: a fault in a receive fails the RD QP; the context stays usable. A message that it refuses in the middle
 * completes its receive in error. */
Test(rd, faults_and_refusals)
{
    context_with_receives(0);
    struct iba_recv_wr w = buffer(&bed, FULL);
    w.sge[0].lkey ^= 1;
    MUST(iba_post_recv(&bed.ca, UD_QPN, &w));
    give_rd(IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    cr_expect_eq(answer_syndrome(&bed), NAK_OP);
    cr_expect(completion(&bed).status == IBA_WC_LOCAL_PROTECTION && bed.ud.state == IBA_QPS_ERR);
    cr_expect_eq(bed.rc.state, IBA_QPS_RTS);

    context_with_receives(1);
    give_rd(IBA_RD_SEND_FIRST, 0, MTU, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    ask_rd(&bed, IBA_RD_SEND_LAST, 1, 8, &bed.ud);
    iba_deth_set_q_key(PART(&bed, deth), bed.ud.attr.qkey + 1);
    give(&bed);
    answered(IBA_RD_ACKNOWLEDGE, 1);
    cr_expect_eq(answer_syndrome(&bed), NAK_RD);
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.wr_id == 90 && wc.status == IBA_WC_REMOTE_ABORTED && no_completion(&bed));
    cr_expect(bed.rc.state == IBA_QPS_RTS && bed.ud.state == IBA_QPS_RTS);
}

/* UU-32, QS-69: a READ uses the domain and the windows of the RD QP. When its memory is gone, the context stays. */
Test(rd, read_of_an_rd_qp)
{
    for (int gone = 0; gone < 2; gone++) {
        struct iba_bind b = {.va = VA, .length = MEMORY, .access = IBA_ACCESS_REMOTE};
        uint32_t key;
        context_with_receives(0);
        MUST(iba_mw_alloc(&bed.ca.mem, IBA_MEM_MW2B, bed.pd, &key));
        b.mr_lkey = bed.lkey;
        b.mw_rkey = key;
        b.key_byte = (uint8_t)(key + 1);
        MUST(iba_mw_bind(&bed.ca.mem, &b, bed.pd, UD_QPN, &key));
        ask_rd(&bed, IBA_RD_READ_REQUEST, 0, 0, &bed.ud);
        iba_reth_set_r_key(PART(&bed, reth), key);
        iba_reth_set_dmalen(PART(&bed, reth), MTU + 8);
        give(&bed);
        answered(IBA_RD_READ_RESP_FIRST, 0);
        cr_expect_arr_eq(answer_data(&bed), bed.memory, MTU);
        if (gone)
            MUST(iba_mw_free(&bed.ca.mem, key));
        answered(gone ? IBA_RD_ACKNOWLEDGE : IBA_RD_READ_RESP_LAST, 1);
        if (gone)
            cr_expect_eq(answer_syndrome(&bed), 0x62);
        else
            cr_expect_arr_eq(answer_data(&bed), bed.memory + MTU, 8);
        cr_expect_eq(bed.rc.state, IBA_QPS_RTS);
    }
}

/* RR-59: an event about a request of RD names the RD QP. */
Test(rd, events_name_the_rd_qp)
{
    context_with_receives(0);
    give_rd(IBA_RD_WRITE_LAST, 0, 8, &bed.ud);
    cr_expect_eq(bed.events[IBA_EVENT_WQ_INVALID_REQUEST], 1);
    cr_expect(bed.last_event.object == UD_QPN && bed.last_event.port == 1 && bed.last_event.a == 0 &&
              bed.last_event.b == 0);
}

/* UU-38: the access rights that count are those of the RD QP, not those of the context. */
Test(rd, rights_of_the_rd_qp)
{
    for (int read = 0; read < 2; read++)
        for (int may = 0; may < 2; may++) {
            context_with_receives(0);
            bed.ud.attr.access = may ? IBA_ACCESS_REMOTE : 0;
            bed.rc.attr.access = may ? 0 : IBA_ACCESS_REMOTE;
            ask_rd(&bed, read ? IBA_RD_READ_REQUEST : IBA_RD_WRITE_ONLY, 0, read ? 0 : 8, &bed.ud);
            iba_reth_set_dmalen(PART(&bed, reth), 8);
            give(&bed);
            answered(read && may ? IBA_RD_READ_RESP_ONLY : IBA_RD_ACKNOWLEDGE, 0);
            cr_expect_eq(answer_syndrome(&bed), may ? CREDITS : NAK_REQUEST, "read %d, may %d", read, may);
        }
}

/* RR-49: without a receive the NAK has the RNR timer of the RD QP, whose software posts receives. */
Test(rd, rnr_timer_of_the_rd_qp)
{
    context_with_receives(0);
    bed.ud.attr.min_rnr = 5;
    give_rd(IBA_RD_SEND_ONLY, 0, 8, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 0);
    cr_expect_eq(answer_syndrome(&bed), 0x25);
}

/* UU-33: messages to two RD QPs follow each other, and each one of two packets is stored whole. */
Test(rd, writes_to_two_qps)
{
    const struct iba_qp *const to[] = {&bed.uc, &bed.ud, &bed.uc};

    context_with_receives(1);
    for (int i = 0; i < 3; i++) {
        memset(bed.memory, 0, MEMORY);
        ask_rd(&bed, IBA_RD_WRITE_FIRST, 2 * i, MTU, to[i]);
        iba_reth_set_dmalen(PART(&bed, reth), MTU + 8);
        give(&bed);
        answered(IBA_RD_ACKNOWLEDGE, 2 * i);
        ask_rd(&bed, i == 1 ? IBA_RD_WRITE_LAST_IMM : IBA_RD_WRITE_LAST, 2 * i + 1, 8, to[i]);
        bed.r.payload = bed.payload + MTU;
        give(&bed);
        answered(IBA_RD_ACKNOWLEDGE, 2 * i + 1);
        cr_expect_eq(answer_syndrome(&bed), CREDITS);
        cr_expect_arr_eq(bed.memory, bed.payload, MTU + 8);
    }
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.qpn == UD_QPN && wc.byte_len == MTU + 8 && wc.op == IBA_WR_RECV_WRITE_IMM && wc.src_qpn == SOURCE_QPN);
}

/* RR-11, UU-34: a RESYNC is acknowledged, so the ACK delay counts from it. */
Test(rd, resync_counts_for_the_ack_delay)
{
    context_with_receives(0);
    bed.ca.ack_delay = 2;
    give_rd(IBA_RD_RESYNC, 5, 0, &bed.ud);
    answered(IBA_RD_ACKNOWLEDGE, 5);
    for (int i = 6; i <= 8; i++) {
        ask_rd(&bed, IBA_RD_WRITE_ONLY, i, 8, &bed.ud);
        iba_bth_set_a(PART(&bed, bth), 0);
        give(&bed);
        cr_expect_eq(bed.rc.r.resp_count, i == 8, "PSN %d", i);
    }
    answered(IBA_RD_ACKNOWLEDGE, 8);
}

/* Makes the context use receive 99 of the QP bed.ud, as in the middle of a message. */
static void use_a_receive(void)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    bed.rc.ee.receiver = UD_QPN;
    bed.rc.r.has_wqe = true;
    bed.rc.r.wqe.wr_id = 99;
    bed.rc.r.op = IBA_RD_SEND_FIRST;
}

/* QS-25: the context or the QP fails: the receive in use is flushed to the QP, once. */
Test(rd, a_receive_in_use_is_flushed)
{
    for (unsigned i = 0; i < 5; i++) {
        struct iba_wc wc;
        use_a_receive();
        if (i == 2)
            bed.rc.r.has_wqe = false;
        if (i == 3)
            bed.ud.type = IBA_QPT_UD;
        if (i == 4)
            bed.rc.ee.receiver = 0x777777;
        iba_qp_fail(&bed.ca, i == 1 ? &bed.ud : &bed.rc);
        const bool comes = iba_poll_cq(&bed.ca, bed.cq_number, &wc) > 0;
        cr_expect_eq(comes, i < 2, "case %u", i);
        cr_expect(!comes || (wc.wr_id == 99 && wc.status == IBA_WC_FLUSHED && wc.qpn == UD_QPN), "case %u", i);
        cr_expect(!bed.rc.r.has_wqe && bed.rc.r.op == IBA_NO_MESSAGE, "case %u", i);
        cr_expect_eq(iba_poll_cq(&bed.ca, bed.cq_number, &wc), 0, "case %u", i);
    }
}

/* QS-17, QS-29: a QP that is reset or destroyed takes its receive back from the context, without a completion. */
Test(rd, a_qp_that_goes_takes_its_receive_along)
{
    struct iba_wc wc;

    use_a_receive();
    iba_qp_part(&bed.ca, &bed.uc); /* not this QP's */
    cr_expect(bed.rc.r.has_wqe);
    iba_qp_part(&bed.ca, &bed.ud);
    cr_expect(!bed.rc.r.has_wqe && bed.rc.r.op == IBA_NO_MESSAGE);
    cr_expect_eq(iba_poll_cq(&bed.ca, bed.cq_number, &wc), 0);
}

/* A context in Reset has forgotten its peers. */
Test(rd, a_reset_context_forgets)
{
    use_a_receive();
    bed.rc.ee.sender = UD_QPN;
    iba_qp_reset(&bed.rc);
    cr_expect(bed.rc.ee.sender == 0 && bed.rc.ee.receiver == 0 && !bed.rc.r.has_wqe);
}
