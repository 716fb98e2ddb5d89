/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets with two faults, for each pair of neighbouring rows of the responder and of the receivers of UC and UD: the
 * first row decides, and is the one that is counted. */
#include "receive.h"
#include "transport/iba_wr_ops.h"
#include "uc_packets.h"
#include "wire/iba_opcode_rows.h"
#include "xrc_rd_requests.h"

static struct bed bed;

/* Gives a packet, and lets its answers wait. */
static void given(struct bed *b, uint8_t opcode, int ahead, size_t payload)
{
    ask(b, opcode, ahead, payload);
    if (HAS(b, reth))
        iba_reth_set_dmalen(PART(b, reth), opcode == IBA_RC_WRITE_FIRST ? 2 * MTU : 8);
    give(b);
}

static void set_dmalen(struct bed *b, uint32_t n)
{
    iba_reth_set_dmalen(PART(b, reth), n);
}

static void silence(struct bed *b)
{
    while (answer(b))
        ;
}

/* ---- RC: a function prepares the bed, and leaves a packet to which both rows apply in b->r ---- */

static void resync_after_rnr(struct bed *b)
{
    rd_resync(b);
    b->rc.r.rnr_sent = true;
}

static void gap_after_both(struct bed *b)
{
    b->rc.r.rnr_sent = b->rc.r.nak_sent = true;
    ask(b, IBA_RC_WRITE_ONLY, 2, 8);
}

static void gap_after_nak(struct bed *b)
{
    b->rc.r.nak_sent = true;
    ask(b, IBA_RC_WRITE_ONLY, 2, 8);
}

static void malformed_while_it_waits(struct bed *b)
{
    given(b, IBA_RC_READ_REQUEST, 0, 0);
    ask(b, IBA_RC_READ_REQUEST, 0, 0);
    set_dmalen(b, UINT32_C(0x80000001));
}

static void other_kind_while_it_waits(struct bed *b)
{
    given(b, IBA_RC_READ_REQUEST, 0, 0);
    ask(b, IBA_RC_FETCH_ADD, 0, 0);
}

/* A replay of the first of two READs waits, and there is room for no other. */
static void full_of_replays(struct bed *b)
{
    given(b, IBA_RC_READ_REQUEST, 0, 0);
    given(b, IBA_RC_READ_REQUEST, 1, 0);
    silence(b);
    given(b, IBA_RC_READ_REQUEST, 0, 0);
    b->rc.attr.max_dest_rd = 0;
}

static void unknown_without_room(struct bed *b)
{
    full_of_replays(b);
    ask(b, IBA_RC_FETCH_ADD, 1, 0);
}

static void gone_without_room(struct bed *b)
{
    full_of_replays(b);
    MUST(iba_mr_deregister(&b->ca.mem, b->lkey));
    ask(b, IBA_RC_READ_REQUEST, 1, 0);
    set_dmalen(b, 8);
}

static void gone_again(struct bed *b)
{
    given(b, IBA_RC_READ_REQUEST, 0, 0);
    silence(b);
    MUST(iba_mr_deregister(&b->ca.mem, b->lkey));
    ask(b, IBA_RC_READ_REQUEST, 0, 0);
    set_dmalen(b, 8);
}

static void no_receiver_of_another_domain(struct bed *b)
{
    rd_other_domain(b);
    b->ud.state = IBA_QPS_INIT;
}

static void other_domain_and_key(struct bed *b)
{
    rd_other_domain(b);
    iba_deth_set_q_key(PART(b, deth), b->ud.attr.qkey + 1);
}

static void rd_begun(struct bed *b)
{
    as_context(b);
    ask_rd(b, IBA_RD_WRITE_FIRST, 0, MTU, &b->ud);
    set_dmalen(b, MTU + 8);
    give(b);
    silence(b);
}

static void other_key_inside_a_message(struct bed *b)
{
    rd_begun(b);
    ask_rd(b, IBA_RD_WRITE_ONLY, 1, 8, &b->ud);
    iba_deth_set_q_key(PART(b, deth), b->ud.attr.qkey + 1);
}

static void no_message_of_another_srq(struct bed *b)
{
    as_target(b, false);
    ask(b, IBA_XRC_WRITE_LAST, 0, 8);
    iba_xrceth_set_srqn(PART(b, xrceth), b->srq_number);
}

static void other_receiver_and_operation(struct bed *b)
{
    rd_begun(b);
    ask_rd(b, IBA_RD_SEND_LAST, 1, 8, &b->uc);
}

static void other_operation_in_rtr(struct bed *b)
{
    given(b, IBA_RC_WRITE_FIRST, 0, MTU);
    b->rc.state = IBA_QPS_RTR;
    ask(b, IBA_RC_SEND_LAST, 1, 8);
}

