/* SPDX-License-Identifier: BSD-2-Clause */
/* QP1 of each port carries datagrams between the adapter and the connection manager. */
#include "adapter/iba_gsi.h"
#include <string.h>
#include "transport/iba_rx_path.h"
#include "wire/iba_opcode_rows.h"

/* ---- QP1 ---- */

static enum iba_verb_err post(struct iba_gsi *g)
{
    const struct iba_recv_wr wr = {.n_sge = 1, .sge = {{(uintptr_t)g->buffer, IBA_GSI_BYTES, g->lkey}}};

    return iba_post_recv(g->ca, 1, &wr);
}

static enum iba_verb_err ready(struct iba_gsi *g)
{
    static const struct {
        uint8_t state;
        uint32_t mask;
    } steps[] = {{IBA_QPS_INIT, IBA_QPA_STATE | IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY},
                 {IBA_QPS_RTR, IBA_QPA_STATE},
                 {IBA_QPS_RTS, IBA_QPA_STATE | IBA_QPA_SQ_PSN}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct iba_qp_attr a = {.state = steps[i].state, .qkey = IBA_GSI_QKEY, .sq_psn = g->psn};
        const enum iba_verb_err e = iba_modify_qp(g->ca, 1, &a, steps[i].mask);
        if (e != IBA_VERB_OK)
            return e;
    }
    return post(g);
}

enum iba_verb_err iba_gsi_open(struct iba_gsi *g, struct iba_ca *ca, struct iba_cm *cm)
{
    uint32_t rkey, qpn;
    enum iba_verb_err e;

    memset(g, 0, sizeof *g);
    g->ca = ca;
    g->cm = cm;
    g->psn = iba_random_psn(ca);
    if (iba_pd_create(&ca->mem, &g->pd) != IBA_MEM_OK)
        return IBA_VERB_FULL;
    const struct iba_mr_attr mr = {.base = g->buffer,
                                   .length = sizeof g->buffer,
                                   .iova = (uintptr_t)g->buffer,
                                   .pd = g->pd,
                                   .access = IBA_ACCESS_LOCAL_WRITE};
    if (iba_mr_register(&ca->mem, &mr, &g->lkey, &rkey) != IBA_MEM_OK)
        return IBA_VERB_FULL;
    e = iba_create_cq(ca, &g->cq, g->ring, sizeof g->ring / sizeof *g->ring, &g->cqn);
    if (e != IBA_VERB_OK)
        return e;
    const struct iba_qp_init init = {.type = IBA_QPT_GSI,
                                     .pd = g->pd,
                                     .send_cq = g->cqn,
                                     .recv_cq = g->cqn,
                                     .srq = IBA_NONE,
                                     .sq = g->sq,
                                     .rq = g->rq,
                                     .n_sq = 1,
                                     .n_rq = 2};
    e = iba_create_qp(ca, &g->qp, &init, &qpn);
    return e == IBA_VERB_OK ? ready(g) : e;
}

/* ---- packets in ---- */

/* Saves the path back to the sender from the frame, since a completion names neither MAC address nor VLAN. */
void iba_gsi_feed(struct iba_gsi *g, uint8_t port, const struct iba_view *v, iba_time now)
{
    struct iba_cm_source from = {.port = port};
    const struct iba_rx x = {.ca = g->ca, .port = iba_ca_port(g->ca, port), .v = v, .now = now};
    struct iba_wc wc;

    iba_ca_feed(g->ca, port, v, now);
    while (iba_poll_cq(g->ca, g->cqn, &wc) > 0) {
        const bool whole = wc.status == IBA_WC_SUCCESS && wc.byte_len == IBA_GSI_BYTES;
        if (whole && iba_madhdr_mgmtclass(g->buffer + IBA_GSI_GRH) == IBA_CLASS_CM &&
            iba_rx_return_path(&x, &from.av)) {
            from.pkey = x.port->pkey[wc.pkey_index];
            iba_cm_feed(g->cm, &from, g->buffer + IBA_GSI_GRH, now);
        } else {
            g->foreign++;
        }
        (void)post(g); /* the receive queue has a free entry, since its receive has completed */
    }
}

/* ---- packets out ---- */

enum iba_err iba_gsi_poll(struct iba_gsi *g, uint8_t *port, uint8_t *buf, size_t cap, size_t *len, iba_time now)
{
    struct iba_cm_datagram d;

    (void)now;
    *len = 0;
    if (cap < IBA_TX_MOST)
        return IBA_NO_ROOM;
    if (!iba_cm_poll(g->cm, &d))
        return IBA_OK;
    *port = d.av.port;
    const struct iba_port *p = iba_ca_port(g->ca, d.av.port);
    const size_t envelope = iba_envelope_write(p, &d.av, 1, buf);
    uint8_t *bth = buf + envelope, *deth = bth + IBA_BYTES_bth;
    memset(bth, 0, IBA_BYTES_bth + IBA_BYTES_deth);
    iba_bth_set_opcode(bth, IBA_UD_SEND_ONLY);
    iba_bth_set_m(bth, 1); /* MigReq is 1 in state Migrated, which a QP without path migration is in */
    iba_bth_set_p_key(bth, d.pkey);
    iba_bth_set_destqp(bth, 1);
    iba_bth_set_psn(bth, g->psn++);
    iba_deth_set_q_key(deth, IBA_GSI_QKEY);
    iba_deth_set_srcqp(deth, 1);
    memcpy(deth + IBA_BYTES_deth, d.mad, sizeof d.mad);
    *len = iba_envelope_seal(p, buf, envelope, IBA_BYTES_bth + IBA_BYTES_deth + sizeof d.mad);
    return IBA_OK;
}
