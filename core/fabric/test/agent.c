/* SPDX-License-Identifier: BSD-2-Clause */
/* The agents: M_Key levels and lease, attributes, fields of Set(PortInfo) and Set(SwitchInfo), directed routes, traps.
 */
#include "wired.h"

enum { SECOND = 1000000000, PORTINFO = 0x15, SWITCHINFO = 0x12, RIGHT = 0x1234, WRONG = 0x1235 };
enum { ADAPTER_LID = FIRST_LID + 1 }; /* of the adapter that adapter 0 sends requests to */

static struct iba_portinfo *asked(struct wired *w)
{
    return &w->ca[1].port[1].info;
}

static struct smp request(uint8_t method, uint16_t attribute, uint64_t mkey)
{
    return (struct smp){.dlid = ADAPTER_LID, .method = method, .attribute = attribute, .mkey = mkey};
}

/* Returns the present PortInfo, which the test changes and sets. */
static struct iba_portinfo read_portinfo(struct wired *w, struct smp s)
{
    struct iba_portinfo i;
    uint8_t answer[IBA_MAD_BYTES];

    s.method = IBA_METHOD_GET;
    cr_assert_eq(wired_ask(w, 0, &s, answer), 0);
    iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], answer + IBA_SMP_DATA_AT, &i);
    i.portstate = IBA_PORT_NOP;
    i.portphysicalstate = IBA_PHYS_NOP;
    return i;
}

static int write_portinfo(struct wired *w, struct smp s, const struct iba_portinfo *i, struct iba_portinfo *is)
{
    uint8_t answer[IBA_MAD_BYTES];
    int status;

    s.method = IBA_METHOD_SET;
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], i, s.data);
    status = wired_ask(w, 0, &s, answer);
    if (status >= 0)
        iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], answer + IBA_SMP_DATA_AT, is);
    return status;
}

/* ---- M_Key (KM-01..KM-08) ---- */

/* Returns whether the request has an effect: an answer, or for TrapRepress that the trap does not come again. */
static bool has_effect(struct wired *w, uint8_t method, uint64_t key)
{
    uint8_t answer[IBA_MAD_BYTES];
    struct smp s = request(method, method == IBA_METHOD_TRAP_REPRESS ? IBA_ATTR_NOTICE : PORTINFO, key);

    if (method == IBA_METHOD_SET)
        iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], asked(w), s.data);
    w->ca[1].notice[0] = (struct iba_notice_waiting){.tid = 0x77, .due = IBA_NEVER, .port = 1};
    if (method != IBA_METHOD_TRAP_REPRESS)
        return wired_ask(w, 0, &s, answer) >= 0;
    cr_expect_eq(wired_ask(w, 0, &s, answer), -1, "no TrapRepress is answered (KM-61)");
    return w->ca[1].notice[0].tid == 0;
}

Test(m_key, levels_methods_and_keys_in_24_cases)
{
    static const uint8_t methods[] = {IBA_METHOD_GET, IBA_METHOD_SET, IBA_METHOD_TRAP_REPRESS};

    for (uint8_t level = 0; level < 4; level++)
        for (unsigned m = 0; m < 3; m++)
            for (unsigned right = 0; right < 2; right++) {
                struct wired *w = wired_new();
                const bool allowed = right || (methods[m] == IBA_METHOD_GET && level < 2);
                asked(w)->m_key = RIGHT;
                asked(w)->m_keyprotectbits = level;
                cr_expect_eq(has_effect(w, methods[m], right ? RIGHT : WRONG), allowed, "level %u method %#x %s", level,
                             methods[m], right ? "right" : "wrong");
                cr_expect_eq(asked(w)->m_keyviolations, !allowed);
                memset(w->ca[1].notice, 0, sizeof w->ca[1].notice);
                wired_run(w);
                wired_free(w);
            }
}

