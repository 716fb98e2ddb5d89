/* SPDX-License-Identifier: BSD-2-Clause */
/* A subnet of nodes and cables on virtual time. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/iba_hop.h"
#include "fabric/iba_node_rules.h"
#include "flood.h"
#include "leaks.h"
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

struct header {
    size_t bytes; /* those before the BTH */
    uint32_t pkey, to_qp, from_qp;
};

static void sees_header(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct header *h = ctx;
    const uint8_t *bth = packet + h->bytes;

    (void)port;
    (void)len;
    (void)now;
    if (node != 1)
        return;
    h->pkey = iba_bth_p_key(bth);
    h->to_qp = iba_bth_destqp(bth);
    h->from_qp = iba_deth_srcqp(bth + IBA_BYTES_bth);
}

/* A probe has the first P_Key of its port, and goes from and to a queue pair that no program has. */
Test(subnet, a_probe_has_a_partition)
{
    enum { NOBODY = 0xfffffe };
    struct topology *t = two_adapters();
    struct header h = {.bytes = IBA_BYTES_lrh};
    struct subnet *s =
        subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){.sent = sees_header, .ctx = &h});
    struct iba_node_port *port = &subnet_node(s, 1)->n.port[1];
    struct probe p;

    subnet_run(s, 0);
    route(s, 1, 2);
    port->pkey[0] = 0x8005;
    port->pkey[1] = 0x8006;
    probe_send(s, (struct probe_port){1, 1}, 2, 0, &p);
    cr_expect(h.pkey == 0x8005 && h.to_qp == NOBODY && h.from_qp == NOBODY, "%x, %x, %x", h.pkey, h.to_qp, h.from_qp);
    h = (struct header){.bytes = IBA_BYTES_lrh + IBA_BYTES_grh}; /* by a router, to another subnet */
    probe_send_global(s, (struct probe_port){1, 1}, (struct probe_port){2, 1}, 2, 5, &p);
    cr_expect(h.pkey == 0x8005 && h.to_qp == NOBODY && h.from_qp == NOBODY, "%x, %x, %x", h.pkey, h.to_qp, h.from_qp);
    subnet_free(s);
    topology_free(t);
}

/* More packets than there are serial numbers are refused at once. */
Test(subnet, a_flood_without_end)
{
    struct topology *t = two_adapters();
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){0});
    struct flood_config c = {.packets = UINT32_MAX, .payload_most = 256, .sls = 1};
    struct flood_sum sum;

    subnet_run(s, 0);
    route(s, 1, 2);
    cr_expect_not(flood(s, &c, &sum));
    cr_expect(sum.sent == 0 && sum.delivered == 0 && subnet_in_flight(s) == 0);
    c.packets = 3;
    cr_expect(flood(s, &c, &sum));
    cr_expect(sum.sent == 6 && sum.delivered == 6 && sum.waiting == 0 && sum.unsent == 0 && sum.twice == 0);
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

/* Values of nodes that the topology gives, and values that it leaves out. */
Test(subnet, nodes_of_a_topology)
{
    static const struct {
        uint8_t type;
        uint32_t vendor;
        uint16_t device, switch_pkeys, lft, mft, routes;
        const char *description;
    } want[] = {{IBA_NODE_SWITCH, 0x020000, 0xb001, 32, 0xc000, 1024, 0, "leaf"},
                {IBA_NODE_CA, 0x020000, 0xa001, 0, 0, 0, 0, "A"},
                {IBA_NODE_ROUTER, 0x2c9, 0x1017, 0, 0, 0, 4096, "R"}};
    struct topology *t =
        topology_of("switchguid=0x10\nsysimgguid=0x11\nSwitch\t7 \"S\" # \"leaf\"\ncaguid=0x20\nHca 3 \"A\"\n"
                    "vendid=0x2c9\ndevid=0x1017\nrtguid=0x30\nRt 2 \"R\"\n");
    struct subnet *s = subnet_new(t, &(struct subnet_config){.buffer = 77}, &(struct subnet_events){0});

    cr_assert(s && subnet_nodes(s) == 3);
    for (size_t i = 0; i < 3; i++) {
        const struct iba_node_config *c = &subnet_node(s, i)->n.cfg;
        cr_expect(c->type == want[i].type && c->vendor == want[i].vendor && c->device == want[i].device, "node %zu", i);
        cr_expect(c->switch_pkeys == want[i].switch_pkeys && c->lft == want[i].lft && c->mft == want[i].mft, "node %zu",
                  i);
        cr_expect(c->routes == want[i].routes && c->pkeys == 64 && c->revision == 1 && c->buffer == 77, "node %zu", i);
        cr_expect(c->mtu == IBA_MTU_4096 && iba_vls_of(c->vls) == 8 && c->vlarb_entries == 64, "node %zu", i);
        cr_expect(c->widths == 3 && c->speeds == 7 && c->ext_speeds == 3, "1x and 4x; SDR, DDR, QDR; FDR, EDR");
        cr_expect_str_eq(c->description, want[i].description);
        cr_expect(c->broken.table == NULL && subnet_node(s, i)->from == &t->node[i]);
    }
    cr_expect(subnet_node(s, 0)->n.cfg.node_guid == 0x10 && subnet_node(s, 0)->n.cfg.system_guid == 0x11);
    cr_expect(subnet_node(s, 0)->n.cfg.n_port == 7 && subnet_node(s, 1)->n.cfg.n_port == 3);
    cr_expect(subnet_find(s, "leaf") == 0 && subnet_find(s, "S") == 0 && subnet_find(s, "") == -1);
    subnet_free(s);
    subnet_free(NULL);
    topology_free(t);
}

