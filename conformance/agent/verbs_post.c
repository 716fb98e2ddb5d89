/* SPDX-License-Identifier: BSD-2-Clause */
/* Posts work requests. The operation is put into the upper bits of the work request id, so that the completion has
 * it. */
#include "transport/iba_wr_ops.h"
#include "verbs_device.h"
#include <errno.h>
#include <string.h>

static const struct {
    bool there;
    enum ibv_wr_opcode opcode;
} ops[IBA_WR_OP_COUNT] = {
    [IBA_WR_SEND] = {true, IBV_WR_SEND},
    [IBA_WR_SEND_IMM] = {true, IBV_WR_SEND_WITH_IMM},
    [IBA_WR_SEND_INV] = {true, IBV_WR_SEND_WITH_INV},
    [IBA_WR_WRITE] = {true, IBV_WR_RDMA_WRITE},
    [IBA_WR_WRITE_IMM] = {true, IBV_WR_RDMA_WRITE_WITH_IMM},
    [IBA_WR_READ] = {true, IBV_WR_RDMA_READ},
    [IBA_WR_CMP_SWAP] = {true, IBV_WR_ATOMIC_CMP_AND_SWP},
    [IBA_WR_FETCH_ADD] = {true, IBV_WR_ATOMIC_FETCH_AND_ADD},
    [IBA_WR_LOCAL_INV] = {true, IBV_WR_LOCAL_INV},
};

static uint64_t tagged(uint64_t id, uint8_t op)
{
    return id | (uint64_t)op << VERBS_ID_BITS;
}

static unsigned flags_of(uint8_t flags)
{
    return (flags & IBA_WR_SIGNALED ? IBV_SEND_SIGNALED : 0u) | (flags & IBA_WR_SOLICITED ? IBV_SEND_SOLICITED : 0u) |
           (flags & IBA_WR_FENCE ? IBV_SEND_FENCE : 0u) | (flags & IBA_WR_INLINE ? IBV_SEND_INLINE : 0u);
}

static void put_sges(const struct iba_sge *in, unsigned n, struct ibv_sge *out)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = (struct ibv_sge){.addr = in[i].addr, .length = in[i].length, .lkey = in[i].lkey};
}

/* Translates the result of posting, which is ENOMEM if the queue is full. */
static enum ibc_rc posted(struct verbs *v, int result)
{
    return result == ENOMEM || (result < 0 && errno == ENOMEM) ? verbs_refused(v, "full") : verbs_answer(v, result);
}

/* ---- address handles ---- */

static bool same_path(const struct ibv_ah_attr *a, const struct ibv_ah_attr *b)
{
    return a->is_global == b->is_global && a->dlid == b->dlid && a->sl == b->sl && a->port_num == b->port_num &&
           a->src_path_bits == b->src_path_bits && a->grh.sgid_index == b->grh.sgid_index &&
           a->grh.hop_limit == b->grh.hop_limit && a->grh.traffic_class == b->grh.traffic_class &&
           a->grh.flow_label == b->grh.flow_label &&
           memcmp(a->grh.dgid.raw, b->grh.dgid.raw, sizeof a->grh.dgid.raw) == 0;
}

static struct ibv_ah *known_handle(struct verbs *v, const struct ibv_pd *pd, const struct ibv_ah_attr *attr)
{
    for (unsigned i = 0; i < VERBS_AHS; i++)
        if (v->ah[i].ah && !v->ah[i].named && v->ah[i].pd == pd && same_path(&v->ah[i].attr, attr))
            return v->ah[i].ah;
    return NULL;
}

/* Creates an address handle. *i becomes the index of its slot. */
static enum ibc_rc new_handle(struct verbs *v, struct ibv_pd *pd, struct ibv_ah_attr *attr, bool named, unsigned *i)
{
    struct ibv_ah *ah;
    enum ibc_rc rc;

    *i = 0;
    while (*i < VERBS_AHS && v->ah[*i].ah)
        ++*i;
    if (*i == VERBS_AHS)
        return verbs_refused(v, "full");
    ah = ibv_create_ah(pd, attr);
    rc = verbs_made(v, ah);
    if (rc == IBC_OK)
        v->ah[*i] = (struct verbs_ah){.ah = ah, .pd = pd, .attr = *attr, .named = named};
    return rc;
}

enum ibc_rc verbs_create_ah(struct ibc_target *t, unsigned d, uint32_t pd, const struct ibc_address *to, uint32_t *ah)
{
    enum { HOPS = 64 };
    struct verbs *v = verbs_of(t);
    struct ibv_pd *of = verbs_find_pd(v, pd);
    const struct ibc_path usual = {0};
    struct ibv_ah_attr attr;
    enum ibc_rc rc = verbs_path(v, to, NULL, &usual, &attr);

