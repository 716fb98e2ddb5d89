/* SPDX-License-Identifier: BSD-2-Clause */
/* On-demand regions: a request to an absent page waits, and does not fail (RR-50, seeds: ODP). */
#include <criterion/criterion.h>
#include <string.h>
#include "lab.h"
#include "transport/iba_wr_ops.h"
#include "wire/iba_opcode_rows.h"

enum { RNR_NAK = 1, PAGES = 4 };

struct odp {
    struct lab *l;
    uint32_t a, b, lkey, rkey;
    uint8_t present, *memory;
};

/* Registers a region of four absent pages at address 0 of `end`. */
static void open_at(struct odp *t, unsigned end)
{
    struct lab_end *e;

    t->l = lab_open(IBA_PORT_IB, 2);
    e = &t->l->end[end];
    t->memory = lab_memory(t->l, end) + LAB_BYTES / 2;
    const struct iba_mr_attr mr = {.base = t->memory,
                                   .length = PAGES * IBA_MEM_PAGE,
                                   .pd = e->pd,
                                   .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE | IBA_ACCESS_ON_DEMAND,
                                   .present = &t->present};
    t->present = 0;
    t->a = lab_qp(t->l, 0, IBA_QPT_RC, IBA_NONE);
    t->b = lab_qp(t->l, 1, IBA_QPT_RC, IBA_NONE);
    lab_connect(t->l, 0, t->a, 1, t->b, lab_attr());
    cr_assert_eq(iba_mr_register(&e->ca.mem, &mr, &t->lkey, &t->rkey), IBA_MEM_OK);
}

/* ---- a request to the region, across the border of its first two pages ---- */

enum { ACROSS = IBA_MEM_PAGE - 50, BYTES = 100 };

static void request(struct odp *t, uint8_t op)
{
    const struct iba_send_wr wr = {.wr_id = 1, .op = op, .va = ACROSS, .rkey = t->rkey};

    cr_assert_eq(lab_send(t->l, 0, t->a, wr, 0, BYTES), IBA_VERB_OK);
    lab_settle(t->l);
}

/* The request has succeeded, after it was sent so many times. */
static void requested(struct odp *t, uint8_t opcode, unsigned times)
{
    (void)lab_done(t->l, 0, 1, IBA_WC_SUCCESS);
    cr_assert_eq(lab_count(t->l, opcode), times);
    cr_assert_eq(memcmp(lab_memory(t->l, 0), t->memory + ACROSS, BYTES), 0);
    lab_close(t->l);
}

static void write_or_read_waits(uint8_t op, uint8_t opcode)
{
    struct odp t;

    open_at(&t, 1);
    t.present = 1; /* the first of the two pages that the request accesses */
    request(&t, op);
    cr_assert_eq(lab_find(t.l, IBA_RC_ACKNOWLEDGE, 0)->syndrome >> 5, RNR_NAK);
    lab_no_wc(t.l, 0);
    t.present = 3;
    lab_run(t.l, LAB_SECOND);
    requested(&t, opcode, 2);
}

Test(odp, a_write_waits_for_its_page)
{
    write_or_read_waits(IBA_WR_WRITE, IBA_RC_WRITE_ONLY);
}
Test(odp, a_read_waits_for_its_page)
{
    write_or_read_waits(IBA_WR_READ, IBA_RC_READ_REQUEST);
}

/* A prefetch (ibv_advise_mr) is software's: it makes pages present before a request comes. */
static void prefetch(struct odp *t)
{
    t->present = (1 << PAGES) - 1;
}

static void prefetched_target_answers_at_once(uint8_t op, uint8_t opcode)
{
    struct odp t;

    open_at(&t, 1);
    prefetch(&t);
    request(&t, op);
    requested(&t, opcode, 1);
}

Test(odp, a_prefetched_target_answers_at_once)
{
    prefetched_target_answers_at_once(IBA_WR_WRITE, IBA_RC_WRITE_ONLY);
    prefetched_target_answers_at_once(IBA_WR_READ, IBA_RC_READ_REQUEST);
}

/* ---- a message into the region ---- */

static void send_into_region(struct odp *t)
{
    const struct iba_recv_wr recv = {.wr_id = 7, .n_sge = 1, .sge = {{0, 4096, t->lkey}}};

    cr_assert_eq(iba_post_recv(&t->l->end[1].ca, t->b, &recv), IBA_VERB_OK);
    cr_assert_eq(lab_send(t->l, 0, t->a, (struct iba_send_wr){.wr_id = 1, .op = IBA_WR_SEND}, 0, BYTES), IBA_VERB_OK);
    lab_settle(t->l);
}

static void received(struct odp *t)
{
    (void)lab_done(t->l, 1, 7, IBA_WC_SUCCESS);
    (void)lab_done(t->l, 0, 1, IBA_WC_SUCCESS);
}

Test(odp, a_receive_buffer_waits_for_its_page)
{
    struct odp t;

    open_at(&t, 1);
    send_into_region(&t);
    lab_no_wc(t.l, 1);
    t.present = 1;
    lab_run(t.l, LAB_SECOND);
    received(&t);
    lab_close(t.l);
}

Test(odp, a_prefetched_receive_buffer_takes_its_message_at_once)
{
    struct odp t;

    open_at(&t, 1);
    prefetch(&t);
    send_into_region(&t);
    received(&t);
    cr_assert_eq(lab_count(t.l, IBA_RC_SEND_ONLY), 1);
    lab_close(t.l);
}

/* ---- a request whose own buffer is in the region ---- */

static void post_from_region(struct odp *t, uint8_t op, uint64_t at)
{
    const struct iba_send_wr wr = {.wr_id = 1,
                                   .op = op,
                                   .flags = IBA_WR_SIGNALED,
                                   .va = LAB_VA,
                                   .rkey = t->l->end[1].rkey,
                                   .n_sge = 1,
                                   .sge = {{at, BYTES, t->lkey}}};

    cr_assert_eq(iba_post_send(&t->l->end[0].ca, t->a, &wr), IBA_VERB_OK);
}

/* The request has moved the bytes at `at` of the region, to the other end or from there. */
static void moved(struct odp *t, uint64_t at)
{
    (void)lab_done(t->l, 0, 1, IBA_WC_SUCCESS);
    cr_assert_eq(memcmp(lab_memory(t->l, 1), t->memory + at, BYTES), 0);
    lab_close(t->l);
}

Test(odp, a_source_buffer_waits_for_its_page)
{
    struct odp t;

    open_at(&t, 0);
    post_from_region(&t, IBA_WR_WRITE, 0);
    lab_run(t.l, LAB_MS);
    lab_no_wc(t.l, 0);
    t.present = 1;
    lab_run(t.l, LAB_SECOND);
    moved(&t, 0);
}

Test(odp, a_prefetched_source_is_sent_at_once)
{
    struct odp t;

    open_at(&t, 0);
    prefetch(&t);
    post_from_region(&t, IBA_WR_WRITE, 0);
    lab_settle(t.l);
    moved(&t, 0);
}

/* One page of two that are accessed does not suffice, and the answer of a READ needs its pages as well. */
Test(odp, a_read_waits_for_the_pages_of_its_result)
{
    struct odp t;

    open_at(&t, 0);
    t.present = 1;
    post_from_region(&t, IBA_WR_READ, ACROSS);
    lab_run(t.l, LAB_MS);
    lab_no_wc(t.l, 0);
    prefetch(&t);
    lab_run(t.l, LAB_SECOND);
    moved(&t, ACROSS);
}
