/* SPDX-License-Identifier: BSD-2-Clause */
/* UD receiver (section 9.8.3; catalogue 5.2), the management QPs, and raw datagrams (section 9.8.4; catalogue 5.4). */
#include <string.h>
#include "transport/deviations.h"
#include "transport/iba_recv.h"
#include "transport/iba_wr_ops.h"

enum { GRH_AREA = 40, MAD_BYTES = 256 };

static bool raw(const struct iba_rx *x)
{
    return !x->bth;
}

static const uint8_t *lrh(const struct iba_rx *x)
{
    return iba_view_hdr(x->v, IBA_H_lrh);
}

/* The data that is delivered after the GRH area; of a raw packet, everything after the LRH. */
static const uint8_t *data(const struct iba_rx *x)
{
    return raw(x) ? lrh(x) + IBA_BYTES_lrh : iba_rx_data(x);
}

static uint32_t data_bytes(const struct iba_rx *x)
{
    return raw(x) ? (uint32_t)(x->v->wire + x->v->end - data(x)) : x->v->payload_len;
}

/* The network header, which is written at the end of the GRH area: all 40 bytes for a GRH or IPv6 header, the last 20
 * bytes for IPv4 (UU-21, UU-22). 0: there is none. */
static uint32_t network_header(const struct iba_rx *x, const uint8_t **at)
{
    *at = x->v->wire + x->v->l3_at;
    if (raw(x))
        return 0;
    if (x->v->l3 == IBA_H_ipv4)
        return IBA_BYTES_ipv4;
    if (x->v->l3 == IBA_H_ipv6)
        return IBA_BYTES_ipv6;
    if (!iba_view_has(x->v, IBA_H_grh))
        return 0;
    *at = iba_view_hdr(x->v, IBA_H_grh);
    return IBA_BYTES_grh;
}

static struct iba_grh_area area(const struct iba_rx *x)
{
    struct iba_grh_area a = {.bytes = raw(x) ? 0 : GRH_AREA};

    a.n = network_header(x, &a.header);
    a.at = GRH_AREA - a.n;
    if (x->ca->deviate)
        x->ca->deviate->grh_area(x, &a);
    return a;
}

static bool longer_than_mtu(const struct iba_rx *x)
{
    return !raw(x) && x->v->payload_len > iba_mtu_bytes((enum iba_mtu)x->port->mtu);
}

static bool no_mad(const struct iba_rx *x)
{
    return (x->qp->type == IBA_QPT_SMI || x->qp->type == IBA_QPT_GSI) && x->v->payload_len != MAD_BYTES;
}

static bool no_wqe(const struct iba_rx *x)
{
    return !iba_rx_wqe(x);
}

static bool too_long(const struct iba_rx *x)
{
    const struct iba_recv_wr *w = iba_rx_wqe(x);

    return w && /* NULL: a mutant lacks a row */
           (uint64_t)area(x).bytes + data_bytes(x) > iba_recv_room(w);
}

static enum iba_wc_status check(const struct iba_rx *x, const struct iba_recv_wr *w, bool *absent)
{
    return iba_recv_check(x->ca, iba_rx_recv_pd(x), w, 0, area(x).bytes + data_bytes(x), absent);
}

/* Without a receive these rows do not apply: a broken engine may lack the row no_wqe. */
static bool receive_protected(const struct iba_rx *x)
{
    const struct iba_recv_wr *w = iba_rx_wqe(x);
    bool absent;

    return w && check(x, w, &absent) != IBA_WC_SUCCESS;
}

static bool receive_absent(const struct iba_rx *x)
{
    const struct iba_recv_wr *w = iba_rx_wqe(x);
    bool absent;

    return w && check(x, w, &absent) == IBA_WC_SUCCESS && absent;
}

/* ---- actions ---- */

static void scatter(struct iba_rx *x, uint64_t at, const uint8_t *from, uint32_t n)
{
    const struct iba_recv_wr *w = &x->qp->r.wqe;
    bool absent;

    (void)iba_recv_scatter(x->ca, iba_rx_recv_pd(x), w, at, from, n, &absent); /* checked by a row */
}

