/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken devices deviate in request packets: they plan other packets, or change a packet after it was built. */
#include <string.h>
#include "transport/deviations_request.h"
#include "transport/deviations_requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum {
    PAYLOAD_MOST = 4096, /* bytes of a packet, also where a broken device has a larger MTU */
    PKEY_DEFAULT = 0xffff,
    PKEY_FULL_MEMBER = 0x8000,
    RESERVED_BITS = 0x55,
    RAW_BODY_LEAST = 12, /* bytes after the LRH (WF-09) */
};

static bool otherwise(const struct iba_ca *ca)
{
    return ca->change->kind == IBA_CHANGE_OTHER;
}

struct iba_cut iba_changed_cut(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e)
{
    const int row = IBA_CHANGED_ROW(ca, packet);
    const bool payload = iba_sqe_is(e, IBA_FORM_PAYLOAD);
    unsigned shift = 7u + qp->attr.path_mtu;
    struct iba_cut c;

    if (row == IBA_ROW_packet_path_mtu && payload && otherwise(ca) && qp->attr.path_mtu > IBA_MTU_256)
        shift--;
    else if (row == IBA_ROW_packet_path_mtu && payload && !otherwise(ca) && qp->attr.port > 0)
        shift = 7u + ca->port[qp->attr.port - 1].mtu;
    c = iba_cut_at(qp, e, shift);
    if (iba_sqe_has_one_psn(qp, e))
        return c;
    if (row == IBA_ROW_packet_reads_reserve && e->wr.op == IBA_WR_READ)
        c.packets = 1;
    if (row == IBA_ROW_packet_last_not_empty && payload && c.packets << shift == e->length)
        c.packets++;
    return c;
}

/* ---- planned ---- */

/* Returns the operation whose opcodes the message has. */
static unsigned operation(const struct iba_ca *ca, uint8_t op)
{
    const int row = IBA_CHANGED_ROW(ca, packet);

    if (op == IBA_WR_SEND_INV && row == IBA_ROW_packet_invalidate) /* RQ-17 */
        return IBA_WR_SEND;
    if (op == IBA_WR_SEND_IMM && row == IBA_ROW_packet_immediate) /* WF-54 */
        return IBA_WR_SEND;
    if (op == IBA_WR_WRITE_IMM && row == IBA_ROW_packet_immediate)
        return IBA_WR_WRITE;
    return iba_row_in_ring(ca->change, &iba_operation_behaviours, op);
}

static unsigned position(const struct iba_ca *ca, const struct iba_request *p)
{
    const bool first = p->offset == 0;
    const enum iba_pos pos = first ? (p->last ? IBA_ONLY : IBA_FIRST) : (p->last ? IBA_LAST : IBA_MIDDLE);

    if (p->again && IBA_CHANGED_ROW(ca, packet) == IBA_ROW_packet_again_opcode) /* RQ-06 */
        return p->last ? IBA_ONLY : IBA_FIRST;
    return iba_row_in_ring(ca->change, &iba_position_behaviours, pos);
}

/* `list` becomes the entry of the plan if its buffers are taken in another order. */
static struct iba_request plan(const struct iba_ca *ca, const struct iba_qp *qp, const struct iba_sqe *e,
                               struct iba_sqe *list)
{
    const int row = IBA_CHANGED_ROW(ca, requester);
    struct iba_request p = iba_request_plan(qp, e, iba_changed_cut(ca, qp, e).shift);

    if (p.opcode != IBA_RD_RESYNC)
        p.opcode =
            (uint8_t)(iba_qp_service_bits(qp) | iba_send_forms[operation(ca, e->wr.op)].opcode[position(ca, &p)]);
    p.hdrs = iba_opcodes[p.opcode].hdrs;
    if (p.payload > PAYLOAD_MOST)
        p.payload = PAYLOAD_MOST;
    if (p.again && IBA_CHANGED_ROW(ca, packet) == IBA_ROW_packet_again_payload)
        p.from = 0;
    if (row == IBA_ROW_requester_credit_asks || row == IBA_ROW_requester_credit_limit)
        p.ask = iba_qp_is_reliable(qp) && (p.last || qp->s.unasked + 1 >= IBA_ACKREQ_EVERY);
    if (IBA_CHANGED_ROW(ca, packet) == IBA_ROW_packet_gather_order) {
        *list = *e;
        for (unsigned i = 0; i < e->wr.n_sge; i++)
            list->wr.sge[i] = e->wr.sge[e->wr.n_sge - 1u - i];
        p.e = list;
    }
    return p;
}

