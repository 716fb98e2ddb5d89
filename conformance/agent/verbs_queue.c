/* SPDX-License-Identifier: BSD-2-Clause */
/* Modify, query, poll: translates the engine's numbers to those of libibverbs, and back. */
#include "transport/iba_wr_ops.h"
#include "verbs_device.h"
#include <errno.h>
#include <string.h>

enum { MOST_SKIPPED = 64 };

/* The engine's bits of attributes are those of libibverbs; a difference is detected here. */
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME(IBA_QPA_STATE, IBV_QP_STATE);
SAME(IBA_QPA_CUR_STATE, IBV_QP_CUR_STATE);
SAME(IBA_QPA_SQD_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY);
SAME(IBA_QPA_ACCESS, IBV_QP_ACCESS_FLAGS);
SAME(IBA_QPA_PKEY_INDEX, IBV_QP_PKEY_INDEX);
SAME(IBA_QPA_PORT, IBV_QP_PORT);
SAME(IBA_QPA_QKEY, IBV_QP_QKEY);
SAME(IBA_QPA_AV, IBV_QP_AV);
SAME(IBA_QPA_PATH_MTU, IBV_QP_PATH_MTU);
SAME(IBA_QPA_TIMEOUT, IBV_QP_TIMEOUT);
SAME(IBA_QPA_RETRY, IBV_QP_RETRY_CNT);
SAME(IBA_QPA_RNR_RETRY, IBV_QP_RNR_RETRY);
SAME(IBA_QPA_RQ_PSN, IBV_QP_RQ_PSN);
SAME(IBA_QPA_MAX_RD, IBV_QP_MAX_QP_RD_ATOMIC);
SAME(IBA_QPA_ALT_PATH, IBV_QP_ALT_PATH);
SAME(IBA_QPA_MIN_RNR, IBV_QP_MIN_RNR_TIMER);
SAME(IBA_QPA_SQ_PSN, IBV_QP_SQ_PSN);
SAME(IBA_QPA_MAX_DEST_RD, IBV_QP_MAX_DEST_RD_ATOMIC);
SAME(IBA_QPA_PATH_MIG, IBV_QP_PATH_MIG_STATE);
SAME(IBA_QPA_DEST_QPN, IBV_QP_DEST_QPN);
SAME(IBA_QPS_RESET, IBV_QPS_RESET);
SAME(IBA_QPS_RTS, IBV_QPS_RTS);
SAME(IBA_QPS_SQE, IBV_QPS_SQE);
SAME(IBA_QPS_ERR, IBV_QPS_ERR);
SAME(IBA_MTU_4096, IBV_MTU_4096);
SAME(IBA_PATH_MIGRATED, IBV_MIG_MIGRATED);
SAME(IBA_PATH_REARM, IBV_MIG_REARM);
SAME(IBA_PATH_ARMED, IBV_MIG_ARMED);

/* ---- states ---- */

static enum ibc_rc path_of_qp(struct verbs *v, const struct ibc_address *to, uint8_t port, const struct ibc_qp_attr *a,
                              struct ibv_ah_attr *out)
{
    const enum ibc_rc rc = verbs_path(v, to, NULL, &a->path, out);

    out->grh.hop_limit = a->hop;
    out->grh.traffic_class = a->tclass;
    out->grh.flow_label = a->flow;
    out->sl = a->sl;
    out->port_num = port ? port : v->port;
    return rc;
}

/* Converts attributes. UNSUPPORTED: verbs cannot express the request. */
static enum ibc_rc attributes(struct verbs *v, const struct ibc_qp_attr *a, struct ibv_qp_attr *out)
{
    bool all;
    enum ibc_rc rc = IBC_OK;

    *out = (struct ibv_qp_attr){.qp_state = (enum ibv_qp_state)a->a.state,
                                .cur_qp_state = (enum ibv_qp_state)a->a.cur_state,
                                .path_mtu = (enum ibv_mtu)a->a.path_mtu,
                                .path_mig_state = (enum ibv_mig_state)a->a.path_mig,
                                .qkey = a->a.qkey,
                                .rq_psn = a->a.rq_psn,
                                .sq_psn = a->a.sq_psn,
                                .dest_qp_num = a->a.dest_qpn,
                                .qp_access_flags = verbs_access(a->a.access, &all),
                                .pkey_index = a->a.pkey_index,
                                .alt_pkey_index = a->a.pkey_index,
                                .en_sqd_async_notify = a->a.sqd_notify,
                                .max_rd_atomic = a->a.max_rd,
                                .max_dest_rd_atomic = a->a.max_dest_rd,
                                .min_rnr_timer = a->a.min_rnr,
                                .port_num = a->a.port,
                                .alt_port_num = a->alt_port ? a->alt_port : v->port,
                                .timeout = a->a.timeout,
                                .alt_timeout = a->a.timeout,
                                .retry_cnt = a->a.retry,
                                .rnr_retry = a->a.rnr_retry};
    /* Connection managers agree on flow control; no verb sets it, and the device decides. */
    if ((a->mask & IBA_QPA_ACCESS && !all) || a->to_partner)
        return IBC_UNSUPPORTED;
    if (a->mask & IBA_QPA_AV)
        rc = path_of_qp(v, a->to, a->av_port, a, &out->ah_attr);
    if (rc == IBC_OK && a->mask & IBA_QPA_ALT_PATH)
        rc = path_of_qp(v, a->alt, a->alt_port, a, &out->alt_ah_attr);
    return rc;
}

