/* SPDX-License-Identifier: BSD-2-Clause */
/* The server over the reference: a tester's session, and requests that no tester should send. */
#include "bench.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "scenario/scenario.h"

/* ---- a session: two devices, the tester between them ---- */

static void session(enum ibc_link link)
{
    struct bench *b = bench_open(2, NULL);
    struct side side[2];
    struct ag_wc wc;

    hello(b);
    cr_assert_eq(b->r.u.hello.devices, 2);
    reset(b, link);
    cr_assert_eq(b->r.u.reset.device.n, 2);
    make(b, 0, &side[0]);
    make(b, 1, &side[1]);
    join(b, 0, &side[0], side[1].qpn);
    join(b, 1, &side[1], side[0].qpn);
    post_receive(b, &side[1]);
    post(b, &side[0]);
    cr_assert_geq(pass_on(b), 4, "three packets, and an ACK at least");
    wc = completion(b, 0, &side[0]);
    cr_assert(wc.id == 21 && wc.status == IBA_WC_SUCCESS && wc.op == IBA_WR_SEND);
    wc = completion(b, 1, &side[1]);
    cr_assert(wc.id == 42 && wc.status == IBA_WC_SUCCESS && wc.bytes == PAYLOAD && wc.qpn == side[1].qpn);
    request(b, AG_V_read_memory, 1)->u.read_memory =
        (struct ag_read_memory_args){.at = side[1].mr.local, .n = PAYLOAD + 1};
    must(b);
    for (unsigned i = 0; i < PAYLOAD; i++)
        cr_assert_eq(b->r.u.read_memory.hex.b[i], (uint8_t)ibc_pattern('a', i));
    cr_assert_eq(b->r.u.read_memory.hex.b[PAYLOAD], (uint8_t)ibc_pattern('b', PAYLOAD));
    request(b, AG_V_query_qp, 0)->u.query_qp.qpn = side[0].qpn;
    must(b);
    cr_assert(b->r.u.query_qp.state == IBA_QPS_RTS && b->r.u.query_qp.qpn_of_peer == side[1].qpn);
    bench_close(b);
}

Test(server, a_message_goes_from_device_to_device)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        session((enum ibc_link)l);
}

/* ---- real time ---- */

static void forward(struct bench *b, unsigned from)
{
    static uint8_t frame[IBC_WIRE_MOST];
    uint64_t at;
    size_t len;

    while (ibc_wire_receive(b->end[from][1], frame, &len, &at, 0) == IBC_WIRE_FRAME)
        cr_assert(ibc_wire_send(b->end[from ^ 1][1], frame, len));
}

/* Puts the status of a SEND without retries into *status. Its ACK comes in time, but the device reads the ACK after the
 * timer has expired. Returns false if the machine was so busy that the ACK itself was late. */
static bool acknowledged_in_time(uint8_t *status)
{
    const uint64_t timer = UINT64_C(4096) << 16;
    struct bench *b = bench_open(2, NULL);
    struct side side[2];

    hello(b);
    b->s.real_time = true;
    reset(b, IBC_LINK_roce2_ipv4);
    for (unsigned d = 0; d < 2; d++)
        make(b, d, &side[d]);
    for (unsigned d = 0; d < 2; d++)
        join_with(b, d, &side[d], side[d ^ 1].qpn, 16, 0);
    post_receive(b, &side[1]);
    const uint64_t begun = ibc_wire_clock();
    post(b, &side[0]);
    forward(b, 0);
    cr_assert(ag_take_in(&b->s));
    forward(b, 1);
    const uint64_t took = ibc_wire_clock() - begun;
    nanosleep(&(struct timespec){.tv_nsec = (long)(timer + timer / 4)}, NULL);
    *status = completion(b, 0, &side[0]).status;
    bench_close(b);
    return took < timer / 2;
}

/* A device on a busy machine may read a frame late; that does not mean that the device ignores the frame. */
Test(server, an_ack_that_came_in_time_stops_the_timer)
{
    uint8_t status = IBA_WC_SUCCESS;
    bool in_time = false;

    for (unsigned i = 0; i < 20 && !in_time; i++)
        in_time = acknowledged_in_time(&status);
    cr_assert(in_time, "the machine is too busy for this test");
    cr_assert_eq(status, IBA_WC_SUCCESS, "status %u", status);
}

/* The frame is sent before the request, so the device receives the frame before it answers the request. */
Test(server, frames_are_taken_in_before_the_next_request)
{
    struct bench *b = bench_open(1, NULL);
    const uint8_t junk[64] = {0x02};

    hello(b);
    reset(b, IBC_LINK_roce2_ipv4);
    cr_assert_eq(b->r.u.reset.device.n, 1);
    for (unsigned i = 0; i < 100; i++)
        cr_assert(ibc_wire_send(b->end[0][1], junk, sizeof junk));
    request(b, AG_V_counters, 0);
    must(b);
    for (uint32_t i = 0; i < b->r.u.counters.counters.n; i++)
        if (strcmp(b->r.u.counters.counters.c[i].name, "packets_in") == 0)
            cr_assert_eq(b->r.u.counters.counters.c[i].value, 100);
    cr_assert(ibc_wire_send(b->end[0][1], junk, sizeof junk));
    reset(b, IBC_LINK_roce2_ipv4);
    request(b, AG_V_counters, 0);
    must(b);
    for (uint32_t i = 0; i < b->r.u.counters.counters.n; i++)
        cr_assert_eq(b->r.u.counters.counters.c[i].value, 0, "the reset drops frames in flight");
    bench_close(b);
}

