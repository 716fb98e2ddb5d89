/* SPDX-License-Identifier: BSD-2-Clause */
/* Queue pairs and their numbers, address handles, attachments, P_Keys, names: every verb, and each of its errors. */
#include <signal.h>
#include "transport/deviations_qp.h"
#include "transport/iba_wr_ops.h"
#include "transport/iba_xrc.h"
#include "verbs.h"

static const uint8_t group[16] = {0xff, 0x12, [15] = 7};

/* ---- queue pairs ---- */
Test(verbs, create_qp_refuses)
{
    struct desk *d = desk_open();
    struct iba_qp_init good = desk_init(d, 0, IBA_QPT_RC), init;
    uint32_t qpn = 0, srq;

    OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
#define BAD(err, change)                                                                                               \
    init = good;                                                                                                       \
    change;                                                                                                            \
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[0], &init, &qpn), err)
    BAD(TYPE, init.type = IBA_QPT_COUNT);
    BAD(ATTR_VALUE, (init.type = IBA_QPT_EE, init.n_sq = 0));
    BAD(TYPE, init.type = 255);
    BAD(NO_PD, init.pd = N_PD);
    BAD(NO_PD, init.pd = d->pd + 1);
    BAD(NO_CQ, init.send_cq = N_CQ);
    BAD(NO_CQ, init.send_cq = N_CQ - 1);
    BAD(NO_CQ, init.recv_cq = IBA_NONE);
    BAD(NO_SRQ, (init.srq = N_SRQ, init.n_rq = 0));
    BAD(NO_SRQ, (init.srq = srq + 1, init.n_rq = 0));
    BAD(ATTR_VALUE, init.srq = srq);
    BAD(ATTR_VALUE, init.qpn = 1);
    BAD(ATTR_VALUE, init.qpn = 0xffffff);
    BAD(ATTR_VALUE, init.qpn = 0x1000000);
    for (uint8_t t = 0; t < IBA_QPT_COUNT; t++) {
        if (t == IBA_QPT_RC || t == IBA_QPT_UC || t == IBA_QPT_UD || t == IBA_QPT_RD)
            continue;
        BAD(TYPE, (init.type = t, init.srq = srq, init.n_rq = 0));
    }
    init = good;
    init.qpn = 0x102;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    cr_assert_eq(qpn, 0x102);
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[1], &init, &qpn), BUSY);
    init.qpn = 0x102 + N_QP; /* the same slot */
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[1], &init, &qpn), FULL);
}

/* A QP whose type lacks a queue needs no completion queue for it. */
Test(verbs, create_qp_of_one_queue)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_XRC_INI);
    uint32_t qpn;

    init.recv_cq = IBA_NONE;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    cr_assert_eq(d->qp[0].rq.n, 0);
    init = desk_init(d, 1, IBA_QPT_XRC_TGT);
    init.pd = init.send_cq = init.recv_cq = init.srq = IBA_NONE; /* QS-44 */
    OK(iba_create_qp(&d->ca, &d->qp[1], &init, &qpn));
    cr_assert(d->qp[1].s.n == 0 && d->qp[1].rq.n == 0);
    init.xrcd = 1;
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[2], &init, &qpn), NO_XRCD);
    iba_ca_check(&d->ca);
}

/* A QP keeps the values with which it is created; those of parts that its type lacks are ignored.
 * C: send CQ, R: receive CQ, P: protection domain, X: XRC domain, D: reliable datagram domain. */
