/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives that hold several messages, in a shared receive queue: random messages of several connections at a time,
 * whose packets mix on the wire, beside a model that copies each message to the place that its completion names. All
 * memory of the receiver must equal the model's. IBPROOF_SEEDS sets the number of runs; the usual run has 200. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "lab.h"
#include "sim/iba_random.h"
#include "transport/iba_wr_ops.h"

enum { RUNS = 200, QPS = 3, RECEIVES = 6, MESSAGES = 8, LONGEST = 600, AREA = 8192, SOURCE = QPS * MESSAGES * LONGEST };
_Static_assert((int)RECEIVES *AREA <= (int)LAB_BYTES && (int)SOURCE <= (int)LAB_BYTES, "all lies in the memory");

static struct iba_random r;
static struct iba_recv_wr receive[RECEIVES];
static uint8_t model[LAB_BYTES];

static unsigned pick(unsigned n)
{
    return (unsigned)iba_random_below(&r, n);
}

/* A receive for messages of up to LONGEST bytes, in up to four buffers or in blocks. */
static struct iba_recv_wr some_receive(unsigned i, uint32_t lkey)
{
    struct iba_recv_wr w = {.wr_id = i, .n_sge = 1, .unit_log = (uint8_t)pick(8)};
    uint64_t at = LAB_VA + (uint64_t)i * AREA;

    w.most = (uint16_t)((LONGEST + (1u << w.unit_log) - 1) >> w.unit_log);
    if (pick(2)) {
        w.form = IBA_RECV_BLOCKS;
        w.block = (struct iba_sge){at, 1 + pick(40), lkey};
        w.distance = w.block.length + pick(w.block.length);
        w.n_block = (uint32_t)(AREA / w.distance);
        return w;
    }
    for (w.n_sge = 0; w.n_sge < IBA_MAX_SGE; at += AREA / IBA_MAX_SGE)
        w.sge[w.n_sge++] = (struct iba_sge){at, 200 + pick(AREA / IBA_MAX_SGE - 200), lkey};
    return w;
}

/* Returns the offset in the memory of byte `i` of the receive. */
static uint64_t place(const struct iba_recv_wr *w, uint64_t i)
{
    if (w->form == IBA_RECV_BLOCKS)
        return w->block.addr - LAB_VA + i / w->block.length * w->distance + i % w->block.length;
    for (unsigned k = 0; k < w->n_sge; i -= w->sge[k++].length)
        if (i < w->sge[k].length)
            return w->sge[k].addr - LAB_VA + i;
    cr_assert(0, "byte beyond the receive");
    return 0;
}

/* Message `k` of connection `q` has these bytes. */
static uint64_t source(unsigned q, unsigned k)
{
    return (uint64_t)(q * MESSAGES + k) * LONGEST;
}

static void one_run(unsigned seed)
{
    struct lab *l = lab_open(IBA_PORT_ROCE2, 2);
    struct lab_end *e = &l->end[1];
    uint32_t from[QPS], to[QPS], length[QPS][MESSAGES], srq;
    unsigned done[QPS] = {0}, units[RECEIVES] = {0};
    bool ended[RECEIVES] = {false};

    iba_random_seed(&r, seed);
    for (unsigned i = 0; i < SOURCE; i++)
        lab_memory(l, 0)[i] = (uint8_t)pick(256);
    memcpy(model, lab_memory(l, 1), LAB_BYTES);
    cr_assert_eq(iba_create_srq(&e->ca, &e->srq, e->srq_ring, RECEIVES, e->pd, &srq), IBA_VERB_OK);
    for (unsigned i = 0; i < RECEIVES; i++) {
        receive[i] = some_receive(i, e->lkey);
        cr_assert_eq(iba_post_srq_recv(&e->ca, srq, &receive[i]), IBA_VERB_OK);
    }
    for (unsigned q = 0; q < QPS; q++) {
        from[q] = lab_qp(l, 0, IBA_QPT_RC, IBA_NONE);
        to[q] = lab_qp(l, 1, IBA_QPT_RC, srq);
        lab_connect(l, 0, from[q], 1, to[q], lab_attr());
    }
    for (unsigned k = 0; k < MESSAGES; k++)
        for (unsigned q = 0; q < QPS; q++) {
            const struct iba_send_wr wr = {.op = IBA_WR_SEND};
            length[q][k] = pick(3) ? pick(LONGEST + 1) : pick(3);
            cr_assert_eq(lab_send(l, 0, from[q], wr, source(q, k), length[q][k]), IBA_VERB_OK);
        }
    lab_run(l, l->now + LAB_SECOND);
    for (unsigned i = 0; i < QPS * MESSAGES; i++) {
        const struct iba_wc wc = lab_wc(l, 1);
        const unsigned q = wc.qpn == to[0] ? 0 : wc.qpn == to[1] ? 1 : 2, k = done[q]++;
        const struct iba_recv_wr *w = &receive[wc.wr_id];
        cr_assert_eq(wc.status, IBA_WC_SUCCESS);
        cr_assert_eq(wc.byte_len, length[q][k]);
        cr_assert(!ended[wc.wr_id] && wc.unit == units[wc.wr_id], "seed %u: unit %u", seed, wc.unit);
        for (uint32_t b = 0; b < wc.byte_len; b++)
            model[place(w, ((uint64_t)wc.unit << w->unit_log) + b)] = lab_memory(l, 0)[source(q, k) + b];
        units[wc.wr_id] += wc.byte_len > 0 ? (wc.byte_len + (1u << w->unit_log) - 1) >> w->unit_log : 1;
        ended[wc.wr_id] = !(wc.flags & IBA_WC_MORE);
    }
    lab_no_wc(l, 1);
    cr_assert_arr_eq(lab_memory(l, 1), model, LAB_BYTES, "seed %u", seed);
    lab_close(l);
}

Test(stream, messages_lie_where_their_completions_say)
{
    const char *s = getenv("IBPROOF_SEEDS");
    const unsigned runs = s ? (unsigned)strtoul(s, NULL, 10) : RUNS;

    for (unsigned seed = 0; seed < runs; seed++)
        one_run(seed);
}
