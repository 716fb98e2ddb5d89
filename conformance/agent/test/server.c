/* SPDX-License-Identifier: BSD-2-Clause */
/* The server over the reference: a tester's session, and requests that no tester should send. */
#include <criterion/criterion.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "agent/server.h"
#include "random.h"
#include "scenario/scenario.h"
#include "transport/iba_wr_ops.h"

enum { PAYLOAD = 3000, MUTANTS = 100000 };

struct bench {
    struct ag_server s;
    struct ibc_wire *end[IBC_DEVICES][2]; /* the device's, the tester's */
    struct ag_request q;
    struct ag_reply r;
    uint32_t qpn; /* the newest one */
    char line[AG_LINE], answer[AG_LINE];
};

static struct bench *bench_open(unsigned n_wire, const char *token)
{
    struct bench *b = calloc(1, sizeof *b);
    char err[200];

    b->s.target = ibc_target_open("reference", err, sizeof err);
    b->s.name = "reference";
    b->s.token = token;
    cr_assert(b->s.target, "%s", err);
    for (; b->s.n_wire < n_wire; b->s.n_wire++) {
        cr_assert(ibc_wire_loop(b->end[b->s.n_wire]));
        b->s.wire[b->s.n_wire] = b->end[b->s.n_wire][0];
    }
    return b;
}

static void bench_close(struct bench *b)
{
    for (unsigned d = 0; d < b->s.n_wire; d++)
        for (unsigned i = 0; i < 2; i++)
            ibc_wire_close(b->end[d][i]);
    ibc_target_close(b->s.target);
    free(b);
}

static struct ag_request *request(struct bench *b, enum ag_verb verb, unsigned d)
{
    memset(&b->q, 0, sizeof b->q);
    b->q.id++;
    b->q.verb = verb;
    b->q.device = d;
    return &b->q;
}

/* Has the server answer the request in b->q; the reply is in b->r. */
static enum ag_error ask(struct bench *b)
{
    char why[AG_SENTENCE];
    size_t n = ag_write_request(&b->q, b->line, sizeof b->line);

    cr_assert_gt(n, 0);
    n = ag_serve(&b->s, b->line, n, b->answer);
    cr_assert(n > 0 && n < AG_LINE);
    cr_assert(ag_read_reply(b->answer, n, b->q.verb, &b->r, why, sizeof why), "%s: %s", b->answer, why);
    cr_assert(b->r.has_id && b->r.id == b->q.id);
    return b->r.error;
}

static void must(struct bench *b)
{
    cr_assert_eq(ask(b), AG_FINE, "%s\n%s: %s", b->line, b->r.word, b->r.text);
}

/* Sends a line unchanged; the reply is in b->answer. */
static const char *say(struct bench *b, const char *line)
{
    return ag_serve(&b->s, line, strlen(line), b->answer) > 0 ? b->answer : NULL;
}

static void hello(struct bench *b)
{
    request(b, AG_V_hello, 0)->u.hello.version = AG_VERSION;
    must(b);
}

static void reset(struct bench *b, enum ibc_link link)
{
    request(b, AG_V_reset, 0)->u.reset.link = (uint8_t)link;
    must(b);
}

/* ---- a session: two devices, the tester between them ---- */

struct side {
    uint32_t pd, cq, qpn;
    struct ag_reg_mr_ok mr;
};

static void make(struct bench *b, unsigned d, struct side *s)
{
    struct ag_create_qp_args *q;
    struct ag_reg_mr_args *m;

    request(b, AG_V_create_pd, d);
    must(b);
    s->pd = b->r.u.create_pd.pd;
    request(b, AG_V_create_cq, d)->u.create_cq.depth = 64;
    must(b);
    s->cq = b->r.u.create_cq.cq;
    m = &request(b, AG_V_reg_mr, d)->u.reg_mr;
    *m = (struct ag_reg_mr_args){.pd = s->pd,
                                 .length = 65536,
                                 .access = IBA_ACCESS_LOCAL_WRITE | IBA_ACCESS_REMOTE_WRITE,
                                 .fill = d ? 'b' : 'a'};
    must(b);
    s->mr = b->r.u.reg_mr;
    q = &request(b, AG_V_create_qp, d)->u.create_qp;
    *q = (struct ag_create_qp_args){.type = IBA_QPT_RC, .pd = s->pd, .scq = s->cq, .rcq = s->cq, .sq = 16};
    AG_SET(q, create_qp_args, rq, 16);
    AG_SET(q, create_qp_args, sig_all, true);
    must(b);
    s->qpn = b->r.u.create_qp.qpn;
}

