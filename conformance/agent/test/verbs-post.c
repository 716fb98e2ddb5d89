/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target over a pretended libibverbs: work requests, states, completions, events. */
#include "adapter.h"
#include "transport/iba_wr_ops.h"
#include <errno.h>

static void refuse(const char *name, int error)
{
    adapter.refuses = name;
    adapter.error = error;
}

struct side {
    uint32_t pd, cq, srq, qpn;
    struct ibc_mr mr;
};

static struct verbs *open_with_qp(enum ibc_link link, enum iba_qp_type type, struct side *s)
{
    struct verbs *v = adapter_open(link);
    struct ibc_qp_spec spec = {.type = (uint8_t)type};
    const struct ibc_mr_spec m = {.length = 64, .fill = 'a'};

    OK(verbs_create_pd(&v->t, 0, &s->pd));
    OK(verbs_create_cq(&v->t, 0, 8, &s->cq));
    OK(verbs_create_srq(&v->t, 0, s->pd, 8, 0, &s->srq));
    OK(verbs_create_qp(&v->t, 0, &spec, &s->qpn));
    OK(verbs_reg_mr(&v->t, 0, &m, &s->mr));
    adapter.said[0] = 0;
    return v;
}

/* ---- work requests ---- */

static struct ibc_send send_of(enum iba_wr_op op)
{
    return (struct ibc_send){.wr = {.wr_id = 0x23456789abcde,
                                    .op = (uint8_t)op,
                                    .imm_or_key = 0x11223344,
                                    .va = 0x5000,
                                    .rkey = 0x77,
                                    .xrc_srqn = 0x99,
                                    .n_sge = 2,
                                    .sge = {{.addr = 0x1000, .length = 5, .lkey = 6}, {.addr = 0x2000, .length = 7}}}};
}

#define SGES " [1000 5 6] [2000 7 0]\n"

Test(post, operations)
{
    static const struct {
        enum iba_wr_op op;
        const char *call;
    } rows[] = {
        {IBA_WR_SEND, "op 2 flags 0 imm 44332211 at 5000 77 srq 0" SGES},
        {IBA_WR_SEND_IMM, "op 3 flags 0 imm 44332211 at 5000 77 srq 0" SGES},
        {IBA_WR_SEND_INV, "op 9 flags 0 imm 11223344 at 5000 77 srq 0" SGES},
        {IBA_WR_WRITE, "op 0 flags 0 imm 44332211 at 5000 77 srq 0" SGES},
        {IBA_WR_WRITE_IMM, "op 1 flags 0 imm 44332211 at 5000 77 srq 0" SGES},
        {IBA_WR_READ, "op 4 flags 0 imm 44332211 at 5000 77 srq 0" SGES},
        {IBA_WR_CMP_SWAP, "op 5 flags 0 imm 44332211 at 5000 77 add aa swap bb" SGES},
        {IBA_WR_FETCH_ADD, "op 6 flags 0 imm 44332211 at 5000 77 add aa swap bb" SGES},
        {IBA_WR_LOCAL_INV, "op 7 flags 0 imm 11223344 at 5000 77 srq 0" SGES},
    };
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    char want[300];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_send send = send_of(rows[i].op);
        if (rows[i].op == IBA_WR_CMP_SWAP || rows[i].op == IBA_WR_FETCH_ADD)
            send.wr.compare_add = 0xaa, send.wr.swap = 0xbb;
        OK(verbs_post_send(&v->t, 0, s.qpn, &send));
        (void)snprintf(want, sizeof want, "post_send 1 id %llx %s",
                       (unsigned long long)rows[i].op << 56 | 0x23456789abcde, rows[i].call);
        SAID(want);
    }
    static const enum iba_wr_op lacks[] = {IBA_WR_FLUSH, IBA_WR_RECV, IBA_WR_RECV_WRITE_IMM};
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        const struct ibc_send send = send_of(lacks[i]);
        cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    }
    SAID("");
    adapter_close(v);
}

Test(post, xrc_names_its_receive_queue)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_XRC_INI, &s);
    const struct ibc_send send = send_of(IBA_WR_WRITE);

    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    cr_assert(strstr(adapter.said, "at 5000 77 srq 99"), "%s", adapter.said);
    adapter_close(v);
}

