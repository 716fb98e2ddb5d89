/* SPDX-License-Identifier: BSD-2-Clause */
/* Which memory a request of a reliable service may use: rights, bounds, protection domains and windows of each
 * operation, and what a device stores that lacks a check. In which states responses leave. */
#include "receive.h"
#include "transport/iba_responder.h"
#include "wire/iba_opcode_rows.h"
#include "xrc_rd_requests.h"

static struct bed bed;

enum { NONE = 0, CREDITS = 0x1f, RNR_NAK = 0x20 | 13, NAK_INV = 0x61, NAK_ACC = 0x62 };

static const struct operation {
    const char *name;
    uint8_t opcode, placement, payload, length;
    uint16_t rights;
} operations[] = {
    {"READ", IBA_RC_READ_REQUEST, 0, 0, 16, IBA_ACCESS_REMOTE_READ},
    {"WRITE", IBA_RC_WRITE_ONLY, 0, 16, 16, IBA_ACCESS_REMOTE_WRITE},
    {"Compare and Swap", IBA_RC_CMP_SWAP, 0, 0, 8, IBA_ACCESS_REMOTE_ATOMIC},
    {"Fetch and Add", IBA_RC_FETCH_ADD, 0, 0, 8, IBA_ACCESS_REMOTE_ATOMIC},
    {"FLUSH to visibility", IBA_RC_FLUSH, 1, 0, 16, IBA_ACCESS_FLUSH_GLOBAL},
    {"FLUSH to persistence", IBA_RC_FLUSH, 2, 0, 16, IBA_ACCESS_FLUSH_PERSISTENT},
    {"FLUSH to both", IBA_RC_FLUSH, 3, 0, 16, IBA_ACCESS_FLUSH_GLOBAL | IBA_ACCESS_FLUSH_PERSISTENT},
    {"ATOMIC WRITE", IBA_RC_ATOMIC_WRITE, 0, 8, 8, IBA_ACCESS_REMOTE_WRITE},
};

/* Gives the device the operation on the bytes at `va`. Returns the syndrome of its answer; NONE: there is none. */
static uint8_t outcome(const struct operation *o, uint32_t rkey, uint64_t va, unsigned selectivity)
{
    ask(&bed, o->opcode, 0, o->payload);
    if (HAS(&bed, reth)) {
        iba_reth_set_va(PART(&bed, reth), va);
        iba_reth_set_r_key(PART(&bed, reth), rkey);
        iba_reth_set_dmalen(PART(&bed, reth), o->length);
    }
    if (HAS(&bed, atomiceth)) {
        iba_atomiceth_set_va(PART(&bed, atomiceth), va);
        iba_atomiceth_set_r_key(PART(&bed, atomiceth), rkey);
    }
    if (HAS(&bed, feth)) {
        iba_feth_set_placement(PART(&bed, feth), o->placement);
        iba_feth_set_selectivity(PART(&bed, feth), selectivity);
    }
    give(&bed);
    return answer(&bed) ? answer_syndrome(&bed) : NONE;
}

static const struct operation *anew(size_t i)
{
    bed_make(&bed, IBA_PORT_IB, false);
    return &operations[i];
}

/* RR-34, RR-41, RR-43, RR-45, RR-66, RR-67: each operation needs its own rights of the QP and of the region, and no
 * others. */
Test(responder_reach, rights)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        for (unsigned bit = 1; bit < IBA_ACCESS_OF_REGION; bit <<= 1) {
            const struct operation *o = anew(i);
            if (!(o->rights & bit))
                continue;
            region(&bed, (uint16_t)(ALL_RIGHTS & ~bit), bed.pd, &bed.lkey, &bed.rkey);
            EXPECT(outcome(o, bed.rkey, VA, 0) == NAK_ACC, "%s: a region without 0x%x", o->name, bit);
            (void)anew(i);
            bed.rc.attr.access = (uint16_t)(IBA_ACCESS_REMOTE & ~bit);
            EXPECT(outcome(o, bed.rkey, VA, 0) == NAK_INV, "%s: a QP without 0x%x", o->name, bit);
        }
        const struct operation *o = anew(i);
        bed.rc.attr.access = o->rights;
        region(&bed, o->rights | IBA_ACCESS_LOCAL_WRITE, bed.pd, &bed.lkey, &bed.rkey);
        EXPECT(outcome(o, bed.rkey, VA, 0) == CREDITS, "%s", o->name);
    }
}

