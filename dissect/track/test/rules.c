/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that a message of a connection manager may break: each rule alone, with the packet that shows the fault. */
#include "talk.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

/* Returns the name of a row, until the next call. */
static const char *row(size_t i)
{
    static char text[32];

    (void)snprintf(text, sizeof text, "row %zu", i);
    return text;
}

Test(rules, an_unbroken_one_breaks_no_rule)
{
    talk_begin();
    talk_connect();
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    const struct talk_message d = talk_dreq(ACTIVE), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99);
    talk_send(&d);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    talk_send(&e);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    talk_end();
}

/* Each answer has the transaction ID of the message that it answers. */
Test(rules, other_transactions)
{
    talk_begin();
    const struct talk_message q = talk_req(), s = talk_sidr(false);
    struct talk_message p = talk_rep(), u = talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x78), a = talk_sidr(true),
                        d = talk_dreq(ACTIVE), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x9a);
    iba_madhdr_set_transactionid(p.mad, 0x78);
    iba_madhdr_set_transactionid(a.mad, 0x56);
    talk_send(&q);
    talk_send(&p);
    talk_breaks(IBA_FINDING_CM_TRANSACTION, 1, "of a REP");
    talk_send(&u);
    cr_expect_eq(talk_packet.mad_context.n_said, 0, "that of the REP");
    talk_send(&d);
    talk_send(&e);
    talk_breaks(IBA_FINDING_CM_TRANSACTION, 4, "of a DREP");
    talk_send(&s);
    talk_send(&a);
    talk_breaks(IBA_FINDING_CM_TRANSACTION, 6, "of a SIDR_REP");
    talk_end();
}

Test(rules, other_rules)
{
    static const struct {
        unsigned kind;
        size_t at; /* byte of the REP */
        uint8_t is;
    } rows[] = {
        {IBA_FINDING_CM_VERSION, 2, 1},
        {IBA_FINDING_CM_METHOD, 3, 0x81},
        {IBA_FINDING_COUNT, 24 + 24, 5}, /* responder resources: as many as the REQ wants */
        {IBA_FINDING_CM_BOUNDS, 24 + 24, 6},
        {IBA_FINDING_COUNT, 24 + 25, 6}, /* initiator depth: as many as it offers */
        {IBA_FINDING_CM_BOUNDS, 24 + 25, 7},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        const struct talk_message q = talk_req();
        struct talk_message p = talk_rep();
        p.mad[rows[i].at] = rows[i].is;
        talk_send(&q);
        talk_send(&p);
        talk_breaks(rows[i].kind, 1, "a REP");
        talk_end();
    }
}

Test(rules, another_qp_or_service)
{
    talk_begin();
    talk_connect();
    struct talk_message d = talk_dreq(ACTIVE);
    iba_cm_dreq_set_remoteqpn(talk_body(&d), P_QP + 1);
    talk_send(&d);
    talk_breaks(IBA_FINDING_CM_OTHER_QP, 1, "of a DREQ");
    const struct talk_message s = talk_sidr(false);
    struct talk_message a = talk_sidr(true);
    iba_cm_sidr_rep_set_serviceid(talk_body(&a), 0x9998);
    talk_send(&s);
    talk_send(&a);
    talk_breaks(IBA_FINDING_CM_SERVICE, 5, "of a SIDR_REP");
    talk_end();
}

/* ---- one message, after some of a connection ---- */

enum { NONE, REQUESTED, REPLIED, CONFIRMED, RELEASING, RELEASED }; /* how many were sent before */

static void begin_with(unsigned messages)
{
    const struct talk_message m[] = {talk_req(), talk_rep(), talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x77), talk_dreq(ACTIVE),
                                     talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99)};

    talk_begin();
    for (unsigned i = 0; i < messages; i++) {
        talk_send(&m[i]);
        cr_assert_eq(talk_packet.mad_context.n_said, 0);
        talk_now_ns += 100 * MS;
    }
}

