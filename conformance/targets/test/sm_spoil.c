/* SPDX-License-Identifier: BSD-2-Clause */
/* Spoiled subnet managers: which datagram each alters, and how. */
#include "../sm_spoil.h"
#include <criterion/criterion.h>
#include <string.h>
#include "fabric/iba_node.h"
#include "mad/iba_mad.h"

enum { MAD = 256, DATA = 64, SA_DATA = 56, RECORD_KEY = 36 };
enum { GET = 0x01, SET = 0x02, REPRESS = 0x07, GET_RESP = 0x81, DEL_RESP = 0x95, DIRECTED = 0x81, SMP = 1, SA = 3 };

static uint8_t mad[MAD], was[MAD];

/* Builds a datagram whose bytes all differ from zero. */
static void build(uint8_t mgmtclass, uint8_t method, uint16_t attribute)
{
    for (unsigned i = 0; i < MAD; i++)
        mad[i] = (uint8_t)(i % 250 + 1);
    mad[1] = mgmtclass;
    mad[3] = method;
    iba_madhdr_set_attributeid(mad, attribute);
    memcpy(was, mad, sizeof was);
}

static struct sm_spoiling spoiling(const char *name)
{
    const struct sm_spoil *row = sm_spoil_find(name, strlen(name));

    cr_assert(row, "%s", name);
    return (struct sm_spoiling){.row = row};
}

/* Whether only bytes from `first` to `last` differ. */
static bool only(unsigned first, unsigned last)
{
    return memcmp(mad, was, first) == 0 && memcmp(mad + last + 1, was + last + 1, MAD - last - 1) == 0;
}

/* ---- which ---- */

