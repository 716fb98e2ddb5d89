/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that contradict each other, come twice, in another order, or too late: what is kept, what is counted. */
#include "mad/iba_rmpp.h"
#include "wire/test/wire.h"

enum { DATA = 1, ACK = 2, STOP = 3, ABORT = 4, PATH_RECORD = 0x35, TABLE_RESPONSE = 0x92, HEAD = 20, FULL = 200 };
enum { RMPP = 24, SA = 36, BODY = 56 };

static struct iba_rmpp_desk rmpp; /* too big for a stack */
static const struct iba_rmpp_ends ENDS = {0, {1}, {2}}, BACK = {0, {2}, {1}};

/* A segment. `last` is the number of bytes that the last segment has, or -1. All its data bytes are `fill`. */
struct piece {
    uint32_t number;
    int last;
    uint8_t fill;
    uint64_t transaction;
};
#define LATER (-1)

/* Returns bytes of its own for each datagram; they stay valid until the next test. */
static uint8_t *bytes_of(const struct piece *p)
{
    static uint8_t ring[8][IBA_MAD_BYTES];
    static unsigned turn;
    uint8_t *w = ring[turn++ % COUNT(ring)];

    memset(w, 0, IBA_MAD_BYTES);
    iba_madhdr_set_mgmtclass(w, IBA_CLASS_SA);
    iba_madhdr_set_method(w, TABLE_RESPONSE);
    iba_madhdr_set_attributeid(w, PATH_RECORD);
    iba_madhdr_set_transactionid(w, p->transaction);
    iba_rmpp_set_rmppversion(w + RMPP, 1);
    iba_rmpp_set_rmpptype(w + RMPP, DATA);
    iba_rmpp_set_rmppflag_active(w + RMPP, 1);
    iba_rmpp_set_rmppflag_first(w + RMPP, p->number == 1);
    iba_rmpp_set_rmppflag_last(w + RMPP, p->last != LATER);
    iba_rmpp_set_data1(w + RMPP, p->number);
    iba_rmpp_set_data2(w + RMPP, p->last == LATER ? 0 : (uint32_t)(HEAD + p->last));
    iba_sa_set_attributeoffset(w + SA, 8);
    memset(w + BODY, p->fill, FULL);
    return w;
}

static const struct iba_rmpp_transfer *feed_bytes(const struct iba_rmpp_ends *ends, const uint8_t *w, size_t captured)
{
    struct iba_mad m;

    cr_assert(iba_mad_parse(&m, w, captured, IBA_MAD_BYTES));
    return iba_rmpp_feed(&rmpp, ends, &m);
}

static const struct iba_rmpp_transfer *feed(uint32_t number, int last)
{
    return feed_bytes(&ENDS, bytes_of(&(struct piece){number, last, (uint8_t)number, 7}), IBA_MAD_BYTES);
}

static unsigned unfinished(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < IBA_RMPP_TRANSFERS; i++)
        n += rmpp.transfer[i].used;
    return n;
}

#define COUNTS(complete, stopped, evicted, contradicting, high)                                                        \
    cr_expect(rmpp.whole == (complete) && rmpp.ended == (stopped) && rmpp.given_up == (evicted) &&                     \
                  rmpp.wrong == (contradicting) && rmpp.too_long == (high),                                            \
              "%u complete, %u ended, %u replaced, %u contradict, %u too high", (unsigned)rmpp.whole,                  \
              (unsigned)rmpp.ended, (unsigned)rmpp.given_up, (unsigned)rmpp.wrong, (unsigned)rmpp.too_long)

/* Checks that the table is complete and has this many bytes, and that byte k is from segment k / 200 + 1. */
static void expect_bytes(const struct iba_rmpp_transfer *t, uint32_t bytes)
{
    cr_assert_not_null(t);
    cr_assert_eq(t->bytes, bytes, "%u bytes", t->bytes);
    cr_assert_eq(t->record_bytes, 64);
    cr_assert_eq(iba_rmpp_records(t), bytes / 64);
    cr_assert(!t->request && t->attr == iba_mad_attr(IBA_CLASS_SA, PATH_RECORD));
    for (uint32_t k = 0; k < bytes; k++)
        cr_assert_eq(t->data[k], (uint8_t)(k / FULL + 1), "byte %u is %u", k, t->data[k]);
}

