/* SPDX-License-Identifier: BSD-2-Clause */
/* Which requests a CM takes: each field of a REQ that it checks, what the listeners ask for, two ends that connect to
 * each other, and datagrams that are no messages of a CM. */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

enum { IP_SERVICE = 0x1060007, BLOCKED_SL = 9, OWN_LID = 10, PEER_LID = 11, FOREIGN_LID = 99 };

static uint32_t listen_to(struct iba_cm_listen l)
{
    uint32_t number;

    cr_assert_eq(iba_cm_listen(CM, &l, &number), IBA_CM_OK);
    return number;
}

/* ---- fields of a REQ ---- */

enum { ON_IB = 1, ON_ROCE = 2, ON_BOTH = ON_IB | ON_ROCE, CHANGES = 4, RC = 0, UC = 1, RD = 2, EXTENDED = 3, XRC = 1 };

/* A REQ that differs in some fields from a correct one. Ports of these kinds refuse it for that reason, the others take
 * it; reason 0: all take it. */
struct req_case {
    const char *what;
    uint8_t reason, kinds;
    struct {
        uint16_t at, bits;
        uint64_t value;
    } field[CHANGES];
    bool own_gid; /* the alternate path leads to the GID of the port */
};
#define SET(name, value)                                                                                               \
    {                                                                                                                  \
        IBA_AT_cm_req_##name, IBA_W_cm_req_##name, (value)                                                             \
    }
#define SET_IP(name, value)                                                                                            \
    {                                                                                                                  \
        8 * IBA_BYTES_cm_req + IBA_AT_ip_cm_##name, IBA_W_ip_cm_##name, (value)                                        \
    }
#define ALTERNATE(local, remote, subnet)                                                                               \
    SET(alt_locallid, local), SET(alt_remotelid, remote), SET(alt_subnetlocal, subnet)
/* The last byte of the path's local GID, which is not zero then. */
#define ALTERNATE_GID                                                                                                  \
    {                                                                                                                  \
        IBA_AT_cm_req_alt_localgid + 120, 8, 0x99                                                                      \
    }

static const struct req_case req_cases[] = {
    {"correct", 0, ON_BOTH, {{0, 0, 0}}, false},
    {"UC", 0, ON_BOTH, {SET(transpsvctype, UC)}, false},
    {"RD", 9, ON_BOTH, {SET(transpsvctype, RD)}, false},
    {"extended, of no kind", 9, ON_BOTH, {SET(transpsvctype, EXTENDED)}, false},
    {"XRC", 0, ON_BOTH, {SET(transpsvctype, EXTENDED), SET(ext_transport, XRC)}, false},
    {"extended, of another kind", 9, ON_BOTH, {SET(transpsvctype, EXTENDED), SET(ext_transport, XRC + 1)}, false},
    {"RC, whatever the extension", 0, ON_BOTH, {SET(ext_transport, XRC + 1)}, false},
    {"another GID", 12, ON_BOTH, {{IBA_AT_cm_req_prim_remotegid + 120, 8, 0x99}}, false},
    {"another LID", 13, ON_IB, {SET(prim_remotelid, FOREIGN_LID), SET(prim_subnetlocal, 1)}, false},
    {"a LID of another subnet", 0, ON_BOTH, {SET(prim_remotelid, FOREIGN_LID), SET(prim_subnetlocal, 0)}, false},
    {"an SL without VL", 14, ON_IB, {SET(prim_sl, BLOCKED_SL)}, false},
    {"an SL with a VL", 0, ON_BOTH, {SET(prim_sl, BLOCKED_SL - 1)}, false},
    {"alternate path", 0, ON_BOTH, {ALTERNATE(PEER_LID, OWN_LID, 1)}, true},
    {"alternate path to another GID", 18, ON_BOTH, {ALTERNATE(PEER_LID, OWN_LID, 1)}, false},
    {"alternate path from a GID", 0, ON_BOTH, {ALTERNATE(0, OWN_LID, 1), ALTERNATE_GID}, true},
    {"the same to another GID", 18, ON_BOTH, {ALTERNATE(0, OWN_LID, 1), ALTERNATE_GID}, false},
    {"alternate path to another LID", 19, ON_IB, {ALTERNATE(PEER_LID, FOREIGN_LID, 1)}, true},
    {"alternate path to another subnet", 0, ON_BOTH, {ALTERNATE(PEER_LID, FOREIGN_LID, 0)}, true},
    {"no alternate path", 0, ON_BOTH, {ALTERNATE(0, FOREIGN_LID, 1)}, false},
    {"no MTU", 26, ON_BOTH, {SET(pppmtu, 0)}, false},
    {"the least MTU", 0, ON_BOTH, {SET(pppmtu, IBA_MTU_256)}, false},
    {"the MTU of the port", 0, ON_BOTH, {SET(pppmtu, IBA_MTU_1024)}, false},
    {"more than the MTU of the port", 26, ON_BOTH, {SET(pppmtu, IBA_MTU_2048)}, false},
    {"IPv4", 0, ON_BOTH, {SET(serviceid, IP_SERVICE), SET_IP(ipv, 4)}, false},
    {"IPv6", 0, ON_BOTH, {SET(serviceid, IP_SERVICE), SET_IP(ipv, 6)}, false},
    {"no version of IP", 28, ON_BOTH, {SET(serviceid, IP_SERVICE)}, false},
    {"another version of IP", 28, ON_BOTH, {SET(serviceid, IP_SERVICE), SET_IP(ipv, 5)}, false},
    {"another IPv4 header", 28, ON_BOTH, {SET(serviceid, IP_SERVICE), SET_IP(ipv, 4), SET_IP(majv, 1)}, false},
    {"another IPv6 header", 28, ON_BOTH, {SET(serviceid, IP_SERVICE), SET_IP(ipv, 6), SET_IP(majv, 1)}, false},
    {"the next service", 8, ON_BOTH, {SET(serviceid, LAB_SERVICE + 1)}, false},
    {"a service with another first bit", 8, ON_BOTH, {SET(serviceid, LAB_SERVICE ^ UINT64_C(1) << 63)}, false},
};

