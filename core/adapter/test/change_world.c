/* SPDX-License-Identifier: BSD-2-Clause */
/* The scenarios for changed devices: each kind of QP, losses, receivers that are late, errors on either side, a queue
 * that drains. */
#include <criterion/criterion.h>
#include <string.h>
#include "change.h"
#include "transport/iba_requester.h"
#include "transport/iba_wr_ops.h"

enum { BYTES = 16384, PART = BYTES / 4, QKEY = 0x1234, WHILE = 40000000, T = 4096 << 8 };
#define HIGH_VA UINT64_C(0x500000000)

enum special { /* the peculiarity of a message */
               PLAIN,
               RKEY,   /* its R_Key, address handle or placement is invalid */
               LKEY,   /* the L_Key of the buffer is invalid */
               OWN,    /* its buffer, or the key it invalidates, is the region that can be invalidated; the same on the
                          peer */
               ABSENT, /* the buffer is absent */
               DOMAIN, /* the address handle is of another domain */
               GROUP,  /* to a multicast group */
               TWO,    /* two scatter/gather entries */
               ALONE,  /* long after the requests before it */
               LATER,  /* a little after the requests before it */
};
struct message {
    uint8_t op, flags;
    uint32_t length;
    uint8_t special;
};
enum codes { NO_CODES, ACK_TIMEOUT, RETRIES, RNR_TIMER, RNR_RETRIES };
struct scenario {
    enum iba_qp_type type;
    enum iba_port_kind kind;
    enum iba_mtu mtu; /* 0: the least */
    enum codes codes;
    uint32_t lose, reorder; /* of a million */
    uint8_t seed, receives, min_rnr;
    bool credits, peer_credits, drains, sig_all, limited, dribble, no_depth, armed;
    struct message m[12];
};

#define S IBA_WR_SIGNALED
#define E IBA_WR_SOLICITED
#define F IBA_WR_FENCE
#define W(op) IBA_WR_##op
#define LOSSY                                                                                                          \
    .m = {{W(SEND), S, 1500, PLAIN}, {W(WRITE), S, 1200, PLAIN},    {W(READ), S, 2000, PLAIN},                         \
          {W(SEND), S, 600, PLAIN},  {W(SEND), S, 20, PLAIN},       {W(READ), S, 900, PLAIN},                          \
          {W(READ), S, 200, PLAIN},  {W(READ), S, 100, PLAIN},      {W(WRITE), S, 400, PLAIN},                         \
          {W(SEND), S, 513, PLAIN},  {W(READ), S | F, 1000, PLAIN}, {W(WRITE), S, 300, RKEY}}
#define MANY                                                                                                           \
    .m = {{W(SEND), S, 10, PLAIN}, {W(SEND), S, 20, PLAIN},   {W(WRITE), S, 10, PLAIN}, {W(SEND), S, 600, PLAIN},      \
          {W(SEND), S, 10, PLAIN}, {W(WRITE), S, 700, PLAIN}, {W(SEND), S, 20, PLAIN},  {W(SEND), S, 900, PLAIN},      \
          {W(SEND), S, 30, PLAIN}, {W(SEND), S, 30, PLAIN}}
