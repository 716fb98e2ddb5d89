/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the receivers of RC, UC and UD share. */
#include <string.h>
#include "iba_receiver.h"
#include "transport/deviations.h"
#include "transport/deviations_rd.h"
#include "transport/deviations_receiver.h"
#include "transport/iba_rd.h"
#include "transport/iba_recv.h"
#include "transport/iba_tags.h"
#include "transport/iba_wr_ops.h"
#include "transport/iba_xrc.h"

static bool is_inside_message(const struct iba_rx *x)
{
    return x->qp->r.op != IBA_NO_MESSAGE;
}

/* ---- checks of a packet ---- */

bool iba_rx_unfinished_before(const struct iba_rx *x)
{
    return iba_rx_begins(x) && is_inside_message(x);
}

bool iba_rx_nothing_to_go_on(const struct iba_rx *x)
{
    return x->op && !iba_rx_begins(x) && !is_inside_message(x);
}

bool iba_rx_other_operation(const struct iba_rx *x)
{
    return x->op && !iba_rx_begins(x) && is_inside_message(x) && x->operation != iba_opcode_operation(x->qp->r.op);
}

unsigned iba_rx_rights(const struct iba_rx *x)
{
    return IBA_DEVIATES(x->ca, rd, RIGHTS_OF_QP) && x->user ? IBA_ACCESS_REMOTE : iba_rx_user(x)->attr.access;
}

bool iba_rx_write_not_enabled(const struct iba_rx *x)
{
    return iba_rx_write(x) && !(iba_rx_rights(x) & IBA_ACCESS_REMOTE_WRITE);
}

/* Returns the SRQ of the packet; NULL: the QP has a receive queue of its own. */
static struct iba_srq *srq_of(const struct iba_rx *x)
{
    if (x->qp->type == IBA_QPT_XRC_TGT)
        return iba_xrc_srq(x);
    return iba_srq_find(x->ca, iba_rx_user(x)->srq);
}

const struct iba_recv_wr *iba_rx_wqe(const struct iba_rx *x)
{
    const struct iba_srq *srq = srq_of(x);
    const struct iba_rq *rq = srq ? &srq->rq : &iba_rx_user(x)->rq;

    if (x->qp->r.has_wqe)
        return &x->qp->r.wqe;
    if (srq && srq->error)
        return NULL;
    return srq && srq->tags.list && iba_rx_send(x) ? iba_tags_next(x, srq) : iba_rq_next(rq);
}

/* Most QPs have no SRQ: the compiler keeps this out of their path. */
__attribute__((noinline, cold)) static struct iba_tag_part part_by_tags(const struct iba_rx *x)
{
    const struct iba_srq *srq = x->qp->type == IBA_QPT_RC ? iba_srq_find(x->ca, x->qp->srq) : NULL;

    return srq && srq->tags.list ? iba_tags_part(x, srq) : (struct iba_tag_part){.n = x->v->payload_len};
}

/* The bytes of a SEND's packet that go into the receive. */
static struct iba_tag_part part_of(const struct iba_rx *x)
{
    return x->qp->srq == IBA_NONE ? (struct iba_tag_part){.n = x->v->payload_len} : part_by_tags(x);
}

uint32_t iba_rx_recv_pd(const struct iba_rx *x)
{
    const struct iba_srq *srq;

    if (x->qp->type == IBA_QPT_XRC_TGT)
        return iba_xrc_pd(x);
    srq = iba_srq_find(x->ca, iba_rx_user(x)->srq);
    return srq && !IBA_DEVIATES(x->ca, receive, SRQ_PD) ? srq->pd : iba_rx_user(x)->pd;
}

/* A SEND takes its WQE with the first packet, a WRITE with Immediate with the last (RR-49, RR-53). */
static bool takes_wqe(const struct iba_rx *x)
{
    return iba_rx_send(x) ? iba_rx_begins(x) : iba_rx_imm(x);
}

bool iba_rx_no_receive_wqe(const struct iba_rx *x)
{
    return takes_wqe(x) && !iba_rx_wqe(x);
}

bool iba_rx_bad_payload(const struct iba_rx *x)
{
    if (!x->op)
        return false;
    if (!iba_payload_allowed(x->op, x->v->payload_len, iba_mtu_bytes((enum iba_mtu)x->qp->attr.path_mtu)))
        return true;
    return !iba_rx_ends(x) && x->v->pad > 0; /* WF-32 */
}

bool iba_rx_dma_too_long(const struct iba_rx *x)
{
    return x->op && (x->op->hdrs & IBA_HDR_BIT(IBA_H_reth)) &&
           iba_reth_dmalen(iba_rx_hdr(x, IBA_H_reth)) > IBA_MAX_MESSAGE;
}