Test(verbs, parts_of_each_type)
{
    static const struct {
        uint8_t type;
        const char *keeps;
        uint32_t sends, receives; /* entries of the queues */
    } rows[] = {
        {IBA_QPT_RC, "CRP", N_WR, N_WR},  {IBA_QPT_UC, "CRP", N_WR, N_WR},
        {IBA_QPT_UD, "CRP", N_WR, N_WR},  {IBA_QPT_RAW_IPV6, "CRP", N_WR, N_WR},
        {IBA_QPT_SMI, "CRP", N_WR, N_WR}, {IBA_QPT_RAW_ETHERTYPE, "CRP", N_WR, N_WR},
        {IBA_QPT_GSI, "CRP", N_WR, N_WR}, {IBA_QPT_XRC_INI, "CP", N_WR, 0},
        {IBA_QPT_XRC_TGT, "X", 0, 0},     {IBA_QPT_RD, "CRPD", N_WR, N_WR},
        {IBA_QPT_EE, "D", 1, 0},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct desk *d = desk_open();
        struct iba_qp_init init = desk_init(d, 0, (enum iba_qp_type)rows[i].type);
        const struct iba_qp *qp = &d->qp[0];
        uint32_t qpn, domain;

        OK(iba_create_xrcd(&d->ca, &domain));
        init.xrcd = domain, init.rdd = 7;
        OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
#define KEEPS(letter, got, value, none)                                                                                \
    cr_expect_eq(got, strchr(rows[i].keeps, letter) ? (value) : (none), "type %u: %c", rows[i].type, letter)
        KEEPS('C', qp->send_cq, d->send_cq, IBA_NONE);
        KEEPS('R', qp->recv_cq, d->recv_cq, IBA_NONE);
        KEEPS('P', qp->pd, d->pd, IBA_NONE);
        if (strchr(rows[i].keeps, 'D')) /* in the place of the XRC domain */
            cr_expect_eq(qp->rdd, 7, "type %u", rows[i].type);
        else
            KEEPS('X', qp->xrcd, domain, IBA_NONE);
        cr_expect_eq(qp->srq, IBA_NONE);
        cr_expect_eq(qp->s.n, rows[i].sends, "type %u", rows[i].type);
        if (rows[i].type != IBA_QPT_EE)
            cr_expect_eq(qp->rq.n, rows[i].receives, "type %u", rows[i].type);
        cr_expect_eq(qp->r.n_saved, N_SAVED);
        cr_expect_eq(qp->attr.port, rows[i].type == IBA_QPT_SMI || rows[i].type == IBA_QPT_GSI);
        cr_expect_eq(iba_destroy_xrcd(&d->ca, domain), rows[i].type == IBA_QPT_XRC_TGT ? IBA_VERB_BUSY : IBA_VERB_OK);
        OK(iba_destroy_qp(&d->ca, qpn));
        cr_expect_eq(iba_destroy_xrcd(&d->ca, domain),
                     rows[i].type == IBA_QPT_XRC_TGT ? IBA_VERB_OK : IBA_VERB_NO_XRCD);
        OK(iba_destroy_ah(&d->ca, d->ah0));
        cr_expect_eq(iba_pd_destroy(&d->ca.mem, d->pd), IBA_MEM_OK, "type %u", rows[i].type);
    }
}

/* A device that makes a QP of any type on an SRQ: a type without receives of its own has none from the SRQ either. */
Test(verbs, types_without_an_srq)
{
    const struct iba_change on_any = {.list = &iba_verb_behaviours, .row = IBA_ROW_verb_QP_SHARES};

    for (uint8_t t = 0; t < IBA_QPT_COUNT; t++) {
        struct desk *d = desk_open();
        uint32_t srq;

        OK(iba_create_srq(&d->ca, &d->srq[0], d->shared[0], N_WR, d->pd, &srq));
        iba_ca_change(&d->ca, &on_any);
        desk_qp_with_srq(d, 0, (enum iba_qp_type)t, srq);
        cr_expect_eq(d->qp[0].srq, t == IBA_QPT_XRC_TGT || t == IBA_QPT_EE ? IBA_NONE : srq, "type %u", t);
    }
}

