/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of a flood: to whom each goes, and what is in it. */
#include "flood.h"
#include <string.h>
#include "console_bed.h"

enum { ADAPTERS = 5, PACKETS = 40, MOST = ADAPTERS * (ADAPTERS - 1) * PACKETS, PAYLOAD_AT = 28, LEAST = 256 };
static const uint16_t lids[ADAPTERS] = {7, 4, 9, 2, 5};

struct seen {
    unsigned n, sls[16], long_ones, sizes;
    uint32_t most;     /* longest payload */
    uint64_t sum;      /* of everything that differs from packet to packet */
    uint16_t to[MOST]; /* destinations, by the number of the packet */
    size_t from[MOST];
};

/* A packet leaves its adapter: all of its bytes are right. */
static void leaves(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    static const uint8_t zeros[4096];
    struct seen *s = ctx;
    const uint8_t *bth = packet + IBA_BYTES_lrh, *deth = bth + IBA_BYTES_bth;
    const size_t payload = len - PAYLOAD_AT - IBA_ICRC_BYTES - IBA_VCRC_BYTES;
    const uint32_t serial = iba_le32(packet + PAYLOAD_AT);

    (void)now;
    if (node == 0)
        return; /* the switch */
    cr_assert(port == 1 && s->n < MOST && serial < MOST);
    s->n++;
    s->from[serial] = node;
    s->to[serial] = (uint16_t)iba_lrh_dlid(packet);
    s->sls[iba_lrh_sl(packet)]++;
    s->long_ones += payload > LEAST;
    s->sum = s->sum * 31 + payload * 16 + iba_lrh_sl(packet);
    cr_expect(payload >= LEAST && payload <= s->most && payload % 4 == 0, "%zu bytes", payload);
    cr_expect_eq(memcmp(packet + PAYLOAD_AT + 4, zeros, payload - 4), 0, "nothing but its number");
    cr_expect(iba_lrh_slid(packet) == lids[node - 1] && iba_lrh_pktlen(packet) == (len - IBA_VCRC_BYTES) / 4);
    cr_expect_eq(iba_lrh_vl(packet), iba_lrh_sl(packet) % 4, "by the adapter's table");
    cr_expect(iba_bth_p_key(bth) == 0x8000 + node && iba_bth_destqp(bth) == 0xfffffd);
    cr_expect_eq(iba_deth_srcqp(deth), 0xfffffd);
    cr_expect_eq(iba_le32(packet + len - 6), iba_icrc(IBA_ICRC_LOCAL, packet, IBA_BYTES_lrh, len - 6));
    cr_expect_eq(iba_le16(packet + len - 2), iba_vcrc(packet, len - 2));
}

static struct flood_sum flooded(const struct flood_config *c, struct seen *seen)
{
    char text[300] = "Switch 6 \"S\"\n";
    struct flood_sum sum;
    struct subnet *s;

    for (unsigned i = 1; i <= ADAPTERS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "[%u] \"H%u\"[1]\n", i, i);
    for (unsigned i = 1; i <= ADAPTERS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "Hca 1 \"H%u\"\n", i);
    *seen = (struct seen){.most = c->payload_most};
    topology = topology_of(text);
    s = subnet_new(topology, &(struct subnet_config){0}, &(struct subnet_events){.sent = leaves, .ctx = seen});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    set(s, 0, 0, 0);
    for (uint8_t i = 1; i <= ADAPTERS; i++) {
        struct iba_node *n = &subnet_node(s, i)->n;
        set(s, 0, i, 0);
        set(s, i, 1, lids[i - 1]);
        n->port[1].pkey[0] = (uint16_t)(0x8000 + i);
        for (unsigned sl = 0; sl < IBA_VLS; sl++)
            iba_node_sl2vl(n, 0, 1)[sl] = (uint8_t)(sl % 4);
        subnet_node(s, 0)->n.lft[lids[i - 1]] = i;
    }
    subnet_node(s, 0)->n.sw.linearfdbtop = 9;
    cr_assert(flood(s, c, &sum));
    end(s);
    return sum;
}

/* Each adapter sends to all others in turn, as often to each: to the next one, then to the last, and so back. The
 * number of a packet is its place in the order in which the packets were made. */
