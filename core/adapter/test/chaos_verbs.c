/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "chaos.h"
#include "transport/iba_wr_ops.h"

static uint32_t any_qpn(struct chaos *c, unsigned end)
{
    return chaos_one_in(c, 64) ? (uint32_t)chaos_below(c, 1 << 24) : c->end[end].qp[chaos_below(c, CHAOS_QPS)].qpn;
}

static uint8_t fill_sges(struct chaos *c, unsigned end, struct iba_sge *sge, uint64_t most)
{
    const uint8_t n = (uint8_t)(chaos_one_in(c, 2) ? 1 : chaos_below(c, IBA_MAX_SGE + 1));

    for (unsigned i = 0; i < n; i++)
        chaos_place(c, end, false, most, &sge[i].addr, &sge[i].length, &sge[i].lkey);
    return n;
}

static uint8_t pick_op(struct chaos *c, enum iba_qp_type type)
{
    static const uint8_t rc[] = {IBA_WR_SEND,  IBA_WR_SEND_IMM, IBA_WR_SEND_INV, IBA_WR_WRITE,     IBA_WR_WRITE_IMM,
                                 IBA_WR_READ,  IBA_WR_READ,     IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD, IBA_WR_ATOMIC_WRITE,
                                 IBA_WR_FLUSH, IBA_WR_BIND_MW,  IBA_WR_WRITE,    IBA_WR_SEND};
    static const uint8_t rd[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE,    IBA_WR_WRITE_IMM,
                                 IBA_WR_READ, IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD};
    static const uint8_t uc[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE, IBA_WR_WRITE_IMM};

    switch (type) {
    case IBA_QPT_RC:
    case IBA_QPT_XRC_INI: return rc[chaos_below(c, sizeof rc)];
    case IBA_QPT_RD: return rd[chaos_below(c, sizeof rd)];
    case IBA_QPT_UC: return uc[chaos_below(c, sizeof uc)];
    case IBA_QPT_UD: return uc[chaos_below(c, 2)];
    default: return IBA_WR_SEND;
    }
}

/* Fills in the destination of a datagram. */
static void address(struct chaos *c, unsigned end, struct iba_send_wr *wr)
{
    wr->ah = c->end[end].ah[chaos_below(c, CHAOS_AHS)];
    wr->remote_qpn = chaos_one_in(c, 8) ? 0xffffff : any_qpn(c, 1 - end) & 0xffffff;
    wr->remote_qkey = chaos_one_in(c, 4) ? 0x80000000u : 0x1234;
}

/* Fills in the peer's memory that a request accesses. */
static void reach(struct chaos *c, unsigned end, struct iba_send_wr *wr)
{
    uint32_t unused;

    chaos_place(c, 1 - end, true, 4096, &wr->va, &unused, &wr->rkey);
    if (wr->op == IBA_WR_FLUSH) {
        wr->flush_placement = (uint8_t)chaos_below(c, 4);
        wr->flush_selectivity = (uint8_t)chaos_below(c, 3);
    } else {
        wr->compare_add = chaos_below(c, 3);
        wr->swap = iba_random_next(&c->r);
    }
    if (wr->op == IBA_WR_CMP_SWAP || wr->op == IBA_WR_FETCH_ADD || wr->op == IBA_WR_ATOMIC_WRITE)
        wr->va = (wr->va + 7) & ~UINT64_C(7);
}

static void bind(struct chaos *c, unsigned end, struct iba_send_wr *wr)
{
    uint32_t length;

    wr->bind.mw_rkey = c->end[end].window[chaos_below(c, CHAOS_WINDOWS)];
    wr->bind.access = (uint16_t)(iba_random_next(&c->r) & IBA_ACCESS_OF_WINDOW);
    wr->bind.key_byte = (uint8_t)iba_random_next(&c->r);
    chaos_place(c, end, false, 4096, &wr->bind.va, &length, &wr->bind.mr_lkey);
    wr->bind.length = length;
}

/* Posts any operation to a QP of any type; the verb may refuse the operation. */
static void aim(struct chaos *c, unsigned end, unsigned i, struct iba_send_wr *wr)
{
    if (wr->op == IBA_WR_BIND_MW)
        bind(c, end, wr);
    else if (chaos_type(i) == IBA_QPT_RC || chaos_type(i) == IBA_QPT_UC || chaos_type(i) == IBA_QPT_XRC_INI ||
             chaos_type(i) == IBA_QPT_RD)
        reach(c, end, wr);
    else
        address(c, end, wr);
}