/* QS-28: a protection domain stays while a QP is in it, unless the type has none. */
Test(verbs, qps_hold_their_domain)
{
    for (uint8_t t = 0; t < IBA_QPT_COUNT; t++) {
        struct desk *d = desk_open();
        struct iba_qp_init init = desk_init(d, 0, (enum iba_qp_type)t);
        const bool holds = t != IBA_QPT_XRC_TGT && t != IBA_QPT_EE;
        uint32_t qpn;

        cr_assert_eq(iba_pd_create(&d->ca.mem, &init.pd), IBA_MEM_OK);
        OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
        cr_expect_eq(iba_pd_destroy(&d->ca.mem, init.pd), holds ? IBA_MEM_PD_BUSY : IBA_MEM_OK, "type %u", t);
        OK(iba_destroy_qp(&d->ca, qpn));
        cr_expect_neq(iba_pd_destroy(&d->ca.mem, init.pd), IBA_MEM_PD_BUSY, "type %u", t);
    }
}

/* WF-37: the least and the greatest number that a QP may be given. */
Test(verbs, first_and_last_number)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_UC);
    uint32_t qpn = 0;

    init.qpn = 2;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    cr_expect_eq(qpn, 2);
    init.qpn = 0xfffffe; /* another slot: 2 modulo 6 */
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[1], &init, &qpn), FULL);
    init.qpn = 0xfffffd;
    OK(iba_create_qp(&d->ca, &d->qp[1], &init, &qpn));
    cr_expect_eq(iba_qp_find(&d->ca, 0xfffffd), &d->qp[1]);
    OK(iba_destroy_qp(&d->ca, 2));
    init.qpn = 0xfffffe;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    cr_expect_eq(iba_qp_find(&d->ca, 0xfffffe), &d->qp[0]);
    cr_expect_null(iba_qp_find(&d->ca, 0xffffff));
    cr_expect_null(iba_qp_find(&d->ca, 2));
}

Test(verbs, ring_without_memory, .signal = SIGABRT)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_RC);
    uint32_t qpn;

    init.sq = NULL;
    iba_create_qp(&d->ca, &d->qp[0], &init, &qpn);
}

Test(verbs, random_psns)
{
    struct desk *d = desk_open();
    uint32_t all = 0, none = 0xffffff;

    for (unsigned i = 0; i < 200; i++) {
        const uint32_t psn = iba_random_psn(&d->ca);
        cr_assert_eq(psn >> 24, 0);
        all |= psn;
        none &= psn;
    }
    cr_assert(all == 0xffffff && none == 0, "bits that never change");
}

/* WF-37: QPNs are random, never 0, 1 or 0xFFFFFF, and have the slot in their low bits. */
Test(verbs, random_numbers)
{
    struct desk *d = desk_open();
    uint32_t seen[64], n = 0, high = 0;

    for (unsigned round = 0; round < 64; round++) {
        for (unsigned i = 0; i < N_QP; i++) {
            const uint32_t qpn = desk_qp(d, i, IBA_QPT_UD);
            cr_assert(qpn >= 2 && qpn <= 0xfffffe);
            cr_assert_eq(iba_query_qp(&d->ca, qpn), &d->qp[i]);
            high |= qpn >> 20;
            if (i == 0)
                seen[n++] = qpn;
        }
        struct iba_qp_init init = desk_init(d, 0, IBA_QPT_UD);
        uint32_t none = 5;
        REFUSED(d, iba_create_qp(&d->ca, &d->qp[0], &init, &none), FULL);
        cr_assert_eq(none, 5);
        iba_ca_check(&d->ca);
        for (unsigned i = 0; i < N_QP; i++)
            OK(iba_destroy_qp(&d->ca, d->qp[i].qpn));
    }
    cr_assert_eq(high, 15);
    for (unsigned i = 0; i < n; i++) /* QS-30 */
        for (unsigned k = 0; k < i; k++)
            cr_assert_neq(seen[i], seen[k]);
}

static uint64_t always(void *ctx)
{
    return *(const uint64_t *)ctx;
}