static void one_req(const struct req_case *c, bool ib)
{
    const bool refused = c->reason && (c->kinds & (ib ? ON_IB : ON_ROCE));
    uint8_t mad[IBA_MAD_BYTES], *data;

    hand_open(&h, ib ? IBA_PORT_IB : IBA_PORT_ROCE2);
    h.lab.end[0].port[0].sl2vl[BLOCKED_SL] = 15;
    listen_to((struct iba_cm_listen){.service_id = IP_SERVICE, .service_mask = UINT64_MAX});
    data = hand_req(&h, mad);
    for (unsigned i = 0; i < CHANGES; i++)
        if (c->field[i].bits)
            iba_bits_put(data, c->field[i].at, c->field[i].bits, c->field[i].value);
    if (c->own_gid)
        iba_cm_req_set_alt_remotegid(data, iba_cm_req_prim_remotegid(data));
    cr_expect_eq(hand_feed(&h, mad), refused ? IBA_CM_ID_REJ : 0, "%s, %s", c->what, ib ? "IB" : "RoCE");
    if (refused)
        cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), c->reason, "%s", c->what);
    cr_expect_eq(h.e.kind, refused ? IBA_CME_NONE : IBA_CME_REQ, "%s, %s", c->what, ib ? "IB" : "RoCE");
    hand_close(&h);
}

Test(requests, each_field_that_is_checked)
{
    for (size_t i = 0; i < sizeof req_cases / sizeof *req_cases; i++) {
        one_req(&req_cases[i], true);
        one_req(&req_cases[i], false);
    }
}

/* ---- listeners ---- */