Test(rmpp_wrong, the_last_one_is_told_once)
{
    cr_assert_null(feed(3, 100));
    cr_assert_null(feed(2, 100)); /* another last segment, with a lower number */
    COUNTS(0, 0, 0, 1, 0);
    cr_assert_null(feed(4, 100)); /* or with a higher number */
    COUNTS(0, 0, 0, 2, 0);
    cr_assert_null(feed(4, LATER)); /* one after the last one */
    COUNTS(0, 0, 0, 3, 0);
    cr_assert_null(feed(3, LATER)); /* this segment is not the last one */
    COUNTS(0, 0, 0, 4, 0);
    cr_assert_null(feed(3, 99)); /* the last one, with another length */
    COUNTS(0, 0, 0, 5, 0);
    cr_assert_null(feed(3, 100)); /* again the same */
    cr_assert_null(feed(1, LATER));
    COUNTS(0, 0, 0, 5, 0);
    expect_bytes(feed(2, LATER), 500);
    COUNTS(1, 0, 0, 5, 0);
    cr_assert_eq(unfinished(), 0);
}

Test(rmpp_wrong, the_last_one_is_not_below_one_that_came)
{
    cr_assert_null(feed(1, LATER));
    cr_assert_null(feed(3, LATER));
    cr_assert_null(feed(2, 60)); /* the third is there already */
    COUNTS(0, 0, 0, 1, 0);
    cr_assert_null(feed(4, 60));
    COUNTS(0, 0, 0, 1, 0);
    expect_bytes(feed(2, LATER), 660);
}

Test(rmpp_wrong, the_last_one_may_be_the_highest_that_came)
{
    cr_assert_null(feed(1, LATER));
    cr_assert_null(feed(2, LATER));
    expect_bytes(feed(2, 200), 400); /* the same data, and now we know that nothing comes after them */
    COUNTS(1, 0, 0, 0, 0);
}

/* The bitmap of received segments has words of 64 bits; this tests segments at their limits. */
Test(rmpp_wrong, the_last_one_before_a_later_one_of_another_word)
{
    static const uint32_t highest[] = {64, 65, 66, 128, 129, 512};

    for (size_t i = 0; i < COUNT(highest); i++) {
        memset(&rmpp, 0, sizeof rmpp);
        cr_assert_null(feed(highest[i], LATER));
        cr_assert_null(feed(highest[i] - 1, 8));
        cr_expect_eq(rmpp.wrong, 1, "segment %u was not seen", highest[i]);
        cr_assert_null(feed(highest[i], 8));
        cr_expect_eq(rmpp.wrong, 1, "segment %u is after itself", highest[i]);
    }
}

Test(rmpp_wrong, values_that_no_segment_has)
{
    static const struct {
        uint32_t number;
        int last;
        bool first; /* the flag is the opposite of what the number says */
        unsigned wrong;
    } cases[] = {{0, LATER, false, 1}, {0, 50, false, 1},  {1, LATER, true, 1}, {2, LATER, true, 1},
                 {2, -2, false, 1},    {2, -20, false, 1}, {2, 201, false, 1},  {2, 1 << 20, false, 1},
                 {2, 0, false, 0},     {2, 1, false, 0},   {2, 200, false, 0},  {2, LATER, false, 0}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t *w = bytes_of(&(struct piece){cases[i].number, cases[i].last, 1, 7});
        memset(&rmpp, 0, sizeof rmpp);
        if (cases[i].first)
            iba_rmpp_set_rmppflag_first(w + RMPP, cases[i].number != 1);
        cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES));
        cr_expect_eq(rmpp.wrong, cases[i].wrong, "case %zu", i);
        cr_expect_eq(unfinished(), !cases[i].wrong, "case %zu", i);
    }
}

Test(rmpp_wrong, an_unknown_attribute_has_no_records)
{
    uint8_t *w = bytes_of(&(struct piece){1, LATER, 1, 7});

    iba_madhdr_set_attributeid(w, 0x7777);
    cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES));
    COUNTS(0, 0, 0, 1, 0);
    cr_assert_eq(unfinished(), 0);
}

Test(rmpp_wrong, one_segment_alone_is_no_transfer)
{
    cr_assert_null(feed(1, 64));
    COUNTS(0, 0, 0, 0, 0);
    cr_assert_eq(unfinished(), 0);
    cr_assert_null(feed(1, LATER)); /* this segment does not end a transfer either */
    cr_assert_null(feed(1, 64));
    cr_assert_eq(unfinished(), 1);
}

