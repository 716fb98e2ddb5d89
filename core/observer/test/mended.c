/* SPDX-License-Identifier: BSD-2-Clause */
/* Talks in which the observer was wrong once, mostly about packets that others overtook. Each is a simulated network of
 * tools/accuracy, cut down to the packets that matter; the number is that network's. score.c plays the networks. */
#include "rows.h"

#define AFTER(ns, op, n, ...)                                                                                          \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .psn = n, .wait = ns, __VA_ARGS__                                                       \
    }
#define FROM_B(ns, op, n, ...)                                                                                         \
    {                                                                                                                  \
        .opcode = IBA_RC_##op, .from = B, .psn = n, .wait = ns, __VA_ARGS__                                            \
    }
#define ACKED(ns, n, m) FROM_B(ns, ACKNOWLEDGE, n, .syndrome = ACK, .msn = m)
#define NAKED(ns, n, m) FROM_B(ns, ACKNOWLEDGE, n, .syndrome = NAK, .msn = m)
#define REFUSED(ns, n) FROM_B(ns, ACKNOWLEDGE, n, .syndrome = RNR)
#define ONLY(ns, n) AFTER(ns, SEND_ONLY, n, .bytes = 8)
#define ANSWERED(ns, n) FROM_B(ns, READ_RESP_ONLY, n, .bytes = 8, .syndrome = ACK, .msn = 0x203)
#define FIRST(ns, n) FROM_B(ns, READ_RESP_FIRST, n, .bytes = MTU, .syndrome = ACK, .msn = 1)
#define MIDDLE(ns, n) FROM_B(ns, READ_RESP_MIDDLE, n, .bytes = MTU)
#define LAST(ns, n) FROM_B(ns, READ_RESP_LAST, n, .bytes = 88, .syndrome = ACK, .msn = 1)
/* B sends a request, so the capture shows which directions belong together. */
#define PAIRED FROM_B(0, SEND_ONLY, 50, .bytes = 8, .how = ASKING), AFTER(0, ACKNOWLEDGE, 50, .syndrome = ACK, .msn = 1)
/* Three lawful jumps in A's requests or in B's: after them the observer knows that the direction reorders packets. */
#define REORDERS                                                                                                       \
    ONLY(0, 0), ACKED(0, 0, 1), ONLY(0, 2), ONLY(100, 1), ONLY(0, 4), ONLY(100, 3), ONLY(0, 6), ONLY(100, 5),          \
        ACKED(0, 6, 7)
#define B_SENDS(ns, n) FROM_B(ns, SEND_ONLY, n, .bytes = 8)
#define B_REORDERS                                                                                                     \
    PAIRED, B_SENDS(0, 52), B_SENDS(100, 51), B_SENDS(0, 54), B_SENDS(100, 53), B_SENDS(0, 56), B_SENDS(100, 55),      \
        AFTER(0, ACKNOWLEDGE, 56, .syndrome = ACK, .msn = 7)

static struct witness w;

/* Plays the talk, and compares the kinds of its findings with `kinds`. */
static void expect(uint64_t kinds, const struct shot *shot, unsigned n)
{
    iba_time now = MS;

    witness_init(&w, NULL);
    for (unsigned i = 0; i < n; i++)
        shoot(&w, &shot[i], 0, &now);
    iba_observer_end(w.observer, now + 20 * MS);
    for (unsigned k = 0; k < MASKED; k++)
        cr_expect_eq(w.found[k] > 0, kinds >> k & 1, "%s is found %u times", iba_findings[k].name,
                     (unsigned)w.found[k]);
}
#define EXPECT(kinds, ...)                                                                                             \
    do {                                                                                                               \
        static const struct shot talk[] = {__VA_ARGS__};                                                               \
        expect(kinds, talk, sizeof talk / sizeof *talk);                                                               \
    } while (0)

/* The capture begins with 6, which overtook 4 and 5 (9700003). They look like a requester that goes back. */
Test(mended, the_first_captured_request_overtook_two)
{
    EXPECT(0, ONLY(0, 6), ONLY(200, 8), ONLY(450, 4), ACKED(1, 4, 1), ONLY(100, 5), ACKED(1, 6, 3), ONLY(200, 7),
           ACKED(1, 8, 5), ONLY(0, 9), ACKED(1, 9, 6));
}

