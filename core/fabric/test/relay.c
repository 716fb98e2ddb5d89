/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that arrive at a port of a node, with a case for each row; and the specification's partition example, packet
 * by packet. */
#include "wired.h"

enum { BY = 1 }; /* the switch's port by which adapter 0's packets come */

/* Counters of port BY, by which packets come, and of port 2, by which they leave. */
enum counter { NOTHING, ERRORS, CONSTRAINT_IN, RELAY, DISCARDS, CONSTRAINT_OUT, COUNTERS };

static uint64_t value_of(const struct wired *w, enum counter c)
{
    const struct iba_portcounters_ext *in = &w->sw.port[BY].counters, *out = &w->sw.port[2].counters;

    switch (c) {
    case ERRORS: return in->portrcverrors;
    case CONSTRAINT_IN: return in->portrcvconstrainterrors;
    case RELAY: return in->portrcvswitchrelayerrors;
    case DISCARDS: return out->portxmitdiscards;
    case CONSTRAINT_OUT: return out->portxmitconstrainterrors;
    default: return 0;
    }
}

/* A packet of these cases, and what the test sets up before the packet comes. */
struct relay_case {
    const char *row;
    bool smp;
    struct data_packet data;
    struct smp mad;
    void (*arrange)(struct wired *w, uint8_t *packet);
    int32_t sent;       /* packets that the switch sends then */
    enum counter count; /* the counter that is 1 then */
};

static void cut_vcrc(struct wired *w, uint8_t *packet)
{
    (void)w;
    packet[20] ^= 1; /* of the DETH */
}

/* The BTH says that three bytes of the payload are padding, but there is no payload. */
static void pad_nothing(struct wired *w, uint8_t *packet)
{
    enum { VCRC_AT = 8 + 12 + 8 + 4 };

    (void)w;
    iba_bth_set_padcnt(packet + 8, 3);
    iba_put_le16(packet + VCRC_AT, iba_vcrc(packet, VCRC_AT));
}

static void link_down(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].info.portphysicalstate = IBA_PHYS_POLLING;
}

static void port_init(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].info.portstate = IBA_PORT_INIT;
}

static void port_armed(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].info.portstate = IBA_PORT_ARMED;
}

/* Fills a receive buffer. */
static void buffer_full(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].credits = true;
    w->sw.port[BY].lane[0].held = w->sw.cfg.buffer;
}

static void small_mtu(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].info.mtucap = IBA_MTU_256;
}

static void enforce_in(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[BY].info.partitionenforcementinbound = 1;
    w->sw.port[BY].pkey[0] = 0x8001;
}

static void enforce_out(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[2].info.partitionenforcementoutbound = 1;
    w->sw.port[2].pkey[0] = 0x8001;
}

static void filter_in(struct wired *w, uint8_t *packet)
{
    (void)w;
    w->sw.port[BY].info.filterrawinbound = 1;
    iba_lrh_set_lnh(packet, 1);
    iba_put_le16(packet + 288, iba_vcrc(packet, 288));
}

static void filter_out(struct wired *w, uint8_t *packet)
{
    w->sw.port[2].info.filterrawoutbound = 1;
    iba_lrh_set_lnh(packet, 1);
    iba_put_le16(packet + 288, iba_vcrc(packet, 288));
}

static void out_down(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[2].info.portstate = IBA_PORT_ARMED;
}

static void out_small(struct wired *w, uint8_t *packet)
{
    (void)packet;
    w->sw.port[2].info.neighbormtu = IBA_MTU_256;
}

static void no_lane(struct wired *w, uint8_t *packet)
{
    (void)packet;
    iba_node_sl2vl(&w->sw, BY, 2)[3] = IBA_VL15;
}

static size_t build(const struct relay_case *c, uint8_t *packet)
{
    uint8_t mad[IBA_MAD_BYTES];
    struct iba_mgmt_to to = {.dlid = c->mad.dlid, .slid = c->mad.slid, .pkey = 0xffff};

    if (!c->smp)
        return wired_data(packet, &c->data);
    wired_mad(mad, &c->mad);
    mad[6] = 1; /* the hop pointer of a route that an adapter began */
    return iba_mgmt_build(packet, &to, IBA_VL15, mad);
}

/* Sends each case's packet to port BY of a new switch, and checks which row decided. */
static void each_row(const struct relay_case *c, size_t n, const struct iba_fabric_table *t, bool seen[IBA_FABRIC_ROWS])
{
    for (size_t i = 0; i < n; i++) {
        struct wired *w = wired_new();
        uint8_t packet[IBA_PACKET_MOST];
        const size_t len = build(&c[i], packet);
        if (c[i].arrange)
            c[i].arrange(w, packet);
        iba_node_feed(&w->sw, BY, packet, len, w->now);
        cr_expect_eq(wired_hits(&w->sw, t, c[i].row), 1, "%s.%s decides about its packet", t->name, c[i].row);
        cr_expect_eq(w->pool.used, c[i].sent, "%s.%s: %d packets leave", t->name, c[i].row, w->pool.used);
        for (unsigned k = ERRORS; k < COUNTERS; k++)
            cr_expect_eq(value_of(w, (enum counter)k), k == c[i].count, "%s.%s: counter %u", t->name, c[i].row, k);
        seen[wired_row(t, c[i].row)] = true;
        for (unsigned p = 1; p <= SWITCH_PORTS; p++)
            w->sw.port[p].info.portphysicalstate = IBA_PHYS_LINKUP;
        wired_run(w);
        wired_free(w);
    }
}