Test(rmpp_wrong, a_copy_changes_nothing)
{
    cr_assert_null(feed(2, LATER));
    cr_assert_null(feed_bytes(&ENDS, bytes_of(&(struct piece){2, LATER, 0xee, 7}), IBA_MAD_BYTES));
    cr_assert_null(feed_bytes(&ENDS, bytes_of(&(struct piece){2, LATER, 0xee, 7}), IBA_MAD_BYTES));
    cr_assert_null(feed(3, 8)); /* three have come, but the first has not */
    cr_assert_null(feed(3, 8));
    expect_bytes(feed(1, LATER), 408);
    COUNTS(1, 0, 0, 0, 0);
    cr_assert_null(feed(2, LATER)); /* a segment that comes after the end begins another transfer */
    COUNTS(1, 0, 0, 0, 0);
    cr_assert_eq(unfinished(), 1);
    cr_assert_null(feed(1, LATER));
    expect_bytes(feed(3, 0), 400);
}

Test(rmpp_wrong, as_many_segments_as_there_are_places)
{
    const struct iba_rmpp_transfer *t = NULL;

    for (uint32_t n = IBA_RMPP_SEGMENTS; n >= 1; n--) {
        cr_assert_null(t);
        t = feed(n, n == IBA_RMPP_SEGMENTS ? 1 : LATER);
    }
    expect_bytes(t, (IBA_RMPP_SEGMENTS - 1) * FULL + 1);
}

Test(rmpp_wrong, too_many_segments_end_the_transfer)
{
    cr_assert_null(feed(IBA_RMPP_SEGMENTS + 1, LATER)); /* of none */
    COUNTS(0, 0, 0, 0, 1);
    cr_assert_eq(unfinished(), 0);
    cr_assert_null(feed(1, LATER));
    cr_assert_null(feed_bytes(&ENDS, bytes_of(&(struct piece){1, LATER, 1, 8}), IBA_MAD_BYTES));
    cr_assert_null(feed(UINT32_MAX, 200));
    COUNTS(0, 0, 0, 0, 2);
    cr_assert_eq(unfinished(), 1, "that of the other transaction");
    cr_assert_null(feed(2, 8)); /* the first is forgotten */
    cr_assert_eq(unfinished(), 2);
}

/* Feeds segment `number` of transaction `t`, and returns its transfer. */
static const struct iba_rmpp_transfer *of(uint64_t t, uint32_t number, int last)
{
    return feed_bytes(&ENDS, bytes_of(&(struct piece){number, last, (uint8_t)number, t}), IBA_MAD_BYTES);
}

Test(rmpp_wrong, the_one_that_was_quiet_longest_is_replaced)
{
    for (uint64_t t = 0; t < IBA_RMPP_TRANSFERS; t++)
        cr_assert_null(of(t, 1, LATER));
    for (uint64_t t = 0; t < IBA_RMPP_TRANSFERS; t++)
        if (t != 5 && t != 9)
            cr_assert_null(of(t, 2, LATER));
    cr_assert_null(of(5, 1, LATER)); /* a copy of a segment also shows that the transfer goes on */
    COUNTS(0, 0, 0, 0, 0);
    cr_assert_null(of(100, 2, LATER)); /* for number 9 */
    COUNTS(0, 0, 1, 0, 0);
    cr_assert_null(of(101, 2, LATER)); /* for number 0 */
    COUNTS(0, 0, 2, 0, 0);
    for (uint64_t t = 1; t < IBA_RMPP_TRANSFERS; t++) {
        if (t == 5)
            cr_assert_null(of(t, 2, LATER));
        if (t != 9)
            expect_bytes(of(t, 3, 8), 408);
    }
    COUNTS(14, 0, 2, 0, 0);
    cr_assert_eq(unfinished(), 2);
    cr_assert_null(of(100, 3, 8));
    expect_bytes(of(100, 1, LATER), 408); /* nothing is left of the transfer that had this place */
    cr_assert_null(of(9, 3, 8));          /* the replaced transfer begins again, in a free place */
    cr_assert_null(of(9, 2, LATER));
    COUNTS(15, 0, 2, 0, 0);
    expect_bytes(of(9, 1, LATER), 408);
}

Test(rmpp_wrong, each_end_and_each_transaction_is_its_own)
{
    struct iba_rmpp_ends e[4] = {ENDS, ENDS, ENDS, ENDS};
    const struct piece one = {1, LATER, 1, 7}, two = {2, 0, 2, 7};

    e[1].kind = 1;
    e[2].src[15] = 1;
    e[3].dst[15] = 1;
    for (size_t i = 0; i < COUNT(e); i++)
        cr_assert_null(feed_bytes(&e[i], bytes_of(&one), IBA_MAD_BYTES));
    cr_assert_null(of(8, 1, LATER));
    cr_assert_eq(unfinished(), 5);
    for (size_t i = COUNT(e); i-- > 0;)
        expect_bytes(feed_bytes(&e[i], bytes_of(&two), IBA_MAD_BYTES), 200);
    cr_assert_eq(unfinished(), 1);
    expect_bytes(of(8, 2, 0), 200);
}