/* Only the active end sends a REQ and an RTU, and only the passive end a REP. A message certainly belongs to this
 * connection if the passive end is known, or if it has the REQ's transaction ID. */
Test(rules, roles_and_transactions)
{
    enum { MRA = IBA_CM_ID_MRA, REJ = IBA_CM_ID_REJ, RTU = IBA_CM_ID_RTU, DREQ = IBA_CM_ID_DREQ };
    enum { ROLE = IBA_FINDING_CM_ROLE, TRANSACTION = IBA_FINDING_CM_TRANSACTION, FINE = IBA_FINDING_COUNT };
    static const struct {
        unsigned after;
        uint32_t src;
        uint16_t attribute, tid;
        uint8_t named, reason;
        unsigned kind;
        uint64_t cause;
    } rows[] = {
        {REQUESTED, PASSIVE, REJ, 0x77, 1, 28, ROLE, 1},
        {REQUESTED, PASSIVE, REJ, 0x78, 1, 28, FINE, 0},
        {REPLIED, PASSIVE, REJ, 0x78, 1, 28, ROLE, 1},
        {REQUESTED, PASSIVE, REJ, 0x77, 0, 28, FINE, 0},
        {REQUESTED, PASSIVE, REJ, 0x78, 0, 28, TRANSACTION, 1},
        {REQUESTED, PASSIVE, REJ, 0x78, 2, 28, FINE, 0},
        {REPLIED, ACTIVE, REJ, 0x77, 0, 28, ROLE, 1},
        {REQUESTED, ACTIVE, REJ, 0x77, 0, 28, FINE, 0},
        {REPLIED, ACTIVE, REJ, 0x77, 1, 28, FINE, 0},
        {REPLIED, ACTIVE, REJ, 0x78, 1, 28, TRANSACTION, 2},
        {REPLIED, ACTIVE, REJ, 0x78, 2, 28, FINE, 0},
        {REQUESTED, PASSIVE, MRA, 0x77, 0, 0, FINE, 0},
        {REQUESTED, PASSIVE, MRA, 0x78, 0, 0, TRANSACTION, 1},
        {REQUESTED, PASSIVE, MRA, 0x77, 1, 0, ROLE, 1},
        {CONFIRMED, PASSIVE, MRA, 0x77, 2, 0, FINE, 0},
        {REPLIED, ACTIVE, MRA, 0x77, 1, 0, FINE, 0},
        {REPLIED, ACTIVE, MRA, 0x77, 0, 0, ROLE, 1},
        {REQUESTED, PASSIVE, RTU, 0x77, 0, 0, ROLE, 1},
        {REQUESTED, PASSIVE, RTU, 0x78, 0, 0, FINE, 0},
        {REPLIED, PASSIVE, RTU, 0x78, 0, 0, ROLE, 1},
        {REPLIED, ACTIVE, RTU, 0x78, 0, 0, TRANSACTION, 2},
        {REPLIED, PASSIVE, IBA_CM_ID_DREP, 0x98, 0, 0, FINE, 0},
        {RELEASING, PASSIVE, IBA_CM_ID_DREP, 0x98, 0, 0, TRANSACTION, 4},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with(rows[i].after);
        const struct talk_message m =
            talk_naming(rows[i].src, rows[i].attribute, rows[i].tid, rows[i].named, rows[i].reason);
        talk_send(&m);
        talk_breaks(rows[i].kind, rows[i].cause, row(i));
        talk_end();
    }
}

/* For each table of MD-56, MD-61, MD-74, MD-79 and MD-80: the first value that it does not define, and the last that it
 * does. */
