/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets to a node, directed routes and performance management, with a case for each row; traps. */
#include "wired.h"

enum { SECOND = 1000000000, PORTINFO = 0x15 };

/* ---- delivery: to adapter 1, from adapter 0 ---- */

struct delivery_case {
    const char *row;
    uint32_t dqp;
    uint8_t class;
    uint16_t pkey;
    bool data, wrong_qkey, wrong_icrc, to_switch;
    uint8_t answers, software,
        violations; /* packets that the node answers with, or gives to its software; wrong keys */
};

static size_t build(const struct delivery_case *c, uint8_t *packet)
{
    const uint16_t dlid = c->to_switch ? SWITCH_LID : FIRST_LID + 1;
    const struct iba_mgmt_to to = {
        .dlid = dlid, .slid = FIRST_LID, .dqp = c->dqp, .sqp = c->dqp, .pkey = c->pkey ? c->pkey : 0xffff};
    const struct smp s = {.dlid = dlid, .attribute = 0x12};
    uint8_t mad[IBA_MAD_BYTES];
    size_t n;

    if (c->data)
        return wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = dlid, .payload = 64, .qpn = c->dqp});
    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, c->class);
    if (c->class == IBA_CLASS_DIRECTED) {
        iba_smp_route_set_drslid(mad + 24, FIRST_LID);
        iba_smp_route_set_drdlid(mad + 24, 0xffff);
    }
    n = iba_mgmt_build(packet, &to, c->dqp ? 0 : IBA_VL15, mad);
    if (c->wrong_qkey) {
        iba_deth_set_q_key(packet + 20, 5);
        iba_put_le32(packet + n - 6, iba_icrc(IBA_ICRC_LOCAL, packet, 8, n - 6));
    }
    if (c->wrong_icrc)
        packet[n - 6] ^= 1;
    iba_put_le16(packet + n - 2, iba_vcrc(packet, n - 2));
    return n;
}

Test(delivery, each_row)
{
    static const struct delivery_case cases[] = {
        {"bad_icrc", .dqp = 1, .class = 4, .wrong_icrc = true},
        {"directed", .class = IBA_CLASS_DIRECTED, .answers = 1},
        {"lid_routed", .class = 1, .answers = 1},
        {"smp_of_other_class", .class = 4},
        {"gmp_pkey", .dqp = 1, .class = 4, .pkey = 0x8005, .violations = 1},
        {"gmp_qkey", .dqp = 1, .class = 4, .wrong_qkey = true, .violations = 2},
        {"performance", .dqp = 1, .class = 4, .answers = 1},
        {"baseboard", .dqp = 1, .class = IBA_CLASS_BASEBOARD, .answers = 1},
        {"congestion", .dqp = 1, .class = IBA_CLASS_CONGESTION, .answers = 1},
        {"data_for_switch", .data = true, .dqp = 7, .to_switch = true},
        {"software", .data = true, .dqp = 7, .software = 1},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wired *w = wired_new();
        uint8_t packet[IBA_PACKET_MOST];
        const size_t len = build(&cases[i], packet);
        struct iba_node *n = cases[i].to_switch ? &w->sw : &w->ca[1];
        iba_node_feed(n, 1, packet, len, w->now);
        cr_expect_eq(wired_hits(n, &iba_delivery_rules, cases[i].row), 1, "delivery.%s decides", cases[i].row);
        cr_expect_eq(n->local[0].n + n->local[IBA_VL15].n, cases[i].software, "%s", cases[i].row);
        cr_expect_eq(w->pool.used, cases[i].answers + cases[i].software, "%s", cases[i].row);
        cr_expect_eq(w->ca[1].port[1].info.p_keyviolations, cases[i].violations == 1, "%s", cases[i].row);
        cr_expect_eq(w->ca[1].port[1].info.q_keyviolations, cases[i].violations == 2, "%s", cases[i].row);
        seen[wired_row(&iba_delivery_rules, cases[i].row)] = true;
        memset(n->notice, 0, sizeof n->notice);
        wired_run(w);
        wired_free(w);
    }
    seen[wired_row(&iba_delivery_rules, "smp_without_datagram")] = true; /* below */
    seen[wired_row(&iba_delivery_rules, "for_other_subnet")] = true;     /* router.c */
    for (unsigned i = 0; i < iba_delivery_rules.n; i++)
        cr_expect(seen[i], "delivery.%s has no case", iba_fabric_row(&iba_delivery_rules, i)->name);
}

