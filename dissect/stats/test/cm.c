/* SPDX-License-Identifier: BSD-2-Clause */
/* -z cm: the times of a connection, and of a service resolved to a datagram QP, which has a phase of its own. */
#include "feed.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include "mad/iba_mad.h"
#include "wire/iba_opcode_rows.h"

enum { CM = 7, SEND = 3, MAD_WORDS = 64, ICRC = 4, MS = 1000000 };

/* The datagram of a frame. */
static uint8_t *datagram(struct frame *f)
{
    return f->b + f->n - ICRC - 4 * MAD_WORDS;
}

static struct frame frame_cm(bool reply, uint16_t attribute)
{
    struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                             .src = reply ? 2 : 1,
                                             .dst = reply ? 1 : 2,
                                             .opcode = IBA_UD_SEND_ONLY,
                                             .p_key = 0xffff,
                                             .dest_qp = 1,
                                             .source_qp = 1,
                                             .words = MAD_WORDS});
    uint8_t *h = datagram(&f);

    iba_madhdr_set_baseversion(h, 1);
    iba_madhdr_set_mgmtclass(h, CM);
    iba_madhdr_set_classversion(h, 2);
    iba_madhdr_set_method(h, SEND);
    iba_madhdr_set_transactionid(h, 9);
    iba_madhdr_set_attributeid(h, attribute);
    return f;
}

Test(cm, phases_of_a_connection_and_of_a_service)
{
    struct frame req = frame_cm(false, IBA_CM_ID_REQ), rep = frame_cm(true, IBA_CM_ID_REP),
                 rtu = frame_cm(false, IBA_CM_ID_RTU), ask = frame_cm(false, IBA_CM_ID_SIDR_REQ),
                 told = frame_cm(true, IBA_CM_ID_SIDR_REP);
    struct feed f;

    feed_open(&f, "cm");
    f.unchecked = true;
    iba_cm_req_set_localcommid(datagram(&req) + IBA_BYTES_madhdr, 1);
    iba_cm_rep_set_localcommid(datagram(&rep) + IBA_BYTES_madhdr, 2);
    iba_cm_rep_set_remotecommid(datagram(&rep) + IBA_BYTES_madhdr, 1);
    iba_cm_rtu_set_localcommid(datagram(&rtu) + IBA_BYTES_madhdr, 1);
    iba_cm_rtu_set_remotecommid(datagram(&rtu) + IBA_BYTES_madhdr, 2);
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