enum ibc_rc verbs_modify_qp(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_qp *q = verbs_find_qp(v, qpn);
    struct ibv_qp_attr attr;
    enum ibc_rc rc;

    (void)d;
    if (!q)
        return verbs_refused(v, "no_qp");
    rc = attributes(v, a, &attr);
    return rc == IBC_OK ? verbs_answer(v, ibv_modify_qp(q->qp, &attr, (int)(a->mask | IBA_QPA_STATE))) : rc;
}

static uint16_t rights_of(unsigned access)
{
    return (uint16_t)((access & IBV_ACCESS_REMOTE_WRITE ? IBA_ACCESS_REMOTE_WRITE : 0) |
                      (access & IBV_ACCESS_REMOTE_READ ? IBA_ACCESS_REMOTE_READ : 0) |
                      (access & IBV_ACCESS_REMOTE_ATOMIC ? IBA_ACCESS_REMOTE_ATOMIC : 0));
}

void verbs_attributes_of(const struct ibv_qp_attr *b, struct iba_qp_attr *a)
{
    *a = (struct iba_qp_attr){.state = (uint8_t)b->qp_state,
                              .cur_state = (uint8_t)b->qp_state,
                              .access = rights_of(b->qp_access_flags),
                              .pkey_index = (uint8_t)b->pkey_index,
                              .port = b->port_num,
                              .path_mtu = (uint8_t)b->path_mtu,
                              .timeout = b->timeout,
                              .retry = b->retry_cnt,
                              .rnr_retry = b->rnr_retry,
                              .min_rnr = b->min_rnr_timer,
                              .max_rd = b->max_rd_atomic,
                              .max_dest_rd = b->max_dest_rd_atomic,
                              .path_mig = (uint8_t)b->path_mig_state,
                              .sqd_notify = b->en_sqd_async_notify,
                              .qkey = b->qkey,
                              .dest_qpn = b->dest_qp_num,
                              .rq_psn = b->rq_psn,
                              .sq_psn = b->sq_psn,
                              .alt_av = {.dlid = b->alt_ah_attr.dlid, .port = b->alt_port_num}};
}

enum ibc_rc verbs_query_qp(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    enum { WHAT = IBV_QP_DEST_QPN | (IBV_QP_CAP - 1) };
    struct verbs *v = verbs_of(t);
    const struct verbs_qp *q = verbs_find_qp(v, qpn);
    struct ibv_qp_init_attr init;
    struct ibv_qp_attr b = {0};
    enum ibc_rc rc;

    (void)d;
    if (!q)
        return verbs_refused(v, "no_qp");
    rc = verbs_answer(v, ibv_query_qp(q->qp, &b, WHAT, &init));
    verbs_attributes_of(&b, a);
    return rc;
}

/* ---- completions ---- */

