/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays each kind of step in real time. Tests whether the step waits until earlier packets have arrived, whether it
 * excuses a tester that is late, and whether its alternatives are tried. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "run/play.h"

#define LEAST_FLIGHT UINT64_C(2000000) /* ns: a frame may take as long */
#define JUMP UINT64_C(5000000)         /* ns: longer than the device's timer */

static struct {
    uint64_t skew;     /* our clock minus the device's */
    uint64_t sent_at;  /* of the frame that the device drops; 0: not yet */
    uint64_t waits;    /* of the first look for packets after it */
    uint64_t acted_at; /* of the last verb or frame */
    bool looked, jumps;
} now;

static uint64_t later_now(struct ibc_target *t)
{
    return whole->now(t) + now.skew;
}

static enum ibc_rc later_collect(struct ibc_target *t, unsigned d, uint64_t until, uint8_t frame[IBC_FRAME],
                                 size_t *len, uint64_t *at)
{
    const enum ibc_rc rc = whole->collect(t, d, until > now.skew ? until - now.skew : 0, frame, len, at);

    if (now.sent_at && !now.looked) {
        now.looked = true;
        now.waits = until - now.sent_at;
    }
    *at += now.skew;
    return rc;
}

/* Makes the step take longer than the device's timer, once. */
static void take_long(struct ibc_target *t)
{
    now.acted_at = later_now(t);
    if (now.jumps && now.sent_at) {
        now.skew += JUMP;
        now.jumps = false;
    }
}

static enum ibc_rc later_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    const enum ibc_rc rc = whole->inject(t, d, frame, len);

    take_long(t);
    if (now.sent_at == 0)
        now.sent_at = later_now(t);
    return rc;
}

#define VERB(name, parameters, ...)                                                                                    \
    static enum ibc_rc later_##name parameters                                                                         \
    {                                                                                                                  \
        take_long(t);                                                                                                  \
        return whole->name(__VA_ARGS__);                                                                               \
    }
VERB(post_send, (struct ibc_target * t, unsigned d, uint32_t q, const struct ibc_send *s), t, d, q, s)
VERB(post_recv, (struct ibc_target * t, unsigned d, uint32_t q, const struct iba_recv_wr *w), t, d, q, w)
VERB(post_srq_recv, (struct ibc_target * t, unsigned d, uint32_t q, const struct iba_recv_wr *w), t, d, q, w)
VERB(modify_qp, (struct ibc_target * t, unsigned d, uint32_t q, const struct ibc_qp_attr *a), t, d, q, a)
VERB(query_qp, (struct ibc_target * t, unsigned d, uint32_t q, struct iba_qp_attr *a), t, d, q, a)
VERB(destroy, (struct ibc_target * t, unsigned d, enum ibc_object_kind k, uint32_t id), t, d, k, id)
VERB(attach, (struct ibc_target * t, unsigned d, uint32_t q, const uint8_t *g, uint16_t lid, bool on), t, d, q, g, lid,
     on)
VERB(arm_cq, (struct ibc_target * t, unsigned d, uint32_t q, bool solicited), t, d, q, solicited)
VERB(notified, (struct ibc_target * t, unsigned d, uint32_t q, uint64_t *times), t, d, q, times)
VERB(arm_srq, (struct ibc_target * t, unsigned d, uint32_t q, uint32_t limit), t, d, q, limit)
VERB(read_memory, (struct ibc_target * t, unsigned d, uint64_t at, uint8_t *out, size_t n), t, d, at, out, n)
VERB(write_memory, (struct ibc_target * t, unsigned d, uint64_t at, const uint8_t *in, size_t n), t, d, at, in, n)
VERB(page, (struct ibc_target * t, unsigned d, uint64_t at, bool present), t, d, at, present)
VERB(set_port, (struct ibc_target * t, unsigned d, enum ibc_key k, uint32_t i, uint64_t v), t, d, k, i, v)
VERB(create_cq, (struct ibc_target * t, unsigned d, uint32_t depth, uint32_t *cq), t, d, depth, cq)
VERB(reg_mr, (struct ibc_target * t, unsigned d, const struct ibc_mr_spec *m, struct ibc_mr *out), t, d, m, out)
VERB(cm_call, (struct ibc_target * t, unsigned d, struct ibc_cm_call *c), t, d, c)
VERB(cm_attributes, (struct ibc_target * t, unsigned d, uint32_t id, enum iba_qp_state state, struct iba_qp_attr *a), t,
     d, id, state, a)