/* With any random numbers and any number of slots, a QPN is legal and finds its QP. */
Test(verbs, worst_numbers)
{
    static const uint64_t entropy[] = {0, 1, 2, 0xfffffe, 0xffffff, 0x1000000, UINT64_MAX};

    for (unsigned e = 0; e < sizeof entropy / sizeof *entropy; e++)
        for (uint32_t n = 1; n <= N_QP; n++) {
            struct desk *d = desk_open();
            uint64_t constant = entropy[e];
            d->ca.n_qp = n;
            d->ca.random = always;
            d->ca.ctx = &constant;
            for (unsigned i = 0; i < n; i++) {
                const uint32_t qpn = desk_qp(d, i, IBA_QPT_RC);
                cr_assert(qpn >= 2 && qpn <= 0xfffffe, "%x", qpn);
                cr_assert_eq(iba_qp_find(&d->ca, qpn), &d->qp[i]);
            }
            d->ca.ctx = d;
        }
}

static uint64_t one_by_one(void *ctx)
{
    uint64_t **next = ctx;

    return *(*next)++;
}

/* QS-30: of a slot, each number up to the greatest legal one is given. The first random number is the slot; the second
 * one says how often the number of slots is added. */
Test(verbs, each_number_of_a_slot)
{
    for (uint32_t n = 1; n <= N_QP; n++)
        for (uint32_t slot = 0; slot < n; slot++) {
            const uint32_t last = 0xfffffe - (0xfffffe - slot) % n, turns = (last - slot) / n + 1;
            const struct {
                uint64_t random;
                uint32_t qpn;
            } c[] = {{turns - 1, last},
                     {turns - 2, last - n},
                     {7, slot + 7 * n},
                     {turns + 7, slot + 7 * n},
                     {0, slot >= 2 ? slot
                         : n == 1  ? 2
                                   : slot + n}};
            for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
                struct desk *d = desk_open();
                uint64_t numbers[] = {slot + 100 * n, c[i].random}, *next = numbers;
                d->ca.n_qp = n;
                d->ca.random = one_by_one;
                d->ca.ctx = &next;
                cr_expect_eq(desk_qp(d, 0, IBA_QPT_UC), c[i].qpn, "slot %u of %u, case %u", slot, n, i);
                d->ca.ctx = d;
            }
        }
}

/* SMI and GSI are QP0 and QP1, one of each, in any free slot. */
Test(verbs, management_qps)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 2, IBA_QPT_SMI);
    uint32_t qpn = 9;

    init.qpn = 0x345;
    cr_assert_eq(desk_qp(d, 0, IBA_QPT_GSI), 1);
    OK(iba_create_qp(&d->ca, &d->qp[1], &init, &qpn));
    cr_assert_eq(qpn, 0);
    cr_assert_eq(iba_qp_find(&d->ca, 0), &d->qp[1]);
    cr_assert_eq(iba_qp_find(&d->ca, 1), &d->qp[0]);
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[2], &init, &qpn), BUSY);
    cr_assert_eq(d->qp[0].attr.port, 1);
    OK(iba_destroy_qp(&d->ca, 0));
    cr_assert_null(iba_qp_find(&d->ca, 0));
    for (unsigned i = 2; i < N_QP; i++)
        desk_qp(d, i, IBA_QPT_RC);
    desk_qp(d, 1, IBA_QPT_RC);
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[1], &init, &qpn), FULL);
    iba_ca_check(&d->ca);
}