Test(m_key, level_1_hides_the_key)
{
    struct wired *w = wired_new();

    asked(w)->m_key = RIGHT;
    asked(w)->m_keyprotectbits = 1;
    cr_expect_eq(read_portinfo(w, request(0, PORTINFO, WRONG)).m_key, 0);
    cr_expect_eq(read_portinfo(w, request(0, PORTINFO, RIGHT)).m_key, RIGHT);
    asked(w)->m_keyprotectbits = 0;
    cr_expect_eq(read_portinfo(w, request(0, PORTINFO, WRONG)).m_key, RIGHT);
    wired_free(w);
}

/* KM-05..KM-07 over time: a violation starts the lease period, a request with the right key stops it, and when the
 * period ends the port is open to all. */
Test(m_key, lease)
{
    struct wired *w = wired_new();
    uint8_t answer[IBA_MAD_BYTES];
    const struct smp wrong = request(IBA_METHOD_GET, PORTINFO, WRONG), right = request(IBA_METHOD_GET, PORTINFO, RIGHT);

    asked(w)->m_key = RIGHT;
    asked(w)->m_keyprotectbits = 2;
    asked(w)->m_keyleaseperiod = 2;
    cr_expect_eq(wired_ask(w, 0, &wrong, answer), -1);
    for (unsigned sweep = 0; sweep < 5; sweep++) { /* a manager's sweeps keep it alive */
        wired_wait(w, (iba_time)3 * SECOND / 2);
        cr_expect_eq(wired_ask(w, 0, &right, answer), 0);
        cr_expect_eq(wired_ask(w, 0, &wrong, answer), -1);
    }
    wired_wait(w, (iba_time)3 * SECOND / 2);
    cr_expect_eq(wired_ask(w, 0, &wrong, answer), -1, "a second violation does not begin the lease again");
    wired_wait(w, SECOND);
    cr_expect_eq(wired_ask(w, 0, &wrong, answer), 0, "the lease is over: level 0");
    cr_expect_eq(asked(w)->m_keyprotectbits, 0);
    cr_expect_eq(read_portinfo(w, wrong).m_key, RIGHT, "the key stays (KM-06)");
    memset(w->ca[1].notice, 0, sizeof w->ca[1].notice);
    wired_free(w);
}

/* KM-01: a switch has one M_Key for all its ports, that of port 0. */
Test(m_key, of_a_switch)
{
    struct wired *w = wired_new();
    uint8_t answer[IBA_MAD_BYTES];
    struct smp s = {.dlid = SWITCH_LID, .attribute = PORTINFO, .modifier = 3, .mkey = WRONG};

    w->sw.port[0].info.m_key = RIGHT;
    w->sw.port[0].info.m_keyprotectbits = 3;
    cr_expect_eq(wired_ask(w, 0, &s, answer), -1);
    s.mkey = RIGHT;
    cr_expect_eq(wired_ask(w, 0, &s, answer), 0);
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}

/* ---- rows of the agent ---- */

struct agent_case {
    const char *row;
    struct smp s;
    uint8_t byte, value; /* of the datagram, changed after it was made; byte 0: unchanged */
    int status;          /* -1: silence */
};

static int ask_changed(struct wired *w, const struct agent_case *c)
{
    const struct iba_mgmt_to to = {.dlid = ADAPTER_LID, .slid = FIRST_LID, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &c->s);
    if (c->byte)
        mad[c->byte] = c->value;
    iba_node_send(&w->ca[0], 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad), w->now);
    wired_run(w);
    return w->heard[0] ? w->last[28 + 4] << 8 | w->last[28 + 5] : -1;
}