/* Bounds (QS-54), protection domains (QS-55), and windows, which only the QP may use that bound them (QS-69). A FLUSH
 * of a whole region has no bounds (RR-66). */
Test(responder_reach, bounds)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *o = anew(i);
        const uint64_t last = VA + MEMORY - o->length;
        EXPECT(outcome(o, bed.rkey, last, 0) == CREDITS, "%s: the last bytes", o->name);
        (void)anew(i);
        EXPECT(outcome(o, bed.rkey, last + 8, 0) == NAK_ACC, "%s: bytes beyond", o->name);
        (void)anew(i);
        EXPECT(outcome(o, bed.rkey, VA - 8, 0) == NAK_ACC, "%s: bytes before", o->name);
        (void)anew(i);
        EXPECT(outcome(o, bed.rkey, last + 8, 1) == (o->placement ? CREDITS : NAK_ACC), "%s: of all", o->name);
        (void)anew(i);
        EXPECT(outcome(o, bed.rkey, last + 8, 2) == NAK_ACC, "%s: a reserved selectivity", o->name);
    }
}

/* Returns the key of a window of type 2 that QP `qpn` has bound. */
static uint32_t window(enum iba_mem_kind kind, uint32_t qpn)
{
    uint32_t key;
    struct iba_bind b = {.mr_lkey = bed.lkey, .va = VA, .length = MEMORY, .access = IBA_ACCESS_REMOTE};

    MUST(iba_mw_alloc(&bed.ca.mem, kind, bed.pd, &key));
    b.mw_rkey = key;
    b.key_byte = (uint8_t)(key + 1);
    MUST(iba_mw_bind(&bed.ca.mem, &b, bed.pd, qpn, &key));
    return key;
}

Test(responder_reach, domains_and_windows)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *o = anew(i);
        region(&bed, ALL_RIGHTS, bed.other_pd, &bed.lkey, &bed.rkey);
        EXPECT(outcome(o, bed.rkey, VA, 0) == NAK_ACC, "%s: another domain", o->name);
        for (unsigned kind = IBA_MEM_MW2A; kind <= IBA_MEM_MW2B; kind++) {
            (void)anew(i);
            EXPECT(outcome(o, window((enum iba_mem_kind)kind, RC_QPN), VA, 0) == CREDITS, "%s: own window", o->name);
            (void)anew(i);
            EXPECT(outcome(o, window((enum iba_mem_kind)kind, UC_QPN), VA, 0) == NAK_ACC, "%s: other's", o->name);
        }
    }
}

/* QS-69, RR-60: the key of a READ is checked for each packet of the response. */
Test(responder_reach, read_through_a_window)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ask(&bed, IBA_RC_READ_REQUEST, 0, 0);
    iba_reth_set_r_key(PART(&bed, reth), window(IBA_MEM_MW2B, RC_QPN));
    iba_reth_set_dmalen(PART(&bed, reth), 2 * MTU);
    give(&bed);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert(answer(&bed));
        cr_expect_arr_eq(answer_data(&bed), bed.memory + i * MTU, MTU);
    }
}

/* QS-46: keys of an XRC target are those of the domain of the SRQ that the request names, also while a READ is
 * answered. */
