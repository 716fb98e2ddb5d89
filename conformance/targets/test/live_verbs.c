/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verb of a live target is one request to the agent, whose members are the arguments, and the reply's members are
 * the results. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_bed.h"
#include "transport/iba_wr_ops.h"

static struct live_bed *b;
static const struct ibc_target_ops *o;
static struct ibc_target *t;

static void begin(void)
{
    b = live_bed_new();
    cr_assert(live_bed_open(b, 2), "%s", b->err);
    t = b->t;
    o = t->ops;
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
}

static void end(void)
{
    live_bed_free(b);
}

static void replies(const char *members)
{
    (void)snprintf(b->reply, sizeof b->reply, "\"ok\":{%s}", members);
}

/* Expects that the last request had these members. */
#define ASKED(text) cr_expect_str_eq(b->asked, text "}\n", "%s", b->asked)

Test(live_verbs, objects, .init = begin, .fini = end)
{
    uint32_t is = 0, number = 0;

    replies("\"pd\":7");
    cr_expect(o->create_pd(t, 1, &is) == IBC_OK && is == 7);
    ASKED("\"do\":\"create_pd\",\"device\":1");
    replies("\"cq\":8");
    cr_expect(o->create_cq(t, 0, 99, &is) == IBC_OK && is == 8);
    ASKED("\"do\":\"create_cq\",\"depth\":99");
    replies("\"srq\":9");
    cr_expect(o->create_srq(t, 1, 7, 20, 3, &is) == IBC_OK && is == 9);
    ASKED("\"do\":\"create_srq\",\"device\":1,\"pd\":7,\"depth\":20,\"limit\":3");
    replies("\"xrcd\":10");
    cr_expect(o->create_xrcd(t, 1, &is) == IBC_OK && is == 10);
    ASKED("\"do\":\"create_xrcd\",\"device\":1");
    replies("\"srq\":11,\"number\":12");
    cr_expect(o->create_xrc_srq(t, 0, &(struct ibc_xrc_srq_spec){.pd = 1, .depth = 2, .xrcd = 3, .cq = 4}, &is,
                                &number) == IBC_OK);
    cr_expect(is == 11 && number == 12);
    ASKED("\"do\":\"create_xrc_srq\",\"pd\":1,\"depth\":2,\"xrcd\":3,\"cq\":4");
    replies("\"ah\":13");
    cr_expect(o->create_ah(t, 0, 7, &(struct ibc_address){.mac = 0x020000000005, .ipv4 = 0x0a000005}, &is) == IBC_OK);
    cr_expect_eq(is, 13);
    ASKED("\"do\":\"create_ah\",\"pd\":7,\"to\":{\"mac\":\"02:00:00:00:00:05\",\"ipv4\":\"10.0.0.5\"}");
    replies("\"rkey\":14");
    cr_expect(o->alloc_mw(t, 0, 2, 7, &is) == IBC_OK && is == 14);
    ASKED("\"do\":\"alloc_mw\",\"type\":2,\"pd\":7");
    replies("");
    cr_expect_eq(o->destroy(t, 1, IBC_O_cq, 8), IBC_OK);
    ASKED("\"do\":\"destroy\",\"device\":1,\"kind\":\"cq\",\"number\":8");
}

