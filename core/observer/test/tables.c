/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the observer, each by itself: the layout of its memory, the short form of a direction at rest, damaged
 * packets that explain a jump, the path MTU of a pair, and what its users read. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "observer/iba_obs_compact.h"
#include "observer/iba_obs_damaged.h"
#include "observer/iba_obs_flow.h"
#include "observer/iba_obs_memory.h"
#include "observer/iba_obs_message.h"
#include "observer/iba_obs_open.h"
#include "sound.h"
#include "wire/iba_opcode_rows.h"

#define MS UINT64_C(1000000)

/* ---- the layout of the memory ---- */

static size_t lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static void on_finding(void *ctx, const struct iba_finding *f)
{
    (void)ctx, (void)f;
}

static void on_message(void *ctx, const struct iba_message *m)
{
    (void)ctx, (void)m;
}

static const struct iba_observer_config rooms[] = {{.n_flow = 2, .n_known = 2, .n_asked = 16},
                                                   {.n_flow = 3, .n_known = 5, .n_asked = 1},
                                                   {.n_flow = 3, .n_known = 37},
                                                   {.n_flow = 2, .n_known = 7, .message = on_message, .n_message = 1},
                                                   {.n_flow = 5, .n_known = 5, .message = on_message, .n_message = 3}};
enum { ROOMS = sizeof rooms / sizeof *rooms, OLD = 0xa5 };

static struct iba_observer *open_in(const struct iba_observer_config *cfg)
{
    const size_t bytes = iba_observer_bytes(cfg);
    void *const memory = aligned_alloc(64, lines(bytes));

    cr_assert_not_null(memory);
    return iba_observer_init(memset(memory, OLD, bytes), cfg);
}

static size_t place(const struct iba_observer *s, const void *at)
{
    return (size_t)((const char *)at - (const char *)s);
}

/* The parts follow each other, each at the next multiple of 64 bytes. */
static void parts_of_the_memory_follow_each_other(void)
{
    for (unsigned i = 0; i < ROOMS; i++) {
        struct iba_observer_config cfg = rooms[i];
        cfg.report = on_finding;
        struct iba_observer *s = open_in(&cfg);
        const size_t asked = cfg.n_asked ? cfg.n_asked : 8192;
        size_t at = lines(sizeof *s);
        cr_expect_eq(place(s, s->known), at);
        at += lines(cfg.n_known * sizeof *s->known);
        cr_expect_eq(place(s, s->rests), at);
        at += lines(cfg.n_known * sizeof *s->rests);
        cr_expect_eq(place(s, s->bucket), at);
        at += lines(2 * cfg.n_known * sizeof *s->bucket);
        cr_expect_eq(place(s, s->asked), at);
        at += lines(asked * sizeof *s->asked);
        cr_expect_eq(place(s, s->chain), at);
        at += lines(4 * asked * sizeof *s->chain);
        cr_expect_eq(cfg.message ? place(s, s->open) : (size_t)(s->open != NULL), cfg.message ? at : 0);
        at += cfg.message ? lines(cfg.n_flow * iba_obs_open_bytes(&cfg)) : 0;
        cr_expect_eq(place(s, s->flow), at);
        at += cfg.n_flow * sizeof *s->flow;
        cr_expect_eq(iba_observer_bytes(&cfg), at);
        cr_expect_eq(iba_obs_bytes(s), at);
        cr_expect_eq(iba_observer_shrink(s, 2), at - (cfg.n_flow - 2) * sizeof *s->flow);
        free(s);
    }
}