static void go(struct bench *b, unsigned d, const struct side *s, struct ibc_qp_attr a, enum iba_qp_state to,
               uint32_t mask)
{
    a.a.state = (uint8_t)to;
    a.mask = mask;
    request(b, AG_V_modify_qp, d);
    ag_from_modify(&b->q.u.modify_qp, s->qpn, &a, &b->s.target->device[d ^ 1]);
    must(b);
}

static void join_with(struct bench *b, unsigned d, const struct side *s, uint32_t peer, uint8_t timeout, uint8_t retry)
{
    const struct ibc_qp_attr a = {.a = {.port = 1,
                                        .access = IBA_ACCESS_REMOTE_WRITE,
                                        .path_mtu = IBA_MTU_1024,
                                        .rq_psn = 0x1000,
                                        .sq_psn = 0x1000,
                                        .dest_qpn = peer,
                                        .timeout = timeout,
                                        .retry = retry,
                                        .rnr_retry = 7,
                                        .max_rd = 4,
                                        .max_dest_rd = 4,
                                        .min_rnr = 12},
                                  .to_partner = true,
                                  .hop = 64};

    go(b, d, s, a, IBA_QPS_INIT, IBA_QPA_PKEY_INDEX | IBA_QPA_PORT | IBA_QPA_ACCESS);
    go(b, d, s, a, IBA_QPS_RTR,
       IBA_QPA_AV | IBA_QPA_PATH_MTU | IBA_QPA_DEST_QPN | IBA_QPA_RQ_PSN | IBA_QPA_MAX_DEST_RD | IBA_QPA_MIN_RNR);
    go(b, d, s, a, IBA_QPS_RTS, IBA_QPA_TIMEOUT | IBA_QPA_RETRY | IBA_QPA_RNR_RETRY | IBA_QPA_SQ_PSN | IBA_QPA_MAX_RD);
}

static void join(struct bench *b, unsigned d, const struct side *s, uint32_t peer)
{
    join_with(b, d, s, peer, 14, 7);
}

/* The tester forwards frames until no frame has come for a millisecond. Returns how many frames it forwarded. */
static unsigned pass_on(struct bench *b)
{
    static uint8_t frame[IBC_WIRE_MOST];
    uint64_t at, now = 0;
    size_t len;
    unsigned n = 0;

    for (;;) {
        request(b, AG_V_advance, 0)->u.advance.until = b->s.target->ops->now(b->s.target) + 1000000;
        must(b);
        cr_assert_geq(b->r.u.advance.now, now);
        now = b->r.u.advance.now;
        if (b->r.u.advance.frames == 0)
            return n;
        n += b->r.u.advance.frames;
        for (unsigned d = 0; d < b->s.n_wire; d++)
            while (ibc_wire_receive(b->end[d][1], frame, &len, &at, 0) == IBC_WIRE_FRAME)
                cr_assert(b->s.n_wire < 2 || ibc_wire_send(b->end[d ^ 1][1], frame, len));
    }
}

static struct ag_wc completion(struct bench *b, unsigned d, const struct side *s)
{
    request(b, AG_V_poll_cq, d)->u.poll_cq.cq = s->cq;
    must(b);
    cr_assert(AG_HAS(&b->r.u.poll_cq, poll_cq_ok, wc), "no completion of device %u", d);
    return b->r.u.poll_cq.wc;
}

static void post(struct bench *b, const struct side *from)
{
    struct ibc_send s = {.wr = {.wr_id = 21, .op = IBA_WR_SEND, .n_sge = 1}};

    s.wr.sge[0] = (struct iba_sge){.addr = from->mr.local, .length = PAYLOAD, .lkey = from->mr.lkey};
    request(b, AG_V_post_send, 0);
    ag_from_send(&b->q.u.post_send, from->qpn, &s, false);
    must(b);
}

static void post_receive(struct bench *b, const struct side *to)
{
    struct ag_post_recv_args *a = &request(b, AG_V_post_recv, 1)->u.post_recv;

    AG_SET(a, post_recv_args, qpn, to->qpn);
    a->wr = ag_from_recv(&(struct iba_recv_wr){
        .wr_id = 42, .n_sge = 1, .sge = {{.addr = to->mr.local, .length = 4096, .lkey = to->mr.lkey}}});
    must(b);
}

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

