/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that RC, UC and UD receivers share: completions, refused receives, and the queues that receives come from.
 */
#include "receive.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"
#include "xrc_rd_requests.h"

static struct bed bed;

enum { RNR_NAK = 0x20 | 13, NAK_OP = 0x63 };

/* Posts two receives of `len` bytes, with the numbers 1 and 2, for the QP RC. */
static void post_two(bool shared, uint32_t len, uint32_t lkey)
{
    for (unsigned i = 1; i <= 2; i++) {
        struct iba_recv_wr w = buffer(&bed, len);
        w.wr_id = i;
        w.sge[0].lkey = lkey;
        if (shared)
            MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
        else
            MUST(iba_post_recv(&bed.ca, RC_QPN, &w));
    }
}

/* QS-81, RR-53, RR-54, WF-28: every field of a completion. Only a message with SE wakes software that waits for
 * solicited ones (QS-33). */
Test(receiver, fields_of_a_completion)
{
    static const struct {
        uint8_t opcode, op, flags;
    } cases[] = {
        {IBA_RC_SEND_ONLY, IBA_WR_RECV, 0},
        {IBA_RC_SEND_ONLY_IMM, IBA_WR_RECV, IBA_WC_WITH_IMM},
        {IBA_RC_SEND_ONLY_INV, IBA_WR_RECV, IBA_WC_WITH_INV},
        {IBA_RC_WRITE_ONLY_IMM, IBA_WR_RECV_WRITE_IMM, IBA_WC_WITH_IMM},
    };
    for (size_t i = 0; i < 4 * COUNT(cases); i++) {
        const bool shared = i & 1, se = i & 2;
        const uint8_t flags = cases[i / 4].flags;
        bed_make(&bed, IBA_PORT_IB, shared);
        bed.srq.number = 1; /* 0 also stands for none */
        bed.srq_slot[1] = &bed.srq;
        bed.srq_number = bed.rc.srq = shared ? 1 : IBA_NONE;
        bed.rc.attr.pkey_index = 1;
        post_two(shared, FULL, bed.lkey);
        MUST(iba_req_notify_cq(&bed.ca, bed.cq_number, true));
        ask(&bed, cases[i / 4].opcode, 0, 9);
        iba_bth_set_p_key(PART(&bed, bth), 0x8005);
        iba_bth_set_se(PART(&bed, bth), se);
        if (HAS(&bed, ieth))
            iba_ieth_set_r_key(PART(&bed, ieth), bed.rkey);
        give(&bed);
        const struct iba_wc wc = completion(&bed);
        const uint32_t data = flags & IBA_WC_WITH_INV ? bed.rkey : flags & IBA_WC_WITH_IMM ? 0x01020304 : 0;
        EXPECT(wc.wr_id == 1 && wc.status == IBA_WC_SUCCESS && wc.op == cases[i / 4].op, "case %zu", i);
        EXPECT(wc.flags == (flags | (se ? IBA_WC_SOLICITED : 0)) && wc.imm_or_key == data, "case %zu", i);
        EXPECT(wc.byte_len == 9 && wc.pkey_index == 1, "case %zu: %u bytes", i, wc.byte_len);
        EXPECT(wc.qpn == RC_QPN && wc.src_qpn == PEER_QPN && wc.srqn == shared, "case %zu: SRQ %u", i, wc.srqn);
        EXPECT(bed.cq.notified == se, "case %zu: notified", i);
        EXPECT(no_completion(&bed), "case %zu", i);
    }
}

/* RR-38, RR-57, RR-59, RR-53: the receive in use completes with the status of the fault, once, whether the fault is in
 * the first packet or in a later one. The next receive is flushed. An error wakes software as a solicited message. */