/* The datagrams that each row is about, from the table of its documentation. */
static const struct {
    const char *name;
    uint8_t mgmtclass, method;
    uint16_t attribute;
    bool to_manager, drops;
} rows[] = {
    {"one-lid", SMP, SET, 0x15, false, false},
    {"no-lmc", SMP, SET, 0x15, false, false},
    {"no-portinfo", SMP, SET, 0x15, false, true},
    {"never-armed", SMP, SET, 0x15, false, false},
    {"never-active", SMP, SET, 0x15, false, false},
    {"never-again", SMP, SET, 0x15, false, false},
    {"other-master", SMP, SET, 0x15, false, false},
    {"small-mtu", SMP, SET, 0x15, false, false},
    {"one-lane", SMP, SET, 0x15, false, false},
    {"no-mkey", SMP, SET, 0x15, false, false},
    {"no-lease", SMP, SET, 0x15, false, false},
    {"no-protection", SMP, SET, 0x15, false, false},
    {"half-routes", SMP, SET, 0x19, false, false},
    {"turned-routes", SMP, SET, 0x19, false, false},
    {"no-routes", SMP, SET, 0x19, false, true},
    {"frozen-routes", SMP, SET, 0x19, false, true},
    {"no-pkeys", SMP, SET, 0x16, false, true},
    {"all-full", SMP, SET, 0x16, false, false},
    {"no-multicast", SMP, SET, 0x1b, false, true},
    {"keeps-members", SMP, SET, 0x1b, false, false},
    {"never-represses", SMP, REPRESS, 0x02, false, true},
    {"no-state", SMP, GET_RESP, 0x20, false, false},
    {"no-priority", SMP, GET_RESP, 0x20, false, false},
    {"no-handover", SMP, SET, 0x20, false, true},
    {"other-path", SA, GET_RESP, 0x35, false, false},
    {"all-well", SA, GET_RESP, 0x31, false, false},
    {"all-deleted", SA, DEL_RESP, 0x38, false, false},
    {"own-signature", SA, GET_RESP, 0x38, false, false},
    {"unicast-group", SA, GET_RESP, 0x38, false, false},
    {"any-key", SA, GET, 0x31, true, false},
    {"shows-key", SA, GET_RESP, 0x31, false, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool is_any(unsigned i)
{
    return strcmp(rows[i].name, "all-well") == 0 || strcmp(rows[i].name, "any-key") == 0 ||
           strcmp(rows[i].name, "shows-key") == 0;
}

Test(sm_spoil, every_row_is_here_once)
{
    cr_assert_eq(sm_spoil_count, ROWS);
    for (unsigned i = 0; i < ROWS; i++) {
        cr_expect_str_eq(sm_spoils[i].name, rows[i].name, "the rows stand in this order");
        cr_expect_eq(sm_spoil_find(rows[i].name, strlen(rows[i].name)), &sm_spoils[i]);
        cr_expect_null(sm_spoil_find(rows[i].name, strlen(rows[i].name) - 1));
    }
    cr_expect_null(sm_spoil_find("no-lmcs", 7));
    cr_expect_null(sm_spoil_find("", 0));
}

/* The class for a row's datagram; of subnet management the second form is the directed one. */
static uint8_t class_of(unsigned i, unsigned form)
{
    return rows[i].mgmtclass == SMP && form ? DIRECTED : rows[i].mgmtclass;
}

/* Whether the row touches the datagram: it changes or drops it. */
static bool touches(unsigned i, uint8_t mgmtclass, uint8_t method, uint16_t attribute, bool from_manager)
{
    struct sm_spoiling s = spoiling(rows[i].name);

    s.trapped = true;
    build(mgmtclass, method, attribute);
    if (rows[i].attribute == 0x15) /* never-armed, never-active and small-mtu look at the data */
        iba_portinfo_set_portstate(mad + DATA, strcmp(rows[i].name, "never-armed") == 0 ? 3 : 4);
    if (strcmp(rows[i].name, "small-mtu") == 0)
        iba_portinfo_set_lid(mad + DATA, 0);
    if (strcmp(rows[i].name, "all-full") == 0)
        memset(mad + DATA, 0x11, 64);
    if (strcmp(rows[i].name, "keeps-members") == 0)
        memset(s.kept, 0xff, sizeof s.kept);
    memcpy(was, mad, sizeof was);
    return !sm_spoil_apply(&s, from_manager, mad) || memcmp(mad, was, sizeof mad) != 0;
}

Test(sm_spoil, rows_are_about_their_datagrams_alone)
{
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned form = 0; form < 2; form++) {
            const uint8_t mgmtclass = class_of(i, form), other = rows[i].mgmtclass == SMP ? SA : SMP;
            const uint16_t a = rows[i].attribute;
            const bool from = !rows[i].to_manager;
            cr_expect(touches(i, mgmtclass, rows[i].method, a, from), "%s", rows[i].name);
            cr_expect_not(touches(i, mgmtclass, rows[i].method, a, !from), "%s", rows[i].name);
            cr_expect_not(touches(i, other, rows[i].method, a, from), "%s", rows[i].name);
            cr_expect_not(touches(i, 4, rows[i].method, a, from), "%s", rows[i].name);
            cr_expect_not(touches(i, mgmtclass, rows[i].method ^ 3, a, from), "%s", rows[i].name);
            cr_expect_eq(touches(i, mgmtclass, rows[i].method, a + 1, from), is_any(i), "%s", rows[i].name);
        }
}

/* Requests that are dropped have the answer that a node would give. */
Test(sm_spoil, dropped_requests_are_answered)
{
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned form = 0; form < 2; form++) {
            struct sm_spoiling s = spoiling(rows[i].name);
            s.trapped = true;
            build(class_of(i, form), rows[i].method, rows[i].attribute);
            cr_expect_eq(sm_spoil_apply(&s, !rows[i].to_manager, mad), !rows[i].drops, "%s", rows[i].name);
            if (!rows[i].drops)
                continue;
            const bool set = rows[i].method == SET;
            was[3] = set ? GET_RESP : REPRESS;
            was[4] |= set && form ? 0x80 : 0; /* the answer's direction */
            cr_expect_arr_eq(mad, was, MAD, "%s", rows[i].name);
        }
}

Test(sm_spoil, a_manager_as_it_is)
{
    struct sm_spoiling s = {0};

    for (unsigned i = 0; i < ROWS; i++) {
        build(rows[i].mgmtclass, rows[i].method, rows[i].attribute);
        cr_expect(sm_spoil_apply(&s, !rows[i].to_manager, mad));
        cr_expect_arr_eq(mad, was, MAD);
    }
}

