/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester: posts work requests, and decides which of them may go next (catalogue 4.1). */
#include <assert.h>
#include <string.h>
#include "transport/deviations.h"
#include "transport/deviations_requester.h"
#include "transport/iba_rd.h"
#include "transport/iba_refusals.h"
#include "transport/iba_wr_ops.h"

/* RQ-24, RQ-31: a request that begins when no other is open has full retry counts. */
static void load_counters(const struct iba_ca *ca, struct iba_qp *qp)
{
    const struct iba_retries r = iba_requester_retries(ca, qp);

    qp->s.retry_left = r.retry;
    qp->s.rnr_left = r.rnr;
}

enum { RAW_LEAST = 5 * 4 - IBA_BYTES_lrh }; /* bytes after the LRH of the shortest raw packet (WF-09) */

static uint32_t raw_header(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_RAW_ETHERTYPE ? IBA_BYTES_rwh : 0;
}

/* The datagram is longer than the MTU of its port (UU-16). */
static bool exceeds_port(const struct iba_ca *ca, const struct iba_qp *qp, uint64_t length)
{
    return iba_qp_is_datagram(qp) && qp->attr.port > 0 && length > iba_mtu_bytes(ca->port[qp->attr.port - 1].mtu);
}

static bool is_offered(const struct iba_qp *qp, const struct iba_sqe *e)
{
    return iba_sqe_is(e, IBA_FORM_LOCAL) ||
           iba_opcodes[iba_qp_service_bits(qp) | iba_sqe_form(e)->opcode[IBA_ONLY]].name;
}

/* RQ-03: the responses of a READ would span so many PSNs that it could never be sent. */
static bool spans_too_much(const struct iba_call *c)
{
    return c->qp->type != IBA_QPT_RD && c->send.wr->op == IBA_WR_READ &&
           iba_request_cut(c->qp, c->send.entry).packets >= IBA_PSN_SPAN;
}

/* clang-format off */
#define WORDS_WRONG (iba_qp_is_raw(c->qp) && c->send.length % 4 != 0)
#define EIGHT_WRONG (iba_sqe_is(c->send.entry, IBA_FORM_EIGHT) && c->send.length != 8)
#define RAW_TOO_SHORT (iba_qp_is_raw(c->qp) && c->send.length + raw_header(c->qp) < RAW_LEAST)
#define NO_DEPTH (iba_sqe_is(c->send.entry, IBA_FORM_RESOURCE) && c->qp->attr.max_rd == 0 && c->qp->type != IBA_QPT_RD)
/* Faults that a work request has by itself. The requester reports the first when the request's turn comes (RQ-14).
 *    row                         status                     the work request ...                               clause */
#define WORK_REQUEST_CHECKS(R, A)                                                                                                  \
    R(posting, operation_offered, IBA_WC_LOCAL_QP_OPERATION, !is_offered(c->qp, c->send.entry),                 "RQ-15")           \
    R(posting, message_length,    IBA_WC_LOCAL_LENGTH,       c->send.length > IBA_MAX_MESSAGE,                  "WF-67")           \
    R(posting, eight_bytes,       IBA_WC_LOCAL_LENGTH,       EIGHT_WRONG,                                       "WF-68")           \
    R(posting, datagram_length,   IBA_WC_LOCAL_LENGTH,       exceeds_port(c->ca, c->qp, c->send.length),        "UU-16")           \
    R(posting, raw_words,         IBA_WC_LOCAL_LENGTH,       WORDS_WRONG,                                       "WF-58")           \
    R(posting, raw_least,         IBA_WC_LOCAL_LENGTH,       RAW_TOO_SHORT,                                     "WF-09")           \
    R(posting, read_span,         IBA_WC_LOCAL_LENGTH,       spans_too_much(c),                                 "RQ-03")           \
    R(posting, read_no_depth,     IBA_WC_LOCAL_QP_OPERATION, NO_DEPTH,                                          "RQ-08")
/* clang-format on */
IBA_REFUSAL_TABLE(WORK_REQUEST_CHECKS, work_request_checks, WORK_REQUEST)

/* The data take the place of the list. A buffer of which a page is absent is read later, like one that is not inline.
 */
static enum iba_wc_status copy_inline(struct iba_ca *ca, const struct iba_qp *qp, struct iba_sqe *e)
{
    uint8_t data[IBA_MAX_INLINE];
    bool absent;