static const uint8_t statuses[] = {
    [IBV_WC_SUCCESS] = IBA_WC_SUCCESS,
    [IBV_WC_LOC_LEN_ERR] = IBA_WC_LOCAL_LENGTH,
    [IBV_WC_LOC_QP_OP_ERR] = IBA_WC_LOCAL_QP_OPERATION,
    [IBV_WC_LOC_EEC_OP_ERR] = IBA_WC_INVALID_EE_STATE,
    [IBV_WC_LOC_PROT_ERR] = IBA_WC_LOCAL_PROTECTION,
    [IBV_WC_WR_FLUSH_ERR] = IBA_WC_FLUSHED,
    [IBV_WC_MW_BIND_ERR] = IBA_WC_MW_BIND,
    [IBV_WC_BAD_RESP_ERR] = IBA_WC_BAD_RESPONSE,
    [IBV_WC_LOC_ACCESS_ERR] = IBA_WC_LOCAL_ACCESS,
    [IBV_WC_REM_INV_REQ_ERR] = IBA_WC_REMOTE_INVALID_REQ,
    [IBV_WC_REM_ACCESS_ERR] = IBA_WC_REMOTE_ACCESS,
    [IBV_WC_REM_OP_ERR] = IBA_WC_REMOTE_OPERATION,
    [IBV_WC_RETRY_EXC_ERR] = IBA_WC_RETRY_EXCEEDED,
    [IBV_WC_RNR_RETRY_EXC_ERR] = IBA_WC_RNR_RETRY_EXCEEDED,
    [IBV_WC_LOC_RDD_VIOL_ERR] = IBA_WC_LOCAL_RDD,
    [IBV_WC_REM_INV_RD_REQ_ERR] = IBA_WC_REMOTE_INVALID_RD,
    [IBV_WC_REM_ABORT_ERR] = IBA_WC_REMOTE_ABORTED,
    [IBV_WC_INV_EECN_ERR] = IBA_WC_INVALID_EECN,
    [IBV_WC_INV_EEC_STATE_ERR] = IBA_WC_INVALID_EE_STATE,
};

/* libibverbs distinguishes fewer operations than were posted: its one SEND is three of ours. */
static uint8_t coarse(uint8_t op)
{
    return op == IBA_WR_SEND_IMM || op == IBA_WR_SEND_INV ? IBA_WR_SEND : op == IBA_WR_WRITE_IMM ? IBA_WR_WRITE : op;
}

static uint8_t reported(enum ibv_wc_opcode op)
{
    switch (op) {
    case IBV_WC_SEND: return IBA_WR_SEND;
    case IBV_WC_RDMA_WRITE: return IBA_WR_WRITE;
    case IBV_WC_RDMA_READ: return IBA_WR_READ;
    case IBV_WC_COMP_SWAP: return IBA_WR_CMP_SWAP;
    case IBV_WC_FETCH_ADD: return IBA_WR_FETCH_ADD;
    case IBV_WC_BIND_MW: return IBA_WR_BIND_MW;
    case IBV_WC_LOCAL_INV: return IBA_WR_LOCAL_INV;
    case IBV_WC_ATOMIC_WRITE: return IBA_WR_ATOMIC_WRITE;
    case IBV_WC_RECV: return IBA_WR_RECV;
    case IBV_WC_RECV_RDMA_WITH_IMM: return IBA_WR_RECV_WRITE_IMM;
    default: return IBA_WR_OP_COUNT;
    }
}

/* Returns the posted operation, unless the device reports another. A failed completion has no opcode. */
static uint8_t op_of(const struct ibv_wc *wc)
{
    const uint8_t posted = (uint8_t)(wc->wr_id >> VERBS_ID_BITS), said = reported(wc->opcode);

    return wc->status != IBV_WC_SUCCESS || coarse(posted) == said ? posted : said;
}

/* Each bind changes a window's key: takes the new key from the completion of a successful bind. */
static uint32_t bound(struct verbs *v, const struct iba_wc *wc)
{
    for (unsigned i = 0; i < VERBS_MWS; i++) {
        struct verbs_mw *w = &v->mw[i];
        if (!w->mw || !w->binding || w->bind_id != wc->wr_id || w->bind_qpn != wc->qpn)
            continue;
        w->binding = false;
        if (wc->status == IBA_WC_SUCCESS)
            w->rkey = w->next;
        w->mw->rkey = w->rkey; /* libibverbs leaves it to its user to restore the key after a failed bind */
        return w->rkey;
    }
    return 0;
}

static void put_flags(const struct ibv_wc *in, struct iba_wc *out)
{
    if (in->wc_flags & IBV_WC_GRH)
        out->flags |= IBA_WC_GRH;
    if (in->wc_flags & IBV_WC_WITH_IMM) {
        out->flags |= IBA_WC_WITH_IMM;
        out->imm_or_key = be32toh(in->imm_data);
    } else if (in->wc_flags & IBV_WC_WITH_INV) {
        out->flags |= IBA_WC_WITH_INV;
        out->imm_or_key = in->invalidated_rkey;
    }
}