/* Results do not change if the device refuses. */
Test(live_verbs, refusals, .init = begin, .fini = end)
{
    uint32_t is = 5, other = 6;
    struct ibc_mr mr = {.id = 3};
    uint64_t times = 4;
    uint8_t byte = 1;
    const struct ibc_mr_spec region = {.pd = 1};

    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"no_memory\",\"text\":\"there is none\"");
    cr_expect_eq(o->create_pd(t, 0, &is), IBC_REFUSED);
    cr_expect_str_eq(t->refusal, "no_memory");
    cr_expect_eq(o->create_cq(t, 0, 1, &is), IBC_REFUSED);
    cr_expect_eq(o->create_srq(t, 0, 1, 1, 1, &is), IBC_REFUSED);
    cr_expect_eq(o->create_xrcd(t, 0, &is), IBC_REFUSED);
    cr_expect_eq(o->create_xrc_srq(t, 0, &(struct ibc_xrc_srq_spec){0}, &is, &other), IBC_REFUSED);
    cr_expect_eq(o->create_ah(t, 0, 1, &t->tester, &is), IBC_REFUSED);
    cr_expect_eq(o->alloc_mw(t, 0, 1, 1, &is), IBC_REFUSED);
    cr_expect_eq(o->create_qp(t, 0, &(struct ibc_qp_spec){0}, &is), IBC_REFUSED);
    cr_expect_eq(o->choose_psn(t, 0, &is), IBC_REFUSED);
    cr_expect(is == 5 && other == 6);
    cr_expect(o->reg_mr(t, 0, &region, &mr) == IBC_REFUSED && mr.id == 3);
    cr_expect(o->notified(t, 0, 1, &times) == IBC_REFUSED && times == 4);
    cr_expect(o->read_memory(t, 0, 1, &byte, 1) == IBC_REFUSED && byte == 1);
    cr_expect_eq(o->write_memory(t, 0, 1, &byte, 1), IBC_REFUSED);
    (void)snprintf(b->reply, sizeof b->reply, "%s", LIVE_BED_UNSUPPORTED);
    cr_expect_eq(o->create_pd(t, 0, &is), IBC_UNSUPPORTED);
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"dead\",\"text\":\"it does not answer\"");
    cr_expect_eq(o->create_pd(t, 0, &is), IBC_DEAD);
    cr_expect_str_eq(t->fault, "it does not answer");
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"fault\",\"text\":\"I am wrong\"");
    cr_expect_eq(o->create_pd(t, 0, &is), IBC_BROKEN);
    cr_expect_str_eq(t->fault, "I am wrong");
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"bad_request\",\"text\":\"no depth\"");
    cr_expect_eq(o->create_pd(t, 0, &is), IBC_BROKEN);
    cr_expect_str_eq(t->fault, "the agent refuses create_pd: bad_request: no depth");
}

Test(live_verbs, queue_pairs, .init = begin, .fini = end)
{
    uint32_t qpn = 0;
    struct iba_qp_attr is = {0};
    const struct ibc_qp_spec plain = {.type = IBA_QPT_RC, .pd = 1, .scq = 2, .rcq = 3, .sq = 4, .rq = 5};
    const struct ibc_qp_spec shared = {
        .type = IBA_QPT_UD, .pd = 1, .scq = 2, .rcq = 3, .srq = 6, .has_srq = true, .sig_all = true, .sq = 4};
    const struct ibc_qp_spec xrc = {.type = IBA_QPT_XRC_TGT, .pd = 1, .scq = 2, .rcq = 3, .xrcd = 8, .has_xrcd = true};

    replies("\"qpn\":17");
    cr_expect(o->create_qp(t, 0, &plain, &qpn) == IBC_OK && qpn == 17);
    ASKED("\"do\":\"create_qp\",\"type\":\"rc\",\"pd\":1,\"scq\":2,\"rcq\":3,\"sig_all\":false,\"sq\":4,\"rq\":5");
    cr_expect_eq(o->create_qp(t, 1, &shared, &qpn), IBC_OK);
    ASKED("\"do\":\"create_qp\",\"device\":1,\"type\":\"ud\",\"pd\":1,\"scq\":2,\"rcq\":3,\"srq\":6,\"sig_all\":true,"
          "\"sq\":4,\"rq\":0");
    cr_expect_eq(o->create_qp(t, 0, &xrc, &qpn), IBC_OK);
    ASKED("\"do\":\"create_qp\",\"type\":\"xrc_tgt\",\"pd\":1,\"scq\":2,\"rcq\":3,\"sig_all\":false,\"sq\":0,\"rq\":0,"
          "\"xrcd\":8");
    replies("");
    cr_expect_eq(
        o->modify_qp(t, 1, 17, &(struct ibc_qp_attr){.a = {.state = IBA_QPS_RTS, .retry = 3}, .mask = IBA_QPA_RETRY}),
        IBC_OK);
    ASKED("\"do\":\"modify_qp\",\"device\":1,\"qpn\":17,\"state\":\"rts\",\"retry\":3");
    replies("\"state\":\"sqd\",\"psn\":99");
    cr_expect_eq(o->query_qp(t, 1, 17, &is), IBC_OK);
    cr_expect(is.state == IBA_QPS_SQD && is.sq_psn == 99);
    ASKED("\"do\":\"query_qp\",\"device\":1,\"qpn\":17");
}

