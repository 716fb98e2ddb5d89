/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of created objects, by which objects are named, found and destroyed. */
#include "verbs_device.h"
#include <string.h>

enum { SEND_SGES = IBA_MAX_SGE, MOST_NOTIFIED = 4096 };
enum { INLINE = 32 }; /* bytes of inline data that a send queue takes: no scenario posts more */

/* ---- protection domains, completion queues ---- */

enum ibc_rc verbs_create_pd(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    struct verbs *v = verbs_of(t);
    uint32_t i;

    (void)d;
    VERBS_FREE_SLOT(v->pd, , VERBS_PDS, i);
    if (i == VERBS_PDS)
        return verbs_refused(v, "mem_full");
    v->pd[i] = ibv_alloc_pd(v->ctx);
    *pd = i;
    return verbs_made(v, v->pd[i]);
}

enum ibc_rc verbs_create_cq(struct ibc_target *t, unsigned d, uint32_t depth, uint32_t *cq)
{
    struct verbs *v = verbs_of(t);
    uint32_t i;

    (void)d;
    VERBS_FREE_SLOT(v->cq, .cq, VERBS_CQS, i);
    if (i == VERBS_CQS || depth > VERBS_DEPTH)
        return verbs_refused(v, "full");
    v->cq[i] = (struct verbs_cq){.cq = ibv_create_cq(v->ctx, (int)depth, NULL, v->channel, 0)};
    *cq = i;
    return verbs_made(v, v->cq[i].cq);
}

enum ibc_rc verbs_resize_cq(struct ibc_target *t, unsigned d, uint32_t cq, uint32_t depth)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cq *c = verbs_find_cq(v, cq);

    (void)d;
    if (depth > VERBS_DEPTH)
        return verbs_refused(v, "full");
    return c ? verbs_answer(v, ibv_resize_cq(c->cq, (int)depth)) : verbs_refused(v, "no_cq");
}

enum ibc_rc verbs_arm_cq(struct ibc_target *t, unsigned d, uint32_t cq, bool solicited_only)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cq *c = verbs_find_cq(v, cq);

    (void)d;
    return c ? verbs_answer(v, ibv_req_notify_cq(c->cq, solicited_only)) : verbs_refused(v, "no_cq");
}

static void take_notifications(struct verbs *v)
{
    struct ibv_cq *cq;
    void *context;

    for (unsigned n = 0; n < MOST_NOTIFIED && ibv_get_cq_event(v->channel, &cq, &context) == 0; n++) {
        for (unsigned i = 0; i < VERBS_CQS; i++)
            v->cq[i].notified += v->cq[i].cq == cq;
        ibv_ack_cq_events(cq, 1);
    }
}

enum ibc_rc verbs_notified(struct ibc_target *t, unsigned d, uint32_t cq, uint64_t *times)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cq *c = verbs_find_cq(v, cq);

    (void)d;
    take_notifications(v);
    *times = c ? c->notified : 0;
    return c ? IBC_OK : verbs_refused(v, "no_cq");
}

/* ---- shared receive queues ---- */

static enum ibc_rc arm(struct verbs *v, struct ibv_srq *srq, uint32_t limit)
{
    struct ibv_srq_attr attr = {.srq_limit = limit};

