/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of XRC and of reliable datagrams for responder_rules.c: what causes each row that only these services have.
 * A function prepares the bed, and leaves the packet in b->r. */
#ifndef XRC_RD_REQUESTS_H
#define XRC_RD_REQUESTS_H
#include "receive.h"
#include "wire/iba_opcode_rows.h"

static inline void xrc_other_srq(struct bed *b)
{
    static struct iba_recv_wr ring[1];
    static struct iba_srq second;
    struct iba_xrc_srq_init init = {.ring = ring, .n = 1, .pd = b->pd, .cq = b->cq_number};
    uint32_t number;

    as_target(b, false);
    init.xrcd = b->rc.xrcd;
    MUST(iba_create_xrc_srq(&b->ca, &second, &init, &number));
    ask(b, IBA_XRC_WRITE_FIRST, 0, MTU);
    iba_reth_set_dmalen(PART(b, reth), MTU + 8);
    give(b);
    while (answer(b))
        ;
    ask(b, IBA_XRC_WRITE_LAST, 1, 8);
    iba_xrceth_set_srqn(PART(b, xrceth), number);
}

/* The packet b->r for the QP `rc`, with a PSN that is `ahead` after the expected one; no table has seen it. */
static inline struct iba_rx look_at(struct bed *b, int ahead, struct iba_qp *user)
{
    static struct iba_view v;
    const size_t len = built(&b->r, b->in, sizeof b->in);

    memset(&v, 0xee, sizeof v);
    iba_view_parse(&v, IBA_LINK_IB, b->in, len, len, NULL);
    return (struct iba_rx){.ca = &b->ca,
                           .port = iba_ca_port(&b->ca, 1),
                           .qp = &b->rc,
                           .user = user,
                           .v = &v,
                           .bth = iba_view_bth(&v),
                           .op = v.op,
                           .ahead = ahead,
                           .operation = (uint8_t)iba_opcode_operation(iba_bth_opcode(iba_view_bth(&v)))};
}

/* Makes RC's QP an EE context, and the QPs of UD and UC RD QPs. */
static inline void as_context(struct bed *b)
{
    b->rc.type = IBA_QPT_EE;
    b->rc.pd = b->rc.send_cq = b->rc.recv_cq = b->rc.srq = IBA_NONE;
    memset(&b->rc.ee, 0, sizeof b->rc.ee);
    b->rc.s.n = 1;
    b->ud.type = b->uc.type = IBA_QPT_RD;
    b->rc.rdd = b->ud.rdd = b->uc.rdd = 3;
    b->ud.attr.access = b->uc.attr.access = IBA_ACCESS_REMOTE;
    b->uc.attr.qkey = b->ud.attr.qkey;
}

static inline void ask_rd(struct bed *b, uint8_t opcode, int ahead, size_t payload, const struct iba_qp *to)
{
    ask(b, opcode, ahead, payload);
    iba_bth_set_destqp(PART(b, bth), to->qpn);
    iba_rdeth_set_eecnxt(PART(b, rdeth), b->rc.qpn);
    iba_deth_set_q_key(PART(b, deth), b->ud.attr.qkey);
    iba_deth_set_srcqp(PART(b, deth), 0x77);
}

static inline void rd_resync(struct bed *b)
{
    as_context(b);
    ask_rd(b, IBA_RD_RESYNC, 3, 0, &b->ud);
}

static inline void rd_qkey_differs(struct bed *b)
{
    as_context(b);
    ask_rd(b, IBA_RD_SEND_ONLY, 0, 8, &b->ud);
    iba_deth_set_q_key(PART(b, deth), b->ud.attr.qkey + 1);
}

static inline void rd_refused(struct bed *b)
{
    rd_qkey_differs(b);
    give(b);
    answer(b);
    ask_rd(b, IBA_RD_SEND_ONLY, 0, 8, &b->ud);
}

static inline void rd_no_receiver(struct bed *b)
{
    as_context(b);
    ask_rd(b, IBA_RD_SEND_ONLY, 0, 8, &b->rc);
}

static inline void rd_other_domain(struct bed *b)
{
    as_context(b);
    b->ud.rdd = 4;
    ask_rd(b, IBA_RD_SEND_ONLY, 0, 8, &b->ud);
}

static inline void rd_other_receiver(struct bed *b)
{
    as_context(b);
    ask_rd(b, IBA_RD_WRITE_FIRST, 0, MTU, &b->ud);
    iba_reth_set_dmalen(PART(b, reth), MTU + 8);
    give(b);
    while (answer(b))
        ;
    ask_rd(b, IBA_RD_WRITE_LAST, 1, 8, &b->uc);
}
#endif
