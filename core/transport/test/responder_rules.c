/* SPDX-License-Identifier: BSD-2-Clause */
/* Each row of the RC responder's table, hit alone, and its effect on the wire and the QP. */
#include "receive.h"
#include "transport/iba_responder.h"
#include "wire/iba_opcode_rows.h"
#include "xrc_rd_requests.h"

static struct bed bed;

enum {
    SILENCE = 0xff,
    CREDITS = 0x1f,
    NAK_SEQ = 0x60,
    NAK_INV = 0x61,
    NAK_ACC = 0x62,
    NAK_OP = 0x63,
    NAK_RD = 0x64,
    RNR = 0x20 | 13
};

static void set_access(struct bed *b, uint16_t access)
{
    b->rc.attr.access = access;
}

static void ok(struct bed *b, int ahead)
{
    ask(b, IBA_RC_WRITE_ONLY, ahead, 8);
    give(b);
    while (answer(b))
        ;
}

static void read(struct bed *b, int ahead, uint32_t len)
{
    ask(b, IBA_RC_READ_REQUEST, ahead, 0);
    iba_reth_set_dmalen(PART(b, reth), len);
}

static void flush(struct bed *b, unsigned placement)
{
    ask(b, IBA_RC_FLUSH, 0, 0);
    iba_feth_set_placement(PART(b, feth), placement);
    iba_reth_set_dmalen(PART(b, reth), 16);
}

static void bad_key(struct bed *b)
{
    if (HAS(b, reth))
        iba_reth_set_r_key(PART(b, reth), b->rkey ^ 1);
    else
        iba_atomiceth_set_r_key(PART(b, atomiceth), b->rkey ^ 1);
}

/* ---- the causes of each row: a function prepares the bed, and leaves the packet in b->r ---- */
static void first_in_rtr(struct bed *b)
{
    b->rc.state = IBA_QPS_RTR;
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void gap_after_rnr(struct bed *b)
{
    ask(b, IBA_RC_SEND_ONLY, 0, 8);
    give(b);
    answer(b);
    ask(b, IBA_RC_SEND_ONLY, 1, 8);
}

static void gap(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 5, 8);
}

static void gap_known(struct bed *b)
{
    gap(b);
    give(b);
    answer(b);
    ask(b, IBA_RC_WRITE_ONLY, 6, 8);
}

static void malformed_again(struct bed *b)
{
    ok(b, 0);
    ask(b, IBA_RC_WRITE_ONLY, 0, MTU + 4);
}

static void answer_waits(struct bed *b)
{
    read(b, 0, 3 * MTU);
    give(b);
    answer(b);
    read(b, 1, 2 * MTU);
    iba_reth_set_va(PART(b, reth), VA + MTU);
}

static void unknown_again(struct bed *b)
{
    ok(b, 0);
    read(b, 0, 8);
}

/* A READ arrives while the largest possible number of replays waits. */
static void no_room_again(struct bed *b)
{
    read(b, 0, 8);
    give(b);
    answer(b);
    for (unsigned i = 0; i < N_SAVED + 1; i++)
        iba_resp_put(&b->rc, &(struct iba_resp){.kind = IBA_RESP_ATOMIC, .replay = true, .psn = iba_psn_of(100 + i)});
    read(b, 0, 8);
}

static void read_and_forget(struct bed *b, uint32_t len)
{
    read(b, 0, len);
    give(b);
    while (answer(b))
        ;
}

static void read_gone(struct bed *b)
{
    read_and_forget(b, 8);
    read(b, 0, 8);
    bad_key(b);
}

static void read_again(struct bed *b)
{
    read_and_forget(b, 3 * MTU);
    read(b, 1, 2 * MTU);
    iba_reth_set_va(PART(b, reth), VA + MTU);
}

static void result_again(struct bed *b)
{
    for (int i = 0; i < 2; i++) {
        ask(b, IBA_RC_FETCH_ADD, 0, 0);
        iba_atomiceth_set_swapdt(PART(b, atomiceth), 1);
        if (i == 0) {
            give(b);
            answer(b);
        }
    }
}