Test(post, flags)
{
    static const struct {
        uint8_t ours;
        unsigned theirs;
    } rows[] = {{IBA_WR_SIGNALED, IBV_SEND_SIGNALED},
                {IBA_WR_SOLICITED, IBV_SEND_SOLICITED},
                {IBA_WR_FENCE, IBV_SEND_FENCE},
                {IBA_WR_INLINE, IBV_SEND_INLINE},
                {IBA_WR_SIGNALED | IBA_WR_INLINE, IBV_SEND_SIGNALED | IBV_SEND_INLINE}};
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_UC, &s);
    char want[40];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_send send = send_of(IBA_WR_SEND);
        send.wr.flags = rows[i].ours;
        OK(verbs_post_send(&v->t, 0, s.qpn, &send));
        (void)snprintf(want, sizeof want, " flags %x ", rows[i].theirs);
        cr_assert(strstr(adapter.said, want), "%s", adapter.said);
        adapter.said[0] = 0;
    }
    adapter_close(v);
}

Test(post, refusals)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    struct ibc_send send = send_of(IBA_WR_SEND);
    struct iba_recv_wr recv = {.n_sge = IBA_MAX_SGE + 1};

    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn + 1, &send), "no_qp");
    send.wr.n_sge = IBA_MAX_SGE + 1;
    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &send), "sge");
    send.wr.n_sge = 0, send.wr.wr_id = UINT64_C(1) << 56;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    send.wr.wr_id = 0, send.wr.op = IBA_WR_OP_COUNT;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    REFUSED(v, verbs_post_recv(&v->t, 0, s.qpn, &recv), "sge");
    REFUSED(v, verbs_post_srq_recv(&v->t, 0, s.srq, &recv), "sge");
    recv.n_sge = 0, recv.wr_id = UINT64_C(1) << 56;
    cr_assert_eq(verbs_post_recv(&v->t, 0, s.qpn, &recv), IBC_UNSUPPORTED);
    recv.wr_id = 0;
    REFUSED(v, verbs_post_recv(&v->t, 0, s.qpn + 1, &recv), "no_qp");
    REFUSED(v, verbs_post_srq_recv(&v->t, 0, s.srq + 1, &recv), "no_srq");
    SAID("");
    send.wr.op = IBA_WR_SEND;
    for (unsigned minus = 0; minus < 2; minus++) {
        adapter.minus = minus;
        refuse("post_send,post_recv,post_srq_recv", ENOMEM);
        REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &send), "full");
        REFUSED(v, verbs_post_recv(&v->t, 0, s.qpn, &recv), "full");
        REFUSED(v, verbs_post_srq_recv(&v->t, 0, s.srq, &recv), "full");
        adapter.error = EINVAL;
        REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &send), "errno_22");
        REFUSED(v, verbs_post_recv(&v->t, 0, s.qpn, &recv), "errno_22");
    }
    adapter_close(v);
}

Test(post, receives)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    const struct iba_recv_wr recv = {
        .wr_id = 0xffffffffffffff, .n_sge = 4, .sge = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}};
    char want[200];

    OK(verbs_post_recv(&v->t, 0, s.qpn, &recv));
    (void)snprintf(want, sizeof want, "post_recv 1 id %llx [1 2 3] [4 5 6] [7 8 9] [a 11 c]\n",
                   (unsigned long long)IBA_WR_RECV << 56 | 0xffffffffffffff);
    SAID(want);
    OK(verbs_post_srq_recv(&v->t, 0, s.srq, &recv));
    (void)snprintf(want, sizeof want, "post_srq_recv 1 id %llx [1 2 3] [4 5 6] [7 8 9] [a 11 c]\n",
                   (unsigned long long)IBA_WR_RECV << 56 | 0xffffffffffffff);
    SAID(want);
    adapter_close(v);
}

/* ---- datagrams ---- */

