/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers in the conditions of the table of limits: a sender on either side of each. The expected rows follow from
 * the comments of perf_limit.c; rates are 802.3's, computed by hand. */
#include <criterion/criterion.h>
#include "perf_pauses.h"

enum { MESSAGES = 100, US = 1000 };

static struct perf_sender s;
static struct direction d;

/* Returns a sender with messages that take 10 us each, sent at uneven times. */
static struct perf_sender *begin(void)
{
    const struct perf_even uneven = {.n = MESSAGES, .sum = MESSAGES * US, .off = MESSAGES * US};

    d = (struct direction){.svc = IBA_RC};
    s = (struct perf_sender){.d = &d,
                             .messages = MESSAGES,
                             .answers = MESSAGES,
                             .responses = MESSAGES,
                             .quickest = 10 * US,
                             .response_ns = (uint64_t)MESSAGES * 10 * US,
                             .start = uneven,
                             .pace = {{.each = uneven}, {.each = uneven}}};
    return &s;
}

/* Returns the row that decides about one part of these pauses: the wait, or the gap of about `gap`. */
static const char *row(enum perf_pause pause, enum perf_part part, uint64_t gap)
{
    const struct perf_piece c = {
        .s = &s, .pause = (uint8_t)pause, .class = (uint8_t)perf_class_of(gap), .part = (uint8_t)part};

    return perf_decide(&c)->name;
}
#define DECIDES(name, ...) cr_expect_str_eq(row(__VA_ARGS__), name, "%s decides, not %s", row(__VA_ARGS__), name)

/* ---- packets of a message ---- */

/* Sixteen packets suffice to show a rhythm, which counts as even if the times deviate by less than 15 %. */
Test(perf_edges, even_packets)
{
    static const struct {
        uint64_t n, off;
        const char *row;
    } rows[] = {{16, 0, "even_packets"}, {15, 0, "packets"}, {100, 29999, "even_packets"}, {100, 30000, "packets"}};

    for (unsigned response = 0; response < 2; response++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            begin();
            perf_pauses(&s, response ? PERF_PAUSE_RESPONSE : PERF_PAUSE_REQUEST, MESSAGES, 0, US);
            s.pace[response].each = (struct perf_even){.n = rows[i].n, .sum = rows[i].n * 2000, .off = rows[i].off};
            DECIDES(rows[i].row, response ? PERF_PAUSE_RESPONSE : PERF_PAUSE_REQUEST, PERF_GAP, US);
            DECIDES("packets", response ? PERF_PAUSE_REQUEST : PERF_PAUSE_RESPONSE, PERF_GAP, US);
        }
}

/* Pauses that vary by half. 24 runs of 8 pauses suffice to show that late packets are made up for: a run varies by less
 * than 1.68 times as much as a pause, the fourth root of 8, and by less than a quarter of its length. */
Test(perf_edges, runs)
{
    static const struct {
        uint64_t n, off;       /* of runs of 8000 ns */
        uint64_t off_of_pause; /* of pauses of 1000 ns */
        const char *row;
    } rows[] = {{24, 500, 500, "even_packets"}, {23, 500, 500, "packets"},        {24, 840, 500, "even_packets"},
                {24, 842, 500, "packets"},      {24, 1999, 1900, "even_packets"}, {24, 2000, 1900, "packets"},
                {24, 1414, 500, "packets"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_REQUEST, MESSAGES, 0, US);
        s.pace[0].each = (struct perf_even){.n = 200, .sum = 200 * 1000, .off = 200 * rows[i].off_of_pause};
        s.pace[0].runs =
            (struct perf_even){.n = rows[i].n, .sum = rows[i].n * 1000, .off = rows[i].n * rows[i].off / 8};
        DECIDES(rows[i].row, PERF_PAUSE_REQUEST, PERF_GAP, US);
    }
}

