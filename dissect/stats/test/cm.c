/* SPDX-License-Identifier: BSD-2-Clause */
/* -z cm: the times of a connection, and of a service resolved to a datagram QP, which has a phase of its own. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "wire/iba_opcode.h"

enum { MS = 1000000 };

Test(cm, phases_of_a_connection_and_of_a_service)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rep = frame_cm(true, IBA_CM_ID_REP),
                 rtu = frame_cm(false, IBA_CM_ID_RTU), ask = frame_cm(false, IBA_CM_ID_SIDR_REQ),
                 told = frame_cm(true, IBA_CM_ID_SIDR_REP);
    struct feed f;

    feed_open(&f, "cm");
    f.unchecked = true;
    iba_cm_req_set_localcommid(frame_datagram(&req) + IBA_BYTES_madhdr, 1);
    iba_cm_rep_set_localcommid(frame_datagram(&rep) + IBA_BYTES_madhdr, 2);
    iba_cm_rep_set_remotecommid(frame_datagram(&rep) + IBA_BYTES_madhdr, 1);
    iba_cm_rtu_set_localcommid(frame_datagram(&rtu) + IBA_BYTES_madhdr, 1);
    iba_cm_rtu_set_remotecommid(frame_datagram(&rtu) + IBA_BYTES_madhdr, 2);
    feed(&f, &req, 0);
    feed(&f, &rep, 3 * MS);
    feed(&f, &rtu, 5 * MS);
    feed(&f, &ask, 10 * MS);
    feed(&f, &told, 17 * MS);
    char *j = printed(&f, true), *t = printed(&f, false);
    cr_expect(strstr(j, "\"times\":{\"req_to_rep\":{\"count\":1,\"shortest\":0.003000000,") &&
                  strstr(j, "\"rep_to_rtu\":{\"count\":1,\"shortest\":0.002000000,") &&
                  strstr(j, "\"req_to_rtu\":{\"count\":1,\"shortest\":0.005000000,") &&
                  strstr(j, "\"sidr_req_to_sidr_rep\":{\"count\":1,\"shortest\":0.007000000,"),
              "%s", j);
    cr_expect_null(strstr(j, "dreq_to_drep"), "%s", j);
    cr_expect(strstr(t, "\nREQ to REP "), "%s", t);
    free(j);
    free(t);
    feed_close(&f);
}

/* Feeds a REQ of that host. The host at 10.0.0.2 refuses it, because nobody listens. */
static void refused_request(struct feed *f, uint32_t id)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rej = frame_cm(true, IBA_CM_ID_REJ);

    iba_cm_req_set_localcommid(frame_datagram(&req) + IBA_BYTES_madhdr, id);
    iba_cm_rej_set_remotecommid(frame_datagram(&rej) + IBA_BYTES_madhdr, id);
    iba_cm_rej_set_reason(frame_datagram(&rej) + IBA_BYTES_madhdr, IBA_CM_REJ_SERVICE_ID);
    feed(f, &req, (int64_t)id * MS);
    feed(f, &rej, (int64_t)id * MS + 1000);
}

/* Of more than 20 connections, ten of each outcome are described in a sentence; the others are only counted. */
Test(cm, many_of_one_outcome)
{
    static const struct {
        unsigned n;
        const char *more;
        size_t sentences;
    } rows[] = {
        {10, NULL, 10},
        {20, NULL, 20},
        {21, "and 11 more like these, counted below", 10},
        {200, "and 190 more like these, counted below", 10},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct feed f;
        feed_open(&f, "cm");
        f.unchecked = true;
        for (unsigned k = 0; k < rows[i].n; k++)
            refused_request(&f, k + 1);
        char *t = printed(&f, false), counted[64];
        const char *const more = strstr(t, "more like these");
        cr_expect((more != NULL) == (rows[i].more != NULL), "%s", t);
        cr_expect(!rows[i].more || strstr(t, rows[i].more), "%s", t);
        cr_expect_eq(occurrences(t, " [NO_LISTENER, MD-72]"), rows[i].sentences, "%s", t);
        snprintf(counted, sizeof counted, "NO_LISTENER           warn      MD-72         %11u", rows[i].n);
        cr_expect(strstr(t, counted), "%s\n%s", counted, t);
        free(t);
        feed_close(&f);
    }
}

/* A REQ that asks for a number of its own in each attribute. */
static void ask_for_connection(uint8_t *q)
{
    iba_cm_req_set_localcommid(q, 1);
    iba_cm_req_set_serviceid(q, UINT64_C(0x1234567890));
    iba_cm_req_set_localqpn(q, 0x21);
    iba_cm_req_set_startpsn(q, 0x31);
    iba_cm_req_set_initdepth(q, 5);
    iba_cm_req_set_responderres(q, 6);
    iba_cm_req_set_e2eflowctrl(q, 1);
    iba_cm_req_set_rnrretrcount(q, 4);
    iba_cm_req_set_pppmtu(q, IBA_MTU_1024);
    iba_cm_req_set_prim_localacktout(q, 17); /* 4.096 us * 2^17 = 0.54 s */
    iba_cm_req_set_retrcount(q, 7);
    iba_cm_req_set_remoteresptout(q, 10);
    iba_cm_req_set_maxcmretr(q, 2);
}

