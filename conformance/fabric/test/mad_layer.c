/* SPDX-License-Identifier: BSD-2-Clause */
/* The MAD layer without segments: which agent gets a datagram, what may be sent, and which requests come back. */
#include "mad_layer.h"
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "leaks.h"
#include "mad/iba_mad_add.h"
#include "mad_rmpp.h"
#include "mads_bed.h"

enum { VENDOR = 0x30, LAST_VENDOR = 0x4f, APPLICATION = 0x0a, SEND = 3, GET = 1, RESPONSE = 0x81, OUI_AT = 37 };
#define MS UINT64_C(1000000)

static struct mad_registration service(uint8_t class, uint8_t version, unsigned method, const char *oui)
{
    struct mad_registration r = {.class = class, .version = version, .has_oui = oui != NULL};

    r.methods[method / 64] = UINT64_C(1) << method % 64;
    memcpy(r.oui, oui ? oui : "\0\0\0", 3);
    return r;
}

static int registers(unsigned open, uint8_t class, uint8_t version, unsigned method, const char *oui)
{
    const struct mad_registration r = service(class, version, method, oui);
    uint32_t agent;
    const int error = mad_layer_register(&w.l, open, &r, &agent);

    return error ? -error : (int)agent;
}

static int sends(unsigned from, uint32_t agent, uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
    const struct mad_envelope e = {.agent = agent,
                                   .timeout_ms = timeout_ms,
                                   .retries = retries,
                                   .qpn = htonl(1),
                                   .qkey = htonl(IBA_GSI_QKEY),
                                   .lid = htons((uint16_t)(from == A ? 2 : 1))};
    const int error = mad_layer_send(&w.l, from, &e, mad, len);

    run(subnet_now(w.s) + 100000);
    return error;
}

static uint8_t *datagram(uint8_t class, uint8_t version, uint8_t method, uint64_t tid, const char *oui)
{
    static uint8_t mad[IBA_MAD_BYTES];

    for (size_t i = 0; i < sizeof mad; i++)
        mad[i] = (uint8_t)i;
    mad[0] = 1;
    mad[1] = class;
    mad[2] = version;
    mad[3] = method;
    iba_madhdr_set_transactionid(mad, tid);
    mad[26] = 0; /* no segments */
    memcpy(mad + OUI_AT, oui ? oui : "\0\0\0", 3);
    return mad;
}

