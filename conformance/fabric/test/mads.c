/* SPDX-License-Identifier: BSD-2-Clause */
/* The MAD layer between two adapters: transactions of all sizes over wires that lose packets, and each rule of RMPP
 * that a partner can break (MD-37..MD-53). */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mad/iba_mad.h"
#include "mad/iba_mad_add.h"
#include "mad_rmpp.h"
#include "mads_bed.h"

enum { SA_HEADER = 56, GET_TABLE = 0x12, TABLE = 0x92, ACTIVE = 1, FIRST = 2, LAST = 4 };
#define QUIET (UINT64_C(100) * 1000 * 1000 * 1000)

static void join(unsigned open, uint8_t rmpp, uint8_t flags)
{
    struct mad_registration r = {.class = IBA_CLASS_SA, .version = 2, .rmpp_version = rmpp, .flags = flags};
    uint32_t agent = 9;

    r.methods[0] = UINT64_C(1) << GET_TABLE;
    cr_assert_eq(mad_layer_register(&w.l, open, &r, &agent), 0);
    cr_assert_eq(agent, 0);
}

static void lose(uint32_t one_in)
{
    for (unsigned p = 1; p <= 2; p++)
        subnet_lose(w.s, 0, (uint8_t)p, one_in);
}

static int send_to(unsigned from, const uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
    const struct mad_envelope e = {.timeout_ms = timeout_ms,
                                   .retries = retries,
                                   .qpn = htonl(1),
                                   .qkey = htonl(IBA_GSI_QKEY),
                                   .lid = htons((uint16_t)(from == A ? 2 : 1))};

    return mad_layer_send(&w.l, from, &e, mad, len);
}

static void header(uint8_t *mad, uint8_t method, uint8_t type, uint8_t flags, uint32_t data1, uint32_t data2)
{
    memset(mad, 0, SA_HEADER);
    mad[0] = 1;
    mad[1] = IBA_CLASS_SA;
    mad[2] = 2;
    mad[3] = method;
    iba_madhdr_set_transactionid(mad, 77);
    mad[IBA_RMPP_AT] = 1;
    mad[IBA_RMPP_AT + 1] = type;
    mad[IBA_RMPP_AT + 2] = flags;
    iba_rmpp_set_data1(mad + IBA_RMPP_AT, data1);
    iba_rmpp_set_data2(mad + IBA_RMPP_AT, data2);
}

/* A asks, and B answers with a table of `bytes` bytes. */
static void exchange(size_t bytes, uint32_t one_in)
{
    uint8_t ask[IBA_MAD_BYTES] = {0}, *table = malloc(bytes);
    uint64_t tid;

    begin();
    join(A, 1, 0);
    join(B, 1, 0);
    header(ask, GET_TABLE, 0, 0, 0, 0);
    cr_assert_eq(send_to(A, ask, sizeof ask, 4000, 9), 0);
    run(1000);
    run(subnet_now(w.s) + 1000000);
    cr_assert(w.n == 1 && w.got[0].open == B && w.got[0].len == IBA_MAD_BYTES && w.got[0].e.lid == htons(1));
    tid = iba_madhdr_transactionid(w.got[0].mad);
    forget();
    lose(one_in);
    for (size_t i = 0; i < bytes; i++)
        table[i] = (uint8_t)(i * 7 + i / 251);
    header(table, TABLE, 1, ACTIVE, 0, 0);
    iba_madhdr_set_transactionid(table, tid);
    cr_assert_eq(send_to(B, table, bytes, 0, 9), 0);
    run(subnet_now(w.s) + QUIET);
    cr_assert_eq(w.n, 1, "%zu bytes, one in %u lost: %zu deliveries", bytes, one_in, w.n);
    cr_assert(w.got[0].open == A && w.got[0].len == bytes && w.got[0].e.status == 0);
    cr_expect_eq(memcmp(w.got[0].mad, table, IBA_RMPP_AT), 0);
    cr_expect_eq(memcmp(w.got[0].mad + SA_HEADER, table + SA_HEADER, bytes - SA_HEADER), 0);
    cr_expect(w.l.n_send == 0 && mad_layer_deadline(&w.l) == IBA_NEVER, "nothing is left");
    free(table);
    end();
}

