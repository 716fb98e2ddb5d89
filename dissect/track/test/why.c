/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of reasons: each row is met by the connection that it describes, and its sentence is complete. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "track/cm_why.h"

enum {
#define CM_FACT_BIT(f) BIT_##f,
    CM_FACTS(CM_FACT_BIT)
};
enum {
#define CM_FACT(f) f = 1 << BIT_##f,
    CM_FACTS(CM_FACT)
};
enum { ANY = 0xffff };
static const int64_t LAST = 10000000000;

static const struct {
    unsigned wants, excludes, from, to;
} rows[] = {
#define ROW(kind, wants, excludes, from, to, ...) {wants, excludes, from, to},
    CM_WHY_SETUP(ROW) CM_WHY_END(ROW)};

static void sent(struct cm_connection *c, enum cm_kept k, unsigned n, int64_t first, int64_t last)
{
    c->sent[k] = (struct cm_sent){(uint16_t)n, first, last};
}

/* Returns a connection that shows these facts. No end still waits at the time LAST, unless a fact says so. */
static struct cm_connection with(unsigned f, unsigned reason)
{
    struct cm_connection c = {.used = true, .sidr = (f & SIDR) != 0, .cm_retries = 15};

    sent(&c, CM_KEPT_REQ, f & (REQ_AGAIN | REQ_AFTER_REP) ? 2 : 1, 0, f & REQ_AFTER_REP ? 200 : 1);
    if (f & WAITS)
        sent(&c, CM_KEPT_REQ, 1, LAST, LAST);
    if (f & REP)
        sent(&c, CM_KEPT_REP, f & (REP_AGAIN | REP_AFTER_RTU) ? 2 : 1, 100, f & REP_AFTER_RTU ? 400 : 150);
    if (f & REP_AFTER_RTU && !(f & REP))
        sent(&c, CM_KEPT_REP, 2, 100, 400);
    if (f & RTU)
        sent(&c, CM_KEPT_RTU, 1, 300, 300);
    if (f & DREQ)
        sent(&c, CM_KEPT_DREQ, f & DREQ_AGAIN ? 2 : 1, 500, 600);
    if (f & DREP)
        sent(&c, CM_KEPT_DREP, 1, 700, 700);
    c.asked = (f & MRA) != 0;
    c.refused = (f & REJ) != 0;
    c.refused_by_active = (f & REJ_OF_ACTIVE) != 0;
    c.reason = (uint16_t)(reason == ANY ? 99 : reason);
    return c;
}

Test(cm_why, each_setup_row_is_met)
{
    for (unsigned k = 0; k < CM_WHY_DREQ_UNANSWERED; k++) {
        const struct cm_connection c = with(rows[k].wants, rows[k].to);
        cr_expect_eq(cm_why_setup(&c, LAST), k, "%s: its connection is taken for %s", cm_whys[k].name,
                     cm_whys[cm_why_setup(&c, LAST)].name);
        cr_expect_eq(cm_why_end(&c) == CM_WHY_COUNT, (rows[k].wants & DREQ) == 0, "%s", cm_whys[k].name);
    }
}

Test(cm_why, each_end_row_is_met)
{
    for (unsigned k = CM_WHY_DREQ_UNANSWERED; k < CM_WHY_COUNT; k++) {
        const struct cm_connection c = with(rows[k].wants | REP | RTU, 0);
        cr_expect_eq(cm_why_end(&c), k, "%s", cm_whys[k].name);
        cr_expect_str_eq(cm_why_now(&c, LAST), cm_whys[k].name);
    }
}

/* Returns the sentence of that reason, until the next call. */
static const char *sentence(enum cm_why why, const struct cm_connection *c, int64_t at)
{
    static struct out o;

    out_init(&o, -1);
    cm_why_print(&o, why, c, at);
    cr_assert(o.n > 0 && o.n < OUT_SLACK);
    o.buf[o.n] = '\0';
    return o.buf;
}