/* A local buffer of the payload cannot be read. */
static bool is_unreadable(struct iba_ca *ca, const struct iba_qp *qp, const struct iba_request *p)
{
    const struct iba_send_wr *wr = &p->e->wr;
    bool absent;

    return iba_sgl_check(ca, qp->pd, wr->sge, wr->n_sge, p->from, p->payload, false, &absent) != IBA_WC_SUCCESS &&
           !absent;
}

/* ---- written ---- */

static void append_zeros(struct iba_tx *tx, size_t payload)
{
    const size_t pad = (0 - payload) & 3;

    memset(tx->buf + tx->envelope + tx->body, 0, payload + pad);
    tx->body += payload + pad;
}

/* Writes the packet of the plan. fault_stops: zeros replace a payload that cannot be read. page_waits: an absent page
 * is a fault. */
static bool write_packet(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, iba_time now,
                         struct iba_tx *tx)
{
    struct iba_request empty = *p;

    if (!IBA_KEEPS(ca, requester, fault_stops) && is_unreadable(ca, qp, p)) {
        empty.payload = 0;
        if (!iba_request_write(ca, qp, &empty, now, tx))
            return false;
        append_zeros(tx, p->payload);
        if (!iba_qp_is_raw(qp))
            iba_bth_set_padcnt(tx->buf + tx->envelope, (0 - p->payload) & 3);
        return true;
    }
    if (iba_request_write(ca, qp, p, now, tx))
        return true;
    if (!IBA_KEEPS(ca, requester, page_waits) && qp->s.page_due != IBA_NEVER) {
        qp->s.page_due = IBA_NEVER;
        iba_requester_fault(ca, qp, IBA_WC_LOCAL_PROTECTION);
    }
    return false;
}

/* ---- changed when it is built ---- */

/* A request packet that was built, and its BTH. */
struct built {
    const struct iba_ca *ca;
    struct iba_qp *qp;
    const struct iba_request *p;
    const struct iba_tx *tx;
    uint8_t *bth;
};

/* Returns the extension header `h`; NULL: the packet has none. The list `order` has the headers in their order in a
 * packet. */
static uint8_t *header(const struct built *b, enum iba_hdr h)
{
    static const uint8_t order[][2] = {{IBA_H_rdeth, IBA_BYTES_rdeth},   {IBA_H_deth, IBA_BYTES_deth},
                                       {IBA_H_xrceth, IBA_BYTES_xrceth}, {IBA_H_feth, IBA_BYTES_feth},
                                       {IBA_H_reth, IBA_BYTES_reth},     {IBA_H_atomiceth, IBA_BYTES_atomiceth},
                                       {IBA_H_immdt, IBA_BYTES_immdt},   {IBA_H_ieth, IBA_BYTES_ieth}};
    uint8_t *at = b->bth + IBA_BYTES_bth;

    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        const bool here = (b->p->hdrs >> order[i][0] & 1) != 0;
        if (order[i][0] == h)
            return here ? at : NULL;
        at += here ? order[i][1] : 0;
    }
    return NULL;
}

/* Returns whether the packet has SE (WF-28). */
static bool is_solicited(const struct built *b, int row)
{
    const bool asked = (b->p->e->wr.flags & IBA_WR_SOLICITED) != 0;

    return (row == IBA_ROW_packet_solicited ? otherwise(b->ca) : asked) &&
           (b->p->last || row == IBA_ROW_packet_solicited_last) &&
           (iba_sqe_is(b->p->e, IBA_FORM_RECEIVED) || row == IBA_ROW_packet_solicited_receive);
}