static struct ibc_target *open_late(void)
{
    struct ibc_target *t = open_changed();

    t->virtual_time = false;
    changed.now = later_now;
    changed.collect = later_collect;
    changed.inject = later_inject;
#define USE(name) changed.name = later_##name
    USE(post_send), USE(post_recv), USE(post_srq_recv), USE(modify_qp), USE(query_qp), USE(destroy), USE(attach);
    USE(arm_cq), USE(notified), USE(arm_srq), USE(read_memory), USE(write_memory), USE(page), USE(set_port);
    USE(create_cq), USE(reg_mr), USE(cm_call), USE(cm_attributes);
    memset(&now, 0, sizeof now);
    return t;
}

static uint64_t last_sent, kept_sent, kept_acted;
static enum ibc_rc first_inject(struct ibc_target *t, unsigned d, const uint8_t *frame, size_t len)
{
    last_sent = later_now(t);
    return whole->inject(t, d, frame, len);
}

/* Called at the end of the play, before the health probe. */
static void keep_times(void *ctx, struct run_player *p)
{
    (void)ctx;
    (void)p;
    kept_sent = last_sent;
    kept_acted = now.acted_at;
}

/* Objects; a request of the device that nobody answers, whose timer is 4.194 ms; and a frame that the device drops */
#define OBJECTS                                                                                                        \
    "cq k\nsrq s\nmr o length=8192 access=local_write,on_demand\nmw w\ngroup g\nhandle h\ncm c\nqp a timeout=10\nqp "  \
    "b scq=k\n"
#define BEFORE RC OBJECTS " a post SEND len=4\n< a SEND_ONLY psn=+0\n> a ACKNOWLEDGE psn=+0 icrc=bad\n"

static const struct {
    const char *step;
    bool waits, late; /* late: it may be too late for the device's timer, as it has the device act */
} rows[] = {
    {" a recv\n", true, true},
    {" s recv\n", true, true},
    {" a post SEND len=4\n", true, true},
    {" a modify state=err\n", true, true},
    {" b destroy\n", true, true},
    {" h destroy\n", true, true},
    {" o dereg\n", true, true},
    {" w free\n", true, true},
    {"attach a g error=any\n", true, true},
    {"detach a g error=any\n", true, true},
    {"cq z\n", true, true},
    {"mr z\n", true, true},
    {" c call listen\n", true, true},
    {"> b ACKNOWLEDGE psn=-1\n", false, true},
    {" a state rts\n", true, false},
    {" memory o len=8 unchanged\n", true, false},
    {" k arm\n", true, false},
    {" k notified 0\n", true, false},
    {" s limit 1\n", true, false},
    {"write o u64=7\n", true, false},
    {"page o absent\n", true, false},
    {"port pkey[1]=0x8123\n", true, false},
    {"counter packets_in +2\n", true, false},
    {" a events none\n", false, false},
    {"wait 1us\n", false, false},
    {" a silence 1us\n", false, false},
};

static struct ibc_result play(struct ibc_target *t, size_t i, bool jumps)
{
    char text[1024];

    now.jumps = jumps;
    snprintf(text, sizeof text, "%s%s a state init\n", BEFORE, rows[i].step); /* which it is not */
    return run_text(t, text, &(struct ibc_options){.seed = 1, .stop_at_first = true});
}

Test(steps, which_wait_for_packets)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_late();
        struct ibc_result r = play(t, i, false);
        cr_expect_eq(r.verdict, IBC_IS_FAIL, "%s: %s %s", rows[i].step, ibc_verdict_names[r.verdict], r.finding.got);
        cr_expect(strncmp(r.finding.expected, "state Init", 10) == 0, "%s: %s, not %s", rows[i].step, r.finding.got,
                  r.finding.expected);
        cr_expect(now.looked && (now.waits == LEAST_FLIGHT) == rows[i].waits, "%s: %llu ns", rows[i].step,
                  (unsigned long long)now.waits);
        close_changed(t, &r);
    }
}

Test(steps, at_which_the_tester_may_be_late)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_target *t = open_late();
        struct ibc_result r = play(t, i, true);
        cr_expect_eq(r.verdict, rows[i].late ? IBC_IS_INCONCLUSIVE : IBC_IS_FAIL, "%s: %s %s", rows[i].step,
                     ibc_verdict_names[r.verdict], r.finding.got);
        close_changed(t, &r);
    }
}

