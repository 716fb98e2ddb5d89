/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the messages of a CM go, which queue pair they name, and which of them is sent again after others. */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

static const struct iba_cm_private none;

enum { FAR_LID = 0x1234, FAR_PKEY = 0x8002, UNKNOWN_SERVICE = 5 };

static const struct iba_cm_source far = {
    .av = {.port = 1, .dlid = FAR_LID, .sl = 5, .grh = true, .dgid = {0xfe, 0x80, [15] = 0x77}, .vlan = 0xffff},
    .pkey = FAR_PKEY,
    .port = 1};

static void open_in(bool active, enum iba_cm_state s)
{
    hand_open(&h, IBA_PORT_IB);
    (active ? hand_active : hand_passive)(&h, s);
}

/* Takes the next message that leaves, and checks that it goes to the sender of `far`. */
static void expect_far(unsigned attribute)
{
    struct iba_cm_datagram d;

    cr_assert(iba_cm_poll(CM, &d), "message %#x", attribute);
    cr_expect_eq(iba_madhdr_attributeid(d.mad), attribute, "%#x", iba_madhdr_attributeid(d.mad));
    cr_expect_eq(d.pkey, FAR_PKEY, "message %#x", attribute);
    cr_expect(d.av.dlid == FAR_LID && d.av.sl == 5 && d.av.grh && d.av.dgid[15] == 0x77, "message %#x", attribute);
}

/* ---- paths (MD-82) ---- */

/* An answer to a message of no connection goes back where the message came from, in its partition. */
Test(paths, answers_without_a_connection)
{
    static const struct {
        uint16_t attribute, answer;
    } cases[] = {{IBA_CM_ID_REQ, IBA_CM_ID_REJ},
                 {IBA_CM_ID_REP, IBA_CM_ID_REJ},
                 {IBA_CM_ID_DREQ, IBA_CM_ID_DREP},
                 {IBA_CM_ID_LAP, IBA_CM_ID_APR},
                 {IBA_CM_ID_SIDR_REQ, IBA_CM_ID_SIDR_REP}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_open(&h, IBA_PORT_IB);
        h.id = 0x55667788;
        data = hand_message_of(&h, mad, cases[i].attribute);
        if (cases[i].attribute == IBA_CM_ID_REQ)
            iba_cm_req_set_serviceid(hand_req(&h, mad), UNKNOWN_SERVICE);
        if (cases[i].attribute == IBA_CM_ID_SIDR_REQ)
            iba_cm_sidr_req_set_serviceid(data, UNKNOWN_SERVICE);
        iba_cm_feed(CM, &far, mad, NOW);
        expect_far(cases[i].answer);
        hand_close(&h);
    }
}

