/* SPDX-License-Identifier: BSD-2-Clause */
/* The answers of a CM, field by field: which message a REJ or MRA answers, the IDs of both ends,
 * transactions, and the information that the reason of a REJ asks for (MD-56, MD-74). */
#include <criterion/criterion.h>
#include <string.h>
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

static const struct iba_cm_private none;

static void open_in(bool active, enum iba_cm_state s)
{
    hand_open(&h, IBA_PORT_IB);
    (active ? hand_active : hand_passive)(&h, s);
}

/* ---- rejections ---- */

enum way { REJECT, ABANDON, TIMER };
enum { GUID_BYTES = 8, OF_REQ = 0, OF_REP = 1, OF_OTHER = 2 };

/* The verb or the last timer of a state ends the connection with a REJ. The peer of a REQ has not seen the ID of our
 * end until a REP or an MRA gave it. The peer of our own REQ has no ID, since it has not named one. */
struct rej_case {
    bool active;
    uint8_t state, way, reason, message;
    bool own_id, peer_id;
    uint8_t info;
};

static void one_rej(const struct rej_case *c)
{
    uint32_t id;
    unsigned sent = 0;

    open_in(c->active, (enum iba_cm_state)c->state);
    id = h.id;
    if (c->way == TIMER)
        for (unsigned i = 0; i < 3; i++)
            sent = hand_timer(&h);
    else
        cr_assert_eq(c->way == ABANDON ? iba_cm_abandon(CM, id, NOW)
                                       : iba_cm_reject(CM, id, c->reason, none, none, NOW),
                     IBA_CM_OK);
    if (c->way != TIMER)
        sent = hand_take(&h);
    cr_assert_eq(sent, IBA_CM_ID_REJ, "%s", iba_cm_state_name((enum iba_cm_state)c->state));
    cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), c->reason);
    cr_expect_eq(iba_cm_rej_msgrej(HAND_DATA(&h)), c->message, "%s, way %u",
                 iba_cm_state_name((enum iba_cm_state)c->state), c->way);
    cr_expect_eq(iba_cm_rej_localcommid(HAND_DATA(&h)), c->own_id ? id : 0, "%s, way %u",
                 iba_cm_state_name((enum iba_cm_state)c->state), c->way);
    cr_expect_eq(iba_cm_rej_remotecommid(HAND_DATA(&h)), c->peer_id ? HAND_ID : 0, "%s, way %u",
                 iba_cm_state_name((enum iba_cm_state)c->state), c->way);
    cr_expect_eq(iba_cm_rej_rejinfolen(HAND_DATA(&h)), c->info);
    cr_expect_eq(iba_bits_get(iba_cm_rej_ari(HAND_DATA(&h)), 0, 64), c->info ? 0xca0000 : 0, "the GUID of our end");
    hand_close(&h);
}

