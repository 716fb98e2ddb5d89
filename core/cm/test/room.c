/* SPDX-License-Identifier: BSD-2-Clause */
/* A CM whose rings become full, timers that are due at once, how often and how long a CM waits, listeners that end, and
 * how much private data each verb takes. */
#include <criterion/criterion.h>
#include <string.h>
#include "cm/deviations_cm.h"
#include "hand.h"

static struct hand h;
#define CM HAND_CM(&h)
#define NOW h.lab.now

static const struct iba_cm_private none;
enum { UNKNOWN_SERVICE = 5, PLACES = 7 };

/* Gives the CM a REQ of the queue pair and ID `n`. */
static void ask(uint32_t n, uint64_t service)
{
    uint8_t mad[IBA_MAD_BYTES], *data = hand_req(&h, mad);

    iba_cm_req_set_localcommid(data, n);
    iba_cm_req_set_localqpn(data, n);
    iba_cm_req_set_serviceid(data, service);
    lab_feed(&h.lab, 0, mad);
}

/* ---- rings ---- */

/* A datagram is taken only while each ring has IBA_CM_RINGS_LEAST free places. Those that are dropped are counted.
 * Messages leave in the order of their causes, however often the ring has been used. */
Test(room, messages_leave_in_order)
{
    uint32_t asked = 0, left = 0, dropped = 0, id[200];

    hand_open(&h, IBA_PORT_IB);
    CM->cfg.n_out = PLACES;
    for (unsigned round = 0; round < 100; round++) {
        for (unsigned i = 0; i < 2; i++) {
            const bool room = asked - left + IBA_CM_RINGS_LEAST <= PLACES;
            ask(round * 2 + i + 1, UNKNOWN_SERVICE);
            if (room)
                id[asked++] = round * 2 + i + 1;
            else
                dropped++;
            cr_expect_eq(CM->overrun, dropped, "round %u", round);
        }
        for (unsigned i = 0; i < round % 4; i++) {
            uint8_t mad[IBA_MAD_BYTES];
            cr_assert_eq(lab_take(&h.lab, 0, mad), left < asked);
            if (left < asked)
                cr_expect_eq(iba_cm_rej_remotecommid(mad + IBA_BYTES_madhdr), id[left++], "round %u", round);
        }
    }
    cr_expect_gt(dropped, 0);
    cr_expect_eq(CM->unexpected, 0);
    hand_close(&h);
}

Test(room, events_come_in_order)
{
    uint64_t said = 0, heard = 0, dropped = 0, tid[200];

    hand_open(&h, IBA_PORT_IB);
    hand_passive(&h, IBA_CMS_ESTABLISHED);
    CM->cfg.n_event = PLACES;
    CM->event_at = 0;
    for (unsigned round = 0; round < 100; round++) {
        struct iba_cm_event e;
        for (unsigned i = 0; i < 2; i++) {
            const bool room = said - heard + IBA_CM_RINGS_LEAST <= PLACES;
            uint8_t mad[IBA_MAD_BYTES];
            hand_message_of(&h, mad, IBA_CM_ID_SAP);
            iba_madhdr_set_transactionid(mad, round * 2 + i);
            lab_feed(&h.lab, 0, mad);
            if (room)
                tid[said++] = round * 2 + i;
            else
                dropped++;
            cr_expect_eq(CM->overrun, dropped, "round %u", round);
        }
        for (unsigned i = 0; i < round % 4; i++) {
            cr_assert_eq(iba_cm_next_event(CM, &e), heard < said);
            if (heard < said)
                cr_expect_eq(iba_madhdr_transactionid(e.mad), tid[heard++], "round %u", round);
        }
    }
    cr_expect_gt(dropped, 0);
    hand_close(&h);
}

/* A verb has room exactly as long as a datagram has. */
Test(room, verbs_need_the_same_room)
{
    for (unsigned events = 0; events < 2; events++) {
        hand_open(&h, IBA_PORT_IB);
        hand_passive(&h, IBA_CMS_ESTABLISHED);
        const uint32_t places = events ? CM->cfg.n_event : CM->cfg.n_out;
        uint32_t *used = events ? &CM->event_n : &CM->out_n;
        *used = places - IBA_CM_RINGS_LEAST + 1;
        cr_expect_eq(iba_cm_suggest(CM, h.id, none, NOW), IBA_CM_FULL);
        *used = places - IBA_CM_RINGS_LEAST;
        cr_expect_eq(iba_cm_suggest(CM, h.id, none, NOW), IBA_CM_OK);
        hand_close(&h);
    }
}