/* QS-29: a QP can be destroyed in any state. Its queued work requests and its number vanish. */
Test(verbs, destroy_qp)
{
    for (uint8_t s = 0; s < IBA_QPS_COUNT; s++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_UD, (enum iba_qp_state)s);
        const struct iba_recv_wr r = desk_recv(1);

        if (s == IBA_QPS_RTS)
            OK(iba_post_recv(&d->ca, qpn, &r));
        OK(iba_destroy_qp(&d->ca, qpn));
        cr_assert_null(iba_query_qp(&d->ca, qpn));
        nothing_completes(d, d->recv_cq);
        REFUSED(d, iba_destroy_qp(&d->ca, qpn), NO_QP);
        OK(iba_destroy_cq(&d->ca, d->send_cq));
        OK(iba_destroy_cq(&d->ca, d->recv_cq));
        OK(iba_destroy_ah(&d->ca, d->ah0));
        cr_assert_eq(iba_pd_destroy(&d->ca.mem, d->pd), IBA_MEM_OK);
    }
}

/* Type 2 windows belong to a QP by its number, so they end with the QP (QS-69). */
Test(verbs, destroy_qp_ends_its_windows)
{
    struct desk *d = desk_open();
    static uint8_t bytes[64];
    const struct iba_mr_attr mr = {.base = bytes, .length = sizeof bytes, .pd = d->pd, .access = IBA_ACCESS_MW_BIND};
    const uint32_t qpn = desk_qp(d, 0, IBA_QPT_RC);
    struct iba_reach reach = {.length = 8, .pd = d->pd, .qpn = qpn, .need = IBA_ACCESS_REMOTE_READ, .remote = true};
    struct iba_bind bind = {.length = 64, .access = IBA_ACCESS_REMOTE_READ};
    uint32_t rkey;
    struct iba_place place;

    cr_assert_eq(iba_mr_register(&d->ca.mem, &mr, &bind.mr_lkey, &rkey), IBA_MEM_OK);
    cr_assert_eq(iba_mw_alloc(&d->ca.mem, IBA_MEM_MW2A, d->pd, &bind.mw_rkey), IBA_MEM_OK);
    bind.key_byte = (uint8_t)(bind.mw_rkey + 1);
    cr_assert_eq(iba_mw_bind(&d->ca.mem, &bind, d->pd, qpn, &reach.key), IBA_MEM_OK);
    cr_assert_eq(iba_mem_reach(&d->ca.mem, &reach, &place), IBA_REACH_OK);
    OK(iba_destroy_qp(&d->ca, qpn));
    cr_assert_neq(iba_mem_reach(&d->ca.mem, &reach, &place), IBA_REACH_OK);
}

/* QS-28: a query shows the values that creation fixed. */
Test(verbs, query_qp)
{
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 3, IBA_QPT_UC);
    const struct iba_qp *qp;
    uint32_t qpn;

    init.sq_sig_all = true;
    OK(iba_create_qp(&d->ca, &d->qp[3], &init, &qpn));
    qp = iba_query_qp(&d->ca, qpn);
    cr_assert_eq(qp, &d->qp[3]);
    cr_assert_eq(qp->qpn, qpn);
    cr_assert_eq(qp->type, IBA_QPT_UC);
    cr_assert_eq(qp->state, IBA_QPS_RESET);
    cr_assert_eq(qp->pd, d->pd);
    cr_assert_eq(qp->send_cq, d->send_cq);
    cr_assert_eq(qp->recv_cq, d->recv_cq);
    cr_assert_eq(qp->srq, IBA_NONE);
    cr_assert(qp->sq_sig_all);
    cr_assert_null(iba_query_qp(&d->ca, 0));
    cr_assert_null(iba_query_qp(&d->ca, qpn + N_QP));
}