    if (!(e->wr.flags & IBA_WR_INLINE))
        return IBA_WC_SUCCESS;
    const enum iba_wc_status status = iba_sgl_gather(ca, qp->pd, e->wr.sge, e->wr.n_sge, 0, data, e->length, &absent);
    if (status != IBA_WC_SUCCESS || absent || !IBA_KEEPS(ca, posting, inline_copied)) {
        e->wr.flags &= (uint8_t)~IBA_WR_INLINE;
        return status;
    }
    memcpy(e->wr.sge, data, e->length);
    e->wr.n_sge = 0;
    return IBA_WC_SUCCESS;
}

void iba_requester_post(struct iba_ca *ca, struct iba_qp *qp, const struct iba_send_wr *wr)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.count);
    const uint64_t length = iba_sgl_length(wr->sge, wr->n_sge);
    struct iba_call c = {.ca = ca, .qp = qp, .send = {.wr = wr, .entry = e, .length = length}};

    assert(qp->s.count < qp->s.n && wr->op < IBA_WR_RECV && wr->n_sge <= IBA_MAX_SGE);
    e->wr = *wr;
    e->wr.flags &= (uint8_t)~IBA_WR_TAGGED;
    e->length = length <= IBA_MAX_MESSAGE ? (uint32_t)length : 0;
    e->state = IBA_SQE_WAITING;
    const int fault = iba_refuse(&c, &work_request_checks);
    e->status = fault == IBA_PASSES ? (uint8_t)copy_inline(ca, qp, e) : (uint8_t)fault;
    qp->s.count++;
}

/* ---- which request goes next ---- */

static bool fits_span(const struct iba_qp *qp, uint64_t packets)
{
    return iba_psn_past(qp, qp->s.next_psn) + packets < IBA_PSN_SPAN;
}

/* RQ-41: one message may begin beyond the limit. */
static bool lacks_credit(const struct iba_qp *qp, const struct iba_sqe *e)
{
    return iba_sqe_is(e, IBA_FORM_RECEIVED) && iba_requester_limited(qp, qp->s.ssn - 1);
}

static bool may_begin(const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->state == IBA_QPS_SQD) /* QS-22 */
        return false;
    if (e->status != IBA_WC_SUCCESS) /* the fault is to be reported */
        return true;
    if ((e->wr.flags & IBA_WR_FENCE) && qp->s.rd_open > 0) /* RQ-09 */
        return false;
    if (iba_sqe_is(e, IBA_FORM_LOCAL)) /* QS-59: an invalidation passes no request that may still need the key */
        return e->wr.op != IBA_WR_LOCAL_INV || qp->s.next == 0;
    if (qp->type == IBA_QPT_RD) /* its EE context has the limits */
        return true;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->s.rd_open >= qp->attr.max_rd) /* RQ-08 */
        return false;
    return !lacks_credit(qp, e) && fits_span(qp, e->wr.op == IBA_WR_READ ? iba_request_cut(qp, e).packets : 1);
}

/* RQ-41: a message beyond the limit stops after its first packet until that packet is acknowledged. The acknowledgement
 * means that the responder has taken a receive work request for the message. */
static bool may_continue(const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (iba_sqe_is(e, IBA_FORM_RECEIVED) && !iba_psn_eq(qp->s.next_psn, e->first) &&
        iba_psn_diff(qp->s.una, e->first) <= 0 && iba_requester_limited(qp, e->ssn))
        return false;
    return e->wr.op == IBA_WR_READ || fits_span(qp, 1);
}

bool iba_sqe_may_go(const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->s.rnr_due != IBA_NEVER) /* RQ-28 */
        return false;
    if (e->state == IBA_SQE_WAITING)
        return may_begin(qp, e);
    return e->state == IBA_SQE_BEGUN && may_continue(qp, e);
}

bool iba_requester_ready(const struct iba_ca *ca, const struct iba_qp *qp, iba_time now)
{
    (void)now; /* iba_requester_advance() ends the timers that delay the queue */
    if (qp->s.next >= qp->s.count || qp->s.page_due != IBA_NEVER || !iba_qp_may_send(qp))
        return false;
    if (qp->type == IBA_QPT_RD && iba_rd_waits(ca, qp))
        return false;
    const struct iba_sqe *const e = iba_sqe_at(qp, qp->s.next);
    return ca->deviate ? ca->deviate->may_go(ca, qp, e) : iba_sqe_may_go(qp, e);
}