/* Work requests of datagrams name their destination, those of connections do not. The target remembers the type of
 * each queue pair of each device until it is destroyed. */
Test(live_verbs, work_of_each_service, .init = begin, .fini = end)
{
    static const struct {
        uint8_t type;
        bool names;
    } rows[] = {{IBA_QPT_RC, false},
                {IBA_QPT_UC, false},
                {IBA_QPT_XRC_INI, false},
                {IBA_QPT_XRC_TGT, false},
                {IBA_QPT_UD, true}};
    const struct ibc_send s = {.wr = {.wr_id = 5, .op = IBA_WR_SEND, .remote_qpn = 9, .remote_qkey = 11},
                               .dest = {.hop = 1}};
    uint32_t qpn;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_qp_spec spec = {.type = rows[i].type};
        (void)snprintf(b->reply, sizeof b->reply, "\"ok\":{\"qpn\":%zu}", 20 + i);
        cr_assert_eq(o->create_qp(t, i & 1, &spec, &qpn), IBC_OK);
    }
    replies("");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(o->post_send(t, i & 1, (uint32_t)(20 + i), &s), IBC_OK);
        cr_expect_eq(strstr(b->asked, "\"qkey\":11") != NULL, rows[i].names, "%zu: %s", i, b->asked);
    }
    cr_expect_eq(o->post_send(t, 1, 24, &s), IBC_OK, "another device has no such queue pair");
    cr_expect_null(strstr(b->asked, "qkey"));
    cr_expect_eq(o->destroy(t, 0, IBC_O_cq, 24), IBC_OK);
    cr_expect_eq(o->destroy(t, 1, IBC_O_qp, 24), IBC_OK);
    cr_expect_eq(o->post_send(t, 0, 24, &s), IBC_OK);
    cr_expect_not_null(strstr(b->asked, "qkey"), "it still is there");
    cr_expect_eq(o->destroy(t, 0, IBC_O_qp, 24), IBC_OK);
    cr_expect_eq(o->post_send(t, 0, 24, &s), IBC_OK);
    cr_expect_null(strstr(b->asked, "qkey"));
    replies("\"qpn\":24");
    cr_assert_eq(o->create_qp(t, 0, &(struct ibc_qp_spec){.type = IBA_QPT_UD}, &qpn), IBC_OK);
    live_bed_reset(b, IBC_LINK_roce2_ipv4);
    replies("");
    cr_expect_eq(o->post_send(t, 0, 24, &s), IBC_OK);
    cr_expect_null(strstr(b->asked, "qkey"), "a reset destroys all");
}

Test(live_verbs, receives, .init = begin, .fini = end)
{
    const struct iba_recv_wr wr = {.wr_id = 6, .n_sge = 1, .sge = {{0x1000, 64, 3}}};

    replies("");
    cr_expect_eq(o->post_recv(t, 1, 17, &wr), IBC_OK);
    ASKED(
        "\"do\":\"post_recv\",\"device\":1,\"qpn\":17,\"wr\":{\"id\":6,\"sge\":[{\"at\":4096,\"len\":64,\"lkey\":3}]}");
    cr_expect_eq(o->post_srq_recv(t, 0, 18, &wr), IBC_OK);
    ASKED("\"do\":\"post_recv\",\"srq\":18,\"wr\":{\"id\":6,\"sge\":[{\"at\":4096,\"len\":64,\"lkey\":3}]}");
}

