/* SPDX-License-Identifier: BSD-2-Clause */
/* The way in which software passes its work must change nothing on the wire. With buffers in one entry, in several
 * entries, or as inline data, two adapters send the same packets at the same times, complete alike, and store all bytes
 * at the same places. Random lists of work are played over networks with and without faults. IBPROOF_SEEDS sets the
 * number of lists, 1,000 in the usual run; IBPROOF_FIRST sets the first seed, 0 in the usual run. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "pair.h"
#include "transport/iba_wr_ops.h"

enum { WORK = 10, MOST = 1024, BYTES = 3 * WORK * MOST };
enum form { WHOLE, CUT, INLINE, FORMS };

struct outcome {
    uint64_t hash, steps;
    uint8_t memory[2][BYTES];
};

/* Writes the scatter/gather list of a buffer: one entry, or up to four of random lengths. */
static uint8_t entries(struct iba_sge *sge, enum form form, struct iba_random *cuts, uint64_t at, uint32_t length,
                       uint32_t lkey)
{
    uint8_t n = 0;

    while (form == CUT && n + 1 < IBA_MAX_SGE && length > 1) {
        const uint32_t part = 1 + (uint32_t)iba_random_below(cuts, length - 1);
        sge[n++] = (struct iba_sge){PAIR_VA + at, part, lkey};
        at += part;
        length -= part;
    }
    sge[n++] = (struct iba_sge){PAIR_VA + at, length, lkey};
    return n;
}

static void post_receive(struct pair *p, enum form form, struct iba_random *cuts, unsigned i)
{
    const struct pair_end *e = &p->end[1];
    struct iba_recv_wr wr = {.wr_id = i};

    wr.n_sge = entries(wr.sge, form, cuts, (uint64_t)(2 * WORK + i) * MOST, MOST, e->lkey);
    if (e->qp.type == IBA_QPT_XRC_TGT)
        cr_assert_eq(iba_post_srq_recv(&p->end[1].ca, e->srqn, &wr), IBA_VERB_OK);
    else
        cr_assert_eq(iba_post_recv(&p->end[1].ca, e->qpn, &wr), IBA_VERB_OK);
}

/* Posts a send. Short lengths are drawn often, because only they can be inline data. */
static void post_send(struct pair *p, enum form form, struct iba_random *list, struct iba_random *cuts, unsigned i)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE, IBA_WR_WRITE_IMM, IBA_WR_READ};
    const struct pair_end *e = &p->end[0];
    const bool reads = e->qp.type != IBA_QPT_UC;
    const uint8_t op = ops[iba_random_below(list, sizeof ops - !reads)];
    const uint32_t length = (uint32_t)iba_random_below(list, iba_random_below(list, 2) ? IBA_MAX_INLINE + 1 : MOST + 1);
    struct iba_send_wr wr = {.wr_id = 100 + i,
                             .op = op,
                             .flags = IBA_WR_SIGNALED,
                             .imm_or_key = (uint32_t)iba_random_next(list),
                             .va = PAIR_VA + (uint64_t)(WORK + i) * MOST,
                             .rkey = p->end[1].rkey,
                             .xrc_srqn = p->end[1].srqn};

    wr.n_sge = entries(wr.sge, form, cuts, (uint64_t)i * MOST, length, e->lkey);
    if (form == INLINE && op != IBA_WR_READ && length <= IBA_MAX_INLINE)
        wr.flags |= IBA_WR_INLINE;
    cr_assert_eq(iba_post_send(&p->end[0].ca, e->qpn, &wr), IBA_VERB_OK);
}

static void play(uint64_t seed, enum form form, struct outcome *o)
{
    static const enum iba_qp_type types[] = {IBA_QPT_RC, IBA_QPT_UC, IBA_QPT_XRC_INI};
    const struct iba_net_faults none = {0},
                                some = {.lose = 30000, .reorder = 30000, .reorder_ns = 20000, .delay_ns = 1000};
    struct pair_config c = pair_config_of(seed, BYTES, seed / 2 % 2 ? &some : &none);
    struct iba_random list, cuts;
    struct iba_wc wc;
    struct pair *p;

    c.type = types[seed % 3];
    p = pair_open(&c);
    iba_random_seed(&list, seed);
    iba_random_seed(&cuts, seed + 1);
    for (unsigned i = 0; i < WORK; i++)
        post_receive(p, form, &cuts, i);
    for (unsigned i = 0; i < WORK; i++)
        post_send(p, form, &list, &cuts, i);
    cr_assert(pair_run(p, IBA_NEVER), "seed %" PRIu64 " does not end", seed);
    for (unsigned end = 0; end < 2; end++)
        while (pair_poll(p, end, &wc) > 0)
            continue;
    o->hash = p->hash;
    o->steps = p->steps;
    for (unsigned end = 0; end < 2; end++)
        memcpy(o->memory[end], pair_memory(p, end), BYTES);
    cr_assert(pair_guards_hold(p));
    pair_close(p);
}

Test(invariance, the_wire_does_not_show_how_buffers_are_given)
{
    static struct outcome whole, other;
    const unsigned first = pair_setting("IBPROOF_FIRST", 0), seeds = pair_setting("IBPROOF_SEEDS", 1000);

    for (unsigned seed = first; seed < first + seeds; seed++) {
        play(seed, WHOLE, &whole);
        cr_assert_gt(whole.steps, 0u);
        for (enum form form = CUT; form < FORMS; form++) {
            play(seed, form, &other);
            cr_assert_eq(other.hash, whole.hash, "seed %u, form %d: other packets or completions", seed, (int)form);
            cr_assert_arr_eq(other.memory[0], whole.memory[0], BYTES, "seed %u, form %d", seed, (int)form);
            cr_assert_arr_eq(other.memory[1], whole.memory[1], BYTES, "seed %u, form %d", seed, (int)form);
        }
    }
}
