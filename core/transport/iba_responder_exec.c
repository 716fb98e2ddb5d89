/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of the RC responder after a row has decided on a request (sections 9.7.5, 9.9.3). */
#include <string.h>
#include "iba_responder.h"
#include "transport/deviations.h"
#include "transport/deviations_rd.h"
#include "transport/iba_rd.h"
#include "transport/iba_tags.h"
#include "transport/iba_xrc.h"
#include "wire/iba_opcode.h"

/* ---- set-up ---- */

void iba_responder_reset(struct iba_qp *qp)
{
    struct iba_saved *saved = qp->r.saved;
    const uint32_t n = qp->r.n_saved;

    memset(&qp->r, 0, sizeof qp->r);
    qp->r.saved = saved;
    qp->r.n_saved = n;
    qp->r.op = IBA_NO_MESSAGE;
    iba_xrc_note(qp, IBA_NONE, IBA_NONE);
    if (n > 0)
        memset(saved, 0, n * sizeof *saved);
    qp->cnp_due = qp->becn_due = false;
}

void iba_responder_start(struct iba_qp *qp)
{
    qp->r.epsn = iba_psn_of(qp->attr.rq_psn);
    qp->r.acked = iba_psn_add(qp->r.epsn, IBA_PSN_MASK); /* the PSN before ePSN */
}

/* ---- answers ---- */

/* Queues an ACK or NAK. False: the device does not answer. */
static bool put(const struct iba_rx *x, struct iba_resp r)
{
    if (x->ca->deviate && !x->ca->deviate->answers(x, &r))
        return false;
    iba_resp_put(x->qp, &r);
    return true;
}

static bool put_ack(const struct iba_rx *x, iba_psn psn)
{
    return put(x, (struct iba_resp){.kind = IBA_RESP_ACK, .psn = psn, .msn = x->qp->r.msn});
}

/* A NAK of RD other than for a gap refuses the message (UU-34): the rest of it is dropped. */
static void note_refused(struct iba_qp *qp, uint8_t syndrome)
{
    qp->ee.refused = syndrome;
    qp->r.nak_sent = true;
    qp->r.op = IBA_NO_MESSAGE;
}

static void put_nak(const struct iba_rx *x, uint8_t syndrome)
{
    const iba_psn expected = x->qp->r.epsn; /* RR-03 */

    if (iba_is_context(x->qp) && syndrome != iba_syndrome(IBA_AETH_NAK, IBA_NAK_SEQUENCE) &&
        IBA_KEEPS(x->ca, rd, REFUSED_STAYS))
        note_refused(x->qp, syndrome);
    (void)put(x, (struct iba_resp){.kind = IBA_RESP_NAK, .syndrome = syndrome, .psn = expected, .msn = x->qp->r.msn});
}

/* The rest of the message must name the same SRQ (QS-51). */
static void note_srq(struct iba_rx *x)
{
    if (iba_rx_ends(x))
        iba_xrc_note(x->qp, IBA_NONE, IBA_NONE);
    else if (iba_rx_begins(x))
        iba_xrc_note(x->qp, iba_xrc_named(x), iba_rx_cq(x));
}

/* Accepts the request: the responder expects the next PSN, and a new gap gets a NAK again (RR-04). The end of a message
 * increases the MSN (RR-16). */
static void accept(struct iba_rx *x, uint32_t n_psn)
{
    struct iba_qp *qp = x->qp;

    qp->r.epsn = iba_psn_add(qp->r.epsn, n_psn);
    qp->r.nak_sent = qp->r.rnr_sent = false;
    qp->r.op = iba_rx_ends(x) ? IBA_NO_MESSAGE : iba_bth_opcode(x->bth);
    if (iba_rx_ends(x))
        qp->r.msn = (qp->r.msn + 1) & IBA_PSN_MASK;
    if (qp->type == IBA_QPT_XRC_TGT)
        note_srq(x);
    if (x->user)
        qp->ee.receiver = x->user->qpn;
    if (x->ca->deviate)
        x->ca->deviate->accepted(x, n_psn);
}

/* A SEND or WRITE is acknowledged when it has AckReq, or when enough packets are unacknowledged (RR-09, RR-11). */
static void accept_and_ack(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    accept(x, 1);
    if (!iba_bth_a(x->bth) && iba_psn_diff(x->psn, qp->r.acked) <= (int64_t)x->ca->ack_delay)
        return;
    if (put_ack(x, x->psn))
        qp->r.acked = x->psn;
}

void iba_rc_establish(struct iba_rx *x)
{
    iba_rx_establish(x);
    iba_rules_apply(x, IBA_TABLE_RC_RESPONDER);
}

void iba_rc_nak_sequence(struct iba_rx *x)
{
    x->qp->r.nak_sent = true;
    put_nak(x, iba_syndrome(IBA_AETH_NAK, IBA_NAK_SEQUENCE));
}

