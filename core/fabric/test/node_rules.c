/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of a node that decide about more than one packet. Each rule shows in what other nodes receive, and a node
 * without the rule behaves differently. */
#include <stdlib.h>
#include "fabric/iba_node_rules.h"
#include "wired.h"

enum {
    RIGHT = 0x1234,
    WRONG = 0x4321,
    PORTINFO = 0x15,
    PKEYS = 0x16,
    SL_TO_VL = 0x17,
    MAD_AT = 28,
    SECOND = 1000000000
};

/* ---- power-up ---- */

static struct iba_node *powered_up(const struct iba_node_break *broken, void **memory, struct iba_pool *pool)
{
    const struct iba_node_config c = {
        .type = IBA_NODE_SWITCH, .n_port = 2, .vls = 1, .pkeys = 4, .switch_pkeys = 4, .lft = 64, .broken = *broken};
    struct iba_node *n = calloc(1, sizeof *n);

    *memory = malloc(iba_node_bytes(&c));
    cr_assert(n && *memory);
    iba_node_init(n, &c, *memory, pool);
    return n;
}

static bool starts_without_key(const struct iba_node *n)
{
    return n->port[0].info.m_key == 0 && n->port[0].info.m_keyleaseperiod == 0;
}

static bool starts_in_default_partition(const struct iba_node *n)
{
    return n->port[1].pkey[0] == 0xffff && n->port[1].pkey[1] == 0;
}

Test(node_rules, power_up)
{
    static const struct {
        const char *row;
        bool (*kept)(const struct iba_node *n);
    } cases[] = {{"no_key", starts_without_key}, {"partition", starts_in_default_partition}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned breaks = 0; breaks < 2; breaks++) {
            const struct iba_node_break broken = {breaks ? &iba_node_rules : NULL,
                                                  (uint16_t)wired_row(&iba_node_rules, cases[i].row)};
            struct iba_pool pool = {.n = 0};
            void *memory;
            struct iba_node *n = powered_up(&broken, &memory, &pool);
            cr_expect_eq(cases[i].kept(n), !breaks, "%s", cases[i].row);
            cr_expect_eq(wired_hits(n, &iba_node_rules, cases[i].row) > 0, !breaks, "%s", cases[i].row);
            free(memory);
            free(n);
        }
}

/* ---- a switch at work: adapter 0 asks it, on a directed route ---- */

static struct smp to_switch(uint16_t attribute, uint64_t mkey)
{
    return (struct smp){.dlid = 0xffff, .slid = 0xffff, .hops = 1, .path = {1}, .attribute = attribute, .mkey = mkey};
}

static int ask(struct wired *w, struct smp s, uint8_t answer[IBA_MAD_BYTES])
{
    return wired_ask(w, 0, &s, answer);
}

static void protect(struct wired *w)
{
    w->sw.port[0].info.m_key = RIGHT;
    w->sw.port[0].info.m_keyprotectbits = 2;
}

static bool twice(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];
    struct smp s = to_switch(PKEYS, 0);

    s.method = IBA_METHOD_SET;
    s.modifier = 2 << 16;
    memcpy(s.data, "\x00\x01\x80\x01", 4);
    return ask(w, s, answer) == 0 && w->sw.port[2].pkey[0] == 0x0001 && w->sw.port[2].pkey[1] == 0x8001;
}

static bool lease_stops(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    protect(w);
    w->sw.port[0].info.m_keyleaseperiod = 2;
    (void)ask(w, to_switch(PORTINFO, WRONG), answer);
    (void)ask(w, to_switch(PORTINFO, RIGHT), answer);
    wired_wait(w, (iba_time)3 * SECOND);
    return ask(w, to_switch(PORTINFO, WRONG), answer) < 0;
}

static bool answer_key(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];
    struct smp s = {.dlid = SWITCH_LID, .attribute = PORTINFO, .method = IBA_METHOD_GET_RESP, .mkey = WRONG};

    protect(w);
    (void)ask(w, s, answer);
    return w->heard_by_switch == 1;
}

