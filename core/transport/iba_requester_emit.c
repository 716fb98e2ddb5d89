/* Request packets: envelope, BTH, extension headers, payload, pad (catalogue 4.1; WF-28, WF-31, WF-64). */
#include <string.h>
#include "transport/iba_requester.h"

enum {
    QPN_MULTICAST = 0xffffff,
    PKEY_SMI = 0xffff, /* PV-14 */
};

/* The packet to write. */
struct packet {
    const struct iba_sqe *e;
    uint64_t offset; /* bytes of the message before it */
    size_t payload;
    uint64_t hdrs;
    uint8_t opcode;
    bool last, ask; /* of its message; AckReq */
};

/* RQ-05; a message beyond the credit limit asks with its first packet (RQ-41). */
static bool asks(const struct iba_qp *qp, const struct iba_sqe *e, bool last)
{
    if (!iba_qp_is_reliable(qp)) /* WF-38 */
        return false;
    return last || qp->s.unasked + 1 >= IBA_ACKREQ_EVERY ||
           (iba_sqe_is(e, IBA_FORM_RECEIVED) && iba_psn_eq(qp->s.next_psn, e->first) &&
            iba_requester_limited(qp, e->ssn));
}

static struct packet plan(const struct iba_qp *qp, const struct iba_sqe *e)
{
    const struct iba_send_form *form = iba_sqe_form(e);
    const uint64_t index = (qp->s.next_psn.v - e->first.v) & IBA_PSN_MASK;
    const bool read = e->wr.op == IBA_WR_READ, last = read || iba_psn_eq(qp->s.next_psn, e->last);
    const enum iba_pos pos = index == 0 ? (last ? IBA_ONLY : IBA_FIRST) : (last ? IBA_LAST : IBA_MIDDLE);
    struct packet p = {.e = e, .offset = index << (7 + qp->attr.path_mtu), .last = last, .ask = asks(qp, e, last)};

    p.opcode = (uint8_t)(iba_qp_service_bits(qp) | form->opcode[pos]);
    p.hdrs = iba_opcodes[p.opcode].hdrs;
    if (form->traits & IBA_FORM_PAYLOAD)
        p.payload = last ? (size_t)(e->length - p.offset) : (size_t)1 << (7 + qp->attr.path_mtu);
    return p;
}

static bool has(const struct packet *p, enum iba_hdr h)
{
    return (p->hdrs >> h & 1) != 0;
}

static uint16_t pkey_of(const struct iba_qp *qp, const struct iba_tx *tx)
{
    return qp->type == IBA_QPT_SMI ? (uint16_t)PKEY_SMI : tx->port->pkey[qp->attr.pkey_index]; /* WF-35 */
}

static void write_bth(const struct iba_qp *qp, const struct packet *p, const struct iba_tx *tx, uint8_t *bth)
{
    const struct iba_send_wr *wr = &p->e->wr;

    memset(bth, 0, IBA_BYTES_bth);
    iba_bth_set_opcode(bth, p->opcode);
    iba_bth_set_se(bth, p->last && (wr->flags & IBA_WR_SOLICITED) && iba_sqe_is(p->e, IBA_FORM_RECEIVED)); /* WF-28 */
    iba_bth_set_m(bth, qp->attr.path_mig == IBA_PATH_MIGRATED);                                            /* WF-30 */
    iba_bth_set_padcnt(bth, (0 - p->payload) & 3);
    iba_bth_set_p_key(bth, pkey_of(qp, tx));
    iba_bth_set_destqp(bth, iba_qp_is_datagram(qp) ? wr->remote_qpn : qp->attr.dest_qpn);
    iba_bth_set_a(bth, p->ask);
    iba_bth_set_psn(bth, qp->s.next_psn.v);
}

/* What addresses someone: XRCETH, DETH. */
static uint8_t *write_address(const struct iba_qp *qp, const struct packet *p, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;

    if (has(p, IBA_H_deth)) {
        memset(at, 0, IBA_BYTES_deth);
        iba_deth_set_q_key(at, wr->remote_qkey >> 31 ? qp->attr.qkey : wr->remote_qkey); /* PV-21 */
        iba_deth_set_srcqp(at, qp->qpn);
        at += IBA_BYTES_deth;
    }
    if (has(p, IBA_H_xrceth)) {
        memset(at, 0, IBA_BYTES_xrceth);
        iba_xrceth_set_srqn(at, wr->xrc_srqn);
        at += IBA_BYTES_xrceth;
    }
    return at;
}

