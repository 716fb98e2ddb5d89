/* SPDX-License-Identifier: BSD-2-Clause */
/* A sender is followed packet by packet: which messages are outstanding, which response completes which, and to which
 * kind each pause goes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "feed.h"
#include "observer/iba_finding_kinds.h"
#include "stats/perf.h"
#include "wire/iba_opcode_rows.h"

enum { US = 1000, PMTU = 1024, PSN = 0xfffffe }; /* PSN: of the first packet; they go round after two */

static struct perf_sender s;
static struct direction d;
static uint64_t now;

static void begin(void)
{
    d = (struct direction){.svc = IBA_RC, .pmtu = PMTU};
    s = (struct perf_sender){.d = &d};
    now = 77 * US;
}

TestSuite(perf_follow, .init = begin);

/* ---- packets ---- */

struct sent {
    uint8_t opcode;
    unsigned n; /* of PSN + n */
    uint8_t words;
    uint32_t dmalen;
    uint8_t syndrome;
    uint8_t finding; /* kind; 0: none */
    bool again, late, fine;
};

static void feed_one(const struct sent *x, void (*take)(struct perf_sender *s, const struct packet *p, uint64_t now))
{
    const struct spec spec = {.proto = IBA_PROTO_ROCE2,
                              .src = 1,
                              .dst = 2,
                              .opcode = x->opcode,
                              .psn = (PSN + x->n) & 0xffffff,
                              .words = x->words};
    struct frame f = frame_of(&spec);
    struct cap_packet cap = {.data = f.b, .caplen = (uint32_t)f.n, .len = (uint32_t)f.n, .ts_ns = now + x->fine};
    struct verdict v = {.again = x->again, .late = x->late, .n = x->finding ? 1 : 0, .finding = {{.kind = x->finding}}};
    struct packet p = {.cap = &cap, .verdict = &v};

    cr_assert_eq(iba_view_parse(&p.view, f.link, f.b, f.n, f.n, NULL), IBA_OK);
    if (iba_view_has(&p.view, IBA_H_aeth))
        f.b[p.view.at[IBA_H_aeth]] = x->syndrome;
    if (x->dmalen)
        iba_reth_set_dmalen(f.b + p.view.at[IBA_H_reth], x->dmalen);
    take(&s, &p, now);
}

static void asks(uint64_t after, struct sent x)
{
    now += after;
    feed_one(&x, perf_request);
}
static void answers(uint64_t after, struct sent x)
{
    now += after;
    feed_one(&x, perf_answer);
}