static bool capabilities(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    if (ask(w, to_switch(PORTINFO, 0), answer) != 0 || !iba_portinfo_cap_sl_map(answer + IBA_SMP_DATA_AT))
        return iba_bits_get(answer + IBA_SMP_DATA_AT, IBA_AT_portinfo_cap_hierarchy, 32) != 0; /* it has none at all */
    return true;
}

static bool smp_in_init(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.port[1].info.portstate = w->ca[0].port[1].info.portstate = IBA_PORT_INIT;
    return ask(w, to_switch(PORTINFO, 0), answer) == 0;
}

static bool permissive(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    return ask(w, to_switch(PORTINFO, 0), answer) == 0 && iba_lrh_slid(w->last) == 0xffff &&
           iba_lrh_dlid(w->last) == 0xffff;
}

static bool transaction(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    return ask(w, to_switch(PORTINFO, 0), answer) == 0 && iba_madhdr_transactionid(answer) == 0x77;
}

static bool refuses(struct wired *w)
{
    const struct iba_mgmt_to to = {.dlid = SWITCH_LID, .slid = FIRST_LID, .dqp = 1, .sqp = 1, .pkey = 0xffff};
    struct smp s = {.dlid = SWITCH_LID, .attribute = 0x99};
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_PERF);
    iba_node_send(&w->ca[0], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
    wired_run(w);
    return w->heard[0] == 1 && w->last[MAD_AT + 5] == IBA_MAD_BAD_ATTRIBUTE;
}

static bool producer(struct wired *w)
{
    iba_link_lost(&w->sw, 3, w->now);
    wired_run(w);
    return w->traps == 1 && iba_notice_producer(w->trap + IBA_SMP_DATA_AT) == IBA_NODE_SWITCH;
}

static bool trap_key(struct wired *w)
{
    protect(w);
    iba_link_lost(&w->sw, 3, w->now);
    wired_run(w);
    return w->traps == 1 && iba_smplid_mkey(w->trap + IBA_BYTES_madhdr) == 0;
}

static bool trap_active(struct wired *w)
{
    w->sw.port[0].info.portstate = IBA_PORT_ARMED;
    iba_link_lost(&w->sw, 3, w->now);
    wired_run(w);
    return w->traps == 0;
}

static bool unmapped(struct wired *w)
{
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.cfg.unmapped = true;
    return ask(w, to_switch(SL_TO_VL, 0), answer) == IBA_MAD_BAD_ATTRIBUTE;
}

Test(node_rules, at_work)
{
    static const struct {
        const char *row;
        bool (*kept)(struct wired *w);
    } cases[] = {{"twice", twice},
                 {"lease_stops", lease_stops},
                 {"answer_key", answer_key},
                 {"capabilities", capabilities},
                 {"smp_in_init", smp_in_init},
                 {"permissive", permissive},
                 {"transaction", transaction},
                 {"refuses", refuses},
                 {"producer", producer},
                 {"trap_key", trap_key},
                 {"trap_active", trap_active},
                 {"unmapped", unmapped}};
    enum { AT_POWER_UP = 2 };

    cr_expect_eq(sizeof cases / sizeof *cases + AT_POWER_UP, iba_node_rules.n, "a row has no case");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned breaks = 0; breaks < 2; breaks++) {
            const unsigned row = wired_row(&iba_node_rules, cases[i].row);
            struct wired *w = wired_new();
            memset(w->sw.hits, 0, sizeof w->sw.hits);
            if (breaks)
                w->sw.cfg.broken = (struct iba_node_break){&iba_node_rules, (uint16_t)row};
            cr_expect_eq(cases[i].kept(w), !breaks, "%s %s", breaks ? "without" : "with", cases[i].row);
            cr_expect_eq(wired_hits(&w->sw, &iba_node_rules, cases[i].row) > 0, !breaks, "%s", cases[i].row);
            wired_free(w);
        }
}