/* With 24 bytes of preamble, FCS and gap, 1024 bytes take 8384 ns at 1 Gbit/s. */
Test(perf_edges, speeds_of_ports)
{
    static const unsigned gigabit[] = {1, 10, 25, 40, 50, 100, 200, 400, 800};
    enum { MANY = 1000000, NS = 8384 };

    for (size_t i = 0; i < sizeof gigabit / sizeof *gigabit; i++)
        for (unsigned percent = 97; percent <= 103; percent++) {
            const uint64_t sum = (uint64_t)MANY * NS * 100 / gigabit[i] / percent;
            const double rate = 1e7 * gigabit[i] * percent;
            begin();
            s.pace[0].each = (struct perf_even){.n = MANY, .sum = sum};
            cr_expect_float_eq((double)perf_rate(&s, 0), rate, rate / 1e5, "%g", (double)perf_rate(&s, 0));
            if (percent == 98 || percent == 102) /* at the very limit */
                continue;
            DECIDES(percent == 97 || percent == 103 ? "even_packets" : "port_speed", PERF_PAUSE_REQUEST, PERF_GAP, US);
        }
    s.pace[0].each.sum = (uint64_t)MANY * NS / 3; /* no port has 3 Gbit/s */
    DECIDES("even_packets", PERF_PAUSE_REQUEST, PERF_GAP, US);
}

/* The overhead weighs more on shorter packets: 124 bytes for 100. */
Test(perf_edges, rates)
{
    begin();
    s.pace[1].each = (struct perf_even){.n = 50, .sum = 50 * 1024};
    s.pace_len = (struct perf_even){.n = 10, .sum = 1000};
    cr_expect_float_eq((double)perf_rate(&s, 1), 8e9 * 1.24, 10);
    s.pace_len = (struct perf_even){0};
    cr_expect_float_eq((double)perf_rate(&s, 1), 8e9 * 1048 / 1024, 10);
    s.pace[1].each.n = 0;
    cr_expect_eq(perf_rate(&s, 1), 0);
    s.pace[1].each = (struct perf_even){.n = 50};
    cr_expect_eq(perf_rate(&s, 1), 0);
}

/* ---- how much a sender must show ---- */

Test(perf_edges, few_messages)
{
    static const enum perf_pause kinds[] = {PERF_PAUSE_OWN, PERF_PAUSE_ONE, PERF_PAUSE_MANY};
    static const char *const rows[] = {"own_time", "one_by_one", "window"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        begin();
        perf_pauses(&s, kinds[i], 7, 10 * US, US);
        s.messages = 8;
        DECIDES(rows[i], kinds[i], PERF_WAIT, US);
        s.messages = 7;
        DECIDES("few_messages", kinds[i], PERF_WAIT, US);
    }
}

/* A response after 1.5 us or less did not come through a fabric, so the capture is from the receiver. */
Test(perf_edges, at_the_receiver)
{
    static const struct {
        uint64_t quickest;
        bool at_receiver;
    } rows[] = {{0, false}, {1, true}, {1500, true}, {1501, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_OWN, MESSAGES, 0, 2 * US);
        s.quickest = rows[i].quickest;
        DECIDES(rows[i].at_receiver ? "at_receiver" : "own_time", PERF_PAUSE_OWN, PERF_GAP, US);
        perf_pauses(&s, PERF_PAUSE_REQUEST, MESSAGES, 0, US);
        DECIDES("packets", PERF_PAUSE_REQUEST, PERF_GAP, US);
    }
}

/* If the pair of a direction is a guess, no wait is explained, but the pace of its own packets is. */
Test(perf_edges, guessed)
{
    begin();
    d.guess = true;
    perf_pauses(&s, PERF_PAUSE_OWN, MESSAGES, 0, 2 * US);
    DECIDES("guessed", PERF_PAUSE_OWN, PERF_GAP, US);
    DECIDES("packets", PERF_PAUSE_REQUEST, PERF_GAP, US);
    s.answers = 0;
    DECIDES("one_sided", PERF_PAUSE_OWN, PERF_GAP, US);
    DECIDES("guessed", PERF_PAUSE_ONE, PERF_WAIT, US);
}

/* ---- clocks ---- */

/* Sixteen messages that begin at times even to 5 %, and in more than three of four cases more evenly than they follow
 * responses. */
Test(perf_edges, clocks)
{
    static const struct {
        uint64_t n, off, reacts; /* off: ns by which each differs from the one before */
        uint32_t evener;
        const char *row;
    } rows[] = {
        {16, 0, 0, 0, "clock"},       {15, 0, 0, 0, "own_time"},    {100, 499, 0, 0, "clock"},
        {100, 500, 0, 0, "own_time"}, {100, 400, 100, 76, "clock"}, {100, 400, 100, 75, "own_time"},
        {100, 400, 50, 38, "clock"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_OWN, MESSAGES, 0, US);
        perf_pauses(&s, PERF_PAUSE_CREDIT, MESSAGES, 10 * US, US);
        s.start = (struct perf_even){.n = rows[i].n, .sum = rows[i].n * 10 * US, .off = rows[i].n * rows[i].off};
        s.react.n = rows[i].reacts;
        s.evener = rows[i].evener;
        s.response_ns = MESSAGES * 5 * US; /* 5 us for each message */
        DECIDES(rows[i].row, PERF_PAUSE_OWN, PERF_GAP, US);
        DECIDES("credits", PERF_PAUSE_CREDIT, PERF_WAIT, US);
    }
}

