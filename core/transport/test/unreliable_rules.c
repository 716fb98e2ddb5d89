/* SPDX-License-Identifier: BSD-2-Clause */
/* Each row of the UC and UD receivers, hit alone, and the delivered data. */
#include "receive.h"
#include "transport/iba_wr_ops.h"
#include "uc_packets.h"
#include "wire/iba_opcode_rows.h"

static struct bed bed;

/* ---- UC ---- */
static void write_first(struct bed *b)
{
    uc(b, IBA_UC_WRITE_FIRST, 5, MTU);
    iba_reth_set_dmalen(PART(b, reth), 2 * MTU);
}

static void send_first(struct bed *b)
{
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_FIRST, 5, MTU);
    give(b);
}

static void reserved(struct bed *b)
{
    uc(b, 0x2c, 5, 0);
}

static void nothing_to_go_on(struct bed *b)
{
    uc(b, IBA_UC_SEND_LAST, 5, 8);
}

static void hole(struct bed *b)
{
    send_first(b);
    uc(b, IBA_UC_SEND_LAST, 7, 8);
}

static void other_operation(struct bed *b)
{
    send_first(b);
    uc(b, IBA_UC_WRITE_LAST, 6, 8);
}

static void unfinished_before(struct bed *b)
{
    send_first(b);
    uc(b, IBA_UC_SEND_ONLY, 6, 8);
}

static void write_not_enabled(struct bed *b)
{
    b->uc.attr.access = 0;
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
}

static void send_without_wqe(struct bed *b)
{
    uc(b, IBA_UC_SEND_ONLY, 5, 8);
}

static void bad_payload(struct bed *b)
{
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_FIRST, 5, MTU - 4);
}

static void dma_too_long(struct bed *b)
{
    write_first(b);
    iba_reth_set_dmalen(PART(b, reth), 0x80000001);
}

static void write_beyond(struct bed *b)
{
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
    iba_reth_set_dmalen(PART(b, reth), 4);
}

static void write_short(struct bed *b)
{
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
    iba_reth_set_dmalen(PART(b, reth), 16);
}

static void send_too_long(struct bed *b)
{
    post(b, UC_QPN, 8);
    uc(b, IBA_UC_SEND_ONLY, 5, 12);
}

static void post_foreign(struct bed *b, uint32_t qpn)
{
    struct iba_recv_wr w = buffer(b, FULL);

    w.sge[0].lkey ^= 1;
    MUST(iba_post_recv(&b->ca, qpn, &w));
}

static void receive_protected(struct bed *b)
{
    post_foreign(b, UC_QPN);
    uc(b, IBA_UC_SEND_ONLY, 5, 12);
}

static void write_denied(struct bed *b)
{
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
    iba_reth_set_r_key(PART(b, reth), b->rkey ^ 1);
}

static void page_absent(struct bed *b)
{
    absent(b);
    uc(b, IBA_UC_WRITE_ONLY, 5, 8);
}

static void send_part(struct bed *b)
{
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_FIRST, 5, MTU);
}

static void send_end(struct bed *b)
{
    post(b, UC_QPN, FULL);
    uc(b, IBA_UC_SEND_ONLY, 5, 8);
}

static void write_unnoticed(struct bed *b)
{
    uc(b, IBA_UC_WRITE_ONLY_IMM, 5, 8);
}

static void write_notify(struct bed *b)
{
    post(b, UC_QPN, 0);
    uc(b, IBA_UC_WRITE_ONLY_IMM, 5, 8);
}

struct row_case {
    const char *row;
    void (*prepare)(struct bed *b);
    uint8_t rows; /* hit in this table */
    uint8_t done; /* number of completions; the next member is the status of the first */
    uint8_t status;
};

