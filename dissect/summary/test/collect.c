/* SPDX-License-Identifier: BSD-2-Clause */
/* A summary from packets, findings and messages that are handed over one by one. */
#include "../../stats/test/feed.h"
#include <criterion/criterion.h>
#include <string.h>
#include "observer/iba_finding_kinds.h"
#include "observer/iba_message.h"
#include "stats/times.h"
#include "summary/summary.h"
#include "wire/iba_opcode_rows.h"

enum { REQUESTS, ANSWERS, LONE, DIRECTIONS, NO_DIRECTION = DIRECTIONS };
enum { GIGA = 1000000000, BEGIN_S = 100 };

static const struct sample all = {1, 0};
static struct direction direction[DIRECTIONS];
static struct verdict_names names = {.direction = direction, .file = {"a.pcap", "b.pcap"}};
static struct summary_run *r;
static uint64_t frame;

static void begin(void)
{
    r = summary_run_open("h", &all);
    cr_assert_not_null(r);
    frame = 0;
    for (uint32_t i = 0; i < DIRECTIONS; i++)
        direction[i] = (struct direction){
            .id = i,
            .svc = IBA_RC,
            .source_qp = 0x20 + i,
            .knows_source_qp = true,
            .key = {
                .kind = IBA_ADDR_IPV4, .qpn = 0x10 + i, .src = {10, 0, 0, (uint8_t)(9 - i)}, .dst = {10, 0, 0, 50}}};
    direction[REQUESTS].peer = ANSWERS + 1;
    direction[ANSWERS].peer = REQUESTS + 1;
}

static void end(void)
{
    summary_run_close(r);
}

TestSuite(collect, .init = begin, .fini = end);

struct what {
    uint32_t direction, source;
    uint8_t opcode;
    uint8_t words;
    uint64_t at_s; /* after the begin */
    bool again, bad_icrc, untimed, unchecked;
    uint64_t same_as;
    uint8_t found; /* kind; 0: none */
};

static struct finding_at {
    uint64_t ns, number;
} last;

static void packet(const struct what *w)
{
    const struct frame f = frame_of(&(struct spec){.proto = IBA_PROTO_ROCE2,
                                                   .src = 1,
                                                   .dst = 2,
                                                   .opcode = w->opcode ? w->opcode : IBA_RC_SEND_ONLY,
                                                   .psn = (uint32_t)frame,
                                                   .words = w->words,
                                                   .bad_icrc = w->bad_icrc});
    const struct cap_packet cap = {.data = f.b,
                                   .caplen = (uint32_t)f.n,
                                   .len = (uint32_t)f.n,
                                   .has_ts = !w->untimed,
                                   .ts_ns = w->untimed ? 0 : (BEGIN_S + w->at_s) * GIGA};
    struct verdict v = {.same_as = w->same_as,
                        .names = &names,
                        .direction = w->direction < DIRECTIONS ? &direction[w->direction] : NULL};
    struct packet p = {.cap = &cap, .number = ++frame, .source = w->source, .verdict = &v};

    last = (struct finding_at){cap.ts_ns, frame};
    if (w->found)
        verdict_add(&v, &(struct iba_finding){.kind = w->found,
                                              .frame = frame,
                                              .tag = w->source | frame << VERDICT_SOURCE_BITS,
                                              .at = cap.ts_ns,
                                              .direction = w->direction + 1});
    v.again = w->again;
    (void)iba_view_parse(&p.view, f.link, f.b, f.n, f.n, NULL);
    if (!w->unchecked)
        iba_view_check(&p.view);
    summary_run_packet(r, &p);
}

static void message(uint32_t of, enum iba_message_end end_of, bool whole, uint64_t bytes, uint64_t ns)
{
    summary_run_message(r,
                        &(struct iba_message){.direction = of + 1,
                                              .operation = IBA_OPERATION_READ,
                                              .end = (uint8_t)end_of,
                                              .whole = whole,
                                              .bytes = bytes,
                                              .began = (uint64_t)BEGIN_S * GIGA,
                                              .ended = (uint64_t)BEGIN_S * GIGA + ns},
                        &names);
}