Test(answers, each_rejection)
{
    static const struct rej_case cases[] = {
        {false, IBA_CMS_REQ_RCVD, REJECT, 28, OF_REQ, false, true, 0},
        {false, IBA_CMS_REQ_RCVD, REJECT, 4, OF_REQ, false, true, GUID_BYTES},
        {false, IBA_CMS_REQ_RCVD, REJECT, 13, OF_REQ, false, true, 0},
        {false, IBA_CMS_REQ_RCVD, ABANDON, 28, OF_REQ, false, true, 0},
        {false, IBA_CMS_MRA_REQ_SENT, REJECT, 28, OF_REQ, true, true, 0},
        {false, IBA_CMS_MRA_REQ_SENT, ABANDON, 28, OF_REQ, true, true, 0},
        {true, IBA_CMS_REP_RCVD, REJECT, 28, OF_REP, true, true, 0},
        {true, IBA_CMS_MRA_REP_SENT, REJECT, 28, OF_REP, true, true, 0},
        {true, IBA_CMS_MRA_REP_SENT, ABANDON, 28, OF_REP, true, true, 0},
        {false, IBA_CMS_REP_SENT, ABANDON, 28, OF_OTHER, true, true, 0},
        {true, IBA_CMS_REQ_SENT, ABANDON, 4, OF_OTHER, true, false, GUID_BYTES},
        {true, IBA_CMS_MRA_REQ_RCVD, ABANDON, 4, OF_OTHER, true, false, GUID_BYTES},
        {true, IBA_CMS_REQ_SENT, TIMER, 4, OF_OTHER, true, false, GUID_BYTES},
        {false, IBA_CMS_REP_SENT, TIMER, 4, OF_OTHER, true, true, GUID_BYTES},
        {false, IBA_CMS_MRA_REP_RCVD, TIMER, 4, OF_OTHER, true, true, GUID_BYTES},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        one_rej(&cases[i]);
}

/* MD-74: for the wrong GID, LID or MTU the REJ has the one of the port at which the REQ came. */
Test(answers, information_about_the_port)
{
    static const struct {
        uint16_t at, bits;
        uint8_t value, reason, info;
    } cases[] = {
        {IBA_AT_cm_req_prim_remotegid + 120, 8, 0x99, 12, 16},
        {IBA_AT_cm_req_prim_remotelid, 16, 0x99, 13, 2},
        {IBA_AT_cm_req_prim_sl, 4, 9, 14, 0},
        {IBA_AT_cm_req_alt_locallid, 16, 0x99, 18, 16},
        {IBA_AT_cm_req_pppmtu, 4, IBA_MTU_4096, 26, 1},
        {IBA_AT_cm_req_serviceid, 64, 5, 8, 0},
        {IBA_AT_cm_req_transpsvctype, 2, 2, 9, 0},
    };
    static const uint8_t gid[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0x01, 0x01};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t mad[IBA_MAD_BYTES], right[IBA_CM_ARI_BYTES] = {0}, *data;
        struct iba_cm_source from = {.pkey = 0xffff, .port = 2};
        struct iba_port *p = &h.lab.end[0].port[1];
        hand_open(&h, IBA_PORT_IB);
        iba_port_init(p, 2, IBA_PORT_IB, IBA_MTU_2048, UINT64_C(0x0200000000000101));
        p->lid = 0x1234;
        p->sl2vl[9] = 15;
        memset(p->gid[1], 0xff, sizeof p->gid[1]); /* the REJ has the first GID alone */
        p->n_gid = 2;
        CM->cfg.n_port = 2;
        data = hand_req(&h, mad);
        iba_cm_req_set_prim_remotelid(data, 0x1234);
        iba_cm_req_set_prim_remotegid(data, gid);
        iba_bits_put(data, cases[i].at, cases[i].bits, cases[i].value);
        from.av = h.lab.end[0].to;
        from.av.port = 2;
        iba_cm_feed(CM, &from, mad, NOW);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_REJ, "case %zu", i);
        cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), cases[i].reason);
        cr_expect_eq(iba_cm_rej_msgrej(HAND_DATA(&h)), OF_REQ);
        cr_expect_eq(iba_cm_rej_localcommid(HAND_DATA(&h)), 0);
        cr_expect_eq(iba_cm_rej_remotecommid(HAND_DATA(&h)), HAND_ID);
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
        cr_expect_eq(iba_cm_rej_rejinfolen(HAND_DATA(&h)), cases[i].info, "case %zu", i);
        switch (cases[i].info) {
        case 16: memcpy(right, gid, 16); break;
        case 2: memcpy(right, "\x12\x34", 2); break;
        case 1: right[0] = 4; break; /* the code of 2048 bytes */
        default: break;
        }
        cr_expect_arr_eq(iba_cm_rej_ari(HAND_DATA(&h)), right, sizeof right, "case %zu", i);
        hand_close(&h);
    }
}

