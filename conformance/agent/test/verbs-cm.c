/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs target's connection manager over a pretended librdmacm. */
#include "adapter.h"
#include <errno.h>

enum { CONNECTIONS = 0x01060000, DATAGRAMS = 0x01110000, PORT = 17042, IP_HEADER = 36 };

static struct verbs *open_cm(enum ibc_link link)
{
    struct verbs *v = adapter_open(link);

    OK(verbs_cm_open(&v->t, 0));
    cr_assert_eq(v->t.cm_service, CONNECTIONS + PORT);
    adapter.said[0] = 0;
    return v;
}

static uint8_t *data(struct ibc_cm_call *c)
{
    return c->mad + IBA_BYTES_madhdr;
}

static struct ibc_cm_call call_of(enum ibc_cm_verb verb, uint16_t attribute)
{
    struct ibc_cm_call c = {.verb = verb, .backlog = 5};

    iba_madhdr_set_attributeid(c.mad, attribute);
    return c;
}

static void put_private(struct ibc_cm_call *c, uint16_t attribute, const char *text, size_t skip)
{
    size_t at, n;

    cr_assert(iba_cm_private_place(attribute, &at, &n));
    memcpy(c->mad + at + skip, text, strlen(text));
}

static struct ibc_cm_call listen_call(uint64_t service, bool datagrams)
{
    struct ibc_cm_call c = call_of(IBC_CM_listen, IBA_CM_ID_REQ);

    iba_cm_req_set_serviceid(data(&c), service);
    c.datagrams = datagrams;
    return c;
}

static bool event(struct verbs *v, struct iba_cm_event *e)
{
    unsigned n = 9;

    *e = (struct iba_cm_event){0};
    OK(verbs_cm_event(&v->t, 0, e, &n));
    cr_assert_leq(n, 1);
    return n == 1;
}

Test(cm, nothing_before_it_is_opened)
{
    struct verbs *v = adapter_open(IBC_LINK_roce2_ipv4);
    struct ibc_cm_call c = listen_call(CONNECTIONS + 5, false);
    struct iba_cm_event e;
    struct iba_qp_attr a;

    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    cr_assert_not(event(v, &e));
    REFUSED(v, verbs_cm_attributes(&v->t, 0, 1, IBA_QPS_INIT, &a), "cm_no_connection");
    adapter.refuses = "create_event_channel", adapter.error = ENOMEM;
    REFUSED(v, verbs_cm_open(&v->t, 0), "errno_12");
    adapter.refuses = NULL;
    OK(verbs_cm_open(&v->t, 0));
    const int alive = adapter.alive;
    OK(verbs_cm_open(&v->t, 0));
    cr_assert_eq(adapter.alive, alive, "one channel");
    adapter_close(v);
}

Test(cm, listening)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct ibc_cm_call c = listen_call(CONNECTIONS + 0x1234, false);

    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("create_id tcp\nbind_addr 10.1.2.254:4660\nlisten 5\n");
    c = listen_call(DATAGRAMS + PORT, true);
    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("create_id udp\nbind_addr 10.1.2.254:17042\nlisten 5\n");
    c = listen_call(DATAGRAMS + 1, false);
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    c = listen_call(CONNECTIONS + 1, true);
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    c = listen_call(CONNECTIONS + 0x10000, false);
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    c = listen_call(CONNECTIONS + 1, false);
    c.compare_n = 1;
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    SAID("");
    c.compare_n = 0;
    adapter.refuses = "bind_addr", adapter.error = EADDRINUSE;
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_service_busy");
    SAID("create_id tcp\nbind_addr 10.1.2.254:1\ndestroy_id\n");
    adapter.error = EADDRNOTAVAIL;
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "errno_99");
    adapter.refuses = "listen", adapter.error = EINVAL;
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "errno_22");
    adapter.refuses = "create_id", adapter.error = ENODEV;
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_DEAD);
    adapter.refuses = NULL;
    c = call_of(IBC_CM_unlisten, IBA_CM_ID_RTU);
    adapter.said[0] = 0;
    OK(verbs_cm_call(&v->t, 0, &c));
    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("destroy_id\ndestroy_id\n");
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_no_service");
    adapter_close(v);
}