Test(rules, undefined_values)
{
    static const struct {
        uint16_t attribute;
        uint8_t at, bytes; /* of the body */
        uint32_t is;
        bool defined;
    } rows[] = {
        {IBA_CM_ID_REJ, 8, 1, 0x80, true},     {IBA_CM_ID_REJ, 8, 1, 0xc0, false},
        {IBA_CM_ID_REJ, 9, 1, 72 << 1, true},  {IBA_CM_ID_REJ, 9, 1, 73 << 1, false},
        {IBA_CM_ID_REJ, 10, 2, 1, true},       {IBA_CM_ID_REJ, 10, 2, 0, false},
        {IBA_CM_ID_REJ, 10, 2, 33, true},      {IBA_CM_ID_REJ, 10, 2, 36, false},
        {IBA_CM_ID_MRA, 8, 1, 0x80, true},     {IBA_CM_ID_MRA, 8, 1, 0xc0, false},
        {IBA_CM_ID_APR, 9, 1, 13, true},       {IBA_CM_ID_APR, 9, 1, 14, false},
        {IBA_CM_ID_SIDR_REP, 4, 1, 5, true},   {IBA_CM_ID_SIDR_REP, 4, 1, 6, false},
        {IBA_CM_ID_REQ, 50, 1, 1 << 4, true},  {IBA_CM_ID_REQ, 50, 1, 0, false},
        {IBA_CM_ID_REQ, 50, 1, 5 << 4, true},  {IBA_CM_ID_REQ, 50, 1, 6 << 4, false},
        {IBA_CM_ID_REQ, 43, 1, 3 << 1, false}, /* an extended service, which one is not said */
        {IBA_CM_ID_REQ, 43, 1, 1 << 1, true},  {IBA_CM_ID_RTU, 8, 4, 0xffffffff, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool sidr = rows[i].attribute == IBA_CM_ID_SIDR_REP, first = rows[i].attribute == IBA_CM_ID_REQ;
        const struct talk_message asks = talk_sidr(false);
        begin_with(first || sidr ? NONE : REQUESTED);
        if (sidr)
            talk_send(&asks);
        const uint32_t src = rows[i].attribute == IBA_CM_ID_RTU ? ACTIVE : PASSIVE;
        struct talk_message m = first  ? talk_req()
                                : sidr ? talk_sidr(true)
                                       : talk_naming(src, rows[i].attribute, 0x77, IBA_CM_OTHER, 28);
        iba_bits_put(talk_body(&m), 8u * rows[i].at, 8u * rows[i].bytes, rows[i].is);
        talk_send(&m);
        talk_breaks(rows[i].defined ? IBA_FINDING_COUNT : IBA_FINDING_CM_UNDEFINED, first ? 0 : 1, row(i));
        talk_end();
    }
}

/* ---- identifiers, QPs, bounds ---- */

/* The passive end has chosen P_ID. An answer may have another identifier if its sender keeps no connection. */
Test(rules, another_identifier_of_the_passive_end)
{
    static const struct {
        unsigned after;
        uint32_t src;
        uint16_t attribute;
        bool broken;
    } rows[] = {
        {CONFIRMED, PASSIVE, IBA_CM_ID_DREQ, true},  {CONFIRMED, PASSIVE, IBA_CM_ID_DREP, true},
        {CONFIRMED, PASSIVE, IBA_CM_ID_LAP, true},   {CONFIRMED, PASSIVE, IBA_CM_ID_APR, true},
        {CONFIRMED, PASSIVE, IBA_CM_ID_MRA, false},  {CONFIRMED, PASSIVE, IBA_CM_ID_REJ, false},
        {REQUESTED, PASSIVE, IBA_CM_ID_DREP, false}, {CONFIRMED, ACTIVE, IBA_CM_ID_DREP, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with(rows[i].after);
        struct talk_message m = talk_naming(rows[i].src, rows[i].attribute, 0x99, IBA_CM_OTHER, 28);
        if (rows[i].src == PASSIVE)
            iba_cm_rtu_set_localcommid(talk_body(&m), P_ID + 1);
        if (rows[i].attribute == IBA_CM_ID_DREQ)
            iba_cm_dreq_set_remoteqpn(talk_body(&m), A_QP);
        if (rows[i].attribute == IBA_CM_ID_LAP)
            iba_cm_lap_set_remoteqpn(talk_body(&m), A_QP);
        talk_send(&m);
        talk_breaks(rows[i].broken ? IBA_FINDING_CM_IDS : IBA_FINDING_COUNT, 1, row(i));
        talk_end();
    }
}

/* A message with unknown identifiers belongs to the connection whose transaction it answers. A DREQ or LAP belongs to
 * the connection that its sender named. */
Test(rules, identifiers_of_no_connection)
{
    enum { WRONG = 0x700 };
    static const struct {
        unsigned after;
        uint32_t src;
        uint16_t attribute, tid;
        uint32_t local;
        bool broken;
    } rows[] = {
        {REQUESTED, PASSIVE, IBA_CM_ID_REP, 0x77, P_ID, true},
        {REQUESTED, PASSIVE, IBA_CM_ID_REP, 0x78, P_ID, false},
        {REQUESTED, OTHER, IBA_CM_ID_REP, 0x77, P_ID, false},
        {REQUESTED, PASSIVE, IBA_CM_ID_MRA, 0x77, WRONG, true},
        {REQUESTED, PASSIVE, IBA_CM_ID_REJ, 0x77, WRONG, true},
        {REPLIED, ACTIVE, IBA_CM_ID_RTU, 0x77, WRONG, true},
        {REQUESTED, ACTIVE, IBA_CM_ID_RTU, 0x77, WRONG, false}, /* no REP was sent */
        {CONFIRMED, PASSIVE, IBA_CM_ID_DREP, 0x99, WRONG, false},
        {RELEASING, PASSIVE, IBA_CM_ID_DREP, 0x99, WRONG, true},
        {RELEASING, PASSIVE, IBA_CM_ID_APR, 0x99, WRONG, true},
        {CONFIRMED, PASSIVE, IBA_CM_ID_DREQ, 0x99, P_ID, true},
        {CONFIRMED, PASSIVE, IBA_CM_ID_LAP, 0x99, P_ID, true},
        {CONFIRMED, PASSIVE, IBA_CM_ID_DREQ, 0x77, WRONG, false},
        {CONFIRMED, ACTIVE, IBA_CM_ID_DREQ, 0x99, WRONG, false},
        {REQUESTED, PASSIVE, IBA_CM_ID_DREQ, 0x99, P_ID, false},
        {RELEASED, PASSIVE, IBA_CM_ID_DREQ, 0x99, P_ID, false},
        {RELEASED, PASSIVE, IBA_CM_ID_DREP, 0x99, WRONG, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with(rows[i].after);
        struct talk_message m = talk_naming(rows[i].src, rows[i].attribute, rows[i].tid, IBA_CM_OTHER, 28);
        m.dst = rows[i].src == ACTIVE ? PASSIVE : ACTIVE;
        iba_cm_rtu_set_localcommid(talk_body(&m), rows[i].local);
        iba_cm_rtu_set_remotecommid(talk_body(&m), WRONG + 1);
        talk_send(&m);
        talk_breaks(rows[i].broken ? IBA_FINDING_CM_IDS : IBA_FINDING_COUNT, 1, row(i));
        talk_end();
    }
    talk_begin();
    const struct talk_message asks = talk_sidr(false);
    struct talk_message tells = talk_sidr(true);
    iba_cm_sidr_rep_set_requestid(talk_body(&tells), WRONG);
    talk_send(&asks);
    talk_send(&tells);
    talk_breaks(IBA_FINDING_CM_IDS, 1, "of a service");
    talk_end();
}

/* Of an end's LAP and DREQ the last one is kept. An answer with unknown identifiers belongs to the connection only if
 * it is in that transaction; a request only if its sender's identifier is the one that the last REP gave. */
Test(rules, identifiers_of_before)
{
    enum { LAP_TID = 0x55, NEW_ID = 0x23, WRONG = 0x700 };
    static const uint64_t tids[] = {LAP_TID, 0x99};

    for (size_t i = 0; i < 2; i++) {
        begin_with(CONFIRMED);
        struct talk_message l = talk_ids(ACTIVE, IBA_CM_ID_LAP, LAP_TID), d = talk_dreq(ACTIVE),
                            e = talk_ids(PASSIVE, IBA_CM_ID_DREP, tids[i]);
        iba_cm_lap_set_remoteqpn(talk_body(&l), P_QP);
        iba_cm_rtu_set_localcommid(talk_body(&e), WRONG);
        iba_cm_rtu_set_remotecommid(talk_body(&e), WRONG + 1);
        talk_send(&l);
        talk_send(&d);
        talk_send(&e);
        talk_breaks(i ? IBA_FINDING_CM_IDS : IBA_FINDING_COUNT, 1, i ? "in the transaction of the DREQ" : "of the LAP");
        talk_end();
    }
    for (size_t i = 0; i < 2; i++) {
        begin_with(REPLIED);
        struct talk_message p = talk_rep(), d = talk_dreq(PASSIVE);
        iba_cm_rep_set_localcommid(talk_body(&p), NEW_ID);
        iba_cm_dreq_set_localcommid(talk_body(&d), i ? NEW_ID : P_ID);
        iba_cm_dreq_set_remotecommid(talk_body(&d), WRONG);
        talk_send(&p);
        talk_send(&d);
        talk_breaks(i ? IBA_FINDING_CM_IDS : IBA_FINDING_COUNT, 1, i ? "the new identifier" : "the old one");
        talk_end();
    }
}

/* A REJ ends the connection, so later messages with wrong identifiers do not belong to it. */
Test(rules, identifiers_after_the_end)
{
    begin_with(REPLIED);
    const struct talk_message rej = talk_naming(ACTIVE, IBA_CM_ID_REJ, 0x77, IBA_CM_OF_REP, 28);
    struct talk_message q = talk_req(), d = talk_dreq(PASSIVE);
    iba_cm_dreq_set_remotecommid(talk_body(&d), 0x700);
    talk_send(&rej);
    talk_send(&d);
    talk_breaks(IBA_FINDING_COUNT, 0, "rejected");
    talk_end();
    begin_with(CONFIRMED);
    iba_cm_req_set_localcommid(talk_body(&q), A_ID + 1);
    iba_madhdr_set_transactionid(q.mad, 0x78);
    talk_send(&q); /* the QP goes to another connection */
    talk_send(&d);
    talk_breaks(IBA_FINDING_COUNT, 0, "outlived");
    talk_end();
}

/* DREQ and LAP name the peer's QP. For an XRC connection, another field that these messages lack has the QP. */
Test(rules, another_qp)
{
    enum { XRC = 3 << 1, UC = 1 << 1 };
    static const struct {
        unsigned after;
        uint32_t src, qpn;
        uint16_t attribute;
        uint8_t service;
        bool broken;
    } rows[] = {
        {CONFIRMED, ACTIVE, P_QP, IBA_CM_ID_DREQ, 0, false},
        {CONFIRMED, ACTIVE, P_QP + 1, IBA_CM_ID_DREQ, 0, true},
        {CONFIRMED, PASSIVE, A_QP, IBA_CM_ID_DREQ, 0, false},
        {CONFIRMED, PASSIVE, A_QP + 1, IBA_CM_ID_DREQ, 0, true},
        {CONFIRMED, ACTIVE, P_QP, IBA_CM_ID_LAP, 0, false},
        {CONFIRMED, ACTIVE, P_QP + 1, IBA_CM_ID_LAP, 0, true},
        {CONFIRMED, ACTIVE, P_QP + 1, IBA_CM_ID_DREQ, UC, true},
        {CONFIRMED, ACTIVE, P_QP + 1, IBA_CM_ID_DREQ, XRC, false},
        {REQUESTED, ACTIVE, P_QP + 1, IBA_CM_ID_DREQ, 0, false},
        {REQUESTED, PASSIVE, A_QP + 1, IBA_CM_ID_DREQ, 0, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        struct talk_message q = talk_req(), d = talk_dreq(rows[i].src);
        const struct talk_message p = talk_rep();
        talk_body(&q)[43] |= rows[i].service;
        iba_cm_req_set_ext_transport(talk_body(&q), rows[i].service == XRC ? IBA_CM_EXT_XRC : 0);
        talk_send(&q);
        talk_breaks(IBA_FINDING_COUNT, 0, row(i));
        if (rows[i].after == CONFIRMED)
            talk_send(&p);
        if (rows[i].attribute == IBA_CM_ID_LAP) {
            d = talk_ids(rows[i].src, IBA_CM_ID_LAP, 0x99);
            iba_cm_lap_set_remoteqpn(talk_body(&d), rows[i].qpn);
        } else
            iba_cm_dreq_set_remoteqpn(talk_body(&d), rows[i].qpn);
        talk_send(&d);
        talk_breaks(rows[i].broken ? IBA_FINDING_CM_OTHER_QP : IBA_FINDING_COUNT, 1, row(i));
        talk_end();
    }
}

/* The REP may not ask for more outstanding READs than the REQ allows, for services that have READs. */
Test(rules, bounds_of_each_service)
{
    for (unsigned service = 0; service < 4; service++) {
        talk_begin();
        struct talk_message q = talk_req(), p = talk_rep();
        talk_body(&q)[43] |= (uint8_t)(service << 1);
        iba_cm_req_set_ext_transport(talk_body(&q), service == IBA_CM_EXTENDED ? IBA_CM_EXT_XRC : 0);
        iba_cm_rep_set_respres(talk_body(&p), 200);
        talk_send(&q);
        talk_send(&p);
        talk_breaks(service == IBA_CM_RC ? IBA_FINDING_CM_BOUNDS : IBA_FINDING_COUNT, 1, "more READs");
        talk_end();
    }
}

/* A SIDR_REP that refuses a service may have any service ID, because the service does not exist. */
Test(rules, service_of_a_refusal)
{
    talk_begin();
    const struct talk_message s = talk_sidr(false);
    struct talk_message a = talk_sidr(true);
    iba_cm_sidr_rep_set_serviceid(talk_body(&a), 0x9998);
    iba_cm_sidr_rep_set_status(talk_body(&a), 1);
    talk_send(&s);
    talk_send(&a);
    talk_breaks(IBA_FINDING_COUNT, 0, "refused");
    talk_end();
}

/* Reason 6 (invalid communication ID) is wrong in a REJ for a connection that its sender asked for, and that nobody
 * ended. */
Test(rules, unknown_to_the_end_that_asked)
{
    static const struct {
        unsigned after;
        uint32_t src;
        uint16_t reason;
        bool broken;
    } rows[] = {
        {REPLIED, ACTIVE, 6, true},    {REPLIED, ACTIVE, 7, false},  {CONFIRMED, ACTIVE, 6, true},
        {RELEASING, ACTIVE, 6, false}, {REPLIED, PASSIVE, 6, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_with(rows[i].after);
        const bool active = rows[i].src == ACTIVE;
        const struct talk_message rej =
            talk_naming(rows[i].src, IBA_CM_ID_REJ, 0x77, active ? IBA_CM_OF_REP : IBA_CM_OF_REQ, rows[i].reason);
        talk_send(&rej);
        talk_breaks(rows[i].broken ? IBA_FINDING_CM_UNKNOWN : IBA_FINDING_COUNT, 2, row(i));
        talk_send(&rej);
        talk_breaks(IBA_FINDING_COUNT, 0, "the first one was said");
        talk_end();
    }
}

/* A cut datagram shows too little to break a rule. */
Test(rules, cut)
{
    for (uint16_t cut = 0; cut < 2; cut++) {
        begin_with(REQUESTED);
        struct talk_message m = talk_rep();
        iba_madhdr_set_classversion(m.mad, 1);
        m.cut = cut;
        talk_send(&m);
        talk_breaks(cut ? IBA_FINDING_COUNT : IBA_FINDING_CM_VERSION, 1, "cut");
        talk_end();
    }
}
