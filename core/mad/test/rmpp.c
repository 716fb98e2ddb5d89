/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of many segments: any order, any lengths and counts. */
#include "mad/iba_rmpp.h"
#include <stdlib.h>
#include "wire/test/wire.h"

enum { RECORDS = 100, RECORD = 64, BYTES = RECORDS * RECORD, LAST = (BYTES + 199) / 200, PATH_RECORD = 0x35 };

static const struct iba_rmpp_ends ENDS = {0, {1}, {2}}, BACK = {0, {2}, {1}};
static struct iba_rmpp_desk rmpp; /* too big for a stack */

/* Returns segment `number` of a response with 100 PathRecords; record i has SLID i + 1. */
static const struct iba_mad *segment(unsigned number)
{
    static uint8_t w[IBA_MAD_BYTES];
    static struct iba_mad m;
    static uint8_t table[LAST * 200];

    for (unsigned i = 0; i < RECORDS; i++)
        iba_pathrecord_set_slid(table + i * RECORD, i + 1);
    memset(w, 0, sizeof w);
    iba_madhdr_set_mgmtclass(w, IBA_CLASS_SA);
    iba_madhdr_set_method(w, 0x92);
    iba_madhdr_set_attributeid(w, PATH_RECORD);
    iba_madhdr_set_transactionid(w, 7);
    iba_rmpp_set_rmppversion(w + 24, 1);
    iba_rmpp_set_rmpptype(w + 24, 1);
    iba_rmpp_set_rmppflag_active(w + 24, 1);
    iba_rmpp_set_rmppflag_first(w + 24, number == 1);
    iba_rmpp_set_rmppflag_last(w + 24, number == LAST);
    iba_rmpp_set_data1(w + 24, number);
    iba_rmpp_set_data2(w + 24, number == LAST ? 20 + BYTES - (LAST - 1) * 200 : number == 1 ? BYTES + 20 * LAST : 0);
    iba_sa_set_attributeoffset(w + 36, RECORD / 8);
    if (number >= 1 && number <= LAST)
        memcpy(w + 56, table + (number - 1) * 200, 200);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    return &m;
}

static void expect_whole(const struct iba_rmpp_transfer *t)
{
    struct iba_mad m;

    cr_assert_not_null(t);
    cr_assert_eq(iba_rmpp_records(t), RECORDS);
    for (unsigned i = 0; i < RECORDS; i++) {
        iba_rmpp_record(t, i, &m);
        cr_assert_eq(m.part[0].record, i + 1);
        cr_assert_eq(iba_pathrecord_slid(iba_mad_layout_at(&m, IBA_M_pathrecord)), i + 1);
    }
}

Test(rmpp, in_order)
{
    for (unsigned n = 1; n < LAST; n++)
        cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(n)));
    expect_whole(iba_rmpp_feed(&rmpp, &ENDS, segment(LAST)));
    cr_assert(rmpp.whole == 1 && rmpp.wrong == 0);
}

Test(rmpp, any_order_with_copies)
{
    uint64_t seed = 1;

    for (unsigned round = 0; round < 20; round++) {
        unsigned order[LAST];
        const struct iba_rmpp_transfer *t = NULL;
        for (unsigned i = 0; i < LAST; i++) {
            const unsigned k = (unsigned)(rnd(&seed) % (i + 1));
            order[i] = order[k];
            order[k] = i + 1;
        }
        for (unsigned i = 0; i < LAST; i++) {
            cr_assert_null(t);
            if (i > 0)
                cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(order[rnd(&seed) % i])));
            t = iba_rmpp_feed(&rmpp, &ENDS, segment(order[i]));
        }
        expect_whole(t);
    }
}

Test(rmpp, a_lost_segment_is_waited_for)
{
    for (unsigned n = 1; n <= LAST; n++)
        if (n != 5)
            cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(n)));
    expect_whole(iba_rmpp_feed(&rmpp, &ENDS, segment(5)));
}

static void ended_by(unsigned type, const struct iba_rmpp_ends *who)
{
    static uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    memset(rmpp.transfer, 0, sizeof rmpp.transfer);
    for (unsigned n = 1; n < LAST; n++)
        cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(n)));
    memcpy(w, segment(1)->wire, sizeof w);
    iba_rmpp_set_rmpptype(w + 24, type);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_null(iba_rmpp_feed(&rmpp, who, &m));
    cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(LAST)));
}

Test(rmpp, stop_and_abort_end_it_from_either_end)
{
    ended_by(3, &ENDS);
    ended_by(4, &BACK);
    cr_assert_eq(rmpp.ended, 2);
    cr_assert_eq(rmpp.whole, 0);
}

Test(rmpp, other_ends_and_transactions_are_other_transfers)
{
    for (unsigned n = 1; n < LAST; n++)
        cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(n)));
    cr_assert_null(iba_rmpp_feed(&rmpp, &BACK, segment(LAST)));
    expect_whole(iba_rmpp_feed(&rmpp, &ENDS, segment(LAST)));
}

Test(rmpp, the_quiet_one_makes_room)
{
    struct iba_rmpp_ends e = ENDS;

    for (unsigned i = 0; i <= IBA_RMPP_TRANSFERS; i++) {
        e.src[1] = (uint8_t)i;
        cr_assert_null(iba_rmpp_feed(&rmpp, &e, segment(1)));
    }
    cr_assert_eq(rmpp.given_up, 1);
    e.src[1] = 1;
    for (unsigned n = 2; n < LAST; n++)
        cr_assert_null(iba_rmpp_feed(&rmpp, &e, segment(n)));
    expect_whole(iba_rmpp_feed(&rmpp, &e, segment(LAST)));
}

