/* SPDX-License-Identifier: BSD-2-Clause */
/* Which lane sends next (section 7.6.9, KM-46, KM-47): shares over many packets while every lane has packets waiting,
 * the limit of the high-priority table, VL15. */
#include "wired.h"

enum { IN = 1, OUT = 2, LANES = 4, BACKLOG = 4, LIMIT_UNIT = 4096, UNIT = 64 };

struct lanes {
    struct wired *w;
    struct data_packet data[LANES]; /* a lane's packets: their payload */
    uint8_t packet[LANES][IBA_PACKET_MOST];
    size_t len[LANES];
    uint64_t units[LANES]; /* of 64 bytes, sent */
    unsigned used;         /* lanes with packets */
};

static void entry(struct iba_node_port *p, unsigned block, unsigned i, unsigned vl, unsigned weight)
{
    iba_vlarbitration_set_vl(&p->vlarb[block][2 * i], vl);
    iba_vlarbitration_set_weight(&p->vlarb[block][2 * i], weight);
}

/* Makes lanes without arbitration entries. Packets that come by port IN with SL i go to lane i. */
static struct lanes *lanes_new(unsigned used, const uint32_t payload[])
{
    struct lanes *l = calloc(1, sizeof *l);
    struct iba_node_port *p;

    cr_assert_not_null(l);
    l->w = wired_new();
    l->used = used;
    p = &l->w->sw.port[OUT];
    memset(p->vlarb, 0, sizeof p->vlarb);
    for (unsigned i = 0; i < used; i++) {
        l->data[i] = (struct data_packet){
            .slid = FIRST_LID, .dlid = FIRST_LID + OUT - 1, .sl = (uint8_t)i, .vl = (uint8_t)i, .payload = payload[i]};
        l->len[i] = wired_data(l->packet[i], &l->data[i]);
        iba_node_sl2vl(&l->w->sw, IN, OUT)[i] = (uint8_t)i;
    }
    return l;
}

static void lanes_free(struct lanes *l)
{
    iba_port_flush(&l->w->sw, &l->w->sw.port[OUT]);
    wired_free(l->w);
    free(l);
}

static void keep_full(struct lanes *l)
{
    for (unsigned i = 0; i < l->used; i++)
        while (l->w->sw.port[OUT].queue[i].n < BACKLOG)
            iba_node_feed(&l->w->sw, IN, l->packet[i], l->len[i], l->w->now);
}

/* Returns the lane of the next packet on the wire. */
static unsigned next(struct lanes *l)
{
    struct iba_node_port *p = &l->w->sw.port[OUT];
    uint8_t out[IBA_PACKET_MOST];
    size_t len;
    unsigned vl;

    keep_full(l);
    l->w->now = p->busy_until;
    len = iba_node_poll(&l->w->sw, OUT, out, sizeof out, l->w->now);
    cr_assert_gt(len, 0);
    vl = (unsigned)iba_lrh_vl(out);
    if (vl < LANES)
        l->units[vl] += (len + UNIT - 1) / UNIT;
    return vl;
}

/* Sends 10^5 packets. Each lane's share of the units must be its share of the weights, within 5 %. */
static void shares(const uint32_t payload[LANES], const unsigned weight[LANES], const char *what)
{
    enum { PACKETS = 100000 };
    struct lanes *l = lanes_new(LANES, payload);
    uint64_t all = 0;
    unsigned weights = 0;

    for (unsigned i = 0; i < LANES; i++) {
        entry(&l->w->sw.port[OUT], 0, 2 * i, i, weight[i]);
        weights += weight[i];
    }
    for (unsigned i = 0; i < PACKETS; i++)
        (void)next(l);
    for (unsigned i = 0; i < LANES; i++)
        all += l->units[i];
    for (unsigned i = 0; i < LANES; i++) {
        const double share = (double)l->units[i] / (double)all, due = (double)weight[i] / weights;
        cr_expect(share > due * 0.95 && share < due * 1.05, "%s, lane %u: %.4f instead of %.4f", what, i, share, due);
    }
    lanes_free(l);
}

Test(arbitration, lanes_share_the_wire_by_their_weights)
{
    static const uint32_t small[LANES] = {0, 0, 0, 0}, mixed[LANES] = {4, 256, 92, 412};

    shares(small, (const unsigned[LANES]){10, 20, 30, 40}, "small packets");
    shares(mixed, (const unsigned[LANES]){255, 200, 128, 160}, "packets of many sizes");
    shares(mixed, (const unsigned[LANES]){100, 255, 50, 200}, "others");
}

/* A packet may be longer than what is left of the weight. Then the entry's turn ends after that packet, and the next
 * turn has its full weight. */