/* ---- address handles ---- */
Test(verbs, address_handles)
{
    struct desk *d = desk_open();
    struct iba_av av = desk_av();
    uint32_t pd, ah = 0;

    cr_assert_eq(iba_pd_create(&d->ca.mem, &pd), IBA_MEM_OK);
    REFUSED(d, iba_create_ah(&d->ca, N_PD, &av, &ah), NO_PD);
    memcpy(av.dgid, group, 16); /* datagrams may go to groups */
    for (unsigned i = 1; i < N_AH; i++)
        OK(iba_create_ah(&d->ca, pd, &av, &ah));
    for (uint32_t i = 1; i < N_AH; i++) { /* each handle is a flow of its own, for networks that choose paths by flow */
        uint8_t expected[IBA_ENVELOPE_MAX];
        const size_t n = iba_envelope_write(&d->ca.port[0], &av, i, expected);
        cr_assert_eq(d->ah[i].envelope_bytes, n);
        cr_assert_arr_eq(d->ah[i].envelope, expected, n);
    }
    REFUSED(d, iba_create_ah(&d->ca, pd, &av, &ah), FULL);
    cr_assert_eq(iba_pd_destroy(&d->ca.mem, pd), IBA_MEM_PD_BUSY);
    for (uint32_t i = 0; i < N_AH; i++)
        OK(iba_destroy_ah(&d->ca, i));
    cr_assert_eq(iba_pd_destroy(&d->ca.mem, pd), IBA_MEM_OK);
    REFUSED(d, iba_destroy_ah(&d->ca, 0), NO_AH);
    REFUSED(d, iba_destroy_ah(&d->ca, N_AH), NO_AH);
}

/* ---- multicast ---- */
Test(verbs, multicast)
{
    struct desk *d = desk_open();
    const uint32_t ud = desk_qp(d, 0, IBA_QPT_UD), rc = desk_qp(d, 1, IBA_QPT_RC);
    uint8_t gid[16];

    memcpy(gid, group, 16);
    REFUSED(d, iba_attach_mcast(&d->ca, rc, gid, 0), TYPE);
    REFUSED(d, iba_attach_mcast(&d->ca, ud + N_QP, gid, 0), NO_QP);
    REFUSED(d, iba_attach_mcast(&d->ca, ud, gid, 1), ATTR_VALUE);
    REFUSED(d, iba_attach_mcast(&d->ca, ud, gid, 0xffff), ATTR_VALUE);
    gid[0] = 0xfe;
    REFUSED(d, iba_attach_mcast(&d->ca, ud, gid, 0), ATTR_VALUE);
    gid[0] = 0xff;
    OK(iba_attach_mcast(&d->ca, ud, gid, 0));
    REFUSED(d, iba_attach_mcast(&d->ca, ud, gid, 0), OK);
    OK(iba_attach_mcast(&d->ca, ud, gid, 0xc001));
    gid[15]++;
    REFUSED(d, iba_detach_mcast(&d->ca, ud, gid, 0), ATTR_VALUE);
    OK(iba_attach_mcast(&d->ca, ud, gid, 0));
    gid[15]++;
    REFUSED(d, iba_attach_mcast(&d->ca, ud, gid, 0), FULL);
    REFUSED(d, iba_destroy_qp(&d->ca, ud), BUSY);
    REFUSED(d, iba_detach_mcast(&d->ca, ud + N_QP, group, 0), NO_QP);
    OK(iba_detach_mcast(&d->ca, ud, group, 0));
    OK(iba_detach_mcast(&d->ca, ud, group, 0xc001));
    gid[15]--;
    OK(iba_detach_mcast(&d->ca, ud, gid, 0));
    REFUSED(d, iba_detach_mcast(&d->ca, ud, gid, 0), ATTR_VALUE);
    OK(iba_destroy_qp(&d->ca, ud));
}

/* UU-25: two QPs in one group have an attachment each. One that was detached can be attached again. */
Test(verbs, two_in_a_group)
{
    struct desk *d = desk_open();
    const uint32_t qpn[] = {desk_qp(d, 0, IBA_QPT_UD), desk_qp(d, 1, IBA_QPT_UD)};

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 2; i++) {
            OK(iba_attach_mcast(&d->ca, qpn[i], group, 0xc001));
            REFUSED(d, iba_destroy_qp(&d->ca, qpn[i]), BUSY);
        }
        for (unsigned i = 0; i < 2; i++) {
            cr_expect(d->mcast[i].used && d->mcast[i].qpn == qpn[i] && d->mcast[i].lid == 0xc001);
            cr_expect_arr_eq(d->mcast[i].gid, group, 16);
        }
        OK(iba_detach_mcast(&d->ca, qpn[0], group, 0xc001));
        REFUSED(d, iba_detach_mcast(&d->ca, qpn[0], group, 0xc001), ATTR_VALUE);
        REFUSED(d, iba_destroy_qp(&d->ca, qpn[1]), BUSY);
        OK(iba_detach_mcast(&d->ca, qpn[1], group, 0xc001));
    }
    OK(iba_destroy_qp(&d->ca, qpn[0]));
    OK(iba_destroy_qp(&d->ca, qpn[1]));
}