/* Feeds a request for the service. Returns the listener that gets it; IBA_CM_NO_LISTENER: nobody does. */
static uint32_t who_gets(bool datagrams, uint64_t service, unsigned changed_byte)
{
    static uint32_t id;
    uint8_t mad[IBA_MAD_BYTES], *at;

    id++;
    if (datagrams) {
        at = hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID);
        iba_cm_sidr_req_set_serviceid(at, service);
        iba_cm_sidr_req_set_requestid(at, id);
        at += IBA_BYTES_cm_sidr_req;
    } else {
        at = hand_req(&h, mad);
        iba_cm_req_set_serviceid(at, service);
        iba_cm_req_set_localcommid(at, id);
        iba_cm_req_set_localqpn(at, id);
        at += IBA_BYTES_cm_req;
    }
    for (unsigned i = 0; i < IBA_CM_REQ_BYTES; i++)
        at[i] = (uint8_t)(i + 1 + (i == changed_byte));
    (void)hand_feed(&h, mad);
    if (h.e.kind == IBA_CME_NONE)
        return IBA_CM_NO_LISTENER;
    cr_expect_eq(h.e.kind, datagrams ? IBA_CME_SIDR_REQ : IBA_CME_REQ);
    cr_assert_eq(iba_cm_abandon(CM, h.e.id, NOW), IBA_CM_OK);
    return h.e.listener;
}

/* MD-55, MD-60: a listener gets a request if the service ID agrees in the bits of its mask, and the private data in the
 * bits of their mask. */
Test(requests, a_listener_compares_private_data)
{
    enum { AT = 3, N = 2, NOT_CHANGED = 255 };
    const struct iba_cm_listen l = {.service_id = 0x77,
                                    .service_mask = 0xff,
                                    .compare_at = AT,
                                    .compare_n = N,
                                    .compare = {AT + 1, AT + 2 + 0x80},
                                    .compare_mask = {0xff, 0x7f}};

    for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
        struct iba_cm_listen one = l;
        hand_open(&h, IBA_PORT_IB);
        one.datagrams = datagrams;
        const uint32_t number = listen_to(one);
        cr_expect_eq(who_gets(datagrams, 0x77, NOT_CHANGED), number, "bit 7 of the second byte is not compared");
        cr_expect_eq(who_gets(datagrams, 0xab77, NOT_CHANGED), number, "nor are other bits of the service");
        cr_expect_eq(who_gets(datagrams, 0x76, NOT_CHANGED), IBA_CM_NO_LISTENER);
        cr_expect_eq(who_gets(!datagrams, 0x77, NOT_CHANGED), IBA_CM_NO_LISTENER, "requests of the other kind");
        for (unsigned i = 0; i < IBA_CM_REQ_BYTES; i++)
            cr_expect_eq(who_gets(datagrams, 0x77, i), i >= AT && i < AT + N ? IBA_CM_NO_LISTENER : number, "byte %u",
                         i);
        hand_close(&h);
    }
}

/* The private data of a REQ end where a listener may still compare: the last byte counts. */
Test(requests, a_listener_compares_the_last_byte)
{
    for (unsigned n = 1; n <= 2; n++) {
        struct iba_cm_listen l = {.service_id = 0x77, .service_mask = 0xff, .compare_n = (uint8_t)n};
        uint32_t number;
        hand_open(&h, IBA_PORT_IB);
        l.compare_at = (uint8_t)(IBA_CM_REQ_BYTES - n);
        l.compare[n - 1] = IBA_CM_REQ_BYTES;
        l.compare_mask[n - 1] = 0xff;
        number = listen_to(l);
        cr_expect_eq(who_gets(false, 0x77, 0), number);
        cr_expect_eq(who_gets(false, 0x77, IBA_CM_REQ_BYTES - 1), IBA_CM_NO_LISTENER);
        hand_close(&h);
    }
}

/* Of several listeners whom a request fits, the one that asks for most gets it, whichever began first. */
Test(requests, the_closest_listener)
{
    static const struct iba_cm_listen asks[] = {
        {.service_id = 0x10, .service_mask = 0xf0},
        {.service_id = 0x15, .service_mask = 0xff},
        {.service_id = 0x15, .service_mask = 0xff, .compare_n = 1, .compare = {1}, .compare_mask = {0xff}},
    };

    for (unsigned backwards = 0; backwards < 2; backwards++) {
        uint32_t number[3];
        hand_open(&h, IBA_PORT_IB);
        cr_assert_eq(iba_cm_unlisten(CM, 0, NOW), IBA_CM_OK);
        for (unsigned i = 0; i < 3; i++) {
            const unsigned k = backwards ? 2 - i : i;
            number[k] = listen_to(asks[k]);
        }
        cr_expect_eq(who_gets(false, 0x15, 9), number[2], "the one that compares private data");
        cr_expect_eq(who_gets(false, 0x15, 0), number[1], "the one with the larger mask");
        cr_expect_eq(who_gets(false, 0x16, 9), number[0]);
        hand_close(&h);
    }
}