/* ---- hostile lines ---- */

static void put_small(const struct ag_field *f, uint8_t *p, uint32_t n)
{
    const uint64_t wide = n;

    if (f->size == sizeof n)
        memcpy(p, &n, sizeof n);
    else if (f->size == sizeof wide)
        memcpy(p, &wide, sizeof wide);
}

/* Fills b->q with numbers of objects; most of these objects exist. */
static void name_objects(struct bench *b, struct iba_random *r)
{
    static const char *const small[] = {"pd", "cq", "scq", "rcq", "srq", "depth", "sq", "rq", "length", "n"};
    const struct ag_shape *s = ag_args_shape(b->q.verb);

    for (unsigned i = 0; i < s->n; i++) {
        uint8_t *p = (uint8_t *)&b->q.u + s->field[i].at;
        uint32_t n = (uint32_t)iba_random_below(r, 4);
        if (iba_random_below(r, 4) == 0)
            continue;
        if (strcmp(s->field[i].name, "qpn") == 0 || strcmp(s->field[i].name, "number") == 0)
            memcpy(p, iba_random_below(r, 2) ? &b->qpn : &n, sizeof n);
        for (unsigned k = 0; k < sizeof small / sizeof *small; k++)
            if (strcmp(s->field[i].name, small[k]) == 0)
                put_small(&s->field[i], p, n);
    }
}

/* Writes a request that a tester might send. */
static size_t fair_line(struct bench *b, struct iba_random *r)
{
    static const char *const usual[] = {
        "{\"id\":1,\"do\":\"hello\",\"version\":1}",
        "{\"id\":1,\"do\":\"create_pd\"}",
        "{\"id\":1,\"do\":\"create_cq\",\"depth\":64}",
        "{\"id\":1,\"do\":\"create_srq\",\"pd\":0,\"depth\":16,\"limit\":3}",
        "{\"id\":1,\"do\":\"create_ah\",\"pd\":0,\"to\":{\"mac\":\"02:00:00:00:00:01\"}}",
        "{\"id\":1,\"do\":\"create_qp\",\"type\":\"ud\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}",
        "{\"id\":1,\"do\":\"create_qp\",\"type\":\"smi\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"init\",\"pkey\":0,\"qkey\":0}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rtr\"}",
        "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rts\",\"psn\":9}",
        "{\"id\":1,\"do\":\"reg_mr\",\"pd\":0,\"length\":65536,\"access\":[\"local_write\",\"on_demand\"],\"fill\":"
        "\"m\"}",
        "{\"id\":1,\"do\":\"alloc_mw\",\"type\":2,\"pd\":0}",
        "{\"id\":1,\"do\":\"post_send\",\"qpn\":0,\"wr\":{\"op\":\"send\",\"sge\":[]},\"dest\":{\"hop\":64}}",
        "{\"id\":1,\"do\":\"post_send\",\"qpn\":0,\"wr\":{\"op\":\"bind_mw\",\"mw\":1,\"access\":[\"remote_read\"]}}",
        "{\"id\":1,\"do\":\"post_recv\",\"qpn\":0,\"wr\":{\"sge\":[{\"at\":139964394242048,\"len\":9,\"lkey\":22684}]}"
        "}",
        "{\"id\":1,\"do\":\"read_memory\",\"at\":139964394242048,\"n\":100}",
        "{\"id\":1,\"do\":\"write_memory\",\"at\":139964394242048,\"hex\":\"00112233\"}",
        "{\"id\":1,\"do\":\"page\",\"at\":139964394242048,\"present\":false}",
        "{\"id\":1,\"do\":\"prefetch\",\"pd\":0,\"at\":139964394242048,\"len\":4096,\"lkey\":22684}",
        "{\"id\":1,\"do\":\"reregister\",\"lkey\":22684,\"access\":[\"local_write\"],\"length\":64,\"fill\":\"m\"}",
        "{\"id\":1,\"do\":\"set_port\",\"key\":\"pkey\",\"index\":1,\"value\":32769}",
        "{\"id\":1,\"do\":\"attach\",\"qpn\":0,\"gid\":\"ff0e::1\",\"on\":true}",
        "{\"id\":1,\"do\":\"advance\",\"until\":1000100000}",
    };
    const uint64_t which = iba_random_below(r, 2 * sizeof usual / sizeof *usual);

    if (which < sizeof usual / sizeof *usual)
        return (size_t)snprintf(b->line, sizeof b->line, "%s", usual[which]);
    memset(&b->q, 0, sizeof b->q);
    b->q.verb = (enum ag_verb)iba_random_below(r, AG_V_COUNT);
    if (b->q.verb == AG_V_reset && iba_random_below(r, 50)) /* so that objects live for a while */
        b->q.verb = AG_V_post_send;
    random_members(r, ag_args_shape(b->q.verb), &b->q.u);
    name_objects(b, r);
    if (b->q.verb == AG_V_advance) /* simulating hours of a busy device takes long */
        b->q.u.advance.until = b->s.target->ops->now(b->s.target) + iba_random_below(r, 20000000);
    return ag_write_request(&b->q, b->line, sizeof b->line);
}

