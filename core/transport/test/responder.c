/* SPDX-License-Identifier: BSD-2-Clause */
/* The RC responder with several packets: PSNs, order, duplicates, memory. */
#include "rc_answers.h"
#include "transport/iba_responder.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

static void give_add(int ahead, uint64_t n)
{
    ask(&bed, IBA_RC_FETCH_ADD, ahead, 0);
    iba_atomiceth_set_swapdt(PART(&bed, atomiceth), n);
    give(&bed);
}

static uint64_t origin(void)
{
    return iba_atomicacketh_origremdt(iba_view_hdr(&bed.answer, IBA_H_atomicacketh));
}

static uint64_t cell(void)
{
    uint64_t v;

    memcpy(&v, bed.memory, sizeof v);
    return v;
}

TestSuite(responder, .timeout = 30);

/* RR-03, RR-04, RR-05: a gap gets one NAK, and duplicates are still answered. After a correct request the next gap gets
 * a NAK again. */
Test(responder, one_nak_a_gap)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_write(0, true);
    expect_syndrome(0x1f, 0);
    for (int i = 0; i < 10; i++)
        give_write(2 + i, true);
    expect_syndrome(0x60, 1);
    expect_silence();
    give_write(0, true);
    expect_syndrome(0x1f, 0);
    give_write(1, true);
    expect_syndrome(0x1f, 1);
    give_write(5, true);
    expect_syndrome(0x60, 2);
}

/* RR-51, RR-52, RR-49 */
Test(responder, rnr_waits_for_the_same_psn)
{
    bed_make(&bed, IBA_PORT_IB, false);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            ask(&bed, IBA_RC_SEND_ONLY, i, 8);
            give(&bed);
        }
        expect_syndrome(0x20 | 13, 0);
        expect_silence();
    }
    post(&bed, RC_QPN, 64);
    ask(&bed, IBA_RC_SEND_ONLY, 0, 8);
    give(&bed);
    expect_syndrome(0x1f, 0);
    cr_assert_eq(answer_msn(&bed), 1);
    cr_assert_eq(completion(&bed).byte_len, 8);
}

/* RR-01, RR-61, RR-62, WF-65: segmentation of READ responses, PSNs of later requests, restart at an inner packet. */
Test(responder, read_segments)
{
    static const uint32_t lengths[] = {0, 1, MTU, MTU + 1, 2 * MTU, 4 * MTU + 3};

    for (size_t i = 0; i < COUNT(lengths); i++) {
        const int n = lengths[i] ? (int)((lengths[i] - 1) / MTU + 1) : 1;
        bed_make(&bed, IBA_PORT_IB, false);
        for (int from = 0; from < n; from++) { /* the whole READ, then each remainder */
            give_read(from, VA + (unsigned)from * MTU, lengths[i] - (unsigned)from * MTU);
            for (int k = from; k < n; k++) {
                const bool first = k == from, last = k == n - 1;
                expect(first ? (last ? IBA_RC_READ_RESP_ONLY : IBA_RC_READ_RESP_FIRST)
                             : (last ? IBA_RC_READ_RESP_LAST : IBA_RC_READ_RESP_MIDDLE),
                       k);
                cr_assert_eq(bed.answer.payload_len, last ? lengths[i] - (unsigned)k * MTU : MTU);
                cr_assert_eq(memcmp(answer_data(&bed), bed.memory + k * MTU, bed.answer.payload_len), 0);
                cr_assert(!(first || last) || answer_msn(&bed) == 1);
            }
            expect_silence();
        }
        give_write(n, true);
        expect_syndrome(0x1f, n);
        cr_assert_eq(answer_msn(&bed), 2);
    }
}