/* The event has what the listener's user gave, and the path back to the sender. The next one who may wait takes the
 * place of one that was answered. */
Test(requests, the_event_is_about_its_listener)
{
    int user;
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t number;

    hand_open(&h, IBA_PORT_IB);
    number =
        listen_to((struct iba_cm_listen){.service_id = 0x77, .service_mask = UINT64_MAX, .backlog = 1, .user = &user});
    for (unsigned i = 1; i <= 3; i++) {
        uint8_t *data = hand_req(&h, mad);
        iba_cm_req_set_serviceid(data, 0x77);
        iba_cm_req_set_localcommid(data, i);
        iba_cm_req_set_localqpn(data, i);
        cr_expect_eq(hand_feed(&h, mad), i == 2 ? IBA_CM_ID_REJ : 0, "REQ %u", i);
        if (i == 2) {
            cr_assert_eq(iba_cm_delay(CM, h.id, 16, LAB_NOTHING, NOW), IBA_CM_OK);
            cr_expect_eq(CM->cfg.listener[number].waiting, 1, "a delayed one still waits");
            cr_assert_eq(iba_cm_reject(CM, h.id, 28, LAB_NOTHING, LAB_NOTHING, NOW), IBA_CM_OK);
            (void)hand_take(&h);
            cr_expect_eq(CM->cfg.listener[number].waiting, 0);
            continue;
        }
        cr_expect(h.e.listener == number && h.e.user == &user && h.e.state == IBA_CMS_REQ_RCVD);
        cr_expect_eq(h.e.av.dlid, PEER_LID);
        cr_expect_arr_eq(h.e.mad, mad, sizeof mad);
        cr_expect_eq(CM->cfg.listener[number].waiting, 1);
    }
    hand_close(&h);
}

/* ---- ends that connect to each other (MD-86) ---- */

/* Our end asks for the service with queue pair OUR_QPN and GUID 0xca0000; then a REQ for the same service comes. */
static void meet_in(bool delayed, bool peer, uint64_t guid, uint32_t qpn, uint64_t service, bool yields)
{
    struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    uint8_t mad[IBA_MAD_BYTES], *data;

    r.peer = peer;
    r.req.serviceid = 0x55;
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_REQ);
    if (delayed)
        (void)hand_say(&h, IBA_CM_ID_MRA, IBA_CM_OF_REQ);
    const enum iba_cm_state before = hand_state(&h);
    data = hand_req(&h, mad);
    iba_cm_req_set_localcaguid(data, guid);
    iba_cm_req_set_localqpn(data, qpn);
    iba_cm_req_set_serviceid(data, service);
    const unsigned answer = hand_feed(&h, mad);
    cr_expect_eq(answer, peer && service == 0x55 ? 0 : IBA_CM_ID_REJ);
    cr_expect_eq(hand_state(&h), yields ? IBA_CMS_REQ_RCVD : before, "GUID %#llx, queue pair %u",
                 (unsigned long long)guid, qpn);
    cr_expect_eq(h.e.kind, yields ? IBA_CME_REQ : IBA_CME_NONE);
    if (yields) {
        cr_expect_eq(h.e.listener, IBA_CM_NO_LISTENER);
        cr_assert_eq(iba_cm_accept(CM, h.id, &rep, LAB_NOTHING, NOW), IBA_CM_OK);
        cr_expect_eq(hand_take(&h), IBA_CM_ID_REP);
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID, "that of the peer's REQ");
        cr_expect_eq(iba_cm_rep_remotecommid(HAND_DATA(&h)), HAND_ID);
        cr_expect_eq(iba_cm_rep_localcommid(HAND_DATA(&h)), h.id);
    }
    hand_close(&h);
}

/* The same holds if the peer has asked for more time with an MRA. */
static void meet(bool peer, uint64_t guid, uint32_t qpn, uint64_t service, bool yields)
{
    meet_in(false, peer, guid, qpn, service, yields);
    meet_in(true, peer, guid, qpn, service, yields);
}