/* The capture begins with 9, which overtook the READ of 0 to 8; 10 was overtaken as well (9400438). */
Test(mended, the_first_captured_request_overtook_a_read)
{
    EXPECT(0, AFTER(0, WRITE_FIRST, 9, .bytes = MTU, .dma = 5 * MTU), AFTER(300, WRITE_MIDDLE, 12, .bytes = MTU),
           AFTER(100, WRITE_LAST, 13, .bytes = MTU), AFTER(650, READ_REQUEST, 0, .dma = 9 * MTU),
           FROM_B(1, READ_RESP_FIRST, 0, .bytes = MTU, .syndrome = ACK, .msn = 1), ACKED(1, 9, 1),
           AFTER(200, WRITE_MIDDLE, 10, .bytes = MTU), ACKED(1, 10, 1), ONLY(50, 15),
           AFTER(50, WRITE_MIDDLE, 11, .bytes = MTU), ACKED(1, 13, 2), ONLY(100, 14), ACKED(1, 15, 4));
}

/* Requests after the refused one, which were overtaken, come before the wait of the RNR NAK is over: it has no effect
 * on them. It has its effect when the refused one comes again (9700109). */
Test(mended, an_rnr_nak_has_no_effect_before_its_wait_is_over)
{
    EXPECT(K(RNR) | K(RETRY_RNR) | K(GAP) | K(LATE), REFUSED(0, 0), ONLY(100, 1), ONLY(100, 2), ONLY(100, 3),
           ONLY(100, 4), ONLY(100, 5), ONLY(100, 6), ONLY(2 * MS, 0), REFUSED(1, 0), ONLY(100, 1), ONLY(100, 4),
           ONLY(100, 5), ONLY(1100, 2), ONLY(100, 3), ONLY(100, 6), ONLY(2 * MS, 0), ACKED(1, 0, 1), ONLY(100, 1),
           ONLY(100, 2), ONLY(100, 3), ONLY(100, 4), ONLY(100, 5), ONLY(100, 6), ACKED(1, 6, 7));
}

/* 7 is lost. Of the retransmissions 10 overtakes 7 and 8, and 13 overtakes 12: 7 does not make the requester go back
 * again, and 14 jumps over nothing (9700192, 9700240). */
Test(mended, a_late_packet_begins_no_second_run)
{
    EXPECT(K(REORDERED) | K(GAP) | K(NAK_SEQUENCE) | K(RETRY_NAK), REORDERS, ONLY(0, 8), ONLY(100, 9), ONLY(100, 10),
           ONLY(100, 11), ONLY(100, 12), ONLY(100, 13), ONLY(100, 14), NAKED(1, 7, 7), ONLY(10000, 10), ONLY(100, 11),
           ONLY(100, 13), ONLY(100, 7), ACKED(1, 7, 8), ONLY(100, 14), ONLY(100, 8), ONLY(100, 9), ONLY(100, 12),
           ACKED(1, 14, 15));
    cr_expect_eq(w.found[IBA_FINDING_GAP], 1, "%u", (unsigned)w.found[IBA_FINDING_GAP]);
}

/* The capture lacks the READ. Its responses 4 and 5 are overtaken, and come just after the requester asks for them
 * again: both belong to the first answer (9700004). */
Test(mended, two_overtaken_responses_belong_to_one_answer)
{
    EXPECT(K(RESPONSE_GAP) | K(LATE) | K(ANSWER_AGAIN), PAIRED, MIDDLE(0, 2), MIDDLE(100, 3), MIDDLE(100, 6),
           LAST(100, 7), AFTER(450, READ_REQUEST, 4, .dma = 3 * MTU + 88), MIDDLE(1, 4), MIDDLE(100, 5),
           FIRST(10000, 4), MIDDLE(100, 5), MIDDLE(100, 6), LAST(100, 7));
    cr_expect_eq(w.found[IBA_FINDING_RESPONSE_GAP], 1, "%u", (unsigned)w.found[IBA_FINDING_RESPONSE_GAP]);
}

/* Response 10 is lost, so the READ comes again for the rest. 12 overtakes 10 and 11, and 11 comes after 14: it is not
 * the newest one, so 15 jumps over nothing (9700084). */