Test(delivery, smp_that_is_no_whole_datagram)
{
    struct wired *w = wired_new();
    uint8_t packet[IBA_PACKET_MOST];
    size_t n = wired_data(
        packet, &(struct data_packet){.slid = FIRST_LID, .dlid = FIRST_LID + 1, .payload = 64, .vl = IBA_VL15});

    iba_bth_set_destqp(packet + 8, 0);
    iba_put_le32(packet + n - 6, iba_icrc(IBA_ICRC_LOCAL, packet, 8, n - 6));
    iba_put_le16(packet + n - 2, iba_vcrc(packet, n - 2));
    iba_node_feed(&w->ca[1], 1, packet, n, w->now);
    cr_expect_eq(wired_hits(&w->ca[1], &iba_delivery_rules, "smp_without_datagram"), 1);
    wired_free(w);
}

/* A datagram is a SEND without immediate data. Another packet to QP1 that has 256 bytes is for software. */
Test(delivery, a_packet_with_immediate_data_is_no_datagram)
{
    static uint8_t mad[IBA_MAD_BYTES];
    struct wired *w = wired_new();
    const struct smp s = {.dlid = FIRST_LID + 1, .attribute = 0x01};
    uint8_t packet[IBA_PACKET_MOST];
    struct iba_recipe r;
    size_t len;

    wired_mad(mad, &s);
    iba_madhdr_set_mgmtclass(mad, IBA_CLASS_PERF);
    iba_recipe_init(&r, IBA_ENCAP_IB_LOCAL, IBA_UD_SEND_ONLY + 1);
    iba_lrh_set_slid(iba_recipe_part(&r, IBA_H_lrh), FIRST_LID);
    iba_lrh_set_dlid(iba_recipe_part(&r, IBA_H_lrh), FIRST_LID + 1);
    iba_bth_set_p_key(iba_recipe_part(&r, IBA_H_bth), 0xffff);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), 1);
    iba_deth_set_q_key(iba_recipe_part(&r, IBA_H_deth), 0x80010000);
    r.payload = mad;
    r.payload_len = sizeof mad;
    cr_assert_eq(iba_build(&r, packet, sizeof packet, &len), IBA_OK);
    iba_node_feed(&w->ca[1], 1, packet, len, w->now);
    cr_expect_eq(wired_hits(&w->ca[1], &iba_delivery_rules, "performance"), 0);
    cr_expect_eq(w->ca[1].local[0].n, 1);
    wired_run(w);
    wired_free(w);
}

/* ---- directed routes ---- */

/* A datagram that comes to the switch by port 1, or that the switch itself sends; and the row that must decide. */
struct route_case {
    const char *row;
    uint8_t pointer, count, d;
    bool adapter, own, dlid;
    uint8_t port, then; /* the port by which it leaves (255: to software; 0: by none), and its hop pointer then */
    uint16_t to;        /* its LID then */
};

/* Checks where the datagram, or its answer, went. */
static void expect_way(struct iba_node *n, const struct route_case *c, iba_time now)
{
    uint8_t packet[IBA_PACKET_MOST], port = 0, at = 0;
    size_t len = iba_node_receive(n, &port, packet, sizeof packet);

    if (len)
        at = IBA_NO_PORT;
    for (uint8_t p = 1; !len && p <= n->cfg.n_port; p++) {
        len = iba_node_poll(n, p, packet, sizeof packet, now);
        at = len ? p : 0;
    }
    cr_expect_eq(at, c->port, "%s: by port %u", c->row, at);
    if (!len)
        return;
    cr_expect_eq(packet[28 + 6], c->then, "%s: hop pointer %u", c->row, packet[28 + 6]);
    cr_expect_eq(iba_lrh_dlid(packet), c->to, "%s: LID %#x", c->row, (unsigned)iba_lrh_dlid(packet));
}

