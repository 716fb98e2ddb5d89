/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of requests: how far they jump or go back, what a READ takes, and how time passes. */
#include "exact.h"

/* The request after a READ shows the path MTU, if only one fits. It jumps over what no path MTU explains. */
static void psns_that_a_read_took(void)
{
    static const struct {
        uint32_t length, psns, pmtu, missing;
    } cases[] = {{600, 1, 0, 0},     {600, 2, 512, 0},   {600, 3, 256, 0},   {600, 4, 0, 1},   {4096, 1, 4096, 0},
                 {4096, 2, 2048, 0}, {4096, 4, 1024, 0}, {4096, 16, 256, 0}, {4096, 17, 0, 1}, {4096, 3, 0, 0},
                 {5000, 1, 0, 0},    {257, 2, 256, 0},   {256, 1, 0, 0},     {256, 2, 0, 1}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(READ(1, cases[i].length), AT_ONCE(1 + cases[i].psns));
        iba_observer_end(w.observer, now);
        cr_expect_eq(w.observer->flow[0].pmtu, cases[i].pmtu, "case %u: %u", i, w.observer->flow[0].pmtu);
        cr_expect_eq(w.missing, cases[i].missing, "case %u: %u", i, (unsigned)w.missing);
    }
}

/* A READ comes again for the rest of its data, and for no more (RQ-07). */
static void the_rest_of_a_read(void)
{
    for (uint32_t beyond = 0; beyond < 2; beyond++)
        for (uint32_t psn = 1; psn <= 3; psn++) {
            begin(&(struct iba_observer_config){.pmtu = MTU});
            PLAY(READ(1, 600), FROM_A(READ_REQUEST, psn, .dma = 600 - (psn - 1) * MTU + beyond, .wait = 70 * MS));
            cr_expect_eq(FOUND(RETRY_CHANGED), beyond, "%u", (unsigned)psn);
            cr_expect_eq(FOUND(RETRY_TIMEOUT), 1);
        }
}

static const struct iba_obs_requests *requests(void)
{
    return &w.observer->flow[0].rq;
}

/* The second request goes back 256 PSNs or more: the first one was damaged. */
static void a_first_request_that_is_far_off(void)
{
    for (uint32_t psn = 744; psn <= 746; psn++) {
        begin(NULL);
        PLAY(SEND(1000), SEND(psn));
        cr_expect_eq(requests()->first.v, psn <= 745 ? psn : 1000, "%u", (unsigned)psn);
        begin(NULL);
        PLAY(SEND(999), SEND(1000), SEND(psn));
        cr_expect_eq(requests()->first.v, 999, "it is not the second");
    }
}

/* A request jumps 256 PSNs or more, and the next one goes on near the one before. So the jump was damage. */
static void a_jump_that_nobody_follows(void)
{
    static const struct {
        uint32_t jump, next, high;
    } cases[] = {{1002 + 256, 1002, 1003}, {1002 + 255, 1002, 1258}, {1002 + 256, 1003, 1004},
                 {1002 + 256, 1004, 1259}, {1600, 1002 + 255, 1258}, {1600, 1002 + 256, 1601},
                 {1600, 1002 - 255, 1002}, {1600, 1002 - 256, 1601}, {1600, 1601, 1602}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(AT_ONCE(1000), AT_ONCE(1001), AT_ONCE(cases[i].jump), AT_ONCE(cases[i].next));
        cr_expect_eq(requests()->high.v, cases[i].high, "case %u: %u", i, (unsigned)requests()->high.v);
        PLAY(AT_ONCE(1005)); /* only the packet directly after the jump shows that */
        cr_expect(i != 3 || requests()->high.v == 1259);
    }
}

/* The first four requests of a capture may be retransmissions, each after a pause. A new one jumps over more than 16
 * PSNs then that were sent before the capture. */