static bool all_are(const void *from, size_t n, unsigned char value)
{
    const unsigned char *p = from;

    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

/* Memory that is not zeroed is cleared where the observer reads it before it writes. Zeroed memory is not touched, but
 * for the chains of an observer of a part. */
static void only_memory_with_other_bytes_is_cleared(void)
{
    for (unsigned i = 0; i < 4; i++) {
        struct iba_observer_config cfg = rooms[4];
        cfg.report = on_finding;
        cfg.zeroed = i & 1;
        cfg.part = i & 2;
        struct iba_observer *s = open_in(&cfg);
        const unsigned char value = cfg.zeroed ? OLD : 0;
        cr_expect(all_are(s->flow, cfg.n_flow * sizeof *s->flow, value), "flows %u", i);
        cr_expect(all_are(s->bucket, 2 * cfg.n_known * sizeof *s->bucket, value), "buckets %u", i);
        cr_expect(all_are(s->open, cfg.n_flow * iba_obs_open_bytes(&cfg), value), "open messages %u", i);
        cr_expect(all_are(s->chain, 4 * sizeof *s->chain * 8192, cfg.part ? 0 : value), "chains %u", i);
        free(s);
    }
}

static void times_have_defaults(void)
{
    struct iba_observer_config cfg = {.n_flow = 2, .n_known = 2, .n_asked = 1, .report = on_finding};
    struct iba_observer *s = open_in(&cfg);

    cr_expect(s->cfg.copy_ns == MS && s->cfg.late_ns == 3 * MS);
    cr_expect(s->cfg.silence_ns == 1000 * MS && s->cfg.rest_ns == 1000 * MS);
    free(s);
    cfg.copy_ns = 5, cfg.late_ns = 6, cfg.silence_ns = 7, cfg.rest_ns = 8;
    s = open_in(&cfg);
    cr_expect(s->cfg.copy_ns == 5 && s->cfg.late_ns == 6 && s->cfg.silence_ns == 7 && s->cfg.rest_ns == 8);
    free(s);
}

static struct iba_observer state;
static struct iba_flow flow, other;

/* An eighth of the flows is for directions on probation, 8 at most, if that is at least 2 and directions may rest. */
static void flows_on_probation_are_few(void)
{
    static const struct {
        uint32_t n_flow, n_known, probation;
    } cases[] = {{15, 99, 0}, {16, 99, 2}, {16, 17, 2}, {16, 16, 0}, {23, 99, 2},    {24, 99, 3},
                 {63, 99, 7}, {64, 99, 8}, {72, 99, 8}, {99, 99, 0}, {128, 9999, 8}, {2, 99, 0}};

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        state.cfg.n_flow = cases[i].n_flow;
        state.cfg.n_known = cases[i].n_known;
        iba_obs_share(&state);
        cr_expect_eq(state.list[IBA_OBS_PROBATION].most, cases[i].probation, "%u flows", cases[i].n_flow);
        cr_expect_eq(state.list[IBA_OBS_PROTECTED].most, cases[i].n_flow - cases[i].probation);
    }
}

/* ---- the path MTU ---- */

enum { HIGH = 20 };

/* A direction whose last request has PSN 19. */
static void begin(void)
{
    memset(&flow, 0, sizeof flow);
    flow.svc = IBA_RC;
    flow.rq.any = true;
    flow.rq.first.v = 1;
    flow.rq.high.v = flow.rq.seq.v = flow.rq.next.v = HIGH;
}

/* The first value counts until a First or Middle shows the value for sure. Both directions of a pair learn it, also the
 * one at rest. */
static void both_directions_learn_the_path_mtu(void)
{
    static const struct {
        uint32_t before;
        bool was_sure;
        uint32_t now;
        bool sure;
        uint32_t then;
        bool is_sure;
    } cases[] = {{0, false, 512, false, 512, false},    {0, false, 512, true, 512, true},
                 {256, false, 512, false, 256, false},  {256, false, 512, true, 512, true},
                 {256, true, 512, true, 256, true},     {256, true, 512, false, 256, true},
                 {4096, false, 1024, true, 1024, true}, {0, false, 4096, true, 4096, true}};
    struct iba_known known[2] = {{.flow = 1}, {.flow = 0}};

    state.known = known;
    state.flow = &flow;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        flow.known = 1, flow.peer = 2;
        flow.pmtu = cases[i].before;
        flow.pmtu_sure = cases[i].was_sure;
        iba_obs_rest_pmtu(&known[1], cases[i].before, cases[i].was_sure);
        iba_obs_learn_pmtu(&state, &flow, cases[i].now, cases[i].sure);
        cr_expect(flow.pmtu == cases[i].then && flow.pmtu_sure == cases[i].is_sure, "case %u", i);
        cr_expect(known[1].pmtu * 256u == cases[i].then && known[1].pmtu_sure == cases[i].is_sure, "case %u", i);
    }
}

/* When the path MTU becomes known, READs take as many PSNs as they have responses. */
static void reads_are_counted_again(void)
{
    struct iba_obs_requests *q = &flow.rq;

    begin();
    q->read[0] = (struct iba_obs_read){.used = true, .opcode = IBA_RC_READ_REQUEST, .psn = {HIGH - 1}, .length = 600};
    q->read[1] = (struct iba_obs_read){.used = true, .opcode = IBA_RC_READ_REQUEST, .psn = {2}, .length = 512};
    q->read[2] = (struct iba_obs_read){.used = false, .opcode = IBA_RC_READ_REQUEST, .psn = {8}, .n = 9, .length = 512};
    q->read[3] = (struct iba_obs_read){.used = true, .opcode = IBA_RC_FETCH_ADD, .psn = {9}, .n = 1};
    q->read[4] =
        (struct iba_obs_read){.used = true, .opcode = IBA_RC_READ_REQUEST, .psn = {10}, .n = 2, .length = 1024};
    q->n_read = 5;
    q->open = q->read[0];
    iba_obs_learn_pmtu(&state, &flow, 256, true);
    cr_expect(q->read[0].n == 3 && q->read[1].n == 2 && q->read[2].n == 9 && q->read[3].n == 1 && q->read[4].n == 4);
    cr_expect(!q->open.used && q->high.v == HIGH + 2 && q->next.v == HIGH + 2 && q->seq.v == HIGH + 2);
}