/* The answer to a REP that belongs to no connection has the IDs of the REP, exchanged, and its transaction. */
Test(answers, a_rep_of_nobody)
{
    uint8_t mad[IBA_MAD_BYTES], *data;

    hand_open(&h, IBA_PORT_IB);
    h.id = 0x55667788;
    data = hand_message_of(&h, mad, IBA_CM_ID_REP);
    iba_cm_rep_set_localqpn(data, HAND_QPN);
    cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_REJ);
    cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), 6);
    cr_expect_eq(iba_cm_rej_msgrej(HAND_DATA(&h)), OF_REP);
    cr_expect_eq(iba_cm_rej_localcommid(HAND_DATA(&h)), 0x55667788);
    cr_expect_eq(iba_cm_rej_remotecommid(HAND_DATA(&h)), HAND_ID);
    cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
    hand_close(&h);
}

/* A REP of a queue pair and with an ID that another connection has is refused for the ID (30), and the other connection
 * goes on. With an ID of its own it is refused as stale (10), and the other connection disconnects (MD-73). The REJ has
 * the IDs of both ends. */
Test(answers, a_rep_that_names_another_connection)
{
    for (unsigned k = 0; k < 4; k++) {
        const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 0x77));
        const bool delayed = k % 2, stale = k / 2;
        uint8_t mad[IBA_MAD_BYTES], *data;
        struct iba_cm_datagram d;
        hand_passive(&h, IBA_CMS_ESTABLISHED);
        const uint32_t other = h.id;
        cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
        (void)hand_take(&h);
        if (delayed)
            (void)hand_say(&h, IBA_CM_ID_MRA, 0);
        const uint32_t id = h.id;
        data = hand_message_of(&h, mad, IBA_CM_ID_REP);
        iba_cm_rep_set_localqpn(data, HAND_QPN);
        iba_cm_rep_set_localcaguid(data, 0xca0001);
        iba_cm_rep_set_localcommid(data, stale ? HAND_ID + 1 : HAND_ID);
        lab_feed(&h.lab, 0, mad);
        if (stale)
            cr_expect(iba_cm_poll(CM, &d) && iba_madhdr_attributeid(d.mad) == IBA_CM_ID_DREQ);
        cr_expect_eq(hand_take(&h), IBA_CM_ID_REJ);
        cr_expect_eq(iba_cm_rej_reason(HAND_DATA(&h)), stale ? 10 : 30);
        cr_expect_eq(iba_cm_rej_msgrej(HAND_DATA(&h)), IBA_CM_OF_REP);
        cr_expect_eq(iba_cm_rej_localcommid(HAND_DATA(&h)), id);
        cr_expect_eq(iba_cm_rej_remotecommid(HAND_DATA(&h)), stale ? HAND_ID + 1 : HAND_ID);
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
        cr_expect_eq(h.e.kind, stale ? IBA_CME_STALE : IBA_CME_NONE);
        h.id = id;
        cr_expect_eq(hand_state(&h), stale ? IBA_CMS_NONE : delayed ? IBA_CMS_MRA_REQ_RCVD : IBA_CMS_REQ_SENT);
        cr_expect_eq(iba_cm_find(CM, other)->state, stale ? IBA_CMS_DREQ_SENT : IBA_CMS_ESTABLISHED);
        hand_close(&h);
    }
}

/* The REJ to a REQ names the peer's ID alone, also in TimeWait, and if the REQ has another class version. */
Test(answers, ids_of_a_rejected_req)
{
    for (unsigned k = 0; k < 4; k++) {
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_open(&h, IBA_PORT_IB);
        if (k < 2) /* the second is of the same queue pair, with another ID */
            hand_passive(&h, IBA_CMS_TIMEWAIT);
        data = hand_req(&h, mad);
        if (k == 1)
            iba_cm_req_set_localcommid(data, HAND_ID + 1);
        if (k == 2)
            iba_madhdr_set_classversion(mad, 1);
        if (k == 3)
            iba_cm_req_set_serviceid(data, 5);
        cr_expect_eq(hand_feed(&h, mad), IBA_CM_ID_REJ, "%u", k);
        cr_expect_eq(iba_cm_rej_localcommid(HAND_DATA(&h)), 0, "%u", k);
        cr_expect_eq(iba_cm_rej_remotecommid(HAND_DATA(&h)), k == 1 ? HAND_ID + 1 : HAND_ID, "%u", k);
        cr_expect_eq(iba_cm_rej_msgrej(HAND_DATA(&h)), IBA_CM_OF_REQ);
        cr_expect_eq(iba_cm_rej_rejinfolen(HAND_DATA(&h)), 0);
        cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID);
        hand_close(&h);
    }
}