Test(responder_reach, read_of_an_xrc_target)
{
    for (int other = 0; other < 2; other++) {
        bed_make(&bed, IBA_PORT_IB, true);
        as_target(&bed, false);
        if (other)
            region(&bed, ALL_RIGHTS, bed.other_pd, &bed.lkey, &bed.rkey);
        ask(&bed, IBA_XRC_READ_REQUEST, 0, 0);
        iba_xrceth_set_srqn(PART(&bed, xrceth), bed.srq_number);
        iba_reth_set_dmalen(PART(&bed, reth), MTU + 4);
        give(&bed);
        cr_assert(answer(&bed));
        if (other) {
            cr_expect_eq(answer_syndrome(&bed), NAK_ACC);
            continue;
        }
        cr_expect_eq(answer_opcode(&bed), IBA_XRC_READ_RESP_FIRST);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_opcode(&bed), IBA_XRC_READ_RESP_LAST);
        cr_expect_arr_eq(answer_data(&bed), bed.memory + MTU, 4);
    }
}

/* RR-50: a page of the memory is absent: the request waits, and fails nothing. */
Test(responder_reach, absent_pages)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *o = anew(i);
        bed.present = 0;
        region(&bed, ALL_RIGHTS | IBA_ACCESS_ON_DEMAND, bed.pd, &bed.lkey, &bed.rkey);
        EXPECT(outcome(o, bed.rkey, VA, 0) == RNR_NAK, "%s", o->name);
        EXPECT(bed.rc.state == IBA_QPS_RTS, "%s", o->name);
        bed.present = 0xff;
        EXPECT(outcome(o, bed.rkey, VA, 0) == CREDITS, "%s", o->name);
    }
}

/* Gives the device the operation `ahead` PSNs after the first one. */
static void give_ahead(const struct operation *o, int ahead)
{
    ask(&bed, o->opcode, ahead, o->payload);
    if (HAS(&bed, reth))
        iba_reth_set_dmalen(PART(&bed, reth), o->length);
    if (HAS(&bed, feth))
        iba_feth_set_placement(PART(&bed, feth), o->placement);
    give(&bed);
}

/* RR-25, RR-28, RR-35, RR-68: each operation but the WRITE takes a responder resource until its response has left, and
 * is remembered for duplicates. All other requests refuse nothing. */
Test(responder_reach, resources)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        const struct operation *o = anew(i);
        const bool takes = o->opcode != IBA_RC_WRITE_ONLY;
        for (int k = 0; k < N_SAVED; k++)
            give_ahead(o, k);
        for (int k = 0; takes && k < N_SAVED; k++)
            cr_assert(answer(&bed));
        while (answer(&bed))
            ;
        for (int k = 0; k < N_SAVED; k++) {
            give_ahead(o, k);
            cr_assert(answer(&bed), "%s", o->name);
            const int psn = takes ? k : N_SAVED - 1; /* the ACK of a repeated WRITE is for all before (RR-23) */
            EXPECT(answer_psn(&bed) == ((uint32_t)(EPSN + psn) & IBA_PSN_MASK), "%s: %d again", o->name, k);
            EXPECT((answer_opcode(&bed) == IBA_RC_ACKNOWLEDGE) != takes, "%s: %d again", o->name, k);
            EXPECT(!answer(&bed), "%s", o->name);
        }
        for (int k = 0; k <= N_SAVED; k++) {
            EXPECT(bed.rc.state == IBA_QPS_RTS, "%s", o->name);
            give_ahead(o, N_SAVED + k);
        }
        EXPECT((bed.rc.state == IBA_QPS_ERR) == takes, "%s: one more", o->name);
    }
}

/* ---- devices that lack a check ---- */

/* A device that lacks one row of the responder gets the packet in bed.r. It changes no memory, and no byte outside of
 * the region. */
static void stores_nothing(const char *row, const char *what)
{
    static uint8_t before[MEMORY];
    struct iba_changed_rules c;

    memcpy(before, bed.memory, MEMORY);
    lack(&bed, IBA_TABLE_RC_RESPONDER, row, &c);
    give(&bed);
    EXPECT(memcmp(before, bed.memory, MEMORY) == 0, "%s: %s", row, what);
}

