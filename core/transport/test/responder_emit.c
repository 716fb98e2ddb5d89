/* SPDX-License-Identifier: BSD-2-Clause */
/* The RC responder's answers: their queue, their packets, what is remembered for duplicates, and which memory a request
 * may use. */
#include "rc_answers.h"
#include "transport/iba_responder.h"
#include "wire/iba_opcode_rows.h"

enum { CREDITS = 0x1f, NAK_SEQ = 0x60, NAK_INV = 0x61, NAK_ACC = 0x62, RNR_NAK = 0x20 | 13 };

/* ---- the queue ---- */

static struct iba_resp waiting(uint8_t kind, uint32_t psn)
{
    return (struct iba_resp){.kind = kind, .psn = iba_psn_of(psn), .left = kind == IBA_RESP_READ ? 2 * MTU + 1 : 0};
}

/* Fills the queue of the QP with these responses: their kinds and PSNs. */
static void queue_of(const uint8_t *kinds, const uint32_t *psns, size_t n)
{
    bed_make(&bed, IBA_PORT_IB, false);
    for (size_t i = 0; i < n; i++) {
        const struct iba_resp r = waiting(kinds[i], psns[i]);
        iba_resp_put(&bed.rc, &r);
    }
}

static const struct iba_resp *in_queue(unsigned i)
{
    const unsigned beyond = i - IBA_RESP_OWN;

    return i < IBA_RESP_OWN ? &bed.rc.r.resp[i] : &bed.saved[beyond / IBA_RESP_EACH].resp[beyond % IBA_RESP_EACH];
}

static void is_queue(const char *what, const uint32_t *psns, size_t n)
{
    EXPECT(bed.rc.r.resp_count == n, "%s: %u responses", what, bed.rc.r.resp_count);
    for (unsigned i = 0; i < n && i < bed.rc.r.resp_count; i++)
        EXPECT(in_queue(i)->psn.v == psns[i], "%s: %u is at PSN %u", what, i, in_queue(i)->psn.v);
}

enum { ACK = IBA_RESP_ACK, NAK = IBA_RESP_NAK, READ = IBA_RESP_READ, ATOMIC = IBA_RESP_ATOMIC };

/* A READ of three packets at PSN 12 replaces the answers inside of it, and no others (RR-30). An ACK replaces the ACK
 * just before it (RR-14), a NAK the same NAK (RR-04). */