/* ---- damaged packets that explain a jump ---- */

enum { PSN = 1000, TIME = 100 * 1000000 };

static void spoil(uint32_t psn, uint64_t frame, iba_time at)
{
    state.damaged[state.next_damaged] =
        (struct iba_obs_damaged){.flow = &flow, .mark = {.frame = frame, .at = at}, .psn = {psn}, .request = true};
    state.next_damaged = (uint8_t)((state.next_damaged + 1) % IBA_OBS_RECENT);
}

/* A packet with PSN 1000 jumps over `count` PSNs after the packet in frame 5. */
static bool explained(uint32_t count)
{
    const struct iba_finding t = {
        .kind = IBA_FINDING_GAP, .frame = 200, .cause = 5, .at = TIME, .psn = {PSN}, .count = count};

    return iba_obs_damage_explains(&state, &flow, &t);
}

/* Damages the `n` packets before the jump, from frame 6 on. */
static void spoil_all(uint32_t n)
{
    memset(state.damaged, 0, sizeof state.damaged);
    state.next_damaged = 0;
    for (uint32_t i = 0; i < n; i++)
        spoil(PSN - n + i, 6 + i, TIME);
}

static void damage_explains_all_or_nothing(void)
{
    static const uint32_t counts[] = {1, 2, 31, 32, 33, 63, 64};

    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        spoil_all(counts[i]);
        cr_expect(explained(counts[i]), "%u", counts[i]);
        cr_expect_not(explained(counts[i] + 1), "%u", counts[i] + 1);
        cr_expect_not(explained(0));
        cr_expect(counts[i] < 2 || explained(counts[i] - 1), "%u", counts[i] - 1);
        for (uint32_t lacks = 0; lacks < counts[i]; lacks++) {
            const uint64_t frame = state.damaged[lacks].mark.frame;
            state.damaged[lacks].mark.frame = 0;
            cr_expect_not(explained(counts[i]), "%u without %u", counts[i], lacks);
            state.damaged[lacks].mark.frame = frame;
        }
    }
}

/* The damaged packet is of the same direction and kind, came after the packet before the jump, and not long ago. */
static void other_damage_explains_nothing(void)
{
    spoil_all(0);
    spoil(PSN - 1, 6, TIME - IBA_OBS_FLIGHT_NS);
    cr_expect(explained(1));
    state.damaged[0].mark.at--;
    cr_expect_not(explained(1));
    spoil(PSN + 5, 7, TIME);
    cr_expect_not(explained(1), "another one came since");
    spoil_all(1);
    state.damaged[0].mark.frame = 5;
    cr_expect_not(explained(1));
    spoil_all(1);
    state.damaged[0].flow = &other;
    cr_expect_not(explained(1));
    spoil_all(1);
    state.damaged[0].request = false;
    cr_expect_not(explained(1));
    const struct iba_finding t = {
        .kind = IBA_FINDING_RESPONSE_GAP, .frame = 200, .cause = 50, .at = TIME, .psn = {PSN}, .count = 1};
    cr_expect(iba_obs_damage_explains(&state, &flow, &t), "the cause of a response's gap is its READ");
    spoil_all(1);
    cr_expect_not(iba_obs_damage_explains(&state, &flow, &t));
}

/* A damaged READ may take all PSNs up to the next packet. */
static void a_damaged_read_explains_those_after_it(void)
{
    spoil_all(0);
    spoil(PSN - 4, 6, TIME);
    cr_expect_not(explained(4));
    state.damaged[0].read = true;
    cr_expect(explained(4));
    cr_expect_not(explained(5));
    spoil(PSN - 2, 7, TIME);
    cr_expect_not(explained(4), "the packet after the READ takes one");
    state.damaged[1].read = true;
    cr_expect(explained(4));
    for (uint32_t count = 64; count <= 65; count++) {
        spoil_all(0);
        spoil(PSN - count, 6, TIME);
        state.damaged[0].read = true;
        cr_expect_eq(explained(count), count == 64, "as many PSNs as damaged packets are remembered");
    }
}