void iba_sqe_finish(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    e->state = IBA_SQE_DONE;
    iba_requester_step(qp);
    iba_requester_retire(ca, qp);
}

enum iba_mem_err iba_sqe_execute(struct iba_ca *ca, const struct iba_qp *qp, struct iba_sqe *e)
{
    const struct iba_bind b = {.mw_rkey = e->wr.bind.mw_rkey,
                               .mr_lkey = e->wr.bind.mr_lkey,
                               .va = e->wr.bind.va,
                               .length = e->wr.bind.length,
                               .access = e->wr.bind.access,
                               .key_byte = e->wr.bind.key_byte};

    if (e->wr.op == IBA_WR_BIND_MW)
        return iba_mw_bind(&ca->mem, &b, qp->pd, qp->qpn, &e->wr.imm_or_key);
    return iba_mem_invalidate(&ca->mem, e->wr.imm_or_key, qp->pd, qp->qpn, false);
}

void iba_sqe_begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    if (iba_psn_eq(qp->s.una, qp->s.next_psn))
        load_counters(ca, qp);
    e->first = qp->s.next_psn;
    e->last = iba_psn_add(e->first, (uint32_t)(iba_request_cut(qp, e).packets - 1));
    e->ssn = qp->s.ssn;
    e->state = IBA_SQE_BEGUN;
    qp->s.ssn = (qp->s.ssn + 1) & IBA_PSN_MASK;
    if (!iba_sqe_is(e, IBA_FORM_RECEIVED)) /* RQ-42 */
        qp->s.lsn = (qp->s.lsn + 1) & IBA_PSN_MASK;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE))
        qp->s.rd_open++;
}

bool iba_sqe_advance(struct iba_qp *qp, const struct iba_sqe *e)
{
    const iba_psn sent = e->wr.op == IBA_WR_READ ? e->last : qp->s.next_psn;

    qp->s.next_psn = iba_psn_add(sent, 1);
    if (iba_psn_diff(qp->s.next_psn, qp->s.high_psn) > 0)
        qp->s.high_psn = qp->s.next_psn;
    if (iba_psn_eq(sent, e->last))
        qp->s.next++;
    if (iba_qp_is_reliable(qp)) {
        iba_requester_step(qp);
        return false;
    }
    qp->s.una = qp->s.next_psn;
    return iba_psn_eq(sent, e->last); /* UU-13 */
}

bool iba_requester_serve(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, iba_time now, struct iba_tx *tx)
{
    if (e->state == IBA_SQE_WAITING && e->status != IBA_WC_SUCCESS) {
        iba_requester_fault(ca, qp, (enum iba_wc_status)e->status);
        return false;
    }
    if (iba_sqe_is(e, IBA_FORM_LOCAL)) {
        if (iba_sqe_execute(ca, qp, e) != IBA_MEM_OK)
            iba_requester_fault(ca, qp, IBA_WC_MW_BIND);
        else
            iba_sqe_finish(ca, qp, e);
        return false;
    }
    if (qp->type == IBA_QPT_RD) {
        const enum iba_wc_status fault = iba_rd_hand_over(ca, qp);
        if (fault != IBA_WC_SUCCESS)
            iba_requester_fault(ca, qp, fault);
        return false;
    }
    if (e->state == IBA_SQE_WAITING)
        iba_sqe_begin(ca, qp, e);
    const struct iba_request p = iba_request_plan(qp, e, iba_request_cut(qp, e).shift);
    if (!iba_request_write(ca, qp, &p, now, tx))
        return false;
    if (iba_sqe_advance(qp, e))
        iba_sqe_finish(ca, qp, e);
    return true;
}

bool iba_requester_emit(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    bool sent = false;

    while (!sent && iba_requester_ready(ca, qp, now)) {
        struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
        sent = ca->deviate ? ca->deviate->serve(ca, qp, e, now, tx) : iba_requester_serve(ca, qp, e, now, tx);
        if (qp->type == IBA_QPT_RD)
            qp = iba_rd_serving(ca, qp);
    }
    return sent;
}