Test(mads, tables_of_all_sizes_arrive_whole)
{
    static const size_t sizes[] = {SA_HEADER, SA_HEADER + 1, 255, 256, 257, 456, 457, 3000};
    static const uint32_t losses[] = {0, 3, 5, 7};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
            exchange(sizes[i], losses[k]);
    exchange(26000, 0);
    exchange(26000, 20); /* 131 segments: a transfer has 40 s, and each loss costs 2 s (MD-52) */
    exchange(MAD_LONGEST, 0);
}

/* A sends segments by hand. B answers a wrong one with this ABORT; 0: with nothing. */
Test(mads, each_broken_rule_has_its_abort)
{
    static const struct {
        uint8_t version, type, flags, status;
        uint32_t data1, data2;
        uint8_t abort;
    } rows[] = {
        {1, IBA_RMPP_DATA, ACTIVE | FIRST, 5, 1, 500, 124},        /* MD-49 */
        {1, IBA_RMPP_DATA, ACTIVE, 0, 1, 500, 120},                /* MD-46 */
        {1, IBA_RMPP_DATA, ACTIVE | FIRST, 0, 2, 500, 120},        /* MD-46 */
        {1, IBA_RMPP_DATA, ACTIVE, 0, 0, 500, 120},                /* MD-39 */
        {2, IBA_RMPP_DATA, ACTIVE | FIRST, 0, 1, 500, 125},        /* MD-47 */
        {1, 9, ACTIVE | FIRST, 0, 1, 500, 121},                    /* MD-38 */
        {1, IBA_RMPP_DATA, ACTIVE | FIRST | LAST, 0, 1, 221, 119}, /* MD-39 */
        {1, IBA_RMPP_DATA, ACTIVE | FIRST | LAST, 0, 1, 19, 119},  /* MD-40 */
        {1, IBA_RMPP_DATA, ACTIVE, 0, MAD_SEGMENTS + 1, 500, 123}, /* longer than a transaction may be */
        {1, IBA_RMPP_DATA, ACTIVE, 0, UINT32_MAX, 500, 123},       /* MD-48 */
        {1, IBA_RMPP_ACK, ACTIVE, 5, 1, 2, 124},                   /* MD-49 */
        {1, IBA_RMPP_ACK, ACTIVE, 0, 3, 2, 122},                   /* MD-48 */
        {1, IBA_RMPP_ACK, ACTIVE, 0, 1, 2, 0},                     /* an ACK of nothing */
        {1, IBA_RMPP_DATA, ACTIVE, 0, 2, 500, 0},                  /* a transfer that did not begin */
        {1, IBA_RMPP_STOP, ACTIVE, 1, 0, 0, 0},                    /* MD-50 */
        {1, IBA_RMPP_ABORT, ACTIVE, 126, 0, 0, 0},                 /* MD-50 */
    };
    uint8_t mad[IBA_MAD_BYTES] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        join(A, 1, MAD_USER_RMPP);
        join(B, 1, 0);
        header(mad, GET_TABLE, rows[i].type, rows[i].flags, rows[i].data1, rows[i].data2);
        mad[IBA_RMPP_AT] = rows[i].version;
        mad[IBA_RMPP_AT + 3] = rows[i].status;
        cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
        run(subnet_now(w.s) + QUIET);
        cr_assert_eq(w.n, rows[i].abort != 0, "row %zu: %zu deliveries", i, w.n);
        if (rows[i].abort) {
            const uint8_t *rmpp = w.got[0].mad + IBA_RMPP_AT;
            cr_expect(w.got[0].open == A && iba_madhdr_method(w.got[0].mad) == TABLE);
            cr_expect_eq(iba_rmpp_rmpptype(rmpp), IBA_RMPP_ABORT, "row %zu", i);
            cr_expect_eq(iba_rmpp_rmppstatus(rmpp), rows[i].abort, "row %zu: %u", i,
                         (unsigned)iba_rmpp_rmppstatus(rmpp));
        }
        end();
    }
}

