/* SPDX-License-Identifier: BSD-2-Clause */
/* The MAD layer between two adapters: transactions of all sizes over wires that lose packets, and each rule of RMPP
 * that a partner can break (MD-37..MD-53). */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mad/iba_mad.h"
#include "mad/iba_mad_add.h"
#include "mad_layer.h"
#include "mad_rmpp.h"

enum { A, B, PROGRAMS };
enum { SA_HEADER = 56, GET_TABLE = 0x12, TABLE = 0x92, ACTIVE = 1, FIRST = 2, LAST = 4, DELIVERIES = 128 };
#define QUIET (UINT64_C(100) * 1000 * 1000 * 1000)

struct delivery {
    unsigned open;
    struct mad_envelope e;
    uint8_t *mad;
    size_t len;
};
static struct world {
    struct topology *t;
    struct subnet *s;
    struct mad_layer l;
    struct delivery got[DELIVERIES];
    size_t n;
} w;

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    (void)ctx;
    (void)now;
    (void)mad_layer_received(&w.l, node, port, packet, len);
}

static void deliver(void *ctx, unsigned open, struct mad_envelope *e, const uint8_t *mad, size_t len)
{
    (void)ctx;
    cr_assert(w.n < DELIVERIES);
    w.got[w.n] = (struct delivery){open, *e, malloc(len), len};
    memcpy(w.got[w.n++].mad, mad, len);
}

static void forget(void)
{
    while (w.n > 0)
        free(w.got[--w.n].mad);
}

/* Two adapters at a switch, Active, with the LIDs 1 and 2. Program A is at the first, B at the second. */
static void begin(void)
{
    static const char text[] = "Switch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\nHca 1 \"A\"\nHca 1 \"B\"\n";
    const struct subnet_events events = {.received = received};
    const int fd = memfd_create("topology", 0);
    char path[64], err[TOPOLOGY_ERROR];

    cr_assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    w = (struct world){.t = topology_read(path, err)};
    (void)close(fd);
    w.s = subnet_new(w.t, &(struct subnet_config){0}, &events);
    w.l.deliver = deliver;
    cr_assert(w.s && mad_layer_begin(&w.l, w.s));
    subnet_run(w.s, 0);
    for (size_t i = 0; i < subnet_nodes(w.s); i++) {
        struct iba_node *n = &subnet_node(w.s, i)->n;
        for (unsigned p = 0; p <= n->cfg.n_port; p++) {
            if (n->port[p].info.portphysicalstate == IBA_PHYS_LINKUP)
                n->port[p].info.portstate = IBA_PORT_ACTIVE;
            n->port[p].info.lid = (uint16_t)(i ? i : 3);
        }
    }
    struct iba_node *n = &subnet_node(w.s, 0)->n;
    n->sw.linearfdbtop = 2;
    n->lft[1] = 1;
    n->lft[2] = 2;
    for (unsigned i = 0; i < PROGRAMS; i++)
        mad_layer_open(&w.l, i, i + 1, 1);
}

static void end(void)
{
    forget();
    mad_layer_end(&w.l);
    subnet_free(w.s);
    topology_free(w.t);
}

static void join(unsigned open, uint8_t rmpp, uint8_t flags)
{
    struct mad_registration r = {.class = IBA_CLASS_SA, .version = 2, .rmpp_version = rmpp, .flags = flags};
    uint32_t agent = 9;

    r.methods[0] = UINT64_C(1) << GET_TABLE;
    cr_assert_eq(mad_layer_register(&w.l, open, &r, &agent), 0);
    cr_assert_eq(agent, 0);
}

static void run(iba_time until)
{
    for (;;) {
        const iba_time packets = subnet_deadline(w.s), datagrams = mad_layer_deadline(&w.l);
        const iba_time next = packets < datagrams ? packets : datagrams;
        if (next > until)
            break;
        subnet_run(w.s, next);
        mad_layer_advance(&w.l);
    }
    subnet_run(w.s, until);
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