Test(server, claims_on_real_time_neither_its_time_nor_a_pace)
{
    static const enum ibc_capability lost[] = {IBC_CAP_virtual_time, IBC_CAP_rate_control};

    for (unsigned real = 0; real < 2; real++) {
        struct bench *b = bench_open(0, NULL);
        b->s.real_time = real;
        hello(b);
        for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
            cr_assert_eq(b->r.u.hello.capabilities >> lost[i] & 1, !real);
        cr_assert_eq(b->r.u.hello.capabilities >> IBC_CAP_rc & 1, 1);
        cr_assert_eq(b->r.u.hello.time, !real);
        bench_close(b);
    }
}

Test(server, says_no_in_the_device_s_words)
{
    struct bench *b = bench_open(0, NULL);
    struct side s;

    hello(b);
    cr_assert_eq(b->r.u.hello.devices, 1);
    cr_assert_eq(b->r.u.hello.capabilities >> IBC_CAP_two_devices & 1, 0);
    reset(b, IBC_LINK_roce2_ipv4);
    make(b, 0, &s);
    request(b, AG_V_destroy, 0)->u.destroy = (struct ag_destroy_args){.kind = IBC_O_pd, .number = s.pd};
    cr_assert_eq(ask(b), AG_E_COUNT);
    cr_assert_str_eq(b->r.word, "mem_pd_busy");
    cr_assert_str_eq(b->r.text, "the protection domain is in use");
    request(b, AG_V_modify_qp, 0)->u.modify_qp = (struct ag_modify_qp_args){.qpn = s.qpn, .state = IBA_QPS_RTS};
    cr_assert_eq(ask(b), AG_E_COUNT);
    cr_assert_str_eq(b->r.word, "transition");
    request(b, AG_V_destroy, 0)->u.destroy = (struct ag_destroy_args){.kind = IBC_O_group};
    cr_assert_eq(ask(b), AG_E_unsupported);
    request(b, AG_V_read_memory, 0)->u.read_memory = (struct ag_read_memory_args){.at = 5, .n = 5};
    cr_assert_eq(ask(b), AG_E_fault);
    request(b, AG_V_read_memory, 0)->u.read_memory = (struct ag_read_memory_args){.at = s.mr.local, .n = AG_BYTES + 1};
    cr_assert_eq(ask(b), AG_E_bad_request);
    request(b, AG_V_alloc_mw, 0)->u.alloc_mw = (struct ag_alloc_mw_args){.type = 4, .pd = s.pd};
    cr_assert_eq(ask(b), AG_E_bad_request);
    request(b, AG_V_post_recv, 0);
    cr_assert_eq(ask(b), AG_E_bad_request, "neither qpn nor srq");
    request(b, AG_V_create_pd, 1);
    cr_assert_eq(ask(b), AG_E_bad_request, "one device only");
    request(b, AG_V_no_such_verb, 0);
    cr_assert_eq(ask(b), AG_E_unsupported);
    reset(b, IBC_LINK_ib_global);
    request(b, AG_V_query_qp, 0)->u.query_qp.qpn = s.qpn;
    cr_assert_eq(ask(b), AG_E_COUNT, "nothing is left after a reset");
    bench_close(b);
}

static struct {
    enum ibc_rc rc;
    const char *refusal;
} next;

static enum ibc_rc fails(struct ibc_target *t, unsigned d, uint32_t *pd)
{
    (void)d;
    (void)pd;
    (void)snprintf(t->refusal, sizeof t->refusal, "%s", next.refusal);
    (void)snprintf(t->fault, sizeof t->fault, "smoke");
    return next.rc;
}