Test(directed, each_row)
{
    static const struct route_case cases[] = {
        {"too_many_hops", 1, 64, 0, false, false, false, 0, 0, 0},
        {"starts", 0, 1, 0, true, true, false, 1, 1, 0xffff},
        {"goes_on_at_adapter", 1, 2, 0, true, false, false, 0, 0, 0},
        {"goes_on", 1, 2, 0, false, false, false, 2, 2, 0xffff},
        {"ends_before_lids", 1, 1, 0, false, false, true, 3, 2, FIRST_LID + 2},
        {"ends", 1, 1, 0, false, false, false, 1, 1, 0xffff},
        {"ended", 2, 1, 0, false, false, false, 2, 1, 0xffff},
        {"returns_first", 2, 1, 1, false, false, false, 2, 1, 0xffff},
        {"returns_on_at_adapter", 2, 2, 1, true, false, false, 0, 0, 0},
        {"returns_on", 2, 2, 1, false, false, false, 2, 1, 0xffff},
        {"returned_before_lids", 1, 1, 1, false, false, true, 3, 0, FIRST_LID + 2},
        {"returned", 1, 1, 1, false, false, false, 255, 0, 0xffff},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    seen[wired_row(&iba_directed_rules, "no_datagram")] = true; /* below */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct route_case *c = &cases[i];
        struct wired *w = wired_new();
        const struct smp s = {.dlid = 0xffff, .slid = 0xffff, .attribute = 0x11, .hops = c->count, .path = {1, 2}};
        const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
        struct iba_node *n = c->adapter ? &w->ca[0] : &w->sw;
        uint8_t mad[IBA_MAD_BYTES], packet[IBA_MGMT_BYTES];
        wired_mad(mad, &s);
        mad[4] = c->d ? 0x80 : 0;
        mad[3] = c->d ? IBA_METHOD_GET_RESP : IBA_METHOD_GET;
        mad[6] = c->pointer;
        mad[193] = 2;
        mad[194] = 1;
        if (c->dlid) {
            iba_smp_route_set_drslid(mad + 24, FIRST_LID + 2);
            iba_smp_route_set_drdlid(mad + 24, FIRST_LID + 2);
            if (c->d)
                iba_smp_route_set_drdlid(mad + 24, 0xffff);
        }
        iba_mgmt_build(packet, &to, IBA_VL15, mad);
        if (c->own)
            iba_node_send(n, 1, packet, sizeof packet, w->now);
        else
            iba_node_feed(n, 1, packet, sizeof packet, w->now);
        cr_expect_geq(wired_hits(n, &iba_directed_rules, c->row), 1, "directed.%s decides", c->row);
        expect_way(n, c, w->now);
        seen[wired_row(&iba_directed_rules, c->row)] = true;
        wired_run(w);
        wired_free(w);
    }
    for (unsigned i = 0; i < iba_directed_rules.n; i++)
        cr_expect(seen[i], "directed.%s has no case", iba_fabric_row(&iba_directed_rules, i)->name);
}

Test(directed, no_whole_datagram)
{
    struct wired *w = wired_new();
    struct iba_hop h = {.node = &w->sw};

    iba_hop_apply(&h, &iba_directed_rules);
    cr_expect_eq(wired_hits(&w->sw, &iba_directed_rules, "no_datagram"), 1);
    wired_free(w);
}

/* A directed route through the switch and back: the return path has the ports by which the request came (MD-22, MD-23,
 * MD-27). */