/* Two rows begin when the manager has repressed a trap. */
Test(sm_spoil, later)
{
    static const char *const names[] = {"never-again", "frozen-routes"};

    for (unsigned i = 0; i < 2; i++) {
        struct sm_spoiling s = spoiling(names[i]);
        for (unsigned step = 0; step < 3; step++) {
            build(DIRECTED, SET, i ? 0x19 : 0x15);
            iba_portinfo_set_portstate(mad + DATA, IBA_PORT_ACTIVE);
            memcpy(was, mad, sizeof was);
            const bool passed = sm_spoil_apply(&s, true, mad), same = memcmp(mad, was, sizeof mad) == 0;
            cr_expect_eq(passed && same, step < 2, "%s %u", names[i], step);
            build(SMP, REPRESS, 2);
            cr_expect(sm_spoil_apply(&s, step > 0, mad), "a Repress to the manager does not count");
        }
        sm_spoil_begin(&s);
        cr_expect(!s.trapped && s.row == sm_spoil_find(names[i], strlen(names[i])));
    }
}

/* ---- how ---- */

static struct iba_portinfo portinfo(const char *name, unsigned lid, unsigned state)
{
    struct sm_spoiling s = spoiling(name);
    struct iba_portinfo is = {.lid = (uint16_t)lid,
                              .lmc = 3,
                              .m_key = UINT64_C(0x123456789abcdef0),
                              .mastersmlid = 7,
                              .m_keyleaseperiod = 9,
                              .m_keyprotectbits = 2,
                              .portstate = (uint8_t)state,
                              .neighbormtu = 5,
                              .operationalvls = 4};

    s.trapped = true;
    build(SMP, SET, 0x15);
    iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &is, mad + DATA);
    memcpy(was, mad, sizeof was);
    cr_assert(sm_spoil_apply(&s, true, mad));
    cr_assert(only(DATA, DATA + 63), "%s", name);
    iba_layout_get(&iba_mad_layouts[IBA_M_portinfo], mad + DATA, &is);
    return is;
}

/* PortInfo as each row leaves it. */
Test(sm_spoil, port_info)
{
    static const struct {
        const char *name;
        unsigned lid, state; /* of the datagram */
        unsigned lid_is, lmc, master, lease, protect, state_is, mtu, vls;
        uint64_t key;
    } table[] = {
#define KEY UINT64_C(0x123456789abcdef0)
        {"one-lid", 5, 2, 1, 3, 7, 9, 2, 2, 5, 4, KEY},
        {"one-lid", 0, 2, 0, 3, 7, 9, 2, 2, 5, 4, KEY},
        {"no-lmc", 5, 2, 5, 0, 7, 9, 2, 2, 5, 4, KEY},
        {"never-armed", 5, 3, 5, 3, 7, 9, 2, 0, 5, 4, KEY},
        {"never-armed", 5, 4, 5, 3, 7, 9, 2, 4, 5, 4, KEY},
        {"never-active", 5, 4, 5, 3, 7, 9, 2, 0, 5, 4, KEY},
        {"never-active", 5, 3, 5, 3, 7, 9, 2, 3, 5, 4, KEY},
        {"never-again", 5, 4, 5, 3, 7, 9, 2, 0, 5, 4, KEY},
        {"never-again", 5, 2, 5, 3, 7, 9, 2, 2, 5, 4, KEY},
        {"other-master", 5, 2, 5, 3, 0x1234, 9, 2, 2, 5, 4, KEY},
        {"small-mtu", 0, 2, 0, 3, 7, 9, 2, 2, IBA_MTU_256, 4, KEY},
        {"small-mtu", 5, 2, 5, 3, 7, 9, 2, 2, 5, 4, KEY},
        {"one-lane", 5, 2, 5, 3, 7, 9, 2, 2, 5, 1, KEY},
        {"no-mkey", 5, 2, 5, 3, 7, 9, 2, 2, 5, 4, 0},
        {"no-lease", 5, 2, 5, 3, 7, 0, 2, 2, 5, 4, KEY},
        {"no-protection", 5, 2, 5, 3, 7, 9, 0, 2, 5, 4, KEY},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct iba_portinfo p = portinfo(table[i].name, table[i].lid, table[i].state);
        cr_expect(p.lid == table[i].lid_is && p.lmc == table[i].lmc && p.mastersmlid == table[i].master, "%s %zu",
                  table[i].name, i);
        cr_expect(p.m_keyleaseperiod == table[i].lease && p.m_keyprotectbits == table[i].protect, "%s", table[i].name);
        cr_expect(p.portstate == table[i].state_is && p.neighbormtu == table[i].mtu, "%s %zu", table[i].name, i);
        cr_expect(p.operationalvls == table[i].vls && p.m_key == table[i].key, "%s", table[i].name);
    }
}

