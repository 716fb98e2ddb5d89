/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "chaos.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

#define MAC UINT64_C(0x020000000001)

void chaos_place(struct chaos *c, unsigned end, bool remote, uint64_t most, uint64_t *va, uint32_t *length,
                 uint32_t *key)
{
    const struct chaos_plot *p = &c->end[end].plot[chaos_below(c, CHAOS_PLOTS)];
    uint64_t n;

    for (unsigned tries = 0; tries < CHAOS_PLOTS && !(p->alive && chaos_usable(c, end, p)); tries++)
        p = &c->end[end].plot[chaos_below(c, CHAOS_PLOTS)];
    const uint64_t bytes = p->alive ? p->length : 1;
    const uint64_t at = chaos_one_in(c, 2) ? 0 : chaos_below(c, bytes) & ~UINT64_C(7);
    n = chaos_one_in(c, 2) ? bytes - at : chaos_below(c, bytes - at + 1);
    if (chaos_one_in(c, 64))
        n += chaos_below(c, 3);
    *va = p->va + at;
    *length = (uint32_t)(n < most ? n : most);
    *key = remote ? p->rkey : p->lkey;
    if (remote && chaos_one_in(c, 16))
        *key = c->end[end].window[chaos_below(c, CHAOS_WINDOWS)];
    if (chaos_one_in(c, 256))
        *key ^= 1u << chaos_below(c, 32);
}

/* ---- fields ---- */

static uint8_t pick_opcode(struct chaos *c, const struct iba_qp *qp)
{
    static const uint8_t bits[IBA_QPT_COUNT] = {
        [IBA_QPT_RC] = 0x00,  [IBA_QPT_UC] = 0x20,      [IBA_QPT_UD] = 0x60,      [IBA_QPT_SMI] = 0x60,
        [IBA_QPT_GSI] = 0x60, [IBA_QPT_XRC_INI] = 0xa0, [IBA_QPT_XRC_TGT] = 0xa0, [IBA_QPT_EE] = 0x40};
    uint8_t op = 0;

    if (chaos_one_in(c, 64))
        return (uint8_t)iba_random_next(&c->r);
    if (chaos_one_in(c, 64))
        return IBA_CNP_IB + (uint8_t)chaos_below(c, 2);
    if (qp->r.op != 0xff && !chaos_one_in(c, 8)) { /* continues the unfinished message */
        const uint8_t first = (qp->r.op & 0x1f) >= IBA_RC_WRITE_FIRST ? IBA_RC_WRITE_FIRST : IBA_RC_SEND_FIRST;
        return bits[qp->type] | (uint8_t)(first + 1 + chaos_below(c, 3));
    }
    for (unsigned tries = 0; tries < 32; tries++) {
        op = bits[qp->type] | (uint8_t)chaos_below(c, 32);
        if (iba_opcodes[op].name)
            break;
    }
    return op;
}

static iba_psn pick_psn(struct chaos *c, const struct iba_qp *qp, const struct iba_opcode *op)
{
    iba_psn psn = qp->r.epsn;

    if (op->name && op->dir == IBA_RSP) {
        const uint32_t open = iba_psn_of(qp->s.high_psn.v - qp->s.una.v).v;
        psn = iba_psn_add(qp->s.una, (uint32_t)chaos_below(c, (uint64_t)open + 1));
    }
    if (chaos_one_in(c, 4))
        psn = iba_psn_add(psn, IBA_PSN_MASK - 7 + (uint32_t)chaos_below(c, 16));
    return chaos_one_in(c, 64) ? iba_psn_of((uint32_t)iba_random_next(&c->r)) : psn;
}

static size_t pick_payload(struct chaos *c, const struct iba_qp *qp, const struct iba_opcode *op)
{
    const size_t pmtu = (size_t)128 << (qp->attr.path_mtu & 3);

    if (chaos_one_in(c, 24))
        return chaos_below(c, 1100);
    if (qp->type == IBA_QPT_SMI || qp->type == IBA_QPT_GSI)
        return 256;
    switch (op->name ? op->pay : IBA_PAY_NONE) {
    case IBA_PAY_PMTU: return pmtu;
    case IBA_PAY_1_TO_PMTU: return 1 + chaos_below(c, pmtu);
    case IBA_PAY_0_TO_PMTU: return chaos_one_in(c, 3) ? pmtu : chaos_below(c, pmtu + 1);
    case IBA_PAY_EIGHT: return 8;
    default: return 0;
    }
}

