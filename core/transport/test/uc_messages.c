/* SPDX-License-Identifier: BSD-2-Clause */
/* UC messages of several packets, whole and broken, with their receives. */
#include "receive.h"
#include "transport/iba_wr_ops.h"
#include "uc_packets.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* Gives UC a packet of a message: its bytes are those from packet `k` of the payload on. */
static void part(uint8_t opcode, uint32_t psn, unsigned k, size_t n)
{
    uc(&bed, opcode, psn, n);
    bed.r.payload = bed.payload + k * MTU;
    if (HAS(&bed, reth))
        iba_reth_set_dmalen(PART(&bed, reth), 2 * MTU + 8);
    give(&bed);
}

/* UU-12, UU-08: a message of three packets, whose PSNs wrap, is stored whole. A WRITE with immediate data completes a
 * receive, or is stored without one; another WRITE takes none. */
Test(uc_messages, messages_of_three_packets)
{
    static const struct {
        uint8_t first, middle, last, op;
        bool posted, done;
    } cases[] = {
        {IBA_UC_SEND_FIRST, IBA_UC_SEND_MIDDLE, IBA_UC_SEND_LAST, IBA_WR_RECV, true, true},
        {IBA_UC_SEND_FIRST, IBA_UC_SEND_MIDDLE, IBA_UC_SEND_LAST_IMM, IBA_WR_RECV, true, true},
        {IBA_UC_WRITE_FIRST, IBA_UC_WRITE_MIDDLE, IBA_UC_WRITE_LAST_IMM, IBA_WR_RECV_WRITE_IMM, true, true},
        {IBA_UC_WRITE_FIRST, IBA_UC_WRITE_MIDDLE, IBA_UC_WRITE_LAST_IMM, 0, false, false},
        {IBA_UC_WRITE_FIRST, IBA_UC_WRITE_MIDDLE, IBA_UC_WRITE_LAST, 0, true, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool imm = cases[i].last == IBA_UC_SEND_LAST_IMM || cases[i].last == IBA_UC_WRITE_LAST_IMM;
        bed_make(&bed, IBA_PORT_IB, false);
        memset(bed.memory, 0, MEMORY);
        if (cases[i].posted)
            post(&bed, UC_QPN, FULL);
        part(cases[i].first, 0xfffffe, 0, MTU);
        part(cases[i].middle, 0xffffff, 1, MTU);
        EXPECT(no_completion(&bed), "case %zu", i);
        part(cases[i].last, 0, 2, 8);
        EXPECT(memcmp(bed.memory, bed.payload, 2 * MTU + 8) == 0, "case %zu", i);
        EXPECT(bed.memory[2 * MTU + 8] == 0, "case %zu: nothing after it", i);
        EXPECT(bed.uc.rq.count == (cases[i].posted && !cases[i].done), "case %zu: the receive", i);
        EXPECT(!no_completion(&bed) == cases[i].done, "case %zu", i);
        if (!cases[i].done)
            continue;
        const struct iba_wc wc = completion(&bed);
        EXPECT(wc.status == IBA_WC_SUCCESS && wc.op == cases[i].op && wc.byte_len == 2 * MTU + 8, "case %zu", i);
        EXPECT(wc.wr_id == 77 && wc.qpn == UC_QPN && wc.src_qpn == PEER_QPN, "case %zu", i);
        EXPECT(wc.flags == (imm ? IBA_WC_WITH_IMM : 0) && wc.imm_or_key == (imm ? 0x01020304 : 0), "case %zu", i);
        EXPECT(no_completion(&bed), "case %zu", i);
    }
}

/* UU-03: a packet that comes again, or one that is late, is a gap, too: the rest of the message is dropped. */
Test(uc_messages, a_repeated_packet_breaks_the_message)
{
    for (uint32_t psn = 4; psn <= 8; psn++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post(&bed, UC_QPN, FULL);
        part(IBA_UC_SEND_FIRST, 5, 0, MTU);
        part(IBA_UC_SEND_MIDDLE, 6, 1, MTU);
        part(IBA_UC_SEND_MIDDLE, psn, 1, MTU);
        EXPECT(hits(&bed, IBA_TABLE_UC_RECEIVER, "hole") == (psn != 7), "PSN %u", psn);
        part(IBA_UC_SEND_LAST, psn + 1, 2, 8);
        EXPECT(hits(&bed, IBA_TABLE_UC_RECEIVER, "nothing_to_go_on") == (psn != 7), "PSN %u", psn);
        EXPECT(no_completion(&bed) == (psn != 7), "PSN %u", psn);
    }
}

/* UU-09: the whole receive of a broken message is there for the next one. */
Test(uc_messages, a_receive_begins_again)
{
    bed_make(&bed, IBA_PORT_IB, false);
    post(&bed, UC_QPN, MTU + 8);
    part(IBA_UC_SEND_FIRST, 5, 0, MTU);
    part(IBA_UC_SEND_LAST, 7, 1, 8);
    part(IBA_UC_SEND_FIRST, 8, 1, MTU);
    part(IBA_UC_SEND_LAST, 9, 2, 8);
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.status == IBA_WC_SUCCESS && wc.byte_len == MTU + 8);
    cr_expect_arr_eq(bed.memory, bed.payload + MTU, MTU + 8);
}

