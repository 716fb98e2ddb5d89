/* SPDX-License-Identifier: BSD-2-Clause */
/* What the RC responder does with a request once a row has decided (sections 9.7.5, 9.9.3). */
#include <string.h>
#include "iba_responder.h"
#include "transport/deviations_receiver.h"
#include "transport/iba_requester.h"
#include "wire/iba_opcode_rows.h"

_Static_assert((int)IBA_ROW_respond_NAK_SEQUENCE == (int)IBA_NAK_SEQUENCE &&
                   (int)IBA_ROW_respond_NAK_OPERATION == (int)IBA_NAK_REMOTE_OPERATION,
               "the rows that name a NAK do not stand in the order of its codes");

/* ---- set-up ---- */

void iba_responder_reset(struct iba_qp *qp)
{
    struct iba_saved *saved = qp->r.saved;
    const uint32_t n = qp->r.n_saved;

    memset(&qp->r, 0, sizeof qp->r);
    qp->r.saved = saved;
    qp->r.n_saved = n;
    qp->r.op = IBA_NO_MESSAGE;
    if (n > 0)
        memset(saved, 0, n * sizeof *saved);
    qp->cnp_due = qp->becn_due = false;
}

void iba_responder_start(const struct iba_ca *ca, struct iba_qp *qp)
{
    qp->r.epsn = iba_psn_of(IBA_KEEPS(ca, respond, FIRST_PSN) ? qp->attr.rq_psn : 0);
    if (IBA_DEVIATES(ca, respond, MSN_FROM_0))
        qp->r.msn = 1;
    qp->r.acked = iba_psn_add(qp->r.epsn, IBA_PSN_MASK); /* the one before */
    qp->r.op = IBA_NO_MESSAGE;
}

/* ---- answers ---- */

static void put_ack(const struct iba_rx *x, iba_psn psn)
{
    struct iba_qp *qp = x->qp;

    if (qp->r.resp_count > 0 && IBA_DEVIATES(x->ca, respond, ACK_NEWEST))
        return;
    iba_resp_put(qp, &(struct iba_resp){.kind = IBA_RESP_ACK, .psn = psn, .msn = qp->r.msn});
}

static struct iba_resp nak(const struct iba_rx *x, uint8_t syndrome)
{
    const uint32_t msn = x->qp->r.msn + IBA_DEVIATES(x->ca, respond, MSN_IN_NAK);

    return (struct iba_resp){.kind = IBA_RESP_NAK,
                             .syndrome = syndrome,
                             .psn = IBA_DEVIATES(x->ca, respond, NAK_PSN) ? x->psn : x->qp->r.epsn,
                             .msn = msn & IBA_PSN_MASK};
}

static uint8_t nak_syndrome(const struct iba_rx *x, enum iba_respond_row row)
{
    const unsigned code = iba_row_for(x->ca->change, &iba_respond_behaviours, row);

    const bool other = row == IBA_ROW_respond_NAK_OPERATION && IBA_DEVIATES(x->ca, respond, NAK_OPERATION);

    return iba_syndrome(IBA_AETH_NAK, code + other);
}

/* What is a message more: one that has ended (RR-16). */
static bool counts(const struct iba_rx *x)
{
    if (IBA_DEVIATES(x->ca, respond, MSN_COUNTS))
        return true;
    return iba_rx_ends(x) && IBA_KEEPS(x->ca, respond, MSN_COUNTS) &&
           (x->operation == IBA_OPERATION_SEND || x->operation == IBA_OPERATION_WRITE ||
            IBA_KEEPS(x->ca, respond, MSN_READ));
}

/* The request is good: the next one is expected, and gaps are news again (RR-04). */
static void accept(struct iba_rx *x, uint32_t n_psn)
{
    struct iba_qp *qp = x->qp;

    qp->r.epsn = iba_psn_add(qp->r.epsn, IBA_DEVIATES(x->ca, respond, READ_PSNS) ? 1 : n_psn);
    qp->r.nak_sent = qp->r.rnr_sent = false;
    qp->r.op = iba_rx_ends(x) ? IBA_NO_MESSAGE : iba_bth_opcode(x->bth);
    if (counts(x))
        qp->r.msn = (qp->r.msn + 1) & IBA_PSN_MASK;
}

