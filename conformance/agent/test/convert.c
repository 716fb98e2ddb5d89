/* SPDX-License-Identifier: BSD-2-Clause */
/* Core's structures are unchanged after conversion to the other side and back. */
#include <criterion/criterion.h>
#include <string.h>
#include "agent/protocol.h"
#include "sim/iba_random.h"
#include "transport/iba_wr_ops.h"

static const struct ibc_address there = {
    .mac = 0x020000000003, .ipv4 = 0x0a000003, .ipv6 = {0x20, 1, [15] = 3}, .gid = {0xfe, 0x80, [15] = 3}, .lid = 24};
static const struct ibc_address partner = {.mac = 0x020000000002, .ipv4 = 0x0a000002, .lid = 16};

static const struct ibc_address nowhere;

static bool same(const struct ibc_address *a, const struct ibc_address *b)
{
    return a->mac == b->mac && a->ipv4 == b->ipv4 && a->lid == b->lid && memcmp(a->ipv6, b->ipv6, 16) == 0 &&
           memcmp(a->gid, b->gid, 16) == 0;
}

/* One side reads the same values that the other side writes. */
static void over_the_line(enum ag_verb verb, const struct ag_request *q, struct ag_request *read)
{
    static char line[AG_LINE];
    static struct ag_reply no;
    const size_t n = ag_write_request(q, line, sizeof line);

    cr_assert_eq(q->verb, verb);
    cr_assert_gt(n, 0);
    cr_assert_eq(ag_read_request(line, n, read, &no), AG_FINE, "%s: %s", line, no.text);
}

static struct ag_request q, r;

Test(convert, addresses)
{
    const struct ibc_address none = {0};
    const struct ag_address a = ag_from_address(&there), b = ag_from_address(&none);
    const struct ibc_address back = ag_to_address(&a), nothing = ag_to_address(&b);

    cr_assert(same(&back, &there));
    cr_assert(same(&nothing, &none));
    cr_assert_eq(b.given, 0);
}

static struct ibc_qp_attr back_from(const struct ibc_qp_attr *a, struct ibc_address room[2])
{
    struct ibc_qp_attr back;

    q = (struct ag_request){.verb = AG_V_modify_qp};
    ag_from_modify(&q.u.modify_qp, 0x123456, a, &partner);
    over_the_line(AG_V_modify_qp, &q, &r);
    cr_assert_eq(r.u.modify_qp.qpn, 0x123456);
    ag_to_modify(&back, &r.u.modify_qp, room);
    return back;
}

/* Each attribute alone: no other is set with it, and its value is unchanged. */
Test(convert, attributes_one_by_one)
{
    static const uint32_t bits[] = {
#define BIT(name, bit, words) 1u << (bit),
        IBA_QP_ATTRS(BIT)};
    struct ibc_address room[2];

    for (size_t i = 1; i < sizeof bits / sizeof *bits; i++) { /* the first is the state itself */
        const struct ibc_qp_attr a = {.a = {.state = IBA_QPS_RTR,
                                            .cur_state = IBA_QPS_INIT,
                                            .access = IBA_ACCESS_REMOTE,
                                            .pkey_index = 3,
                                            .port = 2,
                                            .path_mtu = IBA_MTU_2048,
                                            .timeout = 14,
                                            .retry = 6,
                                            .rnr_retry = 5,
                                            .min_rnr = 12,
                                            .max_rd = 4,
                                            .max_dest_rd = 8,
                                            .path_mig = IBA_PATH_REARM,
                                            .sqd_notify = true,
                                            .flow_control = true,
                                            .qkey = 0x80010000,
                                            .dest_qpn = 0xabcdef,
                                            .rq_psn = 0xffffff,
                                            .sq_psn = 0x7fffff},
                                      .mask = bits[i]};
        const struct ibc_qp_attr back = back_from(&a, room);
        cr_assert_eq(back.mask, a.mask, "bit %zu: %x", i, back.mask);
        cr_assert_eq(back.a.state, IBA_QPS_RTR);
        if (bits[i] == IBA_QPA_PATH_MTU)
            cr_assert_eq(back.a.path_mtu, IBA_MTU_2048);
        if (bits[i] == IBA_QPA_DEST_QPN)
            cr_assert(back.a.dest_qpn == 0xabcdef && back.a.flow_control);
        if (bits[i] == IBA_QPA_ACCESS)
            cr_assert_eq(back.a.access, IBA_ACCESS_REMOTE);
        if (bits[i] == IBA_QPA_PATH_MIG)
            cr_assert_eq(back.a.path_mig, IBA_PATH_REARM);
        if (bits[i] == IBA_QPA_SQ_PSN)
            cr_assert(back.a.sq_psn == 0x7fffff && back.a.rq_psn == 0);
    }
}