Test(live_verbs, completions_and_events, .init = begin, .fini = end)
{
    struct iba_wc wc = {0};
    struct iba_event e = {0};
    unsigned n = 7;
    uint64_t times = 0;

    replies("\"wc\":{\"id\":5,\"status\":\"rnr_retry_exceeded\",\"qpn\":17}");
    cr_expect(o->poll_cq(t, 1, 8, &wc, &n) == IBC_OK && n == 1);
    cr_expect(wc.wr_id == 5 && wc.status == IBA_WC_RNR_RETRY_EXCEEDED && wc.qpn == 17);
    ASKED("\"do\":\"poll_cq\",\"device\":1,\"cq\":8");
    replies("\"wc\":null");
    cr_expect(o->poll_cq(t, 0, 8, &wc, &n) == IBC_OK && n == 0);
    replies("\"event\":{\"kind\":\"comm_established\",\"object\":17}");
    cr_expect(o->poll_event(t, 1, &e, &n) == IBC_OK && n == 1);
    cr_expect(e.kind == IBA_EVENT_COMM_ESTABLISHED && e.object == 17);
    ASKED("\"do\":\"poll_event\",\"device\":1");
    replies("\"event\":null");
    cr_expect(o->poll_event(t, 0, &e, &n) == IBC_OK && n == 0);
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"einval\",\"text\":\"\"");
    n = 7;
    cr_expect(o->poll_cq(t, 0, 8, &wc, &n) == IBC_REFUSED && n == 0);
    n = 7;
    cr_expect(o->poll_event(t, 0, &e, &n) == IBC_REFUSED && n == 0);
    replies("");
    cr_expect_eq(o->arm_cq(t, 1, 8, true), IBC_OK);
    ASKED("\"do\":\"arm_cq\",\"device\":1,\"cq\":8,\"solicited\":true");
    cr_expect_eq(o->resize_cq(t, 1, 8, 500), IBC_OK);
    ASKED("\"do\":\"resize_cq\",\"device\":1,\"cq\":8,\"depth\":500");
    cr_expect_eq(o->arm_srq(t, 0, 9, 3), IBC_OK);
    ASKED("\"do\":\"arm_srq\",\"srq\":9,\"limit\":3");
    replies("\"times\":12");
    cr_expect(o->notified(t, 1, 8, &times) == IBC_OK && times == 12);
    ASKED("\"do\":\"notified\",\"device\":1,\"cq\":8");
}

Test(live_verbs, memory, .init = begin, .fini = end)
{
    struct ibc_mr mr = {0};
    struct ibc_mr_spec s = {.pd = 1, .length = 4096, .access = IBA_ACCESS_REMOTE_WRITE, .fill = 'c'};

    replies("\"id\":1,\"va\":4096,\"local\":8192,\"lkey\":3,\"rkey\":4");
    cr_expect_eq(o->reg_mr(t, 1, &s, &mr), IBC_OK);
    ASKED("\"do\":\"reg_mr\",\"device\":1,\"pd\":1,\"length\":4096,\"access\":[\"remote_write\"],\"fill\":\"c\"");
    cr_expect(mr.id == 1 && mr.va == 4096 && mr.local == 8192 && mr.lkey == 3 && mr.rkey == 4);
    s.has_iova = true;
    s.iova = 0;
    cr_expect_eq(o->reg_mr(t, 0, &s, &mr), IBC_OK);
    ASKED("\"do\":\"reg_mr\",\"pd\":1,\"length\":4096,\"iova\":0,\"access\":[\"remote_write\"],\"fill\":\"c\"");
    replies("");
    cr_expect_eq(o->page(t, 1, 8192, true), IBC_OK);
    ASKED("\"do\":\"page\",\"device\":1,\"at\":8192,\"present\":true");
    const struct ibc_prefetch p = {.at = 8192, .length = 4096, .lkey = 3, .pd = 1, .write = true, .later = true};
    cr_expect_eq(o->prefetch(t, 1, &p), IBC_OK);
    ASKED("\"do\":\"prefetch\",\"device\":1,\"pd\":1,\"at\":8192,\"len\":4096,\"lkey\":3,\"write\":true,"
          "\"no_fault\":false,\"later\":true");
}

Test(live_verbs, regions_registered_again, .init = begin, .fini = end)
{
    struct ibc_mr mr = {0};
    replies("\"id\":4,\"va\":5,\"local\":6,\"lkey\":7,\"rkey\":8");
    cr_expect_eq(o->reregister(t, 1, &(struct ibc_reregister){.lkey = 3, .has_pd = true, .pd = 2}, &mr), IBC_OK);
    ASKED("\"do\":\"reregister\",\"device\":1,\"lkey\":3,\"pd\":2");
    cr_expect(mr.id == 4 && mr.va == 5 && mr.local == 6 && mr.lkey == 7 && mr.rkey == 8);
    const struct ibc_reregister r = {
        .lkey = 7, .has_access = true, .access = IBA_ACCESS_LOCAL_WRITE, .has_range = true, .length = 64, .fill = 'm'};
    cr_expect_eq(o->reregister(t, 1, &r, &mr), IBC_OK);
    ASKED("\"do\":\"reregister\",\"device\":1,\"lkey\":7,\"access\":[\"local_write\"],\"length\":64,\"fill\":\"m\"");
}

