/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable datagrams as sent (section 9.7.8; UU-32..UU-37): RD QPs take turns in an EE context. The context sends and
 * repeats the message as a connection does (iba_requester.h). */
#include "transport/iba_rd.h"
#include "transport/deviations_rd.h"
#include "transport/iba_qp_traits.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"

static struct iba_qp *context_of(const struct iba_ca *ca, const struct iba_qp *qp)
{
    struct iba_qp *ee = qp->s.count > 0 ? iba_qp_find(ca, iba_sqe_at(qp, 0)->wr.rd.eecn) : NULL;

    return ee && iba_is_context(ee) ? ee : NULL;
}

/* ---- a QP's turn ---- */

static bool is_busy(const struct iba_ca *ca, const struct iba_qp *ee)
{
    if (ee->s.count == 0)
        return false;
    return IBA_KEEPS(ca, rd, ONE_AT_A_TIME) || ee->s.next == 0;
}

bool iba_rd_waits(const struct iba_ca *ca, const struct iba_qp *qp)
{
    const struct iba_qp *ee = context_of(ca, qp);

    return qp->s.next > 0 || (ee && (ee->state == IBA_QPS_SQD || (ee->state == IBA_QPS_RTS && is_busy(ca, ee))));
}

static bool spans_too_much(const struct iba_qp *ee, const struct iba_sqe *e)
{
    return e->wr.op == IBA_WR_READ && iba_request_cut(ee, e).packets >= IBA_PSN_SPAN;
}

static enum iba_wc_status fault(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_qp *ee,
                                const struct iba_sqe *e)
{
    if (!ee)
        return IBA_WC_INVALID_EECN;
    if (ee->state != IBA_QPS_RTS)
        return IBA_WC_INVALID_EE_STATE;
    if (ee->rdd != qp->rdd && IBA_KEEPS(ca, rd, DOMAIN_OF_SENDER))
        return IBA_WC_LOCAL_RDD; /* UU-36 */
    if (ee->attr.port != qp->attr.port || (iba_sqe_is(e, IBA_FORM_RESOURCE) && ee->attr.max_rd == 0))
        return IBA_WC_LOCAL_QP_OPERATION;
    return spans_too_much(ee, e) ? IBA_WC_LOCAL_LENGTH : IBA_WC_SUCCESS;
}

enum iba_wc_status iba_rd_hand_over(const struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_qp *ee = context_of(ca, qp);
    struct iba_sqe *e = iba_sqe_at(qp, 0);
    const enum iba_wc_status status = fault(ca, qp, ee, e);

    if (status != IBA_WC_SUCCESS || !ee)
        return status;
    ee->s.ring[0] = *e;
    ee->s.head = ee->s.next = 0;
    ee->s.count = 1;
    ee->ee.sender = qp->qpn;
    ee->pd = qp->pd;
    ee->attr.qkey = qp->attr.qkey;
    e->state = IBA_SQE_BEGUN;
    e->first = e->last = qp->s.una; /* the PSNs of the message are the context's */
    qp->s.next = 1;
    qp->s.rd_open = iba_sqe_is(e, IBA_FORM_RESOURCE);
    return IBA_WC_SUCCESS;
}

static bool is_in_flight(const struct iba_qp *qp, const struct iba_qp *ee)
{
    return qp->s.next > 0 && ee->ee.sender == qp->qpn && ee->s.count > 0 && !ee->ee.resync;
}

struct iba_qp *iba_rd_serving(const struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_qp *ee = context_of(ca, qp);

    return ee && is_in_flight(qp, ee) ? ee : qp;
}

/* ---- a message ends ---- */

struct iba_qp *iba_rd_sender(const struct iba_ca *ca, const struct iba_qp *ee)
{
    struct iba_qp *qp = ee->ee.resync ? NULL : iba_qp_find(ca, ee->ee.sender);

    if (!qp || qp->type != IBA_QPT_RD || qp->s.count == 0 || qp->s.next == 0)
        return NULL;
    return iba_sqe_at(qp, 0)->wr.rd.eecn == ee->qpn ? qp : NULL;
}

/* PSNs of the message may still be in flight, so the RESYNC has the one after all of them. It goes to the message's
 * QP. */
static void put_resync(const struct iba_ca *ca, struct iba_qp *ee)
{
    struct iba_sqe *e = &ee->s.ring[0];

    e->wr.op = IBA_WR_SEND;
    e->wr.flags = e->wr.n_sge = 0;
    e->length = 0;
    e->status = IBA_WC_SUCCESS;
    e->state = IBA_SQE_WAITING;
    if (IBA_DEVIATES(ca, rd, RESYNC_PSN))
        ee->s.high_psn = e->first;
    ee->s.count = 1;
    ee->ee.resync = true;
}

static void end(const struct iba_ca *ca, struct iba_qp *ee, bool resync)
{
    const struct iba_sqe *e = &ee->s.ring[0];
    const bool sent = e->state != IBA_SQE_WAITING && !iba_psn_eq(ee->s.high_psn, e->first);

    ee->s.head = ee->s.next = ee->s.count = 0;
    if (sent && resync)
        put_resync(ca, ee);
    ee->s.una = ee->s.next_psn = ee->s.asked = ee->s.high_psn;
    ee->s.unasked = 0;
    ee->s.rd_open = 0;
    ee->s.implied = false;
    ee->s.ack_due = ee->s.rnr_due = ee->s.page_due = IBA_NEVER;
}

void iba_rd_abandon(const struct iba_ca *ca, struct iba_qp *ee)
{
    end(ca, ee, IBA_KEEPS(ca, rd, RESYNC_AFTER_FAULT));
}

void iba_rd_suspend(const struct iba_ca *ca, struct iba_qp *ee, iba_time due)
{
    struct iba_qp *qp = iba_rd_sender(ca, ee);

    if (!qp) /* a RESYNC needs no receive: the ACK timer repeats it */
        return;
    if (iba_requester_retries(ca, qp).rnr != IBA_RNR_FOR_EVER && qp->s.rnr_left > 0)
        qp->s.rnr_left--;
    qp->s.rnr_due = due;
    qp->s.next = 0;
    qp->s.rd_open = 0;
    iba_sqe_at(qp, 0)->state = IBA_SQE_WAITING;
    end(ca, ee, IBA_KEEPS(ca, rd, RESYNC_AFTER_RNR));
    if (!IBA_KEEPS(ca, rd, OTHERS_GO_ON))
        ee->s.rnr_due = due;
}

void iba_rd_let_go(const struct iba_ca *ca, struct iba_qp *qp)
{
    struct iba_qp *ee = context_of(ca, qp);

    if (ee && is_in_flight(qp, ee))
        end(ca, ee, true);
}
