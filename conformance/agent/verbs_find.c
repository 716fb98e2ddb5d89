/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds an object by the number that the tester has for it; NULL if it does not exist. */
#include "verbs_device.h"

struct ibv_pd *verbs_find_pd(struct verbs *v, uint32_t pd)
{
    return pd < VERBS_PDS ? v->pd[pd] : NULL;
}

struct verbs_cq *verbs_find_cq(struct verbs *v, uint32_t cq)
{
    return cq < VERBS_CQS && v->cq[cq].cq ? &v->cq[cq] : NULL;
}

struct ibv_srq *verbs_find_srq(struct verbs *v, uint32_t srq)
{
    return srq < VERBS_SRQS ? v->srq[srq] : NULL;
}

struct ibv_xrcd *verbs_find_xrcd(struct verbs *v, uint32_t xrcd)
{
    return xrcd < VERBS_XRCDS ? v->xrcd[xrcd] : NULL;
}

struct verbs_qp *verbs_find_qp(struct verbs *v, uint32_t qpn)
{
    for (unsigned i = 0; i < VERBS_QPS; i++)
        if (v->qp[i].qp && v->qp[i].qp->qp_num == qpn)
            return &v->qp[i];
    return NULL;
}
