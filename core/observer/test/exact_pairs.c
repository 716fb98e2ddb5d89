/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of directions: how near a response must be to the requests of a direction to belong to it, when a direction
 * gets another peer, and what depends on other connections. */
#include "exact.h"

/* A response whose request the capture lacks finds the only direction that may have sent it: up to 128 PSNs before the
 * first captured request, or up to 128 after the newest in the first 10 ms of a capture. */
static void pairs_by_near_psns(void)
{
    static const struct {
        uint32_t psn;
        iba_time wait;
        bool paired;
    } cases[] = {{1000, 0, true},
                 {999, 0, true},
                 {1000 - 128, 0, true},
                 {1000 - 129, 0, false},
                 {1001, 0, true},
                 {1001 + 127, 0, true},
                 {1001 + 128, 0, false},
                 {1001, IBA_OBS_FLIGHT_NS - 1, true},
                 {1001, IBA_OBS_FLIGHT_NS, false},
                 {1000, IBA_OBS_FLIGHT_NS, true}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(SEND(1000),
             {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = cases[i].psn, .syndrome = ACK, .wait = cases[i].wait});
        cr_expect_eq(iba_flow_is_paired(w.observer->seen.flow), cases[i].paired, "case %u", i);
    }
}

/* A direction is searched for with each of its first 64 responses. */
static void tries_to_find_a_pair(void)
{
    for (uint32_t n = 63; n <= 64; n++) {
        begin(NULL);
        for (uint32_t i = 0; i < n; i++)
            PLAY(FROM_B(ACKNOWLEDGE, 0x50000 + i, .syndrome = ACK));
        PLAY(SEND(1), REPLY(1, 1));
        cr_expect_eq(iba_flow_is_paired(w.observer->seen.flow), n < 64, "%u", n);
    }
}

/* A request comes again, from the refused PSN on or up to three later: the direction that refused it is its peer. */
static void pairs_by_a_refusal(void)
{
    for (uint32_t psn = 4; psn <= 9; psn++) {
        begin(NULL);
        PLAY(REFUSE(5, NAK, 0), SEND(10), SEND(psn));
        cr_expect_eq(iba_flow_is_paired(w.observer->seen.flow), psn >= 5 && psn <= 8, "%u", (unsigned)psn);
        cr_expect_eq(w.observer->depends, psn >= 5 && psn <= 8, "%u", (unsigned)psn);
        cr_expect_not(iba_flow_is_guess(w.observer->seen.flow));
    }
}

/* Two directions refused the PSN. The one that was heard last is the likelier one. */
static void two_refusals_of_one_psn(void)
{
    for (unsigned order = 0; order < 2; order++) {
        const struct shot refusal[2] = {REFUSE(5, NAK, 0), FROM_B(ACKNOWLEDGE, 5, .syndrome = NAK, .how = OTHER_QP)};
        begin(NULL);
        PLAY(refusal[order], refusal[!order], SEND(6), SEND(5));
        const struct iba_flow *f = w.observer->seen.flow, *peer = iba_observer_peer(w.observer, f);
        cr_assert_not_null(peer);
        cr_expect(iba_flow_is_guess(f) && iba_flow_is_guess(peer));
        cr_expect_eq(iba_flow_key(peer)->qpn, QP_A + (order ? 0u : 0x100u));
    }
}

/* ---- what depends on other connections ---- */