/* Agents of B: a request goes to the one with its class, version and method, and its OUI where it has one. */
Test(mad_layer, who_gets_a_request, .init = begin, .fini = end)
{
    static const struct {
        uint8_t class, version, method;
        const char *oui;
        int agent; /* -1: nobody */
    } rows[] = {
        {APPLICATION, 1, SEND, NULL, 0}, {APPLICATION, 2, SEND, NULL, -1},     {APPLICATION, 1, 4, NULL, -1},
        {APPLICATION, 1, 0x43, NULL, 1}, {VENDOR, 1, SEND, "abc", 2},          {VENDOR, 1, SEND, "abd", 3},
        {VENDOR, 1, SEND, "xbc", -1},    {LAST_VENDOR, 1, SEND, "abc", 4},     {LAST_VENDOR, 1, SEND, "abd", -1},
        {0x50, 1, SEND, "xyz", 5},       {APPLICATION + 1, 1, SEND, NULL, -1}, {APPLICATION, 1, 0x3f, NULL, 6},
        {APPLICATION, 1, 0x7f, NULL, 7},
    };

    cr_assert_eq(registers(B, APPLICATION, 1, SEND, NULL), 0);
    cr_assert_eq(registers(B, APPLICATION, 1, 0x43, NULL), 1);
    cr_assert_eq(registers(B, VENDOR, 1, SEND, "abc"), 2);
    cr_assert_eq(registers(B, VENDOR, 1, SEND, "abd"), 3);
    cr_assert_eq(registers(B, LAST_VENDOR, 1, SEND, "abc"), 4);
    cr_assert_eq(registers(B, 0x50, 1, SEND, "abc"), 5, "only classes of vendors have an OUI");
    cr_assert(registers(B, APPLICATION, 1, 0x3f, NULL) == 6 && registers(B, APPLICATION, 1, 0x7f, NULL) == 7);
    cr_assert_eq(registers(A, 1, 1, 0, NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(sends(A, 0, datagram(rows[i].class, rows[i].version, rows[i].method, 5, rows[i].oui), 256, 0, 0),
                     0);
        cr_assert_eq(w.n, rows[i].agent >= 0, "row %zu: %zu", i, w.n);
        cr_expect(w.n == 0 || (w.got[0].open == B && (int)w.got[0].e.agent == rows[i].agent), "row %zu", i);
        forget();
    }
}

/* A second agent at the same port may not take the same methods of the same service. */
Test(mad_layer, services_that_are_taken, .init = begin, .fini = end)
{
    static const struct {
        uint8_t class, version;
        unsigned method;
        const char *oui;
        int result;
    } rows[] = {
        {APPLICATION, 1, SEND, NULL, -EBUSY}, {APPLICATION, 1, 4, NULL, 0},         {APPLICATION, 2, SEND, NULL, 1},
        {APPLICATION + 1, 1, SEND, NULL, 2},  {APPLICATION, 1, 0x43, NULL, -EBUSY}, {APPLICATION, 1, 0x44, NULL, 3},
        {VENDOR, 1, SEND, "abc", -EBUSY},     {VENDOR, 1, SEND, "abd", 4},
    };

    mad_layer_open(&w.l, 5, 2, 1); /* once more at the second adapter */
    cr_assert(registers(B, APPLICATION, 1, SEND, NULL) == 0 && registers(B, APPLICATION, 1, 0x43, NULL) == 1);
    cr_assert_eq(registers(B, VENDOR, 1, SEND, "abc"), 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(registers(5, rows[i].class, rows[i].version, rows[i].method, rows[i].oui), rows[i].result,
                     "row %zu", i);
    cr_expect_eq(registers(B, APPLICATION, 1, SEND, NULL), -EBUSY, "its own service");
    cr_expect_eq(registers(A, APPLICATION, 1, SEND, NULL), 0, "another port");
    cr_expect_eq(mad_layer_unregister(&w.l, B, 0), 0);
    cr_expect_eq(registers(5, APPLICATION, 1, SEND, NULL), 5, "free again");
    mad_layer_close(&w.l, B);
    cr_expect_eq(registers(5, VENDOR, 1, SEND, "abc"), 6);
}

/* The upper half of a request's transaction ID is the agent's mark, which answers bring back. The bits in which the
 * server of ibsim's protocol has the numbers of its clients are all set. */
Test(mad_layer, marks, .init = begin, .fini = end)
{
    uint64_t tid[3];

    cr_assert_eq(registers(B, APPLICATION, 1, GET, NULL), 0);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(registers(A, APPLICATION, 1, 0x70 + (unsigned)i, NULL), i);
        cr_assert_eq(
            sends(A, (uint32_t)i, datagram(APPLICATION, 1, GET, UINT64_C(0x1111222233334444), NULL), 256, 0, 0), 0);
        cr_assert_eq(w.n, 1);
        tid[i] = iba_madhdr_transactionid(w.got[0].mad);
        forget();
        cr_expect_eq(tid[i] & UINT32_MAX, 0x33334444);
        cr_expect_eq(tid[i] >> 48 & 0xff, 0xff);
    }
    cr_expect(tid[0] != tid[1] && tid[1] != tid[2] && tid[0] != tid[2]);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(sends(B, 0, datagram(APPLICATION, 1, RESPONSE, tid[2 - i], NULL), 256, 0, 0), 0);
        cr_assert_eq(w.n, 0, "it waits for no answer");
    }
}

