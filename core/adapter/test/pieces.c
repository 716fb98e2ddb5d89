/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests through regions of pieces (UMR): random trees of them at both ends of a connection, and READ, WRITE, ATOMIC
 * and SEND through their keys beside a model that copies the bytes one by one. A message that a key
 * below refuses fails, and no byte of the model's memory differs. IBPROOF_SEEDS sets the number of trees; the usual run
 * has 300. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "lab.h"
#include "memory/test/tree.h"
#include "transport/iba_wr_ops.h"

enum { TREES = 300, MESSAGES = 6, ATOMIC = 8 };
_Static_assert((int)TREE_ARENA <= (int)LAB_BYTES, "the trees lie in the memory of an adapter");

static struct tree tree[2];
static uint8_t model[2][TREE_ARENA];
static uint32_t qpn[2];
static unsigned seen[2]; /* messages that were refused, and that were not */

/* Some bytes under one key of an end. */
struct extent {
    const struct tree *t;
    const struct tree_region *r;
    unsigned from, n;
};

static unsigned pick(unsigned n)
{
    return tree_pick(&tree[0], n);
}

static struct extent extent_of(unsigned end, unsigned n)
{
    const struct tree *t = &tree[end];
    struct extent e = {.t = t, .r = &t->region[pick(t->n)]};

    while (e.r->length < n)
        e.r = &t->region[pick(t->n)];
    e.n = n;
    e.from = pick(e.r->length - n + 1);
    return e;
}

static bool permits(const struct extent *e, bool write, uint16_t need)
{
    return (e->r->access & need) == need && tree_permits(e->t, e->r, e->from, e->n, write);
}

static void take(const struct extent *e, uint8_t *out)
{
    for (unsigned i = 0; i < e->n; i++)
        out[i] = model[e->t - tree][e->r->byte[e->from + i].at];
}

static void put(const struct extent *e, const uint8_t *in)
{
    for (unsigned i = 0; i < e->n; i++)
        model[e->t - tree][e->r->byte[e->from + i].at] = in[i];
}

static void open_lab(struct lab **l, uint64_t seed)
{
    *l = lab_open(IBA_PORT_ROCE2, 2);
    for (unsigned end = 0; end < 2; end++) {
        struct tree *t = &tree[end];
        t->m = &(*l)->end[end].ca.mem;
        t->pd = (*l)->end[end].pd;
        t->arena = lab_memory(*l, end);
        t->seed = 2 * seed + end;
        qpn[end] = lab_qp(*l, end, IBA_QPT_RC, IBA_NONE);
        tree_grow(t);
        memcpy(model[end], t->arena, TREE_ARENA);
    }
    lab_connect(*l, 0, qpn[0], 1, qpn[1], lab_attr());
}

/* Copies the bytes in both ends' models as the message does. Returns false if one of the keys refuses the message. */
static bool move(uint8_t op, const struct extent *here, const struct extent *there)
{
    uint8_t bytes[TREE_BYTES];
    uint64_t old;

    switch (op) {
    case IBA_WR_READ:
        if (!permits(there, false, IBA_ACCESS_REMOTE_READ) || !permits(here, true, IBA_ACCESS_LOCAL_WRITE))
            return false;
        take(there, bytes);
        put(here, bytes);
        return true;
    case IBA_WR_FETCH_ADD:
        if (!permits(there, true, IBA_ACCESS_REMOTE_ATOMIC) || !permits(here, true, IBA_ACCESS_LOCAL_WRITE))
            return false;
        take(there, (uint8_t *)&old);
        put(here, (const uint8_t *)&old);
        old++;
        put(there, (const uint8_t *)&old);
        return true;
    default:
        if (!permits(here, false, 0) ||
            !permits(there, true, op == IBA_WR_WRITE ? IBA_ACCESS_REMOTE_WRITE : IBA_ACCESS_LOCAL_WRITE))
            return false;
        take(here, bytes);
        put(there, bytes);
        return true;
    }
}

static void same_memory(unsigned end, const char *what)
{
    for (unsigned i = 0; i < TREE_ARENA; i++)
        if (tree[end].arena[i] != model[end][i])
            cr_assert(0, "byte %u of end %u differs after %s", i, end, what);
}

/* Sends one message. Returns false if it was refused; then the connection is in error. */
static bool one_message(struct lab *l)
{
    static const uint8_t ops[] = {IBA_WR_SEND, IBA_WR_WRITE, IBA_WR_READ, IBA_WR_FETCH_ADD};
    const uint8_t op = ops[pick(4)];
    const unsigned n = op == IBA_WR_FETCH_ADD ? ATOMIC : 1 + pick(pick(2) ? 30 : 1500);
    unsigned most = n;

    for (unsigned end = 0; end < 2; end++) {
        unsigned longest = 0;
        for (unsigned i = 0; i < tree[end].n; i++)
            longest = tree[end].region[i].length > longest ? tree[end].region[i].length : longest;
        most = longest < most ? longest : most;
    }
    if (op == IBA_WR_FETCH_ADD && most < ATOMIC)
        return true;
    struct extent here = extent_of(0, most), there = extent_of(1, most);
    if (op == IBA_WR_FETCH_ADD &&
        (there.r->iova + there.from) % ATOMIC != 0) /* an ATOMIC's address is a multiple of 8 */
        there.from -= there.from % ATOMIC;
    const struct iba_recv_wr recv = {
        .wr_id = 7, .n_sge = 1, .sge = {{there.r->iova + there.from, most, there.r->lkey}}};
    if (op == IBA_WR_SEND)
        cr_assert_eq(iba_post_recv(&l->end[1].ca, qpn[1], &recv), IBA_VERB_OK);
    const struct iba_send_wr wr = {.wr_id = 1,
                                   .op = op,
                                   .flags = IBA_WR_SIGNALED,
                                   .va = there.r->iova + there.from,
                                   .rkey = there.r->rkey,
                                   .compare_add = 1,
                                   .n_sge = 1,
                                   .sge = {{here.r->iova + here.from, most, here.r->lkey}}};
    cr_assert_eq(iba_post_send(&l->end[0].ca, qpn[0], &wr), IBA_VERB_OK);
    lab_run(l, l->now + LAB_SECOND);
    const bool works = move(op, &here, &there);
    const struct iba_wc wc = lab_wc(l, 0);
    if ((wc.status == IBA_WC_SUCCESS) != works)
        cr_assert(0, "operation %u of %u bytes: status %d", op, most, wc.status);
    if (op == IBA_WR_SEND && works)
        (void)lab_done(l, 1, 7, IBA_WC_SUCCESS);
    seen[works]++;
    if (works)
        same_memory(0, "a message"), same_memory(1, "a message");
    return works;
}

static void one_tree(uint64_t seed)
{
    struct lab *l;
    bool works = true;

    open_lab(&l, seed);
    for (unsigned i = 0; i < MESSAGES && works; i++)
        works = one_message(l);
    lab_close(l);
}

Test(pieces, requests_through_random_trees_agree_with_a_model)
{
    const char *s = getenv("IBPROOF_SEEDS");
    const unsigned trees = s ? (unsigned)strtoul(s, NULL, 10) : TREES;

    for (unsigned i = 0; i < trees; i++)
        one_tree(i);
    cr_assert(seen[0] > trees / 20 && seen[1] > trees, "%u refused, %u not", seen[0], seen[1]);
}
