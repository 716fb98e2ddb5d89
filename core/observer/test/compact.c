/* SPDX-License-Identifier: BSD-2-Clause */
/* The short form of a direction at rest: the members that it keeps, and which directions need a report at the end. */
#include <criterion/criterion.h>
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_request.h"
#include "wire/iba_opcode_rows.h"

static struct iba_observer state;
static struct iba_flow flow, other;

enum { HIGH = 20, AT = 9000, GENERATION = 3 };
static struct iba_known short_form;

/* A direction whose last request has PSN 19. All its flags are `flags`. */
static void begin(bool flags)
{
    struct iba_obs_requests *q = &flow.rq;

    memset(&flow, 0, sizeof flow);
    flow.svc = IBA_RC;
    flow.peer = 7;
    flow.tries = 5;
    flow.touched = (UINT64_C(1) << 32) + 9;
    flow.pkey = 0x8123;
    flow.credits = 17;
    flow.pmtu = 4096;
    flow.guess = flow.once = flow.has_pkey = flow.has_aeth = flow.pmtu_sure = flags;
    flow.ip_id[0].last = 0x1234, flow.ip_id[0].trust = 8, flow.ip_id[0].any = true;
    flow.ip_id[1].last = 0x4321, flow.ip_id[1].trust = 3, flow.ip_id[1].any = flags;
    flow.last = (struct iba_obs_mark){60, 61, 62};
    q->any = true;
    q->first = (iba_psn){1}, q->high = q->seq = (iba_psn){HIGH};
    q->next = (iba_psn){HIGH - 2}, q->una = (iba_psn){HIGH - 5};
    q->answered = q->counts = flags;
    q->messages = 9, q->msn_lo = 100, q->msn_hi = 105, q->dma_left = 77;
    q->message = IBA_MESSAGE_WRITE;
    q->last = (struct iba_obs_mark){50, 51, 52};
    q->generation = GENERATION;
    q->sent[HIGH - 1] = (struct iba_obs_sent){.mark = q->last,
                                              .psn = {HIGH - 1},
                                              .generation = GENERATION,
                                              .opcode = IBA_RC_SEND_ONLY,
                                              .request = 0xabcd,
                                              .content = 0x1234};
}

/* The direction rests, and comes back into the flow `other`. */
static void rest(void)
{
    memset(&short_form, 0, sizeof short_form);
    memset(&other, 0, sizeof other);
    iba_obs_keep(&short_form, &flow);
    iba_obs_resume(&other, &short_form, AT);
}

static void asks(uint64_t frame, uint32_t psn, uint32_t again)
{
    flow.rq.ask.any = true;
    flow.rq.ask.psn = (iba_psn){psn};
    flow.rq.ask.again = again;
    flow.rq.ask.mark = flow.rq.ask.last = (struct iba_obs_mark){frame, frame + 1, 44};
}

static bool is(const struct iba_obs_mark *m, uint64_t frame, uint64_t tag, iba_time at)
{
    return m->frame == frame && m->tag == tag && m->at == at;
}

static void a_direction_that_rested_is_as_before(void)
{
    for (unsigned flags = 0; flags < 2; flags++) {
        const struct iba_obs_requests *q = &other.rq;
        begin(flags);
        rest();
        cr_expect(other.peer == 7 && other.tries == 5 && other.touched == 9 && other.pkey == 0x8123);
        cr_expect(other.credits == 17 && other.pmtu == 4096 && is(&other.last, 50, 51, AT));
        cr_expect(other.guess == flags && other.once == flags && other.has_pkey == flags && other.has_aeth == flags);
        cr_expect(!other.has_qkey && other.pmtu_sure == flags);
        cr_expect(other.ip_id[0].last == 0x1234 && other.ip_id[0].trust == 8 && other.ip_id[0].any);
        cr_expect(other.ip_id[1].any == flags && other.ip_id[1].trust == (flags ? 3 : 0));
        cr_expect(q->any && q->first.v == HIGH && q->high.v == HIGH && q->seq.v == HIGH);
        cr_expect(q->next.v == HIGH - 2 && q->una.v == HIGH - 5 && q->answered == flags && q->counts == flags);
        cr_expect(q->messages == 9 && q->msn_lo == 100 && q->msn_hi == 105 && q->dma_left == 77);
        cr_expect(q->message == IBA_MESSAGE_WRITE && is(&q->last, 50, 51, AT));
        cr_expect(!q->ask.any && q->fatal.frame == 0);
        const struct iba_obs_sent *e = iba_obs_request_at(q, (iba_psn){HIGH - 1});
        cr_assert_not_null(e);
        cr_expect(e->request == 0xabcd && e->content == 0x1234 && e->opcode == IBA_RC_SEND_ONLY && e->counted);
        cr_expect(e->messages == 8 && e->mark.frame == 50 && e->mark.tag == 51);
    }
}

/* The last request is compared with its retransmission unless the capture lacks a part of it, or it is not known. Where
 * it does not end its message, as many messages ended before it. */
static void the_last_request_that_rested_is_known(void)
{
    const struct iba_obs_requests *q = &other.rq;
    const iba_psn last = {HIGH - 1};

    begin(true);
    flow.rq.sent[HIGH - 1].opcode = IBA_RC_SEND_FIRST;
    rest();
    cr_expect(iba_obs_has_request(q, last) && q->sent[HIGH - 1].messages == 9);
    begin(true);
    flow.rq.sent[HIGH - 1].cut = true;
    rest();
    cr_expect_not(iba_obs_has_request(q, last));
    begin(true);
    flow.rq.last.frame++;
    rest();
    cr_expect_not(iba_obs_has_request(q, last));
    begin(true);
    flow.rq.sent[HIGH - 1].generation++;
    rest();
    cr_expect_not(iba_obs_has_request(q, last));
}