static void what_was_sent_before_the_capture(void)
{
    static const struct {
        uint32_t requests, lost;
        iba_time wait;
        bool gap;
    } cases[] = {{2, 16, 1000, true}, {2, 17, 1000, false}, {3, 17, 1000, false},
                 {4, 17, 1000, true}, {2, 17, 999, true},   {3, 17, 999, true}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        for (uint32_t psn = 0; psn < cases[i].requests; psn++)
            PLAY({.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .wait = cases[i].wait});
        PLAY({.opcode = IBA_RC_SEND_ONLY, .psn = cases[i].requests + cases[i].lost, .bytes = 8, .wait = cases[i].wait});
        iba_observer_end(w.observer, now);
        cr_expect_eq(FOUND(GAP), cases[i].gap, "case %u", i);
    }
}

/* A request that comes 10 ms after a NAK that ends its connection was not in flight. */
static void what_follows_the_end(void)
{
    for (unsigned early = 0; early < 2; early++)
        for (uint32_t psn = 1; psn <= 2; psn++) {
            begin(NULL);
            PLAY(SEND(1), REFUSE(1, NAK + 2, 0),
                 {.opcode = IBA_RC_SEND_ONLY, .psn = psn, .bytes = 8, .wait = IBA_OBS_FLIGHT_NS + 1 - early});
            cr_expect_eq(FOUND(AFTER_FATAL), !early && psn == 2);
            cr_expect(FOUND(AFTER_FATAL) == 0 || w.kept[w.n_kept - 1].cause == 2);
        }
}

/* Time does not step back, neither between packets nor at the end. */
static void time_that_steps_back(void)
{
    begin(NULL);
    now = 1000 * MS;
    PLAY(SEND(1));
    now = 5;
    PLAY(SEND(1));
    cr_expect_eq(FOUND(NETWORK_COPY), 1);
    cr_expect(w.kept[0].at == 1000 * MS + 10000);
    begin(NULL);
    PLAY(SEND(0), REPLY(0, 1), ASK(1));
    iba_observer_end(w.observer, 0);
    cr_expect_eq(FOUND(SILENCE), 0);
    begin(NULL);
    PLAY(SEND(0), REPLY(0, 1), ASK(1));
    iba_observer_end(w.observer, now + 1000 * MS - 1);
    cr_expect_eq(FOUND(SILENCE), 0);
    begin(NULL);
    PLAY(SEND(0), REPLY(0, 1), ASK(1));
    iba_observer_end(w.observer, now + 1000 * MS);
    cr_expect_eq(FOUND(SILENCE), 1);
    cr_expect_eq(w.observer->seen.worst, IBA_WARN);
}

/* The severity is that of the worst finding of this packet, and of the end. */
static void the_worst_finding(void)
{
    begin(NULL);
    PLAY(SEND(1));
    cr_expect_eq(w.observer->seen.worst, IBA_SEVERITY_NONE);
    PLAY({.opcode = IBA_RC_SEND_LAST, .psn = 2, .bytes = 8, .how = FARTHER});
    cr_expect(FOUND(SEQUENCE) == 1 && FOUND(PATH_CHANGED) == 1 && w.observer->seen.worst == IBA_ERROR);
    PLAY({.opcode = IBA_RC_SEND_ONLY, .psn = 3, .bytes = 8});
    cr_expect(FOUND(PATH_CHANGED) == 2 && w.observer->seen.worst == IBA_NOTE);
    PLAY({.opcode = IBA_RC_SEND_LAST, .psn = 4, .bytes = 8});
    iba_observer_end(w.observer, now);
    cr_expect_eq(w.observer->seen.worst, IBA_SEVERITY_NONE);
}

/* A request whose place among those remembered is free is remembered, also after headers that were cut. */
static void an_old_request_is_compared(void)
{
    begin(NULL);
    PLAY(FROM_A(WRITE_ONLY, 9, .bytes = 8, .dma = 8, .cut = 13), SEND(0xffffff), SEND(1), LATER(0xffff80),
         FROM_A(SEND_ONLY, 0xffff80, .bytes = 8, .how = OTHER_BYTES, .wait = 70 * MS));
    cr_expect_eq(FOUND(RETRY_PAYLOAD), 1);
}

/* In one process: a process for each takes longer than all of them. */
Test(requests, limits)
{
    psns_that_a_read_took();
    the_rest_of_a_read();
    a_first_request_that_is_far_off();
    a_jump_that_nobody_follows();
    what_was_sent_before_the_capture();
    what_follows_the_end();
    time_that_steps_back();
    the_worst_finding();
    an_old_request_is_compared();
}
