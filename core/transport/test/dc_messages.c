/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of dynamic connections: each member of the messages that both ends send, and the times at which they do. */
#include <criterion/criterion.h>
#include <string.h>
#include "transport/iba_dc.h"

enum { KEY = 0x5eed, TIMEOUT = 1000, IDLE = 5000, LEASE = 100000 };
#define TOKEN UINT64_C(0xfeed00000001)

static void note_message(void *ctx, const struct iba_dc_message *m)
{
    *(struct iba_dc_message *)ctx = *m;
}

static uint64_t same_token(void *ctx)
{
    (void)ctx;
    return TOKEN;
}

static const struct {
    uint8_t kind, full;
    uint32_t initiator, connection, sequence;
    uint64_t key, token;
    uint8_t answer; /* the kind; IBA_DC_KIND_COUNT: none */
    uint32_t executed;
    uint8_t bad_keys, cnaks, serving;
} steps[] = {
    {IBA_DC_CONNECT, 1, 7, UINT32_MAX, 0, KEY, 0, IBA_DC_ACCEPTED, 0, 0, 0, 1},
    {IBA_DC_OPERATION, 0, 7, UINT32_MAX, 0, KEY, TOKEN, IBA_DC_DONE, 1, 0, 0, 1},
    {IBA_DC_OPERATION, 0, 7, UINT32_MAX, 1, KEY, TOKEN, IBA_DC_DONE, 2, 0, 0, 1},
    {IBA_DC_OPERATION, 0, 7, UINT32_MAX, 0, KEY, TOKEN, IBA_DC_DONE, 2, 0, 0, 1},
    {IBA_DC_OPERATION, 0, 7, UINT32_MAX, 3, KEY, TOKEN, IBA_DC_KIND_COUNT, 2, 0, 0, 1},
    {IBA_DC_OPERATION, 0, 7, UINT32_MAX, 2, KEY + 1, TOKEN, IBA_DC_BAD_KEY, 2, 1, 0, 1},
    {IBA_DC_CONNECT, 0, 8, 5, 0, KEY + 1, 0, IBA_DC_BAD_KEY, 0, 2, 0, 1},
    {IBA_DC_CONNECT, 0, 8, 5, 0, KEY, 0, IBA_DC_ACCEPTED, 0, 2, 0, 2},
    {IBA_DC_CONNECT, 0, 9, 5, 0, KEY, 0, IBA_DC_CNAK, 0, 2, 1, 2},
    {IBA_DC_CONNECT, 0, 10, 5, 0, KEY, 0, IBA_DC_CNAK, 0, 2, 2, 2},
    {IBA_DC_OPERATION, 0, 8, 5, 0, KEY, 99, IBA_DC_DONE, 1, 2, 2, 2}, /* half: any token */
    {IBA_DC_CONNECT, 1, 7, 0, 0, KEY, 0, IBA_DC_ACCEPTED, 0, 2, 2, 2},
    {IBA_DC_CONNECT, 1, 7, UINT32_MAX, 0, KEY, 0, IBA_DC_KIND_COUNT, 0, 2, 2, 2},
    {IBA_DC_OPERATION, 0, 7, 0, 0, KEY, TOKEN, IBA_DC_DONE, 1, 2, 2, 2},
    {IBA_DC_CONNECT, 1, 7, 0, 0, KEY, 0, IBA_DC_ACCEPTED, 1, 2, 2, 2},
    {IBA_DC_DISCONNECT, 0, 7, 4, 0, 0, 0, IBA_DC_CLOSED, 1, 2, 2, 2},
    {IBA_DC_DISCONNECT, 0, 7, 0, 0, 0, 0, IBA_DC_CLOSED, 0, 2, 2, 1},
    {IBA_DC_DISCONNECT, 0, 7, 0, 0, 0, 0, IBA_DC_CLOSED, 0, 2, 2, 1},
    {IBA_DC_OPERATION, 0, 7, 0, 1, KEY, TOKEN, IBA_DC_KIND_COUNT, 0, 2, 2, 1},
    {IBA_DC_OPERATION, 0, 8, 5, 1, KEY, 0, IBA_DC_DONE, 2, 2, 2, 1},
};

