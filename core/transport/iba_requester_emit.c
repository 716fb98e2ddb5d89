/* SPDX-License-Identifier: BSD-2-Clause */
/* Request packets: envelope, BTH, extension headers, payload, pad (catalogue 4.1; WF-28, WF-31, WF-64). */
#include <string.h>
#include "transport/deviations_rd.h"
#include "transport/deviations_requester.h"
#include "transport/iba_rd.h"
#include "transport/iba_refusals.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum { QPN_MULTICAST = 0xffffff, PKEY_SMI = 0xffff /* PV-14 */ };

/* Returns whether the packet asks for an ACK (RQ-05). A message beyond the credit limit asks with its first packet
 * (RQ-41). */
static bool asks(const struct iba_qp *qp, const struct iba_sqe *e, bool last)
{
    if (!iba_qp_is_reliable(qp)) /* WF-38 */
        return false;
    return last || qp->s.unasked + 1 >= IBA_ACKREQ_EVERY ||
           (iba_sqe_is(e, IBA_FORM_RECEIVED) && iba_psn_eq(qp->s.next_psn, e->first) &&
            iba_requester_limited(qp, e->ssn));
}

static unsigned position(bool first, bool last)
{
    return first ? (last ? IBA_ONLY : IBA_FIRST) : (last ? IBA_LAST : IBA_MIDDLE);
}

struct iba_request iba_request_plan(const struct iba_qp *qp, const struct iba_sqe *e, unsigned shift)
{
    const uint64_t index = (qp->s.next_psn.v - e->first.v) & IBA_PSN_MASK;
    const bool read = e->wr.op == IBA_WR_READ, last = read || iba_psn_eq(qp->s.next_psn, e->last);
    struct iba_request p = {.e = e, .offset = index << shift, .last = last, .ask = asks(qp, e, last)};

    p.from = p.offset;
    p.again = iba_psn_diff(qp->s.next_psn, qp->s.high_psn) < 0;
    p.opcode = (uint8_t)(iba_qp_service_bits(qp) | iba_sqe_form(e)->opcode[position(index == 0, last)]);
    if (iba_is_context(qp) && qp->ee.resync)
        p.opcode = IBA_RD_RESYNC;
    p.hdrs = iba_opcodes[p.opcode].hdrs;
    if (iba_sqe_is(e, IBA_FORM_PAYLOAD))
        p.payload = last ? (size_t)(e->length - p.offset) : (size_t)1 << shift;
    return p;
}

static bool has(const struct iba_request *p, enum iba_hdr h)
{
    return (p->hdrs >> h & 1) != 0;
}

static uint32_t destination(const struct iba_qp *qp, const struct iba_request *p)
{
    if (iba_is_context(qp))
        return p->e->wr.rd.remote_qpn;
    return iba_qp_is_datagram(qp) ? p->e->wr.remote_qpn : qp->attr.dest_qpn;
}

static void write_bth(const struct iba_qp *qp, const struct iba_request *p, const struct iba_tx *tx, uint8_t *bth)
{
    const bool solicited = p->last && (p->e->wr.flags & IBA_WR_SOLICITED) && iba_sqe_is(p->e, IBA_FORM_RECEIVED);

    memset(bth, 0, IBA_BYTES_bth);
    iba_bth_set_opcode(bth, p->opcode);
    iba_bth_set_se(bth, solicited);                             /* WF-28 */
    iba_bth_set_m(bth, qp->attr.path_mig == IBA_PATH_MIGRATED); /* WF-30 */
    iba_bth_set_padcnt(bth, (0 - p->payload) & 3);
    iba_bth_set_p_key(bth, qp->type == IBA_QPT_SMI ? PKEY_SMI : tx->port->pkey[qp->attr.pkey_index]); /* WF-35 */
    iba_bth_set_destqp(bth, destination(qp, p));
    iba_bth_set_a(bth, p->ask);
    iba_bth_set_psn(bth, qp->s.next_psn.v);
}

/* Returns the Q_Key for the DETH (PV-21). */
static uint32_t qkey_of(const struct iba_qp *qp, const struct iba_request *p)
{
    const uint32_t given = iba_is_context(qp) ? p->e->wr.rd.remote_qkey : p->e->wr.remote_qkey;

    return given >> 31 ? qp->attr.qkey : given;
}