/* Each word in braces is known: a value replaces it, and the sentence has no brace left. */
Test(cm_why, each_sentence_is_complete)
{
    for (unsigned k = 0; k < CM_WHY_COUNT; k++) {
        const struct cm_connection c = with(rows[k].wants | REP | RTU | DREQ, rows[k].to);
        unsigned words = 0, bare = 0;
        for (const char *s = cm_whys[k].sentence; *s; s++) {
            words += *s == '{';
            bare += *s == ' ';
        }
        const char *text = sentence((enum cm_why)k, &c, LAST), last = text[strlen(text) - 1];
        cr_expect_null(strpbrk(text, "{}"), "%s", text);
        cr_expect_null(strstr(text, "  "), "a word of '%s' says nothing: %s", cm_whys[k].sentence, text);
        cr_expect_null(strstr(text, " ,"), "%s", text);
        cr_expect(text[0] != ' ' && last != ' ' && last != ':', "%s", text);
        cr_expect(words > 0 || bare > 0);
    }
}

/* A reason has 16 bits. Those that no row names are refusals like others. */
Test(cm_why, reasons)
{
    static const struct {
        unsigned facts, reason;
        enum cm_why why;
    } refused[] = {
        {REJ, 0, CM_WHY_VALUE_REFUSED},
        {REJ, 0xffff, CM_WHY_VALUE_REFUSED},
        {REJ, 1, CM_WHY_NO_RESOURCES},
        {REJ, 3, CM_WHY_NO_RESOURCES},
        {REJ, 4, CM_WHY_VALUE_REFUSED},
        {REJ, 5, CM_WHY_VALUE_REFUSED},
        {REJ, 6, CM_WHY_UNKNOWN_ID},
        {REJ, 7, CM_WHY_UNKNOWN_ID},
        {REJ, 8, CM_WHY_NO_LISTENER},
        {REJ, 9, CM_WHY_VALUE_REFUSED},
        {REJ, 10, CM_WHY_STALE},
        {REJ, 23, CM_WHY_VALUE_REFUSED},
        {REJ, 24, CM_WHY_REDIRECTED},
        {REJ, 25, CM_WHY_REDIRECTED},
        {REJ, 26, CM_WHY_VALUE_REFUSED},
        {REJ, 28, CM_WHY_REFUSED},
        {SIDR | REJ, 1, CM_WHY_SIDR_NO_SERVICE},
        {SIDR | REJ, 0xffff, CM_WHY_SIDR_REFUSED},
        {REJ | REJ_OF_ACTIVE, 4, CM_WHY_GAVE_UP},
        {REJ | REJ_OF_ACTIVE, 0xffff, CM_WHY_WITHDRAWN},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct cm_connection c = with(refused[i].facts, 0);
        c.reason = (uint16_t)refused[i].reason;
        cr_expect_eq(cm_why_setup(&c, LAST), refused[i].why, "row %zu: %s", i, cm_whys[cm_why_setup(&c, LAST)].name);
    }
}

/* If a capture has one REQ and nothing else, it may have lost the other messages, so nobody is blamed. */
Test(cm_why, one_request_accuses_nobody)
{
    const struct cm_connection c = with(0, 0);

    cr_expect_eq(cm_whys[cm_why_setup(&c, LAST)].severity, IBA_NOTE);
}

/* A time is printed with three digits, in the unit that leaves at most three digits before the point. */
Test(cm_why, times)
{
    static const struct {
        int64_t ns;
        const char *text;
    } spans[] = {{0, "0 us"},          {999, "0.999 us"},     {1500, "1.5 us"},       {999499, "999 us"},
                 {999500, "1 ms"},     {1000000, "1 ms"},     {12345678, "12.3 ms"},  {999499999, "999 ms"},
                 {999500000, "1.0 s"}, {1000000000, "1.0 s"}, {61260000000, "61.3 s"}};

    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct cm_connection c = {.used = true};
        char want[64];
        sent(&c, CM_KEPT_REQ, 1, 1000, 1000);
        sent(&c, CM_KEPT_RTU, 1, 1000 + spans[i].ns, 1000 + spans[i].ns);
        (void)snprintf(want, sizeof want, "connected in %s", spans[i].text);
        const char *text = sentence(CM_WHY_CONNECTED, &c, LAST);
        cr_expect_str_eq(text, want, "%s", text);
    }
}