/* Cables and switches join ports to a subnet; adapters and routers do not. */
Test(subnet, subnets)
{
    enum { S1, S2, S3, A, B, C, R, D, E, F };
    static const struct {
        size_t a;
        uint8_t port_a;
        size_t b;
        uint8_t port_b;
        bool joined;
    } rows[] = {{A, 1, B, 1, true},  {A, 1, S1, 0, true},  {S1, 4, S2, 0, true}, {A, 1, C, 1, false},
                {R, 1, A, 1, true},  {R, 2, C, 1, true},   {R, 1, R, 2, false},  {R, 2, S3, 2, true},
                {D, 1, E, 2, true},  {D, 1, E, 1, false},  {D, 1, A, 1, false},  {F, 1, F, 2, false},
                {F, 1, A, 1, false}, {F, 1, E, 1, false},  {A, 1, A, 2, false},  {B, 2, C, 1, true},
                {B, 1, B, 2, false}, {S1, 1, S3, 1, false}};
    struct topology *t = topology_of(
        "Switch 4 \"S1\"\nSwitch 4 \"S2\"\n[1] \"S1\"[1]\n[2] \"B\"[1]\n[3] \"R\"[1]\nSwitch 3 \"S3\"\n"
        "[1] \"R\"[2]\n[2] \"B\"[2]\n[3] \"C\"[1]\nHca 2 \"A\"\n[1] \"S1\"[2]\nHca 2 \"B\"\nHca 1 \"C\"\nRt 2 \"R\"\n"
        "Hca 1 \"D\"\n[1] \"E\"[2]\nHca 2 \"E\"\nHca 2 \"F\"\n");
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){0});

    cr_assert_not_null(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(subnet_joined(s, rows[i].a, rows[i].port_a, rows[i].b, rows[i].port_b), rows[i].joined, "row %zu",
                     i);
        cr_expect_eq(subnet_joined(s, rows[i].b, rows[i].port_b, rows[i].a, rows[i].port_a), rows[i].joined, "row %zu",
                     i);
    }
    subnet_free(s);
    topology_free(t);
}

static unsigned answered(struct subnet *s, const struct seen *seen, unsigned n)
{
    const unsigned before = seen->received;

    for (unsigned i = 0; i < n; i++) {
        ask(s, 2, 1, 2);
        subnet_run(s, subnet_now(s) + 1000000);
    }
    return seen->received - before;
}

/* A wire loses one in so many packets that leave by a port, at random. */
Test(subnet, wires_that_lose)
{
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    cr_expect_eq(answered(s, &seen, 30), 30);
    for (unsigned i = 0; i < 4; i++) { /* there by two wires, back by two */
        static const struct subnet_end wire[] = {
            {.node = 1, .port = 1}, {.node = 0, .port = 2}, {.node = 2, .port = 1}, {.node = 0, .port = 1}};
        subnet_lose(s, (size_t)wire[i].node, wire[i].port, 1);
        cr_expect_eq(answered(s, &seen, 10), 0, "wire %u", i);
        subnet_lose(s, (size_t)wire[i].node, wire[i].port, 3);
        const unsigned first = answered(s, &seen, 300);
        cr_expect(first > 150 && first < 250, "%u of 300 instead of 200", first);
        subnet_lose(s, (size_t)wire[i].node, wire[i].port, 0);
    }
    subnet_lose(s, 0, 3, 1);
    cr_expect_eq(answered(s, &seen, 30), 30, "another wire");
    subnet_free(s);
    topology_free(t);
}

