/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that a message of a connection manager may break: each alone, with the packet that shows it. */
#include "talk.h"
#include <criterion/criterion.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"

static bool said(unsigned kind)
{
    for (unsigned i = 0; i < talk_packet.mad_context.n_said; i++)
        if (talk_packet.mad_context.said[i].kind == kind)
            return true;
    return false;
}

#define ONLY(k)                                                                                                        \
    do {                                                                                                               \
        cr_expect(said(IBA_FINDING_##k), #k);                                                                          \
        cr_expect_eq(talk_packet.mad_context.n_said, 1, #k ": %u", talk_packet.mad_context.n_said);                    \
    } while (0)

Test(rules, an_unbroken_one_breaks_no_rule)
{
    talk_begin();
    talk_connect();
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    const struct talk_message d = talk_dreq(ACTIVE), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99);
    talk_send(&d);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    talk_send(&e);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    talk_end();
}

/* The network, or a second capture point, makes copies: they have the same BTH. */
Test(rules, a_copy_is_not_sent_again)
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
    ONLY(CM_AGAIN_CHANGED);
    cr_expect_eq(talk_packet.mad_context.said[0].cause.frame, 1);
    talk_now_ns += 100 * MS;
    talk_send_as(&changed, 8);
    ONLY(CM_AGAIN_CHANGED);
    talk_end();
}

/* Three quarters of the time that the REQ gives an answer, 4.096 us * 2^10, must pass; two repeats are allowed. */
Test(rules, sent_again_in_time)
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

Test(rules, sent_again_though_answered)
{
    talk_begin();
    const struct talk_message q = talk_req(), p = talk_rep(), s = talk_sidr(false), a = talk_sidr(true);
    talk_send(&q);
    talk_send(&p);
    talk_now_ns = 100 * MS;
    talk_send(&q);
    ONLY(CM_AGAIN_ANSWERED);
    talk_send(&s);
    talk_send(&a);
    talk_end();
}

/* Each answer has the transaction of the message that it answers. */
Test(rules, other_transactions)
{
    talk_begin();
    const struct talk_message q = talk_req(), s = talk_sidr(false);
    struct talk_message p = talk_rep(), u = talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x78), a = talk_sidr(true),
                        d = talk_dreq(ACTIVE), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x9a);
    iba_madhdr_set_transactionid(p.mad, 0x78);
    iba_madhdr_set_transactionid(a.mad, 0x56);
    talk_send(&q);
    talk_send(&p);
    ONLY(CM_TRANSACTION);
    cr_expect_eq(talk_packet.mad_context.said[0].cause.frame, 1);
    talk_send(&u);
    cr_expect_eq(talk_packet.mad_context.n_said, 0, "that of the REP");
    talk_send(&d);
    talk_send(&e);
    ONLY(CM_TRANSACTION);
    cr_expect_eq(talk_packet.mad_context.said[0].cause.frame, 4);
    talk_send(&s);
    talk_send(&a);
    ONLY(CM_TRANSACTION);
    cr_expect_eq(talk_packet.mad_context.said[0].cause.frame, 6);
    talk_end();
}

Test(rules, other_rules)
{
    static const struct {
        unsigned kind;
        size_t at; /* byte of the REP */
        uint8_t is;
    } rows[] = {
        {IBA_FINDING_CM_VERSION, 2, 1},
        {IBA_FINDING_CM_METHOD, 3, 0x81},
        {IBA_FINDING_COUNT, 24 + 24, 5}, /* responder resources: as many as the REQ wants */
        {IBA_FINDING_CM_BOUNDS, 24 + 24, 6},
        {IBA_FINDING_COUNT, 24 + 25, 6}, /* initiator depth: as many as it offers */
        {IBA_FINDING_CM_BOUNDS, 24 + 25, 7},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        talk_begin();
        const struct talk_message q = talk_req();
        struct talk_message p = talk_rep();
        p.mad[rows[i].at] = rows[i].is;
        talk_send(&q);
        talk_send(&p);
        cr_expect_eq(talk_packet.mad_context.n_said, rows[i].kind < IBA_FINDING_COUNT, "row %zu: %u", i,
                     talk_packet.mad_context.n_said);
        cr_expect(rows[i].kind == IBA_FINDING_COUNT || said(rows[i].kind), "row %zu", i);
        talk_end();
    }
}

Test(rules, another_qp_or_service)
{
    talk_begin();
    talk_connect();
    struct talk_message d = talk_dreq(ACTIVE);
    iba_cm_dreq_set_remoteqpn(talk_body(&d), P_QP + 1);
    talk_send(&d);
    ONLY(CM_OTHER_QP);
    const struct talk_message s = talk_sidr(false);
    struct talk_message a = talk_sidr(true);
    iba_cm_sidr_rep_set_serviceid(talk_body(&a), 0x9998);
    talk_send(&s);
    talk_send(&a);
    ONLY(CM_SERVICE);
    talk_end();
}