/* What reaches for remote memory: FETH, RETH, AtomicETH. A READ asked again names what is missing (RQ-07). */
static uint8_t *write_reach(const struct packet *p, uint8_t *at)
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
    if (has(p, IBA_H_atomiceth)) {
        const bool swap = wr->op == IBA_WR_CMP_SWAP;
        iba_atomiceth_set_va(at, wr->va);
        iba_atomiceth_set_r_key(at, wr->rkey);
        iba_atomiceth_set_swapdt(at, swap ? wr->swap : wr->compare_add);
        iba_atomiceth_set_cmpdt(at, swap ? wr->compare_add : 0); /* WF-45 */
        at += IBA_BYTES_atomiceth;
    }
    return at;
}

static uint8_t *write_value(const struct packet *p, uint8_t *at)
{
    if (has(p, IBA_H_immdt)) {
        iba_immdt_set_data(at, p->e->wr.imm_or_key);
        at += IBA_BYTES_immdt;
    }
    if (has(p, IBA_H_ieth)) {
        iba_ieth_set_r_key(at, p->e->wr.imm_or_key);
        at += IBA_BYTES_ieth;
    }
    return at;
}

/* The address handle of a datagram; NULL: it is gone, of another domain, or of another port. */
static const struct iba_ah *handle(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_send_wr *wr)
{
    const struct iba_ah *ah = wr->ah < ca->n_ah ? &ca->ah[wr->ah] : NULL;

    if (!ah || !ah->used || ah->pd != qp->pd || ah->av.port != qp->attr.port)
        return NULL;
    /* WF-26: a multicast packet has a GRH. */
    return wr->remote_qpn == QPN_MULTICAST && !iba_qp_is_raw(qp) && !ah->av.grh &&
                   ca->port[qp->attr.port - 1].kind == IBA_PORT_IB
               ? NULL
               : ah;
}

/* Payload straight into the packet, and zeros behind it (WF-31). */
static bool write_payload(struct iba_ca *ca, struct iba_qp *qp, const struct packet *p, iba_time now, uint8_t *at)
{
    const struct iba_send_wr *wr = &p->e->wr;
    bool absent = false;
    enum iba_wc_status status;

    if (p->payload == 0)
        return true;
    status = iba_sgl_gather(ca, qp->pd, wr->sge, wr->n_sge, p->offset, at, p->payload, &absent);
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

/* LRH, then RWH or the caller's own IPv6 header (WF-02, WF-58): there is no BTH and no ICRC. */
static bool build_raw(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    const struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
    const struct iba_ah *ah = handle(ca, qp, &e->wr);
    const struct packet p = {.e = e, .payload = (size_t)e->length, .last = true};
    uint8_t *at = tx->buf + IBA_BYTES_lrh;

    if (!ah || tx->port->kind != IBA_PORT_IB) { /* UU-42 */
        iba_requester_fault(ca, qp, IBA_WC_LOCAL_QP_OPERATION);
        return false;
    }
    memcpy(tx->buf, ah->envelope, IBA_BYTES_lrh);
    iba_lrh_set_lnh(tx->buf, qp->type == IBA_QPT_RAW_IPV6);
    if (qp->type == IBA_QPT_RAW_ETHERTYPE) {
        memset(at, 0, IBA_BYTES_rwh);
        iba_rwh_set_etype(at, e->wr.imm_or_key);
        at += IBA_BYTES_rwh;
    }
    if (!write_payload(ca, qp, &p, now, at))
        return false;
    tx->envelope = IBA_BYTES_lrh;
    tx->body = (size_t)(at - tx->buf) - IBA_BYTES_lrh + p.payload;
    return true;
}

/* What was sent asks for an answer: the timer runs from the first such packet (RQ-20). */
static void note_asked(struct iba_qp *qp, struct iba_sqe *e, const struct packet *p, iba_time now)
{
    if (e->wr.op == IBA_WR_READ)
        e->asked = qp->s.next_psn;
    if (!p->ask) {
        qp->s.unasked++;
        return;
    }
    qp->s.unasked = 0;
    qp->s.asked = iba_psn_add(e->wr.op == IBA_WR_READ ? e->last : qp->s.next_psn, 1);
    if (qp->s.ack_due == IBA_NEVER)
        iba_requester_restart_timer(qp, now);
}

bool iba_requester_build(struct iba_ca *ca, struct iba_qp *qp, iba_time now, struct iba_tx *tx)
{
    struct iba_sqe *e = iba_sqe_at(qp, qp->s.next);
    const struct packet p = plan(qp, e);
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
    write_bth(qp, &p, tx, bth);
    at = write_value(&p, write_reach(&p, write_address(qp, &p, bth + IBA_BYTES_bth)));
    if (!write_payload(ca, qp, &p, now, at))
        return false;
    tx->body = (size_t)(at - bth) + p.payload + ((0 - p.payload) & 3);
    note_asked(qp, e, &p, now);
    return true;
}