void iba_rc_rnr(struct iba_rx *x)
{
    const uint8_t code = IBA_DEVIATES(x->ca, rd, RNR_OF_QP) && x->user ? 0 : iba_rx_user(x)->attr.min_rnr;

    x->qp->r.rnr_sent = true;
    x->qp->r.nak_sent = false;
    put_nak(x, iba_syndrome(IBA_AETH_RNR, code));
}

/* The QP fails, but pending responses still leave in order: answers to earlier requests, then the NAK. An EE context
 * and its RD QP stay usable (UU-35). */
static void fail(struct iba_rx *x)
{
    x->qp->r.op = IBA_NO_MESSAGE;
    if (iba_is_context(x->qp) && IBA_KEEPS(x->ca, rd, REFUSER_USABLE))
        return;
    x->qp->r.last_words = true;
    iba_rx_fail_qp(x);
}

static void fail_with_nak(struct iba_rx *x, enum iba_nak code)
{
    put_nak(x, iba_syndrome(IBA_AETH_NAK, code));
    fail(x);
}

/* Class C: the WQE in use completes in error. Without a WQE in use, an event reports the error (RR-56, RR-59). */
static void refuse(struct iba_rx *x, enum iba_nak code, enum iba_wc_status status, enum iba_event_kind event)
{
    if (x->qp->r.has_wqe)
        iba_rx_complete(x, status);
    else
        iba_raise(x->ca, event, x->port->number, iba_rx_user(x)->qpn, 0, 0);
    fail_with_nak(x, code);
}

void iba_rc_nak_rd(struct iba_rx *x)
{
    const bool other = IBA_DEVIATES(x->ca, rd, NAK_CODE);

    if (x->qp->r.has_wqe) /* the WQE is of the unfinished message, which this packet continues or interrupts */
        iba_rx_complete(x, IBA_WC_REMOTE_ABORTED);
    fail_with_nak(x, other ? IBA_NAK_INVALID_REQUEST : IBA_NAK_INVALID_RD);
}

void iba_rc_refuse_again(struct iba_rx *x)
{
    put_nak(x, x->qp->ee.refused);
}

/* Handles a RESYNC: the requester has abandoned its message, and the RESYNC has the PSN before that of the next message
 * (UU-34). */
void iba_rc_resync(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;

    if (qp->r.has_wqe && IBA_KEEPS(x->ca, rd, RESYNC_ABORTS))
        iba_rx_complete(x, IBA_WC_REMOTE_ABORTED);
    qp->r.has_wqe = false;
    qp->r.op = IBA_NO_MESSAGE;
    qp->r.resp_count = 0; /* the requester no longer waits for answers to the abandoned message */
    if (!IBA_KEEPS(x->ca, rd, RESYNC_SETS_PSN))
        return;
    qp->r.nak_sent = qp->r.rnr_sent = false;
    qp->ee.refused = 0;
    qp->r.epsn = iba_psn_add(x->psn, 1);
    qp->r.acked = x->psn;
    if (IBA_KEEPS(x->ca, rd, RESYNC_ACKED))
        (void)put_ack(x, x->psn);
}

void iba_rc_nak_invalid(struct iba_rx *x)
{
    refuse(x, IBA_NAK_INVALID_REQUEST, IBA_WC_REMOTE_INVALID_REQ, IBA_EVENT_WQ_INVALID_REQUEST);
}

/* The operation is supported, but its length, address or number is illegal. The NAK is the same as for an invalid
 * request, but the event is that of an access violation: the manual and the driver of two vendors say so (RR-59). */
void iba_rc_nak_unfit(struct iba_rx *x)
{
    refuse(x, IBA_NAK_INVALID_REQUEST, IBA_WC_REMOTE_INVALID_REQ, IBA_EVENT_WQ_ACCESS_VIOLATION);
}

/* A WRITE with Immediate takes its receive before its key is checked, so it consumes the receive (RR-53). */
void iba_rc_nak_access(struct iba_rx *x)
{
    if (iba_rx_write(x) && iba_rx_imm(x))
        iba_rx_take_wqe(x);
    refuse(x, IBA_NAK_REMOTE_ACCESS, IBA_WC_LOCAL_ACCESS, IBA_EVENT_WQ_ACCESS_VIOLATION);
}

/* The receive completes with Local Length, as the architecture says; other devices differ (catalogue 11.1, 8). */
void iba_rc_nak_length(struct iba_rx *x)
{
    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_WC_LOCAL_LENGTH);
    fail_with_nak(x, IBA_NAK_INVALID_REQUEST);
}

/* Class A: the fault is on the responder's side. */
void iba_rc_nak_operation(struct iba_rx *x)
{
    if (iba_rx_begins(x))
        iba_rx_take_wqe(x);
    iba_rx_complete(x, IBA_WC_LOCAL_PROTECTION);
    if (x->user) /* RD: the receive belongs to the RD QP */
        iba_qp_fail(x->ca, x->user);
    fail_with_nak(x, IBA_NAK_REMOTE_OPERATION);
}

/* ---- duplicates ---- */

