/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of requests. */
#include "requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

static uint64_t pmtu_of(const struct iba_qp *qp)
{
    return UINT64_C(128) << qp->attr.path_mtu;
}

/* Checks the packets of one message of `len` bytes: their opcodes are those that the architecture orders (WF-64), and
 * every byte is as expected. */
static void expect_message(enum iba_wr_op op, uint32_t len, uint32_t psn, bool reliable)
{
    const uint8_t svc = reliable ? 0 : 0x20;
    const uint32_t p = (uint32_t)pmtu_of(b.qp), n = len == 0 ? 1 : (len + p - 1) / p;
    const bool write = op == IBA_WR_WRITE || op == IBA_WR_WRITE_IMM,
               imm = op == IBA_WR_SEND_IMM || op == IBA_WR_WRITE_IMM;
    const uint8_t first = write ? IBA_RC_WRITE_FIRST : IBA_RC_SEND_FIRST;
    const uint8_t last = op == IBA_WR_SEND_INV ? IBA_RC_SEND_LAST_INV : (uint8_t)(first + 2 + imm);
    const uint8_t only = op == IBA_WR_SEND_INV ? IBA_RC_SEND_ONLY_INV : (uint8_t)(first + 4 + imm);

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = i * p, here = i + 1 == n ? len - at : p;
        const bool ends = i + 1 == n;
        EXPECT_SENT(svc | (n == 1 ? only : ends ? last : i == 0 ? first : first + 1), (psn + i) & 0xffffff);
        cr_assert_eq(b.v.payload_len, here);
        cr_assert_eq(b.v.pad, (4 - here % 4) % 4); /* WF-31 */
        cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory + at, here), 0);
        for (uint32_t k = 0; k < b.v.pad; k++)
            cr_assert_eq(b.v.wire[b.v.payload_at + here + k], 0);
        cr_assert_eq(iba_bth_a(b.bth), reliable && (ends || i % 64 == 63)); /* RQ-05, WF-38 */
        cr_assert_eq(iba_bth_m(b.bth), 1);
        cr_assert_eq(iba_bth_se(b.bth), 0);
        cr_assert_eq(iba_bth_tver(b.bth), 0);
        cr_assert_eq(iba_bth_p_key(b.bth), 0xffff);
        cr_assert_eq(iba_bth_destqp(b.bth), PEER);
        if (write && i == 0) {
            cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000);
            cr_assert_eq(iba_reth_r_key(sent(IBA_H_reth)), 0xabcd);
            cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), len);
        }
        if (ends && imm)
            cr_assert_eq(iba_immdt_data(sent(IBA_H_immdt)), 0x01020304);
        if (ends && op == IBA_WR_SEND_INV)
            cr_assert_eq(iba_ieth_r_key(sent(IBA_H_ieth)), 0x01020304);
    }
    EXPECT_SILENCE();
}

/* Sizes around the limits of packets, 0 to 3 * PMTU + 1, at each path MTU. */
Test(requester_packet, segmentation)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_SEND_INV, IBA_WR_WRITE, IBA_WR_WRITE_IMM};

    for (uint8_t mtu = IBA_MTU_256; mtu <= IBA_MTU_4096; mtu++)
        for (unsigned o = 0; o < sizeof ops; o++) {
            uint32_t psn = 0xfffff0; /* the PSN wraps (RQ-01) */
            START(IBA_QPT_RC, s.mtu = mtu, s.psn = psn);
            for (uint32_t len = 0; len <= 3 * pmtu_of(b.qp) + 1;
                 len += len % (pmtu_of(b.qp) / 2) < 9 ? 1 : (uint32_t)pmtu_of(b.qp) / 2 - 11) {
                post((enum iba_wr_op)ops[o], len, len);
                expect_message((enum iba_wr_op)ops[o], len, psn, true);
                psn += len == 0 ? 1 : (len + (uint32_t)pmtu_of(b.qp) - 1) / (uint32_t)pmtu_of(b.qp);
                ack((psn - 1) & 0xffffff);
                EXPECT_WC(len, IBA_WC_SUCCESS);
            }
        }
}

