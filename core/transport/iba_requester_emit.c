/* SPDX-License-Identifier: BSD-2-Clause */
/* Request packets: envelope, BTH, extension headers, payload, pad (catalogue 4.1; WF-28, WF-31, WF-64). */
#include <string.h>
#include "transport/iba_requester.h"

enum {
    QPN_MULTICAST = 0xffffff,
    PKEY_SMI = 0xffff, /* PV-14 */
    PKEY_DEFAULT = 0xffff,
    PKEY_FULL_MEMBER = 0x8000,
    RESERVED_BITS = 0x55,
    RAW_BODY_LEAST = 12, /* bytes behind the LRH (WF-09) */
};

/* The packet to write. */
struct packet {
    const struct iba_sqe *e;
    uint64_t offset; /* bytes of the message before it */
    size_t payload;
    uint64_t hdrs;
    uint8_t opcode;
    bool last, ask; /* of its message; AckReq */
    bool again;     /* it was sent before */
};

/* RQ-05; a message beyond the credit limit asks with its first packet (RQ-41). */
static bool asks(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e, bool last)
{
    if (!iba_qp_is_reliable(qp)) /* WF-38 */
        return false;
    return last || qp->s.unasked + 1 >= IBA_ACKREQ_EVERY ||
           (iba_sqe_is(e, IBA_FORM_RECEIVED) && iba_psn_eq(qp->s.next_psn, e->first) &&
            iba_requester_limited(ca, qp, e->ssn) && IBA_KEEPS(ca, requester, credit_asks));
}

/* The operation whose opcodes the message is sent with. */
static unsigned operation(const struct iba_change *c, const struct iba_sqe *e)
{
    const uint8_t op = e->wr.op;

    if (op == IBA_WR_SEND_INV && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_invalidate)) /* RQ-17 */
        return IBA_WR_SEND;
    if ((op == IBA_WR_SEND_IMM || op == IBA_WR_WRITE_IMM) &&
        !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_immediate)) /* WF-54 */
        return op == IBA_WR_SEND_IMM ? IBA_WR_SEND : IBA_WR_WRITE;
    return iba_row_in_ring(c, &iba_operation_behaviours, op);
}

static unsigned position(const struct iba_change *c, const struct packet *p, bool first)
{
    const enum iba_pos pos = first ? (p->last ? IBA_ONLY : IBA_FIRST) : (p->last ? IBA_LAST : IBA_MIDDLE);

    if (p->again && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_again_opcode)) /* RQ-06 */
        return p->last ? IBA_ONLY : IBA_FIRST;
    return iba_row_in_ring(c, &iba_position_behaviours, pos);
}

static struct packet plan(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    const unsigned shift = iba_request_shift(ca, qp, e);
    const uint64_t index = (qp->s.next_psn.v - e->first.v) & IBA_PSN_MASK;
    const bool read = e->wr.op == IBA_WR_READ, last = read || iba_psn_eq(qp->s.next_psn, e->last);
    struct packet p = {.e = e, .offset = index << shift, .last = last, .ask = asks(ca, qp, e, last)};

    p.again = iba_psn_diff(qp->s.next_psn, qp->s.high_psn) < 0;
    p.opcode = (uint8_t)(iba_qp_service_bits(qp) |
                         iba_send_forms[operation(ca->change, e)].opcode[position(ca->change, &p, index == 0)]);
    p.hdrs = iba_opcodes[p.opcode].hdrs;
    if (iba_sqe_is(e, IBA_FORM_PAYLOAD))
        p.payload = last ? (size_t)(e->length - p.offset) : (size_t)1 << shift;
    if (p.payload > IBA_PAYLOAD_MOST) /* only a changed device comes here */
        p.payload = IBA_PAYLOAD_MOST;
    return p;
}

static bool has(const struct packet *p, enum iba_hdr h)
{
    return (p->hdrs >> h & 1) != 0;
}

static uint16_t pkey_of(const struct iba_change *c, const struct iba_qp *qp, const struct iba_tx *tx)
{
    uint16_t pkey = tx->port->pkey[qp->attr.pkey_index]; /* WF-35 */

    if (qp->type == IBA_QPT_SMI && iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_pkey_smi))
        return PKEY_SMI;
    if (!iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_pkey))
        return PKEY_DEFAULT;
    if (!iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_pkey_membership))
        pkey |= PKEY_FULL_MEMBER;
    return pkey;
}