/* The count of messages is known only where the capture has all requests. Only unreliable messages go on after a gap.
 */
static void messages_are_counted_without_gaps(void)
{
    begin(true);
    flow.rq.seq.v--;
    rest();
    cr_expect(other.rq.message == IBA_MESSAGE_UNKNOWN && !other.rq.counts && other.rq.messages == 9);
    cr_expect_not(other.rq.sent[HIGH - 1].counted);
    flow.svc = IBA_UC;
    rest();
    cr_expect(other.rq.message == IBA_MESSAGE_WRITE && other.rq.counts && other.rq.sent[HIGH - 1].counted);
}

/* A READ that takes an unknown number of PSNs is forgotten, with all requests. Without requests the direction's last
 * packet counts. */
static void requests_that_are_not_known_start_again(void)
{
    begin(true);
    flow.rq.open.used = true;
    asks(50, HIGH - 1, 0);
    rest();
    cr_expect(!other.rq.any && !other.rq.ask.any && !short_form.asks && other.peer == 7);
    begin(true);
    flow.rq.any = false;
    rest();
    cr_expect(!other.rq.any && is(&other.last, 60, 61, AT));
}

static void an_end_that_rested_is_known(void)
{
    begin(true);
    flow.rq.fatal = (struct iba_obs_mark){70, 71, 52};
    rest();
    cr_expect(is(&other.rq.fatal, 70, 71, AT) && is(&other.rq.last, 70, 71, AT) && is(&other.last, 50, 51, AT));
    cr_expect(!other.rq.counts && other.rq.message == IBA_MESSAGE_UNKNOWN && other.rq.messages == 0);
    cr_expect_not(iba_obs_has_request(&other.rq, (iba_psn){HIGH - 1}));
    cr_expect(iba_obs_waits(&state, &short_form));
    asks(50, HIGH - 1, 0); /* its requester goes on only when it sends long after the NAK */
    flow.rq.last.at = 52 + IBA_OBS_FLIGHT_NS;
    rest();
    cr_expect_eq(other.rq.fatal.frame, 70);
    flow.rq.last.at++;
    rest();
    cr_expect(other.rq.fatal.frame == 0 && other.rq.ask.any && other.rq.counts);
}

static void a_request_that_waits_is_known(void)
{
    static const uint32_t again[] = {1, 3, 254, 255, 256, 1000};

    begin(true);
    asks(50, HIGH - 1, 0); /* the last request itself: messages are counted, too */
    rest();
    cr_expect(other.rq.ask.any && other.rq.ask.again == 0 && other.rq.ask.psn.v == HIGH - 1 && other.rq.messages == 9);
    cr_expect(other.rq.ask.mark.frame == 50 && is(&other.rq.ask.last, 50, 51, AT));
    asks(40, HIGH - 3, 0);
    rest();
    cr_expect(other.rq.ask.any && other.rq.ask.again == 0 && other.rq.ask.psn.v == HIGH - 3);
    cr_expect(is(&other.rq.ask.mark, 40, 41, 44) && is(&other.rq.ask.last, 50, 51, AT) && is(&other.last, 40, 41, AT));
    cr_expect(other.rq.messages == 0 && !other.rq.counts && !iba_obs_has_request(&other.rq, (iba_psn){HIGH - 1}));
    for (unsigned i = 0; i < sizeof again / sizeof *again; i++) {
        asks(50, HIGH - 1, again[i]);
        rest();
        cr_expect_eq(other.rq.ask.again, again[i] < 255 ? again[i] : 255);
        cr_expect(other.rq.ask.psn.v == HIGH - 1 && !other.rq.counts);
    }
    asks(40, HIGH - 6, 0); /* it is answered */
    rest();
    cr_expect(!other.rq.ask.any && other.rq.counts);
}

static void datagrams_that_rested_have_their_key(void)
{
    begin(true);
    flow.rq.any = false;
    flow.has_qkey = true;
    flow.qkey = 0x80010000, flow.src_qp = 0x123456;
    rest();
    cr_expect(other.has_qkey && other.qkey == 0x80010000 && other.src_qp == 0x123456 && !other.rq.any);
    cr_expect_not(iba_obs_waits(&state, &short_form));
}

/* At the end a direction at rest is looked at if its request was sent again, or waits for silence_ns in a pair. */
static void silence_at_rest_is_told_in_time(void)
{
    begin(true);
    state.cfg.silence_ns = 1000;
    flow.guess = false;
    asks(50, HIGH - 1, 0);
    rest();
    state.now.at = 52 + 1000;
    cr_expect(iba_obs_waits(&state, &short_form));
    state.now.at--;
    cr_expect_not(iba_obs_waits(&state, &short_form));
    flow.rq.ask.again = 1;
    rest();
    cr_expect(iba_obs_waits(&state, &short_form));
    state.now.at = 52 + 1000;
    flow.rq.ask.again = 0;
    flow.guess = true;
    rest();
    cr_expect_not(iba_obs_waits(&state, &short_form));
    flow.guess = false;
    flow.peer = 0;
    rest();
    cr_expect_not(iba_obs_waits(&state, &short_form));
    flow.peer = 7;
    flow.rq.una.v = HIGH;
    rest();
    cr_expect_not(iba_obs_waits(&state, &short_form), "it is answered");
}

/* In one process: a process for each takes longer than all of them. */
Test(compact, each)
{
    a_direction_that_rested_is_as_before();
    the_last_request_that_rested_is_known();
    messages_are_counted_without_gaps();
    requests_that_are_not_known_start_again();
    an_end_that_rested_is_known();
    a_request_that_waits_is_known();
    datagrams_that_rested_have_their_key();
    silence_at_rest_is_told_in_time();
}