/* ---- the active side ---- */

static struct ibc_cm_call connect_call(uint64_t service)
{
    struct ibc_cm_call c = call_of(IBC_CM_connect, IBA_CM_ID_REQ);

    iba_cm_req_set_serviceid(data(&c), service);
    iba_cm_req_set_responderres(data(&c), 3);
    iba_cm_req_set_initdepth(data(&c), 4);
    iba_cm_req_set_e2eflowctrl(data(&c), 1);
    iba_cm_req_set_retrcount(data(&c), 6);
    iba_cm_req_set_rnrretrcount(data(&c), 5);
    iba_cm_req_set_localqpn(data(&c), 0xabcdef);
    put_private(&c, IBA_CM_ID_REQ, "hey", IP_HEADER);
    return c;
}

Test(cm, connecting)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv6);
    struct ibc_cm_call c = connect_call(CONNECTIONS + 7);

    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("create_id tcp\nresolve_addr [2001:db8::1%7]:0 [2001:db8::3%7]:7 1000 ms\nack RDMA_CM_EVENT_ADDR_RESOLVED\n"
         "resolve_route 1000 ms\nack RDMA_CM_EVENT_ROUTE_RESOLVED\n"
         "connect qpn abcdef resources 3 depth 4 flow 1 retries 6 5 srq 0 data 3:686579\n");
    cr_assert_eq(c.id, 1);
    c = call_of(IBC_CM_resolve, IBA_CM_ID_SIDR_REQ);
    iba_cm_sidr_req_set_serviceid(data(&c), DATAGRAMS + 9);
    put_private(&c, IBA_CM_ID_SIDR_REQ, "ho", IP_HEADER);
    OK(verbs_cm_call(&v->t, 0, &c));
    cr_assert_eq(c.id, 2);
    SAID("create_id udp\nresolve_addr [2001:db8::1%7]:0 [2001:db8::3%7]:9 1000 ms\nack RDMA_CM_EVENT_ADDR_RESOLVED\n"
         "resolve_route 1000 ms\nack RDMA_CM_EVENT_ROUTE_RESOLVED\n"
         "connect qpn 0 resources 0 depth 0 flow 0 retries 0 0 srq 0 data 2:686f\n");
    adapter_close(v);
}

Test(cm, connections_that_are_not_made)
{
    static const struct {
        const char *refuses;
        int error;
        bool unresolved;
        const char *word;
    } rows[] = {{"resolve_addr", EADDRNOTAVAIL, false, "errno_99"}, {NULL, 0, true, "errno_113"},
                {"resolve_route", EINVAL, false, "errno_22"},       {"route", EINVAL, false, "errno_113"},
                {"connect", ENETUNREACH, false, "errno_101"},       {"create_id", ENOMEM, false, "errno_12"}};
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct ibc_cm_call c;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int alive = adapter.alive;
        adapter.refuses = rows[i].refuses, adapter.error = rows[i].error;
        adapter.unresolved = rows[i].unresolved;
        c = connect_call(CONNECTIONS + 7);
        REFUSED(v, verbs_cm_call(&v->t, 0, &c), rows[i].word);
        cr_assert_eq(adapter.alive, alive, "%zu", i);
    }
    adapter.refuses = NULL, adapter.unresolved = false;
    adapter.said[0] = 0;
    c = connect_call(DATAGRAMS + 7);
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    c = connect_call(CONNECTIONS + 7);
    c.both = true;
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    c = call_of(IBC_CM_accept, IBA_CM_ID_REP);
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_no_connection");
    SAID("");
    for (unsigned i = 0; i < VERBS_CMS; i++, adapter.said[0] = 0) {
        c = connect_call(CONNECTIONS + 7);
        OK(verbs_cm_call(&v->t, 0, &c));
    }
    c = connect_call(CONNECTIONS + 7);
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_full");
    SAID("create_id tcp\ndestroy_id\n");
    adapter_close(v);
}

static uint64_t clock_ns;

static uint64_t later(struct ibc_target *t)
{
    (void)t;
    return clock_ns += 100000000;
}

