/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the runner's parts: values and their text, fields, the worse of two verdicts, and times of flight. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases.h"
#include "run/play.h"
#include "wire/iba_aeth.h"
#include "wire/iba_opcode_rows.h"

static struct run_player player;
static struct ibc_target target;
static struct ibc_object objects[4] = {{.name = "pd"}, {.name = "m"}, {.name = "l"}, {.name = "a"}};
static struct ibc_scenario scenario;
static struct ibc_play play = {.scenario = &scenario, .variation = "", .object = objects, .n_object = 4};

static struct run_player *begin(void)
{
    player = (struct run_player){.t = &target, .play = &play};
    target = (struct ibc_target){.virtual_time = true};
    return &player;
}

static const struct iba_field *field(enum iba_hdr hdr, const char *name)
{
    const struct iba_field *f = iba_field_find(hdr, name);

    cr_assert_not_null(f, "%s", name);
    return f;
}

/* ---- how values are shown ---- */

/* Names of syndromes are those of the tables 43 to 45 of the specification. */
Test(parts, fields_as_text)
{
    static const struct {
        enum iba_hdr hdr;
        const char *name;
        uint64_t v;
        const char *text;
    } rows[] = {
        {IBA_H_bth, "psn", 0x101, "bth.psn 0x000101"},
        {IBA_H_bth, "destqp", 0x12, "bth.destqp 0x000012"},
        {IBA_H_bth, "p_key", 0xffff, "bth.p_key 0xffff"},
        {IBA_H_bth, "padcnt", 3, "bth.padcnt 3"},
        {IBA_H_aeth, "msn", 7, "aeth.msn 7"},
        {IBA_H_aeth, "syndrome", 0x00, "aeth.syndrome ACK 0"},
        {IBA_H_aeth, "syndrome", 0x1f, "aeth.syndrome ACK 31"},
        {IBA_H_aeth, "syndrome", 0x2e, "aeth.syndrome RNR NAK timer 14"},
        {IBA_H_aeth, "syndrome", 0x43, "aeth.syndrome reserved 3"},
        {IBA_H_aeth, "syndrome", 0x60, "aeth.syndrome NAK PSN Sequence Error"},
        {IBA_H_aeth, "syndrome", 0x64, "aeth.syndrome NAK Invalid RD Request"},
        {IBA_H_aeth, "syndrome", 0x65, "aeth.syndrome NAK reserved 5"},
        {IBA_H_aeth, "syndrome", 0xe0, "aeth.syndrome NAK PSN Sequence Error with the reserved bit"},
        {IBA_H_aeth, "syndrome", 0x9f, "aeth.syndrome ACK 31 with the reserved bit"},
        {IBA_H_ipv4, "ttl", 64, "ip.ttl 64"},
        {IBA_H_lrh, "vl", 15, "lrh.vl 0x0f"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[RUN_TEXT];
        run_show_field((uint8_t)rows[i].hdr, field(rows[i].hdr, rows[i].name), rows[i].v, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text, "%s", text);
    }
}

Test(parts, bytes_as_text)
{
    static const uint8_t bytes[17] = {0, 1, 0xff, [15] = 0xab, [16] = 0xcd};
    static const struct {
        size_t n;
        const char *text;
    } rows[] = {{0, ""},
                {1, "00"},
                {3, "0001ff"},
                {16, "0001ff000000000000000000000000ab"},
                {17, "0001ff000000000000000000000000ab..."}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[RUN_TEXT];
        run_show_bytes(IBA_H_bth, NULL, bytes, rows[i].n, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text, "%s", text);
    }
}

#define NUMBER(is)                                                                                                     \
    {                                                                                                                  \
        .kind = IBC_V_NUMBER, .n = (is), .mask = UINT64_MAX                                                            \
    }
#define NOT(is)                                                                                                        \
    {                                                                                                                  \
        .kind = IBC_V_NUMBER, .n = (is), .mask = UINT64_MAX, .negated = true                                           \
    }
#define RANGE(from, to)                                                                                                \
    {                                                                                                                  \
        .kind = IBC_V_RANGE, .n = (from), .hi = (to)                                                                   \
    }
#define ONE(...)                                                                                                       \
    1,                                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define TWO(...)                                                                                                       \
    2,                                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* The values that a line allows */
Test(parts, wanted_values_as_text)
{
    static const uint8_t bytes[20] = {0x12, 0x34, 0x56};
    static const struct {
        enum iba_hdr hdr;
        const char *name;
        uint8_t n;
        struct ibc_value v[2];
        const char *text;
    } rows[] = {
        {IBA_H_bth, "psn", ONE(NUMBER(0x101)), "bth.psn 0x000101"},
        {IBA_H_bth, "psn", TWO(NUMBER(1), RANGE(3, 5)), "bth.psn 0x000001 or 0x000003..0x000005"},
        {IBA_H_aeth, "msn", TWO(NOT(7), NOT(9)), "aeth.msn not 7 or not 9"},
        {IBA_H_aeth, "msn", ONE({.kind = IBC_V_ANY}), "aeth.msn any"},
        {IBA_H_bth, "psn", ONE({.kind = IBC_V_RELATIVE, .n = 2}), "bth.psn 0x000102"},
        {IBA_H_aeth, "msn", ONE({.kind = IBC_V_BYTES, .bytes = bytes, .n_bytes = 3}), "aeth.msn 123456"},
        {IBA_H_aeth, "msn", ONE({.kind = IBC_V_BYTES, .bytes = bytes, .n_bytes = 20}),
         "aeth.msn 12345600000000000000000000000000"},
        {IBA_H_aeth, "syndrome", ONE(NUMBER(0x60)), "aeth.syndrome NAK PSN Sequence Error"},
        {IBA_H_aeth, "syndrome", ONE({.kind = IBC_V_NUMBER, .n = 0x00, .mask = 0x60}), "aeth.syndrome ACK"},
        {IBA_H_aeth, "syndrome", ONE({.kind = IBC_V_NUMBER, .n = 0x20, .mask = 0x60}), "aeth.syndrome RNR NAK"},
        {IBA_H_aeth, "syndrome", ONE({.kind = IBC_V_NUMBER, .n = 0x60, .mask = 0x60}), "aeth.syndrome NAK"},
    };
    const struct run_context c = {.psn_base = 0x100};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_arg a = {.key = IBC_K_FIELD, .hdr = (uint8_t)rows[i].hdr, .n = rows[i].n};
        char text[RUN_TEXT];
        memcpy(a.v, rows[i].v, sizeof rows[i].v);
        run_show_wanted(begin(), &a, (uint8_t)rows[i].hdr, field(rows[i].hdr, rows[i].name), &c, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text, "%s", text);
    }
}

