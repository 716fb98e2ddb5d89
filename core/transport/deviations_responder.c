/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate as RC responders: they treat a request differently, or change a response after it was built.
 */
#include <string.h>
#include "iba_responder.h"
#include "transport/deviations.h"
#include "transport/deviations_actions.h"
#include "transport/deviations_receiver.h"
#include "wire/iba_aeth.h"
#include "wire/iba_opcode_rows.h"

_Static_assert((int)IBA_ROW_respond_NAK_SEQUENCE == (int)IBA_NAK_SEQUENCE &&
                   (int)IBA_ROW_respond_NAK_OPERATION == (int)IBA_NAK_REMOTE_OPERATION,
               "the rows that name a NAK do not stand in the order of its codes");

static int changed(const struct iba_ca *ca)
{
    return IBA_CHANGED_ROW(ca, respond);
}

static bool otherwise(const struct iba_ca *ca)
{
    return ca->change->kind == IBA_CHANGE_OTHER;
}

static iba_psn psn_before(iba_psn psn)
{
    return iba_psn_add(psn, IBA_PSN_MASK);
}

/* ---- what a request does to the responder ---- */

static bool is_remembered(const struct iba_rx *x)
{
    return x->operation == IBA_OPERATION_READ || x->operation == IBA_OPERATION_ATOMIC ||
           x->operation == IBA_OPERATION_FLUSH || x->operation == IBA_OPERATION_ATOMIC_WRITE;
}

/* REMEMBERS, OLDEST_FORGOTTEN: changes which operations the responder remembers. */
static void forget(const struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    if (!is_remembered(x) || iba_saved_depth(qp) == 0)
        return;
    if (changed(x->ca) == IBA_ROW_respond_REMEMBERS)
        qp->r.saved[qp->r.saved_at - 1].op = (struct iba_saved_op){.used = false};
    if (changed(x->ca) == IBA_ROW_respond_OLDEST_FORGOTTEN)
        qp->r.saved_at--;
}

void iba_deviate_accepted(const struct iba_rx *x, uint32_t n_psn)
{
    struct iba_qp *qp = x->qp;
    const bool message = x->operation == IBA_OPERATION_SEND || x->operation == IBA_OPERATION_WRITE;
    const uint32_t counted = iba_rx_ends(x);
    uint32_t counts = counted;

    switch (changed(x->ca)) {
    case IBA_ROW_respond_READ_PSNS: qp->r.epsn = iba_psn_add(qp->r.epsn, IBA_PSN_MASK + 2u - n_psn); break;
    case IBA_ROW_respond_MSN_COUNTS: counts = otherwise(x->ca); break;
    case IBA_ROW_respond_MSN_READ: counts &= message; break;
    default: break;
    }
    qp->r.msn = (qp->r.msn + counts - counted) & IBA_PSN_MASK;
    forget(x);
}

static bool acks(const struct iba_rx *x, struct iba_resp *r)
{
    const bool again = x->ahead < 0; /* a duplicate */

    switch (changed(x->ca)) {
    case IBA_ROW_respond_ACK_ASKED: return again || !iba_bth_a(x->bth);
    case IBA_ROW_respond_ACK_PSN:
        if (!again)
            r->psn = psn_before(r->psn);
        return true;
    case IBA_ROW_respond_ACK_NEWEST:
        if (x->qp->r.resp_count == 0)
            return true;
        if (!again)
            x->qp->r.acked = x->psn;
        return false;
    case IBA_ROW_respond_AGAIN_ACKED:
        if (again && otherwise(x->ca))
            r->psn = psn_before(x->qp->r.epsn);
        return !again || otherwise(x->ca);
    default: return true;
    }
}