static uint64_t write_left(const struct iba_rx *x)
{
    return iba_rx_begins(x) ? iba_reth_dmalen(iba_rx_hdr(x, IBA_H_reth)) : x->qp->r.left;
}

bool iba_rx_write_beyond(const struct iba_rx *x)
{
    return iba_rx_write(x) && x->v->payload_len > write_left(x);
}

bool iba_rx_write_short(const struct iba_rx *x)
{
    return iba_rx_write(x) && iba_rx_ends(x) && x->v->payload_len < write_left(x);
}

/* Number of bytes of the unfinished message that are already in the WQE. */
static uint64_t done(const struct iba_rx *x)
{
    return iba_rx_begins(x) ? 0 : x->qp->r.wqe_done;
}

bool iba_rx_send_too_long(const struct iba_rx *x)
{
    const struct iba_recv_wr *w = iba_rx_wqe(x);

    return iba_rx_send(x) && w && done(x) + part_of(x).n > iba_recv_room(w);
}

uint32_t iba_rx_pd(const struct iba_rx *x)
{
    if (x->user)
        return iba_rd_pd_of(x->ca, x->user->qpn);
    return x->qp->type == IBA_QPT_XRC_TGT ? iba_xrc_pd(x) : x->qp->pd; /* QS-46 */
}

enum iba_mem_verdict iba_rx_reach(const struct iba_rx *x, uint32_t key, uint64_t va, uint64_t length, uint16_t need,
                                  struct iba_place *place)
{
    const struct iba_reach r = {.va = va,
                                .length = length,
                                .key = key,
                                .pd = iba_rx_pd(x),
                                .qpn = iba_rx_user(x)->qpn,
                                .need = need,
                                .remote = true};

    if (length == 0) /* C9-88 */
        return IBA_REACH_OK;
    return iba_mem_reach(&x->ca->mem, &r, place);
}

enum iba_mem_verdict iba_rx_write_reach(const struct iba_rx *x, struct iba_place *place)
{
    const uint8_t *reth = iba_rx_begins(x) ? iba_rx_hdr(x, IBA_H_reth) : NULL;
    const uint64_t announced = reth ? iba_reth_dmalen(reth) : x->v->payload_len;
    /* A packet with more data than the RETH announces comes here only in a mutant without the row for that. */
    const bool by_itself =
        (announced > 0 && announced < x->v->payload_len) || IBA_DEVIATES(x->ca, receive, WRITE_WHOLE);
    const uint64_t length = by_itself ? x->v->payload_len : announced;

    place->key = NULL; /* a WRITE of no bytes has no place */
    if (reth)
        return iba_rx_reach(x, iba_reth_r_key(reth), iba_reth_va(reth), length, IBA_ACCESS_REMOTE_WRITE, place);
    return iba_rx_reach(x, x->qp->r.rkey, x->qp->r.va, length, IBA_ACCESS_REMOTE_WRITE, place);
}

bool iba_rx_write_denied(const struct iba_rx *x)
{
    struct iba_place place;
    const enum iba_mem_verdict v = iba_rx_write(x) ? iba_rx_write_reach(x, &place) : IBA_REACH_OK;

    return v != IBA_REACH_OK && v != IBA_REACH_ABSENT;
}

bool iba_rx_write_absent(const struct iba_rx *x)
{
    struct iba_place place;

    return iba_rx_write(x) && iba_rx_write_reach(x, &place) == IBA_REACH_ABSENT;
}

enum iba_wc_status iba_rx_check_receive(const struct iba_rx *x, bool *absent)
{
    const struct iba_recv_wr *w = iba_rx_wqe(x);

    *absent = false;
    if (!w)
        return IBA_WC_SUCCESS;
    return iba_recv_check(x->ca, iba_rx_recv_pd(x), w, done(x), part_of(x).n, absent);
}

bool iba_rx_receive_protected(const struct iba_rx *x)
{
    bool absent;

    return iba_rx_send(x) && iba_rx_check_receive(x, &absent) != IBA_WC_SUCCESS;
}

bool iba_rx_receive_absent(const struct iba_rx *x)
{
    bool absent;

    return iba_rx_send(x) && iba_rx_check_receive(x, &absent) == IBA_WC_SUCCESS && absent;
}

bool iba_rx_first_in_rtr(const struct iba_rx *x)
{
    return x->qp->state == IBA_QPS_RTR && !x->qp->r.established;
}

/* ---- actions ---- */

void iba_rx_drop(struct iba_rx *x)
{
    (void)x;
}

void iba_rx_establish(struct iba_rx *x)
{
    x->qp->r.established = true;
    iba_raise(x->ca, IBA_EVENT_COMM_ESTABLISHED, x->port->number, x->qp->qpn, 0, 0);
}