/* An answer goes to the agent that asked, once; the request does not come back then. */
Test(mad_layer, answers, .init = begin, .fini = end)
{
    uint64_t tid;

    cr_assert_eq(registers(B, APPLICATION, 1, GET, NULL), 0);
    cr_assert(registers(A, APPLICATION, 1, 0x70, NULL) == 0 && registers(A, APPLICATION, 1, 0x71, NULL) == 1);
    cr_assert_eq(sends(A, 1, datagram(APPLICATION, 1, GET, 5, NULL), 256, 1000, 2), 0);
    cr_assert_eq(w.n, 1);
    tid = iba_madhdr_transactionid(w.got[0].mad);
    cr_expect(mad_layer_deadline(&w.l) > 999 * MS && mad_layer_deadline(&w.l) <= 1001 * MS);
    for (unsigned i = 0; i < 4; i++) { /* another class, another transaction, another agent's mark, the right one */
        static const uint64_t others[] = {0, 1, UINT64_C(1) << 40, 0};
        forget();
        cr_assert_eq(sends(B, 0, datagram(i == 0 ? APPLICATION + 1 : APPLICATION, 1, RESPONSE, tid ^ others[i], NULL),
                           256, 0, 0),
                     0);
        cr_expect_eq(w.n, i == 3, "%u", i);
    }
    cr_expect(w.got[0].open == A && w.got[0].e.agent == 1 && w.got[0].e.status == 0 && w.got[0].len == 256);
    cr_expect_eq(mad_layer_deadline(&w.l), IBA_NEVER);
    forget();
    cr_assert_eq(sends(B, 0, datagram(APPLICATION, 1, RESPONSE, tid, NULL), 256, 0, 0), 0);
    cr_expect_eq(w.n, 0, "a second answer");
}

Test(mad_layer, what_may_be_sent, .init = begin, .fini = end)
{
    struct mad_envelope e = {.lid = htons(2), .qkey = htonl(IBA_GSI_QKEY)};
    static const struct {
        size_t len;
        uint32_t agent, qpn;
        uint8_t class;
        int error;
    } rows[] = {{MAD_HEADER - 1, 0, 1, APPLICATION, EINVAL},
                {MAD_HEADER, 0, 1, APPLICATION, 0},
                {256, 1, 1, APPLICATION, EINVAL},
                {256, MAD_AGENTS, 1, APPLICATION, EINVAL},
                {256, 0, 0, APPLICATION, EINVAL},
                {256, 0, 0xff000000, APPLICATION, EINVAL},
                {257, 0, 1, APPLICATION, EINVAL},
                {256, 0, 0, 1, 0},
                {256, 0, 0, 0x81, 0},
                {MAD_LONGEST + 1, 0, 1, APPLICATION, EINVAL}};
    static uint8_t mad[MAD_LONGEST + 1];

    cr_assert_eq(registers(A, APPLICATION, 1, 0x70, NULL), 0);
    cr_assert_eq(registers(B, APPLICATION, 1, SEND, NULL), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memcpy(mad, datagram(rows[i].class, 1, SEND, 5, NULL), IBA_MAD_BYTES);
        e.agent = rows[i].agent;
        e.qpn = htonl(rows[i].qpn);
        cr_expect_eq(mad_layer_send(&w.l, A, &e, mad, rows[i].len), rows[i].error, "row %zu", i);
    }
    run(subnet_now(w.s) + MS);
    cr_assert_eq(w.n, 1, "the short one");
    cr_expect(w.got[0].mad[MAD_HEADER - 1] == MAD_HEADER - 1 && w.got[0].mad[MAD_HEADER] == 0 && w.got[0].mad[255] == 0,
              "zeros fill the datagram");
}

