/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target over a pretended libibverbs: attributes of queue pairs, completions, events. */
#include "adapter.h"
#include "transport/iba_wr_ops.h"
#include <errno.h>

static uint32_t pd, cq, srq, qpn;

static struct verbs *open_with_qp(enum ibc_link link)
{
    struct verbs *v = adapter_open(link);
    const struct ibc_qp_spec spec = {.type = IBA_QPT_RC};

    OK(verbs_create_pd(&v->t, 0, &pd));
    OK(verbs_create_cq(&v->t, 0, 8, &cq));
    OK(verbs_create_srq(&v->t, 0, pd, 8, 0, &srq));
    OK(verbs_create_qp(&v->t, 0, &spec, &qpn));
    adapter.said[0] = 0;
    return v;
}

static const struct ibc_qp_attr all = {.a = {.state = IBA_QPS_RTR,
                                             .cur_state = IBA_QPS_INIT,
                                             .access = IBA_ACCESS_REMOTE_READ | IBA_ACCESS_REMOTE_ATOMIC,
                                             .pkey_index = 5,
                                             .port = 2,
                                             .path_mtu = IBA_MTU_2048,
                                             .timeout = 14,
                                             .retry = 6,
                                             .rnr_retry = 3,
                                             .min_rnr = 12,
                                             .max_rd = 4,
                                             .max_dest_rd = 8,
                                             .path_mig = IBA_PATH_REARM,
                                             .sqd_notify = true,
                                             .qkey = 0x80010000,
                                             .dest_qpn = 0xabcdef,
                                             .rq_psn = 0xfffffe,
                                             .sq_psn = 0x7fffff},
                                       .hop = 9,
                                       .tclass = 10,
                                       .sl = 11,
                                       .flow = 0xfedcb};

#define ALL                                                                                                            \
    "state 2 1 mtu 4 mig 1 qkey 80010000 psns fffffe 7fffff peer abcdef access c pkeys 5 5 notify 1 rd 4 8 rnr 12 "

Test(queue, attributes_of_queue_pairs)
{
    static const uint8_t gid[16] = {0xfe, 0x80, [15] = 0x77};
    struct verbs *v = open_with_qp(IBC_LINK_ib_global);
    struct ibc_address there = {.lid = 0x22};
    struct ibc_qp_attr a = all;

    memcpy(there.gid, gid, sizeof gid);
    OK(verbs_modify_qp(&v->t, 0, qpn, &a));
    SAID("modify_qp 1 mask 1 " ALL "ports 2 1 timeouts 14 14 retries 6 3\n");
    a.mask = IBA_QPA_AV | IBA_QPA_ALT_PATH | IBA_QPA_PATH_MTU;
    a.to = &there, a.av_port = 2, a.alt_port = 2, a.path = (struct ibc_path){.path_bits = 3, .gid_index = 6};
    OK(verbs_modify_qp(&v->t, 0, qpn, &a));
    SAID(
        "modify_qp 1 mask 4181 " ALL "ports 2 2 timeouts 14 14 retries 6 3\n"
        " to global 1 lid 22 sl 11 bits 3 port 2 index 6 hop 9 class 10 flow fedcb fe800000000000000000000000000077\n"
        " or global 1 lid 13 sl 11 bits 3 port 2 index 6 hop 9 class 10 flow fedcb fe800000000000000002c90000000052\n");
    a.to = NULL, a.alt = &there, a.av_port = a.alt_port = 0;
    OK(verbs_modify_qp(&v->t, 0, qpn, &a));
    cr_assert(strstr(adapter.said, " to global 1 lid 13 sl 11 bits 3 port 1 ") &&
              strstr(adapter.said, " or global 1 lid 22 sl 11 bits 3 port 1 "));
    adapter_close(v);
}