/* ---- timers ---- */

/* Timers run in the order of their ends, not before them, and only as long as there is room; the others wait. */
Test(room, timers_that_are_due_at_once)
{
    enum { CONNS = 5 };
    uint8_t mad[IBA_MAD_BYTES];
    uint32_t id[CONNS];

    hand_open(&h, IBA_PORT_IB);
    for (unsigned i = 0; i < CONNS; i++) { /* later ones end earlier */
        struct iba_cm_request r = lab_request(&h.lab, 0, OUR_QPN + i);
        r.req.remoteresptout = (uint8_t)(CONNS - i);
        cr_assert_eq(iba_cm_connect(CM, &r, NOW, &id[i]), IBA_CM_OK);
        cr_assert(lab_take(&h.lab, 0, mad));
    }
    iba_cm_advance(CM, iba_cm_deadline(CM) - 1);
    cr_expect(!lab_take(&h.lab, 0, mad), "no timer has ended");
    CM->cfg.n_out = IBA_CM_RINGS_LEAST + 1; /* room for two */
    CM->out_at = 0;
    NOW = iba_cm_find(CM, id[0])->due;
    for (unsigned i = CONNS, n = 2; i > 0; i -= n) {
        iba_cm_advance(CM, NOW);
        n = i < 2 ? i : 2;
        for (unsigned k = 1; k <= n; k++) {
            cr_assert(lab_take(&h.lab, 0, mad));
            cr_expect_eq(iba_cm_req_localcommid(mad + IBA_BYTES_madhdr), id[i - k], "%u", i - k);
        }
        cr_expect(!lab_take(&h.lab, 0, mad));
    }
    cr_expect_gt(iba_cm_deadline(CM), NOW);
    hand_close(&h);
}

enum asks { OF_REQ, OF_LAP, OF_DREQ, OF_ABANDON, OF_STALE, OF_SIDR_REQ, ASKS };

/* Brings the CM to wait for an answer: to its REQ, LAP or SIDR_REQ, or to a DREQ that the user, the end of the user's
 * interest, or a REQ of the same queue pair causes. MaxCMRetries is `n`. */
static void wait_for_answer(enum asks what, uint8_t n)
{
    const struct iba_cm_resolve resolve = {.service_id = 7, .response = 10, .retries = n};
    struct iba_cm_request r = lab_request(&h.lab, 0, OUR_QPN);
    uint8_t mad[IBA_MAD_BYTES];

    r.req.maxcmretr = n;
    if (what == OF_SIDR_REQ) {
        cr_assert_eq(iba_cm_resolve(CM, &resolve, NOW, &h.id), IBA_CM_OK);
        return;
    }
    cr_assert_eq(iba_cm_connect(CM, &r, NOW, &h.id), IBA_CM_OK);
    if (what == OF_REQ)
        return;
    (void)hand_say(&h, IBA_CM_ID_REP, 0);
    cr_assert_eq(iba_cm_confirm(CM, h.id, none, NOW), IBA_CM_OK);
    switch (what) {
    case OF_LAP: (void)iba_cm_load(CM, h.id, &(struct iba_cm_lap){.remoteresptout = 9}, none, NOW); break;
    case OF_DREQ: (void)iba_cm_disconnect(CM, h.id, none, NOW); break;
    case OF_ABANDON: (void)iba_cm_abandon(CM, h.id, NOW); break;
    default:
        iba_cm_req_set_localcommid(hand_req(&h, mad), HAND_ID + 1);
        (void)hand_feed(&h, mad);
        break;
    }
}

/* MD-68: a message is sent once, and then as often as MaxCMRetries says. Between two of them always passes the same
 * time. */