Test(agent, each_row)
{
    static const struct agent_case cases[] = {
        {"for_manager", {.attribute = IBA_ATTR_SM_INFO}, .status = -1},
        {"other_version", {.attribute = 0x11}, .byte = 2, .value = 2, .status = IBA_MAD_BAD_VERSION},
        {"key_for_change", {.attribute = PORTINFO, .method = IBA_METHOD_SET, .mkey = WRONG}, .status = -1},
        {"key_for_get", {.attribute = PORTINFO, .mkey = WRONG}, .status = -1},
        {"repress", {.attribute = 2, .method = IBA_METHOD_TRAP_REPRESS, .mkey = RIGHT}, .status = -1},
        {"other_method", {.attribute = 0x11, .method = 0x19, .mkey = RIGHT}, .status = IBA_MAD_BAD_METHOD},
        {"unknown_attribute", {.attribute = 0x99, .mkey = RIGHT}, .status = IBA_MAD_BAD_ATTRIBUTE},
        {"not_to_be_set",
         {.attribute = 0x10, .method = IBA_METHOD_SET, .mkey = RIGHT},
         .status = IBA_MAD_BAD_ATTRIBUTE},
        {"no_such_modifier", {.attribute = PORTINFO, .modifier = 99, .mkey = RIGHT}, .status = IBA_MAD_BAD_VALUE},
        {"set", {.attribute = 0x16, .method = IBA_METHOD_SET, .mkey = RIGHT}, .status = 0},
        {"get", {.attribute = 0x11, .mkey = RIGHT}, .status = 0},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        asked(w)->m_key = RIGHT;
        asked(w)->m_keyprotectbits = 2;
        cr_expect_eq(ask_changed(w, &cases[i]), cases[i].status, "%s", cases[i].row);
        cr_expect_eq(wired_hits(&w->ca[1], &iba_agent_rules, cases[i].row), 1, "agent.%s decides", cases[i].row);
        seen[wired_row(&iba_agent_rules, cases[i].row)] = true;
        wired_free(w);
    }
    for (unsigned i = 0; i < iba_agent_rules.n; i++)
        cr_expect(seen[i], "agent.%s has no case", iba_fabric_row(&iba_agent_rules, i)->name);
}

/* ---- attributes ---- */

/* Each attribute of a switch reads back as it was set. The last block of a table exists; the next one does not. */
Test(agent, each_attribute)
{
    static const struct {
        const char *row;
        uint16_t id;
        uint32_t last, beyond;
        bool any; /* any bytes can be set, and come back */
    } cases[] = {
        {"notice", 0x02, 0, 0, false},
        {"node_description", 0x10, 0, 0, false},
        {"node_info", 0x11, 0, 0, false},
        {"switch_info", 0x12, 0, 0, false},
        {"guid_info", 0x14, 0, 1, false},
        {"port_info", 0x15, SWITCH_PORTS, SWITCH_PORTS + 1, false},
        {"pkey_table", 0x16, SWITCH_PORTS << 16, SWITCH_PORTS << 16 | 1, true},
        {"sl_to_vl", 0x17, SWITCH_PORTS << 8 | SWITCH_PORTS, (SWITCH_PORTS + 1) << 8, false},
        {"vl_arbitration", 0x18, 4 << 16 | SWITCH_PORTS, 5 << 16 | 1, true},
        {"linear_table", 0x19, 15, 16, true},
        {"multicast_table", 0x1b, 1, 2, true},
    };
    struct wired *w = wired_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smp s = {.dlid = 0xffff,
                        .slid = 0xffff,
                        .hops = 1,
                        .path = {1},
                        .attribute = cases[i].id,
                        .modifier = cases[i].last};
        uint8_t answer[IBA_MAD_BYTES];
        cr_expect_eq(wired_ask(w, 0, &s, answer), 0, "%s", cases[i].row);
        for (unsigned k = 0; k < 64; k++)
            s.data[k] = (uint8_t)(k * 7 + 1);
        s.method = IBA_METHOD_SET;
        if (cases[i].any) {
            cr_expect_eq(wired_ask(w, 0, &s, answer), 0, "%s", cases[i].row);
            s.method = IBA_METHOD_GET;
            cr_expect_eq(wired_ask(w, 0, &s, answer), 0);
            cr_expect_eq(memcmp(answer + IBA_SMP_DATA_AT, s.data, 64), 0, "%s comes back", cases[i].row);
        }
        s.method = IBA_METHOD_GET;
        s.modifier = cases[i].beyond;
        if (cases[i].beyond)
            cr_expect_eq(wired_ask(w, 0, &s, answer), IBA_MAD_BAD_VALUE, "%s", cases[i].row);
        cr_expect_gt(wired_hits(&w->sw, &iba_sma_attributes, cases[i].row), 0);
    }
    cr_expect_eq(sizeof cases / sizeof *cases, iba_sma_attributes.n);
    wired_free(w);
}