/* A broken device lacks a row that protects memory. It stores no part of a payload that the row refuses. */
Test(responder_reach, a_device_without_the_check_stores_nothing)
{
    for (size_t n = 0; n <= 16; n += 4) { /* a payload of another length than 8 bytes */
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, IBA_RC_ATOMIC_WRITE, 0, n);
        iba_reth_set_dmalen(PART(&bed, reth), 8);
        if (n != 8)
            stores_nothing("bad_payload", "ATOMIC WRITE");
    }
    static const struct {
        const char *row;
        uint8_t opcode, payload;
    } denied[] = {{"atomic_write_denied", IBA_RC_ATOMIC_WRITE, 8},
                  {"atomic_denied", IBA_RC_FETCH_ADD, 0},
                  {"atomic_denied", IBA_RC_CMP_SWAP, 0},
                  {"write_denied", IBA_RC_WRITE_ONLY, 8}};
    for (size_t i = 0; i < COUNT(denied); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.rkey ^= 1;
        ask(&bed, denied[i].opcode, 0, denied[i].payload);
        if (HAS(&bed, atomiceth))
            iba_atomiceth_set_swapdt(PART(&bed, atomiceth), 5);
        stores_nothing(denied[i].row, "a wrong key");
    }
    for (unsigned announced = 0; announced < 8; announced += 4) { /* 8 bytes arrive, and 4 fit */
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
        iba_reth_set_va(PART(&bed, reth), announced ? VA + MEMORY - 4 : VA);
        iba_reth_set_dmalen(PART(&bed, reth), announced);
        stores_nothing("write_beyond", "more than announced");
    }
}

/* A WRITE of more bytes than announced: a device without the row for that stores them if it may. The bytes that are
 * left stay 0, and what follows is stored behind. */
Test(responder_reach, a_device_that_takes_longer_writes)
{
    struct iba_changed_rules c;

    bed_make(&bed, IBA_PORT_IB, false);
    memset(bed.memory, 0, MEMORY);
    lack(&bed, IBA_TABLE_RC_RESPONDER, "write_beyond", &c);
    ask(&bed, IBA_RC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(&bed, reth), 16);
    give(&bed);
    cr_expect_arr_eq(bed.memory, bed.payload, MTU);
    ask(&bed, IBA_RC_WRITE_LAST, 1, 8);
    bed.r.payload = bed.payload + MTU;
    give(&bed);
    cr_expect_arr_eq(bed.memory, bed.payload, MTU + 8);
    cr_expect_eq(bed.rc.r.left, 0);
}

/* RR-39: a DMA length of 2^31 bytes is allowed. */
Test(responder_reach, the_longest_message)
{
    static const uint8_t opcodes[] = {IBA_RC_READ_REQUEST, IBA_RC_WRITE_FIRST};

    for (size_t i = 0; i < COUNT(opcodes); i++)
        for (uint32_t over = 0; over < 2; over++) {
            bed_make(&bed, IBA_PORT_IB, false);
            ask(&bed, opcodes[i], 0, i * MTU);
            iba_reth_set_dmalen(PART(&bed, reth), UINT32_C(0x80000000) + over);
            give(&bed);
            cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "dma_too_long"), over);
            cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, i ? "write_denied" : "read_denied"), !over);
        }
}

/* A device that lacks the row for the end of a SEND executes no SEND as an operation of another kind. */
Test(responder_reach, a_send_is_no_write)
{
    static const uint8_t opcodes[] = {IBA_RC_SEND_ONLY, IBA_RC_SEND_ONLY_IMM};
    struct iba_changed_rules c;

    for (size_t i = 0; i < COUNT(opcodes); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post(&bed, RC_QPN, FULL);
        lack(&bed, IBA_TABLE_RC_RESPONDER, "send_end", &c);
        ask(&bed, opcodes[i], 0, 8);
        give(&bed);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_RC_RESPONDER), 0);
        cr_expect_not(answer(&bed));
    }
}

/* RR-51: after an RNR NAK the NAK of an earlier gap no longer counts, so a device that does not wait then reports the
 * gap. */
Test(responder_reach, a_device_that_does_not_wait_after_rnr)
{
    static const uint8_t syndromes[] = {0x60, RNR_NAK, 0x60};
    struct iba_changed_rules c;

    bed_make(&bed, IBA_PORT_IB, false);
    lack(&bed, IBA_TABLE_RC_RESPONDER, "gap_after_rnr", &c);
    for (int i = 0; i < 3; i++) {
        ask(&bed, IBA_RC_SEND_ONLY, i == 1 ? 0 : 2, 8);
        give(&bed);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_syndrome(&bed), syndromes[i]);
    }
}

