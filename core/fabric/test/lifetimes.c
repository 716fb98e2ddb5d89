/* SPDX-License-Identifier: BSD-2-Clause */
/* Times that end: packets that wait (KM-50), intervals of flow-control packets and the watchdog (KM-48). */
#include "fabric/iba_credit.h"
#include "fabric/iba_rate.h"
#include "wired.h"

enum { BUFFER = 80, IN = 1, OUT = 2, CODE = 3, LIFE = 4096 << CODE, LONGER = CODE + 4 };

/* Returns nodes with packets that wait on lane 0 of port OUT, whose neighbour has no room there. */
static struct wired *blocked(unsigned packets, uint8_t hoq, uint8_t life)
{
    struct wired *w = wired_with_credits(BUFFER, false);
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = FIRST_LID + 1});

    wired_run(w);
    w->sw.port[OUT].lane[0].limit = w->sw.port[OUT].lane[0].sent;
    w->sw.port[OUT].info.hoqlife = hoq;
    w->sw.sw.lifetimevalue = life;
    for (unsigned i = 0; i < packets; i++)
        iba_node_feed(&w->sw, IN, packet, len, w->now);
    return w;
}

static void expect_left(struct wired *w, iba_time at, unsigned left)
{
    iba_node_advance(&w->sw, at);
    cr_expect_eq(w->sw.port[OUT].waiting, left, "%u wait at %llu", w->sw.port[OUT].waiting, (unsigned long long)at);
}

/* A packet's time at the head of its lane begins when the packet gets there; the switch's lifetime begins when the
 * packet comes. */
Test(lifetimes, of_the_head_begins_at_the_head)
{
    struct wired *w = blocked(3, CODE, 18);
    const iba_time t = w->now;

    cr_expect_eq(iba_node_deadline(&w->sw), t + LIFE);
    expect_left(w, t + LIFE - 1, 3);
    expect_left(w, t + LIFE, 2);
    expect_left(w, t + 2 * LIFE - 1, 2);
    expect_left(w, t + 3 * LIFE, 0);
    cr_expect_eq(wired_hits(&w->sw, &iba_waiting_rules, "hoq_life"), 3);
    cr_expect_eq(w->sw.port[OUT].counters.portxmitdiscards, 3);
    wired_run(w);
    wired_free(w);
}

Test(lifetimes, of_the_switch_begins_at_the_port)
{
    struct wired *w = blocked(3, LONGER, CODE);
    const iba_time t = w->now;

    expect_left(w, t + LIFE - 1, 3);
    expect_left(w, t + LIFE, 0);
    cr_expect_eq(wired_hits(&w->sw, &iba_waiting_rules, "switch_life"), 3);
    wired_run(w);
    wired_free(w);
}

Test(lifetimes, codes_from_20_on_have_no_end)
{
    struct wired *w = blocked(1, 20, 20);

    expect_left(w, IBA_NEVER - 1, 1);
    iba_port_flush(&w->sw, &w->sw.port[OUT]);
    wired_run(w);
    wired_free(w);
}

/* After VLStallCount drops at the head of a lane, the lane drops its other packets at once, and for eight times HOQLife
 * also those that come. */
Test(lifetimes, a_lane_stalls)
{
    struct wired *w = blocked(5, CODE, 18);
    const iba_time t = w->now;
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = FIRST_LID + 1});

    w->sw.port[OUT].info.vlstallcount = 2;
    expect_left(w, t + LIFE, 4);
    expect_left(w, t + 2 * LIFE, 0);
    cr_expect_eq(wired_hits(&w->sw, &iba_waiting_rules, "stalled"), 3);
    iba_node_feed(&w->sw, IN, packet, len, t + 10 * LIFE - 1);
    expect_left(w, t + 10 * LIFE - 1, 0);
    iba_node_feed(&w->sw, IN, packet, len, t + 10 * LIFE);
    expect_left(w, t + 10 * LIFE, 1);
    cr_expect_eq(w->sw.port[OUT].counters.portxmitdiscards, 6);
    iba_port_flush(&w->sw, &w->sw.port[OUT]);
    wired_run(w);
    wired_free(w);
}

Test(lifetimes, each_row_of_waiting_has_a_test)
{
    cr_expect_eq(iba_waiting_rules.n, 3, "stalled, switch_life, hoq_life");
    cr_expect_eq(iba_credit_rules.n, 5, "spends, vl15, announces, refreshes, watches");
}

/* ---- intervals ---- */

enum { SYMBOLS_MOST = 65536, SYMBOLS_WATCHDOG = 400000 };

static iba_time symbols(const struct iba_node_port *p, uint64_t n)
{
    return n * iba_rate_ps_per_symbol(p) / 1000;
}