Test(parts, lines_as_text)
{
    static const struct {
        const char *line, *text;
        bool other;
    } rows[] = {
        {"< a ACKNOWLEDGE psn=+0", "ACKNOWLEDGE psn=+0", false},
        {"<? a SEND_ONLY", "SEND_ONLY", false},
        {"<* b  READ_RESP_ONLY msn=1", "READ_RESP_ONLY msn=1", false},
        {"| tolerated \"because\" < a ACKNOWLEDGE psn=+1", "ACKNOWLEDGE psn=+1", true},
        {"| tolerated a silence", "| tolerated a silence", true},
        {"a silence", "a silence", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_step s = {.text = rows[i].line, .is_alternative = rows[i].other};
        char text[RUN_TEXT];
        run_show_expected(&s, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text, "%s", text);
    }
}

/* ---- values ---- */

Test(parts, values)
{
    struct run_player *p = begin();
    const struct run_context here = {.psn_base = 0xfffffe}, there = {.device = 1, .local = true};

    p->live[3] = (struct run_live){
        .id = {20, 21},
        .length = 22,
        .peer = 23,
        .epsn = 0xffffff,
        .psn = 25,
        .tid = 26,
        .srqn = 27,
        .mr = {{.va = 28, .local = 29, .lkey = 30, .rkey = 31}, {.va = 38, .local = 39, .lkey = 40, .rkey = 41}}};
    const struct {
        uint8_t attr;
        char op;
        uint64_t n, is, is_there;
    } rows[] = {
        {IBC_A_va, 0, 0, 28, 39},
        {IBC_A_lkey, 0, 0, 30, 40},
        {IBC_A_rkey, 0, 0, 31, 41},
        {IBC_A_length, 0, 0, 22, 22},
        {IBC_A_id, 0, 0, 21, 21},
        {IBC_A_tid, 0, 0, 26, 26},
        {IBC_A_srqn, 0, 0, 27, 27},
        {IBC_A_qpn, 0, 0, 20, 20},
        {IBC_A_peer, 0, 0, 23, 23},
        {IBC_A_psn, 0, 0, 25, 25},
        {IBC_A_epsn, 0, 0, 0xffffff, 0xffffff},
        {IBC_A_psn, '+', 3, 28, 28},
        {IBC_A_epsn, '+', 2, 1, 1},
        {IBC_A_psn, '-', 26, 0xffffff, 0xffffff},
        {IBC_A_length, '-', 2, 20, 20},
        {IBC_A_length, '^', 6, 16, 16},
        {IBC_A_va, '+', 8, 36, 47},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_value v = {
            .kind = IBC_V_REF, .object = 3, .attr = rows[i].attr, .op = rows[i].op, .n = rows[i].n};
        cr_expect_eq(run_value(p, &v, &here), rows[i].is, "row %zu", i);
        cr_expect_eq(run_value(p, &v, &there), rows[i].is_there, "row %zu, of the other device", i);
    }
    p->live[3].kind = IBC_O_mw; /* a window has a key of its own */
    const struct ibc_value key = {.kind = IBC_V_REF, .object = 3, .attr = IBC_A_rkey}, plain = NUMBER(77),
                           relative = {.kind = IBC_V_RELATIVE, .n = 3}, none = {.kind = IBC_V_REF, .object = 4, .n = 9};
    cr_expect_eq(run_value(p, &key, &there), 21);
    cr_expect_eq(run_value(p, &plain, &here), 77);
    cr_expect_eq(run_value(p, &relative, &here), 1, "24 bits");
    cr_expect_eq(run_value(p, &none, &here), 9);
}

Test(parts, which_values_fit)
{
    static const struct {
        uint8_t n;
        struct ibc_value v[2];
        uint64_t is;
        bool fits;
    } rows[] = {
        {ONE(NUMBER(5)), 5, true},
        {ONE(NUMBER(5)), 6, false},
        {ONE(NOT(5)), 5, false},
        {ONE(NOT(5)), 6, true},
        {TWO(NUMBER(5), NUMBER(6)), 5, true},
        {TWO(NUMBER(5), NUMBER(6)), 6, true},
        {TWO(NUMBER(5), NUMBER(6)), 7, false},
        {TWO(NOT(5), NOT(6)), 5, false},
        {TWO(NOT(5), NOT(6)), 6, false},
        {TWO(NOT(5), NOT(6)), 7, true},
        {ONE(RANGE(5, 7)), 4, false},
        {ONE(RANGE(5, 7)), 5, true},
        {ONE(RANGE(5, 7)), 7, true},
        {ONE(RANGE(5, 7)), 8, false},
        {ONE({.kind = IBC_V_RANGE, .n = 5, .hi = 7, .negated = true}), 6, false},
        {ONE({.kind = IBC_V_RANGE, .n = 5, .hi = 7, .negated = true}), 8, true},
        {ONE({.kind = IBC_V_NUMBER, .n = 0x60, .mask = 0xf0}), 0x6f, true},
        {ONE({.kind = IBC_V_NUMBER, .n = 0x60, .mask = 0xf0}), 0x70, false},
        {ONE({.kind = IBC_V_NUMBER, .n = 0x6f}), 0x6e, false},
        {ONE({.kind = IBC_V_ANY}), 77, true},
        {ONE({.kind = IBC_V_RELATIVE, .n = 2}), 0x102, true},
    };
    const struct run_context c = {.psn_base = 0x100};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_arg a = {.n = rows[i].n};
        memcpy(a.v, rows[i].v, sizeof rows[i].v);
        cr_expect_eq(run_fits(begin(), &a, rows[i].is, &c), rows[i].fits, "row %zu", i);
    }
}

