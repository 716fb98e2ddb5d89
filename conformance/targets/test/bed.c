/* SPDX-License-Identifier: BSD-2-Clause */
#include "bed.h"
#include "transport/iba_wr_ops.h"
#include <stdlib.h>
#include <string.h>
#include "wire/iba_build.h"

static const enum iba_encap encaps[IBC_LINK_COUNT] = {
#define ENCAP(id, word, encap) [IBC_LINK_##id] = IBA_ENCAP_##encap,
    IBC_LINKS(ENCAP)};

static void ok(const struct bed *b, enum ibc_rc rc, const char *what)
{
    cr_assert(rc == IBC_OK || (b->lenient && rc != IBC_BROKEN), "%s: %d %s %s", what, rc, b->t->refusal, b->t->fault);
}

void bed_reset(struct bed *b, enum ibc_link link, uint64_t seed)
{
    const struct ibc_target_ops *o = b->t->ops;

    b->link = link;
    ok(b, o->reset(b->t, link, seed), "reset");
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        ok(b, o->create_pd(b->t, d, &b->d[d].pd), "pd");
        const struct ibc_mr_spec m = {
            .pd = b->d[d].pd,
            .length = 65536,
            .fill = 'm',
            .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_MW_BIND | IBA_ACCESS_INVALIDATE,
        };
        ok(b, o->reg_mr(b->t, d, &m, &b->d[d].mr), "mr");
        ok(b, o->create_cq(b->t, d, 64, &b->d[d].cq), "cq");
        b->d[d].qpn = 0;
    }
}

struct bed *bed_open(const char *spec, enum ibc_link link, uint64_t seed)
{
    struct bed *b = calloc(1, sizeof *b);
    char err[160] = "";

    cr_assert_not_null(b);
    b->t = ibc_target_open(spec, err, sizeof err);
    cr_assert_not_null(b->t, "%s", err);
    bed_reset(b, link, seed);
    return b;
}

void bed_close(struct bed *b)
{
    ibc_target_close(b->t);
    free(b);
}

static void modify(struct bed *b, unsigned d, uint32_t qpn, struct ibc_qp_attr a, uint8_t state, uint32_t mask)
{
    a.a.state = state;
    a.mask = mask;
    ok(b, b->t->ops->modify_qp(b->t, d, qpn, &a), iba_qp_state_name(state));
}

void bed_connect(struct bed *b, unsigned d, uint32_t qpn, enum iba_qp_type type, uint32_t peer)
{
    const bool rc = type == IBA_QPT_RC, asks = rc || type == IBA_QPT_XRC_INI, connected = asks || type == IBA_QPT_UC;
    const bool raw = type == IBA_QPT_RAW_IPV6 || type == IBA_QPT_RAW_ETHERTYPE;
    const struct ibc_qp_attr a = {.a = {.port = 1,
                                        .qkey = type == IBA_QPT_GSI ? IBA_GSI_QKEY : BED_QKEY,
                                        .access = IBA_ACCESS_REMOTE,
                                        .path_mtu = IBA_MTU_1024,
                                        .rq_psn = peer ? BED_PSN : BED_EPSN,
                                        .sq_psn = BED_PSN,
                                        .timeout = 14,
                                        .retry = 3,
                                        .rnr_retry = 3,
                                        .min_rnr = 12,
                                        .max_rd = 4,
                                        .max_dest_rd = 4,
                                        .dest_qpn = peer ? peer : BED_PEER},
                                  .hop = 64,
                                  .path = {.tagged = b->tagged, .vlan = b->tagged ? BED_VLAN : 0},
                                  .to_partner = peer != 0};

    modify(b, d, qpn, a, IBA_QPS_INIT,
           raw                  ? IBA_QPA_PORT
           : connected          ? IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS
           : type == IBA_QPT_UD ? IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_QKEY
                                : IBA_QPA_PKEY_INDEX | IBA_QPA_QKEY);
    modify(b, d, qpn, a, IBA_QPS_RTR,
           (connected ? IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN : 0) |
               (rc ? IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR : 0));
    modify(b, d, qpn, a, IBA_QPS_RTS,
           (raw ? 0 : IBA_QPA_SQ_PSN) |
               (asks ? IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_MAX_RD : 0));
}

uint32_t bed_qp(struct bed *b, unsigned d, enum iba_qp_type type)
{
    const struct ibc_qp_spec q = {.type = (uint8_t)type,
                                  .pd = b->d[d].pd,
                                  .scq = b->d[d].cq,
                                  .rcq = b->d[d].cq,
                                  .sig_all = true,
                                  .sq = 32,
                                  .rq = 32};

    ok(b, b->t->ops->create_qp(b->t, d, &q, &b->d[d].qpn), "qp");
    b->d[d].type = type;
    return b->d[d].qpn;
}

void bed_recv(struct bed *b, unsigned d, uint32_t offset, uint32_t len)
{
    const struct iba_recv_wr wr = {
        .wr_id = 100 + offset, .n_sge = 1, .sge = {{b->d[d].mr.local + offset, len, b->d[d].mr.lkey}}};

    ok(b, b->t->ops->post_recv(b->t, d, b->d[d].qpn, &wr), "recv");
}

enum ibc_rc bed_post(struct bed *b, unsigned d, enum iba_wr_op op, uint32_t len, uint64_t va, uint32_t rkey)
{
    struct ibc_send s = {.wr = {.wr_id = 7,
                                .op = (uint8_t)op,
                                .n_sge = 1,
                                .imm_or_key = rkey,
                                .sge = {{b->d[d].mr.local, len, b->d[d].mr.lkey}}},
                         .dest = {.hop = 64}};

