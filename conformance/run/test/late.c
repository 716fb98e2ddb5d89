/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays in real time: the tester or the agent is late, or frames are slower than verbs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "cases.h"

static struct ibc_target *open_on_real_time(void)
{
    struct ibc_target *t = open_changed();

    t->virtual_time = false;
    return t;
}

/* Plays the text and closes the target. `got` is the expected finding; NULL: not checked. */
static void expect(struct ibc_target *t, const char *text, enum ibc_verdict verdict, const char *got)
{
    const struct ibc_options o = {.seed = 1};
    struct ibc_result r = run_text(t, text, &o);

    cr_expect_eq(r.verdict, verdict, "%s: %s %s", text, ibc_verdict_names[r.verdict], r.finding.got);
    cr_expect_eq(r.finding.what == IBC_FOUND_UNSURE, verdict == IBC_IS_INCONCLUSIVE);
    if (got)
        cr_expect_str_eq(r.finding.got, got, "%s: %s", text, r.finding.got);
    close_changed(t, &r);
}

/* ---- testers that are late ---- */

static uint64_t skew, jump; /* our clock minus the device's; the jump at the next verb or packet */
static uint64_t later_now(struct ibc_target *t)
{
    return whole->now(t) + skew;
}
static enum ibc_rc later_collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                 size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until > skew ? until - skew : 0, frame, len, at);

    *at += skew;
    return rc;
}
static enum ibc_rc later_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    skew += jump;
    jump = 0;
    return whole->inject(t, d, frame, len);
}
static enum ibc_rc later_modify(struct ibc_target *t, unsigned d, uint32_t qpn, const struct ibc_qp_attr *a)
{
    skew += a->a.state == IBA_QPS_ERR ? jump : 0;
    return whole->modify_qp(t, d, qpn, a);
}

/* The tester's clock jumps by `ns` once, at a verb or packet that the test chooses. */
static struct ibc_target *open_with_own_clock(uint64_t ns)
{
    struct ibc_target *t = open_on_real_time();

    changed.now = later_now;
    changed.collect = later_collect;
    skew = 0;
    jump = ns;
    return t;
}

#define ASKED(code) RC "qp a timeout=" code "\n a post SEND len=4\n< a SEND_ONLY psn=+0\n"
#define ACK "> a ACKNOWLEDGE psn=+0 syndrome=ack msn=1\n"
#define WRONG " a state init\n"

Test(late, tester_is_late)
{
    static const struct {
        const char *text;
        uint64_t jump; /* us */
        enum ibc_verdict verdict;
        const char *got;
    } c[] = {
        {ASKED("8") ACK WRONG, 900, IBC_IS_FAIL, "state Ready to Send"},
        {ASKED("8") ACK WRONG, 1100, IBC_IS_INCONCLUSIVE,
         "the tester was late: it went on 1100 us after the request; the device's timer is 1048 us; state Ready to "
         "Send"},
        {ASKED("8") ACK " a completions send=1\n", 1100, IBC_IS_PASS, ""}, /* the tester waited, so saw all */
        {ASKED("14") ACK WRONG, 1100, IBC_IS_FAIL, "state Ready to Send"},
        {ASKED("0") ACK WRONG, 1100000, IBC_IS_FAIL, "state Ready to Send"},
        {ASKED("8") " a modify state=err\n" WRONG, 1100, IBC_IS_INCONCLUSIVE,
         "the tester was late: it went on 1100 us after the request; the device's timer is 1048 us; state Error"},
        /* answered before: nothing waits */
        {ASKED("8") ACK " a completions send=1\n> a SEND_ONLY psn=+0\n" WRONG, 0, IBC_IS_FAIL, "state Ready to Send"},
        /* late after the finding: this is the health probe */
        {ASKED("8") " memory m u64=1\n", 1100, IBC_IS_FAIL, NULL},
        /* the script itself waits longer than the timer */
        {ASKED("8") "wait 1500us\n" ACK WRONG, 100, IBC_IS_FAIL, NULL},
        /* a packet that took us long to send is counted from the time at which it had left */
        {RC "qp a recv=1\n> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE within=1ms\n", 2000, IBC_IS_PASS, ""},
        /* a packet that must be dropped answers nothing, and one to a QP that is not there */
        {ASKED("8") "> a ACKNOWLEDGE psn=+0 icrc=bad\n" WRONG, 1100, IBC_IS_INCONCLUSIVE, NULL},
        {ASKED("8") "> a ACKNOWLEDGE psn=+0 destqp=0x123456\n" WRONG, 1100, IBC_IS_INCONCLUSIVE, NULL},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_with_own_clock(c[i].jump * 1000);
        changed.inject = later_inject;
        changed.modify_qp = later_modify;
        expect(t, c[i].text, c[i].verdict, c[i].got);
    }
}