/* WF-28 */
static bool is_solicited(const struct iba_change *c, const struct packet *p)
{
    const bool wanted = p->e->wr.flags & IBA_WR_SOLICITED
                            ? iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_solicited)
                            : iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_solicited);
    return wanted && (p->last || !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_solicited_last)) &&
           (iba_sqe_is(p->e, IBA_FORM_RECEIVED) ||
            !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_solicited_receive));
}

/* WF-30 */
static bool has_migrated(const struct iba_change *c, const struct iba_qp *qp)
{
    return (qp->attr.path_mig == IBA_PATH_MIGRATED && iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_mig_req)) ||
           iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_mig_req);
}

static bool ack_req(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p)
{
    if (p->last && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_ack_req_last)) /* RQ-05 */
        return false;
    return p->ask || (p->last && !iba_qp_is_reliable(qp) &&
                      !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_ack_req_reliable)); /* WF-38 */
}

static uint32_t wire_psn(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p)
{
    iba_psn psn = qp->s.next_psn;

    if (!iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_psn_next))
        psn = p->e->first;
    if (p->again && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_again_psn))
        psn = qp->s.high_psn;
    if (iba_qp_is_datagram(qp) && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_psn_datagram))
        psn = iba_psn_of(qp->attr.sq_psn);
    return iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_psn_24_bits) ? psn.v & 0xffff : psn.v;
}

static uint32_t dest_qpn(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p)
{
    if (iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_dest_qpn))
        return qp->qpn;
    return iba_qp_is_datagram(qp) ? p->e->wr.remote_qpn : qp->attr.dest_qpn;
}

static void write_bth(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p,
                      const struct iba_tx *tx, uint8_t *bth)
{
    memset(bth, 0, IBA_BYTES_bth);
    iba_bth_set_opcode(bth, p->opcode);
    iba_bth_set_se(bth, is_solicited(c, p));
    iba_bth_set_m(bth, has_migrated(c, qp));
    iba_bth_set_padcnt(bth, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_pad_count) ? (0 - p->payload) & 3 : 0);
    iba_bth_set_tver(bth, !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_tver));
    iba_bth_set_p_key(bth, pkey_of(c, qp, tx));
    iba_bth_set_fecn(bth, !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_congestion_bits));
    iba_bth_set_reserved7(bth, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_bth_reserved) ? 0 : RESERVED_BITS);
    iba_bth_set_destqp(bth, dest_qpn(c, qp, p));
    iba_bth_set_a(bth, ack_req(c, qp, p));
    iba_bth_set_psn(bth, wire_psn(c, qp, p));
}

/* PV-21 */
static uint32_t qkey_of(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p)
{
    const uint32_t given = p->e->wr.remote_qkey;
    const bool controlled = given >> 31 ? iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_controlled_qkey)
                                        : iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_controlled_qkey);

    return controlled ? qp->attr.qkey : given;
}

/* What addresses someone: XRCETH, DETH. */
static uint8_t *write_address(const struct iba_change *c, const struct iba_qp *qp, const struct packet *p, uint8_t *at)
{
    if (has(p, IBA_H_deth)) {
        memset(at, 0, IBA_BYTES_deth);
        iba_deth_set_q_key(at, qkey_of(c, qp, p));
        iba_deth_set_reserved8(at,
                               iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_deth_reserved) ? 0 : RESERVED_BITS);
        iba_deth_set_srcqp(at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_source_qpn) ? qp->qpn : 0);
        at += IBA_BYTES_deth;
    }
    if (has(p, IBA_H_xrceth)) {
        memset(at, 0, IBA_BYTES_xrceth);
        iba_xrceth_set_srqn(at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_xrc_srqn) ? p->e->wr.xrc_srqn : 0);
        at += IBA_BYTES_xrceth;
    }
    return at;
}

static uint8_t *write_reth(const struct iba_change *c, const struct packet *p, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;
    const bool read = wr->op == IBA_WR_READ, part = iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_reth_length);
    const uint64_t va =
        wr->va + (read && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_read_rest_va) ? 0 : p->offset);
    const uint64_t rest =
        p->e->length - (read && !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_read_rest_length) ? 0 : p->offset);

    iba_reth_set_va(at, iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_reth_va) ? va & UINT32_MAX : va);
    iba_reth_set_r_key(at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_reth_rkey) ? wr->rkey : 0);
    iba_reth_set_dmalen(at, part && !read ? p->payload : rest);
    return at + IBA_BYTES_reth;
}

