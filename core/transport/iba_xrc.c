/* SPDX-License-Identifier: BSD-2-Clause */
/* Extended reliable connections (annex A14; QS-44..QS-52, PV-28): domains, and the shared receive queue that each
 * request names.
 *
 * A target QP has neither queues nor a protection domain. It belongs to an XRC domain. Each request names an SRQ of
 * that domain by its number, and the SRQ decides: receives come from it, keys are checked against its protection
 * domain, and completions go to its CQ. So processes share one target, each with SRQs of its own. */
#include "transport/iba_xrc.h"
#include <assert.h>
#include "transport/deviations.h"
#include "transport/deviations_qp.h"
#include "transport/deviations_receiver.h"
#include "transport/iba_queue.h"
#include "transport/iba_rd.h"
#include "transport/iba_refusals.h"

/* ---- domains: ca->xrcd has 0 for a number that is free, else one more than the users of the domain ---- */
bool iba_xrcd_exists(const struct iba_ca *ca, uint32_t number)
{
    return number < IBA_MAX_XRCDS && ca->xrcd[number] > 0;
}

enum iba_verb_err iba_create_xrcd(struct iba_ca *ca, uint32_t *number)
{
    for (uint32_t i = 0; i < IBA_MAX_XRCDS; i++) {
        if (ca->xrcd[i] > 0)
            continue;
        ca->xrcd[i] = 1;
        *number = i;
        return IBA_VERB_OK;
    }
    return IBA_VERB_FULL;
}

/* clang-format off */
#define DESTROY_XRCD_CHECKS(R, A)                                                                                    \
    A(no_xrcd_to_destroy, IBA_VERB_NO_XRCD, !iba_xrcd_exists(c->ca, c->queue.number),   "QS-44")                     \
    R(verb, XRCD_BUSY,    IBA_VERB_BUSY,    c->ca->xrcd[c->queue.number] > 1,           "QS-44")
#define CREATE_XRC_SRQ_CHECKS(R, A)                                                                                  \
    A(no_xrcd_of_srq,     IBA_VERB_NO_XRCD, !iba_xrcd_exists(c->ca, c->queue.xrcd),     "QS-44")                     \
    A(no_cq_of_srq,       IBA_VERB_NO_CQ,   !iba_cq_find(c->ca, c->queue.cqn),                "QS-44, QS-47")
/* clang-format on */
IBA_REFUSAL_TABLE(DESTROY_XRCD_CHECKS, destroy_xrcd_checks, DESTROY_XRCD)
IBA_REFUSAL_TABLE(CREATE_XRC_SRQ_CHECKS, create_xrc_srq_checks, CREATE_XRC_SRQ)

enum iba_verb_err iba_destroy_xrcd(struct iba_ca *ca, uint32_t number)
{
    struct iba_call c = {.ca = ca, .queue = {.number = number}};
    const int refused = iba_refuse(&c, &destroy_xrcd_checks);

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    ca->xrcd[number] = 0;
    return IBA_VERB_OK;
}

enum iba_verb_err iba_create_xrc_srq(struct iba_ca *ca, struct iba_srq *srq, const struct iba_xrc_srq_init *init,
                                     uint32_t *number)
{
    struct iba_call c = {.ca = ca, .queue = {.pd = init->pd, .xrcd = init->xrcd, .cqn = init->cq}};
    const int refused = iba_refuse(&c, &create_xrc_srq_checks);
    enum iba_verb_err e;

    if (refused != IBA_PASSES)
        return (enum iba_verb_err)refused;
    e = iba_create_srq(ca, srq, init->ring, init->n, init->pd, number);
    if (e != IBA_VERB_OK)
        return e;
    srq->cq = init->cq;
    srq->xrcd = init->xrcd;
    iba_xrcd_hold(ca, init->xrcd);
    return IBA_VERB_OK;
}

void iba_xrcd_hold(struct iba_ca *ca, uint32_t number)
{
    ca->xrcd[number]++;
}

/* ---- the SRQ that a request names ---- */
static uint32_t named(const struct iba_rx *x)
{
    return x->op && x->op->hdrs & IBA_HDR_BIT(IBA_H_xrceth) ? iba_xrceth_srqn(iba_rx_hdr(x, IBA_H_xrceth)) : IBA_NONE;
}

/* Returns the SRQ that a broken device uses instead of the one that the request names: the first of the domain. */
static struct iba_srq *first_of_domain(const struct iba_ca *ca, uint32_t xrcd)
{
    for (uint32_t i = 0; i < ca->n_srq; i++)
        if (ca->srq[i] && ca->srq[i]->xrcd == xrcd)
            return ca->srq[i];
    return NULL;
}

static struct iba_srq *srq_for(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t srqn, bool deviates)
{
    return deviates ? first_of_domain(ca, qp->xrcd) : iba_srq_find(ca, srqn);
}

struct iba_srq *iba_xrc_srq(const struct iba_rx *x)
{
    return srq_for(x->ca, x->qp, named(x), IBA_DEVIATES(x->ca, receive, XRC_SRQ));
}

uint32_t iba_xrc_pd(const struct iba_rx *x)
{
    const struct iba_srq *srq = srq_for(x->ca, x->qp, named(x), IBA_DEVIATES(x->ca, receive, XRC_PD));

    return srq ? srq->pd : IBA_NONE;
}

uint32_t iba_xrc_pd_of(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t srqn)
{
    const struct iba_srq *srq = srq_for(ca, qp, srqn, IBA_DEVIATES(ca, receive, XRC_PD));

    return srq && srq->xrcd == qp->xrcd ? srq->pd : IBA_NONE;
}

uint32_t iba_xrc_named(const struct iba_rx *x)
{
    return x->qp->type == IBA_QPT_XRC_TGT ? named(x) : 0;
}

/* The receive in use comes from the SRQ that the message's first packet names, whatever SRQ a later packet names. */
uint32_t iba_rx_cq(const struct iba_rx *x)
{
    const struct iba_srq *srq;

    if (iba_is_context(x->qp))
        return iba_rd_owner(x)->recv_cq;
    if (x->qp->recv_cq != IBA_NONE)
        return iba_recv_cq(x->ca, x->qp);
    srq = srq_for(x->ca, x->qp, named(x), IBA_DEVIATES(x->ca, receive, XRC_CQ));
    return srq ? srq->cq : IBA_NONE;
}

/* ---- rows of the tables ---- */
bool iba_xrc_foreign(const struct iba_rx *x)
{
    const struct iba_srq *srq;

    if (x->qp->type != IBA_QPT_XRC_TGT || named(x) == IBA_NONE)
        return false;
    srq = iba_srq_find(x->ca, named(x));
    return !srq || srq->xrcd != x->qp->xrcd;
}

bool iba_xrc_other(const struct iba_rx *x)
{
    return x->qp->type == IBA_QPT_XRC_TGT && !iba_rx_begins(x) && named(x) != x->qp->srq;
}