/* Each way in which a target fails has its own error. A refusal has the sentence of its name, if the name is known. */
Test(server, each_failure_has_its_error)
{
    static const struct {
        enum ibc_rc rc;
        const char *refusal;
        enum ag_error error;
        const char *word, *text;
    } rows[] = {
        {IBC_REFUSED, "mem_pd_busy", AG_E_COUNT, "mem_pd_busy", "the protection domain is in use"},
        {IBC_REFUSED, "errno_12", AG_E_COUNT, "errno_12", "the device refuses it"},
        {IBC_UNSUPPORTED, NULL, AG_E_unsupported, "unsupported", "create_pd cannot be done on this device"},
        {IBC_DEAD, NULL, AG_E_dead, "dead", "smoke"},
        {IBC_BROKEN, NULL, AG_E_fault, "fault", "smoke"},
        {IBC_LOST, NULL, AG_E_fault, "fault", "smoke"},
    };
    struct bench *b = bench_open(0, NULL);
    const struct ibc_target_ops *const real = b->s.target->ops;
    struct ibc_target_ops ops = *real;

    ops.create_pd = fails;
    hello(b);
    reset(b, IBC_LINK_roce2_ipv4);
    b->s.target->ops = &ops;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        next.rc = rows[i].rc;
        next.refusal = rows[i].refusal;
        request(b, AG_V_create_pd, 0);
        cr_expect_eq(ask(b), rows[i].error, "row %zu: %d", i, b->r.error);
        cr_expect_str_eq(b->r.word, rows[i].word, "row %zu: %s", i, b->r.word);
        cr_expect_str_eq(b->r.text, rows[i].text, "row %zu: %s", i, b->r.text);
    }
    b->s.target->ops = real;
    bench_close(b);
}

static uint64_t one_port(struct ibc_target *t)
{
    (void)t;
    return UINT64_C(1) << IBC_CAP_rc;
}

/* The rest of the table holds nothing that may be read. */
static unsigned one_counter(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    (void)t;
    (void)d;
    for (unsigned i = 1; i < IBC_MAX_COUNTERS; i++)
        out[i].name = (const char *)(uintptr_t)1;
    out[0] = (struct ibc_counter){.name = "frames", .value = 7};
    return 1;
}

/* A target without virtual time, without second ports, and with one counter. */
Test(server, a_poor_target)
{
    struct bench *b = bench_open(0, NULL);
    const struct ibc_target_ops *const real = b->s.target->ops;
    struct ibc_target_ops ops = *real;

    hello(b);
    reset(b, IBC_LINK_roce2_ipv4);
    cr_expect(b->r.u.reset.given & AG_BIT(reset_ok, second));
    ops.capabilities = one_port;
    ops.counters = one_counter;
    b->s.target->ops = &ops;
    b->s.target->virtual_time = false;
    hello(b);
    cr_expect_not(b->r.u.hello.time);
    reset(b, IBC_LINK_roce2_ipv4);
    cr_expect_not(b->r.u.reset.given & AG_BIT(reset_ok, second));
    request(b, AG_V_counters, 0);
    must(b);
    cr_assert_eq(b->r.u.counters.counters.n, 1);
    cr_expect(strcmp(b->r.u.counters.counters.c[0].name, "frames") == 0 && b->r.u.counters.counters.c[0].value == 7);
    b->s.target->ops = real;
    bench_close(b);
}

/* ---- access control ---- */

Test(server, hello_comes_first)
{
    struct bench *b = bench_open(0, NULL);

    cr_assert(strstr(say(b, "{\"id\":4,\"do\":\"create_pd\"}"), "\"no_hello\""));
    cr_assert(strstr(say(b, "{\"id\":4,\"do\":\"hello\",\"version\":2}"), "\"bad_version\""));
    cr_assert(strstr(say(b, "{\"id\":4,\"do\":\"create_pd\"}"), "\"no_hello\""));
    hello(b);
    cr_assert(strstr(say(b, "{\"id\":4,\"do\":\"create_pd\"}"), "\"ok\""));
    ag_forget_client(&b->s);
    cr_assert(strstr(say(b, "{\"id\":4,\"do\":\"create_pd\"}"), "\"no_hello\""), "the next one says it too");
    bench_close(b);
}

Test(server, without_the_token_nothing_is_said)
{
    static const char *const lines[] = {
        "{\"id\":1,\"do\":\"create_pd\"}",
        "{\"id\":1,\"do\":\"hello\",\"version\":1}",
        "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"\"}",
        "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"0123456789abcde\"}",
        "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"0123456789abcdeg\"}",
        "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"0123456789abcdef0\"}",
        "{\"id\":1,\"do\":\"hello\",\"version\":2}",
        "{\"id\":1,\"do\":\"hello\",\"token\":\"0123456789abcdef\"}",
        "{\"id\":1,\"do\":\"no_such_verb\"}",
        "{\"id\":1,\"do\":\"create_pd\",\"token\":\"0123456789abcdef\"}",
        "",
        "garbage",
    };
    struct bench *b = bench_open(0, "0123456789abcdef");

    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert_null(say(b, lines[i]), "%s", lines[i]);
    cr_assert_eq(ag_serve_too_long(&b->s, b->answer), 0);
    cr_assert(strstr(say(b, "{\"id\":1,\"do\":\"hello\",\"version\":1,\"token\":\"0123456789abcdef\"}"), "\"ok\""));
    cr_assert(strstr(say(b, "{\"id\":1,\"do\":\"create_pd\"}"), "\"ok\""));
    cr_assert(strstr(say(b, "garbage"), "\"bad_json\""));
    cr_assert_gt(ag_serve_too_long(&b->s, b->answer), 0);
    bench_close(b);
}