/* A step of the path for which neither an answer nor an error comes is waited for one second. */
Test(cm, a_path_without_an_answer)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct ibc_target_ops ops = *v->t.ops;
    const struct ibc_target_ops *own = v->t.ops;
    struct ibc_cm_call c = connect_call(CONNECTIONS + 7);
    const int alive = adapter.alive;

    ops.now = later;
    v->t.ops = &ops;
    adapter.silent = true;
    clock_ns = 5000000000;
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "errno_113");
    cr_expect_eq(clock_ns, 5000000000 + 12 * UINT64_C(100000000), "%llu", (unsigned long long)clock_ns);
    cr_expect_eq(adapter.alive, alive);
    v->t.ops = own;
    adapter.silent = false;
    adapter_close(v);
}

/* A connection of this side, and its number. */
static uint32_t connected(struct verbs *v, struct rdma_cm_id **id)
{
    struct ibc_cm_call c = connect_call(CONNECTIONS + 7);

    OK(verbs_cm_call(&v->t, 0, &c));
    *id = adapter.newest;
    adapter.said[0] = 0;
    return c.id;
}

/* A connection that a peer asks for; a connection manager gives it an identifier. */
static uint32_t requested(struct verbs *v, enum rdma_port_space ps, struct rdma_cm_id **id)
{
    struct iba_cm_event e;

    cr_assert_eq(rdma_create_id(v->cm.channel, id, NULL, ps), 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_REQUEST, *id, 0);
    cr_assert(event(v, &e));
    cr_assert_eq(e.kind, ps == RDMA_PS_UDP ? IBA_CME_SIDR_REQ : IBA_CME_REQ);
    adapter.said[0] = 0;
    return e.id;
}

Test(cm, kinds_of_events)
{
    static const struct {
        enum rdma_cm_event_type type;
        int status;
        enum iba_cm_event_kind active, passive;
        uint16_t reason;
    } rows[] = {{RDMA_CM_EVENT_ESTABLISHED, 0, IBA_CME_ESTABLISHED, IBA_CME_ESTABLISHED, 0},
                {RDMA_CM_EVENT_CONNECT_RESPONSE, 0, IBA_CME_REP, IBA_CME_NONE, 0},
                {RDMA_CM_EVENT_REJECTED, 28, IBA_CME_REJ, IBA_CME_REJ, 28},
                {RDMA_CM_EVENT_UNREACHABLE, -110, IBA_CME_UNREACHABLE, IBA_CME_UNCONFIRMED, 0},
                {RDMA_CM_EVENT_CONNECT_ERROR, -110, IBA_CME_UNREACHABLE, IBA_CME_UNCONFIRMED, 0},
                {RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, IBA_CME_TIMEWAIT_EXIT, IBA_CME_TIMEWAIT_EXIT, 0},
                {RDMA_CM_EVENT_DISCONNECTED, 0, IBA_CME_DREQ, IBA_CME_DREQ, 0},
                {RDMA_CM_EVENT_DISCONNECTED, -110, IBA_CME_UNRELEASED, IBA_CME_UNRELEASED, 0},
                {RDMA_CM_EVENT_ADDR_CHANGE, 0, IBA_CME_NONE, IBA_CME_NONE, 0}};
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    struct iba_cm_event e;

    for (unsigned passive = 0; passive < 2; passive++) {
        const uint32_t number = passive ? requested(v, RDMA_PS_TCP, &id) : connected(v, &id);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const enum iba_cm_event_kind want = passive ? rows[i].passive : rows[i].active;
            adapter_event(rows[i].type, id, rows[i].status);
            cr_assert_eq(event(v, &e), want != IBA_CME_NONE, "%zu", i);
            cr_assert_eq(e.kind, want, "%zu %u: %u", i, passive, e.kind);
            cr_assert(want == IBA_CME_NONE || (e.id == number && e.reason == rows[i].reason), "%zu", i);
        }
        struct ibc_cm_call c = call_of(IBC_CM_disconnect, IBA_CM_ID_DREQ);
        c.id = number;
        OK(verbs_cm_call(&v->t, 0, &c));
        adapter_event(RDMA_CM_EVENT_DISCONNECTED, id, 0);
        cr_assert(event(v, &e) && e.kind == IBA_CME_DREP, "an answer to its own DREQ");
        cr_assert_eq(iba_madhdr_attributeid(e.mad), IBA_CM_ID_DREP);
    }
    adapter_close(v);
}