Test(parts, objects)
{
    struct run_player *p = begin();
    const struct ibc_value by_index = {.kind = IBC_V_REF, .object = 3}, beyond = {.kind = IBC_V_REF, .object = 4},
                           by_name = {.kind = IBC_V_WORD, .text = "a"}, first = {.kind = IBC_V_WORD, .text = "pd"},
                           unknown = {.kind = IBC_V_WORD, .text = "z"}, number = NUMBER(3);
    const struct ibc_step step = {.object = 3}, no_object = {.object = UINT16_MAX}, probe = {.object = IBC_MAX_OBJECTS};

    cr_expect_eq(run_object_of(p, &by_index), &p->live[3]);
    cr_expect_null(run_object_of(p, &beyond));
    cr_expect_eq(run_object_of(p, &by_name), &p->live[3]);
    cr_expect_eq(run_object_of(p, &first), &p->live[0]);
    cr_expect_null(run_object_of(p, &unknown));
    cr_expect_null(run_object_of(p, &number));
    cr_expect_eq(run_live(p, &step), &p->live[3]);
    cr_expect_eq(run_live(p, &probe), &p->live[IBC_MAX_OBJECTS]);
    cr_expect_null(run_live(p, &no_object));
    p->live[2] = (struct run_live){.kind = IBC_O_qp, .type = IBA_QPT_UC, .id = {9}, .device = 1, .made = true};
    p->live[3] = (struct run_live){.kind = IBC_O_qp, .type = IBA_QPT_RC, .id = {9}, .made = true};
    cr_expect_eq(run_qp_of(p, 9, 0), &p->live[3]);
    cr_expect_eq(run_qp_of(p, 9, 1), &p->live[2]);
    cr_expect_null(run_qp_of(p, 8, 0));
    cr_expect_eq(run_first_of(p, IBA_QPT_RC), &p->live[3]);
    cr_expect_eq(run_first_of(p, IBA_QPT_UC), &p->live[2]);
    cr_expect_null(run_first_of(p, IBA_QPT_UD));
    p->live[3].made = false;
    cr_expect_null(run_qp_of(p, 9, 0));
    p->live[2].kind = p->live[3].kind = IBC_O_wire;
    cr_expect_eq(run_wire_of(p, 9), &p->live[2]);
    cr_expect_null(run_wire_of(p, 8));
    cr_expect_null(run_qp_of(p, 9, 1));
}

