/* SPDX-License-Identifier: BSD-2-Clause */
/* Why some true findings are hidden. Two histories leave the same packets at the same times in the capture, and each
 * has a different truth. A finding that is required for one would be wrong for the other. */
#include <criterion/criterion.h>
#include <string.h>
#include "score.h"
#include "wire/iba_opcode_rows.h"

/* SHORT_WAIT, LONG_WAIT: RNR timer codes: 10 us, 480 us */
enum { PSN = 10, US = 1000, SHORT_WAIT = 1, LONG_WAIT = 11 };
static struct score_run timer, response;    /* the two reasons for the retransmission */
static struct score_run go_back, selective; /* the two kinds of adapters */

/* Sends a packet. `cause` is the frame of the response that made the sender go back, plus 1, or 0 if its timer did.
 * Lost packets are lost before the capture point. */
static struct score_frame *send_one(struct score_run *r, struct score_frame f, iba_time at, bool lost)
{
    const uint32_t id = r->n_frame++;

    f.n = 1;
    r->frame[id] = f;
    if (!lost)
        r->sight[r->n_sight++] = (struct score_sight){.frame = id, .at = at, .seen = true};
    return &r->frame[id];
}

static struct score_frame request(uint32_t psn)
{
    return (struct score_frame){
        .psn = iba_psn_of(psn), .from = 1, .request = true, .asks = true, .accepted = true, .opcode = IBA_RC_SEND_ONLY};
}

static struct score_frame again(uint32_t psn, uint64_t why, uint32_t cause, uint32_t run)
{
    struct score_frame f = request(psn);

    f.retry = why;
    f.cause = cause;
    f.run = run;
    return f;
}

static struct score_frame refusal(uint64_t nak, uint8_t code)
{
    return (struct score_frame){
        .psn = iba_psn_of(PSN), .plain = true, .nak = nak, .credits = code, .opcode = IBA_RC_ACKNOWLEDGE};
}

/* Checks that both histories leave the same capture: the headers, content, times and order of its packets. */
static void expect_same_capture(const struct score_run *one, const struct score_run *other)
{
    cr_assert_eq(one->n_sight, other->n_sight);
    for (uint32_t i = 0; i < one->n_sight; i++) {
        const struct score_sight *a = &one->sight[i], *b = &other->sight[i];
        struct score_frame f = one->frame[a->frame];
        const struct score_frame *g = &other->frame[b->frame];
        f.retry = g->retry; /* only the sender knows this */
        f.cause = g->cause;
        f.run = g->run;
        f.accepted = g->accepted; /* only the receiver knows this */
        cr_expect_eq(memcmp(&f, g, sizeof f), 0, "packet %u", i + 1);
        cr_expect_eq(a->at, b->at, "packet %u", i + 1);
    }
}

/* A NAK asks for PSN, which was lost. Its first retransmission is lost, too. The second has one of two reasons: a timer
 * ran out, or the network copied the NAK after the capture point, and the copy made the requester go back twice. */
static void after_a_nak(struct score_run *r, uint64_t why)
{
    const uint32_t nak = 4; /* the frame of the NAK, plus 1 */
    const uint32_t cause = why == SCORE_KIND(RETRY_NAK) ? nak : 0;

    memset(r, 0, sizeof *r);
    send_one(r, request(PSN - 1), 0, false);
    send_one(r, request(PSN), 0, true);
    send_one(r, request(PSN + 1), 1 * US, false);
    send_one(r, refusal(SCORE_KIND(NAK_SEQUENCE), 0), 1 * US, false);
    send_one(r, again(PSN, SCORE_KIND(RETRY_NAK), nak, 4), 0, true);
    send_one(r, again(PSN + 1, SCORE_KIND(RETRY_NAK), nak, 4), 11 * US, false);
    send_one(r, again(PSN, why, cause, 6), 76 * US, false);
    send_one(r, again(PSN + 1, why, cause, 6), 76 * US, false);
}