Test(cm, messages_of_events)
{
    static const uint8_t bytes[] = "private data";
    const struct rdma_conn_param p = {.private_data = bytes,
                                      .private_data_len = 12,
                                      .responder_resources = 3,
                                      .initiator_depth = 4,
                                      .retry_count = 5,
                                      .rnr_retry_count = 6,
                                      .qp_num = 0xabcdef};
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id, *peer;
    struct iba_cm_event e;
    size_t at, room;

    (void)connected(v, &id);
    cr_assert_eq(rdma_create_id(v->cm.channel, &peer, NULL, RDMA_PS_TCP), 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_REQUEST, peer, 0);
    adapter.cm[0].param.conn = p;
    cr_assert(event(v, &e) && e.id == 2);
    const uint8_t *d = e.mad + IBA_BYTES_madhdr;
    cr_assert(iba_madhdr_baseversion(e.mad) == 1 && iba_madhdr_mgmtclass(e.mad) == IBA_CLASS_CM);
    cr_assert(iba_madhdr_classversion(e.mad) == 2 && iba_madhdr_method(e.mad) == 3);
    cr_assert_eq(iba_madhdr_attributeid(e.mad), IBA_CM_ID_REQ);
    cr_assert(iba_cm_req_localqpn(d) == 0xabcdef && iba_cm_req_initdepth(d) == 3 && iba_cm_req_responderres(d) == 4);
    cr_assert(iba_cm_req_retrcount(d) == 5 && iba_cm_req_rnrretrcount(d) == 6);
    cr_assert(iba_cm_private_place(IBA_CM_ID_REQ, &at, &room));
    cr_assert(memcmp(e.mad + at + IP_HEADER, bytes, 12) == 0 && e.mad[at + IP_HEADER + 12] == 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_RESPONSE, id, 0);
    adapter.cm[0].param.conn = p;
    cr_assert(event(v, &e) && e.id == 1);
    cr_assert_eq(iba_madhdr_attributeid(e.mad), IBA_CM_ID_REP);
    cr_assert(iba_cm_rep_localqpn(d) == 0xabcdef && iba_cm_rep_initdepth(d) == 3 && iba_cm_rep_respres(d) == 4);
    cr_assert_eq(iba_cm_rep_rnrretrcount(d), 6);
    cr_assert(iba_cm_private_place(IBA_CM_ID_REP, &at, &room) && memcmp(e.mad + at, bytes, 12) == 0);
    adapter_event(RDMA_CM_EVENT_REJECTED, id, 28);
    adapter.cm[0].param.conn.private_data = bytes;
    adapter.cm[0].param.conn.private_data_len = 255; /* longer than a REJ can be: it is cut */
    static const uint8_t many[255] = {1, 2, 3, [254] = 9};
    adapter.cm[0].param.conn.private_data = many;
    cr_assert(event(v, &e) && iba_madhdr_attributeid(e.mad) == IBA_CM_ID_REJ && iba_cm_rej_reason(d) == 28);
    cr_assert(iba_cm_private_place(IBA_CM_ID_REJ, &at, &room) && memcmp(e.mad + at, many, room) == 0);
    adapter_event(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    cr_assert(event(v, &e) && iba_madhdr_attributeid(e.mad) == IBA_CM_ID_RTU);
    adapter_event(RDMA_CM_EVENT_DISCONNECTED, id, 0);
    cr_assert(event(v, &e) && iba_madhdr_attributeid(e.mad) == IBA_CM_ID_DREQ);
    adapter_event(RDMA_CM_EVENT_TIMEWAIT_EXIT, id, 0);
    cr_assert(event(v, &e) && iba_madhdr_attributeid(e.mad) == 0);
    adapter_event(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    adapter_event(RDMA_CM_EVENT_TIMEWAIT_EXIT, id, 0);
    cr_assert(event(v, &e) && e.kind == IBA_CME_ESTABLISHED);
    cr_assert(event(v, &e) && e.kind == IBA_CME_TIMEWAIT_EXIT && !event(v, &e), "one after the other");
    adapter_close(v);
}

Test(cm, datagram_services)
{
    static const uint8_t bytes[] = "sidr";
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    struct iba_cm_event e;
    size_t at, room;
    const uint8_t *d = e.mad + IBA_BYTES_madhdr;
    static const struct {
        enum rdma_cm_event_type type;
        int status;
        enum iba_cm_event_kind kind;
    } rows[] = {{RDMA_CM_EVENT_ESTABLISHED, 0, IBA_CME_SIDR_REP},
                {RDMA_CM_EVENT_UNREACHABLE, 2, IBA_CME_SIDR_REP},
                {RDMA_CM_EVENT_UNREACHABLE, -110, IBA_CME_SIDR_UNANSWERED},
                {RDMA_CM_EVENT_REJECTED, 1, IBA_CME_NONE}};

    cr_assert_eq(rdma_create_id(v->cm.channel, &id, NULL, RDMA_PS_UDP), 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_REQUEST, id, 0);
    adapter.cm[0].param.ud = (struct rdma_ud_param){.private_data = bytes, .private_data_len = 4};
    cr_assert(event(v, &e) && e.kind == IBA_CME_SIDR_REQ);
    cr_assert_eq(iba_madhdr_attributeid(e.mad), IBA_CM_ID_SIDR_REQ);
    cr_assert_eq(iba_ip_cm_sport(d + IBA_BYTES_cm_sidr_req), 0xabcd);
    cr_assert(iba_cm_private_place(IBA_CM_ID_SIDR_REQ, &at, &room) && memcmp(e.mad + at + IP_HEADER, bytes, 4) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        adapter_event(rows[i].type, id, rows[i].status);
        adapter.cm[0].param.ud =
            (struct rdma_ud_param){.private_data = bytes, .private_data_len = 4, .qp_num = 0x123456, .qkey = 0x789};
        cr_assert_eq(event(v, &e), rows[i].kind != IBA_CME_NONE, "%zu", i);
        cr_assert_eq(e.kind, rows[i].kind, "%zu", i);
        if (e.kind != IBA_CME_SIDR_REP)
            continue;
        cr_assert(e.reason == rows[i].status && iba_cm_sidr_rep_status(d) == (unsigned)rows[i].status);
        cr_assert(iba_cm_sidr_rep_qpn(d) == 0x123456 && iba_cm_sidr_rep_qkey(d) == 0x789);
        cr_assert_eq(iba_madhdr_attributeid(e.mad), IBA_CM_ID_SIDR_REP);
        cr_assert(iba_cm_private_place(IBA_CM_ID_SIDR_REP, &at, &room) && memcmp(e.mad + at, bytes, 4) == 0);
    }
    adapter_close(v);
}

/* ---- the other verbs ---- */

static struct ibc_cm_call rep_of(uint32_t id)
{
    struct ibc_cm_call c = call_of(IBC_CM_accept, IBA_CM_ID_REP);

    c.id = id;
    iba_cm_rep_set_respres(data(&c), 3);
    iba_cm_rep_set_initdepth(data(&c), 4);
    iba_cm_rep_set_e2eflowctrl(data(&c), 1);
    iba_cm_rep_set_rnrretrcount(data(&c), 6);
    iba_cm_rep_set_srq(data(&c), 1);
    iba_cm_rep_set_localqpn(data(&c), 0x123456);
    put_private(&c, IBA_CM_ID_REP, "yes", 0);
    return c;
}

Test(cm, answers)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    const uint32_t number = requested(v, RDMA_PS_TCP, &id);
    struct ibc_cm_call c = rep_of(number);

    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("accept qpn 123456 resources 3 depth 4 flow 1 retries 0 6 srq 1 data 3:796573\n");
    c = call_of(IBC_CM_reject, IBA_CM_ID_REJ);
    c.id = number;
    iba_cm_rej_set_reason(data(&c), 5);
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED, "librdmacm has one reason");
    iba_cm_rej_set_reason(data(&c), IBA_CM_REJ_CONSUMER);
    put_private(&c, IBA_CM_ID_REJ, "no", 0);
    OK(verbs_cm_call(&v->t, 0, &c));
    SAID("reject data 2:6e6f\n");
    static const struct {
        enum ibc_cm_verb verb;
        uint16_t attribute;
        const char *call, *name;
    } rows[] = {{IBC_CM_confirm, IBA_CM_ID_RTU, "establish\n", "establish"},
                {IBC_CM_established, IBA_CM_ID_RTU, "notify comm_est\n", "rdma_notify"},
                {IBC_CM_disconnect, IBA_CM_ID_DREQ, "disconnect\n", "disconnect"},
                {IBC_CM_abandon, IBA_CM_ID_RTU, "destroy_id\n", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c = call_of(rows[i].verb, rows[i].attribute);
        c.id = number;
        if (rows[i].verb == IBC_CM_confirm || rows[i].verb == IBC_CM_disconnect) {
            put_private(&c, rows[i].attribute, "x", 0);
            cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED, "no private data");
            SAID("");
            c = call_of(rows[i].verb, rows[i].attribute);
            c.id = number;
        }
        if (rows[i].name) {
            adapter.refuses = rows[i].name, adapter.error = EINVAL;
            REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_wrong_state");
            adapter.error = ENOMEM;
            REFUSED(v, verbs_cm_call(&v->t, 0, &c), "errno_12");
            cr_assert_not(v->cm.conn[0].disconnected);
            adapter.refuses = NULL;
            adapter.said[0] = 0;
        }
        OK(verbs_cm_call(&v->t, 0, &c));
        SAID(rows[i].call);
    }
    REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_no_connection");
    const uint32_t other = requested(v, RDMA_PS_TCP, &id);
    cr_assert_neq(other, number, "no number is used twice");
    cr_assert_eq(rdma_create_id(v->cm.channel, &id, NULL, RDMA_PS_TCP), 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_REQUEST, id, 0);
    c = call_of(IBC_CM_abandon, IBA_CM_ID_RTU);
    c.id = other + 1;
    OK(verbs_cm_call(&v->t, 0, &c)); /* its request came before */
    c = call_of(IBC_CM_load, IBA_CM_ID_REJ);
    c.id = other;
    cr_assert_eq(verbs_cm_call(&v->t, 0, &c), IBC_UNSUPPORTED);
    adapter_close(v);
}

