/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the runner, called alone over tables: reported attributes, objects of events, fields of datagrams, and
 * the time that the device has waited for the tester. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"
#include "wire/iba_build.h"

TestSuite(alone, .init = player_begin, .fini = player_end);

/* ---- attributes that a queue pair reports ---- */

/* Each attribute has a value of its own, so that no attribute passes for another. A path MTU is a code (1: 256 bytes).
 */
static const struct iba_qp_attr attributes = {
    .rq_psn = 11,
    .sq_psn = 12,
    .dest_qpn = 13,
    .path_mtu = 3,
    .timeout = 14,
    .retry = 5,
    .max_rd = 15,
    .rnr_retry = 6,
    .max_dest_rd = 16,
    .flow_control = true,
    .alt_av = {.dlid = 17, .port = 2},
    .path_mig = 3,
    .min_rnr = 18,
    .pkey_index = 19,
    .qkey = 20,
};
static const struct {
    enum ibc_key key;
    uint64_t is;
} reported[] = {
    {IBC_K_epsn, 11},    {IBC_K_psn, 12},         {IBC_K_qpn, 13},     {IBC_K_pmtu, 1024},
    {IBC_K_timeout, 14}, {IBC_K_retry, 5},        {IBC_K_rd, 15},      {IBC_K_rnr_retry, 6},
    {IBC_K_dest_rd, 16}, {IBC_K_flow_control, 1}, {IBC_K_alt_lid, 17}, {IBC_K_alt_port, 2},
    {IBC_K_mig, 3},      {IBC_K_min_rnr, 18},     {IBC_K_pkey, 19},    {IBC_K_qkey, 20},
};

Test(alone, each_reported_attribute)
{
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        for (unsigned more = 0; more < 2; more++) {
            struct ibc_arg a = {.key = (uint8_t)reported[i].key, .n = 1, .v = {NUMBER(reported[i].is + more)}};
            const struct ibc_step s = {.arg = &a, .n_arg = 1};
            char expected[RUN_TEXT] = "", got[RUN_TEXT] = "", want[64], is[64];
            cr_expect_eq(run_attributes_fit(p, &s, &attributes, expected, got), more == 0, "%s",
                         ibc_key_names[reported[i].key]);
            (void)snprintf(want, sizeof want, "%s 0x%llx", ibc_key_names[a.key], (unsigned long long)a.v[0].n);
            (void)snprintf(is, sizeof is, "%s 0x%llx", ibc_key_names[a.key], (unsigned long long)reported[i].is);
            cr_expect_str_eq(expected, more ? want : "", "%s", expected);
            cr_expect_str_eq(got, more ? is : "", "%s", got);
        }
}