Test(receiver, refused_receives)
{
    static const struct {
        const char *what;
        bool inside; /* after the first packet of a SEND */
        uint8_t opcode, status;
        uint16_t bytes, room;
        bool bad_key, gone; /* the L_Key of the receives; the region after the first packet */
        bool denied;        /* the R_Key of the WRITE */
    } cases[] = {
        {"too long at once", false, IBA_RC_SEND_ONLY, IBA_WC_LOCAL_LENGTH, 9, 8, false, false, false},
        {"too long later", true, IBA_RC_SEND_LAST, IBA_WC_LOCAL_LENGTH, 9, MTU + 8, false, false, false},
        {"wrong key", false, IBA_RC_SEND_ONLY, IBA_WC_LOCAL_PROTECTION, 8, 8, true, false, false},
        {"key gone", true, IBA_RC_SEND_LAST, IBA_WC_LOCAL_PROTECTION, 8, FULL, false, true, false},
        {"begins inside", true, IBA_RC_SEND_ONLY, IBA_WC_REMOTE_INVALID_REQ, 8, FULL, false, false, false},
        {"other kind", true, IBA_RC_WRITE_LAST, IBA_WC_REMOTE_INVALID_REQ, 8, FULL, false, false, false},
        {"reserved", true, 0x15, IBA_WC_REMOTE_INVALID_REQ, 8, FULL, false, false, false},
        {"denied", false, IBA_RC_WRITE_ONLY_IMM, IBA_WC_LOCAL_ACCESS, 8, 0, false, false, true},
        {"denied, needs none", false, IBA_RC_WRITE_ONLY, IBA_WC_FLUSHED, 8, 0, false, false, true},
        {"no key to invalidate", false, IBA_RC_SEND_ONLY_INV, IBA_WC_MW_BIND, 8, FULL, false, false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post_two(false, cases[i].room, bed.lkey ^ cases[i].bad_key);
        MUST(iba_req_notify_cq(&bed.ca, bed.cq_number, true));
        if (cases[i].inside) {
            ask(&bed, IBA_RC_SEND_FIRST, 0, MTU);
            give(&bed);
        }
        if (cases[i].gone)
            MUST(iba_mr_deregister(&bed.ca.mem, bed.lkey));
        ask(&bed, cases[i].opcode, cases[i].inside, cases[i].bytes);
        if (cases[i].denied && HAS(&bed, reth))
            iba_reth_set_r_key(PART(&bed, reth), bed.rkey ^ 1);
        give(&bed);
        struct iba_wc wc = completion(&bed);
        EXPECT(wc.wr_id == 1 && wc.status == cases[i].status, "%s: status %u", cases[i].what, wc.status);
        wc = completion(&bed);
        EXPECT(wc.wr_id == 2 && wc.status == IBA_WC_FLUSHED, "%s: the next one", cases[i].what);
        EXPECT(no_completion(&bed) && bed.rc.state == IBA_QPS_ERR, "%s", cases[i].what);
        EXPECT(bed.cq.notified == 1, "%s: notified", cases[i].what);
    }
}

/* QS-42: the receives of an SRQ belong to its protection domain, whatever the QP's is. */
Test(receiver, domain_of_an_srq)
{
    static struct iba_recv_wr ring[N_RQ];
    static struct iba_srq other;

    for (int own = 0; own < 2; own++) {
        uint32_t lkey, rkey;
        bed_make(&bed, IBA_PORT_IB, true);
        region(&bed, ALL_RIGHTS, bed.other_pd, &lkey, &rkey);
        MUST(iba_create_srq(&bed.ca, &other, ring, N_RQ, bed.other_pd, &bed.srq_number));
        bed.rc.srq = bed.srq_number;
        post_two(true, FULL, own ? lkey : bed.lkey);
        ask(&bed, IBA_RC_SEND_ONLY, 0, 8);
        give(&bed);
        cr_expect_eq(completion(&bed).status, own ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_syndrome(&bed), own ? 0x1f : NAK_OP);
    }
}

/* RR-49, QS-43: an SRQ in error gives no receive. The receive that a message has begun is used to its end. */
Test(receiver, srq_in_error)
{
    for (int begun = 0; begun < 2; begun++) {
        bed_make(&bed, IBA_PORT_IB, true);
        post_two(true, FULL, bed.lkey);
        if (begun) {
            ask(&bed, IBA_RC_SEND_FIRST, 0, MTU);
            give(&bed);
            cr_assert(answer(&bed));
        }
        bed.srq.error = true;
        ask(&bed, begun ? IBA_RC_SEND_LAST : IBA_RC_SEND_ONLY, begun, 8);
        give(&bed);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_syndrome(&bed), begun ? 0x1f : RNR_NAK);
        cr_expect_eq(no_completion(&bed), !begun);
    }
}