Test(requester_packet, every_size_at_the_smallest_mtu)
{
    uint32_t psn = 0;

    START(IBA_QPT_RC, s.mtu = IBA_MTU_256, s.psn = 0);
    for (uint32_t len = 0; len <= 3 * 256 + 1; len++) {
        post(IBA_WR_SEND, len, len);
        expect_message(IBA_WR_SEND, len, psn, true);
        psn += len == 0 ? 1 : (len + 255) / 256;
        ack(psn - 1);
        EXPECT_WC(len, IBA_WC_SUCCESS);
    }
}

Test(requester_packet, ackreq_every_64_packets)
{
    START(IBA_QPT_RC, s.mtu = IBA_MTU_256);
    post(IBA_WR_SEND, 1, 200 * 256);
    expect_message(IBA_WR_SEND, 200 * 256, 100, true);
}

Test(requester_packet, gathers_from_several_buffers)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_SEND, 1, 3);
    w.n_sge = 4;
    for (unsigned i = 1; i < 4; i++)
        w.sge[i] = (struct iba_sge){.addr = IOVA + 1000 * i, .length = i == 2 ? 0 : 700, .lkey = b.lkey};
    post_wr(&w);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory, 3), 0);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at + 3, b.memory + 1000, 700), 0);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at + 703, b.memory + 3000, 321), 0);
    EXPECT_SENT(IBA_RC_SEND_LAST, 101);
    cr_assert_eq(b.v.payload_len, 379);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory + 3321, 379), 0);
}

/* WF-28, RQ-16 */
Test(requester_packet, solicited_only_where_it_is_received)
{
    for (unsigned op = IBA_WR_SEND; op <= IBA_WR_ATOMIC_WRITE; op++) {
        struct iba_send_wr w;
        unsigned marked = 0, n = 0;

        START(IBA_QPT_RC, (void)0);
        w = wr_of((enum iba_wr_op)op, 1, 3000);
        w.flags = IBA_WR_SOLICITED;
        post_wr(&w);
        for (; sends(); n++)
            marked += iba_bth_se(b.bth) ? 1u << n : 0;
        cr_assert_eq(marked, op == IBA_WR_WRITE || op >= IBA_WR_READ ? 0 : 1u << (n - 1), "op %u", op);
    }
}

/* RQ-02: the number of PSNs that a request takes. */
Test(requester_packet, psns_of_requests)
{
    START(IBA_QPT_RC, s.max_rd = 100, s.psn = 0xfffffd);
    post(IBA_WR_READ, 1, 3 * 1024);
    post(IBA_WR_READ, 2, 0);
    post(IBA_WR_FETCH_ADD, 3, 8);
    post(IBA_WR_FLUSH, 4, 1 << 20);
    post(IBA_WR_ATOMIC_WRITE, 5, 8);
    post(IBA_WR_SEND, 6, 1);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 0xfffffd);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 3072);
    cr_assert_eq(b.v.payload_len, 0);
    EXPECT_SENT(IBA_RC_READ_REQUEST, 0);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 0); /* RQ-12 */
    EXPECT_SENT(IBA_RC_FETCH_ADD, 1);
    EXPECT_SENT(IBA_RC_FLUSH, 2);
    EXPECT_SENT(IBA_RC_ATOMIC_WRITE, 3);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 4);
}

Test(requester_packet, atomic_headers)
{
    START(IBA_QPT_RC, (void)0);
    post(IBA_WR_CMP_SWAP, 1, 8);
    post(IBA_WR_FETCH_ADD, 2, 8);
    EXPECT_SENT(IBA_RC_CMP_SWAP, 100);
    cr_assert_eq(iba_atomiceth_va(sent(IBA_H_atomiceth)), 0x7000);
    cr_assert_eq(iba_atomiceth_r_key(sent(IBA_H_atomiceth)), 0xabcd);
    cr_assert_eq(iba_atomiceth_cmpdt(sent(IBA_H_atomiceth)), 11);
    cr_assert_eq(iba_atomiceth_swapdt(sent(IBA_H_atomiceth)), 22);
    EXPECT_SENT(IBA_RC_FETCH_ADD, 101);
    cr_assert_eq(iba_atomiceth_swapdt(sent(IBA_H_atomiceth)), 11);
    cr_assert_eq(iba_atomiceth_cmpdt(sent(IBA_H_atomiceth)), 0); /* WF-45 */
}

