/* The scenarios that changed devices are put through: each kind of QP, losses, receivers that are late, errors on
 * either side, a queue that drains. */
#include <criterion/criterion.h>
#include <string.h>
#include "change.h"

enum { BYTES = 16384, PART = BYTES / 4, RKEY = 1, BAD_LKEY = 2, LONE = 4, QKEY = 0x1234 };

struct message { /* one send */
    uint8_t op, flags;
    uint32_t length;
    uint8_t wrong; /* RKEY, BAD_LKEY; LONE: time passes before it */
    uint8_t n_sge; /* 0: one */
};

struct scenario {
    enum iba_qp_type type;
    enum iba_port_kind kind;
    uint32_t lose; /* of a million */
    uint8_t receives;
    bool credits, drains, codes, sig_all;
    iba_time until;
    struct message m[12];
};

#define S IBA_WR_SIGNALED
#define E IBA_WR_SOLICITED
#define F IBA_WR_FENCE
#define W(op) IBA_WR_##op
#define SECOND UINT64_C(1000000000)
/* clang-format off */
static const struct scenario scenarios[] = {
    {.type = IBA_QPT_RC, .receives = 12, .until = SECOND,
     .m = {{W(SEND), S | E, 700}, {W(SEND_IMM), E, 512}, {W(WRITE), S | E, 1000}, {W(READ), S, 700}, {W(FETCH_ADD), S, 8}, {W(CMP_SWAP), S, 8},
           {W(SEND), S | F, 10}, {W(WRITE_IMM), S | E, 257}, {W(SEND), 0, 0}, {W(READ), S, 0}, {W(ATOMIC_WRITE), S, 8}, {W(SEND_INV), S | E, 300}}},
    {.type = IBA_QPT_RC, .kind = IBA_PORT_ROCE2, .receives = 12, .lose = 200000, .until = SECOND,
     .m = {{W(SEND), S, 1500}, {W(READ), S, 1500}, {W(WRITE), S, 1200}, {W(SEND_IMM), S, 600}, {W(FETCH_ADD), S, 8}, {W(READ), S, 900},
           {W(READ), S, 200}, {W(READ), S, 100}, {W(WRITE), S, 400}, {W(SEND), S, 513}, {W(READ), S | F, 100}, {W(SEND), S, 3}}},
    {.type = IBA_QPT_RC, .receives = 1, .until = SECOND, /* the receiver is late */
     .m = {{W(WRITE), S, 900}, {W(SEND), S, 100}, {W(READ), S, 300}, {W(SEND), S, 600}, {W(SEND), S, 700}, {W(WRITE), S, 300}}},
    {.type = IBA_QPT_RC, .receives = 3, .credits = true, .until = SECOND,
     .m = {{W(SEND), S, 600}, {W(SEND), S, 700}, {W(WRITE), S, 300}, {W(SEND), S, 10}, {W(SEND), S, 900}, {W(WRITE), S, 100},
           {W(SEND), S, 300}, {W(SEND), S, 20}, {W(SEND), S, 30}}},
    {.type = IBA_QPT_RC, .receives = 4, .until = SECOND, /* a NAK, and what stands behind it */
     .m = {{W(SEND), 0, 100}, {W(WRITE), 0, 600, RKEY}, {W(WRITE), S, 100}, {W(SEND), 0, 10}}},
    {.type = IBA_QPT_RC, .receives = 4, .until = SECOND, /* a local fault */
     .m = {{W(SEND), S, 100}, {W(SEND), 0, 600, BAD_LKEY}, {W(WRITE), S, 100}, {W(SEND), 0, 10, LONE}}},
    {.type = IBA_QPT_RC, .receives = 4, .until = SECOND, /* a key that is none */
     .m = {{W(WRITE), S, 900}, {W(LOCAL_INV), S, 0}, {W(SEND), S, 10}}},
    {.type = IBA_QPT_RC, .lose = 1000000, .codes = true, .until = UINT64_C(100000000000000), /* nobody there */
     .m = {{W(WRITE), S, 600}, {W(SEND), S, 10}}},
    {.type = IBA_QPT_RC, .codes = true, .until = UINT64_C(4000) * SECOND, /* never a receive */
     .m = {{W(WRITE), S, 600}, {W(SEND), S, 10}}},
    {.type = IBA_QPT_RC, .receives = 8, .drains = true, .until = SECOND, .sig_all = true,
     .m = {{W(SEND), 0, 4000}, {W(WRITE), 0, 3000}, {W(SEND), S, 10}, {W(SEND), 0, 10, LONE}}},
    {.type = IBA_QPT_RC, .receives = 8, .until = SECOND, /* a FLUSH that the peer does not allow */
     .m = {{W(SEND), S, 40}, {W(FLUSH), S, 40}, {W(SEND), S, 40}}},
    {.type = IBA_QPT_RC, .receives = 8, .until = SECOND, /* operations of another form than theirs */
     .m = {{W(CMP_SWAP), S, 4}, {W(FETCH_ADD), S, 8, 0, 2}, {W(FLUSH), S, 40, RKEY}, {W(SEND), S, 40}}},
    {.type = IBA_QPT_UC, .kind = IBA_PORT_ROCE1, .receives = 8, .until = SECOND,
     .m = {{W(SEND), S, 700}, {W(SEND_IMM), S, 512}, {W(WRITE), S, 1000}, {W(WRITE_IMM), S, 10}, {W(SEND), S, 0}, {W(READ), S, 10}}},
    {.type = IBA_QPT_UC, .receives = 8, .until = SECOND,
     .m = {{W(SEND), S, 700}, {W(WRITE), 0, 1000, BAD_LKEY}, {W(SEND), S, 512}, {W(SEND), 0, 12, LONE}}},
    {.type = IBA_QPT_UD, .receives = 8, .until = SECOND,
     .m = {{W(SEND), S | E, 700}, {W(SEND_IMM), S, 512}, {W(SEND), S, 0}, {W(SEND), S, 5000}, {W(WRITE), S, 10}, {W(SEND), 0, 1}}},
    {.type = IBA_QPT_UD, .kind = IBA_PORT_ROCE2, .receives = 8, .until = SECOND,
     .m = {{W(SEND), S, 700}, {W(SEND), S, 10, RKEY}, {W(SEND), S, 10}}},
    {.type = IBA_QPT_RAW_ETHERTYPE, .receives = 8, .until = SECOND,
     .m = {{W(SEND), S, 700}, {W(SEND), S, 512}, {W(SEND), S, 13}, {W(SEND), S, 4}}},
    {.type = IBA_QPT_RAW_IPV6, .receives = 8, .until = SECOND, .m = {{W(SEND), S, 700}, {W(SEND), S, 4}}},
};
/* clang-format on */
const unsigned change_scenarios = sizeof scenarios / sizeof *scenarios;