Test(verbs, multicast_of_types)
{
    for (uint8_t t = 0; t < IBA_QPT_RD; t++) {
        struct desk *d = desk_open();
        const uint32_t qpn = desk_qp(d, 0, (enum iba_qp_type)t);

        if (t == IBA_QPT_UD || t == IBA_QPT_RAW_IPV6 || t == IBA_QPT_RAW_ETHERTYPE)
            OK(iba_attach_mcast(&d->ca, qpn, group, 0));
        else
            REFUSED(d, iba_attach_mcast(&d->ca, qpn, group, 0), TYPE);
    }
}

/* ---- P_Keys ---- */
Test(verbs, set_pkey)
{
    enum { before = 0x1234 };
    struct desk *d = desk_open();

    d->ca.port[1].pkey[5] = before;
    REFUSED(d, iba_set_pkey(&d->ca, 0, 0, 0x8001), ATTR_VALUE);
    REFUSED(d, iba_set_pkey(&d->ca, 3, 0, 0x8001), ATTR_VALUE);
    REFUSED(d, iba_set_pkey(&d->ca, 1, IBA_PORT_MAX_PKEYS, 0x8001), ATTR_VALUE);
    OK(iba_set_pkey(&d->ca, 2, 5, 0x8001));
    cr_assert_eq(d->ca.port[1].pkey[5], 0x8001);
    cr_assert_eq(d->n_event, 1);
    cr_assert_eq(d->events[0].kind, IBA_EVENT_PKEY_CHANGE);
    cr_assert_eq(d->events[0].port, 2);
    cr_assert_eq(d->events[0].object, 5);
    cr_assert_eq(d->events[0].a, 0x8001);
    cr_assert_eq(d->events[0].b, before, "the key that was there");
    OK(iba_set_pkey(&d->ca, 2, 5, 0x8001));
    cr_assert_eq(d->n_event, 1);
    d->ca.event = NULL; /* the user takes no events */
    OK(iba_set_pkey(&d->ca, 2, 5, 0));
}

/* With one slot QP1 has this one. */
Test(verbs, management_qp_in_the_only_slot)
{
    struct desk *d = desk_open();

    d->ca.n_qp = 1;
    cr_expect_eq(desk_qp(d, 0, IBA_QPT_GSI), 1);
    cr_expect_eq(d->qps[0], &d->qp[0]);
    cr_expect_null(d->qps[1]);
}

/* WF-37 on a device that gives QPs reserved numbers (a broken one): they still have 24 bits. */
Test(verbs, numbers_have_24_bits)
{
    const struct iba_change any_number = {.list = &iba_verb_behaviours, .row = IBA_ROW_verb_QPN_ORDINARY};
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_UC);
    uint32_t qpn;

    iba_ca_change(&d->ca, &any_number);
    init.qpn = 0x1000000;
    REFUSED(d, iba_create_qp(&d->ca, &d->qp[0], &init, &qpn), ATTR_VALUE);
    init.qpn = 0xffffff;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
}