Test(alone, attributes_as_text)
{
    static const struct {
        uint8_t n;
        struct ibc_value v[2];
        const char *text;
    } rows[] = {
        {1, {NUMBER(4)}, "rd 0x4"},
        {1, {{.kind = IBC_V_NUMBER, .n = 15, .mask = UINT64_MAX, .negated = true}}, "rd not 0xf"},
        {1, {{.kind = IBC_V_RANGE, .n = 16, .hi = 20}}, "rd 0x10 or more"},
        {2, {NUMBER(4), NUMBER(5)}, "rd 0x4 or another"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_arg a = {.key = IBC_K_rd, .n = rows[i].n};
        const struct ibc_step s = {.arg = &a, .n_arg = 1};
        char expected[RUN_TEXT], got[RUN_TEXT];
        memcpy(a.v, rows[i].v, sizeof rows[i].v);
        cr_expect_not(run_attributes_fit(p, &s, &attributes, expected, got), "row %zu", i);
        cr_expect_str_eq(expected, rows[i].text, "%s", expected);
        cr_expect_str_eq(got, "rd 0xf");
    }
}

/* ---- whose event it is ---- */

/* The specification's affiliated events are of a queue pair, a shared receive queue or a completion queue (11.6.3); an
 * unaffiliated one is of a port, for which scenarios write the protection domain. */
Test(alone, objects_of_events)
{
    static const uint8_t kinds[IBA_EVENT_COUNT] = {
        [IBA_EVENT_PATH_MIGRATED] = IBC_O_qp,       [IBA_EVENT_COMM_ESTABLISHED] = IBC_O_qp,
        [IBA_EVENT_SQ_DRAINED] = IBC_O_qp,          [IBA_EVENT_LAST_WQE_REACHED] = IBC_O_qp,
        [IBA_EVENT_WQ_CATASTROPHIC] = IBC_O_qp,     [IBA_EVENT_WQ_INVALID_REQUEST] = IBC_O_qp,
        [IBA_EVENT_WQ_ACCESS_VIOLATION] = IBC_O_qp, [IBA_EVENT_SRQ_LIMIT] = IBC_O_srq,
        [IBA_EVENT_SRQ_CATASTROPHIC] = IBC_O_srq,   [IBA_EVENT_CQ_ERROR] = IBC_O_cq,
        [IBA_EVENT_PKEY_CHANGE] = IBC_O_pd,         [IBA_EVENT_PKEY_VIOLATION] = IBC_O_pd,
        [IBA_EVENT_QKEY_VIOLATION] = IBC_O_pd,
    };
    static const uint8_t of[] = {IBC_O_pd,  IBC_O_mr, IBC_O_mw,    IBC_O_cq,
                                 IBC_O_srq, IBC_O_qp, IBC_O_group, IBC_O_handle};

    for (unsigned kind = 0; kind <= IBA_EVENT_COUNT; kind++)
        for (size_t i = 0; i < sizeof of; i++)
            for (unsigned d = 0; d < 2; d++) {
                const struct run_live l = {.kind = of[i], .device = 1, .id = {7, 8}};
                const struct run_event mine = {.event = {.kind = (uint8_t)kind, .object = d ? 8 : 7},
                                               .device = (uint8_t)d},
                                       other = {.event = {.kind = (uint8_t)kind, .object = 9}, .device = (uint8_t)d};
                const bool right = kind < IBA_EVENT_COUNT && kinds[kind] == of[i];
                /* A queue pair belongs to one device, and its number is the first. */
                const struct run_event its = {.event = {.kind = (uint8_t)kind, .object = 7}, .device = (uint8_t)d};
                const bool fits = right && (of[i] != IBC_O_qp || d == 1);
                cr_expect_eq(run_is_about(&l, of[i] == IBC_O_qp ? &its : &mine), fits, "event %u, object %u", kind,
                             of[i]);
                cr_expect_not(run_is_about(&l, &other));
                cr_expect(run_is_about(NULL, &other));
            }
}

/* ---- fields of datagrams in a subnet ---- */

Test(alone, bytes_of_datagrams)
{
    static const uint8_t zeros[80] = {0};
    static const struct {
        const char *field;
        uint8_t n_bytes, last; /* the value's last byte */
        bool negated, fits;
    } rows[] = {
        {"nodestring", 64, 0, false, true}, /* 64 bytes */
        {"nodestring", 64, 1, false, false}, {"nodestring", 64, 1, true, true},
        {"nodestring", 1, 0, false, true}, /* its first bytes suffice */
        {"nodestring", 65, 0, false, false}, {"nodestring", 65, 0, true, true},
    };
    static const struct iba_field text = {.name = "nodestring", .bits = 64 * 8}, *const f = &text;
    uint8_t mad[IBA_MAD_BYTES] = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t value[80];
        struct run_difference d = {.expected = ""};
        struct ibc_arg a = {.key = IBC_K_FIELD, .hdr = IBC_H_MAD, .name = rows[i].field, .field = f, .at = 64, .n = 1};
        const struct ibc_step s = {.kind = IBC_S_expect, .arg = &a, .n_arg = 1};
        memcpy(value, zeros, sizeof value);
        value[rows[i].n_bytes - 1] = rows[i].last;
        a.v[0] = (struct ibc_value){
            .kind = IBC_V_BYTES, .bytes = value, .n_bytes = rows[i].n_bytes, .negated = rows[i].negated};
        cr_expect_eq(run_smp_has(p, &s, mad, &d), rows[i].fits, "row %zu: %s, not %s", i, d.got, d.expected);
    }
}

/* ---- the time that a device waits ---- */

#define QPN 0x000123