/* One row decides on each request, with the name that a counter and a trace have. */
Test(responder_reach, rows_of_requests)
{
    static const struct {
        const char *row;
        uint8_t opcode, va; /* va: bytes after the first one of the memory */
        uint16_t payload, length;
    } cases[] = {
        {"write_part", IBA_RC_WRITE_FIRST, 0, MTU, 2 * MTU},
        {"write_end", IBA_RC_WRITE_ONLY, 0, 8, 8},
        {"write_short", IBA_RC_WRITE_ONLY, 0, 8, 12},
        {"write_beyond", IBA_RC_WRITE_ONLY, 0, 8, 4},
        {"bad_payload", IBA_RC_WRITE_FIRST, 0, MTU - 4, 2 * MTU},
        {"atomic_misaligned", IBA_RC_FETCH_ADD, 4, 0, 0},
        {"atomic_write_length", IBA_RC_ATOMIC_WRITE, 0, 8, 16},
        {"atomic_write_misaligned", IBA_RC_ATOMIC_WRITE, 4, 8, 8},
        {"nothing_to_go_on", IBA_RC_SEND_MIDDLE, 0, MTU, 0},
        {"no_receive_wqe", IBA_RC_SEND_ONLY, 0, 8, 0},
        {"reserved", 0x15, 0, 8, 0},
        {"read", IBA_RC_READ_REQUEST, 0, 0, 8},
        {"swap", IBA_RC_CMP_SWAP, 8, 0, 0},
        {"add", IBA_RC_FETCH_ADD, 8, 0, 0},
        {"atomic_write", IBA_RC_ATOMIC_WRITE, 8, 8, 8},
        {"flush", IBA_RC_FLUSH, 0, 0, 8},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        ask(&bed, cases[i].opcode, 0, cases[i].payload);
        if (HAS(&bed, reth)) {
            iba_reth_set_va(PART(&bed, reth), (uint64_t)VA + cases[i].va);
            iba_reth_set_dmalen(PART(&bed, reth), cases[i].length);
        }
        if (HAS(&bed, atomiceth))
            iba_atomiceth_set_va(PART(&bed, atomiceth), (uint64_t)VA + cases[i].va);
        give(&bed);
        EXPECT(hits(&bed, IBA_TABLE_RC_RESPONDER, cases[i].row) == 1, "%s", cases[i].row);
        EXPECT(all_hits(&bed, IBA_TABLE_RC_RESPONDER) == 1, "%s", cases[i].row);
    }
}

/* RR-58, RR-65: in Error only what was to be sent when the connection ended leaves. */
Test(responder_reach, states_that_answer)
{
    for (unsigned state = IBA_QPS_RESET; state <= IBA_QPS_ERR; state++)
        for (unsigned last_words = 0; last_words < 2; last_words++)
            for (uint8_t waits = 0; waits < 2; waits++) {
                bed_make(&bed, IBA_PORT_IB, false);
                bed.rc.state = (uint8_t)state;
                bed.rc.r.last_words = last_words;
                bed.rc.r.resp_count = waits;
                const bool receives = state >= IBA_QPS_RTR && state != IBA_QPS_ERR;
                cr_expect_eq(iba_responder_ready(&bed.ca, &bed.rc),
                             waits && (receives || (state == IBA_QPS_ERR && last_words)),
                             "state %u, last words %u, %u responses", state, last_words, waits);
                bed.rc.r.resp_count = 0;
            }
}

/* A device that does not know which duplicates it remembers answers one that it never executed with zero, and changes
 * no memory. */