/* A message of no known kind has no place for private data, so nothing of it is taken for these. */
Test(cm, a_message_of_no_kind)
{
    static const struct {
        enum ibc_cm_verb verb;
        const char *call;
    } rows[] = {{IBC_CM_confirm, "establish\n"}, {IBC_CM_disconnect, "disconnect\n"}};
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    const uint32_t number = requested(v, RDMA_PS_TCP, &id);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_cm_call c = call_of(rows[i].verb, 0);
        c.id = number;
        memset(c.mad, 0xff, 16); /* also its kind: none has this number */
        OK(verbs_cm_call(&v->t, 0, &c));
        SAID(rows[i].call);
    }
    adapter_close(v);
}

Test(cm, answers_of_datagram_services)
{
    static const struct {
        uint8_t status;
        uint32_t qkey;
        const char *call;
    } rows[] = {{0, 0x01234567, "accept qpn 777 resources 0 depth 0 flow 0 retries 0 0 srq 0 data 2:6f6b\n"},
                {2, 0, "reject data 2:6f6b\n"},
                {0, 0x01234568, NULL},
                {1, 0x01234567, NULL}};
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    const uint32_t number = requested(v, RDMA_PS_UDP, &id);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_cm_call c = call_of(IBC_CM_resolved, IBA_CM_ID_SIDR_REP);
        c.id = number;
        iba_cm_sidr_rep_set_status(data(&c), rows[i].status);
        iba_cm_sidr_rep_set_qkey(data(&c), rows[i].qkey);
        iba_cm_sidr_rep_set_qpn(data(&c), 0x777);
        put_private(&c, IBA_CM_ID_SIDR_REP, "ok", 0);
        cr_assert_eq(verbs_cm_call(&v->t, 0, &c), rows[i].call ? IBC_OK : IBC_UNSUPPORTED, "%zu", i);
        SAID(rows[i].call ? rows[i].call : "");
    }
    adapter_close(v);
}