static uint8_t *write_atomic(const struct iba_change *c, const struct packet *p, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;
    const bool swap = wr->op == IBA_WR_CMP_SWAP,
               turned = swap && iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_atomic_operands);
    const uint64_t to_compare = swap || !iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_atomic_no_compare)
                                    ? wr->compare_add
                                    : 0; /* WF-45 */
    const uint64_t value = swap ? wr->swap : wr->compare_add;

    iba_atomiceth_set_va(at, wr->va);
    iba_atomiceth_set_r_key(at, wr->rkey);
    iba_atomiceth_set_swapdt(at, turned ? to_compare : value);
    iba_atomiceth_set_cmpdt(at, turned ? value : to_compare);
    return at + IBA_BYTES_atomiceth;
}

/* What reaches for remote memory: FETH, RETH, AtomicETH. A READ asked again names what is missing (RQ-07). */
static uint8_t *write_reach(const struct iba_change *c, const struct packet *p, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;

    if (has(p, IBA_H_feth)) {
        memset(at, 0, IBA_BYTES_feth);
        iba_feth_set_selectivity(
            at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_flush_selectivity) ? wr->flush_selectivity : 0);
        iba_feth_set_placement(
            at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_flush_placement) ? wr->flush_placement : 1);
        at += IBA_BYTES_feth;
    }
    if (has(p, IBA_H_reth))
        at = write_reth(c, p, at);
    if (has(p, IBA_H_atomiceth))
        at = write_atomic(c, p, at);
    return at;
}

static uint32_t reversed(uint32_t v)
{
    return v << 24 | (v << 8 & 0xff0000) | (v >> 8 & 0xff00) | v >> 24;
}

static uint8_t *write_value(const struct iba_change *c, const struct packet *p, uint8_t *at)
{
    const uint32_t value = p->e->wr.imm_or_key;

    if (has(p, IBA_H_immdt)) {
        iba_immdt_set_data(at, iba_deviates(c, &iba_packet_behaviours, IBA_ROW_packet_immediate_order) ? reversed(value)
                                                                                                       : value);
        at += IBA_BYTES_immdt;
    }
    if (has(p, IBA_H_ieth)) {
        iba_ieth_set_r_key(at, iba_keeps(c, &iba_packet_behaviours, IBA_ROW_packet_invalidate_key) ? value : 0);
        at += IBA_BYTES_ieth;
    }
    return at;
}

/* QS-82. The envelope in a handle is one of its port's kind of network: that no change gets around. */
static bool is_usable(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_ah *ah)
{
    if (!ah->used || (ah->pd != qp->pd && IBA_KEEPS(ca, posting, handle_domain)))
        return false;
    return ah->av.port == qp->attr.port ||
           (!IBA_KEEPS(ca, posting, handle_port) && ah->av.port >= 1 && ah->av.port <= ca->n_port &&
            ca->port[ah->av.port - 1].kind == ca->port[qp->attr.port - 1].kind);
}

/* The address handle of a datagram; NULL: it is gone, of another domain, or of another port. */
static const struct iba_ah *handle(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_send_wr *wr)
{
    const struct iba_ah *ah = wr->ah < ca->n_ah ? &ca->ah[wr->ah] : NULL;

    if (!ah || !is_usable(ca, qp, ah))
        return NULL;
    /* WF-26: a multicast packet has a GRH. */
    return wr->remote_qpn == QPN_MULTICAST && !iba_qp_is_raw(qp) && !ah->av.grh &&
                   ca->port[qp->attr.port - 1].kind == IBA_PORT_IB && IBA_KEEPS(ca, posting, multicast_grh)
               ? NULL
               : ah;
}

/* Payload straight into the packet, and zeros behind it (WF-31). */
static bool write_payload(struct iba_ca *ca, struct iba_qp *qp, const struct packet *p, iba_time now, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;
    const uint64_t from = p->again && !iba_keeps(ca->change, &iba_packet_behaviours, IBA_ROW_packet_again_payload)
                              ? 0
                              : p->offset; /* RQ-06 */
    bool absent = false;
    enum iba_wc_status status;

    if (p->payload == 0)
        return true;
    status = iba_sgl_gather(ca, qp->pd, wr->sge, wr->n_sge, from, at, p->payload, &absent);
    if (absent && IBA_KEEPS(ca, requester, page_waits)) {
        qp->s.page_due = now + IBA_PAGE_WAIT_NS;
        return false;
    }
    if (absent)
        status = IBA_WC_LOCAL_PROTECTION;
    if (status != IBA_WC_SUCCESS && !IBA_KEEPS(ca, requester, fault_stops)) {
        memset(at, 0, p->payload);
    } else if (status != IBA_WC_SUCCESS) {
        iba_requester_fault(ca, qp, status); /* RQ-13 */
        return false;
    }
    memset(at + p->payload, 0, (0 - p->payload) & 3);
    return true;
}

