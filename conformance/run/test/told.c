/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of a target that the runner looks at one by one: counters, LIDs, names of errors, and events of a connection
 * manager. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "player.h"
#include "scenario/field.h"

static const struct ibc_scenario scenario;
static const struct ibc_play play = {.scenario = &scenario, .variation = ""};

static void begin(void)
{
    player_begin();
    clock_ns = 1;
    p->play = &play;
}

TestSuite(told, .init = begin, .fini = player_end);

/* ---- counters ---- */

static unsigned count(struct ibc_target *t, unsigned d, struct ibc_counter out[IBC_MAX_COUNTERS])
{
    (void)t;
    (void)d;
    out[0] = (struct ibc_counter){"alpha", 17};
    out[1] = (struct ibc_counter){"beta", 20};
    out[2] = (struct ibc_counter){"gamma", 1};
    return 3;
}

/* A counter counts if the device had it at the beginning of the play and has it now. The first wrong one is kept. */
Test(told, counters)
{
    static const struct {
        const char *name;
        uint64_t delta;
        enum ibc_verdict before, after;
        const char *expected, *got;
    } rows[] = {
        {"alpha", 2, IBC_IS_NOT_APPLICABLE, IBC_IS_PASS, "", ""},
        {"alpha", 3, IBC_IS_NOT_APPLICABLE, IBC_IS_FAIL, "alpha +3", "alpha +2"},
        {"beta", 0, IBC_IS_NOT_APPLICABLE, IBC_IS_PASS, "", ""},
        {"beta", 1, IBC_IS_PASS, IBC_IS_FAIL, "beta +1", "beta +0"},
        {"gamma", 5, IBC_IS_NOT_APPLICABLE, IBC_IS_NOT_APPLICABLE, "", ""}, /* came later */
        {"delta", 5, IBC_IS_NOT_APPLICABLE, IBC_IS_NOT_APPLICABLE, "", ""}, /* gone */
        {"omega", 5, IBC_IS_PASS, IBC_IS_PASS, "", ""},
        {"alpha", 2, IBC_IS_FAIL, IBC_IS_FAIL, "", ""},
        {"alpha", 3, IBC_IS_FAIL, IBC_IS_FAIL, "", ""},
    };

    ops.counters = count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_arg a[] = {{.key = IBC_K_name, .n = 1, .v = {{.kind = IBC_V_WORD, .text = rows[i].name}}},
                                    {.key = IBC_K_delta, .n = 1, .v = {NUMBER(rows[i].delta)}}};
        const struct ibc_step s = {.arg = a, .n_arg = 2, .line = 7};
        p->n_counter = 3;
        p->counter[0] = (struct ibc_counter){"alpha", 15};
        p->counter[1] = (struct ibc_counter){"beta", 20};
        p->counter[2] = (struct ibc_counter){"delta", 0};
        p->counters = rows[i].before;
        p->counter_finding = (struct ibc_finding){.line = 0};
        cr_expect(run_step_counter(p, &s));
        cr_expect_eq(p->counters, rows[i].after, "row %zu: %s", i, ibc_verdict_names[p->counters]);
        cr_expect_str_eq(p->counter_finding.expected, rows[i].expected, "row %zu", i);
        cr_expect_str_eq(p->counter_finding.got, rows[i].got, "row %zu", i);
        cr_expect_eq(p->counter_finding.line, *rows[i].got ? 7 : 0, "row %zu", i);
    }
}

/* ---- the LID of a node ---- */

static unsigned asked_end;
static enum ibc_rc lid_answer;
static enum ibc_rc tell_lid(struct ibc_target *t, unsigned at, uint8_t mad[IBA_MAD_BYTES])
{
    enum { GET = 0x01, PORTINFO = 0x15, LID = 64 + 16 }; /* M_Key and GID prefix precede the LID (14.2.5.6) */

    (void)t;
    asked_end = at;
    cr_expect(mad[3] == GET && mad[16] == 0 && mad[17] == PORTINFO);
    mad[LID] = 0xab;
    mad[LID + 1] = 0xcd;
    return lid_answer;
}

/* If a manager assigns LIDs, the node's port is asked: of a switch the management port, of others the first port. The
 * wires of a node follow it, port 0 first. */