Test(queue, attributes_that_verbs_cannot_express)
{
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);
    struct ibc_qp_attr a = all;

    REFUSED(v, verbs_modify_qp(&v->t, 0, qpn + 1, &a), "no_qp");
    a.to_partner = true;
    cr_assert_eq(verbs_modify_qp(&v->t, 0, qpn, &a), IBC_UNSUPPORTED);
    a = all;
    a.a.access = IBA_ACCESS_INVALIDATE;
    OK(verbs_modify_qp(&v->t, 0, qpn, &a));
    a.mask = IBA_QPA_ACCESS;
    cr_assert_eq(verbs_modify_qp(&v->t, 0, qpn, &a), IBC_UNSUPPORTED);
    a = all;
    a.path.tagged = true;
    OK(verbs_modify_qp(&v->t, 0, qpn, &a));
    a.mask = IBA_QPA_AV;
    cr_assert_eq(verbs_modify_qp(&v->t, 0, qpn, &a), IBC_UNSUPPORTED);
    a.mask = IBA_QPA_ALT_PATH;
    cr_assert_eq(verbs_modify_qp(&v->t, 0, qpn, &a), IBC_UNSUPPORTED);
    a = all;
    adapter.refuses = "modify_qp", adapter.error = EINVAL;
    REFUSED(v, verbs_modify_qp(&v->t, 0, qpn, &a), "errno_22");
    adapter_close(v);
}

Test(queue, queries)
{
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);
    struct iba_qp_attr a;

    adapter.is = (struct ibv_qp_attr){.qp_state = IBV_QPS_SQD,
                                      .cur_qp_state = IBV_QPS_RTS,
                                      .path_mtu = IBV_MTU_512,
                                      .path_mig_state = IBV_MIG_ARMED,
                                      .qkey = 1,
                                      .rq_psn = 2,
                                      .sq_psn = 3,
                                      .dest_qp_num = 4,
                                      .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE,
                                      .alt_ah_attr = {.dlid = 5},
                                      .pkey_index = 6,
                                      .en_sqd_async_notify = 1,
                                      .max_rd_atomic = 7,
                                      .max_dest_rd_atomic = 8,
                                      .min_rnr_timer = 9,
                                      .port_num = 10,
                                      .timeout = 11,
                                      .retry_cnt = 12,
                                      .rnr_retry = 13,
                                      .alt_port_num = 14};
    OK(verbs_query_qp(&v->t, 0, qpn, &a));
    SAID("query_qp 1 mask 17ffff\n");
    cr_assert(a.state == IBA_QPS_SQD && a.cur_state == IBA_QPS_SQD && a.path_mtu == IBA_MTU_512);
    cr_assert(a.path_mig == IBA_PATH_ARMED && a.qkey == 1 && a.rq_psn == 2 && a.sq_psn == 3 && a.dest_qpn == 4);
    cr_assert(a.access == IBA_ACCESS_REMOTE_WRITE && a.alt_av.dlid == 5 && a.pkey_index == 6 && a.sqd_notify);
    cr_assert(a.max_rd == 7 && a.max_dest_rd == 8 && a.min_rnr == 9 && a.port == 10 && a.timeout == 11);
    cr_assert(a.retry == 12 && a.rnr_retry == 13 && a.alt_av.port == 14);
    adapter.is.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    OK(verbs_query_qp(&v->t, 0, qpn, &a));
    cr_assert_eq(a.access, IBA_ACCESS_REMOTE_READ);
    adapter.is.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC;
    OK(verbs_query_qp(&v->t, 0, qpn, &a));
    cr_assert_eq(a.access, IBA_ACCESS_REMOTE_ATOMIC);
    adapter.refuses = "query_qp", adapter.error = ENOMEM;
    REFUSED(v, verbs_query_qp(&v->t, 0, qpn, &a), "errno_12");
    REFUSED(v, verbs_query_qp(&v->t, 0, qpn + 1, &a), "no_qp");
    adapter_close(v);
}

/* ---- completions ---- */

static struct iba_wc polled(struct verbs *v, struct ibv_wc wc)
{
    struct iba_wc got = {.imm_or_key = 99};
    unsigned n = 9;

    adapter.wc = wc;
    adapter.polled = 1;
    OK(verbs_poll_cq(&v->t, 0, cq, &got, &n));
    cr_assert_eq(n, 1);
    return got;
}