Test(room, how_often_a_message_is_sent)
{
    static const uint8_t retries[] = {0, 1, 15};
    static const uint16_t messages[] = {IBA_CM_ID_REQ,  IBA_CM_ID_LAP,  IBA_CM_ID_DREQ,
                                        IBA_CM_ID_DREQ, IBA_CM_ID_DREQ, IBA_CM_ID_SIDR_REQ};
    static const uint8_t events[] = {IBA_CME_UNREACHABLE, IBA_CME_UNLOADED,   IBA_CME_UNRELEASED,
                                     IBA_CME_UNRELEASED,  IBA_CME_UNRELEASED, IBA_CME_SIDR_UNANSWERED};

    for (unsigned k = 0; k < ASKS * sizeof retries; k++) {
        const unsigned n = retries[k / ASKS], what = k % ASKS;
        hand_open(&h, IBA_PORT_IB);
        wait_for_answer((enum asks)what, (uint8_t)n);
        (void)hand_take(&h);
        const iba_time wait = iba_cm_deadline(CM) - NOW;
        for (unsigned i = 0; i < n; i++) {
            cr_expect_eq(hand_timer(&h), messages[what], "case %u, retry %u", k, i);
            cr_expect_eq(h.e.kind, IBA_CME_NONE);
            cr_expect_eq(iba_cm_deadline(CM) - NOW, wait, "case %u, retry %u", k, i);
        }
        cr_expect_eq(hand_timer(&h), what == OF_REQ ? IBA_CM_ID_REJ : 0, "case %u", k);
        cr_expect_eq(h.e.kind, events[what], "case %u: given up", k);
        hand_close(&h);
    }
}

/* MD-69: after the time of an MRA the message is sent again, and the response time runs as before. */
Test(room, the_time_after_an_mra)
{
    static const struct {
        bool active;
        uint8_t state, next, code;
    } cases[] = {{true, IBA_CMS_MRA_REQ_RCVD, IBA_CMS_REQ_SENT, 14},
                 {false, IBA_CMS_MRA_REP_RCVD, IBA_CMS_REP_SENT, HAND_PEER_TIME},
                 {true, IBA_CMS_MRA_LAP_RCVD, IBA_CMS_LAP_SENT, HAND_LAP_TIME}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hand_open(&h, IBA_PORT_IB);
        (cases[i].active ? hand_active : hand_passive)(&h, (enum iba_cm_state)cases[i].state);
        cr_expect_neq(hand_timer(&h), 0);
        cr_expect_eq(hand_state(&h), cases[i].next);
        cr_expect_eq(iba_cm_deadline(CM), NOW + ((iba_time)4096 << cases[i].code) + (4096 << 10), "case %zu", i);
        hand_close(&h);
    }
}

/* MD-78: without a REP, no delay of the peer counts in TimeWait. */
Test(room, timewait_without_a_rep)
{
    hand_open(&h, IBA_PORT_IB);
    hand_active(&h, IBA_CMS_REQ_SENT);
    (void)hand_say(&h, IBA_CM_ID_REJ, IBA_CM_REJ_STALE);
    cr_expect_eq(hand_state(&h), IBA_CMS_TIMEWAIT);
    cr_expect_eq(iba_cm_deadline(CM), NOW + (4096 << 10));
    hand_close(&h);
}

/* ---- slots and listeners ---- */

/* If both the listener's places and the slots are used, the listener's are looked at first. */
Test(room, backlog_before_slots)
{
    for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
        const uint16_t attribute = datagrams ? IBA_CM_ID_SIDR_REQ : IBA_CM_ID_REQ;
        hand_open(&h, IBA_PORT_IB);
        CM->cfg.listener[datagrams].what.backlog = LAB_CONNS;
        for (uint32_t i = 1; i <= LAB_CONNS + 1u; i++) {
            uint8_t mad[IBA_MAD_BYTES], *data = hand_message(mad, attribute, HAND_TID);
            iba_cm_sidr_req_set_requestid(data, i);
            iba_cm_sidr_req_set_serviceid(data, LAB_SERVICE);
            if (datagrams)
                (void)hand_feed(&h, mad);
            else
                ask(i, LAB_SERVICE);
            cr_expect_eq(hand_take(&h) == 0, datagrams || i <= LAB_CONNS);
        }
        for (unsigned i = 0; i < iba_cm_message_rules.n; i++) {
            const char *name = iba_cm_message_rules.row[i].name;
            const bool full = strcmp(name, datagrams ? "sidr_full_backlog" : "req_full_backlog") == 0;
            if (full || strcmp(name, datagrams ? "sidr_no_slot" : "req_no_slot") == 0)
                cr_expect_eq(CM->hits[IBA_CM_TABLE_MESSAGES][i], full, "%s", name);
        }
        hand_close(&h);
    }
}