static void expect(size_t i, unsigned type, uint32_t number)
{
    cr_assert(i < w.n, "delivery %zu of %zu", i, w.n);
    cr_expect_eq(iba_rmpp_rmpptype(w.got[i].mad + IBA_RMPP_AT), type, "delivery %zu", i);
    cr_expect_eq(iba_rmpp_data1(w.got[i].mad + IBA_RMPP_AT), number, "delivery %zu: %u", i,
                 (unsigned)iba_rmpp_data1(w.got[i].mad + IBA_RMPP_AT));
}

/* B sends a table of ten segments to A, which answers by hand. */
static void begin_table(void)
{
    uint8_t table[SA_HEADER + 10 * 200] = {0};

    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    header(table, GET_TABLE, 1, ACTIVE, 0, 0);
    cr_assert_eq(send_to(B, table, sizeof table, 500, 2), 0);
    run(subnet_now(w.s) + 100000);
}

static void acknowledge(uint32_t segment, uint32_t window)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};

    header(mad, TABLE, IBA_RMPP_ACK, ACTIVE, segment, window);
    iba_madhdr_set_transactionid(mad, iba_madhdr_transactionid(w.got[0].mad));
    cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
    run(subnet_now(w.s) + 100000);
}

Test(mads, a_sender_keeps_to_the_window)
{
    begin_table();
    cr_assert_eq(w.n, 1, "MD-41: one segment, until the first ACK");
    expect(0, IBA_RMPP_DATA, 1);
    acknowledge(1, 3);
    cr_assert_eq(w.n, 3, "MD-42");
    expect(1, IBA_RMPP_DATA, 2);
    expect(2, IBA_RMPP_DATA, 3);
    acknowledge(1, 2);
    cr_assert_eq(w.n, 3, "an old ACK changes nothing");
    run(subnet_now(w.s) + UINT64_C(500000000));
    cr_assert_eq(w.n, 5, "MD-44: from the first segment without an ACK on");
    expect(3, IBA_RMPP_DATA, 2);
    acknowledge(4, 9);
    cr_assert_eq(w.n, 7, "MD-48: ABORT, and B's program gets its request back");
    cr_expect(w.got[5].open == B || w.got[6].open == B);
    const struct delivery *sent = w.got[5].open == B ? &w.got[6] : &w.got[5];
    cr_expect_eq(iba_rmpp_rmpptype(sent->mad + IBA_RMPP_AT), IBA_RMPP_ABORT);
    cr_expect_eq(iba_rmpp_rmppstatus(sent->mad + IBA_RMPP_AT), 123, "a segment that was not sent yet");
    end();
}

Test(mads, a_sender_gives_up)
{
    begin_table();
    run(subnet_now(w.s) + QUIET);
    cr_assert_eq(w.n, 5, "MD-44: a segment, sent again twice; ABORT; %zu", w.n);
    expect(1, IBA_RMPP_DATA, 1);
    expect(2, IBA_RMPP_DATA, 1);
    const struct delivery *back = w.got[3].open == B ? &w.got[3] : &w.got[4];
    const struct delivery *sent = w.got[3].open == B ? &w.got[4] : &w.got[3];
    cr_expect(back->open == B && back->e.status == ETIMEDOUT && back->len == MAD_HEADER);
    cr_expect_eq(iba_rmpp_rmpptype(sent->mad + IBA_RMPP_AT), IBA_RMPP_ABORT);
    cr_expect_eq(iba_rmpp_rmppstatus(sent->mad + IBA_RMPP_AT), 126);
    end();
}

