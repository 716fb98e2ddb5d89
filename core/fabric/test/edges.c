/* SPDX-License-Identifier: BSD-2-Clause */
/* Values at the edges of ranges, and times at which something ends. */
#include "fabric/iba_rate.h"
#include "wired.h"

enum { MANAGER = 0, SENDER = 1, ASKED = 2, KEY = 0x77, SECOND = 1000000000 };
enum { PORTINFO = 0x15, GUIDINFO = 0x14, COUNTERS = 0x12, NOTICE_AT = IBA_SMP_DATA_AT + IBA_BYTES_notice };

/* KM-06: the lease period ends with its last nanosecond. */
Test(edges, of_a_lease)
{
    for (unsigned late = 0; late < 2; late++) {
        struct wired *w = wired_new();
        struct iba_node *n = &w->ca[ASKED];
        struct iba_node_port *p = &n->port[1];
        const struct iba_mgmt_to to = {.dlid = FIRST_LID + ASKED, .slid = FIRST_LID, .pkey = 0xffff};
        const struct smp s = {.dlid = to.dlid, .attribute = PORTINFO, .mkey = KEY + 1};
        uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];
        p->info.m_key = KEY;
        p->info.m_keyprotectbits = 3;
        p->info.m_keyleaseperiod = 1;
        wired_mad(mad, &s);
        iba_mgmt_build(packet, &to, IBA_VL15, mad);
        iba_node_feed(n, 1, packet, sizeof packet, 0);
        cr_expect_eq(p->mkey_lease_ends, SECOND);
        iba_node_feed(n, 1, packet, sizeof packet, SECOND - 1 + late);
        cr_expect_eq(p->info.m_keyprotectbits, late ? 0 : 3, "%u ns late", late);
        memset(n->notice, 0, sizeof n->notice);
        iba_port_flush(n, p);
        wired_free(w);
    }
}

/* KM-36: the agent ignores GUIDs beyond GUIDCap. */
Test(edges, of_guids)
{
    for (uint8_t cap = 1; cap <= IBA_GUID_BLOCK; cap++) {
        struct wired *w = wired_new();
        struct iba_node_port *p = &w->ca[ASKED].port[1];
        struct smp s = {.dlid = FIRST_LID + ASKED, .method = IBA_METHOD_SET, .attribute = GUIDINFO};
        uint8_t answer[IBA_MAD_BYTES];
        p->info.guidcap = cap;
        memset(s.data, 9, sizeof s.data);
        cr_expect_eq(wired_ask(w, MANAGER, &s, answer), IBA_MAD_OK);
        for (unsigned i = 1; i < IBA_GUID_BLOCK; i++)
            cr_expect_eq(p->guid[i] != 0, i < cap, "GUID %u of %u", i, cap);
        s.modifier = 1;
        cr_expect_eq(wired_ask(w, MANAGER, &s, answer), IBA_MAD_BAD_VALUE, "there is one block");
        wired_free(w);
    }
}

/* KM-16, MD-112: an agent's answer may have a partition that the port it leaves by filters out. The notice then has
 * both QPs of that answer. */
Test(edges, an_answer_of_another_partition)
{
    struct wired *w = wired_new();
    const struct iba_mgmt_to to = {
        .dlid = SWITCH_LID, .slid = FIRST_LID + SENDER, .dqp = 1, .sqp = 0x77, .pkey = 0xffff};
    const struct smp s = {.dlid = SWITCH_LID, .attribute = COUNTERS};
    const uint8_t *d = w->trap + NOTICE_AT;
    uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];

    w->sw.port[1 + SENDER].info.partitionenforcementoutbound = 1;
    w->sw.port[1 + SENDER].pkey[0] = 0x8009;
    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_PERF);
    iba_node_send(&w->ca[SENDER], 1, packet, iba_mgmt_build(packet, &to, 0, mad), w->now);
    wired_run(w);
    cr_assert_eq(w->traps, 1);
    cr_expect_eq(iba_notice_trap(w->trap + IBA_SMP_DATA_AT), 259);
    cr_expect_eq(iba_trap_switch_pkey_qp1(d), 1);
    cr_expect_eq(iba_trap_switch_pkey_qp2(d), 0x77);
    cr_expect_eq(iba_trap_switch_pkey_valid(d), 0x33f);
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}

/* KM-28: the link has the widest width that both ends have enabled; 2x is narrower than 4x though its bit is higher. */
Test(edges, of_widths)
{
    static const struct {
        uint8_t bit, lanes;
    } widths[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};

    for (uint8_t common = 0; common < 32; common++) {
        struct wired *w = wired_new();
        struct iba_portinfo *i = &w->sw.port[1].info, *j = &w->ca[0].port[1].info;
        unsigned widest = 0, bit = 0;
        for (unsigned k = 0; k < sizeof widths / sizeof *widths; k++)
            if ((common & widths[k].bit) && widths[k].lanes > widest) {
                widest = widths[k].lanes;
                bit = widths[k].bit;
            }
        iba_link_lost(&w->sw, 1, w->now);
        iba_link_lost(&w->ca[0], 1, w->now);
        i->linkwidthenabled = common;
        j->linkwidthenabled = 31;
        iba_link_settle(&w->sw, 1, &w->ca[0], 1, w->now);
        cr_expect_eq(i->portphysicalstate == IBA_PHYS_LINKUP, widest > 0, "widths %u", common);
        if (widest)
            cr_expect(i->linkwidthactive == bit && j->linkwidthactive == bit, "widths %u", common);
        memset(w->sw.notice, 0, sizeof w->sw.notice);
        wired_free(w);
    }
}

