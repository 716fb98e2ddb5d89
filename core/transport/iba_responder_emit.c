/* SPDX-License-Identifier: BSD-2-Clause */
/* Responses of the RC responder: the queue of those that wait, and their packets (section 9.7.5). */
#include <assert.h>
#include <string.h>
#include "iba_responder.h"
#include "transport/deviations.h"
#include "transport/deviations_rd.h"
#include "transport/iba_rd.h"
#include "transport/deviations_receiver.h"
#include "transport/iba_xrc.h"
#include "wire/iba_aeth.h"
#include "wire/iba_opcode_rows.h"

/* ---- the queue ---- */

static iba_psn last_psn(const struct iba_qp *qp, const struct iba_resp *r)
{
    return r->kind == IBA_RESP_READ ? iba_psn_add(r->psn, iba_read_packets(qp, r->left) - 1) : r->psn;
}

static const struct iba_resp *at(const struct iba_qp *qp, unsigned i)
{
    const unsigned beyond = i - IBA_RESP_OWN;

    return i < IBA_RESP_OWN ? &qp->r.resp[i] : &qp->r.saved[beyond / IBA_RESP_EACH].resp[beyond % IBA_RESP_EACH];
}

static void place(struct iba_qp *qp, unsigned i, const struct iba_resp *r)
{
    const unsigned beyond = i - IBA_RESP_OWN;

    if (i < IBA_RESP_OWN)
        qp->r.resp[i] = *r;
    else
        qp->r.saved[beyond / IBA_RESP_EACH].resp[beyond % IBA_RESP_EACH] = *r;
}

static bool is_answer(const struct iba_resp *r)
{
    return r->kind == IBA_RESP_READ || r->kind == IBA_RESP_ATOMIC;
}

static void take_out(struct iba_qp *qp, unsigned i)
{
    qp->r.resp_count--;
    for (; i < qp->r.resp_count; i++)
        place(qp, i, at(qp, i + 1));
}

bool iba_resp_waits(const struct iba_qp *qp, iba_psn psn)
{
    for (unsigned i = 0; i < qp->r.resp_count; i++) {
        const struct iba_resp *r = at(qp, i);
        if (is_answer(r) && iba_psn_diff(psn, r->psn) >= 0 && iba_psn_diff(psn, last_psn(qp, r)) <= 0)
            return true;
    }
    return false;
}

uint32_t iba_resp_most(const struct iba_qp *qp)
{
    const uint32_t of_use = qp->r.n_saved < UINT8_MAX ? qp->r.n_saved : UINT8_MAX; /* max_dest_rd has 8 bits */

    return IBA_RESP_OWN + IBA_RESP_EACH * of_use;
}

static uint32_t answers(const struct iba_qp *qp, bool replay)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < qp->r.resp_count; i++)
        n += is_answer(at(qp, i)) && at(qp, i)->replay == replay;
    return n;
}

uint32_t iba_resp_open(const struct iba_qp *qp)
{
    return answers(qp, false);
}

uint32_t iba_resp_again(const struct iba_qp *qp)
{
    return answers(qp, true);
}

/* Returns whether `r` replaces `old`: `old` is the same NAK, or an answer inside the part of a READ that `r` repeats.
 */
static bool replaced(const struct iba_qp *qp, const struct iba_resp *old, const struct iba_resp *r)
{
    if (r->kind == IBA_RESP_NAK)
        return old->kind == IBA_RESP_NAK && iba_psn_eq(old->psn, r->psn);
    return r->kind == IBA_RESP_READ && is_answer(old) && iba_psn_diff(old->psn, r->psn) >= 0 &&
           iba_psn_diff(old->psn, last_psn(qp, r)) <= 0;
}

/* Returns whether the request that the NAK asked for has come since. */
static bool is_overtaken(const struct iba_qp *qp, const struct iba_resp *r)
{
    return r->kind == IBA_RESP_NAK && iba_psn_diff(r->psn, qp->r.epsn) < 0;
}

static bool is_ack(const struct iba_qp *qp, const struct iba_resp *r)
{
    (void)qp;
    return r->kind == IBA_RESP_ACK;
}

static bool drop_oldest(struct iba_qp *qp, bool (*such)(const struct iba_qp *qp, const struct iba_resp *r))
{
    for (unsigned i = 0; i < qp->r.resp_count; i++)
        if (such(qp, at(qp, i))) {
            take_out(qp, i);
            return true;
        }
    return false;
}