static void control(const struct iba_rmpp_ends *ends, uint8_t type, uint64_t transaction)
{
    uint8_t *w = bytes_of(&(struct piece){1, LATER, 1, transaction});

    iba_rmpp_set_rmpptype(w + RMPP, type);
    cr_assert_null(feed_bytes(ends, w, IBA_MAD_BYTES));
}

Test(rmpp_wrong, stop_and_abort_end_no_other)
{
    struct iba_rmpp_ends other = ENDS;

    other.src[0] = 9;
    cr_assert_null(of(7, 1, LATER));
    cr_assert_null(of(8, 1, LATER));
    control(&ENDS, ACK, 7);
    control(&ENDS, 0, 7);
    control(&ENDS, STOP, 9);
    control(&other, ABORT, 7);
    COUNTS(0, 0, 0, 0, 0);
    cr_assert_eq(unfinished(), 2);
    control(&BACK, STOP, 7);
    COUNTS(0, 1, 0, 0, 0);
    control(&ENDS, ABORT, 7); /* again */
    COUNTS(0, 1, 0, 0, 0);
    cr_assert_eq(unfinished(), 1);
    expect_bytes(of(8, 2, 0), 200);
}

/* Datagrams that are no segments, or that were not captured whole, change nothing. */
Test(rmpp_wrong, others_are_no_segments)
{
    uint8_t *w;

    cr_assert_null(of(7, 1, LATER));
    w = bytes_of(&(struct piece){2, 8, 2, 7});
    cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES - 1));
    iba_rmpp_set_rmppflag_active(w + RMPP, 0);
    cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES));
    w = bytes_of(&(struct piece){2, 8, 2, 7});
    iba_madhdr_set_mgmtclass(w, 0x04);
    cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES));
    COUNTS(0, 0, 0, 0, 0);
    cr_assert_eq(unfinished(), 1);
    expect_bytes(feed(2, 8), 208);
}

/* The first segment has the size of the records, although it may come last. */
Test(rmpp_wrong, the_first_one_describes_the_records)
{
    const struct iba_rmpp_transfer *t;
    uint8_t *w = bytes_of(&(struct piece){2, 100, 2, 7});

    iba_sa_set_attributeoffset(w + SA, 1); /* contradicts the first, and does not count */
    cr_assert_null(feed_bytes(&ENDS, w, IBA_MAD_BYTES));
    w = bytes_of(&(struct piece){1, LATER, 1, 7});
    iba_sa_set_attributeoffset(w + SA, 9);
    t = feed_bytes(&ENDS, w, IBA_MAD_BYTES);
    cr_assert(t && t->bytes == 300 && t->record_bytes == 72 && iba_rmpp_records(t) == 4);
    cr_assert_null(feed(2, 100));
    w = bytes_of(&(struct piece){1, LATER, 1, 7});
    iba_sa_set_attributeoffset(w + SA, 0);
    t = feed_bytes(&ENDS, w, IBA_MAD_BYTES);
    cr_assert(t && t->bytes == 300 && t->record_bytes == 0 && iba_rmpp_records(t) == 0);
}

/* The highest bit of the method shows that a segment is a response, whatever the other bits are. */
Test(rmpp_wrong, a_request_is_one_record)
{
    static const struct {
        uint8_t method;
        bool request;
    } methods[] = {{0x12, true}, {0x13, true}, {0x14, true}, {0x92, false}, {0x93, false}, {0x94, false}};

    for (size_t i = 0; i < COUNT(methods); i++) {
        uint8_t *w = bytes_of(&(struct piece){1, LATER, 1, 7});
        const struct iba_rmpp_transfer *t;
        cr_assert_null(feed(2, 100));
        iba_madhdr_set_method(w, methods[i].method);
        t = feed_bytes(&ENDS, w, IBA_MAD_BYTES);
        cr_assert_not_null(t);
        cr_expect_eq(t->request, methods[i].request, "method %02x", methods[i].method);
        cr_expect_eq(t->record_bytes, methods[i].request ? 300 : 64);
        cr_expect_eq(iba_rmpp_records(t), methods[i].request ? 1 : 4);
    }
}