Test(requester_packet, flush_and_atomic_write_headers)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    w = wr_of(IBA_WR_FLUSH, 1, 77);
    w.flush_placement = 3;
    w.flush_selectivity = 1;
    post_wr(&w);
    post(IBA_WR_ATOMIC_WRITE, 2, 8);
    EXPECT_SENT(IBA_RC_FLUSH, 100);
    cr_assert_eq(iba_feth_placement(sent(IBA_H_feth)), 3);
    cr_assert_eq(iba_feth_selectivity(sent(IBA_H_feth)), 1);
    cr_assert_eq(iba_reth_va(sent(IBA_H_reth)), 0x7000);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 77);
    cr_assert_eq(b.v.payload_len, 0);
    EXPECT_SENT(IBA_RC_ATOMIC_WRITE, 101);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 8);
    cr_assert_eq(b.v.payload_len, 8);
    cr_assert_eq(memcmp(b.v.wire + b.v.payload_at, b.memory, 8), 0);
}

/* ---- UC ---- */

Test(requester_packet, uc_completes_when_sent)
{
    START(IBA_QPT_UC, s.psn = 0xfffffe);
    post(IBA_WR_SEND_IMM, 1, 3000);
    cr_assert(no_wc());
    expect_message(IBA_WR_SEND_IMM, 3000, 0xfffffe, false);
    EXPECT_WC(1, IBA_WC_SUCCESS); /* UU-13 */
    post(IBA_WR_WRITE, 2, 1024);
    expect_message(IBA_WR_WRITE, 1024, 1, false);
    EXPECT_WC(2, IBA_WC_SUCCESS);
    cr_assert_eq(iba_ca_deadline(&b.ca), IBA_NEVER);
}

Test(requester_packet, uc_local_fault_is_sqe)
{
    const struct iba_qp_attr a = {0};
    struct iba_send_wr w;

    START(IBA_QPT_UC, (void)0);
    post(IBA_WR_SEND, 1, 10);
    w = wr_of(IBA_WR_SEND, 2, 10);
    w.sge[0].lkey ^= 1;
    post_wr(&w);
    post(IBA_WR_SEND, 3, 10);
    cr_assert_eq(sends_all(), 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    EXPECT_WC(2, IBA_WC_LOCAL_PROTECTION);
    EXPECT_WC(3, IBA_WC_FLUSHED);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE); /* UU-14 */
    post(IBA_WR_SEND, 4, 10);
    EXPECT_WC(4, IBA_WC_FLUSHED);
    modify(IBA_QPS_RTS, &a, 0);
    post(IBA_WR_SEND, 5, 10);
    EXPECT_SENT(IBA_UC_SEND_ONLY, 101);
    EXPECT_WC(5, IBA_WC_SUCCESS);
}

/* ---- UD ---- */

static struct iba_send_wr datagram(uint64_t id, uint32_t len, uint32_t qkey)
{
    struct iba_send_wr w = wr_of(IBA_WR_SEND, id, len);
    const struct iba_av av = bench_av();

    if (!b.ca.ah[0].used)
        cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
    w.remote_qpn = 0x777;
    w.remote_qkey = qkey;
    return w;
}

Test(requester_packet, ud_datagrams)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, s.psn = 0xffffff);
    w = datagram(1, 0, 0x7fffffff);
    post_wr(&w);
    EXPECT_SENT(IBA_UD_SEND_ONLY, 0xffffff);
    cr_assert_eq(iba_bth_destqp(b.bth), 0x777);
    cr_assert_eq(iba_bth_a(b.bth), 0);
    cr_assert_eq(iba_deth_q_key(sent(IBA_H_deth)), 0x7fffffff);
    cr_assert_eq(iba_deth_srcqp(sent(IBA_H_deth)), QPN);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    w = datagram(2, 4096, 0x80000001); /* PV-21 */
    w.op = IBA_WR_SEND_IMM;
    w.flags = IBA_WR_SOLICITED;
    w.remote_qpn = 0xffffff;
    post_wr(&w);
    EXPECT_SENT(IBA_UD_SEND_ONLY_IMM, 0);
    cr_assert_eq(iba_bth_destqp(b.bth), 0xffffff); /* UU-24 */
    cr_assert_eq(iba_bth_se(b.bth), 1);
    cr_assert_eq(iba_deth_q_key(sent(IBA_H_deth)), QKEY);
    cr_assert_eq(iba_immdt_data(sent(IBA_H_immdt)), 0x01020304);
    cr_assert_eq(b.v.payload_len, 4096);
    EXPECT_WC(2, IBA_WC_SUCCESS);
}

