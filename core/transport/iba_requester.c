/* SPDX-License-Identifier: BSD-2-Clause */
/* The requester: work requests posted, and which of them may go next (catalogue 4.1). */
#include <assert.h>
#include "transport/iba_requester.h"

/* RQ-24, RQ-31: nothing is open, or less than before. */
static void load_counters(const struct iba_ca *ca, struct iba_qp *qp)
{
    qp->s.retry_left = iba_requester_retries(ca, qp);
    qp->s.rnr_left = iba_requester_rnr_retries(ca, qp);
}

static bool one_packet(const struct iba_qp *qp, const struct iba_sqe *e)
{
    return iba_qp_is_datagram(qp) || iba_sqe_is(e, IBA_FORM_ONE_PSN) || e->length == 0;
}

/* WF-64, WF-65, RQ-02: a READ reserves a PSN for each response. */
static uint64_t packets(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    const unsigned shift = iba_request_shift(ca, qp, e);
    const uint64_t n = one_packet(qp, e) ? 1 : iba_mtu_packets(e->length, UINT32_C(1) << shift);

    if (!iba_is_whole(ca->change) && !one_packet(qp, e)) {
        if (e->wr.op == IBA_WR_READ && !iba_keeps(ca->change, &iba_packet_behaviours, IBA_ROW_packet_reads_reserve))
            return 1;
        if (iba_sqe_is(e, IBA_FORM_PAYLOAD) && n << shift == e->length &&
            !iba_keeps(ca->change, &iba_packet_behaviours, IBA_ROW_packet_last_not_empty))
            return n + 1;
    }
    return n;
}

enum { RAW_LEAST = 5 * 4 - IBA_BYTES_lrh }; /* bytes behind the LRH of the shortest raw packet (WF-09) */

static uint32_t raw_header(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_RAW_ETHERTYPE ? IBA_BYTES_rwh : 0;
}

/* UU-16, WF-58, WF-09 */
static bool datagram_fits(const struct iba_ca *ca, const struct iba_qp *qp, uint64_t length)
{
    if (qp->attr.port > 0 && length > iba_mtu_bytes(ca->port[qp->attr.port - 1].mtu) &&
        IBA_KEEPS(ca, posting, datagram_length))
        return false;
    if (!iba_qp_is_raw(qp))
        return true;
    return (length % 4 == 0 || !IBA_KEEPS(ca, posting, raw_words)) &&
           (length + raw_header(qp) >= RAW_LEAST || !IBA_KEEPS(ca, posting, raw_least));
}

/* WF-67, WF-68 */
static bool length_is_legal(const struct iba_ca *ca, const struct iba_sqe *e, uint64_t length)
{
    if (length > IBA_MAX_MESSAGE && IBA_KEEPS(ca, posting, message_length))
        return false;
    return !iba_sqe_is(e, IBA_FORM_EIGHT) || length == 8 || !IBA_KEEPS(ca, posting, eight_bytes);
}

/* What a work request can be told wrong by itself; reported when its turn comes (RQ-14). */
static enum iba_wc_status form_fault(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                                     uint64_t length)
{
    if (!iba_sqe_is(e, IBA_FORM_LOCAL) &&
        !iba_opcodes[iba_qp_service_bits(qp) | iba_sqe_form(e)->opcode[IBA_ONLY]].name &&
        IBA_KEEPS(ca, posting, operation_offered))
        return IBA_WC_LOCAL_QP_OPERATION; /* RQ-15 */
    if (!length_is_legal(ca, e, length) || (iba_qp_is_datagram(qp) && !datagram_fits(ca, qp, length)))
        return IBA_WC_LOCAL_LENGTH;
    if (e->wr.op == IBA_WR_READ && packets(ca, qp, e) >= IBA_PSN_SPAN && IBA_KEEPS(ca, posting, read_span))
        return IBA_WC_LOCAL_LENGTH; /* RQ-03: it could never be sent */
    if (iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->attr.max_rd == 0 && IBA_KEEPS(ca, posting, read_no_depth))
        return IBA_WC_LOCAL_QP_OPERATION; /* RQ-08: it could never be sent either */
    return IBA_WC_SUCCESS;
}

/* The work request posted last changes places with one that waits before it. */
static void overtake(struct iba_qp *qp)
{
    struct iba_sqe *last = iba_sqe_at(qp, qp->s.count - 1), *before, held;

    if (qp->s.count < 2)
        return;
    before = iba_sqe_at(qp, qp->s.count - 2);
    if (before->state != IBA_SQE_WAITING)
        return;
    held = *before;
    *before = *last;
    *last = held;
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
    if (!IBA_KEEPS(ca, requester, order)) /* RQ-04 */
        overtake(qp);
}

/* ---- what goes next ---- */

static bool fits_span(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    const uint64_t n = e->wr.op == IBA_WR_READ ? packets(ca, qp, e) : 1;
    return iba_psn_past(qp, qp->s.next_psn) + n < IBA_PSN_SPAN || !IBA_KEEPS(ca, requester, psn_span);
}

/* RQ-09 */
static bool is_fenced(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (!(e->wr.flags & IBA_WR_FENCE) || qp->s.rd_open == 0 || !IBA_KEEPS(ca, requester, fence))
        return false;
    return qp->s.rd_open > 1 || !IBA_DEVIATES(ca, requester, fence);
}