/* MD-43, MD-45: a segment that comes twice gets its ACK twice; one transaction more than B has room for gets STOP. */
Test(mads, a_receiver_repeats_acks_and_has_bounds)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};

    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    for (unsigned i = 0; i <= MAD_TRANSFERS + 1; i++) {
        header(mad, GET_TABLE, IBA_RMPP_DATA, ACTIVE | FIRST, 1, 5000);
        iba_madhdr_set_transactionid(mad, i ? i : 1);
        cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
        run(subnet_now(w.s) + 100000);
    }
    cr_assert_eq(w.n, MAD_TRANSFERS + 2);
    for (unsigned i = 0; i <= MAD_TRANSFERS; i++)
        expect(i, IBA_RMPP_ACK, 1);
    expect(MAD_TRANSFERS + 1, IBA_RMPP_STOP, 0);
    forget();
    run(subnet_now(w.s) + QUIET);
    cr_expect_eq(w.n, MAD_TRANSFERS, "MD-52: each ends by an ABORT, after 40 s");
    cr_expect_eq(iba_rmpp_rmppstatus(w.got[0].mad + IBA_RMPP_AT), 118);
    end();
}

Test(mads, transaction_shorter_than_its_header)
{
    uint8_t mad[SA_HEADER];

    begin();
    join(A, 1, 0);
    header(mad, GET_TABLE, 1, ACTIVE, 0, 0);
    cr_expect_eq(send_to(A, mad, SA_HEADER - 1, 100, 1), EINVAL);
    cr_expect_eq(send_to(A, mad, MAD_HEADER - 1, 100, 1), EINVAL);
    cr_expect_eq(w.l.n_send, 0);
    end();
}

/* A program may use a transaction ID again while its request is open. The first answer is for one of both requests; the
 * other one times out. */
Test(mads, two_requests_of_one_id)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};
    uint64_t tid;

    begin();
    join(A, 1, 0);
    join(B, 1, MAD_USER_RMPP);
    header(mad, GET_TABLE, 0, 0, 0, 0);
    iba_madhdr_set_transactionid(mad, 5);
    cr_assert_eq(send_to(A, mad, sizeof mad, 1, 0), 0); /* its entry is free when the third request comes */
    iba_madhdr_set_transactionid(mad, 77);
    cr_assert_eq(send_to(A, mad, sizeof mad, 4000, 9), 0);
    run(subnet_now(w.s) + 2000000);
    cr_assert_eq(w.n, 3);
    tid = iba_madhdr_transactionid(w.got[0].open == B && w.got[1].open == B ? w.got[1].mad : w.got[2].mad);
    forget();
    header(mad, TABLE, IBA_RMPP_DATA, ACTIVE | FIRST, 1, 300);
    iba_madhdr_set_transactionid(mad, tid);
    cr_assert_eq(send_to(B, mad, sizeof mad, 0, 0), 0);
    run(subnet_now(w.s) + 1000000);
    header(mad, GET_TABLE, 0, 0, 0, 0);
    cr_assert_eq(send_to(A, mad, sizeof mad, 4000, 9), 0);
    header(mad, TABLE, IBA_RMPP_DATA, ACTIVE | LAST, 2, 100);
    iba_madhdr_set_transactionid(mad, tid);
    cr_assert_eq(send_to(B, mad, sizeof mad, 0, 0), 0);
    run(subnet_now(w.s) + QUIET);
    cr_expect_eq(w.l.n_send, 0, "both requests have ended");
    end();
}

Test(mads, a_request_is_sent_again_and_comes_back)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};

    begin();
    join(A, 0, 0);
    join(B, 0, 0);
    header(mad, GET_TABLE, 0, 0, 0, 0);
    cr_assert_eq(send_to(A, mad, sizeof mad, 100, 2), 0);
    run(subnet_now(w.s) + UINT64_C(299000000));
    cr_assert_eq(w.n, 3, "three times to B");
    run(subnet_now(w.s) + UINT64_C(2000000));
    cr_assert_eq(w.n, 4);
    cr_expect(w.got[3].open == A && w.got[3].e.status == ETIMEDOUT && w.got[3].len == MAD_HEADER);
    iba_madhdr_set_method(mad, TABLE);
    iba_madhdr_set_transactionid(mad, iba_madhdr_transactionid(w.got[0].mad));
    cr_assert_eq(send_to(B, mad, sizeof mad, 0, 0), 0);
    run(subnet_now(w.s) + QUIET);
    cr_expect_eq(w.n, 4, "a late answer reaches nobody");
    end();
}