static void all_seen(const struct iba_fabric_table *t, const bool seen[IBA_FABRIC_ROWS])
{
    for (unsigned i = 0; i < t->n; i++)
        cr_expect(seen[i], "%s.%s has no case", t->name, iba_fabric_row(t, i)->name);
}

/* Two rows about arriving packets apply to adapters only. */
static void at_an_adapter(const char *row, uint16_t dlid, bool seen[IBA_FABRIC_ROWS])
{
    struct wired *w = wired_new();
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = FIRST_LID + 1, .dlid = dlid});

    iba_node_feed(&w->ca[0], 1, packet, len, w->now);
    cr_expect_eq(wired_hits(&w->ca[0], &iba_arrival_rules, row), 1, "arrival.%s decides about its packet", row);
    seen[wired_row(&iba_arrival_rules, row)] = true;
    wired_run(w);
    wired_free(w);
}

#define DATA(...) .data = {.slid = 11, .payload = 256, __VA_ARGS__}
#define SMP(...) .smp = true, .mad = {.attribute = 0x11, __VA_ARGS__}
#define COUNT(a) (sizeof(a) / sizeof *(a))

Test(relay, each_row_of_arrival)
{
    static const struct relay_case cases[] = {
        {"damaged", DATA(.dlid = 12), .arrange = cut_vcrc, .count = ERRORS},
        {"damaged", .data = {.slid = 11, .dlid = 12}, .arrange = pad_nothing, .count = ERRORS},
        {"link_is_down", DATA(.dlid = 12), .arrange = link_down},
        {"vl_of_other_kind", DATA(.dlid = 12, .vl = IBA_VL15)},
        {"vl_not_operational", DATA(.dlid = 12, .vl = 9)},
        {"no_room", DATA(.dlid = 12), .arrange = buffer_full, .count = ERRORS},
        {"longer_than_mtu", .data = {.slid = 11, .dlid = 12, .payload = 512}, .arrange = small_mtu, .count = ERRORS},
        {"data_out_of_season", DATA(.dlid = 12), .arrange = port_init},
        {"data_activates", DATA(.dlid = 12), .arrange = port_armed, .sent = 1},
        {"dlid_reserved", DATA(.dlid = 0)},
        {"slid_multicast", .data = {.slid = 0xc001, .dlid = 12}},
        {"permissive_misuse", DATA(.dlid = 0xffff)},
        {"directed_here", SMP(.dlid = 0xffff, .slid = 0xffff, .hops = 1), .sent = 1},
        {"smp_multicast", SMP(.slid = 11, .dlid = GROUP)},
        {"raw_filtered", DATA(.dlid = 12), .arrange = filter_in, .count = CONSTRAINT_IN},
        {"other_partition", DATA(.dlid = 12, .pkey = 0x8002), .arrange = enforce_in, .count = CONSTRAINT_IN},
        {"for_this_node", SMP(.slid = 11, .dlid = SWITCH_LID), .sent = 1},
        {"multicast", DATA(.dlid = GROUP), .sent = 2},
        {"no_route", DATA(.dlid = 77), .count = RELAY},
        {"turns_back", DATA(.dlid = 11), .count = RELAY},
        {"relayed", DATA(.dlid = 12), .sent = 1},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    each_row(cases, COUNT(cases), &iba_arrival_rules, seen);
    at_an_adapter("lid_foreign", FIRST_LID + 2, seen);
    at_an_adapter("multicast_adapter", GROUP, seen);
    all_seen(&iba_arrival_rules, seen);
}

Test(relay, each_row_of_departure)
{
    static const struct relay_case cases[] = {
        {"inactive", DATA(.dlid = 12), .arrange = out_down, .count = DISCARDS},
        {"smp", SMP(.slid = 11, .dlid = 12), .sent = 1},
        {"longer_than_mtu", .data = {.slid = 11, .dlid = 12, .payload = 512}, .arrange = out_small, .count = DISCARDS},
        {"raw_filtered", DATA(.dlid = 12), .arrange = filter_out, .count = CONSTRAINT_OUT},
        {"other_partition", DATA(.dlid = 12, .pkey = 0x8002), .arrange = enforce_out, .count = CONSTRAINT_OUT},
        {"no_vl", DATA(.dlid = 12, .sl = 3), .arrange = no_lane, .count = DISCARDS},
        {"leaves", DATA(.dlid = 12), .sent = 1},
    };
    bool seen[IBA_FABRIC_ROWS] = {false};

    each_row(cases, COUNT(cases), &iba_departure_rules, seen);
    all_seen(&iba_departure_rules, seen);
}

/* WF-14: on each hop the SL stays, the VL follows from the SLtoVL table of the two ports, and the VCRC is correct. */
Test(relay, lane_of_each_hop)
{
    struct wired *w = wired_new();
    uint8_t packet[IBA_PACKET_MOST];
    struct iba_view v;
    const size_t len =
        wired_data(packet, &(struct data_packet){.slid = 11, .dlid = 12, .sl = 6, .vl = 1, .payload = 64});

    iba_node_sl2vl(&w->sw, 1, 2)[6] = 5;
    iba_node_feed(&w->sw, 1, packet, len, w->now);
    cr_assert_eq(iba_node_poll(&w->sw, 2, packet, sizeof packet, w->now), len);
    iba_view_parse(&v, IBA_LINK_IB, packet, len, len, NULL);
    iba_view_check(&v);
    cr_expect_eq(iba_lrh_vl(packet), 5);
    cr_expect_eq(iba_lrh_sl(packet), 6);
    cr_expect_eq(v.vcrc, IBA_CHECK_GOOD);
    cr_expect_eq(v.icrc, IBA_CHECK_GOOD);
    wired_free(w);
}

/* KM-64: a multicast packet goes to each member except its sender. */
Test(relay, multicast_to_the_others)
{
    struct wired *w = wired_new();
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = 12, .dlid = GROUP, .payload = 64});

    iba_node_send(&w->ca[1], 1, packet, len, w->now);
    wired_run(w);
    cr_expect(w->heard[0] == 1 && w->heard[1] == 0 && w->heard[2] == 1 && w->heard[3] == 0);
    cr_expect_eq(w->ca[0].port[1].counters.portmulticastrcvpkts, 1);
    wired_free(w);
}