/* The active end waits for the response time of the REQ, its ACK timeout, and the time of an MRA: 4.096 us * 2^code
 * each (MD-64, MD-68, MD-69). */
Test(cm_why, how_long_it_waits)
{
    enum { US = 1000, UNIT = 4096 };
    static const struct {
        uint8_t cm_timeout, ack_timeout;
        bool asked;
        uint8_t more;
        int64_t ns;
    } waits[] = {{0, 0, false, 9, 2 * UNIT},
                 {5, 0, false, 9, 33 * UNIT},
                 {0, 6, false, 9, 65 * UNIT},
                 {0, 0, true, 9, (2 + 512) * UNIT},
                 {3, 4, true, 5, (8 + 16 + 32) * UNIT}};

    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        for (unsigned over = 0; over < 2; over++) {
            struct cm_connection c = {.used = true,
                                      .cm_timeout = waits[i].cm_timeout,
                                      .ack_timeout = waits[i].ack_timeout,
                                      .asked = waits[i].asked,
                                      .more_time = waits[i].more};
            sent(&c, CM_KEPT_REQ, 1, 7 * US, 7 * US);
            const enum cm_why why = cm_why_setup(&c, 7 * US + waits[i].ns - 1 + over);
            const enum cm_why want = waits[i].asked ? over ? CM_WHY_NO_ANSWER_AFTER_MRA : CM_WHY_WAITS_AFTER_MRA
                                     : over         ? CM_WHY_NOTHING_SEEN
                                                    : CM_WHY_WAITS_FOR_ANSWER;
            cr_expect_eq(why, want, "row %zu: %s", i, cm_whys[why].name);
        }
}

/* A message was sent again if there were two of them. A REQ that comes after the REP, or a REP after the RTU, shows
 * that the answer was late or lost; at the same time shows nothing. A SIDR_REQ waits for 4.096 us * 2^20 (MD-60),
 * unless it was sent again. */