    (void)d;
    if (!of)
        return verbs_refused(v, "no_pd");
    attr.grh.hop_limit = HOPS;
    return rc == IBC_OK ? new_handle(v, of, &attr, true, ah) : rc;
}

static enum ibc_rc handle(struct verbs *v, struct ibv_pd *of_qp, const struct ibc_ah_spec *s, struct ibv_ah **ah)
{
    struct ibv_pd *pd = s->has_pd ? verbs_find_pd(v, s->pd) : of_qp;
    struct ibv_ah_attr attr;
    enum ibc_rc rc = verbs_path(v, s->to, s->group, &s->path, &attr);
    unsigned i;

    if (rc != IBC_OK || s->none) /* libibverbs would dereference the missing handle */
        return s->none ? IBC_UNSUPPORTED : rc;
    if (!pd)
        return verbs_refused(v, "no_pd");
    attr.port_num = s->port ? s->port : attr.port_num;
    attr.grh.hop_limit = s->hop;
    attr.grh.traffic_class = s->tclass;
    attr.sl = s->sl;
    *ah = known_handle(v, pd, &attr);
    if (*ah)
        return IBC_OK;
    rc = new_handle(v, pd, &attr, false, &i);
    if (rc == IBC_OK)
        *ah = v->ah[i].ah;
    return rc;
}

/* ---- windows ---- */

static enum ibc_rc bind_type1(struct verbs *v, struct ibv_qp *qp, struct verbs_mw *w, const struct iba_send_wr *wr,
                              const struct ibv_mw_bind_info *info)
{
    struct ibv_mw_bind bind = {
        .wr_id = tagged(wr->wr_id, wr->op), .send_flags = flags_of(wr->flags), .bind_info = *info};
    const enum ibc_rc rc = posted(v, ibv_bind_mw(qp, w->mw, &bind));

    w->next = w->mw->rkey; /* libibverbs has chosen the key */
    return rc;
}

static enum ibc_rc bind_type2(struct verbs *v, struct ibv_qp *qp, struct verbs_mw *w, const struct iba_send_wr *wr,
                              const struct ibv_mw_bind_info *info)
{
    struct ibv_send_wr out = {.wr_id = tagged(wr->wr_id, wr->op),
                              .opcode = IBV_WR_BIND_MW,
                              .send_flags = flags_of(wr->flags),
                              .bind_mw = {.mw = w->mw, .bind_info = *info}},
                       *bad;

    w->next = (w->mw->rkey & ~0xffu) | wr->bind.key_byte;
    out.bind_mw.rkey = w->next;
    return posted(v, ibv_post_send(qp, &out, &bad));
}

static enum ibc_rc post_bind(struct verbs *v, struct ibv_qp *qp, const struct iba_send_wr *wr)
{
    struct verbs_mw *w = verbs_find_mw(v, wr->bind.mw_rkey);
    const struct verbs_region *g = verbs_find_mr(v, wr->bind.mr_lkey);
    bool all;
    const struct ibv_mw_bind_info info = {.mr = g ? g->mr : NULL,
                                          .addr = wr->bind.va,
                                          .length = wr->bind.length,
                                          .mw_access_flags = verbs_access(wr->bind.access, &all)};
    enum ibc_rc rc;

    /* libibverbs takes objects here instead of keys, so a wrong key cannot be given. */
    if (!all || !w || (!g && wr->bind.length > 0))
        return IBC_UNSUPPORTED;
    rc = w->mw->type == IBV_MW_TYPE_1 ? bind_type1(v, qp, w, wr, &info) : bind_type2(v, qp, w, wr, &info);
    if (rc == IBC_OK) {
        w->binding = true;
        w->bind_id = wr->wr_id;
        w->bind_qpn = qp->qp_num;
    }
    return rc;
}

/* ---- ATOMIC WRITE ---- */

/* Posts an ATOMIC WRITE. libibverbs takes the eight bytes themselves, and not their address. */
static enum ibc_rc post_atomic_write(struct verbs *v, struct ibv_qp *qp, const struct iba_send_wr *wr)
{
    struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
    uint8_t bytes[sizeof(uint64_t)];

    if (!ex || wr->n_sge != 1 || wr->sge[0].length != sizeof bytes || !verbs_find_mr(v, wr->sge[0].lkey) ||
        verbs_read_memory(&v->t, 0, wr->sge[0].addr, bytes, sizeof bytes) != IBC_OK)
        return IBC_UNSUPPORTED;
    ibv_wr_start(ex);
    ex->wr_id = tagged(wr->wr_id, wr->op);
    ex->wr_flags = flags_of(wr->flags);
    ibv_wr_atomic_write(ex, wr->rkey, wr->va, bytes);
    return posted(v, ibv_wr_complete(ex));
}

