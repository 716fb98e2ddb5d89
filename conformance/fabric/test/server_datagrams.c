/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams of the clients of ibsim's protocol: who gets them, and which requests come back. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include "server_bed.h"

/* A Get(NodeInfo) of the other adapter, through the switch: the answer has the client's mark in its transaction ID. */
Test(server_datagrams, an_agent_answers, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    r = datagram(4, IBA_CLASS_SMP, IBA_METHOD_GET, NODE_INFO, UINT64_C(0x777700001234abcd));
    r.dqp = 0;
    send_it(&a, &r);
    cr_assert(got(&a, &r) && !got(&b, &r));
    cr_expect(ntohs(r.dlid) == 2 && ntohs(r.slid) == 4 && r.dqp == 0 && r.sqp == 0 && r.status == 0);
    cr_expect_eq(be64toh(r.length), IBSIM_MAD);
    cr_expect_eq(iba_madhdr_method(r.mad), IBA_METHOD_GET_RESP);
    cr_expect_eq(iba_madhdr_transactionid(r.mad), UINT64_C(0x010000001234abcd), "the first client with number 0");
    cr_expect(w.server.requests == 1 && w.server.answers == 1 && w.server.silences == 0);
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 7);
    send_it(&b, &r);
    cr_assert(got(&b, &r));
    cr_expect_eq(iba_madhdr_transactionid(r.mad), UINT64_C(0x0101000000000007), "client 1");
    cr_expect(ntohl(r.dqp) == 1 && ntohl(r.sqp) == 1 && ntohs(r.slid) == 4);
    cr_expect_eq(ask(&a, IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    gone(&a);
    cr_assert(join(&a, 3, "A", false, "A"));
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 7);
    send_it(&a, &r);
    cr_assert(got(&a, &r));
    cr_expect_eq(iba_madhdr_transactionid(r.mad), UINT64_C(0x0200000000000007), "the second client with number 0");
    gone(&a);
    gone(&b);
}

/* From program to program: the address and the length of a datagram, as its receiver sees them. */
Test(server_datagrams, from_program_to_program, .init = begin, .fini = end)
{
    static const struct {
        uint16_t slid, seen_slid;
        uint32_t dqp;
        uint64_t length, seen_length;
        bool comes;
    } rows[] = {{0, 2, 1, 256, 256, true}, {3, 3, 1, 100, 100, true},      {PERMISSIVE, 2, 1, 0, 256, true},
                {0, 2, 0, 257, 256, true}, {0, 2, 0xff000001, 1, 1, true}, {0, 2, 2, 1, 1, false}};
    struct client a, b;
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        r = datagram(4, CLASS_APPLICATION, IBA_METHOD_SEND, 0x30, i);
        r.slid = htons(rows[i].slid);
        r.dqp = htonl(rows[i].dqp);
        r.length = htobe64(rows[i].length);
        memset(r.mad + 24, (int)i + 1, IBSIM_MAD - 24);
        send_it(&a, &r);
        cr_assert(!got(&a, &r) && got(&b, &r) == rows[i].comes, "row %zu", i);
        if (!rows[i].comes)
            continue;
        cr_expect(ntohs(r.dlid) == 4 && ntohs(r.slid) == rows[i].seen_slid, "row %zu", i);
        cr_expect(ntohl(r.dqp) == 1 && ntohl(r.sqp) == 1 && r.status == 0, "row %zu", i);
        cr_expect_eq(be64toh(r.length), rows[i].seen_length, "row %zu", i);
        cr_expect(r.mad[24] == i + 1 && r.mad[IBSIM_MAD - 1] == i + 1, "row %zu", i);
    }
    cr_expect_eq(w.server.silences, 0, "a Send has no answer");
    gone(&a);
    gone(&b);
}

/* Lengths are kept for 65535 datagrams, by their PSNs. */
Test(server_datagrams, sequence_numbers, .init = begin, .fini = end)
{
    static const uint16_t before[] = {0, 1, 255, 0x7fff, 0xfffe, 0xffff}, after[] = {1, 2, 256, 0x8000, 0xffff, 1};
    struct client a, b;
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        w.server.psn = before[i];
        r = datagram(4, CLASS_APPLICATION, IBA_METHOD_SEND, 0x30, i);
        r.length = htobe64(50 + i);
        send_it(&a, &r);
        cr_expect_eq(w.server.psn, after[i]);
        cr_expect(got(&b, &r) && be64toh(r.length) == 50 + i, "row %zu", i);
    }
    gone(&a);
    gone(&b);
}

