/* SPDX-License-Identifier: BSD-2-Clause */
/* -z cm: the times of a connection, and of a service resolved to a datagram QP, which has a phase of its own. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "wire/iba_opcode_rows.h"

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