/* ---- segments, one by one ---- */

struct segment {
    unsigned flags;
    uint32_t number, payload;
};

/* MD-39, MD-40: the first segment has the payload of all, the last one its own; both count the header after RMPP's. */
Test(mads, headers_of_segments)
{
    static const struct {
        size_t bytes;
        unsigned n;
        struct segment s[3];
    } rows[] = {
        {SA_HEADER, 1, {{ACTIVE | FIRST | LAST, 1, 20}}},
        {SA_HEADER + 200, 1, {{ACTIVE | FIRST | LAST, 1, 220}}},
        {SA_HEADER + 201, 2, {{ACTIVE | FIRST, 1, 241}, {ACTIVE | LAST, 2, 21}}},
        {SA_HEADER + 600, 3, {{ACTIVE | FIRST, 1, 660}, {ACTIVE, 2, 0}, {ACTIVE | LAST, 3, 220}}},
        {SA_HEADER + 599, 3, {{ACTIVE | FIRST, 1, 659}, {ACTIVE, 2, 0}, {ACTIVE | LAST, 3, 219}}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t table[SA_HEADER + 600];
        begin();
        join(A, 1, MAD_USER_RMPP);
        join(B, 1, 0);
        for (size_t k = 0; k < sizeof table; k++)
            table[k] = (uint8_t)(k / 3 + 1);
        header(table, GET_TABLE, 1, ACTIVE, 0, 0);
        memset(table + 36, 0x5c, SA_HEADER - 36);
        table[IBA_RMPP_AT + 3] = 7; /* RMPPStatus is not the program's */
        cr_assert_eq(send_to(B, table, rows[i].bytes, 500, 2), 0);
        run(subnet_now(w.s) + 100000);
        acknowledge(1, 9);
        cr_assert_eq(w.n, rows[i].n, "row %zu: %zu", i, w.n);
        for (unsigned k = 0; k < rows[i].n; k++) {
            const uint8_t *mad = w.got[k].mad, *rmpp = mad + IBA_RMPP_AT;
            const size_t left = rows[i].bytes - SA_HEADER - k * 200;
            cr_expect_eq(w.got[k].len, IBA_MAD_BYTES);
            cr_expect(rmpp[0] == 1 && rmpp[1] == IBA_RMPP_DATA && rmpp[3] == 0, "row %zu, %u", i, k);
            cr_expect_eq(rmpp[2] & 7, rows[i].s[k].flags, "row %zu, %u", i, k);
            cr_expect_eq(iba_rmpp_data1(rmpp), rows[i].s[k].number, "row %zu, %u", i, k);
            cr_expect_eq(iba_rmpp_data2(rmpp), rows[i].s[k].payload, "row %zu, %u", i, k);
            cr_expect_eq(memcmp(mad + SA_HEADER, table + SA_HEADER + k * 200, left < 200 ? left : 200), 0, "row %zu",
                         i);
            cr_expect_eq(memcmp(mad + 36, table + 36, SA_HEADER - 36), 0, "the header of the class is in each");
        }
        cr_expect_eq(iba_madhdr_transactionid(w.got[0].mad) & UINT32_MAX, 77);
        end();
    }
}

/* A sends a segment by hand, as the request or as the answer of a table. */
static void segment(uint8_t method, uint64_t tid, unsigned flags, uint32_t number, uint32_t payload)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};

    header(mad, method, IBA_RMPP_DATA, (uint8_t)flags, number, payload);
    iba_madhdr_set_transactionid(mad, tid);
    memset(mad + SA_HEADER, (int)number, IBA_MAD_BYTES - SA_HEADER);
    cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
    run(subnet_now(w.s) + 100000);
}

