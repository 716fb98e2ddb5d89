/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable datagrams: the requester's row that only EE contexts have, tested alone (the responder's are in
 * responder_rules.c); headers and receives of contexts. */
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

/* A reserved opcode of RD: both headers are read from the payload if it has room for both. */
Test(rd, a_reserved_opcode_is_of_a_context_if_both_headers_fit)
{
    enum { RESERVED = 0x5f, HEADERS = 12 };

    bed_make(&bed, IBA_PORT_IB, false);
    as_context(&bed);
    memset(bed.payload, 0, sizeof bed.payload);
    bed.payload[3] = RC_QPN;
    for (size_t n = 0; n <= 16; n += 4) {
        ask(&bed, RESERVED, 0, n);
        iba_bth_set_destqp(PART(&bed, bth), UD_QPN);
        give(&bed);
        cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "no_qp"), n < HEADERS, "%zu bytes", n);
    }
    bed.payload[3] = UC_QPN;
    give(&bed);
    cr_expect_eq(hits(&bed, IBA_TABLE_VALIDATE, "no_qp"), 1, "no EE context");
}

/* An RD QP gets back the receive that a context has taken for it, wherever the context is in the table. */
Test(rd, a_receive_is_taken_back_from_any_context)
{
    static const unsigned places[] = {0, 1, 15};
    uint64_t id;

    for (unsigned i = 0; i < COUNT(places); i++) {
        struct iba_qp **at;
        bed_make(&bed, IBA_PORT_IB, false);
        as_context(&bed);
        for (at = bed.qp_slot; *at != &bed.rc; at++)
            ;
        *at = bed.qp_slot[places[i]];
        bed.qp_slot[places[i]] = &bed.rc;
        bed.rc.ee.receiver = UD_QPN;
        bed.rc.r.has_wqe = true;
        bed.rc.r.wqe.wr_id = 99;
        bed.rc.r.op = IBA_RD_SEND_FIRST;
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.uc, &id), "of another QP");
        bed.rc.type = IBA_QPT_RC;
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.ud, &id), "no context");
        bed.rc.type = IBA_QPT_EE;
        id = 0;
        cr_expect(iba_rd_take_back(&bed.ca, &bed.ud, &id) && id == 99, "place %u", places[i]);
        cr_expect(!bed.rc.r.has_wqe && bed.rc.r.op == IBA_NO_MESSAGE);
        cr_expect_not(iba_rd_take_back(&bed.ca, &bed.ud, &id), "twice");
    }
}