/* Each member of each answer of a target with two responders, and its counters. Connections wrap: 1 comes after
 * 0xffffffff. */
Test(dc_messages, what_a_target_answers)
{
    struct iba_dc_message stored = {0};
    struct iba_dc_responder pool[2];
    struct iba_dc_target t = {
        .number = 3, .key = KEY, .lease_ns = LEASE, .store = note_message, .random = same_token, .ctx = &stored};

    iba_dc_target_init(&t, pool, 2);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct iba_dc_message m = {.kind = steps[i].kind,
                                         .full = steps[i].full,
                                         .initiator = steps[i].initiator,
                                         .target = 3,
                                         .connection = steps[i].connection,
                                         .sequence = steps[i].sequence,
                                         .key = steps[i].key,
                                         .token = steps[i].token,
                                         .at = 50 + i,
                                         .value = 70 + i};
        struct iba_dc_message a;
        memset(&a, 0xee, sizeof a);
        const bool answers = iba_dc_target_receive(&t, &m, 10, &a);
        cr_expect_eq(answers, steps[i].answer != IBA_DC_KIND_COUNT, "step %u", i);
        cr_expect(t.bad_keys == steps[i].bad_keys && t.cnaks == steps[i].cnaks, "step %u", i);
        cr_expect_eq(iba_dc_serving(&t), steps[i].serving, "step %u", i);
        if (!answers)
            continue;
        cr_expect(a.kind == steps[i].answer && a.sequence == steps[i].executed, "step %u: kind %u, sequence %u", i,
                  a.kind, a.sequence);
        cr_expect(a.initiator == m.initiator && a.target == 3 && a.connection == m.connection, "step %u", i);
        cr_expect_eq(a.token, a.kind == IBA_DC_ACCEPTED && m.full ? TOKEN : 0, "step %u", i);
        cr_expect(!a.full && a.key == 0 && a.at == 0 && a.value == 0, "step %u", i);
    }
    cr_expect(stored.at == 50 + 19 && stored.value == 70 + 19 && stored.initiator == 8);
}

/* ---- what an initiator sends, and when ---- */

/* Operation k, with the usual key of its target. */
static struct iba_dc_operation numbered(uint64_t k, uint32_t target)
{
    return (struct iba_dc_operation){.id = k, .target = target, .key = KEY + target, .at = 100 + k, .value = 200 + k};
}

/* The next message is about connection c: a request, if `kind` is one, or operation k with that sequence. */
static void expect_sent(struct iba_dc_initiator *i, iba_time now, enum iba_dc_kind kind, uint32_t c, uint32_t sequence,
                        uint64_t k)
{
    const bool work = kind == IBA_DC_OPERATION;
    struct iba_dc_message m;

    memset(&m, 0xee, sizeof m);
    cr_assert(iba_dc_poll(i, &m, now), "at %u", (unsigned)now);
    cr_expect(m.kind == kind && m.initiator == 7 && m.target == 1 && m.connection == c, "at %u: kind %u, connection %u",
              (unsigned)now, m.kind, m.connection);
    cr_expect_eq(m.full, !work && i->config.full);
    cr_expect_eq(m.key, kind == IBA_DC_DISCONNECT ? 0 : KEY + 1);
    cr_expect(m.sequence == sequence && m.token == (work ? i->token : 0), "at %u: sequence %u", (unsigned)now,
              m.sequence);
    cr_expect(i->state == IBA_DC_OPEN || m.token == 0, "at %u: a token before the target gave one", (unsigned)now);
    cr_expect(m.at == (work ? 100 + k : 0) && m.value == (work ? 200 + k : 0), "at %u", (unsigned)now);
}

static void expect_nothing_sent(struct iba_dc_initiator *i, iba_time now, iba_time deadline)
{
    struct iba_dc_message m;

    cr_expect_not(iba_dc_poll(i, &m, now), "at %u: kind %u", (unsigned)now, m.kind);
    cr_expect_eq(iba_dc_deadline(i), deadline, "at %u: %lu", (unsigned)now, (unsigned long)iba_dc_deadline(i));
}