/* Returns the number of deliveries, of which the last one is an ACK for that segment, with that window. */
static size_t acked(size_t n, uint32_t number, uint32_t window)
{
    cr_assert_eq(w.n, n, "%zu deliveries, not %zu", w.n, n);
    expect(n - 1, IBA_RMPP_ACK, number);
    const uint8_t *mad = w.got[n - 1].mad;
    cr_expect_eq(iba_rmpp_data2(mad + IBA_RMPP_AT), window, "window %u", (unsigned)iba_rmpp_data2(mad + IBA_RMPP_AT));
    cr_expect_eq(iba_madhdr_method(mad), TABLE, "the other direction");
    cr_expect(w.got[n - 1].open == A && iba_rmpp_rmppstatus(mad + IBA_RMPP_AT) == 0);
    return n;
}

/* A receiver opens its window by 64 segments; it takes them in any order, and gives the whole to its program. */
Test(mads, a_receiver_opens_windows)
{
    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    segment(GET_TABLE, 5, ACTIVE | FIRST, 1, 0);
    acked(1, 1, 65);
    for (uint32_t i = 3; i < 65; i++)
        segment(GET_TABLE, 5, ACTIVE, i, 0);
    segment(GET_TABLE, 5, ACTIVE, 66, 0); /* outside the window */
    segment(GET_TABLE, 5, ACTIVE, 65, 0);
    cr_assert_eq(w.n, 1, "the second is missing");
    segment(GET_TABLE, 5, ACTIVE, 2, 0);
    acked(2, 65, 129);
    segment(GET_TABLE, 5, ACTIVE, 7, 0);
    acked(3, 65, 129);
    segment(GET_TABLE, 5, ACTIVE | LAST, 67, 30);
    cr_assert_eq(w.n, 3);
    segment(GET_TABLE, 5, ACTIVE, 66, 0);
    cr_assert_eq(w.n, 5);
    const struct delivery *whole = w.got[3].open == B ? &w.got[3] : &w.got[4];
    cr_expect(whole->open == B && whole->len == SA_HEADER + 66 * 200 + 10, "%zu", whole->len);
    for (uint32_t i = 0; i < 67; i++)
        cr_expect_eq(whole->mad[SA_HEADER + i * 200], i + 1, "segment %u", i + 1);
    cr_expect_eq(whole->mad[SA_HEADER + 66 * 200 + 9], 67);
    run(subnet_now(w.s) + UINT64_C(9900000000));
    segment(GET_TABLE, 5, ACTIVE, 66, 0);
    acked(6, 67, 129); /* MD-43: for ten seconds */
    run(subnet_now(w.s) + UINT64_C(10000000000));
    segment(GET_TABLE, 5, ACTIVE, 66, 0);
    cr_expect_eq(w.n, 6, "it is forgotten");
    end();
}

/* Of a segment that comes twice the first counts: here the second one says that it is the last. */
Test(mads, segments_that_differ)
{
    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    segment(GET_TABLE, 5, ACTIVE | FIRST, 1, 0);
    segment(GET_TABLE, 5, ACTIVE, 3, 0);
    segment(GET_TABLE, 5, ACTIVE | LAST, 3, 30);
    segment(GET_TABLE, 5, ACTIVE, 2, 0);
    cr_expect(w.n == 1 && w.l.transfer[0].got == 3 && !w.l.transfer[0].whole);
    end();
}

/* A segment after the last one. */
Test(mads, segments_after_the_end)
{
    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    segment(GET_TABLE, 5, ACTIVE | FIRST, 1, 0);
    segment(GET_TABLE, 5, ACTIVE | LAST, 3, 30);
    segment(GET_TABLE, 5, ACTIVE, 4, 0);
    cr_assert_eq(w.n, 2);
    expect(1, IBA_RMPP_ABORT, 0);
    cr_expect_eq(iba_rmpp_rmppstatus(w.got[1].mad + IBA_RMPP_AT), 119);
    segment(GET_TABLE, 5, ACTIVE, 2, 0);
    cr_expect_eq(w.n, 2, "the transfer has ended");
    end();
}