static struct pair *open_scenario(const struct scenario *s, uint16_t row)
{
    const struct pair_config c = {.seed = 7,
                                  .kind = s->kind,
                                  .type = s->type,
                                  .mtu = s->type == IBA_QPT_UD ? IBA_MTU_1024 : IBA_MTU_256,
                                  .psn = 0xfffff8,
                                  .timeout = s->codes && s->lose ? row & 31 : 8,
                                  .retry = s->codes ? row & 7 : 5,
                                  .rnr_retry = s->codes ? row & 7 : 6,
                                  .rd_depth = 2,
                                  .bytes = BYTES,
                                  .faults = {.lose = s->lose, .delay_ns = 1000}};
    struct pair *p = pair_open(&c);

    for (unsigned e = 0; e < 2; e++) {
        struct iba_qp *qp = &p->end[e].qp;
        p->end[e].ca.port[0].pkey[0] = 0xffff;
        qp->sq_sig_all = s->sig_all;
        if (s->codes)
            qp->attr.min_rnr = row & 31;
        if (s->credits) {
            qp->attr.flow_control = true;
            qp->s.unlimited = false;
        }
    }
    return p;
}

static void post(struct pair *p, const struct scenario *s, unsigned i)
{
    const struct message *m = &s->m[i];
    struct pair_end *e = &p->end[0];
    struct iba_send_wr wr = {.wr_id = i + 1,
                             .op = m->op,
                             .flags = m->flags,
                             .n_sge = m->n_sge ? m->n_sge : 1,
                             .imm_or_key = 0x01020304,
                             .va = PAIR_VA + PART,
                             .rkey = m->wrong == RKEY ? 0 : p->end[1].rkey,
                             .flush_placement = m->wrong == RKEY ? 0 : 2,
                             .flush_selectivity = 1};

    if (s->type == IBA_QPT_RC || s->type == IBA_QPT_UC) {
        wr.compare_add = 3;
        wr.swap = 5;
    } else {
        wr.ah = m->wrong == RKEY ? PAIR_SLOTS : e->ah;
        wr.remote_qpn = p->end[1].qpn;
        wr.remote_qkey = i == 1 ? 0x80000001 : QKEY;
    }
    for (unsigned k = 0; k < wr.n_sge; k++)
        wr.sge[k] =
            (struct iba_sge){PAIR_VA + 2 * PART + 8 * k, m->length / wr.n_sge, m->wrong == BAD_LKEY ? 0 : e->lkey};
    if (m->op == IBA_WR_LOCAL_INV)
        wr.n_sge = 0;
    (void)iba_post_send(&e->ca, e->qpn, &wr); /* a changed device may take what others refuse */
}

