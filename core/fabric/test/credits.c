/* SPDX-License-Identifier: BSD-2-Clause */
/* Credits of lanes (section 7.9, KM-48), packets that wait for them, and lifetimes (KM-50). */
#include "fabric/iba_credit.h"
#include "fabric/iba_rate.h"
#include "sim/iba_random.h"
#include "wired.h"

enum { BUFFER = 80, BLOCK = 64, IN = 1, OUT = 2, WITHIN = 2048, COUNTED = 4096, PAYLOAD = 1024 };

/* Returns nodes whose links are up, and to which the first flow-control packets have come. */
static struct wired *open_wires(uint16_t buffer)
{
    struct wired *w = wired_with_credits(buffer, false);

    wired_run(w);
    return w;
}

static size_t to_port_2(uint8_t *packet, uint32_t payload)
{
    return wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = FIRST_LID + 1, .payload = payload});
}

static unsigned blocks_of(size_t len)
{
    return (unsigned)(len + BLOCK - 1) / BLOCK;
}

/* Lets the neighbour of the switch's port OUT have no room on lane 0. */
static void close_lane(struct wired *w)
{
    w->sw.port[OUT].lane[0].limit = w->sw.port[OUT].lane[0].sent;
}

static size_t poll_out(struct wired *w, uint8_t *packet)
{
    return iba_node_poll(&w->sw, OUT, packet, IBA_PACKET_MOST, w->now);
}

/* ---- flow-control packets, row by row ---- */

struct flow_case {
    const char *row;
    uint8_t op, vl, flip; /* a bit of the LPCRC */
    bool down, without;
    unsigned errors;
};

Test(credits, each_row_of_flow)
{
    static const struct flow_case cases[] = {{.row = "damaged", .flip = 1, .errors = 1},
                                             {.row = "link_is_down", .down = true},
                                             {.row = "no_operand", .op = 2, .errors = 1},
                                             {.row = "no_operand", .op = 15, .errors = 1},
                                             {.row = "no_credits", .without = true},
                                             {.row = "no_lane", .vl = 8},
                                             {.row = "no_lane", .vl = 15},
                                             {.row = "taken", .vl = 7},
                                             {.row = "taken", .op = 1}};
    bool seen[IBA_FABRIC_ROWS] = {false};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct flow_case *c = &cases[i];
        struct wired *w = open_wires(BUFFER);
        struct iba_node_port *p = &w->sw.port[IN];
        uint8_t fc[IBA_BYTES_fc] = {0};
        iba_fc_set_op(fc, c->op);
        iba_fc_set_vl(fc, c->vl);
        iba_fc_set_fctbs(fc, 100);
        iba_fc_set_fccl(fc, 4000);
        iba_put_le16(fc + 4, (uint16_t)(iba_lpcrc(fc) ^ c->flip));
        if (c->down)
            p->info.portphysicalstate = IBA_PHYS_POLLING;
        if (c->without)
            p->credits = false;
        memset(w->sw.hits, 0, sizeof w->sw.hits);
        iba_node_feed(&w->sw, IN, fc, sizeof fc, w->now);
        cr_expect_eq(wired_hits(&w->sw, &iba_flow_rules, c->row), 1, "%s", c->row);
        cr_expect_eq(p->counters.portrcverrors, c->errors, "%s", c->row);
        if (strcmp(c->row, "taken") == 0)
            cr_expect(p->lane[c->vl].limit == 4000 && p->lane[c->vl].received == 100);
        seen[wired_row(&iba_flow_rules, c->row)] = true;
        wired_free(w);
    }
    for (unsigned i = 0; i < iba_flow_rules.n; i++)
        cr_expect(seen[i], "%s", iba_fabric_row(&iba_flow_rules, i)->name);
}

/* Flow-control packets of a link that came up, byte by byte: each lane of both ends once, "initialize" in the state
 * Init (section 7.9.3), and the whole buffer as limit. */
static unsigned announced[IBA_VL15], announced_wrong;

static void hear_flow(struct wired *w, unsigned from, uint8_t port, const uint8_t *packet, size_t len)
{
    (void)w;
    if (from != 0 || port != SWITCH_PORTS - 1 || len != IBA_BYTES_fc)
        return;
    announced[iba_fc_vl(packet)]++;
    announced_wrong += iba_fc_op(packet) != 1 || iba_fc_fctbs(packet) != 0 || iba_fc_fccl(packet) != BUFFER ||
                       iba_lpcrc(packet) != iba_le16(packet + 4);
}

Test(credits, a_link_that_comes_up_tells_each_lane)
{
    struct wired *w = wired_with_credits(BUFFER, false);

    memset(announced, 0, sizeof announced);
    w->seen = hear_flow;
    w->sw.port[SWITCH_PORTS - 1].info.portstate = IBA_PORT_INIT;
    wired_run(w);
    for (unsigned vl = 0; vl < IBA_VL15; vl++)
        cr_expect_eq(announced[vl], vl < 8, "lane %u", vl);
    cr_expect_eq(announced_wrong, 0);
    cr_expect_eq(w->ca[0].port[1].lane[7].limit, BUFFER);
    cr_expect_eq(w->ca[0].port[1].counters.portrcvpkts, 0, "link packets are not counted");
    wired_free(w);
}