static uint8_t flags(const struct iba_rx *x)
{
    const uint8_t *header;
    const bool grh = network_header(x, &header) > 0;

    return (uint8_t)((grh ? IBA_WC_GRH : 0) | (iba_rx_imm(x) ? IBA_WC_WITH_IMM : 0) |
                     (x->bth && iba_bth_se(x->bth) ? IBA_WC_SOLICITED : 0));
}

/* Reports the sender's address, which a reply needs (UU-23). */
static void report_source(const struct iba_rx *x, struct iba_wc *wc)
{
    if (x->port->kind == IBA_PORT_IB) {
        wc->slid = iba_lrh_slid(lrh(x));
        wc->sl = iba_lrh_sl(lrh(x));
        wc->path_bits = (uint8_t)(iba_lrh_dlid(lrh(x)) & ((1u << x->port->lmc) - 1));
    }
    if (raw(x))
        return;
    if (iba_view_has(x->v, IBA_H_deth)) /* a changed table may lack the DETH */
        wc->src_qpn = iba_deth_srcqp(iba_rx_hdr(x, IBA_H_deth));
    wc->pkey_index = iba_rx_pkey_index(x);
    if (iba_rx_imm(x))
        wc->imm_or_key = iba_immdt_data(iba_rx_hdr(x, IBA_H_immdt));
}

static void complete(struct iba_rx *x, enum iba_wc_status status)
{
    const struct iba_qp *qp = x->qp;
    struct iba_wc wc = {
        .wr_id = qp->r.wqe.wr_id,
        .status = (uint8_t)status,
        .op = IBA_WR_RECV,
        .flags = flags(x),
        .byte_len = area(x).bytes + data_bytes(x),
        .qpn = qp->qpn,
        .srqn = qp->srq == IBA_NONE ? 0 : qp->srq,
    };

    report_source(x, &wc);
    iba_rx_report(x, &wc);
}

static void deliver(struct iba_rx *x)
{
    const struct iba_grh_area a = area(x);

    iba_rx_take_wqe(x);
    if (a.n > 0)
        scatter(x, a.at, a.header, a.n);
    scatter(x, a.bytes, data(x), data_bytes(x));
    complete(x, IBA_WC_SUCCESS);
}

/* Class A: the fault is in the receive WQE, so the QP fails. */
static void fail(struct iba_rx *x)
{
    iba_rx_take_wqe(x);
    complete(x, IBA_WC_LOCAL_PROTECTION);
    iba_rx_fail(x);
}

/* UD ignores PSN and order of packets (UU-17), so no row checks them. A datagram that is too long leaves the WQE in the
 * queue (UU-20; catalogue 11.1, 21). */
/* clang-format off */
/*    name               when               then         the datagram ...                                            clause */
#define UD_RULES(R)                                                                                                                \
    R(longer_than_mtu,   longer_than_mtu,   iba_rx_drop, "is longer than the port's MTU",                            "UU-16")      \
    R(no_mad,            no_mad,            iba_rx_drop, "is for QP0 or QP1, and not of 256 bytes",                  "UU-26")      \
    R(no_wqe,            no_wqe,            iba_rx_drop, "finds no receive WQE",                                     "UU-19")      \
    R(too_long,          too_long,          iba_rx_drop, "is longer than the receive WQE",                           "UU-20")      \
    R(receive_protected, receive_protected, fail,        "needs a receive buffer that its WQE may not write",        "UU-29")      \
    R(receive_absent,    receive_absent,    iba_rx_drop, "needs a receive buffer whose page is absent",              "UU-19")      \
    R(raw,               raw,               deliver,     "is raw: everything after the LRH is delivered",            "UU-40")      \
    R(datagram,          iba_rx_any,        deliver,     "is delivered after 40 bytes for its GRH",                  "UU-21")
/* clang-format on */

IBA_RULE_TABLE(UD_RULES, iba_ud_receiver_rules, "UD receiver")