/* A packet on a wire whose cable is pulled is lost; later the cable carries packets again. */
Test(subnet, cables_that_are_pulled)
{
    static const struct subnet_end ends[] = {{.node = 1, .port = 1}, {.node = 0, .port = 2}};
    struct topology *t = two_adapters();
    struct seen seen = {0};
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){sent, received, &seen});

    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (unsigned i = 0; i < 2; i++) {
        const size_t node = (size_t)ends[i].node, other = i ? 2 : 0;
        ask(s, 2, 1, 2);
        subnet_run(s, subnet_now(s) + (i ? 30 : 1)); /* it is on this wire */
        cr_assert_eq(subnet_in_flight(s), 1);
        cr_expect(subnet_cable(s, node, ends[i].port, false));
        subnet_run(s, subnet_now(s) + 1000000);
        cr_expect(seen.received == i && subnet_in_flight(s) == 0 && subnet_deadline(s) == IBA_NEVER, "%u", i);
        cr_expect_eq(subnet_node(s, node)->n.port[ends[i].port].info.portstate, IBA_PORT_DOWN);
        cr_expect_eq(subnet_node(s, other)->n.port[1].info.portstate, IBA_PORT_DOWN);
        cr_expect_eq(answered(s, &seen, 2), 0);
        cr_expect(subnet_cable(s, other, 1, true), "by its other end");
        subnet_run(s, subnet_now(s));
        cr_expect_eq(subnet_node(s, node)->n.port[ends[i].port].info.portstate, IBA_PORT_INIT);
        cr_expect_eq(answered(s, &seen, 1), 1);
    }
    subnet_free(s);
    topology_free(t);
}

struct order {
    unsigned n;
    size_t by[100];
};

static void note(void *ctx, size_t node, uint8_t port, const uint8_t *packet, size_t len, iba_time now)
{
    struct order *o = ctx;

    (void)port;
    (void)packet;
    (void)len;
    (void)now;
    cr_assert_lt(o->n, 100);
    o->by[o->n++] = node;
}

/* Packets that are on 70 wires at once arrive in the order in which they were sent. */
Test(subnet, many_packets_at_once)
{
    enum { ADAPTERS = 70, STEP = 37 }; /* 37 and 70 have no common divisor */
    const struct iba_mgmt_to to = {.dlid = 0xffff, .slid = 0xffff, .pkey = 0xffff};
    char text[4000] = "Switch 70 \"S\"\n";
    struct order o = {0};

    for (unsigned i = 1; i <= ADAPTERS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "[%u] \"H%u\"[1]\n", i, i);
    for (unsigned i = 1; i <= ADAPTERS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "Hca 1 \"H%u\"\n", i);
    struct topology *t = topology_of(text);
    struct subnet *s = subnet_new(t, &(struct subnet_config){0}, &(struct subnet_events){.received = note, .ctx = &o});
    cr_assert_not_null(s);
    subnet_run(s, 0);
    for (unsigned i = 0; i < ADAPTERS; i++) {
        uint8_t mad[IBA_MAD_BYTES] = {1, IBA_CLASS_DIRECTED, 1, 1}, packet[IBA_MGMT_BYTES];
        mad[7] = 1;
        mad[129] = 1;
        iba_madhdr_set_attributeid(mad, 0x11);
        iba_smp_route_set_drslid(mad + IBA_BYTES_madhdr, 0xffff);
        iba_smp_route_set_drdlid(mad + IBA_BYTES_madhdr, 0xffff);
        subnet_send(s, 1 + i * STEP % ADAPTERS, 1, packet, iba_mgmt_build(packet, &to, IBA_VL15, mad));
    }
    subnet_run(s, 10);
    cr_expect_eq(subnet_in_flight(s), ADAPTERS);
    subnet_run(s, 1000000);
    cr_assert_eq(o.n, ADAPTERS);
    for (unsigned i = 0; i < ADAPTERS; i++)
        cr_expect_eq(o.by[i], 1 + i * STEP % ADAPTERS, "answer %u", i);
    subnet_free(s);
    topology_free(t);
}

static struct topology *net;

static void live(void)
{
    struct seen seen = {0};
    struct subnet *s =
        subnet_new(net, &(struct subnet_config){.buffer = 80}, &(struct subnet_events){sent, received, &seen});

    subnet_run(s, 0);
    ask(s, 2, 1, 2);
    subnet_run(s, 1000000);
    subnet_free(s);
}

Test(subnet, nothing_is_left)
{
    net = two_adapters();
    cr_expect(leaks_nothing(live));
    topology_free(net);
}

/* The pool has room for the packets that buffers hold if all of them have 256 bytes, five blocks each, and for more. */
Test(subnet, room_for_packets)
{
    struct topology *t = two_adapters();
    struct subnet *s = subnet_new(t, &(struct subnet_config){.buffer = 100}, &(struct subnet_events){0});

    cr_assert_not_null(s);
    cr_expect_eq(subnet_pool(s)->n, 1024 + 3 * 64 + 4 * 8 * 100 / 5, "four ports with a cable, 8 lanes");
    subnet_free(s);
    topology_free(t);
}