/* Requests wait in order of their time limits; those of an agent that leaves are forgotten. */
Test(mad_layer, time_limits, .init = begin, .fini = end)
{
    cr_assert(registers(A, APPLICATION, 1, 0x70, NULL) == 0 && registers(A, APPLICATION, 1, 0x71, NULL) == 1);
    cr_assert_eq(sends(A, 0, datagram(APPLICATION, 1, GET, 1, NULL), 256, 300, 0), 0);
    cr_assert_eq(sends(A, 1, datagram(APPLICATION, 1, GET, 2, NULL), 256, 100, 1), 0);
    cr_assert_eq(sends(A, 0, datagram(APPLICATION, 1, GET, 3, NULL), 256, 0, 5), 0, "it has no limit");
    cr_assert_eq(sends(A, 0, datagram(APPLICATION, 1, RESPONSE, 4, NULL), 256, 50, 5), 0,
                 "an answer waits for nothing");
    cr_assert_eq(w.l.n_send, 2);
    run(198 * MS);
    cr_expect_eq(w.n, 0);
    run(202 * MS);
    cr_assert_eq(w.n, 1);
    cr_expect(w.got[0].e.status == ETIMEDOUT && w.got[0].e.agent == 1 && w.got[0].len == MAD_HEADER);
    cr_expect_eq(iba_madhdr_transactionid(w.got[0].mad) & UINT32_MAX, 2);
    run(298 * MS);
    cr_expect_eq(w.n, 1);
    cr_expect_eq(mad_layer_unregister(&w.l, A, 0), 0);
    cr_expect_eq(mad_layer_deadline(&w.l), IBA_NEVER);
    run(400 * MS);
    cr_expect(w.n == 1 && w.l.n_send == 0);
    cr_expect(mad_layer_unregister(&w.l, A, 0) == EINVAL && mad_layer_unregister(&w.l, A, MAD_AGENTS) == EINVAL);
}

Test(mad_layer, too_many_requests, .init = begin, .fini = end)
{
    struct mad_envelope e = {.timeout_ms = 1000, .qpn = htonl(1), .lid = htons(9)};
    unsigned n = 0;

    cr_assert_eq(registers(A, APPLICATION, 1, 0x70, NULL), 0);
    while (n < MAD_SENDS && mad_layer_send(&w.l, A, &e, datagram(APPLICATION, 1, GET, n, NULL), 256) == 0)
        n++;
    cr_expect_eq(n, MAD_SENDS);
    cr_expect_eq(mad_layer_send(&w.l, A, &e, datagram(APPLICATION, 1, GET, n, NULL), 256), ENOMEM);
    cr_expect_eq(mad_layer_unregister(&w.l, A, 0), 0);
    cr_expect_eq(w.l.n_send, 0);
}

/* IsSM of a port is set while one of the programs that have it open is a manager. */
Test(mad_layer, managers, .init = begin, .fini = end)
{
    const struct iba_portinfo *a = &subnet_node(w.s, 1)->n.port[1].info, *b = &subnet_node(w.s, 2)->n.port[1].info;

    mad_layer_open(&w.l, 5, 1, 1); /* once more at the first adapter */
    mad_layer_set_issm(&w.l, A, true);
    cr_expect(a->cap_sm && !b->cap_sm);
    mad_layer_set_issm(&w.l, B, true);
    mad_layer_set_issm(&w.l, 5, true);
    mad_layer_set_issm(&w.l, A, false);
    cr_expect(a->cap_sm && b->cap_sm, "the other program");
    mad_layer_set_issm(&w.l, 5, false);
    cr_expect(!a->cap_sm && b->cap_sm);
    mad_layer_set_issm(&w.l, 5, true);
    mad_layer_close(&w.l, 5);
    cr_expect(!a->cap_sm && !w.l.open[5].used);
}

static unsigned calls;

static bool alter(void *ctx, bool from_program, uint8_t *mad)
{
    calls++;
    if (ctx != &calls)
        return true;
    if (iba_madhdr_attributeid(mad) == 0x77) { /* the answer of a request that goes no further */
        mad[3] = RESPONSE;
        return false;
    }
    mad[100] = from_program ? 0xaa : mad[100];
    mad[101] = from_program ? mad[101] : 0xbb;
    return iba_madhdr_attributeid(mad) != 0x78 || from_program;
}