/* RR-06: answers leave in the order of PSNs, even if a long READ is between them. */
Test(responder, answers_in_order)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_write(0, true);
    give_read(1, VA, 3 * MTU);
    give_write(4, true);
    give_add(5, 1);
    give_write(6, true);
    expect_syndrome(0x1f, 0);
    expect(IBA_RC_READ_RESP_FIRST, 1);
    expect(IBA_RC_READ_RESP_MIDDLE, 2);
    expect(IBA_RC_READ_RESP_LAST, 3);
    expect_syndrome(0x1f, 4);
    expect(IBA_RC_ATOMIC_ACKNOWLEDGE, 5);
    expect_syndrome(0x1f, 6);
    expect_silence();
}

/* A NAK that ends the connection leaves after the responses to earlier requests (RR-06, RR-58). */
Test(responder, last_words_in_order)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 2 * MTU);
    ask(&bed, 0x15, 2, 0);
    give(&bed);
    cr_assert_eq(bed.rc.state, IBA_QPS_ERR);
    expect(IBA_RC_READ_RESP_FIRST, 0);
    expect(IBA_RC_READ_RESP_LAST, 1);
    expect_syndrome(0x61, 2);
    expect_silence();
}

/* RR-60, RR-58: the QP has failed, and a READ before that then loses its memory. The READ ends with a NAK, and no other
 * response leaves. */
Test(responder, lost_read_is_the_last_word)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 2 * MTU);
    give_read(2, VA, 2 * MTU);
    ask(&bed, 0x15, 4, 0);
    give(&bed);
    cr_assert_eq(bed.rc.state, IBA_QPS_ERR);
    expect(IBA_RC_READ_RESP_FIRST, 0);
    cr_assert_eq(iba_mr_deregister(&bed.ca.mem, bed.lkey), IBA_MEM_OK);
    expect_syndrome(0x62, 1);
    expect_silence();
}

/* A QP without responder resources still has entries of its own, which suffice for any number of NAKs and ACKs: the
 * newest ones are sent. */
Test(responder, own_places_suffice)
{
    enum { GAPS = 20 };

    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.attr.max_dest_rd = 0;
    bed.rc.r.n_saved = 0;
    for (int i = 0; i < GAPS; i++) {
        give_write(i + 1, true);
        give_write(i, true);
        cr_assert(bed.rc.r.resp_count <= IBA_RESP_OWN);
    }
    ask(&bed, 0x15, GAPS, 0);
    give(&bed);
    cr_assert_eq(bed.rc.r.resp_count, 3);
    cr_assert(answer(&bed)); /* an older ACK */
    expect_syndrome(0x1f, GAPS - 1);
    expect_syndrome(0x61, GAPS);
    expect_silence();
}

/* Replays, READs and a NAK wait at once, and together with the ACKs between them need more entries than there are. None
 * of them is lost: only ACKs are dropped, because later responses acknowledge the same PSNs (RR-14). */
Test(responder, answers_keep_their_places)
{
    bed_make(&bed, IBA_PORT_IB, false);
    for (int i = 0; i < N_SAVED; i++) {
        give_read(i, VA, 8);
        expect(IBA_RC_READ_RESP_ONLY, i);
    }
    for (int i = 0; i < N_SAVED; i++)
        give_read(i, VA, 8);
    for (int i = N_SAVED; i < 3 * N_SAVED; i += 2) {
        give_write(i, true);
        give_read(i + 1, VA, 8);
    }
    give_write(3 * N_SAVED, true);
    give_write(3 * N_SAVED + 2, true);
    cr_assert_eq(bed.rc.r.resp_count, IBA_RESP_OWN + IBA_RESP_EACH * N_SAVED);
    iba_ca_check(&bed.ca);
    for (int i = 0; i < N_SAVED; i++)
        expect(IBA_RC_READ_RESP_ONLY, i);
    for (int i = N_SAVED + 1; i < 3 * N_SAVED - 1; i += 2)
        expect(IBA_RC_READ_RESP_ONLY, i);
    expect_syndrome(0x1f, 3 * N_SAVED - 2);
    expect(IBA_RC_READ_RESP_ONLY, 3 * N_SAVED - 1);
    expect_syndrome(0x1f, 3 * N_SAVED);
    expect_syndrome(0x60, 3 * N_SAVED + 1);
    expect_silence();
}