/* ---- fields ---- */

static const char *found(const struct ibc_arg *a, uint64_t has)
{
    static char text[64];
    uint8_t hdr = 0;
    const struct iba_field *f = run_field_in(a, has, &hdr);

    snprintf(text, sizeof text, "%s.%s", f ? iba_headers[hdr].prefix : "", f ? f->name : "");
    return text;
}

/* A line that names `va` means the RETH or the AtomicETH. A name of several network headers means the innermost one. */
Test(parts, fields_of_packets)
{
    const uint64_t reth = IBA_HDR_BIT(IBA_H_reth), atomic = IBA_HDR_BIT(IBA_H_atomiceth), v4 = IBA_HDR_BIT(IBA_H_ipv4),
                   v6 = IBA_HDR_BIT(IBA_H_ipv6), grh = IBA_HDR_BIT(IBA_H_grh), bth = IBA_HDR_BIT(IBA_H_bth);
    const struct {
        uint8_t key, hdr;
        const char *name;
        uint64_t has;
        const char *field;
    } rows[] = {
        {IBC_K_FIELD, IBA_H_reth, "va", reth, "infiniband.reth.va"},
        {IBC_K_FIELD, IBA_H_reth, "va", atomic, "infiniband.atomiceth.va"},
        {IBC_K_FIELD, IBA_H_atomiceth, "va", reth, "infiniband.reth.va"},
        {IBC_K_FIELD, IBA_H_reth, "va", bth, "."},
        {IBC_K_FIELD, IBA_H_reth, "dmalen", atomic, "."},
        {IBC_K_FIELD, IBA_H_aeth, "msn", bth, "."},
        {IBC_K_FIELD, IBA_H_bth, "psn", bth, "infiniband.bth.psn"},
        {IBC_K_hop, 0, NULL, v4, "ip.ttl"},
        {IBC_K_hop, 0, NULL, v6, "ipv6.hlim"},
        {IBC_K_hop, 0, NULL, grh, "infiniband.grh.hoplmt"},
        {IBC_K_hop, 0, NULL, grh | v6, "infiniband.grh.hoplmt"},
        {IBC_K_tclass, 0, NULL, v4, "ip.dsfield"},
        {IBC_K_flow, 0, NULL, v4, "."},
        {IBC_K_flow, 0, NULL, v6, "ipv6.flow"},
        {IBC_K_ecn, 0, NULL, v4, "ip.dsfield.ecn"},
        {IBC_K_dscp, 0, NULL, v6, "ipv6.tclass.dscp"},
        {IBC_K_sgid, 0, NULL, v6, "ipv6.src"},
        {IBC_K_dgid, 0, NULL, grh, "infiniband.grh.dgid"},
        {IBC_K_payload, 0, NULL, v4 | v6 | grh | bth, "."},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ibc_arg a = {.key = rows[i].key, .hdr = rows[i].hdr};
        if (a.key == IBC_K_FIELD)
            a.field = field((enum iba_hdr)rows[i].hdr, rows[i].name);
        cr_expect_str_eq(found(&a, rows[i].has), rows[i].field, "row %zu: %s", i, found(&a, rows[i].has));
        cr_expect_eq(run_is_field(&a), rows[i].key != IBC_K_payload);
    }
}