/* ---- more time ---- */

/* An MRA names the message that it answers, and the time in five bits. */
Test(answers, each_mra)
{
    static const struct {
        bool active;
        uint8_t state, message, code;
    } cases[] = {{false, IBA_CMS_REQ_RCVD, OF_REQ, 19},
                 {true, IBA_CMS_REP_RCVD, OF_REP, 31},
                 {true, IBA_CMS_LAP_RCVD, OF_OTHER, 32 + 3},
                 {false, IBA_CMS_LAP_RCVD, OF_OTHER, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_in(cases[i].active, (enum iba_cm_state)cases[i].state);
        cr_assert_eq(iba_cm_delay(CM, h.id, cases[i].code, none, NOW), IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_MRA);
        cr_expect_eq(iba_cm_mra_msgmraed(HAND_DATA(&h)), cases[i].message, "case %zu", i);
        cr_expect_eq(iba_cm_mra_servicetimeout(HAND_DATA(&h)), cases[i].code % 32, "case %zu", i);
        cr_expect_eq(iba_cm_mra_localcommid(HAND_DATA(&h)), h.id);
        cr_expect_eq(iba_cm_mra_remotecommid(HAND_DATA(&h)), HAND_ID);
        hand_close(&h);
    }
}

/* The caller learns the time of an MRA, the reason of a REJ and the status of an APR. */
Test(answers, events_have_the_code_of_their_message)
{
    static const struct {
        bool active;
        uint8_t state;
        uint16_t message;
        uint8_t code;
        uint16_t reason;
    } cases[] = {{true, IBA_CMS_REQ_SENT, IBA_CM_ID_MRA, OF_REQ, HAND_SERVICE_TIME},
                 {true, IBA_CMS_ESTABLISHED, IBA_CM_ID_REJ, 17, 17},
                 {true, IBA_CMS_LAP_SENT, IBA_CM_ID_APR, 6, 6},
                 {true, IBA_CMS_REQ_SENT, IBA_CM_ID_REP, 0, 0},
                 {true, IBA_CMS_ESTABLISHED, IBA_CM_ID_DREQ, 0, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_in(cases[i].active, (enum iba_cm_state)cases[i].state);
        const uint32_t id = h.id;
        (void)hand_say(&h, cases[i].message, cases[i].code);
        cr_expect_neq(h.e.kind, IBA_CME_NONE);
        cr_expect_eq(h.e.reason, cases[i].reason, "case %zu", i);
        cr_expect_eq(h.e.id, id);
        cr_expect_eq(h.e.av.dlid, 11, "where the message came from");
        hand_close(&h);
    }
}

/* ---- a REP offers no more than the REQ asks for (MD-62) ---- */

Test(answers, a_rep_keeps_within_the_req)
{
    enum { RESPONDER = 3, INITIATOR = 5 }; /* of the REQ */

    for (uint8_t offered = 0; offered < 8; offered++) {
        struct iba_cm_rep rep = lab_rep(OUR_QPN);
        uint8_t mad[IBA_MAD_BYTES], *data;
        hand_open(&h, IBA_PORT_IB);
        data = hand_req(&h, mad);
        iba_cm_req_set_responderres(data, RESPONDER);
        iba_cm_req_set_initdepth(data, INITIATOR);
        (void)hand_feed(&h, mad);
        rep.respres = rep.initdepth = offered;
        cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
        cr_assert_eq(hand_take(&h), IBA_CM_ID_REP);
        cr_expect_eq(iba_cm_rep_respres(HAND_DATA(&h)), offered < INITIATOR ? offered : INITIATOR);
        cr_expect_eq(iba_cm_rep_initdepth(HAND_DATA(&h)), offered < RESPONDER ? offered : RESPONDER);
        hand_close(&h);
    }
}

/* A queue pair has one connection. Numbers have 24 bits; 0 is none. An XRC target is named in the field of the EE
 * context. */
Test(answers, queue_pairs_of_a_rep)
{
    static const struct {
        uint8_t service;
        uint32_t qpn, eecn;
        enum iba_cm_err e;
    } cases[] = {
        {IBA_CM_RC, 0, OUR_QPN, IBA_CM_BAD_VALUE},
        {IBA_CM_RC, 0x1000000, 0, IBA_CM_BAD_VALUE},
        {IBA_CM_RC, 0x77, 0, IBA_CM_QP_BUSY},
        {IBA_CM_RC, 0x1000077, 0, IBA_CM_QP_BUSY},
        {IBA_CM_RC, OUR_QPN, 0x77, IBA_CM_OK},
        {IBA_CM_EXTENDED, OUR_QPN, 0, IBA_CM_BAD_VALUE},
        {IBA_CM_EXTENDED, OUR_QPN, 0x77, IBA_CM_QP_BUSY},
        {IBA_CM_EXTENDED, 0x77, OUR_QPN, IBA_CM_OK},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, 0x77));
        struct iba_cm_rep rep = lab_rep(cases[i].qpn);
        uint8_t mad[IBA_MAD_BYTES], *data;
        uint32_t id;
        cr_assert_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_OK);
        cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_QP_BUSY);
        (void)hand_take(&h);
        data = hand_req(&h, mad);
        iba_cm_req_set_transpsvctype(data, cases[i].service);
        iba_cm_req_set_ext_transport(data, cases[i].service == IBA_CM_EXTENDED);
        (void)hand_feed(&h, mad);
        rep.localeecn = cases[i].eecn;
        cr_expect_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), cases[i].e, "case %zu", i);
        (void)hand_take(&h);
        if (cases[i].e == IBA_CM_OK)
            cr_expect_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_WRONG_STATE, "of its own connection");
        hand_close(&h);
    }
}

