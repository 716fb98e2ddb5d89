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