static const struct row_case uc_cases[] = {
    {"reserved", reserved, 1, 0, 0},
    {"nothing_to_go_on", nothing_to_go_on, 1, 0, 0},
    {"hole", hole, 1, 0, 0},
    {"other_operation", other_operation, 1, 0, 0},
    {"unfinished_before", unfinished_before, 2, 1, IBA_WC_SUCCESS},
    {"first_in_rtr", first_in_rtr, 2, 0, 0},
    {"write_not_enabled", write_not_enabled, 1, 0, 0},
    {"send_without_wqe", send_without_wqe, 1, 0, 0},
    {"bad_payload", bad_payload, 1, 0, 0},
    {"dma_too_long", dma_too_long, 1, 0, 0},
    {"write_beyond", write_beyond, 1, 0, 0},
    {"write_short", write_short, 1, 0, 0},
    {"send_too_long", send_too_long, 1, 0, 0},
    {"receive_protected", receive_protected, 1, 1, IBA_WC_LOCAL_PROTECTION},
    {"write_denied", write_denied, 1, 0, 0},
    {"page_absent", page_absent, 1, 0, 0},
    {"send_part", send_part, 1, 0, 0},
    {"send_end", send_end, 1, 1, IBA_WC_SUCCESS},
    {"write_unnoticed", write_unnoticed, 1, 0, 0},
    {"write_notify", write_notify, 1, 1, IBA_WC_SUCCESS},
    {"write", write_first, 1, 0, 0},
};

/* ---- UD ---- */
static void ud(struct bed *b, uint8_t opcode, size_t payload)
{
    packet(b, IBA_ENCAP_IB_LOCAL, opcode, UD_QPN, 5, payload);
}

static void longer_than_mtu(struct bed *b)
{
    post(b, UD_QPN, FULL);
    ud(b, IBA_UD_SEND_ONLY, 260);
    b->ca.port[0].mtu = IBA_MTU_256;
}

static void no_mad(struct bed *b)
{
    post(b, 1, FULL);
    packet(b, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, 1, 0, 252);
}

static void no_wqe(struct bed *b)
{
    ud(b, IBA_UD_SEND_ONLY, 8);
}

static void too_long(struct bed *b)
{
    post(b, UD_QPN, 47);
    ud(b, IBA_UD_SEND_ONLY, 8);
}

static void ud_protected(struct bed *b)
{
    post_foreign(b, UD_QPN);
    ud(b, IBA_UD_SEND_ONLY, 8);
}

static void ud_absent(struct bed *b)
{
    absent(b);
    post(b, UD_QPN, 48);
    ud(b, IBA_UD_SEND_ONLY, 8);
}

static void raw(struct bed *b)
{
    post(b, RAW_QPN, FULL);
    raw_packet(b, IBA_ENCAP_IB_RAW, 32);
}

static void datagram(struct bed *b)
{
    post(b, UD_QPN, 48);
    ud(b, IBA_UD_SEND_ONLY_IMM, 8);
}

static const struct row_case ud_cases[] = {
    {"longer_than_mtu", longer_than_mtu, 1, 0, 0},
    {"no_mad", no_mad, 1, 0, 0},
    {"no_wqe", no_wqe, 1, 0, 0},
    {"too_long", too_long, 1, 0, 0},
    {"receive_protected", ud_protected, 1, 1, IBA_WC_LOCAL_PROTECTION},
    {"receive_absent", ud_absent, 1, 0, 0},
    {"raw", raw, 1, 1, IBA_WC_SUCCESS},
    {"datagram", datagram, 1, 1, IBA_WC_SUCCESS},
};

static void check_row(enum iba_rule_table t, const struct row_case *c)
{
    struct iba_wc wc;
    unsigned n = 0;

    bed_make(&bed, IBA_PORT_IB, false);
    c->prepare(&bed);
    give(&bed);
    cr_assert_eq(hits(&bed, t, c->row), 1, "%s is hit", c->row);
    cr_assert_eq(all_hits(&bed, t), c->rows, "%s is hit alone: %u", c->row, all_hits(&bed, t));
    for (; iba_poll_cq(&bed.ca, bed.cq_number, &wc); n++)
        cr_assert(n > 0 || wc.status == c->status, "%s: status %u", c->row, wc.status);
    cr_assert_eq(n, c->done, "%s: %u completions", c->row, n);
    cr_assert(!answer(&bed), "%s is silent", c->row);
    iba_ca_check(&bed.ca);
}