Test(convert, paths)
{
    struct ibc_qp_attr a = {.mask = IBA_QPA_AV | IBA_QPA_ALT_PATH,
                            .hop = 7,
                            .tclass = 8,
                            .sl = 9,
                            .flow = 0xfffff,
                            .to = &there,
                            .path = {.tagged = true, .vlan = 5, .sport = 0xc000, .gid_index = 1, .path_bits = 2},
                            .av_port = 2,
                            .alt_port = 1};
    struct ibc_address room[2];
    struct ibc_qp_attr back = back_from(&a, room);

    cr_assert(back.to && same(back.to, &there) && !back.alt);
    cr_assert(back.hop == 7 && back.tclass == 8 && back.sl == 9 && back.flow == 0xfffff);
    cr_assert(back.path.tagged && back.path.vlan == 5 && back.path.sport == 0xc000);
    cr_assert(back.path.gid_index == 1 && back.path.path_bits == 2);
    cr_assert(back.av_port == 2 && back.alt_port == 1);
    a.to = NULL;
    a.to_partner = true;
    a.path.tagged = false;
    back = back_from(&a, room);
    cr_assert(back.to && same(back.to, &partner) && back.alt && same(back.alt, &partner),
              "the other device is an address");
    cr_assert_not(back.path.tagged);
    a.to_partner = false;
    back = back_from(&a, room);
    cr_assert(!back.to && !back.alt, "the tester");
    a.alt = &nowhere;
    back = back_from(&a, room);
    cr_assert(!back.to && back.alt && same(back.alt, &nowhere), "no address is not the tester's");
}

static struct ibc_send sent(const struct ibc_send *s, bool datagram, struct ibc_address *room)
{
    struct ibc_send back;

    q = (struct ag_request){.verb = AG_V_post_send};
    ag_from_send(&q.u.post_send, 0x000777, s, datagram);
    over_the_line(AG_V_post_send, &q, &r);
    ag_to_send(&back, &r.u.post_send, room);
    return back;
}

static struct ibc_send any_send(enum iba_wr_op op)
{
    struct ibc_send s;

    memset(&s, 0, sizeof s);
    s.wr.op = (uint8_t)op;
    s.wr.wr_id = UINT64_C(0xfedcba9876543210);
    s.wr.flags = IBA_WR_SIGNALED | IBA_WR_FENCE;
    s.wr.imm_or_key = 0xdeadbeef;
    s.wr.n_sge = 2;
    s.wr.sge[0] = (struct iba_sge){.addr = UINT64_MAX, .length = 5, .lkey = 6};
    s.wr.sge[1] = (struct iba_sge){.addr = 1, .length = UINT32_MAX, .lkey = 7};
    return s;
}

Test(convert, work_requests_of_connections)
{
    for (unsigned op = 0; op < IBA_WR_RECV; op++) {
        struct ibc_send s = any_send((enum iba_wr_op)op), back;
        struct ibc_address room;
        if (op == IBA_WR_BIND_MW) {
            s.wr.bind.mw_rkey = 1, s.wr.bind.mr_lkey = 2, s.wr.bind.va = 3, s.wr.bind.length = UINT64_MAX;
            s.wr.bind.access = IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_ZERO_BASED, s.wr.bind.key_byte = 9;
        } else {
            s.wr.va = UINT64_C(0x7f4c00000000), s.wr.rkey = 0x1234, s.wr.xrc_srqn = 77;
        }
        if (op == IBA_WR_CMP_SWAP || op == IBA_WR_FETCH_ADD)
            s.wr.compare_add = UINT64_MAX, s.wr.swap = 1;
        if (op == IBA_WR_FLUSH)
            s.wr.flush_placement = 3, s.wr.flush_selectivity = 1;
        back = sent(&s, false, &room);
        cr_assert_eq(memcmp(&back.wr, &s.wr, sizeof s.wr), 0, "%s", iba_wr_op_name((enum iba_wr_op)op));
    }
}

