/* SPDX-License-Identifier: BSD-2-Clause */
/* Connections that send in turn, many more than there are flows. Each rests between its packets, and the observer still
 * judges it. */
#include "small.h"
#include "wire/iba_opcode_rows.h"

enum { QPS = 24, ONE = 20, FLOWS = 16, ROUNDS = 6, ACK = 0x1f, NAK_ACCESS = 0x62 };
_Static_assert(2 * QPS <= WITNESS_KNOWN && 2 * QPS > FLOWS, "all are known, and not all have a flow");
#define MS UINT64_C(1000000)

static struct witness w;
static iba_time now;

static void feed(uint8_t opcode, unsigned qp, bool answer, uint32_t psn, uint8_t syndrome, uint32_t msn,
                 uint8_t content)
{
    now += 10000;
    feed_small(&w, now, &(struct small){opcode, syndrome, answer, 0x100 + qp, psn, msn, content});
}

static uint32_t psn_of(unsigned qp, uint32_t n)
{
    return (0xffff00 + qp * 4096 + n) & IBA_PSN_MASK;
}

static void send(unsigned qp, uint32_t n)
{
    feed(IBA_RC_SEND_ONLY, qp, false, psn_of(qp, n), 0, 0, 0);
}

static void reply(unsigned qp, uint32_t n, uint8_t syndrome, uint32_t msn)
{
    feed(IBA_RC_ACKNOWLEDGE, qp, true, psn_of(qp, n), syndrome, msn, 0);
}

/* All connections take turns: each sends a request and gets its response, `rounds` times. */
static void converse(uint32_t rounds)
{
    now = MS;
    witness_init(&w, &(struct iba_observer_config){.n_flow = FLOWS, .n_known = WITNESS_KNOWN});
    for (uint32_t n = 0; n < rounds; n++) {
        for (unsigned qp = 0; qp < QPS; qp++)
            send(qp, n);
        for (unsigned qp = 0; qp < QPS; qp++)
            reply(qp, n, ACK, n + 1);
    }
    cr_assert_eq(w.observer->n_known, 2 * QPS);
    cr_assert_eq(w.observer->resting, 2 * QPS - FLOWS);
    cr_assert_eq(w.observer->evicted, 0);
    cr_assert_eq(w.observer->known[ONE].flow, 0, "it rests");
    cr_assert_eq(witness_count(&w, IBA_NOTE), 0, "%s", iba_findings[w.n_kept ? w.kept[0].kind : 0].name);
}

static void found(enum iba_finding_kind kind, uint64_t cause)
{
    cr_assert_eq(witness_count(&w, IBA_NOTE), 1);
    cr_assert_eq(w.kept[0].kind, kind, "%s", iba_findings[w.kept[0].kind].name);
    cr_assert_eq(w.kept[0].cause, cause);
}

Test(rest, nothing_is_held_against_who_rested)
{
    converse(ROUNDS);
    iba_observer_end(w.observer, now + 3600000 * MS);
    cr_assert_eq(witness_count(&w, IBA_NOTE), 0);
}

Test(rest, where_it_stood_is_known)
{
    converse(ROUNDS);
    send(ONE, ROUNDS + 2);
    found(IBA_FINDING_GAP, 1 + ONE + 2 * QPS * (ROUNDS - 1));
    cr_assert_eq(w.kept[0].count, 2);
}

Test(rest, its_last_request_is_known)
{
    converse(ROUNDS);
    now += 70 * MS;
    send(ONE, ROUNDS - 1);
    found(IBA_FINDING_RETRY_TIMEOUT, 1 + ONE + 2 * QPS * (ROUNDS - 1));
    converse(ROUNDS);
    now += 70 * MS;
    feed(IBA_RC_SEND_ONLY, ONE, false, psn_of(ONE, ROUNDS - 1), 0, 0, 1);
    cr_assert_eq(w.found[IBA_FINDING_RETRY_PAYLOAD], 1);
    converse(ROUNDS);
    now += 70 * MS;
    feed(IBA_RC_WRITE_ONLY, ONE, false, psn_of(ONE, ROUNDS - 1), 0, 0, 0);
    cr_assert_eq(w.found[IBA_FINDING_RETRY_CHANGED], 1);
}

Test(rest, its_messages_are_counted)
{
    converse(ROUNDS);
    for (unsigned qp = 0; qp < QPS; qp++)
        send(qp, ROUNDS);
    reply(ONE, ROUNDS, ACK, ROUNDS + 3);
    found(IBA_FINDING_MSN_WRONG, 1 + ONE + 2 * QPS * ROUNDS);
}

