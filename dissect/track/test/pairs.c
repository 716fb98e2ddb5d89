/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of management datagrams and their answers: which message answers which (13.4.5, 13.4.6, 12.6), and which
 * request is forgotten when there are too many. */
#include "talk.h"
#include <criterion/criterion.h>
#include "mad/iba_mad.h"

enum { SA = 3, PERFORMANCE = 4, GET = 0x01, SEND = 0x03, GET_TABLE = 0x12, ANSWERS = 0x80, PATH_RECORD = 0x35 };

static struct talk_message datagram(uint32_t src, uint8_t class, uint8_t method, uint16_t attribute, uint64_t tid)
{
    struct talk_message m = talk_message(src, src == ACTIVE ? PASSIVE : ACTIVE, attribute, tid);

    iba_madhdr_set_mgmtclass(m.mad, class);
    iba_madhdr_set_method(m.mad, method);
    return m;
}

static struct talk_message get(uint64_t tid)
{
    return datagram(ACTIVE, PERFORMANCE, GET, 0x12, tid);
}

static struct talk_message got(uint64_t tid)
{
    return datagram(PASSIVE, PERFORMANCE, GET | ANSWERS, 0x12, tid);
}

/* Returns the frame of the request that this datagram answers; 0 if it answers no request. */
static uint64_t answers(struct talk_message m)
{
    talk_send(&m);
    return talk_packet.mad_context.response_to;
}

/* The methods Get, Set, Report, SubnAdmGetTable, GetTraceTable, GetMulti and Delete have an answer. Send, Trap,
 * TrapRepress and undefined methods have none. */
Test(pairs, methods_with_an_answer)
{
    static const uint8_t wait[] = {0x01, 0x02, 0x06, 0x12, 0x13, 0x14, 0x15};

    for (unsigned method = 0; method < ANSWERS; method++) {
        talk_begin();
        const bool waits = memchr(wait, (int)method, sizeof wait) != NULL;
        cr_expect_eq(answers(datagram(ACTIVE, PERFORMANCE, (uint8_t)method, 0x12, 5)), 0);
        cr_expect_eq(talk_track->pairs.unanswered, waits, "method 0x%02x", method);
        cr_expect_eq(answers(datagram(PASSIVE, PERFORMANCE, (uint8_t)(method | ANSWERS), 0x12, 5)), waits,
                     "method 0x%02x", method);
        cr_expect_eq(talk_track->pairs.unanswered, 0);
        talk_end();
    }
}