/* ---- send ---- */

static void put_remote(const struct verbs_qp *q, const struct iba_send_wr *wr, struct ibv_send_wr *out)
{
    if (wr->op == IBA_WR_CMP_SWAP || wr->op == IBA_WR_FETCH_ADD) {
        out->wr.atomic.remote_addr = wr->va;
        out->wr.atomic.rkey = wr->rkey;
        out->wr.atomic.compare_add = wr->compare_add;
        out->wr.atomic.swap = wr->swap;
    } else if (q->type != IBA_QPT_UD) {
        out->wr.rdma.remote_addr = wr->va;
        out->wr.rdma.rkey = wr->rkey;
    }
    if (q->type == IBA_QPT_XRC_INI)
        out->qp_type.xrc.remote_srqn = wr->xrc_srqn;
    if (wr->op == IBA_WR_SEND_INV || wr->op == IBA_WR_LOCAL_INV)
        out->invalidate_rkey = wr->imm_or_key;
    else
        out->imm_data = htobe32(wr->imm_or_key);
}

enum ibc_rc verbs_post_send(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_send *s)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_qp *q = verbs_find_qp(v, qpn);
    const struct iba_send_wr *wr = &s->wr;
    struct ibv_sge sge[IBA_MAX_SGE];
    struct ibv_send_wr out = {.sg_list = sge, .num_sge = wr->n_sge}, *bad;

    (void)d;
    if (!q)
        return verbs_refused(v, "no_qp");
    if (wr->n_sge > IBA_MAX_SGE)
        return verbs_refused(v, "sge");
    if (wr->op >= IBA_WR_OP_COUNT || wr->wr_id >> VERBS_ID_BITS)
        return IBC_UNSUPPORTED;
    if (wr->op == IBA_WR_BIND_MW)
        return post_bind(v, q->qp, wr);
    if (wr->op == IBA_WR_ATOMIC_WRITE)
        return post_atomic_write(v, q->qp, wr);
    if (!ops[wr->op].there)
        return IBC_UNSUPPORTED;
    out.wr_id = tagged(wr->wr_id, wr->op);
    out.opcode = ops[wr->op].opcode;
    out.send_flags = flags_of(wr->flags);
    put_sges(wr->sge, wr->n_sge, sge);
    put_remote(q, wr, &out);
    if (q->type == IBA_QPT_UD) {
        const enum ibc_rc rc = handle(v, q->qp->pd, &s->dest, &out.wr.ud.ah);
        if (rc != IBC_OK)
            return rc;
        out.wr.ud.remote_qpn = wr->remote_qpn;
        out.wr.ud.remote_qkey = wr->remote_qkey;
    }
    return posted(v, ibv_post_send(q->qp, &out, &bad));
}

/* ---- receive ---- */

/* Converts a receive. REFUSED or UNSUPPORTED: libibverbs cannot express it. */
static enum ibc_rc receive(struct verbs *v, const struct iba_recv_wr *wr, struct ibv_sge sge[IBA_MAX_SGE],
                           struct ibv_recv_wr *out)
{
    if (wr->n_sge > IBA_MAX_SGE)
        return verbs_refused(v, "sge");
    if (wr->wr_id >> VERBS_ID_BITS)
        return IBC_UNSUPPORTED;
    put_sges(wr->sge, wr->n_sge, sge);
    *out = (struct ibv_recv_wr){.wr_id = tagged(wr->wr_id, IBA_WR_RECV), .sg_list = sge, .num_sge = wr->n_sge};
    return IBC_OK;
}

enum ibc_rc verbs_post_recv(struct ibc_target *t, unsigned d, uint32_t qpn, const struct iba_recv_wr *wr)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_qp *q = verbs_find_qp(v, qpn);
    struct ibv_sge sge[IBA_MAX_SGE];
    struct ibv_recv_wr out, *bad;
    const enum ibc_rc rc = receive(v, wr, sge, &out);

    (void)d;
    if (!q)
        return verbs_refused(v, "no_qp");
    return rc == IBC_OK ? posted(v, ibv_post_recv(q->qp, &out, &bad)) : rc;
}

enum ibc_rc verbs_post_srq_recv(struct ibc_target *t, unsigned d, uint32_t srq, const struct iba_recv_wr *wr)
{
    struct verbs *v = verbs_of(t);
    struct ibv_srq *s = verbs_find_srq(v, srq);
    struct ibv_sge sge[IBA_MAX_SGE];
    struct ibv_recv_wr out, *bad;
    const enum ibc_rc rc = receive(v, wr, sge, &out);

    (void)d;
    if (!s)
        return verbs_refused(v, "no_srq");
    return rc == IBC_OK ? posted(v, ibv_post_srq_recv(s, &out, &bad)) : rc;
}