/* RQ-08 */
static bool is_too_deep(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (!iba_sqe_is(e, IBA_FORM_RESOURCE) || qp->s.rd_open < qp->attr.max_rd || !IBA_KEEPS(ca, requester, read_depth))
        return false;
    return qp->s.rd_open > qp->attr.max_rd || !IBA_DEVIATES(ca, requester, read_depth);
}

/* RQ-41: one message may begin beyond the limit. */
static bool lacks_credit(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    uint32_t beyond = 1;

    if (qp->s.unlimited || (!iba_sqe_is(e, IBA_FORM_RECEIVED) && IBA_KEEPS(ca, requester, credit_receives)))
        return false;
    if (!IBA_KEEPS(ca, requester, credit_one_beyond))
        beyond = 0;
    else if (IBA_DEVIATES(ca, requester, credit_one_beyond))
        beyond = 2;
    return iba_requester_limited(ca, qp, qp->s.ssn - beyond);
}

static bool may_begin(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->state == IBA_QPS_SQD && IBA_KEEPS(ca, requester, sqd_holds)) /* QS-22 */
        return false;
    if (e->status != IBA_WC_SUCCESS) /* to be told */
        return true;
    if (is_fenced(ca, qp, e))
        return false;
    if (iba_sqe_is(e, IBA_FORM_LOCAL)) /* QS-59: an invalidation passes nothing that may still need the key */
        return e->wr.op != IBA_WR_LOCAL_INV || qp->s.next == 0 || !IBA_KEEPS(ca, requester, invalidate_waits);
    return !is_too_deep(ca, qp, e) && !lacks_credit(ca, qp, e) && fits_span(ca, qp, e);
}

/* RQ-41: a message beyond the limit stops behind its first packet, until that one is acknowledged: then the responder
 * has taken a receive work request for it. */
static bool may_continue(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (iba_sqe_is(e, IBA_FORM_RECEIVED) && !iba_psn_eq(qp->s.next_psn, e->first) &&
        iba_psn_diff(qp->s.una, e->first) <= 0 && iba_requester_limited(ca, qp, e->ssn) &&
        IBA_KEEPS(ca, requester, credit_one_packet))
        return false;
    if (qp->state == IBA_QPS_SQD && !IBA_KEEPS(ca, requester, sqd_finishes)) /* QS-22 */
        return false;
    return e->wr.op == IBA_WR_READ || fits_span(ca, qp, e);
}

bool iba_requester_ready(const struct iba_ca *ca, const struct iba_qp *qp, iba_time now)
{
    const struct iba_sqe *e;

    (void)now; /* timers that hold the queue back are ended by advance */
    if (qp->s.next >= qp->s.count || qp->s.page_due != IBA_NEVER || !iba_qp_may_send(qp))
        return false;
    if (qp->s.rnr_due != IBA_NEVER && IBA_KEEPS(ca, requester, rnr_holds)) /* RQ-28 */
        return false;
    if (qp->s.alone && iba_psn_eq(qp->s.una, qp->s.alone_psn) && !iba_psn_eq(qp->s.next_psn, qp->s.una))
        return false;
    e = iba_sqe_at(qp, qp->s.next);
    if (e->state == IBA_SQE_WAITING)
        return may_begin(ca, qp, e);
    return e->state == IBA_SQE_BEGUN && may_continue(ca, qp, e);
}

/* Done without a packet. */
static void finish(struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    e->state = IBA_SQE_DONE;
    iba_requester_step(qp);
    iba_requester_retire(ca, qp);
}

/* BIND_MW and LOCAL_INV. */
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
    if (err != IBA_MEM_OK && IBA_KEEPS(ca, requester, local_fails)) {
        iba_requester_fault(ca, qp, IBA_WC_MW_BIND);
        return;
    }
    finish(ca, qp, e);
}

static void begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e)
{
    if (iba_psn_eq(qp->s.una, qp->s.next_psn))
        load_counters(ca, qp);
    e->first = qp->s.next_psn;
    e->last = iba_psn_add(e->first, (uint32_t)(packets(ca, qp, e) - 1));
    e->ssn = qp->s.ssn;
    e->state = IBA_SQE_BEGUN;
    qp->s.ssn = (qp->s.ssn + 1) & IBA_PSN_MASK;
    if (!iba_sqe_is(e, IBA_FORM_RECEIVED) && IBA_KEEPS(ca, requester, credit_others_add)) /* RQ-42 */
        qp->s.lsn = (qp->s.lsn + 1) & IBA_PSN_MASK;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE))
        qp->s.rd_open++;
}

/* The packet is written: what comes after it. */
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
        if (e->state == IBA_SQE_WAITING && e->length == 0 && !IBA_KEEPS(ca, requester, zero_length)) { /* RQ-12 */
            finish(ca, qp, e);
            continue;
        }
        if (e->state == IBA_SQE_WAITING)
            begin(ca, qp, e);
        if (!iba_requester_build(ca, qp, now, tx))
            return false;
        advance_past(ca, qp, e);
        return true;
    }
    return false;
}