static void set_reach(struct chaos *c, unsigned end, struct iba_recipe *r, size_t payload)
{
    uint8_t *reth = iba_recipe_part(r, IBA_H_reth), *atomic = iba_recipe_part(r, IBA_H_atomiceth);
    uint64_t va;
    uint32_t length, key;

    chaos_place(c, end, true, 4096, &va, &length, &key);
    if (reth) {
        const bool more = payload > 0 && !chaos_one_in(c, 4);
        const uint64_t packets = more ? chaos_below(c, 3) : 0, any = more ? chaos_below(c, 2) : 0;
        iba_reth_set_va(reth, va);
        iba_reth_set_r_key(reth, key);
        iba_reth_set_dmalen(reth, more ? payload + 256 * packets * any : length);
    }
    if (atomic) {
        iba_atomiceth_set_va(atomic, (va + 7) & ~UINT64_C(7));
        iba_atomiceth_set_r_key(atomic, key);
        iba_atomiceth_set_swapdt(atomic, iba_random_next(&c->r));
        iba_atomiceth_set_cmpdt(atomic, chaos_below(c, 2));
    }
}

/* Draws an RD QP of the end; most often one that exists. */
static const struct chaos_qp *rd_qp(struct chaos *c, unsigned end)
{
    return &c->end[end].qp[chaos_one_in(c, 32) ? chaos_below(c, CHAOS_QPS) : CHAOS_QPS - 1 - chaos_below(c, 2)];
}

/* Directs the packet through an EE context, because a reliable datagram reaches an RD QP only through one. */
static void set_context(struct chaos *c, unsigned end, struct iba_recipe *r, const struct iba_qp *ee)
{
    const struct chaos_qp *user = rd_qp(c, end);
    uint8_t *h = iba_recipe_part(r, IBA_H_rdeth);

    if (!h)
        return;
    iba_rdeth_set_eecnxt(h, chaos_one_in(c, 32) ? chaos_below(c, 1 << 24) : ee->qpn);
    iba_bth_set_destqp(iba_recipe_part(r, IBA_H_bth), chaos_one_in(c, 2) ? ee->ee.sender : user->qpn);
    if ((h = iba_recipe_part(r, IBA_H_deth)))
        iba_deth_set_q_key(h, chaos_one_in(c, 16) ? 1 : 0x1234);
}

static void set_extras(struct chaos *c, unsigned end, struct iba_recipe *r, const struct iba_qp *qp)
{
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_deth))) {
        iba_deth_set_q_key(h, chaos_one_in(c, 16) ? 1 : qp->attr.qkey);
        iba_deth_set_srcqp(h, 2 + chaos_below(c, 1000));
    }
    if ((h = iba_recipe_part(r, IBA_H_aeth))) {
        const uint64_t kind = chaos_below(c, 8);
        iba_aeth_set_syn_reserved(h, kind == 7 && chaos_one_in(c, 2));
        iba_aeth_set_syn_kind(h, kind < 5 ? 0 : kind < 6 ? 1 : kind < 7 ? 3 : chaos_below(c, 4));
        iba_aeth_set_syn_value(h, kind == 6 ? chaos_below(c, 6) : chaos_below(c, 32));
        iba_aeth_set_msn(h, iba_random_next(&c->r));
    }
    if ((h = iba_recipe_part(r, IBA_H_xrceth)))
        iba_xrceth_set_srqn(h, chaos_one_in(c, 16) ? chaos_below(c, 8) : chaos_below(c, 2));
    if ((h = iba_recipe_part(r, IBA_H_ieth)))
        iba_ieth_set_r_key(h, chaos_one_in(c, 2) ? c->end[end].plot[chaos_below(c, CHAOS_PLOTS)].rkey
                                                 : c->end[end].window[chaos_below(c, CHAOS_WINDOWS)]);
    if ((h = iba_recipe_part(r, IBA_H_feth))) {
        iba_feth_set_placement(h, chaos_below(c, 4));
        iba_feth_set_selectivity(h, chaos_below(c, 3));
    }
    if ((h = iba_recipe_part(r, IBA_H_immdt)))
        iba_immdt_set_data(h, iba_random_next(&c->r));
}

/* ---- addresses ---- */

static void address_ib(struct chaos *c, unsigned end, struct iba_recipe *r, bool group, bool management)
{
    uint8_t *lrh = iba_recipe_part(r, IBA_H_lrh), *grh = iba_recipe_part(r, IBA_H_grh);

    (void)c;
    iba_lrh_set_dlid(lrh, group ? 0xc001u : end + 1);
    iba_lrh_set_slid(lrh, 2 - end);
    iba_lrh_set_vl(lrh, management ? 15 : 0);
    if (grh) {
        iba_grh_set_sgid(grh, (const uint8_t[16]){0xfe, 0x80, [15] = (uint8_t)(2 - end)});
        iba_grh_set_dgid(grh, group ? (const uint8_t[16]){0xff, 0x12, [15] = 1}
                                    : (const uint8_t[16]){0xfe, 0x80, [15] = (uint8_t)(end + 1)});
    }
}