Test(convert, work_requests_of_datagrams)
{
    static const uint8_t group[16] = {0xff, 0x0e, [15] = 9};
    struct ibc_send s = any_send(IBA_WR_SEND_IMM), back;
    struct ibc_address room;

    s.wr.remote_qpn = 0xffffff;
    s.wr.remote_qkey = 0x11111111;
    s.dest = (struct ibc_ah_spec){.to = &there, .hop = 1, .tclass = 2, .sl = 3, .path = {.sport = 4, .gid_index = 5}};
    back = sent(&s, true, &room);
    cr_assert_eq(memcmp(&back.wr, &s.wr, sizeof s.wr), 0);
    cr_assert(back.dest.to && same(back.dest.to, &there) && !back.dest.group);
    cr_assert(back.dest.hop == 1 && back.dest.tclass == 2 && back.dest.sl == 3);
    cr_assert(back.dest.path.sport == 4 && back.dest.path.gid_index == 5 && !back.dest.path.tagged);
    s.dest = (struct ibc_ah_spec){.group = group, .path = {.tagged = true, .vlan = 0}};
    back = sent(&s, true, &room);
    cr_assert(back.dest.group && memcmp(back.dest.group, group, 16) == 0 && !back.dest.to);
    cr_assert(back.dest.path.tagged && back.dest.path.vlan == 0);
    cr_assert(!back.dest.has_pd && !back.dest.none && back.dest.port == 0);
    s.dest = (struct ibc_ah_spec){.has_pd = true, .pd = 0, .none = true, .port = 2};
    back = sent(&s, true, &room);
    cr_assert(back.dest.has_pd && back.dest.pd == 0 && back.dest.none && back.dest.port == 2);
    s.dest = (struct ibc_ah_spec){0};
    back = sent(&s, true, &room);
    cr_assert(!back.dest.to && !back.dest.group, "the tester");
    cr_assert_eq(back.wr.remote_qkey, 0x11111111);
}

Test(convert, receives_completions_events)
{
    const struct iba_recv_wr wr = {.wr_id = 5, .n_sge = 1, .sge = {{.addr = 1, .length = 2, .lkey = 3}}};
    const struct ag_recv recv = ag_from_recv(&wr);
    const struct iba_recv_wr wr_back = ag_to_recv(&recv);
    const struct iba_event event = {.kind = IBA_EVENT_PKEY_VIOLATION, .port = 1, .object = 2, .a = 3, .b = 4};
    const struct ag_event e = ag_from_event(&event);
    const struct iba_event event_back = ag_to_event(&e);
    static const uint8_t flags[] = {0, IBA_WC_WITH_IMM, IBA_WC_WITH_INV, IBA_WC_GRH | IBA_WC_SOLICITED};

    cr_assert(wr_back.wr_id == 5 && wr_back.n_sge == 1 && wr_back.sge[0].addr == 1 && wr_back.sge[0].length == 2);
    cr_assert(wr_back.sge[0].lkey == 3);
    cr_assert(event_back.kind == event.kind && event_back.port == 1 && event_back.object == 2);
    cr_assert(event_back.a == 3 && event_back.b == 4);
    for (unsigned i = 0; i < sizeof flags; i++) {
        const struct iba_wc wc = {.wr_id = UINT64_MAX,
                                  .status = IBA_WC_REMOTE_ACCESS,
                                  .op = IBA_WR_RECV_WRITE_IMM,
                                  .flags = flags[i],
                                  .sl = 1,
                                  .path_bits = 2,
                                  .slid = 3,
                                  .pkey_index = 4,
                                  .byte_len = 5,
                                  .imm_or_key = 6,
                                  .qpn = 7,
                                  .src_qpn = 8,
                                  .srqn = 9};
        const struct ag_wc a = ag_from_wc(&wc);
        const struct iba_wc b = ag_to_wc(&a);
        cr_assert(b.wr_id == wc.wr_id && b.status == wc.status && b.op == wc.op && b.flags == wc.flags);
        cr_assert(b.sl == 1 && b.path_bits == 2 && b.slid == 3 && b.pkey_index == 4 && b.byte_len == 5);
        cr_assert(b.imm_or_key == 6 && b.qpn == 7 && b.src_qpn == 8 && b.srqn == 9);
    }
}