/* The agent said that it reads and writes 1024 bytes at a time. */
Test(live_verbs, memory_in_parts, .init = begin, .fini = end)
{
    uint8_t bytes[2100];
    char part[2200] = "\"hex\":\"";

    replies("");
    memset(bytes, 0xab, sizeof bytes);
    cr_expect_eq(o->write_memory(t, 1, 0x10000, bytes, 1024), IBC_OK);
    cr_expect(strstr(b->asked, "\"do\":\"write_memory\",\"device\":1,\"at\":65536,\"hex\":\"abab") == b->asked, "%s",
              b->asked);
    cr_expect_eq(o->write_memory(t, 0, 0x10000, bytes, 2050), IBC_OK);
    ASKED("\"do\":\"write_memory\",\"at\":67584,\"hex\":\"abab\"");
    for (unsigned i = 0; i < 512; i++)
        memcpy(part + strlen(part), "0102", 5);
    (void)snprintf(b->reply, sizeof b->reply, "\"ok\":{\"hex\":\"0708\"}");
    cr_expect_eq(o->read_memory(t, 1, 0x20000, bytes, 2), IBC_OK);
    ASKED("\"do\":\"read_memory\",\"device\":1,\"at\":131072,\"n\":2");
    cr_expect(bytes[0] == 7 && bytes[1] == 8 && bytes[2] == 0xab);
    cr_expect_eq(o->read_memory(t, 0, 0x20000, bytes, 1026), IBC_LOST, "the first part has 1024 bytes");
    ASKED("\"do\":\"read_memory\",\"at\":131072,\"n\":1024");
    cr_expect_str_eq(t->fault, "agent: asked for 1024 bytes of memory: it gives 2");
}

/* An agent that gives no limit, or a larger one, gets as many bytes as the protocol allows. */
Test(live_verbs, memory_in_the_largest_parts, .init = begin, .fini = end)
{
    static const uint32_t limits[] = {0, AG_BYTES, AG_BYTES + 1};
    static uint8_t bytes[AG_BYTES + 1];
    char last[100];

    replies("");
    (void)snprintf(last, sizeof last, "\"do\":\"write_memory\",\"at\":%d,\"hex\":\"00\"}\n", (int)AG_BYTES);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        live_of(t)->hello.limits.bytes = limits[i];
        cr_expect_eq(o->write_memory(t, 0, 0, bytes, sizeof bytes), IBC_OK, "%s", t->fault);
        cr_expect_str_eq(b->asked, last, "row %zu: %.60s", i, b->asked);
    }
}

/* Of more queue pairs than can be remembered the last have no type. */
Test(live_verbs, more_queue_pairs_than_are_remembered, .init = begin, .fini = end)
{
    const struct ibc_send s = {.wr = {.op = IBA_WR_SEND, .remote_qkey = 11}, .dest = {.hop = 1}};
    uint32_t qpn;

    for (uint32_t i = 0; i < 2; i++) {
        live_of(t)->n_qp = LIVE_QPS - 1 + i;
        (void)snprintf(b->reply, sizeof b->reply, "\"ok\":{\"qpn\":%u}", 9000 + i);
        cr_assert_eq(o->create_qp(t, 0, &(struct ibc_qp_spec){.type = IBA_QPT_UD}, &qpn), IBC_OK);
        cr_expect_eq(live_of(t)->n_qp, LIVE_QPS);
        replies("");
        cr_expect_eq(o->post_send(t, 0, 9000 + i, &s), IBC_OK);
        cr_expect_eq(strstr(b->asked, "\"qkey\":11") != NULL, i == 0, "%s", b->asked);
    }
}