#define ELSEWHERE(n) FROM_A(SEND_ONLY, n, .bytes = 8, .how = OTHER_QP)
static void decisions_that_depend_on_other_connections(void)
{
    static const struct {
        bool depends;
        struct shot shot[8];
    } cases[] = {
        {false, {SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2)}},
        {false, {SEND(1), ELSEWHERE(900), REPLY(1, 1)}},
        {true, {SEND(1), ELSEWHERE(1), REPLY(1, 1)}},
        {true, {SEND(1), ELSEWHERE(2), REPLY(0, 1)}},
        {true, {SEND(1), REPLY(2, 1)}},
        {false, {SEND(1), REPLY(500, 1)}},
        /* a new direction answers a requester whose peer has been quiet */
        {true, {SEND(1), REPLY(1, 1), LATER(2), FROM_B(ACKNOWLEDGE, 2, .syndrome = ACK, .msn = 2, .how = OTHER_QP)}},
        /* a direction that may be the new peer began while this one was quiet */
        {true,
         {SEND(1), REPLY(1, 1), FROM_B(SEND_ONLY, 9, .bytes = 8, .how = OTHER_QP, .wait = 500 * MS),
          FROM_A(SEND_ONLY, 3, .bytes = 8, .wait = 500 * MS)}},
        {false, {SEND(1), REPLY(1, 1), FROM_A(SEND_ONLY, 3, .bytes = 8, .wait = 1000 * MS)}},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        for (unsigned k = 0; k < 8 && cases[i].shot[k].opcode; k++)
            PLAY(cases[i].shot[k]);
        cr_expect_eq(w.observer->depends, cases[i].depends, "case %u", i);
        begin(&(struct iba_observer_config){.part = true});
        for (unsigned k = 0; k < 8 && cases[i].shot[k].opcode; k++)
            PLAY(cases[i].shot[k]);
        cr_expect_eq(w.observer->depends, cases[i].depends, "case %u of a part", i);
    }
}

/* An observer of the whole capture remembers the n_asked newest requests, and frames are at least as many. */
static void requests_that_others_may_displace(void)
{
    static const struct {
        uint64_t asked, answered;
        bool depends;
    } cases[] = {{1, 16, false}, {1, 17, true}, {2, 17, false}, {2, 18, true}, {100, 115, false}, {100, 116, true}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned read = 0; read < 2; read++) {
            const struct shot asks = read ? (struct shot)READ(1, 8) : (struct shot)SEND(1);
            begin(&(struct iba_observer_config){.n_asked = 16});
            w.frame = cases[i].asked - 1;
            PLAY(asks);
            w.frame = cases[i].answered - 1;
            PLAY(FROM_B(ACKNOWLEDGE, 1, .syndrome = ACK, .msn = 1));
            cr_expect_eq(w.observer->depends, cases[i].depends, "case %u", i);
            cr_expect(iba_flow_is_paired(w.observer->seen.flow));
        }
}

/* Some connections last so long that PSNs come again: a response answers the newest 2^20 PSNs. */
static void psns_of_a_long_capture(void)
{
    for (uint32_t beyond = 0; beyond < 2; beyond++) {
        begin(NULL);
        PLAY(SEND(0), SEND(1 << 20), SEND((1 << 20) + 1),
             FROM_B(ACKNOWLEDGE, (1 << 20) - 129 + beyond, .syndrome = ACK));
        cr_expect_eq(iba_flow_is_paired(w.observer->seen.flow), !beyond);
    }
}

/* A direction whose earlier responses found no pair is judged from the first response of its pair on. */
static void responses_before_the_pair(void)
{
    for (unsigned before = 0; before < 2; before++)
        for (uint32_t psn = 2; psn <= 5; psn += 3) {
            begin(&(struct iba_observer_config){.pmtu = MTU});
            if (before)
                PLAY(FROM_B(ACKNOWLEDGE, 0x50000, .syndrome = ACK));
            PLAY(READ(1, 600), READ(4, 600), FROM_B(READ_RESP_MIDDLE, psn, .bytes = MTU));
            iba_observer_end(w.observer, now);
            cr_expect_eq(FOUND(RESPONSE_GAP), !before, "%u", (unsigned)psn);
            cr_expect_eq(FOUND(ANSWER_MISSING), !before && psn == 5, "%u", (unsigned)psn);
        }
}