Test(queue, statuses)
{
    static const struct {
        enum ibv_wc_status theirs;
        enum iba_wc_status ours;
    } rows[] = {{IBV_WC_SUCCESS, IBA_WC_SUCCESS},
                {IBV_WC_LOC_LEN_ERR, IBA_WC_LOCAL_LENGTH},
                {IBV_WC_LOC_QP_OP_ERR, IBA_WC_LOCAL_QP_OPERATION},
                {IBV_WC_LOC_EEC_OP_ERR, IBA_WC_INVALID_EE_STATE},
                {IBV_WC_LOC_PROT_ERR, IBA_WC_LOCAL_PROTECTION},
                {IBV_WC_WR_FLUSH_ERR, IBA_WC_FLUSHED},
                {IBV_WC_MW_BIND_ERR, IBA_WC_MW_BIND},
                {IBV_WC_BAD_RESP_ERR, IBA_WC_BAD_RESPONSE},
                {IBV_WC_LOC_ACCESS_ERR, IBA_WC_LOCAL_ACCESS},
                {IBV_WC_REM_INV_REQ_ERR, IBA_WC_REMOTE_INVALID_REQ},
                {IBV_WC_REM_ACCESS_ERR, IBA_WC_REMOTE_ACCESS},
                {IBV_WC_REM_OP_ERR, IBA_WC_REMOTE_OPERATION},
                {IBV_WC_RETRY_EXC_ERR, IBA_WC_RETRY_EXCEEDED},
                {IBV_WC_RNR_RETRY_EXC_ERR, IBA_WC_RNR_RETRY_EXCEEDED},
                {IBV_WC_LOC_RDD_VIOL_ERR, IBA_WC_LOCAL_RDD},
                {IBV_WC_REM_INV_RD_REQ_ERR, IBA_WC_REMOTE_INVALID_RD},
                {IBV_WC_REM_ABORT_ERR, IBA_WC_REMOTE_ABORTED},
                {IBV_WC_INV_EECN_ERR, IBA_WC_INVALID_EECN},
                {IBV_WC_INV_EEC_STATE_ERR, IBA_WC_INVALID_EE_STATE},
                {IBV_WC_FATAL_ERR, IBA_WC_REMOTE_ABORTED},
                {IBV_WC_TM_ERR, IBA_WC_REMOTE_ABORTED}};
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(polled(v, (struct ibv_wc){.status = rows[i].theirs}).status, rows[i].ours, "%zu", i);
    adapter_close(v);
}

/* The posted operation, in the upper byte of the id, counts if the device's coarser one fits. */
Test(queue, operations)
{
    static const struct {
        enum iba_wr_op posted;
        enum ibv_wc_opcode said;
        enum iba_wr_op got;
    } rows[] = {{IBA_WR_SEND, IBV_WC_SEND, IBA_WR_SEND},
                {IBA_WR_SEND_IMM, IBV_WC_SEND, IBA_WR_SEND_IMM},
                {IBA_WR_SEND_INV, IBV_WC_SEND, IBA_WR_SEND_INV},
                {IBA_WR_WRITE, IBV_WC_RDMA_WRITE, IBA_WR_WRITE},
                {IBA_WR_WRITE_IMM, IBV_WC_RDMA_WRITE, IBA_WR_WRITE_IMM},
                {IBA_WR_READ, IBV_WC_RDMA_READ, IBA_WR_READ},
                {IBA_WR_CMP_SWAP, IBV_WC_COMP_SWAP, IBA_WR_CMP_SWAP},
                {IBA_WR_FETCH_ADD, IBV_WC_FETCH_ADD, IBA_WR_FETCH_ADD},
                {IBA_WR_LOCAL_INV, IBV_WC_LOCAL_INV, IBA_WR_LOCAL_INV},
                {IBA_WR_ATOMIC_WRITE, IBV_WC_ATOMIC_WRITE, IBA_WR_ATOMIC_WRITE},
                {IBA_WR_BIND_MW, IBV_WC_BIND_MW, IBA_WR_BIND_MW},
                {IBA_WR_RECV, IBV_WC_RECV, IBA_WR_RECV},
                {IBA_WR_RECV, IBV_WC_RECV_RDMA_WITH_IMM, IBA_WR_RECV_WRITE_IMM},
                {IBA_WR_SEND, IBV_WC_RDMA_READ, IBA_WR_READ},
                {IBA_WR_READ, IBV_WC_SEND, IBA_WR_SEND},
                {IBA_WR_READ, IBV_WC_RDMA_WRITE, IBA_WR_WRITE},
                {IBA_WR_SEND, IBV_WC_COMP_SWAP, IBA_WR_CMP_SWAP},
                {IBA_WR_SEND, IBV_WC_FETCH_ADD, IBA_WR_FETCH_ADD},
                {IBA_WR_SEND, IBV_WC_BIND_MW, IBA_WR_BIND_MW},
                {IBA_WR_SEND, IBV_WC_LOCAL_INV, IBA_WR_LOCAL_INV},
                {IBA_WR_SEND, IBV_WC_ATOMIC_WRITE, IBA_WR_ATOMIC_WRITE},
                {IBA_WR_SEND, IBV_WC_RECV, IBA_WR_RECV},
                {IBA_WR_SEND, IBV_WC_TSO, IBA_WR_OP_COUNT}};
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibv_wc wc = {.wr_id = (uint64_t)rows[i].posted << 56 | 0xabcdefabcdefab, .opcode = rows[i].said};
        cr_assert_eq(polled(v, wc).op, rows[i].got, "%zu", i);
        cr_assert_eq(polled(v, wc).wr_id, 0xabcdefabcdefab);
        wc.status = IBV_WC_WR_FLUSH_ERR;
        cr_assert_eq(polled(v, wc).op, rows[i].posted, "a failed one has no opcode");
    }
    adapter_close(v);
}