Test(directed, there_and_back)
{
    struct wired *w = wired_new();
    const struct smp s = {.dlid = 0xffff, .slid = 0xffff, .attribute = 0x11, .hops = 2, .path = {1, 3}};
    uint8_t answer[IBA_MAD_BYTES];

    cr_assert_eq(wired_ask(w, 0, &s, answer), 0);
    cr_expect_eq(iba_nodeinfo_nodeguid(answer + IBA_SMP_DATA_AT), w->ca[2].cfg.node_guid);
    cr_expect_eq(answer[6], 0);
    cr_expect(answer[193] == 1 && answer[194] == 1, "it came by port 1 of the switch and port 1 of the adapter");
    cr_expect(answer[4] & 0x80, "D");
    wired_free(w);
}

/* ---- performance ---- */

static int ask_counters(struct wired *w, uint16_t attribute, uint8_t method, const uint8_t data[8], uint8_t *answer)
{
    struct agent_request r = {
        .dlid = SWITCH_LID, .attribute = attribute, .mgmt_class = IBA_CLASS_PERF, .version = 1, .method = method};

    memcpy(r.data, data, 8);
    return wired_ask_agent(w, &r, answer);
}

Test(performance, counters_stop_where_their_field_ends)
{
    struct wired *w = wired_new();
    const uint8_t of_port_2[8] = {0, 2}, of_port_99[8] = {0, 99};
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.port[2].counters.portxmitdiscards = 70000;
    w->sw.port[2].counters.portrcvconstrainterrors = 300;
    w->sw.port[2].counters.portxmitdata = UINT64_C(1) << 33;
    cr_expect_eq(ask_counters(w, 0x12, IBA_METHOD_GET, of_port_2, answer), 0);
    cr_expect_eq(iba_portcounters_portxmitdiscards(answer + 64), 0xffff);
    cr_expect_eq(iba_portcounters_portrcvconstrainterrors(answer + 64), 0xff);
    cr_expect_eq(iba_portcounters_portxmitdata(answer + 64), UINT32_MAX);
    cr_expect_eq(ask_counters(w, 0x1d, IBA_METHOD_GET, of_port_2, answer), 0);
    cr_expect_eq(iba_portcounters_ext_portxmitdata(answer + 64), UINT64_C(1) << 33);
    cr_expect_eq(ask_counters(w, 0x12, IBA_METHOD_GET, of_port_99, answer), IBA_MAD_BAD_VALUE);
    cr_expect_eq(ask_counters(w, 0x99, IBA_METHOD_GET, of_port_2, answer), IBA_MAD_BAD_ATTRIBUTE);
    cr_expect_eq(ask_counters(w, 0x01, IBA_METHOD_GET, of_port_2, answer), 0);
    cr_expect_eq(ask_counters(w, 0x01, IBA_METHOD_SET, of_port_2, answer), IBA_MAD_BAD_ATTRIBUTE);
    cr_expect_eq(ask_counters(w, 0x12, 0x19, of_port_2, answer), IBA_MAD_BAD_METHOD);
    for (unsigned i = 0; i < iba_pma_attributes.n; i++)
        cr_expect_gt(w->sw.hits[IBA_FABRIC_PERFORMANCE][i], 0);
    wired_free(w);
}

/* MD-105: a Set clears only the selected counters. */
Test(performance, a_set_clears_what_it_selects)
{
    struct wired *w = wired_new();
    const uint8_t discards[8] = {0, 2, 0, 1 << 6};
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.port[2].counters.portxmitdiscards = 5;
    w->sw.port[2].counters.portrcverrors = 6;
    cr_expect_eq(ask_counters(w, 0x12, IBA_METHOD_SET, discards, answer), 0);
    cr_expect_eq(w->sw.port[2].counters.portxmitdiscards, 0);
    cr_expect_eq(w->sw.port[2].counters.portrcverrors, 6);
    wired_free(w);
}

/* ---- traps ---- */