static void change_nak(const struct iba_rx *x, struct iba_resp *r)
{
    const unsigned code = iba_syndrome_code(r->syndrome);
    const bool rnr = iba_syndrome_kind(r->syndrome) == IBA_AETH_RNR;

    if (rnr)
        x->qp->r.rnr_over = x->ca->now + iba_rnr_timer_ns((uint8_t)code);
    else
        r->syndrome = iba_syndrome(IBA_AETH_NAK, iba_row_for(x->ca->change, &iba_respond_behaviours, code));
    switch (changed(x->ca)) {
    case IBA_ROW_respond_NAK_OPERATION:
        if (!rnr && code == IBA_NAK_REMOTE_OPERATION)
            r->syndrome = iba_syndrome(IBA_AETH_NAK, code + 1);
        break;
    case IBA_ROW_respond_RNR_CODE:
        if (rnr)
            r->syndrome = iba_syndrome(IBA_AETH_RNR, otherwise(x->ca) ? code + 1 : 0);
        break;
    case IBA_ROW_respond_NAK_PSN: r->psn = x->psn; break;
    case IBA_ROW_respond_MSN_IN_NAK: r->msn = (r->msn + 1) & IBA_PSN_MASK; break;
    case IBA_ROW_respond_CNP_FOR_MARKS:
        if (!rnr && code == IBA_NAK_SEQUENCE && x->port->kind != IBA_PORT_IB)
            x->qp->cnp_due = true;
        break;
    default: break;
    }
}

bool iba_deviate_answers(const struct iba_rx *x, struct iba_resp *r)
{
    if (r->kind == IBA_RESP_ACK)
        return acks(x, r);
    change_nak(x, r);
    return true;
}

/* ---- operations ---- */

/* INVALIDATES: the key stays valid. INVALIDATE_FAILS: the message succeeds even if its key cannot be invalidated. */
void iba_changed_send_invalidate(struct iba_rx *x)
{
    const int row = changed(x->ca);

    if (row != IBA_ROW_respond_INVALIDATES && row != IBA_ROW_respond_INVALIDATE_FAILS) {
        iba_rc_send_invalidate(x);
        return;
    }
    iba_rc_send_end(x);
    if (row == IBA_ROW_respond_INVALIDATE_FAILS)
        (void)iba_mem_invalidate(&x->ca->mem, iba_ieth_r_key(iba_rx_hdr(x, IBA_H_ieth)), iba_rx_pd(x), x->qp->qpn,
                                 true);
}

static uint64_t swapped(const struct iba_rx *x, uint64_t old)
{
    if (changed(x->ca) == IBA_ROW_respond_SWAP_COMPARES)
        return iba_atomiceth_swapdt(iba_rx_hdr(x, IBA_H_atomiceth));
    return iba_rc_swapped(x, old);
}

static uint64_t added(const struct iba_rx *x, uint64_t old)
{
    const uint64_t sum = iba_rc_added(x, old);

    return changed(x->ca) == IBA_ROW_respond_ADDS_64_BITS ? old >> 32 << 32 | (sum & UINT32_MAX) : sum;
}

/* ORIGINAL: the answer to an ATOMIC has the new value, not the original one. */
static void execute(struct iba_rx *x, iba_rc_atomic *value)
{
    const uint64_t old = iba_rc_execute(x, value);

    iba_rc_finish(x, changed(x->ca) == IBA_ROW_respond_ORIGINAL ? value(x, old) : old);
}

void iba_changed_swap(struct iba_rx *x)
{
    execute(x, swapped);
}

void iba_changed_add(struct iba_rx *x)
{
    execute(x, added);
}

/* REPLAYS: a repeated ATOMIC is executed again. */
void iba_changed_replay(struct iba_rx *x)
{
    const bool swap = (iba_bth_opcode(x->bth) & 0x1f) == IBA_RC_CMP_SWAP;

    if (x->operation == IBA_OPERATION_ATOMIC && changed(x->ca) == IBA_ROW_respond_REPLAYS)
        iba_rc_answer(x, iba_rc_execute(x, swap ? swapped : added), true);
    else
        iba_rc_replay(x);
}

/* ---- responses when they leave ---- */

/* READ_LOST: the QP fails, and the peer of a READ that cannot continue gets nothing. */
static bool loses_read(struct iba_ca *ca, struct iba_qp *qp)
{
    enum iba_mem_verdict v;
    struct iba_place place;
    uint32_t n;

    if (changed(ca) != IBA_ROW_respond_READ_LOST || qp->r.resp[0].kind != IBA_RESP_READ)
        return false;
    v = iba_resp_reach(ca, qp, &place, &n);
    if (v == IBA_REACH_OK || v == IBA_REACH_ABSENT)
        return false;
    iba_qp_fail(ca, qp);
    return true;
}