/* Only the response to a READ or ATOMIC acknowledges it. So the ACK of a duplicate has the PSN before the next READ or
 * ATOMIC after the duplicate; if there is none, the most recent PSN (RR-23; catalogue 11.1, 10). */
void iba_rc_ack_again(struct iba_rx *x)
{
    struct iba_qp *qp = x->qp;
    iba_psn end = qp->r.epsn;

    for (uint32_t i = 0; i < qp->r.n_saved; i++) {
        const struct iba_saved_op *s = &qp->r.saved[i].op;
        if (s->used && iba_psn_diff(s->psn, x->psn) > 0 && iba_psn_diff(s->psn, end) < 0)
            end = s->psn;
    }
    (void)put_ack(x, iba_psn_add(end, IBA_PSN_MASK));
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
                                           .srqn = x->user ? x->user->qpn : iba_xrc_named(x),
                                           .va = iba_reth_va(reth)});
}

void iba_rc_read_again(struct iba_rx *x)
{
    put_read(x, true);
}

void iba_rc_answer(struct iba_rx *x, uint64_t result, bool replay)
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
    if (iba_rx_begins(x) && x->qp->r.has_wqe && x->qp->r.wqe.matched)
        iba_tags_begun(x);
}

void iba_rc_send_end(struct iba_rx *x)
{
    iba_rx_store_send(x);
    accept_and_ack(x);
    iba_rx_complete(x, IBA_WC_SUCCESS);
}

/* The responder delivers the data, then invalidates the key, then completes the receive (RR-54). A key that cannot be
 * invalidated is class J (RR-55): the receive WQE completes in error and the QP fails. The responder sends nothing, so
 * the requester sees no success. */
void iba_rc_send_invalidate(struct iba_rx *x)
{
    const uint32_t key = iba_ieth_r_key(iba_rx_hdr(x, IBA_H_ieth));

    iba_rx_store_send(x);
    if (iba_mem_invalidate(&x->ca->mem, key, iba_rx_pd(x), x->qp->qpn, true) == IBA_MEM_OK) {
        accept_and_ack(x);
        iba_rx_complete(x, IBA_WC_SUCCESS);
        return;
    }
    iba_rx_complete(x, IBA_WC_MW_BIND); /* later editions call this status Memory Management Operation Error */
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

void iba_rc_finish(struct iba_rx *x, uint64_t result)
{
    iba_saved_put(x, &(struct iba_saved_op){
                         .psn = x->psn, .n_psn = 1, .opcode = iba_bth_opcode(x->bth), .used = true, .result = result});
    accept(x, 1);
    x->qp->r.acked = x->psn;
    iba_rc_answer(x, result, false);
}

/* Returns the eight bytes at the target of an ATOMIC, in host byte order; 0 in a broken device that does not check the
 * target. */
static uint64_t load(struct iba_rx *x, struct iba_place *place)
{
    uint64_t value = 0;

    (void)iba_responder_reach(x, place); /* leaves place->key NULL if the request may not access memory */
    if (place->key)
        iba_mem_get(place, (uint8_t *)&value, sizeof value);
    return value;
}

static void store(const struct iba_place *place, uint64_t value)
{
    if (place->key)
        iba_mem_put(place, (const uint8_t *)&value, sizeof value);
}

uint64_t iba_rc_swapped(const struct iba_rx *x, uint64_t old)
{
    const uint8_t *eth = iba_rx_hdr(x, IBA_H_atomiceth);

    return old == iba_atomiceth_cmpdt(eth) ? iba_atomiceth_swapdt(eth) : old;
}

uint64_t iba_rc_added(const struct iba_rx *x, uint64_t old)
{
    return old + iba_atomiceth_swapdt(iba_rx_hdr(x, IBA_H_atomiceth));
}

uint64_t iba_rc_execute(struct iba_rx *x, iba_rc_atomic *changed)
{
    struct iba_place place;
    const uint64_t old = load(x, &place);

    store(&place, changed(x, old));
    return old;
}

void iba_rc_swap(struct iba_rx *x)
{
    iba_rc_finish(x, iba_rc_execute(x, iba_rc_swapped));
}

void iba_rc_add(struct iba_rx *x)
{
    iba_rc_finish(x, iba_rc_execute(x, iba_rc_added));
}

void iba_rc_replay(struct iba_rx *x)
{
    const struct iba_saved_op *s = iba_saved_find(x);

    iba_rc_answer(x, s ? s->result : 0, true);
}

/* In this model written data is visible and persistent at once, so a FLUSH only needs its answer. */
void iba_rc_flush(struct iba_rx *x)
{
    iba_rc_finish(x, 0);
}

/* Writes the eight bytes of the payload at once, in their order in the packet. */
void iba_rc_atomic_write(struct iba_rx *x)
{
    struct iba_place place;

    (void)iba_responder_reach(x, &place); /* leaves place.key NULL if the request may not access memory */
    if (place.key && x->v->payload_len == sizeof(uint64_t))
        iba_rx_put(x, &place);
    iba_rc_finish(x, 0);
}