Test(cm, attributes_that_it_knows)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    const uint32_t number = connected(v, &id);
    struct iba_qp_attr a = {0};

    adapter.is = (struct ibv_qp_attr){.dest_qp_num = 0x55, .timeout = 9};
    OK(verbs_cm_attributes(&v->t, 0, number, IBA_QPS_RTR, &a));
    SAID("init_qp_attr state 2\n");
    cr_assert(a.state == IBA_QPS_RTR && a.dest_qpn == 0x55 && a.timeout == 9);
    adapter.refuses = "init_qp_attr", adapter.error = EINVAL;
    a.dest_qpn = 3;
    REFUSED(v, verbs_cm_attributes(&v->t, 0, number, IBA_QPS_RTR, &a), "errno_22");
    cr_assert_eq(a.dest_qpn, 3);
    REFUSED(v, verbs_cm_attributes(&v->t, 0, number + 1, IBA_QPS_RTR, &a), "cm_no_connection");
    adapter_close(v);
}

/* Requests beyond the last slot are refused; a reset ends all connections. */
Test(cm, too_many_and_none)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct rdma_cm_id *id;
    struct iba_cm_event e;

    for (unsigned i = 0; i < VERBS_CMS; i++)
        (void)requested(v, RDMA_PS_TCP, &id);
    cr_assert_eq(rdma_create_id(v->cm.channel, &id, NULL, RDMA_PS_TCP), 0);
    adapter_event(RDMA_CM_EVENT_CONNECT_REQUEST, id, 0);
    adapter.said[0] = 0;
    cr_assert_not(event(v, &e));
    SAID("ack RDMA_CM_EVENT_CONNECT_REQUEST\ndestroy_id\n");
    adapter_event(RDMA_CM_EVENT_ESTABLISHED, v->cm.conn[3].id, 0);
    adapter.refuses = "destroy_id", adapter.error = EBUSY;
    OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv4, 0));
    cr_assert(strstr(adapter.said, "close_device\nopen_device\n"), "the device keeps what it does not let go");
    adapter.refuses = NULL;
    cr_assert(!v->cm.channel && v->cm.n_event == 0 && !v->cm.conn[3].id);
    adapter.n_cm = 0;
    OK(verbs_cm_open(&v->t, 0));
    (void)requested(v, RDMA_PS_TCP, &id);
    adapter_event(RDMA_CM_EVENT_ESTABLISHED, id, 0);
    adapter.said[0] = 0;
    OK(v->t.ops->reset(&v->t, IBC_LINK_roce2_ipv4, 0));
    SAID("destroy_id\n");
    cr_assert_null(v->cm.channel);
    adapter_close(v);
}