Test(live_verbs, the_port, .init = begin, .fini = end)
{
    static const uint8_t group[16] = {0xff, 0x0e, [10] = 0xff, 0xff, 0xef, 0, 0, 9},
                         gid[16] = {[10] = 0xff, 0xff, 10, 11, 12, 13};
    const struct ibc_address was = t->device[1];
    uint32_t psn = 0;

    replies("");
    cr_expect_eq(o->attach(t, 1, 17, group, 0xc001, true), IBC_OK);
    ASKED("\"do\":\"attach\",\"device\":1,\"qpn\":17,\"gid\":\"ff0e::ffff:ef00:9\",\"lid\":49153,\"on\":true");
    cr_expect_eq(o->set_port(t, 1, IBC_K_mtu, 2, 256), IBC_OK);
    ASKED("\"do\":\"set_port\",\"device\":1,\"key\":\"mtu\",\"index\":2,\"value\":256");
    cr_expect_eq(t->device[1].lid, was.lid);
    cr_expect_eq(o->set_port(t, 1, IBC_K_lid, 0, 77), IBC_OK);
    cr_expect(t->device[1].lid == 77 && t->device[0].lid == 1);
    cr_expect_eq(o->set_gid(t, 1, 1, gid), IBC_OK);
    ASKED("\"do\":\"set_gid\",\"device\":1,\"index\":1,\"gid\":\"::ffff:10.11.12.13\"");
    cr_expect_eq(t->device[1].ipv4, was.ipv4, "packets go to the first GID");
    cr_expect_eq(o->set_gid(t, 1, 0, gid), IBC_OK);
    cr_expect(t->device[1].ipv4 == 0x0a0b0c0d && t->device[0].ipv4 == 0xc0000201);
    replies("\"psn\":123456");
    cr_expect(o->choose_psn(t, 1, &psn) == IBC_OK && psn == 123456);
    ASKED("\"do\":\"choose_psn\",\"device\":1");
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"einval\",\"text\":\"\"");
    cr_expect_eq(o->set_port(t, 0, IBC_K_lid, 0, 78), IBC_REFUSED);
    cr_expect_eq(t->device[0].lid, 1);
    cr_expect_eq(o->set_gid(t, 0, 0, gid), IBC_REFUSED);
    cr_expect_eq(t->device[0].ipv4, 0xc0000201);
}

/* Names of counters stay where they are, since counters of two times are compared. */
Test(live_verbs, counters, .init = begin, .fini = end)
{
    struct ibc_counter first[IBC_MAX_COUNTERS], second[IBC_MAX_COUNTERS];

    replies("\"counters\":{\"a\":1,\"bb\":2}");
    cr_assert_eq(o->counters(t, 1, first), 2);
    ASKED("\"do\":\"counters\",\"device\":1");
    cr_expect(strcmp(first[0].name, "a") == 0 && first[0].value == 1 && strcmp(first[1].name, "bb") == 0 &&
              first[1].value == 2);
    replies("\"counters\":{\"bb\":3,\"c\":4,\"a\":9}");
    cr_assert_eq(o->counters(t, 1, second), 3);
    cr_expect(second[0].name == first[1].name && second[2].name == first[0].name && second[2].value == 9);
    cr_expect(strcmp(second[1].name, "c") == 0 && strcmp(first[1].name, "bb") == 0);
    (void)snprintf(b->reply, sizeof b->reply, "%s", LIVE_BED_UNSUPPORTED);
    cr_expect_eq(o->counters(t, 0, first), 0);
    for (unsigned k = 0; k < 300; k += 10) { /* more names than are kept */
        size_t used = (size_t)snprintf(b->reply, sizeof b->reply, "\"ok\":{\"counters\":{");
        for (unsigned i = 0; i < 10; i++)
            used += (size_t)snprintf(b->reply + used, sizeof b->reply - used, "%s\"x%u\":%u", i ? "," : "", k + i, i);
        (void)snprintf(b->reply + used, sizeof b->reply - used, "}}");
        const unsigned n = o->counters(t, 0, first);
        cr_expect_eq(n,
                     k + 10 <= LIVE_COUNTERS - 3 ? 10
                     : k < LIVE_COUNTERS - 3     ? LIVE_COUNTERS - 3 - k
                                                 : 0,
                     "%u: %u", k, n);
    }
}

Test(live_verbs, the_log, .init = begin, .fini = end)
{
    char text[100] = "x";

    replies("\"text\":\"BUG: something\",\"at\":500");
    cr_expect(o->log(t, 1, text, sizeof text) == IBC_OK && strcmp(text, "BUG: something") == 0);
    ASKED("\"do\":\"log\",\"device\":1");
    replies("\"at\":600");
    cr_expect(o->log(t, 0, text, sizeof text) == IBC_OK && strcmp(text, "") == 0);
    ASKED("\"do\":\"log\",\"since\":500");
    replies("");
    cr_expect_eq(o->log(t, 0, text, sizeof text), IBC_OK);
    ASKED("\"do\":\"log\",\"since\":600");
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"einval\",\"text\":\"\"");
    cr_expect_eq(o->log(t, 0, text, sizeof text), IBC_REFUSED);
    (void)snprintf(b->reply, sizeof b->reply, "%s", LIVE_BED_UNSUPPORTED);
    cr_expect_eq(o->log(t, 0, text, sizeof text), IBC_UNSUPPORTED);
    b->asked[0] = '\0';
    cr_expect_eq(o->log(t, 0, text, sizeof text), IBC_UNSUPPORTED);
    cr_expect_str_eq(b->asked, "", "an agent without a log is not asked again");
}