/* Parses a packet of that opcode, PSN and syndrome to the queue pair. */
static void packet(struct run_packet *k, uint8_t opcode, uint32_t psn, uint8_t syndrome, uint32_t qpn)
{
    static uint8_t frame[IBC_FRAME], payload[256];
    struct iba_recipe r;
    size_t len = 0;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, opcode);
    iba_bth_set_psn(iba_recipe_part(&r, IBA_H_bth), psn);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), qpn);
    if (iba_recipe_part(&r, IBA_H_aeth))
        *iba_recipe_part(&r, IBA_H_aeth) = syndrome;
    r.payload = payload;
    r.payload_len = 0;
    cr_assert_eq(iba_build(&r, frame, sizeof frame, &len), IBA_OK);
    memset(k, 0, sizeof *k);
    k->frame = frame;
    k->len = (uint32_t)len;
    cr_assert_eq(iba_view_parse(&k->view, IBA_LINK_ETHERNET, frame, len, len, NULL), IBA_OK);
}

enum { SEND_ONLY = 0x04, READ_REQUEST = 0x0c, READ_RESP_FIRST = 0x0d, READ_RESP_LAST = 0x0f, ACKNOWLEDGE = 0x11 };
enum { ACK = 0x1f, RNR = 0x2c, NAK_SEQUENCE = 0x60 };

/* The device's timer runs from its oldest request. An answer to the newest request, or a NAK, ends it; an answer to an
 * older request or a part of an answer begins it again. */
Test(alone, answers_that_end_a_wait)
{
    static const struct {
        uint8_t opcode;
        uint32_t psn; /* requests have 0xffffff and 0 */
        uint8_t syndrome;
        uint32_t qpn;
        uint64_t asked_at; /* then */
    } rows[] = {
        {ACKNOWLEDGE, 0, ACK, QPN, 0},          {ACKNOWLEDGE, 1, ACK, QPN, 0},
        {ACKNOWLEDGE, 0xffffff, ACK, QPN, 900}, {ACKNOWLEDGE, 0xffffff, NAK_SEQUENCE, QPN, 0},
        {ACKNOWLEDGE, 0xffffff, RNR, QPN, 0},   {READ_RESP_FIRST, 0, ACK, QPN, 900},
        {READ_RESP_LAST, 0, ACK, QPN, 0},       {ACKNOWLEDGE, 0, ACK, QPN + 1, 500}, /* of another queue pair */
        {SEND_ONLY, 0, ACK, QPN, 500},                                               /* no answer */
    };
    static const struct ibc_options o = {.seed = 1};

    p->o = &o;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct run_packet k;
        struct run_live *q = &p->live[3];
        target.virtual_time = i % 2;
        *q = (struct run_live){.kind = IBC_O_qp, .made = true, .type = IBA_QPT_RC, .id = {QPN}};
        q->attr.a.timeout = 14;
        packet(&k, SEND_ONLY, 0xffffff, 0, QPN);
        k.at = 500;
        run_late_asked(p, q, &k);
        packet(&k, READ_REQUEST, 0, 0, QPN);
        k.at = 600;
        run_late_asked(p, q, &k);
        cr_expect_eq(q->asked_at, target.virtual_time ? 0 : 500);
        cr_expect_eq(q->asked_psn, 0);
        clock_ns = 900;
        packet(&k, rows[i / 2].opcode, rows[i / 2].psn, rows[i / 2].syndrome, rows[i / 2].qpn);
        run_late_answered(p, &k.view, 0);
        cr_expect_eq(q->asked_at, target.virtual_time ? 0 : rows[i / 2].asked_at, "row %zu: %llu", i / 2,
                     (unsigned long long)q->asked_at);
    }
}

/* Only RC and XRC requesters have a timer (RQ-18). A code of 0 means that it never expires (RQ-19). An older request
 * that comes again begins the wait again. */