/* A SEND or WRITE is acknowledged when it asks for it, or when enough of them wait (RR-09, RR-11). */
static void accept_and_ack(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    accept(x, 1);
    if (!iba_bth_a(x->bth) && iba_psn_diff(x->psn, qp->r.acked) <= (int64_t)x->ca->ack_delay)
        return;
    if (iba_bth_a(x->bth) && !IBA_KEEPS(x->ca, respond, ACK_ASKED))
        return;
    qp->r.acked = x->psn;
    put_ack(x, IBA_DEVIATES(x->ca, respond, ACK_PSN) ? iba_psn_add(x->psn, IBA_PSN_MASK) : x->psn);
}

void iba_rc_establish(struct iba_rx *x)
{
    iba_rx_establish(x);
    iba_rules_apply(x, IBA_TABLE_RC_RESPONDER);
}

void iba_rc_nak_sequence(struct iba_rx *x)
{
    const struct iba_resp r = nak(x, nak_syndrome(x, IBA_ROW_respond_NAK_SEQUENCE));

    x->qp->r.nak_sent = true;
    iba_resp_put(x->qp, &r);
    if (IBA_DEVIATES(x->ca, respond, CNP_FOR_MARKS) && x->port->kind != IBA_PORT_IB)
        x->qp->cnp_due = true;
}

void iba_rc_rnr(struct iba_rx *x)
{
    const unsigned code = x->qp->attr.min_rnr + IBA_DEVIATES(x->ca, respond, RNR_CODE);
    const struct iba_resp r = nak(x, iba_syndrome(IBA_AETH_RNR, IBA_KEEPS(x->ca, respond, RNR_CODE) ? code : 0));

    x->qp->r.rnr_sent = true;
    x->qp->r.rnr_over = x->ca->now + iba_rnr_timer_ns((uint8_t)code);
    x->qp->r.nak_sent = false;
    iba_resp_put(x->qp, &r);
}

/* The QP fails, but what it has to say still leaves, and in order: answers to earlier requests, then the reason. */
static void fail(struct iba_rx *x)
{
    const bool fails = IBA_KEEPS(x->ca, respond, NAK_FAILS);

    x->qp->r.op = IBA_NO_MESSAGE;
    x->qp->r.last_words = fails;
    if (fails)
        iba_qp_fail(x->ca, x->qp);
}

static void fail_with_nak(struct iba_rx *x, enum iba_respond_row code)
{
    const struct iba_resp r = nak(x, nak_syndrome(x, code));

    iba_resp_put(x->qp, &r);
    fail(x);
}

/* Class C: the WQE in use completes in error; where none is, an event tells (RR-56, RR-59). */
static void refuse(struct iba_rx *x, enum iba_respond_row code, enum iba_wc_status status, enum iba_event_kind event)
{
    if (x->qp->r.wqe_held && IBA_KEEPS(x->ca, respond, REFUSED_COMPLETES))
        iba_rx_complete(x, status);
    else if (!x->qp->r.wqe_held)
        iba_raise(x->ca, event, x->port->number, x->qp->qpn, 0, 0);
    fail_with_nak(x, code);
}

void iba_rc_nak_invalid(struct iba_rx *x)
{
    refuse(x, IBA_ROW_respond_NAK_INVALID, IBA_WC_REMOTE_INVALID_REQ, IBA_EVENT_WQ_INVALID_REQUEST);
}

/* The operation is one that there is; its length, address or number is not. On the wire it is the same NAK, but the
 * event is that of an access: so tell two vendors' manual and driver (RR-59). */
void iba_rc_nak_unfit(struct iba_rx *x)
{
    refuse(x, IBA_ROW_respond_NAK_INVALID, IBA_WC_REMOTE_INVALID_REQ, IBA_EVENT_WQ_ACCESS_VIOLATION);
}

/* A WRITE with immediate data has come to its receive before its key is looked at, and uses it up (RR-53). */
void iba_rc_nak_access(struct iba_rx *x)
{
    if (iba_rx_write(x) && iba_rx_imm(x))
        iba_rx_take_wqe(x);
    refuse(x, IBA_ROW_respond_NAK_ACCESS,
           IBA_DEVIATES(x->ca, respond, DENIED_STATUS) ? IBA_WC_REMOTE_ACCESS : IBA_WC_LOCAL_ACCESS,
           IBA_EVENT_WQ_ACCESS_VIOLATION);
}