static void spoil(const char *name, uint8_t mgmtclass, uint8_t method, uint16_t attribute)
{
    struct sm_spoiling s = spoiling(name);

    build(mgmtclass, method, attribute);
    cr_assert(sm_spoil_apply(&s, name[0] != 'a' || strcmp(name, "any-key") != 0, mad));
}

Test(sm_spoil, tables)
{
    spoil("half-routes", SMP, SET, 0x19);
    cr_expect(only(DATA + 3, DATA + 63));
    for (unsigned i = 3; i < 64; i++)
        cr_expect_eq(mad[DATA + i], IBA_NO_PORT);
    spoil("turned-routes", SMP, SET, 0x19);
    cr_expect(only(DATA, DATA + 63));
    for (unsigned i = 0; i < 64; i++)
        cr_expect_eq(mad[DATA + i], 1);
    struct sm_spoiling s = spoiling("all-full");
    build(SMP, SET, 0x16);
    memset(mad + DATA, 0, 64);
    memcpy(mad + DATA + 2, "\x00\x01\x01\x00\xff\xff\x7f\xff", 8);
    mad[DATA + 63] = 5;
    memcpy(was, mad, sizeof was);
    cr_assert(sm_spoil_apply(&s, true, mad));
    memcpy(was + DATA + 2, "\x80\x01\x81\x00\xff\xff\xff\xff", 8);
    was[DATA + 62] = 0x80;
    cr_expect_arr_eq(mad, was, MAD);
}

Test(sm_spoil, members_are_kept)
{
    struct sm_spoiling s = spoiling("keeps-members");

    for (unsigned step = 0; step < 3; step++) {
        build(SMP, SET, 0x1b);
        memset(mad + DATA, 0, 64);
        mad[DATA] = (uint8_t)(1 << step);
        mad[DATA + 63] = (uint8_t)(0x80 >> step);
        memcpy(was, mad, sizeof was);
        cr_assert(sm_spoil_apply(&s, true, mad));
        was[DATA] = (uint8_t)((2 << step) - 1);
        was[DATA + 63] = (uint8_t)(0x80 | (step ? 0x40 : 0) | (step > 1 ? 0x20 : 0));
        cr_expect_arr_eq(mad, was, MAD, "%u", step);
    }
}

Test(sm_spoil, managers_and_administration)
{
    spoil("no-state", SMP, GET_RESP, 0x20);
    cr_expect_eq(iba_sminfo_smstate(mad + DATA), 0);
    cr_expect_eq(iba_sminfo_priority(mad + DATA), iba_sminfo_priority(was + DATA));
    spoil("no-priority", SMP, GET_RESP, 0x20);
    cr_expect_eq(iba_sminfo_priority(mad + DATA), 0);
    cr_expect_eq(iba_sminfo_smstate(mad + DATA), iba_sminfo_smstate(was + DATA));
    spoil("other-path", SA, GET_RESP, 0x35);
    cr_expect_eq(iba_pathrecord_dlid(mad + SA_DATA), 0x1234);
    iba_pathrecord_set_dlid(was + SA_DATA, 0x1234);
    cr_expect_arr_eq(mad, was, MAD);
    for (unsigned i = 0; i < 2; i++) {
        spoil(i ? "all-deleted" : "all-well", SA, i ? DEL_RESP : GET_RESP, 0x38);
        was[4] = was[5] = 0;
        cr_expect_arr_eq(mad, was, MAD);
    }
    spoil("own-signature", SA, GET_RESP, 0x38);
    was[SA_DATA + 2] ^= 0x50;
    cr_expect_arr_eq(mad, was, MAD);
    spoil("unicast-group", SA, GET_RESP, 0x38);
    iba_mcmemberrecord_set_mlid(was + SA_DATA, 0x1234);
    cr_expect_arr_eq(mad, was, MAD);
    spoil("any-key", SA, GET, 0x35);
    memset(was + RECORD_KEY, 0, 8);
    cr_expect_arr_eq(mad, was, MAD);
    spoil("shows-key", SA, GET_RESP, 0x35);
    was[RECORD_KEY + 7] = 1;
    cr_expect_arr_eq(mad, was, MAD);
}