Test(responder_emit, what_a_response_replaces)
{
    static const struct {
        const char *what;
        uint8_t kinds[5], kind;
        uint32_t psns[5], psn, left[6];
        uint8_t n, n_left;
    } cases[] = {
        {"READ before an ATOMIC inside", {ATOMIC}, READ, {13}, 12, {12}, 1, 1},
        {"READ at an ATOMIC", {ATOMIC}, READ, {12}, 12, {12}, 1, 1},
        {"READ whose last packet is an ATOMIC", {ATOMIC}, READ, {14}, 12, {12}, 1, 1},
        {"READ before an ATOMIC", {ATOMIC}, READ, {15}, 12, {12, 15}, 1, 2},
        {"READ after an ATOMIC", {ATOMIC}, READ, {11}, 12, {11, 12}, 1, 2},
        {"READ before a READ inside", {READ}, READ, {14}, 12, {12}, 1, 1},
        {"READ after a READ", {READ}, READ, {9}, 12, {9, 12}, 1, 2},
        {"READ at an ACK and a NAK", {ACK, NAK}, READ, {12, 13}, 12, {12, 12, 13}, 2, 3},
        {"READ at many", {ATOMIC, ATOMIC, ATOMIC, ATOMIC}, READ, {11, 12, 13, 15}, 12, {11, 12, 15}, 4, 3},
        {"ATOMIC inside a READ", {READ}, ATOMIC, {12}, 13, {12, 13}, 1, 2},
        {"ACK after an ACK", {ACK}, ACK, {12}, 14, {14}, 1, 1},
        {"ACK before an ACK", {ACK}, ACK, {12}, 11, {11, 12}, 1, 2},
        {"ACK after an ACK and an ATOMIC", {ACK, ATOMIC}, ACK, {12, 13}, 14, {12, 13, 14}, 2, 3},
        {"ACK between two", {ACK, ATOMIC}, ACK, {12, 15}, 14, {14, 15}, 2, 2},
        {"NAK at a NAK", {NAK}, NAK, {12}, 12, {12}, 1, 1},
        {"NAK after a NAK", {NAK}, NAK, {11}, 12, {11, 12}, 1, 2},
        {"NAK at an ACK", {ACK}, NAK, {12}, 12, {12, 12}, 1, 2},
        {"NAK at a READ", {READ}, NAK, {12}, 12, {12, 12}, 1, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct iba_resp r = waiting(cases[i].kind, cases[i].psn);
        queue_of(cases[i].kinds, cases[i].psns, cases[i].n);
        iba_resp_put(&bed.rc, &r);
        is_queue(cases[i].what, cases[i].left, cases[i].n_left);
    }
}

/* A response with the PSN of others leaves after them. */
Test(responder_emit, equal_psns_keep_their_order)
{
    queue_of((const uint8_t[]){ACK, NAK}, (const uint32_t[]){12, 12}, 2);
    cr_expect(in_queue(0)->kind == ACK && in_queue(1)->kind == NAK);
}

/* A full queue of 3 + 2n responses loses an outdated NAK, or else its oldest ACK. A NAK of the expected PSN stays. Of a
 * queue without either, which only a broken device has, the new response is lost. */
Test(responder_emit, full_queue)
{
    enum { FULL_QUEUE = IBA_RESP_OWN + IBA_RESP_EACH * N_SAVED };
    static const struct {
        uint8_t first, second;
        uint32_t epsn;
        bool one, two, added;
    } cases[] = {
        {ACK, NAK, 2, true, false, true},       {ACK, NAK, 1, false, true, true},   {NAK, ACK, 1, false, true, true},
        {NAK, ACK, 0, true, false, true},       {ACK, ACK, 9, false, true, true},   {ATOMIC, ACK, 9, true, false, true},
        {ATOMIC, ATOMIC, 9, true, true, false}, {NAK, NAK, 9, false, true, true},   {NAK, NAK, 1, false, true, true},
        {ATOMIC, NAK, 1, true, true, false},    {NAK, ATOMIC, 0, true, true, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        for (unsigned k = 0; k < FULL_QUEUE; k++) { /* ATOMICs are between the first two */
            const uint8_t kind = k == 0 ? cases[i].first : k == 2 ? cases[i].second : ATOMIC;
            const struct iba_resp r = waiting(kind, k == 0 ? 0 : k == 2 ? 1 : k == 1 ? 0 : k);
            iba_resp_put(&bed.rc, &r);
        }
        bed.rc.r.epsn = iba_psn_of(cases[i].epsn);
        const struct iba_resp r = waiting(ATOMIC, 100);
        iba_resp_put(&bed.rc, &r);
        EXPECT(bed.rc.r.resp_count == FULL_QUEUE, "case %zu: %u", i, bed.rc.r.resp_count);
        EXPECT((in_queue(0)->kind == cases[i].first && in_queue(1)->psn.v == 0) == cases[i].one, "case %zu: first", i);
        bool second = false;
        for (unsigned k = 0; k < FULL_QUEUE; k++)
            second = second || (in_queue(k)->psn.v == 1 && in_queue(k)->kind == cases[i].second);
        EXPECT(second == cases[i].two, "case %zu: second", i);
        EXPECT((in_queue(FULL_QUEUE - 1)->psn.v == 100) == cases[i].added, "case %zu: last", i);
    }
}

/* RR-30: an answer waits for each PSN of a READ, and for that of an ATOMIC, but no ACK or NAK does. */
Test(responder_emit, what_waits)
{
    static const bool waits[] = {false, false, true, true, true, false, false, true, false, false};

    queue_of((const uint8_t[]){ACK, READ, ATOMIC, NAK}, (const uint32_t[]){11, 12, 17, 18}, 4);
    for (unsigned i = 0; i < COUNT(waits); i++)
        cr_expect_eq(iba_resp_waits(&bed.rc, iba_psn_of(10 + i)), waits[i], "PSN %u", 10 + i);
    cr_expect_eq(iba_resp_open(&bed.rc), 2);
    cr_expect_eq(iba_resp_again(&bed.rc), 0);
    const struct iba_resp again = {.kind = ATOMIC, .replay = true, .psn = iba_psn_of(30)};
    iba_resp_put(&bed.rc, &again);
    cr_expect_eq(iba_resp_open(&bed.rc), 2);
    cr_expect_eq(iba_resp_again(&bed.rc), 1);
}

/* The last two entries of each kind are used; more than 255 resources are of no use (max_dest_rd has 8 bits). */
Test(responder_emit, length_of_the_queue)
{
    static const uint32_t most[][2] = {{0, 3}, {1, 5}, {4, 11}, {254, 511}, {255, 513}, {256, 513}, {1000, 513}};

    bed_make(&bed, IBA_PORT_IB, false);
    for (size_t i = 0; i < COUNT(most); i++) {
        bed.rc.r.n_saved = most[i][0];
        cr_expect_eq(iba_resp_most(&bed.rc), most[i][1], "%u", most[i][0]);
    }
}

/* ---- packets ---- */

/* RR-12, RR-15, WF-30: the fields of the BTH come from the QP. */
Test(responder_emit, header_of_answers)
{
    static const struct {
        uint8_t index, mig;
        uint16_t pkey;
        bool m;
    } cases[] = {
        {0, IBA_PATH_MIGRATED, 0xffff, true}, {1, IBA_PATH_REARM, 0x8005, false}, {1, IBA_PATH_ARMED, 0x8005, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rc.attr.pkey_index = cases[i].index;
        bed.rc.becn_due = true;
        for (int k = 0; k < 2; k++) {
            ask(&bed, IBA_RC_WRITE_ONLY, k, 8);
            iba_bth_set_p_key(PART(&bed, bth), cases[i].pkey);
            iba_bth_set_m(PART(&bed, bth), 0);
            give(&bed);
            bed.rc.attr.path_mig = cases[i].mig;
            expect_syndrome(CREDITS, k);
            const uint8_t *bth = iba_view_bth(&bed.answer);
            EXPECT(iba_bth_p_key(bth) == cases[i].pkey && iba_bth_m(bth) == cases[i].m, "case %zu", i);
            EXPECT(iba_bth_becn(bth) == (k == 0), "case %zu: BECN once (WF-82)", i);
            EXPECT(iba_bth_destqp(bth) == PEER_QPN && !iba_bth_fecn(bth) && !iba_bth_a(bth), "case %zu", i);
        }
    }
}

/* RR-22: software posts receives after an ACK without credits. The responder then repeats its last ACK with the new
 * credits, once. The receive of an unfinished SEND counts as a credit (RR-19). */
Test(responder_emit, credits_are_granted)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.ack_delay = 2;
    bed.rc.attr.flow_control = true;
    give_write(0, true);
    expect_syndrome(0, 0);
    expect_silence();
    give_write(1, false);
    expect_silence();
    post(&bed, RC_QPN, FULL);
    post(&bed, RC_QPN, FULL);
    expect_syndrome(2, 1);
    cr_expect_eq(answer_msn(&bed), 2);
    expect_silence();
    give_write(2, false); /* the repeated ACK also counts for the ACK delay (RR-11) */
    give_write(3, false);
    expect_silence();
    give_write(4, false);
    expect_syndrome(2, 4);
    ask(&bed, IBA_RC_SEND_FIRST, 5, MTU);
    give(&bed);
    expect_syndrome(2, 5);
    ask(&bed, IBA_RC_SEND_LAST, 6, 8);
    give(&bed);
    expect_syndrome(1, 6);
    expect_silence();
}

/* A QP that has announced credits, or that has none to announce, grants nothing by itself. */
Test(responder_emit, no_grant)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.attr.flow_control = true;
    post(&bed, RC_QPN, 8);
    give_write(0, true);
    expect_syndrome(1, 0);
    post(&bed, RC_QPN, 8);
    expect_silence();
    bed.rc.attr.flow_control = false;
    bed_make(&bed, IBA_PORT_IB, false);
    give_write(0, true);
    expect_syndrome(CREDITS, 0);
    post(&bed, RC_QPN, 8);
    expect_silence();
}

/* RR-61: the padding of a READ response is of zero bytes. ATOMICs and READs announce credits, too. */
Test(responder_emit, padding_and_credits_of_responses)
{
    for (uint32_t n = 1; n <= 8; n++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rc.attr.flow_control = true;
        for (unsigned i = 0; i < n; i++)
            post(&bed, RC_QPN, 8);
        give_read(0, VA, n);
        expect(IBA_RC_READ_RESP_ONLY, 0);
        const uint32_t pad = (uint32_t)(-(int32_t)n & 3);
        cr_expect_eq(iba_bth_padcnt(iba_view_bth(&bed.answer)), pad);
        cr_expect_eq(bed.answer.payload_len, n);
        for (uint32_t i = 0; i < pad; i++)
            cr_expect_eq(answer_data(&bed)[n + i], 0, "pad of %u bytes", n);
        cr_expect(n > 4 || answer_syndrome(&bed) == n);
        ask(&bed, IBA_RC_FETCH_ADD, 1, 0);
        give(&bed);
        expect(IBA_RC_ATOMIC_ACKNOWLEDGE, 1);
        cr_expect(n > 4 || answer_syndrome(&bed) == n);
    }
}

/* RO-42: a CNP is the first packet to leave. Each port counts its own. */
Test(responder_emit, cnp)
{
    for (int ib = 0; ib < 2; ib++) {
        bed_make(&bed, ib ? IBA_PORT_IB : IBA_PORT_ROCE2, false);
        give_write(0, true);
        bed.rc.cnp_due = true;
        bed.rc.attr.path_mig = IBA_PATH_MIGRATED;
        cr_assert(answer(&bed));
        const uint8_t *bth = iba_view_bth(&bed.answer);
        cr_expect_eq(answer_opcode(&bed), ib ? IBA_CNP_IB : IBA_CNP_ROCE);
        cr_expect(answer_psn(&bed) == 0 && !iba_bth_m(bth) && iba_bth_becn(bth) == ib && !bed.rc.cnp_due);
        cr_expect_eq(iba_bth_destqp(bth), PEER_QPN);
        cr_expect(bed.ca.port[0].counters.cnp_out == 1 && bed.ca.port[1].counters.cnp_out == 0);
        if (ib)
            expect_syndrome(CREDITS, 0);
        expect_silence();
    }
}

/* RR-60, RR-59: a READ loses its memory. A working QP reports that by an event. One that had failed before has reported
 * its fault already. */
Test(responder_emit, a_lost_read_is_reported_once)
{
    for (int failed = 0; failed < 2; failed++) {
        bed_make(&bed, IBA_PORT_IB, false);
        give_read(0, VA, 2 * MTU);
        if (failed) {
            ask(&bed, 0x15, 2, 8);
            give(&bed);
        }
        expect(IBA_RC_READ_RESP_FIRST, 0);
        memset(bed.events, 0, sizeof bed.events);
        MUST(iba_mr_deregister(&bed.ca.mem, bed.lkey));
        expect_syndrome(NAK_ACC, 1);
        cr_expect_eq(answer_msn(&bed), 1);
        cr_expect_eq(bed.events[IBA_EVENT_WQ_ACCESS_VIOLATION], !failed);
        cr_expect(bed.last_event.object == RC_QPN && bed.last_event.port == 1);
        cr_expect_eq(bed.rc.state, IBA_QPS_ERR);
        expect_silence();
    }
}

/* ---- what is remembered ---- */

/* RR-35, RR-29: as many READs may be open as were agreed, and as there are resources. As many are remembered. */
Test(responder_emit, depth)
{
    static const unsigned cases[][2] = {{2, 4}, {1, 4}, {3, 3}, {0, 4}, {0, 0}, {1, 1}};

    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.r.n_saved = 2; /* only a broken device has agreed on more than it has */
    cr_expect_eq(iba_saved_depth(&bed.rc), 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const unsigned depth = cases[i][0];
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rc.attr.max_dest_rd = (uint8_t)depth;
        bed.rc.r.n_saved = cases[i][1];
        cr_expect_eq(iba_saved_depth(&bed.rc), depth);
        for (unsigned k = 0; k < 3 * depth; k++) { /* one at a time: the last `depth` can be repeated */
            give_read((int)k, VA, 8);
            expect(IBA_RC_READ_RESP_ONLY, (int)k);
        }
        for (unsigned k = 0; k < 3 * depth; k++) {
            give_read((int)k, VA, 8);
            EXPECT(answer(&bed) == (k >= 2 * depth), "case %zu, READ %u", i, k);
        }
        for (unsigned k = 0; k <= depth; k++) {
            EXPECT(bed.rc.state == IBA_QPS_RTS, "case %zu, READ %u", i, k);
            give_read((int)(3 * depth + k), VA, 8);
        }
        EXPECT(bed.rc.state == IBA_QPS_ERR, "case %zu", i);
    }
}

/* A broken device that has no resources and accepts a READ answers it, and remembers nothing. */
Test(responder_emit, no_place_to_remember)
{
    struct iba_changed_rules c;

    bed_make(&bed, IBA_PORT_IB, false);
    lack(&bed, IBA_TABLE_RC_RESPONDER, "depth_exceeded", &c);
    bed.rc.attr.max_dest_rd = 0;
    give_read(0, VA, 8);
    expect(IBA_RC_READ_RESP_ONLY, 0);
    give_read(0, VA, 8);
    expect_silence();
}

/* RR-26, RR-28: only a request of the same kind at a remembered PSN is a duplicate. Others are ignored. */
Test(responder_emit, what_is_no_duplicate)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 2 * MTU); /* PSNs 0 and 1 */
    give_write(2, true);
    ask(&bed, IBA_RC_FETCH_ADD, 3, 0);
    give(&bed);
    give_write(4, true);
    while (answer(&bed))
        ;
    static const struct {
        uint8_t opcode;
        int8_t ahead, va; /* va: packets after the first byte */
        uint16_t length;
        bool answered;
    } cases[] = {
        {IBA_RC_READ_REQUEST, 0, 0, 2 * MTU, true},
        {IBA_RC_READ_REQUEST, 1, 1, MTU, true},
        {IBA_RC_READ_REQUEST, 2, 2, 0, false},       /* beyond its last packet */
        {IBA_RC_READ_REQUEST, 1, 0, MTU, false},     /* from another address */
        {IBA_RC_READ_REQUEST, 1, 1, MTU - 1, false}, /* shorter */
        {IBA_RC_READ_REQUEST, 0, 0, MTU, false},
        {IBA_RC_READ_REQUEST, -1, -1, 3 * MTU, false}, /* before it */
        {IBA_RC_READ_REQUEST, 3, 3, 0, false},
        {IBA_RC_FETCH_ADD, 3, 0, 0, true},
        {IBA_RC_FETCH_ADD, 2, 0, 0, false},
        {IBA_RC_FETCH_ADD, 4, 0, 0, false},
        {IBA_RC_FETCH_ADD, 0, 0, 0, false},
        {IBA_RC_CMP_SWAP, 3, 0, 0, false},
        {IBA_RC_FLUSH, 3, 0, 0, false},
        {0x15, 2, 0, 0, false}, /* a reserved opcode (RR-24) */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ask(&bed, cases[i].opcode, cases[i].ahead, 0);
        if (HAS(&bed, reth)) {
            iba_reth_set_dmalen(PART(&bed, reth), cases[i].length);
            iba_reth_set_va(PART(&bed, reth), (uint64_t)(VA + cases[i].va * (int64_t)MTU));
        }
        give(&bed);
        EXPECT(answer(&bed) == cases[i].answered, "case %zu", i);
        while (answer(&bed))
            ;
        EXPECT(bed.rc.state == IBA_QPS_RTS, "case %zu", i);
    }
}