/* A program asks another one. The answer comes back with status 0; what is late, or wrong in its class, does not. */
Test(server_datagrams, a_program_answers, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r, answer;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 9);
    send_it(&a, &r);
    cr_assert(got(&b, &answer) && !got(&a, &r));
    cr_expect_eq(server_deadline(&w.server), w.server.pending[0].asked + SECOND);
    answer.dlid = answer.slid;
    answer.slid = 0;
    answer.mad[1] = IBA_CLASS_PERF;
    answer.mad[3] = IBA_METHOD_GET_RESP;
    send_it(&b, &answer);
    cr_expect_not(got(&a, &r), "another class");
    answer.mad[1] = IBA_CLASS_SA;
    send_it(&b, &answer);
    cr_assert(got(&a, &r));
    cr_expect(r.status == 0 && ntohs(r.slid) == 4 && iba_madhdr_method(r.mad) == IBA_METHOD_GET_RESP);
    cr_expect(w.server.answers == 1 && w.server.n_pending == 0 && server_deadline(&w.server) == IBA_NEVER);
    send_it(&b, &answer);
    cr_expect_not(got(&a, &r), "the answer has come");
    gone(&a);
    gone(&b);
}

static void expect_back(const struct client *c, uint64_t tid)
{
    struct ibsim_request r;

    cr_assert(got(c, &r), "request %llu", (unsigned long long)tid);
    cr_expect_eq(ntohl(r.status), ETIMEDOUT);
    cr_expect_eq(iba_madhdr_transactionid(r.mad) & UINT32_MAX, tid);
    cr_expect_eq(iba_madhdr_method(r.mad), IBA_METHOD_GET);
}

Test(server_datagrams, requests_come_back, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r = datagram(40, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 1);

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    send_it(&a, &r);
    expect_back(&a, 1); /* no switch has this LID */
    cr_expect_eq(w.server.silences, 1);
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 2);
    send_it(&a, &r);
    cr_assert(got(&b, &r) && !got(&a, &r));
    w.now = server_deadline(&w.server) - 1;
    serve();
    cr_expect_not(got(&a, &r), "a program has a second");
    w.now++;
    serve();
    expect_back(&a, 2);
    cr_expect(w.server.silences == 2 && server_deadline(&w.server) == IBA_NEVER && w.server.n_pending == 0);
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 3);
    send_it(&a, &r);
    cr_assert(got(&b, &r));
    cr_expect_eq(ask(&b, IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    serve();
    expect_back(&a, 3); /* who had it has left */
    gone(&a);
    gone(&b);
}

/* Programs that are no clients take a request, too. */
Test(server_datagrams, another_program_takes_it, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r;
    uint8_t mad[IBSIM_MAD];

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 2);
    send_it(&a, &r);
    cr_assert(got(&b, &r));
    memcpy(mad, r.mad, sizeof mad);
    w.now = SECOND / 2;
    serve();
    server_taken(&w.server, mad);
    cr_expect_eq(server_deadline(&w.server), subnet_now(w.s) + SECOND, "it has a second of its own");
    cr_expect_eq(w.server.pending[0].by, IBSIM_CLIENTS);
    iba_madhdr_set_transactionid(mad, 1);
    server_taken(&w.server, mad); /* nobody asked this */
    gone(&a);
    gone(&b);
}

/* A request goes to the manager at the port, or, for other classes than that of SMPs, to another program. */
Test(server_datagrams, takers, .init = begin, .fini = end)
{
    const uint32_t yes = 1;
    struct client a, b[3];
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A"));
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(join(&b[i], i + 2, "B", false, "B"));
    r = datagram(4, IBA_CLASS_SMP, IBA_METHOD_GET, SM_INFO, 1);
    send_it(&a, &r);
    expect_back(&a, 1); /* no manager runs there */
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 2);
    send_it(&a, &r);
    cr_expect(got(&b[0], &r) && !got(&b[1], &r) && !got(&b[2], &r), "the first program");
    cr_expect_eq(ask(&b[1], IBSIM_SET_ISSM, &yes, sizeof yes).type, IBSIM_SET_ISSM);
    for (uint64_t tid = 3; tid <= 4; tid++) {
        r = datagram(4, tid == 3 ? IBA_CLASS_SA : IBA_CLASS_SMP, IBA_METHOD_GET, tid == 3 ? 0x35 : SM_INFO, tid);
        send_it(&a, &r);
        cr_expect(got(&b[1], &r), "the manager");
        cr_expect(ntohs(r.slid) == 2 && ntohs(r.dlid) == 4, "their LIDs");
        cr_expect(!got(&b[0], &r) && !got(&b[2], &r));
    }
    cr_expect_eq(ask(&b[1], IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 5);
    send_it(&b[0], &r);
    cr_expect(!got(&b[0], &r) && got(&b[2], &r), "nobody takes its own request");
    while (got(&a, &r)) /* what the manager has not answered */
        cr_expect_eq(ntohl(r.status), ETIMEDOUT);
    r = datagram(5, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 6);
    send_it(&a, &r);
    expect_back(&a, 6); /* no program is at the switch */
    gone(&a);
    for (unsigned i = 0; i < 3; i++)
        gone(&b[i]);
}