/* In a message of several packets the pattern continues from packet to packet. A line that gives an offset or another
 * letter starts the pattern there. */
Test(parts, where_patterns_go_on)
{
    static const struct {
        uint8_t opcode;
        char letter, is; /* letter 0: the line gives none */
        uint64_t offset, at;
    } rows[] = {
        {IBA_RC_SEND_FIRST, 0, 'p', 0, 0},      {IBA_RC_SEND_MIDDLE, 0, 'q', 0, 100},
        {IBA_RC_SEND_MIDDLE, 'q', 'q', 0, 100}, {IBA_RC_SEND_LAST, 'q', 'q', 7, 7},
        {IBA_RC_SEND_MIDDLE, 'x', 'x', 0, 0},   {IBA_RC_SEND_FIRST, 'q', 'q', 0, 0},
        {IBA_RC_SEND_ONLY, 'x', 'x', 5, 5},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_flow f = {.letter = 'q', .at = 100};
        const struct ibc_arg a = {.n = 1, .v = {{.n = (uint64_t)rows[i].letter, .hi = rows[i].offset}}};
        run_flow_begin(&f, &iba_opcodes[rows[i].opcode], rows[i].letter ? &a : NULL);
        cr_expect_eq(f.at, rows[i].at, "row %zu", i);
        cr_expect_eq(f.letter, rows[i].is, "row %zu: %c", i, f.letter);
    }
}

/* ---- verdicts ---- */

/* Of PASS, TOLERATED, INCONCLUSIVE, DEVIATES, FAIL and ERROR the worse one is kept. A verdict outside this list
 * replaces only PASS; PASS and TOLERATED do not replace it. */
Test(parts, the_worse_of_two)
{
    for (unsigned before = 0; before < IBC_IS_COUNT; before++)
        for (unsigned now = 0; now < IBC_IS_COUNT; now++) {
            struct run_player *p = begin();
            const bool ranks = now <= IBC_IS_ERROR, ranked = before <= IBC_IS_ERROR;
            const bool kept = ranks && ranked ? now > before
                              : ranks         ? now > IBC_IS_TOLERATED
                                              : before == IBC_IS_PASS && now != before;
            p->verdict = (enum ibc_verdict)before;
            run_note(p, (enum ibc_verdict)now, NULL, NULL, "this", "that");
            cr_expect_eq(p->verdict, kept ? now : before, "%s, then %s: %s", ibc_verdict_names[before],
                         ibc_verdict_names[now], ibc_verdict_names[p->verdict]);
            cr_expect_str_eq(p->finding.got, kept ? "that" : "");
        }
}

static uint64_t lost_frames;
static uint64_t lost(struct ibc_target *t)
{
    (void)t;
    return lost_frames;
}