Test(rest, its_end_is_remembered)
{
    converse(ROUNDS);
    for (unsigned qp = 0; qp < QPS; qp++)
        send(qp, ROUNDS);
    reply(ONE, ROUNDS, NAK_ACCESS, ROUNDS);
    found(IBA_FINDING_NAK_ACCESS, 1 + ONE + 2 * QPS * ROUNDS);
    for (unsigned qp = 0; qp < QPS; qp++)
        if (qp != ONE)
            reply(qp, ROUNDS, ACK, ROUNDS + 1);
    now += 20 * MS;
    w.n_kept = 0;
    send(ONE, ROUNDS + 1);
    cr_assert_eq(w.n_kept, 1);
    cr_assert_eq(w.kept[0].kind, IBA_FINDING_AFTER_FATAL);
    cr_assert_eq(w.kept[0].cause, 1 + 2 * QPS * ROUNDS + QPS);
}

/* Only the next packet of the direction would show whether a packet was late or a retransmission. The observer reports
 * the packet before it puts the direction to rest. */
Test(rest, what_was_in_doubt_is_told)
{
    converse(ROUNDS);
    send(ONE, ROUNDS);
    now += MS / 2; /* after such a pause a packet does not overtake others */
    send(ONE, ROUNDS + 2);
    send(ONE, ROUNDS + 1);
    const uint64_t pending = w.frame;
    found(IBA_FINDING_GAP, pending - 2);
    cr_assert_neq(w.observer->known[ONE].flow, 0);
    for (unsigned qp = 0; qp < QPS; qp++) /* each direction has two packets, so its flow stays in use */
        for (uint32_t n = ROUNDS; qp != ONE && n < ROUNDS + 2; n++) {
            send(qp, n);
            reply(qp, n, ACK, n + 1);
        }
    cr_assert_eq(w.observer->known[ONE].flow, 0, "it rests");
    cr_assert_eq(w.n_kept, 2);
    cr_assert_eq(w.kept[1].kind, IBA_FINDING_LATE, "%s", iba_findings[w.kept[1].kind].name);
    cr_assert_eq(w.kept[1].frame, pending);
    send(ONE, ROUNDS + 3);
    iba_observer_end(w.observer, now);
    cr_assert_eq(w.n_kept, 2, "and once only");
}

static void others(void)
{
    for (unsigned qp = 0; qp < QPS; qp++)
        if (qp != ONE) {
            send(qp, ROUNDS);
            reply(qp, ROUNDS, ACK, ROUNDS + 1);
        }
}

/* A direction whose request has no answer, sent once or twice, is at rest at the end. The observer still reports the
 * request. */
Test(rest, who_waits_in_vain_is_told)
{
    converse(ROUNDS);
    send(ONE, ROUNDS);
    const uint64_t asked = w.frame;
    others();
    cr_assert_eq(w.observer->known[ONE].flow, 0, "it rests");
    iba_observer_end(w.observer, now + 2000 * MS);
    found(IBA_FINDING_SILENCE, 0);
    cr_assert_eq(w.kept[0].frame, asked);
    cr_assert_eq(w.kept[0].psn.v, psn_of(ONE, ROUNDS));
    cr_assert(sound(w.observer));
}

Test(rest, who_asked_again_in_vain_is_told)
{
    converse(ROUNDS);
    send(ONE, ROUNDS);
    const uint64_t asked = w.frame;
    now += 70 * MS;
    send(ONE, ROUNDS);
    iba_observer_shrink(w.observer, 2); /* a direction with two packets is not the first to rest */
    others();
    cr_assert_eq(w.observer->known[ONE].flow, 0, "it rests");
    w.n_kept = 0;
    iba_observer_end(w.observer, now);
    cr_assert_eq(w.found[IBA_FINDING_SILENCE], 1);
    cr_assert_eq(w.kept[0].frame, asked);
    cr_assert_eq(w.kept[0].cause, asked + 1);
}

/* The count of a request's transmissions survives the rest of its direction. */
Test(rest, how_often_it_asked_is_known)
{
    enum { AGAIN = 3 };

    converse(ROUNDS);
    send(ONE, ROUNDS);
    for (unsigned i = 0; i < AGAIN; i++) {
        now += 70 * MS;
        send(ONE, ROUNDS);
    }
    iba_observer_shrink(w.observer, 2);
    others();
    cr_assert_eq(w.observer->known[ONE].flow, 0, "it rests");
    w.n_kept = 0;
    iba_observer_end(w.observer, now + 4000 * MS);
    cr_assert_eq(w.found[IBA_FINDING_END_RETRIES], 1);
    for (unsigned i = 0; i < w.n_kept; i++)
        if (w.kept[i].kind == IBA_FINDING_END_RETRIES)
            cr_expect_eq(w.kept[i].count, AGAIN + 1);
}