/* RD: in the place of the fourth entry. */
static void name_context(struct chaos *c, unsigned end, struct iba_send_wr *wr)
{
    const struct chaos_qp *qp = c->end[1 - end].qp;

    wr->n_sge = wr->n_sge > IBA_RD_MAX_SGE ? IBA_RD_MAX_SGE : wr->n_sge;
    wr->rd.eecn = chaos_one_in(c, 32) ? any_qpn(c, end) : c->end[end].qp[CHAOS_QPS - 3].qpn;
    wr->rd.remote_qpn = chaos_one_in(c, 16) ? any_qpn(c, 1 - end) : qp[CHAOS_QPS - 1 - chaos_below(c, 2)].qpn;
    wr->rd.remote_qkey = chaos_one_in(c, 4) ? 0x80000000u : 0x1234;
}

static void post_send(struct chaos *c, unsigned end)
{
    static const uint16_t length[] = {1200, 1200, 256, 4096};
    struct iba_send_wr wr = {.wr_id = iba_random_next(&c->r),
                             .op = (uint8_t)chaos_below(c, IBA_WR_OP_COUNT),
                             .flags = (uint8_t)chaos_below(c, 8)};
    const unsigned i = (unsigned)chaos_below(c, CHAOS_QPS);

    if (!chaos_one_in(c, 16))
        wr.op = pick_op(c, chaos_type(i));
    const struct chaos_end *any = &c->end[chaos_below(c, 2)];
    wr.imm_or_key = chaos_one_in(c, 2) ? c->end[1 - end].window[chaos_below(c, CHAOS_WINDOWS)]
                                       : any->plot[chaos_below(c, CHAOS_PLOTS)].rkey;
    aim(c, end, i, &wr);
    wr.n_sge = fill_sges(c, end, wr.sge, length[chaos_below(c, 4)]);
    if (wr.op == IBA_WR_CMP_SWAP || wr.op == IBA_WR_FETCH_ADD || wr.op == IBA_WR_ATOMIC_WRITE) {
        wr.n_sge = 1;
        wr.sge[0].length = 8;
    }
    if (wr.op == IBA_WR_FLUSH)
        wr.n_sge = 1;
    if (wr.op == IBA_WR_BIND_MW || wr.op == IBA_WR_LOCAL_INV)
        wr.n_sge = 0;
    if (wr.op == IBA_WR_LOCAL_INV)
        wr.imm_or_key = chaos_one_in(c, 2) ? c->end[end].window[chaos_below(c, CHAOS_WINDOWS)]
                                           : c->end[end].plot[chaos_below(c, CHAOS_PLOTS)].lkey;
    if (chaos_type(i) == IBA_QPT_RD)
        name_context(c, end, &wr);
    chaos_result(c, iba_post_send(&c->end[end].ca, c->end[end].qp[i].qpn, &wr));
}

static void post_recv(struct chaos *c, unsigned end)
{
    struct iba_recv_wr wr = {.wr_id = iba_random_next(&c->r)};

    wr.n_sge = fill_sges(c, end, wr.sge, 1 << 16);
    if (chaos_one_in(c, 4))
        chaos_result(c, iba_post_srq_recv(&c->end[end].ca, (uint32_t)chaos_below(c, CHAOS_SRQS), &wr));
    else
        chaos_result(c, iba_post_recv(&c->end[end].ca, any_qpn(c, end), &wr));
}

static void poll_cq(struct chaos *c, unsigned end)
{
    const uint32_t cq = (uint32_t)chaos_below(c, CHAOS_CQS);
    struct iba_wc wc;

    for (unsigned i = 0; i < CHAOS_CQ_ROOM && iba_poll_cq(&c->end[end].ca, cq, &wc); i++) {
        c->completions++;
        c->successes += wc.status == IBA_WC_SUCCESS;
        chaos_hash(c, &wc.wr_id, sizeof wc.wr_id);
        chaos_hash(c, &wc.status, sizeof wc.status);
        chaos_hash(c, &wc.byte_len, sizeof wc.byte_len);
        chaos_hash(c, &wc.op, sizeof wc.op);
        chaos_hash(c, &wc.flags, sizeof wc.flags);
        chaos_hash(c, &wc.imm_or_key, sizeof wc.imm_or_key);
        chaos_hash(c, &wc.src_qpn, sizeof wc.src_qpn);
        chaos_hash(c, &wc.pkey_index, sizeof wc.pkey_index);
        chaos_hash(c, &wc.slid, sizeof wc.slid);
        chaos_hash(c, &wc.sl, sizeof wc.sl);
        chaos_hash(c, &wc.path_bits, sizeof wc.path_bits);
    }
    chaos_result(c, iba_req_notify_cq(&c->end[end].ca, cq, chaos_one_in(c, 2)));
}

