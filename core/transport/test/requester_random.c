/* SPDX-License-Identifier: BSD-2-Clause */
/* Random answers at random times: the invariants of the send queue stay true (iba_ca_check), only the requested memory
 * is written, and every work request completes exactly once, in order. */
#include "requester.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum { STEPS = 20000, NO_ROW = -1, TARGET = 1 << 17 /* READs write below it, SENDs read above it */ };

static uint32_t below(uint32_t n)
{
    return (uint32_t)(bench_random(NULL) >> 33) % n;
}

static uint64_t posted, completed;

static void post_any(void)
{
    static const uint8_t ops[] = {IBA_WR_SEND,  IBA_WR_SEND_IMM,    IBA_WR_WRITE,    IBA_WR_WRITE_IMM,
                                  IBA_WR_READ,  IBA_WR_READ,        IBA_WR_CMP_SWAP, IBA_WR_FETCH_ADD,
                                  IBA_WR_FLUSH, IBA_WR_ATOMIC_WRITE};
    struct iba_send_wr w = wr_of((enum iba_wr_op)ops[below(10)], posted, below(4) ? below(300) : below(6000));

    w.flags = (uint8_t)(below(8) == 0 ? IBA_WR_FENCE : 0);
    w.sge[0].addr += w.op == IBA_WR_READ || w.op == IBA_WR_CMP_SWAP || w.op == IBA_WR_FETCH_ADD ? 0 : TARGET;
    if (below(200) == 0)
        w.sge[0].lkey ^= 1;
    if (iba_post_send(&b.ca, QPN, &w) == IBA_VERB_OK)
        posted++;
}

/* Feeds a random answer. Most answers are for the oldest outstanding request; some have any PSN near it. */
static void answer_any(void)
{
    static const uint8_t op[] = {IBA_RC_ACKNOWLEDGE,       IBA_RC_ACKNOWLEDGE,    IBA_RC_READ_RESP_FIRST,
                                 IBA_RC_READ_RESP_MIDDLE,  IBA_RC_READ_RESP_LAST, IBA_RC_READ_RESP_ONLY,
                                 IBA_RC_ATOMIC_ACKNOWLEDGE};
    static const uint8_t syndrome[] = {0x1f, 0x1f, 0x1f, 0x00, 0x04, 0x21, 0x60, 0x60};
    const struct iba_sqe *e = b.qp->s.count > 0 ? iba_sqe_at(b.qp, 0) : NULL;
    struct response r = {.opcode = op[below(7)], .syndrome = syndrome[below(8)], .payload = b.memory + TARGET};

    r.psn = (b.qp->s.una.v + below(12) - 2) & 0xffffff;
    r.len = below(3) == 0 ? 256 : 0;
    r.msn = below(100);
    if (below(500) == 0)
        r.syndrome = (uint8_t)below(256);
    if (e && e->state == IBA_SQE_BEGUN && below(8)) {
        const bool last = iba_psn_eq(b.qp->s.una, e->last), starts = iba_psn_eq(b.qp->s.una, e->asked);
        const uint64_t done = (uint64_t)((b.qp->s.una.v - e->first.v) & 0xffffff) * 256;
        r.psn = b.qp->s.una.v;
        r.opcode = e->wr.op != IBA_WR_READ
                       ? (iba_sqe_is(e, IBA_FORM_ANSWERED) ? IBA_RC_ATOMIC_ACKNOWLEDGE : IBA_RC_ACKNOWLEDGE)
                   : starts ? (last ? IBA_RC_READ_RESP_ONLY : IBA_RC_READ_RESP_FIRST)
                            : (last ? IBA_RC_READ_RESP_LAST : IBA_RC_READ_RESP_MIDDLE);
        r.len = e->wr.op != IBA_WR_READ ? 0 : last ? (size_t)(e->length - done) : 256;
        if (r.opcode != IBA_RC_ACKNOWLEDGE)
            r.syndrome = 0x1f;
    }
    respond(r);
}

static void collect(void)
{
    struct iba_wc wc;

    while (iba_poll_cq(&b.ca, b.cqn, &wc)) {
        cr_assert_eq(wc.wr_id, completed);
        completed++;
    }
}

static void again(const struct setup *s)
{
    modify(IBA_QPS_RESET, &(struct iba_qp_attr){0}, 0);
    completed = posted; /* Reset reports no completions (QS-17) */
    to_rts(s);
}

/* The unchanged table, or a table without one row: a broken device must not break the invariants of its queue. */
static void drop_row(int dropped)
{
    static struct iba_rule rows[IBA_MAX_RULES];
    static struct iba_rules rules;
    uint16_t n = 0;

    for (int i = 0; i < iba_rc_completer_rules.n; i++)
        if (i != dropped)
            rows[n++] = iba_rc_completer_rules.row[i];
    rules = (struct iba_rules){.name = "changed", .row = rows, .n = n};
    iba_ca_set_rules(&b.ca, IBA_TABLE_RC_COMPLETER, &rules);
}

static void storm(uint64_t seed, bool flow_control, int dropped)
{
    static uint8_t above[MEMORY - TARGET];
    const struct setup s = {.type = IBA_QPT_RC,
                            .mtu = IBA_MTU_256,
                            .timeout = 6,
                            .retry = 3,
                            .rnr_retry = 3,
                            .max_rd = 3,
                            .psn = 0xffff00,
                            .flow_control = flow_control,
                            .sig_all = true};
    unsigned failures = 0;

    start(s);
    drop_row(dropped);
    b.seed = seed;
    posted = completed = 0;
    memcpy(above, b.memory + TARGET, sizeof above);
    for (unsigned i = 0; i < STEPS; i++) {
        switch (below(6)) {
        case 0: post_any(); break;
        case 1:
        case 2: sends(); break;
        case 3: wait_until(b.now + below(200000)); break;
        default: answer_any();
        }
        iba_ca_check(&b.ca);
        collect();
        if (b.qp->state == IBA_QPS_ERR) {
            cr_assert_eq(completed, posted);
            failures++;
            again(&s);
        }
    }
    modify(IBA_QPS_ERR, &(struct iba_qp_attr){0}, 0);
    collect();
    cr_assert_eq(completed, posted);
    if (dropped != NO_ROW)
        return;
    cr_assert_eq(memcmp(above, b.memory + TARGET, sizeof above), 0);
    cr_assert(failures > 0 && posted > 1000, "%u failures, %d posted", failures, (int)posted);
}

Test(requester_random, any_answers)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        storm(seed, seed % 2 == 0, NO_ROW);
}

Test(requester_random, any_answers_to_a_changed_table)
{
    for (int row = 0; row < iba_rc_completer_rules.n; row++)
        storm((uint64_t)row + 1, row % 2 == 0, row);
}