    return verbs_answer(v, ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

enum ibc_rc verbs_create_srq(struct ibc_target *t, unsigned d, uint32_t pd, uint32_t depth, uint32_t limit,
                             uint32_t *srq)
{
    struct verbs *v = verbs_of(t);
    struct ibv_srq_init_attr init = {.attr = {.max_wr = depth, .max_sge = SEND_SGES}};
    struct ibv_pd *of = verbs_find_pd(v, pd);
    uint32_t i;
    enum ibc_rc rc;

    (void)d;
    VERBS_FREE_SLOT(v->srq, , VERBS_SRQS, i);
    if (!of)
        return verbs_refused(v, "no_pd");
    if (i == VERBS_SRQS || depth > VERBS_DEPTH)
        return verbs_refused(v, "full");
    v->srq[i] = ibv_create_srq(of, &init);
    *srq = i;
    rc = verbs_made(v, v->srq[i]);
    return rc == IBC_OK && limit > 0 ? arm(v, v->srq[i], limit) : rc;
}

enum ibc_rc verbs_arm_srq(struct ibc_target *t, unsigned d, uint32_t srq, uint32_t limit)
{
    struct verbs *v = verbs_of(t);
    struct ibv_srq *s = verbs_find_srq(v, srq);

    (void)d;
    return s ? arm(v, s, limit) : verbs_refused(v, "no_srq");
}

/* ---- queue pairs ---- */

enum ibv_qp_type verbs_qp_type(uint8_t type)
{
    switch ((enum iba_qp_type)type) {
    case IBA_QPT_RC: return IBV_QPT_RC;
    case IBA_QPT_UC: return IBV_QPT_UC;
    case IBA_QPT_UD: return IBV_QPT_UD;
    case IBA_QPT_XRC_INI: return IBV_QPT_XRC_SEND;
    case IBA_QPT_XRC_TGT: return IBV_QPT_XRC_RECV;
    default: return IBV_QPT_DRIVER;
    }
}

/* Finds the objects that a QP needs. False: one does not exist, and the refusal is recorded. */
static bool parts_of(struct verbs *v, const struct ibc_qp_spec *s, struct ibv_qp_init_attr *init)
{
    const struct verbs_cq *scq = verbs_find_cq(v, s->scq), *rcq = verbs_find_cq(v, s->rcq);

    init->srq = s->has_srq ? verbs_find_srq(v, s->srq) : NULL;
    if (!scq || !rcq)
        (void)verbs_refused(v, "no_cq");
    else if (s->has_srq && !init->srq)
        (void)verbs_refused(v, "no_srq");
    else if (!verbs_find_pd(v, s->pd))
        (void)verbs_refused(v, "no_pd");
    else if (s->sq > VERBS_DEPTH || s->rq > VERBS_DEPTH)
        (void)verbs_refused(v, "full");
    else
        init->send_cq = scq->cq, init->recv_cq = rcq->cq;
    return init->send_cq != NULL;
}

/* The older posting interface has no ATOMIC WRITE: if the device supports it, the QP is created for the newer one
 * too. */
static struct ibv_qp *make_qp(struct verbs *v, struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    struct ibv_qp_init_attr_ex ex = {.send_cq = init->send_cq,
                                     .recv_cq = init->recv_cq,
                                     .srq = init->srq,
                                     .cap = init->cap,
                                     .qp_type = init->qp_type,
                                     .sq_sig_all = init->sq_sig_all,
                                     .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                                     .pd = pd,
                                     .send_ops_flags = IBV_QP_EX_WITH_ATOMIC_WRITE};

    if (v->attr.device_cap_flags_ex & VERBS_DEVICE_ATOMIC_WRITE && init->qp_type == IBV_QPT_RC)
        return ibv_create_qp_ex(v->ctx, &ex);
    return ibv_create_qp(pd, init);
}

enum ibc_rc verbs_create_qp(struct ibc_target *t, unsigned d, const struct ibc_qp_spec *s, uint32_t *qpn)
{
    struct verbs *v = verbs_of(t);
    struct ibv_qp_init_attr init = {.qp_type = verbs_qp_type(s->type),
                                    .sq_sig_all = s->sig_all,
                                    .cap = {.max_send_wr = s->sq,
                                            .max_recv_wr = s->has_srq ? 0 : s->rq,
                                            .max_send_sge = SEND_SGES,
                                            .max_recv_sge = s->has_srq ? 0 : IBA_MAX_SGE,
                                            .max_inline_data = v->inlines && s->type == IBA_QPT_RC ? INLINE : 0}};
    const bool target = s->type == IBA_QPT_XRC_TGT;
    struct ibv_xrcd *xrcd = target ? verbs_find_xrcd(v, s->xrcd) : NULL;
    uint32_t i;
    enum ibc_rc rc;

    (void)d;
    if (init.qp_type == IBV_QPT_DRIVER)
        return IBC_UNSUPPORTED;
    if (target && !xrcd)
        return verbs_refused(v, "no_xrcd");
    if (!target && !parts_of(v, s, &init))
        return IBC_REFUSED;
    VERBS_FREE_SLOT(v->qp, .qp, VERBS_QPS, i);
    if (i == VERBS_QPS)
        return verbs_refused(v, "full");
    v->qp[i] = (struct verbs_qp){.qp = target ? verbs_make_target(v, xrcd) : make_qp(v, verbs_find_pd(v, s->pd), &init),
                                 .type = s->type};
    rc = verbs_made(v, v->qp[i].qp);
    *qpn = v->qp[i].qp ? v->qp[i].qp->qp_num : 0;
    return rc;
}

/* ---- destruction ---- */

/* Destroys the domain's address handles that were created for work requests, since the tester does not know them.
 * `pd` NULL: those of all domains. */
static bool destroy_handles(struct verbs *v, const struct ibv_pd *pd)
{
    bool good = true;

    for (unsigned i = 0; i < VERBS_AHS; i++)
        if (v->ah[i].ah && (!pd || (v->ah[i].pd == pd && !v->ah[i].named))) {
            good &= ibv_destroy_ah(v->ah[i].ah) == 0;
            v->ah[i] = (struct verbs_ah){0};
        }
    return good;
}

static enum ibc_rc destroy_pd(struct verbs *v, uint32_t pd)
{
    struct ibv_pd *p = verbs_find_pd(v, pd);
    enum ibc_rc rc;

    if (!p)
        return verbs_refused(v, "mem_no_pd");
    (void)destroy_handles(v, p);
    rc = verbs_answer_or_busy(v, ibv_dealloc_pd(p), "mem_pd_busy");
    if (rc == IBC_OK)
        v->pd[pd] = NULL;
    return rc;
}

static enum ibc_rc destroy_cq(struct verbs *v, uint32_t cq)
{
    struct verbs_cq *c = verbs_find_cq(v, cq);
    enum ibc_rc rc;

    if (!c)
        return verbs_refused(v, "no_cq");
    take_notifications(v);
    rc = verbs_answer_or_busy(v, ibv_destroy_cq(c->cq), "busy");
    if (rc == IBC_OK)
        c->cq = NULL;
    return rc;
}

static enum ibc_rc destroy_srq(struct verbs *v, uint32_t srq)
{
    struct ibv_srq *s = verbs_find_srq(v, srq);
    enum ibc_rc rc;

    if (!s)
        return verbs_refused(v, "no_srq");
    rc = verbs_answer_or_busy(v, ibv_destroy_srq(s), "busy");
    if (rc == IBC_OK)
        v->srq[srq] = NULL;
    return rc;
}

static enum ibc_rc destroy_qp(struct verbs *v, uint32_t qpn)
{
    struct verbs_qp *q = verbs_find_qp(v, qpn);
    enum ibc_rc rc;

    if (!q)
        return verbs_refused(v, "no_qp");
    rc = verbs_answer_or_busy(v, ibv_destroy_qp(q->qp), "busy");
    if (rc == IBC_OK)
        q->qp = NULL;
    return rc;
}

static enum ibc_rc destroy_ah(struct verbs *v, uint32_t ah)
{
    enum ibc_rc rc;

    if (ah >= VERBS_AHS || !v->ah[ah].named)
        return verbs_refused(v, "no_ah");
    rc = verbs_answer(v, ibv_destroy_ah(v->ah[ah].ah));
    if (rc == IBC_OK)
        v->ah[ah] = (struct verbs_ah){0};
    return rc;
}

enum ibc_rc verbs_destroy(struct ibc_target *t, unsigned d, enum ibc_object_kind kind, uint32_t id)
{
    struct verbs *v = verbs_of(t);

    (void)d;
    switch (kind) {
    case IBC_O_pd: return destroy_pd(v, id);
    case IBC_O_mr: return verbs_dereg(v, id);
    case IBC_O_mw: return verbs_free_mw(v, id);
    case IBC_O_cq: return destroy_cq(v, id);
    case IBC_O_xrcd: return verbs_close_xrcd(v, id);
    case IBC_O_srq: return destroy_srq(v, id);
    case IBC_O_handle: return destroy_ah(v, id);
    case IBC_O_qp: return destroy_qp(v, id);
    default: return IBC_UNSUPPORTED;
    }
}

/* Destroys objects before the objects that they use, and windows before the QPs that they are bound to, for which
 * rdma_rxe would wait. Objects that the device refuses to destroy are forgotten: the caller closes the context. */
static bool destroy_users(struct verbs *v)
{
    bool good = true;

    for (unsigned i = 0; i < VERBS_GROUPS; i++)
        if (v->group[i].qp)
            good &= verbs_leave(&v->group[i]) == 0;
    for (unsigned i = 0; i < VERBS_MWS; i++)
        if (v->mw[i].mw)
            good &= ibv_dealloc_mw(v->mw[i].mw) == 0;
    for (unsigned i = 0; i < VERBS_QPS; i++)
        if (v->qp[i].qp)
            good &= ibv_destroy_qp(v->qp[i].qp) == 0;
    good &= destroy_handles(v, NULL);
    for (unsigned i = 0; i < VERBS_SRQS; i++)
        if (v->srq[i])
            good &= ibv_destroy_srq(v->srq[i]) == 0;
    return good & verbs_close_xrcds(v);
}

static bool destroy_used(struct verbs *v)
{
    bool good = true;

    for (unsigned i = 0; i < VERBS_REGIONS; i++) {
        if (v->region[i].mr)
            good &= ibv_dereg_mr(v->region[i].mr) == 0;
        if (v->region[i].map)
            verbs_unmap(v, &v->region[i]);
    }
    take_notifications(v);
    for (unsigned i = 0; i < VERBS_CQS; i++)
        if (v->cq[i].cq)
            good &= ibv_destroy_cq(v->cq[i].cq) == 0;
    for (unsigned i = 0; i < VERBS_PDS; i++)
        if (v->pd[i])
            good &= ibv_dealloc_pd(v->pd[i]) == 0;
    return good;
}

bool verbs_destroy_all(struct verbs *v)
{
    const bool managed = verbs_cm_destroy_all(v), users = destroy_users(v), used = destroy_used(v);

    memset(v->group, 0, sizeof v->group);
    memset(v->qp, 0, sizeof v->qp);
    memset(v->mw, 0, sizeof v->mw);
    memset(v->srq, 0, sizeof v->srq);
    memset(v->cq, 0, sizeof v->cq);
    memset(v->pd, 0, sizeof v->pd);
    return managed && users && used;
}