/* KM-36: entry 0 of GUIDInfo is the port's own GUID. */
Test(agent, first_guid_stays)
{
    struct wired *w = wired_new();
    struct smp s = request(IBA_METHOD_SET, 0x14, 0);
    uint8_t answer[IBA_MAD_BYTES];

    memset(s.data, 9, sizeof s.data);
    cr_expect_eq(wired_ask(w, 0, &s, answer), 0);
    cr_expect_eq(iba_guidinfo_guid(answer + IBA_SMP_DATA_AT), w->ca[1].cfg.node_guid + 1);
    cr_expect_eq(iba_guidinfo_guid(answer + IBA_SMP_DATA_AT + 8), UINT64_C(0x0909090909090909));
    wired_free(w);
}

/* ---- Set(PortInfo), field by field ---- */

/* A legal value of a field takes effect on port 2 of a switch or on an adapter's port; an illegal value is refused with
 * status 0x1c and changes nothing. */
struct field_case {
    const char *row;
    uint16_t offset; /* of the decoded field */
    uint8_t bytes;
    uint64_t legal, illegal; /* 0: none is */
    bool on_switch;
};
#define FIELD(row, name, ...)                                                                                          \
    {                                                                                                                  \
        row, offsetof(struct iba_portinfo, name), sizeof((struct iba_portinfo *)0)->name, __VA_ARGS__                  \
    }

static void put_value(struct iba_portinfo *i, const struct field_case *c, uint64_t value)
{
    memcpy((uint8_t *)i + c->offset, &value, c->bytes); /* little-endian machines, as all that this is tested on */
}

static uint64_t get_value(const struct iba_portinfo *i, const struct field_case *c)
{
    uint64_t value = 0;

    memcpy(&value, (const uint8_t *)i + c->offset, c->bytes);
    return value;
}

static void one_field(const struct field_case *c)
{
    struct wired *w = wired_new();
    const struct smp s =
        c->on_switch ? (struct smp){.dlid = SWITCH_LID, .attribute = PORTINFO, .modifier = 2} : request(0, PORTINFO, 0);
    struct iba_portinfo i = read_portinfo(w, s), is;
    const struct iba_node *n = c->on_switch ? &w->sw : &w->ca[1];

    if (c->illegal) {
        struct iba_portinfo bad = i;
        put_value(&bad, c, c->illegal);
        cr_expect_eq(write_portinfo(w, s, &bad, &is), IBA_MAD_BAD_VALUE, "%s = %#lx", c->row,
                     (unsigned long)c->illegal);
        cr_expect_neq(get_value(&is, c), c->illegal, "%s = %#lx is not taken", c->row, (unsigned long)c->illegal);
    }
    put_value(&i, c, c->legal);
    cr_expect_eq(write_portinfo(w, s, &i, &is), 0, "%s = %#lx", c->row, (unsigned long)c->legal);
    cr_expect_eq(get_value(&is, c), c->legal, "%s = %#lx is taken", c->row, (unsigned long)c->legal);
    cr_expect_gt(wired_hits(n, &iba_portinfo_rules, c->row), 0);
    wired_free(w);
}

