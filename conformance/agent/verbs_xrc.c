/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended reliable connections of libibverbs: domains, shared receive queues in them, target queue pairs. */
#include <fcntl.h>
#include "verbs_device.h"

enum ibc_rc verbs_create_xrcd(struct ibc_target *t, unsigned d, uint32_t *xrcd)
{
    struct ibv_xrcd_init_attr init = {
        .comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
    struct verbs *v = verbs_of(t);
    uint32_t i;

    (void)d;
    VERBS_FREE_SLOT(v->xrcd, , VERBS_XRCDS, i);
    if (i == VERBS_XRCDS)
        return verbs_refused(v, "full");
    v->xrcd[i] = ibv_open_xrcd(v->ctx, &init);
    *xrcd = i;
    return verbs_made(v, v->xrcd[i]);
}

enum ibc_rc verbs_close_xrcd(struct verbs *v, uint32_t xrcd)
{
    struct ibv_xrcd *x = verbs_find_xrcd(v, xrcd);
    enum ibc_rc rc;

    if (!x)
        return verbs_refused(v, "no_xrcd");
    rc = verbs_answer(v, ibv_close_xrcd(x));
    if (rc == IBC_OK)
        v->xrcd[xrcd] = NULL;
    return rc;
}

bool verbs_close_xrcds(struct verbs *v)
{
    bool good = true;

    for (unsigned i = 0; i < VERBS_XRCDS; i++) {
        if (v->xrcd[i])
            good &= ibv_close_xrcd(v->xrcd[i]) == 0;
        v->xrcd[i] = NULL;
    }
    return good;
}

enum ibc_rc verbs_create_xrc_srq(struct ibc_target *t, unsigned d, const struct ibc_xrc_srq_spec *s, uint32_t *srq,
                                 uint32_t *number)
{
    struct verbs *v = verbs_of(t);
    const struct verbs_cq *cq = verbs_find_cq(v, s->cq);
    struct ibv_srq_init_attr_ex init = {.attr = {.max_wr = s->depth, .max_sge = IBA_MAX_SGE},
                                        .comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
                                                     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
                                        .srq_type = IBV_SRQT_XRC,
                                        .pd = verbs_find_pd(v, s->pd),
                                        .xrcd = verbs_find_xrcd(v, s->xrcd),
                                        .cq = cq ? cq->cq : NULL};
    uint32_t i;
    enum ibc_rc rc;

    (void)d;
    VERBS_FREE_SLOT(v->srq, , VERBS_SRQS, i);
    if (!init.pd || !init.xrcd || !init.cq)
        return verbs_refused(v, !init.pd ? "no_pd" : !init.xrcd ? "no_xrcd" : "no_cq");
    if (i == VERBS_SRQS || s->depth > VERBS_DEPTH)
        return verbs_refused(v, "full");
    v->srq[i] = ibv_create_srq_ex(v->ctx, &init);
    *srq = i;
    rc = verbs_made(v, v->srq[i]);
    return rc == IBC_OK ? verbs_answer(v, ibv_get_srq_num(v->srq[i], number)) : rc;
}

struct ibv_qp *verbs_make_target(struct verbs *v, struct ibv_xrcd *xrcd)
{
    struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd};

    return ibv_create_qp_ex(v->ctx, &init);
}