/* As many events as there is room for are kept until the tester asks for them; what comes then is lost, and what comes
 * after they were taken is not. */
Test(cm, more_events_than_are_kept)
{
    struct verbs *v = open_cm(IBC_LINK_roce2_ipv4);
    struct ibc_cm_call c = call_of(IBC_CM_unlisten, IBA_CM_ID_RTU);
    struct rdma_cm_id *id;
    struct iba_cm_event e;
    unsigned n = 0;

    (void)connected(v, &id);
    for (unsigned i = 0; i < VERBS_CM_EVENTS / ADAPTER_QUEUE + 2; i++) {
        for (unsigned k = 0; k < ADAPTER_QUEUE; k++)
            adapter_event(RDMA_CM_EVENT_ESTABLISHED, id, 0);
        REFUSED(v, verbs_cm_call(&v->t, 0, &c), "cm_no_service"); /* takes them from the system */
        adapter.said[0] = 0;
    }
    while (event(v, &e) && n <= 2 * VERBS_CM_EVENTS)
        n++;
    cr_expect_eq(n, VERBS_CM_EVENTS, "%u", n);
    adapter_event(RDMA_CM_EVENT_TIMEWAIT_EXIT, id, 0);
    cr_assert(event(v, &e) && e.kind == IBA_CME_TIMEWAIT_EXIT && !event(v, &e));
    adapter_close(v);
}