Test(told, lids_of_nodes)
{
    static const struct ibc_arg lid = {.key = IBC_K_lid, .n = 1, .v = {NUMBER(0x1234)}};
    static const struct ibc_object with = {.name = "x", .arg = &lid, .n_arg = 1}, without = {.name = "x"};
    static const struct {
        uint8_t kind;
        unsigned end;
    } rows[] = {{IBC_O_switch, 30}, {IBC_O_adapter, 31}, {IBC_O_router, 31}};

    ops.fabric_read = tell_lid;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_live *node = &p->live[5];
        *node = (struct run_live){.kind = rows[i].kind, .o = &with, .id = {29}};
        p->live[6].id[0] = 30;
        p->live[7].id[0] = 31;
        p->managed = false;
        cr_expect_eq(run_lid(p, node), 0x1234);
        node->o = &without;
        cr_expect_eq(run_lid(p, node), 1);
        p->managed = true;
        lid_answer = IBC_OK;
        cr_expect_eq(run_lid(p, node), 0xabcd);
        cr_expect_eq(asked_end, rows[i].end, "row %zu: %u", i, asked_end);
        lid_answer = IBC_REFUSED;
        cr_expect_eq(run_lid(p, node), 0);
    }
}

/* ---- names of errors ---- */

/* Core's names have a prefix that scenarios and devices may leave out. A device with names of its own, such as those of
 * Linux, may refuse with any of them. */
Test(told, names_of_errors)
{
    static const struct {
        const char *said, *want;
        bool fits;
    } rows[] = {
        {"state", "state", true},
        {"STATE", "state", true},
        {"VERB_STATE", "state", true},
        {"MEM_STATE", "state", true},
        {"state", "VERB_STATE", true},
        {"state", "mem_state", true},
        {"verb_state", "no_qp", false},
        {"MEM_BUSY", "state", false},
        {"busy", "state", false},
        {"busy", "any", true},
        {"EINVAL", "state", true},
        {"verbosity", "state", true},
        {"verbs_state", "no_qp", true},
        {"memory_state", "no_qp", true},
        {"memory", "state", true},
        {"VERB_OVERHEAT", "state", true},
        {"", "state", true},
        {"no_qp", "no_cq", false},
        {"no_key", "no_key", true},
        {"attr_value", "state", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_arg a = {.key = IBC_K_error, .n = 1, .v = {{.kind = IBC_V_WORD, .text = rows[i].want}}};
        const struct ibc_step s = {.arg = &a, .n_arg = 1};
        char expected[RUN_TEXT], got[RUN_TEXT];
        p->verdict = IBC_IS_PASS;
        snprintf(target.refusal, sizeof target.refusal, "%s", rows[i].said);
        cr_expect_eq(run_did_or(p, &s, IBC_REFUSED, "make it"), rows[i].fits, "%s for %s", rows[i].said, rows[i].want);
        cr_expect_eq(p->verdict, rows[i].fits ? IBC_IS_PASS : IBC_IS_FAIL);
        snprintf(expected, sizeof expected, "make it refused: %s", rows[i].want);
        snprintf(got, sizeof got, "refused: %s", rows[i].said);
        cr_expect_str_eq(p->finding.expected, rows[i].fits ? "" : expected, "%s", p->finding.expected);
        cr_expect_str_eq(p->finding.got, rows[i].fits ? "" : got, "%s", p->finding.got);
        p->finding = (struct ibc_finding){.line = 0};
    }
}

/* ---- events of a connection manager ---- */

static unsigned polls, comes;
static enum ibc_rc poll_answer;
static enum ibc_rc some_events(struct ibc_target *t, unsigned d, struct iba_cm_event *e, unsigned *n)
{
    (void)t;
    (void)d;
    polls++;
    cr_assert_lt(polls, 100, "polled without end");
    if (polls > comes && poll_answer != IBC_OK)
        return poll_answer;
    *e = (struct iba_cm_event){.kind = IBA_CME_REJ};
    *n = polls <= comes;
    return IBC_OK;
}

/* The device is polled until it has no more events, or fails, or as many came as a play can keep. */
Test(told, events_are_polled_until_there_are_none)
{
    static const struct {
        unsigned comes;
        enum ibc_rc then;
        unsigned kept, polls;
    } rows[] = {{0, IBC_OK, 0, 1},    {0, IBC_BROKEN, 0, 1},  {3, IBC_OK, 3, 4},
                {3, IBC_LOST, 3, 4},  {31, IBC_OK, 31, 32},   {32, IBC_OK, 32, 32},
                {40, IBC_OK, 32, 32}, {32, IBC_DEAD, 32, 32}, {31, IBC_DEAD, 31, 32}};

    ops.cm_event = some_events;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iba_cm_event e;
        p->n_cm_event = 0;
        polls = 0;
        comes = rows[i].comes;
        poll_answer = rows[i].then;
        cr_expect_null(run_cm_next_event(p, &e));
        cr_expect_eq(p->n_cm_event, rows[i].kept, "row %zu: %u", i, p->n_cm_event);
        cr_expect_eq(polls, rows[i].polls, "row %zu: %u", i, polls);
    }
}