static bool refuse(void *ctx, bool from_client, uint8_t mad[IBSIM_MAD])
{
    unsigned *const calls = ctx;

    ++*calls;
    if (!from_client)
        mad[IBSIM_MAD - 1] = 0x77;
    else if (iba_madhdr_attributeid(mad) == UNKNOWN)
        mad[3] = IBA_METHOD_GET_RESP;
    return !from_client || (iba_madhdr_attributeid(mad) != UNKNOWN && iba_madhdr_attributeid(mad) != UNKNOWN + 1);
}

Test(server_datagrams, datagrams_that_are_altered, .init = begin, .fini = end)
{
    struct client a;
    struct ibsim_request r;
    unsigned calls = 0;

    w.server.alter = refuse;
    w.server.alter_ctx = &calls;
    cr_assert(join(&a, 1, "A", false, "A"));
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 1);
    send_it(&a, &r);
    cr_assert(got(&a, &r) && r.mad[IBSIM_MAD - 1] == 0x77 && calls == 2, "in both directions");
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, UNKNOWN, 2);
    send_it(&a, &r);
    cr_assert(got(&a, &r) && iba_madhdr_method(r.mad) == IBA_METHOD_GET_RESP && calls == 3, "it has its answer");
    cr_expect_eq(iba_madhdr_transactionid(r.mad), 2);
    r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, UNKNOWN + 1, 2);
    send_it(&a, &r);
    cr_expect(!got(&a, &r) && w.server.requests == 1, "it goes no further");
    gone(&a);
}

/* A program that dies without a message leaves at the next datagram for it. */
Test(server_datagrams, a_client_dies, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", true, "B"));
    gone(&b);
    r = datagram(4, CLASS_APPLICATION, IBA_METHOD_SEND, 0x30, 1);
    send_it(&a, &r);
    cr_expect(!w.server.client[b.number].used && !port_at(B, 2)->info.cap_sm);
    cr_assert(join(&b, 3, "B", false, "B") && b.number == 1);
    send_it(&a, &r);
    cr_expect(got(&b, &r), "its number can be used again");
    gone(&a);
    gone(&b);
}

/* The requests of a client that leaves are forgotten: their answers reach nobody, also not the next one with its
 * number. */
Test(server_datagrams, a_client_leaves, .init = begin, .fini = end)
{
    struct client a, b;
    struct ibsim_request r, answer;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, 9);
    send_it(&a, &r);
    cr_assert(got(&b, &answer));
    cr_expect_eq(ask(&a, IBSIM_DISCONNECT, "", 0).type, IBSIM_DISCONNECT);
    cr_expect_not(w.server.pending[0].used);
    cr_expect_eq(server_deadline(&w.server), IBA_NEVER);
    gone(&a);
    cr_assert(join(&a, 3, "A", false, "A") && a.number == 0);
    answer.dlid = htons(2);
    answer.slid = 0;
    answer.mad[3] = IBA_METHOD_GET_RESP;
    send_it(&b, &answer);
    cr_expect_not(got(&a, &r));
    gone(&a);
    gone(&b);
}

/* A datagram of another length is none. */
Test(server_datagrams, lengths, .init = begin, .fini = end)
{
    struct client a;
    struct ibsim_request r = datagram(4, IBA_CLASS_PERF, IBA_METHOD_GET, 1, 1);
    uint8_t longer[sizeof r + 1] = {0};

    cr_assert(join(&a, 1, "A", false, "A"));
    memcpy(longer, &r, sizeof r);
    cr_assert_eq(send(a.mads, &r, sizeof r - 1, 0), (ssize_t)sizeof r - 1);
    cr_assert_eq(send(a.mads, longer, sizeof longer, 0), (ssize_t)sizeof longer);
    serve();
    cr_expect(!got(&a, &r) && w.server.requests == 0);
    cr_assert_eq(send(a.mads, &r, sizeof r - 1, 0), (ssize_t)sizeof r - 1);
    send_it(&a, &r);
    cr_expect(got(&a, &r) && w.server.requests == 1, "the next one is read");
    gone(&a);
}