/* An address handle is made once for each path and domain. */
Test(post, datagrams)
{
    static const uint8_t group[16] = {0xff, 0x0e, [15] = 5};
    const struct ibc_address there = {.ipv4 = 0x0a010209};
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_UD, &s);
    struct ibc_send send = {.wr = {.op = IBA_WR_SEND}};
    uint32_t pd;

    send.wr.remote_qpn = 0x777, send.wr.remote_qkey = 0x8888;
    send.dest = (struct ibc_ah_spec){.hop = 64, .tclass = 3, .sl = 2};
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    SAID("create_ah 1 pd 1 to global 1 lid 0 sl 2 bits 0 port 1 index 3 hop 64 class 3 flow 0 "
         "00000000000000000000ffff0a010200\n"
         "post_send 1 id 0 op 2 flags 0 imm 0 ah 1 qpn 777 qkey 8888\n");
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    SAID("post_send 1 id 0 op 2 flags 0 imm 0 ah 1 qpn 777 qkey 8888\n");
    send.dest.to = &there, send.dest.path.gid_index = 4, send.dest.port = 2;
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    SAID("create_ah 2 pd 1 to global 1 lid 0 sl 2 bits 0 port 2 index 4 hop 64 class 3 flow 0 "
         "00000000000000000000ffff0a010209\n"
         "post_send 1 id 0 op 2 flags 0 imm 0 ah 2 qpn 777 qkey 8888\n");
    send.dest = (struct ibc_ah_spec){.group = group};
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    SAID("create_ah 3 pd 1 to global 1 lid 0 sl 0 bits 0 port 1 index 3 hop 0 class 0 flow 0 "
         "ff0e0000000000000000000000000005\n"
         "post_send 1 id 0 op 2 flags 0 imm 0 ah 3 qpn 777 qkey 8888\n");
    OK(verbs_create_pd(&v->t, 0, &pd));
    send.dest = (struct ibc_ah_spec){.has_pd = true, .pd = pd, .group = group};
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    cr_assert(strstr(adapter.said, "create_ah 4 pd 2 "), "another domain has handles of its own");
    send.dest.pd = 9;
    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &send), "no_pd");
    send.dest = (struct ibc_ah_spec){.none = true};
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    send.dest = (struct ibc_ah_spec){.path = {.tagged = true}};
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    send.dest = (struct ibc_ah_spec){.path = {.sport = 0xc000}};
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &send), IBC_UNSUPPORTED);
    adapter.said[0] = 0;
    OK(verbs_destroy(&v->t, 0, IBC_O_pd, pd));
    SAID("destroy_ah 4\ndealloc_pd 2\n");
    adapter_close(v);
}

/* Each part of a path makes another handle. */
Test(post, paths_differ)
{
    const struct ibc_address other = {.lid = 9, .gid = {0xfe, 0x80, [15] = 9}};
    static const struct ibc_ah_spec rows[] = {
        {.hop = 1}, {.tclass = 1}, {.sl = 1}, {.path = {.gid_index = 1}}, {.path = {.path_bits = 1}}, {.port = 2}, {0}};
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_ib_local, IBA_QPT_UD, &s);
    struct ibc_send send = {.wr = {.op = IBA_WR_SEND}};

    for (unsigned twice = 0; twice < 2; twice++)
        for (size_t i = 0; i <= sizeof rows / sizeof *rows; i++) {
            if (i < sizeof rows / sizeof *rows)
                send.dest = rows[i];
            else
                send.dest = (struct ibc_ah_spec){.to = &other};
            OK(verbs_post_send(&v->t, 0, s.qpn, &send));
            cr_assert_eq(adapter.made[ADAPTER_AH], twice ? 8 : i + 1);
        }
    adapter.said[0] = 0;
    send.dest = rows[4];
    send.dest.hop = 7;
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    cr_assert(strncmp(adapter.said,
                      "create_ah 9 pd 1 to global 0 lid 13 sl 0 bits 1 port 1 index 0 hop 7 class 0 flow 0 "
                      "fe800000000000000002c90000000052\n",
                      90) == 0,
              "%s", adapter.said);
    adapter_close(v);
}