/* ---- rows of credit ---- */

Test(credits, a_packet_waits_for_credits)
{
    struct wired *w = open_wires(BUFFER);
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, PAYLOAD);

    close_lane(w);
    w->sw.port[OUT].lane[0].limit = (uint16_t)(w->sw.port[OUT].lane[0].sent + blocks_of(len) - 1);
    iba_node_feed(&w->sw, IN, packet, len, w->now);
    cr_expect_eq(poll_out(w, packet), 0, "a block is wanting");
    cr_expect_gt(iba_node_deadline(&w->sw), w->now + 1000000, "it waits for its lifetime to end");
    w->sw.port[OUT].lane[0].limit++;
    cr_expect_eq(poll_out(w, packet), len);
    cr_expect_eq(w->sw.port[OUT].lane[0].sent, blocks_of(len));
    cr_expect_eq(wired_hits(&w->sw, &iba_credit_rules, "spends"), 1);
    wired_run(w);
    wired_free(w);
}

Test(credits, a_limit_is_ahead_by_2048_blocks_at_most)
{
    struct wired *w = open_wires(BUFFER);
    struct iba_node_port *p = &w->sw.port[OUT];

    for (unsigned sent = 0; sent < COUNTED; sent += 97)
        for (unsigned ahead = 0; ahead < COUNTED; ahead++) {
            p->lane[0].sent = (uint16_t)sent;
            p->lane[0].limit = (uint16_t)((sent + ahead) % COUNTED);
            cr_expect_eq(iba_node_has_credits(&w->sw, p, 0, BLOCK), ahead >= 1 && ahead <= WITHIN + 1);
            cr_expect_eq(iba_node_has_credits(&w->sw, p, 0, BLOCK + 1), ahead >= 2 && ahead <= WITHIN + 2);
        }
    wired_free(w);
}

Test(credits, vl15_needs_none)
{
    struct wired *w = open_wires(BUFFER);
    const struct smp get = {.dlid = FIRST_LID + 1, .slid = FIRST_LID, .attribute = 0x11, .method = 1};
    const struct iba_mgmt_to to = {.dlid = get.dlid, .slid = get.slid, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], smp[IBA_PACKET_MOST], packet[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, PAYLOAD);

    close_lane(w);
    iba_node_feed(&w->sw, IN, packet, len, w->now);
    wired_mad(mad, &get);
    (void)iba_mgmt_build(smp, &to, IBA_VL15, mad);
    iba_node_feed(&w->sw, IN, smp, IBA_MGMT_BYTES, w->now);
    cr_expect_eq(poll_out(w, packet), IBA_MGMT_BYTES);
    cr_expect_eq(iba_lrh_vl(packet), IBA_VL15);
    cr_expect_eq(wired_hits(&w->sw, &iba_credit_rules, "vl15"), 1);
    iba_port_flush(&w->sw, &w->sw.port[OUT]);
    wired_run(w);
    wired_free(w);
}

/* The sender gets its credits back when the packet has left the next port, not before. */
Test(credits, room_is_given_back)
{
    struct wired *w = open_wires(BUFFER);
    uint8_t packet[IBA_PACKET_MOST], fc[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, PAYLOAD);
    const struct iba_lane *lane = &w->sw.port[IN].lane[0];

    iba_node_feed(&w->sw, IN, packet, len, w->now);
    cr_expect_eq(lane->held, blocks_of(len));
    cr_expect_eq(iba_node_poll(&w->sw, IN, fc, sizeof fc, w->now), 0);
    cr_expect_eq(poll_out(w, packet), len);
    cr_expect_eq(lane->held, 0);
    cr_expect_eq(iba_node_poll(&w->sw, IN, fc, sizeof fc, w->now), IBA_BYTES_fc);
    cr_expect_eq(iba_fc_fccl(fc), BUFFER + blocks_of(len));
    cr_expect_eq(iba_fc_op(fc), 0);
    cr_expect_gt(wired_hits(&w->sw, &iba_credit_rules, "announces"), 0);
    wired_free(w);
}

/* The buffer of a multicast packet is free when its last copy has left. */
Test(credits, copies_share_a_buffer)
{
    struct wired *w = open_wires(BUFFER);
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = wired_data(packet, &(struct data_packet){.slid = FIRST_LID, .dlid = GROUP, .payload = PAYLOAD});
    const struct iba_lane *lane = &w->sw.port[IN].lane[0];

    iba_node_feed(&w->sw, IN, packet, len, w->now);
    cr_expect_eq(w->pool.used, 2);
    cr_expect_eq(lane->held, blocks_of(len));
    cr_expect_eq(iba_node_poll(&w->sw, 3, packet, sizeof packet, w->now), len);
    cr_expect_eq(lane->held, blocks_of(len));
    cr_expect_eq(poll_out(w, packet), len);
    cr_expect_eq(lane->held, 0);
    wired_run(w);
    wired_free(w);
}