/* All messages of a passive end go where the REQ came from; so do those that a timer repeats. */
Test(paths, messages_of_the_passive_end)
{
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    uint8_t mad[IBA_MAD_BYTES];
    struct iba_cm_event e;

    hand_open(&h, IBA_PORT_IB);
    hand_req(&h, mad);
    iba_cm_feed(CM, &far, mad, NOW);
    cr_assert(iba_cm_next_event(CM, &e));
    cr_expect(e.av.dlid == FAR_LID && e.av.sl == 5);
    h.id = e.id;
    cr_assert_eq(iba_cm_delay(CM, h.id, 16, none, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_MRA);
    cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_REP);
    NOW = iba_cm_deadline(CM);
    iba_cm_advance(CM, NOW);
    expect_far(IBA_CM_ID_REP);
    cr_assert_eq(iba_cm_abandon(CM, h.id, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_REJ);
    hand_close(&h);
}

/* All messages of an active end go along the path of its request, in the partition of its REQ. */
Test(paths, messages_of_the_active_end)
{
    struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));

    r.av = far.av;
    r.req.pkey = FAR_PKEY;
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    expect_far(IBA_CM_ID_REQ);
    (void)hand_say(&h, IBA_CM_ID_REP, 0);
    cr_assert_eq(iba_cm_confirm(CM, h.id, none, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_RTU);
    cr_assert_eq(iba_cm_disconnect(CM, h.id, none, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_DREQ);
    hand_close(&h);
}

/* An end that gives up its REQ for that of its peer (MD-86) answers where the peer's REQ came from, and in its
 * partition. */
Test(paths, messages_of_an_end_that_yields)
{
    struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    uint8_t mad[IBA_MAD_BYTES], *data;
    struct iba_qp_attr a;
    uint32_t mask;

    r.peer = true;
    r.req.serviceid = 0x55;
    r.req.transpsvctype = IBA_CM_UC;
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    (void)hand_take(&h);
    data = hand_req(&h, mad);
    iba_cm_req_set_serviceid(data, 0x55);
    iba_cm_feed(CM, &far, mad, NOW);
    cr_assert_eq(hand_state(&h), IBA_CMS_REQ_RCVD);
    cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
    expect_far(IBA_CM_ID_REP);
    cr_expect_eq(iba_cm_deadline(CM), NOW + ((iba_time)4096 << HAND_PEER_TIME) + (4096 << 10),
                 "that of the peer's REQ");
    cr_assert(iba_cm_qp_attr(CM, h.id, IBA_QPS_RTS, &a, &mask));
    cr_expect(mask & IBA_QPA_TIMEOUT, "RC, as the peer's REQ asks");
    hand_close(&h);
}

Test(paths, datagrams_of_services)
{
    struct iba_cm_resolve r = {.service_id = 7, .response = 10, .pkey = FAR_PKEY};
    const struct iba_cm_sidr_rep rep = {.qpn = 0x99, .status = 3, .requestid = 1, .serviceid = 2};
    uint8_t mad[IBA_MAD_BYTES], *data;
    struct iba_cm_event e;

    hand_open(&h, IBA_PORT_IB);
    r.av = far.av;
    cr_assert_eq(iba_cm_resolve(CM, &r, NOW, &h.id), IBA_CM_OK);
    expect_far(IBA_CM_ID_SIDR_REQ);
    data = hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID);
    iba_cm_sidr_req_set_requestid(data, 0x55);
    iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE);
    for (unsigned refused = 0; refused < 2; refused++) {
        iba_cm_feed(CM, &far, mad, NOW);
        cr_assert(iba_cm_next_event(CM, &e));
        cr_expect(e.av.dlid == FAR_LID && e.kind == IBA_CME_SIDR_REQ && e.state == IBA_CMS_SIDR_REQ_RCVD);
        h.id = e.id;
        cr_assert_eq(refused ? iba_cm_abandon(CM, h.id, NOW) : iba_cm_resolved(CM, h.id, &rep, none, NOW), IBA_CM_OK);
        if (refused) {
            expect_far(IBA_CM_ID_SIDR_REP);
            continue;
        }
        (void)hand_take(&h);
        cr_expect_eq(iba_cm_sidr_rep_status(HAND_DATA(&h)), 3);
        cr_expect_eq(iba_cm_sidr_rep_requestid(HAND_DATA(&h)), 0x55, "that of the SIDR_REQ");
        cr_expect_eq(iba_cm_sidr_rep_serviceid(HAND_DATA(&h)), LAB_SERVICE, "that of the SIDR_REQ");
    }
    hand_close(&h);
}

/* ---- events ---- */

/* Each event of a connection has what its user gave: with the request, or with the listener. The listener stands only
 * in the event of the REQ. */
Test(paths, events_have_their_user)
{
    int user;
    const uint8_t messages[] = {IBA_CM_ID_REP, IBA_CM_ID_SAP, IBA_CM_ID_LAP, IBA_CM_ID_DREQ};

    for (unsigned active = 0; active < 2; active++) {
        struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
        const struct iba_cm_rep rep = lab_rep(OUR_QPN);
        r.user = &user;
        CM->cfg.listener[0].what.user = &user;
        if (active) {
            cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
        } else {
            (void)hand_say(&h, IBA_CM_ID_REQ, 0);
            cr_expect(h.e.user == &user && h.e.listener == 0);
            cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
            (void)hand_say(&h, IBA_CM_ID_RTU, 0);
            cr_expect(h.e.user == &user && h.e.listener == IBA_CM_NO_LISTENER);
        }
        for (size_t i = active ? 0 : 1; i < sizeof messages; i++) {
            (void)hand_say(&h, messages[i], 0);
            cr_expect_eq(h.e.user, &user, "message %#x", messages[i]);
            cr_expect_eq(h.e.listener, IBA_CM_NO_LISTENER, "message %#x", messages[i]);
            cr_expect_eq(h.e.state, hand_state(&h), "message %#x", messages[i]);
            cr_expect_eq(iba_madhdr_attributeid(h.e.mad), messages[i]);
            if (messages[i] == IBA_CM_ID_REP)
                cr_assert_eq(iba_cm_confirm(CM, h.id, none, NOW), IBA_CM_OK);
        }
        hand_close(&h);
    }
}