/* The responder takes as many READs at once as negotiated, up to the largest number (RR-35), and refuses one more. */
Test(responder, deepest)
{
    enum { DEEPEST = UINT8_MAX };
    static struct iba_saved saved[DEEPEST];

    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.r.saved = saved;
    bed.rc.r.n_saved = bed.rc.attr.max_dest_rd = DEEPEST;
    for (int i = 0; i < 2 * DEEPEST; i += 2) {
        give_write(i, true);
        give_read(i + 1, VA, 8);
    }
    cr_assert_eq(bed.rc.state, IBA_QPS_RTS);
    iba_ca_check(&bed.ca);
    give_read(2 * DEEPEST, VA, 8);
    cr_assert_eq(bed.rc.state, IBA_QPS_ERR);
    for (int i = 0; i < 2 * DEEPEST; i += 2) {
        expect_syndrome(0x1f, i);
        expect(IBA_RC_READ_RESP_ONLY, i + 1);
    }
    expect_syndrome(0x61, 2 * DEEPEST);
    expect_silence();
}

/* RR-09..RR-11: with an ACK delay one ACK answers several packets. A request with AckReq is acknowledged at once. */
Test(responder, acks_are_gathered)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.ack_delay = 3;
    for (int i = 0; i < 3; i++) {
        give_write(i, false);
        expect_silence();
    }
    give_write(3, false);
    expect_syndrome(0x1f, 3);
    give_write(4, true);
    give_write(5, true);
    expect_syndrome(0x1f, 5);
    expect_silence();
}

/* RR-19, WF-49: the credit code is the largest one that stands for no more receives than there are. */
Test(responder, credits)
{
    static const uint8_t code[] = {0, 1, 2, 3, 4, 4, 5, 5, 6};

    for (unsigned n = 0; n < COUNT(code); n++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rc.attr.flow_control = true;
        for (unsigned i = 0; i < n; i++)
            post(&bed, RC_QPN, 8);
        give_write(0, true);
        expect_syndrome(code[n], 0);
    }
    bed_make(&bed, IBA_PORT_IB, true); /* RR-20 */
    bed.rc.attr.flow_control = true;
    give_write(0, true);
    expect_syndrome(0x1f, 0);
}

/* WF-49: code 30 stands for 32768 receives, and also for any larger number. Code 31 stands for no number. */
Test(responder, credits_of_many)
{
    static const uint32_t codes[] = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                     48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                     2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.attr.flow_control = true;
    for (unsigned k = 0; k < COUNT(codes); k++) {
        cr_expect_eq(iba_responder_credit(&bed.rc, codes[k]), k);
        cr_expect_eq(iba_responder_credit(&bed.rc, k + 1 < COUNT(codes) ? codes[k + 1] - 1 : 0xfffffffe), k);
    }
    cr_expect_eq(iba_responder_credit(&bed.rc, IBA_NONE), 31);
    bed.rc.attr.flow_control = false;
    cr_expect_eq(iba_responder_credit(&bed.rc, 5), 31);
}

/* RR-23: a duplicate WRITE is acknowledged, and writes nothing. The ACK does not acknowledge a READ after the WRITE. */
Test(responder, duplicate_write)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_write(0, true);
    give_write(1, true);
    give_read(2, VA, 8);
    while (answer(&bed))
        ;
    memset(bed.memory, 0, 8);
    give_write(0, true);
    expect_syndrome(0x1f, 1);
    cr_assert_eq(answer_msn(&bed), 3);
    cr_assert_eq(cell(), 0);
}