static void hear(struct iba_dc_initiator *i, iba_time now, enum iba_dc_kind kind, uint32_t sequence)
{
    const struct iba_dc_message m = {.kind = (uint8_t)kind,
                                     .initiator = 7,
                                     .target = 1,
                                     .connection = i->connection,
                                     .sequence = sequence,
                                     .token = 0xbeef};

    iba_dc_initiator_receive(i, &m, now);
}

/* Operations `from` to `to` have completed with that status, and no more. */
static void expect_completed(struct iba_dc_initiator *i, uint64_t from, uint64_t to, enum iba_dc_status status)
{
    struct iba_dc_operation op;

    for (uint64_t k = from; k <= to; k++) {
        cr_assert(iba_dc_take(i, &op), "operation %u", (unsigned)k);
        cr_expect(op.id == k && op.status == status, "operation %u: status %u", (unsigned)op.id, op.status);
    }
    cr_expect_not(iba_dc_take(i, &op), "after %u: %u", (unsigned)to, (unsigned)op.id);
}

static void initiate(struct iba_dc_initiator *i, struct iba_dc_operation ring[4], bool full, uint8_t retry)
{
    const struct iba_dc_config c = {.full = full, .retry = retry, .window = 2, .timeout_ns = TIMEOUT, .idle_ns = IDLE};

    iba_dc_initiator_init(i, &c, 7, ring, 4);
    for (uint64_t k = 0; k < 4; k++) {
        const struct iba_dc_operation op = numbered(k, 1);
        cr_assert(iba_dc_post(i, &op));
    }
}

/* Half handshake: two of four operations go at once, and two later, as the window says. Confirmations of none and of
 * more than were sent change nothing. */
Test(dc_messages, an_initiator_keeps_its_window)
{
    struct iba_dc_operation ring[4];
    struct iba_dc_initiator i;
    struct iba_dc_operation op = numbered(4, 1);

    initiate(&i, ring, false, 1);
    expect_sent(&i, 5, IBA_DC_CONNECT, 1, 0, 0);
    expect_sent(&i, 6, IBA_DC_OPERATION, 1, 0, 0);
    expect_sent(&i, 7, IBA_DC_OPERATION, 1, 1, 1);
    expect_nothing_sent(&i, 8, 5 + TIMEOUT);
    hear(&i, 20, IBA_DC_ACCEPTED, 0);
    expect_nothing_sent(&i, 20, 20 + TIMEOUT);
    hear(&i, 25, IBA_DC_DONE, 0);
    hear(&i, 25, IBA_DC_DONE, 3);
    expect_nothing_sent(&i, 25, 20 + TIMEOUT);
    expect_completed(&i, 1, 0, IBA_DC_STATUS_SUCCESS);
    hear(&i, 30, IBA_DC_DONE, 1);
    expect_completed(&i, 0, 0, IBA_DC_STATUS_SUCCESS);
    cr_expect(iba_dc_post(&i, &op) && !iba_dc_post(&i, &op), "the ring wraps");
    expect_sent(&i, 31, IBA_DC_OPERATION, 1, 2, 2);
    expect_nothing_sent(&i, 31, 30 + TIMEOUT);
    hear(&i, 40, IBA_DC_DONE, 3);
    expect_completed(&i, 1, 2, IBA_DC_STATUS_SUCCESS);
    cr_expect_eq(iba_dc_deadline(&i), IBA_NEVER, "two operations wait, and none was sent");
    expect_sent(&i, 50, IBA_DC_OPERATION, 1, 3, 3);
    expect_sent(&i, 51, IBA_DC_OPERATION, 1, 4, 4);
    expect_nothing_sent(&i, 52, 50 + TIMEOUT);
    hear(&i, 60, IBA_DC_DONE, 5);
    expect_completed(&i, 3, 4, IBA_DC_STATUS_SUCCESS);
    expect_nothing_sent(&i, 60, 60 + IDLE);
    op = numbered(5, 1);
    cr_expect(iba_dc_post(&i, &op));
    expect_sent(&i, 70, IBA_DC_OPERATION, 1, 5, 5);
    expect_nothing_sent(&i, 70, 70 + TIMEOUT);
    hear(&i, 80, IBA_DC_DONE, 6);
    iba_dc_advance(&i, 80 + IDLE - 1);
    expect_nothing_sent(&i, 80 + IDLE - 1, 80 + IDLE);
    iba_dc_advance(&i, 80 + IDLE);
    expect_sent(&i, 80 + IDLE, IBA_DC_DISCONNECT, 1, 0, 0);
    expect_nothing_sent(&i, 80 + IDLE, 80 + IDLE + TIMEOUT);
    hear(&i, 6000, IBA_DC_CLOSED, 0);
    expect_nothing_sent(&i, 6000, IBA_NEVER);
}