Test(arbitration, a_packet_longer_than_the_weight_is_sent_whole)
{
    static const uint32_t payload[LANES] = {4096, 0, 0, 0};
    struct lanes *l = lanes_new(2, payload);

    entry(&l->w->sw.port[OUT], 0, 0, 0, 1);
    entry(&l->w->sw.port[OUT], 0, 1, 1, 3);
    while (next(l) != 0)
        ; /* any entry may be the first */
    for (unsigned turn = 0; turn < 10; turn++) {
        for (unsigned i = 0; i < 3; i++)
            cr_expect_eq(next(l), 1, "turn %u", turn);
        cr_expect_eq(next(l), 0, "turn %u", turn);
    }
    lanes_free(l);
}

Test(arbitration, lanes_without_weight_wait)
{
    static const uint32_t payload[LANES] = {0};
    struct lanes *l = lanes_new(3, payload);

    entry(&l->w->sw.port[OUT], 0, 0, 0, 0);
    entry(&l->w->sw.port[OUT], 0, 1, 1, 5);
    for (unsigned i = 0; i < 100; i++)
        cr_expect_eq(next(l), 1, "lane 0 has no weight, lane 2 no entry");
    lanes_free(l);
}

/* The tables have 64 entries each, in two blocks of 32 (KM-46). One of them with the least weight is enough. */
Test(arbitration, an_entry_at_any_place_counts)
{
    enum { BLOCK = 32 };
    static const uint32_t payload[LANES] = {0};

    for (unsigned place = 0; place < 4 * BLOCK; place++) {
        struct lanes *l = lanes_new(1, payload);
        struct iba_node_port *p = &l->w->sw.port[OUT];
        uint8_t out[IBA_PACKET_MOST];
        keep_full(l);
        cr_expect_eq(iba_node_poll(&l->w->sw, OUT, out, sizeof out, l->w->now), 0, "no entry has a weight");
        entry(p, place / BLOCK, place % BLOCK, 0, 1);
        for (unsigned i = 0; i < 3; i++)
            cr_expect_eq(next(l), 0, "block %u, entry %u", place / BLOCK + 1, place % BLOCK);
        entry(p, place / BLOCK, place % BLOCK, IBA_VL15, 1);
        l->w->now = p->busy_until;
        cr_expect_eq(iba_node_poll(&l->w->sw, OUT, out, sizeof out, l->w->now), 0, "an entry of VL 15 is skipped");
        lanes_free(l);
    }
}

/* How many bytes of high priority are sent between two packets of low priority, while both wait: `limit` units of 4096
 * bytes, and the rest of the packet that exceeds them. A limit of 0 allows one packet, 255 any number. */
static void high_limit(uint8_t limit)
{
    enum { PACKETS = 20000, SIZE = 1024 };
    static const uint32_t payload[LANES] = {SIZE, SIZE, SIZE, SIZE};
    struct lanes *l = lanes_new(2, payload);
    uint64_t since = 0, low = 0;

    entry(&l->w->sw.port[OUT], 0, 0, 0, 100);
    entry(&l->w->sw.port[OUT], 2, 0, 1, 100);
    l->w->sw.port[OUT].info.vlhighlimit = limit;
    for (unsigned i = 0; i < PACKETS; i++) {
        if (next(l) == 1) {
            since += l->len[1];
            continue;
        }
        low++;
        if (limit == 0)
            cr_expect_eq(since, l->len[1], "one packet");
        else
            cr_expect(since >= limit * LIMIT_UNIT && since < limit * LIMIT_UNIT + l->len[1], "limit %u: %llu bytes",
                      limit, (unsigned long long)since);
        since = 0;
    }
    cr_expect_eq(low > 0, limit != 255, "limit %u", limit);
    lanes_free(l);
}

Test(arbitration, the_high_table_has_a_limit)
{
    high_limit(0);
    high_limit(1);
    high_limit(7);
    high_limit(254);
    high_limit(255);
}

Test(arbitration, vl15_goes_first)
{
    static const uint32_t payload[LANES] = {0};
    struct lanes *l = lanes_new(2, payload);
    const struct smp get = {.dlid = FIRST_LID + OUT - 1, .slid = FIRST_LID, .attribute = 0x11, .method = 1};
    const struct iba_mgmt_to to = {.dlid = get.dlid, .slid = get.slid, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES], smp[IBA_MGMT_BYTES];

    entry(&l->w->sw.port[OUT], 0, 0, 0, 100);
    entry(&l->w->sw.port[OUT], 2, 0, 1, 100);
    wired_mad(mad, &get);
    (void)iba_mgmt_build(smp, &to, IBA_VL15, mad);
    for (unsigned i = 0; i < 50; i++) {
        keep_full(l);
        iba_node_feed(&l->w->sw, IN, smp, sizeof smp, l->w->now);
        cr_expect_eq(next(l), IBA_VL15, "round %u", i);
        cr_expect_neq(next(l), IBA_VL15);
    }
    lanes_free(l);
}