static void address_ethernet(struct chaos *c, unsigned end, struct iba_recipe *r, bool group)
{
    const uint8_t source[16] = {0xfe, 0x80, [15] = (uint8_t)(2 - end)};
    const uint8_t target[2][16] = {{0xfe, 0x80, [15] = (uint8_t)(end + 1)}, {0xff, 0x12, [15] = 1}};
    uint8_t *eth = iba_recipe_part(r, IBA_H_eth), *h;

    iba_eth_set_dst(eth, group ? UINT64_C(0x333300000001) : MAC + end);
    iba_eth_set_src(eth, MAC + 1 - end);
    if ((h = iba_recipe_part(r, IBA_H_grh))) {
        iba_grh_set_sgid(h, source);
        iba_grh_set_dgid(h, target[group]);
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv6))) {
        iba_ipv6_set_src(h, source);
        iba_ipv6_set_dst(h, target[group]);
        iba_ipv6_set_ecn(h, chaos_below(c, 4));
    }
    if ((h = iba_recipe_part(r, IBA_H_ipv4))) {
        iba_ipv4_set_src(h, 0x0a000001u + 1 - end);
        iba_ipv4_set_dst(h, group ? 0xef000001u : 0x0a000001u + end);
        iba_ipv4_set_ecn(h, chaos_below(c, 4));
    }
}

static size_t craft_raw(struct chaos *c, unsigned end, uint8_t *buf, size_t cap)
{
    struct iba_recipe r;
    size_t len;

    iba_recipe_init(&r, chaos_one_in(c, 2) ? IBA_ENCAP_IB_RAW : IBA_ENCAP_IB_RAW_V6, 0);
    address_ib(c, end, &r, chaos_one_in(c, 4), false);
    r.payload = c->payload;
    r.payload_len = 4 * chaos_below(c, 128);
    return iba_build(&r, buf, cap, &len) == IBA_OK ? len : 0;
}

static enum iba_encap encap_of(const struct chaos *c, bool grh)
{
    switch (c->kind) {
    case IBA_PORT_IB: return grh ? IBA_ENCAP_IB_GLOBAL : IBA_ENCAP_IB_LOCAL;
    case IBA_PORT_ROCE1: return IBA_ENCAP_ROCE1;
    default: return c->v6 ? IBA_ENCAP_ROCE2_V6 : IBA_ENCAP_ROCE2_V4;
    }
}

static void set_bth(struct chaos *c, const struct iba_qp *qp, struct iba_recipe *r, const struct iba_opcode *op,
                    bool group)
{
    uint8_t *bth = iba_recipe_part(r, IBA_H_bth);

    iba_bth_set_p_key(bth, chaos_one_in(c, 16) ? chaos_below(c, 1 << 16) : 0xffff);
    iba_bth_set_destqp(bth, group ? 0xffffff : qp->qpn);
    iba_bth_set_psn(bth, pick_psn(c, qp, op).v);
    iba_bth_set_a(bth, chaos_below(c, 2));
    iba_bth_set_se(bth, chaos_below(c, 2));
    iba_bth_set_m(bth, chaos_below(c, 4) > 0);
    iba_bth_set_fecn(bth, chaos_one_in(c, 8));
}

size_t chaos_craft(struct chaos *c, unsigned end, uint8_t *buf, size_t cap)
{
    uint8_t *const payload = c->payload;
    const struct chaos_qp *q = &c->end[end].qp[chaos_below(c, CHAOS_QPS)];
    const struct iba_qp *qp = &q->qp;
    struct iba_recipe r;
    size_t len;

    if (!q->alive)
        return 0;
    if (qp->type == IBA_QPT_RAW_IPV6 || qp->type == IBA_QPT_RAW_ETHERTYPE)
        return c->kind == IBA_PORT_IB ? craft_raw(c, end, buf, cap) : 0;
    const bool group = qp->type == IBA_QPT_UD && chaos_one_in(c, 4);
    const bool connected =
        qp->type == IBA_QPT_RC || qp->type == IBA_QPT_UC || (qp->type >= IBA_QPT_XRC_INI && qp->type != IBA_QPT_RD);
    const uint8_t code = pick_opcode(c, qp);
    iba_recipe_init(&r, encap_of(c, connected ? qp->attr.av.grh : group || chaos_one_in(c, 2)), code);
    set_bth(c, qp, &r, &iba_opcodes[code], group);
    if (c->kind == IBA_PORT_IB)
        address_ib(c, end, &r, group, qp->type == IBA_QPT_SMI);
    else
        address_ethernet(c, end, &r, group);
    r.payload = payload;
    r.payload_len = pick_payload(c, qp, &iba_opcodes[code]);
    payload[chaos_below(c, sizeof c->payload)] = (uint8_t)iba_random_next(&c->r);
    set_reach(c, end, &r, r.payload_len);
    set_extras(c, end, &r, qp);
    if (qp->type == IBA_QPT_EE)
        set_context(c, end, &r, qp);
    return iba_build(&r, buf, cap, &len) == IBA_OK ? len : 0;
}