/* Returns the number of the trap that reached the manager at adapter 0 since the last call; 0 if none did. */
static unsigned trap_heard(struct wired *w)
{
    const unsigned traps = w->traps;

    w->traps = 0;
    return traps ? iba_notice_trap(w->trap + IBA_SMP_DATA_AT) : 0;
}

/* KM-60, KM-61: a node repeats a trap every SubnetTimeout until the manager represses the trap. */
Test(trap, comes_again_until_it_is_repressed)
{
    struct wired *w = wired_new();
    struct smp s = {.dlid = SWITCH_LID, .attribute = IBA_ATTR_NOTICE, .method = IBA_METHOD_TRAP_REPRESS};
    uint8_t answer[IBA_MAD_BYTES];

    w->sw.port[0].info.subnettimeout = 10; /* 4.2 ms */
    iba_link_lost(&w->sw, 4, w->now);
    wired_run(w);
    cr_expect_eq(trap_heard(w), 128);
    cr_expect_eq(iba_trap_switch_lidaddr(w->trap + IBA_SMP_DATA_AT + IBA_BYTES_notice), SWITCH_LID);
    cr_expect_eq(iba_smplid_mkey(w->trap + IBA_BYTES_madhdr), 0, "KM-58");
    for (unsigned i = IBA_BYTES_notice + 2; i < 64; i++) /* 64 bytes of data; LIDADDR has two */
        cr_expect_eq(w->trap[IBA_SMP_DATA_AT + i], 0, "byte %u is reserved in trap 128", i);
    wired_wait(w, 2000000);
    cr_expect_eq(trap_heard(w), 0, "not yet");
    wired_wait(w, 3000000);
    cr_expect_eq(trap_heard(w), 128, "again");
    w->sw.notice[0].tid = 0x77; /* the transaction of wired_ask() */
    (void)wired_ask(w, 0, &s, answer);
    wired_wait(w, SECOND);
    cr_expect_eq(trap_heard(w), 0, "repressed");
    wired_free(w);
}

Test(trap, none_while_the_manager_is_unknown_or_the_port_not_active)
{
    struct wired *w = wired_new();

    w->sw.port[0].info.mastersmlid = 0;
    iba_link_lost(&w->sw, 4, w->now);
    w->ca[1].port[1].info.portstate = IBA_PORT_ARMED;
    iba_node_set_issm(&w->ca[1], 1, true, w->now);
    wired_run(w);
    cr_expect_eq(trap_heard(w), 0);
    wired_free(w);
}

Test(trap, fields_of_144_and_256)
{
    struct wired *w = wired_new();
    struct smp s = {.dlid = FIRST_LID + 1, .attribute = PORTINFO, .modifier = 1, .mkey = 9};
    const uint8_t *d = w->trap + IBA_SMP_DATA_AT + IBA_BYTES_notice;
    uint8_t answer[IBA_MAD_BYTES];

    iba_node_set_issm(&w->ca[1], 1, true, w->now);
    wired_run(w);
    cr_expect_eq(trap_heard(w), 144);
    cr_expect_eq(iba_trap_local_lidaddr(d), FIRST_LID + 1);
    cr_expect_eq(iba_trap_local_capabilitymask(d) & 2, 2, "IsSM");
    memset(w->ca[1].notice, 0, sizeof w->ca[1].notice);
    w->ca[1].port[1].info.m_key = 8;
    w->ca[1].port[1].info.m_keyprotectbits = 2;
    (void)wired_ask(w, 0, &s, answer);
    cr_expect_eq(trap_heard(w), 256);
    cr_expect_eq(iba_trap_mkey_lidaddr(d), FIRST_LID);
    cr_expect_eq(iba_trap_mkey_method(d), IBA_METHOD_GET);
    cr_expect_eq(iba_trap_mkey_attributeid(d), PORTINFO);
    cr_expect_eq(iba_trap_mkey_attributemodifier(d), 1);
    cr_expect_eq(iba_trap_mkey_mkey(d), 9);
    memset(w->ca[1].notice, 0, sizeof w->ca[1].notice);
    wired_free(w);
}