Test(alone, requests_that_begin_a_wait)
{
    static const struct {
        uint8_t type, timeout, opcode;
        uint32_t psn;
        uint64_t asked_at;
    } rows[] = {
        {IBA_QPT_RC, 14, SEND_ONLY, 5, 500}, {IBA_QPT_XRC_INI, 14, SEND_ONLY, 5, 500},
        {IBA_QPT_UC, 14, SEND_ONLY, 5, 0},   {IBA_QPT_XRC_TGT, 14, SEND_ONLY, 5, 0},
        {IBA_QPT_RC, 0, SEND_ONLY, 5, 0},    {IBA_QPT_RC, 32, SEND_ONLY, 5, 500},
        {IBA_QPT_RC, 14, ACKNOWLEDGE, 5, 0}, {IBA_QPT_RC, 14, SEND_ONLY, 6, 500},
    };
    static const struct {
        uint32_t psn;
        uint64_t asked_at;
    } again[] = {{6, 500}, {5, 700}, {4, 700}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_live q = {.type = rows[i].type};
        struct run_packet k;
        q.attr.a.timeout = rows[i].timeout;
        packet(&k, rows[i].opcode, rows[i].psn, ACK, QPN);
        k.at = 500;
        p->waited = 40;
        run_late_asked(p, &q, &k);
        cr_expect_eq(q.asked_at, rows[i].asked_at, "row %zu: %llu", i, (unsigned long long)q.asked_at);
        cr_expect_eq(q.asked_waited, rows[i].asked_at ? 40 : 0, "row %zu", i);
    }
    for (size_t i = 0; i < sizeof again / sizeof *again; i++) {
        struct run_live q = {.type = IBA_QPT_RC, .asked_at = 500, .asked_psn = 5};
        struct run_packet k;
        q.attr.a.timeout = 14;
        packet(&k, SEND_ONLY, again[i].psn, 0, QPN);
        k.at = 700;
        run_late_asked(p, &q, &k);
        cr_expect_eq(q.asked_at, again[i].asked_at, "PSN %u: %llu", again[i].psn, (unsigned long long)q.asked_at);
        cr_expect_eq(q.asked_psn, again[i].psn);
    }
}

/* The tester is late when the device's timer of 4.096 us * 2^code has expired, and the script did not wait that long
 * itself. A failure that was found before has another cause. */