#define FROM_OTHER_B(n, ...) FROM_B(ACKNOWLEDGE, n, .syndrome = ACK, .how = OTHER_QP, __VA_ARGS__)

/* Two directions sent the same PSN. That of a direction with a pair does not count. */
static void who_has_a_pair_asks_for_no_other(void)
{
    begin(NULL);
    PLAY(SEND(1), REPLY(1, 1), ELSEWHERE(1), FROM_OTHER_B(1, .msn = 1));
    const struct iba_flow *f = w.observer->seen.flow;
    cr_expect(iba_flow_is_paired(f) && !iba_flow_is_guess(f) && !w.observer->depends);
    begin(NULL);
    PLAY(SEND(1), ELSEWHERE(1), FROM_A(SEND_ONLY, 1, .bytes = 12, .how = OTHER_QP), FROM_OTHER_B(1, .msn = 1));
    f = w.observer->seen.flow;
    cr_expect(iba_flow_is_paired(f) && iba_flow_is_guess(f) && w.observer->depends);
}

/* The requester of a pair is quiet for 10 ms, and its responder answers another one: they are a new pair. A PSN
 * that its last acknowledgement had shows that only after a rest. */
static void a_responder_with_another_requester(void)
{
    static const struct {
        uint32_t psn;
        iba_time quiet;
        bool reused;
    } cases[] = {{500, IBA_OBS_FLIGHT_NS, true}, {500, IBA_OBS_FLIGHT_NS - 1, false},
                 {2, 1000 * MS, true},           {2, 1000 * MS - 1, false},
                 {1, IBA_OBS_FLIGHT_NS, true},   {1, IBA_OBS_FLIGHT_NS - 1, false}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        PLAY(SEND(1), REPLY(1, 1), SEND(2), REPLY(2, 2),
             {.opcode = IBA_RC_SEND_ONLY,
              .psn = cases[i].psn,
              .bytes = 8,
              .how = OTHER_QP,
              .wait = cases[i].quiet - 20000},
             FROM_B(ACKNOWLEDGE, cases[i].psn, .syndrome = ACK, .msn = 1));
        cr_expect_eq(FOUND(QP_REUSED), cases[i].reused, "case %u", i);
        if (cases[i].reused) {
            const struct iba_finding *f = &w.kept[0];
            cr_expect(f->frame == 6 && f->cause == 4 && f->wait_ns == cases[i].quiet - 10000);
        }
    }
}

/* The responder of a pair is quiet for 10 ms, and a new direction answers its requester. With two such requesters
 * nobody knows which one is answered. */
static void a_requester_with_another_responder(void)
{
    for (unsigned early = 0; early < 2; early++) {
        begin(NULL);
        PLAY(SEND(1), REPLY(1, 1), FROM_A(SEND_ONLY, 2, .bytes = 8, .wait = IBA_OBS_FLIGHT_NS - 10000 - early),
             FROM_OTHER_B(2, .msn = 2));
        cr_expect_eq(FOUND(QP_REUSED), !early);
        cr_expect_eq(iba_flow_is_paired(w.observer->seen.flow), !early);
        cr_expect(early || (w.kept[0].cause == 2 && w.kept[0].wait_ns == IBA_OBS_FLIGHT_NS));
    }
    begin(NULL);
    PLAY(SEND(1), REPLY(1, 1), ELSEWHERE(1), FROM_OTHER_B(1, .msn = 1),
         FROM_A(SEND_ONLY, 2, .bytes = 8, .wait = 20 * MS), ELSEWHERE(2),
         {.opcode = IBA_RC_ACKNOWLEDGE, .from = B, .psn = 2, .syndrome = ACK, .msn = 2, .how = THIRD_QP});
    cr_expect_eq(FOUND(QP_REUSED), 0);
    cr_expect(w.observer->depends && !iba_flow_is_paired(w.observer->seen.flow));
}