Test(portinfo, each_field)
{
    static const struct field_case cases[] = {
        FIELD("m_key", m_key, 77, 0, false),
        FIELD("gid_prefix", guid, 0x20010db8, 0, false),
        FIELD("lid", lid, 40, 0xc000, false),
        FIELD("sm_lid", mastersmlid, 41, 0xffff, false),
        FIELD("lease", m_keyleaseperiod, 9, 0, false),
        FIELD("protection", m_keyprotectbits, 3, 0, false),
        FIELD("lmc", lmc, 2, 0, false),
        FIELD("sm_sl", mastersmsl, 5, 0, false),
        FIELD("subnet_timeout", subnettimeout, 11, 0, false),
        FIELD("reregister", clientreregister, 1, 0, false),
        FIELD("width", linkwidthenabled, 1, 0x30, false),
        FIELD("speed", linkspeedenabled, 4, 8, false),
        FIELD("ext_speed", linkspeedextenabled, 1, 4, false),
        FIELD("down_state", linkdowndefaultstate, 1, 3, false),
        FIELD("mtu", neighbormtu, 3, 6, false),
        FIELD("vls", operationalvls, 2, 5, false),
        FIELD("high_limit", vlhighlimit, 6, 0, false),
        FIELD("stall_count", vlstallcount, 4, 0, true),
        FIELD("hoq_life", hoqlife, 12, 0, true),
        FIELD("enforce_in", partitionenforcementinbound, 1, 0, true),
        FIELD("enforce_out", partitionenforcementoutbound, 1, 0, true),
        FIELD("filter_raw_in", filterrawinbound, 1, 0, true),
        FIELD("filter_raw_out", filterrawoutbound, 1, 0, true),
        FIELD("physical_errors", localphyerrors, 7, 0, false),
        FIELD("overrun_errors", overrunerrors, 6, 0, false),
    };
    enum { ELSEWHERE = 2 }; /* violations and state have tests of their own */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        one_field(&cases[i]);
    cr_expect_eq(sizeof cases / sizeof *cases + ELSEWHERE, iba_portinfo_rules.n);
}

/* LinkSpeedEnabled 15 means all speeds that the port has. */
Test(portinfo, all_speeds)
{
    struct wired *w = wired_new();
    const struct smp s = request(0, PORTINFO, 0);
    struct iba_portinfo i = read_portinfo(w, s), is;

    i.linkspeedenabled = 15;
    cr_expect_neq(i.linkspeedenabled & ~i.linkspeedsupported, 0, "not each of them");
    cr_expect_eq(write_portinfo(w, s, &i, &is), 0);
    wired_free(w);
}

Test(portinfo, only_zero_clears_violations)
{
    struct wired *w = wired_new();
    const struct smp s = request(0, PORTINFO, 0);
    struct iba_portinfo i = read_portinfo(w, s), is;

    asked(w)->m_keyviolations = asked(w)->p_keyviolations = asked(w)->q_keyviolations = 5;
    i.m_keyviolations = 3;
    i.p_keyviolations = 0;
    i.q_keyviolations = 3;
    cr_expect_eq(write_portinfo(w, s, &i, &is), 0);
    cr_expect(is.m_keyviolations == 5 && is.p_keyviolations == 0 && is.q_keyviolations == 5);
    wired_free(w);
}

/* KM-25, KM-26: Set(PortInfo) from each state to each, on port 3 of the switch. */
Test(portinfo, port_states)
{
    for (uint8_t from = IBA_PORT_INIT; from <= IBA_PORT_ACTIVE; from++)
        for (uint8_t to = IBA_PORT_NOP; to <= IBA_PORT_ACTIVE + 1; to++) {
            struct wired *w = wired_new();
            const struct smp s = {.dlid = SWITCH_LID, .attribute = PORTINFO, .modifier = 3};
            struct iba_portinfo i = read_portinfo(w, s), is;
            const bool legal =
                to <= IBA_PORT_DOWN || (to == from && to != IBA_PORT_INIT) || (to == from + 1 && to <= IBA_PORT_ACTIVE);
            w->sw.port[3].info.portstate = from;
            i.portstate = to;
            cr_expect_eq(write_portinfo(w, s, &i, &is), legal ? 0 : IBA_MAD_BAD_VALUE, "%u to %u", from, to);
            cr_expect_eq(is.portstate, to == IBA_PORT_NOP || !legal ? from : to, "%u to %u", from, to);
            wired_free(w);
        }
}