    if (b->d[d].type == IBA_QPT_UD) {
        s.wr.remote_qpn = BED_PEER, s.wr.remote_qkey = BED_QKEY;
    } else {
        s.wr.va = va, s.wr.rkey = rkey;
        if (op == IBA_WR_FLUSH)
            s.wr.flush_placement = 1;
    }
    return b->t->ops->post_send(b->t, d, b->d[d].qpn, &s);
}

/* ---- packets ---- */

static void set_gids(const struct bed *b, unsigned d, struct iba_recipe *r)
{
    const struct ibc_address *to = &b->t->device[d], *from = &b->t->tester;
    uint8_t *h;

    if ((h = iba_recipe_part(r, IBA_H_eth)))
        iba_eth_set_dst(h, to->mac), iba_eth_set_src(h, from->mac);
    if ((h = iba_recipe_part(r, IBA_H_ipv4)))
        iba_ipv4_set_dst(h, to->ipv4), iba_ipv4_set_src(h, from->ipv4);
    if ((h = iba_recipe_part(r, IBA_H_ipv6)))
        iba_ipv6_set_dst(h, to->ipv6), iba_ipv6_set_src(h, from->ipv6);
    if ((h = iba_recipe_part(r, IBA_H_grh)))
        iba_grh_set_dgid(h, to->gid), iba_grh_set_sgid(h, from->gid);
    if ((h = iba_recipe_part(r, IBA_H_lrh)))
        iba_lrh_set_dlid(h, to->lid), iba_lrh_set_slid(h, from->lid);
}

struct iba_recipe bed_recipe(const struct bed *b, unsigned d, uint8_t opcode, uint32_t psn)
{
    struct iba_recipe r;
    uint8_t *h;

    iba_recipe_init(&r, encaps[b->link], opcode);
    set_gids(b, d, &r);
    h = iba_recipe_part(&r, IBA_H_bth);
    iba_bth_set_p_key(h, 0xffff);
    iba_bth_set_destqp(h, b->d[d].qpn);
    iba_bth_set_psn(h, psn);
    iba_bth_set_a(h, 1);
    iba_bth_set_m(h, 1);
    if ((h = iba_recipe_part(&r, IBA_H_reth)))
        iba_reth_set_va(h, b->d[d].mr.va), iba_reth_set_r_key(h, b->d[d].mr.rkey);
    if ((h = iba_recipe_part(&r, IBA_H_atomiceth)))
        iba_atomiceth_set_va(h, b->d[d].mr.va), iba_atomiceth_set_r_key(h, b->d[d].mr.rkey);
    if ((h = iba_recipe_part(&r, IBA_H_deth)))
        iba_deth_set_q_key(h, BED_QKEY), iba_deth_set_srcqp(h, BED_PEER);
    return r;
}

void bed_inject(struct bed *b, unsigned d, const struct iba_recipe *r)
{
    uint8_t frame[IBC_FRAME];
    size_t len;

    cr_assert_eq(iba_build(r, frame, sizeof frame, &len), IBA_OK);
    ok(b, b->t->ops->inject(b->t, d, frame, len), "inject");
}

void bed_send(struct bed *b, unsigned d, uint8_t opcode, uint32_t psn, uint32_t payload)
{
    static const uint8_t bytes[4096] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct iba_recipe r = bed_recipe(b, d, opcode, psn);
    uint8_t *reth = iba_recipe_part(&r, IBA_H_reth);

    r.payload = bytes;
    r.payload_len = iba_opcodes[opcode].pay == IBA_PAY_NONE ? 0 : payload;
    if (reth)
        iba_reth_set_dmalen(reth, payload);
    bed_inject(b, d, &r);
}

bool bed_take(struct bed *b, unsigned d)
{
    const uint64_t until = b->t->ops->now(b->t) + BED_MS;

    ok(b, b->t->ops->collect(b->t, d, until, b->frame, &b->len, &b->at), "collect");
    if (b->len == 0)
        return false;
    (void)iba_view_parse(&b->v, b->t->framing, b->frame, b->len, b->len, NULL);
    iba_view_check(&b->v);
    if (!b->lenient) {
        cr_assert_eq(b->v.err, IBA_OK, "%s", iba_strerror(b->v.err));
        cr_assert(b->v.icrc != IBA_CHECK_BAD && b->v.vcrc != IBA_CHECK_BAD, "CRCs");
    }
    return true;
}

void bed_expect(struct bed *b, unsigned d, uint8_t opcode, uint32_t psn)
{
    cr_assert(bed_take(b, d), "no %s", iba_opcode_title(opcode));
    cr_assert_eq(iba_bth_opcode(iba_view_bth(&b->v)), opcode, "%s, not %s",
                 iba_opcode_title(iba_bth_opcode(iba_view_bth(&b->v))), iba_opcode_title(opcode));
    cr_assert_eq(iba_bth_psn(iba_view_bth(&b->v)), psn, "PSN 0x%x", iba_bth_psn(iba_view_bth(&b->v)));
}

void bed_quiet(struct bed *b, unsigned d)
{
    cr_assert(!bed_take(b, d), "%s", iba_opcode_title(iba_bth_opcode(iba_view_bth(&b->v))));
}

bool bed_wc(struct bed *b, unsigned d, struct iba_wc *wc)
{
    unsigned n;

    ok(b, b->t->ops->poll_cq(b->t, d, b->d[d].cq, wc, &n), "poll");
    return n == 1;
}