Test(requests, two_ends_that_connect_to_each_other)
{
    meet(true, 0xc9ffff, HAND_QPN, 0x55, false);
    meet(true, 0xca0001, 1, 0x55, true);
    meet(true, 0xca0000, OUR_QPN - 1, 0x55, false);
    meet(true, 0xca0000, OUR_QPN, 0x55, true);
    meet(true, 0xca0000, OUR_QPN + 1, 0x55, true);
    meet(true, 0xca0001, 1, 0x56, false);
    meet(false, 0xca0001, 1, 0x55, false);
}

/* ---- exchanges of datagrams ---- */

/* A SIDR_REQ of the same request ID is the same exchange only if it came from the same sender: by LID, GID and MAC. */
Test(requests, senders_of_datagrams)
{
    enum { SENDERS = 16 };
    struct iba_av av[SENDERS];
    uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID);
    struct iba_cm_event e;

    hand_open(&h, IBA_PORT_IB);
    iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE);
    iba_cm_sidr_req_set_requestid(data, 0x55);
    for (unsigned i = 0; i < SENDERS; i++)
        av[i] = (struct iba_av){.port = 1, .dlid = 0x11, .vlan = 0xffff};
    av[1].dlid = 0x12;
    av[2].dlid = 0x8011;
    av[3].dgid[7] = 1;
    av[4].dgid[14] = 1;
    av[5].dmac = UINT64_C(0x020000000000);
    for (unsigned i = 6; i < SENDERS; i++) /* pairs */
        av[i].dlid = (uint16_t)(0x21 + i / 2 * 2);
    av[7].dgid[15] = 1;
    av[9].dgid[0] = 0x80;
    av[11].dgid[8] = 0x80;
    av[12].dgid[7] = av[12].dgid[15] = 1; /* node 1 of subnet 1, node 2 of subnet 2 */
    av[13].dgid[7] = av[13].dgid[15] = 2;
    av[14].dgid[7] = av[15].dgid[7] = 4, av[15].dmac = 4;
    for (unsigned again = 0; again < 2; again++)
        for (unsigned i = 0; i < SENDERS; i++) {
            const struct iba_cm_source from = {.av = av[i], .pkey = 0x8001, .port = 1};
            iba_cm_feed(CM, &from, mad, NOW);
            cr_expect_eq(iba_cm_next_event(CM, &e), !again, "sender %u", i);
            cr_expect_eq(CM->n_used, again ? SENDERS : i + 1);
        }
    hand_close(&h);
}

/* A SIDR_REQ has no queue pair: a REQ with queue pair 1 is of another peer, even if its GUID is the number that the CM
 * gives to the sender of the SIDR_REQ. */
Test(requests, an_exchange_of_datagrams_has_no_queue_pair)
{
    const struct iba_cm_source from = {.av = {.port = 1, .dlid = 0x11, .vlan = 0xffff}, .pkey = 0xffff, .port = 1};
    uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID);

    hand_open(&h, IBA_PORT_IB);
    iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE);
    iba_cm_sidr_req_set_requestid(data, 0x55);
    iba_cm_feed(CM, &from, mad, NOW);
    (void)hand_take(&h);
    cr_assert_eq(h.e.kind, IBA_CME_SIDR_REQ);
    data = hand_req(&h, mad);
    iba_cm_req_set_localcaguid(data, UINT64_C(0x0011000000000001));
    iba_cm_req_set_localqpn(data, 1);
    cr_expect_eq(hand_feed(&h, mad), 0);
    cr_expect_eq(h.e.kind, IBA_CME_REQ);
    hand_close(&h);
}

