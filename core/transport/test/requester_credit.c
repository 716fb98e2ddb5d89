/* SPDX-License-Identifier: BSD-2-Clause */
/* End-to-end credits: which messages the limit of the responder stops, and when they ask for an ACK (RQ-41..RQ-45). */
#include "requester.h"

Test(requester_credit, limited_sender_starts_one_message)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_SEND, 1, 4000);
    post(IBA_WR_SEND, 2, 4000);
    EXPECT_SENT(IBA_RC_SEND_FIRST, 100); /* RQ-41 */
    cr_assert_eq(iba_bth_a(b.bth), 1);
    EXPECT_SILENCE();
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 100, .msn = 0});
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 101);
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 102);
    EXPECT_SENT(IBA_RC_SEND_LAST, 103);
    EXPECT_SILENCE(); /* SSN 2 is two beyond LSN 0 */
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 1, .psn = 103, .msn = 1});
    cr_assert_eq(sends_all(), 4); /* LSN 2 */
}

Test(requester_credit, what_takes_no_receive_is_not_limited)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_WRITE, 1, 10);
    post(IBA_WR_READ, 2, 10);
    post(IBA_WR_FETCH_ADD, 3, 8);
    cr_assert_eq(sends_all(), 3); /* RQ-42 */
    cr_assert_eq(b.qp->s.lsn, 3);
    post(IBA_WR_WRITE_IMM, 4, 10);
    post(IBA_WR_WRITE_IMM, 5, 10);
    post(IBA_WR_WRITE, 6, 10);
    EXPECT_SENT(IBA_RC_WRITE_ONLY_IMM, 103);
    EXPECT_SILENCE(); /* the WRITE does not overtake either */
}

/* RQ-42: nor is it after a message beyond the limit that has been sent whole. */
Test(requester_credit, a_write_follows_a_whole_message_beyond_the_limit)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_SEND, 1, 10);
    post(IBA_WR_WRITE, 2, 10);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_WRITE_ONLY, 101);
    EXPECT_SILENCE();
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_SEND, 1, 10);
    post(IBA_WR_WRITE, 2, 3000);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 100);
    EXPECT_SENT(IBA_RC_WRITE_FIRST, 101);
    cr_assert_eq(iba_bth_a(b.bth), 0, "the limit does not stop it, so it asks with its last packet only");
    EXPECT_SENT(IBA_RC_WRITE_MIDDLE, 102);
    EXPECT_SENT(IBA_RC_WRITE_LAST, 103);
    cr_assert_eq(iba_bth_a(b.bth), 1);
}

Test(requester_credit, without_flow_control_there_is_no_limit)
{
    START(IBA_QPT_RC, (void)0);
    for (uint64_t i = 0; i < 20; i++)
        post(IBA_WR_SEND, i, 10);
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 99});
    cr_assert_eq(sends_all(), 20); /* RQ-45 */
}

/* RQ-41: the first packet of a message beyond the limit is sent again like any other, and asks again. An older request
 * that is acknowledged does not let the message go on. */
Test(requester_credit, limited_message_after_another)
{
    START(IBA_QPT_RC, s.flow_control = true);
    post(IBA_WR_WRITE, 1, 10);
    post(IBA_WR_SEND, 2, 3000);
    EXPECT_SENT(IBA_RC_WRITE_ONLY, 100);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_SENT(IBA_RC_SEND_FIRST, 101);
        cr_assert_eq(iba_bth_a(b.bth), 1);
        EXPECT_SILENCE();
        if (i == 0) {
            respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 100, .msn = 1});
            EXPECT_SILENCE();
            wait_until(iba_ca_deadline(&b.ca));
        }
    }
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 0, .psn = 101, .msn = 1});
    EXPECT_SENT(IBA_RC_SEND_MIDDLE, 102);
    cr_assert_eq(iba_bth_a(b.bth), 0);
    EXPECT_SENT(IBA_RC_SEND_LAST, 103);
}

/* RQ-44: sequence numbers have 24 bits. */
Test(requester_credit, sequence_numbers_wrap)
{
    START(IBA_QPT_RC, s.flow_control = true);
    b.qp->s.ssn = b.qp->s.lsn = 0xffffff;
    post(IBA_WR_WRITE, 1, 10);
    post(IBA_WR_SEND, 2, 10);
    post(IBA_WR_SEND, 3, 10);
    EXPECT_SENT(IBA_RC_WRITE_ONLY, 100);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 101);
    cr_assert_eq(b.qp->s.ssn, 1);
    cr_assert_eq(b.qp->s.lsn, 0);
    EXPECT_SENT(IBA_RC_SEND_ONLY, 102); /* one message beyond LSN 0 */
    EXPECT_SILENCE();
    b.qp->s.lsn = 0xfffffe;
    respond((struct response){IBA_RC_ACKNOWLEDGE, .syndrome = 3, .psn = 100, .msn = 0xffffff});
    cr_assert_eq(b.qp->s.lsn, 2);
}