/* Returns the longest time between two flow-control packets that the switch sends for one lane, while port 1 is always
 * busy. The switch and adapter 0 run until `until`. If `deaf`, the adapter's flow-control packets do not reach the
 * switch. */
static iba_time longest_gap(struct wired *w, iba_time until, bool deaf)
{
    iba_time last[IBA_VL15] = {0}, gap = 0;
    uint8_t packet[IBA_PACKET_MOST], data[IBA_PACKET_MOST];
    const size_t len = wired_data(
        data, &(struct data_packet){.slid = FIRST_LID + 1, .dlid = FIRST_LID, .payload = IBA_MTU_MOST_BYTES});

    while (w->now < until) {
        size_t n;
        if (w->sw.port[1].queue[0].n == 0)
            iba_node_feed(&w->sw, 2, data, len, w->now);
        iba_node_advance(&w->sw, w->now);
        iba_node_advance(&w->ca[0], w->now);
        while ((n = iba_node_poll(&w->sw, 1, packet, sizeof packet, w->now)) > 0) {
            iba_node_feed(&w->ca[0], 1, packet, n, w->now);
            if (n != IBA_BYTES_fc)
                continue;
            const unsigned vl = (unsigned)iba_fc_vl(packet);
            gap = w->now - last[vl] > gap ? w->now - last[vl] : gap;
            last[vl] = w->now;
        }
        while ((n = iba_node_poll(&w->ca[0], 1, packet, sizeof packet, w->now)) > 0)
            if (!deaf)
                iba_node_feed(&w->sw, 1, packet, n, w->now);
        while (iba_node_receive(&w->ca[0], data + sizeof data - 1, packet, sizeof packet) > 0)
            ;
        while (iba_node_poll(&w->sw, 2, packet, sizeof packet, w->now) > 0)
            ;
        w->now = w->sw.port[1].busy_until > w->now ? w->sw.port[1].busy_until : w->now + 100;
    }
    return gap;
}

static void leave(struct wired *w)
{
    for (unsigned p = 1; p <= SWITCH_PORTS; p++)
        iba_port_flush(&w->sw, &w->sw.port[p]);
    for (unsigned i = 0; i < ADAPTERS; i++)
        iba_port_flush(&w->ca[i], &w->ca[i].port[1]);
    w->pool.used = 0; /* SMPs and packets that software did not fetch */
    wired_free(w);
}

/* Returns nodes in which only the link of port 1 uses credits; at the other ports nobody sends flow-control packets. */
static struct wired *one_link(void)
{
    struct wired *w = wired_with_credits(BUFFER, true);

    for (unsigned p = 2; p <= ADAPTERS; p++)
        iba_credit_end(&w->sw.port[p], 0);
    return w;
}

/* A port announces every lane at least once in 65,536 symbol times, also if the longest packets keep the wire busy. */
Test(lifetimes, lanes_are_told_again)
{
    struct wired *w = one_link();
    const struct iba_node_port *p = &w->sw.port[1];
    const iba_time most = symbols(p, SYMBOLS_MOST), gap = longest_gap(w, 20 * most, false);

    cr_expect(gap <= most && gap > most * 9 / 10, "%llu of %llu ns", (unsigned long long)gap, (unsigned long long)most);
    cr_expect_gt(wired_hits(&w->sw, &iba_credit_rules, "refreshes"), 0);
    cr_expect_eq(wired_hits(&w->sw, &iba_credit_rules, "watches"), 0);
    leave(w);
}

/* Trap 131 names the port whose neighbour is silent (MD-110). */
Test(lifetimes, a_silent_neighbour_gets_a_trap)
{
    struct wired *w = one_link();
    const struct iba_node_port *p = &w->sw.port[1];
    const struct iba_notice_waiting *notice;

    (void)longest_gap(w, symbols(p, SYMBOLS_WATCHDOG - 1), true);
    cr_expect_eq(wired_hits(&w->sw, &iba_credit_rules, "watches"), 0);
    (void)longest_gap(w, symbols(p, SYMBOLS_WATCHDOG + SYMBOLS_MOST), true);
    cr_expect_gt(wired_hits(&w->sw, &iba_credit_rules, "watches"), 0);
    notice = iba_notice_oldest(&w->sw);
    cr_assert_not_null(notice);
    cr_expect_eq(iba_notice_trap(notice->bytes), 131);
    cr_expect_eq(iba_trap_port_lidaddr(notice->bytes + IBA_BYTES_notice), SWITCH_LID);
    cr_expect_eq(iba_trap_port_portno(notice->bytes + IBA_BYTES_notice), 1);
    leave(w);
}