Test(queue, members_of_completions)
{
    struct ibv_wc wc = {.opcode = IBV_WC_RECV,
                        .wr_id = (uint64_t)IBA_WR_RECV << 56,
                        .byte_len = 1,
                        .qp_num = 2,
                        .src_qp = 3,
                        .pkey_index = 4,
                        .slid = 5,
                        .sl = 6,
                        .dlid_path_bits = 7,
                        .imm_data = htobe32(0x12345678)};
    static const struct {
        unsigned theirs;
        uint8_t ours;
        uint32_t key;
    } rows[] = {{0, 0, 0},
                {IBV_WC_GRH, IBA_WC_GRH, 0},
                {IBV_WC_WITH_IMM, IBA_WC_WITH_IMM, 0x12345678},
                {IBV_WC_WITH_INV | IBV_WC_GRH, IBA_WC_WITH_INV | IBA_WC_GRH, 0x78563412}};
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);
    struct iba_wc got;
    unsigned n = 9;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wc.wc_flags = rows[i].theirs;
        got = polled(v, wc);
        cr_assert(got.byte_len == 1 && got.qpn == 2 && got.src_qpn == 3 && got.pkey_index == 4 && got.slid == 5);
        cr_assert(got.sl == 6 && got.path_bits == 7 && got.flags == rows[i].ours && got.imm_or_key == rows[i].key);
    }
    wc.status = IBV_WC_LOC_PROT_ERR;
    got = polled(v, wc);
    cr_assert(got.byte_len == 1 && got.qpn == 2 && got.src_qpn == 0 && got.pkey_index == 0 && got.slid == 0);
    cr_assert(got.sl == 0 && got.path_bits == 0 && got.flags == 0 && got.imm_or_key == 0);
    OK(verbs_poll_cq(&v->t, 0, cq, &got, &n));
    cr_assert_eq(n, 0, "there is none");
    REFUSED(v, verbs_poll_cq(&v->t, 0, cq + 1, &got, &n), "no_cq");
    cr_assert_eq(n, 0);
    adapter.polled = -EINVAL;
    REFUSED(v, verbs_poll_cq(&v->t, 0, cq, &got, &n), "errno_22");
    adapter.polled = -1, errno = EIO;
    cr_assert_eq(verbs_poll_cq(&v->t, 0, cq, &got, &n), IBC_DEAD);
    adapter_close(v);
}

/* ---- events ---- */