/* Of the time that a SIDR_REQ gives for its answer only the five bits of the code count. */
Test(requests, a_question_about_a_service)
{
    int user;
    struct iba_cm_resolve r = {.service_id = 0x99, .pkey = 0x8001, .response = 32 + 12, .retries = 2, .user = &user};
    struct iba_cm_datagram d;
    uint8_t mad[IBA_MAD_BYTES];

    hand_open(&h, IBA_PORT_IB);
    r.av = h.lab.end[0].to;
    cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &h.id), IBA_CM_OK);
    cr_assert(iba_cm_poll(CM, &d));
    cr_expect(d.pkey == 0x8001 && d.av.dlid == PEER_LID);
    cr_expect_eq(iba_cm_deadline(CM), NOW + (4096 << 12) + 4096);
    for (unsigned tries = 0; tries < 2; tries++)
        cr_expect_eq(hand_timer(&h), IBA_CM_ID_SIDR_REQ);
    iba_cm_sidr_rep_set_requestid(hand_message(mad, IBA_CM_ID_SIDR_REP, 1), h.id);
    iba_cm_sidr_rep_set_status(mad + IBA_BYTES_madhdr, 3);
    cr_expect_eq(hand_feed(&h, mad), 0);
    cr_expect(h.e.kind == IBA_CME_SIDR_REP && h.e.user == &user && h.e.reason == 3);
    hand_close(&h);
}

/* ---- datagrams that are no messages ---- */

/* MD-54: a CM takes datagrams of class 7, version 2, method 3 (ComMgtSend), with the attribute of a message. Only
 * requests are also answered if their version is another one. */
Test(requests, datagrams_of_others)
{
    enum { BASE, CLASS, VERSION, METHOD, ATTRIBUTE_HIGH = 16, ATTRIBUTE_LOW };
    static const struct {
        uint16_t attribute;
        uint8_t at, value;
        bool taken;
    } cases[] = {
        {IBA_CM_ID_REQ, BASE, 1, true},
        {IBA_CM_ID_REQ, BASE, 2, false},
        {IBA_CM_ID_REQ, BASE, 0, false},
        {IBA_CM_ID_REQ, CLASS, 6, false},
        {IBA_CM_ID_REQ, CLASS, 8, false},
        {IBA_CM_ID_REQ, VERSION, 1, true},
        {IBA_CM_ID_REQ, VERSION, 3, true},
        {IBA_CM_ID_SIDR_REQ, VERSION, 1, true},
        {IBA_CM_ID_DREQ, VERSION, 2, true},
        {IBA_CM_ID_DREQ, VERSION, 1, false},
        {IBA_CM_ID_SIDR_REP, VERSION, 1, false},
        {IBA_CM_ID_MRA, VERSION, 3, false},
        {IBA_CM_ID_REQ, METHOD, 2, false},
        {IBA_CM_ID_REQ, METHOD, 4, false},
        {IBA_CM_ID_REQ, ATTRIBUTE_LOW, 0x0f, false},
        {IBA_CM_ID_SPR, ATTRIBUTE_LOW, 0x1c, true},
        {IBA_CM_ID_SPR, ATTRIBUTE_LOW, 0x1d, false},
        {IBA_CM_ID_REQ, ATTRIBUTE_HIGH, 1, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t mad[IBA_MAD_BYTES];
        hand_open(&h, IBA_PORT_IB);
        if (cases[i].attribute == IBA_CM_ID_REQ)
            (void)hand_req(&h, mad);
        else
            (void)hand_message(mad, cases[i].attribute, HAND_TID);
        mad[cases[i].at] = cases[i].value;
        (void)hand_feed(&h, mad);
        cr_expect_eq(CM->foreign, !cases[i].taken, "case %zu", i);
        cr_expect_eq(CM->overrun, 0);
        hand_close(&h);
    }
}

/* ---- two faults at once ---- */

/* A REQ with two faults is refused for the one that the CM looks for first; the faults are in this order. */
Test(requests, the_first_of_two_faults)
{
    static const struct req_case faults[] = {
        {"stale", 10, ON_BOTH, {SET(localqpn, 0x77)}, false},
        {"service", 8, ON_BOTH, {SET(serviceid, 5)}, false},
        {"RD", 9, ON_BOTH, {SET(transpsvctype, RD)}, false},
        {"GID", 12, ON_BOTH, {{IBA_AT_cm_req_prim_remotegid + 120, 8, 0x99}}, false},
        {"LID", 13, ON_IB, {SET(prim_remotelid, FOREIGN_LID)}, false},
        {"SL", 14, ON_IB, {SET(prim_sl, BLOCKED_SL)}, false},
        {"alternate GID", 18, ON_BOTH, {SET(alt_locallid, PEER_LID)}, false},
        {"alternate LID", 19, ON_IB, {ALTERNATE(PEER_LID, FOREIGN_LID, 1)}, true},
        {"MTU", 26, ON_BOTH, {SET(pppmtu, IBA_MTU_2048)}, false},
        {"IP", 28, ON_BOTH, {SET(serviceid, IP_SERVICE)}, false},
        {"backlog", 3, ON_BOTH, {{0, 0, 0}}, false},
    };
    enum { FAULTS = sizeof faults / sizeof *faults, BUSY = FAULTS - 1 };

    for (unsigned i = 0; i + 1 < FAULTS; i++) {
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_open(&h, IBA_PORT_IB);
        h.lab.end[0].port[0].sl2vl[BLOCKED_SL] = 15;
        listen_to((struct iba_cm_listen){.service_id = IP_SERVICE, .service_mask = UINT64_MAX, .backlog = 1});
        data = hand_req(&h, mad); /* of the queue pair whose next REQ is stale; it also fills the backlog */
        iba_cm_req_set_localqpn(data, 0x77);
        iba_cm_req_set_localcommid(data, 0x77);
        iba_cm_req_set_serviceid(data, IP_SERVICE);
        iba_bits_put(data, 8 * IBA_BYTES_cm_req + IBA_AT_ip_cm_ipv, 4, 4);
        cr_assert_eq(hand_feed(&h, mad), 0);
        data = hand_req(&h, mad);
        for (unsigned k = i; k <= i + 1; k++)
            for (unsigned f = 0; f < CHANGES; f++)
                if (faults[k].field[f].bits)
                    iba_bits_put(data, faults[k].field[f].at, faults[k].field[f].bits, faults[k].field[f].value);
        if (faults[i].own_gid)
            iba_cm_req_set_alt_remotegid(data, iba_cm_req_prim_remotegid(data));
        cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_REJ);
        cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), faults[i].reason, "%s and %s: %u", faults[i].what,
                     faults[i + 1].what, iba_cm_rej_reason(HAND_DATA(&h)));
        hand_close(&h);
    }
}