Test(flood, destinations)
{
    const struct flood_config c = {.packets = PACKETS, .sls = 1, .payload_most = LEAST};
    const unsigned others = ADAPTERS - 1;
    static struct seen seen;
    const struct flood_sum sum = flooded(&c, &seen);

    cr_assert(sum.sent == MOST && seen.n == MOST, "%u", seen.n);
    for (size_t a = 0; a < ADAPTERS; a++) {
        unsigned turn = 0;
        for (unsigned k = 0; k < MOST; k++) {
            if (seen.from[k] != a + 1)
                continue;
            const uint16_t to = lids[(a + 1 + (others - turn % others) % others) % ADAPTERS];
            cr_expect_eq(seen.to[k], to, "adapter %zu, turn %u: LID %u", a, turn, seen.to[k]);
            turn++;
        }
        cr_expect_eq(turn, others * PACKETS);
    }
}

/* Sizes and service levels are random ones of those that are allowed, and all of these occur. */
Test(flood, sizes_and_levels)
{
    static const struct {
        uint16_t sls;
        uint32_t most;
    } rows[] = {{1, 256}, {0x8001, 260}, {0xffff, 4096}, {0x0420, 1024}};
    static struct seen seen, again, other;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct flood_config c = {.packets = PACKETS, .sls = rows[i].sls, .payload_most = rows[i].most, .seed = 5};
        (void)flooded(&c, &seen);
        for (unsigned sl = 0; sl < 16; sl++)
            cr_expect_eq(seen.sls[sl] > 0, rows[i].sls >> sl & 1, "row %zu, SL %u: %u", i, sl, seen.sls[sl]);
        cr_expect_eq(seen.long_ones > 0, rows[i].most > LEAST);
        cr_expect(rows[i].most != 260 || (seen.long_ones > MOST / 3 && seen.long_ones < MOST * 2 / 3), "%u",
                  seen.long_ones);
        (void)flooded(&c, &again);
        cr_expect_eq(seen.sum, again.sum, "the same seed");
        c.seed = 6;
        (void)flooded(&c, &other);
        cr_expect(i == 0 || seen.sum != other.sum, "another seed");
    }
}

/* Two switches send LID 2 to each other, so that its packets are discarded. Afterwards flow-control packets tell both
 * ends of each cable how many credits there are: time passes for two intervals between them, of 262 us each. */
Test(flood, lost_packets)
{
    const struct flood_config c = {.packets = PACKETS, .sls = 1, .payload_most = LEAST};
    struct flood_sum sum;
    struct subnet *s;

    topology = topology_of("Switch 4 \"S\"\n[1] \"A\"[1]\n[2] \"T\"[1]\n[3] \"T\"[2]\nHca 1 \"A\"\n"
                           "Hca 1 \"B\"\nSwitch 4 \"T\"\n[3] \"B\"[1]\n");
    s = subnet_new(topology, &(struct subnet_config){.buffer = 80}, &(struct subnet_events){0});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (unsigned i = 0; i < 4; i++) {
        struct iba_node *n = &subnet_node(s, i)->n;
        for (unsigned p = 0; p <= n->cfg.n_port; p++)
            set(s, i, p, (uint16_t)(p == 1 && (i == 1 || i == 2) ? i : 0));
        if (!iba_node_is_switch(n))
            continue;
        n->sw.linearfdbtop = 2;
        n->lft[1] = 1;
        n->lft[2] = 2;
    }
    subnet_run(s, 100000);
    const iba_time begun = subnet_now(s);
    cr_assert(flood(s, &c, &sum));
    cr_expect(sum.sent == 2 * PACKETS && sum.delivered == PACKETS && sum.waiting == 0 && sum.unsent == 0);
    cr_expect_geq(subnet_now(s) - begun, sum.took + 1000000);
    for (unsigned i = 0; i < 4; i += 3)
        for (unsigned p = 1; p <= 3; p++) {
            const struct iba_node_port *port = &subnet_node(s, i)->n.port[p];
            cr_expect_eq(iba_node_credits(port, 0), 80, "switch %u, port %u: %u", i, p, iba_node_credits(port, 0));
            cr_expect_not(subnet_node(s, i)->n.cfg.refresh, "no more at intervals");
        }
    end(s);
}