Test(cm_why, facts)
{
    enum { SIDR_NS = 4096 << 10 }; /* in units of 1024 ns */
    static const struct {
        unsigned reqs, reps, rtus, dreqs, dreps;
        int64_t req_last, rep_last; /* the first ones come at 0 and 100, an RTU at 300 */
        bool sidr;
        int64_t now;
        enum cm_why setup, end;
    } shown[] = {
        {1, 0, 0, 0, 0, 0, 0, false, LAST, CM_WHY_NOTHING_SEEN, CM_WHY_COUNT},
        {2, 0, 0, 0, 0, 50, 0, false, LAST, CM_WHY_NO_ANSWER, CM_WHY_COUNT},
        {1, 1, 0, 0, 0, 0, 100, false, LAST, CM_WHY_NO_RTU_SEEN, CM_WHY_COUNT},
        {1, 2, 0, 0, 0, 0, 200, false, LAST, CM_WHY_NOT_CONFIRMED, CM_WHY_COUNT},
        {2, 1, 0, 0, 0, 100, 100, false, LAST, CM_WHY_NO_RTU_SEEN, CM_WHY_COUNT},
        {2, 1, 0, 0, 0, 101, 100, false, LAST, CM_WHY_REP_LOST, CM_WHY_COUNT},
        {1, 1, 1, 0, 0, 0, 100, false, LAST, CM_WHY_CONNECTED, CM_WHY_COUNT},
        {1, 2, 1, 0, 0, 0, 300, false, LAST, CM_WHY_CONNECTED, CM_WHY_COUNT},
        {1, 2, 1, 0, 0, 0, 301, false, LAST, CM_WHY_RTU_LATE, CM_WHY_COUNT},
        {2, 1, 1, 0, 0, 50, 100, false, LAST, CM_WHY_CONNECTED_LATE, CM_WHY_COUNT},
        {1, 1, 1, 1, 0, 0, 100, false, LAST, CM_WHY_CONNECTED, CM_WHY_DISCONNECTS},
        {1, 1, 1, 1, 1, 0, 100, false, LAST, CM_WHY_CONNECTED, CM_WHY_DISCONNECTED},
        {1, 1, 1, 2, 0, 0, 100, false, LAST, CM_WHY_CONNECTED, CM_WHY_DREQ_UNANSWERED},
        {1, 1, 1, 2, 1, 0, 100, false, LAST, CM_WHY_CONNECTED, CM_WHY_DISCONNECTED_LATE},
        {1, 0, 0, 1, 0, 0, 0, false, LAST, CM_WHY_CONNECTED_BEFORE, CM_WHY_DISCONNECTS},
        {1, 0, 0, 0, 0, 0, 0, true, (int64_t)SIDR_NS * 1024 - 1, CM_WHY_SIDR_WAITS, CM_WHY_COUNT},
        {1, 0, 0, 0, 0, 0, 0, true, (int64_t)SIDR_NS * 1024, CM_WHY_SIDR_NOTHING_SEEN, CM_WHY_COUNT},
        {2, 0, 0, 0, 0, 50, 0, true, 60, CM_WHY_SIDR_NO_ANSWER, CM_WHY_COUNT},
        {1, 1, 0, 0, 0, 0, 100, true, LAST, CM_WHY_SIDR_RESOLVED, CM_WHY_COUNT},
    };

    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct cm_connection c = {.used = true, .sidr = shown[i].sidr};
        sent(&c, CM_KEPT_REQ, shown[i].reqs, 0, shown[i].req_last);
        sent(&c, CM_KEPT_REP, shown[i].reps, 100, shown[i].rep_last);
        sent(&c, CM_KEPT_RTU, shown[i].rtus, 300, 300);
        sent(&c, CM_KEPT_DREQ, shown[i].dreqs, 500, 600);
        sent(&c, CM_KEPT_DREP, shown[i].dreps, 700, 700);
        cr_expect_eq(cm_why_setup(&c, shown[i].now), shown[i].setup, "row %zu: %s", i,
                     cm_whys[cm_why_setup(&c, shown[i].now)].name);
        cr_expect_eq(cm_why_end(&c), shown[i].end, "row %zu", i);
        cr_expect_str_eq(cm_why_now(&c, shown[i].now),
                         cm_whys[shown[i].end == CM_WHY_COUNT ? shown[i].setup : shown[i].end].name);
    }
}

/* How long a connection lasted is counted from its RTU; where the capture has no RTU, from its REP, else its REQ. */
Test(cm_why, how_long_it_lasted)
{
    enum { MS = 1000000 };
    static const char *const text[] = {"10.0.0.1 disconnects after 130 ms", "10.0.0.1 disconnects after 120 ms",
                                       "10.0.0.1 disconnects after 100 ms"};

    for (unsigned shows = 0; shows < 3; shows++) {
        struct cm_connection c = {.used = true, .kind = IBA_ADDR_IPV4, .released_by_active = true};
        iba_bits_put(c.active.addr, 0, 32, 0x0a000001);
        iba_bits_put(c.passive.addr, 0, 32, 0x0a000002);
        sent(&c, CM_KEPT_REQ, 1, 1 * MS, 1 * MS);
        sent(&c, CM_KEPT_REP, shows > 0, 11 * MS, 11 * MS);
        sent(&c, CM_KEPT_RTU, shows > 1, 31 * MS, 31 * MS);
        sent(&c, CM_KEPT_DREQ, 1, 131 * MS, 131 * MS);
        const char *is = sentence(CM_WHY_DISCONNECTED, &c, 500 * MS);
        cr_expect_str_eq(is, text[shows], "%s", is);
    }
}