static uint64_t slow_from; /* the device's time from which the next poll takes `jump` */
static enum ibc_rc later_poll(struct ibc_target *t, unsigned d, uint32_t cq, struct iba_wc *wc, unsigned *n)
{
    if (whole->now(t) >= slow_from) {
        skew += jump;
        jump = 0;
    }
    return whole->poll_cq(t, d, cq, wc, n);
}

/* The device repeats its request 463 ms before the end of a wait for a completion. The poll that ends the wait is slow,
 * but this makes no answer late: the script did not want to answer. A slow poll before an answer does. */
Test(late, the_last_poll_of_a_wait_is_slow)
{
    static const struct {
        const char *text;
        uint64_t from; /* ms */
        enum ibc_verdict verdict;
        const char *got;
    } c[] = {
        {ASKED("17") " a completion SEND\n", 1000, IBC_IS_FAIL, "no completion"},
        {ASKED("17") " a completion SEND\n", 600, IBC_IS_FAIL, "no completion"},
        {ASKED("17") " a state init\n", 1000, IBC_IS_FAIL, "state Ready to Send"},
        {ASKED("17") " a event path_migrated\n", 1000, IBC_IS_FAIL, "no event"},
        {ASKED("17") " a completions none\n" ACK WRONG, 0, IBC_IS_INCONCLUSIVE, NULL},
        {ASKED("17") " a completions none\n" ACK WRONG, 50, IBC_IS_INCONCLUSIVE, NULL},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_with_own_clock(600000000);
        changed.poll_cq = later_poll;
        slow_from = whole->now(t) + c[i].from * 1000000;
        expect(t, c[i].text, c[i].verdict, c[i].got);
        cr_expect_eq(jump, 0, "%zu: no poll was slow", i);
    }
}

/* A packet that the device must drop answers nothing, so its timer goes on. The tester is late at the verb after it. */
Test(late, packets_that_answer_nothing)
{
    static const struct {
        enum ibc_link link;
        const char *fault;
        bool answers;
    } c[] = {
        {IBC_LINK_roce2_ipv4, "", true},
        {IBC_LINK_roce2_ipv4, " icrc=bad", false},
        {IBC_LINK_roce2_ipv4, " icrc=none", false},
        {IBC_LINK_roce2_ipv4, " cut=4", false},
        {IBC_LINK_roce2_ipv4, " extra=70", false},
        {IBC_LINK_roce2_ipv4, " insert=50:00", false},
        {IBC_LINK_roce2_ipv4, " remove=50:4", false},
        {IBC_LINK_roce2_ipv4, " poke=50:ff", false},
        {IBC_LINK_roce2_ipv4, " from=stranger", false},
        {IBC_LINK_roce2_ipv4, " port=2", false},
        {IBC_LINK_ib_local, "", true},
        {IBC_LINK_ib_local, " vcrc=bad", false},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_with_own_clock(1100000);
        char text[512];
        changed.modify_qp = later_modify;
        snprintf(text, sizeof text,
                 ASKED("8") "> a ACKNOWLEDGE psn=+0 syndrome=ack msn=1%s\n a modify state=err\n" WRONG, c[i].fault);
        struct ibc_result r = run_text(t, text, &(struct ibc_options){.seed = 1, .link = c[i].link});
        cr_expect_eq(r.verdict, c[i].answers ? IBC_IS_FAIL : IBC_IS_INCONCLUSIVE, "%s: %s %s", c[i].fault,
                     ibc_verdict_names[r.verdict], r.finding.got);
        close_changed(t, &r);
    }
}