/* A verb waits for the frame that was sent last, until the device has answered it. */
Test(steps, verbs_wait_for_the_last_frame_only)
{
#define TWO RC "qp a recv=4\nqp b recv=4\n"
    static const struct {
        const char *text;
        uint64_t ns; /* from the last frame to the verb; about: the device answers within 1 us */
    } c[] = {
        {TWO " a recv\n", 0},
        {TWO "> a SEND_ONLY ackreq=1\n< a ACKNOWLEDGE\n a recv\n", 0},
        {TWO "> a SEND_ONLY icrc=bad\n a recv\n", LEAST_FLIGHT},
        {TWO "> a SEND_ONLY ackreq=1\n> a SEND_ONLY psn=+5 icrc=bad\n< a ACKNOWLEDGE\n a recv\n", LEAST_FLIGHT},
        {TWO "> b SEND_ONLY ackreq=1\n> a SEND_ONLY icrc=bad\n< b ACKNOWLEDGE\n a recv\n", LEAST_FLIGHT},
        {TWO "> a SEND_ONLY ackreq=1\n> a ACKNOWLEDGE psn=-1\n< a ACKNOWLEDGE\n a recv\n", LEAST_FLIGHT},
        {TWO "> a SEND_ONLY icrc=bad\n a recv\n b recv\n", LEAST_FLIGHT},
    };

    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct ibc_target *t = open_late();
        uint64_t last = 0;
        changed.inject = first_inject;
        struct ibc_result r = run_text(t, c[i].text, &(struct ibc_options){.seed = 1, .ended = keep_times});
        last = kept_acted > kept_sent ? kept_acted - kept_sent : 0;
        cr_expect_eq(r.verdict, IBC_IS_PASS, "%s: %s", c[i].text, r.finding.got);
        cr_expect(i == 0 || (last >= c[i].ns && last < c[i].ns + 100000), "%s: %llu ns", c[i].text,
                  (unsigned long long)last);
        close_changed(t, &r);
    }
}

/* A frame may fly four round trips of the slowest exchange, an eighth less after each later exchange, and at most 50
 * ms. */
Test(steps, how_long_a_frame_may_fly)
{
    static const struct {
        uint64_t round_trip, flight;
    } flights[] = {{1000000, 4000000}, {0, 3500000},         {800000, 3200000}, {1000000, 4000000},
                   {5000, 3500000},    {20000000, 50000000}, {0, 43750000},     {12500000, 50000000}};
    struct run_player *p = calloc(1, sizeof *p);

    cr_assert_not_null(p);
    for (size_t i = 0; i < sizeof flights / sizeof *flights; i++) {
        run_flight_measure(p, flights[i].round_trip);
        cr_expect_eq(p->flight_ns, flights[i].flight, "row %zu: %llu", i, (unsigned long long)p->flight_ns);
    }
    free(p);
}

/* The first line fails, but its alternative succeeds: the verdict follows the sentence of the alternative. */
Test(steps, whose_alternatives_are_tried)
{
    static const struct run_case c[] = {
        {RC "qp a\n a state init\n| tolerated \"b\"  a state rts\n", IBC_IS_TOLERATED, "state Initialized",
         "state Ready to Send"},
        {RC "qp a\n a state init\n| fail \"b\"  a state rts\n", IBC_IS_FAIL, NULL, NULL},
        {RC "qp a\n a state init\n| pass  a state rts\n", IBC_IS_PASS, NULL, NULL},
        {RC "qp a\n a state init\n| pass  a state err\n", IBC_IS_FAIL, "state Initialized", "state Ready to Send"},
        {RC "qp a\nwrite m u64=1\n memory m u64=2\n| pass  memory m u64=1\n", IBC_IS_PASS, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY payload=3 ackreq=1\n< a ACKNOWLEDGE\n a completion recv bytes=4\n"
            "| pass  a completion recv bytes=3\n",
         IBC_IS_PASS, NULL, NULL},
        {RC "qp a recv=1\n> a SEND_ONLY payload=3 ackreq=1\n< a ACKNOWLEDGE\n a completions none\n"
            "| pass  a completions recv=1\n",
         IBC_IS_PASS, NULL, NULL},
    };

    run_cases(c);
}