/* Segments with wrong lengths and counts, and random ones. */
Test(rmpp, hostile_counts_and_lengths_do_no_harm)
{
    const char *wish = getenv("IBPROOF_MADS");
    const unsigned long runs = wish ? strtoul(wish, NULL, 10) : 20000;
    static const uint32_t numbers[] = {0, 1, 2, 3, 33, 511, 512, 513, 0x7fffffff, 0xffffffff};
    uint64_t seed = 5;

    for (unsigned long k = 0; k < runs; k++) {
        uint8_t *w = malloc(IBA_MAD_BYTES);
        const uint64_t dice = rnd(&seed);
        struct iba_mad m, record;
        memcpy(w, segment(1 + (unsigned)(dice % LAST))->wire, IBA_MAD_BYTES);
        iba_madhdr_set_transactionid(w, dice >> 8 & 31);
        w[25] = dice >> 13 & 15 ? 1 : (uint8_t)(dice >> 17 & 7);
        w[26] = (uint8_t)(dice >> 20 & 7);
        if (dice >> 23 & 1)
            iba_rmpp_set_data1(w + 24, numbers[(dice >> 24) % COUNT(numbers)]);
        if (dice >> 28 & 1)
            iba_rmpp_set_data2(w + 24, (uint32_t)rnd(&seed) >> (dice >> 29 & 31));
        if (dice >> 34 & 1)
            iba_sa_set_attributeoffset(w + 36, rnd(&seed) >> (dice >> 35 & 31));
        if ((dice >> 40 & 7) == 0)
            iba_madhdr_set_attributeid(w, rnd(&seed));
        const size_t n = dice >> 43 & 15 ? IBA_MAD_BYTES : rnd(&seed) % IBA_MAD_BYTES;
        if (iba_mad_parse(&m, w, n, IBA_MAD_BYTES)) {
            const struct iba_rmpp_transfer *t = iba_rmpp_feed(&rmpp, &ENDS, &m);
            for (uint32_t i = 0; t && i < iba_rmpp_records(t); i++) {
                iba_rmpp_record(t, i, &record);
                EXPECT(record.wire + record.captured <= t->data + sizeof t->data, "record %u", i);
            }
        }
        free(w);
    }
}

/* Returns a segment of a request for paths between 20 SGIDs and 10 DGIDs: 24 bytes and then the GIDs, of which the i-th
 * ends in the byte i. */
static const struct iba_mad *asked(unsigned number)
{
    enum { GIDS = 30, BYTES_ASKED = 24 + GIDS * 16, SEGMENTS = 3 };
    static uint8_t w[IBA_MAD_BYTES];
    static struct iba_mad m;
    uint8_t record[SEGMENTS * 200] = {0};

    iba_multipathrecord_set_sgidcount(record, 20);
    iba_multipathrecord_set_dgidcount(record, 10);
    for (unsigned i = 0; i < GIDS; i++)
        record[24 + i * 16 + 15] = (uint8_t)i;
    memcpy(w, segment(number)->wire, sizeof w);
    iba_madhdr_set_method(w, 0x14);
    iba_madhdr_set_attributeid(w, 0x3a);
    iba_rmpp_set_rmppflag_last(w + 24, number == SEGMENTS);
    iba_rmpp_set_data2(w + 24, number == SEGMENTS ? 20 + BYTES_ASKED - 400 : 0);
    iba_sa_set_attributeoffset(w + 36, 0);
    memcpy(w + 56, record + (number - 1) * 200, 200);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_eq(m.n_record, number == 1, "what goes on in the middle is no record");
    return &m;
}

Test(rmpp, double_sided)
{
    const struct iba_rmpp_transfer *t;
    struct iba_mad m;

    cr_assert_null(iba_rmpp_feed(&rmpp, &BACK, asked(1)));
    cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(1))); /* a response may overtake the last of the request */
    cr_assert_null(iba_rmpp_feed(&rmpp, &BACK, asked(3)));
    t = iba_rmpp_feed(&rmpp, &BACK, asked(2));
    cr_assert(t && t->request && iba_rmpp_records(t) == 1);
    iba_rmpp_record(t, 0, &m);
    cr_assert_eq(m.n_part, 2);
    cr_assert(m.part[1].layout == IBA_M_multipath_gid && m.part[1].n == 30);
    for (unsigned i = 0; i < 30; i++)
        cr_assert_eq(m.wire[iba_mad_at(&m.part[1], i) + 15], i);
    for (unsigned n = 2; n < LAST; n++)
        cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, segment(n)));
    t = iba_rmpp_feed(&rmpp, &ENDS, segment(LAST));
    expect_whole(t);
    cr_assert(!t->request);
}

Test(rmpp, an_abort_ends_both_directions)
{
    static uint8_t w[IBA_MAD_BYTES];
    struct iba_mad m;

    (void)iba_rmpp_feed(&rmpp, &BACK, asked(1));
    (void)iba_rmpp_feed(&rmpp, &ENDS, segment(1));
    memcpy(w, segment(1)->wire, sizeof w);
    iba_rmpp_set_rmpptype(w + 24, 4);
    cr_assert(iba_mad_parse(&m, w, sizeof w, sizeof w));
    cr_assert_null(iba_rmpp_feed(&rmpp, &ENDS, &m));
    cr_assert_eq(rmpp.ended, 2);
    cr_assert_null(iba_rmpp_feed(&rmpp, &BACK, asked(2)));
    cr_assert_null(iba_rmpp_feed(&rmpp, &BACK, asked(3)));
}
