/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a connection manager that are sent again: too often, too early, changed, or after their answer. */
#include "talk.h"
#include <criterion/criterion.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

/* A copy made by the network or by a second capture point has the same BTH, and is not a repeat by the sender. */
Test(again, a_copy_is_not_sent_again)
{
    talk_begin();
    const struct talk_message q = talk_req();
    struct talk_message changed = q;
    talk_send_as(&q, 7);
    talk_now_ns = 10;
    talk_send_as(&q, 7);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    iba_cm_req_set_prim_sl(talk_body(&changed), 4);
    talk_send_as(&changed, 7);
    talk_breaks(IBA_FINDING_CM_AGAIN_CHANGED, 1, "with the PSN of the first");
    talk_now_ns += 100 * MS;
    talk_send_as(&changed, 8);
    talk_breaks(IBA_FINDING_CM_AGAIN_CHANGED, 3, "with another one");
    talk_end();
}

/* The REQ allows its answer 4.096 us * 2^10, of which three quarters must pass before a repeat. Two repeats are
 * allowed. */
Test(again, sent_again_in_time)
{
    static const struct {
        uint64_t gap_ns;
        unsigned kind, count;
    } rows[] = {
        {3 * MS, IBA_FINDING_CM_AGAIN_EARLY, 2},
        {3145728, IBA_FINDING_CM_AGAIN, 3},
        {5 * MS, IBA_FINDING_CM_AGAIN_LIMIT, 4},
    };

    talk_begin();
    const struct talk_message q = talk_req();
    talk_send(&q);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_now_ns += rows[i].gap_ns;
        talk_send(&q);
        cr_assert_eq(talk_packet.mad_context.n_said, 1, "row %zu", i);
        cr_expect_eq(talk_packet.mad_context.said[0].kind, rows[i].kind, "row %zu: %u", i,
                     talk_packet.mad_context.said[0].kind);
        cr_expect_eq(talk_packet.mad_context.said[0].count, rows[i].count, "row %zu", i);
        cr_expect_eq(talk_packet.mad_context.said[0].wait_ns, rows[i].gap_ns, "row %zu", i);
        cr_expect_eq(talk_packet.mad_context.said[0].cause.frame, i + 1, "row %zu", i);
    }
    talk_end();
}

/* The clock of the capture steps back, so the time between two messages is unknown, and no repeat counts as too
 * early. */
Test(again, the_clock_of_the_capture_steps_back)
{
    talk_begin();
    const struct talk_message q = talk_req();
    talk_now_ns = 50 * MS;
    talk_send(&q);
    talk_now_ns = 49 * MS;
    talk_send(&q);
    talk_breaks(IBA_FINDING_CM_AGAIN, 1, "a REQ");
    cr_expect_eq(talk_packet.mad_context.said[0].wait_ns, 0);
    talk_end();
}

/* A letter is a message: of the active end Q REQ, U RTU, D DREQ, L LAP, m and j MRA and REJ of the REP; of the passive
 * end P REP, E DREP, A APR, M MRA of the REQ, l MRA of the LAP, J REJ of the REQ; S and s ask for a service and tell.
 */
static struct talk_message message_of(char letter)
{
    struct talk_message m;

    switch (letter) {
    case 'Q': return talk_req();
    case 'P': return talk_rep();
    case 'U': return talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x77);
    case 'D': return talk_dreq(ACTIVE);
    case 'E': return talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99);
    case 'A': return talk_ids(PASSIVE, IBA_CM_ID_APR, 0x99);
    case 'M': return talk_naming(PASSIVE, IBA_CM_ID_MRA, 0x77, IBA_CM_OF_REQ, 0);
    case 'm': return talk_naming(ACTIVE, IBA_CM_ID_MRA, 0x77, IBA_CM_OF_REP, 0);
    case 'l': return talk_naming(PASSIVE, IBA_CM_ID_MRA, 0x99, IBA_CM_OTHER, 0);
    case 'J': return talk_naming(PASSIVE, IBA_CM_ID_REJ, 0x77, IBA_CM_OF_REQ, 28);
    case 'j': return talk_naming(ACTIVE, IBA_CM_ID_REJ, 0x77, IBA_CM_OF_REP, 28);
    case 'S': return talk_sidr(false);
    case 's': return talk_sidr(true);
    case 'L':
        m = talk_ids(ACTIVE, IBA_CM_ID_LAP, 0x99);
        iba_cm_lap_set_remoteqpn(talk_body(&m), P_QP);
        return m;
    default: cr_assert_fail("no message is %c", letter);
    }
    return (struct talk_message){0};
}

/* Feeds all messages of the script, 100 ms apart. A sign before a message means: '+' it has another transaction ID, '!'
 * it has other private data, ',' it comes at once, '?' it has no time, '<' the clock has gone back. */