/* The time of a byte on a link, and of a symbol on one lane, at each width and speed (volume 2: SDR has 2 Gbit/s on a
 * lane, FDR 13.64, NDR 100, without coding). An extended speed replaces the other. */
Test(edges, of_rates)
{
    static const struct {
        uint8_t speed, extended;
        uint32_t mbit;
    } speeds[] = {{1, 0, 2000},  {2, 0, 4000},  {4, 0, 8000},   {0, 1, 13636}, {0, 2, 25000},
                  {0, 4, 50000}, {4, 2, 25000}, {1, 8, 100000}, {0, 0, 2000}};
    static const uint8_t lanes[] = {[1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2};
    static struct iba_node_port p;

    for (unsigned width = 0; width < 256; width++)
        cr_expect_eq(iba_rate_lanes((uint8_t)width), width < sizeof lanes ? lanes[width] : 0, "width %u", width);
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        for (unsigned width = 0; width < sizeof lanes; width++) {
            const uint32_t mbit = speeds[i].mbit * (lanes[width] ? lanes[width] : 1u);
            p.info.linkwidthactive = (uint8_t)width;
            p.info.linkspeedactive = speeds[i].speed;
            p.info.linkspeedextactive = speeds[i].extended;
            cr_expect_eq(iba_rate_ps_per_byte(&p), 8000000 / mbit, "speed %zu, width %u", i, width);
            cr_expect_eq(iba_rate_ps_per_symbol(&p), 8000000 / speeds[i].mbit, "speed %zu, width %u", i, width);
        }
}

/* KM-28: 30 means that the port uses no extended speed, though it has bits of some. */
Test(edges, of_extended_speeds)
{
    for (uint8_t a = 0; a < 32; a++)
        for (uint8_t b = 0; b < 32; b += 5) {
            struct wired *w = wired_new();
            struct iba_portinfo *i = &w->sw.port[1].info, *j = &w->ca[0].port[1].info;
            const unsigned common = a == 30 || b == 30 ? 0 : a & b;
            iba_link_lost(&w->sw, 1, w->now);
            iba_link_lost(&w->ca[0], 1, w->now);
            i->linkspeedenabled = 1;
            j->linkspeedenabled = 6;
            i->linkspeedextenabled = a;
            j->linkspeedextenabled = b;
            iba_link_settle(&w->sw, 1, &w->ca[0], 1, w->now);
            cr_expect_eq(i->portphysicalstate == IBA_PHYS_LINKUP, common != 0, "%u, %u", a, b);
            for (unsigned bit = 1; common && bit < 32; bit <<= 1)
                if (common & bit && common < 2 * bit)
                    cr_expect(i->linkspeedextactive == bit && j->linkspeedextactive == bit, "%u, %u", a, b);
            memset(w->sw.notice, 0, sizeof w->sw.notice);
            wired_free(w);
        }
}

/* A port that has lost its cable has no pending work for the link. */
Test(edges, of_a_cable)
{
    struct wired *w = wired_new();

    w->sw.port[2].link_work = w->sw.port[3].link_work = true;
    iba_link_lost(&w->sw, 2, w->now);
    cr_expect(!w->sw.port[2].link_work && w->sw.port[3].link_work);
    memset(w->sw.notice, 0, sizeof w->sw.notice);
    wired_free(w);
}

/* KM-30: a request to reregister stays until the owner of the port clears it; later Sets without the bit do not take it
 * back. */
Test(edges, of_a_reregistration)
{
    struct wired *w = wired_new();
    struct iba_node_port *p = &w->ca[ASKED].port[1];
    struct smp s = {.dlid = FIRST_LID + ASKED, .method = IBA_METHOD_SET, .attribute = PORTINFO};
    uint8_t answer[IBA_MAD_BYTES];

    for (unsigned asked = 0; asked < 4; asked++) {
        struct iba_portinfo want = p->info;
        want.portstate = IBA_PORT_NOP;
        want.portphysicalstate = IBA_PHYS_NOP;
        want.clientreregister = asked == 1;
        iba_layout_put(&iba_mad_layouts[IBA_M_portinfo], &want, s.data);
        cr_expect_eq(wired_ask(w, MANAGER, &s, answer), IBA_MAD_OK);
        cr_expect_eq(p->reregister, asked > 0, "Set %u", asked);
    }
    p->reregister = false;
    cr_expect_eq(wired_ask(w, MANAGER, &s, answer), IBA_MAD_OK);
    cr_expect_not(p->reregister);
    wired_free(w);
}

/* A node whose packets have no room discards each packet that should leave, and counts it. */
Test(edges, of_a_pool_without_room)
{
    struct wired *w = wired_new();
    struct iba_pool none;
    const struct data_packet d = {.slid = FIRST_LID, .dlid = FIRST_LID + ASKED, .payload = 64};
    uint8_t packet[IBA_PACKET_MOST];

    iba_pool_init(&none, w->slot, w->bytes[0], 0);
    w->sw.pool = &none;
    iba_node_feed(&w->sw, 1, packet, wired_data(packet, &d), w->now);
    cr_expect_eq(w->sw.port[1 + ASKED].counters.portxmitdiscards, 1);
    cr_expect(none.used == 0 && w->sw.port[1 + ASKED].waiting == 0);
    wired_free(w);
}