/* RR-64: the first request in RTR establishes the connection, later ones do not. */
Test(receiver, established_once)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.state = IBA_QPS_RTR;
    for (int i = 0; i < 3; i++) {
        ask(&bed, IBA_RC_WRITE_ONLY, i, 8);
        give(&bed);
        cr_expect_eq(bed.events[IBA_EVENT_COMM_ESTABLISHED], i == 0, "request %d", i);
        cr_expect(bed.last_event.object == RC_QPN && bed.last_event.port == 1 && bed.last_event.a == 0 &&
                  bed.last_event.b == 0);
        cr_assert(answer(&bed));
    }
}

/* WF-32: only the last packet of a message has padding, also in a device that takes packets of incomplete words. */
Test(receiver, padding_inside_a_message)
{
    static const struct {
        uint8_t opcode, pad;
        const char *row;
    } cases[] = {
        {IBA_RC_SEND_FIRST, 0, "send_part"}, {IBA_RC_SEND_FIRST, 1, "bad_payload"}, {IBA_RC_SEND_ONLY, 1, "send_end"}};
    struct iba_changed_rules c;

    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_ROCE2, false);
        post(&bed, RC_QPN, FULL);
        lack(&bed, IBA_TABLE_VALIDATE, "split_word", &c);
        packet(&bed, IBA_ENCAP_ROCE2_V6, cases[i].opcode, RC_QPN, EPSN, (size_t)MTU + cases[i].pad);
        iba_bth_set_padcnt(PART(&bed, bth), cases[i].pad);
        bed.r.keep = IBA_KEEP_PAD;
        give(&bed);
        EXPECT(hits(&bed, IBA_TABLE_RC_RESPONDER, cases[i].row) == 1, "%s", cases[i].row);
    }
}

/* A device that does not check the length of a SEND takes for it no more units of a streaming receive than for its
 * longest message, which may be of one unit. */
Test(receiver, units_of_a_message_that_is_too_long)
{
    struct iba_changed_rules c;

    for (uint16_t most = 1; most <= 2; most++) {
        bed_make(&bed, IBA_PORT_IB, true);
        struct iba_recv_wr w = buffer(&bed, 256);
        w.unit_log = 4;
        w.most = most;
        MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
        lack(&bed, IBA_TABLE_RC_RESPONDER, "send_too_long", &c);
        for (uint32_t i = 0; i < 3; i++) {
            ask(&bed, IBA_RC_SEND_ONLY, (int)i, 64);
            give(&bed);
            const struct iba_wc wc = completion(&bed);
            cr_expect(wc.unit == most * i && wc.flags & IBA_WC_MORE, "most %u, message %u", most, i);
        }
    }
}

/* The largest unit has 2^31 bytes. */
Test(receiver, largest_unit)
{
    for (uint8_t log = 30; log <= 33; log++) {
        bed_make(&bed, IBA_PORT_IB, true);
        struct iba_recv_wr w = buffer(&bed, UINT32_MAX);
        w.form = IBA_RECV_BLOCKS;
        w.n_block = 9;
        w.unit_log = log;
        w.most = 1;
        cr_expect_eq(iba_post_srq_recv(&bed.ca, bed.srq_number, &w), log <= 31 ? IBA_VERB_OK : IBA_VERB_ATTR_VALUE);
    }
}