/* UU-16: verbs refuse a datagram that is too long when it is posted. A port's MTU may shrink before it is sent. */
Test(requester_packet, ud_too_long)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, (void)0);
    w = datagram(1, 4097, 5);
    iba_requester_post(&b.ca, b.qp, &w);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE); /* UU-28 */
}

Test(requester_packet, ud_without_its_address)
{
    struct iba_send_wr w;

    START(IBA_QPT_UD, (void)0);
    w = datagram(1, 10, 5);
    post_wr(&w);
    cr_assert_eq(iba_destroy_ah(&b.ca, w.ah), IBA_VERB_OK);
    EXPECT_SILENCE();
    EXPECT_WC(1, IBA_WC_LOCAL_QP_OPERATION);
    cr_assert_eq(b.qp->state, IBA_QPS_SQE);
}

/* ---- raw ---- */

static bool emits(struct iba_tx *tx)
{
    *tx = (struct iba_tx){.buf = b.frame, .cap = sizeof b.frame, .port = iba_ca_port(&b.ca, 1)};
    return iba_requester_emit(&b.ca, b.qp, b.now, tx);
}

Test(requester_packet, raw_datagrams)
{
    struct iba_send_wr w;
    struct iba_tx tx;
    struct iba_av av = {.port = 1, .dlid = 0x22, .sl = 3};

    START(IBA_QPT_UD, (void)0);
    iba_port_init(iba_ca_port(&b.ca, 1), 1, IBA_PORT_IB, IBA_MTU_4096, 0x020000000001);
    iba_ca_port(&b.ca, 1)->lid = 0x11;
    w = wr_of(IBA_WR_SEND, 1, 64);
    cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
    w.imm_or_key = 0x0800;
    for (uint8_t type = IBA_QPT_RAW_IPV6; type <= IBA_QPT_RAW_ETHERTYPE; type++) {
        const size_t rwh = type == IBA_QPT_RAW_IPV6 ? 0 : 4;
        b.qp->type = type;
        iba_requester_post(&b.ca, b.qp, &w);
        cr_assert(emits(&tx));
        cr_assert_eq(tx.envelope, 8);
        cr_assert_eq(tx.body, 64 + rwh);
        cr_assert_eq(iba_lrh_lnh(b.frame), type == IBA_QPT_RAW_IPV6); /* WF-02 */
        cr_assert_eq(iba_lrh_dlid(b.frame), 0x22);
        cr_assert(rwh == 0 || iba_rwh_etype(b.frame + 8) == 0x0800);
        cr_assert_eq(memcmp(b.frame + 8 + rwh, b.memory, 64), 0);
        const size_t len = iba_envelope_seal(tx.port, b.frame, tx.envelope, tx.body);
        cr_assert_eq(len, 8 + rwh + 64 + 2);
        iba_view_parse(&b.v, IBA_LINK_IB, b.frame, len, len, NULL);
        iba_view_check(&b.v);
        cr_assert_eq(b.v.proto, IBA_PROTO_IB_RAW);
        cr_assert_eq(b.v.vcrc, IBA_CHECK_GOOD);
        EXPECT_WC(1, IBA_WC_SUCCESS);
    }
    w.sge[0].length = 63; /* WF-58 */
    iba_requester_post(&b.ca, b.qp, &w);
    cr_assert_not(emits(&tx));
    EXPECT_WC(1, IBA_WC_LOCAL_LENGTH);
}