/* ---- suggested paths (MD-79) ---- */

struct lap_case {
    const char *what;
    uint8_t status; /* of the APR; 0: the LAP waits for the caller */
    bool other_qp, other_gid, other_subnet, roce;
    uint16_t local, remote; /* LIDs, as the peer sees the path */
};

static void one_lap(const struct lap_case *c, bool active)
{
    uint8_t mad[IBA_MAD_BYTES], gid[16], *data;

    hand_open(&h, c->roce ? IBA_PORT_ROCE2 : IBA_PORT_IB);
    (active ? hand_active : hand_passive)(&h, IBA_CMS_ESTABLISHED);
    if (!c->roce)
        h.lab.end[0].port[0].lmc = 1; /* LIDs 10 and 11 */
    data = hand_message_of(&h, mad, IBA_CM_ID_LAP);
    memcpy(gid, h.lab.end[0].port[0].gid[0], sizeof gid);
    gid[15] ^= (uint8_t)(c->other_gid << 7);
    iba_cm_lap_set_remoteqpn(data, OUR_QPN - c->other_qp);
    iba_cm_lap_set_alt_remotegid(data, gid);
    iba_cm_lap_set_alt_locallid(data, c->local);
    iba_cm_lap_set_alt_remotelid(data, c->remote);
    iba_cm_lap_set_alt_subnetlocal(data, !c->other_subnet);
    cr_expect_eq(hand_feed(&h, mad), c->status ? IBA_CM_ID_APR : 0, "%s", c->what);
    if (c->status)
        cr_expect_eq(iba_cm_apr_status(HAND_DATA(&h)), c->status, "%s: %u", c->what, iba_cm_apr_status(HAND_DATA(&h)));
    cr_expect_eq(iba_madhdr_transactionid(h.mad), c->status ? HAND_TID : 0);
    cr_expect_eq(hand_state(&h), c->status ? IBA_CMS_ESTABLISHED : IBA_CMS_LAP_RCVD, "%s", c->what);
    hand_close(&h);
}