/* Class E: a broken WRITE has taken no receive from the SRQ, and costs none. */
Test(uc_messages, a_broken_write_costs_no_receive)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = buffer(&bed, FULL);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    part(IBA_UC_WRITE_FIRST, 5, 0, MTU);
    part(IBA_UC_WRITE_LAST, 7, 1, 8);
    cr_expect(no_completion(&bed) && bed.srq.rq.count == 1);
}

/* UU-29, class A: a receive that may not be written fails the QP, also after a part of the message. It completes in
 * error, once; other receives are flushed. */
Test(uc_messages, a_receive_with_a_fault_fails_the_qp)
{
    for (int later = 0; later < 2; later++) {
        bed_make(&bed, IBA_PORT_IB, false);
        uint32_t rkey;
        struct iba_recv_wr w = buffer(&bed, FULL), next = w;
        region(&bed, ALL_RIGHTS, bed.pd, &w.sge[0].lkey, &rkey);
        next.wr_id = 78;
        MUST(iba_post_recv(&bed.ca, UC_QPN, &w));
        MUST(iba_post_recv(&bed.ca, UC_QPN, &next));
        if (later)
            part(IBA_UC_SEND_FIRST, 5, 0, MTU);
        MUST(iba_mr_deregister(&bed.ca.mem, w.sge[0].lkey));
        part(later ? IBA_UC_SEND_LAST : IBA_UC_SEND_ONLY, 6, 1, 8);
        struct iba_wc wc = completion(&bed);
        cr_expect(wc.wr_id == 77 && wc.status == IBA_WC_LOCAL_PROTECTION && wc.byte_len == (later ? MTU : 0));
        wc = completion(&bed);
        cr_expect(wc.wr_id == 78 && wc.status == IBA_WC_FLUSHED && no_completion(&bed));
        cr_expect_eq(bed.uc.state, IBA_QPS_ERR);
        iba_ca_check(&bed.ca);
    }
}

/* UU-10: a page of the receive is absent. The packet is dropped, and the receive stays for the next message. */
Test(uc_messages, an_absent_page_of_a_receive)
{
    bed_make(&bed, IBA_PORT_IB, false);
    absent(&bed);
    post(&bed, UC_QPN, 8);
    part(IBA_UC_SEND_ONLY, 5, 0, 8);
    cr_expect_eq(hits(&bed, IBA_TABLE_UC_RECEIVER, "page_absent"), 1);
    cr_expect(no_completion(&bed) && bed.uc.state == IBA_QPS_RTS && bed.uc.rq.count == 1);
    bed.present = 0xff;
    part(IBA_UC_SEND_ONLY, 5, 0, 8);
    cr_expect_eq(completion(&bed).wr_id, 77);
}

/* QS-20: the first request in RTR establishes the connection, once, and is executed. */
Test(uc_messages, established_once)
{
    bed_make(&bed, IBA_PORT_IB, false);
    first_in_rtr(&bed);
    give(&bed);
    cr_expect_eq(bed.events[IBA_EVENT_COMM_ESTABLISHED], 1);
    cr_expect(bed.last_event.object == UC_QPN && bed.last_event.port == 1);
    cr_expect_arr_eq(bed.memory, bed.payload, 8);
    give(&bed);
    cr_expect_eq(bed.events[IBA_EVENT_COMM_ESTABLISHED], 0);
}

/* QS-32: a message begins inside another one, whose receive cannot complete because the completion queue is full. The
 * QP fails, and the new message is not executed. */
Test(uc_messages, no_place_for_the_broken_message)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = buffer(&bed, FULL);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    part(IBA_UC_SEND_FIRST, 5, 0, MTU);
    memset(bed.memory, 0, MEMORY);
    bed.cq.count = bed.cq.n;
    uc(&bed, IBA_UC_WRITE_ONLY, 6, 8);
    give(&bed);
    cr_expect(bed.uc.state == IBA_QPS_ERR && bed.memory[0] == 0);
    cr_expect_eq(all_hits(&bed, IBA_TABLE_UC_RECEIVER), 1);
}

/* A device that lacks the row for the end of a SEND executes no SEND as a WRITE. */
Test(uc_messages, a_send_is_no_write)
{
    static const uint8_t opcodes[] = {IBA_UC_SEND_ONLY, IBA_UC_SEND_ONLY_IMM};
    struct iba_changed_rules c;

    for (size_t i = 0; i < COUNT(opcodes); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post(&bed, UC_QPN, FULL);
        lack(&bed, IBA_TABLE_UC_RECEIVER, "send_end", &c);
        part(opcodes[i], 5, 0, 8);
        cr_expect(all_hits(&bed, IBA_TABLE_UC_RECEIVER) == 0 && no_completion(&bed));
    }
}