/* Bytes before the data of a segment, by class (MD-40), and the segments of transactions. */
Test(mads, classes_with_segments)
{
    static const struct {
        unsigned first, last;
        uint32_t header;
    } rows[] = {{0, 2, 0},        {3, 3, 56},      {4, 0xf, 0},      {0x10, 0x10, 64}, {0x11, 0x11, 0},
                {0x12, 0x12, 64}, {0x13, 0x2f, 0}, {0x30, 0x4f, 40}, {0x50, 0xff, 0}};
    uint8_t mad[IBA_MAD_BYTES] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned class = rows[i].first; class <= rows[i].last; class ++) {
            const uint32_t h = rows[i].header, stride = 256 - h;
            mad[1] = (uint8_t) class;
            mad[IBA_RMPP_AT + 2] = ACTIVE;
            cr_expect(mad_rmpp_has_class(class) == (h > 0) && mad_rmpp_is_active(mad, 36) == (h > 0), "%#x", class);
            mad[IBA_RMPP_AT + 2] = FIRST | LAST;
            cr_expect(!mad_rmpp_is_active(mad, 256) && !mad_rmpp_is_active(mad, 35), "%#x", class);
            if (h == 0)
                continue;
            cr_expect(mad_rmpp_segments(class, h - 1) == 0 && mad_rmpp_segments(class, h) == 1, "%#x", class);
            cr_expect(mad_rmpp_segments(class, 256) == 1 && mad_rmpp_segments(class, 257) == 2, "%#x", class);
            cr_expect(mad_rmpp_segments(class, 256 + stride) == 2 && mad_rmpp_segments(class, 257 + stride) == 3);
            cr_expect(mad_rmpp_room(class, 1) == 256 && mad_rmpp_room(class, 5) == 256 + 4 * stride, "%#x", class);
        }
    mad[1] = IBA_CLASS_SA;
    mad[IBA_RMPP_AT + 2] = ACTIVE;
    cr_expect(!mad_rmpp_is_active(mad, 35) && mad_rmpp_is_active(mad, 36));
}

/* MD-50: STOP and ABORT get no answer; the program gets its request back. */
Test(mads, transactions_that_the_other_side_ends)
{
    for (unsigned type = IBA_RMPP_STOP; type <= IBA_RMPP_ABORT; type++) {
        uint8_t mad[IBA_MAD_BYTES] = {0};
        begin_table();
        header(mad, TABLE, (uint8_t)type, ACTIVE, 0, 0);
        iba_madhdr_set_transactionid(mad, iba_madhdr_transactionid(w.got[0].mad));
        cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
        run(subnet_now(w.s) + QUIET);
        cr_assert_eq(w.n, 2, "type %u: %zu", type, w.n);
        cr_expect(w.got[1].open == B && w.got[1].e.status == ECONNABORTED && w.got[1].len == MAD_HEADER);
        cr_expect(w.l.n_send == 0 && mad_layer_deadline(&w.l) == IBA_NEVER);
        forget();
        segment(GET_TABLE, 5, ACTIVE | FIRST, 1, 0);
        acked(1, 1, 65);
        header(mad, GET_TABLE, (uint8_t)type, ACTIVE, 0, 0);
        iba_madhdr_set_transactionid(mad, 5);
        cr_assert_eq(send_to(A, mad, sizeof mad, 0, 0), 0);
        segment(GET_TABLE, 5, ACTIVE, 2, 0);
        cr_expect(w.n == 1 && !w.l.transfer[0].used, "the transfer has ended");
        segment(GET_TABLE, 6, ACTIVE | FIRST, 1, 0);
        cr_expect(w.l.transfer[0].used && mad_layer_unregister(&w.l, B, 0) == 0 && !w.l.transfer[0].used);
        end();
    }
}

/* MD-51: all segments have their ACKs; the ACK of segment 0 lets the answer begin. If none comes, the request comes
 * back after its time limit and all retries, and nothing is sent again. */