#define SEND(n_) ((struct sent){.opcode = IBA_RC_SEND_ONLY, .n = (n_), .words = 16})
#define SENT_AGAIN(n_) ((struct sent){.opcode = IBA_RC_SEND_ONLY, .n = (n_), .words = 16, .again = true})
#define FOUND(n_, kind)                                                                                                \
    ((struct sent){.opcode = IBA_RC_SEND_ONLY, .n = (n_), .words = 16, .finding = IBA_FINDING_##kind})
#define ACK(n_) ((struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .n = (n_), .syndrome = 0x1f})
#define NAK(n_, syndrome_) ((struct sent){.opcode = IBA_RC_ACKNOWLEDGE, .n = (n_), .syndrome = (syndrome_)})
#define READ(n_, bytes) ((struct sent){.opcode = IBA_RC_READ_REQUEST, .n = (n_), .dmalen = (bytes)})
#define PART(which, n_) ((struct sent){.opcode = IBA_RC_##which, .n = (n_), .words = 60})
enum { SEQUENCE_ERROR = 0x60, RNR = 0x20 };

/* ---- what is outstanding ---- */

static void outstanding(uint32_t depth, uint32_t reads, uint64_t open, uint64_t responses, int line)
{
    cr_expect_eq(s.depth, depth, "line %d: %u messages", line, s.depth);
    cr_expect_eq(s.reads, reads, "line %d: %u READs", line, s.reads);
    cr_expect_eq(s.open, open, "line %d: %g bytes", line, (double)s.open);
    cr_expect_eq(s.responses, responses, "line %d: %g responses", line, (double)s.responses);
}
#define OUTSTANDING(...) outstanding(__VA_ARGS__, __LINE__)

/* An acknowledgement answers all messages up to its PSN, and a NAK all messages before its PSN. */
Test(perf_follow, acknowledgements)
{
    for (unsigned i = 0; i < 5; i++)
        asks(US, SEND(i));
    OUTSTANDING(5, 0, 5 * 64, 0);
    answers(10 * US, ACK(1));
    OUTSTANDING(3, 0, 3 * 64, 2);
    cr_expect_eq(s.response_ns, (13 + 14 - 0) * US, "%g", (double)s.response_ns);
    cr_expect_eq(s.quickest, 13 * US + 1);
    answers(US, NAK(3, SEQUENCE_ERROR));
    OUTSTANDING(2, 0, 2 * 64, 3);
    answers(US, ACK(3));
    OUTSTANDING(1, 0, 64, 4);
    answers(US, ACK(3));
    OUTSTANDING(1, 0, 64, 4);
    answers(US, ACK(7));
    OUTSTANDING(0, 0, 0, 5);
    cr_expect_eq(s.answers, 5);
    cr_expect_eq(s.messages, 5);
    cr_expect_eq(s.deepest, 5);
    cr_expect_eq(s.most_open, 5 * 64);
    cr_expect_eq(s.bytes, 5 * 64);
}

/* A message ends with its last packet. */
Test(perf_follow, long_messages)
{
    asks(0, PART(SEND_FIRST, 0));
    asks(US, PART(SEND_MIDDLE, 1));
    OUTSTANDING(1, 0, 480, 0);
    answers(US, ACK(1));
    OUTSTANDING(1, 0, 480, 0);
    asks(US, PART(SEND_LAST, 2));
    asks(US, SEND(3));
    OUTSTANDING(2, 0, 720 + 64, 0);
    answers(US, ACK(1));
    OUTSTANDING(2, 0, 720 + 64, 0);
    answers(US, ACK(2));
    OUTSTANDING(1, 0, 64, 1);
    cr_expect_eq(s.quickest, 3 * US + 1, "since its last packet");
    cr_expect_eq(s.messages, 2);
    cr_expect_eq(s.packets, 4);
}

/* A message has ended before the next one begins, though the capture lacks its last packet, or has it later. */
Test(perf_follow, ends_not_captured)
{
    asks(0, PART(SEND_FIRST, 0));
    asks(US, SEND(3));
    answers(US, ACK(1));
    OUTSTANDING(2, 0, 240 + 64, 0);
    asks(US, PART(SEND_LAST, 2));
    OUTSTANDING(2, 0, 240 + 64, 0);
    answers(US, ACK(2));
    OUTSTANDING(1, 0, 64, 1);
}

/* A READ ends with the last packet of its response, and takes as many PSNs as the response has packets. When the
 * response to a later request comes instead, the sender drops it, and asks again, or only the capture lacks the last
 * packet: then the sender goes on. */
Test(perf_follow, reads)
{
    asks(0, READ(0, 3 * PMTU));
    asks(US, READ(3, 3 * PMTU + 1));
    asks(US, READ(7, 1));
    asks(US, SEND(8));
    OUTSTANDING(4, 3, 6 * PMTU + 2 + 64, 0);
    cr_expect_eq(s.read_messages, 3);
    answers(US, PART(READ_RESP_FIRST, 0));
    answers(US, PART(READ_RESP_MIDDLE, 1));
    OUTSTANDING(4, 3, 6 * PMTU + 2 + 64, 0);
    answers(US, PART(READ_RESP_LAST, 2));
    OUTSTANDING(3, 2, 3 * PMTU + 2 + 64, 1);
    answers(US, ACK(6)); /* no response to a READ */
    OUTSTANDING(3, 2, 3 * PMTU + 2 + 64, 1);
    answers(US, PART(READ_RESP_ONLY, 7));
    OUTSTANDING(3, 2, 3 * PMTU + 2 + 64, 1);
    asks(US, (struct sent){.opcode = IBA_RC_READ_REQUEST, .n = 3, .dmalen = 3 * PMTU + 1, .again = true});
    OUTSTANDING(3, 2, 3 * PMTU + 2 + 64, 1);
    answers(US, ACK(8));
    OUTSTANDING(3, 2, 3 * PMTU + 2 + 64, 1);
    asks(US, SEND(9));
    OUTSTANDING(1, 0, 64, 4);
    answers(US, ACK(9));
    OUTSTANDING(0, 0, 0, 5);
    cr_expect_eq(s.bytes, 2 * 64 + 4 * 240);
}

/* Retransmissions begin no message, and are counted separately. */
Test(perf_follow, sent_again)
{
    asks(0, SEND(0));
    asks(US, SENT_AGAIN(0));
    OUTSTANDING(1, 0, 64, 0);
    cr_expect_eq(s.again, 1);
    cr_expect_eq(s.again_bytes, 64);
    cr_expect_eq(s.packets, 2);
    cr_expect_eq(s.messages, 1);
    cr_expect_eq(s.bytes, 64);
    cr_expect_eq(s.repaired_at, now + 1);
    cr_expect_eq(s.sent_at, now);
}

/* Messages beyond those that are remembered one by one all complete with the response to the last of them. */
Test(perf_follow, many_outstanding)
{
    for (unsigned i = 0; i < PERF_MARKS + 10; i++)
        asks(US, SEND(i));
    OUTSTANDING(PERF_MARKS + 10, 0, (PERF_MARKS + 10) * 64, 0);
    answers(US, ACK(PERF_MARKS - 2));
    OUTSTANDING(11, 0, 11 * 64, PERF_MARKS - 1);
    answers(US, ACK(PERF_MARKS + 8));
    OUTSTANDING(11, 0, 11 * 64, PERF_MARKS - 1);
    answers(US, ACK(PERF_MARKS + 9));
    OUTSTANDING(0, 0, 0, PERF_MARKS);
    cr_expect_eq(s.deepest, PERF_MARKS + 10);
}

/* Three messages are outstanding at any time, and in total more messages are sent than can be remembered. */
Test(perf_follow, many_one_after_the_other)
{
    for (unsigned i = 0; i < 3 * PERF_MARKS; i++) {
        asks(US, SEND(i));
        if (i >= 2)
            answers(US, ACK(i - 2));
        OUTSTANDING(i < 2 ? i + 1 : 2, 0, (i < 2 ? i + 1 : 2) * 64, i < 2 ? 0 : i - 1);
    }
    cr_expect_eq(s.deepest, 3);
}

/* Sums over time: 1 message is outstanding for 10 us, 2 for 20 us, 1 for 5 us; bytes are summed over whole
 * microseconds. */
Test(perf_follow, outstanding_over_time)
{
    asks(0, SEND(0));
    asks(10 * US, SEND(1));
    answers(20 * US, ACK(0));
    answers(5 * US + 999, ACK(1));
    cr_expect_eq(s.area_messages, (10 + 2 * 20 + 5) * US + 999);
    cr_expect_eq(s.area_bytes, (10 + 2 * 20 + 5) * 64);
    cr_expect_eq(s.first, 77 * US);
    cr_expect_eq(s.last, now);
}

/* Counts the new messages that begin while at least four fifths of the largest number are outstanding. */
Test(perf_follow, full_windows)
{
    for (unsigned i = 0; i < 10; i++)
        asks(US, SEND(i)); /* each the deepest so far; the first one is alone */
    cr_expect_eq(s.full, 9);
    answers(US, ACK(3));
    asks(US, SEND(10));
    cr_expect_eq(s.full, 9, "7 of 10");
    asks(US, SEND(11));
    cr_expect_eq(s.full, 10, "8 of 10");
}

/* ---- response times ---- */

/* Each size class is four times as wide as the class before: up to 511 bytes, up to 2047 bytes, and so on. */
Test(perf_follow, response_times_by_size)
{
    static const struct {
        uint32_t bytes;
        unsigned size;
    } rows[] = {{1, 0},    {511, 0},   {512, 1},    {2047, 1},   {2048, 2},    {8191, 2},
                {8192, 3}, {32768, 4}, {131072, 5}, {524288, 6}, {2097152, 7}, {0x40000000, 7}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        const uint32_t packets = (rows[i].bytes + PMTU - 1) / PMTU;
        asks(0, READ(0, rows[i].bytes));
        answers(10 * US, PART(READ_RESP_LAST, packets - 1));
        for (unsigned size = 0; size < PERF_SIZES; size++)
            cr_expect_eq(s.took[size].n, size == rows[i].size, "%u bytes: class %u", rows[i].bytes, size);
        cr_expect_eq(s.took[rows[i].size].least, 10 * US + 1);
        cr_expect_eq(s.took[rows[i].size].sum, 10 * US + 1);
    }
}

static void take(unsigned i, uint64_t ns)
{
    asks(US, SEND(i));
    answers(ns - 1, ACK(i));
}

/* Response times are counted by sixteenths of the shortest one. A new shortest time moves the counts away from it. */
Test(perf_follow, near_the_shortest)
{
    const struct perf_took *t = &s.took[0];
    take(0, 16000);
    take(1, 16999);
    take(2, 17000);
    take(3, 27999);
    take(4, 28000);
    cr_expect_eq(t->near[0], 2);
    cr_expect_eq(t->near[1], 1);
    cr_expect_eq(t->near[11], 1);
    cr_expect_eq(t->n, 5);
    take(5, 12800); /* shorter by four of its sixteenths: 800 each */
    cr_expect_eq(t->least, 12800);
    cr_expect_eq(t->near[0], 1);
    cr_expect_eq(t->near[1], 0);
    cr_expect_eq(t->near[4], 2);
    cr_expect_eq(t->near[5], 1);
    cr_expect_eq(t->near[11], 0);
    take(6, 12799);
    cr_expect_eq(t->near[0], 2);
    cr_expect_eq(t->near[4], 2);
}

/* A message of which a packet was sent again has no response time. If one response completes several messages, the time
 * of the newest counts. */
Test(perf_follow, response_times_that_count)
{
    asks(0, SEND(0));
    asks(US, SEND(1));
    answers(10 * US, ACK(1));
    cr_expect_eq(s.took[0].n, 1);
    cr_expect_eq(s.took[0].sum, 10 * US + 1);
    asks(US, SEND(2));
    asks(US, SENT_AGAIN(2));
    answers(US, ACK(2));
    cr_expect_eq(s.took[0].n, 1);
    asks(US, SEND(3));
    asks(US, SENT_AGAIN(3));
    asks(1, SEND(4)); /* sent just after it */
    answers(US, ACK(4));
    cr_expect_eq(s.took[0].n, 2);
}

/* ---- kinds of pauses ---- */

static uint32_t counted[PERF_PAUSES];

static void keep_counts(void)
{
    for (unsigned k = 0; k < PERF_PAUSES; k++)
        counted[k] = s.sum[k].n;
}

/* Checks that there is one more pause of that kind, and none of another kind. */
static void one_more(enum perf_pause kind, int line)
{
    for (unsigned k = 0; k < PERF_PAUSES; k++)
        cr_expect_eq(s.sum[k].n, counted[k] + (k == kind), "line %d: kind %u, not %u", line, k, (unsigned)kind);
    keep_counts();
}
#define ONE_MORE(kind) one_more(PERF_PAUSE_##kind, __LINE__)

Test(perf_follow, pauses_after_responses)
{
    keep_counts();
    asks(0, SEND(0));
    answers(10 * US, ACK(0));
    asks(4 * US, SEND(1));
    ONE_MORE(ONE);
    cr_expect_eq(s.sum[PERF_PAUSE_ONE].wait, 10 * US);
    cr_expect_eq(s.sum[PERF_PAUSE_ONE].gap, 4 * US);
    cr_expect_eq(s.class[PERF_PAUSE_ONE][12].n, 1, "4000 has twelve bits");
    asks(5 * US, SEND(2));
    ONE_MORE(OWN);
    answers(10 * US, ACK(2));
    asks(5 * US, SEND(3));
    ONE_MORE(ALL);
    asks(5 * US, SEND(4));
    ONE_MORE(OWN);
    answers(10 * US, ACK(3));
    asks(5 * US, SEND(5));
    ONE_MORE(MANY);
    asks(US, SEND(6)); /* back to back: a step of the clock */
    ONE_MORE(REQUEST);
    asks(5 * US, SENT_AGAIN(6));
    ONE_MORE(AGAIN);
    asks(5 * US, FOUND(9, GAP));
    ONE_MORE(HIDDEN);
    asks(5 * US, FOUND(10, SEQUENCE));
    ONE_MORE(HIDDEN);
    asks(5 * US, FOUND(11, RETRY_RNR));
    ONE_MORE(RNR);
    asks(5 * US, FOUND(12, CREDIT_STALL));
    ONE_MORE(CREDIT);
}

/* A packet older than others was lost before the capture when it was first sent, if a NAK asks for it, or if it comes
 * very late. Otherwise others may have overtaken it. */
Test(perf_follow, lost_before_the_capture)
{
    asks(0, SEND(0));
    asks(5 * US, FOUND(3, GAP));
    answers(0, NAK(2, SEQUENCE_ERROR));
    keep_counts();
    asks(5 * US, SEND(1)); /* the NAK does not ask for this one */
    ONE_MORE(MANY);
    asks(5 * US, SEND(4)); /* sent before the NAK came */
    ONE_MORE(OWN);
    asks(5 * US, SEND(2));
    ONE_MORE(AGAIN);
    cr_expect_eq(s.repaired_at, now + 1);
    answers(0, ACK(2));
    asks(5 * US, FOUND(6, GAP));
    ONE_MORE(HIDDEN);
    asks(5 * US, SEND(5)); /* what the NAK asked for has come */
    ONE_MORE(OWN);
    asks(1000 * US, SEND(4));
    ONE_MORE(AGAIN);
    asks(1000 * US, (struct sent){.opcode = IBA_RC_SEND_ONLY, .n = 4, .words = 16, .late = true});
    ONE_MORE(OWN);
    asks(1000 * US, FOUND(0, QP_REUSED));
    ONE_MORE(OWN);
    asks(1000 * US, SEND(1));
    ONE_MORE(OWN);
    d.svc = IBA_UC;
    asks(1000 * US, SEND(0));
    ONE_MORE(OWN);
}

Test(perf_follow, pauses_of_reads)
{
    keep_counts();
    asks(0, READ(0, 4));
    asks(5 * US, READ(1, 4));
    ONE_MORE(OWN);
    answers(10 * US, PART(READ_RESP_ONLY, 0));
    asks(5 * US, READ(2, 2 * PMTU));
    ONE_MORE(READS);
    asks(5 * US, SEND(4));
    ONE_MORE(OWN);
    answers(10 * US, PART(READ_RESP_ONLY, 1));
    asks(5 * US, READ(5, 4)); /* not only READs are outstanding */
    ONE_MORE(MANY);
    answers(10 * US, PART(READ_RESP_FIRST, 2));
    answers(2 * US, PART(READ_RESP_LAST, 3));
    ONE_MORE(RESPONSE);
    cr_expect_eq(s.sum[PERF_PAUSE_RESPONSE].gap, 2 * US);
    cr_expect_eq(s.pace[1].n, 1);
    cr_expect_eq(s.wait, 10 * US);
}

/* If a receiver is not ready, the time until the packet comes again is the receiver's, and so are responses in that
 * time. */
Test(perf_follow, receivers_that_are_not_ready)
{
    asks(0, SEND(0));
    answers(10 * US, NAK(0, RNR | 14));
    keep_counts();
    cr_expect_eq(s.sum[PERF_PAUSE_RNR].n, 1);
    cr_expect_eq(s.sum[PERF_PAUSE_RNR].wait, 10 * US);
    cr_expect_eq(s.repaired_at, now + 1);
    answers(3 * US, NAK(0, RNR | 14));
    ONE_MORE(RNR);
    asks(600 * US, SENT_AGAIN(0));
    ONE_MORE(RNR);
    cr_expect_eq(s.sum[PERF_PAUSE_RNR].gap, 603 * US);
    answers(5 * US, ACK(0));
    asks(5 * US, SEND(1));
    ONE_MORE(ONE);
}

/* A pause counts as slowed by a notification if it is not back to back, comes within 10 ms of the notification, and
 * does not end with a response. */
Test(perf_follow, pauses_after_notifications)
{
    asks(0, SEND(0));
    perf_notice(&s, now);
    keep_counts();
    asks(5 * US, SEND(1));
    ONE_MORE(CNP);
    cr_expect_eq(s.slow_pace, (5 * US * 1024 + s.sent_len - 1) / s.sent_len);
    answers(US, ACK(1));
    asks(8 * US, SEND(2)); /* no more than twice as long */
    ONE_MORE(CNP);
    answers(US, ACK(2));
    asks(20 * US, SEND(3)); /* longer: the response has brought it */
    ONE_MORE(ONE);
    asks(US, SEND(4));
    ONE_MORE(REQUEST);
    now += 10000 * US;
    asks(0, SEND(5));
    ONE_MORE(OWN);
}

/* The notification has an effect for less than 10 ms. */
Test(perf_follow, notifications_fade)
{
    for (unsigned late = 0; late < 2; late++) {
        begin();
        perf_notice(&s, now);
        asks(0, SEND(0));
        keep_counts();
        asks(10000 * US - 1 + late, SEND(1));
        one_more(late ? PERF_PAUSE_OWN : PERF_PAUSE_CNP, (int)late);
    }
}

/* The packets of a message show the pace: 2 us each. Packets up to half as far apart again are back to back; soon after
 * a notification only up to a sixteenth more. */
Test(perf_follow, back_to_back_by_pace)
{
    static const struct {
        bool notice;
        uint64_t gap;
        enum perf_pause kind;
    } rows[] = {{false, 2990, PERF_PAUSE_REQUEST},
                {false, 3010, PERF_PAUSE_OWN},
                {true, 2120, PERF_PAUSE_REQUEST},
                {true, 2130, PERF_PAUSE_CNP}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        s.fine = true;
        asks(0, PART(SEND_FIRST, 0));
        asks(2000, PART(SEND_MIDDLE, 1));
        asks(2000, PART(SEND_LAST, 2));
        cr_expect_eq(s.fastest, 2000 * 1024 / s.sent_len);
        if (rows[i].notice)
            perf_notice(&s, now);
        keep_counts();
        asks(rows[i].gap, SEND(3));
        one_more(rows[i].kind, (int)i);
    }
}

/* At the end of the capture outstanding messages have no response. If none is outstanding, all responses have come. */
Test(perf_follow, ends)
{
    asks(0, SEND(0));
    answers(10 * US, ACK(0));
    keep_counts();
    perf_end(&s);
    ONE_MORE(ONE);
    cr_expect_eq(s.wait, 0);
    perf_end(&s);
    cr_expect_eq(s.sum[PERF_PAUSE_ONE].n, 1, "once");
    begin();
    asks(0, SEND(0));
    asks(5 * US, SEND(1));
    answers(10 * US, ACK(1));
    keep_counts();
    perf_end(&s);
    ONE_MORE(ALL);
    begin();
    asks(0, SEND(0));
    asks(5 * US, SEND(1));
    answers(10 * US, ACK(0));
    keep_counts();
    perf_end(&s);
    ONE_MORE(END);
    cr_expect_eq(s.sum[PERF_PAUSE_END].wait, 10 * US);
}

/* ---- credits ---- */

/* The credits of a syndrome count receives: code 2 stands for two (9.7.7.2.5). With more messages outstanding the
 * sender must stop. */
Test(perf_follow, credits)
{
    asks(0, SEND(0));
    answers(10 * US, NAK(0, 2)); /* an ACK with two credits */
    cr_expect(s.limited);
    cr_expect_eq(s.credits, 2);
    for (unsigned i = 1; i < 4; i++)
        asks(5 * US, SEND(i));
    cr_expect(s.stalled, "three are outstanding");
    answers(10 * US, NAK(1, 3));
    cr_expect_eq(s.credits, 3);
    keep_counts();
    asks(5 * US, SEND(4));
    ONE_MORE(MANY); /* as many were outstanding before: it may be a window */
    answers(US, ACK(4));
    cr_expect_not(s.limited, "31 is no limit");
    asks(5 * US, SEND(5));
    cr_expect_not(s.stalled);
}

/* ---- the clock and the fastest pace ---- */

/* Packets up to 150 ns apart are back to back for every network card; with a clock of microseconds, up to one step of
 * the clock. */
Test(perf_follow, back_to_back)
{
    static const struct {
        uint64_t gap;
        bool fine, back_to_back;
    } rows[] = {{1000, false, true}, {1001, false, false}, {150, true, true}, {151, true, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        keep_counts();
        asks(0, (struct sent){.opcode = IBA_RC_SEND_ONLY, .words = 16, .fine = rows[i].fine});
        asks(rows[i].gap, SEND(1));
        one_more(rows[i].back_to_back ? PERF_PAUSE_REQUEST : PERF_PAUSE_OWN, (int)i);
    }
}

/* A request counts as a READ if its response carries data or waits for it. */
Test(perf_follow, kinds_of_requests)
{
    static const uint8_t none[] = {IBA_RC_SEND_ONLY, IBA_RC_WRITE_ONLY},
                         some[] = {IBA_RC_READ_REQUEST, IBA_RC_CMP_SWAP, IBA_RC_FLUSH, IBA_RC_ATOMIC_WRITE};
    for (size_t i = 0; i < sizeof none + sizeof some; i++) {
        const uint8_t opcode = i < sizeof none ? none[i] : some[i - sizeof none];
        begin();
        asks(US, (struct sent){.opcode = opcode, .words = opcode == IBA_RC_ATOMIC_WRITE ? 2 : 0});
        cr_expect(s.depth == 1 && s.reads == (i >= sizeof none), "opcode 0x%02x", opcode);
    }
}