/* A message is sent again as often as the configuration says, and each confirmation gives all retries back. Then the
 * operations that were sent fail, and the end of the connection is repeated as often. */
Test(dc_messages, an_initiator_repeats_and_gives_up)
{
    struct iba_dc_operation ring[4];
    struct iba_dc_initiator i;
    iba_time now = 10;

    initiate(&i, ring, false, 2);
    for (unsigned k = 0; k < 2; k++) {
        expect_sent(&i, now, IBA_DC_CONNECT, 1, 0, 0);
        expect_sent(&i, now, IBA_DC_OPERATION, 1, 0, 0);
        expect_sent(&i, now, IBA_DC_OPERATION, 1, 1, 1);
        now += TIMEOUT;
        iba_dc_advance(&i, now - 1);
        expect_nothing_sent(&i, now - 1, now);
        iba_dc_advance(&i, now);
    }
    hear(&i, now, IBA_DC_DONE, 1);
    expect_completed(&i, 0, 0, IBA_DC_STATUS_SUCCESS);
    expect_sent(&i, now, IBA_DC_OPERATION, 1, 1, 1);
    expect_sent(&i, now, IBA_DC_OPERATION, 1, 2, 2);
    for (unsigned k = 0; k < 2; k++) {
        now += TIMEOUT;
        iba_dc_advance(&i, now);
        expect_sent(&i, now, IBA_DC_OPERATION, 1, 1, 1);
        expect_sent(&i, now, IBA_DC_OPERATION, 1, 2, 2);
        expect_nothing_sent(&i, now, now + TIMEOUT);
        expect_completed(&i, 1, 0, IBA_DC_STATUS_SUCCESS);
    }
    now += TIMEOUT;
    iba_dc_advance(&i, now);
    expect_completed(&i, 1, 2, IBA_DC_STATUS_TIMEOUT);
    for (unsigned k = 0; k < 3; k++, now += TIMEOUT) {
        expect_sent(&i, now, IBA_DC_DISCONNECT, 1, 0, 0);
        expect_nothing_sent(&i, now, now + TIMEOUT);
        iba_dc_advance(&i, now + TIMEOUT);
    }
    cr_expect(i.state == IBA_DC_IDLE && iba_dc_deadline(&i) == IBA_NEVER);
    expect_sent(&i, now, IBA_DC_CONNECT, 2, 0, 0);
    expect_sent(&i, now, IBA_DC_OPERATION, 2, 0, 3);
    expect_nothing_sent(&i, now, now + TIMEOUT);
}

/* A refusal fails what was sent: both operations of a half handshake, and the one that asked for a full handshake. */
Test(dc_messages, an_initiator_that_is_refused)
{
    for (unsigned full = 0; full < 2; full++)
        for (enum iba_dc_kind kind = IBA_DC_CNAK; kind <= IBA_DC_BAD_KEY; kind++) {
            struct iba_dc_operation ring[4];
            struct iba_dc_initiator i;
            initiate(&i, ring, full, 1);
            expect_sent(&i, 5, IBA_DC_CONNECT, 1, 0, 0);
            for (uint32_t k = 0; k < 2 && !full; k++)
                expect_sent(&i, 5, IBA_DC_OPERATION, 1, k, k);
            hear(&i, 9, kind, 0);
            expect_completed(&i, 0, !full, kind == IBA_DC_CNAK ? IBA_DC_STATUS_CNAK : IBA_DC_STATUS_BAD_KEY);
            cr_expect(i.state == IBA_DC_IDLE && iba_dc_deadline(&i) == IBA_NEVER);
            expect_sent(&i, 10, IBA_DC_CONNECT, 2, 0, 0);
            hear(&i, 11, IBA_DC_ACCEPTED, 0);
            cr_expect_eq(iba_dc_deadline(&i), IBA_NEVER, "operations wait");
            expect_sent(&i, 12, IBA_DC_OPERATION, 2, 0, 2 - full);
            cr_expect_eq(i.token, 0xbeef);
            cr_expect_eq(iba_dc_deadline(&i), 12 + TIMEOUT);
        }
}