/* RR-26: a READ is repeated from its first PSN while all replays wait, one of them for its second packet. There is an
 * entry for it, and it replaces that one. RR-25: a READ of no bytes has no address. */
Test(responder_emit, a_replay_more)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_read(0, VA, 2 * MTU);
    for (int i = 1; i < N_SAVED; i++)
        give_read(i + 1, VA, 0);
    while (answer(&bed))
        ;
    give_read(1, VA + MTU, MTU);
    for (int i = 1; i < N_SAVED; i++)
        give_read(i + 1, VA + 8, 0);
    cr_assert_eq(iba_resp_again(&bed.rc), N_SAVED);
    give_read(0, VA, 2 * MTU);
    cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "read_again"), 1);
    expect(IBA_RC_READ_RESP_FIRST, 0);
    expect(IBA_RC_READ_RESP_LAST, 1);
    for (int i = 1; i < N_SAVED; i++)
        expect(IBA_RC_READ_RESP_ONLY, i + 1);
    expect_silence();
}

/* RR-23, RR-30: a WRITE with the PSN of a READ whose response waits is acknowledged as any duplicate. */
Test(responder_emit, a_write_at_a_waiting_read)
{
    bed_make(&bed, IBA_PORT_IB, false);
    give_write(0, true);
    give_read(1, VA, 2 * MTU);
    give_write(2, true);
    cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "duplicate"), 1);
}