static void modify(struct chaos *c, unsigned end)
{
    struct iba_qp_attr a = {.state = (uint8_t)chaos_below(c, IBA_QPS_COUNT),
                            .cur_state = (uint8_t)chaos_below(c, IBA_QPS_COUNT),
                            .port = (uint8_t)(1 + chaos_one_in(c, 32)),
                            .pkey_index = (uint8_t)chaos_below(c, 5),
                            .access = (uint16_t)(iba_random_next(&c->r) & IBA_ACCESS_REMOTE),
                            .path_mtu = (uint8_t)chaos_below(c, 7),
                            .timeout = (uint8_t)chaos_below(c, 40),
                            .retry = (uint8_t)chaos_below(c, 9),
                            .rnr_retry = (uint8_t)chaos_below(c, 9),
                            .min_rnr = (uint8_t)chaos_below(c, 40),
                            .max_rd = (uint8_t)chaos_below(c, 8),
                            .max_dest_rd = (uint8_t)chaos_below(c, 5),
                            .path_mig = (uint8_t)chaos_below(c, 3),
                            .sqd_notify = chaos_one_in(c, 2),
                            .qkey = (uint32_t)chaos_below(c, 3),
                            .dest_qpn = any_qpn(c, 1 - end),
                            .rq_psn = (uint32_t)chaos_below(c, (1 << 24) + 5),
                            .sq_psn = (uint32_t)chaos_below(c, (1 << 24) + 5),
                            .av = chaos_av(c, end),
                            .alt_av = chaos_av(c, end)};
    uint32_t mask = IBA_QPA_STATE;

    for (unsigned n = (unsigned)chaos_below(c, 3); n > 0; n--)
        mask |= 1u << chaos_below(c, 21);
    if (a.state == IBA_QPS_RESET || a.state == IBA_QPS_ERR) /* else nearly all QPs would soon be in that state */
        a.state = chaos_one_in(c, 4) ? a.state : IBA_QPS_SQD;
    chaos_result(c, iba_modify_qp(&c->end[end].ca, any_qpn(c, end), &a, mask));
}

static void windows(struct chaos *c, unsigned end)
{
    static const uint8_t kind[] = {IBA_MEM_MW1, IBA_MEM_MW2A, IBA_MEM_MW2B};
    struct chaos_end *e = &c->end[end];
    uint32_t *w = &e->window[chaos_below(c, CHAOS_WINDOWS)];

    if (iba_mw_free(&e->ca.mem, *w) == IBA_MEM_OK)
        *w = 0;
    else if (iba_mw_alloc(&e->ca.mem, (enum iba_mem_kind)kind[chaos_below(c, 3)], e->pd[0], w) != IBA_MEM_OK)
        *w = 0;
}

/* A bind changes a window's key. Software learns the new key from the completion; this test reads it from the table. */
static void learn_keys(struct chaos *c, unsigned end)
{
    struct chaos_end *e = &c->end[end];

    for (unsigned i = 0; i < CHAOS_WINDOWS; i++)
        if (e->window[i] && iba_key_index(e->window[i]) < CHAOS_KEYS)
            e->window[i] = iba_key_of(iba_key_index(e->window[i]), e->keys[iba_key_index(e->window[i])].rkey_byte);
}

static void handles(struct chaos *c, unsigned end)
{
    struct chaos_end *e = &c->end[end];
    const unsigned i = (unsigned)chaos_below(c, CHAOS_AHS);
    struct iba_av av = chaos_av(c, end);

    if (chaos_one_in(c, 4)) { /* to a group */
        av.grh = true;
        av.dlid = 0xc001;
        memset(av.dgid, 0, sizeof av.dgid);
        av.dgid[0] = 0xff, av.dgid[1] = 0x12, av.dgid[15] = 1;
        av.dmac = UINT64_C(0x333300000001);
        if (c->kind == IBA_PORT_ROCE2 && !c->v6)
            iba_gid_set_ipv4(av.dgid, 0xef000001u);
    }
    if (e->ah_alive[i])
        e->ah_alive[i] = iba_destroy_ah(&e->ca, e->ah[i]) != IBA_VERB_OK;
    else
        e->ah_alive[i] = iba_create_ah(&e->ca, e->pd[chaos_one_in(c, 16)], &av, &e->ah[i]) == IBA_VERB_OK;
}