static void not_enabled_in_rtr(struct bed *b)
{
    b->rc.state = IBA_QPS_RTR;
    b->rc.attr.access = 0;
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void not_enabled_and_no_resource(struct bed *b)
{
    b->rc.attr.access = 0;
    b->rc.attr.max_dest_rd = 0;
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
}

static void short_for_an_absent_receive(struct bed *b)
{
    absent(b);
    post(b, RC_QPN, FULL);
    ask(b, IBA_RC_SEND_FIRST, 0, MTU - 4);
}

static void short_of_a_long_message(struct bed *b)
{
    ask(b, IBA_RC_WRITE_FIRST, 0, MTU - 4);
    set_dmalen(b, UINT32_C(0x80000001));
}

static void wrong_length_and_place(struct bed *b)
{
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
    iba_reth_set_va(PART(b, reth), VA + 4);
    set_dmalen(b, 16);
}

/* A response that is for an RD QP without a message in flight. */
static void payload_for_another_sender(struct bed *b)
{
    as_context(b);
    b->rc.ee.sender = b->uc.qpn;
    ask(b, IBA_RD_ACKNOWLEDGE, 0, 4);
    iba_bth_set_destqp(PART(b, bth), b->ud.qpn);
    iba_rdeth_set_eecnxt(PART(b, rdeth), b->rc.qpn);
}

/* ---- UC ---- */

static void uc_begun(struct bed *b)
{
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_FIRST, 5, MTU);
    give(b);
}

static void uc_nothing_after_a_gap(struct bed *b)
{
    uc(b, IBA_UC_SEND_LAST, 9, 8);
}

static void uc_other_operation_after_a_gap(struct bed *b)
{
    uc_begun(b);
    uc(b, IBA_UC_WRITE_LAST, 7, 8);
}

static void uc_not_enabled_in_rtr(struct bed *b)
{
    first_in_rtr(b);
    b->uc.attr.access = 0;
}

static void uc_short_without_receive(struct bed *b)
{
    uc(b, IBA_UC_SEND_FIRST, 5, MTU - 4);
}

static void uc_short_of_a_long_message(struct bed *b)
{
    uc(b, IBA_UC_WRITE_FIRST, 5, MTU - 4);
    set_dmalen(b, UINT32_C(0x80000001));
}

/* A receive of few bytes, whose key is wrong. */
static void post_small_and_foreign(struct bed *b, uint32_t qpn, uint32_t bytes)
{
    struct iba_recv_wr w = buffer(b, bytes);

    w.sge[0].lkey ^= 1;
    MUST(iba_post_recv(&b->ca, qpn, &w));
}

static void uc_long_and_protected(struct bed *b)
{
    post_small_and_foreign(b, UC_QPN, 8);
    uc(b, IBA_UC_SEND_ONLY, 5, 12);
}

static void uc_part_to_an_absent_page(struct bed *b)
{
    absent(b);
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_FIRST, 5, MTU);
}

/* ---- UD and raw datagrams ---- */

static void ud_to(struct bed *b, uint32_t qpn, size_t payload)
{
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, qpn, 5, payload);
}

static void ud_long_and_no_mad(struct bed *b)
{
    post(b, 1, FULL);
    ud_to(b, 1, 260);
    b->ca.port[0].mtu = IBA_MTU_256;
}

static void ud_no_mad_and_no_receive(struct bed *b)
{
    ud_to(b, 1, 252);
}

static void ud_long_and_protected(struct bed *b)
{
    post_small_and_foreign(b, UD_QPN, 47);
    ud_to(b, UD_QPN, 8);
}

static void raw_to_an_absent_page(struct bed *b)
{
    absent(b);
    post(b, RAW_QPN, FULL);
    raw_packet(b, IBA_ENCAP_IB_RAW, 32);
}

/* ---- the order ---- */

enum {
    RC = IBA_TABLE_RC_RESPONDER,
    REQUESTER = IBA_TABLE_RC_COMPLETER,
    UC = IBA_TABLE_UC_RECEIVER,
    UD = IBA_TABLE_UD_RECEIVER
};