/* Writes the headers with addresses: RDETH, DETH, XRCETH. */
static uint8_t *write_address(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_request *p,
                              uint8_t *at)
{
    if (has(p, IBA_H_rdeth)) {
        memset(at, 0, IBA_BYTES_rdeth);
        iba_rdeth_set_eecnxt(at, IBA_DEVIATES(ca, rd, CONTEXT_SENT) ? qp->qpn : qp->attr.dest_qpn);
        at += IBA_BYTES_rdeth;
    }
    if (has(p, IBA_H_deth)) {
        memset(at, 0, IBA_BYTES_deth);
        iba_deth_set_q_key(at, qkey_of(qp, p));
        iba_deth_set_srcqp(at, iba_is_context(qp) && !IBA_DEVIATES(ca, rd, SOURCE_QPN) ? qp->ee.sender : qp->qpn);
        at += IBA_BYTES_deth;
    }
    if (has(p, IBA_H_xrceth)) {
        memset(at, 0, IBA_BYTES_xrceth);
        iba_xrceth_set_srqn(at, p->e->wr.xrc_srqn);
        at += IBA_BYTES_xrceth;
    }
    return at;
}

static uint8_t *write_atomic(const struct iba_send_wr *wr, uint8_t *at)
{
    const bool swap = wr->op == IBA_WR_CMP_SWAP;

    iba_atomiceth_set_va(at, wr->va);
    iba_atomiceth_set_r_key(at, wr->rkey);
    iba_atomiceth_set_swapdt(at, swap ? wr->swap : wr->compare_add);
    iba_atomiceth_set_cmpdt(at, swap ? wr->compare_add : 0); /* WF-45 */
    return at + IBA_BYTES_atomiceth;
}

/* Writes the headers of remote memory accesses: FETH, RETH, AtomicETH. A repeated READ names the missing part (RQ-07).
 */
static uint8_t *write_reach(const struct iba_request *p, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;

    if (has(p, IBA_H_feth)) {
        memset(at, 0, IBA_BYTES_feth);
        iba_feth_set_selectivity(at, wr->flush_selectivity);
        iba_feth_set_placement(at, wr->flush_placement);
        at += IBA_BYTES_feth;
    }
    if (has(p, IBA_H_reth)) {
        iba_reth_set_va(at, wr->va + p->offset);
        iba_reth_set_r_key(at, wr->rkey);
        iba_reth_set_dmalen(at, p->e->length - p->offset);
        at += IBA_BYTES_reth;
    }
    return has(p, IBA_H_atomiceth) ? write_atomic(wr, at) : at;
}

static uint8_t *write_value(const struct iba_request *p, uint8_t *at)
{
    const uint32_t value = p->e->wr.imm_or_key;

    if (has(p, IBA_H_immdt)) {
        iba_immdt_set_data(at, value);
        at += IBA_BYTES_immdt;
    }
    if (has(p, IBA_H_ieth)) {
        iba_ieth_set_r_key(at, value);
        at += IBA_BYTES_ieth;
    }
    return at;
}

/* The envelope of a handle fits one kind of network. */
static bool of_other_network(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_ah *ah)
{
    const uint8_t port = ah->av.port, own = qp->attr.port;

    return port < 1 || port > ca->n_port || ca->port[port - 1].kind != ca->port[own - 1].kind;
}

/* WF-26 */
static bool lacks_grh(const struct iba_ca *ca, const struct iba_qp *qp, uint32_t to, const struct iba_ah *ah)
{
    return to == QPN_MULTICAST && !iba_qp_is_raw(qp) && !ah->av.grh && ca->port[qp->attr.port - 1].kind == IBA_PORT_IB;
}

/* clang-format off */
/*    row                      status                     the address handle ...                                            clause */
#define ADDRESS_HANDLE_CHECKS(R, A)                                                                                                     \
    A(handle_destroyed,        IBA_WC_LOCAL_QP_OPERATION, !c->send.ah || !c->send.ah->used,                                 "QS-82")    \
    A(handle_of_other_network, IBA_WC_LOCAL_QP_OPERATION, of_other_network(c->ca, c->qp, c->send.ah),                       "QS-82")    \
    R(posting, handle_domain,  IBA_WC_LOCAL_QP_OPERATION, c->send.ah->pd != c->qp->pd,                                      "QS-82")    \
    R(posting, handle_port,    IBA_WC_LOCAL_QP_OPERATION, c->send.ah->av.port != c->qp->attr.port,                          "QS-82")    \
    R(posting, multicast_grh,  IBA_WC_LOCAL_QP_OPERATION, lacks_grh(c->ca, c->qp, c->send.wr->remote_qpn, c->send.ah),      "WF-26, UU-24")
/* clang-format on */
IBA_REFUSAL_TABLE(ADDRESS_HANDLE_CHECKS, address_handle_checks, ADDRESS_HANDLE)

/* Returns the address handle of a datagram; NULL: it cannot be used. */
static const struct iba_ah *handle(struct iba_ca *ca, struct iba_qp *qp, const struct iba_send_wr *wr)
{
    const struct iba_ah *ah = wr->ah < ca->n_ah ? &ca->ah[wr->ah] : NULL;
    struct iba_call c = {.ca = ca, .qp = qp, .send = {.wr = wr, .ah = ah}};

    return iba_refuse(&c, &address_handle_checks) == IBA_PASSES ? ah : NULL;
}

