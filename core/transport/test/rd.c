/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable datagrams: the requester's row that only EE contexts have, hit alone. The responder's are in
 * responder_rules.c. */
#include "receive.h"
#include "transport/iba_rd.h"
#include "xrc_rd_requests.h"

static struct bed bed;

/* An EE context in which a message of the QP bed.ud is in flight. */
static void send_for_ud(void)
{
    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    bed.rc.ee.sender = bed.ud.qpn;
}

static uint32_t dropped_for(const struct iba_qp *to)
{
    ask(&bed, IBA_RD_ACKNOWLEDGE, 0, 0);
    iba_bth_set_destqp(PART(&bed, bth), to->qpn);
    iba_rdeth_set_eecnxt(PART(&bed, rdeth), bed.rc.qpn);
    give(&bed);
    return hits(&bed, IBA_TABLE_RC_COMPLETER, "RD_OTHER_SENDER");
}

Test(rd, a_response_is_for_the_sender_of_the_message)
{
    send_for_ud();
    cr_expect_eq(dropped_for(&bed.uc), 1);
    cr_expect_eq(dropped_for(&bed.ud), 0);
}