/* A requester goes back for one reason. So when the reason of the first retransmission is hidden, the reason of the
 * following ones is hidden, too. */
Test(score_same, run)
{
    after_a_nak(&timer, SCORE_KIND(RETRY_TIMEOUT));
    after_a_nak(&response, SCORE_KIND(RETRY_NAK));
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    const struct score_sight *const a = &timer.sight[timer.n_sight - 1], *const b = &response.sight[timer.n_sight - 1];
    cr_expect(b->must & SCORE_KIND(RETRY_NAK));
    cr_expect(a->either & SCORE_KIND(RETRY_NAK));
    cr_expect(a->hidden & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not(a->must & (SCORE_KIND(RETRY_NAK) | SCORE_KIND(RETRY_TIMEOUT)));
}

/* Either the requester waited as an RNR NAK asked, or the RNR NAK was lost after the capture point, and the requester's
 * timer ran out. */
static void after_an_rnr_nak(struct score_run *r, uint64_t why, uint8_t code)
{
    memset(r, 0, sizeof *r);
    send_one(r, request(PSN), 0, false);
    send_one(r, refusal(SCORE_KIND(RNR), code), 0, false);
    send_one(r, again(PSN, why, why == SCORE_KIND(RETRY_RNR) ? 2 : 0, 2), 76 * US, false);
}

Test(score_same, rnr)
{
    after_an_rnr_nak(&timer, SCORE_KIND(RETRY_TIMEOUT), SHORT_WAIT);
    after_an_rnr_nak(&response, SCORE_KIND(RETRY_RNR), SHORT_WAIT);
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    cr_expect(response.sight[2].must & SCORE_KIND(RETRY_RNR));
    cr_expect(timer.sight[2].either & SCORE_KIND(RETRY_RNR));
    cr_expect(timer.sight[2].hidden & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not(timer.sight[2].must & (SCORE_KIND(RETRY_RNR) | SCORE_KIND(RETRY_TIMEOUT)));
}

/* A requester does not go back for an RNR NAK before the wait is over (RQ-28). So the capture shows that the timer ran
 * out. */
Test(score_same, rnr_too_soon)
{
    after_an_rnr_nak(&timer, SCORE_KIND(RETRY_TIMEOUT), LONG_WAIT);
    score_truth(&timer);
    cr_expect(timer.sight[2].must & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not(timer.sight[2].either & SCORE_KIND(RETRY_RNR));
    cr_expect(timer.sight[2].either & SCORE_KIND(RNR_EARLY)); /* it does come before the wait is over */
}

/* The requester gets a NAK, and obeys it late; or the NAK was lost after the capture point, and a timer ran out. So the
 * NAK may be one without effect. */
static void after_a_late_nak(struct score_run *r, uint64_t why)
{
    memset(r, 0, sizeof *r);
    send_one(r, request(PSN - 1), 0, false);
    send_one(r, request(PSN), 0, true);
    send_one(r, request(PSN + 1), 1 * US, false);
    send_one(r, refusal(SCORE_KIND(NAK_SEQUENCE), 0), 1 * US, false);
    send_one(r, again(PSN, why, why == SCORE_KIND(RETRY_NAK) ? 4 : 0, 4), 76 * US, false);
}

Test(score_same, ignored)
{
    after_a_late_nak(&timer, SCORE_KIND(RETRY_TIMEOUT));
    after_a_late_nak(&response, SCORE_KIND(RETRY_NAK));
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    const struct score_sight *const a = &timer.sight[2], *const b = &response.sight[2];
    cr_expect_eq(timer.frame[a->frame].nak, SCORE_KIND(NAK_SEQUENCE));
    cr_expect(a->either & SCORE_KIND(NAK_IGNORED));
    cr_expect_not(a->must & SCORE_KIND(NAK_IGNORED));
    cr_expect_not(b->must & SCORE_KIND(NAK_IGNORED));
}

/* The capture begins after the first two packets. Either a timer sends PSN again; or the second packet was a NAK, which
 * the requester obeys late. */
static void after_the_beginning(struct score_run *r, uint64_t why, iba_time at)
{
    memset(r, 0, sizeof *r);
    r->mode = SCORE_MIDSTREAM;
    send_one(r, request(PSN), 0, false);
    send_one(r, refusal(why == SCORE_KIND(RETRY_NAK) ? SCORE_KIND(NAK_SEQUENCE) : 0, 0), 1 * US, false);
    r->sight[0].seen = r->sight[1].seen = false;
    send_one(r, request(PSN + 1), 2 * US, false);
    send_one(r, again(PSN, why, why == SCORE_KIND(RETRY_NAK) ? 2 : 0, 3), at, false);
}

Test(score_same, begun)
{
    after_the_beginning(&timer, SCORE_KIND(RETRY_TIMEOUT), 76 * US);
    after_the_beginning(&response, SCORE_KIND(RETRY_NAK), 76 * US);
    timer.frame[1] = response.frame[1]; /* no capture has it */
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    cr_expect(timer.sight[3].hidden & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not(timer.sight[3].must & SCORE_KIND(RETRY_TIMEOUT));
}

/* The NAK is so old that no requester obeys it any more. */
Test(score_same, begun_long_ago)
{
    after_the_beginning(&timer, SCORE_KIND(RETRY_TIMEOUT), 11000 * US);
    score_truth(&timer);
    cr_expect(timer.sight[3].must & SCORE_KIND(RETRY_TIMEOUT));
}

/* After an RNR NAK the requester sends PSN and PSN + 1 again. Either PSN + 1 is lost before the capture point, and a
 * timer sends it once more; or link-level flow control stops the requester between the two (7.9). */
static void after_a_pause(struct score_run *r, uint64_t why, iba_time at)
{
    const uint32_t rnr = 3; /* the frame of the RNR NAK, plus 1 */
    const bool timed = why == SCORE_KIND(RETRY_TIMEOUT);

    memset(r, 0, sizeof *r);
    send_one(r, request(PSN), 0, false);
    send_one(r, request(PSN + 1), 0, false);
    send_one(r, refusal(SCORE_KIND(RNR), SHORT_WAIT), 0, false);
    send_one(r, again(PSN, SCORE_KIND(RETRY_RNR), rnr, 3), 11 * US, false);
    if (timed)
        send_one(r, again(PSN + 1, SCORE_KIND(RETRY_RNR), rnr, 3), 11 * US, true);
    send_one(r, refusal(0, 31), 11 * US, false);
    send_one(r, again(PSN + 1, why, timed ? 0 : rnr, timed ? 6 : 3), at, false);
}

Test(score_same, paused)
{
    after_a_pause(&timer, SCORE_KIND(RETRY_TIMEOUT), 80 * US);
    after_a_pause(&response, SCORE_KIND(RETRY_RNR), 80 * US);
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    const struct score_sight *const a = &timer.sight[5], *const b = &response.sight[5];
    cr_expect(b->must & SCORE_KIND(RETRY_RNR));
    cr_expect(a->either & SCORE_KIND(RETRY_RNR));
    cr_expect(a->hidden & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not(a->must & (SCORE_KIND(RETRY_RNR) | SCORE_KIND(RETRY_TIMEOUT)));
}

/* No pause frame stops a requester for a whole millisecond. */
Test(score_same, paused_too_long)
{
    after_a_pause(&timer, SCORE_KIND(RETRY_TIMEOUT), 1100 * US);
    score_truth(&timer);
    cr_expect(timer.sight[5].must & SCORE_KIND(RETRY_TIMEOUT));
}

/* PSN comes directly after PSN + 1. Either PSN is lost before the capture point, and the timer that sends it again ran
 * out before PSN + 1 was sent; or PSN + 1 has overtaken it. */
static void after_another(struct score_run *r, uint64_t why, iba_time at)
{
    memset(r, 0, sizeof *r);
    send_one(r, request(PSN - 1), 0, false);
    struct score_frame ack = refusal(0, 31);
    ack.psn = iba_psn_of(PSN - 1);
    send_one(r, ack, 0, false);
    if (why) {
        send_one(r, request(PSN), 0, true);
        send_one(r, request(PSN + 1), 100 * US, false);
        send_one(r, again(PSN, why, 0, 4), at, false);
        return;
    }
    send_one(r, request(PSN + 1), 100 * US, false)->psn = iba_psn_of(PSN);
    send_one(r, request(PSN), at, false)->psn = iba_psn_of(PSN + 1);
    r->sight[2].frame = 3;
    r->sight[3].frame = 2;
}

Test(score_same, overtaken)
{
    after_another(&timer, SCORE_KIND(RETRY_TIMEOUT), 101 * US);
    after_another(&response, 0, 101 * US);
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    cr_expect(response.sight[3].hidden & SCORE_KIND(LATE));
    cr_expect(timer.sight[3].either & SCORE_KIND(LATE));
}

/* A packet that comes a round trip after another has overtaken it is likelier to be a retransmission. */
Test(score_same, overtaken_long_ago)
{
    after_another(&timer, SCORE_KIND(RETRY_TIMEOUT), 150 * US);
    score_truth(&timer);
    cr_expect_not(timer.sight[3].either & SCORE_KIND(LATE));
}

/* The capture lacks packets, and a SEND comes again. Either its acknowledgement was lost after the capture point, and
 * the timer ran out; or the capture lacks the RNR NAK for the SEND. */
static void after_a_hole(struct score_run *r, uint64_t why, bool acknowledged)
{
    const bool timed = why == SCORE_KIND(RETRY_TIMEOUT);

    memset(r, 0, sizeof *r);
    r->mode = SCORE_LOSSY;
    send_one(r, request(PSN), 0, false);
    send_one(r, refusal(timed ? 0 : SCORE_KIND(RNR), timed ? 31 : SHORT_WAIT), 1 * US, false);
    r->sight[1].seen = acknowledged;
    send_one(r, again(PSN, why, timed ? 0 : 2, 2), 76 * US, false);
}

Test(score_same, not_captured)
{
    after_a_hole(&timer, SCORE_KIND(RETRY_TIMEOUT), false);
    after_a_hole(&response, SCORE_KIND(RETRY_RNR), false);
    timer.frame[1] = response.frame[1]; /* no capture has it */
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    cr_expect(response.sight[2].hidden & SCORE_KIND(RETRY_RNR));
    cr_expect(response.sight[2].either & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect(timer.sight[2].hidden & SCORE_KIND(RETRY_TIMEOUT));
    cr_expect_not((timer.sight[2].must | response.sight[2].must) & ~SCORE_KIND(RNR));
}

/* A responder refuses no request that it has acknowledged (RR-24). So the capture shows that the timer ran out. */
Test(score_same, acknowledged)
{
    after_a_hole(&timer, SCORE_KIND(RETRY_TIMEOUT), true);
    score_truth(&timer);
    cr_expect(timer.sight[2].must & SCORE_KIND(RETRY_TIMEOUT));
}

/* ---- packets that a requester does not send again ---- */

/* Two packets are lost, PSN before the capture point and PSN + 1 after it. The requester sends PSN again for a NAK. An
 * adapter that goes back sends PSN + 1 again, too, which is lost; one with selective repeat does not. Both go on with
 * PSN + 2. */
static void after_a_single_retransmission(struct score_run *r, enum score_network network)
{
    const uint32_t nak = 4; /* the frame of the NAK, plus 1 */

    memset(r, 0, sizeof *r);
    r->network = network;
    send_one(r, request(PSN - 1), 0, false);
    send_one(r, request(PSN), 0, true);
    send_one(r, request(PSN + 1), 1 * US, false)->accepted = network == SCORE_PLAIN;
    send_one(r, refusal(SCORE_KIND(NAK_SEQUENCE), 0), 1 * US, false);
    send_one(r, again(PSN, SCORE_KIND(RETRY_NAK), nak, 4), 11 * US, false);
    if (network == SCORE_PLAIN)
        send_one(r, again(PSN + 1, SCORE_KIND(RETRY_NAK), nak, 4), 11 * US, true);
    send_one(r, request(PSN + 2), 12 * US, false);
    struct score_frame second = refusal(SCORE_KIND(NAK_SEQUENCE), 0);
    second.psn = iba_psn_of(PSN + 1);
    send_one(r, second, 12 * US, false);
}

/* RQ-21 and RQ-26 allow a requester to go back, and to repeat one packet only. So a GAP that is true for one requester
 * is wrong for another. */
Test(score_same, skipped)
{
    after_a_single_retransmission(&go_back, SCORE_PLAIN);
    after_a_single_retransmission(&selective, SCORE_SELECTIVE);
    expect_same_capture(&go_back, &selective);
    score_truth(&go_back);
    score_truth(&selective);
    const struct score_sight *const a = &go_back.sight[4], *const b = &selective.sight[4];
    cr_expect_eq(go_back.frame[a->frame].psn.v, (uint32_t)PSN + 2);
    cr_expect(a->hidden & SCORE_KIND(GAP));
    cr_expect_not(a->must & SCORE_KIND(GAP));
    cr_expect_not((b->must | b->hidden | b->either) & SCORE_KIND(GAP));
}

/* PSN + 1 is lost before the capture point. Either the capture begins with the connection, or it begins with a
 * retransmission of PSN, after PSN + 1 was sent. */
static void at_the_beginning(struct score_run *r, enum score_network network)
{
    memset(r, 0, sizeof *r);
    r->network = network;
    if (network == SCORE_SELECTIVE)
        send_one(r, request(PSN), 0, true);
    else
        send_one(r, request(PSN), 100 * US, false);
    send_one(r, request(PSN + 1), 0, true);
    if (network == SCORE_SELECTIVE)
        send_one(r, again(PSN, SCORE_KIND(RETRY_TIMEOUT), 0, 2), 100 * US, false);
    struct score_frame ack = refusal(0, 31);
    send_one(r, ack, 100 * US, false);
    send_one(r, request(PSN + 2), 110 * US, false);
    struct score_frame nak = refusal(SCORE_KIND(NAK_SEQUENCE), 0);
    nak.psn = iba_psn_of(PSN + 1);
    send_one(r, nak, 110 * US, false);
}

Test(score_same, beginning)
{
    at_the_beginning(&go_back, SCORE_PLAIN);
    at_the_beginning(&selective, SCORE_SELECTIVE);
    expect_same_capture(&go_back, &selective);
    score_truth(&go_back);
    score_truth(&selective);
    const struct score_sight *const a = &go_back.sight[2], *const b = &selective.sight[2];
    cr_expect_eq(go_back.frame[a->frame].psn.v, (uint32_t)PSN + 2);
    cr_expect(a->hidden & SCORE_KIND(GAP));
    cr_expect_not(a->must & SCORE_KIND(GAP));
    cr_expect_not((b->must | b->hidden | b->either) & SCORE_KIND(GAP));
}

/* The capture begins after the first three packets, of which PSN + 1 was lost. It shows a NAK and the packet that this
 * asks for. An adapter that goes back sends PSN + 1 again, too, which is lost; one with selective repeat does not. */
static void asked_at_the_beginning(struct score_run *r, enum score_network network)
{
    const uint32_t nak = 4; /* the frame of the NAK, plus 1 */

    memset(r, 0, sizeof *r);
    r->network = network;
    r->mode = SCORE_MIDSTREAM;
    send_one(r, request(PSN), 0, true);
    send_one(r, request(PSN + 1), 0, true);
    send_one(r, request(PSN + 2), 0, true);
    send_one(r, refusal(SCORE_KIND(NAK_SEQUENCE), 0), 10 * US, false);
    send_one(r, again(PSN, SCORE_KIND(RETRY_NAK), nak, 4), 10 * US, false);
    if (network == SCORE_PLAIN) {
        send_one(r, again(PSN + 1, SCORE_KIND(RETRY_NAK), nak, 4), 10 * US, true);
        send_one(r, again(PSN + 2, SCORE_KIND(RETRY_NAK), nak, 4), 10 * US, true);
    }
    send_one(r, request(PSN + 3), 11 * US, false);
}

Test(score_same, asked)
{
    asked_at_the_beginning(&go_back, SCORE_PLAIN);
    asked_at_the_beginning(&selective, SCORE_SELECTIVE);
    expect_same_capture(&go_back, &selective);
    score_truth(&go_back);
    score_truth(&selective);
    const struct score_sight *const a = &go_back.sight[2], *const b = &selective.sight[2];
    cr_expect_eq(go_back.frame[a->frame].psn.v, (uint32_t)PSN + 3);
    cr_expect(a->hidden & SCORE_KIND(GAP));
    cr_expect_not(a->must & SCORE_KIND(GAP));
    cr_expect_not(b->must & SCORE_KIND(GAP));
}

/* ---- packets that overtake others ---- */

/* The capture begins with PSN + 2, which has overtaken PSN. Its receiver waited for both, and PSN + 1 came before the
 * capture began; or PSN + 1 is lost. */
static void around_the_beginning(struct score_run *r, bool lost)
{
    memset(r, 0, sizeof *r);
    r->network = SCORE_REORDERING;
    r->mode = SCORE_MIDSTREAM;
    send_one(r, request(PSN), 0, true);
    send_one(r, request(PSN + 1), 0, true)->accepted = !lost;
    send_one(r, request(PSN + 2), 1 * US, false);
    send_one(r, refusal(0, 31), 1 * US, false)->psn = iba_psn_of(PSN - 1);
    r->sight[r->n_sight++] = (struct score_sight){.frame = 0, .at = 2 * US, .seen = true};
}

Test(score_same, overtaken_at_the_beginning)
{
    around_the_beginning(&timer, false);
    around_the_beginning(&response, true);
    expect_same_capture(&timer, &response);
    score_truth(&timer);
    score_truth(&response);
    for (unsigned i = 0; i < 2; i++) {
        const struct score_sight *const e = &(i ? &response : &timer)->sight[2];
        cr_expect(e->either & SCORE_KIND(LATE));
        cr_expect_not(e->must & SCORE_KIND(LATE));
    }
}

/* ---- packets cut after their headers ---- */

/* The second packet has other headers than its neighbours, but their addresses, their QP and the next PSN. Either it
 * was sent like that; or it was damaged in flight, and its receiver dropped it. Without its ICRC the capture does not
 * show which. */
static void with_other_headers(struct score_run *r, bool damaged)
{
    memset(r, 0, sizeof *r);
    r->mode = SCORE_CUT;
    send_one(r, request(PSN - 1), 0, false);
    send_one(r, request(PSN), 0, false)->accepted = !damaged;
    r->sight[1].disguised = r->sight[1].refused = r->sight[1].headers_damaged = damaged;
    r->sight[1].names = true;
    send_one(r, request(PSN + 1), 1 * US, false);
}

Test(score_same, damaged)
{
    static struct score_run damaged, sent;

    with_other_headers(&damaged, true);
    with_other_headers(&sent, false);
    expect_same_capture(&damaged, &sent);
    score_truth(&damaged);
    score_truth(&sent);
    cr_expect(damaged.sight[2].either & SCORE_KIND(GAP));
    cr_expect_not((damaged.sight[2].must | sent.sight[2].must) & SCORE_KIND(GAP));
}

/* If the damage is in the PSN, the packet is missing in the capture like a lost one. */
Test(score_same, damaged_psn)
{
    with_other_headers(&go_back, true);
    go_back.sight[1].names = false;
    score_truth(&go_back);
    cr_expect(go_back.sight[2].must & SCORE_KIND(GAP));
}