/* ---- packets ---- */

/* Each kind of packet, and the counts that it adds to. */
Test(collect, counts_of_packets)
{
    static const struct {
        const char *what;
        struct what w;
        uint8_t counts[6]; /* one is added to each, SUMMARY_COUNT ends the list */
        uint64_t payload;
    } rows[] = {
        {"data", {.words = 2}, {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_COUNT}, 8},
        {"damaged",
         {.direction = NO_DIRECTION, .words = 2, .bad_icrc = true},
         {SUMMARY_PACKETS, SUMMARY_ICRC_BAD, SUMMARY_NO_CONNECTION, SUMMARY_COUNT},
         0},
        {"not checked", {.words = 2, .unchecked = true}, {SUMMARY_PACKETS, SUMMARY_ICRC_UNKNOWN, SUMMARY_COUNT}, 8},
        {"sent again",
         {.words = 1, .again = true},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_AGAIN, SUMMARY_COUNT},
         4},
        {"no time",
         {.words = 1, .untimed = true},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_UNTIMED, SUMMARY_COUNT},
         4},
        {"a notification",
         {.direction = NO_DIRECTION, .opcode = IBA_CNP_ROCE},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_CNP, SUMMARY_NO_CONNECTION, SUMMARY_COUNT},
         0},
        {"an error",
         {.words = 1, .found = IBA_FINDING_LENGTH},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_ERRORS, SUMMARY_COUNT},
         4},
        {"a warning",
         {.words = 1, .found = IBA_FINDING_GAP},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_WARNINGS, SUMMARY_COUNT},
         4},
        {"a congestion mark",
         {.words = 1, .found = IBA_FINDING_ECN},
         {SUMMARY_PACKETS, SUMMARY_ICRC_GOOD, SUMMARY_NOTES, SUMMARY_ECN, SUMMARY_COUNT},
         4},
        {"a second record", {.words = 1, .same_as = 1}, {SUMMARY_SEEN_TWICE, SUMMARY_COUNT}, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t want[SUMMARY_COUNT] = {[SUMMARY_PAYLOAD] = rows[i].payload};
        end();
        begin();
        frame = 7;
        packet(&rows[i].w);
        const struct summary *s = summary_run_end(r, true);
        for (unsigned k = 0; rows[i].counts[k] != SUMMARY_COUNT; k++)
            want[rows[i].counts[k]] = 1;
        want[SUMMARY_BYTES] = s->count[SUMMARY_BYTES];
        cr_expect_eq(s->count[SUMMARY_BYTES] > 50, want[SUMMARY_PACKETS], "%s", rows[i].what);
        for (unsigned k = 0; k < SUMMARY_COUNT; k++)
            cr_expect_eq(s->count[k], want[k], "%s: %s", rows[i].what, summary_count_keys[k]);
        cr_expect_eq(s->n_bucket, want[SUMMARY_PACKETS] && !want[SUMMARY_UNTIMED], "%s", rows[i].what);
        for (unsigned k = 0; s->n_bucket && k < SUMMARY_BUCKET_COUNTS; k++)
            cr_expect_eq(s->bucket[0].count[k], want[k], "%s: %s", rows[i].what, summary_count_keys[k]);
        cr_expect_eq(s->opcode[rows[i].w.opcode ? rows[i].w.opcode : (unsigned)IBA_RC_SEND_ONLY],
                     want[SUMMARY_PACKETS]);
    }
}