/* Frees an entry of a full queue. With n responder resources, answers take at most n entries, replays n + 1, and a NAK
 * that is not overtaken one. So when all 2n + 3 entries are used and no NAK is overtaken, the queue has two ACKs, or an
 * ACK and the NAK. The newer of the two also acknowledges the PSNs of the oldest ACK (RR-14), which is dropped. False:
 * a broken device without the rows that limit answers has no entry left; the peer will ask again. */
static bool make_room(struct iba_qp *qp)
{
    return qp->r.resp_count < iba_resp_most(qp) || drop_oldest(qp, is_overtaken) || drop_oldest(qp, is_ack);
}

void iba_resp_put(struct iba_qp *qp, const struct iba_resp *r)
{
    unsigned to = 0;

    for (unsigned i = qp->r.resp_count; i-- > 0;)
        if (replaced(qp, at(qp, i), r))
            take_out(qp, i);
    if (!make_room(qp))
        return;
    while (to < qp->r.resp_count && iba_psn_diff(at(qp, to)->psn, r->psn) <= 0)
        to++;
    if (r->kind == IBA_RESP_ACK && to > 0 && is_ack(qp, at(qp, to - 1))) {
        place(qp, to - 1, r);
        return;
    }
    for (unsigned i = qp->r.resp_count++; i > to; i--)
        place(qp, i, at(qp, i - 1));
    place(qp, to, r);
}

/* ---- packets ---- */

/* The ACK announces the largest credit code that is not above the number of receive WQEs (WF-49, RR-19). */
uint8_t iba_responder_credit(const struct iba_qp *qp, uint32_t receives)
{
    uint8_t code = 0;

    if (receives == IBA_NONE || !qp->attr.flow_control) /* RR-20, RR-21 */
        return IBA_CREDIT_NO_LIMIT;
    while (code + 1 < IBA_CREDIT_NO_LIMIT && iba_credit_count((uint8_t)(code + 1)) <= receives)
        code++;
    return code;
}

/* The receive in use counts, because it is for message MSN + 1. */
static uint8_t credit_code(const struct iba_ca *ca, struct iba_qp *qp)
{
    const uint32_t free = iba_recv_free(ca, qp);
    const uint8_t code = iba_responder_credit(qp, free == IBA_NONE ? free : free + qp->r.has_wqe);

    qp->r.starved = code == 0;
    return code;
}

/* A requester without credits sends nothing that would be answered with new ones. So the responder announces them by
 * itself (RR-22). */
static bool grants(const struct iba_qp *qp)
{
    return qp->r.starved && qp->rq.count > 0; /* an EE context is never starved */
}

/* Returns the opcode with the service bits of the QP. That of a CNP is the same for all services. */
static uint8_t of_service(const struct iba_qp *qp, uint8_t opcode)
{
    return opcode >> 5 == IBA_RC ? (uint8_t)(opcode | iba_qp_service_bits(qp)) : opcode;
}

static uint32_t destination(const struct iba_ca *ca, const struct iba_qp *qp)
{
    if (iba_is_context(qp)) /* UU-32 */
        return IBA_DEVIATES(ca, rd, ANSWER_TO_SENDER) ? qp->ee.receiver : qp->ee.peer;
    return qp->type == IBA_QPT_UD ? qp->cnp_to : qp->attr.dest_qpn;
}

static uint16_t pkey(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_port *port)
{
    return iba_is_context(qp) && IBA_DEVIATES(ca, rd, PKEY_OF_CONTEXT) ? 0xffff : port->pkey[qp->attr.pkey_index];
}