Test(post, handles_of_the_tester)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv6, IBA_QPT_UD, &s);
    struct ibc_send send = {.wr = {.op = IBA_WR_SEND}, .dest = {.hop = 64}};
    uint32_t ah = 99;

    OK(verbs_create_ah(&v->t, 0, s.pd, NULL, &ah));
    SAID("create_ah 1 pd 1 to global 1 lid 0 sl 0 bits 0 port 1 index 5 hop 64 class 0 flow 0 "
         "20010db8000000000000000000000003\n");
    cr_assert_eq(ah, 0);
    OK(verbs_post_send(&v->t, 0, s.qpn, &send));
    cr_assert_eq(adapter.made[ADAPTER_AH], 2, "work requests do not use the tester's");
    REFUSED(v, verbs_create_ah(&v->t, 0, 7, NULL, &ah), "no_pd");
    adapter.said[0] = 0;
    REFUSED(v, verbs_destroy(&v->t, 0, IBC_O_handle, 1), "no_ah");
    SAID("");
    refuse("create_ah", ENETUNREACH);
    REFUSED(v, verbs_create_ah(&v->t, 0, s.pd, NULL, &ah), "errno_101");
    send.dest.hop = 3;
    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &send), "errno_101");
    adapter.refuses = NULL;
    for (unsigned i = 2; i < VERBS_AHS; i++)
        OK(verbs_create_ah(&v->t, 0, s.pd, NULL, &ah));
    REFUSED(v, verbs_create_ah(&v->t, 0, s.pd, NULL, &ah), "full");
    adapter.said[0] = 0;
    adapter_close(v);
}

/* ---- windows ---- */

static struct ibc_send bind_of(uint32_t rkey, uint32_t lkey)
{
    struct ibc_send s = {.wr = {.wr_id = 5, .op = IBA_WR_BIND_MW, .flags = IBA_WR_SIGNALED}};

    s.wr.bind.mw_rkey = rkey, s.wr.bind.mr_lkey = lkey, s.wr.bind.va = 0x4000, s.wr.bind.length = 12;
    s.wr.bind.access = IBA_ACCESS_REMOTE_READ, s.wr.bind.key_byte = 0x5a;
    return s;
}

static struct iba_wc completes(struct verbs *v, const struct side *s, struct ibv_wc wc)
{
    struct iba_wc got = {0};
    unsigned n = 0;

    adapter.wc = wc;
    adapter.polled = 1;
    OK(verbs_poll_cq(&v->t, 0, s->cq, &got, &n));
    cr_assert_eq(n, 1);
    return got;
}

#define BIND_ID(id) ((uint64_t)(id) | (uint64_t)IBA_WR_BIND_MW << 56)