static void check_table(enum iba_rule_table t, const struct iba_rules *rules, const struct row_case *c, size_t n)
{
    for (unsigned i = 0; i < rules->n; i++) {
        cr_assert(
            i < n && strcmp(rules->row[i].name, c[i].row) == 0,
            "%s: rule %s has no case in core/transport/test/unreliable_rules.c, where cases stand in the rules' order",
            rules->name, rules->row[i].name);
        check_row(t, &c[i]);
    }
    for (size_t i = rules->n; i < n; i++)
        cr_assert_fail("core/transport/test/unreliable_rules.c: case %s belongs to no rule of %s", c[i].row,
                       rules->name);
}

Test(unreliable_rules, each_row_of_uc_alone)
{
    check_table(IBA_TABLE_UC_RECEIVER, &iba_uc_receiver_rules, uc_cases, COUNT(uc_cases));
}

Test(unreliable_rules, each_row_of_ud_alone)
{
    check_table(IBA_TABLE_UD_RECEIVER, &iba_ud_receiver_rules, ud_cases, COUNT(ud_cases));
}

static void meet(const struct row_case *c, enum iba_rule_table t, const struct iba_rules *changed)
{
    bed_make(&bed, IBA_PORT_IB, false);
    c->prepare(&bed);
    iba_ca_set_rules(&bed.ca, t, changed);
    give(&bed);
    answer(&bed);
}

static void meet_uc(const struct iba_rules *changed)
{
    for (size_t i = 0; i < COUNT(uc_cases); i++)
        meet(&uc_cases[i], IBA_TABLE_UC_RECEIVER, changed);
}

static void meet_ud(const struct iba_rules *changed)
{
    for (size_t i = 0; i < COUNT(ud_cases); i++)
        meet(&ud_cases[i], IBA_TABLE_UD_RECEIVER, changed);
}

/* A device with any one row changed still works. */
Test(unreliable_rules, a_changed_row)
{
    each_changed_table(IBA_TABLE_UC_RECEIVER, iba_uc_receiver_rules.n, meet_uc);
    each_changed_table(IBA_TABLE_UD_RECEIVER, iba_ud_receiver_rules.n, meet_ud);
}

/* UU-03, UU-05, UU-09: the WQE of a broken message is used for the next message; a message may begin at any PSN. */
Test(unreliable_rules, a_broken_message_leaves_its_wqe)
{
    struct iba_wc wc;

    bed_make(&bed, IBA_PORT_IB, false);
    hole(&bed);
    give(&bed);
    for (int i = 0; i < 2; i++) {
        uc(&bed, IBA_UC_SEND_ONLY, 500, 12);
        give(&bed);
        if (i == 0)
            post(&bed, UC_QPN, FULL);
        wc = completion(&bed);
        cr_assert_eq(wc.byte_len, 12);
        cr_assert_eq(memcmp(bed.memory, bed.payload, 12), 0);
    }
}

/* Class E: if a message breaks, the receive that it took from an SRQ completes in error at once, and is not kept for
 * the next message. */
Test(unreliable_rules, a_broken_message_costs_an_srq_its_wqe)
{
    bed_make(&bed, IBA_PORT_IB, true);
    const struct iba_recv_wr w = buffer(&bed, FULL);
    MUST(iba_post_srq_recv(&bed.ca, bed.srq_number, &w));
    uc(&bed, IBA_UC_SEND_FIRST, 5, MTU);
    give(&bed);
    uc(&bed, IBA_UC_SEND_LAST, 7, 8);
    give(&bed);
    cr_assert_eq(completion(&bed).status, IBA_WC_REMOTE_INVALID_REQ);
    cr_assert_eq(bed.uc.state, IBA_QPS_RTS);
}