enum ibc_rc verbs_poll_cq(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cq *c = verbs_find_cq(v, cq);
    struct ibv_wc in = {0};
    int got;

    (void)d;
    *n = 0;
    if (!c)
        return verbs_refused(v, "no_cq");
    got = ibv_poll_cq(c->cq, 1, &in);
    if (got < 0)
        return verbs_answer(v, -got > 1 ? -got : -1);
    *n = got > 0;
    *wc = (struct iba_wc){.wr_id = in.wr_id & ((UINT64_C(1) << VERBS_ID_BITS) - 1),
                          .status = in.status < sizeof statuses ? statuses[in.status] : IBA_WC_REMOTE_ABORTED,
                          .op = op_of(&in),
                          .byte_len = in.byte_len,
                          .qpn = in.qp_num};
    if (in.status == IBV_WC_SUCCESS) { /* a failed completion has no other valid member */
        wc->sl = in.sl;
        wc->slid = in.slid;
        wc->path_bits = in.dlid_path_bits;
        wc->pkey_index = in.pkey_index;
        wc->src_qpn = in.src_qp;
        put_flags(&in, wc);
    }
    if (*n > 0 && wc->op == IBA_WR_BIND_MW)
        wc->imm_or_key = bound(v, wc);
    return IBC_OK;
}

/* ---- events ---- */

static const struct {
    uint8_t kind;
    enum { OF_PORT, OF_QP, OF_CQ, OF_SRQ, OF_NOTHING } of;
} events[] = {
    [IBV_EVENT_CQ_ERR] = {IBA_EVENT_CQ_ERROR, OF_CQ},
    [IBV_EVENT_QP_FATAL] = {IBA_EVENT_WQ_CATASTROPHIC, OF_QP},
    [IBV_EVENT_QP_REQ_ERR] = {IBA_EVENT_WQ_INVALID_REQUEST, OF_QP},
    [IBV_EVENT_QP_ACCESS_ERR] = {IBA_EVENT_WQ_ACCESS_VIOLATION, OF_QP},
    [IBV_EVENT_COMM_EST] = {IBA_EVENT_COMM_ESTABLISHED, OF_QP},
    [IBV_EVENT_SQ_DRAINED] = {IBA_EVENT_SQ_DRAINED, OF_QP},
    [IBV_EVENT_PATH_MIG] = {IBA_EVENT_PATH_MIGRATED, OF_QP},
    [IBV_EVENT_PATH_MIG_ERR] = {0, OF_NOTHING},
    [IBV_EVENT_DEVICE_FATAL] = {0, OF_NOTHING},
    [IBV_EVENT_PORT_ACTIVE] = {0, OF_NOTHING},
    [IBV_EVENT_PORT_ERR] = {0, OF_NOTHING},
    [IBV_EVENT_LID_CHANGE] = {0, OF_NOTHING},
    [IBV_EVENT_PKEY_CHANGE] = {IBA_EVENT_PKEY_CHANGE, OF_PORT},
    [IBV_EVENT_SM_CHANGE] = {0, OF_NOTHING},
    [IBV_EVENT_SRQ_ERR] = {IBA_EVENT_SRQ_CATASTROPHIC, OF_SRQ},
    [IBV_EVENT_SRQ_LIMIT_REACHED] = {IBA_EVENT_SRQ_LIMIT, OF_SRQ},
    [IBV_EVENT_QP_LAST_WQE_REACHED] = {IBA_EVENT_LAST_WQE_REACHED, OF_QP},
};

static uint32_t object_of(struct verbs *v, unsigned of, const struct ibv_async_event *e)
{
    uint32_t i = 0;

    switch (of) {
    case OF_QP: return e->element.qp->qp_num;
    case OF_CQ:
        while (i < VERBS_CQS && v->cq[i].cq != e->element.cq)
            i++;
        return i;
    case OF_SRQ:
        while (i < VERBS_SRQS && v->srq[i] != e->element.srq)
            i++;
        return i;
    default: return 0;
    }
}

/* Translates an event. False: the engine has no such event. */
static bool translate(struct verbs *v, const struct ibv_async_event *in, struct iba_event *out)
{
    const size_t type = (size_t)in->event_type;

    if (type >= sizeof events / sizeof *events || events[type].of == OF_NOTHING)
        return false;
    *out = (struct iba_event){.kind = events[type].kind, .port = v->port, .object = object_of(v, events[type].of, in)};
    return true;
}

enum ibc_rc verbs_poll_event(struct ibc_target *t, unsigned d, struct iba_event *e, unsigned *n)
{
    struct verbs *v = verbs_of(t);
    struct ibv_async_event in;

    (void)d;
    *n = 0;
    for (unsigned i = 0; i < MOST_SKIPPED && *n == 0 && ibv_get_async_event(v->ctx, &in) == 0; i++) {
        const bool fatal = in.event_type == IBV_EVENT_DEVICE_FATAL;
        *n = translate(v, &in, e);
        ibv_ack_async_event(&in);
        if (fatal)
            return verbs_fault(v, IBC_DEAD, "%s reports a fatal error", v->name);
    }
    return IBC_OK;
}