/* The QP is in a state in which an unbroken device answers and this one is silent (RR-65). */
static bool is_mute(const struct iba_ca *ca, const struct iba_qp *qp)
{
    return (qp->state == IBA_QPS_RTR && changed(ca) == IBA_ROW_respond_RTR_ANSWERS) ||
           (qp->state == IBA_QPS_SQD && changed(ca) == IBA_ROW_respond_SQD_ANSWERS) ||
           (qp->state == IBA_QPS_SQE && changed(ca) == IBA_ROW_respond_SQE_ANSWERS);
}

/* A response packet that was built. */
struct built {
    const struct iba_ca *ca;
    const struct iba_qp *qp;
    struct iba_resp was; /* the entry of the response queue before the packet left */
    struct iba_tx *tx;
    uint8_t *bth;
};

static uint8_t credit_code(const struct built *b)
{
    const int row = changed(b->ca);
    const uint32_t receives = iba_recv_free(b->ca, b->qp),
                   used = b->qp->r.has_wqe && row != IBA_ROW_respond_CREDIT_IN_USE;
    struct iba_qp seen = *b->qp;
    uint8_t code;

    seen.attr.flow_control |= row == IBA_ROW_respond_CREDITS_AGREED;
    if (receives == IBA_NONE)
        return iba_responder_credit(&seen, row == IBA_ROW_respond_CREDITS_OF_SRQ ? used : receives);
    code = iba_responder_credit(&seen, receives + used);
    return (uint8_t)(code + (row == IBA_ROW_respond_CREDITS && code + 1 < IBA_CREDIT_NO_LIMIT));
}

static bool is_read_response(const struct built *b)
{
    const struct iba_opcode *op = &iba_opcodes[iba_bth_opcode(b->bth)];

    return op->operation == IBA_OPERATION_READ_RESPONSE;
}

/* Returns the number of bytes before the AETH: those of the BTH, and in RD of the RDETH. */
static size_t before_aeth(const struct built *b)
{
    const bool rdeth = (iba_opcodes[iba_bth_opcode(b->bth)].hdrs & IBA_HDR_BIT(IBA_H_rdeth)) != 0;

    return IBA_BYTES_bth + (rdeth ? IBA_BYTES_rdeth : 0u);
}

static void change_aeth(const struct built *b)
{
    uint8_t *aeth = b->bth + before_aeth(b);
    const uint8_t syndrome = *aeth;

    if (!(iba_opcodes[iba_bth_opcode(b->bth)].hdrs & IBA_HDR_BIT(IBA_H_aeth)))
        return;
    if (iba_syndrome_kind(syndrome) == IBA_AETH_ACK)
        *aeth = credit_code(b);
    if (changed(b->ca) == IBA_ROW_respond_AETH_ORDER) {
        memmove(aeth, aeth + 1, IBA_BYTES_aeth - 1);
        aeth[IBA_BYTES_aeth - 1] = syndrome;
    }
}

static void insert_aeth(const struct built *b)
{
    uint8_t *aeth = b->bth + before_aeth(b);

    memmove(aeth + IBA_BYTES_aeth, aeth, b->tx->body - before_aeth(b));
    aeth[0] = credit_code(b);
    iba_aeth_set_msn(aeth, b->was.msn);
    b->tx->body += IBA_BYTES_aeth;
}

static void remove_aeth(const struct built *b)
{
    uint8_t *aeth = b->bth + before_aeth(b);

    b->tx->body -= IBA_BYTES_aeth;
    memmove(aeth, aeth + IBA_BYTES_aeth, b->tx->body - before_aeth(b));
}