Test(mended, a_response_inside_a_repeated_answer_is_overtaken)
{
    EXPECT(K(REORDERED) | K(RESPONSE_GAP) | K(RETRY_IMPLIED) | K(ANSWER_AGAIN), B_REORDERS,
           AFTER(0, READ_REQUEST, 7, .dma = 10 * MTU + 88), FIRST(10000, 7), MIDDLE(100, 8), MIDDLE(100, 9),
           MIDDLE(100, 11), MIDDLE(100, 12), MIDDLE(100, 13), MIDDLE(100, 14), MIDDLE(100, 15), MIDDLE(100, 16),
           LAST(100, 17), AFTER(10000, READ_REQUEST, 10, .dma = 7 * MTU + 88), MIDDLE(10000, 12), MIDDLE(100, 13),
           FIRST(50, 10), MIDDLE(50, 14), MIDDLE(50, 11), MIDDLE(50, 15), MIDDLE(100, 16), LAST(100, 17));
    cr_expect_leq(w.found[IBA_FINDING_RESPONSE_GAP], 2, "%u", (unsigned)w.found[IBA_FINDING_RESPONSE_GAP]);
}

/* The only round trip that the capture shows is 20 us, and the requester obeys the NAK after less than half of it
 * (9322082). That it goes on from there shows that 2 is not late. */
Test(mended, a_nak_is_obeyed_in_half_the_known_round_trip)
{
    EXPECT(K(GAP) | K(NAK_SEQUENCE) | K(RETRY_NAK), B_SENDS(0, 50),
           AFTER(20100, ACKNOWLEDGE, 50, .syndrome = ACK, .msn = 1), ONLY(100, 1), ONLY(100, 3), ONLY(100, 4),
           NAKED(9800, 2, 2), ONLY(10000, 2), ONLY(100, 3), ONLY(100, 4), ACKED(1, 4, 4));
}

/* The MSNs of responses count messages whose requests the capture lacks. Then a READ comes again, and is the first
 * request in the capture (network 9700186). */
Test(mended, the_count_waits_while_requests_are_not_captured)
{
    EXPECT(K(RESPONSE_GAP) | K(ANSWER_AGAIN) | K(NOT_CAPTURED), PAIRED, MIDDLE(0, 1), MIDDLE(100, 3),
           AFTER(1, READ_REQUEST, 2, .dma = 2 * MTU + 88), LAST(100, 4), ACKED(100, 5, 2), ACKED(100, 6, 3),
           FROM_B(10000, READ_RESP_FIRST, 2, .bytes = MTU, .syndrome = ACK, .msn = 3), MIDDLE(100, 3),
           FROM_B(100, READ_RESP_LAST, 4, .bytes = 88, .syndrome = ACK, .msn = 3), ONLY(0, 7), ACKED(1, 7, 4));
}

/* The first requests of the capture come long after its first packet, and are READs that a timer sends again. Their
 * responses have one and the same MSN (9323780). */
Test(mended, the_count_begins_with_the_first_request)
{
    EXPECT(0, FROM_B(0, READ_REQUEST, 50, .dma = 8),
           AFTER(1, READ_RESP_ONLY, 50, .bytes = 8, .syndrome = ACK, .msn = 1),
           AFTER(50 * MS, READ_REQUEST, 1, .dma = 8), ANSWERED(1, 1), AFTER(100, READ_REQUEST, 2, .dma = 8),
           ANSWERED(1, 2), AFTER(100, READ_REQUEST, 3, .dma = 8), ANSWERED(1, 3));
}

/* The capture lacks the READ, and has it when it comes again for the rest. The Last comes before the First then: it
 * answers that READ, and the network did not copy it (9323857, 9320702). */
Test(mended, an_answer_to_a_read_that_comes_again_is_no_copy)
{
    EXPECT(K(RESPONSE_GAP) | K(ANSWER_AGAIN), MIDDLE(0, 1), MIDDLE(100, 3), LAST(100, 4),
           AFTER(10000, READ_REQUEST, 2, .dma = 2 * MTU + 88), LAST(10200, 4), FIRST(50, 2), MIDDLE(100, 3), ONLY(0, 5),
           ACKED(10000, 5, 2));
}