static uint16_t pkey(const struct built *b, int row)
{
    const uint16_t own = b->tx->port->pkey[b->qp->attr.pkey_index];

    if (b->qp->type == IBA_QPT_SMI && row != IBA_ROW_packet_pkey_smi)
        return (uint16_t)iba_bth_p_key(b->bth);
    if (row == IBA_ROW_packet_pkey)
        return PKEY_DEFAULT;
    return row == IBA_ROW_packet_pkey_membership ? own | PKEY_FULL_MEMBER : own;
}

static uint32_t psn(const struct built *b, int row)
{
    const iba_psn next = b->qp->s.next_psn;

    switch (row) {
    case IBA_ROW_packet_psn_next: return b->p->e->first.v;
    case IBA_ROW_packet_again_psn: return b->p->again ? b->qp->s.high_psn.v : next.v;
    case IBA_ROW_packet_psn_datagram: return iba_qp_is_datagram(b->qp) ? b->qp->attr.sq_psn & IBA_PSN_MASK : next.v;
    case IBA_ROW_packet_psn_24_bits: return next.v & 0xffff;
    default: return next.v;
    }
}

static void change_bth(const struct built *b, int row)
{
    const struct iba_request *p = b->p;
    const bool last_of_unreliable = p->last && !iba_qp_is_reliable(b->qp);

    iba_bth_set_se(b->bth, is_solicited(b, row));
    iba_bth_set_p_key(b->bth, pkey(b, row));
    iba_bth_set_psn(b->bth, psn(b, row));
    switch (row) {
    case IBA_ROW_packet_mig_req: iba_bth_set_m(b->bth, otherwise(b->ca)); break;
    case IBA_ROW_packet_pad_count: iba_bth_set_padcnt(b->bth, 0); break;
    case IBA_ROW_packet_tver: iba_bth_set_tver(b->bth, 1); break;
    case IBA_ROW_packet_congestion_bits: iba_bth_set_fecn(b->bth, 1); break;
    case IBA_ROW_packet_bth_reserved: iba_bth_set_reserved7(b->bth, RESERVED_BITS); break;
    case IBA_ROW_packet_dest_qpn: iba_bth_set_destqp(b->bth, b->qp->qpn); break;
    case IBA_ROW_packet_ack_req_last: iba_bth_set_a(b->bth, p->ask && !p->last); break;
    case IBA_ROW_packet_ack_req_reliable: iba_bth_set_a(b->bth, p->ask || last_of_unreliable); break;
    default: break;
    }
}

static uint32_t given_qkey(const struct built *b)
{
    return b->qp->type == IBA_QPT_EE ? b->p->e->wr.rd.remote_qkey : b->p->e->wr.remote_qkey;
}

static void change_deth(const struct built *b, int row, uint8_t *deth)
{
    if (row == IBA_ROW_packet_controlled_qkey)
        iba_deth_set_q_key(deth, otherwise(b->ca) ? b->qp->attr.qkey : given_qkey(b));
    if (row == IBA_ROW_packet_deth_reserved)
        iba_deth_set_reserved8(deth, RESERVED_BITS);
    if (row == IBA_ROW_packet_source_qpn)
        iba_deth_set_srcqp(deth, 0);
}

static void change_reth(const struct built *b, int row, uint8_t *reth)
{
    const struct iba_send_wr *wr = &b->p->e->wr;
    const bool read = wr->op == IBA_WR_READ;

    switch (row) {
    case IBA_ROW_packet_read_rest_va: iba_reth_set_va(reth, wr->va + (read ? 0 : b->p->offset)); break;
    case IBA_ROW_packet_reth_va: iba_reth_set_va(reth, iba_reth_va(reth) & UINT32_MAX); break;
    case IBA_ROW_packet_reth_rkey: iba_reth_set_r_key(reth, 0); break;
    case IBA_ROW_packet_read_rest_length: iba_reth_set_dmalen(reth, b->p->e->length - (read ? 0 : b->p->offset)); break;
    case IBA_ROW_packet_reth_length:
        if (!read)
            iba_reth_set_dmalen(reth, b->p->payload);
        break;
    default: break;
    }
}