/* A second response confirms a pair that has fitted once, while a direction at rest might have fitted, too. */
static void fits_once(void)
{
    begin(&(struct iba_observer_config){.n_flow = 2, .n_known = 12});
    for (unsigned i = 0; i < 3; i++)
        PLAY({.opcode = IBA_UC_SEND_ONLY, .psn = i, .bytes = 8, .how = i == 1 ? OTHER_QP : i == 2 ? STRANGER : PLAIN});
    cr_assert_gt(w.observer->resting, 0);
    PLAY(SEND(1), REPLY(1, 1));
    cr_expect(iba_flow_is_guess(w.observer->seen.flow) && w.observer->seen.flow->once);
    PLAY(SEND(2), REPLY(2, 2));
    cr_expect(!iba_flow_is_guess(w.observer->seen.flow) && !w.observer->seen.flow->once);
}

/* Several directions fit: the one that was used last is taken as a guess. Where all of them would have sent the request
 * only after the newest captured one, none is. */
static void several_fit(void)
{
    for (unsigned order = 0; order < 2; order++)
        for (uint32_t psn = 4; psn <= 6; psn++) {
            const struct shot asks[2] = {SEND(5), ELSEWHERE(5)};
            begin(NULL);
            PLAY(asks[order], asks[!order], FROM_B(ACKNOWLEDGE, psn, .syndrome = ACK, .msn = 1));
            const struct iba_flow *f = w.observer->seen.flow, *peer = iba_observer_peer(w.observer, f);
            cr_assert_eq(peer != NULL, psn < 6, "%u", (unsigned)psn);
            cr_expect(w.observer->depends);
            if (!peer)
                continue;
            cr_expect(iba_flow_is_guess(f) && iba_flow_is_guess(peer));
            cr_expect_eq(iba_flow_key(peer)->qpn, QP_B + (order ? 0u : 0x100u));
        }
}

/* Both directions of a pair have the path MTU that one of them has shown. A First or Middle shows it for sure. */
static void the_path_mtu_is_that_of_both(void)
{
    static const struct {
        struct shot shot[4];
        bool sure;
    } cases[] = {
        {{READ(1, 600), FROM_B(READ_RESP_FIRST, 1, .bytes = MTU, .syndrome = ACK)}, true},
        {{FROM_A(SEND_FIRST, 1, .bytes = MTU), REPLY(1, 0)}, true},
        {{READ(1, 600), SEND(4), REPLY(4, 0)}, false},
        {{READ(1, 600), SEND(3), FROM_B(READ_RESP_FIRST, 1, .bytes = MTU, .syndrome = ACK)}, true},
        {{FROM_B(SEND_FIRST, 9, .bytes = MTU), READ(1, 600), SEND(3), REPLY(3, 1)}, true},
    };

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(NULL);
        for (unsigned k = 0; k < 4 && (cases[i].shot[k].opcode || cases[i].shot[k].bytes); k++)
            PLAY(cases[i].shot[k]);
        const struct iba_flow *f = w.observer->seen.flow, *peer = iba_observer_peer(w.observer, f);
        cr_assert_not_null(peer, "case %u", i);
        cr_expect(f->pmtu == MTU && peer->pmtu == MTU, "case %u: %u and %u", i, f->pmtu, peer->pmtu);
        cr_expect(f->pmtu_sure == cases[i].sure && peer->pmtu_sure == cases[i].sure, "case %u", i);
    }
}

/* In one process: a process for each takes longer than all of them. */
Test(pairs, limits)
{
    pairs_by_near_psns();
    tries_to_find_a_pair();
    pairs_by_a_refusal();
    two_refusals_of_one_psn();
    decisions_that_depend_on_other_connections();
    requests_that_others_may_displace();
    psns_of_a_long_capture();
    responses_before_the_pair();
    who_has_a_pair_asks_for_no_other();
    a_responder_with_another_requester();
    a_requester_with_another_responder();
    fits_once();
    several_fit();
    the_path_mtu_is_that_of_both();
}