/* More requests than can wait: the one whose place a new request takes is returned. */
Test(server_datagrams, too_many_requests, .init = begin, .fini = end)
{
    enum { TAKEN = SERVER_PENDING - 2, NEW = 5 * SERVER_PENDING + 7 };
    struct client a, b;
    struct ibsim_request r;

    cr_assert(join(&a, 1, "A", false, "A") && join(&b, 2, "B", false, "B"));
    for (size_t k = 0; k < TAKEN; k++) /* B's program has all of these */
        w.server.pending[k] = (struct server_pending){
            true, 0, 1, 0, datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, UINT64_C(0x0100000000000000) + k)};
    w.server.n_pending = TAKEN;
    for (uint64_t i = 0; i < 3; i++) {
        r = datagram(4, IBA_CLASS_SA, IBA_METHOD_GET, 0x35, NEW + i);
        send_it(&a, &r);
        cr_assert(got(&b, &r) && w.server.n_pending == TAKEN + (i ? 2 : 1));
        cr_assert_eq(got(&a, &r), i == 2, "request %u", (unsigned)i);
    }
    cr_expect(ntohl(r.status) == ETIMEDOUT && w.server.silences == 1);
    cr_expect_eq(iba_madhdr_transactionid(r.mad) & UINT32_MAX, (NEW + 2) % SERVER_PENDING);
    gone(&a);
    gone(&b);
}

static uint8_t left[IBA_MGMT_BYTES]; /* the packet that left A last */

static bool leaves(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len)
{
    (void)ctx;
    (void)port;
    if (node == A && len == sizeof left)
        memcpy(left, packet, len);
    return true;
}

/* A client names only LIDs and the queue pair: the rest of its packets are the first P_Key and SL 0, and for datagrams
 * of the subnet's management lane 15 and the default P_Key. */
Test(server_datagrams, packets_of_clients, .init = begin, .fini = end)
{
    static const struct {
        uint8_t class;
        uint16_t dlid, slid, keys;
        uint32_t dqp;
        struct {
            unsigned vl, slid, pkey, dqp, sqp;
            uint32_t qkey;
        } is;
    } rows[] = {
        {IBA_CLASS_SMP, 4, 3, 2, 5, {15, 3, 0xffff, 0, 0, 0}},
        {IBA_CLASS_SMP, 4, 0, 2, 0, {15, 2, 0xffff, 0, 0, 0}},
        {IBA_CLASS_DIRECTED, PERMISSIVE, 3, 2, 0, {15, PERMISSIVE, 0xffff, 0, 0, 0}},
        {IBA_CLASS_PERF, 4, 3, 2, 1, {0, 3, 0x8123, 1, 1, IBA_GSI_QKEY}},
        {IBA_CLASS_PERF, 4, PERMISSIVE, 2, 0, {0, 2, 0x8123, 1, 1, IBA_GSI_QKEY}},
        {IBA_CLASS_PERF, PERMISSIVE, 3, 2, 1, {0, 3, 0x8123, 1, 1, IBA_GSI_QKEY}},
        {IBA_CLASS_PERF, 4, 3, 0, 0xff123456, {0, 3, 0xffff, 0x123456, 1, IBA_GSI_QKEY}}, /* a port without keys */
    };
    const struct subnet_watch watch = {.sent = leaves};
    struct client a;

    cr_assert(join(&a, 1, "A", false, "A"));
    port_at(A, 1)->pkey[0] = 0x8123;
    subnet_set_watch(w.s, &watch);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibsim_request r = datagram(rows[i].dlid, rows[i].class, IBA_METHOD_SEND, NODE_INFO, i);
        const uint8_t *bth = left + IBA_BYTES_lrh, *deth = bth + IBA_BYTES_bth;
        const uint16_t keys = (uint16_t)port_at(A, 1)->n_pkey;
        r.slid = htons(rows[i].slid);
        r.dqp = htonl(rows[i].dqp);
        memset(left, 0, sizeof left);
        port_at(A, 1)->n_pkey = rows[i].keys;
        send_it(&a, &r);
        port_at(A, 1)->n_pkey = keys;
        cr_expect(iba_lrh_dlid(left) == rows[i].dlid && iba_lrh_slid(left) == rows[i].is.slid, "row %zu", i);
        cr_expect(iba_lrh_vl(left) == rows[i].is.vl && iba_lrh_sl(left) == 0, "row %zu", i);
        cr_expect_eq(iba_bth_p_key(bth), rows[i].is.pkey, "row %zu: 0x%x", i, (unsigned)iba_bth_p_key(bth));
        cr_expect_eq(iba_bth_destqp(bth), rows[i].is.dqp, "row %zu", i);
        cr_expect(iba_deth_srcqp(deth) == rows[i].is.sqp && iba_deth_q_key(deth) == rows[i].is.qkey, "row %zu", i);
    }
    subnet_set_watch(w.s, NULL);
    gone(&a);
}