/* RR-23: the ACK of a duplicate SEND or WRITE acknowledges neither a READ nor an ATOMIC after it, in whatever order
 * they are remembered. One before it does not count. */
Test(responder_emit, ack_of_a_duplicate)
{
    static const bool reads[] = {true, false, true, false, true, false, false, true, false, false};
    static const int acked[] = {-1, 1, -1, 3, -1, 6, 6, -1, 9, 9};

    bed_make(&bed, IBA_PORT_IB, false);
    for (int i = 0; i < (int)COUNT(reads); i++)
        if (reads[i])
            give_read(i, VA, 8);
        else
            give_write(i, true);
    while (answer(&bed))
        ;
    for (int i = 0; i < (int)COUNT(reads); i++) {
        if (reads[i])
            continue;
        give_write(i, true);
        expect_syndrome(CREDITS, acked[i]);
        cr_expect_eq(answer_msn(&bed), COUNT(reads));
    }
    bed_make(&bed, IBA_PORT_IB, false); /* no READ at all: the last PSN */
    give_write(0, true);
    give_write(1, true);
    while (answer(&bed))
        ;
    give_write(0, true);
    expect_syndrome(CREDITS, 1);
}

/* RR-09, RR-11: a response to a READ or ATOMIC acknowledges all before it, so the ACK delay counts from there. */
Test(responder_emit, responses_count_for_the_ack_delay)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.ack_delay = 2;
    give_write(0, false);
    give_write(1, false);
    give_read(2, VA, 2 * MTU + 1);
    for (int i = 2; i < 5; i++)
        cr_assert(answer(&bed));
    give_write(5, false);
    give_write(6, false);
    expect_silence();
    ask(&bed, IBA_RC_FETCH_ADD, 7, 0);
    give(&bed);
    expect(IBA_RC_ATOMIC_ACKNOWLEDGE, 7);
    give_write(8, false);
    give_write(9, false);
    expect_silence();
    give_write(10, false);
    expect_syndrome(CREDITS, 10);
    bed_make(&bed, IBA_PORT_IB, false); /* a read of three packets, and one write more than the delay */
    bed.ca.ack_delay = 2;
    give_read(0, VA, 2 * MTU + 1);
    for (int i = 0; i < 3; i++)
        cr_assert(answer(&bed));
    give_write(3, false);
    give_write(4, false);
    expect_silence();
    give_write(5, false);
    expect_syndrome(CREDITS, 5);
}