/* ---- windows that are full ---- */

/* At 45 % of the times of 16 messages or more; a pause is no longer than responses take. */
Test(perf_edges, kept_full)
{
    static const struct {
        uint64_t messages, full, response;
        bool kept;
    } rows[] = {{100, 45, 5 * US, true},
                {100, 44, 5 * US, false},
                {16, 16, 5 * US, true},
                {15, 15, 5 * US, false},
                {100, 45, 5 * US - 1, false}};
    static const enum perf_pause kinds[] = {PERF_PAUSE_MANY, PERF_PAUSE_ALL, PERF_PAUSE_READS, PERF_PAUSE_ONE};
    static const char *const kept[] = {"kept_full", "kept_full", "kept_reads", "one_by_one"},
                             *const only_reads[] = {"kept_reads", "kept_reads", "kept_reads", "one_by_one"},
                             *const other[] = {"window", "window", "read_depth", "one_by_one"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            begin();
            perf_pauses(&s, kinds[k], MESSAGES, 50 * US, 5 * US);
            s.messages = rows[i].messages;
            s.full = rows[i].full;
            s.response_ns = MESSAGES * rows[i].response;
            DECIDES(rows[i].kept ? kept[k] : other[k], kinds[k], PERF_WAIT, 5 * US);
            s.read_messages = s.messages;
            DECIDES(rows[i].kept ? only_reads[k] : other[k], kinds[k], PERF_WAIT, 5 * US);
        }
    s.responses = 0;
    DECIDES("one_by_one", PERF_PAUSE_ONE, PERF_WAIT, 5 * US);
}

/* On average, half as many messages are outstanding as ever. One message never keeps a window full. */
Test(perf_edges, half_full)
{
    static const struct {
        uint32_t deepest;
        uint64_t area; /* messages x ns in 1000 ns */
        bool kept;
    } rows[] = {{4, 2000, true}, {4, 1999, false}, {2, 1000, true}, {1, 1000, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_MANY, MESSAGES, 50 * US, 5 * US);
        s.first = US;
        s.last = 2 * US;
        s.deepest = rows[i].deepest;
        s.area_messages = rows[i].area;
        DECIDES(rows[i].kept ? "kept_full" : "window", PERF_PAUSE_MANY, PERF_WAIT, 5 * US);
    }
}

/* A sender that mostly does not react to responses, and begins more than a tenth of its messages with others
 * outstanding, could send when fewer are outstanding. */
Test(perf_edges, fewer_than_possible)
{
    static const struct {
        unsigned own;
        uint32_t deepest;
        bool idle;
    } rows[] = {{11, 2, true}, {10, 2, false}, {11, 1, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_ONE, MESSAGES, US, 50 * US);
        perf_pauses(&s, PERF_PAUSE_ALL, MESSAGES, US, 50 * US);
        perf_pauses(&s, PERF_PAUSE_OWN, rows[i].own, 0, 500);
        s.deepest = rows[i].deepest;
        DECIDES(rows[i].idle ? "rest" : "wait_for_one", PERF_PAUSE_ONE, PERF_WAIT, 50 * US);
        DECIDES(rows[i].idle ? "rest" : "wait_for_all", PERF_PAUSE_ALL, PERF_WAIT, 50 * US);
    }
}

/* The sender does not wait for responses if more than a tenth of the messages begin alone: more than a microsecond
 * after the packet before, and more than a sixth of a response time. */