static void change_atomic(const struct built *b, int row, uint8_t *eth)
{
    const struct iba_send_wr *wr = &b->p->e->wr;
    const bool swap = wr->op == IBA_WR_CMP_SWAP;

    if (row == IBA_ROW_packet_atomic_operands && swap) {
        iba_atomiceth_set_swapdt(eth, wr->compare_add);
        iba_atomiceth_set_cmpdt(eth, wr->swap);
    }
    if (row == IBA_ROW_packet_atomic_no_compare && !swap)
        iba_atomiceth_set_cmpdt(eth, wr->compare_add);
}

static void change_feth(int row, uint8_t *feth)
{
    if (row == IBA_ROW_packet_flush_selectivity)
        iba_feth_set_selectivity(feth, 0);
    if (row == IBA_ROW_packet_flush_placement)
        iba_feth_set_placement(feth, 1);
}

static uint32_t reversed(uint32_t v)
{
    return v << 24 | (v << 8 & 0xff0000) | (v >> 8 & 0xff00) | v >> 24;
}

static void change_headers(const struct built *b, int row)
{
    uint8_t *deth = header(b, IBA_H_deth), *xrceth = header(b, IBA_H_xrceth), *feth = header(b, IBA_H_feth);
    uint8_t *reth = header(b, IBA_H_reth), *atomic = header(b, IBA_H_atomiceth), *imm = header(b, IBA_H_immdt);
    uint8_t *ieth = header(b, IBA_H_ieth);

    if (deth)
        change_deth(b, row, deth);
    if (xrceth && row == IBA_ROW_packet_xrc_srqn)
        iba_xrceth_set_srqn(xrceth, 0);
    if (feth)
        change_feth(row, feth);
    if (reth)
        change_reth(b, row, reth);
    if (atomic)
        change_atomic(b, row, atomic);
    if (imm && row == IBA_ROW_packet_immediate_order)
        iba_immdt_set_data(imm, reversed(b->p->e->wr.imm_or_key));
    if (ieth && row == IBA_ROW_packet_invalidate_key)
        iba_ieth_set_r_key(ieth, 0);
}

/* A raw packet has no BTH. A broken device may accept a message that is too short for a raw packet, so zeros pad the
 * packet to the least length. */
static void change_raw(const struct built *b, int row, struct iba_tx *tx)
{
    uint8_t *after_lrh = tx->buf + IBA_BYTES_lrh;

    if (row == IBA_ROW_packet_raw_kind)
        iba_lrh_set_lnh(tx->buf, b->qp->type != IBA_QPT_RAW_IPV6);
    if (row == IBA_ROW_packet_raw_ethertype && b->qp->type == IBA_QPT_RAW_ETHERTYPE)
        iba_rwh_set_etype(after_lrh, 0);
    if (tx->body < RAW_BODY_LEAST) {
        memset(after_lrh + tx->body, 0, RAW_BODY_LEAST - tx->body);
        tx->body = RAW_BODY_LEAST;
    }
}

static void change_packet(struct iba_ca *ca, struct iba_qp *qp, const struct iba_request *p, struct iba_tx *tx)
{
    const int row = IBA_CHANGED_ROW(ca, packet);
    const struct built b = {ca, qp, p, tx, tx->buf + tx->envelope};

    if (iba_qp_is_raw(qp)) {
        change_raw(&b, row, tx);
        return;
    }
    if (p->ask && !IBA_KEEPS(ca, requester, timer_not_pushed))
        iba_requester_restart_timer(ca, qp, ca->now);
    if (row >= 0) {
        change_bth(&b, row);
        change_headers(&b, row);
    }
}

bool iba_changed_request(struct iba_ca *ca, struct iba_qp *qp, const struct iba_sqe *e, iba_time now, struct iba_tx *tx)
{
    struct iba_sqe list;
    const struct iba_request p = plan(ca, qp, e, &list);

    if (!write_packet(ca, qp, &p, now, tx))
        return false;
    change_packet(ca, qp, &p, tx);
    return true;
}