static void duplicate(struct bed *b)
{
    ok(b, 0);
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void reserved(struct bed *b)
{
    ask(b, 0x15, 0, 8);
}

static void first(struct bed *b, uint8_t opcode)
{
    post(b, RC_QPN, FULL);
    ask(b, opcode, 0, MTU);
    if (HAS(b, reth))
        iba_reth_set_dmalen(PART(b, reth), 2 * MTU);
    give(b);
    answer(b);
}

static void unfinished_before(struct bed *b)
{
    first(b, IBA_RC_SEND_FIRST);
    ask(b, IBA_RC_SEND_ONLY, 1, 8);
}

static void nothing_to_go_on(struct bed *b)
{
    ask(b, IBA_RC_SEND_MIDDLE, 0, MTU);
}

static void other_operation(struct bed *b)
{
    first(b, IBA_RC_SEND_FIRST);
    ask(b, IBA_RC_WRITE_MIDDLE, 1, MTU);
}

static void write_not_enabled(struct bed *b)
{
    set_access(b, IBA_ACCESS_REMOTE_READ);
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void read_not_enabled(struct bed *b)
{
    set_access(b, IBA_ACCESS_REMOTE_WRITE);
    read(b, 0, 8);
}

static void atomic_not_enabled(struct bed *b)
{
    set_access(b, IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_REMOTE_READ);
    ask(b, IBA_RC_CMP_SWAP, 0, 0);
}

static void flush_not_enabled(struct bed *b)
{
    set_access(b, IBA_ACCESS_FLUSH_GLOBAL);
    flush(b, 3);
}

static void atomic_write_not_enabled(struct bed *b)
{
    set_access(b, IBA_ACCESS_REMOTE_ATOMIC);
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
}

static void depth_exceeded(struct bed *b)
{
    for (int i = 0; i < N_SAVED; i++) {
        read(b, i, 8);
        give(b);
    }
    read(b, N_SAVED, 8);
}

static void no_receive_wqe(struct bed *b)
{
    ask(b, IBA_RC_SEND_ONLY, 0, 8);
}

/* Maps memory whose second page is absent. A receive of two pages lies in it, or the target of a request. */
static void on_demand(struct bed *b, uint16_t access)
{
    b->present = 1;
    region(b, access | IBA_ACCESS_ON_DEMAND, b->pd, &b->lkey, &b->rkey);
}

static void receive_absent(struct bed *b)
{
    on_demand(b, ALL_RIGHTS);
    struct iba_recv_wr w = buffer(b, 64);
    w.sge[0].addr += IBA_MEM_PAGE;
    MUST(iba_post_recv(&b->ca, RC_QPN, &w));
    ask(b, IBA_RC_SEND_ONLY, 0, 8);
}

static void bad_payload(struct bed *b)
{
    ask(b, IBA_RC_WRITE_FIRST, 0, MTU - 4);
    iba_reth_set_dmalen(PART(b, reth), 2 * MTU);
}

static void dma_too_long(struct bed *b)
{
    read(b, 0, 0x80000001);
}

static void write_beyond(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
    iba_reth_set_dmalen(PART(b, reth), 4);
}

static void write_short(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
    iba_reth_set_dmalen(PART(b, reth), 12);
}

static void send_too_long(struct bed *b)
{
    post(b, RC_QPN, 64);
    ask(b, IBA_RC_SEND_ONLY, 0, 65);
}

static void atomic_misaligned(struct bed *b)
{
    ask(b, IBA_RC_CMP_SWAP, 0, 0);
    iba_atomiceth_set_va(PART(b, atomiceth), VA + 4);
    bad_key(b); /* alignment comes first (catalogue 11.1, 9) */
}

static void atomic_write_length(struct bed *b)
{
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
    iba_reth_set_dmalen(PART(b, reth), 16);
}

static void atomic_write_misaligned(struct bed *b)
{
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
    iba_reth_set_va(PART(b, reth), VA + 4);
}

static void receive_protected(struct bed *b)
{
    struct iba_recv_wr w = buffer(b, 64);
    w.sge[0].lkey ^= 1;
    MUST(iba_post_recv(&b->ca, RC_QPN, &w));
    ask(b, IBA_RC_SEND_ONLY, 0, 8);
}

static void write_denied(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
    bad_key(b);
}

static void read_denied(struct bed *b)
{
    read(b, 0, MEMORY + 1);
}

static void atomic_denied(struct bed *b)
{
    region(b, IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE, b->pd, &b->lkey, &b->rkey);
    ask(b, IBA_RC_FETCH_ADD, 0, 0);
}

static void flush_denied(struct bed *b)
{
    region(b, IBA_ACCESS_FLUSH_GLOBAL, b->pd, &b->lkey, &b->rkey);
    flush(b, 2);
}

static void atomic_write_denied(struct bed *b)
{
    region(b, ALL_RIGHTS, b->other_pd, &b->lkey, &b->rkey);
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
}

static void page_absent(struct bed *b)
{
    on_demand(b, ALL_RIGHTS);
    read(b, 0, 2 * IBA_MEM_PAGE);
}

static void send_part(struct bed *b)
{
    post(b, RC_QPN, FULL);
    ask(b, IBA_RC_SEND_FIRST, 0, MTU);
}

static void send_invalidate(struct bed *b)
{
    post(b, RC_QPN, FULL);
    ask(b, IBA_RC_SEND_ONLY_INV, 0, 8);
    iba_ieth_set_r_key(PART(b, ieth), b->rkey);
}

static void send_end(struct bed *b)
{
    post(b, RC_QPN, FULL);
    ask(b, IBA_RC_SEND_ONLY_IMM, 0, 8);
}

static void write_part(struct bed *b)
{
    ask(b, IBA_RC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(b, reth), 2 * MTU);
}

static void write_notify(struct bed *b)
{
    post(b, RC_QPN, 0);
    ask(b, IBA_RC_WRITE_ONLY_IMM, 0, 8);
}

static void write_end(struct bed *b)
{
    ask(b, IBA_RC_WRITE_ONLY, 0, 8);
}

static void plain_read(struct bed *b)
{
    read(b, 0, 8);
}

static void swap(struct bed *b)
{
    ask(b, IBA_RC_CMP_SWAP, 0, 0);
}

static void add(struct bed *b)
{
    ask(b, IBA_RC_FETCH_ADD, 0, 0);
}

static void plain_flush(struct bed *b)
{
    flush(b, 3);
}

static void atomic_write(struct bed *b)
{
    ask(b, IBA_RC_ATOMIC_WRITE, 0, 8);
}

/* The expected response: opcode and syndrome, or SILENCE; its PSN, relative to the first one; and whether the QP
 * fails. */
struct expectation {
    const char *row;
    void (*prepare)(struct bed *b);
    uint8_t opcode, syndrome;
    int psn;
    bool fails;
    unsigned event; /* 0: none */
};
enum { ACK = IBA_RC_ACKNOWLEDGE, ONLY = IBA_RC_READ_RESP_ONLY, ATOMIC = IBA_RC_ATOMIC_ACKNOWLEDGE };
enum {
    EV_INV = IBA_EVENT_WQ_INVALID_REQUEST,
    EV_ACC = IBA_EVENT_WQ_ACCESS_VIOLATION,
    EV_EST = IBA_EVENT_COMM_ESTABLISHED
};

static const struct expectation expectations[] = {
    {"first_in_rtr", first_in_rtr, ACK, CREDITS, 0, false, EV_EST},
    {"gap_after_rnr", gap_after_rnr, SILENCE, 0, 0, false, 0},
    {"gap_known", gap_known, SILENCE, 0, 0, false, 0},
    {"gap", gap, ACK, NAK_SEQ, 0, false, 0},
    {"malformed_again", malformed_again, SILENCE, 0, 0, false, 0},
    {"answer_waits", answer_waits, IBA_RC_READ_RESP_MIDDLE, 0, 1, false, 0},
    {"unknown_again", unknown_again, SILENCE, 0, 0, false, 0},
    {"no_room_again", no_room_again, ATOMIC, CREDITS, 100 - EPSN, false, 0},
    {"read_gone", read_gone, SILENCE, 0, 0, false, 0},
    {"read_again", read_again, IBA_RC_READ_RESP_FIRST, CREDITS, 1, false, 0},
    {"result_again", result_again, ATOMIC, CREDITS, 0, false, 0},
    {"duplicate", duplicate, ACK, CREDITS, 0, false, 0},
    {"reserved", reserved, ACK, NAK_INV, 0, true, EV_INV},
    {"unfinished_before", unfinished_before, ACK, NAK_INV, 1, true, 0},
    {"nothing_to_go_on", nothing_to_go_on, ACK, NAK_INV, 0, true, EV_INV},
    {"other_operation", other_operation, ACK, NAK_INV, 1, true, 0},
    {"write_not_enabled", write_not_enabled, ACK, NAK_INV, 0, true, EV_INV},
    {"read_not_enabled", read_not_enabled, ACK, NAK_INV, 0, true, EV_INV},
    {"atomic_not_enabled", atomic_not_enabled, ACK, NAK_INV, 0, true, EV_INV},
    {"flush_not_enabled", flush_not_enabled, ACK, NAK_INV, 0, true, EV_INV},
    {"atomic_write_not_enabled", atomic_write_not_enabled, ACK, NAK_INV, 0, true, EV_INV},
    {"depth_exceeded", depth_exceeded, ONLY, CREDITS, 0, true, EV_ACC},
    {"no_receive_wqe", no_receive_wqe, ACK, RNR, 0, false, 0},
    {"receive_absent", receive_absent, ACK, RNR, 0, false, 0},
    {"bad_payload", bad_payload, ACK, NAK_INV, 0, true, EV_ACC},
    {"dma_too_long", dma_too_long, ACK, NAK_INV, 0, true, EV_ACC},
    {"write_beyond", write_beyond, ACK, NAK_INV, 0, true, EV_ACC},
    {"write_short", write_short, ACK, NAK_INV, 0, true, EV_ACC},
    {"send_too_long", send_too_long, ACK, NAK_INV, 0, true, 0},
    {"atomic_misaligned", atomic_misaligned, ACK, NAK_INV, 0, true, EV_ACC},
    {"atomic_write_length", atomic_write_length, ACK, NAK_INV, 0, true, EV_ACC},
    {"atomic_write_misaligned", atomic_write_misaligned, ACK, NAK_INV, 0, true, EV_ACC},
    {"receive_protected", receive_protected, ACK, NAK_OP, 0, true, 0},
    {"write_denied", write_denied, ACK, NAK_ACC, 0, true, EV_ACC},
    {"read_denied", read_denied, ACK, NAK_ACC, 0, true, EV_ACC},
    {"atomic_denied", atomic_denied, ACK, NAK_ACC, 0, true, EV_ACC},
    {"flush_denied", flush_denied, ACK, NAK_ACC, 0, true, EV_ACC},
    {"atomic_write_denied", atomic_write_denied, ACK, NAK_ACC, 0, true, EV_ACC},
    {"page_absent", page_absent, ACK, RNR, 0, false, 0},
    {"send_part", send_part, ACK, CREDITS, 0, false, 0},
    {"send_invalidate", send_invalidate, ACK, CREDITS, 0, false, 0},
    {"send_end", send_end, ACK, CREDITS, 0, false, 0},
    {"write_part", write_part, ACK, CREDITS, 0, false, 0},
    {"write_notify", write_notify, ACK, CREDITS, 0, false, 0},
    {"write_end", write_end, ACK, CREDITS, 0, false, 0},
    {"read", plain_read, ONLY, CREDITS, 0, false, 0},
    {"swap", swap, ATOMIC, CREDITS, 0, false, 0},
    {"add", add, ATOMIC, CREDITS, 0, false, 0},
    {"rd_resync", rd_resync, IBA_RD_ACKNOWLEDGE, CREDITS, 3, false, 0},
    {"rd_refused", rd_refused, IBA_RD_ACKNOWLEDGE, NAK_RD, 0, false, 0},
    {"rd_no_receiver", rd_no_receiver, IBA_RD_ACKNOWLEDGE, NAK_RD, 0, false, 0},
    {"rd_other_domain", rd_other_domain, IBA_RD_ACKNOWLEDGE, NAK_RD, 0, false, 0},
    {"rd_qkey_differs", rd_qkey_differs, IBA_RD_ACKNOWLEDGE, NAK_RD, 0, false, 0},
    {"rd_other_receiver", rd_other_receiver, IBA_RD_ACKNOWLEDGE, NAK_INV, 1, false, EV_INV},
    {"xrc_other_srq", xrc_other_srq, IBA_XRC_ACKNOWLEDGE, NAK_INV, 1, true, IBA_EVENT_WQ_INVALID_REQUEST},
    {"flush", plain_flush, ONLY, CREDITS, 0, false, 0},
    {"atomic_write", atomic_write, ONLY, CREDITS, 0, false, 0},
};

static const struct expectation *expected_of(const char *row)
{
    for (size_t i = 0; i < COUNT(expectations); i++)
        if (!strcmp(expectations[i].row, row))
            return &expectations[i];
    return NULL;
}

static unsigned events(const struct bed *b)
{
    unsigned n = 0;

    for (size_t i = 0; i < COUNT(b->events); i++)
        n += b->events[i];
    return n;
}

static void check_answer(struct bed *b, const struct expectation *e)
{
    cr_assert_eq(answer(b), e->opcode != SILENCE, "%s: an answer", e->row);
    if (e->opcode == SILENCE)
        return;
    cr_assert_eq(answer_opcode(b), e->opcode, "%s: opcode 0x%02x", e->row, answer_opcode(b));
    cr_assert_eq(answer_psn(b), (uint32_t)(EPSN + e->psn) & IBA_PSN_MASK, "%s: PSN 0x%x", e->row, answer_psn(b));
    if (e->opcode != IBA_RC_READ_RESP_MIDDLE)
        cr_assert_eq(answer_syndrome(b), e->syndrome, "%s: syndrome 0x%02x", e->row, answer_syndrome(b));
}

static void check_row(struct bed *b, const struct expectation *e)
{
    const bool once = strcmp(e->row, "first_in_rtr") != 0; /* after this row the table is applied again */

    bed_make(b, IBA_PORT_IB, false);
    e->prepare(b);
    give(b);
    cr_assert_eq(hits(b, IBA_TABLE_RC_RESPONDER, e->row), 1, "%s is hit", e->row);
    cr_assert_eq(all_hits(b, IBA_TABLE_RC_RESPONDER), once ? 1 : 2, "%s is hit alone", e->row);
    cr_assert_eq(events(b), e->event != 0, "%s: events", e->row);
    cr_assert_eq(b->events[e->event], e->event != 0, "%s: event", e->row);
    cr_assert(e->event == 0 || b->last_event.object == (b->rc.type == IBA_QPT_EE ? UC_QPN : RC_QPN), "%s", e->row);
    check_answer(b, e);
    cr_assert_eq(b->rc.state == IBA_QPS_ERR, e->fails, "%s: state %d", e->row, b->rc.state);
    iba_ca_check(&b->ca);
}

Test(responder_rules, each_row_alone)
{
    for (unsigned i = 0; i < iba_rc_responder_rules.n; i++) {
        const struct expectation *e = expected_of(iba_rc_responder_rules.row[i].name);
        cr_assert(e, "responder rule %s has no case in core/transport/test/responder_rules.c",
                  iba_rc_responder_rules.row[i].name);
        check_row(&bed, e);
    }
    cr_assert_eq(COUNT(expectations), iba_rc_responder_rules.n,
                 "core/transport/test/responder_rules.c has %zu cases for %u responder rules", COUNT(expectations),
                 iba_rc_responder_rules.n);
}

static void meet(const struct iba_rules *changed)
{
    for (size_t i = 0; i < COUNT(expectations); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        expectations[i].prepare(&bed);
        iba_ca_set_rules(&bed.ca, IBA_TABLE_RC_RESPONDER, changed);
        give(&bed);
        while (answer(&bed))
            ;
    }
}

/* In a broken device any row may be changed. Then another row or none applies, and the adapter still works. */
Test(responder_rules, a_changed_row)
{
    each_changed_table(IBA_TABLE_RC_RESPONDER, iba_rc_responder_rules.n, meet);
}

/* After a NAK that ends the connection, the responder sends no answers (RR-58). */
Test(responder_rules, error_is_silent)
{
    bed_make(&bed, IBA_PORT_IB, false);
    write_denied(&bed);
    give(&bed);
    cr_assert(answer(&bed));
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    give(&bed);
    cr_assert(!answer(&bed));
    cr_assert_eq(all_hits(&bed, IBA_TABLE_RC_RESPONDER), 0);
}

/* RR-53, RR-56: a WRITE with Immediate whose key is refused consumes its receive, and raises no event. */
Test(responder_rules, write_with_immediate_denied)
{
    bed_make(&bed, IBA_PORT_IB, false);
    post(&bed, RC_QPN, 0);
    ask(&bed, IBA_RC_WRITE_ONLY_IMM, 0, 8);
    bad_key(&bed);
    give(&bed);
    cr_assert(answer(&bed));
    cr_assert_eq(answer_syndrome(&bed), NAK_ACC);
    cr_assert_eq(completion(&bed).status, IBA_WC_LOCAL_ACCESS);
    cr_assert_eq(events(&bed), 0);
}

/* RR-64: a request after a gap or with an opcode out of order does not establish the connection. A correct request that
 * follows does. */
Test(responder_rules, what_is_refused_establishes_nothing)
{
    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.state = IBA_QPS_RTR;
    gap(&bed);
    give(&bed);
    cr_assert(answer(&bed));
    cr_assert_eq(bed.events[EV_EST], 0);
    ask(&bed, IBA_RC_WRITE_ONLY, 0, 8);
    give(&bed);
    cr_assert_eq(bed.events[EV_EST], 1);

    bed_make(&bed, IBA_PORT_IB, false);
    bed.rc.state = IBA_QPS_RTR;
    nothing_to_go_on(&bed);
    give(&bed);
    cr_assert_eq(bed.events[EV_EST], 0);
}
