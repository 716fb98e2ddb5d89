/* The requester's send queue: what may go next, what has its PSNs, what is complete (catalogue 4.1, 4.5). */
#include <assert.h>
#include <string.h>
#include "transport/iba_requester.h"

/* clang-format off */
/*   work request      First              Middle              Last                Only                  traits */
#define IBA_SEND_FORMS(F)                                                                                                     \
    F(SEND,          RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST,       RC_SEND_ONLY,       T(PAYLOAD) | T(RECEIVED)) \
    F(SEND_IMM,      RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST_IMM,   RC_SEND_ONLY_IMM,   T(PAYLOAD) | T(RECEIVED)) \
    F(SEND_INV,      RC_SEND_FIRST,     RC_SEND_MIDDLE,     RC_SEND_LAST_INV,   RC_SEND_ONLY_INV,   T(PAYLOAD) | T(RECEIVED)) \
    F(WRITE,         RC_WRITE_FIRST,    RC_WRITE_MIDDLE,    RC_WRITE_LAST,      RC_WRITE_ONLY,      T(PAYLOAD))               \
    F(WRITE_IMM,     RC_WRITE_FIRST,    RC_WRITE_MIDDLE,    RC_WRITE_LAST_IMM,  RC_WRITE_ONLY_IMM,  T(PAYLOAD) | T(RECEIVED)) \
    F(READ,          RC_READ_REQUEST,   RC_READ_REQUEST,    RC_READ_REQUEST,    RC_READ_REQUEST,    T(ANSWERED) | T(RESOURCE)) \
    F(CMP_SWAP,      RC_CMP_SWAP,       RC_CMP_SWAP,        RC_CMP_SWAP,        RC_CMP_SWAP,        T(ANSWERED) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(FETCH_ADD,     RC_FETCH_ADD,      RC_FETCH_ADD,       RC_FETCH_ADD,       RC_FETCH_ADD,       T(ANSWERED) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(FLUSH,         RC_FLUSH,          RC_FLUSH,           RC_FLUSH,           RC_FLUSH,           T(RESOURCE) | T(ONE_PSN))  \
    F(ATOMIC_WRITE,  RC_ATOMIC_WRITE,   RC_ATOMIC_WRITE,    RC_ATOMIC_WRITE,    RC_ATOMIC_WRITE,    T(PAYLOAD) | T(RESOURCE) | T(ONE_PSN) | T(EIGHT)) \
    F(BIND_MW,       RC_SEND_ONLY,      RC_SEND_ONLY,       RC_SEND_ONLY,       RC_SEND_ONLY,       T(LOCAL))                 \
    F(LOCAL_INV,     RC_SEND_ONLY,      RC_SEND_ONLY,       RC_SEND_ONLY,       RC_SEND_ONLY,       T(LOCAL))
/* clang-format on */
#define T(trait) IBA_FORM_##trait
#define FORM(op, first, middle, last, only, traits)                                                                    \
    [IBA_WR_##op] = {{IBA_##first, IBA_##middle, IBA_##last, IBA_##only}, traits},
const struct iba_send_form iba_send_forms[IBA_WR_RECV] = {IBA_SEND_FORMS(FORM)};

/* WF-49; code 31 is not a count. */
static const uint16_t credits[31] = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                     48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                     2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

void iba_requester_reset(struct iba_qp *qp)
{
    struct iba_sqe *const ring = qp->s.ring;
    const uint32_t n = qp->s.n;

    memset(&qp->s, 0, sizeof qp->s);
    qp->s.ring = ring;
    qp->s.n = n;
    qp->s.ack_due = qp->s.rnr_due = qp->s.page_due = IBA_NEVER;
}

void iba_requester_start(struct iba_qp *qp)
{
    qp->s.next_psn = qp->s.high_psn = qp->s.una = qp->s.asked = iba_psn_of(qp->attr.sq_psn);
    qp->s.ssn = 1; /* RQ-45: one message may start before the first credit arrives */
    qp->s.lsn = 0;
    qp->s.unlimited = !iba_qp_is_reliable(qp) || !qp->attr.flow_control;
    qp->s.retry_left = qp->attr.retry;
    qp->s.rnr_left = qp->attr.rnr_retry;
}

static unsigned pmtu_shift(const struct iba_qp *qp)
{
    return 7u + qp->attr.path_mtu;
}

/* WF-64, WF-65, RQ-02: a READ reserves a PSN for each response. */
static uint64_t packets(const struct iba_qp *qp, const struct iba_sqe *e)
{
    const unsigned shift = pmtu_shift(qp);

    if (iba_qp_is_datagram(qp) || iba_sqe_is(e, IBA_FORM_ONE_PSN) || e->length == 0)
        return 1;
    return (e->length + (UINT64_C(1) << shift) - 1) >> shift;
}

enum { RAW_LEAST = 5 * 4 - IBA_BYTES_lrh }; /* bytes behind the LRH of the shortest raw packet (WF-09) */

static uint32_t raw_header(const struct iba_qp *qp)
{
    return qp->type == IBA_QPT_RAW_ETHERTYPE ? IBA_BYTES_rwh : 0;
}

/* What a work request can be told wrong by itself; reported when its turn comes (RQ-14). */
static enum iba_wc_status form_fault(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                                     uint64_t length)
{
    if (!iba_sqe_is(e, IBA_FORM_LOCAL) &&
        !iba_opcodes[iba_qp_service_bits(qp) | iba_sqe_form(e)->opcode[IBA_ONLY]].name)
        return IBA_WC_LOCAL_QP_OPERATION; /* RQ-15 */
    if (length > IBA_MAX_MESSAGE || (iba_sqe_is(e, IBA_FORM_EIGHT) && length != 8))
        return IBA_WC_LOCAL_LENGTH; /* WF-67, WF-68 */
    if (iba_qp_is_datagram(qp) && length > iba_mtu_bytes(ca->port[qp->attr.port - 1].mtu))
        return IBA_WC_LOCAL_LENGTH; /* UU-16 */
    if (iba_qp_is_raw(qp) && (length % 4 != 0 || length + raw_header(qp) < RAW_LEAST))
        return IBA_WC_LOCAL_LENGTH; /* WF-58, WF-09 */
    if (e->wr.op == IBA_WR_READ && packets(qp, e) >= IBA_PSN_SPAN)
        return IBA_WC_LOCAL_LENGTH; /* RQ-03: it could never be sent */
    if (iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->attr.max_rd == 0)
        return IBA_WC_LOCAL_QP_OPERATION; /* RQ-08: it could never be sent either */
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
}

/* ---- completion ---- */

static void complete(struct iba_ca *ca, struct iba_qp *qp, const struct iba_sqe *e, enum iba_wc_status status)
{
    const bool failed = status != IBA_WC_SUCCESS;
    const struct iba_wc wc = {.wr_id = e->wr.wr_id,
                              .status = (uint8_t)status,
                              .op = e->wr.op,
                              .byte_len = e->length,
                              .imm_or_key = e->wr.op == IBA_WR_BIND_MW ? e->wr.imm_or_key : 0,
                              .qpn = qp->qpn};

    if (failed || qp->sq_sig_all || (e->wr.flags & IBA_WR_SIGNALED)) /* RQ-53, QS-36 */
        iba_cq_push(ca, qp->send_cq, &wc, failed);
}

/* The oldest entry leaves the queue before its completion is reported: that may fail the QP (QS-32). */
static void pop(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    const struct iba_sqe *e = iba_sqe_at(qp, 0);

    qp->s.head = qp->s.head + 1 == qp->s.n ? 0 : qp->s.head + 1;
    qp->s.count--;
    if (qp->s.next > 0)
        qp->s.next--;
    complete(ca, qp, e, status);
}

/* Completes what is done, in posting order (RQ-54); then the oldest one's local fault may be told (RQ-14). */
static void retire(struct iba_ca *ca, struct iba_qp *qp)
{
    bool any = false;

    for (; qp->s.count > 0 && iba_sqe_at(qp, 0)->state == IBA_SQE_DONE; any = true)
        pop(ca, qp, IBA_WC_SUCCESS);
    if (!iba_qp_is_alive(qp))
        return;
    if (qp->s.count > 0 && iba_sqe_at(qp, 0)->state == IBA_SQE_FAULTY)
        iba_requester_fail(ca, qp, (enum iba_wc_status)iba_sqe_at(qp, 0)->status);
    else if (any && qp->state == IBA_QPS_SQD && iba_requester_idle(qp))
        iba_qp_drained(ca, qp);
}

void iba_requester_flush(struct iba_ca *ca, struct iba_qp *qp)
{
    /* RQ-55: only the first may show a status of its own. */
    enum iba_wc_status own = qp->s.count > 0 ? (enum iba_wc_status)iba_sqe_at(qp, 0)->status : IBA_WC_SUCCESS;

    for (; qp->s.count > 0; own = IBA_WC_FLUSHED)
        pop(ca, qp, own != IBA_WC_SUCCESS ? own : IBA_WC_FLUSHED);
    qp->s.next = 0;
    qp->s.rd_open = 0;
    qp->s.una = qp->s.high_psn = qp->s.asked = qp->s.next_psn;
    qp->s.implied = false;
    qp->s.ack_due = qp->s.rnr_due = qp->s.page_due = IBA_NEVER;
}

void iba_requester_fail(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    assert(qp->s.count > 0);
    iba_sqe_at(qp, 0)->status = (uint8_t)status;
    if (iba_qp_is_reliable(qp))
        iba_qp_fail(ca, qp);
    else
        iba_qp_sq_error(ca, qp); /* UU-14, UU-28 */
}

void iba_requester_fault(struct iba_ca *ca, struct iba_qp *qp, enum iba_wc_status status)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);

    e->state = IBA_SQE_FAULTY;
    e->status = (uint8_t)status;
    if (qp->s.next == 0)
        iba_requester_fail(ca, qp, status);
}

static void step_over_done(struct iba_qp *qp)
{
    while (qp->s.next < qp->s.count && iba_sqe_at(qp, qp->s.next)->state == IBA_SQE_DONE)
        qp->s.next++;
}

void iba_requester_acknowledge(struct iba_ca *ca, struct iba_qp *qp, iba_psn psn, iba_time now)
{
    const uint32_t through = iba_psn_past(qp, psn);

    for (uint32_t i = 0; i < qp->s.count; i++) {
        struct iba_sqe *e = iba_sqe_at(qp, i);
        if (e->state == IBA_SQE_DONE)
            continue;
        if (e->state != IBA_SQE_BEGUN || iba_psn_past(qp, e->last) > through)
            break;
        e->state = IBA_SQE_DONE;
        if (iba_sqe_is(e, IBA_FORM_RESOURCE))
            qp->s.rd_open--;
    }
    qp->s.una = iba_psn_add(psn, 1);
    if (iba_psn_diff(qp->s.una, qp->s.next_psn) > 0) /* a retry need not repeat this any more */
        qp->s.next_psn = qp->s.una;
    if (iba_psn_diff(qp->s.una, qp->s.high_psn) > 0) /* only a changed rule table comes here */
        qp->s.high_psn = qp->s.una;
    qp->s.implied = false;
    qp->s.retry_left = qp->attr.retry; /* RQ-24, RQ-31 */
    qp->s.rnr_left = qp->attr.rnr_retry;
    iba_requester_restart_timer(qp, now);
    retire(ca, qp);
    step_over_done(qp);
}

bool iba_requester_idle(const struct iba_qp *qp)
{
    return qp->s.count == 0 || iba_sqe_at(qp, 0)->state == IBA_SQE_WAITING;
}

/* ---- credits ---- */

static int32_t sequence_diff(uint32_t a, uint32_t b)
{
    return iba_psn_diff(iba_psn_of(a), iba_psn_of(b)); /* SSN, LSN, MSN: 24 bits too */
}

bool iba_requester_limited(const struct iba_qp *qp, uint32_t ssn)
{
    return !qp->s.unlimited && sequence_diff(ssn, qp->s.lsn) > 0;
}

void iba_requester_credit(struct iba_qp *qp, uint8_t code, uint32_t msn)
{
    uint32_t limit;

    if (code > 30)
        qp->s.unlimited = true; /* RQ-43 */
    if (qp->s.unlimited)
        return;
    limit = msn + credits[code];
    if (sequence_diff(limit, qp->s.lsn) > 0) /* RQ-44 */
        qp->s.lsn = limit & IBA_PSN_MASK;
}

/* ---- what goes next ---- */

static bool fits_span(const struct iba_qp *qp, const struct iba_sqe *e)
{
    const uint64_t n = e->wr.op == IBA_WR_READ ? packets(qp, e) : 1;
    return iba_psn_past(qp, qp->s.next_psn) + n < IBA_PSN_SPAN;
}

static bool may_begin(const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (qp->state == IBA_QPS_SQD) /* QS-22 */
        return false;
    if (e->status != IBA_WC_SUCCESS) /* to be told */
        return true;
    if ((e->wr.flags & IBA_WR_FENCE) && qp->s.rd_open > 0) /* RQ-09 */
        return false;
    if (iba_sqe_is(e, IBA_FORM_LOCAL)) /* QS-59: an invalidation passes nothing that may still need the key */
        return e->wr.op != IBA_WR_LOCAL_INV || qp->s.next == 0;
    if (iba_sqe_is(e, IBA_FORM_RESOURCE) && qp->s.rd_open >= qp->attr.max_rd) /* RQ-08 */
        return false;
    if (iba_sqe_is(e, IBA_FORM_RECEIVED) && iba_requester_limited(qp, qp->s.ssn - 1)) /* RQ-41 */
        return false;
    return fits_span(qp, e);
}

/* RQ-41: a message beyond the limit stops behind its first packet, until that one is acknowledged: then the responder
 * has taken a receive work request for it. */
static bool may_continue(const struct iba_qp *qp, const struct iba_sqe *e)
{
    if (iba_sqe_is(e, IBA_FORM_RECEIVED) && !iba_psn_eq(qp->s.next_psn, e->first) &&
        iba_psn_diff(qp->s.una, e->first) <= 0 && iba_requester_limited(qp, e->ssn))
        return false;
    return e->wr.op == IBA_WR_READ || fits_span(qp, e);
}

bool iba_requester_ready(const struct iba_ca *ca, const struct iba_qp *qp, iba_time now)
{
    const struct iba_sqe *e;

    (void)ca;
    (void)now; /* timers that hold the queue back are ended by advance */
    if (qp->s.next >= qp->s.count || qp->s.rnr_due != IBA_NEVER || qp->s.page_due != IBA_NEVER || !iba_qp_may_send(qp))
        return false;
    e = iba_sqe_at(qp, qp->s.next);
    if (e->state == IBA_SQE_WAITING)
        return may_begin(qp, e);
    return e->state == IBA_SQE_BEGUN && may_continue(qp, e);
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
    if (err != IBA_MEM_OK) {
        iba_requester_fault(ca, qp, IBA_WC_MW_BIND);
        return;
    }
    e->state = IBA_SQE_DONE;
    step_over_done(qp);
    retire(ca, qp);
}

static void begin(struct iba_qp *qp, struct iba_sqe *e)
{
    e->first = qp->s.next_psn;
    e->last = iba_psn_add(e->first, (uint32_t)(packets(qp, e) - 1));
    e->ssn = qp->s.ssn;
    e->state = IBA_SQE_BEGUN;
    qp->s.ssn = (qp->s.ssn + 1) & IBA_PSN_MASK;
    if (!iba_sqe_is(e, IBA_FORM_RECEIVED)) /* RQ-42 */
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
        step_over_done(qp);
        return;
    }
    qp->s.una = qp->s.next_psn;
    if (iba_psn_eq(sent, e->last)) { /* UU-13 */
        e->state = IBA_SQE_DONE;
        retire(ca, qp);
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
        if (e->state == IBA_SQE_WAITING)
            begin(qp, e);
        if (!iba_requester_build(ca, qp, now, tx))
            return false;
        advance_past(ca, qp, e);
        return true;
    }
    return false;
}