/* Local Length: the book; others differ (catalogue 11.1, 8). */
void iba_rc_nak_length(struct iba_rx *x)
{
    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_DEVIATES(x->ca, respond, TOO_LONG_STATUS) ? IBA_WC_REMOTE_INVALID_REQ : IBA_WC_LOCAL_LENGTH);
    fail_with_nak(x, IBA_ROW_respond_NAK_INVALID);
}

/* Class A: the fault is our own. */
void iba_rc_nak_operation(struct iba_rx *x)
{
    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_DEVIATES(x->ca, receive, FAULT_STATUS) ? IBA_WC_LOCAL_LENGTH : IBA_WC_LOCAL_PROTECTION);
    fail_with_nak(x, IBA_ROW_respond_NAK_OPERATION);
}

/* ---- duplicates ---- */

/* The most recent request that an ACK may speak for: up to the next READ or ATOMIC behind the duplicate, which only
 * its own response acknowledges (RR-23; catalogue 11.1, 10). */
void iba_rc_ack_again(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    iba_psn end = qp->r.epsn;

    if (!IBA_KEEPS(x->ca, respond, AGAIN_ACKED))
        return;
    for (uint32_t i = 0; i < qp->r.n_saved && !IBA_DEVIATES(x->ca, respond, AGAIN_ACKED); i++) {
        const struct iba_saved_op *s = &qp->r.saved[i].op;
        if (s->used && iba_psn_diff(s->psn, x->psn) > 0 && iba_psn_diff(s->psn, end) < 0)
            end = s->psn;
    }
    put_ack(x, iba_psn_add(end, IBA_PSN_MASK));
}

static void put_read(struct iba_rx *x, bool replay)
{
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);

    iba_resp_put(x->qp, &(struct iba_resp){.kind = IBA_RESP_READ,
                                           .first = true,
                                           .replay = replay,
                                           .psn = x->psn,
                                           .msn = x->qp->r.msn,
                                           .left = iba_reth_dmalen(reth),
                                           .rkey = iba_reth_r_key(reth),
                                           .va = iba_reth_va(reth)});
}

void iba_rc_read_again(struct iba_rx *x)
{
    put_read(x, true);
}

/* An ATOMIC by its own acknowledgement, FLUSH and ATOMIC WRITE by a READ response without payload (catalogue 11.2, 37
 * and 40). */
static void put_result(struct iba_rx *x, uint64_t result, bool replay)
{
    const bool atomic = x->operation == IBA_OPERATION_ATOMIC;

    iba_resp_put(x->qp, &(struct iba_resp){.kind = atomic ? IBA_RESP_ATOMIC : IBA_RESP_READ,
                                           .first = true,
                                           .replay = replay,
                                           .psn = x->psn,
                                           .msn = x->qp->r.msn,
                                           .result = result});
}

/* ---- SEND and WRITE ---- */

void iba_rc_send_part(struct iba_rx *x)
{
    iba_rx_store_send(x);
    accept_and_ack(x);
}

void iba_rc_send_end(struct iba_rx *x)
{
    iba_rx_store_send(x);
    accept_and_ack(x);
    iba_rx_complete(x, IBA_WC_SUCCESS);
}

/* The data are delivered, then the key goes, then the completion tells (RR-54). A key that cannot be invalidated is
 * class J (RR-55): the receive WQE completes in error and the QP fails; the wire sees nothing, so that the requester is
 * not told of a success. */
void iba_rc_send_invalidate(struct iba_rx *x)
{
    const struct iba_qp *qp = x->qp;
    const uint32_t key = iba_ieth_r_key(iba_rx_hdr(x, IBA_H_ieth));

    iba_rx_store_send(x);
    if (!IBA_KEEPS(x->ca, respond, INVALIDATES) ||
        iba_mem_invalidate(&x->ca->mem, key, qp->pd, qp->qpn, true) == IBA_MEM_OK ||
        !IBA_KEEPS(x->ca, respond, INVALIDATE_FAILS)) {
        accept_and_ack(x);
        iba_rx_complete(x, IBA_WC_SUCCESS);
        return;
    }
    iba_rx_complete(x, IBA_WC_MW_BIND); /* in later editions: Memory Management Operation Error */
    fail(x);
}

void iba_rc_write_part(struct iba_rx *x)
{
    iba_rx_store_write(x);
    accept_and_ack(x);
}