static void groups(struct chaos *c, unsigned end)
{
    uint8_t gid[16] = {0xff, 0x12, [15] = (uint8_t)(1 + chaos_one_in(c, 8))};
    const uint32_t qpn = any_qpn(c, end);

    if (c->kind == IBA_PORT_ROCE2 && !c->v6)
        iba_gid_set_ipv4(gid, 0xef000001u);
    const uint16_t lid = c->kind == IBA_PORT_IB ? 0xc001 : 0;
    if (chaos_one_in(c, 2))
        chaos_result(c, iba_attach_mcast(&c->end[end].ca, qpn, gid, lid));
    else
        chaos_result(c, iba_detach_mcast(&c->end[end].ca, qpn, gid, lid));
}

static void partitions(struct chaos *c, unsigned end)
{
    static const uint16_t key[] = {0xffff, 0xffff, 0x7fff, 0x8001, 0x0001, 0};

    const uint8_t index = (uint8_t)chaos_below(c, 4);

    chaos_result(c, iba_set_pkey(&c->end[end].ca, 1, index, key[chaos_below(c, 6)]));
}

static void rarely(struct chaos *c, unsigned end)
{
    struct chaos_end *e = &c->end[end];
    const uint32_t srq = (uint32_t)chaos_below(c, CHAOS_SRQS + 1);

    switch (chaos_below(c, 8)) {
    case 0: chaos_cq(c, end, (unsigned)chaos_below(c, CHAOS_CQS)); break;
    case 1: chaos_srq(c, end, (unsigned)chaos_below(c, CHAOS_SRQS)); break;
    case 2: chaos_result(c, iba_arm_srq(&e->ca, srq, (uint32_t)chaos_below(c, 16))); break;
    case 3: partitions(c, end); break;
    case 4: groups(c, end); break;
    case 5: handles(c, end); break;
    case 6: chaos_unmake_qp(c, end, (unsigned)chaos_below(c, CHAOS_QPS)); break;
    default:
        chaos_result(c, iba_mem_invalidate(&e->ca.mem, e->plot[chaos_below(c, CHAOS_PLOTS)].rkey, e->pd[0], 0, false) ==
                            IBA_MEM_OK);
    }
}

static bool sound(const struct chaos *c, unsigned i)
{
    for (unsigned end = 0; end < 2; end++)
        if (!c->end[end].qp[i].alive || c->end[end].qp[i].qp.state != IBA_QPS_RTS)
            return false;
    return true;
}

/* Random steps break objects faster than they create working ones, so this repairs one. */
static void mend(struct chaos *c, unsigned end)
{
    unsigned i = (unsigned)chaos_below(c, CHAOS_QPS);
    struct chaos_end *e = &c->end[end];

    for (unsigned tries = 0; tries < CHAOS_QPS && sound(c, i); tries++)
        i = (i + 1) % CHAOS_QPS;
    for (unsigned k = 0; k < CHAOS_CQS; k++)
        if (!e->cq[k].alive || (e->cq[k].cq.overflow && chaos_one_in(c, 4)))
            chaos_cq(c, end, k);
    chaos_make_qp(c, end, i);
    for (unsigned k = 0; k < CHAOS_PLOTS; k++)
        if (!chaos_usable(c, end, &e->plot[k]) && chaos_one_in(c, 8))
            chaos_unmake_region(c, end, k);
    chaos_make_region(c, end, (unsigned)chaos_below(c, CHAOS_PLOTS));
    if (!e->ah_alive[0])
        handles(c, end);
    if (chaos_one_in(c, 2))
        chaos_result(c, iba_set_pkey(&e->ca, 1, 0, 0xffff));
    if (c->end[0].qp[i].alive && c->end[1].qp[i].alive && !sound(c, i))
        chaos_connect(c, i);
}

void chaos_verb(struct chaos *c, unsigned end)
{
    const uint64_t choice = chaos_below(c, 100);

    learn_keys(c, end);
    if (choice < 35)
        post_send(c, end);
    else if (choice < 70)
        post_recv(c, end);
    else if (choice < 82)
        poll_cq(c, end);
    else if (choice < 92)
        mend(c, end);
    else if (choice < 94)
        modify(c, end);
    else if (choice < 95)
        windows(c, end);
    else if (choice < 96)
        chaos_unmake_region(c, end, (unsigned)chaos_below(c, CHAOS_PLOTS));
    else if (choice < 97)
        c->end[end].plot[chaos_below(c, CHAOS_PLOTS)].present =
            chaos_one_in(c, 4) ? (uint8_t)iba_random_next(&c->r) : 0xff;
    else
        rarely(c, end);
}