/* QS-45, QS-50: a target takes receives from the SRQ that the request names, and completes them into its CQ. */
Test(receiver, completion_of_an_xrc_target)
{
    bed_make(&bed, IBA_PORT_IB, true);
    as_target(&bed, false);
    bed.srq.number = 1;
    bed.srq_slot[1] = &bed.srq;
    bed.srq_number = 1;
    post_two(true, FULL, bed.lkey);
    for (int i = 0; i < 2; i++) {
        ask(&bed, i == 0 ? IBA_XRC_SEND_FIRST : IBA_XRC_SEND_LAST, i, i == 0 ? MTU : 8);
        iba_xrceth_set_srqn(PART(&bed, xrceth), 1);
        give(&bed);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_opcode(&bed), IBA_XRC_ACKNOWLEDGE);
    }
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.wr_id == 1 && wc.status == IBA_WC_SUCCESS && wc.byte_len == MTU + 8);
    cr_expect(wc.srqn == 1 && wc.qpn == RC_QPN);
    cr_expect_eq(bed.rc.srq, IBA_NONE, "no message is unfinished");
}

/* Only an EE context has the members of one; other queue pairs have their receive queue in the same memory. With any
 * number there, a message completes for its own queue pair, also when a reliable datagram QP has that number. */
Test(receiver, a_message_completes_for_its_own_queue_pair)
{
    static struct iba_qp rd, *slot[1 << 16];

    bed_make(&bed, IBA_PORT_IB, false);
    post_two(false, FULL, bed.lkey);
    for (unsigned i = 0; i < COUNT(bed.qp_slot); i++)
        if (bed.qp_slot[i])
            slot[bed.qp_slot[i]->qpn] = bed.qp_slot[i];
    rd = (struct iba_qp){.qpn = bed.rc.ee.receiver, .type = IBA_QPT_RD, .srq = 3, .recv_cq = bed.cq_number};
    slot[rd.qpn % COUNT(slot)] = &rd;
    bed.ca.qp = slot, bed.ca.n_qp = COUNT(slot);
    ask(&bed, IBA_RC_SEND_ONLY, 0, 8);
    give(&bed);
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.qpn == RC_QPN && wc.src_qpn == PEER_QPN && wc.srqn == 0, "QP %#x from %#x", wc.qpn, wc.src_qpn);
}

/* VN-06: software learns of a match once, with the first packet of a message, and of the data at its end. */
Test(receiver, a_match_is_told_once)
{
    enum { TAG = 9, HEADER = IBA_BYTES_tmh };
    static struct iba_recv_wr ring[N_RQ];
    static struct iba_tag list[2];
    static struct iba_srq srq;
    static const uint8_t opcodes[] = {IBA_RC_SEND_FIRST, IBA_RC_SEND_MIDDLE, IBA_RC_SEND_MIDDLE, IBA_RC_SEND_LAST};

    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_tag_srq_init init = {
        .ring = ring, .list = list, .n = N_RQ, .n_tags = COUNT(list), .pd = bed.pd, .cq = bed.cq_number};
    const struct iba_recv_wr w = buffer(&bed, FULL);
    uint32_t handle;
    MUST(iba_create_tag_srq(&bed.ca, &srq, &init, &bed.srq_number));
    MUST(iba_add_tag(&bed.ca, bed.srq_number, &w, TAG, UINT64_MAX, 0, &handle));
    bed.rc.srq = bed.srq_number;
    iba_tmh_set_opcode(bed.payload, IBA_TM_EAGER);
    iba_tmh_set_tag(bed.payload, TAG);
    for (int i = 0; i < 4; i++) {
        ask(&bed, opcodes[i], i, MTU);
        give(&bed);
        cr_expect_eq(bed.cq.count, i < 3 ? 1 : 2, "packet %d: %u completions", i, bed.cq.count);
        cr_assert(answer(&bed));
    }
    cr_expect(completion(&bed).flags == IBA_WC_TAG_MATCH, "the match");
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.flags == IBA_WC_TAG_DATA && wc.byte_len == 4 * MTU - HEADER, "%u bytes", wc.byte_len);
}