/* ---- lost and unwanted packets ---- */

/* The receiver did not count a packet that was lost. The sender's next flow-control packet has the number of blocks
 * that the sender sent, and the answer gives the credits back. */
Test(credits, those_of_a_lost_packet_come_back)
{
    struct wired *w = open_wires(BUFFER);
    struct iba_node_port *from = &w->ca[0].port[1];
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, PAYLOAD);

    iba_node_send(&w->ca[0], 1, packet, len, w->now);
    cr_expect_eq(iba_node_poll(&w->ca[0], 1, packet, sizeof packet, w->now), len);
    packet[len / 2] ^= 1;
    iba_node_feed(&w->sw, IN, packet, len, w->now);
    wired_run(w);
    cr_expect_eq((from->lane[0].limit - from->lane[0].sent) % COUNTED, BUFFER - blocks_of(len), "they are lost");
    from->announce = 1; /* as after 65,536 symbol times */
    wired_run(w);
    cr_expect_eq((from->lane[0].limit - from->lane[0].sent) % COUNTED, BUFFER);
    wired_free(w);
}

/* A neighbour ignores the credit limit. Its packet is dropped and counted, and no buffer overflows. */
Test(credits, a_packet_without_credits_is_dropped)
{
    struct wired *w = open_wires(IBA_BUFFER_LEAST);
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, IBA_MTU_MOST_BYTES);

    close_lane(w);
    for (unsigned i = 0; i < 3; i++)
        iba_node_feed(&w->sw, IN, packet, len, w->now);
    cr_expect_eq(wired_hits(&w->sw, &iba_arrival_rules, "no_room"), 2);
    cr_expect_eq(w->sw.port[IN].counters.portrcverrors, 2);
    cr_expect_leq(w->sw.port[IN].lane[0].held, IBA_BUFFER_LEAST);
    iba_port_flush(&w->sw, &w->sw.port[OUT]);
    wired_run(w);
    wired_free(w);
}

/* Adapters exchange packets of all sizes until the block counters have wrapped many times. All packets arrive, and no
 * buffer overflows. */
Test(credits, counts_go_round)
{
    enum { ROUNDS = 3000 };
    static const uint32_t sizes[] = {0, 4, 60, 100, 256, 1024, 2048, 4096};
    struct wired *w = open_wires(IBA_BUFFER_LEAST);
    struct iba_random dice;
    unsigned blocks = 0, sent = 0;

    iba_random_seed(&dice, 1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (unsigned k = 0; k < 3; k++) {
            uint8_t packet[IBA_PACKET_MOST];
            const size_t len = to_port_2(packet, sizes[iba_random_below(&dice, 8)]);
            iba_node_send(&w->ca[0], 1, packet, len, w->now);
            blocks += blocks_of(len);
            sent++;
        }
        wired_run(w);
    }
    cr_expect_gt(blocks, 20 * COUNTED);
    cr_expect_eq(w->heard[1], sent);
    cr_expect_eq(w->sw.port[IN].counters.portrcverrors + w->ca[1].port[1].counters.portrcverrors, 0);
    cr_expect_eq(w->sw.port[OUT].lane[0].sent, blocks % COUNTED);
    cr_expect_gt(w->ca[0].port[1].counters.portxmitwait, 0);
    wired_free(w);
}

/* PortXmitWait counts ticks; a tick is the time of a byte on one lane, which is 320 ps at EDR. */
Test(credits, port_xmit_wait_counts_ticks)
{
    enum { WAIT_NS = 3200, TICK_PS = 320 };
    struct wired *w = open_wires(BUFFER);
    struct iba_node_port *p = &w->sw.port[OUT];
    uint8_t packet[IBA_PACKET_MOST];
    const size_t len = to_port_2(packet, PAYLOAD);

    close_lane(w);
    iba_node_feed(&w->sw, IN, packet, len, w->now);
    cr_expect_eq(poll_out(w, packet), 0);
    w->now += WAIT_NS;
    iba_node_count_wait(&w->sw, OUT, w->now);
    cr_expect_eq(p->counters.portxmitwait, WAIT_NS * 1000 / TICK_PS, "so far");
    w->now += WAIT_NS;
    p->lane[0].limit = (uint16_t)(p->lane[0].limit + BUFFER);
    cr_expect_eq(poll_out(w, packet), len);
    w->now += WAIT_NS;
    cr_expect_eq(poll_out(w, packet), 0);
    cr_expect_eq(p->counters.portxmitwait, 2 * WAIT_NS * 1000 / TICK_PS, "nothing waits any more");
    wired_run(w);
    wired_free(w);
}
