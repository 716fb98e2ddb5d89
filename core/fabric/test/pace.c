/* SPDX-License-Identifier: BSD-2-Clause */
/* Static rate (section 9.11, UU-31): gaps between packets of one destination, exact on virtual time. */
#include "fabric/iba_rate.h"
#include "sim/iba_random.h"
#include "wired.h"

enum { STARTS = 400 };

struct starts {
    struct {
        iba_time at;
        uint16_t dlid;
        size_t len;
    } of[STARTS];
    unsigned n;
};

static struct iba_node_port *sender(struct wired *w)
{
    return &w->ca[0].port[1];
}

static bool post(struct wired *w, uint16_t dlid, uint32_t payload, uint8_t ipd)
{
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = dlid, .payload = payload});

    return iba_node_send_at_rate(&w->ca[0], 1, packet, len, ipd, w->now);
}

/* Records when each packet of adapter 0 starts. The adapter is alone, and is polled exactly when it asks for it. */
static void watch(struct wired *w, struct starts *s)
{
    uint8_t packet[IBA_PACKET_MOST];
    iba_time at;
    size_t len;

    s->n = 0;
    while ((at = iba_node_deadline(&w->ca[0])) != IBA_NEVER && s->n < STARTS) {
        w->now = at > w->now ? at : w->now;
        iba_node_advance(&w->ca[0], w->now);
        while (s->n < STARTS && (len = iba_node_poll(&w->ca[0], 1, packet, sizeof packet, w->now)) > 0) {
            s->of[s->n].at = w->now;
            s->of[s->n].dlid = (uint16_t)iba_lrh_dlid(packet);
            s->of[s->n++].len = len;
        }
    }
}

static iba_time wire_ns(struct wired *w, size_t len, unsigned times)
{
    return ((uint64_t)len * iba_rate_ps_per_byte(sender(w)) * times + 999) / 1000;
}

/* Each gap is (IPD + 1) times the packet before it, to the nanosecond. */
Test(pace, each_gap_is_exact)
{
    static const uint8_t ipds[] = {1, 2, 3, 5, 11, 35, 255};
    static const uint32_t sizes[] = {0, 4, 100, 256, 1000, 2048, 4096};
    enum { PACKETS = 20 };

    for (size_t k = 0; k < sizeof ipds; k++) {
        struct wired *w = wired_new();
        struct starts s;
        for (unsigned i = 0; i < PACKETS; i++)
            cr_assert(post(w, FIRST_LID + 1, sizes[i % 7], ipds[k]));
        watch(w, &s);
        cr_expect_eq(s.n, PACKETS);
        for (unsigned i = 1; i < s.n; i++)
            cr_expect_eq(s.of[i].at - s.of[i - 1].at, wire_ns(w, s.of[i - 1].len, ipds[k] + 1u), "IPD %u, packet %u",
                         ipds[k], i);
        cr_expect_eq(wired_hits(&w->ca[0], &iba_pace_rules, "paces"), PACKETS);
        wired_free(w);
    }
}

/* The rate also holds after a time without packets, and does not delay the first packet after that time. */
Test(pace, the_gap_is_not_saved_up)
{
    struct wired *w = wired_new();
    struct starts s;
    iba_time first;

    cr_assert(post(w, FIRST_LID + 1, 1000, 9));
    watch(w, &s);
    first = s.of[0].at;
    cr_expect_eq(first, w->now);
    w->now = first + 1000000;
    cr_assert(post(w, FIRST_LID + 1, 1000, 9) && post(w, FIRST_LID + 1, 1000, 9));
    watch(w, &s);
    cr_expect_eq(s.of[0].at, first + 1000000);
    cr_expect_eq(s.of[1].at - s.of[0].at, wire_ns(w, s.of[0].len, 10));
    wired_free(w);
}

/* Packets to other destinations are sent in the gaps. No packet is too early for its destination. */
Test(pace, destinations_do_not_wait_for_each_other)
{
    enum { PACKETS = 16 };
    static const uint8_t ipd[] = {1, 3, 7};
    struct wired *w = wired_new();
    struct starts s;
    iba_time last[3] = {0};
    size_t len[3] = {0};

    for (unsigned i = 0; i < PACKETS; i++)
        for (unsigned d = 0; d < 3; d++)
            cr_assert(post(w, (uint16_t)(FIRST_LID + 1 + d), 512, ipd[d]));
    watch(w, &s);
    cr_assert_eq(s.n, 3 * PACKETS);
    for (unsigned d = 0; d < 3; d++)
        cr_expect_eq(s.of[d].dlid, FIRST_LID + 1 + d, "those that nothing delays leave as they came");
    for (unsigned i = 0; i < s.n; i++) {
        const unsigned d = s.of[i].dlid - FIRST_LID - 1u;
        if (len[d])
            cr_expect_geq(s.of[i].at - last[d], wire_ns(w, len[d], ipd[d] + 1u), "packet %u", i);
        last[d] = s.of[i].at;
        len[d] = s.of[i].len;
    }
    /* At the half rate from end to end: the slowest, 16 packets of 8 times their length. */
    cr_expect_leq(s.of[s.n - 1].at - s.of[0].at, wire_ns(w, len[2], (PACKETS - 1) * 8 + 8));
    wired_free(w);
}

Test(pace, a_port_has_sixteen_destinations)
{
    struct wired *w = wired_new();
    struct starts s;

    for (unsigned d = 0; d < IBA_PACED_FLOWS; d++)
        cr_expect(post(w, (uint16_t)(100 + d), 0, 1));
    cr_expect(!post(w, 99, 0, 1), "no room for one more");
    cr_expect(post(w, 100, 0, 1), "room in its own");
    watch(w, &s);
    cr_expect_eq(s.n, IBA_PACED_FLOWS + 1);
    w->now += 1000000;
    cr_expect(post(w, 99, 0, 1), "those are over");
    watch(w, &s);
    wired_free(w);
}

/* An unused entry of the table has LID 0 and IPD 0; a packet with these values is not delayed. */
Test(pace, full_rate_has_no_gap)
{
    struct wired *w = wired_new();
    struct starts s;

    cr_assert(post(w, 0, 1000, 0) && post(w, 0, 1000, 0));
    watch(w, &s);
    cr_assert_eq(s.n, 2);
    cr_expect_eq(s.of[1].at - s.of[0].at, wire_ns(w, s.of[0].len, 1));
    wired_free(w);
}

/* Packets that a port drops do not delay the packets after them. */
Test(pace, a_link_that_goes_down_drops_them)
{
    struct wired *w = wired_new();
    struct starts s;

    for (unsigned i = 0; i < 3; i++)
        cr_expect(post(w, FIRST_LID + 1, 64, 1));
    iba_link_lost(&w->ca[0], 1, w->now);
    cr_expect_eq(sender(w)->counters.portxmitdiscards, 3);
    cr_expect_eq(sender(w)->paced_waiting, 0);
    watch(w, &s);
    cr_expect_eq(s.n, 0);
    cr_expect(post(w, FIRST_LID + 1, 64, 1), "dropped as well");
    cr_expect_eq(sender(w)->counters.portxmitdiscards, 4);
    cr_expect_eq(iba_node_deadline(&w->ca[0]), IBA_NEVER);
    wired_free(w);
}