Test(pairs, who_answers)
{
    static const struct {
        const char *is;
        uint32_t src, dst;
        uint64_t tid;
        uint8_t class, answers;
    } rows[] = {
        {"the answer", PASSIVE, ACTIVE, 5, PERFORMANCE, 1},
        {"in another transaction", PASSIVE, ACTIVE, 6, PERFORMANCE, 0},
        {"in another transaction, which differs in the high half", PASSIVE, ACTIVE, UINT64_C(5) | UINT64_C(1) << 32,
         PERFORMANCE, 0},
        {"of another class", PASSIVE, ACTIVE, 5, PERFORMANCE + 1, 0},
        {"from another host", OTHER, ACTIVE, 5, PERFORMANCE, 0},
        {"to another host", PASSIVE, OTHER, 5, PERFORMANCE, 0},
        {"from the end that asked", ACTIVE, PASSIVE, 5, PERFORMANCE, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        struct talk_message m = got(rows[i].tid);
        m.src = rows[i].src;
        m.dst = rows[i].dst;
        iba_madhdr_set_mgmtclass(m.mad, rows[i].class);
        answers(get(5));
        cr_expect_eq(answers(m), rows[i].answers, "%s", rows[i].is);
        talk_end();
    }
}

/* All messages of the connection manager have the method Send. */
Test(pairs, messages_of_the_connection_manager)
{
    static const struct {
        uint16_t request, answer;
    } pairs[] = {{0x10, 0x13}, {0x10, 0x12}, {0x13, 0x12}, {0x13, 0x14}, {0x15, 0x16}, {0x17, 0x18}, {0x19, 0x1a}};

    for (uint16_t request = 0x10; request <= 0x1c; request++)
        for (uint16_t answer = 0x10; answer <= 0x1c; answer++) {
            bool is_pair = false;
            for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
                is_pair |= pairs[i].request == request && pairs[i].answer == answer;
            talk_begin();
            cr_expect_eq(answers(talk_message(ACTIVE, PASSIVE, request, 5)), 0);
            cr_expect_eq(answers(talk_message(PASSIVE, ACTIVE, answer, 5)), is_pair, "0x%x 0x%x", request, answer);
            talk_end();
        }
}

/* A REJ may refuse a REP or a REQ; it answers the request that is found, a REQ first. A ClassPortInfo has its own
 * answer. */
Test(pairs, more_of_the_connection_manager)
{
    talk_begin();
    answers(talk_message(ACTIVE, PASSIVE, 0x10, 5));
    cr_expect_eq(answers(talk_message(PASSIVE, ACTIVE, 0x13, 5)), 1);
    cr_expect_eq(answers(talk_message(ACTIVE, PASSIVE, 0x12, 5)), 2, "the REJ of a REP");
    cr_expect_eq(answers(talk_message(PASSIVE, ACTIVE, 0x12, 5)), 1, "the REJ of a REQ");
    cr_expect_eq(answers(datagram(ACTIVE, IBA_CLASS_CM, GET, 1, 7)), 0);
    cr_expect_eq(answers(datagram(PASSIVE, IBA_CLASS_CM, GET | ANSWERS, 1, 7)), 5);
    talk_end();
}

Test(pairs, asked_again)
{
    talk_begin();
    answers(get(5));
    talk_now_ns = 3 * MS;
    answers(get(5));
    cr_expect_eq(talk_track->pairs.unanswered, 1);
    talk_now_ns = 10 * MS;
    cr_expect_eq(answers(got(5)), 1, "the first one counts");
    cr_expect_eq(talk_packet.mad_context.response_to_source, 1);
    cr_expect(talk_packet.mad_context.has_time);
    cr_expect_eq(talk_packet.mad_context.time_ns, 10 * MS);
    cr_expect_eq(answers(got(5)), 1, "an answer that came twice");
    cr_expect_eq(talk_track->pairs.unanswered, 0);
    talk_now_ns = 30 * MS;
    answers(get(5));
    cr_expect_eq(talk_track->pairs.unanswered, 1, "it was answered, so this is another one");
    talk_now_ns = 32 * MS;
    cr_expect_eq(answers(got(5)), 5);
    cr_expect_eq(talk_packet.mad_context.response_to_source, 2);
    cr_expect_eq(talk_packet.mad_context.time_ns, 2 * MS);
    cr_expect_eq(talk_track->pairs.lost, 0);
    talk_end();
}

Test(pairs, time_needs_both)
{
    for (unsigned untimed = 0; untimed < 4; untimed++) {
        talk_begin();
        struct talk_message q = get(5), a = got(5);
        q.untimed = untimed & 1;
        a.untimed = untimed & 2;
        answers(q);
        talk_now_ns = MS;
        cr_expect_eq(answers(a), 1);
        cr_expect_eq(talk_packet.mad_context.has_time, untimed == 0, "%u", untimed);
        talk_end();
    }
}

/* The highest bit of a P_Key is its sender's membership, and is not compared. Only packets between GSIs have partitions
 * to compare (MD-07). */
Test(pairs, partition_of_the_answer)
{
    static const struct {
        uint16_t asked, answered;
        uint32_t to_qp;
        bool other;
    } rows[] = {
        {0xffff, 0xffff, 1, false}, {0x8001, 0x0001, 1, false}, {0x8001, 0x8002, 1, true},
        {0x8001, 0xc001, 1, true},  {0x8001, 0x8002, 9, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        struct talk_message q = get(5), a = got(5);
        q.p_key = rows[i].asked;
        a.p_key = rows[i].answered;
        a.to_qp = rows[i].to_qp;
        answers(q);
        cr_expect_eq(answers(a), 1);
        cr_expect_eq(talk_packet.mad_context.other_partition, rows[i].other, "row %zu", i);
        cr_expect_eq(answers(a), 1);
        cr_expect_not(talk_packet.mad_context.other_partition, "row %zu: said of the first one", i);
        talk_end();
    }
}

static struct talk_message rmpp(uint32_t src, uint8_t method, bool active, uint8_t type)
{
    struct talk_message m = datagram(src, SA, method, PATH_RECORD, 5);
    uint8_t *h = m.mad + IBA_BYTES_madhdr;

    iba_rmpp_set_rmppversion(h, 1);
    iba_rmpp_set_rmpptype(h, type);
    iba_rmpp_set_rmppflag_active(h, active);
    return m;
}

/* A DATA segment has type 1. ACK (2), STOP (3) and ABORT (4) have the method of the transfer that they belong to
 * (13.6). */
Test(pairs, segments)
{
    for (unsigned active = 0; active < 2; active++)
        for (uint8_t type = 0; type < 5; type++) {
            const bool is_about = active && type > 1;
            talk_begin();
            answers(rmpp(ACTIVE, GET_TABLE, active, type));
            cr_expect_eq(talk_track->pairs.unanswered, !is_about, "type %u", type);
            talk_end();
            talk_begin();
            answers(datagram(ACTIVE, SA, GET_TABLE, PATH_RECORD, 5));
            cr_expect_eq(answers(rmpp(PASSIVE, GET_TABLE | ANSWERS, active, type)), !is_about, "type %u", type);
            talk_end();
        }
}

/* A datagram whose header was cut is neither a request nor an answer. */
Test(pairs, cut)
{
    for (uint16_t has = IBA_BYTES_madhdr - 1; has <= IBA_BYTES_madhdr; has++) {
        talk_begin();
        struct talk_message q = get(5), a = got(5);
        q.cut = a.cut = (uint16_t)(IBA_MAD_BYTES - has);
        answers(q);
        cr_expect_eq(talk_track->pairs.unanswered, has == IBA_BYTES_madhdr);
        cr_expect_eq(answers(a), has == IBA_BYTES_madhdr);
        talk_end();
    }
}

/* ---- too many ---- */

/* ask() feeds requests with transaction IDs from `first` on. answered() feeds their answers, and returns how many of
 * these find their request. */
static void ask(uint64_t first, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        answers(get(first + i));
}

static unsigned answered(uint64_t first, unsigned n)
{
    unsigned found = 0;

    for (unsigned i = 0; i < n; i++)
        found += answers(got(first + i)) != 0;
    return found;
}

/* Each request is waiting, answered or lost, and is counted once. The newest requests are not the lost ones. */
Test(pairs, too_many_wait)
{
    enum { MANY = 3 * MAD_REQUESTS, LAST = MAD_REQUESTS / 4 };
    const struct mad_pairs *t;

    talk_begin();
    t = &talk_track->pairs;
    ask(1, MANY);
    cr_expect_eq(t->unanswered, MANY);
    cr_expect_geq(t->lost, MANY - MAD_REQUESTS);
    cr_expect_lt(t->lost, MANY - MAD_REQUESTS * 3 / 4, "most places are used");
    const uint64_t lost = t->lost;
    cr_expect_eq(answered(MANY + 1 - LAST, LAST), LAST);
    cr_expect_eq(LAST + answered(1, MANY - LAST), MANY - lost);
    cr_expect_eq(t->unanswered, lost);
    talk_end();
}

/* Answered requests are replaced before waiting ones, even if they are younger. */
Test(pairs, answered_ones_are_replaced_first)
{
    enum { WAIT = MAD_REQUESTS / 8, DONE = 3 * MAD_REQUESTS };

    talk_begin();
    ask(1, WAIT);
    for (uint64_t i = 0; i < DONE; i++) {
        answers(get(WAIT + 1 + i));
        cr_expect_eq(answers(got(WAIT + 1 + i)), talk_packet.number - 1);
    }
    cr_expect_eq(talk_track->pairs.lost, 0);
    cr_expect_eq(answered(1, WAIT), WAIT);
    talk_end();
}
