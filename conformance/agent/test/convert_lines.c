/* SPDX-License-Identifier: BSD-2-Clause */
/* Core's structures as lines: each member has its own name and value there, whatever the other side makes of it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "agent/protocol.h"
#include "transport/iba_wr_ops.h"

static struct ag_request q;
static struct ag_reply r;
static char line[AG_LINE];

static void asks(enum ag_verb verb, const char *members)
{
    char want[1024];

    q.id = 1;
    q.verb = verb;
    cr_assert_gt(ag_write_request(&q, line, sizeof line), 0);
    snprintf(want, sizeof want, "{\"id\":1,\"do\":\"%s\",%s}", ag_verb_name(verb), members);
    cr_expect_str_eq(line, want, "%s", line);
}

static void says(enum ag_verb verb, const char *members)
{
    char want[1024];

    r.id = 1;
    r.has_id = true;
    r.verb = verb;
    cr_assert_gt(ag_write_reply(&r, line, sizeof line), 0);
    snprintf(want, sizeof want, "{\"id\":1,\"ok\":{%s}}", members);
    cr_expect_str_eq(line, want, "%s", line);
}

static const struct iba_qp_attr attributes = {.state = IBA_QPS_RTS,
                                              .cur_state = IBA_QPS_RTR,
                                              .access = IBA_ACCESS_REMOTE_READ,
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
                                              .qkey = 17,
                                              .dest_qpn = 18,
                                              .rq_psn = 19,
                                              .sq_psn = 20,
                                              .alt_av = {.dlid = 21, .port = 1}};

#define ATTRIBUTES                                                                                                     \
    "\"cur_state\":\"rtr\",\"sqd_notify\":true,\"access\":[\"remote_read\"],\"pkey\":3,\"port\":2,\"qkey\":17,"        \
    "\"pmtu\":2048,\"timeout\":14,\"retry\":6,\"rnr_retry\":5,\"epsn\":19,\"rd\":4,\"mig\":\"rearm\",\"min_rnr\":12,"  \
    "\"psn\":20,\"dest_rd\":8,\"qpn_of_peer\":18,\"flow_control\":true"

Test(convert_lines, attributes)
{
    const struct ibc_qp_attr a = {.a = attributes, .mask = ~(uint32_t)(IBA_QPA_AV | IBA_QPA_ALT_PATH)};
    struct iba_qp_attr back;

    ag_from_modify(&q.u.modify_qp, 7, &a, NULL);
    asks(AG_V_modify_qp, "\"qpn\":7,\"state\":\"rts\"," ATTRIBUTES);
    ag_from_query(&r.u.query_qp, &attributes);
    says(AG_V_query_qp, "\"state\":\"rts\"," ATTRIBUTES ",\"alt_lid\":21,\"alt_port\":1");
    ag_to_query(&back, &r.u.query_qp);
    cr_expect(back.state == IBA_QPS_RTS && back.cur_state == IBA_QPS_RTR && back.access == IBA_ACCESS_REMOTE_READ);
    cr_expect(back.pkey_index == 3 && back.port == 2 && back.path_mtu == IBA_MTU_2048 && back.timeout == 14);
    cr_expect(back.retry == 6 && back.rnr_retry == 5 && back.min_rnr == 12 && back.max_rd == 4);
    cr_expect(back.max_dest_rd == 8 && back.path_mig == IBA_PATH_REARM && back.sqd_notify && back.flow_control);
    cr_expect(back.qkey == 17 && back.dest_qpn == 18 && back.rq_psn == 19 && back.sq_psn == 20);
    cr_expect(back.alt_av.dlid == 21 && back.alt_av.port == 1);
}

Test(convert_lines, paths)
{
    static const struct ibc_address first = {.mac = 0x020000000003}, second = {.lid = 24};
    struct ibc_qp_attr a = {.a = {.state = IBA_QPS_RTR},
                            .mask = IBA_QPA_AV,
                            .hop = 7,
                            .tclass = 8,
                            .sl = 9,
                            .flow = 10,
                            .to = &first,
                            .path = {.vlan = 5, .sport = 11, .gid_index = 12, .path_bits = 13}};

    ag_from_modify(&q.u.modify_qp, 7, &a, &second);
    asks(AG_V_modify_qp, "\"qpn\":7,\"state\":\"rtr\",\"av\":true,\"to\":{\"mac\":\"02:00:00:00:00:03\"},\"sl\":9,"
                         "\"hop\":7,\"tclass\":8,\"flow\":10,\"sport\":11,\"gid_index\":12,\"path_bits\":13");
    a.mask = IBA_QPA_ALT_PATH;
    a.to = NULL;
    a.alt = &second;
    a.path.tagged = true;
    a.av_port = 1;
    a.alt_port = 2;
    ag_from_modify(&q.u.modify_qp, 7, &a, &first);
    asks(AG_V_modify_qp, "\"qpn\":7,\"state\":\"rtr\",\"alt\":true,\"alt_to\":{\"lid\":24},\"sl\":9,\"hop\":7,"
                         "\"tclass\":8,\"flow\":10,\"vlan\":5,\"sport\":11,\"gid_index\":12,\"path_bits\":13,"
                         "\"av_port\":1,\"alt_port\":2");
}

Test(convert_lines, addresses)
{
    static const struct {
        struct ibc_address a;
        const char *is;
    } rows[] = {{{.mac = 1}, "\"mac\":\"00:00:00:00:00:01\""},
                {{.ipv4 = 0x0a010203}, "\"ipv4\":\"10.1.2.3\""},
                {{.ipv6 = {0x20, 1, [15] = 3}}, "\"ipv6\":\"2001::3\""},
                {{.gid = {[15] = 3}}, "\"gid\":\"::3\""},
                {{.lid = 65535}, "\"lid\":65535"},
                {{0}, ""}};
    char want[200];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        q.u.create_ah = (struct ag_create_ah_args){.pd = 4, .to = ag_from_address(&rows[i].a)};
        snprintf(want, sizeof want, "\"pd\":4,\"to\":{%s}", rows[i].is);
        asks(AG_V_create_ah, want);
    }
}

static void sends(const struct iba_send_wr *wr, const char *members)
{
    struct ibc_send s = {.wr = *wr}, back;
    struct ibc_address room;
    char want[600];

    ag_from_send(&q.u.post_send, 7, &s, false);
    snprintf(want, sizeof want, "\"qpn\":7,\"wr\":{%s}", members);
    asks(AG_V_post_send, want);
    ag_to_send(&back, &q.u.post_send, &room);
    cr_expect_eq(back.wr.flags, wr->flags, "%s", want);
    cr_expect(back.wr.op == wr->op && back.wr.imm_or_key == wr->imm_or_key && back.wr.wr_id == wr->wr_id);
}

#define FLAGS(signaled, solicited, fence)                                                                              \
    "\"id\":5,\"sge\":[],\"signaled\":" #signaled ",\"solicited\":" #solicited ",\"fence\":" #fence
#define REMOTE "\"to\":8,\"rkey\":9,\"srqn\":10"

Test(convert_lines, work_requests)
{
    struct iba_send_wr wr = {.op = IBA_WR_SEND, .wr_id = 5, .va = 8, .rkey = 9, .xrc_srqn = 10};

    sends(&wr, "\"op\":\"send\"," FLAGS(false, false, false) "," REMOTE);
    wr.flags = IBA_WR_SIGNALED;
    sends(&wr, "\"op\":\"send\"," FLAGS(true, false, false) "," REMOTE);
    wr.flags = IBA_WR_SOLICITED;
    sends(&wr, "\"op\":\"send\"," FLAGS(false, true, false) "," REMOTE);
    wr.flags = IBA_WR_FENCE;
    sends(&wr, "\"op\":\"send\"," FLAGS(false, false, true) "," REMOTE);
    wr.flags = IBA_WR_INLINE;
    sends(&wr, "\"op\":\"send\"," FLAGS(false, false, false) ",\"inlined\":true," REMOTE);
    wr.flags = 0;
    wr.imm_or_key = 6;
    wr.op = IBA_WR_SEND_IMM;
    sends(&wr, "\"op\":\"send_imm\"," FLAGS(false, false, false) ",\"imm\":6," REMOTE);
    wr.op = IBA_WR_SEND_INV;
    sends(&wr, "\"op\":\"send_inv\"," FLAGS(false, false, false) ",\"inv\":6," REMOTE);
    wr.op = IBA_WR_LOCAL_INV;
    sends(&wr, "\"op\":\"local_inv\"," FLAGS(false, false, false) ",\"inv\":6," REMOTE);
    wr.imm_or_key = 0;
    wr.compare_add = 11, wr.swap = 12;
    wr.op = IBA_WR_CMP_SWAP;
    sends(&wr, "\"op\":\"cmp_swap\"," FLAGS(false, false, false) "," REMOTE ",\"cmp\":11,\"swap\":12");
    wr.op = IBA_WR_FETCH_ADD;
    sends(&wr, "\"op\":\"fetch_add\"," FLAGS(false, false, false) "," REMOTE ",\"cmp\":11,\"swap\":12");
    wr.op = IBA_WR_READ;
    sends(&wr, "\"op\":\"read\"," FLAGS(false, false, false) "," REMOTE);
    wr = (struct iba_send_wr){.op = IBA_WR_FLUSH, .wr_id = 5, .va = 8, .rkey = 9, .xrc_srqn = 10};
    wr.flush_placement = 2, wr.flush_selectivity = 1;
    sends(&wr, "\"op\":\"flush\"," FLAGS(false, false, false) "," REMOTE ",\"placement\":2,\"selectivity\":1");
    wr = (struct iba_send_wr){.op = IBA_WR_BIND_MW, .wr_id = 5};
    wr.bind.mw_rkey = 1, wr.bind.mr_lkey = 2, wr.bind.va = 3, wr.bind.length = 4;
    wr.bind.access = IBA_ACCESS_REMOTE_WRITE, wr.bind.key_byte = 6;
    sends(&wr,
          "\"op\":\"bind_mw\"," FLAGS(
              false, false, false) ",\"mw\":1,\"lkey\":2,\"va\":3,\"len\":4,\"access\":[\"remote_write\"],\"key\":6");
}

Test(convert_lines, datagrams_and_receives)
{
    struct ibc_send s = {.wr = {.op = IBA_WR_SEND, .wr_id = 5, .n_sge = 2, .remote_qpn = 3, .remote_qkey = 4},
                         .dest = {.sl = 1,
                                  .hop = 2,
                                  .tclass = 3,
                                  .path = {.sport = 4, .gid_index = 5, .path_bits = 6, .vlan = 7, .tagged = true},
                                  .port = 1}};

    s.wr.sge[0] = (struct iba_sge){.addr = 1, .length = 2, .lkey = 3};
    s.wr.sge[1] = (struct iba_sge){.addr = 4, .length = 5, .lkey = 6};
    ag_from_send(&q.u.post_send, 7, &s, true);
    asks(AG_V_post_send, "\"qpn\":7,\"wr\":{\"op\":\"send\",\"id\":5,\"sge\":[{\"at\":1,\"len\":2,\"lkey\":3},"
                         "{\"at\":4,\"len\":5,\"lkey\":6}],\"signaled\":false,\"solicited\":false,\"fence\":false,"
                         "\"qpn\":3,\"qkey\":4},\"dest\":{\"sl\":1,\"hop\":2,\"tclass\":3,\"vlan\":7,\"sport\":4,"
                         "\"gid_index\":5,\"path_bits\":6,\"port\":1}");
    const struct iba_recv_wr wr = {.wr_id = 5, .n_sge = 1, .sge = {{.addr = 1, .length = 2, .lkey = 3}}};
    q.u.post_recv = (struct ag_post_recv_args){.wr = ag_from_recv(&wr)};
    asks(AG_V_post_recv, "\"wr\":{\"id\":5,\"sge\":[{\"at\":1,\"len\":2,\"lkey\":3}]}");
}

static void completes(uint8_t flags, uint32_t key, bool grh, bool solicited, const char *more)
{
    const struct iba_wc wc = {.wr_id = 1,
                              .status = IBA_WC_FLUSHED,
                              .op = IBA_WR_SEND,
                              .flags = flags,
                              .sl = 2,
                              .path_bits = 3,
                              .slid = 4,
                              .pkey_index = 5,
                              .byte_len = 6,
                              .imm_or_key = key,
                              .qpn = 7,
                              .src_qpn = 8,
                              .srqn = 9};
    char want[600];

    r.u.poll_cq = (struct ag_poll_cq_ok){0};
    AG_SET(&r.u.poll_cq, poll_cq_ok, wc, ag_from_wc(&wc));
    snprintf(want, sizeof want,
             "\"wc\":{\"id\":1,\"status\":\"flushed\",\"op\":\"send\",\"bytes\":6,\"qpn\":7,\"srcqp\":8,\"srqn\":9%s,"
             "\"grh\":%s,\"solicited\":%s,\"sl\":2,\"path_bits\":3,\"slid\":4,\"pkey_index\":5}",
             more, grh ? "true" : "false", solicited ? "true" : "false");
    says(AG_V_poll_cq, want);
}

Test(convert_lines, completions_and_events)
{
    const struct iba_event e = {.kind = IBA_EVENT_PKEY_VIOLATION, .port = 1, .object = 2, .a = 3, .b = 4};

    completes(0, 0, false, false, "");
    completes(0, 10, false, false, ",\"rkey\":10");
    completes(IBA_WC_WITH_IMM, 0, false, false, ",\"imm\":0");
    completes(IBA_WC_WITH_INV, 10, false, false, ",\"inv\":10");
    completes(IBA_WC_GRH, 0, true, false, "");
    completes(IBA_WC_SOLICITED, 0, false, true, "");
    r.u.poll_cq = (struct ag_poll_cq_ok){0};
    says(AG_V_poll_cq, "\"wc\":null");
    r.u.poll_event = (struct ag_poll_event_ok){0};
    AG_SET(&r.u.poll_event, poll_event_ok, event, ag_from_event(&e));
    says(AG_V_poll_event, "\"event\":{\"kind\":\"pkey_violation\",\"port\":1,\"object\":2,\"key\":3,\"srcqp\":4}");
}

/* Members that a request lacks are not given, though their value is 0, too. */
Test(convert_lines, members_that_are_given)
{
    struct ag_create_qp_args a = {.type = IBA_QPT_UC, .pd = 1, .scq = 2, .rcq = 3, .sq = 4, .rq = 5};
    struct ag_reg_mr_args m = {.pd = 1, .length = 2, .access = 3, .fill = 'x'};
    struct ag_reregister_args g = {.lkey = 1};
    struct ibc_qp_spec s = ag_to_qp_spec(&a);

    cr_expect(s.type == IBA_QPT_UC && s.pd == 1 && s.scq == 2 && s.rcq == 3 && s.sq == 4 && s.rq == 5);
    cr_expect(!s.has_srq && !s.has_xrcd && !s.sig_all);
    AG_SET(&a, create_qp_args, srq, 6);
    AG_SET(&a, create_qp_args, sig_all, true);
    s = ag_to_qp_spec(&a);
    cr_expect(s.has_srq && s.srq == 6 && !s.has_xrcd && s.sig_all);
    a.given = 0;
    AG_SET(&a, create_qp_args, xrcd, 7);
    s = ag_to_qp_spec(&a);
    cr_expect(!s.has_srq && s.has_xrcd && s.xrcd == 7);
    struct ibc_mr_spec t = ag_to_mr_spec(&m);
    cr_expect(t.pd == 1 && t.length == 2 && t.access == 3 && t.fill == 'x' && !t.has_iova);
    AG_SET(&m, reg_mr_args, iova, 0);
    t = ag_to_mr_spec(&m);
    cr_expect(t.has_iova && t.iova == 0);
    struct ibc_reregister u = ag_to_reregister(&g);
    cr_expect(u.lkey == 1 && !u.has_pd && !u.has_access && !u.has_range);
    AG_SET(&g, reregister_args, pd, 2);
    u = ag_to_reregister(&g);
    cr_expect(u.has_pd && u.pd == 2 && !u.has_access && !u.has_range);
    g.given = 0;
    AG_SET(&g, reregister_args, access, 3);
    u = ag_to_reregister(&g);
    cr_expect(!u.has_pd && u.has_access && u.access == 3 && !u.has_range);
    g.given = 0;
    AG_SET(&g, reregister_args, length, 4);
    AG_SET(&g, reregister_args, fill, 'z');
    u = ag_to_reregister(&g);
    cr_expect(!u.has_pd && !u.has_access && u.has_range && u.length == 4 && u.fill == 'z');
}