void iba_rx_take_wqe(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    struct iba_srq *srq;

    qp->r.wqe_done = 0;
    if (qp->r.has_wqe)
        return;
    srq = srq_of(x);
    if (srq && srq->tags.list && iba_rx_send(x))
        qp->r.has_wqe = iba_tags_take(x, srq, &qp->r.wqe);
    else
        qp->r.has_wqe = iba_recv_take(x->ca, iba_rx_user(x), srq, &qp->r.wqe);
    if (x->user)
        qp->ee.receiver = x->user->qpn;
}

void iba_rx_store_send(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    const struct iba_tag_part part = part_of(x); /* decided before the receive leaves its list */
    bool absent;

    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    const uint64_t at = IBA_DEVIATES(x->ca, receive, SEND_FOLLOWS) ? 0 : qp->r.wqe_done;
    (void)iba_recv_scatter(x->ca, iba_rx_recv_pd(x), &qp->r.wqe, at, iba_rx_data(x) + part.skip, part.n,
                           &absent); /* checked by a row */
    qp->r.wqe_done += part.n;
}

void iba_rx_put(struct iba_rx *x, const struct iba_place *place)
{
    if (!x->ca->deviate || x->ca->deviate->stores(x, place))
        iba_mem_put(place, iba_rx_data(x), x->v->payload_len);
}

void iba_rx_store_write(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    struct iba_place place;

    if (iba_rx_write_reach(x, &place) != IBA_REACH_OK) /* only in a mutant without the row of this check */
        return;
    if (iba_rx_begins(x)) {
        const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);
        qp->r.va = iba_reth_va(reth);
        qp->r.rkey = iba_reth_r_key(reth);
        qp->r.dma_length = iba_reth_dmalen(reth);
        qp->r.left = qp->r.dma_length;
    }
    if (place.key)
        iba_rx_put(x, &place);
    qp->r.va += x->v->payload_len;
    qp->r.left -= x->v->payload_len < qp->r.left ? x->v->payload_len : qp->r.left;
}

static bool brings_key(const struct iba_rx *x)
{
    return x->op && (x->op->hdrs & IBA_HDR_BIT(IBA_H_ieth));
}

/* ImmDt in host byte order, or the key of a SEND with Invalidate. */
static uint32_t imm_or_key(const struct iba_rx *x)
{
    if (iba_rx_imm(x))
        return iba_immdt_data(iba_rx_hdr(x, IBA_H_immdt));
    return brings_key(x) ? iba_ieth_r_key(iba_rx_hdr(x, IBA_H_ieth)) : 0;
}

static uint8_t flags(const struct iba_rx *x)
{
    return (uint8_t)((iba_rx_imm(x) ? IBA_WC_WITH_IMM : 0) | (brings_key(x) ? IBA_WC_WITH_INV : 0) |
                     (iba_bth_se(x->bth) ? IBA_WC_SOLICITED : 0));
}

void iba_rx_report(struct iba_rx *x, struct iba_wc *wc)
{
    if (x->qp->r.has_wqe && x->qp->r.wqe.most > 0)
        iba_recv_end_message(x, srq_of(x), wc);
    if (x->ca->deviate && !x->ca->deviate->received(x, wc))
        return;
    const uint32_t cq = iba_rx_cq(x); /* the owner of the receive in use decides, so before it is let go */

    x->qp->r.has_wqe = false;
    if (iba_is_context(x->qp) && cq == IBA_NONE) /* the QP is gone */
        return;
    iba_cq_push(x->ca, cq, wc, (wc->flags & IBA_WC_SOLICITED) || wc->status != IBA_WC_SUCCESS);
}

void iba_rx_complete(struct iba_rx *x, enum iba_wc_status status)
{
    const struct iba_qp *qp = x->qp, *owner = iba_is_context(qp) ? iba_rd_owner(x) : qp;
    struct iba_wc wc = {
        .wr_id = qp->r.wqe.wr_id,
        .status = (uint8_t)status,
        .op = iba_rx_write(x) ? IBA_WR_RECV_WRITE_IMM : IBA_WR_RECV,
        .flags = flags(x),
        .byte_len = iba_rx_write(x) ? qp->r.dma_length : (uint32_t)qp->r.wqe_done,
        .imm_or_key = imm_or_key(x),
        .qpn = owner->qpn,
        .src_qpn = owner == qp ? qp->attr.dest_qpn : qp->ee.peer,
        .srqn = owner->srq != IBA_NONE ? owner->srq : iba_xrc_named(x),
        .pkey_index = iba_rx_pkey_index(x),
    };

    if (qp->r.wqe.matched)
        iba_tags_complete(x, &wc);
    iba_rx_report(x, &wc);
}

void iba_rx_fail_qp(struct iba_rx *x)
{
    if (!x->ca->deviate || x->ca->deviate->fails_qp(x))
        iba_qp_fail(x->ca, x->qp);
}

void iba_rx_fail(struct iba_rx *x)
{
    iba_rx_fail_qp(x);
}