/* WF-09, WF-58: the least length, and whole words. An IPv6 header or the RWH counts. */
Test(requester_packet, lengths_of_raw_packets)
{
    for (uint8_t type = IBA_QPT_RAW_IPV6; type <= IBA_QPT_RAW_ETHERTYPE; type++)
        for (uint32_t length = 0; length <= 16; length++) {
            const bool fits = length % 4 == 0 && length >= (type == IBA_QPT_RAW_IPV6 ? 12 : 8);
            struct iba_av av = {.port = 1, .dlid = 0x22};
            struct iba_send_wr w;
            struct iba_tx tx;
            START(IBA_QPT_UD, (void)0);
            iba_port_init(iba_ca_port(&b.ca, 1), 1, IBA_PORT_IB, IBA_MTU_4096, 0x020000000001);
            iba_ca_port(&b.ca, 1)->lid = 0x11;
            w = wr_of(IBA_WR_SEND, 1, length);
            cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
            w.imm_or_key = 0xfe08;
            b.qp->type = type;
            iba_requester_post(&b.ca, b.qp, &w);
            memset(b.frame, 0xee, sizeof b.frame);
            cr_expect_eq(emits(&tx), fits, "type %u, %u bytes", type, length);
            EXPECT_WC(1, fits ? IBA_WC_SUCCESS : IBA_WC_LOCAL_LENGTH);
            cr_expect_eq(b.qp->state, fits ? IBA_QPS_RTS : IBA_QPS_SQE);
            if (fits && type == IBA_QPT_RAW_ETHERTYPE)
                cr_expect_arr_eq(b.frame + 8, ((const uint8_t[]){0, 0, 0xfe, 0x08}), 4, "the RWH has 2 reserved bytes");
        }
}

/* QS-82, UU-42, WF-26, WF-35: address handles that a datagram may not use when its turn comes. */
enum handle_fault { USABLE, FREED, NOT_THERE, OTHER_DOMAIN, OTHER_PORT, NO_GRH, HANDLE_FAULTS };

static void send_with(enum handle_fault f, uint8_t type, bool ib, bool group)
{
    struct iba_av av = bench_av();
    struct iba_send_wr w;
    struct iba_tx tx;

    START(IBA_QPT_UD, (void)0);
    av.dlid = ib ? 0x22 : 0;
    if (ib) {
        iba_port_init(iba_ca_port(&b.ca, 1), 1, IBA_PORT_IB, IBA_MTU_4096, 0x020000000001);
        iba_ca_port(&b.ca, 1)->lid = 0x11;
    }
    w = wr_of(IBA_WR_SEND, 1, 64);
    cr_assert_eq(iba_create_ah(&b.ca, b.pd, &av, &w.ah), IBA_VERB_OK);
    w.remote_qpn = group ? 0xffffff : 0x777;
    b.qp->type = type;
    b.ca.ah[w.ah].used = f != FREED;
    b.ca.ah[w.ah].pd ^= f == OTHER_DOMAIN;
    b.ca.ah[w.ah].av.port = f == OTHER_PORT ? 2 : 1;
    b.ca.ah[w.ah].av.grh = f != NO_GRH;
    if (f == NOT_THERE) {
        b.ca.ah[1] = b.ca.ah[0];
        b.ca.n_ah = 1;
        w.ah = 1;
    }
    iba_requester_post(&b.ca, b.qp, &w);
    const bool raw = type == IBA_QPT_RAW_ETHERTYPE, usable = f == NO_GRH ? raw || !group || !ib : f == USABLE;
    cr_expect_eq(emits(&tx), usable && (ib || !raw), "fault %u of type %u, IB %u, group %u", f, type, ib, group);
    EXPECT_WC(1, usable && (ib || !raw) ? IBA_WC_SUCCESS : IBA_WC_LOCAL_QP_OPERATION);
}

Test(requester_packet, address_handles)
{
    static const uint8_t types[] = {IBA_QPT_UD, IBA_QPT_RAW_ETHERTYPE};

    for (enum handle_fault f = USABLE; f < HANDLE_FAULTS; f++)
        for (unsigned i = 0; i < 8; i++)
            send_with(f, types[i & 1], i & 2, i & 4);
}