Test(mad_layer, datagrams_that_are_altered, .init = begin, .fini = end)
{
    uint8_t *mad;

    w.l.alter = alter;
    w.l.alter_ctx = &calls;
    cr_assert(registers(A, APPLICATION, 1, 0x70, NULL) == 0 && registers(B, APPLICATION, 1, GET, NULL) == 0);
    cr_assert_eq(sends(A, 0, datagram(APPLICATION, 1, GET, 1, NULL), 256, 0, 0), 0);
    cr_assert(w.n == 1 && calls == 2);
    cr_expect(w.got[0].mad[100] == 0xaa && w.got[0].mad[101] == 0xbb && w.got[0].mad[102] == 102);
    forget();
    mad = datagram(APPLICATION, 1, GET, 1, NULL);
    iba_madhdr_set_attributeid(mad, 0x77);
    cr_assert_eq(sends(A, 0, mad, 256, 0, 0), 0);
    cr_assert(w.n == 1 && calls == 3);
    cr_expect(w.got[0].open == A && w.got[0].e.agent == 0 && iba_madhdr_method(w.got[0].mad) == RESPONSE);
    cr_expect_eq(w.got[0].len, IBA_MAD_BYTES);
    forget();
    iba_madhdr_set_method(mad, RESPONSE);
    cr_assert_eq(sends(A, 0, mad, 256, 0, 0), 0);
    cr_expect_eq(w.n, 0, "an answer that goes no further has none");
    iba_madhdr_set_method(mad, GET);
    iba_madhdr_set_attributeid(mad, 0x78);
    cr_assert_eq(sends(A, 0, mad, 256, 0, 0), 0);
    cr_expect_eq(w.n, 0, "it does not reach its program");
}

/* PSNs begin above those of the server of ibsim's protocol, which have 16 bits. */
Test(mad_layer, sequence_numbers, .init = begin, .fini = end)
{
    static const uint32_t before[] = {0x10000, 0x10001, 0xfffffe, 0xffffff},
                          after[] = {0x10001, 0x10002, 0xffffff, 0x10000};

    cr_expect_eq(w.l.psn, before[0]);
    cr_assert_eq(registers(A, APPLICATION, 1, 0x70, NULL), 0);
    for (unsigned i = 0; i < 4; i++) {
        w.l.psn = before[i];
        cr_assert_eq(sends(A, 0, datagram(APPLICATION, 1, SEND, 5, NULL), 256, 0, 0), 0);
        cr_expect_eq(w.l.psn, after[i]);
    }
}

static void work(void)
{
    begin();
    (void)registers(A, APPLICATION, 1, 0x70, NULL);
    (void)sends(A, 0, datagram(APPLICATION, 1, GET, 1, NULL), 256, 5, 1);
    (void)sends(A, 0, datagram(APPLICATION, 1, GET, 2, NULL), 256, 5000, 1);
    run(subnet_now(w.s) + 20 * MS);
    end();
}

Test(mad_layer, nothing_is_left)
{
    cr_expect(leaks_nothing(work));
}