static enum iba_wc_status gather(struct iba_ca *ca, const struct iba_qp *qp, const struct iba_request *p, uint8_t *at,
                                 bool *absent)
{
    const struct iba_send_wr *wr = &p->e->wr;

    if (!(wr->flags & IBA_WR_INLINE))
        return iba_sgl_gather(ca, qp->pd, wr->sge, wr->n_sge, p->from, at, p->payload, absent);
    memcpy(at, (const uint8_t *)wr->sge + p->from, p->payload);
    return IBA_WC_SUCCESS;
}

/* Writes the payload and the pad bytes into the packet (WF-31). */
static bool write_payload(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now, uint8_t *at)
{
    bool absent = false;

    if (p->payload == 0)
        return true;
    const enum iba_wc_status status = gather(ca, qp, p, at, &absent);
    if (absent) {
        qp->s.page_due = now + IBA_PAGE_WAIT_NS;
        return false;
    }
    if (status != IBA_WC_SUCCESS) {
        iba_requester_fault(ca, qp, status); /* RQ-13 */
        return false;
    }
    memset(at + p->payload, 0, (0 - p->payload) & 3);
    return true;
}

/* Builds a raw packet: LRH, then RWH or the caller's own IPv6 header (WF-02, WF-58). It has no BTH and no ICRC. */
static bool build_raw(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now,
                      struct iba_tx *tx)
{
    const struct iba_ah *ah = handle(ca, qp, &p->e->wr);
    uint8_t *at = tx->buf + IBA_BYTES_lrh;

    if (!ah || tx->port->kind != IBA_PORT_IB) { /* UU-42 */
        iba_requester_fault(ca, qp, IBA_WC_LOCAL_QP_OPERATION);
        return false;
    }
    memcpy(tx->buf, ah->envelope, IBA_BYTES_lrh);
    iba_lrh_set_lnh(tx->buf, qp->type == IBA_QPT_RAW_IPV6);
    if (qp->type == IBA_QPT_RAW_ETHERTYPE) {
        memset(at, 0, IBA_BYTES_rwh);
        iba_rwh_set_etype(at, p->e->wr.imm_or_key);
        at += IBA_BYTES_rwh;
    }
    if (!write_payload(ca, qp, p, now, at))
        return false;
    tx->envelope = IBA_BYTES_lrh;
    tx->body = (size_t)(at - tx->buf) - IBA_BYTES_lrh + p->payload + ((0 - p->payload) & 3);
    return true;
}

/* Notes whether the packet asks for an answer. The ACK timer starts with the first packet that does (RQ-20). */
static void note_asked(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, bool ask, iba_time now)
{
    if (e->wr.op == IBA_WR_READ)
        e->asked = qp->s.next_psn;
    if (!ask) {
        qp->s.unasked++;
        return;
    }
    qp->s.unasked = 0;
    qp->s.asked = iba_psn_add(e->wr.op == IBA_WR_READ ? e->last : qp->s.next_psn, 1);
    if (qp->s.ack_due == IBA_NEVER)
        iba_requester_restart_timer(ca, qp, now);
}

/* Builds the packet: the envelope of the path, then BTH, extension headers, payload and pad. */
static bool build(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now, struct iba_tx *tx)
{
    const uint8_t *envelope = qp->envelope;

    tx->envelope = qp->envelope_bytes;
    if (iba_qp_is_datagram(qp)) {
        const struct iba_ah *ah = handle(ca, qp, &p->e->wr);
        if (!ah) {
            iba_requester_fault(ca, qp, IBA_WC_LOCAL_QP_OPERATION);
            return false;
        }
        envelope = ah->envelope;
        tx->envelope = ah->envelope_bytes;
    }
    memcpy(tx->buf, envelope, tx->envelope);
    uint8_t *const bth = tx->buf + tx->envelope;
    write_bth(qp, p, tx, bth);
    if (iba_is_context(qp) && IBA_DEVIATES(ca, rd, PKEY_OF_CONTEXT))
        iba_bth_set_p_key(bth, PKEY_SMI);
    uint8_t *const at = write_value(p, write_reach(p, write_address(ca, qp, p, bth + IBA_BYTES_bth)));
    if (!write_payload(ca, qp, p, now, at))
        return false;
    tx->body = (size_t)(at - bth) + p->payload + ((0 - p->payload) & 3);
    return true;
}

bool iba_request_write(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now,
                       struct iba_tx *tx)
{
    if (iba_qp_is_raw(qp))
        return build_raw(ca, qp, p, now, tx);
    if (!build(ca, qp, p, now, tx))
        return false;
    note_asked(ca, qp, iba_sqe_at(qp, qp->s.next), p->ask, now);
    return true;
}