/* REQ twice, REP, RTU, DREQ and DREP of one connection. */
static void feed_whole_connection(struct feed *f, struct frame *req, struct frame *rtu)
{
    struct frame rep = frame_cm(true, IBA_CM_ID_REP), dreq = frame_cm(true, IBA_CM_ID_DREQ),
                 drep = frame_cm(false, IBA_CM_ID_DREP);
    uint8_t *p = frame_datagram(&rep) + IBA_BYTES_madhdr;

    ask_for_connection(frame_datagram(req) + IBA_BYTES_madhdr);
    iba_cm_rep_set_localcommid(p, 2);
    iba_cm_rep_set_remotecommid(p, 1);
    iba_cm_rep_set_localqpn(p, 0x22);
    iba_cm_rep_set_startpsn(p, 0x32);
    iba_cm_rep_set_respres(p, 4);
    iba_cm_rep_set_initdepth(p, 3);
    iba_cm_rep_set_rnrretrcount(p, 2);
    for (unsigned active = 0; active < 2; active++) {
        uint8_t *w = frame_datagram(active ? rtu : &dreq) + IBA_BYTES_madhdr;
        iba_cm_rtu_set_localcommid(w, active ? 1 : 2);
        iba_cm_rtu_set_remotecommid(w, active ? 2 : 1);
    }
    iba_cm_rtu_set_localcommid(frame_datagram(&drep) + IBA_BYTES_madhdr, 1);
    iba_cm_rtu_set_remotecommid(frame_datagram(&drep) + IBA_BYTES_madhdr, 2);
    iba_cm_dreq_set_remoteqpn(frame_datagram(&dreq) + IBA_BYTES_madhdr, 0x21);
    feed(f, req, 0);
    feed(f, req, MS); /* again */
    feed(f, &rep, 3 * MS);
    feed(f, rtu, 5 * MS);
    feed(f, &dreq, 9 * MS);
    feed(f, &drep, 10 * MS);
}

/* A connection with all its messages, one by XRC that is refused, and datagram services with each answer. */
Test(cm, each_kind_of_connection)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rtu = frame_cm(false, IBA_CM_ID_RTU),
                 rej = frame_cm(true, IBA_CM_ID_REJ), ask = frame_cm(false, IBA_CM_ID_SIDR_REQ),
                 told = frame_cm(true, IBA_CM_ID_SIDR_REP);
    uint8_t *q = frame_datagram(&req) + IBA_BYTES_madhdr;
    struct feed f;

    feed_open(&f, "cm");
    f.unchecked = true;
    feed_whole_connection(&f, &req, &rtu);
    iba_cm_req_set_localcommid(q, 3);
    iba_cm_req_set_localqpn(q, 0x23);
    iba_cm_req_set_transpsvctype(q, IBA_CM_EXTENDED);
    iba_cm_req_set_ext_transport(q, IBA_CM_EXT_XRC);
    iba_cm_req_set_e2eflowctrl(q, 0);
    iba_cm_rej_set_remotecommid(frame_datagram(&rej) + IBA_BYTES_madhdr, 3);
    iba_cm_rej_set_reason(frame_datagram(&rej) + IBA_BYTES_madhdr, IBA_CM_REJ_SERVICE_ID);
    feed(&f, &req, 20 * MS);
    feed(&f, &rej, 21 * MS);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t *a = frame_datagram(&ask) + IBA_BYTES_madhdr, *t = frame_datagram(&told) + IBA_BYTES_madhdr;
        iba_cm_sidr_req_set_requestid(a, 0x41 + i);
        iba_cm_sidr_req_set_serviceid(a, 0x9999);
        iba_cm_sidr_rep_set_requestid(t, 0x41 + i);
        iba_cm_sidr_rep_set_serviceid(t, 0x9999);
        iba_cm_sidr_rep_set_qpn(t, i == 0 ? 0x77 : 0);
        iba_cm_sidr_rep_set_status(t, (uint8_t)i); /* 1: no such service */
        feed(&f, &ask, (30 + 10 * (int64_t)i) * MS);
        if (i < 2)
            feed(&f, &told, (31 + 10 * (int64_t)i) * MS);
    }
    feed(&f, &rtu, 40 * MS); /* older than the newest packet */
    rtu = frame_cm(false, IBA_CM_ID_RTU);
    iba_cm_rtu_set_localcommid(frame_datagram(&rtu) + IBA_BYTES_madhdr, 0x99);
    feed(&f, &rtu, 53 * MS); /* of no connection that began here */
    expect(&f, "cm-kinds");
}

/* How long an unanswered request has waited is counted up to the newest packet, not to the last one. */
Test(cm, waits_until_the_newest_packet)
{
    const struct frame req = frame_cm(false, IBA_CM_ID_REQ), other = frame_other();
    struct feed f;

    feed_open(&f, "cm");
    f.unchecked = true;
    struct frame asked = req;
    iba_cm_req_set_localcommid(frame_datagram(&asked) + IBA_BYTES_madhdr, 1);
    iba_cm_req_set_remoteresptout(frame_datagram(&asked) + IBA_BYTES_madhdr, 14); /* waits for 67 ms */
    feed(&f, &asked, 0);
    feed(&f, &other, 7 * MS);
    feed(&f, &other, 4 * MS);
    feed(&f, &other, UNTIMED);
    char *t = printed(&f, false);
    cr_expect(strstr(t, "Packet 1: the capture ends 7 ms after 10.0.0.1's REQ, with no answer yet "
                        "[WAITS_FOR_ANSWER, MD-68]\n"),
              "%s", t);
    free(t);
    feed_close(&f);
}