/* Each listener of the caller's memory is used, whichever is free. */
Test(room, all_listeners)
{
    uint32_t number[LAB_LISTENERS], other;

    hand_open(&h, IBA_PORT_IB);
    cr_assert_eq(iba_cm_unlisten(CM, 0, NOW), IBA_CM_OK);
    cr_expect_eq(iba_cm_unlisten(CM, 0, NOW), IBA_CM_NO_SERVICE);
    cr_assert_eq(iba_cm_unlisten(CM, 1, NOW), IBA_CM_OK);
    for (unsigned i = 0; i < LAB_LISTENERS; i++) {
        const struct iba_cm_listen l = {.service_id = 0x70 + i, .service_mask = UINT64_MAX};
        cr_expect_eq(iba_cm_listen(CM, &l, &number[i]), IBA_CM_OK);
        for (unsigned k = 0; k < i; k++)
            cr_expect_neq(number[i], number[k]);
    }
    const struct iba_cm_listen l = {.service_id = 0x60, .service_mask = UINT64_MAX};
    cr_expect_eq(iba_cm_listen(CM, &l, &other), IBA_CM_FULL);
    for (unsigned i = 0; i < LAB_LISTENERS; i++) {
        cr_assert_eq(iba_cm_unlisten(CM, number[i], NOW), IBA_CM_OK);
        cr_expect_eq(iba_cm_listen(CM, &l, &other), IBA_CM_OK);
        cr_assert_eq(iba_cm_unlisten(CM, other, NOW), IBA_CM_OK);
    }
    hand_close(&h);
}

/* A listener that ends refuses the requests that wait for it: REQs with reason 28, SIDR_REQs with status 2 (MD-74,
 * MD-80). The requests of other listeners, and connections that were accepted, go on. */
Test(room, a_listener_ends)
{
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);
    uint32_t accepted, waits, number;
    struct iba_cm_datagram d;

    hand_open(&h, IBA_PORT_IB);
    cr_assert_eq(iba_cm_listen(CM, &(struct iba_cm_listen){.service_id = 0x77, .service_mask = UINT64_MAX}, &number),
                 IBA_CM_OK);
    ask(1, LAB_SERVICE);
    (void)hand_take(&h);
    accepted = h.id;
    cr_assert_eq(iba_cm_accept(CM, accepted, &rep, none, NOW), IBA_CM_OK);
    ask(2, 0x77);
    (void)hand_take(&h);
    waits = h.id;
    for (uint32_t i = 3; i <= 5; i++)
        ask(i, LAB_SERVICE);
    (void)hand_take(&h);
    cr_assert_eq(iba_cm_delay(CM, h.id, 16, none, NOW), IBA_CM_OK);
    (void)hand_take(&h);
    cr_expect_eq(CM->cfg.listener[0].waiting, 3);
    cr_assert_eq(iba_cm_unlisten(CM, 0, NOW), IBA_CM_OK);
    for (uint32_t i = 3; i <= 5; i++) {
        cr_assert(iba_cm_poll(CM, &d));
        const uint8_t *rej = d.mad + IBA_BYTES_madhdr;
        cr_expect(iba_madhdr_attributeid(d.mad) == IBA_CM_ID_REJ && iba_cm_rej_reason(rej) == 28);
        cr_expect_eq(iba_cm_rej_remotecommid(rej), i);
    }
    cr_expect(!iba_cm_poll(CM, &d));
    cr_expect_eq(iba_cm_find(CM, accepted)->state, IBA_CMS_REP_SENT);
    cr_expect_eq(iba_cm_find(CM, waits)->state, IBA_CMS_REQ_RCVD);
    cr_expect(CM->n_used == 2 && CM->cfg.listener[number].waiting == 1);
    iba_cm_check(CM);
    hand_close(&h);
}