/* UU-21, UU-22, UU-23: 40 bytes before the data, which end with the network header. */
Test(unreliable_rules, area_for_the_grh)
{
    static const struct {
        enum iba_encap encap;
        enum iba_port_kind kind;
        uint32_t header_at, bytes; /* of the packet */
    } cases[] = {{IBA_ENCAP_IB_LOCAL, IBA_PORT_IB, 0, 0},
                 {IBA_ENCAP_IB_GLOBAL, IBA_PORT_IB, 8, 40},
                 {IBA_ENCAP_ROCE1, IBA_PORT_ROCE1, 14, 40},
                 {IBA_ENCAP_ROCE2_V4, IBA_PORT_ROCE2, 14, 20},
                 {IBA_ENCAP_ROCE2_V6, IBA_PORT_ROCE2, 14, 40}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        const bool ib = cases[i].kind == IBA_PORT_IB;
        const uint32_t n = cases[i].bytes;
        uint8_t before[40];
        bed_make(&bed, cases[i].kind, false);
        if (cases[i].encap == IBA_ENCAP_ROCE2_V4)
            iba_gid_set_ipv4(bed.ca.port[0].gid[0], 0x0a000001);
        memcpy(before, bed.memory, 40);
        post(&bed, UD_QPN, 48);
        packet(&bed, cases[i].encap, IBA_UD_SEND_ONLY_IMM, UD_QPN, 9, 8);
        give(&bed);
        const struct iba_wc wc = completion(&bed);
        EXPECT(wc.byte_len == 48 && wc.src_qpn == PEER_QPN && wc.imm_or_key == 0x01020304, "case %zu", i);
        EXPECT(wc.slid == (ib ? PEER_LID : 0) && wc.sl == 0 && wc.path_bits == 0, "case %zu: LID %u", i, wc.slid);
        EXPECT(wc.flags == ((n > 0 ? IBA_WC_GRH : 0) | IBA_WC_WITH_IMM), "case %zu: flags %u", i, wc.flags);
        EXPECT(memcmp(bed.memory, before, 40 - n) == 0, "case %zu: before the header", i);
        EXPECT(memcmp(bed.memory + 40 - n, bed.in + cases[i].header_at, n) == 0, "case %zu: the header", i);
        EXPECT(memcmp(bed.memory + 40, bed.payload, 8) == 0, "case %zu: the data", i);
    }
}

/* UU-23: the completion says where the datagram came from, by which of the port's LIDs and in which partition. */
Test(unreliable_rules, the_source_of_a_datagram)
{
    struct iba_recv_wr ring[N_RQ];
    struct iba_srq second;
    uint32_t number;

    bed_make(&bed, IBA_PORT_IB, false);
    bed.ca.port[0].lmc = 2;
    bed.ud.attr.pkey_index = 1;
    MUST(iba_create_srq(&bed.ca, &second, ring, N_RQ, bed.pd, &number));
    for (unsigned i = 0; i < 3; i++) {
        const bool of_raw = i == 2;
        const struct iba_recv_wr w = buffer(&bed, 52);
        bed.ud.srq = i == 0 ? number : IBA_NONE;
        bed.ud.rq.n = i == 0 ? 0 : N_RQ;
        MUST(i == 0 ? iba_post_srq_recv(&bed.ca, number, &w) : iba_post_recv(&bed.ca, of_raw ? RAW_QPN : UD_QPN, &w));
        if (of_raw) {
            raw_packet(&bed, IBA_ENCAP_IB_RAW, 48);
        } else {
            packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, UD_QPN, 9, 4);
            iba_bth_set_p_key(PART(&bed, bth), 0x8005);
            iba_bth_set_se(PART(&bed, bth), i);
        }
        iba_lrh_set_dlid(PART(&bed, lrh), LID + 3);
        iba_lrh_set_sl(PART(&bed, lrh), 6 + i);
        give(&bed);
        const struct iba_wc wc = completion(&bed);
        EXPECT(wc.wr_id == 77 && wc.status == IBA_WC_SUCCESS && wc.op == IBA_WR_RECV, "packet %u", i);
        EXPECT(wc.slid == PEER_LID && wc.sl == 6 + i && wc.path_bits == 3, "packet %u: path bits %u", i, wc.path_bits);
        EXPECT(wc.qpn == (of_raw ? RAW_QPN : UD_QPN) && wc.src_qpn == (of_raw ? 0 : PEER_QPN), "packet %u", i);
        EXPECT(wc.pkey_index == !of_raw && wc.srqn == (i == 0 ? number : 0) && wc.imm_or_key == 0, "packet %u", i);
        EXPECT(wc.flags == (i == 1 ? IBA_WC_SOLICITED : 0), "packet %u: flags %u", i, wc.flags);
        EXPECT(wc.byte_len == (of_raw ? 52 : 44), "packet %u: %u bytes", i, wc.byte_len);
        EXPECT(memcmp(bed.memory + (of_raw ? 0 : 40), of_raw ? bed.in + 8 : bed.payload, of_raw ? 52 : 4) == 0,
               "packet %u", i);
    }
}