/* WF-30, WF-35: the bits and the P_Key that the state of the path and the QP's entry of the table decide. */
Test(requester_packet, path_bits_of_the_bth)
{
    static const uint8_t states[] = {IBA_PATH_MIGRATED, IBA_PATH_REARM, IBA_PATH_ARMED};

    for (unsigned i = 0; i < 6; i++) {
        START(IBA_QPT_RC, (void)0);
        b.ca.port[0].n_pkey = 2;
        b.ca.port[0].pkey[1] = 0x8123;
        b.qp->attr.pkey_index = i & 1;
        b.qp->attr.path_mig = states[i / 2];
        post(IBA_WR_SEND, 1, 10);
        EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
        cr_assert_eq(iba_bth_m(b.bth), states[i / 2] == IBA_PATH_MIGRATED);
        cr_assert_eq(iba_bth_p_key(b.bth), i & 1 ? 0x8123 : 0xffff);
    }
}

/* PV-14: packets of QP0 have the default P_Key, those of QP1 and of other datagrams that of the QP's entry. */
Test(requester_packet, pkeys_of_datagrams)
{
    static const uint8_t types[] = {IBA_QPT_UD, IBA_QPT_GSI, IBA_QPT_SMI};

    for (unsigned i = 0; i < sizeof types; i++) {
        START(IBA_QPT_UD, (void)0);
        b.ca.port[0].n_pkey = 2;
        b.ca.port[0].pkey[1] = 0x8123;
        b.qp->attr.pkey_index = 1;
        b.qp->type = types[i];
        const struct iba_send_wr w = datagram(1, 256, QKEY);
        iba_requester_post(&b.ca, b.qp, &w);
        EXPECT_SENT(IBA_UD_SEND_ONLY, 100);
        cr_expect_eq(iba_bth_p_key(b.bth), types[i] == IBA_QPT_SMI ? 0xffff : 0x8123, "type %u", types[i]);
    }
}

/* RQ-60: XRC requests name the receiving SRQ in every packet, and otherwise equal those of RC. */
Test(requester_packet, xrc)
{
    struct iba_send_wr w;

    START(IBA_QPT_RC, (void)0);
    b.qp->type = IBA_QPT_XRC_INI;
    w = wr_of(IBA_WR_SEND, 1, 3000);
    w.xrc_srqn = 0x4321;
    iba_requester_post(&b.ca, b.qp, &w);
    w = wr_of(IBA_WR_READ, 2, 10);
    w.xrc_srqn = 0x8765;
    iba_requester_post(&b.ca, b.qp, &w);
    EXPECT_SENT(IBA_XRC_SEND_FIRST, 100);
    cr_assert_eq(iba_xrceth_srqn(sent(IBA_H_xrceth)), 0x4321);
    EXPECT_SENT(IBA_XRC_SEND_MIDDLE, 101);
    cr_assert_eq(iba_xrceth_srqn(sent(IBA_H_xrceth)), 0x4321);
    EXPECT_SENT(IBA_XRC_SEND_LAST, 102);
    cr_assert_eq(iba_xrceth_srqn(sent(IBA_H_xrceth)), 0x4321);
    EXPECT_SENT(IBA_XRC_READ_REQUEST, 103);
    cr_assert_eq(iba_xrceth_srqn(sent(IBA_H_xrceth)), 0x8765);
    cr_assert_eq(iba_reth_dmalen(sent(IBA_H_reth)), 10);
    data(IBA_XRC_ACKNOWLEDGE, 102, NULL, 0);
    EXPECT_ROW("ACK", 1);
    EXPECT_WC(1, IBA_WC_SUCCESS);
    data(IBA_XRC_READ_RESP_ONLY, 103, b.memory, 10);
    EXPECT_ROW("READ_DATA", 1);
    EXPECT_WC(2, IBA_WC_SUCCESS);
}

static bool is_sent(unsigned code)
{
    for (unsigned op = 0; op < IBA_WR_RECV; op++)
        for (unsigned pos = IBA_FIRST; pos <= IBA_ONLY && !(iba_send_forms[op].traits & IBA_FORM_LOCAL); pos++)
            if (iba_send_forms[op].opcode[pos] == code)
                return true;
    return false;
}

Test(requester_packet, each_request_of_the_opcode_table_has_a_work_request)
{
    for (unsigned code = IBA_RC << 5; code < (IBA_RC + 1) << 5; code++)
        if (iba_opcodes[code].name && iba_opcodes[code].dir == IBA_REQ)
            cr_assert(is_sent(code), "core/transport/iba_send_forms.c: no work request sends opcode 0x%02x, %s", code,
                      iba_opcodes[code].name);
}