Test(perf_edges, open_loops)
{
    static const struct {
        unsigned alone;
        uint64_t gap, response;
        bool open;
    } rows[] = {{11, 1001, 6005, true},  {10, 1001, 6005, false}, {11, 1000, 5999, false},
                {11, 1001, 6006, false}, {11, 2000, 11999, true}, {11, 2000, 12000, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_ONE, MESSAGES, 10 * US, US);
        perf_pauses(&s, PERF_PAUSE_CREDIT, MESSAGES, 10 * US, US);
        perf_pauses(&s, PERF_PAUSE_OWN, rows[i].alone, 0, rows[i].gap);
        s.response_ns = MESSAGES * rows[i].response;
        DECIDES(rows[i].open ? "open_loop" : "one_by_one", PERF_PAUSE_ONE, PERF_WAIT, US);
        DECIDES("credits", PERF_PAUSE_CREDIT, PERF_WAIT, US);
        s.full = MESSAGES;
        DECIDES(rows[i].open ? "own_time" : "kept_full", PERF_PAUSE_OWN, PERF_GAP, US);
    }
    s.responses = 0;
    DECIDES("one_by_one", PERF_PAUSE_ONE, PERF_WAIT, US);
}

/* ---- what a response releases ---- */

/* Two thirds of the messages come soon after a response: within four times the quickest tenth and 100 ns more, or an
 * eighth of the wait. */
Test(perf_edges, released)
{
    static const struct {
        unsigned soon, late; /* messages */
        uint64_t wait, gap;  /* of the late ones */
        const char *row;
    } rows[] = {
        {66, 33, 2 * US, 9 * US, "window"},
        {65, 34, 2 * US, 9 * US, "rest"},
        {50, 50, 2 * US, 4100, "window"},
        {50, 50, 2 * US, 4101, "rest"},
        {50, 50, 80 * US, 9999, "window"},
        {50, 50, 80 * US, 10001, "rest"},
        /* the quick ones are a tenth, or are none: then the others are as quick as any */
        {10, 90, 5 * US, 9 * US, "rest"},
        {9, 91, 5 * US, 9 * US, "window"},
        {9, 91, 4 * US, 9 * US, "rest"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_MANY, rows[i].soon, rows[i].wait, US);
        perf_pauses(&s, PERF_PAUSE_MANY, rows[i].late, rows[i].wait, rows[i].gap);
        DECIDES(rows[i].row, PERF_PAUSE_MANY, PERF_WAIT, US);
    }
}

/* A reaction that takes more than twice as long as the response does not show that the response caused it. */
Test(perf_edges, slow_reactions)
{
    for (unsigned less = 0; less < 2; less++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_MANY, MESSAGES, 500 - less, US);
        DECIDES(less ? "rest" : "window", PERF_PAUSE_MANY, PERF_WAIT, US);
        perf_pauses(&s, PERF_PAUSE_READS, MESSAGES, 500 - less, US);
        DECIDES(less ? "rest" : "read_depth", PERF_PAUSE_READS, PERF_WAIT, US);
        perf_pauses(&s, PERF_PAUSE_ONE, MESSAGES, 500 - less, US);
        DECIDES(less ? "wait_for_one" : "one_by_one", PERF_PAUSE_ONE, PERF_WAIT, US);
        DECIDES(less ? "far_or_idle" : "one_by_one", PERF_PAUSE_ONE, PERF_FLOOR, US);
        DECIDES(less ? "nothing_new" : "one_by_one", PERF_PAUSE_ONE, PERF_GAP, US);
        perf_pauses(&s, PERF_PAUSE_ALL, MESSAGES, 500 - less, US);
        DECIDES(less ? "wait_for_all" : "window", PERF_PAUSE_ALL, PERF_WAIT, US);
    }
}

/* A pause of more than two response times does not show that a response ended it. */
Test(perf_edges, longer_than_responses)
{
    for (unsigned more = 0; more < 2; more++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_ONE, MESSAGES, 10 * US, 4 * US + more);
        s.response_ns = MESSAGES * 2 * US;
        DECIDES(more ? "wait_for_one" : "one_by_one", PERF_PAUSE_ONE, PERF_WAIT, 4 * US);
    }
}

/* If responses release a sender's messages and some of these come late after a response, only the wait for that
 * response counts. */
Test(perf_edges, late_ones)
{
    static const struct {
        enum perf_pause pause;
        const char *wait, *gap;
    } rows[] = {{PERF_PAUSE_ONE, "wait_for_one", "nothing_new"},
                {PERF_PAUSE_ALL, "wait_for_all", "nothing_new"},
                {PERF_PAUSE_MANY, "wait_for_all", "nothing_new"},
                {PERF_PAUSE_READS, "wait_for_all", "nothing_new"},
                {PERF_PAUSE_CREDIT, "wait_for_all", "nothing_new"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, rows[i].pause, MESSAGES, 10 * US, US);
        perf_pauses(&s, rows[i].pause, 1, 10 * US, 900 * US);
        DECIDES(rows[i].wait, rows[i].pause, PERF_WAIT, 900 * US);
        DECIDES(rows[i].gap, rows[i].pause, PERF_GAP, 900 * US);
        DECIDES("reaction", rows[i].pause, PERF_FLOOR, 900 * US);
    }
}