Test(mads, the_direction_turns)
{
    begin_table();
    acknowledge(1, 10);
    cr_assert_eq(w.n, 10);
    acknowledge(10, 10);
    cr_assert_eq(w.n, 10);
    acknowledge(3, 9);
    cr_assert_eq(w.n, 10, "an old one");
    acknowledge(0, 9);
    cr_assert_eq(w.n, 11);
    expect(10, IBA_RMPP_ACK, 0);
    cr_expect_eq(iba_rmpp_data2(w.got[10].mad + IBA_RMPP_AT), 64);
    cr_expect_eq(iba_rmpp_rmppstatus(w.got[10].mad + IBA_RMPP_AT), 0);
    run(subnet_now(w.s) + UINT64_C(1490000000));
    cr_expect_eq(w.n, 11, "three times 500 ms");
    run(subnet_now(w.s) + UINT64_C(20000000));
    cr_assert_eq(w.n, 12);
    cr_expect(w.got[11].open == B && w.got[11].e.status == ETIMEDOUT && w.l.n_send == 0);
    end();
}

/* MD-52: an answer that does not come to its end. Its first segment stops the timer of the request. */
Test(mads, an_answer_without_end)
{
    uint8_t mad[IBA_MAD_BYTES] = {0};

    begin();
    join(A, 1, 0);
    join(B, 1, MAD_USER_RMPP);
    header(mad, GET_TABLE, 0, 0, 0, 0);
    cr_assert_eq(send_to(A, mad, sizeof mad, 1000, 9), 0);
    run(subnet_now(w.s) + 1000000);
    cr_assert(w.n == 1 && w.got[0].open == B);
    header(mad, TABLE, IBA_RMPP_DATA, ACTIVE | FIRST, 1, 300);
    iba_madhdr_set_transactionid(mad, iba_madhdr_transactionid(w.got[0].mad));
    cr_assert_eq(send_to(B, mad, sizeof mad, 0, 0), 0);
    run(UINT64_C(39990000000));
    cr_assert_eq(w.n, 2, "an ACK: %zu", w.n);
    run(UINT64_C(40010000000));
    cr_assert_eq(w.n, 4);
    const struct delivery *back = w.got[2].open == A ? &w.got[2] : &w.got[3];
    const struct delivery *sent = w.got[2].open == A ? &w.got[3] : &w.got[2];
    cr_expect(back->open == A && back->e.status == ETIMEDOUT && back->len == MAD_HEADER);
    cr_expect_eq(iba_rmpp_rmpptype(sent->mad + IBA_RMPP_AT), IBA_RMPP_ABORT);
    cr_expect(sent->open == B && iba_rmpp_rmppstatus(sent->mad + IBA_RMPP_AT) == 118);
    cr_expect(w.l.n_send == 0 && mad_layer_deadline(&w.l) == IBA_NEVER);
    end();
}

/* Transfers that are whole are remembered until their entry is needed: the oldest is forgotten first. */
Test(mads, memory_of_whole_transfers)
{
    begin();
    join(A, 1, MAD_USER_RMPP);
    join(B, 1, 0);
    for (uint64_t tid = 1; tid <= MAD_TRANSFERS + 2; tid++) {
        segment(GET_TABLE, tid, ACTIVE | FIRST | LAST, 1, 30);
        cr_assert_eq(w.n, 2, "transaction %llu", (unsigned long long)tid);
        forget();
    }
    static const unsigned tids[] = {3, MAD_TRANSFERS + 1, MAD_TRANSFERS + 2, 2, 1};
    for (unsigned i = 0; i < 5; i++) {
        segment(GET_TABLE, tids[i], ACTIVE | FIRST | LAST, 1, 30);
        cr_assert_eq(w.n, i < 3 ? 1 : 2, "%u: remembered, or new again", tids[i]);
        forget();
    }
    end();
}

/* A transaction that cannot be sent leaves nothing. */
Test(mads, a_transaction_without_a_partition)
{
    uint8_t table[SA_HEADER + 500] = {0};
    const struct mad_envelope e = {.timeout_ms = 100, .qpn = htonl(1), .lid = htons(1), .pkey_index = 64};

    begin();
    join(B, 1, 0);
    header(table, GET_TABLE, 1, ACTIVE, 0, 0);
    cr_expect_eq(mad_layer_send(&w.l, B, &e, table, sizeof table), EINVAL);
    cr_expect(w.l.n_send == 0 && mad_layer_deadline(&w.l) == IBA_NEVER);
    end();
}