static const struct pair {
    uint8_t table;
    const char *first, *second;
    void (*prepare)(struct bed *b);
} pairs[] = {
    {RC, "rd_resync", "gap_after_rnr", resync_after_rnr},
    {RC, "gap_after_rnr", "gap_known", gap_after_both},
    {RC, "gap_known", "gap", gap_after_nak},
    {RC, "malformed_again", "answer_waits", malformed_while_it_waits},
    {RC, "answer_waits", "unknown_again", other_kind_while_it_waits},
    {RC, "unknown_again", "no_room_again", unknown_without_room},
    {RC, "no_room_again", "read_gone", gone_without_room},
    {RC, "read_gone", "read_again", gone_again},
    {RC, "rd_no_receiver", "rd_other_domain", no_receiver_of_another_domain},
    {RC, "rd_other_domain", "rd_qkey_differs", other_domain_and_key},
    {RC, "rd_qkey_differs", "unfinished_before", other_key_inside_a_message},
    {RC, "nothing_to_go_on", "xrc_other_srq", no_message_of_another_srq},
    {RC, "rd_other_receiver", "other_operation", other_receiver_and_operation},
    {RC, "other_operation", "first_in_rtr", other_operation_in_rtr},
    {RC, "first_in_rtr", "", not_enabled_in_rtr}, /* then the row write_not_enabled */
    {RC, "atomic_write_not_enabled", "depth_exceeded", not_enabled_and_no_resource},
    {RC, "receive_absent", "bad_payload", short_for_an_absent_receive},
    {RC, "bad_payload", "dma_too_long", short_of_a_long_message},
    {RC, "atomic_write_length", "atomic_write_misaligned", wrong_length_and_place},
    {REQUESTER, "RD_OTHER_SENDER", "ACK_WITH_PAYLOAD", payload_for_another_sender},
    {UC, "nothing_to_go_on", "hole", uc_nothing_after_a_gap},
    {UC, "hole", "other_operation", uc_other_operation_after_a_gap},
    {UC, "first_in_rtr", "", uc_not_enabled_in_rtr},
    {UC, "send_without_wqe", "bad_payload", uc_short_without_receive},
    {UC, "bad_payload", "dma_too_long", uc_short_of_a_long_message},
    {UC, "send_too_long", "receive_protected", uc_long_and_protected},
    {UC, "page_absent", "send_part", uc_part_to_an_absent_page},
    {UD, "longer_than_mtu", "no_mad", ud_long_and_no_mad},
    {UD, "no_mad", "no_wqe", ud_no_mad_and_no_receive},
    {UD, "too_long", "receive_protected", ud_long_and_protected},
    {UD, "receive_absent", "raw", raw_to_an_absent_page},
};

/* Nothing is sent: by UC and UD never, and by RC for packets that these rows drop while no response waits. */
static bool is_silent(const struct pair *p)
{
    return p->table != RC || strcmp(p->first, "gap_after_rnr") == 0 || strcmp(p->first, "gap_known") == 0 ||
           strcmp(p->first, "read_gone") == 0;
}

/* PV-02: a device without the first row decides by the second one, so both apply. */
Test(receiver_order, the_first_of_two_rows_decides)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const enum iba_rule_table t = (enum iba_rule_table)pairs[i].table;
        struct iba_changed_rules c;
        const bool continues = pairs[i].second[0] == 0;
        bed_make(&bed, IBA_PORT_IB, false);
        pairs[i].prepare(&bed);
        give(&bed);
        EXPECT(hits(&bed, t, pairs[i].first) == 1, "%s", pairs[i].first);
        EXPECT(!is_silent(&pairs[i]) || !answer(&bed), "%s answers", pairs[i].first);
        EXPECT(all_hits(&bed, t) == 1u + continues, "%s: %u rows", pairs[i].first, all_hits(&bed, t));
        if (continues)
            continue;
        bed_make(&bed, IBA_PORT_IB, false);
        pairs[i].prepare(&bed);
        lack(&bed, t, pairs[i].first, &c);
        give(&bed);
        EXPECT(hits(&bed, t, pairs[i].second) == 1, "%s without %s", pairs[i].second, pairs[i].first);
    }
}

/* QS-32, UU-06: a message begins in RTR inside of another, whose receive completes in error, and the CQ overflows. The
 * QP fails before the new message can establish the connection. */
Test(receiver_order, what_ends_in_an_overflow_establishes_nothing)
{
    const struct iba_wc wc = {0};

    for (unsigned full = 0; full < 2; full++) {
        bed_make(&bed, IBA_PORT_IB, true);
        const struct iba_recv_wr w = buffer(&bed, FULL);
        MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
        uc(&bed, IBA_UC_SEND_FIRST, 5, MTU);
        give(&bed);
        while (full && bed.cq.count < bed.cq.n)
            iba_cq_push(&bed.ca, bed.cq_number, &wc, false);
        bed.uc.state = IBA_QPS_RTR;
        uc(&bed, IBA_UC_WRITE_ONLY, 6, 8);
        give(&bed);
        cr_expect_eq(bed.events[IBA_EVENT_COMM_ESTABLISHED], !full);
        cr_expect_eq(bed.uc.state, full ? IBA_QPS_ERR : IBA_QPS_RTR);
    }
}