void iba_rc_write_end(struct iba_rx *x)
{
    iba_rc_write_part(x);
}

void iba_rc_write_notify(struct iba_rx *x)
{
    iba_rx_store_write(x);
    iba_rx_take_wqe(x);
    accept_and_ack(x);
    iba_rx_complete(x, IBA_WC_SUCCESS);
}

/* ---- READ, ATOMIC, FLUSH, ATOMIC WRITE ---- */

void iba_rc_read(struct iba_rx *x)
{
    const uint8_t *reth = iba_rx_hdr(x, IBA_H_reth);
    const uint32_t n = iba_read_packets(x->qp, iba_reth_dmalen(reth));

    iba_saved_put(x, &(struct iba_saved_op){.psn = x->psn,
                                            .n_psn = n,
                                            .opcode = iba_bth_opcode(x->bth),
                                            .used = true,
                                            .va = iba_reth_va(reth),
                                            .rkey = iba_reth_r_key(reth),
                                            .length = iba_reth_dmalen(reth)});
    accept(x, n);
    x->qp->r.acked = iba_psn_add(x->psn, n - 1);
    put_read(x, false);
}

static void finish(struct iba_rx *x, uint64_t result)
{
    iba_saved_put(x, &(struct iba_saved_op){
                         .psn = x->psn, .n_psn = 1, .opcode = iba_bth_opcode(x->bth), .used = true, .result = result});
    accept(x, 1);
    x->qp->r.acked = x->psn;
    put_result(x, result, false);
}

/* Eight bytes at the target, in the host's order; 0 when a mutant left out the check. */
static uint64_t load(struct iba_rx *x, uint8_t **host)
{
    uint64_t value = 0;

    if (iba_responder_reach(x, host) == IBA_REACH_OK && *host)
        memcpy(&value, *host, sizeof value);
    return value;
}

static void store(uint8_t *host, uint64_t value)
{
    if (host)
        memcpy(host, &value, sizeof value);
}

/* Both return what the answer tells: what was there before (RR-48). */
static uint64_t swap(struct iba_rx *x)
{
    const uint8_t *eth = iba_rx_hdr(x, IBA_H_atomiceth);
    uint8_t *host;
    const uint64_t old = load(x, &host);
    const bool swaps = old == iba_atomiceth_cmpdt(eth) || !IBA_KEEPS(x->ca, respond, SWAP_COMPARES);

    if (swaps)
        store(host, iba_atomiceth_swapdt(eth));
    return swaps && IBA_DEVIATES(x->ca, respond, ORIGINAL) ? iba_atomiceth_swapdt(eth) : old;
}

static uint64_t add(struct iba_rx *x)
{
    uint8_t *host;
    const uint64_t old = load(x, &host), sum = old + iba_atomiceth_swapdt(iba_rx_hdr(x, IBA_H_atomiceth));
    const uint64_t new = IBA_DEVIATES(x->ca, respond, ADDS_64_BITS) ? old >> 32 << 32 | (sum & UINT32_MAX) : sum;

    store(host, new);
    return IBA_DEVIATES(x->ca, respond, ORIGINAL) ? new : old;
}

void iba_rc_swap(struct iba_rx *x)
{
    finish(x, swap(x));
}

void iba_rc_add(struct iba_rx *x)
{
    finish(x, add(x));
}

void iba_rc_replay(struct iba_rx *x)
{
    const struct iba_saved_op *s = iba_saved_find(x);
    uint64_t result = s ? s->result : 0;

    if (x->operation == IBA_OPERATION_ATOMIC && IBA_DEVIATES(x->ca, respond, REPLAYS))
        result = iba_bth_opcode(x->bth) == IBA_RC_CMP_SWAP ? swap(x) : add(x);
    put_result(x, result, true);
}

/* What was written is visible and, in this model, persistent at once: the answer is all that is left to do. */
void iba_rc_flush(struct iba_rx *x)
{
    finish(x, 0);
}

/* Eight bytes as they came, at once. */
void iba_rc_atomic_write(struct iba_rx *x)
{
    uint8_t *host;

    if (iba_responder_reach(x, &host) == IBA_REACH_OK && host && x->v->payload_len == sizeof(uint64_t) &&
        IBA_KEEPS(x->ca, respond, ATOMIC_WRITES))
        memcpy(host, iba_rx_data(x), sizeof(uint64_t));
    finish(x, 0);
}