/* RR-27: a duplicate READ returns the present data of the memory; RR-26: it is not longer than the first one. */
Test(responder, duplicate_read)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 8);
    expect(IBA_RC_READ_RESP_ONLY, 0);
    memset(bed.memory, 0x5a, 8);
    give_read(0, VA, 8);
    expect(IBA_RC_READ_RESP_ONLY, 0);
    cr_assert_eq(answer_data(&bed)[7], 0x5a);
    give_read(0, VA, 12);
    expect_silence();
    cr_assert_eq(bed.rc.state, IBA_QPS_RTS);
}

/* RR-28, RR-29, RR-48 */
Test(responder, duplicate_atomic)
{
    bed_make(&bed, IBA_PORT_IB, false);
    memset(bed.memory, 0xff, 8);
    for (int i = 0; i < N_SAVED; i++) {
        give_add(i, 1);
        expect(IBA_RC_ATOMIC_ACKNOWLEDGE, i);
        cr_assert_eq(origin(), (uint64_t)i - 1, "wraps at 2^64");
    }
    for (int i = 0; i < N_SAVED; i++) {
        give_add(i, 1);
        expect(IBA_RC_ATOMIC_ACKNOWLEDGE, i);
        cr_assert_eq(origin(), (uint64_t)i - 1);
    }
    cr_assert_eq(cell(), N_SAVED - 1);
    give_add(N_SAVED, 1);
    expect(IBA_RC_ATOMIC_ACKNOWLEDGE, N_SAVED);
    give_add(0, 1); /* forgotten */
    expect_silence();
    cr_assert_eq(cell(), N_SAVED);
}

Test(responder, compare_and_swap)
{
    bed_make(&bed, IBA_PORT_IB, false);
    memset(bed.memory, 0, 8);
    for (int i = 0; i < 3; i++) { /* 0 -> 7, then no match, then 7 -> 9 */
        ask(&bed, IBA_RC_CMP_SWAP, i, 0);
        iba_atomiceth_set_cmpdt(PART(&bed, atomiceth), i == 0 ? 0 : i == 1 ? 5 : 7);
        iba_atomiceth_set_swapdt(PART(&bed, atomiceth), i == 0 ? 7 : 9);
        give(&bed);
        expect(IBA_RC_ATOMIC_ACKNOWLEDGE, i);
        cr_assert_eq(origin(), i == 0 ? 0 : 7);
        cr_assert_eq(cell(), i == 2 ? 9 : 7);
    }
}

/* RR-32, RR-67 */
Test(responder, duplicate_atomic_write)
{
    bed_make(&bed, IBA_PORT_IB, false);
    for (int i = 0; i < 2; i++) {
        ask(&bed, IBA_RC_ATOMIC_WRITE, 0, 8);
        bed.r.payload = bed.payload + 8 * i;
        give(&bed);
        expect(IBA_RC_READ_RESP_ONLY, 0);
        cr_assert_eq(bed.answer.payload_len, 0);
        cr_assert_eq(memcmp(bed.memory, bed.payload, 8), 0);
    }
}

/* RR-30: the duplicate of an earlier READ is answered first, and the later READ is still answered in full. */
Test(responder, earlier_duplicate_goes_first)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 2 * MTU);
    expect(IBA_RC_READ_RESP_FIRST, 0);
    expect(IBA_RC_READ_RESP_LAST, 1);
    give_read(2, VA, 3 * MTU);
    expect(IBA_RC_READ_RESP_FIRST, 2);
    give_read(0, VA, 2 * MTU);
    give_read(2, VA, 3 * MTU); /* restarts a READ that was half sent */
    expect(IBA_RC_READ_RESP_FIRST, 0);
    expect(IBA_RC_READ_RESP_LAST, 1);
    expect(IBA_RC_READ_RESP_FIRST, 2);
    expect(IBA_RC_READ_RESP_MIDDLE, 3);
    expect(IBA_RC_READ_RESP_LAST, 4);
    expect_silence();
}