/* Writes envelope and BTH (RR-12, RR-15), and in RD the RDETH (UU-32). Returns a pointer to the byte after them. */
static uint8_t *begin(const struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx, uint8_t opcode, iba_psn psn)
{
    uint8_t *bth = tx->buf + qp->envelope_bytes;

    assert(tx->cap >= IBA_TX_MOST);
    memcpy(tx->buf, qp->envelope, qp->envelope_bytes);
    memset(bth, 0, IBA_BYTES_bth);
    iba_bth_set_opcode(bth, of_service(qp, opcode));
    iba_bth_set_m(bth, qp->attr.path_mig == IBA_PATH_MIGRATED); /* WF-30 */
    iba_bth_set_p_key(bth, pkey(ca, qp, tx->port));
    iba_bth_set_destqp(bth, destination(ca, qp));
    iba_bth_set_psn(bth, psn.v);
    iba_bth_set_becn(bth, qp->becn_due); /* WF-82 */
    qp->becn_due = false;
    tx->envelope = qp->envelope_bytes;
    if (!iba_is_context(qp) || opcode >> 5 != IBA_RC)
        return bth + IBA_BYTES_bth;
    memset(bth + IBA_BYTES_bth, 0, IBA_BYTES_rdeth);
    iba_rdeth_set_eecnxt(bth + IBA_BYTES_bth, IBA_DEVIATES(ca, rd, CONTEXT_ANSWERED) ? qp->qpn : qp->attr.dest_qpn);
    return bth + IBA_BYTES_bth + IBA_BYTES_rdeth;
}

static void end(struct iba_tx *tx, const uint8_t *p)
{
    tx->body = (size_t)(p - (tx->buf + tx->envelope));
}

static uint8_t *put_aeth(uint8_t *p, uint8_t syndrome, uint32_t msn)
{
    p[0] = syndrome;
    iba_aeth_set_msn(p, msn);
    return p + IBA_BYTES_aeth;
}

static bool emit_ack(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    const struct iba_resp r = qp->r.resp[0];
    uint8_t *p = begin(ca, qp, tx, IBA_RC_ACKNOWLEDGE, r.psn);

    end(tx, put_aeth(p, r.kind == IBA_RESP_ACK ? credit_code(ca, qp) : r.syndrome, r.msn));
    take_out(qp, 0);
    return true;
}

static bool emit_atomic(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    const struct iba_resp r = qp->r.resp[0];
    uint8_t *p = put_aeth(begin(ca, qp, tx, IBA_RC_ATOMIC_ACKNOWLEDGE, r.psn), credit_code(ca, qp), r.msn);

    iba_atomicacketh_set_origremdt(p, r.result);
    end(tx, p + IBA_BYTES_atomicacketh);
    take_out(qp, 0);
    return true;
}

/* Sends an ACK of the last PSN again, to announce the present credits. */
static bool emit_grant(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    const bool next = IBA_DEVIATES(ca, respond, GRANT_PSN);

    qp->r.acked = iba_psn_add(qp->r.epsn, IBA_PSN_MASK); /* the PSN before ePSN */
    iba_resp_put(qp,
                 &(struct iba_resp){.kind = IBA_RESP_ACK, .psn = next ? qp->r.epsn : qp->r.acked, .msn = qp->r.msn});
    return emit_ack(ca, qp, tx);
}

/* The memory of a READ became inaccessible before its response was complete. A NAK replaces the next response packet
 * (RR-60), and later responses are dropped. This is also true when the QP has already failed and its pending responses
 * still leave (RR-58). */
static bool emit_read_lost(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    struct iba_resp *r = &qp->r.resp[0];

    r->kind = IBA_RESP_NAK;
    r->syndrome = iba_syndrome(IBA_AETH_NAK, IBA_NAK_REMOTE_ACCESS);
    if (qp->state != IBA_QPS_ERR)
        iba_raise(ca, IBA_EVENT_WQ_ACCESS_VIOLATION, qp->attr.port, qp->qpn, 0, 0);
    emit_ack(ca, qp, tx);
    qp->r.resp_count = 0;
    if (!iba_is_context(qp))
        iba_qp_fail(ca, qp);
    return true;
}

/* The first packet of a response has a First or Only opcode, even if a duplicate READ begins in the middle (RR-62). */
static uint8_t read_opcode(bool first, bool last)
{
    if (first)
        return last ? IBA_RC_READ_RESP_ONLY : IBA_RC_READ_RESP_FIRST;
    return last ? IBA_RC_READ_RESP_LAST : IBA_RC_READ_RESP_MIDDLE;
}