Test(portinfo, physical_state_needs_down)
{
    struct wired *w = wired_new();
    const struct smp s = {.dlid = SWITCH_LID, .attribute = PORTINFO, .modifier = 3};
    struct iba_portinfo i = read_portinfo(w, s), is;

    i.portphysicalstate = IBA_PHYS_DISABLED;
    i.portstate = IBA_PORT_ARMED;
    cr_expect_eq(write_portinfo(w, s, &i, &is), IBA_MAD_BAD_VALUE);
    i.portstate = IBA_PORT_DOWN;
    cr_expect_eq(write_portinfo(w, s, &i, &is), 0);
    cr_expect_eq(is.portphysicalstate, IBA_PHYS_DISABLED);
    cr_expect_eq(is.portstate, IBA_PORT_DOWN);
    cr_expect(w->sw.port[3].link_work, "the other end has to notice");
    iba_link_settle(&w->sw, 3, &w->ca[2], 1, w->now);
    cr_expect_eq(w->ca[2].port[1].info.portstate, IBA_PORT_DOWN, "and goes down too");
    wired_free(w);
}

/* ---- Set(SwitchInfo) ---- */

Test(switchinfo, each_field)
{
    struct wired *w = wired_new();
    struct smp s = {.dlid = SWITCH_LID, .attribute = SWITCHINFO, .method = IBA_METHOD_SET};
    struct iba_switchinfo i = w->sw.sw, is;
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.sw.portstatechange = 1;
    i.linearfdbtop = 90;
    i.defaultmulticastprimaryport = 3;
    i.lifetimevalue = 9;
    i.portstatechange = 0;
    i.multicastfdbtop = 0xc005;
    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &i, s.data);
    cr_expect_eq(wired_ask(w, 0, &s, answer), 0);
    iba_layout_get(&iba_mad_layouts[IBA_M_switchinfo], answer + IBA_SMP_DATA_AT, &is);
    cr_expect(is.linearfdbtop == 90 && is.defaultmulticastprimaryport == 3 && is.lifetimevalue == 9 &&
              is.multicastfdbtop == 0xc005);
    cr_expect_eq(is.portstatechange, 1, "0 does not clear it");
    i.portstatechange = 1;
    i.linearfdbtop = 1024;
    iba_layout_put(&iba_mad_layouts[IBA_M_switchinfo], &i, s.data);
    cr_expect_eq(wired_ask(w, 0, &s, answer), IBA_MAD_BAD_VALUE);
    cr_expect_eq(w->sw.sw.linearfdbtop, 90);
    cr_expect_eq(w->sw.sw.portstatechange, 0, "1 does");
    for (unsigned k = 0; k < iba_switchinfo_rules.n; k++)
        cr_expect_gt(w->sw.hits[IBA_FABRIC_SWITCHINFO][k], 0);
    wired_free(w);
}

/* Notices with each trap number have the type that table 131 gives the number, and wait only at a port that may send
 * them. */
Test(agent, a_notice_of_any_number)
{
    static const struct {
        uint16_t trap;
        uint8_t type;
    } rows[] = {{128, 1}, {129, 1}, {130, 1}, {131, 1}, {144, 4}, {145, 4}, {256, 2}, {257, 2}};
    struct wired *w = wired_new();
    uint8_t details[IBA_BYTES_notice_data];

    memset(details, 0x5a, sizeof details);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint8_t *waits = w->sw.notice[i].bytes;
        cr_assert(iba_node_notice(&w->sw, 0, rows[i].trap, details, w->now));
        cr_expect_eq(iba_notice_trap(waits), rows[i].trap);
        cr_expect_eq(iba_notice_type(waits), rows[i].type, "trap %u", rows[i].trap);
        cr_expect_eq(iba_notice_producer(waits), 2, "a switch");
        cr_expect_arr_eq(waits + IBA_BYTES_notice, details, sizeof details);
    }
    cr_expect(!iba_node_notice(&w->sw, 0, 128, details, w->now), "no room is left");
    w->ca[1].port[1].info.mastersmlid = 0;
    cr_expect(!iba_node_notice(&w->ca[1], 1, 129, details, w->now), "no manager is known");
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}