/* ---- what users read ---- */

static void every_part_of_a_path_has_its_name(void)
{
    static const char *const names[] = {"VLAN",       "service level", "LIDs",       "DSCP",
                                        "flow label", "hop limit",     "source port"};

    for (unsigned i = 0; i < IBA_PATH_PARTS_N; i++)
        cr_expect_str_eq(iba_path_part_name(i), names[i]);
    cr_expect_null(iba_path_part_name(IBA_PATH_PARTS_N));
    cr_expect_null(iba_path_part_name(31));
}

static void every_severity_has_its_name(void)
{
    cr_expect_str_eq(iba_severity_name(IBA_SEVERITY_NONE), "none");
    cr_expect_str_eq(iba_severity_name(IBA_NOTE), "note");
    cr_expect_str_eq(iba_severity_name(IBA_WARN), "warn");
    cr_expect_str_eq(iba_severity_name(IBA_ERROR), "error");
    cr_expect_str_eq(iba_severity_name((enum iba_severity)4), "unknown");
}

/* Reasons for which the results of a part depend on the other parts. */
static void a_part_tells_on_what_it_depends(void)
{
    memset(&state, 0, sizeof state);
    cr_expect_not(iba_observer_part(&state).depends);
    cr_expect_not(iba_observer_has_resting(&state));
    for (unsigned i = 0; i < 5; i++) {
        memset(&state, 0, sizeof state);
        state.depends = i == 0;
        state.reorders = i == 1;
        state.resting = i == 2;
        state.evicted = i == 3;
        state.found[IBA_FINDING_NOT_CAPTURED] = i == 4;
        cr_expect(iba_observer_part(&state).depends, "%u", i);
        cr_expect_eq(iba_observer_has_resting(&state), i == 2);
    }
    memset(&state, 0, sizeof state);
    state.n = state.generation = 5;
    state.n_known = 6;
    state.list[IBA_OBS_PROTECTED].most = 7;
    state.n_damaged = 8;
    state.congested = 9;
    const struct iba_observer_part p = iba_observer_part(&state);
    cr_expect(!p.began_again && p.directions == 6 && p.most_directions == 7 && p.damaged == 8 && p.congested == 9);
    cr_expect_eq(p.most_damaged, 64);
    state.generation++;
    cr_expect(iba_observer_part(&state).began_again);
    state.flow = &flow;
    state.n = 1;
    cr_expect_eq(iba_observer_flow(&state, 0), &flow);
    cr_expect_null(iba_observer_flow(&state, 1));
}

static void a_flow_tells_what_it_counted(void)
{
    uint32_t qpn = 5;

    begin();
    flow.peer = 7, flow.pmtu = 4096;
    flow.packets = 10, flow.requests = 11, flow.responses = 12, flow.bytes = 13;
    flow.fatal.frame = 14, flow.first.at = 15, flow.src_qp = 16;
    const struct iba_flow_counts c = iba_flow_counts(&flow);
    cr_expect(c.packets == 10 && c.requests == 11 && c.responses == 12 && c.bytes == 13 && c.fatal == 14);
    cr_expect(c.began == 15 && c.found == flow.found);
    cr_expect(!iba_flow_src_qp(&flow, &qpn) && qpn == 5);
    flow.has_qkey = true;
    cr_expect(iba_flow_src_qp(&flow, &qpn) && qpn == 16);
    cr_expect(iba_flow_is_paired(&flow) && !iba_flow_is_guess(&flow) && iba_flow_pmtu(&flow) == 4096);
    flow.peer = 0, flow.guess = true;
    cr_expect(!iba_flow_is_paired(&flow) && iba_flow_is_guess(&flow));
    cr_expect(iba_flow_key(&flow) == &flow.key && iba_flow_svc(&flow) == IBA_RC);
}

/* In one process: a process for each takes longer than all of them. */
Test(tables, each)
{
    parts_of_the_memory_follow_each_other();
    only_memory_with_other_bytes_is_cleared();
    times_have_defaults();
    flows_on_probation_are_few();
    both_directions_learn_the_path_mtu();
    reads_are_counted_again();
    damage_explains_all_or_nothing();
    other_damage_explains_nothing();
    a_damaged_read_explains_those_after_it();
    every_part_of_a_path_has_its_name();
    every_severity_has_its_name();
    a_part_tells_on_what_it_depends();
    a_flow_tells_what_it_counted();
}