/* A capture has its first and last time in any order, and counts packets that were seen twice. */
Test(collect, captures)
{
    packet(&(struct what){.source = 0, .at_s = 5});
    packet(&(struct what){.source = 1, .at_s = 9});
    packet(&(struct what){.source = 1, .at_s = 3});
    packet(&(struct what){.source = 1, .untimed = true});
    packet(&(struct what){.source = 1, .at_s = 7, .same_as = 1});
    cr_expect(summary_run_packets(r, 0) == 1 && summary_run_packets(r, 1) == 4);
    summary_run_capture(r, 0, "a.pcap", false);
    summary_run_capture(r, 1, "b.pcap", true);
    const struct summary *s = summary_run_end(r, true);
    cr_assert_eq(s->n_capture, 2);
    const struct summary_capture *a = &s->capture[0], *b = &s->capture[1];
    cr_expect(a->packets == 1 && a->first_ns == UINT64_C(105) * GIGA && a->last_ns == a->first_ns && !a->whole);
    cr_expect(b->packets == 4 && b->first_ns == UINT64_C(103) * GIGA && b->last_ns == UINT64_C(109) * GIGA && b->whole);
    cr_expect_str_eq(s->text[a->file], "a.pcap");
    cr_expect_str_eq(s->text[b->file], "b.pcap");
    cr_expect_str_eq(s->text[b->host], "h");
}

/* Findings of packets and those that come late, with their first packets. */
Test(collect, findings)
{
    packet(&(struct what){.source = 1, .at_s = 2, .found = IBA_FINDING_GAP});
    const struct finding_at first = last;
    summary_run_late(r,
                     &(struct iba_finding){.kind = IBA_FINDING_GAP,
                                           .tag = 40U << VERDICT_SOURCE_BITS,
                                           .at = (uint64_t)BEGIN_S * GIGA,
                                           .direction = LONE + 1},
                     &names);
    summary_run_late(r, &(struct iba_finding){.kind = IBA_FINDING_GAP, .tag = 5}, &names); /* of no known file */
    const struct summary *s = summary_run_end(r, true);
    const struct summary_finding *f = &s->finding[IBA_FINDING_GAP];
    cr_assert(f->count == 3 && f->n == 3);
    cr_expect(f->first[0].ns == 0 && f->first[1].ns == (uint64_t)BEGIN_S * GIGA && f->first[2].ns == first.ns);
    cr_expect(f->first[1].number == 40 && f->first[2].number == first.number);
    cr_expect_str_eq(s->text[f->first[0].file], "");
    cr_expect_str_eq(s->text[f->first[1].file], "a.pcap");
    cr_expect_str_eq(s->text[f->first[2].file], "b.pcap");
    cr_expect_eq(s->count[SUMMARY_WARNINGS], 3);
    cr_assert_eq(s->n_part, 2, "a finding alone shows a connection, too");
}

/* ---- connections ---- */

static struct summary_sides sides_of(const struct summary *s, size_t i)
{
    struct summary_sides sides;

    summary_sides_of(s, &s->part[i], &sides);
    return sides;
}

/* Both directions of a connection are one part, whose first end is the smaller one; a direction alone is another. */
Test(collect, connections)
{
    packet(&(struct what){.direction = REQUESTS, .words = 2, .at_s = 4});
    packet(&(struct what){.direction = REQUESTS, .words = 2, .at_s = 1, .again = true});
    packet(&(struct what){.direction = ANSWERS, .at_s = 9, .found = IBA_FINDING_GAP});
    packet(&(struct what){.direction = LONE, .words = 1, .at_s = 6});
    const struct summary *s = summary_run_end(r, true);
    cr_assert_eq(s->n_part, 2);
    const struct summary_part *p = &s->part[0];
    cr_expect(p->first_ns == UINT64_C(101) * GIGA && p->last_ns == UINT64_C(109) * GIGA);
    struct summary_ends want = {.key = {IBA_ADDR_IPV4, IBA_RC}};
    summary_set_end(&want, 0, direction[REQUESTS].key.src, true, 0x20);
    summary_set_end(&want, 1, direction[REQUESTS].key.dst, true, 0x10);
    cr_expect_arr_eq(p->ends.key, want.key, sizeof want.key);
    const struct summary_sides both = sides_of(s, 0), one = sides_of(s, 1);
    cr_expect_eq(both.at[0][SUMMARY_SIDE_PACKETS], 2);
    cr_expect_eq(both.at[0][SUMMARY_SIDE_PAYLOAD], 16);
    cr_expect_eq(both.at[0][SUMMARY_SIDE_AGAIN], 1);
    cr_expect_eq(both.at[1][SUMMARY_SIDE_PACKETS], 1);
    cr_expect_eq(both.at[1][SUMMARY_AT_FOUND + IBA_FINDING_GAP], 1);
    cr_expect_eq(both.at[0][SUMMARY_AT_FOUND + IBA_FINDING_GAP], 0);
    cr_expect(one.at[0][SUMMARY_SIDE_PACKETS] == 1 && one.at[1][SUMMARY_SIDE_PACKETS] == 0);
}