/* ---- a port without a path MTU ---- */

/* A path MTU is a code (WF-18), and 0 none of them. */
Test(told, path_mtus)
{
    static const uint32_t bytes[] = {0, 256, 512, 1024, 2048, 4096};

    for (uint8_t code = 0; code < sizeof bytes / sizeof *bytes; code++)
        for (unsigned more = 0; more < 2; more++) {
            const struct ibc_arg a = {.key = IBC_K_pmtu, .n = 1, .v = {NUMBER(bytes[code] + more)}};
            const struct ibc_step s = {.arg = &a, .n_arg = 1};
            const struct iba_qp_attr is = {.path_mtu = code};
            char expected[RUN_TEXT], got[RUN_TEXT];
            cr_expect_eq(run_attributes_fit(p, &s, &is, expected, got), more == 0, "code %u", code);
        }
}

/* ---- what a manager writes ---- */

/* A Set of PortInfo repeats the settings of the node, and gives no other command. The places are those of 14.2.5.6. */
Test(told, settings_in_a_portinfo)
{
    enum { DATA = 64, SET = 2 };
    static const struct {
        enum ibc_key key;
        uint64_t is;
        unsigned at, n; /* bytes of the attribute that have it */
        uint8_t bytes[8];
    } rows[] = {
        {IBC_K_mkey, UINT64_C(0x1122334455667788), 0, 8, {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}},
        {IBC_K_lid, 0x1234, 16, 2, {0x12, 0x34}},
        {IBC_K_sm, 0x2345, 18, 2, {0x23, 0x45}},
        {IBC_K_lease, 0x3456, 26, 2, {0x34, 0x56}},
        {IBC_K_protect, 2, 34, 1, {2 << 6}},
        {IBC_K_lmc, 5, 34, 1, {5}},
        {IBC_K_vls, 3, 0, 0, {0}}, /* no setting of a manager */
    };
    static const uint8_t usual[] = {
        [8] = 0xfe, 0x80, [17] = 1, [19] = 11, [36] = 5 << 4, [42] = 31, [51] = 18, [63] = 0};
    uint16_t portinfo = ibc_smp_find("PortInfo");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ibc_arg a = {.key = (uint8_t)rows[i].key, .n = 1, .v = {NUMBER(rows[i].is)}};
        const struct ibc_object node = {.name = "s", .arg = &a, .n_arg = 1};
        const struct ibc_step s = {.kind = IBC_S_send, .message = portinfo, .method = SET};
        uint8_t mad[IBA_MAD_BYTES], want[sizeof usual];
        p->live[3] = (struct run_live){.kind = IBC_O_switch, .o = &node};
        p->live[4] = (struct run_live){.kind = IBC_O_wire, .node = &p->live[3], .port = 1, .tid = 0x2000};
        run_smp_fill(p, &s, &p->live[4], mad);
        memcpy(want, usual, sizeof usual);
        memcpy(want + rows[i].at, rows[i].bytes, rows[i].n);
        cr_expect_arr_eq(mad + DATA, want, sizeof want, "%s", ibc_key_names[rows[i].key]);
        cr_expect(mad[1] == 0x81 && mad[2] == 1 && mad[3] == SET && mad[17] == 0x15, "a directed route");
        cr_expect(mad[14] == 0x20 && mad[15] == 0x01, "the next transaction of the wire");
    }
}
