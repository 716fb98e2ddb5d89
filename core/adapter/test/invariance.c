/* SPDX-License-Identifier: BSD-2-Clause */
/* The way in which software passes its work must change nothing on the wire. With buffers in one entry, in several
 * entries, in blocks of a receive, in receives that hold several messages, or as inline data, two adapters send the
 * same packets at the same times, and store all bytes where software wants them. Random lists of work are played over
 * networks with and without faults. IBPROOF_SEEDS sets the number of lists, 1,000 in the usual run; IBPROOF_FIRST sets
 * the first seed, 0 in the usual run. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "pair.h"
#include "transport/iba_wr_ops.h"

enum { WORK = 10, MOST = 1024, PLAIN = 2 * WORK * MOST, BYTES = 4 * WORK * MOST, EMPTY = 0xcc };
enum form { WHOLE, CUT, INLINE, BLOCKS, STREAM, FORMS };

/* Where a receive has its bytes: from `at` on, or of a receive of blocks in blocks of this many bytes, each as far from
 * the next as two of them take. */
struct layout {
    uint32_t at, block, unit_log;
};
struct outcome {
    uint64_t wire, all; /* hashes: of the packets; with the completions */
    uint64_t steps;
    struct layout receive[WORK];
    struct iba_wc done[WORK]; /* receives that succeeded, in order */
    unsigned n_done;
    bool partial; /* parts of messages may have been lost for good, and the others stored */
    uint8_t memory[2][BYTES];
};

/* Writes the scatter/gather list of a buffer: one entry, or of random lengths up to `most`, at most IBA_MAX_SGE. */
static uint8_t entries(struct iba_sge *sge, enum form form, struct iba_random *cuts, uint64_t at, uint32_t length,
                       uint32_t lkey, unsigned most)
{
    uint8_t n = 0;

    while (form == CUT && n + 1u < most && length > 1) {
        const uint32_t part = 1 + (uint32_t)iba_random_below(cuts, length - 1);
        sge[n++] = (struct iba_sge){PAIR_VA + at, part, lkey};
        at += part;
        length -= part;
    }
    sge[n++] = (struct iba_sge){PAIR_VA + at, length, lkey};
    return n;
}

/* Two receives of blocks share the bytes of both: each has every other block. */
static void in_blocks(struct iba_recv_wr *wr, struct layout *l, struct iba_random *cuts, unsigned i, uint32_t lkey)
{
    l->block = i % 2 ? l[-1].block : UINT32_C(1) << iba_random_below(cuts, 9);
    l->at = PLAIN + i / 2 * 2 * MOST + i % 2 * l->block;
    wr->form = IBA_RECV_BLOCKS;
    wr->n_sge = 1;
    wr->block = (struct iba_sge){PAIR_VA + l->at, l->block, lkey};
    wr->distance = 2 * l->block;
    wr->n_block = MOST / l->block;
}

/* A receive of one message or more: as many bytes as one to two long messages, in units of up to 512 bytes. */
static void as_stream(struct iba_recv_wr *wr, struct layout *l, struct iba_random *cuts, unsigned i, uint32_t lkey)
{
    l->at = PLAIN + i * 2 * MOST;
    l->unit_log = (uint32_t)iba_random_below(cuts, 10);
    wr->unit_log = (uint8_t)l->unit_log;
    wr->most = (uint16_t)(MOST >> l->unit_log);
    wr->n_sge = entries(wr->sge, iba_random_below(cuts, 2) ? CUT : WHOLE, cuts, l->at,
                        MOST + (uint32_t)iba_random_below(cuts, MOST + 1), lkey, IBA_MAX_SGE);
}

static void post_receive(struct pair *p, enum form form, struct iba_random *cuts, struct outcome *o, unsigned i)
{
    const struct pair_end *e = &p->end[1];
    struct iba_recv_wr wr = {.wr_id = i};
    struct layout *l = &o->receive[i];

    *l = (struct layout){.at = PLAIN + i * MOST};
    if (form == BLOCKS)
        in_blocks(&wr, l, cuts, i, e->lkey);
    else if (form == STREAM)
        as_stream(&wr, l, cuts, i, e->lkey);
    else
        wr.n_sge = entries(wr.sge, form, cuts, l->at, MOST, e->lkey, IBA_MAX_SGE);
    if (e->qp.type == IBA_QPT_XRC_TGT || e->qp.srq != IBA_NONE)
        cr_assert_eq(iba_post_srq_recv(&p->end[1].ca, e->srqn, &wr), IBA_VERB_OK);
    else
        cr_assert_eq(iba_post_recv(&p->end[1].ca, e->qpn, &wr), IBA_VERB_OK);
}

