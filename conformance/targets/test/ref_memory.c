/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the reference target: regions of pieces, page bits of on-demand regions, and places of
 * deregistered regions. */
#include <string.h>
#include "ref_bed.h"
#include "wire/iba_opcode_rows.h"

static struct ref_device *dev;

static void begin_memory(void)
{
    begin();
    dev = device_of(b->t, 0);
}

TestSuite(ref_memory, .init = begin_memory, .fini = end);

static struct ibc_mr_spec pieces(uint32_t access)
{
    return (struct ibc_mr_spec){
        .pd = b->d[0].pd,
        .access = access | IBA_ACCESS_LOCAL_WRITE,
        .n_piece = 2,
        .rounds = 1,
        .piece = {{b->d[0].mr.local, 64, b->d[0].mr.lkey, 64}, {b->d[0].mr.local + 4096, 64, b->d[0].mr.lkey, 32}}};
}

Test(ref_memory, regions_of_pieces)
{
    struct ibc_mr_spec m = pieces(IBA_ACCESS_REMOTE_WRITE);
    struct ibc_mr mr[REF_OF_PIECES], other;
    uint8_t bytes[8];

    for (unsigned i = 0; i < REF_OF_PIECES; i++) {
        if (i == 2)
            m.access |= IBA_ACCESS_ZERO_BASED;
        m.has_iova = i == 3;
        m.iova = 0x123000;
        cr_assert_eq(o->reg_mr(b->t, 0, &m, &mr[i]), IBC_OK, "%u: %s", i, b->t->refusal);
        m.access &= ~(uint32_t)IBA_ACCESS_ZERO_BASED;
        cr_expect(mr[i].id == mr[i].lkey && mr[i].local == mr[i].va);
        if (i == 2 || i == 3)
            cr_expect_eq(mr[i].va, i == 2 ? 0 : 0x123000);
        cr_expect_eq(dev->n_of_pieces, i + 1);
    }
    cr_expect(mr[0].va >= b->d[0].mr.va + 65536 && mr[1].va - mr[0].va == REF_MEMORY, "far apart");
    cr_expect(mr[4].va - mr[1].va == 3 * (uint64_t)REF_MEMORY);
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &other), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "mem_full");
    cr_expect_eq(dev->region[0].live + dev->n_region, 2, "they take no memory");
    b->d[0].mr.va = mr[1].va + 60; /* over the end of the first piece */
    b->d[0].mr.rkey = mr[1].rkey;
    const uint64_t local = b->d[0].mr.local;
    bed_connect(b, 0, bed_qp(b, 0, IBA_QPT_RC), IBA_QPT_RC, 0);
    bed_send(b, 0, IBA_RC_WRITE_ONLY, BED_EPSN, 8);
    bed_expect(b, 0, IBA_RC_ACKNOWLEDGE, BED_EPSN);
    cr_assert_eq(o->read_memory(b->t, 0, local + 60, bytes, 4), IBC_OK);
    cr_assert_eq(o->read_memory(b->t, 0, local + 4096, bytes + 4, 4), IBC_OK);
    cr_expect_arr_eq(bytes, "\1\2\3\4\5\6\7\10", 8);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, mr[0].id), IBC_OK);
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &other), IBC_REFUSED, "an entry is not used again before the next scenario");
    bed_reset(b, IBC_LINK_roce2_ipv4, 1);
    m = pieces(IBA_ACCESS_REMOTE_WRITE);
    m.pd = 31;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &other), IBC_REFUSED);
    cr_expect_eq(dev->n_of_pieces, 0, "a region that is refused takes no entry");
}

/* The bits of the pages that a prefetch brings, and of no others. */
Test(ref_memory, prefetched_pages)
{
    enum { PAGES = 20 };
    static const struct {
        uint32_t at, length, first, n;
    } rows[] = {{0, 1, 0, 1},
                {4095, 1, 0, 1},
                {4095, 2, 0, 2},
                {4096, 4096, 1, 1},
                {8191, 4098, 1, 3},
                {0, 4096 * PAGES, 0, PAGES},
                {19 * 4096, 4096, 19, 1}};
    const struct ibc_mr_spec m = {
        .pd = b->d[0].pd, .length = PAGES * 4096, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND};
    struct ibc_mr mr;

    cr_assert_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_OK, "%s", b->t->refusal);
    const struct ref_region *g = &dev->region[dev->n_region - 1];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_prefetch p = {
            .at = mr.local + rows[i].at, .length = rows[i].length, .lkey = mr.lkey, .pd = b->d[0].pd, .write = true};
        for (unsigned k = 0; k < PAGES; k++)
            cr_assert_eq(o->page(b->t, 0, mr.local + k * 4096, false), IBC_OK);
        cr_expect_eq(o->prefetch(b->t, 0, &p), IBC_OK, "row %zu: %s", i, b->t->refusal);
        for (unsigned k = 0; k < PAGES; k++)
            cr_expect_eq(g->present[k / 8] >> k % 8 & 1, k >= rows[i].first && k < rows[i].first + rows[i].n,
                         "row %zu, page %u", i, k);
    }
    const struct ibc_prefetch p = {.at = mr.local, .length = 1, .lkey = mr.lkey, .pd = 31};
    for (unsigned k = 0; k < PAGES; k++)
        cr_assert_eq(o->page(b->t, 0, mr.local + k * 4096, false), IBC_OK);
    cr_expect_eq(o->prefetch(b->t, 0, &p), IBC_REFUSED, "another domain");
    cr_expect_eq(g->present[0] & 1, 0);
    cr_expect(ref_guards_hold(dev));
}