Test(responder_reach, a_device_that_repeats_what_it_never_did)
{
    static const uint8_t opcodes[] = {IBA_RC_CMP_SWAP, IBA_RC_FETCH_ADD};
    struct iba_changed_rules c;
    uint8_t before[8];

    for (size_t i = 0; i < COUNT(opcodes); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        lack(&bed, IBA_TABLE_RC_RESPONDER, "unknown_again", &c);
        memcpy(before, bed.memory, sizeof before);
        ask(&bed, opcodes[i], -1, 0);
        iba_atomiceth_set_swapdt(PART(&bed, atomiceth), 5);
        give(&bed);
        cr_expect_arr_eq(bed.memory, before, sizeof before);
        cr_assert(answer(&bed));
        cr_expect_eq(answer_opcode(&bed), IBA_RC_ATOMIC_ACKNOWLEDGE);
        cr_expect_eq(iba_atomicacketh_origremdt(iba_view_hdr(&bed.answer, IBA_H_atomicacketh)), 0);
    }
}

/* RR-26: when as many replays wait as there may be, one more replay is dropped. New requests and duplicates without an
 * answer of their own are not. */
Test(responder_reach, waiting_replays_hold_up_only_replays)
{
    static const struct {
        uint8_t opcode;
        int8_t ahead;
        const char *row[2]; /* with one replay less than there may be, and with all */
    } cases[] = {{IBA_RC_READ_REQUEST, 0, {"read_again", "no_room_again"}},
                 {IBA_RC_READ_REQUEST, 1, {"read", "read"}},
                 {IBA_RC_FETCH_ADD, 1, {"add", "add"}},
                 {IBA_RC_WRITE_ONLY, 1, {"write_end", "write_end"}},
                 {IBA_RC_WRITE_ONLY, -1, {"duplicate", "duplicate"}}};

    for (size_t i = 0; i < COUNT(cases); i++)
        for (unsigned all = 0; all < 2; all++) {
            bed_make(&bed, IBA_PORT_IB, false);
            ask(&bed, IBA_RC_READ_REQUEST, 0, 0);
            give(&bed);
            cr_assert(answer(&bed));
            for (unsigned k = 0; k < N_SAVED + all; k++)
                iba_resp_put(&bed.rc,
                             &(struct iba_resp){.kind = IBA_RESP_ATOMIC, .replay = true, .psn = iba_psn_of(100 + k)});
            ask(&bed, cases[i].opcode, cases[i].ahead, 0);
            give(&bed);
            EXPECT(hits(&bed, IBA_TABLE_RC_RESPONDER, cases[i].row[all]) == 1, "case %zu: %s", i, cases[i].row[all]);
        }
}

/* A READ of 8 bytes that comes again, `ahead` after the first PSN: whether its answer is remembered. */
static bool is_remembered(int ahead)
{
    ask(&bed, IBA_RC_READ_REQUEST, ahead, 0);
    give(&bed);
    const bool again = hits(&bed, IBA_TABLE_RC_RESPONDER, "read_again") == 1;

    cr_expect_eq(hits(&bed, IBA_TABLE_RC_RESPONDER, "unknown_again"), !again, "%d ahead", ahead);
    while (answer(&bed))
        ;
    return again;
}

/* RR-25, RR-35: as many answers are remembered as the queue pair has agreed on, and the newest ones are, whether it has
 * more resources or not. */
Test(responder_reach, as_many_answers_as_agreed_are_remembered)
{
    enum { READS = 5 };

    for (uint8_t depth = 1; depth <= 3; depth++)
        for (unsigned fewer = 0; fewer < 2; fewer++) {
            bed_make(&bed, IBA_PORT_IB, false);
            bed.rc.attr.max_dest_rd = depth;
            bed.rc.r.n_saved = fewer ? depth : N_SAVED;
            for (int i = 0; i < READS; i++) {
                ask(&bed, IBA_RC_READ_REQUEST, i, 0);
                give(&bed);
                cr_assert(answer(&bed));
                if (i == 0 && fewer)
                    bed.saved[depth].op = bed.saved[0].op; /* beside those of the queue pair */
            }
            for (int i = 0; i < READS; i++)
                cr_expect_eq(is_remembered(i), i >= READS - depth, "%d of %u", i, depth);
        }
}