static void play(const char *script)
{
    bool other_tid = false, other_data = false, untimed = false;
    int64_t after = 100 * MS;

    for (const char *s = script; *s; s++) {
        other_tid |= *s == '+';
        other_data |= *s == '!';
        untimed |= *s == '?';
        after = *s == ',' ? 0 : *s == '<' ? -100 * MS : after;
        if (strchr("+!,?<", *s))
            continue;
        struct talk_message m = message_of(*s);
        m.mad[IBA_MAD_BYTES - 1] = other_data;
        m.untimed = untimed;
        if (other_tid)
            iba_madhdr_set_transactionid(m.mad, iba_madhdr_transactionid(m.mad) + 0x100);
        talk_now_ns += (uint64_t)after;
        talk_send(&m);
        other_tid = other_data = untimed = false;
        after = 100 * MS;
    }
}

/* The rule that the last message breaks, and the frame of its earlier transmission. Two repeats are allowed, see
 * talk_req(). */
enum {
    FINE = IBA_FINDING_COUNT,
    AGAIN = IBA_FINDING_CM_AGAIN,
    ANSWERED = IBA_FINDING_CM_AGAIN_ANSWERED,
    CHANGED = IBA_FINDING_CM_AGAIN_CHANGED,
    LIMIT = IBA_FINDING_CM_AGAIN_LIMIT,
    EARLY = IBA_FINDING_CM_AGAIN_EARLY,
    TRANSACTION = IBA_FINDING_CM_TRANSACTION
};
static const struct {
    const char *script;
    unsigned kind;
    uint64_t before;
} repeats[] = {
    /* a repeated REQ is recognized by its transaction or its content */
    {"QQ", AGAIN, 1},
    {"Q!Q", CHANGED, 1},
    {"Q+Q", CHANGED, 1},
    {"QP+Q", FINE, 0},
    {"Q,Q", EARLY, 1},
    {"QQQQ", LIMIT, 3},
    {"Q?Q", AGAIN, 1},
    {"?QQ", AGAIN, 1},
    /* answers: any transaction that it was sent in */
    {"Q+P", TRANSACTION, 1},
    {"Q+QP", FINE, 0},
    {"Q+Q+P", FINE, 0},
    {"QPQ", ANSWERED, 1},
    {"QMQ", ANSWERED, 1},
    {"QlQ", AGAIN, 1},
    /* after the end it is another connection's */
    {"QJ+Q", FINE, 0},
    {"QJ+Q+P", FINE, 0},
    {"QJ+QP", TRANSACTION, 3},
    {"QPUDE+Q", FINE, 0},
    {"QPjQP", FINE, 0},
    {"QPUDEQP", FINE, 0},
    /* a REP comes as often as the REQ, and as soon */
    {"QPP", AGAIN, 2},
    {"QP,P", AGAIN, 2},
    {"QPPPPP", AGAIN, 5},
    {"QPUP", ANSWERED, 2},
    {"QPmP", ANSWERED, 2},
    {"QPU+U", TRANSACTION, 2},
    /* a DREQ */
    {"QPUDD", AGAIN, 4},
    {"QPUD,D", AGAIN, 4},
    {"QPUDDDD", LIMIT, 6},
    {"QPUDED", ANSWERED, 4},
    {"QPUD!D", CHANGED, 4},
    /* an end may ask for another path as often as it wants */
    {"QPULL", AGAIN, 4},
    {"QPUL,L", AGAIN, 4},
    {"QPULLLL", LIMIT, 6},
    {"QPUL!L", FINE, 0},
    {"QPUL+L", FINE, 0},
    {"QPULAL", FINE, 0},
    {"QPULlL", FINE, 0},
    {"QPUL+A", FINE, 0},
    {"QPULD", FINE, 0},
    /* asking for a service has no pace and no limit */
    {"SS", AGAIN, 1},
    {"S,S", AGAIN, 1},
    {"SSSSSS", AGAIN, 5},
    {"S!S", CHANGED, 1},
    {"SsS", FINE, 0},
};

Test(again, sent_again)
{
    for (size_t i = 0; i < sizeof repeats / sizeof *repeats; i++) {
        talk_begin();
        play(repeats[i].script);
        talk_breaks(repeats[i].kind, repeats[i].before, repeats[i].script);
        talk_end();
    }
}

/* The time between two messages is known if both have a time and the clock did not go back. */
Test(again, waits)
{
    static const struct {
        const char *script;
        int64_t ns;
    } rows[] = {{"QQ", 100 * MS}, {"Q?Q", 0}, {"?QQ", 0}, {"QQ<Q", 0}, {"SSS", 100 * MS}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        play(rows[i].script);
        cr_assert_eq(talk_packet.mad_context.n_said, 1);
        cr_expect_eq((int64_t)talk_packet.mad_context.said[0].wait_ns, rows[i].ns, "%s", rows[i].script);
        talk_end();
    }
}