/* Each limit of a datagram's length, and the values beside it. Of a raw packet, its own header of 4 bytes counts. */
Test(unreliable_rules, lengths_of_datagrams)
{
    static const struct {
        uint32_t qpn, room, payload;
        const char *row; /* that drops it; NULL: it is delivered */
    } cases[] = {
        {UD_QPN, FULL, 256, NULL},
        {UD_QPN, FULL, 257, "longer_than_mtu"},
        {1, FULL, 256, NULL},
        {1, FULL, 255, "no_mad"},
        {1, FULL, 257, "longer_than_mtu"},
        {0, FULL, 256, NULL},
        {0, FULL, 252, "no_mad"},
        {UD_QPN, 296, 256, NULL},
        {UD_QPN, 295, 256, "too_long"},
        {RAW_QPN, FULL, 300, NULL},
        {RAW_QPN, 36, 32, NULL},
        {RAW_QPN, 35, 32, "too_long"},
        {UD_QPN, 40, 0, NULL},
        {UD_QPN, 39, 0, "too_long"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        bed_make(&bed, IBA_PORT_IB, false);
        post(&bed, cases[i].qpn, cases[i].room);
        if (cases[i].qpn == RAW_QPN)
            raw_packet(&bed, IBA_ENCAP_IB_RAW, cases[i].payload);
        else
            packet(&bed, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY, cases[i].qpn, 0, cases[i].payload);
        bed.ca.port[0].mtu = IBA_MTU_256;
        give(&bed);
        EXPECT(bed.cq.count == !cases[i].row, "case %zu: %u completions", i, bed.cq.count);
        EXPECT(!cases[i].row || hits(&bed, IBA_TABLE_UD_RECEIVER, cases[i].row) == 1, "case %zu", i);
    }
}

/* UU-19, class A: a receive that may not be written costs the QP. A datagram without receive, or whose page is absent,
 * costs nothing but itself, also in a device that lacks the row for it. */
Test(unreliable_rules, what_a_datagram_costs)
{
    bed_make(&bed, IBA_PORT_IB, false);
    ud_protected(&bed);
    give(&bed);
    const struct iba_wc wc = completion(&bed);
    cr_expect(wc.wr_id == 77 && wc.status == IBA_WC_LOCAL_PROTECTION && wc.qpn == UD_QPN);
    cr_expect(bed.ud.state == IBA_QPS_ERR && no_completion(&bed) && bed.ud.rq.count == 0);
    bed_make(&bed, IBA_PORT_IB, false);
    ud_absent(&bed);
    give(&bed);
    cr_expect(bed.ud.state == IBA_QPS_RTS && bed.ud.rq.count == 1 && no_completion(&bed));
    for (uint16_t row = 0; row < iba_ud_receiver_rules.n; row++) {
        struct iba_changed_rules c;
        if (strcmp(iba_ud_receiver_rules.row[row].name, "no_wqe"))
            continue;
        bed_make(&bed, IBA_PORT_IB, false);
        cr_assert(iba_rules_change(&c, IBA_TABLE_UD_RECEIVER, row, IBA_CHANGE_DROP, 0));
        iba_ca_set_rules(&bed.ca, IBA_TABLE_UD_RECEIVER, &c.rules);
        no_wqe(&bed);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_UD_RECEIVER, "datagram"), 1, "no receive is checked");
    }
}

/* PV-13: the QP's attribute selects an entry of the P_Key table, as long as the table has that entry. */
Test(unreliable_rules, a_table_of_keys_that_has_become_shorter)
{
    for (unsigned n = 2; n <= 5; n++) {
        bed_make(&bed, IBA_PORT_IB, false);
        bed.uc.attr.pkey_index = 3;
        bed.ca.port[0].pkey[3] = 0x8123;
        bed.ca.port[0].n_pkey = (uint8_t)n;
        uc(&bed, IBA_UC_WRITE_ONLY, 5, 8);
        iba_bth_set_p_key(PART(&bed, bth), 0x8123);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "pkey_differs"), n <= 3, "%u keys", n);
        cr_expect_eq(all_hits(&bed, IBA_TABLE_UC_RECEIVER) > 0, n > 3, "%u keys", n);
    }
}