enum { NONE, QP, CQ, SRQ, PORT };
static const struct {
    enum ibv_event_type theirs;
    int of;
    enum iba_event_kind ours;
} event_rows[] = {{IBV_EVENT_CQ_ERR, CQ, IBA_EVENT_CQ_ERROR},
                  {IBV_EVENT_QP_FATAL, QP, IBA_EVENT_WQ_CATASTROPHIC},
                  {IBV_EVENT_QP_REQ_ERR, QP, IBA_EVENT_WQ_INVALID_REQUEST},
                  {IBV_EVENT_QP_ACCESS_ERR, QP, IBA_EVENT_WQ_ACCESS_VIOLATION},
                  {IBV_EVENT_COMM_EST, QP, IBA_EVENT_COMM_ESTABLISHED},
                  {IBV_EVENT_SQ_DRAINED, QP, IBA_EVENT_SQ_DRAINED},
                  {IBV_EVENT_PATH_MIG, QP, IBA_EVENT_PATH_MIGRATED},
                  {IBV_EVENT_PKEY_CHANGE, PORT, IBA_EVENT_PKEY_CHANGE},
                  {IBV_EVENT_SRQ_ERR, SRQ, IBA_EVENT_SRQ_CATASTROPHIC},
                  {IBV_EVENT_SRQ_LIMIT_REACHED, SRQ, IBA_EVENT_SRQ_LIMIT},
                  {IBV_EVENT_QP_LAST_WQE_REACHED, QP, IBA_EVENT_LAST_WQE_REACHED},
                  {IBV_EVENT_PATH_MIG_ERR, NONE, 0},
                  {IBV_EVENT_PORT_ACTIVE, NONE, 0},
                  {IBV_EVENT_PORT_ERR, NONE, 0},
                  {IBV_EVENT_LID_CHANGE, NONE, 0},
                  {IBV_EVENT_SM_CHANGE, NONE, 0},
                  {IBV_EVENT_CLIENT_REREGISTER, NONE, 0},
                  {IBV_EVENT_GID_CHANGE, NONE, 0},
                  {IBV_EVENT_WQ_FATAL, NONE, 0}};

Test(queue, events)
{
    struct verbs *v = open_with_qp(IBC_LINK_roce2_ipv4);
    struct iba_event e;
    uint32_t second;
    char want[30];
    unsigned n = 9;

    OK(verbs_poll_event(&v->t, 0, &e, &n));
    cr_assert_eq(n, 0);
    OK(verbs_create_cq(&v->t, 0, 8, &second));
    OK(verbs_create_srq(&v->t, 0, pd, 8, 0, &second));
    for (size_t i = 0; i < sizeof event_rows / sizeof *event_rows; i++) {
        struct ibv_async_event in = {.event_type = event_rows[i].theirs};
        if (event_rows[i].of == QP)
            in.element.qp = v->qp[0].qp;
        if (event_rows[i].of == CQ)
            in.element.cq = v->cq[1].cq;
        if (event_rows[i].of == SRQ)
            in.element.srq = v->srq[1];
        adapter.async[0] = in;
        adapter.n_async = 1;
        adapter.said[0] = 0;
        e = (struct iba_event){0};
        OK(verbs_poll_event(&v->t, 0, &e, &n));
        (void)snprintf(want, sizeof want, "ack_event %d\n", (int)event_rows[i].theirs);
        SAID(want);
        cr_assert_eq(n, event_rows[i].of != NONE, "%zu", i);
        cr_assert(e.kind == event_rows[i].ours && e.port == (event_rows[i].of != NONE), "%zu", i);
        cr_assert_eq(e.object,
                     event_rows[i].of == QP                              ? qpn
                     : event_rows[i].of == CQ || event_rows[i].of == SRQ ? 1
                                                                         : 0,
                     "%zu", i);
    }
    adapter.async[0].event_type = IBV_EVENT_PORT_ERR;
    adapter.async[1] = (struct ibv_async_event){.event_type = IBV_EVENT_PKEY_CHANGE};
    adapter.n_async = 2;
    OK(verbs_poll_event(&v->t, 0, &e, &n));
    cr_assert(n == 1 && e.kind == IBA_EVENT_PKEY_CHANGE, "events that the engine lacks are skipped");
    adapter.async[0].event_type = IBV_EVENT_DEVICE_FATAL;
    adapter.n_async = 1;
    cr_assert_eq(verbs_poll_event(&v->t, 0, &e, &n), IBC_DEAD);
    cr_assert_str_eq(v->t.fault, "pretty0 reports a fatal error");
    cr_assert_eq(n, 0);
    adapter_close(v);
}