/* ---- connection manager ---- */

Test(live_verbs, manager, .init = begin, .fini = end)
{
    struct ibc_cm_call c = {
        .verb = IBC_CM_connect, .id = 5, .backlog = 6, .datagrams = true, .compare_n = 2, .compare = {0xee, 0xdd}};
    struct iba_cm_event e = {0};
    struct iba_qp_attr a = {0};
    char mad[2 * sizeof e.mad + 1], hex[2 * sizeof e.mad + 100];
    unsigned n = 7;

    replies("\"service\":4660");
    cr_expect(o->cm_open(t, 1) == IBC_OK && t->cm_service == 4660);
    ASKED("\"do\":\"cm_open\",\"device\":1");
    replies("");
    cr_expect(o->cm_open(t, 0) == IBC_OK && t->cm_service == 0);
    memset(c.mad, 0x5a, sizeof c.mad);
    replies("\"conn\":9");
    cr_expect(o->cm_call(t, 1, &c) == IBC_OK && c.id == 9);
    for (size_t i = 0; i < sizeof e.mad; i++)
        memcpy(mad + 2 * i, "5a", 3);
    (void)snprintf(hex, sizeof hex, "\"hex\":\"%seedd\"", mad);
    cr_expect_not_null(strstr(b->asked, hex));
    cr_expect_not_null(strstr(b->asked, "\"do\":\"cm_call\",\"device\":1,\"call\":\"connect\",\"conn\":5"), "%s",
                       b->asked);
    cr_expect_not_null(strstr(b->asked, "\"backlog\":6,\"datagrams\":true,\"both\":false"), "%s", b->asked);
    replies("\"kind\":\"none\"");
    cr_expect(o->cm_event(t, 1, &e, &n) == IBC_OK && n == 0);
    ASKED("\"do\":\"cm_event\",\"device\":1");
    (void)snprintf(b->reply, sizeof b->reply, "\"ok\":{\"kind\":\"rej\",\"conn\":9,\"reason\":28,\"hex\":\"%s\"}", mad);
    cr_expect(o->cm_event(t, 1, &e, &n) == IBC_OK && n == 1, "%s", t->fault);
    cr_expect(e.id == 9 && e.reason == 28 && e.mad[0] == 0x5a && e.mad[sizeof e.mad - 1] == 0x5a);
    replies("\"kind\":\"rej\",\"conn\":9,\"reason\":28,\"hex\":\"5a5a\"");
    cr_expect(o->cm_event(t, 1, &e, &n) == IBC_OK && n == 1 && e.mad[0] == 0, "a message of another length is none");
    replies("\"state\":\"rtr\",\"psn\":88");
    cr_expect_eq(o->cm_attributes(t, 1, 9, IBA_QPS_RTR, &a), IBC_OK);
    ASKED("\"do\":\"cm_attributes\",\"device\":1,\"conn\":9,\"state\":\"rtr\"");
    cr_expect(a.state == IBA_QPS_RTR && a.sq_psn == 88);
    (void)snprintf(b->reply, sizeof b->reply, "\"error\":\"einval\",\"text\":\"\"");
    n = 7;
    cr_expect(o->cm_event(t, 1, &e, &n) == IBC_REFUSED && n == 0);
    a.sq_psn = 1;
    cr_expect(o->cm_attributes(t, 1, 9, IBA_QPS_RTR, &a) == IBC_REFUSED && a.sq_psn == 1);
    t->cm_service = 3;
    cr_expect(o->cm_open(t, 1) == IBC_REFUSED && t->cm_service == 0);
    c.id = 4;
    cr_expect(o->cm_call(t, 1, &c) == IBC_REFUSED && c.id == 4);
}