/* The least reaction is near up to twice the wait, and far from a millisecond on. */
Test(perf_edges, near_and_far)
{
    static const struct {
        uint64_t wait, gap;
        const char *row;
    } rows[] = {{50 * US, 100 * US, "one_by_one"},
                {50 * US - 1, 100 * US, "far_or_idle"},
                {50 * US, 1000 * US, "long_silence"},
                {50 * US, 1000 * US - 1, "far_or_idle"},
                {500 * US, 1000 * US, "one_by_one"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, PERF_PAUSE_ONE, MESSAGES, rows[i].wait, rows[i].gap);
        s.response_ns = MESSAGES * rows[i].wait;
        DECIDES(rows[i].row, PERF_PAUSE_ONE, PERF_FLOOR, rows[i].gap);
    }
}

/* ---- queues ---- */

/* The shortest time that one of 32 has: in sixteenths above the shortest of all, the middle of its class. */
Test(perf_edges, queueing)
{
    static const struct {
        uint32_t n, near[3]; /* of 1600 ns: to 1700, to 1800, to 1900 */
        uint64_t mean;
        double queueing;
    } rows[] = {
        {64, {2, 0, 0}, 3300, 0.5}, {64, {1, 2, 0}, 3500, 0.5}, {64, {1, 1, 2}, 3700, 0.5},  {64, {1, 1, 1}, 3200, 0.5},
        {64, {2, 60, 0}, 1650, 0},  {64, {2, 60, 0}, 1600, 0},  {63, {2, 0, 0}, 6600, 0.75},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned size = 0; size < PERF_SIZES; size++) {
            begin();
            struct perf_took *t = &s.took[size];
            *t = (struct perf_took){.n = rows[i].n, .sum = rows[i].n * rows[i].mean, .least = 1600};
            memcpy(t->near, rows[i].near, sizeof rows[i].near);
            cr_expect_float_eq(perf_queueing(&s), rows[i].queueing, 1e-9, "row %zu: %f", i, perf_queueing(&s));
        }
    begin();
    cr_expect_float_eq(perf_queueing(&s), 0, 1e-9);
}

/* A queue has its part of what is outstanding: of the waits, and, unless that was all, of what follows. */
Test(perf_edges, shares_of_a_queue)
{
    static const struct {
        enum perf_pause pause;
        enum perf_limit limit;
        uint64_t queue, own; /* of 10 us wait and 2 us more, 100 times, us */
    } rows[] = {{PERF_PAUSE_ONE, PERF_LATENCY, 500, 700},   {PERF_PAUSE_ALL, PERF_WINDOW, 500, 700},
                {PERF_PAUSE_MANY, PERF_WINDOW, 600, 600},   {PERF_PAUSE_READS, PERF_READS, 600, 600},
                {PERF_PAUSE_CREDIT, PERF_CREDITS, 0, 1200}, {PERF_PAUSE_AGAIN, PERF_LOSS, 0, 1200},
                {PERF_PAUSE_OWN, PERF_IDLE, 0, 1200}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        perf_pauses(&s, rows[i].pause, MESSAGES, 10 * US, 2 * US);
        s.took[0] = (struct perf_took){.n = 64, .sum = 64 * 3300, .least = 1600, .near = {2}};
        const struct perf_shares x = perf_shares_of(&s);
        cr_expect_eq(x.ns[PERF_QUEUE], rows[i].queue * US, "row %zu: %g", i, (double)x.ns[PERF_QUEUE]);
        cr_expect_eq(x.ns[rows[i].limit], rows[i].own * US, "row %zu: %g", i, (double)x.ns[rows[i].limit]);
        cr_expect_eq(x.life, 1200 * US);
    }
}

Test(perf_edges, the_largest)
{
    for (unsigned k = 0; k < PERF_LIMIT_COUNT; k++) {
        struct perf_shares x = {.ns = {[0] = 4}};
        x.ns[k] = 5;
        cr_expect_eq(perf_largest(&x), k);
    }
}