Test(alone, testers_that_are_late)
{
    static const struct {
        uint64_t after, waited; /* us: since the request; of it, time that the script waited */
        enum ibc_verdict verdict;
        bool informs, late;
    } rows[] = {
        {1048, 0, IBC_IS_PASS, false, false},     {1049, 0, IBC_IS_PASS, false, true},
        {1049, 1048, IBC_IS_PASS, false, true},   {1049, 1049, IBC_IS_PASS, false, false},
        {1049, 0, IBC_IS_FAIL, false, false},     {1049, 0, IBC_IS_TOLERATED, false, true},
        {1049, 0, IBC_IS_TOLERATED, true, false}, {1049, 0, IBC_IS_PASS, true, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_live *q = &p->live[IBC_MAX_OBJECTS]; /* the last, of the health probe */
        *q = (struct run_live){.kind = IBC_O_qp, .type = IBA_QPT_RC, .asked_at = 7 * RUN_US, .asked_waited = 99};
        q->attr.a.timeout = 8;
        p->late[0] = '\0';
        p->verdict = rows[i].verdict;
        p->informs = rows[i].informs;
        p->waited = 99 + rows[i].waited * RUN_US;
        clock_ns = (7 + rows[i].after) * RUN_US;
        run_late_look(p);
        cr_expect_str_eq(p->late,
                         rows[i].late ? "the tester was late: it went on 1049 us after the request; the device's "
                                        "timer is 1048 us"
                                      : "",
                         "row %zu: %s", i, p->late);
    }
}

/* ---- packets in flight ---- */

/* A verb need not wait for a frame that the device has answered. Only an answer of the frame's queue pair to its PSN or
 * a later one shows that the frame has arrived. */
Test(alone, answers_that_show_an_arrival)
{
    static const struct {
        uint8_t opcode;
        uint32_t psn;
        unsigned by; /* number of the queue pair */
        bool arrived;
    } rows[] = {
        {ACKNOWLEDGE, 0, 3, true},  {ACKNOWLEDGE, 1, 3, true}, {ACKNOWLEDGE, 0xffffff, 3, false},
        {ACKNOWLEDGE, 0, 4, false}, {SEND_ONLY, 0, 3, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_packet k;
        p->live[3] = p->live[4] = (struct run_live){.kind = IBC_O_qp, .made = true, .id = {QPN}};
        p->live[4].id[0] = QPN + 1;
        clock_ns = 77;
        packet(&k, SEND_ONLY, 0, 0, QPN);
        run_flight_sent(p, &k.view, 0);
        cr_expect_eq(p->in_flight_since, 77);
        cr_expect_eq(p->in_flight_to, &p->live[3]);
        packet(&k, rows[i].opcode, rows[i].psn, ACK, 5);
        run_flight_answered(p, &p->live[rows[i].by], &k.view);
        cr_expect_eq(p->in_flight_since, rows[i].arrived ? 0 : 77, "row %zu", i);
    }
}

/* ---- texts of findings ---- */

static const struct ibc_scenario scenario;
static const struct ibc_play play = {.scenario = &scenario, .variation = ""};

static const char *repeated(char c, size_t n)
{
    static char text[2 * RUN_TEXT];

    memset(text, c, n);
    text[n] = '\0';
    return text;
}

/* A long text is cut, and the sentence about the device stays whole. */
Test(alone, the_device_did_not_survive)
{
    char want[2 * RUN_TEXT];

    for (size_t n = 100; n < RUN_TEXT; n++) {
        snprintf(p->finding.got, sizeof p->finding.got, "%s", repeated('x', n));
        run_gone(p);
        snprintf(want, sizeof want, "%.130s: the device did not survive", repeated('x', n));
        cr_expect_str_eq(p->finding.got, want, "%zu", n);
        run_gone(p); /* says it once */
        cr_expect_str_eq(p->finding.got, want, "%zu", n);
        cr_expect(p->unwell && p->finding.down);
    }
}

static enum ibc_contact became;
static enum ibc_contact contact(struct ibc_target *t, char *text, size_t n)
{
    (void)t;
    snprintf(text, n, "%s", became == IBC_CONTACT_LOG ? repeated('y', RUN_TEXT - 1) : "");
    return became;
}

Test(alone, lost_agents)
{
    static const struct {
        enum ibc_contact became;
        const char *prefix, *says;
        char fills;
        unsigned most; /* characters of the agent's or the log's text */
        enum ibc_verdict verdict;
    } rows[] = {
        {IBC_CONTACT_SAME, "", "; its system was up all the time", 'x', 125, IBC_IS_ERROR},
        {IBC_CONTACT_REBOOT, "", ": the device did not survive", 'x', 130, IBC_IS_FAIL},
        {IBC_CONTACT_LOG, "its log: ", "", 'y', 150, IBC_IS_FAIL},
        {IBC_CONTACT_UNKNOWN, "", "; it does not say if it was up", 'x', 125, IBC_IS_ERROR},
        {IBC_CONTACT_NONE, "", "; it did not come back", 'x', 125, IBC_IS_ERROR},
    };

    ops.contact = contact;
    p->play = &play;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[2 * RUN_TEXT];
        became = rows[i].became;
        p->lost = true;
        p->died = p->unwell = false;
        p->verdict = IBC_IS_PASS;
        p->lost_line = 7;
        snprintf(p->lost_what, sizeof p->lost_what, "say its state");
        snprintf(p->lost_why, sizeof p->lost_why, "%s", repeated('x', RUN_TEXT - 1));
        run_see_contact(p);
        snprintf(want, sizeof want, "%s%s%s", rows[i].prefix, repeated(rows[i].fills, rows[i].most), rows[i].says);
        cr_expect_str_eq(p->finding.got, want, "row %zu: %s", i, p->finding.got);
        cr_expect_eq(p->verdict, rows[i].verdict);
        cr_expect_eq(p->finding.line, 7);
    }
}

/* A packet's comment in the evidence has the line, the verdict and the mismatch. */
Test(alone, comments)
{
    static const struct {
        const char *verdict;
        bool differs;
        const char *expected, *comment;
    } rows[] = {
        {NULL, false, "", "line 7: < a ANY"},
        {"as expected", false, "", "line 7: < a ANY: as expected"},
        {"FAIL", true, "psn 1", "line 7: < a ANY: FAIL: expected psn 1, got psn 2"},
        {"FAIL", true, "", "line 7: < a ANY: FAIL"},
    };
    static const struct ibc_step s = {.line = 7, .text = "< a ANY"};

    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct run_packet k = {.comment = NULL};
        struct run_difference d = {.got = "psn 2"};
        snprintf(d.expected, sizeof d.expected, "%s", rows[i / 2].expected);
        p->keep_evidence = i % 2;
        run_comment(p, &k, &s, rows[i / 2].verdict, rows[i / 2].differs ? &d : NULL);
        cr_expect_str_eq(k.comment ? k.comment : "none", p->keep_evidence ? rows[i / 2].comment : "none");
    }
    run_arena_free(&p->arena);
}