/* The event of a timer has no message, and no path. */
Test(paths, events_of_timers)
{
    open_in(true, IBA_CMS_REQ_SENT);
    const uint32_t id = h.id;
    for (unsigned i = 0; i < 3; i++)
        (void)hand_timer(&h);
    cr_expect(h.e.kind == IBA_CME_UNREACHABLE && h.e.id == id && h.e.reason == 0 && h.e.av.dlid == 0);
    for (size_t i = 0; i < IBA_MAD_BYTES; i++)
        cr_expect_eq(h.e.mad[i], 0);
    hand_close(&h);
}

/* ---- queue pairs ---- */

/* DREQ and LAP name the peer's queue pair (MD-58, MD-59): that of the REP, or of the REQ. An XRC target is in the REP's
 * field of the EE context (QS-49). */
Test(paths, messages_name_the_queue_pair_of_the_peer)
{
    static const struct {
        bool active;
        uint8_t service;
        uint32_t qpn;
    } cases[] = {{false, IBA_CM_RC, HAND_QPN},
                 {true, IBA_CM_RC, 0x111},
                 {true, IBA_CM_UC, 0x111},
                 {true, IBA_CM_EXTENDED, 0x222},
                 {false, IBA_CM_EXTENDED, HAND_QPN}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
        struct iba_cm_rep rep = lab_rep(OUR_QPN);
        uint8_t mad[IBA_MAD_BYTES], *data;
        rep.localeecn = OUR_QPN;
        r.req.transpsvctype = cases[i].service;
        r.req.ext_transport = cases[i].service == IBA_CM_EXTENDED;
        if (cases[i].active) {
            cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
            data = hand_message_of(&h, mad, IBA_CM_ID_REP);
            iba_cm_rep_set_localqpn(data, 0x111);
            iba_cm_rep_set_localeecn(data, 0x222);
            (void)hand_feed(&h, mad);
            cr_assert_eq(iba_cm_confirm(CM, h.id, none, NOW), IBA_CM_OK);
        } else {
            data = hand_req(&h, mad);
            iba_cm_req_set_transpsvctype(data, cases[i].service);
            iba_cm_req_set_ext_transport(data, cases[i].service == IBA_CM_EXTENDED);
            (void)hand_feed(&h, mad);
            cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
            (void)hand_say(&h, IBA_CM_ID_RTU, 0);
        }
        cr_assert_eq(iba_cm_load(CM, h.id, &(struct iba_cm_lap){.alt_remotelid = 9}, none, NOW), IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_LAP);
        cr_expect_eq(iba_cm_lap_remoteqpn(HAND_DATA(&h)), cases[i].qpn, "case %zu", i);
        cr_assert_eq(iba_cm_disconnect(CM, h.id, none, NOW), IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_DREQ);
        cr_expect_eq(iba_cm_dreq_remoteqpn(HAND_DATA(&h)), cases[i].qpn, "case %zu", i);
        hand_close(&h);
    }
}

/* ---- messages that are sent again ---- */

/* A SAP and an SPR may leave while another message waits for its answer; a REJ may refuse a REP. A timer or a duplicate
 * still repeats the message before these (MD-68, MD-71). */