/* RR-40, C9-88: a WRITE or READ of no bytes needs no key. */
Test(responder, zero_length_needs_no_key)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 0);
    iba_reth_set_r_key(PART(&bed, reth), 12345);
    give(&bed);
    expect_syndrome(0x1f, 0);
    ask(&bed, IBA_RC_READ_REQUEST, 1, 0);
    iba_reth_set_r_key(PART(&bed, reth), 12345);
    give(&bed);
    expect(IBA_RC_READ_RESP_ONLY, 1);
}

/* RR-42: the range of a WRITE ends one byte beyond the region, so no byte of the first packet is stored. */
Test(responder, write_is_checked_whole)
{
    bed_make(&bed, IBA_PORT_IB, false);
    memset(bed.memory, 0, MEMORY);
    ask(&bed, IBA_RC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(&bed, reth), MEMORY + 1);
    give(&bed);
    expect_syndrome(0x62, 0);
    cr_assert_eq(cell(), 0);
}

/* QS-57: a key becomes invalid in the middle of a message. RR-59: if a receive is in use, it completes in error. */
Test(responder, key_goes_under_a_write)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(&bed, reth), 2 * MTU);
    give(&bed);
    expect_syndrome(0x1f, 0);
    MUST(iba_mr_deregister(&bed.ca.mem, bed.lkey));
    ask(&bed, IBA_RC_WRITE_LAST, 1, MTU);
    give(&bed);
    expect_syndrome(0x62, 1);
}

/* RR-60: memory becomes invalid while a READ is answered. When only a page is absent, the response waits. */
Test(responder, memory_goes_under_a_read)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.present = 3;
    region(&bed, ALL_RIGHTS | IBA_ACCESS_ON_DEMAND, bed.pd, &bed.lkey, &bed.rkey);
    give_read(0, VA + IBA_MEM_PAGE - MTU, 2 * MTU);
    expect(IBA_RC_READ_RESP_FIRST, 0);
    bed.present = 1;
    expect_silence();
    bed.present = 3;
    MUST(iba_mr_deregister(&bed.ca.mem, bed.lkey));
    expect_syndrome(0x62, 1);
    cr_assert_eq(bed.rc.state, IBA_QPS_ERR);
}

/* A SEND over three buffers and three packets; then a SEND that is too long: nothing is written after the buffers
 * (RR-38). */
Test(responder, send_scatters)
{
    struct iba_recv_wr w = {.wr_id = 5, .n_sge = 3};

    bed_make(&bed, IBA_PORT_IB, false);
    for (unsigned i = 0; i < 3; i++)
        w.sge[i] = (struct iba_sge){.addr = VA + 1000 * i, .length = 200, .lkey = bed.lkey};
    for (int round = 0; round < 2; round++) {
        const int at = 3 * round;
        MUST(iba_post_recv(&bed.ca, RC_QPN, &w));
        ask(&bed, IBA_RC_SEND_FIRST, at, MTU);
        give(&bed);
        ask(&bed, IBA_RC_SEND_MIDDLE, at + 1, MTU);
        bed.r.payload = bed.payload + MTU;
        give(&bed);
        ask(&bed, IBA_RC_SEND_LAST_IMM, at + 2, round == 0 ? 88 : 89);
        bed.r.payload = bed.payload + 2 * MTU;
        iba_bth_set_se(PART(&bed, bth), 1);
        give(&bed);
        const struct iba_wc wc = completion(&bed);
        cr_assert_eq(wc.status, round == 0 ? IBA_WC_SUCCESS : IBA_WC_LOCAL_LENGTH);
        if (round == 0) {
            cr_assert_eq(wc.byte_len, 600);
            cr_assert_eq(wc.imm_or_key, 0x01020304);
            cr_assert_eq(wc.flags, IBA_WC_WITH_IMM | IBA_WC_SOLICITED);
        }
        for (unsigned i = 0; i < (round == 0 ? 3u : 2u); i++)
            cr_assert_eq(memcmp(bed.memory + 1000 * i, bed.payload + 200 * i, 200), 0);
        while (answer(&bed))
            ;
    }
    cr_assert_eq(answer_syndrome(&bed), 0x61);
}