/* In a piece of a run with packets of one direction only, the connection is listed all the same, and once. */
Test(collect, connections_of_pieces)
{
    static const struct {
        bool asks, answers;
    } rows[] = {{true, true}, {true, false}, {false, true}, {false, false}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        packet(&(struct what){.direction = LONE});
        if (rows[i].asks)
            packet(&(struct what){.direction = REQUESTS});
        if (rows[i].answers)
            packet(&(struct what){.direction = ANSWERS});
        const struct summary *s = summary_run_end(r, false);
        cr_expect_eq(s->n_part, 1U + (rows[i].asks || rows[i].answers), "piece %zu", i);
        cr_assert(summary_run_next(r, i == 1));
    }
    direction[REQUESTS].peer = LONE + 1; /* the two do not name each other */
    packet(&(struct what){.direction = REQUESTS});
    packet(&(struct what){.direction = ANSWERS});
    cr_expect_eq(summary_run_end(r, true)->n_part, 2);
}

/* ---- messages ---- */

Test(collect, messages)
{
    message(REQUESTS, IBA_MESSAGE_END_ANSWERED, true, 100, 1023);
    message(REQUESTS, IBA_MESSAGE_END_ANSWERED, true, 100, 1024);
    message(REQUESTS, IBA_MESSAGE_END_ANSWERED, true, 100, 0);
    message(REQUESTS, IBA_MESSAGE_END_ANSWERED, false, 100, 5);
    message(REQUESTS, IBA_MESSAGE_END_REFUSED, true, 100, 5);
    message(REQUESTS, IBA_MESSAGE_END_UNASKED, true, 100, 5);
    message(REQUESTS, IBA_MESSAGE_END_OPEN, true, 100, 5);
    message(REQUESTS, IBA_MESSAGE_END_OPEN, true, 100, 5);
    const struct summary *s = summary_run_end(r, true);
    const struct summary_times *t = &s->times[IBA_OPERATION_READ][times_size(100)];
    cr_expect_eq(s->count[SUMMARY_MESSAGES], 8);
    cr_expect(t->answered == 3 && t->refused == 1 && t->open == 2);
    cr_expect(t->shortest == 0 && t->longest == 1024);
    cr_assert_not_null(t->count);
    cr_expect(t->count[times_class(0)] == 1 && t->count[times_class(1024)] >= 1);
    cr_assert_eq(s->n_part, 1);
    const struct summary_sides sides = sides_of(s, 0);
    static const uint64_t want[SUMMARY_SIDE_COUNT] = {[SUMMARY_SIDE_MESSAGES] = 8,
                                                      [SUMMARY_SIDE_BYTES] = 800,
                                                      [SUMMARY_SIDE_ANSWERED] = 3,
                                                      [SUMMARY_SIDE_REFUSED] = 1,
                                                      [SUMMARY_SIDE_OPEN] = 2};
    for (unsigned i = 0; i < SUMMARY_SIDE_COUNT; i++)
        cr_expect_eq(sides.at[0][i], want[i], "%s", summary_side_keys[i]);
    for (unsigned i = 0; i < SUMMARY_LATENCIES; i++)
        cr_expect_eq(sides.at[0][SUMMARY_AT_LATENCY + i], i == 0 || i == 9 || i == 10, "class %u", i);
}