/* Frames that the tester's wire lost excuse every verdict about the device, but no error of the harness. */
Test(parts, lost_frames_excuse)
{
    static const struct ibc_target_ops ops = {.lost = lost}, blind = {.lost = NULL};

    for (unsigned v = 0; v < IBC_IS_COUNT; v++)
        for (unsigned n = 4; n < 6; n++) {
            struct run_player *p = begin();
            const bool excused = n > 4 && v < IBC_IS_ERROR;
            target.ops = &ops;
            lost_frames = n;
            p->verdict = (enum ibc_verdict)v;
            snprintf(p->finding.got, sizeof p->finding.got, "a fault");
            snprintf(p->measured, sizeof p->measured, "7");
            p->logged = true;
            cr_expect_eq(run_lost_frames(p), n);
            run_losses_conclude(p, 4);
            cr_expect_eq(p->verdict, excused ? IBC_IS_INCONCLUSIVE : v, "%s", ibc_verdict_names[v]);
            cr_expect_str_eq(p->finding.got, excused ? "1 frames lost by the tester's wire; a fault" : "a fault");
            cr_expect_str_eq(p->measured, excused ? "" : "7");
            cr_expect(p->logged != excused && (p->finding.what == IBC_FOUND_UNSURE) == excused);
            cr_expect_eq(p->counters == IBC_IS_NOT_APPLICABLE, excused);
        }
    begin();
    target.ops = &blind;
    cr_expect_eq(run_lost_frames(&player), 0);
}

/* A late tester excuses a failure, and what an informational scenario tolerates, but not a device that died. */
Test(parts, late_testers_excuse)
{
    for (unsigned v = 0; v < IBC_IS_COUNT; v++)
        for (unsigned bits = 0; bits < 8; bits++) {
            const bool late = bits & 1, died = bits & 2, informs = bits & 4;
            const bool excused = late && !died && (v == IBC_IS_FAIL || (informs && v == IBC_IS_TOLERATED));
            struct run_player *p = begin();
            p->verdict = (enum ibc_verdict)v;
            p->died = died;
            p->informs = informs;
            p->unwell = true;
            snprintf(p->late, sizeof p->late, "%s", late ? "late" : "");
            snprintf(p->finding.got, sizeof p->finding.got, "a fault");
            run_late_conclude(p);
            cr_expect_eq(p->verdict, excused ? IBC_IS_INCONCLUSIVE : v, "%s, %u", ibc_verdict_names[v], bits);
            cr_expect_str_eq(p->finding.got, excused ? "late; a fault" : "a fault");
            cr_expect_eq(p->unwell, !excused);
        }
}

/* The agent is slow if a verb took more than a second, which is as long as an expected packet may take. In virtual time
 * no verb is slow. */