/* The most entries of a send's list; inline data are stored in their place. */
static unsigned longest_list(const struct pair_end *e)
{
    return e->qp.type == IBA_QPT_RD ? IBA_RD_MAX_SGE : IBA_MAX_SGE;
}

/* Draws an operation that the service has, its length and its immediate data. Short lengths are drawn often, because
 * only they can be inline data. */
static uint32_t draw_send(struct iba_send_wr *wr, enum iba_qp_type type, struct iba_random *list)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_SEND_IMM, IBA_WR_WRITE, IBA_WR_WRITE_IMM, IBA_WR_READ};
    const unsigned n_ops = type == IBA_QPT_UD ? 2 : type == IBA_QPT_UC ? 4 : 5;
    const uint32_t most =
        type == IBA_QPT_UD ? MOST - IBA_BYTES_grh : MOST; /* a receive begins with the GRH's place (UU-21) */

    wr->op = ops[iba_random_below(list, n_ops)];
    const uint32_t length = (uint32_t)iba_random_below(list, iba_random_below(list, 2) ? IBA_MAX_INLINE + 1 : most + 1);
    wr->imm_or_key = (uint32_t)iba_random_next(list);
    return length;
}

static void set_destination(struct iba_send_wr *wr, const struct pair *p, unsigned i)
{
    const struct pair_end *to = &p->end[1];

    if (p->end[0].qp.type == IBA_QPT_UD) {
        wr->ah = p->end[0].ah;
        wr->remote_qpn = to->qpn;
        wr->remote_qkey = PAIR_QKEY;
        return;
    }
    wr->va = PAIR_VA + (uint64_t)(WORK + i) * MOST;
    wr->rkey = to->rkey;
    wr->xrc_srqn = to->srqn;
    if (p->end[0].qp.type != IBA_QPT_RD)
        return;
    wr->rd.eecn = p->end[0].eecn;
    wr->rd.remote_qpn = to->qpn;
    wr->rd.remote_qkey = PAIR_QKEY;
}

static void post_send(struct pair *p, enum form form, struct iba_random *list, struct iba_random *cuts, unsigned i)
{
    const struct pair_end *e = &p->end[0];
    const unsigned most = longest_list(e);
    struct iba_send_wr wr = {.wr_id = 100 + i, .flags = IBA_WR_SIGNALED};
    const uint32_t length = draw_send(&wr, e->qp.type, list);

    wr.n_sge = entries(wr.sge, form, cuts, (uint64_t)i * MOST, length, e->lkey, most);
    set_destination(&wr, p, i);
    if (form == INLINE && wr.op != IBA_WR_READ && length <= most * sizeof(struct iba_sge))
        wr.flags |= IBA_WR_INLINE;
    cr_assert_eq(iba_post_send(&p->end[0].ca, e->qpn, &wr), IBA_VERB_OK);
}

/* A network without faults lets all work succeed, so that the comparison is not one of failures. */
static void note_completions(struct pair *p, struct outcome *o, bool faults)
{
    struct iba_wc wc;

    o->n_done = 0;
    while (pair_poll(p, 0, &wc) > 0)
        cr_assert(faults || wc.status == IBA_WC_SUCCESS, "status %u", wc.status);
    while (pair_poll(p, 1, &wc) > 0)
        if (wc.status == IBA_WC_SUCCESS)
            o->done[o->n_done++] = wc;
}

static enum iba_qp_type type_of(uint64_t seed)
{
    static const enum iba_qp_type types[] = {IBA_QPT_RC, IBA_QPT_UC, IBA_QPT_XRC_INI, IBA_QPT_RD, IBA_QPT_UD};

    return types[seed % (sizeof types / sizeof types[0])];
}