Test(paths, suggestions_are_not_sent_again)
{
    static const struct {
        bool active;
        uint8_t state;
        uint16_t duplicate, again; /* duplicate 0: a timer repeats */
    } cases[] = {{true, IBA_CMS_ESTABLISHED, IBA_CM_ID_REP, IBA_CM_ID_RTU},
                 {true, IBA_CMS_LAP_SENT, 0, IBA_CM_ID_LAP},
                 {false, IBA_CMS_MRA_LAP_SENT, IBA_CM_ID_LAP, IBA_CM_ID_MRA}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned suggested = 0; suggested < 2; suggested++) {
            uint8_t before[IBA_MAD_BYTES];
            open_in(cases[i].active, (enum iba_cm_state)cases[i].state);
            memcpy(before, iba_cm_find(CM, h.id)->sent, sizeof before);
            cr_assert_eq((suggested ? iba_cm_suggested : iba_cm_suggest)(CM, h.id, none, NOW), IBA_CM_OK);
            (void)hand_take(&h);
            const unsigned again = cases[i].duplicate ? hand_say(&h, cases[i].duplicate, 0) : hand_timer(&h);
            cr_expect_eq(again, cases[i].again, "case %zu", i);
            cr_expect_arr_eq(h.mad, before, sizeof before);
            hand_close(&h);
        }
}

Test(paths, a_rejection_is_not_sent_again)
{
    const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 0x77));

    hand_passive(&h, IBA_CMS_ESTABLISHED);
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    (void)hand_take(&h);
    cr_expect_eq(hand_say(&h, IBA_CM_ID_REP, 0), IBA_CM_ID_REJ, "its ID is that of the first connection");
    cr_expect_eq(hand_timer(&h), IBA_CM_ID_REQ);
    hand_close(&h);
}

/* A LAP is the one that was answered only if it has the transaction of our APR. */
Test(paths, the_next_lap)
{
    for (unsigned same = 0; same < 2; same++) {
        uint8_t mad[IBA_MAD_BYTES], *data;
        open_in(true, IBA_CMS_LAP_RCVD);
        cr_assert_eq(iba_cm_loaded(CM, h.id, 3, none, none, NOW), IBA_CM_OK);
        (void)hand_take(&h);
        data = hand_message_of(&h, mad, IBA_CM_ID_LAP);
        iba_madhdr_set_transactionid(mad, same ? HAND_TID : HAND_TID + 1);
        iba_cm_lap_set_remoteqpn(data, OUR_QPN);
        iba_cm_lap_set_alt_remotegid(data, h.lab.end[0].port[0].gid[0]);
        iba_cm_lap_set_alt_locallid(data, 99);
        cr_expect_eq(hand_feed(&h, mad), same ? IBA_CM_ID_APR : 0);
        cr_expect_eq(hand_state(&h), same ? IBA_CMS_ESTABLISHED : IBA_CMS_LAP_RCVD);
        hand_close(&h);
    }
}

/* The same holds on Ethernet: the LAP that was refused is answered with the same bytes, and as a duplicate. */
Test(paths, a_lap_again_over_ethernet)
{
    uint8_t first[IBA_MAD_BYTES];

    hand_open(&h, IBA_PORT_ROCE2);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    cr_expect_eq(hand_say(&h, IBA_CM_ID_LAP, 0), IBA_CM_ID_APR);
    memcpy(first, h.mad, sizeof first);
    cr_expect_eq(hand_say(&h, IBA_CM_ID_LAP, 0), IBA_CM_ID_APR);
    cr_expect_arr_eq(h.mad, first, sizeof first);
    for (unsigned i = 0; i < iba_cm_message_rules.n; i++)
        if (strcmp(iba_cm_message_rules.row[i].name, "lap_again_apr") == 0)
            cr_expect_eq(CM->hits[IBA_CM_TABLE_MESSAGES][i], 1);
    hand_close(&h);
}

/* A LAP whose transaction has the number of our REQ's is no duplicate: no APR was sent. */
Test(paths, a_lap_with_the_number_of_the_req)
{
    open_in(true, IBA_CMS_ESTABLISHED);
    ((struct iba_cm_conn *)iba_cm_find(CM, h.id))->tid = 0;
    iba_madhdr_set_transactionid(((struct iba_cm_conn *)iba_cm_find(CM, h.id))->sent, HAND_TID);
    cr_expect_eq(hand_say(&h, IBA_CM_ID_LAP, 0), 0);
    cr_expect_eq(hand_state(&h), IBA_CMS_LAP_RCVD);
    hand_close(&h);
}