/* A peer that gives up its REQ, or that is answered, leaves its place to the next. */
Test(room, places_of_a_listener)
{
    enum { REJ, ACCEPT, ABANDON, ENDS };
    const struct iba_cm_rep rep = lab_rep(OUR_QPN);

    for (unsigned end = 0; end < ENDS; end++)
        for (unsigned delayed = 0; delayed < 2; delayed++) {
            hand_open(&h, IBA_PORT_IB);
            CM->cfg.listener[0].what.backlog = 1;
            ask(HAND_ID, LAB_SERVICE);
            (void)hand_take(&h);
            if (delayed)
                cr_assert_eq(iba_cm_delay(CM, h.id, 16, none, NOW), IBA_CM_OK);
            ask(2, LAB_SERVICE);
            cr_expect_eq(hand_take(&h), IBA_CM_ID_REJ);
            switch (end) {
            case REJ: (void)hand_say(&h, IBA_CM_ID_REJ, 28); break;
            case ACCEPT: cr_assert_eq(iba_cm_accept(CM, h.id, &rep, none, NOW), IBA_CM_OK); break;
            default: cr_assert_eq(iba_cm_abandon(CM, h.id, NOW), IBA_CM_OK); break;
            }
            (void)hand_take(&h);
            cr_expect_eq(CM->cfg.listener[0].waiting, 0, "%u", end);
            ask(2, LAB_SERVICE);
            cr_expect_eq(hand_take(&h), 0, "%u", end);
            cr_expect_eq(h.e.kind, IBA_CME_REQ);
            hand_close(&h);
        }
}

/* ---- verbs ---- */

/* The verbs that begin or accept something take as many bytes of private data as their message has (MD-55, MD-57,
 * MD-60). */
Test(room, private_data_of_requests)
{
    static const uint8_t bytes[IBA_MAD_BYTES];

    for (unsigned verb = 0; verb < 4; verb++)
        for (unsigned more = 0; more < 2; more++) {
            static const uint8_t most[] = {92, 196, 216, 136};
            const struct iba_cm_private p = {bytes, most[verb] + more};
            const struct iba_cm_resolve resolve = {.service_id = 7, .private_data = p};
            struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
            const struct iba_cm_rep rep = lab_rep(OUR_QPN);
            const struct iba_cm_sidr_rep sidr = {.qpn = 5};
            uint8_t mad[IBA_MAD_BYTES];
            uint32_t id;
            enum iba_cm_err e;
            r.private_data = p;
            if (verb == 1)
                ask(1, LAB_SERVICE);
            iba_cm_sidr_req_set_serviceid(hand_message(mad, IBA_CM_ID_SIDR_REQ, HAND_TID), LAB_SERVICE);
            if (verb == 3)
                (void)lab_feed(&h.lab, 0, mad);
            (void)hand_take(&h);
            switch (verb) {
            case 0: e = iba_cm_connect(CM, &r, NOW, &id); break;
            case 1: e = iba_cm_accept(CM, h.id, &rep, p, NOW); break;
            case 2: e = iba_cm_resolve(CM, &resolve, NOW, &id); break;
            default: e = iba_cm_resolved(CM, h.id, &sidr, p, NOW); break;
            }
            cr_expect_eq(e, more ? IBA_CM_PRIVATE_TOO_LONG : IBA_CM_OK, "verb %u", verb);
            iba_cm_check(CM);
            hand_close(&h);
        }
}

/* A CM whose table has no row for a verb that begins a connection refuses the verb, and keeps no slot for it. */
Test(room, a_beginning_without_a_row)
{
    static struct iba_cm_changed_rules changed;
    static const char *const names[] = {"connect", "resolve"};

    for (unsigned v = 0; v < 2; v++) {
        const struct iba_cm_request r = (hand_open(&h, IBA_PORT_IB), lab_request(&h.lab, 0, OUR_QPN));
        const struct iba_cm_resolve resolve = {.service_id = 7};
        uint32_t id;
        for (uint16_t i = 0; i < iba_cm_verb_rules.n; i++)
            if (strcmp(iba_cm_verb_rules.row[i].name, names[v]) == 0)
                cr_assert(iba_cm_rules_change(&changed, IBA_CM_TABLE_VERBS, i, IBA_CM_ROW_DROP));
        iba_cm_set_rules(CM, IBA_CM_TABLE_VERBS, &changed.rules);
        for (unsigned i = 0; i <= LAB_CONNS; i++)
            cr_expect_eq(v ? iba_cm_resolve(CM, &resolve, NOW, &id) : iba_cm_connect(CM, &r, NOW, &id),
                         IBA_CM_WRONG_STATE, "%s", names[v]);
        cr_expect_eq(CM->n_used, 0);
        hand_close(&h);
    }
}
