/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet of nodes and cables on virtual time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"
#include "probe.h"
#include "subnet.h"
#include "topology_text.h"

struct seen {
    unsigned sent, received;
    iba_time sent_at, received_at;
    size_t len;
};

static void sent(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct seen *s = ctx;

    (void)packet;
    cr_expect(node < 3 && port > 0);
    s->sent++;
    s->sent_at = now;
    s->len = len;
}

static void received(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct seen *s = ctx;

    (void)packet;
    (void)len;
    cr_expect(node == 1 && port == 1, "back at the adapter that asked");
    s->received++;
    s->received_at = now;
}

static struct topology *two_adapters(void)
{
    return topology_of("Switch\t4 \"S\"\n[1] \"A\"[1]\n[2] \"B\"[1]\nHca 1 \"A\"\nHca 1 \"B\"\n");
}

/* Sends a Get(NodeInfo) along the ports of a directed route. */
static void ask(struct subnet *s, uint8_t hops, uint8_t first, uint8_t second)
{
    const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
    uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, 1}, packet[IBA_MGMT_BYTES];

    mad[7] = hops;
    iba_madhdr_set_attributeid(mad, 0x11);
    iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
    iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, 0xffff);
    mad[129] = first;
    mad[130] = second;
    subnet_send(s, 1, 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad));
}

Test(subnet, cables_come_up)
{
    struct topology *t = two_adapters();
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){0});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    cr_expect_eq(subnet_node(s, 0)->n.port[1].info.portstate, IBA_PORT_INIT);
    cr_expect_eq(subnet_node(s, 2)->n.port[1].info.portphysicalstate, IBA_PHYS_LINKUP);
    cr_expect_eq(subnet_node(s, 0)->n.port[3].info.portstate, IBA_PORT_DOWN);
    cr_expect(subnet_cable(s, 2, 1, false));
    subnet_run(s, 0);
    cr_expect_eq(subnet_node(s, 0)->n.port[2].info.portstate, IBA_PORT_DOWN);
    cr_expect(!subnet_cable(s, 0, 3, true), "there is none");
    cr_expect_eq(subnet_find(s, "B"), 2);
    cr_expect_eq(subnet_find(s, "C"), -1);
    subnet_free(s);
    topology_free(t);
}

/* The nodes lack one row of the table of power-up from the start. */
Test(subnet, nodes_power_up_broken)
{
    struct topology *t = two_adapters();
    const struct subnet_config broken = {.broken = {&iba_node_rules, IBA_NODE_NO_KEY}};
    struct subnet *s = subnet_new(t, &broken, &(struct subnet_events){0});

    cr_assert_not_null(s);
    cr_expect_neq(subnet_node(s, 0)->n.port[0].info.m_key, 0);
    cr_expect_neq(subnet_node(s, 2)->n.port[1].info.m_key, 0);
    subnet_free(s);
    topology_free(t);
}

/* A request crosses two wires, and its answer crosses two. Each wire takes the time of the packet's bits: 4 lanes of
 * EDR carry a byte in 80 ps. */
Test(subnet, packets_take_their_time)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 1000);
    ask(s, 2, 1, 2);
    subnet_run(s, 1000000);
    cr_expect_eq(seen.sent, 4);
    cr_expect_eq(seen.received, 1);
    cr_expect_eq(seen.len, IBA_MGMT_BYTES);
    cr_expect_eq(seen.received_at - 1000, 4 * (IBA_MGMT_BYTES * 80 / 1000));
    cr_expect_eq(subnet_in_flight(s), 0);
    subnet_free(s);
    topology_free(t);
}

Test(subnet, a_route_to_nowhere_ends)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    ask(s, 2, 1, 3);
    ask(s, 2, 1, 77);
    subnet_run(s, 1000000);
    cr_expect_eq(seen.sent, 2);
    cr_expect_eq(seen.received, 0);
    cr_expect_eq(subnet_deadline(s), IBA_NEVER);
    subnet_free(s);
    topology_free(t);
}

/* Makes all links Active and fills the switch's table, as a subnet manager does: LID 1 is adapter A's, LID 2 is adapter
 * B's. */
static void route(struct subnet *s, uint8_t port_of_1, uint8_t port_of_2)
{
    struct iba_node *sw = &subnet_node(s, 0)->n;

    for (size_t i = 0; i < 3; i++)
        for (unsigned p = 1; p <= (i ? 1u : 2u); p++) {
            struct iba_portinfo *info = &subnet_node(s, i)->n.port[p].info;
            info->portstate = IBA_PORT_ACTIVE;
            info->lid = (uint16_t)i;
        }
    sw->sw.linearfdbtop = 3;
    sw->lft[1] = port_of_1;
    sw->lft[2] = port_of_2;
    sw->lft[3] = 2;
}

static void probe_expect(struct subnet *s, uint16_t dlid, enum probe_result result, unsigned hops)
{
    struct probe p;

    probe_send(s, (struct probe_port){1, 1}, dlid, 0, &p);
    cr_expect_eq(p.result, result, "LID %u: %s", dlid, probe_result_name(p.result));
    cr_expect_eq(p.hops, hops, "LID %u: %u hops", dlid, p.hops);
    if (result == PROBE_DELIVERED)
        cr_expect(p.end.node == 2 && p.end.port == 1);
}

Test(subnet, a_probe_says_where_a_packet_went)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){sent, received, &seen});
    struct probe_sum sum;

    cr_assert_not_null(s);
    subnet_run(s, 0);
    route(s, 1, 2);
    probe_expect(s, 2, PROBE_DELIVERED, 2);
    probe_expect(s, 3, PROBE_LOST, 2);
    probe_expect(s, 9, PROBE_LOST, 1);
    cr_expect_eq(seen.received, 0, "software sees none of them");
    probe_pairs(s, 0, &sum);
    cr_expect(sum.packets == 2 && sum.by_result[PROBE_DELIVERED] == 2 && sum.hops == 4 && sum.most_hops == 2);
    route(s, 1, 3);
    probe_pairs(s, 0, &sum);
    cr_expect(sum.by_result[PROBE_DELIVERED] == 1 && sum.by_result[PROBE_LOST] == 1, "no cable at port 3");
    subnet_free(s);
    topology_free(t);
}

/* Two switches that send LID 9 to each other. */
Test(subnet, a_probe_ends_a_loop)
{
    static const char text[] =
        "Switch 3 \"S\"\n[1] \"A\"[1]\n[2] \"T\"[1]\nSwitch 3 \"T\"\n[2] \"S\"[3]\nHca 1 \"A\"\n";
    struct topology *t = topology_of(text);
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){0});
    struct probe p;

    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (size_t i = 0; i < 3; i++)
        for (unsigned k = 1; k <= subnet_node(s, i)->n.cfg.n_port; k++)
            subnet_node(s, i)->n.port[k].info.portstate = IBA_PORT_ACTIVE;
    subnet_node(s, 0)->n.lft[9] = subnet_node(s, 1)->n.lft[9] = 2;
    subnet_node(s, 0)->n.sw.linearfdbtop = subnet_node(s, 1)->n.sw.linearfdbtop = 9;
    subnet_node(s, 2)->n.port[1].info.lid = 1;
    probe_send(s, (struct probe_port){2, 1}, 9, 0, &p);
    cr_expect_eq(p.result, PROBE_LOOP, "%s", probe_result_name(p.result));
    cr_expect_eq(subnet_in_flight(s), 0, "the packet is taken off the wire");
    subnet_free(s);
    topology_free(t);
}