static size_t mutate(struct bench *b, struct iba_random *r, size_t n)
{
    static const char alphabet[] = "{}[]\":,0123456789eE+-.\\u\"xfnrtl \t\x01\xff";
    const size_t at = (size_t)iba_random_below(r, n);
    size_t len = 1 + (size_t)iba_random_below(r, 8);

    len = at + len > n ? n - at : len;
    switch (iba_random_below(r, 5)) {
    case 0: b->line[at] = (char)iba_random_next(r); return n;
    case 1: b->line[at] = alphabet[iba_random_below(r, sizeof alphabet)]; return n;
    case 2: memmove(b->line + at, b->line + at + len, n - at - len); return n - len;
    case 3:
        if (n + len >= AG_LINE)
            return n;
        memmove(b->line + at + len, b->line + at, n - at);
        return n + len;
    default: return at + 1;
    }
}

static void note_qpn(struct bench *b)
{
    const char *made = strstr(b->answer, "\"ok\":{\"qpn\":");

    if (made)
        b->qpn = (uint32_t)strtoul(made + strlen("\"ok\":{\"qpn\":"), NULL, 10);
}

/* Creates a connected QP and a datagram QP, both ready to send. */
static void set_up(struct bench *b, enum ibc_link link)
{
    struct side s;

    reset(b, link);
    make(b, 0, &s);
    join(b, 0, &s, 0x000777);
    b->qpn = s.qpn;
    (void)say(b, "{\"id\":1,\"do\":\"create_qp\",\"type\":\"smi\",\"pd\":0,\"scq\":0,\"rcq\":0,\"sq\":16,\"rq\":16}");
    (void)say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"init\",\"pkey\":0,\"qkey\":0}");
    (void)say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rtr\"}");
    cr_assert(strstr(say(b, "{\"id\":1,\"do\":\"modify_qp\",\"qpn\":0,\"state\":\"rts\",\"psn\":9}"), "\"ok\""));
}

/* Checks that any line gets one reply, and that the reply is JSON. Returns true if the reply reports success. */
static bool answers(struct bench *b, size_t n)
{
    cJSON *j;

    n = ag_serve(&b->s, b->line, n, b->answer);
    cr_assert(n > 0 && n < AG_LINE);
    j = cJSON_ParseWithLength(b->answer, n);
    cr_assert(cJSON_IsObject(j), "%s", b->answer);
    cJSON_Delete(j);
    note_qpn(b);
    return strstr(b->answer, "\"ok\":") != NULL;
}

Test(server, survives_whatever_it_is_told, .timeout = 280)
{
    struct bench *b = bench_open(1, NULL);
    struct iba_random r;
    unsigned fine = 0;
    size_t n;

    iba_random_seed(&r, 18);
    hello(b);
    for (unsigned i = 0; i < MUTANTS; i++) {
        if (i % 500 == 0)
            set_up(b, (enum ibc_link)(i / 500 % IBC_LINK_COUNT));
        n = fair_line(b, &r);
        fine += answers(b, n);
        n = fair_line(b, &r);
        for (uint64_t k = 1 + iba_random_below(&r, 3); k > 0; k--)
            n = mutate(b, &r, n > 0 ? n : 1);
        (void)answers(b, n);
        if (i % 100 == 0)
            (void)pass_on(b);
    }
    cr_assert_gt(fine, MUTANTS / 5, "%u", fine);
    reset(b, IBC_LINK_roce2_ipv4);
    request(b, AG_V_create_pd, 0);
    must(b);
    cr_assert_eq(b->r.u.create_pd.pd, 0);
    bench_close(b);
}
