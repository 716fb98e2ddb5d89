/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester: posts work requests, and decides which of them may go next (catalogue 4.1). */
#include <assert.h>
#include "transport/deviations.h"
#include "transport/deviations_requester.h"

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

/* clang-format off */
/* Faults that a work request has by itself. The rows are some of IBA_POSTING_BEHAVIOURS.
 *    row                status               the work request ...                                                clause */
#define FORM_FAULTS(F)                                                                                                                   \
    F(operation_offered, LOCAL_QP_OPERATION,  !is_offered(qp, e),                                                "RQ-15")               \
    F(message_length,    LOCAL_LENGTH,        length > IBA_MAX_MESSAGE,                                          "WF-67")               \
    F(eight_bytes,       LOCAL_LENGTH,        iba_sqe_is(e, IBA_FORM_EIGHT) && length != 8,                      "WF-68")               \
    F(datagram_length,   LOCAL_LENGTH,        exceeds_port(ca, qp, length),                                      "UU-16")               \
    F(raw_words,         LOCAL_LENGTH,        iba_qp_is_raw(qp) && length % 4 != 0,                              "WF-58")               \
    F(raw_least,         LOCAL_LENGTH,        iba_qp_is_raw(qp) && length + raw_header(qp) < RAW_LEAST,          "WF-09")               \
    F(read_span,         LOCAL_LENGTH,        e->wr.op == IBA_WR_READ && iba_request_cut(ca, qp, e).packets >= IBA_PSN_SPAN, "RQ-03: it could never be sent") \
    F(read_no_depth,     LOCAL_QP_OPERATION,  iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->attr.max_rd == 0,          "RQ-08: nor could it")
/* clang-format on */

/* Returns the first of these faults. The requester reports it when the request's turn comes (RQ-14). */
static enum iba_wc_status form_fault(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                                     uint64_t length)
{
#define FAULT(row, status, is, clause)                                                                                 \
    if ((is) && IBA_KEEPS(ca, posting, row))                                                                           \
        return IBA_WC_##status;
    FORM_FAULTS(FAULT)
    return IBA_WC_SUCCESS;
}

void iba_requester_post(struct iba_ca *ca, struct iba_qp *qp, const struct iba_send_wr *wr)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.count);
    const uint64_t length = iba_sgl_length(wr->sge, wr->n_sge);

    assert(qp->s.count < qp->s.n && wr->op < IBA_WR_RECV && wr->n_sge <= IBA_MAX_SGE);
    e->wr = *wr;
    e->length = length <= IBA_MAX_MESSAGE ? (uint32_t)length : 0;
    e->state = IBA_SQE_WAITING;
    e->status = (uint8_t)form_fault(ca, qp, e, length);
    qp->s.count++;
    if (ca->deviate)
        ca->deviate->posted(ca, qp);
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

static bool may_begin(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->state == IBA_QPS_SQD) /* QS-22 */
        return false;
    if (e->status != IBA_WC_SUCCESS) /* the fault is to be reported */
        return true;
    if ((e->wr.flags & IBA_WR_FENCE) && qp->s.rd_open > 0) /* RQ-09 */
        return false;
    if (iba_sqe_is(e, IBA_FORM_LOCAL)) /* QS-59: an invalidation passes no request that may still need the key */
        return e->wr.op != IBA_WR_LOCAL_INV || qp->s.next == 0;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->s.rd_open >= qp->attr.max_rd) /* RQ-08 */
        return false;
    return !lacks_credit(qp, e) && fits_span(qp, e->wr.op == IBA_WR_READ ? iba_request_cut(ca, qp, e).packets : 1);
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

bool iba_sqe_may_go(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->s.rnr_due != IBA_NEVER) /* RQ-28 */
        return false;
    if (e->state == IBA_SQE_WAITING)
        return may_begin(ca, qp, e);
    return e->state == IBA_SQE_BEGUN && may_continue(qp, e);
}