/* The eight bits above the 24 of the number are ignored everywhere: the connection's queue pair is busy, and a DREQ
 * that names it is taken (MD-76). */
Test(answers, a_rep_with_bits_above_the_queue_pair)
{
    const struct iba_cm_rep rep = lab_rep(0x1000000 | OUR_QPN);
    uint32_t id;

    open_in(false, IBA_CMS_REQ_RCVD);
    const struct iba_cm_request r = lab_request(&h.lab, 0, OUR_QPN);
    cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK);
    cr_assert_eq(hand_take(&h), IBA_CM_ID_REP);
    cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), IBA_CM_QP_BUSY);
    (void)hand_say(&h, IBA_CM_ID_DREQ, 0);
    cr_expect_eq(hand_state(&h), IBA_CMS_DREQ_RCVD);
    hand_close(&h);
}

Test(answers, queue_pairs_of_a_req)
{
    static const struct {
        uint32_t qpn;
        enum iba_cm_err e;
    } cases[] = {{0, IBA_CM_BAD_VALUE}, {0x1000000, IBA_CM_BAD_VALUE}, {1, IBA_CM_OK}, {0x1000001, IBA_CM_QP_BUSY}};
    uint32_t id;

    hand_open(&h, IBA_PORT_IB);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct iba_cm_request r = lab_request(&h.lab, 0, cases[i].qpn);
        cr_expect_eq(iba_cm_connect(CM, &r, NOW, &id), cases[i].e, "case %zu", i);
    }
    (void)hand_take(&h);
    hand_close(&h);
}

/* ---- transactions (MD-54) ---- */

static uint64_t tid_after(enum iba_cm_err e, uint16_t attribute)
{
    cr_assert_eq(e, IBA_CM_OK);
    cr_assert_eq(hand_take(&h), attribute);
    return iba_madhdr_transactionid(h.mad);
}

