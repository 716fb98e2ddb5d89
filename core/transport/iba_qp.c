/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the QP of a number, and returns the traits of its type and what its state permits. */
#include "transport/iba_qp_traits.h"

enum {
    BOTH = IBA_QP_SENDS | IBA_QP_RECEIVES,
    RELIABLE = IBA_QP_CONNECTED | IBA_QP_RELIABLE,
    MANAGEMENT = BOTH | IBA_QP_DATAGRAM | IBA_QP_MANAGES,
};
const struct iba_qp_kind iba_qp_kinds[IBA_QPT_COUNT] = {
    [IBA_QPT_RC] = {BOTH | IBA_QP_SHARES | RELIABLE, IBA_RC},
    [IBA_QPT_UC] = {BOTH | IBA_QP_SHARES | IBA_QP_CONNECTED, IBA_UC},
    [IBA_QPT_UD] = {BOTH | IBA_QP_SHARES | IBA_QP_DATAGRAM | IBA_QP_GROUPS, IBA_UD},
    [IBA_QPT_RAW_IPV6] = {BOTH | IBA_QP_GROUPS, IBA_UD},
    [IBA_QPT_RAW_ETHERTYPE] = {BOTH | IBA_QP_GROUPS, IBA_UD},
    [IBA_QPT_SMI] = {MANAGEMENT, IBA_UD},
    [IBA_QPT_GSI] = {MANAGEMENT, IBA_UD},
    [IBA_QPT_XRC_INI] = {IBA_QP_SENDS | RELIABLE, IBA_XRC}, /* QS-44 */
    [IBA_QPT_XRC_TGT] = {IBA_QP_TARGETS | RELIABLE, IBA_XRC},
    [IBA_QPT_RD] = {BOTH | IBA_QP_SHARES, IBA_RD}, /* the connections are its EE contexts */
    [IBA_QPT_EE] = {IBA_QP_CONTEXT | RELIABLE, IBA_RD},
};

static struct iba_qp *management_qp(const struct iba_ca *ca, uint32_t qpn)
{
    for (uint32_t i = 0; i < ca->n_qp; i++)
        if (ca->qp[i] && ca->qp[i]->qpn == qpn)
            return ca->qp[i];
    return NULL;
}

struct iba_qp *iba_qp_find(const struct iba_ca *ca, uint32_t qpn)
{
    struct iba_qp *qp;

    if (qpn < IBA_QPN_FIRST) /* QP0 and QP1 may be in any slot */
        return management_qp(ca, qpn);
    qp = ca->qp[qpn % ca->n_qp];
    return qp && qp->qpn == qpn ? qp : NULL;
}

bool iba_qp_may_receive_requests(const struct iba_qp *qp)
{
    return qp->state == IBA_QPS_RTR || qp->state == IBA_QPS_RTS || qp->state == IBA_QPS_SQD || qp->state == IBA_QPS_SQE;
}

bool iba_qp_may_receive_responses(const struct iba_qp *qp)
{
    return qp->state == IBA_QPS_RTS || qp->state == IBA_QPS_SQD || qp->state == IBA_QPS_SQE;
}

bool iba_qp_may_send(const struct iba_qp *qp)
{
    return qp->state == IBA_QPS_RTS || (qp->state == IBA_QPS_SQD && !qp->s.drained);
}