static void change_read_response(const struct built *b)
{
    const uint8_t opcode = (uint8_t)iba_bth_opcode(b->bth);
    const bool last = iba_opcode_ends(&iba_opcodes[opcode]), first = b->was.first;
    const bool restarts = b->was.replay && changed(b->ca) == IBA_ROW_respond_READ_RESTARTS;

    if (first && (restarts || changed(b->ca) == IBA_ROW_respond_READ_FIRST))
        iba_bth_set_opcode(b->bth, (opcode & 0xe0u) | (last ? IBA_RC_READ_RESP_LAST : IBA_RC_READ_RESP_MIDDLE));
    if (changed(b->ca) == IBA_ROW_respond_READ_PAD)
        iba_bth_set_padcnt(b->bth, 0);
    if (!first && last && changed(b->ca) == IBA_ROW_respond_READ_LAST_AETH)
        remove_aeth(b);
    if (!first && !last && changed(b->ca) == IBA_ROW_respond_READ_MIDDLE_AETH)
        insert_aeth(b);
}

static void change_cnp(const struct built *b)
{
    const bool ib = b->tx->port->kind == IBA_PORT_IB;

    switch (changed(b->ca)) {
    case IBA_ROW_respond_CNP_M: iba_bth_set_m(b->bth, 1); break;
    case IBA_ROW_respond_CNP_BECN: iba_bth_set_becn(b->bth, !ib); break;
    case IBA_ROW_respond_CNP_PSN: iba_bth_set_psn(b->bth, b->qp->r.epsn.v); break;
    case IBA_ROW_respond_CNP_ZERO: memset(b->bth + IBA_BYTES_bth, UINT8_MAX, IBA_BYTES_cnp); break;
    case IBA_ROW_respond_CNP_OPCODE: iba_bth_set_opcode(b->bth, ib ? IBA_CNP_ROCE : IBA_CNP_IB); break;
    default: break;
    }
}

static void change_bth(const struct built *b)
{
    switch (changed(b->ca)) {
    case IBA_ROW_respond_PKEY: iba_bth_set_p_key(b->bth, UINT16_MAX); break;
    case IBA_ROW_respond_DEST_QPN: iba_bth_set_destqp(b->bth, b->qp->qpn); break;
    case IBA_ROW_respond_NO_ACK_REQUEST: iba_bth_set_a(b->bth, 1); break;
    case IBA_ROW_respond_NO_SOLICITED: iba_bth_set_se(b->bth, 1); break;
    default: break;
    }
}

static void change_response(const struct built *b)
{
    if (changed(b->ca) == IBA_ROW_respond_MIGRATED)
        iba_bth_set_m(b->bth, 0);
    if (changed(b->ca) == IBA_ROW_respond_BECN)
        iba_bth_set_becn(b->bth, 0);
    change_aeth(b);
    if (is_read_response(b))
        change_read_response(b);
}

/* READ_PSN: the next packet of the READ response has the PSN of this one. */
static void stay(struct iba_qp *qp, const struct iba_resp *was)
{
    if (was->kind == IBA_RESP_READ && was->left > iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu) &&
        qp->r.resp_count > 0)
        qp->r.resp[0].psn = was->psn;
}

static void exchange(struct iba_qp *qp)
{
    const struct iba_resp second = qp->r.resp[1];

    qp->r.resp[1] = qp->r.resp[0];
    qp->r.resp[0] = second;
}

bool iba_deviate_respond(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    const bool cnp = qp->cnp_due && iba_qp_may_receive_requests(qp);
    const uint8_t mtu = qp->attr.path_mtu;
    struct built b = {.ca = ca, .qp = qp, .tx = tx};
    bool sent;

    if (is_mute(ca, qp))
        return false;
    if (!cnp && qp->r.resp_count > 1 && changed(ca) == IBA_ROW_respond_IN_ORDER)
        exchange(qp);
    if (!cnp && loses_read(ca, qp))
        return false;
    b.was = qp->r.resp[0];
    if (changed(ca) == IBA_ROW_respond_READ_MTU)
        qp->attr.path_mtu = IBA_MTU_256;
    sent = iba_responder_send(ca, qp, tx);
    qp->attr.path_mtu = mtu;
    if (!sent)
        return false;
    b.bth = tx->buf + tx->envelope;
    change_bth(&b);
    if (cnp)
        change_cnp(&b);
    else
        change_response(&b);
    if (!cnp && changed(ca) == IBA_ROW_respond_READ_PSN)
        stay(qp, &b.was);
    return true;
}