/* clang-format off */
static const struct scenario scenarios[] = {
    {.type = IBA_QPT_RC, .receives = 12, .mtu = IBA_MTU_512,
     .m = {{W(SEND), S | E, 700, PLAIN}, {W(SEND_IMM), E, 512, PLAIN}, {W(WRITE), S | E, 1000, OWN}, {W(READ), S, 700, PLAIN}, {W(FETCH_ADD), S, 8, PLAIN}, {W(CMP_SWAP), S, 8, PLAIN},
           {W(SEND), S | F, 10, PLAIN}, {W(WRITE_IMM), S | E, 257, PLAIN}, {W(SEND), F, 0, PLAIN}, {W(READ), S, 0, PLAIN}, {W(ATOMIC_WRITE), S, 8, PLAIN}, {W(SEND_INV), S | E, 300, OWN}}},
    {.type = IBA_QPT_RC, .kind = IBA_PORT_ROCE2, .receives = 12, .limited = true, .m = {{W(SEND), S, 1500, PLAIN}, {W(READ), S, 1500, PLAIN}, {W(READ), S, 5, PLAIN}, {W(READ), S, 5, PLAIN}}},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 150000, .seed = 1, LOSSY},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 150000, .seed = 2, LOSSY},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 250000, .seed = 3, LOSSY},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 250000, .seed = 4, LOSSY},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 350000, .seed = 5, MANY},
    {.type = IBA_QPT_RC, .receives = 12, .lose = 350000, .seed = 6, MANY},
    {.type = IBA_QPT_RC, .receives = 1, .lose = 200000, .seed = 7, MANY},
    {.type = IBA_QPT_RC, .receives = 1, .dribble = true, MANY}, /* the receiver is late */
    {.type = IBA_QPT_RC, .receives = 1, .lose = 100000, .seed = 8, .dribble = true, .min_rnr = 16, MANY},
    {.type = IBA_QPT_RC, .receives = 1, .dribble = true, .min_rnr = 16, MANY},
    {.type = IBA_QPT_RC, .receives = 3, .credits = true, .peer_credits = true, .dribble = true, MANY},
    {.type = IBA_QPT_RC, .receives = 3, .credits = true, .peer_credits = true, .reorder = 300000, .seed = 9, .dribble = true, MANY},
    {.type = IBA_QPT_RC, .receives = 3, .credits = true, .peer_credits = true, .dribble = true,
     .m = {{W(SEND), S, 600, PLAIN}, {W(SEND), S, 700, PLAIN}, {W(SEND), S, 900, PLAIN}, {W(SEND), S, 600, PLAIN}, {W(SEND), S, 700, PLAIN}, {W(SEND), S, 900, PLAIN}}},
    {.type = IBA_QPT_RC, .receives = 3, .credits = true, MANY}, /* the peer announces no credits */
    {.type = IBA_QPT_RC, .receives = 3, .peer_credits = true, .dribble = true, MANY},
    {.type = IBA_QPT_RC, .receives = 4, .m = {{W(SEND), 0, 100, PLAIN}, {W(WRITE), 0, 600, RKEY}, {W(WRITE), S, 100, PLAIN}, {W(SEND), 0, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .receives = 4, .lose = 300000, .seed = 12, .m = {{W(SEND), S, 100, PLAIN}, {W(WRITE), S, 6, PLAIN}, {W(WRITE), S, 600, RKEY}}},
    {.type = IBA_QPT_RC, .receives = 4, .lose = 300000, .seed = 13, .m = {{W(SEND), S, 100, PLAIN}, {W(WRITE), S, 6, PLAIN}, {W(WRITE), S, 600, RKEY}}},
    {.type = IBA_QPT_RC, .receives = 4, .lose = 300000, .seed = 14, .m = {{W(SEND), S, 100, PLAIN}, {W(WRITE), S, 6, PLAIN}, {W(WRITE), S, 600, RKEY}}},
    {.type = IBA_QPT_RC, .receives = 4, .m = {{W(SEND), S, 100, PLAIN}, {W(SEND), 0, 600, LKEY}, {W(WRITE), S, 100, PLAIN}, {W(SEND), 0, 10, ALONE}}},
    {.type = IBA_QPT_RC, .receives = 4, .m = {{W(WRITE), S, 900, PLAIN}, {W(LOCAL_INV), S, 0, PLAIN}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .lose = 500000, .seed = 10, .m = {{W(WRITE), S, 1900, OWN}, {W(LOCAL_INV), S, 0, OWN}}},
    {.type = IBA_QPT_RC, .m = {{W(BIND_MW), S, 0, PLAIN}, {W(WRITE), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .m = {{W(WRITE), S, 10, PLAIN}, {W(WRITE), S, 10, ABSENT}}},
    {.type = IBA_QPT_RC, .lose = 1000000, .m = {{W(WRITE), S, 600, PLAIN}, {W(WRITE), S, 10, LATER}}}, /* nobody there */
    {.type = IBA_QPT_RC, .lose = 1000000, .armed = true, .m = {{W(WRITE), S, 600, PLAIN}}},
    {.type = IBA_QPT_RC, .lose = 1000000, .codes = ACK_TIMEOUT, .m = {{W(WRITE), S, 600, PLAIN}, {W(READ), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .lose = 1000000, .codes = RETRIES, .m = {{W(WRITE), S, 600, PLAIN}, {W(READ), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .codes = RNR_TIMER, .m = {{W(WRITE), S, 600, PLAIN}, {W(SEND), S, 10, PLAIN}}}, /* never a receive */
    {.type = IBA_QPT_RC, .codes = RNR_RETRIES, .m = {{W(WRITE), S, 600, PLAIN}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .receives = 8, .drains = true, .sig_all = true,
     .m = {{W(SEND), 0, 4000, PLAIN}, {W(WRITE), 0, 3000, PLAIN}, {W(SEND), S, 10, PLAIN}, {W(SEND), 0, 10, ALONE}}},
    {.type = IBA_QPT_RC, .receives = 8, .drains = true, .lose = 100000, .seed = 11, .m = {{W(SEND), 0, 4000, PLAIN}, {W(WRITE), 0, 3000, PLAIN}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .receives = 8, .m = {{W(SEND), S, 40, PLAIN}, {W(FLUSH), S, 40, PLAIN}, {W(SEND), S, 40, PLAIN}}}, /* not allowed there */
    {.type = IBA_QPT_RC, .receives = 8, /* operations that do not fit the service */
     .m = {{W(CMP_SWAP), S, 4, PLAIN}, {W(FETCH_ADD), S, 8, TWO}, {W(FLUSH), S, 40, RKEY}, {W(SEND), S, 0x90000000, PLAIN}, {W(SEND), S, 40, TWO}}},
    {.type = IBA_QPT_RC, .m = {{W(READ), S, 0x40000000, PLAIN}, {W(READ), S, 0x40000000, PLAIN}, {W(READ), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .m = {{W(WRITE), S, 10, PLAIN}, {W(READ), S, 0x80000000, PLAIN}, {W(WRITE), S, 10, PLAIN}}},
    {.type = IBA_QPT_RC, .no_depth = true, .m = {{W(WRITE), S, 10, PLAIN}, {W(READ), S, 10, PLAIN}, {W(WRITE), S, 10, PLAIN}}},
    {.type = IBA_QPT_UC, .kind = IBA_PORT_ROCE1, .receives = 8,
     .m = {{W(SEND), S, 700, PLAIN}, {W(SEND_IMM), S, 512, PLAIN}, {W(WRITE), S, 1000, PLAIN}, {W(WRITE_IMM), S, 10, PLAIN}, {W(SEND), S, 0, PLAIN}, {W(READ), S, 10, PLAIN}}},
    {.type = IBA_QPT_UC, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(WRITE), 0, 1000, LKEY}, {W(SEND), S, 512, PLAIN}, {W(SEND), 0, 12, ALONE}}},
    {.type = IBA_QPT_UD, .receives = 8,
     .m = {{W(SEND), S | E, 700, PLAIN}, {W(SEND_IMM), S, 512, PLAIN}, {W(SEND), S, 0, PLAIN}, {W(SEND), S, 5000, PLAIN}, {W(WRITE), S, 10, PLAIN}, {W(SEND), 0, 1, PLAIN}}},
    {.type = IBA_QPT_UD, .kind = IBA_PORT_ROCE2, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(SEND), S, 10, RKEY}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_UD, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(SEND), S, 10, DOMAIN}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_UD, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(SEND), S, 10, GROUP}, {W(SEND), S, 10, PLAIN}}},
    {.type = IBA_QPT_RAW_ETHERTYPE, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(SEND), S, 512, PLAIN}, {W(SEND), S, 13, PLAIN}, {W(SEND), S, 4, PLAIN}}},
    {.type = IBA_QPT_RAW_ETHERTYPE, .receives = 8, .m = {{W(SEND), S, 4, PLAIN}}},
    {.type = IBA_QPT_RAW_IPV6, .receives = 8, .m = {{W(SEND), S, 700, PLAIN}, {W(SEND), S, 4, PLAIN}}},
};
/* clang-format on */
const unsigned change_scenarios = sizeof scenarios / sizeof *scenarios;

struct world {
    struct pair *p;
    const struct scenario *s;
    uint32_t lkey[2], rkey[2]; /* of a region that can be invalidated */
    uint32_t absent, mw, far_ah;
    uint8_t memory[2][4096];
};

static void add_regions(struct world *w)
{
    static const uint8_t nothing[2];

    for (unsigned e = 0; e < 2; e++) {
        struct iba_mr_attr a = {.base = w->memory[e],
                                .length = sizeof w->memory[e],
                                .iova = HIGH_VA,
                                .pd = w->p->end[e].pd,
                                .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE | IBA_ACCESS_MW_BIND |
                                          IBA_ACCESS_INVALIDATE};
        cr_assert_eq(iba_mr_register(&w->p->end[e].ca.mem, &a, &w->lkey[e], &w->rkey[e]), IBA_MEM_OK);
        if (e == 1)
            continue;
        a.access = IBA_ACCESS_ON_DEMAND;
        a.present = nothing;
        uint32_t rkey;
        cr_assert_eq(iba_mr_register(&w->p->end[e].ca.mem, &a, &w->absent, &rkey), IBA_MEM_OK);
        cr_assert_eq(iba_mw_alloc(&w->p->end[e].ca.mem, IBA_MEM_MW1, w->p->end[e].pd, &w->mw), IBA_MEM_OK);
    }
}

static void set_up(struct world *w, uint16_t row)
{
    const struct scenario *s = w->s;

    for (unsigned e = 0; e < 2; e++) {
        struct iba_qp *qp = &w->p->end[e].qp;
        if (s->limited)
            w->p->end[e].ca.port[0].pkey[0] = e ? 0x8123 : 0x0123;
        qp->sq_sig_all = s->sig_all;
        if (s->min_rnr)
            qp->attr.min_rnr = s->min_rnr;
        if (s->codes == RNR_TIMER)
            qp->attr.min_rnr = row & 31;
    }
    w->p->end[0].qp.attr.flow_control = s->credits;
    w->p->end[0].qp.s.unlimited = !s->credits;
    w->p->end[1].qp.attr.flow_control = s->peer_credits;
    if (s->armed) {
        w->p->end[0].qp.attr.alt_av = w->p->end[0].qp.attr.av;
        w->p->end[0].qp.attr.path_mig = IBA_PATH_ARMED;
    }
    if (s->type == IBA_QPT_UD) {
        struct iba_ca *ca = &w->p->end[0].ca;
        uint32_t pd;
        cr_assert_eq(iba_pd_create(&ca->mem, &pd), IBA_MEM_OK);
        cr_assert_eq(iba_create_ah(ca, pd, &ca->ah[w->p->end[0].ah].av, &w->far_ah), IBA_VERB_OK);
    }
}

static void open_scenario(struct world *w, unsigned s, uint16_t row)
{
    const struct scenario *is = &scenarios[s];
    const struct pair_config c = {
        .seed = is->seed,
        .kind = is->kind,
        .type = is->type,
        .mtu = is->mtu ? is->mtu : IBA_MTU_256,
        .psn = 0xfffff8,
        .timeout = is->codes == ACK_TIMEOUT ? row & 31 : 8,
        .retry = is->codes == RETRIES ? row & 7 : 5,
        .rnr_retry = is->codes == RNR_RETRIES ? row & 7 : 6,
        .rd_depth = is->no_depth ? 0 : 2,
        .bytes = BYTES,
        .flight = 64,
        .faults = {.lose = is->lose, .reorder = is->reorder, .reorder_ns = 20000, .delay_ns = 1000}};

    *w = (struct world){.p = pair_open(&c), .s = is};
    add_regions(w);
    set_up(w, row);
}

static void aim(const struct world *w, unsigned i, struct iba_send_wr *wr)
{
    const struct message *m = &w->s->m[i];

    if (w->s->type == IBA_QPT_RC || w->s->type == IBA_QPT_UC) {
        wr->va = m->special == OWN ? HIGH_VA : PAIR_VA + PART;
        wr->rkey = m->special == RKEY ? 0 : m->special == OWN ? w->rkey[1] : w->p->end[1].rkey;
        wr->compare_add = 3;
        wr->swap = 5;
        wr->flush_placement = m->special == RKEY ? 0 : 2;
        wr->flush_selectivity = 1;
        return;
    }
    wr->ah = m->special == RKEY ? PAIR_SLOTS : m->special == DOMAIN ? w->far_ah : w->p->end[0].ah;
    wr->remote_qpn = m->special == GROUP ? 0xffffff : w->p->end[1].qpn;
    wr->remote_qkey = i == 1 ? 0x80000001 : i == 2 ? 0x4321 : QKEY;
}

static void name_local(const struct world *w, unsigned i, struct iba_send_wr *wr)
{
    const struct message *m = &w->s->m[i];
    const bool other = m->special == OWN || m->special == ABSENT;
    const uint32_t key = m->special == LKEY     ? 0
                         : m->special == OWN    ? w->lkey[0]
                         : m->special == ABSENT ? w->absent
                                                : w->p->end[0].lkey;

    wr->n_sge = m->special == TWO ? 2 : 1;
    for (unsigned k = 0; k < wr->n_sge; k++)
        wr->sge[k] = (struct iba_sge){(other ? HIGH_VA : PAIR_VA + 2 * PART) + 8 * k, m->length / wr->n_sge, key};
    if (m->op == IBA_WR_LOCAL_INV || m->op == IBA_WR_BIND_MW)
        wr->n_sge = 0;
    if (m->op == IBA_WR_BIND_MW) {
        wr->bind.mw_rkey = w->mw;
        wr->bind.mr_lkey = w->lkey[0];
        wr->bind.va = HIGH_VA;
        wr->bind.length = 100;
        wr->bind.access = IBA_ACCESS_REMOTE_WRITE;
    }
}

/* The verb's result is part of the outcome, because a changed device may accept what other devices refuse. */
static void post(struct world *w, unsigned i)
{
    const struct message *m = &w->s->m[i];
    struct pair_end *e = &w->p->end[0];
    struct iba_send_wr wr = {.wr_id = i + 1, .op = m->op, .flags = m->flags, .imm_or_key = 0x01020304};

    if (m->op == IBA_WR_LOCAL_INV && m->special == OWN)
        wr.imm_or_key = w->lkey[0];
    if (m->op == IBA_WR_SEND_INV)
        wr.imm_or_key = w->rkey[1];
    aim(w, i, &wr);
    name_local(w, i, &wr);
    w->p->hash = w->p->hash * 31 + iba_post_send(&e->ca, e->qpn, &wr);
}

static void receive(struct world *w, unsigned n)
{
    for (unsigned i = 0; i < n && w->p->end[1].qp.state != IBA_QPS_ERR; i++)
        pair_post_recv(w->p, 1, i, 3 * PART, PART);
}

static void collect(struct world *w)
{
    struct iba_wc wc;

    for (unsigned e = 0; e < 2; e++) {
        while (pair_poll(w->p, e, &wc))
            ;
        w->p->hash = w->p->hash * 31 + w->p->end[e].qp.state;
    }
}

static void become(struct world *w, unsigned end, uint8_t state)
{
    const struct iba_qp_attr a = {.state = state, .sqd_notify = true};

    (void)iba_modify_qp(&w->p->end[end].ca, w->p->end[end].qpn, &a, IBA_QPA_STATE);
}

static void go_on(struct world *w, iba_time time)
{
    cr_assert(pair_run(w->p, w->p->now + time), "no end");
}

static void post_all(struct world *w)
{
    const struct message *m = w->s->m;

    for (unsigned i = 0; i < sizeof w->s->m / sizeof *m && (m[i].flags || m[i].length || m[i].special); i++) {
        if (m[i].special == ALONE || m[i].special == LATER)
            go_on(w, m[i].special == ALONE ? WHILE : T / 2);
        if (m[i].special == ALONE && w->s->drains)
            become(w, 0, IBA_QPS_RTS);
        post(w, i);
        if (w->s->drains && i == 1) {
            go_on(w, 1);
            become(w, 0, IBA_QPS_SQD);
        }
    }
}

/* Returns twice the time that eight retries take. */
static iba_time long_while(const struct world *w)
{
    const struct iba_qp *qp = &w->p->end[1].qp;

    if (w->s->codes == ACK_TIMEOUT)
        return UINT64_C(16 * 8192) << qp->attr.timeout;
    return w->s->codes == RNR_TIMER ? 16 * iba_rnr_timer_ns(qp->attr.min_rnr) + WHILE : WHILE;
}

static void run(struct world *w)
{
    receive(w, w->s->receives);
    post_all(w);
    for (unsigned i = 0; w->s->dribble && i < 10; i++) {
        go_on(w, 200000);
        receive(w, 1);
    }
    go_on(w, long_while(w));
    collect(w);
    become(w, 0, IBA_QPS_ERR);
    become(w, 1, IBA_QPS_ERR);
    collect(w);
    become(w, 0, IBA_QPS_RESET);
    post(w, 0); /* before the QP is ready */
    cr_assert(pair_guards_hold(w->p));
}

bool change_has_codes(unsigned s)
{
    return scenarios[s].codes != NO_CODES;
}

uint64_t change_outcome(unsigned s, const struct iba_change *sender, const struct iba_change *peer, uint16_t row)
{
    static struct world w;
    uint64_t hash;

    open_scenario(&w, s, row);
    iba_ca_change(&w.p->end[0].ca, sender);
    iba_ca_change(&w.p->end[1].ca, peer);
    run(&w);
    hash = w.p->hash;
    pair_close(w.p);
    return hash;
}

void change_rules_outcome(unsigned s, enum iba_rule_table t, const struct iba_rules *rules)
{
    static struct world w;

    open_scenario(&w, s, 3);
    for (unsigned e = 0; e < 2; e++)
        iba_ca_set_rules(&w.p->end[e].ca, t, rules);
    run(&w);
    pair_close(w.p);
}