/* A QP that is created in dirty memory is as one in clean memory. */
Test(verbs, dirty_memory)
{
    static struct iba_qp clean;
    struct desk *d = desk_open();
    struct iba_qp_init init = desk_init(d, 0, IBA_QPT_RC);
    uint32_t qpn;

    init.qpn = 0x102;
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    memcpy(&clean, &d->qp[0], sizeof clean);
    cr_expect(clean.cnp_to == 0 && !clean.s.alone && !clean.s.implied && clean.srq == IBA_NONE);
    OK(iba_destroy_qp(&d->ca, qpn));
    memset(&d->qp[0], 0xee, sizeof d->qp[0]);
    OK(iba_create_qp(&d->ca, &d->qp[0], &init, &qpn));
    cr_expect_arr_eq((uint8_t *)&clean, (uint8_t *)&d->qp[0], sizeof clean);
}

/* ---- names ---- */
Test(verbs, names)
{
#define NAMED(name, count)                                                                                             \
    for (unsigned i = 0; i < (count); i++) {                                                                           \
        cr_assert_gt(strlen(name(i)), 0);                                                                              \
        cr_assert_str_neq(name(i), "unknown");                                                                         \
        for (unsigned k = 0; k < i; k++)                                                                               \
            cr_assert_str_neq(name(i), name(k));                                                                       \
    }                                                                                                                  \
    cr_assert_str_eq(name(count), "unknown");                                                                          \
    cr_assert_str_eq(name(255), "unknown")
    NAMED(iba_wr_op_name, IBA_WR_OP_COUNT);
    NAMED(iba_wc_status_name, IBA_WC_STATUS_COUNT);
    NAMED(iba_event_name, IBA_EVENT_COUNT);
    NAMED(iba_verb_strerror, IBA_VERB_ERR_COUNT);
    NAMED(iba_qp_state_name, IBA_QPS_COUNT);
    NAMED(iba_qp_type_name, IBA_QPT_COUNT);
    cr_assert_str_eq(iba_wc_status_name(IBA_WC_FLUSHED), "Work Request Flushed Error");
    cr_assert_str_eq(iba_qp_state_name(IBA_QPS_RTR), "Ready to Receive");
    cr_assert_str_eq(iba_wr_op_name(IBA_WR_READ), "RDMA READ");
    cr_assert_str_eq(iba_event_name(IBA_EVENT_SQ_DRAINED), "Send Queue Drained");
    cr_assert_str_eq(iba_qp_type_name(IBA_QPT_GSI), "GSI");
}

/* A broken device may get a port set up later: the port is broken, too, from the next verb that needs it. */
Test(verbs, a_port_that_is_set_up_later_follows_its_adapter)
{
    static const struct iba_change ttl = {
        .list = &iba_port_behaviours, .row = IBA_ROW_port_TTL, .kind = IBA_CHANGE_OTHER};
    enum { HOP_LIMIT_AT = 14 + 7, VERBS = 3 }; /* after the Ethernet header, in that of IPv6 */

    for (unsigned verb = 0; verb < VERBS; verb++) {
        struct desk *d = desk_open();
        const struct iba_av av = desk_av();
        const uint32_t qpn = desk_qp_in(d, 0, IBA_QPT_RC, IBA_QPS_INIT);
        uint32_t ah;

        iba_ca_change(&d->ca, &ttl);
        iba_port_init(iba_ca_port(&d->ca, 1), 1, IBA_PORT_ROCE2, IBA_MTU_2048, 0x020000000001);
        cr_assert_null(d->ca.port[0].change);
        switch (verb) {
        case 0:
            OK(desk_step(d, qpn, IBA_QPS_RTR, 0));
            cr_expect_eq(d->qp[0].envelope[HOP_LIMIT_AT], 255);
            break;
        case 1:
            OK(iba_create_ah(&d->ca, d->pd, &av, &ah));
            cr_expect_eq(d->ah[ah].envelope[HOP_LIMIT_AT], 255);
            break;
        default: OK(iba_set_pkey(&d->ca, 1, 1, 0x8001));
        }
        cr_expect_eq(d->ca.port[0].change, &ttl, "verb %u", verb);
    }
}