/* ---- a new life ---- */

/* A QP that has been reset remembers nothing of its earlier connection, and counts messages from 0 again (QS-17). */
Test(responder_emit, a_new_connection_is_new)
{
    for (uint32_t n = 1; n <= N_SAVED; n += 3) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rc.attr.max_dest_rd = (uint8_t)n;
        bed.rc.r.n_saved = n;
        for (uint32_t i = 0; i < n; i++) {
            ask(&bed, IBA_RC_FETCH_ADD, (int)i, 0);
            give(&bed);
            expect(IBA_RC_ATOMIC_ACKNOWLEDGE, (int)i);
        }
        give_write((int)n + 1, true); /* a gap */
        bed.rc.cnp_due = bed.rc.becn_due = true;
        const struct iba_qp_attr reset = {.state = IBA_QPS_RESET};
        MUST(iba_modify_qp(&bed.ca, RC_QPN, &reset, IBA_QPA_STATE));
        cr_expect(!bed.rc.cnp_due && !bed.rc.becn_due && bed.rc.r.n_saved == n && bed.rc.r.saved == bed.saved);
        bed.rc.r.n_saved = N_SAVED;
        to_rts(&bed, RC_QPN, IBA_QPT_RC);
        expect_silence();
        for (uint32_t i = 0; i < n; i++) {
            give_write((int)i, true);
            expect_syndrome(CREDITS, (int)i);
            cr_expect_eq(answer_msn(&bed), i + 1);
        }
        for (uint32_t i = 0; i < n; i++) {
            ask(&bed, IBA_RC_FETCH_ADD, (int)i, 0);
            give(&bed);
            expect_silence();
        }
    }
}