/* LRH, then RWH or the caller's own IPv6 header (WF-02, WF-58): there is no BTH and no ICRC. */
static bool build_raw(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    const struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
    const struct iba_ah *ah = handle(ca, qp, &e->wr);
    const size_t length = e->length < IBA_PAYLOAD_MOST ? (size_t)e->length : IBA_PAYLOAD_MOST;
    const struct packet p = {.e = e, .payload = length, .last = true};
    size_t body;
    uint8_t *at = tx->buf + IBA_BYTES_lrh;

    if (!ah || tx->port->kind != IBA_PORT_IB) { /* UU-42 */
        iba_requester_fault(ca, qp, IBA_WC_LOCAL_QP_OPERATION);
        return false;
    }
    memcpy(tx->buf, ah->envelope, IBA_BYTES_lrh);
    iba_lrh_set_lnh(tx->buf, (qp->type == IBA_QPT_RAW_IPV6) !=
                                 iba_deviates(ca->change, &iba_packet_behaviours, IBA_ROW_packet_raw_kind));
    if (qp->type == IBA_QPT_RAW_ETHERTYPE) {
        memset(at, 0, IBA_BYTES_rwh);
        iba_rwh_set_etype(
            at, iba_keeps(ca->change, &iba_packet_behaviours, IBA_ROW_packet_raw_ethertype) ? e->wr.imm_or_key : 0);
        at += IBA_BYTES_rwh;
    }
    if (!write_payload(ca, qp, &p, now, at))
        return false;
    tx->envelope = IBA_BYTES_lrh;
    body = (size_t)(at - tx->buf) - IBA_BYTES_lrh + p.payload + ((0 - p.payload) & 3);
    if (body < RAW_BODY_LEAST) { /* only a changed device comes here */
        memset(tx->buf + IBA_BYTES_lrh + body, 0, RAW_BODY_LEAST - body);
        body = RAW_BODY_LEAST;
    }
    tx->body = body;
    return true;
}

/* What was sent asks for an answer: the timer runs from the first such packet (RQ-20). */
static void note_asked(const struct iba_ca *ca, struct iba_qp *qp, struct iba_sqe *e, const struct packet *p,
                       iba_time now)
{
    if (e->wr.op == IBA_WR_READ)
        e->asked = qp->s.next_psn;
    if (!p->ask) {
        qp->s.unasked++;
        return;
    }
    qp->s.unasked = 0;
    qp->s.asked = iba_psn_add(e->wr.op == IBA_WR_READ ? e->last : qp->s.next_psn, 1);
    if (qp->s.ack_due == IBA_NEVER || !IBA_KEEPS(ca, requester, timer_not_pushed))
        iba_requester_restart_timer(ca, qp, now);
}

bool iba_requester_build(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
    const struct packet p = plan(ca, qp, e);
    const struct iba_change *c = ca->change;
    const uint8_t *envelope = qp->envelope;
    uint8_t *bth, *at;

    tx->envelope = qp->envelope_bytes;
    if (iba_qp_is_raw(qp))
        return build_raw(ca, qp, now, tx);
    if (iba_qp_is_datagram(qp)) {
        const struct iba_ah *ah = handle(ca, qp, &e->wr);
        if (!ah) {
            iba_requester_fault(ca, qp, IBA_WC_LOCAL_QP_OPERATION);
            return false;
        }
        envelope = ah->envelope;
        tx->envelope = ah->envelope_bytes;
    }
    memcpy(tx->buf, envelope, tx->envelope);
    bth = tx->buf + tx->envelope;
    write_bth(c, qp, &p, tx, bth);
    at = write_value(c, &p, write_reach(c, &p, write_address(c, qp, &p, bth + IBA_BYTES_bth)));
    if (!write_payload(ca, qp, &p, now, at))
        return false;
    tx->body = (size_t)(at - bth) + p.payload + ((0 - p.payload) & 3);
    note_asked(ca, qp, e, &p, now);
    return true;
}