bool iba_requester_ready(const struct iba_ca *ca, const struct iba_qp *qp, iba_time now)
{
    const struct iba_sqe *e;

    (void)now; /* iba_requester_advance() ends the timers that delay the queue */
    if (qp->s.next >= qp->s.count || qp->s.page_due != IBA_NEVER || !iba_qp_may_send(qp))
        return false;
    e = iba_sqe_at(qp, qp->s.next);
    return ca->deviate ? ca->deviate->may_go(ca, qp, e) : iba_sqe_may_go(ca, qp, e);
}

void iba_sqe_finish(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    e->state = IBA_SQE_DONE;
    iba_requester_step(qp);
    iba_requester_retire(ca, qp);
}

/* Executes BIND_MW and LOCAL_INV, which send nothing. */
static void execute(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    const struct iba_bind b = {.mw_rkey = e->wr.bind.mw_rkey,
                               .mr_lkey = e->wr.bind.mr_lkey,
                               .va = e->wr.bind.va,
                               .length = e->wr.bind.length,
                               .access = e->wr.bind.access,
                               .key_byte = e->wr.bind.key_byte};
    enum iba_mem_err err;

    if (e->wr.op == IBA_WR_BIND_MW)
        err = iba_mw_bind(&ca->mem, &b, qp->pd, qp->qpn, &e->wr.imm_or_key);
    else
        err = iba_mem_invalidate(&ca->mem, e->wr.imm_or_key, qp->pd, qp->qpn, false);
    if (ca->deviate)
        ca->deviate->done_locally(ca, &err);
    if (err != IBA_MEM_OK)
        iba_requester_fault(ca, qp, IBA_WC_MW_BIND);
    else
        iba_sqe_finish(ca, qp, e);
}

static void begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    if (iba_psn_eq(qp->s.una, qp->s.next_psn))
        load_counters(ca, qp);
    e->first = qp->s.next_psn;
    e->last = iba_psn_add(e->first, (uint32_t)(iba_request_cut(ca, qp, e).packets - 1));
    e->ssn = qp->s.ssn;
    e->state = IBA_SQE_BEGUN;
    qp->s.ssn = (qp->s.ssn + 1) & IBA_PSN_MASK;
    if (!iba_sqe_is(e, IBA_FORM_RECEIVED)) /* RQ-42 */
        qp->s.lsn = (qp->s.lsn + 1) & IBA_PSN_MASK;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE))
        qp->s.rd_open++;
    if (ca->deviate)
        ca->deviate->begun(ca, qp, e);
}

/* Moves s.next and s.next_psn past the packet that was written. */
static void advance_past(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    const iba_psn sent = e->wr.op == IBA_WR_READ ? e->last : qp->s.next_psn;

    qp->s.next_psn = iba_psn_add(sent, 1);
    if (iba_psn_diff(qp->s.next_psn, qp->s.high_psn) > 0)
        qp->s.high_psn = qp->s.next_psn;
    if (iba_psn_eq(sent, e->last))
        qp->s.next++;
    if (iba_qp_is_reliable(qp)) {
        iba_requester_step(qp);
        return;
    }
    qp->s.una = qp->s.next_psn;
    if (iba_psn_eq(sent, e->last) && IBA_KEEPS(ca, requester, uc_completes)) { /* UU-13 */
        e->state = IBA_SQE_DONE;
        iba_requester_retire(ca, qp);
    }
}

bool iba_requester_emit(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    while (iba_requester_ready(ca, qp, now)) {
        struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
        if (e->state == IBA_SQE_WAITING && e->status != IBA_WC_SUCCESS) {
            iba_requester_fault(ca, qp, (enum iba_wc_status)e->status);
            continue;
        }
        if (iba_sqe_is(e, IBA_FORM_LOCAL)) {
            execute(ca, qp, e);
            continue;
        }
        if (ca->deviate && ca->deviate->leaves_out(ca, qp, e))
            continue;
        if (e->state == IBA_SQE_WAITING)
            begin(ca, qp, e);
        if (!iba_requester_build(ca, qp, now, tx))
            return false;
        advance_past(ca, qp, e);
        return true;
    }
    return false;
}