/* RR-23: after a reset no READ of the earlier connection ends what an ACK acknowledges, wherever the PSNs begin. */
Test(responder_emit, earlier_reads_end_no_ack)
{
    static const uint32_t starts[] = {EPSN, 0, 0x010100};
    const struct iba_qp_attr reset = {.state = IBA_QPS_RESET};

    for (size_t i = 0; i < COUNT(starts); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        for (int k = 0; k < N_SAVED; k++)
            give_read(k, VA, 8);
        MUST(iba_modify_qp(&bed.ca, RC_QPN, &reset, IBA_QPA_STATE));
        to_rts(&bed, RC_QPN, IBA_QPT_RC);
        bed.rc.r.epsn = iba_psn_of(starts[i]);
        for (uint32_t k = 0; k < 4; k++) { /* three WRITEs, and the first one again */
            ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
            iba_bth_set_psn(PART(&bed, bth), (starts[i] + k % 3) & IBA_PSN_MASK);
            give(&bed);
        }
        while (answer(&bed))
            cr_expect_eq(answer_psn(&bed), (starts[i] + 2) & IBA_PSN_MASK);
    }
}

/* RR-16: the MSN has 24 bits, as PSNs do. */
Test(responder_emit, msn_wraps)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.r.msn = IBA_PSN_MASK - 1;
    for (uint32_t i = 0; i < 3; i++) {
        give_write((int)i, true);
        expect_syndrome(CREDITS, (int)i);
        cr_expect_eq(answer_msn(&bed), (IBA_PSN_MASK + i) & IBA_PSN_MASK);
    }
}