/* The marks of 65,536 agents differ; the last byte is the number of the open port. */
Test(mad_layer, marks_of_agents)
{
    static const struct {
        uint32_t before;
        uint8_t high, low;
    } rows[] = {{0, 0, 1}, {0x12fe, 0x12, 0xff}, {0x12ff, 0x13, 0}, {0xfffe, 0xff, 0xff}, {0x1ffff, 0, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        w.l.marks = rows[i].before;
        cr_assert_eq(registers(B, IBA_CLASS_SA, 2, GET, NULL), 0);
        const uint32_t mark = w.l.open[B].agent[0].mark;
        cr_expect(mark >> 24 == rows[i].high && (mark >> 8 & 0xff) == rows[i].low, "row %zu: %#x", i, mark);
        cr_expect((mark & 0xff) == B && (mark >> 16 & 0xff) != 0, "row %zu: %#x", i, mark);
        end();
    }
}

static void segment(uint8_t *mad, unsigned flags, uint32_t number, uint32_t payload)
{
    uint8_t *rmpp = mad + IBA_RMPP_AT;

    memset(rmpp, 0, 12);
    iba_rmpp_set_rmppversion(rmpp, 1);
    iba_rmpp_set_rmpptype(rmpp, IBA_RMPP_DATA);
    rmpp[2] = (uint8_t)flags;
    iba_rmpp_set_data1(rmpp, number);
    iba_rmpp_set_data2(rmpp, payload);
}

/* A request in segments may have the transaction ID of an open request to the same LID: it is no answer to that. */
Test(mad_layer, a_request_in_segments_is_no_answer)
{
    enum { ACTIVE = 1, FIRST = 2, LAST = 4, BYTES = 56 + 200 + 10 };
    static const uint8_t methods[] = {0x01, 0x02, 0x12}; /* Get, Set, GetTable */
    const struct mad_envelope from_a = {.qpn = htonl(1), .lid = htons(1)};

    for (size_t i = 0; i < sizeof methods; i++) {
        begin();
        cr_assert_eq(registers(B, IBA_CLASS_SA, 2, GET, NULL), 0);
        uint8_t *mad = datagram(IBA_CLASS_SA, 2, GET, 7, NULL);
        cr_assert_eq(sends(B, 0, mad, IBA_MAD_BYTES, 500, 0), 0);
        cr_assert(w.n == 0 && w.l.n_send == 1);
        const iba_time due = w.l.send[0].due;
        mad[3] = methods[i];
        iba_madhdr_set_transactionid(mad, iba_madhdr_transactionid(w.l.send[0].mad));
        segment(mad, ACTIVE | FIRST, 1, 300);
        mad_rmpp_received(&w.l, B, 0, &from_a, mad);
        cr_expect_eq(w.l.send[0].due, due, "method %#x: it waits as before", methods[i]);
        segment(mad, ACTIVE | LAST, 2, 30);
        mad_rmpp_received(&w.l, B, 0, &from_a, mad);
        cr_expect(w.n == 1 && w.got[0].open == B && w.got[0].len == BYTES, "method %#x came as a whole", methods[i]);
        cr_expect(w.l.n_send == 1 && w.l.send[0].used, "method %#x: the request waits", methods[i]);
        end();
    }
}

/* A request that takes the place of an earlier one leaves the timers of all others. */
Test(mad_layer, a_place_that_is_free_again)
{
    begin();
    cr_assert_eq(registers(A, IBA_CLASS_SA, 2, GET, NULL), 0);
    cr_assert_eq(sends(A, 0, datagram(IBA_CLASS_SA, 2, GET, 1, NULL), IBA_MAD_BYTES, 1, 0), 0);
    cr_assert_eq(sends(A, 0, datagram(IBA_CLASS_SA, 2, GET, 2, NULL), IBA_MAD_BYTES, 500, 0), 0);
    run(2 * MS);
    cr_assert(w.n == 1 && w.got[0].e.status == ETIMEDOUT && !w.l.send[0].used && w.l.n_send == 2);
    cr_assert_eq(sends(A, 0, datagram(IBA_CLASS_SA, 2, GET, 3, NULL), IBA_MAD_BYTES, 700, 0), 0);
    cr_expect(w.l.send[0].used && w.l.send[1].used && w.l.n_send == 2);
    run(600 * MS);
    cr_expect(w.n == 2 && (iba_madhdr_transactionid(w.got[1].mad) & UINT32_MAX) == 2);
    run(800 * MS);
    cr_expect(w.n == 3 && (iba_madhdr_transactionid(w.got[2].mad) & UINT32_MAX) == 3 && w.l.n_send == 0);
    end();
}