Test(post, windows_are_bound)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    uint32_t one, two;
    struct ibc_send b;
    struct iba_wc wc;

    OK(verbs_alloc_mw(&v->t, 0, 1, s.pd, &one));
    OK(verbs_alloc_mw(&v->t, 0, 2, s.pd, &two));
    adapter.said[0] = 0;
    b = bind_of(one, s.mr.lkey);
    OK(verbs_post_send(&v->t, 0, s.qpn, &b));
    cr_assert(strstr(adapter.said, "bind_mw 1 window 1 id ") &&
                  strstr(adapter.said, "5 flags 2 region 1 at 4000 length 12 access 4\n"),
              "%s", adapter.said);
    cr_assert(verbs_find_mw(v, one), "the key changes when the bind completes");
    wc = completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(6), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
    cr_assert_eq(wc.imm_or_key, 0, "that is another request");
    wc = completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(5), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn + 1});
    cr_assert_eq(wc.imm_or_key, 0, "that is another queue pair");
    wc = completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(5), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
    cr_assert(wc.op == IBA_WR_BIND_MW && wc.imm_or_key == one + 1 && wc.wr_id == 5);
    cr_assert(verbs_find_mw(v, one + 1) && !verbs_find_mw(v, one));
    adapter.said[0] = 0;
    b = bind_of(two, s.mr.lkey);
    OK(verbs_post_send(&v->t, 0, s.qpn, &b));
    cr_assert(strstr(adapter.said, "op 8 flags 2 imm 0 window 2 key 30025a region 1 at 4000 length 12 access 4\n"),
              "%s", adapter.said);
    wc = completes(
        v, &s,
        (struct ibv_wc){.wr_id = BIND_ID(5), .status = IBV_WC_MW_BIND_ERR, .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
    cr_assert(wc.status == IBA_WC_MW_BIND && wc.imm_or_key == two, "a bind that fails leaves the key");
    OK(verbs_post_send(&v->t, 0, s.qpn, &b));
    wc = completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(5), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
    cr_assert(wc.imm_or_key == 0x30025a && v->mw[1].mw->rkey == 0x30025a);
    wc = completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(5), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
    cr_assert_eq(wc.imm_or_key, 0, "it completes once");
    adapter_close(v);
}

/* Each bind of a type 2 window replaces all eight bits of the key that the user chooses, and no other. */
Test(post, windows_are_bound_again)
{
    static const uint8_t bytes[] = {0xff, 0x00, 0x80, 0x7f, 0xaa, 0x55};
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    uint32_t key;

    OK(verbs_alloc_mw(&v->t, 0, 2, s.pd, &key));
    for (size_t i = 0; i < sizeof bytes; i++) {
        struct ibc_send b = bind_of(key, s.mr.lkey);
        b.wr.bind.key_byte = bytes[i];
        OK(verbs_post_send(&v->t, 0, s.qpn, &b));
        const struct iba_wc wc =
            completes(v, &s, (struct ibv_wc){.wr_id = BIND_ID(5), .opcode = IBV_WC_BIND_MW, .qp_num = s.qpn});
        cr_expect_eq(wc.imm_or_key, (key & ~UINT32_C(0xff)) | bytes[i], "%zu: %x", i, wc.imm_or_key);
        key = wc.imm_or_key;
    }
    adapter_close(v);
}

Test(post, binds_that_libibverbs_cannot_express)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    uint32_t one, two;
    struct ibc_send b;

    OK(verbs_alloc_mw(&v->t, 0, 1, s.pd, &one));
    OK(verbs_alloc_mw(&v->t, 0, 2, s.pd, &two));
    adapter.said[0] = 0;
    b = bind_of(77, s.mr.lkey);
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &b), IBC_UNSUPPORTED);
    b = bind_of(two, 77);
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &b), IBC_UNSUPPORTED);
    b = bind_of(two, s.mr.lkey);
    b.wr.bind.access = IBA_ACCESS_INVALIDATE;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &b), IBC_UNSUPPORTED);
    SAID("");
    b = bind_of(two, 77);
    b.wr.bind.length = 0;
    OK(verbs_post_send(&v->t, 0, s.qpn, &b));
    cr_assert(strstr(adapter.said, " region 0 "), "a window without a region is unbound");
    refuse("bind_mw,post_send", ENOMEM);
    b = bind_of(one, s.mr.lkey);
    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &b), "full");
    cr_assert_not(v->mw[0].binding);
    adapter_close(v);
}

Test(post, atomic_writes)
{
    struct side s;
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4, IBA_QPT_RC, &s);
    struct ibc_send a = {
        .wr = {.wr_id = 3, .op = IBA_WR_ATOMIC_WRITE, .flags = IBA_WR_FENCE, .va = 0x900, .rkey = 0x31}};

    OK(verbs_write_memory(&v->t, 0, s.mr.local + 8, (const uint8_t *)"EIGHTBYT", 8));
    a.wr.n_sge = 1;
    a.wr.sge[0] = (struct iba_sge){.addr = s.mr.local + 8, .length = 8, .lkey = s.mr.lkey};
    OK(verbs_post_send(&v->t, 0, s.qpn, &a));
    cr_assert(strncmp(adapter.said, "wr_start 1\nwr_atomic_write 1 id ", 32) == 0, "%s", adapter.said);
    cr_assert(strstr(adapter.said, "3 flags 1 at 900 31 EIGHTBYT\nwr_complete 1\n"), "%s", adapter.said);
    refuse("wr_complete", ENOMEM);
    REFUSED(v, verbs_post_send(&v->t, 0, s.qpn, &a), "full");
    refuse("qp_ex", EINVAL);
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &a), IBC_UNSUPPORTED);
    adapter.refuses = NULL;
    a.wr.sge[0].length = 7;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &a), IBC_UNSUPPORTED);
    a.wr.sge[0].length = 8, a.wr.sge[0].lkey = 1;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &a), IBC_UNSUPPORTED);
    a.wr.sge[0].lkey = s.mr.lkey, a.wr.sge[0].addr = s.mr.local + 57;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &a), IBC_UNSUPPORTED, "the last byte is outside");
    a.wr.sge[0].addr = s.mr.local, a.wr.n_sge = 2;
    cr_assert_eq(verbs_post_send(&v->t, 0, s.qpn, &a), IBC_UNSUPPORTED);
    adapter_close(v);
}