/* The connection is for one target and one key. An operation with another key waits until the others are done. */
Test(dc_messages, an_initiator_disconnects_for_another_key)
{
    struct iba_dc_operation ring[2], op = numbered(1, 1);
    const struct iba_dc_config c = {.full = true, .window = 2, .timeout_ns = TIMEOUT, .idle_ns = IDLE};
    struct iba_dc_initiator i;

    iba_dc_initiator_init(&i, &c, 7, ring, 2);
    cr_assert(iba_dc_post(&i, &op));
    op.id = 2, op.key = 1;
    cr_assert(iba_dc_post(&i, &op));
    expect_sent(&i, 5, IBA_DC_CONNECT, 1, 0, 0);
    hear(&i, 6, IBA_DC_ACCEPTED, 0);
    expect_sent(&i, 7, IBA_DC_OPERATION, 1, 0, 1);
    expect_nothing_sent(&i, 8, 7 + TIMEOUT);
    hear(&i, 9, IBA_DC_DONE, 1);
    cr_expect_eq(iba_dc_deadline(&i), IBA_NEVER);
    expect_sent(&i, 10, IBA_DC_DISCONNECT, 1, 0, 0);
    hear(&i, 11, IBA_DC_DONE, 2); /* too late: the connection ends */
    expect_nothing_sent(&i, 12, 10 + TIMEOUT);
    hear(&i, 13, IBA_DC_CLOSED, 0);
    expect_completed(&i, 1, 1, IBA_DC_STATUS_SUCCESS);
    cr_expect_eq(i.state, IBA_DC_IDLE);
}

/* A connection that was accepted too late is ended once, at the target that accepted it. While that message waits,
 * another one is not noted. */
Test(dc_messages, an_initiator_ends_stray_connections)
{
    struct iba_dc_operation ring[4];
    struct iba_dc_initiator i;
    struct iba_dc_message m = {.kind = IBA_DC_ACCEPTED, .initiator = 7, .target = 2, .connection = 40, .sequence = 9};

    initiate(&i, ring, true, 1);
    iba_dc_initiator_receive(&i, &m, 1);
    m.connection = 41;
    iba_dc_initiator_receive(&i, &m, 1);
    memset(&m, 0xee, sizeof m);
    cr_assert(iba_dc_poll(&i, &m, 2));
    cr_expect(m.kind == IBA_DC_DISCONNECT && m.initiator == 7 && m.target == 2 && m.connection == 40);
    cr_expect(!m.full && m.sequence == 0 && m.key == 0 && m.token == 0 && m.at == 0 && m.value == 0);
    expect_sent(&i, 3, IBA_DC_CONNECT, 1, 0, 0);
    expect_nothing_sent(&i, 3, 3 + TIMEOUT);
}

/* A connection with an operation that has no answer yet is not idle, even if idleness is shorter than the timeout. */
Test(dc_messages, an_initiator_that_waits_is_not_idle)
{
    const struct iba_dc_config c = {.retry = 1, .window = 2, .timeout_ns = TIMEOUT, .idle_ns = 10};
    struct iba_dc_operation ring[2];
    struct iba_dc_initiator i;

    iba_dc_initiator_init(&i, &c, 7, ring, 2);
    for (uint64_t k = 0; k < 2; k++) {
        const struct iba_dc_operation op = numbered(k, 1);
        cr_assert(iba_dc_post(&i, &op));
    }
    expect_sent(&i, 1, IBA_DC_CONNECT, 1, 0, 0);
    expect_sent(&i, 1, IBA_DC_OPERATION, 1, 0, 0);
    expect_sent(&i, 1, IBA_DC_OPERATION, 1, 1, 1);
    hear(&i, 5, IBA_DC_DONE, 1);
    expect_nothing_sent(&i, 5, 5 + TIMEOUT);
    hear(&i, 7, IBA_DC_DONE, 2);
    expect_nothing_sent(&i, 7, 7 + 10);
}