static void receive(struct pair *p, const struct scenario *s, unsigned n)
{
    for (unsigned i = 0; i < n && p->end[1].qp.state != IBA_QPS_ERR; i++)
        pair_post_recv(p, 1, i, 3 * PART, s->type == IBA_QPT_RC ? 4096 - 64 : PART);
}

static void collect(struct pair *p)
{
    struct iba_wc wc;

    for (unsigned e = 0; e < 2; e++)
        while (pair_poll(p, e, &wc))
            ;
}

static void become(struct pair *p, unsigned end, uint8_t state)
{
    const struct iba_qp_attr a = {.state = state, .sqd_notify = true};

    (void)iba_modify_qp(&p->end[end].ca, p->end[end].qpn, &a, IBA_QPA_STATE);
}

/* What is posted before the QP is ready: only a device that takes it holds it. */
static void early(struct pair *p, const struct scenario *s)
{
    for (unsigned e = 0; e < 2; e++)
        become(p, e, IBA_QPS_RESET);
    post(p, s, 0);
}

static void run(struct pair *p, const struct scenario *s)
{
    iba_time end = s->until;

    receive(p, s, s->receives);
    for (unsigned i = 0; i < sizeof s->m / sizeof *s->m && (s->m[i].flags || s->m[i].length); i++) {
        if (s->m[i].wrong == LONE) {
            cr_assert(pair_run(p, end / 2));
            if (s->drains)
                become(p, 0, IBA_QPS_RTS);
        }
        post(p, s, i);
        if (s->drains && i == 1) {
            cr_assert(pair_run(p, 1));
            become(p, 0, IBA_QPS_SQD);
        }
    }
    cr_assert(pair_run(p, end / 4 * 3), "no end");
    collect(p);
    if (s->receives)
        receive(p, s, 12u - s->receives);
    cr_assert(pair_run(p, end), "no end");
    collect(p);
    become(p, 0, IBA_QPS_ERR);
    become(p, 1, IBA_QPS_ERR);
    collect(p);
    early(p, s);
    collect(p);
    cr_assert(pair_guards_hold(p));
}

uint64_t change_outcome(unsigned s, const struct iba_change *sender, const struct iba_change *peer, uint16_t row)
{
    struct pair *p = open_scenario(&scenarios[s], row);
    uint64_t hash;

    iba_ca_change(&p->end[0].ca, sender);
    iba_ca_change(&p->end[1].ca, peer);
    run(p, &scenarios[s]);
    hash = p->hash;
    pair_close(p);
    return hash;
}

void change_rules_outcome(unsigned s, enum iba_rule_table t, const struct iba_rules *rules)
{
    struct pair *p = open_scenario(&scenarios[s], 3);

    for (unsigned e = 0; e < 2; e++)
        iba_ca_set_rules(&p->end[e].ca, t, rules);
    run(p, &scenarios[s]);
    pair_close(p);
}
