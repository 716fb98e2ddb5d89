/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine walks an unchanged rule table with compiled code and a changed one row by row: both give the same
 * results. */
#include <criterion/criterion.h>
#include "pair.h"
#include "transport/iba_wr_ops.h"

enum { MESSAGES = 16, BYTES = 8192, PART = BYTES / 2 };

static void walk_row_by_row(struct pair *p)
{
    static struct iba_rules plain[IBA_TABLE_COUNT];

    for (unsigned e = 0; e < 2; e++)
        for (unsigned t = 0; t < IBA_TABLE_COUNT; t++) {
            cr_assert(p->end[e].ca.table[t]->first, "table %u is compiled", t);
            plain[t] = *p->end[e].ca.table[t];
            plain[t].first = NULL;
            iba_ca_set_rules(&p->end[e].ca, (enum iba_rule_table)t, &plain[t]);
        }
}

static void exchange(struct pair *p, enum iba_qp_type type)
{
    static const uint8_t reliable[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_READ, IBA_WR_WRITE_IMM};
    static const uint8_t unreliable[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_SEND_IMM, IBA_WR_WRITE_IMM};
    struct iba_wc wc;

    for (unsigned i = 0; i < MESSAGES; i++) {
        struct iba_send_wr wr = {.wr_id = i, .op = (type == IBA_QPT_RC ? reliable : unreliable)[i % 4]};
        if (type == IBA_QPT_UD) {
            wr.op = IBA_WR_SEND;
            wr.ah = p->end[0].ah;
            wr.remote_qpn = p->end[1].qpn;
            wr.remote_qkey = 0x1234;
        } else {
            wr.va = PAIR_VA + PART;
            wr.rkey = p->end[1].rkey;
        }
        pair_post_recv(p, 1, i, 0, PART);
        pair_post_send(p, 0, &wr, 0, 200 * i % 700);
    }
    cr_assert(pair_run(p, UINT64_C(3600000000000)));
    for (unsigned e = 0; e < 2; e++)
        while (pair_poll(p, e, &wc))
            ;
}

static uint64_t outcome(uint64_t seed, enum iba_qp_type type, bool row_by_row)
{
    const struct pair_config c = {.seed = seed,
                                  .kind = (enum iba_port_kind)(seed % 3),
                                  .type = type,
                                  .mtu = type == IBA_QPT_UD ? IBA_MTU_1024 : IBA_MTU_256,
                                  .timeout = 14,
                                  .retry = 7,
                                  .rnr_retry = 7,
                                  .rd_depth = 4,
                                  .bytes = BYTES,
                                  .faults = {.lose = 1000, .duplicate = 1000}};
    struct pair *p = pair_open(&c);
    uint64_t hash;

    if (row_by_row)
        walk_row_by_row(p);
    exchange(p, type);
    hash = p->hash;
    for (unsigned e = 0; e < 2; e++)
        for (unsigned t = 0; t < IBA_TABLE_COUNT; t++)
            for (unsigned i = 0; i < IBA_MAX_RULES; i++)
                hash = hash * 31 + p->end[e].ca.hits[t][i];
    pair_close(p);
    return hash;
}

static void same_either_way(enum iba_qp_type type)
{
    for (uint64_t seed = 0; seed < 30; seed++)
        cr_assert_eq(outcome(seed, type, false), outcome(seed, type, true), "seed %u", (unsigned)seed);
}

Test(walk, rc)
{
    same_either_way(IBA_QPT_RC);
}

Test(walk, uc)
{
    same_either_way(IBA_QPT_UC);
}

Test(walk, ud)
{
    same_either_way(IBA_QPT_UD);
}