/* ---- frames that are slower than verbs ---- */

enum { FRAMES = 8 };
static struct {
    uint8_t bytes[IBC_FRAME];
    size_t len;
    uint64_t due;
} flying[FRAMES]; /* in the order in which they were sent */
static unsigned n_flying, n_landed;
static uint64_t flight; /* ns */
static enum ibc_rc flying_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    (void)d;
    cr_assert_lt(n_flying, FRAMES);
    memcpy(flying[n_flying].bytes, frame, len);
    flying[n_flying].len = len;
    flying[n_flying++].due = whole->now(t) + flight;
    return IBC_OK;
}
static enum ibc_rc flying_collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                  size_t *len, uint64_t *at)
{
    for (; n_landed < n_flying && flying[n_landed].due <= until; n_landed++) {
        const enum ibc_rc rc = whole->collect(t, d, flying[n_landed].due, frame, len, at);
        if (rc != IBC_OK || *len)
            return rc;
        (void)whole->inject(t, d, flying[n_landed].bytes, flying[n_landed].len);
    }
    return whole->collect(t, d, until, frame, len, at);
}

/* A verb waits until the device has received earlier packets. */
Test(late, verbs_wait_for_frames)
{
    static const char *const text[] = {
        UC "qp a\n> a WRITE_ONLY_IMM payload=8 imm=1\n a recv\n a completions none\n",
        UC "qp a\n> a WRITE_ONLY payload=8 fill=x\n memory m len=8 fill=x\n",
        RC "qp a\n> a SEND_ONLY payload=8 icrc=bad\n a recv\n a completions none\n",
        RC "qp a\n> a WRITE_ONLY payload=8 fill=x\n< a ACKNOWLEDGE\n memory m len=8 fill=x\n",
        RC "qp a\n> a ACKNOWLEDGE psn=-1 syndrome=ack\n a modify state=err\n a state err\n",
    };

    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct ibc_target *t = open_on_real_time();
        changed.inject = flying_inject;
        changed.collect = flying_collect;
        flight = 1500000;
        n_flying = n_landed = 0;
        expect(t, text[i], IBC_IS_PASS, NULL);
    }
}

/* ---- frames that are read late ---- */

static unsigned n_looked;
static enum ibc_rc sees_the_first_late(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                       size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until, frame, len, at);

    if (rc == IBC_OK && *len && n_looked++ == 0)
        *at += 3000000;
    return rc;
}

/* The first packet may have come at any time since the tester last found the wire empty. The second packet is too early
 * only if it is too early even after the earliest of these times. */
Test(late, first_packet_is_seen_late)
{
    static const struct {
        const char *after;
        enum ibc_verdict verdict;
    } c[] = {{"16ms", IBC_IS_PASS}, {"18ms", IBC_IS_FAIL}};

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_on_real_time();
        char text[256];
        changed.collect = sees_the_first_late;
        n_looked = 0;
        snprintf(text, sizeof text, ASKED("12") "< a SEND_ONLY psn=+0 after=%s within=68ms\n", c[i].after);
        expect(t, text, c[i].verdict, NULL);
    }
}

static enum ibc_rc slow_query(struct ibc_target *t, unsigned d, uint32_t qpn, struct iba_qp_attr *a)
{
    t->slowest = UINT64_C(1500000000);
    t->slow_verb = "query_qp";
    return whole->query_qp(t, d, qpn, a);
}

Test(late, agent_is_slow)
{
    struct ibc_target *t = open_on_real_time();

    changed.query_qp = slow_query;
    expect(t, RC "qp a\n" WRONG, IBC_IS_INCONCLUSIVE,
           "the agent was slow: query_qp was answered after 1500 ms; state Ready to Send");
}