static void write_read(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx, const struct iba_place *source,
                       uint32_t n)
{
    const struct iba_resp *r = &qp->r.resp[0];
    const bool last = n == r->left;
    const uint32_t pad = (4 - n % 4) % 4;
    uint8_t *p = begin(ca, qp, tx, read_opcode(r->first, last), r->psn);

    iba_bth_set_padcnt(tx->buf + tx->envelope, pad);
    if (r->first || last) /* all but Middle packets have an AETH (RR-61) */
        p = put_aeth(p, credit_code(ca, qp), r->msn);
    if (n > 0)
        iba_mem_get(source, p, n);
    memset(p + n, 0, pad);
    end(tx, p + n + pad);
}

enum iba_mem_verdict iba_resp_reach(struct iba_ca *ca, const struct iba_qp *qp, struct iba_place *source, uint32_t *n)
{
    const struct iba_resp *r = &qp->r.resp[0];
    const uint32_t most = iba_mtu_bytes((enum iba_mtu)qp->attr.path_mtu);
    const bool context = iba_is_context(qp);
    uint32_t pd = qp->pd;

    if (qp->type == IBA_QPT_XRC_TGT)
        pd = iba_xrc_pd_of(ca, qp, r->srqn);
    else if (context)
        pd = iba_rd_pd_of(ca, r->srqn);
    *n = r->left < most ? r->left : most;
    const struct iba_reach reach = {.va = r->va,
                                    .length = *n,
                                    .key = r->rkey,
                                    .pd = pd,
                                    .qpn = context ? r->srqn : qp->qpn,
                                    .need = IBA_ACCESS_REMOTE_READ,
                                    .remote = true};
    return *n > 0 ? iba_mem_reach(&ca->mem, &reach, source) : IBA_REACH_OK;
}

/* Writes one packet of a READ response. False: a page is absent, and the response waits for it. */
static bool emit_read(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    struct iba_resp *r = &qp->r.resp[0];
    uint32_t n;
    struct iba_place source;
    const enum iba_mem_verdict v = iba_resp_reach(ca, qp, &source, &n);

    if (v == IBA_REACH_ABSENT)
        return false;
    if (v != IBA_REACH_OK)
        return emit_read_lost(ca, qp, tx);
    write_read(ca, qp, tx, &source, n);
    r->left -= n;
    r->va += n;
    r->psn = iba_psn_add(r->psn, 1);
    r->first = false;
    if (r->left == 0)
        take_out(qp, 0);
    return true;
}

/* A CNP has 16 zero bytes, PSN 0 and M 0 (RO-42, WF-81). BECN is 0 on RoCEv2 (RO-29) and 1 on IB. */
static bool emit_cnp(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    const bool ib = tx->port->kind == IBA_PORT_IB;
    uint8_t *p = begin(ca, qp, tx, ib ? IBA_CNP_IB : IBA_CNP_ROCE, iba_psn_of(0));

    iba_bth_set_m(tx->buf + tx->envelope, 0);
    iba_bth_set_becn(tx->buf + tx->envelope, ib);
    memset(p, 0, IBA_BYTES_cnp);
    end(tx, p + IBA_BYTES_cnp);
    qp->cnp_due = false;
    ca->port[tx->port->number - 1].counters.cnp_out++;
    return true;
}

/* Responses leave in RTR, RTS, SQD and SQE (RR-65). In Error only the NAK that ended the connection and the responses
 * before it leave (RR-58). */
bool iba_responder_ready(const struct iba_ca *ca, const struct iba_qp *qp)
{
    (void)ca;
    if (iba_qp_may_receive_requests(qp))
        return qp->r.resp_count > 0 || qp->cnp_due || grants(qp);
    return qp->state == IBA_QPS_ERR && qp->r.last_words && qp->r.resp_count > 0;
}

bool iba_responder_send(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    if (qp->cnp_due) /* cleared when a QP enters Error */
        return emit_cnp(ca, qp, tx);
    if (qp->r.resp_count == 0)
        return emit_grant(ca, qp, tx);
    switch ((enum iba_resp_kind)qp->r.resp[0].kind) {
    case IBA_RESP_READ: return emit_read(ca, qp, tx);
    case IBA_RESP_ATOMIC: return emit_atomic(ca, qp, tx);
    default: return emit_ack(ca, qp, tx);
    }
}

bool iba_responder_emit(struct iba_ca *ca, struct iba_qp *qp, struct iba_tx *tx)
{
    if (!iba_responder_ready(ca, qp))
        return false;
    return ca->deviate ? ca->deviate->respond(ca, qp, tx) : iba_responder_send(ca, qp, tx);
}