Test(parts, slow_agents)
{
    static const struct {
        uint64_t slowest;
        const char *verb;
        bool virtual_time;
        const char *late;
    } rows[] = {
        {RUN_S, "poll", false, ""},
        {RUN_S + 1, "poll", false, "the agent was slow: poll was answered after 1000 ms"},
        {2500 * RUN_MS, NULL, false, "the agent was slow: a verb was answered after 2500 ms"},
        {2500 * RUN_MS, "poll", true, ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_player *p = begin();
        static const struct ibc_options o = {.seed = 1};
        p->o = &o;
        target.virtual_time = rows[i].virtual_time;
        target.slowest = rows[i].slowest;
        target.slow_verb = rows[i].verb;
        run_late_conclude(p);
        cr_expect_str_eq(p->late, rows[i].late, "row %zu: %s", i, p->late);
    }
}

/* ---- times of flight ---- */

/* A frame may fly four round trips of the slowest exchange, and 50 ms at most. With each later exchange that time
 * shrinks by an eighth. */
Test(parts, flight_times)
{
    static const struct {
        uint64_t was, round_trip, is;
    } rows[] = {{0, 100, 400},
                {800, 100, 700},
                {800, 175, 700},
                {800, 176, 704},
                {800, 300, 1200},
                {0, 12500 * RUN_US, 50 * RUN_MS},
                {0, 12501 * RUN_US, 50 * RUN_MS}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_player *p = begin();
        p->flight_ns = rows[i].was;
        run_flight_measure(p, rows[i].round_trip);
        cr_expect_eq(p->flight_ns, rows[i].is, "row %zu", i);
    }
}

/* A group's MAC address ends like its IPv6 address (RFC 2464). ::ffff:10.0.0.3 is an IPv4 address (A17). */
Test(parts, parties)
{
    struct run_player *p = begin();
    static const struct {
        enum ibc_party party;
        struct ibc_address is;
    } rows[] = {
        {IBC_PARTY_nowhere, {.lid = 0}},
        {IBC_PARTY_loopback, {.ipv4 = 0x7f000001, .ipv6 = {[15] = 1}, .gid = {[15] = 1}, .lid = 1}},
        {IBC_PARTY_group,
         {.mac = UINT64_C(0x333300000001),
          .ipv4 = 0xefc00001,
          .ipv6 = {0xff, 0x15, [15] = 1},
          .gid = {0xff, 0x15, [15] = 1},
          .lid = 0xc001}},
        {IBC_PARTY_ipv4, {.ipv4 = 0x0a000003, .ipv6 = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 3}, .lid = 1}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_value v = NUMBER(rows[i].party);
        const struct ibc_address *a = run_party(p, &v), *is = &rows[i].is;
        cr_assert_not_null(a);
        cr_expect(a->ipv4 == is->ipv4 && a->lid == is->lid && a->mac == is->mac, "row %zu", i);
        cr_expect_arr_eq(a->ipv6, is->ipv6, sizeof a->ipv6, "row %zu", i);
        cr_expect_arr_eq(a->gid, is->gid, sizeof a->gid, "row %zu", i);
    }
    const struct ibc_value stranger = NUMBER(IBC_PARTY_stranger), none = NUMBER(IBC_PARTY_none),
                           peer = NUMBER(IBC_PARTY_peer), beyond = NUMBER(IBC_PARTY_COUNT);
    cr_expect_eq(run_party(p, &stranger), &target.stranger);
    cr_expect(!run_party(p, &none) && !run_party(p, &peer) && !run_party(p, &beyond));
}

/* ---- scores ---- */

static uint32_t script[64];
static unsigned made, refused_after;

static enum ibc_rc choose(struct ibc_target *t, unsigned d, uint32_t *psn)
{
    (void)t;
    (void)d;
    if (made == refused_after)
        return IBC_REFUSED;
    *psn = script[made++];
    return IBC_OK;
}

static struct ibc_result scored(const char *text)
{
    struct ibc_target *t = open_changed();
    struct ibc_result r;

    changed.choose_psn = choose;
    made = 0;
    r = run_text(t, text, &(struct ibc_options){.seed = 1});
    t->ops = whole;
    ibc_target_close(t);
    ibc_free((struct ibc_scenario *)r.scenario);
    return r;
}

/* The score of a device's numbers is the min-entropy of their most frequent step: log2(31/16) is 0.954, log2(7/3) is
 * 1.222. */
Test(parts, scores)
{
    struct ibc_result r;

    refused_after = 32;
    for (unsigned i = 0; i < 32; i++)
        script[i] = 0xfffff0 + i; /* goes round after 24 bits */
    for (unsigned i = 0; i < 32; i++)
        script[i] &= 0xffffff;
    r = scored(RC "score psns n=32\n");
    cr_expect_str_eq(r.measured, "psns: 0.00 bits of min-entropy in a step; the most frequent, +0x1, 31 of 31 times",
                     "%s", r.measured);
    ibc_result_clear(&r);
    for (unsigned i = 0; i < 32; i++)
        script[i] = (i + 1) / 2 * 5 + i / 2; /* steps of 5 and 1 by turns: 16 and 15 */
    r = scored(RC "score psns n=32\n");
    cr_expect_str_eq(r.measured, "psns: 0.95 bits of min-entropy in a step; the most frequent, +0x5, 16 of 31 times",
                     "%s", r.measured);
    cr_expect_eq(r.verdict, IBC_IS_INFO);
    ibc_result_clear(&r);
    refused_after = 8; /* the device has no more: eight are enough */
    memcpy(script, (uint32_t[]){9, 10, 12, 13, 15, 16, 20, 29}, 8 * sizeof *script); /* 1 2 1 2 1 4 9 */
    r = scored(RC "score psns n=32\n");
    cr_expect_str_eq(r.measured, "psns: 1.22 bits of min-entropy in a step; the most frequent, +0x1, 3 of 7 times",
                     "%s", r.measured);
    ibc_result_clear(&r);
    refused_after = 7;
    r = scored(RC "score psns n=32\n");
    cr_expect_eq(r.verdict, IBC_IS_FAIL, "%s", ibc_verdict_names[r.verdict]);
    ibc_result_clear(&r);
    refused_after = 32;
    r = scored(RC "score psns n=7\n");
    cr_expect_eq(r.verdict, IBC_IS_ERROR, "%s", ibc_verdict_names[r.verdict]);
    cr_expect_str_eq(r.finding.got, "too few to say anything");
    ibc_result_clear(&r);
}