/* RR-53: only the last packet takes the WQE, and the completion has the length of the whole message. */
Test(responder, write_with_immediate)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(&bed, reth), MTU + 8);
    give(&bed);
    expect_syndrome(0x1f, 0);
    for (int round = 0; round < 2; round++) {
        ask(&bed, IBA_RC_WRITE_LAST_IMM, 1, 8);
        give(&bed);
        expect_syndrome(round == 0 ? 0x20 | 13 : 0x1f, 1);
        if (round == 0)
            post(&bed, RC_QPN, 0);
    }
    const struct iba_wc wc = completion(&bed);
    cr_assert_eq(wc.op, IBA_WR_RECV_WRITE_IMM);
    cr_assert_eq(wc.byte_len, MTU + 8);
}

/* RR-54, RR-55 */
Test(responder, send_with_invalidate)
{
    for (int good = 0; good < 2; good++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post(&bed, RC_QPN, 64);
        ask(&bed, IBA_RC_SEND_ONLY_INV, 0, 8);
        iba_ieth_set_r_key(PART(&bed, ieth), good ? bed.rkey : bed.rkey ^ 1);
        give(&bed);
        const struct iba_wc wc = completion(&bed);
        cr_assert_eq(wc.status, good ? IBA_WC_SUCCESS : IBA_WC_MW_BIND);
        cr_assert_eq(bed.rc.state, good ? IBA_QPS_RTS : IBA_QPS_ERR);
        if (!good) {
            cr_assert(!answer(&bed), "no response reports success");
            continue;
        }
        expect_syndrome(0x1f, 0);
        cr_assert_eq(answer_msn(&bed), 1);
        cr_assert_eq(wc.imm_or_key, bed.rkey);
        give_write(1, true);
        expect_syndrome(0x62, 1);
    }
}

/* With any stream of requests the adapter's invariants are true, and memory outside of the region is unchanged. */
Test(responder, survives_anything)
{
    uint64_t seed = 7;

    for (int round = 0; round < 300; round++) {
        bed_make(&bed, IBA_PORT_IB, round % 2);
        for (int i = 0; i < 40; i++) {
            const uint64_t dice = rnd(&seed);
            ask(&bed, (uint8_t)(dice & 0x1f),
                (int)(bed.rc.r.epsn.v - EPSN) + (dice >> 8 & 7 ? 0 : (int)(dice >> 12 & 7) - 4),
                (dice >> 16 & 3) == 0 ? MTU : dice >> 20 & 0x3f);
            if (HAS(&bed, reth))
                iba_reth_set_dmalen(PART(&bed, reth), (dice >> 28 & 3) == 0 ? 3 * MTU : dice >> 32 & 0x3ff);
            if ((dice >> 44 & 1) && !(i & 3) && round % 2 == 0 && bed.rc.rq.count < N_RQ)
                post(&bed, RC_QPN, dice >> 46 & 0x3ff);
            give(&bed);
            if (dice >> 60 & 1)
                answer(&bed);
            iba_ca_check(&bed.ca);
            cr_assert(bed.rc.r.resp_count <= IBA_RESP_OWN + IBA_RESP_EACH * N_SAVED);
        }
        while (answer(&bed))
            ;
    }
}

/* RR-24: a duplicate that is malformed in any way is dropped by one row, also a READ of more than 2^31 bytes. */
Test(responder, a_duplicate_read_that_is_too_long)
{
    static const uint32_t lengths[] = {UINT32_C(0x80000001), UINT32_MAX};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
        give(&bed);
        cr_assert(answer(&bed));
        ask(&bed, IBA_RC_READ_REQUEST, 0, 0);
        iba_reth_set_dmalen(PART(&bed, reth), lengths[i]);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "malformed_again"), 1, "%u bytes", lengths[i]);
        cr_expect_not(answer(&bed));
    }
}