/* ---- the partition example: A is a full member of partition 1, B and C limited ones, D is in partition 2 ---- */

static const uint16_t member_key[ADAPTERS] = {0x8001, 0x0001, 0x0001, 0x8002};

/* Returns nodes in which each port of the switch is a full member of its adapter's partition, so that it lets full and
 * limited members pass in both directions. */
static struct wired *partitioned(bool in, bool out)
{
    struct wired *w = wired_new();

    for (unsigned i = 0; i < ADAPTERS; i++) {
        struct iba_node_port *p = &w->sw.port[i + 1];
        w->ca[i].port[1].pkey[0] = member_key[i];
        p->pkey[0] = member_key[i] | 0x8000;
        p->info.partitionenforcementinbound = in;
        p->info.partitionenforcementoutbound = out;
    }
    return w;
}

/* Adapter `from` sends a datagram with that P_Key to QP1 of adapter `to`. */
static void one_pair(unsigned from, unsigned to, uint16_t key, bool in, bool out)
{
    struct wired *w = partitioned(in, out);
    const struct iba_mgmt_to address = {
        .dlid = (uint16_t)(FIRST_LID + to), .slid = (uint16_t)(FIRST_LID + from), .dqp = 1, .sqp = 1, .pkey = key};
    uint8_t mad[IBA_MAD_BYTES] = {1, 0x30, 1, 3}, packet[IBA_MGMT_BYTES];
    const bool same_in = ((key ^ member_key[from]) & 0x7fff) == 0, same_out = ((key ^ member_key[to]) & 0x7fff) == 0;
    const bool stopped_in = in && !same_in, stopped_out = !stopped_in && out && !same_out;
    const bool heard = !stopped_in && !stopped_out && iba_pkey_match(key, member_key[to]);
    const struct iba_node_port *a = &w->sw.port[from + 1], *b = &w->sw.port[to + 1];

    iba_node_send(&w->ca[from], 1, packet, iba_mgmt_build(packet, &address, 0, mad), w->now);
    wired_run(w);
    cr_expect_eq(w->heard[to], heard, "%c to %c, P_Key %#x, in %d out %d", 'A' + from, 'A' + to, key, in, out);
    cr_expect_eq(a->counters.portrcvconstrainterrors, stopped_in);
    cr_expect_eq(b->counters.portxmitconstrainterrors, stopped_out);
    cr_expect_eq(w->ca[to].port[1].info.p_keyviolations, !stopped_in && !stopped_out && !heard);
    cr_expect_eq(w->sw.notice[0].tid != 0, stopped_in || stopped_out, "trap 259 of the switch (MD-112)");
    wired_free(w);
}

Test(partition, example_in_48_cases_and_48_forged)
{
    for (unsigned from = 0; from < ADAPTERS; from++)
        for (unsigned to = 0; to < ADAPTERS; to++)
            for (unsigned enforce = 0; from != to && enforce < 4; enforce++) {
                one_pair(from, to, member_key[from], enforce & 1, enforce >> 1);
                one_pair(from, to, member_key[to] | 0x8000, enforce & 1, enforce >> 1);
            }
}
