/* SPDX-License-Identifier: BSD-2-Clause */
/* Scatter and gather over every split of a list. */
#include "receive.h"

static struct bed bed;

static const struct iba_sge *list(uint32_t a, uint32_t b, uint32_t c)
{
    static struct iba_sge sge[3];
    const uint32_t length[] = {a, b, c};

    for (unsigned i = 0; i < 3; i++)
        sge[i] = (struct iba_sge){.addr = VA + 100 * i, .length = length[i], .lkey = bed.lkey};
    return sge;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

/* Every start and length in lists with and without empty buffers: the bytes land where a byte-wise model puts them, no
 * other byte moves, and gather brings them back. */
Test(sgl, every_piece)
{
    static const uint32_t shapes[][3] = {{5, 7, 3}, {0, 4, 0}, {9, 0, 1}, {0, 0, 0}};

    bed_make(&bed, IBA_PORT_IB, false);
    for (size_t s = 0; s < COUNT(shapes); s++) {
        const struct iba_sge *sge = list(shapes[s][0], shapes[s][1], shapes[s][2]);
        const uint64_t total = iba_sgl_length(sge, 3);
        for (uint64_t at = 0; at <= total; at++)
            for (size_t len = 0; at + len <= total + 1; len++) {
                uint8_t model[MEMORY] = {0}, back[32];
                bool absent = true, missing = true;
                memset(bed.memory, 0, MEMORY);
                const enum iba_wc_status got = iba_sgl_scatter(&bed.ca, bed.pd, sge, 3, at, bed.payload, len, &absent);
                EXPECT(got == (at + len > total ? IBA_WC_LOCAL_LENGTH : IBA_WC_SUCCESS), "status %d", got);
                EXPECT(got == iba_sgl_check(&bed.ca, bed.pd, sge, 3, at, len, true, &missing), "check says the same");
                EXPECT(!absent && !missing, "all pages are there");
                uint64_t n = 0;
                for (unsigned i = 0; i < 3; i++)
                    for (unsigned k = 0; k < sge[i].length; k++, n++)
                        if (n >= at && n < at + len)
                            model[100 * i + k] = bed.payload[n - at];
                EXPECT(memcmp(model, bed.memory, MEMORY) == 0, "shape %zu, %zu bytes at %u", s, len, (unsigned)at);
                if (got != IBA_WC_SUCCESS)
                    continue;
                memset(back, 0, sizeof back);
                absent = true;
                cr_assert_eq(iba_sgl_gather(&bed.ca, bed.pd, sge, 3, at, back, len, &absent), IBA_WC_SUCCESS);
                EXPECT(!absent && memcmp(back, bed.payload, len) == 0, "gathered");
                EXPECT(all_zero(back + len, sizeof back - len), "no byte after the last");
            }
    }
}

/* QS-55: the L_Key, its protection domain, its range, and the right to write are checked. Reading needs no right. */
Test(sgl, protection)
{
    struct iba_sge sge = {.addr = VA, .length = 64, .lkey = 0};
    uint32_t rkey, read_only;
    bool absent;

    bed_make(&bed, IBA_PORT_IB, false);
    region(&bed, 0, bed.pd, &read_only, &rkey);
    const struct {
        uint32_t lkey, pd;
        uint64_t addr;
        bool writes, reads;
    } cases[] = {
        {bed.lkey, bed.pd, VA, true, true},
        {bed.lkey ^ 1, bed.pd, VA, false, false},
        {bed.lkey, bed.other_pd, VA, false, false},
        {bed.lkey, bed.pd, VA - 1, false, false},
        {bed.lkey, bed.pd, VA + MEMORY - 63, false, false},
        {read_only, bed.pd, VA, false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t data[64] = {0};
        sge.lkey = cases[i].lkey;
        sge.addr = cases[i].addr;
        cr_assert_eq(iba_sgl_scatter(&bed.ca, cases[i].pd, &sge, 1, 0, data, 64, &absent),
                     cases[i].writes ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION, "case %zu", i);
        cr_assert_eq(iba_sgl_gather(&bed.ca, cases[i].pd, &sge, 1, 0, data, 64, &absent),
                     cases[i].reads ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION, "case %zu", i);
        for (unsigned write = 0; write < 2; write++)
            cr_assert_eq(iba_sgl_check(&bed.ca, cases[i].pd, &sge, 1, 0, 64, write, &absent),
                         (write ? cases[i].writes : cases[i].reads) ? IBA_WC_SUCCESS : IBA_WC_LOCAL_PROTECTION,
                         "case %zu", i);
    }
}

Test(sgl, absent_page_is_no_error)
{
    const struct iba_sge sge = {.addr = VA + IBA_MEM_PAGE - 8, .length = 16, .lkey = 0};
    struct iba_sge one;
    uint8_t data[16];
    bool absent;

    bed_make(&bed, IBA_PORT_IB, false);
    bed.present = 1;
    region(&bed, ALL_RIGHTS | IBA_ACCESS_ON_DEMAND, bed.pd, &bed.lkey, &bed.rkey);
    one = sge;
    one.lkey = bed.lkey;
    cr_assert_eq(iba_sgl_gather(&bed.ca, bed.pd, &one, 1, 0, data, 8, &absent), IBA_WC_SUCCESS);
    cr_assert(!absent);
    cr_assert_eq(iba_sgl_gather(&bed.ca, bed.pd, &one, 1, 0, data, 16, &absent), IBA_WC_SUCCESS);
    cr_assert(absent);
    cr_assert_eq(iba_sgl_check(&bed.ca, bed.pd, &one, 1, 0, 16, true, &absent), IBA_WC_SUCCESS);
    cr_assert(absent);
}

/* Only the bytes of the message count: the rest of the last buffer may lie outside of the region, or in an absent page.
 * An absent page of an earlier buffer is not forgotten, and no byte moves from the first absent page on. */
Test(sgl, the_rest_of_the_last_buffer)
{
    enum { ROOM = 16 };
    uint8_t data[64];
    bool absent;

    bed_make(&bed, IBA_PORT_IB, false);
    bed.present = 1;
    uint32_t lkey, rkey;
    region(&bed, ALL_RIGHTS | IBA_ACCESS_ON_DEMAND, bed.pd, &lkey, &rkey);
    const struct iba_sge out[] = {{VA, 8, bed.lkey}, {VA + MEMORY - ROOM, 3 * ROOM, bed.lkey}};
    const struct iba_sge page[] = {{VA, 8, lkey}, {VA + IBA_MEM_PAGE - ROOM, 2 * ROOM, lkey}};
    const struct iba_sge gap[] = {{VA + IBA_MEM_PAGE, 8, lkey}, {VA, 8, lkey}};
    const struct {
        const struct iba_sge *sge;
        size_t len;
        enum iba_wc_status status;
        bool absent;
        size_t moved; /* bytes that are copied before the first that is not there */
    } cases[] = {
        {out, 8 + ROOM, IBA_WC_SUCCESS, false, 8 + ROOM},
        {out, 9 + ROOM, IBA_WC_LOCAL_PROTECTION, false, 8},
        {page, 8 + ROOM, IBA_WC_SUCCESS, false, 8 + ROOM},
        {page, 9 + ROOM, IBA_WC_SUCCESS, true, 8},
        {gap, 8, IBA_WC_SUCCESS, true, 0},
        {gap, 16, IBA_WC_SUCCESS, true, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned write = 0; write < 2; write++) {
            absent = !cases[i].absent;
            EXPECT(iba_sgl_check(&bed.ca, bed.pd, cases[i].sge, 2, 0, cases[i].len, write, &absent) == cases[i].status,
                   "case %zu", i);
            EXPECT(absent == cases[i].absent, "case %zu", i);
        }
        memset(data, 0, sizeof data);
        memset(bed.memory, 1, MEMORY);
        EXPECT(iba_sgl_gather(&bed.ca, bed.pd, cases[i].sge, 2, 0, data, cases[i].len, &absent) == cases[i].status,
               "case %zu", i);
        EXPECT(absent == cases[i].absent && all_zero(data + cases[i].moved, sizeof data - cases[i].moved), "case %zu",
               i);
        EXPECT(cases[i].moved == 0 || data[cases[i].moved - 1] == 1, "case %zu", i);
        memset(data, 2, sizeof data);
        memset(bed.memory, 0, MEMORY);
        EXPECT(iba_sgl_scatter(&bed.ca, bed.pd, cases[i].sge, 2, 0, data, cases[i].len, &absent) == cases[i].status,
               "case %zu", i);
        size_t moved = 0;
        for (size_t k = 0; k < MEMORY; k++)
            moved += bed.memory[k] == 2;
        EXPECT(absent == cases[i].absent && moved == cases[i].moved, "case %zu: %zu bytes", i, moved);
    }
}