static void play(uint64_t seed, enum form form, struct outcome *o)
{
    const struct iba_net_faults none = {0},
                                some = {.lose = 30000, .reorder = 30000, .reorder_ns = 20000, .delay_ns = 1000};
    struct pair_config c = pair_config_of(seed, BYTES, seed / 2 % 2 ? &some : &none);
    struct iba_random list, cuts;
    struct pair *p;

    c.type = type_of(seed);
    c.srq = form == STREAM;
    p = pair_open(&c);
    memset(pair_memory(p, 1) + PLAIN, EMPTY, BYTES - PLAIN);
    iba_random_seed(&list, seed);
    iba_random_seed(&cuts, seed + 1);
    for (unsigned i = 0; i < WORK; i++)
        post_receive(p, form, &cuts, o, i);
    for (unsigned i = 0; i < WORK; i++)
        post_send(p, form, &list, &cuts, i);
    cr_assert(pair_run(p, IBA_NEVER), "seed %" PRIu64 " does not end", seed);
    o->wire = p->hash;
    note_completions(p, o, c.faults.lose > 0);
    o->all = p->hash;
    o->steps = p->steps;
    o->partial = c.type == IBA_QPT_UC && c.faults.lose > 0;
    for (unsigned end = 0; end < 2; end++)
        memcpy(o->memory[end], pair_memory(p, end), BYTES);
    cr_assert(pair_guards_hold(p));
    pair_close(p);
}

/* Moves the bytes of each receive of blocks to the place at which a whole receive has them. */
static void from_blocks(struct outcome *o)
{
    static uint8_t in_order[WORK * MOST];

    for (unsigned i = 0; i < WORK; i++)
        for (uint32_t k = 0; k < MOST; k++)
            in_order[i * MOST + k] = o->memory[1][o->receive[i].at + k / o->receive[i].block * 2 * o->receive[i].block +
                                                  k % o->receive[i].block];
    memcpy(o->memory[1] + PLAIN, in_order, sizeof in_order);
}

/* The messages of `whole` lie one after the other in the receives of `stream`, each at the unit that its completion
 * names, and other bytes are as before. */
static void streams_alike(const struct outcome *whole, const struct outcome *stream, unsigned seed)
{
    static uint8_t model[BYTES];
    unsigned units[WORK] = {0};

    cr_assert_eq(stream->n_done, whole->n_done, "seed %u", seed);
    memcpy(model, whole->memory[1], PLAIN);
    memset(model + PLAIN, EMPTY, BYTES - PLAIN);
    for (unsigned k = 0; k < whole->n_done; k++) {
        const struct iba_wc *w = &whole->done[k], *s = &stream->done[k];
        const struct layout *l = &stream->receive[s->wr_id];
        const uint32_t n = w->op == IBA_WR_RECV ? w->byte_len : 0, at = l->at + ((uint32_t)s->unit << l->unit_log);
        cr_assert(s->op == w->op && s->byte_len == w->byte_len && s->imm_or_key == w->imm_or_key, "seed %u", seed);
        cr_assert_eq(s->unit, units[s->wr_id], "seed %u: completion %u", seed, k);
        units[s->wr_id] += n > 0 ? (n + (1u << l->unit_log) - 1) >> l->unit_log : 1;
        memcpy(model + at, whole->memory[1] + whole->receive[w->wr_id].at, n);
        cr_assert_arr_eq(stream->memory[1] + at, model + at, n, "seed %u: message %u", seed, k);
    }
    if (!stream->partial)
        cr_assert_arr_eq(stream->memory[1], model, BYTES, "seed %u", seed);
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
            cr_assert_eq(other.wire, whole.wire, "seed %u, form %d: other packets", seed, (int)form);
            cr_assert_arr_eq(other.memory[0], whole.memory[0], BYTES, "seed %u, form %d", seed, (int)form);
            if (form == STREAM) {
                streams_alike(&whole, &other, seed);
                continue;
            }
            cr_assert_eq(other.all, whole.all, "seed %u, form %d: other completions", seed, (int)form);
            if (form == BLOCKS)
                from_blocks(&other);
            cr_assert_arr_eq(other.memory[1], whole.memory[1], BYTES, "seed %u, form %d", seed, (int)form);
        }
    }
}