Test(requests, suggested_paths)
{
    static const struct lap_case cases[] = {
        {"another path", 0, false, false, false, false, FOREIGN_LID, OWN_LID},
        {"another LID of the peer", 0, false, false, false, false, PEER_LID + 1, OWN_LID},
        {"another LID of this port", 0, false, false, false, false, PEER_LID, OWN_LID + 1},
        {"the same path", 5, false, false, false, false, PEER_LID, OWN_LID},
        {"queue pair", 6, true, false, false, false, FOREIGN_LID, OWN_LID},
        {"LID", 7, false, false, false, false, PEER_LID, FOREIGN_LID},
        {"LID of another subnet", 0, false, false, true, false, PEER_LID, FOREIGN_LID},
        {"GID", 8, false, true, false, false, FOREIGN_LID, OWN_LID},
        {"RoCE", 2, false, false, false, true, FOREIGN_LID, 0},
        {"RoCE and queue pair", 2, true, false, false, true, FOREIGN_LID, 0},
        {"queue pair and LID", 6, true, false, false, false, PEER_LID, FOREIGN_LID},
        {"LID and GID", 7, false, true, false, false, PEER_LID, FOREIGN_LID},
        {"GID and the same path", 8, false, true, false, false, PEER_LID, OWN_LID},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one_lap(&cases[i], false);
        one_lap(&cases[i], true);
    }
}

/* Whether a LAP is of RoCE depends on the port that it comes by. */
Test(requests, a_suggested_path_by_each_port)
{
    static const uint8_t kinds[] = {IBA_PORT_IB, IBA_PORT_ROCE2, IBA_PORT_ROCE2, IBA_PORT_IB};

    for (uint8_t by = 1; by <= 2; by++) {
        struct iba_port port[4];
        struct iba_cm_source from = {.pkey = 0xffff, .port = by};
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, IBA_CMS_ESTABLISHED);
        for (unsigned i = 0; i < 4; i++)
            port[i] = h.lab.end[0].port[0], port[i].kind = kinds[i];
        CM->cfg.port = port;
        CM->cfg.n_port = 2;
        data = hand_message_of(&h, mad, IBA_CM_ID_LAP);
        iba_cm_lap_set_remoteqpn(data, OUR_QPN);
        iba_cm_lap_set_alt_remotegid(data, port[0].gid[0]);
        iba_cm_lap_set_alt_locallid(data, FOREIGN_LID);
        iba_cm_lap_set_alt_remotelid(data, OWN_LID);
        from.av = h.lab.end[0].to;
        iba_cm_feed(CM, &from, mad, NOW);
        cr_expect_eq(hand_take(&h), by == 1 ? 0 : IBA_CM_ID_APR, "port %u", by);
        hand_close(&h);
    }
}

/* A DREQ for another queue pair changes nothing, whatever the connection waits for (MD-76). */
Test(requests, a_dreq_for_another_queue_pair)
{
    static const uint8_t states[] = {IBA_CMS_REP_SENT,     IBA_CMS_MRA_REP_RCVD, IBA_CMS_ESTABLISHED,
                                     IBA_CMS_LAP_SENT,     IBA_CMS_MRA_LAP_RCVD, IBA_CMS_LAP_RCVD,
                                     IBA_CMS_MRA_LAP_SENT, IBA_CMS_DREQ_SENT,    IBA_CMS_TIMEWAIT};

    for (size_t i = 0; i < sizeof states; i++) {
        uint8_t mad[IBA_MAD_BYTES];
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, (enum iba_cm_state)states[i]);
        const struct iba_cm_conn before = *iba_cm_find(CM, h.id);
        iba_cm_dreq_set_remoteqpn(hand_message_of(&h, mad, IBA_CM_ID_DREQ), OUR_QPN + 1);
        iba_madhdr_set_transactionid(mad, HAND_TID + 1);
        cr_expect_eq(hand_feed(&h, mad), 0);
        cr_expect_eq(h.e.kind, IBA_CME_NONE);
        cr_expect_eq(memcmp(&before, iba_cm_find(CM, h.id), sizeof before), 0, "%s",
                     iba_cm_state_name((enum iba_cm_state)states[i]));
        cr_expect_eq(CM->unexpected, 0);
        hand_close(&h);
    }
}