/* A region has its bytes between guard bytes, and one bit for each page; pieces of memory begin at multiples of 64. */
Test(ref_memory, room_of_regions)
{
    struct ibc_mr_spec m = {.pd = b->d[0].pd, .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_ON_DEMAND};
    struct ibc_mr mr;

    for (uint64_t length = 1; length < 200; length++) {
        m.length = length > 190 ? (length - 170) * 4 * 4096 : length; /* from 84 to 116 pages */
        const size_t before = dev->memory_used, least = m.length + (m.length + 4095) / 4096 / 8 + 2 * REF_GUARD;
        cr_assert_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_OK, "%s", b->t->refusal);
        const struct ref_region *g = &dev->region[dev->n_region - 1];
        cr_expect(g->room % 64 == 0 && g->room >= least && g->room < least + 2 + 64, "%zu for %zu", g->room, least);
        cr_expect(g->base == dev->memory + before + REF_GUARD && dev->memory_used == before + g->room);
        cr_expect_eq(g->present, g->base + m.length + REF_GUARD);
        for (uint64_t page = 0; page * 4096 < m.length; page++)
            cr_expect(g->present[page / 8] >> page % 8 & 1, "page %lu of %lu bytes", (unsigned long)page,
                      (unsigned long)m.length);
    }
    cr_expect(ref_guards_hold(dev));
    const size_t room = dev->region[dev->n_region - 1].room;
    const uint32_t n = dev->n_region;
    dev->memory_used = REF_MEMORY - room + 1;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_REFUSED);
    dev->memory_used--;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &mr), IBC_OK, "the last piece");
    cr_expect(dev->n_region == n + 1 && dev->memory_used == REF_MEMORY);
}

/* When no other memory is left, a new region takes the place of a deregistered one if it fits there. */
Test(ref_memory, places_of_regions)
{
    struct ibc_mr_spec m = {.pd = b->d[0].pd, .length = 1000, .access = IBA_ACCESS_LOCAL_WRITE, .fill = 'a'};
    struct ibc_mr one, other;
    uint8_t byte;

    cr_assert_eq(o->reg_mr(b->t, 0, &m, &one), IBC_OK);
    const uint32_t n = dev->n_region;
    const struct ref_region *g = &dev->region[n - 1];
    const size_t used = dev->memory_used;
    cr_expect(g->length == 1000 && g->live && g->lkey == one.lkey && g->va == one.va);
    cr_expect_eq(g->base - REF_GUARD + g->room, dev->memory + used);
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, one.id), IBC_OK);
    cr_expect_not(g->live);
    dev->memory_used = REF_MEMORY; /* nothing is left */
    m.length = g->room;            /* with its guard bytes it is longer than the place */
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &other), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "mem_full");
    m.length = 1001;
    m.fill = 'b';
    cr_assert_eq(o->reg_mr(b->t, 0, &m, &other), IBC_OK, "%s", b->t->refusal);
    cr_expect(dev->n_region == n && g->length == 1001 && g->live && g->lkey == other.lkey);
    cr_assert(o->read_memory(b->t, 0, other.local + 1000, &byte, 1) == IBC_OK && byte == ibc_pattern('b', 1000));
    cr_expect(ref_guards_hold(dev));
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &one), IBC_REFUSED, "its place is taken");
    cr_assert_eq(o->destroy(b->t, 0, IBC_O_mr, other.id), IBC_OK);
    cr_expect_eq(o->destroy(b->t, 0, IBC_O_mr, other.id), IBC_REFUSED);
    dev->memory_used = used;
    cr_assert_eq(o->reg_mr(b->t, 0, &m, &one), IBC_OK);
    cr_expect_eq(dev->n_region, n + 1, "space that was never used comes first");
    m.length = REF_MEMORY / 2;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &one), IBC_OK, "half of all memory");
    m.length++;
    cr_expect_eq(o->reg_mr(b->t, 0, &m, &one), IBC_REFUSED);
}