/* Each time and each number in a sentence is the one that the words around it name. The messages come at these
 * milliseconds: REQs 1 and 4, REPs 11 and 17, RTU 31, DREQs 131 and 140, the end at 61. */
Test(cm_why, sentences)
{
    enum { MS = 1000000 };
    static const struct {
        enum cm_why why;
        const char *text;
    } says[] = {
        {CM_WHY_GAVE_UP,
         "10.0.0.2 does not answer; 10.0.0.1 gives up 60 ms after its REQ, with 3 REQs of the 8 that Max "
         "CM Retries allows"},
        {CM_WHY_CONNECTED_LATE,
         "connected, but only after 30 ms: 3 REQs of the 8 that Max CM Retries allows, 2 REPs, 1 RTU"},
        {CM_WHY_NOT_CONFIRMED, "10.0.0.1 does not confirm: 2 REPs in 6 ms, and the capture has no RTU"},
        {CM_WHY_NO_RTU_SEEN, "10.0.0.2 accepts after 10 ms; the capture has no RTU"},
        {CM_WHY_WAITS_FOR_ANSWER, "the capture ends 499 ms after 10.0.0.1's REQ, with no answer yet"},
        {CM_WHY_NO_ANSWER, "10.0.0.2 does not answer: 3 REQs of the 8 that Max CM Retries allows in 3 ms"},
        {CM_WHY_NO_ANSWER_AFTER_MRA, "10.0.0.2 asked for 131 us more (MRA) and did not answer"},
        {CM_WHY_STALE, "10.0.0.2 still has a connection with QP 0x000101 of 10.0.0.1: REJ reason 10, stale connection"},
        {CM_WHY_DREQ_UNANSWERED, "10.0.0.2 disconnects, and 10.0.0.1 does not answer: 2 DREQs in 9 ms"},
        {CM_WHY_DISCONNECTED, "10.0.0.2 disconnects after 100 ms"},
        {CM_WHY_GAVE_UP_ON_REP, "10.0.0.1 gives up after 3 REQs of the 8 that Max CM Retries allows: 10.0.0.2 sent 2 "
                                "REPs, but none arrived"},
        {CM_WHY_GAVE_UP_AFTER_MRA,
         "10.0.0.2 asked for 131 us more (MRA) and did not answer; 10.0.0.1 gives up 60 ms after its REQ"},
        {CM_WHY_NO_LISTENER,
         "10.0.0.2 has no program that listens at service 0x0000001234567890: REJ reason 10, stale connection"},
        {CM_WHY_RTU_LOST, "10.0.0.2 gives up after 2 REPs: 10.0.0.1 sent 1 RTU, but none arrived"},
        {CM_WHY_DISCONNECTED_LATE, "10.0.0.2 disconnects, but only after 2 DREQs"},
    };

    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        struct cm_connection c = {.used = true, .kind = IBA_ADDR_IPV4, .cm_retries = 7, .reason = 10, .more_time = 5};
        iba_bits_put(c.active.addr, 0, 32, 0x0a000001);
        iba_bits_put(c.passive.addr, 0, 32, 0x0a000002);
        c.active.qpn = 0x101;
        c.service_id = UINT64_C(0x1234567890);
        c.answer_ns = 11 * MS;
        c.end_ns = 61 * MS;
        sent(&c, CM_KEPT_REQ, 3, 1 * MS, 4 * MS);
        sent(&c, CM_KEPT_REP, 2, 11 * MS, 17 * MS);
        sent(&c, CM_KEPT_RTU, 1, 31 * MS, 31 * MS);
        sent(&c, CM_KEPT_DREQ, 2, 131 * MS, 140 * MS);
        const char *text = sentence(says[i].why, &c, 500 * MS);
        cr_expect_str_eq(text, says[i].text, "%s", text);
    }
}