/* A request begins a transaction of its own. Its answer, and the answer to this one, belong to the same. */
Test(answers, transactions)
{
    uint64_t first, lap, dreq;

    open_in(true, IBA_CMS_REQ_SENT);
    first = iba_madhdr_transactionid(iba_cm_find(CM, h.id)->sent);
    (void)hand_say(&h, IBA_CM_ID_REP, 0);
    cr_expect_eq(tid_after(iba_cm_confirm(CM, h.id, none, NOW), IBA_CM_ID_RTU), first);
    lap = tid_after(iba_cm_load(CM, h.id, &(struct iba_cm_lap){.alt_remotelid = 9}, none, NOW), IBA_CM_ID_LAP);
    cr_expect_eq(lap, first + 1);
    cr_expect_eq(tid_after(iba_cm_suggest(CM, h.id, none, NOW), IBA_CM_ID_SAP), first + 2);
    (void)hand_say(&h, IBA_CM_ID_SAP, 0);
    cr_expect_eq(tid_after(iba_cm_suggested(CM, h.id, none, NOW), IBA_CM_ID_SPR), HAND_TID);
    dreq = tid_after(iba_cm_disconnect(CM, h.id, none, NOW), IBA_CM_ID_DREQ);
    cr_expect_eq(dreq, first + 3);
    cr_expect_eq(hand_say(&h, IBA_CM_ID_DREQ, 0), IBA_CM_ID_DREP);
    cr_expect_eq(iba_madhdr_transactionid(h.mad), HAND_TID, "that of the peer's DREQ");
    cr_expect_eq(iba_cm_find(CM, h.id)->first_tid, first);
    hand_close(&h);
}

/* ---- private data, names ---- */

/* Volume 1, section 12.6: where the private data of each message begin; the header of the MAD has 24 bytes. */
Test(answers, private_data_of_each_message)
{
    static const struct {
        uint8_t at, n;
    } places[] = {{164, 92}, {34, 222},  {108, 148}, {60, 196},  {32, 224}, {36, 220}, {32, 224},
                  {40, 216}, {120, 136}, {88, 168},  {108, 148}, {32, 224}, {32, 224}};
    struct iba_cm_event e = {0};
    size_t at = 0, n = 0;

    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        cr_assert(iba_cm_private_place((uint16_t)(0x10 + i), &at, &n));
        cr_expect(at == places[i].at && n == places[i].n, "message %#x: %zu, %zu", 0x10 + i, at, n);
        iba_madhdr_set_attributeid(e.mad, 0x10 + i);
        cr_expect_eq(iba_cm_event_private(&e, &n) - e.mad, places[i].at);
    }
    cr_expect(!iba_cm_private_place(0x0f, &at, &n) && !iba_cm_private_place(0x1d, &at, &n));
    cr_expect_null(iba_cm_event_private(&(struct iba_cm_event){0}, &n), "an event without a message");
}

Test(answers, names)
{
    static const char *const states[] = {
        "no connection", "REQ Sent",      "REP Wait",    "REQ Rcvd",      "MRA(REQ) Sent", "REP Sent", "MRA(REP) Rcvd",
        "REP Rcvd",      "MRA(REP) Sent", "Established", "LAP Sent",      "MRA(LAP) Rcvd", "LAP Rcvd", "MRA(LAP) Sent",
        "DREQ Sent",     "DREQ Rcvd",     "TimeWait",    "SIDR_REQ Sent", "SIDR_REQ Rcvd"};

    cr_assert_eq(sizeof states / sizeof *states, IBA_CMS_COUNT);
    for (unsigned i = 0; i < IBA_CMS_COUNT; i++)
        cr_expect_str_eq(iba_cm_state_name((enum iba_cm_state)i), states[i]);
    cr_expect_str_eq(iba_cm_event_name(IBA_CME_NONE), "NONE");
    cr_expect_str_eq(iba_cm_err_name(IBA_CM_OK), "ok");
    cr_expect_str_eq(iba_cm_err_name(IBA_CM_WRONG_STATE), "not in this state");
}
